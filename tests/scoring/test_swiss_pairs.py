"""Swiss pairs: percentages and IMPs of a match in victory points, sit-outs, half-matches."""

from decimal import Decimal
from fractions import Fraction

import pytest

from overtrick.bridge import Outcome
from overtrick.errors import BadInput
from overtrick.scoring import (
    UNIT,
    Adjustment,
    Contestant,
    Extras,
    Line,
    MatchRuling,
    Method,
    Options,
    Scale,
    ScoringRules,
    SitOut,
    Ties,
    pair_rankings,
    parse_scale,
    score,
    score_pair_matches,
    victory_points,
)
from overtrick.scoring.points import rounded
from overtrick.scoring.rules import parse_rules
from overtrick.scoring.vps import PERCENTAGES


@pytest.mark.parametrize(
    ("points", "vps"), [(78, 10), (79, 11), (80, 11), (81, 12), (76, 10), (75, 9), (77, 10)]
)
def test_a_percentage_of_seven_boards(points: int, vps: int) -> None:
    assert PERCENTAGES.split(Fraction(100 * points, 154), 7).own == vps * UNIT


def test_an_equal_percentage_stays_lower() -> None:
    assert PERCENTAGES.split(Fraction("56.23"), 8).own == 14 * UNIT
    assert PERCENTAGES.split(Fraction("56.24"), 8).own == 15 * UNIT


@pytest.mark.parametrize(
    ("boards", "limits"),
    [
        ((1, 2, 3, 4), "50.92 52.80 54.71 56.70 58.80 61.08 63.63 66.61 70.36 75.95"),
        ((5, 6), "50.78 52.39 54.02 55.72 57.51 59.45 61.62 64.17 67.37 72.13"),
        ((7, 8, 9), "50.65 51.98 53.33 54.74 56.23 57.83 59.64 61.75 64.40 68.35"),
        ((10, 13, 14), "50.54 51.65 52.78 53.95 55.19 56.53 58.04 59.80 62.01 65.30"),
    ],
)
def test_the_table_of_percentages(boards: tuple[int, ...], limits: str) -> None:
    for length in boards:
        for vps, limit in enumerate(limits.split(), 10):
            for percentage, expected in (
                (Fraction(limit), vps),
                (Fraction(limit) + Fraction(1, 1000), vps + 1),
            ):
                assert PERCENTAGES.split(percentage, length).own == expected * UNIT
                assert PERCENTAGES.split(100 - percentage, length).own == (20 - expected) * UNIT


@pytest.mark.parametrize(
    ("imps", "own", "theirs"), [("0.4", 10, 10), ("0.5", 11, 9), ("26.1", 17, 3), ("-0.5", 9, 11)]
)
def test_imps_of_ten_boards(imps: str, own: int, theirs: int) -> None:
    split = victory_points(Scale.DISCRETE, rounded(Fraction(imps)), 10)
    assert (split.own, split.theirs) == (own * UNIT, theirs * UNIT)


def field(board: int, round_: int, *results: str, first: int = 1) -> list[Line]:
    """A board at as many tables as there are results: 1 meets 2, 3 meets 4, and so on."""
    return [
        Line(
            board,
            Contestant("", first + 2 * place),
            Contestant("", first + 2 * place + 1),
            Outcome.parse(result),
            table=place + 1,
            round=round_,
        )
        for place, result in enumerate(results)
    ]


def vps(ranking_of: list[Line], method: str, rules: ScoringRules, *sit_outs: SitOut) -> dict[int, float]:
    options = Options(rules)
    matches = score_pair_matches(ranking_of, Method.of(method), options)
    (ranking,) = pair_rankings(matches, sit_outs, options)
    return {standing.contestant.number: standing.points for standing in ranking.standings}


def test_each_pair_reads_its_own_percentage() -> None:
    won = vps(field(1, 1, "4SN=", "4SN-1"), "matchpoints", ScoringRules())
    assert won == {1: 20, 2: 0, 3: 0, 4: 20}
    both_plus = [*field(1, 1, "4SN=", "4SN="), *field(2, 1, "4SN=", "4SN="), *field(3, 1, "60-60", "4SN=")]
    # 1 and 2 have 50 per cent on two boards, so 60 on the third: 53.33 per cent each, and 12 victory points each.
    assert vps(both_plus, "matchpoints", ScoringRules()) == {1: 12, 2: 12, 3: 10, 4: 10}


