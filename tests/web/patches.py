"""The effect of a patch of rows in a browser, implemented again for the checks."""

from collections.abc import Iterable, Mapping

from markupsafe import Markup

from overtrick.web.keyed_rows import Cells, Patch


def patched(tables: Iterable[Mapping[str, Cells]], patch: Patch) -> list[dict[str, Cells]]:
    """The tables after a patch."""
    made = [dict(table) for table in tables]
    for number, is_all, rows in patch:
        before = made[number]
        after = {} if is_all else before
        for key, *cells in rows:
            was = before.get(str(key), ())
            kept = was[len(cells) :] if len(was) > len(cells) else ()
            after[str(key)] = (
                *(_cell(cell) if cell != 0 else was[place] for place, cell in enumerate(cells)),
                *kept,
            )
        made[number] = after
    return made


def _cell(cell: str | int | list[str]) -> str:
    return Markup(cell[0]) if isinstance(cell, list) else str(cell)
