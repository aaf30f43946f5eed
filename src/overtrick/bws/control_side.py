"""The control software's half of a `.bws` file, reading: what the scoring program asks for, as commands.

Only what is flagged is acted on: a table's instruction, a seat's name, a corrected result. A flag is taken back
when its commands have been accepted, and only if it still says what was done. What it writes is in `control_rows`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime

from overtrick.bws.contents import Contents
from overtrick.bws.edits import Delete, Edit, Update
from overtrick.bws.frame import Frame, Unread, frame_of
from overtrick.bws.instructions import Does, Instruction, parse_instruction
from overtrick.bws.movement import rounds_by_table, section_plan, table_rounds
from overtrick.bws.players import participation, participations
from overtrick.bws.reading import groups_of, hand_records, read_settings, result_entry
from overtrick.bws.rows import ResultRow, TableRow
from overtrick.bws.scoring_news import chair_key
from overtrick.event import Command, Session, Together
from overtrick.event.hands import HandSource, PutHandRecords
from overtrick.event.movement import (
    DropTable,
    ReplaceRounds,
    SectionPlan,
    SetMovement,
    SetWaiting,
    TablePlan,
)
from overtrick.event.results import EraseResult, JudgeResult, Origin, PutResults
from overtrick.event.seating import PutParticipations, Source
from overtrick.event.settings import PutSettings
from overtrick.event.setup import SetGroups
from overtrick.event.tables import ResetTable


@dataclass(frozen=True, slots=True)
class Asked:
    """Something that the scoring program asks for: one command, and the edits that take it back when it is done."""

    words: str
    command: Command
    taken: tuple[Edit, ...]


@dataclass(frozen=True, slots=True)
class Scan:
    """Everything that is asked for, in the order in which it should be done, and what made no sense."""

    asked: tuple[Asked, ...]
    unread: tuple[Unread, ...] = ()


def scan(
    contents: Contents,
    sessions: Mapping[str, Session],
    *,
    at: datetime,
    guids: Mapping[int, str] | None = None,
) -> Scan:
    """What the scoring program asks for in the sessions that are ours, by their guids."""
    frame = frame_of(contents, guids)
    unread: list[Unread] = []
    asked: list[Asked] = []
    for row in frame.sessions:
        session = sessions.get(frame.guids[row.id])
        if session is None:
            continue
        ids = set(frame.sections_of(row.id))
        asked += _movement(contents, frame, session, ids, at, unread)
        asked += _names(contents, frame, session, ids, unread)
        asked += _corrections(contents, frame, session, ids, unread)
    return Scan(tuple(asked), tuple(unread))


# Instructions of tables -------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Wanted:
    """The instructions of one session, sorted by what has to be done first."""

    drops: list[Command] = field(default_factory=list)
    clears: list[Command] = field(default_factory=list)
    tables: dict[int, list[TablePlan]] = field(default_factory=dict)
    waits: list[Command] = field(default_factory=list)
    settings: set[int] = field(default_factory=set)
    hands: set[int] = field(default_factory=set)
    resets: list[Command] = field(default_factory=list)
    taken: list[Edit] = field(default_factory=list)
    words: list[str] = field(default_factory=list)


def _movement(
    contents: Contents,
    frame: Frame,
    session: Session,
    ids: set[int],
    at: datetime,
    unread: list[Unread],
) -> Iterator[Asked]:
    """All instructions of a session together: tables that change places must not stand in each other's way."""
    wanted = _Wanted()
    rounds = rounds_by_table(contents)
    for row in sorted(contents.tables, key=lambda row: (row.section, row.table)):
        if not row.instruction or row.section not in ids:
            continue
        instruction = parse_instruction(row.instruction)
        where = f"section {row.section}, table {row.table}"
        if instruction is None:
            unread.append(Unread("Tables", where, f"The instruction {row.instruction} has no meaning."))
            continue
        letters = frame.letters[row.section]
        wanted.words.append(f"{letters}{row.table}: {instruction.does.value}")
        wanted.taken += _taken(row)
        table_rows = rounds.get((row.section, row.table), [])
        found = table_rounds(table_rows, unread, instruction.round) if instruction.does is Does.ROUNDS else ()
        plan = TablePlan(row.table, found, instruction.round, row.group)
        _sort(wanted, session, row.section, letters, plan, instruction, at)
    commands = list(_in_order(wanted, contents, frame, session, unread))
    if wanted.taken:
        guid = session.opened.session
        yield Asked("; ".join(wanted.words), Together(guid, tuple(commands)), tuple(wanted.taken))


def _taken(row: TableRow) -> tuple[Edit, ...]:
    key = {"Section": row.section, "Table": row.table}
    instruction = parse_instruction(row.instruction)
    if instruction is not None and instruction.does is Does.REMOVE_TABLE:
        return (Delete("Tables", {**key, "UpdateFromRound": row.instruction}),)
    values = {"UpdateFromRound": 0, "Status": 1}
    return (Update("Tables", key, values, {"UpdateFromRound": row.instruction}),)


