"""Sampling of deals: the unknown cards dealt at random to the unknown hands, consistent with what was shown and bid."""

import random
from collections.abc import Iterator, Mapping

from overtrick.bridge import SEATS, Card, Hand, Play, Seat, Suit
from overtrick.bridge.deal import FULL_PACK
from overtrick.tablemanager.robots.meaning import Meaning


def samples(
    play: Play, meanings: Mapping[Seat, Meaning], chance: random.Random, tries: int = 60
) -> Iterator[dict[Seat, Hand]]:
    """Yield possible remaining hands without end; each is the best of `tries` deals.

    A deal that contradicts the bidding is used if nothing better turned up: players do not always have what they bid.
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
    known = {seat: hand - played for seat, hand in play.hands.items()}
    unknown = [seat for seat in SEATS if seat not in known]
    pool = FULL_PACK - played
    for hand in known.values():
        pool = pool - hand
    cards = list(pool)
    room = {seat: 13 - len(by_seat[seat]) for seat in unknown}
    while True:
        best: dict[Seat, Hand] | None = None
        least = 1 << 30
        for _ in range(tries):
            dealt = _deal(cards, room, voids, chance)
            if dealt is None:
                continue
            off = sum(meanings[seat].misfit(dealt[seat] | by_seat[seat]) for seat in unknown)
            if off < least:
                best, least = dealt, off
                if off == 0:
                    break
        if best is None:
            return
        yield {**known, **best}


def _deal(
    cards: list[Card], room: Mapping[Seat, int], voids: set[tuple[Seat, Suit]], chance: random.Random
) -> dict[Seat, Hand] | None:
    left = dict(room)
    hands: dict[Seat, list[Card]] = {seat: [] for seat in room}
    chance.shuffle(cards)
    # Suits that some cannot hold go first: their cards have the fewest places.
    blocked = {suit for _, suit in voids}
    for card in sorted(cards, key=lambda card: card.suit not in blocked):
        places = [seat for seat in left if left[seat] and (seat, card.suit) not in voids]
        if not places:
            return None
        seat = chance.choices(places, [left[place] for place in places])[0]
        hands[seat].append(card)
        left[seat] -= 1
    return {seat: Hand(held) for seat, held in hands.items()}
