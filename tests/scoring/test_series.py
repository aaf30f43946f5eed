from collections.abc import Mapping
from datetime import date
from decimal import Decimal
from fractions import Fraction
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from overtrick.errors import BadInput
from overtrick.scoring import UNIT, Contestant, Method, Ranking, Scored
from overtrick.scoring.more_rankings import Filter, FurtherRankings, HandicapRule, Strata
from overtrick.scoring.player_list import PlayerDetails, PlayerList
from overtrick.scoring.ranking import Tally, rank
from overtrick.scoring.report import Report, ReportPlayer
from overtrick.scoring.series import (
    MOST_SESSIONS,
    Series,
    SeriesRanking,
    SeriesStanding,
    combine,
    parse_series,
    select,
    write_series,
)
from overtrick.scoring.series_report import (
    MOST_COLUMNS,
    SeriesReport,
    write_series_csv,
    write_series_json,
    write_series_pages,
)

Results = Mapping[str, tuple[Fraction | int, Fraction | int, int]]
"""Matchpoints, top and boards of a pair, by the names of its players: "Ann+Bob"."""


def people(names: str) -> tuple[ReportPlayer, ...]:
    """Return players; "Ann#7" has a number."""
    return tuple(
        ReportPlayer(name, number) for name, _, number in (word.partition("#") for word in names.split("+"))
    )


def report(results: Results, method: Method = Method.MATCHPOINTS, title: str = "") -> Report:
    """Return the report of a session with these results."""
    numbers = {names: Contestant("A", number) for number, names in enumerate(results, 1)}
    tallies = [
        Tally(numbers[names], _units(points), int(top * UNIT), boards)
        for names, (points, top, boards) in results.items()
    ]
    scored = Scored(method, (Ranking("", None, rank(tallies)),), ())
    return Report(
        title,
        scored,
        played_on=date(2026, 5, 17),
        players={who: people(names) for names, who in numbers.items()},
    )


def _units(points: Fraction | int) -> Fraction | int:
    units = Fraction(points) * UNIT
    return units if units.denominator > 1 else int(units)


def series_of(head: str = "", sessions: int = 2, tail: str = "") -> Series:
    listed = "".join(f'[[session]]\nname = "{n}"\nfile = "{n}.pbn"\n' for n in range(1, sessions + 1))
    return parse_series(f'name = "Cup"\n{head}\n{listed}\n{tail}')


def lines(ranking: SeriesRanking, stage: int = -1) -> list[tuple[str, str, Fraction]]:
    return [(one.rank_text, one.name, one.value) for one in ranking.stages[stage].standings]


def by_name(ranking: SeriesRanking, stage: int = -1) -> dict[str, SeriesStanding]:
    return {one.name: one for one in ranking.stages[stage].standings}


FIRST = report({"Ann+Bob": (110, 200, 10), "Cy+Di": (90, 200, 10), "Ed+Flo": (100, 200, 10)})
"""55, 45 and 50 per cent."""
SECOND = report({"Bob+Ann": (Fraction(100, 3), 100, 5), "Cy+Di": (60, 100, 5), "Gus+Hal": (50, 100, 5)})
"""A third, 60 and 50 per cent; Ann and Bob have changed seats."""


def test_sum_adds_exact_percentages() -> None:
    ranking = combine(series_of(), {"1": FIRST, "2": SECOND})
    assert lines(ranking) == [
        ("1", "Cy – Di", Fraction(105)),
        ("2", "Bob – Ann", 55 + Fraction(100, 3)),
        ("3=", "Ed – Flo", Fraction(50)),
        ("3=", "Gus – Hal", Fraction(50)),
    ]
    assert ranking.point == "%"


def test_average_is_of_the_sessions_that_were_played() -> None:
    ranking = combine(series_of('combine = "average"'), {"1": FIRST, "2": SECOND})
    assert lines(ranking) == [
        ("1", "Cy – Di", Fraction(105, 2)),
        ("2=", "Ed – Flo", Fraction(50)),
        ("2=", "Gus – Hal", Fraction(50)),
        ("4", "Bob – Ann", (55 + Fraction(100, 3)) / 2),
    ]


def test_average_by_boards_weighs_sessions_by_their_boards() -> None:
    ranking = combine(series_of('combine = "boards"'), {"1": FIRST, "2": SECOND})
    found = by_name(ranking)
    # 10 boards at 55 and 5 at 33 1/3; 10 at 45 and 5 at 60.
    assert found["Bob – Ann"].value == (550 + 5 * Fraction(100, 3)) / 15 == Fraction(430, 9)
    assert found["Cy – Di"].value == 50


