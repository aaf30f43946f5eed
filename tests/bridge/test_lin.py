import importlib
import random
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from overtrick.bridge import (
    SEATS,
    Auction,
    Bid,
    Deal,
    Hand,
    Outcome,
    PassedOut,
    Play,
    Played,
    Seat,
    Vulnerability,
    dealer,
)
from overtrick.bridge.lin import BadLin, CannotWriteLin, read_lin, write_lin
from overtrick.bridge.pbn import Game, RecordedAuction, RecordedCall, RecordedPlay, read_pbn, write_pbn

DEAL = Deal.parse("N:AQ7.AQJ4.6.AKJT5 86.KT2.K85.Q9742 KJT932.97.942.86 54.8653.AQJT73.3")
SOUTH_ON = (Seat.SOUTH, Seat.WEST, Seat.NORTH, Seat.EAST)


def lin_hand(hand: Hand) -> str:
    return "".join(letter + suit for letter, suit in zip("SHDC", str(hand).split("."), strict=True))


def md(deal: Deal, dealer: Seat, hands: int = 4) -> str:
    texts = [lin_hand(deal[seat]) if place < hands else "" for place, seat in enumerate(SOUTH_ON)]
    return f"md|{SOUTH_ON.index(dealer) + 1}{','.join(texts)}|"


# A board of a robot table as Bridge Base writes it: names from South, the fourth hand left out.
SINGLE = (
    "pn|jack,~~M1,~~M2,~~M3|st||"
    + md(DEAL, Seat.WEST, hands=3)
    + "rh||ah|Board 8|sv|o|mb|p|mb|1C!|an|2+ !C; forcing|mb|p|mb|1S|mb|p|mb|4S|mb|p|mb|p|mb|p|pg||"
    + "pc|DA|pc|D6|pc|D8|pc|D2|pg||pc|D3|pc|S7|pc|D5|pc|D4|pg||mc|11|pg||"
)


def test_single_board_is_read() -> None:
    (game,) = read_lin(SINGLE)
    assert game.board == 8
    assert game.deal == DEAL
    assert game.dealer is Seat.WEST
    assert game.vulnerability is Vulnerability.NONE
    assert [game.tags[seat] for seat in ("South", "West", "North", "East")] == [
        "jack",
        "~~M1",
        "~~M2",
        "~~M3",
    ]
    assert str(game.outcome) == "4SS+1"
    assert game.ns_score == 450
    assert game.auction is not None
    assert game.auction.explanation(1) == "2+ !C; forcing"
    assert game.auction.notes == {1: "2+ !C; forcing"}
    assert game.play is not None
    contract = game.contract
    assert contract is not None
    assert len(game.play.play(game.deal, contract).cards) == 8


VUGRAPH = (
    "vg|European Teams,Final,I,1,2,Norway,0,Italy,3.5|rs|4SN=,4SN+1,PASS,|"
    "pn|So,Wo,No,Eo,Sc,Wc,Nc,Ec|pg||\n"
    "qx|o1|" + md(DEAL, Seat.NORTH) + "sv|o|nt|Good evening|mb|1c|mb|ppp|pg||pc|h2|pc|h5|pg||mc|7|pg||\n"
    "qx|c1|" + md(DEAL, Seat.NORTH) + "sv|o|mb|4S*|pc|c2|pg||\n"
    "qx|o2|pn|A,B,C,D|" + md(DEAL, Seat.EAST) + "mb|p|mb|p|mb|p|mb|p|pg||\n"
    "qx|c2|st||\n"
).replace("pc|h2|pc|h5|", "pc|hK|pc|h9|pc|h3|pc|hA|")


def test_vugraph_match_is_read_with_both_rooms() -> None:
    games = read_lin(VUGRAPH)
    assert [(game.board, game.tags["Room"]) for game in games] == [
        (1, "Open"), (1, "Closed"), (2, "Open"), (2, "Closed"),
    ]  # fmt: skip
    assert [game.tags["South"] for game in games] == ["So", "Sc", "A", "Sc"]
    assert all(game.tags["Event"] == "European Teams" for game in games)
    assert all((game.tags["HomeTeam"], game.tags["VisitTeam"]) == ("Norway", "Italy") for game in games)
    assert games[0].tags["Scoring"] == "IMP"
    first, second, third, fourth = games
    assert str(first.outcome) == "1CN="
    assert first.comments[""] == ("Good evening",)
    # the passes were not written down, the play was
    assert str(second.contract) == "4SN"
    assert second.outcome is None
    assert third.outcome == PassedOut()
    # vulnerability of the board number where none is written
    assert third.vulnerability is Vulnerability.NS
    assert fourth.deal is None
    assert fourth.dealer is Seat.EAST


