"""Values of descriptions in TOML: rule sets, scales, series and schemes of master points. No file access."""

import json
import tomllib
from decimal import Decimal, InvalidOperation
from enum import Enum
from fractions import Fraction
from typing import Any

from overtrick.errors import BadInput
from overtrick.scoring.points import to_fraction


def parse_toml(text: str, subject: str) -> dict[str, Any]:
    """Parse TOML with exact decimals. Raise BadInput if the text is not TOML; its sentence starts with `subject`.

    >>> parse_toml("weight = 0.1", "The series")
    {'weight': Decimal('0.1')}
    """
    try:
        return tomllib.loads(text, parse_float=Decimal)
    except InvalidOperation:
        problem = "a number is too large or too small"
    except RecursionError:
        problem = "it has too many brackets within brackets"
    except ValueError as error:
        problem = str(error)
    raise BadInput(f"{subject} cannot be read: {problem}.")


def quoted(text: str) -> str:
    """Return a text as a string of TOML.

    >>> print(quoted('The "Élite"'))
    "The \\"Élite\\""
    """
    # TOML has the escapes of JSON, but does not allow the character 127, which JSON leaves as it is.
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def decimal_text(number: Fraction) -> str:
    """Return a fraction that was read from a decimal as that decimal.

    >>> decimal_text(Fraction(5, 2)), decimal_text(Fraction(100))
    ('2.5', '100')
    """
    return f"{Decimal(number.numerator) / Decimal(number.denominator):f}"


def parse_choice(enum_type: type[Enum], key: str, value: object) -> Any:
    """Return the member of an enum that has this value. Raise BadInput if none has."""
    for choice in enum_type:
        if choice.value == value:
            return choice
    choices = ", ".join(str(choice.value) for choice in enum_type)
    raise BadInput(f"{key} cannot be {str(value)[:40]!r}; it is one of: {choices}.")


def parse_number(key: str, value: object, highest: int) -> Fraction:
    """Return a number from 0 to `highest`. Raise BadInput for anything else."""
    if isinstance(value, int | Decimal) and not isinstance(value, bool):
        number = to_fraction(value)
        if number is not None and 0 <= number <= highest:
            return number
    raise BadInput(f"{key} is a number from 0 to {highest}, not {str(value)[:20]!r}.")
