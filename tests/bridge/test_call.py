import pytest
from hypothesis import given
from hypothesis import strategies as st

from overtrick.bridge import BIDS, CALLS, DOUBLE, PASS, REDOUBLE, Bid, Call, Strain, parse_call
from overtrick.errors import BadInput


@given(st.sampled_from(CALLS))
def test_str_and_parse_of_every_call_are_inverse(call: Call) -> None:
    assert parse_call(str(call)) == call
    assert parse_call(f" {str(call).lower()} ") == call


def test_there_are_38_calls_and_bids_are_in_order() -> None:
    assert len({str(call) for call in CALLS}) == 38
    assert list(BIDS) == sorted(BIDS)
    assert (str(BIDS[0]), str(BIDS[-1])) == ("1C", "7NT")


def test_calls_in_other_spellings_are_parsed() -> None:
    assert parse_call("Dbl") is DOUBLE
    assert parse_call("rdbl") is REDOUBLE
    assert parse_call("p") is PASS
    assert parse_call("1N") == parse_call("1NT") == Bid(1, Strain.NOTRUMP)
    assert parse_call("7♥") == Bid(7, Strain.HEARTS)


@pytest.mark.parametrize("text", ["", "8C", "0NT", "C1", "1", "XXX", "1NTT", "SkipBid", "²C"])
def test_text_that_is_not_a_call_is_refused(text: str) -> None:
    with pytest.raises(BadInput, match="is not a call"):
        parse_call(text)


def test_bid_at_level_eight_is_refused() -> None:
    with pytest.raises(BadInput):
        Bid(8, Strain.CLUBS)
