"""The Table Manager's side of a table: lines in, what is to be done out. Knows no socket, file or clock.

The order of messages is `conversation`'s; here is what passes between the four of them: who sits where, the
course of each board, rulings, clocks, and players who go and come back. Every method that lets something
happen takes the time and gives a list of outputs; `deadline` says when to call `tick` all the same.
"""

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, field

from overtrick.bridge import SEATS, IllegalCall, Outcome, PassedOut, Played, Seat, Side
from overtrick.bridge.play import IllegalCard
from overtrick.tablemanager.alerts import is_marked, read_alert, words_of
from overtrick.tablemanager.claims import Claim
from overtrick.tablemanager.conversation import IN_PLAY, NOT_STARTED, PLAYER, Conversation, Course, State
from overtrick.tablemanager.messages import (
    ILLEGAL_BID,
    ILLEGAL_CARD,
    Answers,
    BoardLine,
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
    ToLead,
    Unclear,
    read,
    write,
)
from overtrick.tablemanager.pauses import needs_pause
from overtrick.tablemanager.rules import (
    Alerts,
    Board,
    BoardRecord,
    Ended,
    HangUp,
    Noted,
    Output,
    Question,
    Recorded,
    Rules,
    Ruling,
    Send,
    award_against,
)
from overtrick.tablemanager.seating import SeatRefused, Taken, same_team, seat_for

MAX_STRANGE = 200
"""Lines of one connection that are no message, before it is hung up on."""

MAX_GUESTS = 64
"""Connections without a seat at a time."""


_NEVER = float("inf")
_WAITS_FOR_OTHERS = frozenset({State.TEAMS, State.START, State.CARDS})


@dataclass(slots=True)
class Guest:
    """A connection that has no seat yet."""

    since: float
    only: Seat | None
    strange: int = 0


@dataclass(slots=True)
class Chair:
    """A seat, whoever sits there at the moment."""

    seat: Seat
    team: str | None = None
    link: Hashable | None = None
    talk: Conversation | None = None
    since: float = 0.0
    """When the conversation last went on, or the player was lost."""
    thinking: float | None = None
    """Since when the player's clock has been running."""
    offences: int = 0
    strange: int = 0
    early: Ready | None = None
    """A message that came before its time, and is looked at again after the table's next one."""
    held: Plays | None = None
    """A card that came while a claim was being answered."""
    last: Message | None = None


@dataclass(slots=True)
class Running:
    """What is known of the board in play besides its course."""

    tails: list[str] = field(default_factory=list)
    call_seconds: list[float] = field(default_factory=list)
    card_seconds: list[float] = field(default_factory=list)
    seconds: dict[Side, float] = field(default_factory=lambda: {Side.NS: 0.0, Side.EW: 0.0})
    remarks: list[str] = field(default_factory=list)
    cards_out: bool = False
    is_recorded: bool = False
    lead_at: float = 0.0
    claims: set[tuple[Seat, int]] = field(default_factory=set)
    claim: Claim | None = None
    question: Question | None = None


