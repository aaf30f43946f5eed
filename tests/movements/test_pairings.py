"""Pairings are compared with every pairing there is, in fields small enough to list them."""

import random
from collections.abc import Iterator, Sequence

from hypothesis import given, settings
from hypothesis import strategies as st

from overtrick.movements.pairings import Pairing, any_pairing, cheapest_pairing


def all_pairings(free: Sequence[set[int]], left: tuple[int, ...]) -> Iterator[Pairing]:
    if not left:
        yield []
        return
    first, *others = left
    for other in others:
        if other in free[first]:
            rest = tuple(place for place in others if place != other)
            for pairing in all_pairings(free, rest):
                yield [(first, other), *pairing]


def field(size: int, density: float, seed: int) -> list[set[int]]:
    chance = random.Random(seed)
    free: list[set[int]] = [set() for _ in range(size)]
    for a in range(size):
        for b in range(a + 1, size):
            if chance.random() < density:
                free[a].add(b)
                free[b].add(a)
    return free


def is_pairing(pairing: Pairing, free: Sequence[set[int]]) -> bool:
    paired = sorted(place for two in pairing for place in two)
    return paired == list(range(len(free))) and all(b in free[a] for a, b in pairing)


@settings(max_examples=300)
@given(size=st.sampled_from([2, 4, 6, 8, 10]), density=st.floats(0.1, 1), seed=st.integers(0, 10**6))
def test_the_cheapest_of_all(size: int, density: float, seed: int) -> None:
    free = field(size, density, seed)
    chance = random.Random(seed)
    scores = sorted((chance.randint(0, 60) for _ in range(size)), reverse=True)

    def cost(a: int, b: int) -> float:
        return (scores[a] - scores[b]) ** 2

    every = list(all_pairings(free, tuple(range(size))))
    pairing = cheapest_pairing(free, cost)
    if not every:
        assert pairing is None
        assert any_pairing(free) is None
    else:
        assert pairing is not None
        assert is_pairing(pairing, free)
        assert sum(cost(a, b) for a, b in pairing) == min(sum(cost(a, b) for a, b in each) for each in every)


@settings(max_examples=60)
@given(size=st.sampled_from([20, 40, 60]), density=st.floats(0.02, 0.15), seed=st.integers(0, 10**6))
def test_a_hidden_pairing_is_found(size: int, density: float, seed: int) -> None:
    free = field(size, density, seed)
    places = list(range(size))
    random.Random(seed + 1).shuffle(places)
    for a, b in zip(places[::2], places[1::2], strict=True):
        free[a].add(b)
        free[b].add(a)
    certain = any_pairing(free)
    assert certain is not None
    assert is_pairing(certain, free)
    pairing = cheapest_pairing(free, lambda a, b: abs(a - b))
    assert pairing is not None
    assert is_pairing(pairing, free)


def test_rings_of_odd_length_are_no_obstacle() -> None:
    # Two triangles joined by an edge: only the joining edge leaves both with a pair.
    free = [{1, 2}, {0, 2}, {0, 1, 3}, {2, 4, 5}, {3, 5}, {3, 4}]
    assert any_pairing(free) == [(0, 1), (2, 3), (4, 5)]
    # Two triangles that are not joined have no pairing.
    assert any_pairing([{1, 2}, {0, 2}, {0, 1}, {4, 5}, {3, 5}, {3, 4}]) is None
