"""Team events: divisions, teams, rosters, draws, line-ups and results of both rooms.

Independent of files and victory point scales. A team event has a stream of its own, `teams/<event>`: it spans the
sessions of its event and outlives their incarnations. Results from the tables of a session stay in the session's
stream and are not repeated here; `DivisionSeated` only links those tables to rounds of a division. IMPs and VPs are
in units (`scoring.UNIT` to a point).

The fields and kinds of facts call a division `serie`: journals and Magic's files use that word.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from datetime import date
from enum import Enum

from overtrick.bridge import Card, Outcome
from overtrick.errors import BadInput
from overtrick.event.fact import Fact, fact
from overtrick.scoring import Method


class TeamFormat(Enum):
    """The way in which the teams of a division meet."""

    ROUND_ROBIN = "round robin"
    SWISS = "swiss"
    KNOCK_OUT = "knock-out"


class Room(Enum):
    """The room of a table: in the open room the home team sits North-South, in the closed room the away team."""

    OPEN = "Open"
    CLOSED = "Closed"


@dataclass(frozen=True, slots=True)
class Division:
    """A division of the event with a ranking of its own: Open, Women, a qualifying group, the final stages."""

    id: int
    name: str
    format: TeamFormat = TeamFormat.ROUND_ROBIN
    method: Method | None = None
    """None if only another program knows how matches are scored; victory points then count as reported."""
    boards: int = 0
    """Boards in a match, for the scale of victory points; 0: as many as were played."""


@dataclass(frozen=True, slots=True)
class Team:
    """A team. `id` is its key in Magic's files, `foreign_id` the tournament office's (0: none yet)."""

    id: int
    serie: int
    number: int
    name: str
    foreign_id: int = 0
    country_iso: str = ""
    country_ioc: str = ""


@dataclass(frozen=True, slots=True)
class Competitor:
    """A person in a team event. `id` is the key in Magic's files, `foreign_id` the tournament office's (0: none)."""

    id: int
    first_name: str
    last_name: str
    member_code: str = ""
    foreign_id: int = 0
    sex: str = ""
    birth: date | None = None
    country_ioc: str = ""

    @property
    def name(self) -> str:
        """Return first and last name.

        >>> Competitor(1, "Tomas", "Brenning").name
        'Tomas Brenning'
        """
        return f"{self.first_name} {self.last_name}".strip()


@dataclass(frozen=True, slots=True)
class Member:
    """A member of a team's roster; an empty role means a player. Partners are adjacent by `order`."""

    player: int
    role: str = ""
    order: int = 0

    @property
    def plays(self) -> bool:
        """Return whether the member may play: a player, or a playing captain (PC)."""
        return self.role.upper() in ("", "PC")


@dataclass(frozen=True, slots=True)
class Pairing:
    """A match of a round: its table, and the ids of both teams."""

    table: int
    home: int
    away: int


@dataclass(frozen=True, slots=True)
class Segment:
    """A part of a match. A team is at home in one match a round, so the home team identifies the match."""

    serie: int
    round: int
    number: int
    home: int


@dataclass(frozen=True, slots=True)
class LineUp:
    """The ids of the players of one room; 0: not known."""

    north: int = 0
    south: int = 0
    east: int = 0
    west: int = 0


@dataclass(frozen=True, slots=True)
class TeamBoardResult:
    """The result of a board in one room."""

    room: Room
    board: int
    outcome: Outcome
    lead: Card | None = None
    outcome_ew: Outcome | None = None
    """The result for East-West if the director gave the sides separate results; None otherwise."""


# Facts ------------------------------------------------------------------------------------------------------


@fact("team-event-set")
class TeamEventSet(Fact):
    """A team event has this name and this key in Magic's files."""

    event: str
    name: str
    id: int


@fact("serie-set")
class DivisionSet(Fact):
    """A division was added or changed."""

    serie: Division


