import random

import pytest

from overtrick.bridge import (
    SEATS,
    Auction,
    BadDeal,
    Card,
    Contract,
    Deal,
    Outcome,
    PassedOut,
    Play,
    Seat,
    Strain,
    Tricks,
    Vulnerability,
    parse_call,
)
from overtrick.bridge.pbn import Game, RecordedAuction, RecordedCall, RecordedCard, RecordedPlay
from overtrick.errors import BadInput

DEAL = Deal.dealt_by(random.Random(5))


def game(**tags: str) -> Game:
    return Game(tags)


def test_of_board_writes_tags_that_are_read_back() -> None:
    tricks = Tricks.parse("65562655627777b7777b")
    written = Game.of_board(12, DEAL, outcome=Outcome.parse("3NTE-2"), tricks=tricks, tags={"Event": "Club"})  # type: ignore[arg-type]
    assert written.board == 12
    assert written.dealer is Seat.WEST
    assert written.vulnerability is Vulnerability.NS
    assert written.deal == DEAL
    assert written.tags["Deal"].startswith("W:")
    assert str(written.outcome) == "3NTE-2"
    assert written.ns_score == 100
    assert written.tricks == tricks
    assert Game.of_board(1, outcome=PassedOut()).outcome == PassedOut()
    assert Game.of_board(1).outcome is None


@pytest.mark.parametrize(
    ("result", "outcome"),
    [
        ("9", "4SN-1"),
        ("^9", "4SN-1"),
        ("NS 11", "4SN+1"),
        ("EW 3", "4SN="),
        ("EW 2 NS 11", "4SN+1"),
        ("NS 9 EW 4", "4SN-1"),
    ],
)
def test_result_in_every_notation_is_read(result: str, outcome: str) -> None:
    assert str(game(Contract="4S", Declarer="N", Result=result).outcome) == outcome


@pytest.mark.parametrize(
    ("score", "ns"), [("420", -420), ("-50", 50), ("NS 100", 100), ("EW 100", -100), ("EW -50 NS 50", 50)]
)
def test_score_in_every_notation_is_read(score: str, ns: int) -> None:
    assert game(Declarer="E", Score=score).ns_score == ns


@pytest.mark.parametrize(
    ("tag", "value", "ask"),
    [
        ("Board", "one", "board"),
        ("Board", "0", "board"),
        ("Dealer", "Z", "dealer"),
        ("Vulnerable", "North", "vulnerability"),
        ("Deal", "N:AA... - - -", "hands"),
        ("Deal", "N:A... A... - -", "hands"),
        ("Contract", "8S", "contract"),
        ("Score", "a lot", "ns_score"),
        ("DoubleDummyTricks", "123", "tricks"),
    ],
)
def test_tag_with_a_bad_value_is_refused(tag: str, value: str, ask: str) -> None:
    with pytest.raises(BadInput):
        getattr(Game({tag: value}), ask)


@pytest.mark.parametrize("result", ["14", "40%", "NS 14", "EW 14"])
def test_impossible_result_is_refused(result: str) -> None:
    with pytest.raises(BadInput, match="not a result"):
        _ = game(Contract="4S", Declarer="N", Result=result).outcome


def test_unknown_values_are_none() -> None:
    empty = Game({"Board": "?", "Result": "", "Contract": "4S", "DoubleDummyTricks": "*" * 20})
    assert empty.board is None
    assert empty.outcome is None
    assert empty.contract is None
    assert empty.deal is None
    assert empty.tricks is None
    assert empty.ns_score is None


def test_three_hands_make_a_deal_and_an_end_position_does_not() -> None:
    three = " ".join(str(DEAL[seat]) for seat in SEATS[:3])
    assert game(Deal=f"N:{three} -").deal == DEAL
    ending = game(Deal="N:A.K.. .A.K. ..A.K K...A", Contract="S")
    assert ending.deal is None
    assert len(ending.hands) == 4
    assert ending.contract is None
    with pytest.raises(BadDeal, match="is missing"):
        _ = game(Deal=f"N:{three} A...").deal


def test_auction_with_a_skipped_player_is_refused() -> None:
    auction = Auction(Seat.EAST, [parse_call(word) for word in ("1C", "P", "1S", "P")])
    record = RecordedAuction.of(auction)
    assert record.auction == auction
    assert record.ending == "+"
    with pytest.raises(BadInput, match="skipped"):
        _ = RecordedAuction(Seat.EAST, (RecordedCall(None), *record.calls)).auction


def test_columns_of_a_play_section_are_read_in_order_of_play() -> None:
    contract = Contract.parse("3NTS")
    play = Play(
        None, contract, [Card(word) for word in ("H2", "HA", "H9", "H3", "CK", "C2", "C3", "C4", "S2")]
    )
    record = RecordedPlay.of(play)
    rows = [
        [str(entry.card) if entry.card else "-" for entry in record.cards[at : at + 4]] for at in (0, 4, 8)
    ]
    # columns are West, North, East, South
    assert rows == [["H2", "HA", "H9", "H3"], ["C4", "CK", "C2", "C3"], ["-", "S2", "-", "-"]]
    assert record.play(None, contract) == play
    assert record.in_order(Strain.NOTRUMP)[-1] == (Seat.NORTH, Card.S2)
    with pytest.raises(BadInput, match="West made the opening lead"):
        record.play(None, Contract.parse("3NTN"))


def test_lead_out_of_turn_starts_the_trick() -> None:
    cards = (
        RecordedCard(Card.CA),
        RecordedCard(Card.C2),
        RecordedCard(Card.C3, out_of_turn=True),
        RecordedCard(Card.C4),
    )
    order = RecordedPlay(Seat.WEST, cards).in_order(Strain.NOTRUMP)
    assert [seat.value for seat, _ in order] == ["E", "S", "W", "N"]
