"""`overtrick tm`: computer bridge over TCP, protocol version 18."""

from collections.abc import Callable, Coroutine, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, TypeVar

import typer

from overtrick.cli.options import file_of_folder, takes_options

if TYPE_CHECKING:
    from overtrick.bridge import Side
    from overtrick.host.runtime import Runtime
    from overtrick.tablemanager.matches import Venue
    from overtrick.tablemanager.player import Player
    from overtrick.tablemanager.results import EventTable
    from overtrick.tablemanager.robots import Robot
    from overtrick.tablemanager.robots.human import Human
    from overtrick.tablemanager.rules import Board, BoardResult, TableRules
    from overtrick.tablemanager.terminal import Terminal
    from overtrick.web.table_watch import TableWatch

Result = TypeVar("Result")

app = typer.Typer(
    name="tm",
    help="Computer bridge over TCP: the Table Manager, players, matches.",
    no_args_is_help=True,
    add_completion=False,
)


DialectName = Literal["v18", "classic"]
"""The punctuation of messages."""

AlertsName = Literal["off", "every", "marked", "end"]
"""The cases in which the table asks the operator for alerts."""

RulingName = Literal["adjust", "forfeit"]
"""The rulings about a board that cannot be finished."""

Dialect = Annotated[
    DialectName,
    typer.Option(help="Punctuation of messages: v18 as in the document, or classic for older programs."),
]
Verbose = Annotated[bool, typer.Option("--verbose", "-v", help="Log what happens at the table.")]


@dataclass(frozen=True, slots=True)
class DealOptions:
    """The boards that are played."""

    deals: Annotated[Path, typer.Option(help="PBN file with the deals.")]
    boards: Annotated[
        int | None, typer.Option("--boards", min=1, help="Number of boards to play; all if not given.")
    ] = None
    first: Annotated[int | None, typer.Option(min=1, help="Number of the first board to play.")] = None

    def read(self) -> "list[Board]":
        """Return the boards to play. Raise BadInput if the file cannot be read."""
        from overtrick.tablemanager.records import read_boards

        return read_boards(self.deals, first=self.first, count=self.boards)


@dataclass(frozen=True, slots=True)
class RuleOptions:
    """The rules of a table in a match."""

    dialect: Dialect = "v18"
    timing: Annotated[
        bool | None,
        typer.Option(
            "--timing/--no-timing",
            help="Send the timing line after each board. By default v18 sends it, classic does not.",
        ),
    ] = None
    trick_pause: Annotated[float, typer.Option("--trick-pause", min=0.0, help="Seconds between tricks.")] = (
        0.0
    )
    timeout: Annotated[
        float, typer.Option(min=0.0, help="Seconds to wait for each message of a player; 0 for no limit.")
    ] = 120.0
    tries: Annotated[
        int, typer.Option(min=1, help="Illegal calls or cards of a player on a board that lead to a ruling.")
    ] = 3
    claims: Annotated[bool, typer.Option("--claims", help="Allow claims, as the document proposes them.")] = (
        False
    )

    def rules(self) -> "TableRules":
        """Return the rules."""
        from overtrick.tablemanager.messages import Dialect
        from overtrick.tablemanager.rules import TableRules

        return TableRules(
            dialect=Dialect(self.dialect),
            timing=self.timing,
            trick_pause=self.trick_pause,
            timeout=self.timeout or None,
            tries=self.tries,
            claims=self.claims,
        )


