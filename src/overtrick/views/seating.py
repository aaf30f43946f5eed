"""The seating of a round, the next table of each pair, and lost seats. Pure."""

from dataclasses import dataclass

from overtrick.bridge import Seat, Side
from overtrick.event import Session
from overtrick.event.movement import Contestant, contestant, without_missing_pair
from overtrick.event.seating import SessionPlayer, line_up


@dataclass(frozen=True, slots=True)
class SeatingLine:
    """One table in one round: pairs, boards, and the players as far as they are known."""

    section: str
    table: int
    round: int
    ns: int
    ew: int
    boards: tuple[int, ...]
    players: tuple[tuple[Seat, SessionPlayer], ...] = ()

    @property
    def is_sit_out(self) -> bool:
        """Return whether one pair has no opponents."""
        return bool(self.ns) != bool(self.ew)

    @property
    def is_empty(self) -> bool:
        """Return whether no pair is at the table."""
        return not self.ns and not self.ew


@dataclass(frozen=True, slots=True)
class ContestantSeat:
    """The seat of a contestant: a table and a side of it."""

    section: str
    table: int
    round: int
    side: Side
    is_sit_out: bool = False


@dataclass(frozen=True, slots=True)
class LostSeat:
    """A seat that a player lost because the scoring program seated somebody else there, or moved the player."""

    section: str
    table: int
    round: int
    seat: Seat
    player: SessionPlayer
    by: str = ""
    """Number or name of the player there now; empty if the seat is free because its player was moved."""


def lost_seats(session: Session) -> list[LostSeat]:
    """Return the players who lost their only seat to another, and the seats left empty by a move, by section and
    table.
    """
    chairs = session.seating.chairs
    seated = {(chair[2], seat.number) for chair, seat in chairs.items() if seat.number}
    losses = []
    for chair, was in session.seating.lost.items():
        now = chairs.get(chair)
        is_elsewhere = bool(was.number) and (chair[2], was.number) in seated
        # Either the player moved and nobody came, or somebody came and the player is nowhere else.
        if (now is None) is is_elsewhere:
            player = session.seating.players.get(was.number) or was.player
            losses.append(LostSeat(*chair, player, "" if now is None else now.number or now.player.name))
    return sorted(losses, key=lambda loss: (loss.section, loss.table, loss.round, loss.seat.index))


def seating(session: Session, section: str, number: int) -> list[SeatingLine]:
    """Return the seating of a section in a round, by table."""
    people = line_up(session, section, number)
    lines = []
    for table, at in session.movement.section(section).items():
        if number > len(at.rounds):
            continue
        played = without_missing_pair(session.setup.sections[section], at.rounds[number - 1])
        here = tuple((seat, people[table, seat]) for seat in Seat if (table, seat) in people)
        lines.append(SeatingLine(section, table, number, played.ns, played.ew, played.boards, here))
    return lines


Itineraries = dict[Contestant, list[ContestantSeat]]
"""The seats of every contestant, round by round."""


def itineraries(session: Session) -> Itineraries:
    """Return the seats of every contestant, one for each round; a seat with opponents wins over a sit-out."""
    seats: dict[Contestant, dict[int, ContestantSeat]] = {}
    for (section, table), at in session.movement.tables.items():
        for number, planned in enumerate(at.rounds, start=1):
            played = without_missing_pair(session.setup.sections[section], planned)
            for side, pair in ((Side.NS, played.ns), (Side.EW, played.ew)):
                if not pair:
                    continue
                places = seats.setdefault(contestant(session, section, pair, side), {})
                before = places.get(number)
                if before is None or before.is_sit_out:
                    places[number] = ContestantSeat(
                        section, table, number, side, not (played.ns and played.ew)
                    )
    return {who: [places[number] for number in sorted(places)] for who, places in seats.items()}


def next_seating(
    session: Session, section: str, table: int, number: int, plans: Itineraries
) -> dict[Side, ContestantSeat | None]:
    """Return the next seat of the two pairs of a table after a round; None for a pair without a later round.

    `plans` is the result of `itineraries`. If East-West pairs return home (`ew_return_home`), the East-West entry is
    for the pair of North-South's number, whose home this table is.
    """
    played = session.movement.round(section, table, number)
    seats: dict[Side, ContestantSeat | None] = {}
    for side in Side:
        is_ns = side is Side.NS or session.opened.ew_return_home
        pair = 0 if played is None else played.ns if is_ns else played.ew
        places = plans.get(contestant(session, section, pair, side), []) if pair else []
        seats[side] = next((place for place in places if place.round > number), None)
    return seats


def seat_after_sit_out(session: Session, seat: ContestantSeat, plans: Itineraries) -> ContestantSeat | None:
    """Return the next seat with opponents of the pair that sits out at a seat; None if it has no later one."""
    played = session.movement.round(seat.section, seat.table, seat.round)
    pair = 0 if played is None else played.ns if seat.side is Side.NS else played.ew
    places = plans.get(contestant(session, seat.section, pair, seat.side), []) if pair else []
    return next((place for place in places if place.round > seat.round and not place.is_sit_out), None)
