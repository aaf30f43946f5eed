"""Our movements are those of published cards, up to other numbers of pairs, sets of boards and rounds.

The figures (pairs and sets of boards) are from the movements of two open projects: thebridsk/bridgescorer, files
`Movement.*.yaml`, and criptik/angular-dupscore, files `*.MOV`. A table is written N-S, E-W and set: 8-1@1.
"""

from collections.abc import Iterable

import pytest

from overtrick.movements import Movement, check, howell, mitchell

Table = tuple[int, int, int]
"""N-S, E-W, set of boards."""


def read(line: str) -> list[Table]:
    tables = []
    for entry in line.split():
        pairs, number = entry.split("@")
        ns, ew = pairs.split("-")
        tables.append((int(ns), int(ew), int(number)))
    return tables


def rotated(first: str, rounds: int) -> list[list[Table]]:
    """Return the rounds of a card in which every moving pair and every set has the next number in the next round."""

    def later(number: int, turn: int) -> int:
        return number if number > rounds else (number - 1 + turn) % rounds + 1

    return [
        [(later(ns, turn), later(ew, turn), later(number, turn)) for ns, ew, number in read(first)]
        for turn in range(rounds)
    ]


def renumbered(card: list[list[Table]], pairs: tuple[int, ...]) -> set[tuple[frozenset[int], int, int]]:
    """Return who meets on which set in which round, with our numbers for the pairs of a card."""
    return {
        (frozenset((pairs[ns - 1], pairs[ew - 1])), number, round_)
        for round_, tables in enumerate(card, start=1)
        for ns, ew, number in tables
    }


