"""The flags that a scoring program sets in a `.bws` file, and the commands that they ask for.

Reads the file and returns values: requests as commands of the event, and edits that clear flags. The rows that the
control software writes are in `control_rows`.
"""

# How instructions are reconciled
# -------------------------------
#
# The scoring program flags its requests in three places:
#
#   flag                        on             request
#   -------------------------   ------------   ------------------------------------------------------------------
#   UpdateFromRound (not 0)     Tables         load rounds, settings or hand records, reset, remove (see `instructions`)
#   Updated                     PlayerNumbers  seat or unseat a player
#   ExternalUpdate              ReceivedData   correct or erase a result
#
# Only flagged records are acted on: a row that changes without a flag is no request.
#
# Every instruction is carried out exactly once, although the journal and the file cannot be written in one
# transaction. A flag goes through these states:
#
#   set         in the file, not in the journal. `scan` returns a request for it. Its commands and the fact
#               `instruction-taken` (record, value and digest) commit together.
#   taken       in the file and in the journal. `scan` skips it; `flags_in` finds it, and if its digest is that of the
#               fact, its `clear` edit is carried out. After a crash in between, the next pass clears it.
#   cleared     no longer in the file. The caller appends `instruction-cleared`, so that the same value at the same
#               record counts as a new instruction.
#
# The digest covers the records that the instruction is about (for rounds: the table's rounds and group). If the scoring
# program writes another instruction over one that was taken, the digests differ and the flag stays for the next pass.
# The `clear` edit repeats the check under the file's write lock: it expects the values that were carried out.
#
# Requests are decided together where they depend on each other: all table instructions of a pass (pairs may swap
# tables) and all names (players may swap seats). If the whole is rejected, the independent `parts` are tried one by
# one; those that are still rejected stay flagged and are reported. Within a request the commands are ordered so that a
# pair leaves a table before it arrives at another one (`_CommandPlan`): drop tables, clear rounds, add groups and
# rounds, waiting, settings, hand records, resets.

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
    scoring_commands,
    session_plan,
)
from overtrick.bws.id_map import IdMap, ReadProblem, build_id_map
from overtrick.bws.instructions import Instruction, InstructionKind, parse_instruction
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
    log_datetime,
)
from overtrick.bws.scoring_news import chair_key
from overtrick.bws.table_ownership import TableKey, restrict_to_tables
from overtrick.event import AddSession, Command, Session, SessionTransaction
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
    description: str
    taken: InstructionTaken
    """The fact that the instruction was carried out."""
    row: Row
    clear: Edit
    """The edit that clears the flag, if the record still says what was carried out."""

    @property
    def where(self) -> str:
        """Return the record that carries the flag."""
        return self.taken.where


@dataclass(frozen=True, slots=True)
class ScoringRequest:
    """A request of the scoring program; if it is rejected, its `parts` are tried one by one."""

    description: str
    command: TakeInstructions
    parts: tuple[ScoringRequest, ...] = ()


@dataclass(frozen=True, slots=True)
class ScanResult:
    """The requests of one pass in the order of execution, and what could not be read."""

    requests: tuple[ScoringRequest, ...]
    problems: tuple[ReadProblem, ...] = ()
    movement_of_others: tuple[Command, ...] = ()
    """The movement that other control computers have loaded, so that we know where pairs go."""
    new_sessions: tuple[AddSession, ...] = ()
    """Sessions that are new in the file; their instructions follow once they are added."""


def flags_in(
    contents: Contents,
    sessions: Mapping[str, Session],
    *,
    own_tables: Collection[TableKey] | None = None,
    problems: list[ReadProblem] | None = None,
) -> dict[str, Flag]:
    """Return the flags of our sessions, by the record that carries them.

    `own_tables` are the tables that we handle in a shared file; flags of other tables are left to others.
    """
    id_map = build_id_map(contents)
    own_contents = contents if own_tables is None else restrict_to_tables(contents, own_tables)
    flags: dict[str, Flag] = {}
    for row in id_map.sessions:
        guid = id_map.guids[row.id]
        if guid not in sessions:
            continue
        ids = set(id_map.sections_of(row.id))
        for flag in (
            *_table_flags(own_contents, id_map, guid, ids, [] if problems is None else problems),
            *_name_flags(own_contents, guid, ids),
            *_result_flags(own_contents, id_map, guid, ids),
        ):
            flags[flag.where] = flag
    return flags


