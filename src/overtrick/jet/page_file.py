"""The file as pages: reads within bounds, and caches pages until the file changes. Independent of tables."""

import errno
import os
import time
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager, suppress
from pathlib import Path

from overtrick.jet.errors import AccessFileError, DamagedAccessFile, NotWritten
from overtrick.jet.header import Header, read_header
from overtrick.jet.locks import locked

_CACHE_BYTES = 64 * 1024 * 1024
_RUN = 64
"""Pages read in one go where a table's pages lie together."""


if hasattr(os, "pread"):

    def _read_at(fd: int, length: int, offset: int) -> bytes:
        return os.pread(fd, length, offset)

    def _write_at(fd: int, content: bytes, offset: int) -> int:
        return os.pwrite(fd, content, offset)

else:  # Windows

    def _read_at(fd: int, length: int, offset: int) -> bytes:
        os.lseek(fd, offset, os.SEEK_SET)
        return os.read(fd, length)

    def _write_at(fd: int, content: bytes, offset: int) -> int:
        os.lseek(fd, offset, os.SEEK_SET)
        return os.write(fd, content)


class PageFile:
    """An open Access file, page by page."""

    def __init__(self, path: Path, *, writable: bool = False) -> None:
        self.path = path
        self.where = path.name
        self.writable = writable
        self._fd = self._open()
        try:
            self._stamp = self._read_stamp()
            self.header: Header = read_header(self._stamp[2], self.where)
        except BaseException:
            self.close()
            raise
        self.layout = self.header.layout
        self.page_size = self.layout.page_size
        self._pages: dict[int, bytes] = {}
        self._count = self._stamp[1] // self.page_size
        self.staged: dict[int, bytearray] = {}
        """Pages of an edit in progress; reading sees them before they are written."""
        self.staged_count = 0
        self.on_write: Callable[[int, bytes], None] | None = None
        """Called before each page is written; a test records here, or fails."""

    def _open(self) -> int:
        flags = (os.O_RDWR if self.writable else os.O_RDONLY) | getattr(os, "O_BINARY", 0)
        try:
            return os.open(self.path, flags)
        except FileNotFoundError:
            raise AccessFileError("There is no such file.", where=str(self.path)) from None
        except IsADirectoryError:
            raise AccessFileError("This is a folder, not an Access database.", where=str(self.path)) from None
        except PermissionError:
            act = "written" if self.writable else "read"
            raise AccessFileError(f"The file may not be {act} by this user.", where=str(self.path)) from None
        except OSError as error:
            raise AccessFileError(
                f"The file cannot be opened: {error.strerror}.", where=str(self.path)
            ) from None

    def close(self) -> None:
        """Close the file."""
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1

    @property
    def page_count(self) -> int:
        """The whole pages of the file; a last one that is cut short does not count."""
        return max(self._count, self.staged_count) if self.staged else self._count

    def _read_stamp(self) -> tuple[int, int, bytes]:
        """Return modification time, length and first page (which has Access's counter): they change with the file."""
        try:
            status = os.fstat(self._fd)
            return status.st_mtime_ns, status.st_size, _read_at(self._fd, 4096, 0)
        except OSError as error:
            raise AccessFileError(f"The file cannot be read: {error.strerror}.", where=self.where) from None

    def _was_replaced(self) -> bool:
        """Return whether another file has taken the place of this one, for example a copy that a program saved."""
        try:
            return not os.path.samestat(os.stat(self.path), os.fstat(self._fd))  # noqa: PTH116
        except OSError:
            return False

    def changed(self) -> bool:
        """Return whether another program has changed the file since its pages were last read."""
        return self._read_stamp() != self._stamp or self._was_replaced()

    def refresh(self) -> bool:
        """Discard what was read if the file has changed; return whether it had."""
        replaced = self._was_replaced()
        if replaced:
            fd = self._open()
            os.close(self._fd)
            self._fd = fd
        stamp = self._read_stamp()
        if stamp == self._stamp and not replaced:
            return False
        header = read_header(stamp[2], self.where)
        if header.layout is not self.layout:
            raise AccessFileError("The file was replaced by a database of another version.", where=self.where)
        self._stamp, self.header = stamp, header
        self._count = stamp[1] // self.page_size
        self._pages.clear()
        return True

    def locked(self, *, alone: bool) -> AbstractContextManager[None]:
        """Lock the file, shared with other readers or exclusively (`alone`), until the block ends."""
        return locked(self._fd, self.where, alone=alone)

    def page(self, number: int) -> bytes:
        """Return the bytes of a page."""
        if self.staged and number in self.staged:
            return bytes(self.staged[number])
        page = self._pages.get(number)
        if page is None:
            page = self._read(number, 1)[0]
        return page

    def pages(self, numbers: Iterable[int]) -> dict[int, bytes]:
        """Return the bytes of many pages, read in runs."""
        if self.staged:
            return {number: self.page(number) for number in numbers}
        result: dict[int, bytes] = {}
        run: list[int] = []
        for number in numbers:
            cached = self._pages.get(number)
            if run and (cached is not None or number != run[-1] + 1 or len(run) == _RUN):
                result.update(zip(run, self._read(run[0], len(run)), strict=True))
                run = []
            if cached is not None:
                result[number] = cached
            else:
                run.append(number)
        if run:
            result.update(zip(run, self._read(run[0], len(run)), strict=True))
        return result

    def _read(self, first: int, count: int) -> list[bytes]:
        size = self.page_size
        if first < 0 or first + count > self._count:
            beyond = first if first < 0 or first >= self._count else self._count
            raise DamagedAccessFile(
                f"The file refers to page {beyond}, but has {self._count} pages; was it cut short?",
                where=self.where,
            )
        try:
            block = _read_at(self._fd, size * count, first * size)
        except OSError as error:
            raise AccessFileError(f"The file cannot be read: {error.strerror}.", where=self.where) from None
        if len(block) != size * count:
            raise DamagedAccessFile("The file became shorter while it was read.", where=self.where)
        if len(self._pages) * size > _CACHE_BYTES:
            self._pages.clear()
        pages = (
            [block[offset : offset + size] for offset in range(0, len(block), size)] if count > 1 else [block]
        )
        self._pages.update(zip(range(first, first + count), pages, strict=True))
        return pages

    def write(self, writes: Iterable[tuple[int, bytes]], page_count: int) -> None:
        """Write pages one after the other; the last of them may lie after the end of the file."""
        size = self.page_size
        for number, page in writes:
            if self.on_write is not None:
                self.on_write(number, page)
            self._write_at(page, number * size)
            self._pages[number] = page
        self._count = max(self._count, page_count)
        self._advance_stamp()

    def _write_at(self, page: bytes, offset: int) -> None:
        try:
            written = _write_at(self._fd, page, offset)
            if written < len(page):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        except OSError as error:
            self._pages.clear()
            reason = "the disk is full" if error.errno == errno.ENOSPC else str(error.strerror)
            raise NotWritten(
                f"The change was not written in full because {reason}; every earlier row is still there.",
                where=self.where,
            ) from None

    def _advance_stamp(self) -> None:
        """Set a modification time that the file never had, so that other processes notice the change."""
        now = max(time.time_ns(), self._stamp[0] + 1000)
        # Only the owner may set the time; otherwise the file keeps the time of the write.
        with suppress(OSError):
            os.utime(self._fd if os.utime in os.supports_fd else self.path, ns=(now, now))
        self._stamp = self._read_stamp()

    def flush(self) -> None:
        """Wait until the disk holds what was written (fsync)."""
        try:
            os.fsync(self._fd)
        except OSError as error:
            raise NotWritten(
                f"The disk did not store a change: {error.strerror}.", where=self.where
            ) from None
