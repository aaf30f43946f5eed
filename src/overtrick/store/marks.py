"""Marks: the positions of clubs' programs in the queues of streams, which do not follow from facts.

A mark only rises. The connector makes sure that it does not pass the last item that was offered.
"""

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

from overtrick.store.engine import JournalEngine
from overtrick.store.statements import statements


class Marks:
    """The marks beside a journal, by club, stream and queue."""

    def __init__(self, engine: JournalEngine, writing: Callable[[], AbstractContextManager[Any]]) -> None:
        self._engine = engine
        self._writing = writing
        self._sql = statements(engine)

    def move(self, club: str, stream: str, queue: str, position: int) -> int:
        """Raise a mark, durably, and return its position; a lower position is ignored."""
        with self._writing() as cursor:
            cursor.execute(
                self._sql.move_mark, {"club": club, "stream": stream, "queue": queue, "position": position}
            )
            positions: dict[str, int] = dict(
                cursor.execute(self._sql.marks, {"club": club, "stream": stream}).fetchall()
            )
        return positions[queue]

    def of(self, club: str, stream: str) -> dict[str, int]:
        """Return the marks of a club in a stream by queue; a missing one is at 0."""
        return dict(self._engine.rows(self._sql.marks, {"club": club, "stream": stream}))
