"""Control software on one `.bws` file: it executes the instructions in the file, and writes results as rows.

Several computers may share a file. The control program of each handles the tables of its own computer, and those of a
computer whose program does not run.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from datetime import date, datetime
from pathlib import Path

from overtrick import jet
from overtrick.bridge import Played, Undecided
from overtrick.bws.contents import Contents, read_contents
from overtrick.bws.control_rows import client_edits, rows_due, session_edits
from overtrick.bws.control_side import Flag, ScanResult, ScoringRequest, adopt, flags_in, scan
from overtrick.bws.edits import Edit, carry_out
from overtrick.bws.event_from_file import EventFromFile, UnplayableFile, read_event
from overtrick.bws.id_map import build_id_map
from overtrick.bws.players import (
    FROM_LOOKUP_FILE,
    LOOKUP_FILE,
    compares_text,
    find_lookup_file,
    names_due,
    names_of,
    numbers_without_names,
    read_lookup,
)
from overtrick.bws.results import is_left_undecided
from overtrick.bws.row_history import RowHistory
from overtrick.bws.table_ownership import (
    ControlPeer,
    TableKey,
    clients_for,
    ownership_sentences,
    restrict_to_tables,
    tables_of_clients,
)
from overtrick.control.orders import StartOptions, parameter_notes
from overtrick.directing.session_end import has_last_result
from overtrick.errors import BadInput
from overtrick.event import AddSession, OpenEvent, Rejection, Session, decide, session_stream
from overtrick.event.instructions import ClearInstructions, Instructions, InstructionTaken
from overtrick.event.movement import RoundsSet
from overtrick.event.place import Place
from overtrick.event.seating import PutPlayers
from overtrick.event.setup import Generation
from overtrick.host.control import SCORING, ControlSoftware, keys_beside, place_words, wall_clock
from overtrick.host.due_executor import ACTOR, CONTROL
from overtrick.host.instance_lock import InstanceLock, hold_instance
from overtrick.host.runtime import Runtime, open_runtime
from overtrick.keys import KeyRing
from overtrick.store import JournalEntry
from overtrick.store.address import is_address, without_password
from overtrick.store.errors import JournalUnavailable
from overtrick.store.projection import Projection

UNREACHABLE = (jet.AccessFileError, jet.ReadOnlyAccessFile, jet.NotWritten, jet.RowGone)
"""Errors that may not recur at the next pass: Access has the file, another program writes, the disk is full."""

MTIME_RESOLUTION = 2_000_000_000
"""Nanoseconds after which the modification time tells two writes apart on any file system."""

FILE = "the session file"
"""The name of the one event of a program whose sessions come from a file and not from orders in the journal."""


class SessionFileControl(ControlSoftware):
    """Control software for the sessions of one file and their terminals.

    Every pass reconciles the file with the journal: it clears the flags of instructions that were executed, executes
    new instructions, and writes the rows that follow from the history of the sessions. It compares states and does not
    depend on having noticed a change, so a restart at any moment loses nothing.

    Order in a pass: an instruction is first executed, which records its flag in the journal as taken, and then its flag
    in the file is cleared. After a crash between the two, the next start finds the flag taken and only clears it.

    The journal records last that the flag is gone. If that fails, a flag that appears later is a new instruction even
    if it says the same, as far as a read has shown that the file was without it (`_gone`). A flag that was set again
    while no control program was running cannot be distinguished from the one that was taken: it is only cleared, and
    reported.
    """

    def __init__(
        self,
        runtime: Runtime,
        db: jet.Database,
        start: StartOptions,
        *,
        instance: InstanceLock,
        left_to: Collection[str] = (),
        now: Callable[[], datetime] = wall_clock,
        generation: Generation | None = None,
        evaluates: bool = True,
        keys: KeyRing | None = None,
    ) -> None:
        super().__init__(runtime, start, now=now, generation=generation, evaluates=evaluates, keys=keys)
        self._db = db
        self._instance = instance
        self._left_to = left_to
        self._is_over = False
        self._guids: tuple[str, ...] = ()
        self._last_problem = ""
        """The sentence about the file that was reported last, until a pass succeeds."""
        self._file_id = self._read_file_id()
        self._peers: list[ControlPeer] = []
        self._clients: frozenset[int] = frozenset()
        """The clients whose tables we handle."""
        self._own_tables: frozenset[TableKey] = frozenset()
        """The tables of these clients. A table stays ours while its row is missing from the file."""
        self._left_alone: dict[tuple[str, int], str] = {}
        """The tables that other computers handle, with the names of the computers."""
        self._contents: Contents | None = None
        """The contents of the file as they were parsed last, while they are known to be current."""
        self._histories: dict[str, Projection[RowHistory]] = {}
        """The history of the rows of each session, by its guid."""
        self._complete: tuple[Contents | None, object] = None, None
        """The contents of the file, and the versions and own tables, for which no row was due."""
        self._names: tuple[object, Mapping[str, str]] = None, {}
        """The stamp of the lookup file, and the names that were read from it."""
        self._gone: frozenset[tuple[str, InstructionTaken]] = frozenset()
        """Taken instructions, by session, whose flags were seen to be gone although the journal does not say so yet."""
        self.sentences += parameter_notes(start)
        initial_contents = read_contents(db)
        self._write(client_edits(initial_contents, instance.computer))
        contents = self._read()
        if unknown := [id for id in start.hand_records if id not in build_id_map(contents).sections]:
            names = ", ".join(str(id) for id in unknown)
            raise BadInput(f"/h names section {names}, which is not in the file; nothing was started.")
        clients_in_journal = instance.known_before | self._clients_of_this_computer(contents)
        self._claim(contents)
        contents = self._read()  # from here on, no other program writes rows of our tables
        departed_clients = instance.departed()
        if self._open(contents, now().date()) and not start.resets:
            # For tables that we handled last, the journal knows more than the file; for others, the file does.
            self._adopt(
                contents,
                tables_of_clients(
                    contents, self._clients - clients_in_journal | (departed_clients & self._clients)
                ),
            )
        self._note_known()
        sessions = self.sessions()
        flags = flags_in(initial_contents, sessions).values()
        self._gone = _taken_instructions(sessions) - {(flag.session, flag.taken) for flag in flags}
        self.sentences += ownership_sentences(
            contents, build_id_map(contents), self._clients, instance.computer
        )
        self._reconcile()

    def _events(self) -> dict[str, tuple[str, ...]]:
        """Return the one event of the file with its sessions; empty once it is over."""
        return {} if self._is_over else {FILE: self._guids}

    def _shut_down(self, event: str) -> None:
        self._is_over = True

    # Opening ------------------------------------------------------------------------------------------------

    def _open(self, contents: Contents, today: date) -> bool:
        """Continue the sessions of the file that the journal knows; with a reset, or if it knows none, open them.

        Return True if sessions were continued. One command opens the event and records the results in the file, so a
        program that is killed has done both or neither. Raise UnplayableFile if the file cannot be played.
        """
        if self._start.hand_records:
            records = [row for row in contents.hand_records if row.section in self._start.hand_records]
            contents = replace(contents, hand_records=tuple(records))
        file_event = read_event(_without_other_tables(contents, self._own_tables), today=today)
        # Keep a known session even while the scoring program has deleted its sections to add them again.
        planned = {plan.session for plan in file_event.event.sessions}
        guids = build_id_map(contents).guids.values()
        continued = [session for guid in guids if (session := self.session(guid)) is not None]
        self._guids = tuple(guid for guid in guids if guid in planned or self.session(guid) is not None)
        problems = [problem.for_control for problem in file_event.problems]
        self.sentences += map(str, problems)
        if continued and not self._start.resets:
            # The scoring program may be in the middle of a change: keep the movement until a flag asks for an update.
            self._add_new_sessions(continued, file_event)
            return True
        if file_event.rejection is not None:
            raise UnplayableFile(str(file_event.rejection))
        if errors := [str(problem) for problem in problems if problem.is_error]:
            raise UnplayableFile(" ".join(errors))
        if not continued:
            self._open_event(file_event.event_with_history())
        if continued or (self._start.resets and file_event.afterwards):
            # A reset erases earlier results, also those that another program has recorded.
            self._open_event(file_event.event)
        return False

    def _open_event(self, event: OpenEvent) -> None:
        answer = self.runtime.do(event, side=SCORING, actor=ACTOR)
        if isinstance(answer, Rejection):
            raise UnplayableFile(str(answer))

    def _add_new_sessions(self, sessions: list[Session], file_event: EventFromFile) -> None:
        """Add the sessions that are new in the file since the last run to the event of the known ones."""
        event = sessions[0].opened.event
        for plan in file_event.event_with_history().sessions:
            if self.session(plan.session) is None and not self._execute_or_report(
                AddSession(event, plan), f"session {plan.name}"
            ):
                self._guids = tuple(guid for guid in self._guids if guid != plan.session)

    # Sharing the file ---------------------------------------------------------------------------------------

    @property
    def _own_tables_if_shared(self) -> frozenset[TableKey] | None:
        """Return our tables, or None if all tables are ours."""
        return self._own_tables if self._left_alone else None

    def _clients_of_this_computer(self, contents: Contents) -> frozenset[int]:
        return frozenset(row.id for row in contents.clients if row.computer == self._instance.computer)

    def _claim(self, contents: Contents) -> None:
        """Claim tables in our lock file, while the session file is locked against claims of other programs."""
        with self._db.file.locked(alone=True):
            self._peers = self._instance.peers()
            self._clients = clients_for(contents, self._instance.computer, self._peers, self._left_to)
            self._instance.announce(self._clients, self._clients_of_this_computer(contents))
        self._update_own_tables(contents)

    def _note_known(self) -> None:
        """Note in our lock file that our journal has what others recorded at our tables.

        The lock files of programs that have ended are deleted only after that: a program that is killed in between
        adopts the records at its next start.
        """
        with self._db.file.locked(alone=True):
            self._instance.note_known()
            self._instance.forget_departed()

    def _update_own_tables(self, contents: Contents) -> None:
        id_map = build_id_map(contents)
        listed = {(row.section, row.table) for row in contents.tables}
        self._own_tables = tables_of_clients(contents, self._clients) | (self._own_tables - listed)
        handlers = {id: peer.computer for peer in self._peers for id in peer.clients}
        names = {row.id: row.computer for row in contents.clients}
        self._left_alone = {
            (id_map.letters[row.section], row.table): handlers.get(row.computer)
            or names.get(row.computer, "")
            for row in contents.tables
            if (row.section, row.table) not in self._own_tables and row.section in id_map.letters
        }

    def _redistribute_tables(self, contents: Contents) -> None:
        """Return tables to a computer whose program runs again, and take over those of one that has ended."""
        self._peers = self._instance.peers()
        next_clients = clients_for(contents, self._instance.computer, self._peers, self._left_to)
        previous_tables, previous_clients = self._own_tables, self._clients
        listed = {(row.section, row.table) for row in contents.tables}
        if previous_tables & listed - tables_of_clients(contents, next_clients):
            # Write the rows of tables that we return first: the other program reads them from the file.
            self._write_rows()
        if next_clients == previous_clients:
            self._update_own_tables(contents)
        else:
            self._claim(contents)
        if self._own_tables == previous_tables and self._clients == previous_clients:
            return
        contents = self._read()
        self.sentences += ownership_sentences(
            contents, build_id_map(contents), self._clients, self._instance.computer
        )
        self._instance.departed()
        self._adopt(contents, self._own_tables - previous_tables)
        self._note_known()

    def _adopt(self, contents: Contents, own_tables: Collection[TableKey]) -> None:
        """Record in the journal what others have recorded at these tables."""
        for guid, session in self.sessions().items() if own_tables else ():
            for command in list(adopt(contents, session, self._history(guid), own_tables)):
                self._execute_or_report(command, "what another control program has recorded")

    def _left_to_others(self) -> Mapping[tuple[str, int], str]:
        return self._left_alone

    def _played_elsewhere(self, session: Session) -> Collection[Place]:
        """Return the boards with results in the file at tables of other computers.

        The result is empty until our own tables have their last result.
        """
        if not self._left_alone or not has_last_result(session, self._left_alone):
            return ()
        contents = self._read()
        letters = build_id_map(contents).letters
        return frozenset(
            (letters.get(section, ""), table, number, board)
            for section, table, number, board in contents.standing()
            if (letters.get(section, ""), table) in self._left_alone
        )

    # A pass -------------------------------------------------------------------------------------------------

    def tick(self) -> bool:
        """Reconcile the file, execute what is due, and write the rows; return whether it is time to end.

        A file that cannot be read or written for a while, as when Access has it open, does not stop play: results are
        in the journal, and a later pass writes them.
        """
        try:
            self._reconcile()
            is_over = super().tick()
        except JournalUnavailable as error:
            self._contents = None
            self._count_failure(error)
            return False
        except UNREACHABLE as error:
            self._contents = None
            if self._last_problem != str(error):
                self._last_problem = str(error)
                self.sentences.append(f"{self._last_problem} Overtrick will try again.")
            return False
        self._last_problem = ""
        return is_over

    def execute_due(self) -> bool:
        """Execute what is due, and write the rows that follow; return as the base class does."""
        is_done = super().execute_due()
        self._write_rows()
        return is_done

    def _reconcile(self) -> None:
        """Clear executed instructions, execute new ones, and write the rows that are due."""
        if (file_id := self._read_file_id()) != self._file_id:
            self._continue_with_replacement()
            self._file_id = file_id
        if time.time_ns() - self._db.path.stat().st_mtime_ns < MTIME_RESOLUTION:
            self._contents = None  # two writes in quick succession may have the same modification time
        self._redistribute_tables(self._read())
        self._clear_instructions(is_left_over=True)
        self._write_once()
        result = self._scan()
        for plan in result.new_sessions:
            if self._execute_or_report(plan, f"session {plan.plan.name}"):
                self._guids = (*self._guids, plan.plan.session)
                self.sentences.append(f"Session {plan.plan.name} was added.")
        if result.new_sessions:
            result = self._scan()
        for problem in result.problems:
            self._say(str(problem))
        for command in result.movement_of_others:
            # A rejection means that the scoring program is still writing; the next pass tries again.
            self.runtime.do(command, side=SCORING, actor=ACTOR)
        for request in result.requests:
            self._execute_request(request)
        self._clear_instructions()
        self._find_names()
        self._report_rulings()
        self._write_rows()

    def _report_rulings(self) -> None:
        """Report results that a row cannot hold: weighted ones, and those that differ for the two sides."""
        for session in self.sessions().values():
            for place, result in session.results.standing.items():
                if result.outcome_ew not in (None, result.outcome):
                    self._say(
                        f"{place_words(place)}: North-South has {result.outcome}, East-West {result.outcome_ew}. The "
                        "session file cannot hold both. It has an arbitral score, to be scored by hand."
                    )
                elif not isinstance(result.outcome, Played | Undecided) and is_left_undecided(result):
                    self._say(
                        f"{place_words(place)}: the result is {result.outcome}. The session file cannot say that; it "
                        "has an arbitral score, to be scored by hand."
                    )

    def _find_names(self) -> None:
        """Look up names for the numbers that players have entered, in the source that the settings name."""
        for guid, session in self.sessions().items():
            numbers = numbers_without_names(session)
            if not numbers:
                continue
            contents = self._read()
            lookup: Mapping[str, str] = {}
            if any(source in FROM_LOOKUP_FILE for source in numbers.values()):
                lookup = self._lookup(as_text=compares_text(contents))
            if players := names_due(contents, numbers, lookup):
                self._execute_or_report(PutPlayers(guid, players), "names of players", CONTROL)

    def _lookup(self, *, as_text: bool) -> Mapping[str, str]:
        """Return the names in BMPlayerDB.mdb. The file is read again when it has changed."""
        file = find_lookup_file(self._db.path.parent, Path(sys.argv[0]).resolve().parent)
        if file is None:
            self._say(
                f"Names should come from {LOOKUP_FILE}, but it is neither beside the session file nor beside this "
                "program. Numbers stay without names."
            )
            return {}
        try:
            status = file.stat()
            stamp = file, status.st_mtime_ns, status.st_size, as_text
            if stamp != self._names[0]:
                self._names = stamp, names_of(read_lookup(file), as_text=as_text)
        except (OSError, BadInput, jet.AccessFileError) as error:
            self._say(f"{LOOKUP_FILE} cannot be read: {error} Numbers stay without names.")
            return {}
        return self._names[1]

    def _scan(self) -> ScanResult:
        return scan(
            self._read(), self.sessions(), at=self._file_time(), own_tables=self._own_tables_if_shared
        )

    def _execute_request(self, request: ScoringRequest) -> None:
        """Execute an instruction, or report why not. If a group is rejected, execute its parts one by one."""
        answer = self.runtime.do(request.command, side=SCORING, actor=ACTOR)
        if not isinstance(answer, Rejection):
            return
        if not request.parts:
            self._say(f"{request.description}: {answer}")
        for part in request.parts:
            self._execute_request(part)

    def _clear_instructions(self, *, is_left_over: bool = False) -> None:
        """Clear the flags of executed instructions in the file, and then their records in the journal.

        A flag that has changed since is a new instruction, and stays. `is_left_over`: they were executed by an earlier
        pass, which was interrupted.
        """
        sessions = self.sessions()
        instructions = _taken_instructions(sessions)
        self._gone &= instructions
        if not instructions:
            return
        with self._writing():
            contents = read_contents(self._db)
            flags = flags_in(contents, sessions, own_tables=self._own_tables_if_shared)
            unchanged = [
                flag for flag in flags.values() if (flag.session, flag.taken) in instructions - self._gone
            ]
            if is_left_over:
                self._report_not_repeated(contents, unchanged)
            carry_out(self._db, [flag.clear for flag in unchanged])
        self._gone = instructions
        for guid, session in sessions.items():
            if where := tuple(session.instructions.taken):
                self._execute_or_report(ClearInstructions(guid, where), "flags in the session file", CONTROL)
        self._gone = frozenset()

    def _report_not_repeated(self, contents: Contents, flags: list[Flag]) -> None:
        """Report instructions that would change something, or be rejected, if they were executed again.

        They were executed by a pass that was interrupted, and the scoring program may have sent them again since. Not
        to execute them is the safe choice: nothing that was entered since is lost.
        """
        sessions = {
            guid: replace(session, instructions=Instructions()) for guid, session in self.sessions().items()
        }
        flagged = {flag.where for flag in flags}
        result = scan(contents, sessions, at=self._file_time(), own_tables=self._own_tables_if_shared)
        for request in (part for whole in result.requests for part in whole.parts or (whole,)):
            if flagged.isdisjoint(instruction.where for instruction in request.command.taken):
                continue
            with self.runtime.writer.reading() as state:
                decided = decide(state, request.command)
            # The rounds that such an instruction sets are those that the table has.
            if isinstance(decided, Rejection) or not all(
                isinstance(entry.fact, RoundsSet | InstructionTaken) for entry in decided
            ):
                self._say(
                    f"{request.description}: this was done before the control software was interrupted. It is not done "
                    "again, so that nothing that was entered since is lost. If the scoring program has sent it again, "
                    "send it once more."
                )

    def _write_once(self) -> None:
        """Write the row of our computer, and the guids and dates of sessions, where the file lacks them."""
        contents = self._read()
        edits = [
            *client_edits(contents, self._instance.computer),
            *session_edits(contents, build_id_map(contents), self._now().date()),
        ]
        self._write(edits)

    def _write_rows(self) -> None:
        """Write the rows that follow from the history of the sessions and are not in the file."""
        contents = self._read()
        inputs = self._versions(), self._own_tables_if_shared
        if contents is self._complete[0] and inputs == self._complete[1]:
            return  # nothing was due for the same file and the same journal
        if self._rows_due(contents):
            with self._writing():
                carry_out(self._db, self._rows_due(read_contents(self._db)))
        else:
            self._complete = contents, inputs

    def _versions(self) -> dict[str, int]:
        """Return the version of each session's stream."""
        return {guid: self.version(guid) for guid in self._guids}

    def _rows_due(self, contents: Contents) -> list[Edit]:
        own_tables = self._own_tables_if_shared
        return [
            edit
            for guid in self._guids  # also after the end, when no event runs any more
            if (session := self.session(guid)) is not None
            for edit in rows_due(contents, session, self._history(guid), own_tables=own_tables)
        ]

    def _history(self, guid: str) -> RowHistory:
        """Return the history of a session's rows, up to date, over all incarnations of the session."""
        if guid not in self._histories:
            self._histories[guid] = Projection(self.runtime.journal, RowHistory, _apply_to_history)
        history = self._histories[guid]
        newest = self.runtime.incarnation(guid)
        history.catch_up(session_stream(guid, number) for number in range(1, newest + 1))
        return history.state

    # The file -----------------------------------------------------------------------------------------------

    def _read(self) -> Contents:
        """Return the contents of the file; parse it only if it has changed."""
        if self._contents is not None and not self._db.changed():
            return self._contents
        self._contents = read_contents(self._db)
        return self._contents

    def _write(self, edits: Iterable[Edit]) -> None:
        edits = list(edits)
        if edits:
            with self._writing():
                carry_out(self._db, edits)

    @contextmanager
    def _writing(self) -> Iterator[None]:
        """Hold the write lock of the file; drop the parsed contents at the end."""
        try:
            with self._db.writing():
                yield
        finally:
            self._contents = None

    def _read_file_id(self) -> tuple[int, int]:
        """Return the device and inode of the file at our path, to notice a copy that was put in its place."""
        try:
            status = Path(self._start.file).stat()
        except OSError as error:
            raise jet.AccessFileError(
                f"The session file is gone ({error.strerror}). Results are kept.",
                where=self._start.file,
            ) from None
        return status.st_dev, status.st_ino

    def _continue_with_replacement(self) -> None:
        """Continue with a file that replaced ours, if it has the same sessions; else raise AccessFileError."""
        self._contents = None
        self._db.refresh()
        contents = read_contents(self._db)
        file_event = read_event(contents, today=self._now().date())
        if {plan.session for plan in file_event.event.sessions} != set(self._guids):
            raise jet.AccessFileError(
                "The session file was replaced by the file of another session. Results are kept.",
                where=self._start.file,
            )
        self._say("The session file was replaced by another copy. Everything is written into it.")
        self._write(client_edits(contents, self._instance.computer))
        self._claim(self._read())

    def _file_time(self) -> datetime:
        """Return the local time without a zone, as files keep it."""
        return self._now().replace(tzinfo=None)


