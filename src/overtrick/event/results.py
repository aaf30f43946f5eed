"""The results at the tables.

Changing or removing rounds erases their results, so the rules that change a movement are here too.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import Enum
from typing import TYPE_CHECKING, NamedTuple

from overtrick.bridge import Card, Outcome, Side
from overtrick.event import movement, setup
from overtrick.event.command import Command
from overtrick.event.fact import Fact, fact
from overtrick.event.movement import (
    DropSection,
    DropTable,
    ReplaceRounds,
    Round,
    RoundsSet,
    SetMovement,
    TableDropped,
    TablePlan,
    WaitingSet,
)
from overtrick.event.place import AtBoard, CommandAtBoard, FactAtBoard, Place
from overtrick.event.rejection import Problem, Reason, Rejection, reject, rejected
from overtrick.event.setup import SectionDropped, SetStatus, StatusChanged
from overtrick.words import counted

__all__ = [
    "CorrectResult",
    "EnterResult",
    "EraseResult",
    "JudgeResult",
    "Judgement",
    "Origin",
    "PutResults",
    "ResultEntry",
    "ResultErased",
    "ResultJudged",
    "ResultRecorded",
    "Suspicion",
]

if TYPE_CHECKING:
    from overtrick.event.session import Session


class Origin(Enum):
    """The origin of a result."""

    TERMINAL = "terminal"
    DESK = "desk"
    SCORING_PROGRAM = "scoring program"
    ROBOT = "robot"
    FILE = "file"


class Suspicion(Enum):
    """The suspicion of a contract, and the director's answer to it."""

    NONE = "none"
    SUSPICIOUS = "suspicious"
    CONFIRMED = "confirmed"


# Facts ------------------------------------------------------------------------------------------------------


@fact("result-recorded")
class ResultRecorded(FactAtBoard):
    """A board has this result at this table, in place of any before it."""

    ns: int
    ew: int
    outcome: Outcome | None
    """For both sides, or for North-South alone if `outcome_ew` is given. None: only East-West has a result yet."""
    outcome_ew: Outcome | None
    lead: Card | None
    is_wrong_direction: bool
    """The pairs sat the other way round: the score stays by compass, the pairs change sides."""
    suspicion: Suspicion
    origin: Origin
    at: datetime


@fact("result-erased")
class ResultErased(FactAtBoard):
    """The result of a board at this table no longer counts."""

    origin: Origin
    cause: str = ""
    """Empty if someone erased it; otherwise the change that erased it, in words."""


@fact("result-judged", schema=2)
class ResultJudged(FactAtBoard):
    """A standing result is suspicious, is not, or was confirmed by the director."""

    suspicion: Suspicion
    basis: str = ""
    """The inputs of the judgement (`hands.judgement_basis`); empty in older journals."""


# Commands ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ResultEntry(AtBoard):
    """A result as it was entered; pairs that are None are taken from the movement."""

    section: str
    table: int
    round: int
    board: int
    outcome: Outcome
    at: datetime
    side: Side | None = None
    """The side that the result is for; None: both."""
    lead: Card | None = None
    is_wrong_direction: bool = False
    ns: int | None = None
    ew: int | None = None


@dataclass(frozen=True, slots=True)
class EnterResult(Command):
    """Enter the first result of a board; rejected if the board has a different result."""

    session: str
    entry: ResultEntry
    origin: Origin = Origin.TERMINAL
    incarnation: int | None = None
    """The incarnation of the session that it was made for; rejected in any other. None: not checked."""


@dataclass(frozen=True, slots=True)
class CorrectResult(Command):
    """Replace a standing result; rejected if that is not `was`, the result that the sender saw (None: not checked)."""

    session: str
    entry: ResultEntry
    origin: Origin
    was: Outcome | None = None
    incarnation: int | None = None


@dataclass(frozen=True, slots=True)
class PutResults(Command):
    """Set results, all or none, replacing earlier ones."""

    session: str
    entries: tuple[ResultEntry, ...]
    origin: Origin = Origin.SCORING_PROGRAM


