"""Random but reproducible evenings: movement, deals, players and plausible_result results.

Everything follows from a seed, board by board, so that an interrupted evening continues as it would have. Pure: no I/O;
`demo_players` simulates what people do at their phones.
"""

from dataclasses import dataclass
from datetime import datetime
from hashlib import md5
from random import Random
from string import ascii_uppercase

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
from overtrick.errors import BadInput
from overtrick.event import OpenEvent, SessionPlan
from overtrick.event.hands import HandRecord
from overtrick.event.movement import SectionPlan, table_plans
from overtrick.event.seating import Participation, SessionPlayer
from overtrick.event.setup import GroupPlan
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

MOST_IN_A_SECTION = 20
"""Tables of a section at most; 256 tables, the documents' limit for one server, make thirteen sections."""
TO_BID_GAME = {Strain.CLUBS: 11, Strain.DIAMONDS: 11, Strain.HEARTS: 10, Strain.SPADES: 10, Strain.NOTRUMP: 9}


@dataclass(frozen=True, slots=True)
class Evening:
    """Plan of an evening: its session, the movement of each section, and its deals."""

    session: str
    seed: int
    movements: dict[str, movements.Movement]
    deals: dict[int, Deal]
    starts: datetime


def plan_evening(tables: int, seed: int, starts: datetime, boards: int = 24) -> Evening:
    """Return an evening for a number of tables in which everyone plays about a number of boards.

    More tables than `MOST_IN_A_SECTION` play in several sections."""
    sections = -(-tables // MOST_IN_A_SECTION)
    sizes = [tables // sections + (index < tables % sections) for index in range(sections)]
    chosen = {
        letter: _movement(2 * size, boards) for letter, size in zip(ascii_uppercase, sizes, strict=False)
    }
    rng = Random(seed)
    most = max((movement.boards for movement in chosen.values()), key=len)
    deals = {board: Deal.dealt_by(rng) for board in most}
    name = md5(f"demo {seed} {tables} {boards}".encode()).hexdigest().upper()
    return Evening(name, seed, chosen, deals, starts)


def _movement(pairs: int, boards: int) -> movements.Movement:
    """Return a movement for a number of pairs; raise BadInput if there is none."""
    choices = movements.choose(pairs, boards)
    if not choices:
        raise BadInput(
            f"There is no movement for {pairs} pairs in which everyone plays about {boards} boards. "
            "Try another number of boards."
        )
    return choices[0].movement


def open_evening(evening: Evening) -> OpenEvent:
    """Return the command that opens the evening, with its players and their seats."""
    rng = Random(evening.seed)
    first_names, last_names = list(FIRST_NAMES), list(LAST_NAMES)
    rng.shuffle(first_names)
    rng.shuffle(last_names)
    players: list[SessionPlayer] = []
    seats: list[Participation] = []
    sections = []
    for letter, chosen in evening.movements.items():
        plans = table_plans(chosen, letter)
        sections.append((SectionPlan(letter, 1, chosen.winners), plans))
        for table in plans:
            for seat in SEATS:
                if not table.rounds[0].number(seat):
                    continue
                index = len(players)
                name = (
                    first_names[index % len(first_names)],
                    last_names[(index + index // len(first_names)) % len(last_names)],
                )
                players.append(SessionPlayer(str(1001 + index), *name))
                seats.append(Participation(letter, table.table, seat, number=str(1001 + index)))
    plan = SessionPlan(
        evening.session,
        "Demonstration evening",
        evening.starts.date(),
        (GroupPlan(1, Method.MATCHPOINTS, "Open"),),
        tuple(sections),
        starts=evening.starts.time(),
        players=tuple(players),
        participations=tuple(seats),
        hand_records=tuple(HandRecord(1, board, deal) for board, deal in evening.deals.items()),
    )
    return OpenEvent(evening.session, (plan,))


def slip(outcome: Outcome) -> Outcome:
    """Return the typical slip of tired players: the right contract by the wrong declarer."""
    if not isinstance(outcome, Played):
        return outcome
    contract = outcome.contract
    wrong = Contract(contract.level, contract.strain, contract.doubling, contract.declarer.next)
    return Played(wrong, outcome.tricks)


def plausible_result(deal: Deal, tricks: Tricks, board: int, rng: Random) -> Outcome:
    """Return a result of a club table: a contract and tricks near the double dummy ones."""
    strength = {side: sum(deal[seat].hcp for seat in side.seats) + rng.gauss(0, 2.0) for side in Side}
    if max(strength.values()) < 21 and rng.random() < 0.25:
        return PassedOut()
    side = max(strength, key=lambda each: strength[each])
    bids = [_bid(tricks, side, strain, rng) for strain in Strain]
    level, strain = max(bids, key=lambda bid: _score_if_made(*bid) + rng.gauss(0, 25))
    declarer = _declarer(deal, side, strain, board)
    taken = tricks[declarer, strain] + rng.choices((-1, 0, 1), (2, 6, 2))[0]
    taken = min(13, max(0, taken))
    down = level + 6 - taken
    doubling = Doubling.DOUBLED if down >= 2 and rng.random() < 0.35 else Doubling.UNDOUBLED
    return Played(Contract(level, strain, doubling, declarer), taken)


def _bid(tricks: Tricks, side: Side, strain: Strain, rng: Random) -> tuple[int, Strain]:
    """Return the bid of a side in a strain: the tricks it expects, rounded to part score, game or slam."""
    expected = round(max(tricks[seat, strain] for seat in side.seats) + rng.gauss(0, 0.7))
    if expected >= 12 and rng.random() < 0.6:
        return min(7, expected - 6), strain
    if expected >= TO_BID_GAME[strain]:
        return TO_BID_GAME[strain] - 6, strain
    return max(1, min(expected - 6, 3 if strain is not Strain.NOTRUMP else 2)), strain


def _score_if_made(level: int, strain: Strain) -> int:
    return Contract(level, strain, Doubling.UNDOUBLED, Seat.NORTH).score(level + 6, vulnerable=False)


def _declarer(deal: Deal, side: Side, strain: Strain, board: int) -> Seat:
    """Return the seat of the side that is longer in trumps; at notrump the first to bid."""
    suit, first = strain.suit, dealer(board)
    if suit is None:
        return min(side.seats, key=lambda seat: (seat.index - first.index) % 4)
    return max(side.seats, key=lambda seat: len(deal[seat].suit(suit)))
