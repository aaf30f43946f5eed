"""The built-in robots, by name."""

from collections.abc import Callable
from typing import Protocol

from overtrick.bridge import Call, Card, Hand, Seat
from overtrick.errors import BadInput
from overtrick.tablemanager.player import PlayerView
from overtrick.tablemanager.robots.legal import Legal


class Robot(Protocol):
    """A robot: an object that chooses calls, cards, and answers to claims."""

    def choose_call(self, view: PlayerView) -> Call | tuple[Call, str]:
        """Return a call, with the text of its alert if it has one."""

    def choose_card(self, view: PlayerView) -> Card:
        """Return a card of the hand whose turn it is."""

    def choose_answer(self, view: PlayerView, claimant: Seat, hand: Hand) -> bool:
        """Return whether to accept the claim of a seat that shows its hand."""


def _natural(seed: int, budget: float) -> Robot:
    from overtrick.tablemanager.robots.natural import Natural

    return Natural(seed, budget)


ROBOTS: dict[str, Callable[[int, float], Robot]] = {
    "legal": lambda seed, budget: Legal(seed),
    "natural": _natural,
}
"""The factories of the robots; arguments are a seed, and the time budget for a card in seconds."""


def robot(name: str, seed: int = 0, budget: float = 1.0) -> Robot:
    """Return a new robot by its name; raise BadInput if there is none.

    >>> type(robot("legal", seed=7)).__name__
    'Legal'
    """
    if name not in ROBOTS:
        raise BadInput(f"There is no robot {name!r}. Choose {' or '.join(ROBOTS)}.")
    return ROBOTS[name](seed, budget)
