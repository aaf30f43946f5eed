"""The model of a movement: stations, the movement they make up, and its promises.

Pure: contestants and boards are numbers; independent of events, names and files.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Literal

from overtrick.errors import OvertrickError

Side = Literal["", "N-S", "E-W"]


class MovementError(OvertrickError):
    """A movement or a draw that is impossible; the sentence says why or what is possible."""

    code = "movement"
    exit_status = 2


@dataclass(frozen=True, slots=True, order=True)
class MovementContestant:
    """A contestant that gets a score: a pair, a team, or a player of an individual.

    With two winners, N-S pair 3 and E-W pair 3 are different pairs, told apart by `side`; else `side` is empty.

    >>> print(MovementContestant(3, "N-S"), MovementContestant(12))
    N-S 3 12
    """

    number: int
    side: Side = ""

    def __str__(self) -> str:
        return f"{self.side} {self.number}" if self.side else str(self.number)


@dataclass(frozen=True, slots=True)
class Station:
    """One table in one round: its pairs and boards.

    A pair number 0 is nobody: the other pair sits out, and if both are 0 the table is empty. In an individual the
    numbers are players: `ns` is North, `ew` East, beside `south` and `west`. In a team match `team_ns` and `team_ew`
    are the teams, and `mates` is the (table, round) where the other half of the match plays the same boards.
    """

    table: int
    round: int
    ns: int
    ew: int
    boards: tuple[int, ...]
    south: int = 0
    west: int = 0
    team_ns: int = 0
    team_ew: int = 0
    mates: tuple[int, int] | None = None

    @property
    def is_empty(self) -> bool:
        """Return whether nobody sits at the table."""
        return self.ns == 0 and self.ew == 0

    @property
    def is_sit_out(self) -> bool:
        """Return whether one side is here without opponents."""
        return (self.ns == 0) != (self.ew == 0)

    @property
    def is_played(self) -> bool:
        """Return whether both sides are here."""
        return self.ns > 0 and self.ew > 0


@dataclass(frozen=True, slots=True)
class Promises:
    """The guarantees of a movement to its contestants, verified by `check`."""

    boards_once: bool = True
    """Nobody plays a board twice."""
    opponents_at_most: int | None = 1
    """No two contestants play against each other in more rounds than this; None promises nothing."""
    partners_once: bool = False
    """Individuals: nobody has the same partner in two rounds."""
    everyone_meets: bool = False
    """Everyone plays against everyone else (with two winners: every N-S pair against every E-W pair)."""
    everyone_partners: bool = False
    """Individuals: everyone has everyone else as a partner."""
    all_boards: bool = False
    """Everyone plays every board, except those of a round that they sit out."""
    sit_outs_at_most: int = 0
    """Nobody sits out more rounds than this."""
    balanced: bool = False
    """Any two pairs are compared equally: over the sets of boards that both played, the sets on which they
    sat in the same direction are one fewer than the sets on which they sat in opposite ones."""
    shared: tuple[tuple[int, ...], ...] = ()
    """Groups of tables that may have the same boards in the same round, shared or in copies."""
    copies: int = 1
    """A board is at no more tables than this in one round, not counting a group of `shared` tables."""


@dataclass(frozen=True, slots=True)
class CardLine:
    """One round on the guide card of a contestant: where it sits, whom it plays, and the boards.

    >>> print(CardLine(2, 5, "E-W", (), (MovementContestant(4),), (7, 8)))
    round 2: table 5 E-W against 4, boards 7-8
    """

    round: int
    table: int
    direction: Literal["N-S", "E-W"]
    partners: tuple[MovementContestant, ...]
    """The partner in an individual; empty otherwise."""
    opponents: tuple[MovementContestant, ...]
    """Empty if the contestant sits out."""
    boards: tuple[int, ...]

    @property
    def is_sit_out(self) -> bool:
        """Return whether the contestant sits out this round."""
        return not self.opponents

    def __str__(self) -> str:
        where = f"round {self.round}: table {self.table} {self.direction}"
        if self.is_sit_out:
            return f"round {self.round}: sit out at table {self.table}"
        partner = f" with {self.partners[0]}" if self.partners else ""
        return (
            f"{where}{partner} against {' and '.join(map(str, self.opponents))}, boards {ranges(self.boards)}"
        )


@dataclass(frozen=True, slots=True)
class Movement:
    """A movement: the stations of all rounds with their contestants and boards.

    `tables` is the highest table number, even if that table is only a place to wait. `stations` are sorted by round,
    then table. With two `winners`, N-S and E-W are separate fields, each numbered from 1.
    """

    name: str
    winners: int
    tables: int
    rounds: int
    boards_per_round: int
    stations: tuple[Station, ...]
    promises: Promises

    def __post_init__(self) -> None:
        object.__setattr__(self, "stations", tuple(sorted(self.stations, key=lambda s: (s.round, s.table))))

    @property
    def is_individual(self) -> bool:
        """Return whether the contestants are single players, whose partners change."""
        return any(station.south or station.west for station in self.stations)

    @property
    def is_teams(self) -> bool:
        """Return whether the contestants are teams, whose matches take two tables each."""
        return any(station.team_ns or station.team_ew for station in self.stations)

    def at(self, round_: int, table: int) -> Station:
        """Return the station of a table in a round; raise MovementError if there is none."""
        for station in self.stations:
            if (station.round, station.table) == (round_, table):
                return station
        raise MovementError(f"The {self.name} has no table {table} in round {round_}.")

    def round(self, number: int) -> tuple[Station, ...]:
        """Return the stations of a round, table by table."""
        return tuple(station for station in self.stations if station.round == number)

    def sides(
        self, station: Station
    ) -> tuple[tuple[MovementContestant, ...], tuple[MovementContestant, ...]]:
        """Return the contestants N-S and E-W at a station: none on an empty side, two on a side of an individual."""
        if station.south or station.west:
            return (
                tuple(MovementContestant(number) for number in (station.ns, station.south) if number),
                tuple(MovementContestant(number) for number in (station.ew, station.west) if number),
            )
        if station.team_ns or station.team_ew:
            return self._side(station.team_ns, ""), self._side(station.team_ew, "")
        two = self.winners == 2
        return self._side(station.ns, "N-S" if two else ""), self._side(station.ew, "E-W" if two else "")

    @staticmethod
    def _side(number: int, side: Side) -> tuple[MovementContestant, ...]:
        return (MovementContestant(number, side),) if number else ()

    @property
    def pairs(self) -> tuple[MovementContestant, ...]:
        """Return every contestant once: pairs, teams or players; N-S before E-W, then by number."""
        contestants = {
            contestant for station in self.stations for side in self.sides(station) for contestant in side
        }
        return tuple(
            sorted(contestants, key=lambda contestant: (contestant.side == "E-W", contestant.number))
        )

    @property
    def boards(self) -> tuple[int, ...]:
        """Return every board in play, ascending."""
        return tuple(sorted({board for station in self.stations for board in station.boards}))

    @property
    def copies(self) -> int:
        """Return the largest number of tables that have the same board in one round: the copies that save sharing."""
        places = Counter(
            (station.round, board)
            for station in self.stations
            if station.is_played
            for board in station.boards
        )
        return max(places.values(), default=0)

    def cards(
        self, pair: int | MovementContestant | None = None
    ) -> dict[MovementContestant, tuple[CardLine, ...]]:
        """Return the guide card of every contestant, or of those with one number, round by round.

        With two winners a number selects the N-S and the E-W pair. Raise MovementError if nobody has the number. A team
        has two lines a round, one for each of its tables.

        >>> from overtrick.movements import howell
        >>> for contestant, lines in howell(2, 3).cards(pair=3).items():
        ...     for line in lines:
        ...         print(contestant, line)
        3 round 1: table 2 E-W against 2, boards 1-3
        3 round 2: table 2 N-S against 1, boards 4-6
        3 round 3: table 1 E-W against 4, boards 7-9
        """
        cards: dict[MovementContestant, list[CardLine]] = {}
        for station in self.stations:
            ns, ew = self.sides(station)
            directions: tuple[Literal["N-S", "E-W"], ...] = ("N-S", "E-W")
            for direction, own, others in zip(directions, (ns, ew), (ew, ns), strict=True):
                for contestant in own:
                    partners = tuple(other for other in own if other != contestant)
                    boards = station.boards if others else ()
                    cards.setdefault(contestant, []).append(
                        CardLine(station.round, station.table, direction, partners, others, boards)
                    )
        selected = [
            contestant for contestant in self.pairs if pair is None or pair in (contestant, contestant.number)
        ]
        if not selected:
            raise MovementError(f"The {self.name} has no {pair}.")
        return {contestant: tuple(cards[contestant]) for contestant in selected}

    @staticmethod
    def load(content: str | bytes, *, name: str = "", boards_per_round: int | None = None) -> "Movement":
        """Return the movement of a JSON or CSV text, or of the bytes of an ACBLscore `.MOV` file.

        `name` names a movement whose text has no name; `boards_per_round` is for `.MOV` files, which have none. Raise
        MovementError, with the line, if the text cannot be read.

        >>> Movement.load("round,table,ns,ew,boards\\n1,1,1,2,1-4").at(1, 1)
        Station(table=1, round=1, ns=1, ew=2, boards=(1, 2, 3, 4), south=0, west=0, team_ns=0, team_ew=0, mates=None)
        """
        from overtrick.movements.files import parse_movement

        return parse_movement(content, name, boards_per_round)

    def dump(self, format: Literal["json", "csv"] = "json") -> str:
        """Return the movement as a JSON or CSV text that `load` reads; CSV leaves out the promises."""
        from overtrick.movements.files import write_movement

        return write_movement(self, format)

    def sit_outs(self) -> tuple[tuple[int, MovementContestant], ...]:
        """Return the sit-outs as (round, contestant), round by round."""
        return tuple(
            (station.round, contestant)
            for station in self.stations
            if station.is_sit_out
            for side in self.sides(station)
            for contestant in side
        )

    def __iter__(self) -> Iterator[Station]:
        return iter(self.stations)


def curtailed(movement: Movement, rounds: int) -> Movement:
    """Return the first rounds of a movement, with the promises that still hold.

    Raise MovementError unless `rounds` is from 1 to the rounds of the movement.

    >>> from overtrick.movements import howell
    >>> curtailed(howell(5, 3), 6).rounds
    6
    """
    require(rounds, 1, f"The number of rounds of a curtailed {movement.name}", movement.rounds)
    if rounds == movement.rounds:
        return movement
    return replace(
        movement,
        name=f"{movement.name}, curtailed",
        rounds=rounds,
        stations=tuple(station for station in movement.stations if station.round <= rounds),
        promises=replace(
            movement.promises,
            everyone_meets=False,
            everyone_partners=False,
            all_boards=False,
            balanced=False,
        ),
    )


def resized(movement: Movement, boards_per_round: int) -> Movement:
    """Return a movement with another number of boards in a round; each set of boards becomes a set of that size.

    Raise MovementError if its boards are not in separate sets.

    >>> from overtrick.movements import mitchell
    >>> resized(mitchell(3, 2), 4) == mitchell(3, 4)
    True
    """
    require(boards_per_round, 1, "The number of boards in a round")
    if boards_per_round == movement.boards_per_round:
        return movement
    sets = sorted({station.boards for station in movement.stations if station.boards})
    if sum(map(len, sets)) != len(movement.boards):
        raise MovementError(
            f"The {movement.name} always has {movement.boards_per_round} boards in a round: its boards are not in "
            "separate sets."
        )
    # The new sets leave no gaps: a set that no table ever plays gets no new numbers.
    numbers = dict(zip(sets, sets_of_boards(len(sets), boards_per_round), strict=True))
    return replace(
        movement,
        boards_per_round=boards_per_round,
        stations=tuple(
            replace(station, boards=numbers.get(station.boards, ())) for station in movement.stations
        ),
    )


def implied_winners(seats: Iterable[tuple[int, int, int]]) -> int:
    """Return the number of winners that the seats of pairs imply; each is (round, N-S, E-W), where 0 is nobody.

    It is 2 if a number sits N-S and E-W in one round, or if no number ever changes direction.

    >>> implied_winners([(1, 1, 1)]), implied_winners([(1, 1, 2), (2, 2, 3)])
    (2, 1)
    """
    ns: set[tuple[int, int]] = set()
    ew: set[tuple[int, int]] = set()
    for round_, north_south, east_west in seats:
        ns |= {(round_, north_south)} if north_south else set()
        ew |= {(round_, east_west)} if east_west else set()
    changing = {number for _, number in ns} & {number for _, number in ew}
    return 2 if ns & ew or not changing else 1


def ranges(numbers: Iterable[int]) -> str:
    """Return numbers as text, with ranges for neighbours.

    >>> ranges((1, 2, 3, 7))
    '1-3, 7'
    """
    runs: list[list[int]] = []
    for number in sorted(numbers):
        if runs and runs[-1][1] == number - 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    return ", ".join(str(low) if low == high else f"{low}-{high}" for low, high in runs)


def sets_of_boards(sets: int, boards_per_round: int, first_board: int = 1) -> tuple[tuple[int, ...], ...]:
    """Return sets of consecutive boards, numbered from `first_board`.

    >>> sets_of_boards(2, 3)
    ((1, 2, 3), (4, 5, 6))
    """
    return tuple(
        tuple(range(low, low + boards_per_round))
        for low in range(first_board, first_board + sets * boards_per_round, boards_per_round)
    )


def without(missing: int, stations: Iterable[Station]) -> Iterator[Station]:
    """Yield the stations without a missing pair, for pairs with one winner; an empty table loses its boards."""
    for station in stations:
        ns = 0 if station.ns == missing else station.ns
        ew = 0 if station.ew == missing else station.ew
        yield Station(station.table, station.round, ns, ew, station.boards if ns or ew else ())


def require(number: int, lowest: int, what: str, highest: int | None = None) -> None:
    """Raise MovementError unless a whole number is in its limits; `what` is the subject of the sentence."""
    if not isinstance(number, int):
        raise MovementError(f"{what} must be a whole number, not {number!r}.")
    if number < lowest or (highest is not None and number > highest):
        limits = f"at least {lowest}" if highest is None else f"{lowest} to {highest}"
        raise MovementError(f"{what} must be {limits}, not {number}.")


def require_kind(kind: str, kinds: tuple[str, ...], what: str) -> None:
    """Raise MovementError unless a kind of movement is one of `kinds`; `what` names the movement."""
    if kind not in kinds:
        raise MovementError(f"There is no {what} of the kind {kind!r}. The kinds are {', '.join(kinds)}.")
