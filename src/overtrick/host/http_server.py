"""One HTTP server for an application, on a port of this computer, while a block runs."""

import asyncio
import contextlib
import errno
import ipaddress
import logging
import socket
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from overtrick.errors import OvertrickError

log = logging.getLogger(__name__)

PATIENCE = 5
"""Seconds that requests have to end when the server stops."""

SILENCE = 5.0
"""Seconds after an answer during which a connection without a request keeps its place when others come."""

MOMENT = 0.5
"""Seconds that a connection has to send its request before it may have to make room for another one."""

HEADER_TIME = 10.0
"""Seconds that a connection has to send the head of a request, from when it came or from the request's first byte."""

BODY_TIME = 30.0
"""Seconds that a connection has for a whole request, besides one second for every `BODY_RATE` bytes that came."""

BODY_RATE = 50_000

CONNECTIONS = 4_000
"""Connections that a server takes at a time, unless it is told another number: phones and viewers of a large event."""

OF_ONE_ADDRESS = 500
"""Connections of one address, which may be a whole club behind one router; this computer itself may have all."""

KEPT_FILES = 128
"""Files that a process needs besides its connections."""

UNAVAILABLE = b"HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"


STOPPED_RECEIVING = "The server stops before all of this has come; nothing was changed."
STOPPED_WORKING = "The server stops, and it is not known whether this was done. Sending it again is safe."

ENOUGH_FILES = 10_000
"""Files and connections that are enough for every phone and every viewer of an event."""
MOST_UNSENT = 64 * 1024
"""Bytes that the system holds for a reader before we hold them."""


class PortTaken(OvertrickError):
    """The port cannot be listened on; nothing was changed."""

    code = "port-taken"


def listen(address: str, port: int) -> socket.socket:
    """A listening socket for HTTP."""
    try:
        family = socket.getaddrinfo(address, port, type=socket.SOCK_STREAM)[0][0]
        # Named as TCP, or asyncio does not send small answers at once, and each waits 40 ms for a delayed ACK.
        listening = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if hasattr(socket, "TCP_NOTSENT_LOWAT"):
            # What a slow reader has not taken waits here, where it can be left out for something newer.
            listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NOTSENT_LOWAT, MOST_UNSENT)
        listening.bind((address, port))
        # Two sockets may be bound to a port at the same time; only one can listen.
        listening.listen(socket.SOMAXCONN)
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            raise PortTaken(
                f"Port {port} of {address} is in use already, perhaps by an Overtrick that runs: "
                "stop that one, or choose another port."
            ) from error
        raise PortTaken(f"Port {port} of {address} cannot be served: {error.strerror or error}.") from error
    return listening


def is_worth_telling(record: logging.LogRecord) -> bool:
    """Nothing is wrong with a client that offers another protocol and is served with this one."""
    return not record.getMessage().startswith(("Unsupported upgrade", "No supported WebSocket library"))


def beside(listening: socket.socket) -> list[socket.socket]:
    """The same port of the other address that `localhost` stands for, if it is to be had.

    Many clients try that one first, and Windows takes seconds to say that nobody listens there.
    """
    host, port = listening.getsockname()[:2]
    if host != "127.0.0.1":
        return []
    try:
        return [listen("::1", port)]
    except PortTaken as taken:
        log.info("http: %s", taken)
        return []


@dataclass(frozen=True, slots=True)
class ConnectionLimits:
    """The connections that a server takes, and the time that each has."""

    most: int
    of_one_address: int
    silence: float = SILENCE
    moment: float = MOMENT
    header_time: float = HEADER_TIME
    body_time: float = BODY_TIME
    unlimited: frozenset[str] = frozenset()
    """Addresses that may have all connections: those of proxies, through which many come."""


