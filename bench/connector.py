"""The Data Connector: pings against a bare echo, results against bare INSERTs, a long poll against serialising alone.

All servers run in separate processes, so that none shares processor time with the client.

A loop of INSERT and COMMIT never waits for a client, so the client of the single results that are compared with it
sends all requests before it reads an answer. For a client that waits for each answer, as most do, this command
prints the time of a result, for our server and for one that only does INSERT and COMMIT:

    python -m bench.connector waiting
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

from bench.measure import Benchmark, Pair, register, run
from bench.server_process import Report, Server, server_process
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
"""Number of repetitions, because the time of a disk varies."""
MANY = 10_000
GUID = samples.GUID
INSERT = "INSERT INTO journal VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, NULL)"


def connector(folder: Path, pipe: str | None = None, port: int | None = None) -> Server:
    """Return a server without the control software, which is a separate program and takes no time of the server's."""
    return lambda report: serve(ServeSettings(folder, port, pipe=pipe, control=False), report)


def pipe_pinger(path: str, line: bytes) -> tuple[socket.socket, Callable[[], None]]:
    client = socket.socket(socket.AF_UNIX)
    client.connect(path)
    file = client.makefile("rb")

    def ping() -> None:
        for _ in range(PINGS):
            client.sendall(line)
            file.readline()

    return client, ping


