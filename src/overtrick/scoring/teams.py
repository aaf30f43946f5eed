"""Matches of two teams: IMPs, victory points, board-a-match and Patton. Independent of events and clocks.

A match is played at two tables: each team sits North-South at one and East-West at the other, and a board is
compared between the two. Each team has its own view of a match: awards and separate results may give one side
something without taking it from the other. In a knock-out the two views of a board are brought together (Law 12C4):
each is computed, and both teams get the average. What teams carry into a match, and adjustments, are a team event's.

Patton counts a match of n boards as 4n points: 2n by board-a-match, 2n in the proportion of the total points
that the two teams gained on the boards they won (half each when neither gained anything).
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from fractions import Fraction

from overtrick.bridge import Percent, Side, vulnerability
from overtrick.scoring.imps import imps
from overtrick.scoring.lines import Contestant, Line, WeightedScore, is_counted
from overtrick.scoring.method import Method
from overtrick.scoring.points import UNIT, Units, exact, rounded
from overtrick.scoring.ranking import Extras, Ranking, Tally, rank
from overtrick.scoring.rules import WBF, Rules, Ties
from overtrick.scoring.vps import Scale, ScaleTable, victory_points


@dataclass(frozen=True, slots=True)
class MatchBoard:
    """A board of a match that counts, as one team sees it."""

    board: int
    differences: WeightedScore
    """In total points, each with its weight: more than one where a table has a weighted score, and where both have,
    every two of their results with the product of the weights. Empty when there is an award."""
    award: Percent | Fraction | None = None
    """The percentage of an award; two awards of one board count as their mean."""
    agreed_imps: Units | None = None
    """The IMPs that both teams were given because their views of the board did not balance (Law 12C4)."""

    @property
    def difference(self) -> Units:
        """Return what the team won in total points; the mean of a weighted score."""
        return sum((weight * difference for weight, difference in self.differences), Fraction(0))

    def exact_imps(self, average_plus: int, rules: Rules = WBF) -> Units:
        """Return the IMPs won, or lost, in exact units."""
        if self.agreed_imps is not None:
            return self.agreed_imps
        if self.award is not None:
            worth = rules.imps_of_average_plus(average_plus)
            return exact((Fraction(self.award) - 50) * Fraction(worth) * UNIT, 10)
        return exact(UNIT * sum(weight * imps(difference) for weight, difference in self.differences), 1)

    def imp_units(self, average_plus: int, rules: Rules = WBF) -> int:
        """Return the IMPs won, or lost, in whole units."""
        return rounded(self.exact_imps(average_plus, rules))

    @property
    def board_a_match_units(self) -> Units:
        """Return two points for a board won by whatever, one for an equal board."""
        if self.award is not None:
            return exact(2 * UNIT * Fraction(self.award), 100)
        return exact(UNIT * sum(weight * (1 + (won > 0) - (won < 0)) for weight, won in self.differences), 1)


@dataclass(frozen=True, slots=True)
class View:
    """A match as one team sees it."""

    team: Contestant
    opponents: Contestant
    boards: tuple[MatchBoard, ...]
    own_imps: int
    """IMPs won, in units."""
    their_imps: int
    """IMPs lost, in units."""
    units: int = 0
    """The team's points for the match by the method."""
    top: int = 0


@dataclass(frozen=True, slots=True)
class Match:
    """A match of two teams in a round; home is the team that sits North-South at the lower table."""

    field: str
    round: int
    home: View
    away: View

    def view(self, team: Contestant) -> View:
        """Return the match as seen by a team."""
        return self.home if self.home.team == team else self.away


def score_matches(
    lines: Iterable[Line],
    method: Method,
    boards_per_match: int | None = None,
    rules: Rules = WBF,
    *,
    is_knockout: bool = False,
) -> list[Match]:
    """Return the matches that the lines of two tables each make up, by field, round and table.

    `boards_per_match` is the length that the scale of victory points is for; without it, the boards of the match so
    far.

    >>> from overtrick.bridge import Outcome
    >>> one, two = Contestant("", 1), Contestant("", 2)
    >>> open_room = Line(1, one, two, Outcome.parse("4SN="), table=1, round=1)
    >>> closed_room = Line(1, two, one, Outcome.parse("4SN-1"), table=2, round=1)
    >>> match = score_matches([open_room, closed_room], Method.of("team-imps"))[0]
    >>> match.home.own_imps // UNIT, match.away.own_imps // UNIT
    (10, 0)
    """
    found: dict[tuple[str, int, frozenset[Contestant]], list[Line]] = {}
    for line in lines:
        found.setdefault((line.field, line.round, frozenset((line.ns, line.ew))), []).append(line)
    worth = _Worth(method, rules, is_knockout)
    matches = [
        _match(name, round_, played, worth, boards_per_match) for (name, round_, _), played in found.items()
    ]
    return sorted(matches, key=lambda m: (m.field, m.round, m.home.team.place_in_list))


