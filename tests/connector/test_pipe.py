import asyncio
import json
import socket
import stat
import tempfile
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path

import pytest

from overtrick.connector import pipe
from overtrick.connector.pipe import PipeTaken, bind, converse, open_pipe
from overtrick.connector.service import Answer
from overtrick.connector.wire.numbers import ErrorType

Streams = tuple[asyncio.StreamReader, asyncio.StreamWriter]


@pytest.fixture
def place() -> Iterator[Path]:
    """A path that is short enough for a socket."""
    with tempfile.TemporaryDirectory(prefix="ot") as folder:
        yield Path(folder) / "pipe"


async def echo(line: bytes) -> Answer:
    if line == b"fail":
        raise ZeroDivisionError
    return Answer(line, closes=line == b"bye")


def with_pipe(place: Path, work: Callable[[], Awaitable[None]]) -> None:
    async def run() -> None:
        async with open_pipe(str(place), echo):
            await asyncio.wait_for(work(), 20)

    asyncio.run(run())


async def ask(streams: Streams, line: bytes) -> bytes:
    reader, writer = streams
    writer.write(line + b"\n")
    return await asyncio.wait_for(reader.readline(), 5)


def test_the_name_that_dotnet_looks_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", "/tmp")
    expected = "/tmp/CoreFxPipe_BridgeSystems.Bridgemate.DataConnectorService.ScoringProgram.johndoe"
    assert pipe.pipe_path("johndoe") == expected


def test_one_client_at_a_time_and_the_next_waits(place: Path) -> None:
    async def work() -> None:
        first = await asyncio.open_unix_connection(place)
        assert await ask(first, b"one") == b"one\n"
        second = await asyncio.open_unix_connection(place)
        second[1].write(b"two\n")
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(second[0].readline(), 0.1)
        assert await ask(first, b"more") == b"more\n"
        first[1].write(b"half a request")
        first[1].close()
        assert await asyncio.wait_for(second[0].readline(), 5) == b"two\n"
        second[1].close()

    with_pipe(place, work)


def test_a_client_that_dies_leaves_the_pipe_to_the_next(place: Path) -> None:
    async def work() -> None:
        for _ in range(20):
            dying = socket.socket(socket.AF_UNIX)
            dying.connect(str(place))
            dying.send(b"one\n{never ending")
            dying.close()
            await asyncio.sleep(0.001)
        streams = await asyncio.open_unix_connection(place)
        assert await ask(streams, b"two") == b"two\n"
        streams[1].close()

    with_pipe(place, work)


def test_whoever_disconnects_is_let_go(place: Path) -> None:
    async def work() -> None:
        streams = await asyncio.open_unix_connection(place)
        assert await ask(streams, b"bye") == b"bye\n"
        assert await streams[0].read() == b""
        streams[1].close()

    with_pipe(place, work)


def test_what_goes_wrong_closes_that_connection_alone(place: Path) -> None:
    async def work() -> None:
        streams = await asyncio.open_unix_connection(place)
        assert await ask(streams, b"fail") == b""
        streams[1].close()
        streams = await asyncio.open_unix_connection(place)
        assert await ask(streams, b"one") == b"one\n"
        streams[1].close()

    with_pipe(place, work)


def pair() -> tuple[socket.socket, socket.socket]:
    ours, theirs = socket.socketpair()
    theirs.setblocking(False)
    return ours, theirs


def test_a_line_without_end_is_answered_and_closed() -> None:
    async def run() -> None:
        ours, theirs = pair()
        reader, writer = await asyncio.open_unix_connection(sock=ours)
        served = asyncio.create_task(converse(reader, writer, echo, longest=100_000))
        loop = asyncio.get_running_loop()
        sending = asyncio.create_task(loop.sock_sendall(theirs, b"x" * 100_000_000))
        await asyncio.wait_for(served, 5)
        answer = json.loads(await loop.sock_recv(theirs, 4096))
        assert answer["ErrorType"] == ErrorType.Validation
        writer.close()
        with pytest.raises((BrokenPipeError, ConnectionResetError)):
            await sending
        theirs.close()

    asyncio.run(run())


def test_a_client_that_never_reads_is_closed() -> None:
    async def run() -> None:
        ours, theirs = pair()
        reader, writer = await asyncio.open_unix_connection(sock=ours)
        served = asyncio.create_task(converse(reader, writer, echo, patience=0.2))
        loop = asyncio.get_running_loop()
        sending = asyncio.create_task(loop.sock_sendall(theirs, (b"x" * 50_000 + b"\n") * 1000))
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(served, 5)
        sending.cancel()
        writer.transport.abort()
        theirs.close()

    asyncio.run(run())


def test_the_socket_is_for_its_user_alone_and_goes_with_the_server(place: Path) -> None:
    async def work() -> None:
        assert stat.S_IMODE(place.stat().st_mode) == 0o600

    with_pipe(place, work)
    assert not place.exists()


def test_a_socket_that_was_left_behind_is_taken_over(place: Path) -> None:
    bind(place).close()
    assert place.exists()
    bind(place).close()


def test_a_pipe_that_is_served_or_not_ours_is_left_alone(place: Path) -> None:
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
