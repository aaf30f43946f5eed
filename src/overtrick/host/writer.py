"""The one writer of a process: decides commands in order, and acknowledges a whole group after one COMMIT.

Has no dependency on rules: `decide` and `apply` are parameters, and the state is any type that they work on. Any number
of threads may call a `Writer`: the thread that holds its lock writes the commands of all (group commit). `WriterLoop`
feeds it from any number of asyncio tasks, in a thread of its own.
"""

# Ordering and locking
#
# Threads: a caller appends its commands to the inbox, a FIFO queue, and then takes the writer's lock. The thread that
# has the lock writes group after group from the head of the inbox, until its own commands are answered. A group may
# contain commands of any thread, so many callers find their answers ready when they get the lock.
#
# A group is written in rounds; a round is one transaction of the journal (`Journal.holding`):
#
#   1. Lock the streams of all waiting commands: exclusive if a command may write to them, shared if it only reads them.
#      All locks are requested at the start and none later, so the engine can take them in an order without deadlocks.
#   2. Fold the facts that other nodes have appended to these streams. From here on nobody else can write to them.
#   3. Decide the commands in order. The facts of one are applied to the state before the next is decided; those of the
#      last are applied after COMMIT. A command id that is in the journal already is not decided again.
#   4. Append the facts of all and COMMIT. Only then are the commands answered, rejections too, because they may have
#      been decided on facts of the same transaction.
#
# The streams of a command may depend on the state, which step 2 changes. The first command that needs a stream that is
# not locked ends step 3. It waits, with all after it, for the next round, which locks that stream too.
#
# Failures: if the lock of a stream is not free in time (StreamLocked), nothing has been decided yet, and the state
# stays; the group is then written one command at a time.
# After any other failure, such as that of COMMIT, the state may be ahead of the journal: it is dropped and folded
# again. The commands that the round has decided fail with the exception; if it has decided none, all of them do.

import asyncio
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from queue import SimpleQueue
from time import monotonic
from types import TracebackType
from typing import Any, Generic, Self, TypeVar, cast

from overtrick.store import Appended, CommandBatch, Journal, JournalEntry
from overtrick.store.errors import JournalUnavailable, StreamLocked
from overtrick.store.journal import JournalPosition

S = TypeVar("S")
"""The state."""
C = TypeVar("C")
"""A command."""
C_co = TypeVar("C_co", covariant=True)
T = TypeVar("T")
R = TypeVar("R")
"""A rejection: the answer of `decide` instead of facts."""

ATTEMPTS = 8
"""Rounds in a row that decide nothing, after which the first command fails with JournalUnavailable."""

GROUP = 256
"""Commands in one COMMIT at most, so that the first of a flood does not wait for the last."""

LOCK_TIMEOUT = 0.1
"""Seconds that each command waits for a lock after its group as a whole could not get its locks in time."""

WAITING = 1024
"""Commands in the queue at most; `submit` waits for a free place."""

UNUSED = 600.0
"""Seconds after which unused parts of the state are dropped."""

Load = Callable[[Iterable[str]], None]
"""Folds streams into the state; a name that ends with a slash stands for all streams with that prefix."""

Placed = tuple[str, Any]
"""The stream that a fact belongs to, and the fact."""

Streams = Mapping[str, bool]
"""Streams to lock, True for writing; a name that ends with a slash stands for all streams with that prefix."""


@dataclass(frozen=True, slots=True)
class Submission(Generic[C_co]):
    """Command with its metadata for the journal. The command id is unique in the whole journal."""

    command: C_co
    command_id: str
    side: str
    actor: str


@dataclass(slots=True, eq=False)
class _QueuedCommand(Generic[C, R]):
    """Command that a thread has sent, and its answer; None until there is one."""

    submission: Submission[C]
    answer: "Appended | R | Exception | None" = None


