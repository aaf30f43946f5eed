"""People: players with the keys of both sides, their countries, and the ledger of master points.

A registry is a file of its own, because a federation's players outlive every event and are too many to be folded
with one. Knows no event and no file of an exchange.
"""

from overtrick.registry.book import Registry, Side, open_registry
from overtrick.registry.ledger import Award, Ledger, PointsType, Rank, RankType, Title, Totals
from overtrick.registry.people import Decisions, Difference, Joined, People, Person, Refusal

__all__ = [
    "Award",
    "Decisions",
    "Difference",
    "Joined",
    "Ledger",
    "People",
    "Person",
    "PointsType",
    "Rank",
    "RankType",
    "Refusal",
    "Registry",
    "Side",
    "Title",
    "Totals",
    "open_registry",
]
