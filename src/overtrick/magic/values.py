"""Parsing and writing of cells: text, whole numbers, decimals and dates, by the prefix of the column's name.

A decimal is converted to units (see `overtrick.scoring.points`), so that reading and writing are exact. An empty cell
is None, or an empty text.
"""

from collections.abc import Callable
from datetime import date
from typing import Any

from overtrick.scoring import UNIT

DECIMALS = 4
"""The number of decimals that units can represent."""


def read_number(text: str) -> int | None:
    """Parse a whole number.

    >>> read_number("12"), read_number(""), read_number("-3")
    (12, None, -3)
    """
    if not text:
        return None
    digits = text[1:] if text[0] in "+-" else text
    if not (digits.isascii() and digits.isdecimal()):
        raise ValueError(f"{text!r} is not a whole number.")
    if len(digits) > 18:
        raise ValueError(f"The number {text!r} is too large.")
    return int(text)


def read_decimal(text: str) -> int | None:
    """Parse a decimal number to units; the separator may be a point or a comma.

    >>> read_decimal("12.5"), read_decimal("-0,25"), read_decimal("")
    (125000, -2500, None)
    """
    if not text:
        return None
    sign = -1 if text[0] == "-" else 1
    whole, point, decimals = (text[1:] if text[0] in "+-" else text).replace(",", ".").partition(".")
    digits = whole + decimals
    if not (digits.isascii() and digits.isdecimal()) or (point and not decimals):
        raise ValueError(f"{text!r} is not a number.")
    if len(decimals) > DECIMALS and decimals[DECIMALS:].strip("0"):
        raise ValueError(f"{text!r} has more than {DECIMALS} decimals.")
    if len(whole) > 12:
        raise ValueError(f"The number {text!r} is too large.")
    return sign * (int(whole or "0") * UNIT + int(decimals[:DECIMALS].ljust(DECIMALS, "0")))


def write_decimal(units: int | None) -> str:
    """Return units as the shortest decimal, with a point.

    >>> write_decimal(125000), write_decimal(-2500), write_decimal(0), write_decimal(None)
    ('12.5', '-0.25', '0', '')
    """
    if units is None:
        return ""
    whole, rest = divmod(abs(units), UNIT)
    decimals = f".{rest:0{DECIMALS}}".rstrip("0") if rest else ""
    return f"{'-' if units < 0 else ''}{whole}{decimals}"


def read_date(text: str) -> date | None:
    """Parse a date, YYYY-MM-DD.

    >>> read_date("1970-02-28")
    datetime.date(1970, 2, 28)
    """
    if not text:
        return None
    if len(text) == 10 and text[5] != "W":
        try:
            return date.fromisoformat(text)
        except ValueError:
            pass
    raise ValueError(f"{text!r} is not a date such as 1970-02-28.")


READERS: dict[str, Callable[[str], Any]] = {
    "cs": str,
    "n": read_number,
    "f": read_decimal,
    "date": read_date,
}
"""The parsers of a stripped cell, by the prefix of its column's name."""


def column_prefix(column: str) -> str:
    """Return the prefix of a column's name. The columns of 2A-c have none: they are text, except the team's id.

    >>> [column_prefix(name) for name in ("nTeamID", "csTeam", "dateBirth", "fVPHome", "Surn")]
    ['n', 'cs', 'date', 'f', 'cs']
    """
    if column == "teamid":
        return "n"
    for prefix in READERS:
        if column.startswith(prefix) and column[len(prefix) : len(prefix) + 1].isupper():
            return prefix
    return "cs"
