# This file owns the state table of the protocol: which message may come next between the table and one
# player, and what it leads to. The table runs four of these conversations, a player runs one; nobody else
# decides the order.
"""The order of messages between the table and one player, the same for both ends. Knows no socket, no clock.

A conversation follows a course (the calls and cards of a board) at its own pace: the table may know more of
the course than this player has been told. That is how a player who comes back is led through the board again.
"""

from enum import Enum

from overtrick.bridge import SEATS, Auction, Call, Card, Deal, Hand, Play, Seat, Vulnerability
from overtrick.tablemanager.messages import (
    BoardLine,
    Calls,
    Cards,
    Connecting,
    EndOfSession,
    Message,
    Plays,
    Ready,
    Refused,
    Seated,
    StartOfBoard,
    Teams,
    Timing,
    ToLead,
    Topic,
)


class State(Enum):
    """Where a conversation is; named after what comes next."""

    # There is one of each, and Enum's own hash is slow.
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
    CLOSED = "nothing comes any more"


TURN = None
"""In the state table: what comes next depends on whose turn the course says it is."""

PLAYER: dict[State, dict[type[Message] | Topic, State | None]] = {
    State.CONNECTING: {Connecting: State.SEATING},
    State.READY_TEAMS: {Topic.TEAMS: State.TEAMS},
    State.READY_START: {Topic.START: State.START},
    State.READY_DEAL: {Topic.DEAL: State.DEAL},
    State.READY_CARDS: {Topic.CARDS: State.CARDS},
    State.OWN_CALL: {Calls: TURN},
    State.READY_CALL: {Topic.BID: State.HEAR_CALL},
    State.OWN_CARD: {Plays: TURN},
    State.READY_CARD: {Topic.CARD: State.HEAR_CARD},
    State.READY_DUMMY: {Topic.DUMMY: State.DUMMY},
}
"""What the player may send, and where it leads."""

DUE: dict[State, str] = {
    State.CONNECTING: "the name of its seat",
    State.READY_TEAMS: "“ready for teams”",
    State.READY_START: "“ready to start”",
    State.READY_DEAL: "“ready for deal”",
    State.READY_CARDS: "“ready for cards”",
    State.OWN_CALL: "its call",
    State.READY_CALL: "“ready for” another's bid",
    State.OWN_CARD: "its card",
    State.READY_CARD: "“ready for” another's card",
    State.READY_DUMMY: "“ready for dummy”",
}
"""What a player has to send in each of these, in words for who wrote it."""

TABLE: dict[State, dict[type[Message] | Topic, State | None]] = {
    State.SEATING: {Seated: State.READY_TEAMS, Refused: State.CLOSED},
    State.TEAMS: {Teams: State.READY_START},
    State.START: {StartOfBoard: State.READY_DEAL, Timing: State.START},
    State.DEAL: {BoardLine: State.READY_CARDS},
    State.CARDS: {Cards: TURN},
    State.HEAR_CALL: {Calls: TURN},
    State.LEAD: {ToLead: State.OWN_CARD},
    State.HEAR_CARD: {Plays: TURN},
    State.DUMMY: {Cards: TURN},
}
"""What the table may send, and where it leads."""

AT_ANY_TIME: dict[type[Message], State] = {
    Refused: State.CLOSED,
    EndOfSession: State.CLOSED,
    StartOfBoard: State.READY_DEAL,
    Timing: State.START,
}
"""What the table may send out of order once a player is seated: a board that ends or begins again for all."""

IN_PLAY = frozenset(
    {
        State.OWN_CALL,
        State.READY_CALL,
        State.HEAR_CALL,
        State.LEAD,
        State.OWN_CARD,
        State.READY_CARD,
        State.HEAR_CARD,
        State.READY_DUMMY,
        State.DUMMY,
    }
)
"""The states between a player's cards and the end of the board."""

NOT_STARTED = frozenset({State.READY_TEAMS, State.TEAMS, State.READY_START})
"""The states of a seated player that no board has been started for."""


class Course:
    """The calls and cards of a board so far, with the hands that are known here."""

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
        """Who is dummy, when there is one."""
        self.players: list[Seat] = []
        """From whose hand each card came, and (last) is to come."""

    @classmethod
    def of_deal(cls, board: int, dealer: Seat, vulnerability: Vulnerability, deal: Deal) -> "Course":
        """A course whose four hands are known."""
        return cls(board, dealer, vulnerability, {seat: deal[seat] for seat in SEATS})

    @property
    def is_over(self) -> bool:
        """Whether the board was passed out or all its cards have been played."""
        return self.auction.is_passed_out or (self.play is not None and self.play.is_over)

    def call(self, call: Call) -> None:
        """Add a legal call; an illegal one raises IllegalCall."""
        self.auction = self.auction.add(call)
        contract = self.auction.contract
        if contract is not None:
            self.play = Play(self.hands, contract)
            self.dummy = contract.declarer.partner
            self.players = [contract.declarer.next]

    def card(self, card: Card) -> None:
        """Add a legal card of the hand whose turn it is; another raises IllegalCard."""
        assert self.play is not None
        self.play = self.play.add(card)
        turn = self.play.turn
        if turn is not None:
            self.players.append(turn)

    def replace_call(self, call: Call) -> None:
        """Put a call in the place of the last one."""
        self.auction = Auction(self.dealer, self.auction.calls[:-1])
        self.play = self.dummy = None
        self.players = []
        self.call(call)

    def replace_card(self, card: Card) -> None:
        """Put a card in the place of the last one."""
        assert self.play is not None
        self.play = Play(self.play.hands, self.play.contract, self.play.cards[:-1])
        self.players = self.players[: len(self.play.cards) + 1]
        self.card(card)

    def show(self, seat: Seat, hand: Hand) -> None:
        """Learn one more hand, as dummy's is learned after the opening lead."""
        self.hands = {**self.hands, seat: hand}
        if self.play is not None:
            self.play = self.play.with_hand(seat, hand)


