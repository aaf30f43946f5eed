"""Tables whose rows have a key, and the patch between two versions of them. Has no dependency on sessions or templates.

A ranking of hundreds of pairs changes all the time, but little in each row: followers get only the changed cells and
the order of the rows.
"""

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field

from markupsafe import Markup

Cells = tuple[str, ...]
"""The cells of a row: plain text, or HTML where a cell is Markup."""
Row = list[str | int | list[str]]
"""A row in a patch: its key, then its cells. An HTML cell is a list of one string. An unchanged cell is 0, or left out
at the end of a row."""
Patch = list[tuple[int, int, list[Row]]]
"""For each changed table: its index; 1 with all rows in their new order, or 0 with only the changed rows; the rows."""


@dataclass(frozen=True, slots=True)
class KeyedRows:
    """A part of a page that consists of tables with keyed rows."""

    tables: tuple[Mapping[str, Cells], ...]
    """The rows of each table by key, in order."""
    frame: Hashable
    """Everything else that the part shows; if it changes, the part must be rendered again."""
    draw: Callable[[], str] = field(compare=False)
    """A function that renders the whole part as HTML."""

    def __html__(self) -> str:
        """Return the part as HTML, for templates."""
        return self.draw()


def difference(old: KeyedRows, new: KeyedRows) -> Patch | None:
    """Return the patch from old rows to new ones; None where the part must be rendered again.

    >>> before = KeyedRows(({"A1": ("1", "60.00"), "A2": ("2", "40.00")},), "", str)
    >>> after = KeyedRows(({"A2": ("1", "70.00"), "A1": ("2", "60.00")},), "", str)
    >>> difference(before, after)
    [(0, 1, [['A2', '1', '70.00'], ['A1', '2']])]
    """
    if old.frame != new.frame or len(old.tables) != len(new.tables):
        return None
    patch: Patch = []
    for number, (old_rows, new_rows) in enumerate(zip(old.tables, new.tables, strict=True)):
        if bool(old_rows) != bool(new_rows):
            return None  # the browser copies an existing row to make a new one
        if list(old_rows) != list(new_rows):
            patch.append(
                (number, 1, [_row(key, old_rows.get(key), cells) for key, cells in new_rows.items()])
            )
        elif changed := [
            _row(key, old_rows[key], cells) for key, cells in new_rows.items() if old_rows[key] != cells
        ]:
            patch.append((number, 0, changed))
    return patch


def _row(key: str, old_cells: Cells | None, new_cells: Cells) -> Row:
    if old_cells is None or len(old_cells) != len(new_cells):
        return [key, *map(_cell, new_cells)]
    if old_cells == new_cells:
        return [key]
    row: Row = [
        key,
        *(
            _cell(new_cell) if new_cell != old_cell else 0
            for old_cell, new_cell in zip(old_cells, new_cells, strict=True)
        ),
    ]
    while row[-1] == 0:
        row.pop()
    return row


def _cell(cell: str) -> str | list[str]:
    return [str(cell)] if isinstance(cell, Markup) else cell
