"""The hall of a demonstration: people at terminals who play, err, call the director, and lose the network.

Everyone in it says how many minutes they are busy, and the hall wakes whoever is next. What they do goes through a
`Terminal` and the control software, as it would from a phone; nobody here writes a result by hand but the director.
"""

from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from heapq import heappop, heappush
from itertools import count
from random import Random

from overtrick.bridge import Card, Contract, Outcome, Played, Tricks
from overtrick.control import Terminal, inputs, screens
from overtrick.errors import OvertrickError
from overtrick.event import Command, Rejection, Session
from overtrick.event.calls import AnswerCall, CallStatus
from overtrick.event.movement import is_played
from overtrick.event.results import CorrectResult, Origin, Place, ResultEntry
from overtrick.event.settings import ResultEntryMethod
from overtrick.host.control import ControlRoom
from overtrick.host.simulator import Evening, plausible, slip
from overtrick.words import counted

MINUTES_A_BOARD = 7.0
MINUTES_TO_MOVE = 2.0
MINUTES_A_LOOK = 0.5
"""How often those who wait look whether they can go on."""
MINUTES_AWAY = 10.0
"""After so long without a result the players take their table back from whoever took it."""
MOST_KEYS = 60
"""Keys that a board takes at most; more means that the terminal does not understand its players."""

Person = Iterator[float | str]
"""Says how many minutes it is busy, or something that is worth telling."""
OK = inputs.Confirm()


class DemoFailed(OvertrickError):
    """The demonstration could not go on."""

    code = "demo-failed"


class Phone:
    """The terminal of a table, and its network."""

    def __init__(self, hall: "Hall", section: str, table: int) -> None:
        self.section, self.table = section, table
        self.is_online = True
        self._hall = hall
        self._known: tuple[tuple[str, int], int] | None = None
        """The table and the version of the session that the terminal has seen."""
        tables = hall.room.lobby(hall.evening.session)
        self.terminal = Terminal(f"demo {section}{table}", hall.evening.session, tables, run=hall.run)

    @property
    def screen(self) -> screens.Screen:
        """What it shows, with what has come over the network."""
        self.exchange()
        return self.terminal.display.screen

    def press(self, *keys: inputs.Input) -> None:
        """Press keys that it shows."""
        for key in keys:
            if not self.terminal.press(key, self._hall.now):
                raise DemoFailed(
                    f"The terminal of table {self.section}{self.table} did not take {key} where it shows "
                    f"{type(self.terminal.display.screen).__name__}; the results so far are kept."
                )
            self.exchange()

    def exchange(self) -> int:
        """Send what was entered and hear what is new, if there is a network; how many entries were sent."""
        if not self.is_online:
            return 0
        sent = self.terminal.unsent()
        for entry in sent:
            answer = self._hall.room.submit(entry, self.terminal.machine.device)
            if isinstance(answer, Rejection):
                self.terminal.refuse(entry.id, answer)
            else:
                self.terminal.acknowledge(entry.id, answer)
        choice, guid = self.terminal.machine.choice, self._hall.evening.session
        if choice is None:
            self.terminal.update(None, self._hall.room.lobby(guid))
            self._known = None
        elif (known := (choice, self._hall.room.version(guid))) != self._known:
            # A snapshot is costly in a large field, and most looks find nothing new.
            self.terminal.update(self._hall.room.snapshot(guid, *choice), None)
            self._known = known
        return len(sent)


