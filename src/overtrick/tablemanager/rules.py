"""Values of a table: its boards and rules, its records, and its outputs (actions for the caller).

Values only; has no dependency on the order of messages.
"""

from collections.abc import Hashable
from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple

from overtrick.bridge import (
    Auction,
    Award,
    Call,
    Card,
    Contract,
    Deal,
    Outcome,
    Seat,
    Vulnerability,
    dealer,
    vulnerability,
)
from overtrick.errors import OvertrickError
from overtrick.tablemanager.messages import Dialect


class TableError(OvertrickError):
    """A session of computer bridge that cannot go on; the boards recorded so far are kept."""

    code = "table"


@dataclass(frozen=True, slots=True)
class Board:
    """A deal with its number, dealer and vulnerability."""

    number: int
    deal: Deal
    dealer: Seat
    vulnerability: Vulnerability

    @classmethod
    def numbered(cls, number: int, deal: Deal) -> "Board":
        """Return a board whose dealer and vulnerability follow from its number."""
        return cls(number, deal, dealer(number), vulnerability(number))


class Alerts(Enum):
    """The cases in which the table pauses to ask its operator for alerts."""

    OFF = "off"
    EVERY = "every"
    """After every call that is not on the document's list."""
    MARKED = "marked"
    """After a call that is followed by the bare word Alert."""
    END = "end"
    """Once, when the auction is over."""


class UnfinishedBoardRuling(Enum):
    """The consequences when a board cannot be finished because of one player."""

    ADJUST = "adjust"
    """The board is adjusted 60-40, and the next one starts."""
    FORFEIT = "forfeit"
    """The board is adjusted 60-40, and the session ends."""


@dataclass(frozen=True, slots=True)
class TableRules:
    """The settings of a table; times are in seconds, None means no limit."""

    dialect: Dialect = Dialect.V18
    trick_pause: float = 1.0
    """Seconds between the last card of a trick and the next lead."""
    timing: bool | None = None
    """True to send the timing line after a board; None means the dialect's default (v18 sends it, classic does not)."""
    alerts: Alerts = Alerts.OFF
    inverted_minors: bool = False
    negative_doubles: bool = False
    claims: bool = False
    tries: int = 3
    """The number of illegal calls or cards of a player on a board that leads to a ruling."""
    ruling: UnfinishedBoardRuling = UnfinishedBoardRuling.ADJUST
    timeout: float | None = 120.0
    """Seconds for each message that a player has to send."""
    board_timeout: float | None = None
    """Seconds of thinking for one side on one board."""
    reconnect: float | None = 120.0
    """Seconds for a lost player to come back."""
    same_address: float = 30.0
    """Seconds for which a lost player's seat is reserved for the address that it was connected from."""
    greeting: float | None = 30.0
    """Seconds for a new connection to ask for a seat."""
    closing: float = 0.2
    """Seconds between the end of the session and closing the connections."""

    @property
    def reserved_for_address(self) -> float:
        """Return the seconds for which a lost seat is reserved for its address: at most half of `reconnect`.

        The other half is left for a player who comes back with a new address.

        >>> TableRules().reserved_for_address, TableRules(reconnect=20.0).reserved_for_address
        (30.0, 10.0)
        """
        return self.same_address if self.reconnect is None else min(self.same_address, self.reconnect / 2)

    @property
    def sends_timing(self) -> bool:
        """Return whether the timing line is sent after a board."""
        return self.dialect is Dialect.V18 if self.timing is None else self.timing


@dataclass(frozen=True, slots=True)
class BoardResult:
    """The part of a board's record that an event needs."""

    board: int
    outcome: Outcome
    lead: Card | None = None
    is_resumed: bool = False
    """True if the board was in the record file when the session was resumed."""


@dataclass(frozen=True, slots=True)
class BoardRecord:
    """The record of a board at a table of computer bridge."""

    board: Board
    ns: str
    ew: str
    calls: tuple[Call, ...]
    tails: tuple[str, ...]
    """The text after each call: usually its alert."""
    cards: tuple[Card, ...]
    outcome: Outcome
    call_seconds: tuple[float, ...] = ()
    card_seconds: tuple[float, ...] = ()
    ns_seconds: float = 0.0
    ew_seconds: float = 0.0
    claimed_by: Seat | None = None
    remarks: tuple[str, ...] = ()

    @property
    def result(self) -> BoardResult:
        """Return the result to enter in an event."""
        return BoardResult(self.board.number, self.outcome, self.cards[0] if self.cards else None)

    @property
    def contract(self) -> Contract | None:
        """Return the contract; None if the board was passed out or the auction did not end."""
        return Auction(self.board.dealer, self.calls).contract

    @property
    def ns_score(self) -> int | None:
        """Return the score of North-South; None for an award."""
        return self.outcome.ns_score(self.board.vulnerability)


def award_against(seat: Seat) -> Award:
    """Return an award of 40 % for the side of that seat and 60 % for the other.

    >>> str(award_against(Seat.EAST))
    '60-40'
    """
    return Award(40, 60) if seat in (Seat.NORTH, Seat.SOUTH) else Award(60, 40)


class Send(NamedTuple):
    """An output: send a line to a connection."""

    link: Hashable
    line: str


@dataclass(frozen=True, slots=True)
class HangUp:
    """An output: close a connection."""

    link: Hashable


@dataclass(frozen=True, slots=True)
class BoardRecorded:
    """An output: a board is finished, write its record."""

    record: BoardRecord


@dataclass(frozen=True, slots=True)
class Question:
    """An output: ask the operator for alerts of one call, or (place None) of the whole auction."""

    board: int
    auction: Auction
    place: int | None

    def __str__(self) -> str:
        if self.place is None:
            return f"Board {self.board}, {self.auction}: which calls should be alerted?"
        caller = self.auction.caller(self.place).title
        call = self.auction.calls[self.place]
        return f"Board {self.board}, {self.auction}: should {call} by {caller} be alerted?"


@dataclass(frozen=True, slots=True)
class LogNote:
    """An output: write to the log."""

    text: str


@dataclass(frozen=True, slots=True)
class SessionEnded:
    """An output: the session is over, with a reason if it stopped early."""

    reason: str | None


Output = Send | HangUp | BoardRecorded | Question | LogNote | SessionEnded
