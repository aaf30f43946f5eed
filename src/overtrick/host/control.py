"""`overtrick control`: the control software on a journal, between the terminals and the scoring program.

Entries of terminals become commands; a pass executes what is due. The scoring program is the Data Connector on the same
journal, or a session file (`session_file`). All state is in the journal, so a restart at any moment loses nothing.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from overtrick.control import Snapshot, take_snapshot
from overtrick.control.device_location import OwnPhone, TablePlace
from overtrick.control.entries import (
    allow_entry,
    confirm_or_refuse,
    describe,
    for_device,
    held_command,
    parse_entry,
)
from overtrick.control.orders import StartOptions, order_sentences
from overtrick.control.pins import pins_in_words
from overtrick.control.snapshot import table_rules
from overtrick.directing.orders import OrderBook
from overtrick.directing.session_end import may_shut_down
from overtrick.errors import BadInput
from overtrick.event import Command, ContinueEvent, Order, Reason, Rejection, Session
from overtrick.event.place import Place
from overtrick.event.rejection import reject
from overtrick.event.setup import Generation
from overtrick.event.state import Ordered
from overtrick.host.due_executor import ACTOR, CONTROL, DueExecutor
from overtrick.host.instance_lock import AlreadyRunning, control_lock
from overtrick.host.runtime import Runtime, open_runtime
from overtrick.keys import KeyRing
from overtrick.keys.key_store import FILE as KEYS
from overtrick.store import Journal
from overtrick.store import JournalEntry as JournalEntry
from overtrick.store.errors import JournalUnavailable
from overtrick.store.sessions import SessionList
from overtrick.views import SessionView

SCORING = "scoring"
DIRECTOR = "director"
PASS_INTERVAL = 1.0
"""Seconds between two passes; the developer's guide allows fifteen."""


def wall_clock() -> datetime:
    """Return the current time in the time zone of this computer."""
    return datetime.now(UTC).astimezone()


