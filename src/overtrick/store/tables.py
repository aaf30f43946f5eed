"""The tables of a journal, said once for both engines. Knows what a row is, not how it is written.

A row of the journal is one fact. `(stream, version)` is its name. The facts of one command share its id
and are numbered by `step` from 1, whichever streams they go to, and `(command_id, step)` is unique: a
command that came twice meets its own first step, so the database itself holds that the same command
counts once.
"""

from sqlalchemy import Column, Index, Integer, MetaData, PrimaryKeyConstraint, Table, Text, UniqueConstraint

FORMAT = 3
"""The form of these tables; raise it with a step in `migrations` whenever they change."""

SCORING = "scoring"
"""The side of facts that a scoring program made: not news to it."""

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
    # Text and not jsonb: what was written is what is read, to the letter, and both engines hold the same.
    Column("body", Text, nullable=False),
    # The id of what this fact puts into a queue; null where it puts nothing there.
    Column("item", Integer, nullable=True),
    PrimaryKeyConstraint("stream", "version"),
    UniqueConstraint("command_id", "step"),
    # A stream lies in one place in the file, in the order in which it is replayed.
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
"""Derived from the journal (see `derived`): how far each stream is, and when its first and last fact came."""

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
    Column("tables", Integer, nullable=False),
    Column("results", Integer, nullable=False),
    Column("is_running", Integer, nullable=False),
    Column("version", Integer, nullable=False),
    Column("event_version", Integer, nullable=False),
    PrimaryKeyConstraint("session", "incarnation"),
    UniqueConstraint("stream"),
    sqlite_with_rowid=False,
)
"""Derived from the journal (see `sessions`): a line for each session, and up to which versions of its own stream and of
its event's nothing is due in it."""

changes = Table(
    "changes",
    metadata,
    Column("actor", Text, nullable=False),
    Column("command_id", Text, nullable=False),
    PrimaryKeyConstraint("actor"),
    sqlite_with_rowid=False,
)
"""The last command of each scoring program: one that is sent again gets the same answer, also after a restart."""
