from overtrick.control.closing import LogBook, has_last_result, may_shut_down
from overtrick.event import Order
from overtrick.event.movement import SetWaiting
from overtrick.event.results import EnterResult
from overtrick.event.settings import SettingsII
from overtrick.event.tables import LoggedOn, LogOff, LogOn
from tests.control.room import Room
from tests.event.evenings import NOON, SESSION, entry


def play_all(room: Room, *tables: int) -> None:
    for table in tables:
        for number in (1, 2, 3):
            for board in range(4 * number - 3, 4 * number + 1):
                room.do(EnterResult(SESSION, entry(table, number, board, "NP")))


def log_on(room: Room, book: LogBook, table: int) -> None:
    room.do(LogOn(SESSION, "A", table, f"t{table}", NOON))
    book.apply(LoggedOn("A", table, f"t{table}", NOON))


def test_the_setting_waits_until_every_table_has_logged_off() -> None:
    room, book = Room(SettingsII(auto_shutdown=True)), LogBook()
    assert not may_shut_down(room.view.session, book)
    log_on(room, book, 1)
    room.do(LogOff(SESSION, "A", 1, NOON))
    assert not may_shut_down(room.view.session, book), "table 2 has still to come"
    log_on(room, book, 2)
    assert not may_shut_down(room.view.session, book)
    room.do(LogOff(SESSION, "A", 2, NOON))
    assert may_shut_down(room.view.session, book)


def test_a_table_that_never_came_does_not_hold_up_a_room_that_is_scored() -> None:
    room, book = Room(SettingsII(auto_shutdown=True)), LogBook()
    log_on(room, book, 1)
    play_all(room, 1, 2)
    assert not may_shut_down(room.view.session, book)
    room.do(LogOff(SESSION, "A", 1, NOON))
    assert may_shut_down(room.view.session, book)


def test_without_the_setting_it_stays() -> None:
    room, book = Room(SettingsII()), LogBook()
    play_all(room, 1, 2)
    assert not may_shut_down(room.view.session, book)


def test_the_flag_waits_for_the_last_result() -> None:
    room, book = Room(), LogBook()
    orders = (Order.SHUT_DOWN_AFTER_LAST_RESULT,)
    play_all(room, 1)
    assert not may_shut_down(room.view.session, book, orders)
    play_all(room, 2)
    assert has_last_result(room.view.session)
    assert may_shut_down(room.view.session, book, orders)
    room.do(SetWaiting(SESSION, "A", 1, True))
    assert not may_shut_down(room.view.session, book, orders)
    assert may_shut_down(room.view.session, book, (Order.SHUT_DOWN,))
