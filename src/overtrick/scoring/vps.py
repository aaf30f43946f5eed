"""Victory points: the scales that turn the IMPs of a match into points. Independent of teams and events.

The WBF's scales of 2013 come from one formula: with N boards, a margin of I IMPs and X = 15√N the winner gets
10 + 10 × (1 - R^(I/X)) / (1 - R), where R = τ³ and τ = (√5 - 1) / 2. The continuous scale rounds it to two
decimals, the discrete one to whole points; both are then corrected so that no IMP is worth more than the one
before it. The older 25-0 scale and the scale for percentages of a match of pairs are printed tables. A club's own table
is read from TOML.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from functools import cache
from itertools import pairwise
from math import ceil, floor, log, sqrt
from typing import Any

from overtrick.errors import BadInput
from overtrick.scoring.points import UNIT, to_fraction, to_units
from overtrick.scoring.toml_values import decimal_text, parse_toml, quoted

_DECAY = sqrt(5) - 2


class Scale(Enum):
    """A scale of victory points."""

    CONTINUOUS = "continuous"
    """The WBF scale of 2013: 10-10 to 20-0 with two decimals, for any number of boards."""
    DISCRETE = "discrete"
    """The WBF scale of 2013 in whole points: 10-10 to 20-0, for any number of boards."""
    OLD = "25-0"
    """The WBF scale before 2013: 15-15 to 25-5, then only the loser's points fall, to 25-0."""


@cache
def continuous_scale(boards: int) -> tuple[int, ...]:
    """Return the winner's hundredths of a VP for margins of 0, 1, 2, … IMPs; the last is for all greater margins.

    >>> continuous_scale(16)[:4], continuous_scale(16)[-1], len(continuous_scale(16))
    ((1000, 1031, 1061, 1091), 2000, 61)
    """
    blitz = 15 * sqrt(_positive(boards))
    last = ceil(blitz - 1e-9)
    scale = [
        min(2000, floor(1000 + 1000 * (1 - _DECAY ** (margin / blitz)) / (1 - _DECAY) + 0.5))
        for margin in range(last + 1)
    ]
    _adjust_until_ordered(scale, lambda before, after: after <= before, +1)
    return tuple(scale)


@cache
def discrete_scale(boards: int) -> tuple[int, ...]:
    """Return the greatest margins in IMPs that are still 10-10, 11-9, … 19-1.

    >>> discrete_scale(8)
    (0, 3, 6, 9, 12, 16, 20, 25, 30, 38)
    """
    blitz = 15 * sqrt(_positive(boards))
    # The margins where the continuous curve passes 10½, 11½, … 19½. A draw spans both signs of the margin.
    greatest = [
        floor(blitz * log(1 - (point + 0.5) / 10 * (1 - _DECAY)) / log(_DECAY)) for point in range(10)
    ]
    while greatest[1] - greatest[0] < 2 * greatest[0] + 1 or not _is_widening(greatest):
        if greatest[1] - greatest[0] < 2 * greatest[0] + 1:
            greatest[0] -= 1
        else:
            _adjust_until_ordered(greatest, lambda before, after: after >= before, -1)
    return tuple(greatest)


def _is_widening(greatest: list[int]) -> bool:
    steps = [after - before for before, after in pairwise(greatest)]
    return all(before <= after for before, after in pairwise(steps))


def _adjust_until_ordered(scale: list[int], in_order: Callable[[int, int], bool], change: int) -> None:
    """Add `change` to each value whose steps to its neighbours are not `in_order`, from the left, until all are."""
    index = 1
    while index < len(scale) - 1:
        if in_order(scale[index] - scale[index - 1], scale[index + 1] - scale[index]):
            index += 1
        else:
            scale[index] += change
            index = max(1, index - 1)


_OLD_GREATEST = {
    8: (1, 5, 8, 11, 14, 17, 20, 23, 26, 29, 33, 37, 41, 45, 50),
    12: (1, 6, 9, 12, 16, 20, 24, 28, 32, 36, 40, 45, 50, 55, 61),
    16: (2, 7, 11, 15, 19, 23, 27, 31, 36, 41, 46, 52, 58, 64, 71),
    20: (2, 8, 12, 16, 21, 26, 31, 36, 41, 47, 53, 59, 65, 72, 79),
    24: (3, 9, 14, 19, 24, 29, 34, 39, 45, 51, 57, 64, 71, 79, 87),
    28: (3, 10, 15, 20, 25, 31, 37, 43, 49, 55, 61, 68, 76, 85, 94),
    32: (3, 10, 16, 22, 28, 34, 40, 46, 52, 58, 65, 73, 82, 91, 100),
}
"""The greatest margins that are still 15-15, 16-14, … 25-5, 25-4, … 25-1, by the boards of a match."""


