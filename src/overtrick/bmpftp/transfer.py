"""The operations of BMPFTP in its folder: create a session, deliver results, read numbers, change the movement.

Every operation holds the folder's lock, and is either completed or raises an error. The caller decides when to call.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from overtrick import jet
from overtrick.bmpftp.delivery import BatchRecovery, deliver, recover_batch
from overtrick.bmpftp.folder import (
    Folder,
    folder_errors,
    read_file,
    remove_durably,
    rename_durably,
    replace_durably,
)
from overtrick.bmpftp.movement import (
    InstructedTables,
    new_movement,
    tables_with_instruction,
    written_before_stop,
)
from overtrick.bmpftp.number_file import first_players, number_lines
from overtrick.bmpftp.result_file import result_line, why_not_scored
from overtrick.bmpftp.session_file import create_session_file, results_by_id
from overtrick.bmpftp.setup_file import SetupFile, Unfinished, parse_setup
from overtrick.bmpftp.text_fields import ENCODING, LineEnds, encode_lines
from overtrick.bws.contents import Contents, open_contents, read_contents
from overtrick.bws.edits import Update, carry_out
from overtrick.bws.rows import ResultRow
from overtrick.bws.scoring_news import mark_read
from overtrick.errors import BadInput
from overtrick.jet.locks import refuse_if_in_access

FLAG = "Processed"
"""The column in which delivered results are marked."""


@dataclass(frozen=True, slots=True)
class TextFormat:
    """The encoding and layout of text files."""

    encoding: str = ENCODING
    ends: LineEnds = LineEnds.CRLF
    ids: bool = False
    """True if each row of results begins with its ID."""

    def results(self, rows: Iterable[ResultRow]) -> bytes:
        """Return the bytes of a result file."""
        return self.lines(result_line(row, ids=self.ids) for row in rows)

    def lines(self, lines: Iterable[str]) -> bytes:
        """Return the bytes of a file."""
        return encode_lines(lines, self.encoding, self.ends)


@dataclass(frozen=True, slots=True)
class CreatedSession:
    """A new session, and the file of the previous one."""

    tables: int
    rounds: int
    backup: Path | None = None
    """The path to which the previous `.bws` file was moved; None if there was none."""
    undelivered: int = 0
    """The number of undelivered results in the previous file."""


@dataclass(frozen=True, slots=True)
class DeliveredResults:
    """The report of a delivery to the scoring program."""

    results: int
    notes: tuple[str, ...] = ()
    """Sentences about rows whose contract is invalid; their score is 0."""


@dataclass(slots=True)
class Transfer:
    """The operations in one folder."""

    folder: Folder
    text_format: TextFormat = field(default_factory=TextFormat)
    quiet: float = 1.0
    """Seconds for which a file must be unchanged before it counts as complete."""
    clock: Callable[[], datetime] = datetime.now
    # Modification time and size of the setup file at the last look, and the monotonic time when they were first seen.
    _stamp: tuple[int, int] = (0, 0)
    _since: float = 0.0

    # Setting up

    def read_setup(self) -> SetupFile:
        """Read the scoring program's setup; raise Unfinished if it may still be being written."""
        return self._parse(self._read_quiet())

    def _read_quiet(self) -> bytes:
        path = self.folder.setup
        if not path.exists():
            raise Unfinished("The scoring program has not written this file yet.", where=str(path))
        content = read_file(path)
        with folder_errors(path):
            status = path.stat()
        self._wait_for_quiet(path, (status.st_mtime_ns, status.st_size), time.time() - status.st_mtime)
        return content

    def _parse(self, content: bytes) -> SetupFile:
        return parse_setup(content, self.text_format.encoding, self.folder.setup.name)

    def _wait_for_quiet(self, path: Path, stamp: tuple[int, int], age: float) -> None:
        """Raise Unfinished for a file that has changed within the last `quiet` seconds.

        The file's time is that of another computer, whose clock may be wrong. So a file also passes if this process has
        seen it unchanged for that long.
        """
        now = time.monotonic()
        if stamp != self._stamp:
            self._stamp, self._since = stamp, now
        if age < self.quiet and now - self._since < self.quiet:
            raise Unfinished("The file was written a moment ago and may not be complete.", where=path.name)

    def recover_batch(self) -> BatchRecovery:
        """Complete or drop an unfinished delivery; return what was done."""
        with self.folder.exclusive():
            return recover_batch(self.folder)

    def create(self) -> CreatedSession:
        """Create `BMInput.bws` from the scoring program's setup; keep an existing one under another name."""
        setup = self.read_setup()
        with self.folder.exclusive():
            recover_batch(self.folder)
            temporary = self.folder.session.with_name(".BMInput.new.bws")
            remove_durably(temporary)
            with folder_errors(temporary):
                create_session_file(temporary, setup, clock=self.clock, name=self.folder.session.stem)
            backup, undelivered = None, 0
            if self.folder.session.exists():
                undelivered = self._undelivered()
                backup = self._backup_path()
                rename_durably(self.folder.session, backup)
            remove_durably(self.folder.movement)  # a pending update belonged to the previous session
            rename_durably(temporary, self.folder.session)
        return CreatedSession(len(setup.tables), len(setup.rounds), backup, undelivered)

    def _undelivered(self) -> int:
        try:
            return sum(not row.processed for row in open_contents(self.folder.session).results)
        except BadInput:
            return 0

    def _backup_path(self) -> Path:
        with folder_errors(self.folder.session):
            written = datetime.fromtimestamp(self.folder.session.stat().st_mtime)
        name = f"{self.folder.session.stem}-{written:%Y%m%d-%H%M%S}"
        path = self.folder.session.with_name(f"{name}.bws")
        count = 2
        while path.exists():
            path = self.folder.session.with_name(f"{name}-{count}.bws")
            count += 1
        return path

    # Results

    def poll(self, *, all_results: bool = False) -> DeliveredResults | None:
        """Deliver the new results, or all, if the scoring program has deleted the result file.

        Return None if the file still exists, or if there is nothing to deliver.
        """
        with self.folder.exclusive():
            recover_batch(self.folder)
            if self.folder.results.exists():
                return None
            rows = results_by_id(self.contents())
            chosen = [row for row in rows if all_results or not row.processed]
            return self._deliver(chosen, replaces=False) if chosen else None

    def read_all(self) -> DeliveredResults:
        """Deliver every result, processed or not, replacing the result file."""
        with self.folder.exclusive():
            recover_batch(self.folder)
            delivered = self._deliver(results_by_id(self.contents()), replaces=True)
            assert delivered is not None
            return delivered

    def _deliver(self, rows: list[ResultRow], *, replaces: bool) -> DeliveredResults | None:
        marks: list[Update] = [mark_read("ReceivedData", row, FLAG) for row in rows if not row.processed]
        if marks:
            self._refuse_unless_writable()
        if not deliver(self.folder, self.text_format.results(rows), marks, replaces=replaces):
            return None
        notes = tuple(
            f"Board {row.board} at table {row.table} of section {row.section} has no score: {why}"
            for row in rows
            if (why := why_not_scored(row))
        )
        return DeliveredResults(len(rows), notes)

    def _refuse_unless_writable(self) -> None:
        """Raise an error if delivered results could not be marked in the `.bws` file."""
        refuse_if_in_access(self.folder.session)
        with jet.open(self.folder.session, "r+"):
            pass

    # Numbers and movement

    def read_numbers(self) -> int:
        """Write the players' numbers; return the number of chairs."""
        with self.folder.exclusive():
            rows = first_players(self.contents().player_numbers)
            replace_durably(self.folder.numbers, self.text_format.lines(number_lines(rows)))
            return len(rows)

    def request_movement(self) -> None:
        """Record durably that a movement update is requested."""
        with self.folder.exclusive():
            if not self.is_movement_requested:
                replace_durably(self.folder.movement, b"")

    @property
    def is_movement_requested(self) -> bool:
        """Return whether a movement update is pending."""
        return self.folder.movement.exists()

    def update_movement(self) -> InstructedTables:
        """Rewrite rounds and tables from the scoring program's setup; return the tables with instructions."""
        with self.folder.exclusive():
            # The file has the text of the update in progress. After a crash, continue with that text, not a newer one.
            text_in_progress = read_file(self.folder.movement) if self.is_movement_requested else b""
            content = text_in_progress or self._read_quiet()
            setup = self._parse(content)
            with jet.open(self.folder.session, "r+") as db:
                contents = read_contents(db)
                tables = written_before_stop(contents, setup) if text_in_progress else None
                if tables is None:
                    edits = new_movement(contents, setup)
                    if not text_in_progress:
                        replace_durably(self.folder.movement, content)
                    carry_out(db, edits)
                    tables = InstructedTables(len(tables_with_instruction(setup)))
            remove_durably(self.folder.movement)
            return tables

    def contents(self) -> Contents:
        """Return the contents of the `.bws`."""
        return open_contents(self.folder.session)
