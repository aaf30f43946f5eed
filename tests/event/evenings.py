"""Small evenings that the tests of many rooms begin with."""

from datetime import UTC, date, datetime

from overtrick.bridge import Outcome
from overtrick.event import Command, JournalState, OpenEvent, Rejection, SessionPlan, decide
from overtrick.event.movement import Round, SectionPlan, TablePlan
from overtrick.event.results import ResultEntry
from overtrick.event.setup import GroupPlan
from overtrick.scoring import Method

SESSION = "6D115AF1ABEB4462A299B1FE86274949"
NOON = datetime(2024, 6, 3, 12, 0, tzinfo=UTC)


def rounds(*given: tuple[int, int, int], boards: int = 4) -> tuple[Round, ...]:
    """Rounds from (North-South, East-West, lowest board)."""
    return tuple(Round(ns, ew, tuple(range(low, low + boards))) for ns, ew, low in given)


TABLES = (
    TablePlan(1, rounds((1, 2, 1), (1, 3, 5), (1, 4, 9))),
    TablePlan(2, rounds((3, 4, 1), (4, 2, 5), (2, 3, 9))),
)
"""The four pairs of the Data Connector guide's example that all meet each other."""


def plan(
    session: str = SESSION,
    section: SectionPlan | None = None,
    tables: tuple[TablePlan, ...] = TABLES,
    **changes: object,
) -> SessionPlan:
    """The minimal session of the Data Connector's guide."""
    section = section or SectionPlan("A", 1, winners=1)
    return SessionPlan(
        session,
        "Minimal Session",
        date(2024, 6, 3),
        (GroupPlan(section.group, Method.MATCHPOINTS),),
        ((section, tables),),
        **changes,  # type: ignore[arg-type]
    )


def entry(table: int, number: int, board: int, outcome: str, section: str = "A") -> ResultEntry:
    """A result as a table gives it."""
    return ResultEntry(section, table, number, board, Outcome.parse(outcome), NOON)


def do(journal_state: JournalState, command: Command) -> list[object]:
    """Carry out a command that must succeed; its facts."""
    decided = decide(journal_state, command)
    assert not isinstance(decided, Rejection), str(decided)
    for made in decided:
        journal_state.apply(made.stream, made.fact)
    return [made.fact for made in decided]


def refuse(journal_state: JournalState, command: Command) -> Rejection:
    """The rejection of a command that must fail."""
    decided = decide(journal_state, command)
    assert isinstance(decided, Rejection), decided
    return decided


def minimal(**changes: object) -> JournalState:
    """Return a state in which the guide's minimal session is open."""
    journal_state = JournalState()
    do(journal_state, OpenEvent(SESSION, (plan(**changes),)))  # type: ignore[arg-type]
    return journal_state