@dataclass(frozen=True, slots=True)
class ServedRuleOptions(RuleOptions):
    """The rules of a table that others connect to."""

    trick_pause: Annotated[float, typer.Option("--trick-pause", min=0.0, help="Seconds between tricks.")] = (
        1.0
    )
    board_timeout: Annotated[
        float, typer.Option(min=0.0, help="Seconds that a side may think on one board; 0 for no limit.")
    ] = 0.0
    reconnect: Annotated[
        float,
        typer.Option(min=0.0, help="Seconds to wait for a player who lost the connection; 0 for no limit."),
    ] = 120.0
    same_address: Annotated[
        float,
        typer.Option(
            min=0.0,
            help="Seconds that a lost player's seat is kept for its network address; 0 admits the team from any.",
        ),
    ] = 30.0
    ruling: Annotated[
        RulingName,
        typer.Option(
            "--ruling", help="After a ruling: adjust the board (60-40) and go on, or also end the session."
        ),
    ] = "adjust"
    alerts: Annotated[
        AlertsName,
        typer.Option(
            help="Ask the operator for alerts: never (off), after calls that are not on the document's list (every), "
            "after calls marked Alert (marked), or when the auction is over (end)."
        ),
    ] = "off"
    inverted_minors: Annotated[
        bool,
        typer.Option("--inverted-minors", help="With --alerts every: ask about raises of a minor suit too."),
    ] = False
    negative_doubles: Annotated[
        bool,
        typer.Option("--negative-doubles", help="With --alerts every: ask about doubles of overcalls too."),
    ] = False

    def rules(self) -> "TableRules":
        """Return the rules."""
        from overtrick.tablemanager.rules import Alerts, UnfinishedBoardRuling

        return replace(
            RuleOptions.rules(self),
            alerts=Alerts(self.alerts),
            inverted_minors=self.inverted_minors,
            negative_doubles=self.negative_doubles,
            ruling=UnfinishedBoardRuling(self.ruling),
            board_timeout=self.board_timeout or None,
            reconnect=self.reconnect or None,
            same_address=self.same_address,
        )


@dataclass(frozen=True, slots=True)
class TableOptions:
    """The tables of a session: their addresses and record files."""

    port: Annotated[int, typer.Option(min=0, max=65535, help="One port for all seats.")] = 2000
    ports: Annotated[
        str | None, typer.Option(help="A port for each seat instead: North,East,South,West.")
    ] = None
    tables: Annotated[
        int,
        typer.Option(min=1, max=256, help="Number of tables that play the boards; each has the next port."),
    ] = 1
    listen: Annotated[str, typer.Option(help="Address to listen on; 0.0.0.0 for all networks.")] = "127.0.0.1"
    out: Annotated[
        Path | None, typer.Option("--output", "-o", "--out", help="PBN file to write the records to.")
    ] = None
    resume: Annotated[
        bool, typer.Option("--resume", help="Continue from the records in --output, with the same teams.")
    ] = False
    rotated_from: Annotated[
        Path | None,
        typer.Option(
            "--rotated-from",
            help="Records of the first set: the same teams play its boards again, in each other's seats.",
        ),
    ] = None


@dataclass(frozen=True, slots=True)
class EventOptions:
    """The event that results are entered in."""

    journal: Annotated[
        str | None,
        typer.Option(
            "--journal",
            "-j",
            callback=file_of_folder,
            help="Journal of the event to enter the results in: a file or a PostgreSQL address. If not given, "
            "--session uses OVERTRICK_JOURNAL.",
        ),
    ] = None
    session: Annotated[
        str | None, typer.Option(help="Guid of the session; `overtrick teams tables` prints it.")
    ] = None
    at: Annotated[
        str,
        typer.Option("--at", help="The table of the session for the first table here; the others follow."),
    ] = "A1"


