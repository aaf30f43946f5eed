"""Rows, from the bytes of their values to the bytes of a row; the counterpart of `row_decoder`."""

import struct
from collections.abc import Mapping
from typing import Any

from overtrick.jet.columns import Column, ColumnType
from overtrick.jet.definition import TableDefinition
from overtrick.jet.errors import DamagedAccessFile, ValueRefused
from overtrick.jet.layout import Layout

RawFields = Mapping[int, bytes | bool]

DROPPED = -1
"""The number of a column that was dropped: no row has a value for it, and its place stays."""


class RowEncoder:
    """An encoder for the rows of one table.

    A row is the number of columns, the fixed values at their offsets, the variable values, their offsets, and a
    mask with a bit for each column that is not null; a yes/no column has its value in the mask and nowhere else.
    """

    def __init__(self, definition: TableDefinition, layout: Layout) -> None:
        self._layout = layout
        self._column_count = definition.max_columns.to_bytes(layout.row_count_size, "little")
        self._mask_size = (definition.max_columns + 7) // 8
        self._yes_no = [c.number for c in definition.columns if c.type is ColumnType.YES_NO]
        self._fixed = _fixed_values(definition)
        fixed_size = sum(len(null) for _, null in self._fixed)
        self._variable_start = layout.row_count_size + fixed_size
        numbers = {c.variable_index: c.number for c in definition.columns if c.fixed_offset is None}
        self._variable = [numbers.get(index, DROPPED) for index in range(definition.variable_columns)]
        self._offsets = struct.Struct(f"<{definition.variable_columns + 2}H")

    def encode(self, raw: RawFields) -> bytes:
        """Return the row that holds these values; a value that is left out is null."""
        get, mask = raw.get, 0
        parts: list[Any] = [self._column_count]
        for number in self._yes_no:
            if get(number):
                mask |= 1 << number
        for number, null in self._fixed:
            value = get(number)
            if value is None:
                parts.append(null)
            else:
                mask |= 1 << number
                parts.append(value)
        end = self._variable_start
        offsets = [end]
        for number in self._variable:
            variable: Any = get(number)
            if variable is not None:
                mask |= 1 << number
                parts.append(variable)
                end += len(variable)
            offsets.append(end)
        if self._variable:
            parts.append(self._tail(offsets))
        parts.append(mask.to_bytes(self._mask_size, "little"))
        row = b"".join(parts)
        if len(row) > self._layout.largest_row:
            raise ValueRefused(
                f"The row needs {len(row)} bytes, more than the {self._layout.largest_row} "
                f"that {self._layout.name} can keep."
            )
        return row

    def _tail(self, offsets: list[int]) -> bytes:
        """Return the offsets of the variable values, the last first, and the end of the last one before them."""
        if self._layout.is_jet3:
            return _jet3_tail(offsets, self._mask_size)
        return self._offsets.pack(*reversed(offsets), len(self._variable))


def _fixed_values(definition: TableDefinition) -> list[tuple[int, bytes]]:
    """Return the columns with a fixed place, in order, with the bytes of null; a gap has the number DROPPED."""
    fixed = [column for column in definition.columns if end_of(column)]
    values: list[tuple[int, bytes]] = []
    end = 0
    for column in sorted(fixed, key=lambda column: column.fixed_offset or 0):
        offset = column.fixed_offset or 0
        if offset < end:
            raise DamagedAccessFile("Two columns overlap.")
        if offset > end:
            values.append((DROPPED, bytes(offset - end)))
        values.append((column.number, bytes(column.fixed_size)))
        end = offset + column.fixed_size
    return values


def end_of(column: Column) -> int:
    """Return where a fixed column ends among the fixed values, 0 for any other."""
    if column.fixed_offset is None or column.type is ColumnType.YES_NO:
        return 0
    return column.fixed_offset + column.fixed_size


def _jet3_tail(offsets: list[int], mask_size: int) -> bytes:
    """Return the tail of a Jet 3 row: offsets modulo 256, the jump table, and the number of variable values.

    Entry n of the jump table is the first value whose offset is at least 256 * (n + 1), ff if there is none. It has an
    entry for each whole 256 bytes of the row, itself included, hence the loop.
    """
    count = len(offsets) - 1
    length = offsets[-1] + len(offsets) + 1 + mask_size
    jumps = 0
    while (length + jumps - 1) // 256 > jumps:
        jumps += 1
    marks = [
        next((n for n, offset in enumerate(offsets) if offset >= 256 * (jump + 1)), 0xFF)
        for jump in range(jumps)
    ]
    return bytes(offset & 0xFF for offset in reversed(offsets)) + bytes(reversed(marks)) + bytes([count])
