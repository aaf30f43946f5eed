"""The screen of `overtrick demo` in a terminal: the addresses on top, then as many tables as fit, and the ranking."""

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from overtrick.words import counted

if TYPE_CHECKING:
    from rich.console import ConsoleDimensions, Group
    from rich.table import Table
    from rich.text import Text

    from overtrick.views import SessionView
    from overtrick.views.monitors import TableProgress

MOST_NEWS = 6
WIDE = 106
"""Columns that whole names need."""
NARROW = 72
"""Columns that the tables and the ranking need side by side."""
SIDES = {"NS": "North-South", "EW": "East-West"}


@dataclass(frozen=True, slots=True)
class DemoAddresses:
    """Addresses of the pages and of the Data Connector; empty while they are not served."""

    pages: str = ""
    terminal: str = ""
    connector: str = ""

    def page_addresses(self) -> dict[str, str]:
        """Return the addresses of the pages, each with a description; empty if no pages are served."""
        if not self.pages:
            return {}
        return {
            f"{self.pages}/": "the home page",
            f"{self.pages}/live": "the projector",
            f"{self.pages}/results": "rankings, travellers and score cards",
            f"{self.pages}/desk": "the director's desk",
            f"{self.pages}/api/": "the JSON API",
            self.terminal: "the terminal of table A1: take it over and score",
        }


def screen(
    view: "SessionView | None",
    news: list[str],
    size: "ConsoleDimensions",
    addresses: DemoAddresses,
    status: str,
) -> "Group":
    """Return a screen that fits into a terminal of a size; its first lines are the addresses."""
    from rich.console import Group
    from rich.table import Table
    from rich.text import Text

    top = _top(addresses, status)
    height = size.height - 1 - len(top)
    last_news = news[-min(MOST_NEWS, max(2, height // 4)) :]
    lines: list[Text | Table] = [*top]
    if view is not None:
        # Two more lines are the column headings and the empty line before the news.
        rows = height - len(last_news) - 2
        columns = Table.grid(padding=(0, 3))
        column_tables = [_tables(view, rows)]
        if size.width >= NARROW:
            column_tables.append(ranking(view, rows, in_full=size.width >= WIDE))
        columns.add_row(*column_tables)
        lines.append(columns)
    lines += [Text(), *(Text(line, no_wrap=True, overflow="ellipsis") for line in last_news)]
    return Group(*lines)


def _top(addresses: DemoAddresses, status: str) -> "list[Text]":
    from rich.text import Text

    lines = []
    if addresses.pages:
        lines = [
            f"In a browser: [bold]{addresses.pages}/[/]  /desk  /live (projector)  /results",
            f"A1: [bold]{addresses.terminal}[/]  the terminal of a table",
        ]
    texts = [Text.from_markup(line) for line in [*lines, status]]
    for line in texts:
        line.no_wrap, line.overflow = True, "ellipsis"
    return texts


def _tables(view: "SessionView", rows: int) -> "Table":
    """Return the tables that fit into `rows` rows, always with those that call the director."""
    from rich.table import Table

    from overtrick.views import round_monitor

    monitor = round_monitor(view)
    visible = monitor
    if len(monitor) > rows:
        first = sorted(monitor, key=lambda line: not line.is_calling)[: max(0, rows - 1)]
        visible = [line for line in monitor if line in first]
    table = Table(box=None, pad_edge=False, padding=(0, 1))
    for name in ("Table", "Round", "NS", "EW", "Boards"):
        table.add_column(name, justify="left" if name == "Boards" else "right", no_wrap=True)
    for line in visible:
        cells, style = _table_row(view, line)
        table.add_row(*cells, style=style)
    if hidden := len(monitor) - len(visible):
        table.add_row("…", "", "", "", f"and {counted(hidden, 'more table')}")
    return table


def _table_row(view: "SessionView", line: "TableProgress") -> tuple[list[str], str]:
    from overtrick.views import TableStage

    name = f"{line.section}{line.table}"
    played = view.session.movement.round(line.section, line.table, line.round)
    if line.stage in (TableStage.FINISHED, TableStage.UNUSED) or played is None:
        return [name, "", "", "", "finished"], ""
    boards = "●" * line.played + "○" * (line.boards - line.played)
    note = "  director!" if line.is_calling else ""
    cells = [
        name,
        str(line.round),
        str(played.ns),
        str(played.ew),
        f"{boards}  {played.boards[0]}-{played.boards[-1]}{note}",
    ]
    return cells, "bold red" if line.is_calling else "yellow" if line.is_behind else ""


def ranking(view: "SessionView", rows: int | None = None, *, in_full: bool = True) -> "Table":
    """Return the ranking, cut off after `rows` rows if that is given."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    rankings = view.rankings(1)
    rows_per_side = rows
    if rows is not None and len(rankings) > 1:
        rows_per_side = rows // len(rankings) - 1  # One line is the name of the side.
    table = Table(box=box.HEAVY_HEAD if rows is None else None, pad_edge=rows is None)
    if rows is None:
        table.title = "Ranking"
    for name in ("", "Pair", "Players", "%"):
        table.add_column(name, justify="left" if name == "Players" else "right", no_wrap=rows is not None)
    names = view.players()
    for side_ranking in rankings:
        if side_ranking.side is not None:
            table.add_row("", "", f"[bold]{SIDES[side_ranking.side.value]}[/]", "")
        for standing in side_ranking.standings[: None if rows_per_side is None else max(0, rows_per_side)]:
            players = names.get(standing.contestant, ())
            table.add_row(
                standing.rank_text,
                str(standing.contestant.number),
                Text(" – ".join(player.name if in_full else player.last_name for player in players)),
                "" if standing.percentage is None else standing.percentage_text,
            )
        if rows is None:
            table.add_section()
    return table


def symbols(text: str) -> str:
    """Return a text with its contracts in full: 4SxN+1 becomes 4♠x by North, +1."""

    def readable(match: re.Match[str]) -> str:
        level, strain, doubled, declarer, result = match.groups()
        symbol = {"C": "♣", "D": "♦", "H": "♥", "S": "♠", "NT": "NT"}[strain]
        seat = {"N": "North", "E": "East", "S": "South", "W": "West"}[declarer]
        return f"{level}{symbol}{doubled} by {seat}, {'made' if result == '=' else result}"

    return re.sub(r"\b([1-7])(NT|[CDHS])(x{0,2})([NESW])(=|[+-]\d+)", readable, text)
