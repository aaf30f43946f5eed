"""The thirty-eight calls: thirty-five bids, pass, double and redouble. Pure: independent of auctions."""

from dataclasses import dataclass
from enum import Enum
from functools import lru_cache
from typing import TypeAlias

from overtrick.bridge.card import Strain
from overtrick.errors import BadInput


@dataclass(frozen=True, slots=True, order=True)
class Bid:
    """A level from 1 to 7 and a strain; the greater of two bids is sufficient over the other.

    >>> Bid(1, Strain.NOTRUMP) < Bid(2, Strain.CLUBS)
    True
    """

    level: int
    strain: Strain

    def __post_init__(self) -> None:
        if not 1 <= self.level <= 7:
            raise BadInput(f"There is no bid at level {self.level}: levels are 1 to 7.")

    def __str__(self) -> str:
        return f"{self.level}{self.strain.letter}"


class PlainCall(Enum):
    """The three calls that are not bids."""

    PASS = "Pass"
    DOUBLE = "X"
    REDOUBLE = "XX"

    def __str__(self) -> str:
        return self.value


Call: TypeAlias = Bid | PlainCall

PASS = PlainCall.PASS
DOUBLE = PlainCall.DOUBLE
REDOUBLE = PlainCall.REDOUBLE

BIDS: tuple[Bid, ...] = tuple(Bid(level, strain) for level in range(1, 8) for strain in Strain)
"""All bids, from 1C up to 7NT."""

CALLS: tuple[Call, ...] = (PASS, DOUBLE, REDOUBLE, *BIDS)
"""All calls."""

_PLAIN = {
    "P": PASS,
    "PASS": PASS,
    "X": DOUBLE,
    "DBL": DOUBLE,
    "DOUBLE": DOUBLE,
    "XX": REDOUBLE,
    "RDBL": REDOUBLE,
    "REDBL": REDOUBLE,
    "REDOUBLE": REDOUBLE,
}


def parse_call(text: str) -> Call:
    """Parse a call in any usual spelling, in any case; raise BadInput for anything else.

    >>> parse_call("1♠"), [str(parse_call(text)) for text in ("3nt", "PASS", "dbl")]
    (Bid(level=1, strain=<Strain.SPADES: 3>), ['3NT', 'Pass', 'X'])
    """
    return _parse_call(text)


@lru_cache(maxsize=1024)
def _parse_call(text: str) -> Call:
    spelling = text.strip().upper()
    plain = _PLAIN.get(spelling)
    if plain is not None:
        return plain
    if spelling[:1] in set("1234567"):
        try:
            return BIDS[5 * (int(spelling[0]) - 1) + Strain.parse(spelling[1:])]
        except BadInput:
            pass
    raise BadInput(f"{text!r} is not a call. Write one like 1C, 3NT, Pass, X or XX.")