@dataclass(frozen=True, slots=True)
class EraseResult(CommandAtBoard):
    """Erase a result."""

    origin: Origin
    incarnation: int | None = None
    side: Side | None = None
    """The side of a split score to erase; None: both. A result that is not split is erased whole."""


@dataclass(frozen=True, slots=True)
class JudgeResult(CommandAtBoard):
    """Mark a result as suspicious, as confirmed or as neither."""

    suspicion: Suspicion
    basis: str = ""
    """The inputs of an automatic judgement; empty if a person decides."""


# State ------------------------------------------------------------------------------------------------------


class Judgement(NamedTuple):
    """The number of judgements of a place, and the inputs of the last one; empty once that no longer applies."""

    times: int = 0
    basis: str = ""


@dataclass(slots=True)
class SessionResults:
    """The results of a session, by place."""

    standing: dict[Place, ResultRecorded] = field(default_factory=dict)
    erased: dict[Place, ResultErased] = field(default_factory=dict)
    """The places whose result was erased and not entered again."""
    judged: dict[Place, Judgement] = field(default_factory=dict)
    revision: int = 0
    """The number of times a board got its first result or lost its result."""

    def copy(self) -> SessionResults:
        """Return a copy that can be changed independently."""
        return SessionResults(dict(self.standing), dict(self.erased), dict(self.judged), self.revision)

    def at_table(self, section: str, table: int, first: int = 1) -> Iterator[Place]:
        """Yield the places of the table's standing results from round `first` on, in order."""
        return iter(
            sorted(
                place
                for place in self.standing
                if place[0] == section and place[1] == table and place[2] >= first
            )
        )


def record(results: SessionResults, fact: ResultRecorded) -> None:
    """Store a result, in place of any before it."""
    place = fact.place
    if place not in results.standing:
        results.revision += 1
    results.standing[place] = fact
    if results.erased:
        results.erased.pop(place, None)
    if results.judged and fact.suspicion is Suspicion.NONE:
        _forget_judgement(results, place)


def _forget_judgement(results: SessionResults, place: Place) -> None:
    """Clear the inputs of the last judgement of a place, and keep the count."""
    if place in results.judged:
        results.judged[place] = Judgement(results.judged[place].times)


def apply(results: SessionResults, fact: Fact) -> None:
    """Apply one fact to the results, in place."""
    match fact:
        case ResultRecorded():
            record(results, fact)
        case ResultErased():
            place = fact.place
            del results.standing[place]
            results.erased[place] = fact
            results.revision += 1
            _forget_judgement(results, place)
        case ResultJudged():
            place = fact.place
            results.standing[place] = replace(results.standing[place], suspicion=fact.suspicion)
            results.judged[place] = Judgement(results.judged.get(place, Judgement()).times + 1, fact.basis)


# Rules about results ----------------------------------------------------------------------------------------


def place_in_words(section: str, table: int, number: int, board: int) -> str:
    """Return a place in words.

    >>> place_in_words("A", 3, 2, 14)
    'table A3, round 2, board 14'
    """
    return f"table {section}{table}, round {number}, board {board}"


def find_round(session: Session, place: Place) -> Round | Problem:
    """Return the round that a result at this place belongs to, or the problem if there is none."""
    section, table, number, board = place
    section_set = session.setup.sections.get(section)
    if section_set is None:
        return Problem(Reason.UNKNOWN_PLACE, f"There is no section {section}.")
    table_rounds = session.movement.tables.get((section, table))
    if table_rounds is None:
        return Problem(Reason.UNKNOWN_PLACE, f"Section {section} has no table {table}.")
    round_ = table_rounds.rounds[number - 1] if 1 <= number <= len(table_rounds.rounds) else None
    if round_ is None:
        return Problem(Reason.UNKNOWN_PLACE, f"Table {section}{table} has no round {number}.")
    if board not in round_.boards:
        return Problem(
            Reason.UNKNOWN_PLACE, f"Board {board} is not played in round {number} at table {section}{table}."
        )
    if not movement.is_played(section_set, round_):
        return Problem(Reason.UNKNOWN_PLACE, f"Nobody plays in round {number} at table {section}{table}.")
    return round_


