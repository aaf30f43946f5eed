from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from overtrick.bridge import Side
from overtrick.errors import BadInput
from overtrick.scoring import UNIT, Contestant, Ranking, ScoringRules, Ties
from overtrick.scoring.more_rankings import (
    Filter,
    FurtherRankings,
    HandicapRule,
    Strata,
    StrataBy,
    further_rankings,
    with_enough_boards,
)
from overtrick.scoring.player_list import PlayerDetails, PlayerList
from overtrick.scoring.ranking import Adjustment, Extras, Tally, rank
from overtrick.scoring.report import ReportPlayer

PAIRS = [Contestant("A", number) for number in (1, 2, 3, 4)]
PLAYERS = {pair: (ReportPlayer(f"N{pair.number}"), ReportPlayer(f"S{pair.number}")) for pair in PAIRS}


def ranking_of(*points: int | Fraction, top: int = 100, boards: int = 10) -> Ranking:
    tallies = [
        Tally(pair, units if units.denominator > 1 else int(units), top * UNIT, boards + place)
        for place, (pair, units) in enumerate(
            zip(PAIRS, (Fraction(won) * UNIT for won in points), strict=False)
        )
    ]
    return Ranking("", None, rank(tallies))


def known(**details: str) -> PlayerList:
    """Return a list of players from "handicap holding club born sex", by name."""
    found = []
    for name, words in details.items():
        handicap, holding, club, born, sex = words.split()
        found.append(PlayerDetails("", name, Decimal(handicap), Decimal(holding), club, int(born), sex))
    return PlayerList(found)


def lines(ranking: Ranking) -> list[str]:
    return [f"{one.rank_text} {one.contestant} {one.percentage:g}" for one in ranking.standings]


def test_handicaps_make_a_ranking_of_their_own() -> None:
    ranking = ranking_of(60, 52, 50)
    people = known(N1="-6 0 x 1980 M", S1="-3 0 x 1980 M", N2="1 0 x 1980 M", S2="0.5 0 x 1980 M")
    sums = further_rankings(
        [ranking], PLAYERS, people, FurtherRankings(HandicapRule.SUM), rules=ScoringRules(), year=2026
    )
    assert [one.title for one in sums] == ["Handicap"]
    assert lines(sums[0].ranking) == ["1 A2 53.5", "2 A1 51", "3 A3 50"]
    means = further_rankings(
        [ranking], PLAYERS, people, FurtherRankings(HandicapRule.MEAN), rules=ScoringRules(), year=2026
    )
    assert lines(means[0].ranking) == ["1 A1 55.5", "2 A2 52.75", "3 A3 50"]
    assert lines(ranking) == ["1 A1 60", "2 A2 52", "3 A3 50"]


def test_handicap_is_added_to_points_where_there_is_no_top() -> None:
    imps = Ranking("", None, rank([Tally(PAIRS[0], 12 * UNIT), Tally(PAIRS[1], 10 * UNIT)]))
    people = known(N2="3 0 x 1980 M", S2="0 0 x 1980 M")
    (found,) = further_rankings(
        [imps], PLAYERS, people, FurtherRankings(HandicapRule.SUM), rules=ScoringRules(), year=2026
    )
    assert [(str(one.contestant), one.points) for one in found.ranking.standings] == [("A2", 13), ("A1", 12)]


def test_handicap_of_a_team_is_of_all_its_players() -> None:
    four = [PlayerDetails(str(number), handicap=Decimal(number)) for number in (1, 2, 3, 4)]
    assert HandicapRule.SUM.of(four) == 10
    assert HandicapRule.MEAN.of(four) == Fraction(5, 2)
    assert HandicapRule.MEAN.of([four[3], None]) == 2


def test_contestant_of_whom_one_is_not_known_is_in_the_highest_stratum() -> None:
    strata = Strata.parse("A, B:500")
    novice = PlayerDetails("1", holding=Decimal(20))
    assert strata.index_for((novice, novice)) == 1
    assert (
        strata.index_for((novice, None))
        == strata.index_for((novice, PlayerDetails("2")))
        == strata.index_for(())
        == 0
    )


HOLDINGS = known(
    N1="0 900 x 1980 M",
    S1="0 20 x 1980 M",
    N2="0 90 x 1980 M",
    S2="0 10 x 1980 M",
    N3="0 499 x 1980 M",
    S3="0 500 x 1980 M",
)


@pytest.mark.parametrize(
    ("by", "second", "third"),
    [
        # 460, 50, 499.5 and one that nobody knows
        (StrataBy.AVERAGE, ["1 A1 60", "2 A3 50", "3 A2 40"], ["1 A2 40"]),
        # 900, 90 and 500, which is not below 500
        (StrataBy.HIGHER, ["1 A2 40"], ["1 A2 40"]),
    ],
)
def test_lower_stratum_ranks_above_too(by: StrataBy, second: list[str], third: list[str]) -> None:
    wanted = FurtherRankings(strata=Strata.parse("A, B:500, C:100", by))
    found = further_rankings(
        [ranking_of(60, 40, 50, 70)], PLAYERS, HOLDINGS, wanted, rules=ScoringRules(), year=2026
    )
    assert {one.title: lines(one.ranking) for one in found} == {"Stratum B": second, "Stratum C": third}


