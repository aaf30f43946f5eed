"""Comparison of published results with our own scoring, and the rules that explain them. No file access.

Published files seldom say by which rules they were scored. `compare` scores the session in every variant of the named
method and keeps the variant that leaves the fewest differences without an explanation. A difference is explained if the
published figure follows from a known habit: a board not factored up to boards with more scores, figures truncated
instead of rounded, totals scaled to the number of boards played.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction

from overtrick.bridge import NotPlayed, PassedOut, Side
from overtrick.scoring.imps import Datum
from overtrick.scoring.lines import Contestant, Line
from overtrick.scoring.matchpoints import Unequal
from overtrick.scoring.method import Method
from overtrick.scoring.published import Published, PublishedLine, PublishedTotal
from overtrick.scoring.ranking import Adjustment, Extras, Standing
from overtrick.scoring.rules import RULE_SETS, WBF, ScoringRules, describe
from overtrick.scoring.scored import Scored, score
from overtrick.scoring.session import Options
from overtrick.scoring.vps import ScaleTable, parse_scale


@dataclass(frozen=True, slots=True)
class ScoringVariant:
    """A method with rules and options by which a session can be scored."""

    method: Method
    rules: ScoringRules = WBF
    single_top: bool = False
    in_sections: bool = False
    """True if the lines of a section are compared only with each other."""
    not_played_is_passed: bool = False

    def __str__(self) -> str:
        parts = [self.method.value]
        if self.method is Method.MATCHPOINTS:
            parts += [self.rules.unequal.value, "top n-1" if self.single_top else "top 2(n-1)"]
        if self.method.is_butler and self.rules.datum is not None:
            parts.append(f"datum {self.rules.datum.value}")
        if isinstance(self.rules.vp_scale, ScaleTable):
            parts.append(f"the scale {self.rules.vp_scale.name}")
        if not self.rules.better_average:
            parts.append("fixed averages")
        if self.in_sections:
            parts.append("each section alone")
        if self.not_played_is_passed:
            parts.append("a board that was not played counts as passed out")
        return ", ".join(parts)

    @property
    def rule_sets(self) -> tuple[str, ...]:
        """Return the names of the built-in rule sets that score like this; empty if none does.

        >>> ScoringVariant(Method.MATCHPOINTS).rule_sets
        ('WBF', 'ACBL', 'EBU', 'NZ')
        >>> ScoringVariant(Method.MATCHPOINTS, ScoringRules("", Unequal.OWN_TOP)).rule_sets
        ()
        """
        return tuple(
            name
            for name, rules in RULE_SETS.items()
            if all(getattr(rules, key) == value for key, value in self._choices)
        )

    @property
    def rules_text(self) -> str:
        """Return the built-in rule sets that score like this or, if none does, the choices that a new set needs.

        >>> ScoringVariant(Method.MATCHPOINTS, ScoringRules("", Unequal.OWN_TOP)).rules_text
        'none of the built-in rule sets; one with unequal = own-top, better_average = yes'
        """
        if sets := self.rule_sets:
            return ", ".join(sets)
        written = describe(self.rules)
        choices = ", ".join(f"{key} = {written[key]}" for key, _ in self._choices)
        return f"none of the built-in rule sets; one with {choices}"

    @property
    def _choices(self) -> Iterator[tuple[str, object]]:
        if self.method is Method.MATCHPOINTS:
            yield "unequal", self.rules.unequal
        if self.method.is_butler:
            yield "datum", self.rules.datum
        if isinstance(self.rules.vp_scale, ScaleTable):
            yield "vp_scale", self.rules.vp_scale
        if not self.method.is_teams:
            yield "better_average", self.rules.better_average


@dataclass(frozen=True, slots=True)
class Figure:
    """A published figure and the one that we computed."""

    label: str
    published: Decimal
    ours: Fraction | None
    agrees: bool = False
    explanation: str = ""
    """The rule that explains a difference; empty if none does."""
    board: int | None = None
    """The board number; None for the total of a contestant."""

    @property
    def ours_text(self) -> str:
        """Return our figure with two decimals, or "nothing" if there is none."""
        return "nothing" if self.ours is None else f"{float(self.ours):.2f}"

    def __str__(self) -> str:
        why = f" ({self.explanation})" if self.explanation else ""
        return f"{self.label}: {self.published} was published, {self.ours_text} is ours{why}."


@dataclass(frozen=True, slots=True)
class Comparison:
    """The comparison of published results with ours, scored by the variant that agrees with most of them."""

    variant: ScoringVariant
    figures: tuple[Figure, ...]
    """The figures of lines, then the totals."""

    @property
    def of_lines(self) -> tuple[Figure, ...]:
        """Return the figures of lines."""
        return tuple(figure for figure in self.figures if figure.board is not None)

    @property
    def of_totals(self) -> tuple[Figure, ...]:
        """Return the totals."""
        return tuple(figure for figure in self.figures if figure.board is None)

    @property
    def lines(self) -> int:
        """Return the number of figures of lines."""
        return len(self.of_lines)

    @property
    def lines_agree(self) -> int:
        """Return the number of figures of lines that agree."""
        return sum(figure.agrees for figure in self.of_lines)

    @property
    def totals(self) -> int:
        """Return the number of totals."""
        return len(self.of_totals)

    @property
    def totals_agree(self) -> int:
        """Return the number of totals that agree."""
        return sum(figure.agrees for figure in self.of_totals)

    @property
    def differences(self) -> tuple[Figure, ...]:
        """Return the figures that do not agree."""
        return tuple(figure for figure in self.figures if not figure.agrees)

    @property
    def is_explained(self) -> bool:
        """Return whether every difference has an explanation."""
        return all(difference.explanation for difference in self.differences)


def compare(published: Published) -> Comparison:
    """Score published results in every variant of their method and return the comparison that fits best."""
    comparisons = [_compare(published, variant) for variant in _variants(published)]
    return max(
        comparisons,
        key=lambda comparison: (
            -sum(not difference.explanation for difference in comparison.differences),
            comparison.lines_agree + comparison.totals_agree,
        ),
    )


def _variants(published: Published) -> Iterator[ScoringVariant]:
    has_sections = len({published_line.line.section for published_line in published.lines}) > 1
    for variant in _variants_of_method(published.method):
        yield variant
        if has_sections:
            yield replace(variant, in_sections=True)
        if any(isinstance(published_line.line.outcome, NotPlayed) for published_line in published.lines):
            yield replace(variant, not_played_is_passed=True)


def _variants_of_method(method: Method) -> Iterator[ScoringVariant]:
    if method is Method.MATCHPOINTS:
        for unequal in Unequal:
            for better_average in (True, False):
                for single_top in (False, True):
                    yield ScoringVariant(
                        method, ScoringRules("", unequal, better_average=better_average), single_top
                    )
    elif method.is_butler:
        for datum in Datum:
            for variant in (Method.BUTLER_MEAN, Method.BUTLER_MEAN_3):
                for better_average in (True, False):
                    yield ScoringVariant(
                        variant, ScoringRules("", datum=datum, better_average=better_average)
                    )
    elif method.is_imps:
        for variant in (m for m in Method if m.is_imps and not m.is_butler):
            for better_average in (True, False):
                yield ScoringVariant(variant, ScoringRules("", better_average=better_average))
    elif method.scale is not None:
        yield from (ScoringVariant(variant) for variant in Method if variant.scale is not None)
        yield ScoringVariant(method, ScoringRules("", vp_scale=TEAMSSCORER))
    else:
        yield ScoringVariant(method)


TEAMSSCORER = parse_scale(
    """
    name = "TeamsScorer, 3 boards"
    [[match]]
    boards = 3
    rows = [[0, 10, 10], [1, 11, 9], [2, 12, 8], [3, 13, 7], [5, 14, 6], [7, 15, 5], [9, 16, 4], [11, 17, 3],
            [14, 18, 2], [17, 19, 1], [21, 20, 0]]
    """
)
"""The scale of TeamsScorer's published matches of three boards, which differs from the EBU's. Published results confirm
it up to 18 VPs; the rows for 19 and 20 are extrapolated."""


def _compare(published: Published, variant: ScoringVariant) -> Comparison:
    scored = _score(published, variant)
    own_tops = None
    if variant.method is Method.MATCHPOINTS and variant.rules.unequal is not Unequal.OWN_TOP:
        own_tops = _score(published, replace(variant, rules=replace(variant.rules, unequal=Unequal.OWN_TOP)))
    figures = (*_figures_of_lines(published.lines, scored, own_tops), *_figures_of_totals(published, scored))
    return Comparison(variant, figures)


def _score(published: Published, variant: ScoringVariant) -> Scored:
    adjustments = [
        Adjustment(contestant, total.adjustment)
        for contestant, total in published.totals.items()
        if total.adjustment
    ]
    return score(
        [_line(published_line.line, variant) for published_line in published.lines],
        variant.method,
        options=Options(variant.rules, single_top=variant.single_top),
        extras=Extras(adjustments=adjustments),
    )


def _line(line: Line, variant: ScoringVariant) -> Line:
    if variant.in_sections:
        line = replace(line, field=line.section)
    if variant.not_played_is_passed and isinstance(line.outcome, NotPlayed):
        line = replace(line, outcome=PassedOut())
    return line


def _figures_of_lines(
    lines: Iterable[PublishedLine], scored: Scored, own_tops: Scored | None
) -> Iterator[Figure]:
    ours, with_own_tops = _by_line(scored), _by_line(own_tops)
    for published in lines:
        line = published.line
        for side, figure in ((Side.NS, published.ns), (Side.EW, published.ew)):
            if figure is None:
                continue
            our_figure = ours.get((line.key, side))
            label = f"board {line.board}, {line.ns} against {line.ew}, {side.value}"
            agrees = _agrees(figure, our_figure)
            explanation = ""
            if not agrees and _agrees(figure, with_own_tops.get((line.key, side))):
                explanation = "the points of this board alone, not brought up to boards with more scores"
            elif not agrees and _is_truncated(figure, our_figure):
                explanation = "truncated, not rounded"
            yield Figure(label, figure, our_figure, agrees, explanation, line.board)


def _by_line(scored: Scored | None) -> dict[tuple[tuple[str, int, int, int], Side], Fraction]:
    return {
        (scored_line.line.key, side): Fraction(side_score.units, side_score.units_per_point)
        for traveller in (scored.travellers if scored else ())
        for scored_line in traveller.lines
        for side in Side
        if (side_score := scored_line.score(side)) is not None
    }


def _figures_of_totals(published: Published, scored: Scored) -> Iterator[Figure]:
    standings = {
        standing.contestant: standing for ranking in scored.rankings for standing in ranking.standings
    }
    most_boards = max((standing.boards for standing in standings.values()), default=0)
    sums = _sums(published.lines)
    for contestant, total in published.totals.items():
        standing = standings.get(contestant)
        points, percentage = _points(standing), _percentage(standing)
        for label, figure, ours in (
            (f"{contestant}, total", total.points, points),
            (f"{contestant}, percentage", total.percentage, percentage),
        ):
            if figure is None:
                continue
            if _agrees(figure, ours):
                yield Figure(label, figure, ours, True)
                continue
            explanations = _explanations(
                total, points, percentage, standing, most_boards, sums.get(contestant)
            )
            explanation = next((words for words, value in explanations if _agrees(figure, value)), "")
            if not explanation and _is_truncated(figure, ours):
                explanation = "truncated, not rounded"
            yield Figure(label, figure, ours, False, explanation)


def _explanations(
    total: PublishedTotal,
    points: Fraction | None,
    percentage: Fraction | None,
    standing: Standing | None,
    most_boards: int,
    published_sum: Decimal | None,
) -> Iterator[tuple[str, Fraction]]:
    """Yield other values that a published total can have, each with the rule that gives it."""
    if percentage is not None:
        yield "a percentage in place of points", percentage
        if total.handicap:
            yield "with the handicap", percentage + Fraction(total.handicap)
            yield "with the mean of the partners' handicaps", percentage + Fraction(total.handicap / 2)
    if published_sum is not None:
        rounded_sum = Fraction(published_sum)
        yield "the sum of points that were rounded line by line", rounded_sum
        if standing is not None and standing.top:
            top = Fraction(standing.top, standing.units_per_point)
            yield "of points that were rounded line by line", 100 * rounded_sum / top
    if points is not None and standing is not None and standing.boards:
        yield "in proportion to the boards of those who played most", points * most_boards / standing.boards
        if total.points is not None and standing.top:
            full_top = Fraction(standing.top * most_boards, standing.units_per_point * standing.boards)
            yield "of the total as it was published", 100 * Fraction(total.points) / full_top


def _points(standing: Standing | None) -> Fraction | None:
    return None if standing is None else Fraction(standing.units, standing.units_per_point)


def _percentage(standing: Standing | None) -> Fraction | None:
    return Fraction(100 * standing.units, standing.top) if standing is not None and standing.top else None


def _sums(lines: Iterable[PublishedLine]) -> dict[Contestant, Decimal]:
    sums: dict[Contestant, Decimal] = {}
    for published in lines:
        for side, figure in ((Side.NS, published.ns), (Side.EW, published.ew)):
            for contestant in published.line.contestants(side):
                sums[contestant] = sums.get(contestant, Decimal(0)) + (figure or 0)
    return sums


def _agrees(published: Decimal, ours: Fraction | None) -> bool:
    """Return whether a published figure is ours, rounded to its own decimals.

    At least one and at most two decimals are compared; a half may be rounded up or down.
    """
    if ours is None:
        return False
    places = _places(published)
    return abs(Fraction(published) - ours) <= Fraction(1, 2 * 10**places) + Fraction(1, 10_000)


def _is_truncated(published: Decimal, ours: Fraction | None) -> bool:
    """Return whether a published figure is ours, truncated instead of rounded."""
    return ours is not None and 0 <= abs(ours) - abs(Fraction(published)) < Fraction(
        1, 10 ** _places(published)
    )


def _places(published: Decimal) -> int:
    exponent = published.as_tuple().exponent
    return min(2, max(1, -exponent)) if isinstance(exponent, int) else 2
