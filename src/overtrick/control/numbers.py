"""Whether a player's number follows the rules of a federation. Knows no registry: a good number may be nobody's.

- ACBL: seven digits; times 7, 6, 5, 4, 3, 2, 1 they add up to a multiple of 11. A Life Master's first digit
  is printed as a letter, J for 1 to R for 9.
- FFB: up to eight digits; times 1, 2, 1, 2 … from the right they add up to a multiple of 10.
- ABF: up to seven digits, the last a check digit: the six before it (with leading zeros) times 7, 6, 5, 4, 3, 2
  modulo 11; what is missing to 11, and 0 and 1 for themselves.
- JCBL: digits alone. Its check digit is not published, so a wrong digit passes.
"""

from overtrick.event.settings import NumberRules

LONGEST = 16
"""The documents keep sixteen characters of a number."""


def is_possible(number: str, rules: NumberRules = NumberRules.NONE) -> bool:
    """Whether these rules allow the number.

    >>> is_possible("1000004", NumberRules.ACBL), is_possible("J000004", NumberRules.ACBL)
    (True, True)
    >>> is_possible("1000005", NumberRules.ACBL), is_possible("any club no. 7")
    (False, True)
    """
    if not 1 <= len(number) <= LONGEST or not number.isprintable() or number != number.strip():
        return False
    if rules is NumberRules.NONE:
        return True
    if rules is NumberRules.ACBL:
        return _acbl(number)
    if not (number.isascii() and number.isdigit()):
        return False
    if rules is NumberRules.FFB:
        return len(number) <= 8 and int(number) > 0 and _alternating(number) % 10 == 0
    if rules is NumberRules.ABF:
        return len(number) <= 7 and int(number) > 0 and _abf_check(number[:-1]) == int(number[-1])
    return int(number) > 0


def _acbl(number: str) -> bool:
    if len(number) != 7:
        return False
    first = number[0].upper()
    if first in "JKLMNOPQR":
        number = str("JKLMNOPQR".index(first) + 1) + number[1:]
    if not (number.isascii() and number.isdigit()) or int(number) == 0:
        return False
    return sum((7 - place) * int(digit) for place, digit in enumerate(number)) % 11 == 0


def _alternating(number: str) -> int:
    return sum((1 + place % 2) * int(digit) for place, digit in enumerate(reversed(number)))


def _abf_check(stem: str) -> int:
    rest = sum((7 - place) * int(digit) for place, digit in enumerate(stem.zfill(6))) % 11
    return rest if rest < 2 else 11 - rest


def find_name(number: str, names: dict[str, str], as_text: bool = True) -> str:
    """The name that belongs to a number, or nothing; as figures, 007 and 7 are one number.

    >>> find_name("007", {"7": "Ely Culbertson"}), find_name("007", {"7": "Ely Culbertson"}, as_text=False)
    ('', 'Ely Culbertson')
    """
    if number in names or as_text or not (number.isascii() and number.isdigit()):
        return names.get(number, "")
    figure = number.lstrip("0")
    found = (name for known, name in names.items() if known.isdigit() and known.lstrip("0") == figure)
    return next(found, "")
