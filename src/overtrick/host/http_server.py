"""HTTP server (uvicorn) for one ASGI application, with limits on connections and on the time of a request."""

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

SHUTDOWN_TIMEOUT = 5
"""Seconds that requests have to end when the server stops."""

IDLE_GRACE = 5.0
"""Seconds after a response during which an idle connection is not closed in favour of a new one."""

REQUEST_GRACE = 0.5
"""Seconds that a connection has to send its request before it may be closed in favour of a new one."""

HEADER_TIMEOUT = 10.0
"""Seconds that a client has to send the head of a request, from connecting or from the request's first byte."""

BODY_TIMEOUT = 30.0
"""Seconds that a client has to send a whole request, plus one second for every `BODY_RATE` bytes received."""

BODY_RATE = 50_000

CONNECTIONS = 4_000
"""Connections at a time by default: enough for the phones and viewers of a large event."""

CONNECTIONS_PER_ADDRESS = 500
"""Connections from one address, which may be a whole club behind one router. Loopback has no such limit."""

KEPT_FILES = 128
"""File descriptors that a process needs besides its connections."""

UNAVAILABLE = b"HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"


STOPPED_RECEIVING = "The server is stopping, and the request was incomplete. Nothing was changed."
STOPPED_WORKING = (
    "The server is stopping, and this may or may not have been done. It is safe to send it again."
)

ENOUGH_FILES = 10_000
"""File descriptors that are enough for every phone and every viewer of an event."""
MOST_UNSENT = 64 * 1024
"""Unsent bytes in the kernel's buffer of a connection, before they stay in ours."""


class PortTaken(OvertrickError):
    """Error: the port cannot be listened on. Nothing was changed."""

    code = "port-taken"


def listen(address: str, port: int) -> socket.socket:
    """Return a listening TCP socket; raise PortTaken if the port cannot be bound."""
    try:
        family = socket.getaddrinfo(address, port, type=socket.SOCK_STREAM)[0][0]
        # Named as TCP, or asyncio does not send small answers at once, and each waits 40 ms for a delayed ACK.
        listening = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if hasattr(socket, "TCP_NOTSENT_LOWAT"):
            # Keep unsent data in our own queue, where an update can be replaced by a newer one.
            listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NOTSENT_LOWAT, MOST_UNSENT)
        listening.bind((address, port))
        # Two sockets may be bound to a port at the same time; only one can listen.
        listening.listen(socket.SOMAXCONN)
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            raise PortTaken(
                f"Port {port} of {address} is already in use, perhaps by another Overtrick. "
                "Stop that one, or choose another port."
            ) from error
        raise PortTaken(f"Port {port} of {address} cannot be served: {error.strerror or error}.") from error
    return listening


def is_worth_logging(record: logging.LogRecord) -> bool:
    """Return False for log records about clients that offer another protocol: HTTP/1.1 serves them well."""
    return not record.getMessage().startswith(("Unsupported upgrade", "No supported WebSocket library"))