def test_weight_of_a_session_counts_in_sums_and_averages() -> None:
    text = write_series(series_of()).replace('file = "2.pbn"', 'file = "2.pbn"\nweight = 1.5')
    assert by_name(combine(parse_series(text), {"1": FIRST, "2": SECOND}))["Cy – Di"].value == 45 + 90
    text = text.replace("[[stage]]", '[[stage]]\ncombine = "average"')
    found = by_name(combine(parse_series(text), {"1": FIRST, "2": SECOND}))
    assert found["Cy – Di"].value == Fraction(45 + 90) / Fraction(5, 2) == 54


def test_drop_worst_leaves_out_missed_sessions_first() -> None:
    third = report({"Ann+Bob": (40, 100, 5), "Cy+Di": (70, 100, 5)})
    ranking = combine(series_of("drop_worst = 1", 3), {"1": FIRST, "2": SECOND, "3": third})
    found = by_name(ranking)
    assert found["Cy – Di"].value == 60 + 70
    assert {name: score.is_counted for name, score in found["Cy – Di"].scores.items()} == {
        "1": False,
        "2": True,
        "3": True,
    }
    # Three sessions, the third part of a hundred dropped; and one who missed two drops nothing.
    assert found["Ann – Bob"].value == 55 + 40
    assert found["Ed – Flo"].value == 50


def test_count_best_counts_so_many_of_a_season() -> None:
    reports = {str(n): report({"Ann+Bob": (40 + n, 100, 5), "Cy+Di": (60 - n, 100, 5)}) for n in range(1, 6)}
    ranking = combine(series_of("count_best = 2", 5), reports)
    assert lines(ranking) == [("1", "Cy – Di", Fraction(59 + 58)), ("2", "Ann – Bob", Fraction(45 + 44))]


def test_minimum_boards_and_sessions_to_rank() -> None:
    ranking = combine(series_of('minimum_boards = 10\ncombine = "average"'), {"1": FIRST, "2": SECOND})
    assert [one[:2] for one in lines(ranking)] == [
        ("1", "Cy – Di"),
        ("2", "Ed – Flo"),
        ("3", "Bob – Ann"),
        ("–", "Gus – Hal"),
    ]
    ranking = combine(series_of("minimum_sessions = 2"), {"1": FIRST, "2": SECOND})
    assert [one[0] for one in lines(ranking)] == ["1", "2", "–", "–"]


def test_session_with_few_boards_does_not_count() -> None:
    ranking = combine(series_of("session_boards = 6"), {"1": FIRST, "2": SECOND})
    assert by_name(ranking)["Ann – Bob"].value == 55
    assert "Gus – Hal" not in by_name(ranking)


FINAL = """
[[stage]]
name = "Qualifying"
sessions = ["1", "2"]
[[stage]]
name = "Final"
sessions = ["3"]
from = "Qualifying"
places = [1, 2]
carry_over = 25
"""


def test_final_has_the_qualifiers_and_their_carry_over() -> None:
    third = report({"Ann+Bob": (60, 100, 5), "Cy+Di": (45, 100, 5), "Ed+Flo": (70, 100, 5)})
    ranking = combine(series_of("", 3, FINAL), {"1": FIRST, "2": SECOND, "3": third})
    # 60 and a quarter of 88 1/3; 45 and a quarter of 105.
    assert lines(ranking) == [
        ("1", "Ann – Bob", 60 + Fraction(265, 12)),
        ("2", "Cy – Di", 45 + Fraction(105, 4)),
    ]
    assert ranking.remarks == ("Ed – Flo plays in Final without having qualified.",)
    qualifying = ranking.stages[0].standings
    assert [one.qualifies_for for one in qualifying] == ["Final", "Final", "", ""]


def test_carry_over_in_an_average_is_a_part_of_one_more_session() -> None:
    third = report({"Ann+Bob": (60, 100, 5), "Cy+Di": (45, 100, 5)})
    series = series_of('combine = "average"', 3, FINAL.replace("[1, 2]", "[1, 4]"))
    found = by_name(combine(series, {"1": FIRST, "2": SECOND, "3": third}))
    before = (55 + Fraction(100, 3)) / 2
    assert found["Ann – Bob"].value == (60 + before / 4) / Fraction(5, 4)


