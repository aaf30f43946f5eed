"""A contestant's results against par and double dummy, by the role of each player. Pure."""

from collections.abc import Iterable
from dataclasses import dataclass

from overtrick.bridge import Played, Seat
from overtrick.scoring.imps import imps
from overtrick.scoring.lines import Contestant, Line
from overtrick.scoring.par_text import par_score
from overtrick.scoring.report import CardLine, Report

FIRST_SEATS = (Seat.NORTH, Seat.EAST)
"""The seats of the first player of a pair; the second sits South or West."""


@dataclass(slots=True)
class RoleResult:
    """The boards that a contestant played in one role, against par and double dummy."""

    role: str
    boards: int = 0
    compared: int = 0
    """The boards whose deal was analysed; the figures below are about these."""
    tricks: int = 0
    """Tricks of the contestant's side minus those that it makes double dummy."""
    imps: int = 0
    """IMPs against par."""

    @property
    def average_imps(self) -> float | None:
        """Return the IMPs against par for each board; None if no deal was analysed."""
        return self.imps / self.compared if self.compared else None


def role_results(report: Report, contestant: Contestant, card: Iterable[CardLine]) -> list[RoleResult]:
    """Return a contestant's results as declarer, dummy and defender; boards that it defended are last.

    A pair has one row for the boards that its first player declared and one for those that its second player did.
    Rulings, passed boards and fouled boards are left out.
    """
    roles: dict[str, RoleResult] = {}
    for line in card:
        outcome = line.line.outcome_for(line.side)
        if not isinstance(outcome, Played) or line.line.version:
            continue
        role = _role(report, contestant, line, outcome.contract.declarer)
        result = roles.setdefault(role, RoleResult(role))
        result.boards += 1
        record = report.hands.get(line.line.traveller)
        par = par_score(record.par) if record is not None else None
        if record is None or record.tricks is None or par is None or line.table_score is None:
            continue
        sign = 1 if line.side.value == "NS" else -1
        extra_tricks = outcome.tricks - record.tricks[outcome.contract.declarer, outcome.contract.strain]
        result.compared += 1
        result.tricks += extra_tricks if outcome.contract.side is line.side else -extra_tricks
        result.imps += imps(line.table_score - sign * par)
    return sorted(roles.values(), key=lambda result: result.role.startswith("Defend"))


def _role(report: Report, contestant: Contestant, line: CardLine, declarer: Seat) -> str:
    if declarer.side is not line.side:
        return "Defending"
    seat = _seat(contestant, line.line)
    if seat is not None:
        return "Declarer" if seat is declarer else "Dummy"
    if report.scored.method.is_teams:
        return "Declaring"
    players = [player.name for player in report.players.get(contestant, ())]
    if len(players) != 2 or not all(players):
        first = "North or East" if declarer in FIRST_SEATS else "South or West"
        return f"{first} declarer, partner dummy"
    declaring, dummy = players if declarer in FIRST_SEATS else reversed(players)
    return f"{declaring} declarer, {dummy} dummy"


def _seat(contestant: Contestant, line: Line) -> Seat | None:
    """Return the seat of a player of an individual; None for a pair or a team, which has two seats."""
    if line.south is None and line.west is None:
        return None
    seats = {line.ns: Seat.NORTH, line.ew: Seat.EAST, line.south: Seat.SOUTH, line.west: Seat.WEST}
    return seats.get(contestant)
