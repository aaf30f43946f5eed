"""The small checks that the rules for DTOs are made of. Each answers what is wrong, as sentences."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import TypeVar

from overtrick.event.setup import is_letters
from overtrick.guid import is_guid

T = TypeVar("T")

ENOUGH = 1_000
"""Problems after which nothing more is looked at: whatever it is that was sent, it is refused."""

TOLD = 100
"""Problems that are told one by one."""

LONGEST_SENTENCE = 20_000
LONGEST_PLACE = 200
"""Characters of one problem, and of the place where it is: both may repeat what was sent."""

GUID_LENGTH = 32

_SIGNED = re.compile(r"[+-]?[0-9]+")


def is_blank(text: str | None) -> bool:
    """Whether there is no text, or none to see."""
    return text is None or not text.strip()


def is_pin(text: str | None) -> bool:
    """Whether this is a PIN of four digits."""
    # "+123" and " 12 " pass: the vendor asks for four characters that .NET reads as a number.
    return text is not None and len(text) == 4 and _SIGNED.fullmatch(text.strip()) is not None


def guid_problems(text: str | None, name: str = "SessionGuid") -> list[str]:
    """What is wrong with a guid."""
    if is_guid(text):
        return []
    return [f"{name} '{text or ''}' is not a guid of 32 capital hexadecimal digits."]


def guid_length_problems(text: str | None) -> list[str]:
    """What is wrong with a guid of which only the length counts."""
    # Participations and results are only measured, not read.
    return (
        []
        if text and len(text) == GUID_LENGTH
        else [f"SessionGuid '{text or ''}' is not 32 characters long."]
    )


def letters_problems(text: str | None, name: str = "SectionLetters") -> list[str]:
    """What is wrong with a section's letters."""
    # A line end after the letters slips through the vendor's expression, so it does here; no section has such letters.
    if text is not None and is_letters(text.removesuffix("\n")):
        return []
    return [f"{name} '{text or ''}' is not one letter from A to Z, once, twice or three times."]


def not_above_zero(**numbers: int) -> list[str]:
    """Which of these numbers are not above zero."""
    return [
        f"{name} is {number}, and has to be above zero." for name, number in numbers.items() if number <= 0
    ]


def not_between(name: str, number: int, low: int, high: int) -> list[str]:
    """What is wrong with a number that has to be in a range."""
    if low <= number <= high:
        return []
    return [f"{name} is {number}, and has to be from {low} to {high}."]


def inside(where: str, problems: Iterable[str]) -> list[str]:
    """The same problems, with the place they are in."""
    return [f"{where[:LONGEST_PLACE]}: {problem}" for problem in problems]


def tell(problems: Sequence[object], *, are_all: bool = False) -> str:
    """All of these as one text; of very many the first, and how many more there are.

    From `ENOUGH` on there may be others that nobody looked for, unless these are known to be all.

    >>> tell(["A player needs a LastName."])
    'A player needs a LastName.'
    """
    told = " ".join(str(problem)[:LONGEST_SENTENCE] for problem in problems[:TOLD])
    if len(problems) <= TOLD:
        return told
    more = len(problems) - TOLD
    if are_all or len(problems) < ENOUGH:
        return f"{told} And {more} more."
    return f"{told} And at least {more} more; the rest was not looked at."


def until_enough(items: Iterable[T], found: Sequence[str]) -> Iterator[T]:
    """The items, for as long as not too much is found wrong with them."""
    for item in items:
        if len(found) >= ENOUGH:
            return
        yield item


def twice(values: Iterable[object], sentence: str) -> list[str]:
    """A sentence for each value that is there more than once."""
    repeated = (value for value, count in Counter(values).items() if count > 1)
    return [sentence.format(value) for value in islice(repeated, ENOUGH)]
