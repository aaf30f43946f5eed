"""Drives the dispatcher for every transport: what is sent is read and judged, then looks in its turn, then is written.

A transport hands in the bytes of a request and gets the bytes of its answer. One that has a thread of its own is
answered in it, from the request to what is durable (`answer_here`). One in a loop awaits (`answer`): what reads the
journal runs in a thread beside the loop, one request after the other, so that a slow disk holds up nobody's
connection; what is short and only goes to the writer need not wait for that thread, unless somebody looks just now.
What is very long is read and judged in another thread, before it has its turn, so that nobody waits for it.
"""

import asyncio
import logging
import threading
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from overtrick.connector.dispatch import Dispatcher, Exchange, read_request
from overtrick.connector.task import LOOK, Caller, Change, Outcome
from overtrick.connector.wire import envelope
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
        Command.Ping,
        Command.PutResults,
        Command.PutPlayerData,
        Command.PutParticipations,
        Command.PutBridgemate2Settings,
        Command.PutBridgemate3Settings,
    }
)
"""What needs no look at the journal when all is well, and so no thread."""

SHORT = 4096
"""Bytes that are read in the loop, between two other things; more than these go to a thread."""

LONG = envelope.AT_ONCE
"""Bytes that the thread reads between two looks; more than these go to another thread."""

SHOWN = 2000
"""Characters of a request or an answer in the debug log."""


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
        """Looks: those who wait for their turn are in its line."""
        self._reader = ThreadPoolExecutor(1, thread_name_prefix="overtrick-connector-reader")
        """Reads and judges long requests."""
        self._turn = threading.Lock()
        """Held by whoever looks, in whichever thread."""

    def close(self) -> None:
        """Let go of the threads."""
        self._reader.shutdown()
        self._thread.shutdown()

    def answer_here(self, line: bytes, caller: Caller) -> Answer:
        """Answer one request in the thread that asks, which waits until it is done."""
        _show("request", line)
        begun = self._begin(read_request(line), line, caller)
        return self._told(begun if isinstance(begun, Response) else self._respond_here(begun))

    def _begin(self, request: Request | Response, line: bytes, caller: Caller) -> Exchange | Response:
        """Judge what a request gives; its answer, where there is no more to it."""
        if isinstance(request, Response):
            return request
        return self._dispatcher.echo(request, caller) or self._dispatcher.begin(request, line, caller)

    def _respond_here(self, exchange: Exchange) -> Response:
        is_first = True
        while exchange.response is None:
            wants = exchange.wants
            if wants is LOOK and is_first:
                with self._turn:
                    exchange.go_on()
                is_first = False
            elif wants is LOOK:
                # There is much to look at, so it stands in line with the others.
                self._thread.submit(self._in_turn, exchange.go_on).result()
            elif isinstance(wants, Change):
                self._change_here(exchange, wants)
            else:
                exchange.go_on()
        return exchange.response

    def _change_here(self, exchange: Exchange, change: Change) -> None:
        try:
            outcome = self._write(change)
        except Exception as error:
            with self._turn:
                exchange.fail(error)
        else:
            with self._turn:
                exchange.go_on(outcome)

    async def answer(self, line: bytes, caller: Caller) -> Answer:
        """Answer one request of a transport in the loop."""
        _show("request", line)
        if len(line) <= SHORT:
            begun = self._begin(read_request(line), line, caller)
        else:
            thread = self._thread if len(line) <= LONG else self._reader
            begun = await _begun(thread, lambda: self._begin(read_request(line), line, caller))
        return self._told(begun if isinstance(begun, Response) else await self._respond(begun))

    def _told(self, response: Response) -> Answer:
        text = response.to_bytes(self._numbering)
        _show("answer", text)
        return Answer(text, response.command == Command.Disconnect and not response.is_error)

    async def _respond(self, exchange: Exchange) -> Response:
        is_short = exchange.command in AT_ONCE
        while exchange.response is None:
            wants = exchange.wants
            if wants is LOOK:
                await self._look(is_short, exchange, exchange.go_on)
                is_short = False  # if that was not all, the journal is read
            elif isinstance(wants, Change):
                await self._change(exchange, wants)
            else:
                await _finished(exchange, None, exchange.go_on)
        return exchange.response

    async def _change(self, exchange: Exchange, change: Change) -> None:
        try:
            outcome = await self._submit(change)
        except asyncio.CancelledError:
            exchange.abandon()
            raise
        except Exception as error:
            await self._look(False, exchange, exchange.fail, error)
        else:
            is_done = exchange.command in AT_ONCE and isinstance(outcome, Appended) and outcome.spans
            await self._look(bool(is_done), exchange, exchange.go_on, outcome)

    async def _look(
        self, is_short: bool, exchange: Exchange, step: Callable[..., None], *given: object
    ) -> None:
        """Take a step in its turn: here if it is short and nobody else looks, else in the thread beside the loop."""
        if is_short and self._turn.acquire(blocking=False):
            try:
                step(*given)
            finally:
                self._turn.release()
        else:
            await _finished(exchange, self._thread, self._in_turn, step, *given)

    def _in_turn(self, step: Callable[..., None], *given: object) -> None:
        with self._turn:
            step(*given)


async def _begun(thread: ThreadPoolExecutor, begin: Callable[[], Exchange | Response]) -> Exchange | Response:
    """What was begun in a thread."""
    begun = asyncio.get_running_loop().run_in_executor(thread, begin)
    try:
        return await asyncio.shield(begun)
    except asyncio.CancelledError:
        begun.add_done_callback(_abandon)
        raise


def _abandon(begun: asyncio.Future[Exchange | Response]) -> None:
    exchange = begun.result()
    if isinstance(exchange, Exchange):
        exchange.abandon()


async def _finished(
    exchange: Exchange, thread: ThreadPoolExecutor | None, step: Callable[..., None], *given: object
) -> None:
    """Take a step of an exchange in a thread, any of the loop's where none is named."""
    taken = asyncio.get_running_loop().run_in_executor(thread, step, *given)
    try:
        await asyncio.shield(taken)
    except asyncio.CancelledError:
        # Whoever asked has gone meanwhile: the place must not stay taken.
        taken.add_done_callback(lambda _: exchange.abandon())
        raise


def _show(what: str, text: bytes) -> None:
    """Log a request or an answer, when someone wants to see them."""
    if log.isEnabledFor(logging.DEBUG):
        whole = text.decode("utf-8", "replace")
        shown = whole if len(whole) <= SHOWN else f"{whole[:SHOWN]}… ({len(text)} bytes)"
        log.debug("%s %s", what, shown)
