"""`overtrick demo`: a simulated club evening, live in a terminal or line by line on a pipe."""

import os
import signal
import sys
import time
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Protocol

import typer

from overtrick.cli.demo_screen import SIDES, DemoAddresses, ranking, screen, symbols
from overtrick.cli.options import JOURNAL_NAMES
from overtrick.words import counted

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    from rich.console import Console

    from overtrick.event import Session
    from overtrick.host.runtime import Runtime
    from overtrick.host.scoring_client import ScoringProgram
    from overtrick.views import SessionView

SHORTEST_PAUSE = 0.1
"""Seconds between two checks for a signal during a pause, and at least between two drawings of the screen."""
RECEIVED = "polled.jsonl"
"""The file with what the scoring program received."""


def demo(
    tables: Annotated[int, typer.Option(min=2, max=256, help="Number of tables.")] = 8,
    speed: Annotated[float, typer.Option(min=0.1, help="How many times as fast as a real evening.")] = 240,
    boards: Annotated[
        int, typer.Option(min=2, max=60, help="Approximate number of boards for each pair.")
    ] = 24,
    seed: Annotated[
        int, typer.Option(help="Seed of the deals and results: another seed gives another evening.")
    ] = 1,
    data: Annotated[
        str | None,
        typer.Option(
            *JOURNAL_NAMES,
            envvar="OVERTRICK_JOURNAL",
            help="Folder for the journal and the other files, or PostgreSQL address for the journal. An evening that "
            "was interrupted there continues. By default, every demonstration has a new folder in overtrick-demo.",
        ),
    ] = None,
    web: Annotated[
        bool | None,
        typer.Option(
            help="Open the pages in a browser, or do not serve them. By default they are served, and their addresses "
            "are shown.",
            show_default=False,
        ),
    ] = None,
    port: Annotated[
        int | None,
        typer.Option(
            min=0,
            max=65535,
            help="The port for the pages; by default 8080, or any free port if that is taken.",
        ),
    ] = None,
) -> None:
    """Play a whole simulated club evening: watch the tables and the ranking, then read the result.

    In a terminal the pages stay open until you press Ctrl-C; on a pipe the command ends with the evening.
    """
    with StopSignals() as stop, ExitStack() as stack:
        # Print before the slow imports, so that something is on the screen at once.
        typer.echo(f"Overtrick: a simulated club evening of {tables} tables, {speed:g} times as fast.")
        from rich.console import Console

        if hasattr(sys.stdout, "reconfigure"):
            # A log in an old encoding gets question marks for suit symbols instead of an error.
            sys.stdout.reconfigure(errors="replace")
        is_screen = sys.stdout.isatty() and os.environ.get("TERM") != "dumb"
        console = Console(force_terminal=is_screen, highlight=False, soft_wrap=True)
        demonstration = Demonstration(console, stop, stack)
        try:
            with ScreenDisplay(console) if is_screen else LineDisplay(console) as display:
                demonstration.play(display, tables, speed, boards, seed, data, web, port)
        except Stopped as stopped:
            demonstration.conclude()
            raise typer.Exit(128 + stopped.number) from None
        demonstration.show_ranking()
        demonstration.conclude()
        if is_screen and demonstration.addresses.pages:
            demonstration.keep_pages()


