"""`overtrick control`: the control software on a journal. Terminals meet the scoring program here.

What terminals send becomes commands, and what has happened is judged, worked out and counted. The scoring program is
the Data Connector on the same journal, or a session file (`session_file`). A restart at any moment carries on.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from overtrick.control import Snapshot, take_snapshot
from overtrick.control.entries import allow_entry, parse_entry
from overtrick.control.orders import Start, spoken
from overtrick.control.places import OwnPhone, TablePlace
from overtrick.control.snapshot import table_rules
from overtrick.directing.closing import may_shut_down
from overtrick.directing.orders import OrderBook
from overtrick.event import Command, ContinueEvent, Order, Reason, Rejection, Session
from overtrick.event.house import Ordered
from overtrick.event.rejection import reject
from overtrick.event.setup import Generation
from overtrick.host.director import ACTOR, CONTROL, SessionDirector
from overtrick.host.house import RunningHouse, open_house
from overtrick.host.presence import AlreadyRunning, controlling
from overtrick.store import Entry as JournalEntry
from overtrick.store import Journal
from overtrick.views import SessionView

SCORING = "scoring"
SCAN = 1.0
"""Seconds between two looks; the guide allows fifteen."""


def wall_clock() -> datetime:
    """The time, in the zone of this computer."""
    return datetime.now(UTC).astimezone()


class ControlRoom(SessionDirector):
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
        super().__init__(house, evaluates=evaluates)
        self.generation = generation
        """Whose settings the terminals follow, where a section has those of both."""
        self._start = start
        self._now = now
        self._orders = OrderBook()
        self._news: list[JournalEntry] = []
        """Facts of events that are not in the order book yet."""
        self.events.subscribe(self._news.extend)
        self._had_events = False
        self.is_alone: Callable[[], bool] = lambda: True
        """Tells whether this is the one control program of the journal."""
        self._catch_up_orders()

    @property
    def guids(self) -> tuple[str, ...]:
        """The sessions that are looked after."""
        return tuple(guid for guids in self._events().values() for guid in guids)

    def _events(self) -> dict[str, tuple[str, ...]]:
        """The events that are looked after, and their sessions."""
        found = {guid: self.event(guid) for guid in self._orders.events()}
        return {guid: tuple(event.sessions) for guid, event in found.items() if event is not None}

    # Orders -------------------------------------------------------------------------------------------------

    def begin(self) -> None:
        """A person has started the program: orders to end that came before are not for it."""
        self._orders.begin()

    def _catch_up_orders(self) -> list[tuple[str, Ordered]]:
        """Read what the scoring program has ordered since the last time, whichever event it is about."""
        self.every_event()
        orders = []
        for entry in sorted(self._news, key=lambda entry: entry.at):
            event = entry.stream.removeprefix("event/")
            self._orders.apply(event, entry.fact)
            if isinstance(entry.fact, Ordered) and entry.actor != ACTOR:
                orders.append((event, entry.fact))
        self._news.clear()
        return orders

    def _follow_orders(self) -> None:
        """Look after the events that are ordered, and say what is done about new orders."""
        for event, fact in self._catch_up_orders():
            guids = self.events.state[event].sessions
            sessions = [session for guid in guids if (session := self.session(guid)) is not None]
            name = ", ".join(session.opened.name for session in sessions) or event
            self.sentences += spoken(fact.orders, name)

    def _end_what_is_over(self) -> bool:
        """Shut down the events that have come to their end; whether none is left."""
        events = self._events()
        self._had_events = self._had_events or bool(events)
        for event, guids in list(events.items()):
            sessions = {guid: session for guid in guids if (session := self.session(guid)) is not None}
            orders = self._ordered(event)
            if sessions and all(
                may_shut_down(session, orders, self._left_to_others()) for session in sessions.values()
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

    # Passes -------------------------------------------------------------------------------------------------

    def tick(self) -> bool:
        """Follow orders and execute what is due; True if it is time to end.

        Nothing is done while another node may be the control program.
        """
        if not self.is_alone():
            return False
        self._follow_orders()
        return self.execute_due() and self._end_what_is_over()

    # Terminals ----------------------------------------------------------------------------------------------

    def submit(
        self, guid: str, place: TablePlace | OwnPhone, sent: datetime, given: object
    ) -> int | Rejection:
        """Take an entry that the device of a place sent, at this time by its own clock.

        Return the version of the session's stream that has it, or why it was refused.
        """
        session, now = self.session(guid), self._now()
        if session is None:
            return reject(Reason.UNKNOWN_SESSION, "There is no such session; the entry was not taken.")
        entry = parse_entry(given, session, place, ahead=sent - now, now=now)
        if isinstance(entry, Rejection):
            return entry
        others = self._left_to_others()
        if (table := (entry.table.section, entry.table.table)) in others:
            who = others[table] or "another computer"
            return reject(Reason.NOT_ALLOWED, f"Table {entry.table} is handled by {who}.")
        refusal = allow_entry(entry, session, place, self.generation)
        if entry.find(self.house.journal, is_refused=refusal is not None) is None:
            answer = refusal or self.house.do(
                entry.command, side=CONTROL, actor=entry.actor, command_id=entry.command_id
            )
            if isinstance(answer, Rejection):
                return answer
        return self.version(guid)

    def version(self, guid: str) -> int:
        """How far a session's stream is."""
        self.house.view(guid)
        return self.house.seen(guid)

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


@contextmanager
def open_journal_room(
    journal: Path | str, start: Start, *, generation: Generation | None = None, evaluates: bool = True
) -> Iterator[ControlRoom]:
    """The control software on a journal that another program, such as the Data Connector, writes too."""
    with (
        open_house(journal, create=False) as house,
        _alone(house.journal) as is_alone,
        ControlRoom(house, start, generation=generation, evaluates=evaluates) as room,
    ):
        room.is_alone = is_alone
        room.begin()
        yield room


@contextmanager
def _alone(journal: Journal) -> Iterator[Callable[[], bool]]:
    """Be the one control program of a journal; what is yielded tells whether that is still so."""
    with controlling(journal) as is_alone:
        if not is_alone():
            raise AlreadyRunning(
                "The control software runs on this journal already, perhaps in `overtrick serve`.",
                where=journal.name,
            )
        yield is_alone


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
