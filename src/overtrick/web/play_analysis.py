"""Double dummy figures of leads and plays for the results pages: solved once in the background, then cached.

A page shows the figures that are known and never waits for the solver. One worker process at a time solves what pages
have asked for; a line of play that the solver failed at has no figures, and is not tried again while it is cached.
"""

import logging
import threading
from collections import OrderedDict
from collections.abc import Sequence

from overtrick.doubledummy import LineOfPlay, PlayBatch, PlayFigures
from overtrick.errors import OvertrickError

log = logging.getLogger(__name__)

MOST_CACHED = 5_000
"""The limit on lines of play whose figures are cached; a recorded play takes some 30 kB, a lead 2 kB."""
MOST_IN_BATCH = 32
"""The limit on lines in one batch, so that the figures of a page are there before those of the next page."""


class PlayAnalysis:
    """The figures of lines of play that pages have asked for. Thread-safe."""

    def __init__(self, most: int = MOST_CACHED) -> None:
        self._most = most
        self._lock = threading.Lock()
        self._known: OrderedDict[LineOfPlay, PlayFigures] = OrderedDict()
        """The least recently used first; empty figures for a line that the solver failed at."""
        self._waiting: dict[LineOfPlay, None] = {}
        self._thread: threading.Thread | None = None
        self._is_closed = False

    def figures(self, lines: Sequence[LineOfPlay]) -> dict[LineOfPlay, PlayFigures]:
        """Return the figures that are known of these lines, and begin to solve the others."""
        with self._lock:
            figures = {}
            for line in lines:
                if line in self._known:
                    self._known.move_to_end(line)
                    figures[line] = self._known[line]
                elif not self._is_closed:
                    self._waiting[line] = None
            if self._waiting and self._thread is None:
                self._thread = threading.Thread(target=self._run, name="overtrick-plays", daemon=True)
                self._thread.start()
        return figures

    def close(self) -> None:
        """Stop solving; figures that are known stay."""
        with self._lock:
            self._is_closed = True
            self._waiting.clear()
            thread = self._thread
        if thread is not None:
            thread.join()

    def _run(self) -> None:
        while lines := self._next_lines():
            solved: dict[LineOfPlay, PlayFigures] = {}
            with PlayBatch(lines, workers=1) as batch:
                while not batch.is_over and not self._is_closed:
                    batch.join(0.1)
                solved = dict(batch.solved)
                if batch.is_over:
                    try:
                        batch.result()
                    except OvertrickError as error:
                        log.warning("The figures of a play cannot be computed: %s", error)
            with self._lock:
                for line in lines:
                    self._waiting.pop(line, None)
                    if not self._is_closed:
                        self._known[line] = solved.get(line, ())
                while len(self._known) > self._most:
                    self._known.popitem(last=False)

    def _next_lines(self) -> list[LineOfPlay]:
        """Return the next lines to solve; an empty list ends the thread."""
        with self._lock:
            lines = list(self._waiting)[:MOST_IN_BATCH]
            if not lines or self._is_closed:
                self._thread = None
                return []
            return lines