@fact("team-set")
class TeamSet(Fact):
    """A team was added or changed."""

    team: Team


@fact("team-dropped")
class TeamDropped(Fact):
    """A team was removed, with its roster."""

    team: int


@fact("competitor-set")
class CompetitorSet(Fact):
    """A person was added or changed."""

    player: Competitor


@fact("roster-set")
class RosterSet(Fact):
    """A team has these members and no others."""

    team: int
    members: tuple[Member, ...]


@fact("round-drawn")
class RoundDrawn(Fact):
    """A round has these matches and no others, each of `segments` segments."""

    serie: int
    round: int
    segments: int
    pairings: tuple[Pairing, ...]

    @property
    def triangle(self) -> frozenset[int]:
        """Return the teams with more than one match: the three that meet each other in half-matches, if any."""
        times = Counter(team for pairing in self.pairings for team in (pairing.home, pairing.away))
        return frozenset(team for team, count in times.items() if count > 1)


@fact("carry-over-set")
class CarryOverSet(Fact):
    """A team carries over IMPs into its match of a round, and VPs into the event."""

    serie: int
    round: int
    team: int
    imps: int
    vps: int


@fact("team-adjusted")
class TeamAdjusted(Fact):
    """The director's adjustment for one team in one segment, in place of any before it."""

    serie: int
    round: int
    segment: int
    team: int
    imps: int
    vps: int
    reason: str = ""


@fact("line-up-set")
class LineUpSet(Fact):
    """These players sit in a room in a segment."""

    segment: Segment
    room: Room
    line_up: LineUp


@fact("team-board-recorded", 2)
class TeamBoardRecorded(Fact):
    """A board has this result in a room, in place of any before it."""

    segment: Segment
    result: TeamBoardResult


@fact("team-board-erased")
class TeamBoardErased(Fact):
    """The result of a board in a room no longer counts."""

    segment: Segment
    room: Room
    board: int


@fact("match-reported")
class MatchReported(Fact):
    """The reported IMPs of a segment, and VPs if known, without boards; boards that are entered override the IMPs."""

    segment: Segment
    imps_home: int
    imps_away: int
    vps_home: int | None = None
    vps_away: int | None = None


@fact("match-noted")
class MatchNoted(Fact):
    """A comment on a segment, in place of any before it."""

    segment: Segment
    comment: str


@fact("tournament-mapped")
class TournamentMapped(Fact):
    """The tournament office uses this name, of a tournament and its group, for this division."""

    tournament: str
    serie: int


@fact("serie-seated")
class DivisionSeated(Fact):
    """The tables of a section play this division: their round 1 is `round` here, or its segment `segment`."""

    serie: int
    session: str
    section: str
    round: int
    segment: int = 0
    """0: each round at the tables is a round of one segment. Otherwise they are segments, from this one on."""


