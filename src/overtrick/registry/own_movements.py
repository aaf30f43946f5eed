"""The movements that a club has drawn up or imported, in a small document beside the journal.

The document is a file of the journal's folder or a row of its database, so every node of a club offers the same.
"""

from typing import Any

from overtrick.errors import BadInput, OvertrickError
from overtrick.movements import Movement, check
from overtrick.registry.json_document import JsonDocument

MOST_MOVEMENTS = 200
MOST_PROBLEMS = 10
"""The number of problems of a movement that a sentence lists."""


class OwnMovementsDamaged(OvertrickError):
    """The document of own movements cannot be read or written; it was not changed."""

    code = "own-movements-damaged"
    exit_status = 2


class OwnMovementStore(JsonDocument[dict[str, Movement]]):
    """The own movements, by name."""

    name = "movements.json"
    title = "The club's movements"
    damaged = OwnMovementsDamaged

    def parse(self, values: dict[str, Any]) -> dict[str, Movement]:
        """Return the movements in a document."""
        movements = [Movement.load(str(text)) for text in (values["movements"] if values else ())]
        return {movement.name: movement for movement in movements}

    def dump(self, value: dict[str, Movement]) -> dict[str, Any]:
        """Return the movements as a document."""
        return {"movements": [movement.dump() for movement in value.values()]}

    def movements(self) -> dict[str, Movement]:
        """Return the movements by name; read again if another process has changed them."""
        return dict(self.value())

    def save(self, *movements: Movement) -> None:
        """Save movements, in place of those with the same names: all of them, or none.

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

        def change(now: dict[str, Movement]) -> dict[str, Movement]:
            saved = now | {movement.name: movement for movement in movements}
            if len(saved) > MOST_MOVEMENTS:
                raise BadInput(
                    f"There are {MOST_MOVEMENTS} movements already; remove one. Nothing was saved."
                )
            return saved

        self.change(change)

    def remove(self, name: str) -> None:
        """Remove a movement; sessions that play it are not changed."""
        if name in self.value():
            self.change(lambda now: {each: movement for each, movement in now.items() if each != name})
