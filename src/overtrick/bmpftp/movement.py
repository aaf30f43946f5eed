"""A changed movement for a running `.bws`: rounds and tables are rewritten, with the instructions of the text.

Columns of the control program in a table's row stay. A pending instruction is never overwritten.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from overtrick.bmpftp.session_file import SESSION, values
from overtrick.bmpftp.setup_file import SessionSetup, without_missing_pairs
from overtrick.bws.contents import Contents
from overtrick.bws.edits import Delete, Edit, Insert, NotTakenYet, Put, Update
from overtrick.bws.rows import PlayerNumberRow, RoundRow, TableRow, two_winners


def new_movement(contents: Contents, setup: SessionSetup) -> list[Edit]:
    """Return the edits that replace the file's movement by that of the text: rounds first, instructions last."""
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
class InstructedTables:
    """The tables whose instruction was written, and those for which that is unknown."""

    tables: int
    unknown: tuple[str, ...] = ()


def given_before_stop(contents: Contents, setup: SessionSetup) -> InstructedTables | None:
    """Return the instructions that were written before an update was interrupted; None if none was.

    Instructions come after the rounds, table by table. One that was written may have been carried out since, and must
    not be repeated: it would erase what was entered meanwhile.
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
    return InstructedTables(last + 1, unknown)


def _not_taken(tables: list[str]) -> str:
    which = f"Table {tables[0]} has" if len(tables) == 1 else f"Tables {', '.join(tables)} have"
    return f"{which} an earlier instruction that the control program has not taken yet; nothing was written."


def _sections(contents: Contents, setup: SessionSetup) -> Iterator[Edit]:
    known = {row.id for row in contents.sections}
    session = contents.sessions[0].id if contents.sessions else SESSION
    for row in setup.sections:
        if row.id in known:
            yield Update("Section", {"ID": row.id}, {"Tables": row.tables})
        else:
            winners = 2 if two_winners(row, setup.rounds) else 1
            yield Insert("Section", values("Section", replace(row, session=session, winners=winners)))


def _rounds(contents: Contents, setup: SessionSetup) -> Iterator[Edit]:
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


def _numbers(contents: Contents, setup: SessionSetup) -> Iterator[Edit]:
    """Return the edits for the chairs of new tables; other chairs keep what players entered."""
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


def _tables(contents: Contents, setup: SessionSetup, letters: dict[int, str]) -> Iterator[Edit]:
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


def _computers(contents: Contents, setup: SessionSetup) -> dict[int, int]:
    """Return the `.bws` number of each computer, by its ID in the text; computers are matched by name."""
    names = {row.computer: row.id for row in contents.clients}
    return {row.id: names[row.computer] for row in setup.clients if row.computer in names}


def instructed(setup: SessionSetup) -> tuple[TableRow, ...]:
    """Return the tables that have an instruction in the text."""
    return tuple(row for row in setup.tables if row.instruction)
