"""Older forms of the tables become today's, step by step. Knows no fact: facts are `lift`'s."""

from collections.abc import Callable
from typing import Any

from overtrick.store.derived import rebuild_all
from overtrick.store.ground import Ground
from overtrick.store.tables import FORMAT

Step = Callable[[Ground, Any], None]


def _only_derived(ground: Ground, cursor: Any) -> None:
    """The formats differ in derived tables alone, which are made again after every migration."""


STEPS: dict[int, Step] = {1: _only_derived}
"""`STEPS[n]` takes tables of format n to format n + 1, inside the caller's transaction."""

_TABLES: dict[int, frozenset[str]] = {
    1: frozenset({"journal", "marks"}),
    2: frozenset({"journal", "marks", "streams"}),
}


def tables_of(version: int) -> frozenset[str]:
    """The tables that a journal of a format has."""
    return _TABLES[version]


def migrate(ground: Ground, cursor: Any, version: int) -> None:
    """Take the tables from an older format to today's, inside the caller's transaction."""
    for step in range(version, FORMAT):
        STEPS[step](ground, cursor)
    rebuild_all(ground, cursor)
