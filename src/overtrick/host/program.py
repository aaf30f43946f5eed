"""The running program as the desk shows it: its services, the pages' server for phones, and its end."""

import asyncio
import contextlib
import json
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path

from starlette.types import ASGIApp

from overtrick.errors import BadInput
from overtrick.host.http_server import PortTaken, open_server
from overtrick.store.address import place_without_password
from overtrick.store.documents import Documents
from overtrick.web.about_pages import Service

log = logging.getLogger(__name__)

DOCUMENT = "network.json"
"""The document with the answer to "Let phones on this network connect?"."""
CHECK_INTERVAL = 3.0
"""Seconds between two checks of this computer's address in the network."""
OPEN_TIMEOUT = 5.0
"""Seconds that the director's request waits until phones can connect."""
STOP_DELAY = 1.0
"""Seconds from the director's request to stop until the program stops."""
NO_NETWORK = (
    "This computer is not in a network. Connect it to the Wi-Fi of the players; phones can then connect."
)


class PhoneServer:
    """The pages' server for other devices, on this computer's address in the network.

    `run` reconciles: in every pass it compares the director's answer and the computer's present address with the
    address that is served. So a network that comes later, or an address that changes, needs nobody's attention. The
    answer is kept beside the journal: after a restart in mid-session, phones connect again by themselves.
    """

    def __init__(
        self,
        app: ASGIApp,
        port: int,
        documents: Documents,
        find_address: Callable[[], str],
        changed: Callable[[str], None],
    ) -> None:
        self._app, self._port, self._documents = app, port, documents
        self._find_address, self._changed = find_address, changed
        self._wake = asyncio.Event()
        self._passes = asyncio.Condition()
        self._pass_count = 0
        self.is_wanted = self._read()
        self.address = ""
        self.problem = ""

    def _read(self) -> bool | None:
        try:
            if self._documents.stamp(DOCUMENT) is None:
                return None
            return bool(json.loads(self._documents.read(DOCUMENT))["phones"])
        except (OSError, ValueError, KeyError, TypeError) as error:
            log.warning("%s cannot be read, so the desk asks again: %s", DOCUMENT, error)
            return None

    async def want(self, is_wanted: bool) -> None:
        """Save the answer and wait until it is carried out, at most `OPEN_TIMEOUT` seconds."""
        content = json.dumps({"format": 1, "phones": is_wanted}).encode()
        try:
            stamp = self._documents.stamp(DOCUMENT)
            is_saved = await asyncio.to_thread(self._documents.write, DOCUMENT, content, stamp)
        except OSError as error:
            raise BadInput(
                f"The answer cannot be saved: {error.strerror}.", where=self._documents.place(DOCUMENT)
            ) from error
        if not is_saved:
            raise BadInput("Another desk has answered at this moment. Try again.")
        self.is_wanted = is_wanted
        if not is_wanted:
            self._wake.set()  # without waiting: the request may come through the server that closes
            return
        async with self._passes:
            awaited_pass = self._pass_count + 1
            self._wake.set()
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(OPEN_TIMEOUT):
                    await self._passes.wait_for(lambda: self._pass_count >= awaited_pass)

    @contextlib.asynccontextmanager
    async def running(self, closing: Callable[[], Awaitable[None]]) -> AsyncIterator[None]:
        """Reconcile while the block runs; `closing` ends streams at the end of the program."""
        task = asyncio.create_task(self._run(closing), name="overtrick-phones")
        try:
            yield
        finally:
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await task

    async def _run(self, closing: Callable[[], Awaitable[None]]) -> None:
        is_ending = True

        async def close_streams() -> None:
            if is_ending:
                await closing()

        async with contextlib.AsyncExitStack() as opened:
            served_host = ""
            while True:
                host = await asyncio.to_thread(self._find_address) if self.is_wanted else ""
                if served_host and host != served_host:
                    is_ending = False
                    self._show("", "")
                    await opened.aclose()
                    is_ending, served_host = True, ""
                if host and not served_host:
                    try:
                        server = open_server(self._app, host, self._port, closing=close_streams)
                        address = await opened.enter_async_context(server)
                    except PortTaken as taken:
                        self._show("", taken.sentence)
                    else:
                        served_host = host
                        self._show(address, "")
                elif not host:
                    self._show("", NO_NETWORK if self.is_wanted else "")
                async with self._passes:
                    self._pass_count += 1
                    self._passes.notify_all()
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(CHECK_INTERVAL):
                        await self._wake.wait()
                self._wake.clear()

    def _show(self, address: str, problem: str) -> None:
        if (address, problem) != (self.address, self.problem):
            self.address, self.problem = address, problem
            log.info("phones: %s", address or problem or "cannot connect")
            self._changed(address)


@dataclass(slots=True)
class HostedProgram:
    """The program of this process, as the desk shows and stops it."""

    folder: Path | str
    stopping: asyncio.Event
    services: list[Service] = field(default_factory=list)
    phones: PhoneServer | None = None

    @property
    def place(self) -> str:
        """Return the folder of the data, or the address of its database without a password."""
        return (
            str(self.folder.resolve())
            if isinstance(self.folder, Path)
            else place_without_password(self.folder)
        )

    def stop(self) -> None:
        """End the program soon; the browser first loads the style sheets of the last page."""
        asyncio.get_running_loop().call_later(STOP_DELAY, self.stopping.set)
