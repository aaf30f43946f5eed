"""The life of a session at the desk: stages, name, date, scoring, archive and bin."""

import httpx

from overtrick.control.entries import write_entry
from overtrick.event.filing import FileSession, Filing, Stage
from overtrick.event.setup import SetStatus, Status
from overtrick.event.tables import LogOn
from overtrick.host.simulator import open_evening, plan_evening
from overtrick.scoring import Method
from overtrick.web.desk import LISTS
from tests.web.running import STARTS, Running, collapse, evening, form_of
from tests.web.test_director_pin import now


def act(
    browser: httpx.Client, guid: str, name: str, expected: int = 303, /, **changes: str
) -> httpx.Response:
    """Send a form of the edit page, without JavaScript."""
    action = f"/desk/{guid}/act/{name}"
    form = form_of(browser.get(f"/desk/{guid}/edit").text, action)
    answer = browser.post(action, data={**form, **changes})
    assert answer.status_code == expected, answer.text
    return answer


def delete(browser: httpx.Client, guid: str) -> None:
    assert act(browser, guid, "filing", filing="in the bin", back="/desk?show=bin").headers["location"] == (
        "/desk?show=bin"
    )


def test_name_and_date_are_changed(browser: httpx.Client, pages: Running, guid: str) -> None:
    act(browser, guid, "session", name="Spring pairs", day="2026-03-20")
    opened = pages.session(guid).opened
    assert (opened.name, opened.day.isoformat()) == ("Spring pairs", "2026-03-20")
    assert "20 March 2026" in browser.get("/desk").text
    for day in ("tomorrow", "0001-01-01"):
        act(browser, guid, "session", 400, name="Never", day=day)
    assert pages.session(guid).opened.name == "Spring pairs"


def test_scoring_method_is_changed_and_every_result_scored_again(
    browser: httpx.Client, pages: Running, guid: str
) -> None:
    before = browser.get(f"/api/sessions/{guid}/ranking").json()
    act(browser, guid, "scoring", method="butler")
    assert pages.session(guid).setup.groups[1].method is Method.BUTLER
    after = browser.get(f"/api/sessions/{guid}/ranking").json()
    assert (before[0]["unit"], after[0]["unit"]) == ("%", "IMP")
    for bad in ({"method": "team-imps"}, {"method": "guess"}, {"group": "9"}):
        act(browser, guid, "scoring", 400, **bad)


def test_search_stays_in_the_list_of_the_desk(browser: httpx.Client, guid: str) -> None:
    delete(browser, guid)
    page = browser.get("/desk?show=bin").text
    assert '<input type="hidden" name="show" value="bin">' in page


def test_session_passes_through_the_lists_of_the_desk(
    browser: httpx.Client, pages: Running, guid: str
) -> None:
    link = f'href="/desk/{guid}/results"'

    def lists() -> set[str]:
        return {
            show
            for show in ("", "planned", "running", "finished", "archived", "bin")
            if link in browser.get("/desk", params={"show": show}).text
        }

    assert lists() == {"", "running"}
    pages.do(SetStatus(guid, Status.FINISHED))
    assert lists() == {"", "finished"}
    act(browser, guid, "filing", filing="archived")
    assert lists() == {"archived"}
    assert guid in browser.get("/results").text
    act(browser, guid, "filing", filing="listed")
    assert lists() == {"", "finished"}
    act(browser, guid, "filing", 400, filing="shredded")


def test_planned_session_is_not_in_public_lists(browser: httpx.Client, pages: Running) -> None:
    guid = evening(pages, rounds=0)
    assert guid not in browser.get("/results").text
    assert guid not in browser.get("/").text
    assert browser.get("/api/sessions").json() == []
    assert f"/desk/{guid}/results" in browser.get("/desk?show=planned").text
    assert browser.get("/live").headers["location"] == f"/live/{guid}"


