"""Export of a team event as rows of the exchange files. Only reads the event.

2A, 2B, 2C, 2D and 2E go from Magic to the office; 2A-a, 2A-b and 2A-c from the office to Magic.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import PurePath

from overtrick.bridge import (
    Award,
    Cancelled,
    NotPlayed,
    Played,
    ScoreOnly,
    Undecided,
    Weighted,
    vulnerability,
)
from overtrick.bridge.notation import write_compact, write_lead
from overtrick.event.teams import Competitor, Division, Pairing, Room, Segment, Team
from overtrick.magic.countries import iso_code
from overtrick.magic.rows import (
    BoardRow,
    FileKind,
    HumanColumns,
    IdColumns,
    InitialTeamRow,
    LineUpRow,
    MatchFigures,
    MatchRow,
    MemberCodeRow,
    RoomColumns,
    Row,
    TeamIdRow,
    TeamRow,
)
from overtrick.views.team_results_from_tables import RoomResult
from overtrick.views.teams import SegmentFigures, SideFigures, TeamView

NO_PLAYER = Competitor(0, "", "")
EMPTY_ROOM = RoomColumns("", "", None, "", None, None)


def tournament_of(view: TeamView, division: Division) -> str:
    """Return the office's name for a division: the mapped one, or the names of event and division."""
    for tournament, mapped in view.event.tournaments.items():
        if mapped == division.id:
            return tournament
    return f"{view.event.name} {division.name}"


def initial_teams(view: TeamView) -> Iterator[InitialTeamRow]:
    """Yield the rows of 2A-c: all members of every roster."""
    for division, team, player, role, _ in _roster_rows(view):
        yield InitialTeamRow(
            tournament_of(view, division),
            team.name,
            team.foreign_id or None,
            player.last_name,
            player.first_name,
            role,
            "",
            team.country_ioc or player.country_ioc,
            player.member_code,
        )


def team_list(view: TeamView) -> Iterator[TeamRow]:
    """Yield the rows of 2A: all members of every roster; one row for a team without members."""
    event = view.event
    for division, team, player, role, order in _roster_rows(view):
        yield TeamRow(
            event.name,
            division.name,
            team.name,
            player.member_code,
            role,
            player.first_name,
            player.last_name,
            event.id,
            division.id,
            team.id,
            team.foreign_id or None,
            team.number,
            team.country_iso or iso_code(team.country_ioc),
            team.country_ioc,
            player.id or None,
            order or None,
        )


def team_ids(view: TeamView) -> Iterator[TeamIdRow]:
    """Yield the rows of 2A-a: every team that has a foreign id."""
    for team in sorted(view.event.teams.values(), key=lambda team: team.id):
        if team.foreign_id:
            yield TeamIdRow(team.id, team.foreign_id)


def member_codes(view: TeamView) -> Iterator[MemberCodeRow]:
    """Yield the rows of 2A-b: every player who has a member code."""
    for player in sorted(view.event.players.values(), key=lambda player: player.id):
        if player.member_code:
            yield MemberCodeRow(player.id, player.member_code, player.first_name, player.last_name)


def _roster_rows(view: TeamView) -> Iterator[tuple[Division, Team, Competitor, str, int]]:
    event = view.event
    for division in sorted(event.divisions.values(), key=lambda division: division.id):
        for team in event.teams_of(division.id):
            members = event.rosters.get(team.id, ())
            if not members:
                yield division, team, NO_PLAYER, "", 0
            for member in members:
                yield division, team, event.players[member.player], member.role, member.order


def results(view: TeamView) -> Iterator[MatchRow]:
    """Yield the rows of 2B: every played segment, and the byes with the away side empty."""
    for division in sorted(view.event.divisions):
        for line in sorted((*view.figures(division), *view.byes(division)), key=_sort_key):
            if line.is_played:
                yield MatchRow(
                    _human_columns(view, line.segment, line.pairing),
                    _match_figures(line.home),
                    _match_figures(line.away) if line.pairing.away else MatchFigures(),
                    line.comment,
                    _id_columns(view, line.segment, line.pairing),
                )


def schedule(view: TeamView) -> Iterator[MatchRow]:
    """Yield the rows of 2E: every segment of every match, and the byes of teams with a carry-over."""
    for division in sorted(view.event.divisions):
        for line in sorted((*view.figures(division), *view.byes(division)), key=_sort_key):
            segment, pairing = line.segment, line.pairing
            if not pairing.away and not any(_carry_over(view, segment, pairing.home)):
                continue
            yield MatchRow(
                _human_columns(view, segment, pairing),
                _carry_over(view, segment, pairing.home),
                _carry_over(view, segment, pairing.away),
                "",
                _id_columns(view, segment, pairing),
            )


def _sort_key(line: SegmentFigures) -> tuple[int, int, bool, int]:
    """Return the sort key of a line: by round, segment and table, byes after the matches."""
    return line.segment.round, line.segment.number, not line.pairing.away, line.pairing.table


def line_ups(view: TeamView) -> Iterator[LineUpRow]:
    """Yield the rows of 2C: every room that has a line-up."""
    for division in sorted(view.event.divisions):
        for segment, pairing in view.segments(division):
            for room in Room:
                line_up = view.line_up(segment, room)
                if line_up is None:
                    continue
                seats = (line_up.north, line_up.south, line_up.east, line_up.west)
                north, south, east, west = (view.event.players.get(player, NO_PLAYER) for player in seats)
                yield LineUpRow(
                    _human_columns(view, segment, pairing, room.value),
                    (north.name, south.name, east.name, west.name),
                    (north.member_code, south.member_code, east.member_code, west.member_code),
                    _id_columns(view, segment, pairing),
                )


