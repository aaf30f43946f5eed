import pytest
from hypothesis import given
from hypothesis import strategies as st

from overtrick.bridge import CARDS, Card, Rank, Strain, Suit
from overtrick.errors import BadInput

cards = st.sampled_from(CARDS)


def test_pack_has_52_cards_in_order() -> None:
    assert len(set(CARDS)) == len(Card) == 52
    assert CARDS[0] is Card("C2")
    assert CARDS[51] is Card("SA")


@given(cards)
def test_card_is_parsed_in_every_spelling(card: Card) -> None:
    rank = "10" if card.rank is Rank.TEN else card.rank.letter
    suit = card.suit.letter
    for text in (str(card), str(card).lower(), card.symbol, f"{suit}{rank}", f"{rank}{suit}", f" {card} "):
        assert Card.parse(text) is card
    assert Card.of(card.suit, card.rank) is card
    assert CARDS[card.index] is card
    assert Card(card.value) is card


@pytest.mark.parametrize("text", ["", "S", "S1", "SAA", "NA", "10", "S110", "AK", "SS"])
def test_text_that_is_not_a_card_is_refused(text: str) -> None:
    with pytest.raises(BadInput, match="is not a card"):
        Card.parse(text)


def test_letters_and_symbols_of_suits_strains_and_ranks() -> None:
    assert "".join(suit.letter + suit.symbol for suit in Suit) == "C♣D♦H♥S♠"
    assert [strain.letter for strain in Strain] == ["C", "D", "H", "S", "NT"]
    assert "".join(rank.letter for rank in Rank) == "23456789TJQKA"
    assert Strain.NOTRUMP.suit is None
    assert Strain.CLUBS.suit is Suit.CLUBS
    with pytest.raises(BadInput):
        Strain.parse("NO")


def test_high_card_points_of_a_suit_add_up_to_ten() -> None:
    assert sum(rank.hcp for rank in Rank) == 10


def test_unknown_card_is_a_sentence() -> None:
    with pytest.raises(BadInput, match="'AS' is not a card: write SA for the ace of spades"):
        Card("AS")


def test_suit_and_strain_print_and_format_as_their_letters() -> None:
    assert [str(suit) for suit in Suit] == ["C", "D", "H", "S"]
    assert f"3{Strain.NOTRUMP} {Strain.SPADES:>2} {Suit.HEARTS}" == "3NT  S H"
    assert [Strain.parse(str(strain)) for strain in Strain] == list(Strain)