def test_two_boards_without_labels_are_read() -> None:
    games = read_lin(SINGLE + "\n" + SINGLE.replace("Board 8", "Board 9").replace("jack", "jill") + "\n")
    assert [(game.board, game.tags["South"]) for game in games] == [(8, "jack"), (9, "jill")]


def test_latin_1_and_utf_8_are_decoded() -> None:
    for coding in ("latin-1", "utf-8", "utf-8-sig"):
        (game,) = read_lin(SINGLE.replace("jack", "Søren").encode(coding))
        assert game.tags["South"] == "Søren"


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("mb|1S|", "mb|1Z|", "'1Z' is not a call"),
        ("mb|1S|", "mb|1C|", "not higher than 1C"),
        ("pc|D6|", "pc|S7|", "North can follow"),
        ("pc|D6|", "pc|D1|", "not a card"),
        ("mc|11|", "mc|14|", "not a number of tricks"),
        ("sv|o|", "sv|q|", "not a vulnerability"),
        ("md|2SKJT932", "md|2SKKT932", "king of spades is in one hand twice"),
        ("md|2SKJT932", "md|2SKT932", "South has 12 cards"),
        ("md|2SKJT932", "md|2XKJT932", "is not a hand"),
        ("mb|4S|mb|p|mb|p|mb|p|", "", "North, call 6"),
        ("mb|p|mb|1C!|", "", "explanation before the first call"),
    ],
)
def test_bad_word_is_refused_with_its_line(old: str, new: str, words: str) -> None:
    assert old in SINGLE
    text = "\n\n" + SINGLE.replace(old, new, 1)
    if old.startswith("mb|4S|"):
        text = text.replace("mb|1S|mb|p|", "mb|1S|mb|p|mb|x|")
    with pytest.raises(BadLin) as raised:
        read_lin(text, name="table.lin")
    assert str(raised.value).startswith("table.lin, line 3: ")
    assert words in str(raised.value)


def test_card_before_the_contract_and_call_before_the_dealer_are_refused() -> None:
    with pytest.raises(BadLin, match="before the contract is known"):
        read_lin(md(DEAL, Seat.NORTH) + "pc|DA|")
    with pytest.raises(BadLin, match="before the dealer is known"):
        read_lin("qx|x|mb|p|")


def test_text_above_the_limit_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("overtrick.bridge.lin.MAX_CHARACTERS", 10)
    with pytest.raises(BadLin, match="at most 10 are read"):
        read_lin(SINGLE)


@given(st.text(alphabet="|qxpnmdsvabcSHDC123,!-oPp \n", max_size=80))
def test_any_text_is_read_or_raises_bad_lin(text: str) -> None:
    for start in ("", md(DEAL, Seat.NORTH), md(DEAL, Seat.NORTH) + "mb|1S|"):
        try:
            games = read_lin(start + text)
        except BadLin:
            continue
        assert all(isinstance(game, Game) for game in games)


def test_text_without_a_deal_has_no_board() -> None:
    assert read_lin("") == ()
    assert read_lin("vg|a|pg||") == ()


@given(st.integers(0, 10**6))
def test_random_auction_and_play_are_read_back(seed: int) -> None:
    chance = random.Random(seed)
    deal = Deal.dealt_by(chance)
    auction = Auction(chance.choice(SEATS))
    while not auction.is_over:
        auction = auction.add(chance.choice(auction.legal_calls()[:4]))
    text = md(deal, auction.dealer, hands=chance.choice((3, 4))) + "sv|b|"
    short = {"Pass": "p", "X": "d", "XX": "r"}
    text += "".join(
        f"mb|{str(call).replace('NT', 'N') if isinstance(call, Bid) else short[str(call)]}|"
        for call in auction.calls
    )
    outcome: Outcome = PassedOut()
    if auction.contract is not None:
        play = Play(deal, auction.contract)
        while not play.is_over:
            play = play.add(chance.choice(list(play.legal_cards())))
        text += "".join(f"pc|{card}|" for card in play.cards)
        outcome = Played(auction.contract, play.tricks_won(auction.contract.side))
    (game,) = read_lin(text)
    assert game.deal == deal
    assert game.auction is not None
    assert game.auction.auction == auction
    assert game.outcome == outcome
    assert game.ns_score == outcome.ns_score(Vulnerability.ALL)
    assert read_pbn(write_pbn([game])) == (game,)


