"""A person who plays instead of a robot. No dependency on a terminal: `say` and `ask` are passed in."""

from collections.abc import Callable

from overtrick.bridge import Call, Card, Hand, PassedOut, Play, Played, Seat, parse_call
from overtrick.bridge.card import SUITS_FROM_SPADES
from overtrick.errors import BadInput
from overtrick.tablemanager.alerts import is_marked, operators_alert
from overtrick.tablemanager.conversation import Course
from overtrick.tablemanager.messages import Cards, ClaimDecided
from overtrick.tablemanager.player import Instead, PlayerView

CLAIM = "claim"
"""The word that a person types to claim."""

ANSWERS = {"yes": True, "y": True, "no": False, "n": False}


class Human:
    """A person who is shown what the seat may see, and asked for a call or card until a legal one is typed.

    `ask` returns the input, or None if nothing was typed yet; then the same question is asked again later.
    """

    def __init__(self, say: Callable[[str], object], ask: Callable[[str], str | None]) -> None:
        self._say = say
        self._ask = ask
        self._last: Course | None = None
        self._shown: tuple[PlayerView, int] | None = None
        """The last shown view, with its number of calls and cards."""
        self._is_help_shown = False

    def choose_call(self, view: PlayerView) -> Call | tuple[Call, str] | None:
        """Return the typed call, with any text after it as its alert; None if nothing was typed yet."""
        course = view.course
        if self._remember_if_new(view):
            self._show_auction(view)
        while (typed := self._ask("Your call")) is not None:
            word, _, alert = typed.strip().partition(" ")
            if word.lower() == CLAIM:
                self._say("You cannot claim before the auction is over.")
                continue
            try:
                call = parse_call(word)
            except BadInput as error:
                self._say(error.sentence)
                continue
            fault = course.auction.fault(call)
            if fault is None:
                return (call, operators_alert(alert)) if alert.strip() else call
            self._say(f"{call} is not legal: {fault}.")
        return None

    def choose_card(self, view: PlayerView) -> Card | Instead | None:
        """Return a card of the hand whose turn it is, or a claim."""
        play = view.course.play
        assert play is not None
        turn = play.turn
        assert turn is not None
        if self._remember_if_new(view):
            self._show_trick(view, play)
        while (typed := self._ask(f"{turn.title}'s card")) is not None:
            if typed.strip().lower() == CLAIM:
                self._say("You claim the remaining tricks.")
                return Instead.CLAIM
            try:
                card = Card.parse(typed)
            except BadInput as error:
                self._say(error.sentence)
                continue
            fault = play.fault(card)
            if fault is None:
                return card
            self._say(f"{card.symbol} is not legal: {fault}.")
        return None

    def choose_answer(self, view: PlayerView, claimant: Seat, hand: Hand) -> bool | None:
        """Return whether to accept another player's claim."""
        while (typed := self._ask(f"Do you accept {claimant.title}'s claim (yes or no)")) is not None:
            answer = ANSWERS.get(typed.strip().lower())
            if answer is not None:
                return answer
            self._say("Please answer yes or no.")
        return None

    def hear_claim(self, view: PlayerView, message: Cards | ClaimDecided) -> None:
        """Print a claim, or its outcome."""
        play = view.course.play
        if isinstance(message, Cards):
            self._say(
                f"{message.seat.title if message.seat else ''} claims the rest: {show_hand(message.hand)}"
            )
            if play is not None:
                self._show_hands(view, play)
            return
        self._shown = None
        whose = "Your" if message.claimant is view.seat else f"{message.claimant.title}'s"
        decided = "accepted" if message.accepted else "rejected"
        why = f": {plain(message.why)}" if message.why else ""
        self._say(f"{whose} claim is {decided}{why}.")
        if message.accepted and play is not None:
            side = play.contract.side
            rest = 13 - len(play.winners()) if message.claimant.side is side else 0
            self._say(f"Board {view.course.board}: {Played(play.contract, play.tricks_won(side) + rest)}")

    def _remember_if_new(self, view: PlayerView) -> bool:
        """Return whether this position has not been shown yet, and remember it as shown."""
        count = len(view.course.auction.calls) + (len(view.course.play.cards) if view.course.play else 0)
        previous, self._shown = self._shown, (view, count)
        return previous is None or previous[0] is not view or previous[1] != count

    def _show_auction(self, view: PlayerView) -> None:
        course = view.course
        self._show_last_result(course)
        self._say(f"Board {course.board}, vulnerable: {course.vulnerability.value}. {course.auction}")
        for place, tail in sorted(view.tails.items()):
            if is_marked(tail):
                self._say(
                    f"  {course.auction.calls[place]} by {course.auction.caller(place).title}: {plain(tail)}"
                )
        self._say(f"{view.seat.title}: {show_hand(view.hand)}")

    def _show_trick(self, view: PlayerView, play: Play) -> None:
        self._show_last_result(view.course)
        winners, played = play.winners(), play.current
        if winners:
            cards = " ".join(card.symbol for card in play.tricks[len(winners) - 1].cards)
            self._say(f"Trick {len(winners)}: {cards}, won by {winners[-1].title}")
        self._say(
            f"{play.contract}, trick {len(winners) + 1}: "
            + (" ".join(card.symbol for card in played.cards) if played else "to lead")
        )
        self._show_hands(view, play)
        if not self._is_help_shown:
            self._is_help_shown = True
            self._say(f'Type a card as S5 or 5S, or "{CLAIM}" to claim the remaining tricks.')

    def _show_hands(self, view: PlayerView, play: Play) -> None:
        dummy = play.hands.get(play.dummy)
        if dummy is not None and play.tricks and view.seat is not play.dummy:
            self._say(f"Dummy: {show_hand(dummy - Hand(play.cards))}")
        self._say(f"{view.seat.title}: {show_hand(view.hand - Hand(play.cards))}")

    def _show_last_result(self, course: Course) -> None:
        """Print the result of the previous board, if this seat saw its end."""
        previous, self._last = self._last, course
        if previous is None or previous is course or not previous.is_over:
            return
        play = previous.play
        outcome = Played(play.contract, play.tricks_won(play.contract.side)) if play else PassedOut()
        self._say(f"Board {previous.board}: {outcome}")


def plain(words: str) -> str:
    """Return another player's text without terminal control characters.

    >>> plain("Alert. 5+ hearts\\x1b[2J")
    'Alert. 5+ hearts?[2J'
    """
    return "".join(character if character.isprintable() else "?" for character in words)


def show_hand(hand: Hand) -> str:
    """Return a hand with suit symbols.

    >>> show_hand(Hand.parse("AK.QJ5..T9"))
    '♠AK ♥QJ5 ♦- ♣109'
    """
    return " ".join(
        suit.symbol + ("".join(rank.symbol for rank in hand.suit(suit)) or "-") for suit in SUITS_FROM_SPADES
    )
