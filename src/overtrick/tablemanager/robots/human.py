"""A person at the terminal who sits in for a robot. Knows no terminal: how to say and to ask is given."""

from collections.abc import Callable

from overtrick.bridge import Call, Card, Hand, PassedOut, Played, parse_call
from overtrick.bridge.card import SUITS_FROM_SPADES
from overtrick.errors import BadInput
from overtrick.tablemanager.alerts import is_marked, operators_alert
from overtrick.tablemanager.conversation import Course
from overtrick.tablemanager.player import View


class Human:
    """Shows what the seat knows and asks for a call or a card until it is a legal one."""

    def __init__(self, say: Callable[[str], object], ask: Callable[[str], str]) -> None:
        self._say = say
        self._ask = ask
        self._last: Course | None = None

    def choose_call(self, view: View) -> Call | tuple[Call, str]:
        """A call; what follows it is its alert."""
        course = view.course
        self._tell_last(course)
        self._say(f"Board {course.board}, vulnerable: {course.vulnerability.value}. {course.auction}")
        for place, tail in sorted(view.tails.items()):
            if is_marked(tail):
                self._say(
                    f"  {course.auction.calls[place]} by {course.auction.caller(place).title}: {plain(tail)}"
                )
        self._say(f"{view.seat.title}: {show_hand(view.hand)}")
        while True:
            word, _, words = self._ask("Your call").strip().partition(" ")
            try:
                call = parse_call(word)
            except BadInput as fault:
                self._say(fault.sentence)
                continue
            fault_found = course.auction.fault(call)
            if fault_found is None:
                return (call, operators_alert(words)) if words.strip() else call
            self._say(f"{call} is not legal: {fault_found}.")

    def choose_card(self, view: View) -> Card:
        """A card of the hand whose turn it is."""
        play = view.course.play
        assert play is not None
        turn = play.turn
        assert turn is not None
        self._tell_last(view.course)
        winners, played = play.winners(), play.current
        if winners:
            cards = " ".join(card.symbol for card in play.tricks[len(winners) - 1].cards)
            self._say(f"Trick {len(winners)}: {cards}, won by {winners[-1].title}")
        self._say(
            f"{play.contract}, trick {len(winners) + 1}: "
            + (" ".join(card.symbol for card in played.cards) if played else "to lead")
        )
        dummy = play.hands.get(play.dummy)
        if dummy is not None and play.tricks and view.seat is not play.dummy:
            rest = dummy - Hand(play.cards)
            self._say(f"Dummy: {show_hand(rest)}")
        self._say(f"{view.seat.title}: {show_hand(view.hand - Hand(play.cards))}")
        while True:
            try:
                card = Card.parse(self._ask(f"{turn.title}'s card"))
            except BadInput as fault:
                self._say(fault.sentence)
                continue
            fault_found = play.fault(card)
            if fault_found is None:
                return card
            self._say(f"{card.symbol} is not legal: {fault_found}.")

    def _tell_last(self, course: Course) -> None:
        """Say how the board before came out, as far as this seat has heard."""
        last, self._last = self._last, course
        if last is None or last is course or not last.is_over:
            return
        play = last.play
        outcome = Played(play.contract, play.tricks_won(play.contract.side)) if play else PassedOut()
        self._say(f"Board {last.board}: {outcome}")


def plain(words: str) -> str:
    """What another player wrote, without what a terminal would obey.

    >>> plain("Alert. 5+ hearts\\x1b[2J")
    'Alert. 5+ hearts?[2J'
    """
    return "".join(character if character.isprintable() else "?" for character in words)


def show_hand(hand: Hand) -> str:
    """A hand with the symbols of the suits.

    >>> show_hand(Hand.parse("AK.QJ5..T9"))
    '♠AK ♥QJ5 ♦- ♣T9'
    """
    return " ".join(
        suit.symbol + ("".join(rank.letter for rank in hand.suit(suit)) or "-") for suit in SUITS_FROM_SPADES
    )
