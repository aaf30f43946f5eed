"""View models of team events: the lines that pages show. Read-only; has no dependency on HTML."""

from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from functools import partial

from overtrick.bridge import vulnerability
from overtrick.bridge.notation import write_lead
from overtrick.event.teams import (
    Competitor,
    Division,
    Pairing,
    Room,
    Segment,
    Team,
    TeamAdjusted,
    TeamEvent,
    TeamFormat,
)
from overtrick.magic.values import write_decimal
from overtrick.scoring import Method
from overtrick.scoring.report import player_key
from overtrick.views.team_results_from_tables import RoomResult
from overtrick.views.teams import BoardFigures, SegmentFigures, SideFigures, TeamStanding
from overtrick.web.session_projection import NotFound
from overtrick.web.team_projection import TeamEventProjection
from overtrick.web.view_models import contract_words

METHOD_WORDS = {
    Method.VPS_CONTINUOUS: "Victory points (continuous)",
    Method.VPS_DISCRETE: "Victory points (whole)",
    Method.VPS_25_0: "Victory points (25–0)",
    Method.TEAM_IMPS: "IMPs",
}
"""The labels of the scoring methods for matches."""


def figure(units: int | None, division: Division | None = None) -> str:
    """Return a number, in units of 1/10000, as text; continuous victory points have two decimals.

    >>> figure(125000), figure(None), figure(125000, Division(1, "Open", method=Method.VPS_CONTINUOUS))
    ('12.5', '', '12.50')
    """
    text = write_decimal(units)
    if text and division is not None and division.method in (Method.VPS_CONTINUOUS, None):
        whole, _, decimals = text.partition(".")
        return f"{whole}.{decimals:0<2}"
    return text


def signed(units: int) -> str:
    """Return an adjustment, in units of 1/10000, as text with its sign.

    >>> signed(-30000), signed(5000)
    ('-3', '+0.5')
    """
    return f"{'+' if units > 0 else ''}{write_decimal(units)}"


# The ranking ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class RankingRow:
    """A line of a division's ranking."""

    rank: str
    team: Team
    played: int
    carried: str
    penalty: str
    points: str


def rank_text(rank: int, rank_max: int) -> str:
    """Return a rank as text; tied teams show the range.

    >>> rank_text(4, 4), rank_text(5, 7)
    ('4', '5–7')
    """
    return str(rank) if rank == rank_max else f"{rank}–{rank_max}"


def ranking_rows(projection: TeamEventProjection, division: Division) -> list[RankingRow]:
    """Return the ranking of a division, with carry-overs and adjustments."""
    return projection.once(("ranking", division.id), lambda: _ranking_rows(projection, division))


def _ranking_rows(projection: TeamEventProjection, division: Division) -> list[RankingRow]:
    event = projection.event
    played: Counter[int] = Counter()
    for number, matches in match_lines(projection, division).items():
        played.update(
            projection.keep(("played", division.id, number), matches, partial(_teams_that_played, matches))
        )
    penalties: dict[int, int] = {}
    for (division_id, _, _, team_id), adjustment in event.adjusted.items():
        if division_id == division.id:
            penalties[team_id] = penalties.get(team_id, 0) + adjustment.vps
    rows = []
    for standing in projection.view.ranking(division.id):
        carried = event.carried.get((division.id, 1, standing.team))
        rows.append(
            RankingRow(
                rank_text(standing.rank, standing.rank_max),
                event.teams[standing.team],
                played[standing.team],
                figure(carried.vps) if carried and carried.vps else "",
                signed(penalties[standing.team]) if penalties.get(standing.team) else "",
                points_of(standing, division),
            )
        )
    return rows


def _teams_that_played(matches: list["MatchLine"]) -> list[int]:
    return [team.id for match in matches if match.played for team in (match.home, match.away)]


