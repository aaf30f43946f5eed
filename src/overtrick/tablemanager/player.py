"""A player's side of the protocol: give it two functions, one that calls and one that plays. Knows no socket.

The order of messages is `conversation`'s. Here is what a player remembers of a board, when it has to think,
and how its decisions become lines.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

from overtrick.bridge import Call, Card, Hand, IllegalCall, Seat
from overtrick.bridge.play import IllegalCard
from overtrick.tablemanager.conversation import Conversation, Course, State
from overtrick.tablemanager.messages import (
    ANY_SEAT,
    VERSION,
    Answers,
    BoardLine,
    Calls,
    Cards,
    ClaimDecided,
    Claims,
    Connecting,
    Dialect,
    EndOfSession,
    Illegal,
    Message,
    Plays,
    Ready,
    Refused,
    Seated,
    StartOfBoard,
    Teams,
    Topic,
    read,
    write,
)
from overtrick.tablemanager.rules import TableError


@dataclass(slots=True)
class View:
    """What a player knows of the board in play: its seat and hand, and the course with what was shown."""

    seat: Seat
    course: Course
    hand: Hand = field(default_factory=Hand)
    tails: dict[int, str] = field(default_factory=dict)
    """What followed the opponents' calls (their alerts), by place in the auction."""

    @property
    def left(self) -> Hand:
        """What is left of the hand that the next card comes from: the player's own, or dummy's."""
        play = self.course.play
        return play.legal_cards() if play is not None else self.hand


ChooseCall = Callable[[View], Call | tuple[Call, str]]
"""Chooses a call, with the words of its alert where it has one."""

ChooseCard = Callable[[View], Card]
"""Chooses a card, from dummy's hand where dummy is to play."""

ChooseAnswer = Callable[[View, Seat, Hand], bool]
"""Accepts or rejects the claim of a seat that shows its hand."""


