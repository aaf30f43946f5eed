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
    is_switched,
)
from tests.event.evenings import NOON, SESSION, do, entry, minimal, refuse

PLACE = ("A", 1, 1, 2)


def standing(house: JournalState) -> ResultRecorded:
    session = house.session(SESSION)
    assert session is not None
    return session.results.standing[PLACE]


def test_a_first_result_takes_its_pairs_from_the_movement() -> None:
    house = minimal()
    do(house, EnterResult(SESSION, replace(entry(1, 1, 2, "4SxN+1"), lead=Card("HQ"))))
    result = standing(house)
    assert (result.ns, result.ew, result.lead, result.origin) == (1, 2, Card("HQ"), Origin.TERMINAL)


def test_the_same_result_again_counts_once_and_another_is_a_conflict() -> None:
    house = minimal()
    do(house, EnterResult(SESSION, entry(1, 1, 2, "4SxN+1")))
    assert do(house, EnterResult(SESSION, entry(1, 1, 2, "4SxN+1"))) == []
    assert refuse(house, EnterResult(SESSION, entry(1, 1, 2, "4SN="))).reason is Reason.STALE


def test_a_correction_replaces_what_was_seen() -> None:
    house = minimal()
    wrong, right = entry(1, 1, 2, "4SN="), entry(1, 1, 2, "4SN-1")
    assert refuse(house, CorrectResult(SESSION, right, Origin.DESK)).reason is Reason.UNKNOWN_ENTRY
    do(house, EnterResult(SESSION, wrong))
    other = CorrectResult(SESSION, right, Origin.DESK, was=Outcome.parse("Pass"))
    assert refuse(house, other).reason is Reason.STALE
    do(house, CorrectResult(SESSION, right, Origin.DESK, was=wrong.outcome))
    assert standing(house).outcome == right.outcome
    nowhere = CorrectResult(SESSION, entry(7, 1, 2, "Pass"), Origin.DESK)
    assert refuse(house, nowhere).reason is Reason.UNKNOWN_PLACE


def test_results_are_put_all_or_none() -> None:
    house = minimal()
    bad = PutResults(SESSION, (entry(1, 1, 1, "Pass"), entry(1, 1, 9, "Pass"), entry(9, 1, 1, "Pass")))
    assert len(refuse(house, bad).problems) == 2
    session = house.session(SESSION)
    assert session is not None
    assert not session.results.standing
    made = do(
        house, PutResults(SESSION, (entry(1, 1, 1, "Pass"), entry(1, 1, 2, "Pass"), entry(1, 1, 1, "1CN=")))
    )
    assert [(f.board, str(f.outcome)) for f in made if isinstance(f, ResultRecorded)] == [
        (1, "1CN="),
        (2, "Pass"),
    ]


def test_pairs_that_do_not_meet_there_are_refused() -> None:
    house = minimal()
    assert (
        refuse(house, PutResults(SESSION, (replace(entry(1, 1, 2, "Pass"), ns=3),))).reason
        is Reason.NOT_ALLOWED
    )
    do(house, PutResults(SESSION, (replace(entry(1, 1, 2, "Pass"), ns=1, ew=2),)))


def test_a_result_of_one_side_that_is_sent_again_changes_nothing() -> None:
    for side in Side:
        house = minimal()
        award = PutResults(SESSION, (replace(entry(1, 1, 2, "40-40"), side=side),))
        assert len(do(house, award)) == 1
        assert do(house, award) == []


def test_the_two_sides_may_have_results_of_their_own() -> None:
    house = minimal()
    do(house, PutResults(SESSION, (replace(entry(1, 1, 2, "60-40"), side=Side.NS),)))
    do(house, PutResults(SESSION, (replace(entry(1, 1, 2, "4SN="), side=Side.EW),)))
    assert (str(standing(house).outcome), str(standing(house).outcome_ew)) == ("60-40", "4SN=")
    do(house, PutResults(SESSION, (entry(1, 1, 2, "Pass"),)))
    assert standing(house).outcome_ew is None


