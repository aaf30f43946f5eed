"""What may happen in an event: commands in, facts out. Knows no clock, no random number, no file.

`decide` only reads and answers with facts or a rejection; `House.apply` moves the state by one fact. Each topic
(setup, movement, seating, results, recording, hands, settings, calls, tables, clock, teams) holds its commands, its
facts, its slice of the state and its rules; here is only who is asked.
"""

from overtrick.event.command import Command
from overtrick.event.fact import FACTS, Fact
from overtrick.event.house import (
    DECIDE,
    AddSession,
    ContinueEvent,
    Decision,
    Entry,
    Event,
    House,
    OpenEvent,
    Order,
    SessionPlan,
    Together,
    Transaction,
    add_session,
    continue_event,
    decide_session,
    decide_teams,
    decide_transaction,
    event_stream,
    fold,
    open_event,
    session_stream,
)
from overtrick.event.rejection import Problem, Reason, Rejection
from overtrick.event.session import Session
from overtrick.event.team_rules import TeamCommand

__all__ = [
    "DECIDE",
    "FACTS",
    "AddSession",
    "Command",
    "ContinueEvent",
    "Decision",
    "Entry",
    "Event",
    "Fact",
    "House",
    "OpenEvent",
    "Order",
    "Problem",
    "Reason",
    "Rejection",
    "Session",
    "SessionPlan",
    "TeamCommand",
    "Together",
    "Transaction",
    "decide",
    "event_stream",
    "fold",
    "session_stream",
]


def decide(house: House, command: Command) -> Decision:
    """Answer a command with the facts it makes, none where nothing changes, or why it cannot be done."""
    if type(command) in DECIDE:
        return decide_session(house, command, command.session)
    match command:
        case OpenEvent():
            return open_event(house, command)
        case ContinueEvent():
            return continue_event(house, command)
        case AddSession():
            return add_session(house, command)
        case TeamCommand():
            return decide_teams(house, command)
        case Transaction():
            return decide_transaction(house, command, decide)
        case _:
            return decide_session(house, command, command.session)
