"""The arithmetic of a ruling: sentences and charts that explain the points of a ruled board. Read-only.

The resulting points are always those of the scorer. Has no dependency on HTML.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

from overtrick.bridge import Award, Cancelled, NotPlayed, Outcome, Side, Undecided, vulnerability
from overtrick.event.place import Place
from overtrick.scoring import Contestant, Line, Method
from overtrick.scoring.boards import AVERAGE_MINUS, AVERAGE_PLUS
from overtrick.scoring.imps import cross_imps, datum, imps
from overtrick.scoring.matchpoints import SmallGroups, Unequal, matchpoints
from overtrick.scoring.points import UNIT, Units, figure_text, short_figure
from overtrick.scoring.rules import ScoringRules
from overtrick.scoring.session import ScoredLine, ScoredTraveller, SideScore
from overtrick.scoring.teams import Match, MatchBoard
from overtrick.words import counted

SIDE_WORDS = {Side.NS: "N-S", Side.EW: "E-W"}


@dataclass(frozen=True, slots=True)
class ChartRow:
    """A score on a chart, with its frequency and its points for the side of the chart."""

    score: str
    times: str
    points: str
    """Empty for a score that occurs only as part of a weighted score, which has no points of its own."""


@dataclass(frozen=True, slots=True)
class Chart:
    """The scores that a side is compared with, as seen by North-South."""

    title: str
    unit: str
    rows: tuple[ChartRow, ...]


@dataclass(frozen=True, slots=True)
class Arithmetic:
    """The steps and charts that lead to the points of a ruling."""

    steps: tuple[str, ...] = ()
    charts: tuple[Chart, ...] = ()


NO_ARITHMETIC = Arithmetic()


@dataclass(frozen=True, slots=True)
class RealBoards:
    """The sum of a contestant's boards without awards, with which an average plus or minus is compared."""

    units: int = 0
    top: int = 0
    boards: int = 0

    def plus(self, score: SideScore) -> "RealBoards":
        """Return the sum with one more board."""
        return RealBoards(self.units + score.units, self.top + score.top, self.boards + 1)


def real_boards(travellers: Iterable[ScoredTraveller]) -> dict[Contestant, RealBoards]:
    """Return the sum of each contestant's boards without awards."""
    sums: dict[Contestant, RealBoards] = {}
    for traveller in travellers:
        for scored in traveller.lines:
            for side in Side:
                score = scored.score(side)
                if score is not None and score.award is None:
                    for contestant in scored.line.contestants(side):
                        sums[contestant] = sums.get(contestant, RealBoards()).plus(score)
    return sums


def figure(number: Units | Decimal | float) -> str:
    """Return a number with at most four decimals.

    >>> figure(Fraction(493, 60)), figure(6.9), figure(-3), figure(Fraction(0))
    ('8.2167', '6.9', '-3', '0')
    """
    exactly = Fraction(str(number)) if isinstance(number, float) else Fraction(number)
    return short_figure(figure_text(exactly, 4))


def signed_figure(number: Units) -> str:
    """Return a number as a part of a sum.

    >>> signed_figure(Fraction(-5, 2)), signed_figure(3)
    ('- 2.5', '+ 3')
    """
    return f"{'-' if number < 0 else '+'} {figure(abs(Fraction(number)))}"


def signed(score: int) -> str:
    """Return a score with its sign.

    >>> signed(420), signed(-50), signed(0)
    ('+420', '-50', '0')
    """
    return f"{score:+}" if score else "0"


def _points(units: Units, units_per_point: int = UNIT) -> str:
    return figure(Fraction(units) / units_per_point)


def _scores(line: Line, side: Side) -> list[tuple[Fraction, int]]:
    return list(line.outcome_for(side).ns_scores(vulnerability(line.board)))


def _counts(lines: Iterable[Line], side: Side) -> dict[int, Units]:
    """Return the frequency of each score on a side's chart; a part of a weighted score counts its weight."""
    counts: dict[int, Units] = {}
    for line in lines:
        for weight, score in _scores(line, side):
            counts[score] = counts.get(score, 0) + weight
    return counts


