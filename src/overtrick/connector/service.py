"""The bytes of a request in, the bytes of its answer out, for every transport.

A transport that has a thread of its own is answered in it (`answer_here`). One in a loop awaits (`answer`), and its
request is done in a thread of a small pool: nobody's connection waits for another's request or for the disk.
"""

import asyncio
import logging
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from overtrick.connector.dispatch import Dispatcher
from overtrick.connector.request_context import Caller
from overtrick.connector.wire.numbers import Command, Numbering

log = logging.getLogger(__name__)

THREADS = 8
"""Requests over HTTP that are done at a time; the next ones wait."""

SHOWN = 2000
"""Characters of a request or an answer in the debug log."""


@dataclass(frozen=True, slots=True)
class Answer:
    """The bytes that answer a request, and whether the client is done with the connection."""

    text: bytes
    closes: bool = False


class ConnectorService:
    """Answers requests, whatever they came through."""

    def __init__(self, dispatcher: Dispatcher, numbering: Numbering = Numbering.SHIPPED) -> None:
        self._dispatcher = dispatcher
        self._numbering = numbering
        self._pool = ThreadPoolExecutor(THREADS, thread_name_prefix="overtrick-connector")

    def close(self) -> None:
        """Wait for the requests under way, and take no other."""
        self._pool.shutdown()

    def answer_here(self, line: bytes, caller: Caller) -> Answer:
        """Answer one request in the thread that asks, which waits until it is done."""
        _show("request", line)
        response = self._dispatcher.answer(line, caller)
        text = response.to_bytes(self._numbering)
        _show("answer", text)
        return Answer(text, response.command == Command.Disconnect and not response.is_error)

    async def answer(self, line: bytes, caller: Caller) -> Answer:
        """Answer one request of a transport in the loop; a request is done though its client goes meanwhile."""
        return await asyncio.get_running_loop().run_in_executor(self._pool, self.answer_here, line, caller)


def _show(what: str, text: bytes) -> None:
    """Log a request or an answer, when someone wants to see them."""
    if log.isEnabledFor(logging.DEBUG):
        whole = text.decode("utf-8", "replace")
        shown = whole if len(whole) <= SHOWN else f"{whole[:SHOWN]}… ({len(text)} bytes)"
        log.debug("%s %s", what, shown)
