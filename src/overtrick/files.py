"""Atomic writing of files: whole or not at all. Independent of formats; raises OSError as the disk does."""

import contextlib
import errno
import os
import secrets
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from overtrick.errors import BadInput

ABANDONED = 3600.0
"""Seconds without a change after which an unfinished file is one that a killed process left."""


@contextmanager
def replacing(path: Path, *, new: bool = False) -> Iterator[Path]:
    """Yield a free name for the caller to write to; when the block ends, that file becomes `path` in one step.

    If the block raises or leaves no file, or if the process is killed, `path` stays as it was. With `new`,
    FileExistsError is raised if `path` exists before or after the block.
    """
    # A symbolic link keeps leading to the file, and a device or a pipe must never be replaced by a file.
    path = Path(os.path.realpath(path))
    if path.exists():
        if new:
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(path))
        if not path.is_file():
            code = errno.EISDIR if path.is_dir() else errno.EINVAL
            raise OSError(
                code, os.strerror(code) if path.is_dir() else "it is not an ordinary file", str(path)
            )
    _remove_abandoned(path)
    unfinished = path.with_name(f".{path.name}.{secrets.token_hex(4)}.part")
    try:
        yield unfinished
        if not unfinished.exists():
            return
        sync(unfinished)
        if new:
            _take_free_name(unfinished, path)
        else:
            os.replace(unfinished, path)  # noqa: PTH105
        sync_folder(path.parent)
    except BaseException:
        unfinished.unlink(missing_ok=True)
        raise


def write_file(path: Path, content: bytes, *, mode: int = 0o666) -> None:
    """Write a file, in the place of one that is there; `mode` is that of the file from the first moment on."""

    def opener(name: str, flags: int) -> int:
        return os.open(name, flags, mode)

    with replacing(path) as unfinished, open(unfinished, "xb", opener=opener) as file:
        file.write(content)


def read_input(path: Path) -> bytes:
    """Return the content of a file that a person named; raise BadInput if it cannot be read."""
    try:
        return path.read_bytes()
    except OSError as error:
        raise BadInput(f"It cannot be read: {error.strerror}.", where=str(path)) from None


def write_output(path: Path, content: bytes) -> None:
    """Write a file that a person named, completely or not at all; raise BadInput if it cannot be written."""
    try:
        write_file(path, content)
    except OSError as error:
        raise BadInput(f"It cannot be written: {error.strerror}.", where=str(path)) from None


def sync(path: Path) -> None:
    """Wait until the content of a file is on the disk."""
    handle = os.open(path, os.O_RDWR)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def sync_folder(path: Path) -> None:
    """Wait until the names in a folder are on the disk, on file systems that can tell."""
    with contextlib.suppress(OSError):  # Windows cannot open a folder, and some file systems cannot sync one
        handle = os.open(path, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _take_free_name(unfinished: Path, path: Path) -> None:
    try:
        os.link(unfinished, path)
    except FileExistsError:
        raise
    except OSError:
        # A memory stick has no links; the name was free a moment ago, and is taken without looking again.
        os.replace(unfinished, path)  # noqa: PTH105
    else:
        unfinished.unlink()


def _remove_abandoned(path: Path) -> None:
    """Remove what processes that were killed while they wrote this file have left beside it."""
    with contextlib.suppress(OSError), os.scandir(path.parent) as entries:
        for entry in entries:
            if (
                entry.name.startswith(f".{path.name}.")
                and ".part" in entry.name
                and time.time() - entry.stat().st_mtime > ABANDONED
            ):
                os.unlink(entry.path)  # noqa: PTH108
