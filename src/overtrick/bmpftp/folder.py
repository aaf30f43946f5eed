"""The folder that a scoring program and BMPFTP share: its file names and lock, and durable file operations.

Handles names and bytes; has no dependency on the contents of files.
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
    """A folder or file that could not be read or written; no file is left half-written."""

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
        """Return the result file; the scoring program deletes it to get more results."""
        return self.path / result_file.NAME

    @property
    def numbers(self) -> Path:
        """Return the file of players' numbers."""
        return self.path / number_file.NAME

    @property
    def temporary(self) -> Path:
        """Return the temporary result file, which is renamed on delivery."""
        return self.path / "BMRData.tmp"

    @property
    def batch(self) -> Path:
        """Return the file that records an unfinished delivery (see `delivery`)."""
        return self.path / "BMRData.batch"

    @property
    def movement(self) -> Path:
        """Return the file that records a pending movement update."""
        return self.path / "BMPFTP.movement"

    @property
    def memory(self) -> Path:
        """Return the file with the options that are remembered for the folder."""
        return self.path / "BMPFTP.json"

    @property
    def setup(self) -> Path:
        """Return the setup file, whatever the case of its name: DOS programs write capitals."""
        exact = self.path / setup_file.NAME
        if exact.exists():
            return exact
        with folder_errors(self.path):
            for path in sorted(self.path.iterdir()):
                if path.name.casefold() == setup_file.NAME.casefold():
                    return path
        return exact

    @contextmanager
    def exclusive(self) -> Iterator[None]:
        """Hold the folder's lock, so that no other BMPFTP process works in it; raise BadInput if there is no folder."""
        lock_file = self.path / "BMPFTP.lock"
        if not self.path.is_dir():
            raise BadInput("There is no such folder.", where=str(self.path))
        with folder_errors(lock_file):
            fd = os.open(lock_file, os.O_RDWR | os.O_CREAT, 0o666)
        try:
            with locked(fd, lock_file.name, alone=True):
                yield
        finally:
            os.close(fd)


@contextmanager
def folder_errors(path: Path) -> Iterator[None]:
    """Convert an OSError in the block into a FolderRefused that names the file."""
    try:
        yield
    except OSError as error:
        raise FolderRefused(f"Reading or writing failed: {error.strerror}.", where=str(path)) from None


def read_file(path: Path) -> bytes:
    """Return the bytes of a file."""
    with folder_errors(path):
        return path.read_bytes()


def rename_durably(old: Path, new: Path) -> None:
    """Rename a file atomically and durably, replacing an existing one."""
    with folder_errors(new):
        os.replace(old, new)  # noqa: PTH105
        sync_folder(new.parent)


def replace_durably(path: Path, content: bytes) -> None:
    """Write a file durably and atomically: after a crash it is complete, or unchanged."""
    with folder_errors(path):
        write_file(path, content)


def remove_durably(path: Path) -> None:
    """Remove a file durably, if it exists."""
    with folder_errors(path):
        if path.exists():
            os.unlink(path)  # noqa: PTH108
            sync_folder(path.parent)
