"""The folder that a scoring program and BMPFTP share: its files, who works in it, and writing that survives a crash.

Knows names and bytes, and not what is in any file.
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
    """The folder or a file in it could not be read or written; nothing was changed by halves."""

    code = "bmpftp-folder"


@dataclass(frozen=True, slots=True)
class Folder:
    """The folder, and where everything is in it."""

    path: Path

    @property
    def session(self) -> Path:
        """The `.bws` file that is shared with the control program."""
        return self.path / session_file.NAME

    @property
    def results(self) -> Path:
        """What the scoring program reads, and deletes when it wants more."""
        return self.path / result_file.NAME

    @property
    def numbers(self) -> Path:
        """The numbers of players."""
        return self.path / number_file.NAME

    @property
    def making(self) -> Path:
        """The results while they are written; gone once they have been delivered."""
        return self.path / "BMRData.tmp"

    @property
    def batch(self) -> Path:
        """What is being delivered."""
        return self.path / "BMRData.batch"

    @property
    def movement(self) -> Path:
        """The update of the movement that was asked for, until it is done."""
        return self.path / "BMPFTP.movement"

    @property
    def memory(self) -> Path:
        """What was chosen for this folder, and which control program was started."""
        return self.path / "BMPFTP.json"

    @property
    def setup(self) -> Path:
        """What the scoring program sets the session up with, however it spells the name: DOS has no small letters."""
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
        """While this is held, no other BMPFTP works in the folder."""
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
    """What the disk refuses becomes a sentence that names the file."""
    try:
        yield
    except OSError as error:
        raise FolderRefused(f"It cannot be read or written: {error.strerror}.", where=str(path)) from None


def read_file(path: Path) -> bytes:
    """The bytes of a file."""
    with told(path):
        return path.read_bytes()


def rename_durably(old: Path, new: Path) -> None:
    """Give a file another name in one step, in the place of a file that has it."""
    with told(new):
        os.replace(old, new)  # noqa: PTH105
        sync_folder(new.parent)


def replace_durably(path: Path, content: bytes) -> None:
    """Write a file that is there whole or as it was."""
    with told(path):
        write_file(path, content)


def remove_durably(path: Path) -> None:
    """Remove a file, if it is there."""
    with told(path):
        if path.exists():
            os.unlink(path)  # noqa: PTH108
            sync_folder(path.parent)
