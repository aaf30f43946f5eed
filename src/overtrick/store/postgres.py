"""The journal in a PostgreSQL database, which several nodes may write and follow. Has no dependency on facts.

Nodes coordinate through advisory locks on streams. After COMMIT, NOTIFY wakes the followers on every node.
"""

# Locking and ordering
#
# Lock: every stream has an advisory lock, whose key is a hash of its name (`_key`). A writer takes the locks of all
# streams that its commands read (shared) or write (exclusive) in the statement after BEGIN, and PostgreSQL releases
# them when the transaction ends. A name that ends with a slash is locked as such a name and not as the streams with
# that prefix: every writer of these streams has to lock the prefix.
#
# Deadlocks: a transaction takes its stream locks once, sorted by key, and no more later. Two transactions therefore
# never wait for each other's streams. A wait ends with StreamLocked after PostgreSQL's lock_timeout (see `begin`).
#
# Visibility: with READ COMMITTED, the server's default, each statement has its own snapshot. Statements after the one
# that locks therefore see everything that earlier holders of the locks have committed, and a writer decides on the
# present state without serialization failures. Since only the holder of a stream's exclusive lock appends to it, and
# keeps the lock until COMMIT, the versions of a stream become visible in their order, without gaps.
#
# Item ids come from a sequence, which takes no such lock. They rise within a stream. Across streams a lower id may
# become visible after a higher one, and ids of transactions that were rolled back are missing.
#
# Round trips: BEGIN, the locks and the queries are one message; the inserts and COMMIT are another (`ScriptCursor`).
# Every further message in between would lengthen the time for which other nodes wait for the locks.
#
# NOTIFY is sent after COMMIT by a thread on another connection, because a transaction with a NOTIFY takes a lock at
# COMMIT that all such transactions of the server share. A notification may be lost: followers also read once a second.

import contextlib
import hashlib
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from sqlalchemy import (
    Column,
    Integer,
    MetaData,
    PoolProxiedConnection,
    Table,
    create_engine,
    event,
    insert,
    make_url,
    select,
    update,
)
from sqlalchemy.exc import ArgumentError, DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from sqlalchemy.schema import CreateTable

from overtrick.errors import BadInput
from overtrick.store.address import without_password
from overtrick.store.documents import CREATE as CREATE_DOCUMENTS
from overtrick.store.documents import DatabaseDocuments
from overtrick.store.engine import JournalEngine, Row, Statement, create_tables
from overtrick.store.errors import (
    DamagedJournal,
    JournalError,
    JournalUnavailable,
    NewerJournal,
    NotAJournal,
    StreamLocked,
)
from overtrick.store.migrations import migrate
from overtrick.store.tables import FORMAT, journal
from overtrick.store.token_buckets import CREATE as CREATE_BUCKETS
from overtrick.store.token_buckets import TokenBuckets

CHANNEL = "overtrick"

SKIPPED_ITEMS = 10_000
"""Number of item ids that are skipped after the journal was set back."""

NOTIFY = "SELECT pg_notify(%(channel)s, %(streams)s)"
FACT_COLUMNS = ", ".join(column.name for column in journal.c)
FACT = f"({'%s, ' * (len(journal.c) - 1)}CASE WHEN %s THEN nextval('item_numbers') END)"
SETUP_LOCK = 0x4F76546B
"""The advisory lock for creating and migrating the tables."""

NOTIFY_EVERY = 0.1
"""Seconds between two NOTIFYs of a node: each one takes a lock that all NOTIFYs of the server share."""

MAX_NOTIFICATION = 7_000
"""Limit of the names in one NOTIFY, in bytes; PostgreSQL allows 8,000."""

CONNECTION = {
    "connect_timeout": "3",
    "keepalives": "1",
    "keepalives_idle": "5",
    "keepalives_interval": "2",
    "keepalives_count": "3",
    "tcp_user_timeout": "10000",
    "application_name": "overtrick",
}
"""Connection parameters that limit the wait for a dead server; those in the address take precedence."""

LIMITS = """
SELECT set_config(name, value, false)
FROM (VALUES
    ('statement_timeout', '30s'), ('lock_timeout', '3s'), ('idle_in_transaction_session_timeout', '15s'))
    AS wanted (name, value)
WHERE current_setting(name) = '0'
UNION ALL
SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off'
"""
"""SQL that limits statements, waits for locks and idle transactions, unless the server has limits of its own.

It also turns synchronous_commit on if the server acknowledges before it has written; stricter values stay."""

