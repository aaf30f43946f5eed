"""`overtrick tm`: computer bridge over TCP, protocol version 18."""

from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

if TYPE_CHECKING:
    from overtrick.tablemanager.matches import MatchResult
    from overtrick.tablemanager.rules import BoardRecord
    from overtrick.tablemanager.watch import Watch

Result = TypeVar("Result")

app = typer.Typer(
    name="tm",
    help="Computer bridge over TCP: the Table Manager, players, matches.",
    no_args_is_help=True,
    add_completion=False,
)


class DialectName(StrEnum):
    """How messages are punctuated."""

    v18 = "v18"
    classic = "classic"


class AlertsName(StrEnum):
    """When the table pauses for an alert of the operator."""

    off = "off"
    every = "every"
    marked = "marked"
    end = "end"


class RulingName(StrEnum):
    """What becomes of a board that cannot be finished."""

    adjust = "adjust"
    forfeit = "forfeit"


Deals = Annotated[Path, typer.Option(help="PBN file with the deals.")]
Count = Annotated[
    int | None, typer.Option("--boards", min=1, help="How many boards; all of them unless told.")
]
First = Annotated[int | None, typer.Option(min=1, help="Number of the first board.")]
Dialect = Annotated[
    DialectName, typer.Option(help="Punctuation of messages: the document's, or the older one.")
]
Timing = Annotated[
    bool | None,
    typer.Option(
        "--timing/--no-timing", help="Send the timing line after a board; the classic dialect has none."
    ),
]
Pause = Annotated[float, typer.Option("--trick-pause", min=0.0, help="Seconds between tricks.")]
Timeout = Annotated[
    float, typer.Option(min=0.0, help="Seconds for each message that is waited for; 0 for ever.")
]
BoardTimeout = Annotated[
    float, typer.Option(min=0.0, help="Seconds for a side's thinking on a board; 0 for ever.")
]
Reconnect = Annotated[
    float, typer.Option(min=0.0, help="Seconds for a lost player to come back; 0 for ever.")
]
SameAddress = Annotated[
    float,
    typer.Option(
        min=0.0, help="Seconds that a lost player's seat is kept for its address; 0 for anyone at once."
    ),
]
Tries = Annotated[int, typer.Option(min=1, help="Illegal calls or cards on a board before the ruling.")]
RulingOption = Annotated[
    RulingName, typer.Option("--ruling", help="Adjust the board (60-40), or forfeit the session.")
]
Claims = Annotated[bool, typer.Option("--claims", help="Allow claims, as the document proposes them.")]
WatchPort = Annotated[
    int | None,
    typer.Option(
        "--watch-port", min=0, max=65535, help="Show the tables to browsers at this port; 0 for any."
    ),
]
WatchListen = Annotated[str, typer.Option("--watch-listen", help="Address that browsers come to.")]
WatchHide = Annotated[
    bool, typer.Option("--watch-hide", help="Hide hands and double dummy figures until the board is over.")
]
Verbose = Annotated[bool, typer.Option("--verbose", "-v", help="Say what happens at the table.")]


