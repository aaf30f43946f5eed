"""The SQL statements of the journal, compiled once per engine and process. Has no dependency on facts."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import BindParameter, Select, bindparam, func, select

from overtrick.store.derived_tables import advance_streams, mislisted_streams
from overtrick.store.engine import JournalEngine
from overtrick.store.tables import changes, journal, marks, streams

LOOKUP_SIZES = (1, 2, 4, 8, 16, 32, 64, 128, 256)
"""The numbers of command ids for which a lookup statement is compiled."""


@dataclass(frozen=True, slots=True)
class Statements:
    """The SQL statements of a journal."""

    advance: str
    """Inserts or updates a row of the table of streams; see `derived_tables`."""
    head: str
    heads: str
    heads_between: str
    """Selects the versions of the streams from `first` (included) to `end` (excluded)."""
    heads_of: str
    """Selects the versions of the streams with these `names` or with one of the prefixes `starts`."""
    streams: str
    mislisted: str
    at: str
    """Selects the command ids of given versions of streams."""
    read: str
    missed: str
    """Selects the facts of streams above given versions, in their order; for PostgreSQL alone."""
    commands: Mapping[int, str]
    """By a number of commands: the statement that selects the places of their facts, with positional parameters."""
    move_mark: str
    marks: str
    note_change: str
    """Stores the id of the last command of a scoring program."""
    last_change: str


def statements(engine: JournalEngine) -> Statements:
    """Return the statements in the dialect of this engine."""
    return engine.compile_once(_compile)


def _compile(engine: JournalEngine) -> Statements:
    sql = engine.compile
    of_stream = journal.c.stream == bindparam("stream")
    of_club = (marks.c.club == bindparam("club"), marks.c.stream == bindparam("stream"))
    return Statements(
        advance=sql(advance_streams(engine)),
        head=sql(select(func.max(journal.c.version)).where(of_stream)),
        heads=sql(select(streams.c.stream, streams.c.version)),
        heads_between=sql(
            select(streams.c.stream, streams.c.version).where(
                streams.c.stream >= bindparam("first"), streams.c.stream < bindparam("end")
            )
        ),
        heads_of="SELECT stream, version FROM streams "
        "WHERE stream = ANY(%(names)s) OR stream LIKE ANY(%(starts)s)",
        streams=sql(select(streams).order_by(streams.c.opened, streams.c.stream)),
        mislisted=sql(mislisted_streams()),
        at="SELECT journal.stream, journal.version, command_id FROM journal "
        "JOIN unnest(%(streams)s::text[], %(versions)s::integer[]) AS known (stream, version) "
        "ON journal.stream = known.stream AND journal.version = known.version",
        read=sql(
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
        missed="SELECT journal.stream, version, at, side, actor, command_id, kind, schema, body, item "
        "FROM unnest(%(streams)s::text[], %(after)s::integer[]) AS known (stream, seen) "
        "JOIN journal ON journal.stream = known.stream AND version > seen ORDER BY journal.stream, version",
        commands={size: engine.compile_positional(_find_commands(size)) for size in LOOKUP_SIZES},
        move_mark=sql(
            engine.upsert(marks, ["club", "stream", "queue"], ["position"], rising_column="position")
        ),
        marks=sql(select(marks.c.queue, marks.c.position).where(*of_club)),
        note_change=sql(engine.upsert(changes, ["actor"], ["command_id"])),
        last_change=sql(select(changes.c.command_id).where(changes.c.actor == bindparam("actor"))),
    )


def _find_commands(size: int) -> Select[Any]:
    """Return the statement that finds the facts of a number of commands, with a positional parameter for each."""
    ids: list[BindParameter[str]] = [bindparam(f"command_{place}") for place in range(size)]
    return (
        select(
            journal.c.command_id, journal.c.stream, func.min(journal.c.version), func.max(journal.c.version)
        )
        .where(journal.c.command_id.in_(ids))
        .group_by(journal.c.command_id, journal.c.stream)
        .order_by(func.min(journal.c.step))
    )
