"""The Table Manager's side of a table: lines in, outputs out. Has no dependency on sockets, files or clocks.

`conversation` defines the order of messages, and `board_in_play` handles a single board. This module handles the four
players together: seats, the next board, rulings, and players who leave and return. Every event method takes the time
and returns a list of outputs for the caller to perform. If no event happens before `deadline`, call `tick`.
"""

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import replace

from overtrick.bridge import SEATS, IllegalCall, Outcome, PassedOut, Played, Seat, Side
from overtrick.bridge.play import IllegalCard
from overtrick.tablemanager.alerts import operators_alert
from overtrick.tablemanager.board_in_play import BoardInPlay
from overtrick.tablemanager.claims import Claim
from overtrick.tablemanager.conversation import (
    DUE,
    IN_PLAY,
    NOT_STARTED,
    PLAYER,
    Conversation,
    ConversationState,
    Course,
)
from overtrick.tablemanager.messages import (
    ILLEGAL_BID,
    ILLEGAL_CARD,
    CallMade,
    CardPlayed,
    Cards,
    ClaimAnswer,
    ClaimDecided,
    ClaimMade,
    Connecting,
    EndOfSession,
    Message,
    Ready,
    SeatAssignment,
    SeatRefusal,
    StartOfBoard,
    Teams,
    Timing,
    UnclearLine,
    read,
    write,
)
from overtrick.tablemanager.rules import (
    Board,
    BoardRecorded,
    HangUp,
    LogNote,
    Output,
    Question,
    Send,
    SessionEnded,
    TableRules,
    UnfinishedBoardRuling,
    award_against,
)
from overtrick.tablemanager.seat_table import Chair, Guest
from overtrick.tablemanager.seating import SeatRefused, SeatState, seat_for

MAX_GUESTS = 64
"""The most connections without a seat at the same time."""
MAX_UNUSABLE = 200
"""The number of ignored lines of a player on one board after which it is disconnected."""

_WAITS_FOR_OTHERS = frozenset({ConversationState.TEAMS, ConversationState.START, ConversationState.CARDS})
_NEVER = float("inf")


