"""Encoding of Python values as the fields of a row: checks, defaults, autonumbers."""

import re
import struct
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, time
from decimal import Decimal
from typing import Any
from uuid import uuid4

from overtrick.jet.columns import Column, ColumnType
from overtrick.jet.errors import DamagedAccessFile, NoSuchColumn, ValueRefused
from overtrick.jet.layout import Layout
from overtrick.jet.properties import ZERO_LENGTH
from overtrick.jet.row_decoder import BoundedCache
from overtrick.jet.values import DAY_ZERO, decode_date, encode_scalar, encode_text

StoreLongValue = Callable[[Column, bytes], bytes]
"""Stores a long value outside its row and returns the bytes that stand for it in the row."""

_MOST_PLANS = 64


def default_of(column: Column, now: datetime) -> Any:
    """Return the value that a column's default stands for; None if it has none, or one that only Access can evaluate.

    >>> text = Column("Name", ColumnType.TEXT, default='"N"')
    >>> default_of(text, datetime(2026, 1, 2))
    'N'
    """
    text = (column.default or "").strip().removeprefix("=").strip()
    if not text:
        return None
    lower = text.lower()
    if column.type is ColumnType.YES_NO:
        return lower in ("true", "yes", "on", "-1", "1")
    if lower in ("now()", "date()", "time()"):
        moments = {"now()": now, "date()": datetime.combine(now, time()), "time()": _time_only(now)}
        return moments[lower] if column.type is ColumnType.DATE else None
    if column.type in (ColumnType.TEXT, ColumnType.MEMO):
        quoted = re.fullmatch(r"\"((?:[^\"]|\"\")*)\"|'((?:[^']|'')*)'", text)
        if quoted is None:
            return text if re.fullmatch(r"[\w.+-]+", text) else None
        plain = (quoted[1] or "").replace('""', '"') or (quoted[2] or "").replace("''", "'")
        # An empty default stands for no value if the column does not allow empty text.
        return None if not plain and column.properties.get(ZERO_LENGTH) is False else plain
    number = {"true": "-1", "yes": "-1", "false": "0", "no": "0"}.get(lower, text)
    parse = _NUMBER_PARSERS.get(column.type)
    try:
        return parse(number) if parse is not None else None
    except (ValueError, ArithmeticError, DamagedAccessFile):
        return None


_NUMBER_PARSERS: dict[ColumnType, Callable[[str], Any]] = {
    ColumnType.BYTE: int,
    ColumnType.INTEGER: int,
    ColumnType.LONG: int,
    ColumnType.MONEY: Decimal,
    ColumnType.NUMERIC: Decimal,
    ColumnType.SINGLE: float,
    ColumnType.DOUBLE: float,
    ColumnType.DATE: lambda days: decode_date(float(days)),
}


def _time_only(now: datetime) -> datetime:
    return datetime.combine(DAY_ZERO, now.time().replace(microsecond=0))


@dataclass(slots=True)
class _Plan:
    """The steps that encode rows with the same column names, computed once for all of them."""

    direct: list[tuple[str, int, Callable[[Any], bytes | bool]]]
    """The names whose values need one function call, with column number and function."""
    checked: list[tuple[str, Column]]
    """Name and column of the values that need checks or more steps, such as memos; the name is empty if the row has no
    value for the column."""
    autonumbers: list[Column]
    """The autonumber columns for which the row has no value."""
    constant: dict[int, bytes | bool]
    """Fields that are the same in every row: constant defaults, and False for yes/no columns without a default."""
    current_time: list[Column]
    """Columns whose default has a function call, such as Now(); it is evaluated for each row."""


