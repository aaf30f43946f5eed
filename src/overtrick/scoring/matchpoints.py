"""Matchpoints on one board: two for each result beaten and one for each equalled.

Works on the frequency of each score; a weighted score counts in parts. A board with fewer scores than others is scaled
by Neuberg's formula or by plain factoring, or keeps its own top. Nothing is rounded. Independent of contestants and
events.
"""

from collections.abc import Mapping
from enum import Enum

from overtrick.scoring.points import UNIT, Units, exact


class Unequal(Enum):
    """The treatment of a board that has fewer scores than expected."""

    NEUBERG = "neuberg"
    """Neuberg's formula for M matchpoints on a board with A of E expected scores: (M + 1) × E / A - 1."""
    FACTOR = "factor"
    """Its matchpoints are multiplied to have the same top: M × (E - 1) / (A - 1)."""
    OWN_TOP = "own-top"
    """It keeps its lower top; percentages are of the sum of the tops of the boards played."""


class SmallGroups(Enum):
    """The treatment of the small groups of a fouled board."""

    FORMULA = "formula"
    """As for any board with fewer scores than expected."""
    EBU = "ebu"
    """Fixed percentages for up to three scores that are at most a third of those expected; one score gets an award."""
    ACBL = "acbl"
    """Fixed percentages for one or two scores, and for three if another group has at least three; one score gets 60."""

    def is_small(self, actual: Units, expected: int, others: Units) -> bool:
        """Return whether `actual` scores get fixed percentages; `others` is the size of the largest other group.

        >>> SmallGroups.EBU.is_small(3, 8, 5), SmallGroups.ACBL.is_small(3, 8, 5), SmallGroups.ACBL.is_small(3, 5, 2)
        (False, True, False)
        """
        if self is SmallGroups.EBU:
            return actual <= 3 and 3 * actual <= expected
        if self is SmallGroups.ACBL:
            return actual < 3 or (actual == 3 and others >= 3)
        return False


def board_top(expected: int) -> int:
    """Return the units of a top on a board with that many scores: two matchpoints for each other score.

    >>> board_top(12)
    220000
    """
    return 2 * max(0, expected - 1) * UNIT


def matchpoints(
    counts: Mapping[int, Units], expected: int | None = None, unequal: Unequal = Unequal.NEUBERG
) -> dict[int, Units]:
    """Return the units that North-South get for each score on a board; East-West get the rest of the top.

    `counts` has the frequency of each score, `expected` is the number of scores on a full board. A weighted score gets
    the weighted sum of its parts. The value of a single part includes comparisons with the other parts: do not publish
    it.

    >>> matchpoints({420: 2, 170: 1, -50: 1})
    {-50: 0, 170: 20000, 420: 50000}
    >>> matchpoints({420: 1, 170: 1}, expected=4)
    {170: 10000, 420: 50000}
    >>> matchpoints({420: 1, 170: 1}, expected=4, unequal=Unequal.FACTOR)
    {170: 0, 420: 60000}
    """
    actual = sum(counts.values())
    if expected is None or expected < actual:
        expected = int(actual)
    multiplier, divisor = expected, actual
    if unequal is not Unequal.NEUBERG:
        multiplier, divisor = (expected - 1, actual - 1) if unequal is Unequal.FACTOR else (1, 1)
    average = UNIT * ((expected if unequal is not Unequal.OWN_TOP else int(actual)) - 1)
    return {
        score: average + (exact(UNIT * multiplier * above, divisor) if divisor else 0)
        for score, above in _above_average(counts, actual).items()
    }


def small_group(counts: Mapping[int, Units], top: int) -> dict[int, Units]:
    """Return North-South's units in a small group: 60 % of a top for one score, 65-55 for two, 70-60-50 for three.

    East-West get the same percentages, so the two sides of a table have 120 per cent in total.

    >>> small_group({420: 1, 170: 1, -50: 1}, 180000)
    {-50: 90000, 170: 108000, 420: 126000}
    """
    actual = sum(counts.values())
    return {
        score: exact(top * (60 + 5 * above), 100) for score, above in _above_average(counts, actual).items()
    }


def _above_average(counts: Mapping[int, Units], actual: Units) -> dict[int, Units]:
    """Return the matchpoints of each score above the average of these scores."""
    table: dict[int, Units] = {}
    below: Units = 0
    for score in sorted(counts):
        times = counts[score]
        table[score] = 2 * below + times - actual
        below += times
    return table