def old_scale(boards: int) -> tuple[int, ...]:
    """Return the greatest margins in IMPs that are still 15-15, 16-14, … 25-5, 25-4, … 25-1.

    A length that was not printed takes the scale of the nearest length, the shorter of two equally near ones.
    """
    length = min(_OLD_GREATEST, key=lambda printed: (abs(printed - _positive(boards)), printed))
    return _OLD_GREATEST[length]


@dataclass(frozen=True, slots=True)
class Split:
    """The victory points of both sides of a match, in units."""

    own: int
    theirs: int

    @property
    def swapped(self) -> "Split":
        """The same split for the other side."""
        return Split(self.theirs, self.own)


@dataclass(frozen=True, slots=True)
class ScaleStep:
    """A row of a table: the victory points of both sides from this margin on, or above this percentage."""

    limit: Fraction
    split: Split


@dataclass(frozen=True, slots=True)
class ScaleTable:
    """A scale as a table: for each length of a match its greatest number of boards, and its steps from a tie upwards.

    A match longer than every length takes the steps of the longest.
    """

    name: str
    is_percentage: bool
    """True if limits are percentages (a step starts above its limit); IMPs otherwise (a step starts at its limit)."""
    lengths: tuple[tuple[int, tuple[ScaleStep, ...]], ...]

    def split(self, result: Fraction | int, boards: int) -> Split:
        """Return the units of a side with this margin or percentage, and of its opponents.

        >>> PERCENTAGES.split(Fraction("56.23"), 8).own // UNIT, PERCENTAGES.split(Fraction("43.77"), 8).own // UNIT
        (14, 6)
        """
        middle = 50 if self.is_percentage else 0
        if result < middle:
            return self.split(2 * middle - result, boards).swapped
        steps = next(
            (steps for most_boards, steps in self.lengths if _positive(boards) <= most_boards),
            self.lengths[-1][1],
        )
        find = bisect_left if self.is_percentage else bisect_right
        return steps[max(0, find(steps, result, key=lambda step: step.limit) - 1)].split


_GREATEST_PERCENTAGES: dict[int, str] = {
    4: "50.92 52.80 54.71 56.70 58.80 61.08 63.63 66.61 70.36 75.95",
    6: "50.78 52.39 54.02 55.72 57.51 59.45 61.62 64.17 67.37 72.13",
    9: "50.65 51.98 53.33 54.74 56.23 57.83 59.64 61.75 64.40 68.35",
    13: "50.54 51.65 52.78 53.95 55.19 56.53 58.04 59.80 62.01 65.30",
}
"""The greatest percentages that are still 10-10, 11-9, … 19-1, by the greatest number of boards of a match."""

PERCENTAGES = ScaleTable(
    "percentages",
    True,
    tuple(
        (
            most_boards,
            tuple(
                ScaleStep(Fraction(limit), Split((10 + step) * UNIT, (10 - step) * UNIT))
                for step, limit in enumerate(("50", *limits.split()))
            ),
        )
        for most_boards, limits in _GREATEST_PERCENTAGES.items()
    ),
)
"""The scale for the percentage of a match of pairs."""


def parse_scale(scale: str | Mapping[str, Any]) -> ScaleTable:
    """Parse a table from TOML text or from a decoded TOML table. Raise BadInput if it is not a scale.

    >>> scale = parse_scale('''
    ... name = "Three boards"
    ... [[match]]
    ... boards = 3
    ... rows = [[0, 10, 10], [1, 11, 9], [3, 13, 7]]
    ... ''')
    >>> scale.split(-2, 3)
    Split(own=90000, theirs=110000)
    """
    if isinstance(scale, str):
        scale = parse_toml(scale, "The scale")
    name, unit, matches = scale.get("name"), scale.get("unit", "imps"), scale.get("match")
    if not isinstance(name, str) or not name.strip():
        raise BadInput('A scale has a name: name = "Three boards".')
    if unit not in ("imps", "percent"):
        raise BadInput(f'The unit of a scale is "imps" or "percent", not {unit!r}.')
    if not isinstance(matches, list) or not matches or not all(isinstance(match, dict) for match in matches):
        raise BadInput("A scale has a [[match]] for each length, with its boards and its rows.")
    is_percentage = unit == "percent"
    lengths = sorted((_boards(match), _steps(match, is_percentage)) for match in matches)
    if len({most_boards for most_boards, _ in lengths}) < len(lengths):
        raise BadInput("Two [[match]] tables of the scale have the same boards.")
    return ScaleTable(name.strip(), is_percentage, tuple(lengths))


