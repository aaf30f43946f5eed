"""An evening on a real `.bws` file: the control software, the phones at the tables and a scoring program.

The control software can be killed at any of its steps, and the others can act between any two of them. Everything runs
in one process, so that a story is the same each time it is told.
"""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass, field, replace
from datetime import date, datetime, timedelta, tzinfo
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypeVar
from unittest.mock import patch

from overtrick import jet
from overtrick.bridge import Outcome, Seat
from overtrick.bws.scoring_side import create
from overtrick.bws.session_plan import choose_movement, plan_evening
from overtrick.control.device_location import TablePlace
from overtrick.control.entries import COMMANDS, write_entry
from overtrick.control.orders import parse_command_line
from overtrick.control.pins import permission_scope
from overtrick.errors import OvertrickError
from overtrick.event import Command, Rejection, Session
from overtrick.event.calls import CallDirector
from overtrick.event.hands import HandRecord, HandSource, PutHandRecords
from overtrick.event.place import Place
from overtrick.event.recording import EnterContract, RecordCall, RecordCard
from overtrick.event.results import (
    CorrectResult,
    EnterResult,
    EraseResult,
    JudgeResult,
    Origin,
    ResultEntry,
    Suspicion,
)
from overtrick.event.seating import Participation, PutParticipations, Source
from overtrick.event.settings import SettingsII
from overtrick.event.tables import LogOff, LogOn
from overtrick.host import writer
from overtrick.host.runtime import Runtime, open_runtime
from overtrick.host.session_file import SessionFileControl, journal_of, open_session_file_control
from overtrick.keys import KeyRing
from overtrick.store import JournalEntry as JournalEntry
from overtrick.store import sqlite
from tests.host.scoring_program import CUSTOM, OUTCOMES, Flag, ScoringProgram, deal, log_time
from tests.host.step_points import Action, Killed, Steps, has_read_rows

GUID = "6F9619FF8B86D011B42D00C04FC964FF"
TODAY = date(2026, 3, 2)
SEVEN = datetime(2026, 3, 2, 19, 0).astimezone()
PASSES = 8
"""The most passes that the control software needs until nothing changes."""

Snapshot = dict[str, dict[tuple[Any, ...], dict[str, Any]]]
"""The rows of a file, by table and key."""

KEYS: dict[str, tuple[str, ...]] = {
    "Clients": ("ID",),
    "Session": ("ID",),
    "Section": ("ID",),
    "Tables": ("Section", "Table"),
    "RoundData": ("Section", "Table", "Round"),
    "ReceivedData": ("ID",),
    "IntermediateData": ("ID",),
    "PlayerNumbers": ("Section", "Table", "Direction", "Round"),
    "PlayerNames": ("ID", "strID"),
    "Settings": ("Section",),
    "BiddingData": ("ID",),
    "PlayData": ("ID",),
    "HandRecord": ("Section", "Board"),
    "HandEvaluation": ("Section", "Board"),
}


# Files ------------------------------------------------------------------------------------------------------


