"""Swiss rounds as a director handles them: evenings drawn to their end, swaps, and what speaks against a draw."""

from collections import Counter
from itertools import combinations
from random import Random

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from overtrick.movements import (
    Draw,
    DrawMethod,
    EarlierRounds,
    MovementError,
    draw_round,
    most_rounds,
    objections,
)


def laid(draw: Draw) -> tuple[tuple[int, int], ...]:
    """A draw as a round before the next."""
    return (*draw.matches, (draw.waiting, 0)) if draw.waiting else draw.matches


def without_repeat(numbers: set[int], met: set[frozenset[int]], may_wait: set[int]) -> bool:
    """Return whether any draw has no repeated match, by trying them one by one."""
    if len(numbers) % 2:
        return any(without_repeat(numbers - {one}, met, set()) for one in may_wait)
    if not numbers:
        return True
    first = min(numbers)
    return any(
        without_repeat(numbers - {first, other}, met, set())
        for other in numbers - {first}
        if frozenset((first, other)) not in met
    )


@settings(max_examples=60, deadline=None)
@given(
    size=st.integers(4, 9),
    seed=st.integers(0, 10**6),
    ways=st.lists(
        st.sampled_from((DrawMethod.STANDING, DrawMethod.NUMBERS, DrawMethod.LOT)), min_size=9, max_size=9
    ),
)
def test_no_pairs_meet_twice_while_another_draw_exists(size: int, seed: int, ways: list[DrawMethod]) -> None:
    chance = Random(seed)
    scores = dict.fromkeys(range(1, size + 1), 50.0)
    before = EarlierRounds()
    for way in ways[: most_rounds(size)]:
        met, sat_out = set(before.met), before.sat_out
        least = min(sat_out[number] for number in scores)
        may_wait = {number for number in scores if sat_out[number] == least}
        try:
            draw = draw_round(way, scores, before, lot=seed)
        except MovementError:
            assert not without_repeat(set(scores), met, may_wait)
            draw = draw_round(way, scores, before, lot=seed, repeats=True)
            assert objections(draw, before)
        else:
            assert objections(draw, before) == []
        draw.check(scores)
        assert sorted(draw.numbers) == sorted(scores)
        if size % 2:
            assert draw.waiting in may_wait
        before = EarlierRounds((*before.matches, laid(draw)))
        for number in scores:
            scores[number] = round(chance.uniform(30, 70), 2)
    assert max(before.sat_out.values(), default=0) <= 1


def test_pair_with_fewer_north_south_rounds_sits_north_south() -> None:
    before = EarlierRounds((((1, 2), (3, 4)),))
    assert str(draw_round(DrawMethod.STANDING, {1: 60, 4: 59, 3: 40, 2: 39}, before)) == "4-1 2-3"


def test_leaders_meet_at_the_first_table() -> None:
    standing = {7: 61.0, 2: 58.5, 5: 55.0, 1: 50.0, 3: 44.0, 6: 31.5}
    assert str(draw_round(DrawMethod.STANDING, standing, EarlierRounds())) == "7-2 5-1 3-6"


def test_equal_lots_draw_equal_rounds_and_different_lots_do_not() -> None:
    pairs = dict.fromkeys(range(1, 10), 0.0)
    assert str(draw_round(DrawMethod.LOT, pairs, EarlierRounds(), lot=4711)) == "4-7 2-9 1-5 6-8 3"
    assert len({str(draw_round(DrawMethod.LOT, pairs, EarlierRounds(), lot=lot)) for lot in range(20)}) == 20


@pytest.mark.parametrize(
    ("way", "pairs", "drawn"),
    [
        (DrawMethod.NUMBERS, 6, "1-2 3-4 5-6"),
        (DrawMethod.NUMBERS, 7, "1-2 3-4 5-6 7"),
        (DrawMethod.HALVES, 6, "1-4 2-5 3-6"),
    ],
)
def test_first_round_by_numbers_and_by_halves(way: DrawMethod, pairs: int, drawn: str) -> None:
    assert str(draw_round(way, dict.fromkeys(range(1, pairs + 1), 0.0), EarlierRounds())) == drawn


def test_with_repeats_allowed_the_oldest_match_is_repeated() -> None:
    rounds = EarlierRounds((((1, 2), (3, 4)), ((1, 3), (2, 4)), ((1, 4), (2, 3))))
    standing = {1: 60.0, 4: 59.0, 2: 40.0, 3: 39.0}
    with pytest.raises(MovementError, match="Round 4 cannot be drawn without a repeat"):
        draw_round(DrawMethod.STANDING, standing, rounds)
    again = draw_round(DrawMethod.STANDING, standing, rounds, repeats=True)
    assert {frozenset(match) for match in again.matches} == {frozenset((1, 2)), frozenset((3, 4))}


@given(size=st.integers(4, 20), pair=st.tuples(st.integers(1, 20), st.integers(1, 20)))
def test_swap_exchanges_two_pairs_and_is_its_own_inverse(size: int, pair: tuple[int, int]) -> None:
    one, other = pair
    assume(one != other)
    draw = draw_round(DrawMethod.HALVES, dict.fromkeys(range(1, size + 1), 0.0), EarlierRounds())
    if max(pair) > size:
        with pytest.raises(MovementError, match="is not in this round"):
            draw.swapped(one, other)
        return
    swapped = draw.swapped(one, other)
    swapped.check(range(1, size + 1))
    moved = [was for was, now in zip(draw.numbers, swapped.numbers, strict=True) if was != now]
    assert sorted(moved) == sorted(pair)
    assert swapped.swapped(one, other) == draw
    assert Draw.parse(str(swapped)) == swapped


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("1-2 3-4", "Pair 5 would not play"),
        ("1-2 3-4 5 6", "Only one pair can sit out, not 2"),
        ("1-2 3-1 4-5", "Pair 1 would play in two places"),
        ("1-2 3-4 5-6", "Pair 6 does not play in this round"),
        ("1-2 3-x 4-5", "'3-x' is neither"),
        ("1-2-3 4-5", "'1-2-3' is neither"),
        ("1-0 2-3 4-5", "'1-0' is neither"),
        ("", "Pair 1 would not play"),
    ],
)
def test_draw_with_missing_double_or_foreign_pairs_is_refused(text: str, sentence: str) -> None:
    with pytest.raises(MovementError, match=sentence):
        Draw.parse(text).check(range(1, 6))


def test_rematch_and_second_sit_out_are_objections() -> None:
    before = EarlierRounds((((1, 2), (3, 0)), ((3, 1), (2, 0))))
    assert before.sat_out == Counter({3: 1, 2: 1})
    assert objections(Draw.parse("1-2 3"), before) == [
        "Pairs 1 and 2 met in round 1.",
        "Pair 3 has sat out more often than others.",
    ]
    assert objections(Draw.parse("2-3 1"), before) == []


def test_field_of_127_is_drawn_for_six_rounds_without_objections() -> None:
    chance = Random(3)
    scores = dict.fromkeys(range(1, 128), 50.0)
    before = EarlierRounds()
    for _ in range(6):
        draw = draw_round(DrawMethod.STANDING, scores, before)
        draw.check(scores)
        assert objections(draw, before) == []
        before = EarlierRounds((*before.matches, laid(draw)))
        scores = {number: chance.gauss(50, 8) for number in scores}
    assert len(before.met) == 6 * 63 < len(list(combinations(scores, 2)))
