"""Launcher of the control software: a child process, started when a scoring program orders it, as it would start BCS.

The child does not block the server, and ends with it.
"""

import logging
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable

from overtrick.host.instance_lock import is_controlled
from overtrick.store import Journal
from overtrick.store.errors import JournalError

log = logging.getLogger(__name__)

STOP_TIMEOUT = 10.0
"""Seconds that the process has to end after SIGTERM."""
FAILED_START = 10.0
"""Seconds of run time below which a start counts as failed, and the next one waits."""


class ControlLauncher:
    """Supervisor that keeps the control software running on a journal while `is_wanted` returns True."""

    def __init__(self, journal: Journal, is_wanted: Callable[[], bool]) -> None:
        self._journal = journal
        self._is_wanted = is_wanted
        self._process: subprocess.Popen[bytes] | None = None
        self._wake = threading.Event()
        self._is_ending = False
        self._thread = threading.Thread(target=self._work, name="overtrick-launch", daemon=True)
        self._thread.start()

    @property
    def is_running(self) -> bool:
        """True if the control software runs or is about to: our child, or one that a person has started."""
        process = self._process
        is_ours = self._wake.is_set() or (process is not None and process.poll() is None)
        return is_ours or self._is_controlled()

    def start(self) -> None:
        """Start the control software if it does not run."""
        self._wake.set()

    def _work(self) -> None:
        while not self._is_ending:
            self._wake.wait()
            pause = 1.0
            while not self._is_ending and self._may_be_wanted():
                if self._is_controlled():
                    self._wake.clear()
                    self._wake.wait(1.0)  # another program runs it; take over when that one ends
                    continue
                started_at = time.monotonic()
                self._run()
                if time.monotonic() - started_at < FAILED_START:
                    # It ended at once: wait with exponential backoff, unless it is ordered again.
                    self._wake.wait(pause)
                    pause = min(2 * pause, 60.0)
            if not self._is_ending:
                self._wake.clear()

    def _may_be_wanted(self) -> bool:
        """Return whether an event has to run; True while the journal cannot be read."""
        try:
            return self._is_wanted()
        except JournalError:
            return True

    def _is_controlled(self) -> bool:
        """Return whether a control program runs; True while the journal cannot be read, so that none is started."""
        try:
            return is_controlled(self._journal)
        except JournalError:
            return True

    def _run(self) -> None:
        """Run the control software once, until it ends."""
        command = [sys.executable, "-m", "overtrick", "control", "--while-input"]
        try:
            self._process = subprocess.Popen(
                command,
                # Not on the command line, which every user can see: an address may have a password.
                env={**os.environ, "OVERTRICK_JOURNAL": self._journal.engine.address},
                stdin=subprocess.PIPE,  # closed when this process ends, even if it is killed
                stdout=_log_output(),
            )
        except OSError as error:
            log.warning("The control software cannot be started: %s.", error.strerror)
            return
        if self._is_ending:
            self._process.terminate()
        else:
            self._wake.clear()
        log.info("The control software is started.")
        self._process.wait()
        log.info("The control software has ended.")

    def end(self) -> None:
        """Stop the child process and the thread."""
        self._is_ending = True
        self._wake.set()
        process = self._process
        if process is not None and process.poll() is None:
            process.terminate()
            try:
                process.wait(STOP_TIMEOUT)
            except subprocess.TimeoutExpired:
                process.kill()
        self._thread.join()


def _log_output() -> int:
    """Return the file descriptor of our own log; a program without a terminal may have none."""
    try:
        return sys.stderr.fileno()
    except (AttributeError, OSError):
        return subprocess.DEVNULL
