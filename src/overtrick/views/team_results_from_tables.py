"""Results from the tables of sessions as matches of a team event. Read-only: no result is stored twice.

A section belongs to a team event if a fact seated a division there (`DivisionSeated`). Without one it belongs if its
session has the event's guid, its scoring group is scored as teams, and exactly one division has the name of the group
or of the section, or the event has only one division. Pure.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

from overtrick.bridge import Card, Outcome, Seat
from overtrick.event import JournalState, Session
from overtrick.event.movement import Round
from overtrick.event.setup import SectionSet
from overtrick.event.teams import (
    DivisionSeated,
    LineUp,
    Pairing,
    Room,
    RoundDrawn,
    Segment,
    Team,
    TeamEvent,
)


@dataclass(frozen=True, slots=True)
class RoomResult:
    """The result that counts on a board in one room."""

    outcome: Outcome
    outcome_ew: Outcome | None = None
    """The result that counts for East-West if the director gave the sides separate results."""
    lead: Card | None = None
    version: str = ""
    """The name of the deal that was played, if the board was fouled; empty for the usual deal."""


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
    """The room of the table: open if the home team sits North-South."""

    def board_results(self) -> Iterator[tuple[tuple[Room, int], RoomResult]]:
        """Yield room, board and result of each board; a board played in the wrong direction belongs to the other
        room.
        """
        for board in self.boards:
            result = self.session.results.standing.get((self.section, self.table, self.round, board))
            if result is not None and result.outcome is not None:
                room = OTHER_ROOM[self.room] if result.is_wrong_direction else self.room
                version = self.session.rulings.versions.get(result.place, "")
                yield (room, board), RoomResult(result.outcome, result.outcome_ew, result.lead, version)


@dataclass(slots=True)
class TableTeamResults:
    """The results that the tables of an event's sessions contribute to a team event."""

    event: TeamEvent
    draws: dict[tuple[int, int], RoundDrawn] = field(default_factory=dict)
    """By division and round: the draw with the undrawn matches that tables play; only rounds that have such matches."""
    places: dict[Segment, list[MatchTableRound]] = field(default_factory=dict)
    segments: dict[tuple[str, str, int, int], Segment] = field(default_factory=dict)
    """The segment that is played at a session, section, table and round."""
    _player_ids: tuple[dict[str, int], dict[str, int]] | None = None
    """The ids of the event's players by member code and by name; computed when first needed."""

    def boards(self, segment: Segment) -> RoomBoards:
        """Return the results of a segment that count at its tables now."""
        return dict(entry for place in self.places.get(segment, ()) for entry in place.board_results())

    def line_up(self, segment: Segment, room: Room) -> LineUp | None:
        """Return the players in a room now, 0 for those whose member code or name the event does not have; None if
        unknown.
        """
        order = (Seat.NORTH, Seat.SOUTH, Seat.EAST, Seat.WEST)
        players = None
        for place in self.places.get(segment, ()):
            if place.room is room:
                seats = [self._player_at(place, seat) for seat in order]
                players = LineUp(*seats) if any(seats) else players
        return players

    def _player_at(self, place: MatchTableRound, seat: Seat) -> int:
        seating = place.session.seating
        chair = seating.chairs.get((place.section, place.table, place.round, seat))
        if chair is None:
            return 0
        if self._player_ids is None:
            players = self.event.players.values()
            self._player_ids = (
                {player.member_code: player.id for player in players if player.member_code},
                {player.name: player.id for player in players},
            )
        codes, names = self._player_ids
        person = seating.player(chair)
        return codes.get(person.number) or names.get(person.name, 0)


def results_from_tables(state: JournalState, event: TeamEvent) -> TableTeamResults:
    """Return the matches that the sections of a team event play, and the tables that play them."""
    results = TableTeamResults(event)
    event_sessions = state.event(event.event)
    guids = [
        *(event_sessions.sessions if event_sessions is not None else ()),
        *(guid for guid, _ in event.seated),
    ]
    for guid in dict.fromkeys(guids):
        session = state.session(guid)
        if session is None or session.filing.is_binned:
            continue
        for section in session.setup.sections.values():
            seated = _division_seated(event, session, section)
            if seated is not None:
                _add_section(event, session, section.section, seated, results)
    return results


def _division_seated(event: TeamEvent, session: Session, section: SectionSet) -> DivisionSeated | None:
    guid = session.opened.session
    if (seated := event.seated.get((guid, section.section))) is not None:
        return seated
    group = session.setup.groups.get(section.group)
    if session.opened.event != event.event or group is None or not group.method.is_teams:
        return None
    same_name = [
        division.id for division in event.divisions.values() if division.name in (group.name, section.name)
    ]
    divisions = same_name or (list(event.divisions) if len(event.divisions) == 1 else [])
    return DivisionSeated(divisions[0], guid, section.section, 1) if len(divisions) == 1 else None


def _add_section(
    event: TeamEvent, session: Session, section: str, seated: DivisionSeated, results: TableTeamResults
) -> None:
    teams = {team.number: team for team in event.teams_of(seated.serie)}
    for table, table_rounds in sorted(session.movement.section(section).items()):
        for number, round_at_table in enumerate(table_rounds.rounds, start=1):
            ns, ew = teams.get(round_at_table.team_ns), teams.get(round_at_table.team_ew)
            if ns is None or ew is None:
                continue
            # The rounds of a section are the segments of one round of the event, or else rounds of the event.
            round_ = seated.round if seated.segment else seated.round + number - 1
            segment_number = seated.segment + number - 1 if seated.segment else 1
            home = _home(event, results, seated.serie, round_, segment_number, ns, ew, table, round_at_table)
            segment = Segment(seated.serie, round_, segment_number, home.id)
            room = Room.OPEN if home is ns else Room.CLOSED
            place = MatchTableRound(session, section, table, number, round_at_table.boards, room)
            results.places.setdefault(segment, []).append(place)
            results.segments[session.opened.session, section, table, number] = segment


def _home(
    event: TeamEvent,
    results: TableTeamResults,
    division: int,
    round_: int,
    segment_number: int,
    ns: Team,
    ew: Team,
    table: int,
    round_at_table: Round,
) -> Team:
    """Return the home team as drawn; add a match that was not drawn, with the team N-S at the lower table as home."""
    team_ids = {ns.id, ew.id}
    drawn = event.draws.get((division, round_))
    for match in drawn.pairings if drawn else ():
        if {match.home, match.away} == team_ids:
            return ns if match.home == ns.id else ew
    draw = results.draws.get((division, round_), drawn or RoundDrawn(division, round_, 1, ()))
    for match in draw.pairings:
        if {match.home, match.away} == team_ids:
            results.draws[division, round_] = RoundDrawn(
                division, round_, max(draw.segments, segment_number), draw.pairings
            )
            return ns if match.home == ns.id else ew
    first = min(table, round_at_table.mates.table) if round_at_table.mates else table
    home, away = (ns, ew) if first == table else (ew, ns)
    results.draws[division, round_] = RoundDrawn(
        division,
        round_,
        max(draw.segments, segment_number),
        (*draw.pairings, Pairing(first, home.id, away.id)),
    )
    return home
