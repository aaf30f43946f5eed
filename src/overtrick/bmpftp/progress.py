"""The progress of a session, computed from its `.bws` file. Pure: no I/O."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from overtrick.bws.boards import boards_of
from overtrick.bws.contents import Contents
from overtrick.bws.rows import RoundRow
from overtrick.errors import BadInput


@dataclass(frozen=True, slots=True)
class FileTableProgress:
    """The progress of one table; `is_on` if its terminal is logged on."""

    name: str
    is_on: bool
    round: int
    results: int
    boards: int
    instruction: int
    """The pending instruction; 0 for none."""


@dataclass(frozen=True, slots=True)
class Progress:
    """The progress of the whole session."""

    tables: tuple[FileTableProgress, ...] = ()
    undelivered: int = 0
    """The number of results that are not marked as processed."""

    @property
    def results(self) -> int:
        """Return the number of results."""
        return sum(table.results for table in self.tables)

    @property
    def boards(self) -> int:
        """Return the number of boards to play."""
        return sum(table.boards for table in self.tables)


def progress_of(contents: Contents) -> Progress:
    """Compute the progress of a session."""
    letters = {row.id: row.letter for row in contents.sections}
    missing = {row.id: abs(row.missing_pair) for row in contents.sections}
    rounds: dict[tuple[int, int], dict[int, int]] = {}
    for row in contents.rounds:
        boards = rounds.setdefault((row.section, row.table), {})
        boards[row.round] = _boards(row, missing.get(row.section, 0))
    results = Counter(place[:3] for place in contents.standing())
    tables = []
    for table in sorted(contents.tables, key=lambda row: (row.section, row.table)):
        place = table.section, table.table
        boards = rounds.get(place, {})
        open_rounds = (number for number in sorted(boards) if results[*place, number] < boards[number])
        tables.append(
            FileTableProgress(
                f"{letters.get(table.section, table.section)}{table.table}",
                table.log_on_off == 1,
                table.current_round or next(open_rounds, max(boards, default=0)),
                sum(count for at, count in results.items() if at[:2] == place),
                sum(boards.values()),
                table.instruction,
            )
        )
    return Progress(tuple(tables), sum(not row.processed for row in contents.results))


def _boards(row: RoundRow, missing: int) -> int:
    if not (row.ns and row.ew) or (missing and missing in (row.ns, row.ew)):
        return 0
    try:
        return len(boards_of(row))
    except BadInput:
        return 0
