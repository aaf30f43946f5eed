"""Draws the pictures in `pages`: what desk.py leaves out, in a real Chromium, on a phone and on a desk.

Run it again when pages change: `python docs/pictures/pages.py`, with Chromium on the PATH. A few names after it draw
those parts alone: `club`, `evening`, `terminal`, `teams`, `results`, `watch`, `door`.
"""

import io
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from unittest.mock import patch

from PIL import Image, ImageChops
from playwright.sync_api import Browser, Page, sync_playwright

from overtrick.bridge import Card, Played, Seat, dealer
from overtrick.bridge.play import Play
from overtrick.event.calls import CallDirector
from overtrick.event.clock import StartClock
from overtrick.event.recording import RecordCall, RecordCard
from overtrick.event.results import JudgeResult, Suspicion
from overtrick.event.seating import line_up
from overtrick.event.settings import NumberEntry, PutSettings, SettingsIII, ShowRanking
from overtrick.event.setup import ChangeSession, SetStatus, Status
from overtrick.host.demo import demo, play
from overtrick.host.due_executor import executing_due
from overtrick.host.publishing import BY_DESK, SETTINGS
from overtrick.host.runtime import Runtime
from overtrick.host.web import PageServerSettings, pages_beside
from overtrick.keys import KeyRing

FOLDER = Path(__file__).with_name("pages")
SIZES = {"phone": (390, 844), "desktop": (1280, 900)}
FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--force-color-profile=srgb"]
RESULTS = 90
"""How many results are in when the pictures are taken, of an evening of six tables."""
SO_FAR = timedelta(minutes=140)
"""The time since the evening began: its last results came in a few minutes ago, and some tables are slow."""
DAY = date(2026, 1, 8)
PIN = "2718"
EARLIER = {5: date(2025, 12, 18), 7: date(2026, 1, 2)}
"""The evenings before, by their number of tables, and their days; the players have the same numbers in all of them."""
PARTS = ("club", "evening", "terminal", "teams", "results", "watch", "door")


@dataclass
class Gallery:
    """A browser, the evening that it looks at, and what has been drawn of it."""

    browser: Browser
    address: str
    guid: str
    keys: KeyRing
    runtime: Runtime
    earlier: list[str]
    """The sessions of earlier evenings."""
    drawn: list[str] = field(default_factory=list)

    def page(self, size: str, **more: Any) -> Page:
        """A device of this size."""
        width, height = SIZES[size]
        context = self.browser.new_context(
            viewport={"width": width, "height": height}, locale="en-GB", timezone_id="UTC", **more
        )
        page = context.new_page()
        page.set_default_timeout(60_000)
        return page

    def draw(self, page: Page, name: str) -> None:
        """Take a picture of a page as a small file."""
        page.evaluate("document.fonts.ready")
        seen = Image.open(io.BytesIO(page.screenshot(animations="disabled", caret="hide"))).convert("RGB")
        if not name.startswith("terminal"):
            seen = without_end(seen)
        seen.save(FOLDER / f"{name}.webp", quality=68, method=6)
        self.drawn.append(name)

    def sizes(self, page: Page, name: str) -> None:
        """Take pictures of a page on a phone and on a desk."""
        for size, (width, height) in SIZES.items():
            page.set_viewport_size({"width": width, "height": height})
            self.draw(page, f"{name}-{size}")

    def both(self, name: str, path: str, top: str = "") -> None:
        """A page on a phone and on a desk, from its beginning or from an element on."""
        for size in SIZES:
            page = self.page(size)
            page.goto(self.address + path)
            page.wait_for_selector("main")
            page.wait_for_function(
                "!document.body.textContent.includes('–:––')"
            )  # the round clock has been asked
            if top:
                page.locator(top).first.evaluate("(element) => element.scrollIntoView()")
            self.draw(page, f"{name}-{size}")
            page.context.close()


def without_end(seen: Image.Image) -> Image.Image:
    """A picture without the empty end of a page that is shorter than the screen."""
    nothing = Image.new("RGB", seen.size, seen.getpixel((0, seen.height - 1)))
    box = ImageChops.difference(seen, nothing).getbbox()
    return seen.crop((0, 0, seen.width, min(seen.height, (box[3] if box else seen.height) + 24)))


