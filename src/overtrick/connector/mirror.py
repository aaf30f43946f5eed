"""What the connector knows: everything, read from the journal, and nothing that is not durable.

The writer's state may be ahead of the journal by a moment; an item that was offered must not vanish again, so the
connector folds its own. It is moved on before every request that looks at it, by one thread.
"""

import logging
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, tzinfo
from typing import Any, Protocol

from overtrick.connector.queue import SCORING, Queue
from overtrick.event import Fact, House, Session
from overtrick.event.house import Order, Ordered
from overtrick.event.setup import SessionOpened
from overtrick.store import Entry

log = logging.getLogger(__name__)

COMMAND_PREFIX = "dc-"


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


@dataclass(frozen=True, slots=True)
class LastChange:
    """The last thing that a client changed."""

    at: datetime
    command_id: str

    def is_from(self, digest: str) -> bool:
        """Whether the bytes with this digest asked for it."""
        return _digest(self.command_id) == digest


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
        self._changed: dict[str, list[tuple[str, int]]] = {}
        """Where the facts of each client's last change are."""
        self._sole: dict[str, str] = {}
        """For each stream the bytes that made all of it; nothing where there were several."""
        self._running: dict[str, datetime] = {}
        """The events that run, and since when."""
        self._is_live = False
        """Whether everything that was there at the start has been read: what comes now is the newest, whatever
        the clock says that it was written with."""

    def catch_up(self) -> None:
        """Read what has become durable since the last time, whoever wrote it."""
        for stream, head in self._journal.heads().items():
            after = self._versions.get(stream, 0)
            if head > after:
                for entry in self._journal.read(stream, after):
                    self._take(entry)
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
        if entry.side == SCORING:
            self._note(entry)

    def _note(self, entry: Entry) -> None:
        last = self._changes.get(entry.actor)
        if last is not None and last.command_id == entry.command_id:
            self._changed[entry.actor].append((entry.stream, entry.version))
        elif last is None or self._is_live or entry.at >= last.at:
            self._changes[entry.actor] = LastChange(entry.at, entry.command_id)
            self._changed[entry.actor] = [(entry.stream, entry.version)]

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
        """The facts of the last thing that a client changed."""
        places = self._changed.get(actor, [])
        for stream in dict.fromkeys(stream for stream, _ in places):
            versions = [version for at, version in places if at == stream]
            for entry in self._journal.read(stream, min(versions) - 1):
                if entry.version > max(versions):
                    break
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
