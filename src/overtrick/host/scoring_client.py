"""Scoring program of the demonstration: `overtrick connector follow` in a process of its own.

The counts are those that the process itself reports.
"""

import re
import subprocess
import sys
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import AbstractContextManager, asynccontextmanager, contextmanager
from pathlib import Path

from overtrick.connector.http import CONNECTIONS, connector_app
from overtrick.host.http_server import open_server
from overtrick.host.runtime import Runtime
from overtrick.host.serve import ServeSettings, connector_service
from overtrick.host.web import RuntimeWriterLoop, run_beside

STOP_TIMEOUT = 20.0
"""Seconds that the process has for its last poll when the evening is over."""
INTERVAL = 0.5
"""Seconds between two polls."""


def serve_connector_beside(runtime: Runtime, folder: Path) -> AbstractContextManager[str]:
    """Serve the Data Connector over HTTP in a thread beside the demonstration; yield its address."""

    @asynccontextmanager
    async def service(loop: RuntimeWriterLoop) -> AsyncIterator[str]:
        settings = ServeSettings(folder, port=0, control=False)
        async with (
            connector_service(runtime.journal, runtime.writer, settings) as connector,
            open_server(connector_app(connector), settings.address, 0, connections=CONNECTIONS) as address,
        ):
            yield address

    return run_beside(runtime, service)


class ScoringProgram:
    """A process that polls and accepts results and reports its progress on standard error."""

    def __init__(self, address: str, session: str, received: Path) -> None:
        self.accepted = 0
        """Results that the process has accepted, by its own count."""
        self.problem = ""
        """The last message of a process that ended early."""
        command = [sys.executable, "-m", "overtrick", "connector", "follow", session, "results"]
        with received.open("ab") as output:
            self._process = subprocess.Popen(
                [*command, "--http", address, "--interval", str(INTERVAL), "--while-input"],
                stdin=subprocess.PIPE,  # closed when this process ends, even if it is killed
                stdout=output,
                stderr=subprocess.PIPE,
                text=True,
                start_new_session=True,  # Ctrl-C in a terminal is for the demonstration alone
            )
        self._reader = threading.Thread(target=self._read, name="overtrick-scoring-program", daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self._process.stderr is not None
        for line in self._process.stderr:
            if match := re.match(r"(\d+) accepted", line):
                self.accepted = int(match[1])
            else:
                self.problem = line.strip()

    def finish(self) -> None:
        """Let it poll and accept the remaining results, and wait until it has ended."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        try:
            self._process.wait(STOP_TIMEOUT)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
            self.problem = f"it did not end within {STOP_TIMEOUT:g} seconds"
        self._reader.join()


@contextmanager
def scoring_program(address: str, session: str, received: Path) -> Iterator[ScoringProgram]:
    """Run a scoring program while the block runs; it appends each result to the file `received` as a line of JSON."""
    running = ScoringProgram(address, session, received)
    try:
        yield running
    finally:
        running.finish()
