"""The named pipe of the guide: one client at a time, one line a request. A second one is answered Busy.

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
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path

from overtrick.connector.lines import LONGEST, Conversation, TooLong
from overtrick.connector.service import Answer
from overtrick.connector.wire.envelope import parse_request, refusal
from overtrick.connector.wire.numbers import ErrorType
from overtrick.connector.wire.reading import Malformed
from overtrick.errors import OvertrickError

log = logging.getLogger(__name__)

PIPE = "BridgeSystems.Bridgemate.DataConnectorService.ScoringProgram"
PATIENCE = 10.0
"""Seconds that a client may take to read its answer."""

PARTING = 3.0
"""Seconds that a request under way has to be answered when the server stops."""

MOMENT = 1.0
"""Seconds that a client waits for one that has just gone before it is answered Busy."""

MOST_CLIENTS = 64
"""Connections at a time; only one of them is served."""

CHUNK = 262_144

AnswerLine = Callable[[bytes], Answer]


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


class Conversing:
    """One client on a connected socket, served in the thread that asks for it.

    The pipe has one `place`: a client takes it with its first request and keeps it until it goes. Who finds it taken
    is answered Busy, and goes.
    """

    def __init__(
        self,
        connection: socket.socket,
        answer: AnswerLine,
        place: "threading.Lock | None" = None,
        *,
        longest: int = LONGEST,
        patience: float = PATIENCE,
    ) -> None:
        self._connection = connection
        self._answer = answer
        self._place = place or threading.Lock()
        self._talk = Conversation(longest)
        self._patience = patience

    def run(self) -> None:
        """Serve the client until it goes, or until it cannot be served any more."""
        has_place = False
        try:
            for line in self._lines():
                # A client that has just gone may not be noticed yet.
                has_place = has_place or self._place.acquire(timeout=MOMENT)
                if not has_place:
                    log.warning("pipe: a second client was answered Busy")
                    self._send(busy(line))
                    return
                answered = self._answer(line)
                if answered.closes:
                    with contextlib.suppress(OSError):  # the vendor's client does not wait for it
                        self._send(answered.text)
                    return
                self._send(answered.text)
        finally:
            if has_place:
                self._place.release()

    def _lines(self) -> Iterator[bytes]:
        while chunk := self._receive():
            self._talk.receive(chunk)
            while (event := self._talk.next_event()) is not None:
                if isinstance(event, TooLong):
                    log.warning("pipe: %s", event)
                    self._connection.settimeout(self._patience)
                    self._connection.sendall(refusal(0, ErrorType.Validation, str(event)).to_bytes() + b"\n")
                    return
                yield event.text

    def _receive(self) -> bytes:
        self._connection.settimeout(None)  # it may ask nothing for as long as it likes
        return self._connection.recv(CHUNK)

    def _send(self, text: bytes) -> None:
        self._connection.settimeout(self._patience)
        self._connection.sendall(self._talk.answer(text))


def busy(line: bytes) -> bytes:
    """Return the answer of a request while another program has the pipe."""
    command, session = 0, ""
    with contextlib.suppress(Malformed):
        request = parse_request(line)
        command, session = int(request.command), request.session
    sentence = "Another program is connected to the pipe; please try again when it has gone."
    return refusal(command, ErrorType.Busy, sentence, session).to_bytes()


def _readable(sockets: list[socket.socket], patience: float | None = None) -> list[object]:
    """Those of the sockets that have something to read, as soon as one has or the time is over."""
    with selectors.DefaultSelector() as selector:
        for each in sockets:
            selector.register(each, selectors.EVENT_READ)
        return [key.fileobj for key, _ in selector.select(patience)]


class PipeServer:
    """Serves clients in threads of their own, from a request to its durable answer; one of them has the pipe.

    Threads, since a client asks, waits and asks again, and nothing is gained by handing its requests from loop to
    thread and back.
    """

    def __init__(self, listening: socket.socket, answer: AnswerLine, *, longest: int = LONGEST) -> None:
        self._listening = listening
        self._answer = answer
        self._longest = longest
        self._place = threading.Lock()
        """Held by the client that has the pipe."""
        self._stopping = False
        self._stop, self._stopped = socket.socketpair()
        self._clients: dict[socket.socket, threading.Thread] = {}
        self._change = threading.Lock()
        """Held while somebody comes or goes."""
        self._thread = threading.Thread(target=self._run, name="overtrick-pipe", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Let the clients go, when their requests are done, and take no other."""
        self._stopping = True
        self._stop.send(b"x")
        self._thread.join(PARTING)
        until = time.monotonic() + PARTING
        for way, end in ((socket.SHUT_RD, until), (socket.SHUT_RDWR, until + PARTING)):
            with self._change:
                clients = dict(self._clients)
                for client in clients:
                    with contextlib.suppress(OSError):
                        client.shutdown(way)
            for thread in clients.values():
                thread.join(max(0, end - time.monotonic()))
        self._listening.close()
        self._stop.close()
        self._stopped.close()

    def _run(self) -> None:
        while not self._stopping:
            _readable([self._listening, self._stopped])
            try:
                connection = self._listening.accept()[0]
            except BlockingIOError:
                continue
            except OSError as error:  # too many open files
                log.warning("pipe: a client could not be let in (%s)", error)
                time.sleep(MOMENT)
                continue
            with self._change:
                if self._stopping or len(self._clients) >= MOST_CLIENTS:
                    log.warning("pipe: a client was turned away, because %d are there", len(self._clients))
                    connection.close()
                    continue
                thread = threading.Thread(
                    target=self._serve, args=(connection,), name="overtrick-pipe-client", daemon=True
                )
                self._clients[connection] = thread
                thread.start()

    def _serve(self, connection: socket.socket) -> None:
        log.info("pipe: a client has connected")
        try:
            Conversing(connection, self._answer, self._place, longest=self._longest).run()
            log.info("pipe: the client has gone")
        except TimeoutError:
            log.warning("pipe: the client did not read its answer for %g seconds; closed", PATIENCE)
        except OSError as error:
            log.warning("pipe: the client died (%s)", error)
        except Exception:
            log.exception("pipe: the connection was lost")
        finally:
            with self._change:
                del self._clients[connection]
                connection.close()


@contextlib.asynccontextmanager
async def open_pipe(path: str, answer: AnswerLine, *, longest: int = LONGEST) -> AsyncIterator[None]:
    """Serve the pipe while the block runs. `answer` is called in a thread, one request at a time."""
    if sys.platform == "win32":
        async with _windows_pipe(path, answer, longest):
            yield
        return
    server = PipeServer(bind(Path(path)), answer, longest=longest)
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
        listening.listen(MOST_CLIENTS)
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


async def turn_away(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Answer the first request of a second client Busy, and close its connection."""
    log.warning("pipe: a second client was answered Busy")
    with contextlib.suppress(OSError, TimeoutError, ValueError):
        line = await asyncio.wait_for(reader.readline(), PATIENCE)
        if line:
            writer.write(busy(line.rstrip()) + b"\n")
            await asyncio.wait_for(writer.drain(), PATIENCE)
    writer.close()


@contextlib.asynccontextmanager
async def _windows_pipe(path: str, answer: AnswerLine, longest: int) -> AsyncIterator[None]:
    """Serve a real named pipe; a second client is answered Busy, since the system would let it in."""
    loop = asyncio.get_running_loop()
    serving: set[asyncio.Task[None]] = set()
    turned_away: set[asyncio.Task[None]] = set()

    def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if serving:
            waiting = loop.create_task(turn_away(reader, writer))
            turned_away.add(waiting)
            waiting.add_done_callback(turned_away.discard)
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
