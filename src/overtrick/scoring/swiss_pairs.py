"""Victory points for matches of pairs, as in a Swiss event. Independent of events and draws.

Boards are compared across the whole field, as in any session of pairs; the boards of two pairs in a round are their
match. With matchpoints, a table converts each pair's percentage of the match. With IMPs, the cross-IMP sum of a board
with r results is divided by √(r(r-1)/2), the match total is rounded to whole IMPs, and a scale for IMPs converts it.
The value of an award depends on the pair's result in the match, not in the session. A pair with two shorter matches in
a round (three pairs, each against the two others) gets the mean of both, each by the scale of its own length.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal, localcontext
from fractions import Fraction

from overtrick.bridge import Percent
from overtrick.errors import BadInput
from overtrick.scoring.boards import CountedSide, award_units, score_board
from overtrick.scoring.lines import Contestant, Line, travellers
from overtrick.scoring.matchpoints import board_top
from overtrick.scoring.method import Method
from overtrick.scoring.points import UNIT, Units, exact, rounded, to_units
from overtrick.scoring.ranking import (
    Adjustment,
    Extras,
    MatchKey,
    Ranking,
    Tally,
    adjustments_of_matches,
    rank,
)
from overtrick.scoring.session import Options
from overtrick.scoring.teams import MatchRuling
from overtrick.scoring.vps import victory_points


@dataclass(frozen=True, slots=True)
class PairView:
    """A match from one pair's side."""

    pair: Contestant
    opponents: Contestant
    boards: int
    result: Fraction | int
    """The percentage, or the whole IMPs won (negative: lost)."""
    units: int
    """The victory points, in units."""
    adjustment: Fraction | int = 0
    """The penalties and bonuses before the victory points, in per cent of the match or in IMPs; `result` includes
    them."""


@dataclass(frozen=True, slots=True)
class PairMatch:
    """A match of two pairs in a round; home sits North-South on its lowest board."""

    field: str
    round: int
    home: PairView
    away: PairView
    is_void: bool = False
    """True if its boards do not count; its points are those that the director assigned, if any."""
    has_assigned_points: bool = False
    """True if the director assigned points to a void match."""


@dataclass(frozen=True, slots=True)
class SitOut:
    """A pair without opponents in a round by the seating; `vps` of None means the rule set's victory points."""

    pair: Contestant
    round: int
    field: str = ""
    vps: Decimal | None = None


def score_pair_matches(
    lines: Iterable[Line],
    method: Method,
    options: Options | None = None,
    *,
    boards_per_match: int | None = None,
    adjustments: Sequence[Adjustment] = (),
    rulings: Iterable[MatchRuling] = (),
) -> list[PairMatch]:
    """Return the matches of a Swiss event of pairs, sorted by field, round and home pair.

    `method` is matchpoints or cross-IMPs; raise BadInput for another. `boards_per_match` selects the steps of the rule
    set's scale; the default is the number of counted boards, and the length in a ruling overrides both. `adjustments`
    change the result of their own pair in a match, before the scale. The results of a void match stay comparable with
    those of other tables, but its two pairs get the points of the ruling, if any.
    """
    if method is not Method.MATCHPOINTS and not method.value.startswith("cross-imps"):
        raise BadInput(f"{method.value} gives no victory points to pairs; matchpoints and cross-IMPs do.")
    options = options or Options()
    boards = travellers(lines)
    expected: dict[str, int] = {}
    for board in boards:
        line_count = max(expected.get(board.field, options.expected or 0), len(board.lines))
        expected[board.field] = line_count
    match_boards: dict[MatchKey, _MatchBoards] = {}
    for board in boards:
        board_method = Method.MATCHPOINTS if method is Method.MATCHPOINTS else Method.CROSS_IMPS
        counted_sides = list(score_board(board.lines, board_method, options.rules, expected[board.field]))
        for counted_side in counted_sides:
            line, side = counted_side[0], counted_side[1]
            match = match_boards.setdefault(
                (line.field, line.round, frozenset((line.ns, line.ew))), _MatchBoards(line.ns, line.ew, {})
            )
            match.boards.setdefault(line.contestant(side), []).append(
                (counted_side, _comparisons(counted_sides, counted_side))
            )
    scorer = _PairMatchScorer(method, options, boards_per_match)
    ruling_of_match = {(ruling.round, frozenset((ruling.one, ruling.other))): ruling for ruling in rulings}
    adjustments_of = adjustments_of_matches(
        adjustments, {key: match.board_numbers for key, match in match_boards.items()}
    )
    per_point = 2 * UNIT if options.single_top and method is Method.MATCHPOINTS else UNIT

    def view(key: MatchKey, pair: Contestant, opponents: Contestant) -> PairView:
        top = board_top(expected[key[0]]) if method is Method.MATCHPOINTS else None
        adjustment_units = sum(
            adjustment.units(top, per_point) for adjustment in adjustments_of.get((key, pair), ())
        )
        ruling = ruling_of_match.get(key[1:])
        return scorer.view(
            match_boards[key], pair, opponents, adjustment_units, ruling.boards if ruling else None
        )

    matches = [_void(ruling) for ruling in ruling_of_match.values() if ruling.is_void]
    for key, match in match_boards.items():
        ruling = ruling_of_match.get(key[1:])
        if ruling is None or not ruling.is_void:
            home, away = view(key, match.home, match.away), view(key, match.away, match.home)
            matches.append(PairMatch(key[0], key[1], home, away))
    return sorted(matches, key=lambda m: (m.field, m.round, m.home.pair.place_in_list))


