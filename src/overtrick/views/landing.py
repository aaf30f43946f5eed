"""What was scored at the tables of sessions, as matches of a team event. Only reads; nothing is written twice.

A section lands in a team event when it was seated there, or by itself: its session belongs to the same event,
its scoring group is scored as teams, and the group or the section has the name of a serie, or there is only one.
"""

from dataclasses import dataclass, field

from overtrick.bridge import Card, Outcome, Seat
from overtrick.event import House, Session
from overtrick.event.movement import Round
from overtrick.event.results import ResultRecorded
from overtrick.event.setup import SectionSet
from overtrick.event.teams import (
    Competitor,
    LineUp,
    Pairing,
    Room,
    RoundDrawn,
    Segment,
    SerieSeated,
    Team,
    TeamEvent,
)


@dataclass(frozen=True, slots=True)
class RoomResult:
    """What counts on a board in one room."""

    outcome: Outcome
    outcome_ew: Outcome | None = None
    """What counts for East-West where the director gave the sides separate results."""
    lead: Card | None = None


RoomBoards = dict[tuple[Room, int], RoomResult]


@dataclass(slots=True)
class Landed:
    """What the tables of an event's sessions have to say about it."""

    draws: dict[tuple[int, int], RoundDrawn] = field(default_factory=dict)
    boards: dict[Segment, RoomBoards] = field(default_factory=dict)
    line_ups: dict[tuple[Segment, Room], LineUp] = field(default_factory=dict)


def land(house: House, event: TeamEvent) -> Landed:
    """The matches, results and line-ups of every section that plays in this event."""
    landed = Landed()
    for guid in house.incarnations:
        session = house.session(guid)
        assert session is not None
        for section in session.setup.sections.values():
            seated = _seated(event, session, section)
            if seated is not None:
                _land_section(event, session, section.section, seated, landed)
    return landed


def _seated(event: TeamEvent, session: Session, section: SectionSet) -> SerieSeated | None:
    guid = session.opened.session
    if (given := event.seated.get((guid, section.section))) is not None:
        return given
    group = session.setup.groups.get(section.group)
    if session.opened.event != event.event or group is None or not group.method.is_teams:
        return None
    named = [serie.id for serie in event.series.values() if serie.name in (group.name, section.name)]
    found = named or (list(event.series) if len(event.series) == 1 else [])
    return SerieSeated(found[0], guid, section.section, 1) if len(found) == 1 else None


def _land_section(
    event: TeamEvent, session: Session, section: str, seated: SerieSeated, landed: Landed
) -> None:
    teams = {team.number: team for team in event.of_serie(seated.serie)}
    for table, at in sorted(session.movement.section(section).items()):
        for number, played in enumerate(at.rounds, start=1):
            ns, ew = teams.get(played.team_ns), teams.get(played.team_ew)
            if ns is None or ew is None:
                continue
            round_ = seated.round if seated.segment else seated.round + number - 1
            part = seated.segment + number - 1 if seated.segment else 1
            home = _home(event, landed, seated.serie, round_, part, ns, ew, table, played)
            segment = Segment(seated.serie, round_, part, home.id)
            _land_people(event, session, section, table, number, segment, ns, landed)
            for board in played.boards:
                result = session.results.standing.get((section, table, number, board))
                if result is not None and result.outcome is not None:
                    _land_result(result, result.outcome, ns, ew, segment, landed)


def _home(
    event: TeamEvent,
    landed: Landed,
    serie: int,
    round_: int,
    part: int,
    ns: Team,
    ew: Team,
    table: int,
    played: Round,
) -> Team:
    """Who is at home; a match that nobody has drawn is the one that the tables play."""
    two = {ns.id, ew.id}
    drawn = event.draws.get((serie, round_))
    for match in drawn.pairings if drawn else ():
        if {match.home, match.away} == two:
            return ns if match.home == ns.id else ew
    found = landed.draws.get((serie, round_), drawn or RoundDrawn(serie, round_, 1, ()))
    for match in found.pairings:
        if {match.home, match.away} == two:
            landed.draws[serie, round_] = RoundDrawn(serie, round_, max(found.segments, part), found.pairings)
            return ns if match.home == ns.id else ew
    first = min(table, played.mates.table) if played.mates else table
    home, away = (ns, ew) if first == table else (ew, ns)
    landed.draws[serie, round_] = RoundDrawn(
        serie, round_, max(found.segments, part), (*found.pairings, Pairing(first, home.id, away.id))
    )
    return home


def _land_result(
    result: ResultRecorded, outcome: Outcome, ns: Team, ew: Team, segment: Segment, landed: Landed
) -> None:
    sat_ns = ew if result.is_wrong_direction else ns
    room = Room.OPEN if sat_ns.id == segment.home else Room.CLOSED
    here = landed.boards.setdefault(segment, {})
    here[room, result.board] = RoomResult(outcome, result.outcome_ew, result.lead)


def _land_people(
    event: TeamEvent,
    session: Session,
    section: str,
    table: int,
    number: int,
    segment: Segment,
    ns: Team,
    landed: Landed,
) -> None:
    """The line-up of a table, as far as its people are in the rosters by member code or by name."""
    seats: dict[Seat, int] = {}
    codes = {player.member_code: player for player in event.players.values() if player.member_code}
    names: dict[str, Competitor] = {player.name: player for player in event.players.values()}
    for seat in Seat:
        chair = session.seating.chairs.get((section, table, number, seat))
        if chair is None:
            continue
        person = session.seating.players.get(chair.number) or chair.player
        known = codes.get(person.number) or names.get(person.name)
        if known is not None:
            seats[seat] = known.id
    if seats:
        room = Room.OPEN if ns.id == segment.home else Room.CLOSED
        order = (Seat.NORTH, Seat.SOUTH, Seat.EAST, Seat.WEST)
        landed.line_ups[segment, room] = LineUp(*(seats.get(seat, 0) for seat in order))
