"""The terminal in a real browser: every screen, a round without the network, the director, other devices, keyboards."""

import gzip
import json
import random
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from overtrick.bridge import Outcome, Side
from overtrick.control.device_location import OwnPhone, parse_place
from overtrick.event.calls import CallStatus
from overtrick.event.results import EnterResult, ResultEntry
from overtrick.event.settings import (
    Language,
    LeadEntry,
    NumberEntry,
    PutSettings,
    ScoreRecap,
    SettingsIII,
    ShowRanking,
    ViewResults,
)
from overtrick.web.device_files import STATIC
from tests.web.conftest import Axe
from tests.web.running import STARTS, Running
from tests.web.test_browser import PHONE, go_on, opponents_look, watched

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Page

SHORT = SettingsIII(
    pin="2718",
    lead_entry=LeadEntry.NEVER,
    ranking=ShowRanking.NEVER,
    view_results=ViewResults.NONE,
    score_recap=ScoreRecap.ALWAYS,
)
"""Nothing between the boards."""
LANDSCAPE, TABLET = {"width": 844, "height": 390}, {"width": 1024, "height": 768}
SEEN_TWICE = ("ContractScreen", "ResultsScreen", "VerifyScreen", "MenuScreen", "PlayScreen", "NumberScreen")
"""Screens that are looked at on other devices and in the dark as well."""
FIRST_PAGE = 100_000
"""Bytes that a phone may have to load before it can score."""


@pytest.fixture
def complaints() -> Iterator[list[str]]:
    """Complaints of browsers, of which there must be none."""
    found: list[str] = []
    yield found
    assert found == []


def opened(
    chromium: "Browser", pages: Running, guid: str, complaints: list[str], place: str = "A1", **more: object
) -> "Page":
    """A new device with a place's code."""
    context: BrowserContext = chromium.new_context(viewport=PHONE, has_touch=True, **more)  # type: ignore[arg-type]
    context.clock.install()
    page = watched(context, complaints)
    found = parse_place(place)
    assert found is not None
    code = found.code(pages.keys, guid)
    page.goto(f"{pages.address}/t/{guid}/{place}?code={code}")
    return page


def at(page: "Page", screen: str) -> None:
    page.wait_for_selector(f"body[data-stage={screen}]")


def score(page: "Page", contract: str, declarer: str, result: str) -> None:
    """A board without a lead."""
    at(page, "ContractScreen")
    for key in (f"level-{contract[0]}", f"strain-{contract[1:]}", f"seat-{declarer}", f"result{result}"):
        page.click(f'[data-key="{key}"]')
    opponents_look(page)
    page.click('[data-key="ok"]:enabled')


def option(page: "Page", key: str) -> None:
    """A key among the options."""
    if not page.locator("#options").evaluate("(options) => options.open"):
        page.click("#options summary")
    page.click(f'[data-key="{key}"]')


def outcomes(pages: Running, guid: str, table: int = 1) -> dict[int, str]:
    """Return the standing results of the third round of a table, by board."""
    standing = pages.session(guid).results.standing
    return {place[3]: str(fact.outcome) for place, fact in standing.items() if place[1:3] == (table, 3)}


def test_key_that_is_pressed_while_news_arrive_still_works(
    chromium: "Browser", pages: Running, guid: str, complaints: list[str]
) -> None:
    page = opened(chromium, pages, guid, complaints)
    at(page, "RoundScreen")
    page.locator('[data-key="ok"]:enabled').hover()
    page.mouse.down()
    # The network goes and comes back, as with any news the screen is drawn anew.
    page.evaluate("dispatchEvent(new Event('offline')); dispatchEvent(new Event('online'))")
    page.evaluate("() => new Promise((resolve) => requestAnimationFrame(() => resolve()))")
    page.mouse.up()
    at(page, "ContractScreen")


