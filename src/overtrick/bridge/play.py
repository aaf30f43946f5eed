"""The play of the cards by the laws: legal cards, winners of tricks, dummy. Pure: independent of scores.

Each hand may be known or unknown; the cards played so far limit what an unknown hand can hold.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from overtrick.bridge.card import Card, Strain, Suit
from overtrick.bridge.contract import Contract
from overtrick.bridge.deal import FULL_PACK, Deal, Hand
from overtrick.bridge.seat import SEATS, Seat, Side
from overtrick.errors import BadInput


class IllegalCard(BadInput):
    """A card that may not be played at that point."""

    code = "illegal-card"


@dataclass(frozen=True, slots=True)
class Trick:
    """One to four cards, clockwise from the leader's; raises BadInput for another number.

    >>> trick = Trick(Seat.WEST, (Card.H2, Card.HA, Card.C2, Card.H3))
    >>> trick.winner(Strain.NOTRUMP), trick.winner(Strain.CLUBS)
    (<Seat.NORTH: 'N'>, <Seat.EAST: 'E'>)
    """

    leader: Seat
    cards: tuple[Card, ...]

    def __post_init__(self) -> None:
        if not 1 <= len(self.cards) <= 4:
            raise BadInput(f"A trick of {len(self.cards)} cards is not a trick.")

    @property
    def is_complete(self) -> bool:
        """Return whether all four seats have played."""
        return len(self.cards) == 4

    @property
    def suit(self) -> Suit:
        """Return the suit that was led."""
        return self.cards[0].suit

    def player(self, card: Card) -> Seat:
        """Return the seat that played a card of this trick; raise ValueError if it is not in the trick."""
        return SEATS[(self.leader.index + self.cards.index(card)) % 4]

    def winner(self, strain: Strain) -> Seat:
        """Return the seat that wins the trick, or is winning it so far."""
        trump = strain.suit
        best = max(self.cards, key=lambda card: (card.suit is trump, card.suit is self.suit, card.rank))
        return self.player(best)


class Play:
    """The play of a contract so far, immutable; `add` returns a longer one. Raises IllegalCard for an illegal card.

    >>> play = Play(None, Contract.parse("3NTS"))
    >>> play.turn, play.dummy
    (<Seat.WEST: 'W'>, <Seat.NORTH: 'N'>)
    >>> for card in (Card.H2, Card.HA, Card.H9, Card.H3, Card.CK):
    ...     play = play.add(card)
    >>> play.tricks_won(Side.NS), play.turn
    (1, <Seat.EAST: 'E'>)
    """

    __slots__ = ("_held", "_next", "_seen", "_voids", "_won", "contract", "hands", "tricks")

    contract: Contract
    hands: Mapping[Seat, Hand]
    """The hands that are known, as they were dealt."""
    tricks: tuple[Trick, ...]
    """All tricks so far; the last one may be incomplete."""

    _held: dict[Seat, Hand]  # the cards left in the known hands
    _seen: Hand  # the cards that have been played
    _voids: frozenset[tuple[Seat, Suit]]  # who showed out of which suit
    _won: tuple[int, int]  # tricks of North-South and of East-West
    _next: Seat  # the seat whose card is next; after the last trick, its winner

    def __init__(
        self, hands: Deal | Mapping[Seat, Hand] | None, contract: Contract, cards: Iterable[Card] = ()
    ) -> None:
        dealt = {seat: hands[seat] for seat in SEATS} if isinstance(hands, Deal) else dict(hands or {})
        # Each card is checked by `add`; this object then becomes the last play of the chain.
        self._fill(contract, dealt, (), dealt, Hand(), frozenset(), (0, 0), contract.declarer.next)
        play = self
        for card in cards:
            play = play.add(card)
        if play is not self:
            for slot in Play.__slots__:
                object.__setattr__(self, slot, getattr(play, slot))

    def _fill(
        self,
        contract: Contract,
        hands: Mapping[Seat, Hand],
        tricks: tuple[Trick, ...],
        held: dict[Seat, Hand],
        seen: Hand,
        voids: frozenset[tuple[Seat, Suit]],
        won: tuple[int, int],
        next_seat: Seat,
    ) -> None:
        object.__setattr__(self, "contract", contract)
        object.__setattr__(self, "hands", hands)
        object.__setattr__(self, "tricks", tricks)
        object.__setattr__(self, "_held", held)
        object.__setattr__(self, "_seen", seen)
        object.__setattr__(self, "_voids", voids)
        object.__setattr__(self, "_won", won)
        object.__setattr__(self, "_next", next_seat)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError("a play is immutable; add returns a new one")

    def __reduce__(self) -> tuple[object, ...]:
        return Play, (dict(self.hands), self.contract, self.cards)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Play) and (self.contract, self.hands, self.tricks) == (
            other.contract,
            other.hands,
            other.tricks,
        )

    def __hash__(self) -> int:
        return hash((self.contract, self.tricks))

    def __repr__(self) -> str:
        return f"<Play of {self.contract}: {' '.join(map(str, self.cards)) or 'no card yet'}>"

    @property
    def cards(self) -> tuple[Card, ...]:
        """Return every card so far, in the order of play."""
        return tuple(card for trick in self.tricks for card in trick.cards)

    @property
    def dummy(self) -> Seat:
        """Return declarer's partner."""
        return self.contract.declarer.partner

    @property
    def leader(self) -> Seat:
        """Return the seat that makes the opening lead."""
        return self.contract.declarer.next

    @property
    def is_over(self) -> bool:
        """Return whether all thirteen tricks have been played."""
        return sum(self._won) == 13

    @property
    def turn(self) -> Seat | None:
        """Return the seat whose card is next (dummy's too, though declarer chooses it); None when the play is over."""
        return None if self.is_over else self._next

    @property
    def current(self) -> Trick | None:
        """Return the incomplete trick; None between tricks."""
        return self.tricks[-1] if self.tricks and not self.tricks[-1].is_complete else None

    def winners(self) -> tuple[Seat, ...]:
        """Return the winners of the complete tricks, in order."""
        return tuple(trick.winner(self.contract.strain) for trick in self.tricks if trick.is_complete)

    def tricks_won(self, side: Side) -> int:
        """Return the number of complete tricks that a side has won."""
        return self._won[side is Side.EW]

    def with_hand(self, seat: Seat, hand: Hand) -> "Play":
        """Return the same play with one more hand known, as dummy's is after the opening lead.

        `hand` has the cards as dealt. Raise IllegalCard if the cards played so far contradict it.

        >>> play = Play(None, Contract.parse("3NTS"), [Card.H2])
        >>> len(play.with_hand(Seat.NORTH, Hand.parse("AK32.QJ5.T98.A43")).legal_cards())
        3
        """
        return Play({**self.hands, seat: hand}, self.contract, self.cards)

    def legal_cards(self) -> Hand:
        """Return the cards that may be played now, none when the play is over.

        For an unknown hand they are those it may hold: not played, not in a known hand, not in a suit it showed out of.
        """
        if self.is_over:
            return Hand()
        seat = self._next
        held = self._held.get(seat)
        if held is None:
            held = FULL_PACK - self._seen
            for other in self._held.values():
                held = held - other
            return Hand(card for card in held if (seat, card.suit) not in self._voids)
        trick = self.current
        if trick is None or not held.has_suit(trick.suit):
            return held
        return Hand(card for card in held if card.suit is trick.suit)

    def fault(self, card: Card) -> str | None:
        """Return why a card may not be played now, as a clause ("West does not hold it"); None if it may."""
        if self.is_over:
            return "the play is over"
        if card in self._seen:
            return "it has been played already"
        if card in self.legal_cards():
            return None
        player = self._next.title
        trick = self.current
        if self._next not in self._held:
            holder = next((seat.title for seat, hand in self._held.items() if card in hand), None)
            return f"{holder} holds it" if holder else f"{player} has shown out of {card.suit.title}"
        if card not in self._held[self._next] or trick is None:
            return f"{player} does not hold it"
        return f"{player} can follow to the {trick.suit.title}"

    def add(self, card: Card) -> "Play":
        """Return the play with one more card; raise IllegalCard if it may not be played."""
        fault = self.fault(card)
        seat = self._next
        if fault is not None:
            number = sum(self._won) + 1
            raise IllegalCard(f"The {card.words} by {seat.title} in trick {number} is not legal: {fault}.")
        current = self.current
        if current is None:
            trick = Trick(seat, (card,))
            tricks = (*self.tricks, trick)
        else:
            trick = Trick(current.leader, (*current.cards, card))
            tricks = (*self.tricks[:-1], trick)
        voids = self._voids
        if card.suit is not trick.suit:
            voids = voids | {(seat, trick.suit)}
        won, next_seat = self._won, seat.next
        if trick.is_complete:
            next_seat = trick.winner(self.contract.strain)
            ns, ew = won
            won = (ns + 1, ew) if next_seat.side is Side.NS else (ns, ew + 1)
        held = self._held
        if seat in held:
            held = {**held, seat: held[seat].without(card)}
        longer = Play.__new__(Play)
        seen = self._seen | Hand((card,))
        longer._fill(self.contract, self.hands, tricks, held, seen, voids, won, next_seat)
        return longer
