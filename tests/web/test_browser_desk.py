"""A real browser at the desk: what a director does, and sees happen without a reload."""

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from overtrick.bridge import Outcome
from overtrick.event.clock import SetTiming, StartClock
from overtrick.event.movement import boards_to_play
from overtrick.event.results import EnterResult, ResultEntry
from overtrick.registry import Members, RegistrySide, open_registry_of
from tests.web.conftest import Axe
from tests.web.running import STARTS, Running, disturb, evening
from tests.web.test_browser import PHONE, SCREEN, watched

if TYPE_CHECKING:
    from playwright.sync_api import Browser


def test_the_round_clock_counts_down_warns_and_names_who_is_late(
    chromium: "Browser", pages: Running, guid: str
) -> None:
    complaints: list[str] = []
    desk = watched(chromium.new_context(viewport=PHONE), complaints)  # type: ignore[arg-type]
    projector = watched(chromium.new_context(viewport=SCREEN), complaints)  # type: ignore[arg-type]
    desk.goto(f"{pages.address}/desk/{guid}/clock")
    projector.goto(f"{pages.address}/live/{guid}")
    desk.select_option("[name=round]", "3")
    desk.click("text=Start clock")
    desk.wait_for_selector(".clock-face:has-text('Round 3 of')")
    projector.wait_for_selector("[role=timer]:has-text('Round 3 of')")
    first = projector.text_content("[role=timer] .left")
    projector.wait_for_function(
        "first => document.querySelector('[role=timer] .left').textContent !== first", arg=first
    )
    desk.click("text=Pause")
    desk.wait_for_selector("text=clock paused")
    desk.click("text=Resume")
    desk.wait_for_selector("text=Pause")

    # The warning and the end are each heard if the page has shown the clock before: both are some seconds away.
    seconds = 60 * len(pages.session(guid).movement.tables["A", 1].rounds[0].boards)

    def start_clock(left: int) -> None:
        pages.do(StartClock(guid, datetime.now(UTC) - timedelta(seconds=seconds - left), 3))

    pages.do(SetTiming(guid, 60, 120, (40,)))
    start_clock(left=44)
    desk.wait_for_selector(".clock-face[data-phase=warning]")
    desk.wait_for_selector("body[data-rang='2']")
    start_clock(left=4)
    desk.wait_for_selector("text=Move for round 4")
    desk.wait_for_selector("body[data-rang='4']")
    desk.wait_for_selector("text=Late: A1, A2, A3, A4")
    projector.wait_for_selector("text=Move for round 4")
    desk.goto(f"{pages.address}/desk/{guid}/rounds")
    desk.wait_for_selector("li.late[data-at=A3]")
    assert complaints == []


def test_an_evening_is_set_up_without_a_reload(chromium: "Browser", pages: Running) -> None:
    complaints: list[str] = []
    desk = watched(chromium.new_context(viewport=SCREEN), complaints)  # type: ignore[arg-type]
    desk.goto(f"{pages.address}/desk")
    assert desk.query_selector("text=Log out") is None
    desk.click("text=Set up a session")
    desk.fill("[name=name]", "Two sections")
    desk.fill("[name=sections]", "2")
    desk.press("[name=sections]", "Tab")
    desk.wait_for_selector("text=Pairs in B")
    desk.fill("[name=count-2]", "9")
    desk.press("[name=count-2]", "Tab")
    desk.wait_for_selector("text=Movement of section B")
    # What the movement means can be seen before it is chosen.
    desk.click("text=show movement >> nth=0")
    desk.wait_for_selector("dialog h1:has-text('tables')")
    desk.click("dialog >> text=Close")
    assert desk.input_value("[name=name]") == "Two sections"
    desk.select_option("[name=together]", "0")
    desk.click("text=Create session")
    desk.wait_for_url("**/players")
    guid = desk.url.split("/")[4]
    session = pages.session(guid)
    assert session.opened.name == "Two sections"
    assert [len(session.movement.section(each)) for each in "AB"] == [7, 5]
    assert len(session.setup.groups) == 2

    # Another game: its own numbers and its own scoring.
    desk.goto(f"{pages.address}/desk/new")
    desk.select_option("[name=game]", "teams")
    desk.wait_for_selector("text=Round robin of 4 teams")
    assert "Victory points" in (desk.text_content("[name=method]") or "")
    desk.fill("[name=count-1]", "1")
    desk.press("[name=count-1]", "Tab")
    desk.wait_for_selector("text=Enter 2 to 60 teams")
    assert desk.is_disabled("text=Create session")
    assert complaints == []