class Player:
    """One player, from asking for a seat to the end of the session.

    >>> from overtrick.bridge import PASS
    >>> player = Player("A", Seat.NORTH, lambda view: PASS, lambda view: next(iter(view.left)))
    >>> player.hello()
    'Connecting "A" as North using protocol version 18'
    >>> player.receive('North ("A") seated')
    ['North ready for teams']
    """

    def __init__(
        self,
        team: str,
        seat: Seat | None,
        choose_call: ChooseCall,
        choose_card: ChooseCard,
        *,
        choose_answer: ChooseAnswer | None = None,
        dialect: Dialect = Dialect.V18,
    ) -> None:
        self.team = team
        self.seat = seat
        self.dialect = dialect
        self._choose_call = choose_call
        self._choose_card = choose_card
        self._choose_answer = choose_answer or (lambda view, claimant, hand: False)
        self.talk: Conversation | None = None
        self.view: View | None = None
        self.teams: Teams | None = None
        self.boards = 0
        """How many boards were started."""
        self.is_over = False
        self._claimant: Seat | None = None

    def hello(self) -> str:
        """The line that asks for the seat."""
        return write(Connecting(self.team, self.seat.title if self.seat else ANY_SEAT, VERSION), self.dialect)

    def receive(self, line: str) -> list[str]:
        """Hear a line of the table; answers with the lines to send.

        A refusal, and a table that breaks the rules of bridge, raise TableError. What is no message, or comes
        when it cannot, is ignored.
        """
        message = read(line)
        if message is None or self.is_over:
            return []
        if isinstance(message, Refused):
            self.is_over = True
            raise TableError(f"The table gave no seat: {message.reason}")
        if isinstance(message, Seated):
            if self.talk is None:
                self.seat = message.seat
                self.talk = Conversation(message.seat)
            return self._answer()
        talk = self.talk
        if talk is None:
            return []
        if isinstance(message, EndOfSession):
            self.is_over = True
            return []
        if isinstance(message, Illegal):
            # Only legal calls and cards are sent, so the two ends no longer see the same board.
            raise TableError(f"The table says that the last {message.what} was illegal.")
        if self._is_about_claim(message, talk):
            return self._hear_claim(message, talk)
        if not talk.table_may(message) or not self._is_next(message, talk):
            return []
        self._learn(message, talk)
        talk.table_sent(message)
        return self._answer()

    def _is_next(self, message: Message, talk: Conversation) -> bool:
        """Whether a call or card is of the seat that is waited for; a repeated one is not."""
        if isinstance(message, Calls):
            return message.seat is talk.caller
        return not isinstance(message, Plays) or message.seat is talk.hand_to_play

    def _learn(self, message: Message, talk: Conversation) -> None:
        match message:
            case Teams():
                self.teams = message
            case StartOfBoard():
                self.view = talk.course = None
                self._claimant = None
                self.boards += 1
            case BoardLine(number, dealer, vulnerability):
                course = Course(number, dealer, vulnerability, {})
                talk.course = course
                self.view = View(talk.seat, course)
            case Cards(hand=hand) if self.view is not None and talk.course is not None:
                if talk.state is State.DUMMY and talk.course.dummy is not None:
                    talk.course.show(talk.course.dummy, hand)
                else:
                    self.view.hand = hand
                    talk.course.hands = {talk.seat: hand}
            case Calls(call=call, tail=tail) if self.view is not None and talk.course is not None:
                try:
                    talk.course.call(call)
                except IllegalCall as fault:
                    raise TableError(f"The table relayed an illegal call: {fault.sentence}") from None
                if tail:
                    self.view.tails[talk.calls] = tail
            case Plays(card=card) if talk.course is not None:
                try:
                    talk.course.card(card)
                except IllegalCard as fault:
                    raise TableError(f"The table relayed an illegal card: {fault.sentence}") from None

    def _answer(self) -> list[str]:
        """What the player has to say now."""
        lines = []
        talk = self.talk
        while talk is not None and talk.waits_for_player:
            message = self._decide(talk)
            talk.player_sent(message)
            lines.append(write(message, self.dialect))
        return lines

    def _decide(self, talk: Conversation) -> Message:
        seat, course, view = talk.seat, talk.course, self.view
        match talk.state:
            case State.READY_TEAMS:
                return Ready(seat, Topic.TEAMS)
            case State.READY_START:
                return Ready(seat, Topic.START)
            case State.READY_DEAL:
                return Ready(seat, Topic.DEAL)
            case State.READY_CARDS:
                return Ready(seat, Topic.CARDS)
            case State.READY_CALL:
                return Ready(seat, Topic.BID, talk.caller)
            case State.READY_DUMMY:
                return Ready(seat, Topic.DUMMY)
            case State.READY_CARD:
                hand = talk.hand_to_play
                # The document has dummy alone say "dummy's"; everyone may.
                is_own = course is not None and hand is course.dummy and seat is hand
                return Ready(seat, Topic.CARD, None if is_own else hand, talk.trick)
        assert course is not None
        assert view is not None
        if talk.state is State.OWN_CALL:
            chosen = self._choose_call(view)
            call, alert = chosen if isinstance(chosen, tuple) else (chosen, "")
            course.call(call)
            return Calls(seat, call, alert)
        hand = talk.hand_to_play
        card = self._choose_card(view)
        course.card(card)
        return Plays(hand, card)

    def _is_about_claim(self, message: Message, talk: Conversation) -> bool:
        if isinstance(message, Claims | ClaimDecided):
            return True
        return isinstance(message, Cards) and message.seat is self._claimant is not None

    def _hear_claim(self, message: Message, talk: Conversation) -> list[str]:
        if isinstance(message, Claims):
            self._claimant = message.seat
        elif isinstance(message, ClaimDecided):
            self._claimant = None
            if message.accepted:
                talk.board_over()
        elif isinstance(message, Cards) and self._claimant is not None and self.view is not None:
            claimant, self._claimant = self._claimant, None
            if talk.course is not None and talk.course.dummy is not talk.seat:
                accepts = self._choose_answer(self.view, claimant, message.hand)
                return [write(Answers(talk.seat, claimant, accepts), self.dialect)]
        return []
