"""Pages of rows (page type 1): which rows lie where; knows nothing of what is in a row."""

import struct

from overtrick.jet.errors import DamagedAccessFile
from overtrick.jet.layout import Layout, PageType
from overtrick.jet.pagefile import PageFile

DELETED = 0x8000
OVERFLOW = 0x4000
OFFSET = 0x1FFF


def slots(content: bytes, layout: Layout) -> tuple[int, ...]:
    """The entries of a page's row directory, flags included."""
    (count,) = struct.unpack_from("<H", content, layout.rows_count)
    if count > (len(content) - layout.rows_start) // 2:
        raise DamagedAccessFile("A page lists more rows than it can hold.")
    return struct.unpack_from(f"<{count}H", content, layout.rows_start)


def row_span(content: bytes, layout: Layout, row: int) -> tuple[int, int, int]:
    """Where a row begins and ends, and its flags."""
    (count,) = struct.unpack_from("<H", content, layout.rows_count)
    if row >= count or layout.rows_start + 2 * row + 2 > len(content):
        raise DamagedAccessFile("A row is asked for that its page does not have.")
    at = layout.rows_start + 2 * row
    (slot,) = struct.unpack_from("<H", content, at)
    end = len(content) if row == 0 else struct.unpack_from("<H", content, at - 2)[0] & OFFSET
    start = slot & OFFSET
    if not layout.rows_start <= start <= end <= len(content):
        raise DamagedAccessFile("A row lies outside its page.")
    return start, end, slot & ~OFFSET


def row_bytes(file: PageFile, page: int, row: int) -> bytes:
    """The bytes of a row that is pointed to, whatever its flags say."""
    content = file.page(page)
    if content[0] != PageType.ROWS:
        raise DamagedAccessFile(f"Page {page} should hold rows and does not.", where=file.where)
    start, end, _ = row_span(content, file.layout, row)
    return content[start:end]
