"""One handler for each command: what it reads, what it refuses, what it has done and what it answers.

Those of what is put into a session are in `putting`; how DTOs are read and judged is in `given`.
"""

import os
from collections.abc import Callable, Sequence
from pathlib import Path

from overtrick.connector import from_wire, movement_updates, put_handlers, to_wire
from overtrick.connector.from_wire import RequestRejected
from overtrick.connector.payload import own_session, read_payload, read_payloads, reject_problems
from overtrick.connector.queue import QueueKind, payload
from overtrick.connector.request_context import DONE, RequestContext
from overtrick.connector.wire.checks import is_blank
from overtrick.connector.wire.envelope import Response, json_text
from overtrick.connector.wire.event import (
    AddSessionDTO,
    BCSManagementRequestDTO,
    BCSManagementResponseDTO,
    ContinueDTO,
    InitDTO,
    SessionDTO,
)
from overtrick.connector.wire.movement import ScoringGroupDTO, SectionDTO, SectionUpdateDTO
from overtrick.connector.wire.numbers import Command, DataType, ErrorType, ManageFlag, StartFlag
from overtrick.connector.wire.reading import MalformedRequest
from overtrick.connector.wire.rules import problems, update_problems
from overtrick.connector.wire_codes import orders
from overtrick.event import AddSession, ContinueEvent, OpenEvent, Session, Transaction
from overtrick.event import Command as EventCommand
from overtrick.event.setup import ClearQueues
from overtrick.event.state import Order

# The channel ------------------------------------------------------------------------------------------------


def connect(context: RequestContext) -> Response:
    """Nothing to do: whoever asks is connected."""
    return context.ok()


def ping(context: RequestContext) -> Response:
    """Send back what was sent."""
    sent = context.request.payload
    return context.ok("" if sent is None else sent if isinstance(sent, str) else json_text(sent))


# Events -----------------------------------------------------------------------------------------------------


def _club(context: RequestContext, given: str | None) -> str:
    """The club that an event is for: the request's, or over the pipe the DTO's."""
    club = context.request.club or (given or "" if context.caller.is_local else "")
    if given and club and given != club:
        raise RequestRejected(ErrorType.Validation, f"ClubId is {given} inside and {club} outside.")
    return club


def _as_named(folder: str | Path) -> Path:
    """Where a folder is by its name alone, with no link followed."""
    return Path(os.path.normpath(Path.cwd() / folder))


def _leads_out(context: RequestContext, folder: str | None) -> list[str]:
    """What is wrong with another data folder: nobody writes elsewhere on this computer through the connector.

    Whatever leads out of our own is told the same, without a look at whether it is there.
    """
    ours = context.host.data_folder
    if is_blank(folder) or ours is None:
        return []
    assert folder is not None
    try:
        wanted, known, real = _as_named(folder), _as_named(ours), ours.resolve()
        named = wanted.is_relative_to(known) or wanted.is_relative_to(real)
        if named and wanted.resolve().is_relative_to(real):
            return []
    except (OSError, ValueError, RuntimeError):  # too long, with a NUL in it, or links in a circle
        pass
    return [f"AlternativeDataFolder '{folder}' is not in the data folder."]


def initialize_event(context: RequestContext) -> Response:
    """Open an event; everything that was there of its sessions stays readable, and is not theirs any more."""
    context.no_session()
    dto = read_payload(context, InitDTO)
    reject_problems(_leads_out(context, dto.AlternativeDataFolder) or problems(dto))
    command = from_wire.open_event(dto, _club(context, dto.ClubId))
    sessions = {plan.session for plan in command.sessions}
    with context.looking(sessions, [command.event]) as state:
        for plan in command.sessions:
            before = state.session(plan.session)
            of = state.event(before.opened.event) if before is not None else None
            if of is not None and not context.sees(of.club):
                raise RequestRejected(
                    ErrorType.Validation, f"Session {plan.session} belongs to another club."
                )
        known = state.event(command.event)
        if known is not None and not context.sees(known.club):
            raise RequestRejected(ErrorType.Validation, f"Event {command.event} belongs to another club.")
        is_resent = _is_opened_by(context, command)
        change = _ending_others(context, command, command.club)
    if not is_resent:
        context.change(_clearing_if_ordered(context, change, dto.Commands))
        with context.looking(sessions):
            pass  # whoever comes next may not see them any more
    context.host.ordered(command.orders)
    return context.ok()


