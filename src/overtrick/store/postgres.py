"""The journal in a PostgreSQL database, which several nodes may write and follow. Has no dependency on facts.

A writer locks the streams that a command reads and writes before it decides, with advisory locks that last until COMMIT
(isolation READ COMMITTED). So versions become visible in their order, and no transaction fails because of another one.
After COMMIT, NOTIFY wakes the followers on every node with the names of the streams.
"""

import contextlib
import hashlib
import threading
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from sqlalchemy import (
    Column,
    Integer,
    MetaData,
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
from overtrick.store.engine import JournalEngine, create_tables
from overtrick.store.errors import (
    DamagedJournal,
    JournalError,
    JournalUnavailable,
    NewerJournal,
    NotAJournal,
    StreamLocked,
)
from overtrick.store.migrations import migrate
from overtrick.store.tables import FORMAT

CHANNEL = "overtrick"

SKIPPED = 10_000
"""Number of item ids that are skipped after the journal was set back."""

NOTIFY = "SELECT pg_notify(%(channel)s, %(streams)s)"
HOLD = """
SELECT CASE WHEN is_written THEN pg_advisory_xact_lock(key)::text ELSE pg_advisory_xact_lock_shared(key)::text END
FROM unnest(%(keys)s::bigint[], %(written)s::boolean[]) AS wanted (key, is_written)
"""
OPENING = 0x4F76546B
"""The advisory lock for creating and migrating the tables."""

NOTIFY_EVERY = 0.02
"""Seconds between two NOTIFYs of a node: each one takes a lock that all writers of the database share."""

LONGEST_NOTE = 7_000
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

OPENING_LASTS = 60.0
"""Seconds to wait for another node that creates or migrates the tables."""

UNREACHED = ("08", "53", "57P", "25006")
"""Prefixes of SQLSTATE for a server that is lost, full, shutting down or read-only."""

LOCK_TIMEOUT = "55P03"
"""SQLSTATE of a wait for a lock that took too long."""

SHORT = 3
"""A password of so few characters may be part of any word, and is not masked in sentences."""

_format = Table("journal_format", MetaData(), Column("version", Integer, nullable=False))


class PostgresEngine(JournalEngine):
    """A journal in a database."""

    begin = "BEGIN"
    absence_is_final = True

    def __init__(self, url: str) -> None:
        try:
            import psycopg

            from overtrick.store.limited_connection import ServerReachability
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
        self._reach = reach = ServerReachability()

        def connect(_dialect: object, _record: object, _given: object, parameters: dict[str, Any]) -> Any:
            return reach.connect(parameters)

        event.listen(sql_engine, "do_connect", connect)
        event.listen(sql_engine, "connect", self._prepare)
        super().__init__(sql_engine)
        self.documents: DatabaseDocuments = DatabaseDocuments(self)
        self._listening: threading.Thread | None = None
        self._beginning = threading.Lock()
        self._announcing: threading.Thread | None = None
        self._grown: set[str] = set()
        self._has_grown = threading.Event()
        self._stopped = threading.Event()

    def _prepare(self, connection: Any, _record: object) -> None:
        connection.execute(LIMITS)
        self.connections += 1

    def draw_items(self, cursor: Any, count: int) -> list[int]:
        """Draw from a sequence, which does not block; ids rise in each stream, whose lock the caller has."""
        rows = cursor.execute(
            "SELECT nextval('item_numbers') FROM generate_series(1, %(count)s)", {"count": count}
        ).fetchall()
        return sorted(number for (number,) in rows)

    def number_items(self, cursor: Any) -> None:
        """Create the sequence, or move it on."""
        cursor.execute("CREATE SEQUENCE IF NOT EXISTS item_numbers AS integer")
        cursor.execute(
            "SELECT setval('item_numbers', greatest(1, (SELECT max(item) FROM journal), "
            "(SELECT max(version) FROM journal), (SELECT last_value FROM item_numbers)))"
        )

    def skip_items(self, cursor: Any) -> None:
        """Move the sequence on by more than can have been drawn in the lost time."""
        cursor.execute(f"SELECT setval('item_numbers', (SELECT last_value FROM item_numbers) + {SKIPPED})")

    def hold(self, cursor: Any, streams: Mapping[str, bool]) -> None:
        """Lock the streams in one statement and in a fixed order, which prevents deadlocks."""
        keys: dict[int, bool] = {}
        for name, is_written in streams.items():
            key = _key(name)
            keys[key] = keys.get(key, False) or is_written
        ordered = sorted(keys.items())
        cursor.execute(HOLD, {"keys": [key for key, _ in ordered], "written": [each for _, each in ordered]})

    def at_once(self, cursor: Any) -> contextlib.AbstractContextManager[object]:
        """Use PostgreSQL's pipeline mode, to hold the locks of the transaction for a shorter time."""
        pipeline: contextlib.AbstractContextManager[object] = cursor.connection.pipeline()
        return pipeline

    def hold_tables(self, cursor: Any) -> None:
        """Lock the journal's table against writers, without time limits; readers are not blocked."""
        _take_time(cursor)
        cursor.execute("LOCK TABLE journal IN SHARE ROW EXCLUSIVE MODE")

    def announce(self, streams: Iterable[str]) -> None:
        """Send NOTIFY in a separate thread, which combines the streams of `NOTIFY_EVERY` seconds."""
        with self._beginning:
            self._grown.update(streams)
            if self._announcing is None:
                self._announcing = threading.Thread(
                    target=self._announce, name="overtrick-notify", daemon=True
                )
                self._announcing.start()
        self._has_grown.set()

    def _announce(self) -> None:
        while True:
            self._has_grown.wait()
            self._has_grown.clear()
            with self._beginning:
                grown, self._grown = sorted(self._grown), set()
            while grown:
                size, some = 0, list[str]()
                while grown and size < LONGEST_NOTE:
                    some.append(grown.pop())
                    size += len(some[-1].encode()) + 1
                # If this fails, followers find the facts at their next regular read.
                with contextlib.suppress(JournalError):
                    self.rows(NOTIFY, {"channel": CHANNEL, "streams": "\n".join(some)})
            if self._stopped.wait(NOTIFY_EVERY):
                return

    def listen(self, wake: Callable[[list[str]], None]) -> None:
        """Run LISTEN in a separate thread; if that fails, followers still read once a second."""
        with self._beginning:
            if self._listening is None:
                self._listening = threading.Thread(
                    target=self._listen, args=(wake,), name="overtrick-listen", daemon=True
                )
                self._listening.start()

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
        if len(self._password) > SHORT:
            words = words.replace(self._password, "***")
        state = getattr(cause, "sqlstate", None) or ""
        if state.startswith("XX"):
            return DamagedJournal(f"This journal is damaged ({words}).", where=self.name)
        if state == LOCK_TIMEOUT:
            return StreamLocked(
                f"Another node has locked what this is about ({words}); nothing was written.", where=self.name
            )
        if not state or state.startswith(UNREACHED):
            return JournalUnavailable(
                f"The journal does not answer ({words}); nothing was written.", where=self.name
            )
        return JournalUnavailable(
            f"The database could not be used ({words}); nothing was written.", where=self.name
        )

    def is_undone(self, error: Exception) -> bool:
        """Return whether the server itself refused, and not because it or the connection was going down."""
        state = getattr(error, "sqlstate", None) or ""
        return bool(state) and not state.startswith(("08", "57P", "58", "XX"))

    def limit_wait(self, cursor: Any, seconds: float) -> None:
        """Set PostgreSQL's lock_timeout."""
        cursor.execute(f"SET LOCAL lock_timeout = {round(seconds * 1000)}")

    def check(self) -> None:
        """Do nothing: PostgreSQL has its own checks (data checksums, pg_amcheck)."""

    def backup(self, path: Path) -> None:
        """Raise JournalError, which names the tools for a database."""
        raise JournalError(
            "A journal in PostgreSQL is backed up with pg_dump, or exported to a portable file; nothing was copied.",
            where=self.name,
        )

    def close(self) -> None:
        """Stop the threads and close every connection."""
        self._stopped.set()
        self._has_grown.set()
        if self._announcing is not None:
            self._announcing.join(timeout=5)
        self._reach.close()
        self.documents.close()
        if self._listening is not None:
            self._listening.join(timeout=5)  # it may wait for a server that does not answer
        super().close()


def open_postgres(url: str, *, create: bool) -> PostgresEngine:
    """Open the journal in a database; create or migrate its tables. On an error the database is not changed."""
    engine = PostgresEngine(url)
    try:
        connection = engine.connect()
        with contextlib.closing(connection):
            _bring_up_to_date(engine, connection.cursor(), create=create)
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


def _bring_up_to_date(engine: PostgresEngine, cursor: Any, *, create: bool) -> None:
    cursor.execute(engine.begin)
    try:
        _take_time(cursor)
        cursor.execute("SELECT pg_advisory_xact_lock(%(key)s)", {"key": OPENING})
        journal, form = cursor.execute(
            "SELECT to_regclass('journal'), to_regclass('journal_format')"
        ).fetchone()
        if form is None:
            _create(engine, cursor, taken=journal is not None, create=create)
        else:
            _upgrade_tables(engine, cursor)
        if cursor.execute("SELECT to_regclass('documents')").fetchone() == (None,):
            cursor.execute(CREATE_DOCUMENTS)
        cursor.execute("COMMIT")
    except BaseException:
        with contextlib.suppress(*engine.failures):
            cursor.execute("ROLLBACK")
        raise
    finally:
        del cursor.connection.silence


def _create(engine: PostgresEngine, cursor: Any, *, taken: bool, create: bool) -> None:
    if taken:
        raise NotAJournal(
            "This database has a table 'journal' of another program; it was left.", where=engine.name
        )
    if not create:
        raise NotAJournal("There is no journal here.", where=engine.name)
    create_tables(engine, cursor)
    cursor.execute(engine.spell(CreateTable(_format)))
    cursor.execute(engine.spell(insert(_format)), {"version": FORMAT})


def _upgrade_tables(engine: PostgresEngine, cursor: Any) -> None:
    found = cursor.execute(engine.spell(select(_format.c.version))).fetchall()
    if len(found) != 1 or found[0][0] < 1:
        raise DamagedJournal(
            "The format of this journal is not told; it was left as it was.", where=engine.name
        )
    version: int = found[0][0]
    if version > FORMAT:
        raise NewerJournal(
            f"This journal has format {version}; this Overtrick knows formats up to {FORMAT}. "
            "Use a newer Overtrick; the database was left as it was.",
            where=engine.name,
        )
    if version < FORMAT:
        migrate(engine, cursor, version)
        cursor.execute(engine.spell(update(_format)), {"version": FORMAT})


def _take_time(cursor: Any) -> None:
    """Lift the time limits of the open transaction, and allow it long waits for locks."""
    cursor.execute(
        f"SET LOCAL statement_timeout = 0; SET LOCAL idle_in_transaction_session_timeout = 0; "
        f"SET LOCAL lock_timeout = {round(OPENING_LASTS * 1000)}"
    )
    cursor.connection.silence = None


def _key(name: str) -> int:
    """Return the key of a stream's advisory lock; streams with the same key only wait for each other."""
    return int.from_bytes(hashlib.blake2b(name.encode(), digest_size=8).digest(), signed=True)
