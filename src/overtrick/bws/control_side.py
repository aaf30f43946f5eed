"""The flags that a scoring program sets in a `.bws` file, and the commands that they ask for.

Three kinds of flags exist: a table's instruction (`UpdateFromRound`), a seat's name (`Updated`) and a corrected result
(`ExternalUpdate`). Only what is flagged is acted on. A flag has a digest of the records that it is about: when it is
cleared, a flag with another digest is another instruction and stays. The rows that we write are in `control_rows`.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import date, datetime

from overtrick.bridge import Side
from overtrick.bws.contents import Contents
from overtrick.bws.edits import Delete, Edit, Update
from overtrick.bws.event_from_file import (
    groups_of,
    hand_records,
    read_settings,
    recorded_command,
    result_entry,
    scored,
    session_plan,
)
from overtrick.bws.id_map import Frame, Unread, frame_of
from overtrick.bws.instructions import Does, Instruction, parse_instruction
from overtrick.bws.movement import rounds_by_table, section_plan, table_plans, table_rounds
from overtrick.bws.players import participation, participations
from overtrick.bws.row_history import RowHistory, file_time
from overtrick.bws.rows import (
    TEAMS,
    CallRow,
    CardRow,
    PlayerNumberRow,
    ResultRow,
    SessionRow,
    TableRow,
    moment,
)
from overtrick.bws.scoring_news import chair_key
from overtrick.bws.table_ownership import Spot, only
from overtrick.event import AddSession, Command, Session, Together
from overtrick.event.hands import HandSource, PutHandRecords
from overtrick.event.instructions import InstructionTaken, TakeInstructions
from overtrick.event.movement import (
    DropTable,
    ReplaceRounds,
    Round,
    SectionPlan,
    SetMovement,
    SetWaiting,
    TablePlan,
)
from overtrick.event.recording import CallRecorded, CardRecorded, RecordCall, RecordCard
from overtrick.event.results import EraseResult, JudgeResult, Origin, PutResults
from overtrick.event.seating import PutParticipations, Source
from overtrick.event.settings import PutSettings
from overtrick.event.setup import SetGroups
from overtrick.event.tables import ResetTable

Row = TableRow | PlayerNumberRow | ResultRow


@dataclass(frozen=True, slots=True)
class Flag:
    """A flag of the scoring program: the record that carries it, and the edit that clears it."""

    session: str
    words: str
    taken: InstructionTaken
    """The fact that the instruction was carried out."""
    row: Row
    clear: Edit
    """Clears the flag, if the record still says what was carried out."""

    @property
    def where(self) -> str:
        """The record that carries the flag."""
        return self.taken.where


@dataclass(frozen=True, slots=True)
class Asked:
    """Something that the scoring program asks for; `parts` are tried one by one when the whole is rejected."""

    words: str
    command: TakeInstructions
    parts: tuple[Asked, ...] = ()


@dataclass(frozen=True, slots=True)
class Scan:
    """Everything that is asked for, in the order in which it should be done, and what made no sense."""

    asked: tuple[Asked, ...]
    unread: tuple[Unread, ...] = ()
    followed: tuple[Command, ...] = ()
    """The movement that other control computers have loaded, for us to know where pairs go."""
    joining: tuple[AddSession, ...] = ()
    """Sessions that are new in the file; their instructions are asked for when they are known."""


def flags_in(
    contents: Contents,
    sessions: Mapping[str, Session],
    *,
    guids: Mapping[int, str] | None = None,
    spots: Collection[Spot] | None = None,
    unread: list[Unread] | None = None,
) -> dict[str, Flag]:
    """Return the flags of the sessions that are ours, by the record that carries them.

    Where the file is shared, `spots` are the tables that are ours, and only what is flagged there is for us.
    """
    frame = frame_of(contents, guids)
    mine = contents if spots is None else only(contents, spots)
    found: dict[str, Flag] = {}
    for row in frame.sessions:
        guid = frame.guids[row.id]
        if guid not in sessions:
            continue
        ids = set(frame.sections_of(row.id))
        for flag in (
            *_table_flags(mine, frame, guid, ids, [] if unread is None else unread),
            *_name_flags(mine, guid, ids),
            *_result_flags(mine, frame, guid, ids),
        ):
            found[flag.where] = flag
    return found


def _table_flags(
    contents: Contents, frame: Frame, guid: str, ids: set[int], unread: list[Unread]
) -> Iterator[Flag]:
    rounds = rounds_by_table(contents)
    for row in sorted(contents.tables, key=lambda row: (row.section, row.table)):
        if not row.instruction or row.section not in ids:
            continue
        instruction = parse_instruction(row.instruction)
        if instruction is None:
            where = f"section {row.section}, table {row.table}"
            unread.append(Unread("Tables", where, f"The instruction {row.instruction} has no meaning."))
            continue
        about: list[object] = [row.instruction]
        match instruction.does:
            case Does.ROUNDS:
                about += [row.group, rounds.get((row.section, row.table), [])]
            case Does.REMOVE_ROUNDS:
                about.append(rounds.get((row.section, row.table), []))
            case Does.SETTINGS:
                about.append(contents.settings)
            case Does.HAND_RECORDS:
                about += [record for record in contents.hand_records if record.section == row.section]
        key = {"Section": row.section, "Table": row.table}
        clear: Edit = Update(
            "Tables", key, {"UpdateFromRound": 0, "Status": 1}, {"UpdateFromRound": row.instruction}
        )
        if instruction.does is Does.REMOVE_TABLE:
            clear = Delete("Tables", {**key, "UpdateFromRound": row.instruction})
        yield Flag(
            guid,
            f"{frame.letters[row.section]}{row.table}: {instruction.does.value}",
            InstructionTaken(f"Tables {row.section}/{row.table}", row.instruction, _digest(about)),
            row,
            clear,
        )


def _name_flags(contents: Contents, guid: str, ids: set[int]) -> Iterator[Flag]:
    for row in contents.player_numbers:
        if row.updated and row.section in ids:
            said = {"Name": row.name, "Number": row.number}
            where = f"PlayerNumbers {row.section}/{row.table}/{row.direction}/{row.round}"
            yield Flag(
                guid,
                f"the name of {row.direction} at table {row.table}",
                InstructionTaken(where, 1, _digest(said)),
                row,
                Update("PlayerNumbers", chair_key(row), {"Updated": False}, {**said, "Updated": True}),
            )


def _result_flags(contents: Contents, frame: Frame, guid: str, ids: set[int]) -> Iterator[Flag]:
    for row in sorted(contents.results, key=lambda row: row.id):
        if row.external_update and row.section in ids:
            said = {
                "ExternalUpdate": True,
                "Contract": row.contract,
                "Result": row.result,
                "Remarks": row.remarks,
                "NS/EW": row.direction,
                "Erased": row.erased,
                "LeadCard": row.lead,
                "SuspiciousContract": row.suspicious,
            }
            yield Flag(
                guid,
                f"result of board {row.board} at {frame.letters[row.section]}{row.table}",
                InstructionTaken(f"ReceivedData {row.id}", 1, _digest((said, row.place, row.day, row.at))),
                row,
                Update("ReceivedData", {"ID": row.id}, {"ExternalUpdate": False}, said),
            )


def _digest(about: object) -> str:
    return hashlib.sha256(repr(about).encode("utf-8", "surrogatepass")).hexdigest()[:16]


def scan(
    contents: Contents,
    sessions: Mapping[str, Session],
    *,
    at: datetime,
    guids: Mapping[int, str] | None = None,
    spots: Collection[Spot] | None = None,
) -> Scan:
    """Return what the scoring program asks for in the sessions that are ours, by their guids.

    A flag whose instruction was taken already is left out: it only has to be cleared. Where the file is shared,
    `spots` are the tables that are ours.
    """
    frame = frame_of(contents, guids)
    unread: list[Unread] = []
    asked: list[Asked] = []
    followed: list[Command] = []
    joining: list[AddSession] = []
    mine = contents if spots is None else only(contents, spots)
    flags = flags_in(contents, sessions, guids=guids, spots=spots, unread=unread)
    for row in frame.sessions:
        guid = frame.guids[row.id]
        session = sessions.get(guid)
        if session is None:
            joining += _joining(contents, mine, frame, row, sessions, at.date(), unread)
            continue
        due = [
            flag
            for where, flag in flags.items()
            if flag.session == guid and where not in session.instructions.taken
        ]
        if spots is not None:
            others = _Wanted()
            _follow_others(others, contents, frame, session, row, spots)
            commands = tuple(_in_order(others, contents, frame, session, unread))
            if commands:
                followed.append(Together(guid, commands))
        asker = _Asker(contents, mine, frame, session, at, unread)
        asked += asker.tables([flag for flag in due if isinstance(flag.row, TableRow)])
        asked += asker.names([flag for flag in due if isinstance(flag.row, PlayerNumberRow)])
        asked += asker.corrections([flag for flag in due if isinstance(flag.row, ResultRow)])
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
    """Return the command that adds a session which is not known yet, if rounds of its tables are flagged."""
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
    """Add the movement of tables that other computers handle, where it is not what we know of it."""
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
    history: RowHistory,
    spots: Collection[Spot],
    *,
    guids: Mapping[int, str] | None = None,
) -> Iterator[Command]:
    """Return the commands that put in what another control program has recorded at tables that are ours now.

    There the file knows more than we do, except about rows that we know already: those were ours, or were adopted
    before, and the journal may be further.
    """
    frame = frame_of(contents, guids)
    guid = session.opened.session
    row = next((row for row in frame.sessions if frame.guids[row.id] == guid), None)
    if row is None:
        return
    theirs = only(contents, spots)
    day = session.opened.day
    logs = {place: {log for life in lives for log in life.logs} for place, lives in history.results.items()}

    def is_known(result: ResultRow) -> bool:
        return file_time(moment(result.day, result.at, day)) in logs.get(frame.place_of(result), ())

    standing = theirs.standing()
    for erased in theirs.results:
        place = frame.place_of(erased)
        is_asked = erased.external_update  # an instruction of the scoring program, which is taken as such
        if not is_asked and erased.place not in standing and place in session.results.standing:
            newest = history.results[place][-1].log
            if file_time(moment(erased.day, erased.at, day)) >= newest:
                yield EraseResult(guid, *place, Origin.FILE)
                standing[erased.place] = erased
    seats = participations(theirs, frame, _known_tables(session), [])
    if seats:
        yield PutParticipations(guid, seats, Source.FILE, must_be_known=False)
    known = Counter(_said(fact) for fact in history.recorded)

    def is_new(recorded: CallRow | CardRow) -> bool:
        command = recorded_command(recorded, frame, day)
        if isinstance(command, Unread) or known[_said(command)] == 0:
            return True
        known[_said(command)] -= 1
        return False

    unknown = replace(
        theirs,
        results=tuple(result for result in standing.values() if not result.erased and not is_known(result)),
        contracts=tuple(row for row in theirs.contracts if frame.place_of(row) not in history.contracts),
        calls=tuple(call for call in theirs.calls if is_new(call)),
        cards=tuple(card for card in theirs.cards if is_new(card)),
    )
    yield from scored(unknown, frame, row, session, [])


def _said(recorded: CallRecorded | CardRecorded | RecordCall | RecordCard) -> tuple[object, ...]:
    """Return what a recorded call or card says, whenever it was recorded."""
    text = recorded.call if isinstance(recorded, CallRecorded | RecordCall) else recorded.card
    return *recorded.place, recorded.counter, recorded.seat, text, recorded.is_erased


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
    """The commands of some instructions of one session, sorted by what has to be done first."""

    drops: list[Command] = field(default_factory=list)
    clears: list[Command] = field(default_factory=list)
    tables: dict[int, list[TablePlan]] = field(default_factory=dict)
    waits: list[Command] = field(default_factory=list)
    settings: set[int] = field(default_factory=set)
    hands: set[int] = field(default_factory=set)
    resets: list[Command] = field(default_factory=list)


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
    """Return a section as the file has it, in the scoring group that it has here."""
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
    """Return the scoring group here of sections that are one group in the file."""
    for id in sorted(ids):
        known = session.setup.sections.get(frame.letters[id])
        if known is not None and frame.groups[id] == group:
            return known.group
    return group


class _Asker:
    """Builds the commands for the flags of one session."""

    def __init__(
        self,
        contents: Contents,
        mine: Contents,
        frame: Frame,
        session: Session,
        at: datetime,
        unread: list[Unread],
    ) -> None:
        self._contents = contents
        self._mine = mine
        self._frame = frame
        self._session = session
        self._guid = session.opened.session
        self._at = at
        self._unread = unread
        self._rounds = rounds_by_table(mine)

    def tables(self, flags: list[Flag]) -> Iterator[Asked]:
        """Yield all instructions of tables together, because tables that exchange pairs depend on each other.

        An instruction with rounds that the guide has the control software refuse is told and stays.
        """
        flags = [flag for flag in flags if not self._has_errors(flag)]
        if not flags:
            return
        parts: tuple[Asked, ...] = ()
        if len(flags) > 1:
            parts = tuple(self._tables(each) for each in self._independent(flags))
        whole = self._tables(flags)
        yield replace(whole, parts=parts) if len(parts) > 1 else whole

    def _has_errors(self, flag: Flag) -> bool:
        assert isinstance(flag.row, TableRow)
        before = len(self._unread)
        self._plan(flag.row)
        has_errors = any(unread.is_error for unread in self._unread[before:])
        self._unread[before:] = [unread.for_control for unread in self._unread[before:]]
        if not has_errors:
            del self._unread[before:]  # it is told when the rounds are taken
        return has_errors

    def _tables(self, flags: list[Flag]) -> Asked:
        wanted = _Wanted()
        causes = []
        for flag in flags:
            row = flag.row
            assert isinstance(row, TableRow)
            instruction = parse_instruction(row.instruction)
            assert instruction is not None
            letters = self._frame.letters[row.section]
            _sort(wanted, self._session, row.section, letters, self._plan(row), instruction, self._at)
            cause = f"the scoring program sent instruction {row.instruction} for this table"
            causes.append((letters, row.table, cause))
        commands = tuple(_in_order(wanted, self._contents, self._frame, self._session, self._unread))
        words = "; ".join(flag.words for flag in flags)
        taken = tuple(flag.taken for flag in flags)
        return Asked(words, TakeInstructions(self._guid, commands, taken, tuple(causes)))

    def _plan(self, row: TableRow) -> TablePlan:
        """Return the rounds that an instruction brings; rounds that were never sent before them come too."""
        instruction = parse_instruction(row.instruction)
        assert instruction is not None
        if instruction.does is not Does.ROUNDS:
            return TablePlan(row.table, (), instruction.round, row.group)
        known = self._session.movement.tables.get((self._frame.letters[row.section], row.table))
        first = min(instruction.round, len(known.rounds) + 1 if known else 1)
        rows = self._rounds.get((row.section, row.table), [])
        rounds = table_rounds(rows, self._unread, first)
        if self._frame.sections[row.section].scoring_type == TEAMS:
            # Both tables of a match know each other, as they do when a file is opened.
            plans = table_plans(self._contents, self._frame, self._frame.session_of[row.section], [])
            paired = (plan for plan in plans.get(row.section, ()) if plan.table == row.table)
            rounds = next((plan.rounds[first - 1 :] for plan in paired), rounds)
        return TablePlan(row.table, rounds, first, row.group)

    def _independent(self, flags: list[Flag]) -> list[list[Flag]]:
        """Split instructions into groups of tables that exchange pairs with each other."""
        leaving: dict[tuple[object, ...], list[int]] = {}
        entering: dict[tuple[object, ...], list[int]] = {}
        for index, flag in enumerate(flags):
            row = flag.row
            assert isinstance(row, TableRow)
            letters = self._frame.letters[row.section]
            known = self._session.movement.tables.get((letters, row.table))
            instruction = parse_instruction(row.instruction)
            assert instruction is not None
            first = instruction.round or 1
            if instruction.does not in (Does.ROUNDS, Does.REMOVE_ROUNDS, Does.REMOVE_TABLE):
                continue
            before = known.rounds[first - 1 :] if known else ()
            plan = self._plan(row)
            for found, start, rounds in ((leaving, first, before), (entering, plan.first, plan.rounds)):
                for number, played in enumerate(rounds, start=start):
                    for contestant in self._contestants(letters, played):
                        found.setdefault((number, *contestant), []).append(index)
        leader = list(range(len(flags)))

        def find(index: int) -> int:
            while leader[index] != index:
                index = leader[index]
            return index

        for key, to in entering.items():
            for index in leaving.get(key, ()):
                for other in to:
                    leader[find(other)] = find(index)
        groups: dict[int, list[Flag]] = {}
        for index, flag in enumerate(flags):
            groups.setdefault(find(index), []).append(flag)
        return list(groups.values())

    def _contestants(self, letters: str, played: Round) -> Iterator[tuple[object, ...]]:
        """Yield the pairs of a round such that one pair is the same wherever it sits."""
        section = "" if self._session.opened.across_field else letters
        is_known = letters in self._session.setup.sections
        has_two_winners = is_known and self._session.winners(letters) == 2
        for side, pair in ((Side.NS, played.ns), (Side.EW, played.ew)):
            if pair:
                yield section, side if has_two_winners else None, pair

    def names(self, flags: list[Flag]) -> Iterator[Asked]:
        """Yield all names together, because two players may have changed seats."""
        if not flags:
            return
        parts = tuple(self._names([flag], flag.words) for flag in flags) if len(flags) > 1 else ()
        yield replace(self._names(flags, f"{len(flags)} names"), parts=parts)

    def _names(self, flags: list[Flag], words: str) -> Asked:
        rows = tuple(flag.row for flag in flags if isinstance(flag.row, PlayerNumberRow))
        contents = replace(self._mine, player_numbers=rows)
        seated = participations(contents, self._frame, _known_tables(self._session), self._unread)
        gone = (
            participation(row, self._frame.letters[row.section])
            for row in rows
            if not row.name and not row.number
        )
        command = PutParticipations(
            self._guid,
            (*(who for who in gone if who is not None), *seated),
            Source.SCORING_PROGRAM,
            must_be_known=False,
        )
        taken = tuple(flag.taken for flag in flags)
        return Asked(words, TakeInstructions(self._guid, (command,), taken))

    def corrections(self, flags: Iterable[Flag]) -> Iterator[Asked]:
        """Yield each corrected result; one that makes no sense is reported and stays flagged."""
        standing = self._mine.standing()
        for flag in flags:
            row = flag.row
            assert isinstance(row, ResultRow)
            place = self._frame.place_of(row)
            commands: list[Command] = []
            if row.place not in standing:
                if place in self._session.results.standing:
                    commands.append(EraseResult(self._guid, *place, Origin.SCORING_PROGRAM))
            elif standing[row.place].id == row.id:
                made = result_entry(row, self._frame, self._session.opened.day)
                if isinstance(made, Unread):
                    self._unread.append(made)
                    continue
                commands.append(PutResults(self._guid, (made.entry,), Origin.SCORING_PROGRAM))
                commands.append(JudgeResult(self._guid, *place, made.suspicion))
            yield Asked(flag.words, TakeInstructions(self._guid, tuple(commands), (flag.taken,)))
