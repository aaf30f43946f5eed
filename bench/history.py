"""The cost of a thousand evenings in a journal against that of one: start, first result, memory, first page, a report.

Each figure with a thousand evenings is at most one and a half times that with one. The evenings are copies of one that
was played and settled, made with SQL; so are the lines of the list of sessions.
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

from bench.apart import Server, Tell, apart
from bench.connector import Asker, put_line, result, wide_event
from bench.measure import Benchmark, Pair, register
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
"""Seven tables, twenty-seven boards."""


def fill(folder: Path, evenings: int) -> None:
    """Write a number of evenings into a new journal."""
    file = folder / JOURNAL
    with apart(
        lambda tell: serve(ServeSettings(folder, None, pipe=str(folder / "pipe"), control=False), tell)
    ) as heard:
        (pipe,) = heard()
        with (asker := Asker(pipe)).client:
            asker.ask(wide_event(1, 10))
    with open_runtime(file) as runtime:
        at = datetime(2020, 1, 1, 20, tzinfo=UTC)
        entries = tuple(
            ResultEntry("A", 1, n // 40 + 1, n + 1, Outcome.parse("3NTN="), at) for n in range(RESULTS)
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
    """Copy the one evening to a guid and a day of its own."""
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


def server(folder: Path) -> Server:
    """Serve the connector and the pages, and print their addresses and the process id."""

    async def run(tell: Tell) -> None:
        serving = ServeSettings(
            folder, None, pipe=str(folder / "pipe"), control=False, web=PageServerSettings(folder, 0)
        )
        await serve(serving, lambda addresses: tell((*addresses, os.getpid())))

    return run


def start_only(folder: Path) -> float:
    began = time.perf_counter()
    with apart(server(folder)) as heard:
        heard()
        return time.perf_counter() - began


_TRICKS = iter(range(10**9))


def first_result(folder: Path) -> float:
    line = put_line([result(0, next(_TRICKS) % 7)])
    with apart(server(folder)) as heard:
        pipe, _, _ = heard()
        with (asker := Asker(pipe)).client:
            began = time.perf_counter()
            asker.ask(line)
            return time.perf_counter() - began


def first_page(folder: Path) -> float:
    with apart(server(folder)) as heard:
        _, address, _ = heard()
        began = time.perf_counter()
        with urllib.request.urlopen(f"{address}/desk") as answer:
            assert b"Sessions" in answer.read()
        return time.perf_counter() - began


def memory(folder: Path) -> float:
    """Return the megabytes of a server that has accepted a result and shown the desk."""
    with apart(server(folder)) as heard:
        pipe, address, process = heard()
        with (asker := Asker(pipe)).client, urllib.request.urlopen(f"{address}/desk") as answer:
            asker.ask(put_line([result(0, next(_TRICKS) % 7)]))
            answer.read()
        time.sleep(2)  # the director makes its passes meanwhile
        status = Path(f"/proc/{process}/status").read_text()
    return int(status.split("VmRSS:")[1].split()[0]) / 1024


def report(folder: Path) -> float:
    began = time.perf_counter()
    command = [sys.executable, "-m", "overtrick", "score", str(folder / JOURNAL), "--session", GUID]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - began


def compare(name: str, cost: Callable[[Path], float], unit: str) -> None:
    """Add a line for a cost that the function itself measures."""
    spent = [0.0]

    @contextmanager
    def prepare() -> Iterator[Pair]:
        def spend(evenings: int) -> None:
            spent[0] += cost(_folder(evenings))

        yield Pair(lambda: spend(EVENINGS), lambda: spend(1), 1)

    register(Benchmark(f"history: {name}", unit, "one evening", BAR, prepare, 5, lambda: spent[0]))


compare("ready", start_only, "starts")
compare("first result", first_result, "results")
compare("first page", first_page, "pages")
compare("memory", memory, "1/MB")
compare("score --session", report, "reports")
