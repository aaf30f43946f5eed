"""The archive and the bin: what may be filed where, and what a session in the bin accepts."""

import pytest

from overtrick.bridge import Deal
from overtrick.directing import deals_to_evaluate, due
from overtrick.event import Reason
from overtrick.event.filing import FileSession, Filing, SessionFiled
from overtrick.event.hands import HandRecord, PutHandRecords
from overtrick.event.results import EnterResult
from overtrick.event.setup import SetStatus, Status
from tests.event.evenings import SESSION, do, entry, minimal, refuse

DEAL = Deal.parse("N:AKQJ.T987.654.32 T987.654.32.AKQJ 654.32.AKQJ.T987 32.AKQJ.T987.654")


def test_session_in_the_bin_refuses_results_until_it_is_restored() -> None:
    state = minimal()
    assert do(state, FileSession(SESSION, Filing.BINNED)) == [SessionFiled(Filing.BINNED)]
    refusal = refuse(state, EnterResult(SESSION, entry(1, 1, 1, "3NTN=")))
    assert refusal.reason is Reason.NOT_ALLOWED
    assert "moved this session to the bin" in str(refusal)
    assert do(state, FileSession(SESSION, Filing.LISTED)) == [SessionFiled(Filing.LISTED)]
    assert do(state, EnterResult(SESSION, entry(1, 1, 1, "3NTN=")))


def test_filing_a_session_where_it_is_changes_nothing() -> None:
    assert do(minimal(), FileSession(SESSION, Filing.LISTED)) == []


def test_only_a_session_that_has_ended_is_archived() -> None:
    state = minimal()
    assert "End it first" in str(refuse(state, FileSession(SESSION, Filing.ARCHIVED)))
    do(state, SetStatus(SESSION, Status.FINISHED))
    assert do(state, FileSession(SESSION, Filing.ARCHIVED)) == [SessionFiled(Filing.ARCHIVED)]


@pytest.mark.parametrize("status", [Status.NOT_STARTED, Status.STARTED])
def test_session_that_a_scoring_program_runs_is_not_deleted(status: Status) -> None:
    state = minimal()
    do(state, SetStatus(SESSION, status))
    delete = FileSession(SESSION, Filing.BINNED, is_from_program=True)
    assert "A scoring program runs this session" in str(refuse(state, delete))
    do(state, SetStatus(SESSION, Status.FINISHED))
    assert do(state, delete) == [SessionFiled(Filing.BINNED)]


def test_nothing_is_due_in_a_session_in_the_bin() -> None:
    state = minimal()
    do(state, EnterResult(SESSION, entry(1, 1, 1, "3NTN=")))
    do(state, PutHandRecords(SESSION, (HandRecord(1, 1, DEAL),)))
    session = state.session(SESSION)
    assert session is not None
    assert due(session, state.events[SESSION])
    assert deals_to_evaluate(session)
    do(state, FileSession(SESSION, Filing.BINNED))
    assert due(session, state.events[SESSION]) == []
    assert deals_to_evaluate(session) == []
