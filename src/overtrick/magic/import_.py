"""A file about a team event taken in: whole, or with `partial` its good rows; twice changes nothing."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from overtrick.event import Command, JournalState
from overtrick.magic.errors import BadFile
from overtrick.magic.files import Encoding, open_file, write_lines
from overtrick.magic.matches import take_results, take_schedule
from overtrick.magic.merge import Joining, Members, Rows, joining
from overtrick.magic.room_rows import take_boards, take_line_ups
from overtrick.magic.rows import Kind
from overtrick.magic.team_lists import take_initial_teams, take_member_codes, take_team_ids, take_team_list
from overtrick.registry import Conflict, Decisions, RowProblem

TAKE: dict[Kind, Callable[[Joining, Rows], None]] = {
    Kind.INITIAL_TEAMS: take_initial_teams,
    Kind.TEAMS: take_team_list,
    Kind.TEAM_IDS: take_team_ids,
    Kind.MEMBER_CODES: take_member_codes,
    Kind.SCHEDULE: take_schedule,
    Kind.LINE_UPS: take_line_ups,
    Kind.BOARDS: take_boards,
    Kind.RESULTS: take_results,
}
"""How each kind is taken; in this order where there are several files."""


@dataclass(frozen=True, slots=True)
class Taken:
    """What a file comes to."""

    kind: Kind
    rows: int
    commands: tuple[Command, ...]
    conflicts: tuple[Conflict, ...]
    problems: tuple[RowProblem, ...]
    """With `partial`: what is wrong with the rows that were left out."""
    notes: tuple[str, ...]
    changed: int = 0
    """Players, awards or ranks of a registry that were added or changed."""


def take_file(
    path: Path,
    house: JournalState,
    new_guid: Callable[[], str],
    *,
    encoding: Encoding = Encoding.UTF_8,
    only: str | None = None,
    accepted: Decisions | None = None,
    members: Members | None = None,
    partial: bool = False,
) -> Taken:
    """The commands that a file asks for. BadFile says what is wrong with it; then there are none."""
    with open_file(path, encoding) as reading:
        rows = list(reading.rows())
        problems = list(reading.problems)
        kind = reading.kind
    if problems and not partial:
        raise BadFile(str(path), problems)
    while True:
        bad = {problem.line for problem in problems}
        made = joining(house, only, new_guid, accepted or Decisions(), members or Members())
        TAKE[kind](made, [(line, row) for line, row in rows if line not in bad])
        if not made.problems:
            break
        problems += made.problems
        if not partial:
            raise BadFile(str(path), problems)
        # A row that was taken may rest on one that was not, so the rest is looked at anew without it.
    return Taken(
        kind,
        len(rows),
        tuple(made.commands()),
        tuple(made.conflicts),
        tuple(sorted(problems, key=lambda problem: problem.line)),
        tuple(made.notes),
    )


def write_rejects(path: Path, rejects: Path, problems: tuple[RowProblem, ...], encoding: Encoding) -> None:
    """The header and the lines that were not taken, to be mended and taken again."""
    lines = {problem.line for problem in problems}
    with path.open(encoding=encoding.for_reading, newline=None) as source:
        kept = [
            line.rstrip("\n").split("\t")
            for number, line in enumerate(source, start=1)
            if number == 1 or number in lines
        ]
    write_lines(rejects, kept, encoding)
