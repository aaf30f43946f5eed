"""The tables of each section and their rounds, and the rules that change them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from overtrick import movements
from overtrick.bridge import Seat, Side
from overtrick.event.command import Command
from overtrick.event.fact import Fact, fact
from overtrick.event.rejection import Problem, Reason, Rejection, reject
from overtrick.event.setup import Combi, GameKind, Lot, SectionDropped, SectionFormat, SectionSet
from overtrick.movements.model import implied_winners

if TYPE_CHECKING:
    from overtrick.event.session import Session


@dataclass(frozen=True, slots=True)
class Mates:
    """The table and round at which the other half of a team match plays the same boards."""

    section: str
    table: int
    round: int


@dataclass(frozen=True, slots=True)
class Round:
    """One round at one table. Pair 0 is nobody: a sit-out for the other pair, or an empty table."""

    ns: int
    ew: int
    boards: tuple[int, ...] = ()
    south: int = 0
    """In an individual, `ns` and `ew` are North and East, and `south` and `west` their partners."""
    west: int = 0
    team_ns: int = 0
    team_ew: int = 0
    mates: Mates | None = None

    def number(self, seat: Seat) -> int:
        """Return the number of the pair, or in an individual of the player, at this seat."""
        if seat is Seat.SOUTH and self.south:
            return self.south
        if seat is Seat.WEST and self.west:
            return self.west
        return self.ns if seat.side is Side.NS else self.ew


EMPTY = Round(0, 0)


@dataclass(frozen=True, slots=True)
class TableRounds:
    """A table with its rounds, without gaps: round n is `rounds[n - 1]`."""

    rounds: tuple[Round, ...] = ()
    group: int = 0
    """The group of tables that compare their results; 0: all tables of the section's scoring group."""
    is_waiting: bool = False
    """True if the table waits for another round after its last one."""


# Facts ------------------------------------------------------------------------------------------------------


@fact("table-added")
class TableAdded(Fact):
    """A table was added, still without rounds."""

    section: str
    table: int
    group: int = 0


@fact("table-dropped")
class TableDropped(Fact):
    """A table was removed, with its rounds; earlier facts erased its results."""

    section: str
    table: int


@fact("table-grouped")
class TableGrouped(Fact):
    """A table belongs to another group of tables."""

    section: str
    table: int
    group: int


@fact("rounds-set")
class RoundsSet(Fact):
    """From round `first` on the table has these rounds and no others; the rounds before stay."""

    section: str
    table: int
    first: int
    rounds: tuple[Round, ...]


@fact("waiting-set")
class WaitingSet(Fact):
    """After its last round the table waits for another, or ends."""

    section: str
    table: int
    is_waiting: bool


# Commands ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class SectionPlan:
    """The requested features of a section; with id 0 it keeps its id, or gets a free one."""

    section: str
    group: int
    winners: int = 0
    game: GameKind = GameKind.PAIRS
    name: str = ""
    missing_pair: int = 0
    ew_moves: int = 0
    combi: Combi | None = None
    id: int = 0
    explicit_seating: bool = False
    format: SectionFormat | None = None
    """None: unchanged, because scoring programs cannot send it."""
    lots: tuple[Lot, ...] | None = None
    """None: unchanged."""

    def as_set(self, id: int, present: SectionSet | None = None) -> SectionSet:
        """Return the planned section; `present` is the section as it is, which supplies an omitted format and lots."""
        return SectionSet(
            self.section,
            id,
            self.group,
            self.winners,
            self.game,
            self.name,
            self.missing_pair,
            self.ew_moves,
            self.combi,
            self.explicit_seating,
            self.format or (present.format if present else SectionFormat.MOVEMENT),
            self.lots if self.lots is not None else present.lots if present else (),
        )

    @classmethod
    def of(cls, section: SectionSet) -> SectionPlan:
        """Return the plan that leaves a section's features as they are."""
        return cls(
            section.section,
            section.group,
            section.winners,
            section.game,
            section.name,
            section.missing_pair,
            section.ew_moves,
            section.combi,
            section.id,
            section.explicit_seating,
        )


@dataclass(frozen=True, slots=True)
class TablePlan:
    """The requested rounds of a table from `first` on; no rounds from round 1 on remove the table."""

    table: int
    rounds: tuple[Round, ...]
    first: int = 1
    group: int | None = None
    is_waiting: bool | None = None
    """True if the table waits for another round after its last one; None: unchanged."""


