"""A few facts to keep, as an event might have them; the tests of the store need no more of bridge."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import Enum, IntEnum
from typing import Any, ClassVar, Self

from overtrick.errors import BadInput
from overtrick.store import Appended, Codec, Journal
from overtrick.store.derived_tables import rebuild_all

EVENING = datetime(2026, 2, 3, 19, 30, tzinfo=UTC)


class Seat(Enum):
    NORTH = "N"
    SOUTH = "S"


class Doubling(IntEnum):
    UNDOUBLED = 0
    DOUBLED = 1


class Contract:
    """A text type: stored as its text."""

    def __init__(self, level: int, strain: str) -> None:
        self.level, self.strain = level, strain

    @classmethod
    def parse(cls, text: str) -> Self:
        if not text[:1].isdigit():
            raise BadInput(f"{text!r} is no contract.")
        return cls(int(text[0]), text[1:])

    def __str__(self) -> str:
        return f"{self.level}{self.strain}"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Contract) and str(self) == str(other)

    def __hash__(self) -> int:
        return hash(str(self))


@dataclass(frozen=True, slots=True)
class Lead:
    seat: Seat
    card: str


@dataclass(frozen=True, slots=True)
class ResultEntered:
    kind: ClassVar[str] = "result entered"
    schema: ClassVar[int] = 1
    section: str
    table: int
    board: int
    contract: Contract | None
    doubling: Doubling
    declarer: Seat
    checked: bool
    lead: Lead | None
    entered: datetime
    pairs: tuple[int, ...]
    remarks: frozenset[str]


@dataclass(frozen=True, slots=True)
class TableMoved:
    """Schema 2: tables have had a section since then."""

    kind: ClassVar[str] = "table moved"
    schema: ClassVar[int] = 2
    section: str
    table: int


FACTS: dict[str, type] = {"result entered": ResultEntered, "table moved": TableMoved}
UPGRADES = {("table moved", 1): lambda body: {**body, "section": "A"}}
CODEC = Codec(FACTS, texts=(Contract,), upgrades=UPGRADES)


def result(board: int, **changes: Any) -> ResultEntered:
    fields: dict[str, Any] = {
        "section": "A",
        "table": 4,
        "board": board,
        "contract": Contract(4, "S"),
        "doubling": Doubling.DOUBLED,
        "declarer": Seat.SOUTH,
        "checked": True,
        "lead": Lead(Seat.NORTH, "HK"),
        "entered": EVENING + timedelta(minutes=board),
        "pairs": (4, 12),
        "remarks": frozenset({"slow", "late"}),
    }
    return ResultEntered(**{**fields, **changes})


def put(journal: Journal, stream: str, expected: int, *facts: Any, command_id: str = "") -> Appended:
    """Append what one command did, without ceremony."""
    return journal.append(
        stream,
        expected,
        facts,
        command_id=command_id or f"{stream}/{expected}",
        at=EVENING + timedelta(seconds=expected),
        side="control",
        actor="table A4",
    )


def boards(journal: Journal, stream: str, after: int = 0) -> list[int]:
    return [entry.fact.board for entry in journal.read(stream, after)]


def rebuild(journal: Journal) -> None:
    """Rebuild every derived table, as a migration and an import do."""
    with journal.writing() as cursor:
        rebuild_all(journal.engine, cursor)
