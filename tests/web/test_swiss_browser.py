"""A Swiss evening of two rounds in a real browser: the desk draws, and the devices of the players follow."""

import re
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from overtrick.bridge import Outcome, Side
from overtrick.control.device_location import OwnPhone
from overtrick.event.results import EnterResult, ResultEntry
from overtrick.event.settings import PutSettings
from tests.waiting import wait_for
from tests.web.conftest import Axe
from tests.web.running import STARTS, Running
from tests.web.test_browser import PHONE, SCREEN, go_on, watched
from tests.web.test_desk import opened as set_up
from tests.web.test_swiss_draw_pages import SWISS, Drawing, matches, scored
from tests.web.test_terminal_browser import SHORT, at, opened, score

if TYPE_CHECKING:
    import httpx
    from playwright.sync_api import Browser, Route


def test_two_rounds_are_drawn_at_the_desk_and_played_at_the_tables(
    chromium: "Browser", pages: Running
) -> None:
    complaints: list[str] = []
    desk = watched(chromium.new_context(viewport=PHONE), complaints)  # type: ignore[arg-type]
    projector = watched(chromium.new_context(viewport=SCREEN), complaints)  # type: ignore[arg-type]
    desk.goto(f"{pages.address}/desk/new")
    desk.select_option("[name=game]", "swiss")
    desk.wait_for_selector("text=Draw each round")
    for name, value, said in (
        ("count-1", "5", "5 pairs can play at most 5 rounds without a rematch"),
        ("rounds", "2", "2 rounds of 4 boards"),
        ("each", "1", "2 rounds of 1 board, 2 to deal"),
    ):
        desk.fill(f"[name={name}] >> nth=0", value)
        desk.press(f"[name={name}] >> nth=0", "Tab")
        desk.wait_for_selector(f"text={said}")
    desk.wait_for_selector("text=a different pair sits out each round")
    desk.fill("[name=name]", "Swiss Thursday")
    desk.click("text=Create session")
    desk.wait_for_url("**/players")
    guid = desk.url.split("/")[4]
    assert matches(pages, guid, 1) == [(1, 2), (3, 4), (5, 0)]
    pages.do(PutSettings(guid, (("A", replace(SHORT, show_next_seating=True)),)))
    projector.goto(f"{pages.address}/live/{guid}")
    projector.wait_for_selector("text=Seating, round 1")

    mover = opened(chromium, pages, guid, complaints, str(OwnPhone("A", Side.EW, 2)))
    rester = opened(chromium, pages, guid, complaints, str(OwnPhone("A", Side.NS, 3)))
    mover.wait_for_selector("h1:has-text('Table A1, round 1')")
    rester.wait_for_selector("h1:has-text('Table A2, round 1')")
    desk.goto(f"{pages.address}/desk/{guid}/movement")
    go_on(mover, "ContractScreen")
    score(mover, "2H", "N", "=")
    at(mover, "WaitingScreen")
    desk.wait_for_selector("text=Round 1 is being played: 1 result missing.")
    desk.click("a.button:has-text('Draw round 2')")
    desk.wait_for_selector("dialog >> text=Round 1, table A2: board 1")
    desk.click("dialog >> text=Cancel")
    go_on(rester, "ContractScreen")
    score(rester, "3NT", "S", "-1")
    at(rester, "WaitingScreen")
    desk.wait_for_selector("text=Round 1 is scored.")
    projector.wait_for_selector("text=The next round is being drawn")
    # Both leave their tables to whoever comes, and say that they wait.
    wait_for(lambda: not pages.session(guid).tables.logged_on)
    for phone in (mover, rester):
        at(phone, "WaitingScreen")

    # Seen, changed by hand, and sent: whoever waits is told where to play.
    desk.click(".line >> text=Draw round 2")
    desk.wait_for_selector("dialog >> text=Pairs meet their neighbours in the ranking")
    # Pairs 1 and 4 lead, 5 has sat out, and 3 does so now.
    assert desk.input_value("dialog [name=usual]") == "4-1 5-2 3"
    desk.select_option("dialog [name=swap]", "4")
    desk.select_option("dialog [name=with]", "1")
    desk.click("dialog >> button:has-text('Swap')")
    desk.wait_for_selector("dialog >> text=Changed by hand.")
    assert matches(pages, guid, 2) == [(0, 0)] * 3
    desk.dblclick("dialog >> button:has-text('Send round 2 to the tables')")
    desk.wait_for_selector("text=Round 2 is at the tables")
    assert matches(pages, guid, 2) == [(1, 4), (5, 2), (3, 0)]
    projector.wait_for_selector("text=Seating, round 2")
    mover.wait_for_selector("h1:has-text('Table A2, round 2')")
    at(rester, "EndScreen")
    table = opened(chromium, pages, guid, complaints)
    table.wait_for_selector("h1:has-text('Table A1, round 2')")
    go_on(table, "ContractScreen")
    score(table, "1C", "E", "+1")
    at(table, "EndScreen")
    place = ("A", 2, 2, 2)
    pages.do(EnterResult(guid, ResultEntry(*place, outcome=Outcome.parse("Pass"), at=STARTS)))
    desk.wait_for_selector("text=All rounds are drawn.")
    projector.wait_for_selector("text=All results are in")
    assert complaints == []


