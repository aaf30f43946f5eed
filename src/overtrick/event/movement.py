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

__all__ = [
    "DropSection",
    "DropTable",
    "Mates",
    "ReplaceRounds",
    "Round",
    "RoundsSet",
    "SectionPlan",
    "SetMovement",
    "SetWaiting",
    "TableAdded",
    "TableDropped",
    "TableGrouped",
    "TablePlan",
    "TableRounds",
    "WaitingSet",
    "movement_of",
    "table_plans",
]

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

    def section_set(self, id: int, current: SectionSet | None = None) -> SectionSet:
        """Return the planned section; `current` is the section as it is, which supplies an omitted format and lots."""
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
            self.format or (current.format if current else SectionFormat.MOVEMENT),
            self.lots if self.lots is not None else current.lots if current else (),
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
    """Add a section, or change its features and tables; tables that are not listed and rounds that are equal stay."""

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


def table_plans(movement: movements.Movement, section: str) -> tuple[TablePlan, ...]:
    """Return the tables of a section that plays a movement.

    >>> plans = table_plans(movements.mitchell(3, 2), "A")
    >>> len(plans), plans[0].rounds[1]
    (3, Round(ns=1, ew=3, boards=(3, 4), south=0, west=0, team_ns=0, team_ew=0, mates=None))
    """
    rounds: dict[int, dict[int, Round]] = {}
    for station in movement.stations:
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
        TablePlan(table, tuple(by_number.get(number, EMPTY) for number in range(1, movement.rounds + 1)))
        for table, by_number in sorted(rounds.items())
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
            round_.ns,
            round_.ew,
            round_.boards if round_.ns or round_.ew else (),
            round_.south,
            round_.west,
            round_.team_ns,
            round_.team_ew,
            (round_.mates.table, round_.mates.round) if round_.mates else None,
        )
        for plan in plans
        for number, round_ in enumerate(plan.rounds, start=1)
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
            place: [round_.boards if is_played(sections[place[0]], round_) else () for round_ in table.rounds]
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
            for by_table in (tables, movement.removed):
                for key in [key for key in by_table if key[0] == fact.section]:
                    del by_table[key]


# Contestants ------------------------------------------------------------------------------------------------

Contestant = tuple[str, int, Side | None]
"""Section (empty if pairs move across the field), number, and direction (None unless the section has two winners)."""


def winners(section: SectionSet, tables: Iterable[TableRounds]) -> int:
    """Return the number of winners, 1 or 2: the section's setting, or else the one that the movement implies."""
    if section.winners:
        return section.winners
    return implied_winners(
        (number, round_.ns, round_.ew)
        for table in tables
        for number, round_ in enumerate(table.rounds, start=1)
    )


def without_missing_pair(section: SectionSet, round_: Round) -> Round:
    """Return the round as it is played: a missing pair counts as nobody."""
    ns = 0 if section.is_missing(round_.ns, Side.NS) else round_.ns
    ew = 0 if section.is_missing(round_.ew, Side.EW) else round_.ew
    return round_ if (ns, ew) == (round_.ns, round_.ew) else replace(round_, ns=ns, ew=ew)


def is_played(section: SectionSet, round_: Round) -> bool:
    """Return whether two pairs meet in this round: neither a sit-out nor an empty table."""
    present = without_missing_pair(section, round_)
    return bool(present.ns and present.ew)


def boards_to_play(session: Session) -> Iterator[tuple[str, int, int, int]]:
    """Yield section, table, round and number of every board that two pairs play."""
    for (section, number), table in session.movement.tables.items():
        for count, round_ in enumerate(table.rounds, start=1):
            if is_played(session.setup.sections[section], round_):
                yield from ((section, number, count, board) for board in round_.boards)


def home_section(session: Session, section: SectionSet, side: Side) -> SectionSet:
    """Return the section that a side's pairs belong to; for a combi section this is another section."""
    if section.combi is None:
        return section
    return session.setup.sections.get(section.combi.ns if side is Side.NS else section.combi.ew, section)


