"""Reading and writing of exchange files: tab-separated, CR LF, one header row. No dependency on the event.

The header gives the kind; 2B and 2E share a header and are distinguished by their figures. A file is written to a
temporary file and renamed, and left alone if its contents are the same.
"""

import csv
import filecmp
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from typing import IO, Any

from overtrick.errors import BadInput
from overtrick.files import replacing
from overtrick.magic.errors import UnknownFile
from overtrick.magic.rows import LAYOUTS, SHORT_MEMBER_CODES, FileKind, FileLayout, MatchRow, Row
from overtrick.magic.values import READERS, column_prefix, write_decimal
from overtrick.registry import RowProblem

MOST_LISTED = 20
"""The most columns of a wrong header that a message lists."""


class Encoding(Enum):
    """The character encodings of a file."""

    UTF_8 = "utf-8"
    WINDOWS_1252 = "windows-1252"

    @property
    def for_reading(self) -> str:
        """Return Python's codec for reading, which accepts a byte order mark."""
        return "utf-8-sig" if self is Encoding.UTF_8 else "cp1252"

    @property
    def for_writing(self) -> str:
        """Return Python's codec for writing."""
        return "utf-8" if self is Encoding.UTF_8 else "cp1252"


@dataclass(slots=True)
class ExchangeFile:
    """An open file: iterate over its rows, then read `problems`."""

    path: Path
    kind: FileKind
    layout: FileLayout
    header: str
    lines: IO[str]
    problems: list[RowProblem] = field(default_factory=list)
    """The problems of the lines that are not among the rows; complete after `rows` has ended."""

    def rows(self) -> Iterator[tuple[int, Row]]:
        """Yield the number of each line and its row; an invalid line becomes a problem."""
        self.problems.clear()
        self.lines.seek(0)
        self.lines.readline()
        columns, width, make = self.layout.columns, len(self.layout.columns), self.layout.make
        # All cells are stripped below; only cells other than text need a parser.
        readers = [
            (index, READERS[column_prefix(name)])
            for index, name in enumerate(columns)
            if column_prefix(name) != "cs"
        ]
        for number, line in enumerate(self.lines, start=2):
            values: list[Any] = list(map(str.strip, line.split("\t")))
            if len(values) == width:
                try:
                    for index, read in readers:
                        values[index] = read(values[index])
                except ValueError:
                    self.problems += _cell_problems(number, self.layout, line.split("\t"))
                else:
                    yield number, make(values)
            elif any(values):
                self.problems.append(
                    RowProblem(number, "", f"The line has {len(values)} columns instead of {width}.")
                )


def layout_of(header: Iterable[str], where: str = "") -> FileLayout:
    """Return the layout with these columns (2B for those that 2B and 2E share); raise UnknownFile if there is none.

    >>> layout_of(["nTeamID", "nTeamIDForeign"]).kind
    <FileKind.TEAM_IDS: '2A-a'>
    """
    columns = tuple(name.strip() for name in header)
    for layout in (*LAYOUTS.values(), SHORT_MEMBER_CODES):
        if layout.columns == columns:
            return layout
    nearest = max(
        LAYOUTS.values(), key=lambda layout: 2 * _shared_count(layout, columns) - len(layout.columns)
    )
    if not _shared_count(nearest, columns):
        raise UnknownFile("The first line is not the header of an exchange file.", where=where)
    counts = Counter(columns)
    missing = [name for name in nearest.columns if name not in counts]
    extra = [name for name in counts if name not in nearest.columns]
    repeated = sorted(name for name, count in counts.items() if count > 1)
    differences = [
        f"{label}: {', '.join(repr(name) for name in names[:MOST_LISTED])}{', …' if len(names) > MOST_LISTED else ''}"
        for label, names in (("missing", missing), ("unknown", extra), ("repeated", repeated))
        if names
    ]
    raise UnknownFile(
        f"The header is similar to that of {nearest.kind.value}; columns "
        f"{'; '.join(differences) or 'are in another order'}. Nothing was imported.",
        where=f"{where}, line 1" if where else "line 1",
    )


