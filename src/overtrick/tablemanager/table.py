"""The Table Manager's side of a table: lines in, what is to be done out. Knows no socket, file or clock.

The order of messages is `conversation`'s; here is what passes between the four of them: who sits where, the
course of each board, rulings, clocks, and players who go and come back. Every method that lets something
happen takes the time and gives a list of outputs; `deadline` says when to call `tick` all the same.
"""

from collections.abc import Hashable, Mapping

from overtrick.bridge import Seat, Side
from overtrick.tablemanager.alerts import operators_alert
from overtrick.tablemanager.conversation import DUE, NOT_STARTED, PLAYER, Conversation, State
from overtrick.tablemanager.hearing import Hearing
from overtrick.tablemanager.messages import (
    Connecting,
    Message,
    Seated,
    read,
    write,
)
from overtrick.tablemanager.rules import (
    HangUp,
    Output,
    Question,
    Send,
)
from overtrick.tablemanager.seating import SeatRefused, Taken, seat_for
from overtrick.tablemanager.tabletop import Chair, Guest, Running, shown

MAX_GUESTS = 64
"""Connections without a seat at a time."""


_NEVER = float("inf")


class Table(Hearing):
    """One table, from the first connection to the end of the session."""

    # What happens to a table

    def opened(self, link: Hashable, now: float, only: Seat | None = None, address: str = "") -> list[Output]:
        """Someone connected from an address; `only` is the seat that the port they came by is for."""
        if self.is_over or len(self._guests) >= MAX_GUESTS:
            self._refuse(link, "the session is over." if self.is_over else "too many are waiting for a seat.")
        else:
            self._guests[link] = Guest(now, only, address)
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

    @property
    def running(self) -> Running:
        """What is known of the board in play besides its course; to look at, not to change."""
        return self._run

    # Seats

    def _greet(self, link: Hashable, message: Message | None, line: str, now: float) -> None:
        guest = self._guests[link]
        if not isinstance(message, Connecting):
            self._note(f"a guest sent {shown(line)}")
            guest.strange += 1
            if guest.strange >= 5:
                self._refuse(link, "nobody asked for a seat.")
            return
        taken = [
            Taken(chair.seat, chair.team, chair.link is not None, self._kept(chair, guest, now))
            for chair in self._row
        ]
        try:
            seat = seat_for(message, taken, guest.only)
        except SeatRefused as refusal:
            self._refuse(link, refusal.sentence)
            return
        del self._guests[link]
        chair = self.chairs[seat]
        chair.team = chair.team or message.team
        chair.link, chair.talk, chair.since = link, Conversation(seat), now
        chair.address = guest.address
        chair.thinking = chair.early = chair.held = chair.last = None
        chair.strange = 0
        self._by_link[link] = chair
        self._note(f'{seat.title} {"is back" if self.begun else "sits down"}: "{chair.team}"')
        self._out.append(Send(link, write(Seated(seat, message.team), self.rules.dialect)))

    def _kept(self, chair: Chair, guest: Guest, now: float) -> float:
        """For how many seconds more a lost seat is kept for another address than the guest's."""
        if chair.team is None or not self.begun or guest.address == chair.address:
            return 0.0
        return max(0.0, chair.since + self.rules.keeps_address - now)

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
