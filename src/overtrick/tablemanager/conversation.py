"""The state machine of the protocol: the order of messages between the table and one player, the same for both ends.

Pure: has no dependency on sockets or clocks, and sends nothing.
"""

# This file owns the state table of the protocol: which message may come next between the table and one player, and the
# state it leads to. The table runs four of these conversations, a player runs one. Nothing else decides the order.
#
# States
# ------
#
# A state is named after the message that comes next. In states of `PLAYER` the player sends it, in those of `TABLE` the
# table does; no state is in both, so it is always clear who is waiting for whom.
#
#   CONNECTING -> SEATING -> READY_TEAMS -> TEAMS -> READY_START -> START
#                    |                                               ^ |
#                    v Refused                                       | v StartOfBoard
#                  CLOSED                                            | READY_DEAL -> DEAL -> READY_CARDS -> CARDS
#                                                                    |                                       |
#                                                                    +-------- calls and cards <-- TURN -----+
#
# Calls and cards are not a fixed sequence: the player whose turn it is acts, and the others are told. So their entries
# in the tables lead to `TURN`, and `_turn` computes the next state from the course of the board:
#
#   situation                                         state
#   -----------------------------------------------   ----------------------------------------------------------------
#   a call is due, by this seat / by another one      OWN_CALL / READY_CALL -> HEAR_CALL
#   the opening lead was heard, dummy not yet seen    READY_DUMMY -> DUMMY (not for dummy itself)
#   a card is due from this hand, first of the trick  LEAD (the table asks for the lead) -> OWN_CARD
#   a card is due from this hand, later in the trick  OWN_CARD
#   a card is due from another hand                   READY_CARD -> HEAR_CARD
#   passed out, or 52 cards                           START (of the next board, or the end of the session)
#
# "This hand" is the player's own and, for declarer, dummy's too. Dummy itself only hears cards.
#
# Pace
# ----
#
# A conversation follows the course (the calls and cards of a board) at its own pace: `calls` and `cards` count what
# both ends of this conversation know, and the table may know more of the course than this player has been sent. That
# is how a player who lost its connection is sent the whole board again: a new conversation starts with both counts at
# 0 and catches up with the course, while the other three stay where they are.
#
# Exceptions to the order
# -----------------------
#
# `AT_ANY_TIME` lists what the table may send out of order once a player is seated: a board may end or restart for all
# four (a ruling, a player who came back), and the session may end. Claims are not in the tables: `claims` decides
# who has to answer, and the conversation stays where it is until the claim is decided.

from enum import Enum

from overtrick.bridge import SEATS, Auction, Call, Card, Deal, Hand, Play, Seat, Vulnerability
from overtrick.tablemanager.messages import (
    BoardLine,
    CallMade,
    CardPlayed,
    Cards,
    Connecting,
    EndOfSession,
    LeadRequest,
    Message,
    Ready,
    SeatAssignment,
    SeatRefusal,
    StartOfBoard,
    Teams,
    Timing,
    Topic,
)


class ConversationState(Enum):
    """The states of a conversation, named after what comes next."""

    # Members are singletons, so hashing by identity is correct; Enum's own hash is slower.
    __hash__ = object.__hash__

    CONNECTING = "the player asks for a seat"
    SEATING = "the table gives the seat or refuses it"
    READY_TEAMS = "the player is ready for teams"
    TEAMS = "the table names the teams"
    READY_START = "the player is ready to start"
    START = "the table starts a board or ends the session"
    READY_DEAL = "the player is ready for the deal"
    DEAL = "the table sends number, dealer and vulnerability"
    READY_CARDS = "the player is ready for its cards"
    CARDS = "the table sends the cards"
    OWN_CALL = "the player calls"
    READY_CALL = "the player is ready for another's call"
    HEAR_CALL = "the table relays the call"
    LEAD = "the table asks for the lead"
    OWN_CARD = "the player plays"
    READY_CARD = "the player is ready for another's card"
    HEAR_CARD = "the table relays the card"
    READY_DUMMY = "the player is ready for dummy"
    DUMMY = "the table sends dummy's cards"
    CLOSED = "the conversation is over"


TURN = None
"""Marker in the state table: the next state depends on whose turn it is."""

PLAYER: dict[ConversationState, dict[type[Message] | Topic, ConversationState | None]] = {
    ConversationState.CONNECTING: {Connecting: ConversationState.SEATING},
    ConversationState.READY_TEAMS: {Topic.TEAMS: ConversationState.TEAMS},
    ConversationState.READY_START: {Topic.START: ConversationState.START},
    ConversationState.READY_DEAL: {Topic.DEAL: ConversationState.DEAL},
    ConversationState.READY_CARDS: {Topic.CARDS: ConversationState.CARDS},
    ConversationState.OWN_CALL: {CallMade: TURN},
    ConversationState.READY_CALL: {Topic.BID: ConversationState.HEAR_CALL},
    ConversationState.OWN_CARD: {CardPlayed: TURN},
    ConversationState.READY_CARD: {Topic.CARD: ConversationState.HEAR_CARD},
    ConversationState.READY_DUMMY: {Topic.DUMMY: ConversationState.DUMMY},
}
"""The messages that the player may send in each state, and the states they lead to."""

