"""The journal: facts are appended to streams and read back. Nothing is acknowledged before it is durable.

Has no dependency on bridge; uses the database only through `JournalEngine`. The facts of one command are appended
atomically, whichever streams they belong to. A command id is unique in the whole journal: a command that was appended
before is not appended again, and gets the first answer.

Locking: `append_all` writes the batches of several commands with one COMMIT. It locks their streams against other
writers, checks that the batches are new and fit at the end of their streams, and inserts them. A writer that decides
a command on the present state locks the streams with `holding`, reads, decides and appends inside that block.
"""

import logging
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import groupby, repeat
from operator import itemgetter
from pathlib import Path
from time import sleep
from types import TracebackType
from typing import Any, NamedTuple, Self

from sqlalchemy import PoolProxiedConnection

from overtrick.errors import BadInput
from overtrick.store.codec import Codec
from overtrick.store.documents import Documents
from overtrick.store.engine import JournalEngine, Row, Statement
from overtrick.store.errors import (
    CommitUnknown,
    DamagedJournal,
    JournalSetBack,
    UnknownFact,
    VersionConflict,
)
from overtrick.store.marks import Marks
from overtrick.store.statements import LOOKUP_SIZES, statements
from overtrick.store.subscription import Wakeups
from overtrick.store.tables import SCORING

log = logging.getLogger(__name__)

CHUNK = 2_000
"""Rows per read. A long replay must not keep a transaction open, because SQLite's log would grow meanwhile."""

MAX_CACHED_NAMES = 4096
"""The most entries in the cache of valid names."""

COMMIT_CHECK_DELAYS = (0.0, 0.5, 2.0)
"""Seconds to wait before each check for the outcome of a COMMIT that failed."""

CHECK_LOCK_TIMEOUT = 5.0
"""Seconds that such a check waits for the locks of a transaction that may still be running."""

LONGEST_NAME = 200
"""Limit of a stream's name or a command's id, in characters: indexes and notifications have limits."""


class JournalEntry(NamedTuple):
    """One fact as the journal holds it. A named tuple, because a replay makes a hundred thousand of them."""

    stream: str
    version: int
    at: datetime
    side: str
    actor: str
    command_id: str
    fact: Any
    item: int | None = None
    """The id of its queue item; None if it makes none, or if the fact is older than such ids: then use the version."""


class StreamSpan(NamedTuple):
    """The facts of a command in one stream: versions `first` to `last`."""

    stream: str
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class Appended:
    """The places of a command's facts; no spans if it changed nothing. `again` if it had been appended before."""

    spans: tuple[StreamSpan, ...]
    again: bool = False


class LockedStreams(NamedTuple):
    """The facts and places that a writer has to know about the streams that it has locked."""

    missed: Iterable[JournalEntry]
    """The facts above the versions that the writer has seen; to be read inside the block of `holding`."""
    found: Mapping[str, Appended]
    """The places of those of its commands that are in the journal already, by command id."""


class CommandBatch(NamedTuple):
    """The encoded facts of one command. They fit if each of its streams ends just before its span."""

    command_id: str
    spans: tuple[StreamSpan, ...]
    at: str
    side: str
    actor: str
    rows: Sequence[Row]
    """Rows of the journal's table, in the order of its columns; the item is True where an id is to be drawn."""
    items: int
    """The number of ids to draw."""


class JournalPosition(NamedTuple):
    """A position of the journal as seen by one process; between two equal positions nothing was appended."""

    connection: int
    other_changes: int
    """The engine's counter of changes by other connections."""
    appends: int

    def after_append(self) -> Self:
        """Return the position after one more `append_all` of this process and nothing else."""
        return type(self)(self.connection, self.other_changes, self.appends + 1)


@dataclass(frozen=True, slots=True)
class StreamSummary:
    """A stream with its last version and the times of its first and last fact."""

    stream: str
    version: int
    opened: datetime
    changed: datetime