def bounded(protocol: type[Any], limits: ConnectionLimits) -> type[Any]:
    """Return a protocol of uvicorn's with at most so many connections at a time, and so many of one address.

    Whoever comes when all are taken gets the place of the one that is slowest in sending its request, or that has been
    silent for long after an answer. Only when all are at work are newcomers told to come back. When one address has
    all that it may have, the same is done among its own connections.
    """

    class Bounded(protocol):  # type: ignore[misc]
        is_leaving = False
        is_answered = False
        """True if it has had an answer."""
        received = 0
        """Bytes since then."""
        host = ""
        """The address that it comes from; empty for this computer itself."""

        def connection_made(self, transport: asyncio.Transport) -> None:
            self.since = self.loop.time()
            self.host = host_of(transport)
            taken = [each for each in self.connections if not each.is_leaving]
            is_limited = self.host and self.host not in limits.unlimited
            own = [each for each in taken if each.host == self.host] if is_limited else []
            if len(own) >= limits.of_one_address:
                whose, places = own, f"all {limits.of_one_address} connections of one address"
            elif len(taken) >= limits.most:
                whose, places = taken, f"all {limits.most} connections"
            else:
                super().connection_made(transport)
                return
            slowest = find_slowest(whose, self.since)
            if slowest is None:
                log.warning("http: %s are in use; another one was turned away", places)
                transport.set_protocol(asyncio.Protocol())
                transport.write(UNAVAILABLE)
                transport.close()
                return
            log.warning(
                "http: %s are taken; one that sent %d bytes in %.1f seconds was closed",
                places,
                slowest.received,
                self.since - slowest.since,
            )
            slowest.leave()
            super().connection_made(transport)

        def leave(self) -> None:
            """Close the connection without waiting: whatever the other side has not read it never will."""
            self.is_leaving = True
            self.transport.abort()

        def may_leave(self, now: float) -> bool:
            """Return whether it has had its time to ask for something."""
            if self.is_sending:
                return bool(now - self.since >= limits.moment)
            return not self._is_at_work and bool(now - self.since >= limits.silence)

        def is_overdue(self, now: float) -> bool:
            """Return whether the head or the body of its request has been awaited for long enough."""
            if self.is_leaving or not self.is_sending:
                return False
            is_body = self.cycle is not None and not self.cycle.response_complete
            time = limits.body_time + self.received / BODY_RATE if is_body else limits.header_time
            return bool(now - self.since >= time)

        @property
        def _is_at_work(self) -> bool:
            return self.cycle is not None and not self.cycle.response_complete and not self.cycle.more_body

        @property
        def is_sending(self) -> bool:
            """True if a request is to come, or to come to its end; one that was answered may be silent for longer."""
            return not self._is_at_work and (self.received > 0 or not self.is_answered)

        def data_received(self, chunk: bytes) -> None:
            if self.is_answered and not self.received:
                self.since = self.loop.time()
            self.received += len(chunk)
            super().data_received(chunk)

        def on_response_complete(self) -> None:
            self.since, self.received, self.is_answered = self.loop.time(), 0, True
            super().on_response_complete()

    return Bounded


def find_slowest(taken: list[Any], now: float) -> Any:
    """Return the connection to close: by bytes a second, once it has had a moment to send them; None if all work."""
    waited = [each for each in taken if each.may_leave(now)]
    if waited:
        return min(waited, key=lambda each: (each.received / (now - each.since), each.since))
    # So many come that none has had its moment: whoever means it has asked before as many others are here.
    return min((each for each in taken if each.is_sending), key=lambda each: each.since, default=None)


def host_of(transport: asyncio.BaseTransport) -> str:
    """Return the address at the other end of a connection; an empty text where that is this computer."""
    peer = transport.get_extra_info("peername")
    host = str(peer[0]) if peer else ""
    try:
        return "" if ipaddress.ip_address(host.partition("%")[0]).is_loopback else host
    except ValueError:
        return ""


async def close_overdue(connections: set[Any]) -> None:
    """Close the connections whose requests do not come, once a second, for ever."""
    loop = asyncio.get_running_loop()
    while True:
        await asyncio.sleep(min(1.0, HEADER_TIME / 4))
        overdue = [each for each in connections if each.is_overdue(loop.time())]
        for each in overdue:
            log.warning("http: a connection whose request did not come in time was closed")
            each.leave()