def test_in_an_award_the_session_is_the_match() -> None:
    first = [*field(1, 1, "4SN=", "4SN-1"), *field(2, 1, "60-40", "4SN=")]
    second = [*field(3, 2, "4SN-1", "4SN="), *field(4, 2, "60-40", "4SN=")]
    matches = score_pair_matches([*first, *second], Method.MATCHPOINTS)
    own = {match.round: match.home for match in matches if match.home.pair.number == 1}
    assert own[1].result == 100
    assert own[2].result == 30


def test_cross_imps_are_divided_by_the_root_of_the_comparisons() -> None:
    # Three results, so √3: 420 against -50 (10) and against 170 (6) makes 16 / √3 = 9.24.
    lines = field(1, 1, "4SN=", "4SN-1", "3SN+1")
    matches = score_pair_matches(lines, Method.CROSS_IMPS)
    assert [match.home.result for match in matches] == [9, -9, 0]
    assert [match.away.result for match in matches] == [-9, 9, 0]
    # Over three such boards it is 27.71 and not three times 9: rounded is the match. Nobody is vulnerable on 8 and 11.
    again = [*lines, *field(8, 1, "4SN=", "4SN-1", "3SN+1"), *field(11, 1, "4SN=", "4SN-1", "3SN+1")]
    assert [match.home.result for match in score_pair_matches(again, Method.CROSS_IMPS)] == [28, -28, 0]


def test_an_award_in_imps_is_no_part_of_a_sum() -> None:
    lines = [*field(1, 1, "60-40", "4SN=", "4SN="), *field(2, 1, "4SN=", "4SN=", "4SN=")]
    matches = score_pair_matches(lines, Method.CROSS_IMPS_3)
    assert (matches[0].home.result, matches[0].away.result) == (3, -3)


def test_a_sit_out_gets_what_the_rules_say() -> None:
    lines = field(1, 1, "4SN=", "4SN-1")
    nobody = Contestant("", 5)
    assert vps(lines, "matchpoints", ScoringRules(), SitOut(nobody, 1))[5] == 12
    assert vps(lines, "matchpoints", ScoringRules(sit_out_vps=Decimal("11.5")), SitOut(nobody, 1))[5] == 11.5
    assert vps(lines, "matchpoints", ScoringRules(), SitOut(nobody, 1, vps=Decimal(10)))[5] == 10


def test_ties_are_exact_or_as_published() -> None:
    sat = [SitOut(Contestant("", n), 1, vps=Decimal(vps)) for n, vps in enumerate(("12.001", "12.004"), 1)]
    for ties, expected in ((Ties.EXACT, ["1", "2"]), (Ties.PUBLISHED, ["1=", "1="])):
        (ranking,) = pair_rankings((), sat, Options(ScoringRules(ties=ties)))
        assert [standing.rank_text for standing in ranking.standings] == expected


def test_a_triangle_is_two_half_matches() -> None:
    def half(board: int, ns: int, ew: int, table: int, outcome: str) -> Line:
        return Line(
            board, Contestant("", ns), Contestant("", ew), Outcome.parse(outcome), table=table, round=1
        )

    lines = [
        half(1, 1, 2, 1, "4SN="),
        half(2, 2, 3, 1, "4SN="),
        half(3, 3, 1, 1, "4SN="),
        *(half(board, 4, 5, 2, "4SN-1") for board in (1, 2, 3)),
    ]
    # Each of the three wins one half-match by 100 per cent and loses the other.
    assert vps(lines, "matchpoints", ScoringRules()) == {1: 10, 2: 10, 3: 10, 4: 0, 5: 20}