DUE: dict[ConversationState, str] = {
    ConversationState.CONNECTING: "the name of its seat",
    ConversationState.READY_TEAMS: "“ready for teams”",
    ConversationState.READY_START: "“ready to start”",
    ConversationState.READY_DEAL: "“ready for deal”",
    ConversationState.READY_CARDS: "“ready for cards”",
    ConversationState.OWN_CALL: "its call",
    ConversationState.READY_CALL: "“ready for” another's bid",
    ConversationState.OWN_CARD: "its card",
    ConversationState.READY_CARD: "“ready for” another's card",
    ConversationState.READY_DUMMY: "“ready for dummy”",
}
"""A description of the message that a player has to send in each state, for error messages."""

TABLE: dict[ConversationState, dict[type[Message] | Topic, ConversationState | None]] = {
    ConversationState.SEATING: {
        SeatAssignment: ConversationState.READY_TEAMS,
        SeatRefusal: ConversationState.CLOSED,
    },
    ConversationState.TEAMS: {Teams: ConversationState.READY_START},
    ConversationState.START: {StartOfBoard: ConversationState.READY_DEAL, Timing: ConversationState.START},
    ConversationState.DEAL: {BoardLine: ConversationState.READY_CARDS},
    ConversationState.CARDS: {Cards: TURN},
    ConversationState.HEAR_CALL: {CallMade: TURN},
    ConversationState.LEAD: {LeadRequest: ConversationState.OWN_CARD},
    ConversationState.HEAR_CARD: {CardPlayed: TURN},
    ConversationState.DUMMY: {Cards: TURN},
}
"""The messages that the table may send in each state, and the states they lead to."""

AT_ANY_TIME: dict[type[Message], ConversationState] = {
    SeatRefusal: ConversationState.CLOSED,
    EndOfSession: ConversationState.CLOSED,
    StartOfBoard: ConversationState.READY_DEAL,
    Timing: ConversationState.START,
}
"""The messages that the table may send to a seated player in any state: they end or restart a board for all four."""

IN_PLAY = frozenset(
    {
        ConversationState.OWN_CALL,
        ConversationState.READY_CALL,
        ConversationState.HEAR_CALL,
        ConversationState.LEAD,
        ConversationState.OWN_CARD,
        ConversationState.READY_CARD,
        ConversationState.HEAR_CARD,
        ConversationState.READY_DUMMY,
        ConversationState.DUMMY,
    }
)
"""The states between a player's cards and the end of the board."""

NOT_STARTED = frozenset(
    {ConversationState.READY_TEAMS, ConversationState.TEAMS, ConversationState.READY_START}
)
"""The states of a seated player before its first board."""


class Course:
    """The calls and cards of a board so far, with the hands that are known: four at the table, fewer at a player."""

    __slots__ = ("auction", "board", "dealer", "dummy", "hands", "play", "players", "vulnerability")

    def __init__(
        self, board: int, dealer: Seat, vulnerability: Vulnerability, hands: dict[Seat, Hand]
    ) -> None:
        self.board = board
        self.dealer = dealer
        self.vulnerability = vulnerability
        self.hands = hands
        self.auction = Auction(dealer)
        self.play: Play | None = None
        self.dummy: Seat | None = None
        """Dummy's seat, once the auction is over."""
        self.players: list[Seat] = []
        """The hand that each card came from; the last entry is the hand that plays next, unless the play is over."""

    @classmethod
    def of_deal(cls, board: int, dealer: Seat, vulnerability: Vulnerability, deal: Deal) -> "Course":
        """Return a course whose four hands are known."""
        return cls(board, dealer, vulnerability, {seat: deal[seat] for seat in SEATS})

    @property
    def is_over(self) -> bool:
        """Return whether the board was passed out or all its cards have been played."""
        return self.auction.is_passed_out or (self.play is not None and self.play.is_over)

    def call(self, call: Call) -> None:
        """Add a call; raise IllegalCall if it is not legal."""
        self.auction = self.auction.add(call)
        contract = self.auction.contract
        if contract is not None:
            self.play = Play(self.hands, contract)
            self.dummy = contract.declarer.partner
            self.players = [contract.declarer.next]

    def card(self, card: Card) -> None:
        """Add a card of the hand whose turn it is; raise IllegalCard if it is not legal."""
        assert self.play is not None
        self.play = self.play.add(card)
        turn = self.play.turn
        if turn is not None:
            self.players.append(turn)

    def replace_call(self, call: Call) -> None:
        """Replace the last call."""
        self.auction = Auction(self.dealer, self.auction.calls[:-1])
        self.play = self.dummy = None
        self.players = []
        self.call(call)

    def replace_card(self, card: Card) -> None:
        """Replace the last card."""
        assert self.play is not None
        self.play = Play(self.play.hands, self.play.contract, self.play.cards[:-1])
        self.players = self.players[: len(self.play.cards) + 1]
        self.card(card)

    def show(self, seat: Seat, hand: Hand) -> None:
        """Add a hand that has become known, such as dummy's after the opening lead."""
        self.hands = {**self.hands, seat: hand}
        if self.play is not None:
            self.play = self.play.with_hand(seat, hand)


