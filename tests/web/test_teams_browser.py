"""A real browser runs a round robin and a knock-out wholly at the desk's pages; axe looks on."""

import re
from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

from overtrick.bridge import Outcome
from overtrick.event import Fact
from overtrick.event.team_rules import PutTeamFacts, SetTeamEvent
from overtrick.event.teams import (
    Division,
    DivisionSet,
    MatchReported,
    Room,
    Segment,
    Team,
    TeamFormat,
    TeamSet,
)
from overtrick.host.runtime import runtime_writer
from overtrick.scoring import UNIT, Method
from overtrick.views.teams import TeamView
from overtrick.web.team_view_models import figure, rank_text
from tests.event.team_events import EVENT, drawn
from tests.web.conftest import Axe
from tests.web.running import Running
from tests.web.test_browser import PHONE, SCREEN, watched
from tests.web.test_live_browser import becomes_as_made_anew, open_followed

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

NAMES = ("Amber", "Blue <b>", "Crimson", "Dun")
OUTCOMES = ("4SN=", "3NTW-1", "Pass", "2HE+1", "6CS-2", "1NTN+2", "5DxE-1", "4HS+1")


def view_of(pages: Running, event: str) -> TeamView:
    with runtime_writer(pages.journal).reading() as runtime:
        return TeamView.of(runtime, runtime.team_events[event])


def open_event(page: "Page", pages: Running, name: str, format: str, method: str, boards: int) -> str:
    """Open an event with four teams at the desk; its guid."""
    page.goto(f"{pages.address}/desk")
    page.click("text=Team events")
    page.fill("[name=name]", name)
    page.select_option("[name=format]", format)
    page.select_option("[name=method]", method)
    page.fill("[name=boards]", str(boards))
    page.click("text=Create event")
    page.wait_for_url("**/1/teams")
    page.fill("[name=teams]", "\n".join(NAMES))
    page.click("button:has-text('Enter')")
    page.wait_for_selector("td:has-text('Dun')")
    return page.url.split("/")[5]


def draw(page: "Page", pages: Running, event: str, segments: int = 1) -> None:
    """Look at the next draw, and draw it."""
    page.goto(f"{pages.address}/desk/teams/{event}/1")
    page.click("a:has-text('Draw')")
    page.wait_for_selector("text=nothing is drawn yet")
    if segments > 1:
        page.fill("[name=segments] >> nth=-1", str(segments))
        page.click("button:has-text('Preview')")
        page.wait_for_selector(f"input[name=segments][value='{segments}'] >> nth=-1")
    page.click("button:has-text('Draw th')")
    page.wait_for_url(f"**/{event}/1")


def type_boards(page: "Page", segment: Segment, outcome: Callable[[str, int], str], boards: range) -> None:
    """Type the results down the sheet of each room, with Enter after each and no mouse."""
    place = f"{segment.serie}-{segment.round}-{segment.number}-{segment.home}"
    page.focus(f"[id='c{place}-Open-{boards[0]}']")
    for room in ("Open", "Closed"):
        for board in boards:
            assert page.evaluate("document.activeElement.id") == f"c{place}-{room}-{board}"
            page.keyboard.type(outcome(room, board).lower())
            page.keyboard.press("Enter")
    for room in ("Open", "Closed"):
        for board in boards:
            page.wait_for_selector(
                f"form:not([data-touched]) > input[type=hidden][value='{place}-{room}-{board}']",
                state="attached",
            )


def ranking_of(page: "Page") -> list[list[str]]:
    """Rank, team and points of the first ranking of a page."""
    rows = page.locator(".ranking").first.locator("tbody tr")
    return [
        [cells[0], re.sub(r" [A-Z]{3}$", "", cells[2]), cells[-1]]
        for number in range(rows.count())
        if (cells := rows.nth(number).locator("td").all_inner_texts())
    ]


