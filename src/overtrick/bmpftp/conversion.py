"""Conversion of a `.bws` to the three text files and back, without a running session."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from overtrick.bmpftp.folder import Folder, read_file, replace_durably, told
from overtrick.bmpftp.number_file import number_lines, parse_numbers
from overtrick.bmpftp.result_file import ScoredRow, ns_score, parse_results, unreadable
from overtrick.bmpftp.session_file import create_session_file, in_order, setup_of
from overtrick.bmpftp.setup_file import parse_setup, setup_lines
from overtrick.bmpftp.transfer import TextFormat
from overtrick.bws.contents import open_contents
from overtrick.bws.rows import PlayerNumberRow
from overtrick.errors import BadInput


@dataclass(frozen=True, slots=True)
class ConversionResult:
    """The counts and warnings of a conversion."""

    tables: int
    results: int
    numbers: int
    notes: tuple[str, ...] = ()


def to_text(session: Path, path: Path, spelling: TextFormat) -> ConversionResult:
    """Write a `.bws` into the three files of a folder; raise BadInput if one of them has other contents."""
    contents = open_contents(session)
    folder = Folder(path)
    with told(path):
        path.mkdir(parents=True, exist_ok=True)
    setup, rows = setup_of(contents), in_order(contents)
    files = {
        folder.setup: spelling.lines(setup_lines(setup)),
        folder.results: spelling.results(rows),
        folder.numbers: spelling.lines(number_lines(setup.numbers)),
    }
    # One that says the same was written by a run that was stopped before the others.
    for file, content in files.items():
        if file.exists() and read_file(file) != content:
            raise BadInput("It is there already; nothing was written.", where=str(file))
    for file, content in files.items():
        replace_durably(file, content)
    notes = (
        f"Board {row.board} at table {row.table} has no score: {why}"
        for row in rows
        if (why := unreadable(row))
    )
    return ConversionResult(len(setup.tables), len(rows), len(setup.numbers), tuple(notes))


def to_session(
    path: Path, session: Path, spelling: TextFormat, *, clock: Callable[[], datetime] = datetime.now
) -> ConversionResult:
    """Create a `.bws` from the files of a folder, with results and numbers if there are any; it must not exist yet."""
    folder = Folder(path)
    if not folder.setup.exists():
        raise BadInput("There is no such file.", where=str(folder.setup))
    setup = parse_setup(read_file(folder.setup), spelling.encoding, folder.setup.name)
    results: list[ScoredRow] = []
    numbers: list[PlayerNumberRow] = []
    if folder.results.exists():
        results = parse_results(read_file(folder.results), spelling.encoding, tables=setup.places)
    if folder.numbers.exists():
        numbers = parse_numbers(read_file(folder.numbers), spelling.encoding, tables=setup.places)
    with told(session):
        create_session_file(
            session, setup, results=[each.row for each in results], numbers=numbers, clock=clock
        )
    notes = tuple(
        f"Board {each.row.board} at table {each.row.table} says {each.score}, and scores {counted}."
        for each in results
        if (counted := ns_score(each.row)) != each.score
    )
    return ConversionResult(len(setup.tables), len(results), len(numbers) or len(setup.numbers), notes)
