"""The place of a board: its section, table, round and number, by which results and recorded play are found."""

from dataclasses import dataclass

from overtrick.event.command import Command
from overtrick.event.fact import Fact

Place = tuple[str, int, int, int]
"""Section, table, round and board."""


class AtBoard:
    """A fact, command or entry about one board at one table in one round."""

    __slots__ = ()
    section: str
    table: int
    round: int
    board: int

    @property
    def place(self) -> Place:
        """Return the place of the board."""
        return self.section, self.table, self.round, self.board


@dataclass(frozen=True, slots=True)
class FactAtBoard(AtBoard, Fact):
    """The base class of facts whose first fields are the place of a board."""

    section: str
    table: int
    round: int
    board: int


@dataclass(frozen=True, slots=True)
class CommandAtBoard(AtBoard, Command):
    """The base class of commands whose first fields are the session and the place of a board."""

    session: str
    section: str
    table: int
    round: int
    board: int
