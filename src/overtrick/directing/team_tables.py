"""A session for a round of a team event, so that terminals score it: two tables for each match, one for each room.

The session belongs to the team event, and `DivisionSeated` says which round its tables play; `views.teams` reads the
results there. Pure.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import count

from overtrick.bridge import Seat
from overtrick.errors import BadInput
from overtrick.event import AddSession, Command, JournalState, OpenEvent, SessionPlan, Transaction
from overtrick.event.movement import Mates, Round, SectionPlan, TablePlan
from overtrick.event.seating import Participation, SessionPlayer
from overtrick.event.setup import SECTION_LETTERS, GameKind, GroupPlan
from overtrick.event.team_rules import PutTeamFacts
from overtrick.event.teams import Division, DivisionSeated, Pairing, Room, RoundDrawn, Segment, TeamEvent
from overtrick.scoring import Method


@dataclass(frozen=True, slots=True)
class TeamTableLayout:
    """The command that seats a round, and the tables of each match."""

    command: Command
    section: str
    tables: tuple[tuple[Pairing, Room, str, int], ...]
    """The match, the room, and the section and table where it plays."""


def plan_team_tables(
    state: JournalState,
    event: TeamEvent,
    division: Division,
    round_: int,
    segment: int,
    boards: Sequence[int],
    *,
    session: str,
    day: date,
) -> TeamTableLayout:
    """Return the command that opens a session for one segment of a drawn round, with the tables of each match.

    Raise BadInput if the round is not drawn, has a triangle or has no such segment, and if no section letter is free.
    """
    draw = event.draws.get((division.id, round_))
    if draw is None or not draw.pairings:
        raise BadInput(f"Round {round_} of {division.name} is not drawn; nothing was changed.")
    if draw.triangle:
        raise BadInput(
            f"Three teams meet each other in round {round_} of {division.name}. Such a round cannot be assigned to "
            "tables; enter its results on the score sheet. Nothing was changed."
        )
    if not 1 <= segment <= draw.segments:
        raise BadInput(
            f"Round {round_} of {division.name} has {draw.segments} segments; nothing was changed."
        )
    opened = state.event(event.event)
    letters = {letter for taken in opened.letters.values() for letter in taken} if opened else set()
    groups = {number for taken in opened.groups.values() for number in taken} if opened else set()
    section = next((letter for letter in SECTION_LETTERS if letter not in letters), "")
    if not section:
        raise BadInput("The event has no section letters left; nothing was changed.")
    group = next(number for number in count(1) if number not in groups)
    tables: list[TablePlan] = []
    places: list[tuple[Pairing, Room, str, int]] = []
    for match in sorted(draw.pairings, key=lambda match: match.table):
        first = len(tables) + 1
        home, away = event.teams[match.home].number, event.teams[match.away].number
        for table, other_table, ns, ew in ((first, first + 1, home, away), (first + 1, first, away, home)):
            mates = Mates(section, other_table, 1)
            table_round = Round(ns, ew, tuple(boards), team_ns=ns, team_ew=ew, mates=mates)
            tables.append(TablePlan(table, (table_round,), group=(first + 1) // 2))
        places += [(match, Room.OPEN, section, first), (match, Room.CLOSED, section, first + 1)]
    name = f"{event.name}, {division.name}, round {round_}"
    plan = SessionPlan(
        session,
        f"{name}, segment {segment}" if draw.segments > 1 else name,
        day,
        (GroupPlan(group, division.method or Method.TEAM_IMPS, division.name),),
        ((SectionPlan(section, group, game=GameKind.TEAMS, name=division.name), tuple(tables)),),
        players=tuple(_players(event, draw)),
        participations=tuple(_line_up_seats(event, division, round_, segment, places)),
    )
    seated = DivisionSeated(division.id, session, section, round_, segment if draw.segments > 1 else 0)
    opening: Command = AddSession(event.event, plan) if opened else OpenEvent(event.event, (plan,))
    return TeamTableLayout(
        Transaction((PutTeamFacts(event.event, (seated,)), opening)), section, tuple(places)
    )


def _players(event: TeamEvent, draw: RoundDrawn) -> Iterator[SessionPlayer]:
    """Yield the players of a round's teams that have a member code, which they can type at a terminal."""
    codes: set[str] = set()
    for match in draw.pairings:
        for team in (match.home, match.away):
            for member in event.rosters.get(team, ()):
                person = event.players[member.player]
                if person.member_code and person.member_code not in codes:
                    codes.add(person.member_code)
                    yield SessionPlayer(person.member_code, person.first_name, person.last_name)


def _line_up_seats(
    event: TeamEvent,
    division: Division,
    round_: int,
    segment: int,
    places: Sequence[tuple[Pairing, Room, str, int]],
) -> Iterator[Participation]:
    """Yield the players of the line-ups entered so far, at their seats."""
    for match, room, section, table in places:
        line_up = event.line_ups.get((Segment(division.id, round_, segment, match.home), room))
        if line_up is None:
            continue
        chairs = zip(
            (Seat.NORTH, Seat.SOUTH, Seat.EAST, Seat.WEST),
            (line_up.north, line_up.south, line_up.east, line_up.west),
            strict=True,
        )
        for seat, player_id in chairs:
            if player_id:
                person = event.players[player_id]
                yield Participation(
                    section, table, seat, person.member_code, person.first_name, person.last_name, round=1
                )