@cache
def _template(kind: str) -> bytes:
    """Return a file as our own scoring program makes it: `mitchell`, `two sections`, `swiss` or `scored`."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "monday.bws"
        is_double = kind == "two sections"
        movement = choose_movement("howell", 2, 2) if is_double else choose_movement("mitchell", 3, 2)
        sections = ("A", "B") if is_double else ("A",)
        event = plan_evening(movement, guid=GUID, name="Monday", day=TODAY, sections=sections)
        (planned,) = event.sessions
        quiet = SettingsII(show_results=False)
        settings = tuple((letters, quiet) for letters in sections)
        event = replace(event, sessions=(replace(planned, settings=settings),))
        create(path, event, computer="CLUB", clock=lambda: SEVEN.replace(tzinfo=None))
        with jet.open(path, "r+") as db:
            db["ReceivedData"].add_column(jet.Column(CUSTOM, jet.ColumnType.YES_NO, default="False"))
            if kind == "swiss":
                for row in db["RoundData"].rows():
                    if row["Round"] != 1:
                        db["RoundData"].delete(row)
            if kind == "scored":
                for row in db["RoundData"].rows():
                    if row["Round"] == 1:
                        db["ReceivedData"].insert(scored_row(row, row["LowBoard"]))
        return path.read_bytes()


def scored_row(played: Mapping[str, Any], board: Any) -> dict[str, Any]:
    """Return the result of a board of a round, as other control software has written it."""
    return {
        **{name: played[name] for name in ("Section", "Table", "Round")},
        "Board": board,
        "PairNS": played["NSPair"],
        "PairEW": played["EWPair"],
        "Declarer": played["NSPair"],
        "NS/EW": "N",
        "Contract": "4 S",
        "Result": "=",
        "LeadCard": "",
        "Remarks": "",
        **log_time(SEVEN),
    }


KINDS = ("mitchell", "two sections", "swiss", "scored")


def make_file(folder: Path, kind: str = "mitchell") -> Path:
    """Make a file of a kind."""
    path = folder / "monday.bws"
    path.write_bytes(_template(kind))
    return path


class Reader:
    """Reads every row of the guide's tables from a file, again when it has changed."""

    def __init__(self, path: Path) -> None:
        self._db = jet.open(path)
        self._tables = {name: self._db[name] for name in KEYS}
        self._rows = self._read()

    def close(self) -> None:
        """Close the file."""
        self._db.close()

    def rows(self) -> Snapshot:
        """Return the rows by table and key; of several with one key each has a key of its own."""
        if self._db.refresh():
            self._rows = self._read()
        return self._rows

    def _read(self) -> Snapshot:
        found: Snapshot = {}
        with self._db.reading():
            for table, names in KEYS.items():
                rows: dict[tuple[Any, ...], dict[str, Any]] = {}
                for row in self._tables[table].rows():
                    key: tuple[Any, ...] = tuple(row[name] for name in names)
                    while key in rows:
                        key = (*key, "again")
                    rows[key] = dict(row)
                found[table] = rows
        return found


# The evening ------------------------------------------------------------------------------------------------


@dataclass
class Acknowledged:
    """Something that a phone sent and that was acknowledged."""

    command: Command
    version: int
    """The version of the session's stream at that time."""


@dataclass
class _Clock:
    """The time of the journal: that of the evening."""

    evening: "Evening"

    def now(self, zone: tzinfo) -> datetime:
        """Return the time."""
        return self.evening.now.astimezone(zone)