def test_no_setting_runs_into_the_next_column(chromium: "Browser", pages: Running, guid: str) -> None:
    desk = chromium.new_page(viewport={"width": 1366, "height": 900})
    desk.goto(f"{pages.address}/desk/{guid}/settings")
    too_wide = """() => [...document.querySelectorAll('.setting')].filter((each) => {
        const right = each.getBoundingClientRect().right;
        return [...each.querySelectorAll('*')].some((one) => one.getBoundingClientRect().right > right + 1);
    }).map((each) => each.textContent.trim().split('\\n')[0])"""
    for section in desk.query_selector_all("details:not([open])"):
        section.evaluate("each => { each.open = true }")
    assert desk.evaluate(too_wide) == []


def test_a_late_pair_takes_two_clicks_while_play_goes_on(
    chromium: "Browser", pages: Running, guid: str
) -> None:
    complaints: list[str] = []
    desk = watched(chromium.new_context(viewport=PHONE), complaints)  # type: ignore[arg-type]
    desk.goto(f"{pages.address}/desk/{guid}/movement")
    before = len(pages.session(guid).results.standing)
    desk.click("text=Add a late pair")
    desk.wait_for_selector("dialog >> text=No results will be erased")
    # Meanwhile a table enters a result that would be erased: nothing happens that was not seen.
    place = next(each for each in sorted(boards_to_play(pages.session(guid))) if each[2] == 3)
    pages.do(EnterResult(guid, ResultEntry(*place, outcome=Outcome.parse("Pass"), at=STARTS)))
    desk.click("dialog >> button:has-text('Change movement')")
    desk.wait_for_selector("text=Check the preview again")
    assert len(pages.session(guid).results.standing) == before + 1
    desk.click("dialog >> text=Cancel")
    desk.click("text=Add a late pair")
    desk.wait_for_selector("dialog >> text=starting in round 4; earlier results are kept")
    desk.click("dialog >> button:has-text('Change movement')")
    desk.wait_for_selector("h2:has-text('9 pairs')")
    assert len(pages.session(guid).results.standing) == before + 1
    assert complaints == []


def test_a_suspicious_result_is_seen_and_confirmed(chromium: "Browser", pages: Running) -> None:
    guid = evening(pages, has_deals=False)  # without deals nothing looks wrong
    complaints: list[str] = []
    desk = watched(chromium.new_context(viewport=PHONE), complaints)  # type: ignore[arg-type]
    desk.goto(f"{pages.address}/desk/{guid}/results?show=suspicious")
    desk.wait_for_selector("text=0 boards")
    disturb(pages, guid)
    desk.wait_for_selector("text=1 suspicious")
    desk.click("text=Confirm result")
    desk.wait_for_selector("text=Confirmed.")
    desk.wait_for_selector("text=0 boards")
    assert complaints == []


def test_settings_of_both_generations_are_saved(chromium: "Browser", pages: Running, guid: str) -> None:
    complaints: list[str] = []
    desk = watched(chromium.new_context(viewport=PHONE), complaints)  # type: ignore[arg-type]
    desk.goto(f"{pages.address}/desk/{guid}/settings")
    desk.select_option("[name=language]", "nl")
    desk.click("text=Save section A >> nth=0")
    desk.wait_for_selector("text=Settings saved.")
    desk.click("summary:has-text('Bridgemate II')")
    desk.check("[name=ask_lead]")
    desk.click("text=Save section A >> nth=1")
    desk.wait_for_selector("text=saved, not in use")
    session = pages.session(guid)
    assert session.settings.third["A"].language.value == "nl"
    assert session.settings.second["A"].ask_lead
    # The part is placed anew after saving, and what was opened stays open.
    assert desk.is_visible("[name=ask_lead]")
    assert complaints == []


