"""The server of the guide's named pipe: one client at a time, one line per request; a second client is answered Busy.

Off Windows, .NET implements a named pipe as a Unix socket in the temporary folder, and so does this module. Clients are
served in threads; for the real named pipes of Windows, which only asyncio serves, `relay` passes bytes on to them.
"""

import asyncio
import contextlib
import logging
import os
import selectors
import socket
import stat
import struct
import sys
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from overtrick.connector.dispatch import Answer
from overtrick.connector.pipe_framing import LONGEST, LineTooLong, PipeProtocol
from overtrick.connector.wire.envelope import parse_request, refusal
from overtrick.connector.wire.numbers import ErrorType
from overtrick.connector.wire.reading import MalformedRequest
from overtrick.errors import OvertrickError

log = logging.getLogger(__name__)

ANSWER_TIMEOUT = 10.0
"""Seconds that a client may take to read its answer."""

SHUTDOWN_TIMEOUT = 3.0
"""Seconds to finish the request in progress when the server stops."""

BUSY_WAIT = 1.0
"""Seconds to wait for the current client to disconnect before the next one is answered Busy."""

BUSY_POLL = 0.02
"""Seconds between two checks whether the current client has disconnected."""

ACCEPT_RETRY = 1.0
"""Seconds until clients are accepted again after the system has refused one."""

MOST_CLIENTS = 64
"""Connections at a time; only one of them is served."""

CHUNK = 262_144

AnswerLine = Callable[[bytes], Answer]


class PipeTaken(OvertrickError):
    """The pipe cannot be opened; nothing was changed."""

    code = "pipe-taken"


@dataclass(frozen=True, slots=True)
class ConnectedProgram:
    """The program that holds the pipe, with its number of requests and the time of the last one."""

    since: datetime
    requests: int = 0
    last: datetime | None = None
    process: int | None = None
    """The id of its process; None where the system does not report it."""


class PipeSlot:
    """The right to use the pipe: a client takes it with its first request and keeps it until it disconnects.

    Thread-safe: clients use it from their threads, and the director's desk from its own.
    """

    def __init__(self) -> None:
        self._free = threading.Condition()
        self._holder: PipeConnection | None = None
        self._connected: ConnectedProgram | None = None

    def take(self, client: "PipeConnection") -> bool:
        """Take the slot and return True, or return False at once if another client holds it and is idle.

        If that client has a request in progress, or has just disconnected, wait up to BUSY_WAIT seconds for it to go.
        """
        with self._free:
            deadline = time.monotonic() + BUSY_WAIT
            while self._holder is not None:
                if self._holder.is_idle() or time.monotonic() > deadline:
                    return False
                self._free.wait(BUSY_POLL)
            self._holder = client
            self._connected = ConnectedProgram(datetime.now(UTC), process=client.process)
            return True

    def release(self, client: "PipeConnection") -> None:
        """Free the slot if this client holds it."""
        with self._free:
            if self._holder is client:
                self._holder = self._connected = None
                self._free.notify_all()

    def note_request(self) -> None:
        """Count a request of the client that holds the slot."""
        with self._free:
            if (program := self._connected) is not None:
                self._connected = ConnectedProgram(
                    program.since, program.requests + 1, datetime.now(UTC), program.process
                )

    def connected(self) -> ConnectedProgram | None:
        """Return the program that holds the pipe, or None."""
        return self._connected

    def disconnect(self) -> bool:
        """Close the connection of the program that holds the pipe; return whether there was one."""
        with self._free:
            if self._holder is None:
                return False
            log.warning("pipe: the director has disconnected the client")
            self._holder.hang_up()
            return True


