"""`overtrick jet`: print the tables, columns or rows of an Access file, for people or for other programs."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from overtrick.cli.options import AsList, ListFormat
from overtrick.errors import BadInput

if TYPE_CHECKING:
    from overtrick.jet import Database, Table

app = typer.Typer(
    name="jet",
    help="Show the tables, columns and rows of an Access 97 to 2003 file.",
    no_args_is_help=True,
    add_completion=False,
)


File = Annotated[Path, typer.Argument(help="An Access file, such as a .bws or .mdb.", show_default=False)]
OneTable = Annotated[str | None, typer.Option("--table", "-t", help="Only this table; by default all.")]


@app.command()
def tables(file: File, format_: AsList = "table") -> None:
    """List the tables; as JSON, a list of their names."""
    from overtrick import jet

    with jet.open(file) as db:
        if format_ == "json":
            _print_json(db.tables)
        else:
            _print_rows(format_, file.name, ["table", "rows"], ([name, len(db[name])] for name in db.tables))


@app.command()
def schema(file: File, table: OneTable = None, format_: AsList = "table") -> None:
    """Show the columns of each table with their types, sizes and defaults."""
    from overtrick import jet

    with jet.open(file) as db:
        chosen = _tables(db, table)
        if format_ == "json":
            _print_json({chosen_table.name: _description(chosen_table) for chosen_table in chosen})
            return
        headings = [
            "table",
            "column",
            "type",
            "size",
            "autonumber",
            "required",
            "allow zero length",
            "default",
        ]
        rows = (
            [chosen_table.name, *_column_facts(column).values()]
            for chosen_table in chosen
            for column in chosen_table.columns
        )
        _print_rows(format_, file.name, headings, rows)


@app.command()
def dump(file: File, table: OneTable = None, format_: AsList = "table") -> None:
    """Write the rows of one table or of all.

    With --format json, each row is one line: an object with its columns, or without --table {"table": …, "row": …}.
    """
    from overtrick import jet

    with jet.open(file) as db:
        chosen = _tables(db, table)
        if format_ == "csv" and table is None and len(chosen) != 1:
            raise BadInput("A CSV file holds one table; name it with --table.", where=file.name)
        for chosen_table in chosen:
            names = [column.name for column in chosen_table.columns]
            if format_ != "json":
                _print_rows(
                    format_, chosen_table.name, names, (row.values_in_order for row in chosen_table.rows())
                )
                continue
            for row in chosen_table.rows():
                values = {name: _json_value(value) for name, value in row.items()}
                _print_json(values if table is not None else {"table": chosen_table.name, "row": values})


def _tables(db: "Database", only: str | None) -> list["Table"]:
    return [db[name] for name in (db.tables if only is None else [only])]


def _description(table: "Table") -> dict[str, Any]:
    names = {column.number: column.name for column in table.columns}
    return {
        "columns": [_column_facts(column) for column in table.columns],
        "indexes": [
            {
                "name": index.names[0] if index.names else None,
                "columns": [names.get(number) for number, _ in index.columns],
                "primary": index.primary,
                "unique": index.unique,
            }
            for index in table.definition.indexes
        ],
    }


def _column_facts(column: Any) -> dict[str, Any]:
    from overtrick.jet import ColumnType

    has_size = column.type in (ColumnType.TEXT, ColumnType.BINARY)
    return {
        "name": column.name,
        "type": column.type.word,
        "size": column.size if has_size else None,
        "autonumber": column.autonumber,
        "required": column.required,
        "allow_zero_length": column.allow_zero_length if has_size else None,
        "default": column.default,
    }


def _json_value(value: object) -> object:
    """Return a value for JSON.

    Dates are written as ISO 8601, bytes in hexadecimal, decimals and GUIDs as text; a number that is infinite or not a
    number becomes None.
    """
    from datetime import datetime
    from decimal import Decimal
    from math import isfinite
    from uuid import UUID

    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, float) and not isfinite(value):
        return None
    return str(value) if isinstance(value, Decimal | UUID) else value


def _cell_text(value: object) -> str:
    json_value = _json_value(value)
    if json_value is None:
        return ""
    return ("yes" if json_value else "no") if isinstance(json_value, bool) else str(json_value)


def _print_json(value: object) -> None:
    import json

    typer.echo(json.dumps(value, ensure_ascii=False))


def _print_rows(
    format_: ListFormat, title: str, headings: Sequence[str], rows: Iterable[Sequence[object]]
) -> None:
    cells: Iterator[list[str]] = ([_cell_text(value) for value in row] for row in rows)
    if format_ == "csv":
        import csv
        import sys

        writer = csv.writer(sys.stdout)
        writer.writerow(headings)
        writer.writerows(cells)
        return
    from rich.table import Table as Grid
    from rich.text import Text

    from overtrick.cli.tables import show

    grid = Grid(title=Text(title), title_justify="left")
    for heading in headings:
        grid.add_column(Text(heading))
    for row in cells:
        grid.add_row(*(Text(cell) for cell in row))
    show(grid)