CONNECTIONS, MORE_CONNECTIONS, WAIT_FOR_CONNECTION = 4, 12, 3.0
"""Size of the connection pool, additional connections under load, and seconds to wait for one."""

MIGRATION_LOCK_TIMEOUT = 60.0
"""Seconds to wait for another node that creates or migrates the tables."""

UNAVAILABLE_STATES = ("08", "53", "57P", "25006")
"""Prefixes of SQLSTATE for a server that is lost, full, shutting down or read-only."""

LOCK_TIMEOUT = "55P03"
"""SQLSTATE of a wait for a lock that took too long."""

LONGEST_UNMASKED = 3
"""Passwords up to this length are not masked in sentences: they may be a part of any word."""

_format = Table("journal_format", MetaData(), Column("version", Integer, nullable=False))


class PostgresEngine(JournalEngine):
    """A journal in a database."""

    absence_is_final = True

    def __init__(self, url: str) -> None:
        try:
            import psycopg

            from overtrick.store.limited_connection import ServerReachability
            from overtrick.store.script_cursor import ScriptCursor
        except ImportError:
            raise JournalUnavailable("PostgreSQL needs psycopg: pip install 'overtrick[postgres]'.") from None
        self.name = without_password(url)
        self.address = url
        try:
            address = make_url(url).set(drivername="postgresql+psycopg")
        except (ArgumentError, ValueError):
            raise BadInput("This is not the address of a database.", where=self.name) from None
        if "@" in (address.host or ""):
            raise BadInput(
                "There are two @ in this address; in a password it is written %40.", where=self.name
            )
        self._password = str(address.password or "")
        self.failures = (psycopg.Error, DBAPIError, PoolTimeout)
        self._script_cursor = ScriptCursor
        sql_engine = create_engine(
            address,
            isolation_level="AUTOCOMMIT",
            pool_pre_ping=True,
            pool_size=CONNECTIONS,
            max_overflow=MORE_CONNECTIONS,
            pool_timeout=WAIT_FOR_CONNECTION,
            pool_reset_on_return=None,  # every transaction is ended by the code that began it
            connect_args={name: value for name, value in CONNECTION.items() if name not in address.query},
        )
        self._reachability = reachability = ServerReachability()

        def connect(_dialect: object, _record: object, _arguments: object, parameters: dict[str, Any]) -> Any:
            return reachability.connect(parameters)

        event.listen(sql_engine, "do_connect", connect)
        event.listen(sql_engine, "connect", self._prepare)
        super().__init__(sql_engine)
        self.documents: DatabaseDocuments = DatabaseDocuments(self)
        self.buckets = TokenBuckets(self)
        self._listen_thread: threading.Thread | None = None
        self._thread_lock = threading.Lock()
        self._notify_thread: threading.Thread | None = None
        self._grown: set[str] = set()
        self._has_grown = threading.Event()
        self._stopped = threading.Event()

    @property
    def timeline(self) -> str:
        """Return the timeline of the server that the last connection reached."""
        return self._reachability.timeline

    def _prepare(self, connection: Any, _record: object) -> None:
        connection.execute(LIMITS)
        self.connections += 1

    def insert_facts(self, cursor: Any, rows: Sequence[Row], items: int) -> None:
        """Insert the rows with one statement; item ids come from a sequence, which does not block other writers."""
        values = ", ".join(cursor.mogrify(FACT, row) for row in rows)
        cursor.execute(f"INSERT INTO journal ({FACT_COLUMNS}) VALUES {values}")

    def number_items(self, cursor: Any) -> None:
        """Create the sequence if it does not exist, and set it above all ids in use."""
        cursor.execute("CREATE SEQUENCE IF NOT EXISTS item_numbers AS integer")
        cursor.execute(
            "SELECT setval('item_numbers', greatest(1, (SELECT max(item) FROM journal), "
            "(SELECT max(version) FROM journal), (SELECT last_value FROM item_numbers)))"
        )

    def skip_items(self, cursor: Any) -> None:
        """Advance the sequence by `SKIPPED_ITEMS`, more than the number of ids that the lost facts can have had."""
        cursor.execute(
            f"SELECT setval('item_numbers', (SELECT last_value FROM item_numbers) + {SKIPPED_ITEMS})"
        )

    def writing_cursor(self, connection: PoolProxiedConnection) -> Any:
        """Return a cursor that can send several statements as one message."""
        driver_connection: Any = connection.driver_connection
        return self._script_cursor(driver_connection)

    def begin(
        self,
        cursor: Any,
        streams: Mapping[str, bool] | None = None,
        lock_timeout: float | None = None,
        queries: Iterable[Statement] = (),
    ) -> list[list[Row]]:
        """Begin, lock and query in one message; see "Locking and ordering" at the top of this file."""
        script: list[Statement] = [("BEGIN ISOLATION LEVEL READ COMMITTED", None)]
        if lock_timeout is not None:
            script.append((f"SET LOCAL lock_timeout = {round(lock_timeout * 1000)}", None))
        keys: dict[int, bool] = {}
        for name, is_written in (streams or {}).items():
            key = _key(name)
            keys[key] = keys.get(key, False) or is_written
        locks = [f"pg_advisory_xact_lock{'' if keys[key] else '_shared'}({key})" for key in sorted(keys)]
        if locks:
            script.append((f"SELECT {', '.join(locks)}", None))
        answers: list[list[Row]] = cursor.query_all([*script, *queries])
        return answers[1:] if locks else answers

    def batched(self, cursor: Any) -> contextlib.AbstractContextManager[object]:
        """Gather the statements of the block and send them as one message, which shortens the time of the locks."""
        gathering: contextlib.AbstractContextManager[object] = cursor.gathering()
        return gathering

    def lock_tables(self, cursor: Any) -> None:
        """Lock the journal's table against writers, without time limits; readers are not blocked."""
        _lift_time_limits(cursor)
        cursor.execute("LOCK TABLE journal IN SHARE ROW EXCLUSIVE MODE")

    def announce(self, streams: Iterable[str]) -> None:
        """Send NOTIFY from a separate thread, which gathers the streams of `NOTIFY_EVERY` seconds."""
        with self._thread_lock:
            self._grown.update(streams)
            if self._notify_thread is None:
                self._notify_thread = threading.Thread(
                    target=self._announce, name="overtrick-notify", daemon=True
                )
                self._notify_thread.start()
        self._has_grown.set()

    def _announce(self) -> None:
        while True:
            self._has_grown.wait()
            self._has_grown.clear()
            with self._thread_lock:
                grown, self._grown = sorted(self._grown), set()
            while grown:
                size, batch = 0, list[str]()
                while grown and size < MAX_NOTIFICATION:
                    batch.append(grown.pop())
                    size += len(batch[-1].encode()) + 1
                # If this fails, followers find the facts at their next regular read.
                with contextlib.suppress(JournalError):
                    self.rows(NOTIFY, {"channel": CHANNEL, "streams": "\n".join(batch)})
            if self._stopped.wait(NOTIFY_EVERY) and not self._grown:
                return

    def listen(self, wake: Callable[[list[str]], None]) -> None:
        """Run LISTEN in a separate thread, which reconnects after a failure. Only the first call has an effect."""
        with self._thread_lock:
            if self._listen_thread is None:
                self._listen_thread = threading.Thread(
                    target=self._listen, args=(wake,), name="overtrick-listen", daemon=True
                )
                self._listen_thread.start()

    def _listen(self, wake: Callable[[list[str]], None]) -> None:
        while not self._stopped.is_set():
            with contextlib.suppress(*self.failures):
                proxied = self.connect()
                connection = proxied.driver_connection
                assert connection is not None
                proxied.detach()
                with contextlib.closing(connection):
                    connection.execute(f"LISTEN {CHANNEL}")
                    while not self._stopped.is_set():
                        for note in connection.notifies(timeout=0.2):
                            wake(note.payload.split("\n"))
            self._stopped.wait(1.0)

    def explain(self, error: Exception) -> JournalError:
        """Return the JournalError for an error of PostgreSQL or its driver."""
        cause = getattr(error, "orig", None) or error
        words = " ".join(str(cause).split())
        if len(self._password) > LONGEST_UNMASKED:
            words = words.replace(self._password, "***")
        state = getattr(cause, "sqlstate", None) or ""
        if state.startswith("XX"):
            return DamagedJournal(f"This journal is damaged ({words}).", where=self.name)
        if state == LOCK_TIMEOUT:
            return StreamLocked(
                f"Another node keeps this session or event locked ({words}); nothing was written.",
                where=self.name,
            )
        if not state or state.startswith(UNAVAILABLE_STATES):
            return JournalUnavailable(
                f"The journal does not answer ({words}); nothing was written.", where=self.name
            )
        return JournalUnavailable(
            f"The database could not be used ({words}); nothing was written.", where=self.name
        )

    def is_rolled_back(self, error: Exception) -> bool:
        """Return whether the server itself refused the COMMIT, while neither it nor the connection was failing."""
        state = getattr(error, "sqlstate", None) or ""
        return bool(state) and not state.startswith(("08", "57P", "58", "XX"))

    def check(self) -> None:
        """Do nothing: PostgreSQL has its own checks (data checksums, pg_amcheck)."""

    def backup(self, path: Path) -> None:
        """Raise JournalError: databases have their own tools, which its sentence names."""
        raise JournalError(
            "A journal in PostgreSQL is backed up with pg_dump, or exported to a portable file; nothing was copied.",
            where=self.name,
        )

    def close(self) -> None:
        """Stop the threads and close every connection."""
        self._stopped.set()
        self._has_grown.set()
        if self._notify_thread is not None:
            self._notify_thread.join(timeout=5)
        self._reachability.close()
        self.documents.close()
        if self._listen_thread is not None:
            self._listen_thread.join(timeout=5)  # it may wait for a server that does not answer
        super().close()