@dataclass(frozen=True, slots=True)
class SetMovement(Command):
    """Add a section, or change its features and tables; equal rounds and tables that are not listed stay."""

    session: str
    plan: SectionPlan
    tables: tuple[TablePlan, ...] = ()
    erases: int | None = None
    """The number of results that the sender expects to lose; with another number the command is rejected. None: not
    checked."""


@dataclass(frozen=True, slots=True)
class ReplaceRounds(Command):
    """Replace a table's rounds from `first` on and erase their results, even if the rounds are the same."""

    session: str
    section: str
    table: int
    first: int
    rounds: tuple[Round, ...]
    is_waiting: bool | None = None


@dataclass(frozen=True, slots=True)
class DropTable(Command):
    """Remove a table with its rounds and results."""

    session: str
    section: str
    table: int


@dataclass(frozen=True, slots=True)
class DropSection(Command):
    """Remove a section with its tables and results."""

    session: str
    section: str


@dataclass(frozen=True, slots=True)
class SetWaiting(Command):
    """Let a table wait for another round after its last, or end there."""

    session: str
    section: str
    table: int
    is_waiting: bool


def table_plans(chosen: movements.Movement, section: str) -> tuple[TablePlan, ...]:
    """Return the tables of a section that plays a movement.

    >>> plans = table_plans(movements.mitchell(3, 2), "A")
    >>> len(plans), plans[0].rounds[1]
    (3, Round(ns=1, ew=3, boards=(3, 4), south=0, west=0, team_ns=0, team_ew=0, mates=None))
    """
    rounds: dict[int, dict[int, Round]] = {}
    for station in chosen.stations:
        mates = Mates(section, *station.mates) if station.mates else None
        rounds.setdefault(station.table, {})[station.round] = Round(
            station.ns,
            station.ew,
            station.boards,
            station.south,
            station.west,
            station.team_ns,
            station.team_ew,
            mates,
        )
    return tuple(
        TablePlan(table, tuple(played.get(number, EMPTY) for number in range(1, chosen.rounds + 1)))
        for table, played in sorted(rounds.items())
    )


def movement_of(plans: Iterable[TablePlan], name: str, winners: int) -> movements.Movement:
    """Return the movement of a section's tables, from its first round on, with the promises that it keeps.

    With 0 winners, their number is the one that the seats imply.

    >>> movement_of(table_plans(movements.mitchell(3, 2), "A"), "copy", 2).stations == movements.mitchell(3, 2).stations
    True
    """
    stations = tuple(
        movements.Station(
            plan.table,
            number,
            played.ns,
            played.ew,
            played.boards if played.ns or played.ew else (),
            played.south,
            played.west,
            played.team_ns,
            played.team_ew,
            (played.mates.table, played.mates.round) if played.mates else None,
        )
        for plan in plans
        for number, played in enumerate(plan.rounds, start=1)
    )
    movement = movements.Movement(
        name,
        winners or implied_winners((station.round, station.ns, station.ew) for station in stations),
        tables=max((station.table for station in stations), default=0),
        rounds=max((station.round for station in stations), default=0),
        boards_per_round=max((len(station.boards) for station in stations), default=0),
        stations=stations,
        promises=movements.Promises(),
    )
    return replace(movement, promises=movements.observed(movement))


def board_sharing(session: Session) -> movements.BoardSharing[tuple[str, int]]:
    """Return the copies of boards that a session needs, and the tables that have the same boards in every round."""
    sections = session.setup.sections
    return movements.sharing(
        {
            place: [played.boards if is_played(sections[place[0]], played) else () for played in table.rounds]
            for place, table in sorted(session.movement.tables.items())
        }
    )


# State ------------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class SessionMovement:
    """The tables of a session and their rounds."""

    tables: dict[tuple[str, int], TableRounds] = field(default_factory=dict)
    """By section and number."""
    revision: int = 0
    """The number of changes of tables and rounds so far."""
    removed: dict[tuple[str, int], None] = field(default_factory=dict)
    """The removed tables, in order, of sections that still exist."""

    def copy(self) -> SessionMovement:
        """Return a copy that can be changed independently."""
        return SessionMovement(dict(self.tables), self.revision, dict(self.removed))

    def section(self, section: str) -> dict[int, TableRounds]:
        """Return the tables of one section, by rising number."""
        return {number: self.tables[name, number] for name, number in sorted(self.tables) if name == section}

    def round(self, section: str, table: int, number: int) -> Round | None:
        """Return one round at one table; None if there is no such round."""
        rounds_at = self.tables.get((section, table))
        return rounds_at.rounds[number - 1] if rounds_at and 1 <= number <= len(rounds_at.rounds) else None

    def rounds(self, section: str) -> int:
        """Return the number of rounds at the table of the section that has most; 0 without tables."""
        return max((len(table.rounds) for table in self.section(section).values()), default=0)


