"""The check of movements that were broken on purpose."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from overtrick.movements import Movement, Promises, Station, check, mitchell

Break = Callable[[Station], Station]


def broken(movement: Movement, table: int, round_: int, change: Break) -> Movement:
    return replace(
        movement,
        stations=tuple(change(s) if (s.table, s.round) == (table, round_) else s for s in movement.stations),
    )


def sentences(movement: Movement, rule: str) -> list[str]:
    return [problem.sentence for problem in check(movement) if problem.rule == rule]


GOOD = mitchell(7, 2)
ONE_FIELD = mitchell(7, 2, arrow_switches=1)


def match(**changes: object) -> Movement:
    """Return a match of teams 1 and 2 over two tables, with changes to its second table."""
    movement = Movement(
        name="match",
        winners=1,
        tables=2,
        rounds=1,
        boards_per_round=2,
        stations=(
            Station(1, 1, 1, 2, (1, 2), team_ns=1, team_ew=2, mates=(2, 1)),
            Station(2, 1, 2, 1, (1, 2), team_ns=2, team_ew=1, mates=(1, 1)),
        ),
        promises=Promises(everyone_meets=True, all_boards=True, shared=((1, 2),)),
    )
    return broken(movement, 2, 1, lambda s: replace(s, **changes))  # type: ignore[arg-type]


def foursome(*rounds: tuple[int, int, int, int]) -> Movement:
    """Return an individual of four players: North, South, East and West of each round."""
    return Movement(
        name="individual",
        winners=1,
        tables=1,
        rounds=len(rounds),
        boards_per_round=1,
        stations=tuple(
            Station(1, number, north, east, (number,), south=south, west=west)
            for number, (north, south, east, west) in enumerate(rounds, start=1)
        ),
        promises=Promises(
            opponents_at_most=2,
            partners_once=True,
            everyone_partners=True,
            everyone_meets=True,
            all_boards=True,
        ),
    )


def test_valid_movements_have_no_problems() -> None:
    assert check(GOOD) == ()
    assert check(ONE_FIELD) == ()
    assert check(match()) == ()
    assert check(foursome((1, 2, 3, 4), (1, 3, 2, 4), (1, 4, 2, 3))) == ()


def test_pair_at_two_tables_is_found_and_the_replaced_pair_is_missing() -> None:
    bad = broken(GOOD, 3, 2, lambda s: replace(s, ns=4))
    assert sentences(bad, "one-place") == ["N-S pair 4 is at tables 3 and 4 in round 2."]
    assert sentences(bad, "attendance") == ["N-S pair 3 has no place in round 2."]


def test_same_number_in_both_directions_is_one_pair_if_there_is_one_winner() -> None:
    assert not sentences(GOOD, "one-place")
    assert sentences(replace(GOOD, winners=1), "one-place")


def test_board_at_two_tables_and_board_played_twice_are_found() -> None:
    bad = broken(GOOD, 3, 2, lambda s: replace(s, boards=GOOD.at(1, 3).boards))
    assert "N-S pair 3 plays board 5 twice." in sentences(bad, "boards-once")
    assert "Board 5 is at tables 2 and 3 in round 2, which do not share boards." in sentences(
        bad, "board-place"
    )
    assert "N-S pair 3 does not play 2 of the boards." in sentences(bad, "all-boards")
    sharing = replace(bad, promises=replace(bad.promises, shared=((2, 3),)))
    assert not sentences(sharing, "board-place")
    both = broken(sharing, 7, 2, lambda s: replace(s, boards=GOOD.at(1, 3).boards))
    assert "Board 5 is at tables 2, 3 and 7 in round 2, which do not share boards." in sentences(
        both, "board-place"
    )
    careless = replace(bad, promises=Promises(boards_once=False, opponents_at_most=None))
    assert {problem.rule for problem in check(careless)} == {"board-place"}


def test_opponents_who_meet_twice_or_never_are_found() -> None:
    bad = broken(GOOD, 3, 2, lambda s: replace(s, ew=3))
    bad = broken(bad, 4, 2, lambda s: replace(s, ew=2))
    assert sentences(bad, "opponents") == [
        "N-S pair 4 and E-W pair 2 meet twice.",
        "N-S pair 3 and E-W pair 3 meet twice.",
    ]
    assert "N-S pair 3 and E-W pair 2 do not meet." in sentences(bad, "everyone-meets")


def test_sit_outs_beyond_the_promise_are_found() -> None:
    half = mitchell(7, 2, missing_pair=7)
    assert check(half) == ()
    assert len(sentences(replace(half, promises=replace(half.promises, sit_outs_at_most=0)), "sit-outs")) == 7


def test_pair_that_meets_itself_is_found() -> None:
    bad = broken(ONE_FIELD, 1, 1, lambda s: replace(s, ew=s.ns))
    assert sentences(bad, "itself") == ["Pair 1 meets itself at table 1 in round 1."]


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (
            lambda s: replace(s, boards=(2, 1)),
            "Table 1 in round 1 does not list its boards once each, ascending.",
        ),
        (lambda s: replace(s, boards=(1,)), "Table 1 in round 1 has 1 boards, not 2."),
        (lambda s: replace(s, ns=0, ew=0), "Table 1 in round 1 is empty but has boards."),
        (lambda s: replace(s, table=2), "Table 2 is listed 2 times in round 1."),
        (lambda s: replace(s, table=9), "Table 9 in round 1 is outside the movement."),
        (lambda s: replace(s, round=8), "Table 1 in round 8 is outside the movement."),
    ],
)
def test_malformed_station_is_found(change: Break, sentence: str) -> None:
    assert sentence in sentences(broken(GOOD, 1, 1, change), "shape")


def test_round_without_tables_and_three_winners_are_found() -> None:
    assert sentences(replace(GOOD, rounds=8), "shape") == ["Round 8 has no tables."]
    assert sentences(replace(GOOD, winners=3), "shape") == ["A movement has one winner or two, not 3."]


def test_uneven_comparison_is_found() -> None:
    claim = replace(ONE_FIELD, promises=replace(ONE_FIELD.promises, balanced=True))
    assert "Pairs 1 and 2 are compared unevenly (+3, not -1)." in sentences(claim, "balance")


def test_broken_team_match_is_found() -> None:
    assert sentences(match(boards=(3, 4)), "mates") == [
        "Table 1 in round 1 and table 2 do not make up a match.",
        "Table 2 in round 1 and table 1 do not make up a match.",
    ]
    assert sentences(match(mates=None), "mates") == ["Table 2 in round 1 has no other half of its match."]
    assert sentences(match(mates=(5, 1)), "mates") == [
        "Table 2 in round 1 has the other half of its match at table 5, which does not exist."
    ]
    assert sentences(match(team_ns=1, team_ew=2), "one-place") == [
        "Team 1 is at tables 1 and 2 in round 1.",
        "Team 2 is at tables 1 and 2 in round 1.",
    ]


def test_repeated_and_missing_partners_of_an_individual_are_found() -> None:
    again = foursome((1, 2, 3, 4), (1, 3, 2, 4), (2, 1, 3, 4))
    assert sentences(again, "partners") == [
        "Players 1 and 2 are partners twice.",
        "Players 3 and 4 are partners twice.",
    ]
    assert sentences(again, "everyone-partners") == [
        "Players 1 and 4 are never partners.",
        "Players 2 and 3 are never partners.",
    ]
    assert sentences(foursome((1, 2, 3, 0)), "shape") == ["Table 1 in round 1 has an empty seat."]
