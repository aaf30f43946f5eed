"""Rankings: totals and ranks. Independent of boards and methods.

Those who tie share a rank, and `rank_max` carries the highest of the ranks that they share: 5 and 7 is a tie
of three. Contestants are ranked by what they have exactly; their points are rounded to whole units when that is done.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from math import lcm
from operator import itemgetter
from typing import NamedTuple

from overtrick.bridge import Side
from overtrick.errors import BadInput
from overtrick.scoring.lines import Contestant
from overtrick.scoring.points import UNIT, Units, percentage, rounded, to_units


def ranks(scores: Sequence[int | Fraction]) -> list[tuple[int, int]]:
    """Return the rank and the highest shared rank of each of the sorted scores, best first.

    >>> ranks([9, 7, 7, 7, 2])
    [(1, 1), (2, 4), (2, 4), (2, 4), (5, 5)]
    """
    shared: list[tuple[int, int]] = []
    first = 0
    for place in range(1, len(scores) + 1):
        if place == len(scores) or scores[place] != scores[first]:
            shared.extend([(first + 1, place)] * (place - first))
            first = place
    return shared


@dataclass(frozen=True, slots=True)
class CarryOver:
    """A contestant's carry-over: points, and for matchpoints the top that they were won of."""

    points: Decimal | float | str
    top: Decimal | float | str = 0


@dataclass(frozen=True, slots=True)
class Adjustment:
    """Points given or, as a penalty, taken by the director; for one contestant alone."""

    contestant: Contestant
    points: Decimal | float | str
    """Matchpoints, IMPs or victory points, as the ranking counts them; or per cent of a top."""
    reason: str = ""
    of_top: bool = False
    """True if `points` are per cent of the top of a board."""
    board: int | None = None
    """The board that it is for; None is the session."""


@dataclass(frozen=True, slots=True)
class Extras:
    """Everything besides the boards that counts in a ranking.

    A handicap is added to the percentage (matchpoints) or to the points (all others).
    """

    carry_overs: Mapping[Contestant, CarryOver] = field(default_factory=dict)
    adjustments: Sequence[Adjustment] = ()
    handicaps: Mapping[Contestant, Decimal | float | str] = field(default_factory=dict)

    def contestants(self) -> set[Contestant]:
        """Everyone who has something here."""
        return {*self.carry_overs, *self.handicaps, *(one.contestant for one in self.adjustments)}


@dataclass(frozen=True, slots=True)
class Tally:
    """The sum of a contestant's boards or matches, in exact units."""

    contestant: Contestant
    units: Units
    top: int = 0
    """The most that could be had; 0 where points are no part of a top (IMPs, VPs)."""
    boards: int = 0


@dataclass(frozen=True, slots=True)
class Standing:
    """A line of a ranking."""

    rank: int
    rank_max: int
    contestant: Contestant
    units: int
    """Carry-over and adjustments are in it."""
    top: int
    boards: int
    carry_over: int = 0
    adjustment: int = 0
    handicap: float = 0.0
    units_per_point: int = UNIT

    @property
    def points(self) -> float:
        """The points as they are published."""
        return self.units / self.units_per_point

    @property
    def percentage(self) -> float | None:
        """The percentage with the handicap; None where there is no top."""
        share = percentage(self.units, self.top)
        return None if share is None else share + self.handicap

    @property
    def rank_text(self) -> str:
        """The rank as it is printed: 3, or 3= when it is shared."""
        return f"{self.rank}=" if self.rank_max > self.rank else str(self.rank)


@dataclass(frozen=True, slots=True)
class Ranking:
    """The contestants of one field, or of one side of it where two win, best first."""

    field: str
    side: Side | None
    standings: tuple[Standing, ...]


