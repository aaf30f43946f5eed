"""A control program in a few lines, for the tests of its half of a file."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any

from overtrick import jet
from overtrick.bridge import Deal, Outcome
from overtrick.bws.contents import Contents, open_contents
from overtrick.bws.control_rows import rows_for, take_over
from overtrick.bws.control_side import scan
from overtrick.bws.edits import Update, carry_out
from overtrick.bws.reading import read_event
from overtrick.event import Command, Fact, House, Rejection, Session, decide
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
    house: House = field(default_factory=House)
    rejections: list[str] = field(default_factory=list)

    @classmethod
    def start(cls, path: Path) -> "Control":
        control = cls(path, read_event(open_contents(path), today=TODAY).house())
        contents = open_contents(path)
        edits = take_over(contents, control.sessions, computer="DESK", today=TODAY).edits
        do(path, *edits)
        return control

    @property
    def session(self) -> Session:
        session = self.house.session(GUID)
        assert session is not None
        return session

    @property
    def sessions(self) -> dict[str, Session]:
        return {GUID: self.session}

    def facts_of(self, command: Command) -> list[Fact] | None:
        decided = decide(self.house, command)
        if isinstance(decided, Rejection):
            self.rejections.append(str(decided))
            return None
        for entry in decided:
            self.house.apply(entry.stream, entry.fact)
        return [entry.fact for entry in decided]

    def look(self) -> Contents:
        """Take what is asked for, and write what it comes to."""
        for asked in scan(open_contents(self.path), self.sessions, at=AT).asked:
            facts = self.facts_of(asked.command)
            if facts is not None:
                do(self.path, *asked.taken)
                self.write(facts)
        return open_contents(self.path)

    def happen(self, *commands: Command) -> Contents:
        """Something happens at the tables, and is written."""
        for command in commands:
            facts = self.facts_of(command)
            assert facts is not None, self.rejections
            self.write(facts)
        return open_contents(self.path)

    def happen_at_once(self, *commands: Command) -> Contents:
        """Several things happen before there is time to write."""
        facts = []
        for command in commands:
            made = self.facts_of(command)
            assert made is not None, self.rejections
            facts += made
        self.write(facts)
        return open_contents(self.path)

    def write(self, facts: list[Fact]) -> int:
        with jet.open(self.path, "r+") as db:
            return carry_out(db, rows_for(open_contents(self.path), self.session, facts, at=AT))


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
