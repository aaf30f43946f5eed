"""The cost of a thousand evenings in a journal against that of one: start, first result, memory, first page, a report.

The cost with a thousand evenings may be at most one and a half times that with one. One evening is played and settled;
the others are copies of its rows, made with SQL, in the journal and in the list of sessions.
"""

import os
import sqlite3
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from datetime import UTC, date, datetime, timedelta
from functools import cache
from pathlib import Path

from tests.connector import samples
from tests.waiting import wait_for

from bench.connector import PipeClient, put_line, result, wide_event
from bench.measure import Benchmark, Pair, register
from bench.server_process import Report, Server, server_process
from overtrick.bridge import Outcome
from overtrick.event import ContinueEvent, Order
from overtrick.event.results import Origin, PutResults, ResultEntry
from overtrick.host.due_executor import executing_due
from overtrick.host.lookup import JOURNAL
from overtrick.host.runtime import open_runtime
from overtrick.host.serve import ServeSettings, serve
from overtrick.host.web import PageServerSettings
from overtrick.store.sessions import SessionList
from overtrick.store.tables import journal, sessions, streams

EVENINGS = 1_000
BAR = 1 / 1.5
GUID = samples.GUID
RESULTS = 189
"""The results of an evening: seven tables, twenty-seven boards."""


def fill(folder: Path, evenings: int) -> None:
    """Write a number of evenings into a new journal."""
    file = folder / JOURNAL
    with server_process(
        lambda report: serve(ServeSettings(folder, None, pipe=str(folder / "pipe"), control=False), report)
    ) as receive:
        (pipe,) = receive()
        with (client := PipeClient(pipe)).client:
            client.ask(wide_event(1, 10))
    with open_runtime(file) as runtime:
        played_at = datetime(2020, 1, 1, 20, tzinfo=UTC)
        entries = tuple(
            ResultEntry("A", 1, n // 40 + 1, n + 1, Outcome.parse("3NTN="), played_at) for n in range(RESULTS)
        )
        for command in (PutResults(GUID, entries, Origin.TERMINAL), ContinueEvent(GUID, (Order.SHUT_DOWN,))):
            runtime.do(command)
        with executing_due(runtime.journal, runtime.writer, evaluates=False):
            wait_for(lambda: not SessionList(runtime.journal).unsettled())
    with closing(sqlite3.connect(file)) as connection:
        for number in range(1, evenings):
            _copy(connection, number)
        connection.commit()


def _copy(connection: sqlite3.Connection, number: int) -> None:
    """Copy the rows of the evening, with another guid and another day."""
    day = date(2020, 1, 1) + timedelta(days=number)
    values = {"old": GUID, "new": f"{number:032X}", "day": str(day), "items": number * 10_000}
    for table in (journal, streams, sessions):
        columns = ", ".join(
            f"replace({column.name}, :old, :new)"
            if column.name in ("stream", "body", "session", "event")
            else f"{column.name} || :new"
            if column.name == "command_id"
            else f":day || substr({column.name}, 11)"
            if column.name in ("at", "opened", "changed")
            else "item + :items"  # ids of queue items are unique in the journal
            if column.name == "item"
            else column.name
            for column in table.c
        )
        where = " OR ".join(f"stream = '{stream}'" for stream in (f"session/{GUID}/1", f"event/{GUID}"))
        connection.execute(
            f"INSERT INTO {table.name} SELECT {columns} FROM {table.name} WHERE {where}",
            values,
        )


@cache
def _folder(evenings: int) -> Path:
    folder = Path(tempfile.mkdtemp(prefix="othist"))
    fill(folder, evenings)
    return folder


def pages_and_connector(folder: Path) -> Server:
    """Return a server of the connector and the pages, which reports their addresses and its process id."""

    async def run(report: Report) -> None:
        settings = ServeSettings(
            folder, None, pipe=str(folder / "pipe"), control=False, web=PageServerSettings(folder, 0)
        )
        await serve(settings, lambda addresses: report((*addresses, os.getpid())))

    return run


def start_only(folder: Path) -> float:
    started = time.perf_counter()
    with server_process(pages_and_connector(folder)) as receive:
        receive()
        return time.perf_counter() - started


_TRICKS = iter(range(10**9))


def first_result(folder: Path) -> float:
    line = put_line([result(0, next(_TRICKS) % 7)])
    with server_process(pages_and_connector(folder)) as receive:
        pipe, _, _ = receive()
        with (client := PipeClient(pipe)).client:
            started = time.perf_counter()
            client.ask(line)
            return time.perf_counter() - started


def first_page(folder: Path) -> float:
    with server_process(pages_and_connector(folder)) as receive:
        _, address, _ = receive()
        started = time.perf_counter()
        with urllib.request.urlopen(f"{address}/desk") as answer:
            assert b"Sessions" in answer.read()
        return time.perf_counter() - started


def memory(folder: Path) -> float:
    """Return the resident memory, in megabytes, of a server that has accepted a result and shown the desk."""
    with server_process(pages_and_connector(folder)) as receive:
        pipe, address, process = receive()
        with (client := PipeClient(pipe)).client, urllib.request.urlopen(f"{address}/desk") as answer:
            client.ask(put_line([result(0, next(_TRICKS) % 7)]))
            answer.read()
        time.sleep(2)  # The executor of due work makes its passes meanwhile.
        status = Path(f"/proc/{process}/status").read_text()
    return int(status.split("VmRSS:")[1].split()[0]) / 1024


def report(folder: Path) -> float:
    started = time.perf_counter()
    command = [sys.executable, "-m", "overtrick", "score", str(folder / JOURNAL), "--session", GUID]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - started


def register_cost(name: str, cost: Callable[[Path], float], unit: str) -> None:
    """Register a benchmark for a function that measures a cost itself, in seconds or megabytes."""
    total = [0.0]

    @contextmanager
    def prepare() -> Iterator[Pair]:
        def add_cost(evenings: int) -> None:
            total[0] += cost(_folder(evenings))

        yield Pair(lambda: add_cost(EVENINGS), lambda: add_cost(1), 1)

    register(Benchmark(f"history: {name}", unit, "one evening", BAR, prepare, 5, lambda: total[0]))


register_cost("ready", start_only, "starts")
register_cost("first result", first_result, "results")
register_cost("first page", first_page, "pages")
register_cost("memory", memory, "1/MB")
register_cost("score --session", report, "reports")
