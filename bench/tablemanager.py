"""A table of computer bridge against a bare relay, 64 tables against one, and how strong `natural` is.

The players follow a script, so that only tables are measured: they know what they will hear and what to say
after it. The relay passes the very lines of the table between the same players, in the same order, and knows
nothing of what is in them. Tables and relay are in processes of their own and the players in another, as they
are when programs play; the network is the loopback. Every line that goes in or out counts.

    python -m bench.tablemanager fair              how evenly 64 tables are served
    python -m bench.tablemanager crowded           64 tables against one with the players in the tables' own loop
    python -m bench.tablemanager natural [BOARDS]  natural against legal, 64 boards unless told
"""

import asyncio
import random
import sys
import time
from collections.abc import Awaitable, Callable, Iterable, Iterator
from contextlib import contextmanager, nullcontext
from functools import cache
from typing import cast

from tests.tablemanager.local import LocalTable, play_locally

from bench.apart import Tell, apart
from bench.measure import Benchmark, Pair, register, run
from overtrick.bridge import SEATS, Deal, Seat, Side
from overtrick.host.gc_tuning import rare_collection
from overtrick.tablemanager.matches import compare
from overtrick.tablemanager.player import Player
from overtrick.tablemanager.robots import robot
from overtrick.tablemanager.robots.legal import Legal
from overtrick.tablemanager.rules import Board, Output, Send, TableRules
from overtrick.tablemanager.server import TableServer
from overtrick.tablemanager.table import BridgeTable

BOARDS = 32
FEW = 4
TABLES = 64
Script = list[bytes]
"""A player's messages: at first, and after each line it hears."""

Step = tuple[Seat, list[tuple[Seat, bytes]]]
"""The speaker, and the messages that follow to each seat."""


@cache
def boards(count: int) -> list[Board]:
    chance = random.Random(17)
    return [Board.numbered(number, Deal.dealt_by(chance)) for number in range(1, count + 1)]


def rules() -> TableRules:
    return TableRules(trick_pause=0.0, closing=0.0)


class NotingTable(LocalTable):
    """A table that records all messages, as `Step`s and as the players' scripts."""

    def __init__(self, count: int) -> None:
        robot = Legal(3)
        choices = robot.choose_call, robot.choose_card
        players = {seat: Player(seat.side.value, seat, *choices) for seat in SEATS}
        super().__init__(BridgeTable(boards(count), rules()), players, self.note)
        self.scripts: dict[Seat, Script] = {seat: [b""] for seat in SEATS}
        self.steps: list[Step] = []

    def note(self, seat: Seat, from_player: bool, line: str) -> None:
        if from_player:
            self.steps.append((seat, []))
            self.scripts[seat][-1] += line.encode() + b"\r\n"
        else:
            self.scripts[seat].append(b"")

    def do(self, outputs: Iterable[Output]) -> None:
        outputs = list(outputs)
        for output in outputs:
            if isinstance(output, Send):
                self.steps[-1][1].append((cast(Seat, output.link), output.line.encode() + b"\r\n"))
        super().do(outputs)


@cache
def scripts(count: int) -> tuple[dict[Seat, Script], list[Step], int]:
    """Return the players' messages over some boards, the relayed lines, and the number of all lines."""
    table = NotingTable(count)
    for seat in SEATS:
        table.sit(seat)
    table.run()
    return table.scripts, table.steps, len(table.steps) + sum(len(said) for _, said in table.steps)


class Client(asyncio.Protocol):
    """A client that sends the next part of its script after each line."""

    def __init__(self, script: Script, done: Callable[[], None]) -> None:
        self.script = iter(script)
        self.done = done
        self.rest = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast(asyncio.Transport, transport)
        self.say()

    def data_received(self, received: bytes) -> None:
        *lines, self.rest = (self.rest + received).split(b"\r\n")
        for _ in lines:
            self.say()

    def say(self) -> None:
        words = next(self.script, None)
        if words:
            self.transport.write(words)

    def connection_lost(self, fault: Exception | None) -> None:
        self.done()


async def serve_tables(tables: int, count: int, tell: Tell) -> None:
    """Open tables and print their ports, and open as many again when all have played."""
    with rare_collection():  # as `overtrick tm serve` does
        while True:
            servers = [TableServer(BridgeTable(boards(count), rules())) for _ in range(tables)]
            tell([port for server in servers for port in await server.open()])
            for server in servers:
                assert await server.ended is None
                assert len(server.records) == count
                await server.close()


async def play(port: int, script: dict[Seat, Script]) -> float:
    """Seat four players; return the seconds until the table has disconnected all of them."""
    loop = asyncio.get_running_loop()
    gone = [loop.create_future() for _ in SEATS]
    started = time.perf_counter()
    for seat, end in zip(SEATS, gone, strict=True):
        await loop.create_connection(
            lambda seat=seat, end=end: Client(script[seat], lambda: end.set_result(None)),  # type: ignore[misc]
            "127.0.0.1",
            port,
        )
    await asyncio.gather(*gone)
    return time.perf_counter() - started


async def play_one_by_one(ports: list[int], script: dict[Seat, Script]) -> None:
    for port in ports:
        await play(port, script)


async def play_together(ports: list[int], script: dict[Seat, Script]) -> list[float]:
    return await asyncio.gather(*(play(port, script) for port in ports))


