"""Another movement for a running `.bws`: its rounds and tables written anew, with the instructions of the text.

What the control program keeps in a table's row stays as it is. Nothing is written over an instruction that has not
been taken.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from overtrick.bmpftp.session_file import SESSION, values
from overtrick.bmpftp.setup_file import Setup, without_missing_pairs
from overtrick.bws.contents import Contents
from overtrick.bws.edits import Delete, Edit, Insert, NotTakenYet, Put, Update
from overtrick.bws.rows import PlayerNumberRow, RoundRow, TableRow, two_winners


def new_movement(contents: Contents, setup: Setup) -> list[Edit]:
    """The edits that put the movement of the text in the place of the file's: rounds first, instructions last."""
    setup = without_missing_pairs(setup)
    letters = {row.id: row.letter for row in (*contents.sections, *setup.sections)}
    waiting = [f"{letters[row.section]}{row.table}" for row in contents.tables if row.instruction]
    if waiting:
        raise NotTakenYet(_not_taken(waiting))
    return [
        *_sections(contents, setup),
        *_rounds(contents, setup),
        *_numbers(contents, setup),
        *_tables(contents, setup, letters),
    ]


@dataclass(frozen=True, slots=True)
class Instructed:
    """The tables that were given an instruction, and those of which nobody can tell whether they were."""

    tables: int
    unknown: tuple[str, ...] = ()


def given_before_stop(contents: Contents, setup: Setup) -> Instructed | None:
    """Return which instructions were given when the writing of a movement was stopped; None where none was.

    Instructions come after the rounds, table by table. One that was given may have been taken since, and must not be
    given again: it would erase what was entered meanwhile.
    """
    setup = without_missing_pairs(setup)
    written = {_round_key(row): values("RoundData", row) for row in contents.rounds}
    if written != {_round_key(row): values("RoundData", row) for row in setup.rounds}:
        return None
    now = {(row.section, row.table): row.instruction for row in contents.tables}
    wanted = instructed(setup)
    # The last that still has its instruction: those before it were given theirs too.
    last = max((at for at, row in enumerate(wanted) if now.get((row.section, row.table))), default=-1)
    letters = {row.id: row.letter for row in (*contents.sections, *setup.sections)}
    unknown = tuple(f"{letters[row.section]}{row.table}" for row in wanted[last + 1 :])
    return Instructed(last + 1, unknown)


def _not_taken(tables: list[str]) -> str:
    which = f"Table {tables[0]} has" if len(tables) == 1 else f"Tables {', '.join(tables)} have"
    return f"{which} an earlier instruction that the control program has not taken yet; nothing was written."


def _sections(contents: Contents, setup: Setup) -> Iterator[Edit]:
    known = {row.id for row in contents.sections}
    session = contents.sessions[0].id if contents.sessions else SESSION
    for row in setup.sections:
        if row.id in known:
            yield Update("Section", {"ID": row.id}, {"Tables": row.tables})
        else:
            winners = 2 if two_winners(row, setup.rounds) else 1
            yield Insert("Section", values("Section", replace(row, session=session, winners=winners)))


def _rounds(contents: Contents, setup: Setup) -> Iterator[Edit]:
    wanted = {_round_key(row) for row in setup.rounds}
    for key in dict.fromkeys(_round_key(row) for row in contents.rounds):
        if key not in wanted:
            yield Delete("RoundData", dict(zip(("Section", "Table", "Round"), key, strict=True)))
    for row in setup.rounds:
        fields = values("RoundData", row)
        key_fields = {name: fields.pop(name) for name in ("Section", "Table", "Round")}
        yield Put("RoundData", key_fields, fields)


def _round_key(row: RoundRow) -> tuple[int, int, int]:
    return row.section, row.table, row.round


def _numbers(contents: Contents, setup: Setup) -> Iterator[Edit]:
    """The chairs of new tables; those of others have what players entered."""
    known = {(row.section, row.table) for row in contents.tables}
    given = {(row.section, row.table, row.direction): row for row in setup.numbers}
    for table in setup.tables:
        if (table.section, table.table) in known:
            continue
        for direction in "NESW":
            place = table.section, table.table, direction
            fields = values("PlayerNumbers", given.get(place, PlayerNumberRow(*place)))
            key = {name: fields.pop(name) for name in ("Section", "Table", "Direction", "Round")}
            yield Put("PlayerNumbers", key, fields)


def _tables(contents: Contents, setup: Setup, letters: dict[int, str]) -> Iterator[Edit]:
    computers = _computers(contents, setup)
    known = {(row.section, row.table): row for row in contents.tables}
    wanted = {(row.section, row.table) for row in setup.tables}
    for section, table in known:
        if (section, table) not in wanted:
            yield Delete("Tables", {"Section": section, "Table": table})
    for row in setup.tables:
        computer = computers.get(row.computer, 0)
        old = known.get((row.section, row.table))
        if old is None:
            yield Insert("Tables", values("Tables", replace(row, computer=computer)))
            continue
        yield Update(
            "Tables",
            {"Section": row.section, "Table": row.table},
            {"ComputerID": computer or old.computer, "UpdateFromRound": row.instruction},
            {"UpdateFromRound": 0},
            or_refuse=_not_taken([f"{letters[row.section]}{row.table}"]),
        )


def _computers(contents: Contents, setup: Setup) -> dict[int, int]:
    """The running number of each computer, by its ID in the text: they are the same where the names are."""
    names = {row.computer: row.id for row in contents.clients}
    return {row.id: names[row.computer] for row in setup.clients if row.computer in names}


def instructed(setup: Setup) -> tuple[TableRow, ...]:
    """The tables that the text has an instruction for."""
    return tuple(row for row in setup.tables if row.instruction)
