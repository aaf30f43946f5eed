"""The operations of BMPFTP in its folder: create a session, deliver results, read numbers, change the movement.

Every call holds the folder's lock and is completed, or is refused with a sentence. The caller decides when to call.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from overtrick import jet
from overtrick.bmpftp.delivery import BatchRecovery, deliver, settle
from overtrick.bmpftp.folder import (
    Folder,
    read_file,
    remove_durably,
    rename_durably,
    replace_durably,
    told,
)
from overtrick.bmpftp.movement import InstructedTables, given_before_stop, instructed, new_movement
from overtrick.bmpftp.number_file import number_lines, starting
from overtrick.bmpftp.result_file import result_line, unreadable
from overtrick.bmpftp.session_file import create_session_file, in_order
from overtrick.bmpftp.setup_file import SessionSetup, Unfinished, parse_setup
from overtrick.bmpftp.text_fields import ENCODING, LineEnds, encode_lines
from overtrick.bws.contents import Contents, open_contents, read_contents
from overtrick.bws.edits import Update, carry_out
from overtrick.bws.rows import ResultRow
from overtrick.bws.scoring_news import mark_read
from overtrick.errors import BadInput
from overtrick.jet.locks import refuse_if_in_access

FLAG = "Processed"
"""The field with which we mark delivered results."""


@dataclass(frozen=True, slots=True)
class TextFormat:
    """The encoding and layout of text files."""

    encoding: str = ENCODING
    ends: LineEnds = LineEnds.CRLF
    ids: bool = False

    def results(self, rows: Iterable[ResultRow]) -> bytes:
        """Return the bytes of a result file."""
        return self.lines(result_line(row, ids=self.ids) for row in rows)

    def lines(self, lines: Iterable[str]) -> bytes:
        """Return the bytes of a file."""
        return encode_lines(lines, self.encoding, self.ends)


@dataclass(frozen=True, slots=True)
class CreatedSession:
    """A new session: the counts of its contents, and what became of the previous one."""

    tables: int
    rounds: int
    kept: Path | None = None
    """The path to which the previous `.bws` was moved."""
    undelivered: int = 0
    """The number of its results that were never delivered."""


@dataclass(frozen=True, slots=True)
class DeliveredResults:
    """Results that were written for the scoring program."""

    results: int
    notes: tuple[str, ...] = ()
    """The rows whose contract cannot be read; their score is 0."""


@dataclass(slots=True)
class Transfer:
    """The operations in one folder."""

    folder: Folder
    spelling: TextFormat = field(default_factory=TextFormat)
    quiet: float = 1.0
    """Seconds for which a file must be unchanged before it counts as complete."""
    clock: Callable[[], datetime] = datetime.now
    _stamp: tuple[int, int] = (0, 0)
    _since: float = 0.0

    # Setting up ---------------------------------------------------------------------------------------------

    def read_setup(self) -> SessionSetup:
        """Read the scoring program's setup; refuse it while it may still be written."""
        return self._parsed(self._read_quiet())

    def _read_quiet(self) -> bytes:
        path = self.folder.setup
        if not path.exists():
            raise Unfinished("The scoring program has not written it yet.", where=str(path))
        content = read_file(path)
        with told(path):
            status = path.stat()
        self._wait_for_quiet(path, (status.st_mtime_ns, status.st_size), time.time() - status.st_mtime)
        return content

    def _parsed(self, content: bytes) -> SessionSetup:
        return parse_setup(content, self.spelling.encoding, self.folder.setup.name)

    def _wait_for_quiet(self, path: Path, stamp: tuple[int, int], age: float) -> None:
        """Refuse a file that has just changed; clocks of other computers may be wrong."""
        now = time.monotonic()
        if stamp != self._stamp:
            self._stamp, self._since = stamp, now
        if age < self.quiet and now - self._since < self.quiet:
            raise Unfinished("It was written a moment ago, and may not be finished.", where=path.name)

    def settle(self) -> BatchRecovery:
        """Complete or drop a batch that was left unfinished."""
        with self.folder.alone():
            return settle(self.folder)

    def create(self) -> CreatedSession:
        """Create `BMInput.bws` from the scoring program's setup; keep an existing one under another name."""
        setup = self.read_setup()
        with self.folder.alone():
            settle(self.folder)
            making = self.folder.session.with_name(".BMInput.new.bws")
            remove_durably(making)
            with told(making):
                create_session_file(making, setup, clock=self.clock, name=self.folder.session.stem)
            kept, undelivered = None, 0
            if self.folder.session.exists():
                undelivered = self._undelivered()
                kept = self._aside()
                rename_durably(self.folder.session, kept)
            remove_durably(self.folder.movement)  # it was asked for the session before
            rename_durably(making, self.folder.session)
        return CreatedSession(len(setup.tables), len(setup.rounds), kept, undelivered)

    def _undelivered(self) -> int:
        try:
            return sum(not row.processed for row in open_contents(self.folder.session).results)
        except BadInput:
            return 0

    def _aside(self) -> Path:
        with told(self.folder.session):
            written = datetime.fromtimestamp(self.folder.session.stat().st_mtime)
        name = f"{self.folder.session.stem}-{written:%Y%m%d-%H%M%S}"
        path = self.folder.session.with_name(f"{name}.bws")
        count = 2
        while path.exists():
            path = self.folder.session.with_name(f"{name}-{count}.bws")
            count += 1
        return path

    # Results ------------------------------------------------------------------------------------------------

    def poll(self, *, all_results: bool = False) -> DeliveredResults | None:
        """Deliver the new results, or all of them, if the scoring program has removed the last ones."""
        with self.folder.alone():
            settle(self.folder)
            if self.folder.results.exists():
                return None
            rows = in_order(self.contents())
            chosen = [row for row in rows if all_results or not row.processed]
            return self._deliver(chosen, replaces=False) if chosen else None

    def read_all(self) -> DeliveredResults:
        """Deliver every result, processed or not, replacing the result file."""
        with self.folder.alone():
            settle(self.folder)
            delivered = self._deliver(in_order(self.contents()), replaces=True)
            assert delivered is not None
            return delivered

    def _deliver(self, rows: list[ResultRow], *, replaces: bool) -> DeliveredResults | None:
        marks: list[Update] = [mark_read("ReceivedData", row, FLAG) for row in rows if not row.processed]
        if marks:
            self._refuse_unless_writable()
        if not deliver(self.folder, self.spelling.results(rows), marks, replaces=replaces):
            return None
        notes = tuple(
            f"Board {row.board} at table {row.table} of section {row.section} has no score: {why}"
            for row in rows
            if (why := unreadable(row))
        )
        return DeliveredResults(len(rows), notes)

    def _refuse_unless_writable(self) -> None:
        """Refuse to deliver results that could not be marked afterwards."""
        refuse_if_in_access(self.folder.session)
        with jet.open(self.folder.session, "r+"):
            pass

    # Numbers and movement -----------------------------------------------------------------------------------

    def read_numbers(self) -> int:
        """Write the numbers that players entered; return the number of chairs."""
        with self.folder.alone():
            rows = starting(self.contents().player_numbers)
            replace_durably(self.folder.numbers, self.spelling.lines(number_lines(rows)))
            return len(rows)

    def ask_for_movement(self) -> None:
        """Store durably that the movement is to be updated."""
        with self.folder.alone():
            if not self.is_movement_asked:
                replace_durably(self.folder.movement, b"")

    @property
    def is_movement_asked(self) -> bool:
        """Return whether a movement update is pending."""
        return self.folder.movement.exists()

    def update_movement(self) -> InstructedTables:
        """Rewrite rounds and tables from the scoring program's setup; return the tables with instructions."""
        with self.folder.alone():
            # The file has the text that is being written: after a stop we go on with that, and with nothing newer.
            begun = read_file(self.folder.movement) if self.is_movement_asked else b""
            content = begun or self._read_quiet()
            setup = self._parsed(content)
            with jet.open(self.folder.session, "r+") as db:
                contents = read_contents(db)
                given = given_before_stop(contents, setup) if begun else None
                if given is None:
                    edits = new_movement(contents, setup)
                    if not begun:
                        replace_durably(self.folder.movement, content)
                    carry_out(db, edits)
                    given = InstructedTables(len(instructed(setup)))
            remove_durably(self.folder.movement)
            return given

    def contents(self) -> Contents:
        """Return the contents of the `.bws`."""
        return open_contents(self.folder.session)
