"""Matches of two teams: IMPs, victory points, board-a-match and Patton. Knows no event and no clock.

A match is played at two tables: each team sits North-South at one and East-West at the other, and a board is
compared between the two. Each team has its own view of a match: awards, separate results and adjustments may
give one side something without taking it from the other.

Patton counts a match of n boards as 4n points: 2n by board-a-match, 2n in the proportion of the total points
that the two teams gained on the boards they won (half each when neither gained anything).
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from decimal import Decimal

from overtrick.bridge import Side
from overtrick.scoring.imps import imps
from overtrick.scoring.lines import Contestant, Line, is_counted
from overtrick.scoring.method import Method
from overtrick.scoring.points import UNIT, divide, to_units
from overtrick.scoring.ranking import Extras, Ranking, Tally, rank
from overtrick.scoring.vps import victory_points


@dataclass(frozen=True, slots=True)
class MatchBoard:
    """A board of a match that counts, as one team sees it."""

    board: int
    difference: int | None
    """In total points; None when there is an award and nothing to compare."""
    award: int | None = None
    """The percentage of an award; two awards of one board count as their mean."""

    def imp_units(self, average_plus: int) -> int:
        """IMPs won, or lost, in units."""
        if self.difference is not None:
            return UNIT * imps(self.difference)
        return 0 if self.award is None else (self.award - 50) * average_plus * UNIT // 10

    @property
    def board_a_match_units(self) -> int:
        """Two points for a board won by whatever, one for an equal board."""
        if self.difference is not None:
            return UNIT * (1 + (self.difference > 0) - (self.difference < 0))
        return 0 if self.award is None else 2 * UNIT * self.award // 100


@dataclass(frozen=True, slots=True)
class View:
    """A match as one team sees it."""

    team: Contestant
    opponents: Contestant
    boards: tuple[MatchBoard, ...]
    own_imps: int
    """IMPs won, in units, with what was carried into the match and the team's own adjustment."""
    their_imps: int
    """IMPs lost, in units, with what they carried in and without their adjustment."""
    units: int = 0
    """What the match is worth to the team by the method."""
    top: int = 0


@dataclass(frozen=True, slots=True)
class Match:
    """A match of two teams in a round; home is the team that sits North-South at the lower table."""

    field: str
    round: int
    home: View
    away: View

    def view(self, team: Contestant) -> View:
        """The match as that team sees it."""
        return self.home if self.home.team == team else self.away


@dataclass(frozen=True, slots=True)
class MatchExtras:
    """What one team has in one match besides its boards."""

    imp_carry_over: Decimal | float | str = 0
    imp_adjustment: Decimal | float | str = 0
    """Changes what this team sees, and not what its opponents see."""
    vp_adjustment: Decimal | float | str = 0


@dataclass(frozen=True, slots=True)
class TeamOptions:
    """How matches are scored, besides the method."""

    boards_per_match: int | None = None
    """The length that the scale of victory points is for; without it, the boards of the match so far."""
    matches: Mapping[tuple[int, Contestant], MatchExtras] = field(default_factory=dict)
    """By round and team."""


def score_matches(lines: Iterable[Line], method: Method, options: TeamOptions | None = None) -> list[Match]:
    """The matches that the lines of two tables each make up, by field, round and table.

    >>> from overtrick.bridge import Outcome
    >>> one, two = Contestant("", 1), Contestant("", 2)
    >>> open_room = Line(1, one, two, Outcome.parse("4SN="), table=1, round=1)
    >>> closed_room = Line(1, two, one, Outcome.parse("4SN-1"), table=2, round=1)
    >>> match = score_matches([open_room, closed_room], Method.of("team-imps"))[0]
    >>> match.home.own_imps // UNIT, match.away.own_imps // UNIT
    (10, 0)
    """
    options = options or TeamOptions()
    found: dict[tuple[str, int, frozenset[Contestant]], list[Line]] = {}
    for line in lines:
        found.setdefault((line.field, line.round, frozenset((line.ns, line.ew))), []).append(line)
    matches = [_match(name, round_, played, method, options) for (name, round_, _), played in found.items()]
    return sorted(matches, key=lambda m: (m.field, m.round, m.home.team.place_in_list))


