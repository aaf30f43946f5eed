"""The journal in one SQLite file, which is recognised, opened, migrated and copied here. Has no dependency on facts.

A file is inspected before it is opened for writing, so that a refused file is not changed: first its header of 100
bytes, then, read-only, its tables. An acknowledged fact is on the disk: WAL with synchronous=FULL syncs the log at
every COMMIT (and on a Mac fullfsync makes the drive itself write).
"""

import contextlib
import os
import shutil
import sqlite3
import struct
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic, sleep
from typing import Any

from sqlalchemy import create_engine
from sqlalchemy.pool import QueuePool

from overtrick.files import replacing
from overtrick.store.documents import FolderDocuments
from overtrick.store.engine import JournalEngine, Row, Statement, create_tables
from overtrick.store.errors import (
    DamagedJournal,
    JournalError,
    JournalUnavailable,
    NewerJournal,
    NotAJournal,
)
from overtrick.store.migrations import migrate, tables_of
from overtrick.store.tables import FORMAT, journal

APPLICATION_ID = int.from_bytes(b"OvTk")
MAGIC = b"SQLite format 3\0"
DURABLE = ("synchronous = FULL", "fullfsync = 1", "checkpoint_fullfsync = 1")
FAILURES = (sqlite3.Error, UnicodeDecodeError)
"""The exceptions of SQLite's driver; UnicodeDecodeError if a text in a damaged file is not UTF-8."""

INSERT_FACT = f"INSERT INTO journal VALUES ({', '.join('?' * len(journal.c))})"

ROLLBACK_MODE = 1
"""Byte 18 of the header of a file that is not in WAL mode, such as the copies that `backup` makes."""

BUSY_TIMEOUT = 10.0
"""Seconds to wait for another process that is writing."""

MAX_CHECKED_AT_OPEN = 64 * 1024 * 1024
"""A file up to this size, in bytes, is checked page by page when it is opened; a larger one only by `check`."""


class SqliteEngine(JournalEngine):
    """A journal in a file."""

    failures = FAILURES
    change_counter_sql = "PRAGMA data_version"

    def __init__(self, path: Path, *, name: str = "", connect: Callable[[Path], sqlite3.Connection]) -> None:
        self.path = path
        self.name = name or str(path)
        self.address = str(Path(self.name).absolute())
        self.documents = FolderDocuments(Path(self.name).parent)
        self.closing = contextlib.ExitStack()
        """Clean-up after the last connection is closed."""
        sql_engine = create_engine(
            "sqlite://",
            creator=lambda: connect(path),
            poolclass=QueuePool,
            max_overflow=-1,
            paramstyle="named",
        )
        super().__init__(sql_engine)

    def insert_facts(self, cursor: Any, rows: Sequence[Row], items: int) -> None:
        """Give items the ids after the highest one; the transaction excludes other writers."""
        if items:
            ((last,),) = cursor.execute("SELECT max(item) FROM journal").fetchall()
            if last is None:
                ((last,),) = cursor.execute("SELECT coalesce(max(version), 0) FROM streams").fetchall()
            numbers = count(last + 1)
            rows = [(*row[:-1], next(numbers)) if row[-1] else row for row in rows]
        cursor.executemany(INSERT_FACT, rows)

    def number_items(self, cursor: Any) -> None:
        """Do nothing: the next id follows from the rows."""

    def skip_items(self, cursor: Any) -> None:
        """Do nothing: a file is not set back while it is in use."""

    def begin(
        self,
        cursor: Any,
        streams: Mapping[str, bool] | None = None,
        lock_timeout: float | None = None,
        queries: Iterable[Statement] = (),
    ) -> list[list[Row]]:
        """Exclude all other writers of the file, whichever the streams; wait for them up to `BUSY_TIMEOUT` seconds."""
        cursor.execute("BEGIN IMMEDIATE")
        return [cursor.execute(sql, parameters or ()).fetchall() for sql, parameters in queries]

    def lock_tables(self, cursor: Any) -> None:
        """Do nothing: BEGIN IMMEDIATE excludes all other writers."""

    def announce(self, streams: Iterable[str]) -> None:
        """Do nothing: followers in other processes read once a second."""

    def listen(self, wake: Callable[[list[str]], None]) -> None:
        """Do nothing: SQLite has no notifications."""

    def explain(self, error: Exception) -> JournalError:
        """Return the JournalError for an error of SQLite."""
        return _explain(error, self.name)

    def is_rolled_back(self, error: Exception) -> bool:
        """Return whether SQLite refused the COMMIT.

        After a disk error the answer is False: the log may contain the whole transaction, which a restart recovers.
        """
        name = getattr(error, "sqlite_errorname", "")
        return name.startswith(
            ("SQLITE_BUSY", "SQLITE_LOCKED", "SQLITE_FULL", "SQLITE_READONLY", "SQLITE_CONSTRAINT")
        )

    def check(self) -> None:
        """Run SQLite's check of every page, row and index."""
        _check_pages(self.path, "integrity_check")

    def backup(self, path: Path) -> None:
        """Copy the file with SQLite's online backup, which does not block other connections."""
        copy_journal(self.path, path)

    def write_log_back(self) -> bool:
        """Checkpoint the write-ahead log; return whether the file alone contains everything now."""
        try:
            with contextlib.closing(
                sqlite3.connect(self.path, timeout=0, isolation_level=None)
            ) as connection:
                is_busy, frames, written = connection.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchone()
        except FAILURES:
            return False
        return not is_busy and bool(frames == written)

    def close(self) -> None:
        """Close every connection."""
        super().close()
        self.closing.close()


