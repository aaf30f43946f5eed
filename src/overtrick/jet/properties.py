"""Properties that Access keeps beside a table (LvProp): defaults, required, zero length; read and written.

    4 bytes "MR2" or, in Access 97, "KKD", and a zero; then blocks:

    0   4  length of the block
    4   2  80 names; 00 values of the table, 01 of a column

A block of names has each name after its length in 2 bytes. A block of values has, after its 6 bytes, 4 bytes
with the length of the head, the name of the column (2 bytes of length before it), and for each value:

    0   2  length of the entry
    2   1  1 if a designer made it
    3   1  type, as that of a column
    4   2  number of its name
    6   2  length of the value, which follows
"""

import struct
from dataclasses import dataclass, field
from typing import Any

from overtrick.jet.columns import Column, ColumnType
from overtrick.jet.layout import Layout

_NAMES = 0x80
_OF_TABLE = 0
_OF_COLUMN = 1
_MAGICS = (b"MR2\0", b"KKD\0")

DEFAULT = "DefaultValue"
REQUIRED = "Required"
ZERO_LENGTH = "AllowZeroLength"
_NEW_GUID = "GenGUID()"
"""The default that Access writes for a GUID column that numbers itself."""


@dataclass(frozen=True, slots=True)
class Property:
    """One property with the type it is stored as."""

    name: str
    type: int
    value: Any
    flags: int = 0


@dataclass(slots=True)
class Properties:
    """The properties of a table and of its columns."""

    table: dict[str, Property] = field(default_factory=dict)
    columns: dict[str, dict[str, Property]] = field(default_factory=dict)

    def of_column(self, name: str) -> dict[str, object]:
        """Return the values of a column's properties by name."""
        return {entry.name: entry.value for entry in self.columns.get(name, {}).values()}


def read_properties(blob: bytes, layout: Layout, codec: str) -> Properties:
    """Read a blob; entries that cannot be understood are left out, since a table can be read without them."""
    properties = Properties()
    if blob[:4] not in _MAGICS:
        return properties
    encoding = codec if layout.is_jet3 else "utf-16-le"
    names: list[str] = []
    offset = 4
    while offset + 6 <= len(blob):
        length, kind = struct.unpack_from("<IH", blob, offset)
        if length < 6:
            break
        chunk = blob[offset + 6 : offset + length]
        offset += length
        if kind == _NAMES:
            names = _read_names(chunk, encoding)
        else:
            owner, entries = _read_values(chunk, names, encoding)
            if kind == _OF_TABLE and not owner:
                properties.table.update(entries)
            else:
                properties.columns.setdefault(owner, {}).update(entries)
    return properties


def _read_names(chunk: bytes, encoding: str) -> list[str]:
    names, offset = [], 0
    while offset + 2 <= len(chunk):
        (length,) = struct.unpack_from("<H", chunk, offset)
        names.append(chunk[offset + 2 : offset + 2 + length].decode(encoding, "replace"))
        offset += 2 + length
    return names


def _read_values(chunk: bytes, names: list[str], encoding: str) -> tuple[str, dict[str, Property]]:
    entries: dict[str, Property] = {}
    if len(chunk) < 6:
        return "", entries
    offset, name_length = struct.unpack_from("<IH", chunk)
    owner = chunk[6 : 6 + name_length].decode(encoding, "replace")
    while offset + 8 <= len(chunk):
        length, flags, kind, name, size = struct.unpack_from("<HBBHH", chunk, offset)
        raw = chunk[offset + 8 : offset + 8 + size]
        if length < 8:
            break
        if name < len(names):
            entries[names[name]] = Property(names[name], kind, _decode(kind, raw, encoding), flags)
        offset += length
    return owner, entries


_NUMBERS = {
    ColumnType.BYTE: "<B",
    ColumnType.INTEGER: "<h",
    ColumnType.LONG: "<i",
    ColumnType.SINGLE: "<f",
    ColumnType.DOUBLE: "<d",
}


def _decode(kind: int, raw: bytes, encoding: str) -> Any:
    if kind == ColumnType.YES_NO:
        return bool(raw) and raw[0] != 0
    if kind in (ColumnType.TEXT, ColumnType.MEMO):
        return raw.decode(encoding, "replace")
    form = _NUMBERS.get(ColumnType(kind)) if kind in ColumnType._value2member_map_ else None
    if form is not None and len(raw) >= struct.calcsize(form):
        return struct.unpack_from(form, raw)[0]
    return raw


def write_properties(properties: Properties, layout: Layout, codec: str) -> bytes:
    """Return the blob of a table's properties, as Access keeps it."""
    encoding = codec if layout.is_jet3 else "utf-16-le"
    owners = [(_OF_TABLE, "", properties.table)] if properties.table else []
    owners += [(_OF_COLUMN, name, entries) for name, entries in properties.columns.items() if entries]
    names: dict[str, int] = {}
    for _, _, entries in owners:
        for name in entries:
            names.setdefault(name, len(names))
    blob = layout.property_magic + _chunk(
        _NAMES, b"".join(_counted(name.encode(encoding, "replace")) for name in names)
    )
    for kind, owner, entries in owners:
        head = _counted(owner.encode(encoding, "replace"))
        body = struct.pack("<I", len(head) + 4) + head
        for entry in entries.values():
            raw = _encode(entry, encoding)
            body += (
                struct.pack("<HBBHH", len(raw) + 8, entry.flags, entry.type, names[entry.name], len(raw))
                + raw
            )
        blob += _chunk(kind, body)
    return blob


def _chunk(kind: int, body: bytes) -> bytes:
    return struct.pack("<IH", len(body) + 6, kind) + body


def _counted(raw: bytes) -> bytes:
    return struct.pack("<H", len(raw)) + raw


def _encode(entry: Property, encoding: str) -> bytes:
    if entry.type == ColumnType.YES_NO:
        return b"\x01" if entry.value else b"\x00"
    if isinstance(entry.value, str):
        return entry.value.encode(encoding, "replace")
    form = _NUMBERS.get(ColumnType(entry.type)) if entry.type in ColumnType._value2member_map_ else None
    if form is not None and isinstance(entry.value, int | float):
        return struct.pack(form, entry.value)
    return bytes(entry.value)


def properties_of_column(column: Column) -> dict[str, Property]:
    """Return the properties that Access keeps beside the definition of a column."""
    designed = 1
    entries = [Property(REQUIRED, ColumnType.YES_NO, column.required, designed)]
    if column.type in (ColumnType.TEXT, ColumnType.MEMO):
        entries.insert(0, Property(ZERO_LENGTH, ColumnType.YES_NO, column.allow_zero_length, designed))
    default = column.default
    if column.autonumber and column.type is ColumnType.GUID:
        default = _NEW_GUID
    if default is not None:
        entries.append(Property(DEFAULT, ColumnType.MEMO, default, designed))
    return {entry.name: entry for entry in entries}
