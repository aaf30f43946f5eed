import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from overtrick.bridge import (
    CALLS,
    DOUBLE,
    PASS,
    REDOUBLE,
    SEATS,
    Auction,
    Bid,
    Call,
    IllegalCall,
    Seat,
    parse_call,
)


def auction(dealer: str, calls: str) -> Auction:
    return Auction(Seat(dealer), [parse_call(word) for word in calls.split()])


@pytest.mark.parametrize(
    ("dealer", "calls", "contract"),
    [
        ("N", "1S P 4S P P P", "4SN"),
        ("N", "P 1H P 4H P P P", "4HE"),
        ("E", "1NT P 2C P 2S P 3NT P P P", "3NTE"),
        ("E", "1C P 1S P 2S P 4S P P P", "4SW"),
        # both sides named spades: the declarer is of the side that ends with it
        ("S", "1S P P 2S X P 3S P P P", "3SS"),
        ("W", "1H X XX P P 1S X P P XX P P P", "1SxxN"),
        ("N", "P P P 7NT X XX P P P", "7NTxxW"),
    ],
)
def test_finished_auction_has_contract_and_declarer(dealer: str, calls: str, contract: str) -> None:
    done = auction(dealer, calls)
    assert done.is_over
    assert done.turn is None
    assert not done.is_passed_out
    assert str(done.contract) == contract
    assert done.legal_calls() == ()


def test_four_passes_end_the_auction_without_a_contract() -> None:
    done = auction("S", "P P P P")
    assert done.is_over
    assert done.is_passed_out
    assert done.contract is None
    assert not auction("S", "P P P").is_over


@pytest.mark.parametrize(
    ("calls", "call", "why"),
    [
        ("1S", "1S", "not higher than 1S"),
        ("1S", "1H", "not higher"),
        ("", "X", "no bid to double"),
        ("P", "X", "no bid to double"),
        ("1S P", "X", "same side"),
        ("1S X", "X", "same side"),
        ("1S X P", "X", "doubled already"),
        ("1S", "XX", "no double"),
        ("1S X P", "XX", "same side"),
        ("1S X 2C", "XX", "no double"),
        ("1S X XX", "X", "doubled already"),
        ("1S X XX P", "XX", "no double"),
        ("1S P P P", "P", "over"),
        ("P P P P", "1C", "over"),
    ],
)
def test_illegal_call_is_refused_with_the_reason(calls: str, call: str, why: str) -> None:
    standing = auction("N", calls)
    assert not standing.is_legal(parse_call(call))
    with pytest.raises(IllegalCall, match=why):
        standing.add(parse_call(call))


@given(st.sampled_from(SEATS), st.data())
def test_any_sequence_of_legal_calls_ends_with_a_contract_or_passed_out(
    dealer: Seat, data: st.DataObject
) -> None:
    standing = Auction(dealer)
    while not standing.is_over:
        turn = standing.turn
        legal = standing.legal_calls()
        assert set(legal) == {call for call in CALLS if standing.is_legal(call)}
        assert PASS in legal
        call = data.draw(st.sampled_from(legal[:6] + legal[-1:]))
        grown = standing.add(call)
        assert len(grown) == len(standing) + 1
        assert grown.turn in (turn.next if turn else None, None)
        standing = grown
    assert Auction(dealer, standing.calls) == standing
    assert pickle.loads(pickle.dumps(standing)) == standing
    bids = [(place, call) for place, call in enumerate(standing.calls) if isinstance(call, Bid)]
    contract = standing.contract
    if not bids:
        assert standing.is_passed_out
        assert contract is None
        return
    assert contract is not None
    place, last = bids[-1]
    assert (contract.level, contract.strain) == (last.level, last.strain)
    assert contract.side is standing.caller(place).side
    after: list[Call] = list(standing.calls[place:])
    assert contract.doubling == (2 if REDOUBLE in after else 1 if DOUBLE in after else 0)
    named = [standing.caller(p) for p, bid in bids if bid.strain is last.strain]
    assert contract.declarer is next(seat for seat in named if seat.side is contract.side)


def test_the_longest_auction_has_319_calls() -> None:
    standing = Auction(Seat.NORTH)
    for _ in range(3):
        standing = standing.add(PASS)
    for bid in (call for call in CALLS if isinstance(call, Bid)):
        standing = standing.add(bid)
        for call in (PASS, PASS, DOUBLE, PASS, PASS, REDOUBLE, PASS, PASS):
            standing = standing.add(call)
    standing = standing.add(PASS)
    assert standing.is_over
    assert len(standing) == 319
