"""The handlers of the commands: each checks a request, changes or reads the journal, and returns the response.

`HANDLERS` lists them all. A handler raises RequestRejected or MalformedRequest, which `dispatch` turns into an error
response. Has no dependency on transports.
"""

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar

from overtrick.connector import from_wire, movement_updates, to_wire
from overtrick.connector.from_wire import RequestRejected
from overtrick.connector.queue import payload
from overtrick.connector.request_context import DONE, RequestContext
from overtrick.connector.wire.checks import Rule, every, first_of, is_blank, never, problems_text
from overtrick.connector.wire.envelope import Response, json_text
from overtrick.connector.wire.event import (
    AddSessionDTO,
    BCSManagementRequestDTO,
    BCSManagementResponseDTO,
    ContinueDTO,
    InitDTO,
    SessionDTO,
)
from overtrick.connector.wire.model import WireModel
from overtrick.connector.wire.movement import ScoringGroupDTO, SectionDTO, SectionUpdateDTO
from overtrick.connector.wire.numbers import (
    DataType,
    ErrorType,
    ManageFlag,
    QueueKind,
    StartFlag,
    WireCommand,
)
from overtrick.connector.wire.play import (
    HandrecordDTO,
    ParticipationDTO,
    PlayerDataDTO,
    ResultDTO,
    TdCallDTO,
)
from overtrick.connector.wire.reading import MalformedRequest, read_many, read_one
from overtrick.connector.wire.rules import problems, rule_of, update_problems
from overtrick.connector.wire.settings import Bridgemate2SettingsDTO, Bridgemate3SettingsDTO, SettingsDTO
from overtrick.connector.wire_codes import orders
from overtrick.event import AddSession, ContinueEvent, OpenEvent, Session, Transaction
from overtrick.event import Command as EventCommand
from overtrick.event.hands import PutHandRecords
from overtrick.event.seating import PutParticipations, PutPlayers
from overtrick.event.settings import PutSettings
from overtrick.event.setup import ClearQueues
from overtrick.event.state import Order

DTO = TypeVar("DTO", bound=WireModel)

NOT_OWN = "Its SessionGuid is not the request's."

# DTOs of a request ------------------------------------------------------------------------------------------


def reject_problems(sentences: Sequence[str]) -> None:
    """Raise RequestRejected with all problems, if there are any."""
    if sentences:
        raise RequestRejected(ErrorType.Validation, problems_text(sentences))


def read_payload(context: RequestContext, kind: type[DTO]) -> DTO:
    """Return the one DTO of a request; raise MalformedRequest if there is none."""
    if context.request.is_empty:
        article = "an" if kind.__name__[0] in "AEIOU" else "a"
        raise MalformedRequest(
            ErrorType.NoData, f"{context.request.command.name} needs {article} {kind.__name__}."
        )
    return read_one(kind, context.request.payload)


def read_payloads(context: RequestContext, kind: type[DTO]) -> list[DTO]:
    """Return the DTOs of a request; raise if one breaks a rule or is of another session than the request."""
    if context.request.is_empty or context.request.payload == []:
        raise MalformedRequest(
            ErrorType.NoData, f"{context.request.command.name} needs an array of {kind.__name__}."
        )
    dtos = read_many(kind, context.request.payload)
    check = every(rule_of(kind), own_session(context))
    reject_problems(
        first_of(f"[{index}] {problem}" for index, dto in enumerate(dtos) for problem in check(dto))
    )
    return dtos


def own_session(context: RequestContext) -> Rule:
    """Return the rule that a DTO is of the session that the request names."""
    session = context.request.session
    return never(lambda dto: getattr(dto, "SessionGuid", None) != session, NOT_OWN)


# The channel ------------------------------------------------------------------------------------------------


def connect(context: RequestContext) -> Response:
    """Return OK, for Connect and Disconnect: the transport itself opens and closes the connection."""
    return context.ok()


def ping(context: RequestContext) -> Response:
    """Return the payload that was sent."""
    payload = context.request.payload
    return context.ok("" if payload is None else payload if isinstance(payload, str) else json_text(payload))


# Events -----------------------------------------------------------------------------------------------------


def _club(context: RequestContext, dto_club: str | None) -> str:
    """Return the club of an event: the request's, else over the pipe the DTO's.

    Raises RequestRejected if they differ.
    """
    club = context.request.club or (dto_club or "" if context.caller.is_local else "")
    if dto_club and club and dto_club != club:
        raise RequestRejected(
            ErrorType.Validation, f"ClubId is {dto_club} in the data and {club} in the request."
        )
    return club