def apply(movement: SessionMovement, fact: Fact) -> None:
    """Apply one fact to the tables, in place."""
    movement.revision += 1
    tables = movement.tables
    match fact:
        case TableAdded():
            tables[fact.section, fact.table] = TableRounds(group=fact.group)
            movement.removed.pop((fact.section, fact.table), None)
        case TableDropped():
            del tables[fact.section, fact.table]
            movement.removed[fact.section, fact.table] = None
        case TableGrouped():
            key = fact.section, fact.table
            tables[key] = replace(tables[key], group=fact.group)
        case RoundsSet():
            key = fact.section, fact.table
            tables[key] = replace(tables[key], rounds=tables[key].rounds[: fact.first - 1] + fact.rounds)
        case WaitingSet():
            key = fact.section, fact.table
            tables[key] = replace(tables[key], is_waiting=fact.is_waiting)
        case SectionDropped():
            for stored in (tables, movement.removed):
                for key in [key for key in stored if key[0] == fact.section]:
                    del stored[key]


# Contestants ------------------------------------------------------------------------------------------------

Contestant = tuple[str, int, Side | None]
"""Section (empty if pairs move across the field), number, and direction (None unless the section has two winners)."""


def winners(section: SectionSet, tables: Iterable[TableRounds]) -> int:
    """Return the number of winners, 1 or 2: the section's setting, or else the one that the movement implies."""
    if section.winners:
        return section.winners
    return implied_winners(
        (number, played.ns, played.ew)
        for table in tables
        for number, played in enumerate(table.rounds, start=1)
    )


def sitting(section: SectionSet, played: Round) -> Round:
    """Return the round as it is played: a missing pair counts as nobody."""
    ns = 0 if section.is_missing(played.ns, Side.NS) else played.ns
    ew = 0 if section.is_missing(played.ew, Side.EW) else played.ew
    return played if (ns, ew) == (played.ns, played.ew) else replace(played, ns=ns, ew=ew)


def is_played(section: SectionSet, played: Round) -> bool:
    """Return whether two pairs meet in this round: neither a sit-out nor an empty table."""
    present = sitting(section, played)
    return bool(present.ns and present.ew)


def boards_to_play(session: Session) -> Iterator[tuple[str, int, int, int]]:
    """Yield section, table, round and number of every board that two pairs play."""
    for (section, number), table in session.movement.tables.items():
        for count, played in enumerate(table.rounds, start=1):
            if is_played(session.setup.sections[section], played):
                yield from ((section, number, count, board) for board in played.boards)


def home(session: Session, section: SectionSet, side: Side) -> SectionSet:
    """Return the section that a side's pairs belong to; for a combi section this is another section."""
    if section.combi is None:
        return section
    return session.setup.sections.get(section.combi.ns if side is Side.NS else section.combi.ew, section)


def contestant(session: Session, section: str, number: int, side: Side) -> Contestant:
    """Return the contestant with this number on this side of a section."""
    own = home(session, session.setup.sections[section], side)
    two = session.winners(own.section) == 2
    return ("" if session.opened.across_field else own.section, number, side if two else None)


def teams_by_mates(session: Session) -> dict[Contestant, tuple[str, int]]:
    """Return the team, as (section, number), of every pair whose rounds name its team mates' table but no team.

    The N-S pair of a table and the E-W pair of its mates' table are one team. It has the number of the N-S pair in the
    first such round; its section is empty unless another team has that number already.
    """
    teams: dict[Contestant, tuple[str, int]] = {}
    rounds = (
        (count, letters, number, played)
        for (letters, number), table in session.movement.tables.items()
        for count, played in enumerate(table.rounds, start=1)
        if played.mates is not None and played.ns and not played.team_ns
    )
    for _, letters, _, played in sorted(rounds, key=lambda item: item[:3]):
        mates = played.mates
        assert mates is not None
        there = session.movement.round(mates.section, mates.table, mates.round)
        ours = contestant(session, letters, played.ns, Side.NS)
        theirs = contestant(session, mates.section, there.ew, Side.EW) if there and there.ew else ours
        team = teams.get(ours) or teams.get(theirs)
        if team is None:
            team = ("", played.ns)
            if team in teams.values():
                team = (letters, played.ns)
        teams.setdefault(ours, team)
        teams.setdefault(theirs, team)
    return teams


