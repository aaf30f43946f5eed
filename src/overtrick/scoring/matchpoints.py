"""Matchpoints on one board: two for each result beaten and one for each equalled.

Works on how often each score was made; knows no contestant and no event. A board that was played fewer times
than others is brought up to them by Neuberg's formula or by plain factoring.
"""

from collections.abc import Mapping
from enum import Enum

from overtrick.scoring.points import UNIT, divide


class Unequal(Enum):
    """What is done with a board that has fewer scores than expected."""

    NEUBERG = "neuberg"
    """Its scores stand for the scores that are missing: (M + 1) × E / A - 1."""
    FACTOR = "factor"
    """Its matchpoints are multiplied so that the top is the same: M × (E - 1) / (A - 1)."""


def board_top(expected: int) -> int:
    """The units of a top on a board with that many scores: two matchpoints for each other score.

    >>> board_top(12)
    220000
    """
    return 2 * max(0, expected - 1) * UNIT


def matchpoints(
    counts: Mapping[int, int], expected: int | None = None, unequal: Unequal = Unequal.NEUBERG
) -> dict[int, int]:
    """The units that North-South get for each score on a board; East-West get the rest of the top.

    `counts` says how often each score was made, `expected` how many scores a full board has.

    >>> matchpoints({420: 2, 170: 1, -50: 1})
    {-50: 0, 170: 20000, 420: 50000}
    >>> matchpoints({420: 1, 170: 1}, expected=4)
    {170: 10000, 420: 50000}
    >>> matchpoints({420: 1, 170: 1}, expected=4, unequal=Unequal.FACTOR)
    {170: 0, 420: 60000}
    """
    actual = sum(counts.values())
    if expected is None or expected < actual:
        expected = actual
    average = (expected - 1) * UNIT
    table = {}
    below = 0
    for score in sorted(counts):
        times = counts[score]
        # How far above the average of these scores alone: the same for both sides but for the sign, and so is
        # the rounding, which leaves the two sides with a whole top between them.
        above = 2 * below + times - actual
        if unequal is Unequal.NEUBERG:
            table[score] = average + divide(UNIT * expected * above, actual)
        elif actual > 1:
            table[score] = average + divide(UNIT * (expected - 1) * above, actual - 1)
        else:
            table[score] = average
        below += times
    return table
