"""A Data Connector that runs in a thread, for tests that talk to it over its pipe or over HTTP."""

import asyncio
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path

from overtrick.connector.pipe_framing import LONGEST
from overtrick.connector.wire.numbers import Numbering
from overtrick.event import Command, Rejection
from overtrick.host.instance_lock import control_lock
from overtrick.host.lookup import JOURNAL
from overtrick.host.runtime import Runtime, open_runtime
from overtrick.host.serve import ServeSettings, serve
from overtrick.host.web import PageServerSettings
from overtrick.store import Appended


@dataclass
class Running:
    """The address at which it is served."""

    folder: Path
    pipe: str
    http: str
    pages: str = ""

    @property
    def journal(self) -> Path:
        return self.folder / JOURNAL


@contextmanager
def running(
    numbering: Numbering = Numbering.SHIPPED,
    *,
    control: bool = False,
    is_controlled: bool = True,
    longest: int = LONGEST,
    with_pages: bool = False,
) -> Iterator[Running]:
    """Serve in a folder of its own, whose name is short enough for a socket.

    Without the control software of the server the test is the control program, unless nobody is.
    """
    with tempfile.TemporaryDirectory(prefix="ot") as place:
        folder = Path(place) / "data"
        pipe = str(Path(place) / "pipe")
        opened = threading.Event()
        addresses: list[str] = []
        stopping: list[tuple[asyncio.AbstractEventLoop, asyncio.Event]] = []
        failures: list[BaseException] = []

        async def run() -> None:
            stop = asyncio.Event()
            stopping.append((asyncio.get_running_loop(), stop))

            def ready(found: list[str]) -> None:
                addresses.extend(found)
                opened.set()

            web = PageServerSettings(folder, 0) if with_pages else None
            serving = ServeSettings(
                folder, 0, pipe=pipe, numbering=numbering, web=web, control=control, longest=longest
            )
            await serve(serving, ready, stop)

        def work() -> None:
            try:
                asyncio.run(run())
            except BaseException as error:
                failures.append(error)
                opened.set()

        thread = threading.Thread(target=work)
        thread.start()
        assert opened.wait(20)
        try:
            assert not failures, failures
            with nullcontext() if control or not is_controlled else control_lock(folder / JOURNAL):
                yield Running(folder, *addresses)
        finally:
            if stopping:
                loop, stop = stopping[0]
                if not loop.is_closed():
                    loop.call_soon_threadsafe(stop.set)
            thread.join(20)
            assert not thread.is_alive()
        assert not failures, failures


@contextmanager
def control_side(journal: Path) -> Iterator[Runtime]:
    """A stand-in for the control software: another program on the same journal."""
    with open_runtime(journal) as runtime:
        yield runtime


def done(answer: Appended | Rejection) -> Appended:
    assert isinstance(answer, Appended), str(answer)
    return answer


__all__ = ["Command", "Running", "control_side", "done", "running"]
