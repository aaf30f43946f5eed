"""Upgrades of facts from older schemas to the present ones, step by step. Pure: no I/O.

A step is never removed, because journals of every release must open. `SCHEMA_UPGRADES[kind, schema]` converts the
decoded JSON body of that schema to the body of the next one.
"""

import re
from collections.abc import Callable, Mapping
from typing import Any

Body = dict[str, Any]
SchemaUpgrade = Callable[[Body], Body]


def _with_swiss_format(old: Body) -> Body:
    """Add the format and the lots of a section; in schema 2 they are only part of the section's name."""
    pairs = re.findall(r"round (\d{1,4}) by lot (\d{1,9})", old["name"])
    lots = {int(number): int(lot) for number, lot in pairs}
    return {
        **old,
        "format": "swiss" if old["name"].startswith("Swiss") else "movement",
        "lots": [{"round": number, "lot": lot} for number, lot in lots.items()],
    }


SCHEMA_UPGRADES: dict[tuple[str, int], SchemaUpgrade] = {
    ("adjustment-made", 1): lambda old: {**old, "round": None},
    ("result-judged", 1): lambda old: {**old, "basis": ""},
    ("section-set", 1): lambda old: {**old, "explicit_seating": False},
    ("section-set", 2): _with_swiss_format,
    ("session-changed", 1): lambda old: {**old, "order": 0},
    ("status-changed", 1): lambda old: {**old, "basis": ""},
    ("team-board-recorded", 1): lambda old: {**old, "result": {**old["result"], "outcome_ew": None}},
}


def missing_upgrades(
    kind: str, schema: int, upgrades: Mapping[tuple[str, int], SchemaUpgrade] = SCHEMA_UPGRADES
) -> list[int]:
    """Return the older schemas of a kind, now at `schema`, that have no upgrade.

    >>> missing_upgrades("table moved", 3, {("table moved", 1): dict})
    [2]
    """
    return [older for older in range(1, schema) if (kind, older) not in upgrades]


def upgrade_body(
    kind: str,
    schema: int,
    body: Body,
    to: int,
    upgrades: Mapping[tuple[str, int], SchemaUpgrade] = SCHEMA_UPGRADES,
) -> Body:
    """Return the body of a fact of an older schema, upgraded to the schema `to`.

    >>> upgrade_body("table moved", 1, {"table": 4}, 2, {("table moved", 1): lambda old: {**old, "section": "A"}})
    {'table': 4, 'section': 'A'}
    """
    for step in range(schema, to):
        body = upgrades[kind, step](body)
    return body
