import pickle
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from overtrick.bridge import SEATS, Card, Contract, Deal, Hand, IllegalCard, Play, Seat, Side, Strain, Trick
from overtrick.errors import BadInput

DEAL = Deal.parse("N:AQ7.AQJ4.6.AKJT5 86.KT2.K85.Q9742 KJT932.97.942.86 54.8653.AQJT73.3")
FOUR_SPADES = Contract.parse("4SS")


def cards(text: str) -> list[Card]:
    return [Card(word) for word in text.split()]


def test_declarers_left_leads_and_winners_lead_next() -> None:
    play = Play(DEAL, FOUR_SPADES)
    assert play.leader is play.turn is Seat.WEST
    assert play.dummy is Seat.NORTH
    play = Play(DEAL, FOUR_SPADES, cards("DA D6 D8 D2 D3"))
    assert play.turn is Seat.NORTH
    assert play.tricks_won(Side.EW) == 1
    assert str(play.legal_cards()) == "AQ7.AQJ4..AKJT5"
    play = Play(DEAL, FOUR_SPADES, [*play.cards, *cards("S7 D5 D4")])
    assert play.winners() == (Seat.WEST, Seat.NORTH)
    assert play.turn is Seat.NORTH
    assert play.current is None


@pytest.mark.parametrize(
    ("played", "card", "why"),
    [
        ("", "SA", "West does not hold it"),
        ("DA", "S7", "North can follow to the diamonds"),
        ("DA D6 D8 D2", "DA", "played already"),
        ("DA D6", "D2", "East does not hold it"),
    ],
)
def test_illegal_card_is_refused_with_the_reason(played: str, card: str, why: str) -> None:
    play = Play(DEAL, FOUR_SPADES, cards(played))
    assert Card(card) not in play.legal_cards()
    with pytest.raises(IllegalCard, match=why):
        play.add(Card(card))


def test_unknown_hand_may_play_any_card_that_it_can_hold() -> None:
    play = Play(None, FOUR_SPADES, cards("DA D6 D8 D2 D3 S7"))
    assert len(play.legal_cards()) == 46
    play = Play(None, FOUR_SPADES, cards("DA D6 D8 D2 D3 S7 D5 D4 C5 C2 C6 C3"))
    assert play.winners() == (Seat.WEST, Seat.NORTH, Seat.SOUTH)
    play = play.add(Card.DT).add(Card.DJ)
    with pytest.raises(IllegalCard, match="North has shown out of diamonds"):
        play.add(Card.DQ)


def test_cards_of_known_hands_are_refused_from_others() -> None:
    dummy = DEAL[Seat.NORTH]
    play = Play({Seat.SOUTH: DEAL[Seat.SOUTH]}, FOUR_SPADES, [Card.DA]).with_hand(Seat.NORTH, dummy)
    assert list(play.legal_cards()) == [Card.D6]
    play = play.add(Card.D6)
    assert len(play.legal_cards()) == 52 - 26 - 1
    with pytest.raises(IllegalCard, match="South holds it"):
        play.add(Card.D2)
    with pytest.raises(IllegalCard, match="North holds it"):
        play.add(Card.CA)


def winner_by_the_law(trick: Trick, strain: Strain) -> Seat:
    """Law 44: the highest trump, else the highest of the suit led; found by beating one card at a time."""
    best, who = trick.cards[0], trick.leader
    seat = trick.leader
    for card in trick.cards[1:]:
        seat = seat.next
        if card.suit is best.suit:
            beats = card.rank > best.rank
        else:
            beats = strain is not Strain.NOTRUMP and int(card.suit) == int(strain)
        if beats:
            best, who = card, seat
    return who


@given(st.integers(0, 10**9), st.sampled_from(Strain), st.sampled_from(SEATS))
def test_any_legal_play_ends_with_thirteen_tricks(seed: int, strain: Strain, declarer: Seat) -> None:
    chance = random.Random(seed)
    deal = Deal.dealt_by(chance)
    contract = Contract.parse(f"1{strain.letter}{declarer.value}")
    play = Play(deal, contract)
    blind = Play(None, contract)
    left = {seat: set(deal[seat]) for seat in SEATS}
    while not play.is_over:
        turn = play.turn
        assert turn is not None
        led = play.current.suit if play.current else None
        may = {card for card in left[turn] if card.suit is led} or left[turn]
        assert set(play.legal_cards()) == may
        assert may <= set(blind.legal_cards())
        card = chance.choice(sorted(may, key=str))
        left[turn].discard(card)
        play, blind = play.add(card), blind.add(card)
    assert play.turn is None
    assert play.legal_cards() == Hand()
    assert play.tricks == blind.tricks
    assert play.winners() == tuple(winner_by_the_law(trick, strain) for trick in play.tricks)
    leaders = [trick.leader for trick in play.tricks]
    assert leaders[0] is declarer.next
    assert tuple(leaders[1:]) == play.winners()[:-1]
    assert play.tricks_won(Side.NS) + play.tricks_won(Side.EW) == 13
    assert play.tricks_won(Side.NS) == sum(seat.side is Side.NS for seat in play.winners())
    assert pickle.loads(pickle.dumps(play)) == play
    with pytest.raises(IllegalCard, match="over"):
        play.add(Card.SA)


def test_trick_without_a_card_is_refused() -> None:
    with pytest.raises(BadInput):
        Trick(Seat.NORTH, ())
