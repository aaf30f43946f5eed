"""Several nodes that write results to one journal in PostgreSQL, against one node that writes as many.

Sixteen tables enter their results, each the next when the last is acknowledged, whichever nodes they talk to.
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

NODES, TABLES, ROUNDS, BOARDS = 4, 16, 6, 6
AT = datetime(2026, 2, 3, 19, 30, tzinfo=UTC)
REPEATS = 5
NOTHING: "Work" = [("", 0)]
"""Asks a node to read what is there."""
SLOWEST = 0.5
"""Seconds in which 99 of 100 results are acknowledged."""

Work = list[tuple[str, int]]
"""Tables, each a session and a number, whose results a node enters."""


def plan(session: str) -> SessionPlan:
    """Return a session in which every table meets new pairs and boards in each round."""
    tables = tuple(
        TablePlan(
            table,
            tuple(
                Round(table, TABLES + table, tuple(range(BOARDS * number + 1, BOARDS * (number + 1) + 1)))
                for number in range(ROUNDS)
            ),
        )
        for table in range(1, TABLES + 1)
    )
    group = GroupPlan(1, Method.MATCHPOINTS)
    return SessionPlan(
        session, "Nodes", date(2026, 2, 3), (group,), ((SectionPlan("A", 1, winners=1), tables),)
    )


def run_node(address: str, pipe: Connection) -> None:
    """Enter the results of the tables that come through the pipe; answer with the seconds that each took."""

    async def work() -> None:
        with open_journal(address, event_codec()) as journal:
            async with WriterLoop(runtime_writer(journal)) as writing:
                pipe.send([])
                while given := await asyncio.to_thread(pipe.recv):
                    if given == NOTHING:
                        pipe.send(await writing.read(lambda runtime: []))
                        continue
                    times: list[float] = []
                    await asyncio.gather(*(score(writing, session, table, times) for session, table in given))
                    pipe.send(times)

    async def score(writing: RuntimeWriterLoop, session: str, table: int, times: list[float]) -> None:
        for number in range(1, ROUNDS + 1):
            for board in range(BOARDS * (number - 1) + 1, BOARDS * number + 1):
                entry = ResultEntry("A", table, number, board, Outcome.parse("4SN="), AT)
                began = perf_counter()
                sent = Submission(EnterResult(session, entry), uuid4().hex, "control", "bench")
                answer: Appended | Rejection | None = None
                while answer is None:
                    with suppress(JournalUnavailable):  # sent again, as phones do
                        answer = await writing.submit(sent)
                if isinstance(answer, Rejection):
                    raise AssertionError(str(answer))
                times.append(perf_counter() - began)

    asyncio.run(work())


class Nodes:
    """Processes that write to one journal."""

    def __init__(self, address: str, pipes: list[Connection]) -> None:
        self._address = address
        self._pipes = pipes
        self._guids: list[str] = []
        self.slowest = 0.0
        """The 99th percentile of the last run."""

    def open_sessions(self, count: int) -> None:
        """Open new sessions, each in an event of its own, and have every node read them."""
        with open_runtime(self._address) as runtime:
            for guid in (uuid4().hex.upper() for _ in range(count)):
                runtime.do(OpenEvent(guid, (plan(guid),)))
                self._guids.append(guid)
        for pipe in self._pipes:
            pipe.send(NOTHING)
            pipe.recv()

    def sessions(self, count: int) -> list[str]:
        """Return sessions that nobody has scored in yet."""
        return [self._guids.pop() for _ in range(count)]

    def run(self, works: list[Work]) -> None:
        """Let as many nodes as there are lists enter the results of their tables."""
        used = self._pipes[: len(works)]
        for pipe, work in zip(used, works, strict=True):
            pipe.send(work)
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
    """Distribute tables over nodes."""
    return [tables[node::count] for node in range(count)]


@contextmanager
def one_session() -> Iterator[Pair]:
    """Compare tables of one session on all nodes with the same tables on one."""
    with nodes() as running:
        running.open_sessions(2 * REPEATS)

        def score(count: int) -> None:
            (guid,) = running.sessions(1)
            running.run(split([(guid, table) for table in range(1, TABLES + 1)], count))

        yield Pair(lambda: score(NODES), lambda: score(1), TABLES * ROUNDS * BOARDS)


@contextmanager
def own_sessions() -> Iterator[Pair]:
    """Compare a session for each node with as many sessions on one node."""
    with nodes() as running:
        running.open_sessions(2 * REPEATS * NODES)

        def score(count: int) -> None:
            tables = [
                (guid, table) for guid in running.sessions(NODES) for table in range(1, TABLES // NODES + 1)
            ]
            works = [
                tables[node * len(tables) // count : (node + 1) * len(tables) // count]
                for node in range(count)
            ]
            running.run(works)

        yield Pair(lambda: score(NODES), lambda: score(1), TABLES * ROUNDS * BOARDS)


class Percentile:
    """A clock that is moved on by what was measured."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        """Tell the time."""
        return self.now


PERCENTILE = Percentile()


@contextmanager
def slowest_result() -> Iterator[Pair]:
    """Compare the 99th percentile with all nodes on one session with the time that a player accepts."""
    with nodes() as running:
        running.open_sessions(REPEATS)

        def ours() -> None:
            (guid,) = running.sessions(1)
            running.run(split([(guid, table) for table in range(1, TABLES + 1)], NODES))
            PERCENTILE.now += running.slowest

        def accepted() -> None:
            PERCENTILE.now += SLOWEST

        yield Pair(ours, accepted, 1)


register(Benchmark("nodes on one session", "results", "one node", 0.7, one_session, repeats=REPEATS))
register(Benchmark("nodes on own sessions", "results", "one node", 1.0, own_sessions, repeats=REPEATS))
register(
    Benchmark(
        "nodes, 99th percentile", "results", "500 ms", 1.0, slowest_result, repeats=REPEATS, clock=PERCENTILE
    )
)
