"""Players, totals, awards and ranks: the files 3A to 3D, into a registry and out of it.

On either side `nPlayerID` is Magic's key and `nPlayerIDForeign` the office's.
"""

from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import TypeVar, cast

from overtrick.event.teams import Competitor
from overtrick.magic.errors import BadFile, RowProblem
from overtrick.magic.files import END, Encoding, Reading, open_file, write_file, write_texts
from overtrick.magic.joining import Accepted, Conflict, Members
from overtrick.magic.rows import LAYOUTS, AwardRow, Kind, MemberCodeRow
from overtrick.magic.taking import Taken
from overtrick.registry import Award, Decisions, Joined, Ledger, People, Rank, Registry, Totals
from overtrick.registry.lines import PersonFields, columns_of

KINDS = (Kind.PLAYERS, Kind.TOTALS, Kind.AWARDS, Kind.RANKS)
"""In the order in which several files are taken."""

Line = TypeVar("Line")

_FIELDS: dict[Kind, tuple[str, ...]] = {
    Kind.PLAYERS: ("magic_id", "office_id", "member_code", "last_name", "first_name", "sex", "birth"),
    Kind.TOTALS: Totals._fields,
    Kind.AWARDS: Award._fields,
    Kind.RANKS: Rank._fields,
}
"""What the registry calls the columns of each kind."""


def take_people(
    path: Path,
    registry: Registry,
    *,
    encoding: Encoding = Encoding.UTF_8,
    accepted: Accepted | None = None,
    apart: frozenset[int] = frozenset(),
    partial: bool = False,
) -> Taken:
    """Take one of the files 3A to 3D into a registry. BadFile says what is wrong with it, and nothing is changed."""
    accepted = accepted or Accepted()
    decisions = Decisions(accepted.lines, apart, accepted.all)
    with open_file(path, encoding) as reading:
        joined = _TAKE[reading.kind](registry, reading, decisions, partial)
    problems = [
        *reading.problems,
        *(RowProblem(one.line, _column(reading.kind, one.field), one.sentence) for one in joined.refusals),
    ]
    if problems and not partial:
        raise BadFile(str(path), sorted(problems, key=lambda problem: problem.line))
    return Taken(
        reading.kind,
        joined.added + joined.changed + joined.same,
        (),
        tuple(
            Conflict(one.line, _column(reading.kind, one.field), one.ours, one.theirs)
            for one in joined.differences
        ),
        tuple(sorted(problems, key=lambda problem: problem.line)),
        (f"{joined.added} added, {joined.changed} changed, {joined.same} as they were.", *joined.notes),
        joined.added + joined.changed,
    )


def _whole(reading: Reading, lines: Iterable[Line], partial: bool) -> Iterator[Line]:
    """The lines of a file; one that cannot be read ends it, because nothing of it may then be taken."""
    yield from lines
    if reading.problems and not partial:
        raise BadFile(str(reading.path), reading.problems)


def _column(kind: Kind, field: str) -> str:
    names = dict(zip(_FIELDS[kind], LAYOUTS[kind].columns, strict=True))
    return names.get(field, "")


def _take_players(registry: Registry, reading: Reading, decisions: Decisions, partial: bool) -> Joined:
    # A row of 3A has the fields of a person in their order.
    lines = cast(Callable[[], Iterator[tuple[int, PersonFields]]], reading.rows)
    return People(registry).take_columns(
        lambda: columns_of(_whole(reading, lines(), partial)), decisions, partial=partial
    )


def _take_totals(registry: Registry, reading: Reading, decisions: Decisions, partial: bool) -> Joined:
    rows = ((line, Totals._make(row)) for line, row in _whole(reading, reading.rows(), partial))
    return Ledger(registry).take_totals(rows, decisions, partial=partial)


def _take_awards(registry: Registry, reading: Reading, decisions: Decisions, partial: bool) -> Joined:
    rows = ((line, Award._make(row)) for line, row in _whole(reading, reading.rows(), partial))
    return Ledger(registry).take_awards(rows, partial=partial)


def _take_ranks(registry: Registry, reading: Reading, decisions: Decisions, partial: bool) -> Joined:
    rows = ((line, Rank._make(row)) for line, row in _whole(reading, reading.rows(), partial))
    return Ledger(registry).take_ranks(rows, partial=partial)


_TAKE: dict[Kind, Callable[[Registry, Reading, Decisions, bool], Joined]] = {
    Kind.PLAYERS: _take_players,
    Kind.TOTALS: _take_totals,
    Kind.AWARDS: _take_awards,
    Kind.RANKS: _take_ranks,
}


def write_people(
    path: Path, registry: Registry, kind: Kind, year: int, encoding: Encoding = Encoding.UTF_8
) -> bool:
    """Write one of the files 3A to 3D, and say whether it has changed; totals and ranks are those of a year."""
    if kind is Kind.AWARDS:
        # An award of the registry has the columns of 3C in their order.
        return write_file(path, kind, cast(Iterator[AwardRow], Ledger(registry).awards()), encoding)
    texts = {
        Kind.PLAYERS: lambda: People(registry).every_joined("\t", END),
        Kind.TOTALS: lambda: Ledger(registry).totals_joined(year, "\t", END),
        Kind.RANKS: lambda: Ledger(registry).ranks_joined(year, "\t", END),
    }[kind]()
    return write_texts(path, chain(["\t".join(LAYOUTS[kind].columns) + END], texts), encoding)


def members(registry: Registry) -> Members:
    """The players of a registry by member code, as an event wants them."""
    people = People(registry)

    def find(member_code: str) -> Competitor | None:
        found = people.find("member_code", member_code)
        if found is None or found[0] is None:
            return None
        _, office_id, code, last_name, first_name, sex, birth = found
        return Competitor(found[0], first_name, last_name, code, office_id or 0, sex, birth)

    return Members(find, people.highest_key())


def correct_names(path: Path, registry: Registry, encoding: Encoding) -> None:
    """Member codes and names of a 2A-b that was taken, for those players whom the registry has."""
    people = People(registry)
    lines = []
    with open_file(path, encoding) as reading:
        for line, row in reading.rows():
            assert isinstance(row, MemberCodeRow)
            known = people.find("magic_id", row.player_id) if row.player_id else None
            if known is not None:
                code, last, first = known[2:5]
                right = (row.member_code or code, row.last_name or last, row.first_name or first)
                lines.append((line, (*known[:2], *right, *known[5:])))
    people.take(lines, Decisions(accepts_all=True), partial=True)
