"""DTOs that are exchanged during play: results, players, seats, hand records and calls for the director."""

from overtrick.connector.wire.model import Int, Text, WireModel, WireOption


class TableDirection(WireOption):
    """A seat on the wire."""

    None_ = 0
    North = 1
    East = 2
    South = 3
    West = 4


class ResultDTO(WireModel, kw_only=True):
    """The result of one board at one table."""

    SessionGuid: Text | None = None
    SectionLetters: Text | None = None
    TableNumber: Int = 0
    RoundNumber: Int = 0
    BoardNumber: Int = 0
    ScoringDirection: Int = 0
    IsDeleted: bool = False
    PairNorthSouth: Int = 0
    PairEastWest: Int = 0
    DeclaringPair: Int = 0
    DeclarerDirection: Int = 0
    Level: Int = 0
    Denomination: Int = 0
    Stake: Int = 0
    TotalTricks: Int = 0
    LeadCardRank: Int = 0
    LeadCardSuit: Int = 0


class PlayerDataDTO(WireModel, kw_only=True):
    """A player of a session: number and names."""

    SessionGuid: Text | None = None
    ClubId: Text | None = None
    PlayerNumber: Text | None = None
    FirstName: Text | None = None
    LastName: Text | None = None
    CountryCode: Text | None = None


class ParticipationDTO(WireModel, kw_only=True):
    """The player of one seat at one table, or the removal of one."""

    SessionGuid: Text | None = None
    SectionLetters: Text | None = None
    TableNumber: Int = 0
    Direction: TableDirection = TableDirection.None_
    RoundNumber: Int = 0
    PlayerNumber: Text | None = None
    IsPlayerSwap: bool = False
    IsRemoval: bool = False
    FirstName: Text | None = None
    LastName: Text | None = None
    CountryCode: Text | None = None


class HandrecordDTO(WireModel, kw_only=True):
    """The cards of one board of one scoring group, with its double dummy tricks."""

    SessionGuid: Text | None = None
    ScoringGroupNumber: Int = 0
    SectionLetters: Text | None = None
    BoardNumber: Int = 0
    NorthClubs: Text | None = None
    NorthDiamonds: Text | None = None
    NorthHearts: Text | None = None
    NorthSpades: Text | None = None
    EastClubs: Text | None = None
    EastDiamonds: Text | None = None
    EastHearts: Text | None = None
    EastSpades: Text | None = None
    SouthClubs: Text | None = None
    SouthDiamonds: Text | None = None
    SouthHearts: Text | None = None
    SouthSpades: Text | None = None
    WestClubs: Text | None = None
    WestDiamonds: Text | None = None
    WestHearts: Text | None = None
    WestSpades: Text | None = None
    HasHandEvaluationData: bool = False
    DoubleDummyNorthClubs: Int = 0
    DoubleDummyNorthDiamonds: Int = 0
    DoubleDummyNorthHearts: Int = 0
    DoubleDummyNorthSpades: Int = 0
    DoubleDummyNorthNoTrump: Int = 0
    DoubleDummyEastClubs: Int = 0
    DoubleDummyEastDiamonds: Int = 0
    DoubleDummyEastHearts: Int = 0
    DoubleDummyEastSpades: Int = 0
    DoubleDummyEastNoTrump: Int = 0
    DoubleDummySouthClubs: Int = 0
    DoubleDummySouthDiamonds: Int = 0
    DoubleDummySouthHearts: Int = 0
    DoubleDummySouthSpades: Int = 0
    DoubleDummySouthNoTrump: Int = 0
    DoubleDummyWestClubs: Int = 0
    DoubleDummyWestDiamonds: Int = 0
    DoubleDummyWestHearts: Int = 0
    DoubleDummyWestSpades: Int = 0
    DoubleDummyWestNoTrump: Int = 0

    def holding(self, seat: str, suit: str) -> str | None:
        """Return the cards of one hand in one suit, by the names in the property.

        >>> HandrecordDTO(NorthClubs="AK").holding("North", "Clubs")
        'AK'
        """
        holding: str | None = getattr(self, seat + suit)
        return holding


class TdCallDTO(WireModel, kw_only=True):
    """A call for the director with its status."""

    SessionGuid: Text | None = None
    SectionLetters: Text | None = None
    TableNumber: Int = 0
    RoundNumber: Int = 0
    Hour: Int = 0
    Minute: Int = 0
    Status: Int = 0
