"""The round clock: what it says at a moment, who is late, and the director's keys."""

from datetime import UTC, datetime, timedelta

import httpx
import pytest

from overtrick.bridge import Outcome, Seat
from overtrick.event.clock import StartClock
from overtrick.event.results import EnterResult, ResultEntry
from overtrick.event.seating import line_up
from overtrick.event.setup import SetStatus, Status
from overtrick.web.clock_pages import round_clock
from tests.web.running import Running, collapse, evening
from tests.web.test_desk import Director

NOW = datetime.now(UTC)


@pytest.fixture
def director(browser: httpx.Client, guid: str) -> Director:
    return Director(browser, guid)


def test_running_clock_shows_time_left_and_late_tables(
    director: Director, pages: Running, browser: httpx.Client
) -> None:
    guid = director.guid
    at = f"/live/{guid}/clock"
    assert browser.get(at).json()["phase"] == "not started"
    assert 'role="timer"' not in director.look("results")
    boards = len(pages.session(guid).movement.tables["A", 1].rounds[0].boards)
    # Two rounds are played, and the third is over for a minute.
    pages.do(StartClock(guid, datetime.now(UTC) - timedelta(seconds=450 * boards + 60), 3))
    item = browser.get(at).json()
    assert (item["round"], item["phase"], item["late"]) == (3, "moving", ["A1", "A2", "A3", "A4"])
    assert 50 < item["left"] <= 60
    assert item["changes_in"] == item["left"]
    assert browser.get(f"/api/sessions/{guid}/clock").json()["late"] == item["late"]
    assert 'role="timer"' in director.look("results")
    assert 'role="timer"' in browser.get(f"/live/{guid}").text


def test_every_clock_button_sends_its_command(director: Director, pages: Running) -> None:
    def clock() -> object:
        return pages.session(director.guid).clock.setting

    assert director.act("clock", do="start", round="2") == "Round 2 has started."
    assert round_clock(pages.session(director.guid)).read(datetime.now(UTC)).round == 2
    before = clock()
    director.act("clock", do="add", minutes="5")
    assert clock() != before
    director.act("clock", do="pause")
    director.act("clock", do="timing", board="6,5", move="1", warnings="4, 1.5")
    session = pages.session(director.guid)
    assert (session.clock.setting.board_seconds, session.clock.setting.warnings) == (390, (240, 90))
    assert session.clock.setting.paused is not None
    assert round_clock(session).read(datetime.now(UTC)).round == 2
    director.act("clock", do="resume")
    assert director.act("clock", do="next") == "Round 3 has started."
    assert "Begins" in director.look("clock")
    director.act("clock", do="stop")
    assert "Start clock" in director.look("clock")
    for bad in (
        {"do": "add", "minutes": "5"},
        {"do": "start", "round": "99"},
        {"do": "timing", "board": "0", "move": "1"},
        {"do": "timing", "board": "1e99", "move": "1"},
    ):
        director.act("clock", 409 if bad["do"] != "start" else 404, **bad)
    for bad in (
        {"do": "guess"},
        {"do": "add", "minutes": "7"},
        {"do": "timing", "board": "inf", "move": "1"},
        {"do": "timing", "board": "7", "move": "soon"},
        {"do": "start"},
    ):
        said = director.act("clock", 400, **bad)
        assert "Nothing was changed." in said or said.startswith("Enter a round")


def test_changed_round_times_keep_the_start_of_the_round(director: Director, pages: Running) -> None:
    boards = len(pages.session(director.guid).movement.tables["A", 1].rounds[0].boards)
    began = datetime.now(UTC) - timedelta(seconds=450 * boards + 120 + 30)
    pages.do(StartClock(director.guid, began, 1))
    director.act("clock", do="timing", board="5", move="1", warnings="")
    clock = round_clock(pages.session(director.guid))
    assert clock.setting.first == 2
    assert clock.begins(2) == began + timedelta(seconds=450 * boards + 120)


