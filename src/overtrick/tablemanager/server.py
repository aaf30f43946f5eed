"""The network side of a table: splits bytes into lines, passes them to a table, and sends its outputs. No bridge logic.

Many tables share one event loop; a failure of one does not affect the others.
"""

import asyncio
import errno
import logging
import os
import socket
import time
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from typing import cast

from overtrick.bridge import SEATS, Seat
from overtrick.tablemanager.rules import (
    BoardRecord,
    BoardRecorded,
    HangUp,
    LogNote,
    Output,
    Question,
    Send,
    SessionEnded,
    TableError,
    TableRules,
)
from overtrick.tablemanager.table import BridgeTable

LONGEST_LINE = 8192
"""The longest line; a sender of a longer one is disconnected."""

CLOCK_STEP = 0.02
"""The shortest seconds between two checks of a table's deadline."""

LONGEST_CLOCK_STEP = 1.0
"""The longest seconds between two checks of a table's deadline, while players are active."""

MOST_UNREAD = 1 << 20
"""Bytes that may be queued for a player who does not read; with more it is disconnected."""

Operator = Callable[[Question], Awaitable[Mapping[int, str]]]
"""A callback that answers a question: alerts by the position of the call in the auction."""

log = logging.getLogger("overtrick.tablemanager")


class LineSplitter:
    """A splitter of received bytes into lines.

    >>> lines = LineSplitter()
    >>> lines.feed(b"North pas"), lines.feed(b"ses\\r\\nNorth ready")
    ([], ['North passes'])
    """

    __slots__ = ("_rest",)

    def __init__(self) -> None:
        self._rest = b""

    def feed(self, received: bytes) -> list[str]:
        """Return the lines that are complete now; raise OverflowError if one is too long."""
        if self._rest:
            received = self._rest + received
        # Some programs end lines with a carriage return alone. They would take one inside an alert that we relay for
        # the end of the message, so it must end the line here too. CR LF gives an empty line, which is dropped.
        received = received.replace(b"\r", b"\n")
        *lines, self._rest = received.split(b"\n")
        if len(received) > LONGEST_LINE and max(map(len, (*lines, self._rest))) > LONGEST_LINE:
            raise OverflowError
        # Latin-1 keeps every byte, so that an alert in any encoding can be decoded later (see `as_meant`).
        return [line.decode("latin-1") for line in map(bytes.strip, lines) if line]


# Received bytes are copied out at once, so all connections can share one small buffer.
_BUFFER = bytearray(LONGEST_LINE)
_BUFFER_VIEW = memoryview(_BUFFER)


class _Link(asyncio.BufferedProtocol):
    """One connection."""

    __slots__ = ("_lines", "_only", "_server", "transport")

    def __init__(self, server: "TableServer", only: Seat | None) -> None:
        self._server = server
        self._only = only
        self._lines = LineSplitter()
        self.transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast(asyncio.Transport, transport)
        self.transport.set_write_buffer_limits(high=MOST_UNREAD)
        # A computer that was switched off closes no connection. Notice it, so that its seat becomes free.
        enable_keepalive(transport, 60)
        server = self._server
        server.links.add(self)
        address = address_of(transport.get_extra_info("peername"), transport.get_extra_info("sockname"))
        server.guard(lambda now: server.table.opened(self, now, self._only, address))

    def get_buffer(self, sizehint: int) -> bytearray:
        return _BUFFER

    def buffer_updated(self, nbytes: int) -> None:
        server = self._server
        try:
            lines = self._lines.feed(bytes(_BUFFER_VIEW[:nbytes]))
        except OverflowError:
            server.guard(lambda now: server.table.overflowed(self, now))
            return
        if lines:
            server.receive_lines(self, lines)

    def pause_writing(self) -> None:
        """Disconnect a player that has left too much unread."""
        if self.transport is not None:
            self.transport.abort()
            self.transport = None

    def eof_received(self) -> None:
        """Close this end too, after sending what is queued."""
        self.transport = None

    def connection_lost(self, fault: Exception | None) -> None:
        self.transport = None
        server = self._server
        server.links.discard(self)
        server.guard(lambda now: server.table.closed(self, now))

    def send(self, line: str) -> None:
        if self.transport is not None:
            self.transport.write(line.encode("latin-1", "replace") + b"\r\n")

    def hang_up(self) -> None:
        if self.transport is not None:
            self.transport.close()
            self.transport = None