def open_postgres(url: str, *, create: bool) -> PostgresEngine:
    """Open the journal in a database; create its tables if there are none and `create` is set, or migrate them.

    Raises JournalError, or BadInput for a wrong address; the database is then unchanged.
    """
    engine = PostgresEngine(url)
    try:
        connection = engine.connect()
        with contextlib.closing(connection):
            _prepare_tables(engine, engine.writing_cursor(connection), create=create)
    except engine.failures as error:
        engine.close()
        raise engine.explain(error) from error
    except UnicodeError:
        engine.close()
        raise BadInput("This is not the address of a database.", where=engine.name) from None
    except BaseException:
        engine.close()
        raise
    return engine


def _prepare_tables(engine: PostgresEngine, cursor: Any, *, create: bool) -> None:
    engine.begin(cursor)
    try:
        _lift_time_limits(cursor)
        cursor.execute("SELECT pg_advisory_xact_lock(%(key)s)", {"key": SETUP_LOCK})
        journal, form = cursor.execute(
            "SELECT to_regclass('journal'), to_regclass('journal_format')"
        ).fetchone()
        if form is None:
            _create(engine, cursor, has_journal_table=journal is not None, create=create)
        else:
            _upgrade_tables(engine, cursor)
        if cursor.execute("SELECT to_regclass('documents')").fetchone() == (None,):
            cursor.execute(CREATE_DOCUMENTS)
        if cursor.execute("SELECT to_regclass('token_buckets')").fetchone() == (None,):
            cursor.execute(CREATE_BUCKETS)
        cursor.execute("COMMIT")
    except BaseException:
        with contextlib.suppress(*engine.failures):
            cursor.execute("ROLLBACK")
        raise


