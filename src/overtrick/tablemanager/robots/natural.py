"""A robot that plays bridge: a simple natural system, and card play by solving sampled deals."""

import random
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache, reduce

from overtrick.bridge import PASS, SEATS, Auction, Call, Card, Hand, Seat
from overtrick.bridge.deal import FULL_PACK
from overtrick.doubledummy.cards import card_tricks
from overtrick.tablemanager.alerts import Alert, Phrase, read_alert
from overtrick.tablemanager.player import PlayerView
from overtrick.tablemanager.robots.meaning import Meaning, of_alert
from overtrick.tablemanager.robots.sampling import samples
from overtrick.tablemanager.robots.system import Option, options

MOST_SAMPLES = 40


@cache
def _solver() -> ThreadPoolExecutor:
    """Return the single solver thread: the library behind `card_tricks` is not thread-safe."""
    return ThreadPoolExecutor(1, thread_name_prefix="solver")


class Natural:
    """A player that bids by `system` and plays the card that scores best on sampled deals.

    `budget` is the time limit for a card, in seconds. If no deal is solved in time, it plays low from its longest suit.
    """

    def __init__(self, seed: int = 0, budget: float = 1.0) -> None:
        self.seed = seed
        self.budget = budget

    def choose_call(self, view: PlayerView) -> Call | tuple[Call, str]:
        """Return the first call of the system that fits the hand, alerted if it is artificial."""
        auction = view.course.auction
        candidates = options(auction, read_auction(auction, view.tails))
        for option in candidates:
            if option.meaning.fits(view.hand):
                alert = alert_of([other for other in candidates if other.call == option.call])
                return (option.call, alert) if option.is_artificial else option.call
        return PASS

    def choose_card(self, view: PlayerView) -> Card:
        """Return the card with the best mean score over the solved samples; the lowest if several are best."""
        legal = sorted(view.left, key=lambda card: card.rank)
        if len(legal) == 1:
            return legal[0]
        best_so_far = [
            min(legal, key=lambda card: (-sum(other.suit is card.suit for other in legal), card.rank))
        ]
        deadline = time.monotonic() + self.budget
        # The solver cannot be interrupted. When the time is over, it finishes in its thread and its result is ignored.
        search = _solver().submit(self._think, view, legal, deadline, best_so_far)
        try:
            search.result(timeout=self.budget)
        except TimeoutError:
            if search.done():
                search.result()
            search.cancel()
        return best_so_far[-1]

    def _think(
        self, view: PlayerView, legal: Sequence[Card], deadline: float, best_so_far: list[Card]
    ) -> None:
        """Solve samples until the time is over; after each, append the best card so far to `best_so_far`."""
        play = view.course.play
        assert play is not None
        turn = play.turn
        assert turn is not None
        contract = play.contract
        vulnerable = view.course.vulnerability.includes(contract.side)
        trick = play.current
        remaining = 13 - sum(play.tricks_won(seat.side) for seat in SEATS[:2])
        is_declaring = turn.side is contract.side
        tricks_won = play.tricks_won(contract.side)
        totals = dict.fromkeys(legal, 0)
        # A seed from the position: a player who came back must decide the same again.
        rng = random.Random(f"{self.seed} {view.hand} {len(play.cards)}")
        meanings = read_auction(view.course.auction, view.tails)
        for number, remaining_hands in enumerate(samples(play, meanings, rng), 1):
            leader = trick.leader if trick is not None else turn
            tricks_by_card = card_tricks(
                remaining_hands, contract.strain, leader, trick.cards if trick is not None else ()
            )
            for card in legal:
                own_tricks = tricks_by_card.get(card, 0)
                tricks = tricks_won + (own_tricks if is_declaring else remaining - own_tricks)
                score = contract.score(max(0, min(13, tricks)), vulnerable)
                totals[card] += score if is_declaring else -score
            best_so_far.append(max(legal, key=lambda card: (totals[card], -card.rank)))
            if number >= MOST_SAMPLES or time.monotonic() > deadline:
                break

    def choose_answer(self, view: PlayerView, claimant: Seat, hand: Hand) -> bool:
        """Return whether the claimant's side wins all remaining tricks against any defence, if all hands are known."""
        play = view.course.play
        if play is None or play.turn is None:
            return False
        played = Hand(play.cards)
        hands = {seat: cards - played for seat, cards in play.hands.items()} | {claimant: hand}
        unseen = [seat for seat in SEATS if seat not in hands]
        if len(unseen) != 1:
            return False
        hands[unseen[0]] = FULL_PACK - played - reduce(Hand.__or__, hands.values())
        trick, remaining = play.current, 13 - len(play.winners())
        trick_cards = trick.cards if trick is not None else ()
        leader = trick.leader if trick is not None else play.turn
        has_played = {trick.player(card) for card in trick_cards} if trick is not None else set()
        if any(len(hands[seat]) != remaining - (seat in has_played) for seat in SEATS):
            return False  # the claimant has seen a card that this player has not received yet
        solution = _solver().submit(card_tricks, hands, play.contract.strain, leader, trick_cards)
        best = max(solution.result().values())
        return best == (remaining if play.turn.side is claimant.side else 0)


def read_auction(auction: Auction, tails: dict[int, str] | None = None) -> dict[Seat, Meaning]:
    """Return the meaning of each player's calls so far: from its alerts, or else from our own system."""
    meanings = {seat: Meaning() for seat in SEATS}
    earlier_calls = Auction(auction.dealer)
    for place, call in enumerate(auction.calls):
        seat = auction.caller(place)
        alert = read_alert((tails or {}).get(place, ""))
        meaning = of_alert(alert) if alert is not None and alert.is_in_grammar else None
        if meaning is None or meaning == Meaning():
            candidates = [
                option.meaning for option in options(earlier_calls, meanings) if option.call == call
            ]
            meaning = reduce(Meaning.or_else, candidates) if candidates else Meaning()
        meanings[seat] = meanings[seat].and_also(meaning)
        earlier_calls = earlier_calls.add(call)
    return meanings


def alert_of(alternatives: Sequence[Option]) -> str:
    """Return the alert of a call that can mean any of these options, in the document's grammar.

    >>> from overtrick.bridge import parse_call
    >>> alert_of([Option(parse_call("2C"), Meaning.of(22), True, "Forcing for one round")])
    'Alert. at least 22 total points, Forcing for one round.'
    """
    meanings = []
    for option in alternatives:
        phrases = (Phrase(option.phrase),) if option.phrase else ()
        meanings.append((*option.meaning.statements(), *phrases))
    return str(Alert(tuple(dict.fromkeys(meanings))))
