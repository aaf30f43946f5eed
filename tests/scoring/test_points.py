from hypothesis import given
from hypothesis import strategies as st

from overtrick.scoring.points import divide, percentage, to_units


@given(st.integers(-(10**12), 10**12), st.integers(1, 10**6))
def test_division_mirrors_and_is_nearest(numerator: int, denominator: int) -> None:
    assert divide(-numerator, denominator) == -divide(numerator, denominator)
    assert 2 * abs(divide(numerator, denominator) * denominator - numerator) <= denominator


def test_points_are_read_as_printed() -> None:
    assert to_units(0.1) == 1000
    assert to_units("12.34565") == 123457
    assert percentage(1, 0) is None
