"""A whole `.bws` file as an event: the command that opens it, the commands that follow, and what could not be read.

Read-only; the event decides about the commands.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import date

from overtrick.bridge import Tricks
from overtrick.bws.contents import Contents, newest_by_board
from overtrick.bws.hands import deal_of, tricks_of
from overtrick.bws.id_map import METHODS, IdMap, ReadProblem, build_id_map
from overtrick.bws.movement import section_plan, table_plans
from overtrick.bws.players import FROM_SESSION, participations, players, seat_of
from overtrick.bws.results import contract_of, read_result
from overtrick.bws.rows import CallRow, CardRow, ResultRow, SessionRow, log_datetime
from overtrick.bws.settings import settings_for
from overtrick.errors import BadInput
from overtrick.event import Command, JournalState, OpenEvent, Rejection, Session, SessionPlan, decide
from overtrick.event.hands import HandRecord
from overtrick.event.movement import TablePlan
from overtrick.event.place import Place
from overtrick.event.recording import EnterContract, RecordCall, RecordCard, call_text, card_text
from overtrick.event.rejection import Problem, Reason
from overtrick.event.results import JudgeResult, Origin, PutResults, ResultEntry, Suspicion, find_round
from overtrick.event.settings import SettingsII, SettingsIII
from overtrick.event.setup import Generation, GroupPlan, SetStatus, Status

STATUSES = (Status.NOT_STARTED, Status.STARTED, Status.FINISHED)
"""The session status for the values 0, 1 and 2."""


class UnplayableFile(BadInput):
    """A file whose movement is not possible in an event; nothing was imported."""

    code = "unplayable-bws"


@dataclass(frozen=True, slots=True)
class EventFromFile:
    """The content of a file as commands of an event."""

    event: OpenEvent
    afterwards: tuple[Command, ...]
    """The results and recordings, as commands for the open event."""
    problems: tuple[ReadProblem, ...]
    rejection: Rejection | None = None
    """The reason why the event cannot be opened as the file has it; then `afterwards` is empty."""

    def event_with_history(self) -> OpenEvent:
        """Return the command that opens the event together with everything that was scored, all or none."""
        return replace(
            self.event,
            sessions=tuple(
                replace(
                    plan,
                    history=tuple(command for command in self.afterwards if command.session == plan.session),
                )
                for plan in self.event.sessions
            ),
        )

    def journal_state(self) -> JournalState:
        """Return the event's state with everything that was scored."""
        journal_state = JournalState()
        decided = decide(journal_state, self.event_with_history())
        if isinstance(decided, Rejection):
            raise UnplayableFile(str(decided))
        for entry in decided:
            journal_state.apply(entry.stream, entry.fact)
        return journal_state


def read_event(
    contents: Contents,
    *,
    today: date,
    generation: Generation | None = None,
) -> EventFromFile:
    """Return the event that a file describes, and everything that has happened in it.

    `today` is for a session without a date.
    """
    id_map = build_id_map(contents)
    problems = list(id_map.problems)
    plans = tuple(
        session_plan(contents, id_map, session, today, generation, problems=problems)
        for session in id_map.sessions
        if id_map.sections_of(session.id)
    )
    event = OpenEvent(id_map.guids[id_map.sessions[0].id], plans)
    decided = decide(JournalState(), event)
    if isinstance(decided, Rejection):
        if not plans and id_map.problems:
            # Without a section that can be read there is no event; say which letters or numbers are to blame.
            decided = Rejection(
                tuple(Problem(Reason.NOT_ALLOWED, str(problem)) for problem in id_map.problems)
            )
        return EventFromFile(event, (), tuple(problems), decided)
    journal_state = JournalState()
    for entry in decided:
        journal_state.apply(entry.stream, entry.fact)
    afterwards: list[Command] = []
    for session in id_map.sessions:
        opened_session = journal_state.session(id_map.guids[session.id])
        if opened_session is None:
            continue
        status = STATUSES[session.status] if 1 <= session.status < len(STATUSES) else Status.NOT_STARTED
        set_status = SetStatus(opened_session.opened.session, status)
        commands: list[Command] = [set_status] if status is Status.STARTED else []
        commands += scoring_commands(contents, id_map, session, opened_session, problems)
        if status is Status.FINISHED:
            # Somebody has ended it with the results that it has; a session that is only started may have all.
            commands.append(set_status)
        for command in commands:
            # One row that the event rejects must not keep the others out.
            outcome = decide(journal_state, command)
            if isinstance(outcome, Rejection):
                problems.append(ReadProblem("Session", f"ID {session.id}", str(outcome)))
                continue
            for entry in outcome:
                journal_state.apply(entry.stream, entry.fact)
            afterwards.append(command)
    return EventFromFile(event, tuple(afterwards), tuple(problems))