@contextmanager
def evening(folder: Path) -> Iterator[tuple[str, str, Runtime, list[str]]]:
    """Pages of an evening that is under way: their address, the session, the runtime, and earlier sessions."""
    earlier = [play_out(folder, tables, day) for tables, day in EARLIER.items()]
    (folder / SETTINGS).write_text(
        f'{BY_DESK}folder = "site"\naddress = "https://results.example/bridge/"\n', encoding="utf-8"
    )
    with (
        patch("overtrick.host.demo.STARTS", datetime.now(UTC) - SO_FAR),
        demo(folder, tables=6, seed=1) as (planned, runtime, tricks),
    ):
        runtime.do(ChangeSession(planned.session, day=DAY), actor="pictures", command_id="pictures: day")
        for moment in play(planned, runtime, tricks, speed=1, sleep=lambda _: None):
            if len(moment.view.session.results.standing) >= RESULTS:
                break
        disturb(runtime, planned.session, planned.starts + timedelta(minutes=moment.minute))
        with (
            executing_due(runtime.journal, runtime.writer, evaluates=False),
            pages_beside(runtime, PageServerSettings(folder, 0)) as address,
        ):
            yield address, planned.session, runtime, earlier


def play_out(folder: Path, tables: int, day: date) -> str:
    """A whole evening on some day; its session."""
    with demo(folder, tables, seed=1) as (planned, runtime, tricks):
        for _ in play(planned, runtime, tricks, speed=1, sleep=lambda _: None):
            pass
        guid = planned.session
        commands = (ChangeSession(guid, "Thursday pairs", day), SetStatus(guid, Status.FINISHED))
        for number, command in enumerate(commands):
            runtime.do(command, actor="pictures", command_id=f"pictures of {guid} {number}")
    return guid


def disturb(runtime: Runtime, guid: str, now: datetime) -> None:
    """What every evening has: a result that cannot be, a table that calls, a clock that runs."""
    with runtime.read(guid) as session:
        assert session is not None
        place = next(reversed(session.results.standing))
        rounds = max(each[2] for each in session.results.standing)
    settings = SettingsIII(pin=PIN, number_entry=NumberEntry.EVERY_ROUND, ranking=ShowRanking.ALWAYS)
    commands = (
        JudgeResult(guid, *place, Suspicion.SUSPICIOUS),
        CallDirector(guid, "picture", "A", 5, now, rounds, place[3]),
        StartClock(guid, datetime.now(UTC) - timedelta(minutes=9), rounds),
        PutSettings(guid, (("A", settings),)),
    )
    for number, command in enumerate(commands):
        runtime.do(command, actor="pictures", command_id=f"pictures {number}")


MEMBERS = """Number,First name,Last name
1001,Clara,Klein
1002,Sven,Ivanov
1003,Lars,Yilmaz
1004,Kaja,Jansen
1005,Emil,Costa
1006,Bram,Ferro
1007,Finn,Smit
"""
NAME_LIST = """Clara Klein & Lars Yilmaz
Emil Costa & Finn Smit
Ann Berg - Bo Ek
EW 1. Sven Ivanov / Kaja Jansen
"""
MOVEMENT = """# winners: 1
round,table,ns,ew,boards
1,1,1,4,1-8
1,2,2,3,1-8
2,1,4,2,9-16
2,2,3,1,9-16
3,1,4,3,17-24
3,2,1,2,17-24
"""


