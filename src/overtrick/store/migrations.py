"""Migrations of the tables from older formats, step by step. `schema_upgrades` does the same for facts."""

from collections.abc import Callable
from typing import Any

from sqlalchemy.schema import CreateIndex

from overtrick.store.derived_tables import rebuild_all
from overtrick.store.engine import JournalEngine
from overtrick.store.tables import FORMAT, item_index

Step = Callable[[JournalEngine, Any], None]


def _only_derived(engine: JournalEngine, cursor: Any) -> None:
    """Do nothing: the formats differ only in derived tables, which are rebuilt after every migration."""


def _add_items(engine: JournalEngine, cursor: Any) -> None:
    """Add the ids of queue items; old items have the version of their fact."""
    cursor.execute("ALTER TABLE journal ADD COLUMN item INTEGER")
    cursor.execute(engine.compile(CreateIndex(item_index)))


STEPS: dict[int, Step] = {1: _only_derived, 2: _add_items, 3: _only_derived, 4: _only_derived}
"""`STEPS[n]` takes tables of format n to format n + 1, inside the caller's transaction."""

_TABLES: dict[int, frozenset[str]] = {
    1: frozenset({"journal", "marks"}),
    2: frozenset({"journal", "marks", "streams"}),
    3: frozenset({"journal", "marks", "streams", "sessions", "changes"}),
    4: frozenset({"journal", "marks", "streams", "sessions", "changes"}),
    5: frozenset({"journal", "marks", "streams", "sessions", "changes", "player_results"}),
}


def tables_of(version: int) -> frozenset[str]:
    """Return the tables of a journal format."""
    return _TABLES[version]


def migrate(engine: JournalEngine, cursor: Any, version: int) -> None:
    """Migrate the tables from an older format to the current one, inside the caller's transaction."""
    for step in range(version, FORMAT):
        STEPS[step](engine, cursor)
    rebuild_all(engine, cursor)