def test_key_that_is_pressed_within_a_second_of_another_still_works(
    chromium: "Browser", pages: Running, guid: str, complaints: list[str]
) -> None:
    page = opened(chromium, pages, guid, complaints)
    at(page, "RoundScreen")
    page.mouse.click(1, 1)
    page.clock.run_for(600)
    page.locator('[data-key="ok"]:enabled').hover()
    page.mouse.down()
    # The limit of the first press must not end the second one.
    page.clock.run_for(600)
    page.evaluate("dispatchEvent(new Event('offline')); dispatchEvent(new Event('online'))")
    page.evaluate("() => new Promise((resolve) => setTimeout(resolve))")
    page.mouse.up()
    at(page, "ContractScreen")


def test_a_player_who_chooses_dark_colours_has_them_after_a_reload_and_light_ones_on_demand(
    chromium: "Browser", pages: Running, guid: str, complaints: list[str]
) -> None:
    def paper() -> str:
        return str(page.evaluate("getComputedStyle(document.body).backgroundColor"))

    page = opened(chromium, pages, guid, complaints, color_scheme="light")
    page.wait_for_selector("#options summary")
    assert paper() == "rgb(255, 255, 255)"
    option(page, "colours")
    assert paper() == "rgb(18, 23, 29)"
    page.reload()
    page.wait_for_selector("#options summary")
    assert paper() == "rgb(18, 23, 29)"
    page.emulate_media(color_scheme="dark")
    option(page, "colours")
    assert paper() == "rgb(255, 255, 255)"
    page.context.close()


def test_round_played_offline_is_sent_later(
    chromium: "Browser", pages: Running, guid: str, complaints: list[str]
) -> None:
    pages.do(PutSettings(guid, (("A", replace(SHORT, language=Language.FRENCH)),)))
    page = opened(chromium, pages, guid, complaints)
    page.wait_for_selector("h1:has-text('Table A1, tour 3')")
    assert page.locator("html").get_attribute("lang") == "fr"
    page.wait_for_selector("body[data-kept]")
    boards = pages.session(guid).movement.tables["A", 1].rounds[2].boards
    page.context.set_offline(True)
    page.wait_for_selector("#sent:has-text('Pas de réseau')")
    go_on(page, "ContractScreen")
    page.click('[data-key="level-3"]')
    for place, board in enumerate(boards):
        page.wait_for_selector(f"h1:has-text('Donne {board}')")
        if place == 2:
            # The page is closed half-way through a board, and opened again where nothing answers.
            page.click('[data-key="level-1"]')
            page.click('[data-key="strain-C"]')
            at(page, "DeclarerScreen")
            page.reload()
            at(page, "DeclarerScreen")
            page.wait_for_selector("p:has-text('1♣')")
            page.click('[data-key="back"]')
        score(page, "2H", "S", "=" if place else "+1")
    at(page, "NextScreen")
    page.wait_for_selector(f"#sent[data-unsent='{len(boards)}']")
    assert outcomes(pages, guid) == {}
    page.context.set_offline(False)
    page.wait_for_selector("#sent:has-text('Tout est envoyé')", timeout=15_000)
    assert outcomes(pages, guid) == {
        board: "2HS=" if place else "2HS+1" for place, board in enumerate(boards)
    }
    go_on(page, "RoundScreen")


def test_players_take_back_a_call_skip_the_lead_and_leave_a_board_to_the_director(
    chromium: "Browser", pages: Running, guid: str, complaints: list[str]
) -> None:
    pages.do(PutSettings(guid, (("A", replace(SHORT, lead_entry=LeadEntry.UNCHECKED)),)))
    boards = pages.session(guid).movement.tables["A", 1].rounds[2].boards
    page = opened(chromium, pages, guid, complaints)
    at(page, "RoundScreen")
    page.click('[data-key="CallDirector"]')
    page.click('#take-back [data-key="WithdrawCall"]')
    page.wait_for_selector("#take-back:empty", state="attached")
    page.wait_for_selector("#sent:has-text('All sent')")
    assert [call.status for call in pages.session(guid).calls.calls.values()][-1] is CallStatus.WITHDRAWN
    go_on(page, "ContractScreen")
    assert page.text_content(".board-mark") == str(boards[0])
    assert page.text_content(".board-pairs").count("-") == 2  # type: ignore[union-attr]
    for key in ("level-4", "strain-S", "seat-N", "skip-lead", "result="):
        page.click(f'[data-key="{key}"]')
    opponents_look(page)
    page.click('[data-key="ok"]:enabled')
    at(page, "ContractScreen")
    page.click('[data-key="pending"]')
    page.wait_for_selector(".verify:has-text('Ruling pending')")
    opponents_look(page)
    page.click('[data-key="ok"]:enabled')
    at(page, "ContractScreen")
    page.wait_for_selector("#sent:has-text('All sent')")
    assert outcomes(pages, guid) == {boards[0]: "4SN=", boards[1]: "Arbitral"}


