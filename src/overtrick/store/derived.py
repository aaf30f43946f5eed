"""Tables that only repeat what the journal says, each with the statement that makes it again. Knows no fact.

A derived table is kept up to date in the transaction that appends, and `rebuild_all` drops and makes
them all from the journal alone; nothing is in them that is not in the journal.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from sqlalchemy import (
    CompoundSelect,
    Insert,
    Subquery,
    Table,
    Update,
    bindparam,
    func,
    insert,
    literal_column,
    select,
    union_all,
    update,
)
from sqlalchemy.schema import CreateTable, DropTable

from overtrick.store.ground import Ground
from overtrick.store.tables import journal, streams


@dataclass(frozen=True, slots=True)
class Derived:
    """A derived table: how a batch moves it on, and how it is made again."""

    table: Table
    advance: Callable[[Ground], Insert]
    """With the parameters `stream`, `version` (the last of the batch), and its time as `opened` and `changed`."""
    begin: Callable[[], Insert]
    """The same for a stream that is new, and fails where it is not."""
    move: Callable[[], Update]
    """The same for a stream at the version `expected`, and changes no row where it is elsewhere."""
    rebuild: Callable[[], Insert]


def _advance_streams(ground: Ground) -> Insert:
    return ground.upsert(streams, ["stream"], ["version", "changed"])


def _begin_streams() -> Insert:
    return insert(streams)


def _move_streams() -> Update:
    return (
        update(streams)
        .where(streams.c.stream == bindparam("stream"), streams.c.version == bindparam("expected"))
        .values(version=bindparam("version"), changed=bindparam("changed"))
    )


def _heads() -> Subquery:
    heads = select(journal.c.stream, func.max(journal.c.version).label("version")).group_by(journal.c.stream)
    return heads.subquery()


def _rebuild_streams() -> Insert:
    heads, first, last = _heads(), journal.alias("first"), journal.alias("last")
    found = (
        select(heads.c.stream, heads.c.version, first.c.at, last.c.at)
        .select_from(heads)
        .join(first, (first.c.stream == heads.c.stream) & (first.c.version == literal_column("1")))
        .join(last, (last.c.stream == heads.c.stream) & (last.c.version == heads.c.version))
    )
    return insert(streams).from_select(["stream", "version", "opened", "changed"], found)


DERIVED = (Derived(streams, _advance_streams, _begin_streams, _move_streams, _rebuild_streams),)


def mislisted_streams() -> CompoundSelect[Any]:
    """The streams of which the table does not say what the journal says; one statement, so one moment."""
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
    ground.hold_all(cursor)
    for derived in DERIVED:
        cursor.execute(ground.spell(DropTable(derived.table, if_exists=True)))
        cursor.execute(ground.spell(CreateTable(derived.table)))
        cursor.execute(ground.spell(derived.rebuild()))