def meetings(movement: Movement) -> set[tuple[frozenset[int], int, int]]:
    return {
        (frozenset((s.ns, s.ew)), (s.boards[0] - 1) // movement.boards_per_round + 1, s.round)
        for s in movement
        if s.is_played
    }


def groups(meetings: Iterable[tuple[frozenset[int], int, int]], by: int) -> set[frozenset[frozenset[int]]]:
    """Return who meets on the same set (1) or in the same round (2), whatever the numbers of sets and rounds."""
    members: dict[int, set[frozenset[int]]] = {}
    for meeting in meetings:
        members.setdefault(meeting[by], set()).add(meeting[0])  # type: ignore[arg-type]
    return {frozenset(group) for group in members.values()}


HOWELL_OF_8_PAIRS = rotated("8-1@1 3-6@4 2-7@6 5-4@7", 7)
HOWELL_OF_10_PAIRS = rotated("7-3@1 5-2@2 10-1@3 9-8@4 4-6@5", 9)
HOWELL_OF_6_PAIRS = [
    read("6-1@1 4-3@2 2-5@4"),
    read("6-2@2 5-4@3 3-1@4"),
    read("6-3@3 1-5@2 4-2@1"),
    read("6-4@4 2-1@3 5-3@1"),
    read("6-5@5 3-2@5 1-4@5"),
]


def without(card: list[list[Table]], pair: int) -> list[list[Table]]:
    return [[table for table in tables if pair not in table[:2]] for tables in card]


@pytest.mark.parametrize(
    ("card", "pairs", "ours"),
    [
        pytest.param(rotated("4-1@1 2-3@1", 3), (1, 2, 3, 4), howell(2, 7), id="H0203X"),
        pytest.param(HOWELL_OF_6_PAIRS, (1, 2, 5, 6, 3, 4), howell(3, 5), id="Howell06T3B15 to 30 Relay"),
        pytest.param(HOWELL_OF_10_PAIRS, (1, 3, 5, 7, 9, 2, 4, 6, 8, 10), howell(5, 2), id="Howell10T5B18"),
        pytest.param(
            without(HOWELL_OF_10_PAIRS, 10),
            (1, 3, 5, 7, 9, 2, 4, 6, 8),
            howell(5, 2, missing_pair=10),
            id="Howell09T4B18",
        ),
        pytest.param(
            rotated("10-1@1 9-5@1 4-7@2 2-3@4 6-8@5", 8),
            tuple(range(1, 11)),
            howell(5, 3, 8),
            id="Howell10T5B24Relay",
        ),
    ],
)
def test_published_howell_has_the_same_meetings_boards_and_rounds(
    card: list[list[Table]], pairs: tuple[int, ...], ours: Movement
) -> None:
    published = renumbered(card, pairs)
    assert len(published) == len(meetings(ours))
    for by in (1, 2):
        assert groups(published, by) == groups(meetings(ours), by)


@pytest.mark.parametrize(
    ("card", "pairs", "ours"),
    [
        pytest.param(
            HOWELL_OF_8_PAIRS, (1, 2, 3, 4, 8, 5, 6, 7), howell(4, 3), id="Howell08T4B14, B21 and H0407X"
        ),
        pytest.param(
            without(HOWELL_OF_8_PAIRS, 8),
            (1, 2, 3, 6, 7, 5, 4),
            howell(4, 3, missing_pair=8),
            id="Howell07T3B21",
        ),
    ],
)
def test_published_howell_has_the_same_meetings_on_the_same_boards_in_other_rounds(
    card: list[list[Table]], pairs: tuple[int, ...], ours: Movement
) -> None:
    published = renumbered(card, pairs)
    assert groups(published, 1) == groups(meetings(ours), 1)
    assert groups(published, 2) != groups(meetings(ours), 2)


def test_two_tables_of_six_rounds_are_our_three_rounds_played_in_halves() -> None:
    # Howell04T2B18 and B24: in rounds 1 and 2, 3 and 4, 5 and 6 the same pairs exchange two sets.
    card = [
        read("4-1@1 2-3@2"),
        read("4-1@2 3-2@1"),
        read("4-2@3 3-1@4"),
        read("4-2@4 1-3@3"),
        read("4-3@5 1-2@6"),
        read("4-3@6 2-1@5"),
    ]
    joined = {
        (frozenset((ns, ew)), (number + 1) // 2, (round_ + 1) // 2)
        for round_, tables in enumerate(card, start=1)
        for ns, ew, number in tables
    }
    assert joined == meetings(howell(2, 6))


def test_three_tables_without_sharing_have_the_published_half_sets() -> None:
    # Howell06T3B20, and HCOLONEL in ten rounds of half as many boards: pairs 6 and 1 have sets 1 and 2, then 6 and 2
    # have 3 and 4, and so on.
    movement = howell(3, 4, sharing=False)
    assert [s.boards for s in movement.round(1)] == [(1, 2, 3, 4), (5, 6, 17, 18), (11, 12, 15, 16)]
    assert [(s.ns, s.ew) for s in movement.round(2)] == [(6, 2), (5, 4), (3, 1)]
    assert movement.copies == 1
    assert check(movement) == ()


def test_mitchells_of_three_and_five_tables_are_the_published_ones() -> None:
    # Mitchell3Table (E-W 1 to 3 have the numbers 4 to 6 there) and M0505X.
    for tables, second in ((3, "1-3@2 2-1@3 3-2@1"), (5, "1-5@2 2-1@3 3-2@4 4-3@5 5-4@1")):
        assert [(s.ns, s.ew, s.boards[0]) for s in mitchell(tables, 1).round(2)] == read(second)


@pytest.mark.parametrize(
    ("first", "rounds"),
    [
        ("12-1@1 6-7@4 11-4@6 3-9@8 2-5@9 10-8@11", 11),
        ("5-12@1 2-4@2 9-10@3 14-1@4 8-13@5 7-11@6 6-3@7", 13),
    ],
)
def test_published_howells_of_12_and_14_pairs_are_valid_but_others_than_ours(first: str, rounds: int) -> None:
    # Howell12T6B22 and Howell14T7B26 (and 11 and 13 pairs, without the highest): the differences of the pairs that
    # meet on neighbouring sets cannot be turned into ours by a renumbering x -> ax + b, the only ones that keep a
    # circle.
    card = rotated(first, rounds)
    ours = groups(meetings(howell((rounds + 1) // 2, 2)), 1)
    for factor in range(1, rounds):
        pairs = (*((factor * pair) % rounds + 1 for pair in range(rounds)), rounds + 1)
        assert groups(renumbered(card, pairs), 1) != ours
    rows = ["round,table,ns,ew,boards"]
    for round_, tables in enumerate(card, start=1):
        rows += [f"{round_},{table},{ns},{ew},{number}" for table, (ns, ew, number) in enumerate(tables, 1)]
    published = Movement.load("\n".join(rows))
    assert check(published) == ()
    assert published.promises.everyone_meets
    assert published.promises.all_boards