def test_director_menu_opens_with_the_pin(
    chromium: "Browser", pages: Running, guid: str, complaints: list[str]
) -> None:
    pages.do(PutSettings(guid, (("A", SHORT),)))
    page = opened(chromium, pages, guid, complaints)
    at(page, "RoundScreen")
    boards = pages.session(guid).movement.tables["A", 1].rounds[2].boards
    go_on(page, "ContractScreen")
    score(page, "4S", "N", "=")
    at(page, "ContractScreen")
    option(page, "Director")
    at(page, "PinScreen")
    for digit in "1234":
        page.keyboard.press(digit)
    page.wait_for_selector("#notice:has-text('Wrong PIN')")
    for digit in "2718":
        page.click(f'[data-key="{digit}"]')
    at(page, "MenuScreen")
    # The permission lasts when the network goes.
    page.context.set_offline(True)
    page.select_option('[data-field="board"]', str(boards[0]))
    page.click('[data-key="Erase"]')
    page.wait_for_selector("#notice:has-text('Done')")
    page.select_option('[data-field="board"]', str(boards[1]))
    page.click('[data-key="Assign60-40"]')
    page.wait_for_selector("#sent:has-text('Not sent yet: 2')")
    page.click('[data-key="Status"]')
    page.wait_for_selector("dd:has-text('2')")
    go_on(page, "MenuScreen")
    page.context.set_offline(False)
    page.wait_for_selector("#sent:has-text('All sent')", timeout=15_000)
    assert outcomes(pages, guid) == {boards[1]: "60-40"}
    page.click('[data-key="back"]')
    at(page, "RoundScreen")


def test_offline_director_entry_waits_for_confirmation_at_the_desk(
    chromium: "Browser", pages: Running, guid: str, complaints: list[str]
) -> None:
    pages.do(PutSettings(guid, (("A", SHORT),)))
    page = opened(chromium, pages, guid, complaints)
    at(page, "RoundScreen")
    board = pages.session(guid).movement.tables["A", 1].rounds[2].boards[0]
    page.context.set_offline(True)
    page.wait_for_selector("#sent:has-text('No network')")
    option(page, "Director")
    for digit in "9999":
        page.click(f'[data-key="{digit}"]')
    at(page, "MenuScreen")
    page.wait_for_selector("#notice:has-text('the director must confirm this entry')")
    page.select_option('[data-field="board"]', str(board))
    page.click('[data-key="Assign60-40"]')
    page.context.set_offline(False)
    page.wait_for_selector("#sent:has-text('All sent')", timeout=15_000)
    assert outcomes(pages, guid) == {}
    desk = watched(chromium.new_context(viewport=PHONE), complaints)  # type: ignore[arg-type]
    desk.goto(f"{pages.address}/desk/{guid}/results")
    waiting = "section[aria-label='Entries to confirm']"
    desk.click(f"{waiting} button:has-text('Confirm')")
    desk.wait_for_selector("#said:has-text('Confirmed.')")
    desk.wait_for_selector(waiting, state="detached")
    assert outcomes(pages, guid) == {board: "60-40"}


def test_a_refused_entry_is_shown(
    chromium: "Browser", pages: Running, guid: str, complaints: list[str]
) -> None:
    pages.do(PutSettings(guid, (("A", SHORT),)))
    page = opened(chromium, pages, guid, complaints)
    go_on(page, "ContractScreen")
    page.context.set_offline(True)
    score(page, "4S", "N", "=")
    at(page, "ContractScreen")
    board = pages.session(guid).movement.tables["A", 1].rounds[2].boards[0]
    pages.do(EnterResult(guid, ResultEntry("A", 1, 3, board, Outcome.parse("Pass"), STARTS)))
    page.context.set_offline(False)
    at(page, "ConflictScreen")
    page.wait_for_selector("h1:has-text('4♠ N = was not accepted; the result on record is Passed out')")
    go_on(page, "ContractScreen")
    assert outcomes(pages, guid) == {board: "Pass"}


