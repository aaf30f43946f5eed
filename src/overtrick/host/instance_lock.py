"""Locks between programs, above all of the control programs on a session file or a journal: one file for each
program, locked while it runs.

A journal in a database has a lease instead (`overtrick.store.lease`). `locked_alone` is for files that several programs
write, such as a published site.

The operating system releases a lock when its process ends, also when it is killed, so a lock is never stale. The
content of the file stays: it says whose tables the program handled, and from which clients it has adopted the records.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from urllib.parse import quote, unquote

from overtrick.bws.table_ownership import NOBODY, ControlPeer
from overtrick.errors import OvertrickError
from overtrick.jet.locks import try_lock
from overtrick.store import Journal
from overtrick.store.lease import Lease, is_taken
from overtrick.store.postgres import PostgresEngine

CONTROL = "control"
"""The role of the control program of a journal in a database."""


PROBE_TIME = 0.5
"""Seconds after which a lock belongs to a running program, and not to one that only checks whether it is free."""


class AlreadyRunning(OvertrickError):
    """Error: another control program has the file or the journal. Nothing was changed."""

    code = "control-running"


class LockFileUnwritable(OvertrickError):
    """Error: the lock file cannot be written."""

    code = "control-unseen"


class InstanceLock:
    """Lock of one control program on a session file that several computers may share."""

    def __init__(self, file: Path, computer: str, journal: str) -> None:
        self.computer = computer
        self._file = file
        self._path = file.with_name(f"{file.stem}.{_file_name_part(computer)}.control")
        self._journal = journal
        self._own: frozenset[int] = frozenset()
        self._clients: frozenset[int] = frozenset()
        self._fd = self._hold()
        self.known_before = _read(self._path, "known")[0].clients
        """Clients whose records our journal had at the end of the last run; empty if that left no lock file."""
        self._known: frozenset[int] = frozenset()
        self._departed: set[Path] = set()
        """Lock files of programs that have ended and whose records we adopt."""
        for other, journal_there in self._running():
            if journal_there == journal:
                self.close()
                raise AlreadyRunning(
                    f"{other.computer} already runs the control software with this journal. A second one on the same "
                    "file needs its own: give it a name with --computer, or a --journal.",
                    where=journal,
                )
        self.announce(frozenset(), frozenset())

    def _hold(self) -> int:
        fd = _hold(self._path, PROBE_TIME)
        if fd is None:
            raise AlreadyRunning(
                f"{self.computer} already runs the control software on this file. "
                "Only one can run for each computer.",
                where=str(self._file),
            )
        return fd

    def peers(self) -> list[ControlPeer]:
        """Return the other control programs that are running."""
        return [peer for peer, _ in self._running()]

    def _running(self) -> Iterator[tuple[ControlPeer, str]]:
        for path in self._others():
            try:
                fd = os.open(path, os.O_RDWR)
            except OSError:
                continue
            try:
                if not try_lock(fd, alone=False):
                    yield _read(path)
            finally:
                os.close(fd)

    def _others(self) -> Iterator[Path]:
        start, end = f"{self._file.stem}.", ".control"
        for path in sorted(self._file.parent.iterdir()):
            name = path.name
            if not (name.startswith(start) and name.endswith(end)) or path == self._path:
                continue
            # `_file_name_part` leaves no point in a computer name: one means the lock file of another session file.
            if "." not in name.removeprefix(start).removesuffix(end):
                yield path

    def announce(self, clients: frozenset[int], own: frozenset[int]) -> None:
        """Publish the clients whose tables we handle; `own` are those of this computer.

        The caller has locked the session file.
        """
        self._clients, self._own = clients, own
        self._known &= clients
        self._write()

    def note_known(self) -> None:
        """Publish that our journal has what others recorded at our tables. The caller has locked the session file."""
        self._known = self._clients
        self._write()

    def _write(self) -> None:
        content = {"journal": self._journal, "clients": sorted(self._clients), "known": sorted(self._known)}
        words = json.dumps(content).encode()
        os.ftruncate(self._fd, 0)
        os.lseek(self._fd, 0, os.SEEK_SET)
        os.write(self._fd, words)

    def departed(self) -> frozenset[int]:
        """Return the clients whose tables were handled by programs that have ended."""
        clients: set[int] = set()
        for path in self._others():
            with suppress(OSError):
                fd = os.open(path, os.O_RDWR)
                try:
                    if try_lock(fd, alone=True):
                        clients |= _read(path)[0].clients
                        self._departed.add(path)
                finally:
                    os.close(fd)
        return frozenset(clients)

    def forget_departed(self) -> None:
        """Delete the lock files that `departed` found, once their records are in our journal.

        The caller has locked the session file.
        """
        for path in self._departed:
            with suppress(OSError):
                fd = os.open(path, os.O_RDWR)
                try:
                    if try_lock(fd, alone=True):
                        path.unlink()
                finally:
                    os.close(fd)
        self._departed.clear()

    def close(self) -> None:
        """Release the lock. The file stays if it names tables of others, for the next program to read."""
        if self._fd >= 0:
            if self._clients <= self._own | {NOBODY}:
                with suppress(OSError):
                    self._path.unlink()
            os.close(self._fd)
            self._fd = -1


@contextmanager
def locked_alone(path: Path, wait: float) -> Iterator[bool]:
    """Hold a lock file during the block, then delete it; yield False if another program holds it for `wait` seconds."""
    fd = _hold(path, wait)
    try:
        yield fd is not None
    finally:
        if fd is not None:
            with suppress(OSError):  # Windows deletes no open file; it stays, unlocked
                path.unlink()
            os.close(fd)


def _hold(path: Path, wait: float) -> int | None:
    """Create and lock a file, and return its descriptor; None if another program held it for `wait` seconds."""
    while True:
        fd = _open_lock_file(path)
        if not _lock(fd, wait):
            os.close(fd)
            return None
        # A program that has just ended unlinks its file: retry unless we locked the inode that is at the path.
        with suppress(OSError):
            if os.path.samestat(os.fstat(fd), path.stat()):
                return fd
        os.close(fd)


def _lock(fd: int, wait: float = PROBE_TIME) -> bool:
    """Lock a file for this program; return False if another program keeps it locked for `wait` seconds.

    A program that only checks whether the lock is free holds it for an instant.
    """
    deadline = time.monotonic() + wait
    while not try_lock(fd, alone=True):
        if time.monotonic() > deadline:
            return False
        time.sleep(0.01)
    return True


def _open_lock_file(path: Path) -> int:
    try:
        return os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
    except OSError as error:
        raise LockFileUnwritable(
            f"The lock file cannot be written: {error.strerror}.",
            where=str(path),
        ) from None


def _file_name_part(computer: str) -> str:
    """Return the name of a computer as a part of a file name, without a point.

    >>> _file_name_part("desk.club.example"), _file_name_part("CLUB PC")
    ('desk%2Eclub%2Eexample', 'CLUB%20PC')
    """
    return quote(computer, safe="").replace(".", "%2E")


def _read(path: Path, key: str = "clients") -> tuple[ControlPeer, str]:
    """Return the peer that a lock file is about, and its journal.

    While the file is being written, the peer has no clients and the journal is empty.
    """
    computer = unquote(path.name.removesuffix(".control").rpartition(".")[2])
    try:
        content = json.loads(path.read_bytes())
        return ControlPeer(computer, frozenset(map(int, content[key]))), str(content["journal"])
    except (OSError, ValueError, KeyError, TypeError):
        return ControlPeer(computer), ""


@contextmanager
def control_lock(journal: Path | Journal) -> Iterator[Callable[[], bool]]:
    """Try to become the control program of a journal while the block runs.

    Yield a function that returns whether this process is the control program. For a file, that does not change during
    the block; a lease in a database can be got or lost at any time.
    """
    if isinstance(journal, Journal) and isinstance(journal.engine, PostgresEngine):
        lease = Lease(journal.engine, CONTROL)
        try:
            yield lambda: lease.is_held
        finally:
            lease.close()
        return
    fd = _open_lock_file(_lock_path(journal))
    try:
        is_alone = _lock(fd)
        yield lambda: is_alone
    finally:
        os.close(fd)


def is_controlled(journal: Path | Journal) -> bool:
    """Return whether a control program runs on a journal."""
    if isinstance(journal, Journal) and isinstance(journal.engine, PostgresEngine):
        return is_taken(journal.engine, CONTROL)
    try:
        fd = os.open(_lock_path(journal), os.O_RDWR)
    except OSError:
        return False
    try:
        return not try_lock(fd, alone=False)
    finally:
        os.close(fd)


def _lock_path(journal: Path | Journal) -> Path:
    path = Path(journal.name) if isinstance(journal, Journal) else journal
    return path.with_name(f"{path.name}.control")


@contextmanager
def hold_instance(file: Path, computer: str, journal: str) -> Iterator[InstanceLock]:
    """Hold the lock of a computer's control program on a session file while the block runs.

    Raises AlreadyRunning if it is taken, or if a program on this file uses the same journal.
    """
    instance = InstanceLock(file, computer, journal)
    try:
        yield instance
    finally:
        instance.close()
