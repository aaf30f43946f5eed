"""Small documents beside a journal, such as its keys: files in its folder, or rows of a table in its database.

Has no dependency on the journal or on what documents contain. A document is replaced as a whole. In a database the
caller names the version that it has seen (compare and swap), so that nodes never overwrite each other's change. A file
is replaced without that check: the last writer wins.
"""

import contextlib
import threading
from collections.abc import Hashable
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from overtrick.files import write_file
from overtrick.store.errors import JournalError

if TYPE_CHECKING:
    from overtrick.store.postgres import PostgresEngine

POLL_INTERVAL = 1.0
"""Seconds between two checks whether another node has replaced a document."""

ABSENT = 0, b""
"""Version and content of a document that does not exist, so that its absence is cached too."""

CREATE = "CREATE TABLE documents (name text PRIMARY KEY, version bigint NOT NULL, content bytea NOT NULL)"
FIND = "SELECT version, content FROM documents WHERE name = %(name)s"
FIND_NEWER = "SELECT version, content FROM documents WHERE name = %(name)s AND version <> %(seen)s"
ADD = "INSERT INTO documents VALUES (%(name)s, 1, %(content)s) ON CONFLICT DO NOTHING RETURNING version"
REPLACE = (
    "UPDATE documents SET version = version + 1, content = %(content)s "
    "WHERE name = %(name)s AND version = %(seen)s RETURNING version"
)


class Documents(Protocol):
    """Documents by their names. Methods raise OSError for files, JournalError for a database."""

    def stamp(self, name: str) -> Hashable | None:
        """Return a stamp that changes with every version of a document; None if there is none."""

    def read(self, name: str) -> bytes:
        """Return the content of a document that exists."""

    def write(self, name: str, content: bytes, seen: Hashable | None) -> bool:
        """Replace the version `seen`, durably; None means that there was none.

        Return False, and change nothing, if a database has another version by now.
        """

    def place(self, name: str) -> str:
        """Return the place of a document for a sentence: a path, or a database and a name."""


class FolderDocuments:
    """Documents as files of a folder, which only their owner can read."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def stamp(self, name: str) -> Hashable | None:
        """Return inode, time and size of the file."""
        try:
            status = (self._folder / name).stat()
        except FileNotFoundError:
            return None
        return status.st_ino, status.st_mtime_ns, status.st_size

    def read(self, name: str) -> bytes:
        """Return the content of the file."""
        return (self._folder / name).read_bytes()

    def write(self, name: str, content: bytes, seen: Hashable | None) -> bool:
        """Replace the file and return True; `seen` is not compared."""
        write_file(self._folder / name, content, mode=0o600)
        return True

    def place(self, name: str) -> str:
        """Return the path of the file."""
        return str(self._folder / name)


class DatabaseDocuments:
    """Documents in a database, cached in memory: a document that was read once is available without the server."""

    def __init__(self, engine: "PostgresEngine") -> None:
        self._engine = engine
        self._lock = threading.Lock()
        self._cache: dict[str, tuple[int, bytes]] = {}
        self._stopped = threading.Event()
        self._watcher: threading.Thread | None = None

    def stamp(self, name: str) -> Hashable | None:
        """Return the version at the last check."""
        if name not in self._cache:
            self._fetch(name)
        return self._cache[name][0] or None

    def read(self, name: str) -> bytes:
        """Return the document as of the last check."""
        return self._cache[name][1]

    def write(self, name: str, content: bytes, seen: Hashable | None) -> bool:
        """Replace the row if its version is the one `seen`."""
        sql = ADD if seen is None else REPLACE
        rows = self._engine.rows(sql, {"name": name, "content": content, "seen": seen})
        if rows:
            self._cache[name] = rows[0][0], content
        else:
            self._fetch(name)
        return bool(rows)

    def place(self, name: str) -> str:
        """Return the name of the database and of the document."""
        return f"{self._engine.name} ({name})"

    def _fetch(self, name: str) -> None:
        self._cache.setdefault(name, ABSENT)
        for version, content in self._engine.rows(FIND, {"name": name}):
            self._cache[name] = version, bytes(content)
        with self._lock:
            if self._watcher is None:
                self._watcher = threading.Thread(target=self._watch, name="overtrick-documents", daemon=True)
                self._watcher.start()

    def _watch(self) -> None:
        """Check once a second whether another node has replaced a document."""
        while not self._stopped.wait(POLL_INTERVAL):
            with contextlib.suppress(JournalError):
                for name, (seen, _) in list(self._cache.items()):
                    for version, content in self._engine.rows(FIND_NEWER, {"name": name, "seen": seen}):
                        self._cache[name] = version, bytes(content)

    def close(self) -> None:
        """Stop checking."""
        self._stopped.set()
        if self._watcher is not None:
            self._watcher.join(timeout=5)