def _absolute_path(folder: str | Path) -> Path:
    """Return the absolute path of a folder without following links."""
    return Path(os.path.normpath(Path.cwd() / folder))


def _folder_problems(context: RequestContext, folder: str | None) -> list[str]:
    """Return a problem if a client names a folder outside our data folder, else an empty list.

    The sentence does not depend on whether that folder exists, so a client cannot probe the disk.
    """
    data_folder = context.host.data_folder
    if is_blank(folder) or data_folder is None:
        return []
    assert folder is not None
    try:
        path, own_path, resolved_folder = (
            _absolute_path(folder),
            _absolute_path(data_folder),
            data_folder.resolve(),
        )
        is_named_inside = path.is_relative_to(own_path) or path.is_relative_to(resolved_folder)
        if is_named_inside and path.resolve().is_relative_to(resolved_folder):
            return []
    except (OSError, ValueError, RuntimeError):  # too long, with a NUL in it, or links in a circle
        pass
    return [f"AlternativeDataFolder '{folder}' is not in the data folder."]


def initialize_event(context: RequestContext) -> Response:
    """Open an event. Sessions that exist start a new incarnation; the old one stays readable."""
    context.reject_session_guid()
    dto = read_payload(context, InitDTO)
    reject_problems(_folder_problems(context, dto.AlternativeDataFolder) or problems(dto))
    command = from_wire.open_event(dto, _club(context, dto.ClubId))
    sessions = {plan.session for plan in command.sessions}
    with context.locked_state(sessions, [command.event]) as state:
        for plan in command.sessions:
            previous = state.session(plan.session)
            previous_event = state.event(previous.opened.event) if previous is not None else None
            if previous_event is not None and not context.may_see(previous_event.club):
                raise RequestRejected(
                    ErrorType.Validation, f"Session {plan.session} belongs to another club."
                )
        event = state.event(command.event)
        if event is not None and not context.may_see(event.club):
            raise RequestRejected(ErrorType.Validation, f"Event {command.event} belongs to another club.")
        is_resent = _is_opened_by(context, command)
        change = _with_others_ended(context, command, command.club)
    if not is_resent:
        context.change(_with_clear_if_ordered(context, change, dto.Commands))
        with context.locked_state(sessions):
            pass  # updates the projection, so that the next request sees the new incarnations
    context.host.ordered(command.orders)
    return context.ok()


def _is_opened_by(context: RequestContext, event: OpenEvent) -> bool:
    """Return whether a request with the same bytes opened the event, and nothing was written to its sessions since.

    Opening an event again would start new incarnations, so a resent request has to be recognised.
    """
    streams = [context.projection.state.stream(plan.session) for plan in event.sessions]
    return context.is_resent() and all(
        stream is not None and context.projection.is_all_from(stream, context.digest) for stream in streams
    )


def _with_others_ended(
    context: RequestContext, command: OpenEvent | ContinueEvent, club: str
) -> EventCommand:
    """Return the command; if it starts its event, together with orders to shut down the club's other running events.

    Only one event of a club runs at a time.
    """
    if Order.START not in command.orders:
        return command
    others = [
        guid
        for guid in context.projection.running()
        if guid != command.event
        and (event := context.projection.state.event(guid)) is not None
        and event.club == club
    ]
    return Transaction((*(ContinueEvent(guid, (Order.SHUT_DOWN,)) for guid in others), command))


_CONTINUE_FLAGS = (
    StartFlag.START
    | StartFlag.START_READING
    | StartFlag.MINIMIZE
    | StartFlag.AUTO_SHUTDOWN
    | StartFlag.CLEAR_DATA
)


def continue_event(context: RequestContext) -> Response:
    """Continue an event that was opened before."""
    context.reject_session_guid()
    dto = read_payload(context, ContinueDTO)
    reject_problems(_folder_problems(context, dto.AlternativeDataFolder) or problems(dto))
    if dto.Commands & ~int(_CONTINUE_FLAGS):
        raise RequestRejected(
            ErrorType.Validation,
            f"Commands is {dto.Commands}, and only 1, 4, 16, 32 and 128 are for an old event.",
        )
    guid = dto.EventGuid or ""
    with context.locked_state([], [guid]) as state:
        event = state.event(guid)
        if event is None or not context.may_see(event.club):
            raise RequestRejected(
                ErrorType.EntryUnknown, f"There is no event {guid or 'without an EventGuid'}."
            )
        change = _with_others_ended(context, ContinueEvent(guid, orders(dto.Commands)), event.club)
    context.change(_with_clear_if_ordered(context, change, dto.Commands))
    context.host.ordered(orders(dto.Commands))
    return context.ok()