def record_entry(
    session: Session, entry: ResultEntry, origin: Origin, standing: ResultRecorded | None
) -> ResultRecorded | Problem | None:
    """Return the fact that an entry makes, None if nothing changes, or the problem with it."""
    place = entry.place
    round_ = find_round(session, place)
    if isinstance(round_, Problem):
        return round_
    return _record_in(round_, place, entry, origin, standing)


def _record_in(
    round_: Round, place: Place, entry: ResultEntry, origin: Origin, standing: ResultRecorded | None
) -> ResultRecorded | Problem | None:
    """Return the same as `record_entry`, for a round that is already known."""
    ns, ew = round_.ns, round_.ew
    if (entry.ns or ns) != ns or (entry.ew or ew) != ew:
        return Problem(
            Reason.NOT_ALLOWED,
            f"Pairs {ns} and {ew} meet there, not {entry.ns} and {entry.ew}.",
            place_in_words(*place),
        )
    outcome, outcome_ew = (entry.outcome, None) if entry.side is None else _split_outcomes(entry, standing)
    suspicion = Suspicion.NONE
    if standing is not None and (outcome is standing.outcome or outcome == standing.outcome):
        suspicion = standing.suspicion
        if (
            outcome_ew == standing.outcome_ew
            and entry.lead is standing.lead
            and entry.is_wrong_direction == standing.is_wrong_direction
            and (ns, ew) == (standing.ns, standing.ew)
        ):
            return None
    section, table, number, board = place
    return ResultRecorded(
        section,
        table,
        number,
        board,
        ns,
        ew,
        outcome,
        outcome_ew,
        entry.lead,
        entry.is_wrong_direction,
        suspicion,
        origin,
        entry.at,
    )


def _is_same(recorded: ResultRecorded, standing: ResultRecorded | None) -> bool:
    """Return whether both hold the same result, regardless of origin and time."""
    return (
        standing is not None
        and recorded.outcome == standing.outcome
        and recorded.outcome_ew == standing.outcome_ew
        and recorded.lead is standing.lead
        and recorded.suspicion is standing.suspicion
        and recorded.is_wrong_direction == standing.is_wrong_direction
        and (recorded.ns, recorded.ew) == (standing.ns, standing.ew)
        and recorded.place == standing.place
    )


def _split_outcomes(
    entry: ResultEntry, standing: ResultRecorded | None
) -> tuple[Outcome | None, Outcome | None]:
    """Return the results of N-S and E-W after an entry for one side; if they are equal, the second is None."""
    ns = standing.outcome if standing else None
    ew = (standing.outcome_ew or standing.outcome) if standing else None
    if entry.side is Side.NS:
        ns = entry.outcome
    else:
        ew = entry.outcome
    return ns, None if ns == ew else ew


def enter_result(session: Session, command: EnterResult) -> tuple[Fact, ...] | Rejection:
    """Decide about a table's first result of a board."""
    entry = command.entry
    place = entry.place
    standing = session.results.standing.get(place)
    recorded = record_entry(session, entry, command.origin, standing)
    if isinstance(recorded, Problem):
        return Rejection((recorded,))
    if recorded is None:
        return ()
    if standing is not None:
        return reject(
            Reason.STALE,
            f"The board has the result {standing.outcome} already; {entry.outcome} was not entered.",
            place_in_words(*place),
        )
    return (recorded,)


def correct_result(session: Session, command: CorrectResult) -> tuple[Fact, ...] | Rejection:
    """Decide about a correction; rejected if there is no result, or another one than the sender saw."""
    entry = command.entry
    place = entry.place
    standing = session.results.standing.get(place)
    if standing is None:
        problem = find_round(session, place)
        if isinstance(problem, Problem):
            return Rejection((problem,))
        return reject(Reason.UNKNOWN_ENTRY, "There is no result to correct.", place_in_words(*place))
    if command.was is not None and standing.outcome != command.was:
        return reject(
            Reason.STALE,
            f"The result is now {standing.outcome}, not {command.was}; it was not changed.",
            place_in_words(*place),
        )
    recorded = record_entry(session, entry, command.origin, standing)
    if isinstance(recorded, Problem):
        return Rejection((recorded,))
    return () if recorded is None else (recorded,)