def open_sqlite(path: Path, *, create: bool) -> SqliteEngine:
    """Open the journal in a file; create it if there is none and `create` is set, or migrate its tables.

    A file that cannot be written is opened for reading. Raises JournalError; the file is then unchanged.
    """
    version = _recognise(path)
    if version is None and not create:
        raise NotAJournal("There is no journal here.", where=str(path))
    if version is not None and not _is_writable(path):
        return _open_to_read(path)
    if version is not None and _rollback_log(path).exists():
        _roll_back(path)
        version = _recognise(path)
    if version is not None:
        _check_tables(path)
    _make_private(path)
    engine = SqliteEngine(path, connect=_connect)
    try:
        _prepare_tables(engine)
    except FAILURES as error:
        engine.close()
        raise engine.explain(error) from error
    except BaseException:
        engine.close()
        raise
    return engine


def _make_private(path: Path) -> None:
    """Make the file private to its owner before anything is written; SQLite gives its logs the same mode."""
    with contextlib.suppress(OSError):  # SQLite reports the problem when it opens the file
        if path.exists():
            if path.stat().st_mode & 0o077:
                path.chmod(0o600)
        else:
            os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))


def _is_writable(path: Path) -> bool:
    """Return whether SQLite can write the file and make its log beside it."""
    return os.access(path, os.W_OK) and os.access(path.absolute().parent, os.W_OK)


def _open_to_read(path: Path) -> SqliteEngine:
    """Open a journal that is read-only or in a read-only folder.

    If SQLite has to write before it can read (to recover the log of a killed process, or to migrate an older format),
    it does so in a temporary copy.
    """
    with contextlib.ExitStack() as stack:
        file = path
        if not _can_be_read_in_place(path):
            folder = stack.enter_context(TemporaryDirectory(prefix="overtrick-"))
            try:
                file = _copy_with_logs(path, Path(folder))
            except OSError as error:
                raise _explain(error, str(path)) from error
            open_sqlite(file, create=False).close()
        _check_tables(file)
        engine = SqliteEngine(file, name=str(path), connect=_connect_to_read)
        engine.closing.push(stack.pop_all())
        return engine


def _can_be_read_in_place(path: Path) -> bool:
    if _recognise(path) != FORMAT or _rollback_log(path).exists():
        return False
    try:
        with contextlib.closing(_connect_to_read(path)) as connection:
            connection.execute("SELECT count(*) FROM sqlite_master").fetchall()
    except sqlite3.OperationalError:
        return False
    except FAILURES as error:
        raise _explain(error, str(path)) from error
    return True


def _copy_with_logs(path: Path, folder: Path) -> Path:
    """Copy a file that is not open, with the logs that SQLite needs for recovery."""
    for file in (path, _log_files(path)[0], _rollback_log(path)):
        if file.exists():
            shutil.copyfile(file, folder / file.name)
    return folder / path.name


def copy_journal(source: Path, target: Path) -> None:
    """Copy a journal, which may be in use, to a new file; raise JournalError if the target exists."""
    try:
        with (
            replacing(target, new=True) as unfinished,
            contextlib.closing(_connect_to_read(source)) as reading,
            contextlib.closing(sqlite3.connect(unfinished)) as writing,
        ):
            unfinished.chmod(0o600)
            reading.backup(writing)
            # A copy in WAL mode would get -wal and -shm files beside it when it is opened.
            writing.execute("PRAGMA journal_mode = DELETE")
    except FileExistsError:
        raise JournalError(
            "A file with this name exists already. It was kept, and nothing was copied.", where=str(target)
        ) from None
    except (*FAILURES, OSError) as error:
        raise _explain(error, str(source)) from error


