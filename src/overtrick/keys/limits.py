"""How often somebody may try: a bucket for each that fills at a steady rate. Knows no clock of its own."""

import threading
import time
from collections import OrderedDict
from collections.abc import Callable

MOST_REMEMBERED = 10_000
"""Whoever was seen longest ago is forgotten first, so that nobody can fill the memory."""


class RateLimit:
    """So many tries at once, and so many more each second; may be asked from any thread.

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
        """Whether this one may try now; if so, it counts."""
        with self._lock:
            left, now = self._left(who)
            is_allowed = left >= 1
            self._buckets.pop(who, None)
            self._buckets[who] = (left - 1 if is_allowed else left), now
            if len(self._buckets) > MOST_REMEMBERED:
                self._buckets.popitem(last=False)
        return is_allowed

    def is_spent(self, who: str) -> bool:
        """Whether this one may not try now; asking does not count."""
        with self._lock:
            return self._left(who)[0] < 1

    def forgive(self, who: str) -> None:
        """Forget what this one tried."""
        with self._lock:
            self._buckets.pop(who, None)

    def _left(self, who: str) -> tuple[float, float]:
        """How many tries are left, and the time that it is."""
        now = self._clock()
        left, since = self._buckets.get(who, (self._burst, now))
        return min(self._burst, left + (now - since) * self._per_second), now
