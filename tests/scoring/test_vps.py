"""The published scales. Nothing here was made with the formula under test.

- Discrete: the English Bridge Union's table of the WBF's discrete scale, as another scoring program carries it
  in its tests; the first margin of each step. 8, 16, 20 and 32 boards are among them.
- Continuous, whole scale: 4 boards, as another program carries it from the WBF's document. Since the formula
  sees only I / √N, a margin of 2I in 16 boards is the same point of the curve as I in 4 boards: every second
  row of 16 boards.
- Continuous, single rows: those that articles and notices quote (see each row): 14, 16 and 20 boards. Of 8
  boards no row was found in print, and of 32 only where the maximum is reached.
- Older 25-0 scale: the printed table for 8 to 32 boards, as another program carries it; some of its rows are
  quoted independently.
"""

from itertools import pairwise

import pytest

from overtrick.errors import BadInput
from overtrick.scoring.points import UNIT
from overtrick.scoring.vps import Scale, continuous_scale, discrete_scale, victory_points

DISCRETE = {
    5: (0, 1, 3, 5, 7, 10, 13, 16, 20, 25, 31),
    6: (0, 1, 3, 5, 8, 11, 14, 18, 22, 27, 33),
    7: (0, 1, 3, 6, 9, 12, 15, 19, 24, 29, 36),
    8: (0, 1, 4, 7, 10, 13, 17, 21, 26, 31, 39),
    9: (0, 1, 4, 7, 10, 13, 17, 22, 27, 33, 41),
    10: (0, 1, 4, 7, 10, 14, 18, 23, 28, 35, 43),
    11: (0, 2, 5, 8, 11, 15, 19, 24, 30, 37, 45),
    12: (0, 2, 5, 8, 12, 16, 20, 25, 31, 38, 47),
    13: (0, 2, 5, 8, 12, 16, 21, 26, 32, 40, 49),
    14: (0, 2, 5, 9, 13, 17, 22, 27, 34, 41, 51),
    15: (0, 2, 5, 9, 13, 17, 22, 28, 35, 43, 53),
    16: (0, 2, 5, 9, 13, 18, 23, 29, 36, 44, 54),
    20: (0, 2, 6, 10, 15, 20, 26, 32, 40, 49, 61),
    24: (0, 2, 6, 11, 16, 22, 28, 35, 44, 54, 66),
    28: (0, 2, 7, 12, 18, 24, 30, 38, 47, 58, 72),
    32: (0, 3, 8, 13, 19, 25, 33, 41, 51, 62, 77),
    40: (0, 3, 8, 14, 21, 28, 36, 46, 56, 69, 86),
    48: (0, 3, 9, 16, 23, 31, 40, 50, 62, 76, 94),
    56: (0, 3, 10, 17, 25, 33, 43, 54, 67, 82, 101),
    64: (0, 4, 11, 18, 26, 36, 46, 58, 71, 88, 108),
}

FOUR_BOARDS = """
10.00 10.61 11.20 11.76 12.29 12.80 13.28 13.74 14.18 14.60 15.00 15.38 15.74 16.09 16.42 16.73 17.03 17.31
17.59 17.84 18.09 18.33 18.55 18.76 18.97 19.16 19.34 19.52 19.69 19.85 20.00
"""

EIGHT_BOARDS = """
10.00 10.44 10.86 11.27 11.67 12.05 12.42 12.77 13.12 13.45 13.78 14.09 14.39 14.68 14.96 15.23 15.50 15.75 16.00
16.23 16.46 16.68 16.90 17.11 17.31 17.50 17.69 17.87 18.04 18.21 18.37 18.53 18.68 18.83 18.97 19.11 19.24 19.37
19.50 19.62 19.74 19.85 19.95 20.00
"""

QUOTED = [  # boards, margin, winner's VPs
    # Ron Klinger in the IBPA bulletin of May 2013, on the 14-board scale of the NEC Cup
    (14, 2, "10.66"),
    (14, 7, "12.16"),
    (14, 10, "12.97"),
    (14, 20, "15.26"),
    # Rows of the English Bridge Union's table for 12 boards
    (12, 1, "10.36"),
    (12, 2, "10.71"),
    (12, 25, "16.55"),
    # A Dutch club's notice of the scale for 20 boards
    (20, 0, "10.00"),
    (20, 1, "10.28"),
    (20, 2, "10.55"),
    # A scoring program's own test, 50-20 in 16 boards
    (16, 30, "16.73"),
]

