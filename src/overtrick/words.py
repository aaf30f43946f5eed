"""Small words that the sentences of every package need. Depends on nothing."""

LONGEST_QUOTE = 80
"""Characters of somebody's text that a sentence repeats."""


def counted(number: int, noun: str, many: str = "") -> str:
    """Return a number with its noun.

    >>> counted(1, "result"), counted(3, "table"), counted(0, "entry", "entries")
    ('1 result', '3 tables', '0 entries')
    """
    return f"{number} {noun}" if number == 1 else f"{number} {many or noun + 's'}"


def shortened(text: str) -> str:
    """Return somebody's text in quotes for a sentence, cut where it is too long to read.

    >>> shortened("4SN"), len(shortened("9" * 5000))
    ("'4SN'", 83)
    """
    return repr(text) if len(text) <= LONGEST_QUOTE else f"{text[:LONGEST_QUOTE]!r}…"


def printable(text: str) -> str:
    """Return somebody's text on one line, without signs that cannot be printed or that turn the text around.

    >>> printable(" Ann\\n\\u202eBerg\\x00 ")
    'Ann Berg'
    """
    return "".join(letter for letter in " ".join(text.split()) if letter.isprintable())
