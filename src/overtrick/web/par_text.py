"""The text of a hand record's double-dummy analysis: each side's makeable contracts, and par."""

from dataclasses import dataclass
from functools import lru_cache

from overtrick.bridge import Played, Side, Strain, Tricks, dealer, vulnerability
from overtrick.web.view_models import contract_words


@dataclass(frozen=True, slots=True)
class MakeableContracts:
    """The highest makeable contract of each side in each strain, notrump first, and the par of the board."""

    ns: str
    ew: str
    par: str


@lru_cache(4_096)
def makeable(tricks: Tricks, board: int) -> MakeableContracts:
    """Return each side's makeable contracts and par for a board.

    >>> makeable(Tricks.parse("65562655627777b7777b"), 1)
    MakeableContracts(ns='nothing', ew='1NT 1♠ 1♥ 1♦ 5♣', par='EW 400: 5♣ E =, 5♣ W =')
    """
    from overtrick.doubledummy import par

    best = par(tricks, dealer(board), vulnerability(board))
    contracts = ", ".join(contract_words(outcome) for outcome in best.outcomes if isinstance(outcome, Played))
    return MakeableContracts(
        _side(tricks, Side.NS), _side(tricks, Side.EW), f"{best}: {contracts}" if contracts else "Passed out"
    )


def _side(tricks: Tricks, side: Side) -> str:
    contracts = []
    for strain in reversed(Strain):
        level = max(tricks[seat, strain] for seat in side.seats) - 6
        if level > 0:
            contracts.append(f"{level}{strain.symbol}")
    return " ".join(contracts) or "nothing"
