"""Request and response models of the JSON API. Only the modules of the API and the clock page use them."""

from datetime import date, datetime
from enum import Enum
from typing import Annotated, Literal

from pydantic import AwareDatetime, BaseModel, BeforeValidator, ConfigDict, Field
from pydantic.config import JsonDict

from overtrick.bridge import Card, Outcome, Seat, Side
from overtrick.event.calls import CallStatus
from overtrick.event.rulings import AdjustmentUnit, Appeal, ContestantStatus
from overtrick.event.setup import Status
from overtrick.scoring import Method


class Item(BaseModel):
    """A model whose fields are described by the texts below them."""

    model_config = ConfigDict(use_attribute_docstrings=True)


def _examples(*examples: JsonDict) -> ConfigDict:
    """Return the configuration of a model with examples of its JSON."""
    return ConfigDict(json_schema_extra={"examples": list(examples)})


FROM_LINE = ConfigDict(from_attributes=True)
"""The configuration of items that are built from an object with attributes of the same names."""


def _text(value: object) -> object:
    if isinstance(value, Enum | Card):
        return value.value
    return str(value) if isinstance(value, Outcome) else value


Text = Annotated[str, BeforeValidator(_text)]


class SessionItem(Item):
    """A session in the list."""

    session: str
    incarnation: int
    name: str
    day: date
    changed: datetime
    status: str
    """planned, running, finished or archived."""


class GroupItem(Item):
    """A scoring group."""

    number: int
    name: str
    method: str
    rules: str
    """The name of the rule set, with the choices that differ from it."""


class SectionItem(Item):
    """A section of a session."""

    letters: str
    group: int
    winners: int
    tables: int
    rounds: int


class SessionState(Item):
    """The state of a session; a live stream continues after `version`."""

    session: str
    incarnation: int
    name: str
    day: date
    status: str
    version: int
    round: int
    provisional_until: datetime | None
    """The end of the correction period; None without one."""
    is_appeal_pending: bool
    groups: list[GroupItem]
    sections: list[SectionItem]


class RankItem(Item):
    """A line of a ranking."""

    rank: str
    contestant: str
    names: str
    score: float | None
    """None while there is nothing to compare."""
    boards: int
    adjustment: float
    """Penalties and bonuses; the score includes them."""


class RankingItem(Item):
    """A ranking, or one of two in a session with two winners. Further rankings follow the session's own."""

    title: str
    unit: str
    further: str
    """The name of a further ranking, such as Stratum B; empty for the session's own."""
    lines: list[RankItem]


class ResultItem(Item):
    """A board at a table. `outcome` is a text such as 4SxN+1, 3NTW=, Pass, 60-40, Arbitral, NP or Cancelled."""

    model_config = FROM_LINE

    section: str
    table: int
    round: int
    board: int
    ns: int
    ew: int
    outcome: Text | None
    outcome_ew: Text | None
    lead: Text | None
    score: int | None
    suspicion: Text


class TableItem(Item):
    """The progress of a table."""

    model_config = FROM_LINE

    section: str
    table: int
    stage: Text
    round: int
    played: int
    boards: int
    is_behind: bool
    is_calling: bool


class ClockItem(Item):
    """The round clock: `left` is the number of seconds to play or, while moving, until the next round starts."""

    round: int
    rounds: int
    phase: str
    left: float
    warning: float | None
    changes_in: float | None
    late: list[str]


class BoardItem(Item):
    """The progress of a board."""

    model_config = FROM_LINE

    field: str
    board: int
    played: int
    expected: int


class SeatItem(Item):
    """A seat and its player."""

    seat: str
    number: str
    name: str


class SeatingItem(Item):
    """A table in a round."""

    section: str
    table: int
    round: int
    ns: int
    ew: int
    boards: list[int]
    players: list[SeatItem]


class LineAdjustment(Item):
    """A penalty or a bonus for a board, in the unit of its points."""

    contestant: str
    points: float


class TravellerLine(Item):
    """A line of a traveller."""

    ns: str
    ew: str
    outcome: str
    outcome_ew: str | None
    """The outcome for East-West; None where one outcome counts for both sides."""
    version: str
    """The name of the deal that was played, on a fouled board."""
    lead: str
    score: int | None
    ns_points: float | None
    ew_points: float | None
    adjustments: list[LineAdjustment]
    """Penalties and bonuses for this board, which the points do not include."""


