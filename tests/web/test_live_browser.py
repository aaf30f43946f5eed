"""The projector's page in a real browser: rows that are patched, and a scroll that goes on meanwhile."""

import time
from typing import TYPE_CHECKING

from overtrick.event.results import EraseResult, Origin
from tests.waiting import wait_for
from tests.web.running import Running, evening, play
from tests.web.test_browser import watched

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

# What is between two tags is not seen.
PARTS = """() => [...document.querySelectorAll("[data-region]")]
  .map((part) => [part.dataset.region, part.innerHTML.replace(/>\\s+</g, "><")])"""


def open_followed(page: "Page", address: str) -> None:
    """Open a page and wait until its stream is open: one that follows later is sent all of it, and draws it again."""
    with page.expect_response(lambda answer: "event-stream" in answer.headers.get("content-type", "")):
        page.goto(address)


def becomes_as_made_anew(page: "Page", chromium: "Browser", complaints: list[str]) -> bool:
    """Return whether a followed page soon shows the same as a page that is opened now.

    A command that is due (the session has started) may change both after the second was opened: then open it again.
    """
    until = time.monotonic() + 15
    while time.monotonic() < until:
        anew = watched(chromium.new_context(), complaints)
        anew.goto(page.url)
        wanted = anew.evaluate(PARTS)
        anew.context.close()
        again = time.monotonic() + 3
        while time.monotonic() < again:
            if page.evaluate(PARTS) == wanted:
                return True
            page.wait_for_timeout(50)
    return False


def test_patched_rows_equal_a_freshly_rendered_page(chromium: "Browser", pages: Running) -> None:
    guid = evening(pages, 6, 1)
    complaints: list[str] = []
    projector = watched(chromium.new_context(), complaints)
    open_followed(projector, f"{pages.address}/live/{guid}")
    projector.evaluate("() => { window.kept = document.querySelector('.ranking'); }")
    play(pages, guid, 2)
    assert becomes_as_made_anew(projector, chromium, complaints)
    play(pages, guid, 3)
    assert becomes_as_made_anew(projector, chromium, complaints)
    place = next(iter(pages.session(guid).results.standing))
    pages.do(EraseResult(guid, *place, Origin.DESK))
    assert becomes_as_made_anew(projector, chromium, complaints)
    assert projector.evaluate("window.kept.isConnected"), "the table itself stays where it is"
    assert not complaints


def test_ranking_keeps_scrolling_while_rows_change(chromium: "Browser", pages: Running) -> None:
    guid = evening(pages, 12, 1)
    complaints: list[str] = []
    projector = watched(chromium.new_context(viewport={"width": 1280, "height": 420}), complaints)
    projector.clock.install()
    projector.goto(f"{pages.address}/live/{guid}")
    top = "Math.round(document.querySelector('.scroller').scrollTop)"
    projector.clock.run_for(4000)
    assert projector.evaluate(top) == 0
    projector.clock.run_for(9000)
    before = projector.evaluate(top)
    assert before > 20
    mark = projector.get_attribute("body", "data-mark")
    play(pages, guid, 2)
    # The page's own time stands still, the server's does not.
    wait_for(lambda: projector.get_attribute("body", "data-mark") != mark, told=lambda: "no row has changed")
    for _ in range(20):
        projector.clock.run_for(50)
    after = projector.evaluate(top)
    assert before <= after < before + 120, "it has neither jumped nor begun again"
    projector.clock.run_for(90_000)
    seen = {projector.evaluate(top)}
    for _ in range(40):
        projector.clock.run_for(1000)
        seen.add(projector.evaluate(top))
    assert 0 in seen, "after the end it begins again"
    assert not complaints
