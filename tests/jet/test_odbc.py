"""The SQL that Access's driver would be given, tried on SQLite behind a stand-in for pyodbc."""

import sqlite3
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from overtrick import jet
from overtrick.jet.odbc import OdbcDatabase, open_shared


class Cursor:
    """A cursor of SQLite that describes itself as pyodbc's does."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._cursor = connection.cursor()
        self._described: list[Any] = []

    def execute(self, statement: str, parameters: list[Any] | None = None) -> None:
        self._described = []
        self._cursor.execute(statement.replace("@@IDENTITY", "last_insert_rowid()"), parameters or [])

    def columns(self, table: str) -> "Cursor":
        kinds = {"ID": "COUNTER", "Board": "SMALLINT", "Contract": "VARCHAR"}
        self._cursor.execute(f"SELECT * FROM [{table}]")
        self._described = [
            SimpleNamespace(column_name=one[0], type_name=kinds[one[0]], column_size=10, nullable=1)
            for one in self._cursor.description
        ]
        return self

    def tables(self, tableType: str) -> "Cursor":  # noqa: N803
        assert tableType == "TABLE"
        found = self._cursor.execute("SELECT name FROM sqlite_master").fetchall()
        self._described = [SimpleNamespace(table_name=name) for (name,) in found]
        return self

    def fetchall(self) -> list[Any]:
        return self._described or self._cursor.fetchall()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._cursor, name)


class Connection:
    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def cursor(self) -> Cursor:
        return Cursor(self._connection)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._connection, name)


@pytest.fixture
def pyodbc() -> Any:
    held = sqlite3.connect(":memory:")
    held.executescript(
        "CREATE TABLE ReceivedData (ID INTEGER PRIMARY KEY, Board INTEGER, Contract TEXT);"
        "CREATE TABLE Plain (Board INTEGER, Contract TEXT);"
    )
    asked: list[str] = []

    def connect(connection: str, autocommit: bool) -> Connection:
        asked.append(connection)
        assert not autocommit
        return Connection(held)

    drivers = ["SQL Server", "Microsoft Access Driver (*.mdb, *.accdb)"]
    return SimpleNamespace(
        connect=connect, drivers=lambda: drivers, Error=sqlite3.Error, asked=asked, held=held
    )


def test_driver_inserts_updates_and_deletes_rows(pyodbc: Any) -> None:
    db = OdbcDatabase(Path("event.bws"), writable=True, pyodbc=pyodbc)
    assert pyodbc.asked == ["DRIVER={Microsoft Access Driver (*.mdb, *.accdb)};DBQ=event.bws;READONLY=0"]
    assert db.tables == ["ReceivedData", "Plain"]
    table = db["receiveddata"]
    assert [column.autonumber for column in table.columns] == [True, False, False]
    row = table.insert(Board=7, Contract="4 S")
    assert dict(row) == {"ID": 1, "Board": 7, "Contract": "4 S"}
    assert dict(table.update(row, Contract=None)) == {"ID": 1, "Board": 7, "Contract": None}
    assert table.insert_many([{"Board": 8}, {"Board": 9}]) == 2
    table.delete(row)
    assert [found["Board"] for found in table.rows()] == [8, 9]
    with pytest.raises(jet.RowGone):
        table.update(row, Board=1)
    with pytest.raises(jet.NoSuchColumn):
        table.insert(Bord=1)
    with pytest.raises(jet.NoSuchTable):
        db["Nothing"]


def test_driver_finds_a_row_without_autonumber_by_all_values(pyodbc: Any) -> None:
    table = OdbcDatabase(Path("event.bws"), writable=True, pyodbc=pyodbc)["Plain"]
    one, two = table.insert(Board=1, Contract=None), table.insert(Board=2, Contract="1 C")
    assert dict(table.update(one, Contract="P")) == {"Board": 1, "Contract": "P"}
    table.delete(two)
    assert [dict(row) for row in table.rows()] == [{"Board": 1, "Contract": "P"}]


def test_failed_transaction_of_the_driver_is_rolled_back(pyodbc: Any) -> None:
    db = OdbcDatabase(Path("event.bws"), writable=True, pyodbc=pyodbc)
    with pytest.raises(jet.NoSuchColumn):
        db["Plain"].insert_many([{"Board": 1}, {"Bord": 1}])
    assert list(db["Plain"].rows()) == []
    with pytest.raises(jet.ReadOnlyAccessFile):
        OdbcDatabase(Path("event.bws"), writable=False, pyodbc=pyodbc)["Plain"].insert(Board=1)


def test_open_shared_without_the_driver_uses_jet(tmp_path: Path) -> None:
    jet.create(tmp_path / "new.mdb").close()
    db = open_shared(tmp_path / "new.mdb")
    assert db.tables == []
    assert isinstance(db, jet.Database)
    db.close()