def points_words(division: Division) -> str:
    """Return the unit of a ranking."""
    if division.format is TeamFormat.KNOCK_OUT:
        return "IMPs in the last match"
    return "net IMPs" if division.method is Method.TEAM_IMPS else "VPs"


def points_of(standing: TeamStanding, division: Division) -> str:
    """Return the points of a team in the ranking."""
    if division.method is Method.TEAM_IMPS or division.format is TeamFormat.KNOCK_OUT:
        return signed(standing.points) if standing.points else "0"
    return figure(standing.points, division)


# Matches ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class MatchLine:
    """A match of a round, with all its segments."""

    division: Division
    round: int
    pairing: Pairing
    home: Team
    away: Team
    lines: tuple[SegmentFigures, ...]
    """Its segments, in order."""

    @property
    def own(self) -> list[object]:
        """Return the figures that a match page depends on, without ranks, which other matches change."""
        return [
            (line.is_played, line.boards, line.comment, line.home.own, line.away.own) for line in self.lines
        ]

    @property
    def played(self) -> int:
        """Return the number of segments with figures."""
        return sum(line.is_played for line in self.lines)

    @property
    def boards(self) -> int:
        """Return the number of boards that both tables have played; a reported segment counts in full."""
        return sum(line.boards or line.length for line in self.lines if line.is_played)

    @property
    def is_over(self) -> bool:
        """Return whether every segment is over."""
        return all(line.is_over for line in self.lines)

    @property
    def state(self) -> str:
        """Return the progress in words; empty for a match that is over."""
        if not self.played:
            return "not started"
        if self.is_over:
            return ""
        if self.played < len(self.lines):
            return f"after {self.played} of {len(self.lines)}"
        return f"after {self.boards} of {self.division.boards} boards"

    def side(self, team: int) -> SideFigures:
        """Return the figures of a team after the last segment."""
        last = self.lines[-1]
        return last.home if team == last.home.team else last.away

    def imps(self, team: int) -> str:
        """Return the total IMPs of a team; empty before the first segment without a carry-over."""
        has_imps = self.played or self.lines[0].home.imp_carry_over or self.lines[0].away.imp_carry_over
        return figure(self.side(team).imp_total) if has_imps else ""

    def victory(self, team: int) -> SideFigures | None:
        """Return the figures of a team after the last segment with victory points; None if no segment has any."""
        for line in reversed(self.lines):
            side = line.home if team == line.home.team else line.away
            if side.vps is not None:
                return side
        return None

    def vps(self, team: int) -> str:
        """Return the victory points of a team for the match; empty if there are none."""
        side = self.victory(team)
        return figure(side.vp_round, self.division) if side is not None else ""

    @property
    def winner(self) -> int:
        """Return the id of the winning team; 0 for a tie or an unfinished match."""
        margin = self.side(self.home.id).imp_total - self.side(self.away.id).imp_total
        return 0 if not self.is_over or not margin else (self.home.id if margin > 0 else self.away.id)


def match_lines(projection: TeamEventProjection, division: Division) -> dict[int, list[MatchLine]]:
    """Return the matches of each round of a division, in the order of tables."""
    return projection.once(
        ("matches", division.id),
        lambda: {
            number: projection.keep(
                ("matches", division.id, number),
                lines,
                partial(_matches, projection.event, division, number, lines),
            )
            for number, lines in projection.view.figures_of_rounds(division.id).items()
        },
    )


def _matches(
    event: TeamEvent, division: Division, round_: int, lines: list[SegmentFigures]
) -> list[MatchLine]:
    by_home_team: dict[int, list[SegmentFigures]] = {}
    for line in lines:
        by_home_team.setdefault(line.segment.home, []).append(line)
    matches = []
    for segments in by_home_team.values():
        pairing = segments[0].pairing
        home, away = event.teams[pairing.home], event.teams[pairing.away]
        matches.append(MatchLine(division, round_, pairing, home, away, tuple(segments)))
    return sorted(matches, key=lambda match: match.pairing.table)