def _is_opened_by(context: RequestContext, event: OpenEvent) -> bool:
    """Return whether these bytes opened the event, and nothing has happened in its sessions since.

    Opening is the one change that is never without effect, so it has to be known when it is only sent again.
    """
    streams = [context.projection.state.stream(plan.session) for plan in event.sessions]
    return context.is_resent() and all(
        stream is not None and context.projection.is_all_from(stream, context.digest) for stream in streams
    )


def _ending_others(context: RequestContext, command: OpenEvent | ContinueEvent, club: str) -> EventCommand:
    """Return a command that starts an event, with the end of the others of its club: one of a club runs at a time."""
    if Order.START not in command.orders:
        return command
    others = [
        guid
        for guid in context.projection.running()
        if guid != command.event
        and (known := context.projection.state.event(guid)) is not None
        and known.club == club
    ]
    return Transaction((*(ContinueEvent(guid, (Order.SHUT_DOWN,)) for guid in others), command))


_CONTINUING = (
    StartFlag.START
    | StartFlag.START_READING
    | StartFlag.MINIMIZE
    | StartFlag.AUTO_SHUTDOWN
    | StartFlag.CLEAR_DATA
)


def continue_event(context: RequestContext) -> Response:
    """Take up an event again."""
    context.no_session()
    dto = read_payload(context, ContinueDTO)
    reject_problems(_leads_out(context, dto.AlternativeDataFolder) or problems(dto))
    if dto.Commands & ~int(_CONTINUING):
        raise RequestRejected(
            ErrorType.Validation,
            f"Commands is {dto.Commands}, and only 1, 4, 16, 32 and 128 are for an old event.",
        )
    event = dto.EventGuid or ""
    with context.looking([], [event]) as state:
        known = state.event(event)
        if known is None or not context.sees(known.club):
            raise RequestRejected(
                ErrorType.EntryUnknown, f"There is no event {event or 'without an EventGuid'}."
            )
        change = _ending_others(context, ContinueEvent(event, orders(dto.Commands)), known.club)
    context.change(_clearing_if_ordered(context, change, dto.Commands))
    context.host.ordered(orders(dto.Commands))
    return context.ok()


class SessionToAdd(AddSessionDTO, SessionDTO):
    """What an AddSession may carry: the guide has an AddSessionDTO in one place, and a SessionDTO in another."""


SessionToAdd.__name__ = AddSessionDTO.__name__  # messages name the types of the wire


def _read_added(context: RequestContext) -> AddSessionDTO:
    """Either is taken: clients before 5.0 send the SessionDTO."""
    given = read_payload(context, SessionToAdd)
    dto: AddSessionDTO = given
    if given.Session is None and given.ScoringGroups is not None:
        session = SessionDTO.model_construct(
            **{name: getattr(given, name) for name in SessionDTO.model_fields}
        )
        dto = AddSessionDTO(EventGuid=given.EventGuid, Session=session)
    reject_problems(problems(dto))
    # Those clients name the session, too, where the event belongs.
    if context.request.session not in (dto.EventGuid, dto.Session and dto.Session.SessionGuid):
        raise RequestRejected(
            ErrorType.Validation, "The request's SessionGuid has to be the EventGuid of the event."
        )
    return dto


def add_session(context: RequestContext) -> Response:
    """Add a session to an event; the request names the event."""
    dto = _read_added(context)
    assert dto.Session is not None
    plan = from_wire.session_plan(
        dto.Session,
        people=dto.PlayerData or [],
        seats=dto.Participations or [],
        records=dto.Handrecords or [],
        units=[*(dto.Bridgemate2Settings or []), *(dto.Bridgemate3Settings or [])],
    )
    with context.looking([], [dto.EventGuid or ""]) as state:
        known = state.event(dto.EventGuid or "")
    if known is None or not context.sees(known.club):
        raise RequestRejected(ErrorType.EntryUnknown, f"There is no event {dto.EventGuid}.")
    context.change(AddSession(dto.EventGuid or "", plan))
    return context.ok()


def clear_data(context: RequestContext) -> Response:
    """Let nothing that is queued count any more, for the caller's club; over the pipe, for all."""
    context.change(_clear(context))
    return context.ok()


def _clear(context: RequestContext) -> ClearQueues:
    return ClearQueues("" if context.caller.is_local else context.request.club)


def _clearing_if_ordered(context: RequestContext, command: EventCommand, flags: int) -> EventCommand:
    """Return a command, or where the queues are to be cleared too, both in one."""
    return Transaction((command, _clear(context))) if flags & StartFlag.CLEAR_DATA else command


