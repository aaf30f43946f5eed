"""The Data Connector over HTTP, for the clients that came with version 5 of the control software."""

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator
from dataclasses import dataclass

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from overtrick import __version__
from overtrick.connector.pipe_framing import BYTE_ORDER_MARK, LONGEST
from overtrick.connector.request_context import Caller
from overtrick.connector.service import ConnectorService
from overtrick.connector.wire.envelope import refusal
from overtrick.connector.wire.numbers import ErrorType

log = logging.getLogger(__name__)

PORT = 5079
PATH = "/dc-scoringprogram"
GREETING = f"Bridgemate dataconnector service version 5.0 (Overtrick {__version__})"
"""What a client looks for before it sends anything: the words before the number."""

PATIENCE = 60.0
"""Seconds that a client may take to send a request: what it has sent so far is kept in memory until then."""

CONNECTIONS = 64
"""Connections at a time."""

MOMENT = 1.0
"""Seconds that a request may be sent at any pace; then the slowest make room when there is too much of all."""

CALLER = Caller(is_local=False)


@dataclass(eq=False, slots=True)
class BodyUpload:
    """A request that is being sent."""

    since: float
    patience: asyncio.Timeout
    body: bytearray
    is_cut_off: bool = False

    def pace(self, now: float) -> float:
        """Bytes in a second."""
        return len(self.body) / max(now - self.since, 0.001)


class BodyReader:
    """The bodies that are being read or answered, which are all in memory: there is an end to it."""

    def __init__(self, longest: int, most: int, moment: float = MOMENT) -> None:
        self.longest = longest
        self._most = most
        self._moment = moment
        self._held = 0
        self._sending: set[BodyUpload] = set()

    @contextlib.asynccontextmanager
    async def whole(self, request: Request, patience: float) -> AsyncIterator[bytes | Response]:
        """The body, or the answer to one that cannot be taken; it is held until the block ends."""
        body = bytearray()
        try:
            yield await self._read(request, body, patience)
        finally:
            self._held -= len(body)

    async def _read(self, request: Request, body: bytearray, patience: float) -> bytes | Response:
        sending = BodyUpload(asyncio.get_running_loop().time(), asyncio.timeout(patience), body)
        self._sending.add(sending)
        try:
            async with sending.patience:
                async for chunk in request.stream():
                    body += chunk
                    self._held += len(chunk)
                    if len(body) > self.longest:
                        sentence = f"A request has at most {self.longest} bytes."
                        return _refused(413, ErrorType.Validation, sentence)
                    if self._held > self._most and not self._make_room(sending):
                        sentence = "Too much is being sent at the same time; please try again."
                        return _refused(503, ErrorType.Busy, sentence)
        except TimeoutError:
            if not sending.is_cut_off:
                return _refused(408, ErrorType.TimeOut, f"A request is sent within {patience:g} seconds.")
        finally:
            self._sending.discard(sending)
        if sending.is_cut_off:
            return _refused(408, ErrorType.TimeOut, "It was sent slowly, and made room for others.")
        return bytes(body).removeprefix(BYTE_ORDER_MARK)

    def _make_room(self, comer: BodyUpload) -> bool:
        """Cut off whoever sends more slowly than this one, the slowest first, until there is room."""
        now = asyncio.get_running_loop().time()
        slower = [
            each
            for each in self._sending
            if each.body
            and not each.patience.expired()
            and now - each.since >= self._moment
            and each.pace(now) < comer.pace(now)
        ]
        for each in sorted(slower, key=lambda each: each.pace(now)):
            if self._held <= self._most:
                break
            self._held -= len(each.body)
            each.body.clear()
            each.is_cut_off = True
            each.patience.reschedule(now)
        return self._held <= self._most


def _refused(status: int, error: ErrorType, sentence: str) -> Response:
    log.warning("http: %s", sentence)
    return Response(refusal(0, error, sentence).to_bytes(), status, media_type="application/json")


def connector_app(
    service: ConnectorService, longest: int = LONGEST, patience: float = PATIENCE, most: int | None = None
) -> Starlette:
    """The application that a server runs; requests have `most` bytes together, twice the longest if not given."""
    intake = BodyReader(longest, 2 * longest if most is None else most)

    async def greet(request: Request) -> Response:
        return PlainTextResponse(GREETING)

    async def scoring_program(request: Request) -> Response:
        # A page in a browser on this computer could post here too; it says where it comes from, a program does not.
        if "origin" in request.headers:
            return _refused(403, ErrorType.Validation, "Web pages are not served here.")
        async with intake.whole(request, patience) as body:
            if isinstance(body, Response):
                return body
            answer = await service.answer(body, CALLER)
        return Response(answer.text, media_type="application/json")

    return Starlette(
        routes=[Route("/", greet, methods=["GET"]), Route(PATH, scoring_program, methods=["POST"])]
    )
