"""Suits, strains, ranks and the fifty-two cards. Pure: independent of hands."""

from enum import Enum, IntEnum
from functools import lru_cache

from overtrick.errors import BadInput


class Suit(IntEnum):
    """The four suits, in their order of rank.

    >>> str(Suit.SPADES), Suit.SPADES.symbol
    ('S', '♠')
    """

    CLUBS = 0
    DIAMONDS = 1
    HEARTS = 2
    SPADES = 3

    def __str__(self) -> str:
        return self.letter

    def __format__(self, spec: str) -> str:
        return format(self.letter, spec)  # otherwise an IntEnum formats its number

    @property
    def letter(self) -> str:
        """Return C, D, H or S."""
        return "CDHS"[self]

    @property
    def symbol(self) -> str:
        """Return ♣, ♦, ♥ or ♠."""
        return "♣♦♥♠"[self]

    @property
    def title(self) -> str:
        """Return the name in words: spades."""
        return self.name.lower()


SUITS_FROM_SPADES = (Suit.SPADES, Suit.HEARTS, Suit.DIAMONDS, Suit.CLUBS)
"""The order in which hands are written."""


class Strain(IntEnum):
    """The five strains a bid can name, in their order of rank; the first four are the suits.

    >>> str(Strain.NOTRUMP), Strain.HEARTS.suit
    ('NT', <Suit.HEARTS: 2>)
    """

    CLUBS = 0
    DIAMONDS = 1
    HEARTS = 2
    SPADES = 3
    NOTRUMP = 4

    def __str__(self) -> str:
        return self.letter

    def __format__(self, spec: str) -> str:
        return format(self.letter, spec)  # otherwise an IntEnum formats its number

    @property
    def letter(self) -> str:
        """Return C, D, H, S or NT."""
        return _STRAIN_LETTERS[self]

    @property
    def symbol(self) -> str:
        """Return ♣, ♦, ♥, ♠ or NT."""
        return _STRAIN_SYMBOLS[self]

    @property
    def suit(self) -> Suit | None:
        """Return the trump suit, or None at notrump."""
        return None if self is Strain.NOTRUMP else Suit(self)

    @classmethod
    def parse(cls, text: str) -> "Strain":
        """Parse a strain from its letter or symbol; N and NT are both notrump. Raise BadInput for anything else.

        >>> Strain.parse("n")
        <Strain.NOTRUMP: 4>
        """
        strain = _STRAIN_BY_SPELLING.get(text.strip().upper())
        if strain is None:
            raise BadInput(f"{text!r} is not a denomination: C, D, H, S or NT.")
        return strain


_STRAIN_LETTERS = ("C", "D", "H", "S", "NT")
_STRAIN_SYMBOLS = ("♣", "♦", "♥", "♠", "NT")
_STRAIN_BY_SPELLING = (
    {strain.letter: strain for strain in Strain}
    | {strain.symbol: strain for strain in Strain}
    | {"N": Strain.NOTRUMP}
)


class Rank(IntEnum):
    """The thirteen ranks. Files and wires write `letter`, texts for people `symbol`; they differ in the ten.

    >>> Rank.TEN.letter, Rank.TEN.symbol, Rank(14).letter
    ('T', '10', 'A')
    """

    TWO = 2
    THREE = 3
    FOUR = 4
    FIVE = 5
    SIX = 6
    SEVEN = 7
    EIGHT = 8
    NINE = 9
    TEN = 10
    JACK = 11
    QUEEN = 12
    KING = 13
    ACE = 14

    @property
    def letter(self) -> str:
        """Return 2 to 9, T, J, Q, K or A."""
        return "23456789TJQKA"[self - 2]

    @property
    def symbol(self) -> str:
        """Return the rank as people write it: 2 to 10, J, Q, K or A."""
        return "10" if self is Rank.TEN else self.letter

    @property
    def title(self) -> str:
        """Return the name in words: queen."""
        return self.name.lower()

    @property
    def hcp(self) -> int:
        """Return the high card points: four for an ace down to one for a jack."""
        return max(0, self - 10)


