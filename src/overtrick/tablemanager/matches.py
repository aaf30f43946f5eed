"""Matches of teams of programs: two rooms, IMPs and victory points, and a round robin with its cross table.

Programs are started here, each for one seat, and ended when the match is over.
"""

import asyncio
import contextlib
import itertools
import shlex
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from overtrick.bridge import SEATS, Award, Seat, Side
from overtrick.errors import BadInput
from overtrick.scoring import UNIT, Scale, imps, victory_points
from overtrick.store.folder import make_folder
from overtrick.tablemanager.records import RecordFile
from overtrick.tablemanager.robots import ROBOTS
from overtrick.tablemanager.rules import Board, BoardRecord, Rules
from overtrick.tablemanager.server import TableServer
from overtrick.tablemanager.sessions import Say, Watch, numbered
from overtrick.tablemanager.table import Table

HOST = "127.0.0.1"
STARTS = 3
"""How often a program that ends too early is started."""

PARTING = 5.0
"""Seconds for a program to end by itself when the session is over."""

AVERAGE_PLUS = 3
"""IMPs for a side that is awarded 60 %."""


@dataclass(frozen=True, slots=True)
class Entrant:
    """A team: its name, and the command that starts one of its players."""

    name: str
    command: tuple[str, ...]
    is_ours: bool = False
    """Whether it is a robot that came with the Table Manager: what it says of the table, the table says itself."""

    @classmethod
    def read_all(cls, texts: Sequence[str], seed: int = 0, budget: float = 0.2) -> "list[Entrant]":
        """Teams from robot names and NAME=COMMAND; at least two, each with a name of its own.

        >>> [entrant.name for entrant in Entrant.read_all(["legal", "Ben=ben --seat {seat}"])]
        ['legal', 'Ben']
        """
        if len(texts) < 2:
            raise BadInput("A match needs two teams.")
        entrants: list[Entrant] = []
        names = numbered([text.partition("=")[0].strip() for text in texts])
        for name, text in zip(names, texts, strict=True):
            robot, given, command = text.partition("=")
            if given:
                try:
                    words = tuple(shlex.split(command))
                except ValueError as fault:
                    raise BadInput(f"{command!r} is not a command: {fault}.") from None
                if not words:
                    raise BadInput(f"There is no command for the team {name!r}.")
            elif robot in ROBOTS:
                words = _robot_command(robot, seed + len(entrants), budget)
            else:
                raise BadInput(f"{text!r} is not a robot ({', '.join(ROBOTS)}) and not NAME=COMMAND.")
            entrants.append(cls(name, words, not given))
        return entrants

    def starts(self, seat: Seat, port: int) -> list[str]:
        """The command for one seat."""
        values = {"{seat}": seat.title, "{team}": self.name, "{host}": HOST, "{port}": str(port)}
        words = []
        for word in self.command:
            for name, value in values.items():
                word = word.replace(name, value)
            words.append(word)
        return words


def _robot_command(robot: str, seed: int, budget: float) -> tuple[str, ...]:
    options = {"robot": robot, "seat": "{seat}", "team": "{team}", "host": "{host}", "port": "{port}"}
    # A connection on this computer is lost only with the table, and who ends is started again here.
    options |= {"seed": str(seed), "budget": str(budget), "reconnect": "0"}
    words = [word for name, value in options.items() for word in (f"--{name}", value)]
    return (sys.executable, "-m", "overtrick", "tm", "play", *words)


@dataclass(frozen=True, slots=True)
class Comparison:
    """A board of a match: the score of North-South in both rooms, and the IMPs of the home team."""

    board: int
    open_room: str
    closed_room: str
    imps: int
    remarks: tuple[str, ...] = ()
    """Why there was a ruling, with the room that it was in."""


