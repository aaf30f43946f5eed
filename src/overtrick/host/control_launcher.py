"""The control software as a program of its own, started when a scoring program orders so, as it would start BCS.

It is not in the way of the server that starts it, and ends with it.
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

PATIENCE = 10.0
"""Seconds that it has to end when it is asked to."""
SHORT = 10.0
"""Who ends within so many seconds has not really run."""


class ControlLauncher:
    """Has the control software run on a journal for as long as an event there is to be looked after."""

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
        """Whether the control software runs or is about to, ours or one that a person has started."""
        process = self._process
        is_ours = self._wake.is_set() or (process is not None and process.poll() is None)
        return is_ours or self._is_controlled()

    def start(self) -> None:
        """Have it run, now that there is something to look after."""
        self._wake.set()

    def _work(self) -> None:
        while not self._is_ending:
            self._wake.wait()
            pause = 1.0
            while not self._is_ending and self._may_be_wanted():
                if self._is_controlled():
                    self._wake.clear()
                    self._wake.wait(1.0)  # somebody else runs it; when that one ends it is our turn
                    continue
                began = time.monotonic()
                self._run()
                if time.monotonic() - began < SHORT:
                    # Ended as soon as it began: unless it is ordered again, that is not tried without a pause.
                    self._wake.wait(pause)
                    pause = min(2 * pause, 60.0)
            if not self._is_ending:
                self._wake.clear()

    def _may_be_wanted(self) -> bool:
        """Return whether an event is to be looked after, or the journal does not tell."""
        try:
            return self._is_wanted()
        except JournalError:
            return True

    def _is_controlled(self) -> bool:
        """Return whether somebody runs it; as long as the journal does not tell, nobody is started."""
        try:
            return is_controlled(self._journal)
        except JournalError:
            return True

    def _run(self) -> None:
        """Run it once, until it ends."""
        command = [sys.executable, "-m", "overtrick", "control", "--while-input"]
        try:
            self._process = subprocess.Popen(
                command,
                # Everybody can see a command line, and an address may have a password.
                env={**os.environ, "OVERTRICK_JOURNAL": self._journal.engine.address},
                stdin=subprocess.PIPE,  # closed when we end, however that comes
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
        """Have it end, where we started it."""
        self._is_ending = True
        self._wake.set()
        process = self._process
        if process is not None and process.poll() is None:
            process.terminate()
            try:
                process.wait(PATIENCE)
            except subprocess.TimeoutExpired:
                process.kill()
        self._thread.join()


def _log_output() -> int:
    """Where our own log goes; a program without a terminal may have none."""
    try:
        return sys.stderr.fileno()
    except (AttributeError, OSError):
        return subprocess.DEVNULL
