"""`overtrick control`: the control software on one `.bws` file. The file, the journal and the terminals meet here.

What the scoring program asks for in the file becomes commands, what terminals send becomes commands, and what has
happened becomes rows. All three go through the one journal, so a restart at any moment carries on.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, date, datetime
from pathlib import Path
from types import TracebackType
from typing import Self

from overtrick import jet
from overtrick.bws.contents import Contents, read_contents
from overtrick.bws.control_rows import everything, rows_for, take_over
from overtrick.bws.control_side import scan
from overtrick.bws.edits import carry_out
from overtrick.bws.reading import UnplayableFile, read_event
from overtrick.control import Entry, LobbyTable, Snapshot, lobby, take_snapshot
from overtrick.control.closing import LogBook, has_last_result, may_shut_down
from overtrick.control.orders import Start
from overtrick.control.snapshot import table_rules
from overtrick.control.suspicion import judge
from overtrick.doubledummy import Batch
from overtrick.errors import OvertrickError
from overtrick.event import Command, Fact, Order, Reason, Rejection, Session
from overtrick.event.hands import EvaluateHand, HandEvaluated, HandRecord, HandRecordSet
from overtrick.event.limits import Generation
from overtrick.event.rejection import reject
from overtrick.event.results import ResultRecorded
from overtrick.event.setup import SetStatus, Status
from overtrick.host.house import RunningHouse, open_house
from overtrick.views import SessionView

log = logging.getLogger(__name__)

SCORING = "scoring"
CONTROL = "control"
ACTOR = "control software"
DEALS_AT_ONCE = 64
SCAN = 1.0
"""Seconds between two looks into the file; the guide allows fifteen."""


class ControlRoom:
    """A session file and its terminals, for a program with one thread."""

    def __init__(
        self,
        house: RunningHouse,
        db: jet.Database,
        start: Start,
        *,
        computer: str,
        now: Callable[[], datetime],
        generation: Generation | None = None,
        evaluates: bool = True,
    ) -> None:
        self.house = house
        self.generation = generation
        """Whose settings the terminals follow, where the file has those of both."""
        self.sentences: list[str] = []
        """What a person should hear, oldest first."""
        self._db = db
        self._start = start
        self._now = now
        self._written: dict[str, int] = {}
        self._books: dict[str, LogBook] = {}
        self._refused: set[str] = set()
        self._looked = False
        self._evaluator = Evaluator() if evaluates else None
        contents = read_contents(db)
        self.sessions = self._open(contents, now().date())
        self._take_over(contents, computer)

    # The start ----------------------------------------------------------------------------------------------

    def _open(self, contents: Contents, today: date) -> tuple[str, ...]:
        """The sessions of the file: begun anew with a reset, else gone on with where the journal knows them."""
        reading = read_event(contents, today=today)
        if reading.rejection is not None:
            raise UnplayableFile(str(reading.rejection))
        self.sentences += [str(unread) for unread in reading.unread]
        guids = tuple(plan.session for plan in reading.event.sessions)
        known = [self._session(guid) is not None for guid in guids]
        if self._start.resets or not all(known):
            self._must(reading.event)
            if not self._start.resets:
                for command in reading.afterwards:
                    self._ask(command, "what the file holds already")
        return guids

    def _take_over(self, contents: Contents, computer: str) -> None:
        sessions = self._sessions()
        taken = take_over(contents, sessions, computer=computer, today=self._now().date())
        self.sentences += taken.sentences
        carry_out(self._db, taken.edits)
        contents = read_contents(self._db)
        for guid, session in sessions.items():
            carry_out(self._db, rows_for(contents, session, everything(session), at=self._file_time()))
            self._follow(guid)
            contents = read_contents(self._db)

    # Round and round ----------------------------------------------------------------------------------------

    def tick(self) -> bool:
        """Look into the file, write what has happened, and judge it; whether it is time to end."""
        if not self._looked or self._db.changed():
            self._looked = True
            self._obey()
        self._take_evaluations()
        # Judging and closing make facts of their own, which are written in the next turn.
        for _ in range(3):
            wrote = [self._write(guid) for guid in self.sessions]
            if not any(wrote):
                break
        return all(
            may_shut_down(session, self._books[guid], self._orders())
            for guid, session in self._sessions().items()
        )

    def _obey(self) -> None:
        """Do what the scoring program asks for, and take its flags back."""
        self._db.refresh()
        contents = read_contents(self._db)
        found = scan(contents, self._sessions(), at=self._file_time())
        for unread in found.unread:
            self._say(str(unread))
        for asked in found.asked:
            if self._ask(asked.command, asked.words):
                carry_out(self._db, asked.taken)

    def _write(self, guid: str) -> bool:
        """Make the file say what has happened in a session since the last time; whether anything had."""
        facts = self._follow(guid)
        session = self._session(guid)
        if not facts or session is None:
            return False
        edits = rows_for(read_contents(self._db), session, facts, at=self._file_time())
        carry_out(self._db, edits)
        self._judge(session, facts)
        self._note_status(session)
        if self._evaluator is not None:
            self._evaluator.want(guid, session)
        return True

    def _follow(self, guid: str) -> list[Fact]:
        """The facts of a session that were not seen before."""
        with self.house.writer.reading() as house:
            stream = house.stream(guid)
        if stream is None:
            return []
        book = self._books.setdefault(guid, LogBook())
        facts = []
        for entry in self.house.journal.read(stream, self._written.get(stream, 0)):
            book.apply(entry.fact)
            facts.append(entry.fact)
            self._written[stream] = entry.version
        return facts

    def _judge(self, session: Session, facts: list[Fact]) -> None:
        """Call results suspicious that are new, or whose deal is."""
        boards = {
            (fact.group, fact.board) for fact in facts if isinstance(fact, HandRecordSet | HandEvaluated)
        }
        places = {fact.place for fact in facts if isinstance(fact, ResultRecorded)}
        places |= {
            place
            for place in session.results.standing
            if (session.setup.sections[place[0]].group, place[3]) in boards
        }
        for place in sorted(places):
            standing = session.results.standing.get(place)
            command = judge(session, standing) if standing else None
            if command is not None:
                self._ask(command, "a suspicious contract", CONTROL)

    def _note_status(self, session: Session) -> None:
        if not session.results.standing:
            return
        wanted = Status.FINISHED if has_last_result(session) else Status.STARTED
        if session.setup.status is not wanted:
            self._ask(SetStatus(session.opened.session, wanted), "the state of the session", CONTROL)

    def _take_evaluations(self) -> None:
        if self._evaluator is None:
            return
        try:
            for command in self._evaluator.done():
                self._ask(command, "an evaluated deal", CONTROL)
        except OvertrickError as error:
            self._say(f"Deals are not worked out any more: {error}")
            self._evaluator.close()
            self._evaluator = None

    # Terminals ----------------------------------------------------------------------------------------------

    def submit(self, entry: Entry, device: str) -> int | Rejection:
        """An entry of a terminal: the version of its session's stream that has it, or why it was refused."""
        session = self._session(entry.command.session)
        if session is not None and entry.incarnation not in (0, session.opened.incarnation):
            return reject(
                Reason.STALE,
                "This was made for an earlier start of the session, so the director has to look at it.",
            )
        answer = self.house.do(entry.command, side=CONTROL, actor=device, command_id=entry.id)
        return answer if isinstance(answer, Rejection) else self.version(entry.command.session)

    def version(self, guid: str) -> int:
        """How far a session's stream is."""
        self.house.view(guid)
        return self.house.seen(guid)

    def lobby(self, guid: str) -> tuple[LobbyTable, ...]:
        """The tables of a session, and who serves them."""
        view = self.view(guid)
        return lobby(view.session) if view else ()

    def snapshot(self, guid: str, section: str, table: int) -> Snapshot | None:
        """What a terminal has to know of its table."""
        view = self.view(guid)
        if view is None or section not in view.session.setup.sections:
            return None
        rules = table_rules(view.session, section, self.generation)
        return take_snapshot(view, section, table, self.version(guid), rules=rules)

    def view(self, guid: str) -> SessionView | None:
        """A session as people see it."""
        return self.house.view(guid)

    # Bits ---------------------------------------------------------------------------------------------------

    def _session(self, guid: str) -> Session | None:
        view = self.house.view(guid)
        return view.session if view else None

    def _sessions(self) -> dict[str, Session]:
        found = {guid: self._session(guid) for guid in self.sessions}
        return {guid: session for guid, session in found.items() if session is not None}

    def _orders(self) -> tuple[Order, ...]:
        return (Order.SHUT_DOWN_AFTER_LAST_RESULT,) if self._start.ends_after_last_result else ()

    def _must(self, command: Command) -> None:
        answer = self.house.do(command, side=SCORING, actor=ACTOR)
        if isinstance(answer, Rejection):
            raise UnplayableFile(str(answer))

    def _ask(self, command: Command, words: str, side: str = SCORING) -> bool:
        answer = self.house.do(command, side=side, actor=ACTOR)
        if isinstance(answer, Rejection):
            self._say(f"{words}: {answer}")
            return False
        return True

    def _say(self, sentence: str) -> None:
        """Say something once."""
        if sentence not in self._refused:
            self._refused.add(sentence)
            self.sentences.append(sentence)
            log.warning(sentence)

    def _file_time(self) -> datetime:
        """Files have the time of the wall, without a zone."""
        return self._now().replace(tzinfo=None)

    def close(self) -> None:
        """Stop what runs in the background."""
        if self._evaluator is not None:
            self._evaluator.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class Evaluator:
    """Works deals out beside everything else: one batch at a time, and never in the way of a result."""

    def __init__(self) -> None:
        self._batch: Batch | None = None
        self._at_work: list[tuple[str, HandRecord]] = []
        self._waiting: dict[tuple[str, int, int], HandRecord] = {}

    def want(self, guid: str, session: Session) -> None:
        """These deals have still to be worked out."""
        for record in session.hands.records.values():
            if record.tricks is None and (guid, record) not in self._at_work:
                self._waiting[guid, record.group, record.board] = record

    def done(self) -> Iterator[EvaluateHand]:
        """What has been worked out, if a batch is ready; and begin the next."""
        if self._batch is not None and self._batch.is_over:
            for (guid, record), tricks in zip(self._at_work, self._batch.result(), strict=True):
                yield EvaluateHand(guid, record.group, record.board, record.deal, tricks)
            self.close()
        if self._batch is None and self._waiting:
            first = list(self._waiting)[:DEALS_AT_ONCE]
            self._at_work = [(key[0], self._waiting.pop(key)) for key in first]
            self._batch = Batch([record.deal for _, record in self._at_work], workers=1)

    def close(self) -> None:
        """Give up what is not ready."""
        if self._batch is not None:
            self._batch.cancel()
            self._batch = None
        self._at_work = []


