"""The director's menu behind the PIN: awards, not played, erase, view, status, players, wrong direction."""

from dataclasses import replace
from datetime import datetime

from overtrick.bridge import Award, NotPlayed, Outcome, PassedOut, Played, Undecided
from overtrick.control import inputs
from overtrick.control.entry import note_not_played
from overtrick.control.machine import ENTERING, Machine, Purpose, Stage
from overtrick.control.pins import is_pin
from overtrick.control.players import ask
from overtrick.control.snapshot import OwnResult
from overtrick.event.results import EraseResult, Origin
from overtrick.event.seating import SwapPlayers
from overtrick.event.tables import ResetTable


def open_menu(machine: Machine, key: inputs.Director, at: datetime) -> None:
    """Ask for the director's PIN; afterwards the terminal is where it was."""
    machine.back, machine.purpose = machine.stage, Purpose.MENU
    machine.go(Stage.PIN)


def give_pin(machine: Machine, key: inputs.Pin, at: datetime) -> None:
    """The PIN, right or wrong."""
    if not is_pin(machine.rules.pin, key.pin):
        machine.tell("wrong-pin")
    elif machine.purpose is Purpose.NOT_PLAYED:
        note_not_played(machine)
    else:
        machine.go(Stage.MENU)


def leave(machine: Machine, key: inputs.Cancel | inputs.Confirm, at: datetime) -> None:
    """Back to where the terminal was."""
    machine.go(machine.back)


def to_menu(machine: Machine, key: inputs.Cancel | inputs.Confirm, at: datetime) -> None:
    """Back to the menu."""
    machine.go(Stage.MENU)


def _place(machine: Machine, number: int, board: int) -> bool:
    """Whether this table plays that board in that round, now or earlier; tells if not."""
    here = machine.known.round(number)
    if here is None or not here.is_played or board not in here.boards or number > max(machine.round, 1):
        machine.tell("no-such-board", round=number, board=board)
        return False
    return True


def assign(machine: Machine, key: inputs.Assign, at: datetime) -> None:
    """An award, an undecided score, or not played."""
    if not isinstance(key.outcome, Award | Undecided | NotPlayed):
        machine.tell("no-such-award")
    elif _place(machine, key.round, key.board):
        machine.enter(OwnResult(key.round, key.board, str(key.outcome)), at)
        machine.tell("done")
        _forget(machine, key.round, key.board)


def erase(machine: Machine, key: inputs.Erase, at: datetime) -> None:
    """Take a result away: the board can be entered again."""
    known = machine.known
    if not _place(machine, key.round, key.board):
        return
    if (key.round, key.board) not in machine.results():
        machine.tell("no-result", board=key.board)
        return
    entry = machine.emit(
        EraseResult(
            known.session,
            known.section,
            known.table,
            key.round,
            key.board,
            Origin.TERMINAL,
            known.incarnation,
        )
    )
    machine.keep(entry, key.round, key.board, None)
    machine.tell("done")
    _forget(machine, key.round, key.board)


def _forget(machine: Machine, number: int, board: int) -> None:
    """A board that the director dealt with is not half entered any more."""
    if (number, board) == (machine.round, machine.draft.board):
        machine.drop_draft()
    if machine.back in ENTERING and not machine.draft.board:
        machine.back = Stage.ROUND


def view_board(machine: Machine, key: inputs.ViewBoard, at: datetime) -> None:
    """The hand record and the results of a board."""
    if not any(key.board in here.boards for here in machine.known.rounds):
        machine.tell("no-such-board", round=machine.round, board=key.board)
    else:
        machine.go(Stage.VIEW_BOARD, key.board)


def status(machine: Machine, key: inputs.Status, at: datetime) -> None:
    """How far the terminal is."""
    machine.go(Stage.STATUS)


def swap(machine: Machine, key: inputs.Swap, at: datetime) -> None:
    """Two partners have changed seats, from this round on."""
    known = machine.known
    if machine.here() is None:
        machine.tell("no-such-board", round=machine.round, board=0)
        return
    machine.emit(SwapPlayers(known.session, known.section, known.table, machine.round, key.side))
    machine.tell("done")


def change_players(machine: Machine, key: inputs.ChangePlayers, at: datetime) -> None:
    """Ask everyone at the table for their number, from this round on."""
    here = machine.here()
    seats = tuple(seat for seat in machine.known.first_seats if here is None or here.at(seat))
    if not seats or here is None:
        machine.tell("nobody-there")
        return
    ask(machine, seats, machine.round, by_director=True)


def wrong_direction(machine: Machine, key: inputs.WrongDirection, at: datetime) -> None:
    """The pairs sat the other way round on a board, or did not after all."""
    if not _place(machine, key.round, key.board):
        return
    standing = machine.results().get((key.round, key.board))
    if standing is None or not standing.outcome:
        machine.tell("no-result", board=key.board)
    elif not isinstance(Outcome.parse(standing.outcome), Played | PassedOut):
        machine.tell("no-such-award")
    else:
        machine.enter(replace(standing, is_wrong_direction=not standing.is_wrong_direction), at)
        machine.tell("done")


def reset(machine: Machine, key: inputs.Reset, at: datetime) -> None:
    """Back to the first screen; the others hear of it, and nothing that was entered is lost."""
    known = machine.known
    machine.emit(ResetTable(known.session, known.section, known.table, at))
    start_again(machine)


def start_again(machine: Machine) -> None:
    """The first screen."""
    machine.drop_draft()
    machine.steps = ()
    machine.choice = None
    machine.go(Stage.LOG_ON)
