"""The line protocol of the named pipe, as a state machine without sockets.

A request is one line of JSON, and so is its answer. Bytes go in through `receive`; `next_event` returns what they mean.
This file owns the state table:

    state      `receive`      `next_event`                               `answer`
    IDLE       buffers        a whole line: RequestLine, then WORKING    RuntimeError
                              a line above the limit: LineTooLong, then CLOSED
                              else None
    WORKING    buffers        None: one request at a time                returns the bytes to send, then IDLE
    CLOSED     drops          None                                       RuntimeError

A client may send the next request before the answer to the last one; it waits in the buffer. After a line above the
limit the machine is CLOSED, because the start of the next request cannot be known without reading the rest of the line.
The first line may begin with a byte order mark, which .NET's StreamWriter writes; lines may end with CR LF. Blank lines
are skipped.
"""

from dataclasses import dataclass
from enum import Enum

LONGEST = 16 * 1024 * 1024
"""Default limit of a request, in bytes."""

BYTE_ORDER_MARK = b"\xef\xbb\xbf"


class PipeState(Enum):
    """The state of a connection; see the table above."""

    IDLE = "idle"
    WORKING = "working"
    CLOSED = "closed"


@dataclass(frozen=True, slots=True)
class RequestLine:
    """A complete request, which has to be answered before the next one."""

    text: bytes


@dataclass(frozen=True, slots=True)
class LineTooLong:
    """A line above the limit; the connection has to be closed."""

    limit: int

    def __str__(self) -> str:
        return f"A request has at most {self.limit} bytes; the connection was closed."


class PipeProtocol:
    """The protocol state of one client.

    >>> protocol = PipeProtocol()
    >>> protocol.receive(b'\\xef\\xbb\\xbf{"Command":4}\\r\\n{"Comm')
    >>> protocol.next_event()
    RequestLine(text=b'{"Command":4}')
    >>> protocol.answer(b"{}")
    b'{}\\n'
    >>> print(protocol.next_event())
    None
    """

    def __init__(self, longest: int = LONGEST) -> None:
        self.state = PipeState.IDLE
        self._longest = longest
        self._buffer = bytearray()
        self._searched = 0
        self._is_first = True

    def receive(self, chunk: bytes) -> None:
        """Buffer bytes from the client."""
        if self.state is not PipeState.CLOSED:
            self._buffer += chunk

    def next_event(self) -> RequestLine | LineTooLong | None:
        """Return the next event; None if more bytes are needed or the last request is not answered yet."""
        while self.state is PipeState.IDLE:
            end = self._buffer.find(b"\n", self._searched)
            if end < 0 and len(self._buffer) <= self._longest:
                self._searched = len(self._buffer)
                return None
            if end < 0 or end > self._longest:
                self.close()
                return LineTooLong(self._longest)
            with memoryview(self._buffer) as waiting:
                text = bytes(waiting[:end])  # one copy: it may be long
            del self._buffer[: end + 1]
            self._searched = 0
            if self._is_first:
                text = text.removeprefix(BYTE_ORDER_MARK)
                self._is_first = False
            text = text.removesuffix(b"\r")
            if text.strip():
                self.state = PipeState.WORKING
                return RequestLine(text)
            # A blank line is not a request.
        return None

    def answer(self, text: bytes) -> bytes:
        """Return the bytes to send as the answer to the current request."""
        if self.state is not PipeState.WORKING:
            raise RuntimeError("There is no request to answer.")
        if b"\n" in text:
            raise ValueError("An answer is one line.")
        self.state = PipeState.IDLE
        return text + b"\n"

    def close(self) -> None:
        """Drop the buffer and all later bytes."""
        self.state = PipeState.CLOSED
        self._buffer.clear()
