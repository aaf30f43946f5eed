"""The set-up page in a browser whose script, network or server is late, disordered or broken."""

from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

from tests.web.running import Running
from tests.web.test_browser import SCREEN, watched

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page, Route

HOWELL = "text=Howell of 2 tables"
START = ".start button"
LOOKUP = "**/desk/new?*"
OLD = "text=Mitchell of 7 tables >> nth=0"


@pytest.fixture
def desk(chromium: "Browser", pages: Running) -> "Page":
    """A browser, in which the set-up page is not open yet."""
    return watched(chromium.new_context(viewport=SCREEN), [])  # type: ignore[arg-type]


def go(desk: "Page", pages: Running) -> None:
    desk.goto(f"{pages.address}/desk/new")
    desk.wait_for_selector("[data-noscript]", state="detached")
    assert desk.is_visible(OLD)


def is_locked(desk: "Page") -> bool:
    """True if no movement can be chosen and no evening be started."""
    is_inert = desk.evaluate("document.getElementById('offers').inert")
    return bool(is_inert) and desk.is_disabled(START)


def offered(desk: "Page") -> str:
    return desk.input_value("[name=offered]")


def wait_for_offers(desk: "Page", numbers: str) -> None:
    desk.wait_for_selector(f"[name=offered][value='{numbers}']", state="attached")


def started(desk: "Page", pages: Running) -> int:
    """Start the evening; return how many tables it has."""
    desk.click(START)
    desk.wait_for_url("**/players")
    return len(pages.session(desk.url.split("/")[4]).movement.tables)


def test_numbers_are_looked_up_while_their_field_has_the_focus(desk: "Page", pages: Running) -> None:
    go(desk, pages)
    desk.fill("[name=boards]", "6")
    desk.fill("[name=count-1]", "4")
    desk.wait_for_selector(HOWELL)
    assert desk.evaluate("document.activeElement.name") == "count-1"
    # The field in which someone types is never replaced, and half a number has its sentence.
    desk.press("[name=count-1]", "End")
    desk.keyboard.type("9")
    wait_for_offers(desk, "pairs-0-6-49")
    desk.keyboard.type("9")
    desk.wait_for_selector("text=Enter 4 to 60 pairs")
    assert desk.is_disabled(START)
    desk.keyboard.press("Backspace")
    desk.keyboard.press("Backspace")
    desk.wait_for_selector(HOWELL)
    assert desk.input_value("[name=count-1]") == "4"
    assert started(desk, pages) == 2


def test_a_late_script_looks_up_what_was_typed_before_it(desk: "Page", pages: Running) -> None:
    held: list[Route] = []
    desk.route("**/static/offers.js", lambda route: held.append(route))
    desk.goto(f"{pages.address}/desk/new", wait_until="commit")
    desk.fill("[name=count-1]", "4")
    desk.fill("[name=boards]", "6")
    desk.wait_for_selector(OLD)
    held[0].continue_()
    desk.wait_for_selector(HOWELL)
    assert started(desk, pages) == 2


def test_without_the_script_the_server_shows_the_movements_before_it_starts(
    desk: "Page", pages: Running
) -> None:
    desk.route("**/static/offers.js", lambda route: route.abort())
    desk.goto(f"{pages.address}/desk/new")
    desk.fill("[name=count-1]", "4")
    desk.fill("[name=boards]", "6")
    desk.fill("[name=name]", "Late script")
    desk.click(START)
    desk.wait_for_selector(HOWELL)
    desk.wait_for_selector("text=These movements fit your numbers")
    assert desk.input_value("[name=name]") == "Late script"
    assert started(desk, pages) == 2


def test_numbers_that_the_browser_kept_are_looked_up(desk: "Page", pages: Running) -> None:
    go(desk, pages)
    desk.fill("[name=boards]", "6")
    desk.fill("[name=count-1]", "4")
    desk.wait_for_selector(HOWELL)
    desk.goto(f"{pages.address}/desk")
    desk.go_back()
    desk.wait_for_selector("[data-noscript]", state="detached")
    count = desk.input_value("[name=count-1]")
    desk.wait_for_selector(f"[name=offered][value$='-{count}']", state="attached")


def test_answer_to_an_outdated_movement_request_is_ignored(desk: "Page", pages: Running) -> None:
    go(desk, pages)
    held: list[Route] = []

    def hold_first(route: "Route") -> None:
        if "count-1=12" in route.request.url:
            held.append(route)
        else:
            route.continue_()

    desk.route(LOOKUP, hold_first)
    desk.fill("[name=boards]", "6")
    with desk.expect_request(lambda request: "count-1=12" in request.url):
        desk.fill("[name=count-1]", "12")
    desk.fill("[name=count-1]", "4")
    desk.wait_for_selector(HOWELL)
    held[0].continue_()
    desk.fill("[name=name]", "Late answer")  # some more turns of the page's loop
    assert offered(desk) == "pairs-0-6-4"
    assert not is_locked(desk)
    assert started(desk, pages) == 2


