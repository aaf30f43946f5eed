import random
import threading
from types import SimpleNamespace
from typing import Any

import pytest
from tests.tablemanager.local import play_locally

from overtrick.bridge import (
    SEATS,
    Auction,
    Card,
    Contract,
    Deal,
    Hand,
    Play,
    Seat,
    Suit,
    parse_call,
)
from overtrick.doubledummy.cards import card_tricks
from overtrick.tablemanager.alerts import read_alert
from overtrick.tablemanager.conversation import Course
from overtrick.tablemanager.matches import compare
from overtrick.tablemanager.player import Player, PlayerView
from overtrick.tablemanager.robots import natural, robot
from overtrick.tablemanager.robots.meaning import Meaning, of_alert
from overtrick.tablemanager.robots.natural import Natural, read_auction
from overtrick.tablemanager.robots.sampling import samples
from overtrick.tablemanager.rules import Board, TableRules

N, E, S, W = SEATS


def call(hand: str, auction: str = "", dealer: Seat = N) -> tuple[str, str]:
    course = Course.of_deal(1, dealer, Board.numbered(1, Deal.dealt_by(random.Random(1))).vulnerability, DEAL)
    course.auction = Auction(dealer, map(parse_call, auction.split()))
    seat = course.auction.turn
    assert seat is not None
    chosen = Natural().choose_call(PlayerView(seat, course, Hand.parse(hand)))
    return (str(chosen[0]), chosen[1]) if isinstance(chosen, tuple) else (str(chosen), "")


DEAL = Deal.dealt_by(random.Random(1))


@pytest.mark.parametrize(
    ("hand", "auction", "expected"),
    [
        ("AK32.QJ5.AT8.K32", "", "1NT"),
        ("AK432.QJ5.AT8.32", "", "1S"),
        ("AK432.AQJ54.8.32", "", "1S"),
        ("A32.KQ54.AJ87.32", "", "1D"),
        ("A32.KQ54.87.AJ32", "", "1C"),
        ("AKQ2.AKQ4.AQ.K32", "", "2C"),
        ("AKQ2.AKJ4.AQ.J32", "", "2C"),
        ("KQT987.32.Q87.32", "", "2S"),
        ("Q32.Q32.Q32.Q432", "", "Pass"),
        ("K432.QJ5.AT8.432", "1S Pass", "3S"),
        ("K432.QJ5.T87.432", "1S Pass", "2S"),
        ("KQ32.AJ5.T87.432", "1D Pass", "1S"),
        ("KQ32.AJ5.T87.432", "1NT Pass", "2C"),
        ("KJ5.AQ5.KT87.432", "1NT Pass", "3NT"),
        ("432.432.432.5432", "1NT Pass", "Pass"),
        ("KQ2.AKQ5.T8.K432", "1NT Pass 2C Pass", "2H"),
        ("AQ32.KJ32.8.KQ32", "1D", "X"),
        ("KQJ32.A32.87.432", "1D", "1S"),
        ("AKQ2.AQ32.87.A32", "Pass Pass 7C", "X"),
    ],
)
def test_natural_makes_the_call_of_its_system(hand: str, auction: str, expected: str) -> None:
    assert call(hand, auction)[0] == expected


@pytest.mark.parametrize(
    ("hand", "auction"),
    [
        ("AKQ2.AKQ4.AQ.K32", ""),
        ("KQ32.AJ5.T87.432", "1NT Pass"),
        ("KJ2.K32.AQ87.A32", "1NT Pass 2C Pass"),
        ("AQ32.KJ32.8.KQ32", "1D"),
        ("432.432.432.5432", "2C Pass"),
    ],
)
def test_artificial_call_has_an_alert_in_the_grammar_that_fits_the_hand(hand: str, auction: str) -> None:
    _, words = call(hand, auction)
    alert = read_alert(words)
    assert alert is not None
    assert alert.is_in_grammar
    assert of_alert(alert).fits(Hand.parse(hand))


def test_natural_calls_are_not_alerted() -> None:
    assert call("AK32.QJ5.AT8.K32")[1] == ""


def test_meaning_of_an_opponents_call_comes_from_its_alert() -> None:
    auction = Auction(N, [parse_call("2D")])
    meanings = read_auction(auction, {0: "Alert. at least 5 cards in spades, up to 10 total points."})
    assert meanings[N].least(Suit.SPADES) == 5
    assert meanings[N].points[1] == 10
    assert read_auction(auction)[N].least(Suit.DIAMONDS) == 6


@pytest.mark.parametrize("seed", range(20))
def test_samples_agree_with_the_visible_hands_and_the_play(seed: int) -> None:
    chance = random.Random(seed)
    deal = Deal.dealt_by(chance)
    contract = Contract.parse(chance.choice(["3NTS", "4HE", "2DW"]))
    play = Play(deal, contract)
    for _ in range(chance.randrange(1, 48)):
        play = play.add(chance.choice(list(play.legal_cards())))
    me = contract.declarer.next
    visible = Play({me: deal[me], play.dummy: deal[play.dummy]}, contract, play.cards)
    sampled = samples(visible, {seat: Meaning() for seat in SEATS}, chance)
    for _ in range(5):
        left = next(sampled)
        everything = Hand(play.cards)
        for seat in SEATS:
            assert len(left[seat]) == len(deal[seat] - Hand(play.cards))
            everything = everything | left[seat]
        assert len(everything) == 52
        assert left[me] == deal[me] - Hand(play.cards)
        # no player holds a suit in which it has shown out
        for trick in play.tricks:
            for card in trick.cards:
                if card.suit is not trick.suit:
                    assert not left[trick.player(card)].has_suit(trick.suit)