def test_numbers_are_entered_with_a_keyboard_alone(
    chromium: "Browser", pages: Running, guid: str, complaints: list[str]
) -> None:
    settings = replace(SHORT, number_entry=NumberEntry.EVERY_ROUND, number_entry_during_play=True)
    pages.do(PutSettings(guid, (("A", settings),)))
    page = opened(chromium, pages, guid, complaints)
    at(page, "RoundScreen")
    page.keyboard.press("Enter")
    for place in range(4):
        page.wait_for_selector(f"h1:has-text('{('North', 'South', 'East', 'West')[place]}')")
        page.keyboard.type(f"77{place}")
        page.wait_for_selector(f"[name=number][value='77{place}']")
        page.keyboard.press("Enter")
    at(page, "PlayersScreen")
    page.keyboard.press("Enter")
    at(page, "ContractScreen")
    page.keyboard.press("3")
    page.keyboard.press("n")
    at(page, "DeclarerScreen")
    page.keyboard.press("x")
    page.keyboard.press("w")
    at(page, "ResultScreen")
    page.keyboard.press("=")
    at(page, "VerifyScreen")
    page.keyboard.press("Enter")  # too early for the opponents
    at(page, "VerifyScreen")
    opponents_look(page)
    page.wait_for_selector('[data-key="ok"]:enabled')
    page.keyboard.press("Enter")
    at(page, "ContractScreen")
    page.wait_for_selector("#sent:has-text('All sent')")
    assert list(outcomes(pages, guid).values()) == ["3NTxW="]
    numbers = {chair.number for chair in pages.session(guid).seating.chairs.values()}
    assert {"770", "771", "772", "773"} <= numbers


def test_a_second_window_takes_over_from_the_first(
    chromium: "Browser", pages: Running, guid: str, complaints: list[str]
) -> None:
    pages.do(PutSettings(guid, (("A", SHORT),)))
    page = opened(chromium, pages, guid, complaints)
    go_on(page, "ContractScreen")
    other = watched(page.context, complaints)
    other.goto(page.url)
    at(other, "ContractScreen")
    page.wait_for_selector("h1:has-text('another window')")
    score(other, "1C", "N", "=")
    at(other, "ContractScreen")
    page.bring_to_front()
    page.click('[data-key="here"]')
    at(page, "ContractScreen")
    other.wait_for_selector("h1:has-text('another window')")
    score(page, "1D", "N", "=")
    at(page, "ContractScreen")
    page.wait_for_selector("#sent:has-text('All sent')")
    assert list(outcomes(pages, guid).values()) == ["1CN=", "1DN="]


def test_a_pairs_own_phone_moves_with_it(
    chromium: "Browser", pages: Running, guid: str, complaints: list[str]
) -> None:
    pages.do(PutSettings(guid, (("A", replace(SHORT, show_next_seating=True)),)))
    session = pages.session(guid)
    place = OwnPhone("A", Side.EW, 3)
    here, there = [each[1] for each in place.rounds(session)[2:4]]
    assert here != there
    page = opened(chromium, pages, guid, complaints, str(place))
    page.wait_for_selector(f"h1:has-text('Table {here}, round 3')")
    go_on(page, "ContractScreen")
    for _ in session.movement.tables[here.section, here.table].rounds[2].boards:
        score(page, "2H", "S", "=")
        page.wait_for_timeout(50)
    at(page, "NextScreen")
    page.wait_for_selector(f"strong:has-text('Table {there}')")
    page.click('[data-key="ok"]')
    # Those before them at that table have not finished.
    page.wait_for_selector(f"header:has-text('A-{place.side.value}-3')")
    page.wait_for_selector("#sent:has-text('All sent')")
    assert (here.section, here.table) not in pages.session(guid).tables.logged_on
    for board in session.movement.tables[there.section, there.table].rounds[2].boards:
        entry = ResultEntry(there.section, there.table, 3, board, Outcome.parse("Pass"), STARTS)
        pages.do(EnterResult(guid, entry))
    page.wait_for_selector(f"h1:has-text('Table {there}, round 4')")


