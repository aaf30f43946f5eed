"""Several nodes that write results to one journal in PostgreSQL, against one node that writes as many.

Sixteen or sixty-four tables enter their results. Each sends the next when the previous one is acknowledged, on any
number of nodes. A node writes what has gathered with one COMMIT: for sixteen tables, four nodes write groups of four,
which costs more for each result than groups of sixteen by one node. The more tables, the less that matters.
"""

import asyncio
import multiprocessing
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from datetime import UTC, date, datetime
from multiprocessing.connection import Connection
from time import perf_counter
from uuid import uuid4

from tests.conftest import find_program
from tests.store.server import postgresql

from bench.measure import Benchmark, Pair, register
from overtrick.bridge import Outcome
from overtrick.event import OpenEvent, Rejection, SessionPlan
from overtrick.event.movement import Round, SectionPlan, TablePlan
from overtrick.event.results import EnterResult, ResultEntry
from overtrick.event.setup import GroupPlan
from overtrick.host.runtime import open_runtime, runtime_writer
from overtrick.host.web import RuntimeWriterLoop
from overtrick.host.writer import Submission, WriterLoop
from overtrick.scoring import Method
from overtrick.store import Appended, open_journal
from overtrick.store.codec import event_codec
from overtrick.store.errors import JournalUnavailable

NODES, TABLES, MANY_TABLES, ROUNDS, BOARDS = 4, 16, 64, 6, 6
NOW = datetime(2026, 2, 3, 19, 30, tzinfo=UTC)
REPEATS = 5
NOTHING: "Work" = [("", 0)]
"""The request that makes a node read the journal up to its end."""
SLOWEST = 0.5
"""Seconds within which 99 of 100 results must be acknowledged."""

Work = list[tuple[str, int]]
"""The tables whose results a node enters: the session and the number of each."""


def plan(session: str) -> SessionPlan:
    """Return a session in which every table meets new pairs and boards in each round."""
    tables = tuple(
        TablePlan(
            table,
            tuple(
                Round(
                    table, MANY_TABLES + table, tuple(range(BOARDS * number + 1, BOARDS * (number + 1) + 1))
                )
                for number in range(ROUNDS)
            ),
        )
        for table in range(1, MANY_TABLES + 1)
    )
    group = GroupPlan(1, Method.MATCHPOINTS)
    return SessionPlan(
        session, "Nodes", date(2026, 2, 3), (group,), ((SectionPlan("A", 1, winners=1), tables),)
    )


def run_node(address: str, pipe: Connection) -> None:
    """Enter the results of the tables that come through the pipe; answer with the seconds that each result took."""

    async def serve() -> None:
        with open_journal(address, event_codec()) as journal:
            async with WriterLoop(runtime_writer(journal)) as writer:
                pipe.send([])
                while serve := await asyncio.to_thread(pipe.recv):
                    if serve == NOTHING:
                        pipe.send(await writer.read(lambda runtime: []))
                        continue
                    times: list[float] = []
                    await asyncio.gather(*(score(writer, session, table, times) for session, table in serve))
                    pipe.send(times)

    async def score(writer: RuntimeWriterLoop, session: str, table: int, times: list[float]) -> None:
        for number in range(1, ROUNDS + 1):
            for board in range(BOARDS * (number - 1) + 1, BOARDS * number + 1):
                entry = ResultEntry("A", table, number, board, Outcome.parse("4SN="), NOW)
                started = perf_counter()
                submission = Submission(EnterResult(session, entry), uuid4().hex, "control", "bench")
                answer: Appended | Rejection | None = None
                while answer is None:
                    with suppress(JournalUnavailable):  # Send it again, as phones do.
                        answer = await writer.submit(submission)
                if isinstance(answer, Rejection):
                    raise AssertionError(str(answer))
                times.append(perf_counter() - started)

    asyncio.run(serve())