class Writer(Generic[S, C, R]):
    """Writer of a journal: decides commands on a state that it folds from the journal, and appends the facts.

    `start` returns an empty state; the function that it gets loads streams into that state on demand. `decide` returns
    the facts of a command with their streams, or a rejection. `streams` returns the streams that it reads and writes.
    `apply` applies one fact to a state. `watched` returns the streams that a state consists of. `drop` removes what was
    not used since its last call from a state, and returns the streams of that.

    A command id that is in the journal already gets its first answer again, with `Appended.again` set. A command that
    was rejected, or that changed nothing, has left nothing in the journal; sent again, it is decided anew.
    """

    def __init__(
        self,
        journal: Journal,
        *,
        start: Callable[[Load], S],
        decide: Callable[[S, C], Sequence[Placed] | R],
        streams: Callable[[S, C], Streams],
        apply: Callable[[S, str, Any], None],
        watched: Callable[[S], Iterable[str]] | None = None,
        drop: Callable[[S], Iterable[str]] = lambda state: (),
        makes_item: Callable[[str, Any], bool] = lambda side, fact: False,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self.journal = journal
        self._start = start
        self._decide = decide
        self._streams = streams
        self._apply = apply
        self._watched = watched
        """None if a state consists of the whole journal."""
        self._drop = drop
        self._makes_item = makes_item
        self._dropped = monotonic()
        """The monotonic time when unused parts were dropped last."""
        self._clock = clock
        self._lock = threading.Lock()
        self._inbox: deque[_QueuedCommand[C, R]] = deque()
        """Commands that no thread has begun to write."""
        self._state: S | None = None
        self._versions: dict[str, int] = {}
        self._set_backs = journal.set_backs
        self._position: JournalPosition | None = None
        """The position of the journal up to which the state has seen everything; None if unknown."""

    def write(self, submission: Submission[C]) -> Appended | R:
        """Decide one command and append its facts, durably; return the answer.

        Raises JournalError if it cannot be written, and whatever `decide` raises.
        """
        (answer,) = self.write_all([submission])
        if isinstance(answer, Exception):
            raise answer
        return answer

    def write_all(
        self,
        submissions: Sequence[Submission[C]],
        late: Callable[[], Iterable[Submission[C]]] = lambda: (),
    ) -> list[Appended | R | Exception]:
        """Decide commands in order, if possible with one COMMIT; return the answer or the exception of each.

        Commands that other threads send before the streams are locked share this COMMIT; later ones share the next.
        `late` is called when streams are locked, and returns commands that the caller has received meanwhile. Their
        answers follow those of `submissions`.
        """
        own_commands: list[_QueuedCommand[C, R]] = [_QueuedCommand(submission) for submission in submissions]
        self._inbox.extend(own_commands)
        with self._lock:
            while any(queued.answer is None for queued in own_commands):
                self._write_next(own_commands, late)
        return [queued.answer for queued in own_commands if queued.answer is not None]

    def _write_next(
        self, own_commands: list["_QueuedCommand[C, R]"], late: Callable[[], Iterable[Submission[C]]]
    ) -> None:
        """Write the next group of the inbox, whichever threads its commands come from."""
        group: list[_QueuedCommand[C, R]] = []

        def take() -> list[Submission[C]]:
            next_group = [self._inbox.popleft() for _ in range(min(GROUP - len(group), len(self._inbox)))]
            group.extend(next_group)
            return [queued.submission for queued in next_group]

        def take_late() -> list[Submission[C]]:
            late_commands: list[_QueuedCommand[C, R]] = [_QueuedCommand(submission) for submission in late()]
            own_commands.extend(late_commands)
            self._inbox.extend(late_commands)
            return take()

        try:
            answers = self._write_group(take(), take_late)
        except BaseException:
            # This thread is interrupted: put the commands of other threads back, for them to write.
            self._inbox.extendleft(queued for queued in reversed(group) if queued not in own_commands)
            raise
        for queued, answer in zip(group, answers, strict=True):
            queued.answer = answer

    def _write_group(
        self, submissions: list[Submission[C]], late: Callable[[], list[Submission[C]]]
    ) -> list[Appended | R | Exception]:
        """Write a group of commands in one or more rounds; return the answer or the exception of each.

        The caller holds the lock. Commands that `late` returns are added to `submissions`.
        """
        answers: dict[int, Appended | R | Exception] = {}
        more_streams: dict[str, bool] = {}
        locked: set[str] | None = None
        attempts = 0
        while len(answers) < len(submissions):
            waiting = [number for number in range(len(submissions)) if number not in answers]
            if locked is not None:
                waiting = waiting[:1]
            decisions: _RoundDecisions[S, R] = _RoundDecisions()
            try:
                is_whole = self._write_round(submissions, waiting, decisions, more_streams, locked, late)
            except StreamLocked as error:
                # A lock was not free, so nothing was written. Continue one command at a time, so that a session that
                # another node keeps locked does not delay the others.
                more_streams = {}
                if decisions.decided:
                    # It was the lock of a row that the facts were to change: the state has facts that are not written.
                    self._forget()
                if locked is None and len(waiting) > 1:
                    locked = set()
                else:
                    answers.update((number, error) for number in waiting)
                continue
            except BaseException as error:
                # Unknown which facts are durable: drop the state, and fold it from the journal again.
                self._forget()
                if not isinstance(error, Exception):
                    raise
                not_durable = [number for number, decided in decisions.decided if not _is_durable(decided)]
                answers.update((number, error) for number in not_durable or waiting)
                continue
            answers.update(self._finish_round(decisions, is_whole))
            attempts = 0 if decisions.decided else attempts + 1
            if attempts == ATTEMPTS:
                attempts = 0
                answers[waiting[0]] = JournalUnavailable(
                    "The data changed at every attempt, and this was not written. Try again.",
                    where=self.journal.name,
                )
        return [answers[number] for number in range(len(submissions))]

    def _write_round(
        self,
        submissions: list[Submission[C]],
        waiting: list[int],
        decisions: "_RoundDecisions[S, R]",
        more_streams: dict[str, bool],
        locked: set[str] | None,
        late: Callable[[], list[Submission[C]]],
    ) -> bool:
        """Lock the streams of the waiting commands, decide them on the current journal, and append the facts.

        Further streams that a decision needs are added to `more_streams`. `locked` is None for the group as a whole.
        When commands are written one at a time, it has the streams that another node seems to keep locked: a command
        that needs one of these fails at once; others wait `LOCK_TIMEOUT` seconds for a lock, and if that is not enough,
        the streams that they would have written are added. Return False if the state was dropped. Raises StreamLocked.
        """
        if self._state is None:
            self._catch_up()  # before locking: it may take long
        assert self._state is not None
        streams = dict(more_streams)
        for number in waiting:
            _widen(streams, self._streams(self._state, submissions[number].command))
        self._drop_unused()
        if locked is not None and locked & streams.keys():
            raise StreamLocked("Another node has locked this session. Nothing was written.")
        versions = {name: self._versions.get(name, 0) for name in streams if not name.endswith("/")}
        command_ids = [submissions[number].command_id for number in waiting]
        lock_timeout = None if locked is None else LOCK_TIMEOUT
        try:
            with self.journal.holding(
                streams, lock_timeout, versions=versions, command_ids=command_ids
            ) as held:
                self._catch_up(streams, held.missed)
                earlier = dict(held.found)
                if locked is None and (joined := late()):
                    # These commands came while this round waited for its locks: let them share its COMMIT.
                    waiting += range(len(submissions), len(submissions) + len(joined))
                    submissions += joined
                    earlier |= self.journal.find_all([submission.command_id for submission in joined])
                self._decide_in_order(submissions, waiting, decisions, streams, more_streams, earlier)
                if decisions.batches:
                    self.journal.append_all(decisions.batches)
        except StreamLocked:
            if locked is not None:
                locked.update(name for name, is_written in streams.items() if is_written)
            raise
        return self._state is not None

    @contextmanager
    def reading(self) -> Iterator[S]:
        """Yield the state as the journal has it now, for reading; the writer is locked until the block ends."""
        with self._lock:
            self._drop_unused()
            self._catch_up()
            assert self._state is not None
            yield self._state

    def _catch_up(self, streams: Streams | None = None, missed: Iterable[JournalEntry] = ()) -> None:
        """Fold what any node has appended since the last call, at least in these streams; without them, in all.

        `missed` has the new facts of `streams`, except for names that end with a slash.
        """
        position = self.journal.position()
        if self._set_backs != self.journal.set_backs:
            self._set_backs = self.journal.set_backs
            self._forget()
        is_empty = self._state is None
        if self._state is None:
            self._versions = {}
            self._state = self._start(self._load)
            self._position = None
        if position is not None and position == self._position:
            return
        if streams is None or position is not None:
            # Load everything, so that from now on the position covers all streams of the state.
            self._load(None if self._watched is None else {*self._watched(self._state), *(streams or ())})
        elif is_empty:
            self._load(streams)
        else:
            self._fold(missed)
            self._load([name for name in streams if name.endswith("/")])
        self._position = position

    def _drop_unused(self) -> None:
        """Drop parts of the state that were not used for `UNUSED` seconds; do nothing while commands wait."""
        if self._state is None or self._inbox or monotonic() - self._dropped < UNUSED:
            return
        self._dropped = monotonic()
        for stream in self._drop(self._state):
            self._versions.pop(stream, None)

    def _load(self, streams: Iterable[str] | None) -> None:
        """Fold the durable facts of these streams that the state lacks; None means all streams."""
        names = None if streams is None else list(streams)
        if names != []:
            heads = sorted(self.journal.heads(names).items())
            grown = {
                stream: version for stream, head in heads if head > (version := self._versions.get(stream, 0))
            }
            self._fold(self.journal.missed(grown))

    def _fold(self, entries: Iterable[JournalEntry]) -> None:
        """Apply facts to the state."""
        state = self._state
        assert state is not None
        try:
            for entry in entries:
                self._apply(state, entry.stream, entry.fact)
                self._versions[entry.stream] = entry.version
        except BaseException:
            self._forget()  # a fact may have been applied partly
            raise

    def _forget(self) -> None:
        """Drop the state; the next command folds it from the journal."""
        self._state = self._position = None

    def _decide_in_order(
        self,
        submissions: Sequence[Submission[C]],
        waiting: Sequence[int],
        decisions: "_RoundDecisions[S, R]",
        locked: Streams,
        more_streams: dict[str, bool],
        earlier: Mapping[str, Appended],
    ) -> None:
        """Decide the waiting commands, each on the effects of those before it.

        The first that needs a stream that is not locked, and those after it, are left for the next round.
        """
        new_ids: set[str] = set()
        for number in waiting:
            submission = submissions[number]
            if submission.command_id in new_ids:
                return  # the same command twice: in the next round the journal has its answer
            if not self._apply_last(decisions):
                return
            if (answer := earlier.get(submission.command_id)) is not None:
                decisions.decided.append((number, answer))
                continue
            assert self._state is not None
            needed = self._streams(self._state, submission.command)
            if not _covers(locked, needed):
                _widen(more_streams, needed)
                return
            decided = self._decide_one(submission)
            if isinstance(decided, tuple):
                batch, facts = decided
                written = {stream: True for stream, _ in facts}
                if not _covers(locked, written):
                    _widen(more_streams, written)
                    return
                decisions.unapplied = decided
                decisions.decided.append((number, batch))
                decisions.batches.append(batch)
                new_ids.add(submission.command_id)
            else:
                decisions.decided.append((number, decided))

    def _decide_one(
        self, submission: Submission[C]
    ) -> tuple[CommandBatch, Sequence[Placed]] | Appended | R | Exception:
        """Return the batch to append and its facts; the answer if there is nothing to append.

        An exception is returned as the answer, unless the state was dropped.
        """
        assert self._state is not None
        try:
            decided = self._decide(self._state, submission.command)
            if not isinstance(decided, (tuple, list)):
                return cast(R, decided)
            if not decided:
                return Appended(())
            batch = self.journal.prepare(
                decided,
                self._versions,
                command_id=submission.command_id,
                at=self._clock(),
                side=submission.side,
                actor=submission.actor,
                makes_item=self._makes_item,
            )
        except Exception as error:
            if self._state is None:
                raise  # a stream could not be loaded, and the state was dropped
            return error  # an error of one command must not fail the others
        return batch, decided

    def _apply_last(self, decisions: "_RoundDecisions[S, R]") -> bool:
        """Apply the batch that was decided last to the state, for the next command to see.

        The last batch of a group is applied only after the COMMIT, so that a failure leaves a state that is merely
        behind. A batch that cannot be applied is not appended: its command fails, and False is returned.
        """
        if decisions.unapplied is None:
            return True
        batch, facts = decisions.unapplied
        decisions.unapplied = None
        try:
            self._apply_batch(batch, facts)
        except Exception as error:
            self._forget()
            number, _ = decisions.decided.pop()
            decisions.decided.append((number, error))
            decisions.batches.pop()
            return False
        return True

    def _apply_batch(self, batch: CommandBatch, facts: Sequence[Placed]) -> None:
        """Apply the facts of a batch to the state."""
        state, apply = self._state, self._apply
        assert state is not None
        for stream, fact in facts:
            apply(state, stream, fact)
        for span in batch.spans:
            self._versions[span.stream] = span.last

    def _finish_round(
        self, decisions: "_RoundDecisions[S, R]", is_whole: bool
    ) -> dict[int, Appended | R | Exception]:
        """Return the answers of a committed round, and apply its last batch."""
        if decisions.batches:
            self._position = (
                self._position.after_append() if self._position is not None and is_whole else None
            )
        if decisions.unapplied is not None and is_whole:
            batch, facts = decisions.unapplied
            try:
                self._apply_batch(batch, facts)
            except Exception:
                self._forget()  # it is durable; the next command folds it from the journal
        return {
            number: Appended(decided.spans) if isinstance(decided, CommandBatch) else decided
            for number, decided in decisions.decided
        }


@dataclass(slots=True)
class _RoundDecisions(Generic[S, R]):
    """Decisions of one round, in order. An answer is valid only if the batches before it are committed."""

    decided: list[tuple[int, CommandBatch | Appended | R | Exception]] = field(default_factory=list)
    batches: list[CommandBatch] = field(default_factory=list)
    """The batches among them, to append."""
    unapplied: tuple[CommandBatch, Sequence[Placed]] | None = None
    """The last batch with its facts, until it is applied to the state."""


_Waiting = tuple[Submission[C], asyncio.Future[Appended | R]]
"""A command, and the future of its answer."""


class WriterLoop(Generic[S, C, R]):
    """Thread that feeds a writer from many tasks: commands that arrive during one COMMIT share the next.

    Use it as `async with WriterLoop(writer) as writing: await writing.submit(...)`; at the end of the block,
    submitted commands are still written.
    """

    def __init__(self, writer: Writer[S, C, R], *, waiting: int = WAITING) -> None:
        self._writer = writer
        self._places = asyncio.Semaphore(waiting)
        self._inbox: SimpleQueue[_Waiting[C, R] | None] = SimpleQueue()
        """Commands for the thread to write; None ends it."""
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread = threading.Thread(target=self._work, name="overtrick-writer", daemon=True)
        self._ended = asyncio.Event()
        self._closing = False
        self._coming = 0
        """Submissions that wait for a place in the queue."""

    async def read(self, question: Callable[[S], T]) -> T:
        """Call a function with the state as the journal has it now, in another thread; return its result."""

        def ask() -> T:
            with self._writer.reading() as state:
                return question(state)

        return await asyncio.to_thread(ask)

    async def submit(self, submission: Submission[C]) -> Appended | R:
        """Wait until a command is decided and its facts are durable; return the answer.

        Cancelling the wait does not cancel the command. Raises JournalError if it cannot be written, or if the loop
        is closed.
        """
        if self._closing or self._loop is None:
            raise _stopped()
        self._coming += 1
        try:
            await self._places.acquire()
        finally:
            self._coming -= 1
        answer: asyncio.Future[Appended | R] = self._loop.create_future()
        self._inbox.put((submission, answer))
        return await answer

    async def __aenter__(self) -> Self:
        self._loop = asyncio.get_running_loop()
        self._thread.start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._closing = True
        while self._coming:  # they have called submit() before the end
            await asyncio.sleep(0.001)
        self._inbox.put(None)
        await self._ended.wait()
        self._thread.join()

    def _work(self) -> None:
        """Write group after group in the thread, and hand the answers to the event loop."""
        assert self._loop is not None
        while group := self._gather():
            answers: list[Appended | R | Exception]
            try:
                answers = self._writer.write_all(
                    [submission for submission, _ in group], lambda: self._gather_late(group)
                )
            except Exception as error:
                answers = [error] * len(group)  # every waiting task gets the error
            self._loop.call_soon_threadsafe(self._send_answers, group, answers)
        self._loop.call_soon_threadsafe(self._ended.set)

    def _gather(self) -> list["_Waiting[C, R]"]:
        """Return the queued commands, at least one; an empty list at the end."""
        first = self._inbox.get()
        group = [] if first is None else [first]
        if group:
            self._gather_late(group)
        return group

    def _gather_late(self, group: list["_Waiting[C, R]"]) -> list[Submission[C]]:
        """Move queued commands to a group, up to `GROUP`; return them."""
        first_new = len(group)
        while len(group) < GROUP and not self._inbox.empty():
            item = self._inbox.get()
            if item is None:
                self._inbox.put(None)  # read again after this group
                break
            group.append(item)
        return [submission for submission, _ in group[first_new:]]

    def _send_answers(self, group: list["_Waiting[C, R]"], answers: list[Appended | R | Exception]) -> None:
        for (_, waiting), answer in zip(group, answers, strict=True):
            self._places.release()
            if waiting.done():
                continue  # the task was cancelled; the command is written anyway
            if isinstance(answer, Exception):
                waiting.set_exception(answer)
            else:
                waiting.set_result(answer)


def _covers(locked: Streams, needed: Streams) -> bool:
    """Return whether the held locks cover these streams; a write lock on a prefix covers all streams with it."""
    return all(
        name in locked and (locked[name] or not is_written)
        if name.endswith("/") or name in locked
        else any(locked[start] for start in locked if start.endswith("/") and name.startswith(start))
        for name, is_written in needed.items()
    )


def _widen(streams: dict[str, bool], needed: Streams) -> None:
    """Add streams to those to lock."""
    for name, is_written in needed.items():
        streams[name] = streams.get(name, False) or is_written


def _is_durable(decided: object) -> bool:
    return isinstance(decided, Appended) and decided.again


def _stopped() -> JournalUnavailable:
    return JournalUnavailable("The journal is being closed. The command was not written.")
