"""Everything that is due is done, whichever program was killed, stopped or busy when it became due."""

import logging
import random
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from overtrick.bridge import Deal, Outcome, Tricks
from overtrick.bws.contents import open_contents
from overtrick.bws.edits import Update
from overtrick.control.orders import StartOptions
from overtrick.event import ContinueEvent, OpenEvent, Order, Rejection, Session
from overtrick.event.hands import EvaluateHand, HandRecord, PutHandRecords
from overtrick.event.movement import boards_to_play
from overtrick.event.place import Place
from overtrick.event.results import EnterResult, JudgeResult, ResultEntry, Suspicion
from overtrick.event.setup import ChangeSession, SetStatus, Status
from overtrick.event.tables import LogOff, LogOn
from overtrick.host import due_executor
from overtrick.host.control import ControlSoftware
from overtrick.host.due_executor import JournalDueExecutor, executing_due
from overtrick.host.lookup import JOURNAL
from overtrick.host.runtime import Runtime, open_runtime
from overtrick.host.session_file import journal_of
from overtrick.store import projection
from overtrick.store.errors import JournalUnavailable
from overtrick.store.sessions import SessionList
from tests.bws.conftest import do
from tests.event.evenings import NOON, SESSION, plan
from tests.host.players import SEVEN
from tests.host.test_control import GUID, QUIET, Evening
from tests.waiting import wait_for
from tests.web.running import running

FIRST: Place = ("A", 1, 1, 1)
NO_SLAM = Tricks.parse("77777777777777777777")
DEAL = Deal.dealt_by(random.Random(1))
EASY_DEAL = Deal.parse("N:AKQJ.AKQ.AKQ.AKQ T987.JT9.JT9.JT9 6543.876.876.876 2.5432.5432.5432")
"""The solver needs no time for it."""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "monday.bws"


@pytest.fixture
def journal(tmp_path: Path) -> Path:
    return tmp_path / JOURNAL


@pytest.fixture
def log_level() -> Iterator[logging.Logger]:
    logger = logging.getLogger("overtrick")
    before = logger.level
    yield logger
    logger.setLevel(before)


def must(runtime: Runtime, command: Any, command_id: str | None = None) -> None:
    answer = runtime.do(command, actor="somebody", command_id=command_id)
    assert not isinstance(answer, Rejection), str(answer)


def stored(runtime: Runtime, guid: str = SESSION) -> Session:
    view = runtime.view(guid)
    assert view is not None
    return view.session


def enter(runtime: Runtime, guid: str, place: Place, outcome: str = "3NTN=") -> None:
    must(runtime, EnterResult(guid, ResultEntry(*place, Outcome.parse(outcome), SEVEN)), f"{guid} {place}")


def play_on(runtime: Runtime, guid: str = SESSION, *, all_but: int = 0) -> None:
    """Enter results as phones do that another process serves."""
    places = sorted(boards_to_play(stored(runtime, guid)))
    for place in places[: len(places) - all_but]:
        if place not in stored(runtime, guid).results.standing:
            enter(runtime, guid, place)


def status_in(path: Path) -> int:
    return open_contents(path).sessions[0].status


# On a session file ------------------------------------------------------------------------------------------


def test_boards_played_while_the_control_software_was_down_finish_the_session_and_end_it(path: Path) -> None:
    evening = Evening(path)
    with evening.run_control("/s", "/r") as control:
        control.tick()
        evening.sit_down(1, 2, 3)
        control.tick()
    with open_runtime(journal_of(path)) as phones:
        play_on(phones, GUID)
        for table in (1, 2, 3):
            must(phones, LogOff(GUID, "A", table, SEVEN))
    with evening.run_control("/r") as control:
        assert control.tick(), "AutoShutDownBPC is set, and every table has logged off"
    assert status_in(path) == 2


@pytest.mark.parametrize("status", [0, 1])
def test_a_file_that_other_software_has_filled_is_finished(path: Path, tmp_path: Path, status: int) -> None:
    evening = Evening(path, replace(QUIET, auto_shutdown=False))
    with evening.run_control("/s", "/r") as control:
        play_on(control.runtime, GUID)
        control.tick()
    for kept in tmp_path.glob("monday.journal*"):
        kept.unlink()
    do(path, Update("Session", {"ID": open_contents(path).sessions[0].id}, {"Status": status}))
    with evening.run_control("/r") as control:
        control.tick()
    assert status_in(path) == 2


