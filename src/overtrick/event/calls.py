"""Calls for the director: launched at a table, then in progress, deferred, resolved or withdrawn."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import Enum
from typing import TYPE_CHECKING

from overtrick.event.command import Command
from overtrick.event.fact import Fact, fact
from overtrick.event.movement import TableDropped, unknown_table
from overtrick.event.rejection import Reason, Rejection, reject
from overtrick.event.setup import SectionDropped

if TYPE_CHECKING:
    from overtrick.event.session import Session


class CallStatus(Enum):
    """The status of a call."""

    LAUNCHED = "launched"
    IN_PROGRESS = "in progress"
    RESOLVED = "resolved"
    DEFERRED = "deferred"
    WITHDRAWN = "withdrawn"


@fact("director-called")
class DirectorCalled(Fact):
    """A table calls the director; `call` is the call's own id."""

    call: str
    section: str
    table: int
    round: int
    board: int
    at: datetime


@fact("call-answered")
class CallAnswered(Fact):
    """The status of a call has changed."""

    call: str
    status: CallStatus
    at: datetime


@dataclass(frozen=True, slots=True)
class DirectorCall:
    """The state of a call for the director."""

    call: str
    section: str
    table: int
    round: int
    board: int
    at: datetime
    status: CallStatus = CallStatus.LAUNCHED
    answered: datetime | None = None

    @property
    def is_open(self) -> bool:
        """Return whether the call is neither resolved nor withdrawn."""
        return self.status not in (CallStatus.RESOLVED, CallStatus.WITHDRAWN)


@dataclass(frozen=True, slots=True)
class CallDirector(Command):
    """Call the director to a table; round and board are 0 if unknown."""

    session: str
    call: str
    section: str
    table: int
    at: datetime
    round: int = 0
    board: int = 0


@dataclass(frozen=True, slots=True)
class AnswerCall(Command):
    """Change the status of a call."""

    session: str
    call: str
    status: CallStatus
    at: datetime


@dataclass(frozen=True, slots=True)
class WithdrawCall(Command):
    """Take back a table's own call; nothing changes if it is unknown, resolved or withdrawn."""

    session: str
    call: str
    section: str
    table: int
    at: datetime


@dataclass(slots=True)
class DirectorCalls:
    """The calls of a session, by id, except those of removed tables."""

    calls: dict[str, DirectorCall] = field(default_factory=dict)

    def copy(self) -> DirectorCalls:
        """Return a copy that can be changed independently."""
        return DirectorCalls(dict(self.calls))


def apply(calls: DirectorCalls, fact: Fact) -> None:
    """Apply one fact to the calls, in place."""
    match fact:
        case DirectorCalled():
            calls.calls[fact.call] = DirectorCall(
                fact.call, fact.section, fact.table, fact.round, fact.board, fact.at
            )
        case CallAnswered():
            calls.calls[fact.call] = replace(calls.calls[fact.call], status=fact.status, answered=fact.at)
        case TableDropped():
            _remove(calls, lambda call: (call.section, call.table) == (fact.section, fact.table))
        case SectionDropped():
            _remove(calls, lambda call: call.section == fact.section)


def _remove(calls: DirectorCalls, is_removed: Callable[[DirectorCall], bool]) -> None:
    for call in [call for call in calls.calls.values() if is_removed(call)]:
        del calls.calls[call.call]


def call_director(session: Session, command: CallDirector) -> tuple[Fact, ...] | Rejection:
    """Decide about a call; nothing changes if the call is known or the table has an open one."""
    if (command.section, command.table) not in session.movement.tables:
        return unknown_table(command.section, command.table)
    if command.call in session.calls.calls:
        return ()
    for call in session.calls.calls.values():
        if (call.section, call.table) == (command.section, command.table) and call.is_open:
            return ()
    return (
        DirectorCalled(
            command.call, command.section, command.table, command.round, command.board, command.at
        ),
    )


def answer_call(session: Session, command: AnswerCall) -> tuple[Fact, ...] | Rejection:
    """Decide about a call's next status; rejected if the call is resolved or withdrawn, or the status is LAUNCHED."""
    call = session.calls.calls.get(command.call)
    if call is None:
        return reject(Reason.UNKNOWN_ENTRY, f"There is no call {command.call}.")
    if call.status is command.status:
        return ()
    if not call.is_open or command.status is CallStatus.LAUNCHED:
        return reject(
            Reason.NOT_ALLOWED,
            f"The call of table {call.section}{call.table} is {call.status.value} already.",
        )
    return (CallAnswered(command.call, command.status, command.at),)


def withdraw_call(session: Session, command: WithdrawCall) -> tuple[Fact, ...] | Rejection:
    """Decide to withdraw a call; rejected if it is the call of another table."""
    call = session.calls.calls.get(command.call)
    if call is None or not call.is_open:
        return ()
    if (call.section, call.table) != (command.section, command.table):
        return reject(
            Reason.NOT_ALLOWED,
            f"That is not a call from table {command.section}{command.table}; it stays open.",
        )
    return (CallAnswered(command.call, CallStatus.WITHDRAWN, command.at),)