# State ------------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class TeamEvent:
    """The state of a team event. Only `apply` changes it."""

    event: str = ""
    name: str = ""
    id: int = 0
    divisions: dict[int, Division] = field(default_factory=dict)
    teams: dict[int, Team] = field(default_factory=dict)
    players: dict[int, Competitor] = field(default_factory=dict)
    rosters: dict[int, tuple[Member, ...]] = field(default_factory=dict)
    draws: dict[tuple[int, int], RoundDrawn] = field(default_factory=dict)
    """By division and round."""
    carried: dict[tuple[int, int, int], CarryOverSet] = field(default_factory=dict)
    """By division, round and team."""
    adjusted: dict[tuple[int, int, int, int], TeamAdjusted] = field(default_factory=dict)
    """By division, round, segment and team."""
    line_ups: dict[tuple[Segment, Room], LineUp] = field(default_factory=dict)
    boards: dict[Segment, dict[tuple[Room, int], TeamBoardResult]] = field(default_factory=dict)
    reported: dict[Segment, MatchReported] = field(default_factory=dict)
    notes: dict[Segment, str] = field(default_factory=dict)
    tournaments: dict[str, int] = field(default_factory=dict)
    seated: dict[tuple[str, str], DivisionSeated] = field(default_factory=dict)
    """By session and section."""

    def player_with_code(self, code: str, typed: str = "") -> Competitor | None:
        """Return the player with a member code, or None; raise BadInput if the typed name is another name."""
        player = next((each for each in self.players.values() if code and each.member_code == code), None)
        if player is not None and typed and typed.casefold() != player.name.casefold():
            raise BadInput(
                f"Member code {code} belongs to {player.name}, not to {typed}. Nothing was changed."
            )
        return player

    def copy(self) -> TeamEvent:
        """Return a copy that can be changed independently."""
        copies = {
            name: dict(value) for name in self.__slots__ if isinstance(value := getattr(self, name), dict)
        }
        copies["boards"] = {segment: dict(results) for segment, results in self.boards.items()}
        return replace(self, **copies)  # type: ignore[arg-type]

    def teams_of(self, division: int) -> list[Team]:
        """Return the teams of a division, by number."""
        return sorted(
            (team for team in self.teams.values() if team.serie == division), key=lambda team: team.number
        )

    def rounds(self, division: int) -> list[int]:
        """Return the numbers of the drawn rounds of a division, ascending."""
        return sorted(number for drawn_division, number in self.draws if drawn_division == division)

    def pairing(self, segment: Segment) -> Pairing | None:
        """Return the match that a segment belongs to; None if it is not drawn."""
        draw = self.draws.get((segment.serie, segment.round))
        if draw is None or not 1 <= segment.number <= draw.segments:
            return None
        return next((match for match in draw.pairings if match.home == segment.home), None)

    def apply(self, fact: Fact) -> None:
        """Apply one fact, in place; raise LookupError if it is not a fact of a team event."""
        match fact:
            case TeamBoardRecorded():
                results = self.boards.setdefault(fact.segment, {})
                results[fact.result.room, fact.result.board] = fact.result
            case TeamBoardErased():
                del self.boards[fact.segment][fact.room, fact.board]
                if not self.boards[fact.segment]:
                    del self.boards[fact.segment]
            case MatchReported():
                self.reported[fact.segment] = fact
            case LineUpSet():
                self.line_ups.pop((fact.segment, fact.room), None)
                if fact.line_up != LineUp():
                    self.line_ups[fact.segment, fact.room] = fact.line_up
            case CarryOverSet():
                self.carried[fact.serie, fact.round, fact.team] = fact
            case TeamAdjusted():
                self.adjusted[fact.serie, fact.round, fact.segment, fact.team] = fact
            case MatchNoted():
                self.notes[fact.segment] = fact.comment
            case _:
                self._apply_setup(fact)

    def _apply_setup(self, fact: Fact) -> None:
        """Apply a fact about the event, its teams and players, its draws or its tables."""
        match fact:
            case TeamEventSet():
                self.event, self.name, self.id = fact.event, fact.name, fact.id
            case DivisionSet():
                self.divisions[fact.serie.id] = fact.serie
            case TeamSet():
                self.teams[fact.team.id] = fact.team
            case TeamDropped():
                del self.teams[fact.team]
                self.rosters.pop(fact.team, None)
            case CompetitorSet():
                self.players[fact.player.id] = fact.player
            case RosterSet():
                self.rosters[fact.team] = fact.members
            case RoundDrawn():
                self.draws[fact.serie, fact.round] = fact
            case TournamentMapped():
                self.tournaments[fact.tournament] = fact.serie
            case DivisionSeated():
                self.seated[fact.session, fact.section] = fact
            case _:
                raise LookupError(f"{fact.kind} is not a fact of a team event")


def teams_stream(event: str) -> str:
    """Return the name of the stream of a team event.

    >>> teams_stream("0" * 32)
    'teams/00000000000000000000000000000000'
    """
    return f"teams/{event}"
