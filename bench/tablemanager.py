"""How fast tables are beside a relay that only passes lines on, whether 64 tables share, how strong `natural` is.

    python -m bench.tablemanager                   the speed of tables
    python -m bench.tablemanager natural [BOARDS]  natural against legal, 64 boards unless told

The players follow a script, so that only tables are measured: they know what they will hear and what to say
after it. The relay is four connections with four lines on their way round, as many as a table has; both sides
and the players are in one event loop on the loopback network. Every line that goes in or out counts. Seconds are
of the processor, the kernel's included: nothing here waits, and a machine that is busy otherwise does not count.
"""

import asyncio
import random
import sys
import time
from collections.abc import Callable
from functools import cache
from typing import cast

from overtrick.bridge import SEATS, Deal, Seat, Side
from overtrick.tablemanager.local import LocalTable, play_locally
from overtrick.tablemanager.matches import compare
from overtrick.tablemanager.player import Player
from overtrick.tablemanager.robots import robot
from overtrick.tablemanager.robots.legal import Legal
from overtrick.tablemanager.rules import Board, Rules
from overtrick.tablemanager.server import TableServer
from overtrick.tablemanager.table import Table

BOARDS = 32
TABLES = 64
RUNS = 5
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
    started = time.process_time()
    for seat in SEATS:
        await loop.create_connection(lambda seat=seat: Client(script[seat], lambda: None), "127.0.0.1", port)  # type: ignore[misc]
    assert await server.ended is None
    spent = time.process_time() - started
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
    started = time.process_time()
    for passer in passers:
        passer.say()
    await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
    spent = time.process_time() - started
    for passer in passers:
        passer.transport.close()
    server.close()
    return spent


async def speed() -> None:
    script, lines = scripts(BOARDS)
    relay = one = float("inf")
    for _ in range(RUNS):
        relay = min(relay, await through_relay(lines))
        one = min(one, await at_table(script, BOARDS))
    print(f"{lines} lines, {BOARDS} boards, best of {RUNS}")
    print(f"relay       {lines / relay:9,.0f} lines/s")
    print(f"one table   {lines / one:9,.0f} lines/s   {relay / one:.2f} of the relay (at least 0.50)")
    few = 8
    script, lines = scripts(few)
    alone = total = float("inf")
    for _ in range(3):
        for _ in range(RUNS):
            alone = min(alone, await at_table(script, few))
        started = time.process_time()
        spent = await asyncio.gather(*(at_table(script, few) for _ in range(TABLES)))
        total = min(total, time.process_time() - started)
    print(f"{TABLES} tables, {few} boards each")
    print(f"one alone   {lines / alone:9,.0f} lines/s")
    print(
        f"together    {TABLES * lines / total:9,.0f} lines/s   {alone * TABLES / total:.2f} of one (at least 1.00)"
    )
    print(f"slowest to fastest table: {max(spent) / min(spent):.2f} (at most 2.00)")


def strength(count: int, budget: float = 0.02) -> None:
    def room(ns: str, ew: str) -> dict[Seat, Player]:
        players = {}
        for seat in SEATS:
            name = ns if seat.side is Side.NS else ew
            plays = robot(name, 1, budget)
            players[seat] = Player(name, seat, plays.choose_call, plays.choose_card)
        return players

    started = time.process_time()
    quiet = Rules(trick_pause=0.0, timeout=None)
    open_room = play_locally(boards(count), room("natural", "legal"), quiet)
    closed_room = play_locally(boards(count), room("legal", "natural"), quiet)
    match = compare("natural", "legal", open_room, closed_room)
    margin = (match.home_imps - match.away_imps) / count
    print(f"natural - legal over {count} boards: {match.home_imps} - {match.away_imps} IMPs")
    print(
        f"{margin:+.2f} IMPs a board (more than +5), {time.process_time() - started:.0f} s, {budget} s a card"
    )


if __name__ == "__main__":
    if sys.argv[1:2] == ["natural"]:
        strength(int(sys.argv[2]) if len(sys.argv) > 2 else 64)
    else:
        asyncio.run(speed())
