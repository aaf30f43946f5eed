"""Import of a file about a team event: all rows or, with `partial`, the valid ones. A second import changes nothing."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from overtrick.event import Command, JournalState
from overtrick.magic.errors import BadFile
from overtrick.magic.files import Encoding, open_file, write_lines
from overtrick.magic.matches import import_results, import_schedule
from overtrick.magic.merge import FileMerge, Members, Rows, start_merge
from overtrick.magic.room_rows import import_boards, import_line_ups
from overtrick.magic.rows import FileKind
from overtrick.magic.team_lists import (
    import_initial_teams,
    import_member_codes,
    import_team_ids,
    import_team_list,
)
from overtrick.registry import Conflict, Decisions, RowProblem

IMPORTERS: dict[FileKind, Callable[[FileMerge, Rows], None]] = {
    FileKind.INITIAL_TEAMS: import_initial_teams,
    FileKind.TEAMS: import_team_list,
    FileKind.TEAM_IDS: import_team_ids,
    FileKind.MEMBER_CODES: import_member_codes,
    FileKind.SCHEDULE: import_schedule,
    FileKind.LINE_UPS: import_line_ups,
    FileKind.BOARDS: import_boards,
    FileKind.RESULTS: import_results,
}
"""The importer of each kind, in the order in which several files are imported."""


@dataclass(frozen=True, slots=True)
class ImportResult:
    """The result of an import: commands to carry out, and what a person should know."""

    kind: FileKind
    rows: int
    commands: tuple[Command, ...]
    conflicts: tuple[Conflict, ...]
    problems: tuple[RowProblem, ...]
    """The problems of the rows that were left out, with `partial`."""
    notes: tuple[str, ...]
    changed: int = 0
    """The number of players, awards or ranks of a registry that were added or changed."""


def plan_import(
    path: Path,
    journal_state: JournalState,
    new_guid: Callable[[], str],
    *,
    encoding: Encoding = Encoding.UTF_8,
    only: str | None = None,
    accepted: Decisions | None = None,
    members: Members | None = None,
    partial: bool = False,
) -> ImportResult:
    """Return the commands that import a file; raise BadFile if it has problems, unless `partial`.

    `only` limits the import to one event, by guid, key or name. In `accepted` lines, values of the file replace ours.
    """
    with open_file(path, encoding) as exchange_file:
        rows = list(exchange_file.rows())
        problems = list(exchange_file.problems)
        kind = exchange_file.kind
    if problems and not partial:
        raise BadFile(str(path), problems)
    while True:
        bad = {problem.line for problem in problems}
        merge = start_merge(journal_state, only, new_guid, accepted or Decisions(), members or Members())
        IMPORTERS[kind](merge, [(line, row) for line, row in rows if line not in bad])
        if not merge.problems:
            break
        problems += merge.problems
        if not partial:
            raise BadFile(str(path), problems)
        # A good row may depend on a rejected one, so start again without the rejected rows.
    return ImportResult(
        kind,
        len(rows),
        tuple(merge.commands()),
        tuple(merge.conflicts),
        tuple(sorted(problems, key=lambda problem: problem.line)),
        tuple(merge.notes),
    )


def write_rejects(path: Path, rejects: Path, problems: tuple[RowProblem, ...], encoding: Encoding) -> None:
    """Write the header and the rejected lines to a file, to be corrected and imported again."""
    lines = {problem.line for problem in problems}
    with path.open(encoding=encoding.for_reading, newline=None) as source:
        rejected = [
            line.rstrip("\n").split("\t")
            for number, line in enumerate(source, start=1)
            if number == 1 or number in lines
        ]
    write_lines(rejects, rejected, encoding)