class PipeConnection:
    """One client on a connected socket, served in the thread that calls `run`.

    A client that finds the slot taken is answered Busy and disconnected.
    """

    def __init__(
        self,
        connection: socket.socket,
        answer: AnswerLine,
        slot: PipeSlot | None = None,
        *,
        longest: int = LONGEST,
        timeout: float = ANSWER_TIMEOUT,
    ) -> None:
        self._connection = connection
        self._answer = answer
        self._slot = slot or PipeSlot()
        self._protocol = PipeProtocol(longest)
        self._timeout = timeout
        self._is_waiting = False
        self._is_closing = False
        self.process = _peer_process(connection)

    def run(self) -> None:
        """Serve the client until it disconnects; raise OSError when the connection fails."""
        has_slot = False
        try:
            for line in self._lines():
                has_slot = has_slot or self._slot.take(self)
                if not has_slot:
                    log.warning("pipe: a second client was answered Busy")
                    self._send(busy_answer(line))
                    return
                self._slot.note_request()
                answered = self._answer(line)
                if answered.closes:
                    with contextlib.suppress(OSError):  # the vendor's client does not wait for this answer
                        self._send(answered.text)
                    return
                self._send(answered.text)
                if self._is_closing:
                    return
        finally:
            self._slot.release(self)

    def is_idle(self) -> bool:
        """Return whether the client is connected and has no request in progress."""
        # The order matters: `_receive` clears `_is_waiting` before it takes the bytes that made the socket readable.
        return not _readable([self._connection], 0) and self._is_waiting

    def hang_up(self) -> None:
        """Close the connection when the request in progress is answered."""
        self._is_closing = True
        with contextlib.suppress(OSError):
            self._connection.shutdown(socket.SHUT_RD)

    def _lines(self) -> Iterator[bytes]:
        while chunk := self._receive():
            self._protocol.receive(chunk)
            while (event := self._protocol.next_event()) is not None:
                if isinstance(event, LineTooLong):
                    log.warning("pipe: %s", event)
                    self._connection.settimeout(self._timeout)
                    self._connection.sendall(refusal(0, ErrorType.Validation, str(event)).to_bytes() + b"\n")
                    return
                yield event.text

    def _receive(self) -> bytes:
        self._connection.settimeout(None)  # a client may stay connected without a request
        self._is_waiting = True
        self._connection.recv(1, socket.MSG_PEEK)
        self._is_waiting = False
        return b"" if self._is_closing else self._connection.recv(CHUNK)

    def _send(self, text: bytes) -> None:
        self._connection.settimeout(self._timeout)
        self._connection.sendall(self._protocol.answer(text))


def _peer_process(connection: socket.socket) -> int | None:
    """Return the id of the process at the other end of a Unix socket; None where the system does not report it."""
    if not hasattr(socket, "SO_PEERCRED"):
        return None
    with contextlib.suppress(OSError):
        credentials = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
        return struct.unpack("3i", credentials)[0] or None
    return None


def busy_answer(line: bytes) -> bytes:
    """Return the answer to a request while another program holds the pipe."""
    command, session = 0, ""
    with contextlib.suppress(MalformedRequest):
        request = parse_request(line)
        command, session = int(request.command), request.session
    sentence = "Another program is connected to the pipe; please try again when it has disconnected."
    return refusal(command, ErrorType.Busy, sentence, session).to_bytes()


def _readable(sockets: list[socket.socket], timeout: float | None = None) -> list[object]:
    """Wait until a socket is readable or the time is over; return the readable ones."""
    with selectors.DefaultSelector() as selector:
        for connection in sockets:
            selector.register(connection, selectors.EVENT_READ)
        return [key.fileobj for key, _ in selector.select(timeout)]


class PipeServer:
    """The connected clients, each in a thread that handles a request up to its durable answer.

    Threads, because a client sends one request and waits for the answer: handing requests from an event loop to a
    thread and back would only add latency.
    """

    def __init__(self, answer: AnswerLine, *, longest: int = LONGEST) -> None:
        self._answer = answer
        self._longest = longest
        self.slot = PipeSlot()
        self._stopping = False
        self._clients: dict[socket.socket, threading.Thread] = {}
        self._clients_lock = threading.Lock()
        """Guards `_clients`."""

    def admit(self, connection: socket.socket) -> None:
        """Serve a client in a thread of its own; close the connection if too many are connected."""
        with self._clients_lock:
            if self._stopping or len(self._clients) >= MOST_CLIENTS:
                log.warning("pipe: a client was refused, because %d are connected", len(self._clients))
                connection.close()
                return
            thread = threading.Thread(
                target=self._serve, args=(connection,), name="overtrick-pipe-client", daemon=True
            )
            self._clients[connection] = thread
            thread.start()

    def close(self) -> None:
        """Admit no more clients, finish the requests in progress, and disconnect."""
        self._stopping = True
        deadline = time.monotonic() + SHUTDOWN_TIMEOUT
        # First stop reading, so that a request in progress is answered; then also cut off clients that do not read.
        for direction, join_deadline in (
            (socket.SHUT_RD, deadline),
            (socket.SHUT_RDWR, deadline + SHUTDOWN_TIMEOUT),
        ):
            with self._clients_lock:
                clients = dict(self._clients)
                for client in clients:
                    with contextlib.suppress(OSError):
                        client.shutdown(direction)
            for thread in clients.values():
                thread.join(max(0, join_deadline - time.monotonic()))

    def _serve(self, connection: socket.socket) -> None:
        log.info("pipe: a client connected")
        try:
            PipeConnection(connection, self._answer, self.slot, longest=self._longest).run()
            log.info("pipe: the client disconnected")
        except TimeoutError:
            log.warning("pipe: the client did not read its answer for %g seconds; closed", ANSWER_TIMEOUT)
        except OSError as error:
            log.warning("pipe: the connection failed (%s)", error)
        except Exception:
            log.exception("pipe: a request failed; the connection was closed")
        finally:
            with self._clients_lock:
                del self._clients[connection]
                connection.close()


