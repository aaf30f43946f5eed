"""Log of the serving commands, with repeated lines counted instead of written one by one."""

import logging
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

FORMAT = "%(asctime)s %(levelname)s %(name)s: %(message)s"
MOST_ALIKE = 5
"""Lines of one kind that are written in a minute."""
WINDOW = 60.0
"""Seconds after which lines of a kind are written again, after one line with the count of those left out."""


@dataclass(slots=True)
class _Kind:
    """Lines of one kind in the current minute."""

    since: float
    seen: int = 0
    last: logging.LogRecord | None = None


class RepeatFilter(logging.Filter):
    """Filter that passes a few lines of each kind in a minute and counts the others.

    Lines are of one kind if the same logger writes the same text, whatever figures are in it. The count of those
    left out is written before the first line of any kind after the minute.
    """

    def __init__(
        self, emit: Callable[[logging.LogRecord], None], clock: Callable[[], float] = time.monotonic
    ):
        super().__init__()
        self._emit = emit
        self._clock = clock
        self._kinds: dict[tuple[str, int, str], _Kind] = {}
        self._lock = threading.Lock()

    def filter(self, record: logging.LogRecord) -> bool:
        """Return whether a line is to be written."""
        now = self._clock()
        with self._lock:
            over = [key for key, kind in self._kinds.items() if now - kind.since >= WINDOW]
            counts = [self._kinds.pop(key) for key in over]
            key = record.name, record.levelno, str(record.msg)
            kind = self._kinds.setdefault(key, _Kind(now))
            kind.seen += 1
            kind.last = record
            is_written = kind.seen <= MOST_ALIKE
        for each in counts:
            if each.seen > MOST_ALIKE and each.last is not None:
                self._emit(_counted(each.last, each.seen - MOST_ALIKE))
        return is_written


def _counted(last: logging.LogRecord, count: int) -> logging.LogRecord:
    """Return the line that stands for lines that were not written."""
    words = f"{count} more lines like this one: {last.getMessage()}"
    return logging.LogRecord(last.name, last.levelno, last.pathname, last.lineno, words, (), None)


def start_logging(level: int = logging.WARNING, form: str = FORMAT, times: str | None = None) -> None:
    """Write the log to the standard error output, with repeated lines counted.

    A program that has configured logging already keeps its configuration.
    """
    root = logging.getLogger()
    if root.handlers:
        return
    logging.basicConfig(level=level, format=form, datefmt=times)
    for handler in root.handlers:
        handler.addFilter(RepeatFilter(handler.emit))
