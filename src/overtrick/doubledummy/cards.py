"""Double dummy values of single cards in the middle of a play, solved in the calling process.

For robots, which run in a process of their own. Other callers use `solver.SolverBatch`.
"""

from collections.abc import Mapping, Sequence

from overtrick.bridge import SEATS, Card, Hand, Rank, Seat, Strain
from overtrick.bridge.card import SUITS_FROM_SPADES
from overtrick.doubledummy.library import load_library, suit_bits


def card_tricks(
    remaining: Mapping[Seat, Hand], strain: Strain, leader: Seat, trick: Sequence[Card] = ()
) -> dict[Card, int]:
    """Return the number of remaining tricks that the side to play wins with each legal card.

    `remaining` has the cards that the four seats still hold; `trick` the cards of the current trick, from `leader` on.
    Equal cards, such as king and queen of one hand, are all in the result.

    >>> hands = {Seat.NORTH: "A2...", Seat.EAST: "K3...", Seat.SOUTH: "54...", Seat.WEST: "76..."}
    >>> remaining = {seat: Hand.parse(text) for seat, text in hands.items()}
    >>> {str(card): tricks for card, tricks in card_tricks(remaining, Strain.NOTRUMP, Seat.NORTH).items()}
    {'SA': 1, 'S2': 1}
    """
    library = load_library()
    position = library.deal()
    suit = strain.suit
    position.trump = 4 if suit is None else SUITS_FROM_SPADES.index(suit)
    position.first = leader.index
    for place, card in enumerate(trick):
        position.currentTrickSuit[place] = SUITS_FROM_SPADES.index(card.suit)
        position.currentTrickRank[place] = card.rank
    for seat in SEATS:
        position.remainCards[seat.index][:] = suit_bits(remaining[seat])
    future = library.futureTricks()
    # Target -1: most tricks. Solutions 3: all cards. Mode 1: do not reuse the previous position.
    library.SolveBoard(position, -1, 3, 1, future, 0)
    tricks: dict[Card, int] = {}
    for place in range(future.cards):
        suit = SUITS_FROM_SPADES[future.suit[place]]
        ranks = 1 << future.rank[place] | future.equals[place]
        for rank in reversed(Rank):
            if ranks >> rank & 1:
                tricks[Card.of(suit, rank)] = max(0, future.score[place])
    return tricks
