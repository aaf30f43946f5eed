"""An Access database: its catalog of tables, and the file under them."""

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from types import TracebackType

from overtrick.jet.catalog import create_table
from overtrick.jet.columns import Column, ColumnType, Index
from overtrick.jet.errors import AccessFileError, DamagedAccessFile, NoSuchTable, ReadOnlyAccessFile
from overtrick.jet.locks import refuse_if_in_access
from overtrick.jet.page_file import PageFile
from overtrick.jet.properties import Properties, read_properties
from overtrick.jet.relations import Relation, read_relations
from overtrick.jet.table import Row, Table

CATALOG_PAGE = 2
_TABLE_TYPE = 1
_CATALOG = {
    "Id": ColumnType.LONG,
    "ParentId": ColumnType.LONG,
    "Name": ColumnType.TEXT,
    "Type": ColumnType.INTEGER,
    "Flags": ColumnType.LONG,
}
"""The columns of the catalog that are read; a file without them is damaged."""
_SYSTEM_FLAGS = 0x80000002


class Database:
    """An open database: `db["Name"]` is a table, `with` closes it."""

    def __init__(
        self, path: Path, *, writable: bool = False, clock: Callable[[], datetime] = datetime.now
    ) -> None:
        self._clock = clock
        self.file = PageFile(path, writable=writable)
        self._catalog = Table(self, "MSysObjects", CATALOG_PAGE)
        self._rows: list[Row] | None = None
        self._tables_by_name: dict[str, tuple[str, Row]] = {}
        """The tables by their names in lower case, made together with the rows."""
        self._tables: dict[str, Table] = {}
        self._lock_depth = 0
        self._is_writing = False
        try:
            self._check_catalog()
        except BaseException:
            self.close()
            raise

    def _check_catalog(self) -> None:
        columns = {column.name: column.type for column in self._catalog.definition.columns}
        if any(columns.get(name) is not kind for name, kind in _CATALOG.items()):
            raise DamagedAccessFile("The catalog of tables is missing.", where=self.file.where)

    def __enter__(self) -> "Database":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the file."""
        self.file.close()

    @property
    def path(self) -> Path:
        """The path of the file."""
        return self.file.path

    @property
    def version(self) -> str:
        """The version of Access that the file belongs to."""
        return self.file.layout.name

    def changed(self) -> bool:
        """Return whether another program has written since this one last read; costs far less than a millisecond."""
        return self.file.changed()

    def refresh(self) -> bool:
        """Discard what was read if the file has changed; return whether it had. Reading does this by itself."""
        if self._lock_depth or not self.file.refresh():
            return False
        self._forget()
        return True

    def _forget(self) -> None:
        self._rows = None
        self._catalog.forget()
        for table in self._tables.values():
            table.forget()

    @contextmanager
    def reading(self) -> Iterator[None]:
        """Hold a shared lock: no other Overtrick process writes meanwhile."""
        if self._lock_depth:
            yield
            return
        with self.file.locked(alone=False):
            self.refresh()
            self._lock_depth += 1
            try:
                yield
            finally:
                self._lock_depth -= 1

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Hold the file alone, for several changes that belong together; at the end they are durable.

        Every change is written in full before the next; this does not undo the earlier ones when one fails.
        """
        if self._is_writing:
            yield
            return
        if not self.writable:
            raise ReadOnlyAccessFile("The database is open for reading only.", where=self.file.where)
        if self._lock_depth:
            raise ReadOnlyAccessFile("A table is being read; finish that first.", where=self.file.where)
        refuse_if_in_access(self.path)
        with self.file.locked(alone=True):
            self.refresh()
            self._lock_depth += 1
            self._is_writing = True
            try:
                yield
            finally:
                self._lock_depth -= 1
                self._is_writing = False
                self.file.flush()

    def now(self) -> datetime:
        """Return the current time: the value of `Now()` in a default, and the date of a new table."""
        return self._clock()

    @property
    def writable(self) -> bool:
        """True if the database was opened to be written."""
        return self.file.writable

    def forget_catalog(self) -> None:
        """Discard what was read of the catalog, because it has changed."""
        self._forget()

    def catalog_rows(self) -> list[Row]:
        """Return the rows of the catalog, one for each object of the database."""
        self.refresh()
        if self._rows is None:
            with self.reading():
                self._check_catalog()
                self._rows = list(self._catalog.rows())
                self._tables_by_name = {}
                for name, row in self._entries(system=True):
                    self._tables_by_name.setdefault(name.casefold(), (name, row))
        return self._rows

    def _entries(self, *, system: bool) -> Iterator[tuple[str, Row]]:
        seen: set[int] = set()
        for row in self.catalog_rows():
            name, kind, flags, number = row["Name"], row["Type"], row["Flags"], row["Id"]
            if (
                not isinstance(name, str)
                or kind != _TABLE_TYPE
                or not isinstance(number, int)
                or number in seen
            ):
                continue
            seen.add(number)
            if system or not isinstance(flags, int) or not flags & _SYSTEM_FLAGS:
                yield name, row

    @property
    def tables(self) -> list[str]:
        """The names of the user tables, in the order of the catalog."""
        return [name for name, _ in self._entries(system=False)]

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and self._find(name) is not None

    def __iter__(self) -> Iterator[str]:
        return iter(self.tables)

    def _find(self, name: str) -> tuple[str, Row] | None:
        self.catalog_rows()
        return self._tables_by_name.get(name.casefold())

    def __getitem__(self, name: str) -> Table:
        entry = self._find(name)
        if entry is None:
            raise NoSuchTable(f"There is no table {name}.", where=self.file.where)
        real_name, row = entry
        number = row["Id"]
        page = number & 0xFFFFFF if isinstance(number, int) else 0
        table = self._tables.get(real_name)
        if table is None or table.page != page:
            table = self._tables[real_name] = Table(self, real_name, page)
        return table

    def catalog_row(self, name: str) -> Row:
        """Return the row of the catalog that stands for a table."""
        entry = self._find(name)
        if entry is None:
            raise NoSuchTable(f"There is no table {name}.", where=self.file.where)
        return entry[1]

    def create_table(self, name: str, columns: Sequence[Column], indexes: Sequence[Index] = ()) -> Table:
        """Create a table (Access 2000 only)."""
        with self.writing():
            create_table(self, name, columns, indexes)
            return self[name]

    @property
    def relations(self) -> list[Relation]:
        """The relationships between tables, those of Access's own tables included."""
        return read_relations(self["MSysRelationships"].rows()) if "MSysRelationships" in self else []

    def properties_of(self, name: str) -> Properties:
        """Return the properties that Access keeps beside a table."""
        entry = self._find(name)
        blob = entry[1].get("LvProp") if entry is not None else None
        if not isinstance(blob, bytes):
            return Properties()
        return read_properties(blob, self.file.layout, self.file.header.encoding)


