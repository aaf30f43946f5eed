"""The seating of a round, and the next table of each pair. Pure."""

from dataclasses import dataclass

from overtrick.bridge import Seat, Side
from overtrick.event import Session
from overtrick.event.movement import Contestant, contestant, sitting
from overtrick.event.seating import SessionPlayer, line_up


@dataclass(frozen=True, slots=True)
class SeatingLine:
    """One table in one round: who meets, which boards, and the people as far as they are known."""

    section: str
    table: int
    round: int
    ns: int
    ew: int
    boards: tuple[int, ...]
    players: tuple[tuple[Seat, SessionPlayer], ...] = ()

    @property
    def is_sit_out(self) -> bool:
        """Return whether one pair is there alone."""
        return bool(self.ns) != bool(self.ew)

    @property
    def is_empty(self) -> bool:
        """Return whether nobody is there."""
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
    """A seat that the scoring program took from somebody: for another, or for another seat of the same player."""

    section: str
    table: int
    round: int
    seat: Seat
    player: SessionPlayer
    by: str = ""
    """The number or name of who sits there now; empty where nobody does, because the player was moved."""


def lost_seats(session: Session) -> list[LostSeat]:
    """Return who has no seat any more, and which seats are empty, because the scoring program moved a player."""
    chairs = session.seating.chairs
    seated = {(chair[2], each.number) for chair, each in chairs.items() if each.number}
    found = []
    for chair, was in session.seating.lost.items():
        now = chairs.get(chair)
        is_elsewhere = bool(was.number) and (chair[2], was.number) in seated
        if (now is None) is is_elsewhere:
            player = session.seating.players.get(was.number) or was.player
            found.append(LostSeat(*chair, player, "" if now is None else now.number or now.player.name))
    return sorted(found, key=lambda each: (each.section, each.table, each.round, each.seat.index))


def seating(session: Session, section: str, number: int) -> list[SeatingLine]:
    """Return the seating of a section in a round, by table."""
    people = line_up(session, section, number)
    lines = []
    for table, at in session.movement.section(section).items():
        if number > len(at.rounds):
            continue
        played = sitting(session.setup.sections[section], at.rounds[number - 1])
        here = tuple((seat, people[table, seat]) for seat in Seat if (table, seat) in people)
        lines.append(SeatingLine(section, table, number, played.ns, played.ew, played.boards, here))
    return lines


Itineraries = dict[Contestant, list[ContestantSeat]]
"""The seats of every contestant, round by round."""


def itineraries(session: Session) -> Itineraries:
    """Return everyone's seats by round: one for each round, and a sit-out only where there is no other."""
    found: dict[Contestant, dict[int, ContestantSeat]] = {}
    for (section, table), at in session.movement.tables.items():
        for number, planned in enumerate(at.rounds, start=1):
            played = sitting(session.setup.sections[section], planned)
            for side, pair in ((Side.NS, played.ns), (Side.EW, played.ew)):
                if not pair:
                    continue
                places = found.setdefault(contestant(session, section, pair, side), {})
                before = places.get(number)
                if before is None or before.is_sit_out:
                    places[number] = ContestantSeat(
                        section, table, number, side, not (played.ns and played.ew)
                    )
    return {who: [places[number] for number in sorted(places)] for who, places in found.items()}


def next_seating(
    session: Session, section: str, table: int, number: int, known: Itineraries
) -> dict[Side, ContestantSeat | None]:
    """Return where the two pairs of a table go after a round; None where they have no further round.

    Where East-West returns home, it is North-South's own East-West pair, of the same number, that looks here.
    """
    played = session.movement.round(section, table, number)
    found: dict[Side, ContestantSeat | None] = {}
    for side in Side:
        is_ns = side is Side.NS or session.opened.ew_return_home
        pair = 0 if played is None else played.ns if is_ns else played.ew
        places = known.get(contestant(session, section, pair, side), []) if pair else []
        found[side] = next((place for place in places if place.round > number), None)
    return found
