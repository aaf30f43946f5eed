"""`overtrick control`: the control software on a journal. Terminals meet the scoring program here.

What terminals send becomes commands, and what has happened is judged, worked out and counted. The scoring program is
the Data Connector on the same journal, or a session file (`session_file`). A restart at any moment carries on.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Self

from overtrick.control import Entry, LobbyTable, Snapshot, lobby, take_snapshot
from overtrick.control.closing import LogBook, has_last_result, may_shut_down
from overtrick.control.orders import OrderBook, Start, spoken
from overtrick.control.snapshot import table_rules
from overtrick.control.suspicion import judge
from overtrick.doubledummy import Batch
from overtrick.errors import OvertrickError
from overtrick.event import Command, ContinueEvent, Fact, Order, Reason, Rejection, Session
from overtrick.event.hands import EvaluateHand, HandEvaluated, HandRecord, HandRecordSet
from overtrick.event.house import Ordered, session_stream
from overtrick.event.limits import Generation
from overtrick.event.rejection import reject
from overtrick.event.results import ResultRecorded
from overtrick.event.setup import ChangeSession, SetStatus, Status
from overtrick.host.house import RunningHouse, open_house
from overtrick.host.presence import AlreadyRunning, controlling
from overtrick.store import Entry as JournalEntry
from overtrick.views import SessionView

log = logging.getLogger(__name__)

SCORING = "scoring"
CONTROL = "control"
ACTOR = "control software"
DEALS_AT_ONCE = 64
SCAN = 1.0
"""Seconds between two looks; the guide allows fifteen."""


def wall_clock() -> datetime:
    """The time, in the zone of this computer."""
    return datetime.now(UTC).astimezone()


class ControlRoom:
    """The sessions of the events that a journal has running, and their terminals, for a program with one thread."""

    def __init__(
        self,
        house: RunningHouse,
        start: Start,
        *,
        now: Callable[[], datetime] = wall_clock,
        generation: Generation | None = None,
        evaluates: bool = True,
    ) -> None:
        self.house = house
        self.generation = generation
        """Whose settings the terminals follow, where a section has those of both."""
        self.sentences: list[str] = []
        """What a person should hear, oldest first."""
        self._start = start
        self._now = now
        self._seen: dict[str, int] = {}
        self._books: dict[str, LogBook] = {}
        self._said: set[str] = set()
        self._evaluator = Evaluator() if evaluates else None
        self._orders = OrderBook()
        self._had_events = False
        self._catch_up_orders()

    @property
    def guids(self) -> tuple[str, ...]:
        """The sessions that are looked after."""
        return tuple(guid for guids in self._events().values() for guid in guids)

    def _events(self) -> dict[str, tuple[str, ...]]:
        """The events that are looked after, and their sessions."""
        with self.house.writer.reading() as house:
            return {
                event: tuple(house.events[event].sessions)
                for event in self._orders.events()
                if event in house.events
            }

    # Orders -------------------------------------------------------------------------------------------------

    def begin(self) -> None:
        """A person has started the program: orders to end that came before are not for it."""
        self._orders.begin()

    def _catch_up_orders(self) -> list[tuple[str, Ordered]]:
        """Read what the scoring program has ordered since the last time, whichever event it is about."""
        found: list[JournalEntry] = []
        for stream, head in self.house.journal.heads().items():
            if stream.startswith("event/") and head > self._seen.get(stream, 0):
                found += self.house.journal.read(stream, self._seen.get(stream, 0))
        orders = []
        for entry in sorted(found, key=lambda entry: entry.at):
            self._seen[entry.stream] = max(entry.version, self._seen.get(entry.stream, 0))
            event = entry.stream.removeprefix("event/")
            self._orders.apply(event, entry.fact)
            if isinstance(entry.fact, Ordered) and entry.actor != ACTOR:
                orders.append((event, entry.fact))
        return orders

    def _follow_orders(self) -> None:
        """Do what has been ordered, and say what is done about it."""
        for event, fact in self._catch_up_orders():
            with self.house.writer.reading() as house:
                guids = tuple(house.events[event].sessions)
            sessions = [session for guid in guids if (session := self.session(guid)) is not None]
            name = ", ".join(session.opened.name for session in sessions) or event
            self.sentences += spoken(fact.orders, name)
            for guid in guids if Order.SHOW_IN_APP in fact.orders else ():
                self._ask(ChangeSession(guid, shown_in_app=True), "shown in the app", CONTROL)
            if Order.LOG_EVERYTHING in fact.orders:
                logging.getLogger("overtrick").setLevel(logging.DEBUG)

    def _end_what_is_over(self) -> bool:
        """Shut down the events that have come to their end; whether none is left."""
        events = self._events()
        self._had_events = self._had_events or bool(events)
        for event, guids in list(events.items()):
            sessions = {guid: session for guid in guids if (session := self.session(guid)) is not None}
            orders = self._ordered(event)
            if sessions and all(
                may_shut_down(session, self._book(session), orders, elsewhere=self._left_to_others())
                for session in sessions.values()
            ):
                self._shut_down(event)
                del events[event]
        return self._had_events and not events

    def _shut_down(self, event: str) -> None:
        """Look after an event no longer; whoever asks the Data Connector hears that it is not running."""
        if Order.START in self._orders.running.get(event, ()):
            answer = self.house.do(ContinueEvent(event, (Order.SHUT_DOWN,)), side=CONTROL, actor=ACTOR)
            if isinstance(answer, Rejection):
                self._say(f"the end of the event: {answer}")
        self._orders.running.pop(event, None)

    def _ordered(self, event: str) -> tuple[Order, ...]:
        """What the scoring program has ordered, and what this program was started with."""
        own = (Order.SHUT_DOWN_AFTER_LAST_RESULT,) if self._start.ends_after_last_result else ()
        return (*self._orders.running.get(event, ()), *own)

    def _book(self, session: Session) -> LogBook:
        """Which tables have ever logged on in this start of a session."""
        opened = session.opened
        return self._books.setdefault(session_stream(opened.session, opened.incarnation), LogBook())

    # Looks --------------------------------------------------------------------------------------------------

    def tick(self) -> bool:
        """Look at what has happened since the last time, and do what follows from it; whether it is time to end."""
        self._follow_orders()
        self._take_evaluations()
        # Judging makes facts of its own, which are seen in the next turn.
        for _ in range(3):
            if not any([self._move_on(guid) for guid in self.guids]):  # noqa: C419 (every one has its turn)
                break
        return self._end_what_is_over()

    def _move_on(self, guid: str) -> bool:
        """See what is new in a session; whether anything was."""
        entries = self._unseen(guid)
        session = self.session(guid)
        if not entries or session is None:
            return False
        facts = [entry.fact for entry in entries]
        self._record(session, facts)
        self._note_seen(entries)
        self._judge(session, facts)
        self._note_status(session)
        if self._evaluator is not None:
            self._evaluator.want(guid, session)
        return True

    def _record(self, session: Session, facts: list[Fact]) -> None:
        """What has happened is in the journal, and the Data Connector reads it there."""

    def _unseen(self, guid: str) -> list[JournalEntry]:
        """What has happened in a session and was not seen before."""
        with self.house.writer.reading() as house:
            stream = house.stream(guid)
        return [] if stream is None else list(self.house.journal.read(stream, self._seen.get(stream, 0)))

    def _note_seen(self, entries: list[JournalEntry]) -> None:
        """These are recorded; until they are, they are tried again."""
        for entry in entries:
            self._books.setdefault(entry.stream, LogBook()).apply(entry.fact)
            self._seen[entry.stream] = entry.version
            log.debug("%s %d: %s", entry.stream, entry.version, entry.fact)

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
        wanted = Status.FINISHED if self._is_finished(session) else Status.STARTED
        if session.setup.status is not wanted:
            self._ask(SetStatus(session.opened.session, wanted), "the state of the session", CONTROL)

    def _is_finished(self, session: Session) -> bool:
        """Whether a session has its last result."""
        return has_last_result(session)

    def _left_to_others(self) -> Collection[tuple[str, int]]:
        """The tables that another control program handles: none."""
        return ()

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
        session = self.session(entry.command.session)
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

    def session(self, guid: str) -> Session | None:
        """A session as it stands."""
        view = self.house.view(guid)
        return view.session if view else None

    def sessions(self) -> dict[str, Session]:
        """Every session that is looked after."""
        found = {guid: self.session(guid) for guid in self.guids}
        return {guid: session for guid, session in found.items() if session is not None}

    def _ask(self, command: Command, words: str, side: str = SCORING, command_id: str | None = None) -> bool:
        answer = self.house.do(command, side=side, actor=ACTOR, command_id=command_id)
        if isinstance(answer, Rejection):
            self._say(f"{words}: {answer}")
            return False
        return True

    def _say(self, sentence: str) -> None:
        """Say something once."""
        if sentence not in self._said:
            self._said.add(sentence)
            self.sentences.append(sentence)

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


@contextmanager
def open_journal_room(
    journal: Path | str, start: Start, *, generation: Generation | None = None, evaluates: bool = True
) -> Iterator[ControlRoom]:
    """The control software on a journal that another program, such as the Data Connector, writes too."""
    with (
        open_house(journal, create=False) as house,
        _alone(journal),
        ControlRoom(house, start, generation=generation, evaluates=evaluates) as room,
    ):
        room.begin()
        yield room


@contextmanager
def _alone(journal: Path | str) -> Iterator[None]:
    """Be the one control program of a journal; where the journal is a database, nobody can tell."""
    if "://" in str(journal):
        yield
        return
    with controlling(Path(journal)) as is_first:
        if not is_first:
            raise AlreadyRunning(
                "The control software runs on this journal already, perhaps in `overtrick serve`.",
                where=str(journal),
            )
        yield


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
