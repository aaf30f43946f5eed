"""Points as whole numbers, so that adding them up never depends on the order.

A unit is a ten-thousandth of a point (of a matchpoint, an IMP or a VP): the precision to which the score of a
board is kept. Whole units make ties exact and let a board be taken out of a total and put back without drift.
Knows no contestant and no board.
"""

from decimal import ROUND_HALF_UP, Decimal

UNIT = 10_000
"""Units in one point."""


def divide(numerator: int, denominator: int) -> int:
    """The nearest whole number to a quotient; an exact half goes away from zero, so that sides stay mirrored.

    >>> divide(7, 2), divide(-7, 2), divide(10, 3), divide(-10, 3)
    (4, -4, 3, -3)
    """
    size = (2 * abs(numerator) + denominator) // (2 * denominator)
    return size if numerator >= 0 else -size


def to_units(points: Decimal | float | str) -> int:
    """A number of points as units; floats are read as they are printed.

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
