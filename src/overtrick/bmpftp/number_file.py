"""`BMPNums.txt`: reading and writing of players' numbers.

The file has no rounds, so it lists each chair once, with its first player.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from overtrick.bmpftp.setup_file import NUMBER_FIELDS, read_direction, read_table
from overtrick.bmpftp.text_fields import ENCODING, quote, read_lines
from overtrick.bws.rows import PlayerNumberRow
from overtrick.bws.schema import field

NAME = "BMPNums.txt"
NO_NUMBER = "0"
"""The number that is written for a chair without one."""

_ORDER = "NESW"
_LONGEST = field("PlayerNumbers", "Number").size or 0


def first_players(rows: Iterable[PlayerNumberRow]) -> list[PlayerNumberRow]:
    """Return the first player of each chair, sorted by section, table and direction: of round 0, or else of round 1.

    >>> rows = PlayerNumberRow(1, 1, "N", "9", round=3), PlayerNumberRow(1, 1, "N", "7")
    >>> [row.number for row in first_players(rows)]
    ['7']
    """
    by_chair: dict[tuple[int, int, str], PlayerNumberRow] = {}
    for row in sorted(rows, key=lambda row: row.round):
        direction = row.direction.upper()
        if direction in _ORDER and direction and row.round <= 1:
            by_chair.setdefault((row.section, row.table, direction), row)
    return [by_chair[key] for key in sorted(by_chair, key=lambda key: (key[0], key[1], _ORDER.index(key[2])))]


def number_lines(rows: Iterable[PlayerNumberRow]) -> Iterator[str]:
    """Yield the lines of the file.

    >>> list(number_lines([PlayerNumberRow(1, 1, "N", "65"), PlayerNumberRow(1, 1, "E", "")]))
    ['1,1,"N ","65"', '1,1,"E ","0"']
    """
    for row in first_players(rows):
        direction = quote(row.direction.upper(), 2)
        yield f"{row.section},{row.table},{direction},{quote(row.number or NO_NUMBER)}"


def parse_numbers(
    content: bytes,
    encoding: str = ENCODING,
    name: str = NAME,
    tables: Collection[tuple[int, int]] | None = None,
) -> list[PlayerNumberRow]:
    """Parse the rows of a file; raise BadText for an invalid row, or one of a table that is not in `tables`."""
    rows: list[PlayerNumberRow] = []
    chairs: set[tuple[int, int, str]] = set()
    for line in read_lines(content, name, encoding):
        line.require_fields(NUMBER_FIELDS)
        section, table = line.whole(0, "Section"), line.whole(1, "Table")
        if tables is not None:
            read_table(line, tables)
        direction = read_direction(line)
        if (section, table, direction) in chairs:
            line.refuse(f"This table has {direction} twice.", 2, "Direction")
        chairs.add((section, table, direction))
        rows.append(PlayerNumberRow(section, table, direction, line.text(3, "Number", _LONGEST)))
    return rows