def test_round_robin_is_run_at_the_desk(chromium: "Browser", pages: Running) -> None:
    complaints: list[str] = []
    context = chromium.new_context(viewport=SCREEN)  # type: ignore[arg-type]
    desk = watched(context, complaints)
    event = open_event(desk, pages, "League", "round robin", "vps-continuous", 4)

    # A roster, with a captain.
    desk.click("[aria-label='Change Amber']")
    for number, person in enumerate(("Ada Berg", "Bo O'Dahl", "Cy Ek", "Di Falk"), start=1):
        for part, name in zip(("first", "last"), person.split(), strict=True):
            desk.fill(f"[name={part}-new{number}]", name)
    desk.select_option("[name=role-new1]", "PC")
    desk.click("text=Save roster")
    desk.wait_for_selector("text=Roster saved.")
    desk.wait_for_selector('input[value="O\'Dahl"]')
    assert [member.role for member in view_of(pages, event).event.rosters[1]] == ["PC", "", "", ""]

    # Everyone follows on the pages for all.
    public = watched(chromium.new_context(viewport=PHONE), complaints)  # type: ignore[arg-type]
    draw(desk, pages, event)
    public.goto(f"{pages.address}/results")
    public.click("text=League")
    public.click("text=Cross table and all rounds")
    public.wait_for_selector("text=Round 3")

    view = view_of(pages, event)
    first = next(one for one in view.draws[1, 1].pairings if 1 in (one.home, one.away))
    other = next(one for one in view.draws[1, 1].pairings if one is not first)

    # The first match: a line-up, then the boards of both rooms by the keyboard.
    desk.goto(f"{pages.address}/desk/teams/{event}/1/1/{first.home}")
    room = "Open" if first.home == 1 else "Closed"
    line_up = f"form[data-key='line-up-1-{room}']"
    desk.select_option(f"{line_up} [name=north]", label="Ada Berg")
    desk.select_option(f"{line_up} [name=south]", label="Di Falk")
    desk.click(f"{line_up} button")
    desk.wait_for_selector("text=Line-up saved.")

    def outcome(room: str, board: int) -> str:
        return OUTCOMES[board - 1 + (4 if room == "Closed" else 0)]

    segment = Segment(1, 1, 1, first.home)
    type_boards(desk, segment, outcome, range(1, 5))
    results = view_of(pages, event).boards(segment)
    assert {place: result.outcome for place, result in results.items()} == {
        (room, board): Outcome.parse(outcome(room.value, board)) for room in Room for board in range(1, 5)
    }

    # A wrong contract is corrected on the sheet of its own; one that makes no sense is refused in a sentence.
    cell = f"[id='c1-1-1-{first.home}-Open-1']"
    desk.fill(cell, "9sn=")
    desk.press(cell, "Enter")
    desk.wait_for_selector("#said:has-text('9SN=')")
    assert desk.input_value(cell) == "9sn="
    desk.goto(f"{pages.address}/desk/teams/{event}/1/1/{first.home}/board?segment=1&board=1")
    desk.select_option("form >> nth=0 >> [name=level]", "5")
    desk.fill("form >> nth=0 >> [name=lead]", "D10")
    desk.click("text=Save open room")
    desk.wait_for_url(f"**/1/1/{first.home}")
    corrected = view_of(pages, event).boards(segment)[Room.OPEN, 1]
    assert str(corrected.outcome) == "5SN="
    assert corrected.lead is not None

    # The other matches are reported; an adjustment is seen by one side, and a carry-over counts for all.
    for number, pairings in ((1, [other]), (2, view.draws[1, 2].pairings), (3, view.draws[1, 3].pairings)):
        for pairing in pairings:
            desk.goto(f"{pages.address}/desk/teams/{event}/1/{number}/{pairing.home}")
            desk.fill("[name=imps-home]", str(7 * number + pairing.home))
            desk.fill("[name=imps-away]", "12,5")
            desk.click("text=Save report")
            desk.wait_for_selector("text=Reported IMPs saved.")
    form = f"form[data-key='adjust-1-{pairing.home}']"
    desk.fill(f"{form} [name=imps]", "-2")
    desk.fill(f"{form} [name=reason]", "Late <again>")
    desk.click(f"{form} button")
    desk.wait_for_selector("text=Adjustment saved.")
    desk.goto(f"{pages.address}/desk/teams/{event}/1")
    desk.select_option("form[data-key=carry] [name=team]", label="4 Dun")
    desk.fill("form[data-key=carry] [name=vps]", "3.25")
    desk.click("text=Carry over")
    desk.wait_for_selector("li:has-text('Dun, into round 1: 3.25 VPs')")

    # The public page has followed without a reload, and says what the views say.
    public.wait_for_selector("td:has-text('3.25')")
    view = view_of(pages, event)
    division = view.event.divisions[1]
    wanted = [
        [
            rank_text(line.rank, line.rank_max),
            view.event.teams[line.team].name,
            figure(line.points, division),
        ]
        for line in view.ranking(1)
    ]
    public.wait_for_timeout(300)
    assert [[row[0], row[1], row[2]] for row in _public_ranking(public)] == wanted
    assert ranking_of(desk) == wanted
    end = next(line for line in view.figures(1) if line.segment == Segment(1, 3, 1, pairing.home))
    public.goto(f"{pages.address}/teams/{event}/1/3/{pairing.home}")
    totals = public.locator(".total tbody tr").all_inner_texts()
    assert totals[-1].split() == [
        "VPs",
        figure(end.home.vp_round, division),
        figure(end.away.vp_round, division),
    ]
    assert "Late <again>" in public.inner_text("main")
    public.goto(f"{pages.address}/teams/{event}/1/1/{first.home}")
    assert public.locator(".boards tbody tr").count() == 4
    line = next(line for line in view.figures(1) if line.segment == segment)
    assert public.locator(".total tbody tr").nth(1).locator("td").all_inner_texts() == [
        figure(line.home.imp_total),
        figure(line.away.imp_total),
    ]
    assert complaints == []