class Conversation:
    """The state of the exchange between the table and one player.

    >>> conversation = Conversation(Seat.NORTH)
    >>> conversation.state.name, conversation.player_may(Ready(Seat.NORTH, Topic.TEAMS))
    ('READY_TEAMS', True)
    >>> conversation.player_sent(Ready(Seat.NORTH, Topic.TEAMS)); conversation.state.name
    'TEAMS'
    """

    __slots__ = ("calls", "cards", "course", "dummy_seen", "lead_asked", "seat", "state")

    def __init__(self, seat: Seat) -> None:
        self.seat = seat
        self.state = ConversationState.READY_TEAMS
        self.course: Course | None = None
        self.calls = 0
        """The number of calls of the course that both ends know."""
        self.cards = 0
        """The number of cards of the course that both ends know."""
        self.dummy_seen = False
        self.lead_asked = False

    @property
    def waits_for_player(self) -> bool:
        """Return whether the next message is the player's."""
        return self.state in PLAYER

    @property
    def is_thinking(self) -> bool:
        """Return whether the player is to call or to play."""
        return self.state is ConversationState.OWN_CALL or self.state is ConversationState.OWN_CARD

    @property
    def trick(self) -> int:
        """Return the number of the trick that the next card belongs to."""
        return self.cards // 4 + 1

    @property
    def hand_to_play(self) -> Seat:
        """Return the seat of the hand that plays next."""
        assert self.course is not None
        return self.course.players[self.cards]

    @property
    def caller(self) -> Seat:
        """Return the seat that makes the next call."""
        assert self.course is not None
        return self.course.auction.caller(self.calls)

    def player_may(self, message: Message) -> bool:
        """Return whether the player may send this message now: the right type, about the right seat and trick."""
        allowed = PLAYER.get(self.state)
        if allowed is None:
            return False
        if not isinstance(message, Ready):
            return type(message) in allowed
        if message.topic not in allowed:
            return False
        if self.state is ConversationState.READY_CALL:
            return message.whose is self.caller
        if self.state is ConversationState.READY_CARD:
            # Programs ask for dummy's card by the seat or by the word "dummy".
            is_dummys = self.course is not None and self.hand_to_play is self.course.dummy
            is_right_hand = message.whose is self.hand_to_play or (message.whose is None and is_dummys)
            return is_right_hand and message.trick == self.trick
        return True

    def player_sent(self, message: Message) -> None:
        """Go to the next state after a message of the player; `player_may` must allow it."""
        kind = message.topic if isinstance(message, Ready) else type(message)
        self._go(PLAYER[self.state][kind], type(message))

    def table_may(self, message: Message) -> bool:
        """Return whether the table may send this message now."""
        kind = type(message)
        return kind in TABLE.get(self.state, ()) or (
            kind in AT_ANY_TIME and self.state is not ConversationState.CLOSED
        )

    def table_sent(self, message: Message) -> None:
        """Go to the next state after a message of the table; `table_may` must allow it."""
        kind = type(message)
        next_states = TABLE.get(self.state)
        if next_states is not None and kind in next_states:
            self._go(next_states[kind], kind)
        else:
            self._go(AT_ANY_TIME[kind], kind)

    def board_over(self) -> None:
        """Go to the end of the board, as after an accepted claim or a ruling."""
        self.state = ConversationState.START

    def turn_again(self) -> None:
        """Recompute the state after the last call or card was replaced."""
        self.lead_asked = False
        self.state = self._turn()

    def _go(self, state: ConversationState | None, kind: type[Message]) -> None:
        if kind is CallMade:
            self.calls += 1
        elif kind is CardPlayed:
            self.cards += 1
            self.lead_asked = False
        elif kind is StartOfBoard:
            self.calls = self.cards = 0
            self.dummy_seen = self.lead_asked = False
        elif kind is LeadRequest:
            self.lead_asked = True
        elif kind is Cards and self.state is ConversationState.DUMMY:
            self.dummy_seen = True
        self.state = state if state is not TURN else self._turn()

    def _turn(self) -> ConversationState:
        course = self.course
        assert course is not None
        auction = course.auction
        if self.calls < len(auction.calls) or not auction.is_over:
            return (
                ConversationState.OWN_CALL
                if auction.caller(self.calls) is self.seat
                else ConversationState.READY_CALL
            )
        dummy = course.dummy
        if dummy is None or self.cards == 52:
            return ConversationState.START
        if self.cards == 1 and not self.dummy_seen and self.seat is not dummy:
            return ConversationState.READY_DUMMY
        hand = course.players[self.cards]
        is_own = hand is self.seat if self.seat is not dummy else False
        if is_own or (hand is dummy and self.seat is dummy.partner):
            return (
                ConversationState.LEAD
                if self.cards % 4 == 0 and not self.lead_asked
                else ConversationState.OWN_CARD
            )
        return ConversationState.READY_CARD
