from dataclasses import replace

from overtrick.bridge import Card, Outcome, Seat, Side
from overtrick.event import JournalState, Reason
from overtrick.event.recording import SKIPPED, CardRecorded, EnterContract, RecordCall, RecordCard
from overtrick.event.results import (
    CorrectResult,
    EnterResult,
    EraseResult,
    JudgeResult,
    Origin,
    PutResults,
    ResultErased,
    ResultRecorded,
    Suspicion,
)
from tests.event.evenings import NOON, SESSION, do, entry, minimal, refuse

PLACE = ("A", 1, 1, 2)


def standing(journal_state: JournalState) -> ResultRecorded:
    session = journal_state.session(SESSION)
    assert session is not None
    return session.results.standing[PLACE]


def test_a_first_result_takes_its_pairs_from_the_movement() -> None:
    journal_state = minimal()
    do(journal_state, EnterResult(SESSION, replace(entry(1, 1, 2, "4SxN+1"), lead=Card("HQ"))))
    result = standing(journal_state)
    assert (result.ns, result.ew, result.lead, result.origin) == (1, 2, Card("HQ"), Origin.TERMINAL)


def test_the_same_result_again_counts_once_and_another_is_a_conflict() -> None:
    journal_state = minimal()
    do(journal_state, EnterResult(SESSION, entry(1, 1, 2, "4SxN+1")))
    assert do(journal_state, EnterResult(SESSION, entry(1, 1, 2, "4SxN+1"))) == []
    assert refuse(journal_state, EnterResult(SESSION, entry(1, 1, 2, "4SN="))).reason is Reason.STALE


def test_a_correction_replaces_what_was_seen() -> None:
    journal_state = minimal()
    wrong, right = entry(1, 1, 2, "4SN="), entry(1, 1, 2, "4SN-1")
    assert refuse(journal_state, CorrectResult(SESSION, right, Origin.DESK)).reason is Reason.UNKNOWN_ENTRY
    do(journal_state, EnterResult(SESSION, wrong))
    other = CorrectResult(SESSION, right, Origin.DESK, was=Outcome.parse("Pass"))
    assert refuse(journal_state, other).reason is Reason.STALE
    do(journal_state, CorrectResult(SESSION, right, Origin.DESK, was=wrong.outcome))
    assert standing(journal_state).outcome == right.outcome
    nowhere = CorrectResult(SESSION, entry(7, 1, 2, "Pass"), Origin.DESK)
    assert refuse(journal_state, nowhere).reason is Reason.UNKNOWN_PLACE


def test_results_are_put_all_or_none() -> None:
    journal_state = minimal()
    bad = PutResults(SESSION, (entry(1, 1, 1, "Pass"), entry(1, 1, 9, "Pass"), entry(9, 1, 1, "Pass")))
    assert len(refuse(journal_state, bad).problems) == 2
    session = journal_state.session(SESSION)
    assert session is not None
    assert not session.results.standing
    made = do(
        journal_state,
        PutResults(SESSION, (entry(1, 1, 1, "Pass"), entry(1, 1, 2, "Pass"), entry(1, 1, 1, "1CN="))),
    )
    assert [(f.board, str(f.outcome)) for f in made if isinstance(f, ResultRecorded)] == [
        (1, "1CN="),
        (2, "Pass"),
    ]


def test_pairs_that_do_not_meet_there_are_refused() -> None:
    journal_state = minimal()
    assert (
        refuse(journal_state, PutResults(SESSION, (replace(entry(1, 1, 2, "Pass"), ns=3),))).reason
        is Reason.NOT_ALLOWED
    )
    do(journal_state, PutResults(SESSION, (replace(entry(1, 1, 2, "Pass"), ns=1, ew=2),)))


def test_a_result_of_one_side_that_is_sent_again_changes_nothing() -> None:
    for side in Side:
        journal_state = minimal()
        award = PutResults(SESSION, (replace(entry(1, 1, 2, "40-40"), side=side),))
        assert len(do(journal_state, award)) == 1
        assert do(journal_state, award) == []


def test_sides_can_have_separate_results() -> None:
    journal_state = minimal()
    do(journal_state, PutResults(SESSION, (replace(entry(1, 1, 2, "60-40"), side=Side.NS),)))
    do(journal_state, PutResults(SESSION, (replace(entry(1, 1, 2, "4SN="), side=Side.EW),)))
    assert (str(standing(journal_state).outcome), str(standing(journal_state).outcome_ew)) == (
        "60-40",
        "4SN=",
    )
    do(journal_state, PutResults(SESSION, (entry(1, 1, 2, "Pass"),)))
    assert standing(journal_state).outcome_ew is None


