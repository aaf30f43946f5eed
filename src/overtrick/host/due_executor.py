"""Reconciliation: execution of the commands that are due, for every program that runs sessions.

A pass asks `overtrick.directing` what is due in each session and executes it. It is level-triggered: what is due
follows from the state alone, so the next pass makes up for one that was missed or failed. `overtrick control` makes its
passes itself; `overtrick desk` and `overtrick serve` have a thread for them (`executing_due`).
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from types import TracebackType
from typing import Self

from overtrick.bridge import Tricks
from overtrick.directing import DueCommand, deals_to_evaluate, due, due_shutdowns, evaluation
from overtrick.doubledummy import SolverBatch
from overtrick.errors import OvertrickError
from overtrick.event import Command, Rejection, Session
from overtrick.event.hands import HandRecord
from overtrick.event.place import Place
from overtrick.event.setup import Status
from overtrick.event.state import Event, Order, Ordered, event_stream
from overtrick.host.runtime import Runtime, RuntimeWriter
from overtrick.host.writer import Submission
from overtrick.store import Journal, JournalEntry
from overtrick.store.errors import JournalUnavailable, StreamLocked
from overtrick.store.lease import Lease
from overtrick.store.player_index import PlayerIndex
from overtrick.store.postgres import PostgresEngine
from overtrick.store.projection import Projection
from overtrick.store.sessions import SessionLine, SessionList
from overtrick.store.subscription import ANY_STREAM
from overtrick.views import SessionView
from overtrick.views.player_results import player_results
from overtrick.words import counted

log = logging.getLogger(__name__)

CONTROL = "control"
"""The side of the control software, the desk and the terminals."""
ACTOR = "control software"
EVALUATOR = "evaluator"
"""The role of the one program that analyses deals on a journal in a database."""
ROUNDS = 3
"""Times that a pass asks what is due in a session: marking a result may make something else due."""
COMMANDS_AT_ONCE = 32
"""Commands in one COMMIT at most, so that no result waits long for its acknowledgement."""
DEALS_AT_ONCE = 32
"""Deals in one batch at most: those of another session wait until it is over."""
PASS_INTERVAL = 1.0
"""Seconds after which a pass is made without being woken: another process may have written."""
BUSY_PASS_INTERVAL = 0.2
"""Seconds between two passes while deals are being analysed."""
MIN_PAUSE = 0.1
"""Seconds between two passes at least."""
PAUSE_FACTOR = 9
"""Length of the pause after a long pass, as a multiple of the CPU time of that pass."""
TRY_DEALS_AGAIN = 60.0
"""Seconds until deals are given to the solver again after it has failed."""


class DueExecutor:
    """Executor of the commands that are due in sessions of a journal, for a program with one thread."""

    def __init__(self, runtime: Runtime, *, evaluates: bool = True) -> None:
        self.runtime = runtime
        self.sentences: list[str] = []
        """Sentences for a person, oldest first."""
        self._said: set[str] = set()
        self._failures = 0
        """Passes in a row that failed because the journal did not answer."""
        self._evaluator = Evaluator() if evaluates else None
        engine = runtime.journal.engine
        self._evaluation_lease = (
            Lease(engine, EVALUATOR) if evaluates and isinstance(engine, PostgresEngine) else None
        )
        """The lease of the one node that analyses deals, where a journal has several nodes."""
        self._may_evaluate = False
        """True while this node analyses deals."""
        self._settled: dict[str, tuple[object, ...]] = {}
        """For each session, the inputs for which nothing was due: the same inputs need no new look."""
        self.events: Projection[dict[str, Event]] = Projection(runtime.journal, dict, _apply_to_events)
        """The events by their guids. Readers catch up first."""
        self._started: dict[str, datetime] = {}
        """The time of the last start of each event that was ever started."""
        self.events.subscribe(self._note_starts)
        self._log_level: int | None = None
        """The level of the log before it was ordered to log everything; None while it is not."""

    @property
    def guids(self) -> Iterable[str]:
        """Return the sessions whose due commands are executed; subclasses define them."""
        raise NotImplementedError

    def execute_due(self) -> bool:
        """Execute what is due in every session; return False if something could not be read or written.

        What failed or was rejected is tried again in the next pass.
        """
        try:
            is_done = self._execute_due()
        except JournalUnavailable as error:
            self._count_failure(error)
            return False
        if self._failures:
            self.sentences.append(
                f"The journal answers again, after {counted(self._failures, 'failed attempt')}."
            )
            self._failures = 0
        return is_done

    def _count_failure(self, error: JournalUnavailable) -> None:
        """Count a pass that failed because the journal did not answer; report the first one in a row."""
        if not self._failures:
            self.sentences.append(f"{error} Overtrick will try again.")
        self._failures += 1

    def _execute_due(self) -> bool:
        events = self.every_event()
        self._follow_log_orders(events)
        self._follow_lease()
        self._note_evaluations()
        is_done = self._end_superseded(events)
        for guid in self.guids:
            try:
                self._execute_session(guid)
            except OvertrickError as error:
                if isinstance(error, JournalUnavailable) and not isinstance(error, StreamLocked):
                    raise  # nothing else can be read or written either
                self._say(f"{error} Overtrick will try again.")
                is_done = False
        return is_done

    def _execute_session(self, guid: str) -> None:
        """Execute what is due in a session until nothing is, at most `ROUNDS` times."""
        for _ in range(ROUNDS):
            session = self.session(guid)
            event = self.event(session.opened.event) if session is not None else None
            if session is None or event is None:
                return
            others, played_elsewhere = self._left_to_others(), self._played_elsewhere(session)
            inputs = (
                session.opened.incarnation,
                self.runtime.viewed_version(guid),
                event.order_count,
                frozenset(others),
                frozenset(played_elsewhere),
            )
            if self._settled.get(guid) == inputs:
                return
            self._settled.pop(guid, None)
            if self._evaluator is not None and self._may_evaluate:
                self._evaluator.set_deals(guid, deals_to_evaluate(session))
            commands = due(session, event, others_tables=others, others_boards=played_elsewhere)
            if not commands:
                self._settled[guid] = inputs
                return
            if not self._execute(commands):
                return

    def _execute(self, commands: Sequence[DueCommand]) -> bool:
        """Execute commands that are due; return False if one was rejected. Raises the error of one that failed."""
        is_done = True
        for start in range(0, len(commands), COMMANDS_AT_ONCE):
            group = commands[start : start + COMMANDS_AT_ONCE]
            submissions: list[Submission[Command]] = [
                Submission(due_command.command, due_command.command_id, CONTROL, ACTOR)
                for due_command in group
            ]
            for due_command, answer in zip(group, self.runtime.writer.write_all(submissions), strict=True):
                if isinstance(answer, Exception):
                    raise answer
                if isinstance(answer, Rejection):
                    self._say(f"{due_command.about}: {answer}")
                    is_done = False
        return is_done

    def _left_to_others(self) -> Mapping[tuple[str, int], str]:
        """Return the tables that other control programs handle, with the names of their computers; none by default."""
        return {}

    def _played_elsewhere(self, session: Session) -> Collection[Place]:
        """Return the boards that tables of other control programs have played; none by default."""
        return ()

    def _note_starts(self, entries: Sequence[JournalEntry]) -> None:
        for entry in entries:
            if isinstance(entry.fact, Ordered) and Order.START in entry.fact.orders:
                self._started[entry.stream.removeprefix("event/")] = entry.at

    def _end_superseded(self, events: Mapping[str, Event]) -> bool:
        """Shut down the events after which their club has started another; return False if that was rejected."""
        return self._execute([*due_shutdowns(events, self._started)])

    def _follow_log_orders(self, events: Mapping[str, Event]) -> None:
        """Log everything while that is ordered for an event that runs."""
        is_ordered = any(event.logs_everything for event in events.values())
        logger = logging.getLogger("overtrick")
        if is_ordered and self._log_level is None:
            self._log_level = logger.level
            logger.setLevel(logging.DEBUG)
        elif not is_ordered and self._log_level is not None:
            logger.setLevel(self._log_level)
            self._log_level = None

    def _follow_lease(self) -> None:
        """Start to analyse deals when this node gets the lease, and stop when it may have lost it."""
        is_ours = self._evaluation_lease is None or self._evaluation_lease.is_held
        if is_ours != self._may_evaluate:
            self._may_evaluate = is_ours
            self._forget_settled()
            if not is_ours and self._evaluator is not None:
                self._evaluator.end()

    def _forget_settled(self) -> None:
        """Forget which sessions are settled, so that the next pass checks all of them."""
        self._settled.clear()

    def _note_evaluations(self) -> None:
        """Record the tricks of deals that have been analysed."""
        if self._evaluator is None:
            return
        for guid in self._evaluator.sessions:
            self.runtime.keep(guid)
        solved_deals = self._evaluator.solved()
        sessions = {guid: self.session(guid) for guid, _, _ in solved_deals}
        evaluations = [
            evaluation(session, record, tricks)
            for guid, record, tricks in solved_deals
            if (session := sessions[guid]) is not None
        ]
        try:
            self._execute(evaluations)
        except JournalUnavailable:
            raise
        except OvertrickError as error:
            self._say(f"{error} Overtrick will try again.")
            return
        if failure := self._evaluator.advance(solved_deals):
            self._say(f"Deals cannot be analysed now: {failure}")

    # Sessions -----------------------------------------------------------------------------------------------

    def session(self, guid: str) -> Session | None:
        """Return a session as it stands; None if there is no such session."""
        view = self.runtime.view(guid)
        return view.session if view else None

    def every_event(self) -> Mapping[str, Event]:
        """Return every event as it stands, by its guid."""
        behind = self.events.behind(self.runtime.journal.heads())
        self.events.catch_up(stream for stream in behind if stream.startswith("event/"))
        return self.events.state

    def event(self, guid: str) -> Event | None:
        """Return an event as it stands; None if there is no such event."""
        self.events.catch_up([event_stream(guid)])
        return self.events.state.get(guid)

    def _say(self, sentence: str) -> None:
        """Add a sentence, unless it was said before."""
        if sentence not in self._said:
            self._said.add(sentence)
            self.sentences.append(sentence)

    def close(self) -> None:
        """Stop what runs in the background."""
        if self._evaluator is not None:
            self._evaluator.close()
        if self._evaluation_lease is not None:
            self._evaluation_lease.close()
        if self._log_level is not None:
            logging.getLogger("overtrick").setLevel(self._log_level)
            self._log_level = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _apply_to_events(events: dict[str, Event], entry: JournalEntry) -> None:
    guid = entry.stream.removeprefix("event/")
    events.setdefault(guid, Event(guid)).apply(entry.fact)


Solved = tuple[str, HandRecord, Tricks]
"""A session, one of its deals, and its tricks."""


class Evaluator:
    """Double dummy analysis in the background: one batch of deals at a time, in a process of its own."""

    def __init__(self) -> None:
        self._batch: SolverBatch | None = None
        self._in_batch: list[tuple[str, HandRecord]] = []
        self._waiting: dict[str, list[HandRecord]] = {}
        """The deals of each session, the session that asked last at the end."""
        self._not_before = 0.0

    @property
    def is_busy(self) -> bool:
        """True if deals are being analysed."""
        return self._batch is not None

    @property
    def sessions(self) -> set[str]:
        """Return the sessions whose deals are being analysed or wait for that."""
        return {*self._waiting, *(guid for guid, _ in self._in_batch)}

    def set_deals(self, guid: str, records: Sequence[HandRecord]) -> None:
        """Set the deals of a session that are still to be analysed."""
        self._waiting.pop(guid, None)
        missing = [record for record in records if (guid, record) not in self._in_batch]
        if missing:
            self._waiting[guid] = missing

    def solved(self) -> list[Solved]:
        """Return the deals at work that are solved, with their sessions and tricks."""
        solved = self._batch.solved if self._batch is not None else {}
        return [
            (*entry, tricks) for entry in self._in_batch if (tricks := solved.get(entry[1].deal)) is not None
        ]

    def advance(self, recorded_deals: Collection[Solved]) -> OvertrickError | None:
        """Remove deals whose tricks are recorded, and begin the next batch when the last is over.

        Return the error that ended the last batch, or None. The session that asked last comes first. Deals that the
        solver failed at are tried again, after all others.
        """
        recorded = {(guid, record) for guid, record, _ in recorded_deals}
        self._in_batch = [entry for entry in self._in_batch if entry not in recorded]
        failure = None
        if self._batch is not None and self._batch.is_over:
            try:
                self._batch.result()
            except OvertrickError as error:
                failure = error
                self._not_before = time.monotonic() + TRY_DEALS_AGAIN
            for guid, record in self._in_batch:
                self._waiting = {guid: [*self._waiting.pop(guid, ()), record], **self._waiting}
            self.close()
        if self._batch is None and self._waiting and time.monotonic() >= self._not_before:
            guid, records = self._waiting.popitem()
            self._in_batch = [(guid, record) for record in records[:DEALS_AT_ONCE]]
            if rest := records[DEALS_AT_ONCE:]:
                self._waiting[guid] = rest
            self._batch = SolverBatch([record.deal for record in records[:DEALS_AT_ONCE]], workers=1)
        return failure

    def close(self) -> None:
        """Cancel the running batch."""
        if self._batch is not None:
            self._batch.cancel()
            self._batch = None
        self._in_batch = []

    def end(self) -> None:
        """Drop all deals: another program analyses them."""
        self._waiting.clear()
        self.close()


class JournalDueExecutor(DueExecutor):
    """Executor for every session of a journal, for the desk and the server."""

    def __init__(self, runtime: Runtime, *, evaluates: bool = True) -> None:
        super().__init__(runtime, evaluates=evaluates)
        self.is_ending = threading.Event()
        self._list = SessionList(runtime.journal)
        self._players = PlayerIndex(runtime.journal)
        self._known: dict[str, tuple[int, int]] = {}
        """For each stream of a settled session with deals to analyse: its version and that of its event's stream."""
        self._compared: set[str] = set()
        """The running events that were compared with all events that have changed since."""

    def _forget_settled(self) -> None:
        super()._forget_settled()
        self._known.clear()

    @property
    def guids(self) -> Iterator[str]:
        """Yield the sessions that have changed since they were settled, the last changed at the end.

        That order keeps the current session the last changed one even if commands are executed in earlier sessions. A
        session is recorded as settled when all its deals are analysed, by whichever program does that.
        """
        for stream, *versions in self._list.unsettled():
            guid = stream.split("/")[1]
            if self._known.get(stream) == tuple(versions):
                continue
            if self.is_ending.is_set():
                return
            yield guid
            session = self.session(guid)
            event = self.event(session.opened.event) if session is not None else None
            if session is None or event is None:
                continue
            own, event_version = (
                self.runtime.viewed_version(guid),
                self.events.version(event_stream(event.event)),
            )
            inputs = session.opened.incarnation, own, event.order_count
            if self._settled.get(guid, ())[: len(inputs)] != inputs:
                continue  # not settled, or more has come since: the next pass looks again
            if deals_to_evaluate(session):
                self._known[stream] = own, event_version
            else:
                if session.setup.status is Status.FINISHED:
                    # Before the line, which says that nothing is left to do for these facts.
                    self._note_players(stream, session)
                self._list.note([SessionLine.of(session, event, version=own, event_version=event_version)])

    def _note_players(self, stream: str, session: Session) -> None:
        """Store the results of the players of a session that has ended."""
        try:
            results = player_results(SessionView.of(session))
        except Exception:  # a session that cannot be scored must not stop what is due in others
            log.exception("The players' results of %s cannot be made", stream)
            return
        self._players.note(stream, results)

    def every_event(self) -> Mapping[str, Event]:
        """Return every event that runs or has changed since its sessions were settled, by its guid."""
        events = {guid: self.event(guid) for guid in self._list.running_events()}
        return {guid: event for guid, event in events.items() if event is not None}

    def _end_superseded(self, events: Mapping[str, Event]) -> bool:
        running = {guid for guid, event in events.items() if event.is_running}
        if running <= self._compared:
            return True
        since = min(self._started[guid] for guid in running)
        later = [
            line.stream.removeprefix("event/")
            for line in self.runtime.journal.streams()
            if line.stream.startswith("event/") and line.changed > since
        ]
        loaded = {guid: event for guid in later if (event := self.event(guid)) is not None}
        is_done = super()._end_superseded({**events, **loaded})
        if is_done:
            self._compared = running
        return is_done

    def run(self, woken: threading.Event) -> None:
        """Make a pass whenever the journal has grown, and at least every `PASS_INTERVAL` seconds, until `is_ending`."""
        while not self.is_ending.is_set():
            woken.clear()
            cpu_start = time.thread_time()  # CPU time: waiting for the journal does not slow other threads
            try:
                self.execute_due()
            except Exception:
                log.exception("The due commands failed; they will be tried again")
            for sentence in self.sentences:
                log.warning("%s", sentence)
            self.sentences.clear()
            self.is_ending.wait(max(MIN_PAUSE, PAUSE_FACTOR * (time.thread_time() - cpu_start)))
            is_busy = self._evaluator is not None and self._evaluator.is_busy
            woken.wait(BUSY_PASS_INTERVAL if is_busy else PASS_INTERVAL)


@contextmanager
def executing_due(journal: Journal, writer: RuntimeWriter, *, evaluates: bool = True) -> Iterator[None]:
    """Execute what is due in every session of a journal in a background thread, while the block runs."""
    woken = threading.Event()
    runtime = Runtime(journal, writer)
    with JournalDueExecutor(runtime, evaluates=evaluates) as executor, journal.woken(ANY_STREAM, woken.set):
        thread = threading.Thread(target=executor.run, args=(woken,), name="overtrick-director", daemon=True)
        thread.start()
        try:
            yield
        finally:
            executor.is_ending.set()
            woken.set()
            thread.join()
