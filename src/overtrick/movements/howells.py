"""Howells: one winner; in a full Howell every pair meets every other, and all but one move.

Generates the rounds from a starting position in `howell_starters`. Pure: no I/O.
"""

from collections.abc import Iterator

from overtrick.movements.howell_starters import (
    BALANCED,
    HOWELLS,
    SHARING,
    THREE_TABLES,
    THREE_TABLES_APART,
)
from overtrick.movements.model import (
    Movement,
    MovementError,
    Promises,
    Station,
    require,
    sets_of_boards,
    without,
)

Sets = tuple[tuple[int, ...], ...]
MOST_TABLES = max(tables for tables, _ in HOWELLS)


def howell(
    tables: int,
    boards_per_round: int,
    rounds: int | None = None,
    *,
    missing_pair: int | None = None,
    sharing: bool = True,
) -> Movement:
    """Return a full Howell, or a reduced one if `rounds` are fewer; raise MovementError if there is none.

    Either way every pair plays every board. The pair with the highest number stays N-S at table 1, and every other pair
    follows the next lower number. In a reduced Howell more pairs stay, and do not meet each other. With 2 tables both
    share the boards in every round, with 3 tables all share in the first round; in a reduced Howell of 4 tables and 6
    rounds, or 5 tables and 8 rounds, tables 1 and 2 share. Without `sharing` a Howell of 3 tables has an even number of
    boards in a round, which are not consecutive, and no tables share. A missing pair makes a sit-out.

    >>> [(s.ns, s.ew, s.boards[0]) for s in howell(4, 3).round(1)]
    [(8, 1, 1), (3, 7, 4), (5, 6, 7), (2, 4, 13)]
    """
    require(tables, 2, "The number of tables of a Howell", MOST_TABLES)
    require(boards_per_round, 1, "The number of boards in a round")
    full = 2 * tables - 1
    rounds = full if rounds is None else rounds
    possible = howell_rounds(tables)
    if rounds not in possible:
        raise MovementError(
            f"A Howell of {tables} tables has {_or_list(possible)} rounds, not {rounds}; "
            "to stop earlier, curtail one of these."
        )
    if missing_pair is not None:
        require(missing_pair, 1, "The missing pair", 2 * tables)
    sets = sets_of_boards(rounds, boards_per_round)
    shared = _shared_tables(tables, rounds)
    unshared = bool(shared) and not sharing
    if unshared:
        if (tables, rounds) != (3, full) or boards_per_round % 2:
            raise MovementError(
                f"A Howell of {tables} tables and {rounds} rounds of {boards_per_round} boards needs shared boards; "
                "without them, 3 tables play 5 rounds of 2, 4, 6 or 8 boards."
            )
        stations, shared = _three_tables_apart(boards_per_round), ()
    elif (tables, rounds) == (3, full):
        stations = _three_tables(sets)
    else:
        stations = _rotated(tables, rounds, sets)
    if missing_pair is not None:
        stations = without(missing_pair, stations)
    return Movement(
        name=f"{'Howell' if rounds == full else 'reduced Howell'} of {tables} tables"
        + (" without sharing" if unshared else ""),
        winners=1,
        tables=tables,
        rounds=rounds,
        boards_per_round=boards_per_round,
        stations=tuple(stations),
        promises=Promises(
            everyone_meets=rounds == full,
            all_boards=True,
            sit_outs_at_most=0 if missing_pair is None else 1,
            balanced=rounds == full and tables in BALANCED and missing_pair is None,
            shared=shared,
        ),
    )


def howell_rounds(tables: int) -> tuple[int, ...]:
    """Return the possible numbers of rounds of a Howell with this many tables, ascending; the last is the full one.

    >>> howell_rounds(7)
    (8, 9, 10, 11, 12, 13)
    """
    full = (len(THREE_TABLES),) if tables == 3 else ()
    return (*sorted(rounds for size, rounds in HOWELLS if size == tables), *full)


def _shared_tables(tables: int, rounds: int) -> tuple[tuple[int, ...], ...]:
    """Return the groups of tables that share boards."""
    if (tables, rounds) in SHARING:
        return ((1, 2),)
    is_full = rounds == 2 * tables - 1
    return (tuple(range(1, tables + 1)),) if is_full and tables <= 3 else ()


def _rotated(tables: int, rounds: int, sets: Sets) -> Iterator[Station]:
    """Yield the stations: in each round, moving pairs and board sets have the next number, modulo `rounds`."""
    for table, (north_south, east_west, start) in enumerate(_start_positions(tables, rounds), start=1):
        for turn in range(rounds):
            # The pairs that stay have the numbers above those that move, the highest at table 1.
            ns = 2 * tables + 1 - table if north_south is None else (north_south + turn) % rounds + 1
            yield Station(table, turn + 1, ns, (east_west + turn) % rounds + 1, sets[(start + turn) % rounds])


def _start_positions(tables: int, rounds: int) -> Iterator[tuple[int | None, int, int]]:
    for entry in HOWELLS[tables, rounds].split():
        pairs, start = entry.split("@")
        north_south, _, east_west = pairs.rpartition("-")
        yield int(north_south) if north_south else None, int(east_west), int(start)


def _three_tables(sets: Sets) -> Iterator[Station]:
    for round_, tables in enumerate(THREE_TABLES, start=1):
        for table, (ns, ew, number) in enumerate(tables, start=1):
            yield Station(table, round_, ns, ew, sets[number - 1])


def _three_tables_apart(boards_per_round: int) -> Iterator[Station]:
    halves = sets_of_boards(10, boards_per_round // 2)
    for round_, tables in enumerate(THREE_TABLES_APART, start=1):
        for table, (ns, ew, one, other) in enumerate(tables, start=1):
            yield Station(table, round_, ns, ew, halves[one - 1] + halves[other - 1])


def _or_list(numbers: tuple[int, ...]) -> str:
    *others, last = map(str, numbers)
    return f"{', '.join(others)} or {last}" if others else last