@pytest.mark.timeout(240)  # axe looks at page after page
def test_axe_finds_nothing_serious_in_set_up_clock_and_result_pages(
    chromium: "Browser", pages: Running, guid: str, axe: Axe
) -> None:
    disturb(pages, guid)
    pages.do(StartClock(guid, datetime.now(UTC), 3))
    paths = [
        "/join?code=WRONG234",
        "/desk/new?sections=2&count-2=9",
        "/desk/new?game=individual&count-1=14",
        "/desk/new?count-1=28&copies=2",
        "/desk/movements?game=pairs&count=8&boards=21&choice=0",
        "/desk/new/sheet?game=teams&count=4&boards=24&choice=0",
        f"/desk/new?event={guid}",
        f"/desk/{guid}/clock",
        f"/live/{guid}",
        f"/desk/{guid}/results?show=suspicious",
        f"/desk/{guid}/movement/preview?section=A&pairs=8&boards=24&missing=2",
        "/nowhere",
    ]
    found = []
    for scheme in ("light", "dark"):
        context = chromium.new_context(viewport=PHONE, color_scheme=scheme, bypass_csp=True)  # type: ignore[arg-type]
        page = context.new_page()
        for path in paths:
            page.goto(pages.address + path)
            found += [f"{scheme} {path}: {problem}" for problem in axe(page)]
        context.close()
    pages.keys.set_password("seven no trump")
    context = chromium.new_context(viewport=PHONE, bypass_csp=True)  # type: ignore[arg-type]
    page = context.new_page()
    page.goto(f"{pages.address}/desk")
    found += [f"login: {problem}" for problem in axe(page)]
    assert found == []


def test_desk_pages_fit_a_phone(chromium: "Browser", pages: Running, guid: str) -> None:
    pages.do(StartClock(guid, datetime.now(UTC), 3))
    page = chromium.new_page(viewport=PHONE)  # type: ignore[arg-type]
    tabs = ("clock", "hands", "cards", "players", "log", "calls")
    for path in ("/join", "/desk", "/desk/new?sections=3", *(f"/desk/{guid}/{tab}" for tab in tabs)):
        page.goto(pages.address + path)
        assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"], path


def test_names_are_suggested_filled_in_and_saved_without_losing_the_focus(
    chromium: "Browser", pages: Running, guid: str
) -> None:
    with open_registry_of(pages.journal.documents, create=RegistrySide.MAGIC) as registry:
        Members(registry).add("77", "Ann", "Bergström")
        Members(registry).add("78", "Bo", "Ek")
    complaints: list[str] = []
    desk = watched(chromium.new_context(viewport=PHONE), complaints)  # type: ignore[arg-type]
    desk.goto(f"{pages.address}/desk/{guid}/players")
    assert desk.locator(".tab-groups a").all_text_contents() == ["Scores", "Players", "Director", "Set-up"]
    assert desk.locator(".tabs a:visible").all_text_contents() == ["Player names", "Table cards"]

    def values(seat: str) -> list[str]:
        return [desk.input_value(f"[name={part}-A-1-0-{seat}]") for part in ("first", "last", "number")]

    # A suggestion fills in the whole seat.
    desk.fill("[name=last-A-1-0-N]", "bergs")
    option = "#known-players option"
    desk.wait_for_selector(option, state="attached")
    desk.fill("[name=last-A-1-0-N]", desk.locator(option).get_attribute("value") or "")
    assert values("N") == ["Ann", "Bergström", "77"]
    # A whole number fills in the name, and what the server has looked up is shown after Save.
    desk.fill("[name=number-A-1-0-S]", "78")
    desk.press("[name=number-A-1-0-S]", "Tab")
    desk.wait_for_function("() => document.querySelector('[name=last-A-1-0-S]').value === 'Ek'")
    for part in ("first", "last", "number"):
        desk.fill(f"[name={part}-A-1-0-S]", "")
    desk.fill("[name=first-A-1-0-S]", "Bo")
    desk.fill("[name=last-A-1-0-S]", "Ek")
    desk.focus("text=Save names")
    desk.keyboard.press("Enter")
    desk.wait_for_selector("text=2 seats saved.")
    desk.wait_for_function("() => document.querySelector('[name=number-A-1-0-S]').value === '78'")
    assert desk.evaluate("document.activeElement.textContent") == "Save names"
    assert values("N") == ["Ann", "Bergström", "77"]
    desk.fill("[data-search]", "bergst")
    assert desk.locator("[data-find]:visible h2").all_text_contents() == ["Table A1"]
    assert complaints == []
