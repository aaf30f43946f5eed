"""The Data Connector of Bridgemate's guide: wire types, dispatch, queues, named pipe, HTTP, and a client for it.

What is imported here is the client. Importing it loads the standard library and msgspec only.
"""

from overtrick.connector.client import (
    HAND_RECORDS,
    PARTICIPATIONS,
    PLAYERS,
    RESULTS,
    TD_CALLS,
    AsyncClient,
    Client,
    NoConnection,
    PollResult,
    Queue,
    RequestRefused,
)
from overtrick.connector.movement_dtos import event_dto, section_dto
from overtrick.connector.wire.event import (
    AddSessionDTO,
    BCSManagementRequestDTO,
    BCSManagementResponseDTO,
    ContinueDTO,
    InitDTO,
    SectionInfoDTO,
    SessionDTO,
    SessionInfoDTO,
)
from overtrick.connector.wire.movement import (
    RoundDTO,
    ScoringGroupDTO,
    SectionDTO,
    SectionUpdateDTO,
    TableDTO,
)
from overtrick.connector.wire.numbers import ErrorType, Numbering, StartFlag
from overtrick.connector.wire.play import (
    HandrecordDTO,
    ParticipationDTO,
    PlayerDataDTO,
    ResultDTO,
    TableDirection,
    TdCallDTO,
)
from overtrick.connector.wire.settings import Bridgemate2SettingsDTO, Bridgemate3SettingsDTO

__all__ = [
    "HAND_RECORDS",
    "PARTICIPATIONS",
    "PLAYERS",
    "RESULTS",
    "TD_CALLS",
    "AddSessionDTO",
    "AsyncClient",
    "BCSManagementRequestDTO",
    "BCSManagementResponseDTO",
    "Bridgemate2SettingsDTO",
    "Bridgemate3SettingsDTO",
    "Client",
    "ContinueDTO",
    "ErrorType",
    "HandrecordDTO",
    "InitDTO",
    "NoConnection",
    "Numbering",
    "ParticipationDTO",
    "PlayerDataDTO",
    "PollResult",
    "Queue",
    "RequestRefused",
    "ResultDTO",
    "RoundDTO",
    "ScoringGroupDTO",
    "SectionDTO",
    "SectionInfoDTO",
    "SectionUpdateDTO",
    "SessionDTO",
    "SessionInfoDTO",
    "StartFlag",
    "TableDTO",
    "TableDirection",
    "TdCallDTO",
    "event_dto",
    "section_dto",
]
