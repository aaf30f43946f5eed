"""How far a club's program has taken in a queue of a stream: the one thing written besides the journal.

Knows nothing of what was offered: that a mark never passes it is the connector's to see to. Here a mark
only rises.
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
        """Move a mark up, durably, and answer where it is; a mark never goes down."""
        with self._writing() as cursor:
            cursor.execute(
                self._sql.move_mark, {"club": club, "stream": stream, "queue": queue, "position": position}
            )
            found: dict[str, int] = dict(
                cursor.execute(self._sql.marks, {"club": club, "stream": stream}).fetchall()
            )
        return found[queue]

    def of(self, club: str, stream: str) -> dict[str, int]:
        """Every mark of a club in a stream, by queue; a queue that is not named is at 0."""
        return dict(self._engine.rows(self._sql.marks, {"club": club, "stream": stream}))
