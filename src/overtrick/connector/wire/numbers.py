"""The enums of the Data Connector: commands, data types, error types and flags."""

from enum import Enum, IntEnum, IntFlag


class WireCommand(IntEnum):
    """The command of a request; other numbers are not served.

    >>> WireCommand(31).name
    'ContinueEvent'
    """

    Connect = 1
    Disconnect = 3
    Ping = 4
    InitializeEvent = 5
    UpdateMovement = 6
    AddSession = 7
    UpdateScoringGroups = 8
    PutResults = 10
    PutPlayerData = 11
    PutParticipations = 12
    PutHandrecords = 13
    PutBridgemate2Settings = 14
    PutBridgemate3Settings = 15
    PollQueueForNewResults = 19
    PollQueueForNewPlayerData = 20
    PollQueueForNewParticipations = 21
    PollQueueForNewHandrecords = 22
    PollQueueForAllResults = 23
    PollQueueForAllPlayerData = 24
    PollQueueForAllParticipations = 25
    PollQueueForAllHandrecords = 26
    AcceptResultQueueItems = 27
    AcceptPlayerDataQueueItems = 28
    AcceptParticipationQueueItems = 29
    AcceptHandrecordQueueItems = 30
    ContinueEvent = 31
    GetMovement = 32
    GetAllMovements = 33
    ManageBCS = 34
    ClearData = 35
    PollQueueForNewTdCalls = 36
    PollQueueForAllTdCalls = 37
    AcceptTdCallQueueItems = 38
    PutTdCalls = 39


COMMAND_NAMES = {name.casefold(): command for name, command in WireCommand.__members__.items()} | {
    # The name of number 29 in shipped clients.
    "acceptparticipantqueueitems": WireCommand.AcceptParticipationQueueItems,
}
"""Commands by name, for clients that send enums as words."""


class Numbering(Enum):
    """The numbers of the data types: those of shipped clients, or those of the guide's list."""

    SHIPPED = "shipped"
    GUIDE = "guide"


class DataType(Enum):
    """The type of a response's data. The two numberings differ after Movement.

    >>> DataType.EventInfo.number(Numbering.SHIPPED), DataType.EventInfo.number(Numbering.GUIDE)
    (17, 16)
    """

    Nothing = (0, 0)
    OK = (1, 1)
    Error = (4, 4)
    PlayerData = (10, 10)
    Participations = (11, 11)
    Results = (12, 12)
    Handrecords = (13, 13)
    Movement = (14, 14)
    Sessions = (16, 15)
    EventInfo = (17, 16)
    AllSessionsInfo = (18, 17)
    ScoringFileLocation = (19, 18)
    TdCalls = (21, 21)
    """The guide has no number for it; that of shipped clients is unused in its list."""

    def number(self, numbering: Numbering) -> int:
        """Return the number on the wire."""
        shipped, guide = self._value_  # `value` is the same through a descriptor, which is slower
        return shipped if numbering is Numbering.SHIPPED else guide

    @classmethod
    def of(cls, number: int, numbering: Numbering) -> "DataType":
        """Return the data type of a response's number; Nothing if the number is unknown."""
        return next((data_type for data_type in cls if data_type.number(numbering) == number), cls.Nothing)


class QueueKind(Enum):
    """The kind of items in a queue. Do not rename members: the stored marks are named after them."""

    RESULTS = DataType.Results
    PLAYERS = DataType.PlayerData
    PARTICIPATIONS = DataType.Participations
    HAND_RECORDS = DataType.Handrecords
    CALLS = DataType.TdCalls

    @property
    def mark(self) -> str:
        """Return the name of the mark for the last accepted item."""
        return self.name.lower().replace("_", "-")

    @property
    def offered(self) -> str:
        """Return the name of the mark for the last offered item."""
        return f"{self.mark}/offered"


class ErrorType(IntEnum):
    """The reason why a request failed."""

    Nothing = 0
    Busy = 1
    NoData = 2
    NoUpdates = 3
    Movement = 4
    Validation = 5
    EntryUnknown = 6
    Exception = 7
    NotImplemented = 8
    EmptyResponse = 9
    NoConnection = 10
    TimeOut = 11
    WrongDataType = 12
    UnexpectedCommand = 13
    Unknown = 14


class StartFlag(IntFlag):
    """The flags of the Commands property of InitDTO and ContinueDTO."""

    START = 1
    RESET = 2
    START_READING = 4
    SHOW_IN_APP = 8
    MINIMIZE = 16
    AUTO_SHUTDOWN = 32
    DEBUG_LOG = 64
    CLEAR_DATA = 128


class ManageFlag(IntFlag):
    """The flags of the Command property of BCSManagementRequestDTO."""

    SHUT_DOWN = 1
    RUNNING_SESSIONS = 2
    SCORING_FILE = 4
    ALL_SESSIONS = 8
    CONNECTOR_FILE = 16