@dataclass
class Evening:
    """Everybody who works on one file."""

    path: Path
    is_patient: bool = True
    words: tuple[str, ...] = ("/r",)
    """The parameters of the first start of the control software; later starts have /r."""
    computer: str = "CLUB"
    journal: Path | None = None
    now: datetime = SEVEN
    control: SessionFileControl | None = None
    acknowledged: list[Acknowledged] = field(default_factory=list)
    refusals: list[str] = field(default_factory=list)
    """Why the control software did not start."""
    sentences: list[str] = field(default_factory=list)
    """Its sentences so far."""
    on_control_write: Callable[[Snapshot, Snapshot], None] = lambda before, after: None
    """Called with the rows before and after each write of the control software."""
    steps: Steps = field(default_factory=Steps)
    kills: int = 0

    def __post_init__(self) -> None:
        self.journal = self.journal or journal_of(self.path)
        self._all = ExitStack()
        self._all.enter_context(self.steps)
        self._all.enter_context(patch.object(writer, "datetime", _Clock(self)))
        # A killed program loses nothing that it has written; only a power cut would.
        self._all.enter_context(patch.object(os, "fsync", lambda descriptor: None))
        self._all.enter_context(patch.object(sqlite, "DURABLE", ("synchronous = OFF",)))
        self._reader = Reader(self.path)
        self._all.callback(self._reader.close)
        self._phones: Runtime | None = None
        self._opening: AbstractContextManager[SessionFileControl] | None = None
        self._is_starting = False
        self._entries = 0
        self._facts: dict[str, list[JournalEntry]] = {}
        """The facts of the session's stream that were read before."""
        keys = self.path.parent / "keys"
        keys.mkdir(exist_ok=True)
        self._keys = KeyRing(keys)
        self.scoring = ScoringProgram(self.path, is_patient=self.is_patient)
        self._all.callback(self.scoring.close)
        self.scoring.on_repeat = self._note_repeat
        self._repeats: dict[Flag, int] = {}
        """The flags that were raised again before the journal said that the last one was cleared."""
        self.seen = self._reader.rows()
        self.steps.on_write = self._note_control_write

    def __enter__(self) -> "Evening":
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()
        self._all.close()

    # The file -----------------------------------------------------------------------------------------------

    def rows(self, table: str) -> list[dict[str, Any]]:
        """Return the rows of a table as the file has them now."""
        self.look()
        return list(self.seen[table].values())

    def look(self) -> Snapshot:
        """Read the file again."""
        self.seen = self._reader.rows()
        return self.seen

    def _note_control_write(self) -> None:
        before, after = self.seen, self.look()
        if before is not after:
            self.on_control_write(before, after)

    # The control software -----------------------------------------------------------------------------------

    def run(
        self, *actions: tuple[int, Action], kill_at: int | None = None, work: Action | None = None
    ) -> bool:
        """Let the control software make a pass, after it has been started if it is not running.

        Do the actions at their points; where there are fewer points, do them afterwards. Return whether the pass
        came to its end.
        """
        self.steps.begin(actions, kill_at)
        try:
            with self.steps.running():
                if self.control is None:
                    self._start()
                if work is not None:
                    work()
                else:
                    assert self.control is not None
                    self.control.tick()
            if kill_at is not None:
                self.kill()
        except Killed:
            self.kill()
        except OvertrickError as error:
            if self.control is not None:
                raise
            self.refusals.append(str(error))
            if self.session is not None:
                raise AssertionError("The session is known, and the program does not start.") from error
        if self.control is not None:
            self.sentences += self.control.sentences
            self.control.sentences.clear()
        for action in self.steps.left_over():
            action()
        return self.control is not None

    def _note_repeat(self, flag: Flag) -> None:
        """Note that the scoring program has raised a flag again, and that it says the same."""
        if taken := self._taken_and_not_cleared(flag):
            self._repeats[flag] = taken
            if self.control is None and not (self._is_starting and has_read_rows(self.steps.names)):
                self._doubt_repeats()

    def _doubt_repeats(self) -> None:
        """Note the flags that a control program finds at its start and that its journal has as taken already.

        It cannot tell whether the program before it has not cleared them or they were raised again.
        """
        self.scoring.doubtful.update(
            flag for flag, taken in self._repeats.items() if self._taken_and_not_cleared(flag) == taken
        )
        self._repeats = {}

    def _taken_and_not_cleared(self, flag: Flag) -> int:
        """Return how far the journal was when a flag was taken that it does not have as cleared; else 0."""
        where = f"{flag[0]} {'/'.join(map(str, flag[1:]))}"
        about = [entry for entry in self.facts() if getattr(entry.fact, "where", None) == where]
        return about[-1].version if about and about[-1].fact.kind == "instruction-taken" else 0

    def _start(self) -> None:
        self._doubt_repeats()
        start = parse_command_line([f"/f:[{self.path}]", *self.words])
        self.words = ("/r",)
        opening = open_session_file_control(
            start, journal=self.journal, computer=self.computer, now=lambda: self.now, evaluates=False
        )
        self._is_starting = True
        try:
            self.control = opening.__enter__()
        finally:
            self._is_starting = False
        self._opening = opening

    def kill(self) -> None:
        """Kill the control software, if it is running: the system takes back its locks, and nothing else happens."""
        self.kills += 1
        self.steps.die()
        self._let_go()
        self.steps.bury()
        self._note_control_write()  # what it wrote before it was killed

    def stop(self) -> None:
        """End the control software as a person does."""
        self.steps.begin()
        self._let_go()

    def _let_go(self) -> None:
        opening, self._opening, self.control = self._opening, None, None
        if opening is not None:
            with self.steps.running():
                opening.__exit__(None, None, None)

    def settle(self) -> None:
        """Let the control software make passes until nothing changes any more.

        It may refuse to start for the first time while the scoring program is in the middle of something.
        """
        for _ in range(PASSES):
            before = self.state()
            if (self.run() or self.scoring.is_busy) and self.state() == before:
                return
        raise AssertionError(
            f"not at rest after {PASSES} passes: {self.refusals[-1:]}, {self.sentences[-3:]}"
        )

    def state(self) -> tuple[Snapshot, dict[str, int]]:
        """Return everything that the control software can change."""
        assert self.journal is not None
        heads = self.phones.journal.heads() if self.journal.exists() else {}
        return self.look(), heads

    # The phones ---------------------------------------------------------------------------------------------

    @property
    def phones(self) -> Runtime:
        """The program that the phones talk to: it has the same journal."""
        if self._phones is None:
            assert self.journal is not None
            self._phones = self._all.enter_context(open_runtime(self.journal, create=False))
        return self._phones

    @property
    def session(self) -> Session | None:
        """The session, once the control software has taken it in."""
        assert self.journal is not None
        view = self.phones.view(GUID) if self.journal.exists() else None
        return view.session if view else None

    def facts(self) -> list[JournalEntry]:
        """Return what is in the journal about the session."""
        session = self.session
        if session is None:
            return []
        stream = f"session/{GUID}/{session.opened.incarnation}"
        if stream not in self._facts:
            self._facts = {stream: []}
        known = self._facts[stream]
        known += self.phones.journal.read(stream, known[-1].version if known else 0)
        return list(known)

    def tell(
        self, command: Command, *, directly: bool = False, kill_at: int | None = None
    ) -> int | Rejection:
        """Send a command from a phone: through the journal, or directly to the control software if it is running.

        That may be killed before it answers; the phone sends the same again when it runs once more.
        """
        self._entries += 1
        identity = f"entry-{self._entries:04}"
        if isinstance(command, CallDirector):
            command = replace(command, call=identity)
        answer: int | Rejection | None = None
        if directly and self.control is not None and _is_of_a_phone(command):
            answer = self._submit(identity, command, kill_at)
            if answer is None and self.run():
                answer = self._submit(identity, command)
        if answer is None:
            done = self.phones.do(command, actor="phone", command_id=identity)
            self.phones.view(GUID)
            answer = done if isinstance(done, Rejection) else self.phones.viewed_version(GUID)
        if not isinstance(answer, Rejection):
            self.acknowledged.append(Acknowledged(command, answer))
        return answer

    def _submit(self, identity: str, command: Command, kill_at: int | None = None) -> int | Rejection | None:
        """Return what the control software answers; None if it is killed before."""
        session = self.session
        assert self.control is not None
        assert session is not None
        incarnation = session.opened.incarnation
        if hasattr(command, "incarnation"):
            command = replace(command, incarnation=incarnation)  # type: ignore[type-var]
        place = _table_of(command)
        given = write_entry(identity, incarnation, command)
        # The director stands at the table: without a permission, what needs the PIN would wait.
        given["permission"] = self._keys.new_permission(
            permission_scope(session, place, self._keys, self.control.generation)
        )
        self.control.keys = self._keys
        self.steps.begin(kill_at=kill_at)
        try:
            with self.steps.running():
                return self.control.submit(GUID, place, self.now, given)
        except Killed:
            self.kill()
            return None
        finally:
            if self.control is not None:
                self.control.keys = None

    def pass_time(self) -> datetime:
        """Let a second go by, so that no two entries have the same time."""
        self.now += timedelta(seconds=1)
        return self.now

    def phone(
        self,
        action: str,
        first: int = 0,
        second: int = 0,
        *,
        directly: bool = False,
        kill_at: int | None = None,
    ) -> None:
        """Let a phone do something, if there is a table for it."""
        if (session := self.session) is None:
            return
        for command in PHONES[action](session, self.pass_time(), first, second):
            self.tell(command, directly=directly, kill_at=kill_at)

    def peer(self, action: str, first: int = 0, second: int = 0) -> None:
        """Let the scoring program take a turn."""
        self.scoring.turn(action, first, second)
        self.look()

    # Short words for single tests ---------------------------------------------------------------------------

    def durable_points(self) -> list[int]:
        """Return the points of the last pass at which something durable was just done, or is half done."""
        return [
            number
            for number, name in enumerate(self.steps.names)
            if name.startswith("before page") or (name.startswith("after") and "reading" not in name)
        ]

    def enter(self, table: int, round: int, board: int, outcome: str, section: str = "A") -> int | Rejection:
        """Enter a result."""
        entry = ResultEntry(section, table, round, board, Outcome.parse(outcome), self.pass_time())
        return self.tell(EnterResult(GUID, entry))

    def enter_all(self, outcome: str = "4SN=") -> None:
        """Enter a result for every board that has none."""
        session = self.session
        assert session is not None
        for section, table, number, board in _places(session):
            if (section, table, number, board) not in session.results.standing:
                self.enter(table, number, board, outcome, section)

    def status(self) -> int:
        """Return the status of the session in the file."""
        return int(self.rows("Session")[0]["Status"])

    def standing(self) -> dict[Place, str]:
        """Return the results that stand in the journal."""
        session = self.session
        assert session is not None
        return {place: str(result.outcome) for place, result in session.results.standing.items()}

    def live_rows(self) -> dict[tuple[int, int, int, int], tuple[str, str]]:
        """Return the contract and the result of each row that is not erased."""
        return {
            (row["Section"], row["Table"], row["Round"], row["Board"]): (row["Contract"], row["Result"])
            for row in self.rows("ReceivedData")
            if not row["Erased"]
        }

    def flags(self) -> dict[tuple[int, int], int]:
        """Return the instructions that are still in the file."""
        return {
            (row["Section"], row["Table"]): row["UpdateFromRound"]
            for row in self.rows("Tables")
            if row["UpdateFromRound"]
        }


