"""Matches of two teams: IMPs, victory points, board-a-match and Patton. Independent of events and clocks.

A match is played at two tables: each team sits North-South at one and East-West at the other, and a board is
compared between the two. Each team has its own view of a match: awards and separate results may give one side
something without taking it from the other. In a knock-out the two views of a board are averaged (Law 12C4).
Carry-overs and adjustments are added by the ranking, except adjustments in IMPs where victory points follow.

A board that was fouled at one table only was played with different cards at the two tables (Law 87), so its results
are not comparable and Law 86B2 applies: the board does not count until the director has ruled, by an award for each
side, or by a weighted score at one table (Law 12C1c), which is then compared with the result of the other table.

Patton counts a match of n boards as 4n points: 2n by board-a-match, 2n in the proportion of the total points
that the two teams gained on the boards they won (half each when neither gained anything).
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction

from overtrick.bridge import Percent, Side, Weighted, vulnerability
from overtrick.scoring.imps import imps
from overtrick.scoring.lines import Contestant, Line, WeightedScore, is_counted
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
from overtrick.scoring.rules import WBF, ScoringRules
from overtrick.scoring.vps import victory_points


@dataclass(frozen=True, slots=True)
class MatchBoard:
    """A counted board of a match, from one team's side."""

    board: int
    differences: WeightedScore
    """The differences in total points with their weights: more than one if a table has a weighted score. If both have,
    every two results are combined and their weights multiplied. Empty if there is an award."""
    award: Percent | Fraction | None = None
    """The percentage of an award; the mean if there is an award at each table."""
    agreed_imps: Units | None = None
    """The averaged IMPs in a knock-out, in units, if the two views of the board do not balance (Law 12C4)."""
    units: int = 0
    """The IMPs won, or lost, by the method and rules of the match, in units."""

    @property
    def imps(self) -> float:
        """Return the IMPs won, or lost, by the method and rules of the match."""
        return self.units / UNIT

    @property
    def difference(self) -> Units:
        """Return the total points that the team won; the weighted mean if there are several differences."""
        return sum((weight * difference for weight, difference in self.differences), Fraction(0))

    def exact_imps(self, average_plus: int, rules: ScoringRules = WBF) -> Units:
        """Return the IMPs won, or lost, in exact units."""
        if self.agreed_imps is not None:
            return self.agreed_imps
        if self.award is not None:
            sixty = rules.imps_of_average_plus(average_plus)
            return exact((Fraction(self.award) - 50) * Fraction(sixty) * UNIT, 10)
        return exact(UNIT * sum(weight * imps(difference) for weight, difference in self.differences), 1)

    def imp_units(self, average_plus: int, rules: ScoringRules = WBF) -> int:
        """Return the IMPs won, or lost, in whole units."""
        return rounded(self.exact_imps(average_plus, rules))

    @property
    def board_a_match_units(self) -> Units:
        """Return the units by board-a-match: two points for a won board, one for a tie, or an award's share of two."""
        if self.award is not None:
            return exact(2 * UNIT * Fraction(self.award), 100)
        return exact(UNIT * sum(weight * (1 + (won > 0) - (won < 0)) for weight, won in self.differences), 1)


@dataclass(frozen=True, slots=True)
class TeamMatchView:
    """A match from one team's side."""

    team: Contestant
    opponents: Contestant
    boards: tuple[MatchBoard, ...]
    own_imps: int
    """IMPs won, in units."""
    their_imps: int
    """IMPs lost, in units."""
    units: int = 0
    """The team's points for the match by the method, in units."""
    top: int = 0
    adjustment: int = 0
    """The team's penalties and bonuses in IMPs where victory points follow, in units; not in `own_imps`."""
    is_in_vps: bool = False
    """True if the method gives victory points."""

    @property
    def imps(self) -> float:
        """Return the IMPs won."""
        return self.own_imps / UNIT

    @property
    def points(self) -> float:
        """Return the team's points for the match by the method."""
        return self.units / UNIT

    @property
    def vps(self) -> float | None:
        """Return the victory points; None if the method gives none."""
        return self.points if self.is_in_vps else None


@dataclass(frozen=True, slots=True)
class Match:
    """A match of two teams in a round; home sits North-South at the lower table."""

    field: str
    round: int
    home: TeamMatchView
    away: TeamMatchView
    fouled: tuple[int, ...] = ()
    """The boards that were played with different cards at the two tables and await a ruling."""
    is_void: bool = False
    """True if its boards do not count; its points are those that the director assigned, if any."""
    has_assigned_points: bool = False
    """True if the director assigned points to a void match."""

    def view(self, team: Contestant) -> TeamMatchView:
        """Return the match as seen by a team."""
        return self.home if self.home.team == team else self.away


