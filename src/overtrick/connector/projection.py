"""The state of the connector: the sessions that it was asked about, read from the journal; all of it is durable.

The writer's state may be ahead of the journal by a moment; an item that was offered must not vanish again, so the
connector folds its own. It is moved on before a request looks at it: by what has come of the session that the request
is about, a piece at a time, so that nobody waits for what another has sent. What nobody asks about for long is dropped.
"""

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime, tzinfo
from itertools import islice
from time import monotonic

from overtrick.connector.queue import SessionQueues
from overtrick.event import Fact, House, Session, event_stream
from overtrick.event.setup import QueuesCleared, SessionOpened
from overtrick.event.state import CLEARINGS, Order, Ordered
from overtrick.store import Journal, JournalEntry
from overtrick.store.marks import Marks
from overtrick.store.projection import UNUSED, Projection, newest_stream
from overtrick.store.sessions import SessionList

COMMAND_PREFIX = "dc-"

PIECE = 2_000
"""Facts that are read in one go."""


def command_id(digest: str, unique: str) -> str:
    """The id of a command: it tells, after a restart too, which bytes asked for it.

    What makes it unique comes first and should rise: an index that grows at its end is written fastest.
    """
    return f"{COMMAND_PREFIX}{unique}-{digest}"


def _digest(command_id: str) -> str:
    """The digest of the bytes that asked for a command; empty for one that did not come through here."""
    if not command_id.startswith(COMMAND_PREFIX):
        return ""
    return command_id.rpartition("-")[2]


@dataclass(slots=True)
class _ConnectorState:
    """The state and the queues of its sessions, as far as the journal was read."""

    journal_state: House
    zone: tzinfo | None
    queues: dict[str, SessionQueues] = field(default_factory=dict)
    cleared: dict[str, int] = field(default_factory=dict)
    """The id up to which the queues of each club were cleared."""
    running: dict[str, datetime] = field(default_factory=dict)
    """The events that run, and since when."""

    def apply(self, entry: JournalEntry) -> None:
        """Move on by one fact."""
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
        """Drop what nobody has asked for since the last time; return its streams."""
        dropped = self.journal_state.drop_unused()
        for stream in dropped:
            self.queues.pop(stream, None)
            self.running.pop(stream.partition("/")[2], None)
        return dropped


class ConnectorProjection:
    """The state that the connector answers from: a projection, the journal's marks and what clients changed."""

    def __init__(self, journal: Journal, zone: tzinfo | None = None) -> None:
        self.zone = zone
        self._journal = journal
        self._list = SessionList(journal)
        self._dropped = monotonic()
        self._projection = Projection(
            journal, lambda: _ConnectorState(House(source=self._bring), zone), _ConnectorState.apply
        )

    @property
    def state(self) -> House:
        """The events and sessions that were asked for, as the journal has them."""
        return self._projection.state.journal_state

    @property
    def marks(self) -> Marks:
        """The marks beside the journal."""
        return self._journal.marks

    def catch_up(self) -> None:
        """Read all that has become durable since the last time, whoever wrote it."""
        for _ in self.catching_up():
            pass

    def catching_up(
        self, sessions: Collection[str] | None = None, events: Iterable[str] = ()
    ) -> Iterator[None]:
        """Read what is durable by now of these sessions and events, or of everything, pausing after each piece.

        During a pause others may look, and read on.
        """
        self._drop_unused()
        if sessions is None:
            heads = self._journal.heads()
        else:
            heads = {stream: head for guid in sessions for stream, head in self._newest(guid).items()}
        # An event comes before its sessions.
        while not self._projection.catch_up(self._projection.behind(heads), PIECE):
            yield
        self._projection.catch_up([CLEARINGS])
        if sessions is not None:
            found = [self.state.session(guid) for guid in sessions]
            named = [*events, *(session.opened.event for session in found if session is not None)]
            self._projection.catch_up(event_stream(event) for event in dict.fromkeys(named))

    def _newest(self, session: str) -> dict[str, int]:
        """The stream of a session's newest incarnation, and its version; nothing where there is none."""
        return newest_stream(self._journal.heads([f"session/{session}/"]))

    def _bring(self, state: House, guid: str) -> None:
        """Read an event and a session that nobody has asked for yet."""
        self._projection.catch_up([event_stream(guid), *self._newest(guid)])

    def _drop_unused(self) -> None:
        if monotonic() - self._dropped >= UNUSED:
            self._dropped = monotonic()
            self._projection.drop(self._projection.state.drop_unused())

    def queue(self, stream: str) -> SessionQueues:
        """The queues of one incarnation of a session."""
        return self._projection.state.queues[stream]

    def is_last_change(self, actor: str, digest: str) -> bool:
        """Return whether the bytes with this digest asked for the last thing that a client changed."""
        last = self._journal.last_change(actor)
        return last is not None and _digest(last) == digest

    def is_all_from(self, stream: str, digest: str) -> bool:
        """Return whether everything in a stream was written by one command, which these bytes asked for."""
        first = next(iter(self._journal.read(stream)), None)
        if first is None or _digest(first.command_id) != digest:
            return False
        written = self._journal.find(first.command_id)
        return written is not None and any(
            span.stream == stream and span.last == self._journal.head(stream) for span in written.spans
        )

    def changed(self, actor: str) -> Iterator[Fact]:
        """The facts of the last thing that a client changed, read one by one."""
        last = self._journal.last_change(actor)
        written = self._journal.find(last) if last is not None else None
        for span in written.spans if written is not None else ():
            for entry in islice(self._journal.read(span.stream, span.first - 1), span.last - span.first + 1):
                yield entry.fact

    def running(self) -> list[str]:
        """The events that run, the one that was ordered last at the end."""
        self._projection.catch_up(event_stream(event) for event in self._list.running_events())
        running = self._projection.state.running
        return sorted(running, key=lambda event: running[event])

    def sessions(self, event: str) -> list[Session]:
        """The sessions of an event, as they are now."""
        known = self.state.event(event)
        found = [self.state.session(guid) for guid in known.sessions] if known else []
        return [session for session in found if session is not None and session.opened.event == event]
