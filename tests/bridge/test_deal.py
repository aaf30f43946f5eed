import pickle
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from overtrick.bridge import CARDS, SEATS, BadDeal, Card, Deal, Hand, Seat, Suit
from overtrick.bridge.deal import complete, parse_hands, write_hands

hands = st.frozensets(st.sampled_from(CARDS)).map(Hand)
deals = st.integers(0, 2**64).map(lambda seed: Deal.dealt_by(random.Random(seed)))

GOOD = "N:AQ7.AQJ4.6.AKJT5 86.KT2.K85.Q9742 KJT932.97.942.86 54.8653.AQJT73.3"


@given(hands)
def test_str_parse_and_pickle_of_a_hand_are_inverse(hand: Hand) -> None:
    assert Hand.parse(str(hand)) == hand
    assert hash(Hand.parse(str(hand))) == hash(hand)
    assert pickle.loads(pickle.dumps(hand)) == hand
    assert len(list(hand)) == len(hand) == sum(hand.shape)
    assert Hand(reversed(list(hand))) == hand


@given(hands)
def test_points_of_a_hand_are_those_of_its_honours(hand: Hand) -> None:
    text = str(hand)
    assert hand.hcp == sum(
        text.count(letter) * points for letter, points in zip("AKQJ", (4, 3, 2, 1), strict=True)
    )


@given(hands, hands)
def test_union_intersection_and_difference_of_hands(one: Hand, other: Hand) -> None:
    assert set(one | other) == set(one) | set(other)
    assert set(one & other) == set(one) & set(other)
    assert set(one - other) == set(one) - set(other)


def test_cards_of_a_hand_are_in_order_of_suit_and_rank() -> None:
    hand = Hand.parse("3A.10.2K.")
    assert [str(card) for card in hand] == ["SA", "S3", "HT", "DK", "D2"]
    assert [rank.letter for rank in hand.suit(Suit.DIAMONDS)] == ["K", "2"]
    assert not hand.has_suit(Suit.CLUBS)
    assert str(hand.without(Card.DK)) == "A3.T.2."


def test_hand_and_deal_are_immutable() -> None:
    with pytest.raises(AttributeError):
        Hand.parse("A...")._mask = 0
    with pytest.raises(AttributeError):
        Deal.parse(GOOD)._hands = ()  # type: ignore[assignment]


@given(deals, st.sampled_from(SEATS))
def test_str_parse_and_pickle_of_a_deal_are_inverse(deal: Deal, first: Seat) -> None:
    assert Deal.parse(str(deal)) == deal
    assert Deal.parse(deal.written_from(first)) == deal
    assert hash(Deal.parse(str(deal))) == hash(deal)
    assert str(deal).startswith("N:")
    assert pickle.loads(pickle.dumps(deal)) == deal
    assert sum(deal[seat].hcp for seat in SEATS) == 40
    assert all(card in deal[deal.holder(card)] for card in CARDS)


@given(deals, st.sampled_from(SEATS))
def test_three_hands_are_completed_to_a_deal(deal: Deal, absent: Seat) -> None:
    known = {seat: deal[seat] for seat in SEATS if seat is not absent}
    assert complete(known) == deal
    assert parse_hands(write_hands(known, absent)) == known


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (GOOD.replace("AQ7.", "KQ7."), "the ace of spades is missing; the king of spades is with North"),
        (GOOD.replace(".3", "."), "the three of clubs is missing; West has 12 cards"),
        (GOOD.replace("Q9742", "Q97423"), "the three of clubs is with East and West; East has 14 cards"),
        (GOOD.replace("Q9742", "Q9743"), "is with East and West; the two of clubs is missing"),
        (GOOD.replace("AQ7.", "AA7."), "North: The ace of spades is in one hand twice"),
        (GOOD.replace("AQ7.", "A17."), "'1' in the spades of the hand"),
        (GOOD.replace("AQ7.", "AQ7 "), "has 5 hands instead of four"),
        (GOOD.replace("AQ7.", "AQ7.."), "has 5 suits between points"),
        (GOOD[2:], "does not say whose hand comes first"),
        ("N:- - - AQ7.AQJ4.6.AKJT5", "no hand for North and East and South"),
    ],
)  # fmt: skip
def test_bad_deal_is_refused_with_the_reason(text: str, sentence: str) -> None:
    with pytest.raises(BadDeal) as raised:
        Deal.parse(text)
    assert sentence in str(raised.value)


def test_equal_seeds_deal_equal_deals() -> None:
    assert Deal.dealt_by(random.Random(1)) == Deal.dealt_by(random.Random(1))
    assert len({Deal.dealt_by(random.Random(seed)) for seed in range(50)}) == 50
