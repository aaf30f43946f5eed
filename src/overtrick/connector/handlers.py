"""One handler for each command: what it reads, what it refuses, what it has done and what it answers.

Those of what is put into a session are in `putting`; how DTOs are read and judged is in `given`.
"""

import os
from collections.abc import Callable, Sequence
from pathlib import Path

from overtrick.connector import from_wire, movement_updates, put_handlers, to_wire
from overtrick.connector.from_wire import Misfit
from overtrick.connector.payload import many, one, own, sound
from overtrick.connector.queue import Kind, payload
from overtrick.connector.request_context import DONE, Task
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
from overtrick.connector.wire.reading import Malformed
from overtrick.connector.wire.rules import problems, update_problems
from overtrick.connector.wire_codes import orders
from overtrick.event import AddSession, ContinueEvent, OpenEvent, Session, Transaction
from overtrick.event import Command as EventCommand
from overtrick.event.setup import ClearQueues
from overtrick.event.state import Order

# The channel ------------------------------------------------------------------------------------------------


def connect(task: Task) -> Response:
    """Nothing to do: whoever asks is connected."""
    return task.ok()


def ping(task: Task) -> Response:
    """Send back what was sent."""
    sent = task.request.payload
    return task.ok("" if sent is None else sent if isinstance(sent, str) else json_text(sent))


# Events -----------------------------------------------------------------------------------------------------


def _club(task: Task, given: str | None) -> str:
    """The club that an event is for: the request's, or over the pipe the DTO's."""
    club = task.request.club or (given or "" if task.caller.is_local else "")
    if given and club and given != club:
        raise Misfit(ErrorType.Validation, f"ClubId is {given} inside and {club} outside.")
    return club


def _as_named(folder: str | Path) -> Path:
    """Where a folder is by its name alone, with no link followed."""
    return Path(os.path.normpath(Path.cwd() / folder))


def _leads_out(task: Task, folder: str | None) -> list[str]:
    """What is wrong with another data folder: nobody writes elsewhere on this computer through the connector.

    Whatever leads out of our own is told the same, without a look at whether it is there.
    """
    ours = task.ground.data_folder
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


def initialize_event(task: Task) -> Response:
    """Open an event; everything that was there of its sessions stays readable, and is not theirs any more."""
    task.no_session()
    dto = one(task, InitDTO)
    sound(_leads_out(task, dto.AlternativeDataFolder) or problems(dto))
    command = from_wire.open_event(dto, _club(task, dto.ClubId))
    sessions = {plan.session for plan in command.sessions}
    with task.looking(sessions, [command.event]) as house:
        for plan in command.sessions:
            before = house.session(plan.session)
            of = house.event(before.opened.event) if before is not None else None
            if of is not None and not task.sees(of.club):
                raise Misfit(ErrorType.Validation, f"Session {plan.session} belongs to another club.")
        known = house.event(command.event)
        if known is not None and not task.sees(known.club):
            raise Misfit(ErrorType.Validation, f"Event {command.event} belongs to another club.")
        is_resent = _is_opened_by(task, command)
        change = _ending_others(task, command, command.club)
    if not is_resent:
        task.change(_clearing_if_ordered(task, change, dto.Commands))
        with task.looking(sessions):
            pass  # whoever comes next may not see them any more
    task.ground.ordered(command.orders)
    return task.ok()


def _is_opened_by(task: Task, event: OpenEvent) -> bool:
    """Return whether these bytes opened the event, and nothing has happened in its sessions since.

    Opening is the one change that is never without effect, so it has to be known when it is only sent again.
    """
    streams = [task.mirror.house.stream(plan.session) for plan in event.sessions]
    return task.is_resent() and all(
        stream is not None and task.mirror.is_all_from(stream, task.digest) for stream in streams
    )