class Journal:
    """The facts of every stream. Thread-safe. Open one with `overtrick.store.open_journal`."""

    def __init__(self, engine: JournalEngine, codec: Codec) -> None:
        self.engine = engine
        self.codec = codec
        self.marks = Marks(engine, self.writing)
        self._sql = statements(engine)
        self._wakeups = Wakeups()
        self._lock = threading.RLock()
        self._open_cursor: Any = None
        """The cursor of the open transaction of `holding`, or None."""
        self._open_thread = 0
        """The id of the thread that opened it."""
        self._appended_streams: set[str] = set()
        """The streams that it appended to; their followers are woken after COMMIT."""
        self._appended_commands: list[str] = []
        """The ids of the commands that it appended."""
        self._pending_answers = ExitStack()
        """Ends when the answers to the statements that append, and to COMMIT, have come."""
        self._last_appended: dict[str, tuple[int, str]] = {}
        """Version and command id of the last fact that it appended to each stream."""
        self._connection: PoolProxiedConnection | None = None
        self._cursor: Any = None
        self._connections = 0
        self._valid_names: set[str] = set()
        """Names that passed `_check_text`."""
        self._appends = 0
        self.set_backs = 0
        """The number of times that the server lacked facts which this process had seen.

        A projection compares it with the number at its last read, and folds its facts again if it has changed."""
        self.timeline = ""
        """The timeline of the server, which changes when a replica is promoted; empty for a file."""
        self._last_seen: dict[str, tuple[int, str]] = {}
        """The last fact of each stream that this process has seen: its version and its command."""
        self._compared_connection = 0
        """The connection count at the last comparison of `_last_seen` with the server."""

    @property
    def name(self) -> str:
        """Return the name of this journal for a sentence."""
        return self.engine.name

    @property
    def epoch(self) -> str:
        """Return a text that changes when facts that were seen may have been lost; empty for a file.

        Between two equal epochs, on whichever nodes, a version of a stream stands for the same facts.
        """
        return f"{self.timeline}-{self.set_backs}" if self.timeline or self.set_backs else ""

    @property
    def documents(self) -> Documents:
        """Return the documents beside the journal, such as the keys."""
        return self.engine.documents

    @contextmanager
    def writing(self) -> Iterator[Any]:
        """Yield a cursor in a transaction that is committed when the block ends, and rolled back when it raises.

        Inside a block of `holding` it is that block's transaction, which is committed when that block ends.
        """
        with self._transaction(None, {}) as (cursor, _):
            yield cursor

    @contextmanager
    def _transaction(
        self,
        command_ids: Sequence[str] | None,
        streams: Mapping[str, bool],
        lock_timeout: float | None = None,
        queries: Sequence[Statement] = (),
    ) -> Iterator[tuple[Any, list[list[Row]]]]:
        """Yield a cursor in a transaction with these streams locked, and the rows of each query.

        If COMMIT fails, `_commit` looks for `command_ids` to find out whether the transaction took effect. The block
        may add to that list; it is None for a transaction without commands. Inside `holding`, yield its cursor.
        """
        with self._lock:
            if self._open_cursor is not None:
                yield self._open_cursor, []
                return
            try:
                cursor = self._writing_cursor()
                yield cursor, self.engine.begin(cursor, streams, lock_timeout, queries)
            except BaseException as error:
                self._give_up(error)
                raise
            self._commit(cursor, command_ids, streams)

    def _writing_cursor(self) -> Any:
        """Return the cursor of the writing connection; the caller holds the lock, and calls `_give_up` on failure."""
        if self._connection is None:
            self._connection = self.engine.connect()
            self._connections += 1
            self._cursor = self.engine.writing_cursor(self._connection)
        return self._cursor

    def _give_up(self, error: BaseException) -> None:
        """Close the writing connection; raise the JournalError for an error of the driver."""
        # A transaction that was not committed is rolled back with its connection.
        self._disconnect()
        if isinstance(error, self.engine.failures):
            raise self.engine.explain(error) from error

    def _disconnect(self) -> None:
        if self._connection is not None:
            # SQLite keeps a closed connection and its transaction alive while one of its cursors has a statement.
            if self._cursor is not None:
                with suppress(*self.engine.failures):
                    self._cursor.close()
            self._connection.invalidate()
            self._connection = self._cursor = None
            self._pending_answers.pop_all()

    def _commit(self, cursor: Any, command_ids: Sequence[str] | None, streams: Mapping[str, bool]) -> None:
        """Commit. If that fails, look for the commands in the journal; if they are there, it has succeeded.

        Raises the engine's JournalError if nothing was committed, and CommitUnknown if that cannot be found out.
        """
        try:
            with self._pending_answers:
                cursor.execute("COMMIT")
            return
        except self.engine.failures as failure:
            error = failure
            self._disconnect()
        except BaseException:
            self._disconnect()
            raise
        if self.engine.is_rolled_back(error) or command_ids == []:
            raise self.engine.explain(error) from error
        is_committed = self._was_committed(command_ids, streams) if command_ids else None
        if is_committed:
            return
        if is_committed is None or not self.engine.absence_is_final:
            raise CommitUnknown(
                "The journal became unavailable during the write, so it is unknown whether this was saved. "
                "Check before you enter it again; the same command sent again counts once.",
                where=self.name,
            ) from error
        raise self.engine.explain(error) from error

    def _was_committed(self, command_ids: Sequence[str], streams: Mapping[str, bool]) -> bool | None:
        """Return whether commands are there after their COMMIT failed; None if the server does not answer."""
        for pause in COMMIT_CHECK_DELAYS:
            sleep(pause)
            try:
                cursor = self._writing_cursor()
                # The server may still run that transaction, which holds the locks of its streams until it ends.
                answers = self.engine.begin(
                    cursor, streams, CHECK_LOCK_TIMEOUT, self._find_commands(command_ids)
                )
                cursor.execute("ROLLBACK")
            except self.engine.failures:
                self._disconnect()
                continue
            return any(answers)
        return None

    @contextmanager
    def holding(
        self,
        streams: Mapping[str, bool],
        lock_timeout: float | None = None,
        *,
        versions: Mapping[str, int] | None = None,
        command_ids: Sequence[str] = (),
    ) -> Iterator[LockedStreams]:
        """Lock these streams against other writers; what the block appends is committed when it ends.

        A stream is mapped to True if it is written; those that are only read (False) are locked in shared mode. A name
        that ends with a slash stands for all streams with that prefix, whose writers all have to lock that name. Yield
        the facts above `versions`, and the places of those commands that are in the journal already.

        `append_all` checks neither versions nor command ids inside the block: the caller passes the versions and ids
        of all that it may append, and leaves out the commands that were found. Raises StreamLocked if another node
        keeps a stream locked for longer than `lock_timeout` seconds.
        """
        seen_versions = versions or {}
        queries = [*self._find_commands(command_ids)]
        if seen_versions and self.engine.change_counter_sql is None:
            queries.append((self._sql.missed, _version_parameters(seen_versions)))
        with self._lock:
            self._appended_streams.clear()
            self._appended_commands.clear()
            self._last_appended.clear()
            with self._transaction(self._appended_commands, streams, lock_timeout, queries) as (
                cursor,
                answers,
            ):
                self._check_set_back(cursor)
                self._open_cursor, self._open_thread = cursor, threading.get_ident()
                try:
                    missed = (
                        self._missed(answers.pop())
                        if seen_versions and self.engine.change_counter_sql is None
                        else self.missed(seen_versions)
                    )
                    yield LockedStreams(missed, _spans(answers))
                finally:
                    self._open_cursor, self._open_thread = None, 0
            self._last_seen |= self._last_appended
            if self._appended_streams:
                self._wakeups.wake(self._appended_streams)
                self.engine.announce(self._appended_streams)

    def prepare(
        self,
        facts: Iterable[tuple[str, Any]],
        expected: Mapping[str, int],
        *,
        command_id: str,
        at: datetime,
        side: str,
        actor: str,
        makes_item: Callable[[str, Any], bool] = lambda side, fact: False,
    ) -> CommandBatch:
        """Return the batch of one command from (stream, fact) in order.

        `expected` has the present versions of the streams; one that is not in it is new. `makes_item` returns whether
        a fact of a side gets the id of a queue item. Raises BadFact for a fact that could not be read back, BadInput
        for a bad name, a time without a zone, or no facts.
        """
        if at.tzinfo is None:
            raise BadInput("The time of a command has no time zone; nothing was written.")
        self._check_name("side", side)
        self._check_name("actor", actor)
        _check_text("command id", command_id)
        last_versions: dict[str, int] = {}
        steps: list[Row] = []
        when, encode, items = time_as_text(at), self.codec.encode, 0
        for number, (stream, fact) in enumerate(facts, start=1):
            version = last_versions.get(stream)
            if version is None:
                self._check_name("stream", stream)
                version = expected.get(stream, 0)
            last_versions[stream] = version = version + 1
            kind, schema, body = encode(fact)
            item = True if makes_item(side, fact) else None
            items += item is True
            steps.append((stream, version, kind, schema, when, side, actor, command_id, number, body, item))
        if not steps:
            raise BadInput("A command without facts leaves nothing in the journal.")
        spans = [
            StreamSpan(stream, expected.get(stream, 0) + 1, last) for stream, last in last_versions.items()
        ]
        return CommandBatch(command_id, tuple(spans), when, side, actor, steps, items)

    def _check_name(self, name: str, text: str) -> None:
        """Check a name as `_check_text` does, with a cache of valid names."""
        if text in self._valid_names:
            return
        _check_text(name, text)
        if text and len(self._valid_names) < MAX_CACHED_NAMES:
            self._valid_names.add(text)

    def append(
        self,
        stream: str,
        expected: int,
        facts: Iterable[Any],
        *,
        command_id: str,
        at: datetime,
        side: str,
        actor: str,
    ) -> Appended:
        """Append the facts of one command to one stream, which is at version `expected`, durably; return their place.

        Raises VersionConflict if the stream is at another version, unless this command was appended before.
        """
        placed = ((stream, fact) for fact in facts)
        batch = self.prepare(placed, {stream: expected}, command_id=command_id, at=at, side=side, actor=actor)
        (outcome,) = self.append_all([batch])
        if isinstance(outcome, VersionConflict):
            raise outcome
        return outcome

    def append_all(self, batches: Sequence[CommandBatch]) -> list[Appended | VersionConflict]:
        """Append the batches in order with one COMMIT, up to the first that cannot be appended; return outcomes.

        That batch has the last outcome in the list: a conflict, or the place where it was appended before. The batches
        after it have none, because they were decided on the assumption that it would be appended.
        """
        streams = {span.stream for batch in batches for span in batch.spans}
        with self._lock:
            if self._open_cursor is not None:
                return self._append_in_transaction(streams, batches, {}, _expected_versions(batches))
            command_ids = [batch.command_id for batch in batches]
            with self.holding(dict.fromkeys(streams, True), command_ids=command_ids) as locked:
                return self._append_in_transaction(streams, batches, dict(locked.found), {})

    def _append_in_transaction(
        self,
        streams: set[str],
        batches: Sequence[CommandBatch],
        earlier: dict[str, Appended],
        heads: dict[str, int],
    ) -> list[Appended | VersionConflict]:
        outcomes = self._append_in_order(self._open_cursor, batches, earlier, heads)
        self._appended_commands += _newly_appended(batches, outcomes)
        self._appended_streams.update(streams)
        if self.engine.connections:
            for batch, outcome in zip(batches, outcomes, strict=False):
                if isinstance(outcome, Appended) and not outcome.again:
                    self._last_appended |= {
                        span.stream: (span.last, batch.command_id) for span in batch.spans
                    }
        self._appends += 1
        return outcomes

    def _append_in_order(
        self,
        cursor: Any,
        batches: Sequence[CommandBatch],
        earlier: dict[str, Appended],
        heads: dict[str, int],
    ) -> list[Appended | VersionConflict]:
        """Insert the rows of the batches up to the first that is in `earlier` or has a conflict; return outcomes."""
        outcomes: list[Appended | VersionConflict] = []
        rows: list[Row] = []
        stream_rows: dict[str, dict[str, Any]] = {}
        changes: dict[str, str] = {}
        items = 0
        for batch in batches:
            outcome = earlier.get(batch.command_id) or self._conflict(cursor, batch, heads)
            if outcome is not None:
                outcomes.append(outcome)
                break
            rows += batch.rows
            items += batch.items
            for stream, _, last in batch.spans:
                heads[stream] = last
                stream_row = stream_rows.setdefault(stream, {"stream": stream, "opened": batch.at})
                stream_row["version"], stream_row["changed"] = last, batch.at
            if batch.side == SCORING:
                changes[batch.actor] = batch.command_id
            earlier[batch.command_id] = Appended(batch.spans, again=True)
            outcomes.append(Appended(batch.spans))
        if rows:
            self._pending_answers.enter_context(self.engine.batched(cursor))
            self.engine.insert_facts(cursor, rows, items)
            cursor.executemany(self._sql.advance, list(stream_rows.values()))
        for actor, command_id in sorted(changes.items()):  # in one order on every node, against deadlocks
            cursor.execute(self._sql.note_change, {"actor": actor, "command_id": command_id})
        return outcomes

    def _conflict(self, cursor: Any, batch: CommandBatch, heads: dict[str, int]) -> VersionConflict | None:
        """Return the conflict of a batch that does not fit at the end of its streams, else None.

        Versions that are not in `heads` are read and added to it.
        """
        for stream, first, _ in batch.spans:
            if stream not in heads:
                heads[stream] = cursor.execute(self._sql.head, {"stream": stream}).fetchone()[0] or 0
            if heads[stream] != first - 1:
                return VersionConflict(stream, first - 1, heads[stream])
        return None

    def find(self, command_id: str) -> Appended | None:
        """Return the places of a command's facts; None if it was not appended."""
        return self.find_all([command_id]).get(command_id)

    def find_all(self, command_ids: Sequence[str]) -> dict[str, Appended]:
        """Return the places of the facts of those commands that were appended."""
        return _spans(self._rows(sql, places) for sql, places in self._find_commands(command_ids))

    def _find_commands(self, command_ids: Sequence[str]) -> Iterator[Statement]:
        """Yield the statements that find the facts of commands."""
        for start in range(0, len(command_ids), LOOKUP_SIZES[-1]):
            ids = command_ids[start : start + LOOKUP_SIZES[-1]]
            size = next(size for size in LOOKUP_SIZES if size >= len(ids))
            # There are statements for powers of two only: fill up with the last id.
            yield self._sql.commands[size], (*ids, *repeat(ids[-1], size - len(ids)))

    def missed(self, versions: Mapping[str, int]) -> Iterator[JournalEntry]:
        """Yield the facts of these streams above these versions, by stream and in their order."""
        for stream, after in sorted(versions.items()):
            yield from self.read(stream, after)

    def _missed(self, rows: Sequence[Row]) -> Iterator[JournalEntry]:
        for stream, stream_rows in groupby(rows, key=itemgetter(0)):
            yield from self._entries(stream, (row[1:] for row in stream_rows))

    def last_change(self, actor: str) -> str | None:
        """Return the id of the last command of a scoring program, or None."""
        rows = self.engine.rows(self._sql.last_change, {"actor": actor})
        return rows[0][0] if rows else None

    def position(self) -> JournalPosition | None:
        """Return the present position; None if the engine does not count changes of other connections."""
        if self.engine.change_counter_sql is None:
            return None
        with self._lock:
            try:
                ((other_changes,),) = (
                    self._writing_cursor().execute(self.engine.change_counter_sql).fetchall()
                )
            except BaseException as error:
                self._give_up(error)
                raise
            return JournalPosition(self._connections, other_changes, self._appends)

    def head(self, stream: str) -> int:
        """Return the version of the last fact of a stream; 0 if there is none."""
        ((version,),) = self._rows(self._sql.head, {"stream": stream})
        return version or 0

    def heads(self, names: Iterable[str] | None = None) -> dict[str, int]:
        """Return the version of every stream, or of those with these names.

        A name that ends with a slash stands for all streams with that prefix.
        """
        if names is None:
            return dict(self._rows(self._sql.heads))
        selected = list(names)
        if self.engine.change_counter_sql is not None:
            ends = [(name, name + ("\x7f" if name.endswith("/") else "\0")) for name in selected]
            rows_by_name = [
                self._rows(self._sql.heads_between, {"first": name, "end": end}) for name, end in ends
            ]
            return {stream: version for rows in rows_by_name for stream, version in rows}
        starts = [f"{name}%" for name in selected if name.endswith("/")]
        return dict(self._rows(self._sql.heads_of, {"names": selected, "starts": starts}))

    def _rows(self, sql: str, parameters: Sequence[Any] | Mapping[str, Any] | None = None) -> list[Row]:
        """Return the rows of a statement, in the transaction of `holding` if this thread has one."""
        rows: list[Row]
        if self._open_thread == threading.get_ident():
            rows = self._open_cursor.execute(sql, parameters or {}).fetchall()
            return rows
        with self.engine.reading() as cursor:
            self._check_set_back(cursor)
            rows = cursor.execute(sql, parameters or {}).fetchall()
            return rows

    def _check_set_back(self, cursor: Any) -> None:
        """Raise JournalSetBack if, after a new connection, the server lacks facts that this process has seen.

        After the loss of a server, a replica that lacked some commits may have been promoted.
        """
        connections = self.engine.connections
        if connections == self._compared_connection:
            return
        self.timeline = self.engine.timeline
        seen = dict(self._last_seen)
        if seen:
            parameters = {
                "streams": list(seen),
                "versions": [version for version, _ in seen.values()],
            }
            stored = {
                stream: (version, command_id)
                for stream, version, command_id in cursor.execute(self._sql.at, parameters).fetchall()
            }
            lacking = sorted(stream for stream in seen if stored.get(stream) != seen[stream])
            if lacking:
                self._last_seen.clear()
                self.engine.skip_items(cursor)
                self.set_backs += 1
                self._compared_connection = connections
                log.error(
                    "The journal lacks facts that were acknowledged, in %d streams (%s): another server has taken "
                    "the place of the one that had them. What is shown is read anew, and devices send again.",
                    len(lacking),
                    ", ".join(lacking[:5]),
                )
                raise JournalSetBack(
                    "The journal was restored to an earlier state; everything is read again.", where=self.name
                )
        self._compared_connection = connections

    def streams(self) -> list[StreamSummary]:
        """Return every stream, the first opened first."""
        return [
            StreamSummary(stream, version, datetime.fromisoformat(opened), datetime.fromisoformat(changed))
            for stream, version, opened, changed in self._rows(self._sql.streams)
        ]

    def read(self, stream: str, after: int = 0) -> Iterator[JournalEntry]:
        """Yield the facts of a stream above a version, in order."""
        while True:
            chunk = self._rows(self._sql.read, {"stream": stream, "after": after, "upto": after + CHUNK})
            if chunk:
                yield from self._entries(stream, chunk)
            if len(chunk) < CHUNK:
                return
            after += CHUNK

    def _entries(self, stream: str, rows: Iterable[Row]) -> Iterator[JournalEntry]:
        """Yield rows of a stream, at least one, as entries; raise UnknownFact or DamagedJournal for a bad one."""
        decode, parse_time, entry = self.codec.decode, datetime.fromisoformat, tuple.__new__
        for version, at, side, actor, command_id, kind, schema, body, item in rows:
            try:
                fact = decode(kind, schema, body)
                when = parse_time(at)
            except (UnknownFact, DamagedJournal) as error:
                raise type(error)(error.sentence, where=f"stream {stream}, version {version}") from error
            except ValueError as error:
                raise DamagedJournal(str(error), where=f"stream {stream}, version {version}") from error
            yield entry(JournalEntry, (stream, version, when, side, actor, command_id, fact, item))
        if self.engine.connections and version > self._last_seen.get(stream, (0, ""))[0]:
            self._last_seen[stream] = version, command_id

    def woken(self, stream: str, wake: Callable[[], None]) -> AbstractContextManager[None]:
        """Return a context manager: during its block `wake` is called, from any thread, when the stream may have grown.

        `ANY_STREAM` stands for all streams.
        """
        self.engine.listen(self._wakeups.wake)
        return self._wakeups.on(stream, wake)

    def backup(self, path: Path | str) -> None:
        """Copy the whole journal to a new file, while it is in use; raise JournalError for one in PostgreSQL."""
        self.engine.backup(Path(path))

    def check(self) -> None:
        """Check every page, every fact and that no version is missing.

        Raises DamagedJournal for the first problem, or UnknownFact for a fact of a newer Overtrick.
        """
        self.engine.check()
        for stream, head in self.heads().items():
            last = 0
            for last, (version, at, _, _, _, kind, schema, body, _) in enumerate(
                self._every_row(stream), start=1
            ):
                where = f"stream {stream}, version {version}"
                if version != last:
                    raise DamagedJournal(f"Version {last} is missing.", where=where)
                try:
                    datetime.fromisoformat(at)
                    self.codec.verify(kind, schema, body)
                except ValueError as error:
                    raise DamagedJournal(str(error), where=where) from error
                except (UnknownFact, DamagedJournal) as error:
                    raise type(error)(error.sentence, where=where) from error
            if last < head:
                raise DamagedJournal(f"Version {last + 1} is missing.", where=f"stream {stream}")
        for (stream,) in self.engine.rows(self._sql.mislisted):
            raise DamagedJournal("The list of streams does not match the facts.", where=f"stream {stream}")

    def _every_row(self, stream: str) -> Iterator[tuple[Any, ...]]:
        for after in range(0, self.head(stream), CHUNK):
            yield from self.engine.rows(
                self._sql.read, {"stream": stream, "after": after, "upto": after + CHUNK}
            )

    def close(self) -> None:
        """Close all connections."""
        with self._lock:
            if self._connection is not None:
                self._connection.close()
                self._connection = self._cursor = None
            self.engine.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def time_as_text(at: datetime) -> str:
    """Return a time as text: UTC and of fixed length, so that the order of texts is the order of times.

    >>> time_as_text(datetime.fromisoformat("2026-02-03T19:30:00+01:00"))
    '2026-02-03T18:30:00.000000+00:00'
    """
    return (at if at.tzinfo is UTC else at.astimezone(UTC)).isoformat(timespec="microseconds")


