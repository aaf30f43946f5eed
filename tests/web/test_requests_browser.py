"""Pages whose requests fail: what is not known is said so, and nothing stays as it was for ever."""

from typing import TYPE_CHECKING

from overtrick.event.results import EraseResult, Origin
from tests.web.running import Running, disturb
from tests.web.team_director import TeamDirector
from tests.web.test_browser import PHONE, SCREEN, watched

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Route

UNKNOWN = "text=The server did not confirm this"


def lose_the_answer(route: "Route") -> None:
    """Let the server do it, and lose what it says."""
    route.fetch()
    route.abort("connectionreset")


def test_form_with_a_lost_answer_is_reported_as_unknown_and_counts_once(
    chromium: "Browser", pages: Running, guid: str
) -> None:
    complaints: list[str] = []
    desk = watched(chromium.new_context(viewport=SCREEN), complaints)  # type: ignore[arg-type]
    desk.goto(f"{pages.address}/desk/{guid}/players")
    desk.fill("[name=last-A-1-0-N]", "Lost")
    desk.route("**/act/players", lose_the_answer, times=1)
    save = desk.locator("text=Save names")
    save.click()
    desk.wait_for_selector(UNKNOWN)
    head = pages.journal.head(f"session/{guid}/1")
    assert "Lost" in {chair.last_name for chair in pages.session(guid).seating.chairs.values()}
    save.click()
    desk.wait_for_selector("text=This was already saved")
    assert pages.journal.head(f"session/{guid}/1") == head
    # Once it was answered, the form shows what is saved, and has nothing new.
    save.click()
    desk.wait_for_selector("text=No change.")
    assert complaints == []


def test_foreign_answer_to_a_form_is_reported_as_unknown(
    chromium: "Browser", pages: Running, guid: str
) -> None:
    complaints: list[str] = []
    desk = watched(chromium.new_context(viewport=SCREEN), complaints)  # type: ignore[arg-type]
    desk.goto(f"{pages.address}/desk/{guid}/players")
    desk.route(
        "**/act/players", lambda route: route.fulfill(status=502, body="<h1>Bad gateway</h1>"), times=1
    )
    save = desk.locator("text=Save names")
    save.click()
    desk.wait_for_selector(UNKNOWN)
    save.click()
    desk.wait_for_selector("text=No change.")
    assert complaints == []


def test_saved_name_is_reported_as_saved_when_the_page_cannot_be_reloaded(
    chromium: "Browser", pages: Running, league: TeamDirector
) -> None:
    complaints: list[str] = []
    desk = watched(chromium.new_context(viewport=SCREEN), complaints)  # type: ignore[arg-type]
    address = f"{pages.address}/desk/teams/{league.event}"
    desk.goto(address)
    form = desk.locator("form[action$='/act/event']")
    form.locator("[name=name]").fill("Cup")
    desk.route(address, lambda route: route.abort(), times=1)
    form.locator("button").click()
    desk.wait_for_selector("text=Saved, but this page could not be updated")
    assert "Cup" in league.look()
    assert complaints == []


def test_form_that_cannot_be_fetched_shows_an_error_and_keeps_the_page(
    chromium: "Browser", pages: Running, guid: str
) -> None:
    complaints: list[str] = []
    desk = watched(chromium.new_context(viewport=SCREEN), complaints)  # type: ignore[arg-type]
    desk.goto(f"{pages.address}/desk/{guid}/results")
    desk.route("**/result?*", lambda route: route.abort(), times=1)
    desk.click("td >> text=Change >> nth=0")
    desk.wait_for_selector("#said:has-text('The server does not answer.')")
    assert desk.locator("dialog[open]").count() == 0
    desk.click("td >> text=Change >> nth=0")
    desk.wait_for_selector("dialog[open] >> text=Save")
    assert complaints == []


def test_a_stream_that_the_server_refuses_is_opened_again(
    chromium: "Browser", pages: Running, guid: str
) -> None:
    complaints: list[str] = []
    desk = watched(chromium.new_context(viewport=PHONE), complaints)  # type: ignore[arg-type]
    desk.route("**/results/stream?*", lambda route: route.fulfill(status=503, body="too much"), times=2)
    desk.goto(f"{pages.address}/desk/{guid}/results?show=suspicious")
    desk.wait_for_selector("body.silent")
    disturb(pages, guid)
    desk.wait_for_selector("text=1 suspicious")
    desk.wait_for_selector("body:not(.silent)")
    assert complaints == []


def test_results_page_that_failed_to_reload_is_reloaded_later(
    chromium: "Browser", pages: Running, guid: str
) -> None:
    complaints: list[str] = []
    page = watched(chromium.new_context(viewport=PHONE), complaints)  # type: ignore[arg-type]
    address = f"{pages.address}/results/{guid}/"
    page.goto(address)
    before = page.inner_html("main")
    with page.expect_response(lambda response: response.status == 503):
        page.route(address, lambda route: route.fulfill(status=503, body="too much"))
        place = next(iter(pages.session(guid).results.standing))
        pages.do(EraseResult(guid, *place, Origin.DESK))
    page.unroute(address)
    page.wait_for_function("before => document.querySelector('main').innerHTML !== before", arg=before)
    assert complaints == []


def test_terminal_repeats_its_first_request_after_a_failure(
    chromium: "Browser", pages: Running, guid: str
) -> None:
    complaints: list[str] = []
    phone = watched(chromium.new_context(viewport=PHONE), complaints)  # type: ignore[arg-type]
    phone.route("**/table.json?*", lambda route: route.fulfill(status=503, body="too much"), times=1)
    phone.goto(f"{pages.address}/t/{guid}/A1?code={pages.keys.table_code(guid, 'A', 1)}")
    phone.wait_for_selector("body[data-stage=RoundScreen]")
    assert complaints == []
