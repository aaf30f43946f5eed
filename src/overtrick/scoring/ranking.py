"""Rankings: totals and ranks. Independent of boards and methods.

Contestants who tie share a rank, and `rank_max` is the last rank of the tie: rank 5 with `rank_max` 7 is a tie of
three. Ranks are computed from exact totals; points are rounded to whole units afterwards.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from math import lcm
from operator import itemgetter
from typing import NamedTuple

from overtrick.bridge import Side
from overtrick.errors import BadInput
from overtrick.scoring.lines import Contestant
from overtrick.scoring.points import (
    UNIT,
    Units,
    exact,
    figure_text,
    percentage,
    rounded,
    rounded_figure,
    to_units,
)
from overtrick.scoring.rules import WBF, ScoringRules, Ties


def ranks(scores: Sequence[object]) -> list[tuple[int, int]]:
    """Return the rank and the last shared rank of each score; `scores` is sorted, best first.

    >>> ranks([9, 7, 7, 7, 2])
    [(1, 1), (2, 4), (2, 4), (2, 4), (5, 5)]
    """
    shared: list[tuple[int, int]] = []
    first = 0
    for index in range(1, len(scores) + 1):
        if index == len(scores) or scores[index] != scores[first]:
            shared.extend([(first + 1, index)] * (index - first))
            first = index
    return shared


@dataclass(frozen=True, slots=True)
class CarryOver:
    """A contestant's carry-over: points and, for matchpoints, the greatest possible number of them."""

    points: Decimal | float | str
    top: Decimal | float | str = 0