def test_qualifiers_are_listed_before_the_final_is_played() -> None:
    ranking = combine(series_of("", 3, FINAL), {"1": FIRST, "2": SECOND})
    assert lines(ranking) == [
        ("1", "Cy – Di", Fraction(105, 4)),
        ("2", "Bob – Ann", Fraction(265, 12)),
    ]


def test_tie_for_the_last_place_that_qualifies_is_reported() -> None:
    ranking = combine(series_of("", 3, FINAL.replace("[1, 2]", "[1, 3]")), {"1": FIRST, "2": SECOND})
    assert ranking.remarks == ("2 tie for the last place that qualifies for Final.",)
    assert len(ranking.stages[1].standings) == 4


def test_ties_split_as_set() -> None:
    first = report({"Ann+Bob": (60, 100, 5), "Cy+Di": (40, 100, 5), "Ed+Flo": (50, 100, 8)})
    second = report({"Ann+Bob": (40, 100, 5), "Cy+Di": (60, 100, 5), "Ed+Flo": (50, 100, 8)})
    reports = {"1": first, "2": second}

    def split(*ways: str) -> list[str]:
        words = ", ".join(f'"{way}"' for way in ways)
        ranking = combine(series_of(f"split_ties = [{words}]"), reports)
        return [f"{rank} {name}" for rank, name, _ in lines(ranking)]

    assert split() == ["1= Ann – Bob", "1= Cy – Di", "1= Ed – Flo"]
    assert split("last") == ["1 Cy – Di", "2 Ed – Flo", "3 Ann – Bob"]
    assert split("best") == ["1= Ann – Bob", "1= Cy – Di", "3 Ed – Flo"]
    assert split("best", "last") == ["1 Cy – Di", "2 Ann – Bob", "3 Ed – Flo"]
    assert split("boards") == ["1 Ed – Flo", "2= Ann – Bob", "2= Cy – Di"]


def test_published_ties_are_of_rounded_results() -> None:
    close = report({"Ann+Bob": (Fraction(50_001, 1000), 100, 5), "Cy+Di": (50, 100, 5)})
    assert [one[0] for one in lines(combine(series_of("", 1), {"1": close}))] == ["1", "2"]
    published = series_of('ties = "published"', 1)
    assert [one[0] for one in lines(combine(published, {"1": close}))] == ["1=", "1="]


def test_split_of_ties_by_the_place_in_the_stage_before() -> None:
    third = report({"Ann+Bob": (50, 100, 5), "Cy+Di": (50, 100, 5)})
    tail = FINAL.replace("carry_over = 25", "")
    tied = combine(series_of("", 3, tail), {"1": FIRST, "2": SECOND, "3": third})
    assert [one[0] for one in lines(tied)] == ["1=", "1="]
    split = combine(series_of('split_ties = ["before"]', 3, tail), {"1": FIRST, "2": SECOND, "3": third})
    assert [one[:2] for one in lines(split)] == [("1", "Cy – Di"), ("2", "Ann – Bob")]


@pytest.mark.parametrize(("ties", "points"), [("share", Fraction(7, 2)), ("highest", Fraction(4))])
def test_ladder_of_places_gives_points_for_shared_places(ties: str, points: Fraction) -> None:
    tied = report({"Ann+Bob": (60, 100, 5), "Cy+Di": (50, 100, 5), "Ed+Flo": (50, 100, 5)})
    head = f'counts = "places"\nplace_points = [6, 4, 3]\ntied_places = "{ties}"'
    ranking = combine(series_of(head, 1), {"1": tied})
    assert lines(ranking) == [
        ("1", "Ann – Bob", Fraction(6)),
        ("2=", "Cy – Di", points),
        ("2=", "Ed – Flo", points),
    ]
    assert ranking.point == "Points"


def test_ladder_of_players_counts_results_with_every_partner() -> None:
    second = report({"Ann+Di": (60, 100, 5), "Bob+Cy": (40, 100, 5)})
    ranking = combine(series_of('ranked = "players"\ncombine = "average"'), {"1": FIRST, "2": second})
    assert {name: one.value for name, one in by_name(ranking).items()} == {
        "Ann": Fraction(115, 2),
        "Bob": Fraction(95, 2),
        "Cy": Fraction(85, 2),
        "Di": Fraction(105, 2),
        "Ed": Fraction(50),
        "Flo": Fraction(50),
    }


