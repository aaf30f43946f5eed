"""An evening that plays itself: players who bid near what can be made, score, err, and call the director.

Everything follows from a seed, board by board, so that an evening that was interrupted goes on as it would have.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from hashlib import md5
from random import Random

from overtrick import movements
from overtrick.bridge import (
    SEATS,
    Contract,
    Deal,
    Doubling,
    Outcome,
    PassedOut,
    Played,
    Seat,
    Side,
    Strain,
    Tricks,
    dealer,
)
from overtrick.event import Command, OpenEvent, Session, SessionPlan
from overtrick.event.calls import AnswerCall, CallDirector, CallStatus
from overtrick.event.hands import HandRecord
from overtrick.event.movement import SectionPlan, is_played, table_plans
from overtrick.event.results import CorrectResult, EnterResult, Origin, ResultEntry
from overtrick.event.seating import Participation, Player
from overtrick.event.setup import GroupPlan, SetStatus, Status
from overtrick.event.tables import LogOn
from overtrick.scoring import Method

# fmt: off
FIRST_NAMES = (
    "Ada", "Bram", "Carla", "Dirk", "Elsa", "Finn", "Greta", "Hugo", "Iris", "Jonas", "Kaja", "Lars",
    "Mona", "Nils", "Olga", "Piet", "Rosa", "Sven", "Thea", "Uwe", "Vera", "Wim", "Yara", "Zeno", "Anna",
    "Boris", "Clara", "Daan", "Emil", "Freya", "Gijs", "Hanna",
)
LAST_NAMES = (
    "Aalto", "Berg", "Costa", "Dahl", "Evans", "Ferro", "Gruber", "Hansen", "Ivanov", "Jansen", "Keller",
    "Lund", "Moreau", "Novak", "Olsen", "Petrov", "Quist", "Rossi", "Smit", "Toth", "Unger", "Visser",
    "Weber", "Yilmaz", "Zoltan", "Bauer", "Klein", "Lopez", "Martin", "Nowak", "Pohl", "Ruiz",
)
# fmt: on

MINUTES_A_BOARD = 7.0
MINUTES_TO_MOVE = 2.0
TO_BID_GAME = {Strain.CLUBS: 11, Strain.DIAMONDS: 11, Strain.HEARTS: 10, Strain.SPADES: 10, Strain.NOTRUMP: 9}


@dataclass(frozen=True, slots=True)
class Evening:
    """What an evening is made of: its session, its movement and its deals."""

    session: str
    seed: int
    movement: movements.Movement
    deals: dict[int, Deal]
    starts: datetime


@dataclass(frozen=True, slots=True)
class Happening:
    """Something that somebody does, so many minutes into the evening, and how one would tell it."""

    minute: float
    command: Command
    words: str = ""


def plan_evening(tables: int, seed: int, starts: datetime, boards: int = 24) -> Evening:
    """An evening for so many tables in which everyone plays about so many boards."""
    chosen = movements.choose(2 * tables, boards)[0].movement
    chance = Random(seed)
    deals = {board: Deal.dealt_by(chance) for board in chosen.boards}
    return Evening(
        md5(f"demo {seed} {tables} {boards}".encode()).hexdigest().upper(), seed, chosen, deals, starts
    )


def open_evening(evening: Evening) -> OpenEvent:
    """The command that opens the evening, with its players and their seats."""
    chosen = evening.movement
    plans = table_plans(chosen, "A")
    chance = Random(evening.seed)
    firsts, lasts = list(FIRST_NAMES), list(LAST_NAMES)
    chance.shuffle(firsts)
    chance.shuffle(lasts)
    players: list[Player] = []
    seats: list[Participation] = []
    for table in plans:
        first = table.rounds[0]
        for seat in SEATS:
            if not first.number(seat):
                continue
            place = len(players)
            name = firsts[place % len(firsts)], lasts[(place + place // len(firsts)) % len(lasts)]
            players.append(Player(str(1001 + place), *name))
            seats.append(Participation("A", table.table, seat, number=str(1001 + place)))
    plan = SessionPlan(
        evening.session,
        "Demonstration evening",
        evening.starts.date(),
        (GroupPlan(1, Method.MATCHPOINTS, "Open"),),
        ((SectionPlan("A", 1, chosen.winners), plans),),
        starts=evening.starts.time(),
        players=tuple(players),
        participations=tuple(seats),
        hand_records=tuple(HandRecord(1, board, deal) for board, deal in evening.deals.items()),
    )
    return OpenEvent(evening.session, (plan,))


def happenings(evening: Evening, session: Session, tricks: Callable[[int], Tricks]) -> Iterator[Happening]:
    """What is still to happen in an evening, in order; what the session has already is not done again."""
    coming: list[Happening] = []
    free: dict[tuple[int, Side | None], float] = {}
    two = session.winners("A") == 2
    section = session.setup.sections["A"]
    tables = session.movement.section("A")
    for table in tables:
        if ("A", table) not in session.tables.logged_on:
            at = evening.starts + timedelta(seconds=table)
            coming.append(Happening(table / 60, LogOn(evening.session, "A", table, f"demo {table}", at)))
    for number in range(session.movement.rounds("A")):
        for table, at_table in tables.items():
            if number >= len(at_table.rounds) or not is_played(section, at_table.rounds[number]):
                continue
            played = at_table.rounds[number]
            pairs = [(played.ns, Side.NS if two else None), (played.ew, Side.EW if two else None)]
            minute = max(free.get(pair, 0.0) for pair in pairs) + MINUTES_TO_MOVE
            for board in played.boards:
                chance = Random(f"{evening.seed}/{table}/{number}/{board}")
                minute += max(2.5, chance.gauss(MINUTES_A_BOARD, 1.5))
                outcome = plausible(evening.deals[board], tricks(board), board, chance)
                coming += _board(evening, session, (table, number + 1, board), outcome, minute, chance)
            for pair in pairs:
                free[pair] = minute
    yield from sorted(coming, key=lambda happening: happening.minute)
    end = max((happening.minute for happening in coming), default=0.0)
    if session.setup.status is not Status.FINISHED:
        yield Happening(end, SetStatus(evening.session, Status.FINISHED), "The last result is in.")


def _board(
    evening: Evening,
    session: Session,
    place: tuple[int, int, int],
    outcome: Outcome,
    minute: float,
    chance: Random,
) -> Iterator[Happening]:
    """A board at a table: usually one entry; now and then a slip that is corrected, or a call."""
    table, number, board = place
    guid = evening.session
    at = evening.starts + timedelta(minutes=minute)
    where = f"Table {table}, board {board}"
    slips, calls = chance.random() < 0.03, chance.random() < 0.03
    standing = session.results.standing.get(("A", table, number, board))
    entry = ResultEntry("A", table, number, board, outcome, at)
    if standing is None:
        entered = ResultEntry("A", table, number, board, slip(outcome), at) if slips else entry
        yield Happening(minute, EnterResult(guid, entered), f"{where}: {entered.outcome}")
    if slips and (standing is None or standing.outcome != outcome):
        later = ResultEntry("A", table, number, board, outcome, at + timedelta(minutes=3))
        correct = CorrectResult(guid, later, Origin.DESK)
        yield Happening(minute + 3, correct, f"{where}: the director corrects it to {outcome}")
    call = f"demo {table}/{number}/{board}"
    known = session.calls.calls.get(call)
    if calls and known is None:
        called = CallDirector(guid, call, "A", table, at, number, board)
        yield Happening(minute - 1, called, f"Table {table} calls the director")
    if calls and (known is None or known.is_open):
        resolved = AnswerCall(guid, call, CallStatus.RESOLVED, at + timedelta(minutes=2))
        yield Happening(minute + 2, resolved, f"Table {table}: the director has ruled")


def slip(outcome: Outcome) -> Outcome:
    """What tired players type: the right contract by the wrong side."""
    if not isinstance(outcome, Played):
        return outcome
    contract = outcome.contract
    wrong = Contract(contract.level, contract.strain, contract.doubling, contract.declarer.next)
    return Played(wrong, outcome.tricks)


def plausible(deal: Deal, tricks: Tricks, board: int, chance: Random) -> Outcome:
    """What a club table might score on a deal: a contract near what can be made, and tricks near it."""
    strength = {side: sum(deal[seat].hcp for seat in side.seats) + chance.gauss(0, 2.0) for side in Side}
    if max(strength.values()) < 21 and chance.random() < 0.25:
        return PassedOut()
    side = max(strength, key=lambda each: strength[each])
    bids = [_bid(tricks, side, strain, chance) for strain in Strain]
    level, strain = max(bids, key=lambda bid: _worth(*bid) + chance.gauss(0, 25))
    declarer = _declarer(deal, side, strain, board)
    made = tricks[declarer, strain] + chance.choices((-1, 0, 1), (2, 6, 2))[0]
    made = min(13, max(0, made))
    down = level + 6 - made
    doubling = Doubling.DOUBLED if down >= 2 and chance.random() < 0.35 else Doubling.UNDOUBLED
    return Played(Contract(level, strain, doubling, declarer), made)


def _bid(tricks: Tricks, side: Side, strain: Strain, chance: Random) -> tuple[int, Strain]:
    """How high a side bids in a strain: what it believes it can make, rounded to part score, game or slam."""
    hoped = round(max(tricks[seat, strain] for seat in side.seats) + chance.gauss(0, 0.7))
    if hoped >= 12 and chance.random() < 0.6:
        return min(7, hoped - 6), strain
    if hoped >= TO_BID_GAME[strain]:
        return TO_BID_GAME[strain] - 6, strain
    return max(1, min(hoped - 6, 3 if strain is not Strain.NOTRUMP else 2)), strain


def _worth(level: int, strain: Strain) -> int:
    return Contract(level, strain, Doubling.UNDOUBLED, Seat.NORTH).score(level + 6, vulnerable=False)


def _declarer(deal: Deal, side: Side, strain: Strain, board: int) -> Seat:
    """Whoever of the side is longer in trumps; at notrump the nearer to the dealer."""
    suit, first = strain.suit, dealer(board)
    if suit is None:
        return min(side.seats, key=lambda seat: (seat.index - first.index) % 4)
    return max(side.seats, key=lambda seat: len(deal[seat].suit(suit)))