@app.command()
def serve(
    deals: Deals,
    boards: Count = None,
    first: First = None,
    port: Annotated[int, typer.Option(min=0, max=65535, help="One port for all seats.")] = 2000,
    ports: Annotated[
        str | None, typer.Option(help="A port for each seat instead: North,East,South,West.")
    ] = None,
    tables: Annotated[
        int, typer.Option(min=1, max=256, help="How many tables play the boards; each on the next free port.")
    ] = 1,
    dialect: Dialect = DialectName.v18,
    timing: Timing = None,
    trick_pause: Pause = 1.0,
    out: Annotated[Path | None, typer.Option(help="PBN file for the records.")] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on from the records in --out.")] = False,
    timeout: Timeout = 120.0,
    board_timeout: BoardTimeout = 0.0,
    reconnect: Reconnect = 120.0,
    same_address: SameAddress = 30.0,
    tries: Tries = 3,
    ruling: RulingOption = RulingName.adjust,
    alerts: Annotated[
        AlertsName,
        typer.Option(
            help="Ask the operator for alerts: never, after calls not on the document's list, after "
            "calls marked Alert, or when the auction is over."
        ),
    ] = AlertsName.off,
    inverted_minors: Annotated[
        bool, typer.Option("--inverted-minors", help="Ask about raises of a minor too.")
    ] = False,
    negative_doubles: Annotated[
        bool, typer.Option("--negative-doubles", help="Ask about doubles of overcalls too.")
    ] = False,
    claims: Claims = False,
    listen: Annotated[str, typer.Option(help="Address to listen at.")] = "127.0.0.1",
    journal: Annotated[
        str | None, typer.Option(help="Journal of an event that the results are entered in.")
    ] = None,
    session: Annotated[str | None, typer.Option(help="Which session of the journal.")] = None,
    at: Annotated[
        str, typer.Option("--at", help="Which table of the session the first table is; others follow.")
    ] = "A1",
    watch_port: WatchPort = None,
    watch_listen: WatchListen = "127.0.0.1",
    watch_hide: WatchHide = False,
    verbose: Verbose = False,
) -> None:
    """Run the Table Manager: wait for four players, and have them play the boards of a PBN file."""
    from overtrick.tablemanager.messages import Dialect
    from overtrick.tablemanager.rules import Alerts, Rules, Ruling
    from overtrick.tablemanager.sessions import Opening, serve_tables

    rules = Rules(
        dialect=Dialect(dialect.value),
        trick_pause=trick_pause,
        timing=timing,
        alerts=Alerts(alerts.value),
        inverted_minors=inverted_minors,
        negative_doubles=negative_doubles,
        claims=claims,
        tries=tries,
        ruling=Ruling(ruling.value),
        timeout=timeout or None,
        board_timeout=board_timeout or None,
        reconnect=reconnect or None,
        same_address=same_address,
    )
    opening = Opening(deals, first, boards, _ports(ports) if ports else (port,), listen, out, resume)
    _log(verbose)
    with _entering(journal, session, at) as enter:

        def work(watch: "Watch | None" = None) -> Coroutine[None, None, None]:
            return serve_tables(opening, rules, tables, typer.echo, enter, watch)

        if watch_port is None:
            _run(work())
        else:
            from overtrick.tablemanager.records import read_boards
            from overtrick.tablemanager.watch import Watch, watched

            chosen = read_boards(deals, first=first, count=boards)
            watch = Watch(chosen, hide=watch_hide, asks=rules.alerts is not Alerts.OFF)
            _run(watched(watch, watch_listen, watch_port, typer.echo, lambda: work(watch)))