def contestant(session: Session, section: str, number: int, side: Side) -> Contestant:
    """Return the contestant with this number on this side of a section."""
    home = home_section(session, session.setup.sections[section], side)
    has_two_winners = session.winners(home.section) == 2
    return ("" if session.opened.across_field else home.section, number, side if has_two_winners else None)


def teams_by_mates(session: Session) -> dict[Contestant, tuple[str, int]]:
    """Return the team, as (section, number), of every pair whose rounds name its team mates' table but no team.

    The N-S pair of a table and the E-W pair of its mates' table are one team. It has the number of the N-S pair in the
    first such round; its section is empty unless another team has that number already.
    """
    teams: dict[Contestant, tuple[str, int]] = {}
    rounds = (
        (count, letters, number, round_)
        for (letters, number), table in session.movement.tables.items()
        for count, round_ in enumerate(table.rounds, start=1)
        if round_.mates is not None and round_.ns and not round_.team_ns
    )
    for _, letters, _, round_ in sorted(rounds, key=lambda item: item[:3]):
        mates = round_.mates
        assert mates is not None
        mates_round = session.movement.round(mates.section, mates.table, mates.round)
        ns_pair = contestant(session, letters, round_.ns, Side.NS)
        ew_pair = (
            contestant(session, mates.section, mates_round.ew, Side.EW)
            if mates_round and mates_round.ew
            else ns_pair
        )
        team = teams.get(ns_pair) or teams.get(ew_pair)
        if team is None:
            team = ("", round_.ns)
            if team in teams.values():
                team = (letters, round_.ns)
        teams.setdefault(ns_pair, team)
        teams.setdefault(ew_pair, team)
    return teams


