"""The Table Manager's side of a table: lines in, outputs out. Has no dependency on sockets, files or clocks.

The order of messages is `conversation`'s, and a single board is `board_in_play`'s; this module handles the four players
together: seats, the next board, rulings, and players who leave and return. Every event method takes the time and
returns a list of outputs; `deadline` is the time at which to call `tick` if nothing happens before.
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
    Answers,
    Calls,
    Cards,
    ClaimDecided,
    Claims,
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
    Unclear,
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
    Rules,
    Ruling,
    Send,
    SessionEnded,
    award_against,
)
from overtrick.tablemanager.seat_table import Chair, Guest
from overtrick.tablemanager.seating import SeatRefused, SeatState, seat_for

MAX_GUESTS = 64
"""Connections without a seat at a time."""
MAX_STRANGE = 200
"""Lines of a player on one board that could not be used, before it is hung up on."""

_WAITS_FOR_OTHERS = frozenset({ConversationState.TEAMS, ConversationState.START, ConversationState.CARDS})
_NEVER = float("inf")


class Table:
    """One table, from the first connection to the end of the session."""

    def __init__(
        self,
        boards: Iterable[Board],
        rules: Rules | None = None,
        *,
        totals: Mapping[Side, float] | None = None,
        teams: Mapping[Side, str] | None = None,
    ) -> None:
        """Make a table; `teams` are those that must play where that is known, and others get no seat."""
        self.rules = rules or Rules()
        self._teams = dict(teams or {})
        self.chairs = {seat: Chair(seat, self._teams.get(seat.side)) for seat in SEATS}
        self._row = tuple(self.chairs.values())
        self._boards = list(boards)
        self._next = 0
        self._guests: dict[Hashable, Guest] = {}
        self._by_link: dict[Hashable, Chair] = {}
        self.in_play: BoardInPlay | None = None
        """The board in play or, between two, the last one; to look at, not to change."""
        self.totals = {side: (totals or {}).get(side, 0.0) for side in Side}
        self.begun = False
        self.is_over = False
        self._hang_up_at: float | None = None
        self._out: list[Output] = []

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

    # What happens to a table

    def opened(self, link: Hashable, now: float, only: Seat | None = None, address: str = "") -> list[Output]:
        """Process a new connection from an address; `only` is the seat of the port, if it has one."""
        if self.is_over or len(self._guests) >= MAX_GUESTS:
            self._refuse(link, "the session is over." if self.is_over else "too many are waiting for a seat.")
        else:
            self._guests[link] = Guest(now, only, address)
        return self._done()

    def received(self, link: Hashable, line: str, now: float) -> list[Output]:
        """Process a line."""
        chair = self._by_link.get(link)
        message = read(line)
        if chair is not None:
            self._hear(chair, message, line, now)
        elif link in self._guests:
            self._greet(link, message, line, now)
        return self._done()

    def overflowed(self, link: Hashable, now: float) -> list[Output]:
        """Disconnect a player that sent more than a line can be."""
        chair = self._by_link.get(link)
        self._note(f"{chair.seat.title if chair else 'a guest'} sent a line without end")
        self._refuse(link, "a line without end.")
        self._leave(link, now)
        return self._done()

    def closed(self, link: Hashable, now: float) -> list[Output]:
        """Process the loss of a connection."""
        self._leave(link, now)
        return self._done()

    def answered(self, alerts: Mapping[int, str], now: float) -> list[Output]:
        """Process the operator's alerts, by the position of the call; empty if there is nothing to alert."""
        board = self.in_play
        if board is not None and board.question is not None:
            for place, words in sorted(alerts.items()):
                if 0 <= place < len(board.tails) and words.strip():
                    board.tails[place] = operators_alert(words)
                    self._explain(board, place)
            board.question = None
            self._wake(board, now)
            self._advance(now)
        return self._done()

    def _explain(self, board: BoardInPlay, place: int) -> None:
        """Send a call once more, with its alert, to the opponents who have heard it without."""
        caller = board.course.auction.caller(place)
        message = Calls(caller, board.course.auction.calls[place], board.tails[place])
        for chair in self._row:
            talk = chair.talk
            is_heard = talk is not None and talk.course is board.course and talk.calls > place
            if is_heard and chair.seat.side is not caller.side:
                self._send(chair, message)

    def tick(self, now: float) -> list[Output]:
        """Process the passing of time."""
        if self._hang_up_at is not None:
            if now >= self._hang_up_at:
                self._hang_up_at = None
                self._out += [HangUp(link) for link in (*self._by_link, *self._guests)]
            return self._done()
        for link, guest in list(self._guests.items()):
            if self.rules.greeting is not None and now >= guest.since + self.rules.greeting:
                self._refuse(link, "nobody asked for a seat.")
        if not self.is_over:
            self._look_at_clocks(now)
        if not self.is_over:
            self._advance(now)
        return self._done()

    def stop(self, reason: str, now: float) -> list[Output]:
        """End the session before its boards are played."""
        self._end(reason, now)
        return self._done()

    # Seats

    def _greet(self, link: Hashable, message: Message | None, line: str, now: float) -> None:
        guest = self._guests[link]
        if not isinstance(message, Connecting):
            self._note(f"a guest sent {_shown(line)}")
            guest.strange += 1
            if guest.strange >= 5:
                self._refuse(link, "nobody asked for a seat.")
            return
        taken = [
            SeatState(chair.seat, chair.team, chair.link is not None, self._kept(chair, guest, now))
            for chair in self._row
        ]
        try:
            seat = seat_for(message, taken, guest.only)
        except SeatRefused as refusal:
            self._refuse(link, refusal.sentence)
            return
        del self._guests[link]
        chair = self.chairs[seat]
        if not self.begun:
            chair.team = None  # players hear the name as they spell it
        chair.sit_down(link, message.team, guest.address, now)
        self._by_link[link] = chair
        self._note(f'{seat.title} {"is back" if self.begun else "sits down"}: "{chair.team}"')
        self._out.append(Send(link, write(Seated(seat, message.team), self.rules.dialect)))

    def _kept(self, chair: Chair, guest: Guest, now: float) -> float:
        """Return the seconds for which a lost seat is still reserved for an address other than the guest's."""
        if chair.team is None or not self.begun or guest.address == chair.address:
            return 0.0
        return max(0.0, chair.since + self.rules.keeps_address - now)

    def _refuse(self, link: Hashable, reason: str) -> None:
        self._guests.pop(link, None)
        self._note(f"refused: {reason}")
        self._out += [Send(link, write(Refused(reason), self.rules.dialect)), HangUp(link)]

    def _leave(self, link: Hashable, now: float) -> None:
        self._guests.pop(link, None)
        chair = self._by_link.pop(link, None)
        if chair is None:
            return
        if self.in_play is not None:
            self.in_play.stop_clock(chair, now)
        chair.link = chair.talk = None
        chair.since = now
        if self.is_over:
            return
        self._note(f"{chair.seat.title} is gone")
        if not self.begun:
            chair.team = self._teams.get(chair.seat.side)
        claim = self._claim
        if claim is not None and (chair.seat is claim.claimant or chair.seat in claim.asked):
            self._decide_claim(False, now)

    # Messages of a seated player

    def _hear(self, chair: Chair, message: Message | None, line: str, now: float) -> None:
        talk = chair.talk
        if talk is None or self.is_over:
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
                self._hear_ready(chair, talk, message, now)
            case Calls():
                self._hear_call(chair, talk, message, now)
            case Plays():
                self._hear_card(chair, talk, message, now)
            case Unclear(what=what):
                self._offence(chair, what, line, now)
            case Claims():
                self._hear_claim(chair, talk, now)
            case Answers():
                self._hear_answer(chair, message, now)
            case _:
                self._ignore(chair, line, now)

    def _ignore(self, chair: Chair, line: str, now: float) -> None:
        self._note(f"ignored from {chair.seat.title}: {_shown(line)}")
        chair.strange += 1
        if chair.strange >= MAX_STRANGE and chair.link is not None:
            link = chair.link
            self._refuse(link, "too much that could not be used.")
            self._leave(link, now)

    def _hear_ready(self, chair: Chair, talk: Conversation, message: Ready, now: float) -> None:
        if not talk.player_may(message):
            chair.early = message
            return
        talk.player_sent(message)
        chair.since = now
        board = self.in_play
        cards_out = board is not None and board.cards_out
        others = talk.state in _WAITS_FOR_OTHERS
        self._serve(chair, now)
        # What one player was the last to be ready for is now sent to all.
        if (
            others
            or talk.state is ConversationState.START
            or (board is not None and board.cards_out is not cards_out)
        ):
            self._advance(now)

    def _is_for_dummy(self, chair: Chair, message: Message) -> bool:
        play = self.course.play if self.course is not None else None
        return (
            isinstance(message, Plays | Unclear)
            and play is not None
            and message.seat is play.dummy
            and chair.seat is play.contract.declarer
        )

    def _hear_call(self, chair: Chair, talk: Conversation, message: Calls, now: float) -> None:
        board = self.in_play
        if talk.state is not ConversationState.OWN_CALL or board is None or talk.course is not board.course:
            self._out_of_turn(chair, talk, message, now)
            return
        course, place = board.course, talk.calls
        if place < len(course.auction.calls):
            call = course.auction.calls[place]
            if call != message.call:
                self._differs(board, chair, replace(message, tail=""), Calls(chair.seat, call), now)
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
                self._out.append(question)
            if course.auction.is_over:
                board.lead_at = now
                if course.play is None:
                    self._record(board, PassedOut(), now)
        self._acted(chair, talk, message, now)

    def _hear_card(self, chair: Chair, talk: Conversation, message: Plays, now: float) -> None:
        board = self.in_play
        if talk.state is not ConversationState.OWN_CARD or board is None or talk.course is not board.course:
            self._out_of_turn(chair, talk, message, now)
            return
        course, place = board.course, talk.cards
        play = course.play
        assert play is not None
        if place < len(course.players) - 1 or play.is_over:
            if play.cards[place] is not message.card:
                self._differs(board, chair, message, Plays(talk.hand_to_play, play.cards[place]), now)
                return
        else:
            if board.claim is not None:
                chair.held = message
                return
            # Some programs send dummy's card under declarer's own name: the card tells whose it is.
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
        self._acted(chair, talk, message, now)

    def _acted(self, chair: Chair, talk: Conversation, message: Calls | Plays, now: float) -> None:
        talk.player_sent(message)
        chair.since, chair.last = now, message
        if chair.early is not None:
            chair.take_early(talk)
        self._advance(now)

    def _out_of_turn(self, chair: Chair, talk: Conversation, message: Calls | Plays, now: float) -> None:
        """Ignore a repeat or a leftover from before a restart; treat anything else as illegal."""
        line = write(message, self.rules.dialect)
        if message == chair.last or talk.state not in IN_PLAY:
            self._ignore(chair, line, now)
        else:
            self._offence(chair, "bid" if isinstance(message, Calls) else "card", f"{line}: out of turn", now)

    def _offence(self, chair: Chair, what: str, why: str, now: float) -> None:
        talk = chair.talk
        if talk is None or talk.state not in IN_PLAY:
            self._ignore(chair, why, now)
            return
        chair.offences += 1
        self._note(f"illegal {what} by {chair.seat.title} ({chair.offences}): {_shown(why)}")
        self._send(chair, ILLEGAL_BID if what == "bid" else ILLEGAL_CARD)
        if chair.offences >= self.rules.tries:
            self._rule(chair.seat, f"{chair.seat.title} sent {chair.offences} illegal calls or cards", now)

    def _differs(
        self, board: BoardInPlay, chair: Chair, message: Calls | Plays, record: Calls | Plays, now: float
    ) -> None:
        """Hold a player who came back to the record: others have acted on it, and cards are known.

        The player is told what it called or played before, as anyone else is told of it, and goes on from there. A
        program that cannot is late or sends something illegal, and there is a ruling.
        """
        talk, seat = chair.talk, chair.seat.title
        assert talk is not None
        if board.is_recorded:
            # The others have finished; there is nothing left to agree on.
            talk.board_over()
            self._advance(now)
            return
        was, is_ = write(record, self.rules.dialect), write(message, self.rules.dialect)
        remark = f"{seat} came back and differed from the record: {is_} instead of {was}; the record stands"
        self._note(remark)
        if chair.seat not in board.differed:
            board.differed.add(chair.seat)
            board.remarks.append(remark)
        self._send(chair, record)
        self._acted(chair, talk, message, now)

    # Claims

    def _hear_claim(self, chair: Chair, talk: Conversation, now: float) -> None:
        board = self.in_play
        if not self.rules.claims:
            why: str | None = "claims are off at this table"
        else:
            why = (
                board.why_no_claim(chair.seat, talk) if board is not None else "there are no tricks to claim"
            )
        play = board.course.play if board is not None else None
        if why is not None or board is None or play is None:
            # Whoever claims waits for an answer, and is told at once that nobody is asked.
            self._ignore(chair, f"{chair.seat.title} claims", now)
            self._send(chair, ClaimDecided(chair.seat, False, why or ""))
            return
        board.claims.add((chair.seat, talk.trick))
        claim = Claim.of(chair.seat, play.contract.declarer, now)
        board.claim = claim
        if any(self.chairs[seat].talk is None for seat in claim.asked):
            self._decide_claim(False, now)
            return
        self._stop_clocks(now)
        rest = board.course.hands[chair.seat]
        for card in play.cards:
            rest = rest.without(card)
        for seat in claim.told:
            self._send(self.chairs[seat], Claims(chair.seat))
            self._send(self.chairs[seat], Cards(chair.seat, rest))

    def _hear_answer(self, chair: Chair, message: Answers, now: float) -> None:
        board, claim = self.in_play, self._claim
        if (
            board is None
            or claim is None
            or message.claimant is not claim.claimant
            or chair.seat not in claim.asked
        ):
            self._ignore(chair, write(message), now)
            return
        board.claim = claim = claim.without(chair.seat)
        if not message.accepts or not claim.asked:
            self._decide_claim(message.accepts, now)

    def _decide_claim(self, accepted: bool, now: float) -> None:
        board, claim = self.in_play, self._claim
        assert board is not None
        assert claim is not None
        board.claim = None
        for chair in self._row:
            if chair.seat is not board.course.dummy:
                self._send(chair, ClaimDecided(claim.claimant, accepted))
        if accepted:
            self._record(board, board.claimed_outcome(claim), now, claimed_by=claim.claimant)
            for chair in self._row:
                if chair.talk is not None and chair.talk.course is board.course:
                    chair.talk.board_over()
        else:
            self._wake(board, now)
            for chair in self._row:
                held, chair.held = chair.held, None
                if held is not None and chair.talk is not None:
                    self._hear_card(chair, chair.talk, held, now)
        self._advance(now)

    # What the table sends

    def _advance(self, now: float) -> None:
        """Send everything that can be sent."""
        while not self.is_over:
            for chair in self._row:
                talk = chair.talk
                if talk is not None and (talk.state not in PLAYER or talk.course is not self.course):
                    self._serve(chair, now)
            if not self._turn_page(now):
                return

    def _serve(self, chair: Chair, now: float) -> None:
        talk = chair.talk
        while talk is not None and not self.is_over:
            message = self._next_message(chair, talk, now)
            if message is None:
                break
            if type(message) is StartOfBoard:
                talk.course = self.course
                chair.last = chair.held = None
            talk.table_sent(message)
            self._send(chair, message)
            chair.since = now
            if chair.early is not None:
                chair.take_early(talk)
            if talk.state in PLAYER and talk.course is self.course:
                break
        if talk is not None and talk.is_thinking and self.in_play is not None:
            self.in_play.start_clock(chair, talk, now)

    def _next_message(self, chair: Chair, talk: Conversation, now: float) -> Message | None:
        if talk.state in NOT_STARTED:
            return self._next_teams(talk)
        return self.in_play.next_message(chair, talk, self._row, now) if self.in_play is not None else None

    def _next_teams(self, talk: Conversation) -> Message | None:
        everyone = self.begun or all(chair.talk is not None for chair in self._row)
        if talk.state is not ConversationState.TEAMS or not everyone:
            return None
        return Teams(self.chairs[Seat.NORTH].team or "", self.chairs[Seat.EAST].team or "")

    def _send(self, chair: Chair, message: Message) -> None:
        if chair.link is not None:
            self._out.append(Send(chair.link, write(message, self.rules.dialect)))

    # Boards

    def _turn_page(self, now: float) -> bool:
        """Start the next board when all four are through with the last."""
        for chair in self._row:
            talk = chair.talk
            if talk is None or talk.state is not ConversationState.START:
                return False
        if self.in_play is not None and not self.in_play.is_recorded:
            return False
        self.begun = True
        if self.in_play is not None and self.rules.sends_timing:
            for chair in self._row:
                self._send(chair, self._timing(self.in_play))
        if self._next == len(self._boards):
            self._end(None, now)
            return False
        board = self._boards[self._next]
        self._next += 1
        for chair in self._row:
            chair.offences = chair.strange = 0
        self._deal(BoardInPlay(board))
        return True

    def _deal(self, board: BoardInPlay) -> None:
        self.in_play = board
        for chair in self._row:
            chair.thinking = chair.early = None

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
        self._out.append(BoardRecorded(board.record(ns, ew, outcome, claimed_by)))

    def _rule(self, against: Seat, reason: str, now: float) -> None:
        """Rule on a board that cannot be finished because of one player."""
        board = self.in_play
        if board is None or board.is_recorded:
            self._end(reason, now)
            return
        self._note(f"ruling: {reason}")
        board.remarks.append(reason)
        self._record(board, award_against(against), now)
        for chair in self._row:
            if chair.talk is not None and chair.talk.state not in NOT_STARTED:
                chair.talk.board_over()
        if self.rules.ruling is Ruling.FORFEIT:
            self._end(reason, now)
        else:
            self._advance(now)

    def _end(self, reason: str | None, now: float) -> None:
        if self.is_over:
            return
        self.is_over = True
        self._stop_clocks(now)
        for chair in self._row:
            self._send(chair, EndOfSession())
        self._hang_up_at = now + self.rules.closing
        self._note(f"end of session{': ' + reason if reason else ''}")
        self._out.append(SessionEnded(reason))

    # Deadlines

    @property
    def deadline(self) -> float | None:
        """Return the time at which `tick` is to be called if nothing happens before."""
        if self._hang_up_at is not None:
            return self._hang_up_at
        earliest = _NEVER
        if self.rules.greeting is not None:
            for guest in self._guests.values():
                earliest = min(earliest, guest.since + self.rules.greeting)
        if not self.is_over:
            if self._claim is not None and self.rules.timeout is not None:
                earliest = min(earliest, self._claim.since + self.rules.timeout)
            for chair in self._row:
                earliest = min(earliest, self._chair_deadline(chair))
        return None if earliest == _NEVER else earliest

    def _chair_deadline(self, chair: Chair) -> float:
        rules, board, talk = self.rules, self.in_play, chair.talk
        if talk is None:
            return chair.since + rules.reconnect if self.begun and rules.reconnect is not None else _NEVER
        if self._claim is not None or self.question is not None:
            return _NEVER
        earliest = _NEVER
        if talk.state in PLAYER:
            if rules.timeout is not None:
                earliest = chair.since + rules.timeout
        elif talk.state is ConversationState.LEAD and board is not None:
            earliest = board.lead_at
        if rules.board_timeout is not None and chair.thinking is not None and board is not None:
            left = rules.board_timeout - board.seconds[chair.seat.side]
            earliest = min(earliest, chair.thinking + left)
        return earliest

    def _look_at_clocks(self, now: float) -> None:
        rules, claim = self.rules, self._claim
        if claim is not None:
            if rules.timeout is not None and now >= claim.since + rules.timeout:
                self._decide_claim(False, now)
            return
        for chair in self._row:
            if self.is_over:
                return
            talk, seat = chair.talk, chair.seat
            if talk is None:
                if self.begun and rules.reconnect is not None and now >= chair.since + rules.reconnect:
                    self._end(f"{seat.title} left and did not come back in {rules.reconnect:g} seconds", now)
                continue
            late = rules.timeout is not None and now >= chair.since + rules.timeout
            if late and talk.waits_for_player and self.question is None:
                self._late(chair, talk, now)
            elif rules.board_timeout is not None and chair.thinking is not None and self.in_play is not None:
                spent = self.in_play.seconds[seat.side] + now - chair.thinking
                if spent >= rules.board_timeout:
                    words = "North-South" if seat.side is Side.NS else "East-West"
                    self._rule(seat, f"{words} used up the board's time", now)

    def _late(self, chair: Chair, talk: Conversation, now: float) -> None:
        reason = (
            f"{chair.seat.title} was silent for {self.rules.timeout:g} seconds, and {DUE[talk.state]} was due"
        )
        chair.since = now
        if self.begun and talk.state not in NOT_STARTED:
            self._rule(chair.seat, reason, now)
        elif chair.link is not None:
            link = chair.link
            self._refuse(link, "nothing was heard.")
            self._leave(link, now)

    def _stop_clocks(self, now: float) -> None:
        if self.in_play is not None:
            for chair in self._row:
                self.in_play.stop_clock(chair, now)

    def _wake(self, board: BoardInPlay, now: float) -> None:
        """End a pause: nobody is late because of it, and clocks go on."""
        for chair in self._row:
            if chair.talk is not None:
                chair.since = now
                if chair.talk.is_thinking:
                    board.start_clock(chair, chair.talk, now)

    # Words for the log

    def _note(self, text: str) -> None:
        self._out.append(LogNote(text))

    def _done(self) -> list[Output]:
        out, self._out = self._out, []
        return out


def _shown(line: str) -> str:
    """Return a line for the log: shortened, and without terminal control characters."""
    text = line if len(line) <= 120 else line[:117] + "..."
    return repr(text)
