"""Table definitions, from columns and indexes to pages; the counterpart of `definition`."""

import struct
from collections.abc import Mapping, Sequence
from dataclasses import replace

from overtrick.jet.collation import KeyUnknown
from overtrick.jet.columns import Column, ColumnType, Index
from overtrick.jet.definition import (
    COLUMN_AUTO_GUID,
    COLUMN_AUTO_LONG,
    COLUMN_FIXED,
    INDEX_IGNORES_NULLS,
    INDEX_REQUIRED,
    INDEX_UNIQUE,
    Pointer,
    TableDefinition,
)
from overtrick.jet.edit import Edit, WriteStep
from overtrick.jet.errors import IndexNotKept, ValueRefused
from overtrick.jet.index_keys import check_indexable
from overtrick.jet.index_page import IndexPage
from overtrick.jet.layout import JET4, Layout, PageType
from overtrick.jet.row_encoder import end_of
from overtrick.jet.row_page import RowPage
from overtrick.jet.usage_map import add_to_map, allocate

_MAGIC_TABLE = 1625
_MAGIC_INDEX = 1923
_GENERAL = 1033
_COLUMN_MAY_CHANGE = 0x02
_COLUMN_HYPERLINK = 0x80
_INDEX_OF_2000 = 0x80
"""Every index of Access 2000 carries this flag."""
_NOT_RELATED = b"\x00\xff\xff\xff\xff\x00\x00\x00\x00\x04\x04"
_MOST_COLUMNS = 255
_MOST_INDEXES = 32
_LONGEST_NAME = 64
_VARIABLE = (ColumnType.TEXT, ColumnType.BINARY, ColumnType.MEMO, ColumnType.OLE, ColumnType.NUMERIC)


def lay_out(
    columns: Sequence[Column], layout: Layout, definition: TableDefinition | None = None
) -> list[Column]:
    """Return the new columns with their numbers and places, after those that a table already has."""
    existing = definition.columns if definition is not None else ()
    number = definition.max_columns if definition is not None else 0
    fixed = max((end_of(column) for column in existing), default=0)
    variable = definition.variable_columns if definition is not None else 0
    if definition is not None:
        _check_dropped_columns(definition)
    names = {column.name.casefold() for column in existing}
    new_columns = []
    for column in columns:
        if not isinstance(column, Column):
            raise ValueRefused(f"{column!r} is not a Column.")
        _check_column(column, names)
        size = column.size or (255 if column.type in (ColumnType.TEXT, ColumnType.BINARY) else 0)
        is_variable = column.type in _VARIABLE
        flags = _COLUMN_MAY_CHANGE | (0 if is_variable else COLUMN_FIXED) | column.flags & _COLUMN_HYPERLINK
        if column.autonumber:
            flags |= COLUMN_AUTO_GUID if column.type is ColumnType.GUID else COLUMN_AUTO_LONG
        new_columns.append(
            replace(
                column,
                size=size,
                number=number,
                fixed_offset=None if is_variable else (0 if column.type is ColumnType.YES_NO else fixed),
                variable_index=variable,
                sort_order=existing[0].sort_order if existing and existing[0].sort_order else _GENERAL,
                flags=flags,
                compressed=column.type in (ColumnType.TEXT, ColumnType.MEMO) and not layout.is_jet3,
                stored_size=_stored_size(column.type, size, layout),
            )
        )
        number += 1
        fixed = max(fixed, end_of(new_columns[-1]))
        variable += is_variable
    if number > _MOST_COLUMNS:
        raise ValueRefused(f"A table cannot have {number} columns; {_MOST_COLUMNS} is the most.")
    if fixed > layout.largest_row - 64:
        raise ValueRefused("The columns are too wide for a row.")
    return new_columns


def _check_dropped_columns(definition: TableDefinition) -> None:
    # A fixed column that was dropped at the end is in old rows and not in the definition, so what a new one
    # would read there is unknown.
    numbers = {column.number for column in definition.columns}
    dropped = [number for number in range(definition.max_columns) if number not in numbers]
    last_fixed = max((c.number for c in definition.columns if c.fixed_offset is not None), default=-1)
    if any(number > last_fixed for number in dropped):
        raise ValueRefused("Columns were dropped from the end of this table, so none can be added safely.")


