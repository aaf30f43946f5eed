"""Drives the dispatcher for every transport: looking in one thread, changing through the writer.

A transport hands in the bytes of a request and gets the bytes of its answer. One that has a thread of its own is
answered in it, from the request to what is durable (`answer_here`). One in a loop awaits (`answer`): what reads the
journal runs in a thread beside the loop, one request after the other, so that a slow disk holds up nobody's
connection; what is short and only goes to the writer need not wait for that thread, unless it is at work.
"""

import asyncio
import logging
import threading
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TypeVar

from overtrick.connector.dispatch import Dispatcher, Exchange, read_request
from overtrick.connector.task import Caller, Change, Outcome
from overtrick.connector.wire.envelope import Request, Response
from overtrick.connector.wire.numbers import Command, Numbering
from overtrick.store import Appended

log = logging.getLogger(__name__)

Submit = Callable[[Change], Awaitable[Outcome]]
Write = Callable[[Change], Outcome]

AT_ONCE = frozenset(
    {
        Command.Connect,
        Command.Disconnect,
        Command.PutResults,
        Command.PutPlayerData,
        Command.PutParticipations,
        Command.PutBridgemate2Settings,
        Command.PutBridgemate3Settings,
    }
)
"""What needs no look at the journal when all is well, and so no thread."""

SHORT = 4096
"""Bytes that are read as JSON between two other things; more than these go to the thread."""

SHOWN = 2000
"""Characters of a request or an answer in the debug log."""

R = TypeVar("R")


@dataclass(frozen=True, slots=True)
class Answer:
    """The bytes that answer a request, and whether the client is done with the connection."""

    text: bytes
    closes: bool = False


class Service:
    """Answers requests, whatever they came through."""

    def __init__(
        self,
        dispatcher: Dispatcher,
        submit: Submit,
        write: Write,
        numbering: Numbering = Numbering.SHIPPED,
    ) -> None:
        self._dispatcher = dispatcher
        self._submit = submit
        self._write = write
        self._numbering = numbering
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="overtrick-connector")
        self._reader = ThreadPoolExecutor(1, thread_name_prefix="overtrick-connector-reader")
        """Reads long requests: nobody who looks at something waits for that."""
        self._turn = threading.Lock()
        """Held by whoever works with the dispatcher, in whichever thread."""

    def close(self) -> None:
        """Let go of the threads."""
        self._reader.shutdown()
        self._thread.shutdown()

    def answer_here(self, line: bytes, caller: Caller) -> Answer:
        """Answer one request in the thread that asks, which waits until it is done."""
        _show("request", line)
        request = read_request(line)
        if isinstance(request, Response):
            return self._told(request)
        response = self._dispatcher.echo(request, caller) or self._respond_here(request, line, caller)
        return self._told(response)

    def _respond_here(self, request: Request, line: bytes, caller: Caller) -> Response:
        with self._turn:
            exchange = self._dispatcher.begin(request, line, caller)
        while (change := exchange.change) is not None:
            try:
                outcome = self._write(change)
            except Exception as error:
                with self._turn:
                    exchange.fail(error)
            else:
                with self._turn:
                    exchange.go_on(outcome)
        assert exchange.response is not None
        return exchange.response

    async def answer(self, line: bytes, caller: Caller) -> Answer:
        """Answer one request of a transport in the loop."""
        _show("request", line)
        if len(line) <= SHORT:
            read = read_request(line)
        else:
            read = await _in(self._reader, lambda: read_request(line))
        if isinstance(read, Response):
            return self._told(read)
        return self._told(self._dispatcher.echo(read, caller) or await self._respond(read, line, caller))

    def _told(self, response: Response) -> Answer:
        text = response.to_bytes(self._numbering)
        _show("answer", text)
        return Answer(text, response.command == Command.Disconnect and not response.is_error)

    async def _respond(self, request: Request, line: bytes, caller: Caller) -> Response:
        exchange = await self._begin(request, line, caller)
        try:
            while (change := exchange.change) is not None:
                await self._go_on(exchange, change)
        except asyncio.CancelledError:
            self._thread.submit(exchange.abandon)  # after whatever the thread is doing with it
            raise
        assert exchange.response is not None
        return exchange.response

    async def _begin(self, request: Request, line: bytes, caller: Caller) -> Exchange:
        def begin() -> Exchange:
            return self._dispatcher.begin(request, line, caller)

        if request.command in AT_ONCE and len(line) <= SHORT and self._turn.acquire(blocking=False):
            try:
                return begin()
            finally:
                self._turn.release()
        begun = asyncio.get_running_loop().run_in_executor(self._thread, self._in_turn, begin)
        try:
            return await asyncio.shield(begun)
        except asyncio.CancelledError:
            # Whoever asked has gone while the thread was looking: the place must not stay taken.
            begun.add_done_callback(lambda done: done.result().abandon())
            raise

    async def _go_on(self, exchange: Exchange, change: Change) -> None:
        try:
            outcome = await self._submit(change)
        except Exception as error:
            failure = error
            await self._apart(lambda: self._in_turn(lambda: exchange.fail(failure)))
        else:
            is_done = exchange.command in AT_ONCE and isinstance(outcome, Appended) and outcome.spans
            if is_done and self._turn.acquire(blocking=False):
                try:
                    exchange.go_on(outcome)
                finally:
                    self._turn.release()
            else:
                await self._apart(lambda: self._in_turn(lambda: exchange.go_on(outcome)))

    async def _apart(self, work: Callable[[], R]) -> R:
        """Work in the thread beside the loop."""
        return await _in(self._thread, work)

    def _in_turn(self, work: Callable[[], R]) -> R:
        """Work with the dispatcher."""
        with self._turn:
            return work()


async def _in(thread: ThreadPoolExecutor, work: Callable[[], R]) -> R:
    """What comes of work in a thread; giving up waiting does not take it back."""
    return await asyncio.shield(asyncio.get_running_loop().run_in_executor(thread, work))


def _show(what: str, text: bytes) -> None:
    """Log a request or an answer, when someone wants to see them."""
    if log.isEnabledFor(logging.DEBUG):
        whole = text.decode("utf-8", "replace")
        shown = whole if len(whole) <= SHOWN else f"{whole[:SHOWN]}… ({len(text)} bytes)"
        log.debug("%s %s", what, shown)
