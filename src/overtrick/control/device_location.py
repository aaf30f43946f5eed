"""The place of a players' device: a table, or a pair that it moves with. Has no dependency on the web."""

import re
from dataclasses import dataclass, replace
from typing import Any

from overtrick.bridge import Side
from overtrick.control.snapshot import Snapshot
from overtrick.event import Session
from overtrick.event.movement import contestant, is_played, without_missing_pair
from overtrick.keys import KeyRing

_TABLE = re.compile(r"([A-Z]{1,3})([0-9]{1,4})")
_PAIR = re.compile(r"([A-Z]{1,3})-(NS|EW)-([0-9]{1,4})")


@dataclass(frozen=True, slots=True)
class TablePlace:
    """The place of a device that stays at a table.

    >>> str(parse_place("A12")), parse_place("A12").title
    ('A12', 'table A12')
    """

    section: str
    table: int

    def __str__(self) -> str:
        return f"{self.section}{self.table}"

    @property
    def title(self) -> str:
        """Return the place in words."""
        return f"table {self}"

    def code(self, keys: KeyRing, session: str) -> str:
        """Return the code on the table's card."""
        return keys.table_code(session, self.section, self.table)

    def is_code(self, keys: KeyRing, session: str, code: str) -> bool:
        """Return whether this is the code on the table's card."""
        return keys.is_table_code(session, self.section, self.table, code)

    def may_score_at(self, session: Session, table: "TablePlace") -> bool:
        """Return whether the device may score at a table: only at its own."""
        return table == self

    def may_enter_round(self, session: Session, table: "TablePlace", number: int) -> bool:
        """Return whether the device may enter boards of a round at a table: all rounds of its own."""
        return table == self


@dataclass(frozen=True, slots=True)
class OwnPhone:
    """The place of a player's own phone, which moves with the pair.

    >>> str(parse_place("A-NS-3")), parse_place("A-NS-3").title
    ('A-NS-3', 'pair A NS 3')
    """

    section: str
    side: Side
    pair: int

    def __str__(self) -> str:
        return f"{self.section}-{self.side.value}-{self.pair}"

    @property
    def title(self) -> str:
        """Return the place in words."""
        return f"pair {self.section} {self.side.value} {self.pair}"

    def code(self, keys: KeyRing, session: str) -> str:
        """Return the pair's own code, derived from the pair like a table's code from the table."""
        return keys.table_code(session, f"{self.section}-{self.side.value}", self.pair)

    def is_code(self, keys: KeyRing, session: str, code: str) -> bool:
        """Return whether this is the pair's own code."""
        return keys.is_table_code(session, f"{self.section}-{self.side.value}", self.pair, code)

    def rounds(self, session: Session) -> list[tuple[int, TablePlace, Side]]:
        """Return every round of the pair, in order: its number, the table and the side."""
        if self.section not in session.setup.sections:
            return []
        own_contestant = contestant(session, self.section, self.pair, self.side)
        rounds = []
        for (section, table), table_rounds in session.movement.tables.items():
            for number, planned in enumerate(table_rounds.rounds, start=1):
                played = without_missing_pair(session.setup.sections[section], planned)
                for side, pair in ((Side.NS, played.ns), (Side.EW, played.ew)):
                    if pair and contestant(session, section, pair, side) == own_contestant:
                        rounds.append((number, TablePlace(section, table), side))
        return sorted(rounds, key=lambda entry: entry[0])

    def may_score_at(self, session: Session, table: TablePlace) -> bool:
        """Return whether the device may score at a table: if the pair sits there in some round."""
        return any(own_table == table for _, own_table, _ in self.rounds(session))

    def may_enter_round(self, session: Session, table: TablePlace, number: int) -> bool:
        """Return whether the device may enter boards of a round at a table: if the pair sits there in that round."""
        return any(
            (own_round, own_table) == (number, table) for own_round, own_table, _ in self.rounds(session)
        )

    def played_boards(self, session: Session) -> frozenset[int]:
        """Return the boards of the pair that have a result."""
        return frozenset(
            board
            for number, table, _ in self.rounds(session)
            for board in session.movement.tables[table.section, table.table].rounds[number - 1].boards
            if (table.section, table.table, number, board) in session.results.standing
        )

    def without_unplayed(self, session: Session, snapshot: Snapshot) -> Snapshot:
        """Return a table's snapshot without results and deals of boards that the pair has still to play.

        It stays visible that a board has a result, because the terminal derives the current round from it. Results of
        the pair's own rounds at the table stay, including entries that wait for the director.
        """
        played = self.played_boards(session)
        own_rounds = {
            number
            for number, table, _ in self.rounds(session)
            if table == TablePlace(snapshot.section, snapshot.table)
        }
        boards = {
            board for round_ in snapshot.rounds if round_.number in own_rounds for board in round_.boards
        }
        return replace(
            snapshot,
            results=tuple(
                result
                if result.board in played or result.round in own_rounds
                else replace(result, outcome="", lead="", is_wrong_direction=False)
                for result in snapshot.results
            ),
            begun=tuple(result for result in snapshot.begun if result.round in own_rounds),
            compared=tuple(line for line in snapshot.compared if line.board in played),
            deals={
                board: deal
                for board, deal in (snapshot.deals or {}).items()
                if board in played or board in boards
            },
            summary=() if self.to_play(session) else snapshot.summary,
        )

    def to_play(self, session: Session) -> dict[str, Any] | None:
        """Return the place of the pair's next board, the rounds that it sits out before, and whether the earlier
        rounds at that table are done.

        None if the pair has no board left.
        """
        sits_out: list[int] = []
        for number, table, side in self.rounds(session):
            played = session.movement.round(table.section, table.table, number)
            if played is not None and not is_played(session.setup.sections[table.section], played):
                sits_out.append(number)
            elif not _has_open_boards(session, table, number):
                sits_out.clear()  # they were before a round that the pair has played
            else:
                earlier = range(1, number)
                return {
                    "section": table.section,
                    "table": table.table,
                    "round": number,
                    "side": side.value,
                    "sits_out": sits_out,
                    "is_ready": not any(
                        _has_open_boards(session, table, earlier_round) for earlier_round in earlier
                    ),
                }
        return None

    def current_table(self, session: Session, current: str) -> TablePlace | None:
        """Return table `current` if it is one of the pair's, else the pair's next table or its last, if any."""
        rounds = self.rounds(session)
        tables = {str(table): table for _, table, _ in rounds}
        if current in tables:
            return tables[current]
        next_board = self.to_play(session)
        if next_board is not None:
            return TablePlace(next_board["section"], next_board["table"])
        return rounds[-1][1] if rounds else None


