"""A real browser plays a whole evening: the desk, four pairs' own phones at two tables, and a projector."""

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

from overtrick.scoring import Method, score
from overtrick.views import SessionView
from tests.web.running import Running
from tests.web.test_browser import PHONE, SCREEN, opponents_look, watched

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

PATIENCE = 30_000
"""Milliseconds; what is waited for comes at once, unless the machine has other things to do."""
OUTCOMES = ("4SN=", "3NTS+1", "2HE-1", "1NTN=", "4HxW-2", "3CE+2", "6DS-1", "2SN+1")
"""The results of rounds 2 and 3: at table A1, at A2, board by board."""
EVENING = {
    (1, 1, 1): "1CS=",
    (1, 1, 2): "2DW+1",
    (2, 1, 1): "3NTW-1",
    (2, 1, 2): "2HE=",
} | {(place % 2 + 1, place // 4 + 2, place // 2 + 3): outcome for place, outcome in enumerate(OUTCOMES)}
"""Everything that stands in the end, by table, round and board."""


@dataclass(slots=True)
class Phone:
    """A pair's own phone, held in the hand."""

    page: "Page"
    pair: int

    def sees(self, selector: str) -> None:
        self.page.wait_for_selector(selector)

    def at(self, screen: str) -> None:
        self.sees(f"body[data-stage={screen}]")

    def key(self, name: str) -> None:
        self.page.click(f'[data-key="{name}"]:enabled')

    def ok(self, screen: str) -> None:
        """OK, and what comes then."""
        self.page.click('#screen [data-key="ok"]:enabled')
        self.at(screen)

    def enters(self, outcome: str, lead: str = "SA") -> None:
        """The board that is asked for, until East-West are asked whether it is right."""
        self.at("ContractScreen")
        found = re.fullmatch(r"([1-7])(NT|[CDHS])(x*)([NESW])(=|[+-]\d+)", outcome)
        assert found is not None
        level, strain, doubled, declarer, result = found.groups()
        self.key(f"level-{level}")
        self.key(f"strain-{strain}")
        self.at("DeclarerScreen")
        if doubled:
            self.key(f"double-{len(doubled)}")
        self.key(f"seat-{declarer}")
        self.at("LeadScreen")
        self.key(f"suit-{lead[0]}")
        self.key(f"rank-{lead[1]}")
        self.at("ResultScreen")
        self.key(f"result{result}")
        self.at("VerifyScreen")

    def agrees(self) -> None:
        """East-West look and say yes, and everyone sees what the board is worth."""
        opponents_look(self.page)
        self.ok("ResultsScreen")

    def is_sent(self) -> None:
        self.sees("#sent:has-text('All sent')")


def taken(phone: Phone) -> None:
    """The phone is at its table, where another scores: it would ask first."""
    phone.at("TakeOverScreen")


def moves_on(phone: Phone) -> None:
    """The last board of a round has been seen: the ranking, where to go, and there it goes."""
    phone.ok("RankingScreen")
    phone.ok("NextScreen")
    phone.key("ok")


def sits_down(phone: Phone, table: str, number: int) -> None:
    """The phone is to score at a table, where another may have been quicker."""
    phone.sees(f"#where:has-text('Table {table}')")
    phone.sees(f"h1:has-text('Table {table}, round {number}'), h1[data-screen=TakeOverScreen]")
    if phone.page.locator("h1[data-screen=TakeOverScreen]").count():
        phone.ok("RoundScreen")
    phone.sees(f"h1:has-text('Table {table}, round {number}')")
    phone.ok("ContractScreen")


# An evening of two tables by the keys of four phones takes 25 seconds on a quiet machine.
@pytest.mark.timeout(180)
def test_evening_from_set_up_to_results(chromium: "Browser", pages: Running) -> None:
    complaints: list[str] = []

    def screen(viewport: object) -> "Page":
        page = watched(chromium.new_context(viewport=viewport), complaints)  # type: ignore[arg-type]
        page.set_default_timeout(PATIENCE)
        return page

    # Set-up at the desk: four pairs, six boards; names as far as they are known.
    desk = screen(SCREEN)
    desk.on("dialog", lambda asked: asked.accept())
    desk.goto(f"{pages.address}/desk")
    desk.click("text=Set up a session")
    desk.fill("[name=count-1]", "4")
    desk.fill("[name=boards]", "6")
    desk.press("[name=boards]", "Tab")
    desk.click("text=Howell of 2 tables")
    desk.fill("[name=name]", "Two tables")
    desk.click("text=Create session")
    desk.wait_for_url("**/players")
    guid = desk.url.split("/")[4]
    desk.fill('[aria-label="North, last name"] >> nth=0', "O'Brien <b>")
    desk.click("text=Save names")
    desk.wait_for_selector("text=1 seat saved.")

    def stands(place: tuple[str, int, int, int]) -> str:
        found = pages.session(guid).results.standing.get(place)
        return str(found.outcome) if found else ""

    # Pair 2 has not come: the preview says what that means.
    desk.goto(f"{pages.address}/desk/{guid}/movement")
    desk.select_option("[name=missing]", "2")
    desk.click("button:has-text('Preview')")
    desk.wait_for_selector("dialog >> text=No results will be erased")
    desk.click("dialog >> button:has-text('Change')")
    desk.wait_for_selector("h2:has-text('pair 2 missing')")

    # Every pair has a card with its own code, which its phone is told.
    desk.goto(f"{pages.address}/desk/{guid}/cards")
    desk.click("text=Cards for pairs")
    desk.wait_for_selector(".table-card h2:has-text('Pair A 4')")
    phones: dict[int, Phone] = {}

    def comes(pair: int) -> Phone:
        code = desk.text_content(f".table-card:has(h2:text-matches('Pair A {pair}$')) .code")
        phone = phones[pair] = Phone(screen(PHONE), pair)
        phone.page.clock.install()
        phone.page.goto(f"{pages.address}/join")
        phone.page.fill("[name=code]", code or "")
        phone.page.click("text=Open table")
        return phone

    # Round 1, table A1: pair 4 against pair 1. Both phones are there, and one of them scores.
    first, other = comes(4), comes(1)
    first.at("RoundScreen")
    first.sees("body[data-kept]")
    assert first.page.locator("strong >> text=O'Brien <b>").count() == 1
    taken(other)

    # Who has nobody to play against is shown the round after.
    comes(3).sees("h1:has-text('Table A2, round 2')")

    projector = screen(SCREEN)
    projector.goto(f"{pages.address}/live/{guid}")
    desk.goto(f"{pages.address}/desk/{guid}/results")
    first.ok("ContractScreen")

    # A wrong contract is noticed by East-West and corrected at the phone.
    first.enters("4SN+1")
    first.key("back")
    first.enters("4SxN+1")
    first.agrees()
    desk.wait_for_selector("td:has-text('4♠x N +1')")
    projector.wait_for_selector(".ranking tbody tr")

    # Another wrong contract is corrected at the desk, in a dialog; the phone shows it.
    desk.click("tr:has-text('4♠x') >> td >> text=Change")
    desk.fill("dialog [name=typed]", "4hxn+1")
    desk.click("dialog >> text=Save")
    desk.wait_for_selector("td:has-text('4♥x N +1')")
    first.sees("td:has-text('4♥x N +1')")
    assert stands(("A", 1, 1, 1)) == "4HxN+1"

    # The late pair comes: nothing that was played is lost, and table A2 begins.
    desk.goto(f"{pages.address}/desk/{guid}/movement")
    desk.select_option("[name=missing]", "0")
    desk.click("button:has-text('Preview')")
    desk.wait_for_selector("dialog >> text=No results will be erased")
    desk.click("dialog >> button:has-text('Change')")
    desk.wait_for_selector("h2:not(:has-text('missing')):has-text('4 pairs')")
    assert stands(("A", 1, 1, 1)) == "4HxN+1"
    desk.goto(f"{pages.address}/desk/{guid}/cards?for=pairs")
    phones[3].sees("h1:has-text('Table A2, round 1')")
    taken(comes(2))
    assert len(phones) == 4

    # A director call, with its place, is answered at the desk.
    desk.goto(f"{pages.address}/desk/{guid}/results")
    second = phones[3]
    second.ok("ContractScreen")
    second.page.click("text=Call the director")
    desk.wait_for_selector("text=Table A2 calls the director")
    assert desk.title().startswith("(1)")
    desk.click(".call >> text=On my way")
    second.sees("#call:not(:empty)")
    desk.click(".call >> text=Resolved")
    desk.wait_for_selector(".call", state="detached")

    # The network goes: what is entered stays on the phone, also when its page is opened anew; it is sent once.
    second.sees("body[data-kept]")
    second.page.context.set_offline(True)
    second.enters("3NTW-1")
    second.agrees()
    second.ok("ContractScreen")
    second.sees("#sent:has-text('Not sent yet: 1')")
    second.page.reload()
    second.at("ContractScreen")
    second.enters("2HE=")
    second.agrees()
    second.sees("#sent:has-text('Not sent yet: 2')")
    assert stands(("A", 2, 1, 1)) == stands(("A", 2, 1, 2)) == ""
    second.page.context.set_offline(False)
    second.is_sent()
    assert (stands(("A", 2, 1, 1)), stands(("A", 2, 1, 2))) == ("3NTW-1", "2HE=")
    assert len(pages.session(guid).results.standing) == 3

    # A result is erased at the desk, and the table enters it again.
    desk.click("tr:has-text('4♥x') >> td >> text=Change")
    desk.click("dialog >> text=Erase")
    desk.wait_for_selector("td:has-text('4♥x N +1')", state="detached")
    first.ok("ContractScreen")
    first.key("back")
    first.key("board-1")
    first.enters("1CS=")
    first.agrees()
    desk.wait_for_selector("td:has-text('1♣ S =')")
    first.ok("ContractScreen")
    first.enters("2DW+1")
    first.agrees()

    # The phones move with their pairs; at table A1 pair 4 scores on, at A2 others take over.
    outcomes = iter(OUTCOMES)
    for number, at_second in ((2, 3), (3, 2)):
        moves_on(first)
        moves_on(second)
        second = phones[at_second]
        for phone, table in ((first, "A1"), (second, "A2")):
            sits_down(phone, table, number)
        for board in (2 * number - 1, 2 * number):
            for phone in (first, second):
                phone.sees(f"h1:has-text('Board {board}')")
                phone.enters(next(outcomes))
            for phone in (first, second):
                phone.agrees()
                if board % 2:
                    phone.ok("ContractScreen")

    # All is played: every phone says so, and the projector has what the journal says.
    for phone in (first, second):
        phone.ok("RankingScreen")
        phone.ok("SummaryScreen")
        phone.ok("EndScreen")
        phone.is_sent()
    for phone in phones.values():
        phone.at("EndScreen")
    projector.wait_for_selector("text=All results are in")
    desk.wait_for_selector("text=12 of 12 results")
    session = pages.session(guid)
    standing = session.results.standing
    assert {place[1:]: str(fact.outcome) for place, fact in standing.items()} == EVENING
    view = SessionView.of(session)
    (ranking,) = view.rankings(1)
    (anew,) = score(view.lines(), Method.MATCHPOINTS).rankings
    wanted = [
        (line.rank_text, f"A{line.contestant.number}", f"{line.percentage:.2f}") for line in ranking.standings
    ]
    assert wanted == [
        (line.rank_text, f"A{line.contestant.number}", f"{line.percentage:.2f}") for line in anew.standings
    ]
    rows = projector.locator(".ranking tbody tr").all()
    shown = [[cell.strip() for cell in row.locator("td").all_text_contents()] for row in rows]
    assert [(rank, pair, share) for rank, pair, _, share in shown] == wanted
    assert complaints == []
