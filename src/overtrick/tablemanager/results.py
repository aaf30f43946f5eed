"""The command that enters the result of a board that robots have played.

Has no dependency on the journal: the caller submits the command.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from overtrick.bridge import Side
from overtrick.errors import BadInput
from overtrick.event import JournalState, Session
from overtrick.event.results import EnterResult, Origin, ResultEntry
from overtrick.tablemanager.rules import BoardResult


@dataclass(frozen=True, slots=True)
class EventTable:
    """A table of a section in an event.

    >>> EventTable.parse("A4"), str(EventTable("A", 4).offset_by(2))
    (EventTable(section='A', table=4), 'A6')
    """

    section: str
    table: int

    @classmethod
    def parse(cls, text: str) -> "EventTable":
        """Parse a section letter and a table number, such as A4."""
        match = re.fullmatch(r"([A-Za-z]{1,2})([1-9][0-9]{0,3})", text.strip())
        if match is None:
            raise BadInput(f"{text!r} is not a table. Write section and number, such as A1.")
        return cls(match[1].upper(), int(match[2]))

    def __str__(self) -> str:
        return f"{self.section}{self.table}"

    def offset_by(self, tables: int) -> "EventTable":
        """Return the table with a number that is higher by `tables`."""
        return EventTable(self.section, self.table + tables)


def teams_at(
    journal_state: JournalState, guid: str, place: EventTable, boards: Iterable[int]
) -> dict[Side, str]:
    """Return the teams that play these boards at a table; empty if the event has no team names.

    Raise BadInput if different teams play them, in different rounds.
    """
    session = journal_state.session(guid)
    if session is None:
        raise BadInput(f"The journal has no session {guid}.")
    event, seating = next(
        (
            (event, seating)
            for event in journal_state.team_events.values()
            if (seating := event.seated.get((guid, place.section))) is not None
        ),
        (None, None),
    )
    if event is None or seating is None:
        return {}
    names = {team.number: team.name for team in event.teams_of(seating.serie)}
    numbers = set(boards)
    table = session.movement.tables.get((place.section, place.table))
    matches = {
        (names.get(played.team_ns or played.ns), names.get(played.team_ew or played.ew))
        for played in (table.rounds if table is not None else ())
        if numbers.intersection(played.boards)
    }
    if len(matches) > 1:
        raise BadInput(
            f"Different teams play these boards at table {place}. Choose the boards of one round with --first and "
            "--boards."
        )
    return {
        side: name
        for teams in matches
        for side, name in zip((Side.NS, Side.EW), teams, strict=True)
        if name is not None
    }


def enter_result(
    result: BoardResult, session: Session, guid: str, place: EventTable, at: datetime
) -> EnterResult | None:
    """Return the command that enters a result at a table, in the round in which that board is played there.

    Return None for a board of a resumed session that was entered before, even if it was changed or erased since. A
    board that is missing from the event was recorded just before the Table Manager was killed: it is entered now.
    """
    number = result.board
    table = session.movement.tables.get((place.section, place.table))
    if table is None:
        raise BadInput(f"The session has no table {place}.")
    rounds = [round_number for round_number, played in enumerate(table.rounds, 1) if number in played.boards]
    if not rounds:
        raise BadInput(f"Board {number} is not played at table {place}.")
    board = place.section, place.table, rounds[0], number
    if result.is_resumed and (board in session.results.standing or board in session.results.erased):
        return None
    entry = ResultEntry(
        section=place.section,
        table=place.table,
        round=rounds[0],
        board=number,
        outcome=result.outcome,
        at=at,
        lead=result.lead,
    )
    return EnterResult(guid, entry, Origin.ROBOT)