def ipv6_loopback(listening: socket.socket) -> list[socket.socket]:
    """Return a socket on the same port of `::1`, if it is free.

    Many clients try IPv6 first for `localhost`, and Windows needs seconds to refuse such a connection.
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
    """Limits on the number of connections and on the time that each has."""

    most: int
    per_address: int
    idle_grace: float = IDLE_GRACE
    request_grace: float = REQUEST_GRACE
    header_timeout: float = HEADER_TIMEOUT
    body_timeout: float = BODY_TIMEOUT
    unlimited: frozenset[str] = frozenset()
    """Addresses without a limit of their own: proxies, through which many clients come."""


def limited_protocol(protocol: type[Any], limits: ConnectionLimits) -> type[Any]:
    """Return a subclass of a uvicorn protocol that limits connections in total and for each address.

    When the limit is reached, a new connection replaces the one that is slowest in sending its request, or that has
    been idle for long after a response. Only when all connections are at work does a new one get status 503. At the
    limit of one address, the same is done among the connections of that address.
    """

    class Bounded(protocol):  # type: ignore[misc]
        is_evicted = False
        is_answered = False
        """True if at least one response was sent."""
        received = 0
        """Bytes received since the last response."""
        host = ""
        """The address of the client; empty for loopback."""

        def connection_made(self, transport: asyncio.Transport) -> None:
            self.since = self.loop.time()
            self.host = host_of(transport)
            active = [connection for connection in self.connections if not connection.is_evicted]
            is_limited = self.host and self.host not in limits.unlimited
            from_same_address = (
                [connection for connection in active if connection.host == self.host] if is_limited else []
            )
            if len(from_same_address) >= limits.per_address:
                candidates, limit = from_same_address, f"all {limits.per_address} connections of one address"
            elif len(active) >= limits.most:
                candidates, limit = active, f"all {limits.most} connections"
            else:
                super().connection_made(transport)
                return
            slowest = find_slowest(candidates, self.since)
            if slowest is None:
                log.warning("http: %s are in use; a new one was refused", limit)
                transport.set_protocol(asyncio.Protocol())
                transport.write(UNAVAILABLE)
                transport.close()
                return
            log.warning(
                "http: %s are taken; one that sent %d bytes in %.1f seconds was closed",
                limit,
                slowest.received,
                self.since - slowest.since,
            )
            slowest.evict()
            super().connection_made(transport)

        def evict(self) -> None:
            """Abort the connection; what the client has not read yet is lost."""
            self.is_evicted = True
            self.transport.abort()

        def may_be_evicted(self, now: float) -> bool:
            """Return whether the connection may be closed in favour of a new one."""
            if self.is_sending:
                return bool(now - self.since >= limits.request_grace)
            return not self._is_at_work and bool(now - self.since >= limits.idle_grace)

        def is_overdue(self, now: float) -> bool:
            """Return whether the head or the body of its request is overdue."""
            if self.is_evicted or not self.is_sending:
                return False
            is_body = self.cycle is not None and not self.cycle.response_complete
            time_limit = limits.body_timeout + self.received / BODY_RATE if is_body else limits.header_timeout
            return bool(now - self.since >= time_limit)

        @property
        def _is_at_work(self) -> bool:
            return self.cycle is not None and not self.cycle.response_complete and not self.cycle.more_body

        @property
        def is_sending(self) -> bool:
            """True if the server waits for a request or the rest of one, and not only for the next one."""
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


def find_slowest(connections: list[Any], now: float) -> Any:
    """Return the connection to close, the one with the fewest bytes a second; None if all are at work."""
    candidates = [connection for connection in connections if connection.may_be_evicted(now)]
    if candidates:
        return min(
            candidates,
            key=lambda connection: (connection.received / (now - connection.since), connection.since),
        )
    # A flood: no connection has had `request_grace` seconds yet. Close the oldest that has not sent its request.
    return min(
        (connection for connection in connections if connection.is_sending),
        key=lambda connection: connection.since,
        default=None,
    )


def host_of(transport: asyncio.BaseTransport) -> str:
    """Return the address of the client; an empty text for loopback."""
    peer = transport.get_extra_info("peername")
    host = str(peer[0]) if peer else ""
    try:
        return "" if ipaddress.ip_address(host.partition("%")[0]).is_loopback else host
    except ValueError:
        return ""


async def close_overdue(connections: set[Any]) -> None:
    """Close connections with overdue requests, once a second, until cancelled."""
    loop = asyncio.get_running_loop()
    while True:
        await asyncio.sleep(min(1.0, HEADER_TIMEOUT / 4))
        overdue = [connection for connection in connections if connection.is_overdue(loop.time())]
        for connection in overdue:
            log.warning("http: a connection whose request did not come in time was closed")
            connection.evict()


def allow_connections(wanted_connections: int) -> int:
    """Raise the limit of open files for a number of connections; return how many are possible.

    The default of some systems is about a thousand. Without a free file descriptor, accept() fails in a loop and fills
    the log.
    """
    try:
        import resource
    except ImportError:
        return wanted_connections
    now, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    if now != resource.RLIM_INFINITY and (most == resource.RLIM_INFINITY or now < most):
        limit = ENOUGH_FILES if most == resource.RLIM_INFINITY else min(most, max(now, ENOUGH_FILES))
        with contextlib.suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (limit, most))
    now = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    if now == resource.RLIM_INFINITY:
        return wanted_connections
    return max(1, min(wanted_connections, now - KEPT_FILES))


class StoppableApp:
    """ASGI middleware that answers every open request with status 503 when the server stops.

    Incomplete requests are cancelled at once, because the rest may never come. A request at work has `SHUTDOWN_TIMEOUT`
    seconds; after that, what it has started may still happen.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._receiving: set[asyncio.Task[Any]] = set()
        """Tasks that wait for the rest of a request."""
        self._is_stopping = False

    def stop(self) -> None:
        """Cancel all tasks that wait for the rest of a request."""
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
                return  # closing the connection in the middle of the response tells the client enough
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
    """Serve an application while the block runs; yield its address.

    `closing` is awaited before the server stops, to end streams that would never end. `connections` is the limit
    at a time. Requests from `proxies` count for the addresses that X-Forwarded-For names. Raise PortTaken if the port
    cannot be bound.
    """
    import uvicorn

    most = allow_connections(connections)
    listening = listen(address, port)
    sockets = [listening, *ipv6_loopback(listening)]

    class Server(uvicorn.Server):
        """Server that leaves signals to its caller."""

        @contextlib.contextmanager
        def capture_signals(self):  # type: ignore[no-untyped-def]
            yield

    logging.getLogger("uvicorn.error").addFilter(is_worth_logging)
    stoppable = StoppableApp(app)
    config = uvicorn.Config(
        stoppable,
        # Java clients offer an upgrade to HTTP/2 with every request; httptools then loses the body of a POST.
        http="h11",
        log_config=None,
        access_log=False,
        lifespan="off",
        server_header=False,
        proxy_headers=bool(proxies),
        forwarded_allow_ips=list(proxies),
        timeout_graceful_shutdown=SHUTDOWN_TIMEOUT,
    )
    config.load()
    limits = ConnectionLimits(
        most,
        CONNECTIONS_PER_ADDRESS,
        IDLE_GRACE,
        REQUEST_GRACE,
        HEADER_TIMEOUT,
        BODY_TIMEOUT,
        frozenset(proxies),
    )
    config.http_protocol_class = limited_protocol(config.http_protocol_class, limits)
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
        host, bound_port = listening.getsockname()[:2]
        yield f"http://[{host}]:{bound_port}" if ":" in host else f"http://{host}:{bound_port}"
    finally:
        if closing is not None:
            await closing()
        stoppable.stop()
        server.should_exit = True
        await running
        closing_overdue.cancel()
        for listener in sockets:
            listener.close()
