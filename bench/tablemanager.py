"""A table of computer bridge against a bare relay, 64 tables against one, and how strong `natural` is.

The players follow a script, so that only tables are measured: they know what they will hear and what to say
after it. The relay is four connections with four lines on their way round, as many as a table has; both sides
and the players are in one event loop on the loopback network. Every line that goes in or out counts.

    python -m bench.tablemanager fair              how evenly 64 tables are served
    python -m bench.tablemanager natural [BOARDS]  natural against legal, 64 boards unless told
"""

import asyncio
import random
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from typing import cast

from bench.measure import Benchmark, Pair, register
from overtrick.bridge import SEATS, Deal, Seat, Side
from overtrick.host.settled import seldom_collecting
from overtrick.tablemanager.local import LocalTable, play_locally
from overtrick.tablemanager.matches import compare
from overtrick.tablemanager.player import Player
from overtrick.tablemanager.robots import robot
from overtrick.tablemanager.robots.legal import Legal
from overtrick.tablemanager.rules import Board, Rules
from overtrick.tablemanager.server import TableServer
from overtrick.tablemanager.table import Table

BOARDS = 32
FEW = 4
TABLES = 64
Script = list[bytes]
"""What a player says: at first, and after each line it hears."""


@cache
def boards(count: int) -> list[Board]:
    chance = random.Random(17)
    return [Board.numbered(number, Deal.dealt_by(chance)) for number in range(1, count + 1)]


def rules() -> Rules:
    return Rules(trick_pause=0.0, closing=0.0)


def scripts(count: int) -> tuple[dict[Seat, Script], int]:
    """The script of each seat for some boards, and how many lines there are in all."""
    transcript: dict[Seat, list[tuple[bool, str]]] = {seat: [] for seat in SEATS}
    robot = Legal(3)
    players = {seat: Player(seat.side.value, seat, robot.choose_call, robot.choose_card) for seat in SEATS}
    local = LocalTable(
        Table(boards(count), rules()),
        players,
        lambda seat, from_player, line: transcript[seat].append((from_player, line)),
    )
    for seat in SEATS:
        local.sit(seat)
    local.run()
    found = {}
    for seat in SEATS:
        said: Script = [b""]
        for from_player, line in transcript[seat]:
            if from_player:
                said[-1] += line.encode() + b"\r\n"
            else:
                said.append(b"")
        found[seat] = said
    return found, sum(map(len, transcript.values()))


class Client(asyncio.Protocol):
    """Says the next part of its script after each line."""

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


async def at_table(script: dict[Seat, Script], count: int) -> float:
    """Seconds for one table; the time of the last board, and not of hanging up."""
    server = TableServer(Table(boards(count), rules()))
    (port,) = await server.open()
    loop = asyncio.get_running_loop()
    started = time.perf_counter()
    for seat in SEATS:
        await loop.create_connection(lambda seat=seat: Client(script[seat], lambda: None), "127.0.0.1", port)  # type: ignore[misc]
    assert await server.ended is None
    spent = time.perf_counter() - started
    assert len(server.records) == count
    await server.close()
    return spent


class Relay(asyncio.Protocol):
    """Passes each line on to the next of four connections."""

    def __init__(self, ring: list["Relay"]) -> None:
        self.ring = ring
        self.place = len(ring)
        self.rest = b""
        ring.append(self)

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast(asyncio.Transport, transport)

    def data_received(self, received: bytes) -> None:
        *lines, self.rest = (self.rest + received).split(b"\r\n")
        following = self.ring[(self.place + 1) % 4].transport
        for line in lines:
            following.write(line + b"\r\n")


class Passer(asyncio.Protocol):
    """Says a line for each line it hears, so many times."""

    def __init__(self, times: int, done: asyncio.Future[None]) -> None:
        self.left = times
        self.done = done
        self.rest = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast(asyncio.Transport, transport)

    def say(self) -> None:
        self.transport.write(b"North ready for East's card to trick 7\r\n")

    def data_received(self, received: bytes) -> None:
        *lines, self.rest = (self.rest + received).split(b"\r\n")
        for _ in lines:
            self.left -= 1
            if self.left > 0:
                self.say()
            elif not self.done.done():
                self.done.set_result(None)


async def through_relay(lines: int) -> float:
    """Seconds for as many lines, in and out, through a relay with four connections."""
    loop = asyncio.get_running_loop()
    ring: list[Relay] = []
    server = await loop.create_server(lambda: Relay(ring), "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    ends = [loop.create_future() for _ in range(4)]
    passers = []
    for end in ends:
        _, passer = await loop.create_connection(
            lambda end=end: Passer(lines // 8, end),  # type: ignore[misc]
            "127.0.0.1",
            port,
        )
        passers.append(passer)
    while len(ring) < 4:
        await asyncio.sleep(0.001)
    started = time.perf_counter()
    for passer in passers:
        passer.say()
    await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
    spent = time.perf_counter() - started
    for passer in passers:
        passer.transport.close()
    server.close()
    return spent


async def together(script: dict[Seat, Script], count: int) -> list[float]:
    return await asyncio.gather(*(at_table(script, count) for _ in range(TABLES)))


@contextmanager
def one_table() -> Iterator[Pair]:
    script, lines = scripts(BOARDS)
    yield Pair(
        lambda: asyncio.run(at_table(script, BOARDS)), lambda: asyncio.run(through_relay(lines)), lines
    )


@contextmanager
def many_tables() -> Iterator[Pair]:
    script, lines = scripts(FEW)

    async def one_after_the_other() -> None:
        for _ in range(TABLES):
            await at_table(script, FEW)

    with seldom_collecting():  # as `overtrick tm serve` does
        yield Pair(
            lambda: asyncio.run(together(script, FEW)),
            lambda: asyncio.run(one_after_the_other()),
            TABLES * lines,
        )


def fairness() -> None:
    script, _ = scripts(FEW)
    spent = asyncio.run(together(script, FEW))
    print(f"{TABLES} tables: the slowest took {max(spent) / min(spent):.2f} times the fastest (at most 2.00)")


def strength(count: int, budget: float = 0.02) -> None:
    def room(ns: str, ew: str) -> dict[Seat, Player]:
        players = {}
        for seat in SEATS:
            name = ns if seat.side is Side.NS else ew
            plays = robot(name, 1, budget)
            players[seat] = Player(name, seat, plays.choose_call, plays.choose_card)
        return players

    started = time.perf_counter()
    quiet = Rules(trick_pause=0.0, timeout=None)
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
    else:
        fairness()
