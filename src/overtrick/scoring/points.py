"""Exact arithmetic of points. Independent of contestants and boards.

A unit is a ten-thousandth of a point (of a matchpoint, an IMP or a VP). While boards are scored and added up, points
are exact: whole units, or fractions of a unit after a division. A figure is rounded once, to a whole unit, when it is
published. So a sum does not depend on the order, and does not drift when boards are subtracted and added again.
"""

from decimal import ROUND_HALF_UP, Decimal
from fractions import Fraction

UNIT = 10_000
"""Units in one point."""

Units = int | Fraction
"""An exact number of units; an int if it is whole, because adding ints is fastest."""


def exact(numerator: Units, denominator: Units) -> Units:
    """Return an exact quotient, as an int if it is whole.

    >>> exact(6, 3), exact(7, 2)
    (2, Fraction(7, 2))
    """
    if isinstance(numerator, int) and isinstance(denominator, int):
        whole, rest = divmod(numerator, denominator)
        return Fraction(numerator, denominator) if rest else whole
    quotient = Fraction(numerator) / Fraction(denominator)
    return quotient.numerator if quotient.denominator == 1 else quotient


def rounded(units: Units, average: int = 0) -> int:
    """Return the nearest whole number of units; halves round away from `average`, so that both sides round alike.

    >>> rounded(Fraction(5, 2)), rounded(Fraction(-5, 2)), rounded(Fraction(5, 2), average=10)
    (3, -3, 2)
    """
    if isinstance(units, int):
        return units
    # Compute with whole numbers, because an operation on fractions costs ten times as much.
    denominator = units.denominator
    return average + divide(units.numerator - average * denominator, denominator)


def divide(numerator: int, denominator: int) -> int:
    """Return the nearest whole number to a quotient; halves round away from zero, so that both sides round alike.

    >>> divide(7, 2), divide(-7, 2), divide(10, 3), divide(-10, 3)
    (4, -4, 3, -3)
    """
    size = (2 * abs(numerator) + denominator) // (2 * denominator)
    return size if numerator >= 0 else -size


def rounded_figure(value: Units, decimals: int, average: Units = 0) -> int:
    """Return a figure rounded for publication, in units of its last decimal; halves round away from `average`.

    >>> rounded_figure(Fraction(2, 3), 2), rounded_figure(Fraction(-5, 1000), 2), rounded_figure(Fraction(75, 2), 0, 50)
    (67, -1, 37)
    """
    scale: int = 10**decimals
    numerator, denominator = value.numerator * scale, value.denominator
    if value < average:
        return -((denominator - 2 * numerator) // (2 * denominator))
    return (2 * numerator + denominator) // (2 * denominator)


def figure_text(value: Units, decimals: int, average: Units = 0) -> str:
    """Return a figure as text, rounded to `decimals`; halves round away from `average`.

    >>> figure_text(Fraction(370, 3), 2), figure_text(Fraction(-1, 3), 1), figure_text(Fraction(125, 2), 0, 50)
    ('123.33', '-0.3', '63')
    """
    return f"{Decimal(rounded_figure(value, decimals, average)).scaleb(-decimals):.{decimals}f}"


def short_figure(text: str) -> str:
    """Return the text of a figure without zeros at the end of its decimals.

    >>> short_figure("7.40"), short_figure("13.00"), short_figure("120")
    ('7.4', '13', '120')
    """
    return text.rstrip("0").rstrip(".") if "." in text else text


def to_fraction(number: Decimal | int) -> Fraction | None:
    """Return a number as a fraction; None if it is not finite or has more than 12 decimals or 13 digits before them.

    >>> to_fraction(Decimal("2.5")), to_fraction(Decimal("1e-99999")), to_fraction(Decimal("NaN"))
    (Fraction(5, 2), None, None)
    """
    decimal = Decimal(number)
    exponent = decimal.as_tuple().exponent
    if not isinstance(exponent, int) or exponent < -12 or decimal.adjusted() > 12:
        return None
    return Fraction(decimal)


def to_units(points: Decimal | float | str) -> int:
    """Return a number of points as units; floats are read as they are printed.

    >>> to_units("0.5"), to_units(-3)
    (5000, -30000)
    """
    return int((Decimal(str(points)) * UNIT).to_integral_value(ROUND_HALF_UP))


def to_points(units: int) -> float:
    """Return units as points.

    >>> to_points(125000)
    12.5
    """
    return units / UNIT


def percentage(units: int, top: int) -> float | None:
    """Return units as a percentage of the top; None if there is no top.

    >>> percentage(110, 200), percentage(0, 0)
    (55.0, None)
    """
    return 100 * units / top if top > 0 else None