def _void(ruling: MatchRuling) -> PairMatch:
    home_units, away_units = (to_units(points) for points in ruling.points or (0, 0))
    return PairMatch(
        ruling.field,
        ruling.round,
        PairView(ruling.one, ruling.other, 0, 0, home_units),
        PairView(ruling.other, ruling.one, 0, 0, away_units),
        is_void=True,
        has_assigned_points=bool(ruling.points),
    )


def pair_rankings(
    matches: Iterable[PairMatch],
    sit_outs: Sequence[SitOut] = (),
    options: Options | None = None,
    extras: Extras | None = None,
) -> list[Ranking]:
    """Return the ranking of each field by victory points."""
    rules = (options or Options()).rules
    rounds: dict[str, dict[Contestant, dict[int, list[PairView]]]] = {}
    for match in matches:
        for view in (match.home, match.away):
            views_by_round = rounds.setdefault(match.field, {}).setdefault(view.pair, {})
            if not match.is_void or match.has_assigned_points:
                views_by_round.setdefault(match.round, []).append(view)
    tallies: dict[str, dict[Contestant, Tally]] = {}
    for field, pairs in rounds.items():
        for pair, views_by_round in pairs.items():
            units: Units = sum(
                exact(sum(v.units for v in views), len(views)) for views in views_by_round.values()
            )
            boards = sum(view.boards for views in views_by_round.values() for view in views)
            tallies.setdefault(field, {})[pair] = Tally(pair, units, 0, boards)
    for sit_out in sit_outs:
        previous = tallies.setdefault(sit_out.field, {}).get(sit_out.pair, Tally(sit_out.pair, 0))
        vps = to_units(rules.sit_out_vps if sit_out.vps is None else sit_out.vps)
        tallies[sit_out.field][sit_out.pair] = Tally(sit_out.pair, previous.units + vps, 0, previous.boards)
    return [
        Ranking(field, None, rank(tallies[field].values(), extras, rules=rules)) for field in sorted(tallies)
    ]


@dataclass(frozen=True, slots=True)
class _MatchBoards:
    """The counted boards of a match for each pair, with the number of comparisons on each board."""

    home: Contestant
    away: Contestant
    boards: dict[Contestant, list[tuple[CountedSide, int]]]

    @property
    def board_numbers(self) -> set[int]:
        """Return the numbers of the counted boards."""
        return {counted[0].board for boards in self.boards.values() for counted, _ in boards}


def _comparisons(counted_sides: Iterable[CountedSide], counted_side: CountedSide) -> int:
    """Return the number of comparisons on a board between results of the same cards; 0 for an award."""
    line, side, _, _, award = counted_side
    if award is not None:
        return 0
    results = sum(
        other_side is side and other.version == line.version and award is None
        for other, other_side, _, _, award in counted_sides
    )
    return results * (results - 1) // 2


@dataclass(frozen=True, slots=True)
class _PairMatchScorer:
    """The conversion of the boards of a match into victory points."""

    method: Method
    options: Options
    length: int | None

    def view(
        self,
        match: _MatchBoards,
        pair: Contestant,
        opponents: Contestant,
        adjustment_units: int,
        length: int | None,
    ) -> PairView:
        """Return the match from a pair's side; `length` is the number of boards in a ruling, None without one."""
        boards = match.boards.get(pair, [])
        if not boards:
            return PairView(pair, opponents, 0, 0, 0)
        length = length or self.length or len(boards)
        if self.method is Method.MATCHPOINTS:
            tops = sum(counted[3] for counted, _ in boards)
            adjustment = Fraction(100 * adjustment_units, tops) if tops else 0
            percentage = self._percentage(boards) + adjustment
            units = self.options.rules.percentage_scale.split(percentage, length).own
            return PairView(pair, opponents, len(boards), percentage, units, adjustment)
        margin = self._margin(boards, adjustment_units)
        units = victory_points(self.options.rules.imp_scale, margin, length).own
        return PairView(pair, opponents, len(boards), margin, units, Fraction(adjustment_units, UNIT))

    def _percentage(self, boards: Sequence[tuple[CountedSide, int]]) -> Fraction:
        without_award = [counted for counted, _ in boards if counted[4] is None]
        units, top = (
            Fraction(sum(counted[2] for counted in without_award)),
            sum(counted[3] for counted in without_award),
        )
        own_result = units / top if top else None
        for counted, _ in boards:
            if counted[4] is not None:
                units += award_units(counted[4], counted[3], own_result, self.options.rules)
        tops = sum(counted[3] for counted, _ in boards)
        return 100 * units / tops if tops else Fraction(50)

    def _margin(self, boards: Sequence[tuple[CountedSide, int]], adjustment_units: int) -> int:
        with localcontext() as context:
            context.prec = 60
            without_award = [
                _scaled(counted[2], comparisons) for counted, comparisons in boards if counted[4] is None
            ]
            total = sum(without_award, Decimal(0))
            own_result = Fraction(total) / len(without_award) * UNIT if without_award else None
            awards: list[Percent] = [counted[4] for counted, _ in boards if counted[4] is not None]
            average_plus = self.method.average_plus
            award_total = sum(
                award_units(award, 0, own_result, self.options.rules, average_plus) for award in awards
            )
            # Cut off the rounding error of irrational roots, so that an exact half stays one.
            return rounded(
                Fraction((total + _decimal(award_total + adjustment_units)).quantize(Decimal(10) ** -40))
            )


def _scaled(units: Units, comparisons: int) -> Decimal:
    return _decimal(units) / Decimal(comparisons).sqrt() if comparisons else Decimal(0)


def _decimal(units: Units) -> Decimal:
    points = Fraction(units) / UNIT
    return Decimal(points.numerator) / Decimal(points.denominator)
