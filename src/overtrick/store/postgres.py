"""The journal in a PostgreSQL database, where several nodes write and follow it. Knows no fact.

Writers of one stream wait for each other on an advisory lock until COMMIT, so versions become visible in
their order and nobody's transaction fails on somebody else's. NOTIFY wakes the followers of every node
with the stream's name.
"""

import contextlib
import hashlib
import threading
from collections.abc import Callable, Iterable
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
from sqlalchemy.schema import CreateTable

from overtrick.errors import BadInput
from overtrick.store.address import without_password
from overtrick.store.documents import CREATE as CREATE_DOCUMENTS
from overtrick.store.documents import DatabaseDocuments
from overtrick.store.errors import (
    DamagedJournal,
    JournalError,
    JournalUnavailable,
    NewerJournal,
    NotAJournal,
)
from overtrick.store.ground import Ground, create_tables
from overtrick.store.migrations import migrate
from overtrick.store.tables import FORMAT

CHANNEL = "overtrick"
OPENING = 0x4F76546B
"""The advisory lock of whoever makes the tables or changes their form."""

GATE = OPENING + 1
"""The advisory lock that all writers share, and that whoever must be alone has for himself."""

CONNECTING = 10
"""Seconds to wait for a server that does not answer, where the address does not say how many."""

SHORT = 3
"""A password of so many characters may be part of any word, and is not looked for in a sentence."""

_format = Table("journal_format", MetaData(), Column("version", Integer, nullable=False))


class PostgresGround(Ground):
    """A journal in a database."""

    begin = "BEGIN"
    absence_is_final = True

    def __init__(self, url: str) -> None:
        try:
            import psycopg
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
        self.failures = (psycopg.Error, DBAPIError)
        timeout = {} if "connect_timeout" in address.query else {"connect_timeout": CONNECTING}
        engine = create_engine(
            address,
            isolation_level="AUTOCOMMIT",
            pool_pre_ping=True,
            max_overflow=-1,
            connect_args=timeout,
        )
        event.listen(engine, "connect", _insist_on_durability)
        super().__init__(engine)
        self.documents: DatabaseDocuments = DatabaseDocuments(self)
        self._listening: threading.Thread | None = None
        self._beginning = threading.Lock()
        self._stopped = threading.Event()

    def hold(self, cursor: Any, names: Iterable[str]) -> None:
        """Wait for other writers of these, always in the same order, so that nobody waits in a ring."""
        cursor.execute("SELECT pg_advisory_xact_lock_shared(%(gate)s)", {"gate": GATE})
        keys = sorted({_key(name) for name in names})
        cursor.execute(
            "SELECT pg_advisory_xact_lock(key) FROM unnest(%(keys)s::bigint[]) AS key", {"keys": keys}
        )

    def hold_all(self, cursor: Any) -> None:
        """Wait for every writer at the gate that each of them goes through first."""
        cursor.execute("SELECT pg_advisory_xact_lock(%(gate)s)", {"gate": GATE})

    def announce(self, cursor: Any, streams: Iterable[str]) -> None:
        """NOTIFY, which PostgreSQL sends at COMMIT and not before."""
        for stream in streams:
            cursor.execute(
                "SELECT pg_notify(%(channel)s, %(stream)s)", {"channel": CHANNEL, "stream": stream}
            )

    def listen(self, wake: Callable[[list[str]], None]) -> None:
        """LISTEN in a thread of its own; when it cannot, followers still look once a second."""
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
                            wake([note.payload])
            self._stopped.wait(1.0)

    def explain(self, error: Exception) -> JournalError:
        """The sentence for what PostgreSQL or its driver raised."""
        cause = getattr(error, "orig", None) or error
        words = " ".join(str(cause).split())
        if len(self._password) > SHORT:
            words = words.replace(self._password, "***")
        if (getattr(cause, "sqlstate", None) or "").startswith("XX"):
            return DamagedJournal(f"This journal is damaged ({words}).", where=self.name)
        return JournalUnavailable(
            f"The database could not be used ({words}); nothing was written.", where=self.name
        )

    def is_undone(self, error: Exception) -> bool:
        """True if the server itself refused, and not because it or the connection to it was going away."""
        state = getattr(error, "sqlstate", None) or ""
        return bool(state) and not state.startswith(("08", "57P", "58", "XX"))

    def limit_wait(self, cursor: Any, seconds: float) -> None:
        """Set PostgreSQL's limit of waiting for a lock."""
        cursor.execute(f"SET LOCAL lock_timeout = {round(seconds * 1000)}")

    def check(self) -> None:
        """Nothing: PostgreSQL has its own (data checksums, pg_amcheck)."""

    def backup(self, path: Path) -> None:
        """Say how: a database has its own tools, which keep far more than one file could."""
        raise JournalError(
            "A journal in PostgreSQL is backed up with pg_dump, or exported to a portable file; nothing was copied.",
            where=self.name,
        )

    def close(self) -> None:
        """Stop listening and let go of every connection."""
        self._stopped.set()
        self.documents.close()
        if self._listening is not None:
            self._listening.join(timeout=5)  # it may be waiting for a server that does not answer
        super().close()