class Conversation:
    """Where the table and one player are in their exchange.

    >>> talk = Conversation(Seat.NORTH)
    >>> talk.state.name, talk.player_may(Ready(Seat.NORTH, Topic.TEAMS))
    ('READY_TEAMS', True)
    >>> talk.player_sent(Ready(Seat.NORTH, Topic.TEAMS)); talk.state.name
    'TEAMS'
    """

    __slots__ = ("calls", "cards", "course", "dummy_seen", "lead_asked", "seat", "state")

    def __init__(self, seat: Seat) -> None:
        self.seat = seat
        self.state = State.READY_TEAMS
        self.course: Course | None = None
        self.calls = 0
        """How many calls of the course both ends know."""
        self.cards = 0
        """How many cards of the course both ends know."""
        self.dummy_seen = False
        self.lead_asked = False

    @property
    def waits_for_player(self) -> bool:
        """Whether the next message is the player's."""
        return self.state in PLAYER

    @property
    def is_thinking(self) -> bool:
        """Whether the player is to call or to play."""
        return self.state is State.OWN_CALL or self.state is State.OWN_CARD

    @property
    def trick(self) -> int:
        """The number of the trick that the next card belongs to."""
        return self.cards // 4 + 1

    @property
    def hand_to_play(self) -> Seat:
        """From whose hand the next card comes."""
        assert self.course is not None
        return self.course.players[self.cards]

    @property
    def caller(self) -> Seat:
        """Who makes the next call."""
        assert self.course is not None
        return self.course.auction.caller(self.calls)

    def player_may(self, message: Message) -> bool:
        """Whether the player may send that now: the right kind, about the right seat and trick."""
        allowed = PLAYER.get(self.state)
        if allowed is None:
            return False
        if not isinstance(message, Ready):
            return type(message) in allowed
        if message.topic not in allowed:
            return False
        if self.state is State.READY_CALL:
            return message.of is self.caller
        if self.state is State.READY_CARD:
            # Dummy's card is asked for by either name.
            dummys = self.course is not None and self.hand_to_play is self.course.dummy
            about = message.of is self.hand_to_play or (message.of is None and dummys)
            return about and message.trick == self.trick
        return True

    def player_sent(self, message: Message) -> None:
        """Go on after a message of the player that it may send."""
        kind = message.topic if isinstance(message, Ready) else type(message)
        self._go(PLAYER[self.state][kind], type(message))

    def table_may(self, message: Message) -> bool:
        """Whether the table may send that now."""
        kind = type(message)
        return kind in TABLE.get(self.state, ()) or (kind in AT_ANY_TIME and self.state is not State.CLOSED)

    def table_sent(self, message: Message) -> None:
        """Go on after a message of the table that it may send."""
        kind = type(message)
        here = TABLE.get(self.state)
        if here is not None and kind in here:
            self._go(here[kind], kind)
        else:
            self._go(AT_ANY_TIME[kind], kind)

    def board_over(self) -> None:
        """Go to the end of the board, as after a claim that was accepted or a ruling."""
        self.state = State.START

    def turn_again(self) -> None:
        """Go where the course leads now that its last call or card is another one."""
        self.lead_asked = False
        self.state = self._turn()

    def _go(self, state: State | None, kind: type[Message]) -> None:
        if kind is Calls:
            self.calls += 1
        elif kind is Plays:
            self.cards += 1
            self.lead_asked = False
        elif kind is StartOfBoard:
            self.calls = self.cards = 0
            self.dummy_seen = self.lead_asked = False
        elif kind is ToLead:
            self.lead_asked = True
        elif kind is Cards and self.state is State.DUMMY:
            self.dummy_seen = True
        self.state = state if state is not TURN else self._turn()

    def _turn(self) -> State:
        course = self.course
        assert course is not None
        auction = course.auction
        if self.calls < len(auction.calls) or not auction.is_over:
            return State.OWN_CALL if auction.caller(self.calls) is self.seat else State.READY_CALL
        dummy = course.dummy
        if dummy is None or self.cards == 52:
            return State.START
        if self.cards == 1 and not self.dummy_seen and self.seat is not dummy:
            return State.READY_DUMMY
        hand = course.players[self.cards]
        mine = hand is self.seat if self.seat is not dummy else False
        if mine or (hand is dummy and self.seat is dummy.partner):
            return State.LEAD if self.cards % 4 == 0 and not self.lead_asked else State.OWN_CARD
        return State.READY_CARD