class Stopped(Exception):
    """A signal that asks the demonstration to end, as an exception; `number` is the number of the signal."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


class StopSignals:
    """Handler that turns SIGINT and SIGTERM into a flag, so that the demonstration ends between two steps."""

    def __init__(self) -> None:
        self._number: int | None = None
        self._previous_handlers: dict[int, Any] = {}

    def __enter__(self) -> "StopSignals":
        for number in (signal.SIGINT, signal.SIGTERM):
            self._previous_handlers[number] = signal.signal(number, self._remember)
        return self

    def __exit__(self, *_: object) -> None:
        for number, handler in self._previous_handlers.items():
            signal.signal(number, handler)

    def _remember(self, number: int, _: object) -> None:
        self._number = self._number or number

    def check(self) -> None:
        """Raise Stopped if a signal has come."""
        if self._number is not None:
            raise Stopped(self._number)

    def sleep(self, seconds: float) -> None:
        """Sleep; raise Stopped soon after a signal has come."""
        end = time.monotonic() + seconds
        self.check()
        while (rest := end - time.monotonic()) > 0:
            time.sleep(min(rest, SHORTEST_PAUSE))
            self.check()


class DemoDisplay(Protocol):
    """Display of the evening while it is played."""

    def show_start(self, view: "SessionView", addresses: DemoAddresses) -> None:
        """Show the addresses of the pages, and the progress of an evening that continues."""

    def show_connector(self, addresses: DemoAddresses) -> None:
        """Show the address of the Data Connector, too."""

    def show_analysis(self, done: int, total: int) -> None:
        """Show how many deals are analysed."""

    def show_end(self) -> None:
        """Show that the evening is over and its files are being written."""

    def show_moment(self, view: "SessionView", at: "datetime", words: str, accepted: int) -> None:
        """Show what has happened, and how far everyone is."""

    def refresh(self) -> None:
        """Show pending changes before a pause."""


class Demonstration:
    """Demonstration from its start to the list of files that it made."""

    def __init__(self, console: "Console", stop: StopSignals, stack: ExitStack) -> None:
        self.addresses = DemoAddresses()
        self._console = console
        self._stop = stop
        self._stack = stack
        self._folder: Path | None = None
        self._data_place: Path | str = ""
        self._files: list[tuple[str, Path | str]] = []
        self._view: SessionView | None = None
        self._program: ScoringProgram | None = None
        self._is_over = False

    def play(
        self,
        display: DemoDisplay,
        tables: int,
        speed: float,
        boards: int,
        seed: int,
        data: str | None,
        web: bool | None,
        port: int | None,
    ) -> None:
        """Play the evening and make its files; the pages are served until the stack is closed."""
        from datetime import timedelta

        from overtrick.host.demo import analyse_deals, demo_folder, open_demo, play
        from overtrick.host.due_executor import executing_due
        from overtrick.host.lookup import data_place

        self._stop.check()
        place = None if data is None else data_place(data)
        # Make the folder before opening a journal file in it; with a database, make it only after that is open.
        folder = place if isinstance(place, str) else demo_folder(place)
        evening, runtime = self._stack.enter_context(open_demo(folder, tables, seed, boards))
        folder = demo_folder(place) if isinstance(folder, str) else folder
        self._data_place, self._folder = runtime.journal.name if isinstance(place, str) else folder, folder
        self._files.append(("journal", runtime.journal.name))
        self._view = view = runtime.view(evening.session)
        assert view is not None
        if web is not False:
            pages = self._stack.enter_context(_pages(runtime, folder, port))
            self.addresses = DemoAddresses(pages, _terminal(pages, runtime, evening.session))
        display.show_start(view, self.addresses)
        program = self._connect(runtime, evening.session)
        display.show_connector(self.addresses)
        if web:
            typer.launch(self.addresses.pages)
        tricks = analyse_deals(evening, runtime, display.show_analysis, self._stop.sleep)
        # Sessions that visitors open at the desk need the executor. Started earlier it would analyse these deals too.
        self._stack.enter_context(executing_due(runtime.journal, runtime.writer))

        def sleep(seconds: float) -> None:
            if seconds >= SHORTEST_PAUSE:
                display.refresh()
            self._stop.sleep(seconds)

        for moment in play(evening, runtime, tricks, speed, sleep):
            self._stop.check()
            at = evening.starts + timedelta(minutes=moment.minute)
            display.show_moment(moment.view, at, moment.words, program.accepted)
        self._view = runtime.view(evening.session)
        display.show_end()
        program.finish()
        from overtrick.host.demo_files import make_files

        for file in make_files(folder, evening, runtime):
            self._files.append(file)
            self._stop.check()
        self._is_over = True

    def _connect(self, runtime: "Runtime", session: str) -> "ScoringProgram":
        """Serve the Data Connector, and have a scoring program follow it."""
        from overtrick.host.scoring_client import scoring_program, serve_connector_beside

        assert self._folder is not None
        connector = self._stack.enter_context(serve_connector_beside(runtime, self._folder))
        self.addresses = replace(self.addresses, connector=connector)
        received = self._folder / RECEIVED
        self._program = self._stack.enter_context(scoring_program(connector, session, received))
        return self._program

    def show_ranking(self) -> None:
        """Print the result of the evening."""
        view = self._view
        assert view is not None
        results = counted(len(view.session.results.standing), "result")
        self._console.print(f"{view.session.opened.name}: {results}.")
        self._console.print(ranking(view), soft_wrap=False)

    def conclude(self) -> None:
        """Print the files that were made, also after an interruption."""
        print_line = self._console.print
        if not self._is_over:
            print_line("Stopped.", end="\n" if self._folder is None else " ")
            if self._folder is not None:
                print_line(f"The same command with `--journal {self._data_place}` continues it.")
        program = self._program
        if program is not None:
            program.finish()
            if program.accepted:
                assert self._folder is not None
                self._files.append(("polled results", self._folder / RECEIVED))
        if self._files:
            print_line("Files:")
            width = max(len(name) for name, _ in self._files)
            for name, path in self._files:
                print_line(f"  {name:{width}}  {path}", markup=False)
        if program is not None:
            print_line("Meanwhile a scoring program in a separate process polled and accepted")
            print_line(
                f"{counted(program.accepted, 'result')} over the Data Connector (a corrected result is sent again)."
            )
            if program.problem:
                print_line(f"It ended early: {program.problem}", markup=False)

    def keep_pages(self) -> None:
        """Keep the pages open until Ctrl-C."""
        _print_addresses(self._console, self.addresses, "The pages stay open until you press Ctrl-C:")
        try:
            while True:
                self._stop.sleep(3600)
        except Stopped:
            self._console.print()


@contextmanager
def _pages(runtime: "Runtime", folder: Path, port: int | None) -> "Iterator[str]":
    """Serve the pages of the evening for this computer alone; yield their address."""
    from overtrick.host.http_server import PortTaken
    from overtrick.host.web import PORT, PageServerSettings, pages_beside

    with ExitStack() as stack:
        try:
            address = stack.enter_context(
                pages_beside(runtime, PageServerSettings(folder, PORT if port is None else port))
            )
        except PortTaken:
            if port is not None:
                raise
            address = stack.enter_context(pages_beside(runtime, PageServerSettings(folder, 0)))
        yield address


def _terminal(pages: str, runtime: "Runtime", session: str) -> str:
    """Return the address of table A1's terminal."""
    from overtrick.keys import KeyRing

    return f"{pages}/t/{session}/A1?code={KeyRing(runtime.journal.documents).table_code(session, 'A', 1)}"