def test_player_is_known_by_number_and_then_by_name() -> None:
    first = report({"Ann Berg#7+Bob#8": (60, 100, 5), "Cy#1+Di#2": (40, 100, 5)})
    # Ann has another name, and Bob no number, in the second session; another Cy has another number.
    second = report({"A. Berg#7+ bob": (50, 100, 5), "Cy#3+Di#2": (45, 100, 5)})
    standings = combine(series_of(), {"1": first, "2": second}).stages[0].standings
    assert sorted(one.value for one in standings) == [40, 45, 110]


def test_name_of_two_numbers_is_nobody_elses() -> None:
    first = report({"Ann#1+Bob#2": (60, 100, 5), "Ann#9+Cy#3": (40, 100, 5)})
    second = report({"Ann+Bob#2": (50, 100, 5)})
    standings = combine(series_of(), {"1": first, "2": second}).stages[0].standings
    assert sorted(one.value for one in standings) == [40, 50, 60]


def test_result_with_a_substitute_counts_for_the_pair() -> None:
    evenings = [
        report({"Ann#1+Bob#2": (60, 100, 10), "Di+Eve": (40, 100, 10)}),
        report({"Cy+Ann#1": (70, 100, 10), "Di+Eve": (30, 100, 10)}),
        report({"Ann+Flo": (55, 100, 10), "Di+Eve": (45, 100, 10)}),
    ]
    played = {str(number): one for number, one in enumerate(evenings, 1)}
    head = 'substitutes = ["2: Cy for 2", "3: flo for Bob"]'
    (first, second) = by_name(combine(series_of(head, 3), played)).values()
    assert (first.name, len(first.scores)) == ("Ann – Bob", 3)
    assert first.value == 185
    assert second.value == 115
    ranking = combine(series_of(f"{head}\nsubstituted_sessions = 1", 3), played)
    (first, second) = by_name(ranking).values()
    assert first.value == 130
    assert sorted(first.scores) == ["1", "2"]
    assert ranking.remarks == (
        "3 does not count for Ann – Bob, who had a substitute more often than allowed.",
    )
    alone = by_name(combine(series_of(f'{head}\nranked = "players"', 3), played))
    assert alone["Cy"].value == 70
    assert alone["Bob"].value == 60


def test_pairs_without_names_go_by_their_number() -> None:
    bare = Report("", FIRST.scored, played_on=date(2026, 1, 1))
    ranking = combine(series_of(), {"1": bare, "2": bare})
    assert ranking.remarks == ("Contestants without names are matched by their numbers.",)
    assert [one[1:] for one in lines(ranking)] == [
        ("A1", Fraction(110)),
        ("A3", Fraction(100)),
        ("A2", Fraction(90)),
    ]


def test_percentages_and_imps_cannot_be_added_up_but_places_can() -> None:
    imps = report({"Ann+Bob": (12, 0, 10), "Cy+Di": (-12, 0, 10)}, Method.CROSS_IMPS)
    with pytest.raises(BadInput, match="cannot be added up"):
        combine(series_of(), {"1": FIRST, "2": imps})
    ranking = combine(series_of('counts = "places"\nplace_points = [2, 1]'), {"1": FIRST, "2": imps})
    assert by_name(ranking)["Ann – Bob"].value == 4


def test_imps_add_up_with_their_signs() -> None:
    imps = report({"Ann+Bob": (Fraction(37, 3), 0, 10), "Cy+Di": (-12, 0, 10)}, Method.CROSS_IMPS)
    ranking = combine(series_of(), {"1": imps, "2": imps})
    assert lines(ranking) == [("1", "Ann – Bob", Fraction(74, 3)), ("2", "Cy – Di", Fraction(-24))]
    assert ranking.point == "IMP"


def test_handicap_is_added_to_every_session() -> None:
    known = PlayerList([PlayerDetails("", "Ann", Decimal("-2.5")), PlayerDetails("", "Bob", Decimal(-4))])
    for word, each in (("mean", Fraction(-13, 4)), ("sum", Fraction(-13, 2)), ("none", Fraction(0))):
        ranking = combine(series_of(f'handicap = "{word}"'), {"1": FIRST, "2": SECOND}, known)
        assert by_name(ranking)["Bob – Ann"].value == 55 + Fraction(100, 3) + 2 * each


