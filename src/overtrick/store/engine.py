"""What a journal asks of the engine under it. Knows no fact.

Tables and statements are said once in SQLAlchemy Core and spelled once for each engine (see `statements`).
They run on the driver's own cursor: at the speed of a disk that acknowledges in a fifth of a
millisecond, Core's machinery around each execution is what would be measured.
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
    """How a sentence calls the journal: its file, or its database without the password."""

    address: str
    """The address that opens the journal: it may have a password, and is for the environment of a process alone."""

    documents: Documents
    """Documents beside the journal, such as the keys."""

    failures: tuple[type[Exception], ...]
    """What the driver raises."""

    others: str | None = None
    """The statement that counts what other connections have changed, where the engine does that."""

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
        """The statement as the driver takes it, with named parameters."""
        return str(statement.compile(dialect=self.sql_engine.dialect))

    def spell_by_place(self, statement: ClauseElement) -> str:
        """The statement with parameters by their place: for many rows, a tuple each costs less than a mapping."""
        dialect: Any = type(self.sql_engine.dialect)
        by_place: Any = dialect(paramstyle="qmark" if dialect.name == "sqlite" else "format")
        return str(statement.compile(dialect=by_place))

    def connect(self) -> PoolProxiedConnection:
        """A connection of the pool; every statement is its own transaction until `begin` is executed."""
        return self.sql_engine.raw_connection()

    @contextmanager
    def reading(self) -> Iterator[Any]:
        """A cursor to read with; it goes back when the block ends."""
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
        """The rows that a statement finds."""
        with self.reading() as cursor:
            found: list[Row] = cursor.execute(sql, parameters or {}).fetchall()
            return found

    def upsert(self, table: Table, key: list[str], moved: list[str], rising: str | None = None) -> Insert:
        """Insert a row, or move the columns of the one with this key; with `rising`, only upwards."""
        adding = self._insert(table).values({column.name: bindparam(column.name) for column in table.c})
        new = adding.excluded
        higher = None if rising is None else new[rising] > table.c[rising]
        moving: Insert = adding.on_conflict_do_update(
            index_elements=key, set_={column: new[column] for column in moved}, where=higher
        )
        return moving

    @abstractmethod
    def draw_items(self, cursor: Any, count: int) -> Iterable[int]:
        """Return so many new ids of queue items, in rising order, higher than all that their streams have.

        Whoever draws them has the locks of the streams that get them.
        """

    @abstractmethod
    def number_items(self, cursor: Any) -> None:
        """See to it that ids of queue items are drawn above those that there are; those of before are versions."""

    @abstractmethod
    def skip_items(self, cursor: Any) -> None:
        """Leave out ids of queue items that may have been given before the journal was set back."""

    @abstractmethod
    def hold(self, cursor: Any, streams: Mapping[str, bool]) -> None:
        """Keep other writers of these streams waiting until the transaction ends.

        Whoever only reads a stream (False) keeps waiting those who write it, and not those who read it too.
        """

    def at_once(self, cursor: Any) -> AbstractContextManager[object]:
        """Send the statements of the block without waiting for the answer to each, where the engine can."""
        return nullcontext()

    @abstractmethod
    def hold_tables(self, cursor: Any) -> None:
        """Keep every other writer out until the transaction ends, while tables are made anew."""

    @abstractmethod
    def announce(self, streams: Iterable[str]) -> None:
        """Tell other processes that these streams have grown."""

    @abstractmethod
    def listen(self, wake: Callable[[list[str]], None]) -> None:
        """From now on call `wake`, from any thread, with the streams that other processes have let grow."""

    @abstractmethod
    def explain(self, error: Exception) -> JournalError:
        """The sentence for what the driver raised."""

    @abstractmethod
    def is_undone(self, error: Exception) -> bool:
        """True if a COMMIT that failed with this error has certainly left nothing."""

    @abstractmethod
    def limit_wait(self, cursor: Any, seconds: float) -> None:
        """Let the open transaction wait for others at most so long."""

    @abstractmethod
    def check(self) -> None:
        """Look at every page and index; DamagedJournal when something is wrong."""

    @abstractmethod
    def backup(self, path: Path) -> None:
        """Copy the journal to a new file while it is in use."""

    def close(self) -> None:
        """Let go of every connection."""
        self.sql_engine.dispose()


def create_tables(engine: JournalEngine, cursor: Any) -> None:
    """Make today's tables, inside the caller's transaction."""
    for table in metadata.sorted_tables:
        cursor.execute(engine.spell(CreateTable(table)))
        for index in table.indexes:
            cursor.execute(engine.spell(CreateIndex(index)))
    engine.number_items(cursor)
