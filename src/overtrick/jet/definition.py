"""Table definitions (page type 2): columns, indexes and pointers to the usage maps; no rows.

A definition may span several pages. Each begins with 8 bytes: type 02, 01, 2 bytes of free space (Jet 3:
"VC"), 4 bytes with the next page or 0. The 8 bytes of the first page count as part of the definition, those of
the others do not. The definition, with offsets of Jet 3 and Jet 4:

    8   8    4  length
    -   12   4  a magic number, 1625, which columns and logical indexes repeat
    12  16   4  number of rows
    16  20   4  last autonumber
    -   24   1  1; without it Access assigns no autonumbers
    20  40   1  N for a user table, S for a system table
    21  41   2  number of columns that rows have, dropped ones included
    23  43   2  number of variable columns
    25  45   2  number of columns
    27  47   4  number of logical indexes
    31  51   4  number of real indexes, the trees
    35  55   4  map of the pages that the table owns (`Pointer`)
    39  59   4  map of those with free space
    43  63      for each tree 8 (12) bytes: 4 unknown, 4 number of entries, and in Jet 4 4 unknown
    then        for each column 18 (25) bytes
    then        the names of the columns, each with its length in 1 (2) bytes
    then        for each tree 39 (52) bytes
    then        for each logical index 20 (28) bytes: an index that has a name, or one end of a relationship
    then        their names
    then        for each memo and OLE column 10 bytes: number, map of owned pages, map of those with free space
    then        ff ff

A column:

    0   0    1  type (`ColumnType`)
    1   5    2  number, in rows and in null masks
    3   7    2  place among the variable columns
    5   9    2  place in the table
    9   11   2  text: sort order (decimal in Jet 4: precision, scale)
    11  13   2  text: code page; in Jet 4 the second byte is the version of the sort order
    13  15   1  flags: 1 fixed, 2 may be changed, 4 autonumber (long), 40 autonumber (GUID), 80 hyperlink
    -   16   1  flags: 1 text may be compressed
    14  21   2  offset of a fixed value
    16  23   2  length in bytes

A tree (Jet 4: after a magic number, 1923):

    0   4    3  ten times: number of a column or ff ff, then 1 if ascending
    30  34   4  map of the pages of the tree
    34  38   4  root page
    38  46   1  flags: 1 unique, 2 leaves out nulls, 8 needs a value

A logical index (Jet 4: after the magic number 1625):

    0   4    4  its number
    4   8    4  number of its tree
    8   12  11  the other end of a relationship, if it is one
    19  23   1  kind: 1 primary, 2 relationship
"""

import struct
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache

from overtrick.jet.columns import Column, ColumnType, Index
from overtrick.jet.errors import DamagedAccessFile
from overtrick.jet.layout import Layout, PageType
from overtrick.jet.page_file import PageFile

_MAX_LENGTH = 1024 * 1024
"""The most bytes of a definition; 255 columns with names of 64 letters and 32 indexes need some 60 KB."""

COLUMN_FIXED = 0x01
COLUMN_AUTO_LONG = 0x04
COLUMN_AUTO_GUID = 0x40
INDEX_UNIQUE = 0x01
INDEX_IGNORES_NULLS = 0x02
INDEX_REQUIRED = 0x08


@dataclass(frozen=True, slots=True)
class Pointer:
    """A row on a page, as a file points to it."""

    page: int
    row: int

    @classmethod
    def unpack(cls, packed: int) -> "Pointer":
        """Return the pointer in a 32-bit integer: the row in the lowest byte, the page in the others."""
        return cls(packed >> 8, packed & 0xFF)

    def pack(self) -> int:
        """Return the pointer as a 32-bit integer."""
        return self.page << 8 | self.row


@dataclass(frozen=True, slots=True)
class IndexDefinition:
    """One tree of keys."""

    number: int
    names: tuple[str, ...]
    """The logical indexes that share the tree; usually one."""
    columns: tuple[tuple[int, bool], ...]
    """Column numbers, each with whether it ascends."""
    root: int
    map: Pointer
    flags: int
    primary: bool
    foreign: bool
    entry_count_at: int
    """The offset, in the bytes of the definition, of the number of entries in the tree."""

    @property
    def unique(self) -> bool:
        """True if no two rows may have the same key."""
        return bool(self.flags & INDEX_UNIQUE)

    @property
    def ignores_nulls(self) -> bool:
        """True if rows whose key is all null are left out."""
        return bool(self.flags & INDEX_IGNORES_NULLS)

    @property
    def required(self) -> bool:
        """True if no column of the key may be null."""
        return bool(self.flags & INDEX_REQUIRED)


@dataclass(frozen=True, slots=True)
class TableDefinition:
    """The contents of a table definition."""

    page: int
    pages: tuple[int, ...]
    length: int
    row_count: int
    autonumber: int
    max_columns: int
    variable_columns: int
    columns: tuple[Column, ...]
    indexes: tuple[IndexDefinition, ...]
    owned_map: Pointer
    free_map: Pointer
    long_value_maps: dict[int, tuple[Pointer, Pointer]]
    """For each memo and OLE column number, the maps of its own pages."""
    columns_end: int
    """The end of the names of the columns in the definition's bytes."""
    indexes_end: int = 0
    """The end of the names of the indexes in the definition's bytes."""


