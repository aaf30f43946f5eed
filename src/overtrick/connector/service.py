"""The service behind all transports: bytes of a request in, bytes of its answer out.

A transport with a thread per client calls `answer_here`. A transport in an event loop awaits `answer`, which runs the
request in a small thread pool, so that no connection waits for another client's request or for the disk.
"""

import asyncio
import logging
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from overtrick.connector.dispatch import Dispatcher
from overtrick.connector.request_context import Caller
from overtrick.connector.wire.numbers import Numbering, WireCommand

log = logging.getLogger(__name__)

THREADS = 8
"""Requests over HTTP that run at the same time; the next ones wait."""

SHOWN = 2000
"""Characters of a request or an answer in the debug log."""


@dataclass(frozen=True, slots=True)
class Answer:
    """The bytes of an answer; `closes` is True after a Disconnect."""

    text: bytes
    closes: bool = False


class ConnectorService:
    """The request handler that all transports share."""

    def __init__(self, dispatcher: Dispatcher, numbering: Numbering = Numbering.SHIPPED) -> None:
        self._dispatcher = dispatcher
        self._numbering = numbering
        self._pool = ThreadPoolExecutor(THREADS, thread_name_prefix="overtrick-connector")

    def close(self) -> None:
        """Wait for the requests in progress and accept no more."""
        self._pool.shutdown()

    def answer_here(self, line: bytes, caller: Caller) -> Answer:
        """Answer one request in the calling thread."""
        _log_excerpt("request", line)
        response = self._dispatcher.answer(line, caller)
        text = response.to_bytes(self._numbering)
        _log_excerpt("answer", text)
        return Answer(text, response.command == WireCommand.Disconnect and not response.is_error)

    async def answer(self, line: bytes, caller: Caller) -> Answer:
        """Answer one request in the thread pool; it is completed even if its client disconnects meanwhile."""
        return await asyncio.get_running_loop().run_in_executor(self._pool, self.answer_here, line, caller)


def _log_excerpt(label: str, text: bytes) -> None:
    """Log a request or an answer at debug level."""
    if log.isEnabledFor(logging.DEBUG):
        whole = text.decode("utf-8", "replace")
        excerpt = whole if len(whole) <= SHOWN else f"{whole[:SHOWN]}… ({len(text)} bytes)"
        log.debug("%s %s", label, excerpt)