def test_strata_and_filters_of_a_series() -> None:
    known = PlayerList(
        PlayerDetails("", name, holding=Decimal(held), club=club, born=born, sex=sex)
        for name, held, club, born, sex in (
            ("Ann", 900, "North", 1950, "W"),
            ("Bob", 50, "North", 1960, "M"),
            ("Cy", 10, "North", 2004, "M"),
            ("Di", 20, "South", 2003, "W"),
            ("Ed", 300, "North", 1966, "M"),
            ("Flo", 310, "North", 1967, "W"),
        )
    )
    ranking = combine(series_of(), {"1": FIRST, "2": SECOND}, known)
    filters = tuple(map(Filter.parse, ("club=north", "age=60-", "age=-25", "mixed", "women")))
    wanted = FurtherRankings(HandicapRule.NONE, Strata.parse("A, B:400, C:100"), filters)
    found = {
        title: [f"{one.rank_text} {one.name}" for one in standings]
        for title, standings in select(ranking, ranking.stages[0], known, wanted)
    }
    assert found == {
        "Stratum B": ["1 Cy – Di", "2 Ed – Flo"],
        "Stratum C": ["1 Cy – Di"],
        "north": ["1 Bob – Ann", "2 Ed – Flo"],
        "60 and older": ["1 Bob – Ann"],
        "Up to 25": ["1 Cy – Di"],
        "Mixed": ["1 Cy – Di", "2 Bob – Ann", "3 Ed – Flo"],
        "Women": [],
    }


def test_long_season_has_the_number_of_sessions_instead_of_columns() -> None:
    results = report({"Ann+Bob": (60, 100, 5), "Cy+Di": (40, 100, 5)})
    for sessions, is_wide in ((MOST_COLUMNS, True), (MOST_COLUMNS + 1, False)):
        series = series_of("count_best = 3", sessions)
        ranking = combine(series, {str(number): results for number in range(1, sessions + 1)})
        published = SeriesReport(ranking, PlayerList(), FurtherRankings())
        page = write_series_pages(published)["index.html"]
        assert (f">{sessions}</th>" in page) is is_wide
        assert (f"3 of {sessions}" in page) is not is_wide
        assert f",{sessions}" in write_series_csv(published).splitlines()[0]


# Properties -------------------------------------------------------------------------------------------------

NAMES = ["Ann+Bob", "Cy+Di", "Ed+Flo", "Gus+Hal"]
session_results = st.dictionaries(
    st.sampled_from(NAMES), st.tuples(st.integers(0, 60), st.just(60), st.integers(1, 12)), min_size=1
)


@given(st.lists(session_results, min_size=2, max_size=3), st.sampled_from(["sum", "average", "boards"]))
def test_ranking_does_not_depend_on_the_order_of_contestants(results: list[Results], how: str) -> None:
    series = series_of(f'combine = "{how}"\ndrop_worst = 1\nsplit_ties = ["best"]', len(results))
    ranking = combine(series, {str(n): report(one) for n, one in enumerate(results, 1)})
    turned = {str(n): report(dict(reversed(list(one.items())))) for n, one in enumerate(results, 1)}
    again = combine(series, turned)
    assert [(one.rank, one.identity, one.value) for one in ranking.stages[0].standings] == [
        (one.rank, one.identity, one.value) for one in again.stages[0].standings
    ]


@given(st.lists(session_results, min_size=3, max_size=3), st.integers(0, 2))
def test_ranking_does_not_depend_on_the_order_of_sessions(results: list[Results], drop: int) -> None:
    series = series_of(f"drop_worst = {drop}", 3)
    found = {
        tuple(
            (one.rank, one.identity, one.value)
            for one in combine(series, {str(n): report(results[place]) for n, place in enumerate(order, 1)})
            .stages[0]
            .standings
        )
        for order in permutations(range(3))
    }
    assert len(found) == 1


@given(st.lists(session_results, min_size=1, max_size=4))
def test_dropping_none_is_the_sum(results: list[Results]) -> None:
    reports = {str(n): report(one) for n, one in enumerate(results, 1)}
    dropping = combine(series_of("drop_worst = 0", len(results)), reports)
    best = combine(series_of(f"count_best = {MOST_SESSIONS}", len(results)), reports)
    plain = {
        tuple(sorted(f"name {name.lower()}" for name in names.split("+"))): sum(
            Fraction(100 * one[names][0], 60) for one in results if names in one
        )
        for names in NAMES
        if any(names in one for one in results)
    }
    for ranking in (dropping, best):
        assert {one.identity: one.value for one in ranking.stages[0].standings} == plain