def day_of(contents: Contents, session: SessionRow, today: date) -> date:
    """Return the day of a session: its own, or that of its first result, or today."""
    if session.day is not None:
        return session.day.date()
    logged = min((row.day for row in contents.results if row.day is not None), default=None)
    return logged.date() if logged else today


def session_plan(
    contents: Contents,
    id_map: IdMap,
    session: SessionRow,
    today: date,
    generation: Generation | None = None,
    *,
    problems: list[ReadProblem],
) -> SessionPlan:
    """Return the plan of one session of a file."""
    ids = id_map.sections_of(session.id)
    sections: dict[str, tuple[TablePlan, ...]] = {}
    plans = []
    tables = table_plans(contents, id_map, session.id, problems)
    for id in ids:
        letters = id_map.letters[id]
        sections[letters] = tuple(tables.get(id, ()))
        plans.append((section_plan(contents, id_map, id, problems), sections[letters]))
    seated = participations(contents, id_map, sections, problems)
    settings = tuple(read_settings(contents, id_map, ids, problems))
    settings_ii = {
        letters: section_settings
        for letters, section_settings in settings
        if isinstance(section_settings, SettingsII)
    }
    sources = {settings_ii.get(letters, SettingsII()).name_source for letters in sections}
    # Moving across the field and returning home apply to all sessions of a file: the first session decides.
    first_session = id_map.sessions[0]
    return SessionPlan(
        id_map.guids[session.id],
        session.name or contents.name,
        day_of(contents, session, today),
        groups_of(id_map, session.id),
        tuple(plans),
        session.starts.time() if session.starts else None,
        session.shown_in_app,
        first_session.across_field,
        first_session.ew_return_home,
        generation,
        players(contents, seated, problems, with_loaded_names=not sources.isdisjoint(FROM_SESSION)),
        seated,
        hand_records(contents, id_map, ids, problems),
        settings,
    )


def groups_of(id_map: IdMap, session: int) -> tuple[GroupPlan, ...]:
    """Return the scoring groups of a session."""
    groups: dict[int, list[int]] = {}
    for id in id_map.sections_of(session):
        groups.setdefault(id_map.groups[id], []).append(id)
    return tuple(
        GroupPlan(
            number,
            METHODS.get(id_map.sections[number].scoring_type, METHODS[1]),
            "",
            tuple(id_map.letters[id] for id in ids),
        )
        for number, ids in sorted(groups.items())
    )


