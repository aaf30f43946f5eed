import asyncio
from collections.abc import Awaitable, Callable

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from overtrick.host import serving
from overtrick.host.serving import open_server

GET = b"GET /%s HTTP/1.1\r\nHost: x\r\n\r\n"
Streams = tuple[asyncio.StreamReader, asyncio.StreamWriter]


def with_server(work: Callable[[Callable[[], Awaitable[Streams]], asyncio.Event], Awaitable[None]]) -> None:
    """A server for three connections; at one address its answer waits."""

    async def run() -> None:
        going_on = asyncio.Event()

        async def quick(request: Request) -> Response:
            return PlainTextResponse("quick")

        async def slow(request: Request) -> Response:
            await going_on.wait()
            return PlainTextResponse("slow")

        async def long(request: Request) -> Response:
            return PlainTextResponse("x" * 20_000_000)

        app = Starlette(routes=[Route("/quick", quick), Route("/slow", slow), Route("/long", long)])
        async with open_server(app, "127.0.0.1", 0, connections=3) as address:
            port = int(address.rpartition(":")[2])
            opened: list[Streams] = []

            async def come() -> Streams:
                opened.append(await asyncio.open_connection("127.0.0.1", port))
                return opened[-1]

            await asyncio.wait_for(work(come, going_on), 20)
            going_on.set()
            for _, writer in opened:
                writer.close()

    asyncio.run(run())


async def ask(streams: Streams, path: bytes = b"quick") -> bytes:
    streams[1].write(GET % path)
    return await streams[0].readline()


def test_whoever_comes_when_all_are_at_work_is_told_to_come_back(caplog: pytest.LogCaptureFixture) -> None:
    async def work(come: Callable[[], Awaitable[Streams]], going_on: asyncio.Event) -> None:
        asked = [asyncio.create_task(ask(await come(), b"slow")) for _ in range(3)]
        await asyncio.sleep(0.1)
        late = await come()
        answer = await late[0].read()
        assert answer.startswith(b"HTTP/1.1 503 ")
        going_on.set()
        assert [answer.split()[1] for answer in await asyncio.gather(*asked)] == [b"200"] * 3

    with_server(work)
    assert "all 3 connections are in use" in caplog.text


def test_whoever_never_reads_its_answer_makes_room(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(serving, "SILENCE", 0.1)

    async def work(come: Callable[[], Awaitable[Streams]], going_on: asyncio.Event) -> None:
        for _ in range(9):
            greedy = await come()
            greedy[0]._transport.pause_reading()  # type: ignore[attr-defined]
            greedy[1].write(GET % b"long")
            await asyncio.sleep(0.15)
        assert (await ask(await come())).startswith(b"HTTP/1.1 200 ")

    with_server(work)


def test_many_who_come_at_once_when_all_are_silent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(serving, "SILENCE", 1)

    async def work(come: Callable[[], Awaitable[Streams]], going_on: asyncio.Event) -> None:
        for _ in range(3):
            await come()
        await asyncio.sleep(1.1)
        answers = await asyncio.gather(*[ask(await come()) for _ in range(5)])
        assert sorted(answer.split()[1] for answer in answers) == [b"200"] * 3 + [b"503"] * 2

    with_server(work)


def test_whoever_is_silent_makes_room(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(serving, "SILENCE", 0.1)

    async def work(come: Callable[[], Awaitable[Streams]], going_on: asyncio.Event) -> None:
        silent = await come()
        await asyncio.sleep(0.05)
        half = await come()
        half[1].write(b"GET /quick HT")
        working = asyncio.create_task(ask(await come(), b"slow"))
        await asyncio.sleep(0.2)
        assert (await ask(await come())).startswith(b"HTTP/1.1 200 ")
        assert await silent[0].read() == b"", "the one that was silent longest"
        assert (await ask(await come())).startswith(b"HTTP/1.1 200 ")
        going_on.set()
        assert (await working).startswith(b"HTTP/1.1 200 ")

    with_server(work)
    assert "one that was silent was closed" in caplog.text
