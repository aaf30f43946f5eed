"""The named pipe of the guide: one connection at a time, one line a request.

Off Windows a .NET named pipe is a Unix socket in the temporary folder, and that is what this is there.
"""

import asyncio
import contextlib
import getpass
import logging
import os
import selectors
import socket
import stat
import sys
import tempfile
import threading
import time
from collections.abc import AsyncIterator, Callable
from pathlib import Path

from overtrick.connector.lines import LONGEST, Conversation, TooLong
from overtrick.connector.service import Answer
from overtrick.connector.wire.envelope import refusal
from overtrick.connector.wire.numbers import ErrorType
from overtrick.errors import OvertrickError

log = logging.getLogger(__name__)

PIPE = "BridgeSystems.Bridgemate.DataConnectorService.ScoringProgram"
PATIENCE = 10.0
"""Seconds that a client may take to read its answer."""

SILENCE = 60.0
"""Seconds that a client may ask nothing while another one waits to be let in; without one it may stay for ever."""

PARTING = 3.0
"""Seconds that a request under way has to be answered when the server stops."""

MOMENT = 0.2
"""Seconds after which somebody who has come to the door means to come in."""

CHUNK = 262_144

AnswerLine = Callable[[bytes], Answer]


class PipeTaken(OvertrickError):
    """The pipe cannot be opened; nothing was changed."""

    code = "pipe-taken"


class Silent(Exception):
    """A client keeps another one waiting and asks nothing itself."""


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


class Door:
    """Where clients come in one by one; whoever was seen to wait is let in next."""

    def __init__(self, listening: socket.socket) -> None:
        self.listening = listening
        self._waiting: socket.socket | None = None

    def someone_waits(self) -> bool:
        """Whether a client waits, and has not gone again: some only look whether the pipe is there."""
        while came := self.let_in():
            if not _readable([came], MOMENT) or _says_something(came):
                self._waiting = came
                return True
            came.close()
        return False

    def let_in(self) -> socket.socket | None:
        """The next client, if one has come."""
        if self._waiting is not None:
            came, self._waiting = self._waiting, None
            return came
        try:
            return self.listening.accept()[0]
        except BlockingIOError:
            return None
        except OSError as error:  # too many open files
            log.warning("pipe: a client could not be let in (%s)", error)
            time.sleep(MOMENT)
            return None

    def close(self) -> None:
        """Let nobody in any more."""
        for each in (self.listening, self._waiting):
            if each is not None:
                each.close()


def _says_something(connection: socket.socket) -> bool:
    try:
        return connection.recv(1, socket.MSG_PEEK) != b""
    except OSError:
        return False


class Conversing:
    """One client on a connected socket, served in the thread that asks for it."""

    def __init__(
        self,
        connection: socket.socket,
        answer: AnswerLine,
        door: Door | None = None,
        *,
        longest: int = LONGEST,
        patience: float = PATIENCE,
        silence: float = SILENCE,
    ) -> None:
        self._connection = connection
        self._answer = answer
        self._door = door
        self._talk = Conversation(longest)
        self._silence = silence
        self._asked = time.monotonic()
        connection.settimeout(min(patience, silence))

    def run(self) -> None:
        """Serve the client until it goes, or until it cannot be served any more."""
        talk, send = self._talk, self._connection.sendall
        while chunk := self._receive():
            talk.receive(chunk)
            while (event := talk.next_event()) is not None:
                if isinstance(event, TooLong):
                    log.warning("pipe: %s", event)
                    send(refusal(0, ErrorType.Validation, str(event)).to_bytes() + b"\n")
                    return
                answered = self._answer(event.text)
                if answered.closes:
                    with contextlib.suppress(OSError):  # the vendor's client does not wait for it
                        send(talk.answer(answered.text))
                    return
                send(talk.answer(answered.text))
                self._asked = time.monotonic()

    def _receive(self) -> bytes:
        """What the client sends next, nothing when it has gone; Silent when it is to make room for the next one."""
        while True:
            silent = time.monotonic() - self._asked
            if silent >= self._silence and not self._speaks_first():
                raise Silent(f"asked nothing for {silent:.0f} seconds, and another one waits")
            try:
                return self._connection.recv(CHUNK)
            except TimeoutError:
                continue

    def _speaks_first(self) -> bool:
        """Whether the client says something, or goes, before another one waits."""
        sockets = [self._connection] if self._door is None else [self._connection, self._door.listening]
        while self._connection not in _readable(sockets):
            if self._door is not None and self._door.someone_waits():
                return False
        return True


def _readable(sockets: list[socket.socket], patience: float | None = None) -> list[object]:
    """Those of the sockets that have something to read, as soon as one has or the time is over."""
    with selectors.DefaultSelector() as selector:
        for each in sockets:
            selector.register(each, selectors.EVENT_READ)
        return [key.fileobj for key, _ in selector.select(patience)]


