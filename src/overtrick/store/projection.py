"""Projections: states folded from the committed facts of a journal, for connector, control software and pages.

All states but the writer's catch up with their streams here. A projection reads a stream when a caller asks for it, and
its state has committed facts only: it does not share the state of a writer, which may be ahead of the journal. Its only
dependency on bridge is the naming of session streams.
"""

import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import islice
from time import monotonic
from typing import Generic, NamedTuple, Protocol, TypeVar

from overtrick.event import session_stream
from overtrick.guid import is_guid
from overtrick.store.journal import JournalEntry

S = TypeVar("S")

UNUSED = 600.0
"""Seconds after its last use until a session is dropped."""

Subscriber = Callable[[Sequence[JournalEntry]], None]
"""A callback for the facts that were applied to a state, in order."""


class ReadableJournal(Protocol):
    """The part of a journal that a projection needs."""

    @property
    def set_backs(self) -> int:
        """Return the number of times that the journal has lost facts that were seen before."""

    def head(self, stream: str) -> int:
        """Return the version of the last fact of a stream; 0 when there is none."""

    def read(self, stream: str, after: int = 0) -> Iterable[JournalEntry]:
        """Return the facts of a stream above a version, in order."""


class Projection(Generic[S]):
    """A state folded from the facts of some streams.

    `start` makes the empty state and `apply` applies one fact to a state. Any thread may call `catch_up`. The lock is
    held while facts are applied and subscribers are called, and not by readers of the state: a caller that shares a
    projection with other threads has to make sure that no thread catches up while it reads.

    Every fact is applied once. If the journal cannot be read, the state stays and the next call continues from there.
    If a fact cannot be applied, the state may have half of it, so it is dropped, and the next call folds its streams
    from the beginning.
    """

    def __init__(
        self, journal: ReadableJournal, start: Callable[[], S], apply: Callable[[S, JournalEntry], None]
    ) -> None:
        self.state = start()
        self._journal = journal
        self._start = start
        self._apply = apply
        self._versions: dict[str, int] = {}
        self._notified: dict[str, int] = {}
        """The version up to which subscribers were called, by stream."""
        self._subscribers: list[Subscriber] = []
        self._lock = threading.RLock()
        self._set_backs = journal.set_backs

    def version(self, stream: str) -> int:
        """Return the version of the last fact of a stream that the state has; 0 when it has none."""
        return self._versions.get(stream, 0)

    def behind(self, heads: Mapping[str, int]) -> list[str]:
        """Return the streams that have facts which the state does not have yet, sorted by name."""
        self._follow_set_backs()
        return sorted(stream for stream, head in heads.items() if head > self.version(stream))

    def catch_up(self, streams: Iterable[str], most: int | None = None) -> bool:
        """Apply the new facts of these streams, at most `most` of them; return False if it stopped at that limit.

        Streams are read one by one, so `streams` may be a generator that chooses the next one from the state.
        """
        remaining = most
        with self._lock:
            self._follow_set_backs()
            for stream in streams:
                count = self._read(stream, remaining)
                if remaining is not None:
                    remaining -= count
                    if remaining <= 0:
                        return False
        return True

    def _read(self, stream: str, most: int | None) -> int:
        count = 0
        new_entries: list[JournalEntry] = []
        apply, versions, state = self._apply, self._versions, self.state
        try:
            for entry in islice(self._journal.read(stream, versions.get(stream, 0)), most):
                try:
                    apply(state, entry)
                    versions[stream] = entry.version
                except BaseException:
                    self.forget()
                    new_entries.clear()
                    raise
                count += 1
                if self._subscribers:
                    new_entries.append(entry)
        finally:
            self._notify(stream, new_entries)
        return count

    def forget(self) -> None:
        """Drop the state; the next call folds its streams again, without calling subscribers for old facts."""
        with self._lock:
            self.state = self._start()
            self._versions = {}

    def _follow_set_backs(self) -> None:
        """Drop the state if the journal has lost facts; subscribers get the facts that replace them."""
        with self._lock:
            if self._set_backs == self._journal.set_backs:
                return
            self._set_backs = self._journal.set_backs
            self.forget()
            self._notified = {
                stream: min(version, self._journal.head(stream)) for stream, version in self._notified.items()
            }

    def drop(self, streams: Iterable[str]) -> None:
        """Forget the versions of streams that were removed from the state; subscribers are not called again."""
        with self._lock:
            for stream in streams:
                self._versions.pop(stream, None)

    def subscribe(self, subscriber: Subscriber) -> None:
        """Call a subscriber once for every fact that is new from now on, also after the state was dropped."""
        with self._lock:
            self._notified |= self._versions
            self._subscribers.append(subscriber)

    def _notify(self, stream: str, entries: Sequence[JournalEntry]) -> None:
        before = self._notified.get(stream, 0)
        new_entries = [entry for entry in entries if entry.version > before]
        if new_entries:
            self._notified[stream] = new_entries[-1].version
            for subscriber in self._subscribers:
                subscriber(new_entries)


