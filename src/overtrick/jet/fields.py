"""Values for a row, from what a programmer gives to the bytes of fields: checks, defaults, autonumbers."""

import re
import struct
from collections.abc import Callable, Mapping
from datetime import datetime, time
from decimal import Decimal
from typing import Any
from uuid import uuid4

from overtrick.jet.columns import Column, ColumnType
from overtrick.jet.definition import COLUMN_AUTO_GUID
from overtrick.jet.errors import DamagedAccessFile, NoSuchColumn, ValueRefused
from overtrick.jet.layout import Layout
from overtrick.jet.properties import ZERO_LENGTH
from overtrick.jet.rowcodec import Remembered
from overtrick.jet.values import DAY_ZERO, decode_date, encode_scalar, encode_text

Keep = Callable[[Column, bytes], bytes]
"""Keeps a long value outside its row and gives the bytes that stand for it."""


def default_of(column: Column, now: datetime) -> Any:
    """The value that a column's default stands for; None for an expression that only Access can work out.

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
        return (quoted[1] or "").replace('""', '"') or (quoted[2] or "").replace("''", "'")
    number = {"true": "-1", "yes": "-1", "false": "0", "no": "0"}.get(lower, text)
    make = _NUMBER_OF.get(column.type)
    try:
        return make(number) if make is not None else None
    except (ValueError, ArithmeticError, DamagedAccessFile):
        return None


_NUMBER_OF: dict[ColumnType, Callable[[str], Any]] = {
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


class FieldEncoder:
    """Encodes the values of one table's rows."""

    def __init__(self, columns: tuple[Column, ...], layout: Layout, table: str) -> None:
        self._columns = columns
        self._layout = layout
        self._table = table
        self._by_name = {column.name.casefold(): column for column in columns}
        self._encoders = {column.number: self._encoder(column) for column in columns}

    def _encoder(self, column: Column) -> Callable[[Any], bytes]:
        layout = self._layout
        forbidden = column.properties.get(ZERO_LENGTH) is False

        def encode(value: Any) -> bytes:
            if value == "" and forbidden and isinstance(value, str):
                raise ValueRefused("Empty text is not allowed here.", where=f"column {column.name}")
            return encode_scalar(column, value, layout)

        remembered: Remembered[Any, bytes] = Remembered(encode)

        def look_up(value: Any) -> bytes:
            try:
                return remembered[value]
            except TypeError:  # what cannot be hashed is not remembered
                return encode(value)

        return look_up

    def by_number(self, values: Mapping[str, Any]) -> dict[int, Any]:
        """The values by column number; a name that the table does not have is refused."""
        found: dict[int, Any] = {}
        for name, value in values.items():
            column = self._by_name.get(name.casefold())
            if column is None:
                raise NoSuchColumn(f"Table {self._table} has no column {name}.")
            found[column.number] = value
        return found

    def raw(self, column: Column, value: Any, keep: Keep) -> bytes | bool | None:
        """The bytes of one value, a bool for yes/no, None for null."""
        if column.type is ColumnType.YES_NO:
            return bool(value)
        if value is None:
            if column.required:
                raise ValueRefused("A value is needed here.", where=f"column {column.name}")
            return None
        if column.type.is_long_value:
            return keep(column, self._long_bytes(column, value))
        return self._encoders[column.number](value)

    def _long_bytes(self, column: Column, value: Any) -> bytes:
        try:
            if column.type is ColumnType.MEMO:
                return encode_text(column, value, self._layout)
            return bytes(memoryview(value))
        except TypeError:
            raise ValueRefused(
                f"{value!r} is not a value for a {column.type.word} column.", where=f"column {column.name}"
            ) from None

    def new_row(
        self, values: Mapping[str, Any], next_number: Callable[[], int], keep: Keep, now: datetime
    ) -> dict[int, bytes | bool]:
        """The fields of a new row, with defaults and autonumbers filled in."""
        given = self.by_number(values)
        fields: dict[int, bytes | bool] = {}
        for column in self._columns:
            number = column.number
            if number in given and (given[number] is not None or not column.autonumber):
                value = given[number]
            elif column.autonumber:
                value = uuid4() if column.flags & COLUMN_AUTO_GUID else next_number()
            elif column.default is not None:
                value = default_of(column, now)
            else:
                value = None
            raw = self.raw(column, value, keep)
            if raw is not None:
                fields[number] = raw
        return fields


def long_number(raw: bytes | bool | None) -> int:
    """The number in a long field, 0 when it is null."""
    return struct.unpack("<i", raw)[0] if isinstance(raw, bytes) and len(raw) == 4 else 0