def test_samples_agree_with_the_auction() -> None:
    chance = random.Random(3)
    visible = Play({W: DEAL[W], N: DEAL[N]}, Contract.parse("4SS"), [next(iter(DEAL[W]))])
    meanings = {seat: Meaning() for seat in SEATS} | {S: Meaning.of(10, 14, {Suit.SPADES: 5})}
    sampled = samples(visible, meanings, chance, tries=400)
    fitting = [meanings[S].fits(next(sampled)[S]) for _ in range(20)]
    assert sum(fitting) >= 18


def test_card_tricks_equal_an_exhaustive_search_on_three_card_hands() -> None:
    size = 3

    def best(play: Play, side: Any) -> int:
        if sum(play.tricks_won(seat.side) for seat in (N, E)) == size:
            return play.tricks_won(side)
        turn = play.turn
        assert turn is not None
        results = [best(play.add(card), side) for card in play.legal_cards()]
        return max(results) if turn.side is side else min(results)

    chance = random.Random(8)
    for _ in range(6):
        pack = list(Card)
        chance.shuffle(pack)
        hands = {seat: Hand(pack[size * place : size * place + size]) for place, seat in enumerate(SEATS)}
        contract = Contract.parse(chance.choice(["3NTS", "4HS"]))
        play = Play(hands, contract)
        solved = card_tricks(hands, contract.strain, W)
        assert set(solved) == set(hands[W])
        for card, tricks in solved.items():
            assert tricks == best(play.add(card), W.side)


def test_natural_beats_legal_by_more_than_five_imps_a_board(monkeypatch: pytest.MonkeyPatch) -> None:
    # One sample for each card, so that the result does not depend on the speed of the machine.
    monkeypatch.setattr(natural, "MOST_SAMPLES", 1)
    chance = random.Random(21)
    boards = [Board.numbered(number, Deal.dealt_by(chance)) for number in range(1, 5)]

    def room(ns: str, ew: str) -> dict[Seat, Player]:
        players = {}
        for seat in SEATS:
            name = ns if seat in (N, S) else ew
            chooser = robot(name, 1, 60.0)
            players[seat] = Player(name, seat, chooser.choose_call, chooser.choose_card)
        return players

    rules = TableRules(trick_pause=0.0, timeout=None)
    match = compare(
        "natural",
        "legal",
        play_locally(boards, room("natural", "legal"), rules),
        play_locally(boards, room("legal", "natural"), rules),
    )
    assert match.home_imps - match.away_imps > 5 * len(boards)


def opening_lead() -> PlayerView:
    course = Course.of_deal(1, N, Board.numbered(1, DEAL).vulnerability, DEAL)
    for call in ["1NT", "Pass", "3NT", "Pass", "Pass", "Pass"]:
        course.call(parse_call(call))
    course.play = Play({E: DEAL[E]}, Contract.parse("3NTN"))
    return PlayerView(E, course, DEAL[E])


def test_natural_plays_before_a_slow_solver_has_finished_and_solves_no_more(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    may_finish = threading.Event()
    begun, finished = [], []

    def slow(*position: Any) -> dict[Card, int]:
        begun.append(position)
        may_finish.wait(30)
        finished.append(position)
        return {}

    monkeypatch.setattr(natural, "card_tricks", slow)
    try:
        cards = [Natural(1, 0.02).choose_card(opening_lead()) for _ in range(2)]
        assert finished == [], "the card was not waited for"
    finally:
        may_finish.set()
    natural._solver().submit(lambda: None).result(30)
    assert len(begun) <= 1, "neither another sample nor the second card"
    assert cards[0] in DEAL[E]
    assert cards[0] is cards[1]


@pytest.mark.parametrize(
    ("budget", "solves"), [(20.0, 1), (30.0, 2), (60.0, 3), (10_000.0, natural.MOST_SAMPLES)]
)
def test_natural_solves_samples_of_25_seconds_until_its_budget_is_used(
    monkeypatch: pytest.MonkeyPatch, budget: float, solves: int
) -> None:
    solved = []

    def solve(*position: Any) -> dict[Card, int]:
        solved.append(position)
        return {}

    monkeypatch.setattr(natural, "card_tricks", solve)
    monkeypatch.setattr(natural, "time", SimpleNamespace(monotonic=lambda: 25.0 * len(solved)))
    Natural(1, budget).choose_card(opening_lead())
    assert len(solved) == solves


def test_natural_plays_the_same_card_in_the_same_position() -> None:
    course = Course.of_deal(1, N, Board.numbered(1, DEAL).vulnerability, DEAL)
    course.auction = Auction(N, map(parse_call, ["1NT", "Pass", "3NT", "Pass", "Pass", "Pass"]))
    contract = course.auction.contract
    assert contract is not None
    play = Play(DEAL, contract)
    while len(play.cards) < 32 or play.turn is not E:
        play = play.add(next(iter(play.legal_cards())))
    course.play = Play({E: DEAL[E], S: DEAL[S]}, contract, play.cards)
    view = PlayerView(E, course, DEAL[E])
    assert len({Natural(1, 60.0).choose_card(view) for _ in range(3)}) == 1