def read_definition_bytes(file: PageFile, page: int) -> tuple[bytes, tuple[int, ...]]:
    """Return all bytes of a definition, chained over its pages, with the pages they came from."""
    seen: list[int] = []
    parts: list[bytes] = []
    length = 0
    number = page
    while number:
        if number in seen:
            raise DamagedAccessFile(f"The definition on page {page} is circular.", where=file.where)
        content = file.page(number)
        if content[0] != PageType.DEFINITION:
            raise DamagedAccessFile(f"Page {number} is not a table definition.", where=file.where)
        seen.append(number)
        parts.append(content if not parts else content[8:])
        length += len(parts[-1])
        if length > _MAX_LENGTH:
            raise DamagedAccessFile(f"The definition on page {page} is too long.", where=file.where)
        (number,) = struct.unpack_from("<I", content, 4)
    return b"".join(parts), tuple(seen)


def read_definition(file: PageFile, page: int) -> TableDefinition:
    """Return the definition that begins on a page; raise DamagedAccessFile if there is none."""
    content, pages = read_definition_bytes(file, page)
    return parse_definition(content, page, pages, file)


def parse_definition(content: bytes, page: int, pages: tuple[int, ...], file: PageFile) -> TableDefinition:
    """Parse the bytes of a definition; raise DamagedAccessFile if they contradict themselves."""
    return _parse(content, page, pages, file.layout, file.header.encoding, file.where)


# Cached by content: a file is read again after every change, and then nearly every definition is unchanged.
@lru_cache(maxsize=64)
def _parse(
    content: bytes, page: int, pages: tuple[int, ...], layout: Layout, encoding: str, where: str
) -> TableDefinition:
    try:
        return _DefinitionReader(content, page, pages, layout, encoding, where).read()
    except (struct.error, IndexError):
        raise DamagedAccessFile(f"The table definition on page {page} is cut short.", where=where) from None


