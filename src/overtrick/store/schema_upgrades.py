"""Facts of older schemas become facts of today, step by step. The one module that knows what they were.

A step is kept for ever: a journal of every release must open for ever. `LIFTS[kind, schema]` takes the
body of that schema, as JSON gives it, to the body of the next one.
"""

import re
from collections.abc import Callable, Mapping
from typing import Any

Body = dict[str, Any]
Lift = Callable[[Body], Body]


def _with_swiss_format(old: Body) -> Body:
    """Add the format and the lots of a section, which only its name told."""
    named = re.findall(r"round (\d{1,4}) by lot (\d{1,9})", old["name"])
    lots = {int(number): int(lot) for number, lot in named}
    return {
        **old,
        "format": "swiss" if old["name"].startswith("Swiss") else "movement",
        "lots": [{"round": number, "lot": lot} for number, lot in lots.items()],
    }


LIFTS: dict[tuple[str, int], Lift] = {
    ("result-judged", 1): lambda old: {**old, "basis": ""},
    ("section-set", 1): lambda old: {**old, "explicit_seating": False},
    ("section-set", 2): _with_swiss_format,
    ("session-changed", 1): lambda old: {**old, "order": 0},
    ("status-changed", 1): lambda old: {**old, "basis": ""},
    ("team-board-recorded", 1): lambda old: {**old, "result": {**old["result"], "outcome_ew": None}},
}


def missing_lifts(kind: str, schema: int, lifts: Mapping[tuple[str, int], Lift] = LIFTS) -> list[int]:
    """The older schemas of a kind, now at `schema`, that nothing lifts.

    >>> missing_lifts("table moved", 3, {("table moved", 1): dict})
    [2]
    """
    return [older for older in range(1, schema) if (kind, older) not in lifts]


def lifted(
    kind: str, schema: int, body: Body, to: int, lifts: Mapping[tuple[str, int], Lift] = LIFTS
) -> Body:
    """The body of a fact of an older schema, as the schema `to` has it.

    >>> lifted("table moved", 1, {"table": 4}, 2, {("table moved", 1): lambda old: {**old, "section": "A"}})
    {'table': 4, 'section': 'A'}
    """
    for step in range(schema, to):
        body = lifts[kind, step](body)
    return body
