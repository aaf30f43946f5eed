from collections import Counter
from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from overtrick.scoring.matchpoints import Unequal, board_top, matchpoints
from overtrick.scoring.points import UNIT, rounded

boards = st.lists(st.integers(-20, 20).map(lambda tens: 10 * tens), min_size=1, max_size=40)


def by_comparing(results: list[int]) -> dict[int, int]:
    """Two for each result beaten and one for each equalled, one by one."""
    table = {}
    for mine in results:
        beaten = sum(2 if mine > other else mine == other for other in results) - 1
        table[mine] = beaten * UNIT
    return table


def test_a_published_board() -> None:
    # A Belgian club's explanation of its eight results, top 14, from North-South's side.
    results = [130, -300, 130, -110, 130, -110, -110, 210]
    assert {score: units // UNIT for score, units in matchpoints(Counter(results)).items()} == {
        210: 14,
        130: 10,
        -110: 4,
        -300: 0,
    }


def test_neubergs_formula() -> None:
    # (M + 1) × E / A - 1 with A = 5 and E = 6: a top of 8 becomes 9.8, a bottom 0.2, an average stays one.
    table = matchpoints(Counter([10, 20, 30, 40, 50]), expected=6)
    assert table == {10: 2_000, 20: 26_000, 30: 50_000, 40: 74_000, 50: 98_000}


def test_factoring_keeps_the_top() -> None:
    table = matchpoints(Counter([10, 20, 30, 40, 50]), expected=6, unequal=Unequal.FACTOR)
    assert table == {10: 0, 20: 25_000, 30: 50_000, 40: 75_000, 50: 100_000}


def test_a_single_result_is_an_average() -> None:
    assert matchpoints({420: 1}) == {420: 0}
    assert matchpoints({420: 1}, expected=7) == {420: 60_000}
    assert matchpoints({420: 1}, expected=7, unequal=Unequal.FACTOR) == {420: 60_000}
    assert matchpoints({}, expected=7) == {}


def test_nothing_is_rounded() -> None:
    # A = 3, E = 4: 1 × 4 / 3 - 1 = 1/3 and 5 × 4 / 3 - 1 = 17/3.
    table = matchpoints({-50: 1, 0: 1, 50: 1}, expected=4)
    assert table == {-50: Fraction(10_000, 3), 0: 30_000, 50: Fraction(170_000, 3)}
    # Rounding to whole units is away from average, so that the two sides have a top between them.
    assert [rounded(units, 30_000) for units in table.values()] == [3_333, 30_000, 56_667]


@given(boards)
def test_counted_matchpoints_equal_compared_ones(results: list[int]) -> None:
    assert matchpoints(Counter(results)) == dict(sorted(by_comparing(results).items()))


@given(boards, st.integers(0, 60), st.sampled_from(Unequal))
def test_a_board_sums_to_the_constant(results: list[int], more: int, unequal: Unequal) -> None:
    expected = len(results) + more
    top = board_top(len(results) if unequal is Unequal.OWN_TOP else expected)
    table = matchpoints(Counter(results), expected, unequal)
    mirrored = matchpoints(Counter([-score for score in results]), expected, unequal)
    for score, units in table.items():
        assert units >= 0
        assert units <= top
        assert units + mirrored[-score] == top
    # North-South alone: an average each.
    assert sum(2 * table[score] - top for score in results) == 0


@given(boards)
def test_equal_counts_change_nothing(results: list[int]) -> None:
    plain = matchpoints(Counter(results))
    assert matchpoints(Counter(results), len(results), Unequal.NEUBERG) == plain
    assert matchpoints(Counter(results), len(results), Unequal.FACTOR) == plain