def enable_keepalive(transport: asyncio.BaseTransport, seconds: int) -> None:
    """Enable TCP keep-alive, so that a connection ends after this many seconds if the other computer is unreachable."""
    connection: socket.socket | None = transport.get_extra_info("socket")
    if connection is None:
        return
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    if hasattr(socket, "TCP_KEEPIDLE"):
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPIDLE, seconds // 2)
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPINTVL, seconds // 6)
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPCNT, 3)
    if hasattr(socket, "TCP_USER_TIMEOUT"):
        # Without it, unacknowledged data keeps a connection open for a quarter of an hour.
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, seconds * 1000)


def address_of(peer: Sequence[object] | None, own: Sequence[object] | None) -> str:
    """Return the address of a connection without its port; empty if it comes from this computer.

    >>> address_of(("192.168.1.7", 50123), ("192.168.1.2", 2000))
    '192.168.1.7'
    >>> address_of(("192.168.1.2", 50123), ("192.168.1.2", 2000)), address_of(("::1", 50123, 0, 0), None)
    ('', '')
    """
    if not peer:
        return ""
    address = str(peer[0]).removeprefix("::ffff:")
    is_here = own is not None and str(own[0]).removeprefix("::ffff:") == address
    return "" if is_here or address == "::1" or address.startswith("127.") else address


def clock_step(rules: TableRules) -> float:
    """Return the seconds between two checks of a table's deadline.

    A timeout that starts now ends after its whole time, so checking at half of the shortest timeout is early enough.
    With a time limit for a board the remaining time may be shorter, so the check is then as frequent as possible.

    >>> [clock_step(rules) for rules in (TableRules(trick_pause=0.0), TableRules(timeout=0.5))]
    [1.0, 0.25]
    >>> clock_step(TableRules(board_timeout=300.0))
    0.02
    """
    if rules.board_timeout is not None:
        return CLOCK_STEP
    times = [rules.timeout, rules.reconnect, rules.greeting, rules.trick_pause or None]
    shortest = min((time for time in times if time is not None), default=LONGEST_CLOCK_STEP)
    return min(LONGEST_CLOCK_STEP, max(CLOCK_STEP, shortest / 2))


def why_not_opened(fault: OSError | OverflowError) -> str:
    """Return the reason why a port cannot be opened.

    >>> why_not_opened(OSError(errno.EADDRINUSE, "error while attempting to bind on address"))
    'another program uses it'
    """
    if isinstance(fault, OSError):
        if fault.errno == errno.EADDRINUSE:
            return "another program uses it"
        if fault.errno:
            return os.strerror(fault.errno)
    return str(fault)


