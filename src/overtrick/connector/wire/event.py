"""DTOs of an event: opening it, continuing it, adding a session, and management of the control software."""

from overtrick.connector.wire.model import Int, Text, WireModel
from overtrick.connector.wire.movement import ScoringGroupDTO
from overtrick.connector.wire.play import HandrecordDTO, ParticipationDTO, PlayerDataDTO
from overtrick.connector.wire.settings import Bridgemate2SettingsDTO, Bridgemate3SettingsDTO


class SessionDTO(WireModel, kw_only=True):
    """A session: its date and its scoring groups."""

    ScoringGroups: list[ScoringGroupDTO] | None = None
    EventGuid: Text | None = None
    SessionGuid: Text | None = None
    Name: Text | None = None
    Year: Int = 0
    Month: Int = 0
    Day: Int = 0
    Hour: Int = 0
    Minute: Int = 0
    ShowInApp: bool = False
    EWReturnHome: bool = False
    PairsMoveAccrossField: bool = False


class InitDTO(WireModel, kw_only=True):
    """A whole new event."""

    Commands: Int = 0
    EventGuid: Text | None = None
    ClubId: Text | None = None
    AlternativeDataFolder: Text | None = None
    Sessions: list[SessionDTO] | None = None
    PlayerData: list[PlayerDataDTO] | None = None
    Participations: list[ParticipationDTO] | None = None
    Handrecords: list[HandrecordDTO] | None = None
    Bridgemate2Settings: list[Bridgemate2SettingsDTO] | None = None
    Bridgemate3Settings: list[Bridgemate3SettingsDTO] | None = None


class ContinueDTO(WireModel, kw_only=True):
    """An event to continue."""

    EventGuid: Text | None = None
    ClubId: Text | None = None
    Commands: Int = 0
    AlternativeDataFolder: Text | None = None


class AddSessionDTO(WireModel, kw_only=True):
    """One more session for an existing event."""

    EventGuid: Text | None = None
    ClubId: Text | None = None
    Session: SessionDTO | None = None
    PlayerData: list[PlayerDataDTO] | None = None
    Participations: list[ParticipationDTO] | None = None
    Handrecords: list[HandrecordDTO] | None = None
    Bridgemate2Settings: list[Bridgemate2SettingsDTO] | None = None
    Bridgemate3Settings: list[Bridgemate3SettingsDTO] | None = None


class BCSManagementRequestDTO(WireModel, kw_only=True):
    """A management command for the control software: questions, or shut down."""

    Command: Int = 0


class SectionInfoDTO(WireModel, kw_only=True):
    """A section in a list of sessions; newer clients show it."""

    SectionName: Text | None = None
    SectionLetters: Text | None = None
    ScoringGroupNumber: Int = 0
    NumberOfTables: Int = 0


class SessionInfoDTO(WireModel, kw_only=True):
    """A session in a list of sessions; the date and time are written as ISO 8601."""

    EventGuid: Text | None = None
    SessionGuid: Text | None = None
    SessionName: Text | None = None
    SessionDateTime: Text = "0001-01-01T00:00:00"
    HasBeenProcessed: bool = False
    Sections: list[SectionInfoDTO] | None = None


class BCSManagementResponseDTO(WireModel, kw_only=True):
    """The state of the control software."""

    EventGuid: Text | None = None
    SessionInformation: list[SessionInfoDTO] | None = None
    IsRunning: bool = False
    ScoringFilePath: Text | None = None
    DataConnectorFilePath: Text | None = None
