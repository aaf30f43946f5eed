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
    """Return the players who lost their only seat to another, and the seats emptied by a move, by section and table."""
    chairs = session.seating.chairs
    seated = {(chair[2], seat.number) for chair, seat in chairs.items() if seat.number}
    losses = []
    for chair, lost in session.seating.lost.items():
        current = chairs.get(chair)
        is_elsewhere = bool(lost.number) and (chair[2], lost.number) in seated
        # Either the player moved and nobody came, or somebody came and the player is nowhere else.
        if (current is None) is is_elsewhere:
            player = session.seating.players.get(lost.number) or lost.player
            losses.append(
                LostSeat(*chair, player, "" if current is None else current.number or current.player.name)
            )
    return sorted(losses, key=lambda loss: (loss.section, loss.table, loss.round, loss.seat.index))


def seating(session: Session, section: str, number: int) -> list[SeatingLine]:
    """Return the seating of a section in a round, by table."""
    players = line_up(session, section, number)
    lines = []
    for table, table_rounds in session.movement.section(section).items():
        if number > len(table_rounds.rounds):
            continue
        round_ = without_missing_pair(session.setup.sections[section], table_rounds.rounds[number - 1])
        seated = tuple((seat, players[table, seat]) for seat in Seat if (table, seat) in players)
        lines.append(SeatingLine(section, table, number, round_.ns, round_.ew, round_.boards, seated))
    return lines


Itineraries = dict[Contestant, list[ContestantSeat]]
"""The seats of every contestant, round by round."""


def itineraries(session: Session) -> Itineraries:
    """Return the seats of every contestant, one for each round: a seat with opponents before a sit-out."""
    seats: dict[Contestant, dict[int, ContestantSeat]] = {}
    for (section, table), table_rounds in session.movement.tables.items():
        for number, planned in enumerate(table_rounds.rounds, start=1):
            round_ = without_missing_pair(session.setup.sections[section], planned)
            for side, pair in ((Side.NS, round_.ns), (Side.EW, round_.ew)):
                if not pair:
                    continue
                places = seats.setdefault(contestant(session, section, pair, side), {})
                before = places.get(number)
                if before is None or before.is_sit_out:
                    places[number] = ContestantSeat(
                        section, table, number, side, not (round_.ns and round_.ew)
                    )
    return {holder: [places[number] for number in sorted(places)] for holder, places in seats.items()}


def next_seating(
    session: Session, section: str, table: int, number: int, plans: Itineraries
) -> dict[Side, ContestantSeat | None]:
    """Return the next seat of the two pairs of a table after a round; None for a pair without a later round.

    `plans` is the result of `itineraries`. If East-West pairs return home (`ew_return_home`), the East-West entry is
    for the pair of North-South's number, whose home this table is.
    """
    round_ = session.movement.round(section, table, number)
    seats: dict[Side, ContestantSeat | None] = {}
    for side in Side:
        is_ns = side is Side.NS or session.opened.ew_return_home
        pair = 0 if round_ is None else round_.ns if is_ns else round_.ew
        places = plans.get(contestant(session, section, pair, side), []) if pair else []
        seats[side] = next((place for place in places if place.round > number), None)
    return seats


def seat_after_sit_out(session: Session, seat: ContestantSeat, plans: Itineraries) -> ContestantSeat | None:
    """Return the next seat with opponents of the pair that sits out at a seat; None if it has no later one."""
    round_ = session.movement.round(seat.section, seat.table, seat.round)
    pair = 0 if round_ is None else round_.ns if seat.side is Side.NS else round_.ew
    places = plans.get(contestant(session, seat.section, pair, seat.side), []) if pair else []
    return next((place for place in places if place.round > seat.round and not place.is_sit_out), None)
