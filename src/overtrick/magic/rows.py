"""The columns of each file, with their exact names and order, and the row type of each.

A row is a named tuple, which is cheap: a federation's list has a hundred thousand of them. Its fields are in the order
of the columns. The rows of 3A to 3D are types of the registry. The document has no columns for 3C, so those are ours.
"""

from dataclasses import dataclass
from enum import Enum
from typing import Any, NamedTuple

from overtrick.registry import MasterPointAward, Person, PlayerTotals, RankingPlace


class FileKind(Enum):
    """The files of the exchange."""

    INITIAL_TEAMS = "2A-c"
    TEAMS = "2A"
    TEAM_IDS = "2A-a"
    MEMBER_CODES = "2A-b"
    RESULTS = "2B"
    LINE_UPS = "2C"
    BOARDS = "2D"
    SCHEDULE = "2E"
    PLAYERS = "3A"
    TOTALS = "3B"
    AWARDS = "3C"
    RANKS = "3D"


class InitialTeamRow(NamedTuple):
    """A line of 2A-c: a player or an official of an entered team."""

    tournament: str
    team: str
    team_foreign_id: int | None
    last_name: str
    first_name: str
    role: str
    country_name: str
    country: str
    member_code: str


class TeamRow(NamedTuple):
    """A line of 2A: a member of a team's roster."""

    event: str
    serie: str
    team: str
    member_code: str
    role: str
    first_name: str
    last_name: str
    event_id: int | None
    division_id: int | None
    team_id: int | None
    team_foreign_id: int | None
    number: int | None
    country_iso: str
    country_ioc: str
    player_id: int | None
    order: int | None


class TeamIdRow(NamedTuple):
    """A line of 2A-a: the foreign id of a team."""

    team_id: int | None
    team_foreign_id: int | None


class MemberCodeRow(NamedTuple):
    """A line of 2A-b: a player's member code and corrected name; an empty name changes nothing."""

    player_id: int | None
    member_code: str
    first_name: str = ""
    last_name: str = ""


class HumanColumns(NamedTuple):
    """The eight columns for people."""

    event: str
    serie: str
    round: int | None
    segment: int | None
    table: int | None
    room: str
    home: str
    away: str


class IdColumns(NamedTuple):
    """The eight columns of ids."""

    event_id: int | None
    division_id: int | None
    home_id: int | None
    home_foreign_id: int | None
    home_number: int | None
    away_id: int | None
    away_foreign_id: int | None
    away_number: int | None


class MatchFigures(NamedTuple):
    """The columns of 2B for one side of a match; decimals are in units (see `overtrick.scoring.points`)."""

    imp_carry_over: int | None = None
    imps: int | None = None
    imp_adjustment: int | None = None
    imp_total: int | None = None
    vp_carry_over: int | None = None
    vps: int | None = None
    vp_adjustment: int | None = None
    vp_round: int | None = None
    vp_total: int | None = None
    rank: int | None = None
    rank_max: int | None = None

    @property
    def is_schedule(self) -> bool:
        """Return whether there are no figures except carry-overs."""
        return not any(value is not None for value in (*self[1:4], *self[5:]))


class MatchRow(NamedTuple):
    """A line of 2B or 2E: a segment of a match."""

    human: HumanColumns
    home: MatchFigures
    away: MatchFigures
    comment: str
    ids: IdColumns


class LineUpRow(NamedTuple):
    """A line of 2C: the line-up in one room."""

    human: HumanColumns
    names: tuple[str, str, str, str]
    """The names of North, South, East, West."""
    member_codes: tuple[str, str, str, str]
    ids: IdColumns


class RoomColumns(NamedTuple):
    """The columns of 2D for one room."""

    contract: str
    declarer: str
    tricks: int | None
    lead: str
    result_ns: int | None
    result_ew: int | None


class BoardRow(NamedTuple):
    """A line of 2D: a board in both rooms."""

    human: HumanColumns
    board: int | None
    open: RoomColumns
    closed: RoomColumns
    imps_home: int | None
    imps_away: int | None
    ids: IdColumns


Row = (
    InitialTeamRow
    | TeamRow
    | TeamIdRow
    | MemberCodeRow
    | MatchRow
    | LineUpRow
    | BoardRow
    | Person
    | PlayerTotals
    | MasterPointAward
    | RankingPlace
)

HUMAN = ("csEvent", "csSerie", "nRound", "nSegment", "nTable", "csRoom", "csTeamHome", "csTeamAway")
IDS = (
    "nEventID",
    "nSerieID",
    "nTeamIDHome",
    "nTeamIDForeignHome",
    "nTeamHome",
    "nTeamIDAway",
    "nTeamIDForeignAway",
    "nTeamAway",
)
FIGURES = (
    "fIMPCarryOver",
    "fIMP",
    "fIMPAdjustment",
    "fIMPTotal",
    "fVPCarryOver",
    "fVP",
    "fVPAdjustment",
    "fVPTotalRound",
    "fVPTotal",
    "nRank",
    "nRankMax",
)
SEATS = ("North", "South", "East", "West")
ROOM = ("csContract", "csDeclarer", "nTricksWon", "csLead", "nResultNS", "nResultEW")


