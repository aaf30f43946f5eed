"""Seats, sides, and the dealer and vulnerability of a board number. Pure: independent of cards."""

from enum import Enum

from overtrick.errors import BadInput


class Side(Enum):
    """The two partnerships at a table.

    >>> Side.NS.opponents
    <Side.EW: 'EW'>
    >>> print(Side.NS)
    NS
    """

    # There is one of each, and Enum's own hash is slow.
    __hash__ = object.__hash__

    NS = "NS"
    EW = "EW"

    def __str__(self) -> str:
        return self.name

    @property
    def opponents(self) -> "Side":
        """Return the other side."""
        return Side.EW if self is Side.NS else Side.NS

    @property
    def seats(self) -> "tuple[Seat, Seat]":
        """Return North and South, or East and West."""
        return (Seat.NORTH, Seat.SOUTH) if self is Side.NS else (Seat.EAST, Seat.WEST)


class Seat(Enum):
    """The four seats, clockwise from North.

    >>> Seat("N").next, Seat("N").partner, Seat("N").side
    (<Seat.EAST: 'E'>, <Seat.SOUTH: 'S'>, <Side.NS: 'NS'>)
    """

    # There is one of each, and Enum's own hash is slow.
    __hash__ = object.__hash__

    NORTH = "N"
    EAST = "E"
    SOUTH = "S"
    WEST = "W"

    index: int
    """0 to 3, clockwise from North."""

    side: Side

    def __init__(self, letter: str) -> None:
        self.index = "NESW".index(letter)
        self.side = Side.NS if letter in "NS" else Side.EW

    def __str__(self) -> str:
        return self.title

    @classmethod
    def parse(cls, text: str) -> "Seat":
        """Parse a seat from its letter or its name, in any case; raise BadInput for anything else.

        >>> Seat.parse(" west ")
        <Seat.WEST: 'W'>
        """
        seat = _BY_NAME.get(text.strip().upper())
        if seat is None:
            raise BadInput(f"{text!r} is not a seat: North, East, South or West.")
        return seat

    @property
    def title(self) -> str:
        """Return the name in words: North."""
        return self.name.capitalize()

    @property
    def next(self) -> "Seat":
        """Return the seat to the left, whose turn is next."""
        return SEATS[(self.index + 1) % 4]

    @property
    def partner(self) -> "Seat":
        """Return the seat opposite."""
        return SEATS[(self.index + 2) % 4]

    @property
    def previous(self) -> "Seat":
        """Return the seat to the right."""
        return SEATS[(self.index + 3) % 4]


SEATS: tuple[Seat, Seat, Seat, Seat] = (Seat.NORTH, Seat.EAST, Seat.SOUTH, Seat.WEST)

_BY_NAME = {seat.value: seat for seat in Seat} | {seat.name: seat for seat in Seat}


class Vulnerability(Enum):
    """The sides that are vulnerable on a board.

    >>> Vulnerability.NS.includes(Side.NS), Vulnerability.NS.includes(Seat.WEST)
    (True, False)
    """

    NONE = "None"
    NS = "NS"
    EW = "EW"
    ALL = "All"

    def __str__(self) -> str:
        return self.value

    @classmethod
    def parse(cls, text: str) -> "Vulnerability":
        """Parse a vulnerability in a spelling of PBN (None, Love, -, NS, N-S, EW, E-W, All, Both), in any case; raise
        BadInput for anything else.

        >>> Vulnerability.parse("Both")
        <Vulnerability.ALL: 'All'>
        """
        vulnerability = _BY_SPELLING.get(text.strip().upper())
        if vulnerability is None:
            raise BadInput(f"{text!r} is not a vulnerability: None, NS, EW or All.")
        return vulnerability

    def includes(self, side_or_seat: Side | Seat) -> bool:
        """Return whether that side, or the side of that seat, is vulnerable."""
        side = side_or_seat.side if isinstance(side_or_seat, Seat) else side_or_seat
        return self is Vulnerability.ALL or self.value == side.value


_BY_SPELLING = {
    "NONE": Vulnerability.NONE,
    "LOVE": Vulnerability.NONE,
    "-": Vulnerability.NONE,
    "NS": Vulnerability.NS,
    "N-S": Vulnerability.NS,
    "EW": Vulnerability.EW,
    "E-W": Vulnerability.EW,
    "ALL": Vulnerability.ALL,
    "BOTH": Vulnerability.ALL,
}

_CYCLE = (Vulnerability.NONE, Vulnerability.NS, Vulnerability.EW, Vulnerability.ALL)


def dealer(board: int) -> Seat:
    """Return the dealer of a board; raise BadInput for a number below 1.

    >>> dealer(1), dealer(16), dealer(17)
    (<Seat.NORTH: 'N'>, <Seat.WEST: 'W'>, <Seat.NORTH: 'N'>)
    """
    return SEATS[(_board(board) - 1) % 4]


def vulnerability(board: int) -> Vulnerability:
    """Return the vulnerability of a board by Law 2, repeated every sixteen boards; raise BadInput for a number below 1.

    >>> vulnerability(1), vulnerability(13), vulnerability(16)
    (<Vulnerability.NONE: 'None'>, <Vulnerability.ALL: 'All'>, <Vulnerability.EW: 'EW'>)
    """
    # The cycle moves on by one board after every four.
    place = _board(board) - 1
    return _CYCLE[(place + place // 4) % 4]


def _board(board: int) -> int:
    if board < 1:
        raise BadInput(f"Board {board} does not exist: boards are numbered from 1.")
    return board
