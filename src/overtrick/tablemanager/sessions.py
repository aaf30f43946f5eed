"""A session of one or more tables: reads the deals, opens the ports, writes the records, asks the operator."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from overtrick.bridge import Auction, Side
from overtrick.digits import parse_digits
from overtrick.errors import BadInput, OvertrickError
from overtrick.tablemanager.records import RecordFile, read_boards
from overtrick.tablemanager.rules import (
    Alerts,
    Board,
    BoardRecord,
    BoardResult,
    Question,
    TableError,
    TableRules,
)
from overtrick.tablemanager.seating import same_team
from overtrick.tablemanager.server import TableServer
from overtrick.tablemanager.table import BridgeTable
from overtrick.tablemanager.terminal import read_in_thread, typed_line
from overtrick.words import counted

if TYPE_CHECKING:
    from overtrick.tablemanager.watch_operator import EitherOperator

Say = Callable[[str], None]


class EventTables(Protocol):
    """The tables of an event, by their numbers in this session (1 for the first)."""

    def teams(self, number: int, boards: Sequence[int]) -> Mapping[Side, str]:
        """Return the teams that play these boards at a table in the event; empty if it has no team names."""

    def enter(self, number: int, result: BoardResult) -> None:
        """Enter a result in the event, after its record was written."""


class WatchPages(Protocol):
    """The pages on which people watch tables."""

    def operator(self, terminal: "TerminalOperator") -> "EitherOperator":
        """Return the operator of the tables: in the terminal or on a page."""

    def add(self, server: TableServer, name: str) -> None:
        """Show a table on the pages."""

    def add_match(self, home: str, away: str, open_room: TableServer, closed_room: TableServer) -> None:
        """Show the two rooms of a match on the pages."""


@dataclass(frozen=True, slots=True)
class SessionParameters:
    """The parameters of a session of tables: deals, ports and files."""

    deals: Path
    first: int | None
    count: int | None
    ports: tuple[int, ...]
    listen: str
    out: Path | None
    resume: bool
    rotated_from: Path | None = None
    """The records of the first set, in which the same teams sat in each other's seats; None if there is none."""

    def record_path(self, number: int, tables: int) -> Path | None:
        """Return the path of a table's record file; with several tables, each has its own."""
        return None if self.out is None else _numbered_path(self.out, number, tables)

    def first_set(self, number: int, tables: int) -> RecordFile | None:
        """Return the records of the first set at a table; None if this is not a second set."""
        if self.rotated_from is None:
            return None
        path = _numbered_path(self.rotated_from, number, tables)
        if not path.is_file():
            raise BadInput(f"There is no file {path} with the records of the first set.")
        return RecordFile(path, resume=True)


def _numbered_path(path: Path, number: int, tables: int) -> Path:
    return path if tables == 1 else path.with_name(f"{path.stem}-{number}{path.suffix}")


def _teams(
    parameters: SessionParameters,
    number: int,
    tables: int,
    boards: Sequence[Board],
    file: RecordFile | None,
    event: EventTables | None,
) -> dict[Side, str]:
    """Return the teams that must play at a table; raise BadInput if the event and the records contradict each other."""
    sources: list[tuple[str, Mapping[Side, str]]] = []
    if event is not None:
        sources.append(("the event", event.teams(number, [board.number for board in boards])))
    if file is not None:
        sources.append((file.path.name, file.teams()))
    first_set = parameters.first_set(number, tables)
    if first_set is not None:
        first_set.unfinished(boards)  # raises BadInput if the deals differ
        sources.append(
            (
                f"{first_set.path.name}, in the other seats",
                {side.opponents: name for side, name in first_set.teams().items()},
            )
        )
    teams: dict[Side, str] = {}
    first_source = ""
    for source, names in sources:
        for side, name in names.items():
            if side in teams and not same_team(teams[side], name):
                raise BadInput(
                    f"Table {number}: {side.value} is {teams[side]!r} in {first_source}, and {name!r} in {source}. "
                    "Nothing was changed."
                )
        teams, first_source = {**names, **teams}, first_source or source
    return teams