def _print_addresses(console: "Console", addresses: DemoAddresses, title: str) -> None:
    console.print(title)
    for address, words in addresses.page_addresses().items():
        console.print(f"  [bold]{address}[/]  {words}")


class LineDisplay:
    """Display as lines, for a pipe or a log: each round and each call for the director."""

    def __init__(self, console: "Console") -> None:
        self._console = console
        self._rounds: RoundNews | None = None
        self._is_analysing = False

    def __enter__(self) -> "LineDisplay":
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def show_start(self, view: "SessionView", addresses: DemoAddresses) -> None:
        """Print the addresses of the pages, and the progress of an evening that continues."""
        if addresses.pages:
            _print_addresses(self._console, addresses, "The pages, while the evening is played:")
        self._rounds = RoundNews(view.session)
        if view.session.results.standing:
            self._console.print(f"The evening continues: {self._rounds.results_in(view.session)}.")

    def show_connector(self, addresses: DemoAddresses) -> None:
        """Print the address of the Data Connector."""
        self._console.print(
            f"A scoring program polls and accepts results from the Data Connector at {addresses.connector}."
        )

    def show_analysis(self, done: int, total: int) -> None:
        """Print once that the deals are being analysed."""
        if not self._is_analysing:
            self._is_analysing = True
            self._console.print(f"Analysing {counted(total, 'deal')} (double dummy)…")

    def show_end(self) -> None:
        """Print that the evening is over."""
        self._console.print("The evening is over. Writing its files…")

    def show_moment(self, view: "SessionView", at: "datetime", words: str, accepted: int) -> None:
        """Print the rounds that are over now, and the calls."""
        assert self._rounds is not None
        for line in self._rounds.news(view):
            self._console.print(f"{at:%H:%M}  {line}", markup=False)

    def refresh(self) -> None:
        """Do nothing: every line is flushed when it is printed."""