def boards(view: TeamView) -> Iterator[tuple[Segment, Iterator[BoardRow]]]:
    """Yield the rows of 2D for each match that has boards, with the first segment of the match."""
    for division in sorted(view.event.divisions):
        for segment, pairing in view.segments(division):
            drawn = view.draws[division, segment.round]
            if segment.number == 1 and any(
                view.boards(Segment(division, segment.round, number, segment.home))
                for number in range(1, drawn.segments + 1)
            ):
                yield segment, _boards(view, segment, pairing, drawn.segments)


def _boards(view: TeamView, match: Segment, pairing: Pairing, segments: int) -> Iterator[BoardRow]:
    for number in range(1, segments + 1):
        segment = Segment(match.serie, match.round, number, match.home)
        for line in view.board_figures(segment, pairing):
            home, away = line.imps_home, line.imps_away
            yield BoardRow(
                _human_columns(view, segment, pairing),
                line.board,
                room_columns(line.board, line.open),
                room_columns(line.board, line.closed),
                # IMPs are in the column of the winning side; a flat board has 0 in both.
                home if home or not away else None,
                away if away or not home else None,
                _id_columns(view, segment, pairing),
            )


def room_columns(board: int, result: RoomResult | None) -> RoomColumns:
    """Return the columns of one room; a score is in the column of the side that it is positive for.

    >>> from overtrick.bridge import Outcome
    >>> room_columns(1, RoomResult(Outcome.parse("4SxN-1")))
    RoomColumns(contract='4SX', declarer='N', tricks=9, lead='', result_ns=None, result_ew=100)
    """
    if result is None:
        return EMPTY_ROOM
    outcome = result.outcome
    if isinstance(outcome, Award | Undecided | NotPlayed | Weighted | Cancelled):
        return EMPTY_ROOM._replace(contract=str(outcome))
    ns = outcome.ns_score(vulnerability(board))
    ew = (result.outcome_ew or outcome).ns_score(vulnerability(board))
    if isinstance(outcome, ScoreOnly):
        return EMPTY_ROOM._replace(contract=str(outcome), result_ns=ns, result_ew=-(ew or 0))
    if not isinstance(outcome, Played):
        return EMPTY_ROOM._replace(contract="Pass", result_ns=0, result_ew=-(ew or 0))
    if result.outcome_ew is None:
        ns, ew = (ns, None) if ns is not None and ns > 0 else (None, ew)
    return RoomColumns(
        write_compact(outcome.contract),
        outcome.contract.declarer.value,
        outcome.tricks,
        write_lead(result.lead),
        ns,
        None if ew is None else -ew,
    )


def _human_columns(view: TeamView, segment: Segment, pairing: Pairing, room: str = "") -> HumanColumns:
    event = view.event
    return HumanColumns(
        event.name,
        event.divisions[segment.serie].name,
        segment.round,
        segment.number,
        pairing.table or None,
        room,
        event.teams[pairing.home].name,
        event.teams[pairing.away].name if pairing.away else "",
    )


def _id_columns(view: TeamView, segment: Segment, pairing: Pairing) -> IdColumns:
    home, away = view.event.teams[pairing.home], view.event.teams.get(pairing.away)
    return IdColumns(
        view.event.id,
        segment.serie,
        home.id,
        home.foreign_id or None,
        home.number,
        away.id if away else None,
        (away.foreign_id or None) if away else None,
        away.number if away else None,
    )


def _match_figures(side: SideFigures) -> MatchFigures:
    return MatchFigures(
        side.imp_carry_over,
        side.imps,
        side.imp_adjustment,
        side.imp_total,
        side.vp_carry_over,
        side.vps,
        side.vp_adjustment,
        side.vp_round,
        side.vp_total,
        side.rank,
        side.rank_max,
    )


def _carry_over(view: TeamView, segment: Segment, team: int) -> MatchFigures:
    carried = view.event.carried.get((segment.serie, segment.round, team))
    if carried is None or segment.number > 1:
        return MatchFigures()
    return MatchFigures(imp_carry_over=carried.imps or None, vp_carry_over=carried.vps or None)


@dataclass(frozen=True, slots=True)
class ExportFile:
    """A file to write: its name, kind and rows."""

    name: PurePath
    kind: FileKind
    rows: Iterable[Row]


_ROWS: dict[FileKind, Callable[[TeamView], Iterator[Row]]] = {
    FileKind.INITIAL_TEAMS: initial_teams,
    FileKind.TEAMS: team_list,
    FileKind.TEAM_IDS: team_ids,
    FileKind.MEMBER_CODES: member_codes,
    FileKind.RESULTS: results,
    FileKind.LINE_UPS: line_ups,
    FileKind.SCHEDULE: schedule,
}


def files_of_kind(view: TeamView, kind: FileKind) -> Iterator[ExportFile]:
    """Yield the files of one kind: one for the event; of 2D, one for each match."""
    if kind is not FileKind.BOARDS:
        yield ExportFile(PurePath(f"{kind.value}-{view.event.id}.txt"), kind, _ROWS[kind](view))
        return
    for segment, rows in boards(view):
        table = next(
            match.table
            for match in view.draws[segment.serie, segment.round].pairings
            if match.home == segment.home
        )
        name = f"2D-{view.event.id}-{segment.serie}-{segment.round:02}-{table:03}.txt"
        yield ExportFile(PurePath(name), kind, rows)
