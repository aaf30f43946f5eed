"""Servers in processes of their own, so that none shares its time with its clients."""

import asyncio
import multiprocessing
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from typing import Any

Tell = Callable[[Any], None]
"""Sends the clients the server's addresses when they are open."""

Server = Callable[[Tell], Coroutine[Any, Any, None]]
Hear = Callable[[], Any]
"""Waits for the next thing that a server tells."""


@contextmanager
def apart(run: Server) -> Iterator[Hear]:
    """Run a server in another process until the block ends."""
    context = multiprocessing.get_context("fork")
    ours, theirs = context.Pipe()
    child = context.Process(target=lambda: asyncio.run(run(theirs.send)), daemon=True)
    child.start()
    try:
        yield ours.recv
    finally:
        child.terminate()
        child.join()
