"""Decoder of rows, from bytes to values. Tables with the same columns share one.

The layout of a row; each count and offset has 1 byte in Jet 3 and 2 bytes in Jet 4:

    number of columns when the row was written
    fixed values, each at its own offset
    variable values
    offsets, in reverse: the end of the last variable value, then the starts of all, the last one first
    Jet 3 only: the jump table, in reverse, one byte for each 256 bytes of the row: the number of the variable
        value at which the offsets pass a multiple of 256, so that 256 more is added to its offset and all later ones
    number of variable values
    mask: a bit for each column, the first column in the lowest bit; set if the value is not null (yes/no: if true)

A table without variable columns has no offsets and no number of variable values. A row that was written before a
column was added has a smaller number of columns; its values in the new ones are null.

Few masks occur in a table, so a frequent mask gets a compiled function, in which every null and every yes/no is a
constant; text and dates are cached. A row that does not have the form that the function expects is passed to
`decode_slowly`, which checks everything.
"""

import struct
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any, Generic, TypeVar

from overtrick.jet.columns import Column, ColumnType
from overtrick.jet.definition import TableDefinition
from overtrick.jet.errors import DamagedAccessFile
from overtrick.jet.layout import Layout
from overtrick.jet.long_value import read_long_value
from overtrick.jet.page_file import PageFile
from overtrick.jet.values import STRUCT_CODE, Value, decode_date, finisher, scalar_decoder, text_decoder

_MOST_MASKS = 512
_MOST_CACHED = 20_000
_MOST_DATES = 100_000
"""More than the seconds of a day: a time of day is stored as a date, so a file may have one for every second."""
_MOST_CODE_PAGES = 8
_ROWS_BEFORE_COMPILING = 16
"""The row with this number, counted for each mask, compiles the function; those before it are decoded slowly."""

K = TypeVar("K")
V = TypeVar("V")
Decoder = Callable[[bytes], tuple[Value, ...]]


class BoundedCache(dict[K, V], Generic[K, V]):
    """A cache of computed values that is cleared when it is full."""

    def __init__(self, decode: Callable[[K], V], most: int = _MOST_CACHED) -> None:
        super().__init__()
        self._decode = decode
        self._most = most

    def __missing__(self, raw: K) -> V:
        if len(self) >= self._most:
            self.clear()
        value = self[raw] = self._decode(raw)
        return value


# The values do not depend on the file, so all files share these caches.
_DATES: BoundedCache[float, Value] = BoundedCache(decode_date, _MOST_DATES)
_TEXTS: dict[tuple[int, int], BoundedCache[bytes, str]] = {}


def _texts(column: Column, layout: Layout) -> BoundedCache[bytes, str]:
    kind = (layout.jet, column.code_page)
    if kind not in _TEXTS:
        if len(_TEXTS) > _MOST_CODE_PAGES:
            _TEXTS.clear()
        _TEXTS[kind] = BoundedCache(text_decoder(column, layout))
    return _TEXTS[kind]


class RowFields:
    """The raw bytes of the values that a row has. An update changes some and keeps the rest."""

    __slots__ = ("count", "raw")

    def __init__(self, count: int, raw: dict[int, bytes | bool]) -> None:
        self.count = count
        """The number of columns that the row was written with."""
        self.raw = raw
        """By column number: bytes, or a bool for yes/no; a null is left out."""


def split_row(row: bytes, columns: Sequence[Column], layout: Layout) -> RowFields:
    """Cut a row into the bytes of its values, checking every step."""
    unit = layout.row_count_size
    if len(row) < unit + 1:
        raise DamagedAccessFile("A row is too short.")
    count = int.from_bytes(row[:unit], "little")
    mask_size = (count + 7) // 8
    mask_at = len(row) - mask_size
    if mask_at < unit:
        raise DamagedAccessFile("A row is shorter than its mask of nulls.")
    mask = int.from_bytes(row[mask_at:], "little")
    has_variable = any(column.fixed_offset is None and column.number < count for column in columns)
    offsets = _variable_offsets(row, mask_at, layout) if has_variable else []
    fixed_end = offsets[0] if offsets else mask_at
    raw: dict[int, bytes | bool] = {}
    for column in columns:
        number = column.number
        present = number < count and bool(mask >> number & 1)
        if column.type is ColumnType.YES_NO:
            raw[number] = present
        elif not present:
            continue
        elif column.fixed_offset is not None:
            start = unit + column.fixed_offset
            end = start + column.fixed_size
            if end > fixed_end:
                raise DamagedAccessFile(f"A row ends before its column {column.name}.")
            raw[number] = row[start:end]
        elif column.variable_index + 1 < len(offsets):
            start, end = offsets[column.variable_index], offsets[column.variable_index + 1]
            if not unit <= start <= end <= mask_at:
                raise DamagedAccessFile(f"Column {column.name} lies outside its row.")
            raw[number] = row[start:end]
    return RowFields(count, raw)


