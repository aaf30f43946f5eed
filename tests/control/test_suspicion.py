import random

from overtrick.bridge import Deal, Outcome, Seat, Tricks
from overtrick.control.suspicion import Doubt, doubts, judge
from overtrick.event.hands import HandRecord, PutHandRecords
from overtrick.event.results import CorrectResult, EnterResult, JudgeResult, Origin, ResultRecorded, Suspicion
from tests.control.room import Room
from tests.event.evenings import SESSION, entry

# North-South make ten tricks in spades and little else; East-West the rest.
TRICKS = Tricks.parse("7a7677a7675357653576")


def test_plain_results_raise_no_doubt() -> None:
    for text in ("4SN=", "4SN-1", "3SS+1", "Pass", "NP", "60-40", "Arbitral"):
        assert doubts(Outcome.parse(text), TRICKS) == ()
    assert doubts(Outcome.parse("7NTW=")) == ()


def test_far_from_double_dummy() -> None:
    assert Doubt.FAR_FROM_DOUBLE_DUMMY in doubts(Outcome.parse("1NTN+6"), TRICKS)
    assert Doubt.FAR_FROM_DOUBLE_DUMMY in doubts(Outcome.parse("4SN-5"), TRICKS)
    assert Doubt.FAR_FROM_DOUBLE_DUMMY not in doubts(Outcome.parse("4SN-4"), TRICKS)


def test_a_slam_that_cannot_be_even_when_it_went_down() -> None:
    assert doubts(Outcome.parse("7SN-3"), TRICKS) == (Doubt.IMPOSSIBLE_SLAM,)
    assert doubts(Outcome.parse("6SN-2"), TRICKS) == ()


def test_four_spades_by_east_is_north_souths_contract() -> None:
    assert Doubt.WRONG_PAIR in doubts(Outcome.parse("4SE="), TRICKS)
    assert Doubt.WRONG_PAIR not in doubts(Outcome.parse("2SE-3"), TRICKS)


def test_trumps_and_the_lead_are_counted_in_the_deal() -> None:
    deal = Deal.dealt_by(random.Random(1))
    held = next(iter(deal[Seat.EAST])).value
    other = next(iter(deal[Seat.WEST])).value
    assert Doubt.LEAD_NOT_HELD not in doubts(Outcome.parse("1NTN="), deal=deal, lead=held)
    assert Doubt.LEAD_NOT_HELD in doubts(Outcome.parse("1NTN="), deal=deal, lead=other)
    few = Deal.parse("N:AKQJT98765432... .AKQJT98765432.. ..AKQJT98765432. ...AKQJT98765432")
    assert Doubt.NO_TRUMPS in doubts(Outcome.parse("2HN="), deal=few)
    assert Doubt.NO_TRUMPS not in doubts(Outcome.parse("2SN="), deal=few)


def _standing(room: Room) -> ResultRecorded:
    return room.view.session.results.standing["A", 1, 1, 1]


def test_the_director_confirms_and_a_correction_starts_again() -> None:
    room = Room()
    deal = Deal.dealt_by(random.Random(1))
    room.do(PutHandRecords(SESSION, (HandRecord(1, 1, deal, TRICKS),)))
    room.do(EnterResult(SESSION, entry(1, 1, 1, "4SE=")))
    command = judge(room.view.session, _standing(room))
    assert command == JudgeResult(SESSION, "A", 1, 1, 1, Suspicion.SUSPICIOUS)
    room.do(command)
    assert judge(room.view.session, _standing(room)) is None
    room.do(JudgeResult(SESSION, "A", 1, 1, 1, Suspicion.CONFIRMED))
    assert judge(room.view.session, _standing(room)) is None
    room.do(CorrectResult(SESSION, entry(1, 1, 1, "7NTE="), Origin.DESK))
    assert judge(room.view.session, _standing(room)) is not None
    room.do(CorrectResult(SESSION, entry(1, 1, 1, "NP"), Origin.DESK))
    assert judge(room.view.session, _standing(room)) is None