def _check_column(column: Column, names: set[str]) -> None:
    name = column.name
    if not name or len(name) > _LONGEST_NAME or name != name.strip() or set(name) & set(".!`[]"):
        raise ValueRefused(f"{name!r} cannot be the name of a column.")
    if name.casefold() in names:
        raise ValueRefused(f"There is already a column {name}.")
    names.add(name.casefold())
    if column.type.name.startswith("UNKNOWN"):
        raise ValueRefused(f"A column cannot be of type {column.type}.")
    if column.autonumber and column.type not in (ColumnType.LONG, ColumnType.GUID):
        raise ValueRefused(f"Column {name} cannot be an autonumber: its type is neither LONG nor GUID.")
    if column.type is ColumnType.TEXT and column.size > 255:
        raise ValueRefused(f"Column {name} cannot have more than 255 characters; use a memo.")


def _stored_size(kind: ColumnType, size: int, layout: Layout) -> int:
    if kind is ColumnType.YES_NO:
        return 1
    if kind is ColumnType.TEXT:
        return size * layout.text_unit
    return kind.fixed_size if kind.fixed_size is not None else size


def column_bytes(column: Column, place: int, layout: Layout, code_page: int) -> bytes:
    """Return the entry of a column in a definition."""
    offset = column.fixed_offset or 0
    digits = bytes((column.precision, column.scale)) if column.type is ColumnType.NUMERIC else None
    if layout.is_jet3:
        return (
            struct.pack(
                "<BHHHHH", column.type, column.number, column.variable_index, place, 0, column.sort_order
            )
            + (digits or struct.pack("<H", code_page))
            + struct.pack("<BHH", column.flags, offset, column.stored_size)
        )
    return (
        struct.pack("<BIHHH", column.type, _MAGIC_TABLE, column.number, column.variable_index, place)
        + (digits or struct.pack("<H", column.sort_order))
        + struct.pack("<HBBIHH", 0, column.flags, int(column.compressed), 0, offset, column.stored_size)
    )


def name_bytes(name: str, layout: Layout, encoding: str) -> bytes:
    """Return a name with its length."""
    raw = name.encode(encoding if layout.is_jet3 else "utf-16-le")
    return len(raw).to_bytes(layout.name_length_size, "little") + raw


def make_definition(edit: Edit, columns: Sequence[Column], indexes: Sequence[Index]) -> int:
    """Write the pages of an empty Access 2000 table (definition, maps, index roots); return the definition's page."""
    layout = edit.file.layout
    by_name = {column.name.casefold(): column for column in columns}
    _check_indexes(indexes, by_name, layout)
    numbers = {name: column.number for name, column in by_name.items()}
    page, _ = allocate(edit)
    memos = [column for column in columns if column.type.is_long_value]
    maps = _new_maps(edit, 2 + len(indexes) + 2 * len(memos))
    owned, free, *rest = maps
    roots = []
    for index, pointer in zip(indexes, rest, strict=False):
        root, content = allocate(edit)
        IndexPage(0, page).write(content, layout)
        add_to_map(edit, pointer, root)
        roots.append((index, pointer, root))
    memo_maps = rest[len(indexes) :]
    header = bytearray(layout.index_counts)
    struct.pack_into("<I", header, 12, _MAGIC_TABLE)
    header[24] = 1  # without it Access assigns no autonumbers
    header[layout.table_type] = ord("N")
    struct.pack_into(
        "<HHHIIII",
        header,
        layout.max_columns,
        len(columns),
        sum(column.fixed_offset is None for column in columns),
        len(columns),
        len(indexes),
        len(indexes),
        owned.pack(),
        free.pack(),
    )
    body = bytes(header) + bytes(layout.index_count_size * len(indexes))
    body += b"".join(column_bytes(column, column.number, layout, 0) for column in columns)
    body += b"".join(name_bytes(column.name, layout, "") for column in columns)
    body += b"".join(_tree_bytes(index, numbers, pointer, root) for index, pointer, root in roots)
    for number, index in enumerate(indexes):
        body += _logical_bytes(index, number, number)
    body += b"".join(name_bytes(index.name, layout, "") for index in indexes)
    for column, owned_map, free_map in zip(memos, memo_maps[::2], memo_maps[1::2], strict=True):
        body += struct.pack("<HII", column.number, owned_map.pack(), free_map.pack())
    write_definition(edit, page, body + b"\xff\xff")
    return page