class Relay(asyncio.Protocol):
    """One of four connections of a relay; they come in the order of the seats."""

    def __init__(self, passing: "Passing") -> None:
        self.passing = passing
        self.seat = SEATS[len(passing.relays)]
        self.rest = b""
        passing.relays[self.seat] = self

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast(asyncio.Transport, transport)

    def data_received(self, received: bytes) -> None:
        *lines, self.rest = (self.rest + received).split(b"\r\n")
        self.passing.hear(self.seat, len(lines))


class Passing:
    """The relay's script: which client sends next, and which lines then go to whom."""

    def __init__(self, steps: list[Step], ended: asyncio.Future[None]) -> None:
        self.steps = iter(steps)
        self.ended = ended
        self.relays: dict[Seat, Relay] = {}
        self.heard = dict.fromkeys(SEATS, 0)
        self.next: Seat | None
        self.next, self.words = next(self.steps)

    def hear(self, seat: Seat, lines: int) -> None:
        self.heard[seat] += lines
        output = dict.fromkeys(SEATS, b"")
        while self.next is not None and self.heard[self.next]:
            self.heard[self.next] -= 1
            for to, line in self.words:
                output[to] += line
            self.next, self.words = next(self.steps, (None, []))
        for to, words in output.items():
            if words:
                self.relays[to].transport.write(words)
        if self.next is None:
            for relay in self.relays.values():
                relay.transport.close()
            self.ended.set_result(None)


async def serve_relay(steps: list[Step], tell: Tell) -> None:
    """Serve a relay with four connections and print its port, then another one."""
    loop = asyncio.get_running_loop()
    with rare_collection():
        while True:
            passing = Passing(steps, loop.create_future())
            server = await loop.create_server(lambda passing=passing: Relay(passing), "127.0.0.1", 0)  # type: ignore[misc]
            tell([server.sockets[0].getsockname()[1]])
            await passing.ended
            server.close()


@contextmanager
def one_table() -> Iterator[Pair]:
    script, steps, lines = scripts(BOARDS)
    with (
        apart(lambda tell: serve_tables(1, BOARDS, tell)) as table,
        apart(lambda tell: serve_relay(steps, tell)) as relay,
    ):
        yield Pair(
            lambda: asyncio.run(play_one_by_one(table(), script)),
            lambda: asyncio.run(play_one_by_one(relay(), script)),
            lines,
        )


@contextmanager
def many_tables() -> Iterator[Pair]:
    script, _, lines = scripts(FEW)
    with apart(lambda tell: serve_tables(TABLES, FEW, tell)) as tables:
        yield Pair(
            lambda: asyncio.run(play_together(tables(), script)),
            lambda: asyncio.run(play_one_by_one(tables(), script)),
            TABLES * lines,
        )


def fairness() -> None:
    script, _, _ = scripts(FEW)
    with apart(lambda tell: serve_tables(TABLES, FEW, tell)) as tables:
        spent = asyncio.run(play_together(tables(), script))
    print(f"{TABLES} tables: the slowest took {max(spent) / min(spent):.2f} times the fastest (at most 2.00)")


def crowded() -> None:
    """Print the extra cost of a line at 64 tables: in one loop with the players there is no second core to help."""
    script, _, lines = scripts(FEW)

    async def in_one_loop(play_all: Callable[[list[int], dict[Seat, Script]], Awaitable[object]]) -> None:
        ports: asyncio.Queue[list[int]] = asyncio.Queue()
        serving = asyncio.create_task(serve_tables(TABLES, FEW, ports.put_nowait))
        await play_all(await ports.get(), script)
        serving.cancel()

    pair = Pair(
        lambda: asyncio.run(in_one_loop(play_together)),
        lambda: asyncio.run(in_one_loop(play_one_by_one)),
        TABLES * lines,
    )
    finding = run(Benchmark("crowded", "lines", "one by one", 1.0, lambda: nullcontext(pair)))
    print(f"{TABLES} tables and their players in one loop: {finding.ratio:.2f} of one table's rate")


def strength(count: int, budget: float = 0.02) -> None:
    def room(ns: str, ew: str) -> dict[Seat, Player]:
        players = {}
        for seat in SEATS:
            name = ns if seat.side is Side.NS else ew
            plays = robot(name, 1, budget)
            players[seat] = Player(name, seat, plays.choose_call, plays.choose_card)
        return players

    started = time.perf_counter()
    quiet = TableRules(trick_pause=0.0, timeout=None)
    open_room = play_locally(boards(count), room("natural", "legal"), quiet)
    closed_room = play_locally(boards(count), room("legal", "natural"), quiet)
    match = compare("natural", "legal", open_room, closed_room)
    margin = (match.home_imps - match.away_imps) / count
    print(f"natural - legal over {count} boards: {match.home_imps} - {match.away_imps} IMPs")
    print(
        f"{margin:+.2f} IMPs a board (more than +5), {time.perf_counter() - started:.0f} s, {budget} s a card"
    )


register(Benchmark("table manager, one table", "lines", "a bare asyncio relay", 0.5, one_table))
register(Benchmark("table manager, 64 tables", "lines", "one table, 64 times", 1.0, many_tables))

if __name__ == "__main__":
    if sys.argv[1:2] == ["natural"]:
        strength(int(sys.argv[2]) if len(sys.argv) > 2 else 64)
    elif sys.argv[1:2] == ["crowded"]:
        crowded()
    else:
        fairness()
