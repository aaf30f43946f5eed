"""DTOs of a movement: rounds at tables in sections in scoring groups."""

from overtrick.connector.wire.model import Int, Text, WireModel, WireOption
from overtrick.connector.wire.play import ParticipationDTO, PlayerDataDTO


class Bm3ConnectionMode(WireOption):
    """The connection of a table's terminal to its server during the session."""

    Online = 0
    Offline = 1


class RoundDTO(WireModel, kw_only=True):
    """The pairs and boards of one round at one table."""

    SessionGuid: Text | None = None
    SectionLetters: Text | None = None
    TableNumber: Int = 0
    RoundNumber: Int = 0
    LowBoardNumber: Int = 0
    HighBoardNumber: Int = 0
    PairNS: Int = 0
    PairEW: Int = 0
    TeamNS: Int = 0
    TeamEW: Int = 0
    MatesTableSectionLetters: Text | None = None
    MatesTableTableNumber: Int = 0
    MatesTableRoundNumber: Int = 0
    Updated: bool = False


class TableDTO(WireModel, kw_only=True):
    """One table and its rounds; in an update, a table without rounds is to be removed."""

    SessionGuid: Text | None = None
    SectionLetters: Text | None = None
    TableNumber: Int = 0
    ConnectionMode: Bm3ConnectionMode = Bm3ConnectionMode.Online
    KeepBridgematesAlive: bool = False
    Rounds: list[RoundDTO] | None = None


class SectionDTO(WireModel, kw_only=True):
    """A section and its movement. `IsDeleted` is in the guide; shipped clients send it only in the update."""

    SessionGuid: Text | None = None
    ScoringGroupNumber: Int = 0
    Letters: Text | None = None
    Name: Text | None = None
    Winners: Int = 0
    GameType: Int = 0
    EWMoveBeforePlay: Int = 0
    MissingPair: Int = 0
    KeepBridgematesAlive: bool = False
    IsCombiSection: bool = False
    NorthSouthPairSectionLetters: Text | None = None
    EastWestPairSectionLetters: Text | None = None
    HasExplicitParticipations: bool = False
    IsDeleted: bool = False
    Tables: list[TableDTO] | None = None


class SectionUpdateDTO(SectionDTO, kw_only=True):
    """A section that is new, changed or to be removed, with its players."""

    ClubId: Text | None = None
    ScoringGroupScoringMethod: Int = 0
    AddedPlayers: list[PlayerDataDTO] | None = None
    Participations: list[ParticipationDTO] | None = None


class ScoringGroupDTO(WireModel, kw_only=True):
    """Sections that are scored together, with the scoring method."""

    SessionGuid: Text | None = None
    ClubId: Text | None = None
    Sections: list[SectionDTO] | None = None
    ScoringGroupNumber: Int = 0
    ScoringMethod: Int = 0
    Name: Text | None = None
    IsDeleted: bool = False