def _public_ranking(page: "Page") -> list[list[str]]:
    """The ranking on a phone, where a column is hidden."""
    found = page.evaluate(
        "[...document.querySelector('.ranking tbody').rows]"
        ".map(row => [0, 2, row.cells.length - 1].map(cell => row.cells[cell].textContent.trim()))"
    )
    return [[str(text) for text in row] for row in found]


def test_knock_out_is_run_at_the_desk(chromium: "Browser", pages: Running) -> None:
    complaints: list[str] = []
    desk = watched(chromium.new_context(viewport=SCREEN), complaints)  # type: ignore[arg-type]
    desk.on("dialog", lambda asked: asked.accept())
    event = open_event(desk, pages, "Cup", "knock-out", "team-imps", 4)
    draw(desk, pages, event, 2)
    view = view_of(pages, event)
    assert [(one.home, one.away) for one in view.draws[1, 1].pairings] == [(1, 4), (2, 3)]
    public = watched(chromium.new_context(viewport=SCREEN), complaints)  # type: ignore[arg-type]
    public.goto(f"{pages.address}/teams/{event}/1")

    # Two segments of two boards: the second semi-final is won by what was carried into it.
    for home in (1, 2):
        desk.goto(f"{pages.address}/desk/teams/{event}/1/1/{home}")
        for number in (1, 2):
            segment = Segment(1, 1, number, home)
            boards = range(2 * number - 1, 2 * number + 1)
            flat = home == 2
            type_boards(
                desk,
                segment,
                lambda room, board, flat=flat: "4SN=" if flat or room == "Open" else "4SN-1",  # type: ignore[misc]
                boards,
            )
    assert view_of(pages, event).winner(1, 1, 1) == 1
    assert view_of(pages, event).winner(1, 1, 2) is None
    desk.goto(f"{pages.address}/desk/teams/{event}/1/draw")
    desk.wait_for_selector("text=ends level")
    desk.goto(f"{pages.address}/desk/teams/{event}/1/1/2")
    desk.fill("form[data-key='carry-3'] [name=imps]", "0.5")
    desk.click("form[data-key='carry-3'] button")
    desk.wait_for_selector("text=Carry-over saved.")
    public.wait_for_selector(".won:has-text('Crimson')")

    # An erased board is asked about, and typed again.
    desk.goto(f"{pages.address}/desk/teams/{event}/1/1/1/board?segment=1&board=1")
    desk.click("form:has-text('Closed room') >> text=Erase")
    desk.wait_for_url("**/1/1/1")
    assert (Room.CLOSED, 1) not in view_of(pages, event).boards(Segment(1, 1, 1, 1))
    cell = "[id='c1-1-1-1-Closed-1']"
    desk.fill(cell, "4sn-1")
    desk.press(cell, "Enter")
    desk.wait_for_selector("#said:has-text('Saved.')")

    # The final, and a winner.
    draw(desk, pages, event)
    view = view_of(pages, event)
    assert [(one.home, one.away) for one in view.draws[1, 2].pairings] == [(1, 3)]
    public.wait_for_selector("h3:has-text('Final')")
    desk.click("a:has-text('Amber') >> nth=0")
    desk.wait_for_url("**/1/2/1")
    desk.fill("[name=imps-home]", "21")
    desk.fill("[name=imps-away]", "40")
    desk.click("text=Save report")
    public.wait_for_selector(".champion:has-text('Crimson')")
    view = view_of(pages, event)
    assert view.winner(1, 2, 1) == 3
    lines = view.figures(1)
    for bout, line in zip(
        public.locator(".bout").all(),
        [lines[2], lines[3], lines[4]],
        strict=True,
    ):
        assert [text.split()[-1] for text in bout.locator("> span").all_inner_texts()] == [
            figure(line.home.imp_total),
            figure(line.away.imp_total),
        ]
    assert lines[4].away.imp_total == 40 * UNIT
    assert complaints == []


