"""How a terminal is logged on, and how players make themselves known."""

from dataclasses import replace

import pytest

from overtrick.bridge import Seat
from overtrick.control import inputs, screens
from overtrick.event.movement import Round, SectionPlan, TablePlan
from overtrick.event.seating import Player, PutPlayers
from overtrick.event.settings import (
    NumberEntry,
    NumberRules,
    ShowNames,
)
from tests.control.room import BACK, BARE, BARE_II, OK, SHORT, Room, board, kind
from tests.event.evenings import SESSION, plan, rounds

# Logging on -----------------------------------------------------------------------------------------------------


def test_a_table_in_use_asks_first_and_the_other_terminal_hears_of_it() -> None:
    room = Room(BARE)
    first = room.at_table()
    second = room.terminal("tablet")
    assert kind(room.press(second, inputs.Choose("A", 1))) == "TakeOver"
    assert kind(room.press(second, BACK)) == "LogOn"
    assert kind(room.press(second, inputs.Choose("A", 1), OK)) == "Round"
    room.deliver(first)
    assert first.display.notice is not None
    assert first.display.notice.key == "replaced"
    assert kind(first.display.screen) == "LogOn"


def test_a_table_taken_meanwhile_asks_after_all() -> None:
    room = Room(BARE)
    late = room.terminal("tablet")
    room.at_table()
    room.press(late, inputs.Choose("A", 1))
    assert kind(late.display.screen) == "TakeOver"


def test_there_is_no_such_table() -> None:
    room = Room(BARE)
    terminal = room.terminal()
    room.press(terminal, inputs.Choose("B", 9))
    assert terminal.display.notice is not None
    assert terminal.display.notice.key == "no-such-table"


# Players --------------------------------------------------------------------------------------------------------


def test_starting_positions_are_confirmed_where_set() -> None:
    room = Room(replace(BARE, confirm_starting_positions=True, north_at_bottom=True))
    terminal = room.at_table()
    screen = terminal.display.screen
    assert isinstance(screen, screens.StartingPositionsScreen)
    assert (screen.ns, screen.ew, screen.north_at_bottom) == (1, 2, True)
    assert kind(room.press(terminal, OK)) == "Round"


def test_numbers_are_asked_seat_by_seat_and_names_are_shown() -> None:
    room = Room(replace(BARE_II, ask_numbers=True, show_names=ShowNames.EVERY_ROUND))
    room.do(PutPlayers(SESSION, (Player("11", "Ely", "Culbertson"), Player("12", "Jo", "Culbertson"))))
    terminal = room.at_table()
    seats = []
    for number in ("11", "12", "", "14"):
        screen = terminal.display.screen
        assert isinstance(screen, screens.NumberScreen)
        seats.append(screen.seat.value)
        room.press(terminal, inputs.Number(number))
    assert seats == ["N", "S", "E", "W"]
    screen = terminal.display.screen
    assert isinstance(screen, screens.PlayersScreen)
    assert [player.name for player in screen.players] == ["Ely Culbertson", "Jo Culbertson", "", ""]
    screen = room.press(terminal, OK)
    assert isinstance(screen, screens.RoundScreen)
    names = {player.seat.value: (player.number, player.name) for player in screen.players}
    assert names == {
        "N": ("11", "Ely Culbertson"),
        "S": ("12", "Jo Culbertson"),
        "E": ("", ""),
        "W": ("14", ""),
    }


@pytest.mark.parametrize(
    ("changes", "number", "notice"),
    [
        ({"numbers_required": True}, "", "number-required"),
        ({"number_rules": NumberRules.ACBL}, "1234567", "number-impossible"),
        ({"number_rules": NumberRules.FFB}, "490715", "number-impossible"),
        ({"number_rules": NumberRules.ABF}, "620245", "number-impossible"),
        ({"number_rules": NumberRules.JCBL}, "abc", "number-impossible"),
    ],
)
def test_a_number_that_cannot_be_is_not_taken(changes: dict[str, object], number: str, notice: str) -> None:
    room = Room(replace(BARE_II, ask_numbers=True, **changes))  # type: ignore[arg-type]
    terminal = room.at_table()
    screen = room.press(terminal, inputs.Number(number))
    assert isinstance(screen, screens.NumberScreen)
    assert screen.seat is Seat.NORTH
    assert terminal.display.notice is not None
    assert terminal.display.notice.key == notice


