"""The control software's half of a `.bws` file, reading: what the scoring program asks for, as commands.

Only what is flagged is acted on: a table's instruction, a seat's name, a corrected result. A flag is taken back
when its commands have been accepted, and only if it still says what was done. What it writes is in `control_rows`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import date, datetime

from overtrick.bws.contents import Contents
from overtrick.bws.edits import Delete, Edit, Update
from overtrick.bws.frame import Frame, Unread, frame_of
from overtrick.bws.instructions import Does, Instruction, parse_instruction
from overtrick.bws.movement import rounds_by_table, section_plan, table_plans, table_rounds
from overtrick.bws.players import participation, participations
from overtrick.bws.reading import groups_of, hand_records, read_settings, result_entry, scored, session_plan
from overtrick.bws.rows import ResultRow, SessionRow, TableRow
from overtrick.bws.scoring_news import chair_key
from overtrick.bws.shares import Spot, only
from overtrick.event import AddSession, Command, Session, Together
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
    said: str = ""
    """What the file says, word for word: the same again before it was taken back is the same request."""


@dataclass(frozen=True, slots=True)
class Scan:
    """Everything that is asked for, in the order in which it should be done, and what made no sense."""

    asked: tuple[Asked, ...]
    unread: tuple[Unread, ...] = ()
    followed: tuple[Command, ...] = ()
    """What other control computers have taken in, for us to know where pairs go; it may have to wait."""
    joining: tuple[AddSession, ...] = ()
    """Sessions that are new in the file; their instructions are asked for when they are known."""


def scan(
    contents: Contents,
    sessions: Mapping[str, Session],
    *,
    at: datetime,
    guids: Mapping[int, str] | None = None,
    spots: Collection[Spot] | None = None,
) -> Scan:
    """What the scoring program asks for in the sessions that are ours, by their guids.

    Where the file is shared, `spots` are the tables that are ours, and only what is flagged there is for us.
    """
    frame = frame_of(contents, guids)
    unread: list[Unread] = []
    asked: list[Asked] = []
    followed: list[Command] = []
    joining: list[AddSession] = []
    mine = contents if spots is None else only(contents, spots)
    for row in frame.sessions:
        session = sessions.get(frame.guids[row.id])
        ids = set(frame.sections_of(row.id))
        if session is None:
            joining += _joining(contents, mine, frame, row, sessions, at.date(), unread)
            continue
        wanted = _Wanted()
        if spots is not None:
            _follow_others(wanted, contents, frame, session, row, spots)
        said = _instructions(wanted, mine, frame, session, ids, at, unread)
        commands = Together(
            session.opened.session, tuple(_in_order(wanted, contents, frame, session, unread))
        )
        if wanted.taken:
            asked.append(Asked("; ".join(wanted.words), commands, tuple(wanted.taken), said))
        elif commands.commands:
            followed.append(commands)
        asked += _names(mine, frame, session, ids, unread)
        asked += _corrections(mine, frame, session, ids, unread)
    return Scan(tuple(asked), tuple(unread), tuple(followed), tuple(joining))


# Sessions, and tables of others -----------------------------------------------------------------------------


def _joining(
    contents: Contents,
    mine: Contents,
    frame: Frame,
    row: SessionRow,
    sessions: Mapping[str, Session],
    today: date,
    unread: list[Unread],
) -> Iterator[AddSession]:
    """A session that is not known yet, with the tables whose rounds are flagged; without any it is left alone."""
    event = next((session.opened.event for session in sessions.values()), "")
    ids = frame.sections_of(row.id)
    flagged = [table for table in mine.tables if table.section in ids and _brings_rounds(table)]
    if event and flagged:
        plan = session_plan(replace(contents, tables=tuple(flagged)), frame, row, today, unread=unread)
        yield AddSession(event, plan)


def _brings_rounds(row: TableRow) -> bool:
    instruction = parse_instruction(row.instruction)
    return instruction is not None and instruction.does is Does.ROUNDS


def _follow_others(
    wanted: _Wanted,
    contents: Contents,
    frame: Frame,
    session: Session,
    row: SessionRow,
    spots: Collection[Spot],
) -> None:
    """Want the movement of tables that other computers handle, where it is not what we know of it."""
    guid = session.opened.session
    listed: set[tuple[str, int]] = set()
    for id, plans in table_plans(contents, frame, row.id, []).items():
        letters = frame.letters[id]
        for plan in plans:
            listed.add((letters, plan.table))
            if (id, plan.table) in spots:
                continue
            known = session.movement.tables.get((letters, plan.table))
            have = known.rounds if known else ()
            first = next(
                (at for at, (old, new) in enumerate(zip(have, plan.rounds, strict=False)) if old != new),
                min(len(have), len(plan.rounds)),
            )
            if have == plan.rounds:
                continue
            if first < len(have):
                wanted.clears.append(ReplaceRounds(guid, letters, plan.table, first + 1, ()))
            if first < len(plan.rounds):
                rest = TablePlan(plan.table, plan.rounds[first:], first + 1, plan.group)
                wanted.tables.setdefault(id, []).append(rest)
    for letters, number in sorted(session.movement.tables):
        is_gone = letters in frame.ids and (letters, number) not in listed
        if is_gone and (frame.ids[letters], number) not in spots:
            wanted.drops.append(DropTable(guid, letters, number))


def adopt(
    contents: Contents,
    session: Session,
    spots: Collection[Spot],
    *,
    guids: Mapping[int, str] | None = None,
) -> Iterator[Command]:
    """What another control program has recorded at tables that are ours now: there the file is right, and not we."""
    frame = frame_of(contents, guids)
    guid = session.opened.session
    row = next((row for row in frame.sessions if frame.guids[row.id] == guid), None)
    if row is None:
        return
    theirs = only(contents, spots)
    standing = theirs.standing()
    for erased in theirs.results:
        place = frame.letters.get(erased.section, ""), erased.table, erased.round, erased.board
        if erased.place not in standing and place in session.results.standing:
            yield EraseResult(guid, *place, Origin.FILE)
            standing[erased.place] = erased
    seats = participations(theirs, frame, _known_tables(session), [])
    if seats:
        yield PutParticipations(guid, seats, Source.FILE, must_be_known=False)
    yield from scored(theirs, frame, row, session, [])


def _known_tables(session: Session) -> dict[str, tuple[TablePlan, ...]]:
    return {
        letters: tuple(
            TablePlan(number, table.rounds) for number, table in session.movement.section(letters).items()
        )
        for letters in session.setup.sections
    }


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


def _instructions(
    wanted: _Wanted,
    contents: Contents,
    frame: Frame,
    session: Session,
    ids: set[int],
    at: datetime,
    unread: list[Unread],
) -> str:
    """All instructions of a session together: tables that change places must not stand in each other's way.

    Answers what the file says about them.
    """
    said: list[object] = []
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
        said += [*_taken(row), table_rows]
        if instruction.does is Does.SETTINGS:
            said.append(contents.settings)
        elif instruction.does is Does.HAND_RECORDS:
            said.append([record for record in contents.hand_records if record.section == row.section])
        found = table_rounds(table_rows, unread, instruction.round) if instruction.does is Does.ROUNDS else ()
        plan = TablePlan(row.table, found, instruction.round, row.group)
        _sort(wanted, session, row.section, letters, plan, instruction, at)
    return repr(said)


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
    sections = _known_tables(session)
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
    yield Asked(f"{len(flagged)} names", command, taken, repr(taken))


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
        taken = _correction_taken(row)
        yield Asked(words, Together(guid, tuple(commands)), (taken,), repr(taken))


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
