"""Relationships between tables, as the system table MSysRelationships lists them; read only.

MSysRelationships has one row for each pair of columns:

    szRelationship      the name; rows of one name are one relationship
    ccolumn, icolumn    how many pairs of columns it has, and which of them this is
    szObject, szColumn  the table that refers, and its column
    szReferencedObject, szReferencedColumn  the table that is referred to, and its column
    grbit               1 one to one, 2 not enforced, 100 (hex) cascade updates, 1000 (hex) cascade deletes
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from overtrick.jet.table import Row

_ONE_TO_ONE = 0x1
_NOT_ENFORCED = 0x2
_CASCADE_UPDATES = 0x100
_CASCADE_DELETES = 0x1000


@dataclass(frozen=True, slots=True)
class Relation:
    """A relationship: each row of `table` refers to a row of `referenced_table`."""

    name: str
    table: str
    columns: tuple[str, ...]
    referenced_table: str
    referenced_columns: tuple[str, ...]
    """The columns referred to, in the order of `columns`."""
    one_to_one: bool = False
    enforced: bool = True
    """True if Access refuses a row without a counterpart; `jet` itself never does."""
    cascade_updates: bool = False
    cascade_deletes: bool = False


def read_relations(rows: Iterable["Row"]) -> list[Relation]:
    """Return the relationships that rows of MSysRelationships describe."""
    groups: dict[str, list[Row]] = {}
    for row in rows:
        groups.setdefault(str(row["szRelationship"]), []).append(row)
    relations = []
    for name, members in groups.items():
        pairs = sorted(members, key=lambda row: _number(row, "icolumn"))
        flags = _number(pairs[0], "grbit")
        relations.append(
            Relation(
                name=name,
                table=str(pairs[0]["szObject"]),
                columns=tuple(str(row["szColumn"]) for row in pairs),
                referenced_table=str(pairs[0]["szReferencedObject"]),
                referenced_columns=tuple(str(row["szReferencedColumn"]) for row in pairs),
                one_to_one=bool(flags & _ONE_TO_ONE),
                enforced=not flags & _NOT_ENFORCED,
                cascade_updates=bool(flags & _CASCADE_UPDATES),
                cascade_deletes=bool(flags & _CASCADE_DELETES),
            )
        )
    return relations


def _number(row: "Row", name: str) -> int:
    value = row[name]
    return value if isinstance(value, int) else 0
