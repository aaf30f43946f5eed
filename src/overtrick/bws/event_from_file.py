"""A whole `.bws` file as an event: what to open, what to put into it afterwards, and what could not be taken.

Knows the format and the words of an event; decides nothing, and writes nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import date

from overtrick.bridge import Tricks
from overtrick.bws.contents import Contents, live
from overtrick.bws.hands import deal_of, tricks_of
from overtrick.bws.id_map import METHODS, Frame, Unread, frame_of
from overtrick.bws.movement import section_plan, table_plans
from overtrick.bws.players import FROM_SESSION, participations, players, seat_of
from overtrick.bws.results import contract_of, report
from overtrick.bws.rows import CallRow, CardRow, ResultRow, SessionRow, moment
from overtrick.bws.settings import settings_for
from overtrick.errors import BadInput
from overtrick.event import Command, House, OpenEvent, Rejection, Session, SessionPlan, decide
from overtrick.event.hands import HandRecord
from overtrick.event.movement import TablePlan
from overtrick.event.place import Place
from overtrick.event.recording import EnterContract, RecordCall, RecordCard, call_text, card_text
from overtrick.event.rejection import Problem, Reason
from overtrick.event.results import JudgeResult, Origin, PutResults, ResultEntry, Suspicion, find_round
from overtrick.event.settings import SettingsII, SettingsIII
from overtrick.event.setup import Generation, GroupPlan, SetStatus, Status

STATUSES = (Status.NOT_STARTED, Status.STARTED, Status.FINISHED)
"""The values 0, 1 and 2 of a session's status."""


class UnplayableFile(BadInput):
    """A file whose movement no event can have; nothing was taken from it."""

    code = "unplayable-bws"


@dataclass(frozen=True, slots=True)
class Reading:
    """What a file says, in the words of an event."""

    event: OpenEvent
    afterwards: tuple[Command, ...]
    """What was scored and recorded, to be done once the event is open."""
    unread: tuple[Unread, ...]
    rejection: Rejection | None = None
    """Why the event cannot be opened as the file has it; then nothing comes afterwards."""

    def event_with_history(self) -> OpenEvent:
        """Return the command that opens the event together with everything that was scored, all or none."""
        return replace(
            self.event,
            sessions=tuple(
                replace(
                    plan,
                    history=tuple(each for each in self.afterwards if each.session == plan.session),
                )
                for plan in self.event.sessions
            ),
        )

    def house(self) -> House:
        """The event as it stands, with everything that was scored."""
        house = House()
        decided = decide(house, self.event_with_history())
        if isinstance(decided, Rejection):
            raise UnplayableFile(str(decided))
        for entry in decided:
            house.apply(entry.stream, entry.fact)
        return house


def read_event(
    contents: Contents,
    *,
    today: date,
    guids: Mapping[int, str] | None = None,
    generation: Generation | None = None,
) -> Reading:
    """The event that a file describes, and everything that has happened in it.

    `today` is for a session without a date, and `guids` for sessions without one.
    """
    frame = frame_of(contents, guids)
    unread = list(frame.unread)
    plans = tuple(
        session_plan(contents, frame, session, today, generation, unread=unread)
        for session in frame.sessions
        if frame.sections_of(session.id)
    )
    event = OpenEvent(frame.guids[frame.sessions[0].id], plans)
    decided = decide(House(), event)
    if isinstance(decided, Rejection):
        if not plans and frame.unread:
            # Without a section that can be read there is no event; say which letters or numbers are to blame.
            decided = Rejection(tuple(Problem(Reason.NOT_ALLOWED, str(each)) for each in frame.unread))
        return Reading(event, (), tuple(unread), decided)
    house = House()
    for entry in decided:
        house.apply(entry.stream, entry.fact)
    afterwards: list[Command] = []
    for session in frame.sessions:
        opened = house.session(frame.guids[session.id])
        if opened is None:
            continue
        status = STATUSES[session.status] if 1 <= session.status < len(STATUSES) else Status.NOT_STARTED
        set_status = SetStatus(opened.opened.session, status)
        wanted: list[Command] = [set_status] if status is Status.STARTED else []
        wanted += scored(contents, frame, session, opened, unread)
        if status is Status.FINISHED:
            # Somebody has ended it with the results that it has; a session that is only started may have all.
            wanted.append(set_status)
        for command in wanted:
            # One row that the event does not take must not keep the others out.
            made = decide(house, command)
            if isinstance(made, Rejection):
                unread.append(Unread("Session", f"ID {session.id}", str(made)))
                continue
            for entry in made:
                house.apply(entry.stream, entry.fact)
            afterwards.append(command)
    return Reading(event, tuple(afterwards), tuple(unread))


def day_of(contents: Contents, session: SessionRow, today: date) -> date:
    """The day of a session: its own, or that of its first result, or today."""
    if session.day is not None:
        return session.day.date()
    logged = min((row.day for row in contents.results if row.day is not None), default=None)
    return logged.date() if logged else today


