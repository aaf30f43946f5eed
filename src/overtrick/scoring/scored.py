"""Scoring of a whole session by any method; reports are made from the result. Independent of events."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from overtrick.bridge import Side
from overtrick.errors import BadInput
from overtrick.scoring.lines import Line, Rejected, sift, travellers
from overtrick.scoring.method import Method
from overtrick.scoring.points import UNIT, rounded
from overtrick.scoring.ranking import Extras, Ranking
from overtrick.scoring.rules import WBF, ScoringRules, scale_problem
from overtrick.scoring.session import Options, ScoredLine, ScoredTraveller, Scorer, SideScore
from overtrick.scoring.swiss_pairs import PairMatch, SitOut, pair_rankings, score_pair_matches
from overtrick.scoring.teams import Match, MatchRuling, score_matches, team_rankings


@dataclass(frozen=True, slots=True)
class Scored:
    """The rankings, travellers and matches of a session, and the lines that were rejected."""

    method: Method
    rankings: tuple[Ranking, ...]
    travellers: tuple[ScoredTraveller, ...]
    matches: tuple[Match, ...] = ()
    rejected: tuple[Rejected, ...] = ()
    rules: ScoringRules = WBF
    pair_matches: tuple[PairMatch, ...] = ()
    """The matches of pairs that are ranked by victory points; otherwise empty."""

    @property
    def point(self) -> str:
        """Return the unit of the rankings, for a column's header."""
        return "VP" if self.pair_matches else self.method.point

    @property
    def scale_problem(self) -> str:
        """Return a sentence if the table of the rule set could not give the victory points; otherwise empty."""
        return scale_problem(self.rules, self.method, pairs_vps=bool(self.pair_matches))

    @property
    def rulings_due(self) -> tuple[str, ...]:
        """Return a sentence for each board of a match that awaits a ruling."""
        return tuple(
            f"Board {board} of {match.home.team} against {match.away.team} in round {match.round} was played with "
            "different cards at the two tables. It does not count until it is ruled (Law 86B2)."
            for match in self.matches
            for board in match.fouled
        )


def score(
    lines: Iterable[Line],
    method: Method = Method.MATCHPOINTS,
    *,
    options: Options | None = None,
    boards_per_match: int | None = None,
    extras: Extras | None = None,
    pairs_vps: bool = False,
    is_knockout: bool = False,
    match_rulings: Iterable[MatchRuling] = (),
    sit_outs: Sequence[SitOut] = (),
) -> Scored:
    """Score a session; invalid lines are left out and listed in `Scored.rejected`.

    With `pairs_vps` the boards of two pairs in a round are a match, and pairs are ranked by victory points; `sit_outs`
    come from the movement, because a missing line may also be a result to come. In a knock-out of teams the two views
    of a board are averaged (Law 12C4).

    >>> from overtrick.bridge import Outcome
    >>> from overtrick.scoring.lines import Contestant
    >>> one, two = Contestant("A", 1), Contestant("A", 2)
    >>> session = score([Line(1, one, two, Outcome.parse("Pass")), Line(2, one, one, Outcome.parse("Pass"))])
    >>> [str(rejected) for rejected in session.rejected]
    ['table 0, round 0, board 2: A1 cannot play against itself.']
    """
    if not isinstance(method, Method):
        raise BadInput(f"{method!r} is not a Method; use one of {', '.join(map(str, Method))}.")
    rules, extras = (options or Options()).rules, extras or Extras()
    valid_lines, rejected = sift(lines, is_teams=method.is_teams)
    if method.is_teams:
        matches = score_matches(
            valid_lines,
            method,
            boards_per_match,
            rules,
            is_knockout=is_knockout,
            rulings=match_rulings,
            adjustments=extras.match_adjustments,
        )
        return Scored(
            method,
            tuple(team_rankings(matches, method, extras, rules)),
            tuple(_team_travellers(valid_lines, matches, method, rules, extras)),
            tuple(matches),
            tuple(rejected),
            rules,
        )
    scorer = Scorer(method, options)
    for line in valid_lines:
        scorer.put(line)
    if pairs_vps:
        options = options or Options()
        pair_matches = score_pair_matches(
            valid_lines,
            method,
            options,
            boards_per_match=boards_per_match,
            adjustments=extras.match_adjustments,
            rulings=match_rulings,
        )
        rankings = pair_rankings(pair_matches, sit_outs, options, extras)
    else:
        pair_matches, rankings = [], scorer.rankings(extras)
    return Scored(
        method,
        tuple(rankings),
        tuple(scorer.travellers(extras.match_adjustments if pairs_vps else extras.adjustments)),
        (),
        tuple(rejected),
        rules,
        tuple(pair_matches),
    )


def _team_travellers(
    lines: list[Line], matches: list[Match], method: Method, rules: ScoringRules, extras: Extras
) -> Iterable[ScoredTraveller]:
    views = {
        (match.field, match.round, view.team, view.opponents): {board.board: board for board in view.boards}
        for match in matches
        for view in (match.home, match.away)
    }

    def side_score(line: Line, side: Side) -> SideScore | None:
        team, opponents = line.contestant(side), line.contestant(side.opponents)
        # The lines of a void match are listed without points.
        board = views[line.field, line.round, team, opponents].get(line.board)
        if board is None:
            return None
        if method in (Method.BOARD_A_MATCH, Method.PATTON):
            return SideScore(rounded(board.board_a_match_units, UNIT), 2 * UNIT, board.award)
        return SideScore(board.imp_units(method.average_plus, rules), 0, board.award)

    # A Patton match has points of another unit than its boards.
    adjustments = () if method is Method.PATTON else extras.adjustments
    if method.scale is not None:
        adjustments = extras.match_adjustments
    for traveller in travellers(lines):
        scored = ScoredTraveller(
            traveller.field,
            traveller.board,
            tuple(
                ScoredLine(line, side_score(line, Side.NS), side_score(line, Side.EW))
                for line in traveller.lines
            ),
        )
        yield scored.adjusted(adjustments, lambda adjustment: adjustment.units(2 * UNIT))
