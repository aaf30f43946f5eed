"""BMPFTP as a running program: it sets the session up, starts the control program, and polls until it is ended.

The package `overtrick.bmpftp` does the work in the folder; this module decides when.
"""

from __future__ import annotations

import os
import shlex
import signal
import subprocess
import sys
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import Enum
from pathlib import Path

from overtrick.bmpftp.delivery import BatchRecovery
from overtrick.bmpftp.folder import Folder, FolderRefused
from overtrick.bmpftp.movement import InstructedTables
from overtrick.bmpftp.progress import Progress, progress_of
from overtrick.bmpftp.remembered_options import read_options, write_options
from overtrick.bmpftp.setup_file import Unfinished
from overtrick.bmpftp.transfer import Transfer
from overtrick.bws.edits import NotTakenYet
from overtrick.errors import BadInput, OvertrickError
from overtrick.jet.locks import access_users
from overtrick.words import counted

STOP_TIMEOUT = 20.0
"""Seconds to wait for the control program to end."""


# The control program


def control_command(start: str, session: Path, *, reset: bool, journal: str = "") -> list[str]:
    """Return the command line that starts a control program: ours, or another with the same parameters.

    >>> control_command("bmpro", Path("BMInput.bws"), reset=True)
    ['bmpro', '/f:BMInput.bws', '/s', '/r']
    """
    if not start:
        words = [sys.executable, "-m", "overtrick", "control", *(("--journal", journal) if journal else ())]
    elif Path(start).is_file():
        words = [start]
    else:
        try:
            words = shlex.split(start, posix=os.name != "nt")
        except ValueError:
            raise BadInput(f"The closing quote is missing in the command {start!r}.") from None
    return [*words, f"/f:{session}", *(("/s",) if reset else ()), "/r"]


class ControlProgram:
    """A control program in its own process. Overtrick's own is ended with this program; another one keeps running."""

    def __init__(self, folder: Folder) -> None:
        self._folder = folder
        self._process: subprocess.Popen[bytes] | None = None
        self._was_seen = False
        """True if a control program that we did not start was seen running."""
        self.log = folder.path / "BMPFTP-control.log"

    def is_running(self) -> bool:
        """Return whether the process that was started last still runs, or Access has the session file open."""
        if self._process is not None:
            return self._process.poll() is None
        memory = read_options(self._folder)
        is_started = bool(memory.control) and _is_alive(memory.control, memory.born)
        is_running_now = is_started or bool(access_users(self._folder.session))
        self._was_seen = self._was_seen or is_running_now
        return is_running_now

    def start(self, *, reset: bool) -> None:
        """Start it with the options that are remembered for this folder, and remember its process id.

        Raise FolderRefused if it cannot be started or the process id cannot be written."""
        memory = read_options(self._folder)
        session = self._folder.session.absolute()
        command = control_command(memory.start, session, reset=reset, journal=memory.journal)

        def remember(pid: int) -> None:
            write_options(self._folder, replace(memory, control=pid, born=_start_time(pid)))

        try:
            with self.log.open("ab") as log:
                self._process = subprocess.Popen(
                    command,
                    stdin=subprocess.DEVNULL,
                    stdout=log,
                    stderr=log,
                    start_new_session=True,  # Ctrl-C is meant for us
                    # The child writes its own process id before exec, so that a control program never runs
                    # unrecorded, whichever of the two processes is killed.
                    preexec_fn=None if sys.platform == "win32" else lambda: remember(os.getpid()),
                )
        except OSError as error:
            raise FolderRefused(
                f"The control program cannot be started: {error.strerror}.", where=command[0]
            ) from None
        except subprocess.SubprocessError:
            raise FolderRefused(
                "The file cannot be written, so the control program was not started.",
                where=str(self._folder.memory),
            ) from None
        if sys.platform == "win32":
            remember(self._process.pid)

    def stop(self) -> bool:
        """Stop the control program if it is Overtrick's; return True if it was running and has ended.

        Rows that it has not written yet are in its journal. It writes them after the next start.
        """
        memory = read_options(self._folder)
        if memory.start or not (memory.control and _is_alive(memory.control, memory.born)):
            return False
        os.kill(memory.control, signal.SIGTERM)
        deadline = time.monotonic() + STOP_TIMEOUT
        while _is_alive(memory.control, memory.born):
            if self._process is not None:
                self._process.poll()  # reap it if it has ended
            if time.monotonic() > deadline:
                return False
            time.sleep(0.05)
        return True

    def end_report(self) -> str:
        """Return a sentence that says how the control program ended; empty while it runs, or if none ran."""
        if self._process is None:
            return "The control program has ended." if self._was_seen and not self.is_running() else ""
        status = self._process.poll()
        if status is None:
            return ""
        if status == 0:
            return "The control program has ended."
        try:
            lines = self.log.read_text(encoding="utf-8", errors="replace").splitlines()
        except OSError:
            lines = []
        words = [line.strip(" │") for line in lines if any(map(str.isalnum, line))]
        return f"The control program has ended with status {status}" + (f": {words[-1]}" if words else ".")


