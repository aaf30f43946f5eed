"""Log of the serving commands, with repeated lines counted instead of written one by one."""

import logging
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

FORMAT = "%(asctime)s %(levelname)s %(name)s: %(message)s"
MOST_ALIKE = 5
"""The number of lines of one kind that are written in a minute; further ones are counted."""
WINDOW = 60.0
"""Seconds after which lines of a kind are written again, preceded by a line with the count of those left out."""


@dataclass(slots=True)
class _Kind:
    """Lines of one kind in the current minute."""

    since: float
    seen: int = 0
    last: logging.LogRecord | None = None


class RepeatFilter(logging.Filter):
    """Filter that passes a few lines of each kind in a minute and counts the others.

    Lines are of one kind if logger, level and message template are the same; the arguments may differ. The count of
    those left out is written when the next line of any kind arrives after the minute.
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
            expired = [key for key, kind in self._kinds.items() if now - kind.since >= WINDOW]
            ended = [self._kinds.pop(key) for key in expired]
            key = record.name, record.levelno, str(record.msg)
            kind = self._kinds.setdefault(key, _Kind(now))
            kind.seen += 1
            kind.last = record
            is_written = kind.seen <= MOST_ALIKE
        for ended_kind in ended:
            if ended_kind.seen > MOST_ALIKE and ended_kind.last is not None:
                self._emit(_repeat_count(ended_kind.last, ended_kind.seen - MOST_ALIKE))
        return is_written


def _repeat_count(last: logging.LogRecord, count: int) -> logging.LogRecord:
    """Return a line that says how many lines like the last one were not written."""
    text = f"{count} more lines like this one: {last.getMessage()}"
    return logging.LogRecord(last.name, last.levelno, last.pathname, last.lineno, text, (), None)


def start_logging(level: int = logging.WARNING, form: str = FORMAT, times: str | None = None) -> None:
    """Write the log to the standard error output, with repeated lines counted.

    `form` is the format of a line, `times` that of its time. A program that has configured logging already keeps
    its configuration.
    """
    root = logging.getLogger()
    if root.handlers:
        return
    logging.basicConfig(level=level, format=form, datefmt=times)
    for handler in root.handlers:
        handler.addFilter(RepeatFilter(handler.emit))
