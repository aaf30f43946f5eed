"""Servers in separate processes, so that a server does not share the processor time of its clients."""

import asyncio
import multiprocessing
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from typing import Any

Report = Callable[[Any], None]
"""A function by which a server reports its addresses to the parent process, once they are open."""

Server = Callable[[Report], Coroutine[Any, Any, None]]
Receive = Callable[[], Any]
"""A function that waits for the next report of a server and returns it."""


@contextmanager
def server_process(run: Server) -> Iterator[Receive]:
    """Run a server in another process until the block ends; yield a function that receives its reports."""
    context = multiprocessing.get_context("fork")
    parent_end, child_end = context.Pipe()
    child = context.Process(target=lambda: asyncio.run(run(child_end.send)), daemon=True)
    child.start()
    try:
        yield parent_end.recv
    finally:
        child.terminate()
        child.join()