def test_a_file_whose_session_was_ended_early_by_other_software_stays_ended(
    path: Path, tmp_path: Path
) -> None:
    evening = Evening(path)
    with evening.run_control("/s", "/r") as control:
        play_on(control.runtime, GUID, all_but=3)
        control.tick()
    for kept in tmp_path.glob("monday.journal*"):
        kept.unlink()
    do(path, Update("Session", {"ID": open_contents(path).sessions[0].id}, {"Status": 2}))
    with evening.run_control("/r") as control:
        control.tick()
        assert status_in(path) == 2
        play_on(control.runtime, GUID, all_but=2)
        control.tick()
        assert status_in(path) == 1


def test_impossible_slam_entered_before_the_start_is_marked(path: Path) -> None:
    evening = Evening(path, deals=True)
    with evening.run_control("/s", "/r", "/h:[1]") as control:
        control.tick()
    with open_runtime(journal_of(path)) as phones:
        (record,) = (each for each in stored(phones, GUID).hands.records.values() if each.board == 1)
        must(phones, EvaluateHand(GUID, record.group, 1, record.deal, NO_SLAM))
        enter(phones, GUID, FIRST, "7NTN=")
    with evening.run_control("/r") as control:
        control.tick()
    assert [row.suspicious for row in open_contents(path).results] == [1]


def test_deals_from_before_the_start_are_analysed_without_a_new_fact(path: Path) -> None:
    evening = Evening(path)
    with evening.run_control("/s", "/r") as control:
        must(control.runtime, PutHandRecords(GUID, (HandRecord(1, 1, EASY_DEAL),)))
        control.tick()
    with evening.run_control("/r", evaluates=True) as control:

        def is_worked_out() -> bool:
            control.tick()
            return bool(open_contents(path).evaluations)

        wait_for(is_worked_out)


# Orders -----------------------------------------------------------------------------------------------------


def opened(runtime: Runtime, *orders: Order) -> None:
    must(runtime, OpenEvent(SESSION, (plan(),), orders=(Order.START, *orders)))


def test_orders_given_before_the_start_are_followed(journal: Path, log_level: logging.Logger) -> None:
    with open_runtime(journal) as runtime:
        opened(runtime, Order.SHOW_IN_APP, Order.LOG_EVERYTHING)
        with ControlSoftware(runtime, StartOptions(), evaluates=False) as control:
            control.tick()
            assert stored(runtime).opened.shown_in_app
            assert log_level.level == logging.DEBUG
            must(runtime, ContinueEvent(SESSION, (Order.START,)))
            control.tick()
            assert log_level.level != logging.DEBUG, "another start, which does not order it"


def test_orders_given_before_the_last_start_are_not_followed(
    journal: Path, log_level: logging.Logger
) -> None:
    with open_runtime(journal) as runtime:
        opened(runtime, Order.SHOW_IN_APP, Order.LOG_EVERYTHING)
        must(runtime, ContinueEvent(SESSION, (Order.START, Order.READ)))
        with ControlSoftware(runtime, StartOptions(), evaluates=False) as control:
            control.tick()
        assert not stored(runtime).opened.shown_in_app
        assert log_level.level != logging.DEBUG


def test_a_session_that_is_hidden_again_stays_hidden_until_it_is_ordered_again(journal: Path) -> None:
    with open_runtime(journal) as runtime:
        opened(runtime, Order.SHOW_IN_APP)
        with ControlSoftware(runtime, StartOptions(), evaluates=False) as control:
            control.tick()
        must(runtime, ChangeSession(SESSION, shown_in_app=False))
        for _ in range(2):
            with ControlSoftware(runtime, StartOptions(), evaluates=False) as control:
                control.tick()
                assert not stored(runtime).opened.shown_in_app
        must(runtime, ContinueEvent(SESSION, (Order.SHOW_IN_APP,)))
        with ControlSoftware(runtime, StartOptions(), evaluates=False) as control:
            control.tick()
            assert stored(runtime).opened.shown_in_app


def test_an_order_to_shut_down_of_before_the_start_does_not_end_a_program_started_by_hand(
    journal: Path,
) -> None:
    with open_runtime(journal) as runtime:
        opened(runtime, Order.SHUT_DOWN_AFTER_LAST_RESULT)
        must(runtime, ContinueEvent(SESSION, (Order.SHUT_DOWN,)))
        with ControlSoftware(runtime, StartOptions(), evaluates=False) as control:
            control.begin()
            assert not control.tick()