def test_deleted_session_is_hidden_until_it_is_restored(
    browser: httpx.Client, pages: Running, guid: str
) -> None:
    code = pages.keys.table_code(guid, "A", 1)
    paths = (
        f"/results/{guid}/",
        f"/live/{guid}",
        f"/live/{guid}/stream",
        f"/t/{guid}/A1",
        f"/t/{guid}/A1/table.json?code={code}",
        f"/api/sessions/{guid}",
        f"/api/sessions/{guid}/ranking",
        f"/desk/{guid}/results",
        f"/desk/{guid}/edit",
    )
    delete(browser, guid)
    for path in paths:
        answer = browser.get(path)
        assert answer.status_code == 410, path
        assert "has moved this session to the bin" in collapse(answer.text).replace("&#39;", "'")
    for path in ("/", "/results", "/desk", "/api/sessions"):
        assert guid not in browser.get(path).text
    assert browser.get("/live").status_code == 200  # no session to lead to
    assert browser.get("/join", params={"code": code}).status_code == 404
    bin_page = browser.get("/desk?show=bin").text
    form = form_of(bin_page, f"/desk/{guid}/act/filing")
    assert browser.post(f"/desk/{guid}/act/filing", data=form).status_code == 303
    assert browser.get(f"/results/{guid}/").status_code == 200
    assert guid in browser.get("/results").text
    assert pages.session(guid).results.standing


def test_entry_for_a_deleted_session_is_kept_for_later(
    browser: httpx.Client, pages: Running, guid: str
) -> None:
    """The phone keeps an entry after status 410, and sends it again when the session is restored."""
    headers = {"x-table-code": pages.keys.table_code(guid, "A", 1)}
    entry = write_entry("entry-0001", 1, LogOn(guid, "A", 1, "phone", now()))

    def send() -> httpx.Response:
        body = {"sent": now().isoformat(), "entries": [entry]}
        return browser.post(f"/t/{guid}/A1/entries", json=body, headers=headers)

    pages.do(FileSession(guid, Filing.BINNED))
    assert send().status_code == 410
    pages.do(FileSession(guid, Filing.LISTED))
    assert send().status_code == 200


def test_stream_of_a_page_ends_when_its_session_is_deleted(
    browser: httpx.Client, pages: Running, guid: str
) -> None:
    with browser.stream("GET", f"/live/{guid}/stream", timeout=30) as stream:
        lines = stream.iter_lines()
        assert next(lines)
        pages.do(FileSession(guid, Filing.BINNED))
        for _ in lines:
            pass  # the server ends it
    assert browser.get(f"/live/{guid}/stream").status_code == 410


def test_session_of_a_scoring_program_is_renamed_with_a_warning_and_not_deleted(
    browser: httpx.Client, pages: Running
) -> None:
    planned = plan_evening(4, 1, STARTS, 24)
    pages.do(open_evening(planned), side="scoring", actor="scoring program")
    guid = planned.session
    page = collapse(browser.get(f"/desk/{guid}/edit").text)
    assert "stays until that program sends its own name" in page
    assert "Delete session" not in page
    act(browser, guid, "session", name="Ours")
    assert pages.session(guid).opened.name == "Ours"
    form = form_of(page, f"/desk/{guid}/act/session")
    answer = browser.post(f"/desk/{guid}/act/filing", data={**form, "filing": "in the bin"})
    assert answer.status_code == 409
    assert "A scoring program runs this session" in answer.text
    pages.do(SetStatus(guid, Status.FINISHED))
    delete(browser, guid)


def test_deleted_session_is_left_out_of_series(browser: httpx.Client, pages: Running, guid: str) -> None:
    other = evening(pages, seed=2)
    page = browser.get("/desk/series").text
    form = form_of(page, "/desk/series/save") | {"name": "Winter", f"in-{guid}": "1", f"in-{other}": "1"}
    address = browser.post("/desk/series/save", data=form).headers["location"]
    both = browser.get(address).text
    delete(browser, other)
    assert f"in-{other}" not in browser.get("/desk/series").text
    without = browser.get(address)
    assert without.status_code == 200
    assert without.text != both
    pages.do(FileSession(other, Filing.LISTED))
    assert browser.get(address).text == both


def test_every_stage_has_a_list() -> None:
    assert frozenset().union(*(each.stages for each in LISTS.values())) == frozenset(Stage)
