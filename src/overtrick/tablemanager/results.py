"""The command that enters the result of a board that robots have played.

Knows no journal: whoever runs the table submits the command.
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

    >>> EventTable.parse("A4"), str(EventTable("A", 4).further(2))
    (EventTable(section='A', table=4), 'A6')
    """

    section: str
    table: int

    @classmethod
    def parse(cls, text: str) -> "EventTable":
        """Parse a place from its usual spelling."""
        found = re.fullmatch(r"([A-Za-z]{1,2})([1-9][0-9]{0,3})", text.strip())
        if found is None:
            raise BadInput(f"{text!r} is not a table: such as A1 are.")
        return cls(found[1].upper(), int(found[2]))

    def __str__(self) -> str:
        return f"{self.section}{self.table}"

    def further(self, tables: int) -> "EventTable":
        """Return the table this many places on."""
        return EventTable(self.section, self.table + tables)


def teams_at(
    journal_state: JournalState, guid: str, place: EventTable, boards: Iterable[int]
) -> dict[Side, str]:
    """Return the teams that play some boards at a place; empty where the event has no names of teams."""
    session = journal_state.session(guid)
    if session is None:
        raise BadInput(f"The journal has no session {guid}.")
    event, seated = next(
        (
            (event, known)
            for event in journal_state.team_events.values()
            if (known := event.seated.get((guid, place.section))) is not None
        ),
        (None, None),
    )
    if event is None or seated is None:
        return {}
    names = {team.number: team.name for team in event.of_serie(seated.serie)}
    wanted = set(boards)
    table = session.movement.tables.get((place.section, place.table))
    found = {
        (names.get(played.team_ns or played.ns), names.get(played.team_ew or played.ew))
        for played in (table.rounds if table is not None else ())
        if wanted.intersection(played.boards)
    }
    if len(found) > 1:
        raise BadInput(
            f"Table {place} plays these boards in rounds of different teams: play those of one round at a time, "
            "with --first and --boards."
        )
    return {
        side: name
        for teams in found
        for side, name in zip((Side.NS, Side.EW), teams, strict=True)
        if name is not None
    }


def enter_result(
    result: BoardResult, session: Session, guid: str, place: EventTable, at: datetime
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
