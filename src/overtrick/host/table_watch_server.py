"""Server of the pages on which people watch computer bridge tables."""

import asyncio
import socket
from collections.abc import Awaitable, Callable
from typing import TypeVar

from overtrick.host.http_server import open_server
from overtrick.web import table_watch
from overtrick.web.table_watch import TableWatch

Answer = TypeVar("Answer")


async def serve_watch_pages(
    watch: TableWatch,
    address: str,
    port: int,
    say: Callable[[str], None],
    work: Callable[[], Awaitable[Answer]],
) -> Answer:
    """Serve the pages of `watch` while `work` runs; return its result."""

    async def close() -> None:
        await watch.close()
        # Let viewers receive the last update.
        await asyncio.sleep(2 * table_watch.RENDER_INTERVAL)

    names = frozenset(name.lower() for name in (socket.gethostname(), f"{socket.gethostname()}.local"))
    async with open_server(watch.app(names), address, port, closing=close) as where:
        say(f"Watch at {where}/")
        if watch.asks:
            say(f"The operator's own link, for answers on the page: {where}/operator/{watch.token}")
        return await work()
