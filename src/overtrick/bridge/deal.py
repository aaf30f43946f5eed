"""Hands and deals in the notation of PBN. Pure: independent of auctions and play."""

import random
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache

from overtrick.bridge.card import CARDS, SUITS_FROM_SPADES, Card, Rank, Suit
from overtrick.bridge.seat import SEATS, Seat
from overtrick.errors import BadInput


class BadDeal(BadInput):
    """Cards that are missing, in two hands, or not thirteen to a hand."""

    code = "bad-deal"


_CARDS_HIGH_TO_LOW = CARDS[::-1]
_SUIT_MASK = (1 << 13) - 1
_ALL_CARDS = (1 << 52) - 1


class Hand:
    """An immutable set of cards: thirteen at the start of a board, fewer later. `str` writes it as PBN does.

    >>> hand = Hand.parse("AK32.QJ5.T98.432")
    >>> hand.hcp, len(hand), Card.SA in hand, str(hand)
    (10, 13, True, 'AK32.QJ5.T98.432')
    """

    __slots__ = ("_mask",)

    _mask: int  # bit n stands for CARDS[n], so that each suit has thirteen neighbouring bits

    def __init__(self, cards: Iterable[Card] = ()) -> None:
        mask = 0
        for card in cards:
            bit = 1 << card.index
            if mask & bit:
                raise BadDeal(f"The {card.words} is in one hand twice.")
            mask |= bit
        object.__setattr__(self, "_mask", mask)

    @classmethod
    def parse(cls, text: str) -> "Hand":
        """Parse a hand: four suits, spades first, with a point between suits; 10 and T are both the ten.

        Raise BadDeal for other texts and for a card that occurs twice. The hand may have any number of cards.
        """
        suits = text.strip().upper().replace("10", "T").split(".")
        if len(suits) != 4:
            raise BadDeal(f"The hand {text!r} has {len(suits)} suits between points instead of four.")
        cards = []
        for suit, letters in zip(SUITS_FROM_SPADES, suits, strict=True):
            for letter in letters:
                place = "23456789TJQKA".find(letter)
                if place < 0:
                    raise BadDeal(f"{letter!r} in the {suit.title} of the hand {text!r} is not a rank.")
                cards.append(CARDS[13 * suit + place])
        return cls(cards)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError("a hand is immutable")

    def __reduce__(self) -> tuple[object, ...]:
        return Hand.parse, (str(self),)

    def __str__(self) -> str:
        mask = self._mask
        return ".".join(_letters(mask >> 13 * suit & _SUIT_MASK) for suit in (3, 2, 1, 0))

    def __repr__(self) -> str:
        return f"Hand.parse({str(self)!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Hand) and self._mask == other._mask

    def __hash__(self) -> int:
        return hash(self._mask)

    def __len__(self) -> int:
        return self._mask.bit_count()

    def __contains__(self, card: object) -> bool:
        return isinstance(card, Card) and bool(self._mask >> card.index & 1)

    def __iter__(self) -> Iterator[Card]:
        mask = self._mask
        return (card for card in _CARDS_HIGH_TO_LOW if mask >> card.index & 1)

    def __or__(self, other: "Hand") -> "Hand":
        return _hand(self._mask | other._mask)

    def __and__(self, other: "Hand") -> "Hand":
        return _hand(self._mask & other._mask)

    def __sub__(self, other: "Hand") -> "Hand":
        return _hand(self._mask & ~other._mask)

    def without(self, card: Card) -> "Hand":
        """Return this hand without a card; the same cards if it does not hold it."""
        return _hand(self._mask & ~(1 << card.index))

    def suit(self, suit: Suit) -> tuple[Rank, ...]:
        """Return the ranks held in a suit, high to low."""
        ranks = self._mask >> 13 * suit & _SUIT_MASK
        return tuple(Rank(place + 2) for place in range(12, -1, -1) if ranks >> place & 1)

    def has_suit(self, suit: Suit) -> bool:
        """Return whether the hand holds a card of that suit."""
        return bool(self._mask >> 13 * suit & _SUIT_MASK)

    @property
    def hcp(self) -> int:
        """Return the high card points: four for an ace, three for a king, two for a queen, one for a jack."""
        return sum(card.rank.hcp for card in self)

    @property
    def shape(self) -> tuple[int, int, int, int]:
        """Return the number of spades, hearts, diamonds and clubs."""
        spades, hearts, diamonds, clubs = (len(self.suit(suit)) for suit in SUITS_FROM_SPADES)
        return spades, hearts, diamonds, clubs


@lru_cache(maxsize=1 << 13)
def _letters(ranks: int) -> str:
    return "".join("23456789TJQKA"[place] for place in range(12, -1, -1) if ranks >> place & 1)


def _hand(mask: int) -> Hand:
    hand = Hand.__new__(Hand)
    object.__setattr__(hand, "_mask", mask)
    return hand


FULL_PACK = _hand(_ALL_CARDS)
"""All fifty-two cards."""