def _ending_others(task: Task, command: OpenEvent | ContinueEvent, club: str) -> EventCommand:
    """Return a command that starts an event, with the end of the others of its club: one of a club runs at a time."""
    if Order.START not in command.orders:
        return command
    others = [
        guid
        for guid in task.mirror.running()
        if guid != command.event
        and (known := task.mirror.house.event(guid)) is not None
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


def continue_event(task: Task) -> Response:
    """Take up an event again."""
    task.no_session()
    dto = one(task, ContinueDTO)
    sound(_leads_out(task, dto.AlternativeDataFolder) or problems(dto))
    if dto.Commands & ~int(_CONTINUING):
        raise Misfit(
            ErrorType.Validation,
            f"Commands is {dto.Commands}, and only 1, 4, 16, 32 and 128 are for an old event.",
        )
    event = dto.EventGuid or ""
    with task.looking([], [event]) as house:
        known = house.event(event)
        if known is None or not task.sees(known.club):
            raise Misfit(ErrorType.EntryUnknown, f"There is no event {event or 'without an EventGuid'}.")
        change = _ending_others(task, ContinueEvent(event, orders(dto.Commands)), known.club)
    task.change(_clearing_if_ordered(task, change, dto.Commands))
    task.ground.ordered(orders(dto.Commands))
    return task.ok()


class SessionToAdd(AddSessionDTO, SessionDTO):
    """What an AddSession may carry: the guide has an AddSessionDTO in one place, and a SessionDTO in another."""


SessionToAdd.__name__ = AddSessionDTO.__name__  # messages name the types of the wire


def _read_added(task: Task) -> AddSessionDTO:
    """Either is taken: clients before 5.0 send the SessionDTO."""
    given = one(task, SessionToAdd)
    dto: AddSessionDTO = given
    if given.Session is None and given.ScoringGroups is not None:
        session = SessionDTO.model_construct(
            **{name: getattr(given, name) for name in SessionDTO.model_fields}
        )
        dto = AddSessionDTO(EventGuid=given.EventGuid, Session=session)
    sound(problems(dto))
    # Those clients name the session, too, where the event belongs.
    if task.request.session not in (dto.EventGuid, dto.Session and dto.Session.SessionGuid):
        raise Misfit(ErrorType.Validation, "The request's SessionGuid has to be the EventGuid of the event.")
    return dto


def add_session(task: Task) -> Response:
    """Add a session to an event; the request names the event."""
    dto = _read_added(task)
    assert dto.Session is not None
    plan = from_wire.session_plan(
        dto.Session,
        people=dto.PlayerData or [],
        seats=dto.Participations or [],
        records=dto.Handrecords or [],
        units=[*(dto.Bridgemate2Settings or []), *(dto.Bridgemate3Settings or [])],
    )
    with task.looking([], [dto.EventGuid or ""]) as house:
        known = house.event(dto.EventGuid or "")
    if known is None or not task.sees(known.club):
        raise Misfit(ErrorType.EntryUnknown, f"There is no event {dto.EventGuid}.")
    task.change(AddSession(dto.EventGuid or "", plan))
    return task.ok()


def clear_data(task: Task) -> Response:
    """Let nothing that is queued count any more, for the caller's club; over the pipe, for all."""
    task.change(_clear(task))
    return task.ok()


def _clear(task: Task) -> ClearQueues:
    return ClearQueues("" if task.caller.is_local else task.request.club)


def _clearing_if_ordered(task: Task, command: EventCommand, flags: int) -> EventCommand:
    """Return a command, or where the queues are to be cleared too, both in one."""
    return Transaction((command, _clear(task))) if flags & StartFlag.CLEAR_DATA else command


# Movement ---------------------------------------------------------------------------------------------------


def _read_movement(task: Task) -> SectionUpdateDTO:
    """Return the section of an update: the guide sends a SectionDTO in one place and a SectionUpdateDTO in another."""
    update = one(task, SectionUpdateDTO)
    sound([*update_problems(update), *own(task)(update)])
    return update


def update_movement(task: Task) -> Response:
    """Change a section, and answer which rounds that changed."""
    dto = _read_movement(task)
    wanted = movement_updates.wanted_section(dto)
    with task.session() as session:
        command = movement_updates.update_movement(session, wanted)
    task.change(command)
    facts = list(task.mirror.changed(task.actor))
    with task.session() as session:
        seen = to_wire.see(session, dto.Letters or "")
    return task.ok(json_text(to_wire.changed_rounds(seen, facts)), DataType.Movement)


def update_scoring_groups(task: Task) -> Response:
    """Change scoring groups, and which sections are in them."""
    plans = movement_updates.groups(many(task, ScoringGroupDTO))
    with task.session() as session:
        command = movement_updates.set_groups(session, plans)
    task.change(command)
    return task.ok()


def get_movement(task: Task) -> Response:
    """Answer the movement of one section."""
    if task.request.is_empty:
        raise Malformed(ErrorType.NoData, "GetMovement needs a SectionDTO with its Letters.")
    dto = one(task, SectionDTO)
    if dto.SessionGuid is not None:
        sound(own(task)(dto))
    with task.session() as session:
        if dto.Letters not in session.setup.sections:
            raise Misfit(ErrorType.Movement, f"There is no section {dto.Letters or ''}.")
        seen = to_wire.see(session, dto.Letters or "")
    return task.ok(json_text(to_wire.movement(seen)), DataType.Movement)


def get_all_movements(task: Task) -> Response:
    """Answer the movements of every section."""
    with task.session() as session:
        seen = [to_wire.see(session, letters) for letters in sorted(session.setup.sections)]
    return task.ok(json_text([to_wire.movement(section) for section in seen]), DataType.Sessions)


# Queues -----------------------------------------------------------------------------------------------------


def poll(kind: Kind, *, is_all: bool = False) -> Callable[[Task], Response]:
    """Make the handler that answers what has come since the last accepted item, or everything that stands."""

    def polling(task: Task) -> Response:
        club = task.request.club
        with task.session():
            stream = task.stream()
            marks = task.mirror.marks.of(club, stream)
            queue = task.mirror.queue(stream)
            found = queue.all(kind, club) if is_all else queue.new(kind, marks.get(kind.mark, 0), club)
        last = max((item.id for item in found), default=marks.get(kind.mark, 0))
        if last > marks.get(kind.offered, 0):  # noted before they go out
            task.mirror.marks.move(club, stream, kind.offered, last)
        data_type: DataType = kind.value
        return task.ok(payload(found), data_type, last)

    return polling


def accept(kind: Kind) -> Callable[[Task], Response]:
    """Make the handler that takes everything up to an item as accepted.

    It goes as far as was offered, since an id may be of another session.
    """

    def accepting(task: Task) -> Response:
        if task.request.is_empty:
            raise Malformed(ErrorType.NoData, f"{task.request.command.name} needs the id of an item.")
        last = task.request.payload
        if isinstance(last, bool) or not isinstance(last, int):
            raise Malformed(ErrorType.WrongDataType, "The id of an item is a whole number.")
        club = task.request.club
        with task.session():
            stream = task.stream()
            marks = task.mirror.marks.of(club, stream)
        wanted = min(last, marks.get(kind.offered, 0))
        if wanted > marks.get(kind.mark, 0):
            task.mirror.marks.move(club, stream, kind.mark, wanted)
        return task.ok(DONE)

    return accepting


# The control side -------------------------------------------------------------------------------------------


def manage_bcs(task: Task) -> Response:
    """Answer what is running, where it is kept, or have it stop."""
    dto = one(task, BCSManagementRequestDTO)
    sound(problems(dto))
    wanted = ManageFlag(dto.Command)
    is_controlled = task.ground.is_controlled()
    asks_for_file = bool(wanted & (ManageFlag.SCORING_FILE | ManageFlag.CONNECTOR_FILE))
    file = task.ground.scoring_file() if asks_for_file else ""
    with task.looking(None if ManageFlag.ALL_SESSIONS in wanted else []) as house:
        known = {guid: house.event(guid) for guid in task.mirror.running()}
        running = [guid for guid, event in known.items() if event is not None and task.sees(event.club)]
        if wanted is not ManageFlag.SHUT_DOWN:
            return _managed(task, wanted, running if is_controlled else [], file)
    for event in running:
        task.change(ContinueEvent(event, (Order.SHUT_DOWN,)))
    return task.ok()


def _managed(task: Task, wanted: ManageFlag, running: Sequence[str], file: str) -> Response:
    if ManageFlag.ALL_SESSIONS in wanted:
        data_type, listed = DataType.AllSessionsInfo, _all_sessions(task)
    elif ManageFlag.RUNNING_SESSIONS in wanted:
        data_type = DataType.EventInfo
        listed = [session for event in reversed(running) for session in task.mirror.sessions(event)]
    else:
        data_type, listed = DataType.ScoringFileLocation, []
    answer = BCSManagementResponseDTO(
        EventGuid=running[-1] if running and ManageFlag.ALL_SESSIONS not in wanted else "",
        SessionInformation=[to_wire.session_info(session) for session in listed] if running else [],
        IsRunning=bool(running),
        ScoringFilePath=file if ManageFlag.SCORING_FILE in wanted else "",
        DataConnectorFilePath=file if ManageFlag.CONNECTOR_FILE in wanted else "",
    )
    return task.ok(json_text(answer), data_type)


def _all_sessions(task: Task) -> list[Session]:
    """Return every session that the caller sees, when all have been read."""
    house = task.mirror.house
    found = [house.session(guid) for guid in [*house.incarnations]]
    return [
        session
        for session in found
        if session is not None
        and (event := house.event(session.opened.event)) is not None
        and task.sees(event.club)
    ]


HANDLERS: dict[Command, Callable[[Task], Response]] = {
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
    Command.PollQueueForNewResults: poll(Kind.RESULTS),
    Command.PollQueueForNewPlayerData: poll(Kind.PLAYERS),
    Command.PollQueueForNewParticipations: poll(Kind.PARTICIPATIONS),
    Command.PollQueueForNewHandrecords: poll(Kind.HAND_RECORDS),
    Command.PollQueueForAllResults: poll(Kind.RESULTS, is_all=True),
    Command.PollQueueForAllPlayerData: poll(Kind.PLAYERS, is_all=True),
    Command.PollQueueForAllParticipations: poll(Kind.PARTICIPATIONS, is_all=True),
    Command.PollQueueForAllHandrecords: poll(Kind.HAND_RECORDS, is_all=True),
    Command.AcceptResultQueueItems: accept(Kind.RESULTS),
    Command.AcceptPlayerDataQueueItems: accept(Kind.PLAYERS),
    Command.AcceptParticipationQueueItems: accept(Kind.PARTICIPATIONS),
    Command.AcceptHandrecordQueueItems: accept(Kind.HAND_RECORDS),
    Command.ContinueEvent: continue_event,
    Command.GetMovement: get_movement,
    Command.GetAllMovements: get_all_movements,
    Command.ManageBCS: manage_bcs,
    Command.ClearData: clear_data,
    Command.PollQueueForNewTdCalls: poll(Kind.CALLS),
    Command.PollQueueForAllTdCalls: poll(Kind.CALLS, is_all=True),
    Command.AcceptTdCallQueueItems: accept(Kind.CALLS),
    Command.PutTdCalls: put_handlers.put_td_calls,
}
"""Every command that is served."""