def sides(
    session: Session, letters: str, played: Round, teams: Mapping[Contestant, tuple[str, int]]
) -> tuple[tuple[Contestant, ...], tuple[Contestant, ...]]:
    """Return the contestants who score for North-South and for East-West in a round.

    In a team section, a round that names no team takes it from `teams` (see `teams_by_mates`), or else the pair's
    number is the team's.
    """
    section = session.setup.sections[letters]
    if is_teams(session, section):
        return (
            (_team(session, letters, played.team_ns, played.ns, Side.NS, teams),),
            (_team(session, letters, played.team_ew, played.ew, Side.EW, teams),),
        )
    if section.game is not GameKind.INDIVIDUAL:
        return (
            (contestant(session, letters, played.ns, Side.NS),),
            (contestant(session, letters, played.ew, Side.EW),),
        )
    if not (played.south and played.west):
        return ((letters, played.ns, None),), ((letters, played.ew, None),)
    return (
        ((letters, played.ns, None), (letters, played.south, None)),
        ((letters, played.ew, None), (letters, played.west, None)),
    )


def _team(
    session: Session,
    letters: str,
    team: int,
    pair: int,
    side: Side,
    teams: Mapping[Contestant, tuple[str, int]],
) -> Contestant:
    """Return the team that a pair plays for."""
    if team:
        return "", team, None
    section, number = teams.get(contestant(session, letters, pair, side), ("", pair))
    return section, number, None


def is_teams(session: Session, section: SectionSet) -> bool:
    """Return whether a section's pairs play for teams."""
    return section.game is GameKind.TEAMS or session.setup.groups[section.group].method.is_teams


def contestants(session: Session) -> dict[Contestant, list[tuple[str, int, int]]]:
    """Return every contestant of the session, with the section, table and number of each of its rounds."""
    teams = teams_by_mates(session)
    rounds_of: dict[Contestant, list[tuple[str, int, int]]] = {}
    for (letters, number), table in session.movement.tables.items():
        for count, played in enumerate(table.rounds, start=1):
            seated = ((played.ns, played.ew), sides(session, letters, played, teams))
            for present, side in zip(*seated, strict=True):
                for who in side if present else ():
                    rounds_of.setdefault(who, []).append((letters, number, count))
    return rounds_of


# Rules ------------------------------------------------------------------------------------------------------


def unknown_table(section: str, table: int) -> Rejection:
    """Return the rejection for an unknown table."""
    return reject(Reason.UNKNOWN_PLACE, f"Section {section} has no table {table}.")


def first_difference(old: tuple[Round, ...], new: tuple[Round, ...]) -> int | None:
    """Return the number of the first round that differs, from 1, or None if none does."""
    for number, (was, is_now) in enumerate(zip(old, new, strict=False), start=1):
        if was != is_now:
            return number
    return None if len(old) == len(new) else min(len(old), len(new)) + 1


def plan_tables(session: Session, section: str, plans: Iterable[TablePlan]) -> Iterator[Fact]:
    """Yield the facts that turn a section's tables into the planned ones."""
    for plan in plans:
        table = session.movement.tables.get((section, plan.table))
        if not plan.rounds and plan.first == 1:
            if table is not None:
                yield TableDropped(section, plan.table)
            continue
        if table is None:
            yield TableAdded(section, plan.table, plan.group or 0)
            table = TableRounds(group=plan.group or 0)
        elif plan.group is not None and plan.group != table.group:
            yield TableGrouped(section, plan.table, plan.group)
        rounds = table.rounds[: plan.first - 1] + plan.rounds
        first = first_difference(table.rounds, rounds)
        if first is not None:
            yield RoundsSet(section, plan.table, first, rounds[first - 1 :])
        if plan.is_waiting is not None and plan.is_waiting is not table.is_waiting:
            yield WaitingSet(section, plan.table, plan.is_waiting)


