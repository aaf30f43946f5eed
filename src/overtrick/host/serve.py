"""`overtrick serve`: the journal, the one writer, and the Data Connector on its pipe and over HTTP."""

import asyncio
import contextlib
import logging
import signal
import socket
import sys
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from uuid import uuid4

from overtrick.connector.dispatch import Dispatcher
from overtrick.connector.http import PORT, connector_app
from overtrick.connector.mirror import Mirror, command_id
from overtrick.connector.pipe import open_pipe, pipe_path
from overtrick.connector.queue import SCORING
from overtrick.connector.service import Answer, Service
from overtrick.connector.task import Caller, Change, Ground, Outcome
from overtrick.connector.wire.numbers import Numbering
from overtrick.errors import OvertrickError
from overtrick.event import Command, House, Order, Rejection
from overtrick.host.house import house_writer
from overtrick.host.writer import Submission, WriterLoop
from overtrick.store import Journal, open_journal
from overtrick.store.codec import event_codec

log = logging.getLogger(__name__)

JOURNAL = "overtrick.journal"
"""The name of the journal in a data folder."""


class PortTaken(OvertrickError):
    """The port cannot be listened on; nothing was changed."""

    code = "port-taken"


@dataclass(frozen=True, slots=True)
class Serving:
    """Where and how to serve."""

    folder: Path
    port: int | None = PORT
    """None serves no HTTP; 0 takes any free port."""
    address: str = "127.0.0.1"
    pipe: str | None = None
    """The path of the pipe; None serves none."""
    numbering: Numbering = Numbering.SHIPPED

    @staticmethod
    def pipe_of(user: str | None) -> str:
        """The path of a user's pipe."""
        return pipe_path(user)


@contextlib.asynccontextmanager
async def connector_service(journal: Journal, serving: Serving) -> AsyncIterator[Service]:
    """The Data Connector on a journal, with a writer of its own, while the block runs."""
    mirror = Mirror(journal)
    await asyncio.to_thread(mirror.catch_up)
    ground = Ground(
        now=lambda: datetime.now(UTC),
        new_id=lambda: uuid4().hex,
        scoring_file=journal.name,
        data_folder=serving.folder,
        ordered=_log_as_ordered,
    )
    writer: WriterLoop[House, Command, Rejection] = WriterLoop(house_writer(journal))
    async with writer:

        async def submit(change: Change) -> Outcome:
            unique = command_id(change.digest, uuid4().hex)
            return await writer.submit(Submission(change.command, unique, SCORING, change.actor))

        service = Service(Dispatcher(mirror, ground), submit, serving.numbering)
        try:
            yield service
        finally:
            service.close()


def _log_as_ordered(orders: tuple[Order, ...]) -> None:
    """A scoring program may order each request and answer to be logged; the rest is for the control software."""
    if Order.LOG_EVERYTHING in orders:
        logging.getLogger("overtrick").setLevel(logging.DEBUG)


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
async def open_http(service: Service, serving: Serving) -> AsyncIterator[str]:
    """Serve HTTP while the block runs; its address."""
    import uvicorn

    assert serving.port is not None
    listening = listen(serving.address, serving.port)

    class Server(uvicorn.Server):
        """Signals are the host's business."""

        @contextlib.contextmanager
        def capture_signals(self):  # type: ignore[no-untyped-def]
            yield

    config = uvicorn.Config(
        connector_app(service), log_config=None, access_log=False, lifespan="off", server_header=False
    )
    server = Server(config)
    running = asyncio.create_task(server.serve(sockets=[listening]), name="overtrick-http")
    try:
        while not server.started and not running.done():
            await asyncio.sleep(0.005)
        host, port = listening.getsockname()[:2]
        yield f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
    finally:
        server.should_exit = True
        await running
        listening.close()


async def serve(
    serving: Serving, ready: Callable[[list[str]], None], stop: asyncio.Event | None = None
) -> None:
    """Serve until told to stop; `ready` hears the addresses when everything is open."""
    stop = stop or asyncio.Event()
    serving.folder.mkdir(parents=True, exist_ok=True)
    async with contextlib.AsyncExitStack() as house:
        journal = house.enter_context(open_journal(serving.folder / JOURNAL, event_codec()))
        service = await house.enter_async_context(connector_service(journal, serving))
        addresses = []

        async def answer(line: bytes) -> Answer:
            return await service.answer(line, Caller())

        if serving.pipe is not None:
            await house.enter_async_context(open_pipe(serving.pipe, answer))
            addresses.append(serving.pipe)
        if serving.port is not None:
            addresses.append(await house.enter_async_context(open_http(service, serving)))
        _stop_on_signals(stop)
        ready(addresses)
        await stop.wait()
        log.info("stopping")


def _stop_on_signals(stop: asyncio.Event) -> None:
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        if sys.platform == "win32":
            signal.signal(number, lambda *_: loop.call_soon_threadsafe(stop.set))
        else:
            with contextlib.suppress(RuntimeError, ValueError):  # only the main thread has signals
                loop.add_signal_handler(number, stop.set)
