"""A terminal without the network, and what has changed meanwhile."""

from dataclasses import replace

import pytest

from overtrick.bridge import Award, Strain
from overtrick.control import Terminal, inputs, memory, screens
from overtrick.errors import BadInput
from overtrick.event import Reason
from overtrick.event.movement import ReplaceRounds, Round, TablePlan
from overtrick.event.rejection import reject
from overtrick.event.results import EnterResult, EraseResult, Origin
from overtrick.event.settings import (
    PutSettings,
)
from tests.control.room import BACK, BARE, OK, SHORT, Room, board, kind
from tests.event.evenings import SESSION, entry, plan, rounds

# Without the network --------------------------------------------------------------------------------------------


def offline(room: Room, terminal: Terminal, *keys: inputs.Input) -> None:
    for key in keys:
        assert terminal.press(key, room.at), (key, terminal.display.screen)


def test_a_terminal_off_the_network_goes_on_and_sends_everything_once() -> None:
    room = Room(BARE, planned=SHORT)
    terminal = room.at_table()
    offline(room, terminal, OK, *board(), *board(), OK, *board())
    assert room.results == {}
    assert terminal.display.unsent == 3
    first = terminal.unsent()[0]
    assert room.try_to(first.command) is None
    room.taken[first.id] = room.version
    terminal = memory.read(memory.write(terminal))
    room.deliver(terminal)
    assert len(room.results) == 3
    assert terminal.unsent() == ()
    before = dict(room.results)
    room.deliver(terminal)
    assert room.results == before
    screen = terminal.display.screen
    assert isinstance(screen, screens.ContractScreen)
    assert screen.board == 4


def test_the_director_changed_it_meanwhile() -> None:
    room = Room(BARE)
    terminal = room.at_table()
    offline(room, terminal, OK, *board())
    room.do(EnterResult(SESSION, entry(1, 1, 1, "3NTE="), Origin.DESK))
    room.deliver(terminal)
    screen = terminal.display.screen
    assert isinstance(screen, screens.ConflictScreen)
    assert (screen.meant, screen.stands, screen.reason) == ("4SN=", "3NTE=", "stale")
    assert room.results == {("A", 1, 1, 1): "3NTE="}
    assert not terminal.press(inputs.Bid(1, Strain.CLUBS), room.at), "first it has to be seen"
    room.press(terminal, OK)
    assert kind(terminal.display.screen) == "Contract"
    room.press(terminal, inputs.Director(), inputs.Pin("0000"), inputs.Status())
    status = terminal.display.screen
    assert isinstance(status, screens.StatusScreen)
    assert len(status.refused) == 1


def test_an_erased_board_comes_back() -> None:
    room = Room(BARE, planned=SHORT)
    terminal = room.at_table()
    room.press(terminal, OK, *board())
    room.do(EraseResult(SESSION, "A", 1, 1, 1, Origin.DESK))
    room.tell(terminal)
    room.press(terminal, *board())
    screen = terminal.display.screen
    assert isinstance(screen, screens.ContractScreen)
    assert screen.board == 1


def test_a_board_that_was_erased_in_an_earlier_round_comes_last() -> None:
    planned = plan(tables=(TablePlan(1, rounds((1, 2, 1), (1, 3, 2), (1, 4, 3), boards=1)),))
    room = Room(BARE, planned=planned)
    terminal = room.at_table()
    room.press(terminal, OK, *board(), OK)
    room.do(EraseResult(SESSION, "A", 1, 1, 1, Origin.DESK))
    seen = []
    for _ in range(3):
        room.tell(terminal)
        if isinstance(terminal.display.screen, screens.RoundScreen):
            room.press(terminal, OK)
        screen = terminal.display.screen
        assert isinstance(screen, screens.ContractScreen)
        seen.append(screen.board)
        room.press(terminal, *board())
    assert seen == [2, 3, 1], "first the rounds that are still to be played"
    assert kind(terminal.display.screen) == "End"


def test_a_movement_that_changes_takes_the_half_entered_board_along() -> None:
    room = Room(BARE, planned=SHORT)
    terminal = room.at_table()
    room.press(terminal, OK, inputs.Bid(4, Strain.SPADES))
    room.do(ReplaceRounds(SESSION, "A", 1, 1, (Round(1, 2, (7,)),)))
    room.tell(terminal)
    assert kind(terminal.display.screen) == "Round"
    assert terminal.display.notice is not None
    assert terminal.display.notice.key == "movement-changed"