def test_the_control_software_ends_after_the_last_result_that_came_while_it_was_down(journal: Path) -> None:
    with open_runtime(journal) as runtime:
        opened(runtime, Order.SHUT_DOWN_AFTER_LAST_RESULT)
        with ControlSoftware(runtime, StartOptions(), evaluates=False) as control:
            assert not control.tick()
        play_on(runtime)
        with ControlSoftware(runtime, StartOptions(), evaluates=False) as control:
            assert control.tick()
        assert stored(runtime).setup.status is Status.FINISHED


# People -----------------------------------------------------------------------------------------------------


def test_decision_of_a_person_stands_across_passes_and_restarts(journal: Path) -> None:
    with open_runtime(journal) as runtime:
        opened(runtime)
        must(runtime, PutHandRecords(SESSION, (HandRecord(1, 1, DEAL, NO_SLAM),)))
        enter(runtime, SESSION, FIRST, "7NTN=")
        enter(runtime, SESSION, ("A", 2, 1, 1), "7NTN=")
        with ControlSoftware(runtime, StartOptions(), evaluates=False) as control:
            control.tick()
            assert stored(runtime).results.standing[FIRST].suspicion is Suspicion.SUSPICIOUS
            must(runtime, JudgeResult(SESSION, *FIRST, Suspicion.CONFIRMED))
            must(runtime, JudgeResult(SESSION, "A", 2, 1, 1, Suspicion.NONE))
            must(runtime, SetStatus(SESSION, Status.FINISHED))
            control.tick()
        head = runtime.journal.heads()
        for _ in range(2):
            with ControlSoftware(runtime, StartOptions(), evaluates=False) as control:
                control.tick()
                control.tick()
        assert runtime.journal.heads() == head
        enter(runtime, SESSION, ("A", 1, 1, 2))
        with ControlSoftware(runtime, StartOptions(), evaluates=False) as control:
            control.tick()
        assert stored(runtime).setup.status is Status.STARTED
        play_on(runtime)
        with ControlSoftware(runtime, StartOptions(), evaluates=False) as control:
            control.tick()
            assert stored(runtime).setup.status is Status.FINISHED
            must(runtime, SetStatus(SESSION, Status.STARTED))
            control.tick()
        with ControlSoftware(runtime, StartOptions(), evaluates=False) as control:
            control.tick()
        assert stored(runtime).setup.status is Status.STARTED
        assert stored(runtime).results.standing[FIRST].suspicion is Suspicion.CONFIRMED


