"""What a table is told before it starts, and what it tells: boards, rules, records, what is to be done.

Values only; knows no order of messages.
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
    """Something at a table of computer bridge cannot go on; the boards recorded so far are kept."""

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
        """A board whose dealer and vulnerability follow from its number."""
        return cls(number, deal, dealer(number), vulnerability(number))


class Alerts(Enum):
    """When the table pauses for an operator's alert."""

    OFF = "off"
    EVERY = "every"
    MARKED = "marked"
    END = "end"


class Ruling(Enum):
    """What becomes of a board that a player made impossible to finish."""

    ADJUST = "adjust"
    FORFEIT = "forfeit"


@dataclass(frozen=True, slots=True)
class Rules:
    """How a table is run; times are in seconds, None means for ever."""

    dialect: Dialect = Dialect.V18
    trick_pause: float = 1.0
    timing: bool | None = None
    """Whether the timing line is sent; None as the dialect has it (the older one has none)."""
    alerts: Alerts = Alerts.OFF
    inverted_minors: bool = False
    negative_doubles: bool = False
    claims: bool = False
    tries: int = 3
    """How many illegal calls or cards a player may send on a board before the ruling."""
    ruling: Ruling = Ruling.ADJUST
    timeout: float | None = 120.0
    """For each message that is waited for."""
    board_timeout: float | None = None
    """For the thinking of one side on one board."""
    reconnect: float | None = 120.0
    """For a lost player to come back."""
    same_address: float = 30.0
    """In which a lost player's seat is kept for the address that it was lost from."""
    greeting: float | None = 30.0
    """For a new connection to ask for a seat."""
    closing: float = 0.2
    """Between the end of the session and hanging up."""

    @property
    def keeps_address(self) -> float:
        """Seconds that a lost seat is kept for its address: a player with a new one has as long left to come back.

        >>> Rules().keeps_address, Rules(reconnect=20.0).keeps_address
        (30.0, 10.0)
        """
        return self.same_address if self.reconnect is None else min(self.same_address, self.reconnect / 2)

    @property
    def sends_timing(self) -> bool:
        """Whether the timing line is sent after a board."""
        return self.dialect is Dialect.V18 if self.timing is None else self.timing


@dataclass(frozen=True, slots=True)
class BoardResult:
    """The part of a board's record that an event wants."""

    board: int
    outcome: Outcome
    lead: Card | None = None
    is_resumed: bool = False
    """True if the board was in the record file when the session was resumed."""


@dataclass(frozen=True, slots=True)
class BoardRecord:
    """What happened on a board at a table of computer bridge."""

    board: Board
    ns: str
    ew: str
    calls: tuple[Call, ...]
    tails: tuple[str, ...]
    """The text after each call: its alert, as a rule."""
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
        """Return what an event is told of it."""
        return BoardResult(self.board.number, self.outcome, self.cards[0] if self.cards else None)

    @property
    def contract(self) -> Contract | None:
        """What was to be made; None when passed out or when the auction did not end."""
        return Auction(self.board.dealer, self.calls).contract

    @property
    def ns_score(self) -> int | None:
        """The score of North-South; None for an award."""
        return self.outcome.ns_score(self.board.vulnerability)


def award_against(seat: Seat) -> Award:
    """Forty for the side of that seat, sixty for the other.

    >>> str(award_against(Seat.EAST))
    '60-40'
    """
    return Award(40, 60) if seat in (Seat.NORTH, Seat.SOUTH) else Award(60, 40)


class Send(NamedTuple):
    """Send a line to a connection."""

    link: Hashable
    line: str


@dataclass(frozen=True, slots=True)
class HangUp:
    """Close a connection."""

    link: Hashable


@dataclass(frozen=True, slots=True)
class Recorded:
    """A board is done: write its record."""

    record: BoardRecord


@dataclass(frozen=True, slots=True)
class Question:
    """The operator is asked for alerts: of one call, or (place None) of the whole auction."""

    board: int
    auction: Auction
    place: int | None

    def __str__(self) -> str:
        if self.place is None:
            return f"Board {self.board}, {self.auction}: which calls are to be alerted?"
        who = self.auction.caller(self.place).title
        call = self.auction.calls[self.place]
        return f"Board {self.board}, {self.auction}: is {call} by {who} to be alerted?"


@dataclass(frozen=True, slots=True)
class Noted:
    """Something for the log."""

    text: str


@dataclass(frozen=True, slots=True)
class Ended:
    """The session is over: all boards were played (no reason), or it stopped for a reason."""

    reason: str | None


Output = Send | HangUp | Recorded | Question | Noted | Ended
