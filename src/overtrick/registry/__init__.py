"""The registry of players with the keys of both sides, their countries, and the ledger of master points.

A registry is a separate database file, because a federation's players outlive every event and are too many to rebuild
from facts. Independent of events and exchange files.
"""

from overtrick.registry.database import Registry, RegistrySide, has_registry, open_registry, open_registry_of
from overtrick.registry.ledger import (
    Ledger,
    MasterPointAward,
    PlayerTotals,
    PointsType,
    RankingPlace,
    RankType,
    Title,
)
from overtrick.registry.members import (
    Choice,
    MatchedLine,
    MatchedList,
    Member,
    Members,
    Sameness,
    import_members,
    match_members,
)
from overtrick.registry.people import Conflict, Decisions, ImportOutcome, People, Person, RowProblem

__all__ = [
    "Choice",
    "Conflict",
    "Decisions",
    "ImportOutcome",
    "Ledger",
    "MasterPointAward",
    "MatchedLine",
    "MatchedList",
    "Member",
    "Members",
    "People",
    "Person",
    "PlayerTotals",
    "PointsType",
    "RankType",
    "RankingPlace",
    "Registry",
    "RegistrySide",
    "RowProblem",
    "Sameness",
    "Title",
    "has_registry",
    "import_members",
    "match_members",
    "open_registry",
    "open_registry_of",
]
