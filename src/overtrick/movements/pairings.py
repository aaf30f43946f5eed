"""Pairing a ranked field so that nobody meets anyone twice: a matching in a graph, near neighbours first.

Knows places in a ranking only (0 is first), not who is there and not why two of them may not meet.
"""

from collections.abc import Callable, Sequence
from typing import TypeAlias

Pairing = list[tuple[int, int]]
Cost = Callable[[int, int], float]

_Chain: TypeAlias = "tuple[_Chain, int, int] | None"
"""The two that were paired last, behind those before them: a beginning is made longer without copying it."""

WINDOW = 16
"""How many places below oneself the cheapest pairing is sought."""
BEAM = 400
"""How many beginnings of a pairing are carried on."""


def cheapest_pairing(free: Sequence[set[int]], cost: Cost) -> Pairing | None:
    """A pairing of everyone with someone in their `free` set, or None if there is none.

    None is certain: a maximum matching decides it. In a field of up to 10 the pairing has the least sum of
    costs; in a larger one only the likeliest beginnings are followed.
    """
    certain = any_pairing(free)
    if certain is None:
        return None
    candidates = [_improved(certain, free, cost)]
    from_the_top = _from_the_top(free, cost)
    if from_the_top is not None:
        candidates.append(_improved(from_the_top, free, cost))
    best = min(candidates, key=lambda pairing: sum(cost(a, b) for a, b in pairing))
    return sorted((min(two), max(two)) for two in best)


def _from_the_top(free: Sequence[set[int]], cost: Cost) -> Pairing | None:
    """Pair the first who is not paired yet, keeping the cheapest beginnings.

    A beginning is the first unpaired place and, as bits, which of those after it are taken.
    """
    size = len(free)
    options = [
        [
            (other, 1 << (other - first - 1), cost(first, other))
            for other in range(first + 1, min(size, first + 1 + WINDOW))
            if other in free[first]
        ]
        for first in range(size)
    ]
    beginnings: dict[tuple[int, int], tuple[float, _Chain]] = {(0, 0): (0.0, None)}
    for _ in range(size // 2):
        longer: dict[tuple[int, int], tuple[float, _Chain]] = {}
        for (first, taken), (so_far, chain) in beginnings.items():
            for other, bit, price in options[first]:
                if taken & bit:
                    continue
                total = so_far + price
                after, place = taken | bit, first + 1
                while after & 1:
                    after, place = after >> 1, place + 1
                state = place, after >> 1
                known = longer.get(state)
                if known is None or total < known[0]:
                    longer[state] = total, (chain, first, other)
        beginnings = dict(sorted(longer.items(), key=lambda item: item[1][0])[:BEAM])
    if not beginnings:
        return None
    _, chain = next(iter(beginnings.values()))  # everyone is paired, so there is one state left
    pairing: Pairing = []
    while chain is not None:
        chain, first, other = chain
        pairing.append((first, other))
    return pairing[::-1]


def _improved(pairing: Pairing, free: Sequence[set[int]], cost: Cost) -> Pairing:
    """Change opponents between two matches as long as that makes them cheaper."""
    pairing = list(pairing)
    better = True
    while better:
        better = False
        for i in range(len(pairing)):
            for j in range(i + 1, len(pairing)):
                (a, b), (c, d) = pairing[i], pairing[j]
                now = cost(a, b) + cost(c, d)
                for one, other in (((a, c), (b, d)), ((a, d), (b, c))):
                    if one[1] not in free[one[0]] or other[1] not in free[other[0]]:
                        continue
                    # Floats: an improvement must be one, or the loop might not end.
                    if cost(*one) + cost(*other) < now - 1e-9:
                        pairing[i], pairing[j] = one, other
                        better = True
                        break
    return pairing


def any_pairing(free: Sequence[set[int]]) -> Pairing | None:
    """Some pairing of everyone, or None if there is none: Edmonds' maximum matching.

    >>> any_pairing([{1, 2}, {0}, {0, 3}, {2}])
    [(0, 1), (2, 3)]
    >>> any_pairing([{1, 2, 3}, {0}, {0}, {0}]) is None
    True
    """
    size = len(free)
    mate = [-1] * size
    for place in range(size):
        if mate[place] < 0:
            other = min((o for o in free[place] if mate[o] < 0), key=lambda o: abs(o - place), default=-1)
            if other >= 0:
                mate[place], mate[other] = other, place
    for place in range(size):
        if mate[place] < 0 and not _augment(free, mate, place):
            return None
    return [(place, other) for place, other in enumerate(mate) if place < other]


def _augment(free: Sequence[set[int]], mate: list[int], root: int) -> bool:
    """Find an alternating path from an unpaired place to another and turn it over."""
    tree = _AlternatingTree(mate, root)
    for place in tree.reached:
        for other in sorted(free[place]):
            if tree.base[place] == tree.base[other] or mate[place] == other:
                continue
            if other == root or (mate[other] >= 0 and tree.before[mate[other]] >= 0):
                tree.contract(place, other)
            elif tree.before[other] < 0:
                tree.before[other] = place
                if mate[other] < 0:
                    tree.turn_over(other)
                    return True
                tree.reached.append(mate[other])
    return False


class _AlternatingTree:
    """The places that an unpaired root reaches by a free edge, a pair, a free edge and so on."""

    def __init__(self, mate: list[int], root: int) -> None:
        self.mate = mate
        self.before = [-1] * len(mate)
        self.base = list(range(len(mate)))
        self.reached = [root]

    def contract(self, one: int, other: int) -> None:
        """Make one place of an odd ring: all of it can be reached."""
        top = self._common_base(one, other)
        ring = self._lead_back(one, top, other) | self._lead_back(other, top, one)
        known = set(self.reached)
        for place, base in enumerate(self.base):
            if base in ring:
                self.base[place] = top
                if place not in known:
                    self.reached.append(place)

    def turn_over(self, end: int) -> None:
        """Pair along the path from the root to an unpaired place."""
        while end >= 0:
            place = self.before[end]
            following = self.mate[place]
            self.mate[end], self.mate[place] = place, end
            end = following

    def _common_base(self, one: int, other: int) -> int:
        base, before, mate = self.base, self.before, self.mate
        passed = set()
        while True:
            one = base[one]
            passed.add(one)
            if mate[one] < 0:
                break
            one = before[mate[one]]
        while base[other] not in passed:
            other = before[mate[base[other]]]
        return base[other]

    def _lead_back(self, place: int, top: int, child: int) -> set[int]:
        """Point one side of a ring at its other side, and return the bases on it."""
        passed = set()
        while self.base[place] != top:
            passed |= {self.base[place], self.base[self.mate[place]]}
            self.before[place] = child
            child = self.mate[place]
            place = self.before[self.mate[place]]
        return passed