def find_match(projection: TeamEventProjection, division: Division, round_: int, home: int) -> MatchLine:
    """Return the match of a round with this home team; raise NotFound if there is none."""
    for match in match_lines(projection, division).get(round_, ()):
        if match.home.id == home:
            return match
    raise NotFound(f"There is no such match in round {round_} of {division.name}.")


def sitting_out(
    projection: TeamEventProjection, division: Division, matches: Iterable[MatchLine]
) -> list[Team]:
    """Return the teams of a division without a match in a round; none in a knock-out."""
    if division.format is TeamFormat.KNOCK_OUT:
        return []
    playing = {team.id for match in matches for team in (match.home, match.away)}
    return [team for team in projection.view.event.teams_of(division.id) if team.id not in playing]


def current_round(rounds: dict[int, list[MatchLine]]) -> int:
    """Return the first round that is not over, or the last; 0 if none is drawn.

    Once a later round has begun, a round with missing boards is over if every segment has figures.
    """
    last_begun = max(
        (number for number, matches in rounds.items() if any(match.played for match in matches)), default=0
    )
    for number, matches in sorted(rounds.items()):
        if number < last_begun and all(match.played == len(match.lines) for match in matches):
            continue
        if not all(match.is_over for match in matches):
            return number
    return max(rounds, default=0)


MatchPoints = tuple["MatchLine", str]
"""A match of two teams, and the points of one of them."""


def cross_cells(
    projection: TeamEventProjection, division: Division
) -> dict[tuple[int, int], list[MatchPoints]]:
    """Return the cross table by (team, opponent): the matches, with the team's victory points or IMPs."""
    cells: dict[tuple[int, int], list[MatchPoints]] = {}
    for number, matches in match_lines(projection, division).items():
        for teams, points in projection.keep(
            ("met", division.id, number), matches, partial(_match_points, matches)
        ):
            cells.setdefault(teams, []).append(points)
    return cells


def _match_points(matches: list[MatchLine]) -> list[tuple[tuple[int, int], MatchPoints]]:
    return [
        ((one, other), (match, match.vps(one) or (match.imps(one) if match.played else "")))
        for match in matches
        for one, other in ((match.home.id, match.away.id), (match.away.id, match.home.id))
    ]


@dataclass(frozen=True, slots=True)
class RosterLine:
    """A member of a team as its page shows it."""

    name: str
    country: str
    """Empty if it is the team's."""
    role: str


def roster(event: TeamEvent, team: Team, hidden: Collection[str]) -> list[RosterLine]:
    """Return the members of a team, without the names of players with these keys."""
    lines = []
    for member in event.rosters.get(team.id, ()):
        player = event.players[member.player]
        country = (
            "" if player.country_ioc == team.country_ioc or is_hidden(player, hidden) else player.country_ioc
        )
        lines.append(RosterLine(_shown_name(player, hidden), country, member.role))
    return lines


def is_hidden(player: Competitor, hidden: Collection[str]) -> bool:
    """Return whether the name or the member code of a player is among these keys."""
    return bool({player_key("", player.name), player_key(player.member_code, "")} & set(hidden))


def _shown_name(player: Competitor | None, hidden: Collection[str]) -> str:
    if player is None:
        return ""
    return "Player" if is_hidden(player, hidden) else player.name


def rooms(
    projection: TeamEventProjection, segment: Segment, hidden: Collection[str]
) -> list[tuple[Room, list[tuple[str, str]]]]:
    """Return the known line-ups of a segment, for the open and the closed room, without the names of these players."""
    line_ups = []
    players = projection.view.event.players
    for room in Room:
        line_up = projection.view.line_up(segment, room)
        if line_up is not None:
            seats = (
                ("North", line_up.north),
                ("South", line_up.south),
                ("East", line_up.east),
                ("West", line_up.west),
            )
            line_ups.append((room, [(seat, _shown_name(players.get(key), hidden)) for seat, key in seats]))
    return line_ups