def _read_session_to_add(context: RequestContext) -> AddSessionDTO:
    """Return the session to add, checked; clients before 5.0 send a SessionDTO instead of an AddSessionDTO."""
    payload = context.request.payload
    if (
        isinstance(payload, dict)
        and payload.get("Session") is None
        and payload.get("ScoringGroups") is not None
    ):
        session = read_payload(context, SessionDTO)
        dto = AddSessionDTO(EventGuid=session.EventGuid, Session=session)
    else:
        dto = read_payload(context, AddSessionDTO)
    reject_problems(problems(dto))
    # Those clients also send the guid of the session where the guide wants that of the event.
    if context.request.session not in (dto.EventGuid, dto.Session and dto.Session.SessionGuid):
        raise RequestRejected(
            ErrorType.Validation, "The request's SessionGuid has to be the EventGuid of the event."
        )
    return dto


def add_session(context: RequestContext) -> Response:
    """Add a session to an existing event."""
    dto = _read_session_to_add(context)
    assert dto.Session is not None
    plan = from_wire.session_plan(
        dto.Session,
        people=dto.PlayerData or [],
        seats=dto.Participations or [],
        records=dto.Handrecords or [],
        units=[*(dto.Bridgemate2Settings or []), *(dto.Bridgemate3Settings or [])],
    )
    with context.locked_state([], [dto.EventGuid or ""]) as state:
        event = state.event(dto.EventGuid or "")
    if event is None or not context.may_see(event.club):
        raise RequestRejected(ErrorType.EntryUnknown, f"There is no event {dto.EventGuid}.")
    context.change(AddSession(dto.EventGuid or "", plan))
    return context.ok()


def clear_data(context: RequestContext) -> Response:
    """Clear the queues for the caller's club; over the pipe, for all clubs."""
    context.change(_clear(context))
    return context.ok()


def _clear(context: RequestContext) -> ClearQueues:
    return ClearQueues("" if context.caller.is_local else context.request.club)


def _with_clear_if_ordered(context: RequestContext, command: EventCommand, flags: int) -> EventCommand:
    """Return the command, together with ClearQueues if the flags order it."""
    return Transaction((command, _clear(context))) if flags & StartFlag.CLEAR_DATA else command


# Movement ---------------------------------------------------------------------------------------------------


def _read_movement(context: RequestContext) -> SectionUpdateDTO:
    """Return the section of an update, checked; the guide allows a SectionDTO instead of a SectionUpdateDTO."""
    update = read_payload(context, SectionUpdateDTO)
    reject_problems([*update_problems(update), *own_session(context)(update)])
    return update


def update_movement(context: RequestContext) -> Response:
    """Change a section; return it with only the rounds that changed."""
    dto = _read_movement(context)
    update = movement_updates.section_update(dto)
    with context.session() as session:
        command = movement_updates.update_movement(session, update)
    context.change(command)
    facts = list(context.projection.last_change_facts(context.actor))
    with context.session() as session:
        snapshot = to_wire.snapshot_section(session, dto.Letters or "")
    return context.ok(json_text(to_wire.changed_rounds(snapshot, facts)), DataType.Movement)


def update_scoring_groups(context: RequestContext) -> Response:
    """Change scoring groups and their sections."""
    plans = movement_updates.groups(read_payloads(context, ScoringGroupDTO))
    with context.session() as session:
        command = movement_updates.set_groups(session, plans)
    context.change(command)
    return context.ok()


def get_movement(context: RequestContext) -> Response:
    """Return the movement of one section."""
    if context.request.is_empty:
        raise MalformedRequest(ErrorType.NoData, "GetMovement needs a SectionDTO with its Letters.")
    dto = read_payload(context, SectionDTO)
    if dto.SessionGuid is not None:
        reject_problems(own_session(context)(dto))
    with context.session() as session:
        if dto.Letters not in session.setup.sections:
            raise RequestRejected(ErrorType.Movement, f"There is no section {dto.Letters or ''}.")
        snapshot = to_wire.snapshot_section(session, dto.Letters or "")
    return context.ok(json_text(to_wire.movement(snapshot)), DataType.Movement)


def get_all_movements(context: RequestContext) -> Response:
    """Return the movements of all sections."""
    with context.session() as session:
        snapshots = [to_wire.snapshot_section(session, letters) for letters in sorted(session.setup.sections)]
    return context.ok(json_text([to_wire.movement(section) for section in snapshots]), DataType.Sessions)


