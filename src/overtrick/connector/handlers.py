"""One handler for each command: what it reads, what it refuses, what it has done and what it answers.

Those of what is put into a session are in `putting`; how DTOs are read and judged is in `given`.
"""

import os
from collections.abc import Callable, Collection, Generator, Mapping, Sequence
from pathlib import Path

from overtrick.connector import inbound, outbound, putting, updating
from overtrick.connector.given import judged, many, one, own, sound
from overtrick.connector.inbound import Misfit
from overtrick.connector.queue import Item, Kind, payload
from overtrick.connector.task import APART, DONE, Change, Next, Outcome, Steps, Task
from overtrick.connector.wire import event_rules, rules
from overtrick.connector.wire.checks import is_blank
from overtrick.connector.wire.envelope import Request, Response, json_text
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
from overtrick.connector.wire.reading import Malformed, letting_go, read_one
from overtrick.connector.words import orders
from overtrick.event import AddSession, ContinueEvent, OpenEvent, Session
from overtrick.event.house import Order
from overtrick.event.setup import ClearQueues

# The channel ------------------------------------------------------------------------------------------------


def connect(task: Task) -> Steps:
    """Nothing to do: whoever asks is connected."""
    return task.ok()
    yield


def echo(request: Request) -> Response:
    """What was sent comes back."""
    sent = request.payload
    payload = "" if sent is None else sent if isinstance(sent, str) else json_text(sent)
    return Response(request.command, DataType.OK, payload, session=request.session)


def ping(task: Task) -> Steps:
    """Whether someone is there."""
    return echo(task.request)
    yield


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


def initialize_event(task: Task) -> Steps:
    """Open an event; everything that was there of its sessions stays readable, and is not theirs any more."""
    task.no_session()
    dto = one(
        task,
        InitDTO,
        lambda dto: _leads_out(task, dto.AlternativeDataFolder) or event_rules.init_problems(dto),
    )
    with letting_go(dto):
        command = inbound.open_event(dto, _club(task, dto.ClubId))
    sessions = {plan.session for plan in command.sessions}
    yield from task.catch_up(sessions)
    house = task.mirror.house
    for plan in command.sessions:
        before = house.session(plan.session)
        if before is not None and not task.sees(house.events[before.opened.event].club):
            raise Misfit(ErrorType.Validation, f"Session {plan.session} belongs to another club.")
    if command.event in house.events and not task.sees(house.events[command.event].club):
        raise Misfit(ErrorType.Validation, f"Event {command.event} belongs to another club.")
    if not _is_opened_by(task, command):
        yield from task.change(command)
        yield from task.catch_up(sessions)  # whoever comes next may not see them any more
    if dto.Commands & StartFlag.CLEAR_DATA:
        yield from _clear(task, sessions)
    task.ground.ordered(command.orders)
    return task.ok()


def _is_opened_by(task: Task, event: OpenEvent) -> bool:
    """Whether these bytes opened the event, and nothing has happened in its sessions since.

    Opening is the one change that is never without effect, so it has to be known when it is only sent again.
    """
    streams = [task.mirror.house.stream(plan.session) for plan in event.sessions]
    return task.is_resent() and all(
        stream is not None and task.mirror.is_all_from(stream, task.digest) for stream in streams
    )


_CONTINUING = (
    StartFlag.START
    | StartFlag.START_READING
    | StartFlag.MINIMIZE
    | StartFlag.AUTO_SHUTDOWN
    | StartFlag.CLEAR_DATA
)


def continue_event(task: Task) -> Steps:
    """Take up an event again."""
    task.no_session()
    dto = one(
        task,
        ContinueDTO,
        lambda dto: _leads_out(task, dto.AlternativeDataFolder) or event_rules.continue_problems(dto),
    )
    if dto.Commands & ~int(_CONTINUING):
        raise Misfit(
            ErrorType.Validation,
            f"Commands is {dto.Commands}, and only 1, 4, 16, 32 and 128 are for an old event.",
        )
    yield from task.catch_up([])
    event = dto.EventGuid or ""
    known = task.mirror.house.events.get(event)
    if known is None or not task.sees(known.club):
        raise Misfit(ErrorType.EntryUnknown, f"There is no event {event or 'without an EventGuid'}.")
    yield from task.change(ContinueEvent(event, orders(dto.Commands)))
    if dto.Commands & StartFlag.CLEAR_DATA:
        yield from _clear(task)
    task.ground.ordered(orders(dto.Commands))
    return task.ok()


