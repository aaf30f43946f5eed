"""`overtrick demo` as a newcomer starts it: in a terminal its pages are there, and it says how to end it."""

import os
import pty
import re
import select
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable
from pathlib import Path

import pytest

PATIENCE = 90
WORDS = ("demo", "--tables", "2", "--boards", "6")


class Terminal:
    """A command in a window of its own, and all that has been on its screen."""

    def __init__(self, *words: str) -> None:
        self.master, screen = pty.openpty()
        self.shown = ""
        self.program = subprocess.Popen(
            [sys.executable, "-m", "overtrick", *words],
            stdin=screen,
            stdout=screen,
            stderr=screen,
            env={**os.environ, "TERM": "xterm", "COLUMNS": "120", "LINES": "40", "NO_COLOR": "1"},
        )
        os.close(screen)

    def until(self, is_so: Callable[[str], bool]) -> str:
        """Read the screen until something is there, or the command has ended."""
        end = time.monotonic() + PATIENCE
        while not is_so(self.shown):
            assert time.monotonic() < end, self.shown
            if select.select([self.master], [], [], 0.2)[0]:
                try:
                    read = os.read(self.master, 65536)
                except OSError:  # the command has ended
                    break
                if not read:
                    break
                self.shown += re.sub(rb"\x1b\[[0-9;?]*[A-Za-z]", b"", read).decode(errors="replace")
        return self.shown

    def interrupt(self) -> str:
        """Ctrl-C, and everything that was shown."""
        self.program.send_signal(signal.SIGINT)
        self.until(lambda _: False)
        self.program.wait(PATIENCE)
        return self.shown


@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")
def test_in_a_terminal_the_pages_are_there_and_stay_until_ctrl_c() -> None:
    terminal = Terminal(*WORDS, "--speed", "1e9")
    try:
        shown = terminal.until(lambda shown: "until you press Ctrl-C" in shown)
        (address,) = set(re.findall(r"(http://127\.0\.0\.1:\d+)/live", shown))
        with urllib.request.urlopen(f"{address}/results", timeout=PATIENCE) as page:
            assert b"Demonstration evening" in page.read()
        assert "the terminal of table A1" in terminal.interrupt()
        assert terminal.program.returncode == 0
    finally:
        terminal.program.kill()
        terminal.program.wait(30)


@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")
def test_without_pages_nothing_is_said_of_a_browser_and_ctrl_c_says_how_to_go_on(tmp_path: Path) -> None:
    terminal = Terminal(*WORDS, "--speed", "30", "--no-web", "--data", str(tmp_path))
    try:
        terminal.until(lambda shown: "Tables" in shown)
        shown = terminal.interrupt()
    finally:
        terminal.program.kill()
        terminal.program.wait(30)
    assert "In a browser" not in shown
    assert "Stopped; the same command goes on where it was." in shown
    assert terminal.program.returncode == 130