def fail_with_500(route: "Route") -> None:
    route.fulfill(
        status=500, content_type="text/html", body="<main><p class=problem>Something broke.</p></main>"
    )


def fail_with_text(route: "Route") -> None:
    route.fulfill(status=503, content_type="text/plain", body="too much")


def lose_connection(route: "Route") -> None:
    route.abort("connectionreset")


def redirect_to_login(route: "Route") -> None:
    route.fulfill(status=200, content_type="text/html", body="<main><form>The password</form></main>")


@pytest.mark.parametrize(
    ("fail", "sentence"),
    [
        (fail_with_500, "Something broke. Trying again"),
        (fail_with_text, "The server cannot answer now. Trying again"),
        (lose_connection, "The server does not answer. Trying again"),
        (redirect_to_login, "You are not logged in any more"),
    ],
)
def test_failed_movement_request_is_repeated_and_old_choices_are_disabled(
    desk: "Page", pages: Running, fail: "Callable[[Route], None]", sentence: str
) -> None:
    go(desk, pages)
    is_broken = True
    failed: list[str] = []

    def answer(route: "Route") -> None:
        if not is_broken:
            route.continue_()
            return
        failed.append(route.request.url)
        fail(route)

    desk.route(LOOKUP, answer)
    desk.fill("[name=boards]", "6")
    desk.fill("[name=count-1]", "4")
    desk.wait_for_selector(f"#looking:has-text('{sentence}')")
    assert is_locked(desk)
    desk.wait_for_event("requestfinished" if fail is not lose_connection else "requestfailed")  # again
    assert is_locked(desk)
    is_broken = False
    desk.wait_for_selector(HOWELL)
    assert len(failed) >= 2
    assert desk.is_hidden("#looking")
    assert not is_locked(desk)
    assert started(desk, pages) == 2


def test_a_very_slow_server_never_leaves_old_movements_to_choose(desk: "Page", pages: Running) -> None:
    go(desk, pages)
    held: list[Route] = []
    desk.route(LOOKUP, lambda route: held.append(route))
    with desk.expect_request(lambda request: "count-1=8" in request.url):
        desk.fill("[name=count-1]", "8")
    assert is_locked(desk)
    assert desk.is_visible("#looking:has-text('Looking for movements')")
    with desk.expect_request(lambda request: "count-1=4&boards=6" in request.url):
        desk.fill("[name=boards]", "6")
        desk.fill("[name=count-1]", "4")
    assert is_locked(desk)
    for route in held:
        route.continue_()
    desk.wait_for_selector(HOWELL)
    assert offered(desk) == "pairs-0-6-4"
    # Numbers that are back to those of the offers need no answer.
    held.clear()
    desk.fill("[name=count-1]", "6")
    assert is_locked(desk)
    desk.fill("[name=count-1]", "4")
    assert not is_locked(desk)
    assert started(desk, pages) == 2


def test_changed_game_and_sections_are_used_while_the_server_is_slow(desk: "Page", pages: Running) -> None:
    go(desk, pages)
    held: list[Route] = []
    desk.route(LOOKUP, lambda route: route.continue_() if held else held.append(route))
    desk.select_option("[name=method]", "butler")
    with desk.expect_request(lambda request: "sections=2" in request.url):
        desk.fill("[name=sections]", "2")
    desk.fill("[name=boards]", "18")
    held[0].continue_()
    desk.wait_for_selector("text=Pairs in B")
    wait_for_offers(desk, "pairs-0-18-14-14")
    assert desk.input_value("[name=method]") == "butler"
    desk.select_option("[name=game]", "individual")
    desk.wait_for_selector("text=Players in B")
    wait_for_offers(desk, "individual-0-18-12-12")
    assert started(desk, pages) == 6


def test_enter_in_a_number_looks_up_and_starts_nothing(desk: "Page", pages: Running) -> None:
    go(desk, pages)
    desk.fill("[name=boards]", "6")
    desk.fill("[name=count-1]", "4")
    desk.press("[name=count-1]", "Enter")
    desk.wait_for_selector(HOWELL)
    desk.press("[name=count-1]", "Enter")
    desk.fill("[name=name]", "Enter starts here")
    assert desk.url.endswith("/desk/new")
    desk.press("[name=name]", "Enter")
    desk.wait_for_url("**/players")


def test_start_right_after_typing_starts_what_was_typed(desk: "Page", pages: Running) -> None:
    go(desk, pages)
    desk.fill("[name=count-1]", "4")
    desk.fill("[name=boards]", "6")
    assert started(desk, pages) == 2