def draw_club(gallery: Gallery) -> None:
    """Take pictures of the club's own pages: name, members, movements, and lists of names."""
    desk = gallery.page("desktop")
    desk.goto(f"{gallery.address}/desk/club")
    desk.fill("[name=name]", "Harbour Bridge Club")
    desk.fill("[name=number]", "4711")
    desk.click("main button")
    desk.wait_for_selector("header:has-text('Harbour')")
    gallery.both("desk-club", "/desk/club")
    desk.goto(f"{gallery.address}/desk/members")
    for list_of_members in (MEMBERS, MEMBERS.replace("1002,Sven", "1002,Swen") + "1008,Elsa,Ruiz\n"):
        file = {"name": "members.csv", "mimeType": "text/csv", "buffer": list_of_members.encode()}
        desk.set_input_files("[name=file]", files=[file])  # type: ignore[list-item]
        desk.click("text=Read the file")
        desk.wait_for_selector("h1:has-text('Import members')")
        if "Swen" in list_of_members:
            gallery.sizes(desk, "desk-members-import")
        else:
            desk.click("main form button")
            desk.goto(f"{gallery.address}/desk/members")
    gallery.both("desk-members", "/desk/members")
    desk.goto(f"{gallery.address}/desk/{gallery.guid}/players/paste")
    desk.fill("[name=list]", NAME_LIST)
    desk.click("text=Read the list")
    desk.wait_for_selector("text=Names in this list")
    gallery.sizes(desk, "desk-paste")
    desk.goto(f"{gallery.address}/desk/movements")
    desk.fill("[name=name]", "Two tables, club card")
    desk.fill("[name=text]", MOVEMENT)
    desk.click("text=Check and keep")
    desk.wait_for_selector("li:has-text('club card')")
    desk.context.close()
    gallery.both("desk-movements", "/desk/movements")


def draw_evening(gallery: Gallery) -> None:
    """Take pictures of the public pages, and of the desk's pages that desk.py leaves out."""
    guid = gallery.guid
    gallery.both("results", "/results")
    gallery.both("ranking", f"/results/{guid}/")
    gallery.both("desk-pair-cards", f"/desk/{guid}/cards?for=pairs")
    gallery.both("desk-edit", f"/desk/{guid}/edit")
    gallery.both("desk-end", f"/desk/{guid}/end")
    gallery.both("desk-pace", f"/desk/{guid}/clock", ".pace")
    gallery.both("desk-print", f"/desk/{guid}/print")
    paper = gallery.page("desktop")
    paper.set_viewport_size({"width": 718, "height": 1047})
    paper.goto(f"{gallery.address}/desk/{guid}/print?part=hands")
    paper.emulate_media(media="print")
    gallery.draw(paper, "desk-print-hands")
    paper.context.close()
    gallery.both("api", "/api/")


@dataclass
class Terminal:
    """A phone at a table."""

    page: Page
    gallery: Gallery

    def key(self, name: str) -> None:
        """Press a key."""
        self.page.click(f'[data-key="{name}"]:enabled')

    def at(self, screen: str, name: str = "") -> None:
        """Wait for a screen, and draw it where it has a name."""
        self.page.wait_for_selector(f"body[data-stage={screen}]")
        if name:
            self.draw(name)

    def draw(self, name: str) -> None:
        """What it shows."""
        self.gallery.draw(self.page, f"terminal-{name}")

    @property
    def stage(self) -> str:
        """Which screen it shows."""
        return self.page.get_attribute("body", "data-stage") or ""

    def option(self, name: str) -> None:
        """Press a key among the options."""
        if not self.page.locator("#options").evaluate("(options) => options.open"):
            self.page.click("#options summary")
        self.key(name)

    def close_options(self) -> None:
        """Put the options away."""
        if self.page.locator("#options").evaluate("(options) => options.open"):
            self.page.click("#options summary")

    def enter(self) -> None:
        """A board, until it has been agreed."""
        for name in ("level-2", "strain-H", "seat-S", "suit-D", "rank-K", "result+1"):
            self.key(name)
        self.at("VerifyScreen")
        self.key("ok")


