"""One HTTP server for an application, on a port of this computer, while a block runs."""

import asyncio
import contextlib
import socket
from collections.abc import AsyncIterator, Awaitable, Callable

from starlette.types import ASGIApp

from overtrick.errors import OvertrickError

PATIENCE = 5
"""Seconds that requests have to end when the server stops."""


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
        listening.bind((address, port))
    except OSError as error:
        raise PortTaken(f"Port {port} of {address} cannot be served: {error.strerror or error}.") from error
    return listening


@contextlib.asynccontextmanager
async def open_server(
    app: ASGIApp, address: str, port: int, closing: Callable[[], Awaitable[None]] | None = None
) -> AsyncIterator[str]:
    """Serve an application while the block runs; its address. `closing` ends what would go on for ever."""
    import uvicorn

    listening = listen(address, port)

    class Server(uvicorn.Server):
        """Signals are the host's business."""

        @contextlib.contextmanager
        def capture_signals(self):  # type: ignore[no-untyped-def]
            yield

    config = uvicorn.Config(
        app,
        log_config=None,
        access_log=False,
        lifespan="off",
        server_header=False,
        proxy_headers=False,
        timeout_graceful_shutdown=PATIENCE,
    )
    server = Server(config)
    running = asyncio.create_task(server.serve(sockets=[listening]), name="overtrick-http")
    try:
        while not server.started and not running.done():
            await asyncio.sleep(0.005)
        host, taken = listening.getsockname()[:2]
        yield f"http://[{host}]:{taken}" if ":" in host else f"http://{host}:{taken}"
    finally:
        if closing is not None:
            await closing()
        server.should_exit = True
        await running
        listening.close()