def hand_records(
    contents: Contents, id_map: IdMap, ids: list[int], problems: list[ReadProblem]
) -> tuple[HandRecord, ...]:
    """Return one hand record for each board of a scoring group; report sections of a group that differ."""
    tricks: dict[tuple[int, int], Tricks] = {}
    for row in contents.evaluations:
        try:
            tricks.setdefault((row.section, row.board), tricks_of(row))
        except BadInput as bad:
            if row.section in ids:
                problems.append(
                    ReadProblem("HandEvaluation", f"section {row.section}, board {row.board}", str(bad))
                )
    records: dict[tuple[int, int], HandRecord] = {}
    for row in contents.hand_records:
        where = f"section {row.section}, board {row.board}"
        if row.section not in id_map.letters:
            problems.append(ReadProblem("HandRecord", where, "There is no such section."))
            continue
        if row.section not in ids:
            continue
        key = id_map.groups[row.section], row.board
        try:
            deal = deal_of(row)
            if row.board < 1:
                raise BadInput("The board number must be above zero.")
        except BadInput as bad:
            problems.append(ReadProblem("HandRecord", where, str(bad)))
            continue
        if key not in records:
            records[key] = HandRecord(*key, deal, tricks.get((row.section, row.board)))
        elif records[key].deal != deal:
            problems.append(
                ReadProblem(
                    "HandRecord",
                    where,
                    "Another section that scores with this one has another deal; the first counts.",
                )
            )
    return tuple(records.values())


def read_settings(
    contents: Contents, id_map: IdMap, ids: list[int], problems: list[ReadProblem]
) -> Iterator[tuple[str, SettingsII | SettingsIII]]:
    """Yield the settings of each section, by generation."""
    for id in ids:
        row = settings_for(contents.settings, id)
        problems += [ReadProblem("Settings", f"section {id}", sentence) for sentence in row.sentences]
        for settings in (row.second, row.third):
            if settings is not None:
                yield id_map.letters[id], settings


# What was scored --------------------------------------------------------------------------------------------


def scoring_commands(
    contents: Contents, id_map: IdMap, row: SessionRow, session: Session, problems: list[ReadProblem]
) -> Iterator[Command]:
    """Yield the commands that put results and recordings into an open session."""
    guid, day = session.opened.session, session.opened.day
    ids = set(id_map.sections_of(row.id))
    results = list(_scored_results(contents, id_map, row, session, problems))
    if results:
        # The pairs are the movement's, which was just compared with them.
        yield PutResults(
            guid, tuple(replace(result.entry, ns=None, ew=None) for result in results), Origin.FILE
        )
    for result in results:
        if result.suspicion is not Suspicion.NONE:
            yield JudgeResult(guid, *result.place, result.suspicion)
    has_result = {result.place for result in results}
    for pending in newest_by_board(contents.contracts).values():
        if pending.section in ids:
            entered = contract_command(pending, id_map, day)
            if isinstance(entered, ReadProblem) or entered.place not in has_result:
                yield from _in_movement(entered, "IntermediateData", pending.id, session, problems)
    for recorded in (*by_id(contents.calls), *by_id(contents.cards)):
        if recorded.section in ids:
            command = recorded_command(recorded, id_map, day)
            yield from _in_movement(command, _recorded_table(recorded), recorded.id, session, problems)


def _scored_results(
    contents: Contents, id_map: IdMap, row: SessionRow, session: Session, problems: list[ReadProblem]
) -> Iterator[ReadResult]:
    """Yield the standing results of a session that fit its movement."""
    ids = set(id_map.sections_of(row.id))
    is_first_session = row.id == id_map.sessions[0].id
    for result in contents.standing().values():
        if result.section not in ids:
            if is_first_session and result.section not in id_map.letters:
                problems.append(ReadProblem("ReceivedData", f"ID {result.id}", "There is no such section."))
            continue
        reading = result_entry(result, id_map, session.opened.day)
        if isinstance(reading, ReadProblem):
            problems.append(reading)
        elif misfit := movement_misfit(reading.entry, session):
            problems.append(
                ReadProblem("ReceivedData", f"ID {result.id}", f"{misfit} The result was left out.")
            )
        else:
            if reading.doubt:
                problems.append(
                    ReadProblem("ReceivedData", f"ID {result.id}", f"{reading.doubt} The result counts.")
                )
            yield reading


