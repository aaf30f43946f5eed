"""Files of deals: DUP, and the choice between the formats by content."""

import random
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from overtrick.bridge import SEATS, Card, Deal, Rank, Suit, dealer, vulnerability
from overtrick.bridge.deal_files import read_deal_file
from overtrick.bridge.dup import BadDup, read_dup
from overtrick.bridge.lin import write_lin
from overtrick.bridge.pbn import Game, write_pbn

# Two boards as the program Big Deal 2.0 writes them (github.com/hansvanstaveren/BigDeal), and the same in its PBN.
BIG_DEAL = bytes.fromhex(
    "3034313031383234323532383239333834303435343734393530303130323131313432323233323733333336343134323434"
    "34383035303630373038303931333136323133303335333733393532064a3503543433044b513305413937353406414b3403"
    "41363504413835054b51543606543938373632035137044a3634320532065133034b4a39383204543937054a3833594e3120"
    "2030203430203032303330363133313632313235323833303334343034363439303531343135323332343236333133323336"
    "33393435343735323031303730383130313131323137313933333335343334383530064b51393203513733044b4a37054138"
    "35065403414b35343204543935320539373206413837353433034a39043836054a3634064a36035438360441513433054b51"
    "5433594e3120203020343020"
)
BIG_DEAL_PBN = (
    "N:J5.T43.KQ3.A9754 AK4.A65.A85.KQT6 T98762.Q7.J642.2 Q3.KJ982.T97.J83",
    "N:KQ92.Q73.KJ7.A85 T.AK542.T952.972 A87543.J9.86.J64 J6.T86.AQ43.KQT3",
)


def record(deal: Deal, screen: bytes = b"", last: bytes = b"YN1  1 32 ") -> bytes:
    numbers = [13 * (3 - card.suit) + 15 - card.rank for seat in SEATS[:3] for card in deal[seat]]
    return "".join(f"{number:02d}" for number in numbers).encode() + screen.ljust(68) + last


def test_file_of_big_deal_has_the_deals_of_its_pbn() -> None:
    games = read_dup(BIG_DEAL)
    assert [str(game.deal) for game in games] == [str(Deal.parse(text)) for text in BIG_DEAL_PBN]
    assert [(game.board, game.dealer, game.vulnerability) for game in games] == [
        (number, dealer(number), vulnerability(number)) for number in (1, 2)
    ]


@given(st.lists(st.integers(0, 10**9), min_size=1, max_size=5), st.integers(1, 99))
def test_deals_are_numbered_from_the_lowest_board(seeds: Sequence[int], lowest: int) -> None:
    deals = [Deal.dealt_by(random.Random(seed)) for seed in seeds]
    last = f"YN{lowest:<3}1 {lowest + len(deals):<3}".encode()
    games = read_dup(b"".join(record(deal, last=last) for deal in deals))
    assert [game.deal for game in games] == deals
    assert [game.board for game in games] == list(range(lowest, lowest + len(deals)))


DEAL = Deal.dealt_by(random.Random(7))
ONE = record(DEAL)


def test_filling_after_the_last_board_is_ignored() -> None:
    assert len(read_dup(ONE + ONE + b"\x1a\r\n")) == 2


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "1 to 1000 boards, not 0"),
        (ONE + b"0102", "4 bytes more than 1 boards"),
        (ONE[:-9] + b"Y" + ONE[-8:], "counted backwards"),
        (b"53" + ONE[2:], "board 1: 53 is not a card"),
        (b"00" + ONE[2:], "board 1: 00 is not a card"),
        (ONE + b"x" + ONE[1:], "board 2: The 78 bytes of its cards are not digits"),
        (ONE[:2] + ONE[:2] + ONE[4:], "board 1: The .* is in one hand twice"),
        (ONE[:26] + ONE[:26] + ONE[52:], "board 1: The deal is not valid"),
    ],
)
def test_bad_dup_is_refused_with_its_board(content: bytes, words: str) -> None:
    with pytest.raises(BadDup, match=words):
        read_dup(content)


def test_cards_are_counted_from_the_ace_of_spades() -> None:
    (game,) = read_dup(b"".join(f"{number:02d}".encode() for number in range(1, 40)) + b" " * 78)
    assert game.deal is not None
    assert {card.suit for card in game.deal[SEATS[0]]} == {Suit.SPADES}
    assert Card.C2 in game.deal[SEATS[3]]
    assert next(iter(game.deal[SEATS[1]])).rank is Rank.ACE


@pytest.mark.parametrize("name", ["deals.dup", "deals.txt"])
def test_the_format_is_known_by_its_content(name: str) -> None:
    games = [Game.of_board(number, DEAL) for number in (1, 2)]
    for content in (ONE + ONE, write_lin(games), b"\xef\xbb\xbf\r\n" + write_lin(games), write_pbn(games)):
        read = read_deal_file(content, name=name)
        assert [(game.board, game.deal) for game in read] == [(1, DEAL), (2, DEAL)]