def _version_parameters(versions: Mapping[str, int]) -> dict[str, list[Any]]:
    return {"streams": list(versions), "after": list(versions.values())}


def _spans(answers: Iterable[Iterable[Row]]) -> dict[str, Appended]:
    """Return the places of commands from the answers to `_find_commands`."""
    spans: dict[str, list[StreamSpan]] = {}
    for rows in answers:
        for command_id, *span in rows:
            spans.setdefault(command_id, []).append(StreamSpan(*span))
    return {command_id: Appended(tuple(where), again=True) for command_id, where in spans.items()}


def _expected_versions(batches: Sequence[CommandBatch]) -> dict[str, int]:
    """Return the versions that these batches expect of their streams."""
    return {stream: first - 1 for batch in reversed(batches) for stream, first, _ in batch.spans}


def _newly_appended(
    batches: Sequence[CommandBatch], outcomes: Sequence[Appended | VersionConflict]
) -> list[str]:
    """Return the ids of the commands that were appended now, and not before."""
    return [
        batch.command_id
        for batch, outcome in zip(batches, outcomes, strict=False)
        if isinstance(outcome, Appended) and not outcome.again
    ]


def _check_text(name: str, text: str) -> None:
    """Raise BadInput for a text that an engine cannot store: surrogates, and NUL in PostgreSQL."""
    if text.isascii() and "\0" not in text and 0 < len(text) <= LONGEST_NAME:
        return
    if (not text and name != "actor") or "\0" in text or _has_surrogate(text):
        raise BadInput(f"{text!r} cannot be the {name} of a fact; it was not written.")
    if len(text) > LONGEST_NAME:
        raise BadInput(f"A {name} has at most {LONGEST_NAME} characters; {text[:20]!r}… was not written.")


def _has_surrogate(text: str) -> bool:
    return not text.isascii() and any("\ud800" <= character <= "\udfff" for character in text)
