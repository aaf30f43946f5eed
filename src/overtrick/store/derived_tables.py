"""The derived tables of streams, sessions and changes, which can be rebuilt from the journal. No dependency on facts.

The tables of streams and changes are updated in the transaction that appends; `rebuild_all` fills them again from the
journal. It also empties the tables of sessions and of players' results, which `sessions` and `player_index` fill.
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
from overtrick.store.tables import SCORING, changes, journal, player_results, sessions, streams


def advance_streams(engine: JournalEngine) -> Insert:
    """Return the upsert that sets `version` and `changed` of a stream, and `opened` if the stream is new."""
    return engine.upsert(streams, ["stream"], ["version", "changed"])


def _heads() -> Subquery:
    heads = select(journal.c.stream, func.max(journal.c.version).label("version")).group_by(journal.c.stream)
    return heads.subquery()


def _fill_streams() -> Insert:
    heads, first, last = _heads(), journal.alias("first"), journal.alias("last")
    rows = (
        select(heads.c.stream, heads.c.version, first.c.at, last.c.at)
        .select_from(heads)
        .join(first, (first.c.stream == heads.c.stream) & (first.c.version == literal_column("1")))
        .join(last, (last.c.stream == heads.c.stream) & (last.c.version == heads.c.version))
    )
    return insert(streams).from_select(["stream", "version", "opened", "changed"], rows)


def mislisted_streams() -> CompoundSelect[Any]:
    """Return the query for streams whose version in the derived table differs from the journal's."""
    heads = _heads()
    same = streams.c.stream == heads.c.stream
    in_journal = select(heads.c.stream).outerjoin(streams, same)
    in_table = select(streams.c.stream).outerjoin(heads, same)
    return union_all(
        in_journal.where(streams.c.version.is_distinct_from(heads.c.version)),
        in_table.where(heads.c.stream.is_(None)),
    )


def _fill_changes() -> Insert:
    rank = func.row_number().over(
        partition_by=journal.c.actor,
        order_by=[journal.c.at.desc(), journal.c.stream.desc(), journal.c.version.desc()],
    )
    ranked = (
        select(journal.c.actor, journal.c.command_id, rank.label("rank"))
        .where(journal.c.side == literal_column(f"'{SCORING}'"))
        .subquery()
    )
    last = select(ranked.c.actor, ranked.c.command_id).where(ranked.c.rank == literal_column("1"))
    return insert(changes).from_select(["actor", "command_id"], last)


def rebuild_all(engine: JournalEngine, cursor: Any) -> None:
    """Rebuild every derived table from the journal, inside the caller's transaction."""
    engine.lock_tables(cursor)
    for table in (streams, sessions, player_results, changes):
        cursor.execute(engine.compile(DropTable(table, if_exists=True)))
        cursor.execute(engine.compile(CreateTable(table)))
    cursor.execute(engine.compile(_fill_streams()))
    cursor.execute(engine.compile(_fill_changes()))
    engine.number_items(cursor)