def evening(folder: Path, kind: str = "mitchell", **more: Any) -> Evening:
    """Make a file and the evening on it; to be used in a `with` statement."""
    return Evening(make_file(folder, kind), **more)


# What phones send -------------------------------------------------------------------------------------------


def _is_of_a_phone(command: Command) -> bool:
    """Return whether a phone can send it itself, and not only the desk."""
    is_removal = isinstance(command, PutParticipations) and command.participations[0].is_removal
    return type(command) in COMMANDS.values() and not is_removal


def _table_of(command: Any) -> TablePlace:
    """Return the table whose phone sends a command."""
    match command:
        case EnterResult() | CorrectResult():
            return TablePlace(command.entry.section, command.entry.table)
        case PutParticipations():
            return TablePlace(command.participations[0].section, command.participations[0].table)
        case PutHandRecords():
            return TablePlace("A", 1)
    return TablePlace(command.section, command.table)


def _places(session: Session) -> list[Place]:
    return [
        (section, table, number, board)
        for (section, table), at in sorted(session.movement.tables.items())
        for number, played in enumerate(at.rounds, start=1)
        for board in played.boards
    ]


Item = TypeVar("Item")


def _pick(places: Sequence[Item], number: int) -> list[Item]:
    return [places[number % len(places)]] if places else []


