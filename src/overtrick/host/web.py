"""Server of the web pages, on the one journal and the one writer of the process."""

import asyncio
import contextlib
import ipaddress
import socket
import sys
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from overtrick.errors import BadInput, OvertrickError
from overtrick.event import Command, JournalState, Rejection
from overtrick.host.due_executor import CONTROL, executing_due
from overtrick.host.gc_tuning import rare_collection
from overtrick.host.http_server import open_server
from overtrick.host.lookup import open_data
from overtrick.host.runtime import Runtime, RuntimeWriter, runtime_writer
from overtrick.host.writer import Submission, WriterLoop
from overtrick.keys import KeyRing
from overtrick.store import Appended, Journal
from overtrick.store.address import place_without_password

if TYPE_CHECKING:
    from overtrick.connector.pipe import PipeSlot
    from overtrick.host.program import HostedProgram

PORT = 8080
LOOPBACK = "127.0.0.1"

SWITCH_INTERVAL = 0.0002
"""Seconds for `sys.setswitchinterval`. A write to a viewer may have to wait this long for a thread that renders a page.
Hundreds of viewers are served one after the other, for which Python's default of five milliseconds is too slow."""

RuntimeWriterLoop = WriterLoop[JournalState, Command, Rejection]


class NeedsPassword(OvertrickError):
    """Error: the desk needs a password before others can reach it. Nothing was opened."""

    code = "needs-password"


@dataclass(frozen=True, slots=True)
class PageServerSettings:
    """Settings of the server of the pages."""

    folder: Path | str
    """The folder of the journal and the keys, or the address of the database that has them."""
    port: int = PORT
    """0 takes any free port."""
    address: str = "127.0.0.1"
    public: str = ""
    """The address that browsers use, if it is another one: that of a load balancer or a proxy."""
    proxies: tuple[str, ...] = ()
    """The IP addresses of load balancers and proxies; their X-Forwarded-For is trusted."""

    publish_file: Path | None = None
    """The file with the folder and the command of publication; None for the one in the data folder."""
    start_key: str = ""
    """The key of the first visit, which sets the password; with one, the desk opens the network side when asked."""

    @property
    def publish_settings(self) -> Path:
        """Return the file with the settings of publication; with a database, that of the current folder."""
        from overtrick.host.publishing import SETTINGS

        return self.publish_file or (self.folder if isinstance(self.folder, Path) else Path()) / SETTINGS

    @property
    def is_open(self) -> bool:
        """Return whether other devices can connect."""
        return not (self.address == "localhost" or self.address == "::1" or self.address.startswith("127."))


def reachable_address(address: str) -> str:
    """Return the address by which other devices reach a server on `address`.

    For 0.0.0.0 and :: that is the address of the outgoing interface, or 127.0.0.1 without a network.
    """
    if address not in ("0.0.0.0", "::"):
        return address
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # UDP: nothing is sent, it only selects the outgoing interface
            return str(probe.getsockname()[0])
        except OSError:
            return LOOPBACK


def public_name(address: str) -> str:
    """Return the host name in the address that browsers use; an empty text without one. Raises BadInput.

    >>> public_name("https://Pages.example:8443/"), public_name("")
    ('pages.example', '')
    """
    if not address:
        return ""
    with contextlib.suppress(ValueError):
        parts = urlsplit(address)
        if parts.scheme in ("http", "https") and parts.hostname and not parts.path.strip("/"):
            return parts.hostname
    raise BadInput("The public address must look like http://pages.example, without a path.", where=address)


def check_proxies(proxies: tuple[str, ...]) -> None:
    """Raise BadInput for a proxy that is not an IP address: connections come from addresses, not from names."""
    for proxy in proxies:
        try:
            ipaddress.ip_address(proxy)
        except ValueError:
            raise BadInput("Name a proxy by its IP address, such as 192.0.2.10.", where=proxy) from None


