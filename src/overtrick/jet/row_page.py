"""Pages of rows (page type 1): where each row begins and ends. The rows are opaque bytes.

    0       2  the type, 01, and another 01
    2       2  the number of free bytes on the page
    4       4  the page of the table's definition, or LVAL for memos, or 1 for usage maps
    8       4  Jet 4 only: zeros
    8/12    2  the number of rows, deleted ones included (at 8 in Jet 3, at 12 in Jet 4)
    10/14   2  for each row: where it begins, with flags in the upper bits: 0x8000 moved here, 0x4000 moved elsewhere,
               both: deleted

Rows lie from the end of the page to the front: a row ends where the one before it begins. A row that was moved
has 4 bytes in its old place, a pointer to the new one; ids and indexes keep pointing to the old place.
"""

import struct

from overtrick.jet.errors import DamagedAccessFile
from overtrick.jet.layout import Layout, PageType
from overtrick.jet.page_file import PageFile

DELETED = 0x8000
OVERFLOW = 0x4000
OFFSET = 0x1FFF


def slots(content: bytes | bytearray, layout: Layout) -> tuple[int, ...]:
    """Return the entries of a page's row directory, flags included."""
    (count,) = struct.unpack_from("<H", content, layout.rows_count)
    if count > (len(content) - layout.rows_start) // 2:
        raise DamagedAccessFile("A page lists more rows than it can hold.")
    return struct.unpack_from(f"<{count}H", content, layout.rows_start)


def row_span(content: bytes | bytearray, layout: Layout, row: int) -> tuple[int, int, int]:
    """Return where a row begins and ends, and its flags."""
    (count,) = struct.unpack_from("<H", content, layout.rows_count)
    if row >= count or layout.rows_start + 2 * row + 2 > len(content):
        raise DamagedAccessFile("A pointer leads to a row that its page does not have.")
    slot_offset = layout.rows_start + 2 * row
    (slot,) = struct.unpack_from("<H", content, slot_offset)
    end = len(content) if row == 0 else struct.unpack_from("<H", content, slot_offset - 2)[0] & OFFSET
    start = slot & OFFSET
    if not layout.rows_start <= start <= end <= len(content):
        raise DamagedAccessFile("A row lies outside its page.")
    return start, end, slot & ~OFFSET


def row_bytes(file: PageFile, page: int, row: int) -> bytes:
    """Return the bytes of a row, whatever its flags; raise DamagedAccessFile if there is none."""
    content = file.page(page)
    if content[0] != PageType.ROWS:
        raise DamagedAccessFile(f"Page {page} should hold rows, but does not.", where=file.where)
    start, end, _ = row_span(content, file.layout, row)
    return content[start:end]


GONE = DELETED | OVERFLOW
"""The mark of a deleted row; DELETED alone marks a row that was moved here from elsewhere."""
_MOST_ROWS = 255


class RowPage:
    """A page of rows to change; rows keep their numbers, and the bytes of a deleted row are free again."""

    def __init__(self, content: bytearray, layout: Layout) -> None:
        self.content = content
        self.layout = layout
        self._slots = list(slots(content, layout))

    @classmethod
    def make(cls, content: bytearray, layout: Layout, owner: bytes) -> "RowPage":
        """Make `content` an empty page of rows; `owner` is written to the four bytes at offset 4."""
        content[:] = bytes(len(content))
        content[0:2] = bytes((PageType.ROWS, 1))
        content[4:8] = owner
        page = cls(content, layout)
        page._write_counts()
        return page

    @property
    def row_count(self) -> int:
        """The number of rows on the page, deleted ones included."""
        return len(self._slots)

    @property
    def _last_start(self) -> int:
        """The start of the last row, which is the end of the free bytes."""
        return self._slots[-1] & OFFSET if self._slots else len(self.content)

    def room(self) -> int:
        """Return the number of bytes that a new row may have; 0 if the page has 255 rows."""
        if len(self._slots) >= _MOST_ROWS:
            return 0
        return max(self._last_start - self.layout.rows_start - 2 * (len(self._slots) + 1), 0)

    def add(self, row: bytes, flags: int = 0) -> int:
        """Add a row; return its number."""
        low = self._last_start
        start = low - len(row)
        self.content[start:low] = row
        struct.pack_into("<H", self.content, self.layout.rows_start + 2 * len(self._slots), start | flags)
        self._slots.append(start | flags)
        self._write_counts()
        return len(self._slots) - 1

    def replace(self, row: int, content: bytes, flags: int) -> None:
        """Replace the bytes and flags of a row, and move the rows with higher numbers so that they stay adjacent.

        The caller checks `fits` first.
        """
        start, end, _ = row_span(self.content, self.layout, row)
        # Those rows lie at lower offsets: they move up by `shift`, or down if it is negative.
        shift = (end - start) - len(content)
        low = self._last_start
        self.content[low + shift : start + shift] = bytes(self.content[low:start])
        self.content[end - len(content) : end] = content
        if shift > 0:
            self.content[low : low + shift] = bytes(shift)
        for number in range(row, len(self._slots)):
            slot = self._slots[number]
            self._slots[number] = (slot & OFFSET) + shift | (flags if number == row else slot & ~OFFSET)
        struct.pack_into(f"<{len(self._slots)}H", self.content, self.layout.rows_start, *self._slots)
        self._write_counts()

    def fits(self, row: int, length: int) -> bool:
        """Return whether a row may become that long."""
        start, end, _ = row_span(self.content, self.layout, row)
        free = self._last_start - self.layout.rows_start - 2 * len(self._slots)
        return length - (end - start) <= free

    def delete(self, row: int) -> None:
        """Delete a row; its number is not reused."""
        self.replace(row, b"", GONE)

    def drop(self, row: int) -> None:
        """Delete a row that no id or index refers to; if it is the last row, its number may be reused."""
        self.delete(row)
        while self._slots and self._slots[-1] & GONE == GONE:
            self._slots.pop()
        self._write_counts()

    def _write_counts(self) -> None:
        count = len(self._slots)
        struct.pack_into("<H", self.content, self.layout.rows_count, count)
        struct.pack_into("<H", self.content, 2, self._last_start - self.layout.rows_start - 2 * count)