@dataclass(frozen=True, slots=True)
class MatchResult:
    """A match; home sat North-South in the open room."""

    home: str
    away: str
    boards: tuple[Comparison, ...]
    reason: str | None = None
    """Why it stopped before all boards were played."""

    @property
    def home_imps(self) -> int:
        """IMPs won by the home team."""
        return sum(max(0, board.imps) for board in self.boards)

    @property
    def away_imps(self) -> int:
        """IMPs won by the away team."""
        return sum(max(0, -board.imps) for board in self.boards)

    @property
    def vps(self) -> tuple[float, float]:
        """Victory points of home and away, on the continuous scale; 0 each without boards."""
        if not self.boards:
            return 0.0, 0.0
        split = victory_points(Scale.CONTINUOUS, self.home_imps - self.away_imps, len(self.boards))
        return split.own / UNIT, split.theirs / UNIT


def compare(
    home: str,
    away: str,
    open_room: Iterable[BoardRecord],
    closed_room: Iterable[BoardRecord],
    reason: str | None = None,
) -> MatchResult:
    """The match that two rooms make up, of the boards that both have played."""
    closed = {record.board.number: record for record in closed_room}
    comparisons = []
    for record in open_room:
        other = closed.get(record.board.number)
        if other is not None:
            comparisons.append(
                Comparison(
                    record.board.number,
                    str(record.outcome),
                    str(other.outcome),
                    _home_imps(record, other),
                    tuple(
                        f"{room} room: {remark}"
                        for room, one in (("open", record), ("closed", other))
                        for remark in one.remarks
                    ),
                )
            )
    return MatchResult(home, away, tuple(comparisons), reason)


