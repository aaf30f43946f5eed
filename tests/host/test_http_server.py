import asyncio
import socket
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from overtrick.host import http_server
from overtrick.host.http_server import PortTaken, listen, open_server
from tests.waiting import wait_for_async

GET = b"GET /%s HTTP/1.1\r\nHost: x\r\n\r\n"
Streams = tuple[asyncio.StreamReader, asyncio.StreamWriter]


def with_server(work: Callable[[Callable[[], Awaitable[Streams]], asyncio.Event], Awaitable[None]]) -> None:
    """Run a server for three connections; at one path its answer waits."""

    async def run() -> None:
        going_on = asyncio.Event()

        async def quick(request: Request) -> Response:
            return PlainTextResponse("quick")

        async def slow(request: Request) -> Response:
            await going_on.wait()
            return PlainTextResponse("slow")

        async def long(request: Request) -> Response:
            return PlainTextResponse("x" * 20_000_000)

        async def count(request: Request) -> Response:
            return PlainTextResponse(str(len(await request.body())))

        app = Starlette(
            routes=[
                Route("/quick", quick),
                Route("/slow", slow),
                Route("/long", long),
                Route("/count", count, methods=["POST"]),
            ]
        )
        async with open_server(app, "127.0.0.1", 0, connections=3) as address:
            port = int(address.rpartition(":")[2])
            opened: list[Streams] = []

            async def come() -> Streams:
                opened.append(await asyncio.open_connection("127.0.0.1", port))
                return opened[-1]

            await asyncio.wait_for(work(come, going_on), 30)
            going_on.set()
            for _, writer in opened:
                writer.close()

    asyncio.run(run())


async def ask(streams: Streams, path: bytes = b"quick") -> bytes:
    streams[1].write(GET % path)
    return await streams[0].readline()


def test_post_with_an_offer_of_http_2_keeps_its_body(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Java's clients offer it always. A parser that loses the body then may be installed, and would be preferred."""
    monkeypatch.setattr("uvicorn.protocols.http.auto.AutoHTTPProtocol", asyncio.Protocol)

    async def work(come: Callable[[], Awaitable[Streams]], going_on: asyncio.Event) -> None:
        reader, writer = await come()
        for _ in range(2):
            writer.write(
                b"POST /count HTTP/1.1\r\nHost: x\r\nConnection: Upgrade, HTTP2-Settings\r\nContent-Length: 5\r\n"
                b"HTTP2-Settings: AAEAAEAAAAIAAAABAAMAAABkAAQBAAAAAAUAAEAA\r\nUpgrade: h2c\r\n\r\nseven"
            )
            await reader.readuntil(b"\r\n\r\n")
            assert await reader.readexactly(1) == b"5"

    with_server(work)
    assert caplog.text == ""


@pytest.mark.skipif(not socket.has_dualstack_ipv6(), reason="there is no IPv6 here")
def test_this_computer_is_served_at_both_of_its_addresses() -> None:
    async def run() -> None:
        async def who(request: Request) -> Response:
            assert request.client is not None
            return PlainTextResponse(request.client.host)

        async with open_server(Starlette(routes=[Route("/", who)]), "127.0.0.1", 0) as address:
            port = int(address.rpartition(":")[2])
            for host in ("127.0.0.1", "::1"):
                reader, writer = await asyncio.open_connection(host, port)
                writer.write(GET % b"")
                head = await reader.readuntil(b"\r\n\r\n")
                assert b" 200 OK" in head
                assert await reader.readexactly(len(host)) == host.encode()
                writer.close()

    asyncio.run(run())


@pytest.mark.skipif(not socket.has_dualstack_ipv6(), reason="there is no IPv6 here")
def test_the_second_address_may_be_taken_by_another() -> None:
    with http_server.listen("127.0.0.1", 0) as listening:
        (second,) = http_server.ipv6_loopback(listening)
        with second:
            second.listen()
            assert http_server.ipv6_loopback(listening) == []
    with http_server.listen("0.0.0.0", 0) as anywhere:
        assert http_server.ipv6_loopback(anywhere) == []


def test_new_connection_gets_503_when_all_are_at_work(caplog: pytest.LogCaptureFixture) -> None:
    async def work(come: Callable[[], Awaitable[Streams]], going_on: asyncio.Event) -> None:
        asked = [asyncio.create_task(ask(await come(), b"slow")) for _ in range(3)]
        await wait_for_async(lambda: len(going_on._waiters) == 3)
        late = await come()
        answer = await late[0].read()
        assert answer.startswith(b"HTTP/1.1 503 ")
        going_on.set()
        assert [answer.split()[1] for answer in await asyncio.gather(*asked)] == [b"200"] * 3

    with_server(work)
    assert "all 3 connections are in use" in caplog.text


def test_connection_that_never_reads_its_answer_is_closed_for_a_new_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(http_server, "IDLE_GRACE", 0.1)

    async def work(come: Callable[[], Awaitable[Streams]], going_on: asyncio.Event) -> None:
        for _ in range(9):
            greedy = await come()
            greedy[0]._transport.pause_reading()  # type: ignore[attr-defined]
            greedy[1].write(GET % b"long")
            await asyncio.sleep(0.15)
        assert (await ask(await come())).startswith(b"HTTP/1.1 200 ")

    with_server(work)


def test_many_new_connections_at_once_replace_idle_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http_server, "REQUEST_GRACE", 0)

    async def work(come: Callable[[], Awaitable[Streams]], going_on: asyncio.Event) -> None:
        silent = [await come() for _ in range(3)]
        for _ in range(3):
            assert (await ask(await come())).startswith(b"HTTP/1.1 200 ")
        assert [await reader.read() for reader, _ in silent] == [b""] * 3
        # Those have been answered, so they may be silent for longer than those that never asked.
        assert (await (await come())[0].read()).startswith(b"HTTP/1.1 503 ")

    with_server(work)


