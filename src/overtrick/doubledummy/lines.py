"""Lines of play: the tricks that each card is worth double dummy, solved in the calling process.

For worker processes and tests; other callers use `solver.PlayBatch`. Only `solve_line` loads the solver.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from overtrick.bridge import SEATS, Card, Contract, Deal, Doubling, Hand, Play, Seat, Strain
from overtrick.doubledummy.cards import card_tricks

PlayFigures = tuple[Mapping[Card, int], ...]
"""For each position of a line, declarer's final tricks after each card that could be played.

From then on everyone plays perfectly. The first position is the opening lead; there is one more position than cards,
unless the play is over.
"""


@dataclass(frozen=True, slots=True)
class LineOfPlay:
    """A deal, a strain, a declarer, and the cards that were played so far; raises IllegalCard for an illegal card."""

    deal: Deal
    strain: Strain
    declarer: Seat
    cards: tuple[Card, ...] = ()

    def __post_init__(self) -> None:
        _ = self.play

    @property
    def play(self) -> Play:
        """Return the play of the cards."""
        return Play(self.deal, _any_contract(self.strain, self.declarer), self.cards)

    def __str__(self) -> str:
        return (
            f"{self.deal} {self.strain.value} {self.declarer.value} {' '.join(map(str, self.cards))}".strip()
        )


def _any_contract(strain: Strain, declarer: Seat) -> Contract:
    """Return a contract in this strain: the level does not matter for the play."""
    return Contract(1, strain, Doubling.UNDOUBLED, declarer)


def solve_line(line: LineOfPlay) -> list[dict[Card, int]]:
    """Return the figures of each position of a line of play."""
    play = Play(line.deal, _any_contract(line.strain, line.declarer))
    held = {seat: line.deal[seat] for seat in SEATS}
    figures: list[dict[Card, int]] = []
    for card in (*line.cards, None):
        turn = play.turn
        if turn is None:
            break
        figures.append(_declarer_tricks(play, held, line.strain))
        if card is not None:
            held[turn] = held[turn].without(card)
            play = play.add(card)
    return figures


def _declarer_tricks(play: Play, held: Mapping[Seat, Hand], strain: Strain) -> dict[Card, int]:
    """Return declarer's final tricks after each card that could be played now."""
    turn, trick, declarer = play.turn, play.current, play.contract.declarer.side
    assert turn is not None
    cards = trick.cards if trick else ()
    own_tricks = card_tricks(held, strain, trick.leader if trick else turn, cards)
    won = play.tricks_won(declarer)
    if turn.side is declarer:
        return {card: won + tricks for card, tricks in own_tricks.items()}
    tricks_left = 13 - sum(map(play.tricks_won, (declarer, declarer.opponents)))
    return {card: won + tricks_left - tricks for card, tricks in own_tricks.items()}
