"""Rows of hand records and of their evaluations, and the deals and tricks they say. Knows no section and no event."""

from __future__ import annotations

from overtrick.bridge import SEATS, Deal, Hand, Strain, Suit
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
    """The deal of a hand record; BadDeal says which card is missing or doubled."""
    return Deal(
        {
            seat: Hand.parse(
                ".".join(str(row.get(seat.name.title() + suit) or "").strip() for suit in SUIT_WORDS)
            )
            for seat in SEATS
        }
    )


def deal_values(deal: Deal) -> dict[str, str]:
    """The sixteen fields of a deal, high cards first."""
    return {
        seat.name.title() + word: "".join(rank.letter for rank in deal[seat].suit(suit))
        for seat in SEATS
        for suit, word in zip(_SUITS, SUIT_WORDS, strict=True)
    }


def tricks_of(row: FreeRow) -> tuple[int, ...]:
    """Twenty figures: for North, East, South and West the tricks in clubs to spades and notrump."""
    figures = [row.get(seat.name.title() + _STRAIN_WORDS[strain]) for seat in SEATS for strain in Strain]
    if any(not isinstance(figure, int) or not 0 <= figure <= 13 for figure in figures):
        raise BadInput("Makeable tricks are twenty figures from 0 to 13.")
    return tuple(figures)


def evaluation_values(deal: Deal, tricks: tuple[int, ...]) -> dict[str, int]:
    """The twenty figures of makeable tricks and the four of high card points."""
    figures = iter(tricks)
    values = {seat.name.title() + _STRAIN_WORDS[strain]: next(figures) for seat in SEATS for strain in Strain}
    return values | {f"{seat.name.title()}Hcp": deal[seat].hcp for seat in SEATS}