class Nodes:
    """Processes that write to one journal."""

    def __init__(self, address: str, pipes: list[Connection]) -> None:
        self._address = address
        self._pipes = pipes
        self._guids: list[str] = []
        self.slowest = 0.0
        """The 99th percentile of the seconds for a result in the last run."""

    def open_sessions(self, count: int) -> None:
        """Open new sessions, each in its own event, and make every node read them."""
        with open_runtime(self._address) as runtime:
            for guid in (uuid4().hex.upper() for _ in range(count)):
                runtime.do(OpenEvent(guid, (plan(guid),)))
                self._guids.append(guid)
        for pipe in self._pipes:
            pipe.send(NOTHING)
            pipe.recv()

    def sessions(self, count: int) -> list[str]:
        """Return sessions without results; each is returned once."""
        return [self._guids.pop() for _ in range(count)]

    def run(self, tables_of_nodes: list[Work]) -> None:
        """Let one node for each list enter the results of its tables."""
        used = self._pipes[: len(tables_of_nodes)]
        for pipe, tables in zip(used, tables_of_nodes, strict=True):
            pipe.send(tables)
        times = sorted(time for pipe in used for time in pipe.recv())
        self.slowest = times[len(times) * 99 // 100]


@contextmanager
def nodes() -> Iterator[Nodes]:
    """Yield a server and as many nodes as are compared."""
    with postgresql(find_program("pg_ctl")) as address, ExitStack() as stack:
        open_journal(address, event_codec()).close()
        context = multiprocessing.get_context("spawn")
        pipes = []
        for _ in range(NODES):
            ours, theirs = context.Pipe()
            process = context.Process(target=run_node, args=(address, theirs), daemon=True)
            process.start()
            stack.callback(process.join, 10)
            stack.callback(ours.send, [])
            pipes.append(ours)
        for pipe in pipes:
            pipe.recv()
        yield Nodes(address, pipes)


def split(tables: Work, count: int) -> list[Work]:
    """Return tables, distributed over a number of nodes."""
    return [tables[node::count] for node in range(count)]


@contextmanager
def one_session(tables: int) -> Iterator[Pair]:
    """Compare tables of one session on all nodes with the same tables on one."""
    with nodes() as nodes_:
        nodes_.open_sessions(2 * REPEATS)

        def score(count: int) -> None:
            (guid,) = nodes_.sessions(1)
            nodes_.run(split([(guid, table) for table in range(1, tables + 1)], count))

        yield Pair(lambda: score(NODES), lambda: score(1), tables * ROUNDS * BOARDS)


@contextmanager
def own_sessions() -> Iterator[Pair]:
    """Compare a session for each node with as many sessions on one node."""
    with nodes() as nodes_:
        nodes_.open_sessions(2 * REPEATS * NODES)

        def score(count: int) -> None:
            tables = [
                (guid, table) for guid in nodes_.sessions(NODES) for table in range(1, TABLES // NODES + 1)
            ]
            tables_of_nodes = [
                tables[node * len(tables) // count : (node + 1) * len(tables) // count]
                for node in range(count)
            ]
            nodes_.run(tables_of_nodes)

        yield Pair(lambda: score(NODES), lambda: score(1), TABLES * ROUNDS * BOARDS)


class Percentile:
    """A clock that shows the sum of the measured percentiles, in seconds."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        """Return the sum so far."""
        return self.now


PERCENTILE = Percentile()


@contextmanager
def slowest_result() -> Iterator[Pair]:
    """Compare the 99th percentile, with all nodes on one session, with the greatest accepted time."""
    with nodes() as nodes_:
        nodes_.open_sessions(REPEATS)

        def ours() -> None:
            (guid,) = nodes_.sessions(1)
            nodes_.run(split([(guid, table) for table in range(1, TABLES + 1)], NODES))
            PERCENTILE.now += nodes_.slowest

        def accepted() -> None:
            PERCENTILE.now += SLOWEST

        yield Pair(ours, accepted, 1)


register(
    Benchmark(
        "nodes on one session",
        "results",
        "one node",
        0.7,
        lambda: one_session(MANY_TABLES),
        repeats=REPEATS,
    )
)
register(
    Benchmark(
        "nodes on one session of 16 tables",
        "results",
        "one node",
        0.7,
        lambda: one_session(TABLES),
        repeats=REPEATS,
    )
)
register(Benchmark("nodes on own sessions", "results", "one node", 1.0, own_sessions, repeats=REPEATS))
register(
    Benchmark(
        "nodes, 99th percentile", "results", "500 ms", 1.0, slowest_result, repeats=REPEATS, clock=PERCENTILE
    )
)
