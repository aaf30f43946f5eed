"""Import of a file about a team event: whole, or with `partial` its valid rows. A second import changes nothing."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from overtrick.event import Command, JournalState
from overtrick.magic.errors import BadFile
from overtrick.magic.files import Encoding, open_file, write_lines
from overtrick.magic.matches import take_results, take_schedule
from overtrick.magic.merge import FileMerge, Members, Rows, joining
from overtrick.magic.room_rows import take_boards, take_line_ups
from overtrick.magic.rows import FileKind
from overtrick.magic.team_lists import take_initial_teams, take_member_codes, take_team_ids, take_team_list
from overtrick.registry import Conflict, Decisions, RowProblem

TAKE: dict[FileKind, Callable[[FileMerge, Rows], None]] = {
    FileKind.INITIAL_TEAMS: take_initial_teams,
    FileKind.TEAMS: take_team_list,
    FileKind.TEAM_IDS: take_team_ids,
    FileKind.MEMBER_CODES: take_member_codes,
    FileKind.SCHEDULE: take_schedule,
    FileKind.LINE_UPS: take_line_ups,
    FileKind.BOARDS: take_boards,
    FileKind.RESULTS: take_results,
}
"""The importer of each kind, in the order for several files."""


@dataclass(frozen=True, slots=True)
class ImportResult:
    """The result of an import."""

    kind: FileKind
    rows: int
    commands: tuple[Command, ...]
    conflicts: tuple[Conflict, ...]
    problems: tuple[RowProblem, ...]
    """The problems of the rows that were left out, with `partial`."""
    notes: tuple[str, ...]
    changed: int = 0
    """The number of players, awards or ranks of a registry that were added or changed."""


def take_file(
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
    """Return the commands of a file; raise BadFile if it has problems."""
    with open_file(path, encoding) as reading:
        rows = list(reading.rows())
        problems = list(reading.problems)
        kind = reading.kind
    if problems and not partial:
        raise BadFile(str(path), problems)
    while True:
        bad = {problem.line for problem in problems}
        made = joining(journal_state, only, new_guid, accepted or Decisions(), members or Members())
        TAKE[kind](made, [(line, row) for line, row in rows if line not in bad])
        if not made.problems:
            break
        problems += made.problems
        if not partial:
            raise BadFile(str(path), problems)
        # A row that was taken may rest on one that was not, so the rest is looked at anew without it.
    return ImportResult(
        kind,
        len(rows),
        tuple(made.commands()),
        tuple(made.conflicts),
        tuple(sorted(problems, key=lambda problem: problem.line)),
        tuple(made.notes),
    )


def write_rejects(path: Path, rejects: Path, problems: tuple[RowProblem, ...], encoding: Encoding) -> None:
    """Write the header and the rejected lines to a file, to be corrected and imported again."""
    lines = {problem.line for problem in problems}
    with path.open(encoding=encoding.for_reading, newline=None) as source:
        kept = [
            line.rstrip("\n").split("\t")
            for number, line in enumerate(source, start=1)
            if number == 1 or number in lines
        ]
    write_lines(rejects, kept, encoding)