OLD = {  # last margin of 15-15, 16-14, … 25-5, 25-4, … 25-1
    8: (1, 5, 8, 11, 14, 17, 20, 23, 26, 29, 33, 37, 41, 45, 50),
    16: (2, 7, 11, 15, 19, 23, 27, 31, 36, 41, 46, 52, 58, 64, 71),
    20: (2, 8, 12, 16, 21, 26, 31, 36, 41, 47, 53, 59, 65, 72, 79),
    32: (3, 10, 16, 22, 28, 34, 40, 46, 52, 58, 65, 73, 82, 91, 100),
}


def points(scale: Scale, margin: int, boards: int) -> tuple[float, float]:
    split = victory_points(scale, margin, boards)
    return split.own / UNIT, split.theirs / UNIT


@pytest.mark.parametrize("boards", DISCRETE)
def test_published_discrete_scales(boards: int) -> None:
    starts = DISCRETE[boards]
    for margin in range(starts[-1] + 10):
        winner = 9 + sum(start <= margin for start in starts)
        assert points(Scale.DISCRETE, margin, boards) == (winner, 20 - winner)
        assert points(Scale.DISCRETE, -margin, boards) == (20 - winner, winner)


@pytest.mark.parametrize(("boards", "table"), [(4, FOUR_BOARDS), (8, EIGHT_BOARDS)])
def test_published_continuous_scales(boards: int, table: str) -> None:
    published = [round(100 * float(value)) for value in table.split()]
    assert list(continuous_scale(boards)) == published
    assert points(Scale.CONTINUOUS, 99, boards) == (20, 0)
    # The same points of the curve; the corrections of rounding may differ by a hundredth.
    for margin, value in enumerate(published[:-1]):
        assert abs(continuous_scale(4 * boards)[2 * margin] - value) <= 1


@pytest.mark.parametrize(("boards", "margin", "winner"), QUOTED)
def test_quoted_rows_of_the_continuous_scale(boards: int, margin: int, winner: str) -> None:
    assert points(Scale.CONTINUOUS, margin, boards) == pytest.approx((float(winner), 20 - float(winner)))


def test_what_each_imp_is_worth_in_the_nec_cup() -> None:
    steps = [after - before for before, after in pairwise(continuous_scale(14)[:8])]
    assert steps == [33, 33, 31, 31, 30, 29, 29]


@pytest.mark.parametrize(("boards", "blitz"), [(6, 37), (14, 57), (16, 60), (32, 85)])
def test_where_the_maximum_is_reached(boards: int, blitz: int) -> None:
    # 37 rows above the draw for 6 boards and 85 for 32, says the Slovak federation's notice.
    assert continuous_scale(boards)[blitz - 1] < 2000
    assert continuous_scale(boards)[blitz] == 2000


@pytest.mark.parametrize("boards", range(1, 130))
def test_no_imp_is_worth_more_than_the_one_before(boards: int) -> None:
    steps = [after - before for before, after in pairwise(continuous_scale(boards))]
    assert all(before >= after >= 0 for before, after in pairwise(steps))
    greatest = discrete_scale(boards)
    widths = [2 * greatest[0] + 1, *(after - before for before, after in pairwise(greatest))]
    assert all(before <= after for before, after in pairwise(widths))


@pytest.mark.parametrize("boards", OLD)
def test_the_older_scale(boards: int) -> None:
    lasts = OLD[boards]
    for margin in range(lasts[-1] + 10):
        step = sum(last < margin for last in lasts)
        assert points(Scale.OLD, margin, boards) == (min(25, 15 + step), 15 - step)


def test_rows_of_the_older_scale_quoted_elsewhere() -> None:
    assert points(Scale.OLD, 21, 32) == (18, 12)
    assert points(Scale.OLD, 21, 16) == (20, 10)
    assert points(Scale.OLD, 2, 16) == (15, 15)
    assert points(Scale.OLD, 7, 16) == (16, 14)
    assert points(Scale.OLD, -200, 16) == (0, 25)
    assert points(Scale.OLD, 7, 14) == points(Scale.OLD, 7, 12)


def test_match_of_0_boards_is_refused() -> None:
    for scale in Scale:
        with pytest.raises(BadInput, match="0 boards"):
            victory_points(scale, 3, 0)
