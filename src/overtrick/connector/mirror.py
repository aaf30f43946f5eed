"""What the connector knows: everything, read from the journal, and nothing that is not durable.

The writer's state may be ahead of the journal by a moment; an item that was offered must not vanish again, so the
connector folds its own. It is moved on before a request looks at it: by what has come of the session that the request
is about, a piece at a time, so that nobody waits for what another has sent.
"""

import logging
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, tzinfo
from itertools import islice
from typing import Any, Protocol

from overtrick.connector.queue import SCORING, Queue
from overtrick.event import Fact, House, Session
from overtrick.event.house import Order, Ordered
from overtrick.event.setup import SessionOpened
from overtrick.store import Entry, Span
from overtrick.store.projection import Projection, Readable

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


class Reading(Readable, Protocol):
    """What is needed of a journal."""

    @property
    def marks(self) -> Marking:
        """The marks beside it."""

    def heads(self) -> Mapping[str, int]:
        """The version of every stream."""


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


@dataclass(slots=True)
class _Known:
    """The house, the queues of every session, and who changed what last, as far as the journal was read."""

    zone: tzinfo | None
    house: House = field(default_factory=House)
    queues: dict[str, Queue] = field(default_factory=dict)
    changes: dict[str, LastChange] = field(default_factory=dict)
    noted: dict[str, int] = field(default_factory=dict)
    """The version of each stream up to which changes were noted when they were made."""
    sole: dict[str, str] = field(default_factory=dict)
    """For each stream the bytes that made all of it; nothing where there were several."""
    running: dict[str, datetime] = field(default_factory=dict)
    """The events that run, and since when."""
    is_live: bool = False
    """True if everything that was there at the start has been read: what comes now is the newest, whatever
    the clock says that it was written with."""

    def apply(self, entry: Entry) -> None:
        """Move on by one fact."""
        fact = entry.fact
        self.house.apply(entry.stream, fact)
        if self.sole.get(entry.stream) != "":
            digest = _digest(entry.command_id)
            if self.sole.setdefault(entry.stream, digest) != digest:
                self.sole[entry.stream] = ""
        if entry.stream.startswith("event/"):
            if isinstance(fact, Ordered):
                self._order(entry.stream.removeprefix("event/"), fact, entry.at)
        elif entry.stream.startswith("session/"):
            if isinstance(fact, SessionOpened):
                self.queues[entry.stream] = Queue(self.zone)
            self.queues[entry.stream].apply(entry.version, entry.side, fact)
        if entry.side == SCORING and entry.version > self.noted.get(entry.stream, 0):
            self._note_read(entry)

    def _note_read(self, entry: Entry) -> None:
        """Note a change of before, or of another node."""
        last = self.changes.get(entry.actor)
        if last is None or last.command_id != entry.command_id:
            if last is not None and last.at is not None and entry.at < last.at and not self.is_live:
                return
            last = LastChange(_digest(entry.command_id), (), entry.command_id, entry.at)
            self.changes[entry.actor] = last
        first, before = entry.version, last.spans
        if before and before[-1].stream == entry.stream:
            first, before = before[-1].first, before[:-1]
        last.spans = (*before, Span(entry.stream, first, entry.version))

    def _order(self, event: str, fact: Ordered, at: datetime) -> None:
        if Order.START in fact.orders:
            self.running[event] = at
        elif Order.SHUT_DOWN in fact.orders:
            self.running.pop(event, None)


class Mirror:
    """The state that the connector answers from: a projection, the journal's marks and what clients changed."""

    def __init__(self, journal: Reading, zone: tzinfo | None = None) -> None:
        self.zone = zone
        self._journal = journal
        self._projection = Projection(journal, lambda: _Known(zone), _Known.apply)

    @property
    def house(self) -> House:
        """The events and sessions, as the journal has them."""
        return self._projection.state.house

    def catch_up(self) -> None:
        """Read all that has become durable since the last time, whoever wrote it."""
        for _ in self.catching_up():
            pass

    def catching_up(self, sessions: Collection[str] | None = None) -> Iterator[None]:
        """Read what is durable by now of every event, and of these sessions or all, pausing after each piece.

        During a pause others may look, and read on. The first time everything is read.
        """
        wanted = ("event/", *(f"session/{session}/" for session in sessions or ()))
        if sessions is None or not self._projection.state.is_live:
            wanted = ("",)
        heads = {stream: head for stream, head in self._journal.heads().items() if stream.startswith(wanted)}
        # An event comes before its sessions.
        while not self._projection.catch_up(self._projection.behind(heads), PIECE):
            yield
        self._projection.state.is_live = True

    def note(self, actor: str, digest: str, spans: Sequence[Span]) -> None:
        """Somebody has changed something just now: sessions may be read in another order than they were changed in."""
        known = self._projection.state
        known.changes[actor] = LastChange(digest, spans)
        for span in spans:
            known.noted[span.stream] = span.last

    def queue(self, stream: str) -> Queue:
        """The queues of one incarnation of a session."""
        return self._projection.state.queues[stream]

    def is_all_from(self, stream: str, digest: str) -> bool:
        """Whether everything in a stream was asked for by the bytes with this digest."""
        return self._projection.state.sole.get(stream) == digest

    def last_change(self, actor: str) -> LastChange | None:
        """The last thing that a client changed."""
        return self._projection.state.changes.get(actor)

    def changed(self, actor: str) -> Iterator[Fact]:
        """The facts of the last thing that a client changed, read one by one."""
        change = self._projection.state.changes.get(actor)
        for span in change.spans if change is not None else ():
            for entry in islice(self._journal.read(span.stream, span.first - 1), span.last - span.first + 1):
                yield entry.fact

    def running(self) -> list[str]:
        """The events that run, the one that was ordered last at the end."""
        running = self._projection.state.running
        return sorted(running, key=lambda event: running[event])

    def sessions(self, event: str) -> list[Session]:
        """The sessions of an event, as they are now."""
        known = self.house.events.get(event)
        found: list[Any] = [self.house.session(guid) for guid in known.sessions] if known else []
        return [session for session in found if session is not None and session.opened.event == event]

    @property
    def marks(self) -> Marking:
        """The marks beside the journal."""
        return self._journal.marks