def test_two_winners_have_strata_on_each_side() -> None:
    sides = [
        Ranking("", side, rank([Tally(Contestant("A", 2, side), 50 * UNIT, 100 * UNIT, 10)])) for side in Side
    ]
    players = {one.standings[0].contestant: PLAYERS[PAIRS[1]] for one in sides}
    wanted = FurtherRankings(strata=Strata.parse("A, B:100"))
    found = further_rankings(sides, players, HOLDINGS, wanted, rules=ScoringRules(), year=2026)
    assert [(one.title, one.ranking.side) for one in found] == [
        ("Stratum B", Side.NS),
        ("Stratum B", Side.EW),
    ]


def test_exact_results_and_adjustments_stay_in_further_rankings() -> None:
    third = Fraction(100, 3)
    tallies = [Tally(PAIRS[0], third * UNIT, 100 * UNIT, 10), Tally(PAIRS[1], third * UNIT, 100 * UNIT, 10)]
    ranking = Ranking("", None, rank(tallies, Extras(adjustments=[Adjustment(PAIRS[1], -1)])))
    people = known(**{f"{seat}{number}": "0 5 North 1980 M" for seat in "NS" for number in (1, 2)})
    wanted = FurtherRankings(filters=(Filter.parse("club=North"),))
    (found,) = further_rankings([ranking], PLAYERS, people, wanted, rules=ScoringRules(), year=2026)
    assert found.ranking == ranking
    assert found.ranking.standings[0].exact_units == third * UNIT


def test_published_ties_are_those_of_the_rule_set() -> None:
    ranking = ranking_of(Fraction(50_001, 1000), 50)
    wanted = FurtherRankings(HandicapRule.SUM)
    for rules, ranks in ((ScoringRules(), ["1", "2"]), (ScoringRules(ties=Ties.PUBLISHED), ["1=", "1="])):
        (found,) = further_rankings([ranking], PLAYERS, PlayerList(), wanted, rules=rules, year=2026)
        assert [one.rank_text for one in found.ranking.standings] == ranks


@pytest.mark.parametrize(
    ("text", "fitting"),
    [
        ("club= north ", [1, 2]),
        ("club=South", []),
        ("age=60-", [1]),
        ("age=-25", [2]),
        ("age=20-70", [2, 3]),
        ("mixed", [2]),
        ("women", [3]),
    ],
)
def test_filters_need_every_player_to_fit(text: str, fitting: list[int]) -> None:
    people = known(
        N1="0 5 North 1950 M",
        S1="0 5 North 1966 M",
        N2="0 5 North 2004 M",
        S2="0 5 North 2001 W",
        N3="0 5 North 1980 W",
        S3="0 5 South 1981 W",
    )
    wanted = FurtherRankings(filters=(Filter.parse(text),))
    (found,) = further_rankings(
        [ranking_of(60, 50, 40, 70)], PLAYERS, people, wanted, rules=ScoringRules(), year=2026
    )
    assert [one.contestant.number for one in found.ranking.standings] == fitting


@pytest.mark.parametrize(
    "text", ["", "age", "age=", "age=-", "age=x-", "age=6", "club=", "mixed=1", "age=-2²"]
)
def test_unknown_filter_is_refused(text: str) -> None:
    with pytest.raises(BadInput, match="not a filter"):
        Filter.parse(text)


@pytest.mark.parametrize(
    "text",
    ["A:5", "A, B", "A, B:-1", "A, :5", "A, B:5, C:6", "A, A:5", "A, B:x", "A, B:1e99999999999999999999"],
)
def test_bad_strata_are_refused(text: str) -> None:
    with pytest.raises(BadInput):
        Strata.parse(text)


def test_those_with_few_boards_come_last_without_a_rank() -> None:
    (found,) = with_enough_boards([ranking_of(60, 50, 40)], 11, ScoringRules())
    assert lines(found) == ["1 A2 50", "2 A3 40", "– A1 60"]


@given(
    st.lists(st.integers(0, 1000), min_size=8, max_size=8),
    st.lists(st.integers(0, 50), min_size=4, max_size=4),
    st.sampled_from(StrataBy),
    st.permutations(range(4)),
)
def test_every_pair_ranks_in_its_own_stratum_and_above(
    held: list[int], points: list[int], by: StrataBy, order: list[int]
) -> None:
    strata = Strata.parse("A, B:700, C:400, D:100", by)
    people = PlayerList(
        PlayerDetails("", f"{seat}{pair.number}", holding=Decimal(held[2 * place + step]))
        for place, pair in enumerate(PAIRS)
        for step, seat in enumerate("NS")
    )
    tallies = [Tally(PAIRS[place], points[place] * UNIT, 50 * UNIT, 5) for place in order]
    ranking = Ranking("", None, rank(tallies))
    found = further_rankings(
        [ranking], PLAYERS, people, FurtherRankings(strata=strata), rules=ScoringRules(), year=2026
    )
    members = [{one.contestant for one in ranking.standings}]
    members += [{one.contestant for one in each.ranking.standings} for each in found]
    for place, pair in enumerate(PAIRS):
        two = held[2 * place : 2 * place + 2]
        holding = Fraction(sum(two), 2) if by is StrataBy.AVERAGE else max(two)
        lowest = sum(holding < limit for limit in (700, 400, 100))
        assert [pair in stratum for stratum in members] == [above <= lowest for above in range(4)]
    for each in found:
        # Those of a stratum stand as they do in the whole field.
        places = {one.contestant: one.rank for one in ranking.standings}
        own = [(one.rank, places[one.contestant]) for one in each.ranking.standings]
        assert all((a[0] < b[0]) == (a[1] < b[1]) for a in own for b in own)
