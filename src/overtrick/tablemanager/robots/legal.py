"""A robot that makes random legal calls and plays random legal cards, from a seed."""

import random

from overtrick.bridge import PASS, Call, Card, Hand, Seat
from overtrick.tablemanager.player import PlayerView


class Legal:
    """A random legal player. The same seed gives the same choices on the same board, even after a restart.

    Half of its calls are passes, and its bids are among the lowest, so that auctions end.
    """

    def __init__(self, seed: int = 0) -> None:
        self.seed = seed

    def choose_call(self, view: PlayerView) -> Call:
        """Return a pass half of the time, otherwise one of the lowest legal calls."""
        rng = self._generator(view, len(view.course.auction))
        if rng.random() < 0.5:
            return PASS
        return rng.choice(view.course.auction.legal_calls()[:5])

    def choose_card(self, view: PlayerView) -> Card:
        """Return a random legal card."""
        play = view.course.play
        place = len(play.cards) if play is not None else 0
        return self._generator(view, 1000 + place).choice(list(view.left))

    def choose_answer(self, view: PlayerView, claimant: Seat, hand: Hand) -> bool:
        """Return False: this robot rejects every claim."""
        return False

    def _generator(self, view: PlayerView, place: int) -> random.Random:
        # A generator for each decision: a player that comes back in the middle of a board must decide the same again.
        return random.Random(f"{self.seed} {view.seat.value} {view.course.board} {view.hand} {place}")
