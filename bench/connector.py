"""The Data Connector: pings against a bare echo, results against bare INSERTs, a long poll against serialising alone.

Servers run in processes of their own, ours and the plain ones, so that neither shares its time with the client.

A loop of INSERT and COMMIT waits for nobody, so the single results that are compared with it lie ready in the pipe.
How fast they are for a client that waits for each answer, as most do, is told by

    python -m bench.connector waiting   for our server, and for one that only does INSERT and COMMIT
"""

import asyncio
import http.client
import json
import os
import socket
import sqlite3
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import Any

from tests.connector import samples
from tests.connector.evening import NOW

from bench.apart import Server, Tell, apart
from bench.measure import Benchmark, Pair, register, run
from overtrick.bridge import Outcome
from overtrick.connector.wire.envelope import Response, json_text, request_bytes
from overtrick.connector.wire.numbers import DataType, WireCommand
from overtrick.connector.wire.play import ResultDTO
from overtrick.connector.wire.reading import read_one
from overtrick.event.results import Origin, PutResults, ResultEntry, ResultRecorded, Suspicion
from overtrick.host.lookup import JOURNAL
from overtrick.host.runtime import open_runtime
from overtrick.host.serve import ServeSettings, serve
from overtrick.store import open_journal
from overtrick.store.codec import event_codec
from overtrick.store.journal import time_as_text

PINGS = 1_000
PUTS = 200
BATCH = 1_000
REPEATS = 21
"""Number of repetitions: a disk does not always take as long."""
MANY = 10_000
GUID = samples.GUID
INSERT = "INSERT INTO journal VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, NULL)"


def connector(folder: Path, pipe: str | None = None, port: int | None = None) -> Server:
    # The control software is a program of its own, which takes nothing of the server's time but its share of the cores.
    return lambda ready: serve(ServeSettings(folder, port, pipe=pipe, control=False), ready)


def pipe_pinger(path: str, line: bytes) -> tuple[socket.socket, Callable[[], None]]:
    client = socket.socket(socket.AF_UNIX)
    client.connect(path)
    file = client.makefile("rb")

    def ping() -> None:
        for _ in range(PINGS):
            client.sendall(line)
            file.readline()

    return client, ping


async def echo(path: str, ready: Tell) -> None:
    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while line := await reader.readline():
            writer.write(line)
            await writer.drain()

    async with await asyncio.start_unix_server(talk, path) as server:
        ready([path])
        await server.serve_forever()


@contextmanager
def ping_pipe() -> Iterator[Pair]:
    line = request_bytes(WireCommand.Ping, payload='"638712345678901234"') + b"\n"
    with tempfile.TemporaryDirectory(prefix="ot") as place, ExitStack() as stack:
        folder = Path(place)
        (ours,) = stack.enter_context(apart(connector(folder / "data", str(folder / "ours"))))()
        (bare,) = stack.enter_context(apart(lambda ready: echo(str(folder / "bare"), ready)))()
        first, ping = pipe_pinger(ours, line)
        second, echoed = pipe_pinger(bare, line)
        with first, second:
            yield Pair(ping, echoed, PINGS)


def http_pinger(
    address: str, path: str, body: bytes
) -> tuple[http.client.HTTPConnection, Callable[[], None]]:
    client = http.client.HTTPConnection(address.removeprefix("http://"))

    def ping() -> None:
        for _ in range(PINGS):
            client.request("POST", path, body, {"Content-Type": "application/json"})
            client.getresponse().read()

    return client, ping


async def bare_route(ready: Tell) -> None:
    import uvicorn
    from starlette.applications import Starlette
    from starlette.requests import Request
    from starlette.responses import Response as Answer
    from starlette.routing import Route

    from overtrick.host.http_server import listen

    async def back(request: Request) -> Answer:
        return Answer(await request.body(), media_type="application/json")

    listening = listen("127.0.0.1", 0)
    app = Starlette(routes=[Route("/", back, methods=["POST"])])
    config = uvicorn.Config(app, log_config=None, access_log=False, lifespan="off", server_header=False)
    listening.listen()
    ready([f"http://127.0.0.1:{listening.getsockname()[1]}"])
    await uvicorn.Server(config).serve(sockets=[listening])


