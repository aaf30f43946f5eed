"""What a table does with the messages of seated players: calls, cards, claims, and who leaves.

The middle of the Table Manager's side; the order of messages is `conversation`'s. Knows no socket, file or clock.
"""

from collections.abc import Hashable

from overtrick.bridge import IllegalCall, PassedOut, Played
from overtrick.bridge.play import IllegalCard
from overtrick.tablemanager.alerts import is_marked, words_of
from overtrick.tablemanager.claims import Claim
from overtrick.tablemanager.conversation import IN_PLAY, Conversation, Course, State
from overtrick.tablemanager.messages import (
    ILLEGAL_BID,
    ILLEGAL_CARD,
    Answers,
    Calls,
    Cards,
    ClaimDecided,
    Claims,
    Message,
    Plays,
    Ready,
    Refused,
    Unclear,
    write,
)
from overtrick.tablemanager.pauses import needs_pause
from overtrick.tablemanager.rules import (
    Alerts,
    HangUp,
    Question,
    Send,
)
from overtrick.tablemanager.tabletop import Chair, Tabletop, shown

MAX_STRANGE = 200
"""Lines of a player on one board that could not be used, before it is hung up on."""

_WAITS_FOR_OTHERS = frozenset({State.TEAMS, State.START, State.CARDS})


class Hearing(Tabletop):
    """A table that hears its players."""

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
            self._ignore(chair, line, now)
            return
        seat = getattr(message, "seat", None)
        if seat is not chair.seat and not self._is_for_dummy(chair, message):
            self._ignore(chair, line, now)
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
                self._ignore(chair, line, now)

    def _ignore(self, chair: Chair, line: str, now: float) -> None:
        self._note(f"ignored from {chair.seat.title}: {shown(line)}")
        chair.strange += 1
        if chair.strange >= MAX_STRANGE and chair.link is not None:
            link = chair.link
            self._refuse(link, "too much that could not be used.")
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
        if chair.early is not None:
            self._look_back(chair, talk)
        self._advance(now)

    def _out_of_turn(self, chair: Chair, talk: Conversation, message: Calls | Plays, now: float) -> None:
        """A repeat and what is left over from before a restart do no harm; anything else is illegal."""
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
        self._note(f"illegal {what} by {chair.seat.title} ({chair.offences}): {shown(why)}")
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
        why = self._no_claim(chair, talk)
        if why is not None or course is None or play is None:
            # Whoever claims waits for an answer, and is told at once that nobody is asked.
            self._ignore(chair, f"{chair.seat.title} claims", now)
            self._send(chair, ClaimDecided(chair.seat, False, why or ""))
            return
        run.claims.add((chair.seat, talk.trick))
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

    def _no_claim(self, chair: Chair, talk: Conversation) -> str | None:
        """Why a player cannot claim now, or None when it can."""
        course, run = self.course, self._run
        if not self.rules.claims:
            return "claims are off at this table"
        is_in_play = talk.state in IN_PLAY and not run.is_recorded
        if course is None or course.play is None or not is_in_play or talk.calls < len(course.auction.calls):
            return "there are no tricks to claim"
        if chair.seat is course.dummy:
            return "dummy cannot claim"
        if run.claim is not None:
            return "another claim is being answered"
        if (chair.seat, talk.trick) in run.claims:
            return "a player may claim once in a trick"
        return None

    def _hear_answer(self, chair: Chair, message: Answers, now: float) -> None:
        claim = self._run.claim
        if claim is None or message.claimant is not claim.claimant or chair.seat not in claim.asked:
            self._ignore(chair, write(message), now)
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
