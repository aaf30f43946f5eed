"""The Data Connector over HTTP, for the clients that came with version 5 of the control software."""

import asyncio
import logging

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from overtrick import __version__
from overtrick.connector.lines import BYTE_ORDER_MARK, LONGEST
from overtrick.connector.service import Service
from overtrick.connector.task import Caller
from overtrick.connector.wire.envelope import refusal
from overtrick.connector.wire.numbers import ErrorType

log = logging.getLogger(__name__)

PORT = 5079
PATH = "/dc-scoringprogram"
GREETING = f"Bridgemate dataconnector service version 5.0 (Overtrick {__version__})"
"""What a client looks for before it sends anything: the words before the number."""

PATIENCE = 60.0
"""Seconds that a client may take to send a request: what it has sent so far is kept in memory until then."""

CALLER = Caller(is_local=False)


async def _whole(request: Request, longest: int) -> bytes | None:
    """The body, or None when there is more of it than can be."""
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > longest:
            return None
    return bytes(body).removeprefix(BYTE_ORDER_MARK)


def _refused(status: int, error: ErrorType, sentence: str) -> Response:
    log.warning("http: %s", sentence)
    return Response(refusal(0, error, sentence).to_bytes(), status, media_type="application/json")


def connector_app(service: Service, longest: int = LONGEST, patience: float = PATIENCE) -> Starlette:
    """The application that a server runs."""

    async def greet(request: Request) -> Response:
        return PlainTextResponse(GREETING)

    async def scoring_program(request: Request) -> Response:
        # A page in a browser on this computer could post here too; it says where it comes from, a program does not.
        if "origin" in request.headers:
            return _refused(403, ErrorType.Validation, "Web pages are not served here.")
        try:
            async with asyncio.timeout(patience):
                body = await _whole(request, longest)
        except TimeoutError:
            return _refused(408, ErrorType.TimeOut, f"A request is sent within {patience:g} seconds.")
        if body is None:
            return _refused(413, ErrorType.Validation, f"A request has at most {longest} bytes.")
        answer = await service.answer(body, CALLER)
        return Response(answer.text, media_type="application/json")

    return Starlette(
        routes=[Route("/", greet, methods=["GET"]), Route(PATH, scoring_program, methods=["POST"])]
    )
