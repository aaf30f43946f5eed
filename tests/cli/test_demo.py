"""`overtrick demo` as a newcomer starts it: on a pipe, in a terminal of any size, and stopped at any moment."""

import contextlib
import errno
import fcntl
import io
import json
import os
import pty
import queue
import re
import select
import shutil
import signal
import struct
import subprocess
import sys
import termios
import threading
import time
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from uuid import uuid4

import pytest
from rich.console import Console, ConsoleDimensions
from typer.testing import CliRunner

from overtrick.bridge import Tricks
from overtrick.cli import app
from overtrick.cli.demo_screen import DemoAddresses, screen
from overtrick.errors import BadInput
from overtrick.event.calls import CallDirector
from overtrick.event.hands import EvaluateHand
from overtrick.event.results import ResultRecorded
from overtrick.host.demo import analyse_deals, demo_folder, open_demo, play
from overtrick.store import open_journal
from overtrick.store.codec import event_codec
from tests.waiting import wait_for

PATIENCE = 50
"""Seconds after which a test gives up; nothing here takes long on a quiet computer."""
SMALL = ("demo", "--tables", "2", "--boards", "6")
AT_ONCE = ("--speed", "1e9")
SLOWLY = ("--speed", "60")
"""A small evening takes a minute, most of it after the first round."""
HERE = ("--data", "evening")


def environment(**more: str) -> dict[str, str]:
    """Return the environment of a child, without variables that make Rich take a pipe for a terminal."""
    named = {"FORCE_COLOR", "COLUMNS", "LINES", "TTY_COMPATIBLE", "TTY_INTERACTIVE", "PYTHONUNBUFFERED"}
    return {name: value for name, value in os.environ.items() if name not in named} | more


class Piped:
    """A demonstration whose output somebody reads line by line, as a log file or `| cat` would."""

    def __init__(self, folder: Path, *words: str, **more: str) -> None:
        self.mark = uuid4().hex
        self.lines: list[str] = []
        self._coming: queue.Queue[str | None] = queue.Queue()
        self.program = subprocess.Popen(
            [sys.executable, "-m", "overtrick", *words],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            encoding="utf-8",
            cwd=folder,
            env=environment(OVERTRICK_TEST_MARK=self.mark, PYTHONIOENCODING="utf-8", **more),
        )
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        assert self.program.stdout is not None
        for line in self.program.stdout:
            self._coming.put(line.rstrip("\n"))
        self._coming.put(None)

    def line(self, pattern: str) -> str:
        """Read on until a line matches, and fail when none does."""
        end = time.monotonic() + PATIENCE
        while (line := self._coming.get(timeout=max(0.0, end - time.monotonic()))) is not None:
            self.lines.append(line)
            if re.search(pattern, line):
                return line
        raise AssertionError(f"no line with {pattern!r}:\n" + "\n".join(self.lines))

    def end(self) -> str:
        """Read all that is left, until the command has ended."""
        while (line := self._coming.get(timeout=PATIENCE)) is not None:
            self.lines.append(line)
        self.program.wait(PATIENCE)
        return "\n".join(self.lines)


@contextlib.contextmanager
def piped(folder: Path, *words: str, **more: str) -> Iterator[Piped]:
    """Run a demonstration on a pipe, and let none survive the test."""
    running = Piped(folder, *words, **more)
    try:
        yield running
    finally:
        running.program.kill()
        running.program.wait(PATIENCE)


class Terminal:
    """A demonstration in a terminal of a certain size, and all that was written to it."""

    def __init__(self, folder: Path, *words: str, size: tuple[int, int] = (80, 24)) -> None:
        self.mark = uuid4().hex
        self.master, tty = pty.openpty()
        fcntl.ioctl(tty, termios.TIOCSWINSZ, struct.pack("HHHH", size[1], size[0], 0, 0))
        self.raw = b""
        self.program = subprocess.Popen(
            [sys.executable, "-m", "overtrick", *words],
            stdin=tty,
            stdout=tty,
            stderr=tty,
            cwd=folder,
            start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
            env=environment(TERM="xterm", NO_COLOR="1", OVERTRICK_TEST_MARK=self.mark),
        )
        os.close(tty)

    @property
    def shown(self) -> str:
        """All that was written, without what moves the cursor."""
        return re.sub(rb"\x1b\[[0-9;?]*[A-Za-z]", b"", self.raw).decode(errors="replace")

    def until(self, is_so: Callable[[str], bool]) -> str:
        """Read the terminal until something was written, or the command has ended."""
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
                self.raw += read
        return self.shown

    def type(self, keys: bytes) -> str:
        """Press keys, Ctrl-C for one, and read until the command has ended."""
        os.write(self.master, keys)
        self.until(lambda _: False)
        self.program.wait(PATIENCE)
        return self.shown