class Table:
    """One table, from the first connection to the end of the session."""

    def __init__(
        self,
        boards: Iterable[Board],
        rules: Rules | None = None,
        *,
        totals: Mapping[Side, float] | None = None,
    ) -> None:
        self.rules = rules or Rules()
        self.chairs = {seat: Chair(seat) for seat in SEATS}
        self._row = tuple(self.chairs.values())
        self._boards = list(boards)
        self._next = 0
        self._guests: dict[Hashable, Guest] = {}
        self._by_link: dict[Hashable, Chair] = {}
        self.board: Board | None = None
        self.course: Course | None = None
        self._run = Running()
        self._restarted = False
        self.totals = {side: (totals or {}).get(side, 0.0) for side in Side}
        self.begun = False
        self.is_over = False
        self._hang_up_at: float | None = None
        self._out: list[Output] = []

    # What happens to a table

    def opened(self, link: Hashable, now: float, only: Seat | None = None) -> list[Output]:
        """Someone connected; `only` is the seat that the port they came by is for."""
        if self.is_over or len(self._guests) >= MAX_GUESTS:
            self._refuse(link, "the session is over." if self.is_over else "too many are waiting for a seat.")
        else:
            self._guests[link] = Guest(now, only)
        return self._done()

    def received(self, link: Hashable, line: str, now: float) -> list[Output]:
        """A line came in."""
        chair = self._by_link.get(link)
        message = read(line)
        if chair is not None:
            self._hear(chair, message, line, now)
        elif link in self._guests:
            self._greet(link, message, line, now)
        return self._done()

    def overflowed(self, link: Hashable, now: float) -> list[Output]:
        """More came in than a line can be; the connection is hung up on."""
        chair = self._by_link.get(link)
        self._note(f"{chair.seat.title if chair else 'a guest'} sent a line without end")
        self._refuse(link, "a line without end.")
        self._leave(link, now)
        return self._done()

    def closed(self, link: Hashable, now: float) -> list[Output]:
        """A connection is gone."""
        self._leave(link, now)
        return self._done()

    def answered(self, alerts: Mapping[int, str], now: float) -> list[Output]:
        """The operator's alerts, by the place of the call; none when there is nothing to alert."""
        run = self._run
        if run.question is not None:
            for place, words in alerts.items():
                if 0 <= place < len(run.tails) and words.strip():
                    run.tails[place] = operators_alert(words)
            run.question = None
            self._wake(now)
            self._advance(now)
        return self._done()

    def tick(self, now: float) -> list[Output]:
        """Time has passed."""
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

    @property
    def deadline(self) -> float | None:
        """When `tick` is to be called though nothing happened."""
        if self._hang_up_at is not None:
            return self._hang_up_at
        rules, run = self.rules, self._run
        earliest = _NEVER
        if rules.greeting is not None:
            for guest in self._guests.values():
                earliest = min(earliest, guest.since + rules.greeting)
        if not self.is_over:
            timeout = _NEVER if rules.timeout is None else rules.timeout
            if run.claim is not None:
                earliest = min(earliest, run.claim.since + timeout)
            is_paused = run.claim is not None or run.question is not None
            for chair in self._row:
                talk = chair.talk
                if talk is None:
                    if self.begun and rules.reconnect is not None:
                        earliest = min(earliest, chair.since + rules.reconnect)
                elif not is_paused:
                    if talk.state in PLAYER:
                        earliest = min(earliest, chair.since + timeout)
                    elif talk.state is State.LEAD:
                        earliest = min(earliest, run.lead_at)
                    if rules.board_timeout is not None and chair.thinking is not None:
                        spent = run.seconds[chair.seat.side]
                        earliest = min(earliest, chair.thinking + rules.board_timeout - spent)
        return None if earliest == _NEVER else earliest

    @property
    def question(self) -> Question | None:
        """What the operator is asked at the moment."""
        return self._run.question

    # Seats

    def _greet(self, link: Hashable, message: Message | None, line: str, now: float) -> None:
        guest = self._guests[link]
        if not isinstance(message, Connecting):
            self._note(f"a guest sent {_shown(line)}")
            guest.strange += 1
            if guest.strange >= 5:
                self._refuse(link, "nobody asked for a seat.")
            return
        taken = [Taken(chair.seat, chair.team, chair.link is not None) for chair in self._row]
        try:
            seat = seat_for(message, taken, guest.only)
        except SeatRefused as refusal:
            self._refuse(link, refusal.sentence)
            return
        del self._guests[link]
        chair = self.chairs[seat]
        chair.team = chair.team or message.team
        chair.link, chair.talk, chair.since = link, Conversation(seat), now
        chair.thinking = chair.early = chair.held = chair.last = None
        chair.strange = 0
        self._by_link[link] = chair
        self._note(f'{seat.title} {"is back" if self.begun else "sits down"}: "{chair.team}"')
        self._out.append(Send(link, write(Seated(seat, message.team), self.rules.dialect)))

    def _refuse(self, link: Hashable, reason: str) -> None:
        self._guests.pop(link, None)
        self._note(f"refused: {reason}")
        self._out += [Send(link, write(Refused(reason), self.rules.dialect)), HangUp(link)]

    def _leave(self, link: Hashable, now: float) -> None:
        self._guests.pop(link, None)
        chair = self._by_link.pop(link, None)
        if chair is None:
            return
        self._stop_clock(chair, now)
        chair.link = chair.talk = None
        chair.since = now
        if self.is_over:
            return
        self._note(f"{chair.seat.title} is gone")
        if not self.begun:
            chair.team = None
        claim = self._run.claim
        if claim is not None and (chair.seat is claim.claimant or chair.seat in claim.asked):
            self._decide_claim(False, now)

    # Messages of a seated player

    def _hear(self, chair: Chair, message: Message | None, line: str, now: float) -> None:
        talk = chair.talk
        if talk is None or self.is_over:
            return
        if message is None:
            self._strange(chair, line, now)
            return
        seat = getattr(message, "seat", None)
        if seat is not chair.seat and not self._is_for_dummy(chair, message):
            self._ignore(chair, line)
            return
        match message:
            case Ready():
                if talk.player_may(message):
                    talk.player_sent(message)
                    chair.since = now
                    cards_out = self._run.cards_out
                    others = talk.state in _WAITS_FOR_OTHERS
                    self._serve(chair, now)
                    # What one player was the last to be ready for is now sent to all.
                    if others or talk.state is State.START or self._run.cards_out is not cards_out:
                        self._advance(now)
                else:
                    chair.early = message
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
                self._ignore(chair, line)

    def _strange(self, chair: Chair, line: str, now: float) -> None:
        self._ignore(chair, line)
        chair.strange += 1
        if chair.strange >= MAX_STRANGE and chair.link is not None:
            link = chair.link
            self._refuse(link, "too much that is no message.")
            self._leave(link, now)

    def _is_for_dummy(self, chair: Chair, message: Message) -> bool:
        play = self.course.play if self.course is not None else None
        return (
            isinstance(message, Plays | Unclear)
            and play is not None
            and message.seat is play.dummy
            and chair.seat is play.contract.declarer
        )

    def _hear_call(self, chair: Chair, talk: Conversation, message: Calls, now: float) -> None:
        course = self.course
        if talk.state is not State.OWN_CALL or course is None or talk.course is not course:
            self._out_of_turn(chair, talk, message, now)
            return
        place = talk.calls
        if place < len(course.auction.calls):
            if course.auction.calls[place] != message.call:
                self._differs(chair, f"call {place + 1} of the auction", now)
                return
        else:
            try:
                course.call(message.call)
            except IllegalCall as fault:
                self._offence(chair, "bid", fault.sentence, now)
                return
            self._run.call_seconds.append(self._stop_clock(chair, now))
            self._run.tails.append(message.tail)
            self._ask_operator(course, message)
            if course.auction.is_over:
                self._run.lead_at = now
                if course.play is None:
                    self._record(PassedOut(), now)
        self._acted(chair, talk, message, now)

    def _hear_card(self, chair: Chair, talk: Conversation, message: Plays, now: float) -> None:
        course = self.course
        if talk.state is not State.OWN_CARD or course is None or talk.course is not course:
            self._out_of_turn(chair, talk, message, now)
            return
        play = course.play
        assert play is not None
        place = talk.cards
        if place < len(course.players) - 1 or play.is_over:
            if play.cards[place] is not message.card:
                self._differs(chair, f"card {place + 1}", now)
                return
        else:
            if self._run.claim is not None:
                chair.held = message
                return
            # Some programs send dummy's card under declarer's own name: the card tells whose it is.
            try:
                course.card(message.card)
            except IllegalCard as fault:
                self._offence(chair, "card", fault.sentence, now)
                return
            self._run.card_seconds.append(self._stop_clock(chair, now))
            assert course.play is not None
            if course.play.current is None:
                self._run.lead_at = now + self.rules.trick_pause
            if course.play.is_over:
                contract = course.play.contract
                self._record(Played(contract, course.play.tricks_won(contract.side)), now)
        self._acted(chair, talk, message, now)

    def _acted(self, chair: Chair, talk: Conversation, message: Calls | Plays, now: float) -> None:
        talk.player_sent(message)
        chair.since, chair.last = now, message
        self._look_back(chair, talk)
        self._advance(now)

    def _look_back(self, chair: Chair, talk: Conversation) -> None:
        """Take what came too early, if this was what it waited for."""
        early, chair.early = chair.early, None
        if early is not None and talk.player_may(early):
            talk.player_sent(early)

    def _out_of_turn(self, chair: Chair, talk: Conversation, message: Calls | Plays, now: float) -> None:
        """A repeat and what is left over from before a restart do no harm; anything else is illegal."""
        line = write(message, self.rules.dialect)
        if message == chair.last or talk.state not in IN_PLAY:
            self._ignore(chair, line)
        else:
            self._offence(chair, "bid" if isinstance(message, Calls) else "card", f"{line}: out of turn", now)

    def _offence(self, chair: Chair, what: str, why: str, now: float) -> None:
        talk = chair.talk
        if talk is None or talk.state not in IN_PLAY:
            self._ignore(chair, why)
            return
        chair.offences += 1
        self._note(f"illegal {what} by {chair.seat.title} ({chair.offences}): {_shown(why)}")
        self._send(chair, ILLEGAL_BID if what == "bid" else ILLEGAL_CARD)
        if chair.offences >= self.rules.tries:
            self._rule(chair.seat, f"{chair.seat.title} sent {chair.offences} illegal calls or cards", now)

    def _differs(self, chair: Chair, where: str, now: float) -> None:
        seat = chair.seat.title
        if self._run.is_recorded:
            # The others have finished; there is nothing left to agree on.
            if chair.talk is not None:
                chair.talk.board_over()
            self._advance(now)
        elif self._restarted:
            self._rule(chair.seat, f"{seat} came back and differed from the record twice: {where}", now)
        else:
            self._restarted = True
            remark = f"{seat} came back and differed from the record: {where}; the board was started again"
            self._note(remark)
            seconds = self._run.seconds
            self._deal()
            self._run.seconds = seconds
            self._run.remarks.append(remark)
            self._advance(now)

    # What the table sends

    def _advance(self, now: float) -> None:
        """Send all that can be sent."""
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
            self._look_back(chair, talk)
        if talk is not None and talk.is_thinking:
            self._start_clock(chair, talk, now)

    def _next_message(self, chair: Chair, talk: Conversation, now: float) -> Message | None:
        course = self.course
        if talk.state in NOT_STARTED:
            return self._next_teams(talk)
        if course is None:
            return None
        if talk.course is not course:
            if self._run.is_recorded:
                # Too late for this board: the next one is soon to start.
                talk.course = course
                talk.board_over()
                return None
            return StartOfBoard()
        find = _NEXT.get(talk.state)
        return find(self, chair, talk, course, now) if find is not None else None

    def _next_teams(self, talk: Conversation) -> Message | None:
        everyone = self.begun or all(chair.talk is not None for chair in self._row)
        if talk.state is not State.TEAMS or not everyone:
            return None
        return Teams(self.chairs[Seat.NORTH].team or "", self.chairs[Seat.EAST].team or "")

    def _next_deal(self, chair: Chair, talk: Conversation, course: Course, now: float) -> Message | None:
        return BoardLine(course.board, course.dealer, course.vulnerability)

    def _next_cards(self, chair: Chair, talk: Conversation, course: Course, now: float) -> Message | None:
        run = self._run
        run.cards_out = run.cards_out or all(
            other.talk is not None and other.talk.state is State.CARDS and other.talk.course is course
            for other in self._row
        )
        return Cards(chair.seat, course.hands[chair.seat]) if run.cards_out else None

    def _next_call(self, chair: Chair, talk: Conversation, course: Course, now: float) -> Message | None:
        question, place = self._run.question, talk.calls
        if place == len(course.auction.calls) or (question is not None and question.place == place):
            return None
        # Partner hears the call alone.
        caller = talk.caller
        tail = self._run.tails[place] if caller.side is not chair.seat.side else ""
        return Calls(caller, course.auction.calls[place], tail)

    def _next_lead(self, chair: Chair, talk: Conversation, course: Course, now: float) -> Message | None:
        run = self._run
        waits = now < run.lead_at or run.claim is not None or run.question is not None
        if waits and self._is_live(talk):
            return None
        return ToLead(None if talk.hand_to_play is course.dummy else talk.hand_to_play)

    def _next_card(self, chair: Chair, talk: Conversation, course: Course, now: float) -> Message | None:
        play, place = course.play, talk.cards
        if play is None or (place == len(course.players) - 1 and not play.is_over):
            return None
        return Plays(talk.hand_to_play, play.tricks[place // 4].cards[place % 4])

    def _next_dummy(self, chair: Chair, talk: Conversation, course: Course, now: float) -> Message | None:
        return Cards(None, course.hands[course.dummy]) if course.dummy is not None else None

    def _is_live(self, talk: Conversation) -> bool:
        """Whether a conversation knows all there is of the course."""
        course = self.course
        if course is None or talk.course is not course or talk.calls < len(course.auction.calls):
            return False
        return course.play is None or (talk.cards == len(course.players) - 1 and not course.play.is_over)

    def _send(self, chair: Chair, message: Message) -> None:
        if chair.link is not None:
            self._out.append(Send(chair.link, write(message, self.rules.dialect)))

    # Boards

    def _turn_page(self, now: float) -> bool:
        """Start the next board when all four are through with the last."""
        for chair in self._row:
            talk = chair.talk
            if talk is None or talk.state is not State.START:
                return False
        if self.course is not None and not self._run.is_recorded:
            return False
        self.begun = True
        if self.course is not None and self.rules.sends_timing:
            for chair in self._row:
                self._send(chair, self._timing())
        if self._next == len(self._boards):
            self._end(None, now)
            return False
        self.board = self._boards[self._next]
        self._next += 1
        self._restarted = False
        for chair in self._row:
            chair.offences = 0
        self._deal()
        return True

    def _deal(self) -> None:
        board = self.board
        assert board is not None
        self.course = Course.of_deal(board.number, board.dealer, board.vulnerability, board.deal)
        self._run = Running()
        for chair in self._row:
            chair.thinking = chair.early = None

    def _timing(self) -> Timing:
        seconds = self._run.seconds
        return Timing(
            int(seconds[Side.NS]),
            int(self.totals[Side.NS]),
            int(seconds[Side.EW]),
            int(self.totals[Side.EW]),
        )

    def _record(self, outcome: Outcome, now: float, claimed_by: Seat | None = None) -> None:
        board, course, run = self.board, self.course, self._run
        assert board is not None
        assert course is not None
        for chair in self._row:
            self._stop_clock(chair, now)
        run.is_recorded = True
        run.question = run.claim = None
        for side in Side:
            self.totals[side] += run.seconds[side]
        record = BoardRecord(
            board=board,
            ns=self.chairs[Seat.NORTH].team or "",
            ew=self.chairs[Seat.EAST].team or "",
            calls=course.auction.calls,
            tails=tuple(run.tails),
            cards=course.play.cards if course.play is not None else (),
            outcome=outcome,
            call_seconds=tuple(run.call_seconds),
            card_seconds=tuple(run.card_seconds),
            ns_seconds=run.seconds[Side.NS],
            ew_seconds=run.seconds[Side.EW],
            claimed_by=claimed_by,
            remarks=tuple(run.remarks),
        )
        self._out.append(Recorded(record))

    def _rule(self, against: Seat, reason: str, now: float) -> None:
        """The director's ruling on a board that cannot be finished because of one player."""
        if self.course is None or self._run.is_recorded:
            self._end(reason, now)
            return
        self._note(f"ruling: {reason}")
        self._run.remarks.append(reason)
        self._record(award_against(against), now)
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
        for chair in self._row:
            self._stop_clock(chair, now)
            self._send(chair, EndOfSession())
        self._hang_up_at = now + self.rules.closing
        self._note(f"end of session{': ' + reason if reason else ''}")
        self._out.append(Ended(reason))

    # Alerts of the operator

    def _ask_operator(self, course: Course, message: Calls) -> None:
        rules, run = self.rules, self._run
        place: int | None = len(course.auction.calls) - 1
        if words_of(message.tail):
            asked = False
        elif rules.alerts is Alerts.EVERY:
            asked = needs_pause(
                course.auction,
                inverted_minors=rules.inverted_minors,
                negative_doubles=rules.negative_doubles,
            )
        else:
            asked = rules.alerts is Alerts.MARKED and is_marked(message.tail)
        if rules.alerts is Alerts.END:
            asked, place = course.auction.is_over and course.play is not None, None
        if asked:
            run.question = Question(course.board, course.auction, place)
            self._out.append(run.question)

    # Claims

    def _hear_claim(self, chair: Chair, talk: Conversation, now: float) -> None:
        course, run = self.course, self._run
        play = course.play if course is not None else None
        mark = (chair.seat, talk.trick)
        if (
            not self.rules.claims
            or course is None
            or play is None
            or run.is_recorded
            or run.claim is not None
            or mark in run.claims
            or chair.seat is play.dummy
            or talk.state not in IN_PLAY
            or talk.calls < len(course.auction.calls)
        ):
            self._ignore(chair, f"{chair.seat.title} claims")
            return
        run.claims.add(mark)
        claim = Claim.of(chair.seat, play.contract.declarer, now)
        run.claim = claim
        if any(self.chairs[seat].talk is None for seat in claim.asked):
            self._decide_claim(False, now)
            return
        for other in self._row:
            self._stop_clock(other, now)
        rest = course.hands[chair.seat]
        for card in play.cards:
            rest = rest.without(card)
        for seat in claim.told:
            self._send(self.chairs[seat], Claims(chair.seat))
            self._send(self.chairs[seat], Cards(chair.seat, rest))

    def _hear_answer(self, chair: Chair, message: Answers, now: float) -> None:
        claim = self._run.claim
        if claim is None or message.claimant is not claim.claimant or chair.seat not in claim.asked:
            self._ignore(chair, write(message))
            return
        claim = claim.without(chair.seat)
        self._run.claim = claim
        if not message.accepts or not claim.asked:
            self._decide_claim(message.accepts, now)

    def _decide_claim(self, accepted: bool, now: float) -> None:
        claim, course = self._run.claim, self.course
        assert claim is not None
        assert course is not None
        play = course.play
        assert play is not None
        self._run.claim = None
        for chair in self._row:
            if chair.seat is not play.dummy:
                self._send(chair, ClaimDecided(claim.claimant, accepted))
        if accepted:
            side = play.contract.side
            tricks = play.tricks_won(side)
            if claim.claimant.side is side:
                tricks = 13 - play.tricks_won(side.opponents)
            self._record(Played(play.contract, tricks), now, claimed_by=claim.claimant)
            for chair in self._row:
                if chair.talk is not None and chair.talk.course is course:
                    chair.talk.board_over()
        else:
            self._wake(now)
            for chair in self._row:
                held, chair.held = chair.held, None
                if held is not None and chair.talk is not None:
                    self._hear_card(chair, chair.talk, held, now)
        self._advance(now)

    # Clocks

    def _stop_clock(self, chair: Chair, now: float) -> float:
        if chair.thinking is None:
            return 0.0
        spent = max(0.0, now - chair.thinking)
        chair.thinking = None
        self._run.seconds[chair.seat.side] += spent
        return spent

    def _start_clock(self, chair: Chair, talk: Conversation, now: float) -> None:
        if chair.thinking is None and self._is_live(talk):
            chair.thinking = chair.since = now

    def _wake(self, now: float) -> None:
        """After a pause: nobody is late because of it, and clocks go on."""
        for chair in self._row:
            if chair.talk is not None:
                chair.since = now
                if chair.talk.is_thinking:
                    self._start_clock(chair, chair.talk, now)

    def _look_at_clocks(self, now: float) -> None:
        rules, run = self.rules, self._run
        if run.claim is not None:
            if rules.timeout is not None and now >= run.claim.since + rules.timeout:
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
            if late and talk.waits_for_player and run.question is None:
                self._late(chair, talk, now)
            elif rules.board_timeout is not None and chair.thinking is not None:
                spent = run.seconds[seat.side] + now - chair.thinking
                if spent >= rules.board_timeout:
                    words = (
                        f"{'North-South' if seat.side is Side.NS else 'East-West'} used up the board's time"
                    )
                    self._rule(seat, words, now)

    def _late(self, chair: Chair, talk: Conversation, now: float) -> None:
        reason = f"{chair.seat.title} was silent: {talk.state.value}"
        chair.since = now
        if self.begun and talk.state not in NOT_STARTED:
            self._rule(chair.seat, reason, now)
        elif chair.link is not None:
            link = chair.link
            self._refuse(link, "nothing was heard.")
            self._leave(link, now)

    # Words for the log

    def _ignore(self, chair: Chair, line: str) -> None:
        self._note(f"ignored from {chair.seat.title}: {_shown(line)}")

    def _note(self, text: str) -> None:
        self._out.append(Noted(text))

    def _done(self) -> list[Output]:
        out, self._out = self._out, []
        return out


_NEXT = {
    State.DEAL: Table._next_deal,
    State.CARDS: Table._next_cards,
    State.HEAR_CALL: Table._next_call,
    State.LEAD: Table._next_lead,
    State.HEAR_CARD: Table._next_card,
    State.DUMMY: Table._next_dummy,
}
"""How the table finds what it has to send in each state."""


def operators_alert(words: str) -> str:
    """What an operator typed, as the alert that is sent.

    >>> operators_alert("5 cards in spades, at least 12 total points")
    'Alert. 5 cards in spades, at least 12 total points.'
    """
    tail = words.strip() if is_marked(words) else f"Alert. {words.strip()}"
    alert = read_alert(tail)
    return str(alert) if alert is not None and alert.is_in_grammar else tail


def _shown(line: str) -> str:
    text = line if len(line) <= 120 else line[:117] + "..."
    return repr(text)


__all__ = ["Chair", "Table", "operators_alert", "same_team"]