@dataclass(frozen=True, slots=True)
class MatchRuling:
    """The director's decision about a whole match of two teams, or of two pairs, in a round: void, or shortened.

    The boards of a void match do not count; each side gets the assigned points, if any. A shortened match uses the
    scale of victory points for its own length.
    """

    round: int
    one: Contestant
    other: Contestant
    boards: int | None = None
    """The length of a shortened match; None if it is not shortened."""
    is_void: bool = False
    points: tuple[Decimal, Decimal] | None = None
    """The points of `one` and `other` for a void match; None if it counts for neither."""
    field: str = ""

    @property
    def match(self) -> MatchKey:
        """Return the field, the round and the two teams."""
        return self.field, self.round, frozenset((self.one, self.other))


def score_matches(
    lines: Iterable[Line],
    method: Method,
    boards_per_match: int | None = None,
    rules: ScoringRules = WBF,
    *,
    is_knockout: bool = False,
    rulings: Iterable[MatchRuling] = (),
    adjustments: Iterable[Adjustment] = (),
) -> list[Match]:
    """Return the matches that the lines of their two tables make up, sorted by field, round and home team.

    `boards_per_match` selects the scale of victory points; the default is the number of boards with a line so far. The
    length in a ruling overrides both. A void match is returned even if none of its boards was played. `adjustments` are
    in IMPs; each changes the victory points of its own team alone.

    >>> from overtrick.bridge import Outcome
    >>> one, two = Contestant("", 1), Contestant("", 2)
    >>> open_room = Line(1, one, two, Outcome.parse("4SN="), table=1, round=1)
    >>> closed_room = Line(1, two, one, Outcome.parse("4SN-1"), table=2, round=1)
    >>> match = score_matches([open_room, closed_room], Method.of("team-imps"))[0]
    >>> match.home.imps, match.away.imps, [board.imps for board in match.home.boards]
    (10.0, 0.0, [10.0])
    """
    lines_of: dict[MatchKey, list[Line]] = {}
    for line in lines:
        lines_of.setdefault((line.field, line.round, frozenset((line.ns, line.ew))), []).append(line)
    scorer = _TeamMatchScorer(method, rules, is_knockout)
    ruling_of_match = {ruling.match: ruling for ruling in rulings}
    adjustments_of = adjustments_of_matches(
        adjustments, {key: {line.board for line in match_lines} for key, match_lines in lines_of.items()}
    )
    matches = [_void(ruling) for ruling in ruling_of_match.values() if ruling.is_void]
    for key, match_lines in lines_of.items():
        ruling = ruling_of_match.get(key)
        if ruling is None or not ruling.is_void:
            length = ruling.boards if ruling and ruling.boards else boards_per_match
            adjustment_units = {
                team: sum(adjustment.units(None) for adjustment in adjustments_of.get((key, team), ()))
                for team in key[2]
            }
            matches.append(_match(key[0], key[1], match_lines, scorer, length, adjustment_units))
    return sorted(matches, key=lambda m: (m.field, m.round, m.home.team.place_in_list))


def team_rankings(
    matches: Iterable[Match], method: Method, extras: Extras | None = None, rules: ScoringRules = WBF
) -> list[Ranking]:
    """Return the ranking of each field by victory points, by net IMPs or, with a top, by percentage."""
    totals: dict[str, dict[Contestant, Tally]] = {}
    for match in matches:
        teams = totals.setdefault(match.field, {})
        for view in (match.home, match.away):
            if view.boards or (match.is_void and match.has_assigned_points):
                previous = teams.get(view.team, Tally(view.team, 0))
                teams[view.team] = Tally(
                    view.team,
                    previous.units + view.units,
                    previous.top + view.top,
                    previous.boards + len(view.boards),
                )
    top = {Method.BOARD_A_MATCH: 2 * UNIT, Method.PATTON: 4 * UNIT}.get(method)
    return [
        Ranking(field, None, rank(totals[field].values(), extras, top=top, rules=rules))
        for field in sorted(totals)
    ]


@dataclass(frozen=True, slots=True)
class _TeamMatchScorer:
    """The conversion of boards into the points of a match."""

    method: Method
    rules: ScoringRules
    is_knockout: bool

    def imps(self, board: MatchBoard) -> Units:
        """Return the IMPs of a board in exact units."""
        return board.exact_imps(self.method.average_plus, self.rules)

    def balance(
        self, home: Iterable[MatchBoard], away: Iterable[MatchBoard]
    ) -> tuple[tuple[MatchBoard, ...], tuple[MatchBoard, ...]]:
        """Return the boards of both teams; where their views do not balance, with the average as `agreed_imps`."""
        away_boards = {board.board: board for board in away}
        averaged: dict[int, Units] = {}
        for board in home:
            if away_board := away_boards.get(board.board):
                home_imps, away_imps = self.imps(board), self.imps(away_board)
                if home_imps + away_imps != 0:
                    averaged[board.board] = exact(home_imps - away_imps, 2)
        return (
            tuple(replace(board, agreed_imps=averaged.get(board.board)) for board in home),
            tuple(
                replace(board, agreed_imps=-averaged[board.board] if board.board in averaged else None)
                for board in away
            ),
        )

    def view(
        self,
        team: Contestant,
        opponents: Contestant,
        boards: tuple[MatchBoard, ...],
        length: int,
        adjustment_units: int,
    ) -> TeamMatchView:
        """Return the match as a team sees it, with its points by the method; `added` are its adjustments."""
        board_imps = [self.imps(board) for board in boards]
        imps_won, imps_lost = (
            sum(units for units in board_imps if units > 0),
            -sum(units for units in board_imps if units < 0),
        )
        boards = tuple(
            replace(board, units=rounded(units)) for board, units in zip(boards, board_imps, strict=True)
        )
        scale = self.method.scale
        view = TeamMatchView(
            team, opponents, boards, rounded(imps_won), rounded(imps_lost), is_in_vps=scale is not None
        )
        if not boards:
            return view
        if self.method is Method.BOARD_A_MATCH:
            units = rounded(sum(board.board_a_match_units for board in boards), UNIT * len(boards))
            return replace(view, units=units, top=2 * UNIT * len(boards))
        if self.method is Method.PATTON:
            return _patton(view)
        if scale is None:
            step = UNIT // 10**self.rules.imp_decimals
            return replace(view, units=step * rounded(exact(imps_won - imps_lost, step)))
        margin = rounded(exact(imps_won - imps_lost + adjustment_units, UNIT))
        units = victory_points(self.rules.imp_table or scale, margin, length).own
        return replace(view, units=units, adjustment=adjustment_units)


