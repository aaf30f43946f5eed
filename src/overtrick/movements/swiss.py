"""Swiss pairing: the next round from the standing, for pairs and for teams.

Pure: works on numbers, scores and earlier meetings, independent of scoring.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from overtrick.movements.model import MovementError
from overtrick.movements.round_robins import Match

SCALE = 10**9
"""Costs are rounded to whole numbers of this part: with floats the matching would not be exact."""


NEAR = 40
"""Places between two who are paired, at most, unless those between have met too many: a large field is drawn sooner."""


def swiss_round(
    standing: Mapping[int, float],
    met: Iterable[tuple[int, int]] = (),
    sat_out: Iterable[int] = (),
    *,
    round_number: int,
    north_souths: Mapping[int, int] | None = None,
) -> tuple[list[Match], int]:
    """Return the matches of the next round, N-S first, and who waits (0 is nobody).

    `standing` is the score so far of everyone who plays on; equals rank in the order given. `met` are the
    matches already played and `sat_out` everyone who sat out, once for each time. `north_souths` is how often
    everyone has been N-S (a team: at home); whoever has been less is so now.

    An odd number leaves out the lowest of those who sat out least, so nobody sits out twice before everyone
    did once. The rest is paired so that the squares of the score differences sum up to the least; of pairings within
    `NEAR` places, where there are any. If there is no draw without a repeat, that is a MovementError.

    >>> swiss_round({1: 30, 2: 25, 3: 12, 4: 10, 5: 3}, [(1, 2)], round_number=2)
    ([(1, 3), (2, 4)], 5)
    """
    if len(standing) < 2:
        raise MovementError(f"A Swiss round needs at least 2 who play, not {len(standing)}.")
    scores = {number: float(score) for number, score in standing.items()}
    ranked = sorted(scores, key=lambda number: -scores[number])
    played = {frozenset(two) for two in met}
    for waiting in _candidates(ranked, Counter(sat_out)):
        field = [number for number in ranked if number != waiting]
        near = _cheapest_pairing(field, scores, played, NEAR)
        pairing = near if near or len(field) <= NEAR else _cheapest_pairing(field, scores, played, len(field))
        if pairing is not None:
            return [_seats(field[a], field[b], north_souths or {}) for a, b in pairing], waiting
    fair = " or an unfair sit-out" if len(ranked) % 2 else ""
    raise MovementError(
        f"Round {round_number} cannot be drawn without a repeat{fair}: the {len(ranked)} who play have met too many of "
        "each other. Let those meet again who met longest ago, or end here."
    )


def _candidates(ranked: Sequence[int], sat_out: Counter[int]) -> Iterable[int]:
    """Return who may sit out, likeliest first; nobody (0) with an even number."""
    if len(ranked) % 2 == 0:
        return (0,)
    least = min(sat_out[number] for number in ranked)
    return (number for number in reversed(ranked) if sat_out[number] == least)


def _cheapest_pairing(
    field: Sequence[int], scores: Mapping[int, float], played: set[frozenset[int]], apart: int
) -> list[tuple[int, int]] | None:
    """Return the places of a ranked field in pairs that have not met and are at most so many places apart, or None."""
    from networkx import Graph, max_weight_matching  # here: it takes a quarter of a second to load

    size = len(field)
    spread = max(scores[field[0]] - scores[field[-1]], 1.0)
    free = Graph()
    for a in range(size):
        for b in range(a + 1, min(size, a + 1 + apart)):
            if frozenset((field[a], field[b])) not in played:
                # Places decide between equal scores only: they weigh less than a difference that a scale shows.
                difference = (scores[field[a]] - scores[field[b]]) / spread
                cost = difference * difference + 1e-7 * ((a - b) / size) ** 2
                free.add_edge(a, b, weight=-round(SCALE * cost))
    pairing = max_weight_matching(free, maxcardinality=True)
    return sorted((min(two), max(two)) for two in pairing) if 2 * len(pairing) == size else None


def _seats(higher: int, lower: int, north_souths: Mapping[int, int]) -> Match:
    if north_souths.get(lower, 0) < north_souths.get(higher, 0):
        return lower, higher
    return higher, lower
