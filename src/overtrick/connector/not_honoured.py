"""Properties that the Data Connector accepts and ignores, with the reason; the source of a reference page."""

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


_CLUB = "Only the ClubId of the request is used."
_FOLDER = "The folder must exist inside the data folder; the journal is not moved there."

NOT_HONOURED = (
    IgnoredProperty(
        WireModel,
        "ValidationMessages",
        "Every DTO has it: the client's own validation messages, which are not read.",
    ),
    IgnoredProperty(InitDTO, "AlternativeDataFolder", _FOLDER),
    IgnoredProperty(ContinueDTO, "AlternativeDataFolder", _FOLDER),
    IgnoredProperty(SessionDTO, "EWReturnHome", "It is stored with the session and has no effect."),
    IgnoredProperty(ScoringGroupDTO, "ClubId", _CLUB),
    IgnoredProperty(SectionUpdateDTO, "ClubId", _CLUB),
    IgnoredProperty(PlayerDataDTO, "ClubId", _CLUB),
    IgnoredProperty(
        TableDTO,
        "ConnectionMode",
        "It is for Bridgemate III hardware. A phone that was offline sends its entries later.",
    ),
    IgnoredProperty(RoundDTO, "Updated", "It is used only in the answer to UpdateMovement."),
    IgnoredProperty(
        ParticipationDTO,
        "IsPlayerSwap",
        "It is used only in polled items; a scoring program sends the new seating instead.",
    ),
    IgnoredProperty(SessionInfoDTO, "HasBeenProcessed", "The answer always has false."),
)
