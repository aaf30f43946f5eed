"""What the Data Connector takes and does not act on, with the reason; the reference is made from this list."""

from typing import NamedTuple

from overtrick.connector.wire.event import ContinueDTO, InitDTO, SessionDTO, SessionInfoDTO
from overtrick.connector.wire.model import Wire
from overtrick.connector.wire.movement import RoundDTO, ScoringGroupDTO, SectionUpdateDTO, TableDTO
from overtrick.connector.wire.play import ParticipationDTO, PlayerDataDTO


class Idle(NamedTuple):
    """A property that is read and nothing more."""

    dto: type[Wire]
    name: str
    reason: str


_CLUB = "The request's own ClubId counts."
_FOLDER = "It has to exist inside the data folder; the journal stays where it is."

NOT_HONOURED = (
    Idle(
        Wire,
        "ValidationMessages",
        "Every DTO has it; what a client found wrong with its own data is not read.",
    ),
    Idle(InitDTO, "AlternativeDataFolder", _FOLDER),
    Idle(ContinueDTO, "AlternativeDataFolder", _FOLDER),
    Idle(SessionDTO, "EWReturnHome", "It is kept with the session; nothing here moves anyone home."),
    Idle(ScoringGroupDTO, "ClubId", _CLUB),
    Idle(SectionUpdateDTO, "ClubId", _CLUB),
    Idle(PlayerDataDTO, "ClubId", _CLUB),
    Idle(
        TableDTO, "ConnectionMode", "It is for Bridgemate III hardware; a phone that is offline catches up."
    ),
    Idle(RoundDTO, "Updated", "It is only answered, by UpdateMovement."),
    Idle(
        ParticipationDTO,
        "IsPlayerSwap",
        "It is only polled; a scoring program sends who sits where afterwards.",
    ),
    Idle(SessionInfoDTO, "HasBeenProcessed", "It is answered false."),
)