def _match(
    field: str,
    round_: int,
    lines: list[Line],
    scorer: _TeamMatchScorer,
    length: int | None,
    adjustment_units: dict[Contestant, int],
) -> Match:
    first = min(lines, key=lambda line: (line.section, line.table, line.board))
    length = length or len({line.board for line in lines})
    home, away = _boards_of(first.ns, lines), _boards_of(first.ew, lines)
    if scorer.is_knockout:
        home, away = scorer.balance(home, away)
    return Match(
        field,
        round_,
        scorer.view(first.ns, first.ew, home, length, adjustment_units[first.ns]),
        scorer.view(first.ew, first.ns, away, length, adjustment_units[first.ew]),
        tuple(
            board
            for board, tables in sorted(_tables(first.ns, lines).items())
            if _is_counted(tables) and not _is_comparable(tables)
        ),
    )


def _void(ruling: MatchRuling) -> Match:
    assigned = ruling.points or (Decimal(0), Decimal(0))
    home, away = (
        TeamMatchView(team, opponents, (), 0, 0, to_units(points))
        for team, opponents, points in (
            (ruling.one, ruling.other, assigned[0]),
            (ruling.other, ruling.one, assigned[1]),
        )
    )
    return Match(
        ruling.field, ruling.round, home, away, is_void=True, has_assigned_points=bool(ruling.points)
    )


def _tables(team: Contestant, lines: list[Line]) -> dict[int, dict[Side, Line]]:
    """Return the lines of each board by the side on which a team sat."""
    lines_by_side: dict[int, dict[Side, Line]] = {}
    for line in lines:
        side = Side.NS if line.ns == team else Side.EW
        lines_by_side.setdefault(line.board, {})[side] = line
    return lines_by_side


def _boards_of(team: Contestant, lines: list[Line]) -> tuple[MatchBoard, ...]:
    """Return the counted boards of a match, as a team sees them."""
    boards = (_compared(board, tables) for board, tables in sorted(_tables(team, lines).items()))
    return tuple(board for board in boards if board is not None)


def _is_counted(tables: dict[Side, Line]) -> bool:
    return len(tables) == 2 and all(is_counted(line.outcome_for(side)) for side, line in tables.items())


def _is_comparable(tables: dict[Side, Line]) -> bool:
    """Return whether both tables played the same cards, or one of them has a ruling."""
    return len({line.version for line in tables.values()}) == 1 or any(
        line.award_for(side) is not None or isinstance(line.outcome_for(side), Weighted)
        for side, line in tables.items()
    )


def _compared(board: int, tables: dict[Side, Line]) -> MatchBoard | None:
    """Return the comparison of the two tables; None while the board does not count."""
    if not _is_counted(tables) or not _is_comparable(tables):
        return None
    awards = [award for side, line in tables.items() if (award := line.award_for(side)) is not None]
    if awards:
        return MatchBoard(board, (), awards[0] if len(awards) == 1 else Fraction(sum(awards)) / len(awards))
    own_scores, opponents_scores = (
        tables[side].outcome_for(side).ns_scores(vulnerability(board)) for side in (Side.NS, Side.EW)
    )
    other_scores = tuple(opponents_scores)
    return MatchBoard(
        board,
        tuple(
            (weight * other_weight, score - other_score)
            for weight, score in own_scores
            for other_weight, other_score in other_scores
        ),
    )


def _patton(view: TeamMatchView) -> TeamMatchView:
    half = 2 * UNIT * len(view.boards)
    differences = [board.difference for board in view.boards]
    gained = sum(won for won in differences if won > 0)
    lost = -sum(won for won in differences if won < 0)
    units = sum(board.board_a_match_units for board in view.boards) + half // 2
    if gained + lost:
        units += exact(half * (gained - lost), 2 * (gained + lost))
    return replace(view, units=rounded(units, half), top=2 * half)
