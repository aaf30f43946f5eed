"""Single values, from bytes to Python and back. Depends on columns, not on rows or pages.

| column | bytes in a row | Python |
|---|---|---|
| yes/no | none: a bit of the row's mask | bool |
| byte, integer, long | 1 without sign, 2, 4 | int |
| money | 8: ten-thousandths | Decimal |
| numeric | 17: 80 if negative, four words of 4 bytes, the highest first | Decimal |
| single, double | 4, 8: IEEE 754 | float |
| date | 8: a double, days since 30 December 1899 | datetime without a time zone |
| text, memo | code page (Jet 3) or UTF-16 (Jet 4), see `text_encoding` | str |
| binary, OLE | as they are | bytes |
| GUID | 16: the first three fields little-endian | UUID |
"""

import struct
from collections.abc import Callable
from datetime import date, datetime, time, timedelta
from decimal import Decimal, InvalidOperation
from typing import Any, TypeAlias
from uuid import UUID

from overtrick.jet.columns import Column, ColumnType
from overtrick.jet.errors import DamagedAccessFile, ValueRefused
from overtrick.jet.header import codec_of
from overtrick.jet.layout import Layout
from overtrick.jet.text_encoding import decode_code_page, decode_unicode, encode_code_page, encode_unicode

Value: TypeAlias = bool | int | float | Decimal | datetime | str | bytes | UUID | None

DAY_ZERO = datetime(1899, 12, 30)
_DAY_MS = 86_400_000
_CENT = Decimal(10_000)

STRUCT_CODE = {
    ColumnType.BYTE: "B",
    ColumnType.INTEGER: "h",
    ColumnType.LONG: "i",
    ColumnType.MONEY: "q",
    ColumnType.SINGLE: "f",
    ColumnType.DOUBLE: "d",
    ColumnType.DATE: "d",
    ColumnType.GUID: "16s",
    ColumnType.NUMERIC: "17s",
}
_RANGE = {
    ColumnType.BYTE: (0, 255),
    ColumnType.INTEGER: (-32768, 32767),
    ColumnType.LONG: (-(2**31), 2**31 - 1),
}


def decode_date(days: float) -> datetime:
    """Return a date from days since 30 December 1899; before that day the time of day still runs forward.

    >>> decode_date(40000.75), decode_date(-1.25).isoformat()
    (datetime.datetime(2009, 7, 6, 18, 0), '1899-12-29T06:00:00')
    """
    try:
        if days >= 0:
            return DAY_ZERO + timedelta(0, 0, round(days * _DAY_MS) * 1000)
        whole = int(days)
        return DAY_ZERO + timedelta(whole, 0, round((whole - days) * _DAY_MS) * 1000)
    except (OverflowError, ValueError):
        raise DamagedAccessFile(f"A date is outside the calendar ({days} days since 1899).") from None


def encode_date(moment: date) -> float:
    """Return the days since 30 December 1899; a moment with a time zone is refused.

    >>> encode_date(datetime(2009, 7, 6, 18)), encode_date(datetime(1899, 12, 29, 6))
    (40000.75, -1.25)
    """
    if not isinstance(moment, datetime):
        moment = datetime.combine(moment, time())
    if moment.tzinfo is not None:
        raise ValueRefused(
            f"{moment.isoformat()} has a time zone, which Access cannot keep; give the local time without one."
        )
    since = moment - DAY_ZERO
    part = (since.seconds * 1000 + since.microseconds / 1000) / _DAY_MS
    return since.days + part if since.days >= 0 else since.days - part