@contextlib.asynccontextmanager
async def open_pipe(path: str, answer: AnswerLine, *, longest: int = LONGEST) -> AsyncIterator[PipeSlot]:
    """Serve the pipe while the block runs; yield its slot. `answer` is called in a thread, one request at a time."""
    server = PipeServer(answer, longest=longest)
    listening = listen_on_named_pipe if sys.platform == "win32" else _listen_on_socket
    async with listening(path, server):
        yield server.slot


@contextlib.asynccontextmanager
async def _listen_on_socket(path: str, server: PipeServer) -> AsyncIterator[None]:
    """Admit the clients of a Unix socket while the block runs."""
    listening = bind(Path(path))
    accepting = asyncio.create_task(_accept(listening, server))
    try:
        yield
    finally:
        accepting.cancel()
        await asyncio.wait([accepting])
        await asyncio.to_thread(server.close)
        listening.close()
        with contextlib.suppress(FileNotFoundError):
            Path(path).unlink()


async def _accept(listening: socket.socket, server: PipeServer) -> None:
    loop = asyncio.get_running_loop()
    while True:
        try:
            server.admit((await loop.sock_accept(listening))[0])
        except OSError as error:  # too many open files
            log.warning("pipe: a client could not be accepted (%s)", error)
            await asyncio.sleep(ACCEPT_RETRY)


def bind(path: Path) -> socket.socket:
    """Return a listening socket for this user alone; replace a socket file that a dead server left.

    Raises PipeTaken if another server listens there, or if the path is not ours.
    """
    listening = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        _remove_stale_socket(path)
        previous_umask = os.umask(0o177)
        try:
            listening.bind(str(path))
        finally:
            os.umask(previous_umask)
        listening.listen(MOST_CLIENTS)
        listening.setblocking(False)
    except OSError as error:
        listening.close()
        raise PipeTaken(f"The pipe {path} cannot be opened: {error.strerror or error}.") from error
    except BaseException:
        listening.close()
        raise
    return listening


def _remove_stale_socket(path: Path) -> None:
    """Remove a socket that no server listens on; raise PipeTaken for anything else at this path."""
    try:
        status = path.lstat()
    except FileNotFoundError:
        return
    if not stat.S_ISSOCK(status.st_mode) or status.st_uid != os.getuid():
        raise PipeTaken(f"{path} is not our pipe.")
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
async def listen_on_named_pipe(path: str, server: PipeServer) -> AsyncIterator[None]:
    """Admit the clients of a named pipe of Windows while the block runs.

    Only asyncio serves such pipes, and only as streams, so each client gets a pair of sockets: the server has one end,
    and `relay` copies between the other end and the streams.
    """
    loop = asyncio.get_running_loop()
    relays: set[asyncio.Task[None]] = set()

    def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        relay_end, server_end = socket.socketpair()
        server.admit(server_end)
        task = loop.create_task(relay(reader, writer, relay_end))
        relays.add(task)
        task.add_done_callback(relays.discard)

    def protocol() -> asyncio.StreamReaderProtocol:
        return asyncio.StreamReaderProtocol(asyncio.StreamReader(), connected)

    listening = await loop.start_serving_pipe(protocol, path)  # type: ignore[attr-defined]
    try:
        yield
    finally:
        for pipe_server in listening:
            pipe_server.close()
        await asyncio.to_thread(server.close)
        if relays:
            await asyncio.wait(relays, timeout=SHUTDOWN_TIMEOUT)
        for task in relays:
            task.cancel()


async def relay(
    reader: asyncio.StreamReader,
    writer: asyncio.StreamWriter,
    server: socket.socket,
    *,
    timeout: float = 2 * ANSWER_TIMEOUT,
) -> None:
    """Copy bytes between a client's streams and a socket of the server, until the server closes it.

    A client that does not read for `timeout` seconds is disconnected. The server gives it up before that, and logs it.
    """
    loop = asyncio.get_running_loop()
    server.setblocking(False)

    async def copy_requests() -> None:
        with contextlib.suppress(OSError):
            while chunk := await reader.read(CHUNK):
                await loop.sock_sendall(server, chunk)
        with contextlib.suppress(OSError):
            server.shutdown(socket.SHUT_WR)  # the client has disconnected

    copying = loop.create_task(copy_requests())
    try:
        with contextlib.suppress(ConnectionResetError):  # the server closed it with unread bytes
            while chunk := await loop.sock_recv(server, CHUNK):
                writer.write(chunk)
                await asyncio.wait_for(writer.drain(), timeout)
        writer.close()
        await asyncio.wait_for(writer.wait_closed(), timeout)
    except (OSError, TimeoutError):  # the client has gone, or does not read
        writer.transport.abort()
    finally:
        copying.cancel()
        await asyncio.wait([copying])
        server.close()
