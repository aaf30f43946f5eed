"""Keys of index entries: values as bytes that sort as Access sorts the values. Independent of pages.

A key is one part for each column of the index, each with a byte in front that tells null from a value. A
descending column has all its bits inverted, except where noted.

    null              00
    yes/no            7f 00 for yes, 7f ff for no
    byte              7f + the byte
    integer … money   7f + big-endian, the sign bit inverted
    single … date     7f + big-endian IEEE 754; sign bit set if positive, all bits inverted if negative
    decimal           7f + ff or 00 for the sign + 16 bytes big-endian, inverted if negative
    GUID, binary      7f + groups of 8 bytes, filled up with zeros, each with a byte after it: 09 if another
                      group follows, else how many of its bytes count. Descending, a 09 is not inverted.
    text              7f + the sort key of `collation` + 00; descending in Jet 4, another 00 that is not inverted

`KeyUnknown` is raised for a key that cannot be made: memos, text in another sort order than General, and
descending decimals, which Access has sorted in two ways (an error that a service pack changed).
"""

import struct
from collections.abc import Mapping

from overtrick.jet.collation import KeyUnknown, jet3_text_key, jet4_text_key
from overtrick.jet.columns import Column, ColumnType
from overtrick.jet.definition import IndexDefinition
from overtrick.jet.header import codec_of
from overtrick.jet.layout import Layout
from overtrick.jet.values import text_decoder

_GENERAL = 1033
"""The sort order of nearly every file; in an order not known here, only digits certainly sort the same."""
_DUTCH = 1043
_LONGEST_TEXT = 255

_NULL = b"\x00"
_VALUE = b"\x7f"
_GROUP = 8
_MORE = 9
"""The byte after a group of eight bytes if another group follows."""

_NUMBERS = (
    ColumnType.BYTE,
    ColumnType.INTEGER,
    ColumnType.LONG,
    ColumnType.MONEY,
    ColumnType.SINGLE,
    ColumnType.DOUBLE,
    ColumnType.DATE,
)
_GROUPED = (ColumnType.GUID, ColumnType.BINARY)


def _inverted(raw: bytes) -> bytes:
    return bytes(byte ^ 0xFF for byte in raw)


def _check_sort_order(text: str, column: Column, layout: Layout) -> None:
    if not text or (text.isascii() and text.isdigit()):
        return
    is_supported = column.sort_order == _GENERAL or (
        column.sort_order == _DUTCH and text.isascii() and "ij" not in text.lower()
    )
    if column.sort_version or not is_supported:
        raise KeyUnknown(f"sort order {column.sort_order}")
    if layout.is_jet3 and not text.isascii() and codec_of(column.code_page) != "cp1252":
        raise KeyUnknown(f"code page {column.code_page}")


def _text_key(raw: bytes, column: Column, layout: Layout) -> bytes:
    """Return the sort key of a text, with its end; spaces after the text do not count."""
    text = text_decoder(column, layout)(raw)[:_LONGEST_TEXT].rstrip(" ")
    _check_sort_order(text, column, layout)
    return jet3_text_key(text) if layout.is_jet3 else jet4_text_key(text) + b"\x00"


def _number_key(column: Column, raw: bytes) -> bytes:
    big_endian = bytearray(reversed(raw))
    if column.type in (ColumnType.SINGLE, ColumnType.DOUBLE, ColumnType.DATE):
        if big_endian[0] & 0x80:
            return _inverted(bytes(big_endian))
        big_endian[0] |= 0x80
    elif column.type is not ColumnType.BYTE:
        big_endian[0] ^= 0x80
    return bytes(big_endian)


def _decimal_key(raw: bytes) -> bytes:
    # In a row: a sign byte (80 for negative) and four little-endian words, the highest first.
    magnitude = struct.pack(">4I", *struct.unpack_from("<4I", raw, 1))
    return b"\x00" + _inverted(magnitude) if raw[0] & 0x80 else b"\xff" + magnitude


def _grouped_key(column: Column, raw: bytes, *, ascending: bool) -> bytes:
    if column.type is ColumnType.GUID:
        # In a row the first three fields of a GUID are little-endian, in a key everything is big-endian.
        raw = struct.pack(">IHH", *struct.unpack_from("<IHH", raw)) + raw[8:]
    groups = [raw[start : start + _GROUP] for start in range(0, len(raw), _GROUP)]
    key = b""
    for position, group in enumerate(groups):
        padded = group.ljust(_GROUP, b"\0")
        last = position == len(groups) - 1
        key += padded if ascending else _inverted(padded)
        count = bytes([len(group)]) if last else bytes([_MORE])
        key += _inverted(count) if last and not ascending else count
    return key


def _column_key(column: Column, raw: bytes | bool | None, layout: Layout, *, ascending: bool) -> bytes:
    """Return the part of a key that one column makes."""
    if column.type is ColumnType.YES_NO:
        key = _VALUE + (b"\x00" if raw else b"\xff")
    elif not isinstance(raw, bytes):
        key = _NULL
    elif column.type is ColumnType.TEXT:
        key = _VALUE + _text_key(raw, column, layout)
        if not ascending and not layout.is_jet3:
            return _inverted(key) + b"\x00"
    elif column.type in _NUMBERS:
        key = _VALUE + _number_key(column, raw)
    elif column.type is ColumnType.NUMERIC and ascending:
        key = _VALUE + _decimal_key(raw)
    elif column.type in _GROUPED and raw:  # no index that Access wrote holds empty bytes
        return (_VALUE if ascending else _inverted(_VALUE)) + _grouped_key(column, raw, ascending=ascending)
    else:
        raise KeyUnknown(_unknown_kind(column, ascending=ascending))
    return key if ascending else _inverted(key)


def _unknown_kind(column: Column, *, ascending: bool) -> str:
    return f"a {'' if ascending else 'descending '}column of type {column.type.word}"


def check_indexable(column: Column, layout: Layout, *, ascending: bool) -> None:
    """Raise `KeyUnknown` if no value of a column has a key that can be made, so that no index is made on it."""
    kind = column.type
    if kind in _NUMBERS or kind in _GROUPED or kind is ColumnType.YES_NO:
        return
    if kind is ColumnType.TEXT:
        _check_sort_order("A", column, layout)
    elif kind is not ColumnType.NUMERIC or not ascending:
        raise KeyUnknown(_unknown_kind(column, ascending=ascending))


def key_of(
    index: IndexDefinition, columns: Mapping[int, Column], raw: Mapping[int, bytes | bool], layout: Layout
) -> bytes | None:
    """Return the key of a row; None when the index leaves it out because all of it is null."""
    parts = []
    nulls = 0
    for number, ascending in index.columns:
        column = columns[number]
        value = raw.get(number)
        parts.append(_column_key(column, value, layout, ascending=ascending))
        nulls += column.type is not ColumnType.YES_NO and not isinstance(value, bytes)
    if index.ignores_nulls and nulls == len(parts):
        return None
    return b"".join(parts)


def has_null(index: IndexDefinition, columns: Mapping[int, Column], raw: Mapping[int, bytes | bool]) -> bool:
    """Return whether a column of the key is null."""
    return any(
        columns[number].type is not ColumnType.YES_NO and not isinstance(raw.get(number), bytes)
        for number, _ in index.columns
    )


def pointer_bytes(page: int, row: int) -> bytes:
    """Return the last four bytes of an entry: three of page and one of row, big-endian."""
    return struct.pack(">I", page << 8 | row)
