"""Fixtures for every test: programs of others, and the real club evening, if they are present."""

import asyncio
import faulthandler
import gc
import os
import shutil
import signal
import uuid
from collections.abc import Callable, Generator, Iterator
from functools import cache
from pathlib import Path
from types import FrameType, SimpleNamespace
from urllib.parse import parse_qs, quote, urlsplit

import httpx
import pytest
from _pytest.faulthandler import fault_handler_stderr_fd_key
from hypothesis import Phase, settings
from sqlalchemy import create_engine, text

from overtrick.host import gc_tuning
from tests.ordering import dealt
from tests.store.proxy import Proxy
from tests.store.server import postgresql

settings.register_profile("overtrick", deadline=None, derandomize=True, print_blob=True)
settings.register_profile(
    "noshrink", parent=settings.get_profile("overtrick"), phases=[Phase.explicit, Phase.generate]
)
settings.load_profile(os.environ.get("OVERTRICK_HYPOTHESIS", "overtrick"))

# Every process imports the program and all its tests: objects that stay, and that the garbage collector would scan
# again and again. Tests make little garbage that it has to find.
gc.set_threshold(*gc_tuning.SERVER_THRESHOLDS)

DEBIAN_PACKAGE = {
    "mdb-export": "mdbtools",
    "chromium": "chromium",
    "pg_ctl": "postgresql",
    "node": "nodejs",
    "npm": "npm",
    "php": "php-cli php-curl",
}


@pytest.hookimpl(wrapper=True, tryfirst=True)  # marked before pytest selects by marker, ordered after
def pytest_collection_modifyitems(items: list[pytest.Item]) -> Generator[None, object, object]:
    """Mark the tests that drive a browser, and deal the longest to all processes; the rest keeps its order."""
    for item in items:
        if "started_chromium" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.browser)
    result = yield
    processes = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))
    items[:] = dealt([(item.nodeid, item) for item in items], processes)
    return result


