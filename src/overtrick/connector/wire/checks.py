"""Building blocks of the rules for DTOs. A rule returns a sentence for each problem of a DTO. Pure: no I/O.

A relation is about the parts of a DTO: called with the whole, it returns the rule for each part.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from operator import attrgetter, contains
from typing import Any, TypeVar

from overtrick.event.setup import is_letters
from overtrick.guid import is_guid

T = TypeVar("T")

Rule = Callable[[Any], Sequence[str]]
Relation = Callable[[Any], Rule]

MOST_PROBLEMS = 1_000
"""Number of problems after which checking stops; the request is refused anyway."""

MOST_LISTED = 100
"""Number of problems that a sentence lists."""

LONGEST_SENTENCE = 20_000
LONGEST_PLACE = 200
"""Limits of one problem and of its place, in characters: both may repeat what was sent."""

GUID_LENGTH = 32

_SIGNED = re.compile(r"[+-]?[0-9]+")


def is_blank(text: str | None) -> bool:
    """Return whether the text is missing or has only white space."""
    return text is None or not text.strip()


def is_pin(text: str | None) -> bool:
    """Return whether this is a PIN of four digits."""
    # "+123" and " 12 " pass: the vendor asks for four characters that .NET reads as a number.
    return text is not None and len(text) == 4 and _SIGNED.fullmatch(text.strip()) is not None


def problems_text(problems: Sequence[object], *, are_all: bool = False) -> str:
    """Return the problems as one text; beyond the first `MOST_LISTED` only their number.

    With `MOST_PROBLEMS` or more, where checking stops, the text says that there may be others, unless `are_all`.

    >>> problems_text(["A player needs a LastName."])
    'A player needs a LastName.'
    """
    sentences = " ".join(str(problem)[:LONGEST_SENTENCE] for problem in problems[:MOST_LISTED])
    if len(problems) <= MOST_LISTED:
        return sentences
    hidden = len(problems) - MOST_LISTED
    if are_all or len(problems) < MOST_PROBLEMS:
        return f"{sentences} And {hidden} more."
    return f"{sentences} And at least {hidden} more; the rest was not checked."


def first_of(problems: Iterable[str]) -> list[str]:
    """Return the first `MOST_PROBLEMS` problems."""
    return list(islice(problems, MOST_PROBLEMS))


def rule(yield_problems: Callable[[T], Iterator[str]]) -> Callable[[T], list[str]]:
    """Make a rule of a function that yields problems."""
    return lambda dto: first_of(yield_problems(dto))


# One property -----------------------------------------------------------------------------------------------


def valid(name: str, test: Callable[[Any], object], sentence: str) -> Rule:
    """Make the rule that a property passes a test; the sentence may show it as {}."""
    get = attrgetter(name)

    def check(dto: Any) -> Sequence[str]:
        value = get(dto)
        return () if test(value) else (sentence.format("" if value is None else value),)

    return check


def guid(name: str = "SessionGuid") -> Rule:
    """Make the rule that a property is a guid."""
    return valid(name, is_guid, f"{name} '{{}}' is not a guid of 32 capital hexadecimal digits.")


def guid_length(name: str = "SessionGuid") -> Rule:
    """Make the rule that a property is as long as a guid."""
    return valid(
        name, lambda text: text and len(text) == GUID_LENGTH, f"{name} '{{}}' is not 32 characters long."
    )


def letters(name: str = "SectionLetters") -> Rule:
    """Make the rule that a property is a section's letters."""

    # The vendor's regular expression accepts a line end after the letters, and so does this; no section has one.
    def test(text: str | None) -> bool:
        return text is not None and is_letters(text.removesuffix("\n"))

    return valid(name, test, f"{name} '{{}}' is not one letter from A to Z, once, twice or three times.")


ABOVE_ZERO = (1, 2**31 - 1)


def above_zero(*names: str) -> Rule:
    """Make the rule that these properties are above zero."""
    return between(**dict.fromkeys(names, ABOVE_ZERO))


def between(**limits: tuple[int, int]) -> Rule:
    """Make the rule that each of these properties is in its range, limits included.

    >>> from types import SimpleNamespace
    >>> between(Stake=(0, 2), TotalTricks=(0, 13))(SimpleNamespace(Stake=3, TotalTricks=13))
    ['Stake is 3, and has to be from 0 to 2.']
    """
    names = tuple(limits)
    ranges = [range(low, high + 1) for low, high in limits.values()]
    get = attrgetter(*names) if len(names) > 1 else lambda dto: (getattr(dto, *names),)

    def check(dto: Any) -> Sequence[str]:
        numbers = get(dto)
        if all(map(contains, ranges, numbers)):  # fast path: nearly always all are in range
            return ()
        return [
            f"{name} is {number}, and has to be {_range_words(limits[name])}."
            for name, number, allowed in zip(names, numbers, ranges, strict=True)
            if number not in allowed
        ]

    return check


def _range_words(limits: tuple[int, int]) -> str:
    return "above zero" if limits == ABOVE_ZERO else f"from {limits[0]} to {limits[1]}"


# Several ----------------------------------------------------------------------------------------------------


def every(*rules: Rule) -> Rule:
    """Make one rule of several."""
    if len(rules) == 1:
        return rules[0]

    def check(dto: Any) -> Sequence[str]:
        problems: Sequence[str] = ()
        for each_rule in rules:
            if wrong := each_rule(dto):
                problems = [*problems, *wrong]
        return problems

    return check


def when(condition: Callable[[Any], object], *rules: Rule, otherwise: Iterable[Rule] = ()) -> Rule:
    """Make the rule that applies some rules if the condition holds, and others if not."""
    yes, no = every(*rules), every(*otherwise)
    return lambda dto: yes(dto) if condition(dto) else no(dto)


def never(condition: Callable[[Any], object], sentence: str) -> Rule:
    """Make the rule that the condition never holds."""
    return lambda dto: (sentence,) if condition(dto) else ()


def unless(first: Rule, *rules: Rule) -> Rule:
    """Make the rule that applies the others only if the first finds no problem."""
    rest = every(*rules)
    return lambda dto: first(dto) or rest(dto)


def once(values: Callable[[Any], Iterable[object]], sentence: str) -> Rule:
    """Make the rule that no value occurs more than once; the sentence may show it as {}."""

    def repeated(dto: Any) -> Iterator[str]:
        return (sentence.format(value) for value, count in Counter(values(dto)).items() if count > 1)

    return rule(repeated)


# Parts of a whole -------------------------------------------------------------------------------------------


def same(name: str, whole: str, of_whole: str = "") -> Relation:
    """Make the relation that a property of a part equals the property of the whole, which may have another name."""
    other = "other" if name.endswith("Letters") else "another"
    sentence = f"it has {other} {name} than {whole}."

    def relation(dto: Any) -> Rule:
        expected = getattr(dto, of_whole or name)
        return never(lambda part: getattr(part, name) != expected, sentence)

    return relation


def each(name: str, where: Callable[[Any], str], *about: Relation) -> Rule:
    """Make the rule that each part keeps its relations to the whole; `where` names a part in the problems."""

    def wrong(dto: Any) -> Iterator[str]:
        check = every(*(relation(dto) for relation in about))
        for part in getattr(dto, name) or ():
            for problem in check(part):
                yield f"{where(part)[:LONGEST_PLACE]}: {problem}"

    return rule(wrong)
