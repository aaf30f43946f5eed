"""Simulated players of a demonstration, at phones: they play, make slips, call the director and lose the network.

Each person is a generator that yields how many minutes it is busy; `DemoPlayers` is the event loop that resumes
whoever is next. Players send the entries that phones send; only the director writes commands directly.
"""

from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from heapq import heappop, heappush
from itertools import count
from random import Random

from overtrick.bridge import Card, Outcome, Played, Tricks
from overtrick.control.device_location import TablePlace
from overtrick.errors import OvertrickError
from overtrick.event import Command, Rejection, Session
from overtrick.event.calls import AnswerCall, CallStatus
from overtrick.event.movement import is_played
from overtrick.event.place import Place
from overtrick.event.results import CorrectResult, Origin, ResultEntry
from overtrick.host.control import ControlSoftware
from overtrick.host.simulated_phone import SimulatedPhone
from overtrick.host.simulator import Evening, plausible_result, slip
from overtrick.words import counted

MINUTES_A_BOARD = 7.0
MINUTES_TO_MOVE = 2.0
MINUTES_BETWEEN_CHECKS = 0.5
"""Minutes between two checks of someone who waits."""
MINUTES_AWAY = 10.0
"""Minutes after which players take their table back from a visitor."""

Person = Iterator[float | str]
"""A generator of how many minutes someone is busy, or of a sentence to report."""


class DemoFailed(OvertrickError):
    """Error that stops the demonstration."""

    code = "demo-failed"


