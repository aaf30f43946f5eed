"""Victory points: the scales that turn the IMPs of a match into points. Knows no team and no event.

The WBF's scales of 2013 come from one formula: with N boards, a margin of I IMPs and X = 15√N the winner gets
10 + 10 × (1 - R^(I/X)) / (1 - R), where R = τ³ and τ = (√5 - 1) / 2. The continuous scale rounds it to two
decimals, the discrete one to whole points; both are then corrected so that no IMP is worth more than the one
before it. The older 25-0 scale is a printed table.
"""

from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from functools import cache
from itertools import pairwise
from math import ceil, floor, log, sqrt

from overtrick.errors import BadInput
from overtrick.scoring.points import UNIT

_R = sqrt(5) - 2


class Scale(Enum):
    """A scale of victory points."""

    CONTINUOUS = "continuous"
    """The WBF's of 2013, 20-0 with two decimals, for any number of boards."""
    DISCRETE = "discrete"
    """The WBF's of 2013 in whole points, 20-0, for any number of boards."""
    OLD = "25-0"
    """The WBF's of before 2013: 15-15 to 25-5, then the loser loses on down to 25-0."""


@cache
def continuous_scale(boards: int) -> tuple[int, ...]:
    """Hundredths of a VP for the winner by 0, 1, 2, … IMPs; the last is for every greater margin.

    >>> continuous_scale(16)[:4], continuous_scale(16)[-1], len(continuous_scale(16))
    ((1000, 1031, 1061, 1091), 2000, 61)
    """
    blitz = 15 * sqrt(_sensible(boards))
    last = ceil(blitz - 1e-9)
    scale = [
        min(2000, floor(1000 + 1000 * (1 - _R ** (margin / blitz)) / (1 - _R) + 0.5))
        for margin in range(last + 1)
    ]
    _mend(scale, lambda before, after: after <= before, +1)
    return tuple(scale)


@cache
def discrete_scale(boards: int) -> tuple[int, ...]:
    """The greatest margin in IMPs that is still 10-10, 11-9, … 19-1.

    >>> discrete_scale(8)
    (0, 3, 6, 9, 12, 16, 20, 25, 30, 38)
    """
    blitz = 15 * sqrt(_sensible(boards))
    # Where the continuous curve passes 10½, 11½, … 19½. The draw reaches as far to the other side.
    greatest = [floor(blitz * log(1 - (point + 0.5) / 10 * (1 - _R)) / log(_R)) for point in range(10)]
    while greatest[1] - greatest[0] < 2 * greatest[0] + 1 or not _widening(greatest):
        if greatest[1] - greatest[0] < 2 * greatest[0] + 1:
            greatest[0] -= 1
        else:
            _mend(greatest, lambda before, after: after >= before, -1)
    return tuple(greatest)


def _widening(greatest: list[int]) -> bool:
    steps = [after - before for before, after in pairwise(greatest)]
    return all(before <= after for before, after in pairwise(steps))


def _mend(scale: list[int], in_order: Callable[[int, int], bool], change: int) -> None:
    """Change the value between two steps that are out of order, the first such first, until none is."""
    place = 1
    while place < len(scale) - 1:
        if in_order(scale[place] - scale[place - 1], scale[place + 1] - scale[place]):
            place += 1
        else:
            scale[place] += change
            place = max(1, place - 1)


_OLD_GREATEST = {
    8: (1, 5, 8, 11, 14, 17, 20, 23, 26, 29, 33, 37, 41, 45, 50),
    12: (1, 6, 9, 12, 16, 20, 24, 28, 32, 36, 40, 45, 50, 55, 61),
    16: (2, 7, 11, 15, 19, 23, 27, 31, 36, 41, 46, 52, 58, 64, 71),
    20: (2, 8, 12, 16, 21, 26, 31, 36, 41, 47, 53, 59, 65, 72, 79),
    24: (3, 9, 14, 19, 24, 29, 34, 39, 45, 51, 57, 64, 71, 79, 87),
    28: (3, 10, 15, 20, 25, 31, 37, 43, 49, 55, 61, 68, 76, 85, 94),
    32: (3, 10, 16, 22, 28, 34, 40, 46, 52, 58, 65, 73, 82, 91, 100),
}
"""The greatest margin that is still 15-15, 16-14, … 25-5, 25-4, … 25-1, for the lengths that were printed."""


def old_scale(boards: int) -> tuple[int, ...]:
    """The greatest margin in IMPs that is still 15-15, 16-14, … 25-5, 25-4, … 25-1.

    A match of another length takes the scale of the nearest one printed, the shorter where two are as near.
    """
    length = min(_OLD_GREATEST, key=lambda printed: (abs(printed - _sensible(boards)), printed))
    return _OLD_GREATEST[length]


@dataclass(frozen=True, slots=True)
class Split:
    """The units of both sides of a match."""

    own: int
    theirs: int

    @property
    def turned(self) -> "Split":
        """The same, seen from the other side."""
        return Split(self.theirs, self.own)


def victory_points(scale: Scale, margin: int, boards: int) -> Split:
    """The victory points, in units, of a side that won by so many IMPs (negative: lost) and of the other.

    >>> victory_points(Scale.CONTINUOUS, 30, 16)
    Split(own=167300, theirs=32700)
    >>> victory_points(Scale.DISCRETE, -10, 8)
    Split(own=60000, theirs=140000)
    >>> victory_points(Scale.OLD, 21, 16)
    Split(own=200000, theirs=100000)
    """
    if margin < 0:
        return victory_points(scale, -margin, boards).turned
    if scale is Scale.CONTINUOUS:
        values = continuous_scale(boards)
        own = values[min(margin, len(values) - 1)] * UNIT // 100
        return Split(own, 20 * UNIT - own)
    if scale is Scale.DISCRETE:
        steps = bisect_left(discrete_scale(boards), margin)
        return Split((10 + steps) * UNIT, (10 - steps) * UNIT)
    steps = bisect_left(old_scale(boards), margin)
    return Split(min(25, 15 + steps) * UNIT, (15 - steps) * UNIT)


def _sensible(boards: int) -> int:
    if boards < 1:
        raise BadInput(f"A match of {boards} boards has no victory points.")
    return boards
