"""A terminal for a person: reads lines in a thread, so that the event loop continues. Has no bridge logic."""

import asyncio
import contextlib
import os
import stat
import sys
import threading
from collections.abc import Callable

from overtrick.tablemanager.rules import TableError


class Terminal:
    """A terminal that prints, and asks for a line without blocking.

    `write` prints text unchanged; `read` blocks for a line, in its own thread. One line may be typed ahead; the next
    one is not read before `ask` has returned that line.
    """

    def __init__(self, write: Callable[[str], object], read: Callable[[], str] | None = None) -> None:
        self._write = write
        self._read = read or typed_line
        self._typing: asyncio.Future[str] | None = None
        self._line: str | None = None
        self._line_used = asyncio.Event()
        self._asked: str | None = None
        """The question that is on the screen."""
        self._has_ended = False

    def say(self, text: str) -> None:
        """Print text on a line of its own."""
        self.end_question()
        self._write(f"{text}\n")

    def ask(self, text: str) -> str | None:
        """Return the typed line; if there is none yet, ask for it and return None."""
        line, self._line = self._line, None
        self._line_used.set()
        if line is not None:
            return line
        if self._has_ended:
            raise TableError("The terminal's input has ended, so you have left the table.")
        if self._asked != text:
            self.end_question()
            self._write(f"{text}: ")
            self._asked = text
        return None

    async def wait_for_line(self) -> None:
        """Wait until one more line has been typed, or the input has ended."""
        while self._line is not None or self._has_ended:
            self._line_used.clear()
            await self._line_used.wait()
        if self._typing is None:
            self._typing = read_in_thread(self._read)
        try:
            self._line = (await asyncio.shield(self._typing)).strip()
            self._asked = None  # Enter has ended the line on the screen
        except EOFError:
            self._has_ended = True
            self.end_question()
        self._typing = None

    def end_question(self) -> None:
        """End a question that is on the screen, so that the next text starts on its own line."""
        if self._asked is not None:
            self._write("\n")
            self._asked = None


def can_read_input() -> bool:
    """Return whether a person or program may type on standard input: it is neither closed nor the null device."""
    if sys.stdin is None or sys.stdin.closed:
        return False
    try:
        descriptor = sys.stdin.fileno()
        mode = os.fstat(descriptor).st_mode
    except OSError:
        return True  # not a file, but it may still be readable
    return os.isatty(descriptor) or not stat.S_ISCHR(mode)


def typed_line() -> str:
    """Return a line from the terminal; raise EOFError if there will be none.

    It reads from the file descriptor, because a thread that still reads from `sys.stdin` when Python exits crashes it.
    """
    try:
        descriptor = sys.stdin.fileno()
    except (AttributeError, OSError, ValueError):
        return input()
    line = b""
    while not line.endswith(b"\n"):
        letter = os.read(descriptor, 1)
        if not letter:
            break
        line += letter
    if not line:
        raise EOFError
    return line.decode("utf-8", "replace")


def read_in_thread(ask: Callable[[], str]) -> asyncio.Future[str]:
    """Return a future for a line that is read in a daemon thread, so that the program can end while it waits."""
    loop = asyncio.get_running_loop()
    future: asyncio.Future[str] = loop.create_future()

    def resolve(line: str | None) -> None:
        if future.done():
            return
        if line is None:
            future.set_exception(EOFError())
        else:
            future.set_result(line)

    def read() -> None:
        line: str | None = None
        with contextlib.suppress(EOFError, OSError, ValueError):
            line = ask()
        with contextlib.suppress(RuntimeError):  # the loop has ended
            loop.call_soon_threadsafe(resolve, line)

    threading.Thread(target=read, name="terminal", daemon=True).start()
    return future