def _home_imps(open_room: BoardRecord, closed_room: BoardRecord) -> int:
    ours, theirs = open_room.ns_score, closed_room.ns_score
    if ours is not None and theirs is not None:
        return imps(ours - theirs)
    # Home is North-South in the open room and East-West in the closed one.
    shares = [
        award.ns if side is Side.NS else award.ew
        for award, side in ((open_room.outcome, Side.NS), (closed_room.outcome, Side.EW))
        if isinstance(award, Award)
    ]
    return (sum(shares) // len(shares) - 50) * AVERAGE_PLUS // 10 if shares else 0


async def play_match(
    home: Entrant,
    away: Entrant,
    boards: Sequence[Board],
    rules: Rules,
    folder: Path | None = None,
    watch: Watch | None = None,
) -> MatchResult:
    """Play the same boards in two rooms at the same time."""
    rooms = {"Open": (home, away), "Closed": (away, home)}
    servers = []
    for room, (ns, ew) in rooms.items():
        file = None
        if folder is not None:
            name = "".join(letter if letter.isalnum() else "_" for letter in f"{home.name}-{away.name}")
            file = RecordFile(folder / f"{name}-{room.lower()}.pbn", tags={"Room": room, "Scoring": "IMP"})
        server = TableServer(
            Table(boards, rules), name=f"{ns.name} - {ew.name}", record=file.write if file else None
        )
        servers.append(server)
    if watch is not None:
        watch.add_match(home.name, away.name, *servers)
    programs: list[asyncio.Task[None]] = []
    try:
        for server, (ns, ew) in zip(servers, rooms.values(), strict=True):
            (port,) = await server.open(HOST)
            for seat in SEATS:
                entrant = ns if seat.side is Side.NS else ew
                programs.append(asyncio.create_task(_keep_running(entrant, seat, port, server)))
        reasons = await asyncio.gather(*(server.ended for server in servers))
        # They have been told that it is over, and go by themselves.
        await asyncio.wait(programs, timeout=PARTING)
    finally:
        for program in programs:
            program.cancel()
        await asyncio.gather(*programs, return_exceptions=True)
        for server in servers:
            await server.close()
    # Both rooms often stop for one reason.
    reason = "; ".join(dict.fromkeys(reason for reason in reasons if reason)) or None
    return compare(home.name, away.name, servers[0].records, servers[1].records, reason)


async def _keep_running(entrant: Entrant, seat: Seat, port: int, server: TableServer) -> None:
    """Run a program until the session is over, and start it again when it ends before that."""
    command = entrant.starts(seat, port)
    reason = f"the program {command[0]} cannot be started"
    for _ in range(STARTS):
        try:
            process = await asyncio.create_subprocess_exec(
                *command,
                stdin=asyncio.subprocess.DEVNULL,
                stdout=asyncio.subprocess.DEVNULL,
                stderr=asyncio.subprocess.DEVNULL if entrant.is_ours else None,
            )
        except OSError as fault:
            reason = f"the program {command[0]} cannot be started: {fault.strerror}"
            break
        try:
            status = await process.wait()
        except asyncio.CancelledError:
            with contextlib.suppress(ProcessLookupError):
                process.terminate()
            with contextlib.suppress(asyncio.TimeoutError):
                await asyncio.wait_for(process.wait(), 2.0)
            if process.returncode is None:
                process.kill()
                await process.wait()
            raise
        if server.ended.done():
            return
        reason = f"the program {command[0]} ended {STARTS} times too early (exit status {status})"
    server.guard(lambda now: server.table.stop(reason, now))


async def play_matches(
    entrants: Sequence[Entrant],
    boards: Sequence[Board],
    rules: Rules,
    *,
    folder: Path | None = None,
    at_once: int = 1,
    say: Say = lambda text: None,
    watch: Watch | None = None,
) -> list[MatchResult]:
    """A match of two teams, or everyone against everyone."""
    if folder is not None:
        make_folder(folder)
    places = asyncio.Semaphore(at_once)

    async def one(home: Entrant, away: Entrant) -> MatchResult:
        async with places:
            result = await play_match(home, away, boards, rules, folder, watch)
        vps = "{:.2f} - {:.2f} VP".format(*result.vps)
        figures = (
            f"{result.home_imps} - {result.away_imps} IMPs, {vps}" if result.boards else "no board played"
        )
        say(f"{home.name} - {away.name}: {figures}")
        if result.reason:
            say(f"  stopped: {result.reason}")
        return result

    pairs = itertools.combinations(entrants, 2)
    return list(await asyncio.gather(*(one(home, away) for home, away in pairs)))


def report(results: Sequence[MatchResult]) -> list[str]:
    """One match board by board, several as a cross table of victory points."""
    if len(results) == 1:
        (match,) = results
        if not match.boards:
            return []
        lines = [f"{'Board':>5}  {'open':<9}{'closed':<9}{match.home[:12]:>12}{match.away[:12]:>13}"]
        for board in match.boards:
            lines.append(
                f"{board.board:>5}  {board.open_room:<9}{board.closed_room:<9}"
                f"{board.imps if board.imps > 0 else '':>12}{-board.imps if board.imps < 0 else '':>13}"
            )
            lines += [f"       {remark}" for remark in board.remarks]
        return lines
    return cross_table(results)


def cross_table(results: Sequence[MatchResult]) -> list[str]:
    """Every team's victory points against every other, best first."""
    against: dict[str, dict[str, float]] = {}
    for match in results:
        home, away = match.vps
        against.setdefault(match.home, {})[match.away] = home
        against.setdefault(match.away, {})[match.home] = away
    order = sorted(against, key=lambda team: -sum(against[team].values()))
    number: Callable[[float | None], str] = lambda vps: "-" if vps is None else f"{vps:.2f}"  # noqa: E731
    lines = [f"{'':<20}" + "".join(f"{place:>8}" for place in range(1, len(order) + 1)) + f"{'VP':>9}"]
    for place, team in enumerate(order, 1):
        cells = "".join(f"{number(against[team].get(other)):>8}" for other in order)
        lines.append(f"{place:>2} {team[:16]:<17}{cells}{sum(against[team].values()):>9.2f}")
    return lines
