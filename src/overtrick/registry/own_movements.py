"""The movements that a club has drawn up or imported, in a small document beside the journal.

The document is a file of the journal's folder or a row of its database, so every node of a club offers the same.
"""

import json
import threading
from collections.abc import Hashable

from overtrick.errors import BadInput, OvertrickError
from overtrick.movements import Movement, check
from overtrick.store.documents import Documents

DOCUMENT = "movements.json"
MOST_MOVEMENTS = 200
MOST_PROBLEMS = 10
"""The number of problems of a movement that a sentence lists."""


class OwnMovementsDamaged(OvertrickError):
    """The document of own movements cannot be read or written; it was not changed."""

    code = "own-movements-damaged"


class OwnMovementStore:
    """The own movements, by name. Thread-safe; a change is durable when `keep` or `remove` returns."""

    def __init__(self, documents: Documents) -> None:
        self._documents = documents
        self._lock = threading.Lock()
        self._seen: Hashable | None = None
        self._movements: dict[str, Movement] = {}

    def movements(self) -> dict[str, Movement]:
        """Return the movements by name; read again if another process has changed them."""
        try:
            stamp = self._documents.stamp(DOCUMENT)
            if stamp != self._seen:
                self._movements = {} if stamp is None else _parse(self._documents.read(DOCUMENT))
                self._seen = stamp
        except (OSError, ValueError, TypeError, KeyError, AttributeError, OvertrickError) as error:
            raise OwnMovementsDamaged(
                f"The club's movements cannot be read ({error}); they were not changed.",
                where=self._documents.place(DOCUMENT),
            ) from error
        return dict(self._movements)

    def keep(self, *movements: Movement) -> None:
        """Keep movements, in place of those with the same names: all of them, or none.

        Raise BadInput if `check` finds a problem.
        """
        for movement in movements:
            if not movement.pairs:
                raise BadInput("Nobody plays in this movement. Nothing was saved.")
            problems = check(movement)
            if problems:
                more = len(problems) - MOST_PROBLEMS
                listed = " ".join(str(problem) for problem in problems[:MOST_PROBLEMS])
                raise BadInput(
                    f"{listed}{f' And {more} more problems.' if more > 0 else ''} Nothing was saved."
                )
        with self._lock:
            kept = self.movements() | {movement.name: movement for movement in movements}
            if len(kept) > MOST_MOVEMENTS:
                raise BadInput(
                    f"There are {MOST_MOVEMENTS} movements already; remove one. Nothing was saved."
                )
            self._write(kept)

    def remove(self, name: str) -> None:
        """Remove a movement; sessions that play it are not changed."""
        with self._lock:
            kept = self.movements()
            if kept.pop(name, None) is not None:
                self._write(kept)

    def _write(self, kept: dict[str, Movement]) -> None:
        text = json.dumps({"format": 1, "movements": [movement.dump() for movement in kept.values()]})
        try:
            is_written = self._documents.write(DOCUMENT, text.encode(), self._seen)
        except OSError as error:
            raise OwnMovementsDamaged(
                f"The club's movements cannot be written ({error.strerror or error}); they were not changed.",
                where=self._documents.place(DOCUMENT),
            ) from error
        if not is_written:
            raise BadInput(
                "Another desk changed the club's movements at the same time. Nothing was changed here."
            )


def _parse(content: bytes) -> dict[str, Movement]:
    values = json.loads(content)
    if values["format"] != 1:
        raise ValueError("they were written by a newer Overtrick")
    movements = [Movement.load(str(text)) for text in values["movements"]]
    return {movement.name: movement for movement in movements}
