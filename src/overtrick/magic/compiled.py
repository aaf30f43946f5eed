"""Lines to rows, many at a time and column by column, and rows to lines, with a function compiled for each layout.

A federation's list has a hundred thousand lines, and calling a function for each cell would be most of the work.
"""

from collections.abc import Callable, Iterator, Sequence
from datetime import date
from functools import cache, partial
from typing import Any

from overtrick.magic.rows import Layout, Row
from overtrick.magic.values import TYPES, read_date, read_decimal, read_number, type_of

_WRITE = {
    "cs": "({cell} if {cell}.isprintable() else write_cs({cell}))",
    "n": "('' if {cell} is None else str({cell}))",
    "f": "write_f({cell})",
    "date": "('' if {cell} is None else str({cell}))",
}


def _names() -> dict[str, Any]:
    return {f"write_{prefix}": write for prefix, (_, write) in TYPES.items()}


def read_columns(layout: Layout, columns: Sequence[Sequence[str]]) -> list[Sequence[Any]] | None:
    """The values of many lines, given and answered column by column; None when something is wrong with one.

    >>> from overtrick.magic.rows import LAYOUTS, Kind
    >>> read_columns(LAYOUTS[Kind.TEAM_IDS], [["7", "8"], ["", ""]])
    [[7, 8], [None, None]]
    """
    try:
        return [_COLUMN[type_of(name)](column) for name, column in zip(layout.columns, columns, strict=True)]
    except ValueError:
        return None


def make_rows(layout: Layout, columns: Sequence[Sequence[Any]]) -> Iterator[Row]:
    """The rows of these columns.

    >>> from overtrick.magic.rows import LAYOUTS, Kind
    >>> list(make_rows(LAYOUTS[Kind.TEAM_IDS], [[7, 8], [None, None]]))
    [TeamIdRow(team_id=7, team_foreign_id=None), TeamIdRow(team_id=8, team_foreign_id=None)]
    """
    values = zip(*columns, strict=True)
    if layout.parts or len(layout.row._fields) != len(columns):
        return (layout.make(list(row)) for row in values)
    return map(partial(tuple.__new__, layout.row), values)


def _texts(column: Sequence[str]) -> list[str]:
    return list(map(str.strip, column))


def _numbers(column: Sequence[str]) -> Sequence[int | None]:
    digits = "".join(column)
    if not digits:
        return [None] * len(column)
    if all(column) and digits.isascii() and digits.isdecimal() and max(map(len, column)) < 19:
        return list(map(int, column))
    return list(map(read_number, column))


def _decimals(column: Sequence[str]) -> list[int | None]:
    return list(map(read_decimal, column))


def _dates(column: Sequence[str]) -> Sequence[date | None]:
    # Ten characters could also be a week's day, as in 2006-W18-6; that is for `read_date` to refuse.
    if set(map(len, column)) == {10} and "W" not in "".join(column):
        return list(map(date.fromisoformat, column))
    return list(map(read_date, column))


_COLUMN: dict[str, Callable[[Sequence[str]], Sequence[Any]]] = {
    "cs": _texts,
    "n": _numbers,
    "f": _decimals,
    "date": _dates,
}


@cache
def writer(layout: Layout) -> Callable[[Any], str]:
    """A function that makes the line of a row, with its end; ValueError when something cannot be written.

    >>> from overtrick.magic.rows import LAYOUTS, Kind
    >>> writer(LAYOUTS[Kind.TEAM_IDS])((7, None))
    '7\\t\\r\\n'
    """
    cells = [f"c{number}" for number in range(len(layout.columns))]
    texts = [
        _WRITE[type_of(column)].format(cell=cell) for cell, column in zip(cells, layout.columns, strict=True)
    ]
    values = "values(row)" if layout.parts else "row"
    names = {**_names(), "values": layout.values, "join": "\t".join}
    exec(
        f"def write(row):\n    {', '.join(cells)}, = {values}\n    return join(({', '.join(texts)},)) + '\\r\\n'",
        names,
    )
    write: Callable[[Any], str] = names["write"]
    return write
