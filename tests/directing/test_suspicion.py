import random

from overtrick.bridge import Deal, Outcome, Seat, Tricks
from overtrick.directing.suspicion import ResultDoubt, doubts

# North-South make ten tricks in spades and little else; East-West the rest.
TRICKS = Tricks.parse("7a7677a7675357653576")


def test_plain_results_raise_no_doubt() -> None:
    for text in ("4SN=", "4SN-1", "3SS+1", "Pass", "NP", "60-40", "Arbitral"):
        assert doubts(Outcome.parse(text), TRICKS) == ()
    assert doubts(Outcome.parse("7NTW=")) == ()


def test_result_far_from_double_dummy_is_suspicious() -> None:
    assert ResultDoubt.FAR_FROM_DOUBLE_DUMMY in doubts(Outcome.parse("1NTN+6"), TRICKS)
    assert ResultDoubt.FAR_FROM_DOUBLE_DUMMY in doubts(Outcome.parse("4SN-5"), TRICKS)
    assert ResultDoubt.FAR_FROM_DOUBLE_DUMMY not in doubts(Outcome.parse("4SN-4"), TRICKS)


def test_impossible_slam_is_suspicious_even_when_it_went_down() -> None:
    assert doubts(Outcome.parse("7SN-3"), TRICKS) == (ResultDoubt.IMPOSSIBLE_SLAM,)
    assert doubts(Outcome.parse("6SN-2"), TRICKS) == ()


def test_result_that_fits_the_opponents_raises_wrong_pair() -> None:
    assert ResultDoubt.WRONG_PAIR in doubts(Outcome.parse("4SE="), TRICKS)
    assert ResultDoubt.WRONG_PAIR not in doubts(Outcome.parse("2SE-3"), TRICKS)


def test_trumps_and_the_lead_are_counted_in_the_deal() -> None:
    deal = Deal.dealt_by(random.Random(1))
    held = next(iter(deal[Seat.EAST])).value
    other = next(iter(deal[Seat.WEST])).value
    assert ResultDoubt.LEAD_NOT_HELD not in doubts(Outcome.parse("1NTN="), deal=deal, lead=held)
    assert ResultDoubt.LEAD_NOT_HELD in doubts(Outcome.parse("1NTN="), deal=deal, lead=other)
    few = Deal.parse("N:AKQJT98765432... .AKQJT98765432.. ..AKQJT98765432. ...AKQJT98765432")
    assert ResultDoubt.NO_TRUMPS in doubts(Outcome.parse("2HN="), deal=few)
    assert ResultDoubt.NO_TRUMPS not in doubts(Outcome.parse("2SN="), deal=few)