def session_plan(
    contents: Contents,
    frame: Frame,
    session: SessionRow,
    today: date,
    generation: Generation | None = None,
    *,
    unread: list[Unread],
) -> SessionPlan:
    """One session of a file, as an event opens it."""
    ids = frame.sections_of(session.id)
    sections: dict[str, tuple[TablePlan, ...]] = {}
    plans = []
    tables = table_plans(contents, frame, session.id, unread)
    for id in ids:
        letters = frame.letters[id]
        sections[letters] = tuple(tables.get(id, ()))
        plans.append((section_plan(contents, frame, id, unread), sections[letters]))
    seated = participations(contents, frame, sections, unread)
    settings = tuple(read_settings(contents, frame, ids, unread))
    second = {letters: each for letters, each in settings if isinstance(each, SettingsII)}
    sources = {second.get(letters, SettingsII()).name_source for letters in sections}
    # Moving across the field and returning home are the whole server's: the first session's word counts.
    first = frame.sessions[0]
    return SessionPlan(
        frame.guids[session.id],
        session.name or contents.name,
        day_of(contents, session, today),
        groups_of(frame, session.id),
        tuple(plans),
        session.starts.time() if session.starts else None,
        session.shown_in_app,
        first.across_field,
        first.ew_return_home,
        generation,
        players(contents, seated, unread, takes_loaded=not sources.isdisjoint(FROM_SESSION)),
        seated,
        hand_records(contents, frame, ids, unread),
        settings,
    )


def groups_of(frame: Frame, session: int) -> tuple[GroupPlan, ...]:
    """The scoring groups of a session."""
    found: dict[int, list[int]] = {}
    for id in frame.sections_of(session):
        found.setdefault(frame.groups[id], []).append(id)
    return tuple(
        GroupPlan(
            number,
            METHODS.get(frame.sections[number].scoring_type, METHODS[1]),
            "",
            tuple(frame.letters[id] for id in ids),
        )
        for number, ids in sorted(found.items())
    )


def hand_records(
    contents: Contents, frame: Frame, ids: list[int], unread: list[Unread]
) -> tuple[HandRecord, ...]:
    """One hand record for each board of a scoring group; sections of a group that differ are told."""
    tricks: dict[tuple[int, int], Tricks] = {}
    for row in contents.evaluations:
        try:
            tricks.setdefault((row.section, row.board), tricks_of(row))
        except BadInput as bad:
            if row.section in ids:
                unread.append(Unread("HandEvaluation", f"section {row.section}, board {row.board}", str(bad)))
    found: dict[tuple[int, int], HandRecord] = {}
    for row in contents.hand_records:
        where = f"section {row.section}, board {row.board}"
        if row.section not in frame.letters:
            unread.append(Unread("HandRecord", where, "There is no such section."))
            continue
        if row.section not in ids:
            continue
        key = frame.groups[row.section], row.board
        try:
            deal = deal_of(row)
            if row.board < 1:
                raise BadInput("A board has a number above zero.")
        except BadInput as bad:
            unread.append(Unread("HandRecord", where, str(bad)))
            continue
        if key not in found:
            found[key] = HandRecord(*key, deal, tricks.get((row.section, row.board)))
        elif found[key].deal != deal:
            unread.append(
                Unread(
                    "HandRecord",
                    where,
                    "Another section that scores with this one has another deal; the first counts.",
                )
            )
    return tuple(found.values())


def read_settings(
    contents: Contents, frame: Frame, ids: list[int], unread: list[Unread]
) -> Iterator[tuple[str, SettingsII | SettingsIII]]:
    """The settings of each section, by generation."""
    for id in ids:
        found = settings_for(contents.settings, id)
        unread += [Unread("Settings", f"section {id}", sentence) for sentence in found.sentences]
        for settings in (found.second, found.third):
            if settings is not None:
                yield frame.letters[id], settings


# What was scored --------------------------------------------------------------------------------------------


def scored(
    contents: Contents, frame: Frame, row: SessionRow, session: Session, unread: list[Unread]
) -> Iterator[Command]:
    """The commands that put what was scored and recorded into a session that is open."""
    guid, day = session.opened.session, session.opened.day
    ids = set(frame.sections_of(row.id))
    results = list(_scored_results(contents, frame, row, session, unread))
    if results:
        # The pairs are the movement's, which was just compared with them.
        yield PutResults(
            guid, tuple(replace(result.entry, ns=None, ew=None) for result in results), Origin.FILE
        )
    for result in results:
        if result.suspicion is not Suspicion.NONE:
            yield JudgeResult(guid, *result.place, result.suspicion)
    has_result = {result.place for result in results}
    for pending in live(contents.contracts).values():
        if pending.section in ids:
            entered = contract_command(pending, frame, day)
            if isinstance(entered, Unread) or entered.place not in has_result:
                yield from _in_movement(entered, "IntermediateData", pending.id, session, unread)
    for recorded in (*by_id(contents.calls), *by_id(contents.cards)):
        if recorded.section in ids:
            command = recorded_command(recorded, frame, day)
            yield from _in_movement(command, _recorded_table(recorded), recorded.id, session, unread)