@contextlib.asynccontextmanager
async def open_pages(
    journal: Journal,
    writing: RuntimeWriterLoop,
    serving: PageServerSettings,
    pipe: "PipeSlot | None" = None,
    program: "HostedProgram | None" = None,
) -> AsyncIterator[str]:
    """Serve the pages while the block runs; yield their address.

    The desk shows which program uses `pipe`, if there is one, and stops `program`. Raise NeedsPassword if
    others could reach a desk without a password.
    """
    from overtrick.host import publishing
    from overtrick.host.program import PhoneServer
    from overtrick.web.app import web_app
    from overtrick.web.session_projection import LiveSessions
    from overtrick.web.site import Site
    from overtrick.web.team_projection import LiveTeamEvents

    keys = KeyRing(journal.documents)
    if serving.is_open and not keys.has_password:
        raise NeedsPassword(
            "Other devices could reach the desk, and it has no password. "
            f"Set one with `overtrick desk password --journal {place_without_password(serving.folder)}`."
        )

    async def submit(command: Command, actor: str, command_id: str) -> Appended | Rejection:
        return await writing.submit(Submission(command, command_id, CONTROL, actor))

    own_names = (socket.gethostname(), f"{socket.gethostname()}.local", public_name(serving.public))
    check_proxies(serving.proxies)
    live, team_events = LiveSessions(journal), LiveTeamEvents(journal)
    names = frozenset(name.lower() for name in own_names if name)
    site = Site(
        live,
        submit,
        writing.read,
        keys,
        names=names,
        teams=team_events,
        publisher=publishing.SitePublisher(journal, serving.publish_settings),
        pipe=pipe,
        program=program,
        start_key=serving.start_key,
    )

    async def close() -> None:
        await live.close()
        await team_events.close()

    previous_interval = sys.getswitchinterval()
    sys.setswitchinterval(SWITCH_INTERVAL)
    try:
        app = web_app(site)
        server = open_server(app, serving.address, serving.port, closing=close, proxies=serving.proxies)
        async with server as address, contextlib.AsyncExitStack() as stack:
            if program is not None and serving.start_key:

                def show_address(phones: str) -> None:
                    site.address = phones

                def find_address() -> str:
                    reachable = reachable_address("0.0.0.0")
                    return reachable if keys.has_password and reachable != LOOPBACK else ""

                port = urlsplit(address).port or serving.port
                program.phones = PhoneServer(app, port, journal.documents, find_address, show_address)
                await stack.enter_async_context(program.phones.running(close))
            if serving.is_open:
                address = f"http://{reachable_address(serving.address)}:{address.rpartition(':')[2]}"
                site.address = address
            site.address = serving.public.rstrip("/") or site.address
            yield address
    finally:
        sys.setswitchinterval(previous_interval)
        await close()
        await asyncio.to_thread(site.plays.close)


@contextlib.asynccontextmanager
async def open_writer(
    journal: Journal, writer: RuntimeWriter | None = None, *, evaluates: bool = True
) -> AsyncIterator[RuntimeWriterLoop]:
    """Run the one writer of a journal while the block runs, and execute what is due in every session.

    With `evaluates`, deals are analysed too.
    """
    writer = writer or runtime_writer(journal)
    writing: RuntimeWriterLoop = WriterLoop(writer)
    async with writing:
        with executing_due(journal, writer, evaluates=evaluates):
            yield writing


async def serve_pages(serving: PageServerSettings, ready: Callable[[str], None], stop: asyncio.Event) -> None:
    """Serve the pages of a journal until told to stop."""
    from overtrick.host.program import HostedProgram

    async with contextlib.AsyncExitStack() as stack:
        journal = stack.enter_context(open_data(serving.folder))
        writing = await stack.enter_async_context(open_writer(journal))
        program = HostedProgram(serving.folder, stop)
        address = await stack.enter_async_context(open_pages(journal, writing, serving, program=program))
        stack.enter_context(rare_collection())
        ready(address)
        await stop.wait()


@contextlib.contextmanager
def run_beside(
    runtime: Runtime, service: Callable[[RuntimeWriterLoop], contextlib.AbstractAsyncContextManager[str]]
) -> Iterator[str]:
    """Run a service in a thread beside a program; yield the service's address.

    Both share the one writer of the runtime.
    """
    is_ready, stop = threading.Event(), asyncio.Event()
    addresses: list[str] = []
    problems: list[Exception] = []
    loops: list[asyncio.AbstractEventLoop] = []

    async def run() -> None:
        loops.append(asyncio.get_running_loop())
        async with WriterLoop(runtime.writer) as writing, service(writing) as address:
            addresses.append(address)
            is_ready.set()
            await stop.wait()

    def work() -> None:
        try:
            asyncio.run(run())
        except Exception as error:
            problems.append(error)
        finally:
            is_ready.set()

    thread = threading.Thread(target=work, name="overtrick-beside", daemon=True)
    thread.start()
    is_ready.wait()
    if problems:
        raise problems[0]
    try:
        yield addresses[0]
    finally:
        loops[0].call_soon_threadsafe(stop.set)
        thread.join()


def pages_beside(runtime: Runtime, serving: PageServerSettings) -> contextlib.AbstractContextManager[str]:
    """Serve the pages of a runtime in a thread beside a program; yield their address."""
    return run_beside(runtime, lambda writing: open_pages(runtime.journal, writing, serving))
