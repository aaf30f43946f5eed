"""Swiss pairing for pairs and teams: the matches of the next round from the standing.

Works on contestant numbers, scores and earlier matches; independent of scoring.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations

from overtrick.movements.model import MovementError
from overtrick.movements.round_robins import Match

SCALE = 10**9
"""Costs are multiplied by this and rounded to whole numbers, because the matching is exact only with integers."""

MAX_RANK_DIFFERENCE = 40
"""The greatest difference in rank between opponents, unless there is no such draw; limits the time for large fields."""


def swiss_round(
    standing: Mapping[int, float],
    met: Iterable[tuple[int, int]] = (),
    sat_out: Iterable[int] = (),
    *,
    round_number: int,
    north_souths: Mapping[int, int] | None = None,
) -> tuple[list[Match], int]:
    """Return the matches of the next round, N-S first, and the contestant that sits out (0 for none).

    `standing` has the score so far of everyone who plays on; equal scores rank in the order of the mapping. `met` are
    the matches already played, `sat_out` everyone who sat out, once for each time. `north_souths` counts how often each
    was N-S (a team: at home): of two opponents the one with fewer is N-S, the higher ranked if they are equal.

    With an odd number, the lowest ranked of those with the fewest sit-outs sits out, or the next of them if that leaves
    no draw; so nobody sits out twice before everyone has once. The others are paired so that the sum of squared score
    differences is smallest, within `MAX_RANK_DIFFERENCE` places if possible. Raise MovementError if there is no draw
    without a repeat.

    >>> swiss_round({1: 30, 2: 25, 3: 12, 4: 10, 5: 3}, [(1, 2)], round_number=2)
    ([(1, 3), (2, 4)], 5)
    """
    if len(standing) < 2:
        raise MovementError(f"A Swiss round needs at least 2 contestants, not {len(standing)}.")
    scores = {number: float(score) for number, score in standing.items()}
    ranked = sorted(scores, key=lambda number: -scores[number])
    played = {frozenset(match) for match in met}
    for waiting in _candidates(ranked, Counter(sat_out)):
        field = [number for number in ranked if number != waiting]
        near = _cheapest_pairing(field, scores, played, MAX_RANK_DIFFERENCE)
        pairing = (
            near
            if near or len(field) <= MAX_RANK_DIFFERENCE
            else _cheapest_pairing(field, scores, played, len(field))
        )
        if pairing is not None:
            return [_seats(field[a], field[b], north_souths or {}) for a, b in pairing], waiting
    unfair = " or an unfair sit-out" if len(ranked) % 2 else ""
    raise MovementError(
        f"Round {round_number} cannot be drawn without a repeat{unfair}: the {len(ranked)} contestants have met too "
        "many of each other. Allow rematches, or end here."
    )


def swiss_triangle(
    standing: Mapping[int, float],
    met: Iterable[tuple[int, int]] = (),
    in_triangles: Iterable[int] = (),
    *,
    round_number: int,
    north_souths: Mapping[int, int] | None = None,
) -> tuple[list[Match], tuple[int, int, int]]:
    """Return the matches of a round of an odd field, and three who play each other in half-matches, so nobody sits out.

    The three have not met. Triples with the fewest earlier triangles are tried first, then those ranked lowest;
    `in_triangles` has each contestant once for each earlier triangle. The rest is paired as in `swiss_round`. Raise
    MovementError if there is no draw.

    >>> swiss_triangle({1: 30, 2: 25, 3: 12, 4: 10, 5: 3}, [(1, 2), (3, 4)], round_number=2)
    ([(1, 3)], (5, 4, 2))
    """
    if len(standing) < 3 or len(standing) % 2 == 0:
        raise MovementError(f"A triangle needs an odd number of at least 3, not {len(standing)}.")
    scores = {number: float(score) for number, score in standing.items()}
    lowest_first = sorted(scores, key=lambda number: -scores[number])[::-1]
    played = {frozenset(two) for two in met}
    times = Counter(in_triangles)
    unmet_triples = (
        three
        for three in combinations(lowest_first, 3)
        if not any(frozenset(two) in played for two in combinations(three, 2))
    )
    # Sorting is stable: among triples with equally many triangles, the lowest ranked stay first.
    for three in sorted(unmet_triples, key=lambda three: sum(times[number] for number in three))[
        :MOST_TRIANGLES
    ]:
        rest = {number: score for number, score in standing.items() if number not in three}
        if not rest:
            return [], three
        try:
            matches, _ = swiss_round(
                rest,
                [(min(two), max(two)) for two in played],
                round_number=round_number,
                north_souths=north_souths,
            )
            return matches, three
        except MovementError:
            continue
    raise MovementError(
        f"Round {round_number} cannot be drawn with a triangle: the {len(standing)} who play have met too many of each "
        "other. Let somebody sit out."
    )


MOST_TRIANGLES = 100
"""The number of triangles that are tried before `swiss_triangle` gives up."""


def _candidates(ranked: Sequence[int], sat_out: Counter[int]) -> Iterable[int]:
    """Return the contestants who may sit out, in order of preference; only 0 (nobody) if their number is even."""
    if len(ranked) % 2 == 0:
        return (0,)
    least = min(sat_out[number] for number in ranked)
    return (number for number in reversed(ranked) if sat_out[number] == least)


def _cheapest_pairing(
    field: Sequence[int], scores: Mapping[int, float], played: set[frozenset[int]], max_distance: int
) -> list[tuple[int, int]] | None:
    """Return the pairing with the lowest cost, as index pairs of `field`, best ranked first; None if there is none.

    Opponents have not met and are at most `max_distance` places from each other.
    """
    from networkx import Graph, max_weight_matching  # here: it takes a quarter of a second to load

    size = len(field)
    spread = max(scores[field[0]] - scores[field[-1]], 1.0)
    graph = Graph()
    for a in range(size):
        for b in range(a + 1, min(size, a + 1 + max_distance)):
            if frozenset((field[a], field[b])) not in played:
                # Ranks decide only between equal scores: their weight is below that of any real difference of scores.
                difference = (scores[field[a]] - scores[field[b]]) / spread
                cost = difference * difference + 1e-7 * ((a - b) / size) ** 2
                graph.add_edge(a, b, weight=-round(SCALE * cost))
    pairing = max_weight_matching(graph, maxcardinality=True)
    return sorted((min(match), max(match)) for match in pairing) if 2 * len(pairing) == size else None


def _seats(higher: int, lower: int, north_souths: Mapping[int, int]) -> Match:
    if north_souths.get(lower, 0) < north_souths.get(higher, 0):
        return lower, higher
    return higher, lower
