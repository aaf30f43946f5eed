"""The folder that a scoring program and BMPFTP share: file names, its lock, and writing that survives a crash.

Handles names and bytes; does not depend on what any file contains.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from overtrick.bmpftp import number_file, result_file, session_file, setup_file
from overtrick.errors import BadInput, OvertrickError
from overtrick.files import sync_folder, write_file
from overtrick.jet.locks import locked


class FolderRefused(OvertrickError):
    """A folder or file that could not be read or written; nothing was half-written."""

    code = "bmpftp-folder"


@dataclass(frozen=True, slots=True)
class Folder:
    """The folder and the paths of its files."""

    path: Path

    @property
    def session(self) -> Path:
        """Return the `.bws` file that is shared with the control program."""
        return self.path / session_file.NAME

    @property
    def results(self) -> Path:
        """Return the result file, which the scoring program reads, and deletes when it wants more."""
        return self.path / result_file.NAME

    @property
    def numbers(self) -> Path:
        """Return the file of players' numbers."""
        return self.path / number_file.NAME

    @property
    def making(self) -> Path:
        """Return the temporary file of results; it is gone once they have been delivered."""
        return self.path / "BMRData.tmp"

    @property
    def batch(self) -> Path:
        """Return the file of the batch that is being delivered."""
        return self.path / "BMRData.batch"

    @property
    def movement(self) -> Path:
        """Return the file of a pending movement update."""
        return self.path / "BMPFTP.movement"

    @property
    def memory(self) -> Path:
        """Return the file of remembered options."""
        return self.path / "BMPFTP.json"

    @property
    def setup(self) -> Path:
        """Return the setup file in any spelling: DOS has no small letters."""
        exact = self.path / setup_file.NAME
        if exact.exists():
            return exact
        with told(self.path):
            for each in sorted(self.path.iterdir()):
                if each.name.casefold() == setup_file.NAME.casefold():
                    return each
        return exact

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Hold the folder's lock: no other BMPFTP works in it meanwhile."""
        where = self.path / "BMPFTP.lock"
        if not self.path.is_dir():
            raise BadInput("There is no such folder.", where=str(self.path))
        with told(where):
            fd = os.open(where, os.O_RDWR | os.O_CREAT, 0o666)
        try:
            with locked(fd, where.name, alone=True):
                yield
        finally:
            os.close(fd)


@contextmanager
def told(path: Path) -> Iterator[None]:
    """Turn an OSError into FolderRefused with a sentence that names the file."""
    try:
        yield
    except OSError as error:
        raise FolderRefused(f"It cannot be read or written: {error.strerror}.", where=str(path)) from None


def read_file(path: Path) -> bytes:
    """Return the bytes of a file."""
    with told(path):
        return path.read_bytes()


def rename_durably(old: Path, new: Path) -> None:
    """Rename a file in one durable step, replacing any other."""
    with told(new):
        os.replace(old, new)  # noqa: PTH105
        sync_folder(new.parent)


def replace_durably(path: Path, content: bytes) -> None:
    """Write a file durably: it is complete, or as it was before."""
    with told(path):
        write_file(path, content)


def remove_durably(path: Path) -> None:
    """Remove a file durably, if it exists."""
    with told(path):
        if path.exists():
            os.unlink(path)  # noqa: PTH108
            sync_folder(path.parent)
