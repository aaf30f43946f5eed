"""The interface of a database engine for the journal. Has no dependency on facts.

Tables and statements are defined once in SQLAlchemy Core and compiled once for each engine (see `statements`).
They run on the driver's own cursor: a disk may acknowledge in a fifth of a millisecond, and Core's overhead for each
execution would dominate that.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import Any, TypeVar

from sqlalchemy import Engine, Insert, PoolProxiedConnection, Table, bindparam
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.schema import CreateIndex, CreateTable
from sqlalchemy.sql import ClauseElement

from overtrick.store.documents import Documents
from overtrick.store.errors import JournalError
from overtrick.store.tables import metadata
from overtrick.store.token_buckets import TokenBuckets

Row = tuple[Any, ...]
Statement = tuple[str, Sequence[Any] | Mapping[str, Any] | None]
"""A statement and its parameters."""

Compiled = TypeVar("Compiled")

_COMPILED: dict[tuple[str, Callable[[Any], Any]], Any] = {}
"""The results of `compile_once`, by dialect and function."""


class JournalEngine(ABC):
    """An engine that holds the tables of one journal."""

    name: str
    """The name of the journal in a sentence: its file, or its database without the password."""

    address: str
    """The address that opens the journal. It may have a password: pass it on in the environment, never in a command."""

    documents: Documents
    """Documents beside the journal, such as the keys."""

    buckets: TokenBuckets | None = None
    """The rate limits that all nodes share; None where there is one node."""

    failures: tuple[type[Exception], ...]
    """The exceptions that the driver raises."""

    change_counter_sql: str | None = None
    """SQL of a counter that changes whenever another connection has written; None if the engine has none."""

    absence_is_final = False
    """True if a command that is not found after a failed COMMIT, when its locks are free, can never appear."""

    connections = 0
    """The number of connections made so far; each may reach another server (failover). Always 0 for a file."""

    @property
    def timeline(self) -> str:
        """Return the timeline of the server, which changes when a replica is promoted; empty for a file."""
        return ""

    def __init__(self, sql_engine: Engine) -> None:
        self.sql_engine = sql_engine
        self._insert: Any = {"sqlite": sqlite.insert, "postgresql": postgresql.insert}[
            sql_engine.dialect.name
        ]

    def compile_once(self, build: Callable[["JournalEngine"], Compiled]) -> Compiled:
        """Return the statements that a function compiles for this engine; it is called once per dialect and process."""
        key = (self.sql_engine.dialect.name, build)
        if key not in _COMPILED:
            _COMPILED[key] = build(self)
        compiled: Compiled = _COMPILED[key]
        return compiled

    def compile(self, statement: ClauseElement) -> str:
        """Return the SQL of a statement for the driver, with named parameters."""
        return str(statement.compile(dialect=self.sql_engine.dialect))

    def compile_positional(self, statement: ClauseElement) -> str:
        """Return the SQL with positional parameters: for many rows, tuples cost less than mappings."""
        dialect: Any = type(self.sql_engine.dialect)
        positional: Any = dialect(paramstyle="qmark" if dialect.name == "sqlite" else "format")
        return str(statement.compile(dialect=positional))

    def connect(self) -> PoolProxiedConnection:
        """Return a connection of the pool, in autocommit mode."""
        return self.sql_engine.raw_connection()

    @contextmanager
    def reading(self) -> Iterator[Any]:
        """Yield a cursor for reading; its connection goes back to the pool when the block ends.

        Raises JournalError for an error of the driver, also for one inside the block.
        """
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

    def upsert(
        self, table: Table, key: list[str], updated: list[str], rising_column: str | None = None
    ) -> Insert:
        """Return the statement that inserts a row, or updates the columns `updated` of the row with the same key.

        With `rising_column`, it updates only if that column gets a higher value.
        """
        insertion = self._insert(table).values({column.name: bindparam(column.name) for column in table.c})
        excluded = insertion.excluded
        higher = None if rising_column is None else excluded[rising_column] > table.c[rising_column]
        upsert: Insert = insertion.on_conflict_do_update(
            index_elements=key, set_={column: excluded[column] for column in updated}, where=higher
        )
        return upsert

    @abstractmethod
    def insert_facts(self, cursor: Any, rows: Sequence[Row], items: int) -> None:
        """Insert rows of the journal; `items` of them have True in the last column, which is replaced by a new id.

        Ids are higher than all in their streams and rise in the order of the rows. The caller holds the streams' locks.
        """

    @abstractmethod
    def number_items(self, cursor: Any) -> None:
        """Set the counter of item ids above all that exist. Facts without an item count with their versions."""

    @abstractmethod
    def skip_items(self, cursor: Any) -> None:
        """Skip item ids that may have been drawn before the journal was set back."""

    def writing_cursor(self, connection: PoolProxiedConnection) -> Any:
        """Return the cursor for transactions that write."""
        return connection.cursor()

    @abstractmethod
    def begin(
        self,
        cursor: Any,
        streams: Mapping[str, bool] | None = None,
        lock_timeout: float | None = None,
        queries: Iterable[Statement] = (),
    ) -> list[list[Row]]:
        """Begin a transaction, lock these streams until it ends, and return the rows of each query.

        The lock of a stream is exclusive if it is mapped to True, and shared if it is only read (False): a shared lock
        blocks writers of the stream and no other readers. The queries run after the locks are taken.
        `lock_timeout` limits the wait for a lock, in seconds. An engine may lock more than it was asked to.
        """

    def batched(self, cursor: Any) -> AbstractContextManager[object]:
        """Return a context manager that may send the statements of its block, which have no results, at its end."""
        return nullcontext()

    @abstractmethod
    def lock_tables(self, cursor: Any) -> None:
        """Lock out every other writer until the transaction ends, while tables are rebuilt."""

    @abstractmethod
    def announce(self, streams: Iterable[str]) -> None:
        """Notify other processes that these streams have grown, if the engine can."""

    @abstractmethod
    def listen(self, wake: Callable[[list[str]], None]) -> None:
        """Call `wake`, from any thread, with the streams that other processes append to, if the engine can."""

    @abstractmethod
    def explain(self, error: Exception) -> JournalError:
        """Return the JournalError for an error of the driver."""

    @abstractmethod
    def is_rolled_back(self, error: Exception) -> bool:
        """Return whether a COMMIT that failed with this error has certainly written nothing."""

    @abstractmethod
    def check(self) -> None:
        """Check every page and index, if the engine can; raise DamagedJournal if something is wrong."""

    @abstractmethod
    def backup(self, path: Path) -> None:
        """Copy the journal to a new file while it is in use; raise JournalError if that is impossible."""

    def close(self) -> None:
        """Close every connection."""
        self.sql_engine.dispose()


def create_tables(engine: JournalEngine, cursor: Any) -> None:
    """Create the tables in their present format, inside the caller's transaction."""
    for table in metadata.sorted_tables:
        cursor.execute(engine.compile(CreateTable(table)))
        for index in table.indexes:
            cursor.execute(engine.compile(CreateIndex(index)))
    engine.number_items(cursor)