def draw_terminal(gallery: Gallery) -> None:
    """A round at a table, screen by screen."""
    code = gallery.keys.table_code(gallery.guid, "A", 2)
    terminal = Terminal(gallery.page("phone", has_touch=True), gallery)
    terminal.page.goto(f"{gallery.address}/t/{gallery.guid}/A2?code={code}")
    terminal.at("TakeOverScreen", "take-over")
    terminal.key("ok")
    terminal.at("RoundScreen", "round")
    terminal.key("ok")
    terminal.at("NumberScreen")
    number = int((terminal.page.text_content("#where") or "").split()[-1])
    with gallery.runtime.read(gallery.guid) as session:
        assert session is not None
        people = line_up(session, "A", number)
    for seat in (Seat.NORTH, Seat.SOUTH, Seat.EAST, Seat.WEST):
        terminal.page.wait_for_selector(f"h1:has-text('{seat.name.capitalize()}')")
        for digit in people[2, seat].number:
            terminal.key(digit)
        if seat is Seat.EAST:
            terminal.draw("number")
        terminal.key("ok")
    terminal.at("PlayersScreen", "players")
    terminal.key("ok")
    terminal.at("ContractScreen")
    terminal.key("level-4")
    terminal.draw("contract")
    terminal.key("strain-S")
    terminal.at("DeclarerScreen")
    terminal.key("double-1")
    terminal.draw("declarer")
    terminal.key("seat-N")
    terminal.at("LeadScreen")
    terminal.key("suit-D")
    terminal.draw("lead")
    terminal.key("rank-K")
    terminal.at("ResultScreen", "result")
    terminal.key("result=")
    terminal.at("VerifyScreen")
    terminal.page.wait_for_selector('[data-key="ok"]:enabled')
    terminal.draw("verify")
    terminal.key("ok")
    terminal.at("ResultsScreen")
    terminal.page.wait_for_selector("#sent:has-text('All sent')")
    terminal.draw("results")
    terminal.key("ok")
    after_results(terminal)
    draw_end(gallery)


def after_results(terminal: Terminal) -> None:
    """What is beside the entry of results, and the way to the next table."""
    page = terminal.page
    terminal.at("ContractScreen")
    page.click("#options summary")
    page.select_option("#language", "pl")
    page.wait_for_selector("html[lang=pl]")
    terminal.close_options()
    terminal.draw("polish")
    page.click("#options summary")
    terminal.draw("options")
    page.select_option("#language", "en")
    page.wait_for_selector("html[lang=en]")
    terminal.close_options()
    page.click("text=Call the director")
    page.wait_for_selector("#call:not(:empty)")
    page.wait_for_selector("#sent:has-text('All sent')")
    terminal.draw("call")
    terminal.key("ShowScores")
    terminal.at("RecapScreen", "recap")
    terminal.key("ok")
    terminal.key("ShowRanking")
    terminal.at("RankingScreen", "ranking")
    terminal.key("ok")
    terminal.option("Director")
    terminal.at("PinScreen")
    terminal.close_options()
    terminal.key("2")
    terminal.draw("pin")
    for digit in PIN[1:]:
        terminal.key(digit)
    terminal.at("MenuScreen", "menu")
    terminal.key("back")
    page.context.set_offline(True)
    while (stage := terminal.stage) != "NextScreen":
        if stage == "ContractScreen":
            terminal.enter()
        elif stage == "RoundScreen" or not page.locator('#screen [data-key="ok"]:enabled').count():
            page.wait_for_timeout(100)
        else:
            if stage == "ResultsScreen":
                page.wait_for_selector("#sent:not([data-unsent='0'])")
                if "terminal-offline" not in terminal.gallery.drawn:
                    terminal.draw("offline")
            terminal.key("ok")
        page.wait_for_timeout(100)
    page.context.set_offline(False)
    page.wait_for_selector("#sent:has-text('All sent')")
    terminal.draw("next")
    page.context.close()


def draw_end(gallery: Gallery) -> None:
    """The end of an evening on a phone."""
    guid = gallery.earlier[-1]
    code = gallery.keys.table_code(guid, "A", 1)
    terminal = Terminal(gallery.page("phone", has_touch=True), gallery)
    terminal.page.goto(f"{gallery.address}/t/{guid}/A1?code={code}")
    while (stage := terminal.stage) != "EndScreen":
        if terminal.page.locator('#screen [data-key="ok"]:enabled').count():
            if stage == "SummaryScreen":
                terminal.draw("summary")
            terminal.key("ok")
        terminal.page.wait_for_timeout(100)
    terminal.draw("end")
    terminal.page.context.close()


NAMES = ("Amber", "Blue", "Crimson", "Dun")
OUTCOMES = ("4sn=", "3ntw-1", "pass", "2he+1", "6cs-2", "1ntn+2", "5dxe-1", "4hs+1")