# Movement ---------------------------------------------------------------------------------------------------


def _read_movement(context: RequestContext) -> SectionUpdateDTO:
    """Return the section of an update: the guide sends a SectionDTO in one place and a SectionUpdateDTO in another."""
    update = read_payload(context, SectionUpdateDTO)
    reject_problems([*update_problems(update), *own_session(context)(update)])
    return update


def update_movement(context: RequestContext) -> Response:
    """Change a section, and answer which rounds that changed."""
    dto = _read_movement(context)
    wanted = movement_updates.section_update(dto)
    with context.session() as session:
        command = movement_updates.update_movement(session, wanted)
    context.change(command)
    facts = list(context.projection.changed(context.actor))
    with context.session() as session:
        seen = to_wire.snapshot_section(session, dto.Letters or "")
    return context.ok(json_text(to_wire.changed_rounds(seen, facts)), DataType.Movement)


def update_scoring_groups(context: RequestContext) -> Response:
    """Change scoring groups, and which sections are in them."""
    plans = movement_updates.groups(read_payloads(context, ScoringGroupDTO))
    with context.session() as session:
        command = movement_updates.set_groups(session, plans)
    context.change(command)
    return context.ok()


def get_movement(context: RequestContext) -> Response:
    """Answer the movement of one section."""
    if context.request.is_empty:
        raise MalformedRequest(ErrorType.NoData, "GetMovement needs a SectionDTO with its Letters.")
    dto = read_payload(context, SectionDTO)
    if dto.SessionGuid is not None:
        reject_problems(own_session(context)(dto))
    with context.session() as session:
        if dto.Letters not in session.setup.sections:
            raise RequestRejected(ErrorType.Movement, f"There is no section {dto.Letters or ''}.")
        seen = to_wire.snapshot_section(session, dto.Letters or "")
    return context.ok(json_text(to_wire.movement(seen)), DataType.Movement)


def get_all_movements(context: RequestContext) -> Response:
    """Answer the movements of every section."""
    with context.session() as session:
        seen = [to_wire.snapshot_section(session, letters) for letters in sorted(session.setup.sections)]
    return context.ok(json_text([to_wire.movement(section) for section in seen]), DataType.Sessions)


# Queues -----------------------------------------------------------------------------------------------------


def poll(kind: QueueKind, *, is_all: bool = False) -> Callable[[RequestContext], Response]:
    """Make the handler that answers what has come since the last accepted item, or everything that stands."""

    def polling(context: RequestContext) -> Response:
        club = context.request.club
        with context.session():
            stream = context.stream()
            marks = context.projection.marks.of(club, stream)
            queue = context.projection.queue(stream)
            found = queue.all(kind, club) if is_all else queue.new(kind, marks.get(kind.mark, 0), club)
        last = max((item.id for item in found), default=marks.get(kind.mark, 0))
        if last > marks.get(kind.offered, 0):  # noted before they go out
            context.projection.marks.move(club, stream, kind.offered, last)
        data_type: DataType = kind.value
        return context.ok(payload(found), data_type, last)

    return polling


def accept(kind: QueueKind) -> Callable[[RequestContext], Response]:
    """Make the handler that takes everything up to an item as accepted.

    It goes as far as was offered, since an id may be of another session.
    """

    def accepting(context: RequestContext) -> Response:
        if context.request.is_empty:
            raise MalformedRequest(
                ErrorType.NoData, f"{context.request.command.name} needs the id of an item."
            )
        last = context.request.payload
        if isinstance(last, bool) or not isinstance(last, int):
            raise MalformedRequest(ErrorType.WrongDataType, "The id of an item is a whole number.")
        club = context.request.club
        with context.session():
            stream = context.stream()
            marks = context.projection.marks.of(club, stream)
        wanted = min(last, marks.get(kind.offered, 0))
        if wanted > marks.get(kind.mark, 0):
            context.projection.marks.move(club, stream, kind.mark, wanted)
        return context.ok(DONE)

    return accepting


# The control side -------------------------------------------------------------------------------------------


