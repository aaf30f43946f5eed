"""One change to the file: pages are changed in memory, then written in an order that survives a crash.

The order is: counters, new pages, memos, maps of pages, rows, indexes, counts. Whatever points to something is written
after it. A crash between two writes leaves a file that opens, with every earlier row in it; an autonumber that was
drawn and not used is harmless.
"""

from enum import IntEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from overtrick.jet.page_file import PageFile


class WriteStep(IntEnum):
    """The order in which pages are written; pages of one step go in the order in which they were first changed."""

    COUNTER = 0
    NEW_PAGE = 1
    MEMO = 2
    MAP = 3
    ROW = 4
    INDEX = 5
    COUNT = 6


class Edit:
    """The pages that one change touches."""

    def __init__(self, file: "PageFile") -> None:
        self.file = file
        self._steps: dict[int, WriteStep] = {}
        self._counters: dict[int, bytearray] = {}
        self._page_count = file.page_count

    def change(self, number: int, step: WriteStep) -> bytearray:
        """Return the staged copy of a page, to be changed in place and written in this step.

        A page that is changed in several steps is written once, in the earliest; a new page always counts as new.
        """
        page = self.file.staged.get(number)
        if page is None:
            page = self.file.staged[number] = bytearray(self.file.page(number))
            self._steps[number] = step
        elif step < self._steps[number] != WriteStep.NEW_PAGE:
            self._steps[number] = step
        return page

    def has(self, number: int) -> bool:
        """Return whether the edit changes a page."""
        return number in self._steps

    def is_late(self, number: int) -> bool:
        """Return whether a page is written after the rows."""
        return self._steps.get(number, WriteStep.COUNTER) > WriteStep.ROW

    def set_counter(self, number: int, offset: int, raw: bytes) -> None:
        """Write bytes of a counter twice: before everything else, and at the end with the page's other changes."""
        if number not in self._counters:
            self._counters[number] = bytearray(self.file.page(number))
        self._counters[number][offset : offset + len(raw)] = raw
        self.change(number, WriteStep.COUNT)[offset : offset + len(raw)] = raw

    def new_page(self) -> tuple[int, bytearray]:
        """Return the number and content of a new page at the end of the file; the caller enters it in the maps."""
        number = self._page_count
        self._page_count += 1
        page = self.file.staged[number] = bytearray(self.file.page_size)
        self._steps[number] = WriteStep.NEW_PAGE
        self.file.staged_count = self._page_count
        return number, page

    def commit(self) -> None:
        """Write all staged pages in the order of their steps; raise NotWritten if the disk refuses."""
        writes = [(number, bytes(page)) for number, page in self._counters.items()]
        ordered = sorted(self._steps, key=lambda number: self._steps[number])
        # New pages are written in ascending order, so that the file never has a hole.
        ordered.sort(key=lambda number: (self._steps[number], number if self._is_new(number) else 0))
        writes += [(number, bytes(self.file.staged[number])) for number in ordered]
        self.file.staged.clear()
        self.file.write(writes, self._page_count)

    def _is_new(self, number: int) -> bool:
        return self._steps[number] is WriteStep.NEW_PAGE

    def drop(self) -> None:
        """Discard all staged pages; the file is unchanged."""
        self.file.staged.clear()
        self.file.staged_count = self.file.page_count