@contextmanager
def ping_http() -> Iterator[Pair]:
    body = request_bytes(WireCommand.Ping, payload='"638712345678901234"')
    with tempfile.TemporaryDirectory(prefix="ot") as place, ExitStack() as stack:
        (ours,) = stack.enter_context(apart(connector(Path(place) / "data", port=0)))()
        (bare,) = stack.enter_context(apart(bare_route))()
        first, ping = http_pinger(ours, "/dc-scoringprogram", body)
        second, echoed = http_pinger(bare, "/", body)
        with closing(first), closing(second):
            yield Pair(ping, echoed, PINGS)


def wide_event(tables: int, rounds: int) -> bytes:
    """Return an event with a place for each of many results: 40 boards a round."""
    section = samples.section()
    section["Tables"] = []
    for number in range(1, tables + 1):
        table = samples.table(number, [(2 * number - 1, 2 * number)] * rounds)
        for at, each in enumerate(table["Rounds"]):
            each["LowBoardNumber"], each["HighBoardNumber"] = 40 * at + 1, 40 * at + 40
        section["Tables"].append(table)
    bare = dict.fromkeys(
        ("PlayerData", "Participations", "Handrecords", "Bridgemate2Settings", "Bridgemate3Settings")
    )
    made = samples.init(samples.session(samples.scoring_group(1, section))) | bare
    return request_bytes(WireCommand.InitializeEvent, payload=json.dumps(made))


def place(at: int) -> tuple[int, int, int]:
    """Return table, round and board of the result with this number."""
    return at // 400 + 1, at // 40 % 10 + 1, at % 400 + 1


def result(at: int, tricks: int) -> dict[str, Any]:
    table, number, board = place(at)
    return samples.result(
        board,
        TableNumber=table,
        RoundNumber=number,
        PairNorthSouth=2 * table - 1,
        PairEastWest=2 * table,
        DeclaringPair=2 * table - 1,
        TotalTricks=tricks,
    )


class Asker:
    """A client on the pipe."""

    def __init__(self, path: str) -> None:
        self.client = socket.socket(socket.AF_UNIX)
        self.client.connect(path)
        self.file = self.client.makefile("rb")

    def ask(self, line: bytes) -> bytes:
        self.client.sendall(line + b"\n")
        return self._hear()

    def ask_ahead(self, lines: list[bytes]) -> None:
        """Send all requests before the first answer is read; a pipe can buffer that much."""
        self.client.sendall(b"".join(line + b"\n" for line in lines))
        for _ in lines:
            self._hear()

    def _hear(self) -> bytes:
        answer = self.file.readline()
        assert b'"ErrorType":0' in answer, answer[:300]
        return answer


def put_line(results: list[dict[str, Any]]) -> bytes:
    """Return a request, encoded before the measurement: only the server's work counts."""
    return request_bytes(WireCommand.PutResults, GUID, json.dumps(results))


@contextmanager
def served(tables: int) -> Iterator[tuple[Path, Asker]]:
    """Yield a Data Connector with a wide event, and a client of it."""
    with tempfile.TemporaryDirectory(prefix="ot") as at:
        folder = Path(at) / "data"
        with apart(connector(folder, str(Path(at) / "pipe"))) as heard:
            (pipe,) = heard()
            asker = Asker(pipe)
            asker.ask(wide_event(tables, 10))
            with asker.client:
                yield folder, asker