def manage_bcs(context: RequestContext) -> Response:
    """Answer what is running, where it is kept, or have it stop."""
    dto = read_payload(context, BCSManagementRequestDTO)
    reject_problems(problems(dto))
    wanted = ManageFlag(dto.Command)
    is_controlled = context.host.is_controlled()
    asks_for_file = bool(wanted & (ManageFlag.SCORING_FILE | ManageFlag.CONNECTOR_FILE))
    file = context.host.scoring_file() if asks_for_file else ""
    with context.looking(None if ManageFlag.ALL_SESSIONS in wanted else []) as state:
        known = {guid: state.event(guid) for guid in context.projection.running()}
        running = [guid for guid, event in known.items() if event is not None and context.sees(event.club)]
        if wanted is not ManageFlag.SHUT_DOWN:
            return _managed(context, wanted, running if is_controlled else [], file)
    for event in running:
        context.change(ContinueEvent(event, (Order.SHUT_DOWN,)))
    return context.ok()


def _managed(context: RequestContext, wanted: ManageFlag, running: Sequence[str], file: str) -> Response:
    if ManageFlag.ALL_SESSIONS in wanted:
        data_type, listed = DataType.AllSessionsInfo, _all_sessions(context)
    elif ManageFlag.RUNNING_SESSIONS in wanted:
        data_type = DataType.EventInfo
        listed = [session for event in reversed(running) for session in context.projection.sessions(event)]
    else:
        data_type, listed = DataType.ScoringFileLocation, []
    answer = BCSManagementResponseDTO(
        EventGuid=running[-1] if running and ManageFlag.ALL_SESSIONS not in wanted else "",
        SessionInformation=[to_wire.session_info(session) for session in listed] if running else [],
        IsRunning=bool(running),
        ScoringFilePath=file if ManageFlag.SCORING_FILE in wanted else "",
        DataConnectorFilePath=file if ManageFlag.CONNECTOR_FILE in wanted else "",
    )
    return context.ok(json_text(answer), data_type)


def _all_sessions(context: RequestContext) -> list[Session]:
    """Return every session that the caller sees, when all have been read."""
    state = context.projection.state
    found = [state.session(guid) for guid in [*state.incarnations]]
    return [
        session
        for session in found
        if session is not None
        and (event := state.event(session.opened.event)) is not None
        and context.sees(event.club)
    ]


HANDLERS: dict[Command, Callable[[RequestContext], Response]] = {
    Command.Connect: connect,
    Command.Disconnect: connect,
    Command.Ping: ping,
    Command.InitializeEvent: initialize_event,
    Command.UpdateMovement: update_movement,
    Command.AddSession: add_session,
    Command.UpdateScoringGroups: update_scoring_groups,
    Command.PutResults: put_handlers.put_results,
    Command.PutPlayerData: put_handlers.put_player_data,
    Command.PutParticipations: put_handlers.put_participations,
    Command.PutHandrecords: put_handlers.put_handrecords,
    Command.PutBridgemate2Settings: put_handlers.put_settings,
    Command.PutBridgemate3Settings: put_handlers.put_settings,
    Command.PollQueueForNewResults: poll(QueueKind.RESULTS),
    Command.PollQueueForNewPlayerData: poll(QueueKind.PLAYERS),
    Command.PollQueueForNewParticipations: poll(QueueKind.PARTICIPATIONS),
    Command.PollQueueForNewHandrecords: poll(QueueKind.HAND_RECORDS),
    Command.PollQueueForAllResults: poll(QueueKind.RESULTS, is_all=True),
    Command.PollQueueForAllPlayerData: poll(QueueKind.PLAYERS, is_all=True),
    Command.PollQueueForAllParticipations: poll(QueueKind.PARTICIPATIONS, is_all=True),
    Command.PollQueueForAllHandrecords: poll(QueueKind.HAND_RECORDS, is_all=True),
    Command.AcceptResultQueueItems: accept(QueueKind.RESULTS),
    Command.AcceptPlayerDataQueueItems: accept(QueueKind.PLAYERS),
    Command.AcceptParticipationQueueItems: accept(QueueKind.PARTICIPATIONS),
    Command.AcceptHandrecordQueueItems: accept(QueueKind.HAND_RECORDS),
    Command.ContinueEvent: continue_event,
    Command.GetMovement: get_movement,
    Command.GetAllMovements: get_all_movements,
    Command.ManageBCS: manage_bcs,
    Command.ClearData: clear_data,
    Command.PollQueueForNewTdCalls: poll(QueueKind.CALLS),
    Command.PollQueueForAllTdCalls: poll(QueueKind.CALLS, is_all=True),
    Command.AcceptTdCallQueueItems: accept(QueueKind.CALLS),
    Command.PutTdCalls: put_handlers.put_td_calls,
}
"""Every command that is served."""
