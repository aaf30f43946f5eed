"""Changes to the rows of a table, with their indexes and counts; each change is one edit.

Everything that can be refused (values, unique keys, lengths) is checked before the edit is committed, so that a refused
change writes nothing. A row id is its page * 256 + its number on the page. A row that no longer fits moves to another
page and leaves a pointer of four bytes, so that its id and the entries of its indexes stay valid.
"""

import struct
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from itertools import pairwise
from typing import Any

from overtrick.errors import OvertrickError
from overtrick.jet.collation import KeyUnknown
from overtrick.jet.columns import Column, ColumnType
from overtrick.jet.definition import IndexDefinition, Pointer, TableDefinition
from overtrick.jet.edit import Edit, WriteStep
from overtrick.jet.errors import DamagedAccessFile, DuplicateKey, IndexNotKept, RowGone, ValueRefused
from overtrick.jet.field_encoder import FieldEncoder, long_number
from overtrick.jet.index_keys import has_null, key_of, pointer_bytes
from overtrick.jet.index_tree import IndexTree
from overtrick.jet.layout import PageType
from overtrick.jet.long_value import free_long_value, write_long_value
from overtrick.jet.page_file import PageFile
from overtrick.jet.row_decoder import split_row
from overtrick.jet.row_encoder import RowEncoder
from overtrick.jet.row_page import DELETED, GONE, OVERFLOW, RowPage, row_bytes, row_span
from overtrick.jet.usage_map import add_to_map, allocate, mapped_pages, remove_from_map

Fields = dict[int, bytes | bool]
_PAGES_TRIED = 8
"""The number of pages with room that are tried before a new one is allocated."""