def check_new_index(index: Index, definition: TableDefinition, layout: Layout) -> None:
    """Refuse an index that a table cannot have, or already has."""
    _check_indexes([index], {column.name.casefold(): column for column in definition.columns}, layout)
    names = {name.casefold() for existing in definition.indexes for name in existing.names}
    if index.name.casefold() in names:
        raise ValueRefused(f"There is already an index {index.name}.")
    if index.primary and any(existing.primary for existing in definition.indexes):
        raise ValueRefused("There is already a primary index.")
    if len(definition.indexes) >= _MOST_INDEXES:
        raise ValueRefused(f"A table cannot have more than {_MOST_INDEXES} indexes.")


def _check_indexes(indexes: Sequence[Index], columns: Mapping[str, Column], layout: Layout) -> None:
    """Refuse invalid indexes, and those whose keys could not be computed when a row is added."""
    names: set[str] = set()
    for index in indexes:
        if not isinstance(index, Index):
            raise ValueRefused(f"{index!r} is not an Index.")
        name = index.name
        if not name or len(name) > _LONGEST_NAME or name != name.strip() or set(name) & set(".!`[]"):
            raise ValueRefused(f"{name!r} cannot be the name of an index.")
        if name.casefold() in names:
            raise ValueRefused(f"There is already an index {name}.")
        names.add(name.casefold())
        if not 1 <= len(index.columns) <= 10:
            raise ValueRefused(f"Index {name} needs one to ten columns.")
        for column_name in index.columns:
            column = columns.get(column_name.casefold())
            if column is None:
                raise ValueRefused(f"Index {name} names a column {column_name} that does not exist.")
            try:
                check_indexable(column, layout, ascending=column_name not in index.descending)
            except KeyUnknown as unknown:
                raise IndexNotKept(
                    f"Index {name} could not be kept correct ({unknown}); nothing was written."
                ) from None
    if sum(index.primary for index in indexes) > 1:
        raise ValueRefused("A table can have one primary index.")


def _tree_bytes(index: Index, numbers: Mapping[str, int], pointer: Pointer, root: int) -> bytes:
    flags = _INDEX_OF_2000
    if index.primary or index.unique:
        flags |= INDEX_UNIQUE
    if index.primary or index.required:
        flags |= INDEX_REQUIRED
    if index.ignore_nulls:
        flags |= INDEX_IGNORES_NULLS
    slots = b"".join(
        struct.pack("<HB", numbers[name.casefold()], name not in index.descending) for name in index.columns
    )
    slots += b"\xff\xff\x00" * (10 - len(index.columns))
    return (
        struct.pack("<I", _MAGIC_INDEX) + slots + struct.pack("<IIIBIB", pointer.pack(), root, 0, flags, 0, 0)
    )


def _logical_bytes(index: Index, number: int, tree: int) -> bytes:
    """Return the 28 bytes that name a tree: magic, number, tree, no relationship, whether primary, zeros."""
    return (
        struct.pack("<III", _MAGIC_TABLE, number, tree)
        + _NOT_RELATED
        + struct.pack("<BI", int(index.primary), 0)
    )


def new_index_root(edit: Edit, owner: int) -> tuple[Pointer, int]:
    """Write the empty leaf of a new index; return the map of the index's pages, and the leaf's page."""
    (pointer,) = _new_maps(edit, 1)
    root, content = allocate(edit)
    IndexPage(0, owner).write(content, edit.file.layout)
    add_to_map(edit, pointer, root)
    return pointer, root