def draw_teams(gallery: Gallery) -> None:
    """A league of four teams: its desk, and what everyone sees of it."""
    desk = gallery.page("desktop")
    desk.goto(f"{gallery.address}/desk/teams")
    desk.fill("[name=name]", "Club league")
    desk.select_option("[name=format]", "round robin")
    desk.select_option("[name=method]", "vps-continuous")
    desk.fill("[name=boards]", "8")
    desk.click("text=Create event")
    desk.wait_for_url("**/1/teams")
    desk.fill("[name=teams]", "\n".join(NAMES))
    desk.click("button:has-text('Enter')")
    desk.wait_for_selector("td:has-text('Dun')")
    event = desk.url.split("/")[5]
    desk.goto(f"{gallery.address}/desk/teams/{event}/1")
    desk.click("a:has-text('Draw')")
    desk.wait_for_selector("text=nothing is drawn yet")
    gallery.both("teams-draw", desk.url.removeprefix(gallery.address))
    desk.click("button:has-text('Draw th')")
    desk.wait_for_url(f"**/{event}/1")
    linked = desk.locator(f"a[href*='/desk/teams/{event}/1/1/']")
    matches = sorted(set(linked.evaluate_all("links => links.map((link) => link.getAttribute('href'))")))
    for place, match in enumerate(matches):
        desk.goto(gallery.address + match)
        desk.locator("[id*='-Open-']").first.focus()
        for number in range(2 * len(OUTCOMES)):
            desk.keyboard.type(OUTCOMES[(number + number // 6 + place) % len(OUTCOMES)])
            desk.keyboard.press("Enter")
        desk.wait_for_selector("form[data-touched]", state="detached")
    match = matches[0]
    desk.goto(f"{gallery.address}/desk/teams/{event}/1/teams")
    desk.click("[aria-label='Change Amber']")
    for number, person in enumerate(("Ada Berg", "Bo Dahl", "Cy Ek", "Di Falk"), start=1):
        for part, name in zip(("first", "last"), person.split(), strict=True):
            desk.fill(f"[name={part}-new{number}]", name)
    desk.click("text=Save roster")
    desk.wait_for_selector("text=Roster saved.")
    desk.context.close()
    gallery.both("teams-desk", "/desk/teams")
    gallery.both("teams-serie", f"/desk/teams/{event}/1")
    gallery.both("teams-sheet", match)
    gallery.both("teams-event", f"/teams/{event}")
    gallery.both("teams-cross", f"/teams/{event}/1")
    gallery.both("teams-match", match.removeprefix("/desk"))
    gallery.both("teams-team", f"/teams/{event}/team/1")


def natural_card(play: Play) -> Card:
    """The cheapest card that wins the trick for one's side, or the cheapest; the highest as a lead."""
    turn = play.turn
    assert turn is not None
    cards = sorted(play.legal_cards(), key=lambda card: (card.rank, card.suit))
    if not play.tricks or play.tricks[-1].is_complete:
        return cards[-1]
    winning = (
        card for card in cards if play.add(card).tricks[-1].winner(play.contract.strain) in turn.side.seats
    )
    return next(winning, cards[0])


def record(runtime: Runtime, guid: str) -> int:
    """Record an auction and most of the play at one table; the board."""
    with runtime.read(guid) as session:
        assert session is not None
        places = {place: result.outcome for place, result in session.results.standing.items()}
        place, outcome = next(
            (place, outcome)
            for place, outcome in sorted(places.items())
            if isinstance(outcome, Played) and outcome.contract.level == 4
        )
        lead = session.results.standing[place].lead
        now = session.results.standing[place].at
        play = Play(session.hands.records[1, place[3]].deal, outcome.contract)
    seats = [*Seat] * 3
    seats = seats[seats.index(dealer(place[3])) :]
    first = seats.index(outcome.contract.declarer)
    strain = outcome.contract.strain
    bid = f"{outcome.contract.level}{'NT' if strain.suit is None else strain.name[0]}"
    calls = [*("Pass" for _ in range(first)), bid, "Pass", "Pass", "Pass"]
    commands: list[RecordCall | RecordCard] = [
        RecordCall(guid, *place, number, seat, call, now)
        for number, (seat, call) in enumerate(zip(seats, calls, strict=False), start=1)
    ]
    for number in range(1, 41):
        card = lead if number == 1 and lead else natural_card(play)
        assert play.turn is not None
        commands.append(RecordCard(guid, *place, number, play.turn, card.value, now))
        play = play.add(card)
    for number, command in enumerate(commands):
        runtime.do(command, actor="pictures", command_id=f"pictures: play {number}")
    return place[3]


def draw_results(gallery: Gallery) -> None:
    """What there is to read once the session is finished."""
    guid = gallery.guid
    board = record(gallery.runtime, guid)
    gallery.runtime.do(SetStatus(guid, Status.FINISHED), actor="pictures", command_id="pictures: finished")
    page = gallery.page("desktop")
    page.goto(f"{gallery.address}/results/{guid}/")
    linked = page.locator("a[href]").evaluate_all("links => links.map((link) => link.getAttribute('href'))")
    cards = [link for link in linked if link.startswith("card") and link.endswith(".html")]
    traveller = f"/results/{guid}/board-1-{board}.html"
    gallery.both("traveller", traveller)
    page.goto(gallery.address + traveller)
    while not page.locator("hand-viewer sub").count():  # the figures are computed in the background
        page.wait_for_timeout(500)
        page.reload()
        page.wait_for_selector("hand-viewer")
    page.context.close()
    gallery.both("viewer", traveller, "details:has(hand-viewer)")
    gallery.both("pair", f"/results/{guid}/{cards[0]}")
    gallery.both("summary", f"/results/{guid}/summary.html")
    gallery.both("matrix", f"/results/{guid}/matrix.html")
    gallery.both("hands", f"/results/{guid}/hands.html")
    gallery.both("players", "/players")
    gallery.both("player", "/player?key=%231001")
    desk = gallery.page("desktop")
    desk.goto(f"{gallery.address}/desk/{guid}/publish")
    desk.click("main button:has-text('Publish')")
    desk.wait_for_selector("#mail")
    # The folder of these pages is a temporary one.
    desk.locator("main .good").evaluate(
        "(line) => line.textContent = line.textContent.replace(/in .*/, 'in site.')"
    )
    gallery.sizes(desk, "desk-publish")
    desk.context.close()


def draw_watch(gallery: Gallery) -> None:
    """A match of robots, on the pages of the Table Manager."""
    deals = Path(__file__).parents[1] / "examples" / "evening.pbn"
    command = f"-m overtrick tm match natural legal --trick-pause 2 --watch-port 0 --deals {deals}"
    with subprocess.Popen([sys.executable, *command.split()], stdout=subprocess.PIPE, text=True) as match:
        assert match.stdout is not None
        address = match.stdout.readline().split()[-1]
        page = gallery.page("desktop")
        page.goto(f"{address}table/1")
        page.wait_for_selector(".tricks tbody tr >> nth=2")
        gallery.sizes(page, "watch")
        page.context.close()
        match.terminate()


def draw_door(gallery: Gallery) -> None:
    """The login, once there is a password."""
    gallery.keys.set_password("seven no trump")
    gallery.both("login", "/desk")


def draw_all(parts: list[str]) -> list[str]:
    """Draw these parts; the names of what was drawn."""
    program = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    FOLDER.mkdir(exist_ok=True)
    with (
        TemporaryDirectory() as folder,
        evening(Path(folder)) as (address, guid, runtime, earlier),
        sync_playwright() as playing,
    ):
        browser = playing.chromium.launch(executable_path=program, args=FLAGS)
        gallery = Gallery(browser, address, guid, KeyRing(Path(folder)), runtime, earlier)
        for part in parts:
            {
                "club": draw_club,
                "evening": draw_evening,
                "terminal": draw_terminal,
                "teams": draw_teams,
                "results": draw_results,
                "watch": draw_watch,
                "door": draw_door,
            }[part](gallery)
        browser.close()
    return gallery.drawn


if __name__ == "__main__":
    for name in draw_all(sys.argv[1:] or list(PARTS)):
        print(f"{name}.webp: {(FOLDER / name).with_suffix('.webp').stat().st_size / 1000:.0f} kB")
