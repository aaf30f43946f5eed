"""Random deals, with a filter and a seed."""

import random
from collections.abc import Callable, Iterator

from overtrick.bridge.deal import BadDeal, Deal

MOST_TRIES = 1_000_000
"""The most deals in a row that may fail the filter, which takes about a minute."""


def deals(
    count: int, *, seed: int | str | None = None, where: Callable[[Deal], bool] | None = None
) -> Iterator[Deal]:
    """Yield random deals; with `where`, only deals that it returns True for.

    The same seed always gives the same deals. Without one they come from the operating system's random numbers, which
    a tournament needs: with a seed of Python's generator players could find out the remaining boards. Raise BadDeal if
    a million deals in a row fail the filter.

    >>> from overtrick.bridge import Seat
    >>> [deal[Seat.SOUTH].hcp for deal in deals(3, seed=1, where=lambda deal: 15 <= deal[Seat.SOUTH].hcp <= 17)]
    [16, 15, 16]
    """
    rng = random.SystemRandom() if seed is None else random.Random(seed)
    for _ in range(count):
        for _ in range(MOST_TRIES):
            deal = Deal.dealt_by(rng)
            if where is None or where(deal):
                break
        else:
            raise BadDeal(f"None of {MOST_TRIES} deals passes the filter.")
        yield deal