class Card(Enum):
    """One of the fifty-two cards; its value and `str` are the suit's letter and the rank's, as in files.

    >>> Card("SA").suit, Card("SA").rank, Card("SA").words
    (<Suit.SPADES: 3>, <Rank.ACE: 14>, 'ace of spades')
    """

    SA = "SA"
    SK = "SK"
    SQ = "SQ"
    SJ = "SJ"
    ST = "ST"
    S9 = "S9"
    S8 = "S8"
    S7 = "S7"
    S6 = "S6"
    S5 = "S5"
    S4 = "S4"
    S3 = "S3"
    S2 = "S2"
    HA = "HA"
    HK = "HK"
    HQ = "HQ"
    HJ = "HJ"
    HT = "HT"
    H9 = "H9"
    H8 = "H8"
    H7 = "H7"
    H6 = "H6"
    H5 = "H5"
    H4 = "H4"
    H3 = "H3"
    H2 = "H2"
    DA = "DA"
    DK = "DK"
    DQ = "DQ"
    DJ = "DJ"
    DT = "DT"
    D9 = "D9"
    D8 = "D8"
    D7 = "D7"
    D6 = "D6"
    D5 = "D5"
    D4 = "D4"
    D3 = "D3"
    D2 = "D2"
    CA = "CA"
    CK = "CK"
    CQ = "CQ"
    CJ = "CJ"
    CT = "CT"
    C9 = "C9"
    C8 = "C8"
    C7 = "C7"
    C6 = "C6"
    C5 = "C5"
    C4 = "C4"
    C3 = "C3"
    C2 = "C2"

    suit: Suit
    rank: Rank
    index: int
    """0 for the two of clubs to 51 for the ace of spades."""

    def __init__(self, text: str) -> None:
        self.suit = Suit("CDHS".index(text[0]))
        self.rank = Rank("23456789TJQKA".index(text[1]) + 2)
        self.index = 13 * self.suit + self.rank - 2

    @classmethod
    def _missing_(cls, value: object) -> "Card":
        # Without this, Enum raises a ValueError that does not say how a card is written.
        raise BadInput(f"{value!r} is not a card: write SA for the ace of spades, or use Card.parse.")

    def __str__(self) -> str:
        return str(self.value)

    @property
    def symbol(self) -> str:
        """Return the card as people write it: ♠A, ♥10."""
        return f"{self.suit.symbol}{self.rank.symbol}"

    @property
    def words(self) -> str:
        """Return the card in words: ace of spades."""
        return f"{self.rank.title} of {self.suit.title}"

    @classmethod
    def of(cls, suit: Suit, rank: Rank) -> "Card":
        """Return the card of a suit and rank.

        >>> Card.of(Suit.HEARTS, Rank.TEN)
        <Card.HT: 'HT'>
        """
        return CARDS[13 * suit + rank - 2]

    @classmethod
    def parse(cls, text: str) -> "Card":
        """Parse a card in any usual spelling (SA, AS, S10, ♠A), in any case; raise BadInput for anything else.

        >>> Card.parse("s10"), Card.parse("♥Q"), Card.parse("as")
        (<Card.ST: 'ST'>, <Card.HQ: 'HQ'>, <Card.SA: 'SA'>)
        """
        return _parse_card(text)


CARDS: tuple[Card, ...] = tuple(sorted(Card, key=lambda card: card.index))
"""The pack, from the two of clubs to the ace of spades: `CARDS[card.index] is card`."""

_SYMBOLS_TO_LETTERS = str.maketrans("♣♦♥♠♧♢♡♤", "CDHSCDHS")


@lru_cache(maxsize=1024)
def _parse_card(text: str) -> Card:
    spelling = text.strip().upper().translate(_SYMBOLS_TO_LETTERS).replace("10", "T")
    for candidate in (spelling, spelling[::-1]):
        if candidate in Card._value2member_map_:
            return Card(candidate)
    raise BadInput(f"{text!r} is not a card. Write a suit (C, D, H, S) and a rank (2 to 10, J, Q, K, A).")