def _mean(parts: Iterable[tuple[Fraction, Units]]) -> tuple[str, Fraction]:
    """Return the weighted sum of figures, in words and as a number."""
    parts = list(parts)
    total = sum((weight * value for weight, value in parts), Fraction(0))
    if len(parts) == 1:
        return figure(total), total
    words = " + ".join(f"{figure(100 * weight)} % of {figure(value)}" for weight, value in parts)
    return f"{words} = {figure(total)}", total


class BoardArithmetic:
    """The arithmetic of one board of a session of pairs or individuals."""

    def __init__(
        self,
        traveller: ScoredTraveller,
        method: Method,
        rules: ScoringRules,
        real: Mapping[Contestant, RealBoards],
    ) -> None:
        self._traveller = traveller
        self._method = method
        self._rules = rules
        self._real = real

    def of_result(self, place: Place) -> Arithmetic:
        """Return the arithmetic of the result at a place; empty if the traveller has no result from there."""
        scored = next((line for line in self._traveller.lines if line.line.key == place), None)
        if scored is None:
            return Arithmetic()
        line = scored.line
        is_split = line.ew_outcome is not None
        steps = self._groups()
        charts: list[Chart] = []
        for side in (Side.NS, Side.EW):
            outcome = line.outcome_for(side)
            is_same_for_ew = side is Side.EW and not is_split
            if isinstance(outcome, Award):
                steps.append(self._award_step(scored, side))
            elif isinstance(outcome, Undecided | NotPlayed | Cancelled):
                steps += [] if is_same_for_ew else [_uncounted_step(outcome)]
            elif is_same_for_ew:
                steps += self._east_west_step(scored)
            else:
                title = f"Chart of {SIDE_WORDS[side]}" if is_split else "Chart"
                charts.append(self._chart(line.version, side, title))
                steps += self._comparison_steps(scored, side)
        return Arithmetic(tuple(steps), tuple(charts))

    def of_versions(self) -> Arithmetic:
        """Return the arithmetic of a fouled board: the chart of each group of tables."""
        versions = sorted({scored.line.version for scored in self._traveller.lines})
        return Arithmetic(
            tuple(self._groups()),
            tuple(
                self._chart(version, Side.NS, f"Cards {version}" if version else "Cards as dealt")
                for version in versions
            ),
        )

    # The chart ----------------------------------------------------------------------------------------------------

    def _group(self, version: str) -> list[ScoredLine]:
        return [scored for scored in self._traveller.lines if scored.line.version == version]

    def _size(self, version: str) -> int:
        return int(sum(_counts((scored.line for scored in self._group(version)), Side.NS).values()))

    def _chart(self, version: str, side: Side, title: str) -> Chart:
        group = self._group(version)
        worth: dict[int, SideScore] = {}
        for scored in group:
            plain, score = scored.line.score_for(side), scored.score(side)
            if plain is not None and score is not None:
                worth.setdefault(plain, score)
        counts = _counts((scored.line for scored in group), side)
        return Chart(
            f"{title}: {counted(int(sum(counts.values())), 'score')}",
            f"{SIDE_WORDS[side]} {self._method.point}",
            tuple(
                ChartRow(
                    signed(score),
                    figure(counts[score]),
                    _points(worth[score].units, worth[score].units_per_point) if score in worth else "",
                )
                for score in sorted(counts, reverse=side is Side.NS)
            ),
        )

    def _groups(self) -> list[str]:
        """Return the sentence about the groups of a fouled board; an empty list for other boards."""
        versions = sorted({scored.line.version for scored in self._traveller.lines})
        if len(versions) < 2:
            return []
        sizes = " and ".join(str(self._size(version)) for version in versions)
        rule = {
            SmallGroups.FORMULA: "each group is brought up to a full board",
            SmallGroups.EBU: "at most three scores that are at most a third of the board get fixed percentages",
            SmallGroups.ACBL: "fewer than four scores get fixed percentages, except three that are the larger group",
        }[self._rules.small_groups]
        return [f"Fouled board: groups of {sizes} scores; {rule} ({self._rules.name})."]

    # The steps ----------------------------------------------------------------------------------------------------

    def _comparison_steps(self, scored: ScoredLine, side: Side) -> list[str]:
        """Return the steps from the scores of a chart to the points of a side."""
        line, score = scored.line, scored.score(side)
        if score is None:
            return []
        side_words = SIDE_WORDS[side]
        if score.award is not None:
            points = _points(score.units, score.units_per_point)
            return [f"{side_words}: nobody to compare with, so an award of {score.award} %: {points}."]
        parts = _scores(line, side)
        group = [scored.line for scored in self._group(line.version)]
        others = _counts((other for other in group if other.key != line.key), side)
        match self._method:
            case Method.MATCHPOINTS:
                return self._matchpoints(line.version, score, side, parts, others)
            case method if method.is_butler:
                return self._butler(side, parts, _counts(group, side))
        return self._cross_imps(side, parts, others)

    def _matchpoints(
        self,
        version: str,
        score: SideScore,
        side: Side,
        parts: list[tuple[Fraction, int]],
        others: dict[int, Units],
    ) -> list[str]:
        side_words, units_per_point = SIDE_WORDS[side], score.units_per_point
        points, point = _points(score.units, units_per_point), Fraction(UNIT, units_per_point)
        actual = int(sum(others.values())) + 1
        expected = score.top // (2 * UNIT) + 1
        if self._is_fixed(version, actual, expected):
            share = figure(Fraction(100 * score.units, score.top))
            return [f"{side_words}: {share} % of a top of {_points(score.top, units_per_point)} = {points}."]
        worths = []
        for weight, ns_score in parts:
            units = matchpoints({**others, ns_score: others.get(ns_score, 0) + 1}, unequal=Unequal.OWN_TOP)[
                ns_score
            ]
            worth = Fraction(units) / units_per_point
            worths.append((weight, worth if side is Side.NS else 2 * point * (actual - 1) - worth))
        words, total = _mean(worths)
        compared = counted(actual - 1, "other score")
        if len(parts) == 1:
            steps = [f"{side_words}: {signed(parts[0][1])} gets {words} against {compared}."]
        else:
            listed = ", ".join(
                f"{signed(ns_score)} would get {figure(worth)}"
                for (_, ns_score), (_, worth) in zip(parts, worths, strict=True)
            )
            steps = [f"{side_words}, against {compared}: {listed}. {words}."]
        if actual == expected or self._rules.unequal is Unequal.OWN_TOP:
            return steps
        if self._rules.unequal is Unequal.NEUBERG:
            formula = (
                f"Neuberg: ({figure(total)} + {figure(point)}) × {expected} / {actual} - {figure(point)}"
            )
        else:
            formula = f"factored: {figure(total)} × {expected - 1} / {actual - 1}"
        return [*steps, f"{side_words}, {counted(actual, 'score')} of {expected}, {formula} = {points}."]

    def _is_fixed(self, version: str, actual: int, expected: int) -> bool:
        """Return whether a group of a fouled board gets fixed percentages."""
        others = {scored.line.version for scored in self._traveller.lines} - {version}
        largest = max((self._size(other) for other in others), default=None)
        return largest is not None and self._rules.small_groups.is_small(actual, expected, largest)

    def _butler(self, side: Side, parts: list[tuple[Fraction, int]], counts: dict[int, Units]) -> list[str]:
        middle = datum(counts, self._rules.datum or self._method.datum)
        assert middle is not None  # the line itself is on the chart
        sign = 1 if side is Side.NS else -1
        worths = [(weight, sign * imps(ns_score - middle)) for weight, ns_score in parts]
        listed = ", ".join(
            f"{signed(ns_score)} is {signed(worth)}"
            for (_, ns_score), (_, worth) in zip(parts, worths, strict=True)
        )
        words, _ = _mean(worths)
        return [f"Datum {signed(middle)}.", f"{SIDE_WORDS[side]}, in IMPs: {listed}. {words}."]

    def _cross_imps(
        self, side: Side, parts: list[tuple[Fraction, int]], others: dict[int, Units]
    ) -> list[str]:
        sign = 1 if side is Side.NS else -1
        worths = []
        for weight, ns_score in parts:
            total = cross_imps({**others, ns_score: others.get(ns_score, 0) + 1})[ns_score]
            worths.append((weight, sign * Fraction(total) / UNIT))
        listed = ", ".join(
            f"{signed(ns_score)} would get {figure(worth)}"
            for (_, ns_score), (_, worth) in zip(parts, worths, strict=True)
        )
        words, total_worth = _mean(worths)
        compared = int(sum(others.values()))
        steps = [
            f"{SIDE_WORDS[side]}, in IMPs against {counted(compared, 'other score')}: {listed}. {words}."
        ]
        if self._method.is_average and compared:
            steps.append(f"Average: {figure(total_worth)} / {compared} = {figure(total_worth / compared)}.")
        return steps

    def _east_west_step(self, scored: ScoredLine) -> list[str]:
        """Return the step to East-West's points where both sides have the same result."""
        ns, ew = scored.ns, scored.ew
        if ns is None or ew is None:
            return []
        if ew.top and ns.units + ew.units == ew.top:
            figures = (_points(units, ew.units_per_point) for units in (ew.top, ns.units, ew.units))
            return ["E-W: {} - {} = {}.".format(*figures)]
        return [f"E-W: {_points(ew.units, ew.units_per_point)}."]

    def _award_step(self, scored: ScoredLine, side: Side) -> str:
        line, score = scored.line, scored.score(side)
        percent = line.award_for(side)
        assert percent is not None  # it is an award
        side_words = SIDE_WORDS[side]
        if score is None:
            return f"{side_words}: an award of {percent} %."
        units_per_point = score.units_per_point
        if score.top:
            fixed = Fraction(percent) * score.top / 100
            top, points = _points(score.top, units_per_point), _points(fixed, units_per_point)
            words = f"{side_words}: {percent} % of a top of {top} = {points}."
        else:
            plus = self._rules.imps_of_average_plus(self._method.average_plus)
            fixed = (Fraction(percent) - 50) / 10 * Fraction(plus) * UNIT
            words = f"{side_words}: an award of {percent} % is {_points(fixed)} IMPs (60 % is {plus})."
        if not self._rules.better_average or percent not in (AVERAGE_PLUS, AVERAGE_MINUS):
            return words
        is_plus = percent == AVERAGE_PLUS
        return f"{words} {self._compare_with_session(line.contestant(side), score, fixed, is_plus=is_plus)}"

    def _compare_with_session(
        self, contestant: Contestant, score: SideScore, fixed: Fraction, *, is_plus: bool
    ) -> str:
        """Return the comparison of an average plus or minus with the contestant's own session."""
        real = self._real.get(contestant, RealBoards())
        divisor = real.top if score.top else real.boards
        if not divisor:
            return "The pair has no other boards to compare with."
        share = Fraction(real.units, divisor)
        boards, points = counted(real.boards, "real board"), _points(score.units, score.units_per_point)
        if score.top:
            worth = share * score.top
            session_words = (
                f"{figure(100 * share)} % on {boards}, worth {_points(worth, score.units_per_point)}"
            )
        else:
            worth = share
            session_words = f"an average of {_points(worth)} IMPs on {boards}"
        is_own = worth > fixed if is_plus else worth < fixed
        reason = f"which is {'better' if is_plus else 'worse'}, so" if is_own else "so"
        return f"The pair has {session_words}, {reason} {points} counts."