def _table_flags(
    contents: Contents, id_map: IdMap, guid: str, ids: set[int], problems: list[ReadProblem]
) -> Iterator[Flag]:
    rounds = rounds_by_table(contents)
    for row in sorted(contents.tables, key=lambda row: (row.section, row.table)):
        if not row.instruction or row.section not in ids:
            continue
        instruction = parse_instruction(row.instruction)
        if instruction is None:
            where = f"section {row.section}, table {row.table}"
            problems.append(
                ReadProblem("Tables", where, f"The instruction {row.instruction} has no meaning.")
            )
            continue
        digested: list[object] = [row.instruction]
        match instruction.kind:
            case InstructionKind.ROUNDS:
                digested += [row.group, rounds.get((row.section, row.table), [])]
            case InstructionKind.REMOVE_ROUNDS:
                digested.append(rounds.get((row.section, row.table), []))
            case InstructionKind.SETTINGS:
                digested.append(contents.settings)
            case InstructionKind.HAND_RECORDS:
                digested += [record for record in contents.hand_records if record.section == row.section]
        key = {"Section": row.section, "Table": row.table}
        clear: Edit = Update(
            "Tables", key, {"UpdateFromRound": 0, "Status": 1}, {"UpdateFromRound": row.instruction}
        )
        if instruction.kind is InstructionKind.REMOVE_TABLE:
            clear = Delete("Tables", {**key, "UpdateFromRound": row.instruction})
        yield Flag(
            guid,
            f"{id_map.letters[row.section]}{row.table}: {instruction.kind.value}",
            InstructionTaken(f"Tables {row.section}/{row.table}", row.instruction, _digest(digested)),
            row,
            clear,
        )


def _name_flags(contents: Contents, guid: str, ids: set[int]) -> Iterator[Flag]:
    for row in contents.player_numbers:
        if row.updated and row.section in ids:
            values = {"Name": row.name, "Number": row.number}
            where = f"PlayerNumbers {row.section}/{row.table}/{row.direction}/{row.round}"
            yield Flag(
                guid,
                f"the name of {row.direction} at table {row.table}",
                InstructionTaken(where, 1, _digest(values)),
                row,
                Update("PlayerNumbers", chair_key(row), {"Updated": False}, {**values, "Updated": True}),
            )


def _result_flags(contents: Contents, id_map: IdMap, guid: str, ids: set[int]) -> Iterator[Flag]:
    for row in sorted(contents.results, key=lambda row: row.id):
        if row.external_update and row.section in ids:
            values = {
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
                f"result of board {row.board} at {id_map.letters[row.section]}{row.table}",
                InstructionTaken(f"ReceivedData {row.id}", 1, _digest((values, row.place, row.day, row.at))),
                row,
                Update("ReceivedData", {"ID": row.id}, {"ExternalUpdate": False}, values),
            )


def _digest(digested: object) -> str:
    return hashlib.sha256(repr(digested).encode("utf-8", "surrogatepass")).hexdigest()[:16]


def scan(
    contents: Contents,
    sessions: Mapping[str, Session],
    *,
    at: datetime,
    own_tables: Collection[TableKey] | None = None,
) -> ScanResult:
    """Return the requests of the scoring program in our sessions, by their guids.

    A flag whose instruction was taken already is left out: it only has to be cleared. `own_tables` are the tables that
    we handle in a shared file.
    """
    id_map = build_id_map(contents)
    problems: list[ReadProblem] = []
    requests: list[ScoringRequest] = []
    movement_of_others: list[Command] = []
    new_sessions: list[AddSession] = []
    own_contents = contents if own_tables is None else restrict_to_tables(contents, own_tables)
    flags = flags_in(contents, sessions, own_tables=own_tables, problems=problems)
    for row in id_map.sessions:
        guid = id_map.guids[row.id]
        session = sessions.get(guid)
        if session is None:
            new_sessions += _new_sessions(contents, own_contents, id_map, row, sessions, at.date(), problems)
            continue
        due = [
            flag
            for where, flag in flags.items()
            if flag.session == guid and where not in session.instructions.taken
        ]
        if own_tables is not None:
            others_plan = _CommandPlan()
            _plan_movement_of_others(others_plan, contents, id_map, session, row, own_tables)
            commands = tuple(_ordered_commands(others_plan, contents, id_map, session, problems))
            if commands:
                movement_of_others.append(SessionTransaction(guid, commands))
        builder = _RequestBuilder(contents, own_contents, id_map, session, at, problems)
        requests += builder.tables([flag for flag in due if isinstance(flag.row, TableRow)])
        requests += builder.names([flag for flag in due if isinstance(flag.row, PlayerNumberRow)])
        requests += builder.corrections([flag for flag in due if isinstance(flag.row, ResultRow)])
    return ScanResult(tuple(requests), tuple(problems), tuple(movement_of_others), tuple(new_sessions))