def _start_time(pid: int) -> str:
    """Return the start time of a process as /proc has it, else an empty text. Process ids are reused."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[19]
    except (OSError, IndexError):
        return ""


def _is_alive(pid: int, born: str) -> bool:
    if sys.platform == "win32":
        listed = subprocess.run(
            ["tasklist", "/fi", f"pid eq {pid}", "/nh"], capture_output=True, text=True, check=False
        )
        return str(pid) in listed.stdout.split()
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (OSError, IndexError):
        return True
    return state != "Z" and _start_time(pid) == born


# The program


class ProgramRequest(Enum):
    """A request to the running program; its value is the key that makes it."""

    READ_ALL = "r"
    READ_NUMBERS = "n"
    UPDATE_MOVEMENT = "u"
    QUIT = "q"


@dataclass(slots=True)
class TransferProgram:
    """BMPFTP's work on one folder, pass by pass, and its progress for the screen."""

    transfer: Transfer
    control: ControlProgram
    recover: bool = False
    reset: bool = True
    all_results: bool = False
    clock: Callable[[], datetime] = datetime.now
    progress: Progress = field(default_factory=Progress)
    waiting: str = ""
    """A text for the screen: the thing that the program is waiting for."""
    last_write: str = ""
    news: deque[str] = field(default_factory=lambda: deque(maxlen=200))
    is_over: bool = False
    _has_session: bool = False
    _has_control: bool = False
    _problems: dict[str, str] = field(default_factory=dict)

    def carry_out(self, request: ProgramRequest) -> None:
        """Carry out a request. One that fails is reported; an update of the movement is tried again at every poll."""
        if request is ProgramRequest.QUIT:
            self.is_over = True
        elif not self._has_session:
            self.say("There is no session yet: the scoring program has to write BMInput.txt first.")
        elif request is ProgramRequest.READ_ALL:
            self._try("read all", self._read_all)
        elif request is ProgramRequest.READ_NUMBERS:
            self._try("numbers", self._read_numbers)
        else:
            self._try("movement", self.transfer.request_movement)
            self._update_movement()

    def run_pass(self) -> None:
        """Make one pass: try everything that is due. A failure is reported and tried again at the next pass."""
        if not self._has_session:
            self._try("session", self._set_up)
        if self._has_session and not self._has_control:
            self._try("control", self._start_control)
        if self._has_session:
            if self.transfer.is_movement_requested:
                self._update_movement()
            self._try("poll", self._poll)
            self._try("progress", self._read_progress)
        ended = self.control.end_report()
        self._report("ended", ended)
        self._set_waiting()

    def _try(self, task: str, work: Callable[[], None]) -> None:
        try:
            work()
        except OvertrickError as error:
            self._report(task, str(error))
        except OSError as error:
            self._report(task, f"{error.filename or self.transfer.folder.path}: {error.strerror}.")
        else:
            self._report(task, "")

    def _report(self, task: str, sentence: str) -> None:
        """Report a problem, unless it is the same as at the last try."""
        if sentence and self._problems.get(task) != sentence:
            self.say(sentence)
        self._problems[task] = sentence

    def say(self, sentence: str) -> None:
        """Add a line with the time to the news."""
        self.news.append(f"{self.clock():%H:%M:%S}  {sentence}")

    def _set_up(self) -> None:
        recovery = self.transfer.recover_batch()
        if recovery is not BatchRecovery.NONE:
            self.say(recovery.value)
        if self.recover:
            self.transfer.contents()
            self.say("Recovery run: continuing with the existing BMInput.bws.")
        else:
            session = self.transfer.create()
            if session.backup:
                count = counted(session.undelivered, "result")
                undelivered = f", with {count} that were never delivered" if session.undelivered else ""
                self.say(f"The previous session is kept in {session.backup.name}{undelivered}.")
            self.say(f"BMInput.bws was created with {counted(session.tables, 'table')}.")
        self._has_session = True

    def _start_control(self) -> None:
        if not self.control.is_running():
            self.control.start(reset=self.reset and not self.recover)
            self.say("The control program was started.")
        else:
            self.say("The control program is already running.")
        self._has_control = True

    def _poll(self) -> None:
        delivered = self.transfer.poll(all_results=self.all_results)
        if delivered is not None:
            self._report_written(delivered.results, delivered.notes)

    def _read_all(self) -> None:
        delivered = self.transfer.read_all()
        self._report_written(delivered.results, delivered.notes)

    def _report_written(self, results: int, notes: tuple[str, ...]) -> None:
        self.last_write = f"{self.clock():%H:%M:%S}, BMRData.txt with {counted(results, 'result')}"
        self.say(f"BMRData.txt was written with {counted(results, 'result')}.")
        for note in notes:
            self.say(note)

    def _read_numbers(self) -> None:
        count = self.transfer.read_numbers()
        self.last_write = f"{self.clock():%H:%M:%S}, BMPNums.txt with {counted(count, 'number')}"
        self.say(f"BMPNums.txt was written with {counted(count, 'number')}.")

    def _update_movement(self) -> None:
        def work() -> None:
            for sentence in movement_sentences(self.transfer.update_movement()):
                self.say(sentence)

        self._try("movement", work)

    def _read_progress(self) -> None:
        self.progress = progress_of(self.transfer.contents())

    def _set_waiting(self) -> None:
        if not self._has_session:
            self.waiting = self._problems.get("session") or "BMInput.txt"
        elif self.transfer.is_movement_requested:
            self.waiting = self._problems.get("movement", "")
        elif self._problems.get("poll"):
            self.waiting = self._problems["poll"]
        elif self.transfer.folder.results.exists():
            self.waiting = "the scoring program to delete BMRData.txt"
        else:
            self.waiting = "results"