def put_results(session: Session, command: PutResults) -> tuple[Fact, ...] | Rejection:
    """Decide about results that replace earlier ones, all or none; the last of several for one board counts."""
    problems: list[Problem] = []
    latest: dict[Place, ResultRecorded] = {}
    repeated: list[Place] = []
    standing, origin = session.results.standing, command.origin
    rounds: dict[tuple[str, int, int], tuple[Round, frozenset[int]]] = {}
    is_many = len(command.entries) > 1
    for entry in command.entries:
        section, table, number, board = place = entry.place
        cached = rounds.get((section, table, number))
        if cached is None or board not in cached[1]:
            round_ = find_round(session, place)
            if isinstance(round_, Problem):
                problems.append(round_)
                continue
            # Entries come round by round, so most are in the round of an earlier entry: cache it.
            cached = rounds[section, table, number] = round_, frozenset(round_.boards if is_many else ())
        before = latest.get(place)
        recorded = _record_in(cached[0], place, entry, origin, before or standing.get(place))
        if isinstance(recorded, Problem):
            problems.append(recorded)
        elif recorded is not None:
            latest[place] = recorded
            if before is not None:
                repeated.append(place)
    for place in repeated:  # the last of several may equal the standing result
        if place in latest and _is_same(latest[place], standing.get(place)):
            del latest[place]
    return rejected(problems) or tuple(latest.values())


def erase_result(session: Session, command: EraseResult) -> tuple[Fact, ...] | Rejection:
    """Decide to erase a result; erasing it again changes nothing.

    After erasing one side of a split score, the other side's is the result for both. Erasing North-South's while only
    East-West's is known changes nothing.
    """
    place = command.place
    standing = session.results.standing.get(place)
    if standing is not None and standing.outcome is None and command.side is Side.NS:
        return ()
    if (
        standing is not None
        and command.side is not None
        and None not in (standing.outcome, standing.outcome_ew)
    ):
        remaining = standing.outcome_ew if command.side is Side.NS else standing.outcome
        return (replace(standing, outcome=remaining, outcome_ew=None, origin=command.origin),)
    if standing is not None:
        return (ResultErased(*place, command.origin),)
    if place in session.results.erased:
        return ()
    problem = find_round(session, place)
    if isinstance(problem, Problem):
        return Rejection((problem,))
    return reject(Reason.UNKNOWN_ENTRY, "There is no result to erase.", place_in_words(*place))


# Rules about the status -------------------------------------------------------------------------------------


def digest(*inputs: object) -> str:
    """Return a hash of the inputs, 16 hex digits, that is the same in every process."""
    return hashlib.sha256(repr(inputs).encode()).hexdigest()[:16]


def status_basis(session: Session) -> str:
    """Return a text that identifies the inputs of a decision about the status.

    It changes when a board gets its first result or loses its result, and when the boards to play or the tables that
    wait for another round change; a corrected result leaves it as it is. Results are counted rather than compared,
    so that it also changes when a board is erased and entered again. Journals store it: its form must not change.
    """
    waiting = sorted(at for at, table in session.movement.tables.items() if table.is_waiting)
    return f"{session.results.revision}-{digest(sorted(movement.boards_to_play(session)), waiting)}"


def set_status(session: Session, command: SetStatus) -> tuple[Fact, ...] | Rejection:
    """Decide about starting and ending a session.

    An automatic change (one with a basis) is ignored if its inputs are outdated, or if a person has decided on the same
    inputs.
    """
    current_basis, setup = status_basis(session), session.setup
    is_same = setup.status is command.status
    if command.basis:
        is_current = command.basis.partition("/")[0] == current_basis
        if is_same or not is_current or setup.status_basis == current_basis:
            return ()
        return (StatusChanged(command.status, command.basis),)
    if is_same and setup.status_basis.partition("/")[0] == current_basis:
        return ()
    return (StatusChanged(command.status, current_basis),)


# Rules about changing a movement ----------------------------------------------------------------------------


