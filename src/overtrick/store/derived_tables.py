"""The tables of streams, of sessions and of changes, which only repeat what the journal says. Knows no fact.

The table of streams is kept up to date in the transaction that appends, and `rebuild_all` drops it and makes it again
from the journal alone, and so is the table of changes. The table of sessions is emptied: `overtrick.store.sessions`
fills it.
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

from overtrick.store.engine import JournalEngine
from overtrick.store.tables import SCORING, changes, journal, sessions, streams


def advance_streams(engine: JournalEngine) -> Insert:
    """Return the statement that moves a stream to `version`, with the time of a batch as `opened` and `changed`."""
    return engine.upsert(streams, ["stream"], ["version", "changed"])


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


def _fill_changes() -> Insert:
    newest = func.row_number().over(
        partition_by=journal.c.actor,
        order_by=[journal.c.at.desc(), journal.c.stream.desc(), journal.c.version.desc()],
    )
    found = (
        select(journal.c.actor, journal.c.command_id, newest.label("place"))
        .where(journal.c.side == literal_column(f"'{SCORING}'"))
        .subquery()
    )
    last = select(found.c.actor, found.c.command_id).where(found.c.place == literal_column("1"))
    return insert(changes).from_select(["actor", "command_id"], last)


def rebuild_all(engine: JournalEngine, cursor: Any) -> None:
    """Drop every derived table and make it from the journal, inside the caller's transaction."""
    engine.hold_tables(cursor)
    for table in (streams, sessions, changes):
        cursor.execute(engine.spell(DropTable(table, if_exists=True)))
        cursor.execute(engine.spell(CreateTable(table)))
    cursor.execute(engine.spell(_fill_streams()))
    cursor.execute(engine.spell(_fill_changes()))
    engine.number_items(cursor)
