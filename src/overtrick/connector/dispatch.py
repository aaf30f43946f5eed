"""Dispatch of requests, for all transports: parse one, identify its client, call the handler, return the answer.

Has no dependency on sockets. A client has one request in progress at a time; a second one is answered Busy. A transport
with a thread per client calls `ConnectorService.answer_here`. A transport in an event loop awaits `answer`, which runs
the request in a small thread pool, so that no connection waits for another client's request or for the disk.
"""

import asyncio
import hashlib
import logging
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from overtrick.connector.from_wire import RequestRejected
from overtrick.connector.handlers import HANDLERS
from overtrick.connector.projection import ConnectorProjection
from overtrick.connector.queue import PROGRAM
from overtrick.connector.request_context import Caller, HostServices, RequestContext
from overtrick.connector.wire.envelope import Request, Response, parse_request, refusal
from overtrick.connector.wire.model import UnreadableDTO
from overtrick.connector.wire.numbers import ErrorType, Numbering, WireCommand
from overtrick.connector.wire.reading import MalformedRequest
from overtrick.errors import BadInput, OvertrickError

log = logging.getLogger(__name__)

LONGEST_CLUB = 64
"""Characters of a ClubId at most."""

THREADS = 8
"""Requests over HTTP that run at the same time; the next ones wait."""

MOST_LOGGED = 2000
"""Characters of a request or an answer in the debug log."""


class Dispatcher:
    """The entry point for requests of all clients, from any thread; each client has one at a time."""

    def __init__(self, projection: ConnectorProjection, host: HostServices) -> None:
        self.projection = projection
        self.host = host
        self._busy: set[str] = set()
        self._busy_lock = threading.Lock()
        """Guards `_busy`."""
        self._projection_lock = threading.Lock()
        """Held by the thread that reads the projection or updates it."""

    def answer(self, line: bytes, caller: Caller) -> Response:
        """Return the response to a request. What it changed is durable by then."""
        try:
            request = parse_request(line)
        except MalformedRequest as error:
            return refusal(error.number, error.error, error.sentence, error.session)
        try:
            actor = self._actor(request, caller)
            with self._busy_lock:
                if actor in self._busy:
                    raise RequestRejected(
                        ErrorType.Busy, "An earlier request is still in progress; please try again."
                    )
                self._busy.add(actor)
            try:
                digest = hashlib.sha256(line).hexdigest()[:32]
                context = RequestContext(
                    request, caller, actor, digest, self.projection, self._projection_lock, self.host
                )
                return HANDLERS[request.command](context)
            finally:
                self._busy.discard(actor)
        except Exception as error:
            return refusal(request.command, *_error_answer(error, request), request.session)

    def _actor(self, request: Request, caller: Caller) -> str:
        """Return the actor of a request for the journal; raise RequestRejected for a wrong licence key."""
        club = request.club
        if len(club) > LONGEST_CLUB or not (club.isprintable() or not club):
            raise RequestRejected(
                ErrorType.Validation, f"ClubId has at most {LONGEST_CLUB} printable characters."
            )
        if caller.is_local:
            return PROGRAM
        if self.host.licences.get(club, request.licence) != request.licence:
            raise RequestRejected(ErrorType.Validation, f"The LicenceKey is not that of club {club}.")
        return f"{PROGRAM} of {club}" if club else f"{PROGRAM} over HTTP"


def _error_answer(error: Exception, request: Request) -> tuple[ErrorType, str]:
    """Return the error type and the sentence for the response."""
    if isinstance(error, MalformedRequest | RequestRejected):
        return error.error, error.sentence
    if isinstance(error, UnreadableDTO | BadInput):
        return ErrorType.Validation, str(error)
    if isinstance(error, OvertrickError):
        log.error("request %s failed: %s", request.command, error)
        return ErrorType.Exception, str(error)
    log.error("request %s failed", request.command, exc_info=error)
    return ErrorType.Exception, "The request failed; see the log."


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

    def answer_in_this_thread(self, line: bytes, caller: Caller) -> Answer:
        """Answer one request in the calling thread."""
        _log_excerpt("request", line)
        response = self._dispatcher.answer(line, caller)
        text = response.to_bytes(self._numbering)
        _log_excerpt("answer", text)
        return Answer(text, response.command == WireCommand.Disconnect and not response.is_error)

    async def answer(self, line: bytes, caller: Caller) -> Answer:
        """Answer one request in the thread pool; it is completed even if its client disconnects meanwhile."""
        return await asyncio.get_running_loop().run_in_executor(
            self._pool, self.answer_in_this_thread, line, caller
        )


def _log_excerpt(label: str, text: bytes) -> None:
    """Log a request or an answer at debug level."""
    if log.isEnabledFor(logging.DEBUG):
        whole = text.decode("utf-8", "replace")
        excerpt = whole if len(whole) <= MOST_LOGGED else f"{whole[:MOST_LOGGED]}… ({len(text)} bytes)"
        log.debug("%s %s", label, excerpt)
