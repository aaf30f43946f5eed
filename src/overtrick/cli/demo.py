"""`overtrick demo`: a whole club evening that plays itself, live in the terminal."""

import re
from contextlib import ExitStack, contextmanager
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.console import Console, ConsoleDimensions, Group
    from rich.table import Table

    from overtrick.host.demo import Moment
    from overtrick.host.house import RunningHouse
    from overtrick.views import SessionView

LINES_OF_NEWS = 5
LINES_AROUND = 17
"""Lines of the screen that are not lines of the ranking."""
WIDE = 106
"""Columns that whole names need."""
INTERRUPTED = 130
"""The status of a command that was ended with Ctrl-C."""


def demo(
    tables: Annotated[int, typer.Option(min=2, max=256, help="How many tables play.")] = 8,
    speed: Annotated[float, typer.Option(min=0.1, help="How many times faster than a club.")] = 60,
    boards: Annotated[int, typer.Option(min=2, max=60, help="About how many boards everyone plays.")] = 24,
    seed: Annotated[int, typer.Option(help="Another seed is another evening.")] = 1,
    data: Annotated[
        Path | None,
        typer.Option(help="Keep the journal in this folder; an evening that was interrupted there goes on."),
    ] = None,
    web: Annotated[
        bool | None,
        typer.Option(
            help="Open the pages in a browser, too. Without either they are served where a person is at the "
            "terminal, and their address is shown.",
            show_default=False,
        ),
    ] = None,
    port: Annotated[
        int | None,
        typer.Option(min=0, max=65535, help="The port for the pages; 8080, or any if that is taken."),
    ] = None,
) -> None:
    """A whole club evening that plays itself: watch the tables and the ranking, then read the result."""
    from rich.console import Console
    from rich.live import Live

    from overtrick.host.demo import demo as opened
    from overtrick.host.demo import journal_folder, play

    console = Console()
    news: list[str] = []
    with _stopped(console, data), ExitStack() as stack:
        folder = stack.enter_context(journal_folder(data))
        with console.status("Dealing, and working out what can be made…"):
            evening, house, tricks = stack.enter_context(opened(folder, tables, seed, boards))
        address = doors = ""
        if web or (web is None and console.is_terminal):
            address = stack.enter_context(_pages(house, folder, port))
            doors = _doors(address, folder, evening.session)
        if web:
            console.print(doors, soft_wrap=True, highlight=False)
            typer.launch(address)
        with Live(console=console, refresh_per_second=8, transient=True) as screen:
            for moment in play(evening, house, tricks, speed):
                if moment.words:
                    news.append(
                        f"{evening.starts + timedelta(minutes=moment.minute):%H:%M}  {_symbols(moment.words)}"
                    )
                if console.is_terminal:
                    screen.update(_screen(moment, news[-LINES_OF_NEWS:], console.size, address))
        view = house.view(evening.session)
        if view is not None:
            console.print(
                f"[bold]{view.session.opened.name}[/]: {len(view.session.results.standing)} results"
            )
            console.print(_ranking(view))
        if address and console.is_terminal:
            _wait(console, doors)
    if data is not None:
        console.print(f"The journal is in {data}.")


@contextmanager
def _stopped(console: "Console", data: Path | None) -> "Iterator[None]":
    """Say what is left when Ctrl-C ends it."""
    try:
        yield
    except KeyboardInterrupt:
        console.print("Stopped." if data is None else "Stopped; the same command goes on where it was.")
        raise typer.Exit(INTERRUPTED) from None


@contextmanager
def _pages(house: "RunningHouse", folder: Path, port: int | None) -> "Iterator[str]":
    """The pages of the evening, for this computer alone; their address."""
    from overtrick.host.serving import PortTaken
    from overtrick.host.web import PORT, WebServing, pages_beside

    with ExitStack() as stack:
        try:
            address = stack.enter_context(
                pages_beside(house, WebServing(folder, PORT if port is None else port))
            )
        except PortTaken:
            if port is not None:
                raise
            address = stack.enter_context(pages_beside(house, WebServing(folder, 0)))
        yield address


