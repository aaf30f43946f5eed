"""The Data Connector over HTTP, for clients of version 5 of the control software.

Request bodies are held in memory. `BodyReader` limits one body and all of them together.
"""

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
from overtrick.connector.address import PATH
from overtrick.connector.dispatch import ConnectorService
from overtrick.connector.pipe_framing import BYTE_ORDER_MARK, LONGEST
from overtrick.connector.request_context import Caller
from overtrick.connector.wire.envelope import refusal
from overtrick.connector.wire.numbers import ErrorType

log = logging.getLogger(__name__)

GREETING = f"Bridgemate dataconnector service version 5.0 (Overtrick {__version__})"
"""The text that a client checks before it sends anything, up to the version number."""

BODY_TIMEOUT = 60.0
"""Seconds that a client may take to send a request, whose body is held in memory until then."""

CONNECTIONS = 64
"""Most connections at a time."""

UPLOAD_GRACE = 1.0
"""Seconds before an upload can be cut off for being slow, which happens only when memory is short."""

CALLER = Caller(is_local=False)


@dataclass(eq=False, slots=True)
class BodyUpload:
    """A request body that is being received."""

    since: float
    timeout: asyncio.Timeout
    body: bytearray
    is_cut_off: bool = False

    def speed(self, now: float) -> float:
        """Return the speed in bytes per second."""
        return len(self.body) / max(now - self.since, 0.001)


class BodyReader:
    """A reader of request bodies that limits the memory of one and of all together."""

    def __init__(self, longest: int, most: int, grace: float = UPLOAD_GRACE) -> None:
        self.longest = longest
        self._most = most
        self._grace = grace
        self._held = 0
        self._uploads: set[BodyUpload] = set()

    @contextlib.asynccontextmanager
    async def reading(self, request: Request, timeout: float) -> AsyncIterator[bytes | Response]:
        """Yield the body, or the response if it is refused; its bytes count towards the limit until the block ends."""
        body = bytearray()
        try:
            yield await self._read(request, body, timeout)
        finally:
            self._held -= len(body)

    async def _read(self, request: Request, body: bytearray, timeout: float) -> bytes | Response:
        upload = BodyUpload(asyncio.get_running_loop().time(), asyncio.timeout(timeout), body)
        self._uploads.add(upload)
        try:
            async with upload.timeout:
                async for chunk in request.stream():
                    body += chunk
                    self._held += len(chunk)
                    if len(body) > self.longest:
                        sentence = f"A request has at most {self.longest} bytes."
                        return _refused(413, ErrorType.Validation, sentence)
                    if self._held > self._most and not self._make_room(upload):
                        sentence = "Too many large requests at the same time; please try again."
                        return _refused(503, ErrorType.Busy, sentence)
        except TimeoutError:
            if not upload.is_cut_off:
                return _refused(
                    408, ErrorType.TimeOut, f"The request did not arrive within {timeout:g} seconds."
                )
        finally:
            self._uploads.discard(upload)
        if upload.is_cut_off:
            return _refused(
                408, ErrorType.TimeOut, "The request was sent too slowly and was dropped to free memory."
            )
        return bytes(body).removeprefix(BYTE_ORDER_MARK)

    def _make_room(self, upload: BodyUpload) -> bool:
        """Cut off uploads that are slower than this one, the slowest first, until the limit is met."""
        now = asyncio.get_running_loop().time()
        slower = [
            other
            for other in self._uploads
            if other.body
            and not other.timeout.expired()
            and now - other.since >= self._grace
            and other.speed(now) < upload.speed(now)
        ]
        for other in sorted(slower, key=lambda other: other.speed(now)):
            if self._held <= self._most:
                break
            self._held -= len(other.body)
            other.body.clear()
            other.is_cut_off = True
            other.timeout.reschedule(now)
        return self._held <= self._most


def _refused(status: int, error: ErrorType, sentence: str) -> Response:
    log.warning("http: %s", sentence)
    return Response(refusal(0, error, sentence).to_bytes(), status, media_type="application/json")


def connector_app(
    service: ConnectorService, longest: int = LONGEST, timeout: float = BODY_TIMEOUT, most: int | None = None
) -> Starlette:
    """Return the application. `longest` limits one request body in bytes, and `most` all of them together.

    By default `most` is twice `longest`.
    """
    bodies = BodyReader(longest, 2 * longest if most is None else most)

    async def greet(request: Request) -> Response:
        return PlainTextResponse(GREETING)

    async def scoring_program(request: Request) -> Response:
        # A web page in a browser on this computer could post here; browsers send Origin, programs do not.
        if "origin" in request.headers:
            return _refused(403, ErrorType.Validation, "Web pages are not served here.")
        async with bodies.reading(request, timeout) as body:
            if isinstance(body, Response):
                return body
            answer = await service.answer(body, CALLER)
        return Response(answer.text, media_type="application/json")

    return Starlette(
        routes=[Route("/", greet, methods=["GET"]), Route(PATH, scoring_program, methods=["POST"])]
    )
