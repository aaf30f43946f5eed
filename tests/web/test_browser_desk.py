"""A real browser at the desk: what a director does, and sees happen without a reload."""

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from overtrick.event.clock import SetTiming, StartClock
from tests.web.running import Running
from tests.web.test_browser import PHONE, SCREEN, axe, chromium, watched

if TYPE_CHECKING:
    from playwright.sync_api import Browser

__all__ = ["axe", "chromium"]


def test_the_round_clock_counts_down_warns_and_names_who_is_late(
    chromium: "Browser", pages: Running, guid: str
) -> None:
    complaints: list[str] = []
    desk = watched(chromium.new_context(viewport=PHONE), complaints)  # type: ignore[arg-type]
    projector = watched(chromium.new_context(viewport=SCREEN), complaints)  # type: ignore[arg-type]
    desk.goto(f"{pages.address}/desk/{guid}/clock")
    projector.goto(f"{pages.address}/live/{guid}")
    desk.select_option("[name=round]", "3")
    desk.click("text=Start the clock")
    desk.wait_for_selector(".clock-face:has-text('Round 3 of')")
    projector.wait_for_selector("[role=timer]:has-text('Round 3 of')")
    first = projector.text_content("[role=timer] .left")
    projector.wait_for_function(
        "first => document.querySelector('[role=timer] .left').textContent !== first", arg=first
    )
    desk.click("text=Pause")
    desk.wait_for_selector("text=the clock stands still")
    desk.click("text=Go on")
    desk.wait_for_selector("text=Pause")

    # A warning is due in a second, and the end a second later; both are heard.
    boards = len(pages.session(guid).movement.tables["A", 1].rounds[0].boards)
    pages.do(SetTiming(guid, 60, 120, (1,)))
    pages.do(StartClock(guid, datetime.now(UTC) - timedelta(seconds=60 * boards - 2), 3))
    desk.wait_for_selector(".clock-face[data-phase=warning]")
    desk.wait_for_selector("body[data-rang='2']")
    desk.wait_for_selector("text=Move for round 4")
    desk.wait_for_selector("body[data-rang='4']")
    desk.wait_for_selector("text=Late: A1, A2, A3, A4")
    projector.wait_for_selector("text=Move for round 4")
    assert complaints == []