@dataclass(frozen=True, slots=True)
class FileLayout:
    """The columns of a file, and the type of its rows."""

    kind: FileKind
    columns: tuple[str, ...]
    row: Any
    parts: tuple[tuple[int, Any], ...] = ()
    """The parts of a nested row: for each, the number of columns and its type (None: a single value)."""

    def make(self, values: list[Any]) -> Row:
        """Return the row with these values, one for each column."""
        if not self.parts:
            row: Row = self.row(*values)
            return row
        parts: list[Any] = []
        index = 0
        for width, part in self.parts:
            parts.append(values[index] if part is None else part(values[index : index + width]))
            index += width
        nested: Row = self.row._make(parts)
        return nested

    def values(self, row: Row) -> list[Any]:
        """Return the values of a row, one for each column."""
        if not self.parts:
            return list(row)
        flat: list[Any] = []
        for value, (_, part) in zip(row, self.parts, strict=True):
            if part is None:
                flat.append(value)
            else:
                flat += value  # type: ignore[arg-type]
        return flat


_SINGLE = (1, None)
_HUMAN, _IDS = (8, HumanColumns._make), (8, IdColumns._make)
_MATCH_COLUMNS = (
    *HUMAN,
    *(f"{name}Home" for name in FIGURES),
    *(f"{name}Away" for name in FIGURES),
    "csComment",
    *IDS,
)
_MATCH_PARTS = (_HUMAN, (11, MatchFigures._make), (11, MatchFigures._make), _SINGLE, _IDS)

LAYOUTS: dict[FileKind, FileLayout] = {
    layout.kind: layout
    for layout in (
        FileLayout(
            FileKind.INITIAL_TEAMS,
            (
                "eventname",
                "teamname",
                "teamid",
                "Surn",
                "Name",
                "role",
                "CountryLongName",
                "CountryAbbrevIOC",
                "EBLCode",
            ),
            InitialTeamRow,
        ),
        FileLayout(
            FileKind.TEAMS,
            (
                "csEvent",
                "csSerie",
                "csTeam",
                "csMemberID",
                "csRole",
                "csFirstName",
                "csLastName",
                "nEventID",
                "nSerieID",
                "nTeamID",
                "nTeamIDForeign",
                "nTeam",
                "csCountryISO",
                "csCountryIOC",
                "nPlayerID",
                "nSortRoster",
            ),
            TeamRow,
        ),
        FileLayout(FileKind.TEAM_IDS, ("nTeamID", "nTeamIDForeign"), TeamIdRow),
        FileLayout(
            FileKind.MEMBER_CODES, ("nPlayerID", "csMemberID", "csFirstName", "csLastName"), MemberCodeRow
        ),
        FileLayout(FileKind.RESULTS, _MATCH_COLUMNS, MatchRow, _MATCH_PARTS),
        FileLayout(
            FileKind.LINE_UPS,
            (
                *HUMAN,
                *(f"csPlayerName{seat}" for seat in SEATS),
                *(f"csMemberID{seat}" for seat in SEATS),
                *IDS,
            ),
            LineUpRow,
            (_HUMAN, (4, tuple), (4, tuple), _IDS),
        ),
        FileLayout(
            FileKind.BOARDS,
            (
                *HUMAN,
                "nBoard",
                *(f"{name}Open" for name in ROOM),
                *(f"{name}Closed" for name in ROOM),
                "fIMPHome",
                "fIMPAway",
                *IDS,
            ),
            BoardRow,
            (_HUMAN, _SINGLE, (6, RoomColumns._make), (6, RoomColumns._make), _SINGLE, _SINGLE, _IDS),
        ),
        FileLayout(FileKind.SCHEDULE, _MATCH_COLUMNS, MatchRow, _MATCH_PARTS),
        FileLayout(
            FileKind.PLAYERS,
            ("nPlayerID", "nPlayerIDForeign", "csEBLCode", "csLastName", "csFirstName", "csSex", "dateBirth"),
            Person,
        ),
        FileLayout(
            FileKind.TOTALS,
            (
                "nPlayerID",
                "nPlayerIDForeign",
                "csEBLCode",
                "csCountryIOC",
                "csLastName",
                "csFirstName",
                "csSex",
                "dateBirth",
                "nYear",
                "nYearLastActive",
                "nEMPTotal",
                "nRPTotal",
                "nSMPTotal",
                "nTitle",
            ),
            PlayerTotals,
        ),
        FileLayout(
            FileKind.AWARDS,
            (
                "nAwardID",
                "nPlayerID",
                "nPlayerIDForeign",
                "csEBLCode",
                "nYear",
                "dateEvent",
                "nEventID",
                "csEvent",
                "csSerie",
                "nRank",
                "nEMP",
                "nRP",
                "nSMP",
            ),
            MasterPointAward,
        ),
        FileLayout(
            FileKind.RANKS,
            ("nPlayerID", "nYear", "nMPTType", "nRankType", "csCountryIOC", "nRank"),
            RankingPlace,
        ),
    )
}
"""The layout of each kind."""

SHORT_MEMBER_CODES = FileLayout(FileKind.MEMBER_CODES, ("nPlayerID", "csMemberID"), MemberCodeRow)
"""2A-b without names: the document lists four columns, and says that only two are needed."""
