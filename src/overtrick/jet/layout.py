"""Offsets and sizes of the page format, one object of constants for each version. Independent of files.

Access 97 writes Jet 3 (2 KB pages, code page text), Access 2000 to 2003 Jet 4 (4 KB pages, Unicode text). All
numbers are little-endian, except in index keys and entries.

A file is a sequence of pages. The first byte of a page is its type:

    00  the header, page 0 only                       explained in `header`
    01  rows of a table, memos, or usage maps         `row_page`; a row in `row_decoder`, a memo in `long_value`
    02  a table definition                            `definition`
    03  a node of an index, 04 a leaf                 `index_page`; entries in `index_keys`
    05  a bitmap of pages                             `usage_map`

Page 1 holds the map of free pages, page 2 the definition of the catalog MSysObjects, whose rows lead to the
definitions of all other tables.
"""

from dataclasses import dataclass
from enum import IntEnum


class PageType(IntEnum):
    """The first byte of a page."""

    HEADER = 0
    ROWS = 1
    DEFINITION = 2
    INDEX_NODE = 3
    INDEX_LEAF = 4
    USAGE_MAP = 5


@dataclass(frozen=True, slots=True)
class Layout:
    """The offsets and sizes of one version."""

    name: str
    jet: int
    page_size: int
    # table definition
    row_count: int
    autonumber: int
    table_type: int
    max_columns: int
    variable_columns: int
    column_count: int
    logical_indexes: int
    real_indexes: int
    owned_map: int
    free_map: int
    index_counts: int
    """The start of the entries for real indexes, which is the length of the fixed part."""
    index_count_size: int
    column_size: int
    column_number: int
    column_variable: int
    column_misc: int
    column_flags: int
    column_extra_flags: int | None
    column_fixed: int
    column_length: int
    name_length_size: int
    index_size: int
    index_skip: int
    """Bytes before the ten columns of a real index."""
    index_flags: int
    logical_index_size: int
    logical_index_skip: int
    # rows
    rows_count: int
    rows_start: int
    row_count_size: int
    """Bytes of the column count in front of a row, and of every offset in it."""
    largest_row: int
    # long values
    largest_inline: int
    largest_long_row: int
    # index pages
    index_previous: int
    index_next: int
    index_tail: int
    index_prefix: int
    index_level: int
    """The level of a page above the leaves; the length of the prefix ends before it."""
    index_mask: int
    index_entries: int
    # usage maps
    inline_map_size: int
    """Bytes of the bitmap of a map that is kept in a row."""
    text_unit: int
    property_magic: bytes

    @property
    def is_jet3(self) -> bool:
        """True if rows hold one-byte offsets and code page text."""
        return self.jet == 3


JET3 = Layout(
    name="Access 97",
    jet=3,
    page_size=2048,
    row_count=12,
    autonumber=16,
    table_type=20,
    max_columns=21,
    variable_columns=23,
    column_count=25,
    logical_indexes=27,
    real_indexes=31,
    owned_map=35,
    free_map=39,
    index_counts=43,
    index_count_size=8,
    column_size=18,
    column_number=1,
    column_variable=3,
    column_misc=9,
    column_flags=13,
    column_extra_flags=None,
    column_fixed=14,
    column_length=16,
    name_length_size=1,
    index_size=39,
    index_skip=0,
    index_flags=38,
    logical_index_size=20,
    logical_index_skip=0,
    rows_count=8,
    rows_start=10,
    row_count_size=1,
    largest_row=2012,
    largest_inline=64,
    largest_long_row=2032,
    index_previous=8,
    index_next=12,
    index_tail=16,
    index_prefix=20,
    index_level=21,
    index_mask=22,
    index_entries=248,
    inline_map_size=128,
    text_unit=1,
    property_magic=b"KKD\0",
)

JET4 = Layout(
    name="Access 2000",
    jet=4,
    page_size=4096,
    row_count=16,
    autonumber=20,
    table_type=40,
    max_columns=41,
    variable_columns=43,
    column_count=45,
    logical_indexes=47,
    real_indexes=51,
    owned_map=55,
    free_map=59,
    index_counts=63,
    index_count_size=12,
    column_size=25,
    column_number=5,
    column_variable=7,
    column_misc=11,
    column_flags=15,
    column_extra_flags=16,
    column_fixed=21,
    column_length=23,
    name_length_size=2,
    index_size=52,
    index_skip=4,
    index_flags=46,
    logical_index_size=28,
    logical_index_skip=4,
    rows_count=12,
    rows_start=14,
    row_count_size=2,
    largest_row=4060,
    largest_inline=64,
    largest_long_row=4076,
    index_previous=12,
    index_next=16,
    index_tail=20,
    index_prefix=24,
    index_level=26,
    index_mask=27,
    index_entries=480,
    inline_map_size=64,
    text_unit=2,
    property_magic=b"MR2\0",
)
