"""`BMInput.txt`: reading and writing of the setup of a session, which the scoring program writes.

Five tables, each with a header that gives its number of rows. Has no dependency on the `.bws` file.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import NoReturn, TypeVar

from overtrick.bmpftp.text_fields import ENCODING, LARGEST, BadText, FieldLine, quote, read_lines
from overtrick.bws.boards import boards_of, parse_boards
from overtrick.bws.instructions import NONE, is_instruction
from overtrick.bws.rows import ClientRow, PlayerNumberRow, ResultRow, RoundRow, SectionRow, TableRow
from overtrick.bws.schema import field
from overtrick.errors import BadInput
from overtrick.words import counted

NAME = "BMInput.txt"

CLIENT_FIELDS = ("ID", "Computer")
SECTION_FIELDS = ("ID", "Letter", "Tables", "Missing Pair")
TABLE_FIELDS = (
    "Section",
    "Table",
    "ComputerID",
    "Status",
    "LogOnOff",
    "UpdateFromRound",
    "CurrentRound",
    "CurrentBoard",
)
ROUND_FIELDS = ("Section", "Table", "Round", "NSPair", "EWPair", "LowBoard", "HighBoard")
NUMBER_FIELDS = ("Section", "Table", "Direction", "Number")

_LETTERS = field("Section", "Letter").size or 0
_COMPUTER = field("Clients", "Computer").size or 0
_NUMBER = field("PlayerNumbers", "Number").size or 0
_BOARDS = field("RoundData", "CustomBoards").size or 0


class Unfinished(BadText):
    """A file that ends before its last row; the scoring program may still be writing it."""

    code = "bmpftp-unfinished"


@dataclass(frozen=True, slots=True)
class SetupFile:
    """The contents of the file: computers, sections, tables, rounds and the numbers of players."""

    clients: tuple[ClientRow, ...] = ()
    sections: tuple[SectionRow, ...] = ()
    tables: tuple[TableRow, ...] = ()
    rounds: tuple[RoundRow, ...] = ()
    numbers: tuple[PlayerNumberRow, ...] = ()

    @property
    def places(self) -> frozenset[tuple[int, int]]:
        """Return section and number of every table."""
        return frozenset((row.section, row.table) for row in self.tables)


def without_missing_pairs(setup: SetupFile, results: Iterable[ResultRow] = ()) -> SetupFile:
    """Return a setup with 0 instead of East-West pairs that are missing under a number that no round has.

    If both directions have the numbers 1 to n, programs number East-West after North-South in Missing Pair: with three
    tables, 6 means East-West 3. A `.bws` cannot express that: its guide asks for 0 as the missing pair, and for 0 in
    the rounds. A pair that has results is not missing, so it is kept.
    """
    absent: dict[int, int] = {}
    played = {(row.section, row.ew) for row in results}
    for row in setup.sections:
        rounds = [round_row for round_row in setup.rounds if round_row.section == row.id]
        pair = row.missing_pair - row.tables
        if (
            pair > 0
            and (row.id, pair) not in played
            and not any(row.missing_pair in (round_row.ns, round_row.ew) for round_row in rounds)
            and any(pair == round_row.ew for round_row in rounds)
        ):
            absent[row.id] = pair
    return replace(
        setup,
        sections=tuple(replace(row, missing_pair=0) if row.id in absent else row for row in setup.sections),
        rounds=tuple(
            replace(row, ew=0) if row.ew and row.ew == absent.get(row.section) else row
            for row in setup.rounds
        ),
    )


# Reading


def parse_setup(content: bytes, encoding: str = ENCODING, name: str = NAME) -> SetupFile:
    """Parse a file; raise BadText with the line and field of the first error, Unfinished if the file ends too early.

    >>> parse_setup(b'"Clients",0\\n"Section",1\\n1,"A",0,0\\n"Tables",0\\n"RoundData",0\\n"PlayerNumbers",0').sections
    (SectionRow(id=1, letter='A', tables=0, missing_pair=0, ew_moves=0, session=0, scoring_type=1, winners=0),)
    """
    lines = read_lines(content, name, encoding)
    blocks = _blocks(lines, name)
    for table in _TABLE_NAMES.values():
        if table not in blocks:
            raise Unfinished(f'The table "{table}" is missing.', where=_end(lines, name))
    reader = _SetupReader()
    clients = reader.rows(blocks["Clients"], reader.client)
    sections = reader.rows(blocks["Section"], reader.section)
    tables = reader.rows(blocks["Tables"], reader.table)
    rounds = reader.rows(blocks["RoundData"], reader.round)
    numbers = reader.rows(blocks["PlayerNumbers"], reader.number)
    return SetupFile(clients, sections, tables, rounds, numbers)


_TABLE_NAMES = {
    name.casefold(): name for name in ("Clients", "Section", "Tables", "RoundData", "PlayerNumbers")
}


def _end(lines: list[FieldLine], name: str) -> str:
    return f"{name}, line {lines[-1].number}" if lines else name


def _blocks(lines: list[FieldLine], file: str) -> dict[str, list[FieldLine]]:
    """Return the lines of each table; refuse a table whose count does not match."""
    blocks: dict[str, list[FieldLine]] = {}
    remaining = iter(lines)
    header = next(remaining, None)
    if header is None:
        raise Unfinished("The file is empty.", where=file)
    while header is not None:
        name = _TABLE_NAMES.get(header.fields[0].strip().casefold())
        if name is None:
            _refuse_header(header, blocks)
        header.require_fields((name, "the number of entries"))
        if name in blocks:
            header.refuse(f'The table "{name}" occurs twice.', 0)
        count = header.whole(1, "number of entries", least=0)
        rows = blocks[name] = []
        next_line: FieldLine | None = None
        while len(rows) < count:
            next_line = next(remaining, None)
            sentence = f'"{name}" announces {counted(count, "entry", "entries")}, but has only {len(rows)}'
            if next_line is None:
                raise Unfinished(f"{sentence}. Is the file still being written?", where=_end(lines, file))
            if next_line.fields[0].strip().casefold() in _TABLE_NAMES:
                next_line.refuse(f"{sentence}.")
            rows.append(next_line)
        header = next(remaining, None)
    return blocks


def _refuse_header(line: FieldLine, blocks: dict[str, list[FieldLine]]) -> NoReturn:
    first = line.fields[0].strip()
    if blocks and first.lstrip("+-").isdigit():
        name, rows = list(blocks.items())[-1]
        line.refuse(f'"{name}" announces {counted(len(rows), "entry", "entries")}, but has more.')
    line.refuse(f"{first!r} is not one of the tables {', '.join(_TABLE_NAMES.values())}.", 0)


_Row = TypeVar("_Row")


class _SetupReader:
    """A reader of rows that collects the keys that later rows refer to."""

    def __init__(self) -> None:
        self._clients: set[int] = set()
        self._sections: set[int] = set()
        self._tables: set[tuple[int, int]] = set()
        self._rounds: set[tuple[int, int, int]] = set()
        self._chairs: set[tuple[int, int, str]] = set()

    def rows(self, lines: Iterable[FieldLine], read: Callable[[FieldLine], _Row]) -> tuple[_Row, ...]:
        """Return all rows of a table."""
        return tuple(read(line) for line in lines)

    def client(self, line: FieldLine) -> ClientRow:
        """Read a computer; its ID is a key within the text only."""
        line.require_fields(CLIENT_FIELDS)
        id = line.whole(0, "ID")
        if id in self._clients:
            line.refuse(f"The ID {id} occurs twice.", 0, "ID")
        self._clients.add(id)
        computer = line.text(1, "Computer", _COMPUTER)
        if not computer:
            line.refuse("The computer has no name.", 1, "Computer")
        return ClientRow(id, computer)

    def section(self, line: FieldLine) -> SectionRow:
        """Read a section."""
        line.require_fields(SECTION_FIELDS)
        id = line.whole(0, "ID", least=1)
        if id in self._sections:
            line.refuse(f"The ID {id} occurs twice.", 0, "ID")
        self._sections.add(id)
        letter = line.text(1, "Letter", _LETTERS)
        if not letter:
            line.refuse("The section has no letter.", 1, "Letter")
        return SectionRow(id, letter, line.whole(2, "Tables", least=0), line.whole(3, "Missing Pair"))

    def table(self, line: FieldLine) -> TableRow:
        """Read a table; refuse an unknown instruction."""
        line.require_fields(TABLE_FIELDS)
        section, table = self._section(line), line.whole(1, "Table", least=1)
        if (section, table) in self._tables:
            line.refuse(f"Table {table} of section {section} occurs twice.", 1, "Table")
        self._tables.add((section, table))
        instruction = line.whole(5, "UpdateFromRound")
        if instruction != NONE and not is_instruction(instruction):
            line.refuse(f"{instruction} is not a valid instruction.", 5, "UpdateFromRound")
        return TableRow(
            section,
            table,
            line.whole(2, "ComputerID"),
            line.whole(3, "Status"),
            line.whole(4, "LogOnOff"),
            instruction,
            current_round=line.whole(6, "CurrentRound"),
            current_board=line.whole(7, "CurrentBoard"),
        )

    def round(self, line: FieldLine) -> RoundRow:
        """Read a round of a table; a list of boards may follow, one in each field or all in one text."""
        line.require_fields(ROUND_FIELDS, more=True)
        section, table = self._table(line)
        number = line.whole(2, "Round", least=1, most=255)
        if (section, table, number) in self._rounds:
            line.refuse(f"This table has round {number} twice.", 2, "Round")
        self._rounds.add((section, table, number))
        ns, ew = (line.whole(3, "NSPair", least=0), line.whole(4, "EWPair", least=0))
        low, high = (line.whole(5, "LowBoard", least=0), line.whole(6, "HighBoard", least=0))
        custom = ",".join(part.strip() for part in line.fields[7:]).strip(", ")
        try:
            if custom:
                boards = parse_boards(custom)
                custom = ",".join(str(board) for board in boards)
                low, high = boards[0], boards[-1]
                if len(custom) > _BOARDS or high > LARGEST:
                    line.refuse(
                        f"The list of boards {custom[:20]}… is too long, or has a number above {LARGEST}.",
                        7,
                        "CustomBoards",
                    )
            row = RoundRow(section, table, number, ns, ew, low, high, custom)
            boards_of(row)
        except BadText:
            raise
        except BadInput as bad:
            line.refuse(bad.sentence, 7 if custom else 5, "CustomBoards" if custom else "LowBoard")
        return row

    def number(self, line: FieldLine) -> PlayerNumberRow:
        """Read the number of a player in a chair."""
        line.require_fields(NUMBER_FIELDS)
        section, table = self._table(line)
        direction = read_direction(line)
        if (section, table, direction) in self._chairs:
            line.refuse(f"This table has {direction} twice.", 2, "Direction")
        self._chairs.add((section, table, direction))
        return PlayerNumberRow(section, table, direction, line.text(3, "Number", _NUMBER))

    def _section(self, line: FieldLine) -> int:
        return read_section(line, self._sections)

    def _table(self, line: FieldLine) -> tuple[int, int]:
        return read_table(line, self._tables)


def read_section(line: FieldLine, sections: Collection[int], index: int = 0) -> int:
    """Read a section; refuse one that is not in `sections`."""
    section = line.whole(index, "Section")
    if section not in sections:
        line.refuse(f"There is no section {section}.", index, "Section")
    return section


def read_table(line: FieldLine, tables: Collection[tuple[int, int]], index: int = 0) -> tuple[int, int]:
    """Read a section and a table; refuse one that is not in `tables`."""
    section = read_section(line, {section for section, _ in tables}, index)
    table = line.whole(index + 1, "Table")
    if (section, table) not in tables:
        line.refuse(f'Table {table} of section {section} is not in "Tables".', index + 1, "Table")
    return section, table


def read_direction(line: FieldLine) -> str:
    """Read the direction of a chair: N, E, S or W, with or without padding."""
    direction = line.text(2, "Direction", 2).upper()
    if direction not in ("N", "E", "S", "W"):
        line.refuse(f"{line.fields[2]!r} is not N, E, S or W.", 2, "Direction")
    return direction


# Writing


def setup_lines(setup: SetupFile) -> Iterator[str]:
    """Yield the lines of the file.

    >>> list(setup_lines(SetupFile(sections=(SectionRow(1, "A", 3, 6),))))[1:3]
    ['"Section",1', '1,"A",3,6']
    """
    yield f'"Clients",{len(setup.clients)}'
    for client in setup.clients:
        yield f"{client.id},{quote(client.computer)}"
    yield f'"Section",{len(setup.sections)}'
    for section in setup.sections:
        yield f"{section.id},{quote(section.letter)},{section.tables},{section.missing_pair}"
    yield f'"Tables",{len(setup.tables)}'
    for table in setup.tables:
        yield _comma_separated(
            table.section,
            table.table,
            table.computer,
            table.status,
            table.log_on_off,
            table.instruction,
            table.current_round,
            table.current_board,
        )
    yield f'"RoundData",{len(setup.rounds)}'
    for round_ in setup.rounds:
        boards = parse_boards(round_.custom) if round_.custom else ()
        yield _comma_separated(
            round_.section, round_.table, round_.round, round_.ns, round_.ew, round_.low, round_.high, *boards
        )
    yield f'"PlayerNumbers",{len(setup.numbers)}'
    for number in setup.numbers:
        yield f"{number.section},{number.table},{quote(number.direction)},{quote(number.number or '0')}"


def _comma_separated(*numbers: int) -> str:
    return ",".join(str(number) for number in numbers)
