"""What the director does at a terminal, and calls for one."""

from dataclasses import replace

from overtrick.bridge import Award, NotPlayed, Outcome, Seat, Side, Undecided
from overtrick.control import inputs, screens
from overtrick.event.calls import AnswerCall, CallStatus
from overtrick.event.settings import (
    NumberEntry,
)
from overtrick.event.tables import ResetTable
from tests.control.room import BACK, BARE, BARE_II, OK, Room, board, kind
from tests.event.evenings import SESSION

# The director ---------------------------------------------------------------------------------------------------


def test_the_menu_is_behind_the_pin() -> None:
    room = Room(replace(BARE, pin="1234"))
    terminal = room.at_table()
    room.press(terminal, inputs.Director(), inputs.Pin("0000"))
    assert terminal.display.notice is not None
    assert terminal.display.notice.key == "wrong-pin"
    assert kind(room.press(terminal, inputs.Pin("1234"))) == "Menu"
    assert kind(room.press(terminal, BACK)) == "Round"


def test_awards_erasing_and_directions() -> None:
    room = Room(BARE)
    terminal = room.at_table()
    room.press(terminal, OK, *board(), inputs.Director(), inputs.Pin("0000"))
    room.press(
        terminal,
        inputs.Assign(1, 2, Award(60, 40)),
        inputs.Assign(1, 3, Undecided()),
        inputs.Assign(1, 4, NotPlayed()),
    )
    assert list(room.results.values()) == ["4SN=", "60-40", "Arbitral", "NP"]
    room.press(terminal, inputs.WrongDirection(1, 1))
    assert room.view.session.results.standing["A", 1, 1, 1].is_wrong_direction
    for key, notice in (
        (inputs.Assign(1, 2, Outcome.parse("4SN=")), "no-such-award"),
        (inputs.Assign(2, 5, Award(50, 50)), "no-such-board"),
        (inputs.WrongDirection(1, 2), "no-such-award"),
        (inputs.Erase(1, 9), "no-such-board"),
    ):
        room.press(terminal, key)
        assert terminal.display.notice is not None
        assert terminal.display.notice.key == notice
    room.press(terminal, inputs.Erase(1, 2))
    assert ("A", 1, 1, 2) not in room.results
    screen = room.press(terminal, BACK, OK)
    assert isinstance(screen, screens.ContractScreen)
    assert screen.board == 2


def test_status_view_swap_and_change() -> None:
    room = Room(replace(BARE, number_entry=NumberEntry.FIRST_ROUND))
    terminal = room.at_table()
    room.press(terminal, *(inputs.Number(number) for number in ("1", "2", "3", "4")), OK)
    room.press(terminal, inputs.Director(), inputs.Pin("0000"))
    assert room.press(terminal, inputs.Status()) == screens.StatusScreen("A1", 1, 0, 0, ())
    assert kind(room.press(terminal, OK, inputs.ViewBoard(1))) == "ViewBoard"
    room.press(terminal, OK, inputs.Swap(Side.NS))
    chairs = room.view.session.seating.chairs
    assert chairs["A", 1, 1, Seat.NORTH].number == "2"
    room.press(
        terminal, inputs.ChangePlayers(), *(inputs.Number(number) for number in ("5", "6", "7", "8")), OK
    )
    assert [
        chairs["A", 1, 1, seat].number for seat in (Seat.NORTH, Seat.SOUTH, Seat.EAST, Seat.WEST)
    ] == list("5678")


def test_the_reset_key_without_the_pin_where_set() -> None:
    for allowed in (True, False):
        room = Room(replace(BARE_II, reset_key=allowed))
        terminal = room.at_table()
        room.press(terminal, OK, *board())
        assert terminal.press(inputs.Reset(), room.at) is allowed
        room.deliver(terminal)
        assert (kind(terminal.display.screen) == "LogOn") is allowed
        if allowed:
            screen = room.press(terminal, inputs.Choose("A", 1), OK)
            assert isinstance(screen, screens.ContractScreen)
            assert screen.board == 2


def test_the_scoring_program_resets_a_terminal() -> None:
    room = Room(BARE)
    terminal = room.at_table()
    room.press(terminal, OK)
    room.do(ResetTable(SESSION, "A", 1, room.at))
    room.tell(terminal)
    assert kind(terminal.display.screen) == "LogOn"


def test_the_life_of_a_call() -> None:
    room = Room(replace(BARE, director_calls=False))
    assert not room.at_table().press(inputs.CallDirector(), room.at)
    room = Room(BARE)
    terminal = room.at_table()
    assert terminal.press(inputs.CallDirector(), room.at)
    assert terminal.display.call is CallStatus.LAUNCHED, "even before it has been sent"
    room.deliver(terminal)
    room.press(terminal, inputs.CallDirector())
    (call,) = room.view.session.calls.calls
    seen = []
    for status in (CallStatus.IN_PROGRESS, CallStatus.DEFERRED, CallStatus.RESOLVED):
        room.do(AnswerCall(SESSION, call, status, room.at))
        room.tell(terminal)
        seen.append(terminal.display.call)
    assert seen == [CallStatus.IN_PROGRESS, CallStatus.DEFERRED, None]
