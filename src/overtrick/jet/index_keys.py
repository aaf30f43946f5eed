"""Keys of indexes: values as bytes that sort as Access sorts the values; knows no pages.

Numbers, dates and text of plain letters are kept right. Other letters need all of Access's tables, and
GUIDs and decimals have forms of their own: a key that cannot be made raises `KeyUnknown`.
"""

import struct
from collections.abc import Mapping

from overtrick.jet.columns import Column, ColumnType
from overtrick.jet.definition import IndexDefinition
from overtrick.jet.layout import Layout
from overtrick.jet.values import text_decoder

_GENERAL = 1033
"""The sort order of nearly every file; of an order not known here only digits surely sort the same."""
_DUTCH = 1043
_LONGEST_TEXT = 255

_NULL = b"\x00"
_VALUE = b"\x7f"


class KeyUnknown(Exception):
    """The bytes that Access would write for this key are not known."""


def _table(signs: str, codes: str, letters: str) -> dict[str, bytes]:
    table = dict(zip(signs, map(bytes.fromhex, codes.split()), strict=True))
    for letter, code in zip("ABCDEFGHIJKLMNOPQRSTUVWXYZ", bytes.fromhex(letters), strict=True):
        table[letter] = table[letter.lower()] = bytes([code])
    return table


_SIGNS = ' !"#$%&()*+,./:;<=>?@[\\]^_`{|}~0123456789'
# Read off the indexes of a file that Access 97 made.
_JET3_CODES = _table(
    _SIGNS + "'-",
    "11 12 13 14 15 16 17 19 1a 1b 1c 1d 1f 20 21 22 23 24 25 26 27 28 29 2a 2b 2c 2d 2e 2f 30 31 "
    "56 57 58 59 5a 5b 5c 5d 5e 5f 18 1e",
    "60616264666768696a6b6c6d6f70727374757677787a7b7c7d7e",
)
# The "General" order of Access 2000 to 2007; the apostrophe and the hyphen are reckoned apart.
_JET4_CODES = _table(
    _SIGNS,
    "07 09 0a 0c 0e 10 12 14 16 18 2c 1a 1c 1e 20 22 2e 30 32 24 26 27 29 2a "
    "2b02 2b03 2b07 2b09 2b0b 2b0d 2b0f 36 38 3a 3c 3e 40 42 44 46 48",
    "4a4c4d4f51535557595b5c5e6062646668696b6d6f7173757678",
)
_JET4_APART = {"'": b"\x80", "-": b"\x82"}


def _text_key(text: str, column: Column, layout: Layout) -> bytes:
    text = text[:_LONGEST_TEXT].rstrip(" ")
    known = column.sort_order == _GENERAL or (column.sort_order == _DUTCH and "ij" not in text.lower())
    digits = not text or (text.isascii() and text.isdigit())
    if not digits and (column.sort_version or not known):
        raise KeyUnknown(f"sort order {column.sort_order}")
    codes = _JET3_CODES if layout.is_jet3 else _JET4_CODES
    parts: list[bytes] = []
    apart: list[bytes] = []
    for char in text:
        if char in codes:
            parts.append(codes[char])
        elif char in _JET4_APART and not layout.is_jet3:
            place = 0x8000 | 7 + 4 * len(parts)
            apart.append(place.to_bytes(2, "big") + b"\x06" + _JET4_APART[char])
        else:
            raise KeyUnknown(f"the letter {char!r}")
    if layout.is_jet3:
        return b"".join(parts)
    return b"".join(parts) + b"\x01" + (b"\x01\x01\x01" + b"".join(apart) if apart else b"")


def _number_key(column: Column, raw: bytes) -> bytes:
    kind = column.type
    if kind in (ColumnType.SINGLE, ColumnType.DOUBLE, ColumnType.DATE):
        big = bytearray(raw[::-1])
        if big[0] & 0x80:
            return bytes(byte ^ 0xFF for byte in big)
        big[0] |= 0x80
        return bytes(big)
    big = bytearray(raw[::-1])
    if kind is not ColumnType.BYTE:
        big[0] ^= 0x80
    return bytes(big)


def _column_key(column: Column, raw: bytes | bool | None, layout: Layout) -> bytes:
    """The key of one column in ascending order, and for text without its end."""
    if column.type is ColumnType.YES_NO:
        return _VALUE + (b"\x00" if raw else b"\xff")
    if not isinstance(raw, bytes):
        return _NULL
    if column.type is ColumnType.TEXT:
        return _VALUE + _text_key(text_decoder(column, layout)(raw), column, layout)
    if column.type in _NUMBERS:
        return _VALUE + _number_key(column, raw)
    raise KeyUnknown(f"a column of type {column.type.word}")


_NUMBERS = (
    ColumnType.BYTE,
    ColumnType.INTEGER,
    ColumnType.LONG,
    ColumnType.MONEY,
    ColumnType.SINGLE,
    ColumnType.DOUBLE,
    ColumnType.DATE,
)


def key_of(
    index: IndexDefinition, columns: Mapping[int, Column], raw: Mapping[int, bytes | bool], layout: Layout
) -> bytes | None:
    """The key of a row; None when the index leaves it out because all of it is null."""
    parts = []
    nulls = 0
    for number, ascending in index.columns:
        column = columns[number]
        value = raw.get(number)
        part = _column_key(column, value, layout)
        nulls += part == _NULL
        ends = column.type is ColumnType.TEXT and part != _NULL
        if ascending:
            parts.append(part + (b"\x00" if ends else b""))
        else:
            flipped = bytes(byte ^ 0xFF for byte in part + (b"\x00" if ends else b""))
            parts.append(flipped + (b"\x00" if ends and not layout.is_jet3 else b""))
    if index.ignores_nulls and nulls == len(parts):
        return None
    return b"".join(parts)


def has_null(index: IndexDefinition, columns: Mapping[int, Column], raw: Mapping[int, bytes | bool]) -> bool:
    """Whether a column of the key is null."""
    return any(
        columns[number].type is not ColumnType.YES_NO and not isinstance(raw.get(number), bytes)
        for number, _ in index.columns
    )


def pointer_bytes(page: int, row: int) -> bytes:
    """Where a row lies, as an entry of an index says it."""
    return struct.pack(">I", page << 8 | row)