def test_a_scale_of_ones_own() -> None:
    published = parse_scale(
        """
        name = "Three boards"
        [[match]]
        boards = 3
        rows = [[0, 10, 10], [1, 11, 9], [2, 12, 8], [3, 13, 7], [5, 14, 6], [7, 15, 5], [9, 16, 4], [11, 17, 3],
                [14, 18, 2]]
        """
    )
    found = [victory_points(published, margin, 3).own // UNIT for margin in (0, 1, 2, 3, 5, 7, 9, 11, 14)]
    assert found == [10, 11, 12, 13, 14, 15, 16, 17, 18]
    assert victory_points(published, 4, 3).own == 13 * UNIT
    assert victory_points(published, -4, 3).own == 7 * UNIT
    # The scale for three boards that is built in is another one.
    built_in = [
        victory_points(Scale.DISCRETE, margin, 3).own // UNIT for margin in (0, 1, 2, 3, 5, 7, 9, 11, 14)
    ]
    assert built_in != found


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("name = 3", "has a name"),
        ("name = 'a'", "match"),
        ("name = 'a'\nunit = 'vps'", "imps"),
        ("name = 'a'\n[[match]]\nboards = 0\nrows = [[0, 10, 10]]", "whole number"),
        ("name = 'a'\n[[match]]\nboards = 3\nrows = [[1, 10, 10]]", "start at 0"),
        ("name = 'a'\n[[match]]\nboards = 3\nrows = [[0, 10]]", "A row"),
        ("name = 'a'\n[[match]]\nboards = 3\nrows = [[0, 10, nan]]", "A row"),
        ("name = 'a'\n[[match]]\nboards = 3\nrows = [[0, 10, 10], [1e-99999, 10, 10]]", "A row"),
        ("name = 'a'\n[[match]]\nboards = 3\nrows = [[0, 10, 10], [0, 11, 9]]", "rise"),
        ("name = 'a'\n[[match]]\nboards = 3\n", "rows"),
        ("name =", "cannot be read"),
    ],
)
def test_invalid_scale_is_refused(text: str, words: str) -> None:
    with pytest.raises(BadInput, match=words):
        parse_scale(text)


def test_butler_has_no_matches() -> None:
    with pytest.raises(BadInput, match="butler"):
        score_pair_matches([], Method.BUTLER)


def test_a_whole_event_by_victory_points() -> None:
    lines = [
        *field(1, 1, "4SN=", "4SN-1"),
        Line(2, Contestant("", 1), Contestant("", 3), Outcome.parse("4SN="), table=1, round=2),
        Line(2, Contestant("", 4), Contestant("", 5), Outcome.parse("4SN="), table=2, round=2),
    ]
    byes = [SitOut(Contestant("", 5), 1), SitOut(Contestant("", 2), 2)]
    scored = score(lines, pairs_vps=True, sit_outs=byes)
    assert scored.point == "VP"
    won = {s.contestant.number: s.points for s in scored.rankings[0].standings}
    assert won == {1: 30, 2: 12, 3: 10, 4: 30, 5: 22}
    without = {s.contestant.number: s.points for s in score(lines, pairs_vps=True).rankings[0].standings}
    assert without == {1: 30, 2: 0, 3: 10, 4: 30, 5: 10}
    assert [match.round for match in scored.pair_matches] == [1, 1, 2, 2]


def test_table_in_per_cent_of_a_rule_set_converts_percentages_and_no_imps() -> None:
    own = parse_rules(
        'name = "Club"\n[vp_scale]\nname = "Own"\nunit = "percent"\n'
        "[[vp_scale.match]]\nboards = 8\nrows = [[50, 5, 5], [60, 8, 2]]"
    )
    lines = field(1, 1, "4SN=", "4SN-1")
    assert vps(lines, "matchpoints", own) == {1: 8, 2: 2, 3: 2, 4: 8}
    assert vps(lines, "cross-imps", own) == vps(lines, "cross-imps", ScoringRules())
    imps = parse_rules(
        'name = "Club"\n[vp_scale]\nname = "Own"\n'
        "[[vp_scale.match]]\nboards = 8\nrows = [[0, 5, 5], [1, 8, 2]]"
    )
    assert vps(lines, "matchpoints", imps) == {1: 20, 2: 0, 3: 0, 4: 20}
    assert vps(lines, "cross-imps", imps) == {1: 8, 2: 2, 3: 2, 4: 8}


def seven_boards(points: int) -> list[Line]:
    """Return seven boards at twelve tables (top 22) with that many matchpoints for pair 1, most on the first boards."""
    others = [100 * place for place in range(1, 12)]
    lines = []
    for board in range(1, 8):
        beaten, ties = divmod(min(points, 22), 2)
        points -= 2 * beaten + ties
        own = 100 * (beaten + 1) if ties else 100 * beaten + 50
        lines += field(board, 1, *[f"{score:+}" for score in (own, *others)])
    return lines