class ControlSoftware(DueExecutor):
    """Control software for the running events of a journal and their terminals, in a program with one thread."""

    def __init__(
        self,
        runtime: Runtime,
        start: StartOptions,
        *,
        now: Callable[[], datetime] = wall_clock,
        generation: Generation | None = None,
        evaluates: bool = True,
        keys: KeyRing | None = None,
    ) -> None:
        super().__init__(runtime, evaluates=evaluates)
        self.keys = keys
        """The keys of the pages on the same journal; None where no pages are served."""
        self.generation = generation
        """The generation whose settings the terminals follow, where a section has settings of both."""
        self._start = start
        self._now = now
        self._orders = OrderBook()
        self._news: list[JournalEntry] = []
        """Facts of events that are not in the order book yet."""
        self.events.subscribe(self._news.extend)
        self._had_events = False
        self.is_alone: Callable[[], bool] = lambda: True
        """Returns True if this is the one control program of the journal."""
        self._catch_up_orders()

    @property
    def guids(self) -> tuple[str, ...]:
        """Return the sessions of the events that run here."""
        return tuple(guid for guids in self._events().values() for guid in guids)

    def _events(self) -> dict[str, tuple[str, ...]]:
        """Return the events that run here, and their sessions."""
        events = {guid: self.event(guid) for guid in self._orders.events()}
        return {guid: tuple(event.sessions) for guid, event in events.items() if event is not None}

    # Orders -------------------------------------------------------------------------------------------------

    def begin(self) -> None:
        """Ignore orders to end from before this start: a person has started the program after them."""
        self._orders.begin()

    def _catch_up_orders(self) -> list[tuple[str, Ordered]]:
        """Return the orders of the scoring program since the last call, with their events."""
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
        """Apply new orders of the scoring program, and report them."""
        for event, fact in self._catch_up_orders():
            guids = self.events.state[event].sessions
            sessions = [session for guid in guids if (session := self.session(guid)) is not None]
            name = ", ".join(session.opened.name for session in sessions) or event
            self.sentences += order_sentences(fact.orders, name)

    def _shut_down_finished_events(self) -> bool:
        """Shut down the events that are over; return True if there were events and none is left."""
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
        """Stop running an event. The Data Connector then reports it as not running."""
        if Order.START in self._orders.running.get(event, ()):
            answer = self.runtime.do(ContinueEvent(event, (Order.SHUT_DOWN,)), side=CONTROL, actor=ACTOR)
            if isinstance(answer, Rejection):
                self._say(f"the end of the event: {answer}")
        self._orders.running.pop(event, None)

    def _ordered(self, event: str) -> tuple[Order, ...]:
        """Return the orders of the scoring program, and those that this program was started with."""
        own = (Order.SHUT_DOWN_AFTER_LAST_RESULT,) if self._start.ends_after_last_result else ()
        return (*self._orders.running.get(event, ()), *own)

    # Passes -------------------------------------------------------------------------------------------------

    def tick(self) -> bool:
        """Follow orders and execute what is due; return True if it is time to end.

        Does nothing while another node may be the control program, or while the journal does not answer.
        """
        if not self.is_alone():
            return False
        try:
            self._follow_orders()
            self._report_to_director()
            return self.execute_due() and self._shut_down_finished_events()
        except JournalUnavailable as error:
            self._count_failure(error)
            return False

    def _report_to_director(self) -> None:
        """Report the director's PIN of every session, and the entries that wait for the director."""
        for session in self.sessions().values():
            if self.keys is not None:
                pins = pins_in_words(session, self.keys, self.generation)
                self._say(f"The director's PIN of {session.opened.name} is {pins}.")
            for entry in session.held.entries.values():
                at = place_words(entry.place)
                self._say(
                    f"{at}: {describe(held_command(entry))}. This was entered without the director's PIN. To "
                    f"decide, run `overtrick control` again with --confirm {at} or --refuse {at}."
                )

    # Terminals ----------------------------------------------------------------------------------------------

    def submit(
        self, guid: str, place: TablePlace | OwnPhone, device_time: datetime, content: object
    ) -> int | Rejection:
        """Record an entry that a device sent; `device_time` is the time by the device's own clock.

        Return the version of the session's stream that contains it, or the rejection.
        """
        session, now = self.session(guid), self._now()
        if session is None:
            return reject(Reason.UNKNOWN_SESSION, "There is no such session. The entry was not saved.")
        entry = parse_entry(content, session, place, ahead=device_time - now, now=now)
        if isinstance(entry, Rejection):
            return entry
        others = self._left_to_others()
        if (table := (entry.table.section, entry.table.table)) in others:
            computer = others[table] or "another computer"
            return reject(Reason.NOT_ALLOWED, f"Table {entry.table} is handled by {computer}.")
        command = allow_entry(entry, session, place, keys=self.keys, now=now, generation=self.generation)
        if entry.find(self.runtime.journal, is_refused=isinstance(command, Rejection)) is None:
            if isinstance(command, Rejection):
                return command
            answer = self.runtime.do(command, side=CONTROL, actor=entry.actor, command_id=entry.command_id)
            if isinstance(answer, Rejection):
                return answer
        return self.version(guid)

    def version(self, guid: str) -> int:
        """Return the version of a session's stream, up to date."""
        self.runtime.view(guid)
        return self.runtime.viewed_version(guid)

    def snapshot(self, guid: str, section: str, table: int) -> Snapshot | None:
        """Return the state of a table for its terminal; None where there is no such table."""
        view = self.view(guid)
        if view is None or section not in view.session.setup.sections:
            return None
        rules = table_rules(view.session, section, self.generation)
        snapshot = take_snapshot(view, section, table, self.version(guid), rules=rules)
        return for_device(view.session, snapshot) if snapshot is not None else None

    def view(self, guid: str) -> SessionView | None:
        """Return the view of a session; None where there is no such session."""
        return self.runtime.view(guid)

    # Sessions and commands --------------------------------------------------------------------------------

    def sessions(self) -> dict[str, Session]:
        """Return the sessions of the events that run here, by their guids."""
        sessions = {guid: self.session(guid) for guid in self.guids}
        return {guid: session for guid, session in sessions.items() if session is not None}

    def _execute_or_report(self, command: Command, subject: str, side: str = SCORING) -> bool:
        """Execute a command; return False, and report it with its subject, if it is rejected."""
        answer = self.runtime.do(command, side=side, actor=ACTOR)
        if isinstance(answer, Rejection):
            self._say(f"{subject}: {answer}")
            return False
        return True