def restore_journal(backup: Path, target: Path) -> None:
    """Restore a copy made by `backup` to a path without a journal; the copy is checked completely first."""
    for file in (target, *_log_files(target)):
        if file.exists():
            raise JournalError(
                "A file with this name exists already. It was kept; move it away first.", where=str(file)
            )
    if _recognise(backup) is None:
        raise NotAJournal("There is no journal here.", where=str(backup))
    _check_tables(backup)
    _check_pages(backup, "integrity_check")
    copy_journal(backup, target)


def _connect(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path, timeout=BUSY_TIMEOUT, isolation_level=None, check_same_thread=False)
    for pragma in DURABLE:
        connection.execute(f"PRAGMA {pragma}")
    return connection


def _connect_to_read(path: Path) -> sqlite3.Connection:
    """Return a read-only connection that creates no files beside the journal."""
    wal, _ = _log_files(path)
    # If a process has the file open, there is a log beside it. If there is none, `immutable` tells SQLite that
    # nothing will change, so that it does not create -wal and -shm files.
    mode = "mode=ro" if wal.exists() else "mode=ro&immutable=1"
    address = f"{path.absolute().as_uri()}?{mode}"
    return sqlite3.connect(
        address, uri=True, timeout=BUSY_TIMEOUT, isolation_level=None, check_same_thread=False
    )


def _recognise(path: Path) -> int | None:
    """Return the format of the journal in a file, from its header; None if the file is missing or empty.

    Header layout: bytes 0-15 magic, byte 18 write version (1 rollback, 2 WAL), big-endian 32-bit words user_version
    at 60 (our format) and application_id at 68. Raises JournalError if the file cannot be a journal of Overtrick.
    """
    where = str(path)
    try:
        with path.open("rb") as file:
            header = file.read(100)
    except FileNotFoundError:
        if path.absolute().parent.is_dir():
            return None
        raise JournalError("The folder of the journal does not exist.", where=where) from None
    except OSError as error:
        raise _explain(error, where) from error
    if not header:
        return None
    if len(header) < 100 or not header.startswith(MAGIC):
        raise NotAJournal("This is not a journal of Overtrick; the file was not changed.", where=where)
    wal, _ = _log_files(path)
    if header[18] == ROLLBACK_MODE and wal.exists() and wal.stat().st_size:
        # SQLite creates the log after the header says WAL, and removes it before the header says otherwise.
        raise DamagedJournal(
            f"Beside it is the log of another journal, {wal.name}, perhaps of the one that it replaced. "
            "Move that log away first; neither file was changed.",
            where=where,
        )
    (version,) = struct.unpack_from(">I", header, 60)
    (application,) = struct.unpack_from(">I", header, 68)
    _check_header(application, version, where)
    return int(version)


def _check_header(application: int, version: int, where: str) -> None:
    if application != APPLICATION_ID:
        raise NotAJournal(
            "This is a database of another program, not a journal of Overtrick; the file was not changed.",
            where=where,
        )
    if version > FORMAT:
        raise NewerJournal(
            f"This journal has format {version}; this Overtrick knows formats up to {FORMAT}. "
            "Use a newer Overtrick; the file was not changed.",
            where=where,
        )
    if version < 1:
        raise DamagedJournal("The header of this journal is damaged; the file was not changed.", where=where)


def _check_tables(path: Path) -> None:
    """Check the tables of a journal file, and the pages of a small one, without changing it; raise JournalError."""
    where = str(path)
    try:
        with contextlib.closing(_connect_to_read(path)) as connection:
            (application,) = connection.execute("PRAGMA application_id").fetchone()
            (version,) = connection.execute("PRAGMA user_version").fetchone()
            tables = {name for (name,) in connection.execute("SELECT name FROM sqlite_master")}
            _check_header(application, version, where)
            if missing := tables_of(version) - tables:
                raise DamagedJournal(
                    f"The table {min(missing)!r} is missing; the file was not changed.", where=where
                )
    except FAILURES as error:
        raise _explain(error, where) from error
    if path.stat().st_size <= MAX_CHECKED_AT_OPEN:
        _check_pages(path, "quick_check")


def _check_pages(path: Path, pragma: str) -> None:
    where = str(path)
    try:
        with contextlib.closing(_connect_to_read(path)) as connection:
            ((finding, *_), *_) = connection.execute(f"PRAGMA {pragma}(1)").fetchall()
    except FAILURES as error:
        raise _explain(error, where) from error
    if finding != "ok":
        raise DamagedJournal(
            f"This journal is damaged ({_one_line(finding)}); it was not changed.", where=where
        )


