"""What is on a table and what it sends: chairs, the board in play, records, rulings and clocks.

The lower half of the Table Manager's side; it hears nothing. Knows no socket, file or clock.
"""

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, field

from overtrick.bridge import SEATS, Outcome, Seat, Side
from overtrick.tablemanager.claims import Claim
from overtrick.tablemanager.conversation import NOT_STARTED, PLAYER, Conversation, Course, State
from overtrick.tablemanager.messages import (
    BoardLine,
    Calls,
    Cards,
    EndOfSession,
    Message,
    Plays,
    Ready,
    StartOfBoard,
    Teams,
    Timing,
    ToLead,
    write,
)
from overtrick.tablemanager.rules import (
    Board,
    BoardRecord,
    Ended,
    Noted,
    Output,
    Question,
    Recorded,
    Rules,
    Ruling,
    Send,
    award_against,
)


@dataclass(slots=True)
class Guest:
    """A connection that has no seat yet."""

    since: float
    only: Seat | None
    address: str = ""
    strange: int = 0


@dataclass(slots=True)
class Chair:
    """A seat, whoever sits there at the moment."""

    seat: Seat
    team: str | None = None
    link: Hashable | None = None
    address: str = ""
    """Where the player is or was connected from."""
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


class Tabletop:
    """The state of a table, and everything that follows from it without a word from a player."""

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
            if chair.early is not None:
                self._look_back(chair, talk)
            if talk.state in PLAYER and talk.course is self.course:
                break
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

    def _look_back(self, chair: Chair, talk: Conversation) -> None:
        """Take what came too early, if this was what it waited for."""
        early, chair.early = chair.early, None
        if early is not None and talk.player_may(early):
            talk.player_sent(early)

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
            chair.offences = chair.strange = 0
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

    # Words for the log

    def _note(self, text: str) -> None:
        self._out.append(Noted(text))

    def _done(self) -> list[Output]:
        out, self._out = self._out, []
        return out


_NEXT = {
    State.DEAL: Tabletop._next_deal,
    State.CARDS: Tabletop._next_cards,
    State.HEAR_CALL: Tabletop._next_call,
    State.LEAD: Tabletop._next_lead,
    State.HEAR_CARD: Tabletop._next_card,
    State.DUMMY: Tabletop._next_dummy,
}
"""How the table finds what it has to send in each state."""


def shown(line: str) -> str:
    """A line for the log: no more than a line of it, and nothing that a terminal would obey."""
    text = line if len(line) <= 120 else line[:117] + "..."
    return repr(text)
