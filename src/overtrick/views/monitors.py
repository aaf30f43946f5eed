"""The director's monitors: the round and lateness of each table, and the tables where each board was played. Pure."""

from collections import defaultdict
from dataclasses import dataclass, replace
from datetime import datetime
from enum import Enum

from overtrick.event.movement import boards_to_play, is_played
from overtrick.views.session import SessionView


class TableStage(Enum):
    """The progress of a table."""

    NOT_STARTED = "not started"
    PLAYING = "playing"
    WAITING = "waiting for the next round"
    FINISHED = "finished"


@dataclass(frozen=True, slots=True)
class TableProgress:
    """A table in the round monitor."""

    section: str
    table: int
    stage: TableStage
    round: int
    """The first round with a board left to play; 0 where there is none."""
    played: int
    """Boards of that round with a result."""
    boards: int
    """Boards of that round."""
    missing: tuple[int, ...]
    """The boards of that round without a result."""
    skipped: tuple[tuple[int, int], ...]
    """Round and board of earlier rounds that have no result though later ones have."""
    is_logged_on: bool
    is_calling: bool
    last_entry: datetime | None
    is_behind: bool
    """True if most tables of its section are already in a later round."""


@dataclass(frozen=True, slots=True)
class BoardProgress:
    """A board in the board monitor: how often it was played, how often it will be, and where it is missing."""

    field: str
    board: int
    played: int
    expected: int
    missing: tuple[tuple[str, int, int], ...]
    """Section, table and round where it has still to be played."""


def round_monitor(view: SessionView) -> list[TableProgress]:
    """Return the progress of every table, by section and table."""
    session = view.session
    found = [table_progress(view, section, table) for section, table in sorted(session.movement.tables)]
    rounds: defaultdict[str, list[int]] = defaultdict(list)
    for line in found:
        rounds[line.section].append(line.round or 10**6)
    return [_behind(line, sorted(rounds[line.section])) for line in found]


def table_progress(view: SessionView, letter: str, table: int) -> TableProgress:
    """Return the progress of one table; without the others it is never behind."""
    session = view.session
    section = session.setup.sections[letter]
    at = session.movement.tables[section.section, table]
    standing = session.results.standing
    missing: list[tuple[int, int]] = []
    latest = 0
    for number, played in enumerate(at.rounds, start=1):
        if not is_played(section, played):
            continue
        for board in played.boards:
            if (section.section, table, number, board) in standing:
                latest = number
            else:
                missing.append((number, board))
    behind = tuple((number, board) for number, board in missing if number < latest)
    ahead = [(number, board) for number, board in missing if number >= latest]
    current = ahead[0][0] if ahead else 0
    boards = at.rounds[current - 1].boards if current else ()
    left = tuple(board for number, board in ahead if number == current)
    if current:
        stage = TableStage.PLAYING if latest or len(left) < len(boards) else TableStage.NOT_STARTED
    else:
        stage = TableStage.WAITING if at.is_waiting else TableStage.FINISHED
    calling = any(
        call.is_open and (call.section, call.table) == (section.section, table)
        for call in session.calls.calls.values()
    )
    return TableProgress(
        section.section,
        table,
        stage,
        current,
        len(boards) - len(left),
        len(boards),
        left,
        behind,
        (section.section, table) in session.tables.logged_on,
        calling,
        view.last_entry.get((section.section, table)),
        False,
    )


def _behind(line: TableProgress, rounds: list[int]) -> TableProgress:
    median = rounds[len(rounds) // 2]
    return replace(line, is_behind=bool(line.round) and line.round < median)


def board_monitor(view: SessionView) -> list[BoardProgress]:
    """Return the progress of every board of every field."""
    session = view.session
    places: defaultdict[tuple[str, int], list[tuple[str, int, int]]] = defaultdict(list)
    for section, table, number, board in sorted(boards_to_play(session)):
        places[view.field_of(section, table), board].append((section, table, number))
    return [
        BoardProgress(
            field,
            board,
            sum((*place, board) in session.results.standing for place in expected),
            len(expected),
            tuple(place for place in expected if (*place, board) not in session.results.standing),
        )
        for (field, board), expected in sorted(places.items())
    ]