def _doors(address: str, folder: Path, session: str) -> str:
    """Where the pages are, each with what it is."""
    from overtrick.keys import KeyRing

    code = KeyRing(folder).table_code(session, "A", 1)
    doors = {
        "/": "everything, and the way to it",
        "/live": "the projector",
        "/results": "rankings, travellers and score cards",
        "/desk": "the director's desk",
        "/api/": "the same for programs",
        f"/t/{session}/A1?code={code}": "the terminal of table A1: take it over, and score a board yourself",
    }
    return "\n".join(
        ["The pages:", *(f"  [bold]{address}{path}[/]  {words}" for path, words in doors.items())]
    )


def _wait(console: "Console", doors: str) -> None:
    """Keep the pages open until the person at the keyboard has seen enough."""
    import time

    console.print(doors, soft_wrap=True, highlight=False)
    console.print("They stay open until you press Ctrl-C.")
    try:
        while True:
            time.sleep(3600)
    except KeyboardInterrupt:
        console.print()


def _symbols(words: str) -> str:
    """Contracts as people write them: 4♠x by North, +1."""

    def pretty(found: re.Match[str]) -> str:
        level, strain, doubled, declarer, result = found.groups()
        symbol = {"C": "♣", "D": "♦", "H": "♥", "S": "♠", "NT": "NT"}[strain]
        seat = {"N": "North", "E": "East", "S": "South", "W": "West"}[declarer]
        return f"{level}{symbol}{doubled} by {seat}, {'made' if result == '=' else result}"

    return re.sub(r"\b([1-7])(NT|[CDHS])(x{0,2})([NESW])(=|[+-]\d+)", pretty, words)


def _screen(moment: "Moment", news: list[str], size: "ConsoleDimensions", address: str = "") -> "Group":
    from rich.columns import Columns
    from rich.console import Group
    from rich.panel import Panel

    ranking = _ranking(moment.view, max(4, size.height - LINES_AROUND), in_full=size.width >= WIDE)
    return Group(
        Columns([_tables(moment.view), ranking], padding=(0, 2)),
        Panel("\n".join(news) or " ", title="What happens", width=78),
        *([f"In a browser: [bold]{address}/[/]  the desk, the projector, the results"] if address else []),
    )


def _tables(view: "SessionView") -> "Table":
    from rich.table import Table

    from overtrick.views import Stage, round_monitor

    table = Table(title="Tables", expand=False)
    for name in ("Table", "Round", "NS", "EW", "Boards"):
        table.add_column(name, justify="right" if name != "Boards" else "left")
    for line in round_monitor(view):
        played = view.session.movement.round(line.section, line.table, line.round)
        if line.stage is Stage.FINISHED or played is None:
            table.add_row(f"{line.section}{line.table}", "", "", "", "finished")
            continue
        boards = "●" * line.played + "○" * (line.boards - line.played)
        colour = "bold red" if line.is_calling else "yellow" if line.is_behind else ""
        note = "  director!" if line.is_calling else ""
        table.add_row(
            f"{line.section}{line.table}",
            str(line.round),
            str(played.ns),
            str(played.ew),
            f"{boards}  {played.boards[0]}-{played.boards[-1]}{note}",
            style=colour,
        )
    return table


def _ranking(view: "SessionView", most: int | None = None, *, in_full: bool = True) -> "Table":
    from rich.table import Table

    rankings = view.rankings(1)
    room = most and (most if len(rankings) == 1 else most // 2)
    is_cut = room is not None and any(len(ranking.standings) > room for ranking in rankings)
    so_far = f"Ranking so far, the first {room}" if is_cut else "Ranking so far"
    table = Table(title="Ranking" if most is None else so_far, expand=False)
    table.add_column("", justify="right")
    table.add_column("Pair", justify="right")
    table.add_column("Players")
    table.add_column("%", justify="right")
    names = view.players()
    for ranking in rankings:
        if ranking.side is not None:
            table.add_row(
                "", "", f"[bold]{'North-South' if ranking.side.value == 'NS' else 'East-West'}[/]", ""
            )
        for standing in ranking.standings[:room]:
            players = names.get(standing.contestant, ())
            people = " – ".join(player.name if in_full else player.last_name for player in players)
            share = standing.percentage
            table.add_row(
                standing.rank_text,
                str(standing.contestant.number),
                people,
                "" if share is None else f"{share:.2f}",
            )
        table.add_section()
    return table
