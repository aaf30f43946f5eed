"""Rate limits with a token bucket per client, in one process or shared by all nodes of a journal."""

import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from contextlib import suppress

from overtrick.store.errors import JournalError
from overtrick.store.token_buckets import TokenBuckets

MOST_REMEMBERED = 10_000
"""The limit on remembered clients, which bounds the memory; the one seen longest ago is forgotten first."""


class RateLimit:
    """A limit of `burst` tries at once and `per_second` more each second, per client. Thread-safe.

    >>> now = 0.0
    >>> limit = RateLimit(burst=2, per_second=0.5, clock=lambda: now)
    >>> limit.take("10.0.0.7"), limit.take("10.0.0.7"), limit.take("10.0.0.7"), limit.take("10.0.0.8")
    (True, True, False, True)
    >>> now = 2.0
    >>> limit.take("10.0.0.7"), limit.take("10.0.0.7")
    (True, False)
    """

    def __init__(self, burst: float, per_second: float, clock: Callable[[], float] = time.monotonic) -> None:
        self.burst = burst
        self.per_second = per_second
        self._clock = clock
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()
        self._lock = threading.Lock()

    def take(self, client: str) -> bool:
        """Return whether the client may try now, and count the try."""
        with self._lock:
            tries, now = self._tries_left(client)
            is_allowed = tries >= 1
            self._buckets.pop(client, None)
            self._buckets[client] = (tries - 1 if is_allowed else tries), now
            if len(self._buckets) > MOST_REMEMBERED:
                self._buckets.popitem(last=False)
        return is_allowed

    def give_back(self, client: str) -> None:
        """Do not count the client's last try."""
        with self._lock:
            if client in self._buckets:
                tries, since = self._buckets[client]
                self._buckets[client] = tries + 1, since

    def reset(self, client: str) -> None:
        """Forget the client's tries."""
        with self._lock:
            self._buckets.pop(client, None)

    def _tries_left(self, client: str) -> tuple[float, float]:
        """Return the number of tries left and the current time."""
        now = self._clock()
        tries, since = self._buckets.get(client, (self.burst, now))
        return min(self.burst, tries + (now - since) * self.per_second), now


class SharedRateLimit:
    """A limit shared by all nodes of a journal. Its methods block while they wait for the database.

    The local limit is checked first, so that a flood does not reach the database, and a limit remains while the
    database is unavailable.
    """

    def __init__(self, name: str, limit: RateLimit, buckets: TokenBuckets | None) -> None:
        self._name = name
        self._limit = limit
        self._buckets = buckets
        """None if there is one node."""

    def take(self, client: str) -> bool:
        """Return whether the client may try now, and count the try."""
        if not self._limit.take(client):
            return False
        if self._buckets is not None:
            with suppress(JournalError):
                return self._buckets.take(self._bucket(client), self._limit.burst, self._limit.per_second)
        return True

    def give_back(self, client: str) -> None:
        """Do not count the client's last try."""
        self._limit.give_back(client)
        if self._buckets is not None:
            with suppress(JournalError):
                self._buckets.give_back(self._bucket(client))

    def reset(self, client: str) -> None:
        """Forget the client's tries."""
        self._limit.reset(client)
        if self._buckets is not None:
            with suppress(JournalError):
                self._buckets.fill(self._bucket(client))

    def _bucket(self, client: str) -> str:
        return f"{self._name}/{client}"
