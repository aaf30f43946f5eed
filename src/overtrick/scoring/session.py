"""Incremental scoring of a session of pairs: matchpoints, Butler and cross-IMPs. Independent of events and clocks.

`Scorer` keeps the points of each board and the total of each contestant. A new, changed or removed line makes its board
stale; the next ranking rescores the stale boards and updates the totals of the contestants who played them.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from math import lcm

from overtrick.bridge import Percent, Side
from overtrick.errors import BadInput
from overtrick.scoring.boards import CountedSide, award_units, score_board
from overtrick.scoring.lines import Contestant, Line, Traveller, travellers
from overtrick.scoring.matchpoints import board_top
from overtrick.scoring.method import Method
from overtrick.scoring.points import UNIT, Units, exact, figure_text, percentage, rounded, short_figure
from overtrick.scoring.ranking import Adjustment, Extras, Ranking, Tally, rank
from overtrick.scoring.rules import WBF, ScoringRules

_Key = tuple[str, int, int, int]
_Board = tuple[str, int]


@dataclass(frozen=True, slots=True)
class Options:
    """Scoring options of a session of pairs, besides the method."""

    rules: ScoringRules = WBF
    expected: int | None = None
    """The least number of scores on a full board (matchpoints only); the board with the most lines can raise it."""
    single_top: bool = False
    """True if a top is published as n - 1 (one for a win, a half for a tie) instead of 2(n - 1)."""


@dataclass(frozen=True, slots=True)
class SideScore:
    """The points of one side of a line, in units."""

    units: int
    top: int
    award: Percent | Fraction | None = None
    units_per_point: int = UNIT

    @property
    def points(self) -> float:
        """The points as they are published."""
        return self.units / self.units_per_point

    @property
    def percentage(self) -> float | None:
        """The percentage of the top; None if there is no top."""
        return percentage(self.units, self.top)

    def points_text(self, decimals: int) -> str:
        """Return the points as they are printed, without zeros at the end of their decimals."""
        per_point = self.units_per_point
        return short_figure(
            figure_text(exact(self.units, per_point), decimals, exact(self.top, 2 * per_point))
        )


@dataclass(frozen=True, slots=True)
class ScoredLine:
    """A line with the score of each side; None for a side that does not count (not played, ruling pending)."""

    line: Line
    ns: SideScore | None
    ew: SideScore | None
    adjustments: tuple[tuple[Contestant, int], ...] = ()
    """The penalties and bonuses for this board, in units; not included in the scores."""

    def score(self, side: Side) -> SideScore | None:
        """Return the score of a side."""
        return self.ns if side is Side.NS else self.ew

    @property
    def units_per_point(self) -> int:
        """The number of units in a published point."""
        return next((score.units_per_point for score in (self.ns, self.ew) if score), UNIT)

    def adjustment(self, contestant: Contestant) -> int:
        """Return the units of the penalties and bonuses that a contestant has for this board."""
        return sum(units for adjusted, units in self.adjustments if adjusted == contestant)


@dataclass(frozen=True, slots=True)
class ScoredTraveller:
    """A traveller with the points of its lines."""

    field: str
    board: int
    lines: tuple[ScoredLine, ...]

    def adjusted(
        self, adjustments: Iterable[Adjustment], units: Callable[[Adjustment], int]
    ) -> "ScoredTraveller":
        """Return the traveller with the adjustments for its board on the lines of their contestants.

        An adjustment without a round is for the first round in which the contestant has the board.
        """
        adjustments_of: dict[_Key, list[tuple[Contestant, int]]] = {}
        for adjustment in adjustments:
            lines = [
                scored_line.line
                for scored_line in self.lines
                if adjustment.board == self.board
                and any(adjustment.contestant in scored_line.line.contestants(side) for side in Side)
                and adjustment.round in (None, scored_line.line.round)
            ]
            for line in lines:
                if line.round == min(other.round for other in lines):
                    adjustments_of.setdefault(line.key, []).append((adjustment.contestant, units(adjustment)))
        if not adjustments_of:
            return self
        return replace(
            self,
            lines=tuple(
                replace(scored_line, adjustments=tuple(adjustments_of.get(scored_line.line.key, ())))
                for scored_line in self.lines
            ),
        )


@dataclass(slots=True)
class _Total:
    """A contestant's exact total; awards are separate because their value depends on the result on other boards."""

    whole: int = 0
    parts: dict[int, int] = field(default_factory=dict)
    """The sum of the numerators of fractional units, by denominator, because adding fractions is slow."""
    top: int = 0
    boards: int = 0
    awards: dict[tuple[_Key, Side], tuple[Percent, int]] = field(default_factory=dict)
    """The percentage and the top of each award, by line and side: a contestant may sit on both sides of a table."""

    def add(self, units: Units, times: int) -> None:
        """Add units `times` times; -1 subtracts them."""
        if isinstance(units, int):
            self.whole += times * units
        else:
            denominator = units.denominator
            numerator = self.parts.get(denominator, 0) + times * units.numerator
            if numerator:
                self.parts[denominator] = numerator
            else:
                self.parts.pop(denominator, None)

    @property
    def units(self) -> Units:
        """Return the units won on boards without an award."""
        if not self.parts:
            return self.whole
        common_denominator = lcm(*self.parts)
        numerators = sum(
            numerator * (common_denominator // denominator) for denominator, numerator in self.parts.items()
        )
        return exact(self.whole * common_denominator + numerators, common_denominator)

    def result_without_awards(self, has_top: bool) -> Fraction | None:
        """Return the share of the top, or else the units per board, on boards without an award; None without such."""
        divisor = self.top if has_top else self.boards - len(self.awards)
        return Fraction(self.units) / divisor if divisor else None


class Scorer:
    """A scorer that takes lines one by one and rescores only the boards that changed.

    Raises BadInput for a method that scores matches of teams.

    >>> from overtrick.bridge import Outcome
    >>> a, b, c, d = (Contestant("A", number) for number in (1, 2, 3, 4))
    >>> scorer = Scorer()
    >>> scorer.put(Line(1, a, b, Outcome.parse("3NTN="), table=1))
    >>> scorer.put(Line(1, c, d, Outcome.parse("3NTN+1"), table=2))
    >>> [(s.rank, str(s.contestant), s.percentage) for s in scorer.rankings()[0].standings]
    [(1, 'A2', 100.0), (1, 'A3', 100.0), (3, 'A1', 0.0), (3, 'A4', 0.0)]
    """

    def __init__(self, method: Method = Method.MATCHPOINTS, options: Options | None = None) -> None:
        if method.is_teams:
            raise BadInput(
                f"{method.value} compares the two tables of a match; it does not score a session of pairs."
            )
        self.method = method
        self.options = options or Options()
        self._lines: dict[_Key, Line] = {}
        self._boards: dict[_Board, dict[_Key, Line]] = {}
        self._expected: dict[str, int] = {}
        self._totals: dict[str, dict[Contestant, _Total]] = {}
        self._counted: dict[_Board, list[CountedSide]] = {}
        self._stale: set[_Board] = set()

    def put(self, line: Line) -> None:
        """Add a line, or replace the one of the same section, table, round and board."""
        previous = self._lines.get(line.key)
        if previous is not None and previous.traveller != line.traveller:
            self.remove(line.key)
        self._lines[line.key] = line
        self._boards.setdefault(line.traveller, {})[line.key] = line
        self._stale.add(line.traveller)

    def remove(self, key: tuple[str, int, int, int]) -> None:
        """Remove the line of that section, table, round and board; do nothing if there is none."""
        line = self._lines.pop(key, None)
        if line is not None:
            del self._boards[line.traveller][key]
            self._stale.add(line.traveller)

    def rankings(self, extras: Extras | None = None) -> list[Ranking]:
        """Return the current ranking of each field; one for each side of a field with two winners."""
        self._rescore_stale_boards()
        rules = self.options.rules
        groups: dict[tuple[str, Side | None], list[Tally]] = {}
        with_extras = (extras or Extras()).contestants()
        for name, totals in self._totals.items():
            for contestant, total in totals.items():
                if total.boards or contestant in with_extras:
                    group = groups.setdefault((name, contestant.side), [])
                    group.append(self._tally(contestant, total))
        return [
            Ranking(
                name,
                side,
                rank(
                    groups[name, side],
                    extras,
                    units_per_point=self._units_per_point,
                    top=self._top(name),
                    rules=rules,
                ),
            )
            for name, side in sorted(groups, key=lambda group: (group[0], group[1] is Side.EW))
        ]

    def travellers(self, adjustments: Sequence[Adjustment] = ()) -> list[ScoredTraveller]:
        """Return all travellers with their points, and with the adjustments for their boards."""
        self._rescore_stale_boards()
        return [self._scored(traveller, adjustments) for traveller in travellers(self._lines.values())]

    def traveller(
        self, board: int, field: str = "", adjustments: Sequence[Adjustment] = ()
    ) -> ScoredTraveller:
        """Return the traveller of a board with its points; it has no lines if nobody has played the board."""
        self._rescore_stale_boards()
        lines = tuple(self._boards.get((field, board), {}).values())
        return self._scored(next(iter(travellers(lines)), Traveller(field, board, ())), adjustments)

    def _top(self, name: str) -> int | None:
        """Return the top of a full board of a field; None if the method has none."""
        return board_top(self._expected.get(name, 0)) if self.method.has_top else None

    @property
    def _units_per_point(self) -> int:
        has_single_top = self.method is Method.MATCHPOINTS and self.options.single_top
        return 2 * UNIT if has_single_top else UNIT

    def _rescore_stale_boards(self) -> None:
        if not self._stale:
            return
        for field_name in {field_name for field_name, _ in self._stale}:
            self._update_expected(field_name)
        for board in self._stale:
            self._score_board(board)
        self._stale.clear()

    def _update_expected(self, field_name: str) -> None:
        """Update the number of scores on a full board of a field; if it changes, mark all its boards stale."""
        if self.method is not Method.MATCHPOINTS:
            return
        boards = {board: lines for board, lines in self._boards.items() if board[0] == field_name}
        expected = max([self.options.expected or 0, *(len(lines) for lines in boards.values())])
        if self._expected.get(field_name) != expected:
            self._expected[field_name] = expected
            self._stale.update(boards)

    def _score_board(self, board: _Board) -> None:
        field_name, _ = board
        totals = self._totals.setdefault(field_name, {})
        for line, side, units, top, award in self._counted.pop(board, ()):
            for contestant in line.contestants(side):
                total = totals[contestant]
                total.boards -= 1
                if award is None:
                    total.add(units, -1)
                    total.top -= top
                else:
                    del total.awards[line.key, side]
        lines = list(self._boards[board].values())
        counted_sides = self._counted[board] = list(
            score_board(lines, self.method, self.options.rules, self._expected.get(field_name, 0))
        )
        for line, side, units, top, award in counted_sides:
            for contestant in line.contestants(side):
                total = totals.get(contestant) or totals.setdefault(contestant, _Total())
                total.boards += 1
                if award is None:
                    total.add(units, 1)
                    total.top += top
                else:
                    total.awards[line.key, side] = (award, top)

    def _award(self, percent: Percent, top: int, own_result: Fraction | None) -> Units:
        average_plus = self.method.average_plus if self.method.is_imps else None
        return award_units(percent, top, own_result, self.options.rules, average_plus)

    def _tally(self, contestant: Contestant, total: _Total) -> Tally:
        units, top = total.units, total.top
        if total.awards:
            own_result = total.result_without_awards(self.method.has_top)
            units += sum(self._award(percent, top, own_result) for percent, top in total.awards.values())
            top += sum(top for _, top in total.awards.values())
        return Tally(contestant, units, top, total.boards)

    def _scored(self, traveller: Traveller, adjustments: Sequence[Adjustment]) -> ScoredTraveller:
        scores: dict[tuple[_Key, Side], SideScore] = {}
        totals = self._totals.get(traveller.field, {})
        for line, side, units, top, award in self._counted.get((traveller.field, traveller.board), ()):
            if award is not None:
                own_result = totals[line.contestant(side)].result_without_awards(self.method.has_top)
                units = self._award(award, top, own_result)
            scores[line.key, side] = SideScore(rounded(units, top // 2), top, award, self._units_per_point)
        scored = ScoredTraveller(
            traveller.field,
            traveller.board,
            tuple(
                ScoredLine(line, scores.get((line.key, Side.NS)), scores.get((line.key, Side.EW)))
                for line in traveller.lines
            ),
        )
        full_top = self._top(traveller.field)
        return scored.adjusted(
            adjustments, lambda adjustment: adjustment.units(full_top, self._units_per_point)
        )
