"""Usage maps: which pages a table owns, and which of them have room. Independent of tables.

A map is a row of a page of rows. It has a bit for each page, the lowest bit of a byte first:

    0   1  00: the bitmap is in the row        01: the bitmap is on pages of its own
    1   4  number of the first page            4 bytes for each bitmap page, 0 where there is none
    5      bitmap, 64 bytes (Jet 3: 128)

A bitmap page (type 5) is 05 01 00 00 and then bits; the n-th one has the bits of the n-th (page size - 4) * 8
pages. Bits of the map of free pages, row 0 of page 1, are set for pages without an owner.
"""

import struct

from overtrick.jet.definition import Pointer
from overtrick.jet.edit import Edit, WriteStep
from overtrick.jet.errors import DamagedAccessFile, NotWritten
from overtrick.jet.layout import PageType
from overtrick.jet.page_file import PageFile
from overtrick.jet.row_page import RowPage, row_bytes, row_span

INLINE = 0
REFERENCE = 1


def _bits(bitmap: bytes, first: int) -> list[int]:
    pages: list[int] = []
    for position, byte in enumerate(bitmap):
        if byte:
            base = first + position * 8
            pages.extend(base + bit for bit in range(8) if byte >> bit & 1)
    return pages


def mapped_pages(file: PageFile, pointer: Pointer, *, require_all: bool = False) -> list[int]:
    """Return the pages whose bit is set, in order; those after the end of the file are left out, or with `require_all`
    raise DamagedAccessFile.
    """
    content = row_bytes(file, pointer.page, pointer.row)
    limit = file.page_count
    pages: list[int] = []
    if len(content) >= 5 and content[0] == INLINE:
        (first,) = struct.unpack_from("<I", content, 1)
        pages = _bits(content[5:], first)
    elif content and content[0] == REFERENCE:
        pages_per_bitmap = (file.page_size - 4) * 8
        for position in range((len(content) - 1) // 4):
            (number,) = struct.unpack_from("<I", content, 1 + position * 4)
            if number == 0:
                continue
            page = file.page(number)
            if page[0] != PageType.USAGE_MAP:
                raise DamagedAccessFile(
                    f"Page {number} should be a map of pages and is not.", where=file.where
                )
            pages.extend(_bits(page[4:], position * pages_per_bitmap))
    else:
        raise DamagedAccessFile("A map of pages is of an unknown kind.", where=file.where)
    if pages and pages[-1] >= limit:
        if require_all:
            raise DamagedAccessFile(
                f"A table has rows on page {pages[-1]}, but the file has {limit} pages; was it cut short?",
                where=file.where,
            )
        pages = [number for number in pages if number < limit]
    return pages


def add_to_map(edit: Edit, pointer: Pointer, number: int) -> None:
    """Set the bit of a page."""
    _set_bit(edit, pointer, number, on=True)


def remove_from_map(edit: Edit, pointer: Pointer, number: int) -> None:
    """Clear the bit of a page."""
    if number in mapped_pages(edit.file, pointer):
        _set_bit(edit, pointer, number, on=False)


def _set_bit(edit: Edit, pointer: Pointer, number: int, *, on: bool) -> None:
    file = edit.file
    page = edit.change(pointer.page, WriteStep.MAP)
    start, end, _ = row_span(page, file.layout, pointer.row)
    if page[start] == INLINE:
        (first,) = struct.unpack_from("<I", page, start + 1)
        bits = (end - start - 5) * 8
        if not first <= number < first + bits:
            # The page is outside the range of the bitmap: move the range if all pages fit into it, else use bitmap
            # pages.
            marked = mapped_pages(file, pointer)
            lowest = min([number, *marked]) // 8 * 8
            if max([number, *marked]) < lowest + bits:
                _write_inline(page, start, end, lowest, marked)
                first = lowest
            else:
                _refer_to_pages(edit, page, start, end, marked)
                _set_bit(edit, pointer, number, on=on)
                return
        _write_bit(page, start + 5, number - first, on)
        return
    pages_per_bitmap = (file.page_size - 4) * 8
    position = number // pages_per_bitmap
    entry_offset = start + 1 + 4 * position
    if entry_offset + 4 > end:
        raise NotWritten("The file would become larger than Access allows.", where=file.where)
    (map_page,) = struct.unpack_from("<I", page, entry_offset)
    if map_page:
        bitmap = edit.change(map_page, WriteStep.MAP)
    else:
        map_page, bitmap = allocate(edit)
        bitmap[0:2] = bytes((PageType.USAGE_MAP, 1))
        struct.pack_into("<I", page, entry_offset, map_page)
    _write_bit(bitmap, 4, number % pages_per_bitmap, on)


def _write_bit(page: bytearray, start: int, bit: int, on: bool) -> None:
    if on:
        page[start + bit // 8] |= 1 << bit % 8
    else:
        page[start + bit // 8] &= ~(1 << bit % 8)


def _write_inline(page: bytearray, start: int, end: int, first: int, marked: list[int]) -> None:
    page[start:end] = bytes(end - start)
    struct.pack_into("<I", page, start + 1, first)
    for number in marked:
        _write_bit(page, start + 5, number - first, True)


def _refer_to_pages(edit: Edit, page: bytearray, start: int, end: int, marked: list[int]) -> None:
    """Turn a map with its bitmap in the row into one with bitmap pages."""
    page[start:end] = bytes(end - start)
    page[start] = REFERENCE
    pages_per_bitmap = (edit.file.page_size - 4) * 8
    for position in sorted({number // pages_per_bitmap for number in marked}):
        map_page, bitmap = allocate(edit)
        bitmap[0:2] = bytes((PageType.USAGE_MAP, 1))
        struct.pack_into("<I", page, start + 1 + 4 * position, map_page)
        for number in marked:
            if number // pages_per_bitmap == position:
                _write_bit(bitmap, 4, number % pages_per_bitmap, True)


_FREE_PAGES = Pointer(1, 0)


def allocate(edit: Edit) -> tuple[int, bytearray]:
    """Return a new page, taken out of the map of free pages that the whole file shares.

    Free pages that other programs left are not used: if the map is stale, they may still belong to a table.
    """
    number, content = edit.new_page()
    page = edit.change(_FREE_PAGES.page, WriteStep.MAP)
    start, end, _ = row_span(page, edit.file.layout, _FREE_PAGES.row)
    if page[start] == REFERENCE:
        pages_per_bitmap = (edit.file.page_size - 4) * 8
        (map_page,) = struct.unpack_from("<I", page, start + 1 + 4 * (number // pages_per_bitmap))
        if map_page:
            _write_bit(edit.change(map_page, WriteStep.MAP), 4, number % pages_per_bitmap, False)
        return number, content
    (first,) = struct.unpack_from("<I", page, start + 1)
    if number >= first + (end - start - 5) * 8:
        _lengthen_free_map(edit, page, number - first)
        start, end, _ = row_span(page, edit.file.layout, _FREE_PAGES.row)
    if number >= first:
        _write_bit(page, start + 5, number - first, False)
    return number, content


def _lengthen_free_map(edit: Edit, page: bytearray, bit: int) -> None:
    """Lengthen the map of free pages, four bytes at a time as Access does; pages beyond it are free."""
    rows = RowPage(page, edit.file.layout)
    start, end, flags = row_span(page, edit.file.layout, _FREE_PAGES.row)
    content = bytes(page[start:end])
    longer = content + b"\xff" * 4 * ((bit // 8 + 5 - len(content)) // 4 + 1)
    if not rows.fits(_FREE_PAGES.row, len(longer)):
        raise NotWritten("The file would become larger than Overtrick can write.", where=edit.file.where)
    rows.replace(_FREE_PAGES.row, longer, flags)