class TableWriter:
    """A writer for the rows of one table, with its current definition."""

    def __init__(
        self, file: PageFile, name: str, definition: TableDefinition, columns: tuple[Column, ...]
    ) -> None:
        self._file = file
        self._layout = file.layout
        self._name = name
        self._definition = definition
        self._encoder = FieldEncoder(columns, file.layout, name)
        self._row_encoder = RowEncoder(definition, file.layout)
        self._columns = {column.number: column for column in columns}
        self._owner = struct.pack("<I", definition.page)
        self._memos = [column for column in columns if column.type.is_long_value]

    # Changes

    def insert(self, rows: Iterable[Mapping[str, Any]], now: datetime) -> list[int]:
        """Add rows, all or none; return their ids. Raise ValueRefused, DuplicateKey or IndexNotKept."""
        edit = Edit(self._file)
        try:
            counter = _Counter(self._file, self._definition)
            fields = [
                self._encoder.new_row(
                    row, counter.next, lambda column, value: self._store_long_value(edit, column, value), now
                )
                for row in rows
            ]
            if not fields:
                return []
            for column in self._columns.values():
                if column.autonumber and column.type is ColumnType.LONG:
                    counter.reach(max(long_number(row.get(column.number)) for row in fields))
            keys = [self._keys(row, self._definition.indexes) for row in fields]
            self._check_unique(keys, [{} for _ in keys])
            joined = [self._row_encoder.encode(row) for row in fields]
            ids = self._add_rows(edit, joined, flags=0)
            self._index(edit, ids, [{} for _ in keys], keys)
            self._count(edit, len(ids), [{} for _ in keys], keys)
            counter.write(edit)
        except BaseException as error:
            edit.drop()
            raise _in_table(error, self._name) from None
        edit.commit()
        return ids

    def check(self, values: Mapping[str, Any], now: datetime) -> None:
        """Raise the error that adding a row would raise; write nothing."""
        edit = Edit(self._file)
        try:
            row = self._encoder.new_row(
                values, lambda: 0, lambda c, v: self._store_long_value(edit, c, v), now
            )
            keys = self._keys(row, self._definition.indexes)
            self._check_unique([keys], [{}])
            self._row_encoder.encode(row)
        except BaseException as error:
            raise _in_table(error, self._name) from None
        finally:
            edit.drop()

    def update(self, id: int, values: Mapping[str, Any]) -> None:
        """Change values of a row; raise RowGone if it was deleted, and the errors of `insert`."""
        edit = Edit(self._file)
        try:
            page, number, old = self._find(id)
            new = dict(old)
            for column_number, value in self._encoder.by_number(values).items():
                column = self._columns[column_number]
                old_raw = old.get(column_number)
                if column.type.is_long_value and isinstance(old_raw, bytes):
                    free_long_value(edit, self._definition.long_value_maps.get(column_number), old_raw)
                raw = self._encoder.raw(column, value, lambda c, v: self._store_long_value(edit, c, v))
                if column.autonumber and raw != old_raw:
                    raise ValueRefused("An autonumber cannot be changed.", where=f"column {column.name}")
                if raw is None:
                    new.pop(column_number, None)
                else:
                    new[column_number] = raw
            changed = [index for index in self._definition.indexes if _differs(index, old, new)]
            keys, old_keys = self._keys(new, changed), self._stored_keys(id, old, changed)
            self._check_unique([keys], [old_keys])
            self._replace_row(edit, page, number, self._row_encoder.encode(new))
            self._index(edit, [id], [old_keys], [keys])
            if keys != old_keys:
                self._count(edit, 0, [old_keys], [keys])
        except BaseException as error:
            edit.drop()
            raise _in_table(error, self._name) from None
        edit.commit()

    def delete(self, id: int) -> None:
        """Delete a row with its memos and index entries; raise RowGone if it was deleted before."""
        edit = Edit(self._file)
        try:
            page, number, old = self._find(id)
            keys = self._stored_keys(id, old, self._definition.indexes)
            content = self._file.page(page)
            start, end, flags = row_span(content, self._layout, number)
            target = content[start:end] if flags & OVERFLOW else b""
            RowPage(edit.change(page, WriteStep.ROW), self._layout).delete(number)
            if target:
                moved_to = Pointer.unpack(int.from_bytes(target[:4], "little"))
                RowPage(edit.change(moved_to.page, WriteStep.ROW), self._layout).delete(moved_to.row)
            add_to_map(edit, self._definition.free_map, page)
            for column in self._memos:
                raw = old.get(column.number)
                if isinstance(raw, bytes):
                    free_long_value(edit, self._definition.long_value_maps.get(column.number), raw)
            self._index(edit, [id], [keys], [{}])
            self._count(edit, -1, [keys], [{}])
        except BaseException as error:
            edit.drop()
            raise _in_table(error, self._name) from None
        edit.commit()

    def reserve(self, number: int) -> None:
        """Make the autonumber continue after a number; write nothing if it already does."""
        edit = Edit(self._file)
        counter = _Counter(self._file, self._definition)
        counter.reach(number)
        counter.write(edit)
        edit.commit()

    def index_entries(self, index: IndexDefinition, ids: Iterable[int]) -> list[bytes]:
        """Return the sorted entries of rows in a new index; raise if the index cannot hold them."""
        entries: list[bytes] = []
        try:
            for id in ids:
                _, _, row = self._find(id)
                key = self._keys(row, [index]).get(index.number)
                if key is not None:
                    entries.append(key + pointer_bytes(id >> 8, id & 0xFF))
            entries.sort()
            if index.unique:
                for before, after in pairwise(entries):
                    if before[:-4] == after[:-4] and not _all_null(after[:-4]):
                        raise DuplicateKey(
                            f"Two rows have the same key in index {_name(index)}; nothing was written."
                        )
        except BaseException as error:
            raise _in_table(error, self._name) from None
        return entries

    # Rows on pages

    def _store_long_value(self, edit: Edit, column: Column, value: bytes) -> bytes:
        return write_long_value(edit, self._definition.long_value_maps.get(column.number), value)

    def _find(self, id: int) -> tuple[int, int, Fields]:
        """Return page and number of a row, and the bytes of its fields; raise RowGone if it does not exist."""
        page, number = id >> 8, id & 0xFF
        content = self._file.page(page)
        is_ours = content[0] == PageType.ROWS and content[4:8] == self._owner
        if not is_ours or number >= RowPage(bytearray(content), self._layout).row_count:
            raise RowGone("The row no longer exists; nothing was changed.")
        start, end, flags = row_span(content, self._layout, number)
        if flags & DELETED:
            raise RowGone("The row was deleted; nothing was changed.")
        row = content[start:end]
        if flags & OVERFLOW:
            moved_to = Pointer.unpack(int.from_bytes(row[:4], "little"))
            row = row_bytes(self._file, moved_to.page, moved_to.row)
        return page, number, split_row(row, self._definition.columns, self._layout).raw

    def _add_rows(self, edit: Edit, rows: list[bytes], flags: int) -> list[int]:
        """Put rows on pages with room; return their ids."""
        ids = []
        number, page = 0, None
        with_room = mapped_pages(self._file, self._definition.free_map)[-_PAGES_TRIED:]
        candidates = [number for number in with_room if self._is_ours(number)]
        for row in rows:
            while page is None or page.room() < len(row):
                if page is not None and page.room() < self._layout.page_size // 16:
                    remove_from_map(edit, self._definition.free_map, number)
                if candidates:
                    number = candidates.pop()
                    if RowPage(bytearray(self._file.page(number)), self._layout).room() < len(row):
                        continue
                    page = RowPage(edit.change(number, WriteStep.ROW), self._layout)
                else:
                    number, content = allocate(edit)
                    page = RowPage.make(content, self._layout, self._owner)
                    add_to_map(edit, self._definition.owned_map, number)
                    add_to_map(edit, self._definition.free_map, number)
            ids.append(number << 8 | page.add(row, flags))
        return ids

    def _is_ours(self, number: int) -> bool:
        content = self._file.page(number)
        return content[0] == PageType.ROWS and content[4:8] == self._owner

    def _replace_row(self, edit: Edit, page: int, number: int, row: bytes) -> None:
        """Write a changed row in its place if it fits, else elsewhere with a pointer in its place."""
        content = self._file.page(page)
        start, _, flags = row_span(content, self._layout, number)
        moved = (
            Pointer.unpack(int.from_bytes(content[start : start + 4], "little")) if flags & OVERFLOW else None
        )
        target = moved or Pointer(page, number)
        row_page = RowPage(bytearray(self._file.page(target.page)), self._layout)
        if row_page.fits(target.row, len(row)):
            RowPage(edit.change(target.page, WriteStep.ROW), self._layout).replace(
                target.row, row, DELETED if moved else 0
            )
            return
        (id,) = self._add_rows(edit, [row], flags=DELETED)
        pointer = struct.pack("<I", Pointer(id >> 8, id & 0xFF).pack())
        if not RowPage(bytearray(self._file.page(page)), self._layout).fits(number, len(pointer)):
            raise ValueRefused("The row has become too long for its page.")
        RowPage(edit.change(page, WriteStep.ROW), self._layout).replace(number, pointer, OVERFLOW)
        if moved:
            RowPage(edit.change(moved.page, WriteStep.ROW), self._layout).replace(moved.row, b"", GONE)

    # Indexes and counts

    def _stored_keys(self, id: int, row: Fields, indexes: Sequence[IndexDefinition]) -> dict[int, bytes]:
        """Return the keys of an existing row in some indexes, from its values or else from the index itself."""
        keys = {}
        for index in indexes:
            try:
                key = key_of(index, self._columns, row, self._layout)
            except (KeyUnknown, KeyError):
                tree = IndexTree(self._file, index, self._definition.page)
                key = tree.key_of_row(pointer_bytes(id >> 8, id & 0xFF))
            if key is not None:
                keys[index.number] = key
        return keys

    def _keys(self, row: Fields, indexes: Sequence[IndexDefinition]) -> dict[int, bytes]:
        """Return the keys of a row by index; raise IndexNotKept if a key cannot be computed or lacks a required
        value.
        """
        keys = {}
        for index in indexes:
            try:
                key = key_of(index, self._columns, row, self._layout)
            except KeyUnknown as unknown:
                raise IndexNotKept(
                    f"Index {_name(index)} cannot be kept correct ({unknown}); nothing was written."
                ) from None
            except KeyError:
                raise IndexNotKept(
                    f"Index {_name(index)} names a column that does not exist; nothing was written."
                ) from None
            if key is not None:
                keys[index.number] = key
            if (index.required or index.primary) and has_null(index, self._columns, row):
                raise IndexNotKept(f"Index {_name(index)} needs a value in every column of its key.")
        return keys

    def _check_unique(self, new: list[dict[int, bytes]], old: list[dict[int, bytes]]) -> None:
        for index in self._definition.indexes:
            if not (index.unique or index.primary):
                continue
            tree = IndexTree(self._file, index, self._definition.page)
            seen: set[bytes] = set()
            for keys, before in zip(new, old, strict=True):
                key = keys.get(index.number)
                if key is None or key == before.get(index.number) or _all_null(key):
                    continue
                if key in seen or tree.holds_key(key):
                    raise DuplicateKey(
                        f"Index {_name(index)} already has a row with this key; nothing was written."
                    )
                seen.add(key)

    def _index(
        self, edit: Edit, ids: list[int], old: list[dict[int, bytes]], new: list[dict[int, bytes]]
    ) -> None:
        for index in self._definition.indexes:
            tree = IndexTree(self._file, index, self._definition.page)
            added = []
            for id, before, after in zip(ids, old, new, strict=True):
                old_key, new_key = before.get(index.number), after.get(index.number)
                if old_key == new_key:
                    continue
                pointer = pointer_bytes(id >> 8, id & 0xFF)
                if old_key is not None:
                    tree.remove(edit, old_key + pointer)
                if new_key is not None:
                    added.append(new_key + pointer)
            if added:
                tree.add(edit, added)

    def _count(self, edit: Edit, rows: int, old: list[dict[int, bytes]], new: list[dict[int, bytes]]) -> None:
        definition, layout = self._definition, self._layout
        page = edit.change(definition.page, WriteStep.COUNT)
        (count,) = struct.unpack_from("<I", page, layout.row_count)
        struct.pack_into("<I", page, layout.row_count, max(count + rows, 0))
        for index in definition.indexes:
            offset = index.entry_count_at
            if offset + 4 > len(page):
                continue
            gained = sum(1 for keys in new if index.number in keys) - sum(
                1 for keys in old if index.number in keys
            )
            (entries,) = struct.unpack_from("<I", page, offset)
            struct.pack_into("<I", page, offset, min(max(entries + gained, 0), 0xFFFFFFFF))