def every_page(pages: Running, chromium: "Browser") -> list[str]:
    """The addresses of every page, on an event with something of everything."""
    desk = chromium.new_page(viewport=SCREEN)  # type: ignore[arg-type]
    event = open_event(desk, pages, "The cup of the long names " * 2, "knock-out", "vps-discrete", 4)
    draw(desk, pages, event, 2)
    desk.goto(f"{pages.address}/desk/teams/{event}/1/1/1")
    type_boards(desk, Segment(1, 1, 1, 1), lambda room, board: OUTCOMES[board], range(1, 3))
    desk.fill("form[data-key='adjust-1-1'] [name=imps]", "-2")
    desk.click("form[data-key='adjust-1-1'] button")
    desk.wait_for_selector("text=Adjustment saved.")
    desk.goto(f"{pages.address}/desk/teams/{event}")
    desk.fill("form[data-key='serie-new'] [name=name]", "Others")
    desk.click("form[data-key='serie-new'] button")
    desk.wait_for_selector("h2:has-text('Others')")
    file = desk.request.get(f"{pages.address}/desk/teams/{event}/files/2A").text().replace("Amber", "Umber")
    desk.goto(f"{pages.address}/desk/teams/{event}/files")
    upload = {"name": "2A.txt", "mimeType": "text/plain", "buffer": file.encode()}
    desk.set_input_files("[type=file]", files=upload)  # type: ignore[arg-type]
    desk.click("button:has-text('Preview')")
    desk.wait_for_selector("h2:has-text('Conflicts')")
    preview = desk.url.removeprefix(pages.address)
    desk.close()
    here = f"/teams/{event}"
    return [
        *("/", "/results", "/teams", "/desk", "/desk/teams", preview),
        *(here, f"{here}/1", f"{here}/1/1/1", f"{here}/team/1"),
        *(
            f"/desk{here}{path}"
            for path in (
                *("", "/1", "/1/teams", "/team/1", "/1/1/1", "/1/1/1/board?segment=1&board=1", "/tables"),
                *("/1/draw", "/1/draw?pairs=1-2,3-4", "/1/qualify?first=1&last=1&to=2", "/files"),
            )
        ),
    ]


def test_patched_page_equals_a_reloaded_one(chromium: "Browser", pages: Running) -> None:
    teams = range(101, 105)
    facts: list[Fact] = [
        DivisionSet(Division(1, "Open", TeamFormat.ROUND_ROBIN, Method.VPS_CONTINUOUS, 16)),
        *(TeamSet(Team(team, 1, team - 100, name)) for team, name in zip(teams, NAMES, strict=True)),
        drawn(1, (101, 102), (103, 104)),
        drawn(2, (101, 103), (102, 104)),
    ]
    pages.do(PutTeamFacts(EVENT, tuple(facts), SetTeamEvent(EVENT, "League", 1)))
    complaints: list[str] = []
    followed = []
    for path in ("", "/1"):
        page = watched(chromium.new_context(), complaints)
        open_followed(page, f"{pages.address}/teams/{EVENT}{path}")
        page.evaluate("() => { window.kept = document.querySelector('.ranking'); }")
        followed.append(page)
    for imps in (5, 40):
        pages.do(PutTeamFacts(EVENT, (MatchReported(Segment(1, 1, 1, 101), imps * UNIT, 7 * UNIT),)))
        for page in followed:
            assert becomes_as_made_anew(page, chromium, complaints)
            assert page.evaluate("window.kept.isConnected"), "nothing was drawn again"
    assert followed[1].locator(".matches .strong").first.inner_text() == NAMES[0]
    pages.do(PutTeamFacts(EVENT, (MatchReported(Segment(1, 1, 1, 103), 0, 60 * UNIT),)))
    for page in followed:
        assert becomes_as_made_anew(page, chromium, complaints), "the next round is shown"
        page.context.close()
    assert not complaints


@pytest.mark.timeout(240)  # axe looks at page after page
def test_axe_finds_nothing_serious_and_every_page_fits_a_phone(
    chromium: "Browser",
    pages: Running,
    axe: Axe,
) -> None:
    paths = every_page(pages, chromium)
    found = []
    coloured = [path for path in paths if path.endswith(("/1", "/1/1/1", "/import"))]
    for scheme, shown in (("light", paths), ("dark", coloured)):
        context = chromium.new_context(viewport=PHONE, color_scheme=scheme, bypass_csp=True)  # type: ignore[arg-type]
        page = context.new_page()
        for path in shown:
            answer = page.goto(pages.address + path)
            assert answer is not None
            assert answer.status == 200, path
            page.wait_for_timeout(50)
            assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"], path
            found += [f"{scheme} {path.split('?')[0]}: {problem}" for problem in axe(page)]
        context.close()
    assert found == []
