"""Commands about several sessions and events at once: all or none."""

from copy import deepcopy

from overtrick.event import JournalState, OpenEvent, Rejection, Transaction, decide
from overtrick.event.results import EnterResult
from overtrick.event.team_rules import PutTeamFacts, SetTeamEvent
from tests.event.evenings import SESSION, do, entry, plan

ONE, TWO = "A" * 32, "B" * 32


def opening(event: str, key: int) -> PutTeamFacts:
    return PutTeamFacts(event, (), SetTeamEvent(event, f"Cup {key}", key))


def test_each_command_is_decided_on_what_those_before_it_made() -> None:
    journal_state = JournalState()
    do(
        journal_state,
        Transaction((OpenEvent(SESSION, (plan(),)), EnterResult(SESSION, entry(1, 1, 2, "4SN=")))),
    )
    session = journal_state.session(SESSION)
    assert session is not None
    assert len(session.results.standing) == 1


def test_one_rejected_command_rejects_all_and_deciding_changes_nothing() -> None:
    journal_state = JournalState()
    do(journal_state, opening(ONE, 1))
    do(journal_state, OpenEvent(SESSION, (plan(),)))
    before = deepcopy(journal_state)
    same_key_twice = Transaction((opening(TWO, 2), opening("C" * 32, 2)))
    assert isinstance(decide(journal_state, same_key_twice), Rejection)
    entered = EnterResult(SESSION, entry(1, 1, 2, "4SN="))
    assert not isinstance(decide(journal_state, Transaction((entered, opening(TWO, 2)))), Rejection)
    assert journal_state == before


def test_transaction_without_changes_makes_no_fact() -> None:
    assert decide(JournalState(), Transaction(())) == ()
