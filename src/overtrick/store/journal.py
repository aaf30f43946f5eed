"""The journal: facts are appended to streams and read back, and nothing is acknowledged before it is durable.

Knows nothing of bridge, and of the engine only what `ground` says. The facts of one command are appended
together or not at all. A command that was appended before is not appended again; the answer is the first
one's. `append_all` writes the batches of several commands with one COMMIT."""

import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple, Self

from sqlalchemy import PoolProxiedConnection, bindparam, func, insert, select

from overtrick.errors import BadInput
from overtrick.store.codec import Codec, Written
from overtrick.store.errors import DamagedJournal, UnknownFact, VersionConflict
from overtrick.store.ground import Ground
from overtrick.store.tables import journal as rows

CHUNK = 2_000
"""Rows read at a time: a long replay holds no transaction open, which would let SQLite's log grow."""


class Entry(NamedTuple):
    """One fact as the journal holds it. A named tuple, because a replay makes a hundred thousand of them."""

    stream: str
    version: int
    at: datetime
    side: str
    actor: str
    command_id: str
    fact: Any


@dataclass(frozen=True, slots=True)
class Batch:
    """The facts of one command, ready to be appended to a stream that is at version `expected`."""

    stream: str
    expected: int
    facts: tuple[Written, ...]
    command_id: str
    at: datetime
    side: str
    actor: str


@dataclass(frozen=True, slots=True)
class Appended:
    """Where the facts of a command are: versions `first` to `last`; `again` when they were there already."""

    stream: str
    first: int
    last: int
    again: bool = False


