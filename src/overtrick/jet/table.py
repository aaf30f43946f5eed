"""Tables and rows, the interface for programs: columns, rows, and changes to them."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING, Any

from overtrick.jet.catalog import add_column, create_index, drop_table
from overtrick.jet.columns import Column, Index
from overtrick.jet.definition import (
    IndexDefinition,
    Pointer,
    TableDefinition,
    index_of,
    read_definition,
    with_counts,
)
from overtrick.jet.errors import DamagedAccessFile, NoSuchRow, RowGone, ValueRefused
from overtrick.jet.layout import PageType
from overtrick.jet.lookup import LookupValues, indexed_rows
from overtrick.jet.properties import DEFAULT, REQUIRED, ZERO_LENGTH
from overtrick.jet.row_decoder import RowDecoder, row_decoder
from overtrick.jet.row_page import DELETED, OFFSET, OVERFLOW, row_bytes, row_span, slots
from overtrick.jet.table_writer import TableWriter
from overtrick.jet.usage_map import mapped_pages
from overtrick.jet.values import Value

if TYPE_CHECKING:
    from overtrick.jet.database import Database

_BATCH = 10_000


class Fields(dict[str, int]):
    """The position of each column in a row; a name is found in any case, as Access does."""

    def __missing__(self, name: str) -> int:
        folded = name.casefold() if isinstance(name, str) else name
        for column, position in self.items():
            if column.casefold() == folded:
                return position
        raise KeyError(name)


class Row(Mapping[str, Value]):
    """A row: a mapping from column names to values that cannot be changed, and where it lies."""

    __slots__ = ("_fields", "id", "values_in_order")

    def __init__(self, fields: Fields, values: tuple[Value, ...], id: int) -> None:
        self._fields = fields
        self.values_in_order = values
        """The values in the order of the columns."""
        self.id = id
        """The place of the row in the file (page and number), by which `update` and `delete` find it."""

    def __getitem__(self, name: str) -> Value:
        return self.values_in_order[self._fields[name]]

    def __iter__(self) -> Iterator[str]:
        return iter(self._fields)

    def __len__(self) -> int:
        return len(self._fields)

    def __repr__(self) -> str:
        return f"Row({dict(self)!r})"


class Table:
    """One table of a database."""

    def __init__(self, database: "Database", name: str, page: int) -> None:
        self.name = name
        self._database = database
        self._file = database.file
        self.page = page
        self._cached_definition: TableDefinition | None = None
        self._columns: tuple[Column, ...] | None = None
        self._decoder: RowDecoder | None = None
        self._decoded_columns: tuple[Column, ...] = ()
        self._cached_writer: TableWriter | None = None
        self._fields = Fields()

    def __repr__(self) -> str:
        return f"<Table {self.name}>"

    def forget(self) -> None:
        """Discard the definition, so that it is read again."""
        self._cached_definition = self._columns = self._cached_writer = None

    @property
    def definition(self) -> TableDefinition:
        """The contents of the definition pages."""
        if self._cached_definition is None:
            with self._database.reading():
                self._cached_definition = read_definition(self._file, self.page)
        return self._cached_definition

    @property
    def columns(self) -> tuple[Column, ...]:
        """The columns with their properties, in the order of the definition."""
        self._database.refresh()
        if self._columns is None:
            properties = self._database.properties_of(self.name)
            columns = []
            for column in self.definition.columns:
                entries = properties.of_column(column.name)
                default = entries.get(DEFAULT)
                columns.append(
                    replace(
                        column,
                        default=str(default) if default not in (None, "") else None,
                        required=bool(entries.get(REQUIRED, False)),
                        allow_zero_length=bool(entries.get(ZERO_LENGTH, False)),
                        properties=entries,
                    )
                )
            self._columns = tuple(columns)
        return self._columns

    def __len__(self) -> int:
        """Return the number of rows, as the definition counts them."""
        with self._database.reading():
            return self.definition.row_count

    def rows(self) -> Iterator[Row]:
        """Yield every row, in the order in which the file keeps them.

        They are the rows at the time when the first is requested, whatever is written meanwhile.
        """
        with self._database.reading():
            pages = self._row_pages()
            reader = self._reader()
            rows = self._decode_pages(pages, reader, self._fields)
            if reader.has_long_values:
                # A memo lies on other pages, which another program may reuse once the lock is gone.
                rows = iter(list(rows))
        yield from rows

    __iter__ = rows

    def insert(self, values: Mapping[str, Any] | None = None, /, **more: Any) -> Row:
        """Add a row; return it with its autonumber and its defaults."""
        with self._database.writing():
            (id,) = self._writer().insert([{**(values or {}), **more}], self._database.now())
            self._refresh_counts()
            return self.row(id)

    def check(self, values: Mapping[str, Any]) -> None:
        """Raise what inserting a row would raise, and write nothing."""
        with self._database.writing():
            self._writer().check(values, self._database.now())

    def insert_many(self, rows: Iterable[Mapping[str, Any]]) -> int:
        """Add many rows, ten thousand at a time, each time all or none; return how many."""
        total = 0
        remaining = iter(rows)
        with self._database.writing():
            while batch := list(islice(remaining, _BATCH)):
                total += len(self._writer().insert(batch, self._database.now()))
                self._refresh_counts()
        return total

    def update(self, row: Row | int, values: Mapping[str, Any] | None = None, /, **more: Any) -> Row:
        """Change values of a row, given as the row or its id; the other values stay as they are."""
        with self._database.writing():
            id = self._id_of(row)
            self._writer().update(id, {**(values or {}), **more})
            self._refresh_counts()
            return self.row(id)

    def delete(self, row: Row | int) -> None:
        """Delete a row, given as the row or its id."""
        with self._database.writing():
            self._writer().delete(self._id_of(row))
            self._refresh_counts()

    def find(self, values: Mapping[str, Any] | None = None, /, **more: Any) -> Iterator[Row]:
        """Return the rows that have these values, through an index if one begins with their columns.

        Text is compared exactly, upper and lower case too; None finds null.
        """
        with self._database.reading():
            lookup = LookupValues(self.name, self.columns, {**(values or {}), **more}, self._file.layout)
            rows = indexed_rows(self, self._file, lookup)
            matching = [row for row in (self.rows() if rows is None else rows) if lookup.matches(row)]
        return iter(matching)

    def get(self, values: Mapping[str, Any] | None = None, /, **more: Any) -> Row:
        """Return the only row with these values; raise NoSuchRow without one, ValueRefused if there are several."""
        key = {**(values or {}), **more}
        rows = list(self.find(key))
        if len(rows) == 1:
            return rows[0]
        condition = ", ".join(f"{name}={value!r}" for name, value in key.items())
        if rows:
            raise ValueRefused(
                f"{len(rows)} rows have {condition}; use find for all of them.", where=f"table {self.name}"
            )
        raise NoSuchRow(f"There is no row with {condition}.", where=f"table {self.name}")

    @property
    def indexes(self) -> tuple[Index, ...]:
        """The indexes of the table."""
        self._database.refresh()
        names = {column.number: column.name for column in self.definition.columns}
        return tuple(index_of(index, names) for index in self.definition.indexes)

    def create_index(self, index: Index) -> None:
        """Add an index over existing and future rows (Access 2000 only)."""
        with self._database.writing():
            create_index(self._database, self.name, index)

    def drop(self) -> None:
        """Delete the table with everything in it; a table of Access itself, or one with a relationship, is refused."""
        with self._database.writing():
            drop_table(self._database, self.name)

    def index_entries(self, index: IndexDefinition) -> list[bytes]:
        """Return the entries of a new index for the existing rows."""
        return self._writer().index_entries(index, [row.id for row in self.rows()])

    def reserve_autonumber(self, number: int) -> None:
        """Make the autonumber of the table continue after a number."""
        with self._database.writing():
            self._writer().reserve(number)
            self._refresh_counts()

    def add_column(self, column: Column) -> None:
        """Add a column after the last one; existing rows have no value in it."""
        with self._database.writing():
            add_column(self._database, self.name, column)

    def row(self, id: int) -> Row:
        """Return the row with an id; raise `RowGone` if it no longer exists."""
        with self._database.reading():
            reader, layout = self._reader(), self._file.layout
            page, number = id >> 8, id & 0xFF
            content = self._file.page(page)
            if content[0] != PageType.ROWS or content[4:8] != self.page.to_bytes(4, "little"):
                raise RowGone("The row no longer exists.", where=f"table {self.name}")
            start, end, flags = row_span(content, layout, number)
            if flags & DELETED:
                raise RowGone("The row was deleted.", where=f"table {self.name}")
            reader.begin()
            if flags & OVERFLOW:
                return Row(self._fields, self._decode_overflow(reader, content[start:end]), id)
            return Row(self._fields, reader.decode(content[start:end]), id)

    def _id_of(self, row: Row | int) -> int:
        """Return the id of a row; raise RowGone if its autonumber has changed, because it is another row by now."""
        if isinstance(row, int):
            return row
        numbers = [column.name for column in self.definition.columns if column.autonumber]
        if numbers and any(self.row(row.id)[name] != row[name] for name in numbers):
            raise RowGone("The row no longer exists; nothing was changed.", where=f"table {self.name}")
        return row.id

    def _writer(self) -> TableWriter:
        if self._cached_writer is None:
            self._cached_writer = TableWriter(self._file, self.name, self.definition, self.columns)
        return self._cached_writer

    def _refresh_counts(self) -> None:
        """Read the counts of the definition again; a write changes nothing else of it."""
        if self._cached_definition is not None:
            self._cached_definition = with_counts(self._cached_definition, self._file)
        if self.name == "MSysObjects":
            self._database.forget_catalog()

    def _reader(self) -> RowDecoder:
        definition = self.definition
        if self._decoder is None or self._decoded_columns is not definition.columns:
            self._decoder = row_decoder(self._file, definition)
            self._decoded_columns = definition.columns
            self._fields = Fields((column.name, n) for n, column in enumerate(definition.columns))
        return self._decoder

    def _row_pages(self) -> dict[int, bytes]:
        """Return the pages that hold this table's rows."""
        numbers = mapped_pages(self._file, self.definition.owned_map, require_all=True)
        owner = self.page.to_bytes(4, "little")
        return {
            number: content
            for number, content in self._file.pages(numbers).items()
            if content[0] == PageType.ROWS and content[4:8] == owner
        }

    def _decode_pages(self, pages: dict[int, bytes], reader: RowDecoder, fields: Fields) -> Iterator[Row]:
        reader.begin()
        layout = self._file.layout
        decoders, mask_size = reader.decoders, reader.mask_size
        first = layout.rows_start
        moved: set[bytes] = set()
        for number, content in pages.items():
            end = len(content)
            base = number << 8
            try:
                for row, slot in enumerate(slots(content, layout)):
                    start = slot & OFFSET
                    if start < first or start > end:
                        raise DamagedAccessFile("A row lies outside its page.")
                    if slot < OVERFLOW:
                        raw = content[start:end]
                        mask = raw[-mask_size:]
                        decode = decoders.get(mask) or reader.decoder_for(mask)
                        yield Row(fields, decode(raw), base | row)
                    elif not slot & DELETED:
                        pointer = content[start : min(start + 4, end)]
                        if pointer in moved:
                            raise DamagedAccessFile("Two rows were moved to the same place.")
                        moved.add(pointer)
                        yield Row(fields, self._decode_overflow(reader, pointer, pages), base | row)
                    end = start
            except DamagedAccessFile as damaged:
                if damaged.where is not None:
                    raise
                raise DamagedAccessFile(
                    f"{damaged.sentence} (table {self.name}, page {number})", where=self._file.where
                ) from None

    def _decode_overflow(
        self, reader: RowDecoder, pointer: bytes, pages: Mapping[int, bytes] | None = None
    ) -> tuple[Value, ...]:
        if len(pointer) < 4:
            raise DamagedAccessFile("A moved row has no pointer to its new place.")
        target = Pointer.unpack(int.from_bytes(pointer[:4], "little"))
        content = (pages or {}).get(target.page)
        if content is None:
            return reader.decode_slowly(row_bytes(self._file, target.page, target.row))
        start, end, _ = row_span(content, self._file.layout, target.row)
        return reader.decode_slowly(content[start:end])