def decode_money(units: int) -> Decimal:
    """Return an amount from ten-thousandths.

    >>> decode_money(125000)
    Decimal('12.5')
    """
    return (Decimal(units) / _CENT).normalize() if units % 10_000 else Decimal(units // 10_000)


def decode_numeric(raw: bytes, scale: int) -> Decimal:
    """Return a decimal number: a sign byte and four words, the highest first."""
    words = struct.unpack_from("<4I", raw, 1)
    units = words[0] << 96 | words[1] << 64 | words[2] << 32 | words[3]
    # Built from its digits, because arithmetic would round to the 28 digits of the context.
    digits = tuple(int(digit) for digit in str(units))
    return Decimal((1 if raw[0] & 0x80 else 0, digits, -scale))


def encode_numeric(number: Decimal, precision: int, scale: int) -> bytes:
    """Return the seventeen bytes of a decimal number."""
    shifted = number.scaleb(scale)
    units = int(shifted)
    if shifted != units or len(str(abs(units))) > max(precision, 1):
        raise ValueRefused(f"{number} does not fit {precision} digits with {scale} after the point.")
    magnitude = abs(units)
    words = [(magnitude >> shift) & 0xFFFFFFFF for shift in (96, 64, 32, 0)]
    return struct.pack("<B4I", 0x80 if units < 0 else 0, *words)


def text_decoder(column: Column, layout: Layout) -> Callable[[bytes], str]:
    """Return the function that reads text of a column."""
    if not layout.is_jet3:
        return decode_unicode
    codec = codec_of(column.code_page)
    return lambda raw: decode_code_page(raw, codec)


def scalar_decoder(column: Column, layout: Layout) -> Callable[[bytes], Value]:
    """Return the function that reads a value that is not a long one from its bytes."""
    kind = column.type
    if kind is ColumnType.TEXT:
        return text_decoder(column, layout)
    code = STRUCT_CODE.get(kind)
    if code is None:
        return bytes
    form = struct.Struct("<" + code)
    finish = finisher(column)

    def decode(raw: bytes) -> Value:
        if len(raw) < form.size:
            raise DamagedAccessFile(f"A value of column {column.name} is cut short.")
        (value,) = form.unpack_from(raw)
        result: Value = finish(value) if finish is not None else value
        return result

    return decode


def finisher(column: Column) -> Callable[[Any], Value] | None:
    """Return the function that completes what struct unpacks for a column, None if nothing remains."""
    match column.type:
        case ColumnType.DATE:
            return decode_date
        case ColumnType.MONEY:
            return decode_money
        case ColumnType.GUID:
            return lambda raw: UUID(bytes_le=raw)
        case ColumnType.NUMERIC:
            scale = column.scale
            return lambda raw: decode_numeric(raw, scale)
    return None


def encode_scalar(column: Column, value: object, layout: Layout) -> bytes:
    """Return the bytes of a value that is not null, not yes/no and not a long one."""
    try:
        return _encode(column, value, layout)
    except ValueRefused as refused:
        raise ValueRefused(refused.sentence, where=f"column {column.name}") from None
    except (ValueError, TypeError, OverflowError, InvalidOperation, struct.error):
        raise ValueRefused(
            f"{value!r} does not fit a column of type {column.type.word}.", where=f"column {column.name}"
        ) from None


def _encode(column: Column, value: Any, layout: Layout) -> bytes:
    kind = column.type
    if kind in _RANGE:
        number = int(value)
        low, high = _RANGE[kind]
        if number != value:
            raise ValueRefused(f"{value!r} is not a whole number.")
        if not low <= number <= high:
            raise ValueRefused(f"{number} is not between {low} and {high}.")
        return struct.pack("<" + STRUCT_CODE[kind], number)
    match kind:
        case ColumnType.TEXT:
            return encode_text(column, value, layout)
        case ColumnType.DATE:
            if not isinstance(value, date):
                raise TypeError
            return struct.pack("<d", encode_date(value))
        case ColumnType.SINGLE | ColumnType.DOUBLE:
            return struct.pack("<" + STRUCT_CODE[kind], float(value))
        case ColumnType.MONEY:
            units = Decimal(str(value)) * _CENT
            if units != int(units):
                raise ValueRefused(f"{value} has more than four digits after the point.")
            return struct.pack("<q", int(units))
        case ColumnType.NUMERIC:
            return encode_numeric(Decimal(str(value)), column.precision, column.scale)
        case ColumnType.GUID:
            return (value if isinstance(value, UUID) else UUID(str(value))).bytes_le
        case ColumnType.BINARY:
            raw = bytes(memoryview(value))
            if len(raw) > column.size:
                raise ValueRefused(f"{len(raw)} bytes are more than {column.size}.")
            return raw if column.fixed_offset is None else raw.ljust(column.fixed_size, b"\0")
    raise ValueRefused(f"Values of type {kind.word} cannot be written.")


def encode_text(column: Column, value: object, layout: Layout) -> bytes:
    """Return the bytes of a text, checked against the size of its column."""
    if not isinstance(value, str):
        raise TypeError
    if layout.is_jet3:
        raw = encode_code_page(value, codec_of(column.code_page))
        length = len(raw)
    else:
        raw = encode_unicode(value, compress=column.compressed)
        length = len(value.encode("utf-16-le", "surrogatepass")) // 2
    if column.type is ColumnType.TEXT and length > column.size:
        raise ValueRefused(f"{value!r} has {length} characters, more than the {column.size} of its column.")
    if column.fixed_offset is not None:
        # Text of a fixed length, which programs other than Access make, is filled up with spaces.
        space = " ".encode("ascii" if layout.is_jet3 else "utf-16-le")
        raw = raw if layout.is_jet3 else value.encode("utf-16-le", "surrogatepass")
        raw += space * ((column.fixed_size - len(raw)) // len(space))
    return raw
