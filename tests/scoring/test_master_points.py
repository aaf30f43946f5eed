from dataclasses import replace
from fractions import Fraction

import pytest

from overtrick.bridge import Side
from overtrick.errors import BadInput
from overtrick.scoring import UNIT, Contestant, Method, Ranking, ScoringRules
from overtrick.scoring.master_points import (
    PlayerAward,
    awards,
    example_scheme,
    parse_scheme,
    series_awards,
)
from overtrick.scoring.more_rankings import with_enough_boards
from overtrick.scoring.ranking import Extras, Tally, rank
from overtrick.scoring.report import ReportPlayer
from overtrick.scoring.series import SeriesStanding

PAIRS = [Contestant("A", number) for number in range(1, 6)]
PLAYERS = {
    pair: (ReportPlayer(f"N{pair.number}", f"{pair.number}1"), ReportPlayer(f"S{pair.number}"))
    for pair in PAIRS
}
SCHEME = """
name = "Ours"
{more}
[[field]]
from = 4
places = [12, 6, 3]
[[field]]
from = 5
places = [20, 11, 7, 4]
"""


def ranking_of(*points: int, side: Side | None = None) -> Ranking:
    tallies = [Tally(pair, won * UNIT, 100 * UNIT, 10) for pair, won in zip(PAIRS, points, strict=False)]
    return Ranking("", side, rank(tallies))


def points_of(more: str, *points: int, method: Method = Method.MATCHPOINTS) -> list[tuple[str, int, int]]:
    found = awards(parse_scheme(SCHEME.format(more=more)), method, [ranking_of(*points)], PLAYERS)
    return [(award.player.name, award.rank, award.points) for award in found if award.player.name[0] == "N"]


def test_places_are_by_size_of_field() -> None:
    assert points_of("", 60, 50, 40) == []
    assert points_of("", 60, 50, 40, 30) == [("N1", 1, 12), ("N2", 2, 6), ("N3", 3, 3)]
    assert points_of("", 60, 50, 40, 30, 20) == [("N1", 1, 20), ("N2", 2, 11), ("N3", 3, 7), ("N4", 4, 4)]


@pytest.mark.parametrize(
    ("more", "each"),
    [
        ("", 10),  # the mean of 20 and 11 is 15.5, of 11, 7 and 4 it is 7 1/3: see below
        ('rounding = "up"', 10),
        ('ties = "highest"', 20),
    ],
)
def test_those_who_tie_share_places(more: str, each: int) -> None:
    found = points_of(more, 60, 60, 60, 60, 20)
    # 20 + 11 + 7 + 4 = 42, and a fourth of it is 10.5
    assert found == [(f"N{n}", 1, 11 if "up" in more else each) for n in (1, 2, 3, 4)]


def test_factor_of_the_method_counts_before_rounding() -> None:
    more = "factor = 0.5\n[methods]\ncross-imps = 1.5"
    assert points_of(more, 60, 50, 40, 30) == [("N1", 1, 6), ("N2", 2, 3), ("N3", 3, 1)]
    assert points_of(more, 60, 50, 40, 30, method=Method.CROSS_IMPS) == [
        ("N1", 1, 18),
        ("N2", 2, 9),
        ("N3", 3, 4),
    ]


def test_every_player_gets_the_points_of_the_pair() -> None:
    found = awards(
        parse_scheme(SCHEME.format(more="")), Method.MATCHPOINTS, [ranking_of(60, 50, 40, 30)], PLAYERS
    )
    assert found[:2] == [PlayerAward(ReportPlayer("N1", "11"), 1, 12), PlayerAward(ReportPlayer("S1"), 1, 12)]


def test_sides_are_fields_of_their_own() -> None:
    sides = [ranking_of(60, 50, 40, side=side) for side in Side]
    assert awards(parse_scheme(SCHEME.format(more="")), Method.MATCHPOINTS, sides, PLAYERS) == []


def test_contestants_without_a_rank_are_no_part_of_the_field() -> None:
    whole = ranking_of(60, 50, 40, 30, 20)
    short = replace(whole.standings[0], boards=5)
    (ranking,) = with_enough_boards(
        [replace(whole, standings=(short, *whole.standings[1:]))], 10, ScoringRules()
    )
    found = awards(parse_scheme(SCHEME.format(more="")), Method.MATCHPOINTS, [ranking], PLAYERS)
    assert [(one.player.name, one.points) for one in found[::2]] == [("N2", 12), ("N3", 6), ("N4", 3)]


def test_handicaps_do_not_change_awards() -> None:
    raw = ranking_of(60, 50, 40, 30)
    scheme = parse_scheme(SCHEME.format(more=""))
    tallies = [Tally(one.contestant, one.units, one.top, one.boards) for one in raw.standings]
    handicapped = Ranking("", None, rank(tallies, Extras(handicaps={PAIRS[3]: 50})))
    assert handicapped.standings[0].contestant == PAIRS[3]
    assert awards(scheme, Method.MATCHPOINTS, [raw], PLAYERS)[0].player == ReportPlayer("N1", "11")


def test_series_awards_by_the_places_of_a_stage() -> None:
    scheme = parse_scheme(SCHEME.format(more=""))
    standings = [
        SeriesStanding(place, place, (ReportPlayer(str(place)),), "", Fraction(60 - place), {})
        for place in range(1, 5)
    ]
    unranked = SeriesStanding(0, 0, (ReportPlayer("x"),), "", Fraction(99), {})
    found = series_awards(scheme, Method.MATCHPOINTS, [*standings, unranked])
    assert [(one.player.name, one.points) for one in found] == [("1", 12), ("2", 6), ("3", 3)]


def test_included_example_is_a_scheme() -> None:
    scheme = parse_scheme(example_scheme())
    assert "invented" in example_scheme()
    assert scheme.points(Method.MATCHPOINTS, 7, 1, 1) == 12
    assert scheme.points(Method.VPS_CONTINUOUS, 16, 2, 3) == 31  # (24 + 18) / 2 * 1.5


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("x", "cannot be read"),
        ("a = 1", "no 'a'"),
        ('name = "x"', "has fields"),
        ('name = "x"\nfield = 3', "has fields"),
        ('name = "x"\nkind = "gold"\n[[field]]\nfrom = 1\nplaces = [1]', "emp, rp or smp"),
        ('name = "x"\n[[field]]\nfrom = 1', "least number"),
        ('name = "x"\n[[field]]\nfrom = 1.5\nplaces = [1]', "whole numbers"),
        (
            'name = "x"\n[[field]]\nfrom = 2\nplaces = [1]\n[[field]]\nfrom = 2\nplaces = [1]',
            "smallest first",
        ),
        ('name = "x"\n[[field]]\nfrom = 2\nplaces = [-1]', "from 0"),
        ('name = "x"\n[[field]]\nfrom = 2\nplaces = [nan]', "number"),
        ('name = "x"\nmethods = 3\n[[field]]\nfrom = 2\nplaces = [1]', "factor for each method"),
        ('name = "x"\n[methods]\nchess = 1\n[[field]]\nfrom = 2\nplaces = [1]', "no method of scoring"),
        (
            'name = "x"\nrounding = "off"\n[[field]]\nfrom = 2\nplaces = [1]',
            "rounding cannot be .off.; it is one of",
        ),
    ],
)
def test_bad_scheme_is_refused_with_a_sentence(text: str, problem: str) -> None:
    with pytest.raises(BadInput, match=problem):
        parse_scheme(text)
