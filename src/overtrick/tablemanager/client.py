"""A player's network connection: lines from the table to the player, and its answers back. Has no bridge logic.

After a lost connection it reconnects, and the player asks for its seat again.
"""

import asyncio
from collections.abc import Callable, Iterator

from overtrick.tablemanager.player import NoSeat, Player
from overtrick.tablemanager.rules import TableError
from overtrick.tablemanager.server import LONGEST_LINE, enable_keepalive
from overtrick.tablemanager.terminal import Terminal
from overtrick.words import shortened

__all__ = [
    "sit_in",
]

RECONNECT = 120.0
"""Seconds of attempts to reconnect: as long as our table waits for a lost player."""

FIRST_PAUSE = 0.5
LONGEST_PAUSE = 10.0

REJOIN_TIMEOUT = 10.0
"""Seconds to connect, and for the table's answer when a player asks for its seat again."""

SEAT_TIMEOUT = 30.0
"""Seconds for the table's first answer to the request for a seat."""

MESSAGE_TIMEOUT = 600.0
"""Seconds for each later message: longer than a table waits for another player or for its operator."""

UNREACHABLE_AFTER = 24
"""Seconds after which an unreachable computer counts as lost (TCP keep-alive)."""

Say = Callable[[str], object]


class _Lost(Exception):
    """A connection that ended before the session was over."""


def pauses(first: float = FIRST_PAUSE) -> Iterator[float]:
    """Yield the seconds to wait before each attempt: growing, without end.

    >>> from itertools import islice
    >>> list(islice(pauses(), 7))
    [0.5, 1.0, 2.0, 4.0, 8.0, 10.0, 10.0]
    """
    while True:
        yield first
        first = min(LONGEST_PAUSE, 2 * first)


async def sit_in(
    player: Player,
    host: str,
    port: int,
    *,
    connect_timeout: float = 10.0,
    reconnect: float = RECONNECT,
    timeout: float = MESSAGE_TIMEOUT,
    pause: float = FIRST_PAUSE,
    say: Say = lambda text: None,
    terminal: Terminal | None = None,
) -> None:
    """Connect, and play until the session is over; raise TableError if it ends in any other way.

    If nothing listens yet, it keeps trying for `connect_timeout` seconds. After a lost connection it tries again after
    `pause` seconds, then after longer pauses, for `reconnect` seconds in all; 0 means never. It leaves a table that
    sends nothing for `timeout` seconds; 0 means to wait for ever. `terminal` is where a person types the decisions.
    """
    loop = asyncio.get_running_loop()
    streams = await _connect(host, port, connect_timeout)
    next_pauses = pauses(pause)
    deadline: float | None = None
    last_progress = player.progress
    was_reported = False
    while True:
        is_rejoining = deadline is not None
        connected_at = loop.time()
        try:
            await _converse(player, streams, terminal, say, is_rejoining, timeout)
            return
        except NoSeat as refusal:
            # The table may not have noticed yet that the old connection is lost: the seat is then our own.
            if not (is_rejoining and refusal.is_taken):
                raise
            why = refusal.sentence
            if not was_reported:
                was_reported = True
                say(f"{why} Trying again…")
        except _Lost as fault:
            if player.conversation is None and not is_rejoining:
                raise TableError(f"The table closed the connection before it gave a seat{fault}.") from None
            if not reconnect:
                raise TableError(f"The connection to the table was lost{fault}.") from None
            why = f"The connection to the table was lost{fault}."
            if player.conversation is not None:
                say("The connection was lost; trying again…")
            # Progress, or a while at the table, starts the time limit again. Being disconnected at once does not.
            sat_long = player.conversation is not None and loop.time() - connected_at > LONGEST_PAUSE
            if deadline is None or sat_long or player.progress > last_progress:
                deadline, next_pauses, last_progress = loop.time() + reconnect, pauses(pause), player.progress
                was_reported = False
        finally:
            streams[1].close()
        assert deadline is not None
        streams = await _connect_again(host, port, next_pauses, deadline, reconnect, why)


