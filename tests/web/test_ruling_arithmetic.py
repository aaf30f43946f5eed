"""The arithmetic of rulings: its sentences and charts lead to the points of the scorer."""

from collections.abc import Sequence
from fractions import Fraction

import pytest

from overtrick.bridge import Outcome
from overtrick.scoring import Contestant, Line, Method, Options, Scorer, score
from overtrick.scoring.rules import ACBL, EBU, WBF, ScoringRules
from overtrick.scoring.session import ScoredTraveller
from overtrick.web.ruling_arithmetic import (
    Arithmetic,
    BoardArithmetic,
    RealBoards,
    figure,
    match_steps,
    real_boards,
)

BOARD = 4
"""Everyone is vulnerable, but the scores here are given without contracts."""


def line(table: int, outcome: str, ew: str = "", board: int = BOARD, version: str = "") -> Line:
    return Line(
        board,
        Contestant("A", table),
        Contestant("A", 100 + table),
        Outcome.parse(outcome),
        Outcome.parse(ew) if ew else None,
        "A",
        table,
        1,
        version=version,
    )


def scored(
    lines: Sequence[Line],
    method: Method = Method.MATCHPOINTS,
    rules: ScoringRules = WBF,
    expected: int | None = None,
) -> ScoredTraveller:
    scorer = Scorer(method, Options(rules, expected))
    for each in lines:
        scorer.put(each)
    return scorer.traveller(BOARD)


def arithmetic(
    lines: Sequence[Line],
    table: int = 1,
    method: Method = Method.MATCHPOINTS,
    rules: ScoringRules = WBF,
    expected: int | None = None,
    real: dict[Contestant, RealBoards] | None = None,
) -> Arithmetic:
    traveller = scored(lines, method, rules, expected)
    return BoardArithmetic(traveller, method, rules, real or {}).of_result(("A", table, 1, BOARD))


def plain(*scores: int, first: int = 2) -> list[Line]:
    return [line(table, f"{score:+}") for table, score in enumerate(scores, start=first)]


WEIGHTED = "30 % of +650, 70 % of -100"


def test_weighted_score_on_a_chart_with_parts_of_scores() -> None:
    found = arithmetic([line(1, WEIGHTED), *plain(650, 170, -200, -200, -500)])
    assert found.steps == (
        "N-S, against 5 other scores: +650 would get 9, -100 would get 6. 30 % of 9 + 70 % of 6 = 6.9.",
        "E-W: 10 - 6.9 = 3.1.",
    )
    (chart,) = found.charts
    assert (chart.title, chart.unit) == ("Chart: 6 scores", "N-S MP")
    assert [(row.score, row.times, row.points) for row in chart.rows] == [
        ("+650", "1.3", "9.7"),
        ("+170", "1", "7.4"),
        ("-100", "0.7", ""),
        ("-200", "2", "3"),
        ("-500", "1", "0"),
    ]


def test_weighted_score_on_a_board_with_fewer_scores() -> None:
    found = arithmetic([line(1, WEIGHTED), *plain(650, 170, -200, -200, -500)], expected=7)
    assert found.steps[1:] == (
        "N-S, 6 scores of 7, Neuberg: (6.9 + 1) × 7 / 6 - 1 = 8.2167.",
        "E-W: 12 - 8.2167 = 3.7833.",
    )


def test_weighted_score_in_cross_imps_and_butler() -> None:
    lines = [line(1, "60 % of +420, 40 % of -50"), *plain(420, 420, -50, 170)]
    total = arithmetic(lines, method=Method.CROSS_IMPS)
    assert total.steps[0] == (
        "N-S, in IMPs against 4 other scores: +420 would get 16, -50 would get -26. "
        "60 % of 16 + 40 % of -26 = -0.8."
    )
    assert arithmetic(lines, method=Method.CROSS_IMPS_AVERAGE).steps[1] == "Average: -0.8 / 4 = -0.2."
    assert arithmetic(lines, method=Method.BUTLER_MEAN).steps == (
        "Datum +240.",
        "N-S, in IMPs: +420 is +5, -50 is -7. 60 % of 5 + 40 % of -7 = 0.2.",
        "E-W: -0.2.",
    )