class FieldEncoder:
    """An encoder for the values of one table's rows."""

    def __init__(self, columns: tuple[Column, ...], layout: Layout, table: str) -> None:
        self._columns = columns
        self._layout = layout
        self._table = table
        self._by_name = {column.name.casefold(): column for column in columns}
        self._cached_encoders = {column.number: self._encoder(column) for column in columns}
        self._plans: dict[tuple[str, ...], _Plan] = {}

    def _encoder(self, column: Column) -> BoundedCache[Any, bytes]:
        layout = self._layout
        forbids_empty = column.properties.get(ZERO_LENGTH) is False

        def encode(value: Any) -> bytes:
            if value == "" and forbids_empty and isinstance(value, str):
                raise ValueRefused("This column does not allow empty text.", where=f"column {column.name}")
            return encode_scalar(column, value, layout)

        return BoundedCache(encode)

    def _scalar(self, column: Column, value: Any) -> bytes:
        try:
            return self._cached_encoders[column.number][value]
        except TypeError:  # a value that cannot be hashed is not cached
            return encode_scalar(column, value, self._layout)

    def _column(self, name: str) -> Column:
        column = self._by_name.get(name.casefold())
        if column is None:
            raise NoSuchColumn(f"Table {self._table} has no column {name}.")
        return column

    def by_number(self, values: Mapping[str, Any]) -> dict[int, Any]:
        """Return the values by column number; a name that the table does not have is refused."""
        return {self._column(name).number: value for name, value in values.items()}

    def raw(self, column: Column, value: Any, store_long: StoreLongValue) -> bytes | bool | None:
        """Return the bytes of one value, a bool for yes/no, None for null."""
        if column.type is ColumnType.YES_NO:
            return bool(value)
        if value is None:
            if column.required:
                raise ValueRefused("This column needs a value.", where=f"column {column.name}")
            return None
        if column.type.is_long_value:
            return store_long(column, self._long_bytes(column, value))
        return self._scalar(column, value)

    def _long_bytes(self, column: Column, value: Any) -> bytes:
        try:
            if column.type is ColumnType.MEMO:
                return encode_text(column, value, self._layout)
            return bytes(memoryview(value))
        except TypeError:
            raise ValueRefused(
                f"{value!r} does not fit a column of type {column.type.word}.", where=f"column {column.name}"
            ) from None

    def _plan(self, names: tuple[str, ...]) -> _Plan:
        plan = _Plan([], [], [], {}, [])
        unset = {column.number: column for column in self._columns}
        for name in names:
            column = self._column(name)
            if unset.pop(column.number, None) is None:
                raise ValueRefused(f"Column {column.name} is given twice.")
            if column.type is ColumnType.YES_NO:
                plan.direct.append((name, column.number, bool))
            elif column.autonumber or column.type.is_long_value or column.required:
                plan.checked.append((name, column))
            else:
                plan.direct.append((name, column.number, self._cached_encoders[column.number].__getitem__))
        for column in unset.values():
            if column.autonumber:
                plan.autonumbers.append(column)
            elif "()" in (column.default or ""):
                plan.current_time.append(column)
            elif column.type.is_long_value or (column.required and column.default is None):
                plan.checked.append(("", column))
            else:
                raw = self.raw(column, default_of(column, DAY_ZERO), lambda _, value: value)
                if raw is not None:
                    plan.constant[column.number] = raw
        if len(self._plans) > _MOST_PLANS:
            self._plans.clear()
        self._plans[names] = plan
        return plan

    def new_row(
        self,
        values: Mapping[str, Any],
        next_number: Callable[[], int],
        store_long: StoreLongValue,
        now: datetime,
    ) -> dict[int, bytes | bool]:
        """Return the fields of a new row, with defaults and autonumbers filled in."""
        names = tuple(values)
        plan = self._plans.get(names) or self._plan(names)
        fields = plan.constant.copy()
        for name, number, encode in plan.direct:
            value = values[name]
            if value is not None:
                try:
                    fields[number] = encode(value)
                except TypeError:
                    fields[number] = self._scalar(self._column(name), value)
        for name, column in plan.checked:
            value = values[name] if name else default_of(column, now)
            if value is None and column.autonumber:
                value = self._number(column, next_number)
            raw = self.raw(column, value, store_long)
            if raw is not None:
                fields[column.number] = raw
        for column in plan.autonumbers:
            fields[column.number] = encode_scalar(column, self._number(column, next_number), self._layout)
        for column in plan.current_time:
            raw = self.raw(column, default_of(column, now), store_long)
            if raw is not None:
                fields[column.number] = raw
        return fields

    @staticmethod
    def _number(column: Column, next_number: Callable[[], int]) -> Any:
        return uuid4() if column.type is ColumnType.GUID else next_number()


def long_number(raw: bytes | bool | None) -> int:
    """Return the number in a long field, 0 when it is null."""
    return struct.unpack("<i", raw)[0] if isinstance(raw, bytes) and len(raw) == 4 else 0
