"""The same tables through Access's own driver, for a file that Access or BCS has open on this Windows computer.

`jet` writes only what it holds alone. Where Access's driver is installed, it shares the file with Access by Access's
own rules: `open_shared` gives a database with the same tables and rows, and falls back to `jet` elsewhere. It needs
`pyodbc`, and has been tried against a stand-in for the driver only, never against Access.
"""

import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Protocol

from overtrick.jet.columns import Column, ColumnType
from overtrick.jet.database import open_database
from overtrick.jet.errors import AccessFileError, NoSuchColumn, NoSuchTable, ReadOnlyAccessFile, RowGone
from overtrick.jet.table import Fields, Row

_DRIVER = "Microsoft Access Driver (*.mdb"
_TYPES = {
    "BIT": ColumnType.YES_NO,
    "BYTE": ColumnType.BYTE,
    "SMALLINT": ColumnType.INTEGER,
    "INTEGER": ColumnType.LONG,
    "COUNTER": ColumnType.LONG,
    "CURRENCY": ColumnType.MONEY,
    "REAL": ColumnType.SINGLE,
    "DOUBLE": ColumnType.DOUBLE,
    "DATETIME": ColumnType.DATE,
    "BINARY": ColumnType.BINARY,
    "VARBINARY": ColumnType.BINARY,
    "CHAR": ColumnType.TEXT,
    "VARCHAR": ColumnType.TEXT,
    "LONGCHAR": ColumnType.MEMO,
    "LONGBINARY": ColumnType.OLE,
    "GUID": ColumnType.GUID,
    "DECIMAL": ColumnType.NUMERIC,
}


class SharedTable(Protocol):
    """The methods that a table of `jet` and one of Access's driver share."""

    name: str

    @property
    def columns(self) -> tuple[Column, ...]:
        """The columns."""

    def rows(self) -> Iterator[Row]:
        """Yield every row."""

    def insert(self, values: Mapping[str, Any] | None = None, /, **more: Any) -> Row:
        """Add a row."""

    def insert_many(self, rows: Iterable[Mapping[str, Any]]) -> int:
        """Add many rows."""

    def update(self, row: Row, values: Mapping[str, Any] | None = None, /, **more: Any) -> Row:
        """Change a row."""

    def delete(self, row: Row) -> None:
        """Delete a row."""


class SharedDatabase(Protocol):
    """The methods that a database of `jet` and one of Access's driver share."""

    @property
    def tables(self) -> list[str]:
        """The names of the tables."""

    def __getitem__(self, name: str) -> SharedTable:
        """Return a table."""

    def close(self) -> None:
        """Close it."""


class OdbcTable:
    """One table, read and written by SQL."""

    def __init__(self, database: "OdbcDatabase", name: str) -> None:
        self.name = name
        self._database = database
        self._table = _quoted(name)

    @property
    def columns(self) -> tuple[Column, ...]:
        """The columns, as the driver describes them."""
        described = self._database.cursor().columns(table=self.name).fetchall()
        return tuple(
            Column(
                name=column.column_name,
                type=_TYPES.get(column.type_name.upper(), ColumnType.BINARY),
                size=column.column_size or 0,
                autonumber=column.type_name.upper() == "COUNTER",
                required=not column.nullable,
                number=number,
            )
            for number, column in enumerate(described)
        )

    def rows(self) -> Iterator[Row]:
        """Yield every row."""
        return self._select("", [])

    __iter__ = rows

    def _select(self, where: str, parameters: list[Any]) -> Iterator[Row]:
        cursor = self._database.cursor()
        cursor.execute(f"SELECT * FROM {self._table}{where}", parameters)
        fields = Fields((column[0], number) for number, column in enumerate(cursor.description))
        yield from (Row(fields, tuple(values), -1) for values in cursor.fetchall())

    def insert(self, values: Mapping[str, Any] | None = None, /, **more: Any) -> Row:
        """Add a row; return it with its autonumber and its defaults."""
        fields = self._checked({**(values or {}), **more})
        with self._database.writing():
            cursor = self._insert(fields)
            counter = next((column.name for column in self.columns if column.autonumber), None)
            if counter is None or fields.get(counter) is not None:
                return self._single_row(fields)
            cursor.execute("SELECT @@IDENTITY")
            return self._single_row({counter: cursor.fetchone()[0]})

    def insert_many(self, rows: Iterable[Mapping[str, Any]]) -> int:
        """Add many rows, all or none; return how many."""
        count = 0
        with self._database.writing():
            for row in rows:
                self._insert(self._checked(row))
                count += 1
        return count

    def _insert(self, values: Mapping[str, Any]) -> Any:
        cursor = self._database.cursor()
        names = ", ".join(map(_quoted, values))
        marks = ", ".join("?" * len(values))
        cursor.execute(f"INSERT INTO {self._table} ({names}) VALUES ({marks})", list(values.values()))
        return cursor

    def update(self, row: Row, values: Mapping[str, Any] | None = None, /, **more: Any) -> Row:
        """Change values of a row; the other values stay as they are."""
        fields = self._checked({**(values or {}), **more})
        where, parameters = self._where(self._key(row))
        settings = ", ".join(f"{_quoted(name)} = ?" for name in fields)
        self._change(f"UPDATE {self._table} SET {settings}{where}", [*fields.values(), *parameters])
        return self._single_row({name: fields.get(name, value) for name, value in self._key(row).items()})

    def delete(self, row: Row) -> None:
        """Delete a row."""
        where, parameters = self._where(self._key(row))
        self._change(f"DELETE FROM {self._table}{where}", parameters)

    def _change(self, statement: str, parameters: list[Any]) -> None:
        with self._database.writing():
            cursor = self._database.cursor()
            cursor.execute(statement, parameters)
            if cursor.rowcount == 0:
                raise RowGone("The row no longer exists; nothing was changed.", where=f"table {self.name}")

    def _single_row(self, key: Mapping[str, Any]) -> Row:
        where, parameters = self._where(key)
        row = next(self._select(where, parameters), None)
        if row is None:
            raise RowGone("The row no longer exists.", where=f"table {self.name}")
        return row

    def _key(self, row: Row) -> dict[str, Any]:
        """Return the values that identify a row: its autonumber, or all of them."""
        numbers = {column.name: row[column.name] for column in self.columns if column.autonumber}
        if numbers:
            return numbers
        long = {column.name for column in self.columns if column.type.is_long_value}
        return {name: value for name, value in row.items() if name not in long}

    def _where(self, key: Mapping[str, Any]) -> tuple[str, list[Any]]:
        tests = [
            f"{_quoted(name)} IS NULL" if value is None else f"{_quoted(name)} = ?"
            for name, value in key.items()
        ]
        return " WHERE " + " AND ".join(tests), [value for value in key.values() if value is not None]

    def _checked(self, values: Mapping[str, Any]) -> dict[str, Any]:
        names = {column.name.casefold() for column in self.columns}
        for name in values:
            if name.casefold() not in names:
                raise NoSuchColumn(f"Table {self.name} has no column {name}.")
        return dict(values)


