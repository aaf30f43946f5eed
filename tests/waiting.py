"""Waiting for a condition, with a limit: the only loop and the only sleep that a test may wait with."""

import asyncio
import time
from collections.abc import Callable

LIMIT = 30.0
"""Seconds after which a condition that does not hold yet never will, also on a busy machine."""

STEP = 0.01


def wait_for(
    condition: Callable[[], object], seconds: float = LIMIT, *, told: Callable[[], object] = str
) -> None:
    """Wait until a condition holds; fail with what `told` says when it does not within so many seconds."""
    until = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < until, f"waited {seconds:g} seconds in vain. {told()}"
        time.sleep(STEP)


async def wait_for_async(
    condition: Callable[[], object], seconds: float = LIMIT, *, told: Callable[[], object] = str
) -> None:
    """Wait as `wait_for` does, and let the event loop go on meanwhile."""
    until = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < until, f"waited {seconds:g} seconds in vain. {told()}"
        await asyncio.sleep(STEP)
