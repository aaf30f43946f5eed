"""A player on the network: lines from the table to the player, and its answers back. Knows no bridge."""

import asyncio

from overtrick.tablemanager.player import Player
from overtrick.tablemanager.rules import TableError
from overtrick.tablemanager.server import LONGEST_LINE


async def sit_in(player: Player, host: str, port: int, *, patience: float = 10.0) -> None:
    """Connect, and play until the session is over; TableError when it ends in any other way.

    A table that does not listen yet is tried again for `patience` seconds.
    """
    reader, writer = await _connect(host, port, patience)
    try:
        writer.write(player.hello().encode("latin-1", "replace") + b"\r\n")
        while not player.is_over:
            try:
                line = await reader.readline()
            except ValueError:
                raise TableError("The table sent a line without end.") from None
            if not line:
                raise TableError("The table hung up before the session was over.")
            answers = player.receive(line.decode("latin-1"))
            if answers:
                writer.write("".join(f"{answer}\r\n" for answer in answers).encode("latin-1", "replace"))
                await writer.drain()
    except ConnectionError as fault:
        raise TableError(f"The connection to the table was lost: {fault}.") from None
    finally:
        writer.close()


async def _connect(
    host: str, port: int, patience: float
) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    loop = asyncio.get_running_loop()
    until = loop.time() + patience
    while True:
        try:
            return await asyncio.open_connection(host, port, limit=LONGEST_LINE)
        except OSError:
            if loop.time() >= until:
                raise TableError(f"No table listens at {host}, port {port}.") from None
            await asyncio.sleep(0.1)
