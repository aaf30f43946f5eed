"""The file of a registry: its tables, and one transaction for each thing that is done. Knows no rule."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from enum import Enum
from pathlib import Path

from overtrick.errors import BadInput, OvertrickError

APPLICATION = 0x4F565247
"""Says in the file's header that it is a registry of ours."""
FORMAT = 1
CACHE = 32_000
"""Kilobytes that may be kept in memory: with less, a federation's list is written to the disk twice."""


class RegistryUnavailable(OvertrickError):
    """The registry cannot be used now; nothing was changed."""

    code = "registry-unavailable"


class Side(Enum):
    """Whose registry this is: the side that gives new players their key."""

    MAGIC = "magic"
    OFFICE = "office"

    @property
    def own_key(self) -> str:
        """The key that this side gives."""
        return "magic_id" if self is Side.MAGIC else "office_id"

    @property
    def other_key(self) -> str:
        """The key that the other side gives."""
        return "office_id" if self is Side.MAGIC else "magic_id"


SCHEMA = """
CREATE TABLE registry (side TEXT NOT NULL);
CREATE TABLE people (
    {own} INTEGER PRIMARY KEY,
    {other} INTEGER,
    member_code TEXT,
    last_name TEXT NOT NULL,
    first_name TEXT NOT NULL,
    sex TEXT NOT NULL,
    birth TEXT
);
CREATE UNIQUE INDEX people_by_other_key ON people ({other});
CREATE UNIQUE INDEX people_by_member_code ON people (member_code);
CREATE TABLE countries (
    player INTEGER NOT NULL REFERENCES people,
    from_year INTEGER NOT NULL,
    country TEXT NOT NULL,
    PRIMARY KEY (player, from_year)
) WITHOUT ROWID;
CREATE TABLE awards (
    id INTEGER PRIMARY KEY,
    player INTEGER NOT NULL REFERENCES people,
    year INTEGER NOT NULL,
    day TEXT,
    event_id INTEGER,
    event TEXT NOT NULL,
    serie TEXT NOT NULL,
    rank INTEGER,
    emp INTEGER NOT NULL,
    rp INTEGER NOT NULL,
    smp INTEGER NOT NULL
);
CREATE INDEX awards_by_player ON awards (player, year, emp, rp, smp);
CREATE TABLE titles (
    player INTEGER NOT NULL REFERENCES people,
    year INTEGER NOT NULL,
    title INTEGER NOT NULL,
    PRIMARY KEY (player, year)
) WITHOUT ROWID;
CREATE TABLE limits (
    kind TEXT NOT NULL,
    from_year INTEGER NOT NULL,
    age INTEGER NOT NULL,
    PRIMARY KEY (kind, from_year)
) WITHOUT ROWID;
CREATE TABLE told_totals (
    player INTEGER NOT NULL REFERENCES people,
    year INTEGER NOT NULL,
    last_active INTEGER,
    emp INTEGER NOT NULL,
    rp INTEGER NOT NULL,
    smp INTEGER NOT NULL,
    PRIMARY KEY (player, year)
) WITHOUT ROWID;
CREATE TABLE told_ranks (
    year INTEGER NOT NULL,
    points_type INTEGER NOT NULL,
    rank_type INTEGER NOT NULL,
    country TEXT NOT NULL,
    player INTEGER NOT NULL REFERENCES people,
    rank INTEGER NOT NULL,
    PRIMARY KEY (year, points_type, rank_type, country, player)
) WITHOUT ROWID;
INSERT INTO limits VALUES ('junior', 0, 25), ('senior', 0, 60);
"""
"""The key of a player is the one that our side gives.

What another side told us is kept apart from what we know: it never changes our own ledger.
"""


class Registry:
    """An open registry. `people` and `ledger` do the work, on its connection."""

    def __init__(self, path: Path, connection: sqlite3.Connection, side: Side) -> None:
        self.path = path
        self.side = side
        self.connection = connection

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """A transaction that is durable when the block ends, and undone when it raises."""
        try:
            self.connection.execute("BEGIN IMMEDIATE")
            try:
                yield self.connection
                self.connection.execute("COMMIT")
            except BaseException:
                if self.connection.in_transaction:
                    self.connection.execute("ROLLBACK")
                raise
        except sqlite3.Error as error:
            raise _unavailable(self.path, error) from error

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """The registry as it is at one moment."""
        try:
            self.connection.execute("BEGIN")
            try:
                yield self.connection
            finally:
                if self.connection.in_transaction:
                    self.connection.execute("ROLLBACK")
        except sqlite3.Error as error:
            raise _unavailable(self.path, error) from error


def _unavailable(path: Path, error: sqlite3.Error) -> RegistryUnavailable:
    return RegistryUnavailable(f"The registry cannot be used: {error}. Nothing was changed.", where=str(path))


@contextmanager
def open_registry(path: Path, *, create: Side | None = None) -> Iterator[Registry]:
    """Open a registry; one that is not there is made for the side given by `create`."""
    if not path.exists() and create is None:
        raise BadInput("There is no registry; `overtrick magic registry` makes one.", where=str(path))
    try:
        connection = sqlite3.connect(path, isolation_level=None, timeout=30)
    except sqlite3.Error as error:
        raise _unavailable(path, error) from error
    try:
        side = _prepare(path, connection, create)
        yield Registry(path, connection, side)
    finally:
        connection.close()


def _prepare(path: Path, connection: sqlite3.Connection, create: Side | None) -> Side:
    try:
        connection.execute("PRAGMA foreign_keys = ON")
        connection.execute(f"PRAGMA cache_size = -{CACHE}")
        connection.execute("PRAGMA temp_store = MEMORY")
        (application,) = connection.execute("PRAGMA application_id").fetchone()
        (tables,) = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
        if not tables and create is not None:
            connection.execute("PRAGMA journal_mode = WAL")
            schema = SCHEMA.format(own=create.own_key, other=create.other_key)
            connection.executescript(
                f"BEGIN;{schema}INSERT INTO registry VALUES ('{create.value}');"
                f"PRAGMA application_id = {APPLICATION};PRAGMA user_version = {FORMAT};COMMIT;"
            )
        elif application != APPLICATION:
            raise BadInput("It is no registry; it was left as it is.", where=str(path))
        (version,) = connection.execute("PRAGMA user_version").fetchone()
        if version != FORMAT:
            raise BadInput(f"It is a registry of another form ({version}).", where=str(path))
        (side,) = connection.execute("SELECT side FROM registry").fetchone()
        return Side(side)
    except sqlite3.Error as error:
        raise _unavailable(path, error) from error