def _shared_count(layout: FileLayout, columns: tuple[str, ...]) -> int:
    return len(set(layout.columns) & set(columns))


@contextmanager
def open_file(path: Path, encoding: Encoding = Encoding.UTF_8) -> Iterator[ExchangeFile]:
    """Open an exchange file and recognise its kind; raise BadInput if it cannot be read. Rows are read on demand."""
    try:
        with path.open(encoding=encoding.for_reading, newline=None) as lines:
            header = lines.readline().rstrip("\n")
            layout = layout_of(header.split("\t"), str(path))
            exchange_file = ExchangeFile(path, layout.kind, layout, header, lines)
            if layout.kind is FileKind.RESULTS and _is_schedule(exchange_file):
                exchange_file.kind = FileKind.SCHEDULE
            yield exchange_file
    except UnicodeDecodeError as error:
        line = _first_undecodable_line(path, encoding)
        raise BadInput(
            f"The characters are not {encoding.value}: try --encoding "
            f"{'windows-1252' if encoding is Encoding.UTF_8 else 'utf-8'}. Nothing was imported.",
            where=f"{path}, line {line}",
        ) from error
    except OSError as error:
        raise BadInput(f"The file cannot be read: {error.strerror}.", where=str(path)) from error


def _first_undecodable_line(path: Path, encoding: Encoding) -> int:
    with path.open("rb") as lines:
        for number, line in enumerate(lines, start=1):
            try:
                line.decode(encoding.for_reading)
            except UnicodeDecodeError:
                return number
    return 1


def _is_schedule(exchange_file: ExchangeFile) -> bool:
    """Return whether a 2B file has no figures except carry-overs."""
    for _, row in exchange_file.rows():
        assert isinstance(row, MatchRow)
        if not (row.home.is_schedule and row.away.is_schedule):
            return False
    return True


def _cell_problems(number: int, layout: FileLayout, cells: list[str]) -> Iterator[RowProblem]:
    for column, cell in zip(layout.columns, cells, strict=True):
        try:
            READERS[column_prefix(column)](cell.strip())
        except ValueError as error:
            yield RowProblem(number, column, str(error))


def write_file(path: Path, kind: FileKind, rows: Iterable[Row], encoding: Encoding = Encoding.UTF_8) -> bool:
    """Write a file and return whether it has changed; a file with equal contents is left alone."""
    layout = LAYOUTS[kind]
    decimals = [index for index, column in enumerate(layout.columns) if column_prefix(column) == "f"]

    def lines() -> Iterator[Sequence[object]]:
        yield layout.columns
        for row in rows:
            values = layout.values(row)
            for index in decimals:
                values[index] = write_decimal(values[index])
            yield values

    return write_lines(path, lines(), encoding)


def write_lines(path: Path, lines: Iterable[Sequence[object]], encoding: Encoding = Encoding.UTF_8) -> bool:
    """Write lines of cells to a file; return whether it has changed."""
    written = 0
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with replacing(path) as unfinished:
            with unfinished.open("w", encoding=encoding.for_writing, newline="") as target:
                writer = csv.writer(
                    target, delimiter="\t", lineterminator="\r\n", quoting=csv.QUOTE_NONE, quotechar=None
                )
                for cells in lines:
                    writer.writerow(cells)
                    written += 1
            is_new = not (path.is_file() and filecmp.cmp(unfinished, path, shallow=False))
            if not is_new:
                unfinished.unlink()
        return is_new
    except csv.Error as error:
        raise BadInput(
            "A value contains a tab or a line break. Nothing was written.",
            where=f"{path}, line {written + 1}",
        ) from error
    except UnicodeEncodeError as error:
        raise BadInput(
            f"{error.object[error.start : error.end]!r} cannot be written in {encoding.value}: use UTF-8. "
            "Nothing was written.",
            where=str(path),
        ) from error
    except OSError as error:
        raise BadInput(f"The file cannot be written: {error.strerror}.", where=str(path)) from error