def _has_open_boards(session: Session, table: TablePlace, number: int) -> bool:
    """Return whether a table has boards without a result in a round."""
    planned = session.movement.round(table.section, table.table, number)
    if planned is None:
        return False
    section = session.setup.sections[table.section]
    played = without_missing_pair(section, planned)
    standing = session.results.standing
    return is_played(section, played) and any(
        (table.section, table.table, number, board) not in standing for board in played.boards
    )


def own_phones(session: Session) -> list[OwnPhone]:
    """Return a place for every pair of a session, named by the section, direction and number of its first round."""
    phones: dict[object, OwnPhone] = {}
    tables = sorted(session.movement.tables.items())
    # Go round by round, so that rounds drawn later do not change the printed codes.
    for number in range(max((len(table_rounds.rounds) for _, table_rounds in tables), default=0)):
        for (section, _), table_rounds in tables:
            if number >= len(table_rounds.rounds):
                continue
            played = without_missing_pair(session.setup.sections[section], table_rounds.rounds[number])
            for side, pair in ((Side.NS, played.ns), (Side.EW, played.ew)):
                if pair:
                    pair_contestant = contestant(session, section, pair, side)
                    phones.setdefault(pair_contestant, OwnPhone(section, side, pair))
    return sorted(phones.values(), key=lambda phone: (phone.section, phone.side.value, phone.pair))


def parse_place(text: str) -> TablePlace | OwnPhone | None:
    """Parse a place from a part of a URL; return None if it is not one.

    >>> parse_place("A-NS-0012x") is None
    True
    """
    if match := _TABLE.fullmatch(text):
        return TablePlace(match[1], int(match[2]))
    if match := _PAIR.fullmatch(text):
        return OwnPhone(match[1], Side(match[2]), int(match[3]))
    return None