def sides(
    session: Session, letters: str, round_: Round, teams: Mapping[Contestant, tuple[str, int]]
) -> tuple[tuple[Contestant, ...], tuple[Contestant, ...]]:
    """Return the contestants who score for North-South and for East-West in a round.

    In a team section, a round that names no team takes it from `teams` (see `teams_by_mates`), or else the pair's
    number is the team's.
    """
    section = session.setup.sections[letters]
    if is_teams(session, section):
        return (
            (_team(session, letters, round_.team_ns, round_.ns, Side.NS, teams),),
            (_team(session, letters, round_.team_ew, round_.ew, Side.EW, teams),),
        )
    if section.game is not GameKind.INDIVIDUAL:
        return (
            (contestant(session, letters, round_.ns, Side.NS),),
            (contestant(session, letters, round_.ew, Side.EW),),
        )
    if not (round_.south and round_.west):
        return ((letters, round_.ns, None),), ((letters, round_.ew, None),)
    return (
        ((letters, round_.ns, None), (letters, round_.south, None)),
        ((letters, round_.ew, None), (letters, round_.west, None)),
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
        for count, round_ in enumerate(table.rounds, start=1):
            seated = ((round_.ns, round_.ew), sides(session, letters, round_, teams))
            for present, side in zip(*seated, strict=True):
                for scorer in side if present else ():
                    rounds_of.setdefault(scorer, []).append((letters, number, count))
    return rounds_of


# Rules ------------------------------------------------------------------------------------------------------


def unknown_table(section: str, table: int) -> Rejection:
    """Return the rejection for an unknown table."""
    return reject(Reason.UNKNOWN_PLACE, f"Section {section} has no table {table}.")


def first_difference(old: tuple[Round, ...], new: tuple[Round, ...]) -> int | None:
    """Return the number of the first round that differs, from 1, or None if none does."""
    for number, (before, after) in enumerate(zip(old, new, strict=False), start=1):
        if before != after:
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

        def add_problem(sentence: str, where: str = where, problems: list[Problem] = problems) -> None:
            problems.append(Problem(Reason.NOT_ALLOWED, sentence, where))

        if plan.table < 1:
            add_problem("The table number must be above zero.")
        if plan.table in numbers:
            add_problem("The table is listed twice.")
        numbers.add(plan.table)
        existing = len(tables[section, plan.table].rounds) if (section, plan.table) in tables else 0
        if not 1 <= plan.first <= existing + 1:
            add_problem(f"Rounds start at 1 without gaps: round {plan.first} cannot follow round {existing}.")
        if plan.group is not None and not 0 <= plan.group <= 127:
            add_problem(f"A group of tables has a number from 0 to 127, not {plan.group}.")
        for number, round_ in enumerate(plan.rounds, start=plan.first):
            problems += round_problems(round_, f"{where}, round {number}")
    return problems


def round_problems(round_: Round, where: str) -> list[Problem]:
    """Return the problems within one round."""
    problems: list[Problem] = []
    numbers = (round_.ns, round_.ew, round_.south, round_.west, round_.team_ns, round_.team_ew)
    if min(numbers) < 0:
        problems.append(
            Problem(Reason.NOT_ALLOWED, "The numbers of pairs, players and teams cannot be negative.", where)
        )
    if any(board < 1 for board in round_.boards):
        problems.append(Problem(Reason.NOT_ALLOWED, "The board number must be above zero.", where))
    if any(later <= earlier for earlier, later in zip(round_.boards, round_.boards[1:], strict=False)):
        problems.append(
            Problem(Reason.NOT_ALLOWED, "The boards must be in ascending order, each once.", where)
        )
    if round_.ns and round_.ew and not round_.boards:
        problems.append(Problem(Reason.NOT_ALLOWED, "Two pairs meet, but the round has no boards.", where))
    return problems


def double_seatings(session: Session) -> list[Problem]:
    """Return a problem for every pair or player who sits twice in one round, within or across sections."""
    places: defaultdict[tuple[int, Contestant], list[tuple[str, bool]]] = defaultdict(list)
    for (letters, number), table in session.movement.tables.items():
        section = session.setup.sections.get(letters)
        if section is None:
            continue
        for count, planned in enumerate(table.rounds, start=1):
            round_ = without_missing_pair(section, planned)
            # A pair that sits out at home may play in a combi section, so its sit-out takes no seat.
            takes_seat = bool(round_.ns and round_.ew) or section.combi is not None
            for pair, side in _numbered_seats(section, round_):
                key = contestant(session, letters, pair, side)
                places[count, key].append((f"{letters}{number}", takes_seat))
    problems = []
    for (count, (letters, pair, direction)), seats in places.items():
        playing = [place for place, takes_seat in seats if takes_seat]
        if len(playing) > 1 or (len(seats) > 1 and not _is_hosted(session, letters, seats)):
            subject = f"{'Player' if _is_individual(session, letters) else 'Pair'} {letters}{pair}"
            if direction:
                subject += f" {direction.value}"
            where = " and ".join(place for place, _ in seats)
            problems.append(
                Problem(Reason.NOT_ALLOWED, f"{subject} sits twice in round {count}, at {where}.")
            )
    return problems


def _numbered_seats(section: SectionSet, round_: Round) -> Iterator[tuple[int, Side]]:
    if section.game is GameKind.INDIVIDUAL:
        for number in (round_.ns, round_.south):
            if number:
                yield number, Side.NS
        for number in (round_.ew, round_.west):
            if number:
                yield number, Side.EW
        return
    if round_.ns:
        yield round_.ns, Side.NS
    if round_.ew:
        yield round_.ew, Side.EW


def _is_individual(session: Session, section: str) -> bool:
    plan = session.setup.sections.get(section)
    return plan is not None and plan.game is GameKind.INDIVIDUAL


def _is_hosted(session: Session, section: str, seats: list[tuple[str, bool]]) -> bool:
    """Return whether there are at most two seats, and at most one of them is outside combi sections."""
    hosts = {host.section for host in session.setup.sections.values() if host.combi is not None}
    return sum(1 for place, _ in seats if place.rstrip("0123456789") not in hosts) <= 1 and len(seats) <= 2


def set_waiting(session: Session, command: SetWaiting) -> tuple[Fact, ...] | Rejection:
    """Decide whether a table waits for another round after its last one."""
    table = session.movement.tables.get((command.section, command.table))
    if table is None:
        return unknown_table(command.section, command.table)
    if table.is_waiting is command.is_waiting:
        return ()
    return (WaitingSet(command.section, command.table, command.is_waiting),)
