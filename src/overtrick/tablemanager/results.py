"""The command that enters the result of a board that robots have played.

Knows no journal: whoever runs the table submits the command.
"""

import re
from dataclasses import dataclass
from datetime import datetime

from overtrick.errors import BadInput
from overtrick.event import Session
from overtrick.event.results import EnterResult, Origin, ResultEntry
from overtrick.tablemanager.rules import BoardResult


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


def enter_result(
    result: BoardResult, session: Session, guid: str, place: Place, at: datetime
) -> EnterResult | None:
    """Return the command that enters a result at a place, in the round in which that board is played there.

    None for a board of a resumed session that the event has, whatever became of it there. One that is missing was
    recorded just before the Table Manager was killed.
    """
    number = result.board
    table = session.movement.tables.get((place.section, place.table))
    if table is None:
        raise BadInput(f"The session has no table {place}.")
    turns = [turn for turn, played in enumerate(table.rounds, 1) if number in played.boards]
    if not turns:
        raise BadInput(f"Board {number} is not played at table {place}.")
    board = place.section, place.table, turns[0], number
    if result.is_resumed and (board in session.results.standing or board in session.results.erased):
        return None
    entry = ResultEntry(
        section=place.section,
        table=place.table,
        round=turns[0],
        board=number,
        outcome=result.outcome,
        at=at,
        lead=result.lead,
    )
    return EnterResult(guid, entry, Origin.ROBOT)