@dataclass(frozen=True, slots=True)
class WatchOptions:
    """The pages on which browsers watch the tables."""

    watch_port: Annotated[
        int | None,
        typer.Option(
            "--watch-port",
            min=0,
            max=65535,
            help="Serve pages to watch the tables on this port; 0 for any free port.",
        ),
    ] = None
    watch_listen: Annotated[str, typer.Option("--watch-listen", help="Address to serve these pages on.")] = (
        "127.0.0.1"
    )
    watch_hide: Annotated[
        bool,
        typer.Option("--watch-hide", help="Hide hands and double dummy tricks until the board is over."),
    ] = False

    def run(
        self,
        play_tables: "Callable[[TableWatch | None], Coroutine[None, None, Result]]",
        boards: "Callable[[], list[Board]]",
        *,
        asks: bool = False,
    ) -> Result:
        """Run the tables to their end, with the pages if a port is given; return their result."""
        if self.watch_port is None:
            return _run(play_tables(None))
        from overtrick.host.table_watch_server import serve_watch_pages
        from overtrick.web.table_watch import TableWatch

        watch = TableWatch(boards(), hide=self.watch_hide, asks=asks)
        return _run(
            serve_watch_pages(
                watch, self.watch_listen, self.watch_port, typer.echo, lambda: play_tables(watch)
            )
        )


@app.command()
@takes_options
def serve(
    deals: DealOptions,
    table: TableOptions,
    rule_options: ServedRuleOptions,
    event: EventOptions,
    watch: WatchOptions,
    verbose: Verbose = False,
) -> None:
    """Run the Table Manager: wait for four players, then play the boards of a PBN file."""
    from overtrick.errors import BadInput
    from overtrick.tablemanager.rules import Alerts
    from overtrick.tablemanager.sessions import SessionParameters, serve_tables
    from overtrick.tablemanager.terminal import can_read_input

    rules = rule_options.rules()
    if rules.alerts is not Alerts.OFF and watch.watch_port is None and not can_read_input():
        raise BadInput(
            f"--alerts {rule_options.alerts} asks an operator, but nobody can answer here. Start the table in a "
            "terminal, or use --watch-port to answer on a page."
        )
    ports = _ports(table.ports) if table.ports else (table.port,)
    parameters = SessionParameters(
        deals.deals,
        deals.first,
        deals.boards,
        ports,
        table.listen,
        table.out,
        table.resume,
        table.rotated_from,
    )
    _log(verbose)
    with _open_event_tables(event.journal, event.session, event.at) as tables:
        watch.run(
            lambda pages: serve_tables(parameters, rules, table.tables, typer.echo, tables, pages),
            deals.read,
            asks=rules.alerts is not Alerts.OFF,
        )


@dataclass(frozen=True, slots=True)
class ChooserOptions:
    """The robot or person that chooses calls and cards."""

    robot: Annotated[str, typer.Option(help="The player: legal, natural, or human (you).")] = "natural"
    seed: Annotated[int, typer.Option(help="Seed of the robot's random choices.")] = 0
    budget: Annotated[float, typer.Option(min=0.01, help="Maximum seconds for a robot to choose a card.")] = (
        1.0
    )

    def chooser(self, terminal: "Terminal | None") -> "Robot | Human":
        """Return the robot, or the person at the terminal."""
        from overtrick.tablemanager.robots import robot
        from overtrick.tablemanager.robots.human import Human

        if terminal is not None:
            return Human(terminal.say, terminal.ask)
        return robot(self.robot, self.seed, self.budget)


@dataclass(frozen=True, slots=True)
class SeatOptions:
    """The seat that is taken, and the messages that are sent."""

    seat: Annotated[str, typer.Option(help="North, East, South, West, or any.")]
    team: Annotated[str, typer.Option(help="Name of the team.")]
    dialect: Dialect = "v18"
    alerts: Annotated[
        Literal["on", "off"],
        typer.Option(help="Send alerts with calls; off for tables that cannot read them."),
    ] = "on"

    def player(self, chooser: "Robot | Human") -> "Player":
        """Return the player of this seat."""
        from overtrick.bridge import Seat
        from overtrick.tablemanager.messages import Dialect
        from overtrick.tablemanager.player import Player
        from overtrick.tablemanager.robots.human import Human

        return Player(
            self.team,
            None if self.seat.lower() in ("any", "anypl") else Seat.parse(self.seat),
            chooser.choose_call,
            chooser.choose_card,
            choose_answer=chooser.choose_answer,
            hear_claim=chooser.hear_claim if isinstance(chooser, Human) else None,
            dialect=Dialect(self.dialect),
            sends_alerts=self.alerts == "on",
        )


