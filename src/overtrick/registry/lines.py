"""The lines of a list of players, looked at before the database is: what is wrong with one by itself or with its keys.

A federation has a hundred thousand of them and few are wrong, so many are looked at together, field by field.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import islice
from typing import Any

PersonFields = tuple[int | None, int | None, str, str, str, str, date | None]
"""Magic's key, the office's key, member code, last name, first name, sex, date of birth."""

PersonColumns = tuple[Sequence[int], Sequence[Sequence[Any]]]
"""The numbers of some lines, and their fields, field by field."""

FIELDS = ("magic_id", "office_id", "member_code", "last_name", "first_name", "sex", "birth")
KEYS = FIELDS[:3]
SEXES = frozenset(("M", "W", ""))
LINES_AT_A_TIME = 500


@dataclass(frozen=True, slots=True)
class Refusal:
    """A line that cannot be taken, and why; `field` is one of FIELDS, or empty."""

    line: int
    field: str
    sentence: str


def columns_of(lines: Iterable[tuple[int, PersonFields]]) -> Iterator[PersonColumns]:
    """Lines as pieces, field by field."""
    remaining = iter(lines)
    while piece := list(islice(remaining, LINES_AT_A_TIME)):
        numbers, rows = zip(*piece, strict=True)
        yield numbers, list(zip(*rows, strict=True))


def are_fine_alone(columns: Sequence[Sequence[Any]]) -> bool:
    """Whether nothing is wrong with any of these lines by itself; their keys may still be those of others."""
    magic_ids, office_ids, _, last_names, _, sexes, _ = columns
    return all(last_names) and SEXES.issuperset(sexes) and _are_keys(magic_ids) and _are_keys(office_ids)


def _are_keys(numbers: Sequence[int | None]) -> bool:
    return min((set(numbers) - {None}), default=1) > 0  # type: ignore[type-var, operator]


def as_stored(columns: Sequence[Sequence[Any]]) -> list[Sequence[Any]]:
    """The fields of some lines as the database has them."""
    magic_ids, office_ids, codes, last_names, first_names, sexes, births = columns
    return [
        magic_ids,
        office_ids,
        codes if all(codes) else [code or None for code in codes],
        last_names,
        first_names,
        sexes,
        list(map(date.isoformat, births))
        if all(births)
        else [birth and birth.isoformat() for birth in births],
    ]


class Seen:
    """The keys of a list so far, each with its line."""

    def __init__(self) -> None:
        self._known: dict[str, dict[Any, int]] = {name: {} for name in KEYS}

    def checked(self, piece: PersonColumns, refusals: list[Refusal]) -> PersonColumns:
        """A piece without the lines that are refused, such as one with a key of an earlier line.

        >>> lines = [(2, (7, None, "", "Berg", "", "", None)), (3, (7, None, "", "Ek", "", "", None))]
        >>> refusals = []
        >>> Seen().checked(next(columns_of(lines)), refusals)[0]
        [2]
        >>> refusals[0].sentence
        '7 is in line 2 already.'
        """
        numbers, columns = piece
        return piece if self._are_fine(numbers, columns) else self._fine_ones(numbers, columns, refusals)

    def _are_fine(self, numbers: Sequence[int], columns: Sequence[Sequence[Any]]) -> bool:
        """Whether all of these lines can be taken; only then are their keys known."""
        if not are_fine_alone(columns):
            return False
        news: dict[str, dict[Any, int]] = {}
        for name, keys in zip(KEYS, columns, strict=False):
            nothing = "" if name == "member_code" else None
            new = news[name] = dict(zip(keys, numbers, strict=True))
            new.pop(nothing, None)
            if len(new) + keys.count(nothing) < len(keys) or not self._known[name].keys().isdisjoint(new):
                return False
        for name, new in news.items():
            self._known[name].update(new)
        return True

    def _fine_ones(
        self, numbers: Sequence[int], columns: Sequence[Sequence[Any]], refusals: list[Refusal]
    ) -> PersonColumns:
        lines, rows = [], []
        for line, row in zip(numbers, zip(*columns, strict=True), strict=True):
            refusal = self._refusal(line, row)
            if refusal is None:
                lines.append(line)
                rows.append(row)
            else:
                refusals.append(refusal)
        return lines, list(zip(*rows, strict=True)) or [()] * len(FIELDS)

    def _refusal(self, line: int, row: tuple[Any, ...]) -> Refusal | None:
        """What is wrong with a line, if something is."""
        for name, key in zip(KEYS, row, strict=False):
            if key is None or key == "":
                continue
            if name != "member_code" and key < 1:
                return Refusal(line, name, f"A key is a number above zero, not {key}.")
            first = self._known[name].setdefault(key, line)
            if first != line:
                return Refusal(line, name, f"{key} is in line {first} already.")
        last_name, first_name, sex = row[3:6]
        if sex not in SEXES:
            return Refusal(line, "sex", f"It is M, W or empty, not {sex!r}.")
        if not (last_name or first_name):
            return Refusal(line, "last_name", "The player has no name.")
        return None
