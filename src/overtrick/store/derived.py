"""The table of streams, which only repeats what the journal says. Knows no fact.

It is kept up to date in the transaction that appends, and `rebuild_all` drops it and makes it again from the
journal alone.
"""

from typing import Any

from sqlalchemy import (
    CompoundSelect,
    Insert,
    Subquery,
    func,
    insert,
    literal_column,
    select,
    union_all,
)
from sqlalchemy.schema import CreateTable, DropTable

from overtrick.store.ground import Ground
from overtrick.store.tables import journal, streams


def advance_streams(ground: Ground) -> Insert:
    """Return the statement that moves a stream to `version`, with the time of a batch as `opened` and `changed`."""
    return ground.upsert(streams, ["stream"], ["version", "changed"])


def _heads() -> Subquery:
    heads = select(journal.c.stream, func.max(journal.c.version).label("version")).group_by(journal.c.stream)
    return heads.subquery()


def _fill_streams() -> Insert:
    heads, first, last = _heads(), journal.alias("first"), journal.alias("last")
    found = (
        select(heads.c.stream, heads.c.version, first.c.at, last.c.at)
        .select_from(heads)
        .join(first, (first.c.stream == heads.c.stream) & (first.c.version == literal_column("1")))
        .join(last, (last.c.stream == heads.c.stream) & (last.c.version == heads.c.version))
    )
    return insert(streams).from_select(["stream", "version", "opened", "changed"], found)


def mislisted_streams() -> CompoundSelect[Any]:
    """Return the statement that finds streams of which the table differs from the journal; one, so one moment."""
    heads = _heads()
    same = streams.c.stream == heads.c.stream
    wrong = select(heads.c.stream).outerjoin(streams, same)
    unfounded = select(streams.c.stream).outerjoin(heads, same)
    return union_all(
        wrong.where(streams.c.version.is_distinct_from(heads.c.version)),
        unfounded.where(heads.c.stream.is_(None)),
    )


def rebuild_all(ground: Ground, cursor: Any) -> None:
    """Drop every derived table and make it from the journal, inside the caller's transaction."""
    ground.hold_tables(cursor)
    cursor.execute(ground.spell(DropTable(streams, if_exists=True)))
    cursor.execute(ground.spell(CreateTable(streams)))
    cursor.execute(ground.spell(_fill_streams()))