@dataclass(frozen=True, slots=True)
class ConnectionOptions:
    """The connection to the Table Manager."""

    host: Annotated[str, typer.Option(help="Address of the Table Manager.")] = "127.0.0.1"
    port: Annotated[int, typer.Option(min=1, max=65535, help="Port of the Table Manager.")] = 2000
    patience: Annotated[float, typer.Option(min=0.0, help="Seconds to wait for the table to open.")] = 10.0
    reconnect: Annotated[
        float, typer.Option(min=0.0, help="Seconds to try to reconnect after a lost connection; 0 for never.")
    ] = 120.0
    timeout: Annotated[
        float, typer.Option(min=0.0, help="Seconds to wait for the table's next message; 0 for no limit.")
    ] = 600.0


@app.command()
@takes_options
def play(seat_options: SeatOptions, chooser_options: ChooserOptions, connection: ConnectionOptions) -> None:
    """Play at a table, with a robot or yourself."""
    from overtrick.tablemanager.client import sit_in
    from overtrick.tablemanager.terminal import Terminal
    from overtrick.words import counted

    terminal = Terminal(lambda text: typer.echo(text, nl=False)) if chooser_options.robot == "human" else None
    player = seat_options.player(chooser_options.chooser(terminal))
    session = sit_in(
        player,
        connection.host,
        connection.port,
        connect_timeout=connection.patience,
        reconnect=connection.reconnect,
        timeout=connection.timeout,
        say=terminal.say if terminal is not None else typer.echo,
        terminal=terminal,
    )
    try:
        _run(session, "You left the table before the session was over.")
    finally:
        if terminal is not None:
            terminal.end_question()
    typer.echo(f"The session is over: {counted(player.boards, 'board')}.")


@dataclass(frozen=True, slots=True)
class RoomOptions:
    """The rooms of a match: their addresses and record files."""

    out: Annotated[
        Path | None,
        typer.Option("--output", "-o", "--out", help="Folder to write the records and the results to."),
    ] = None
    resume: Annotated[bool, typer.Option("--resume", help="Continue from the records in --output.")] = False
    listen: Annotated[str, typer.Option(help="Address to listen on; 0.0.0.0 for all networks.")] = "127.0.0.1"
    port: Annotated[
        int,
        typer.Option(
            min=0,
            max=65535,
            help="Port of the first room; each further room has the next. 0 for any free ports.",
        ),
    ] = 0

    def venue(self) -> "Venue":
        """Return the venue."""
        from overtrick.errors import BadInput
        from overtrick.tablemanager.matches import Venue

        if self.resume and self.out is None:
            raise BadInput("--resume needs --output, the records to continue from.")
        return Venue(self.out, self.resume, self.listen, self.port)


@app.command()
@takes_options
def match(
    teams: Annotated[
        list[str],
        typer.Argument(
            help="Teams: a robot (legal, natural); NAME=COMMAND, where {seat}, {team}, {host} and {port} are replaced; "
            "or NAME=- for a team that starts its own programs."
        ),
    ],
    deals: DealOptions,
    rule_options: RuleOptions,
    watch: WatchOptions,
    rooms: RoomOptions,
    seed: Annotated[int, typer.Option(help="Seed of the robots' random choices.")] = 0,
    budget: Annotated[
        float, typer.Option(min=0.01, help="Maximum seconds for a robot to choose a card.")
    ] = 0.2,
    at_once: Annotated[int, typer.Option(min=1, help="Number of matches to play at the same time.")] = 1,
    verbose: Verbose = False,
) -> None:
    """Play a match between two teams in two rooms, or a round robin of more teams."""
    from overtrick.tablemanager.match_report import write_report
    from overtrick.tablemanager.matches import Entrant, MatchResult, play_matches, report

    def finished(results: Sequence[MatchResult]) -> None:
        if rooms.out is not None:
            write_report(rooms.out, results)

    venue = rooms.venue()
    entrants = Entrant.read_all(teams, seed, budget)
    boards, rules = deals.read(), rule_options.rules()
    _log(verbose)
    results = watch.run(
        lambda pages: play_matches(
            entrants,
            boards,
            rules,
            venue=venue,
            at_once=at_once,
            say=typer.echo,
            watch=pages,
            finished=finished,
        ),
        lambda: boards,
    )
    for line in report(results):
        typer.echo(line)
    if any(result.reason for result in results):
        raise typer.Exit(1)