async def echo(path: str, report: Report) -> None:
    async def answer_lines(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while line := await reader.readline():
            writer.write(line)
            await writer.drain()

    async with await asyncio.start_unix_server(answer_lines, path) as server:
        report([path])
        await server.serve_forever()


@contextmanager
def ping_pipe() -> Iterator[Pair]:
    line = request_bytes(WireCommand.Ping, payload='"638712345678901234"') + b"\n"
    with tempfile.TemporaryDirectory(prefix="ot") as folder_name, ExitStack() as stack:
        folder = Path(folder_name)
        (ours,) = stack.enter_context(server_process(connector(folder / "data", str(folder / "ours"))))()
        (echo_address,) = stack.enter_context(
            server_process(lambda report: echo(str(folder / "bare"), report))
        )()
        our_client, ping = pipe_pinger(ours, line)
        echo_client, ping_echo = pipe_pinger(echo_address, line)
        with our_client, echo_client:
            yield Pair(ping, ping_echo, PINGS)


def http_pinger(
    address: str, path: str, body: bytes
) -> tuple[http.client.HTTPConnection, Callable[[], None]]:
    client = http.client.HTTPConnection(address.removeprefix("http://"))

    def ping() -> None:
        for _ in range(PINGS):
            client.request("POST", path, body, {"Content-Type": "application/json"})
            client.getresponse().read()

    return client, ping


async def bare_route(report: Report) -> None:
    import uvicorn
    from starlette.applications import Starlette
    from starlette.requests import Request
    from starlette.responses import Response as Answer
    from starlette.routing import Route

    from overtrick.host.http_server import listen

    async def echo_body(request: Request) -> Answer:
        return Answer(await request.body(), media_type="application/json")

    listener = listen("127.0.0.1", 0)
    app = Starlette(routes=[Route("/", echo_body, methods=["POST"])])
    config = uvicorn.Config(app, log_config=None, access_log=False, lifespan="off", server_header=False)
    listener.listen()
    report([f"http://127.0.0.1:{listener.getsockname()[1]}"])
    await uvicorn.Server(config).serve(sockets=[listener])


@contextmanager
def ping_http() -> Iterator[Pair]:
    body = request_bytes(WireCommand.Ping, payload='"638712345678901234"')
    with tempfile.TemporaryDirectory(prefix="ot") as folder_name, ExitStack() as stack:
        (ours,) = stack.enter_context(server_process(connector(Path(folder_name) / "data", port=0)))()
        (bare_address,) = stack.enter_context(server_process(bare_route))()
        our_client, ping = http_pinger(ours, "/dc-scoringprogram", body)
        bare_client, ping_bare = http_pinger(bare_address, "/", body)
        with closing(our_client), closing(bare_client):
            yield Pair(ping, ping_bare, PINGS)


def wide_event(tables: int, rounds: int) -> bytes:
    """Return a request that opens an event of many boards: 40 in each round."""
    section = samples.section()
    section["Tables"] = []
    for number in range(1, tables + 1):
        table = samples.table(number, [(2 * number - 1, 2 * number)] * rounds)
        for index, round_ in enumerate(table["Rounds"]):
            round_["LowBoardNumber"], round_["HighBoardNumber"] = 40 * index + 1, 40 * index + 40
        section["Tables"].append(table)
    left_out = dict.fromkeys(
        ("PlayerData", "Participations", "Handrecords", "Bridgemate2Settings", "Bridgemate3Settings")
    )
    event = samples.init(samples.session(samples.scoring_group(1, section))) | left_out
    return request_bytes(WireCommand.InitializeEvent, payload=json.dumps(event))


def place_of(index: int) -> tuple[int, int, int]:
    """Return table, round and board of the result with this number."""
    return index // 400 + 1, index // 40 % 10 + 1, index % 400 + 1


def result(index: int, tricks: int) -> dict[str, Any]:
    table, number, board = place_of(index)
    return samples.result(
        board,
        TableNumber=table,
        RoundNumber=number,
        PairNorthSouth=2 * table - 1,
        PairEastWest=2 * table,
        DeclaringPair=2 * table - 1,
        TotalTricks=tricks,
    )


class PipeClient:
    """A client of the Data Connector over its pipe; it asserts that no answer is an error."""

    def __init__(self, path: str) -> None:
        self.client = socket.socket(socket.AF_UNIX)
        self.client.connect(path)
        self.file = self.client.makefile("rb")

    def ask(self, line: bytes) -> bytes:
        self.client.sendall(line + b"\n")
        return self._read_answer()

    def send_all(self, lines: list[bytes]) -> None:
        """Send all requests before reading the first answer; the pipe's buffer is large enough for that."""
        self.client.sendall(b"".join(line + b"\n" for line in lines))
        for _ in lines:
            self._read_answer()

    def _read_answer(self) -> bytes:
        answer = self.file.readline()
        assert b'"ErrorType":0' in answer, answer[:300]
        return answer


def put_line(results: list[dict[str, Any]]) -> bytes:
    """Return a request that puts results. Encode it before the measurement, which is of the server's work only."""
    return request_bytes(WireCommand.PutResults, GUID, json.dumps(results))


@contextmanager
def served_event(tables: int) -> Iterator[tuple[Path, PipeClient]]:
    """Yield a Data Connector with a wide event, and a client of it."""
    with tempfile.TemporaryDirectory(prefix="ot") as folder_name:
        folder = Path(folder_name) / "data"
        with server_process(connector(folder, str(Path(folder_name) / "pipe"))) as receive:
            (pipe,) = receive()
            client = PipeClient(pipe)
            client.ask(wide_event(tables, 10))
            with client.client:
                yield folder, client


@contextmanager
def bare_journal() -> Iterator[Callable[[int], None]]:
    """Yield a function that inserts a number of rows into the table of a journal, with one COMMIT, as ours does."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "bare"
        with open_journal(file, event_codec()) as journal:
            outcome = Outcome.parse("3NTN=")
            fact = ResultRecorded(
                "A",
                1,
                1,
                1,
                1,
                2,
                outcome,
                None,
                None,
                False,
                Suspicion.NONE,
                Origin.SCORING_PROGRAM,
                NOW,
            )
            kind, schema, body = journal.codec.encode(fact)
        with closing(sqlite3.connect(file)) as connection:
            connection.isolation_level = None
            for pragma in ("journal_mode = WAL", "synchronous = FULL"):
                connection.execute(f"PRAGMA {pragma}")
            time_text, row_count = time_as_text(NOW), [0]

            def insert(rows: int) -> None:
                first = row_count[0] + 1
                row_count[0] += rows
                command = os.urandom(16).hex()
                connection.execute("BEGIN IMMEDIATE")
                connection.executemany(
                    INSERT,
                    [
                        (
                            f"session/{GUID}/1",
                            number,
                            kind,
                            schema,
                            time_text,
                            "scoring",
                            "pipe",
                            command,
                            number,
                            body,
                        )
                        for number in range(first, first + rows)
                    ],
                )
                connection.execute("COMMIT")

            yield insert


@contextmanager
def put_one(*, is_waiting: bool = False) -> Iterator[Pair]:
    with served_event(3) as (_, client), bare_journal() as insert:
        groups = iter(
            [[put_line([result(index, repeat % 7)]) for index in range(PUTS)] for repeat in range(REPEATS)]
        )

        def ours() -> None:
            if is_waiting:
                for line in next(groups):
                    client.ask(line)
            else:
                client.send_all(next(groups))

        yield Pair(ours, lambda: insert_one_by_one(insert), PUTS)


def insert_one_by_one(insert: Callable[[int], None]) -> None:
    for _ in range(PUTS):
        insert(1)


async def insert_for_each_line(path: str, report: Report) -> None:
    """Serve one client: INSERT and COMMIT for each line, then send the line back."""
    with bare_journal() as insert, socket.socket(socket.AF_UNIX) as listener:
        listener.bind(path)
        listener.listen()
        report([path])
        client, _ = listener.accept()
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
        server_process(lambda report: insert_for_each_line(f"{folder}/pipe", report)) as receive,
    ):
        (pipe,) = receive()
        client = PipeClient(pipe)
        with client.client:
            yield Pair(
                lambda: [client.ask(line) for _ in range(PUTS)], lambda: insert_one_by_one(insert), PUTS
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
    with served_event(3) as (_, client), bare_journal() as insert:
        lines = iter(
            [put_line([result(index, repeat % 7) for index in range(BATCH)]) for repeat in range(REPEATS)]
        )
        yield Pair(lambda: client.ask(next(lines)), lambda: insert(BATCH), BATCH)


@contextmanager
def poll_all() -> Iterator[Pair]:
    with served_event(25) as (folder, client):
        with open_runtime(folder / JOURNAL) as control:
            entries = []
            for index in range(MANY):
                table, number, board = place_of(index)
                entries.append(ResultEntry("A", table, number, board, Outcome.parse("3NTN="), NOW))
            control.do(PutResults(GUID, tuple(entries), Origin.TERMINAL))
        line = request_bytes(WireCommand.PollQueueForAllResults, GUID)
        items = [
            read_one(ResultDTO, item) for item in json.loads(json.loads(client.ask(line))["SerializedData"])
        ]
        assert len(items) == MANY

        def serialise() -> bytes:
            return Response(23, DataType.Results, json_text(items), session=GUID).to_bytes()

        yield Pair(lambda: client.ask(line), serialise, MANY)


register(Benchmark("connector ping, pipe", "pings", "a bare asyncio line echo", 0.5, ping_pipe))
register(Benchmark("connector ping, HTTP", "pings", "a bare Starlette route", 0.5, ping_http))
register(Benchmark("connector PutResults of one", "results", "INSERT and COMMIT", 0.235, put_one, REPEATS))
register(
    Benchmark("connector PutResults of 1,000", "results", "executemany and COMMIT", 0.175, put_many, REPEATS)
)
register(Benchmark("connector PollQueueForAllResults", "results", "serialising them", 1 / 3, poll_all))

if __name__ == "__main__":
    waiting()
