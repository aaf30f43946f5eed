"""Edits that write a changed movement into a running `.bws`: rounds, tables, and the instructions of the text.

The control program's columns in a table's row are kept. A pending instruction is never overwritten.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from overtrick.bmpftp.session_file import SESSION, values
from overtrick.bmpftp.setup_file import SetupFile, without_missing_pairs
from overtrick.bws.contents import Contents
from overtrick.bws.edits import Delete, Edit, Insert, NotTakenYet, Put, Update
from overtrick.bws.rows import PlayerNumberRow, RoundRow, TableRow, has_two_winners


def new_movement(contents: Contents, setup: SetupFile) -> list[Edit]:
    """Return the edits that replace the movement of the file: rounds first, instructions last.

    Raise NotTakenYet if a table has an instruction that the control program has not carried out.
    """
    setup = without_missing_pairs(setup)
    letters = {row.id: row.letter for row in (*contents.sections, *setup.sections)}
    pending = [f"{letters[row.section]}{row.table}" for row in contents.tables if row.instruction]
    if pending:
        raise NotTakenYet(_not_taken(pending))
    return [
        *_sections(contents, setup),
        *_rounds(contents, setup),
        *_numbers(contents, setup),
        *_tables(contents, setup, letters),
    ]


@dataclass(frozen=True, slots=True)
class InstructedTables:
    """The number of tables whose instruction was written, and the tables for which that is unknown."""

    tables: int
    unknown: tuple[str, ...] = ()


def written_before_stop(contents: Contents, setup: SetupFile) -> InstructedTables | None:
    """Return the instructions that an interrupted update has written; None if the rounds are not all written.

    Instructions are written after the rounds, table by table. The control program may have carried one out since, which
    clears it. It must not be written again: that would erase results that were entered in the meantime.
    """
    setup = without_missing_pairs(setup)
    rounds = {_round_key(row): values("RoundData", row) for row in contents.rounds}
    if rounds != {_round_key(row): values("RoundData", row) for row in setup.rounds}:
        return None
    current = {(row.section, row.table): row.instruction for row in contents.tables}
    tables = tables_with_instruction(setup)
    # All tables up to the last one that still has its instruction got theirs. The later ones are unknown.
    last = max(
        (index for index, row in enumerate(tables) if current.get((row.section, row.table))), default=-1
    )
    letters = {row.id: row.letter for row in (*contents.sections, *setup.sections)}
    unknown = tuple(f"{letters[row.section]}{row.table}" for row in tables[last + 1 :])
    return InstructedTables(last + 1, unknown)


def _not_taken(names: list[str]) -> str:
    subject = f"Table {names[0]} has" if len(names) == 1 else f"Tables {', '.join(names)} have"
    return f"{subject} an earlier instruction that the control program has not carried out yet. Nothing was written."


def _sections(contents: Contents, setup: SetupFile) -> Iterator[Edit]:
    existing = {row.id for row in contents.sections}
    session = contents.sessions[0].id if contents.sessions else SESSION
    for row in setup.sections:
        if row.id in existing:
            yield Update("Section", {"ID": row.id}, {"Tables": row.tables})
        else:
            winners = 2 if has_two_winners(row, setup.rounds) else 1
            yield Insert("Section", values("Section", replace(row, session=session, winners=winners)))


def _rounds(contents: Contents, setup: SetupFile) -> Iterator[Edit]:
    new_keys = {_round_key(row) for row in setup.rounds}
    for key in dict.fromkeys(_round_key(row) for row in contents.rounds):
        if key not in new_keys:
            yield Delete("RoundData", dict(zip(("Section", "Table", "Round"), key, strict=True)))
    for row in setup.rounds:
        fields = values("RoundData", row)
        key_fields = {name: fields.pop(name) for name in ("Section", "Table", "Round")}
        yield Put("RoundData", key_fields, fields)


def _round_key(row: RoundRow) -> tuple[int, int, int]:
    return row.section, row.table, row.round


def _numbers(contents: Contents, setup: SetupFile) -> Iterator[Edit]:
    """Yield the edits for the chairs of new tables; existing chairs keep the numbers that players entered."""
    existing = {(row.section, row.table) for row in contents.tables}
    by_chair = {(row.section, row.table, row.direction): row for row in setup.numbers}
    for table in setup.tables:
        if (table.section, table.table) in existing:
            continue
        for direction in "NESW":
            chair = table.section, table.table, direction
            fields = values("PlayerNumbers", by_chair.get(chair, PlayerNumberRow(*chair)))
            key = {name: fields.pop(name) for name in ("Section", "Table", "Direction", "Round")}
            yield Put("PlayerNumbers", key, fields)


def _tables(contents: Contents, setup: SetupFile, letters: dict[int, str]) -> Iterator[Edit]:
    computers = _computers(contents, setup)
    existing = {(row.section, row.table): row for row in contents.tables}
    new_keys = {(row.section, row.table) for row in setup.tables}
    for section, table in existing:
        if (section, table) not in new_keys:
            yield Delete("Tables", {"Section": section, "Table": table})
    for row in setup.tables:
        computer = computers.get(row.computer, 0)
        old = existing.get((row.section, row.table))
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


def _computers(contents: Contents, setup: SetupFile) -> dict[int, int]:
    """Return the number of each computer in the `.bws` by its ID in the text; computers are matched by name."""
    names = {row.computer: row.id for row in contents.clients}
    return {row.id: names[row.computer] for row in setup.clients if row.computer in names}


def tables_with_instruction(setup: SetupFile) -> tuple[TableRow, ...]:
    """Return the tables that have an instruction in the text."""
    return tuple(row for row in setup.tables if row.instruction)
