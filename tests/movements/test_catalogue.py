"""The catalogue offers something playable for every field, and says what it is."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from overtrick.movements import (
    Choice,
    MovementError,
    MovementOptions,
    check,
    choose,
    choose_individuals,
    choose_own,
    choose_teams,
    howell,
    mitchell,
)


def named(choices: list[Choice]) -> dict[str, Choice]:
    return {choice.name: choice for choice in choices}


@pytest.mark.parametrize("boards", [18, 24, 27])
@pytest.mark.parametrize("pairs", [*range(4, 31), 47, 50])
def test_every_choice_is_valid_and_near_the_boards_asked_for(pairs: int, boards: int) -> None:
    choices = choose(pairs, boards)
    assert choices
    assert len(named(choices)) == len(choices)
    for choice in choices:
        assert check(choice.movement) == ()
        assert len(choice.movement.pairs) == pairs
        assert abs(choice.boards_each - boards) <= boards / 5
        assert (choice.sit_out == "Nobody sits out.") == (pairs % 2 == 0)
        assert len(choice.movement.sit_outs()) == (choice.rounds if pairs % 2 else 0)
        assert choice.meaning.endswith(("winner.", "has a winner."))
        assert ("one winner" in choice.meaning) == (choice.winners == 1)
    # What is played on every board comes first.
    assert [c.every_board for c in choices] == sorted((c.every_board for c in choices), reverse=True)


def test_fields_of_99_to_200_pairs_have_choices() -> None:
    for pairs in (99, 150, 200):
        choices = choose(pairs)
        assert choices
        assert not any(choice.every_board for choice in choices)
        assert all(check(choice.movement) == () for choice in choices[:1])


def test_fourteen_pairs_are_offered_a_howell_and_a_mitchell() -> None:
    choices = named(choose(14, 26))
    howell = choices["Howell of 7 tables"]
    assert (howell.winners, howell.rounds, howell.boards_per_round, howell.boards_in_all) == (1, 13, 2, 26)
    assert howell.meaning == (
        "Everyone meets everyone else; pair 14 stays; each moving pair follows the one below it; "
        "there is one winner."
    )
    assert howell.comparison == "Every pair plays every board."
    mitchell = choices["Mitchell of 7 tables"]
    assert (mitchell.winners, mitchell.boards_in_all) == (2, 28)
    assert next(iter(choices)) == "Howell of 7 tables"


def test_thirteen_pairs_are_offered_a_rover_and_a_howell_with_a_sit_out() -> None:
    choices = named(choose(13, 24))
    assert "rover share-and-relay Mitchell of 6½ tables" in choices
    howell = choices["Howell of 7 tables"]
    assert howell.meaning == (
        "Everyone meets everyone else; each moving pair follows the one below it; the pair that comes to table 1 "
        "sits out; there is one winner."
    )
    assert {s.table for s in howell.movement if s.is_sit_out} == {1}
    assert howell.sit_out == "One pair sits out in each round, no pair more than once."
    assert howell.comparison == "Every pair plays every board, except in a round that it sits out."


def test_skip_mitchell_is_described() -> None:
    skip = named(choose(20, 24))["skip Mitchell of 10 tables, 8 rounds"]
    assert "after round 5 E-W pairs skip a table" in skip.meaning
    assert skip.comparison == "Every pair plays at most 24 of the 30 boards."


def test_stationary_pairs_of_a_reduced_howell_are_described() -> None:
    reduced = named(choose(12, 24))["reduced Howell of 6 tables"]
    assert "Pairs 9 to 12 stay and do not meet each other" in reduced.meaning
    for pair in range(9, 13):
        assert len({s.table for s in reduced.movement if pair in (s.ns, s.ew)}) == 1


def test_minutes_limit_the_boards() -> None:
    assert all(choice.boards_each <= 21 for choice in choose(12, 24, minutes=135))
    assert choose(12, 24, minutes=600) == choose(12, 24)


def test_impossible_numbers_are_refused() -> None:
    with pytest.raises(MovementError, match="4 to 200, not 3"):
        choose(3)
    with pytest.raises(MovementError, match="4 to 200, not 201"):
        choose(201)
    with pytest.raises(MovementError, match="number of boards"):
        choose(8, 0)
    with pytest.raises(MovementError, match="number of minutes"):
        choose(8, 24, minutes=0)


@pytest.mark.parametrize("players", [8, 12, 16, 20, 24, 28, 32, 36, 44])
def test_every_individual_offered_is_valid(players: int) -> None:
    choices = choose_individuals(players, 24)
    assert choices
    for choice in choices:
        assert check(choice.movement) == ()
        assert choice.movement.is_individual
        assert abs(choice.boards_each - 24) <= 4.8
        assert "player" in choice.comparison


@pytest.mark.parametrize("players", [4, 14, 40])
def test_number_of_players_without_an_individual_is_refused(players: int) -> None:
    with pytest.raises(MovementError):
        choose_individuals(players)


@pytest.mark.parametrize("teams", [2, 3, 4, 5, 8, 13, 30])
def test_every_team_movement_offered_is_valid(teams: int) -> None:
    choices = choose_teams(teams, 24)
    assert choices
    for choice in choices:
        assert check(choice.movement) == ()
        assert choice.movement.is_teams
        assert ("every other" in choice.meaning) == choice.movement.promises.everyone_meets
    with pytest.raises(MovementError):
        choose_teams(1)


def test_copies_of_boards_offer_web_and_bowman_mitchells() -> None:
    names = [choice.name for choice in choose(28, 26, options=MovementOptions(copies=2))]
    assert "web Mitchell of 14 tables, 13 rounds" in names
    assert not any(choice.copies > 2 for choice in choose(40, 26, options=MovementOptions(copies=2)))
    names = [choice.name for choice in choose(22, 27, options=MovementOptions(copies=2))]
    assert "Bowman Mitchell of 11 tables" in names
    assert not any("web" in choice.name or "Bowman" in choice.name for choice in choose(28, 26))


@settings(max_examples=25)
@given(
    pairs=st.integers(4, 40),
    boards=st.integers(18, 32),
    per_round=st.none() | st.integers(1, 6),
    switched=st.none() | st.sets(st.integers(1, 9), max_size=3).map(lambda some: tuple(sorted(some))),
    copies=st.integers(1, 4),
    data=st.data(),
)
def test_every_choice_fulfils_the_options(
    pairs: int,
    boards: int,
    per_round: int | None,
    switched: tuple[int, ...] | None,
    copies: int,
    data: st.DataObject,
) -> None:
    tables = (pairs + 1) // 2
    numbers = st.integers(-tables, 2 * tables).filter(bool)
    missing = data.draw(st.none() | numbers) if pairs % 2 else None
    for choice in choose(pairs, boards, options=MovementOptions(per_round, switched, missing, copies)):
        assert check(choice.movement) == ()
        assert per_round in (None, choice.boards_per_round)
        assert len(choice.movement.pairs) == pairs
        if switched:
            assert choice.winners == 1
            assert "arrow switch" in choice.name
        if missing is not None:
            sides = {(who.number, who.side) for who in choice.movement.pairs}
            side = "E-W" if missing < 0 else "N-S"
            one = missing if missing > 0 else tables - missing
            assert (
                (abs(missing), side) not in sides if choice.winners == 2 and abs(missing) <= tables else True
            )
            assert choice.winners == 2 or (one, "") not in sides


def test_missing_pair_of_an_even_field_is_refused() -> None:
    with pytest.raises(MovementError, match="an even number, nobody is missing"):
        choose(14, 24, options=MovementOptions(missing_pair=3))
    with pytest.raises(MovementError, match="1 to 14, or E-W 1 to 7"):
        choose(13, 24, options=MovementOptions(missing_pair=15))


def test_own_movements_are_offered_for_their_number_with_boards_near_the_target() -> None:
    own = [howell(4, 2), mitchell(5, 3), howell(3, 4, sharing=False)]
    (choice,) = choose_own(own, 8, 28)
    assert (choice.boards_per_round, choice.boards_each) == (4, 28)
    assert choice.meaning == "Your own movement; everyone meets everyone else; there is one winner."
    # Its half sets cannot be larger, so that it keeps its boards.
    assert [each.boards_each for each in choose_own(own, 6, 30)] == [20]
    assert choose_own(own, 12, 24) == []
