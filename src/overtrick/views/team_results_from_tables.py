"""Results at the tables of sessions, as matches of a team event. Read-only: nothing is stored twice.

A section belongs to a team event when it was seated there, or by itself: its session belongs to the same event, its
scoring group is scored as teams, and the group or the section has the name of a serie, or there is only one.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

from overtrick.bridge import Card, Outcome, Seat
from overtrick.event import JournalState, Session
from overtrick.event.movement import Round
from overtrick.event.setup import SectionSet
from overtrick.event.teams import (
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
    """The result that counts on a board in one room."""

    outcome: Outcome
    outcome_ew: Outcome | None = None
    """The result that counts for East-West where the director gave the sides separate results."""
    lead: Card | None = None


RoomBoards = dict[tuple[Room, int], RoomResult]
OTHER_ROOM = {Room.OPEN: Room.CLOSED, Room.CLOSED: Room.OPEN}


@dataclass(frozen=True, slots=True)
class MatchTableRound:
    """A round at a table that is a part of a match."""

    session: Session
    section: str
    table: int
    round: int
    boards: tuple[int, ...]
    room: Room
    """The room in which the teams sit as drawn."""

    def boards_there(self) -> Iterator[tuple[tuple[Room, int], RoomResult]]:
        """Yield the results that count there now, with the room in which each was played."""
        for board in self.boards:
            result = self.session.results.standing.get((self.section, self.table, self.round, board))
            if result is not None and result.outcome is not None:
                room = OTHER_ROOM[self.room] if result.is_wrong_direction else self.room
                yield (room, board), RoomResult(result.outcome, result.outcome_ew, result.lead)


@dataclass(slots=True)
class TableTeamResults:
    """The results that the tables of an event's sessions contribute to a team event."""

    event: TeamEvent
    draws: dict[tuple[int, int], RoundDrawn] = field(default_factory=dict)
    places: dict[Segment, list[MatchTableRound]] = field(default_factory=dict)
    segments: dict[tuple[str, str, int, int], Segment] = field(default_factory=dict)
    """The segment that is played at a session's section, table and round."""
    _known: tuple[dict[str, int], dict[str, int]] | None = None
    """The players by member code, and by name."""

    def boards(self, segment: Segment) -> RoomBoards:
        """Return the results of a segment as its tables have them now."""
        return dict(found for place in self.places.get(segment, ()) for found in place.boards_there())

    def line_up(self, segment: Segment, room: Room) -> LineUp | None:
        """Return the players in a room now, as far as member code or name is in the rosters."""
        order = (Seat.NORTH, Seat.SOUTH, Seat.EAST, Seat.WEST)
        found = None
        for place in self.places.get(segment, ()):
            if place.room is room:
                seats = [self._sits(place, seat) for seat in order]
                found = LineUp(*seats) if any(seats) else found
        return found

    def _sits(self, place: MatchTableRound, seat: Seat) -> int:
        seating = place.session.seating
        chair = seating.chairs.get((place.section, place.table, place.round, seat))
        if chair is None:
            return 0
        if self._known is None:
            players = self.event.players.values()
            self._known = (
                {player.member_code: player.id for player in players if player.member_code},
                {player.name: player.id for player in players},
            )
        codes, names = self._known
        person = seating.player(chair)
        return codes.get(person.number) or names.get(person.name, 0)


def land(state: JournalState, event: TeamEvent) -> TableTeamResults:
    """Return the matches that every section of this event plays."""
    landed = TableTeamResults(event)
    crossing = state.event(event.event)
    guids = [*(crossing.sessions if crossing is not None else ()), *(guid for guid, _ in event.seated)]
    for guid in dict.fromkeys(guids):
        session = state.session(guid)
        if session is None:
            continue
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
    event: TeamEvent, session: Session, section: str, seated: SerieSeated, landed: TableTeamResults
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
            room = Room.OPEN if home is ns else Room.CLOSED
            place = MatchTableRound(session, section, table, number, played.boards, room)
            landed.places.setdefault(segment, []).append(place)
            landed.segments[session.opened.session, section, table, number] = segment


def _home(
    event: TeamEvent,
    landed: TableTeamResults,
    serie: int,
    round_: int,
    part: int,
    ns: Team,
    ew: Team,
    table: int,
    played: Round,
) -> Team:
    """Return the home team; a match that was not drawn is the one that the tables play."""
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