class DemoPlayers:
    """All players and the director. `run` must be new for each start of the demonstration on the same journal."""

    def __init__(
        self, evening: Evening, control: ControlSoftware, tricks: Callable[[int], Tricks], *, run: str
    ) -> None:
        self.evening = evening
        self.control = control
        self.run = run
        self._tricks = tricks
        session = self.session
        self.minute = max(
            (
                (result.at - evening.starts) / timedelta(minutes=1)
                for result in session.results.standing.values()
            ),
            default=0.0,
        )
        self._waiting: list[tuple[float, int, Person]] = []
        self._numbers = count()
        self._entered: set[Place] = set()
        self._before = _boards_before_rounds(session)
        for place, (section, table) in enumerate(sorted(session.movement.tables)):
            self.schedule(self._at_table(section, table), place / 60)
        self._schedule_unfinished_work(session)

    @property
    def session(self) -> Session:
        """Return the session as it stands; raise DemoFailed if the journal has none."""
        session = self.control.session(self.evening.session)
        if session is None:
            raise DemoFailed("The demonstration's session is not in its journal.")
        return session

    @property
    def now(self) -> datetime:
        """Return the time of the evening."""
        return self.evening.starts + timedelta(minutes=self.minute)

    def schedule(self, person: Person, minutes: float = 0.0) -> None:
        """Schedule a person a number of minutes from now."""
        heappush(self._waiting, (self.minute + minutes, next(self._numbers), person))

    def play(self, wait: Callable[[float], None]) -> Iterator[str]:
        """Run everyone in order of time; yield the sentences to report. `wait` waits for a number of minutes."""
        while self._waiting:
            minute, number, person = heappop(self._waiting)
            if minute > self.minute:
                wait(minute - self.minute)
                self.minute = minute
            action = next(person, None)
            self.control.tick()
            if isinstance(action, str):
                heappush(self._waiting, (minute, number, person))
                yield action
            elif action is not None:
                heappush(self._waiting, (minute + action, number, person))

    # The players --------------------------------------------------------------------------------------------

    def _at_table(self, section: str, table: int) -> Person:
        """Play at a table, from logging on to the end of the session."""
        phone = self._phone(section, table)
        phone.log_on()
        minutes_away, arrived_round = 0.0, 0
        while phone.snapshot is not None:
            next_board = phone.next_board()
            if phone.is_online and not phone.is_logged_on:
                # Somebody has taken the table over, perhaps a visitor with a real phone: let them play.
                if minutes_away < MINUTES_AWAY:
                    minutes_away += MINUTES_BETWEEN_CHECKS
                    yield MINUTES_BETWEEN_CHECKS
                    phone.exchange()
                else:
                    minutes_away = 0.0
                    phone.log_on()
            elif next_board is None:
                if not phone.snapshot.is_waiting:
                    return
                yield MINUTES_BETWEEN_CHECKS
                phone.exchange()
            elif next_board[0] != arrived_round:
                while not self._have_arrived(section, table, next_board[0]):
                    yield MINUTES_BETWEEN_CHECKS
                yield MINUTES_TO_MOVE
                arrived_round = next_board[0]
                phone.exchange()
            else:
                yield from self._play(phone, *next_board)

    def _play(self, phone: SimulatedPhone, number: int, board: int) -> Person:
        """Play one board; sometimes with a slip, a call for the director, or a lost network."""
        place = phone.place.section, phone.place.table, number, board
        rng, minutes, outcome, slips, calls = self._random_choices(place)
        if rng.random() < 0.02 and phone.is_online:
            phone.is_online = False
            self.schedule(self._reconnect(phone), rng.uniform(4, 12))
            yield f"{self._name(phone)} has lost the network and plays on"
        yield minutes - 1
        snapshot = phone.snapshot
        if calls and snapshot is not None and snapshot.rules.director_calls and snapshot.call is None:
            phone.call_director(number, board)
            self.schedule(self._answer_calls(phone), 1.0)
            yield f"{self._name(phone)} calls the director"
        yield 1.0
        phone.exchange()
        if phone.next_board() != (number, board) or (phone.is_online and not phone.is_logged_on):
            return  # a visitor has the table, or has entered the board
        entered_outcome = slip(outcome) if slips else outcome
        phone.enter(number, board, entered_outcome, self._lead(entered_outcome, board, rng))
        if phone.next_board() == (number, board):
            return  # it was refused
        self._entered.add(place)
        if slips:
            self.schedule(self._correct(place, outcome), 3.0)
        yield f"{self._name(phone)}, board {board}: {entered_outcome}"

    def _random_choices(self, place: Place) -> tuple[Random, float, Outcome, bool, bool]:
        """Return the random choices for a board, which follow from the seed.

        They are: a random generator for more, the minutes it takes, its result, whether a slip is entered first, and
        whether the director is called.
        """
        section, table, number, board = place
        name = f"{table}" if section == "A" else f"{section}{table}"
        rng = Random(f"{self.evening.seed}/{name}/{number - 1}/{board}")
        minutes = max(2.5, rng.gauss(MINUTES_A_BOARD, 1.5))
        outcome = plausible_result(self.evening.deals[board], self._tricks(board), board, rng)
        return rng, minutes, outcome, rng.random() < 0.03, rng.random() < 0.03

    def _lead(self, outcome: Outcome, board: int, rng: Random) -> Card | None:
        """Return a card of the player to declarer's left, where there is one."""
        if not isinstance(outcome, Played):
            return None
        return rng.choice(sorted(self.evening.deals[board][outcome.contract.declarer.next], key=str))

    def _have_arrived(self, section: str, table: int, number: int) -> bool:
        """Return whether both pairs of a round have played every board of the round before."""
        standing = self.session.results.standing
        return all(
            place in self._entered or place in standing
            for boards_before in self._before.get((section, table, number), ())
            for place in boards_before
        )

    def _reconnect(self, phone: SimulatedPhone) -> Person:
        phone.is_online = True
        count = phone.exchange()
        yield f"{self._name(phone)} has the network again: {counted(count, 'entry', 'entries')} to send"

    def _name(self, phone: SimulatedPhone) -> str:
        one_section = len(self.evening.movements) == 1
        return f"Table {phone.place.table if one_section else phone.place}"

    def _phone(self, section: str, table: int) -> SimulatedPhone:
        return SimulatedPhone(
            self.control,
            self.evening.session,
            TablePlace(section, table),
            device=f"demo {section}{table}",
            run=self.run,
            now=lambda: self.now,
        )

    # The director -------------------------------------------------------------------------------------------

    def _correct(self, place: Place, outcome: Outcome) -> Person:
        """Correct a slip at the desk, once its result has arrived."""
        while place not in self.session.results.standing:
            yield MINUTES_BETWEEN_CHECKS
        entry = ResultEntry(*place, outcome, self.now)
        self.do(CorrectResult(self.evening.session, entry, Origin.DESK))
        yield f"Table {place[1]}, board {place[3]}: the director corrects it to {outcome}"

    def _answer_calls(self, phone: SimulatedPhone) -> Person:
        """Answer the call of a table."""
        calls = [
            call
            for call in self.session.calls.calls.values()
            if call.is_open and (call.section, call.table) == (phone.place.section, phone.place.table)
        ]
        if not calls:
            # The call has not arrived: while the table has no network, check again later.
            yield MINUTES_BETWEEN_CHECKS
            if not phone.is_online:
                self.schedule(self._answer_calls(phone), MINUTES_BETWEEN_CHECKS)
            return
        for status, minutes in ((CallStatus.IN_PROGRESS, 1.5), (CallStatus.RESOLVED, 0.0)):
            for call in calls:
                self.do(AnswerCall(self.evening.session, call.call, status, self.now))
            yield minutes
        yield f"{self._name(phone)}: the director has ruled"

    def _schedule_unfinished_work(self, session: Session) -> None:
        """Schedule what the director had not done when the demonstration was interrupted."""
        for place, result in session.results.standing.items():
            _, _, outcome, slips, _ = self._random_choices(place)
            if slips and result.outcome == slip(outcome) != outcome:
                self.schedule(self._correct(place, outcome), 3.0)
        for call in session.calls.calls.values():
            if call.is_open:
                self.schedule(self._answer_calls(self._phone(call.section, call.table)), 1.0)

    def do(self, command: Command) -> None:
        """Execute a command of the desk; raise DemoFailed if it is rejected."""
        answer = self.control.runtime.do(command, actor="demo")
        if isinstance(answer, Rejection):
            raise DemoFailed(f"The demonstration had to stop: {answer}")


def _boards_before_rounds(session: Session) -> dict[tuple[str, int, int], list[list[Place]]]:
    """Return, for each round of each table, the boards that its pairs play just before it."""
    before: dict[tuple[str, int, int], list[list[Place]]] = {}
    last: dict[object, list[Place]] = {}
    round_count = max((len(table.rounds) for table in session.movement.tables.values()), default=0)
    for number in range(1, round_count + 1):
        boards_now: dict[object, list[Place]] = {}
        for (section, table), at_table in session.movement.tables.items():
            if number > len(at_table.rounds) or not is_played(
                session.setup.sections[section], played := at_table.rounds[number - 1]
            ):
                continue
            pairs = [("NS", played.ns), ("EW", played.ew)]
            has_two_winners = session.winners(section) == 2
            for side, pair in pairs:
                pair_key = (section, pair, side if has_two_winners else "")
                before.setdefault((section, table, number), []).append(last.get(pair_key, []))
                boards_now[pair_key] = [(section, table, number, board) for board in played.boards]
        last.update(boards_now)
    return before
