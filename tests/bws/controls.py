"""A control program in a few lines, for the tests of its half of a file."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any

from overtrick import jet
from overtrick.bridge import Deal, Outcome
from overtrick.bws.contents import Contents, open_contents
from overtrick.bws.control_rows import client_edits, rows_due, session_edits
from overtrick.bws.control_side import ScoringRequest, flags_in, scan
from overtrick.bws.edits import Edit, Insert, Put, Update, carry_out
from overtrick.bws.event_from_file import read_event
from overtrick.bws.id_map import build_id_map
from overtrick.bws.ownership import OWNERSHIP, REST, Owner, Ownership
from overtrick.bws.row_history import RowHistory
from overtrick.event import Command, Fact, JournalState, Rejection, Session, decide
from overtrick.event.instructions import ClearInstructions
from overtrick.event.results import (
    EnterResult,
    ResultEntry,
)
from tests.bws.conftest import do
from tests.bws.files import AT, GUID, Rows, mitchell, result

TODAY = date(2026, 3, 2)
DEAL = Deal.parse("N:AQ7.AQJ4.6.AKJT5 86.KT2.K85.Q9742 KJT932.97.942.86 54.8653.AQJT73.3")
OTHER = Deal.parse("N:AQ7.AQJ4.6.AKJT5 KJT932.97.942.86 86.KT2.K85.Q9742 54.8653.AQJT73.3")
Make = Callable[[Rows], Path]


@dataclass
class Control:
    """A control program in a few lines: the host does the same, with a journal."""

    path: Path
    journal_state: JournalState = field(default_factory=JournalState)
    history: RowHistory = field(default_factory=RowHistory)
    rejections: list[str] = field(default_factory=list)
    guid: str = GUID

    @classmethod
    def start(cls, path: Path) -> "Control":
        control = cls(path)
        contents = open_contents(path)
        do(path, *client_edits(contents, "DESK"), *session_edits(contents, build_id_map(contents), TODAY))
        opening = read_event(open_contents(path), today=TODAY).event_with_history()
        control.guid = opening.sessions[0].session
        assert control.facts_of(opening, from_file=True) is not None
        control.write()
        return control

    @property
    def session(self) -> Session:
        session = self.journal_state.session(self.guid)
        assert session is not None
        return session

    @property
    def sessions(self) -> dict[str, Session]:
        return {self.guid: self.session}

    def facts_of(self, command: Command, *, from_file: bool = False) -> list[Fact] | None:
        decided = decide(self.journal_state, command)
        if isinstance(decided, Rejection):
            self.rejections.append(str(decided))
            return None
        for entry in decided:
            self.journal_state.apply(entry.stream, entry.fact)
            if entry.stream.startswith("session/"):
                self.history.apply(entry.fact, AT, from_file=from_file)
        return [entry.fact for entry in decided]

    def look(self) -> Contents:
        """Take what is asked for, and write what it comes to."""
        for asked in scan(open_contents(self.path), self.sessions, at=AT).requests:
            self._take(asked)
        self.clear()
        self.write()
        return open_contents(self.path)

    def _take(self, asked: ScoringRequest) -> None:
        if self.facts_of(asked.command, from_file=True) is None:
            for part in asked.parts:
                self._take(part)

    def clear(self) -> None:
        """Clear the flags of what was taken."""
        taken = self.session.instructions.taken
        flags = flags_in(open_contents(self.path), self.sessions).values()
        do(self.path, *(flag.clear for flag in flags if taken.get(flag.where) == flag.taken))
        self.facts_of(ClearInstructions(self.guid, tuple(taken)))

    def happen(self, *commands: Command) -> Contents:
        """Something happens at the tables, and is written."""
        for command in commands:
            self.happen_at_once(command)
        return open_contents(self.path)

    def happen_at_once(self, *commands: Command) -> Contents:
        """Several things happen before there is time to write."""
        for command in commands:
            assert self.facts_of(command) is not None, self.rejections
        self.write()
        return open_contents(self.path)

    def write(self) -> int:
        edits = rows_due(open_contents(self.path), self.session, self.history)
        check_owned(edits)
        with jet.open(self.path, "r+") as db:
            return carry_out(db, edits)


def ownership(table: str, column: str) -> Ownership:
    """Return the rule for a column."""
    rules = [rule for rule in OWNERSHIP if rule.table == table]
    return next(rule for name in (column, REST) for rule in rules if name in rule.columns)


def check_owned(edits: Iterable[Edit]) -> None:
    """Rows of the control software touch no column of the scoring program, except to reset its Processed flags."""
    for edit in edits:
        if not isinstance(edit, Insert | Put | Update):
            continue
        if isinstance(edit, Insert):
            assert ownership(edit.table, "ID").owner is not Owner.SCORING, edit
            continue
        for name, value in edit.values.items():
            if name.startswith("custom_") or ownership(edit.table, name).owner in (Owner.SCORING, Owner.FLAG):
                is_reset = name.startswith(("Processed", "custom_")) or name == "ExternalUpdate"
                assert is_reset, edit
                assert value is False, edit


def instruct(path: Path, **values: int) -> None:
    """Instructions by table, given as t1=3."""
    for name, value in values.items():
        do(path, Update("Tables", {"Section": 1, "Table": int(name[1:])}, {"UpdateFromRound": value}))


def instructions(contents: Contents) -> dict[int, int]:
    return {row.table: row.instruction for row in contents.tables}


def entered(table: int, number: int, board: int, outcome: str, **fields: Any) -> EnterResult:
    return EnterResult(GUID, ResultEntry("A", table, number, board, Outcome.parse(outcome), AT, **fields))


def scored(make: Make) -> Control:
    rows = mitchell()
    rows["ReceivedData"] = [
        result(id, table, number, ((table + number - 2) % 3) * 2 + 1, table, (table - number) % 3 + 1)
        for id, (table, number) in enumerate(((1, 1), (1, 2), (2, 1), (2, 2)), start=1)
    ]
    return Control.start(make(rows))