class Hall:
    """Everyone in the room. `run` must be new for each start of the demonstration on the same journal."""

    def __init__(
        self, evening: Evening, room: ControlRoom, tricks: Callable[[int], Tricks], *, run: str
    ) -> None:
        self.evening = evening
        self.room = room
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
        self._before = _rounds_before(session)
        for place, (section, table) in enumerate(sorted(session.movement.tables)):
            self.come(self._at_table(section, table), place / 60)
        self._pick_up_loose_ends(session)

    @property
    def session(self) -> Session:
        """The session as it stands."""
        session = self.room.session(self.evening.session)
        if session is None:
            raise DemoFailed("The demonstration's session is not in its journal.")
        return session

    @property
    def now(self) -> datetime:
        """The time on the wall."""
        return self.evening.starts + timedelta(minutes=self.minute)

    def come(self, person: Person, minutes: float = 0.0) -> None:
        """Someone begins, so many minutes from now."""
        heappush(self._waiting, (self.minute + minutes, next(self._numbers), person))

    def happen(self, wait: Callable[[float], None]) -> Iterator[str]:
        """Let everyone do what they do, in order, and tell what is worth telling; `wait` lets so many minutes pass."""
        while self._waiting:
            minute, number, person = heappop(self._waiting)
            if minute > self.minute:
                wait(minute - self.minute)
                self.minute = minute
            said = next(person, None)
            self.room.tick()
            if isinstance(said, str):
                heappush(self._waiting, (minute, number, person))
                yield said
            elif said is not None:
                heappush(self._waiting, (minute + said, number, person))

    # The players --------------------------------------------------------------------------------------------

    def _at_table(self, section: str, table: int) -> Person:
        """Four people and their phone, from sitting down to the end of the session."""
        phone = Phone(self, section, table)
        phone.press(inputs.Choose(section, table))
        away = 0.0
        while True:
            match phone.screen:
                case screens.EndScreen():
                    return
                case screens.LogOnScreen() if away < MINUTES_AWAY:
                    # Somebody has taken the table over, perhaps a visitor with a real phone: let them play.
                    away += MINUTES_A_LOOK
                    yield MINUTES_A_LOOK
                case screens.LogOnScreen():
                    away = 0.0
                    phone.press(inputs.Choose(section, table))
                case screens.ConnectingScreen() | screens.WaitingScreen():
                    yield MINUTES_A_LOOK
                case screens.NumberScreen() as asked:
                    phone.press(inputs.Number(asked.preloaded))
                case screens.RoundScreen() as coming:
                    while not self._have_come(section, table, coming.round):
                        yield MINUTES_A_LOOK
                    yield MINUTES_TO_MOVE
                    if isinstance(phone.screen, screens.RoundScreen):
                        phone.press(OK)
                case screens.BoardScreen() as asked:
                    phone.press(inputs.Board(asked.asked))
                case screens.EntryScreen() as begun:
                    yield from self._play(phone, begun.board)
                case _:
                    phone.press(OK)

    def _play(self, phone: Phone, board: int) -> Person:
        """A board at a table: now and then a slip, a doubt, a call, or no network."""
        place = phone.section, phone.table, phone.terminal.machine.round, board
        chance, minutes, outcome, slips, calls = self._fate(place)
        loses, doubts = chance.random() < 0.02, chance.random() < 0.05
        if loses and phone.is_online:
            phone.is_online = False
            self.come(self._come_back(phone), chance.uniform(4, 12))
            yield f"{self._name(phone)} has lost the network and plays on"
        yield minutes - 1
        if calls and inputs.CallDirector in phone.terminal.display.keys:
            phone.press(inputs.CallDirector())
            self.come(self._rule(phone), 1.0)
            yield f"{self._name(phone)} calls the director"
        yield 1.0
        meant = slip(outcome) if slips else outcome
        for _ in range(MOST_KEYS):
            asked = phone.screen
            if not isinstance(asked, screens.EntryScreen) or asked.board != board:
                break
            doubts = self._key(phone, asked, meant, doubts, chance)
        else:
            raise DemoFailed(f"{self._name(phone)} could not enter {meant} for board {board}.")
        if place in self._entered or place in self.session.results.standing or not phone.is_online:
            self._entered.add(place)
            if slips:
                self.come(self._correct(place, outcome), 3.0)
            yield f"{self._name(phone)}, board {board}: {meant}"

    def _fate(self, place: Place) -> tuple[Random, float, Outcome, bool, bool]:
        """What the seed has in store for a board: how long it takes, its result, whether it is entered wrong at
        first, and whether the director is called."""
        section, table, number, board = place
        name = f"{table}" if section == "A" else f"{section}{table}"
        chance = Random(f"{self.evening.seed}/{name}/{number - 1}/{board}")
        minutes = max(2.5, chance.gauss(MINUTES_A_BOARD, 1.5))
        outcome = plausible(self.evening.deals[board], self._tricks(board), board, chance)
        return chance, minutes, outcome, chance.random() < 0.03, chance.random() < 0.03

    def _key(
        self, phone: Phone, asked: screens.EntryScreen, meant: Outcome, doubts: bool, chance: Random
    ) -> bool:
        """Press what the screen asks for; whether the opponents still doubt what they will see."""
        played = meant if isinstance(meant, Played) else None
        match asked:
            case screens.VerifyScreen() if doubts:
                phone.press(inputs.Cancel())
                return False
            case screens.ContractScreen() if played is None:
                phone.press(inputs.PassOut())
            case screens.ContractScreen() if played:
                phone.press(inputs.Bid(played.contract.level, played.contract.strain))
            case screens.DeclarerScreen() if played:
                phone.press(
                    inputs.Double(played.contract.doubling), inputs.Declarer(played.contract.declarer)
                )
            case screens.LeadScreen() if played:
                phone.press(inputs.Lead(self._lead(played.contract, asked.board, chance)))
            case screens.ResultScreen() if played:
                phone.press(inputs.Result(_typed(played, asked.method)))
            case _:
                phone.press(OK)
        return doubts

    def _lead(self, contract: Contract, board: int, chance: Random) -> Card:
        hand = self.evening.deals[board][contract.declarer.next]
        return chance.choice(sorted(hand, key=str))

    def _have_come(self, section: str, table: int, number: int) -> bool:
        """Whether both pairs of a round have played all of the round before."""
        standing = self.session.results.standing
        return all(
            place in self._entered or place in standing
            for before in self._before.get((section, table, number), ())
            for place in before
        )

    def _come_back(self, phone: Phone) -> Person:
        phone.is_online = True
        sent = phone.exchange()
        yield f"{self._name(phone)} has the network again: {counted(sent, 'entry', 'entries')} to send"

    def _name(self, phone: Phone) -> str:
        one_section = len(self.evening.movements) == 1
        return f"Table {phone.table}" if one_section else f"Table {phone.section}{phone.table}"

    # The director -------------------------------------------------------------------------------------------

    def _correct(self, place: Place, outcome: Outcome) -> Person:
        """Somebody has said at the desk that the wrong side was entered."""
        while place not in self.session.results.standing:
            yield MINUTES_A_LOOK
        entry = ResultEntry(*place, outcome, self.now)
        self.do(CorrectResult(self.evening.session, entry, Origin.DESK))
        yield f"Table {place[1]}, board {place[3]}: the director corrects it to {outcome}"

    def _rule(self, phone: Phone) -> Person:
        """Come to a table that has called, and rule."""
        here = [
            call
            for call in self.session.calls.calls.values()
            if call.is_open and (call.section, call.table) == (phone.section, phone.table)
        ]
        if not here:
            # The call has not come through: the table has no network, and sends for the director.
            yield MINUTES_A_LOOK
            if not phone.is_online:
                self.come(self._rule(phone), MINUTES_A_LOOK)
            return
        for status, minutes in ((CallStatus.IN_PROGRESS, 1.5), (CallStatus.RESOLVED, 0.0)):
            for call in here:
                self.do(AnswerCall(self.evening.session, call.call, status, self.now))
            yield minutes
        yield f"{self._name(phone)}: the director has ruled"

    def _pick_up_loose_ends(self, session: Session) -> None:
        """What the director had not done yet when the demonstration was interrupted."""
        for place, result in session.results.standing.items():
            _, _, outcome, slips, _ = self._fate(place)
            if slips and result.outcome == slip(outcome) != outcome:
                self.come(self._correct(place, outcome), 3.0)
        for call in session.calls.calls.values():
            if call.is_open:
                phone = Phone(self, call.section, call.table)
                self.come(self._rule(phone), 1.0)

    def do(self, command: Command) -> None:
        """Do something at the desk."""
        answer = self.room.house.do(command, actor="demo")
        if isinstance(answer, Rejection):
            raise DemoFailed(f"The demonstration could not go on: {answer}")