def _scored_results(
    contents: Contents, frame: Frame, row: SessionRow, session: Session, unread: list[Unread]
) -> Iterator[ReadResult]:
    """Yield the standing results of a session that fit its movement."""
    ids = set(frame.sections_of(row.id))
    first = row.id == frame.sessions[0].id
    for result in contents.standing().values():
        if result.section not in ids:
            if first and result.section not in frame.letters:
                unread.append(Unread("ReceivedData", f"ID {result.id}", "There is no such section."))
            continue
        made = result_entry(result, frame, session.opened.day)
        if isinstance(made, Unread):
            unread.append(made)
        elif misfit := misplaced(made.entry, session):
            unread.append(Unread("ReceivedData", f"ID {result.id}", f"{misfit} The result was left out."))
        else:
            if made.doubt:
                unread.append(Unread("ReceivedData", f"ID {result.id}", f"{made.doubt} The result counts."))
            yield made


def _in_movement(
    made: EnterContract | RecordCall | RecordCard | Unread,
    table: str,
    id: int,
    session: Session,
    unread: list[Unread],
) -> Iterator[Command]:
    """Yield the command of a row, unless it could not be read or the movement has no such place."""
    if isinstance(made, Unread):
        unread.append(made)
    elif isinstance(problem := find_round(session, made.place), Problem):
        unread.append(Unread(table, f"ID {id}", problem.sentence))
    else:
        yield made


def by_id(rows: tuple[CallRow, ...] | tuple[CardRow, ...]) -> list[CallRow | CardRow]:
    """Recorded calls or cards in the order in which they came."""
    return sorted(rows, key=lambda row: row.id)


@dataclass(frozen=True, slots=True)
class ReadResult:
    """A result as a row gives it."""

    entry: ResultEntry
    suspicion: Suspicion
    doubt: str = ""

    @property
    def place(self) -> Place:
        """Where it is at home."""
        return self.entry.place


def result_entry(row: ResultRow, frame: Frame, day: date) -> ReadResult | Unread:
    """A row as a result, or why it can be none; `day` is for a row that does not say its own."""
    where = f"ID {row.id}"
    if row.section not in frame.letters:
        return Unread("ReceivedData", where, "There is no such section.")
    try:
        reported = report(row)
    except BadInput as bad:
        return Unread("ReceivedData", where, f"{bad} The result was left out.")
    entry = ResultEntry(
        frame.letters[row.section],
        row.table,
        row.round,
        row.board,
        reported.outcome,
        moment(row.day, row.at, day),
        lead=reported.lead,
        is_wrong_direction=reported.is_wrong_direction,
        ns=row.ns or None,
        ew=row.ew or None,
    )
    return ReadResult(entry, reported.suspicion, reported.doubt)


def misplaced(entry: ResultEntry, session: Session) -> str:
    """Why a result does not belong where it says, or nothing."""
    played = find_round(session, entry.place)
    if isinstance(played, Problem):
        return played.sentence
    if (entry.ns or played.ns, entry.ew or played.ew) != (played.ns, played.ew):
        return f"It is for pairs {entry.ns} and {entry.ew}, but {played.ns} and {played.ew} meet there."
    return ""


def contract_command(row: ResultRow, frame: Frame, day: date) -> EnterContract | Unread:
    """A contract before its result as a command, or why it can be none."""
    where = f"ID {row.id}"
    if row.section not in frame.letters:
        return Unread("IntermediateData", where, "There is no such section.")
    try:
        contract, lead = contract_of(row)
    except BadInput as bad:
        return Unread("IntermediateData", where, str(bad))
    return EnterContract(
        frame.guid_of(row.section),
        frame.letters[row.section],
        row.table,
        row.round,
        row.board,
        contract,
        moment(row.day, row.at, day),
        lead,
    )


def recorded_command(row: CallRow | CardRow, frame: Frame, day: date) -> RecordCall | RecordCard | Unread:
    """A recorded call or card as a command, or why it can be none."""
    table, where = _recorded_table(row), f"ID {row.id}"
    if row.section not in frame.letters:
        return Unread(table, where, "There is no such section.")
    place = frame.place_of(row)
    seat = seat_of(row.direction)
    if seat is None:
        return Unread(table, where, f"{row.direction!r} is no direction.")
    at = moment(row.day, row.at, day)
    guid = frame.guid_of(row.section)
    try:
        if isinstance(row, CallRow):
            return RecordCall(guid, *place, row.counter, seat, call_text(row.call), at, row.erased)
        return RecordCard(guid, *place, row.counter, seat, card_text(row.card), at, row.erased)
    except BadInput as bad:
        return Unread(table, where, str(bad))


def _recorded_table(row: CallRow | CardRow) -> str:
    return "BiddingData" if isinstance(row, CallRow) else "PlayData"
