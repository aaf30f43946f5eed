"""The par of a board as printed text. Needs a table of tricks, not the solver."""

from functools import lru_cache

from overtrick.bridge import Played, Tricks, dealer, vulnerability
from overtrick.bridge.outcome import write_overtricks
from overtrick.doubledummy.par import par


@lru_cache(4_096)
def par_text(board: int, tricks: Tricks) -> tuple[str, str]:
    """Return the par score of a board and the contracts that reach it, as printed text.

    >>> par_text(1, Tricks.parse("65562655627777b7777b"))
    ('EW 400', '5♣ East =, 5♣ West =')
    """
    best = par(tricks, dealer(board), vulnerability(board))
    return str(best), ", ".join(
        _contract_text(outcome) for outcome in best.outcomes if isinstance(outcome, Played)
    )


def _contract_text(outcome: Played) -> str:
    contract = outcome.contract
    bid = f"{contract.level}{contract.strain.symbol}{contract.doubling.sign}"
    return f"{bid} {contract.declarer.title} {write_overtricks(outcome.overtricks)}"


def par_score(text: str) -> int | None:
    """Return the par score in points for North-South from its text, as in PBN; None if the text is empty or no score.

    >>> par_score("EW 400"), par_score("NS 0"), par_score("")
    (-400, 0, None)
    """
    side, _, points = text.partition(" ")
    if side not in ("NS", "EW") or not points.lstrip("-").isdecimal():
        return None
    return int(points) if side == "NS" else -int(points)