# Sessions, and tables of others -----------------------------------------------------------------------------


def _new_sessions(
    contents: Contents,
    own_contents: Contents,
    id_map: IdMap,
    row: SessionRow,
    sessions: Mapping[str, Session],
    today: date,
    problems: list[ReadProblem],
) -> Iterator[AddSession]:
    """Yield the command that adds an unknown session, if rounds of its tables are flagged."""
    event = next((session.opened.event for session in sessions.values()), "")
    ids = id_map.sections_of(row.id)
    flagged = [table for table in own_contents.tables if table.section in ids and _brings_rounds(table)]
    if event and flagged:
        plan = session_plan(replace(contents, tables=tuple(flagged)), id_map, row, today, problems=problems)
        yield AddSession(event, plan)


def _brings_rounds(row: TableRow) -> bool:
    instruction = parse_instruction(row.instruction)
    return instruction is not None and instruction.kind is InstructionKind.ROUNDS


def _plan_movement_of_others(
    command_plan: _CommandPlan,
    contents: Contents,
    id_map: IdMap,
    session: Session,
    row: SessionRow,
    own_tables: Collection[TableKey],
) -> None:
    """Add the movement of tables that other computers handle, where it differs from ours."""
    guid = session.opened.session
    listed: set[tuple[str, int]] = set()
    for id, plans in table_plans(contents, id_map, row.id, []).items():
        letters = id_map.letters[id]
        for plan in plans:
            listed.add((letters, plan.table))
            if (id, plan.table) in own_tables:
                continue
            table = session.movement.tables.get((letters, plan.table))
            our_rounds = table.rounds if table else ()
            first = next(
                (
                    index
                    for index, (old, new) in enumerate(zip(our_rounds, plan.rounds, strict=False))
                    if old != new
                ),
                min(len(our_rounds), len(plan.rounds)),
            )
            if our_rounds == plan.rounds:
                continue
            if first < len(our_rounds):
                command_plan.clears.append(ReplaceRounds(guid, letters, plan.table, first + 1, ()))
            if first < len(plan.rounds):
                rest = TablePlan(plan.table, plan.rounds[first:], first + 1, plan.group)
                command_plan.tables.setdefault(id, []).append(rest)
    for letters, number in sorted(session.movement.tables):
        is_gone = letters in id_map.ids and (letters, number) not in listed
        if is_gone and (id_map.ids[letters], number) not in own_tables:
            command_plan.drops.append(DropTable(guid, letters, number))


def adopt(
    contents: Contents,
    session: Session,
    history: RowHistory,
    own_tables: Collection[TableKey],
) -> Iterator[Command]:
    """Yield the commands that import what another control program recorded at tables that are ours now.

    The file knows more than we do there, except about rows in our history: those were ours or were adopted before, and
    the journal may be ahead of the file.
    """
    id_map = build_id_map(contents)
    guid = session.opened.session
    row = next((row for row in id_map.sessions if id_map.guids[row.id] == guid), None)
    if row is None:
        return
    theirs = restrict_to_tables(contents, own_tables)
    day = session.opened.day
    logs = {place: {log for life in lives for log in life.logs} for place, lives in history.results.items()}

    def is_known(result: ResultRow) -> bool:
        return file_time(log_datetime(result.day, result.at, day)) in logs.get(id_map.place_of(result), ())

    standing = theirs.standing()
    for erased in theirs.results:
        place = id_map.place_of(erased)
        is_instruction = erased.external_update  # carried out as a request of the scoring program
        if not is_instruction and erased.place not in standing and place in session.results.standing:
            newest = history.results[place][-1].log
            if file_time(log_datetime(erased.day, erased.at, day)) >= newest:
                yield EraseResult(guid, *place, Origin.FILE)
                standing[erased.place] = erased
    seats = participations(theirs, id_map, _known_tables(session), [])
    if seats:
        yield PutParticipations(guid, seats, Source.FILE, must_be_known=False)
    recorded_times = Counter(_recorded_key(fact) for fact in history.recorded)

    def is_new(recorded: CallRow | CardRow) -> bool:
        command = recorded_command(recorded, id_map, day)
        if isinstance(command, ReadProblem) or recorded_times[_recorded_key(command)] == 0:
            return True
        recorded_times[_recorded_key(command)] -= 1
        return False

    unknown = replace(
        theirs,
        results=tuple(result for result in standing.values() if not result.erased and not is_known(result)),
        contracts=tuple(row for row in theirs.contracts if id_map.place_of(row) not in history.contracts),
        calls=tuple(call for call in theirs.calls if is_new(call)),
        cards=tuple(card for card in theirs.cards if is_new(card)),
    )
    yield from scoring_commands(unknown, id_map, row, session, [])


