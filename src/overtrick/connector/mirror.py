"""What the connector knows: everything, read from the journal, and nothing that is not durable.

The writer's state may be ahead of the journal by a moment; an item that was offered must not vanish again, so the
connector folds its own. It is moved on before a request looks at it: by what has come of the session that the request
is about, a piece at a time, so that nobody waits for what another has sent.
"""

import logging
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, tzinfo
from itertools import islice
from typing import Any, Protocol

from overtrick.connector.queue import SCORING, Queue
from overtrick.event import Fact, House, Session
from overtrick.event.house import Order, Ordered
from overtrick.event.setup import SessionOpened
from overtrick.store import Entry, Span

log = logging.getLogger(__name__)

COMMAND_PREFIX = "dc-"

PIECE = 2_000
"""Facts that are read in one go."""


class Marking(Protocol):
    """The marks beside a journal."""

    def move(self, club: str, stream: str, queue: str, position: int) -> int:
        """Move a mark up, durably; where it is then."""

    def of(self, club: str, stream: str) -> Mapping[str, int]:
        """Every mark of a club in a stream, by queue."""


class Reading(Protocol):
    """What is needed of a journal."""

    @property
    def marks(self) -> Marking:
        """The marks beside it."""

    def heads(self) -> Mapping[str, int]:
        """The version of every stream."""

    def read(self, stream: str, after: int = 0) -> Iterable[Entry]:
        """The facts of a stream above a version, in order."""


def command_id(digest: str, unique: str) -> str:
    """The id of a command: it tells, after a restart too, which bytes asked for it.

    What makes it unique comes first and should rise: an index that grows at its end is written fastest.
    """
    return f"{COMMAND_PREFIX}{unique}-{digest}"


@dataclass(slots=True)
class LastChange:
    """The last thing that a client changed: which bytes asked for it, and where its facts are."""

    digest: str
    spans: Sequence[Span]
    command_id: str = ""
    at: datetime | None = None
    """Its id and its time, if it was read from the journal."""


def _digest(command_id: str) -> str:
    """The digest of the bytes that asked for a command; empty for one that did not come through here."""
    if not command_id.startswith(COMMAND_PREFIX):
        return ""
    return command_id.rpartition("-")[2]


class Mirror:
    """The house, the queues of every session, and who changed what last, as the journal has them."""

    def __init__(self, journal: Reading, zone: tzinfo | None = None) -> None:
        self.house = House()
        self.zone = zone
        self._journal = journal
        self._versions: dict[str, int] = {}
        self._queues: dict[str, Queue] = {}
        self._changes: dict[str, LastChange] = {}
        self._noted: dict[str, int] = {}
        """How far the changes in each stream were noted when they were made."""
        self._sole: dict[str, str] = {}
        """For each stream the bytes that made all of it; nothing where there were several."""
        self._running: dict[str, datetime] = {}
        """The events that run, and since when."""
        self._is_live = False
        """Whether everything that was there at the start has been read: what comes now is the newest, whatever
        the clock says that it was written with."""

    def catch_up(self) -> None:
        """Read all that has become durable since the last time, whoever wrote it."""
        for _ in self.catching_up():
            pass

    def catching_up(self, sessions: Collection[str] | None = None) -> Iterator[None]:
        """Read what is durable by now of every event, and of these sessions or all, pausing after each piece.

        During a pause others may look, and read on. The first time everything is read.
        """
        heads = self._journal.heads()
        behind = [stream for stream, head in heads.items() if head > self._versions.get(stream, 0)]
        if sessions is not None and self._is_live:
            wanted = ("event/", *(f"session/{session}/" for session in sessions))
            behind = [stream for stream in behind if stream.startswith(wanted)]
        room = PIECE
        for stream in sorted(behind):  # an event before its sessions
            while (after := self._versions.get(stream, 0)) < heads[stream]:
                before = room
                for entry in islice(self._journal.read(stream, after), room):
                    self._take(entry)
                    room -= 1
                if room == 0:
                    room = PIECE
                    yield
                elif room == before:
                    break  # a journal that is damaged
        self._is_live = True

    def _take(self, entry: Entry) -> None:
        fact = entry.fact
        self.house.apply(entry.stream, fact)
        self._versions[entry.stream] = entry.version
        if self._sole.get(entry.stream) != "":
            digest = _digest(entry.command_id)
            if self._sole.setdefault(entry.stream, digest) != digest:
                self._sole[entry.stream] = ""
        if entry.stream.startswith("event/"):
            if isinstance(fact, Ordered):
                self._order(entry.stream.removeprefix("event/"), fact, entry.at)
        elif entry.stream.startswith("session/"):
            if isinstance(fact, SessionOpened):
                self._queues[entry.stream] = Queue(self.zone)
            self._queues[entry.stream].apply(entry.version, entry.side, fact)
        if entry.side == SCORING and entry.version > self._noted.get(entry.stream, 0):
            self._note_read(entry)

    def note(self, actor: str, digest: str, spans: Sequence[Span]) -> None:
        """Somebody has changed something just now: sessions may be read in another order than they were changed in."""
        self._changes[actor] = LastChange(digest, spans)
        for span in spans:
            self._noted[span.stream] = span.last

    def _note_read(self, entry: Entry) -> None:
        """Note a change of before, or of another node."""
        last = self._changes.get(entry.actor)
        if last is None or last.command_id != entry.command_id:
            if last is not None and last.at is not None and entry.at < last.at and not self._is_live:
                return
            last = LastChange(_digest(entry.command_id), (), entry.command_id, entry.at)
            self._changes[entry.actor] = last
        first, before = entry.version, last.spans
        if before and before[-1].stream == entry.stream:
            first, before = before[-1].first, before[:-1]
        last.spans = (*before, Span(entry.stream, first, entry.version))

    def _order(self, event: str, fact: Ordered, at: datetime) -> None:
        if Order.START in fact.orders:
            self._running[event] = at
        elif Order.SHUT_DOWN in fact.orders:
            self._running.pop(event, None)

    def queue(self, stream: str) -> Queue:
        """The queues of one incarnation of a session."""
        return self._queues[stream]

    def is_all_from(self, stream: str, digest: str) -> bool:
        """Whether everything in a stream was asked for by the bytes with this digest."""
        return self._sole.get(stream) == digest

    def last_change(self, actor: str) -> LastChange | None:
        """The last thing that a client changed."""
        return self._changes.get(actor)

    def changed(self, actor: str) -> Iterator[Fact]:
        """The facts of the last thing that a client changed, read one by one."""
        change = self._changes.get(actor)
        for span in change.spans if change is not None else ():
            for entry in islice(self._journal.read(span.stream, span.first - 1), span.last - span.first + 1):
                yield entry.fact

    def running(self) -> list[str]:
        """The events that run, the one that was ordered last at the end."""
        return sorted(self._running, key=lambda event: self._running[event])

    def sessions(self, event: str) -> list[Session]:
        """The sessions of an event, as they are now."""
        known = self.house.events.get(event)
        found: list[Any] = [self.house.session(guid) for guid in known.sessions] if known else []
        return [session for session in found if session is not None and session.opened.event == event]

    @property
    def marks(self) -> Marking:
        """The marks beside the journal."""
        return self._journal.marks
