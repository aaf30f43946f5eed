from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from overtrick.scoring.imps import Datum, butler, cross_imps, datum, imps
from overtrick.scoring.points import UNIT

# Law 78B as it is printed: from, to, IMPs.
LAW_78B = """
0-10 0 | 20-40 1 | 50-80 2 | 90-120 3 | 130-160 4 | 170-210 5 | 220-260 6 | 270-310 7 | 320-360 8 | 370-420 9
430-490 10 | 500-590 11 | 600-740 12 | 750-890 13 | 900-1090 14 | 1100-1290 15 | 1300-1490 16 | 1500-1740 17
1750-1990 18 | 2000-2240 19 | 2250-2490 20 | 2500-2990 21 | 3000-3490 22 | 3500-3990 23 | 4000-7600 24
"""
ROWS = [row.split() for line in LAW_78B.split("\n") for row in line.split("|") if row.strip()]

scores = st.lists(st.integers(-150, 150).map(lambda tens: 10 * tens), min_size=1, max_size=30)


@pytest.mark.parametrize(("span", "worth"), ROWS)
def test_the_table_of_the_law(span: str, worth: str) -> None:
    first, last = (int(end) for end in span.split("-"))
    for difference in range(first, last + 1, 10):
        assert imps(difference) == int(worth)
        assert imps(-difference) == -int(worth)


def test_a_published_butler_board() -> None:
    # A Danish club's explanation: scores 420, 230, 200, 420, 400 with a mean of 330 (334 to the nearest 10).
    counts = Counter([420, 230, 200, 420, 400])
    assert datum(counts) == 330
    assert {score: units // UNIT for score, units in butler(counts).items()} == {
        420: 3,
        400: 2,
        230: -3,
        200: -4,
    }


def test_a_published_board_of_imps_across_the_field() -> None:
    # The Danish federation's example: totals of all comparisons.
    counts = Counter([140, 420, -50, 170, 140])
    assert {score: units // UNIT for score, units in cross_imps(counts).items()} == {
        140: -3,
        420: 30,
        -50: -26,
        170: 2,
    }


def test_the_datum_leaves_out_whole_or_split_results() -> None:
    counts = Counter([600] * 4 + [620, 630, 2000, -300])  # eight results: a tenth is 0.8 of a result
    assert datum(counts, Datum.MEAN) == 670
    assert datum(counts, Datum.TRIMMED) == 610
    # 6 results in full, a fifth of each extreme: (3650 + 0.2 × 1700) / 6.4 = 623
    assert datum(counts, Datum.WEIGHTED) == 620
    # Half a result is cut at each end of five: 500 / 4 = 125, and a five goes away from zero.
    assert datum({0: 4, 1000: 1}, Datum.WEIGHTED) == 130
    assert datum({0: 4, -1000: 1}, Datum.WEIGHTED) == -130


def test_board_without_results_has_no_imps() -> None:
    assert datum({}) is None
    assert butler({}) == {}
    assert cross_imps({}) == {}
    assert cross_imps({420: 1}, average=True) == {420: 0}


@given(scores)
def test_cross_imps_are_antisymmetric_and_sum_to_nothing(results: list[int]) -> None:
    counts = Counter(results)
    mirrored = Counter([-score for score in results])
    table = cross_imps(counts)
    assert cross_imps(mirrored) == {-score: -units for score, units in reversed(table.items())}
    assert sum(table[score] for score in results) == 0


@given(scores, st.sampled_from(Datum))
def test_butler_is_antisymmetric(results: list[int], kind: Datum) -> None:
    table = butler(Counter(results), kind)
    mirrored = butler(Counter([-score for score in results]), kind)
    assert mirrored == {-score: -units for score, units in table.items()}


@given(scores, st.sampled_from(Datum))
def test_a_datum_lies_among_the_scores(results: list[int], kind: Datum) -> None:
    middle = datum(Counter(results), kind)
    assert middle is not None
    assert min(results) <= middle <= max(results)
