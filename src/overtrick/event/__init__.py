"""Commands and facts of an event, and the rules between them. Pure: no clock, no randomness, no I/O.

`decide` only reads and returns facts or a rejection; `JournalState.apply` applies one fact to the state. Each topic
(setup, movement, seating, results, recording, rulings, hands, settings, calls, tables, held entries, clock, further
rankings, filing, series, teams) holds its commands, its facts, its part of the state and its rules; this module only
dispatches.
"""

from overtrick.event.command import Command
from overtrick.event.fact import FACTS, Fact
from overtrick.event.rejection import Problem, Reason, Rejection
from overtrick.event.series import SERIES, RemoveSeries, SetSeries
from overtrick.event.session import Session
from overtrick.event.setup import ClearQueues
from overtrick.event.state import (
    CLEARINGS,
    DECIDE,
    AddSession,
    ContinueEvent,
    Decision,
    Event,
    JournalState,
    OpenEvent,
    Order,
    SessionPlan,
    SessionTransaction,
    SetUpAgain,
    StreamFact,
    Transaction,
    add_session,
    clear_queues,
    continue_event,
    decide_series,
    decide_session,
    decide_teams,
    decide_transaction,
    event_stream,
    fold,
    open_event,
    session_stream,
    set_up_again,
)
from overtrick.event.team_rules import TeamCommand
from overtrick.event.teams import teams_stream

__all__ = [
    "DECIDE",
    "FACTS",
    "AddSession",
    "Command",
    "ContinueEvent",
    "Decision",
    "Event",
    "Fact",
    "JournalState",
    "OpenEvent",
    "Order",
    "Problem",
    "Reason",
    "Rejection",
    "Session",
    "SessionPlan",
    "SessionTransaction",
    "SetUpAgain",
    "StreamFact",
    "TeamCommand",
    "Transaction",
    "decide",
    "event_stream",
    "fold",
    "session_stream",
    "streams_of",
]


def decide(state: JournalState, command: Command) -> Decision:
    """Return the facts that a command makes, none if nothing changes, or a rejection."""
    if type(command) in DECIDE:
        return decide_session(state, command, command.session)
    match command:
        case OpenEvent():
            return open_event(state, command)
        case ContinueEvent():
            return continue_event(state, command)
        case AddSession():
            return add_session(state, command)
        case SetUpAgain():
            return set_up_again(state, command)
        case TeamCommand():
            return decide_teams(state, command)
        case ClearQueues():
            return clear_queues(command)
        case SetSeries() | RemoveSeries():
            return decide_series(state, command)
        case Transaction():
            return decide_transaction(state, command, decide)
        case _:
            return decide_session(state, command, command.session)


def streams_of(state: JournalState, command: Command) -> dict[str, bool]:
    """Return the streams that `decide` reads for a command; True for those that it usually writes.

    A name that ends with a slash stands for all streams with that prefix. The stream of a session's next incarnation is
    included, because facts in it show that this state is outdated. A decision may have facts for a stream that is False
    here, such as that of the event when sections change; the writer then locks it for writing and decides again.
    """
    match command:
        case OpenEvent():
            streams = {event_stream(command.event): True}
            for plan in command.sessions:
                streams |= dict.fromkeys(_incarnations(state, plan.session), True)
            return streams
        case ContinueEvent():
            return {event_stream(command.event): True}
        case AddSession() | SetUpAgain():
            incarnations = _incarnations(state, command.plan.session)
            return dict.fromkeys((event_stream(command.event), *incarnations), True)
        case TeamCommand():
            return {teams_stream(""): True}  # the keys of events are unique among all team events
        case ClearQueues():
            return {CLEARINGS: True}
        case SetSeries() | RemoveSeries():
            return {SERIES: True}
        case Transaction():
            streams = {}
            for part in command.commands:
                for stream, is_written in streams_of(state, part).items():
                    streams[stream] = streams.get(stream, False) or is_written
            return streams
    guid: str = command.session
    *existing, next_stream = _incarnations(state, guid)
    streams = {next_stream: False, **dict.fromkeys(existing, True)}
    session = state.session(guid)
    if session is not None:
        streams[event_stream(session.opened.event)] = False
    return streams


def _incarnations(state: JournalState, session: str) -> list[str]:
    """Return the streams of a session's newest incarnation, if there is one, and of the next."""
    newest = state.incarnation(session)
    return [session_stream(session, number) for number in (newest, newest + 1) if number]