@pytest.fixture(scope="session", autouse=True)
def _the_collector_is_not_tuned() -> Iterator[None]:
    """Servers in this process would scan thousands of tests whenever they start, in order never to do so again."""
    gc.collect()
    gc.freeze()
    untuned = SimpleNamespace(
        collect=lambda: None,
        freeze=lambda: None,
        unfreeze=lambda: None,
        get_threshold=gc.get_threshold,
        set_threshold=gc.set_threshold,
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(gc_tuning, "gc", untuned)
        yield


@pytest.fixture(scope="session", autouse=True)
def _certificates_are_read_once() -> Iterator[None]:
    """Every client of httpx would read the certificates of all authorities, even to ask a server without TLS."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("httpx._transports.default.create_ssl_context", cache(httpx.create_ssl_context))
        yield


CLEAN_UP = 120
"""Seconds that a test may go on after its limit, before its process is ended."""


def end_process_after(seconds: float, config: pytest.Config) -> None:
    """Print the stacks of all threads after a number of seconds and end this process; pytest-xdist starts another."""
    stderr = config.stash[fault_handler_stderr_fd_key]  # the real one: what is captured would be lost
    faulthandler.dump_traceback_later(seconds, exit=True, file=stderr)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """End what survives its failure by pytest-timeout: a `with` that waits, a library that catches everything."""
    marker = item.get_closest_marker("timeout")
    limit = marker.args[0] if marker else item.config.getoption("timeout") or item.config.getini("timeout")
    end_process_after(float(limit) + CLEAN_UP, item.config)
    try:
        return (yield)
    finally:
        faulthandler.cancel_dump_traceback_later()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(item: pytest.Item) -> Generator[None, object, object]:
    """Limit the clean-up of a test that has failed, too: pytest and pytest-timeout cancel their timers then."""
    end_process_after(CLEAN_UP, item.config)
    return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_timeout_set_timer() -> Generator[None, object, object]:
    """Print where each asyncio task waits before pytest-timeout fails a test; it prints the threads itself."""
    armed = yield
    if not hasattr(signal, "SIGALRM"):  # Windows, where pytest-timeout prints the stacks and ends the process
        return armed
    fail = signal.getsignal(signal.SIGALRM)

    def on_timeout(number: int, frame: FrameType | None) -> None:
        __tracebackhide__ = True
        loop = asyncio._get_running_loop()
        for task in asyncio.all_tasks(loop) if loop is not None else ():
            print("\n".join([f"Stack of {task.get_name()}:", *waiting_at(task)]))
        assert callable(fail)
        fail(number, frame)

    if callable(fail):
        signal.signal(signal.SIGALRM, on_timeout)
    return armed


def waiting_at(task: asyncio.Task[object]) -> list[str]:
    """Return the file and line of every coroutine that a task is suspended in, outermost first."""
    lines = []
    awaited: object = task.get_coro()
    while (frame := getattr(awaited, "cr_frame", None)) is not None:
        lines.append(f"  {frame.f_code.co_filename}:{frame.f_lineno} in {frame.f_code.co_qualname}")
        awaited = getattr(awaited, "cr_await", None)
    return lines


def find_program(program: str) -> str:
    """The path of a program of others; skips the test when it is not there, fails when it must be."""
    path = shutil.which(program)
    if path is None and program == "pg_ctl":
        path = next((str(found) for found in sorted(Path("/usr/lib/postgresql").glob("*/bin/pg_ctl"))), None)
    if path is None:
        sentence = f"{program} is not installed: apt install {DEBIAN_PACKAGE.get(program, program)}"
        if os.environ.get("OVERTRICK_REQUIRE_ALL") == "1":
            pytest.fail(sentence)
        pytest.skip(sentence)
    return path


@pytest.fixture
def require_program(request: pytest.FixtureRequest) -> Callable[[str], str]:
    """A function that gives the path of a program of others, or skips the test."""

    def require(program: str) -> str:
        if program == "chromium":
            assert request.node.get_closest_marker("browser"), "mark this test with @pytest.mark.browser"
        return find_program(program)

    return require


@pytest.fixture
def fast_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    """For tests that are not about surviving a power cut: a busy disk takes its time to sync."""
    monkeypatch.setattr(os, "fsync", lambda _: None)
    monkeypatch.setattr("overtrick.store.sqlite.DURABLE", ("synchronous = OFF",))


@pytest.fixture
def club_evening() -> Path:
    """A real club evening (Access 97), which is not part of the project."""
    folder = os.environ.get("OVERTRICK_SHARED", str(Path(__file__).parents[2] / "shared"))
    path = Path(folder) / "data" / "club-evening-access97.bws"
    if not path.exists():
        pytest.skip("the real club evening is not here")
    return path


@pytest.fixture(scope="session")
def server() -> Iterator[str]:
    """The address of a PostgreSQL server."""
    with postgresql(find_program("pg_ctl")) as address:
        yield address


@pytest.fixture
def database(server: str) -> str:
    """The address of an empty schema on the server."""
    schema = f"test_{uuid.uuid4().hex}"
    engine = create_engine(server.replace("postgresql:", "postgresql+psycopg:", 1))
    with engine.begin() as connection:
        connection.execute(text(f"CREATE SCHEMA {schema}"))
    engine.dispose()
    return f"{server}&options={quote(f'-csearch_path={schema}')}"


def socket_folder(database: str) -> str:
    """The folder of a server's socket, which its address names."""
    (folder,) = parse_qs(urlsplit(database).query)["host"]
    return folder


@pytest.fixture
def proxy(database: str, tmp_path: Path) -> Iterator[Proxy]:
    """A proxy between a test and the database that can be cut off."""
    with Proxy(tmp_path, Path(socket_folder(database))) as made:
        yield made


@pytest.fixture
def proxied(database: str, proxy: Proxy) -> str:
    """The address of the database through the proxy."""
    return database.replace(socket_folder(database), str(proxy.folder))
