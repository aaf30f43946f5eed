"""Projections: states folded from the committed facts of a journal, for connector, control software and pages.

This is the only code that catches up with streams. A projection reads a stream when it is asked for it, and not
before; its state is durable. It does not share the state of a writer, which may be ahead of the journal. Of bridge it
uses only the names of session streams.
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
"""Seconds after its last use at which a session is dropped."""

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
        self._told: dict[str, int] = {}
        """By stream, the version up to which subscribers were called."""
        self._subscribers: list[Subscriber] = []
        self._lock = threading.RLock()
        self._set_backs = journal.set_backs

    def version(self, stream: str) -> int:
        """Return the version of the last fact of a stream that the state has; 0 when it has none."""
        return self._versions.get(stream, 0)

    def behind(self, heads: Mapping[str, int]) -> list[str]:
        """Return the streams that are longer than what the state has of them, in the order of their names."""
        self._follow_set_backs()
        return sorted(stream for stream, head in heads.items() if head > self.version(stream))

    def catch_up(self, streams: Iterable[str], most: int | None = None) -> bool:
        """Apply the facts of these streams that are new, `most` of them at most; return False if that was the limit.

        The streams are taken one by one, so that a generator may choose the next by the state.
        """
        left = most
        with self._lock:
            self._follow_set_backs()
            for stream in streams:
                count = self._read(stream, left)
                if left is not None:
                    left -= count
                    if left <= 0:
                        return False
        return True

    def _read(self, stream: str, most: int | None) -> int:
        count = 0
        news: list[JournalEntry] = []
        apply, versions, state = self._apply, self._versions, self.state
        try:
            for entry in islice(self._journal.read(stream, versions.get(stream, 0)), most):
                try:
                    apply(state, entry)
                    versions[stream] = entry.version
                except BaseException:
                    self.forget()
                    news.clear()
                    raise
                count += 1
                if self._subscribers:
                    news.append(entry)
        finally:
            self._tell(stream, news)
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
            self._told = {
                stream: min(told, self._journal.head(stream)) for stream, told in self._told.items()
            }

    def drop(self, streams: Iterable[str]) -> None:
        """Forget the versions of streams that were removed from the state; subscribers are not called again."""
        with self._lock:
            for stream in streams:
                self._versions.pop(stream, None)

    def subscribe(self, told: Subscriber) -> None:
        """Call a subscriber with every fact that is applied from now on, once."""
        with self._lock:
            self._told |= self._versions
            self._subscribers.append(told)

    def _tell(self, stream: str, entries: Sequence[JournalEntry]) -> None:
        before = self._told.get(stream, 0)
        news = [entry for entry in entries if entry.version > before]
        if news:
            self._told[stream] = news[-1].version
            for told in self._subscribers:
                told(news)


def newest_stream(heads: Mapping[str, int]) -> dict[str, int]:
    """Return the stream of the newest incarnation among those of one session; nothing where there are none.

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
    """The newest incarnation of every session that was asked for, each a projection of its own.

    `start` makes the state of a stream without facts.
    """

    def __init__(
        self,
        journal: ReadableJournal,
        start: Callable[[str], S],
        apply: Callable[[S, JournalEntry], None],
        told: Subscriber | None = None,
    ) -> None:
        self._journal = journal
        self._start = start
        self._apply = apply
        self._told = told
        """Called with the facts of a session after it was loaded."""
        self._incarnations: dict[str, int] = {}
        self._set_backs = journal.set_backs
        self._loaded: dict[str, tuple[str, Projection[S]]] = {}
        self._asked: dict[str, float] = {}
        """The time of the last use of each session, the longest ago first."""

    def newest(self, guid: str) -> int:
        """Return the newest incarnation of a session; 0 when there is no such session."""
        if self._set_backs != self._journal.set_backs:
            self._set_backs = self._journal.set_backs
            self._incarnations.clear()
        known = incarnation = self._incarnations.get(guid, 0)
        while is_guid(guid) and self._journal.head(session_stream(guid, incarnation + 1)):
            incarnation += 1
        if incarnation > known:
            self._incarnations[guid] = incarnation
        return incarnation

    def find(self, guid: str) -> LoadedSession[S] | None:
        """Return a session with all that is committed by now; None when there is no such session.

        Sessions that were not asked for in a while are dropped.
        """
        incarnation = self.newest(guid)
        if not incarnation:
            return None
        self._asked.pop(guid, None)
        self._asked[guid] = now = monotonic()
        while now - self._asked[oldest := next(iter(self._asked))] > UNUSED:
            self.forget(oldest)
        stream = session_stream(guid, incarnation)
        loaded = self._loaded.get(guid)
        if loaded is not None and loaded[0] == stream:
            loaded[1].catch_up([stream])
        else:
            projection = Projection(self._journal, lambda: self._start(stream), self._apply)
            projection.catch_up([stream])
            if self._told is not None:
                projection.subscribe(self._told)
            self._loaded[guid] = stream, projection
        return self.loaded(guid)

    def loaded(self, guid: str) -> LoadedSession[S] | None:
        """Return a session as it was when it was last asked for; None when it was not."""
        loaded = self._loaded.get(guid)
        if loaded is None:
            return None
        stream, projection = loaded
        return LoadedSession(stream, projection.version(stream), projection.state)

    def forget(self, guid: str) -> None:
        """Drop a session; the next `find` folds it again."""
        self._loaded.pop(guid, None)
        self._asked.pop(guid, None)
