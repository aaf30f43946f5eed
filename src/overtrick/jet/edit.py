"""One change to the file: pages are changed in memory, then written in an order that survives a crash.

The order is: counters, new pages, memos, maps of pages, rows, indexes, counts. A crash between two writes
leaves a file that opens, with every earlier row in it; a number that was handed out and not used is harmless.
"""

from enum import IntEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from overtrick.jet.page_file import PageFile


class Step(IntEnum):
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
        self._steps: dict[int, Step] = {}
        self._counters: dict[int, bytearray] = {}
        self._page_count = file.page_count

    def change(self, number: int, step: Step) -> bytearray:
        """Return a page to write into."""
        page = self.file.staged.get(number)
        if page is None:
            page = self.file.staged[number] = bytearray(self.file.page(number))
            self._steps[number] = step
        elif step < self._steps[number] != Step.NEW_PAGE:
            self._steps[number] = step
        return page

    def has(self, number: int) -> bool:
        """Return whether the edit changes a page."""
        return number in self._steps

    def is_late(self, number: int) -> bool:
        """Return whether a page is written after the rows."""
        return self._steps.get(number, Step.COUNTER) > Step.ROW

    def count_up(self, number: int, offset: int, raw: bytes) -> None:
        """Write a counter before everything else, on a page that may change again later."""
        if number not in self._counters:
            self._counters[number] = bytearray(self.file.page(number))
        self._counters[number][offset : offset + len(raw)] = raw
        self.change(number, Step.COUNT)[offset : offset + len(raw)] = raw

    def new_page(self) -> tuple[int, bytearray]:
        """Return a page behind the last one; the caller enters it in the maps."""
        number = self._page_count
        self._page_count += 1
        page = self.file.staged[number] = bytearray(self.file.page_size)
        self._steps[number] = Step.NEW_PAGE
        self.file.staged_count = self._page_count
        return number, page

    def commit(self) -> None:
        """Write everything, in order."""
        writes = [(number, bytes(page)) for number, page in self._counters.items()]
        ordered = sorted(self._steps, key=lambda number: self._steps[number])
        # New pages lie behind each other, so that the file never has a hole.
        ordered.sort(key=lambda number: (self._steps[number], number if self._is_new(number) else 0))
        writes += [(number, bytes(self.file.staged[number])) for number in ordered]
        self.file.staged.clear()
        self.file.write(writes, self._page_count)

    def _is_new(self, number: int) -> bool:
        return self._steps[number] is Step.NEW_PAGE

    def drop(self) -> None:
        """Forget everything; the file is as it was."""
        self.file.staged.clear()
        self.file.staged_count = self.file.page_count