def _recorded_key(recorded: CallRecorded | CardRecorded | RecordCall | RecordCard) -> tuple[object, ...]:
    """Return the content of a recorded call or card without its time."""
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
class _CommandPlan:
    """The commands of several instructions in one session, grouped by the order of execution."""

    drops: list[Command] = field(default_factory=list)
    clears: list[Command] = field(default_factory=list)
    tables: dict[int, list[TablePlan]] = field(default_factory=dict)
    waits: list[Command] = field(default_factory=list)
    settings: set[int] = field(default_factory=set)
    hands: set[int] = field(default_factory=set)
    resets: list[Command] = field(default_factory=list)


def _add_instruction(
    command_plan: _CommandPlan,
    session: Session,
    id: int,
    letters: str,
    plan: TablePlan,
    instruction: Instruction,
    at: datetime,
) -> None:
    guid, number = session.opened.session, plan.table
    table = session.movement.tables.get((letters, number))
    round_count = len(table.rounds) if table else 0
    match instruction.kind:
        case InstructionKind.REMOVE_TABLE:
            if table is not None:
                command_plan.drops.append(DropTable(guid, letters, number))
        case InstructionKind.ROUNDS:
            if instruction.round <= round_count:
                command_plan.clears.append(ReplaceRounds(guid, letters, number, instruction.round, ()))
            if plan.rounds:
                command_plan.tables.setdefault(id, []).append(plan)
            if table is not None or plan.rounds:
                command_plan.waits.append(SetWaiting(guid, letters, number, bool(instruction.waits)))
        case InstructionKind.REMOVE_ROUNDS:
            if instruction.round <= round_count:
                command_plan.clears.append(ReplaceRounds(guid, letters, number, instruction.round, ()))
        case InstructionKind.WAITING:
            if table is not None:
                command_plan.waits.append(SetWaiting(guid, letters, number, bool(instruction.waits)))
        case InstructionKind.RESET:
            if table is not None:
                command_plan.resets.append(ResetTable(guid, letters, number, at))
        case InstructionKind.SETTINGS:
            command_plan.settings.add(id)
        case InstructionKind.HAND_RECORDS:
            command_plan.hands.add(id)


def _ordered_commands(
    command_plan: _CommandPlan,
    contents: Contents,
    id_map: IdMap,
    session: Session,
    problems: list[ReadProblem],
) -> Iterator[Command]:
    guid = session.opened.session
    yield from command_plan.drops
    yield from command_plan.clears
    groups = session.setup.groups
    missing = [
        replace(group, sections=())
        for group in groups_of(
            id_map, next(row.id for row in id_map.sessions if id_map.guids[row.id] == guid)
        )
        if group.number not in groups
        and any(id_map.groups[id] == group.number for id in command_plan.tables)
        and not any(letters in session.setup.sections for letters in group.sections)
    ]
    if missing:
        yield SetGroups(guid, tuple(missing))
    for id, plans in sorted(command_plan.tables.items()):
        yield SetMovement(guid, _section_plan(contents, id_map, session, id, problems), tuple(plans))
    yield from command_plan.waits
    for id in sorted(command_plan.settings):
        yield PutSettings(guid, tuple(read_settings(contents, id_map, [id], problems)))
    if command_plan.hands:
        records = hand_records(contents, id_map, sorted(command_plan.hands), problems)
        regrouped = tuple(
            replace(record, group=_our_group(id_map, session, record.group, command_plan.hands))
            for record in records
        )
        yield PutHandRecords(guid, regrouped, HandSource.SCORING_PROGRAM)
    yield from command_plan.resets