def _typed(played: Played, method: ResultEntryMethod) -> int:
    """The figure that stands for a result in a method of entering it."""
    over = played.tricks - played.contract.level - 6
    if method is ResultEntryMethod.TOTAL:
        return played.tricks
    if method is ResultEntryMethod.AMERICAN and over >= 0:
        return played.tricks - 6
    return over


def _rounds_before(session: Session) -> dict[tuple[str, int, int], list[list[Place]]]:
    """For each round of each table, the boards that its pairs play just before it."""
    before: dict[tuple[str, int, int], list[list[Place]]] = {}
    last: dict[object, list[Place]] = {}
    most = max((len(table.rounds) for table in session.movement.tables.values()), default=0)
    for number in range(1, most + 1):
        now: dict[object, list[Place]] = {}
        for (section, table), at_table in session.movement.tables.items():
            if number > len(at_table.rounds) or not is_played(
                session.setup.sections[section], played := at_table.rounds[number - 1]
            ):
                continue
            pairs = [("NS", played.ns), ("EW", played.ew)]
            two = session.winners(section) == 2
            for side, pair in pairs:
                name = (section, pair, side if two else "")
                before.setdefault((section, table, number), []).append(last.get(name, []))
                now[name] = [(section, table, number, board) for board in played.boards]
        last.update(now)
    return before