def _prepare_tables(engine: SqliteEngine) -> None:
    """Create or migrate the tables in one transaction; then turn WAL on.

    The order matters: without WAL a new file is either empty or complete, even if the process is killed.
    """
    connection = sqlite3.connect(engine.path, timeout=BUSY_TIMEOUT, isolation_level=None)
    with contextlib.closing(connection):
        for pragma in DURABLE:
            connection.execute(f"PRAGMA {pragma}")
        cursor = connection.cursor()
        if _version(cursor) != FORMAT:
            engine.begin(cursor)
            _create_or_migrate(engine, cursor)
            cursor.execute("COMMIT")
            # The new format must be in the header of the file itself, where an older Overtrick looks.
            cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
        _turn_wal_on(cursor)


def _create_or_migrate(engine: SqliteEngine, cursor: sqlite3.Cursor) -> None:
    version = _version(cursor)  # another process may have migrated it before we got the lock
    if version == FORMAT:
        return
    if version == 0:
        create_tables(engine, cursor)
    else:
        _check_header(APPLICATION_ID, version, engine.name)
        _keep_copy(engine.path, version)
        migrate(engine, cursor, version)
    cursor.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    cursor.execute(f"PRAGMA user_version = {FORMAT}")


def _version(cursor: sqlite3.Cursor) -> int:
    (version,) = cursor.execute("PRAGMA user_version").fetchone()
    return int(version)


def _turn_wal_on(cursor: sqlite3.Cursor) -> None:
    """Turn WAL on. That needs exclusive access for a moment, for which SQLite itself does not wait."""
    deadline = monotonic() + BUSY_TIMEOUT
    while cursor.execute("PRAGMA journal_mode").fetchone() != ("wal",):
        try:
            cursor.execute("PRAGMA journal_mode = WAL").fetchone()
        except sqlite3.OperationalError:
            if monotonic() > deadline:
                raise
            sleep(0.005)


def _keep_copy(path: Path, version: int) -> None:
    """Keep a copy of the file before it is migrated."""
    for copy in _free_names(path, version):
        if not copy.exists():
            copy_journal(path, copy)
            return


def _free_names(path: Path, version: int) -> Iterator[Path]:
    yield path.with_name(f"{path.name}.format{version}")
    number = 2
    while True:
        yield path.with_name(f"{path.name}.format{version}.{number}")
        number += 1


def _roll_back(path: Path) -> None:
    """Let SQLite roll back the transaction of a process that was killed while it created or migrated this file."""
    try:
        with contextlib.closing(sqlite3.connect(path, timeout=BUSY_TIMEOUT)) as connection:
            connection.execute("SELECT count(*) FROM sqlite_master").fetchall()
    except FAILURES as error:
        raise _explain(error, str(path)) from error


def _rollback_log(path: Path) -> Path:
    return path.with_name(path.name + "-journal")


def _log_files(path: Path) -> tuple[Path, Path]:
    return path.with_name(path.name + "-wal"), path.with_name(path.name + "-shm")


def _explain(error: Exception, where: str) -> JournalError:
    name = getattr(error, "sqlite_errorname", "")
    message = _one_line(str(error))
    not_text = isinstance(error, UnicodeDecodeError) or message.startswith("Could not decode to UTF-8")
    if not_text or name.startswith(("SQLITE_CORRUPT", "SQLITE_NOTADB")):
        return DamagedJournal(f"This journal is damaged ({message}); it was not changed.", where=where)
    if name.startswith(("SQLITE_BUSY", "SQLITE_LOCKED")):
        return JournalUnavailable(
            "Another program has kept the journal busy for too long; nothing was written.", where=where
        )
    if name.startswith("SQLITE_FULL"):
        return JournalUnavailable("The disk is full; nothing was written.", where=where)
    if name.startswith(("SQLITE_READONLY", "SQLITE_CANTOPEN", "SQLITE_PERM")) or isinstance(
        error, PermissionError
    ):
        return JournalUnavailable(
            f"The journal cannot be written ({message}); nothing was changed.", where=where
        )
    if isinstance(error, OSError):
        return JournalUnavailable(f"The journal cannot be opened ({error.strerror or message}).", where=where)
    return JournalUnavailable(f"The journal could not be used ({message}); nothing was written.", where=where)


def _one_line(words: str) -> str:
    return " ".join(words.split())