def open_postgres(url: str, *, create: bool) -> PostgresGround:
    """The journal in a database, new or not, in today's form; or a sentence, and the database is left as it was."""
    ground = PostgresGround(url)
    try:
        connection = ground.connect()
        with contextlib.closing(connection):
            _bring_up_to_date(ground, connection.cursor(), create=create)
    except ground.failures as error:
        ground.close()
        raise ground.explain(error) from error
    except UnicodeError:
        ground.close()
        raise BadInput("This is not the address of a database.", where=ground.name) from None
    except BaseException:
        ground.close()
        raise
    return ground


def _bring_up_to_date(ground: PostgresGround, cursor: Any, *, create: bool) -> None:
    cursor.execute(ground.begin)
    try:
        cursor.execute("SELECT pg_advisory_xact_lock(%(key)s)", {"key": OPENING})
        journal, form = cursor.execute(
            "SELECT to_regclass('journal'), to_regclass('journal_format')"
        ).fetchone()
        if form is None:
            _create(ground, cursor, taken=journal is not None, create=create)
        else:
            _lift_tables(ground, cursor)
        if cursor.execute("SELECT to_regclass('documents')").fetchone() == (None,):
            cursor.execute(CREATE_DOCUMENTS)
        cursor.execute("COMMIT")
    except BaseException:
        with contextlib.suppress(*ground.failures):
            cursor.execute("ROLLBACK")
        raise


def _create(ground: PostgresGround, cursor: Any, *, taken: bool, create: bool) -> None:
    if taken:
        raise NotAJournal(
            "This database has a table 'journal' of another program; it was left.", where=ground.name
        )
    if not create:
        raise NotAJournal("There is no journal here.", where=ground.name)
    create_tables(ground, cursor)
    cursor.execute(ground.spell(CreateTable(_format)))
    cursor.execute(ground.spell(insert(_format)), {"version": FORMAT})


def _lift_tables(ground: PostgresGround, cursor: Any) -> None:
    found = cursor.execute(ground.spell(select(_format.c.version))).fetchall()
    if len(found) != 1 or found[0][0] < 1:
        raise DamagedJournal(
            "The format of this journal is not told; it was left as it was.", where=ground.name
        )
    version: int = found[0][0]
    if version > FORMAT:
        raise NewerJournal(
            f"This journal has format {version}; this Overtrick knows formats up to {FORMAT}. "
            "Use a newer Overtrick; the database was left as it was.",
            where=ground.name,
        )
    if version < FORMAT:
        migrate(ground, cursor, version)
        cursor.execute(ground.spell(update(_format)), {"version": FORMAT})


def _insist_on_durability(connection: Any, _record: object) -> None:
    """A server may be set to acknowledge before it has written; whatever is stricter than that stays."""
    connection.execute(
        "SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off'"
    )


def _key(name: str) -> int:
    """The advisory lock of a stream or a command; two that share one only wait for each other."""
    return int.from_bytes(hashlib.blake2b(name.encode(), digest_size=8).digest(), signed=True)
