"""Waiting for a condition, with a limit: the only loop and the only sleep that a test may wait with."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

Found = TypeVar("Found")

LIMIT = 50.0
"""Seconds after which a condition that does not hold yet never will, also on a busy machine; a test has 60."""

STEP = 0.01


def wait_for(
    condition: Callable[[], Found], seconds: float = LIMIT, *, told: Callable[[], object] = str
) -> Found:
    """Return the value of a condition as soon as it is true; fail after `seconds`, with the text of `told`."""
    until = time.monotonic() + seconds
    while not (found := condition()):
        assert time.monotonic() < until, f"waited {seconds:g} seconds in vain. {told()}"
        time.sleep(STEP)
    return found


async def wait_for_async(
    condition: Callable[[], Any], seconds: float = LIMIT, *, told: Callable[[], object] = str
) -> Any:
    """Wait as `wait_for` does while the event loop goes on; the condition may be a coroutine function."""
    until = time.monotonic() + seconds
    while True:
        found = condition()
        if isinstance(found, Awaitable):
            found = await found
        if found:
            return found
        assert time.monotonic() < until, f"waited {seconds:g} seconds in vain. {told()}"
        await asyncio.sleep(STEP)
