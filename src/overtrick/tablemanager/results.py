"""What a table of robots tells the event: a board's record as the command that enters its result.

Knows no journal: whoever runs the table submits the command.
"""

import re
from dataclasses import dataclass
from datetime import datetime

from overtrick.errors import BadInput
from overtrick.event import Session
from overtrick.event.results import EnterResult, Origin, ResultEntry
from overtrick.tablemanager.rules import BoardRecord


@dataclass(frozen=True, slots=True)
class Place:
    """A table of a section in an event.

    >>> Place.parse("A4"), str(Place("A", 4).further(2))
    (Place(section='A', table=4), 'A6')
    """

    section: str
    table: int

    @classmethod
    def parse(cls, text: str) -> "Place":
        """A place from its usual spelling."""
        found = re.fullmatch(r"([A-Za-z]{1,2})([1-9][0-9]{0,3})", text.strip())
        if found is None:
            raise BadInput(f"{text!r} is not a table: such as A1 are.")
        return cls(found[1].upper(), int(found[2]))

    def __str__(self) -> str:
        return f"{self.section}{self.table}"

    def further(self, tables: int) -> "Place":
        """The table so many places on."""
        return Place(self.section, self.table + tables)


def enter_result(record: BoardRecord, session: Session, guid: str, place: Place, at: datetime) -> EnterResult:
    """The command that enters a record at a place, in the round in which that board is played there."""
    number = record.board.number
    table = session.movement.tables.get((place.section, place.table))
    if table is None:
        raise BadInput(f"The session has no table {place}.")
    turns = [turn for turn, played in enumerate(table.rounds, 1) if number in played.boards]
    if not turns:
        raise BadInput(f"Board {number} is not played at table {place}.")
    entry = ResultEntry(
        section=place.section,
        table=place.table,
        round=turns[0],
        board=number,
        outcome=record.outcome,
        at=at,
        lead=record.cards[0] if record.cards else None,
    )
    return EnterResult(guid, entry, Origin.ROBOT)
