"""Players, totals, awards and ranks: import of the files 3A to 3D into a registry, and export.

`nPlayerID` is Magic's key and `nPlayerIDForeign` the office's, whichever side we are.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from overtrick.event.teams import Competitor
from overtrick.magic.errors import BadFile
from overtrick.magic.files import Encoding, ExchangeFile, open_file, write_file
from overtrick.magic.import_ import ImportResult
from overtrick.magic.merge import Members
from overtrick.magic.rows import LAYOUTS, FileKind, MemberCodeRow, Row
from overtrick.registry import Decisions, ImportOutcome, Ledger, People, Person, Registry

KINDS = (FileKind.PLAYERS, FileKind.TOTALS, FileKind.AWARDS, FileKind.RANKS)
"""The kinds in the order in which several files are imported."""


def import_people(
    path: Path,
    registry: Registry,
    *,
    encoding: Encoding = Encoding.UTF_8,
    decisions: Decisions | None = None,
    partial: bool = False,
) -> ImportResult:
    """Import one of the files 3A to 3D into a registry; raise BadFile and change nothing if it has problems."""
    with open_file(path, encoding) as exchange_file:
        outcome = _IMPORTERS[exchange_file.kind](
            registry, _all_rows(exchange_file, partial), decisions or Decisions(), partial
        )
    problems = [
        *exchange_file.problems,
        *(replace(item, column=_column(exchange_file.kind, item.column)) for item in outcome.refusals),
    ]
    if problems and not partial:
        raise BadFile(str(path), sorted(problems, key=lambda problem: problem.line))
    return ImportResult(
        exchange_file.kind,
        outcome.added + outcome.changed + outcome.same,
        (),
        tuple(replace(item, column=_column(exchange_file.kind, item.column)) for item in outcome.conflicts),
        tuple(sorted(problems, key=lambda problem: problem.line)),
        (f"{outcome.added} added, {outcome.changed} changed, {outcome.same} unchanged.", *outcome.notes),
        outcome.added + outcome.changed,
    )


def _all_rows(exchange_file: ExchangeFile, partial: bool) -> Iterator[tuple[int, Row]]:
    """Yield the rows of a file; raise BadFile at its end if a line is invalid, so that nothing is imported."""
    yield from exchange_file.rows()
    if exchange_file.problems and not partial:
        raise BadFile(str(exchange_file.path), exchange_file.problems)


def _column(kind: FileKind, field: str) -> str:
    """Return the column of a field of the registry."""
    layout = LAYOUTS[kind]
    index: int = layout.row._fields.index(field)
    return layout.columns[index]


_IMPORTERS: dict[
    FileKind, Callable[[Registry, Iterator[tuple[int, Any]], Decisions, bool], ImportOutcome]
] = {
    FileKind.PLAYERS: lambda registry, lines, decisions, partial: People(registry).merge(
        lines, decisions, partial=partial
    ),
    FileKind.TOTALS: lambda registry, lines, decisions, partial: Ledger(registry).import_totals(
        lines, decisions, partial=partial
    ),
    FileKind.AWARDS: lambda registry, lines, _, partial: Ledger(registry).import_awards(
        lines, partial=partial
    ),
    FileKind.RANKS: lambda registry, lines, _, partial: Ledger(registry).import_ranks(lines, partial=partial),
}


def write_people(
    path: Path, registry: Registry, kind: FileKind, year: int, encoding: Encoding = Encoding.UTF_8
) -> bool:
    """Write one of the files 3A to 3D and return whether it has changed; totals and ranks are for a year."""
    rows: dict[FileKind, Callable[[], Iterator[Row]]] = {
        FileKind.PLAYERS: lambda: People(registry).every(),
        FileKind.TOTALS: lambda: Ledger(registry).totals(year),
        FileKind.AWARDS: lambda: Ledger(registry).awards(),
        FileKind.RANKS: lambda: Ledger(registry).ranks(year),
    }
    return write_file(path, kind, rows[kind](), encoding)


def members(registry: Registry) -> Members:
    """Return the look-up of players in a registry, for the import of an event."""
    people = People(registry)

    def find(member_code: str) -> Competitor | None:
        person = people.find("member_code", member_code)
        if person is None or person[0] is None:
            return None
        _, office_id, code, last_name, first_name, sex, birth = person
        return Competitor(person[0], first_name, last_name, code, office_id or 0, sex, birth)

    return Members(find, people.highest_key())


def correct_names(path: Path, registry: Registry, encoding: Encoding) -> None:
    """Copy the member codes and names of an imported 2A-b to the players in the registry."""
    people = People(registry)
    lines = []
    with open_file(path, encoding) as exchange_file:
        for line, row in exchange_file.rows():
            assert isinstance(row, MemberCodeRow)
            person = people.find("magic_id", row.player_id) if row.player_id else None
            if person is not None:
                code, last, first = person[2:5]
                corrected = (row.member_code or code, row.last_name or last, row.first_name or first)
                lines.append((line, Person(*person[:2], *corrected, *person[5:])))
    people.merge(lines, Decisions(accepts_all=True), partial=True)