def test_the_same_number_twice_is_not_taken() -> None:
    room = Room(replace(BARE, number_entry=NumberEntry.FIRST_ROUND))
    terminal = room.at_table()
    room.press(terminal, inputs.Number("7"), inputs.Number("7"))
    assert terminal.display.notice is not None
    assert terminal.display.notice.key == "number-twice"


def test_a_pair_that_sits_the_first_round_out_and_a_rover_give_their_numbers() -> None:
    planned = plan(
        section=SectionPlan("A", 1, winners=2),
        tables=(
            TablePlan(1, (Round(1, 0, (1, 2)), Round(1, 2, (1, 2)))),
            TablePlan(2, (Round(3, 0), Round(0, 0))),
        ),
    )
    room = Room(replace(BARE_II, ask_numbers=True), planned=planned)
    sitting_out, rover = room.at_table("A", 1, "one"), room.at_table("A", 2, "two")
    screen = room.press(sitting_out, inputs.Number("1"), inputs.Number("2"), OK)
    assert isinstance(screen, screens.RoundScreen)
    assert screen.round == 2, "the sit-out is skipped"
    assert kind(room.press(rover, inputs.Number("3"), inputs.Number("4"), OK)) == "End"
    chairs = {
        (table, seat.value): seated.number
        for (_, table, _, seat), seated in room.view.session.seating.chairs.items()
    }
    assert chairs == {(1, "N"): "1", (1, "S"): "2", (2, "N"): "3", (2, "S"): "4"}


def test_east_west_give_their_numbers_at_home_and_play_elsewhere() -> None:
    planned = plan(
        section=SectionPlan("A", 1, winners=2, ew_moves=1),
        tables=(TablePlan(1, rounds((1, 2, 1))), TablePlan(2, rounds((2, 1, 1)))),
    )
    room = Room(replace(BARE_II, ask_numbers=True, show_names=ShowNames.EVERY_ROUND), planned=planned)
    one, two = room.at_table("A", 1, "one"), room.at_table("A", 2, "two")
    room.press(one, *(inputs.Number(number) for number in ("1", "2", "3", "4")), OK)
    room.press(two, *(inputs.Number(number) for number in ("5", "6", "7", "8")), OK)
    room.tell(one)
    screen = one.display.screen
    assert isinstance(screen, screens.RoundScreen)
    assert {player.seat.value: player.number for player in screen.players} == {
        "N": "1",
        "S": "2",
        "E": "7",
        "W": "8",
    }


def test_numbers_in_every_round_with_known_ones_ready() -> None:
    room = Room(
        replace(BARE_II, ask_numbers=True, numbers_each_round=True, preload_numbers=True), planned=SHORT
    )
    terminal = room.at_table()
    room.press(terminal, *(inputs.Number(number) for number in ("1", "2", "3", "4")), OK, OK)
    room.press(terminal, *board(), *board(), OK)
    screen = terminal.display.screen
    assert isinstance(screen, screens.NumberScreen)
    assert screen.preloaded == "1"
    room.press(terminal, inputs.Number(), inputs.Number("9"))
    screen = terminal.display.screen
    assert isinstance(screen, screens.NumberScreen)
    assert screen.preloaded == ""
    assert [player.number for player in screen.typed] == ["1", "9"]


def test_a_player_changes_during_the_round_only_where_allowed() -> None:
    for allowed in (True, False):
        room = Room(replace(BARE, number_entry=NumberEntry.FIRST_ROUND, number_entry_during_play=allowed))
        terminal = room.at_table()
        room.press(terminal, BACK, OK, *board())
        room.press(terminal, inputs.ChangePlayer(Seat.EAST))
        assert kind(terminal.display.screen) == ("Number" if allowed else "Contract")
        if allowed:
            assert kind(room.press(terminal, inputs.Number("88"), OK)) == "Contract"
            assert room.view.session.seating.chairs["A", 1, 1, Seat.EAST].number == "88"
