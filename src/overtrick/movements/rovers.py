"""The path of the rover in a rover Mitchell: the table whose N-S pair it replaces, round by round.

Pure: depends on the circulation only (plain, skip, share-and-relay), not on pairs and boards.
"""

from overtrick.movements.model import MovementError

# From round 2 on. Found by search: no table twice, no boards twice, no E-W pair twice. For an odd number of tables that
# 3 divides the search found none, so there the rover meets one E-W pair twice.
ROVER_TABLES: dict[tuple[str, int], tuple[int, ...]] = {
    ("plain", 3): (1, 2),
    ("plain", 9): (8, 9, 3, 6, 2, 7, 1, 4),
    ("plain", 15): (2, 12, 1, 6, 10, 5, 9, 15, 3, 14, 11, 8, 4, 7),
    ("plain", 21): (3, 8, 19, 11, 16, 20, 1, 5, 10, 13, 7, 21, 17, 6, 2, 12, 15, 9, 18, 4),
    ("share-and-relay", 4): (3, 1, 4),
    ("share-and-relay", 6): (5, 3, 6, 4, 1),
    ("share-and-relay", 8): (5, 1, 6, 2, 7, 3, 8),
    ("share-and-relay", 10): (8, 6, 3, 10, 7, 1, 5, 9, 2),
    ("share-and-relay", 12): (2, 9, 12, 4, 11, 5, 10, 6, 1, 3, 7),
    ("share-and-relay", 14): (2, 10, 7, 11, 1, 5, 13, 6, 9, 12, 14, 3, 8),
    ("share-and-relay", 16): (11, 9, 6, 2, 13, 1, 4, 12, 10, 15, 7, 5, 3, 16, 14),
    ("share-and-relay", 18): (15, 10, 6, 11, 3, 1, 7, 14, 18, 9, 12, 16, 5, 8, 17, 13, 4),
    ("share-and-relay", 20): (9, 19, 4, 11, 17, 5, 20, 12, 14, 10, 1, 7, 15, 3, 18, 2, 8, 16, 13),
    ("share-and-relay", 22): (11, 1, 4, 22, 13, 21, 7, 12, 16, 19, 2, 6, 18, 9, 5, 8, 15, 20, 3, 17, 10),
    ("share-and-relay", 24): (
        7,
        13,
        2,
        16,
        19,
        3,
        23,
        12,
        9,
        15,
        18,
        1,
        22,
        5,
        8,
        11,
        20,
        4,
        21,
        14,
        17,
        6,
        24,
    ),
    ("skip", 4): (3, 4),
    ("skip", 6): (5, 1, 4, 6),
    ("skip", 8): (5, 1, 6, 3, 8, 4),
    ("skip", 10): (8, 10, 7, 3, 6, 9, 1, 5),
    ("skip", 12): (2, 9, 6, 8, 3, 1, 10, 5, 7, 4),
    ("skip", 14): (2, 5, 10, 4, 11, 8, 13, 3, 6, 9, 7, 12),
    ("skip", 16): (11, 4, 1, 7, 10, 15, 3, 9, 14, 8, 2, 12, 6, 16),
    ("skip", 18): (12, 8, 2, 7, 9, 15, 5, 16, 17, 6, 4, 10, 14, 11, 3, 1),
    ("skip", 20): (11, 1, 5, 20, 10, 12, 18, 9, 7, 19, 15, 2, 6, 8, 16, 4, 13, 3),
    ("skip", 22): (11, 16, 19, 2, 6, 17, 14, 8, 22, 3, 9, 12, 4, 18, 21, 13, 20, 1, 7, 5),
    ("skip", 24): (21, 6, 11, 20, 10, 23, 13, 19, 4, 9, 1, 16, 3, 12, 2, 15, 18, 7, 14, 22, 24, 8),
}
LEAST_TABLES, MOST_TABLES = 3, 25


def rover_tables(base: str, tables: int, rounds: int) -> tuple[int, ...]:
    """Return the tables at which the rover plays from round 2 on; raise MovementError if no path is known.

    With an odd number of tables that 3 does not divide, the rover starts at table 2 and goes up two tables a round.

    >>> rover_tables("plain", 7, 7)
    (2, 4, 6, 1, 3, 5)
    """
    if tables % 2 and tables % 3:
        return tuple(2 * step % tables or tables for step in range(1, rounds))
    # An even Mitchell that stops before its half is the beginning of a skip Mitchell.
    path = ROVER_TABLES.get(("skip" if base == "plain" and tables % 2 == 0 else base, tables))
    if path is None:
        raise MovementError(
            f"No rover is known for {tables} tables: there are rovers for {LEAST_TABLES} to {MOST_TABLES} tables, "
            "and for any odd number that 3 does not divide. One table more, with a missing pair, is always possible."
        )
    return path[: rounds - 1]
