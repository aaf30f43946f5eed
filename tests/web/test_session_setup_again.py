"""Changing the set-up of a session before its first result: the form shows its values, and everything else is kept."""

from dataclasses import replace

import httpx
import pytest

from overtrick.bridge import Outcome, Seat
from overtrick.event.filing import FileSession, Filing
from overtrick.event.results import EnterResult, ResultEntry
from overtrick.event.seating import Participation, PutParticipations
from overtrick.scoring.rules import EBU, write_rules
from overtrick.web.session_setup import read_session_request
from overtrick.web.session_setup_again import chosen_movements, setup_form
from tests.web.running import STARTS, Running, evening, form_of

NEW = "/desk/new"


def opened(browser: httpx.Client, **asked: str) -> str:
    """Set up a session without JavaScript; its guid."""
    form = form_of(browser.get(NEW, params=asked).text, NEW)
    answer = browser.post(NEW, data={**form, **asked})
    assert answer.status_code == 303, answer.text
    return answer.headers["location"].split("/")[2]


def again(browser: httpx.Client, guid: str, **changes: str) -> httpx.Response:
    """Change the set-up of a session as a browser without JavaScript would."""
    form = form_of(browser.get(NEW, params={"again": guid}).text, NEW)
    answer = browser.post(NEW, data={**form, **changes})
    return browser.post(NEW, data=form_of(answer.text, NEW)) if answer.status_code == 409 else answer


CLUB_RULES = write_rules(replace(EBU, name="Tuesday"))


@pytest.mark.parametrize(
    "asked",
    [
        {"count-1": "10", "boards": "20", "choice-1": "1", "method": "butler", "rules": "EBU"},
        {"sections": "2", "count-1": "8", "count-2": "14", "boards": "24", "together": "0"},
        {"game": "swiss", "count-1": "12", "rounds": "5", "each": "3", "vps": "1"},
        {"game": "individual", "count-1": "12", "boards": "22", "own": CLUB_RULES},
        {"game": "teams", "count-1": "4", "boards": "24"},
    ],
)
def test_form_shows_the_values_of_the_session(
    browser: httpx.Client, pages: Running, asked: dict[str, str]
) -> None:
    guid = opened(browser, name="Thursday", **asked)
    page = browser.get(NEW, params={"again": guid}).text
    form = form_of(page, NEW)
    assert {name: form.get(name) for name in asked} == asked
    assert form["name"] == "Thursday"
    session = pages.session(guid)
    values = setup_form(session)
    request = read_session_request(values)
    if not request.kind.is_swiss:
        assert chosen_movements(session, request)["choice-1"] == asked.get("choice-1", "0")
    # Sent without a change, it gives the same tables.
    assert again(browser, guid).status_code == 303
    after = pages.session(guid)
    assert after.opened.incarnation == 2
    assert after.rulings.rules == session.rulings.rules
    assert after.movement.tables == session.movement.tables


def test_mistyped_set_up_is_changed_and_everything_else_is_kept(
    browser: httpx.Client, pages: Running
) -> None:
    guid = opened(browser, name="Thursday", **{"count-1": "14", "boards": "24"})
    seat = Participation("A", 1, Seat.NORTH, "", "Ann", "Lee")
    pages.do(PutParticipations(guid, (seat,), must_be_known=False))
    code = pages.keys.table_code(guid, "A", 1)
    assert (
        browser.get(f"/t/{guid}/A1/table.json", params={"code": code}).json()["snapshot"]["incarnation"] == 1
    )
    assert (
        again(browser, guid, **{"count-1": "12", "name": "Friday"}).headers["location"]
        == f"/desk/{guid}/players"
    )
    session = pages.session(guid)
    assert (session.opened.name, len(session.movement.tables)) == ("Friday", 6)
    assert [seated.player.name for seated in session.seating.chairs.values()] == ["Ann Lee"]
    assert session.settings.third["A"].view_hand_record
    assert browser.get("/desk").text.count(f'href="/desk/{guid}/results"') == 1
    # The printed code of a table stays.
    assert (
        browser.get(f"/t/{guid}/A1/table.json", params={"code": code}).json()["snapshot"]["incarnation"] == 2
    )


def test_session_with_a_result_keeps_its_set_up(browser: httpx.Client, pages: Running) -> None:
    guid = opened(browser, **{"count-1": "8", "boards": "24"})
    assert f"{NEW}?again={guid}" in browser.get(f"/desk/{guid}/edit").text
    form = form_of(browser.get(NEW, params={"again": guid}).text, NEW)
    board = pages.session(guid).movement.tables["A", 1].rounds[0].boards[0]
    pages.do(EnterResult(guid, ResultEntry("A", 1, 1, board, Outcome.parse("3NTN="), STARTS)))
    answer = browser.post(NEW, data=form)
    assert answer.status_code == 409
    assert "has results" in answer.text
    assert pages.session(guid).opened.incarnation == 1
    assert f"{NEW}?again={guid}" not in browser.get(f"/desk/{guid}/edit").text


def test_hand_records_stay_when_the_set_up_is_changed(browser: httpx.Client, pages: Running) -> None:
    guid = evening(pages, rounds=0)
    before = pages.session(guid).hands.records
    assert again(browser, guid, **{"count-1": "10"}).status_code == 303
    after = pages.session(guid)
    assert {key: record.deal for key, record in after.hands.records.items()} == {
        key: record.deal for key, record in before.items()
    }
    assert len(after.movement.tables) == 5


def test_session_of_an_event_with_others_keeps_its_letters(browser: httpx.Client, pages: Running) -> None:
    first = opened(browser, **{"count-1": "8"})
    second = opened(browser, event=first, **{"count-1": "8"})
    assert again(browser, first, **{"count-1": "10"}).status_code == 303
    assert again(browser, second, **{"count-1": "12"}).status_code == 303
    assert [list(pages.session(guid).setup.sections) for guid in (first, second)] == [["A"], ["B"]]
    # A session in the bin keeps its letters too, so that it can be restored.
    pages.do(FileSession(second, Filing.BINNED))
    third = opened(browser, event=first, **{"count-1": "8"})
    assert list(pages.session(third).setup.sections) == ["C"]


def test_unknown_session_is_not_set_up_again(browser: httpx.Client) -> None:
    assert browser.get(NEW, params={"again": "A" * 32}).status_code == 404


def test_movement_that_came_from_other_choices_is_offered_as_it_is(
    browser: httpx.Client, pages: Running
) -> None:
    guid = opened(browser, **{"count-1": "13", "boards": "28", "absent": "E-W 2", "switched": "0"})
    before = pages.session(guid).movement.section("A")
    page = browser.get(NEW, params={"again": guid}).text
    assert "Movement of section A so far" in page
    answer = browser.post(NEW, data={**form_of(page, NEW), "name": "Renamed"})
    assert answer.status_code == 303, answer.text
    session = pages.session(guid)
    assert (session.opened.name, session.movement.section("A")) == ("Renamed", before)