def rank(
    tallies: Iterable[Tally],
    extras: Extras | None = None,
    *,
    units_per_point: int = UNIT,
    decimals: int | None = None,
    top: int = 0,
) -> tuple[Standing, ...]:
    """Return contestants ranked by percentage where there is a top, by points where there is none.

    `top` is that of a board, in units, for adjustments that are a part of it. Those tie whose results are equal
    exactly, or to so many `decimals` of a per cent or a point where that is given.

    >>> one, two, three = (Contestant("A", number) for number in (1, 2, 3))
    >>> tallies = [Tally(three, 55, 100), Tally(one, 40, 100), Tally(two, 110, 200)]
    >>> [(s.rank, s.rank_max, str(s.contestant)) for s in rank(tallies)]
    [(1, 2, 'A2'), (1, 2, 'A3'), (3, 3, 'A1')]
    """
    counted = _CountedExtras(extras or Extras(), units_per_point, top)
    entries = sorted(
        (counted.add_to(tally) for tally in tallies), key=lambda entry: entry.contestant.place_in_list
    )
    scores = _scores(entries) if decimals is None else [_published(entry, decimals) for entry in entries]
    keyed = sorted(zip(scores, entries, strict=True), key=itemgetter(0), reverse=True)
    return tuple(
        Standing(first, last, entry.contestant, rounded(entry.units, entry.top // 2), *entry[2:])
        for (first, last), (_, entry) in zip(ranks([score for score, _ in keyed]), keyed, strict=True)
    )


class _Entry(NamedTuple):
    """A standing before its rank is known."""

    contestant: Contestant
    units: Units
    top: int
    boards: int
    carry_over: int
    adjustment: int
    handicap: float
    units_per_point: int


class _CountedExtras:
    """Extras in units, looked up by contestant."""

    def __init__(self, extras: Extras, units_per_point: int, top: int) -> None:
        self._scale = units_per_point
        times = units_per_point // UNIT
        self._carried = {
            contestant: (to_units(carried.points) * times, to_units(carried.top) * times)
            for contestant, carried in extras.carry_overs.items()
        }
        self._adjusted: dict[Contestant, int] = {}
        for one in extras.adjustments:
            before = self._adjusted.get(one.contestant, 0)
            if one.of_top and not top:
                raise BadInput(f"{one.contestant} cannot have {one.points} % of a top: there is none.")
            # Units of points and units of a per cent are alike: a ten-thousandth.
            given = to_units(one.points)
            added = rounded(Fraction(given * top, 100 * UNIT)) if one.of_top else given * times
            self._adjusted[one.contestant] = before + added
        self._handicaps = {who: float(handicap) for who, handicap in extras.handicaps.items()}

    def add_to(self, tally: Tally) -> _Entry:
        """Return the total of a tally."""
        who = tally.contestant
        carry_over, carried_top = self._carried.get(who, (0, 0))
        adjustment = self._adjusted.get(who, 0)
        handicap = self._handicaps.get(who, 0.0)
        units = tally.units
        if carry_over or adjustment:
            units += carry_over + adjustment
        top = tally.top + carried_top
        if top == 0 and handicap:
            units += to_units(handicap)
        return _Entry(who, units, top, tally.boards, carry_over, adjustment, handicap, self._scale)


def _scores(entries: Sequence[_Entry]) -> Sequence[int | Fraction]:
    """Return the sort key of each contestant: shares of different tops are compared exactly."""
    tops = {entry.top for entry in entries}
    if any(entry.handicap for entry in entries) or min(tops, default=0) <= 0 < max(tops, default=0):
        one_top = len({(entry.top, entry.handicap) for entry in entries}) <= 1
        return [entry.units if one_top else _score(entry) for entry in entries]
    # In whole numbers, because sorting fractions is slow.
    below = lcm(*(entry.units.denominator for entry in entries))
    units = [entry.units.numerator * (below // entry.units.denominator) for entry in entries]
    if len(tops) <= 1 or max(tops) <= 0:
        return units
    common = lcm(*tops)
    return [own * (common // entry.top) for own, entry in zip(units, entries, strict=True)]


def _score(entry: _Entry) -> Fraction:
    if entry.top <= 0:
        return Fraction(entry.units)
    return Fraction(entry.units, entry.top) + Fraction(str(entry.handicap)) / 100


def _published(entry: _Entry, decimals: int) -> int:
    """Return what each is ranked by where only the decimals count that are published."""
    if entry.top <= 0:
        return rounded(Fraction(entry.units * 10**decimals, entry.units_per_point))
    return rounded(_score(entry) * 100 * 10**decimals, 50 * 10**decimals)
