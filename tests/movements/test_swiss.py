"""Swiss seasons, drawn until nothing is left to draw, and rounds compared with every round there is."""

import random
from collections import Counter
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from overtrick.movements import Movement, MovementError, Promises, Station, check, swiss_round, swiss_triangle
from overtrick.movements.round_robins import Match, lay_out


class Season:
    """A Swiss event with made-up results."""

    def __init__(self, size: int, seed: int, *, teams: bool = False) -> None:
        self.chance = random.Random(seed)
        self.scores = dict.fromkeys(range(1, size + 1), 0.0)
        self.met: list[Match] = []
        self.sat_out: list[int] = []
        self.north_souths: Counter[int] = Counter()
        self.stations: list[Station] = []
        self.rounds = 0
        self.teams = teams

    def draw(self) -> list[Match]:
        number = self.rounds + 1
        matches, waiting = swiss_round(
            self.scores, self.met, self.sat_out, round_number=number, north_souths=self.north_souths
        )
        self.rounds = number
        boards = tuple(range(8 * number - 7, 8 * number + 1))
        self.stations += lay_out(matches, waiting, number, boards, teams=self.teams)
        if waiting:
            self.sat_out.append(waiting)
            self.scores[waiting] += 12
        for ns, ew in matches:
            self.met.append((ns, ew))
            self.north_souths[ns] += 1
            won = round(self.chance.uniform(0, 20), 2)
            self.scores[ns] += won
            self.scores[ew] += 20 - won
        return matches

    def movement(self) -> Movement:
        """Return the rounds drawn so far, with what a Swiss promises."""
        tables = max(station.table for station in self.stations)
        return Movement(
            name="Swiss",
            winners=1,
            tables=tables,
            rounds=self.rounds,
            boards_per_round=8,
            stations=tuple(self.stations),
            promises=Promises(
                all_boards=True,
                sit_outs_at_most=-(-self.rounds // len(self.scores)) if len(self.scores) % 2 else 0,
                shared=(tuple(range(1, tables + 1)),),
            ),
        )


@settings(max_examples=40)
@given(size=st.integers(2, 13), seed=st.integers(0, 10**6), teams=st.booleans())
def test_rounds_are_drawn_until_no_pairing_is_left(size: int, seed: int, teams: bool) -> None:
    season = Season(size, seed, teams=teams)
    stuck = None
    while stuck is None and season.rounds <= size:
        try:
            season.draw()
        except MovementError as error:
            stuck = str(error)
    assert stuck is not None
    assert "cannot be drawn without a repeat" in stuck
    assert check(season.movement()) == ()
    waits = Counter(season.sat_out)
    assert max(waits.values(), default=0) - min(waits[number] for number in season.scores) <= 1
    # Stuck for good reason: no pairing is left, whoever of those who sat out least would wait.
    least = min(waits[number] for number in season.scores)
    waiting = [n for n in season.scores if waits[n] == least] if size % 2 else [0]
    met = {frozenset(two) for two in season.met}
    for wait in waiting:
        assert not any(all_rounds([n for n in season.scores if n != wait], met))


def all_rounds(left: list[int], met: set[frozenset[int]]) -> Iterator[list[Match]]:
    if not left:
        yield []
        return
    first, *others = left
    for other in others:
        if frozenset((first, other)) not in met:
            for rest in all_rounds([n for n in others if n != other], met):
                yield [(first, other), *rest]


def met_by_chance(size: int, share: float, seed: int) -> list[Match]:
    chance = random.Random(seed)
    return [(a, b) for a in range(1, size + 1) for b in range(a + 1, size + 1) if chance.random() < share]


@settings(max_examples=200)
@given(size=st.sampled_from([2, 4, 6, 8]), share=st.floats(0, 0.9), seed=st.integers(0, 10**6))
def test_draw_has_the_least_sum_of_squared_differences(size: int, share: float, seed: int) -> None:
    met = met_by_chance(size, share, seed)
    chance = random.Random(seed)
    standing = {number: chance.randint(0, 60) for number in range(1, size + 1)}

    def squares(matches: list[Match]) -> int:
        return sum((standing[a] - standing[b]) ** 2 for a, b in matches)

    every = list(all_rounds(list(standing), {frozenset(two) for two in met}))
    if not every:
        with pytest.raises(MovementError, match="without a repeat"):
            swiss_round(standing, met, round_number=2)
        return
    matches, waiting = swiss_round(standing, met, round_number=2)
    assert waiting == 0
    assert sorted(number for match in matches for number in match) == sorted(standing)
    assert not {frozenset(two) for two in matches} & {frozenset(two) for two in met}
    assert squares(matches) == min(map(squares, every))


@settings(max_examples=40)
@given(size=st.sampled_from([20, 40, 60]), share=st.floats(0.85, 0.98), seed=st.integers(0, 10**6))
def test_only_possible_round_is_found(size: int, share: float, seed: int) -> None:
    numbers = list(range(1, size + 1))
    random.Random(seed + 1).shuffle(numbers)
    hidden = {frozenset(two) for two in zip(numbers[::2], numbers[1::2], strict=True)}
    met = [two for two in met_by_chance(size, share, seed) if frozenset(two) not in hidden]
    matches, _ = swiss_round({number: -number for number in range(1, size + 1)}, met, round_number=2)
    assert sorted(number for match in matches for number in match) == sorted(numbers)
    assert not {frozenset(two) for two in matches} & {frozenset(two) for two in met}


def test_pairing_across_two_triangles_is_found() -> None:
    standing = {number: -number for number in range(1, 7)}
    everyone = {frozenset((a, b)) for a in standing for b in standing if a != b}
    # Two triangles joined by 3-4: only that match leaves both with a pair.
    triangles = {frozenset(two) for two in ((1, 2), (1, 3), (2, 3), (4, 5), (4, 6), (5, 6))}
    met = [(min(two), max(two)) for two in everyone - triangles - {frozenset((3, 4))}]
    assert swiss_round(standing, met, round_number=4) == ([(1, 2), (3, 4), (5, 6)], 0)
    with pytest.raises(MovementError, match="without a repeat"):
        swiss_round(standing, [*met, (3, 4)], round_number=5)


def test_field_of_199_teams_pairs_neighbours_of_the_standing_and_shares_home_matches() -> None:
    season = Season(199, 7, teams=True)
    for _ in range(2):
        season.draw()
    ranked = sorted(season.scores, key=lambda number: -season.scores[number])
    drawn = season.draw()
    assert check(season.movement()) == ()
    # Neighbours in the standing meet: few matches have more than a handful of places between them.
    apart = [abs(ranked.index(ns) - ranked.index(ew)) for ns, ew in drawn]
    assert max(apart) <= 12
    assert sum(apart) / len(apart) < 3
    # Of three matches one or two are at home; where both teams are owed one, one of them must wait.
    at_home = Counter(season.north_souths[team] for team in season.scores)
    assert at_home[1] + at_home[2] >= 190


def test_leaders_meet_unless_they_have_met() -> None:
    standing = {7: 31.5, 3: 30, 1: 22, 2: 21, 5: 9, 4: 8}
    assert swiss_round(standing, round_number=2) == ([(7, 3), (1, 2), (5, 4)], 0)
    # 7-1, 3-2, then 5-4 again is barred; of what is left this has the least squares.
    assert swiss_round(standing, [(3, 7), (5, 4)], round_number=2) == ([(7, 1), (3, 5), (2, 4)], 0)


def test_lowest_with_fewest_sit_outs_sits_out() -> None:
    standing = {1: 50, 2: 40, 3: 30, 4: 20, 5: 10}
    assert swiss_round(standing, round_number=1)[1] == 5
    assert swiss_round(standing, sat_out=[5], round_number=2)[1] == 4
    assert swiss_round(standing, sat_out=[5, 4, 3, 2, 1], round_number=6)[1] == 5
    # 5 should wait, but then 3 and 4, who met everyone else, would meet again: 4 waits.
    met = [(3, 4), (3, 1), (4, 1), (4, 2)]
    assert swiss_round(standing, met, round_number=3)[1] == 4


def test_one_with_fewer_north_south_rounds_sits_north_south() -> None:
    assert swiss_round({1: 5, 2: 4}, round_number=1, north_souths={1: 2, 2: 1}) == ([(2, 1)], 0)


def test_field_of_one_and_rematch_are_refused() -> None:
    with pytest.raises(MovementError, match="Round 2 cannot be drawn without a repeat: the 2 contestants"):
        swiss_round({1: 5, 2: 4}, [(2, 1)], round_number=2)
    with pytest.raises(MovementError, match="at least 2 contestants, not 1"):
        swiss_round({1: 5}, round_number=1)


@settings(deadline=None, max_examples=40)
@given(st.sampled_from([3, 5, 7, 9, 11]), st.integers(0, 10**6))
def test_triangles_of_an_odd_field_leave_nobody_out_and_repeat_no_match(size: int, seed: int) -> None:
    chance = random.Random(seed)
    met: set[frozenset[int]] = set()
    in_triangles: list[int] = []
    for number in range(1, 4):
        standing = {team: float(chance.randint(0, 60)) for team in range(1, size + 1)}
        pairs = [(min(two), max(two)) for two in met]
        try:
            matches, three = swiss_triangle(standing, pairs, in_triangles, round_number=number)
        except MovementError:
            # With so few teams the matches may be used up; never in the first round.
            assert number > 1
            return
        assert sorted([*(team for match in matches for team in match), *three]) == sorted(standing)
        a, b, c = three
        played = {frozenset(match) for match in (*matches, (a, b), (b, c), (c, a))}
        assert len(played) == len(matches) + 3
        assert not played & met
        met |= played
        in_triangles += three


def test_team_is_in_a_second_triangle_after_the_others() -> None:
    standing = {team: float(-team) for team in range(1, 8)}
    _, first = swiss_triangle(standing, round_number=1)
    assert sorted(first) == [5, 6, 7]
    _, second = swiss_triangle(standing, (), first, round_number=2)
    assert not set(first) & set(second)


@pytest.mark.parametrize("size", [1, 2, 4])
def test_triangle_of_an_even_field_is_refused(size: int) -> None:
    with pytest.raises(MovementError, match="A triangle needs an odd number"):
        swiss_triangle(dict.fromkeys(range(size), 0.0), round_number=1)