class RoundNews:
    """Rounds that are over and calls for the director, each reported once."""

    def __init__(self, session: "Session") -> None:
        from overtrick.event.movement import boards_to_play

        self._rounds: dict[int, set[tuple[str, int, int, int]]] = {}
        for board in boards_to_play(session):
            self._rounds.setdefault(board[2], set()).add(board)
        self._total = sum(map(len, self._rounds.values()))
        self._calls: dict[str, bool] = {}
        # Do not report what happened before.
        list(self._calls_of(session))
        list(self._finished_rounds(session))

    def news(self, view: "SessionView") -> "Iterator[str]":
        """Yield a line for every call, for every ruling and for every round that has its last result."""
        yield from self._calls_of(view.session)
        for number in self._finished_rounds(view.session):
            yield f"Round {number} is over: {self.results_in(view.session)}. {_leaders(view)}"

    def results_in(self, session: "Session") -> str:
        """Return how many results there are, and of how many."""
        return f"{len(session.results.standing)} of {self._total} results are in"

    def _calls_of(self, session: "Session") -> "Iterator[str]":
        for call in session.calls.calls.values():
            if self._calls.get(call.call) is not call.is_open:
                self._calls[call.call] = call.is_open
                table = f"Table {call.section}{call.table}"
                yield f"{table} calls the director." if call.is_open else f"{table}: the director has ruled."

    def _finished_rounds(self, session: "Session") -> "Iterator[int]":
        for number, boards in sorted(self._rounds.items()):
            if all(board in session.results.standing for board in boards):
                del self._rounds[number]
                yield number


def _leaders(view: "SessionView") -> str:
    """Return a sentence with the leaders, of each side if there are two winners."""
    names = view.players()
    sentences = []
    for side_ranking in view.rankings(1):
        first = [standing for standing in side_ranking.standings if standing.rank == 1]
        if not first or first[0].percentage is None:
            continue
        players = names.get(first[0].contestant, ())
        leader = " – ".join(player.name for player in players) or f"Pair {first[0].contestant.number}"
        further_leaders = f" and {counted(len(first) - 1, 'more pair')}" if first[1:] else ""
        side_text = f" {SIDES[side_ranking.side.value]}" if side_ranking.side is not None else ""
        sentences.append(f"{leader}{further_leaders} lead{side_text} with {first[0].percentage_text} %")
    return "; ".join(sentences) + "." if sentences else ""


class ScreenDisplay:
    """Display of the tables and the ranking on the whole screen."""

    def __init__(self, console: "Console") -> None:
        from rich.live import Live

        self._console = console
        self._live = Live(console=console, auto_refresh=False, transient=True)
        self._addresses = DemoAddresses()
        self._view: SessionView | None = None
        self._status = "Opening the evening…"
        self._news: list[str] = []
        self._drawn = 0.0
        self._is_stale = False

    def __enter__(self) -> "ScreenDisplay":
        self._live.__enter__()
        self._draw()
        return self

    def __exit__(self, *_: object) -> None:
        self._live.__exit__(None, None, None)

    def show_start(self, view: "SessionView", addresses: DemoAddresses) -> None:
        """Show the addresses of the pages, and the tables."""
        self._view = view
        self.show_connector(addresses)

    def show_connector(self, addresses: DemoAddresses) -> None:
        """Show the addresses that are known now."""
        self._addresses = addresses
        self._draw()

    def show_analysis(self, done: int, total: int) -> None:
        """Show how many deals are analysed."""
        self._status = f"Analysing {counted(total, 'deal')} (double dummy): {done} done"
        self._draw()

    def show_end(self) -> None:
        """Show that the evening is over."""
        self._status = "The evening is over. Writing its files…"
        self._draw()

    def show_moment(self, view: "SessionView", at: "datetime", words: str, accepted: int) -> None:
        """Show the tables, the ranking and what has happened."""
        self._view, self._is_stale = view, True
        self._news.append(f"{at:%H:%M}  {symbols(words)}")
        self._status = (
            f"{at:%H:%M}  {counted(len(view.session.results.standing), 'result')}. "
            f"Data Connector {self._addresses.connector}: {accepted} accepted"
        )
        if time.monotonic() - self._drawn >= SHORTEST_PAUSE:
            self._draw()

    def refresh(self) -> None:
        """Draw changes that came too soon after the last picture."""
        if self._is_stale:
            self._draw()

    def _draw(self) -> None:
        picture = screen(self._view, self._news, self._console.size, self._addresses, self._status)
        self._live.update(picture, refresh=True)
        self._drawn, self._is_stale = time.monotonic(), False
