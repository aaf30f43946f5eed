"""All rows of a `.bws` file as typed values, for the control side and the scoring side.

Records which tables and columns the file has. Makes no decisions: those are in the modules of the two sides.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from overtrick import jet
from overtrick.bws.rows import (
    CallRow,
    CardRow,
    ClientRow,
    FreeRow,
    PlayerNameRow,
    PlayerNumberRow,
    ResultRow,
    RoundRow,
    SectionRow,
    SessionRow,
    TableRow,
    Values,
    read_rows,
)
from overtrick.errors import BadInput


class NotABwsFile(BadInput):
    """An Access file without the tables of a bridge session."""

    code = "not-bws"


@dataclass(frozen=True, slots=True)
class Contents:
    """The rows of a file, table by table."""

    name: str = ""
    """The name of the file, without folder and extension."""
    columns: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """The columns of each table in the file; the key is the table's name in the developer's guide."""
    clients: tuple[ClientRow, ...] = ()
    sessions: tuple[SessionRow, ...] = ()
    sections: tuple[SectionRow, ...] = ()
    tables: tuple[TableRow, ...] = ()
    rounds: tuple[RoundRow, ...] = ()
    results: tuple[ResultRow, ...] = ()
    contracts: tuple[ResultRow, ...] = ()
    player_numbers: tuple[PlayerNumberRow, ...] = ()
    player_names: tuple[PlayerNameRow, ...] = ()
    settings: tuple[FreeRow, ...] = ()
    calls: tuple[CallRow, ...] = ()
    cards: tuple[CardRow, ...] = ()
    hand_records: tuple[FreeRow, ...] = ()
    evaluations: tuple[FreeRow, ...] = ()

    def has(self, table: str, column: str | None = None) -> bool:
        """Return whether the file has a table, or a column of it; case does not matter."""
        present = self.columns.get(table)
        if present is None or column is None:
            return present is not None
        folded = column.casefold()
        return any(name.casefold() == folded for name in present)

    def standing(self) -> dict[tuple[int, int, int, int], ResultRow]:
        """Return the current result of each board: of two rows that are not erased, the one with the higher ID."""
        return newest_by_board(self.results)


ROW_TYPES: dict[str, tuple[str, type[Any]]] = {
    "Clients": ("clients", ClientRow),
    "Session": ("sessions", SessionRow),
    "Section": ("sections", SectionRow),
    "Tables": ("tables", TableRow),
    "RoundData": ("rounds", RoundRow),
    "ReceivedData": ("results", ResultRow),
    "IntermediateData": ("contracts", ResultRow),
    "PlayerNumbers": ("player_numbers", PlayerNumberRow),
    "PlayerNames": ("player_names", PlayerNameRow),
    "Settings": ("settings", FreeRow),
    "BiddingData": ("calls", CallRow),
    "PlayData": ("cards", CardRow),
    "HandRecord": ("hand_records", FreeRow),
    "HandEvaluation": ("evaluations", FreeRow),
}
"""For each table of the developer's guide: its attribute in `Contents`, and its row type."""

SESSION_TABLES = ("Section", "RoundData", "ReceivedData")
"""A file of a bridge session has at least one of these tables."""


def newest_by_board(rows: Iterable[ResultRow]) -> dict[tuple[int, int, int, int], ResultRow]:
    """Return the current row of each board (the newest that is not erased), by section, table, round and board."""
    results: dict[tuple[int, int, int, int], ResultRow] = {}
    for row in sorted(rows, key=lambda row: row.id):
        if not row.erased:
            results[row.place] = row
    return results


def contents_of(
    rows: Mapping[str, Iterable[Values]], columns: Mapping[str, Iterable[str]] | None = None, name: str = ""
) -> Contents:
    """Build contents from raw rows; a table that is not in `columns` has all columns of the schema.

    >>> contents_of({"Section": [{"ID": 1, "Letter": "A"}]}).sections[0].letter
    'A'
    """
    if columns is None or rows.keys() - columns.keys():
        # Imported late: the schema loads the settings of the domain, which `overtrick bws info` does not need.
        from overtrick.bws.schema import TABLES

        columns = {table: [column.name for column in TABLES[table]] for table in rows} | dict(columns or {})
    columns_of = {table: tuple(columns[table]) for table in rows}
    typed = {ROW_TYPES[table][0]: read_rows(ROW_TYPES[table][1], values) for table, values in rows.items()}
    return Contents(name=name, columns=columns_of, **typed)


def read_contents(db: jet.Database) -> Contents:
    """Read everything that an open file holds."""
    rows: dict[str, list[Values]] = {}
    columns: dict[str, list[str]] = {}
    # The lock keeps other Overtrick processes from writing, so that a table and its rounds belong together.
    with db.reading():
        actual_names = {name.casefold(): name for name in db.tables}
        for table in ROW_TYPES:
            name = actual_names.get(table.casefold())
            if name is None:
                continue
            stored = db[name]
            rows[table] = [dict(row) for row in stored.rows()]
            columns[table] = [column.name for column in stored.definition.columns]
    if not any(table in rows for table in SESSION_TABLES):
        raise NotABwsFile(
            f"This Access file has none of the tables {', '.join(SESSION_TABLES)}, so it is not a bridge session.",
            where=str(db.path),
        )
    return contents_of(rows, columns, Path(db.path).stem)


def open_contents(path: str | Path) -> Contents:
    """Open a file, read everything that it holds, and close it."""
    with jet.open(path) as db:
        return read_contents(db)
