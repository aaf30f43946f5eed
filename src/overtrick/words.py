"""Small words that sentences of every room need."""


def counted(number: int, noun: str, many: str = "") -> str:
    """A number with its noun.

    >>> counted(1, "result"), counted(3, "table"), counted(0, "entry", "entries")
    ('1 result', '3 tables', '0 entries')
    """
    return f"{number} {noun}" if number == 1 else f"{number} {many or noun + 's'}"
