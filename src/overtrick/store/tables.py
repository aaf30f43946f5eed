"""The tables of a journal, defined once for both engines in SQLAlchemy Core.

A row of the journal is one fact, with the primary key `(stream, version)`. The facts of one command share its id and
are numbered by `step` from 1 across all streams. `(command_id, step)` is unique: a command that arrives twice violates
the constraint with its first step, so the database itself guarantees that a command counts once.
"""

from sqlalchemy import Column, Index, Integer, MetaData, PrimaryKeyConstraint, Table, Text, UniqueConstraint

FORMAT = 5
"""The format of these tables; raise it with a step in `migrations` whenever they change."""

SCORING = "scoring"
"""The side of facts that a scoring program made; its queues do not report them."""

metadata = MetaData()

journal = Table(
    "journal",
    metadata,
    Column("stream", Text, nullable=False),
    Column("version", Integer, nullable=False),
    Column("kind", Text, nullable=False),
    Column("schema", Integer, nullable=False),
    Column("at", Text, nullable=False),
    Column("side", Text, nullable=False),
    Column("actor", Text, nullable=False),
    Column("command_id", Text, nullable=False),
    Column("step", Integer, nullable=False),
    # Text and not jsonb, so that a body is read exactly as it was written, and both engines hold the same.
    Column("body", Text, nullable=False),
    # The id of the queue item that this fact makes; null if it makes none.
    Column("item", Integer, nullable=True),
    PrimaryKeyConstraint("stream", "version"),
    UniqueConstraint("command_id", "step"),
    # Clustered by the primary key: a stream is stored in the order in which it is replayed.
    sqlite_with_rowid=False,
)

item_index = Index("journal_item", journal.c.item, unique=True)

marks = Table(
    "marks",
    metadata,
    Column("club", Text, nullable=False),
    Column("stream", Text, nullable=False),
    Column("queue", Text, nullable=False),
    Column("position", Integer, nullable=False),
    PrimaryKeyConstraint("club", "stream", "queue"),
    sqlite_with_rowid=False,
)

streams = Table(
    "streams",
    metadata,
    Column("stream", Text, nullable=False),
    Column("version", Integer, nullable=False),
    Column("opened", Text, nullable=False),
    Column("changed", Text, nullable=False),
    PrimaryKeyConstraint("stream"),
    sqlite_with_rowid=False,
)
"""Derived (see `derived_tables`): the last version of each stream and the times of its first and last fact."""

sessions = Table(
    "sessions",
    metadata,
    Column("stream", Text, nullable=False),
    Column("session", Text, nullable=False),
    Column("incarnation", Integer, nullable=False),
    Column("event", Text, nullable=False),
    Column("club", Text, nullable=False),
    Column("name", Text, nullable=False),
    Column("day", Text, nullable=False),
    Column("status", Text, nullable=False),
    Column("filing", Text, nullable=False),
    Column("tables", Integer, nullable=False),
    Column("results", Integer, nullable=False),
    Column("is_running", Integer, nullable=False),
    Column("version", Integer, nullable=False),
    Column("event_version", Integer, nullable=False),
    PrimaryKeyConstraint("session", "incarnation"),
    UniqueConstraint("stream"),
    sqlite_with_rowid=False,
)
"""Derived (see `sessions`): a line for each session, with the versions of its own and its event's stream at which
nothing was due."""

player_results = Table(
    "player_results",
    metadata,
    Column("player", Text, nullable=False),
    Column("stream", Text, nullable=False),
    Column("name", Text, nullable=False),
    Column("body", Text, nullable=False),
    PrimaryKeyConstraint("player", "stream"),
    UniqueConstraint("stream", "player"),
    sqlite_with_rowid=False,
)
"""Derived (see `player_index`): the result of each player of each finished session."""

changes = Table(
    "changes",
    metadata,
    Column("actor", Text, nullable=False),
    Column("command_id", Text, nullable=False),
    PrimaryKeyConstraint("actor"),
    sqlite_with_rowid=False,
)
"""Derived: the last command of each scoring program, so that a request sent again after a restart is recognised."""