def _uncounted_step(outcome: Outcome) -> str:
    if isinstance(outcome, Undecided):
        return "The ruling is pending: until then the result does not count."
    if isinstance(outcome, NotPlayed):
        return "Not played: nobody scores, and the pairs have one board fewer."
    return "Cancelled: the result does not count, nobody gets an award, and the pairs have one board fewer."


def match_steps(match: Match, board: int, method: Method, rules: ScoringRules) -> tuple[str, ...]:
    """Return the steps from the differences of a board to the points of each team of a match."""
    steps = []
    for view in (match.home, match.away):
        for match_board in view.boards:
            if match_board.board == board:
                steps.append(f"Team {view.team.number}: {_match_board(match_board, method, rules)}")
    return tuple(steps)


def _match_board(board: MatchBoard, method: Method, rules: ScoringRules) -> str:
    if method in (Method.BOARD_A_MATCH, Method.PATTON):
        return f"{_points(board.board_a_match_units)} of 2."
    worth = _points(board.exact_imps(method.average_plus, rules))
    if board.agreed_imps is not None:
        return f"{worth} IMPs; the two sides do not balance, so both teams get the average (Law 12C4)."
    if board.award is not None:
        return f"an award of {figure(board.award)} % is {worth} IMPs."
    listed = ", ".join(f"{signed(difference)} is {imps(difference)}" for _, difference in board.differences)
    words, _ = _mean((weight, imps(difference)) for weight, difference in board.differences)
    return f"in IMPs {listed}. {words}." if len(board.differences) > 1 else f"{listed} IMPs."
