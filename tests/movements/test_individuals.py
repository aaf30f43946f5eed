"""Individuals: partners and opponents as promised, and the known ones as they are known."""

from collections import Counter

import pytest

from overtrick.movements import MovementError, check, individual
from overtrick.movements.individuals import WHISTS, rainbow_tables


def test_two_tables_play_the_well_known_individual() -> None:
    movement = individual(2, 4)
    assert (movement.rounds, movement.tables, len(movement.boards)) == (7, 2, 28)
    # Player 8 stays; the others go 1S, 2S, 1E, 2N, 2W, 2E, 1W and back to 1S.
    seats = {
        player: [
            f"{s.table}{seat}"
            for s in movement
            for seat, who in zip("NSEW", (s.ns, s.south, s.ew, s.west), strict=True)
            if who == player
        ]
        for player in (1, 8)
    }
    assert seats[8] == ["1N"] * 7
    assert seats[1] == ["1S", "2S", "1E", "2N", "2W", "2E", "1W"]


@pytest.mark.parametrize("tables", sorted(WHISTS))
def test_whist_individual_is_valid_and_everyone_partners(tables: int) -> None:
    movement = individual(tables, 2, kind="whist")
    assert check(movement) == ()
    assert len(movement.pairs) == 4 * tables
    assert movement.rounds == 4 * tables - 1
    assert movement.promises.everyone_partners
    partners = Counter(frozenset(two) for s in movement for two in ((s.ns, s.south), (s.ew, s.west)))
    assert set(partners.values()) == {1}
    assert len(partners) == 4 * tables * (4 * tables - 1) // 2
    opponents = Counter(frozenset((a, b)) for s in movement for a in (s.ns, s.south) for b in (s.ew, s.west))
    assert set(opponents.values()) == {2}


@pytest.mark.parametrize("tables", rainbow_tables())
def test_rainbow_individual_is_valid_and_nothing_repeats(tables: int) -> None:
    movement = individual(tables, 2)
    assert movement.rounds == tables
    assert len(movement.boards) == 2 * tables
    assert len(movement.pairs) == 4 * tables
    assert movement.promises.partners_once
    assert movement.promises.opponents_at_most == 1
    assert movement.promises.all_boards
    assert movement.promises.shared == ()
    assert check(movement) == ()


def test_whist_tables_that_share_boards() -> None:
    shared = {tables: individual(tables, 2, kind="whist").promises.shared for tables in WHISTS}
    assert shared == {
        2: ((1, 2),),
        3: ((1, 2, 3),),
        4: ((1, 2),),
        5: ((1, 2),),
        6: ((1, 2, 3, 4, 5, 6),),
    }


def test_rainbow_lines_move_at_their_paces() -> None:
    movement = individual(7, 3)
    first, second = movement.at(1, 1), movement.at(2, 1)
    assert (first.ns, first.ew, first.south, first.west) == (1, 8, 15, 22)
    # North stays, South moves up one, East up two, West down two, boards down one.
    assert (second.ns, second.ew, second.south, second.west) == (1, 13, 21, 24)
    assert second.boards == (4, 5, 6)


@pytest.mark.parametrize("rounds", [1, 4, 6])
@pytest.mark.parametrize("tables", [2, 3, 4, 5, 7, 8, 9])
def test_curtailed_individual_is_valid(tables: int, rounds: int) -> None:
    if rounds <= tables or tables < 5:
        movement = individual(tables, 3, rounds)
        assert movement.rounds == rounds
        assert check(movement) == ()


def test_impossible_numbers_are_refused() -> None:
    with pytest.raises(
        MovementError, match=r"No whist individual is known for 10 tables.*2, 3, 4, 5, 6, 7, 8"
    ):
        individual(10, 2)
    with pytest.raises(MovementError, match="No rainbow individual is known for 4"):
        individual(4, 2, kind="rainbow")
    with pytest.raises(MovementError, match="1 to 7, not 8"):
        individual(2, 2, 8)
    with pytest.raises(MovementError, match="boards in a round"):
        individual(2, 0)


def test_unknown_kind_is_refused_with_the_kinds_there_are() -> None:
    with pytest.raises(MovementError, match=r"of the kind 'rainbw'\. The kinds are auto, whist, rainbow\."):
        individual(5, 3, kind="rainbw")  # type: ignore[arg-type]
