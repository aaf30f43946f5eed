"""Mitchells of every kind and size keep what they promise, and the ones in the books come out as printed."""

import re
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from overtrick.movements import Movement, MovementContestant, MovementError, check, mitchell
from overtrick.movements.mitchells import web_copies
from overtrick.movements.rovers import rover_tables


def seating(movement: Movement, round_: int) -> list[tuple[int, int, int]]:
    return [(s.ns, s.ew, s.boards[0] if s.boards else 0) for s in movement.round(round_)]


def test_plain_mitchell_of_seven_tables() -> None:
    movement = mitchell(7, 4)
    assert (movement.winners, movement.rounds, len(movement.boards)) == (2, 7, 28)
    assert seating(movement, 1) == [(t, t, 4 * t - 3) for t in range(1, 8)]
    # E-W have moved up a table, boards have moved down a table.
    assert seating(movement, 2) == [
        (1, 7, 5),
        (2, 1, 9),
        (3, 2, 13),
        (4, 3, 17),
        (5, 4, 21),
        (6, 5, 25),
        (7, 6, 1),
    ]
    assert movement.promises.everyone_meets
    assert movement.promises.all_boards
    assert len(movement.pairs) == 14
    assert movement.pairs[0] == MovementContestant(1, "N-S")
    assert movement.at(2, 7).boards == (1, 2, 3, 4)


def test_skip_mitchell_of_six_tables_skips_after_round_3() -> None:
    movement = mitchell(6, 4, kind="skip")
    assert movement.rounds == 5
    assert [movement.at(r, 1).ew for r in range(1, 6)] == [1, 6, 5, 3, 2]


def test_share_and_relay_mitchell_of_six_tables() -> None:
    movement = mitchell(6, 4)
    assert movement.name == "share-and-relay Mitchell of 6 tables"
    for round_ in range(1, 7):
        assert movement.at(round_, 1).boards == movement.at(round_, 6).boards
    # The fourth set starts on the stand between tables 3 and 4.
    assert {s.boards[0] for s in movement.round(1)} == {1, 5, 9, 17, 21}
    assert movement.at(2, 3).boards[0] == 13


