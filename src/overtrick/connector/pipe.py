"""The named pipe of the guide: one connection at a time, one line a request.

Off Windows a .NET named pipe is a Unix socket in the temporary folder, and that is what this is there.
"""

import asyncio
import contextlib
import getpass
import logging
import os
import socket
import stat
import sys
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

from overtrick.connector.lines import LONGEST, Conversation, Line, TooLong
from overtrick.connector.service import Answer
from overtrick.connector.wire.envelope import refusal
from overtrick.connector.wire.numbers import ErrorType
from overtrick.errors import OvertrickError

log = logging.getLogger(__name__)

PIPE = "BridgeSystems.Bridgemate.DataConnectorService.ScoringProgram"
PATIENCE = 10.0
"""Seconds that a client may take to read its answer."""

CHUNK = 65_536

AnswerLine = Callable[[bytes], Awaitable[Answer]]


class PipeTaken(OvertrickError):
    """The pipe cannot be opened; nothing was changed."""

    code = "pipe-taken"


def pipe_name(user: str | None = None) -> str:
    """The name of a user's pipe.

    >>> pipe_name("johndoe")
    'BridgeSystems.Bridgemate.DataConnectorService.ScoringProgram.johndoe'
    """
    return f"{PIPE}.{user or getpass.getuser()}"


def pipe_path(user: str | None = None) -> str:
    """Where a user's pipe is on this computer, as .NET looks for it."""
    name = pipe_name(user)
    if sys.platform == "win32":
        return rf"\\.\pipe\{name}"
    return str(Path(tempfile.gettempdir()) / f"CoreFxPipe_{name}")


async def converse(
    reader: asyncio.StreamReader,
    writer: asyncio.StreamWriter,
    answer: AnswerLine,
    *,
    longest: int = LONGEST,
    patience: float = PATIENCE,
) -> None:
    """Serve one client until it goes, or until it cannot be served any more."""
    talk = Conversation(longest)
    while True:
        match talk.next_event():
            case None:
                chunk = await reader.read(CHUNK)
                if not chunk:
                    return
                talk.receive(chunk)
            case TooLong(limit):
                sentence = f"A request has at most {limit} bytes; the connection was closed."
                log.warning("pipe: %s", sentence)
                writer.write(refusal(0, ErrorType.Validation, sentence).to_bytes() + b"\n")
                await asyncio.wait_for(writer.drain(), patience)
                return
            case Line(text):
                answered = await answer(text)
                writer.write(talk.answer(answered.text))
                if writer.transport.get_write_buffer_size():  # else there is nothing to wait for
                    await asyncio.wait_for(writer.drain(), patience)
                if answered.closes:
                    return


async def _serve_one(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, answer: AnswerLine) -> None:
    log.info("pipe: a client has connected")
    try:
        await converse(reader, writer, answer)
        log.info("pipe: the client has gone")
    except TimeoutError:
        log.warning("pipe: the client did not read its answer for %g seconds; closed", PATIENCE)
        writer.transport.abort()
    except OSError as error:
        log.warning("pipe: the client died (%s)", error)
    finally:
        writer.close()
        with contextlib.suppress(OSError, TimeoutError):
            await asyncio.wait_for(writer.wait_closed(), PATIENCE)


@contextlib.asynccontextmanager
async def open_pipe(path: str, answer: AnswerLine) -> AsyncIterator[None]:
    """Serve the pipe while the block runs."""
    if sys.platform == "win32":
        async with _windows_pipe(path, answer):
            yield
        return
    listening = bind(Path(path))
    serving = asyncio.create_task(_accept_one_by_one(listening, answer), name="overtrick-pipe")
    try:
        yield
    finally:
        serving.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await serving
        listening.close()
        with contextlib.suppress(FileNotFoundError):
            Path(path).unlink()


async def _accept_one_by_one(listening: socket.socket, answer: AnswerLine) -> None:
    """The next client waits in line until the one before it has gone."""
    loop = asyncio.get_running_loop()
    while True:
        connection, _ = await loop.sock_accept(listening)
        reader, writer = await asyncio.open_unix_connection(sock=connection)
        try:
            await _serve_one(reader, writer, answer)
        except Exception:
            log.exception("pipe: the connection was lost")


def bind(path: Path) -> socket.socket:
    """A listening socket for this user alone; one that a dead server left behind is taken over."""
    listening = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        _clear_away(path)
        before = os.umask(0o177)
        try:
            listening.bind(str(path))
        finally:
            os.umask(before)
        listening.listen(8)
        listening.setblocking(False)
    except OSError as error:
        listening.close()
        raise PipeTaken(f"The pipe {path} cannot be opened: {error.strerror or error}.") from error
    except BaseException:
        listening.close()
        raise
    return listening


def _clear_away(path: Path) -> None:
    """Remove a socket that nobody listens on any more; refuse anything else that is in the way."""
    try:
        found = path.lstat()
    except FileNotFoundError:
        return
    if not stat.S_ISSOCK(found.st_mode) or found.st_uid != os.getuid():
        raise PipeTaken(f"Something that is not our pipe is at {path}.")
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        probe.settimeout(1)
        try:
            probe.connect(str(path))
        except (ConnectionRefusedError, FileNotFoundError):
            path.unlink(missing_ok=True)
            return
        except OSError as error:
            raise PipeTaken(f"The pipe {path} cannot be opened: {error.strerror or error}.") from error
    raise PipeTaken(f"Another Data Connector serves the pipe {path} already.")


@contextlib.asynccontextmanager
async def _windows_pipe(path: str, answer: AnswerLine) -> AsyncIterator[None]:
    """A real named pipe; a second client is turned away, since the system would let it in."""
    loop = asyncio.get_running_loop()
    serving: set[asyncio.Task[None]] = set()

    def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if serving:
            log.warning("pipe: a second client was turned away")
            writer.close()
            return
        task = loop.create_task(_serve_one(reader, writer, answer))
        serving.add(task)
        task.add_done_callback(serving.discard)

    def protocol() -> asyncio.StreamReaderProtocol:
        return asyncio.StreamReaderProtocol(asyncio.StreamReader(), connected)

    servers = await loop.start_serving_pipe(protocol, path)  # type: ignore[attr-defined]
    try:
        yield
    finally:
        for server in servers:
            server.close()
        for task in list(serving):
            task.cancel()
