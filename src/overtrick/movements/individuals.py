"""Individuals: another partner every round. Pure: works on players' numbers only.

There are two families. In a whist individual everyone is everyone else's partner once and opponent twice, which takes
as many rounds as there are players less one. In a rainbow individual the four seats of every table are four lines
that move at different paces, which takes as many rounds as there are tables.
"""

from collections.abc import Callable, Iterator
from typing import Literal, get_args

from overtrick.movements.model import (
    Movement,
    MovementError,
    Promises,
    Station,
    curtailed,
    require,
    require_kind,
    sets_of_boards,
)

IndividualKind = Literal["auto", "whist", "rainbow"]
Sets = tuple[tuple[int, ...], ...]

# First rounds of whist individuals by the number of tables, N S E W@set. Players and sets count from 0 around a circle
# as long as the rounds; "*" is the player who stays. The next round adds one to all. Tables with the same set share it.
# Found by search, except the first, which is well known.
WHISTS = {
    2: "* 0 5 1@0  4 6 2 3@0",
    3: "* 0 4 5@0  1 10 8 2@0  3 7 6 9@0",
    4: "* 0 7 11@0  4 10 9 6@0  2 3 5 12@4  1 14 13 8@11",
    5: "* 0 6 15@0  4 12 5 7@0  2 18 13 17@4  3 16 9 14@6  1 8 11 10@9",
    6: "* 0 4 16@0  1 15 17 14@0  2 7 5 22@0  3 10 21 11@0  6 8 12 20@0  9 13 19 18@0",
}
# A rainbow needs five paces (four lines of players and the boards) of which any two differ by a number that has an
# inverse, so that two lines come together once. These are such paces modulo any number that neither 2 nor 3
# divides; with 8, 9 or 16 tables they are elements of a finite field.
PACES = {"north": 0, "south": 1, "east": 2, "west": -2, "boards": -1}
FIELDS = {8: (2, (1, 1, 0)), 9: (3, (2, 0)), 16: (2, (1, 1, 0, 0))}
"""By the number of tables: the prime, and the polynomial that equals the highest power of x, lowest coefficient first.
"""
MOST_TABLES = 25


def individual(
    tables: int,
    boards_per_round: int,
    rounds: int | None = None,
    *,
    kind: IndividualKind = "auto",
) -> Movement:
    """Return an individual of full tables, or its first `rounds`; raise MovementError if there is none.

    "auto" is a rainbow where there is one, else whist (2, 3, 4 and 6 tables). In a rainbow the players are numbered
    line by line, North, East, South, West, and nobody has a partner or an opponent twice. In a whist individual tables
    may share boards, and the highest number stays North at table 1.

    >>> [(s.ns, s.south, s.ew, s.west) for s in individual(2, 4).round(1)]
    [(8, 1, 6, 2), (5, 7, 3, 4)]
    """
    require(tables, 1, "The number of tables of an individual")
    require(boards_per_round, 1, "The number of boards in a round")
    require_kind(kind, get_args(IndividualKind), "individual")
    if kind == "auto":
        kind = "rainbow" if tables in rainbow_tables() else "whist"
    possible = sorted(WHISTS) if kind == "whist" else rainbow_tables()
    if tables not in possible:
        everything = sorted({*WHISTS, *rainbow_tables()})
        raise MovementError(
            f"No {kind} individual is known for {tables} tables. "
            f"There are individuals for {', '.join(map(str, everything))} tables."
        )
    whole = (_whist if kind == "whist" else _rainbow)(tables, boards_per_round)
    return whole if rounds is None else curtailed(whole, rounds)


def rainbow_tables() -> tuple[int, ...]:
    """Return the numbers of tables for which there is a rainbow individual, ascending."""
    return tuple(
        tables for tables in range(5, MOST_TABLES + 1) if (tables % 2 and tables % 3) or tables in FIELDS
    )


def _whist(tables: int, boards_per_round: int) -> Movement:
    rounds = 4 * tables - 1
    sets = sets_of_boards(rounds, boards_per_round)
    starts = list(_whist_start(tables))
    sharing: dict[int, list[int]] = {}
    for table, (_, start) in enumerate(starts, start=1):
        sharing.setdefault(start, []).append(table)
    return Movement(
        name=f"whist individual of {tables} tables",
        winners=1,
        tables=tables,
        rounds=rounds,
        boards_per_round=boards_per_round,
        stations=tuple(_whist_stations(starts, sets)),
        promises=Promises(
            opponents_at_most=2,
            partners_once=True,
            everyone_meets=True,
            everyone_partners=True,
            all_boards=True,
            shared=tuple(tuple(group) for group in sharing.values() if len(group) > 1),
        ),
    )


def _whist_start(tables: int) -> Iterator[tuple[list[int | None], int]]:
    for table in WHISTS[tables].split("  "):
        players, start = table.split("@")
        yield [None if player == "*" else int(player) for player in players.split()], int(start)


def _whist_stations(starts: list[tuple[list[int | None], int]], sets: Sets) -> Iterator[Station]:
    rounds = len(sets)
    for turn in range(rounds):
        for table, (players, start) in enumerate(starts, start=1):
            north, south, east, west = (
                rounds + 1 if player is None else (player + turn) % rounds + 1 for player in players
            )
            boards = sets[(start + turn) % rounds]
            yield Station(table, turn + 1, north, east, boards, south=south, west=west)


def _rainbow(tables: int, boards_per_round: int) -> Movement:
    sets = sets_of_boards(tables, boards_per_round)
    occupant = _in_finite_field(*FIELDS[tables]) if tables in FIELDS else _modulo(tables)
    stations = []
    for turn in range(tables):
        for place in range(tables):
            line = {name: occupant(place, pace, turn) for name, pace in PACES.items()}
            stations.append(
                Station(
                    table=place + 1,
                    round=turn + 1,
                    ns=line["north"] + 1,
                    ew=line["east"] + tables + 1,
                    south=line["south"] + 2 * tables + 1,
                    west=line["west"] + 3 * tables + 1,
                    boards=sets[line["boards"]],
                )
            )
    return Movement(
        name=f"rainbow individual of {tables} tables",
        winners=1,
        tables=tables,
        rounds=tables,
        boards_per_round=boards_per_round,
        stations=tuple(stations),
        promises=Promises(partners_once=True, all_boards=True),
    )


OccupantFunction = Callable[[int, int, int], int]
"""A function of place, pace and turn that returns the number that is at that place; number n starts at place n."""


def _modulo(tables: int) -> OccupantFunction:
    return lambda place, pace, turn: (place - pace * turn) % tables


def _in_finite_field(prime: int, reduction: tuple[int, ...]) -> OccupantFunction:
    """Return the function for a finite field.

    The digits of a number in base `prime` are the coefficients of a polynomial; `reduction` is as in `FIELDS`.
    """
    degree = len(reduction)

    def digits(number: int) -> list[int]:
        return [number // prime**power % prime for power in range(degree)]

    def multiply(one: int, other: int) -> list[int]:
        product = [0] * degree
        for digit in reversed(digits(one)):
            carry = product[-1]
            product = [0, *product[:-1]]
            for power, (by_carry, by_digit) in enumerate(zip(reduction, digits(other), strict=True)):
                product[power] = (product[power] + carry * by_carry + digit * by_digit) % prime
        return product

    def occupant(place: int, pace: int, turn: int) -> int:
        # In a field every difference but 0 has an inverse, so any five different elements will do as paces.
        steps = multiply(pace % prime**degree, turn)
        return sum(
            (at - step) % prime * prime**power
            for power, (at, step) in enumerate(zip(digits(place), steps, strict=True))
        )

    return occupant