def _taken_instructions(sessions: Mapping[str, Session]) -> frozenset[tuple[str, InstructionTaken]]:
    """Return the instructions that were taken and not cleared yet, each with its session."""
    return frozenset(
        (guid, instruction)
        for guid, session in sessions.items()
        for instruction in session.instructions.taken.values()
    )


def _apply_to_history(history: RowHistory, entry: JournalEntry) -> None:
    from_file = entry.side == SCORING and entry.actor == ACTOR
    history.apply(entry.fact, entry.at.astimezone(), from_file=from_file)


def _without_other_tables(contents: Contents, own_tables: Collection[TableKey]) -> Contents:
    """Return the contents without results, contracts, calls and cards of other tables."""
    ours = restrict_to_tables(contents, own_tables)
    return replace(
        contents, results=ours.results, contracts=ours.contracts, calls=ours.calls, cards=ours.cards
    )


def journal_of(file: Path, computer: str = "") -> Path:
    """Return the default path of the journal of a session file; a named computer has its own journal.

    >>> journal_of(Path("club/monday.bws")).name, journal_of(Path("monday.bws"), "OFFICE").name
    ('monday.journal', 'monday.OFFICE.journal')
    """
    return file.with_suffix(f".{computer}.journal" if computer else ".journal")


@contextmanager
def open_session_file_control(
    start: StartOptions,
    *,
    journal: Path | str | None = None,
    computer: str,
    left_to: Collection[str] = (),
    now: Callable[[], datetime] = wall_clock,
    generation: Generation | None = None,
    evaluates: bool = True,
) -> Iterator[SessionFileControl]:
    """Open the control software on a session file, for the tables of a computer.

    Tables of the computers in `left_to` are not handled: other control software runs there. Raise AlreadyRunning if
    this computer already runs one, UnplayableFile if the file cannot be played.
    """
    file = Path(start.file)
    where = journal or journal_of(file)
    with (
        jet.open(file, "r+") as db,
        hold_instance(
            file, computer, without_password(str(where)) if is_address(where) else str(Path(where).resolve())
        ) as instance,
        open_runtime(where) as runtime,
        SessionFileControl(
            runtime,
            db,
            start,
            instance=instance,
            left_to=left_to,
            now=now,
            generation=generation,
            evaluates=evaluates,
            keys=keys_beside(runtime.journal),
        ) as control,
    ):
        yield control