def test_an_erased_result_can_be_entered_again() -> None:
    house = minimal()
    erase = EraseResult(SESSION, *PLACE, Origin.TERMINAL)
    assert refuse(house, erase).reason is Reason.UNKNOWN_ENTRY
    do(house, EnterResult(SESSION, entry(1, 1, 2, "4SN=")))
    assert do(house, erase) == [ResultErased(*PLACE, Origin.TERMINAL)]
    assert do(house, erase) == []
    do(house, EnterResult(SESSION, entry(1, 1, 2, "4SN-1")))
    assert str(standing(house).outcome) == "4SN-1"


def test_suspicion_is_confirmed_and_forgotten_with_another_result() -> None:
    house = minimal()
    suspect = JudgeResult(SESSION, *PLACE, Suspicion.SUSPICIOUS)
    assert refuse(house, suspect).reason is Reason.UNKNOWN_ENTRY
    do(house, EnterResult(SESSION, entry(1, 1, 2, "7NTN=")))
    do(house, suspect)
    assert do(house, suspect) == []
    do(house, JudgeResult(SESSION, *PLACE, Suspicion.CONFIRMED))
    assert standing(house).suspicion is Suspicion.CONFIRMED
    do(house, CorrectResult(SESSION, entry(1, 1, 2, "3NTN="), Origin.DESK))
    assert standing(house).suspicion is Suspicion.NONE


def test_a_contract_waits_for_its_result() -> None:
    house = minimal()
    do(house, EnterContract(SESSION, *PLACE, "4SN", NOON, Card("HQ")))
    assert do(house, EnterContract(SESSION, *PLACE, "4SN", NOON, Card("HQ"))) == []
    session = house.session(SESSION)
    assert session is not None
    assert session.recording.contracts[PLACE].ns == 1
    do(house, EnterResult(SESSION, entry(1, 1, 2, "4SN=")))
    assert not session.recording.contracts
    assert refuse(house, EnterContract(SESSION, *PLACE, "4SN", NOON)).reason is Reason.STALE


def test_calls_and_cards_are_recorded_and_taken_back() -> None:
    house = minimal()
    do(house, RecordCall(SESSION, *PLACE, 1, Seat.EAST, "1C", NOON))
    do(house, RecordCard(SESSION, *PLACE, 1, Seat.EAST, "Sx", NOON))
    session = house.session(SESSION)
    assert session is not None
    assert session.recording.cards[PLACE, 1].card == "Sx"
    (made,) = do(house, RecordCard(SESSION, *PLACE, 1, Seat.EAST, "Sx", NOON, is_erased=True))
    assert isinstance(made, CardRecorded)
    assert made.counter == 1
    assert not session.recording.cards
    assert len(session.recording.calls) == 1


def test_recorded_calls_and_cards_are_those_of_the_game_or_unseen_ones() -> None:
    house = minimal()
    do(house, RecordCall(SESSION, *PLACE, 1, Seat.EAST, SKIPPED, NOON))
    for call in ("8C", "Skip", "1C" * 500):
        assert (
            refuse(house, RecordCall(SESSION, *PLACE, 2, Seat.SOUTH, call, NOON)).reason is Reason.NOT_ALLOWED
        )
    for card in ("x", "S1", "Xx", "SA" * 500):
        assert (
            refuse(house, RecordCard(SESSION, *PLACE, 1, Seat.EAST, card, NOON)).reason is Reason.NOT_ALLOWED
        )


def test_switched_seating_is_a_declarer_of_the_other_side() -> None:
    assert is_switched(Outcome.parse("4SE="), Side.NS)
    assert not is_switched(Outcome.parse("4SE="), Side.EW)
    assert not is_switched(Outcome.parse("Pass"), Side.NS)