class BridgeTable:
    """One table, from the first connection to the end of the session."""

    def __init__(
        self,
        boards: Iterable[Board],
        rules: TableRules | None = None,
        *,
        totals: Mapping[Side, float] | None = None,
        teams: Mapping[Side, str] | None = None,
    ) -> None:
        """Make a table; if `teams` has a name for a side, only that team gets its seats."""
        self.rules = rules or TableRules()
        self._teams = dict(teams or {})
        self.chairs = {seat: Chair(seat, self._teams.get(seat.side)) for seat in SEATS}
        self._all_chairs = tuple(self.chairs.values())
        self._boards = list(boards)
        self._next = 0
        self._guests: dict[Hashable, Guest] = {}
        self._by_link: dict[Hashable, Chair] = {}
        self.in_play: BoardInPlay | None = None
        """The board in play; between two boards, the last one. For reading only."""
        self.totals = {side: (totals or {}).get(side, 0.0) for side in Side}
        self.begun = False
        """True once all four players are seated and ready: from then on seats are kept for their teams."""
        self.is_over = False
        self._hang_up_at: float | None = None
        self._outputs: list[Output] = []

    @property
    def board(self) -> Board | None:
        """Return the board in play."""
        return self.in_play.board if self.in_play is not None else None

    @property
    def course(self) -> Course | None:
        """Return the calls and cards of the board in play."""
        return self.in_play.course if self.in_play is not None else None

    @property
    def question(self) -> Question | None:
        """Return the operator's pending question."""
        return self.in_play.question if self.in_play is not None else None

    @property
    def _claim(self) -> Claim | None:
        return self.in_play.claim if self.in_play is not None else None

    # Events

    def opened(self, link: Hashable, now: float, only: Seat | None = None, address: str = "") -> list[Output]:
        """Process a new connection from an address; `only` is the seat of the port, if it has one."""
        if self.is_over or len(self._guests) >= MAX_GUESTS:
            self._refuse(
                link,
                "the session is over." if self.is_over else "too many connections are waiting for a seat.",
            )
        else:
            self._guests[link] = Guest(now, only, address)
        return self._take_outputs()

    def received(self, link: Hashable, line: str, now: float) -> list[Output]:
        """Process a line of a player or a guest."""
        chair = self._by_link.get(link)
        message = read(line)
        if chair is not None:
            self._process_message(chair, message, line, now)
        elif link in self._guests:
            self._assign_seat(link, message, line, now)
        return self._take_outputs()

    def overflowed(self, link: Hashable, now: float) -> list[Output]:
        """Disconnect a player or guest that sent a line longer than the limit."""
        chair = self._by_link.get(link)
        self._log(f"{chair.seat.title if chair else 'a guest'} sent a line that is too long")
        self._refuse(link, "a line is too long.")
        self._disconnect(link, now)
        return self._take_outputs()

    def closed(self, link: Hashable, now: float) -> list[Output]:
        """Process the loss of a connection."""
        self._disconnect(link, now)
        return self._take_outputs()

    def answered(self, alerts: Mapping[int, str], now: float) -> list[Output]:
        """Process the operator's alerts, by the position of the call; empty if there is nothing to alert."""
        board = self.in_play
        if board is not None and board.question is not None:
            for place, words in sorted(alerts.items()):
                if 0 <= place < len(board.tails) and words.strip():
                    board.tails[place] = operators_alert(words)
                    self._explain(board, place)
            board.question = None
            self._end_pause(board, now)
            self._advance(now)
        return self._take_outputs()

    def _explain(self, board: BoardInPlay, place: int) -> None:
        """Send a call again, with its alert, to the opponents who got it without."""
        caller = board.course.auction.caller(place)
        message = CallMade(caller, board.course.auction.calls[place], board.tails[place])
        for chair in self._all_chairs:
            conversation = chair.conversation
            is_heard = (
                conversation is not None
                and conversation.course is board.course
                and conversation.calls > place
            )
            if is_heard and chair.seat.side is not caller.side:
                self._send(chair, message)

    def tick(self, now: float) -> list[Output]:
        """Process timeouts and pauses that are over at this time."""
        if self._hang_up_at is not None:
            if now >= self._hang_up_at:
                self._hang_up_at = None
                self._outputs += [HangUp(link) for link in (*self._by_link, *self._guests)]
            return self._take_outputs()
        for link, guest in list(self._guests.items()):
            if self.rules.greeting is not None and now >= guest.since + self.rules.greeting:
                self._refuse(link, "no request for a seat was received.")
        if not self.is_over:
            self._check_clocks(now)
        if not self.is_over:
            self._advance(now)
        return self._take_outputs()

    def stop(self, reason: str, now: float) -> list[Output]:
        """End the session early."""
        self._end(reason, now)
        return self._take_outputs()

    # Seats

    def _assign_seat(self, link: Hashable, message: Message | None, line: str, now: float) -> None:
        guest = self._guests[link]
        if not isinstance(message, Connecting):
            self._log(f"a guest sent {_for_log(line)}")
            guest.unusable += 1
            if guest.unusable >= 5:
                self._refuse(link, "no request for a seat was received.")
            return
        seats = [
            SeatState(
                chair.seat, chair.team, chair.link is not None, self._reserved_seconds(chair, guest, now)
            )
            for chair in self._all_chairs
        ]
        try:
            seat = seat_for(message, seats, guest.only)
        except SeatRefused as refusal:
            self._refuse(link, refusal.sentence)
            return
        del self._guests[link]
        chair = self.chairs[seat]
        if not self.begun:
            chair.team = None  # use the team name as this player spells it
        chair.sit_down(link, message.team, guest.address, now)
        self._by_link[link] = chair
        self._log(f'{seat.title} {"is back" if self.begun else "sits down"}: "{chair.team}"')
        self._outputs.append(Send(link, write(SeatAssignment(seat, message.team), self.rules.dialect)))

    def _reserved_seconds(self, chair: Chair, guest: Guest, now: float) -> float:
        """Return the seconds for which a lost seat is still reserved for an address other than the guest's."""
        if chair.team is None or not self.begun or guest.address == chair.address:
            return 0.0
        return max(0.0, chair.since + self.rules.reserved_for_address - now)

    def _refuse(self, link: Hashable, reason: str) -> None:
        self._guests.pop(link, None)
        self._log(f"refused: {reason}")
        self._outputs += [Send(link, write(SeatRefusal(reason), self.rules.dialect)), HangUp(link)]

    def _disconnect(self, link: Hashable, now: float) -> None:
        self._guests.pop(link, None)
        chair = self._by_link.pop(link, None)
        if chair is None:
            return
        if self.in_play is not None:
            self.in_play.stop_clock(chair, now)
        chair.link = chair.conversation = None
        chair.since = now
        if self.is_over:
            return
        self._log(f"{chair.seat.title} is gone")
        if not self.begun:
            chair.team = self._teams.get(chair.seat.side)
        claim = self._claim
        if claim is not None and (chair.seat is claim.claimant or chair.seat in claim.unanswered):
            self._decide_claim(False, now)

    # Messages of a seated player

    def _process_message(self, chair: Chair, message: Message | None, line: str, now: float) -> None:
        conversation = chair.conversation
        if conversation is None or self.is_over:
            return
        if message is None:
            self._ignore(chair, line, now)
            return
        seat = getattr(message, "seat", None)
        if seat is not chair.seat and not self._is_for_dummy(chair, message):
            self._ignore(chair, line, now)
            return
        match message:
            case Ready():
                self._process_ready(chair, conversation, message, now)
            case CallMade():
                self._process_call(chair, conversation, message, now)
            case CardPlayed():
                self._process_card(chair, conversation, message, now)
            case UnclearLine(what=what):
                self._offence(chair, what, line, now)
            case ClaimMade():
                self._process_claim(chair, conversation, now)
            case ClaimAnswer():
                self._process_claim_answer(chair, message, now)
            case _:
                self._ignore(chair, line, now)

    def _ignore(self, chair: Chair, line: str, now: float) -> None:
        self._log(f"ignored from {chair.seat.title}: {_for_log(line)}")
        chair.unusable += 1
        if chair.unusable >= MAX_UNUSABLE and chair.link is not None:
            link = chair.link
            self._refuse(link, "too many lines that could not be used.")
            self._disconnect(link, now)

    def _process_ready(self, chair: Chair, conversation: Conversation, message: Ready, now: float) -> None:
        if not conversation.player_may(message):
            chair.early_message = message
            return
        conversation.player_sent(message)
        chair.since = now
        board = self.in_play
        cards_out = board is not None and board.cards_out
        is_waiting_for_others = conversation.state in _WAITS_FOR_OTHERS
        self._send_due(chair, now)
        # If this player was the last of four to be ready, the others get their next message too.
        if (
            is_waiting_for_others
            or conversation.state is ConversationState.START
            or (board is not None and board.cards_out is not cards_out)
        ):
            self._advance(now)

    def _is_for_dummy(self, chair: Chair, message: Message) -> bool:
        play = self.course.play if self.course is not None else None
        return (
            isinstance(message, CardPlayed | UnclearLine)
            and play is not None
            and message.seat is play.dummy
            and chair.seat is play.contract.declarer
        )

    def _process_call(self, chair: Chair, conversation: Conversation, message: CallMade, now: float) -> None:
        board = self.in_play
        if (
            conversation.state is not ConversationState.OWN_CALL
            or board is None
            or conversation.course is not board.course
        ):
            self._out_of_turn(chair, conversation, message, now)
            return
        course, place = board.course, conversation.calls
        if place < len(course.auction.calls):
            call = course.auction.calls[place]
            if call != message.call:
                self._bind_to_record(board, chair, replace(message, tail=""), CallMade(chair.seat, call), now)
                return
        else:
            try:
                course.call(message.call)
            except IllegalCall as fault:
                self._offence(chair, "bid", fault.sentence, now)
                return
            board.call_seconds.append(board.stop_clock(chair, now))
            board.tails.append(message.tail)
            question = board.question_after(message, self.rules)
            if question is not None:
                board.question = question
                self._outputs.append(question)
            if course.auction.is_over:
                board.lead_at = now
                if course.play is None:
                    self._record(board, PassedOut(), now)
        self._accept(chair, conversation, message, now)

    def _process_card(
        self, chair: Chair, conversation: Conversation, message: CardPlayed, now: float
    ) -> None:
        board = self.in_play
        if (
            conversation.state is not ConversationState.OWN_CARD
            or board is None
            or conversation.course is not board.course
        ):
            self._out_of_turn(chair, conversation, message, now)
            return
        course, place = board.course, conversation.cards
        play = course.play
        assert play is not None
        if place < len(course.players) - 1 or play.is_over:
            if play.cards[place] is not message.card:
                self._bind_to_record(
                    board, chair, message, CardPlayed(conversation.hand_to_play, play.cards[place]), now
                )
                return
        else:
            if board.claim is not None:
                chair.held_card = message
                return
            # Some programs send dummy's card under declarer's own name; whose turn it is decides.
            try:
                course.card(message.card)
            except IllegalCard as fault:
                self._offence(chair, "card", fault.sentence, now)
                return
            board.card_seconds.append(board.stop_clock(chair, now))
            assert course.play is not None
            if course.play.current is None:
                board.lead_at = now + self.rules.trick_pause
            if course.play.is_over:
                contract = course.play.contract
                self._record(board, Played(contract, course.play.tricks_won(contract.side)), now)
        self._accept(chair, conversation, message, now)

    def _accept(
        self, chair: Chair, conversation: Conversation, message: CallMade | CardPlayed, now: float
    ) -> None:
        conversation.player_sent(message)
        chair.since, chair.last_action = now, message
        if chair.early_message is not None:
            chair.process_early(conversation)
        self._advance(now)

    def _out_of_turn(
        self, chair: Chair, conversation: Conversation, message: CallMade | CardPlayed, now: float
    ) -> None:
        """Ignore a repeat or a leftover from before a restart; treat anything else as illegal."""
        line = write(message, self.rules.dialect)
        if message == chair.last_action or conversation.state not in IN_PLAY:
            self._ignore(chair, line, now)
        else:
            self._offence(
                chair, "bid" if isinstance(message, CallMade) else "card", f"{line}: out of turn", now
            )

    def _offence(self, chair: Chair, what: str, why: str, now: float) -> None:
        conversation = chair.conversation
        if conversation is None or conversation.state not in IN_PLAY:
            self._ignore(chair, why, now)
            return
        chair.offences += 1
        self._log(f"illegal {what} by {chair.seat.title} ({chair.offences}): {_for_log(why)}")
        self._send(chair, ILLEGAL_BID if what == "bid" else ILLEGAL_CARD)
        if chair.offences >= self.rules.tries:
            self._adjust_board(
                chair.seat, f"{chair.seat.title} sent {chair.offences} illegal calls or cards", now
            )

    def _bind_to_record(
        self,
        board: BoardInPlay,
        chair: Chair,
        message: CallMade | CardPlayed,
        record: CallMade | CardPlayed,
        now: float,
    ) -> None:
        """Hold a player who came back to the recorded call or card: the others have already acted on it.

        The player is sent its own recorded call or card, as the others were, and has to continue from there. A program
        that cannot do that will be late or send something illegal, which leads to a ruling.
        """
        conversation, seat = chair.conversation, chair.seat.title
        assert conversation is not None
        if board.is_recorded:
            # The board is finished, so a difference does not matter any more.
            conversation.board_over()
            self._advance(now)
            return
        recorded_line, line = write(record, self.rules.dialect), write(message, self.rules.dialect)
        remark = f"{seat} came back and differed from the record: {line} instead of {recorded_line}; the record stands"
        self._log(remark)
        if chair.seat not in board.differed:
            board.differed.add(chair.seat)
            board.remarks.append(remark)
        self._send(chair, record)
        self._accept(chair, conversation, message, now)

    # Claims

    def _process_claim(self, chair: Chair, conversation: Conversation, now: float) -> None:
        board = self.in_play
        if not self.rules.claims:
            why: str | None = "claims are off at this table"
        else:
            why = (
                board.why_no_claim(chair.seat, conversation)
                if board is not None
                else "there are no tricks to claim"
            )
        play = board.course.play if board is not None else None
        if why is not None or board is None or play is None:
            # The claimant waits for an answer, so reject the claim at once if no player is asked.
            self._ignore(chair, f"{chair.seat.title} claims", now)
            self._send(chair, ClaimDecided(chair.seat, False, why or ""))
            return
        board.claims.add((chair.seat, conversation.trick))
        claim = Claim.of(chair.seat, play.contract.declarer, now)
        board.claim = claim
        if any(self.chairs[seat].conversation is None for seat in claim.unanswered):
            self._decide_claim(False, now)
            return
        self._stop_clocks(now)
        rest = board.course.hands[chair.seat]
        for card in play.cards:
            rest = rest.without(card)
        for seat in claim.shown_to:
            self._send(self.chairs[seat], ClaimMade(chair.seat))
            self._send(self.chairs[seat], Cards(chair.seat, rest))

    def _process_claim_answer(self, chair: Chair, message: ClaimAnswer, now: float) -> None:
        board, claim = self.in_play, self._claim
        if (
            board is None
            or claim is None
            or message.claimant is not claim.claimant
            or chair.seat not in claim.unanswered
        ):
            self._ignore(chair, write(message), now)
            return
        board.claim = claim = claim.without(chair.seat)
        if not message.accepts or not claim.unanswered:
            self._decide_claim(message.accepts, now)

    def _decide_claim(self, accepted: bool, now: float) -> None:
        board, claim = self.in_play, self._claim
        assert board is not None
        assert claim is not None
        board.claim = None
        for chair in self._all_chairs:
            if chair.seat is not board.course.dummy:
                self._send(chair, ClaimDecided(claim.claimant, accepted))
        if accepted:
            self._record(board, board.claimed_outcome(claim), now, claimed_by=claim.claimant)
            for chair in self._all_chairs:
                if chair.conversation is not None and chair.conversation.course is board.course:
                    chair.conversation.board_over()
        else:
            self._end_pause(board, now)
            for chair in self._all_chairs:
                held_card, chair.held_card = chair.held_card, None
                if held_card is not None and chair.conversation is not None:
                    self._process_card(chair, chair.conversation, held_card, now)
        self._advance(now)

    # Sending

    def _advance(self, now: float) -> None:
        """Send every message that is due, to all players."""
        while not self.is_over:
            for chair in self._all_chairs:
                conversation = chair.conversation
                if conversation is not None and (
                    conversation.state not in PLAYER or conversation.course is not self.course
                ):
                    self._send_due(chair, now)
            if not self._start_next_board(now):
                return

    def _send_due(self, chair: Chair, now: float) -> None:
        """Send one player every message that is due until it is the player's turn, and start its clock if it is."""
        conversation = chair.conversation
        while conversation is not None and not self.is_over:
            message = self._next_message(chair, conversation, now)
            if message is None:
                break
            if type(message) is StartOfBoard:
                conversation.course = self.course
                chair.last_action = chair.held_card = None
            conversation.table_sent(message)
            self._send(chair, message)
            chair.since = now
            if chair.early_message is not None:
                chair.process_early(conversation)
            if conversation.state in PLAYER and conversation.course is self.course:
                break
        if conversation is not None and conversation.is_thinking and self.in_play is not None:
            self.in_play.start_clock(chair, conversation, now)

    def _next_message(self, chair: Chair, conversation: Conversation, now: float) -> Message | None:
        if conversation.state in NOT_STARTED:
            return self._next_teams(conversation)
        return (
            self.in_play.next_message(chair, conversation, self._all_chairs, now)
            if self.in_play is not None
            else None
        )

    def _next_teams(self, conversation: Conversation) -> Message | None:
        is_complete = self.begun or all(chair.conversation is not None for chair in self._all_chairs)
        if conversation.state is not ConversationState.TEAMS or not is_complete:
            return None
        return Teams(self.chairs[Seat.NORTH].team or "", self.chairs[Seat.EAST].team or "")

    def _send(self, chair: Chair, message: Message) -> None:
        if chair.link is not None:
            self._outputs.append(Send(chair.link, write(message, self.rules.dialect)))

    # Boards

    def _start_next_board(self, now: float) -> bool:
        """Start the next board once all four players have finished the last one; return whether it was started."""
        for chair in self._all_chairs:
            conversation = chair.conversation
            if conversation is None or conversation.state is not ConversationState.START:
                return False
        if self.in_play is not None and not self.in_play.is_recorded:
            return False
        self.begun = True
        if self.in_play is not None and self.rules.sends_timing:
            for chair in self._all_chairs:
                self._send(chair, self._timing(self.in_play))
        if self._next == len(self._boards):
            self._end(None, now)
            return False
        board = self._boards[self._next]
        self._next += 1
        for chair in self._all_chairs:
            chair.offences = chair.unusable = 0
        self._deal(BoardInPlay(board))
        return True

    def _deal(self, board: BoardInPlay) -> None:
        self.in_play = board
        for chair in self._all_chairs:
            chair.thinking = chair.early_message = None

    def _timing(self, board: BoardInPlay) -> Timing:
        return Timing(
            int(board.seconds[Side.NS]),
            int(self.totals[Side.NS]),
            int(board.seconds[Side.EW]),
            int(self.totals[Side.EW]),
        )

    def _record(
        self, board: BoardInPlay, outcome: Outcome, now: float, claimed_by: Seat | None = None
    ) -> None:
        self._stop_clocks(now)
        for side in Side:
            self.totals[side] += board.seconds[side]
        ns, ew = self.chairs[Seat.NORTH].team or "", self.chairs[Seat.EAST].team or ""
        self._outputs.append(BoardRecorded(board.record(ns, ew, outcome, claimed_by)))

    def _adjust_board(self, against: Seat, reason: str, now: float) -> None:
        """Adjust a board that cannot be finished because of one player."""
        board = self.in_play
        if board is None or board.is_recorded:
            self._end(reason, now)
            return
        self._log(f"ruling: {reason}")
        board.remarks.append(reason)
        self._record(board, award_against(against), now)
        for chair in self._all_chairs:
            if chair.conversation is not None and chair.conversation.state not in NOT_STARTED:
                chair.conversation.board_over()
        if self.rules.ruling is UnfinishedBoardRuling.FORFEIT:
            self._end(reason, now)
        else:
            self._advance(now)

    def _end(self, reason: str | None, now: float) -> None:
        if self.is_over:
            return
        self.is_over = True
        self._stop_clocks(now)
        for chair in self._all_chairs:
            self._send(chair, EndOfSession())
        self._hang_up_at = now + self.rules.closing
        self._log(f"end of session{': ' + reason if reason else ''}")
        self._outputs.append(SessionEnded(reason))

    # Deadlines

    @property
    def deadline(self) -> float | None:
        """Return the time at which to call `tick` if no event happens before; None if there is no timeout."""
        if self._hang_up_at is not None:
            return self._hang_up_at
        earliest = _NEVER
        if self.rules.greeting is not None:
            for guest in self._guests.values():
                earliest = min(earliest, guest.since + self.rules.greeting)
        if not self.is_over:
            if self._claim is not None and self.rules.timeout is not None:
                earliest = min(earliest, self._claim.since + self.rules.timeout)
            for chair in self._all_chairs:
                earliest = min(earliest, self._chair_deadline(chair))
        return None if earliest == _NEVER else earliest

    def _chair_deadline(self, chair: Chair) -> float:
        rules, board, conversation = self.rules, self.in_play, chair.conversation
        if conversation is None:
            return chair.since + rules.reconnect if self.begun and rules.reconnect is not None else _NEVER
        if self._claim is not None or self.question is not None:
            return _NEVER
        earliest = _NEVER
        if conversation.state in PLAYER:
            if rules.timeout is not None:
                earliest = chair.since + rules.timeout
        elif conversation.state is ConversationState.LEAD and board is not None:
            earliest = board.lead_at
        if rules.board_timeout is not None and chair.thinking is not None and board is not None:
            seconds_left = rules.board_timeout - board.seconds[chair.seat.side]
            earliest = min(earliest, chair.thinking + seconds_left)
        return earliest

    def _check_clocks(self, now: float) -> None:
        rules, claim = self.rules, self._claim
        if claim is not None:
            if rules.timeout is not None and now >= claim.since + rules.timeout:
                self._decide_claim(False, now)
            return
        for chair in self._all_chairs:
            if self.is_over:
                return
            conversation, seat = chair.conversation, chair.seat
            if conversation is None:
                if self.begun and rules.reconnect is not None and now >= chair.since + rules.reconnect:
                    self._end(
                        f"{seat.title} left and did not come back within {rules.reconnect:g} seconds", now
                    )
                continue
            is_late = rules.timeout is not None and now >= chair.since + rules.timeout
            if is_late and conversation.waits_for_player and self.question is None:
                self._time_out(chair, conversation, now)
            elif rules.board_timeout is not None and chair.thinking is not None and self.in_play is not None:
                spent = self.in_play.seconds[seat.side] + now - chair.thinking
                if spent >= rules.board_timeout:
                    side_name = "North-South" if seat.side is Side.NS else "East-West"
                    self._adjust_board(seat, f"{side_name} used up the board's time", now)

    def _time_out(self, chair: Chair, conversation: Conversation, now: float) -> None:
        """Adjust the board of a player who was silent for too long; before the first board, free the seat instead."""
        due = DUE[conversation.state]
        reason = f"{chair.seat.title} was silent for {self.rules.timeout:g} seconds, and {due} was due"
        chair.since = now
        if self.begun and conversation.state not in NOT_STARTED:
            self._adjust_board(chair.seat, reason, now)
        elif chair.link is not None:
            link = chair.link
            self._refuse(link, "no message came in time.")
            self._disconnect(link, now)

    def _stop_clocks(self, now: float) -> None:
        if self.in_play is not None:
            for chair in self._all_chairs:
                self.in_play.stop_clock(chair, now)

    def _end_pause(self, board: BoardInPlay, now: float) -> None:
        """End a pause: restart the timeouts and the clocks of players who are thinking."""
        for chair in self._all_chairs:
            if chair.conversation is not None:
                chair.since = now
                if chair.conversation.is_thinking:
                    board.start_clock(chair, chair.conversation, now)

    # Log

    def _log(self, text: str) -> None:
        self._outputs.append(LogNote(text))

    def _take_outputs(self) -> list[Output]:
        out, self._outputs = self._outputs, []
        return out


def _for_log(line: str) -> str:
    """Return a line for the log: shortened, and without terminal control characters."""
    text = line if len(line) <= 120 else line[:117] + "..."
    return repr(text)