@contextmanager
def open_control_software(
    journal: Path | str, start: StartOptions, *, generation: Generation | None = None, evaluates: bool = True
) -> Iterator[ControlSoftware]:
    """Open the control software on a journal that other programs, such as the Data Connector, may write too.

    Raise AlreadyRunning if a control program runs on the journal."""
    with (
        open_runtime(journal, create=False) as runtime,
        _sole_control(runtime.journal) as is_alone,
        ControlSoftware(
            runtime, start, generation=generation, evaluates=evaluates, keys=keys_beside(runtime.journal)
        ) as control,
    ):
        control.is_alone = is_alone
        control.begin()
        yield control


@contextmanager
def _sole_control(journal: Journal) -> Iterator[Callable[[], bool]]:
    """Become the one control program of a journal; yield a function that returns whether it still is.

    Raises AlreadyRunning if another program is.
    """
    with control_lock(journal) as is_alone:
        if not is_alone():
            raise AlreadyRunning(
                "The control software is already running on this journal, perhaps in `overtrick serve`.",
                where=journal.name,
            )
        yield is_alone


def keys_beside(journal: Journal) -> KeyRing | None:
    """Return the keys of the pages that are served from a journal; None where there are none."""
    return KeyRing(journal.documents) if journal.documents.stamp(KEYS) is not None else None


def place_words(place: Place) -> str:
    """Return a board's place as one word for the command line.

    >>> place_words(("A", 3, 2, 14))
    'A3/2/14'
    """
    section, table, number, board = place
    return f"{section}{table}/{number}/{board}"


def settle_held(journal: Path | str, place_text: str, *, is_confirmed: bool) -> str:
    """Confirm or refuse the entries that wait for the director at a place such as A3/2/14; return a sentence.

    Raises BadInput if no entry waits there, or entries of several sessions do.
    """
    with open_runtime(journal, create=False) as runtime:
        lines = SessionList(runtime.journal).lines()
        with runtime.writer.reading() as state:
            entries = [
                confirm_or_refuse(session, place, is_confirmed=is_confirmed)
                for line in lines
                if (session := state.session(line.session)) is not None
                for place in session.held.places()
                if place_words(place) == place_text
            ]
        if len(entries) != 1:
            problem = "Entries of several sessions are waiting" if entries else "No entry is waiting"
            raise BadInput(f"{problem} for the director there; nothing was changed.", where=place_text)
        answer = runtime.do(entries[0], side=CONTROL, actor=DIRECTOR)
        if isinstance(answer, Rejection):
            raise BadInput(f"{answer} Nothing was changed.", where=place_text)
    return f"{place_text}: {'confirmed' if is_confirmed else 'refused'}."


def run(
    control: ControlSoftware,
    say: Callable[[str], None],
    *,
    interval: float = PASS_INTERVAL,
    max_passes: int = 0,
) -> None:
    """Make passes until it is time to end, at most `max_passes` of them if that is not 0."""
    count = 0
    while True:
        is_over = control.tick()
        for sentence in control.sentences:
            say(sentence)
        control.sentences.clear()
        count += 1
        if is_over:
            say("All tables have finished. The control software ends.")
            return
        if max_passes and count >= max_passes:
            return
        time.sleep(interval)
