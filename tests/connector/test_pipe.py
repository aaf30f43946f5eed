import asyncio
import json
import os
import socket
import stat
import tempfile
import threading
import time
from collections.abc import Awaitable, Callable, Coroutine, Iterator
from pathlib import Path

import pytest

from overtrick.connector import address, pipe
from overtrick.connector.dispatch import Answer
from overtrick.connector.pipe import (
    MOST_CLIENTS,
    PipeConnection,
    PipeServer,
    PipeTaken,
    bind,
    listen_on_named_pipe,
    open_pipe,
    relay,
)
from overtrick.connector.wire.numbers import ErrorType
from tests.waiting import wait_for_async

Streams = tuple[asyncio.StreamReader, asyncio.StreamWriter]


@pytest.fixture
def place() -> Iterator[Path]:
    """A path that is short enough for a socket."""
    with tempfile.TemporaryDirectory(prefix="ot") as folder:
        yield Path(folder) / "pipe"


def echo(line: bytes) -> Answer:
    if line == b"fail":
        raise ZeroDivisionError
    return Answer(line, closes=line == b"bye")


def with_pipe(place: Path, work: Callable[[], Awaitable[None]]) -> None:
    async def run() -> None:
        async with open_pipe(str(place), echo):
            await asyncio.wait_for(work(), 30)

    asyncio.run(run())


async def ask(streams: Streams, line: bytes) -> bytes:
    reader, writer = streams
    writer.write(line + b"\n")
    return await asyncio.wait_for(reader.readline(), 30)