def newest_stream(heads: Mapping[str, int]) -> dict[str, int]:
    """Return the stream of the newest incarnation of one session, with its version; empty if there is none.

    >>> newest_stream({"session/A/9": 7, "session/A/10": 3})
    {'session/A/10': 3}
    """
    newest = sorted(heads, key=lambda stream: int(stream.rpartition("/")[2]))[-1:]
    return {stream: heads[stream] for stream in newest}


class LoadedSession(NamedTuple, Generic[S]):
    """A session of a projection: the stream of its incarnation, the version of its last fact, and the state."""

    stream: str
    version: int
    state: S


class SessionProjections(Generic[S]):
    """The newest incarnation of every session that a caller has requested, each in its own projection.

    `start` makes the state of a stream without facts.
    """

    def __init__(
        self,
        journal: ReadableJournal,
        start: Callable[[str], S],
        apply: Callable[[S, JournalEntry], None],
        subscriber: Subscriber | None = None,
    ) -> None:
        self._journal = journal
        self._start = start
        self._apply = apply
        self._subscriber = subscriber
        """A callback for new facts of a loaded session."""
        self._incarnations: dict[str, int] = {}
        self._set_backs = journal.set_backs
        self._loaded: dict[str, tuple[str, Projection[S]]] = {}
        self._last_used: dict[str, float] = {}
        """The time of the last use of each session, the oldest first."""

    def newest(self, guid: str) -> int:
        """Return the newest incarnation of a session; 0 when there is no such session."""
        if self._set_backs != self._journal.set_backs:
            self._set_backs = self._journal.set_backs
            self._incarnations.clear()
        cached = incarnation = self._incarnations.get(guid, 0)
        while is_guid(guid) and self._journal.head(session_stream(guid, incarnation + 1)):
            incarnation += 1
        if incarnation > cached:
            self._incarnations[guid] = incarnation
        return incarnation

    def find(self, guid: str) -> LoadedSession[S] | None:
        """Return a session with all facts that are committed by now; None if there is no such session.

        Sessions that nobody has requested in the last `UNUSED` seconds are dropped.
        """
        # The time is taken before this use, so that a slow journal never makes the session itself look unused.
        now = monotonic()
        self.keep(guid)  # first, because reading the journal fails while it does not answer
        incarnation = self.newest(guid)
        if not incarnation:
            return None
        while self._last_used and now - self._last_used[oldest := next(iter(self._last_used))] > UNUSED:
            self.forget(oldest)
        stream = session_stream(guid, incarnation)
        loaded = self._loaded.get(guid)
        if loaded is not None and loaded[0] == stream:
            loaded[1].catch_up([stream])
        else:
            projection = Projection(self._journal, lambda: self._start(stream), self._apply)
            projection.catch_up([stream])
            if self._subscriber is not None:
                projection.subscribe(self._subscriber)
            self._loaded[guid] = stream, projection
            self.keep(guid)
        return self.loaded(guid)

    def keep(self, guid: str) -> None:
        """Count a loaded session as used now, so that it is not dropped."""
        if guid in self._loaded:
            self._last_used.pop(guid, None)
            self._last_used[guid] = monotonic()

    def loaded(self, guid: str) -> LoadedSession[S] | None:
        """Return a session as of its last `find`; None if it is not loaded, or has lost its facts since."""
        loaded = self._loaded.get(guid)
        if loaded is None or not loaded[1].version(loaded[0]):
            return None
        stream, projection = loaded
        return LoadedSession(stream, projection.version(stream), projection.state)

    def forget(self, guid: str) -> None:
        """Drop a session; the next `find` folds it again."""
        self._loaded.pop(guid, None)
        self._last_used.pop(guid, None)
