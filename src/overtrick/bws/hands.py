"""Conversion of hand record and evaluation rows to deals and tricks, and back. Depends on no section or event."""

from __future__ import annotations

from overtrick.bridge import SEATS, Deal, Hand, Strain, Suit, Tricks
from overtrick.bws.rows import FreeRow
from overtrick.bws.schema import SUIT_WORDS
from overtrick.errors import BadInput

_SUITS = (Suit.SPADES, Suit.HEARTS, Suit.DIAMONDS, Suit.CLUBS)
_STRAIN_WORDS = {
    Strain.CLUBS: "Clubs",
    Strain.DIAMONDS: "Diamonds",
    Strain.HEARTS: "Hearts",
    Strain.SPADES: "Spades",
    Strain.NOTRUMP: "Notrump",
}


def deal_of(row: FreeRow) -> Deal:
    """Return the deal of a hand record; raise BadDeal naming the missing or doubled card."""
    return Deal(
        {
            seat: Hand.parse(
                ".".join(str(row.get(seat.name.title() + suit) or "").strip() for suit in SUIT_WORDS)
            )
            for seat in SEATS
        }
    )


def deal_values(deal: Deal) -> dict[str, str]:
    """Return the sixteen fields of a deal, high cards first."""
    return {
        seat.name.title() + word: "".join(rank.letter for rank in deal[seat].suit(suit))
        for seat in SEATS
        for suit, word in zip(_SUITS, SUIT_WORDS, strict=True)
    }


def tricks_of(row: FreeRow) -> Tricks:
    """Return the makeable tricks of an evaluation."""
    figures = {
        (seat, strain): row.get(seat.name.title() + word)
        for seat in SEATS
        for strain, word in _STRAIN_WORDS.items()
    }
    if any(not isinstance(figure, int) for figure in figures.values()):
        raise BadInput("Makeable tricks are twenty numbers from 0 to 13.")
    return Tricks.of(figures)


def evaluation_values(deal: Deal, tricks: Tricks) -> dict[str, int]:
    """Return the twenty figures of makeable tricks and the four of high card points."""
    values = {
        seat.name.title() + word: tricks[seat, strain]
        for seat in SEATS
        for strain, word in _STRAIN_WORDS.items()
    }
    return values | {f"{seat.name.title()}Hcp": deal[seat].hcp for seat in SEATS}
