from overtrick.directing.session_end import has_last_result, is_finished, may_shut_down
from overtrick.event import Order
from overtrick.event.movement import SetWaiting
from overtrick.event.results import EnterResult
from overtrick.event.settings import SettingsII
from overtrick.event.tables import LogOff, LogOn
from tests.control.session_without_journal import SessionWithoutJournal
from tests.event.evenings import NOON, SESSION, entry


def play_all(room: SessionWithoutJournal, *tables: int) -> None:
    for table in tables:
        for number in (1, 2, 3):
            for board in range(4 * number - 3, 4 * number + 1):
                room.do(EnterResult(SESSION, entry(table, number, board, "NP")))


def log_on(room: SessionWithoutJournal, table: int) -> None:
    room.do(LogOn(SESSION, "A", table, f"t{table}", NOON))


def test_the_setting_waits_until_every_table_has_logged_off() -> None:
    room = SessionWithoutJournal(SettingsII(auto_shutdown=True))
    assert not may_shut_down(room.view.session)
    log_on(room, 1)
    room.do(LogOff(SESSION, "A", 1, NOON))
    assert not may_shut_down(room.view.session), "table 2 has still to come"
    log_on(room, 2)
    assert not may_shut_down(room.view.session)
    room.do(LogOff(SESSION, "A", 2, NOON))
    assert may_shut_down(room.view.session)


def test_table_that_never_logged_on_does_not_delay_a_scored_session() -> None:
    room = SessionWithoutJournal(SettingsII(auto_shutdown=True))
    log_on(room, 1)
    play_all(room, 1, 2)
    assert not may_shut_down(room.view.session)
    room.do(LogOff(SESSION, "A", 1, NOON))
    assert may_shut_down(room.view.session)


def test_without_the_setting_there_is_no_shutdown() -> None:
    room = SessionWithoutJournal(SettingsII())
    play_all(room, 1, 2)
    assert not may_shut_down(room.view.session)


def test_the_flag_waits_for_the_last_result() -> None:
    room = SessionWithoutJournal()
    orders = (Order.SHUT_DOWN_AFTER_LAST_RESULT,)
    play_all(room, 1)
    assert not may_shut_down(room.view.session, orders)
    play_all(room, 2)
    assert has_last_result(room.view.session)
    assert may_shut_down(room.view.session, orders)
    room.do(SetWaiting(SESSION, "A", 1, True))
    assert not may_shut_down(room.view.session, orders)
    assert may_shut_down(room.view.session, (Order.SHUT_DOWN,))


def test_boards_of_other_computers_count_as_played_where_these_have_them() -> None:
    room = SessionWithoutJournal()
    play_all(room, 1)
    session = room.view.session
    assert has_last_result(session, others_tables={("A", 2)})
    theirs = {
        ("A", 2, number, board) for number in (1, 2, 3) for board in range(4 * number - 3, 4 * number + 1)
    }
    assert is_finished(session, {("A", 2)}, theirs)
    assert not is_finished(session, {("A", 2)}, theirs - {("A", 2, 3, 12)})
    assert not is_finished(session)
