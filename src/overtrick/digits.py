"""Numbers in text that others wrote: plain ASCII digits, and not too many of them.

`int` alone takes "1_0", "+1" and digits of every script, and raises ValueError for "²", which `str.isdigit` passes,
and for more than 4,300 digits.
"""


def parse_digits(text: str, longest: int = 9) -> int | None:
    """Return the number that ASCII digits spell; None for any other text and for more than `longest` digits.

    >>> parse_digits("0012"), parse_digits("1_0"), parse_digits("²"), parse_digits("-1"), parse_digits("9" * 10)
    (12, None, None, None, None)
    """
    return int(text) if 0 < len(text) <= longest and text.isascii() and text.isdigit() else None
