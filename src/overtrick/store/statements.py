"""The statements of a journal, spelled once for each engine, however often one is opened. Knows no fact."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import BindParameter, Select, bindparam, func, insert, select

from overtrick.store.derived_tables import advance_streams, mislisted_streams
from overtrick.store.engine import JournalEngine
from overtrick.store.tables import changes, journal, marks, streams

MANY = (1, 2, 4, 8, 16, 32, 64, 128, 256)
"""How many commands one statement looks for."""


@dataclass(frozen=True, slots=True)
class Statements:
    """What a journal says to its engine."""

    insert: str
    """A row of the journal, its columns by place."""
    advance: str
    """A row of the table of streams; see `derived`."""
    head: str
    heads: str
    heads_between: str
    """The versions of the streams from `first` to before `end` are, by the order of their characters."""
    heads_of: str
    """The versions of some streams: those whose names are `names`, or begin with one of `starts`."""
    streams: str
    mislisted: str
    at: str
    """The commands that made the last known facts of some streams."""
    read: str
    commands: Mapping[int, str]
    """Where the facts of so many commands are, the commands by place."""
    move_mark: str
    marks: str
    note_change: str
    """The last command of a scoring program."""
    last_change: str


_SPELLED: dict[str, Statements] = {}


def statements(engine: JournalEngine) -> Statements:
    """The statements as the dialect of this engine takes them."""
    dialect = engine.sql_engine.dialect.name
    if dialect not in _SPELLED:
        _SPELLED[dialect] = _spell(engine)
    return _SPELLED[dialect]


def _spell(engine: JournalEngine) -> Statements:
    spell = engine.spell
    of_stream = journal.c.stream == bindparam("stream")
    of_club = (marks.c.club == bindparam("club"), marks.c.stream == bindparam("stream"))
    return Statements(
        insert=engine.spell_by_place(insert(journal)),
        advance=spell(advance_streams(engine)),
        head=spell(select(func.max(journal.c.version)).where(of_stream)),
        heads=spell(select(streams.c.stream, streams.c.version)),
        heads_between=spell(
            select(streams.c.stream, streams.c.version).where(
                streams.c.stream >= bindparam("first"), streams.c.stream < bindparam("end")
            )
        ),
        heads_of="SELECT stream, version FROM streams "
        "WHERE stream = ANY(%(names)s) OR stream LIKE ANY(%(starts)s)",
        streams=spell(select(streams).order_by(streams.c.opened, streams.c.stream)),
        mislisted=spell(mislisted_streams()),
        at="SELECT journal.stream, journal.version, command_id FROM journal "
        "JOIN unnest(%(streams)s::text[], %(versions)s::integer[]) AS known (stream, version) "
        "ON journal.stream = known.stream AND journal.version = known.version",
        read=spell(
            select(
                journal.c.version,
                journal.c.at,
                journal.c.side,
                journal.c.actor,
                journal.c.command_id,
                journal.c.kind,
                journal.c.schema,
                journal.c.body,
                journal.c.item,
            )
            .where(of_stream, journal.c.version > bindparam("after"), journal.c.version <= bindparam("upto"))
            .order_by(journal.c.version)
        ),
        commands={many: engine.spell_by_place(_find_commands(many)) for many in MANY},
        move_mark=spell(engine.upsert(marks, ["club", "stream", "queue"], ["position"], rising="position")),
        marks=spell(select(marks.c.queue, marks.c.position).where(*of_club)),
        note_change=spell(engine.upsert(changes, ["actor"], ["command_id"])),
        last_change=spell(select(changes.c.command_id).where(changes.c.actor == bindparam("actor"))),
    )


def _find_commands(many: int) -> Select[Any]:
    """Where the facts of so many commands are."""
    asked: list[BindParameter[str]] = [bindparam(f"command_{place}") for place in range(many)]
    return (
        select(
            journal.c.command_id, journal.c.stream, func.min(journal.c.version), func.max(journal.c.version)
        )
        .where(journal.c.command_id.in_(asked))
        .group_by(journal.c.command_id, journal.c.stream)
        .order_by(func.min(journal.c.step))
    )
