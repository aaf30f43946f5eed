"""A table of computer bridge against a bare relay, 64 tables against one, and the strength of the player `natural`.

The players send recorded messages, so that only the tables are measured. The relay passes the same lines between the
same players in the same order, without reading them. The tables or the relay run in one process and the players in
another, over the loopback interface. Each line in either direction counts.

    python -m bench.tablemanager fair              print how evenly 64 tables are served
    python -m bench.tablemanager crowded           compare 64 tables with one, with the players in the same loop
    python -m bench.tablemanager natural [BOARDS]  play natural against legal; the default is 64 boards
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

from bench.measure import Benchmark, Pair, register, run
from bench.server_process import Report, server_process
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
BOARDS_OF_MANY = 4
TABLES = 64
Script = list[bytes]
"""A player's messages: the first, and one after each line that it receives; empty if it sends nothing then."""

Step = tuple[Seat, list[tuple[Seat, bytes]]]
"""The seat that sends a message, and the lines that the table then sends to each seat."""


@cache
def boards(count: int) -> list[Board]:
    generator = random.Random(17)
    return [Board.numbered(number, Deal.dealt_by(generator)) for number in range(1, count + 1)]


def rules() -> TableRules:
    return TableRules(trick_pause=0.0, closing=0.0)


class RecordingTable(LocalTable):
    """A table that records all messages, as steps and as the players' scripts."""

    def __init__(self, count: int) -> None:
        robot = Legal(3)
        choices = robot.choose_call, robot.choose_card
        players = {seat: Player(seat.side.value, seat, *choices) for seat in SEATS}
        super().__init__(BridgeTable(boards(count), rules()), players, self.record)
        self.scripts: dict[Seat, Script] = {seat: [b""] for seat in SEATS}
        self.steps: list[Step] = []

    def record(self, seat: Seat, from_player: bool, line: str) -> None:
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
    """Return the players' scripts for a number of boards, the steps of a relay, and the number of all lines."""
    table = RecordingTable(count)
    for seat in SEATS:
        table.sit(seat)
    table.run()
    return table.scripts, table.steps, len(table.steps) + sum(len(sent) for _, sent in table.steps)


class Client(asyncio.Protocol):
    """A client that sends the next message of its script after each line that it receives."""

    def __init__(self, messages: Script, on_end: Callable[[], None]) -> None:
        self.messages = iter(messages)
        self.on_end = on_end
        self.incomplete = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast(asyncio.Transport, transport)
        self.send_next()

    def data_received(self, received: bytes) -> None:
        *lines, self.incomplete = (self.incomplete + received).split(b"\r\n")
        for _ in lines:
            self.send_next()

    def send_next(self) -> None:
        message = next(self.messages, None)
        if message:
            self.transport.write(message)

    def connection_lost(self, fault: Exception | None) -> None:
        self.on_end()


async def serve_tables(tables: int, count: int, report: Report) -> None:
    """Open tables and report their ports; when all have played, open new ones."""
    with rare_collection():  # as `overtrick tm serve` does
        while True:
            servers = [TableServer(BridgeTable(boards(count), rules())) for _ in range(tables)]
            report([port for server in servers for port in await server.open()])
            for server in servers:
                assert await server.ended is None
                assert len(server.records) == count
                await server.close()


async def play(port: int, script: dict[Seat, Script]) -> float:
    """Connect four players; return the seconds until the table has disconnected all of them."""
    loop = asyncio.get_running_loop()
    disconnected = [loop.create_future() for _ in SEATS]
    started = time.perf_counter()
    for seat, future in zip(SEATS, disconnected, strict=True):
        await loop.create_connection(
            lambda seat=seat, future=future: Client(script[seat], lambda: future.set_result(None)),  # type: ignore[misc]
            "127.0.0.1",
            port,
        )
    await asyncio.gather(*disconnected)
    return time.perf_counter() - started


async def play_one_by_one(ports: list[int], script: dict[Seat, Script]) -> None:
    for port in ports:
        await play(port, script)


async def play_together(ports: list[int], script: dict[Seat, Script]) -> list[float]:
    return await asyncio.gather(*(play(port, script) for port in ports))


class Relay(asyncio.Protocol):
    """One of the four connections of a relay; players connect in the order of the seats."""

    def __init__(self, relay_script: "RelayScript") -> None:
        self.relay_script = relay_script
        self.seat = SEATS[len(relay_script.relays)]
        self.incomplete = b""
        relay_script.relays[self.seat] = self

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast(asyncio.Transport, transport)

    def data_received(self, received: bytes) -> None:
        *lines, self.incomplete = (self.incomplete + received).split(b"\r\n")
        self.relay_script.receive(self.seat, len(lines))