def test_clock_is_private_when_results_are_private(browser: httpx.Client, pages: Running, guid: str) -> None:
    pages.keys.set_password("seven no trump")
    pages.keys.set_results_public(False)
    assert browser.get(f"/live/{guid}/clock").status_code == 403


def play_with_a_slow_pair(pages: Running, guid: str, began: datetime, now: datetime) -> str:
    """Play until now, seven minutes a board and eleven with the pair that begins E-W at table 2; its names."""
    session = pages.session(guid)
    rounds = sorted(
        (number, section, table, played)
        for (section, table), at in session.movement.tables.items()
        for number, played in enumerate(at.rounds, start=1)
        if played.ns and played.ew
    )
    slow = session.movement.tables["A", 2].rounds[0].ew
    free: dict[object, datetime] = {}
    for number, section, table, played in rounds:
        occupants = [("NS", played.ns), ("EW", played.ew), table]
        at = max((free[each] for each in occupants if each in free), default=began)
        for board in played.boards:
            at += timedelta(minutes=11 if played.ew == slow else 7)
            if at <= now:
                entry = ResultEntry(section, table, number, board, Outcome.parse("4SN="), at)
                pages.do(EnterResult(guid, entry))
        free.update(dict.fromkeys(occupants, at))
    people = line_up(session, "A", 1)
    return " – ".join(people[2, seat].name for seat in (Seat.EAST, Seat.WEST))


def test_the_pace_names_the_slow_pair_and_what_to_leave_out_at_the_desk_alone(
    pages: Running, browser: httpx.Client
) -> None:
    guid = evening(pages, rounds=0)
    pace = f"/desk/{guid}/clock/pace"
    assert "Too early to tell" in browser.get(pace).text
    now = datetime.now(UTC)
    began = now - timedelta(minutes=150)
    pages.do(StartClock(guid, began, 1))
    names = play_with_a_slow_pair(pages, guid, began, now)
    said = collapse(browser.get(pace).text)
    section_of_pairs = said.split("Slow pairs")[1]
    assert section_of_pairs.count("<li>") == 1
    assert names in section_of_pairs
    assert "At this pace the last table finishes at about" in said
    soon = (now + timedelta(minutes=60)).astimezone()
    said = collapse(browser.get(pace, params={"end": f"{soon:%H:%M}"}).text)
    assert f"To end by {soon:%H:%M}" in said
    assert "Leave out round" in said
    for bad in ("25:00", "soon", "<b>", "12:3", "١٢:٣٤"):
        assert browser.get(pace, params={"end": bad}).status_code == 200

    page = browser.get(f"/desk/{guid}/clock").text
    assert f'data-pace="{pace}"' in page
    code = pages.keys.table_code(guid, "A", 2)
    for public in (
        f"/live/{guid}",
        f"/live/{guid}/clock",
        f"/results/{guid}/",
        f"/api/sessions/{guid}/clock",
        f"/t/{guid}/A2",
        f"/t/{guid}/A2/table.json",
    ):
        answer = browser.get(public, headers={"x-table-code": code}, follow_redirects=True)
        assert answer.status_code == 200
        seen = answer.text.casefold()
        assert "slow" not in seen, public
        assert "pace" not in seen.replace("space", ""), public
    pages.do(SetStatus(guid, Status.FINISHED))
    assert "The session has ended." in browser.get(pace).text


def test_clock_of_a_session_that_has_ended_has_no_buttons(
    browser: httpx.Client, pages: Running, guid: str
) -> None:
    pages.do(StartClock(guid, datetime.now(UTC), 1))
    assert "Turn off clock" in browser.get(f"/desk/{guid}/clock").text
    pages.do(SetStatus(guid, Status.FINISHED))
    page = browser.get(f"/desk/{guid}/clock").text
    assert "Turn off clock" not in page
    assert "Start clock" not in page
    assert "The session has ended." in page
