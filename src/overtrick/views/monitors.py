"""The director's monitors: the progress of each table, and the tables where each board is played. Pure."""

from collections import defaultdict
from dataclasses import dataclass, replace
from datetime import datetime
from enum import Enum

from overtrick.event import Session
from overtrick.event.movement import boards_to_play, is_played
from overtrick.event.place import Place
from overtrick.views.session import SessionView


class TableStage(Enum):
    """The stage that a table is in; the value is the text on the page."""

    NOT_STARTED = "not started"
    PLAYING = "playing"
    WAITING = "waiting for the next round"
    FINISHED = "finished"
    UNUSED = "nobody plays here"


@dataclass(frozen=True, slots=True)
class TableProgress:
    """A table in the round monitor."""

    section: str
    table: int
    stage: TableStage
    round: int
    """The round that is played: the first with a board missing, from the round of the latest result on; 0 if there is
    none.
    """
    played: int
    """Boards of that round with a result."""
    boards: int
    """Boards of that round."""
    missing: tuple[int, ...]
    """The boards of that round without a result."""
    skipped: tuple[tuple[int, int], ...]
    """Round and board, in rounds before that of the latest result, without a result."""
    is_logged_on: bool
    is_calling: bool
    last_entry: datetime | None
    is_behind: bool
    """True if at least half of the tables of its section are in a later round or have no boards left."""


@dataclass(frozen=True, slots=True)
class BoardProgress:
    """A board in the board monitor: the number of its results so far and in all, and the tables still to play it."""

    field: str
    board: int
    played: int
    expected: int
    missing: tuple[tuple[str, int, int], ...]
    """Section, table and round where it has no result."""


def round_monitor(view: SessionView) -> list[TableProgress]:
    """Return the progress of every table, by section and table."""
    session = view.session
    lines = [table_progress(view, section, table) for section, table in sorted(session.movement.tables)]
    rounds: defaultdict[str, list[int]] = defaultdict(list)
    for line in lines:
        # A table without boards left counts as ahead of the others, one that nobody plays at does not count.
        if line.stage is not TableStage.UNUSED:
            rounds[line.section].append(line.round or 10**6)
    return [_with_is_behind(line, sorted(rounds[line.section])) if line.round else line for line in lines]


def table_progress(view: SessionView, letter: str, table: int) -> TableProgress:
    """Return the progress of one table; `is_behind` is False, because it depends on the other tables."""
    session = view.session
    section = session.setup.sections[letter]
    table_rounds = session.movement.tables[section.section, table]
    standing = session.results.standing
    missing: list[tuple[int, int]] = []
    latest = 0
    for number, round_ in enumerate(table_rounds.rounds, start=1):
        if not is_played(section, round_):
            continue
        for board in round_.boards:
            if (section.section, table, number, board) in standing:
                latest = number
            else:
                missing.append((number, board))
    skipped = tuple((number, board) for number, board in missing if number < latest)
    to_play = [(number, board) for number, board in missing if number >= latest]
    current = to_play[0][0] if to_play else 0
    boards = table_rounds.rounds[current - 1].boards if current else ()
    missing_now = tuple(board for number, board in to_play if number == current)
    if current:
        stage = TableStage.PLAYING if latest or len(missing_now) < len(boards) else TableStage.NOT_STARTED
    elif table_rounds.is_waiting:
        stage = TableStage.WAITING
    else:
        is_used = any(is_played(section, round_) for round_ in table_rounds.rounds)
        stage = TableStage.FINISHED if is_used else TableStage.UNUSED
    is_calling = any(
        call.is_open and (call.section, call.table) == (section.section, table)
        for call in session.calls.calls.values()
    )
    return TableProgress(
        section.section,
        table,
        stage,
        current,
        len(boards) - len(missing_now),
        len(boards),
        missing_now,
        skipped,
        (section.section, table) in session.tables.logged_on,
        is_calling,
        view.last_entry.get((section.section, table)),
        False,
    )


def _with_is_behind(line: TableProgress, rounds: list[int]) -> TableProgress:
    median = rounds[len(rounds) // 2]
    return replace(line, is_behind=bool(line.round) and line.round < median)


def missing_results(session: Session) -> list[Place]:
    """Return the places of the movement without a result, in order of section, table, round and board."""
    return sorted(place for place in boards_to_play(session) if place not in session.results.standing)


def board_monitor(view: SessionView) -> list[BoardProgress]:
    """Return the progress of every board, by field and board number."""
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
