"""The deals: one hand record for a board of a scoring group, and its double dummy analysis.

The rule that judges results is here, because it needs their deals.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING

from overtrick.bridge import Deal, Tricks
from overtrick.event import results, setup
from overtrick.event.command import Command
from overtrick.event.fact import Fact, fact
from overtrick.event.movement import SetMovement
from overtrick.event.rejection import Problem, Reason, Rejection, reject, rejected
from overtrick.event.results import (
    Judgement,
    JudgeResult,
    ResultJudged,
    ResultRecorded,
    Suspicion,
    digest,
    place_in_words,
)
from overtrick.event.setup import GroupDropped, SectionSet, SetGroups

if TYPE_CHECKING:
    from overtrick.event.session import Session


class HandSource(Enum):
    """The origin of a hand record."""

    SCORING_PROGRAM = "scoring program"
    TERMINAL = "terminal"
    DESK = "desk"
    FILE = "file"


@fact("hand-record-set")
class HandRecordSet(Fact):
    """A board of a scoring group has this deal, and these makeable tricks (None: not known yet)."""

    group: int
    board: int
    deal: Deal
    tricks: Tricks | None
    source: HandSource


@fact("hand-evaluated")
class HandEvaluated(Fact):
    """The makeable tricks of a hand record were computed."""

    group: int
    board: int
    tricks: Tricks


@dataclass(frozen=True, slots=True)
class HandRecord:
    """A board's deal, and its makeable tricks (None: not known)."""

    group: int
    board: int
    deal: Deal
    tricks: Tricks | None = None


@dataclass(frozen=True, slots=True)
class PutHandRecords(Command):
    """Set hand records, all or none."""

    session: str
    records: tuple[HandRecord, ...]
    source: HandSource = HandSource.SCORING_PROGRAM


@dataclass(frozen=True, slots=True)
class EvaluateHand(Command):
    """Store the makeable tricks of a deal; ignored if the board now has another deal."""

    session: str
    group: int
    board: int
    deal: Deal
    tricks: Tricks


@dataclass(slots=True)
class Hands:
    """The hand records, by scoring group and board."""

    records: dict[tuple[int, int], HandRecord] = field(default_factory=dict)
    evaluations: dict[tuple[int, int], int] = field(default_factory=dict)
    """The number of times that the makeable tricks of a board were computed."""

    def copy(self) -> Hands:
        """Return a copy that can be changed independently."""
        return Hands(dict(self.records), dict(self.evaluations))

    def of(self, session: Session, result: ResultRecorded) -> HandRecord | None:
        """Return the hand record for a result's board; None if there is none."""
        return self.records.get((session.setup.sections[result.section].group, result.board))


def apply(hands: Hands, fact: Fact) -> None:
    """Apply one fact to the hand records, in place."""
    match fact:
        case HandRecordSet():
            hands.records[fact.group, fact.board] = HandRecord(fact.group, fact.board, fact.deal, fact.tricks)
        case HandEvaluated():
            key = fact.group, fact.board
            hands.evaluations[key] = hands.evaluations.get(key, 0) + 1
            record = hands.records[key]
            hands.records[fact.group, fact.board] = HandRecord(
                record.group, record.board, record.deal, fact.tricks
            )
        case GroupDropped():
            for key in [key for key in hands.records if key[0] == fact.group]:
                del hands.records[key]


def put_hand_records(session: Session, command: PutHandRecords) -> tuple[Fact, ...] | Rejection:
    """Decide about deals; the last of several for one board counts.

    A record without tricks keeps the stored tricks of the same deal.
    """
    problems: list[Problem] = []
    latest: dict[tuple[int, int], HandRecord] = {}
    for record in command.records:
        where = f"scoring group {record.group}, board {record.board}"
        if record.group not in session.setup.groups:
            problems.append(
                Problem(Reason.UNKNOWN_ENTRY, f"There is no scoring group {record.group}.", where)
            )
        if record.board < 1:
            problems.append(Problem(Reason.NOT_ALLOWED, "The board number must be above zero.", where))
        latest[record.group, record.board] = record
    facts: list[Fact] = []
    for key, record in latest.items():
        stored = session.hands.records.get(key)
        tricks = record.tricks
        if stored is not None and stored.deal == record.deal and tricks is None:
            tricks = stored.tricks
        if stored is None or (stored.deal, stored.tricks) != (record.deal, tricks):
            facts.append(HandRecordSet(record.group, record.board, record.deal, tricks, command.source))
    return rejected(problems) or tuple(facts)