@pytest.mark.parametrize("tables", range(2, 26))
@pytest.mark.parametrize("switches", [0, 2])
def test_mitchell_of_every_size_and_length_is_valid(tables: int, switches: int) -> None:
    for rounds in {None, 2, tables // 2, tables // 2 + 1, tables - 1, tables} - {0, 1}:
        for missing in (None, 1, -tables):
            movement = mitchell(tables, 2, rounds, arrow_switches=switches, missing_pair=missing)
            assert check(movement) == ()
            assert len(movement.pairs) == 2 * tables - (missing is not None)
            assert rounds is None or movement.rounds == rounds


@pytest.mark.parametrize("tables", range(4, 26, 2))
def test_full_skip_mitchell_meets_first_opponents_again(tables: int) -> None:
    movement = mitchell(tables, 2, tables, kind="skip")
    assert movement.promises.opponents_at_most == 2
    assert movement.promises.all_boards
    assert check(movement) == ()


@pytest.mark.parametrize("tables", range(3, 26))
def test_rover_mitchell_is_valid(tables: int) -> None:
    for rounds in range(2, tables + 1):
        movement = mitchell(tables, 2, rounds, kind="rover", arrow_switches=rounds // 8)
        assert check(movement) == ()
        assert len(movement.pairs) == 2 * tables + 1
        assert len(movement.sit_outs()) == rounds
        if tables % 2 == 0 or tables % 3:
            assert movement.promises.opponents_at_most == 1


def test_rover_goes_up_two_tables_a_round() -> None:
    assert rover_tables("plain", 5, 5) == (2, 4, 1, 3)
    assert rover_tables("plain", 7, 7) == (2, 4, 6, 1, 3, 5)
    movement = mitchell(7, 4, kind="rover")
    assert movement.tables == 8
    assert movement.at(1, 8).ns == 8
    assert movement.at(1, 8).boards == ()
    assert movement.at(2, 2).ns == 8
    assert (movement.at(2, 8).ns, movement.at(2, 8).ew) == (2, 0)
    # Nine tables cannot do without a second meeting.
    assert mitchell(9, 3, kind="rover").promises.opponents_at_most == 2


def test_arrow_switch_makes_one_field_and_switches_the_last_round() -> None:
    movement = mitchell(5, 5, arrow_switches=1)
    assert movement.winners == 1
    assert (movement.at(1, 1).ns, movement.at(1, 1).ew) == (1, 6)
    assert (movement.at(4, 1).ns, movement.at(4, 1).ew) == (1, 8)
    assert (movement.at(5, 1).ns, movement.at(5, 1).ew) == (7, 1)
    assert [who.number for who in movement.pairs] == list(range(1, 11))


def test_opponents_of_a_missing_pair_sit_out() -> None:
    movement = mitchell(5, 5, missing_pair=-5)
    assert movement.sit_outs() == tuple((r, MovementContestant((r + 3) % 5 + 1, "N-S")) for r in range(1, 6))
    one_field = mitchell(5, 5, missing_pair=10, arrow_switches=1)
    assert one_field == mitchell(5, 5, missing_pair=-5, arrow_switches=1)
    assert len(one_field.pairs) == 9


@given(
    tables=st.integers(2, 30),
    boards=st.integers(1, 6),
    part=st.floats(0.01, 1),
    switched=st.floats(0, 1),
    missing=st.none() | st.integers(1, 30),
)
def test_random_mitchell_is_valid(
    tables: int, boards: int, part: float, switched: float, missing: int | None
) -> None:
    rounds = max(1, round(part * tables))
    if missing is not None:
        missing = missing % tables + 1
    movement = mitchell(
        tables,
        boards,
        rounds,
        arrow_switches=round(switched * rounds),
        missing_pair=missing,
    )
    assert check(movement) == ()


def test_impossible_numbers_are_refused() -> None:
    with pytest.raises(MovementError, match="at most 4 rounds, not 5; a skip"):
        mitchell(8, 3, 5, kind="plain")
    with pytest.raises(MovementError, match="even number of tables"):
        mitchell(7, 3, kind="skip")
    with pytest.raises(MovementError, match="at most 7 rounds"):
        mitchell(7, 3, 8)
    with pytest.raises(MovementError, match="2 to 100, not 1"):
        mitchell(1, 3)
    with pytest.raises(MovementError, match="at least 1, not 0"):
        mitchell(5, 0)
    with pytest.raises(MovementError, match="not both"):
        mitchell(5, 3, kind="rover", missing_pair=1)
    with pytest.raises(MovementError, match="Pair 6 cannot be missing"):
        mitchell(5, 3, missing_pair=6)
    with pytest.raises(MovementError, match="No rover is known for 26"):
        mitchell(26, 1, kind="rover")
    with pytest.raises(MovementError, match="0 to 5, not 6"):
        mitchell(5, 3, arrow_switches=6)
    with pytest.raises(MovementError, match="no table 9 in round 1"):
        mitchell(5, 3).at(1, 9)


@pytest.mark.parametrize(
    ("tables", "kind", "sentence"),
    [
        (
            8,
            "webb",
            "There is no Mitchell of the kind 'webb'. The kinds are auto, plain, skip, share-and-relay, rover, "
            "hesitation, bowman, web.",
        ),
        (4.5, "auto", "The number of tables of a Mitchell must be a whole number, not 4.5."),
    ],
)
def test_kind_or_number_that_makes_no_sense_is_refused_with_a_sentence(
    tables: Any, kind: Any, sentence: str
) -> None:
    with pytest.raises(MovementError, match=re.escape(sentence)):
        mitchell(tables, 3, kind=kind)


@settings(max_examples=50)
@given(tables=st.integers(3, 30), data=st.data())
def test_hesitation_mitchell_of_any_size_is_valid(tables: int, data: st.DataObject) -> None:
    rounds = data.draw(st.integers(1, tables + 1))
    switched = data.draw(st.sets(st.integers(1, rounds), max_size=3))
    missing = data.draw(st.none() | st.integers(1, 2 * tables) | st.integers(-tables, -1))
    movement = mitchell(tables, 2, rounds, kind="hesitation", arrow_switches=switched, missing_pair=missing)
    assert check(movement) == ()
    assert movement.winners == 1
    assert movement.promises.opponents_at_most == 1
    assert movement.promises.all_boards == (rounds == tables + 1)
    assert movement.promises.shared == (() if tables % 2 else ((1, tables),))
    assert len(movement.pairs) == 2 * tables - (missing is not None)


def test_hesitation_mitchell_of_seven_tables_is_the_published_one() -> None:
    # English Bridge Union, Club Focus: a relay between tables 3 and 4 with boards 10-12 first; pair 7 goes to table 1.
    movement = mitchell(7, 3, kind="hesitation")
    assert seating(movement, 1) == [
        (1, 8, 1),
        (2, 9, 4),
        (3, 10, 7),
        (4, 11, 13),
        (5, 12, 16),
        (6, 13, 19),
        (7, 14, 22),
    ]
    assert (movement.at(2, 1).ew, movement.at(2, 7).ns, movement.at(2, 7).ew) == (7, 14, 13)


@settings(max_examples=40)
@given(tables=st.integers(2, 19).map(lambda half: 2 * half + 1), data=st.data())
def test_bowman_mitchell_of_any_odd_size_is_valid(tables: int, data: st.DataObject) -> None:
    rounds = data.draw(st.integers(1, tables - 2))
    switches = data.draw(st.integers(0, rounds))
    missing = data.draw(st.none() | st.integers(-tables, -1) | st.integers(1, tables))
    movement = mitchell(tables, 2, rounds, kind="bowman", arrow_switches=switches, missing_pair=missing)
    assert check(movement) == ()
    assert movement.promises.opponents_at_most == 1
    assert 1 <= movement.copies <= movement.promises.copies <= 3


def test_bowman_mitchell_of_eleven_tables_is_the_published_one() -> None:
    # English Bridge Union, Club Focus: table 10 shares with table 1, table 11 in turn with 9, 7, 5, 3, 1, 8, 6, 4, 2.
    movement = mitchell(11, 3, kind="bowman")
    partners = []
    for round_ in range(1, 10):
        assert movement.at(round_, 10).boards == movement.at(round_, 1).boards
        boards = movement.at(round_, 11).boards
        partners += [s.table for s in movement.round(round_) if s.boards == boards and s.table < 10]
    assert partners == [9, 7, 5, 3, 1, 8, 6, 4, 2]


@settings(max_examples=40)
@given(tables=st.integers(4, 40), data=st.data())
def test_web_mitchell_of_any_size_and_odd_number_of_rounds_is_valid(tables: int, data: st.DataObject) -> None:
    rounds = data.draw(st.integers(1, (tables - 2) // 2).map(lambda half: 2 * half + 1))
    switches = data.draw(st.integers(0, rounds))
    missing = data.draw(st.none() | st.integers(-tables, -1))
    movement = mitchell(tables, 2, rounds, kind="web", arrow_switches=switches, missing_pair=missing)
    assert check(movement) == ()
    assert movement.promises.all_boards
    assert len(movement.boards) == 2 * rounds
    assert movement.copies <= web_copies(tables, rounds)


@pytest.mark.parametrize(("tables", "copies"), [(14, 2), (15, 3), (26, 2), (25, 3), (28, 4)])
def test_web_mitchell_of_13_rounds_needs_this_many_copies(tables: int, copies: int) -> None:
    movement = mitchell(tables, 2, kind="web")
    assert (movement.rounds, movement.promises.copies) == (13, copies)
    fewer = replace(movement, promises=replace(movement.promises, copies=copies - 1))
    assert {problem.rule for problem in check(fewer)} == {"board-place"}


def test_arrow_switch_in_given_rounds() -> None:
    movement = mitchell(5, 2, arrow_switches=(2, 4))
    assert [movement.at(round_, 1).ew for round_ in range(1, 6)] == [6, 1, 9, 1, 7]
    with pytest.raises(MovementError, match="A round with an arrow switch must be 1 to 5, not 6"):
        mitchell(5, 2, arrow_switches=[6])


@pytest.mark.parametrize(
    ("tables", "rounds", "kind", "sentence"),
    [
        (2, None, "hesitation", "at least 3"),
        (7, 9, "hesitation", "at most 8 rounds, not 9"),
        (8, None, "bowman", "an odd number of tables, 5 or more, not 8"),
        (11, 10, "bowman", "at most 9 rounds, not 10"),
        (14, 12, "web", "an odd number of rounds"),
        (14, 15, "web", "fewer than tables"),
    ],
)
def test_impossible_kind_is_refused(tables: int, rounds: int | None, kind: Any, sentence: str) -> None:
    with pytest.raises(MovementError, match=sentence):
        mitchell(tables, 2, rounds, kind=kind)