class OdbcDatabase:
    """A database through Access's driver: `db["Name"]` is a table, `with` closes it."""

    def __init__(self, path: Path, *, writable: bool, pyodbc: Any) -> None:
        self.path = path
        self.writable = writable
        driver = next((name for name in pyodbc.drivers() if name.startswith(_DRIVER)), None)
        if driver is None:
            raise AccessFileError("Access's driver is not installed on this computer.", where=path.name)
        try:
            self._connection = pyodbc.connect(
                f"DRIVER={{{driver}}};DBQ={path};READONLY={0 if writable else 1}", autocommit=False
            )
        except pyodbc.Error as error:
            raise AccessFileError(
                f"Access's driver cannot open the file: {error}.", where=path.name
            ) from None
        self._depth = 0

    def __enter__(self) -> "OdbcDatabase":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()

    def cursor(self) -> Any:
        """Return a cursor of the driver."""
        return self._connection.cursor()

    def writing(self) -> "_Transaction":
        """Open a transaction: the changes in it are made all or none."""
        if not self.writable:
            raise ReadOnlyAccessFile("The database is open for reading only.", where=self.path.name)
        return _Transaction(self._connection, self)

    @property
    def tables(self) -> list[str]:
        """The names of the user tables."""
        return [row.table_name for row in self.cursor().tables(tableType="TABLE").fetchall()]

    def __getitem__(self, name: str) -> OdbcTable:
        real_name = next(
            (table_name for table_name in self.tables if table_name.casefold() == name.casefold()), None
        )
        if real_name is None:
            raise NoSuchTable(f"There is no table {name}.", where=self.path.name)
        return OdbcTable(self, real_name)


class _Transaction:
    """A transaction that commits at the outermost end, or undoes everything."""

    def __init__(self, connection: Any, database: OdbcDatabase) -> None:
        self._connection = connection
        self._database = database

    def __enter__(self) -> None:
        self._database._depth += 1

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._database._depth -= 1
        if kind is not None:
            self._connection.rollback()
        elif self._database._depth == 0:
            self._connection.commit()


def _quoted(name: str) -> str:
    if "]" in name:
        raise NoSuchColumn(f"{name!r} cannot be a name.")
    return f"[{name}]"


def open_shared(path: str | Path, mode: str = "r") -> SharedDatabase:
    """Open a database that Access may have open too: by Access's driver if it is installed (Windows), else by `jet`."""
    if sys.platform == "win32":
        try:
            import pyodbc
        except ImportError:
            return open_database(path, mode)
        if any(name.startswith(_DRIVER) for name in pyodbc.drivers()):
            return OdbcDatabase(Path(path), writable=mode == "r+", pyodbc=pyodbc)
    return open_database(path, mode)