class TravellerItem(Item):
    """The results of a field on a board, with their points."""

    field: str
    board: int
    lines: list[TravellerLine]


class RulingItem(Item):
    """A decision of the director."""

    kind: str
    board: int | None
    contestants: list[str]
    words: str
    reason: str
    at_table: str
    appeal: str
    text: str
    """The whole ruling as text, with its points."""


Number = Annotated[int, Field(ge=1, le=9_999)]
Letters = Annotated[str, Field(pattern=r"^[A-Z]{1,3}$", examples=["A"])]
OutcomeText = Annotated[
    str,
    Field(max_length=400, examples=["4SxN+1", "3NTW=", "Pass", "60-40", "NP", "60 % of 4SN=, 40 % of 4SN-1"]),
]


class Body(Item):
    """The body of a request: a name that it does not have is refused."""

    model_config = ConfigDict(extra="forbid")


class BodyAtBoard(Body):
    """The body of a request about a board at a table."""

    section: Letters
    table: Number
    round: Number
    board: Number


class NewResult(BodyAtBoard):
    """A result to enter; pairs follow from the movement."""

    model_config = _examples(
        {"section": "A", "table": 1, "round": 1, "board": 1, "outcome": "4SxN+1", "lead": "SK"}
    )

    outcome: OutcomeText
    lead: Annotated[str | None, Field(max_length=3, examples=["SK"])] = None
    replace: bool = False
    """True to replace an existing result; if False, a different result than the existing one is refused."""


class Done(Item):
    """The effect of a change: `changed`, and the version of the session's stream after it."""

    changed: bool
    version: int | None


class Sentence(Item):
    """An error message: the problem, the place, and what was kept."""

    sentence: str


# Version 1 only ---------------------------------------------------------------------------------------------


class ContestantName(Body):
    """A pair, a team or a player: the number, with the section unless numbers run across sections."""

    section: Annotated[str, Field(pattern=r"^[A-Z]{0,3}$", examples=["A"])]
    number: Number
    side: Annotated[Side | None, Field(examples=["NS"])] = None
    """The side; needed in a session with two winners, where two pairs have each number."""


class PlayerItem(Item):
    """A player. The number is empty for one without, or whose name is not published."""

    number: str
    name: str


class RankingLineItem(Item):
    """A line of a ranking."""

    rank: int | None
    """None for a contestant that does not rank."""
    is_shared: bool
    """True if others have the same rank."""
    contestant: ContestantName
    players: list[PlayerItem]
    score: float | None
    """None while there is nothing to compare."""
    boards: int
    adjustment: float
    """Penalties and bonuses; the score includes them."""


class RankingTableItem(Item):
    """A ranking, or one of two in a session with two winners. Further rankings follow the session's own."""

    model_config = _examples(
        {
            "title": "Ranking",
            "unit": "%",
            "further": "",
            "lines": [
                {
                    "rank": 1,
                    "is_shared": False,
                    "contestant": {"section": "A", "number": 7, "side": None},
                    "players": [{"number": "12", "name": "Ann Berg"}, {"number": "", "name": "Bo Ek"}],
                    "score": 61.25,
                    "boards": 24,
                    "adjustment": 0.0,
                }
            ],
        }
    )

    title: str
    unit: str
    """% or the name of the points."""
    further: str
    """The name of a further ranking, such as Stratum B; empty for the session's own."""
    lines: list[RankingLineItem]


class MovementItem(Item):
    """A movement that a section can have."""

    name: str
    meaning: str
    """A sentence on how pairs and boards move, and who meets whom."""
    tables: int
    rounds: int
    boards_per_round: int
    boards_each: int
    """The number of boards that a contestant plays if it does not sit out."""
    every_board: bool
    winners: int
    sit_out: str
    """A sentence on the sit-outs."""


class NewSection(Body):
    """A section of a new session."""

    count: Annotated[int, Field(ge=2, le=128, examples=[8])]
    """The number of pairs, players or teams."""
    movement: Annotated[str | None, Field(max_length=200)] = None
    """The name of an offered movement; None for the first."""