def run(
    program: TransferProgram,
    interval: float,
    *,
    key: Callable[[float], str],
    redraw: Callable[[], None],
    clock: Callable[[], float] = time.monotonic,
) -> None:
    """Make a pass every `interval` seconds until the program is over.

    `key` waits for a key, at most for the given seconds; `redraw` redraws the screen."""
    due = clock()
    with _stop_on_signals(program):
        while not program.is_over:
            if clock() >= due:
                program.run_pass()
                due = clock() + interval
                redraw()
            pressed = key(min(0.25, max(0.0, due - clock()))).lower()
            if pressed in {request.value for request in ProgramRequest}:
                program.carry_out(ProgramRequest(pressed))
                redraw()


@contextmanager
def _stop_on_signals(program: TransferProgram) -> Iterator[None]:
    """End the program between two passes on SIGINT, SIGTERM or SIGHUP, while the block runs."""

    def end(*_: object) -> None:
        program.is_over = True

    names = [name for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]
    previous = {name: signal.signal(getattr(signal, name), end) for name in names}
    try:
        yield
    finally:
        for name, handler in previous.items():
            signal.signal(getattr(signal, name), handler)


def movement_sentences(update: InstructedTables) -> Iterator[str]:
    """Yield the sentences that report an update of the movement."""
    yield f"The movement was updated, with an instruction for {counted(update.tables, 'table')}."
    if update.unknown:
        yield (
            f"The last update was interrupted. Check {', '.join(update.unknown)}: a table without the new rounds needs "
            "another update."
        )


def update_movement(transfer: Transfer, interval: float, on_wait: Callable[[str], None]) -> InstructedTables:
    """Update the movement as soon as possible; call `on_wait` with the reason while it has to wait."""
    last_reason = ""
    while True:
        try:
            return transfer.update_movement()
        except (NotTakenYet, Unfinished) as error:
            if str(error) != last_reason:
                last_reason = str(error)
                on_wait(last_reason)
            time.sleep(interval)


# Keys


@contextmanager
def keys() -> Iterator[Callable[[float], str]]:
    """Yield a function that waits for a key, at most for the given seconds; without a terminal it only waits."""
    if not sys.stdin.isatty():
        yield _no_key
        return
    if sys.platform == "win32":
        yield _windows_key
        return
    import termios
    import tty

    fd = sys.stdin.fileno()
    previous = termios.tcgetattr(fd)
    tty.setcbreak(fd)
    try:
        yield _unix_key
    finally:
        termios.tcsetattr(fd, termios.TCSADRAIN, previous)


def _no_key(seconds: float) -> str:
    time.sleep(seconds)
    return ""


def _unix_key(seconds: float) -> str:
    import select

    fd = sys.stdin.fileno()
    ready, _, _ = select.select([fd], [], [], seconds)
    pressed = os.read(fd, 1).decode("ascii", "replace") if ready else ""
    if ready and not pressed:
        time.sleep(seconds)  # the terminal is gone: from now on select() returns at once
    return pressed


if sys.platform == "win32":

    def _windows_key(seconds: float) -> str:
        import msvcrt

        deadline = time.monotonic() + seconds
        while not msvcrt.kbhit():
            if time.monotonic() >= deadline:
                return ""
            time.sleep(0.02)
        return msvcrt.getwch()