class SessionToAdd(AddSessionDTO, SessionDTO):
    """What an AddSession may carry: the guide has an AddSessionDTO in one place, and a SessionDTO in another."""


def _read_added(task: Task) -> AddSessionDTO:
    """Either is taken: clients before 5.0 send the SessionDTO."""
    given = one(task, SessionToAdd, lambda _: [])
    dto: AddSessionDTO = given
    if given.Session is None and given.ScoringGroups is not None:
        session = SessionDTO.model_construct(
            **{name: getattr(given, name) for name in SessionDTO.model_fields}
        )
        dto = AddSessionDTO(EventGuid=given.EventGuid, Session=session)
    judged(dto, event_rules.add_session_problems(dto))
    # Those clients name the session, too, where the event belongs.
    if task.request.session not in (dto.EventGuid, dto.Session and dto.Session.SessionGuid):
        raise Misfit(ErrorType.Validation, "The request's SessionGuid has to be the EventGuid of the event.")
    return dto


def add_session(task: Task) -> Steps:
    """Add a session to an event; the request names the event."""
    dto = _read_added(task)
    assert dto.Session is not None
    with letting_go(dto):
        plan = inbound.session_plan(
            dto.Session,
            people=dto.PlayerData or [],
            seats=dto.Participations or [],
            records=dto.Handrecords or [],
            units=[*(dto.Bridgemate2Settings or []), *(dto.Bridgemate3Settings or [])],
        )
    yield from task.catch_up([])
    known = task.mirror.house.events.get(dto.EventGuid or "")
    if known is None or not task.sees(known.club):
        raise Misfit(ErrorType.EntryUnknown, f"There is no event {dto.EventGuid}.")
    yield from task.change(AddSession(dto.EventGuid or "", plan))
    return task.ok()


def clear_data(task: Task) -> Steps:
    """Let nothing that is queued count any more, for the caller's club; over the pipe, for all."""
    yield from _clear(task)
    return task.ok()


def _clear(task: Task, spared: Collection[str] = ()) -> Generator[Change | Next, Outcome, None]:
    yield from task.catch_up()
    house = task.mirror.house
    club = "" if task.caller.is_local else task.request.club
    for guid in list(house.incarnations):
        session = house.session(guid)
        if guid in spared or session is None or not task.sees(house.events[session.opened.event].club):
            continue
        yield from task.change(ClearQueues(guid, club))


# Movement ---------------------------------------------------------------------------------------------------


def _read_movement(task: Task) -> SectionDTO | SectionUpdateDTO:
    """The guide sends a SectionDTO in one place and a SectionUpdateDTO in another: either is taken."""
    if task.request.is_empty:
        raise Malformed(ErrorType.NoData, "UpdateMovement needs a SectionUpdateDTO.")
    update = read_one(SectionUpdateDTO, task.request.payload)
    if "ScoringGroupScoringMethod" in update.model_fields_set or update.IsDeleted:
        return judged(update, rules.section_update_problems(update) + own(task, update))
    # It has all that a section has, and more that does not count in one.
    section = SectionDTO.model_construct(**{name: getattr(update, name) for name in SectionDTO.model_fields})
    return judged(section, rules.section_problems(section) + own(task, section))


def update_movement(task: Task) -> Steps:
    """Change a section, and answer which rounds that changed."""
    dto = _read_movement(task)
    with letting_go(dto):
        wanted = updating.wanted_section(dto)
    session = yield from task.session()
    yield from task.change(updating.update_movement(session, wanted))
    facts = yield from task.changed()
    session = yield from task.session()
    seen = outbound.see(session, dto.Letters or "")
    yield APART
    return task.ok(json_text(outbound.changed_rounds(seen, facts)), DataType.Movement)


