"""Files of the exchange as lines: tab-separated, CR LF, one header row. Depends on rows, and not on their meaning.

The kind is recognised from the header, and where two kinds share one from the figures. A file is written to a temporary
file and renamed, and is not touched if its contents are the same.
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
from overtrick.magic.rows import LAYOUTS, SHORT_MEMBER_CODES, FileKind, Layout, MatchRow, Row
from overtrick.magic.values import READERS, type_of, write_decimal
from overtrick.registry import RowProblem

TOLD = 20
"""The number of columns of a wrong header that an error names."""


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
    """An open file: iterate over its rows, then look at `problems`."""

    path: Path
    kind: FileKind
    layout: Layout
    header: str
    lines: IO[str]
    problems: list[RowProblem] = field(default_factory=list)
    """The problems of the lines that are not among the rows."""

    def rows(self) -> Iterator[tuple[int, Row]]:
        """Yield the number of each line and its row; an invalid line becomes a problem."""
        self.problems.clear()
        self.lines.seek(0)
        self.lines.readline()
        columns, width, make = self.layout.columns, len(self.layout.columns), self.layout.make
        # Every cell is stripped, and text needs no more than that.
        readers = [
            (place, READERS[type_of(name)]) for place, name in enumerate(columns) if type_of(name) != "cs"
        ]
        for number, line in enumerate(self.lines, start=2):
            values: list[Any] = list(map(str.strip, line.split("\t")))
            if len(values) == width:
                try:
                    for place, read in readers:
                        values[place] = read(values[place])
                except ValueError:
                    self.problems += _faults(number, self.layout, line.split("\t"))
                else:
                    yield number, make(values)
            elif any(values):
                self.problems.append(RowProblem(number, "", f"It has {len(values)} columns and not {width}."))


def layout_of(header: Iterable[str], where: str = "") -> Layout:
    """Return the layout with these columns; for the columns that 2B and 2E share it is 2B.

    >>> layout_of(["nTeamID", "nTeamIDForeign"]).kind
    <FileKind.TEAM_IDS: '2A-a'>
    """
    columns = tuple(name.strip() for name in header)
    for layout in (*LAYOUTS.values(), SHORT_MEMBER_CODES):
        if layout.columns == columns:
            return layout
    near = max(LAYOUTS.values(), key=lambda layout: 2 * _shared(layout, columns) - len(layout.columns))
    if not _shared(near, columns):
        raise UnknownFile("The first line is not the header of any file of the exchange.", where=where)
    times = Counter(columns)
    missing = [name for name in near.columns if name not in times]
    extra = [name for name in times if name not in near.columns]
    twice = sorted(name for name, count in times.items() if count > 1)
    faults = [
        f"{words}: {', '.join(repr(name) for name in names[:TOLD])}{', …' if len(names) > TOLD else ''}"
        for words, names in (("missing", missing), ("not known", extra), ("twice", twice))
        if names
    ]
    raise UnknownFile(
        f"The header is almost that of {near.kind.value}; columns "
        f"{'; '.join(faults) or 'are in another order'}. Nothing was taken.",
        where=f"{where}, line 1" if where else "line 1",
    )


def _shared(layout: Layout, columns: tuple[str, ...]) -> int:
    return len(set(layout.columns) & set(columns))


@contextmanager
def open_file(path: Path, encoding: Encoding = Encoding.UTF_8) -> Iterator[ExchangeFile]:
    """Open a file of the exchange and recognise its kind; rows are read on demand."""
    try:
        with path.open(encoding=encoding.for_reading, newline=None) as lines:
            header = lines.readline().rstrip("\n")
            layout = layout_of(header.split("\t"), str(path))
            reading = ExchangeFile(path, layout.kind, layout, header, lines)
            if layout.kind is FileKind.RESULTS and _is_schedule(reading):
                reading.kind = FileKind.SCHEDULE
            yield reading
    except UnicodeDecodeError as error:
        line = _undecodable(path, encoding)
        raise BadInput(
            f"The characters are not {encoding.value}: try --encoding "
            f"{'windows-1252' if encoding is Encoding.UTF_8 else 'utf-8'}. Nothing was taken.",
            where=f"{path}, line {line}",
        ) from error
    except OSError as error:
        raise BadInput(f"It cannot be read: {error.strerror}.", where=str(path)) from error


def _undecodable(path: Path, encoding: Encoding) -> int:
    with path.open("rb") as lines:
        for number, line in enumerate(lines, start=1):
            try:
                line.decode(encoding.for_reading)
            except UnicodeDecodeError:
                return number
    return 1


def _is_schedule(reading: ExchangeFile) -> bool:
    """Return whether carry-overs are the only figures."""
    for _, row in reading.rows():
        assert isinstance(row, MatchRow)
        if not (row.home.is_schedule and row.away.is_schedule):
            return False
    return True


def _faults(number: int, layout: Layout, cells: list[str]) -> Iterator[RowProblem]:
    for column, cell in zip(layout.columns, cells, strict=True):
        try:
            READERS[type_of(column)](cell.strip())
        except ValueError as error:
            yield RowProblem(number, column, str(error))


def write_file(path: Path, kind: FileKind, rows: Iterable[Row], encoding: Encoding = Encoding.UTF_8) -> bool:
    """Write a file and return whether it has changed; equal contents are not written."""
    layout = LAYOUTS[kind]
    decimals = [place for place, column in enumerate(layout.columns) if type_of(column) == "f"]

    def lines() -> Iterator[Sequence[object]]:
        yield layout.columns
        for row in rows:
            values = layout.values(row)
            for place in decimals:
                values[place] = write_decimal(values[place])
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
            "A value has a tab or the end of a line in it. Nothing was written.",
            where=f"{path}, line {written + 1}",
        ) from error
    except UnicodeEncodeError as error:
        raise BadInput(
            f"{error.object[error.start : error.end]!r} is not in {encoding.value}: write UTF-8. "
            "Nothing was written.",
            where=str(path),
        ) from error
    except OSError as error:
        raise BadInput(f"It cannot be written: {error.strerror}.", where=str(path)) from error
