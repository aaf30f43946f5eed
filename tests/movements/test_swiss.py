"""Swiss seasons, drawn until nothing is left to draw."""

import random
import time
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from overtrick.movements import MovementError, Station, check, swiss_movement, swiss_round


class Season:
    """A Swiss event with made-up results."""

    def __init__(self, size: int, seed: int, *, teams: bool = False) -> None:
        self.chance = random.Random(seed)
        self.scores = dict.fromkeys(range(1, size + 1), 0.0)
        self.met: list[tuple[int, int]] = []
        self.sat_out: list[int] = []
        self.north_souths: Counter[int] = Counter()
        self.rounds: list[tuple[Station, ...]] = []
        self.teams = teams

    def draw(self) -> tuple[Station, ...]:
        number = len(self.rounds) + 1
        stations = swiss_round(
            self.scores,
            self.met,
            self.sat_out,
            round_number=number,
            boards=range(8 * number - 7, 8 * number + 1),
            north_souths=self.north_souths,
            teams=self.teams,
        )
        self.rounds.append(stations)
        for station in stations:
            if station.is_sit_out:
                self.sat_out.append(station.ns)
                self.scores[station.ns] += 12
            elif not self.teams or station.table % 2:
                self.met.append((station.ns, station.ew))
                self.north_souths[station.ns] += 1
                won = round(self.chance.uniform(0, 20), 2)
                self.scores[station.ns] += won
                self.scores[station.ew] += 20 - won
        return stations


@settings(max_examples=40)
@given(size=st.integers(2, 13), seed=st.integers(0, 10**6), teams=st.booleans())
def test_a_season_until_nothing_is_left(size: int, seed: int, teams: bool) -> None:
    season = Season(size, seed, teams=teams)
    stuck = None
    while stuck is None and len(season.rounds) <= size:
        try:
            season.draw()
        except MovementError as error:
            stuck = str(error)
    assert stuck is not None
    assert "cannot be drawn without a repeat" in stuck
    movement = swiss_movement(season.rounds, teams=teams)
    assert check(movement) == ()
    waits = Counter(season.sat_out)
    assert max(waits.values(), default=0) - min(waits[number] for number in season.scores) <= 1
    # Stuck for good reason: no pairing is left, whoever of those who sat out least would wait.
    least = min(waits[number] for number in season.scores)
    waiting = [n for n in season.scores if waits[n] == least] if size % 2 else [0]
    met = {frozenset(two) for two in season.met}
    assert not any(can_be_drawn([n for n in season.scores if n != wait], met) for wait in waiting)


def can_be_drawn(left: list[int], met: set[frozenset[int]]) -> bool:
    if not left:
        return True
    first, *others = left
    return any(
        frozenset((first, other)) not in met and can_be_drawn([n for n in others if n != other], met)
        for other in others
    )


def test_two_hundred_teams() -> None:
    season = Season(199, 7, teams=True)
    for _ in range(4):
        season.draw()
    ranked = sorted(season.scores, key=lambda number: -season.scores[number])
    started = time.process_time()  # a busy machine is none of the draw's business
    drawn = season.draw()
    assert time.process_time() - started < 10
    assert check(swiss_movement(season.rounds, teams=True)) == ()
    # Neighbours in the standing meet: few matches have more than a handful of places between them.
    apart = [abs(ranked.index(s.ns) - ranked.index(s.ew)) for s in drawn if s.is_played]
    assert max(apart) <= 12
    assert sum(apart) / len(apart) < 3
    # Five matches are at home twice or three times; where both are owed one, one of them must wait.
    assert Counter(season.north_souths.values())[0] == 0
    assert max(season.north_souths.values()) <= 4


def test_leaders_meet_unless_they_have() -> None:
    standing = {7: 31.5, 3: 30, 1: 22, 2: 21, 5: 9, 4: 8}
    drawn = swiss_round(standing, round_number=2, boards=range(9, 17))
    assert [(s.table, s.ns, s.ew) for s in drawn] == [(1, 7, 3), (2, 1, 2), (3, 5, 4)]
    drawn = swiss_round(standing, [(3, 7), (5, 4)], round_number=2, boards=range(9, 17))
    # 7-1, 3-2, then 5-4 again is barred; of what is left this has the least squares.
    assert [(s.ns, s.ew) for s in drawn] == [(7, 1), (3, 5), (2, 4)]


def test_the_lowest_who_has_not_sat_out_waits() -> None:
    standing = {1: 50, 2: 40, 3: 30, 4: 20, 5: 10}
    assert swiss_round(standing, round_number=1, boards=(1, 2))[-1].ns == 5
    assert swiss_round(standing, sat_out=[5], round_number=2, boards=(3, 4))[-1].ns == 4
    assert swiss_round(standing, sat_out=[5, 4, 3, 2, 1], round_number=6, boards=(5, 6))[-1].ns == 5
    # 5 should wait, but then 3 and 4, who met everyone else, would meet again: 4 waits.
    met = [(3, 4), (3, 1), (4, 1), (4, 2)]
    drawn = swiss_round(standing, met, round_number=3, boards=(7, 8))
    assert drawn[-1].ns == 4


def test_who_was_less_north_south_is_so_now() -> None:
    drawn = swiss_round({1: 5, 2: 4}, round_number=1, boards=(1,), north_souths={1: 2, 2: 1})
    assert (drawn[0].ns, drawn[0].ew) == (2, 1)


def test_impossible_asks() -> None:
    with pytest.raises(MovementError, match="Round 2 cannot be drawn without a repeat: 2 pairs"):
        swiss_round({1: 5, 2: 4}, [(2, 1)], round_number=2, boards=(1,))
    with pytest.raises(MovementError, match="at least 2 teams, not 1"):
        swiss_round({1: 5}, round_number=1, boards=(1,), teams=True)
    with pytest.raises(MovementError, match="count from 1"):
        swiss_round({0: 5, 1: 3}, round_number=1, boards=(1,))
    with pytest.raises(MovementError, match="from 1 up"):
        swiss_round({1: 5, 2: 3}, round_number=0, boards=(1,))
    with pytest.raises(MovementError, match="at least one round"):
        swiss_movement([])