async def serve_tables(
    parameters: SessionParameters,
    rules: TableRules,
    tables: int,
    say: Say,
    event: EventTables | None = None,
    watch: WatchPages | None = None,
) -> None:
    """Run tables until all their sessions are over; raise TableError with the tables that stopped early."""
    boards = read_boards(parameters.deals, first=parameters.first, count=parameters.count)
    if parameters.resume and parameters.out is None:
        raise BadInput("--resume needs --output, the records to continue from.")
    terminal = TerminalOperator(say)
    operator = watch.operator(terminal) if watch is not None else terminal
    servers: list[TableServer] = []
    try:
        for number in range(1, tables + 1):
            name = f"Table {number}"
            path = parameters.record_path(number, tables)
            tags = {"Event": "Computer bridge", "Table": str(number)}
            file = RecordFile(path, resume=parameters.resume, tags=tags) if path else None
            unfinished = file.unfinished(boards) if file else boards
            teams = _teams(parameters, number, tables, boards, file, event)
            for result in file.results() if file else ():
                _enter(number, result, say, event)
            table = BridgeTable(unfinished, rules, totals=file.totals() if file else None, teams=teams)
            server = TableServer(
                table,
                name=name,
                record=_recorder(number, file, say, event),
                operator=operator if rules.alerts is not Alerts.OFF else None,
            )
            servers.append(server)
            if watch is not None:
                watch.add(server, name)
            if not unfinished:
                say(f"{name}: all boards are already recorded.")
                server.ended.set_result(None)
                continue
            ports = [port + (number - 1) * len(parameters.ports) if port else 0 for port in parameters.ports]
            opened = await server.open(parameters.listen, ports)
            say(
                f"{name}: {counted(len(unfinished), 'board')}, "
                f"port {', '.join(map(str, opened))} on {parameters.listen}."
            )
        reasons = await asyncio.gather(*(server.ended for server in servers))
        await asyncio.sleep(rules.closing + 0.1)
    finally:
        for server in servers:
            server.guard(lambda now, table=server.table: table.stop("the operator stopped it", now))  # type: ignore[misc]
            await server.close()
    stopped = [f"{server.name}: {reason}" for server, reason in zip(servers, reasons, strict=True) if reason]
    if stopped:
        raise TableError(f"Not all boards were played; the records are kept. {'; '.join(stopped)}.")
    say("All boards were played.")


def _enter(number: int, result: BoardResult, say: Say, event: EventTables | None) -> None:
    if event is not None:
        try:
            event.enter(number, result)
        except OvertrickError as fault:
            # The record is kept, so play continues even if the event rejects the result.
            say(f"Table {number}, board {result.board} was not entered in the event: {fault}")


def _recorder(
    number: int, file: RecordFile | None, say: Say, event: EventTables | None
) -> Callable[[BoardRecord], None]:
    def record(played: BoardRecord) -> None:
        if file is not None:
            file.write(played)
        say(f"Table {number}, board {played.board.number}: {summary(played)}")
        _enter(number, played.result, say, event)

    return record


def summary(record: BoardRecord) -> str:
    """Return the result of a record in one line, with its remarks.

    >>> import random
    >>> from overtrick.bridge import Deal, PASS, PassedOut
    >>> from overtrick.tablemanager.rules import Board
    >>> board = Board.numbered(1, Deal.dealt_by(random.Random(1)))
    >>> summary(BoardRecord(board, "A", "B", (PASS,) * 4, ("",) * 4, (), PassedOut()))
    'Pass, N/S 0'
    """
    score = record.ns_score
    words = f"{record.outcome}" + (f", N/S {score:+}" if score else ", N/S 0" if score == 0 else "")
    return words + "".join(f" ({remark})" for remark in record.remarks)


class TerminalOperator:
    """An operator at the terminal who is asked for alerts, one question at a time."""

    def __init__(self, say: Say, ask: Callable[[], str] | None = None) -> None:
        self._say = say
        self._ask = ask or typed_line
        self._busy = asyncio.Lock()
        self._typing: asyncio.Future[str] | None = None
        self.has_input_ended = False
        """True once the terminal's input has ended."""

    async def __call__(self, question: Question) -> Mapping[int, str]:
        """Ask in the terminal; return the alerts by position in the auction (none if the input is empty)."""
        async with self._busy:
            self._say(str(question))
            if question.place is not None:
                self._say("Its meaning (press Enter for no alert):")
                words = await self._line()
                return {question.place: words} if words else {}
            return await self._whole_auction(question.auction)

    def answered_elsewhere(self, question: Question) -> None:
        """Tell the person at the terminal that someone else answered first."""
        self._say(f"Board {question.board}: answered on the page.")

    async def _whole_auction(self, auction: Auction) -> Mapping[int, str]:
        for place, call in enumerate(auction.calls):
            self._say(f"{place + 1:3}  {auction.caller(place).title:5}  {call}")
        self._say("Number of a call and its meaning (press Enter when done):")
        alerts: dict[int, str] = {}
        while words := await self._line():
            first, _, meaning = words.partition(" ")
            number = parse_digits(first)
            if number is not None and 1 <= number <= len(auction.calls) and meaning.strip():
                alerts[number - 1] = meaning.strip()
            else:
                self._say("Type the number of a call, a space and its meaning.")
        return alerts

    async def _line(self) -> str:
        # A blocking read cannot be cancelled. If the answer came from the page, the next question reuses this read.
        if self._typing is None:
            self._typing = read_in_thread(self._ask)
        try:
            return (await asyncio.shield(self._typing)).strip()
        except EOFError:
            self.has_input_ended = True
            return ""
        finally:
            if self._typing.done():
                self._typing = None


def distinct_names(names: Sequence[str]) -> list[str]:
    """Return distinct names: a second "natural" becomes "natural 2".

    >>> distinct_names(["natural", "legal", "natural"])
    ['natural', 'legal', 'natural 2']
    """
    counts: dict[str, int] = {}
    result = []
    for name in names:
        counts[name] = counts.get(name, 0) + 1
        result.append(name if counts[name] == 1 else f"{name} {counts[name]}")
    return result