# Descriptions -----------------------------------------------------------------------------------------------


def test_description_is_read_as_it_was_written() -> None:
    series = series_of(
        'counts = "places"\nplace_points = [6, 4.5]\nranked = "players"\nsplit_ties = ["last", "best"]\n'
        'strata = "A, B:400"\nstrata_by = "higher"\nhandicap = "sum"\n'
        'players = "a \\"b\\" \\\\c.csv"\nminimum_boards = 3\nsubstituted_sessions = 0\nsubstitutes = ["1: A for B"]',
        3,
        FINAL,
    )
    assert parse_series(write_series(series)) == series


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("name = ", "cannot be read"),
        ('name = "x"', "has sessions"),
        ('name = "x"\nsession = 3', r"written as \[\[session\]\]"),
        ('[[session]]\nfile = "a"', "name is a name"),
        ('name = "x"\n[[session]]\nname = "a"', "neither a file nor a session"),
        ('name = "x"\ncolour = 3\n[[session]]\nfile = "a"', "no 'colour'"),
        ('name = "x"\ncombine = "product"\n[[session]]\nfile = "a"', "one of: sum, average, boards"),
        ('name = "x"\ndrop_worst = 1\n[[session]]\nfile = "a"', "drop all of its sessions"),
        ('name = "x"\ndrop_worst = true\n[[session]]\nfile = "a"', "number from 0"),
        ('name = "x"\ndrop_worst = 1e-999999999\n[[session]]\nfile = "a"', "number from 0"),
        (f'name = "x"\ndrop_worst = {"9" * 5000}\n[[session]]\nfile = "a"', "cannot be read"),
        ('name = "x"\ndecimals = 1.5\n[[session]]\nfile = "a"', "whole number"),
        ('name = "x"\nplace_points = [1]\n[[session]]\nfile = "a"', "goes with counts"),
        ('name = "x"\n[[session]]\nfile = "a"\n[[session]]\nfile = "a"', "Two sessions"),
        ('name = "x"\n[[session]]\nfile = "a"\nweight = 0', "above 0"),
        ('name = "x"\n[[session]]\nfile = "a"\n[[stage]]\nname = "F"', "list of sessions"),
        ('name = "x"\n[[session]]\nfile = "a"\n[[stage]]\nname = "F"\nsessions = ["b"]', "does not have"),
        (
            'name = "x"\n[[session]]\nfile = "a"\n[[stage]]\nname = "F"\nsessions = []\nplaces = [1, 2]',
            "from which",
        ),
        (
            'name = "x"\n[[session]]\nfile = "a"\n[[stage]]\nname = "F"\nsessions = []\nfrom = "Q"',
            "not an earlier stage",
        ),
        ('name = "x"\nsubstitutes = ["b: A for B"]\n[[session]]\nfile = "a"', "session 'b', which"),
        ('name = "x"\nsubstitutes = ["a: A"]\n[[session]]\nfile = "a"', "A substitute is written like"),
        ('name = "x"\nstrata = "A:5"\n[[session]]\nfile = "a"', "Strata are written"),
    ],
)
def test_bad_description_is_refused_with_a_sentence(text: str, problem: str) -> None:
    with pytest.raises(BadInput, match=problem):
        parse_series(text)


@pytest.mark.parametrize("hidden", ["#7", "~ann"])
@pytest.mark.parametrize("ranked", ["contestants", "players"])
def test_hidden_player_is_ranked_and_not_named(hidden: str, ranked: str) -> None:
    first = report({"Ann#7+Bob": (60, 100, 10), "Cy+Di": (40, 100, 10)})
    second = report({"Ann+Bob": (50, 100, 10), "Ann#7+Di": (70, 100, 10)}, title="Twice")
    series = series_of(f'ranked = "{ranked}"\ncombine = "average"')
    ranking = combine(series, {"1": first, "2": second}, hidden={hidden})
    shown = SeriesReport(ranking, PlayerList(), FurtherRankings())
    texts = [write_series_csv(shown), write_series_json(shown), *write_series_pages(shown).values()]
    assert "Bob" in texts[0]
    assert not any("Ann" in text for text in texts)
    everyone = combine(series, {"1": first, "2": second})
    assert [one.value for one in ranking.stages[0].standings] == [
        one.value for one in everyone.stages[0].standings
    ]
    assert any("Player" in one.name for one in shown.tables()[0].standings)
