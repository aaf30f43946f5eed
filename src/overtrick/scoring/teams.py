"""Matches of two teams: IMPs, victory points, board-a-match and Patton. Knows no event and no clock.

A match is played at two tables: each team sits North-South at one and East-West at the other, and a board is
compared between the two. Each team has its own view of a match: awards and separate results may give one side
something without taking it from the other. What teams carry into a match, and adjustments, are a team event's.

Patton counts a match of n boards as 4n points: 2n by board-a-match, 2n in the proportion of the total points
that the two teams gained on the boards they won (half each when neither gained anything).
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from overtrick.bridge import Side
from overtrick.scoring.imps import imps
from overtrick.scoring.lines import Contestant, Line, is_counted
from overtrick.scoring.method import Method
from overtrick.scoring.points import UNIT, divide
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
    """IMPs won, in units."""
    their_imps: int
    """IMPs lost, in units."""
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


def score_matches(lines: Iterable[Line], method: Method, boards_per_match: int | None = None) -> list[Match]:
    """The matches that the lines of two tables each make up, by field, round and table.

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
    matches = [
        _match(name, round_, played, method, boards_per_match) for (name, round_, _), played in found.items()
    ]
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


def _match(name: str, round_: int, lines: list[Line], method: Method, length: int | None) -> Match:
    first = min(lines, key=lambda line: (line.section, line.table, line.board))
    worth = _WORTH.get(method, _victory_points)
    length = length or len({line.board for line in lines})
    home, away = (
        worth(_seen_by(team, other, lines, method), method, length)
        for team, other in ((first.ns, first.ew), (first.ew, first.ns))
    )
    return Match(name, round_, home, away)


def _seen_by(team: Contestant, other: Contestant, lines: list[Line], method: Method) -> View:
    sitting: dict[int, dict[Side, Line]] = {}
    for line in lines:
        side = Side.NS if line.ns == team else Side.EW
        sitting.setdefault(line.board, {})[side] = line
    boards = [_compared(board, sitting[board]) for board in sorted(sitting)]
    counted = tuple(board for board in boards if board is not None)
    won = [board.imp_units(method.average_plus) for board in counted]
    own, their = sum(units for units in won if units > 0), -sum(units for units in won if units < 0)
    return View(team, other, counted, own, their)


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


def _net_imps(view: View, method: Method, length: int) -> View:
    return replace(view, units=view.own_imps - view.their_imps)


def _victory_points(view: View, method: Method, length: int) -> View:
    if method.scale is None or not view.boards:
        return view
    margin = divide(view.own_imps - view.their_imps, UNIT)
    return replace(view, units=victory_points(method.scale, margin, length).own)


def _board_a_match(view: View, method: Method, length: int) -> View:
    units = sum(board.board_a_match_units for board in view.boards)
    return replace(view, units=units, top=2 * UNIT * len(view.boards))


def _patton(view: View, method: Method, length: int) -> View:
    share = 2 * UNIT * len(view.boards)
    gained = sum(board.difference for board in view.boards if board.difference and board.difference > 0)
    lost = -sum(board.difference for board in view.boards if board.difference and board.difference < 0)
    by_total = share // 2
    if gained + lost:
        by_total += divide(share * (gained - lost), 2 * (gained + lost))
    by_board = sum(board.board_a_match_units for board in view.boards)
    return replace(view, units=by_board + by_total, top=2 * share)


_WORTH: dict[Method, Callable[[View, Method, int], View]] = {
    Method.TEAM_IMPS: _net_imps,
    Method.BOARD_A_MATCH: _board_a_match,
    Method.PATTON: _patton,
}
