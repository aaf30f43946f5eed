"""Properties that the Data Connector accepts and ignores, with the reason; a reference page is made from this list."""

from typing import NamedTuple

from overtrick.connector.wire.event import ContinueDTO, InitDTO, SessionDTO, SessionInfoDTO
from overtrick.connector.wire.model import WireModel
from overtrick.connector.wire.movement import RoundDTO, ScoringGroupDTO, SectionUpdateDTO, TableDTO
from overtrick.connector.wire.play import ParticipationDTO, PlayerDataDTO


class IgnoredProperty(NamedTuple):
    """A property that is read and has no effect."""

    dto: type[WireModel]
    name: str
    reason: str


_CLUB = "The request's own ClubId counts."
_FOLDER = "It has to exist inside the data folder; the journal stays where it is."

NOT_HONOURED = (
    IgnoredProperty(
        WireModel,
        "ValidationMessages",
        "Every DTO has it; what a client found wrong with its own data is not read.",
    ),
    IgnoredProperty(InitDTO, "AlternativeDataFolder", _FOLDER),
    IgnoredProperty(ContinueDTO, "AlternativeDataFolder", _FOLDER),
    IgnoredProperty(
        SessionDTO, "EWReturnHome", "It is kept with the session; nothing here moves anyone home."
    ),
    IgnoredProperty(ScoringGroupDTO, "ClubId", _CLUB),
    IgnoredProperty(SectionUpdateDTO, "ClubId", _CLUB),
    IgnoredProperty(PlayerDataDTO, "ClubId", _CLUB),
    IgnoredProperty(
        TableDTO, "ConnectionMode", "It is for Bridgemate III hardware; a phone that is offline catches up."
    ),
    IgnoredProperty(RoundDTO, "Updated", "It is only answered, by UpdateMovement."),
    IgnoredProperty(
        ParticipationDTO,
        "IsPlayerSwap",
        "It is only polled; a scoring program sends who sits where afterwards.",
    ),
    IgnoredProperty(SessionInfoDTO, "HasBeenProcessed", "It is answered false."),
)