class Deal:
    """Fifty-two cards, thirteen in each hand; raises BadDeal for anything else. `str` writes it as PBN, North first.

    >>> deal = Deal.parse("E:86.KT2.K85.Q9742 KJT932.97.942.86 54.8653.AQJT73.3 AQ7.AQJ4.6.AKJT5")
    >>> str(deal)
    'N:AQ7.AQJ4.6.AKJT5 86.KT2.K85.Q9742 KJT932.97.942.86 54.8653.AQJT73.3'
    >>> deal[Seat.NORTH].hcp
    21
    """

    __slots__ = ("_hands",)

    _hands: tuple[Hand, Hand, Hand, Hand]

    def __init__(self, hands: Mapping[Seat, Hand]) -> None:
        absent = [seat.title for seat in SEATS if seat not in hands]
        if absent:
            raise BadDeal(f"The deal has no hand for {' and '.join(absent)}.")
        faults = _faults(hands)
        if faults:
            raise BadDeal(f"The deal is not valid: {'; '.join(faults)}.")
        object.__setattr__(self, "_hands", tuple(hands[seat] for seat in SEATS))

    @classmethod
    def parse(cls, text: str) -> "Deal":
        """Parse PBN text: the seat of the first hand, a colon, four hands clockwise. Raise BadInput (mostly
        BadDeal) for anything else.
        """
        return cls(parse_hands(text))

    @classmethod
    def dealt_by(cls, rng: random.Random) -> "Deal":
        """Return a random deal; every deal is equally likely if `rng` is fair.

        >>> Deal.dealt_by(random.Random(7)) == Deal.dealt_by(random.Random(7))
        True
        """
        pack = list(CARDS)
        rng.shuffle(pack)
        return cls({seat: Hand(pack[13 * seat.index : 13 * seat.index + 13]) for seat in SEATS})

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError("a deal is immutable")

    def __reduce__(self) -> tuple[object, ...]:
        return Deal.parse, (str(self),)

    def __str__(self) -> str:
        return self.written_from(Seat.NORTH)

    def __repr__(self) -> str:
        return f"Deal.parse({str(self)!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Deal) and self._hands == other._hands

    def __hash__(self) -> int:
        return hash(self._hands)

    def __getitem__(self, seat: Seat) -> Hand:
        return self._hands[seat.index]

    def holder(self, card: Card) -> Seat:
        """Return the seat that was dealt a card."""
        return next(seat for seat in SEATS if card in self._hands[seat.index])

    def written_from(self, first: Seat) -> str:
        """Return the PBN text that starts with the hand of `first`.

        >>> Deal.dealt_by(random.Random(7)).written_from(Seat.SOUTH)[:2]
        'S:'
        """
        return write_hands({seat: self[seat] for seat in SEATS}, first)


def parse_hands(text: str) -> dict[Seat, Hand]:
    """Parse the hands of a PBN deal, where a hyphen leaves one out; raise BadInput for other texts.

    The hands are not checked against each other.

    >>> parse_hands("N:- AK.QJ.T9.8 - -")
    {<Seat.EAST: 'E'>: Hand.parse('AK.QJ.T9.8')}
    """
    first, colon, rest = text.strip().partition(":")
    if not colon:
        raise BadDeal(f"The deal {text!r} does not say whose hand comes first (such as N:).")
    seat = Seat.parse(first)
    words = rest.split()
    if len(words) != 4:
        raise BadDeal(f"The deal {text!r} has {len(words)} hands instead of four.")
    hands = {}
    for word in words:
        if word != "-":
            try:
                hands[seat] = Hand.parse(word)
            except BadDeal as error:
                raise BadDeal(f"{seat.title}: {error.sentence}") from None
        seat = seat.next
    return hands


def write_hands(hands: Mapping[Seat, Hand], first: Seat = Seat.NORTH) -> str:
    """Return the PBN text of some hands, clockwise from `first`, with a hyphen for each that is missing.

    >>> write_hands({Seat.EAST: Hand.parse("AK.QJ.T9.8")})
    'N:- AK.QJ.T9.8 - -'
    """
    order = (first, first.next, first.partner, first.previous)
    return f"{first.value}:" + " ".join(str(hands[seat]) if seat in hands else "-" for seat in order)


def complete(hands: Mapping[Seat, Hand]) -> Deal:
    """Return the deal of four hands, or of three and the cards that are left; raise BadDeal if that is not a deal.

    >>> deal = Deal.dealt_by(random.Random(7))
    >>> complete({seat: deal[seat] for seat in (Seat.NORTH, Seat.EAST, Seat.WEST)}) == deal
    True
    """
    absent = [seat for seat in SEATS if seat not in hands]
    if len(absent) != 1:
        return Deal(hands)
    return Deal({**hands, absent[0]: FULL_PACK - _all_of(hands)})


def _all_of(hands: Mapping[Seat, Hand]) -> Hand:
    union = Hand()
    for hand in hands.values():
        union = union | hand
    return union


def _faults(hands: Mapping[Seat, Hand]) -> list[str]:
    faults: list[str] = []
    # Fast path: almost every deal is right.
    if all(len(hand) == 13 for hand in hands.values()) and _all_of(hands) == FULL_PACK:
        return faults
    for card in _CARDS_HIGH_TO_LOW:
        holders = [seat.title for seat in SEATS if card in hands[seat]]
        if not holders:
            faults.append(f"the {card.words} is missing")
        elif len(holders) > 1:
            faults.append(f"the {card.words} is with {' and '.join(holders)}")
    faults += [f"{seat.title} has {len(hands[seat])} cards" for seat in SEATS if len(hands[seat]) != 13]
    return faults
