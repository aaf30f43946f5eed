from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from overtrick.scoring import Adjustment, CarryOver, Contestant, Extras
from overtrick.scoring.ranking import Tally, rank, ranks

PAIRS = [Contestant("A", number) for number in range(1, 9)]


@given(st.lists(st.integers(0, 5)))
def test_ranks_are_counted(scores: list[int]) -> None:
    best_first = sorted(scores, reverse=True)
    for score, (first, last) in zip(best_first, ranks(best_first), strict=True):
        assert first == 1 + sum(other > score for other in scores)
        assert last == sum(other >= score for other in scores)


def test_a_three_way_tie_as_the_document_has_it() -> None:
    scores = [9, 8, 7, 6, 5, 5, 5, 1]
    assert ranks(scores)[4:7] == [(5, 7)] * 3


@given(st.permutations(PAIRS), st.lists(st.integers(0, 3), min_size=8, max_size=8))
def test_the_order_of_arrival_does_not_matter(order: list[Contestant], units: list[int]) -> None:
    worth = dict(zip(PAIRS, units, strict=True))
    assert rank(Tally(pair, worth[pair], 4) for pair in order) == rank(
        Tally(pair, worth[pair], 4) for pair in PAIRS
    )


def test_percentages_rank_when_tops_differ() -> None:
    one, two, three, *_ = PAIRS
    standings = rank([Tally(one, 30, 90, 3), Tally(two, 20, 60, 2), Tally(three, 40, 100, 4)])
    assert [(s.contestant, s.rank, s.rank_max) for s in standings] == [
        (three, 1, 1),
        (one, 2, 3),
        (two, 2, 3),
    ]
    assert [s.rank_text for s in standings] == ["1", "2=", "2="]


def test_carry_over_penalty_and_handicap() -> None:
    one, two, three, *_ = PAIRS
    extras = Extras(
        carry_overs={one: CarryOver("10.5", top=20)},
        adjustments=[Adjustment(two, -2, "late"), Adjustment(two, "-0.5")],
        handicaps={three: "7.5"},
    )
    tallies = [Tally(pair, 600_000, 1_200_000, 6) for pair in (one, two, three)]
    standings = {s.contestant: s for s in rank(tallies, extras)}
    assert standings[one].points == 70.5
    assert standings[one].percentage == 100 * 70.5 / 140
    assert standings[two].points == 57.5
    assert (standings[two].adjustment, standings[two].rank) == (-25_000, 3)
    assert standings[three].percentage == 57.5
    assert standings[three].rank == 1


def test_a_handicap_in_imps_is_points() -> None:
    one, two, *_ = PAIRS
    standings = rank([Tally(one, 20_000), Tally(two, 10_000)], Extras(handicaps={two: 3}))
    assert [(s.contestant, s.points, s.percentage) for s in standings] == [(two, 4, None), (one, 2, None)]


def test_extras_are_in_published_points_when_a_top_is_single() -> None:
    one, *_ = PAIRS
    extras = Extras(adjustments=[Adjustment(one, -1)])
    (standing,) = rank([Tally(one, 110_000, 220_000)], extras, units_per_point=20_000)
    assert standing.points == 4.5


@given(st.lists(st.tuples(st.integers(0, 10**6), st.integers(1, 10**6)), min_size=2, max_size=8))
def test_ranking_by_percentage_is_exact(shares: list[tuple[int, int]]) -> None:
    tallies = [Tally(pair, units, top) for pair, (units, top) in zip(PAIRS, shares, strict=False)]
    standings = rank(tallies)
    exact = [Fraction(s.units, s.top) for s in standings]
    assert exact == sorted(exact, reverse=True)
    for standing, share in zip(standings, exact, strict=True):
        assert standing.rank == 1 + sum(other > share for other in exact)
