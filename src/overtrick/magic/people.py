"""Players, totals, awards and ranks: import of the files 3A to 3D into a registry, and export.

On either side `nPlayerID` is Magic's key and `nPlayerIDForeign` the office's.
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


def take_people(
    path: Path,
    registry: Registry,
    *,
    encoding: Encoding = Encoding.UTF_8,
    decisions: Decisions | None = None,
    partial: bool = False,
) -> ImportResult:
    """Import one of the files 3A to 3D into a registry; raise BadFile and change nothing if it has problems."""
    with open_file(path, encoding) as reading:
        joined = _TAKE[reading.kind](registry, _whole(reading, partial), decisions or Decisions(), partial)
    problems = [
        *reading.problems,
        *(replace(one, column=_column(reading.kind, one.column)) for one in joined.refusals),
    ]
    if problems and not partial:
        raise BadFile(str(path), sorted(problems, key=lambda problem: problem.line))
    return ImportResult(
        reading.kind,
        joined.added + joined.changed + joined.same,
        (),
        tuple(replace(one, column=_column(reading.kind, one.column)) for one in joined.conflicts),
        tuple(sorted(problems, key=lambda problem: problem.line)),
        (f"{joined.added} added, {joined.changed} changed, {joined.same} as they were.", *joined.notes),
        joined.added + joined.changed,
    )


def _whole(reading: ExchangeFile, partial: bool) -> Iterator[tuple[int, Row]]:
    """Yield the lines of a file; one that cannot be read ends it, because nothing of it may then be taken."""
    yield from reading.rows()
    if reading.problems and not partial:
        raise BadFile(str(reading.path), reading.problems)


def _column(kind: FileKind, field: str) -> str:
    """Return the file's name of a field of the registry."""
    layout = LAYOUTS[kind]
    place: int = layout.row._fields.index(field)
    return layout.columns[place]


_TAKE: dict[FileKind, Callable[[Registry, Iterator[tuple[int, Any]], Decisions, bool], ImportOutcome]] = {
    FileKind.PLAYERS: lambda registry, lines, decisions, partial: People(registry).take(
        lines, decisions, partial=partial
    ),
    FileKind.TOTALS: lambda registry, lines, decisions, partial: Ledger(registry).take_totals(
        lines, decisions, partial=partial
    ),
    FileKind.AWARDS: lambda registry, lines, _, partial: Ledger(registry).take_awards(lines, partial=partial),
    FileKind.RANKS: lambda registry, lines, _, partial: Ledger(registry).take_ranks(lines, partial=partial),
}


def write_people(
    path: Path, registry: Registry, kind: FileKind, year: int, encoding: Encoding = Encoding.UTF_8
) -> bool:
    """Write one of the files 3A to 3D and return whether it has changed; totals and ranks are those of a year."""
    rows: dict[FileKind, Callable[[], Iterator[Row]]] = {
        FileKind.PLAYERS: lambda: People(registry).every(),
        FileKind.TOTALS: lambda: Ledger(registry).totals(year),
        FileKind.AWARDS: lambda: Ledger(registry).awards(),
        FileKind.RANKS: lambda: Ledger(registry).ranks(year),
    }
    return write_file(path, kind, rows[kind](), encoding)


def members(registry: Registry) -> Members:
    """Return the players of a registry by member code, as an import of an event needs them."""
    people = People(registry)

    def find(member_code: str) -> Competitor | None:
        found = people.find("member_code", member_code)
        if found is None or found[0] is None:
            return None
        _, office_id, code, last_name, first_name, sex, birth = found
        return Competitor(found[0], first_name, last_name, code, office_id or 0, sex, birth)

    return Members(find, people.highest_key())


def correct_names(path: Path, registry: Registry, encoding: Encoding) -> None:
    """Correct member codes and names in the registry by an imported 2A-b, for the players that it has."""
    people = People(registry)
    lines = []
    with open_file(path, encoding) as reading:
        for line, row in reading.rows():
            assert isinstance(row, MemberCodeRow)
            known = people.find("magic_id", row.player_id) if row.player_id else None
            if known is not None:
                code, last, first = known[2:5]
                right = (row.member_code or code, row.last_name or last, row.first_name or first)
                lines.append((line, Person(*known[:2], *right, *known[5:])))
    people.take(lines, Decisions(accepts_all=True), partial=True)
