"""People: players with the keys of both sides, their countries, and the ledger of master points.

A registry is a file of its own, because a federation's players outlive every event and are too many to be folded
with one. Knows no event and no file of an exchange.
"""

from overtrick.registry.database import Registry, Side, has_registry, open_registry
from overtrick.registry.ledger import Award, Ledger, PointsType, Rank, RankType, Title, Totals
from overtrick.registry.people import Conflict, Decisions, Joined, People, Person, RowProblem

__all__ = [
    "Award",
    "Conflict",
    "Decisions",
    "Joined",
    "Ledger",
    "People",
    "Person",
    "PointsType",
    "Rank",
    "RankType",
    "Registry",
    "RowProblem",
    "Side",
    "Title",
    "Totals",
    "has_registry",
    "open_registry",
]