class RelayScript:
    """The state of a relay: the seat that sends next, and the lines that each seat gets then."""

    def __init__(self, steps: list[Step], ended: asyncio.Future[None]) -> None:
        self.steps = iter(steps)
        self.ended = ended
        self.relays: dict[Seat, Relay] = {}
        self.received = dict.fromkeys(SEATS, 0)
        self.next: Seat | None
        self.next, self.messages = next(self.steps)

    def receive(self, seat: Seat, lines: int) -> None:
        self.received[seat] += lines
        output = dict.fromkeys(SEATS, b"")
        while self.next is not None and self.received[self.next]:
            self.received[self.next] -= 1
            for to, line in self.messages:
                output[to] += line
            self.next, self.messages = next(self.steps, (None, []))
        for to, messages in output.items():
            if messages:
                self.relays[to].transport.write(messages)
        if self.next is None:
            for relay in self.relays.values():
                relay.transport.close()
            self.ended.set_result(None)


async def serve_relay(steps: list[Step], report: Report) -> None:
    """Serve a relay with four connections and report its port; when it has ended, serve another."""
    loop = asyncio.get_running_loop()
    with rare_collection():
        while True:
            relay_script = RelayScript(steps, loop.create_future())
            server = await loop.create_server(lambda script=relay_script: Relay(script), "127.0.0.1", 0)  # type: ignore[misc]
            report([server.sockets[0].getsockname()[1]])
            await relay_script.ended
            server.close()


@contextmanager
def one_table() -> Iterator[Pair]:
    script, steps, lines = scripts(BOARDS)
    with (
        server_process(lambda report: serve_tables(1, BOARDS, report)) as receive_ports,
        server_process(lambda report: serve_relay(steps, report)) as receive_relay_port,
    ):
        yield Pair(
            lambda: asyncio.run(play_one_by_one(receive_ports(), script)),
            lambda: asyncio.run(play_one_by_one(receive_relay_port(), script)),
            lines,
        )


@contextmanager
def many_tables() -> Iterator[Pair]:
    script, _, lines = scripts(BOARDS_OF_MANY)
    with server_process(lambda report: serve_tables(TABLES, BOARDS_OF_MANY, report)) as receive:
        yield Pair(
            lambda: asyncio.run(play_together(receive(), script)),
            lambda: asyncio.run(play_one_by_one(receive(), script)),
            TABLES * lines,
        )


def fairness() -> None:
    script, _, _ = scripts(BOARDS_OF_MANY)
    with server_process(lambda report: serve_tables(TABLES, BOARDS_OF_MANY, report)) as receive:
        times = asyncio.run(play_together(receive(), script))
    print(f"{TABLES} tables: the slowest took {max(times) / min(times):.2f} times the fastest (at most 2.00)")


def crowded() -> None:
    """Print the rate of 64 tables against that of one, with tables and players in one loop and so on one core."""
    script, _, lines = scripts(BOARDS_OF_MANY)

    async def run_in_one_loop(play_all: Callable[[list[int], dict[Seat, Script]], Awaitable[object]]) -> None:
        ports: asyncio.Queue[list[int]] = asyncio.Queue()
        serving = asyncio.create_task(serve_tables(TABLES, BOARDS_OF_MANY, ports.put_nowait))
        await play_all(await ports.get(), script)
        serving.cancel()

    pair = Pair(
        lambda: asyncio.run(run_in_one_loop(play_together)),
        lambda: asyncio.run(run_in_one_loop(play_one_by_one)),
        TABLES * lines,
    )
    finding = run(Benchmark("crowded", "lines", "one by one", 1.0, lambda: nullcontext(pair)))
    print(f"{TABLES} tables and their players in one loop: {finding.ratio:.2f} of one table's rate")


def strength(count: int, budget: float = 0.02) -> None:
    def players_of(ns: str, ew: str) -> dict[Seat, Player]:
        players = {}
        for seat in SEATS:
            name = ns if seat.side is Side.NS else ew
            player_robot = robot(name, 1, budget)
            players[seat] = Player(name, seat, player_robot.choose_call, player_robot.choose_card)
        return players

    started = time.perf_counter()
    quiet = TableRules(trick_pause=0.0, timeout=None)
    open_room = play_locally(boards(count), players_of("natural", "legal"), quiet)
    closed_room = play_locally(boards(count), players_of("legal", "natural"), quiet)
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
