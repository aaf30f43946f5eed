"""A Mitchell that tests of movement changes begin with."""

from overtrick.event import JournalState
from overtrick.event.movement import SectionPlan, table_plans
from overtrick.event.results import EnterResult
from overtrick.movements import choose
from tests.event.evenings import SESSION, do, entry, minimal

__all__ = ["SESSION", "mitchell_of_seven"]


def mitchell_of_seven(rounds: int = 2) -> JournalState:
    """Return a state with a Mitchell of seven tables, some rounds of which are played."""
    chosen = choose(14, 21)[0]
    journal_state = minimal(
        section=SectionPlan("A", 1, chosen.winners), tables=table_plans(chosen.movement, "A")
    )
    session = journal_state.session(SESSION)
    assert session is not None
    assert session.winners("A") == 2
    for table, at in session.movement.section("A").items():
        for number in range(1, rounds + 1):
            for board in at.rounds[number - 1].boards:
                do(journal_state, EnterResult(SESSION, entry(table, number, board, "4SN=")))
    return journal_state