class TableServer:
    """One table and its connections."""

    def __init__(
        self,
        table: BridgeTable,
        *,
        name: str = "table",
        record: Callable[[BoardRecord], None] | None = None,
        operator: Operator | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.table = table
        self.name = name
        self.records: list[BoardRecord] = []
        self._record = record
        self._operator = operator
        self._clock = clock
        self._listeners: list[asyncio.Server] = []
        self._timer: asyncio.TimerHandle | None = None
        self._timer_due = 0.0
        self._clock_step = clock_step(table.rules)
        self._deadline_check: asyncio.TimerHandle | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self.links: set[_Link] = set()
        self.ended: asyncio.Future[str | None] = asyncio.get_running_loop().create_future()
        """A future that is done when the session ends: None, or the reason why it stopped early."""
        self.watcher: Callable[[], None] | None = None
        """A callback after each event at the table; it must be quick, and not change the table."""

    @property
    def now(self) -> float:
        """Return the time on the table's clock."""
        return self._clock()

    async def open(self, host: str = "127.0.0.1", ports: Iterable[int] = (0,)) -> list[int]:
        """Open one port for all seats, or four in the order North, East, South, West; return their numbers."""
        numbers = list(ports)
        if len(numbers) not in (1, 4):
            raise TableError(f"A table needs one port or four, not {len(numbers)}.")
        loop = asyncio.get_running_loop()
        opened = []
        for place, port in enumerate(numbers):
            only = SEATS[place] if len(numbers) == 4 else None
            try:
                listener = await loop.create_server(lambda only=only: _Link(self, only), host, port)  # type: ignore[misc]
            except (OSError, OverflowError) as fault:
                await self.close()
                raise TableError(
                    f"Port {port} of {host} cannot be opened: {why_not_opened(fault)}."
                ) from None
            self._listeners.append(listener)
            opened.append(listener.sockets[0].getsockname()[1])
        return opened

    async def close(self) -> None:
        """Close the ports and all connections."""
        for handle in (self._timer, self._deadline_check):
            if handle is not None:
                handle.cancel()
        for task in self._tasks:
            task.cancel()
        for listener in self._listeners:
            listener.close()
        for link in list(self.links):
            link.hang_up()
        for listener in self._listeners:
            await listener.wait_closed()
        self._listeners = []

    def guard(self, method: Callable[[float], list[Output]]) -> None:
        """Call a method of the table with the time; an exception ends this table only."""
        try:
            self._perform(method(self._clock()))
        except Exception as fault:
            self._fail(fault)
        self._after_event()

    def receive_lines(self, link: _Link, lines: list[str]) -> None:
        """Process received lines; like `guard`, but without a function object for each line."""
        table, now = self.table, self._clock()
        try:
            for line in lines:
                self._perform(table.received(link, line, now))
        except Exception as fault:
            self._fail(fault)
        self._after_event()

    def _fail(self, fault: Exception) -> None:
        log.exception("%s: internal error", self.name)
        self._perform(self.table.stop(f"internal error: {fault}", self._clock()))

    def _after_event(self) -> None:
        # Computing the deadline is too slow for every line, so it is checked once in a while.
        if self._deadline_check is None:
            self._deadline_check = asyncio.get_running_loop().call_later(
                self._clock_step, self._check_deadline
            )
        if self.watcher is not None:
            self.watcher()

    def _perform(self, outputs: list[Output]) -> None:
        for output in outputs:
            if type(output) is Send:
                cast(_Link, output.link).send(output.line)
                continue
            match output:
                case HangUp(link):
                    cast(_Link, link).hang_up()
                case BoardRecorded(record):
                    self._keep_record(record)
                case LogNote(text):
                    log.info("%s: %s", self.name, text)
                case Question():
                    task = asyncio.ensure_future(self._ask(output))
                    self._tasks.add(task)
                    task.add_done_callback(self._tasks.discard)
                case SessionEnded(reason):
                    # A failed write of the last record may stop a session that has just ended.
                    if not self.ended.done():
                        self.ended.set_result(reason)
                    self._set_timer()

    def _keep_record(self, record: BoardRecord) -> None:
        self.records.append(record)
        if self._record is None:
            return
        try:
            self._record(record)
        except OSError as fault:
            reason = f"the record of board {record.board.number} cannot be written: {fault.strerror}"
            log.error("%s: %s", self.name, reason)
            self._perform(self.table.stop(reason, self._clock()))

    async def _ask(self, question: Question) -> None:
        answer: Mapping[int, str] = {}
        if self._operator is not None:
            answer = await self._operator(question)
        if self.table.question is question:
            self.guard(lambda now: self.table.answered(answer, now))

    def _check_deadline(self) -> None:
        self._deadline_check = None
        self._set_timer()

    def _set_timer(self) -> None:
        deadline = self.table.deadline
        # Most changes move the deadline later. A timer that is too early checks again, so it is replaced only if it
        # would be too late.
        if self._timer is not None and (deadline is None or deadline < self._timer_due):
            self._timer.cancel()
            self._timer = None
        if self._timer is None and deadline is not None:
            self._timer_due = deadline
            wait = max(0.0, deadline - self._clock())
            self._timer = asyncio.get_running_loop().call_later(wait, self._on_timer)

    def _on_timer(self) -> None:
        self._timer = None
        self.guard(self.table.tick)