# Writes of the scoring program -----------------------------------------------------------------------------


def put_results(context: RequestContext) -> Response:
    """Write results of the scoring program; they replace those at the same places."""
    dtos = read_payloads(context, ResultDTO)
    command = from_wire.results(context.request.session, dtos, context.host.now())
    context.require_session()
    context.change(command)
    return context.ok()


def put_player_data(context: RequestContext) -> Response:
    """Write players of the session. Clients send whole lists repeatedly and expect OK even if nothing changes."""
    players = from_wire.players(read_payloads(context, PlayerDataDTO))
    context.require_session()
    context.change(PutPlayers(context.request.session, players), may_be_known=True)
    return context.ok()


def put_participations(context: RequestContext) -> Response:
    """Write the players' seats."""
    seats = from_wire.participations(read_payloads(context, ParticipationDTO))
    later = from_wire.sections_seated_later(seats)
    context.require_session()
    if later:
        with context.session() as session:
            from_wire.require_explicit_seating(session, later)
    context.change(PutParticipations(context.request.session, seats))
    return context.ok()


def put_handrecords(context: RequestContext) -> Response:
    """Write hand records."""
    records = from_wire.hand_records(read_payloads(context, HandrecordDTO))
    with context.session() as session:
        groups_by_section = from_wire.groups_by_section(session)
    context.change(
        PutHandRecords(context.request.session, from_wire.records_by_group(records, groups_by_section))
    )
    return context.ok()


def put_settings(context: RequestContext) -> Response:
    """Write the settings of one generation of table units."""
    is_second = context.request.command is WireCommand.PutBridgemate2Settings
    kind: type[SettingsDTO] = Bridgemate2SettingsDTO if is_second else Bridgemate3SettingsDTO
    dtos = read_payloads(context, kind)
    reject_problems(
        [f"[{index}] {problem}" for index, dto in enumerate(dtos) for problem in from_wire.out_of_range(dto)]
    )
    settings = from_wire.settings(dtos)
    context.require_session()
    context.change(PutSettings(context.request.session, settings))
    return context.ok()


def put_td_calls(context: RequestContext) -> Response:
    """Write calls to the director and their status."""
    dtos = read_payloads(context, TdCallDTO)
    host = context.host
    with context.session() as session:
        try:
            command = from_wire.td_calls(session, dtos, host.now(), context.projection.zone, host.new_id)
        except RequestRejected:
            if context.is_resent():  # the first request has resolved the call, so it is no longer open
                return context.ok()
            raise
    context.change(command)
    return context.ok()


# Queues -----------------------------------------------------------------------------------------------------


def poll(kind: QueueKind, *, is_all: bool = False) -> Callable[[RequestContext], Response]:
    """Return the handler that returns the items after the last accepted one; with `is_all`, all current items."""

    def polling(context: RequestContext) -> Response:
        club = context.request.club
        with context.session():
            stream = context.stream()
            marks = context.projection.marks.of(club, stream)
            queue = context.projection.queue(stream)
            items = queue.all(kind, club) if is_all else queue.new(kind, marks.get(kind.mark, 0), club)
        last = max((item.id for item in items), default=marks.get(kind.mark, 0))
        if last > marks.get(kind.offered, 0):  # has to be durable before the items are sent; see `accept`
            context.projection.marks.move(club, stream, kind.offered, last)
        data_type: DataType = kind.value
        return context.ok(payload(items), data_type, last)

    return polling