def test_erasing_the_side_that_has_no_result_keeps_the_other() -> None:
    journal_state = minimal()
    do(journal_state, PutResults(SESSION, (replace(entry(1, 1, 2, "60-40"), side=Side.EW),)))
    assert do(journal_state, EraseResult(SESSION, *PLACE, Origin.DESK, side=Side.NS)) == []
    assert str(standing(journal_state).outcome_ew) == "60-40"
    erased = do(journal_state, EraseResult(SESSION, *PLACE, Origin.DESK, side=Side.EW))
    assert erased == [ResultErased(*PLACE, Origin.DESK)]


def test_an_erased_result_can_be_entered_again() -> None:
    journal_state = minimal()
    erase = EraseResult(SESSION, *PLACE, Origin.TERMINAL)
    assert refuse(journal_state, erase).reason is Reason.UNKNOWN_ENTRY
    do(journal_state, EnterResult(SESSION, entry(1, 1, 2, "4SN=")))
    assert do(journal_state, erase) == [ResultErased(*PLACE, Origin.TERMINAL)]
    assert do(journal_state, erase) == []
    do(journal_state, EnterResult(SESSION, entry(1, 1, 2, "4SN-1")))
    assert str(standing(journal_state).outcome) == "4SN-1"


def test_confirmed_suspicion_ends_with_another_result() -> None:
    journal_state = minimal()
    suspect = JudgeResult(SESSION, *PLACE, Suspicion.SUSPICIOUS)
    assert refuse(journal_state, suspect).reason is Reason.UNKNOWN_ENTRY
    do(journal_state, EnterResult(SESSION, entry(1, 1, 2, "7NTN=")))
    do(journal_state, suspect)
    assert do(journal_state, suspect) == []
    do(journal_state, JudgeResult(SESSION, *PLACE, Suspicion.CONFIRMED))
    assert standing(journal_state).suspicion is Suspicion.CONFIRMED
    do(journal_state, CorrectResult(SESSION, entry(1, 1, 2, "3NTN="), Origin.DESK))
    assert standing(journal_state).suspicion is Suspicion.NONE


def test_recorded_contract_ends_with_its_result() -> None:
    journal_state = minimal()
    do(journal_state, EnterContract(SESSION, *PLACE, "4SN", NOON, Card("HQ")))
    assert do(journal_state, EnterContract(SESSION, *PLACE, "4SN", NOON, Card("HQ"))) == []
    session = journal_state.session(SESSION)
    assert session is not None
    assert session.recording.contracts[PLACE].ns == 1
    do(journal_state, EnterResult(SESSION, entry(1, 1, 2, "4SN=")))
    assert not session.recording.contracts
    assert refuse(journal_state, EnterContract(SESSION, *PLACE, "4SN", NOON)).reason is Reason.STALE


def test_calls_and_cards_are_recorded_and_removed() -> None:
    journal_state = minimal()
    do(journal_state, RecordCall(SESSION, *PLACE, 1, Seat.EAST, "1C", NOON))
    do(journal_state, RecordCard(SESSION, *PLACE, 1, Seat.EAST, "Sx", NOON))
    session = journal_state.session(SESSION)
    assert session is not None
    assert session.recording.cards[PLACE, 1].card == "Sx"
    (made,) = do(journal_state, RecordCard(SESSION, *PLACE, 1, Seat.EAST, "Sx", NOON, is_erased=True))
    assert isinstance(made, CardRecorded)
    assert made.counter == 1
    assert not session.recording.cards
    assert len(session.recording.calls) == 1


def test_call_or_card_that_does_not_exist_is_refused() -> None:
    journal_state = minimal()
    do(journal_state, RecordCall(SESSION, *PLACE, 1, Seat.EAST, SKIPPED, NOON))
    for call in ("8C", "Skip", "1C" * 500):
        assert (
            refuse(journal_state, RecordCall(SESSION, *PLACE, 2, Seat.SOUTH, call, NOON)).reason
            is Reason.NOT_ALLOWED
        )
    for card in ("x", "S1", "Xx", "SA" * 500):
        assert (
            refuse(journal_state, RecordCard(SESSION, *PLACE, 1, Seat.EAST, card, NOON)).reason
            is Reason.NOT_ALLOWED
        )