def test_pipe_path_is_the_one_that_dotnet_opens(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", "/tmp")
    expected = "/tmp/CoreFxPipe_BridgeSystems.Bridgemate.DataConnectorService.ScoringProgram.johndoe"
    assert address.pipe_path("johndoe") == expected


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="users have numbers on Unix only")
def test_pipe_of_a_user_without_a_name_is_named_by_the_number(monkeypatch: pytest.MonkeyPatch) -> None:
    import pwd

    for name in ("LOGNAME", "USER", "LNAME", "USERNAME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(os, "getuid", lambda: 4_000_000_001)  # no entry in passwd, as in a container
    with pytest.raises(KeyError):
        pwd.getpwuid(os.getuid())
    assert address.pipe_name().endswith(".ScoringProgram.4000000001")


def test_pipe_is_free_after_a_client_is_killed(place: Path) -> None:
    async def work() -> None:
        for _ in range(20):
            dying = socket.socket(socket.AF_UNIX)
            dying.connect(str(place))
            dying.send(b"one\n{never ending")
            dying.close()
            await asyncio.sleep(0)
        answer = b"Busy"
        while answer != b"two\n":  # Busy for as long as one of them is not noticed to be dead
            streams = await asyncio.open_unix_connection(place)
            answer = await ask(streams, b"two")
            streams[1].close()

    with_pipe(place, work)


def test_disconnect_closes_the_connection(place: Path) -> None:
    async def work() -> None:
        streams = await asyncio.open_unix_connection(place)
        assert await ask(streams, b"bye") == b"bye\n"
        assert await streams[0].read() == b""
        streams[1].close()

    with_pipe(place, work)


def test_failing_request_closes_only_its_own_connection(place: Path) -> None:
    async def work() -> None:
        streams = await asyncio.open_unix_connection(place)
        assert await ask(streams, b"fail") == b""
        streams[1].close()
        streams = await asyncio.open_unix_connection(place)
        assert await ask(streams, b"one") == b"one\n"
        streams[1].close()

    with_pipe(place, work)


def test_idle_client_keeps_the_pipe_and_a_second_client_is_answered_busy(place: Path) -> None:
    async def work() -> None:
        first = await asyncio.open_unix_connection(place)
        assert await ask(first, b"one") == b"one\n"
        for _ in range(2):
            second = await asyncio.open_unix_connection(place)
            answer = json.loads(await ask(second, b'{"Command": 4, "SerializedData": ""}'))
            assert (answer["RequestCommand"], answer["ErrorType"]) == (4, ErrorType.Busy)
            assert "Another program is connected" in json.loads(answer["SerializedData"])
            assert await asyncio.wait_for(second[0].read(), 30) == b"", "and closed"
            second[1].close()
        assert await ask(first, b"still here") == b"still here\n"
        first[1].close()
        third = await asyncio.open_unix_connection(place)
        assert await ask(third, b"two") == b"two\n"
        third[1].close()

    with_pipe(place, work)


def test_second_client_is_answered_busy_at_once(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pipe, "BUSY_WAIT", 3600)

    async def work() -> None:
        first = await asyncio.open_unix_connection(place)
        assert await ask(first, b"one") == b"one\n"
        second = await asyncio.open_unix_connection(place)
        answer = json.loads(await ask(second, b'{"Command": 4, "SerializedData": ""}'))
        assert answer["ErrorType"] == ErrorType.Busy
        for streams in (first, second):
            streams[1].close()

    with_pipe(place, work)


def test_client_that_connects_while_the_first_disconnects_gets_the_pipe(place: Path) -> None:
    async def work() -> None:
        for _ in range(200):
            streams = await asyncio.open_unix_connection(place)
            assert await ask(streams, b"one") == b"one\n"
            streams[1].write(b"bye\n")  # nobody waits for the answer
            streams[1].close()

    with_pipe(place, work)


def test_the_desk_sees_the_client_and_closes_its_connection_when_it_is_answered(place: Path) -> None:
    asked, going_on = threading.Event(), threading.Event()

    def answer(line: bytes) -> Answer:
        if line == b"slow":
            asked.set()
            assert going_on.wait(30)
        return Answer(line)

    async def run() -> None:
        async with open_pipe(str(place), answer) as taken:
            assert taken.connected() is None
            assert not taken.disconnect()
            reader, writer = await asyncio.open_unix_connection(place)
            assert await ask((reader, writer), b"one") == b"one\n"
            seen = taken.connected()
            assert seen is not None
            assert (seen.requests, seen.process) == (1, os.getpid())
            assert seen.last is not None
            assert seen.since <= seen.last
            writer.write(b"slow\nnever asked\n")
            await asyncio.to_thread(asked.wait, 30)
            assert taken.disconnect()
            going_on.set()
            assert await asyncio.wait_for(reader.read(), 30) == b"slow\n"
            writer.close()
            streams = await asyncio.open_unix_connection(place)
            assert await ask(streams, b"two") == b"two\n"
            assert taken.disconnect(), "also while it asks nothing"
            assert await asyncio.wait_for(streams[0].read(), 30) == b""
            await wait_for_async(lambda: taken.connected() is None)
            streams[1].close()

    asyncio.run(run())


def test_clients_of_a_named_pipe_of_windows_are_relayed_to_the_same_server(place: Path) -> None:
    asked, going_on = threading.Event(), threading.Event()

    def answer(line: bytes) -> Answer:
        if line == b"slow":
            asked.set()
            going_on.wait(30)
        return echo(line)

    async def run() -> bytes:
        loop = asyncio.get_running_loop()

        async def start_serving_pipe(
            protocol: Callable[[], asyncio.Protocol], path: str
        ) -> list[asyncio.AbstractServer]:
            return [await loop.create_unix_server(protocol, path)]

        loop.start_serving_pipe = start_serving_pipe  # type: ignore[attr-defined]
        server = PipeServer(answer)
        async with listen_on_named_pipe(str(place), server):
            first = await asyncio.open_unix_connection(place)
            assert await ask(first, b"one") == b"one\n"
            second = await asyncio.open_unix_connection(place)
            refused = json.loads(await ask(second, b"what is no request"))
            assert refused["ErrorType"] == ErrorType.Busy
            assert await asyncio.wait_for(second[0].read(), 30) == b""
            assert server.slot.disconnect()
            assert await asyncio.wait_for(first[0].read(), 30) == b""
            await wait_for_async(lambda: server.slot.connected() is None)
            third = await asyncio.open_unix_connection(place)
            assert await ask(third, b"two") == b"two\n"
            third[1].close()
            await wait_for_async(lambda: server.slot.connected() is None)
            last = await asyncio.open_unix_connection(place)
            last[1].write(b"slow\nnever asked")
            await asyncio.to_thread(asked.wait, 30)
            loop.call_later(0.05, going_on.set)
        rest = await asyncio.wait_for(last[0].read(), 30)
        for _, writer in (first, second, last):
            writer.close()
        return rest

    assert asyncio.run(run()) == b"slow\n", "a request in progress is answered before the pipe is closed"


def test_connections_above_the_limit_are_refused(place: Path) -> None:
    def connected() -> socket.socket:
        made = socket.socket(socket.AF_UNIX)
        made.settimeout(30)
        made.connect(str(place))
        return made

    def talk() -> None:
        clients = [connected() for _ in range(MOST_CLIENTS)]
        clients[0].sendall(b"one\n")
        assert clients[0].recv(100) == b"one\n"
        last = connected()
        assert last.recv(100) == b"", "turned away"
        clients[0].sendall(b"two\n")
        assert clients[0].recv(100) == b"two\n"
        for client in (*clients, last):
            client.close()

    async def work() -> None:
        await asyncio.to_thread(talk)

    with_pipe(place, work)


def test_connection_without_a_request_does_not_take_the_pipe(place: Path) -> None:
    async def work() -> None:
        first = await asyncio.open_unix_connection(place)
        assert await ask(first, b"one") == b"one\n"
        for _ in range(3):
            with pytest.raises(PipeTaken, match="Another Data Connector"):
                bind(place)
        assert await ask(first, b"two") == b"two\n"
        first[1].close()

    with_pipe(place, work)


def test_a_request_under_way_is_answered_before_the_pipe_is_closed(place: Path) -> None:
    asked = threading.Event()

    def slowly(line: bytes) -> Answer:
        asked.set()
        time.sleep(0.2)
        return Answer(line)

    async def run() -> bytes:
        async with open_pipe(str(place), slowly):
            reader, writer = await asyncio.open_unix_connection(place)
            writer.write(b"one\ntwo")
            await asyncio.to_thread(asked.wait)
        try:
            return await asyncio.wait_for(reader.read(), 30)
        finally:
            writer.close()

    assert asyncio.run(run()) == b"one\n"


def pair() -> tuple[socket.socket, socket.socket]:
    ours, theirs = socket.socketpair()
    theirs.setblocking(False)
    return ours, theirs


async def in_thread(ours: socket.socket, longest: int, timeout: float) -> None:
    with ours:
        conversing = PipeConnection(ours, echo, longest=longest, timeout=timeout)
        await asyncio.to_thread(conversing.run)


async def relayed(ours: socket.socket, longest: int, timeout: float) -> None:
    streams = await asyncio.open_unix_connection(sock=ours)
    near, far = socket.socketpair()
    relaying = asyncio.create_task(relay(*streams, near, timeout=30))
    try:
        await in_thread(far, longest, timeout)
    except TimeoutError:
        relaying.cancel()
        raise
    finally:
        await asyncio.wait([relaying])


@pytest.fixture(params=[in_thread, relayed])
def serve_one(request: pytest.FixtureRequest) -> Callable[..., Coroutine[None, None, None]]:
    serving: Callable[..., Coroutine[None, None, None]] = request.param
    return serving


def test_requests_in_one_piece_or_in_many_are_answered_alike(
    serve_one: Callable[..., Coroutine[None, None, None]],
) -> None:
    async def run() -> None:
        ours, theirs = pair()
        served = asyncio.create_task(serve_one(ours, 100_000, 5))
        loop = asyncio.get_running_loop()
        for piece in (b"\xef\xbb\xbfone\r\ntwo\n", b"th", b"ree\r", b"\n", b"\n\nbye\nnever"):
            await loop.sock_sendall(theirs, piece)
            await asyncio.sleep(0.01)
        await asyncio.wait_for(served, 30)
        assert await loop.sock_recv(theirs, 4096) == b"one\ntwo\nthree\nbye\n"
        theirs.close()

    asyncio.run(run())


def test_disconnecting_client_need_not_read_its_answer(
    serve_one: Callable[..., Coroutine[None, None, None]],
) -> None:
    async def run() -> None:
        ours, theirs = pair()
        theirs.sendall(b"bye\n")
        theirs.close()
        await asyncio.wait_for(serve_one(ours, 100_000, 5), 30)

    asyncio.run(run())


def test_endless_line_is_answered_with_an_error_and_the_connection_closed(
    serve_one: Callable[..., Coroutine[None, None, None]],
) -> None:
    async def run() -> None:
        ours, theirs = pair()
        served = asyncio.create_task(serve_one(ours, 100_000, 5))
        loop = asyncio.get_running_loop()
        sending = asyncio.create_task(loop.sock_sendall(theirs, b"x" * 100_000_000))
        await asyncio.wait_for(served, 30)
        answer = json.loads(await loop.sock_recv(theirs, 4096))
        assert answer["ErrorType"] == ErrorType.Validation
        with pytest.raises((BrokenPipeError, ConnectionResetError)):
            await sending
        theirs.close()

    asyncio.run(run())


def test_client_that_never_reads_is_disconnected(
    serve_one: Callable[..., Coroutine[None, None, None]],
) -> None:
    async def run() -> None:
        ours, theirs = pair()
        served = asyncio.create_task(serve_one(ours, 100_000, 0.2))
        loop = asyncio.get_running_loop()
        sending = asyncio.create_task(loop.sock_sendall(theirs, (b"x" * 50_000 + b"\n") * 1000))
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(served, 30)
        sending.cancel()
        theirs.close()

    asyncio.run(run())


def test_relay_disconnects_a_client_that_never_reads() -> None:
    async def run() -> None:
        ours, theirs = pair()
        streams = await asyncio.open_unix_connection(sock=ours)
        near, server = pair()
        sending = asyncio.create_task(asyncio.get_running_loop().sock_sendall(server, b"x" * 50_000_000))
        await asyncio.wait_for(relay(*streams, near, timeout=0.1), 30)
        with pytest.raises((BrokenPipeError, ConnectionResetError)):
            await asyncio.wait_for(sending, 30)
        theirs.close()
        server.close()

    asyncio.run(run())


def test_socket_is_private_to_its_user_and_removed_when_the_server_stops(place: Path) -> None:
    async def work() -> None:
        assert stat.S_IMODE(place.stat().st_mode) == 0o600

    with_pipe(place, work)
    assert not place.exists()


def test_stale_socket_is_replaced(place: Path) -> None:
    bind(place).close()
    assert place.exists()
    bind(place).close()


def test_socket_in_use_or_other_file_is_not_replaced(place: Path) -> None:
    listening = bind(place)
    with pytest.raises(PipeTaken, match="Another Data Connector"):
        bind(place)
    listening.close()
    place.unlink()
    place.write_text("a letter")
    with pytest.raises(PipeTaken, match="not our pipe"):
        bind(place)
    assert place.read_text() == "a letter"
    with pytest.raises(PipeTaken, match="cannot be opened"):
        bind(place.parent / ("long" * 40))
