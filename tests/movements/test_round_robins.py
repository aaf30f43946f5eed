"""Round robins: all meet once, an odd number waits once each, homes are shared out."""

from collections import Counter

import pytest

from overtrick.movements import MovementError, check, curtailed, round_robin


@pytest.mark.parametrize("teams", [False, True])
@pytest.mark.parametrize("contestants", range(2, 31))
def test_everyone_meets_everyone_once(contestants: int, teams: bool) -> None:
    movement = round_robin(contestants, 2, teams)
    assert check(movement) == ()
    assert movement.rounds == contestants - 1 + contestants % 2
    assert movement.promises.everyone_meets
    assert len(movement.pairs) == contestants
    waiting = [who.number for _, who in movement.sit_outs()]
    assert sorted(waiting) == (list(range(1, contestants + 1)) if contestants % 2 else [])
    homes: Counter[int] = Counter()
    for station in movement:
        if station.is_played and (not teams or station.table % 2):
            homes.update({station.ns: 1, station.ew: -1})
    assert all(-1 <= homes[number] <= 1 for number in range(1, contestants + 1))


@pytest.mark.parametrize("contestants", range(3, 20))
def test_nobody_is_at_home_three_times_running(contestants: int) -> None:
    movement = round_robin(contestants, 1)
    for number in range(1, contestants + 1):
        homes = "".join(
            "h" if station.ns == number else "a"
            for station in movement
            if station.is_played and number in (station.ns, station.ew)
        )
        assert "hhh" not in homes
        assert "aaa" not in homes


def test_team_match_takes_two_neighbouring_tables() -> None:
    movement = round_robin(5, 8, True)
    first, second, *_, waiting = movement.round(1)
    assert (first.team_ns, first.team_ew, first.mates) == (2, 5, (2, 1))
    assert (second.team_ns, second.team_ew, second.mates) == (5, 2, (1, 1))
    assert first.boards == second.boards == tuple(range(1, 9))
    assert (waiting.table, waiting.team_ns, waiting.ew, waiting.boards) == (5, 1, 0, ())


def test_curtailed_round_robin_is_valid() -> None:
    assert check(curtailed(round_robin(9, 4, True), 5)) == ()


def test_impossible_numbers_are_refused() -> None:
    with pytest.raises(MovementError, match="teams of a round robin must be 2 to 200, not 1"):
        round_robin(1, 8, True)
    with pytest.raises(MovementError, match="boards in a round"):
        round_robin(4, 0)
