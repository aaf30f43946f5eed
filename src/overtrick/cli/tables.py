"""Tables in the terminal: folded to the width of a window, full width on a pipe."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.table import Table


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