def update_scoring_groups(task: Task) -> Steps:
    """Change scoring groups, and which sections are in them."""
    plans = many(task, ScoringGroupDTO, rules.scoring_group_problems, updating.groups)
    session = yield from task.session()
    yield from task.change(updating.set_groups(session, plans))
    return task.ok()


def get_movement(task: Task) -> Steps:
    """The movement of one section."""
    if task.request.is_empty:
        raise Malformed(ErrorType.NoData, "GetMovement needs a SectionDTO with its Letters.")
    dto = read_one(SectionDTO, task.request.payload)
    if dto.SessionGuid is not None:
        sound(own(task, dto))
    session = yield from task.session()
    if dto.Letters not in session.setup.sections:
        raise Misfit(ErrorType.Movement, f"There is no section {dto.Letters or ''}.")
    seen = outbound.see(session, dto.Letters or "")
    yield APART
    return task.ok(json_text(outbound.movement(seen)), DataType.Movement)


def get_all_movements(task: Task) -> Steps:
    """The movements of every section."""
    session = yield from task.session()
    seen = [outbound.see(session, letters) for letters in sorted(session.setup.sections)]
    yield APART
    return task.ok(json_text([outbound.movement(section) for section in seen]), DataType.Sessions)


# Queues -----------------------------------------------------------------------------------------------------


def poll_new(kind: Kind) -> Callable[[Task], Steps]:
    """What has come since the last accepted item."""

    def poll(task: Task) -> Steps:
        yield from task.session()
        stream, club = task.stream(), task.request.club
        marks = task.mirror.marks.of(club, stream)
        queue = task.mirror.queue(stream)
        found = queue.new(kind, marks.get(kind.mark, 0), club)
        return (yield from _polled(task, kind, found, marks))

    return poll


def poll_all(kind: Kind) -> Callable[[Task], Steps]:
    """Everything that stands, accepted or not."""

    def poll(task: Task) -> Steps:
        yield from task.session()
        stream, club = task.stream(), task.request.club
        marks = task.mirror.marks.of(club, stream)
        found = task.mirror.queue(stream).all(kind, club)
        return (yield from _polled(task, kind, found, marks))

    return poll


def _polled(task: Task, kind: Kind, found: Sequence[Item], marks: Mapping[str, int]) -> Steps:
    """The items, and, before they go out, that they were offered."""
    last = max((item.id for item in found), default=marks.get(kind.mark, 0))
    if last > marks.get(kind.offered, 0):
        yield from _mark(task, kind.offered, last)
    data_type: DataType = kind.value
    return task.ok(payload(found), data_type, last)


def _mark(task: Task, queue: str, position: int) -> Generator[Next, Outcome, None]:
    """Move a mark, which may have to wait until somebody else has written something long."""
    marks, stream = task.mirror.marks, task.stream()
    yield APART
    marks.move(task.request.club, stream, queue, position)


def accept(kind: Kind) -> Callable[[Task], Steps]:
    """Up to this item everything was taken in: as far as it was offered, since an id may be of another session."""

    def accepting(task: Task) -> Steps:
        if task.request.is_empty:
            raise Malformed(ErrorType.NoData, f"{task.request.command.name} needs the id of an item.")
        last = task.request.payload
        if isinstance(last, bool) or not isinstance(last, int):
            raise Malformed(ErrorType.WrongDataType, "The id of an item is a whole number.")
        yield from task.session()
        stream, club = task.stream(), task.request.club
        marks = task.mirror.marks.of(club, stream)
        wanted = min(last, marks.get(kind.offered, 0))
        if wanted > marks.get(kind.mark, 0):
            yield from _mark(task, kind.mark, wanted)
        return task.ok(DONE)

    return accepting


# The control side -------------------------------------------------------------------------------------------


