"""Rows, from the bytes of their values to the bytes of a row; the counterpart of `rowcodec`."""

import struct
from collections.abc import Callable, Mapping
from typing import Any

from overtrick.jet.columns import Column, ColumnType
from overtrick.jet.definition import TableDefinition
from overtrick.jet.errors import DamagedAccessFile, ValueRefused
from overtrick.jet.layout import Layout

RawFields = Mapping[int, bytes | bool]


class RowJoiner:
    """Makes the rows of one table, with a function that is compiled for its columns."""

    def __init__(self, definition: TableDefinition, layout: Layout) -> None:
        self._layout = layout
        self._join = self._compile(definition)

    def join(self, raw: RawFields) -> bytes:
        """The row that holds these values; a value that is left out is null."""
        row = self._join(raw.get)
        if len(row) > self._layout.largest_row:
            raise ValueRefused(
                f"The row needs {len(row)} bytes, more than the {self._layout.largest_row} "
                f"that {self._layout.name} can keep."
            )
        return row

    def _compile(
        self, definition: TableDefinition
    ) -> Callable[[Callable[[int], bytes | bool | None]], bytes]:
        layout = self._layout
        mask_size = (definition.max_columns + 7) // 8
        lines = ["def join(get):", "    mask = 0"]
        parts = [repr(definition.max_columns.to_bytes(layout.row_count_size, "little"))]
        at = 0
        for column in definition.columns:
            number = column.number
            if column.type is ColumnType.YES_NO:
                lines += [f"    if get({number}):", f"        mask |= {1 << number}"]
                continue
            null = repr(bytes(column.fixed_size)) if column.fixed_offset is not None else "b''"
            lines += [
                f"    f{number} = get({number})",
                f"    if f{number} is None:",
                f"        f{number} = {null}",
            ]
            lines += ["    else:", f"        mask |= {1 << number}"]
        fixed = [column for column in definition.columns if end_of(column)]
        for column in sorted(fixed, key=lambda column: column.fixed_offset or 0):
            offset = column.fixed_offset or 0
            if offset < at:
                raise DamagedAccessFile("Two columns lie on top of each other.")
            if offset > at:  # a column that was dropped
                parts.append(repr(bytes(offset - at)))
            parts.append(f"f{column.number}")
            at = offset + column.fixed_size
        at += layout.row_count_size
        tail = "b''"
        if definition.variable_columns:
            variable = {c.variable_index: c.number for c in definition.columns if c.fixed_offset is None}
            lines.append(f"    at0 = {at}")
            for index in range(definition.variable_columns):
                length = f" + len(f{variable[index]})" if index in variable else ""
                lines.append(f"    at{index + 1} = at{index}{length}")
                if index in variable:
                    parts.append(f"f{variable[index]}")
            offsets = [f"at{index}" for index in range(definition.variable_columns + 1)]
            if layout.is_jet3:
                tail = f"tail([{', '.join(offsets)}], {mask_size})"
            else:
                tail = f"tail({', '.join(reversed(offsets))}, {definition.variable_columns})"
        parts += [tail, f"mask.to_bytes({mask_size}, 'little')"]
        lines.append(f"    return b''.join(({', '.join(parts)}))")
        names: dict[str, Any] = {
            "tail": _jet3_tail
            if layout.is_jet3
            else struct.Struct(f"<{definition.variable_columns + 2}H").pack
        }
        exec("\n".join(lines), names)  # the text is made here, of numbers alone
        compiled: Callable[[Callable[[int], bytes | bool | None]], bytes] = names["join"]
        return compiled


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
