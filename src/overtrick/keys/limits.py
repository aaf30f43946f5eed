"""How often somebody may try: a bucket for each that fills at a steady rate. Knows no clock of its own."""

import time
from collections import OrderedDict
from collections.abc import Callable

MOST_REMEMBERED = 10_000
"""Whoever was seen longest ago is forgotten first, so that nobody can fill the memory."""


class RateLimit:
    """So many tries at once, and so many more each second.

    >>> now = 0.0
    >>> limit = RateLimit(burst=2, per_second=0.5, clock=lambda: now)
    >>> limit.take("10.0.0.7"), limit.take("10.0.0.7"), limit.take("10.0.0.7"), limit.take("10.0.0.8")
    (True, True, False, True)
    >>> now = 2.0
    >>> limit.take("10.0.0.7"), limit.take("10.0.0.7")
    (True, False)
    """

    def __init__(self, burst: float, per_second: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._burst = burst
        self._per_second = per_second
        self._clock = clock
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def take(self, who: str) -> bool:
        """Whether this one may try now; if so, it counts."""
        now = self._clock()
        left, since = self._buckets.pop(who, (self._burst, now))
        left = min(self._burst, left + (now - since) * self._per_second)
        is_allowed = left >= 1
        self._buckets[who] = (left - 1 if is_allowed else left), now
        if len(self._buckets) > MOST_REMEMBERED:
            self._buckets.popitem(last=False)
        return is_allowed

    def forgive(self, who: str) -> None:
        """Forget what this one tried."""
        self._buckets.pop(who, None)
