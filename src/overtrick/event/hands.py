"""The deals: one hand record for a board of a scoring group, and what double dummy play makes of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING

from overtrick.bridge import Deal, Tricks
from overtrick.event.command import Command
from overtrick.event.fact import Fact, fact
from overtrick.event.rejection import Problem, Reason, Rejection, rejected
from overtrick.event.setup import GroupDropped

if TYPE_CHECKING:
    from overtrick.event.session import Session


class HandSource(Enum):
    """Where a hand record came from."""

    SCORING_PROGRAM = "scoring program"
    TERMINAL = "terminal"
    DESK = "desk"
    FILE = "file"


@fact("hand-record-set")
class HandRecordSet(Fact):
    """A board of a scoring group was dealt so; the makeable tricks are as given, or not known yet."""

    group: int
    board: int
    deal: Deal
    tricks: Tricks | None
    source: HandSource


@fact("hand-evaluated")
class HandEvaluated(Fact):
    """The makeable tricks of a hand record have been worked out."""

    group: int
    board: int
    tricks: Tricks


@dataclass(frozen=True, slots=True)
class HandRecord:
    """A board's deal, and its makeable tricks where they are known."""

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
    """Note the makeable tricks of a deal; ignored when the board has another deal by now."""

    session: str
    group: int
    board: int
    deal: Deal
    tricks: Tricks


@dataclass(slots=True)
class Hands:
    """The hand records, by scoring group and board."""

    records: dict[tuple[int, int], HandRecord] = field(default_factory=dict)

    def copy(self) -> Hands:
        """A copy that can be moved on without moving this."""
        return Hands(dict(self.records))


def apply(hands: Hands, fact: Fact) -> None:
    """Move the hand records on by one fact."""
    match fact:
        case HandRecordSet():
            hands.records[fact.group, fact.board] = HandRecord(fact.group, fact.board, fact.deal, fact.tricks)
        case HandEvaluated():
            record = hands.records[fact.group, fact.board]
            hands.records[fact.group, fact.board] = HandRecord(
                record.group, record.board, record.deal, fact.tricks
            )
        case GroupDropped():
            for key in [key for key in hands.records if key[0] == fact.group]:
                del hands.records[key]


def put_hand_records(session: Session, command: PutHandRecords) -> tuple[Fact, ...] | Rejection:
    """Decide about deals: of a known scoring group; of several for one board the last counts."""
    problems: list[Problem] = []
    wanted: dict[tuple[int, int], HandRecord] = {}
    for record in command.records:
        where = f"scoring group {record.group}, board {record.board}"
        if record.group not in session.setup.groups:
            problems.append(
                Problem(Reason.UNKNOWN_ENTRY, f"There is no scoring group {record.group}.", where)
            )
        if record.board < 1:
            problems.append(Problem(Reason.NOT_ALLOWED, "A board has a number above zero.", where))
        wanted[record.group, record.board] = record
    facts: list[Fact] = []
    for key, record in wanted.items():
        before = session.hands.records.get(key)
        tricks = record.tricks
        if before is not None and before.deal == record.deal and tricks is None:
            tricks = before.tricks
        if before is None or (before.deal, before.tricks) != (record.deal, tricks):
            facts.append(HandRecordSet(record.group, record.board, record.deal, tricks, command.source))
    return rejected(problems) or tuple(facts)


def evaluate_hand(session: Session, command: EvaluateHand) -> tuple[Fact, ...] | Rejection:
    """Decide about worked-out tricks: they count for the deal they were worked out for."""
    record = session.hands.records.get((command.group, command.board))
    if record is None or record.deal != command.deal or record.tricks == command.tricks:
        return ()
    return (HandEvaluated(command.group, command.board, command.tricks),)
