"""The interface of a database engine for the journal. Has no dependency on facts.

Tables and statements are defined once in SQLAlchemy Core and compiled once for each engine (see `statements`).
They run on the driver's own cursor: a disk may acknowledge in a fifth of a millisecond, and Core's overhead for each
execution would dominate that.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import Any

from sqlalchemy import Engine, Insert, PoolProxiedConnection, Table, bindparam
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.schema import CreateIndex, CreateTable
from sqlalchemy.sql import ClauseElement

from overtrick.store.documents import Documents
from overtrick.store.errors import JournalError
from overtrick.store.tables import metadata

Row = tuple[Any, ...]


class JournalEngine(ABC):
    """An engine that holds the tables of one journal."""

    name: str
    """The name of the journal in a sentence: its file, or its database without the password."""

    address: str
    """The address that opens the journal: it may have a password, and is for the environment of a process alone."""

    documents: Documents
    """Documents beside the journal, such as the keys."""

    failures: tuple[type[Exception], ...]
    """The exceptions that the driver raises."""

    others: str | None = None
    """The statement that counts changes of other connections; None if the engine has none."""

    absence_is_final = False
    """True if a command that is not found after a failed COMMIT, when its locks are free, can never appear."""

    connections = 0
    """The number of connections made to a server that may be another one by now; 0 where there is no server."""

    begin: str
    """The statement that opens a transaction for writing."""

    def __init__(self, sql_engine: Engine) -> None:
        self.sql_engine = sql_engine
        self._insert: Any = {"sqlite": sqlite.insert, "postgresql": postgresql.insert}[
            sql_engine.dialect.name
        ]

    def spell(self, statement: ClauseElement) -> str:
        """Return the SQL of a statement for the driver, with named parameters."""
        return str(statement.compile(dialect=self.sql_engine.dialect))

    def spell_by_place(self, statement: ClauseElement) -> str:
        """Return the SQL with positional parameters: for many rows, tuples cost less than mappings."""
        dialect: Any = type(self.sql_engine.dialect)
        by_place: Any = dialect(paramstyle="qmark" if dialect.name == "sqlite" else "format")
        return str(statement.compile(dialect=by_place))

    def connect(self) -> PoolProxiedConnection:
        """Return a connection of the pool; it is in autocommit mode until `begin` is executed."""
        return self.sql_engine.raw_connection()

    @contextmanager
    def reading(self) -> Iterator[Any]:
        """Yield a cursor for reading; its connection goes back to the pool when the block ends."""
        try:
            connection = self.connect()
        except self.failures as error:
            raise self.explain(error) from error
        try:
            yield connection.cursor()
        except self.failures as error:
            connection.invalidate()
            raise self.explain(error) from error
        finally:
            connection.close()

    def rows(self, sql: str, parameters: Mapping[str, Any] | None = None) -> list[Row]:
        """Return the rows of a statement."""
        with self.reading() as cursor:
            rows: list[Row] = cursor.execute(sql, parameters or {}).fetchall()
            return rows

    def upsert(self, table: Table, key: list[str], moved: list[str], rising: str | None = None) -> Insert:
        """Return the statement that inserts a row or updates these columns; with `rising`, only to a higher value."""
        adding = self._insert(table).values({column.name: bindparam(column.name) for column in table.c})
        new = adding.excluded
        higher = None if rising is None else new[rising] > table.c[rising]
        moving: Insert = adding.on_conflict_do_update(
            index_elements=key, set_={column: new[column] for column in moved}, where=higher
        )
        return moving

    @abstractmethod
    def draw_items(self, cursor: Any, count: int) -> Iterable[int]:
        """Return so many new ids of queue items, in rising order, higher than all in their streams.

        The caller holds the locks of those streams.
        """

    @abstractmethod
    def number_items(self, cursor: Any) -> None:
        """Set the counter of item ids above all that exist; for old facts these are their versions."""

    @abstractmethod
    def skip_items(self, cursor: Any) -> None:
        """Skip item ids that may have been drawn before the journal was set back."""

    @abstractmethod
    def hold(self, cursor: Any, streams: Mapping[str, bool]) -> None:
        """Lock these streams until the transaction ends: exclusively if True, shared if only read (False).

        A shared lock blocks writers of the stream and no other readers.
        """

    def at_once(self, cursor: Any) -> AbstractContextManager[object]:
        """Send the statements of the block without waiting for the answer to each, where the engine can."""
        return nullcontext()

    @abstractmethod
    def hold_tables(self, cursor: Any) -> None:
        """Lock out every other writer until the transaction ends, while tables are rebuilt."""

    @abstractmethod
    def announce(self, streams: Iterable[str]) -> None:
        """Notify other processes that these streams have grown."""

    @abstractmethod
    def listen(self, wake: Callable[[list[str]], None]) -> None:
        """Call `wake` from now on, from any thread, with the streams that other processes appended to."""

    @abstractmethod
    def explain(self, error: Exception) -> JournalError:
        """Return the JournalError for an error of the driver."""

    @abstractmethod
    def is_undone(self, error: Exception) -> bool:
        """Return whether a COMMIT that failed with this error has certainly left nothing."""

    @abstractmethod
    def limit_wait(self, cursor: Any, seconds: float) -> None:
        """Limit the waits of the open transaction for locks."""

    @abstractmethod
    def check(self) -> None:
        """Check every page and index; raise DamagedJournal if something is wrong."""

    @abstractmethod
    def backup(self, path: Path) -> None:
        """Copy the journal to a new file while it is in use."""

    def close(self) -> None:
        """Close every connection."""
        self.sql_engine.dispose()


def create_tables(engine: JournalEngine, cursor: Any) -> None:
    """Create the tables in their present format, inside the caller's transaction."""
    for table in metadata.sorted_tables:
        cursor.execute(engine.spell(CreateTable(table)))
        for index in table.indexes:
            cursor.execute(engine.spell(CreateIndex(index)))
    engine.number_items(cursor)