class _Counter:
    """The autonumber of a table: the last number that was drawn."""

    def __init__(self, file: PageFile, definition: TableDefinition) -> None:
        self._definition = definition
        self._at = file.layout.autonumber
        self._last = self._initial = int(struct.unpack_from("<i", file.page(definition.page), self._at)[0])

    def next(self) -> int:
        """Return the next number."""
        self._last += 1
        return self._last

    def reach(self, number: int) -> None:
        """Continue after a number that a caller chose."""
        self._last = max(self._last, number)

    def write(self, edit: Edit) -> None:
        """Write the counter, before the rows that use it."""
        if self._last != self._initial:
            edit.set_counter(self._definition.page, self._at, struct.pack("<i", self._last))


def _differs(index: IndexDefinition, old: Fields, new: Fields) -> bool:
    return any(old.get(number) != new.get(number) for number, _ in index.columns)


def _all_null(key: bytes) -> bool:
    return not key.strip(b"\x00\xff")


def _name(index: IndexDefinition) -> str:
    return index.names[0] if index.names else str(index.number)


def _in_table(error: BaseException, name: str) -> BaseException:
    """Add the table to an error; turn an error that no sound file can cause into `DamagedAccessFile`."""
    if isinstance(error, struct.error | IndexError | OverflowError):
        error = DamagedAccessFile("The table contradicts itself, so nothing was written.")
    if isinstance(error, OvertrickError) and not (error.where or "").startswith("table "):
        error.where = f"table {name}" + (f", {error.where}" if error.where else "")
    return error