def open_database(
    path: str | Path, mode: str = "r", *, clock: Callable[[], datetime] = datetime.now
) -> Database:
    """Open a database to read (`r`) or to read and write (`r+`)."""
    if mode not in ("r", "r+"):
        raise AccessFileError(f"The mode is r or r+, not {mode}.")
    return Database(Path(path), writable=mode == "r+", clock=clock)


def create_database(
    path: str | Path, version: str = "2000", *, clock: Callable[[], datetime] = datetime.now
) -> Database:
    """Create an empty database in a new file and open it for writing; raise AccessFileError if the file exists."""
    if str(version) != "2000":
        raise AccessFileError(f"A new database is of version 2000; {version} cannot be created.")
    path = Path(path)
    empty = _empty_database()
    try:
        with path.open("xb") as file:
            file.write(empty)
            file.flush()
            os.fsync(file.fileno())
    except FileExistsError:
        raise AccessFileError("The file exists already; it was not changed.", where=str(path)) from None
    except OSError as error:
        raise AccessFileError(f"The file cannot be created: {error.strerror}.", where=str(path)) from None
    return Database(path, writable=True, clock=clock)


def _empty_database() -> bytes:
    """Return the empty database, made by Access itself, that msaccessdb carries."""
    import msaccessdb

    with TemporaryDirectory() as folder:
        path = Path(folder) / "empty.mdb"
        msaccessdb.create(str(path))
        return path.read_bytes()