def manage_bcs(task: Task) -> Steps:
    """Answer what is running, where it is kept, or have it stop."""
    dto = one(task, BCSManagementRequestDTO, event_rules.manage_problems)
    yield from task.catch_up()
    house = task.mirror.house
    running = [event for event in task.mirror.running() if task.sees(house.events[event].club)]
    wanted = ManageFlag(dto.Command)
    if wanted is ManageFlag.SHUT_DOWN:
        for event in running:
            yield from task.change(ContinueEvent(event, (Order.SHUT_DOWN,)))
        return task.ok()
    if not task.ground.is_controlled():
        running = []
    if ManageFlag.ALL_SESSIONS in wanted:
        data_type, listed = DataType.AllSessionsInfo, _all_sessions(task)
    elif ManageFlag.RUNNING_SESSIONS in wanted:
        data_type = DataType.EventInfo
        listed = [session for event in reversed(running) for session in task.mirror.sessions(event)]
    else:
        data_type, listed = DataType.ScoringFileLocation, []
    file = task.ground.scoring_file
    answer = BCSManagementResponseDTO(
        EventGuid=running[-1] if running and ManageFlag.ALL_SESSIONS not in wanted else "",
        SessionInformation=[outbound.session_info(session) for session in listed] if running else [],
        IsRunning=bool(running),
        ScoringFilePath=file if ManageFlag.SCORING_FILE in wanted else "",
        DataConnectorFilePath=file if ManageFlag.CONNECTOR_FILE in wanted else "",
    )
    return task.ok(json_text(answer), data_type)


def _all_sessions(task: Task) -> list[Session]:
    house = task.mirror.house
    found = [house.session(guid) for guid in house.incarnations]
    return [
        session
        for session in found
        if session is not None and task.sees(house.events[session.opened.event].club)
    ]


HANDLERS: dict[Command, Callable[[Task], Steps]] = {
    Command.Connect: connect,
    Command.Disconnect: connect,
    Command.Ping: ping,
    Command.InitializeEvent: initialize_event,
    Command.UpdateMovement: update_movement,
    Command.AddSession: add_session,
    Command.UpdateScoringGroups: update_scoring_groups,
    Command.PutResults: putting.put_results,
    Command.PutPlayerData: putting.put_player_data,
    Command.PutParticipations: putting.put_participations,
    Command.PutHandrecords: putting.put_handrecords,
    Command.PutBridgemate2Settings: putting.put_settings,
    Command.PutBridgemate3Settings: putting.put_settings,
    Command.PollQueueForNewResults: poll_new(Kind.RESULTS),
    Command.PollQueueForNewPlayerData: poll_new(Kind.PLAYERS),
    Command.PollQueueForNewParticipations: poll_new(Kind.PARTICIPATIONS),
    Command.PollQueueForNewHandrecords: poll_new(Kind.HAND_RECORDS),
    Command.PollQueueForAllResults: poll_all(Kind.RESULTS),
    Command.PollQueueForAllPlayerData: poll_all(Kind.PLAYERS),
    Command.PollQueueForAllParticipations: poll_all(Kind.PARTICIPATIONS),
    Command.PollQueueForAllHandrecords: poll_all(Kind.HAND_RECORDS),
    Command.AcceptResultQueueItems: accept(Kind.RESULTS),
    Command.AcceptPlayerDataQueueItems: accept(Kind.PLAYERS),
    Command.AcceptParticipationQueueItems: accept(Kind.PARTICIPATIONS),
    Command.AcceptHandrecordQueueItems: accept(Kind.HAND_RECORDS),
    Command.ContinueEvent: continue_event,
    Command.GetMovement: get_movement,
    Command.GetAllMovements: get_all_movements,
    Command.ManageBCS: manage_bcs,
    Command.ClearData: clear_data,
    Command.PollQueueForNewTdCalls: poll_new(Kind.CALLS),
    Command.PollQueueForAllTdCalls: poll_all(Kind.CALLS),
    Command.AcceptTdCallQueueItems: accept(Kind.CALLS),
    Command.PutTdCalls: putting.put_td_calls,
}
"""Every command that is served."""
