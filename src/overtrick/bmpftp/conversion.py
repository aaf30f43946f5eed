"""Conversion of a `.bws` file to the three text files and back, without a running session."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from overtrick.bmpftp.folder import Folder, folder_errors, read_file, replace_durably
from overtrick.bmpftp.number_file import number_lines, parse_numbers
from overtrick.bmpftp.result_file import ScoredRow, ns_score, parse_results, why_not_scored
from overtrick.bmpftp.session_file import create_session_file, results_by_id, setup_of
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


def to_text(session: Path, path: Path, text_format: TextFormat) -> ConversionResult:
    """Write a `.bws` file as three text files to a folder; raise BadInput if one exists with other contents."""
    contents = open_contents(session)
    folder = Folder(path)
    with folder_errors(path):
        path.mkdir(parents=True, exist_ok=True)
    setup, rows = setup_of(contents), results_by_id(contents)
    files = {
        folder.setup: text_format.lines(setup_lines(setup)),
        folder.results: text_format.results(rows),
        folder.numbers: text_format.lines(number_lines(setup.numbers)),
    }
    # A file with the same contents is from a run that was stopped between two files: go on.
    for file, content in files.items():
        if file.exists() and read_file(file) != content:
            raise BadInput("The file already exists. Nothing was written.", where=str(file))
    for file, content in files.items():
        replace_durably(file, content)
    notes = (
        f"Board {row.board} at table {row.table} has no score: {why}"
        for row in rows
        if (why := why_not_scored(row))
    )
    return ConversionResult(len(setup.tables), len(rows), len(setup.numbers), tuple(notes))


def to_session(
    path: Path, session: Path, text_format: TextFormat, *, clock: Callable[[], datetime] = datetime.now
) -> ConversionResult:
    """Create a `.bws` file from the text files of a folder, with results and numbers if there are any.

    Raise BadInput if the setup is missing or invalid, or the `.bws` file exists.
    """
    folder = Folder(path)
    if not folder.setup.exists():
        raise BadInput("There is no such file.", where=str(folder.setup))
    setup = parse_setup(read_file(folder.setup), text_format.encoding, folder.setup.name)
    results: list[ScoredRow] = []
    numbers: list[PlayerNumberRow] = []
    if folder.results.exists():
        results = parse_results(read_file(folder.results), text_format.encoding, tables=setup.places)
    if folder.numbers.exists():
        numbers = parse_numbers(read_file(folder.numbers), text_format.encoding, tables=setup.places)
    with folder_errors(session):
        create_session_file(
            session, setup, results=[result.row for result in results], numbers=numbers, clock=clock
        )
    notes = tuple(
        f"Board {result.row.board} at table {result.row.table} has the score {result.score} instead of {computed}."
        for result in results
        if (computed := ns_score(result.row)) != result.score
    )
    return ConversionResult(len(setup.tables), len(results), len(numbers) or len(setup.numbers), notes)
