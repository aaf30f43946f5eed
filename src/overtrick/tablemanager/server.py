"""Tables on the network: bytes to lines, lines to a table, and its outputs back. Has no bridge logic.

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
    Rules,
    Send,
    SessionEnded,
    TableError,
)
from overtrick.tablemanager.table import Table

LONGEST_LINE = 8192
"""The longest line; a sender of a longer one is disconnected."""

CLOCK_STEP = 0.02
"""Seconds by which a clock may be late."""

LONGEST_CLOCK_STEP = 1.0
"""Seconds after which a table that plays is asked for its clocks at the latest."""

MOST_UNREAD = 1 << 20
"""Bytes that a player may leave unread."""

Operator = Callable[[Question], Awaitable[Mapping[int, str]]]
"""A callback that answers a question for alerts, by the position of the call."""

log = logging.getLogger("overtrick.tablemanager")


class LineSplitter:
    """A splitter of bytes into lines.

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
        # Some end their lines with a carriage return alone, and whoever does would take one inside an alert for
        # the end of a message of ours. The rest of a whole end is an empty line.
        received = received.replace(b"\r", b"\n")
        *whole, self._rest = received.split(b"\n")
        if len(received) > LONGEST_LINE and max(map(len, (*whole, self._rest))) > LONGEST_LINE:
            raise OverflowError
        # Byte by byte, so that an alert goes out as it came in, whatever its encoding.
        return [line.decode("latin-1") for line in map(bytes.strip, whole) if line]


# What is read is cut into lines at once, so that all connections can read into the same small buffer.
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
        # A computer that was switched off says nothing; its seat is to be free again some day.
        notice_silence(transport, 60)
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
            server.hear(self, lines)

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


def notice_silence(transport: asyncio.BaseTransport, seconds: int) -> None:
    """Make a connection end after this many seconds without the other computer, even if nothing is sent."""
    line: socket.socket | None = transport.get_extra_info("socket")
    if line is None:
        return
    line.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    if hasattr(socket, "TCP_KEEPIDLE"):
        line.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPIDLE, seconds // 2)
        line.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPINTVL, seconds // 6)
        line.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPCNT, 3)
    if hasattr(socket, "TCP_USER_TIMEOUT"):
        # Without it, what was sent and never arrived keeps a connection for a quarter of an hour.
        line.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, seconds * 1000)


