"""The level of a result in the Data Connector: a contract's, and the numbers below it for a board without one."""

from overtrick.bridge import AWARDS, Award, Cancelled, NotPlayed, Outcome, PassedOut, Played

HIGHEST = 7
PASS = 0
NO_PLAY = -10
"""The levels between, -1 to -9, are the awards 40-40, 40-50, 40-60, 50-40 … 60-60, for the scoring side first."""


def outcome_without_contract(level: int) -> PassedOut | NotPlayed | Award:
    """Return the outcome of a level from `NO_PLAY` to `PASS`; an award is seen from the scoring direction.

    >>> [str(outcome_without_contract(level)) for level in (0, -1, -2, -9, -10)]
    ['Pass', '40-40', '40-50', '60-60', 'NP']
    """
    if level == PASS:
        return PassedOut()
    return NotPlayed() if level == NO_PLAY else AWARDS[-level - 1]


def level_of(outcome: Outcome) -> int | None:
    """Return the level of an outcome; None for a score that is not decided and for a ruling that has no number.

    >>> [level_of(Outcome.parse(text)) for text in ("4SxN+1", "Pass", "60-40", "NP", "Arbitral", "55-45")]
    [4, 0, -7, -10, None, None]
    """
    match outcome:
        case Played(contract, _):
            return contract.level
        case PassedOut():
            return PASS
        case NotPlayed() | Cancelled():
            return NO_PLAY
        case Award() if outcome in AWARDS:
            return -1 - AWARDS.index(outcome)
    return None