@pytest.mark.parametrize(("points", "won"), [(76, 10), (78, 10), (79, 11), (80, 11), (81, 12)])
def test_matchpoints_of_seven_boards_make_the_victory_points_of_the_match(points: int, won: int) -> None:
    scored = score(seven_boards(points), pairs_vps=True)
    home = scored.pair_matches[0].home
    assert (home.pair.number, home.result) == (1, Fraction(100 * points, 154))
    standings = {standing.contestant.number: standing.points for standing in scored.rankings[0].standings}
    assert (standings[1], standings[2]) == (won, 20 - won)


def test_void_match_of_pairs_gives_the_points_of_the_ruling_or_none() -> None:
    lines = field(1, 1, "4SN=", "4SN-1")
    one, two = Contestant("", 1), Contestant("", 2)

    def won(ruling: MatchRuling) -> dict[int, float]:
        scored = score(lines, pairs_vps=True, match_rulings=[ruling])
        return {s.contestant.number: s.points for s in scored.rankings[0].standings}

    assert won(MatchRuling(1, two, one, is_void=True)) == {1: 0, 2: 0, 3: 0, 4: 20}
    given = MatchRuling(1, two, one, is_void=True, points=(Decimal(12), Decimal(3)))
    assert won(given) == {1: 3, 2: 12, 3: 0, 4: 20}


def test_shortened_match_of_pairs_has_the_scale_of_its_length() -> None:
    lines = field(1, 1, "4SN=", "4SN-1")
    shortened = MatchRuling(1, Contestant("", 1), Contestant("", 2), boards=2)
    scored = score(lines, Method.CROSS_IMPS, pairs_vps=True, boards_per_match=10, match_rulings=[shortened])
    ruled, other = scored.pair_matches
    assert ruled.home.units == victory_points(Scale.CONTINUOUS, 10, 2).own
    assert other.away.units == victory_points(Scale.CONTINUOUS, 10, 10).own


def test_penalty_changes_the_percentage_of_a_match_before_its_victory_points() -> None:
    lines = [*field(1, 1, "4SN=", "4SN="), *field(2, 1, "4SN=", "4SN=")]
    one = Contestant("", 1)
    late = Adjustment(one, 20, of_top=True, round=1)
    scored = score(lines, pairs_vps=True, extras=Extras(match_adjustments=[late]))
    # 20 per cent of one top of two: 60 instead of 50 per cent, so 15 instead of 10.
    assert scored.pair_matches[0].home.result == 60
    assert scored.pair_matches[0].home.adjustment == 10
    won = {s.contestant.number: s.points for s in scored.rankings[0].standings}
    assert won == {1: 15, 2: 10, 3: 10, 4: 10}


def test_penalty_in_imps_changes_a_match_of_pairs_before_its_victory_points() -> None:
    lines = field(1, 1, "4SN=", "4SN=")
    late = Adjustment(Contestant("", 4), -3, board=1, round=1)
    scored = score(lines, Method.of("cross-imps"), pairs_vps=True, extras=Extras(match_adjustments=[late]))
    away = scored.pair_matches[1].away
    assert (away.result, away.adjustment) == (-3, -3)
    assert away.units == victory_points(Scale.CONTINUOUS, -3, 1).own
    assert scored.pair_matches[1].home.units == 10 * UNIT


def test_adjustment_of_a_triangle_counts_in_the_half_match_of_its_board() -> None:
    pairs = [Contestant("", number) for number in (1, 2, 3)]
    lines = [
        Line(board, pairs[ns], pairs[ew], Outcome.parse("4SN="), table=board, round=1)
        for board, ns, ew in ((1, 0, 1), (2, 1, 2), (3, 2, 0))
    ]
    late = Adjustment(pairs[0], -3, board=3, round=1)
    scored = score(lines, Method.of("cross-imps"), pairs_vps=True, extras=Extras(match_adjustments=[late]))
    assert {
        (view.pair.number, view.opponents.number)
        for match in scored.pair_matches
        for view in (match.home, match.away)
        if view.adjustment
    } == {(1, 3)}