def test_a_rejected_command_is_said_once_and_tried_again(
    journal: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with open_runtime(journal) as runtime:
        opened(runtime)
        play_on(runtime)
        with ControlSoftware(runtime, StartOptions(), evaluates=False) as control:
            with monkeypatch.context() as broken:
                rejection = Rejection(())
                broken.setattr(runtime.writer, "write_all", lambda commands: [rejection for _ in commands])
                control.tick()
                control.tick()
                assert len(control.sentences) == 1
            control.tick()
        assert stored(runtime).setup.status is Status.FINISHED


# At the desk and the server ---------------------------------------------------------------------------------


def test_a_desk_that_was_killed_after_its_answer_marks_the_result_at_its_next_start(journal: Path) -> None:
    with open_runtime(journal) as killed:
        opened(killed)
        must(killed, PutHandRecords(SESSION, (HandRecord(1, 1, DEAL, NO_SLAM),)))
        enter(killed, SESSION, FIRST, "7NTN=")
    with running(journal.parent) as pages:
        wait_for(lambda: _is_marked(pages.session(SESSION)))
        assert pages.session(SESSION).setup.status is Status.STARTED


def _is_marked(session: Session) -> bool:
    return session.results.standing[FIRST].suspicion is Suspicion.SUSPICIOUS


def test_result_of_another_program_is_judged_at_the_desk_without_a_restart(journal: Path) -> None:
    with running(journal.parent) as pages, open_runtime(journal) as connector:
        opened(connector)
        must(connector, PutHandRecords(SESSION, (HandRecord(1, 1, DEAL, NO_SLAM),)))
        enter(connector, SESSION, FIRST, "7NTN=")
        wait_for(lambda: _is_marked(pages.session(SESSION)))


def test_deals_from_before_a_kill_are_analysed_at_the_next_start_of_the_desk(journal: Path) -> None:
    with open_runtime(journal) as killed:
        opened(killed)
        must(killed, PutHandRecords(SESSION, (HandRecord(1, 1, EASY_DEAL), HandRecord(1, 2, EASY_DEAL))))
    with running(journal.parent, evaluates=True) as pages:
        wait_for(lambda: all(record.tricks for record in pages.session(SESSION).hands.records.values()))


@pytest.mark.parametrize("reading", ["heads", "head", "read", "holding"])
def test_while_the_journal_does_not_answer_one_sentence_is_said_and_then_all_is_done(
    journal: Path, monkeypatch: pytest.MonkeyPatch, reading: str
) -> None:
    def unavailable(*given: object, **options: object) -> Any:
        raise JournalUnavailable("The journal does not answer.")

    with open_runtime(journal) as runtime, open_runtime(journal) as other:
        opened(runtime)
        with JournalDueExecutor(runtime, evaluates=False) as director:
            director.execute_due()
            play_on(other)
            with monkeypatch.context() as outage:
                outage.setattr(runtime.journal, reading, unavailable)
                if reading == "heads":  # the list of sessions has statements of its own
                    outage.setattr(runtime.journal.engine, "rows", unavailable)
                assert [director.execute_due() for _ in range(3)] == [False] * 3
            assert director.sentences == ["The journal does not answer. Overtrick will try again."]
            director.sentences.clear()
            assert director.execute_due()
            assert director.sentences == ["The journal answers again, after 3 failed attempts."]
            assert stored(runtime).setup.status is Status.FINISHED


@contextmanager
def controlling(path: Path, journal: Path, *, has_file: bool) -> Iterator[ControlSoftware]:
    if has_file:
        with Evening(path, replace(QUIET, auto_shutdown=False)).run_control("/s", "/r") as control:
            yield control
        return
    with open_runtime(journal) as runtime:
        opened(runtime)
        with ControlSoftware(runtime, StartOptions(), evaluates=False) as control:
            yield control


@pytest.mark.parametrize("has_file", [False, True])
def test_the_control_software_survives_an_outage_of_its_journal(
    path: Path, journal: Path, monkeypatch: pytest.MonkeyPatch, has_file: bool
) -> None:
    def unavailable(*given: object, **options: object) -> Any:
        raise JournalUnavailable("The journal does not answer.")

    with controlling(path, journal, has_file=has_file) as control:
        control.tick()
        control.sentences.clear()
        play_on(control.runtime, next(iter(control.guids)))
        with monkeypatch.context() as outage:
            for reading in ("head", "heads", "read", "holding"):
                outage.setattr(control.runtime.journal, reading, unavailable)
            assert [control.tick() for _ in range(3)] == [False] * 3
        assert control.sentences == ["The journal does not answer. Overtrick will try again."]
        control.tick()
        assert control.sentences[1] == "The journal answers again, after 3 failed attempts."
        assert stored(control.runtime, next(iter(control.guids))).setup.status is Status.FINISHED


class EndlessBatch:
    """Stands for a solver that is still at work."""

    solved: dict[Deal, Tricks] = {}  # noqa: RUF012
    is_over = False

    def __init__(self, deals: object, workers: int) -> None:
        pass

    def cancel(self) -> None:
        pass


def test_sessions_with_deals_to_analyse_stay_in_memory(
    journal: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = 0.0
    monkeypatch.setattr(projection, "monotonic", lambda: now)
    monkeypatch.setattr(due_executor, "SolverBatch", EndlessBatch)
    at_work, waiting, idle, asked = guids = [f"{number:032X}" for number in range(1, 5)]
    with open_runtime(journal) as runtime:
        for guid in guids:
            must(runtime, OpenEvent(guid, (plan(guid),)))
        for guid in (waiting, at_work):
            must(runtime, PutHandRecords(guid, (HandRecord(1, 1, DEAL),)))
        with JournalDueExecutor(runtime) as director:
            director.execute_due()
            views = {guid: runtime.view(guid) for guid in guids}
            director.execute_due()
            assert director._evaluator is not None
            assert director._evaluator.sessions == {at_work, waiting}
            for _ in range(5):
                now += projection.UNUSED / 2
                director.execute_due()
                runtime.view(asked)
            assert runtime.viewed_version(idle) == 0, "it was dropped"
            for guid in (at_work, waiting):
                assert runtime.viewed_version(guid), "it was not dropped"
                assert runtime.view(guid) is views[guid]


def test_a_session_that_is_settled_is_not_read_again(journal: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    guids = [f"{number:032X}" for number in range(1, 9)]
    with open_runtime(journal) as runtime:
        for guid in guids:
            must(runtime, OpenEvent(guid, (plan(guid),)))
            enter(runtime, guid, FIRST)
        with JournalDueExecutor(runtime, evaluates=False) as director:
            director.execute_due()
            assert {stored(runtime, guid).setup.status for guid in guids} == {Status.STARTED}
            read: list[str] = []
            view = runtime.view

            def noted(guid: str) -> Any:
                read.append(guid)
                return view(guid)

            monkeypatch.setattr(runtime, "view", noted)
            director.execute_due()
            assert read == []
            enter(runtime, guids[3], ("A", 1, 1, 2))
            director.execute_due()
            assert set(read) == {guids[3]}


def test_result_that_comes_while_a_session_is_settled_is_judged_in_a_later_pass(
    journal: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with open_runtime(journal) as runtime:
        opened(runtime)
        with JournalDueExecutor(runtime, evaluates=False) as director:
            settle = director._execute_session

            def settle_and_play(guid: str) -> None:
                settle(guid)
                monkeypatch.undo()
                play_on(runtime)

            monkeypatch.setattr(director, "_execute_session", settle_and_play)
            director.execute_due()
            assert stored(runtime).setup.status is not Status.FINISHED
            director.execute_due()
            assert stored(runtime).setup.status is Status.FINISHED


def test_the_session_that_changed_last_stays_the_last_when_something_is_due_in_others(journal: Path) -> None:
    guids = [f"{number:032X}" for number in (3, 1, 2)]
    with open_runtime(journal) as runtime:
        for guid in guids:
            must(runtime, OpenEvent(guid, (plan(guid),)))
            enter(runtime, guid, FIRST)
        with JournalDueExecutor(runtime, evaluates=False) as director:
            director.execute_due()
        changed = {
            line.changed: line.stream for line in runtime.journal.streams() if "session" in line.stream
        }
        assert [changed[at].split("/")[1] for at in sorted(changed)] == guids


def test_two_programs_that_look_after_one_journal_write_everything_once(journal: Path) -> None:
    with open_runtime(journal) as runtime, open_runtime(journal) as other:
        opened(runtime, Order.SHOW_IN_APP)
        must(runtime, PutHandRecords(SESSION, (HandRecord(1, 1, DEAL, NO_SLAM),)))
        with (
            executing_due(runtime.journal, runtime.writer, evaluates=False),
            executing_due(other.journal, other.writer, evaluates=False),
        ):
            writing = [
                threading.Thread(target=enter, args=(each, SESSION, ("A", table, 1, 1), "7NTN="))
                for table, each in ((1, runtime), (2, other))
            ]
            for thread in writing:
                thread.start()
            for thread in writing:
                thread.join(30)
            play_on(runtime)
            wait_for(lambda: stored(runtime).setup.status is Status.FINISHED)
            wait_for(lambda: _is_marked(stored(runtime)))
        kinds = [entry.fact.kind for entry in runtime.journal.read(f"session/{SESSION}/1")]
        assert kinds.count("result-judged") == 2
        assert kinds.count("session-changed") == 1
        assert kinds.count("status-changed") <= 2


def test_tables_that_logged_on_before_a_restart_are_known(journal: Path) -> None:
    with open_runtime(journal) as runtime:
        opened(runtime)
        must(runtime, LogOn(SESSION, "A", 1, "phone", NOON))
        must(runtime, LogOff(SESSION, "A", 1, NOON))
    with open_runtime(journal) as runtime:
        assert stored(runtime).tables.ever_logged_on == {("A", 1)}


OLDER, NEWER, OTHER_CLUB = "0" * 31 + "1", "0" * 31 + "2", "0" * 31 + "3"


def test_an_event_that_was_never_ended_ends_although_the_later_one_of_its_club_is_over(journal: Path) -> None:
    with open_runtime(journal) as runtime:
        for guid, club in ((OLDER, "club"), (OTHER_CLUB, "another"), (NEWER, "club")):
            must(runtime, OpenEvent(guid, (plan(guid),), club=club, orders=(Order.START,)))
        must(runtime, ContinueEvent(NEWER, (Order.SHUT_DOWN,)))
        settled(runtime)
        assert SessionList(runtime.journal).running_events() == [OTHER_CLUB]
        must(runtime, ContinueEvent(OLDER, (Order.START,)))
        settled(runtime)
        assert set(SessionList(runtime.journal).running_events()) == {OLDER, OTHER_CLUB}


def settled(runtime: Runtime) -> None:
    with JournalDueExecutor(runtime, evaluates=False) as executor:
        assert executor.execute_due()
        assert executor.execute_due()
