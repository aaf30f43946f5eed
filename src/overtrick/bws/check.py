"""Every breach of the developer's guide in a `.bws` file, with table, row and rule. Reads, and changes nothing.

A breach is something that the guide forbids. A warning is something it advises against, or that other programs may
read otherwise than was meant; an older file with fewer tables and fields is neither.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import pairwise

from overtrick.bws import check_movement, check_people, check_play, schema
from overtrick.bws.breach import Breach, repeated
from overtrick.bws.contents import Contents
from overtrick.event.setup import Generation, is_letters
from overtrick.guid import plain_guid


def check(contents: Contents, generation: Generation = Generation.III) -> tuple[Breach, ...]:
    """Everything that a file has wrong for table units of a generation, table by table."""
    return (
        *_layout(contents),
        *_clients(contents),
        *_sessions(contents),
        *_sections(contents),
        *check_movement.breaches(contents, generation),
        *check_play.breaches(contents),
        *check_people.breaches(contents),
    )


def _layout(contents: Contents) -> Iterator[Breach]:
    for table, columns in contents.columns.items():
        known = {field.name.casefold() for field in schema.TABLES[table]}
        known |= {name.casefold() for name in schema.INDIVIDUAL_FIELDS}
        extra = [name for name in columns if name.casefold() not in known]
        for name in extra:
            if not name.startswith("custom_"):
                yield Breach(
                    table,
                    f"field {name}",
                    "A field that a program adds has a name with custom_ in front.",
                    True,
                )
        own = [name in extra for name in columns]
        if any(mine and not later for mine, later in pairwise(own)):
            yield Breach(table, "", "Fields that a program adds must be placed after the existing ones.")
        if extra and table in ("BiddingData", "PlayData"):
            yield Breach(
                table, "", "The table is for reading only: a program should not add fields to it.", True
            )


def _clients(contents: Contents) -> Iterator[Breach]:
    for id in repeated(row.id for row in contents.clients):
        yield Breach("Clients", f"ID {id}", "An ID is unique.")
    for row in contents.clients:
        if not row.computer:
            yield Breach("Clients", f"ID {row.id}", "A client has the name of its computer.")


def _sessions(contents: Contents) -> Iterator[Breach]:
    for id in repeated(row.id for row in contents.sessions):
        yield Breach("Session", f"ID {id}", "An ID is unique.")
    for guid in repeated(plain_guid(row.guid) for row in contents.sessions if plain_guid(row.guid)):
        yield Breach("Session", f"GUID {guid}", "A GUID is unique.")
    for row in contents.sessions:
        where = f"ID {row.id}"
        if row.guid and not plain_guid(row.guid):
            yield Breach("Session", where, f"{row.guid!r} is not in the format of a GUID.")
        if row.status not in (0, 1, 2):
            yield Breach("Session", where, f"Status is 0, 1 or 2, not {row.status}.")


def _sections(contents: Contents) -> Iterator[Breach]:
    sessions = {row.id for row in contents.sessions}
    for id in repeated(row.id for row in contents.sections):
        yield Breach("Section", f"ID {id}", "An ID is unique.")
    for letters in repeated(row.letter for row in contents.sections):
        yield Breach("Section", f"Letter {letters}", "The letters of a section are unique.")
    tables = Counter(row.section for row in contents.tables)
    for row in contents.sections:
        where = f"ID {row.id}"
        if not 1 <= row.id <= 78:
            yield Breach("Section", where, "An ID is from 1 to 78.")
        if not is_letters(row.letter):
            yield Breach("Section", where, f"Letters are A to Z, AA to ZZ or AAA to ZZZ, not {row.letter!r}.")
        if row.tables != tables[row.id]:
            yield Breach("Section", where, f"Tables is {row.tables}, but there are {tables[row.id]} tables.")
        if contents.has("Session") and contents.has("Section", "Session") and row.session not in sessions:
            yield Breach("Section", where, f"There is no session {row.session}.")
        if not 1 <= row.scoring_type <= 4:
            yield Breach("Section", where, f"ScoringType is 1 to 4, not {row.scoring_type}.")
        if row.winners not in (0, 1, 2):
            yield Breach("Section", where, f"Winners is 0, 1 or 2, not {row.winners}.")
        if abs(row.ew_moves) >= max(tables[row.id], 1) and row.ew_moves:
            yield Breach(
                "Section", where, f"East-West cannot move {row.ew_moves} tables among {tables[row.id]}.", True
            )