def plan_problems(
    section: str, plans: Iterable[TablePlan], tables: dict[tuple[str, int], TableRounds]
) -> list[Problem]:
    """Return the problems within each planned table: numbers, gaps, boards out of order."""
    problems: list[Problem] = []
    numbers: set[int] = set()
    for plan in plans:
        where = f"table {section}{plan.table}"

        def wrong(sentence: str, where: str = where, problems: list[Problem] = problems) -> None:
            problems.append(Problem(Reason.NOT_ALLOWED, sentence, where))

        if plan.table < 1:
            wrong("The table number must be above zero.")
        if plan.table in numbers:
            wrong("The table is given twice.")
        numbers.add(plan.table)
        have = len(tables[section, plan.table].rounds) if (section, plan.table) in tables else 0
        if not 1 <= plan.first <= have + 1:
            wrong(f"Rounds start at 1 without gaps: round {plan.first} cannot follow round {have}.")
        if plan.group is not None and not 0 <= plan.group <= 127:
            wrong(f"A group of tables is from 0 to 127, not {plan.group}.")
        for number, played in enumerate(plan.rounds, start=plan.first):
            problems += round_problems(played, f"{where}, round {number}")
    return problems


def round_problems(played: Round, where: str) -> list[Problem]:
    """Return the problems within one round."""
    problems: list[Problem] = []
    numbers = (played.ns, played.ew, played.south, played.west, played.team_ns, played.team_ew)
    if min(numbers) < 0:
        problems.append(
            Problem(Reason.NOT_ALLOWED, "A pair, player or team has no number below zero.", where)
        )
    if any(board < 1 for board in played.boards):
        problems.append(Problem(Reason.NOT_ALLOWED, "The board number must be above zero.", where))
    if any(later <= earlier for earlier, later in zip(played.boards, played.boards[1:], strict=False)):
        problems.append(Problem(Reason.NOT_ALLOWED, "Boards are in ascending order, each once.", where))
    if played.ns and played.ew and not played.boards:
        problems.append(Problem(Reason.NOT_ALLOWED, "Two pairs meet without boards.", where))
    return problems


def seats_taken(session: Session) -> list[Problem]:
    """Return a problem for every pair or player who sits twice in one round, within or across sections."""
    places: defaultdict[tuple[int, Contestant], list[tuple[str, bool]]] = defaultdict(list)
    for (letters, number), table in session.movement.tables.items():
        section = session.setup.sections.get(letters)
        if section is None:
            continue
        for count, planned in enumerate(table.rounds, start=1):
            played = sitting(section, planned)
            # A pair that sits out at home may play in a combi section, so its sit-out takes no seat.
            takes = bool(played.ns and played.ew) or section.combi is not None
            for pair, side in _numbers(section, played):
                key = contestant(session, letters, pair, side)
                places[count, key].append((f"{letters}{number}", takes))
    problems = []
    for (count, (letters, pair, direction)), seats in places.items():
        playing = [place for place, takes in seats if takes]
        if len(playing) > 1 or (len(seats) > 1 and not _is_hosted(session, letters, seats)):
            who = f"{'Player' if _is_individual(session, letters) else 'Pair'} {letters}{pair}"
            if direction:
                who += f" {direction.value}"
            where = " and ".join(place for place, _ in seats)
            problems.append(Problem(Reason.NOT_ALLOWED, f"{who} sits twice in round {count}, at {where}."))
    return problems


def _numbers(section: SectionSet, played: Round) -> Iterator[tuple[int, Side]]:
    if section.game is GameKind.INDIVIDUAL:
        for number in (played.ns, played.south):
            if number:
                yield number, Side.NS
        for number in (played.ew, played.west):
            if number:
                yield number, Side.EW
        return
    if played.ns:
        yield played.ns, Side.NS
    if played.ew:
        yield played.ew, Side.EW


def _is_individual(session: Session, section: str) -> bool:
    plan = session.setup.sections.get(section)
    return plan is not None and plan.game is GameKind.INDIVIDUAL


def _is_hosted(session: Session, section: str, seats: list[tuple[str, bool]]) -> bool:
    hosts = {host.section for host in session.setup.sections.values() if host.combi is not None}
    return sum(1 for place, _ in seats if place.rstrip("0123456789") not in hosts) <= 1 and len(seats) <= 2


def set_waiting(session: Session, command: SetWaiting) -> tuple[Fact, ...] | Rejection:
    """Decide about a table's waiting for another round after its last one."""
    table = session.movement.tables.get((command.section, command.table))
    if table is None:
        return unknown_table(command.section, command.table)
    if table.is_waiting is command.is_waiting:
        return ()
    return (WaitingSet(command.section, command.table, command.is_waiting),)
