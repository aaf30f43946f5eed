"""Lists for people and for programs: tables as wide as the window, or as they need on a pipe; CSV; lines of JSON."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

import typer

if TYPE_CHECKING:
    from rich.table import Table


def print_list(lines: Sequence[Mapping[str, Any]], form: Literal["table", "csv", "json"]) -> None:
    """Print the entries of a list, each with the same fields."""
    if form != "table":
        print_lines(lines, form)
    elif lines:
        from rich.table import Table
        from rich.text import Text

        table = Table(box=None, pad_edge=False)
        for name in lines[0]:
            table.add_column(Text(name), no_wrap=True)
        for line in lines:
            table.add_row(*(Text("" if value is None else str(value)) for value in line.values()))
        show(table)


def print_lines(lines: Sequence[Mapping[str, Any]], form: Literal["csv", "json"]) -> None:
    """Print the entries of a list for programs: a line of JSON each, or CSV with a header."""
    if form == "csv":
        print_csv(lines)
        return
    import json

    for line in lines:
        typer.echo(json.dumps(line, ensure_ascii=False))


def print_csv(lines: Sequence[Mapping[str, Any]], *, header: bool = True) -> None:
    """Print entries as CSV; nothing without entries."""
    typer.echo(csv_text(lines, header=header), nl=False)


def csv_text(lines: Sequence[Mapping[str, Any]], *, header: bool = True) -> str:
    """Return entries as CSV; an empty text without entries."""
    import csv
    from io import StringIO

    text = StringIO()
    if lines:
        writer = csv.DictWriter(text, list(lines[0]), lineterminator="\n")
        if header:
            writer.writeheader()
        writer.writerows(lines)
    return text.getvalue()


def show(table: "Table") -> None:
    """Print a table, and cut nothing off."""
    from rich.console import Console
    from rich.measure import Measurement

    console = Console()
    for column in table.columns:
        column.overflow = "fold"
    if not console.is_terminal:
        needed = Measurement.get(console, console.options.update(max_width=100_000), table).maximum
        console.width = max(console.width, needed)
    console.print(table)