class _DefinitionReader:
    """A reader that walks the bytes of one definition from front to back."""

    def __init__(
        self, content: bytes, page: int, pages: tuple[int, ...], layout: Layout, encoding: str, where: str
    ) -> None:
        self.content = content
        self.page = page
        self.pages = pages
        self.layout = layout
        self.encoding = encoding
        self.where = where
        self.at = 0

    def _u16(self, offset: int) -> int:
        return int.from_bytes(self._slice(offset, 2), "little")

    def _u32(self, offset: int) -> int:
        return int.from_bytes(self._slice(offset, 4), "little")

    def _slice(self, offset: int, length: int) -> bytes:
        part = self.content[offset : offset + length]
        if len(part) != length:
            raise IndexError
        return part

    def _name(self) -> str:
        size = self.layout.name_length_size
        length = int.from_bytes(self._slice(self.at, size), "little")
        raw = self._slice(self.at + size, length)
        self.at += size + length
        return (
            raw.decode(self.encoding, "replace")
            if self.layout.is_jet3
            else raw.decode("utf-16-le", "replace")
        )

    def _damaged(self, what: str) -> DamagedAccessFile:
        return DamagedAccessFile(f"The table definition on page {self.page} {what}.", where=self.where)

    def read(self) -> TableDefinition:
        layout = self.layout
        column_count = self._u16(layout.column_count)
        real, logical = self._u32(layout.real_indexes), self._u32(layout.logical_indexes)
        if column_count > 1024 or real > 1024 or logical > 1024:
            raise self._damaged("names more columns or indexes than a table can have")
        max_columns = self._u16(layout.max_columns)
        counts_at = layout.index_counts
        columns_at = counts_at + real * layout.index_count_size
        self.at = columns_at + column_count * layout.column_size
        names = [self._name() for _ in range(column_count)]
        columns = tuple(
            self._column(columns_at + n * layout.column_size, name) for n, name in enumerate(names)
        )
        numbers = [column.number for column in columns]
        if (
            max_columns > (255 if layout.is_jet3 else 1024)
            or self._u16(layout.variable_columns) > max_columns
        ):
            raise self._damaged("counts more columns than a table can have")
        if len(set(numbers)) != len(numbers) or any(number >= max_columns for number in numbers):
            raise self._damaged("gives a column a number that is too high or used twice")
        if any(column.variable_index > 1023 for column in columns if column.fixed_offset is None):
            raise self._damaged("has more variable columns than a table can have")
        columns_end = self.at
        indexes = self._indexes(real, logical, counts_at)
        indexes_end = self.at
        return TableDefinition(
            page=self.page,
            pages=self.pages,
            length=self._u32(8),
            row_count=self._u32(layout.row_count),
            autonumber=self._u32(layout.autonumber),
            max_columns=max_columns,
            variable_columns=self._u16(layout.variable_columns),
            columns=tuple(sorted(columns, key=lambda column: column.number)),
            indexes=indexes,
            owned_map=Pointer.unpack(self._u32(layout.owned_map)),
            free_map=Pointer.unpack(self._u32(layout.free_map)),
            long_value_maps=self._long_value_maps(),
            columns_end=columns_end,
            indexes_end=indexes_end,
        )

    def _column(self, at: int, name: str) -> Column:
        layout, content = self.layout, self._slice(at, self.layout.column_size)
        try:
            kind = ColumnType(content[0])
        except ValueError:
            raise self._damaged(f"gives column {name} the unknown type {content[0]}") from None
        flags = content[layout.column_flags]
        extra = content[layout.column_extra_flags] if layout.column_extra_flags is not None else 0
        misc, misc_next = struct.unpack_from("<HH", content, layout.column_misc)
        (length,) = struct.unpack_from("<H", content, layout.column_length)
        (fixed,) = struct.unpack_from("<H", content, layout.column_fixed)
        is_text = kind in (ColumnType.TEXT, ColumnType.MEMO)
        is_fixed = bool(flags & COLUMN_FIXED) and not kind.is_long_value
        # The same two bits mean other things in columns of other types: Access 97 sets 40 in many of them.
        auto = {ColumnType.LONG: COLUMN_AUTO_LONG, ColumnType.GUID: COLUMN_AUTO_GUID}.get(kind, 0)
        precision_at = 11
        return Column(
            name=name,
            type=kind,
            size=length // layout.text_unit if kind is ColumnType.TEXT else length,
            autonumber=bool(flags & auto),
            precision=content[precision_at] if kind is ColumnType.NUMERIC else 18,
            scale=content[precision_at + 1] if kind is ColumnType.NUMERIC else 0,
            number=int.from_bytes(content[layout.column_number : layout.column_number + 2], "little"),
            fixed_offset=fixed if is_fixed else None,
            variable_index=int.from_bytes(
                content[layout.column_variable : layout.column_variable + 2], "little"
            ),
            sort_order=misc if is_text else 0,
            sort_version=misc_next >> 8 if is_text and not layout.is_jet3 else 0,
            code_page=misc_next if is_text and layout.is_jet3 else 0,
            flags=flags,
            compressed=bool(extra & 0x01) and is_text,
            stored_size=length,
        )

    def _indexes(self, real: int, logical: int, counts_at: int) -> tuple[IndexDefinition, ...]:
        layout = self.layout
        trees_at = self.at
        logical_at = trees_at + real * layout.index_size
        self.at = logical_at + logical * layout.logical_index_size
        names: dict[int, list[str]] = {}
        kinds: dict[int, set[int]] = {}
        for n in range(logical):
            at = logical_at + n * layout.logical_index_size + layout.logical_index_skip
            tree, kind = self._u32(at + 4), self._slice(at + 19, 1)[0]
            names.setdefault(tree, []).append(self._name())
            kinds.setdefault(tree, set()).add(kind)
        trees = []
        for n in range(real):
            at = trees_at + n * layout.index_size
            part = self._slice(at, layout.index_size)
            start = layout.index_skip
            columns = []
            for slot in range(10):
                number, order = struct.unpack_from("<HB", part, start + slot * 3)
                if number != 0xFFFF:
                    columns.append((number, order == 1))
            used, root = struct.unpack_from("<II", part, start + 30)
            trees.append(
                IndexDefinition(
                    number=n,
                    names=tuple(names.get(n, ())),
                    columns=tuple(columns),
                    root=root,
                    map=Pointer.unpack(used),
                    flags=part[layout.index_flags],
                    primary=1 in kinds.get(n, ()),
                    foreign=2 in kinds.get(n, ()),
                    entry_count_at=counts_at + n * layout.index_count_size + 4,
                )
            )
        return tuple(trees)

    def _long_value_maps(self) -> dict[int, tuple[Pointer, Pointer]]:
        maps: dict[int, tuple[Pointer, Pointer]] = {}
        while self.at + 2 <= len(self.content):
            (number,) = struct.unpack_from("<H", self.content, self.at)
            if number == 0xFFFF or self.at + 10 > len(self.content):
                break
            owned, free = struct.unpack_from("<II", self.content, self.at + 2)
            if number in maps:
                break
            maps[number] = (Pointer.unpack(owned), Pointer.unpack(free))
            self.at += 10
        return maps


def index_of(index: IndexDefinition, column_names: Mapping[int, str]) -> Index:
    """Return the `Index` that would create such an index."""
    return Index(
        name=index.names[0] if index.names else f"Index{index.number}",
        columns=tuple(column_names.get(number, str(number)) for number, _ in index.columns),
        primary=index.primary,
        unique=index.unique,
        descending=tuple(column_names.get(number, str(number)) for number, up in index.columns if not up),
        ignore_nulls=index.ignores_nulls,
        required=index.required,
    )


def with_counts(definition: TableDefinition, file: PageFile) -> TableDefinition:
    """Return the definition with its counts as the file has them now."""
    page, layout = file.page(definition.page), file.layout
    (rows,) = struct.unpack_from("<I", page, layout.row_count)
    (autonumber,) = struct.unpack_from("<I", page, layout.autonumber)
    return replace(definition, row_count=rows, autonumber=autonumber)