def _outcome(second: int) -> Outcome:
    return Outcome.parse(list(OUTCOMES)[second % len(OUTCOMES)])


def _enter(session: Session, at: datetime, first: int, second: int) -> Iterator[Command]:
    free = [place for place in _places(session) if place not in session.results.standing]
    for place in _pick(free, first):
        yield EnterResult(GUID, ResultEntry(*place, _outcome(second), at))


def _correct(session: Session, at: datetime, first: int, second: int) -> Iterator[Command]:
    for place in _pick(sorted(session.results.standing), first):
        yield CorrectResult(GUID, ResultEntry(*place, _outcome(second), at), Origin.TERMINAL)


def _erase(session: Session, at: datetime, first: int, second: int) -> Iterator[Command]:
    for place in _pick(sorted(session.results.standing), first):
        yield EraseResult(GUID, *place, Origin.TERMINAL)


def _enter_again(session: Session, at: datetime, first: int, second: int) -> Iterator[Command]:
    """Erase a result and enter another before anybody has time to write."""
    for place in _pick(sorted(session.results.standing), first):
        yield EraseResult(GUID, *place, Origin.TERMINAL)
        yield EnterResult(GUID, ResultEntry(*place, _outcome(second), at))


def _contract(session: Session, at: datetime, first: int, second: int) -> Iterator[Command]:
    free = [place for place in _places(session) if place not in session.results.standing]
    for place in _pick(free, first):
        yield EnterContract(GUID, *place, ("3NTE", "4SN", "2HxW")[second % 3], at)