def journal_of(file: Path) -> Path:
    """Where the journal of a session file is, if nobody says otherwise.

    >>> journal_of(Path("club/monday.bws")).name
    'monday.journal'
    """
    return file.with_suffix(".journal")


@contextmanager
def open_room(
    start: Start,
    *,
    journal: Path | str | None = None,
    computer: str,
    now: Callable[[], datetime] = lambda: datetime.now(UTC).astimezone(),
    generation: Generation | None = None,
    evaluates: bool = True,
) -> Iterator[ControlRoom]:
    """The control software on the file that it was started with."""
    file = Path(start.file)
    with (
        jet.open(file, "r+") as db,
        open_house(journal or journal_of(file)) as house,
        ControlRoom(
            house, db, start, computer=computer, now=now, generation=generation, evaluates=evaluates
        ) as room,
    ):
        yield room


def run(room: ControlRoom, say: Callable[[str], None], *, interval: float = SCAN, looks: int = 0) -> None:
    """Look into the file again and again until it is time to end; so many looks at most, where that is not 0."""
    count = 0
    while True:
        is_over = room.tick()
        for sentence in room.sentences:
            say(sentence)
        room.sentences.clear()
        count += 1
        if is_over:
            say("Every table is done: the control software ends.")
            return
        if looks and count >= looks:
            return
        time.sleep(interval)
