"""A person's terminal: lines that are typed while other things go on. Has no bridge logic."""

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

    `write` prints text as it is; `read` waits for a line in a thread of its own. One line may be typed ahead; the next
    is not read before that one is taken.
    """

    def __init__(self, write: Callable[[str], object], read: Callable[[], str] | None = None) -> None:
        self._write = write
        self._read = read or typed_line
        self._typing: asyncio.Future[str] | None = None
        self._line: str | None = None
        self._taken = asyncio.Event()
        self._asked: str | None = None
        """The question on the screen."""
        self._is_gone = False

    def say(self, text: str) -> None:
        """Print something on a line of its own."""
        self.leave()
        self._write(f"{text}\n")

    def ask(self, text: str) -> str | None:
        """Return the typed line; if there is none yet, ask for it and return None."""
        line, self._line = self._line, None
        self._taken.set()
        if line is not None:
            return line
        if self._is_gone:
            raise TableError("Nobody is at the terminal any more; the table was left.")
        if self._asked != text:
            self.leave()
            self._write(f"{text}: ")
            self._asked = text
        return None

    async def typed(self) -> None:
        """Return when one more line has been typed, or when nobody can type any more."""
        while self._line is not None or self._is_gone:
            self._taken.clear()
            await self._taken.wait()
        if self._typing is None:
            self._typing = in_thread(self._read)
        try:
            self._line = (await asyncio.shield(self._typing)).strip()
            self._asked = None  # whoever types a line ends it
        except EOFError:
            self._is_gone = True
            self.leave()
        self._typing = None

    def leave(self) -> None:
        """End a question that is on the screen, so that the next text starts on its own line."""
        if self._asked is not None:
            self._write("\n")
            self._asked = None


def is_there() -> bool:
    """Return whether lines may come from standard input: it is neither closed nor the null device."""
    if sys.stdin is None or sys.stdin.closed:
        return False
    try:
        descriptor = sys.stdin.fileno()
        mode = os.fstat(descriptor).st_mode
    except OSError:
        return True  # no file, but something that is read from all the same
    return os.isatty(descriptor) or not stat.S_ISCHR(mode)


def typed_line() -> str:
    """Return a line from the terminal; raise EOFError if there will be none.

    Read from the descriptor: a thread that is still inside `sys.stdin` when Python ends would crash it.
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


def in_thread(ask: Callable[[], str]) -> asyncio.Future[str]:
    """Return a line read in a daemon thread: the session may end before anyone types."""
    loop = asyncio.get_running_loop()
    typed: asyncio.Future[str] = loop.create_future()

    def tell(line: str | None) -> None:
        if typed.done():
            return
        if line is None:
            typed.set_exception(EOFError())
        else:
            typed.set_result(line)

    def read() -> None:
        line: str | None = None
        with contextlib.suppress(EOFError, OSError, ValueError):
            line = ask()
        with contextlib.suppress(RuntimeError):  # the loop has ended
            loop.call_soon_threadsafe(tell, line)

    threading.Thread(target=read, name="terminal", daemon=True).start()
    return typed