def adjustments(event: TeamEvent, match: MatchLine) -> list[TeamAdjusted]:
    """Return the adjustments of both teams in a match, without zero ones."""
    return [
        adjustment
        for (division, round_, _, team), adjustment in sorted(event.adjusted.items())
        if (division, round_) == (match.division.id, match.round)
        and team in (match.home.id, match.away.id)
        and (adjustment.imps or adjustment.vps)
    ]


# Boards -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class RoomCell:
    """The result of a board at one of the two tables."""

    words: str = ""
    typed: str = ""
    """The result as a director types it."""
    lead: str = ""
    score: str = ""
    typed_ew: str = ""
    """The result for East-West, where it differs."""


@dataclass(frozen=True, slots=True)
class MatchBoardRow:
    """A board of a match in both rooms."""

    board: int
    open: RoomCell
    closed: RoomCell
    imps_home: str
    imps_away: str
    running: str


NO_CELL = RoomCell()


def _cell(board: int, result: RoomResult | None) -> RoomCell:
    if result is None:
        return NO_CELL
    score = result.outcome.ns_score(vulnerability(board))
    words = contract_words(result.outcome)
    if result.outcome_ew is not None and result.outcome_ew != result.outcome:
        words += f" / EW {contract_words(result.outcome_ew)}"
    return RoomCell(
        words,
        str(result.outcome),
        write_lead(result.lead),
        "" if score is None else f"{score:+d}" if score else "0",
        str(result.outcome_ew or ""),
    )


def board_rows(
    boards: Iterable[BoardFigures], carried: tuple[int, int], published: set[int] | None
) -> list[MatchBoardRow]:
    """Return the boards of a segment with the running total, without unpublished ones; None publishes all."""
    home, away = carried
    rows = []
    for line in boards:
        counts = line.imps_home is not None and line.imps_away is not None
        home, away = home + (line.imps_home or 0), away + (line.imps_away or 0)
        if published is not None and line.board not in published:
            continue
        rows.append(
            MatchBoardRow(
                line.board,
                _cell(line.board, line.open),
                _cell(line.board, line.closed),
                figure(line.imps_home) if line.imps_home or (counts and not line.imps_away) else "",
                figure(line.imps_away) if line.imps_away else "",
                f"{figure(home)}–{figure(away)}" if counts else "",
            )
        )
    return rows


def published_boards(projection: TeamEventProjection, segment: Segment) -> set[int]:
    """Return the boards of a segment that all matches of the round have played; only these are published.

    A match whose IMPs alone were reported has no boards to wait for. When a later segment or round has figures,
    everything before it is over.
    """
    part = segment.serie, segment.round, segment.number
    played_by_all = projection.once(("played by all", *part), partial(_played_by_all, projection, *part))
    if played_by_all is None:
        return {board for _, board in projection.view.boards(segment)}
    return played_by_all


def _played_by_all(
    projection: TeamEventProjection, division: int, round_: int, number: int
) -> set[int] | None:
    """Return the boards that every match of a round has played in a segment; None if the segment is over."""
    rounds = match_lines(projection, projection.division(division))
    if any(match.played for later in rounds if later > round_ for match in rounds[later]):
        return None
    by_match: list[set[int]] = []
    has_half_board = False
    for match in rounds[round_]:
        if any(line.is_played for line in match.lines[number:]):
            return None
        line = match.lines[number - 1]
        results = projection.view.boards(line.segment)
        if not results and line.is_played:
            continue
        complete = {board for room, board in results if room is Room.OPEN and (Room.CLOSED, board) in results}
        has_half_board = has_half_board or len(results) != 2 * len(complete)
        by_match.append(complete)
    length = projection.division(division).boards // projection.view.draws[division, round_].segments
    if length and not has_half_board and all(len(complete) >= length for complete in by_match):
        return None
    return set.intersection(*by_match) if by_match else set()
