"""A stream over real connections: what is written to a reader who does not read stays small."""

import asyncio
import random
import socket
import zlib
from contextlib import aclosing, asynccontextmanager
from functools import partial
from typing import TYPE_CHECKING, Any

import httpx
import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from overtrick.host.http_server import open_server
from overtrick.web import live_page
from overtrick.web.session_projection import LiveSessions, Regions, SessionProjection
from overtrick.web.sse_response import EventStream
from tests.web.test_session_projection import Evening, count, evening, hear

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

__all__ = ["evening"]

LARGE = 200_000


def large(projection: SessionProjection) -> Regions:
    """A page that cannot be gzipped, and is another for each version."""
    return {**count(projection), "noise": random.Random(projection.version).randbytes(LARGE // 2).hex()}


@asynccontextmanager
async def served(live: LiveSessions, guid: str, page: Any) -> "AsyncIterator[tuple[str, int]]":
    """A page's stream, served; where."""

    async def stream(request: Request) -> Response:
        return EventStream(partial(live.follow, guid, "page", page))

    app = Starlette(routes=[Route("/", stream)])
    async with open_server(app, "127.0.0.1", 0, closing=live.close) as address:
        host, _, port = address.removeprefix("http://").rpartition(":")
        yield host, int(port)


def test_slow_reader_is_sent_only_the_newest_page(evening: Evening, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live_page, "PAUSE", 0.0)
    monkeypatch.setattr(live_page, "SHARE", 0)
    changes = 40

    async def main() -> None:
        live = LiveSessions(evening.runtime.journal)
        async with served(live, evening.guid, large) as where:
            stuck = socket.socket()
            stuck.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 32 * 1024)
            stuck.connect(where)
            stuck.sendall(b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
            async with aclosing(live.follow(evening.guid, "page", large)) as following:
                assert (await hear(following))["count"] == "0"
                for number in range(changes):
                    evening.score(number)
                    assert (await hear(following))["count"] == str(number + 1)
            stuck.settimeout(5)
            newest, come = f'"count":"{changes}"'.encode(), b""
            while newest not in come:
                piece = await asyncio.to_thread(stuck.recv, 2**16)
                assert piece, "the stream has ended"
                come += piece
            stuck.close()
            # The first page and the newest, and what was on its way when it stopped to read.
            assert len(come) < 6 * LARGE < changes * LARGE

    asyncio.run(main())


@pytest.mark.parametrize("is_squeezed", [False, True])
def test_reconnecting_browser_sends_its_last_event_id(evening: Evening, is_squeezed: bool) -> None:
    evening.score(0)

    async def ask(where: tuple[str, int], *headers: str) -> tuple[asyncio.StreamWriter, "Reading"]:
        reader, writer = await asyncio.open_connection(*where)
        accepted = ("Accept-Encoding: gzip",) if is_squeezed else ()
        lines = ("GET /?after=1.1 HTTP/1.1", "Host: 127.0.0.1", *accepted, *headers, "", "")
        writer.write("\r\n".join(lines).encode())
        head = await reader.readuntil(b"\r\n\r\n")
        assert b"200 OK" in head
        assert (b"content-encoding: gzip" in head) == is_squeezed
        return writer, Reading(reader, is_squeezed)

    async def main() -> None:
        live = LiveSessions(evening.runtime.journal)
        async with served(live, evening.guid, count) as where:
            writer, reading = await ask(where)
            mark = (await reading.until(b'"count":"1"')).split(b"id: ")[1].split(b"\n")[0].decode()
            again, silent = await ask(where, f"Last-Event-ID: {mark}")
            evening.score(1)
            await reading.until(b'"count":"2"')
            assert b'"count":"1"' not in await silent.until(b'"count":"2"')
            for each in (writer, again):
                each.close()

    asyncio.run(main())


class Reading:
    """Chunks of an answer, unzipped where they are zipped."""

    def __init__(self, reader: asyncio.StreamReader, is_squeezed: bool) -> None:
        self._reader = reader
        self._unzip = zlib.decompressobj(16 + zlib.MAX_WBITS) if is_squeezed else None

    async def until(self, wanted: bytes) -> bytes:
        """All that comes until something has."""
        come = b""
        async with asyncio.timeout(30):
            while wanted not in come:
                length = int(await self._reader.readline(), 16)
                assert length, "the stream has ended"
                chunk = (await self._reader.readexactly(length + 2))[:-2]
                come += self._unzip.decompress(chunk) if self._unzip else chunk
        return come


def test_bad_stream_request_is_answered_with_an_error(browser: httpx.Client, guid: str) -> None:
    live = (f"/live/{guid}/stream", f"/results/{guid}/follow/version", f"/desk/{guid}/results/stream")
    for path in live:
        assert browser.head(path).status_code == 200
        answer = browser.get(path.replace(guid, "X"))
        assert (answer.status_code, "There is no session X." in answer.text) == (404, True), path
        assert browser.head(path.replace(guid, "X")).status_code == 404, path
    for path in ("/teams/X/stream", "/desk/teams/X/1/stream"):
        assert browser.head(path).status_code == browser.get(path).status_code == 404, path
