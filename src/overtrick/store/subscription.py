"""Following a stream while it grows. A wake-up carries no fact: the follower reads the journal.

A follower also reads once a second. Wake-ups come from this process after every append, and with PostgreSQL from other
processes, too; with SQLite, facts of other processes are found by the regular read.
"""

import asyncio
import threading
from collections.abc import AsyncGenerator, Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from itertools import islice
from typing import TYPE_CHECKING

from overtrick.store.errors import JournalSetBack

if TYPE_CHECKING:
    from overtrick.store.journal import Journal, JournalEntry

POLL_INTERVAL = 1.0
"""Seconds after which a follower reads without being woken."""

CHUNK = 1_000
"""Facts that a follower reads at a time."""

ANY_STREAM = ""
"""Stands for all streams in a subscription; no stream has this name."""


class Wakeups:
    """The callbacks to call when a stream grows. Thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._callbacks: dict[str, list[Callable[[], None]]] = {}

    @contextmanager
    def on(self, stream: str, wake: Callable[[], None]) -> Iterator[None]:
        """Call `wake`, from any thread, whenever the stream may have grown, until the block ends."""
        with self._lock:
            self._callbacks.setdefault(stream, []).append(wake)
        try:
            yield
        finally:
            with self._lock:
                self._callbacks[stream].remove(wake)
                if not self._callbacks[stream]:
                    del self._callbacks[stream]

    def wake(self, streams: Iterable[str]) -> None:
        """Call the callbacks of these streams."""
        with self._lock:
            callbacks = [
                wake for stream in (*streams, ANY_STREAM) for wake in self._callbacks.get(stream, ())
            ]
        for wake in callbacks:
            wake()


async def follow(
    journal: "Journal", stream: str | Callable[[], str], after: int = 0
) -> AsyncGenerator["JournalEntry", None]:
    """Yield the facts of a stream above a version, and then each new one as it is appended, without end.

    If the journal has lost facts since, begin again with the first. `stream` may be a function, called in a thread
    whenever nothing is left to read: if it returns another stream, that one is followed from its first fact.
    """
    find = stream if callable(stream) else None
    watched = ANY_STREAM if callable(stream) else stream
    current = await asyncio.to_thread(stream) if callable(stream) else stream
    loop = asyncio.get_running_loop()
    woken = asyncio.Event()

    def wake() -> None:
        with suppress(RuntimeError):  # the loop of a follower that is ending may be closed
            loop.call_soon_threadsafe(woken.set)

    set_backs = journal.set_backs
    with journal.woken(watched, wake):
        while True:
            woken.clear()
            try:
                entries = await asyncio.to_thread(_read_chunk, journal, current, after)
            except JournalSetBack:
                entries = []
                woken.set()
            if set_backs != journal.set_backs:
                set_backs, after = journal.set_backs, 0
                continue
            for entry in entries:
                yield entry
                after = entry.version
            if not entries and find is not None and (newest := await asyncio.to_thread(find)) != current:
                current, after = newest, 0
            elif not entries:
                with suppress(TimeoutError):
                    await asyncio.wait_for(woken.wait(), POLL_INTERVAL)


def _read_chunk(journal: "Journal", stream: str, after: int) -> "list[JournalEntry]":
    return list(islice(journal.read(stream, after), CHUNK))
