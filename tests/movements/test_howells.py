"""Howells of every size keep what they promise, and nobody who should meet is left out."""

from itertools import combinations

import pytest

from overtrick.movements import MovementError, check, curtailed, howell, howell_rounds, mitchell
from overtrick.movements.howell_starters import BALANCED, HOWELLS, SHARING


def test_two_tables_share_all_boards_in_three_rounds() -> None:
    movement = howell(2, 8)
    assert (movement.winners, movement.rounds, len(movement.boards)) == (1, 3, 24)
    opponents = [{frozenset((s.ns, s.ew)) for s in movement.round(r)} for r in (1, 2, 3)]
    assert opponents == [
        {frozenset((4, 1)), frozenset((2, 3))},
        {frozenset((4, 2)), frozenset((3, 1))},
        {frozenset((4, 3)), frozenset((1, 2))},
    ]
    assert all(movement.at(r, 1).boards == movement.at(r, 2).boards for r in (1, 2, 3))
    assert check(movement) == ()


@pytest.mark.parametrize("tables", range(2, 21))
def test_full_howell_is_valid_and_everyone_meets(tables: int) -> None:
    movement = howell(tables, 2)
    assert movement.rounds == 2 * tables - 1
    assert movement.promises.everyone_meets
    assert movement.promises.all_boards
    assert movement.promises.opponents_at_most == 1
    assert movement.promises.balanced == (tables in BALANCED)
    assert check(movement) == ()
    met = {frozenset((s.ns, s.ew)) for s in movement}
    assert met == {frozenset(two) for two in combinations(range(1, 2 * tables + 1), 2)}
    assert all(movement.at(r, 1).ns == 2 * tables for r in range(1, movement.rounds + 1))


@pytest.mark.parametrize("tables", range(4, 21))
def test_four_and_more_tables_share_no_boards_except_in_two_reduced_howells(tables: int) -> None:
    for rounds in howell_rounds(tables):
        movement = howell(tables, 1, rounds)
        assert movement.promises.shared == (((1, 2),) if (tables, rounds) in SHARING else ())
        assert check(movement) == ()
        assert len(movement.boards) == rounds
        assert len(movement.pairs) == 2 * tables


def test_three_tables_share_boards_only_in_the_first_round() -> None:
    movement = howell(3, 5)
    different = [len({s.boards for s in movement.round(r)}) for r in range(1, 6)]
    assert different == [1, 3, 3, 3, 3]


def test_reduced_howells_exist_for_3_to_14_tables() -> None:
    assert howell_rounds(5) == (6, 7, 8, 9)
    assert howell_rounds(8) == (10, 11, 12, 13, 14, 15)
    assert {tables for tables, rounds in HOWELLS if rounds < 2 * tables - 1} == set(range(3, 15))


@pytest.mark.parametrize("tables", range(2, 21))
def test_missing_pair_makes_every_other_pair_sit_out_once(tables: int) -> None:
    for missing in (1, 2 * tables):
        movement = howell(tables, 2, missing_pair=missing)
        assert check(movement) == ()
        assert sorted(who.number for _, who in movement.sit_outs()) == [
            number for number in range(1, 2 * tables + 1) if number != missing
        ]


@pytest.mark.parametrize("rounds", range(1, 14))
def test_curtailed_howell_is_valid(rounds: int) -> None:
    movement = curtailed(howell(7, 2), rounds)
    assert movement.rounds == rounds
    assert check(movement) == ()
    assert movement.promises.everyone_meets == (rounds == 13)
    assert check(curtailed(mitchell(13, 2, missing_pair=3), rounds)) == ()


def test_impossible_numbers_are_refused() -> None:
    with pytest.raises(MovementError, match="6 tables has 8, 9, 10 or 11 rounds, not 7; to stop earlier"):
        howell(6, 3, 7)
    with pytest.raises(MovementError, match="3 tables has 4 or 5 rounds, not 3"):
        howell(3, 3, 3)
    with pytest.raises(MovementError, match="2 to 20, not 21"):
        howell(21, 3)
    with pytest.raises(MovementError, match="1 to 10, not 11"):
        howell(5, 3, missing_pair=11)
    with pytest.raises(MovementError, match="1 to 9, not 10"):
        curtailed(howell(5, 3), 10)


def test_howell_without_sharing_exists_for_three_tables_and_even_sets_only() -> None:
    movement = howell(3, 4, sharing=False)
    assert movement.name == "Howell of 3 tables without sharing"
    assert (movement.copies, check(movement)) == (1, ())
    assert check(howell(3, 6, missing_pair=2, sharing=False)) == ()
    assert howell(4, 3, sharing=False) == howell(4, 3)
    for impossible in ((2, 4, None), (3, 5, None), (5, 3, 8)):
        with pytest.raises(MovementError, match="needs shared boards"):
            howell(*impossible, sharing=False)