def _variable_offsets(row: bytes, mask_at: int, layout: Layout) -> list[int]:
    """Return the offset at which each variable value starts, and at last the one at which the last value ends."""
    if not layout.is_jet3:
        if mask_at < 4:
            raise DamagedAccessFile("A row is too short.")
        (count,) = struct.unpack_from("<H", row, mask_at - 2)
        start = mask_at - 2 - 2 * (count + 1)
        if start < 2:
            raise DamagedAccessFile("A row lists more values than it can hold.")
        return list(struct.unpack_from(f"<{count + 1}H", row, start))[::-1]
    count = row[mask_at - 1]
    jumps = (len(row) - 1) // 256
    table = mask_at - 2 - jumps
    # Access computes the number of jumps from the length of the whole row, so the last one may be unused.
    real_jumps = jumps - 1 if jumps and (table - count) // 256 < jumps else jumps
    if table - count < 1:
        raise DamagedAccessFile("A row lists more values than it can hold.")
    offsets = []
    jumped = 0
    for position in range(count + 1):
        while jumped < real_jumps and row[mask_at - 2 - jumped] == position:
            jumped += 1
        offsets.append(row[table - position] + jumped * 256)
    return offsets


class RowDecoder:
    """A decoder for the rows of tables with the same columns; with memos or OLE values, for those of one file."""

    def __init__(
        self,
        layout: Layout,
        columns: tuple[Column, ...],
        max_columns: int,
        variable_columns: int,
        file: PageFile | None = None,
    ) -> None:
        self._file = file
        self._layout = layout
        self.columns = columns
        self.has_long_values = file is not None
        self.decoders: dict[bytes, Decoder] = {}
        """The compiled functions, by mask. A loop over many rows looks them up here, to save a call for each row."""
        self._rows_by_mask: dict[bytes, int] = {}
        self._long_bytes = 0
        self._slow = [self._slow_decoder(column) for column in self.columns]
        self._names: dict[str, Any] | None = None
        variable = [column for column in self.columns if column.fixed_offset is None]
        self._variable_count = max((column.variable_index + 1 for column in variable), default=0)
        if variable and variable_columns < 1024:
            self._variable_count = max(self._variable_count, variable_columns)
        unit = self._layout.row_count_size
        self._count_bytes = max_columns.to_bytes(unit, "little") if max_columns < 256**unit else b""
        self.mask_size = (max_columns + 7) // 8

    def begin(self) -> None:
        """Prepare to read the table from its first row: reset the count of memo bytes."""
        self._long_bytes = 0

    def _read_long(self, raw: bytes) -> bytes:
        assert self._file is not None
        value = read_long_value(self._file, raw)
        self._long_bytes += len(value)
        if self._long_bytes > self._file.page_count * self._file.page_size:
            # Memos never share bytes, so only in a damaged file are they longer, in total, than the file.
            raise DamagedAccessFile("The memos of this table overlap.")
        return value

    def _long_decoder(self, column: Column) -> Callable[[bytes], Value]:
        if column.type is ColumnType.OLE:
            return self._read_long
        decode = text_decoder(column, self._layout)
        return lambda raw: decode(self._read_long(raw))

    def _slow_decoder(self, column: Column) -> Callable[[bytes], Value]:
        if column.type.is_long_value:
            return self._long_decoder(column)
        return scalar_decoder(column, self._layout)

    def _shared_names(self) -> dict[str, Any]:
        """Return the caches and decoders that compiled functions use, under a name with the position of the column."""
        shared: dict[str, Any] = {}
        for position, column in enumerate(self.columns):
            if column.type is ColumnType.TEXT:
                shared[f"text{position}"] = _texts(column, self._layout)
            elif column.type is ColumnType.DATE and column.fixed_offset is not None:
                shared[f"date{position}"] = _DATES
            elif column.fixed_offset is not None and finisher(column) is not None:
                shared[f"finish{position}"] = finisher(column)
            else:
                shared[f"slow{position}"] = self._slow[position]
        return shared

    def decode_slowly(self, row: bytes) -> tuple[Value, ...]:
        """Decode any row, also one written before columns were added."""
        fields = split_row(row, self.columns, self._layout).raw
        values: list[Value] = []
        for column, decode in zip(self.columns, self._slow, strict=True):
            raw = fields.get(column.number)
            values.append(raw if raw is None or isinstance(raw, bool) else decode(raw))
        return tuple(values)

    def decode(self, row: bytes) -> tuple[Value, ...]:
        """Return the values of a row."""
        mask = row[-self.mask_size :]
        decoder = self.decoders.get(mask) or self.decoder_for(mask)
        return decoder(row)

    def decoder_for(self, mask: bytes) -> Decoder:
        """Return a function for rows with a mask that has no compiled one yet; compile it if the mask is frequent."""
        rows = self._rows_by_mask[mask] = self._rows_by_mask.get(mask, 0) + 1
        if rows < _ROWS_BEFORE_COMPILING:
            if len(self._rows_by_mask) > _MOST_CACHED:
                self._rows_by_mask.clear()
            return self.decode_slowly
        if len(self.decoders) >= _MOST_MASKS:
            self.decoders.clear()
            self._rows_by_mask.clear()
        decoder = self.decoders[mask] = self._compile(int.from_bytes(mask, "little"))
        return decoder

    def _compile(self, mask: int) -> Decoder:
        """Compile the function for rows with this mask."""
        if self._names is None:
            self._names = self._shared_names()
        unit = self._layout.row_count_size
        present = [column for column in self.columns if mask >> column.number & 1]
        fixed = [
            column
            for column in present
            if column.fixed_offset is not None and column.type is not ColumnType.YES_NO
        ]
        variable = [column for column in present if column.fixed_offset is None]
        struct_format, fixed_names, fixed_end = self._fixed_format(fixed)
        count = self._variable_count
        tail = self.mask_size + (unit * (count + 2) if count else 0)
        conditions = [f"len(row) < {unit + fixed_end + tail}", f"row[:{unit}] != {self._count_bytes!r}"]
        if count:
            counted = self.mask_size + unit
            conditions.append(f"row[-{counted}:-{self.mask_size}] != {count.to_bytes(unit, 'little')!r}")
            if self._layout.is_jet3:  # a longer row has jumps among its offsets
                conditions.append("len(row) > 256")
        lines = ["def decode(row):", f"    if {' or '.join(conditions)}:", "        return slowly(row)"]
        if fixed_names:
            lines.append(f"    {', '.join(fixed_names)}, = fixed(row, {unit})")
        if variable:
            names = [f"at{n}" for n in range(count, -1, -1)]
            bounds = " <= ".join([str(unit), *reversed(names), f"len(row) - {tail}"])
            lines.append(f"    {', '.join(names)}, = offsets(row, len(row) - {tail})")
            lines += [f"    if not ({bounds}):", "        return slowly(row)"]
        values = [self._expression(position, column, mask) for position, column in enumerate(self.columns)]
        lines.append(f"    return ({', '.join(values)},)" if values else "    return ()")
        namespace: dict[str, Any] = {
            **self._names,
            "slowly": self.decode_slowly,
            "fixed": struct.Struct(struct_format).unpack_from,
            "offsets": struct.Struct(f"<{count + 1}{'H' if unit == 2 else 'B'}").unpack_from,
        }
        exec("\n".join(lines), namespace)  # safe: the source contains no text from the file
        compiled: Decoder = namespace["decode"]
        return compiled

    def _fixed_format(self, fixed: Sequence[Column]) -> tuple[str, list[str], int]:
        """Return the struct format of the fixed values that are not null, the variables for them, and their end."""
        struct_format, end = "<", 0
        names: list[str] = []
        positions = {column.number: position for position, column in enumerate(self.columns)}
        for column in sorted(fixed, key=lambda column: column.fixed_offset or 0):
            offset = column.fixed_offset or 0
            if offset < end:
                # Values overlap: require a length that no row has, so that every row is decoded slowly.
                struct_format, names, end = "<", [], 1 << 16
                break
            code = STRUCT_CODE.get(column.type, f"{column.fixed_size}s")
            struct_format += f"{offset - end}x{code}"
            end = offset + struct.calcsize("<" + code)
            names.append(f"v{positions[column.number]}")
        return struct_format, names, end

    def _expression(self, position: int, column: Column, mask: int) -> str:
        is_present = bool(mask >> column.number & 1)
        if column.type is ColumnType.YES_NO:
            return str(is_present)
        if not is_present:
            return "None"
        if column.fixed_offset is None:
            first = column.variable_index
            value = f"row[at{first}:at{first + 1}]"
        else:
            value = f"v{position}"
        if column.type is ColumnType.TEXT:
            return f"text{position}[{value}]"
        if f"date{position}" in (self._names or {}):
            return f"date{position}[{value}]"
        if f"finish{position}" in (self._names or {}):
            return f"finish{position}({value})"
        if column.fixed_offset is None:
            return f"slow{position}({value})"
        return value


_shared_decoder = lru_cache(maxsize=256)(RowDecoder)


def row_decoder(file: PageFile, definition: TableDefinition) -> RowDecoder:
    """Return a decoder for the rows of a table.

    A file that is opened again usually has the same columns as before, so decoders are shared, with their compiled
    functions. A table with memos or OLE values gets its own decoder, because that reads other pages of the file.
    """
    shape = file.layout, definition.columns, definition.max_columns, definition.variable_columns
    if any(column.type.is_long_value for column in definition.columns):
        return RowDecoder(*shape, file)
    return _shared_decoder(*shape)
