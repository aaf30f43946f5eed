"""The file as pages: reads them within bounds and keeps them until the file changes; knows no tables."""

import os
from collections.abc import Iterable
from pathlib import Path

from overtrick.jet.errors import AccessFileError, DamagedAccessFile
from overtrick.jet.header import Header, read_header

_CACHE_BYTES = 64 * 1024 * 1024
_RUN = 64
"""Pages read in one go where a table's pages lie together."""


class PageFile:
    """An open Access file, page by page."""

    def __init__(self, path: Path, *, writable: bool = False) -> None:
        self.path = path
        self.where = path.name
        self.writable = writable
        self._fd = self._open()
        try:
            self._stamp = self._read_stamp()
            self.header: Header = read_header(os.pread(self._fd, 4096, 0), self.where)
        except BaseException:
            self.close()
            raise
        self.layout = self.header.layout
        self.page_size = self.layout.page_size
        self._pages: dict[int, bytes] = {}
        self._count = self._stamp[1] // self.page_size

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
        """Let go of the file."""
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1

    @property
    def page_count(self) -> int:
        """The whole pages of the file; a last one that is cut short does not count."""
        return self._count

    def _read_stamp(self) -> tuple[int, int, int]:
        try:
            status = os.fstat(self._fd)
        except OSError as error:
            raise AccessFileError(f"The file cannot be read: {error.strerror}.", where=self.where) from None
        return status.st_mtime_ns, status.st_size, status.st_ino

    def changed(self) -> bool:
        """Whether another program has changed the file since its pages were last read."""
        return self._read_stamp() != self._stamp

    def refresh(self) -> bool:
        """Forget what was read if the file has changed; says whether it had."""
        stamp = self._read_stamp()
        if stamp == self._stamp:
            return False
        self._stamp = stamp
        self._count = stamp[1] // self.page_size
        self._pages.clear()
        return True

    def page(self, number: int) -> bytes:
        """The bytes of a page."""
        page = self._pages.get(number)
        if page is None:
            page = self._read(number, 1)[0]
        return page

    def pages(self, numbers: Iterable[int]) -> dict[int, bytes]:
        """The bytes of many pages, read in runs."""
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
                f"Page {beyond} is asked for, but the file has {self._count} pages; was it cut short?",
                where=self.where,
            )
        try:
            block = os.pread(self._fd, size * count, first * size)
        except OSError as error:
            raise AccessFileError(f"The file cannot be read: {error.strerror}.", where=self.where) from None
        if len(block) != size * count:
            raise DamagedAccessFile("The file became shorter while it was read.", where=self.where)
        if len(self._pages) * size > _CACHE_BYTES:
            self._pages.clear()
        pages = [block[at : at + size] for at in range(0, len(block), size)] if count > 1 else [block]
        self._pages.update(zip(range(first, first + count), pages, strict=True))
        return pages