def test_idle_connection_is_closed_for_a_new_one(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(http_server, "REQUEST_GRACE", 0.1)

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
    assert "one that sent 0 bytes in" in caplog.text
    assert "one that sent 13 bytes in" in caplog.text


POST = b"POST /count HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n"


def test_slow_body_is_closed_for_a_new_connection_and_a_request_at_work_is_not(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(http_server, "REQUEST_GRACE", 0)

    async def work(come: Callable[[], Awaitable[Streams]], going_on: asyncio.Event) -> None:
        begun = await come()
        working = asyncio.create_task(ask(begun, b"slow"))
        quick = await come()
        await ask(quick)  # by now the first one is at work
        for _ in range(20):
            dribbling = await come()
            dribbling[1].write(POST + b"x")
        whole = await come()
        whole[1].write(POST + b"x" * 1000)
        assert (await whole[0].readline()).startswith(b"HTTP/1.1 200 ")
        going_on.set()
        assert (await working).startswith(b"HTTP/1.1 200 ")

    with_server(work)
    assert "all 3 connections are taken" in caplog.text


class Cycle:
    """A request under way."""

    def __init__(self) -> None:
        self.response_complete = False
        self.more_body = True


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def time(self) -> float:
        return self.now


class Plain:
    """As much of a protocol of uvicorn's as places are given by."""

    def __init__(self, loop: Clock, connections: set["Plain"]) -> None:
        self.loop = loop
        self.connections = connections
        self.cycle: Cycle | None = None

    def connection_made(self, transport: "Line") -> None:
        self.transport = transport
        self.connections.add(self)

    def data_received(self, chunk: bytes) -> None:
        if self.cycle is None or self.cycle.response_complete:
            self.cycle = Cycle()

    def on_response_complete(self) -> None:
        assert self.cycle is not None
        self.cycle.response_complete = True


class Line:
    """As much of a transport."""

    state = "open"

    def __init__(self, host: str) -> None:
        self.host = host

    def get_extra_info(self, name: str) -> tuple[str, int]:
        assert name == "peername"
        return self.host, 50_000

    def set_protocol(self, protocol: object) -> None:
        pass

    def write(self, text: bytes) -> None:
        assert text == http_server.UNAVAILABLE
        self.state = "turned away"

    def close(self) -> None:
        assert self.state == "turned away"

    def abort(self) -> None:
        self.state = "closed"


class Hall:
    """Three places, and a clock in our hand."""

    def __init__(self) -> None:
        self.clock = Clock()
        self.connections: set[Plain] = set()
        self.kind = http_server.limited_protocol(
            Plain, http_server.ConnectionLimits(3, 2, idle_grace=5.0, request_grace=0.5)
        )

    def come(self, sent: int = 0, host: str = "127.0.0.1") -> Any:
        made = self.kind(self.clock, self.connections)
        made.connection_made(Line(host))
        if sent:
            made.data_received(b"x" * sent)
        return made

    def answered(self) -> Any:
        made = self.asked()
        made.on_response_complete()
        return made

    def asked(self) -> Any:
        made = self.come(10)
        made.cycle.more_body = False
        return made

    def wait(self, seconds: float) -> None:
        self.clock.now += seconds


def states(*connections: Any) -> list[str]:
    return [each.transport.state for each in connections]


def test_the_slowest_is_closed_not_the_oldest() -> None:
    hall = Hall()
    quick = hall.come(5_000)
    hall.wait(1)
    middling = hall.come(400)
    hall.wait(1)
    slow = hall.come(3)
    hall.wait(8)
    hall.come()
    assert states(quick, slow, middling) == ["open", "closed", "open"]


def test_new_connection_is_not_closed_within_its_first_moment() -> None:
    hall = Hall()
    older = hall.come(10_000)
    hall.wait(1)
    young = [hall.come(), hall.come()]
    hall.come()
    assert states(older, *young) == ["closed", "open", "open"]


def test_oldest_of_many_new_connections_is_closed() -> None:
    hall = Hall()
    came = []
    for _ in range(5):
        came.append(hall.come())
        hall.wait(0.01)
    assert states(*came) == ["closed", "closed", "open", "open", "open"]


def test_connection_at_work_stays_and_answered_one_stays_a_while() -> None:
    hall = Hall()
    working, first, second = hall.asked(), hall.answered(), hall.answered()
    hall.wait(4)
    assert not hasattr(hall.come(), "transport"), "it was turned away"
    assert states(working, first, second) == ["open"] * 3
    second.data_received(b"x" * 10)
    second.cycle.more_body = False
    second.on_response_complete()
    hall.wait(1)
    last = hall.come()
    assert states(working, first, second, last) == ["open", "closed", "open", "open"]


def test_a_request_that_begins_after_a_pause_is_timed_from_its_beginning() -> None:
    hall = Hall()
    paused, slow, other = hall.answered(), hall.answered(), hall.asked()
    hall.wait(60)
    slow.data_received(b"x")
    hall.wait(1)
    paused.data_received(b"x" * 100)
    hall.wait(0.1)
    hall.come()
    assert states(paused, slow, other) == ["open", "closed", "open"]


def test_port_in_use_is_an_error_with_a_remedy() -> None:
    told = pytest.raises(PortTaken, match="is already in use, perhaps by another Overtrick")
    with listen("127.0.0.1", 0) as taken, told:
        listen("127.0.0.1", taken.getsockname()[1])


def test_request_at_work_after_the_grace_period_is_answered(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(http_server, "SHUTDOWN_TIMEOUT", 0.1)

    async def run() -> bytes:
        is_at_work = asyncio.Event()

        async def never(request: Request) -> Response:
            await request.body()
            is_at_work.set()
            await asyncio.Event().wait()
            raise AssertionError

        app = Starlette(routes=[Route("/never", never, methods=["POST"])])
        async with open_server(app, "127.0.0.1", 0) as address:
            reader, writer = await asyncio.open_connection("127.0.0.1", int(address.rpartition(":")[2]))
            writer.write(b"POST /never HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\nab")
            await asyncio.wait_for(is_at_work.wait(), 20)
        answer = await asyncio.wait_for(reader.read(), 20)
        writer.close()
        return answer

    answer = asyncio.run(run())
    assert answer.startswith(b"HTTP/1.1 503 ")
    assert b"may or may not have been done" in answer
    assert "Traceback" not in caplog.text


def test_limit_of_one_address_does_not_close_connections_of_others() -> None:
    hall = Hall()
    other = hall.come(host="192.0.2.1")
    hall.wait(1)
    own = []
    for _ in range(2):
        own.append(hall.come(host="192.0.2.2"))
        hall.wait(1)
    hall.come(host="192.0.2.2")
    assert states(other, *own) == ["open", "closed", "open"]


def test_address_at_its_limit_gets_503_and_other_addresses_connect() -> None:
    hall = Hall()
    for _ in range(2):
        made = hall.come(10, host="192.0.2.2")
        made.cycle.more_body = False
    late = hall.kind(hall.clock, hall.connections)
    line = Line("192.0.2.2")
    late.connection_made(line)
    assert line.state == "turned away"
    assert states(hall.come(host="192.0.2.1")) == ["open"]


@pytest.mark.parametrize(
    ("sent", "is_body", "seconds"),
    [(0, False, 10.0), (500, False, 10.0), (500, True, 30.0), (5_000_000, True, 130.0)],
)
def test_incomplete_request_is_overdue_after_its_time(sent: int, is_body: bool, seconds: float) -> None:
    hall = Hall()
    made = hall.come(sent)
    if not is_body:
        made.cycle = None
    assert not made.is_overdue(hall.clock.now + seconds - 0.1)
    assert made.is_overdue(hall.clock.now + seconds + 0.1)


def test_request_at_work_and_connection_that_was_answered_are_never_overdue() -> None:
    hall = Hall()
    working, answered = hall.asked(), hall.answered()
    assert not working.is_overdue(hall.clock.now + 1e6)
    assert not answered.is_overdue(hall.clock.now + 1e6)


@pytest.mark.parametrize("begun", [b"", b"GET /quick HT", POST + b"x"])
def test_connection_whose_request_does_not_come_is_closed(
    monkeypatch: pytest.MonkeyPatch, begun: bytes
) -> None:
    monkeypatch.setattr(http_server, "HEADER_TIMEOUT", 0.2)
    monkeypatch.setattr(http_server, "BODY_TIMEOUT", 0.2)

    async def work(come: Callable[[], Awaitable[Streams]], going_on: asyncio.Event) -> None:
        reader, writer = await come()
        writer.write(begun)
        assert await reader.read() == b""

    with_server(work)


def test_server_takes_fewer_connections_than_there_are_files() -> None:
    resource = pytest.importorskip("resource")
    files = resource.getrlimit(resource.RLIMIT_NOFILE)
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (256, 256) if files[1] == 256 else (256, files[1]))
        assert http_server.allow_connections(100) == 100
        assert (
            http_server.allow_connections(10**9)
            == resource.getrlimit(resource.RLIMIT_NOFILE)[0] - http_server.KEPT_FILES
        )
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, files)
