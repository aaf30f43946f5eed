"""Usage maps: which pages a table owns, and which of them have room; knows nothing of tables."""

import struct

from overtrick.jet.definition import Pointer
from overtrick.jet.errors import DamagedAccessFile
from overtrick.jet.layout import PageType
from overtrick.jet.pagefile import PageFile
from overtrick.jet.rowpage import row_bytes

INLINE = 0
REFERENCE = 1


def _bits(bitmap: bytes, first: int, limit: int) -> list[int]:
    found: list[int] = []
    for position, byte in enumerate(bitmap):
        if byte:
            base = first + position * 8
            found.extend(base + bit for bit in range(8) if byte >> bit & 1 and base + bit < limit)
    return found


def mapped_pages(file: PageFile, pointer: Pointer) -> list[int]:
    """The pages whose bit is set, in order; those beyond the end of the file are left out."""
    content = row_bytes(file, pointer.page, pointer.row)
    limit = file.page_count
    if len(content) >= 5 and content[0] == INLINE:
        (first,) = struct.unpack_from("<I", content, 1)
        return _bits(content[5:], first, limit)
    if not content or content[0] != REFERENCE:
        raise DamagedAccessFile("A map of pages is of an unknown kind.", where=file.where)
    found: list[int] = []
    a_page = (file.page_size - 4) * 8
    for position in range((len(content) - 1) // 4):
        (number,) = struct.unpack_from("<I", content, 1 + position * 4)
        if number == 0 or position * a_page >= limit:
            continue
        page = file.page(number)
        if page[0] != PageType.USAGE_MAP:
            raise DamagedAccessFile(f"Page {number} should be a map of pages and is not.", where=file.where)
        found.extend(_bits(page[4:], position * a_page, limit))
    return found
