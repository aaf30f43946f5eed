"""Rate limits: a token bucket per client that fills at a steady rate. The clock is passed in."""

import threading
import time
from collections import OrderedDict
from collections.abc import Callable

MOST_REMEMBERED = 10_000
"""Limit of remembered clients; the one seen longest ago is forgotten first, which bounds the memory."""


class RateLimit:
    """A limit of `burst` tries at once and `per_second` more each second, per client. Thread-safe.

    >>> now = 0.0
    >>> limit = RateLimit(burst=2, per_second=0.5, clock=lambda: now)
    >>> limit.take("10.0.0.7"), limit.take("10.0.0.7"), limit.take("10.0.0.7"), limit.take("10.0.0.8")
    (True, True, False, True)
    >>> limit.is_spent("10.0.0.7"), limit.is_spent("10.0.0.9")
    (True, False)
    >>> now = 2.0
    >>> limit.take("10.0.0.7"), limit.take("10.0.0.7")
    (True, False)
    """

    def __init__(self, burst: float, per_second: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._burst = burst
        self._per_second = per_second
        self._clock = clock
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()
        self._lock = threading.Lock()

    def take(self, who: str) -> bool:
        """Return whether the client may try now, and count the try."""
        with self._lock:
            left, now = self._left(who)
            is_allowed = left >= 1
            self._buckets.pop(who, None)
            self._buckets[who] = (left - 1 if is_allowed else left), now
            if len(self._buckets) > MOST_REMEMBERED:
                self._buckets.popitem(last=False)
        return is_allowed

    def is_spent(self, who: str) -> bool:
        """Return whether the client has no try left, without counting one."""
        with self._lock:
            return self._left(who)[0] < 1

    def forgive(self, who: str) -> None:
        """Forget the client's tries."""
        with self._lock:
            self._buckets.pop(who, None)

    def _left(self, who: str) -> tuple[float, float]:
        """Return the number of tries left and the current time."""
        now = self._clock()
        left, since = self._buckets.get(who, (self._burst, now))
        return min(self._burst, left + (now - since) * self._per_second), now