def team_rankings(matches: Iterable[Match], method: Method, extras: Extras | None = None) -> list[Ranking]:
    """The ranking of each field: victory points, net IMPs, or the share of what could be had."""
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
    return [Ranking(name, None, rank(totals[name].values(), extras)) for name in sorted(totals)]


def _match(name: str, round_: int, lines: list[Line], method: Method, options: TeamOptions) -> Match:
    first = min(lines, key=lambda line: (line.section, line.table, line.board))
    home, away = (
        _seen_by(team, other, lines, options.matches.get((round_, team), MatchExtras()), method)
        for team, other in ((first.ns, first.ew), (first.ew, first.ns))
    )
    # Each side's IMPs are its own; what it sees of the other's carry-over is the other's.
    home, away = (
        replace(one, their_imps=one.their_imps + _carried(options, round_, other.team))
        for one, other in ((home, away), (away, home))
    )
    length = options.boards_per_match or len({line.board for line in lines})
    worth = _WORTH.get(method, _victory_points)
    home, away = (
        worth(view, method, length, options.matches.get((round_, view.team), MatchExtras()))
        for view in (home, away)
    )
    return Match(name, round_, home, away)


def _carried(options: TeamOptions, round_: int, team: Contestant) -> int:
    return to_units(options.matches.get((round_, team), MatchExtras()).imp_carry_over)


def _seen_by(
    team: Contestant, other: Contestant, lines: list[Line], extras: MatchExtras, method: Method
) -> View:
    sitting: dict[int, dict[Side, Line]] = {}
    for line in lines:
        side = Side.NS if line.ns == team else Side.EW
        sitting.setdefault(line.board, {})[side] = line
    boards = [_compared(board, sitting[board]) for board in sorted(sitting)]
    counted = tuple(board for board in boards if board is not None)
    won = [board.imp_units(method.average_plus) for board in counted]
    return View(
        team,
        other,
        counted,
        sum(units for units in won if units > 0)
        + to_units(extras.imp_carry_over)
        + to_units(extras.imp_adjustment),
        -sum(units for units in won if units < 0),
    )


def _compared(board: int, tables: dict[Side, Line]) -> MatchBoard | None:
    """A board at the two tables; None while it does not count."""
    if len(tables) < 2 or not all(is_counted(line.outcome_for(side)) for side, line in tables.items()):
        return None
    awards = [award for side, line in tables.items() if (award := line.award_for(side)) is not None]
    if awards:
        return MatchBoard(board, None, sum(awards) // len(awards))
    here = tables[Side.NS].score_for(Side.NS)
    there = tables[Side.EW].score_for(Side.EW)
    return None if here is None or there is None else MatchBoard(board, here - there)


def _net_imps(view: View, method: Method, length: int, extras: MatchExtras) -> View:
    return replace(view, units=view.own_imps - view.their_imps)


def _victory_points(view: View, method: Method, length: int, extras: MatchExtras) -> View:
    if method.scale is None or not view.boards:
        return view
    margin = divide(view.own_imps - view.their_imps, UNIT)
    return replace(
        view,
        units=victory_points(method.scale, margin, length).own + to_units(extras.vp_adjustment),
    )


def _board_a_match(view: View, method: Method, length: int, extras: MatchExtras) -> View:
    units = sum(board.board_a_match_units for board in view.boards)
    return replace(view, units=units, top=2 * UNIT * len(view.boards))


def _patton(view: View, method: Method, length: int, extras: MatchExtras) -> View:
    share = 2 * UNIT * len(view.boards)
    gained = sum(board.difference for board in view.boards if board.difference and board.difference > 0)
    lost = -sum(board.difference for board in view.boards if board.difference and board.difference < 0)
    by_total = share // 2
    if gained + lost:
        by_total += divide(share * (gained - lost), 2 * (gained + lost))
    by_board = sum(board.board_a_match_units for board in view.boards)
    return replace(view, units=by_board + by_total, top=2 * share)


_WORTH: dict[Method, Callable[[View, Method, int, MatchExtras], View]] = {
    Method.TEAM_IMPS: _net_imps,
    Method.BOARD_A_MATCH: _board_a_match,
    Method.PATTON: _patton,
}