@contextmanager
def bare_journal() -> Iterator[Callable[[int], None]]:
    """Yield a function that inserts rows into a journal's own table, with one COMMIT and the same settings."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "bare"
        with open_journal(file, event_codec()) as journal:
            happened = Outcome.parse("3NTN=")
            fact = ResultRecorded(
                "A",
                1,
                1,
                1,
                1,
                2,
                happened,
                None,
                None,
                False,
                Suspicion.NONE,
                Origin.SCORING_PROGRAM,
                NOW,
            )
            kind, schema, body = journal.codec.encode(fact)
        with closing(sqlite3.connect(file)) as plain:
            plain.isolation_level = None
            for pragma in ("journal_mode = WAL", "synchronous = FULL"):
                plain.execute(f"PRAGMA {pragma}")
            written, count = time_as_text(NOW), [0]

            def insert(rows: int) -> None:
                first = count[0] + 1
                count[0] += rows
                command = os.urandom(16).hex()
                plain.execute("BEGIN IMMEDIATE")
                plain.executemany(
                    INSERT,
                    [
                        (
                            f"session/{GUID}/1",
                            number,
                            kind,
                            schema,
                            written,
                            "scoring",
                            "pipe",
                            command,
                            number,
                            body,
                        )
                        for number in range(first, first + rows)
                    ],
                )
                plain.execute("COMMIT")

            yield insert


@contextmanager
def put_one(*, is_waiting: bool = False) -> Iterator[Pair]:
    with served(3) as (_, asker), bare_journal() as insert:
        groups = iter([[put_line([result(at, time % 7)]) for at in range(PUTS)] for time in range(REPEATS)])

        def ours() -> None:
            if is_waiting:
                for line in next(groups):
                    asker.ask(line)
            else:
                asker.ask_ahead(next(groups))

        yield Pair(ours, lambda: insert_one_by_one(insert), PUTS)


def insert_one_by_one(insert: Callable[[int], None]) -> None:
    for _ in range(PUTS):
        insert(1)


async def insert_for_each_line(path: str, tell: Tell) -> None:
    """Answer each line with only INSERT and COMMIT, for one client in a loop of its own."""
    with bare_journal() as insert, socket.socket(socket.AF_UNIX) as listening:
        listening.bind(path)
        listening.listen()
        tell([path])
        client, _ = listening.accept()
        with client, client.makefile("rb") as lines:
            for line in lines:
                insert(1)
                client.sendall(line)


@contextmanager
def put_one_bare() -> Iterator[Pair]:
    line = put_line([result(0, 7)]).replace(b"{", b'{"ErrorType":0,', 1)
    with (
        tempfile.TemporaryDirectory(prefix="ot") as folder,
        bare_journal() as insert,
        apart(lambda tell: insert_for_each_line(f"{folder}/pipe", tell)) as heard,
    ):
        (pipe,) = heard()
        asker = Asker(pipe)
        with asker.client:
            yield Pair(
                lambda: [asker.ask(line) for _ in range(PUTS)], lambda: insert_one_by_one(insert), PUTS
            )


def waiting() -> None:
    for server, prepare in (
        ("ours", lambda: put_one(is_waiting=True)),
        ("one that only does INSERT and COMMIT", put_one_bare),
    ):
        finding = run(Benchmark(server, "results", "INSERT and COMMIT", 0.5, prepare, REPEATS))
        print(f"{server}: {1e6 / finding.ours:.0f} µs a result, {finding.ratio:.2f} of a loop's rate")


@contextmanager
def put_many() -> Iterator[Pair]:
    with served(3) as (_, asker), bare_journal() as insert:
        lines = iter([put_line([result(at, time % 7) for at in range(BATCH)]) for time in range(REPEATS)])
        yield Pair(lambda: asker.ask(next(lines)), lambda: insert(BATCH), BATCH)


@contextmanager
def poll_all() -> Iterator[Pair]:
    with served(25) as (folder, asker):
        with open_runtime(folder / JOURNAL) as control:
            entries = []
            for at in range(MANY):
                table, number, board = place(at)
                entries.append(ResultEntry("A", table, number, board, Outcome.parse("3NTN="), NOW))
            control.do(PutResults(GUID, tuple(entries), Origin.TERMINAL))
        line = request_bytes(WireCommand.PollQueueForAllResults, GUID)
        items = [
            read_one(ResultDTO, item) for item in json.loads(json.loads(asker.ask(line))["SerializedData"])
        ]
        assert len(items) == MANY

        def serialise() -> bytes:
            return Response(23, DataType.Results, json_text(items), session=GUID).to_bytes()

        yield Pair(lambda: asker.ask(line), serialise, MANY)


register(Benchmark("connector ping, pipe", "pings", "a bare asyncio line echo", 0.5, ping_pipe))
register(Benchmark("connector ping, HTTP", "pings", "a bare Starlette route", 0.5, ping_http))
register(Benchmark("connector PutResults of one", "results", "INSERT and COMMIT", 0.235, put_one, REPEATS))
register(
    Benchmark("connector PutResults of 1,000", "results", "executemany and COMMIT", 0.175, put_many, REPEATS)
)
register(Benchmark("connector PollQueueForAllResults", "results", "serialising them", 1 / 3, poll_all))

if __name__ == "__main__":
    waiting()