def _sort(
    wanted: _Wanted,
    session: Session,
    id: int,
    letters: str,
    plan: TablePlan,
    instruction: Instruction,
    at: datetime,
) -> None:
    guid, number = session.opened.session, plan.table
    known = session.movement.tables.get((letters, number))
    have = len(known.rounds) if known else 0
    match instruction.does:
        case Does.REMOVE_TABLE:
            if known is not None:
                wanted.drops.append(DropTable(guid, letters, number))
        case Does.ROUNDS:
            if instruction.round <= have:
                wanted.clears.append(ReplaceRounds(guid, letters, number, instruction.round, ()))
            if plan.rounds:
                wanted.tables.setdefault(id, []).append(plan)
            if known is not None or plan.rounds:
                wanted.waits.append(SetWaiting(guid, letters, number, bool(instruction.waits)))
        case Does.REMOVE_ROUNDS:
            if instruction.round <= have:
                wanted.clears.append(ReplaceRounds(guid, letters, number, instruction.round, ()))
        case Does.WAITING:
            if known is not None:
                wanted.waits.append(SetWaiting(guid, letters, number, bool(instruction.waits)))
        case Does.RESET:
            if known is not None:
                wanted.resets.append(ResetTable(guid, letters, number, at))
        case Does.SETTINGS:
            wanted.settings.add(id)
        case Does.HAND_RECORDS:
            wanted.hands.add(id)


def _in_order(
    wanted: _Wanted, contents: Contents, frame: Frame, session: Session, unread: list[Unread]
) -> Iterator[Command]:
    guid = session.opened.session
    yield from wanted.drops
    yield from wanted.clears
    groups = session.setup.groups
    missing = [
        replace(group, sections=())
        for group in groups_of(frame, next(row.id for row in frame.sessions if frame.guids[row.id] == guid))
        if group.number not in groups
        and any(frame.groups[id] == group.number for id in wanted.tables)
        and not any(letters in session.setup.sections for letters in group.sections)
    ]
    if missing:
        yield SetGroups(guid, tuple(missing))
    for id, plans in sorted(wanted.tables.items()):
        yield SetMovement(guid, _section(contents, frame, session, id, unread), tuple(plans))
    yield from wanted.waits
    for id in sorted(wanted.settings):
        yield PutSettings(guid, tuple(read_settings(contents, frame, [id], unread)))
    if wanted.hands:
        records = hand_records(contents, frame, sorted(wanted.hands), unread)
        known = tuple(
            replace(record, group=_group(frame, session, record.group, wanted.hands)) for record in records
        )
        yield PutHandRecords(guid, known, HandSource.SCORING_PROGRAM)
    yield from wanted.resets


def _section(
    contents: Contents, frame: Frame, session: Session, id: int, unread: list[Unread]
) -> SectionPlan:
    """A section as the file has it, in the scoring group that it has here."""
    plan = section_plan(contents, frame, id, unread)
    known = session.setup.sections.get(plan.section)
    if known is None:
        mates = [
            session.setup.sections[frame.letters[other]].group
            for other, group in frame.groups.items()
            if group == plan.group and frame.letters[other] in session.setup.sections
        ]
        return replace(plan, group=mates[0] if mates else plan.group)
    return replace(plan, group=known.group, name=known.name, combi=known.combi, id=known.id)


def _group(frame: Frame, session: Session, group: int, ids: set[int]) -> int:
    """The scoring group here of sections that are one group in the file."""
    for id in sorted(ids):
        known = session.setup.sections.get(frame.letters[id])
        if known is not None and frame.groups[id] == group:
            return known.group
    return group


# Names and corrections --------------------------------------------------------------------------------------


def _names(
    contents: Contents, frame: Frame, session: Session, ids: set[int], unread: list[Unread]
) -> Iterator[Asked]:
    flagged = tuple(row for row in contents.player_numbers if row.updated and row.section in ids)
    if not flagged:
        return
    sections = {
        letters: tuple(
            TablePlan(number, table.rounds) for number, table in session.movement.section(letters).items()
        )
        for letters in session.setup.sections
    }
    seated = participations(replace(contents, player_numbers=flagged), frame, sections, unread)
    gone = (
        participation(row, frame.letters[row.section]) for row in flagged if not row.name and not row.number
    )
    command = PutParticipations(
        session.opened.session,
        (*(who for who in gone if who is not None), *seated),
        Source.SCORING_PROGRAM,
        must_be_known=False,
    )
    taken = tuple(
        Update(
            "PlayerNumbers",
            chair_key(row),
            {"Updated": False},
            {"Name": row.name, "Number": row.number, "Updated": True},
        )
        for row in flagged
    )
    yield Asked(f"{len(flagged)} names", command, taken)


def _corrections(
    contents: Contents, frame: Frame, session: Session, ids: set[int], unread: list[Unread]
) -> Iterator[Asked]:
    standing = contents.standing()
    for row in sorted(contents.results, key=lambda row: row.id):
        if not row.external_update or row.section not in ids:
            continue
        guid = session.opened.session
        place = frame.letters[row.section], row.table, row.round, row.board
        words = f"result of board {row.board} at {place[0]}{row.table}"
        commands: list[Command] = []
        if row.place not in standing:
            if place in session.results.standing:
                commands.append(EraseResult(guid, *place, Origin.SCORING_PROGRAM))
        elif standing[row.place].id == row.id:
            made = result_entry(row, frame, session.opened.day)
            if isinstance(made, Unread):
                unread.append(made)
                continue
            commands.append(PutResults(guid, (made.entry,), Origin.SCORING_PROGRAM))
            commands.append(JudgeResult(guid, *place, made.suspicion))
        yield Asked(words, Together(guid, tuple(commands)), (_correction_taken(row),))


def _correction_taken(row: ResultRow) -> Update:
    seen = {
        "ExternalUpdate": True,
        "Contract": row.contract,
        "Result": row.result,
        "Remarks": row.remarks,
        "NS/EW": row.direction,
        "Erased": row.erased,
    }
    return Update("ReceivedData", {"ID": row.id}, {"ExternalUpdate": False}, seen)