@dataclass(frozen=True, slots=True)
class Adjustment:
    """Points that the director adds to one contestant; negative for a penalty."""

    contestant: Contestant
    points: Decimal | float | str
    """In the unit of the ranking (matchpoints, IMPs or victory points), or in per cent of a top."""
    reason: str = ""
    of_top: bool = False
    """True if `points` are per cent of the top of a board."""
    board: int | None = None
    """The board that it is for; None for the whole session, or for the match of `round`."""
    round: int | None = None
    """The round of that board or match; None if the board alone says which."""

    def units(self, top: int | None, units_per_point: int = UNIT) -> int:
        """Return the units that it adds; raise BadInput if it is in per cent of a top and there is none.

        >>> Adjustment(Contestant("A", 1), -10, of_top=True).units(22 * UNIT)
        -22000
        """
        # A unit is a ten-thousandth, both of a point and of a per cent.
        units = to_units(self.points)
        if not self.of_top:
            return units * (units_per_point // UNIT)
        if top is None:
            raise BadInput(f"{self.contestant} cannot have {self.points} % of a top: there is none.")
        return rounded(Fraction(units * top, 100 * UNIT))


MatchKey = tuple[str, int, frozenset[Contestant]]
"""The field, the round and the two contestants of a match."""


def adjustments_of_matches(
    adjustments: Iterable[Adjustment], matches: Mapping[MatchKey, Collection[int]]
) -> dict[tuple[MatchKey, Contestant], list[Adjustment]]:
    """Return the adjustments for each match and contestant; `matches` has the boards of each match.

    If a contestant has two matches in the round, the adjustment is for the one with its board, or else for the first.
    """
    by_match: dict[tuple[MatchKey, Contestant], list[Adjustment]] = {}
    for adjustment in adjustments:
        candidates = [
            key
            for key, boards in matches.items()
            if adjustment.contestant in key[2]
            and adjustment.round in (None, key[1])
            and (adjustment.board is None or adjustment.board in boards)
        ]
        if candidates:
            first = min(
                candidates,
                key=lambda key: (key[1], sorted(contestant.place_in_list for contestant in key[2])),
            )
            by_match.setdefault((first, adjustment.contestant), []).append(adjustment)
    return by_match


@dataclass(frozen=True, slots=True)
class Extras:
    """Everything besides the boards that counts in a ranking.

    A handicap is added to the percentage where there is a top, to the points otherwise.
    """

    carry_overs: Mapping[Contestant, CarryOver] = field(default_factory=dict)
    adjustments: Sequence[Adjustment] = ()
    match_adjustments: Sequence[Adjustment] = ()
    """Adjustments in IMPs, matchpoints or per cent of a top that change a match before its victory points."""
    handicaps: Mapping[Contestant, Decimal | float | str] = field(default_factory=dict)
    unranked: Collection[Contestant] = ()
    """Contestants listed last, without a rank."""

    def contestants(self) -> set[Contestant]:
        """Return the contestants with a carry-over, a handicap or an adjustment."""
        return {
            *self.carry_overs,
            *self.handicaps,
            *(adjustment.contestant for adjustment in self.adjustments),
        }


@dataclass(frozen=True, slots=True)
class Tally:
    """The sum of a contestant's boards or matches, in exact units."""

    contestant: Contestant
    units: Units
    top: int = 0
    """The greatest possible number of units; 0 for methods without a top (IMPs, VPs)."""
    boards: int = 0


@dataclass(frozen=True, slots=True)
class Standing:
    """A line of a ranking."""

    rank: int
    """0 for a contestant without a rank."""
    rank_max: int
    contestant: Contestant
    units: int
    """The rounded total, including carry-over and adjustments."""
    top: int
    boards: int
    carry_over: int = 0
    adjustment: int = 0
    handicap: float = 0.0
    units_per_point: int = UNIT
    fraction: Fraction | None = field(default=None, compare=False)
    """The exact total if it is not a whole number of units."""
    decimals: int = field(default=WBF.decimals, compare=False)
    """The published decimals."""

    @property
    def exact_units(self) -> Units:
        """The units before they were rounded."""
        return self.units if self.fraction is None else self.fraction

    @property
    def points(self) -> float:
        """The points as they are published."""
        return self.units / self.units_per_point

    @property
    def percentage(self) -> float | None:
        """The percentage with the handicap; None if there is no top."""
        share = percentage(self.units, self.top)
        return None if share is None else share + self.handicap

    @property
    def points_text(self) -> str:
        """The points as they are printed."""
        per_point = self.units_per_point
        return figure_text(
            exact(self.exact_units, per_point), self.decimals, exact(max(0, self.top), 2 * per_point)
        )

    @property
    def percentage_text(self) -> str:
        """The percentage as it is printed; a dash if there is no top."""
        if self.top <= 0:
            return "–"
        return figure_text(_percentage(self.exact_units, self.top, self.handicap), self.decimals, 50)

    @property
    def rank_text(self) -> str:
        """The rank as it is printed."""
        return rank_text(self.rank, self.rank_max)


def rank_text(rank: int, rank_max: int) -> str:
    """Return a rank as it is printed: 3, 3= if it is shared, a dash if there is none.

    >>> rank_text(3, 3), rank_text(3, 4), rank_text(0, 0)
    ('3', '3=', '–')
    """
    if not rank:
        return "–"
    return f"{rank}=" if rank_max > rank else str(rank)


@dataclass(frozen=True, slots=True)
class Ranking:
    """The contestants of a field, or of one side of a field with two winners, best first."""

    field: str
    side: Side | None
    standings: tuple[Standing, ...]


def rank(
    tallies: Iterable[Tally],
    extras: Extras | None = None,
    *,
    units_per_point: int = UNIT,
    rules: ScoringRules = WBF,
    top: int | None = None,
) -> tuple[Standing, ...]:
    """Return contestants ranked by percentage where there is a top, by points otherwise.

    `top` is the top of a board in units, for adjustments in per cent of it: 0 while no board can be compared, None for
    methods without one, where such an adjustment raises BadInput. Results tie if they are exactly equal or, if the
    rules say so, if they are equal as they are printed.

    >>> one, two, three = (Contestant("A", number) for number in (1, 2, 3))
    >>> tallies = [Tally(three, 55, 100), Tally(one, 40, 100), Tally(two, 110, 200)]
    >>> [(s.rank, s.rank_max, str(s.contestant)) for s in rank(tallies)]
    [(1, 2, 'A2'), (1, 2, 'A3'), (3, 3, 'A1')]
    """
    extras_in_units = _ExtrasInUnits(extras or Extras(), units_per_point, top)
    entries = sorted(
        (extras_in_units.add_to(tally) for tally in tallies), key=lambda entry: entry.contestant.place_in_list
    )
    if rules.ties is Ties.PUBLISHED:
        scores: Sequence[int | Fraction] = [_published(entry, rules.decimals) for entry in entries]
    else:
        scores = _scores(entries)
    ranked = sorted(zip(scores, entries, strict=True), key=itemgetter(0), reverse=True)
    unranked = extras.unranked if extras else ()
    if unranked:
        ranked.sort(key=lambda scored_entry: scored_entry[1].contestant in unranked)
    shared_ranks = ranks(
        [score for score, entry in ranked if not unranked or entry.contestant not in unranked]
    )
    shared_ranks += [(0, 0)] * (len(ranked) - len(shared_ranks))
    return tuple(
        Standing(
            first,
            last,
            entry.contestant,
            rounded(entry.units, entry.top // 2),
            *entry[2:],
            entry.units if isinstance(entry.units, Fraction) else None,
            rules.decimals,
        )
        for (first, last), (_, entry) in zip(shared_ranks, ranked, strict=True)
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


class _ExtrasInUnits:
    """Extras in units, looked up by contestant."""

    def __init__(self, extras: Extras, units_per_point: int, top: int | None) -> None:
        self._scale = units_per_point
        scale = units_per_point // UNIT
        self._carried = {
            contestant: (to_units(carried.points) * scale, to_units(carried.top) * scale)
            for contestant, carried in extras.carry_overs.items()
        }
        self._adjusted: dict[Contestant, int] = {}
        for adjustment in extras.adjustments:
            previous = self._adjusted.get(adjustment.contestant, 0)
            self._adjusted[adjustment.contestant] = previous + adjustment.units(top, units_per_point)
        self._handicaps = {contestant: float(handicap) for contestant, handicap in extras.handicaps.items()}

    def add_to(self, tally: Tally) -> _Entry:
        """Return a tally with its extras added."""
        contestant = tally.contestant
        # Skip look-ups in empty mappings: most rankings have no extras, and each look-up hashes a contestant.
        carry_over, carried_top = self._carried.get(contestant, (0, 0)) if self._carried else (0, 0)
        adjustment = self._adjusted.get(contestant, 0) if self._adjusted else 0
        handicap = self._handicaps.get(contestant, 0.0) if self._handicaps else 0.0
        units = tally.units
        if carry_over or adjustment:
            units += carry_over + adjustment
        top = tally.top + carried_top
        if top == 0 and handicap:
            units += to_units(handicap)
        return _Entry(contestant, units, top, tally.boards, carry_over, adjustment, handicap, self._scale)


def _scores(entries: Sequence[_Entry]) -> Sequence[int | Fraction]:
    """Return the exact sort key of each entry; with different tops, the share of the top."""
    tops = {entry.top for entry in entries}
    if any(entry.handicap for entry in entries) or min(tops, default=0) <= 0 < max(tops, default=0):
        has_one_top = len({(entry.top, entry.handicap) for entry in entries}) <= 1
        return [entry.units if has_one_top else _score(entry) for entry in entries]
    # Convert to whole numbers, because sorting fractions is slow.
    denominator = lcm(*(entry.units.denominator for entry in entries))
    units = [entry.units.numerator * (denominator // entry.units.denominator) for entry in entries]
    if len(tops) <= 1 or max(tops) <= 0:
        return units
    common_top = lcm(*tops)
    return [own_units * (common_top // entry.top) for own_units, entry in zip(units, entries, strict=True)]


def _score(entry: _Entry) -> Fraction:
    if entry.top <= 0:
        return Fraction(entry.units)
    return _percentage(entry.units, entry.top, entry.handicap)


def _percentage(units: Units, top: int, handicap: float) -> Fraction:
    """Return the exact percentage with the handicap."""
    share = Fraction(100 * units, top)
    return share + Fraction(str(handicap)) if handicap else share


def _published(entry: _Entry, decimals: int) -> int:
    """Return the points or the percentage of an entry, rounded as published, in units of the last decimal."""
    if entry.top <= 0:
        return rounded_figure(exact(entry.units, entry.units_per_point), decimals)
    return rounded_figure(_percentage(entry.units, entry.top, entry.handicap), decimals, 50)