def erasures(session: Session, changes: Iterable[Fact], cause: str) -> Iterator[Fact]:
    """Yield each change, preceded by the erasures of the results that it invalidates."""
    erased: set[Place] = set()
    for change in changes:
        match change:
            case RoundsSet():
                places = session.results.at_table(change.section, change.table, change.first)
            case TableDropped():
                places = session.results.at_table(change.section, change.table)
            case _:
                places = iter(())
        for place in places:
            if place not in erased:
                erased.add(place)
                yield ResultErased(*place, Origin.DESK, cause)
        yield change


def set_movement(session: Session, command: SetMovement) -> tuple[Fact, ...] | Rejection:
    """Decide about a section and its tables; rounds before the first changed one keep their results."""
    plan = command.plan
    present = session.setup.sections.get(plan.section)
    id = plan.id or (present.id if present else setup.free_id(session, plan.section) if plan.section else 0)
    planned = plan.section_set(id, present)
    problems = setup.section_problems(session, planned)
    if plan.group >= 1 and plan.group not in session.setup.groups:
        problems.append(
            Problem(
                Reason.UNKNOWN_ENTRY, f"There is no scoring group {plan.group}.", f"section {plan.section}"
            )
        )
    problems += movement.plan_problems(plan.section, command.tables, session.movement.tables)
    if rejection := rejected(problems):
        return rejection
    changes: list[Fact] = [] if planned == present else [planned]
    changes += movement.plan_tables(session, plan.section, command.tables)
    facts = tuple(erasures(session, changes, "the movement of its table was changed"))
    after = session.after(facts)
    if command.erases is not None and (lost := _lost_results(session, after, plan.section)) != command.erases:
        return reject(
            Reason.STALE,
            f"This change would now erase {counted(lost, 'result')}, not {command.erases}. "
            "Nothing was changed. Check the preview again.",
            f"section {plan.section}",
        )
    return rejected(movement.double_seatings(after)) or facts


def _lost_results(before: Session, after: Session, section: str) -> int:
    """Return the number of results of a section that are erased, or whose pair is now missing."""
    return sum(
        place not in after.results.standing
        or (
            isinstance(find_round(after, place), Problem)
            and not isinstance(find_round(before, place), Problem)
        )
        for place in before.results.standing
        if place[0] == section
    )


def replace_rounds(session: Session, command: ReplaceRounds) -> tuple[Fact, ...] | Rejection:
    """Decide about a table's rounds from `first` on; their results are erased, even if the rounds are the same."""
    section, number = command.section, command.table
    if section not in session.setup.sections:
        return setup.unknown_section(section)
    plan = TablePlan(number, command.rounds, command.first)
    if rejection := rejected(movement.plan_problems(section, (plan,), session.movement.tables)):
        return rejection
    table = session.movement.tables.get((section, number))
    facts: list[Fact] = []
    if table is None:
        facts.append(movement.TableAdded(section, number))
    facts += erasures(
        session,
        [RoundsSet(section, number, command.first, command.rounds)],
        "the movement of its table was sent anew",
    )
    before = table.is_waiting if table else False
    if command.is_waiting is not None and command.is_waiting is not before:
        facts.append(WaitingSet(section, number, command.is_waiting))
    return rejected(movement.double_seatings(session.after(facts))) or tuple(facts)


def drop_table(session: Session, command: DropTable) -> tuple[Fact, ...] | Rejection:
    """Decide to remove a table."""
    if (command.section, command.table) not in session.movement.tables:
        return movement.unknown_table(command.section, command.table)
    dropped = TableDropped(command.section, command.table)
    return tuple(erasures(session, [dropped], "its table was removed"))


def drop_section(session: Session, command: DropSection) -> tuple[Fact, ...] | Rejection:
    """Decide to remove a section; rejected while a combi section takes pairs from it."""
    if command.section not in session.setup.sections:
        return setup.unknown_section(command.section)
    for other in session.setup.sections.values():
        if other.combi and command.section in (other.combi.ns, other.combi.ew):
            return reject(
                Reason.NOT_ALLOWED, f"Section {other.section} takes its pairs from section {command.section}."
            )
    tables = [TableDropped(command.section, number) for number in session.movement.section(command.section)]
    facts = list(erasures(session, tables, "its section was removed"))
    return (*facts, SectionDropped(command.section))