def _record(session: Session, at: datetime, first: int, second: int) -> Iterator[Command]:
    """Record the next call or card of a board, or take back the last."""
    for place in _pick(_places(session), first):
        is_call = bool(second & 1)
        known = session.recording.calls if is_call else session.recording.cards
        recorded = {counter: fact for (where, counter), fact in known.items() if where == place}
        last = max(recorded, default=0)
        if second & 2 and last:
            fact: Any = recorded[last]
            word, seat, counter, is_erased = (fact.call if is_call else fact.card), fact.seat, last, True
        else:
            word = ("1C", "Pass", "X")[second % 3] if is_call else ("S2", "HT", "DA")[second % 3]
            seat, counter, is_erased = list(Seat)[last % 4], last + 1, False
        make: Any = RecordCall if is_call else RecordCard
        yield make(GUID, *place, counter, seat, word, at, is_erased)


def _replace_call(session: Session, at: datetime, first: int, second: int) -> Iterator[Command]:
    """Record another call in the place of one that is there."""
    for (place, counter), fact in _pick(sorted(session.recording.calls.items(), key=str), first):
        word = "2D" if fact.call != "2D" else "2H"
        yield RecordCall(GUID, *place, counter, fact.seat, word, at)


def _seat(session: Session, at: datetime, first: int, second: int) -> Iterator[Command]:
    for section, table in _pick(sorted(session.movement.tables), first):
        seat = list(Seat)[second % 4]
        number = f"{section}{table}{seat.value}{second % 3}"
        who = Participation(section, table, seat, number, round=2 if second & 16 else 0)
        if second & 8:
            who = replace(who, number="", is_removal=True)
        yield PutParticipations(GUID, (who,), Source.TERMINAL, must_be_known=False)


def _log_on(session: Session, at: datetime, first: int, second: int) -> Iterator[Command]:
    for section, table in _pick(sorted(session.movement.tables), first):
        if second & 1:
            yield LogOff(GUID, section, table, at)
        else:
            yield LogOn(GUID, section, table, f"phone {second}", at, takes_over=True)


def _hand_record(session: Session, at: datetime, first: int, second: int) -> Iterator[Command]:
    """Enter the deal of a board; the scoring program has those of the first three."""
    for group in _pick(sorted(session.setup.groups), first):
        record = HandRecord(group, 4 + second % 3, deal(100 + second))
        yield PutHandRecords(GUID, (record,), HandSource.TERMINAL)


def _judge(session: Session, at: datetime, first: int, second: int) -> Iterator[Command]:
    """Mark a result as suspicious, or confirm it; this the director does at the desk."""
    for place in _pick(sorted(session.results.standing), first):
        yield JudgeResult(GUID, *place, (Suspicion.SUSPICIOUS, Suspicion.CONFIRMED)[second % 2])


def _call_director(session: Session, at: datetime, first: int, second: int) -> Iterator[Command]:
    for section, table in _pick(sorted(session.movement.tables), first):
        yield CallDirector(GUID, f"call {at}", section, table, at)


PHONES: dict[str, Callable[[Session, datetime, int, int], Iterator[Command]]] = {
    "enter": _enter,
    "correct": _correct,
    "erase": _erase,
    "enter_again": _enter_again,
    "contract": _contract,
    "record": _record,
    "replace_call": _replace_call,
    "seat": _seat,
    "log_on": _log_on,
    "hand_record": _hand_record,
    "call_director": _call_director,
    "judge": _judge,
}
"""The actions of phones, by name."""