def write_scale(scale: ScaleTable) -> str:
    """Return a table as TOML that `parse_scale` reads back unchanged.

    >>> parse_scale(write_scale(PERCENTAGES)) == PERCENTAGES
    True
    """
    lines = [f"name = {quoted(scale.name)}"]
    if scale.is_percentage:
        lines.append('unit = "percent"')
    for most_boards, steps in scale.lengths:
        rows = (
            (step.limit, Fraction(step.split.own, UNIT), Fraction(step.split.theirs, UNIT)) for step in steps
        )
        written = ", ".join(f"[{', '.join(map(decimal_text, row))}]" for row in rows)
        lines += ["[[match]]", f"boards = {most_boards}", f"rows = [{written}]"]
    return "\n".join(lines) + "\n"


def _boards(match: Mapping[str, Any]) -> int:
    boards = match.get("boards")
    if not isinstance(boards, int) or isinstance(boards, bool) or boards < 1:
        raise BadInput(f"The number of boards of a match is a whole number from 1, not {boards!r}.")
    return boards


def _steps(match: Mapping[str, Any], is_percentage: bool) -> tuple[ScaleStep, ...]:
    rows = match.get("rows")
    if not isinstance(rows, list) or not rows:
        raise BadInput("A match of a scale has rows: [[0, 10, 10], [1, 11, 9], …].")
    steps = [_step(row) for row in rows]
    first = 50 if is_percentage else 0
    if steps[0].limit != first or any(step.limit >= other.limit for step, other in pairwise(steps)):
        raise BadInput(f"The rows of a scale start at {first} and rise.")
    return tuple(steps)


def _step(row: Any) -> ScaleStep:
    if isinstance(row, list) and len(row) == 3 and all(_is_valid_number(number) for number in row):
        return ScaleStep(Fraction(row[0]), Split(to_units(row[1]), to_units(row[2])))
    raise BadInput(f"A row of a scale is a limit and the points of both sides, as [1, 11, 9], not {row!r}.")


def _is_valid_number(number: object) -> bool:
    if not isinstance(number, int | Decimal) or isinstance(number, bool):
        return False
    return to_fraction(number) is not None and -1000 <= number <= 1000


def victory_points(scale: Scale | ScaleTable, margin: int, boards: int) -> Split:
    """Return the victory points, in units, of a side with this margin in IMPs (negative: lost) and of its opponents.

    Raise BadInput for a match without boards.

    >>> victory_points(Scale.CONTINUOUS, 30, 16)
    Split(own=167300, theirs=32700)
    >>> victory_points(Scale.DISCRETE, -10, 8)
    Split(own=60000, theirs=140000)
    >>> victory_points(Scale.OLD, 21, 16)
    Split(own=200000, theirs=100000)
    """
    if isinstance(scale, ScaleTable):
        return scale.split(margin, boards)
    if margin < 0:
        return victory_points(scale, -margin, boards).swapped
    if scale is Scale.CONTINUOUS:
        values = continuous_scale(boards)
        own_units = values[min(margin, len(values) - 1)] * UNIT // 100
        return Split(own_units, 20 * UNIT - own_units)
    if scale is Scale.DISCRETE:
        steps = bisect_left(discrete_scale(boards), margin)
        return Split((10 + steps) * UNIT, (10 - steps) * UNIT)
    steps = bisect_left(old_scale(boards), margin)
    return Split(min(25, 15 + steps) * UNIT, (15 - steps) * UNIT)


def _positive(boards: int) -> int:
    """Return the number of boards; raise BadInput if it is not positive."""
    if boards < 1:
        raise BadInput(f"A match of {boards} boards has no victory points.")
    return boards
