"""Long values (memo and OLE): inside their row, in one row elsewhere, or chained over many pages."""

import struct

from overtrick.jet.errors import DamagedAccessFile
from overtrick.jet.pagefile import PageFile
from overtrick.jet.rowpage import row_bytes

IN_ROW = 0x80
ONE_ROW = 0x40
REFERENCE_SIZE = 12


def read_long_value(file: PageFile, reference: bytes) -> bytes:
    """The bytes that a memo or OLE field of a row stands for."""
    if len(reference) < REFERENCE_SIZE:
        if not reference:
            return b""
        raise DamagedAccessFile("A memo is cut short.", where=file.where)
    length = int.from_bytes(reference[:3], "little")
    form = reference[3] & 0xC0
    if form & IN_ROW:
        return reference[REFERENCE_SIZE : REFERENCE_SIZE + length]
    (pointer,) = struct.unpack_from("<I", reference, 4)
    if form & ONE_ROW:
        return row_bytes(file, pointer >> 8, pointer & 0xFF)[:length]
    parts: list[bytes] = []
    seen: set[int] = set()
    have = 0
    while pointer and have < length:
        if pointer in seen:
            raise DamagedAccessFile("A memo runs in a circle.", where=file.where)
        seen.add(pointer)
        part = row_bytes(file, pointer >> 8, pointer & 0xFF)
        if len(part) < 4:
            raise DamagedAccessFile("A memo is cut short.", where=file.where)
        (pointer,) = struct.unpack_from("<I", part)
        parts.append(part[4:])
        have += len(part) - 4
    if have < length:
        raise DamagedAccessFile("A memo is shorter than it says.", where=file.where)
    return b"".join(parts)[:length]
