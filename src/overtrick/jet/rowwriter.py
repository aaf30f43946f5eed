"""Rows, from the bytes of their values to the bytes of a row; the counterpart of `rowcodec`."""

import struct
from collections.abc import Mapping

from overtrick.jet.columns import Column, ColumnType
from overtrick.jet.definition import TableDefinition
from overtrick.jet.errors import ValueRefused
from overtrick.jet.layout import Layout

RawFields = Mapping[int, bytes | bool]


class RowJoiner:
    """Makes the rows of one table."""

    def __init__(self, definition: TableDefinition, layout: Layout) -> None:
        self._layout = layout
        self._head = definition.max_columns.to_bytes(layout.row_count_size, "little")
        self._mask_size = (definition.max_columns + 7) // 8
        self._variable_count = definition.variable_columns
        self._fixed: list[tuple[int, int, bytes]] = []
        at = 0
        fixed = [column for column in definition.columns if end_of(column)]
        for column in sorted(fixed, key=lambda column: column.fixed_offset or 0):
            # Dropped columns leave a gap, which becomes part of the null before it.
            offset = column.fixed_offset or 0
            self._fixed.append((column.number, offset - at, bytes(column.fixed_size)))
            at = offset + column.fixed_size
        variable = {
            column.variable_index: column.number
            for column in definition.columns
            if column.fixed_offset is None
        }
        self._variable = [variable.get(index, -1) for index in range(self._variable_count)]
        self._offsets = struct.Struct(f"<{self._variable_count + 2}H")

    def join(self, raw: RawFields) -> bytes:
        """The row that holds these values; a value that is left out is null."""
        mask = 0
        for number, value in raw.items():
            if value is not False:
                mask |= 1 << number
        parts = [self._head]
        for number, gap, null in self._fixed:
            if gap:
                parts.append(bytes(gap))
            field = raw.get(number)
            parts.append(field if isinstance(field, bytes) else null)
        mask_bytes = mask.to_bytes(self._mask_size, "little")
        if self._variable_count:
            at = sum(map(len, parts))
            offsets = []
            for number in self._variable:
                offsets.append(at)
                field = raw.get(number)
                if isinstance(field, bytes):
                    parts.append(field)
                    at += len(field)
            offsets.append(at)
            if self._layout.is_jet3:
                parts.append(_jet3_tail(offsets, len(mask_bytes)))
            else:
                offsets.reverse()
                parts.append(self._offsets.pack(*offsets, self._variable_count))
        parts.append(mask_bytes)
        row = b"".join(parts)
        if len(row) > self._layout.largest_row:
            raise ValueRefused(
                f"The row needs {len(row)} bytes, more than the {self._layout.largest_row} "
                f"that {self._layout.name} can keep."
            )
        return row


def end_of(column: Column) -> int:
    """Where a fixed column ends among the fixed values, 0 for any other."""
    if column.fixed_offset is None or column.type is ColumnType.YES_NO:
        return 0
    return column.fixed_offset + column.fixed_size


def _jet3_tail(offsets: list[int], mask_size: int) -> bytes:
    """Offsets of one byte, and behind them from which value on each 256 more are meant."""
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