def _in_movement(
    command: EnterContract | RecordCall | RecordCard | ReadProblem,
    table: str,
    id: int,
    session: Session,
    problems: list[ReadProblem],
) -> Iterator[Command]:
    """Yield the command of a row, unless it could not be read or the movement has no such place."""
    if isinstance(command, ReadProblem):
        problems.append(command)
    elif isinstance(problem := find_round(session, command.place), Problem):
        problems.append(ReadProblem(table, f"ID {id}", problem.sentence))
    else:
        yield command


def by_id(rows: tuple[CallRow, ...] | tuple[CardRow, ...]) -> list[CallRow | CardRow]:
    """Return recorded calls or cards in the order of their IDs."""
    return sorted(rows, key=lambda row: row.id)


@dataclass(frozen=True, slots=True)
class ReadResult:
    """A result as read from a row."""

    entry: ResultEntry
    suspicion: Suspicion
    doubt: str = ""

    @property
    def place(self) -> Place:
        """Return the section, table, round and board."""
        return self.entry.place


def result_entry(row: ResultRow, id_map: IdMap, day: date) -> ReadResult | ReadProblem:
    """Convert a row to a result, or to the problem that prevents it; `day` is for a row without a date."""
    where = f"ID {row.id}"
    if row.section not in id_map.letters:
        return ReadProblem("ReceivedData", where, "There is no such section.")
    try:
        reported = read_result(row)
    except BadInput as bad:
        return ReadProblem("ReceivedData", where, f"{bad} The result was left out.")
    entry = ResultEntry(
        id_map.letters[row.section],
        row.table,
        row.round,
        row.board,
        reported.outcome,
        log_datetime(row.day, row.at, day),
        lead=reported.lead,
        is_wrong_direction=reported.is_wrong_direction,
        ns=row.ns or None,
        ew=row.ew or None,
    )
    return ReadResult(entry, reported.suspicion, reported.doubt)


def movement_misfit(entry: ResultEntry, session: Session) -> str:
    """Return the reason why a result does not fit the movement; empty if it does."""
    played = find_round(session, entry.place)
    if isinstance(played, Problem):
        return played.sentence
    if (entry.ns or played.ns, entry.ew or played.ew) != (played.ns, played.ew):
        return f"It is for pairs {entry.ns} and {entry.ew}, but {played.ns} and {played.ew} meet there."
    return ""


def contract_command(row: ResultRow, id_map: IdMap, day: date) -> EnterContract | ReadProblem:
    """Convert a contract without a result to a command, or to the problem that prevents it."""
    where = f"ID {row.id}"
    if row.section not in id_map.letters:
        return ReadProblem("IntermediateData", where, "There is no such section.")
    try:
        contract, lead = contract_of(row)
    except BadInput as bad:
        return ReadProblem("IntermediateData", where, str(bad))
    return EnterContract(
        id_map.guid_of(row.section),
        id_map.letters[row.section],
        row.table,
        row.round,
        row.board,
        contract,
        log_datetime(row.day, row.at, day),
        lead,
    )


def recorded_command(
    row: CallRow | CardRow, id_map: IdMap, day: date
) -> RecordCall | RecordCard | ReadProblem:
    """Convert a recorded call or card to a command, or to the problem that prevents it."""
    table, where = _recorded_table(row), f"ID {row.id}"
    if row.section not in id_map.letters:
        return ReadProblem(table, where, "There is no such section.")
    place = id_map.place_of(row)
    seat = seat_of(row.direction)
    if seat is None:
        return ReadProblem(table, where, f"{row.direction!r} is not a direction.")
    at = log_datetime(row.day, row.at, day)
    guid = id_map.guid_of(row.section)
    try:
        if isinstance(row, CallRow):
            return RecordCall(guid, *place, row.counter, seat, call_text(row.call), at, row.erased)
        return RecordCard(guid, *place, row.counter, seat, card_text(row.card), at, row.erased)
    except BadInput as bad:
        return ReadProblem(table, where, str(bad))


def _recorded_table(row: CallRow | CardRow) -> str:
    return "BiddingData" if isinstance(row, CallRow) else "PlayData"