def _ports(text: str) -> tuple[int, ...]:
    from overtrick.digits import parse_digits
    from overtrick.errors import BadInput
    from overtrick.words import shortened

    ports = [port for word in text.split(",") if (port := parse_digits(word.strip())) is not None]
    if text.count(",") != 3 or len(ports) != 4 or max(ports) > 65535:
        raise BadInput(f"{shortened(text)} is not a list of four ports, such as 2000,2001,2002,2003.")
    return tuple(ports)


@dataclass(frozen=True, slots=True)
class _EventTables:
    """The tables of a session in a journal; `first` is the table of the session for table 1 of this server."""

    runtime: "Runtime"
    session: str
    first: "EventTable"

    def teams(self, number: int, boards: Sequence[int]) -> "dict[Side, str]":
        """Return the teams that play these boards at a table in the event."""
        from overtrick.tablemanager.results import teams_at

        with self.runtime.writer.reading() as state:
            return teams_at(state, self.session, self.first.offset_by(number - 1), boards)

    def enter(self, number: int, result: "BoardResult") -> None:
        """Enter a result in the event."""
        from datetime import UTC, datetime

        from overtrick.errors import BadInput
        from overtrick.event import Rejection
        from overtrick.tablemanager.results import enter_result

        table = self.first.offset_by(number - 1)
        with self.runtime.read(self.session) as state:
            if state is None:
                raise BadInput(f"The session {self.session} is no longer in the journal.")
            command = enter_result(result, state, self.session, table, datetime.now(UTC))
        if command is None:
            return
        answer = self.runtime.do(command, actor=f"Table Manager {table}")
        if isinstance(answer, Rejection):
            raise BadInput(str(answer))


@contextmanager
def _open_event_tables(journal: str | None, session: str | None, at: str) -> "Iterator[_EventTables | None]":
    """Yield the tables of the event to enter the results in; None if there is no event."""
    import os

    from overtrick.errors import BadInput
    from overtrick.host.runtime import open_runtime
    from overtrick.tablemanager.results import EventTable

    if journal is None and session is not None:
        journal = os.environ.get("OVERTRICK_JOURNAL")
    if journal is None:
        yield None
        return
    if session is None:
        raise BadInput("--journal needs --session, the session to enter the results in.")
    first = EventTable.parse(at)
    with open_runtime(journal, create=False) as runtime:
        with runtime.read(session) as state:
            if state is None:
                raise BadInput(f"The journal has no session {session}.")
        yield _EventTables(runtime, session, first)


def _log(verbose: bool) -> None:
    import logging

    from overtrick.cli.logs import start_logging

    start_logging(logging.INFO if verbose else logging.ERROR, "%(asctime)s %(message)s", "%H:%M:%S")


def _run(
    work: Coroutine[None, None, Result], stopped: str = "Stopped; the boards recorded so far are kept."
) -> Result:
    import asyncio
    import signal
    import sys

    from overtrick.host.gc_tuning import rare_collection

    async def until_terminated() -> Result:
        task = asyncio.current_task()
        if task is not None and sys.platform != "win32":
            asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel)
        with rare_collection():
            return await work

    try:
        return asyncio.run(until_terminated())
    except (KeyboardInterrupt, asyncio.CancelledError):
        typer.echo(stopped, err=True)
        raise typer.Exit(130) from None
