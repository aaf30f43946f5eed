"""DUP, the file of deals that dealing machines read. Pure: works on bytes, without I/O.

A file has 156 bytes for each board, without separators:

| bytes | content |
|---|---|
| 1-78 | the hands of North, East and South: 39 cards of two digits, 01 the ace of spades to 52 the two of clubs, in any order; West has the rest |
| 79-146 | the four hands again for the machine's screen, suits from spades with the symbols of DOS (06 03 04 05); blank in files whose deals must stay secret |
| 147 | Y if the hands were dealt at random, else N |
| 148 | Y if the boards are counted backwards, else N |
| 149-151 | the lowest board of the set, left-aligned and padded with spaces |
| 152-153 | the number of copies of each board |
| 154-156 | the highest board of the set |

Only the first 78 bytes write the cards in the same way in every file, so the deals are read from them.
"""  # noqa: E501

import re

from overtrick.bridge.card import CARDS, SUITS_FROM_SPADES, Card
from overtrick.bridge.deal import Hand, complete
from overtrick.bridge.record import Game
from overtrick.bridge.seat import Seat
from overtrick.digits import parse_digits
from overtrick.errors import BadInput

RECORD_BYTES = 156
"""The number of bytes of each board."""
MAX_BOARDS = 1_000
"""The most boards that are read from one file; a dealing machine has 99."""

_CARDS = re.compile(rb"[0-9]{78}")
_BACKWARDS, _LOWEST = 147, slice(148, 151)
_PADDING = b"\x00\x1a\r\n\t "
_SEATS = (Seat.NORTH, Seat.EAST, Seat.SOUTH)


class BadDup(BadInput):
    """A DUP file that cannot be read; the sentence says which board of it."""

    code = "bad-dup"


def is_dup(content: bytes) -> bool:
    """Return whether a file begins as a DUP file does: with 39 cards of two digits.

    >>> is_dup(b"0102" * 39), is_dup(b'[Board "1"]')
    (True, False)
    """
    return len(content) >= RECORD_BYTES and _CARDS.match(content) is not None


def read_dup(content: bytes, *, name: str | None = None) -> tuple[Game, ...]:
    """Return the boards of a DUP file with their deals, numbered from the lowest board that it names.

    Raise BadDup if it cannot be read, or if its boards are counted backwards: the file does not say which deal then
    belongs to which board.
    """
    surplus = len(content) % RECORD_BYTES
    if surplus and content[-surplus:].strip(_PADDING):
        raise BadDup(
            f"A DUP file has {RECORD_BYTES} bytes for each board, and this has {surplus} bytes more than "
            f"{len(content) // RECORD_BYTES} boards.",
            where=name,
        )
    boards = len(content) // RECORD_BYTES
    if not 0 < boards <= MAX_BOARDS:
        raise BadDup(f"A DUP file has 1 to {MAX_BOARDS} boards, not {boards}.", where=name)
    if content[_BACKWARDS : _BACKWARDS + 1].upper() == b"Y":
        raise BadDup(
            "The file says that its boards are counted backwards, so the deals cannot be matched with boards; nothing "
            "was read. Save them again without that choice, or as PBN.",
            where=name,
        )
    lowest = parse_digits(content[_LOWEST].decode("latin-1").strip(), 3) or 1
    return tuple(
        _board(lowest + place, content[place * RECORD_BYTES : (place + 1) * RECORD_BYTES], name)
        for place in range(boards)
    )


def _board(number: int, record: bytes, name: str | None) -> Game:
    where = f"board {number}" if name is None else f"{name}, board {number}"
    if _CARDS.match(record) is None:
        raise BadDup("The 78 bytes of its cards are not digits.", where=where)
    cards = [_card(int(record[place : place + 2]), where) for place in range(0, 78, 2)]
    try:
        hands = {seat: Hand(cards[13 * place : 13 * place + 13]) for place, seat in enumerate(_SEATS)}
        return Game.of_board(number, complete(hands))
    except BadInput as error:
        raise BadDup(error.sentence, where=where) from None


def _card(number: int, where: str) -> Card:
    if not 1 <= number <= 52:
        raise BadDup(f"{number:02d} is not a card: 01 to 52 are.", where=where)
    suit, place = divmod(number - 1, 13)
    return CARDS[13 * SUITS_FROM_SPADES[suit] + 12 - place]