def test_split_score_has_two_charts() -> None:
    lines = [line(1, "-100", "+140"), *plain(420, 170, 140, -50), line(6, "60-40")]
    found = arithmetic(lines)
    assert found.steps == (
        "N-S: -100 gets 0 against 4 other scores.",
        "N-S, 5 scores of 6, Neuberg: (0 + 1) × 6 / 5 - 1 = 0.2.",
        "E-W: +140 gets 5 against 4 other scores.",
        "E-W, 5 scores of 6, Neuberg: (5 + 1) × 6 / 5 - 1 = 6.2.",
    )
    ns, ew = found.charts
    assert [row.points for row in ns.rows] == ["9.8", "7.4", "5", "2.6", "0.2"]
    assert [(row.score, row.times, row.points) for row in ew.rows] == [
        ("-50", "1", "9.8"),
        ("+140", "2", "6.2"),
        ("+170", "1", "2.6"),
        ("+420", "1", "0.2"),
    ]


@pytest.mark.parametrize(
    ("award", "percent", "words"),
    [
        ("60-40", 63, "The pair has 63 % on 25 real boards, worth 6.3, which is better, so 6.3 counts."),
        ("60-40", 58, "The pair has 58 % on 25 real boards, worth 5.8, so 6 counts."),
        ("40-60", 37, "The pair has 37 % on 25 real boards, worth 3.7, which is worse, so 3.7 counts."),
        ("55-45", 63, ""),
    ],
)
def test_award_is_compared_with_the_pairs_own_session(award: str, percent: int, words: str) -> None:
    """The scorer's own comparison is on other boards of the same session."""
    others = [
        Line(board, Contestant("A", 1), Contestant("A", 101), Outcome.parse("+0"), None, "A", 1, board)
        for board in range(100, 125)
    ]
    scorer = Scorer(Method.MATCHPOINTS, Options(expected=6))
    for each in (line(1, award), *plain(0, 0, 0, 0, 0), *others):
        scorer.put(each)
    traveller = scorer.traveller(BOARD)
    top = traveller.lines[0].ns.top if traveller.lines[0].ns else 0
    real = {Contestant("A", 1): RealBoards(percent * top * 25 // 100, 25 * top, 25)}
    found = BoardArithmetic(traveller, Method.MATCHPOINTS, WBF, real).of_result(("A", 1, 1, BOARD)).steps[0]
    share = award.split("-")[0]
    assert found.startswith(f"N-S: {share} % of a top of 10 = {int(share) / 10:g}.")
    if words:
        assert words.partition(", which")[0].partition(", so")[0] in found
    else:
        assert "real boards" not in found


def test_own_session_comes_from_real_boards_only() -> None:
    lines = [line(1, "60-40"), line(1, "+100", board=5), line(2, "+0", board=5), line(2, "-50")]
    scorer = Scorer()
    for each in lines:
        scorer.put(each)
    real = real_boards(scorer.travellers())
    assert real[Contestant("A", 1)] == RealBoards(20000, 20000, 1)
    found = BoardArithmetic(scorer.traveller(BOARD), Method.MATCHPOINTS, WBF, real).of_result(
        ("A", 1, 1, BOARD)
    )
    assert found.steps[0] == (
        "N-S: 60 % of a top of 2 = 1.2. The pair has 100 % on 1 real board, worth 2, which is better, so 2 counts."
    )
    points = scorer.traveller(BOARD).lines[0].ns
    assert points is not None
    assert points.points == 2


def test_award_in_imps_is_in_proportion() -> None:
    lines = [line(1, "45-55"), *plain(420, -50)]
    assert arithmetic(lines, method=Method.BUTLER_MEAN_3).steps == (
        "N-S: an award of 45 % is -1.5 IMPs (60 % is 3).",
        "E-W: an award of 55 % is 1.5 IMPs (60 % is 3).",
    )


@pytest.mark.parametrize(
    ("text", "words"), [("NP", "Not played"), ("Cancelled", "Cancelled"), ("Arbitral", "pending")]
)
def test_result_that_does_not_count_says_so_once(text: str, words: str) -> None:
    (step,) = arithmetic([line(1, text), *plain(420, -50)]).steps
    assert words in step


def test_fouled_board_is_compared_in_groups() -> None:
    other = [line(table, f"{score:+}", version="B") for table, score in ((6, 100), (7, 50), (8, -50))]
    lines = [*plain(500, 400, 300, 200, 100, first=1), *other]
    for rules, points in ((EBU, ["12.3333", "7", "1.6667"]), (ACBL, ["9.8", "8.4", "7"])):
        found = BoardArithmetic(scored(lines, rules=rules), Method.MATCHPOINTS, rules, {}).of_versions()
        assert [chart.title for chart in found.charts] == ["Cards as dealt: 5 scores", "Cards B: 3 scores"]
        assert [row.points for row in found.charts[1].rows] == points
        assert f"({rules.name})" in found.steps[0]
    fixed = arithmetic(lines, table=6, rules=ACBL).steps
    assert "N-S: 70 % of a top of 14 = 9.8." in fixed


def test_award_for_one_side_of_a_table_in_a_group_of_a_fouled_board() -> None:
    other = [
        line(6, WEIGHTED, version="B"),
        line(7, "60-60", "+50", version="B"),
        line(8, "-50", version="B"),
    ]
    lines = [*plain(500, 400, 300, 200, 100, first=1), *other]
    for rules in (EBU, ACBL):
        traveller = scored(lines, rules=rules)
        steps = BoardArithmetic(traveller, Method.MATCHPOINTS, rules, {}).of_result(("A", 7, 1, BOARD)).steps
        (points,) = (each.ew for each in traveller.lines if each.line.table == 7)
        assert points is not None
        assert steps[-1].endswith(f"{figure(points.points)}."), (rules.name, steps)


def test_match_of_teams() -> None:
    one, two = Contestant("", 1), Contestant("", 2)
    lines = [
        Line(1, one, two, Outcome.parse("60 % of +430, 40 % of -50"), table=1, round=1),
        Line(1, two, one, Outcome.parse("+0"), table=2, round=1),
    ]
    (match,) = score(lines, Method.TEAM_IMPS).matches
    assert match_steps(match, 1, Method.TEAM_IMPS, WBF) == (
        "Team 1: in IMPs +430 is 10, -50 is -2. 60 % of 10 + 40 % of -2 = 5.2.",
        "Team 2: in IMPs -430 is -10, +50 is 2. 60 % of -10 + 40 % of 2 = -5.2.",
    )


@pytest.mark.parametrize(
    "method", [Method.MATCHPOINTS, Method.CROSS_IMPS, Method.CROSS_IMPS_AVERAGE, Method.BUTLER_MEAN]
)
@pytest.mark.parametrize("expected", [6, 9])
def test_steps_end_in_the_points_of_the_scorer(method: Method, expected: int) -> None:
    lines = [
        line(1, WEIGHTED, "25 % of +100, 75 % of -300"),
        *plain(650, 170, -200, -200),
        line(6, "50 % of +170, 50 % of +650"),
    ]
    traveller = scored(lines, method, expected=expected if method is Method.MATCHPOINTS else None)
    for number in (1, 6):
        found = BoardArithmetic(traveller, method, WBF, {}).of_result(("A", number, 1, BOARD))
        own = next(each for each in traveller.lines if each.line.table == number)
        assert own.ew is not None
        last = found.steps[-1].rstrip(".").rpartition(" ")[2]
        assert abs(Fraction(last) - Fraction(own.ew.units, 10_000)) <= Fraction(1, 10_000)