@app.command()
def play(
    seat: Annotated[str, typer.Option(help="North, East, South, West, or any.")],
    team: Annotated[str, typer.Option(help="Name of the team.")],
    robot: Annotated[str, typer.Option(help="Who plays: legal, natural, or human for you.")] = "natural",
    host: Annotated[str, typer.Option(help="Where the Table Manager is.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=1, max=65535, help="Its port.")] = 2000,
    seed: Annotated[int, typer.Option(help="For the robot's chance.")] = 0,
    budget: Annotated[float, typer.Option(min=0.01, help="Seconds a robot may think about a card.")] = 1.0,
    dialect: Dialect = DialectName.v18,
    patience: Annotated[float, typer.Option(min=0.0, help="Seconds to wait for the table to open.")] = 10.0,
    reconnect: Annotated[
        float, typer.Option(min=0.0, help="Seconds to look for a table that was lost; 0 for never.")
    ] = 120.0,
) -> None:
    """Sit in at a table: a robot, or you at this terminal."""
    from overtrick.bridge import Seat
    from overtrick.tablemanager.client import sit_in
    from overtrick.tablemanager.messages import Dialect
    from overtrick.tablemanager.player import Player
    from overtrick.tablemanager.robots import Robot
    from overtrick.tablemanager.robots import robot as robot_named
    from overtrick.tablemanager.robots.human import Human
    from overtrick.tablemanager.terminal import Terminal
    from overtrick.words import counted

    chooser: Robot | Human
    terminal = Terminal(lambda text: typer.echo(text, nl=False)) if robot == "human" else None
    if terminal is not None:
        chooser = Human(terminal.say, terminal.ask)
    else:
        chooser = robot_named(robot, seed, budget)
    where = None if seat.lower() in ("any", "anypl") else Seat.parse(seat)
    player = Player(
        team,
        where,
        chooser.choose_call,
        chooser.choose_card,
        choose_answer=chooser.choose_answer,
        hear_claim=chooser.hear_claim if isinstance(chooser, Human) else None,
        dialect=Dialect(dialect.value),
    )
    say = terminal.say if terminal is not None else typer.echo
    sitting = sit_in(player, host, port, patience=patience, reconnect=reconnect, say=say, terminal=terminal)
    try:
        _run(sitting, "The table was left before the session was over.")
    finally:
        if terminal is not None:
            terminal.leave()
    typer.echo(f"The session is over: {counted(player.boards, 'board')}.")


@app.command()
def match(
    teams: Annotated[
        list[str],
        typer.Argument(
            help="Robots (legal, natural), or NAME=COMMAND with {seat}, {team}, {host} and {port} in it."
        ),
    ],
    deals: Deals,
    boards: Count = None,
    first: First = None,
    dialect: Dialect = DialectName.v18,
    timing: Timing = None,
    trick_pause: Pause = 0.0,
    timeout: Timeout = 120.0,
    tries: Tries = 3,
    claims: Claims = False,
    out: Annotated[Path | None, typer.Option(help="Folder for the records of every table.")] = None,
    seed: Annotated[int, typer.Option(help="For the chance of the robots.")] = 0,
    budget: Annotated[float, typer.Option(min=0.01, help="Seconds a robot may think about a card.")] = 0.2,
    at_once: Annotated[int, typer.Option(min=1, help="How many matches are played at the same time.")] = 1,
    watch_port: WatchPort = None,
    watch_listen: WatchListen = "127.0.0.1",
    watch_hide: WatchHide = False,
    verbose: Verbose = False,
) -> None:
    """Play a match of two teams in two rooms, or a round robin of more; the programs are started here."""
    from overtrick.tablemanager.matches import Entrant, play_matches, report
    from overtrick.tablemanager.messages import Dialect
    from overtrick.tablemanager.records import read_boards
    from overtrick.tablemanager.rules import Rules

    rules = Rules(
        dialect=Dialect(dialect.value),
        timing=timing,
        trick_pause=trick_pause,
        timeout=timeout or None,
        tries=tries,
        claims=claims,
    )
    entrants = Entrant.read_all(teams, seed, budget)
    chosen = read_boards(deals, first=first, count=boards)
    _log(verbose)

    def work(watch: "Watch | None" = None) -> "Coroutine[None, None, list[MatchResult]]":
        return play_matches(entrants, chosen, rules, folder=out, at_once=at_once, say=typer.echo, watch=watch)

    if watch_port is None:
        results = _run(work())
    else:
        from overtrick.tablemanager.watch import Watch, watched

        watch = Watch(chosen, hide=watch_hide)
        results = _run(watched(watch, watch_listen, watch_port, typer.echo, lambda: work(watch)))
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
        raise BadInput(f"{shortened(text)} are not four ports: such as 2000,2001,2002,2003 are.")
    return tuple(ports)


@contextmanager
def _entering(
    journal: str | None, session: str | None, at: str
) -> "Iterator[Callable[[int, BoardRecord], None] | None]":
    """What enters the records of a table in the event, when there is one."""
    from datetime import UTC, datetime

    from overtrick.errors import BadInput
    from overtrick.event import Rejection
    from overtrick.host.house import open_house
    from overtrick.tablemanager.results import Place, enter_result

    if journal is None:
        yield None
        return
    if session is None:
        raise BadInput("--journal needs --session: which of its sessions the results belong to.")
    first = Place.parse(at)
    with open_house(journal, create=False) as house:
        with house.read(session) as known:
            if known is None:
                raise BadInput(f"The journal has no session {session}.")

        def enter(number: int, record: "BoardRecord") -> None:
            place = first.further(number - 1)
            with house.read(session) as state:
                if state is None:
                    raise BadInput(f"The journal has no session {session} any more.")
                command = enter_result(record, state, session, place, datetime.now(UTC))
            answer = house.do(command, actor=f"Table Manager {place}")
            if isinstance(answer, Rejection):
                raise BadInput(str(answer))

        yield enter


def _log(verbose: bool) -> None:
    import logging

    logging.basicConfig(
        level=logging.INFO if verbose else logging.ERROR, format="%(asctime)s %(message)s", datefmt="%H:%M:%S"
    )


def _run(
    work: Coroutine[None, None, Result], stopped: str = "Stopped; the boards recorded so far are kept."
) -> Result:
    import asyncio
    import signal
    import sys

    from overtrick.host.settled import seldom_collecting

    async def until_terminated() -> Result:
        task = asyncio.current_task()
        if task is not None and sys.platform != "win32":
            asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel)
        with seldom_collecting():
            return await work

    try:
        return asyncio.run(until_terminated())
    except (KeyboardInterrupt, asyncio.CancelledError):
        typer.echo(stopped, err=True)
        raise typer.Exit(130) from None