def allow_connections(wanted_connections: int) -> int:
    """Let this process hold so many connections, or as many as the system lets it; return how many those are.

    Some systems begin with a thousand files. When none is left, accepting fails again and again and fills the log.
    """
    try:
        import resource
    except ImportError:
        return wanted_connections
    now, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    if now != resource.RLIM_INFINITY and (most == resource.RLIM_INFINITY or now < most):
        wanted = ENOUGH_FILES if most == resource.RLIM_INFINITY else min(most, max(now, ENOUGH_FILES))
        with contextlib.suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, most))
    now = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    if now == resource.RLIM_INFINITY:
        return wanted_connections
    return max(1, min(wanted_connections, now - KEPT_FILES))


class StoppableApp:
    """An application whose requests end when the server stops: each is answered, and none as an error of ours.

    A request of which a part is still to come is not waited for, because it may never come. One that is being worked
    on has the server's patience; when that is over, what it has started may still happen.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._receiving: set[asyncio.Task[Any]] = set()
        """The tasks that wait for the rest of a request."""
        self._is_stopping = False

    def stop(self) -> None:
        """Wait for no request any more."""
        self._is_stopping = True
        for task in self._receiving:
            task.cancel()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        is_whole = has_started = False

        async def receive_rest() -> Message:
            nonlocal is_whole
            task = asyncio.current_task()
            if is_whole or task is None:
                return await receive()
            if self._is_stopping:
                raise asyncio.CancelledError
            self._receiving.add(task)
            try:
                message = await receive()
            finally:
                self._receiving.discard(task)
            is_whole = not message.get("more_body", False)
            return message

        async def answer(message: Message) -> None:
            nonlocal has_started
            has_started = True
            await send(message)

        try:
            await self._app(scope, receive_rest, answer)
        except asyncio.CancelledError:
            if has_started:
                return  # the connection is closed in the middle of the answer, which tells the client enough
            sentence = STOPPED_WORKING if is_whole else STOPPED_RECEIVING
            headers = [(b"content-type", b"text/plain; charset=utf-8"), (b"connection", b"close")]
            await send({"type": "http.response.start", "status": 503, "headers": headers})
            await send({"type": "http.response.body", "body": sentence.encode()})


@contextlib.asynccontextmanager
async def open_server(
    app: ASGIApp,
    address: str,
    port: int,
    closing: Callable[[], Awaitable[None]] | None = None,
    connections: int = CONNECTIONS,
    proxies: tuple[str, ...] = (),
) -> AsyncIterator[str]:
    """Serve an application while the block runs; its address. `closing` ends what would go on for ever.

    `connections` is how many there may be at a time. Requests from `proxies` count for the addresses that
    X-Forwarded-For names.
    """
    import uvicorn

    most = allow_connections(connections)
    listening = listen(address, port)
    sockets = [listening, *beside(listening)]

    class Server(uvicorn.Server):
        """Signals are the host's business."""

        @contextlib.contextmanager
        def capture_signals(self):  # type: ignore[no-untyped-def]
            yield

    logging.getLogger("uvicorn.error").addFilter(is_worth_telling)
    stoppable = StoppableApp(app)
    config = uvicorn.Config(
        stoppable,
        # Java's clients offer HTTP/2 with every request; uvicorn's other parser then loses what they post.
        http="h11",
        log_config=None,
        access_log=False,
        lifespan="off",
        server_header=False,
        proxy_headers=bool(proxies),
        forwarded_allow_ips=list(proxies),
        timeout_graceful_shutdown=PATIENCE,
    )
    config.load()
    limits = ConnectionLimits(
        most, OF_ONE_ADDRESS, SILENCE, MOMENT, HEADER_TIME, BODY_TIME, frozenset(proxies)
    )
    config.http_protocol_class = bounded(config.http_protocol_class, limits)
    server = Server(config)
    running = asyncio.create_task(server.serve(sockets=sockets), name="overtrick-http")
    closing_overdue = asyncio.create_task(
        close_overdue(server.server_state.connections), name="overtrick-http-time"
    )
    try:
        while not server.started and not running.done():
            await asyncio.sleep(0.005)
        if running.done():
            running.result()  # raises the error that ended it
        host, taken = listening.getsockname()[:2]
        yield f"http://[{host}]:{taken}" if ":" in host else f"http://{host}:{taken}"
    finally:
        if closing is not None:
            await closing()
        stoppable.stop()
        server.should_exit = True
        await running
        closing_overdue.cancel()
        for each in sockets:
            each.close()
