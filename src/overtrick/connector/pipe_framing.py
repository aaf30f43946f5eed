"""The line protocol of the named pipe, as a machine that never touches a socket.

A request is one line of JSON, and so is its answer. This file owns the state table:

    state      on `receive`                       on `answer`
    IDLE       a whole line: Line, and WORKING    not allowed
    WORKING    kept, not looked at                the line is written, and IDLE
    CLOSED     thrown away                        not allowed

A line that does not end in time is TooLong, and the machine is CLOSED: who sent it cannot be followed any more.
"""

from dataclasses import dataclass
from enum import Enum

LONGEST = 16 * 1024 * 1024
"""Bytes in a request, unless the server was given another limit."""

BYTE_ORDER_MARK = b"\xef\xbb\xbf"


class PipeState(Enum):
    """What a conversation is doing."""

    IDLE = "idle"
    WORKING = "working"
    CLOSED = "closed"


@dataclass(frozen=True, slots=True)
class RequestLine:
    """A request has come in; the conversation waits for its answer."""

    text: bytes


@dataclass(frozen=True, slots=True)
class LineTooLong:
    """A line was longer than can be; the conversation is over."""

    limit: int

    def __str__(self) -> str:
        return f"A request has at most {self.limit} bytes; the connection was closed."


class PipeProtocol:
    """One client's side of the pipe.

    >>> talk = PipeProtocol()
    >>> talk.receive(b'\\xef\\xbb\\xbf{"Command":4}\\r\\n{"Comm')
    >>> talk.next_event()
    RequestLine(text=b'{"Command":4}')
    >>> talk.answer(b"{}")
    b'{}\\n'
    >>> print(talk.next_event())
    None
    """

    def __init__(self, longest: int = LONGEST) -> None:
        self.state = PipeState.IDLE
        self._longest = longest
        self._waiting = bytearray()
        self._searched = 0
        self._is_first = True

    def receive(self, chunk: bytes) -> None:
        """Take what came in; `next_event` says what it means."""
        if self.state is not PipeState.CLOSED:
            self._waiting += chunk

    def next_event(self) -> RequestLine | LineTooLong | None:
        """The next whole line, if the last one has been answered; None when there is none yet."""
        while self.state is PipeState.IDLE:
            end = self._waiting.find(b"\n", self._searched)
            if end < 0 and len(self._waiting) <= self._longest:
                self._searched = len(self._waiting)
                return None
            if end < 0 or end > self._longest:
                self.close()
                return LineTooLong(self._longest)
            with memoryview(self._waiting) as waiting:
                text = bytes(waiting[:end])  # one copy: it may be long
            del self._waiting[: end + 1]
            self._searched = 0
            if self._is_first:
                text = text.removeprefix(BYTE_ORDER_MARK)
                self._is_first = False
            text = text.removesuffix(b"\r")
            if text.strip():
                self.state = PipeState.WORKING
                return RequestLine(text)
            # A line with nothing on it asks for nothing.
        return None

    def answer(self, text: bytes) -> bytes:
        """The bytes that answer the request at hand."""
        if self.state is not PipeState.WORKING:
            raise RuntimeError("There is no request to answer.")
        if b"\n" in text:
            raise ValueError("An answer is one line.")
        self.state = PipeState.IDLE
        return text + b"\n"

    def close(self) -> None:
        """Let nothing more come in."""
        self.state = PipeState.CLOSED
        self._waiting.clear()
