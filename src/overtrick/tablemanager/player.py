"""A player's side of the protocol, given one function that calls and one that plays. No dependency on sockets.

`conversation` defines the order of messages. This module keeps the state of a board, asks the functions when the player
has to decide, and turns decisions into lines. After a lost connection, call `hello` again: the table sends the board
from its start, and the player repeats its earlier decisions without asking the functions again.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum

from overtrick.bridge import Call, Card, Hand, IllegalCall, Seat
from overtrick.bridge.play import IllegalCard
from overtrick.tablemanager.conversation import Conversation, ConversationState, Course
from overtrick.tablemanager.messages import (
    ANY_SEAT,
    VERSION,
    BoardLine,
    CallMade,
    CardPlayed,
    Cards,
    ClaimAnswer,
    ClaimDecided,
    ClaimMade,
    Connecting,
    Dialect,
    EndOfSession,
    IllegalNotice,
    Message,
    Ready,
    SeatAssignment,
    SeatRefusal,
    StartOfBoard,
    Teams,
    Topic,
    read,
    respell,
    write,
)
from overtrick.tablemanager.rules import TableError

__all__ = [
    "Instead",
    "NoSeat",
    "Player",
    "PlayerView",
]


class NoSeat(TableError):
    """An error message from the table: it refused the seat, or removed the player."""

    code = "no-seat"

    def __init__(self, sentence: str) -> None:
        super().__init__(sentence)
        # "taken" is the document's word. After a lost connection, the seat may be held by our own old connection.
        self.is_taken = "taken" in sentence.lower() or "already seated" in sentence.lower()


class Instead(Enum):
    """Decisions other than a card when it is the player's turn to play."""

    CLAIM = "claim the rest of the tricks"


@dataclass(slots=True)
class PlayerView:
    """A player's view of the board in play: its seat and hand, the calls and cards so far, and the hands it can see."""

    seat: Seat
    course: Course
    hand: Hand = field(default_factory=Hand)
    tails: dict[int, str] = field(default_factory=dict)
    """The texts after the opponents' calls (their alerts), by position in the auction."""
    alerts: dict[int, str] = field(default_factory=dict)
    """The texts after the player's own calls, by position in the auction."""

    @property
    def left(self) -> Hand:
        """Return the cards that may be played now, from the player's own hand or dummy's.

        These are the legal cards only: a hand that can follow suit has only that suit here. During the auction it is
        the whole hand. All cards that the player still holds are `view.hand - Hand(view.course.play.cards)`.
        """
        play = self.course.play
        return play.legal_cards() if play is not None else self.hand

    def is_same_board(self, other: "PlayerView") -> bool:
        """Return whether another view is of the same board with the same hand."""
        return self.course.board == other.course.board and self.hand == other.hand

    def call_after(self, other: "PlayerView") -> tuple[Call, str] | None:
        """Return the call that this view has after the auction of `other`, with its alert; None if it has none.

        Used after a lost connection: `self` is the view from before, `other` the one that is being rebuilt.
        """
        calls, other_calls = self.course.auction.calls, other.course.auction.calls
        place = len(other_calls)
        if not self.is_same_board(other) or place >= len(calls) or calls[:place] != other_calls:
            return None
        return calls[place], self.alerts.get(place, "")

    def card_after(self, other: "PlayerView") -> Card | None:
        """Return the card that this view has after the auction and cards of `other`; None if it has none."""
        own_play, other_play = self.course.play, other.course.play
        if own_play is None or other_play is None or not self.is_same_board(other):
            return None
        place = len(other_play.cards)
        is_same = (
            self.course.auction.calls == other.course.auction.calls
            and own_play.cards[:place] == other_play.cards
        )
        return own_play.cards[place] if is_same and place < len(own_play.cards) else None


ChooseCall = Callable[[PlayerView], Call | tuple[Call, str] | None]
"""A function that returns a call, with the text of its alert if it has one; None for "not decided yet" (see
`Player.go_on`)."""

ChooseCard = Callable[[PlayerView], Card | Instead | None]
"""A function that returns a card (dummy's, if declarer plays from dummy) or a claim; None for "not decided yet"."""