def accept(kind: QueueKind) -> Callable[[RequestContext], Response]:
    """Return the handler that accepts all items up to an id.

    It accepts nothing above the last id that was offered in this session: a client may send an id of another session.
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
        accepted = min(last, marks.get(kind.offered, 0))
        if accepted > marks.get(kind.mark, 0):
            context.projection.marks.move(club, stream, kind.mark, accepted)
        return context.ok(DONE)

    return accepting


# The control side -------------------------------------------------------------------------------------------


def manage_bcs(context: RequestContext) -> Response:
    """Return the running or all sessions and the path of the scoring file, or shut the running events down."""
    dto = read_payload(context, BCSManagementRequestDTO)
    reject_problems(problems(dto))
    flags = ManageFlag(dto.Command)
    is_controlled = context.host.is_controlled()
    asks_for_file = bool(flags & (ManageFlag.SCORING_FILE | ManageFlag.CONNECTOR_FILE))
    file = context.host.scoring_file() if asks_for_file else ""
    with context.locked_state(None if ManageFlag.ALL_SESSIONS in flags else []) as state:
        events = {guid: state.event(guid) for guid in context.projection.running()}
        running = [
            guid for guid, event in events.items() if event is not None and context.may_see(event.club)
        ]
        if flags is not ManageFlag.SHUT_DOWN:
            return _management_response(context, flags, running if is_controlled else [], file)
    for event in running:
        context.change(ContinueEvent(event, (Order.SHUT_DOWN,)))
    return context.ok()


def _management_response(
    context: RequestContext, flags: ManageFlag, running: Sequence[str], file: str
) -> Response:
    if ManageFlag.ALL_SESSIONS in flags:
        data_type, listed = DataType.AllSessionsInfo, _all_sessions(context)
    elif ManageFlag.RUNNING_SESSIONS in flags:
        data_type = DataType.EventInfo
        listed = [session for event in reversed(running) for session in context.projection.sessions(event)]
    else:
        data_type, listed = DataType.ScoringFileLocation, []
    answer = BCSManagementResponseDTO(
        EventGuid=running[-1] if running and ManageFlag.ALL_SESSIONS not in flags else "",
        SessionInformation=[to_wire.session_info(session) for session in listed] if running else [],
        IsRunning=bool(running),
        ScoringFilePath=file if ManageFlag.SCORING_FILE in flags else "",
        DataConnectorFilePath=file if ManageFlag.CONNECTOR_FILE in flags else "",
    )
    return context.ok(json_text(answer), data_type)


def _all_sessions(context: RequestContext) -> list[Session]:
    """Return every session that the client may see. The projection has to be caught up with all sessions."""
    state = context.projection.state
    sessions = [state.session(guid) for guid in [*state.incarnations]]
    return [
        session
        for session in sessions
        if session is not None
        and (event := state.event(session.opened.event)) is not None
        and context.may_see(event.club)
    ]


HANDLERS: dict[WireCommand, Callable[[RequestContext], Response]] = {
    WireCommand.Connect: connect,
    WireCommand.Disconnect: connect,
    WireCommand.Ping: ping,
    WireCommand.InitializeEvent: initialize_event,
    WireCommand.UpdateMovement: update_movement,
    WireCommand.AddSession: add_session,
    WireCommand.UpdateScoringGroups: update_scoring_groups,
    WireCommand.PutResults: put_results,
    WireCommand.PutPlayerData: put_player_data,
    WireCommand.PutParticipations: put_participations,
    WireCommand.PutHandrecords: put_handrecords,
    WireCommand.PutBridgemate2Settings: put_settings,
    WireCommand.PutBridgemate3Settings: put_settings,
    WireCommand.PollQueueForNewResults: poll(QueueKind.RESULTS),
    WireCommand.PollQueueForNewPlayerData: poll(QueueKind.PLAYERS),
    WireCommand.PollQueueForNewParticipations: poll(QueueKind.PARTICIPATIONS),
    WireCommand.PollQueueForNewHandrecords: poll(QueueKind.HAND_RECORDS),
    WireCommand.PollQueueForAllResults: poll(QueueKind.RESULTS, is_all=True),
    WireCommand.PollQueueForAllPlayerData: poll(QueueKind.PLAYERS, is_all=True),
    WireCommand.PollQueueForAllParticipations: poll(QueueKind.PARTICIPATIONS, is_all=True),
    WireCommand.PollQueueForAllHandrecords: poll(QueueKind.HAND_RECORDS, is_all=True),
    WireCommand.AcceptResultQueueItems: accept(QueueKind.RESULTS),
    WireCommand.AcceptPlayerDataQueueItems: accept(QueueKind.PLAYERS),
    WireCommand.AcceptParticipationQueueItems: accept(QueueKind.PARTICIPATIONS),
    WireCommand.AcceptHandrecordQueueItems: accept(QueueKind.HAND_RECORDS),
    WireCommand.ContinueEvent: continue_event,
    WireCommand.GetMovement: get_movement,
    WireCommand.GetAllMovements: get_all_movements,
    WireCommand.ManageBCS: manage_bcs,
    WireCommand.ClearData: clear_data,
    WireCommand.PollQueueForNewTdCalls: poll(QueueKind.CALLS),
    WireCommand.PollQueueForAllTdCalls: poll(QueueKind.CALLS, is_all=True),
    WireCommand.AcceptTdCallQueueItems: accept(QueueKind.CALLS),
    WireCommand.PutTdCalls: put_td_calls,
}
"""The handler of every command that is served."""
