"""The connector's projection of the journal: the sessions and queues that requests are about. Durable facts only.

The writer's state may be ahead of the journal for a moment. An offered item must not disappear again, so the connector
folds committed facts itself. Each request first catches up with its own session, in pieces, so that no client waits for
a long batch of another. Sessions that no request has named for a while are dropped from memory.
"""

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime, tzinfo
from itertools import islice
from time import monotonic

from overtrick.connector.queue import SessionQueues
from overtrick.event import Fact, JournalState, Session, event_stream
from overtrick.event.setup import QueuesCleared, SessionOpened
from overtrick.event.state import CLEARINGS, Order, Ordered
from overtrick.store import Journal, JournalEntry
from overtrick.store.marks import Marks
from overtrick.store.projection import UNUSED, Projection, newest_stream
from overtrick.store.sessions import SessionList

COMMAND_PREFIX = "dc-"

PIECE = 2_000
"""Facts that are read while the lock is held."""


def command_id(digest: str, unique: str) -> str:
    """Return the id of a command, which holds the digest of its request, so that a resent one is known after a restart.

    The unique part comes first and should rise: an index that grows at its end is written fastest.
    """
    return f"{COMMAND_PREFIX}{unique}-{digest}"


def _digest(command_id: str) -> str:
    """Return the digest of the request of a command; empty for a command of another source."""
    if not command_id.startswith(COMMAND_PREFIX):
        return ""
    return command_id.rpartition("-")[2]


@dataclass(slots=True)
class _ConnectorState:
    """The folded state and the queues of its sessions."""

    journal_state: JournalState
    zone: tzinfo | None
    queues: dict[str, SessionQueues] = field(default_factory=dict)
    cleared: dict[str, int] = field(default_factory=dict)
    """By club, the id up to which its queues were cleared."""
    running: dict[str, datetime] = field(default_factory=dict)
    """The running events, with the time of their start."""

    def apply(self, entry: JournalEntry) -> None:
        """Apply one fact."""
        fact = entry.fact
        self.journal_state.apply(entry.stream, fact)
        kind, _, guid = entry.stream.partition("/")
        id = entry.item or entry.version
        if kind == "session":
            if isinstance(fact, SessionOpened):
                self.queues[entry.stream] = SessionQueues(self.zone, self.cleared)
            self.queues[entry.stream].apply(id, entry.side, fact)
        elif isinstance(fact, QueuesCleared):
            self.cleared[fact.club] = id
        elif kind == "event" and isinstance(fact, Ordered):
            if Order.START in fact.orders:
                self.running[guid] = entry.at
            elif Order.SHUT_DOWN in fact.orders:
                self.running.pop(guid, None)

    def drop_unused(self) -> list[str]:
        """Drop what was not asked for since the last call; return its streams."""
        dropped = self.journal_state.drop_unused()
        for stream in dropped:
            self.queues.pop(stream, None)
            self.running.pop(stream.partition("/")[2], None)
        return dropped


class ConnectorProjection:
    """The read side of the connector: a projection of the journal, its marks, and the last changes of clients."""

    def __init__(self, journal: Journal, zone: tzinfo | None = None) -> None:
        self.zone = zone
        self._journal = journal
        self._list = SessionList(journal)
        self._last_drop = monotonic()
        self._projection = Projection(
            journal, lambda: _ConnectorState(JournalState(source=self._load), zone), _ConnectorState.apply
        )

    @property
    def state(self) -> JournalState:
        """Return the state of the events and sessions that were asked for."""
        return self._projection.state.journal_state

    @property
    def marks(self) -> Marks:
        """Return the marks beside the journal."""
        return self._journal.marks

    def catch_up(self) -> None:
        """Read all facts that are durable by now."""
        for _ in self.catch_up_in_pieces():
            pass

    def catch_up_in_pieces(
        self, sessions: Collection[str] | None = None, events: Iterable[str] = ()
    ) -> Iterator[None]:
        """Read the durable facts of these sessions and events, or of all, and yield after each piece.

        The caller releases its lock at each yield, so that other requests can read meanwhile.
        """
        self._drop_unused()
        self.state.requested.update(sessions or ())  # another request must not drop them between two pieces
        if sessions is None:
            heads = self._journal.heads()
        else:
            heads = {stream: head for guid in sessions for stream, head in self._newest(guid).items()}
        # Streams are read in the order of their names: "event/…" comes before "session/…".
        while not self._projection.catch_up(self._projection.behind(heads), PIECE):
            yield
        self._projection.catch_up([CLEARINGS])
        if sessions is not None:
            opened = [self.state.session(guid) for guid in sessions]
            guids = [*events, *(session.opened.event for session in opened if session is not None)]
            self._projection.catch_up(event_stream(event) for event in dict.fromkeys(guids))

    def _newest(self, session: str) -> dict[str, int]:
        """Return the stream of a session's newest incarnation with its version; empty if there is none."""
        return newest_stream(self._journal.heads([f"session/{session}/"]))

    def _load(self, state: JournalState, guid: str) -> None:
        """Read an event and a session that were not asked for before."""
        self._projection.catch_up([event_stream(guid), *self._newest(guid)])

    def _drop_unused(self) -> None:
        if monotonic() - self._last_drop >= UNUSED:
            self._last_drop = monotonic()
            self._projection.drop(self._projection.state.drop_unused())

    def queue(self, stream: str) -> SessionQueues:
        """Return the queues of one incarnation of a session."""
        return self._projection.state.queues[stream]

    def is_last_change(self, actor: str, digest: str) -> bool:
        """Return whether a request with this digest made the client's last change."""
        last = self._journal.last_change(actor)
        return last is not None and _digest(last) == digest

    def is_all_from(self, stream: str, digest: str) -> bool:
        """Return whether one command wrote the whole stream, and its request has this digest."""
        first = next(iter(self._journal.read(stream)), None)
        if first is None or _digest(first.command_id) != digest:
            return False
        appended = self._journal.find(first.command_id)
        return appended is not None and any(
            span.stream == stream and span.last == self._journal.head(stream) for span in appended.spans
        )

    def last_change_facts(self, actor: str) -> Iterator[Fact]:
        """Yield the facts of a client's last change."""
        last = self._journal.last_change(actor)
        appended = self._journal.find(last) if last is not None else None
        for span in appended.spans if appended is not None else ():
            for entry in islice(self._journal.read(span.stream, span.first - 1), span.last - span.first + 1):
                yield entry.fact

    def running(self) -> list[str]:
        """Return the running events, the one that was started last at the end."""
        self._projection.catch_up(event_stream(event) for event in self._list.running_events())
        running = self._projection.state.running
        return sorted(running, key=lambda event: running[event])

    def sessions(self, event: str) -> list[Session]:
        """Return the sessions of an event."""
        opened = self.state.event(event)
        sessions = [self.state.session(guid) for guid in opened.sessions] if opened else []
        return [session for session in sessions if session is not None and session.opened.event == event]
