"""Long values (memo and OLE): inside their row, in one row elsewhere, or chained over many pages.

A field of a row holds 12 bytes, and after them the value itself if it is in the row:

    0   3  length of the value
    3   1  80 in the row, 40 in one row of another page, 00 in a chain of rows
    4   4  row and page of the value or of its first part (`definition.Pointer`)
    8   4  not used

The other page is a page of rows (`row_page`) whose owner is the text LVAL. A part of a chain begins with 4
bytes that point to the next one, 0 in the last.
"""

import struct

from overtrick.jet.definition import Pointer
from overtrick.jet.edit import Edit, WriteStep
from overtrick.jet.errors import DamagedAccessFile, ValueRefused
from overtrick.jet.layout import PageType
from overtrick.jet.page_file import PageFile
from overtrick.jet.row_page import RowPage, row_bytes
from overtrick.jet.usage_map import add_to_map, allocate, mapped_pages, remove_from_map

IN_ROW = 0x80
ONE_ROW = 0x40
REFERENCE_SIZE = 12


def read_long_value(file: PageFile, reference: bytes) -> bytes:
    """Return the value of a memo or OLE field; `reference` is the bytes of the field in its row."""
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
    length_read = 0
    while pointer and length_read < length:
        if pointer in seen:
            raise DamagedAccessFile("A memo is circular.", where=file.where)
        seen.add(pointer)
        part = row_bytes(file, pointer >> 8, pointer & 0xFF)
        if len(part) < 4:
            raise DamagedAccessFile("A memo is cut short.", where=file.where)
        (pointer,) = struct.unpack_from("<I", part)
        parts.append(part[4:])
        length_read += len(part) - 4
    if length_read < length:
        raise DamagedAccessFile("A memo is shorter than its length says.", where=file.where)
    return b"".join(parts)[:length]


_OWNER = b"LVAL"
_PAGES_TRIED = 16
"""The number of pages with room that are tried before a new one is allocated."""
_MIN_FREE = 64
"""A page with at most this many free bytes is taken out of the map of pages with room."""


def write_long_value(edit: Edit, maps: tuple[Pointer, Pointer] | None, value: bytes) -> bytes:
    """Store a long value; return the bytes of its field in the row. Raise ValueRefused for 16 MB or more."""
    layout = edit.file.layout
    if len(value) <= layout.largest_inline:
        return len(value).to_bytes(3, "little") + bytes((IN_ROW, *bytes(8))) + value
    if len(value) >= 1 << 24:
        raise ValueRefused("A memo of 16 megabytes or more cannot be stored.")
    if maps is None:
        raise ValueRefused("This table has no pages for long memos.")
    if len(value) <= layout.largest_long_row:
        pointer, form = _add_row(edit, maps, value), ONE_ROW
    else:
        pointer, form = 0, 0
        size = layout.largest_long_row
        # From the last part to the first, because each part points to the next.
        for start in range((len(value) - 1) // size * size, -1, -size):
            pointer = _add_row(edit, maps, pointer.to_bytes(4, "little") + value[start : start + size])
    return len(value).to_bytes(3, "little") + bytes((form,)) + pointer.to_bytes(4, "little") + bytes(4)


def _add_row(edit: Edit, maps: tuple[Pointer, Pointer], row: bytes) -> int:
    owned, free = maps
    layout = edit.file.layout
    for number in reversed(mapped_pages(edit.file, free)[-_PAGES_TRIED:]):
        if edit.is_late(number):  # a value is freed there, which the file needs until the rows are written
            continue
        content = edit.file.page(number)
        if content[0] == PageType.ROWS and content[4:8] == _OWNER:
            page = RowPage(bytearray(content), layout)
            if page.room() >= len(row):
                page = RowPage(edit.change(number, WriteStep.MEMO), layout)
                row_number = page.add(row)
                if page.room() <= _MIN_FREE:
                    remove_from_map(edit, free, number)
                return Pointer(number, row_number).pack()
    number, new = allocate(edit)
    page = RowPage.make(new, layout, _OWNER)
    row_number = page.add(row)
    add_to_map(edit, owned, number)
    if page.room() > _MIN_FREE:
        add_to_map(edit, free, number)
    return Pointer(number, row_number).pack()


def free_long_value(edit: Edit, maps: tuple[Pointer, Pointer] | None, reference: bytes) -> None:
    """Delete the rows of a long value; the field in the row is left to the caller."""
    if maps is None or len(reference) < REFERENCE_SIZE or reference[3] & IN_ROW:
        return
    chained = not reference[3] & ONE_ROW
    (pointer,) = struct.unpack_from("<I", reference, 4)
    seen: set[int] = set()
    while pointer and pointer not in seen:
        seen.add(pointer)
        target = Pointer.unpack(pointer)
        content = edit.file.page(target.page)
        if content[4:8] != _OWNER or target.row >= RowPage(bytearray(content), edit.file.layout).row_count:
            return
        row = row_bytes(edit.file, target.page, target.row)
        if edit.is_late(target.page) or not edit.has(target.page):
            RowPage(edit.change(target.page, WriteStep.COUNT), edit.file.layout).drop(target.row)
            add_to_map(edit, maps[1], target.page)
        pointer = int.from_bytes(row[:4], "little") if chained and len(row) >= 4 else 0
