"""Players and their seats. Seats of later rounds follow from the movement."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING

from overtrick.bridge import Seat, Side
from overtrick.event import movement
from overtrick.event.command import Command
from overtrick.event.fact import Fact, fact
from overtrick.event.movement import Contestant, TableDropped
from overtrick.event.rejection import Problem, Reason, Rejection, reject, rejected
from overtrick.event.setup import GameKind, SectionDropped

__all__ = [
    "Participation",
    "PlayerSet",
    "PutParticipations",
    "PutPlayers",
    "Seated",
    "SessionPlayer",
    "Source",
    "SwapPlayers",
    "Unseated",
]

if TYPE_CHECKING:
    from overtrick.event.session import Session

Chair = tuple[str, int, int, Seat]
"""Section, table, round and seat.

Round 0, before play, is stored as round 1 unless East-West moves between registering and the first round.
"""


class Source(Enum):
    """The source of a seating."""

    SCORING_PROGRAM = "scoring program"
    TERMINAL = "terminal"
    DESK = "desk"
    FILE = "file"


@dataclass(frozen=True, slots=True)
class SessionPlayer:
    """A person in a session, known by a number; numbers are text, and may have leading zeros."""

    number: str
    first_name: str = ""
    last_name: str = ""
    country: str = ""

    @property
    def name(self) -> str:
        """Return the whole name.

        >>> SessionPlayer("12", "Ely", "Culbertson").name
        'Ely Culbertson'
        """
        return f"{self.first_name} {self.last_name}".strip()


# Facts ------------------------------------------------------------------------------------------------------


@fact("player-set")
class PlayerSet(Fact):
    """The session knows this player, with this name."""

    number: str
    first_name: str
    last_name: str
    country: str = ""


@fact("seated")
class Seated(Fact):
    """A person has this chair from this round on; identified by number, by name, or both."""

    section: str
    table: int
    round: int
    seat: Seat
    number: str
    first_name: str
    last_name: str
    country: str
    source: Source
    is_swap: bool = False

    @property
    def player(self) -> SessionPlayer:
        """Return the player in this seat."""
        return SessionPlayer(self.number, self.first_name, self.last_name, self.country)


@fact("unseated")
class Unseated(Fact):
    """The chair is empty from this round on."""

    section: str
    table: int
    round: int
    seat: Seat
    source: Source


# Commands ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class PutPlayers(Command):
    """Add players, or change the names of known ones."""

    session: str
    players: tuple[SessionPlayer, ...]


@dataclass(frozen=True, slots=True)
class Participation:
    """A request to seat a player, by number or by name alone, or to empty a seat."""

    section: str
    table: int
    seat: Seat
    number: str = ""
    first_name: str = ""
    last_name: str = ""
    country: str = ""
    round: int = 0
    is_removal: bool = False


@dataclass(frozen=True, slots=True)
class PutParticipations(Command):
    """Seat players and empty seats, all or none."""

    session: str
    participations: tuple[Participation, ...]
    source: Source = Source.SCORING_PROGRAM
    must_be_known: bool = True
    """True if a number must belong to a player of the session."""
    unique_names: bool = False
    """True if a name in two chairs of a round is rejected: a person who types names may have typed one twice."""


@dataclass(frozen=True, slots=True)
class SwapPlayers(Command):
    """Swap two partners at a table, from this round on."""

    session: str
    section: str
    table: int
    round: int
    side: Side
    source: Source = Source.TERMINAL


# State ------------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class Seating:
    """The players of the session, and the seats that were set."""

    players: dict[str, SessionPlayer] = field(default_factory=dict)
    chairs: dict[Chair, Seated] = field(default_factory=dict)
    lost: dict[Chair, Seated] = field(default_factory=dict)
    """The player whom the scoring program last removed from a chair; cleared when the empty chair is filled, or when
    anyone else changes it."""

    def player(self, seated: Seated) -> SessionPlayer:
        """Return the player in a chair, with the name stored for the number or else the one given with the chair."""
        player = self.players.get(seated.number)
        return player if player is not None and player.name else seated.player

    def copy(self) -> Seating:
        """Return a copy that can be changed independently."""
        return Seating(dict(self.players), dict(self.chairs), dict(self.lost))

    def change(self, chair: Chair, source: Source, after: Seated | None) -> None:
        """Give a chair to a player, or empty it (`after` None)."""
        before = self.chairs.pop(chair, None)
        if after is not None:
            self.chairs[chair] = after
        if source is not Source.SCORING_PROGRAM or before is None:
            self.lost.pop(chair, None)
        elif after is None or before.player != after.player:
            self.lost[chair] = before


def apply(seating: Seating, fact: Fact) -> None:
    """Apply one fact to the players and chairs, in place."""
    match fact:
        case PlayerSet():
            seating.players[fact.number] = SessionPlayer(
                fact.number, fact.first_name, fact.last_name, fact.country
            )
        case Seated():
            seating.change((fact.section, fact.table, fact.round, fact.seat), fact.source, fact)
        case Unseated():
            seating.change((fact.section, fact.table, fact.round, fact.seat), fact.source, None)
        case TableDropped():
            for chairs in (seating.chairs, seating.lost):
                for chair in [chair for chair in chairs if chair[:2] == (fact.section, fact.table)]:
                    del chairs[chair]
        case SectionDropped():
            for chairs in (seating.chairs, seating.lost):
                for chair in [chair for chair in chairs if chair[0] == fact.section]:
                    del chairs[chair]


# Rules ------------------------------------------------------------------------------------------------------


def stored_round(session: Session, section: str, number: int) -> int:
    """Return the round under which a chair is stored: 0 and 1 are the same, unless East-West moves before play."""
    return 1 if number == 0 and not session.setup.sections[section].ew_moves else number


def put_players(session: Session, command: PutPlayers) -> tuple[Fact, ...] | Rejection:
    """Decide about players; rejected if one has no number, or a number is listed twice."""
    problems: list[Problem] = []
    facts: list[Fact] = []
    numbers: set[str] = set()
    for player in command.players:
        where = f"player {player.number}"
        if not player.number:
            problems.append(Problem(Reason.NOT_ALLOWED, f"{player.name or 'A player'} has no number."))
        elif player.number in numbers:
            problems.append(Problem(Reason.NOT_ALLOWED, "The number is listed twice.", where))
        numbers.add(player.number)
        if session.seating.players.get(player.number) != player:
            facts.append(PlayerSet(player.number, player.first_name, player.last_name, player.country))
    return rejected(problems) or tuple(facts)


def put_participations(session: Session, command: PutParticipations) -> tuple[Fact, ...] | Rejection:
    """Decide about seats; rejected for an unknown table or number, and for a number in two chairs of a round.

    A player whom the scoring program seats leaves the earlier chair; for other sources that must be emptied first. With
    `unique_names`, namesakes need numbers, except in a game for individuals.
    """
    problems: list[Problem] = []
    chairs = dict(session.seating.chairs)
    changed: dict[Chair, None] = {}
    seated_numbers: set[tuple[int, str]] = set()  # round and number of the players whom this command seats
    requested: set[Chair] = set()
    for entry in command.participations:
        where = f"table {entry.section}{entry.table}, {entry.seat.name.title()}"
        if entry.section not in session.setup.sections:
            problems.append(Problem(Reason.UNKNOWN_PLACE, f"There is no section {entry.section}."))
            continue
        table = session.movement.tables.get((entry.section, entry.table))
        if table is None:
            problems.append(
                Problem(Reason.UNKNOWN_PLACE, f"Section {entry.section} has no table {entry.table}.")
            )
            continue
        number = stored_round(session, entry.section, entry.round)
        if not 0 <= number <= max(len(table.rounds), 1):
            problems.append(
                Problem(
                    Reason.UNKNOWN_PLACE, f"Table {entry.section}{entry.table} has no round {entry.round}."
                )
            )
            continue
        chair = entry.section, entry.table, number, entry.seat
        if entry.is_removal or not (entry.number or entry.last_name or entry.first_name):
            if chairs.pop(chair, None) is not None:
                changed[chair] = None
            continue
        player = _known_player(session, entry.number, command.source)
        if entry.number and player is None and command.must_be_known:
            problems.append(
                Problem(Reason.UNKNOWN_ENTRY, f"Player {entry.number} is not known in this session.", where)
            )
            continue
        seated = Seated(
            *chair,
            number=entry.number,
            first_name=entry.first_name or (player.first_name if player else ""),
            last_name=entry.last_name or (player.last_name if player else ""),
            country=entry.country or (player.country if player else ""),
            source=command.source,
        )
        requested.add(chair)
        if entry.number:
            seated_numbers.add((number, entry.number))
        before = chairs.get(chair)
        if before is None or before.player != seated.player:
            chairs[chair] = seated
            changed[chair] = None
    if command.source is Source.SCORING_PROGRAM:
        for chair in [
            chair
            for chair, seated in chairs.items()
            if (chair[2], seated.number) in seated_numbers and chair not in requested
        ]:
            del chairs[chair]
            changed[chair] = None
    problems += _numbers_in_two_chairs(chairs)
    if command.unique_names:
        problems += _names_in_two_chairs(session, chairs, changed.keys() & chairs.keys())
    return rejected(problems) or tuple(_reseat(session, chairs, changed, command.source))


def _known_player(session: Session, number: str, source: Source) -> SessionPlayer | None:
    """Return the player with a number, or None; for a terminal, a name may also come from a chair with that number."""
    stored = session.seating.players.get(number) if number else None
    if number and source is Source.TERMINAL and (stored is None or not stored.name):
        seated = (chair.player for chair in session.seating.chairs.values() if chair.number == number)
        return next((player for player in seated if player.name), stored)
    return stored


def _reseat(
    session: Session, chairs: dict[Chair, Seated], changed: Iterable[Chair], source: Source
) -> Iterator[Fact]:
    """Yield the facts that turn the touched chairs into `chairs`, leaving out unchanged ones."""
    for chair in changed:
        before, after = session.seating.chairs.get(chair), chairs.get(chair)
        if after is None:
            if before is not None:
                yield Unseated(*chair, source)
        elif before is None or before.player != after.player:
            yield after


def _names_in_two_chairs(session: Session, chairs: dict[Chair, Seated], changed: set[Chair]) -> list[Problem]:
    """Return a problem for every changed chair whose player has another chair in that round.

    Players are compared by first and last name: a couple may be entered by its last name alone.
    """
    problems: list[Problem] = []
    chair_of: dict[tuple[int, str], Chair] = {}
    for chair in sorted(chairs, key=lambda chair: (chair in changed, chair[:3], chair[3].value)):
        player = session.seating.player(chairs[chair])
        has_full_name = player.first_name and player.last_name
        if not has_full_name or session.setup.sections[chair[0]].game is GameKind.INDIVIDUAL:
            continue
        other = chair_of.setdefault((chair[2], player.name.casefold()), chair)
        have_numbers = chairs[chair].number and chairs[other].number
        if other != chair and chair in changed and not have_numbers:
            problems.append(
                Problem(
                    Reason.NOT_ALLOWED,
                    f"{player.name} is already at table {other[0]}{other[1]}, {other[3].name.title()}. If they are two "
                    "players, add an initial or both numbers.",
                    f"table {chair[0]}{chair[1]}, {chair[3].name.title()}",
                )
            )
    return problems


def _numbers_in_two_chairs(chairs: dict[Chair, Seated]) -> list[Problem]:
    """Return a problem for every number with two chairs in one round."""
    problems: list[Problem] = []
    chair_of: dict[tuple[int, str], Chair] = {}
    for chair, seated in chairs.items():
        if not seated.number:
            continue
        other = chair_of.setdefault((chair[2], seated.number), chair)
        if other != chair:
            problems.append(
                Problem(
                    Reason.NOT_ALLOWED,
                    f"Player {seated.number} cannot sit at {other[0]}{other[1]} {other[3].value} "
                    f"and at {chair[0]}{chair[1]} {chair[3].value}.",
                )
            )
    return problems


def swap_players(session: Session, command: SwapPlayers) -> tuple[Fact, ...] | Rejection:
    """Decide to swap two partners; rejected if the table has no such round."""
    if session.movement.round(command.section, command.table, command.round) is None:
        return reject(
            Reason.UNKNOWN_PLACE, f"Table {command.section}{command.table} has no round {command.round}."
        )
    present = line_up(session, command.section, command.round)
    facts: list[Fact] = []
    for seat in command.side.seats:
        chair = command.section, command.table, command.round, seat
        player = present.get((command.table, seat.partner))
        if player is not None:
            facts.append(
                Seated(
                    *chair,
                    number=player.number,
                    first_name=player.first_name,
                    last_name=player.last_name,
                    country=player.country,
                    source=command.source,
                    is_swap=True,
                )
            )
        elif chair in session.seating.chairs:
            facts.append(Unseated(*chair, command.source))
    return tuple(facts)


# Line-ups ---------------------------------------------------------------------------------------------------


def partnerships(session: Session, number: int) -> dict[tuple[Contestant, bool], SessionPlayer]:
    """Return the players in round `number`, by contestant and whether they have its first chair (North or East).

    The latest entry up to that round counts.
    """
    players: dict[tuple[Contestant, bool], SessionPlayer] = {}
    for (section, table, from_round, seat), seated in sorted(
        session.seating.chairs.items(), key=lambda item: (item[0][2], item[0][0], item[0][1])
    ):
        if from_round > number:
            continue
        round_ = _round_of_chair(session, section, table, from_round, seat)
        if round_ is not None:
            players[chair_holder(session, section, round_, seat)] = session.seating.player(seated)
    return players


def team_players(session: Session) -> dict[Contestant, list[SessionPlayer]]:
    """Return everyone who has sat for each team so far, in the order of rounds, tables and seats."""
    teams = movement.teams_by_mates(session)
    players: dict[Contestant, list[SessionPlayer]] = {}
    for (section, table, from_round, seat), seated in sorted(
        session.seating.chairs.items(),
        key=lambda item: (item[0][2], item[0][0], item[0][1], list(Seat).index(item[0][3])),
    ):
        round_ = _round_of_chair(session, section, table, from_round, seat)
        if round_ is None or not movement.is_teams(session, session.setup.sections[section]):
            continue
        ns, ew = movement.sides(session, section, round_, teams)
        people = players.setdefault(ns[0] if seat.side is Side.NS else ew[0], [])
        player = session.seating.player(seated)
        if player not in people:
            people.append(player)
    return players


def chair_holder(
    session: Session, section: str, round_: movement.Round, seat: Seat
) -> tuple[Contestant, bool]:
    """Return the contestant that a chair belongs to, and whether it is its first chair."""
    contestant = movement.contestant(session, section, round_.number(seat), seat.side)
    if session.setup.sections[section].game is GameKind.INDIVIDUAL:
        return (contestant[0], contestant[1], None), True
    return contestant, seat in (Seat.NORTH, Seat.EAST)


def _round_of_chair(
    session: Session, section: str, table: int, from_round: int, seat: Seat
) -> movement.Round | None:
    """Return the round that tells which pair a chair belongs to; None if there is none.

    Before play, East-West may register `ew_moves` tables before the one where it starts.
    """
    moves = session.setup.sections[section].ew_moves
    if from_round == 0 and moves and seat.side is Side.EW:
        numbers = list(session.movement.section(section))
        table = numbers[(numbers.index(table) + moves) % len(numbers)]
    return session.movement.round(section, table, max(from_round, 1))


def line_up(session: Session, section: str, number: int) -> dict[tuple[int, Seat], SessionPlayer]:
    """Return the known players in a round of a section, by table and seat."""
    if session.setup.sections[section].explicit_seating:
        from_round = (
            (chair, seated)
            for chair, seated in session.seating.chairs.items()
            if chair[0] == section and max(chair[2], 1) == number
        )
        return {(table, seat): session.seating.player(seated) for (_, table, _, seat), seated in from_round}
    players = partnerships(session, number)
    present: dict[tuple[int, Seat], SessionPlayer] = {}
    for table, table_rounds in session.movement.section(section).items():
        if number > len(table_rounds.rounds):
            continue
        round_ = movement.without_missing_pair(
            session.setup.sections[section], table_rounds.rounds[number - 1]
        )
        for seat in Seat:
            if not round_.number(seat):
                continue
            player = players.get(chair_holder(session, section, round_, seat))
            if player is not None:
                present[table, seat] = player
    return present