class NewSession(Body):
    """A session to set up. `boards` is per round in a Swiss session, which needs `rounds`."""

    model_config = _examples(
        {"name": "Thursday pairs", "day": "2026-01-08", "boards": 24, "sections": [{"count": 14}]},
        {"game": "swiss", "boards": 4, "rounds": 6, "sections": [{"count": 16}], "method": "vps-continuous"},
    )

    name: Annotated[str, Field(max_length=60, examples=["Thursday pairs"])] = ""
    day: date | None = None
    """None for today."""
    game: Literal["pairs", "swiss", "individual", "teams"] = "pairs"
    """swiss is Swiss pairs, drawn round by round."""
    boards: Annotated[int, Field(ge=1, le=60, examples=[24])]
    rounds: Annotated[int | None, Field(ge=2, le=20)] = None
    sections: Annotated[list[NewSection], Field(min_length=1, max_length=8)]
    together: bool = True
    """False to score each section by itself."""
    method: Method | None = None
    """None for the usual one of the game."""
    rules: Annotated[str | None, Field(max_length=30, examples=["WBF", "ACBL", "EBU", "NZ"])] = None
    victory_points: bool = False
    """True to rank pairs by the victory points of their matches."""
    first_round: Literal["numbers", "halves", "lot"] | None = None
    """The way to draw the first round of a Swiss session."""
    boards_per_round: Annotated[int | None, Field(ge=1, le=9)] = None
    event: Annotated[str | None, Field(pattern=r"^[0-9A-F]{32}$")] = None
    """The guid of the event to which the session is added; None for a new event."""
    same_names: bool = False
    """True to seat the players of the event's last session again."""


class SetUp(Done):
    """A session that was set up."""

    session: str


class SeatedPlayer(Body):
    """A seat and its player: by number, by name or both; a seat with neither is emptied."""

    section: Letters
    table: Number
    seat: Annotated[Seat, Field(examples=["N"])]
    round: Annotated[int, Field(ge=0, le=999)] = 0
    """The round from which the player sits there; 0 for the first."""
    number: Annotated[str, Field(max_length=20)] = ""
    first_name: Annotated[str, Field(max_length=60)] = ""
    last_name: Annotated[str, Field(max_length=60)] = ""


class SeatedPlayers(Body):
    """Players and their seats, all or none. Names of known numbers, and numbers of known names, are filled in."""

    model_config = _examples(
        {
            "seats": [
                {
                    "section": "A",
                    "table": 1,
                    "seat": "N",
                    "number": "12",
                    "first_name": "Ann",
                    "last_name": "Berg",
                }
            ]
        }
    )

    seats: Annotated[list[SeatedPlayer], Field(min_length=1, max_length=500)]


class DealItem(Item):
    """The deal of a board in a scoring group."""

    group: int
    board: int
    deal: str
    """In the notation of PBN."""
    makeable: str | None
    """The tricks that can be made, as in the PBN tag DoubleDummyTricks; None until they are computed."""


class CallItem(Item):
    """A call for the director."""

    model_config = FROM_LINE

    call: str
    section: str
    table: int
    round: int
    board: int
    at: datetime
    status: CallStatus
    answered: datetime | None


class CallAnswer(Body):
    """The answer to a call for the director."""

    model_config = _examples({"status": "resolved"})

    status: Literal["in progress", "deferred", "resolved", "withdrawn"]


class NewStatus(Body):
    """A status to set."""

    model_config = _examples({"status": "started"})

    status: Status


class AdjustmentItem(Item):
    """A penalty or a bonus that has not been withdrawn."""

    adjustment: int
    """Its number, with which it can be withdrawn."""
    contestant: ContestantName
    amount: float
    """Negative for a penalty."""
    unit: AdjustmentUnit
    board: int | None
    round: int | None
    reason: str
    at: datetime


Reason = Annotated[str, Field(max_length=500, examples=["Misinformation"])]


