"""Matches between teams of programs: two rooms, IMPs and victory points, and a round robin with its cross table.

Starts one program for each seat and ends it after the match. A team may also start its own programs and connect.
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
from overtrick.tablemanager.rules import Board, BoardRecord, TableRules
from overtrick.tablemanager.seating import FILE_NAME_RULE, is_file_name
from overtrick.tablemanager.server import TableServer
from overtrick.tablemanager.sessions import Say, WatchPages, distinct_names
from overtrick.tablemanager.table import BridgeTable

HOST = "127.0.0.1"
STARTS_ITSELF = "-"
"""The command of a team that starts its own programs and connects."""

EVERYWHERE = ("0.0.0.0", "::", "")
"""Wildcard addresses: a server can listen on them, but no client can connect to them."""

STARTS = 3
"""The most times that a program is started, if it ends before the session does."""

STOP_TIMEOUT = 5.0
"""Seconds that a program gets to end by itself after the session."""

AVERAGE_PLUS = 3
"""IMPs for a side that is awarded 60 %."""


@dataclass(frozen=True, slots=True)
class Entrant:
    """A team: its name, and the command that starts one of its players."""

    name: str
    command: tuple[str, ...] | None
    """The command; None for a team that starts its programs itself, on any computer."""
    is_ours: bool = False
    """True for a built-in robot: its error output is discarded, because the table logs the same."""

    @classmethod
    def read_all(cls, texts: Sequence[str], seed: int = 0, budget: float = 0.2) -> "list[Entrant]":
        """Parse teams from robot names, NAME=COMMAND and NAME=-: at least two, with different names.

        >>> [entrant.name for entrant in Entrant.read_all(["legal", "Ben=ben --seat {seat}"])]
        ['legal', 'Ben']
        """
        if len(texts) < 2:
            raise BadInput("A match needs two teams.")
        entrants: list[Entrant] = []
        names = distinct_names([text.partition("=")[0].strip() for text in texts])
        for name, text in zip(names, texts, strict=True):
            if not is_file_name(name):
                raise BadInput(f"The team name {name!r} is not allowed: it {FILE_NAME_RULE}.")
            robot, equals, command = text.partition("=")
            if equals:
                try:
                    words = tuple(shlex.split(command))
                except ValueError as fault:
                    raise BadInput(f"{command!r} is not a command: {fault}.") from None
                if not words:
                    raise BadInput(
                        f"The team {name!r} has no command. Use - for a team that starts its own programs."
                    )
            elif robot in ROBOTS:
                words = _robot_command(robot, seed + len(entrants), budget)
            else:
                raise BadInput(f"{text!r} is not a robot ({', '.join(ROBOTS)}) or NAME=COMMAND.")
            entrants.append(cls(name, None if words == (STARTS_ITSELF,) else words, not equals))
        return entrants

    def start_command(self, seat: Seat, port: int, host: str = HOST) -> list[str]:
        """Return the command that starts the player of one seat, with its placeholders filled in."""
        values = {"{seat}": seat.title, "{team}": self.name, "{host}": host, "{port}": str(port)}
        words = []
        for word in self.command or ():
            for name, value in values.items():
                word = word.replace(name, value)
            words.append(word)
        return words


def _robot_command(robot: str, seed: int, budget: float) -> tuple[str, ...]:
    options = {"robot": robot, "seat": "{seat}", "team": "{team}", "host": "{host}", "port": "{port}"}
    # On this computer a connection is lost only if the table ends. A robot that ends is started again by the match.
    options |= {"seed": str(seed), "budget": str(budget), "reconnect": "0"}
    words = [word for name, value in options.items() for word in (f"--{name}", value)]
    return (sys.executable, "-m", "overtrick", "tm", "play", *words)


@dataclass(frozen=True, slots=True)
class BoardComparison:
    """A board of a match: the result in both rooms, and the IMPs of the home team (negative if away won them)."""

    board: int
    open_room: str
    closed_room: str
    imps: int
    remarks: tuple[str, ...] = ()
    """The reasons for rulings, with the room."""


@dataclass(frozen=True, slots=True)
class MatchResult:
    """The result of a match; home sat North-South in the open room."""

    home: str
    away: str
    boards: tuple[BoardComparison, ...]
    reason: str | None = None
    """The reason why it stopped before all boards were played."""

    @property
    def home_imps(self) -> int:
        """Return the IMPs won by the home team."""
        return sum(max(0, board.imps) for board in self.boards)

    @property
    def away_imps(self) -> int:
        """Return the IMPs won by the away team."""
        return sum(max(0, -board.imps) for board in self.boards)

    @property
    def vps(self) -> tuple[float, float]:
        """Return the victory points of home and away on the continuous scale; 0 each without boards."""
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
    """Return the match of two rooms, with the boards that both have played."""
    closed = {record.board.number: record for record in closed_room}
    comparisons = []
    for record in open_room:
        other = closed.get(record.board.number)
        if other is not None:
            comparisons.append(
                BoardComparison(
                    record.board.number,
                    str(record.outcome),
                    str(other.outcome),
                    _home_imps(record, other),
                    tuple(
                        f"{room} room: {remark}"
                        for room, room_record in (("open", record), ("closed", other))
                        for remark in room_record.remarks
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
    return int(sum(shares) // len(shares) - 50) * AVERAGE_PLUS // 10 if shares else 0


@dataclass(frozen=True, slots=True)
class Venue:
    """The address and ports of the rooms, and the folder of their records."""

    folder: Path | None = None
    resume: bool = False
    listen: str = HOST
    port: int = 0
    """The first port; each room uses the next one. 0 means any free port."""

    def file(self, home: Entrant, away: Entrant, room: str) -> RecordFile | None:
        """Open the record file of a room; None without a folder."""
        if self.folder is None:
            return None
        path = self.folder / f"{match_name(home, away)}-{room.lower()}.pbn"
        return RecordFile(path, resume=self.resume, tags={"Room": room, "Scoring": "IMP"})

    @property
    def host(self) -> str:
        """Return the address at which a program on this computer connects to the tables."""
        return HOST if self.listen in EVERYWHERE else self.listen


def match_name(home: Entrant, away: Entrant) -> str:
    """Return the name of a match in file names.

    >>> match_name(Entrant("Ben 2", None), Entrant("natural", None))
    'Ben_2-natural'
    """
    return "-".join(
        "".join(letter if letter.isalnum() else "_" for letter in team.name) for team in (home, away)
    )


async def play_match(
    home: Entrant,
    away: Entrant,
    boards: Sequence[Board],
    rules: TableRules,
    venue: Venue,
    port: int = 0,
    say: Say = lambda text: None,
    watch: WatchPages | None = None,
) -> MatchResult:
    """Play the boards that are not recorded yet in two rooms at the same time; return the result of all."""
    rooms = {"Open": (home, away), "Closed": (away, home)}
    servers = []
    for room, (ns, ew) in rooms.items():
        file = venue.file(home, away, room)
        teams = file.teams() if file else {}
        # A program that we start may use any team name. A team that connects by itself must use its own.
        teams |= {side: team.name for side, team in ((Side.NS, ns), (Side.EW, ew)) if team.command is None}
        unfinished = file.unfinished(boards) if file else boards
        table = BridgeTable(unfinished, rules, totals=file.totals() if file else None, teams=teams)
        server = TableServer(table, name=f"{ns.name} - {ew.name}", record=file.write if file else None)
        if file is not None:
            server.records += file.records(boards)
        if not unfinished:
            server.ended.set_result(None)
        servers.append(server)
    if watch is not None:
        watch.add_match(home.name, away.name, *servers)
    programs: list[asyncio.Task[None]] = []
    try:
        for index, (server, (room, (ns, ew))) in enumerate(zip(servers, rooms.items(), strict=True)):
            if server.ended.done():
                continue
            (opened_port,) = await server.open(venue.listen, (port and port + index,))
            if None in (ns.command, ew.command):
                say(f"{room} room: N-S {ns.name}, E-W {ew.name}, port {opened_port} on {venue.listen}.")
            for seat in SEATS:
                entrant = ns if seat.side is Side.NS else ew
                if entrant.command is not None:
                    command = entrant.start_command(seat, opened_port, venue.host)
                    programs.append(asyncio.create_task(_keep_running(entrant, command, server)))
        reasons = await asyncio.gather(*(server.ended for server in servers))
        # The programs have received the end of the session, and get time to end by themselves.
        if programs:
            await asyncio.wait(programs, timeout=STOP_TIMEOUT)
        else:
            await asyncio.sleep(rules.closing + 0.1)
    finally:
        for program in programs:
            program.cancel()
        await asyncio.gather(*programs, return_exceptions=True)
        for server in servers:
            await server.close()
    # Both rooms often stop for the same reason: name it once.
    reason = "; ".join(dict.fromkeys(reason for reason in reasons if reason)) or None
    return compare(home.name, away.name, servers[0].records, servers[1].records, reason)


async def _keep_running(entrant: Entrant, command: Sequence[str], server: TableServer) -> None:
    """Run a program until the session is over; start it again if it ends early, at most `STARTS` times."""
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
    rules: TableRules,
    *,
    venue: Venue | None = None,
    at_once: int = 1,
    say: Say = lambda text: None,
    watch: WatchPages | None = None,
    finished: Callable[[Sequence[MatchResult]], None] = lambda results: None,
) -> list[MatchResult]:
    """Play a match of two teams, or a round robin.

    `finished` is called with the results so far after each match, in the order of the draw.
    """
    venue = venue or Venue()
    if venue.folder is not None:
        make_folder(venue.folder)
    pairs = list(itertools.combinations(entrants, 2))
    if len({match_name(*pair) for pair in pairs}) < len(pairs):
        raise BadInput("Two matches would have the same file names: give the teams names that differ more.")
    if not venue.resume:
        for pair, room in itertools.product(pairs, ("Open", "Closed")):
            venue.file(*pair, room)  # raises BadInput if a record file exists, before anything is played
    slots = asyncio.Semaphore(at_once)
    played: dict[int, MatchResult] = {}

    async def play_one(number: int, home: Entrant, away: Entrant) -> MatchResult:
        port = venue.port and venue.port + 2 * number
        async with slots:
            result = await play_match(home, away, boards, rules, venue, port, say, watch)
        vps = "{:.2f} - {:.2f} VP".format(*result.vps)
        score_text = (
            f"{result.home_imps} - {result.away_imps} IMPs, {vps}" if result.boards else "no board played"
        )
        say(f"{home.name} - {away.name}: {score_text}")
        if result.reason:
            say(f"  stopped: {result.reason}")
        played[number] = result
        finished([played[number] for number in sorted(played)])
        return result

    return list(await asyncio.gather(*(play_one(number, *pair) for number, pair in enumerate(pairs))))


def report(results: Sequence[MatchResult]) -> list[str]:
    """Return the lines of a report: one match board by board, several as a cross table of victory points."""
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


def standings(results: Sequence[MatchResult]) -> dict[str, dict[str, float]]:
    """Return every team's victory points against every other, best first."""
    against: dict[str, dict[str, float]] = {}
    for match in results:
        home, away = match.vps
        against.setdefault(match.home, {})[match.away] = home
        against.setdefault(match.away, {})[match.home] = away
    return dict(sorted(against.items(), key=lambda item: -sum(item[1].values())))


def cross_table(results: Sequence[MatchResult]) -> list[str]:
    """Return the lines of a cross table of victory points, best team first."""
    against = standings(results)
    cell_text: Callable[[float | None], str] = lambda vps: "-" if vps is None else f"{vps:.2f}"  # noqa: E731
    lines = [f"{'':<20}" + "".join(f"{place:>8}" for place in range(1, len(against) + 1)) + f"{'VP':>9}"]
    for place, team in enumerate(against, 1):
        cells = "".join(f"{cell_text(against[team].get(other)):>8}" for other in against)
        lines.append(f"{place:>2} {team[:16]:<17}{cells}{sum(against[team].values()):>9.2f}")
    return lines
