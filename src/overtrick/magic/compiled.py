"""Lines to rows, many at a time and column by column, and rows to lines, with a function compiled for each layout.

A federation's list has a hundred thousand lines, and calling a function for each cell would be most of the work.
"""

from collections.abc import Callable, Iterable, Sequence
from datetime import date
from functools import cache, partial
from itertools import repeat
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


def read_rows(layout: Layout, lines: list[list[str]]) -> list[Row] | None:
    """The rows of many lines, column by column; None when something is wrong with one of them.

    >>> from overtrick.magic.rows import LAYOUTS, Kind
    >>> read_rows(LAYOUTS[Kind.TEAM_IDS], [["7", ""], ["8", ""]])
    [TeamIdRow(team_id=7, team_foreign_id=None), TeamIdRow(team_id=8, team_foreign_id=None)]
    """
    try:
        columns = list(zip(*lines, strict=True))
        if len(columns) != len(layout.columns):
            return None
        values = [
            _COLUMN[type_of(name)](column) for name, column in zip(layout.columns, columns, strict=True)
        ]
    except ValueError:
        return None
    if layout.parts or len(layout.row._fields) != len(values):
        return [layout.make(list(row)) for row in zip(*values, strict=True)]
    return list(map(partial(tuple.__new__, layout.row), zip(*values, strict=True)))


def _texts(column: Sequence[str]) -> Iterable[str]:
    return map(str.strip, column)


def _numbers(column: Sequence[str]) -> Iterable[int | None]:
    digits = "".join(column)
    if not digits:
        return repeat(None, len(column))
    if all(column) and digits.isascii() and digits.isdecimal() and max(map(len, column)) < 19:
        return map(int, column)
    return [read_number(text) for text in column]


def _decimals(column: Sequence[str]) -> Iterable[int | None]:
    return [read_decimal(text) for text in column]


def _dates(column: Sequence[str]) -> Iterable[date | None]:
    if all(len(text) == 10 for text in column):
        return list(map(date.fromisoformat, column))
    return [read_date(text) for text in column]


_COLUMN: dict[str, Callable[[Sequence[str]], Iterable[Any]]] = {
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
