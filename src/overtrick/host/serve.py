"""`overtrick serve`: one journal and writer, the Data Connector on its pipe and over HTTP, and the pages."""

import asyncio
import contextlib
import logging
import signal
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from secrets import token_hex
from uuid import uuid4

from overtrick.connector.address import PORT, pipe_path
from overtrick.connector.dispatch import Answer, ConnectorService, Dispatcher
from overtrick.connector.http import CONNECTIONS, connector_app
from overtrick.connector.pipe import PipeSlot, PipeTaken, open_pipe
from overtrick.connector.pipe_framing import LONGEST
from overtrick.connector.projection import ConnectorProjection, command_id
from overtrick.connector.queue import SCORING
from overtrick.connector.request_context import Caller, ChangeRequest, HostServices, WriteOutcome
from overtrick.connector.wire.numbers import Numbering
from overtrick.event import Command, Order
from overtrick.host.control_launcher import ControlLauncher
from overtrick.host.gc_tuning import rare_collection
from overtrick.host.http_server import PortTaken, open_server
from overtrick.host.instance_lock import is_controlled
from overtrick.host.lookup import open_data
from overtrick.host.program import HostedProgram
from overtrick.host.runtime import RuntimeWriter, runtime_writer
from overtrick.host.scoring_file import scoring_file
from overtrick.host.web import PageServerSettings, open_pages, open_writer
from overtrick.host.writer import Submission
from overtrick.keys import KeyRing
from overtrick.store import Journal
from overtrick.store.sessions import SessionList
from overtrick.web.about_pages import Service

log = logging.getLogger(__name__)

LOCAL = Caller()


@dataclass(frozen=True, slots=True)
class ServeSettings:
    """Settings of `overtrick serve`."""

    folder: Path | str
    """The folder of the journal and the keys, or the address of the database that has them."""
    port: int | None = PORT
    """None serves no HTTP; 0 takes any free port."""
    address: str = "127.0.0.1"
    pipe: str | None = None
    """The path of the pipe; None serves none."""
    numbering: Numbering = Numbering.SHIPPED
    web: PageServerSettings | None = None
    """Settings of the pages; None serves none."""
    control: bool = True
    """True if an order starts the control software; else somebody else has to run it."""
    is_connector_needed: bool = True
    """False if the pages are served also if another program has the Data Connector's pipe or port."""
    longest: int = LONGEST
    """Bytes that one request of the Data Connector may have."""

    @staticmethod
    def pipe_of(user: str | None) -> str:
        """Return the path of a user's pipe."""
        return pipe_path(user)


@contextlib.asynccontextmanager
async def connector_service(
    journal: Journal, writer: RuntimeWriter, settings: ServeSettings
) -> AsyncIterator[ConnectorService]:
    """Serve the Data Connector on a journal and its one writer while the block runs."""
    projection = ConnectorProjection(journal)

    session_list = SessionList(journal)

    def is_wanted() -> bool:
        with writer.reading() as state:
            events = [state.event(guid) for guid in session_list.running_events()]
            return any(event is not None and Order.START in event.orders for event in events)

    control = ControlLauncher(journal, is_wanted) if settings.control else None

    def ordered(orders: tuple[Order, ...]) -> None:
        if Order.START in orders and control is not None:
            control.start()

    run_id, request_numbers = token_hex(6), count(1)

    def write(change: ChangeRequest) -> WriteOutcome:
        unique = f"{run_id}{next(request_numbers):08x}"
        submission: Submission[Command] = Submission(
            change.command, command_id(change.digest, unique), SCORING, change.actor
        )
        return writer.write(submission)

    host = HostServices(
        now=lambda: datetime.now(UTC),
        new_id=lambda: uuid4().hex,
        write=write,
        scoring_file=lambda: scoring_file(journal),
        data_folder=settings.folder if isinstance(settings.folder, Path) else None,
        ordered=ordered,
        is_controlled=lambda: control.is_running if control is not None else is_controlled(journal),
        licences=KeyRing(journal.documents).licences,
    )

    service = ConnectorService(Dispatcher(projection, host), settings.numbering)
    if control is not None and projection.running():
        control.start()
    try:
        yield service
    finally:
        await asyncio.to_thread(service.close)
        if control is not None:
            await asyncio.to_thread(control.end)


async def serve(
    settings: ServeSettings, ready: Callable[[list[str]], None], stop: asyncio.Event | None = None
) -> None:
    """Serve until `stop` is set or a signal comes; call `ready` with the addresses when everything is open."""
    stop = stop or asyncio.Event()
    async with contextlib.AsyncExitStack() as stack:
        journal = stack.enter_context(open_data(settings.folder))
        writer = runtime_writer(journal)
        # Without pages, the control software analyses deals, in its own process.
        evaluates = settings.web is not None
        writing = await stack.enter_async_context(open_writer(journal, writer, evaluates=evaluates))
        service = await stack.enter_async_context(connector_service(journal, writer, settings))
        addresses: list[str] = []
        program = HostedProgram(settings.folder, stop)
        pipe: PipeSlot | None = None

        def answer(line: bytes) -> Answer:
            return service.answer_in_this_thread(line, LOCAL)

        @contextlib.contextmanager
        def showing(name: str) -> Iterator[list[str]]:
            """Show a service of the Data Connector at the desk, or the problem if the service may be missing."""
            opened: list[str] = []
            try:
                yield opened
            except (PipeTaken, PortTaken) as taken:
                if settings.is_connector_needed:
                    raise
                log.warning("%s", taken)
                program.services.append(Service(name, "", taken.sentence))
            else:
                program.services.append(Service(name, opened[0]))
                addresses.extend(opened)

        if settings.pipe is not None:
            with showing("Data Connector, pipe") as found:
                opened = open_pipe(settings.pipe, answer, longest=settings.longest)
                pipe = await stack.enter_async_context(opened)
                found.append(settings.pipe)
        if settings.port is not None:
            with showing("Data Connector, HTTP") as found:
                app = connector_app(service, settings.longest)
                http = open_server(app, settings.address, settings.port, connections=CONNECTIONS)
                found.append(await stack.enter_async_context(http))
        if settings.web is not None:
            pages = open_pages(journal, writing, settings.web, pipe, program)
            addresses.append(await stack.enter_async_context(pages))
        stop_on_signals(stop)
        stack.enter_context(rare_collection())
        ready(addresses)
        await stop.wait()
        log.info("stopping")


def stop_on_signals(stop: asyncio.Event) -> None:
    """Set the event on SIGTERM and SIGINT."""
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        if sys.platform == "win32":
            signal.signal(number, lambda *_: loop.call_soon_threadsafe(stop.set))
        else:
            with contextlib.suppress(RuntimeError, ValueError):  # only the main thread has signals
                loop.add_signal_handler(number, stop.set)