def team_rankings(
    matches: Iterable[Match], method: Method, extras: Extras | None = None, rules: Rules = WBF
) -> list[Ranking]:
    """Return the ranking of each field: victory points, net IMPs, or the share of what could be had."""
    totals: dict[str, dict[Contestant, Tally]] = {}
    for match in matches:
        teams = totals.setdefault(match.field, {})
        for view in (match.home, match.away):
            if view.boards:
                before = teams.get(view.team, Tally(view.team, 0))
                teams[view.team] = Tally(
                    view.team,
                    before.units + view.units,
                    before.top + view.top,
                    before.boards + len(view.boards),
                )
    decimals = rules.decimals if rules.ties is Ties.PUBLISHED else None
    return [
        Ranking(name, None, rank(totals[name].values(), extras, decimals=decimals)) for name in sorted(totals)
    ]


@dataclass(frozen=True, slots=True)
class _Worth:
    """The conversion of boards to the points of a match."""

    method: Method
    rules: Rules
    is_knockout: bool

    def imps(self, board: MatchBoard) -> Units:
        """Return the IMPs of a board in exact units."""
        return board.exact_imps(self.method.average_plus, self.rules)

    def balance(
        self, home: Iterable[MatchBoard], away: Iterable[MatchBoard]
    ) -> tuple[tuple[MatchBoard, ...], tuple[MatchBoard, ...]]:
        """Return the boards of both teams with the average of their views where these do not balance."""
        others = {board.board: board for board in away}
        agreed: dict[int, Units] = {}
        for board in home:
            if other := others.get(board.board):
                one, two = self.imps(board), self.imps(other)
                if one + two != 0:
                    agreed[board.board] = exact(one - two, 2)
        return (
            tuple(replace(board, agreed_imps=agreed.get(board.board)) for board in home),
            tuple(
                replace(board, agreed_imps=-agreed[board.board] if board.board in agreed else None)
                for board in away
            ),
        )

    def view(self, team: Contestant, other: Contestant, boards: tuple[MatchBoard, ...], length: int) -> View:
        """Return the match as a team sees it, with what it is worth."""
        won = [self.imps(board) for board in boards]
        own, their = sum(units for units in won if units > 0), -sum(units for units in won if units < 0)
        view = View(team, other, boards, rounded(own), rounded(their))
        if not boards:
            return view
        if self.method is Method.BOARD_A_MATCH:
            units = rounded(sum(board.board_a_match_units for board in boards), UNIT * len(boards))
            return replace(view, units=units, top=2 * UNIT * len(boards))
        if self.method is Method.PATTON:
            return _patton(view)
        scale: Scale | ScaleTable | None = self.method.scale
        if scale is None:
            step = UNIT // 10**self.rules.imp_decimals
            return replace(view, units=step * rounded(exact(own - their, step)))
        margin = rounded(exact(own - their, UNIT))
        if isinstance(self.rules.vp_scale, ScaleTable):
            scale = self.rules.vp_scale
        return replace(view, units=victory_points(scale, margin, length).own)


def _match(name: str, round_: int, lines: list[Line], worth: _Worth, length: int | None) -> Match:
    first = min(lines, key=lambda line: (line.section, line.table, line.board))
    length = length or len({line.board for line in lines})
    home, away = _boards_of(first.ns, lines), _boards_of(first.ew, lines)
    if worth.is_knockout:
        home, away = worth.balance(home, away)
    return Match(
        name,
        round_,
        worth.view(first.ns, first.ew, home, length),
        worth.view(first.ew, first.ns, away, length),
    )


def _boards_of(team: Contestant, lines: list[Line]) -> tuple[MatchBoard, ...]:
    """Return the boards of a match that count, as a team sees them."""
    sitting: dict[int, dict[Side, Line]] = {}
    for line in lines:
        side = Side.NS if line.ns == team else Side.EW
        sitting.setdefault(line.board, {})[side] = line
    boards = (_compared(board, sitting[board]) for board in sorted(sitting))
    return tuple(board for board in boards if board is not None)


def _compared(board: int, tables: dict[Side, Line]) -> MatchBoard | None:
    """Return the board at the two tables; None while it does not count."""
    if len(tables) < 2 or not all(is_counted(line.outcome_for(side)) for side, line in tables.items()):
        return None
    awards = [award for side, line in tables.items() if (award := line.award_for(side)) is not None]
    if awards:
        return MatchBoard(board, (), awards[0] if len(awards) == 1 else Fraction(sum(awards)) / len(awards))
    here, there = (
        tables[side].outcome_for(side).ns_scores(vulnerability(board)) for side in (Side.NS, Side.EW)
    )
    theirs = tuple(there)
    return MatchBoard(
        board,
        tuple((weight * other, score - against) for weight, score in here for other, against in theirs),
    )


def _patton(view: View) -> View:
    share = 2 * UNIT * len(view.boards)
    differences = [board.difference for board in view.boards]
    gained = sum(won for won in differences if won > 0)
    lost = -sum(won for won in differences if won < 0)
    units = sum(board.board_a_match_units for board in view.boards) + share // 2
    if gained + lost:
        units += exact(share * (gained - lost), 2 * (gained + lost))
    return replace(view, units=rounded(units, share), top=2 * share)
