"""Points as whole numbers, so that adding them up never depends on the order.

A unit is a ten-thousandth of a point (of a matchpoint, an IMP or a VP). While boards are scored and added up, points
are exact: whole units, or fractions of a unit where a division leaves a rest. A figure is rounded once, to a whole
unit, when it is published. Sums neither depend on their order nor drift when a board is taken out of a total and put
back. Independent of contestants and boards.
"""

from decimal import ROUND_HALF_UP, Decimal
from fractions import Fraction

UNIT = 10_000
"""Units in one point."""

Units = int | Fraction
"""An exact number of units; whole where it can be, because whole numbers are added up fastest."""


def exact(numerator: Units, denominator: Units) -> Units:
    """Return a quotient without rounding, as a whole number where it is one.

    >>> exact(6, 3), exact(7, 2)
    (2, Fraction(7, 2))
    """
    if isinstance(numerator, int) and isinstance(denominator, int):
        whole, rest = divmod(numerator, denominator)
        return Fraction(numerator, denominator) if rest else whole
    quotient = Fraction(numerator) / Fraction(denominator)
    return quotient.numerator if quotient.denominator == 1 else quotient


def rounded(units: Units, average: int = 0) -> int:
    """Return the nearest whole number of units; an exact half goes away from average, so that sides stay mirrored.

    >>> rounded(Fraction(5, 2)), rounded(Fraction(-5, 2)), rounded(Fraction(5, 2), average=10)
    (3, -3, 2)
    """
    if isinstance(units, int):
        return units
    # In whole numbers: an operation on fractions costs ten times as much.
    below = units.denominator
    return average + divide(units.numerator - average * below, below)


def divide(numerator: int, denominator: int) -> int:
    """Return the nearest whole number to a quotient; halves round away from zero, so that the sides stay mirrored.

    >>> divide(7, 2), divide(-7, 2), divide(10, 3), divide(-10, 3)
    (4, -4, 3, -3)
    """
    size = (2 * abs(numerator) + denominator) // (2 * denominator)
    return size if numerator >= 0 else -size


def to_units(points: Decimal | float | str) -> int:
    """Return a number of points as units; floats are read as they are printed.

    >>> to_units("0.5"), to_units(-3)
    (5000, -30000)
    """
    return int((Decimal(str(points)) * UNIT).to_integral_value(ROUND_HALF_UP))


def to_points(units: int) -> float:
    """Units as a number of points.

    >>> to_points(125000)
    12.5
    """
    return units / UNIT


def percentage(units: int, top: int) -> float | None:
    """Units as a percentage of the most that could be had; None when nothing could.

    >>> percentage(110, 200), percentage(0, 0)
    (55.0, None)
    """
    return 100 * units / top if top > 0 else None
