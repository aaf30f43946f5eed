"""One board at a table, from the deal to its record: course, alerts, thinking time, claim and operator's question.

Decides which message each player is due, and sends none. Has no dependency on sockets, files or clocks.
"""

from collections.abc import Iterable

from overtrick.bridge import Outcome, Played, Seat, Side
from overtrick.tablemanager.alerts import alert_text, is_marked
from overtrick.tablemanager.claims import Claim
from overtrick.tablemanager.conversation import IN_PLAY, Conversation, ConversationState, Course
from overtrick.tablemanager.messages import (
    BoardLine,
    CallMade,
    CardPlayed,
    Cards,
    LeadRequest,
    Message,
    StartOfBoard,
)
from overtrick.tablemanager.pauses import needs_pause
from overtrick.tablemanager.rules import Alerts, Board, BoardRecord, Question, TableRules
from overtrick.tablemanager.seat_table import Chair


class BoardInPlay:
    """A board in play: its course, with alerts, thinking times, remarks, claims and the operator's question."""

    def __init__(self, board: Board) -> None:
        self.board = board
        self.course = Course.of_deal(board.number, board.dealer, board.vulnerability, board.deal)
        self.tails: list[str] = []
        """The text after each call: usually its alert."""
        self.call_seconds: list[float] = []
        self.card_seconds: list[float] = []
        self.seconds: dict[Side, float] = {Side.NS: 0.0, Side.EW: 0.0}
        self.remarks: list[str] = []
        self.cards_out = False
        """True once all four players were ready for their cards."""
        self.is_recorded = False
        self.differed: set[Seat] = set()
        """The seats whose players came back and made a call or card other than the recorded one."""
        self.lead_at = 0.0
        """The time from which the table may ask for the next lead."""
        self.claims: set[tuple[Seat, int]] = set()
        """The seats that have claimed, each with the trick in which it did."""
        self.claim: Claim | None = None
        self.question: Question | None = None

    def record(self, ns: str, ew: str, outcome: Outcome, claimed_by: Seat | None) -> BoardRecord:
        """Close the board and return its record."""
        self.is_recorded = True
        self.question = self.claim = None
        course = self.course
        return BoardRecord(
            board=self.board,
            ns=ns,
            ew=ew,
            calls=course.auction.calls,
            tails=tuple(self.tails),
            cards=course.play.cards if course.play is not None else (),
            outcome=outcome,
            call_seconds=tuple(self.call_seconds),
            card_seconds=tuple(self.card_seconds),
            ns_seconds=self.seconds[Side.NS],
            ew_seconds=self.seconds[Side.EW],
            claimed_by=claimed_by,
            remarks=tuple(self.remarks),
        )

    # The next message to a player

    def next_message(
        self, chair: Chair, conversation: Conversation, everyone: Iterable[Chair], now: float
    ) -> Message | None:
        """Return the message that the table has to send to a player now; None if the table has to wait."""
        course = self.course
        if conversation.course is not course:
            if self.is_recorded:
                # A player who returns after the end of the board waits for the next one.
                conversation.course = course
                conversation.board_over()
                return None
            return StartOfBoard()
        match conversation.state:
            case ConversationState.HEAR_CARD:
                return self._next_card(conversation)
            case ConversationState.HEAR_CALL:
                return self._next_call(chair, conversation)
            case ConversationState.LEAD:
                return self._next_lead(conversation, now)
            case ConversationState.DEAL:
                return BoardLine(course.board, course.dealer, course.vulnerability)
            case ConversationState.CARDS:
                return self._next_cards(chair, everyone)
            case ConversationState.DUMMY:
                return Cards(None, course.hands[course.dummy]) if course.dummy is not None else None
        return None

    def _next_cards(self, chair: Chair, everyone: Iterable[Chair]) -> Message | None:
        # All four players must be ready before any of them gets cards.
        self.cards_out = self.cards_out or all(
            other.conversation is not None
            and other.conversation.state is ConversationState.CARDS
            and other.conversation.course is self.course
            for other in everyone
        )
        return Cards(chair.seat, self.course.hands[chair.seat]) if self.cards_out else None

    def _next_call(self, chair: Chair, conversation: Conversation) -> Message | None:
        calls, question, place = self.course.auction.calls, self.question, conversation.calls
        if place == len(calls) or (question is not None and question.place == place):
            return None
        # Only the opponents get the alert; partner gets the bare call.
        caller = conversation.caller
        tail = self.tails[place] if caller.side is not chair.seat.side else ""
        return CallMade(caller, calls[place], tail)

    def _next_lead(self, conversation: Conversation, now: float) -> Message | None:
        waits = now < self.lead_at or self.claim is not None or self.question is not None
        if waits and self.is_up_to_date(conversation):
            return None
        return LeadRequest(
            None if conversation.hand_to_play is self.course.dummy else conversation.hand_to_play
        )

    def _next_card(self, conversation: Conversation) -> Message | None:
        play, place = self.course.play, conversation.cards
        if play is None or (place == len(self.course.players) - 1 and not play.is_over):
            return None
        return CardPlayed(conversation.hand_to_play, play.tricks[place // 4].cards[place % 4])

    def is_up_to_date(self, conversation: Conversation) -> bool:
        """Return whether a player has been sent every call and card so far, and the board is not over."""
        course = self.course
        if conversation.course is not course or conversation.calls < len(course.auction.calls):
            return False
        return course.play is None or (
            conversation.cards == len(course.players) - 1 and not course.play.is_over
        )

    # Thinking time

    def start_clock(self, chair: Chair, conversation: Conversation, now: float) -> None:
        """Start the clock of a player whose turn it is, once it has been sent every call and card."""
        if chair.thinking is None and self.is_up_to_date(conversation):
            chair.thinking = chair.since = now

    def stop_clock(self, chair: Chair, now: float) -> float:
        """Stop a player's clock and return the seconds it ran."""
        if chair.thinking is None:
            return 0.0
        spent = max(0.0, now - chair.thinking)
        chair.thinking = None
        self.seconds[chair.seat.side] += spent
        return spent

    # Alerts of the operator

    def question_after(self, message: CallMade, rules: TableRules) -> Question | None:
        """Return the question for the operator after a call; None if there is none."""
        auction = self.course.auction
        place: int | None = len(auction.calls) - 1
        if rules.alerts is Alerts.END:
            needs_question, place = auction.is_over and self.course.play is not None, None
        elif alert_text(message.tail):
            needs_question = False
        elif rules.alerts is Alerts.EVERY:
            needs_question = needs_pause(
                auction, inverted_minors=rules.inverted_minors, negative_doubles=rules.negative_doubles
            )
        else:
            needs_question = rules.alerts is Alerts.MARKED and is_marked(message.tail)
        return Question(self.course.board, auction, place) if needs_question else None

    # Claims

    def why_no_claim(self, seat: Seat, conversation: Conversation) -> str | None:
        """Return the reason why a player cannot claim now; None if it can."""
        course = self.course
        is_in_play = conversation.state in IN_PLAY and not self.is_recorded
        if course.play is None or not is_in_play or conversation.calls < len(course.auction.calls):
            return "there are no tricks to claim"
        if seat is course.dummy:
            return "dummy cannot claim"
        if self.claim is not None:
            return "another claim is being answered"
        if (seat, conversation.trick) in self.claims:
            return "a player may claim once in a trick"
        return None

    def claimed_outcome(self, claim: Claim) -> Played:
        """Return the result after an accepted claim: the claimant's side wins all remaining tricks."""
        play = self.course.play
        assert play is not None
        side = play.contract.side
        is_declarers = claim.claimant.side is side
        return Played(
            play.contract, 13 - play.tricks_won(side.opponents) if is_declarers else play.tricks_won(side)
        )