ChooseAnswer = Callable[[PlayerView, Seat, Hand], bool | None]
"""A function that returns whether to accept the claim of a seat that shows its hand; None for "not decided yet"."""

HearClaim = Callable[[PlayerView, Cards | ClaimDecided], object]
"""A callback for claims: the claimant's cards, and the decision."""


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
        hear_claim: HearClaim | None = None,
        dialect: Dialect = Dialect.V18,
        sends_alerts: bool = True,
    ) -> None:
        self.team = team
        self.seat = seat
        self.dialect = dialect
        self.sends_alerts = sends_alerts
        """False for tables that cannot parse text after a call."""
        self._choose_call = choose_call
        self._choose_card = choose_card
        self._choose_answer = choose_answer or (lambda view, claimant, hand: False)
        self._on_claim = hear_claim or (lambda view, message: None)
        self.conversation: Conversation | None = None
        self.view: PlayerView | None = None
        self.teams: Teams | None = None
        self.boards = 0
        """The number of boards started; a restarted board counts once."""
        self.is_over = False
        self.unreadable: str | None = None
        """The last line, if it was not a message of the protocol; for error messages."""
        self._seat_word = ""
        """The table's spelling of the seat."""
        self._last_line = ""
        self._wants_dummy_word = False
        """True if the table only accepts the word "dummy" in requests for dummy's cards."""
        self._board: int | None = None
        self._earlier_view: PlayerView | None = None
        """The view from before the connection was lost, until every decision in it has been repeated."""
        self._claimant: Seat | None = None
        """The claimant while a claim is undecided; no card is played meanwhile."""
        self._claimed_hand: Hand | None = None
        """The claimant's cards, until this player has answered the claim."""

    @property
    def progress(self) -> tuple[int, int]:
        """Return the number of boards started, and of calls and cards known of the last one."""
        conversation = self.conversation
        return self.boards, conversation.calls + conversation.cards if conversation is not None else 0

    @property
    def waits_for_table(self) -> bool:
        """Return whether the player has nothing to send before the table's next message."""
        return self.conversation is None or not (
            self.conversation.waits_for_player or self._claimed_hand is not None
        )

    def hello(self) -> str:
        """Return the line that asks for the seat, at first and after a lost connection."""
        if self._earlier_view is None:
            self._earlier_view = self.view
        self.conversation = self.view = self._claimant = self._claimed_hand = None
        return write(Connecting(self.team, self.seat.title if self.seat else ANY_SEAT, VERSION), self.dialect)

    def receive(self, line: str) -> list[str]:
        """Process a line of the table and return the lines to send.

        A refusal, or a table that breaks the rules of bridge, raises TableError. A line that is not a message, or is
        out of order, is ignored.
        """
        message = read(line)
        self.unreadable = line.strip() if message is None else None
        if message is None or self.is_over:
            return []
        if isinstance(message, SeatRefusal):
            event = "gave no seat" if self.conversation is None else "removed this player"
            raise NoSeat(f"The table {event}: {message.reason}")
        if isinstance(message, SeatAssignment):
            if self.conversation is None:
                self.seat = message.seat
                self.conversation = Conversation(message.seat)
                self._seat_word = line.split()[0]
                self._wants_dummy_word = not message.is_quoted
            return self._answer()
        conversation = self.conversation
        if conversation is None:
            return []
        if isinstance(message, EndOfSession):
            self.is_over = True
            return []
        if isinstance(message, IllegalNotice):
            # We send legal calls and cards only, so the table must have a different state of the board.
            raise TableError(f"The table says that the last {message.what} was illegal.")
        if self._is_about_claim(message, conversation):
            return self._process_claim(message, conversation)
        if isinstance(message, CallMade | CardPlayed) and self._is_corrected(message, conversation):
            return self._follow_record(message, conversation)
        if not conversation.table_may(message) or not self._is_next(message, conversation):
            self._learn_late_alert(message, conversation)
            return []
        self._learn(message, conversation)
        conversation.table_sent(message)
        return self._answer()

    def go_on(self) -> list[str]:
        """Ask the functions again for a decision that was "not yet"; return the lines to send."""
        return [] if self.is_over else self._answer()

    def _is_next(self, message: Message, conversation: Conversation) -> bool:
        """Return whether a call or card is from the seat whose turn it is; a repeated message is not."""
        if isinstance(message, CallMade):
            return message.seat is conversation.caller
        return not isinstance(message, CardPlayed) or message.seat is conversation.hand_to_play

    def _learn_late_alert(self, message: Message, conversation: Conversation) -> None:
        """Store the alert of an earlier call, which the table's operator gave at the end of the auction."""
        view = self.view
        if view is None or not isinstance(message, CallMade) or not message.tail:
            return
        auction = view.course.auction
        for place in range(conversation.calls - 1, -1, -1):
            if auction.caller(place) is message.seat and auction.calls[place] == message.call:
                view.tails[place] = message.tail
                return

    def _is_corrected(self, message: CallMade | CardPlayed, conversation: Conversation) -> bool:
        """Return whether the table replaces the call or card that the player has just sent by another one.

        That happens after a lost connection: the table's record counts, not the player's new decision.
        """
        course = conversation.course
        if course is None:
            return False
        play = course.play
        if isinstance(message, CallMade):
            calls = course.auction.calls
            is_last = (
                conversation.cards == 0
                and 0 < conversation.calls == len(calls)
                and not conversation.dummy_seen
            )
            return (
                is_last
                and message.seat is conversation.seat is course.auction.caller(conversation.calls - 1)
                and message.call != calls[-1]
            )
        if play is None or not 0 < conversation.cards == len(play.cards):
            return False
        hand = course.players[conversation.cards - 1]
        is_own = hand is conversation.seat or (hand is course.dummy and conversation.seat is hand.partner)
        is_own = is_own and conversation.seat is not course.dummy
        return is_own and message.seat is hand and message.card is not play.cards[-1]

    def _follow_record(self, message: CallMade | CardPlayed, conversation: Conversation) -> list[str]:
        course = conversation.course
        assert course is not None
        try:
            if isinstance(message, CallMade):
                course.replace_call(message.call)
            else:
                course.replace_card(message.card)
        except (IllegalCall, IllegalCard) as fault:
            raise TableError(f"The table relayed an illegal call or card: {fault.sentence}") from None
        last_line = self._last_line
        conversation.turn_again()
        answers = self._answer()
        # The next message is often the same for either call or card, and has been sent already.
        return answers[1:] if answers and answers[0] == last_line else answers

    def _learn(self, message: Message, conversation: Conversation) -> None:
        match message:
            case Teams():
                self.teams = message
            case StartOfBoard():
                if self.view is not None:
                    # A restarted or new board: earlier decisions do not count.
                    self._earlier_view = None
                self.view = conversation.course = self._claimant = self._claimed_hand = None
            case BoardLine(number, dealer, vulnerability):
                if number != self._board:
                    self._board = number
                    self.boards += 1
                course = Course(number, dealer, vulnerability, {})
                conversation.course = course
                self.view = PlayerView(conversation.seat, course)
            case Cards(hand=hand) if self.view is not None and conversation.course is not None:
                if conversation.state is ConversationState.DUMMY and conversation.course.dummy is not None:
                    conversation.course.show(conversation.course.dummy, hand)
                else:
                    self.view.hand = hand
                    conversation.course.hands = {conversation.seat: hand}
            case CallMade(call=call, tail=tail) if self.view is not None and conversation.course is not None:
                try:
                    conversation.course.call(call)
                except IllegalCall as fault:
                    raise TableError(f"The table relayed an illegal call: {fault.sentence}") from None
                if tail:
                    self.view.tails[conversation.calls] = tail
            case CardPlayed(card=card) if conversation.course is not None:
                try:
                    conversation.course.card(card)
                except IllegalCard as fault:
                    raise TableError(f"The table relayed an illegal card: {fault.sentence}") from None

    def _answer(self) -> list[str]:
        """Return the lines that the player has to send now."""
        lines = []
        conversation = self.conversation
        if self._claimed_hand is not None:
            lines += self._answer_claim()
        while conversation is not None and conversation.waits_for_player:
            message = self._decide(conversation)
            if message is None:
                break
            if not isinstance(message, ClaimMade):
                conversation.player_sent(message)
            lines.append(self._line(message))
        return lines

    def _line(self, message: Message) -> str:
        self._last_line = respell(message, write(message, self.dialect), self._seat_word)
        return self._last_line

    def _decide(self, conversation: Conversation) -> Message | None:
        seat, course, view = conversation.seat, conversation.course, self.view
        match conversation.state:
            case ConversationState.READY_TEAMS:
                return Ready(seat, Topic.TEAMS)
            case ConversationState.READY_START:
                return Ready(seat, Topic.START)
            case ConversationState.READY_DEAL:
                return Ready(seat, Topic.DEAL)
            case ConversationState.READY_CARDS:
                return Ready(seat, Topic.CARDS)
            case ConversationState.READY_CALL:
                return Ready(seat, Topic.BID, conversation.caller)
            case ConversationState.READY_DUMMY:
                return Ready(seat, Topic.DUMMY)
            case ConversationState.READY_CARD:
                hand = conversation.hand_to_play
                # In the document only dummy writes "dummy's"; bridge_env's server expects it from all players.
                is_dummys = course is not None and hand is course.dummy
                by_name = is_dummys and (seat is hand or self._wants_dummy_word)
                return Ready(seat, Topic.CARD, None if by_name else hand, conversation.trick)
        assert course is not None
        assert view is not None
        if conversation.state is ConversationState.OWN_CALL:
            return self._decide_call(conversation, course, view)
        return self._decide_card(conversation, course, view)

    def _decide_call(self, conversation: Conversation, course: Course, view: PlayerView) -> CallMade | None:
        chosen = self._earlier_view.call_after(view) if self._earlier_view is not None else None
        if chosen is None:
            self._earlier_view = None
            decision = self._choose_call(view)
            if decision is None:
                return None
            chosen = decision if isinstance(decision, tuple) else (decision, "")
        call, alert = chosen if self.sends_alerts else (chosen[0], "")
        view.alerts[len(course.auction.calls)] = alert
        course.call(call)
        return CallMade(conversation.seat, call, alert)

    def _decide_card(
        self, conversation: Conversation, course: Course, view: PlayerView
    ) -> CardPlayed | ClaimMade | None:
        if self._claimant is not None:
            return None
        hand = conversation.hand_to_play
        card = self._earlier_view.card_after(view) if self._earlier_view is not None else None
        if card is None:
            self._earlier_view = None
            decision = self._choose_card(view)
            if decision is None:
                return None
            if decision is Instead.CLAIM:
                self._claimant = conversation.seat
                return ClaimMade(conversation.seat)
            card = decision
        course.card(card)
        return CardPlayed(hand, card)

    def _is_about_claim(self, message: Message, conversation: Conversation) -> bool:
        if isinstance(message, ClaimMade | ClaimDecided):
            return True
        return isinstance(message, Cards) and message.seat is self._claimant is not None

    def _process_claim(self, message: Message, conversation: Conversation) -> list[str]:
        view = self.view
        if isinstance(message, ClaimMade):
            self._claimant = message.seat
        elif isinstance(message, Cards) and view is not None:
            self._on_claim(view, message)
            if conversation.course is not None and conversation.course.dummy is not conversation.seat:
                self._claimed_hand = message.hand
        elif isinstance(message, ClaimDecided):
            if message.claimant is self._claimant:
                self._claimant = self._claimed_hand = None
            if view is not None:
                self._on_claim(view, message)
            if message.accepted:
                conversation.board_over()
        return self._answer()

    def _answer_claim(self) -> list[str]:
        view, claimant, hand = self.view, self._claimant, self._claimed_hand
        if view is None or claimant is None or hand is None:
            return []
        accepts = self._choose_answer(view, claimant, hand)
        if accepts is None:
            return []
        self._claimed_hand = None
        return [self._line(ClaimAnswer(view.seat, claimant, accepts))]
