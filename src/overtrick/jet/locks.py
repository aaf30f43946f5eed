"""Locks on the file: those between Overtrick processes, and the lock file that Access leaves beside it.

Overtrick processes lock the database file itself, shared to read and alone to write, as long as one change
takes. Access keeps a lock file (`.ldb`) beside an open database, with a record of 64 bytes for each user:
32 with the name of the computer, 32 with the name of the user, each ended by a zero.

On Windows, the database is open in Access if the lock file cannot be renamed, because Access holds it open. Other
systems have no such test, so a lock file that names a user counts. Access deletes it when its last user closes the
database; one that a crash left behind has to be deleted by hand.
"""

import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from overtrick.jet.errors import InUseByAccess, ReadOnlyAccessFile

_RECORD = 64
_LOCK_TIMEOUT = 10.0
_PAUSE = 0.005
_FAR_BYTE = 0x7FFF0000
"""The byte that is locked on Windows: no file of Access is that long, so the lock blocks no reader."""


@dataclass(frozen=True, slots=True)
class AccessUser:
    """One record of Access's lock file."""

    computer: str
    user: str

    def __str__(self) -> str:
        return f"{self.user} on {self.computer}" if self.user else self.computer


def lock_file_of(path: Path) -> Path:
    """Return the path of Access's lock file for a database.

    >>> lock_file_of(Path("evening.bws")).name
    'evening.ldb'
    """
    return path.with_suffix(".ldb")


def access_users(path: Path) -> list[AccessUser]:
    """Return the users that Access's lock file names."""
    lock_file = lock_file_of(path)
    try:
        content = lock_file.read_bytes()[: _RECORD * 255]
    except (FileNotFoundError, NotADirectoryError):
        return []
    except OSError:
        # A lock file that cannot even be read is in use.
        return [AccessUser("another computer", "")]
    if sys.platform == "win32" and _can_be_renamed(lock_file):
        return []
    users = []
    for offset in range(0, len(content), _RECORD):
        record = content[offset : offset + _RECORD]
        computer, user = (_name(record[:32]), _name(record[32:]))
        if computer:
            users.append(AccessUser(computer, user))
    return users


def _name(raw: bytes) -> str:
    return raw.split(b"\0")[0].decode("cp1252", "replace").strip()


def _can_be_renamed(lock_file: Path) -> bool:
    try:
        lock_file.rename(lock_file)
    except OSError:
        return False
    return True


def refuse_if_in_access(path: Path) -> None:
    """Raise InUseByAccess if Access has the database open."""
    users = access_users(path)
    if users:
        names = " and ".join(dict.fromkeys(map(str, users)))
        raise InUseByAccess(
            f"The database is open in Access or a program that uses it ({names}), so it can only be read. "
            f"If nobody has it open, delete {lock_file_of(path).name}.",
            where=path.name,
        )


if sys.platform == "win32":
    import msvcrt

    def try_lock(fd: int, *, alone: bool) -> bool:
        """Try to lock a file; return whether it worked. The lock ends with the process that holds it."""
        os.lseek(fd, _FAR_BYTE, os.SEEK_SET)
        try:
            msvcrt.locking(fd, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

    def _unlock(fd: int) -> None:
        os.lseek(fd, _FAR_BYTE, os.SEEK_SET)
        msvcrt.locking(fd, msvcrt.LK_UNLCK, 1)

else:
    import fcntl

    def try_lock(fd: int, *, alone: bool) -> bool:
        """Try to lock a file; return whether it worked. The lock ends with the process that holds it."""
        try:
            fcntl.flock(fd, (fcntl.LOCK_EX if alone else fcntl.LOCK_SH) | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        except OSError:
            # A file system without locks: continue without one.
            return True
        return True

    def _unlock(fd: int) -> None:
        try:
            fcntl.flock(fd, fcntl.LOCK_UN)
        except OSError:
            return


@contextmanager
def locked(fd: int, where: str, *, alone: bool) -> Iterator[None]:
    """Hold the file, shared with other readers or alone; wait a while for others to finish."""
    deadline = time.monotonic() + _LOCK_TIMEOUT
    while not try_lock(fd, alone=alone):
        if time.monotonic() > deadline:
            raise ReadOnlyAccessFile(
                "Another Overtrick process has been writing to the file for ten seconds; try again.",
                where=where,
            )
        time.sleep(_PAUSE)
    try:
        yield
    finally:
        _unlock(fd)