def test_an_older_snapshot_changes_nothing() -> None:
    room = Room(BARE)
    terminal = room.at_table()
    old = terminal.machine.snapshot
    room.press(terminal, OK, *board())
    terminal.update(old)
    assert terminal.machine.snapshot is not old
    assert terminal.machine.open_boards() == (2, 3, 4)
    screen = terminal.display.screen
    assert isinstance(screen, screens.ContractScreen)
    assert screen.board == 2


def test_the_offline_setting_sends_nothing_before_the_last_board() -> None:
    room = Room(replace(BARE, offline=True), planned=SHORT)
    terminal = room.at_table()
    room.press(terminal, OK, *board(), *board(), OK, *board())
    assert room.results == {}
    room.press(terminal, *board())
    assert len(room.results) == 4


def test_what_a_device_had_not_sent_when_another_took_its_table_counts() -> None:
    room = Room(BARE)
    terminal = room.at_table()
    offline(room, terminal, OK, *board())
    other = room.terminal("tablet")
    room.press(other, inputs.Choose("A", 1), OK)
    assert room.view.session.tables.logged_on["A", 1].terminal == "tablet"
    assert room.results == {}
    room.deliver(terminal)
    assert list(room.results.values()) == ["4SN="]
    assert kind(terminal.display.screen) == "LogOn", "the first device has been replaced"


def test_a_round_that_the_director_ends_still_shows_where_to_go() -> None:
    for where in ("desk", "menu"):
        room = Room(replace(BARE, show_next_seating=True), planned=SHORT)
        terminal = room.at_table()
        room.press(terminal, OK, *board())
        if where == "desk":
            room.do(EnterResult(SESSION, entry(1, 1, 2, "NP"), Origin.DESK))
            room.tell(terminal)
        else:
            keys = inputs.Director(), inputs.Pin("0000"), inputs.Assign(1, 2, Award(50, 50)), BACK
            room.press(terminal, *keys)
        assert kind(terminal.display.screen) == "Next"
        assert kind(room.press(terminal, OK)) == "Round"


def test_a_memory_that_cannot_be_read_is_said() -> None:
    room = Room(BARE)
    text = memory.write(room.at_table())
    for broken in ("", "{}", "[]", text[:-5], text.replace('"stage":"round"', '"stage":"moon"')):
        with pytest.raises(BadInput):
            memory.read(broken)


def test_what_a_terminal_remembers_is_what_it_would_work_out_anew() -> None:
    """At every moment it is as one that was read back, which remembers nothing yet."""
    room = Room(BARE, planned=SHORT)
    terminal = room.at_table()

    def is_as_new() -> None:
        anew = memory.read(memory.write(terminal))
        assert anew.machine == terminal.machine
        assert anew.machine.results() == terminal.machine.results()
        assert anew.machine.open_boards() == terminal.machine.open_boards()
        assert anew.machine.round_to_play() == terminal.machine.round_to_play()
        assert anew.display == terminal.display

    def press(*keys: inputs.Input) -> None:
        for key in keys:
            assert terminal.press(key, room.at)
            is_as_new()

    is_as_new()
    press(OK, *board())
    assert terminal.machine.open_boards() == (2,)
    (sent,) = terminal.unsent()
    room.do(sent.command)
    terminal.acknowledge(sent.id, room.version)
    is_as_new()
    room.tell(terminal)
    is_as_new()
    press(*board())
    (refused,) = terminal.unsent()
    terminal.refuse(refused.id, reject(Reason.NOT_ALLOWED, "No."))
    is_as_new()
    assert terminal.machine.open_boards(1) == (2,)
    room.do(EraseResult(SESSION, "A", 1, 1, 1, Origin.DESK))
    room.tell(terminal)
    is_as_new()
    assert terminal.machine.open_boards(1) == (1, 2)
    press(OK)
    assert inputs.CallDirector in terminal.display.keys
    room.do(PutSettings(SESSION, (("A", replace(BARE, director_calls=False)),)))
    room.tell(terminal)
    is_as_new()
    assert inputs.CallDirector not in terminal.display.keys