def _create(engine: PostgresEngine, cursor: Any, *, has_journal_table: bool, create: bool) -> None:
    if has_journal_table:
        raise NotAJournal(
            "This database has a table 'journal' of another program; it was not changed.", where=engine.name
        )
    if not create:
        raise NotAJournal("There is no journal here.", where=engine.name)
    create_tables(engine, cursor)
    cursor.execute(engine.compile(CreateTable(_format)))
    cursor.execute(engine.compile(insert(_format)), {"version": FORMAT})


def _upgrade_tables(engine: PostgresEngine, cursor: Any) -> None:
    rows = cursor.execute(engine.compile(select(_format.c.version))).fetchall()
    if len(rows) != 1 or rows[0][0] < 1:
        raise DamagedJournal("The journal does not state its format; it was not changed.", where=engine.name)
    version: int = rows[0][0]
    if version > FORMAT:
        raise NewerJournal(
            f"This journal has format {version}; this Overtrick knows formats up to {FORMAT}. "
            "Use a newer Overtrick; the database was not changed.",
            where=engine.name,
        )
    if version < FORMAT:
        migrate(engine, cursor, version)
        cursor.execute(engine.compile(update(_format)), {"version": FORMAT})


def _lift_time_limits(cursor: Any) -> None:
    """Lift the time limits of the open transaction; let it wait `MIGRATION_LOCK_TIMEOUT` seconds for a lock."""
    cursor.execute(
        f"SET LOCAL statement_timeout = 0; SET LOCAL idle_in_transaction_session_timeout = 0; "
        f"SET LOCAL lock_timeout = {round(MIGRATION_LOCK_TIMEOUT * 1000)}"
    )
    cursor.connection.silence = None


def _key(name: str) -> int:
    """Return the key of a stream's advisory lock. Streams with the same key share a lock, which only costs time."""
    return int.from_bytes(hashlib.blake2b(name.encode(), digest_size=8).digest(), signed=True)
