"""The database file of a registry: its tables and transactions. `people` and `ledger` have the rules."""

import sqlite3
from collections.abc import Hashable, Iterator
from contextlib import closing, contextmanager
from enum import Enum
from pathlib import Path

from overtrick.errors import BadInput, OvertrickError
from overtrick.store.address import is_address
from overtrick.store.documents import Documents, FolderDocuments

APPLICATION = 0x4F565247
"""The application id in the file's header."""
FORMAT = 1
DOCUMENT = "people.registry"
"""The name of the document that stores the registry in the database of a journal."""
CACHE = 32_000
"""Page cache in KiB: with less, an import of a federation's list writes pages to the disk twice."""


class RegistryUnavailable(OvertrickError):
    """A registry that cannot be used now; nothing was changed."""

    code = "registry-unavailable"


class RegistryDamaged(RegistryUnavailable):
    """The file of a registry is damaged, or is something else; it was not changed."""

    code = "registry-damaged"
    exit_status = 2


class RegistrySide(Enum):
    """The owner of a registry: the side that assigns keys to new players."""

    MAGIC = "magic"
    OFFICE = "office"

    @property
    def own_key(self) -> str:
        """Return the column of the key that this side assigns."""
        return "magic_id" if self is RegistrySide.MAGIC else "office_id"

    @property
    def other_key(self) -> str:
        """Return the column of the key that the other side assigns."""
        return "office_id" if self is RegistrySide.MAGIC else "magic_id"


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
"""The tables. The primary key of a player is the key that our side assigns.

Totals and ranks from the other side have separate tables (`told_…`) and never change our ledger.
"""


class Registry:
    """An open registry; `People` and `Ledger` work on its connection."""

    def __init__(
        self,
        path: Path | str,
        connection: sqlite3.Connection,
        side: RegistrySide,
        stored: "_StoredRegistry | None" = None,
    ) -> None:
        self.path = path
        self.side = side
        self.connection = connection
        self._stored = stored

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """Open a transaction that is committed when the block ends, and rolled back if it raises.

        Raise RegistryUnavailable if the database fails or another program changed the registry meanwhile.
        """
        try:
            if self._stored is not None:
                self._stored.load()
            self.connection.execute("BEGIN IMMEDIATE")
            try:
                yield self.connection
                self.connection.execute("COMMIT")
            except BaseException:
                if self.connection.in_transaction:
                    self.connection.execute("ROLLBACK")
                raise
            if self._stored is not None:
                self._stored.save()
        except sqlite3.Error as error:
            raise _unavailable(self.path, error) from error

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """Open a read transaction on a consistent snapshot. Raise RegistryUnavailable if the database fails."""
        try:
            if self._stored is not None:
                self._stored.load()
            self.connection.execute("BEGIN")
            try:
                yield self.connection
            finally:
                if self.connection.in_transaction:
                    self.connection.execute("ROLLBACK")
        except sqlite3.Error as error:
            raise _unavailable(self.path, error) from error


class _StoredRegistry:
    """The registry of a journal in a database: an SQLite file stored as a document and loaded into memory."""

    def __init__(self, documents: Documents, connection: sqlite3.Connection) -> None:
        self._documents = documents
        self._connection = connection
        self._loaded_stamp: Hashable | None = None
        """The stamp of the version in memory; None if that version is not stored."""

    @property
    def place(self) -> str:
        """Return the location of the document, for messages."""
        return self._documents.place(DOCUMENT)

    def load(self) -> bool:
        """Load the stored registry into memory unless it is there already; return False if none is stored."""
        stamp = self._documents.stamp(DOCUMENT)
        if stamp is not None and stamp != self._loaded_stamp:
            self._connection.deserialize(self._documents.read(DOCUMENT))
            self._loaded_stamp = stamp
        return stamp is not None

    def save(self) -> None:
        """Store the registry in memory; raise RegistryUnavailable if another program stored one since it was loaded."""
        stamp, self._loaded_stamp = self._loaded_stamp, None
        if not self._documents.write(DOCUMENT, self._connection.serialize(), stamp):
            raise RegistryUnavailable(
                "Another program changed the registry at the same time; nothing was changed here. Try again.",
                where=self.place,
            )
        self._loaded_stamp = self._documents.stamp(DOCUMENT)


def _unavailable(path: Path | str, error: sqlite3.Error) -> RegistryUnavailable:
    is_damaged = error.sqlite_errorcode in (sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT)
    kind = RegistryDamaged if is_damaged else RegistryUnavailable
    return kind(f"The registry cannot be used: {error}. Nothing was changed.", where=str(path))


@contextmanager
def open_registry(path: Path | str, *, create: RegistrySide | None = None) -> Iterator[Registry]:
    """Open a registry: a file, or the registry of the journal at a database address.

    If it is missing, create it for the side `create`, or raise BadInput without one. Raise BadInput if it is not a
    registry of this format, and RegistryUnavailable if it cannot be opened.
    """
    if is_address(path):
        with _opened_in_database(str(path), create) as registry:
            yield registry
        return
    path = Path(path)
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


@contextmanager
def _opened_in_database(address: str, create: RegistrySide | None) -> Iterator[Registry]:
    from overtrick.store.postgres import open_postgres

    with (
        closing(open_postgres(address, create=True)) as engine,
        open_registry_of(engine.documents, create=create) as registry,
    ):
        yield registry


@contextmanager
def open_registry_of(documents: Documents, *, create: RegistrySide | None = None) -> Iterator[Registry]:
    """Open the registry among the documents of a journal: a file in its folder, or in its database.

    If it is missing, create it or raise BadInput, as `open_registry` does.
    """
    if isinstance(documents, FolderDocuments):
        with open_registry(documents.place(DOCUMENT), create=create) as registry:
            yield registry
        return
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        stored = _StoredRegistry(documents, connection)
        is_stored = stored.load()
        if not is_stored and create is None:
            raise BadInput("There is no registry; `overtrick magic registry` makes one.", where=stored.place)
        side = _prepare(stored.place, connection, create)
        if not is_stored:
            stored.save()
        yield Registry(stored.place, connection, side, stored)


def has_registry(address: str) -> bool:
    """Return whether the journal at a database address has a registry."""
    from overtrick.store.postgres import open_postgres

    with closing(open_postgres(address, create=True)) as engine:
        return engine.documents.stamp(DOCUMENT) is not None


def _prepare(path: Path | str, connection: sqlite3.Connection, create: RegistrySide | None) -> RegistrySide:
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
            raise BadInput("This is not a registry; it was not changed.", where=str(path))
        (version,) = connection.execute("PRAGMA user_version").fetchone()
        if version != FORMAT:
            raise BadInput(
                f"This registry has format {version}, and this Overtrick reads {FORMAT}.", where=str(path)
            )
        (side,) = connection.execute("SELECT side FROM registry").fetchone()
        return RegistrySide(side)
    except sqlite3.Error as error:
        raise _unavailable(path, error) from error