class Journal:
    """The facts of every stream, for any thread. Open one with `overtrick.store.open_journal`."""

    def __init__(self, ground: Ground, codec: Codec) -> None:
        self.ground = ground
        self.codec = codec
        self._writing = threading.Lock()
        self._connection: PoolProxiedConnection | None = None
        spell = ground.spell
        stream = rows.c.stream == bindparam("stream")
        self._insert = spell(insert(rows).values({column.name: bindparam(column.name) for column in rows.c}))
        self._head = spell(select(func.max(rows.c.version)).where(stream))
        self._command = spell(
            select(func.min(rows.c.version), func.max(rows.c.version)).where(
                stream, rows.c.command_id == bindparam("command_id")
            )
        )
        self._read = spell(
            select(
                rows.c.version,
                rows.c.at,
                rows.c.side,
                rows.c.actor,
                rows.c.command_id,
                rows.c.kind,
                rows.c.schema,
                rows.c.body,
            )
            .where(stream, rows.c.version > bindparam("after"), rows.c.version <= bindparam("upto"))
            .order_by(rows.c.version)
        )

    @property
    def name(self) -> str:
        """How a sentence calls this journal."""
        return self.ground.name

    def prepare(
        self,
        stream: str,
        expected: int,
        facts: Iterable[Any],
        *,
        command_id: str,
        at: datetime,
        side: str,
        actor: str,
    ) -> Batch:
        """The batch of one command; BadFact or BadInput when it could not be read back."""
        written = tuple(self.codec.encode(fact) for fact in facts)
        if not written:
            raise BadInput("A command without facts leaves nothing in the journal.", where=f"stream {stream}")
        if at.tzinfo is None:
            raise BadInput(
                "The time of a fact has no time zone; it was not written.", where=f"stream {stream}"
            )
        for name, text in (("stream", stream), ("command id", command_id), ("side", side), ("actor", actor)):
            _check_text(name, text)
        return Batch(stream, expected, written, command_id, at, side, actor)

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
        """Append the facts of one command to a stream at version `expected`, durably.

        VersionConflict when the stream is elsewhere, unless this command is there already.
        """
        batch = self.prepare(stream, expected, facts, command_id=command_id, at=at, side=side, actor=actor)
        (outcome,) = self.append_all([batch])
        if isinstance(outcome, VersionConflict):
            raise outcome
        return outcome

    def append_all(self, batches: Sequence[Batch]) -> list[Appended | VersionConflict]:
        """Append the batches in their order with one COMMIT; a conflict concerns its own stream alone.

        After a batch that was not appended, the later ones of its stream conflict too: they were decided
        in the belief that it would be."""
        streams = sorted({batch.stream for batch in batches})
        with self._writing:
            try:
                if self._connection is None:
                    self._connection = self.ground.connect()
                cursor = self._connection.cursor()
                cursor.execute(self.ground.begin)
                self.ground.hold(cursor, streams)
                outcomes = self._append_in_order(cursor, batches)
                self.ground.announce(cursor, streams)
                cursor.execute("COMMIT")
            except BaseException as error:
                # Whatever the transaction was, a connection that is gone has rolled it back.
                if self._connection is not None:
                    self._connection.invalidate()
                    self._connection = None
                if isinstance(error, self.ground.failures):
                    raise self.ground.explain(error) from error
                raise
        return outcomes

    def _append_in_order(self, cursor: Any, batches: Sequence[Batch]) -> list[Appended | VersionConflict]:
        heads: dict[str, int] = {}
        astray: set[str] = set()
        outcomes: list[Appended | VersionConflict] = []
        for batch in batches:
            stream = batch.stream
            if stream not in heads:
                heads[stream] = cursor.execute(self._head, {"stream": stream}).fetchone()[0] or 0
            head = heads[stream]
            first, last = cursor.execute(
                self._command, {"stream": stream, "command_id": batch.command_id}
            ).fetchone()
            if first is not None:
                outcomes.append(Appended(stream, first, last, again=True))
                astray.add(stream)
            elif head != batch.expected or stream in astray:
                outcomes.append(VersionConflict(stream, batch.expected, head))
                astray.add(stream)
            else:
                cursor.executemany(self._insert, list(_rows(batch)))
                heads[stream] = head + len(batch.facts)
                outcomes.append(Appended(stream, head + 1, heads[stream]))
        return outcomes

    def find(self, stream: str, command_id: str) -> Appended | None:
        """Where the facts of a command are, if it was appended."""
        ((first, last),) = self.ground.rows(self._command, {"stream": stream, "command_id": command_id})
        return None if first is None else Appended(stream, first, last, again=True)

    def head(self, stream: str) -> int:
        """The version of the last fact of a stream; 0 when there is none."""
        ((version,),) = self.ground.rows(self._head, {"stream": stream})
        return version or 0

    def read(self, stream: str, after: int = 0) -> Iterator[Entry]:
        """The facts of a stream above a version, in order."""
        decode, parse_time, entry = self.codec.decode, datetime.fromisoformat, tuple.__new__
        while True:
            chunk = self.ground.rows(self._read, {"stream": stream, "after": after, "upto": after + CHUNK})
            for version, at, side, actor, command_id, kind, schema, body in chunk:
                try:
                    fact = decode(kind, schema, body)
                    when = parse_time(at)
                except (UnknownFact, DamagedJournal) as error:
                    raise type(error)(error.sentence, where=f"stream {stream}, version {version}") from error
                except ValueError as error:
                    raise DamagedJournal(str(error), where=f"stream {stream}, version {version}") from error
                yield entry(Entry, (stream, version, when, side, actor, command_id, fact))
            if len(chunk) < CHUNK:
                return
            after += CHUNK

    def backup(self, path: Path | str) -> None:
        """Copy the whole journal to a new file, while it is in use."""
        self.ground.backup(Path(path))

    def check(self) -> None:
        """Look at everything: every page of the file and every fact; DamagedJournal says what is wrong."""
        self.ground.check()

    def close(self) -> None:
        """Let go of the journal."""
        with self._writing:
            if self._connection is not None:
                self._connection.close()
                self._connection = None
            self.ground.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def written_time(at: datetime) -> str:
    """A time as the journal writes it: UTC, always as long, so that text order is order in time.

    >>> written_time(datetime.fromisoformat("2026-02-03T19:30:00+01:00"))
    '2026-02-03T18:30:00.000000+00:00'
    """
    return at.astimezone(UTC).isoformat(timespec="microseconds")


def _rows(batch: Batch) -> Iterator[Mapping[str, Any]]:
    at = written_time(batch.at)
    for step, (kind, schema, body) in enumerate(batch.facts, start=1):
        yield {
            "stream": batch.stream,
            "version": batch.expected + step,
            "kind": kind,
            "schema": schema,
            "at": at,
            "side": batch.side,
            "actor": batch.actor,
            "command_id": batch.command_id,
            "step": step,
            "body": body,
        }


def _check_text(name: str, text: str) -> None:
    """What both engines hold alike: text of real characters; PostgreSQL has no place for NUL."""
    if (not text and name != "actor") or "\0" in text or (not text.isascii() and _has_surrogate(text)):
        raise BadInput(f"{text!r} cannot be the {name} of a fact; it was not written.")


def _has_surrogate(text: str) -> bool:
    return any("\ud800" <= character <= "\udfff" for character in text)
