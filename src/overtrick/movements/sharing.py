"""Tables that have the same boards at the same time, within a section or in several. Pure."""

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

P = TypeVar("P", bound=Hashable)


@dataclass(frozen=True, slots=True)
class BoardSharing(Generic[P]):
    """The copies of boards that a session needs, and the tables that can share one set instead."""

    copies: int
    """The largest number of tables that play the same board in one round."""
    groups: tuple[tuple[P, ...], ...]
    """Tables that have the same boards in every round."""


def sharing(tables: Mapping[P, Sequence[tuple[int, ...]]]) -> BoardSharing[P]:
    """Return how tables share boards, given the boards that each plays round by round (none in a sit-out).

    >>> sharing({"A1": [(1, 2), (3, 4)], "A2": [(3, 4), (1, 2)], "B1": [(1, 2), (3, 4)]})
    BoardSharing(copies=2, groups=(('A1', 'B1'),))
    """
    places = Counter(
        (round_, board)
        for rounds in tables.values()
        for round_, boards in enumerate(rounds)
        for board in boards
    )
    tables_by_boards: dict[tuple[tuple[int, ...], ...], list[P]] = {}
    for table, rounds in tables.items():
        if any(rounds):
            tables_by_boards.setdefault(tuple(rounds), []).append(table)
    return BoardSharing(
        max(places.values(), default=0),
        tuple(tuple(group) for group in tables_by_boards.values() if len(group) > 1),
    )
