"""Edits of a `.bws` file, addressed by natural key. Both sides compute them as values, and `carry_out` writes them.

Other programs delete and add rows of a live file at any time. So a row is looked up again when it is changed, a column
that the file does not have is skipped, and no other column of the row is changed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from overtrick import jet
from overtrick.bws import schema
from overtrick.bws.rows import is_same_value
from overtrick.errors import OvertrickError


class NotTakenYet(OvertrickError):
    """The other program has not taken the last instruction yet; nothing was written."""

    code = "not-taken-yet"


@dataclass(frozen=True, slots=True)
class Insert:
    """An edit that adds a row."""

    table: str
    values: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Put:
    """An edit that changes the rows with this key, or adds one."""

    table: str
    key: Mapping[str, Any]
    values: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Update:
    """An edit that changes the rows with this key, if they are still as expected."""

    table: str
    key: Mapping[str, Any]
    values: Mapping[str, Any]
    expected: Mapping[str, Any] = field(default_factory=dict)
    or_refuse: str = ""
    """If not empty, the whole batch fails with this message when a row is not as expected."""


@dataclass(frozen=True, slots=True)
class Delete:
    """An edit that deletes the rows with this key."""

    table: str
    key: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class AddTable:
    """An edit that adds a table of the guide if it is missing; Access 97 files stay without it."""

    table: str


@dataclass(frozen=True, slots=True)
class AddFlag:
    """An edit that appends a yes/no field of our own, if it is missing."""

    table: str
    name: str


Edit = Insert | Put | Update | Delete | AddTable | AddFlag


def jet_columns(table: str) -> list[jet.Column]:
    """Return the columns of a table of the guide."""
    return [jet_column(column) for column in schema.TABLES[table]]


_TYPES = {
    schema.FieldType.AUTONUMBER: jet.ColumnType.LONG,
    schema.FieldType.LONG: jet.ColumnType.LONG,
    schema.FieldType.INTEGER: jet.ColumnType.INTEGER,
    schema.FieldType.TEXT: jet.ColumnType.TEXT,
    schema.FieldType.DATE: jet.ColumnType.DATE,
    schema.FieldType.YES_NO: jet.ColumnType.YES_NO,
}


def jet_column(field: schema.TableField) -> jet.Column:
    """Return a field of the guide as a column.

    >>> jet_column(schema.field("Settings", "BM2PINcode")).default
    '"0000"'
    """
    default = field.default
    if isinstance(default, str):
        default = f'"{default}"'
    return jet.Column(
        field.name,
        _TYPES[field.kind],
        field.size or 0,
        autonumber=field.kind is schema.FieldType.AUTONUMBER,
        default=None if default is None else str(default),
        allow_zero_length=field.zero_length,
    )


def carry_out(db: jet.Database, edits: Iterable[Edit]) -> int:
    """Carry out edits in order under the file's write lock; return the number of changes.

    Raise NotTakenYet and write nothing if an edit with `or_refuse` finds an unexpected row.
    """
    edits = list(edits)
    if not edits:
        return 0
    with db.writing():
        tables = _Tables(db)
        for edit in edits:
            if isinstance(edit, Update) and edit.or_refuse and not tables.is_as_expected(edit):
                raise NotTakenYet(edit.or_refuse, where=str(db.path))
        return sum(tables.carry_out(edit) for edit in edits)


class _Tables:
    """The tables of an open file, each read once and kept up to date while edits are carried out."""

    def __init__(self, db: jet.Database) -> None:
        self._db = db
        self._open: dict[str, _OpenTable | None] = {}

    def table(self, name: str) -> _OpenTable | None:
        if name not in self._open:
            self._open[name] = _OpenTable(self._db[name]) if name in self._db else None
        return self._open[name]

    def is_as_expected(self, edit: Update) -> bool:
        """Return whether the row exists and has the expected values."""
        table = self.table(edit.table)
        rows = table.find(edit.key) if table is not None else []
        return bool(rows) and all(
            is_same_value(row.get(name), value) for row in rows for name, value in edit.expected.items()
        )

    def carry_out(self, edit: Edit) -> int:
        if isinstance(edit, AddTable):
            if self.table(edit.table) is not None or self._db.version == "Access 97":
                return 0
            self._db.create_table(edit.table, jet_columns(edit.table))
            del self._open[edit.table]
            return 1
        table = self.table(edit.table)
        if table is None:
            return 0
        match edit:
            case AddFlag():
                if table.has(edit.name):
                    return 0
                table.table.add_column(jet.Column(edit.name, jet.ColumnType.YES_NO, default="False"))
                del self._open[edit.table]
                return 1
            case Insert():
                table.insert(edit.values)
                return 1
            case Put():
                rows = table.find(edit.key)
                if not rows:
                    table.insert({**edit.key, **edit.values})
                    return 1
                return sum(table.update(row, edit.values) for row in rows)
            case Update():
                return sum(
                    table.update(row, edit.values)
                    for row in table.find(edit.key)
                    if all(is_same_value(row.get(name), value) for name, value in edit.expected.items())
                )
            case Delete():
                rows = table.find(edit.key)
                for row in rows:
                    table.delete(row)
                return len(rows)


class _OpenTable:
    """One table with its rows, indexed by natural key."""

    def __init__(self, table: jet.Table) -> None:
        self.table = table
        self._columns = {column.name.casefold(): column for column in table.columns}
        self._rows = {row.id: row for row in table.rows()}
        self._indexes: dict[tuple[str, ...], dict[tuple[Any, ...], list[int]]] = {}

    def has(self, name: str) -> bool:
        return name.casefold() in self._columns

    def find(self, key: Mapping[str, Any]) -> list[jet.Row]:
        """Return the rows with this key; a key column that the file lacks counts as 0 or empty."""
        names = tuple(key)
        index = self._indexes.get(names)
        if index is None:
            index = self._indexes[names] = {}
            for row in self._rows.values():
                index.setdefault(self._key(row, names), []).append(row.id)
        values = tuple(value or None for value in key.values())
        return [self._rows[id] for id in index.get(values, ())]

    def _key(self, row: jet.Row, names: tuple[str, ...]) -> tuple[Any, ...]:
        return tuple((row[name] if self.has(name) else None) or None for name in names)

    def insert(self, values: Mapping[str, Any]) -> None:
        self._index_row(self.table.insert(self._existing_columns(values)))

    def update(self, row: jet.Row, values: Mapping[str, Any]) -> int:
        changes = {
            name: value for name, value in self._existing_columns(values).items() if row[name] != value
        }
        if not changes:
            return 0
        changed = self.table.update(row, changes)
        self._unindex_row(row)
        self._index_row(changed)
        return 1

    def delete(self, row: jet.Row) -> None:
        self.table.delete(row)
        self._unindex_row(row)

    def _index_row(self, row: jet.Row) -> None:
        self._rows[row.id] = row
        for names, index in self._indexes.items():
            index.setdefault(self._key(row, names), []).append(row.id)

    def _unindex_row(self, row: jet.Row) -> None:
        del self._rows[row.id]
        for names, index in self._indexes.items():
            index[self._key(row, names)].remove(row.id)

    def _existing_columns(self, values: Mapping[str, Any]) -> dict[str, Any]:
        existing: dict[str, Any] = {}
        for name, value in values.items():
            column = self._columns.get(name.casefold())
            if column is None:
                continue
            if value == "" and column.type is jet.ColumnType.TEXT and not column.allow_zero_length:
                value = None
            existing[column.name] = value
        return existing