def _section_plan(
    contents: Contents, id_map: IdMap, session: Session, id: int, problems: list[ReadProblem]
) -> SectionPlan:
    """Return a section as the file has it, in the scoring group that it has here."""
    plan = section_plan(contents, id_map, id, problems)
    present = session.setup.sections.get(plan.section)
    if present is None:
        mates = [
            session.setup.sections[id_map.letters[other]].group
            for other, group in id_map.groups.items()
            if group == plan.group and id_map.letters[other] in session.setup.sections
        ]
        return replace(plan, group=mates[0] if mates else plan.group)
    return replace(plan, group=present.group, name=present.name, combi=present.combi, id=present.id)


def _our_group(id_map: IdMap, session: Session, group: int, ids: set[int]) -> int:
    """Return our scoring group for sections that are one group in the file."""
    for id in sorted(ids):
        present = session.setup.sections.get(id_map.letters[id])
        if present is not None and id_map.groups[id] == group:
            return present.group
    return group


class _RequestBuilder:
    """A builder of the commands for the flags of one session."""

    def __init__(
        self,
        contents: Contents,
        own_contents: Contents,
        id_map: IdMap,
        session: Session,
        at: datetime,
        problems: list[ReadProblem],
    ) -> None:
        self._contents = contents
        self._own_contents = own_contents
        self._id_map = id_map
        self._session = session
        self._guid = session.opened.session
        self._at = at
        self._problems = problems
        self._rounds = rounds_by_table(own_contents)

    def tables(self, flags: list[Flag]) -> Iterator[ScoringRequest]:
        """Yield one request for all table instructions, because tables that exchange pairs depend on each other.

        An instruction whose rounds the guide tells the control software to refuse is reported and stays flagged.
        """
        flags = [flag for flag in flags if not self._has_errors(flag)]
        if not flags:
            return
        parts: tuple[ScoringRequest, ...] = ()
        if len(flags) > 1:
            parts = tuple(self._tables_request(group) for group in self._independent(flags))
        whole = self._tables_request(flags)
        yield replace(whole, parts=parts) if len(parts) > 1 else whole

    def _has_errors(self, flag: Flag) -> bool:
        assert isinstance(flag.row, TableRow)
        problem_count = len(self._problems)
        self._table_plan(flag.row)
        has_errors = any(problem.is_error for problem in self._problems[problem_count:])
        self._problems[problem_count:] = [problem.for_control for problem in self._problems[problem_count:]]
        if not has_errors:
            del self._problems[problem_count:]  # reported when the rounds are imported
        return has_errors

    def _tables_request(self, flags: list[Flag]) -> ScoringRequest:
        plan = _CommandPlan()
        causes = []
        for flag in flags:
            row = flag.row
            assert isinstance(row, TableRow)
            instruction = parse_instruction(row.instruction)
            assert instruction is not None
            letters = self._id_map.letters[row.section]
            _add_instruction(
                plan, self._session, row.section, letters, self._table_plan(row), instruction, self._at
            )
            cause = f"the scoring program sent instruction {row.instruction} for this table"
            causes.append((letters, row.table, cause))
        commands = tuple(_ordered_commands(plan, self._contents, self._id_map, self._session, self._problems))
        words = "; ".join(flag.description for flag in flags)
        taken = tuple(flag.taken for flag in flags)
        return ScoringRequest(words, TakeInstructions(self._guid, commands, taken, tuple(causes)))

    def _table_plan(self, row: TableRow) -> TablePlan:
        """Return the rounds of an instruction, with earlier rounds that were never sent."""
        instruction = parse_instruction(row.instruction)
        assert instruction is not None
        if instruction.kind is not InstructionKind.ROUNDS:
            return TablePlan(row.table, (), instruction.round, row.group)
        table = self._session.movement.tables.get((self._id_map.letters[row.section], row.table))
        first = min(instruction.round, len(table.rounds) + 1 if table else 1)
        rows = self._rounds.get((row.section, row.table), [])
        rounds = table_rounds(rows, self._problems, first)
        if self._id_map.sections[row.section].scoring_type == TEAMS:
            # Both tables of a match know each other, as they do when a file is opened.
            plans = table_plans(self._contents, self._id_map, self._id_map.session_of[row.section], [])
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
            letters = self._id_map.letters[row.section]
            table = self._session.movement.tables.get((letters, row.table))
            instruction = parse_instruction(row.instruction)
            assert instruction is not None
            first = instruction.round or 1
            if instruction.kind not in (
                InstructionKind.ROUNDS,
                InstructionKind.REMOVE_ROUNDS,
                InstructionKind.REMOVE_TABLE,
            ):
                continue
            previous_rounds = table.rounds[first - 1 :] if table else ()
            plan = self._table_plan(row)
            for flags_by_contestant, start, rounds in (
                (leaving, first, previous_rounds),
                (entering, plan.first, plan.rounds),
            ):
                for number, played in enumerate(rounds, start=start):
                    for contestant in self._contestants(letters, played):
                        flags_by_contestant.setdefault((number, *contestant), []).append(index)
        # Union-find: instructions that point to the same leader depend on each other.
        leader = list(range(len(flags)))

        def find(index: int) -> int:
            while leader[index] != index:
                index = leader[index]
            return index

        for place, arrivals in entering.items():
            for index in leaving.get(place, ()):
                for arrival in arrivals:
                    leader[find(arrival)] = find(index)
        groups: dict[int, list[Flag]] = {}
        for index, flag in enumerate(flags):
            groups.setdefault(find(index), []).append(flag)
        return list(groups.values())

    def _contestants(self, letters: str, played: Round) -> Iterator[tuple[object, ...]]:
        """Yield the pairs of a round as keys that are equal wherever the same pair sits."""
        section = "" if self._session.opened.across_field else letters
        is_known = letters in self._session.setup.sections
        has_two_winners = is_known and self._session.winners(letters) == 2
        for side, pair in ((Side.NS, played.ns), (Side.EW, played.ew)):
            if pair:
                yield section, side if has_two_winners else None, pair

    def names(self, flags: list[Flag]) -> Iterator[ScoringRequest]:
        """Yield one request for all names, because two players may have changed seats."""
        if not flags:
            return
        parts = tuple(self._names_request([flag], flag.description) for flag in flags)
        yield (
            parts[0]
            if len(parts) == 1
            else replace(self._names_request(flags, f"{len(flags)} names"), parts=parts)
        )

    def _names_request(self, flags: list[Flag], words: str) -> ScoringRequest:
        rows = tuple(flag.row for flag in flags if isinstance(flag.row, PlayerNumberRow))
        contents = replace(self._own_contents, player_numbers=rows)
        seated = participations(contents, self._id_map, _known_tables(self._session), self._problems)
        unseated = (
            participation(row, self._id_map.letters[row.section])
            for row in rows
            if not row.name and not row.number
        )
        command = PutParticipations(
            self._guid,
            (*(removal for removal in unseated if removal is not None), *seated),
            Source.SCORING_PROGRAM,
            must_be_known=False,
        )
        taken = tuple(flag.taken for flag in flags)
        return ScoringRequest(words, TakeInstructions(self._guid, (command,), taken))

    def corrections(self, flags: Iterable[Flag]) -> Iterator[ScoringRequest]:
        """Yield a request for each corrected result; one that cannot be read is reported and stays flagged."""
        standing = self._own_contents.standing()
        for flag in flags:
            row = flag.row
            assert isinstance(row, ResultRow)
            place = self._id_map.place_of(row)
            commands: list[Command] = []
            if row.place not in standing:
                if place in self._session.results.standing:
                    commands.append(EraseResult(self._guid, *place, Origin.SCORING_PROGRAM))
            elif standing[row.place].id == row.id:
                result = result_entry(row, self._id_map, self._session.opened.day)
                if isinstance(result, ReadProblem):
                    self._problems.append(result)
                    continue
                commands.append(PutResults(self._guid, (result.entry,), Origin.SCORING_PROGRAM))
                commands.append(JudgeResult(self._guid, *place, result.suspicion))
            yield ScoringRequest(
                flag.description, TakeInstructions(self._guid, tuple(commands), (flag.taken,))
            )