class PipeServer:
    """Serves one client after the other in a thread of its own, from a request to its durable answer.

    A thread, since there is one client: it asks, waits and asks again, and nothing is gained by handing its requests
    from loop to thread and back.
    """

    def __init__(
        self,
        listening: socket.socket,
        answer: AnswerLine,
        *,
        longest: int = LONGEST,
        silence: float = SILENCE,
    ) -> None:
        self._door = Door(listening)
        self._answer = answer
        self._longest = longest
        self._silence = silence
        self._stopping = False
        self._stop, self._stopped = socket.socketpair()
        self._client: socket.socket | None = None
        self._change = threading.Lock()
        """Held while it changes who is served, or whether anyone is."""
        self._thread = threading.Thread(target=self._run, name="overtrick-pipe", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Let the client go, when its request is done, and take no other."""
        self._stopping = True
        self._stop.send(b"x")
        for way in (socket.SHUT_RD, socket.SHUT_RDWR):
            with self._change, contextlib.suppress(OSError):
                if self._client is not None:
                    self._client.shutdown(way)
            self._thread.join(PARTING)
        self._door.close()
        self._stop.close()
        self._stopped.close()

    def _run(self) -> None:
        while not self._stopping:
            connection = self._door.let_in()
            if connection is None:
                _readable([self._door.listening, self._stopped])
                continue
            with connection:
                with self._change:
                    if self._stopping:
                        return
                    self._client = connection
                self._serve(connection)
                with self._change:
                    self._client = None

    def _serve(self, connection: socket.socket) -> None:
        log.info("pipe: a client has connected")
        try:
            Conversing(
                connection, self._answer, self._door, longest=self._longest, silence=self._silence
            ).run()
            log.info("pipe: the client has gone")
        except Silent as silent:
            log.warning("pipe: the client %s; closed", silent)
        except TimeoutError:
            log.warning("pipe: the client did not read its answer for %g seconds; closed", PATIENCE)
        except OSError as error:
            log.warning("pipe: the client died (%s)", error)
        except Exception:
            log.exception("pipe: the connection was lost")


@contextlib.asynccontextmanager
async def open_pipe(
    path: str, answer: AnswerLine, *, longest: int = LONGEST, silence: float = SILENCE
) -> AsyncIterator[None]:
    """Serve the pipe while the block runs. `answer` is called in a thread, one request at a time."""
    if sys.platform == "win32":
        async with _windows_pipe(path, answer, longest):
            yield
        return
    server = PipeServer(bind(Path(path)), answer, longest=longest, silence=silence)
    try:
        yield
    finally:
        await asyncio.to_thread(server.close)
        with contextlib.suppress(FileNotFoundError):
            Path(path).unlink()


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


async def converse(
    reader: asyncio.StreamReader,
    writer: asyncio.StreamWriter,
    answer: AnswerLine,
    *,
    longest: int = LONGEST,
    patience: float = PATIENCE,
) -> None:
    """Serve one client of a real named pipe until it goes, or until it cannot be served any more."""
    talk = Conversation(longest)
    while chunk := await reader.read(CHUNK):
        talk.receive(chunk)
        while (event := talk.next_event()) is not None:
            if isinstance(event, TooLong):
                log.warning("pipe: %s", event)
                writer.write(refusal(0, ErrorType.Validation, str(event)).to_bytes() + b"\n")
                await asyncio.wait_for(writer.drain(), patience)
                return
            answered = await asyncio.to_thread(answer, event.text)
            writer.write(talk.answer(answered.text))
            with contextlib.suppress(OSError) if answered.closes else contextlib.nullcontext():
                await asyncio.wait_for(writer.drain(), patience)
            if answered.closes:
                return


async def _serve_stream(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, answer: AnswerLine, longest: int
) -> None:
    log.info("pipe: a client has connected")
    try:
        await converse(reader, writer, answer, longest=longest)
        log.info("pipe: the client has gone")
    except TimeoutError:
        log.warning("pipe: the client did not read its answer for %g seconds; closed", PATIENCE)
        writer.transport.abort()
    except OSError as error:
        log.warning("pipe: the client died (%s)", error)
    except Exception:
        log.exception("pipe: the connection was lost")
    finally:
        writer.close()
        with contextlib.suppress(OSError, TimeoutError):
            await asyncio.wait_for(writer.wait_closed(), PATIENCE)


@contextlib.asynccontextmanager
async def _windows_pipe(path: str, answer: AnswerLine, longest: int) -> AsyncIterator[None]:
    """A real named pipe; a second client is turned away, since the system would let it in."""
    loop = asyncio.get_running_loop()
    serving: set[asyncio.Task[None]] = set()

    def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if serving:
            log.warning("pipe: a second client was turned away")
            writer.close()
            return
        task = loop.create_task(_serve_stream(reader, writer, answer, longest))
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