def test_the_first_page_is_small(
    chromium: "Browser", pages: Running, guid: str, complaints: list[str]
) -> None:
    context = chromium.new_context(viewport=PHONE, service_workers="block")  # type: ignore[arg-type]
    page = watched(context, complaints)
    loaded: dict[str, int] = {}
    page.on(
        "requestfinished", lambda request: loaded.update({request.url: request.sizes()["responseBodySize"]})
    )
    code = pages.keys.table_code(guid, "A", 1)
    page.goto(f"{pages.address}/t/{guid}/A1?code={code}")
    at(page, "RoundScreen")
    page.wait_for_timeout(500)
    counted = {url: size for url, size in loaded.items() if "/texts/" not in url or url.endswith("/en.json")}
    assert any(url.endswith("/en.json") for url in counted)
    assert any(url.endswith("/machine.js") for url in counted)
    assert sum(counted.values()) < FIRST_PAGE, counted


def memories() -> dict[str, str]:
    """Return for each screen what a device had kept that shows it, with as much on it as there was in many evenings."""
    found = json.loads(gzip.decompress((Path(__file__).parent / "terminal_memories.json.gz").read_bytes()))
    assert set(found) == set(re.findall(r"(\w+Screen): ", (STATIC / "terminal" / "screens.js").read_text()))
    return {name: json.dumps(kept) for name, kept in found.items()}


ONE_WINDOW = """
window.BroadcastChannel = class {
  addEventListener(kind, listener) { window.stopTerminal = listener; }
  postMessage() { window.stopTerminal?.(); }
};
"""
"""Stops the terminal that a page had before at once, where another window would be told of a new one a moment later."""
SHOW = """
async ([name, text, place]) => {
  localStorage.setItem(name, text);
  document.body.dataset.stage = "";
  await import(`/static/terminal/main.js?shown=${place}`);
}
"""
"""Starts the terminal again on the same page, with another memory, instead of loading a page for every screen."""


@pytest.mark.timeout(240)  # every screen in three sizes, each looked at by axe
def test_every_screen_fits_and_axe_finds_nothing_serious(
    chromium: "Browser", pages: Running, guid: str, axe: Axe, complaints: list[str]
) -> None:
    chance = random.Random(3)
    found = []
    base = f"/t/{guid}/A1"
    every = memories()
    context = chromium.new_context(service_workers="block", bypass_csp=True)
    page = watched(context, complaints)
    page.add_init_script(ONE_WINDOW)
    page.goto(f"{pages.address}{base}?code={pages.keys.table_code(guid, 'A', 1)}")
    page.wait_for_function(
        "(count) => Object.keys(localStorage).filter((name) => name.includes(' texts ')).length === count",
        arg=len(Language),
    )
    page.evaluate("() => { window.fetch = () => Promise.reject(new Error('no network')); }")
    shown = 0
    for viewport, scheme in ((PHONE, "light"), (LANDSCAPE, "dark"), (TABLET, "dark")):
        page.set_viewport_size(viewport)  # type: ignore[arg-type]
        page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
        for name, text in every.items():
            if viewport is not PHONE and name not in SEEN_TWICE:
                continue
            shown += 1
            machine = {**json.loads(text), "language": chance.choice(list(Language)).value}
            page.evaluate(SHOW, [f"overtrick memory {base}", json.dumps(machine), shown])
            at(page, name)
            assert page.locator("html").get_attribute("lang") == machine["language"]
            wide = page.evaluate("document.documentElement.scrollWidth")
            assert wide <= viewport["width"], (name, viewport, machine["language"])
            back = "document.querySelector('#screen .back')?.getBoundingClientRect().bottom ?? 0"
            assert page.evaluate(back) <= viewport["height"], (name, viewport, "Back is out of sight")
            found += [f"{scheme} {name}: {problem}" for problem in axe(page)]
    context.close()
    assert shown == len(every) + 2 * len(SEEN_TWICE)
    assert found == []
