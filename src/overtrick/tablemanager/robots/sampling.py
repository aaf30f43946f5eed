"""Sampling of deals: the unseen cards dealt at random to the unseen hands, consistent with the play and the auction."""

import random
from collections.abc import Iterator, Mapping

from overtrick.bridge import SEATS, Card, Hand, Play, Seat, Suit
from overtrick.bridge.deal import FULL_PACK
from overtrick.tablemanager.robots.meaning import Meaning


def samples(
    play: Play, meanings: Mapping[Seat, Meaning], rng: random.Random, tries: int = 60
) -> Iterator[dict[Seat, Hand]]:
    """Yield possible remaining hands, endlessly; each is the best of `tries` random deals.

    A deal that contradicts the auction is used if none of them fits: players do not always have what they bid. Stops if
    no deal is possible.
    """
    played = Hand(play.cards)
    by_seat = {seat: Hand() for seat in SEATS}
    voids: set[tuple[Seat, Suit]] = set()
    for trick in play.tricks:
        for card in trick.cards:
            seat = trick.player(card)
            by_seat[seat] = by_seat[seat] | Hand((card,))
            if card.suit is not trick.suit:
                voids.add((seat, trick.suit))
    visible = {seat: hand - played for seat, hand in play.hands.items()}
    unseen = [seat for seat in SEATS if seat not in visible]
    pool = FULL_PACK - played
    for hand in visible.values():
        pool = pool - hand
    cards = list(pool)
    sizes = {seat: 13 - len(by_seat[seat]) for seat in unseen}
    while True:
        best: dict[Seat, Hand] | None = None
        least_misfit = 1 << 30
        for _ in range(tries):
            dealt = _deal(cards, sizes, voids, rng)
            if dealt is None:
                continue
            misfit = sum(meanings[seat].misfit(dealt[seat] | by_seat[seat]) for seat in unseen)
            if misfit < least_misfit:
                best, least_misfit = dealt, misfit
                if misfit == 0:
                    break
        if best is None:
            return
        yield {**visible, **best}


def _deal(
    cards: list[Card], sizes: Mapping[Seat, int], voids: set[tuple[Seat, Suit]], rng: random.Random
) -> dict[Seat, Hand] | None:
    spaces = dict(sizes)
    hands: dict[Seat, list[Card]] = {seat: [] for seat in sizes}
    rng.shuffle(cards)
    # Deal the suits first in which a player is void: their cards have the fewest possible owners.
    blocked = {suit for _, suit in voids}
    for card in sorted(cards, key=lambda card: card.suit not in blocked):
        owners = [seat for seat in spaces if spaces[seat] and (seat, card.suit) not in voids]
        if not owners:
            return None
        seat = rng.choices(owners, [spaces[owner] for owner in owners])[0]
        hands[seat].append(card)
        spaces[seat] -= 1
    return {seat: Hand(cards) for seat, cards in hands.items()}