# Writing


def played_board(seed: int, calls: int, cards: int) -> Game:
    """Return a board with an auction and cards by chance; fewer cards than 52 end in a claim."""
    chance = random.Random(seed)
    board = chance.randint(1, 36)
    deal = Deal.dealt_by(chance)
    game = Game.of_board(board, deal, tags={"North": "Ann", "Event": "Cup"})
    auction = Auction(dealer(board))
    while not auction.is_over:
        legal = auction.legal_calls()
        auction = auction.add(chance.choice(legal) if len(auction.calls) < calls else legal[0])
    recorded = RecordedAuction.of(auction)
    if auction.contract is None:
        outcome: Played | PassedOut = PassedOut()
        play = None
    else:
        play = Play(deal, auction.contract)
        for _ in range(cards):
            play = play.add(chance.choice(list(play.legal_cards())))
        won = play.tricks_won(auction.contract.side)
        outcome = Played(auction.contract, won if play.is_over else chance.randint(0, 13))
    whole = Game.of_board(board, deal, outcome=outcome, tags=game.tags)
    return replace(whole, auction=recorded, play=RecordedPlay.of(play) if play and cards else None)


@given(st.integers(0, 10**6), st.integers(0, 12), st.integers(0, 52))
def test_written_board_is_read_back(seed: int, calls: int, cards: int) -> None:
    game = played_board(seed, calls, cards)
    (back,) = read_lin(write_lin([game]))
    assert (back.board, back.deal, back.dealer, back.vulnerability) == (
        game.board,
        game.deal,
        game.dealer,
        game.vulnerability,
    )
    assert back.outcome == game.outcome
    assert back.auction is not None
    assert game.auction is not None
    assert back.auction.auction == game.auction.auction
    assert (back.play is None) == (game.play is None)
    if back.play is not None and game.play is not None and back.contract is not None:
        strain = back.contract.strain
        assert back.play.in_order(strain) == game.play.in_order(strain)
    assert (back.tags["North"], back.tags["Event"]) == ("Ann", "Cup")


def test_alerts_comments_and_names_are_written() -> None:
    (game,) = read_lin("vg|A cup,Final,I,1,8,Home,0,Away,0|" + SINGLE + "nt|a comment|")
    (back,) = read_lin(write_lin([game]))
    # A board without a room is labelled as one of the open room.
    assert back.tags == {**game.tags, "Room": "Open"}
    assert back.auction == game.auction
    assert back.comments == game.comments


def test_characters_that_separate_are_replaced() -> None:
    game = Game.of_board(3, DEAL, tags={"North": "Jones, A | B", "Room": "Closed"})
    text = write_lin([game, Game.of_board(4, DEAL)]).decode()
    assert text.count("\n") == 2
    back, second = read_lin(text)
    assert (back.tags["North"], back.tags["Room"]) == ("Jones A B", "Closed")
    assert "Event" not in second.tags


@pytest.mark.parametrize(
    ("game", "words"),
    [
        (Game.of_board(5), "board 5: A board without a deal"),
        (Game({"Deal": "N:AK.QJ.T9.8 - - -"}), "record 1: A board without a deal"),
        (
            replace(Game.of_board(5, DEAL), auction=RecordedAuction(Seat.NORTH, (RecordedCall(None),), "*")),
            "board 5: A player was skipped",
        ),
    ],
)
def test_board_that_lin_cannot_say_is_refused(game: Game, words: str) -> None:
    with pytest.raises(CannotWriteLin, match=words):
        write_lin([game])


@pytest.mark.parametrize("seed", range(8))
def test_endplay_reads_what_is_written(seed: int) -> None:
    game = played_board(seed, calls=8, cards=4 * seed)
    lin = importlib.import_module("endplay.parsers.lin")
    (board,) = lin.loads(write_lin([game]).decode())
    assert board.board_num == game.board
    assert Deal.parse(board.deal.to_pbn()) == game.deal
    assert board.dealer.abbr == game.tags["Dealer"]
    assert len(board.auction) == len(game.auction.calls if game.auction else ())
    assert [str(card) for card in board.play] == [
        f"{card}".replace("S", "♠").replace("H", "♥").replace("D", "♦").replace("C", "♣")
        for _, card in (game.play.in_order(game.contract.strain) if game.play and game.contract else ())
    ]