def set_groups(session: Session, command: SetGroups) -> tuple[Fact, ...] | Rejection:
    """Decide about scoring groups; a section that changes group takes its hand records along."""
    return _with_hands(session, setup.set_groups(session, command))


def set_movement(session: Session, command: SetMovement) -> tuple[Fact, ...] | Rejection:
    """Decide about a section and its tables; a section that changes group takes its hand records along."""
    return _with_hands(session, results.set_movement(session, command))


def _with_hands(session: Session, decision: tuple[Fact, ...] | Rejection) -> tuple[Fact, ...] | Rejection:
    """Add the hand records that sections take to another group.

    A group in which another section stays keeps the records that it has.
    """
    if isinstance(decision, Rejection):
        return decision
    sections, records = session.setup.sections, session.hands.records
    moved = [
        fact
        for fact in decision
        if isinstance(fact, SectionSet)
        and fact.section in sections
        and sections[fact.section].group != fact.group
    ]
    leaving = {section_set.section for section_set in moved}
    staying = {section.group for letters, section in sections.items() if letters not in leaving}
    moved_hands: dict[tuple[int, int], Fact] = {}
    for section_set in moved:
        for (group, board), record in records.items():
            existing = records.get((section_set.group, board))
            is_new = existing is None or (section_set.group not in staying and existing.deal != record.deal)
            if group == sections[section_set.section].group and is_new:
                moved_hands.setdefault(
                    (section_set.group, board),
                    HandRecordSet(
                        section_set.group, board, record.deal, record.tricks, HandSource.SCORING_PROGRAM
                    ),
                )
    return (*decision, *moved_hands.values())


def evaluate_hand(session: Session, command: EvaluateHand) -> tuple[Fact, ...] | Rejection:
    """Decide about computed tricks; ignored if the board has another deal by now."""
    record = session.hands.records.get((command.group, command.board))
    if record is None or record.deal != command.deal or record.tricks == command.tricks:
        return ()
    return (HandEvaluated(command.group, command.board, command.tricks),)


def judgement_basis(session: Session, result: ResultRecorded) -> str:
    """Return a digest of the inputs of a judgement: the result, its deal and the makeable tricks.

    Journals store it, so its form must not change.
    """
    record = session.hands.of(session, result)
    return digest(
        str(result.outcome),
        str(result.outcome_ew),
        result.lead.value if result.lead else "",
        str(record.deal) if record else "",
        str(record.tricks) if record else "",
    )


def judge_result(session: Session, command: JudgeResult) -> tuple[Fact, ...] | Rejection:
    """Decide to mark a result as suspicious, as confirmed or as neither.

    An automatic judgement (one with a basis) is ignored if its inputs are outdated, or if they were judged already.
    A person's decision that leaves the mark as it is makes a fact too, so that the current inputs count as judged; only
    where there was no mark and none is set, nothing is stored.
    """
    place = command.place
    standing = session.results.standing.get(place)
    if standing is None:
        return reject(Reason.UNKNOWN_ENTRY, "There is no result to judge.", place_in_words(*place))
    current_basis = judgement_basis(session, standing)
    is_judged = session.results.judged.get(place, Judgement()).basis == current_basis
    is_same = standing.suspicion is command.suspicion
    if command.basis:
        if is_same or is_judged or command.basis != current_basis:
            return ()
    elif is_same and (is_judged or command.suspicion is Suspicion.NONE):
        return ()
    return (ResultJudged(*place, command.suspicion, current_basis),)