@contextlib.contextmanager
def in_terminal(folder: Path, *words: str, size: tuple[int, int] = (80, 24)) -> Iterator[Terminal]:
    """Run a demonstration in a terminal, and let none survive the test."""
    running = Terminal(folder, *words, size=size)
    try:
        yield running
    finally:
        running.program.kill()
        running.program.wait(PATIENCE)
        os.close(running.master)


def left_running(mark: str) -> list[str]:
    """Return the commands of the processes that a demonstration started and that still run."""
    found = []
    for process in Path("/proc").iterdir():
        with contextlib.suppress(OSError):
            if process.name.isdigit() and mark.encode() in (process / "environ").read_bytes():
                found.append((process / "cmdline").read_text().replace("\0", " "))
    return found


@pytest.fixture(scope="module")
def begun(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a small evening with one missing result in round 1 and all deals analysed."""
    folder = tmp_path_factory.mktemp("begun")
    with open_demo(folder, 2, 1, 6) as (evening, runtime):
        tricks = dict.fromkeys(evening.deals, Tricks((7,) * 20))
        for board, deal in evening.deals.items():
            runtime.do(EvaluateHand(evening.session, 1, board, deal, tricks[board]))
        for moment in play(evening, runtime, tricks, 1e9, sleep=lambda _: None):
            if len(moment.view.session.results.standing) == 3:
                break
    return folder


@pytest.fixture
def folder(begun: Path, tmp_path: Path) -> Path:
    """Return a folder with `evening` in it, in which a demonstration continues at once."""
    shutil.copytree(begun, tmp_path / "evening")
    return tmp_path


def children_gone(mark: str) -> None:
    """Wait until nothing that a demonstration started runs any more."""
    wait_for(lambda: not left_running(mark), told=lambda: left_running(mark))


def test_on_a_pipe_lines_come_while_the_evening_is_played_and_sigterm_ends_it(folder: Path) -> None:
    with piped(folder, *SMALL, *SLOWLY, *HERE) as demo:
        demo.line("evening of 2 tables")
        address = demo.line(r"http://127\.0\.0\.1:\d+/live").split()[0]
        with urllib.request.urlopen(address.replace("/live", "/results"), timeout=PATIENCE) as page:
            assert b"Demonstration evening" in page.read()
        demo.line(r"Data Connector at http://127\.0\.0\.1:\d+")
        demo.line(r"^\d\d:\d\d  Round 1 is over: \d+ of 12 results are in\. .+ – .+ lead.* with \d+\.\d\d %")
        assert left_running(demo.mark)
        demo.program.terminate()
        said = demo.end()
    assert demo.program.returncode == 128 + signal.SIGTERM
    assert "Traceback" not in said
    assert "The same command with `--journal evening` continues it." in said
    assert "  evening/overtrick.journal" in said
    children_gone(demo.mark)


def test_an_evening_that_goes_on_tells_only_what_is_new(folder: Path) -> None:
    with piped(folder, *SMALL, *AT_ONCE, *HERE) as demo:
        said = demo.end()
    assert demo.program.returncode == 0, said
    assert "The evening continues: 3 of 12 results are in." in said
    assert "Analysing" not in said
    assert re.findall(r"Round (\d) is over: (\d+) of 12", said) == [("1", "4"), ("2", "8"), ("3", "12")]


def test_an_evening_that_is_over_is_shown_again(folder: Path) -> None:
    with open_demo(folder / "evening", 2, 1, 6) as (evening, runtime):
        for _ in play(evening, runtime, analyse_deals(evening, runtime), 1e9, sleep=lambda _: None):
            pass
    with piped(folder, *SMALL, *AT_ONCE, *HERE) as demo:
        said = demo.end()
    assert demo.program.returncode == 0, said
    assert "The evening continues: 12 of 12 results are in." in said
    assert "is over:" not in said
    assert "12 results over the Data Connector" in said, "the scoring program had not polled before"
    assert "evening/evening.bws" in said


@pytest.mark.timeout(150)  # an evening with its solver and three programs beside it
def test_on_a_pipe_the_evening_ends_with_its_ranking_and_every_file_that_it_names(tmp_path: Path) -> None:
    # FORCE_COLOR has Rich take everything for a terminal; a pipe is none, and nobody could press Ctrl-C there.
    with piped(tmp_path, *SMALL, *AT_ONCE, "--seed", "3", FORCE_COLOR="1") as demo:
        said = demo.end()
    assert demo.program.returncode == 0, said
    assert "\x1b" not in said
    assert [int(number) for number in re.findall(r"Round (\d) is over", said)] == [1, 2, 3]
    assert re.search(r"^\d\d:\d\d  Table A\d calls the director\.$", said, re.MULTILINE)
    assert re.search(r"^\d\d:\d\d  Table A\d: the director has ruled\.$", said, re.MULTILINE)
    assert re.search(r"│ 1=? +│ +\d │ .+ – .+ │ \d\d\.\d\d │", said)

    made = dict(re.findall(r"^  (\S.*?)  +(overtrick-demo/1/\S+)$", said, re.MULTILINE))
    assert list(made) == ["journal", "pages", "PBN", "USEBIO", "Bridgemate file", "polled results"]
    folder = tmp_path / "overtrick-demo" / "1"
    for path in made.values():
        assert (tmp_path / path).stat().st_size > 0
    checked = CliRunner().invoke(app, ["bws", "check", str(tmp_path / made["Bridgemate file"])])
    assert checked.exit_code == 0, checked.output
    assert "0 violations, 0 warnings" in checked.output
    rankings = {
        source: CliRunner().invoke(app, ["score", str(folder / source), "--format", "csv"]).stdout
        for source in ("overtrick.journal", "evening.bws", "evening.pbn")
    }
    assert rankings["overtrick.journal"].count("\n") == 5
    assert len(set(rankings.values())) == 1, rankings

    with open_journal(folder / "overtrick.journal", event_codec(), create=False) as journal:
        facts = [entry.fact for line in journal.streams() for entry in journal.read(line.stream)]
    recorded = [fact for fact in facts if isinstance(fact, ResultRecorded)]
    assert len(recorded) > 12, "the director corrects a result in this evening"
    (accepted,) = re.findall(r"^(\d+) results over the Data Connector", said, re.MULTILINE)
    received = [json.loads(line) for line in (folder / "polled.jsonl").read_text().splitlines()]
    assert int(accepted) == len(received) <= len(recorded), "what was corrected before a poll comes once"
    polled = [(item["TableNumber"], item["RoundNumber"], item["BoardNumber"]) for item in received]
    assert set(polled) == {fact.place[1:] for fact in recorded}
    children_gone(demo.mark)


def test_the_first_line_comes_before_anything_heavy_is_imported(tmp_path: Path) -> None:
    command = [sys.executable, "-X", "importtime", "-m", "overtrick", *SMALL, *SLOWLY]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, cwd=tmp_path, env=environment()
    ) as demo:
        try:
            assert demo.stdout is not None
            before = []
            for line in demo.stdout:
                if "evening of 2 tables" in line:
                    break
                before.append(line)
            else:
                pytest.fail("".join(before[-5:]))
        finally:
            demo.kill()
    imported = {line.rpartition("|")[2].strip().partition(".")[0] for line in before}
    assert "overtrick" in imported
    assert not imported & {"sqlalchemy", "fastapi", "starlette", "uvicorn", "msgspec", "pydantic"}
    assert not [line for line in before if "overtrick.host" in line]


def test_a_second_demonstration_has_a_folder_of_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert [demo_folder(None) for _ in range(2)] == [Path("overtrick-demo/1"), Path("overtrick-demo/2")]
    assert demo_folder(Path("given/deep")) == Path("given/deep")
    assert demo_folder(Path("given/deep")) == Path("given/deep")


def test_a_folder_that_cannot_be_written_is_refused_in_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("overtrick-demo").mkdir()

    def refuse(path: Path, **_: object) -> None:
        if path.name == "1":
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))

    monkeypatch.setattr(Path, "mkdir", refuse)
    with pytest.raises(BadInput, match="The folder cannot be created: Permission denied"):
        demo_folder(None)


@pytest.mark.parametrize("given", [None, "mine"])
def test_a_file_where_the_folder_should_be_is_refused_in_words(
    tmp_path: Path, given: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path(given or "overtrick-demo").write_text("somebody's")
    with pytest.raises(BadInput, match=r"This is a file, not a folder; nothing was changed\."):
        demo_folder(None if given is None else Path(given))


def test_in_a_terminal_the_pages_stay_until_ctrl_c(folder: Path) -> None:
    with in_terminal(folder, *SMALL, *AT_ONCE, *HERE) as demo:
        shown = demo.until(lambda shown: "table A1: take it over" in shown)
        (address,) = set(re.findall(r"(http://127\.0\.0\.1:\d+)/live", shown))
        with urllib.request.urlopen(f"{address}/results", timeout=PATIENCE) as page:
            assert b"Demonstration evening" in page.read()
        shown = demo.type(b"\x03")
        assert demo.program.returncode == 0
    assert "evening/evening.bws" in shown
    assert "Traceback" not in shown
    assert_cursor_is_back(demo.raw)
    children_gone(demo.mark)


@pytest.mark.parametrize(
    ("moment", "where"), [("evening of 2 tables", ()), ("Analysing", ()), ("accepted", HERE)]
)
def test_ctrl_c_ends_it_cleanly_at_any_moment(folder: Path, moment: str, where: tuple[str, ...]) -> None:
    with in_terminal(folder, *SMALL, *SLOWLY, *where) as demo:
        demo.until(lambda shown: moment in shown)
        shown = demo.type(b"\x03\x03")
        assert demo.program.returncode == 128 + signal.SIGINT, shown
    assert "Stopped." in shown
    assert "Traceback" not in shown
    assert_cursor_is_back(demo.raw)
    children_gone(demo.mark)


def assert_cursor_is_back(raw: bytes) -> None:
    # Showing a cursor that was not hidden yet is harmless: Ctrl-C may come between the two.
    assert raw.rfind(b"\x1b[?25l") <= raw.rfind(b"\x1b[?25h")


def test_demo_without_pages_prints_no_browser_address(folder: Path) -> None:
    with in_terminal(folder, *SMALL, *AT_ONCE, *HERE, "--no-web") as demo:
        demo.until(lambda _: False)
        demo.program.wait(PATIENCE)
    assert demo.program.returncode == 0
    assert "In a browser" not in demo.shown
    assert "stay open" not in demo.shown


PLACES = DemoAddresses(
    "http://127.0.0.1:54321",
    f"http://127.0.0.1:54321/t/{'F' * 32}/A1?code=ABCDEFGH",
    "http://127.0.0.1:54322",
)
NEWS = [f"19:{minute}  Table {minute}, board 1: 3NT by North, made" for minute in range(30, 50)]


@pytest.mark.parametrize("tables", [2, 8, 40, 256])
@pytest.mark.parametrize("size", [(80, 24), (120, 40), (80, 12), (60, 24), (200, 60)])
def test_the_addresses_are_on_a_screen_of_any_size_with_any_number_of_tables(
    tmp_path: Path, size: tuple[int, int], tables: int
) -> None:
    width, height = size
    with open_demo(tmp_path, tables, 1, 24) as (evening, runtime):
        last = f"{min(evening.movements)}2"
        runtime.do(CallDirector(evening.session, "call", last[0], 2, evening.starts))
        view = runtime.view(evening.session)
    console = Console(width=width, height=height, file=io.StringIO(), force_terminal=True, record=True)
    console.print(screen(view, NEWS, ConsoleDimensions(width, height), PLACES, "Working out"))
    lines = [line.rstrip() for line in console.export_text().rstrip("\n").split("\n")]
    assert len(lines) < height
    assert lines[0].startswith("In a browser: http://127.0.0.1:54321/")
    assert lines[2] == "Working out"
    if width >= 80:
        assert PLACES.terminal in lines[1]
    shown = sum(bool(re.match(r" *[A-Z]\d+ ", line)) for line in lines[3:])
    left = re.findall(r"and (\d+) more table", "\n".join(lines))
    assert shown >= 1
    assert shown + sum(map(int, left)) == tables
    assert any(f"{last} " in line and "director!" in line for line in lines)
    assert lines[-1] == NEWS[-1][:width]
