"""Lookup of rows by values: through an index that starts with the requested columns, else by reading all rows."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from overtrick.jet.collation import KeyUnknown
from overtrick.jet.columns import Column, ColumnType
from overtrick.jet.definition import IndexDefinition
from overtrick.jet.errors import NoSuchColumn, RowGone, ValueRefused
from overtrick.jet.index_keys import key_of
from overtrick.jet.index_tree import IndexTree
from overtrick.jet.layout import Layout
from overtrick.jet.page_file import PageFile
from overtrick.jet.values import Value, encode_scalar, scalar_decoder

if TYPE_CHECKING:
    from overtrick.jet.table import Row, Table


class LookupValues:
    """The values that rows are looked up by, checked against their columns.

    A value is compared in the form in which it would come back from the file: 12.5 finds Decimal("12.5") in a
    money column. Text is compared exactly; an index holds upper and lower case under one key, so each row that
    it leads to is still compared.
    """

    def __init__(
        self, table: str, columns: tuple[Column, ...], values: Mapping[str, Any], layout: Layout
    ) -> None:
        if not values:
            raise ValueRefused("Name a column and a value, for example ID=3.", where=f"table {table}")
        by_name = {column.name.casefold(): column for column in columns}
        self._layout = layout
        self._columns = {column.number: column for column in columns}
        self._raw: dict[int, bytes | bool | None] = {}
        self._values: dict[str, Value] = {}
        for name, value in values.items():
            column = by_name.get(name.casefold())
            if column is None:
                raise NoSuchColumn(f"Table {table} has no column {name}.")
            self._add(column, value)

    def _add(self, column: Column, value: Any) -> None:
        if column.type is ColumnType.YES_NO:
            self._raw[column.number] = self._values[column.name] = bool(value)
        elif value is None or column.type.is_long_value:
            if value is None:
                self._raw[column.number] = None
            self._values[column.name] = value
        else:
            raw = self._raw[column.number] = encode_scalar(column, value, self._layout)
            self._values[column.name] = scalar_decoder(column, self._layout)(raw)

    def matches(self, row: "Row") -> bool:
        """Return whether a row has all the values."""
        return all(row[name] == value for name, value in self._values.items())

    def key_prefix(self, index: IndexDefinition) -> tuple[int, bytes]:
        """Return the number of leading columns of an index that have a value, and the start of their keys."""
        columns = []
        for number, ascending in index.columns:
            if number not in self._raw:
                break
            columns.append((number, ascending))
        if not columns or (index.ignores_nulls and any(self._raw[number] is None for number, _ in columns)):
            return 0, b""
        present = {number: raw for number, raw in self._raw.items() if raw is not None}
        partial = replace(index, columns=tuple(columns), flags=0)
        try:
            return len(columns), key_of(partial, self._columns, present, self._layout) or b""
        except (KeyUnknown, KeyError):
            return 0, b""


def indexed_rows(table: "Table", file: PageFile, lookup: LookupValues) -> list["Row"] | None:
    """Return the rows that the best index leads to, None if no index helps."""
    definition = table.definition
    prefixes = [(lookup.key_prefix(index), index) for index in definition.indexes]
    (length, prefix), index = max(
        prefixes, key=lambda entry: (entry[0][0], entry[1].unique), default=((0, b""), None)
    )
    if index is None or not length:
        return None
    tree = IndexTree(file, index, definition.page)
    return list(_present_rows(table, tree.pointers(prefix)))


def _present_rows(table: "Table", pointers: Iterator[int]) -> Iterator["Row"]:
    for pointer in pointers:
        try:
            yield table.row(pointer)
        except RowGone:  # a crash left the entry of a row that was deleted
            continue