def with_index(
    content: bytes, definition: TableDefinition, index: Index, pointer: Pointer, root: int, entries: int
) -> bytes:
    """Return the bytes of an Access 2000 definition with one more index, after the last one.

    Four places grow: the counts, the trees, the logical indexes and their names.
    """
    layout = JET4
    real = len(definition.indexes)
    (logical,) = struct.unpack_from("<I", content, layout.logical_indexes)
    trees_end = definition.columns_end + real * layout.index_size
    logical_end = trees_end + logical * layout.logical_index_size
    used_numbers = [
        struct.unpack_from("<I", content, offset + layout.logical_index_skip)[0]
        for offset in range(trees_end, logical_end, layout.logical_index_size)
    ]
    numbers = {column.name.casefold(): column.number for column in definition.columns}
    result = bytearray(content[: definition.length])
    # From the last place to the first, so that the offsets of the others stay.
    result[definition.indexes_end : definition.indexes_end] = name_bytes(index.name, layout, "")
    result[logical_end:logical_end] = _logical_bytes(index, max(used_numbers, default=-1) + 1, real)
    result[trees_end:trees_end] = _tree_bytes(index, numbers, pointer, root)
    counts_end = layout.index_counts + real * layout.index_count_size
    result[counts_end:counts_end] = struct.pack("<III", 0, entries, 0)
    struct.pack_into("<II", result, layout.logical_indexes, logical + 1, real + 1)
    return bytes(result)


def _new_maps(edit: Edit, count: int) -> list[Pointer]:
    """Write empty maps into rows of new pages."""
    row = bytes(5 + edit.file.layout.inline_map_size)
    pointers: list[Pointer] = []
    number, page = 0, None
    for _ in range(count):
        if page is None or page.room() < len(row):
            number, content = allocate(edit)
            page = RowPage.make(content, edit.file.layout, struct.pack("<I", 1))
        pointers.append(Pointer(number, page.add(row)))
    return pointers


def write_definition(edit: Edit, page: int, content: bytes) -> None:
    """Write a definition on its page and, if it is longer, on new pages; its first page is written last."""
    layout = edit.file.layout
    size = layout.page_size
    content = content[:8] + struct.pack("<I", len(content)) + content[12:]
    parts = [content[:size]]
    parts += [
        bytes(8) + content[offset : offset + size - 8] for offset in range(size, len(content), size - 8)
    ]
    next_page = 0
    for position in range(len(parts) - 1, -1, -1):
        part = parts[position]
        if position:
            number, target = allocate(edit)
        else:
            number, target = page, edit.change(page, WriteStep.COUNT)
        target[:] = part.ljust(size, b"\0")
        target[0:2] = bytes((PageType.DEFINITION, 1))
        target[2:4] = b"VC" if layout.is_jet3 else struct.pack("<H", max(size - len(part) - 8, 0))
        struct.pack_into("<I", target, 4, next_page)
        next_page = number


def with_column(content: bytes, definition: TableDefinition, column: Column, edit: Edit) -> bytes:
    """Return the bytes of a definition with one more column at its end."""
    layout = edit.file.layout
    header = edit.file.header
    count = len(definition.columns)
    columns_end = (
        layout.index_counts + len(definition.indexes) * layout.index_count_size + count * layout.column_size
    )
    names_end = definition.columns_end
    result = bytearray(content[: definition.length])
    rest = bytes(result[names_end:])
    if column.type.is_long_value:
        owned_map, free_map = _new_maps(edit, 2)
        if rest[-2:] != b"\xff\xff":
            raise ValueRefused("The definition of this table has no end mark.")
        rest = rest[:-2] + struct.pack("<HII", column.number, owned_map.pack(), free_map.pack()) + b"\xff\xff"
    result[names_end:] = name_bytes(column.name, layout, header.encoding) + rest
    result[columns_end:columns_end] = column_bytes(column, count, layout, header.code_page)
    struct.pack_into(
        "<HHH",
        result,
        layout.max_columns,
        definition.max_columns + 1,
        definition.variable_columns + (column.fixed_offset is None),
        count + 1,
    )
    return bytes(result)
