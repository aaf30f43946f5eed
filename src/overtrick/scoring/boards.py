"""The scoring of one board, and the value of awards. Independent of sessions and rankings.

Each side of each line gets exact units. An award is returned as its percentage, because its value may depend on the
contestant's result on other boards.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from overtrick.bridge import Percent, Side
from overtrick.scoring.imps import butler, cross_imps
from overtrick.scoring.lines import Line, WeightedScore, is_counted
from overtrick.scoring.matchpoints import SmallGroups, Unequal, board_top, matchpoints, small_group
from overtrick.scoring.method import Method
from overtrick.scoring.points import UNIT, Units, exact
from overtrick.scoring.rules import ScoringRules

CountedSide = tuple[Line, Side, Units, int, Percent | None]
"""A side of a line that counts, with its units, the top, and the percentage if it is an award (then it has 0 units)."""

_Score = int | WeightedScore | None

AVERAGE_PLUS, AVERAGE_MINUS = 60, 40


def score_board(
    lines: Sequence[Line], method: Method, rules: ScoringRules, expected: int
) -> Iterator[CountedSide]:
    """Yield the units of each side on a board of one field; `expected` is the number of scores on a full board.

    Results for North-South are compared with each other, and so are those for East-West; the two differ only if the
    director gave a table separate results. The lines of a fouled board are compared only within a version of the cards.
    """
    versions = {line.version for line in lines}
    if len(versions) <= 1:
        yield from _score_group(lines, method, rules, expected, None)
        return
    groups = [[line for line in lines if line.version == version] for version in sorted(versions)]
    for group in groups:
        largest_other = max(_real_scores(other) for other in groups if other is not group)
        yield from _score_group(group, method, rules, expected, largest_other)


def _real_scores(lines: Iterable[Line]) -> int:
    return sum(_score(line, Side.NS) is not None for line in lines)


def _score_group(
    lines: Sequence[Line], method: Method, rules: ScoringRules, expected: int, largest_other: int | None
) -> Iterator[CountedSide]:
    """Yield the units of a group; `largest_other` is the size of the largest other group, None without other groups."""
    units = _Chart.of(lines, Side.NS, method, rules, expected, largest_other)
    yield from units.counted_sides(lines, Side.NS)
    if any(line.ew_outcome is not None for line in lines):
        units = _Chart.of(lines, Side.EW, method, rules, expected, largest_other)
    yield from units.counted_sides(lines, Side.EW)


@dataclass(frozen=True, slots=True)
class _Chart:
    """The units of each score of a group for North-South; East-West get the rest of `sum_of_sides`."""

    scores: list[_Score]
    table: dict[int, Units]
    top: int
    sum_of_sides: Units
    """The sum of the units of the two sides of a table."""
    is_cancelled: bool = False
    """True if there is nothing to compare with, so that both sides get an average plus."""

    @classmethod
    def of(
        cls,
        lines: Sequence[Line],
        side: Side,
        method: Method,
        rules: ScoringRules,
        expected: int,
        largest_other: int | None,
    ) -> "_Chart":
        scores = [_score(line, side) for line in lines]
        counts = _counts(scores)
        actual = len(scores) - scores.count(None)
        has_group_rule = largest_other is not None and rules.small_groups is not SmallGroups.FORMULA
        if method is not Method.MATCHPOINTS:
            if method.is_butler:
                table = butler(counts, rules.datum or method.datum)
            else:
                table = cross_imps(counts, average=method.is_average)
            return cls(scores, table, 0, 0, has_group_rule and actual == 1)
        is_own_top = rules.unequal is Unequal.OWN_TOP and actual > 0
        top = board_top(actual if is_own_top else max(expected, actual))
        if has_group_rule and actual == 1 and rules.small_groups is SmallGroups.EBU:
            return cls(scores, {}, top, top, is_cancelled=True)
        if has_group_rule and rules.small_groups.is_small(actual, expected, largest_other or 0):
            return cls(scores, small_group(counts, top), top, exact(top * 12, 10))
        return cls(scores, matchpoints(counts, expected, rules.unequal), top, top)

    def counted_sides(self, lines: Sequence[Line], side: Side) -> Iterator[CountedSide]:
        """Yield the units of a side of each line; leave out lines that do not count."""
        units_of, top = self.table, self.top
        if side is Side.EW:
            units_of = {score: self.sum_of_sides - units for score, units in units_of.items()}
        for line, score in zip(lines, self.scores, strict=True):
            if score is None:
                if is_counted(line.outcome_for(side)):
                    yield line, side, 0, top, line.award_for(side)
            elif self.is_cancelled:
                yield line, side, 0, top, AVERAGE_PLUS
            else:
                units = units_of[score] if isinstance(score, int) else _weighted_units(score, units_of)
                yield line, side, units, top, None


def _weighted_units(score: WeightedScore, table: dict[int, Units]) -> Units:
    """Return the weighted mean of the units of the parts: their comparisons with each other cancel out."""
    return _whole(sum((weight * table[part] for weight, part in score), Fraction(0)))


def _score(line: Line, side: Side) -> _Score:
    score = line.score_for(side)
    return line.weighted_score_for(side) if score is None else score


def _counts(scores: Iterable[_Score]) -> dict[int, Units]:
    """Return the frequency of each score; a weighted score adds its weights, whose sum is 1."""
    plain = []
    weighted: list[WeightedScore] = []
    for score in scores:
        if isinstance(score, int):
            plain.append(score)
        elif score is not None:
            weighted.append(score)
    counts: dict[int, Units] = dict(Counter(plain))
    for parts in weighted:
        for weight, score in parts:
            counts[score] = counts.get(score, 0) + weight
    return counts


def _whole(units: Units) -> Units:
    return units.numerator if units.denominator == 1 else units


def award_units(
    percent: Percent,
    top: int,
    own_result: Fraction | None,
    rules: ScoringRules,
    average_plus: int | None = None,
) -> Units:
    """Return the exact units of an award.

    `own_result` is the contestant's result on boards without an award: the share of their tops, or with IMPs the units
    per board; None if there are none. Only awards of exactly 60 and 40 depend on it. With IMPs `average_plus` is the
    method's value of 60, and other percentages are in proportion: 45 costs half of an average minus.

    >>> [award_units(award, 100000, Fraction(63, 100), ScoringRules()) for award in (60, 55)]
    [63000, 55000]
    >>> award_units(45, 0, None, ScoringRules(), average_plus=3)
    -15000
    """
    if average_plus is None:
        award_value = _whole(Fraction(percent) * top / 100)
        result_value = None if own_result is None else own_result * top
    else:
        award_value = _whole(
            (Fraction(percent) - 50) / 10 * Fraction(rules.imps_of_average_plus(average_plus)) * UNIT
        )
        result_value = own_result
    if result_value is None or not rules.better_average or percent not in (AVERAGE_PLUS, AVERAGE_MINUS):
        return award_value
    return _whole(
        max(award_value, result_value) if percent == AVERAGE_PLUS else min(award_value, result_value)
    )