def test_values_typed_while_movements_load_count(chromium: "Browser", pages: Running) -> None:
    complaints: list[str] = []
    desk = watched(chromium.new_context(viewport=PHONE), complaints)  # type: ignore[arg-type]
    desk.goto(f"{pages.address}/desk/new?game=swiss")
    held: list[Route] = []
    desk.route("**/desk/new?*", lambda route: held.append(route) if not held else route.continue_())
    desk.fill("[name=count-1]", "5")
    desk.press("[name=count-1]", "Tab")
    for _ in range(200):
        if held:
            break
        desk.wait_for_timeout(50)
    # The answer comes after the next number was typed, and before that field is left; not every browser tells
    # of the change when the field is replaced.
    desk.evaluate("document.querySelector('[name=rounds]').value = '3'")
    assert len(held) == 1
    held[0].continue_()
    desk.wait_for_selector("text=3 rounds of 4 boards")
    assert desk.input_value("[name=rounds] >> nth=0") == "3"
    assert complaints == []


def test_values_typed_before_desk_js_loads_count(chromium: "Browser", pages: Running) -> None:
    complaints: list[str] = []
    desk = watched(chromium.new_context(viewport=PHONE), complaints)  # type: ignore[arg-type]
    held: list[Route] = []
    desk.route("**/static/desk.js", lambda route: held.append(route))
    desk.goto(f"{pages.address}/desk/new?game=pairs", wait_until="commit")
    desk.fill("[name=count-1]", "4")
    desk.press("[name=count-1]", "Tab")
    assert len(held) == 1
    held[0].continue_()
    desk.wait_for_selector("text=Howell of 2 tables")
    assert complaints == []


def test_terminal_shows_a_waiting_pair_its_next_table(
    chromium: "Browser", pages: Running, browser: "httpx.Client"
) -> None:
    complaints: list[str] = []
    guid = set_up(browser, **{**SWISS, "count-1": "4", "each": "1"})
    pages.do(PutSettings(guid, (("A", replace(SHORT, show_next_seating=True)),)))
    table = opened(chromium, pages, guid, complaints)
    go_on(table, "ContractScreen")
    score(table, "4S", "W", "=")
    at(table, "WaitingScreen")
    table.wait_for_selector("#sent:has-text('All sent')")
    other = ("A", 2, 1, 1)
    pages.do(EnterResult(guid, ResultEntry(*other, outcome=Outcome.parse("Pass"), at=STARTS)))
    drawing = Drawing(browser, guid)
    drawing.act("draw", **drawing.form(drawing.preview()))
    at(table, "NextScreen")
    seats = {pair: number for number, match in enumerate(matches(pages, guid, 2), start=1) for pair in match}
    for pair in (1, 2):
        table.wait_for_selector(f"strong:has-text('Table A{seats[pair]}')")
    go_on(table, "RoundScreen")
    table.wait_for_selector("h1:has-text('Table A1, round 2')")
    assert complaints == []


@pytest.mark.timeout(240)  # axe looks at page after page
def test_axe_finds_nothing_serious_where_rounds_are_drawn(
    chromium: "Browser", pages: Running, browser: "httpx.Client", axe: Axe
) -> None:
    guid = set_up(browser, **{**SWISS, "count-1": "7"})
    scored(pages, guid, 1, without=1)
    draw = f"/desk/{guid}/movement/draw?section=A"
    page = browser.get(draw).text
    usual = re.findall(r'name="usual" value="([^"]*)"', page)[0]
    again = f"{draw}&draw={usual.replace(' ', '+')}&swap=1&with=2"
    found = []
    for scheme in ("light", "dark"):
        context = chromium.new_context(viewport=PHONE, color_scheme=scheme, bypass_csp=True)  # type: ignore[arg-type]
        tab = context.new_page()
        for path in ("/desk/new?game=swiss&count-1=9", f"/desk/{guid}/movement", draw, again):
            tab.goto(pages.address + path)
            found += [f"{scheme} {path}: {problem}" for problem in axe(tab)]
            wide = tab.evaluate("document.documentElement.scrollWidth")
            assert wide <= PHONE["width"], path
        context.close()
    assert found == []
