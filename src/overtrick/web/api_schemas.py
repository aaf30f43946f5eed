"""Request and response models of the JSON API. Only `api` and the clock page use them."""

from datetime import date, datetime
from enum import Enum
from typing import Annotated

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from overtrick.bridge import Card, Outcome

FROM_LINE = ConfigDict(from_attributes=True)
"""The configuration of items that are built from an object with attributes of the same names."""


def _text(value: object) -> object:
    if isinstance(value, Enum | Card):
        return value.value
    return str(value) if isinstance(value, Outcome) else value


Text = Annotated[str, BeforeValidator(_text)]


class SessionItem(BaseModel):
    """A session in the list."""

    session: str
    incarnation: int
    name: str
    day: date
    changed: datetime
    status: str
    """planned, running, finished or archived."""


class GroupItem(BaseModel):
    """A scoring group."""

    number: int
    name: str
    method: str
    rules: str
    """The name of the rule set, with the choices that differ from it."""


class SectionItem(BaseModel):
    """A section of a session."""

    letters: str
    group: int
    winners: int
    tables: int
    rounds: int


class SessionState(BaseModel):
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


class RankItem(BaseModel):
    """A line of a ranking."""

    rank: str
    contestant: str
    names: str
    score: float | None
    """None while there is nothing to compare."""
    boards: int
    adjustment: float
    """Penalties and bonuses; the score includes them."""


class RankingItem(BaseModel):
    """A ranking, or one of two in a session with two winners. Further rankings follow the session's own."""

    title: str
    unit: str
    further: str
    """The name of a further ranking, such as Stratum B; empty for the session's own."""
    lines: list[RankItem]


class ResultItem(BaseModel):
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


class TableItem(BaseModel):
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


class ClockItem(BaseModel):
    """The round clock: `left` is the number of seconds to play or, while moving, until the next round starts."""

    round: int
    rounds: int
    phase: str
    left: float
    warning: float | None
    changes_in: float | None
    late: list[str]


class BoardItem(BaseModel):
    """The progress of a board."""

    model_config = FROM_LINE

    field: str
    board: int
    played: int
    expected: int


class SeatItem(BaseModel):
    """A seat, and who has it."""

    seat: str
    number: str
    name: str


class SeatingItem(BaseModel):
    """A table in a round."""

    section: str
    table: int
    round: int
    ns: int
    ew: int
    boards: list[int]
    players: list[SeatItem]


class LineAdjustment(BaseModel):
    """A penalty or a bonus for a board, in the unit of its points."""

    contestant: str
    points: float


class TravellerLine(BaseModel):
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


class TravellerItem(BaseModel):
    """The results of a field on a board, with their points."""

    field: str
    board: int
    lines: list[TravellerLine]


class RulingItem(BaseModel):
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


class NewResult(BaseModel):
    """A result to enter; pairs follow from the movement."""

    model_config = ConfigDict(extra="forbid")

    section: Annotated[str, Field(pattern=r"^[A-Z]{1,3}$")]
    table: Number
    round: Number
    board: Number
    outcome: Annotated[
        str,
        Field(
            max_length=400, examples=["4SxN+1", "3NTW=", "Pass", "60-40", "NP", "60 % of 4SN=, 40 % of 4SN-1"]
        ),
    ]
    lead: Annotated[str | None, Field(max_length=3, examples=["SK"])] = None
    replace: bool = False
    """True to replace an existing result; if False, a different result than the existing one is refused."""


class Done(BaseModel):
    """The effect of a change: `changed`, and the version of the session's stream after it."""

    changed: bool
    version: int | None


class Sentence(BaseModel):
    """An error message: the problem, the place, and what was kept."""

    sentence: str