async def _converse(
    player: Player,
    streams: tuple[asyncio.StreamReader, asyncio.StreamWriter],
    terminal: Terminal | None,
    say: Say,
    is_rejoining: bool,
    timeout: float,
) -> None:
    """Exchange lines until the session is over; raise _Lost if the connection ends before."""
    reader, writer = streams
    typing: asyncio.Task[None] | None = None
    reading: asyncio.Task[str] | None = None

    def send(answers: list[str]) -> None:
        writer.write("".join(f"{answer}\r\n" for answer in answers).encode("latin-1", "replace"))

    try:
        enable_keepalive(writer.transport, UNREACHABLE_AFTER)
        send([player.hello()])
        while not player.is_over:
            is_seated = player.conversation is not None
            if terminal is not None and is_seated:
                reading = reading or asyncio.ensure_future(_read_line(reader))
                typing = typing or asyncio.ensure_future(terminal.wait_for_line())
                # There is no limit for a person, only for the table.
                wait_limit = timeout if player.waits_for_table else 0.0
                done, _ = await asyncio.wait(
                    (reading, typing), timeout=wait_limit or None, return_when=asyncio.FIRST_COMPLETED
                )
                if not done:
                    raise TableError(_silence_message(player, wait_limit))
                if typing.done():
                    typing = None
                    send(player.go_on())
                if not reading.done():
                    await writer.drain()
                    continue
                line, reading = reading.result(), None
            elif is_rejoining and not is_seated:
                line = await asyncio.wait_for(_read_line(reader), REJOIN_TIMEOUT)
            else:
                wait_limit = timeout if is_seated else min(timeout or SEAT_TIMEOUT, SEAT_TIMEOUT)
                try:
                    async with asyncio.timeout(wait_limit or None) as limit:
                        line = await _read_line(reader)
                except TimeoutError:
                    if not limit.expired():
                        raise  # a timeout of the connection, not ours
                    raise TableError(_silence_message(player, wait_limit)) from None
            send(player.receive(line))
            if is_rejoining and not is_seated and player.conversation is not None:
                say("Back at the table.")
            await writer.drain()
    except OSError as fault:
        raise _Lost(f": {fault.strerror}" if fault.strerror else "") from None
    finally:
        for task in (typing, reading):
            if task is not None and not task.cancel() and not task.cancelled():
                task.exception()  # mark it as retrieved, or asyncio logs it


def _silence_message(player: Player, seconds: float) -> str:
    """Return the error message for a table that sends nothing."""
    if player.conversation is None:
        sentence = f"The table did not answer the request for a seat in {seconds:g} seconds."
    else:
        sentence = (
            f"The table sent nothing for {seconds:g} seconds (expected: {player.conversation.state.value})."
        )
    if player.unreadable is None:
        return sentence
    return f"{sentence} Its last line is not a message of protocol 18: {shortened(player.unreadable)}."


async def _read_line(reader: asyncio.StreamReader) -> str:
    try:
        line = await reader.readline()
    except ValueError:
        raise TableError(f"The table sent a line of more than {LONGEST_LINE} bytes.") from None
    if not line.endswith(b"\n"):
        raise _Lost
    return line.decode("latin-1")


async def _connect(
    host: str, port: int, connect_timeout: float
) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    loop = asyncio.get_running_loop()
    deadline = loop.time() + connect_timeout
    while True:
        try:
            return await _open(host, port)
        except OSError:
            if loop.time() >= deadline:
                raise TableError(f"There is no table at {host}, port {port}.") from None
            await asyncio.sleep(0.1)


async def _connect_again(
    host: str, port: int, next_pauses: Iterator[float], deadline: float, reconnect: float, why: str
) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    loop = asyncio.get_running_loop()
    for wait in next_pauses:
        seconds_left = deadline - loop.time()
        if seconds_left <= 0:
            break
        await asyncio.sleep(min(wait, seconds_left))
        try:
            return await _open(host, port)
        except OSError:
            continue
    raise TableError(f"{why} Gave up after trying for {reconnect:g} seconds.")


async def _open(host: str, port: int) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    return await asyncio.wait_for(asyncio.open_connection(host, port, limit=LONGEST_LINE), REJOIN_TIMEOUT)