class ResultRuling(BodyAtBoard):
    """The director's result of a board: a contract, an award, a weighted score, or another outcome for each side."""

    model_config = _examples(
        {
            "kind": "result",
            "section": "A",
            "table": 1,
            "round": 1,
            "board": 1,
            "outcome": "60-40",
            "reason": "Misinformation",
            "appeal": "pending",
        }
    )

    kind: Literal["result"]
    outcome: Annotated[
        str, Field(max_length=200, examples=["60-40", "60 % of 4SN=, 40 % of 4SN-1", "Arbitral"])
    ]
    outcome_ew: Annotated[str | None, Field(max_length=200)] = None
    """The outcome for East-West of a split score."""
    reason: Reason = ""
    appeal: Appeal = Appeal.NONE


class MoveRuling(BodyAtBoard):
    """A result that belongs to another board or round of its table, or to pairs that sat the other way round."""

    kind: Literal["move"]
    to_round: Number | None = None
    to_board: Number | None = None
    exchange: bool = False
    """True if the result at the other board moves here."""
    wrong_direction: bool = False
    reason: Reason = ""


class AdjustmentRuling(Body):
    """A penalty or a bonus, for a board, a match or the session."""

    model_config = _examples(
        {
            "kind": "adjustment",
            "contestant": {"section": "A", "number": 7, "side": "EW"},
            "amount": -10,
            "unit": "% of a top",
            "reason": "Late",
        }
    )

    kind: Literal["adjustment"]
    contestant: ContestantName
    amount: Annotated[float, Field(ge=-10_000, le=10_000, examples=[-10])]
    """Negative for a penalty."""
    unit: AdjustmentUnit
    board: Number | None = None
    round: Number | None = None
    reason: Annotated[Reason, Field(min_length=1)]


class StandingRuling(Body):
    """A contestant that ranks, plays without standing, or has withdrawn."""

    kind: Literal["standing"]
    contestant: ContestantName
    status: ContestantStatus
    reason: Reason = ""


class PlayedVersion(Body):
    """The deal of a fouled board that a table played; an empty version is the usual deal."""

    section: Letters
    table: Number
    round: Number
    version: Literal["", "B", "C"]


class FouledBoardRuling(Body):
    """A board that tables played with different cards."""

    kind: Literal["fouled board"]
    board: Number
    tables: Annotated[list[PlayedVersion], Field(min_length=1, max_length=500)]
    reason: Reason = ""


class MatchRuling(Body):
    """A match of two teams, or of pairs with victory points, that is void, shortened, or counts as it was played."""

    kind: Literal["match"]
    round: Number
    one: ContestantName
    other: ContestantName
    counts: Literal["void", "points", "short", "played"]
    points_one: Annotated[float | None, Field(ge=-10_000, le=10_000)] = None
    points_other: Annotated[float | None, Field(ge=-10_000, le=10_000)] = None
    boards: Number | None = None
    """The length of a shortened match."""
    reason: Reason = ""


class RulesRuling(Body):
    """The rule set of a scoring group."""

    kind: Literal["rules"]
    group: Number
    rules: Annotated[str, Field(max_length=30, examples=["WBF", "ACBL", "EBU", "NZ"])]
    victory_points: bool = False
    knockout: bool = False


class PeriodRuling(Body):
    """The end of the correction period; None makes the results final."""

    kind: Literal["correction period"]
    until: AwareDatetime | None


NewRuling = Annotated[
    ResultRuling
    | MoveRuling
    | AdjustmentRuling
    | StandingRuling
    | FouledBoardRuling
    | MatchRuling
    | RulesRuling
    | PeriodRuling,
    Field(discriminator="kind"),
]


class ProblemPart(Item):
    """One of the problems of a request."""

    reason: str
    """A stable word: the reason of a rejection, or the kind of error in a field."""
    detail: str
    where: str
    """The place or the field that it is about; may be empty."""


class Problem(Item):
    """The answer to a refused request, as RFC 9457 describes it. Nothing was changed unless `detail` says so."""

    model_config = _examples(
        {
            "type": "about:blank",
            "title": "Not found",
            "status": 404,
            "detail": "Section A has no table 9.",
            "code": "refused",
            "problems": [{"reason": "unknown-place", "detail": "Section A has no table 9.", "where": ""}],
        }
    )

    type: str
    title: str
    """The meaning of the status."""
    status: int
    detail: str
    """A sentence for people: the problem, the place, and what was kept."""
    code: str
    """A stable word for programs."""
    problems: list[ProblemPart]
    """All that is wrong, if there is more to say than the sentence."""