def address_of(peer: Sequence[object] | None, own: Sequence[object] | None) -> str:
    """Return the address of a connection without its port; empty for this computer.

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


def clock_step(rules: Rules) -> float:
    """Return the seconds between two checks of a table's deadline.

    A clock that starts is not due before its whole time has passed, so half of the shortest is often enough to be in
    time. What is left of a side's time for a board may be less than that.

    >>> clock_step(Rules(trick_pause=0.0)), clock_step(Rules(timeout=0.5)), clock_step(Rules(board_timeout=300.0))
    (1.0, 0.25, 0.02)
    """
    if rules.board_timeout is not None:
        return CLOCK_STEP
    times = [rules.timeout, rules.reconnect, rules.greeting, rules.trick_pause or None]
    shortest = min((time for time in times if time is not None), default=LONGEST_CLOCK_STEP)
    return min(LONGEST_CLOCK_STEP, max(CLOCK_STEP, shortest / 2))


def why_not(fault: OSError | OverflowError) -> str:
    """Return the reason why a port cannot be opened.

    >>> why_not(OSError(errno.EADDRINUSE, "error while attempting to bind on address"))
    'another program has it'
    """
    if isinstance(fault, OSError):
        if fault.errno == errno.EADDRINUSE:
            return "another program has it"
        if fault.errno:
            return os.strerror(fault.errno)
    return str(fault)


class TableServer:
    """One table and its connections."""

    def __init__(
        self,
        table: Table,
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
        self._doors: list[asyncio.Server] = []
        self._timer: asyncio.TimerHandle | None = None
        self._due = 0.0
        self._clock_step = clock_step(table.rules)
        self._soon: asyncio.TimerHandle | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self.links: set[_Link] = set()
        self.ended: asyncio.Future[str | None] = asyncio.get_running_loop().create_future()
        """The future of the session's end: None, or the reason why it stopped."""
        self.watcher: Callable[[], None] | None = None
        """A callback after each line; it only notes that something may have changed."""

    @property
    def now(self) -> float:
        """Return the time on the table's clock."""
        return self._clock()

    async def open(self, host: str = "127.0.0.1", ports: Iterable[int] = (0,)) -> list[int]:
        """Open one port for all seats, or four in the order North, East, South, West; return their numbers."""
        wanted = list(ports)
        if len(wanted) not in (1, 4):
            raise TableError(f"A table has one port or four, not {len(wanted)}.")
        loop = asyncio.get_running_loop()
        opened = []
        for place, port in enumerate(wanted):
            only = SEATS[place] if len(wanted) == 4 else None
            try:
                door = await loop.create_server(lambda only=only: _Link(self, only), host, port)  # type: ignore[misc]
            except (OSError, OverflowError) as fault:
                await self.close()
                raise TableError(f"Port {port} of {host} cannot be opened: {why_not(fault)}.") from None
            self._doors.append(door)
            opened.append(door.sockets[0].getsockname()[1])
        return opened

    async def close(self) -> None:
        """Close the ports and whatever is still connected."""
        for handle in (self._timer, self._soon):
            if handle is not None:
                handle.cancel()
        for task in self._tasks:
            task.cancel()
        for door in self._doors:
            door.close()
        for link in list(self.links):
            link.hang_up()
        for door in self._doors:
            await door.wait_closed()
        self._doors = []

    def guard(self, happen: Callable[[float], list[Output]]) -> None:
        """Call a function of the table; an exception ends this table and no other."""
        try:
            self._do(happen(self._clock()))
        except Exception as fault:
            self._break(fault)
        self._happened()

    def hear(self, link: _Link, lines: list[str]) -> None:
        """Process lines; guarded like `guard`, without a function object for each."""
        table, now = self.table, self._clock()
        try:
            for line in lines:
                self._do(table.received(link, line, now))
        except Exception as fault:
            self._break(fault)
        self._happened()

    def _break(self, fault: Exception) -> None:
        log.exception("%s: the table broke", self.name)
        self._do(self.table.stop(f"the table broke: {fault}", self._clock()))

    def _happened(self) -> None:
        # The table is asked for its clocks once in a while, not for each line.
        if self._soon is None:
            self._soon = asyncio.get_running_loop().call_later(self._clock_step, self._look_ahead)
        if self.watcher is not None:
            self.watcher()

    def _do(self, outputs: list[Output]) -> None:
        for output in outputs:
            if type(output) is Send:
                cast(_Link, output.link).send(output.line)
                continue
            match output:
                case HangUp(link):
                    cast(_Link, link).hang_up()
                case BoardRecorded(record):
                    self._keep(record)
                case LogNote(text):
                    log.info("%s: %s", self.name, text)
                case Question():
                    task = asyncio.ensure_future(self._ask(output))
                    self._tasks.add(task)
                    task.add_done_callback(self._tasks.discard)
                case SessionEnded(reason):
                    # A refusal of the disk may stop what had just ended well.
                    if not self.ended.done():
                        self.ended.set_result(reason)
                    self._set_timer()

    def _keep(self, record: BoardRecord) -> None:
        self.records.append(record)
        if self._record is None:
            return
        try:
            self._record(record)
        except OSError as fault:
            reason = f"the record of board {record.board.number} cannot be written: {fault.strerror}"
            log.error("%s: %s", self.name, reason)
            self._do(self.table.stop(reason, self._clock()))

    async def _ask(self, question: Question) -> None:
        answer: Mapping[int, str] = {}
        if self._operator is not None:
            answer = await self._operator(question)
        if self.table.question is question:
            self.guard(lambda now: self.table.answered(answer, now))

    def _look_ahead(self) -> None:
        self._soon = None
        self._set_timer()

    def _set_timer(self) -> None:
        deadline = self.table.deadline
        # A clock that starts again with each call only moves its deadline on, and a timer that is early looks
        # again: it is set anew only when it would be late.
        if self._timer is not None and (deadline is None or deadline < self._due):
            self._timer.cancel()
            self._timer = None
        if self._timer is None and deadline is not None:
            self._due = deadline
            wait = max(0.0, deadline - self._clock())
            self._timer = asyncio.get_running_loop().call_later(wait, self._look)

    def _look(self) -> None:
        self._timer = None
        self.guard(self.table.tick)
