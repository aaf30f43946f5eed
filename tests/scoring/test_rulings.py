"""Rulings to the last digit: weighted and split scores, fouled boards, awards."""

import json
from collections.abc import Iterable
from decimal import Decimal
from fractions import Fraction

import pytest

from overtrick.bridge import Outcome, Side
from overtrick.bridge.pbn import read_pbn
from overtrick.errors import BadInput
from overtrick.scoring import (
    RULE_SETS,
    UNIT,
    Adjustment,
    Contestant,
    Datum,
    Extras,
    Line,
    Method,
    Options,
    ScoredTraveller,
    Scorer,
    ScoringRules,
    Standing,
    Unequal,
    score,
    score_matches,
)
from overtrick.scoring.boards import award_units
from overtrick.scoring.imps import datum
from overtrick.scoring.matchpoints import board_top
from overtrick.scoring.pages import write_pages
from overtrick.scoring.pbn import read_results, write_results
from overtrick.scoring.plain import write_json
from overtrick.scoring.report import Report, frequencies
from overtrick.scoring.usebio import write_usebio
from tests.scoring.reports import split_report

BOTH_VULNERABLE, NONE_VULNERABLE = 4, 1
# Board 4, East-West and North-South vulnerable: +650, -100, +170, -200, -500.
SCORES_OF_BOARD_4 = {650: "4SN+1", 170: "3SN+1", -100: "4SN-1", -200: "4SN-2", -500: "4SxN-2"}
# Board 1, nobody vulnerable.
SCORES_OF_BOARD_1 = {
    420: "4SN=", 170: "3SN+1", 140: "3SN=", -50: "4SN-1", -100: "4SN-2", 110: "2SN=", 90: "1NTN=",
    400: "3NTN=", 430: "3NTN+1", 460: "3NTN+2",
}  # fmt: skip


def pair(number: int, side: Side) -> Contestant:
    return Contestant("", number, side)


def line(
    board: int, table: int, outcome: str | int, ew_outcome: str | int | None = None, version: str = ""
) -> Line:
    scores = SCORES_OF_BOARD_4 if board == BOTH_VULNERABLE else SCORES_OF_BOARD_1

    def parsed(text: str | int) -> Outcome:
        return Outcome.parse(scores[text] if isinstance(text, int) else text)

    return Line(
        board,
        pair(table, Side.NS),
        pair(table, Side.EW),
        parsed(outcome),
        None if ew_outcome is None else parsed(ew_outcome),
        table=table,
        round=board,
        version=version,
    )


def points(
    lines: list[Line],
    method: str = "matchpoints",
    rules: ScoringRules | None = None,
    expected: int | None = None,
    side: Side = Side.NS,
) -> list[float | None]:
    scorer = Scorer(Method.of(method), Options(rules or ScoringRules(), expected))
    for one in lines:
        scorer.put(one)
    (traveller,) = scorer.travellers()
    return [
        None if (won := scored.score(side)) is None else round(won.points, 4) for scored in traveller.lines
    ]


WEIGHTED = "30 % of 4SN+1, 70 % of 4SN-1"


def weighted_board() -> list[Line]:
    others = [650, 170, -200, -200, -500]
    return [
        line(BOTH_VULNERABLE, 1, WEIGHTED),
        *(line(BOTH_VULNERABLE, n, score) for n, score in enumerate(others, 2)),
    ]


def test_weighted_matchpoints() -> None:
    assert points(weighted_board()) == [6.9, 9.7, 7.4, 3, 3, 0]
    assert sum(each or 0 for each in points(weighted_board())) == 30
    assert points(weighted_board(), side=Side.EW) == [3.1, 0.3, 2.6, 7, 7, 10]


def test_weighted_matchpoints_of_seven_tables_with_six_real() -> None:
    lines = [*weighted_board(), line(BOTH_VULNERABLE, 7, "NP")]
    assert points(lines)[0] == 8.2167
    assert points(weighted_board(), expected=7)[0] == 8.2167


CROSS: list[str | int] = ["60 % of 4SN=, 40 % of 4SN-1", 420, 420, -50, 170]


def test_weighted_cross_imps() -> None:
    lines = [line(1, n, score) for n, score in enumerate(CROSS, 1)]
    assert points(lines, "cross-imps") == [-0.8, 20, 20, -32, -7.2]
    assert points(lines, "cross-imps-average") == [-0.2, 5, 5, -8, -1.8]
    assert points(lines, "cross-imps", side=Side.EW) == [0.8, -20, -20, 32, 7.2]


def test_weighted_butler() -> None:
    counts: dict[int, int | Fraction] = {420: 2 + Fraction("0.6"), -50: 1 + Fraction("0.4"), 170: 1}
    assert datum(counts) == 240
    assert datum(counts, Datum.EXTREMES) == 270
    lines = [line(1, n, score) for n, score in enumerate(CROSS, 1)]
    assert points(lines, "butler-mean") == [0.2, 5, 5, -7, -2]
    extremes = ScoringRules(datum=Datum.EXTREMES)
    assert points(lines, "butler-mean", extremes) == [pytest.approx(0.6 * 4 - 0.4 * 8), 4, 4, -8, -3]


def test_the_best_and_the_worst_are_dropped_of_four_and_of_three_but_not_of_two() -> None:
    assert datum({600: 1, 100: 1, 80: 1, -300: 1}, Datum.EXTREMES) == 90
    assert datum({600: 1, 80: 1, -300: 1}, Datum.EXTREMES) == 80
    assert datum({600: 1, -300: 1}, Datum.EXTREMES) == 150


def test_two_weighted_tables_count_by_the_product_of_their_weights() -> None:
    lines = [
        line(1, 1, "50 % of 4SN=, 50 % of 4SN-1"),  # 420, -50
        line(1, 2, "25 % of 4SN=, 75 % of 3SN+1"),  # 420, 170
    ]
    # Table 1 wins against 170 with 420 (½ × ¾) and ties at 420 (½ × ¼); -50 loses.
    assert points(lines) == [2 * 0.375 + 0.125, 2 - 0.875]
    assert points(lines, "cross-imps")[0] == pytest.approx(0.375 * 6 - 0.5 * (0.25 * 10 + 0.75 * 6))


def test_a_split_score_with_neuberg() -> None:
    lines = [
        *(line(1, n, score) for n, score in enumerate([420, 170, 140, -50], 1)),
        line(1, 5, -100, 140),
        line(1, 6, "60-40"),
    ]
    assert points(lines) == [9.8, 7.4, 5, 2.6, 0.2, 6]
    assert points(lines, side=Side.EW) == [0.2, 2.6, 6.2, 9.8, 6.2, 4]


def test_a_weighted_score_for_one_side_alone() -> None:
    lines = [line(1, 1, 420, "50 % of 4SN=, 50 % of 4SN-1"), line(1, 2, 170)]
    assert points(lines) == [2, 0]
    assert points(lines, side=Side.EW) == [1, 1]


def fouled(first: int, second: int) -> list[Line]:
    scores = [460, 430, 420, 400, 170, 140, 110, 90, -50, -100]
    lines = [line(1, n, scores[n - 1]) for n in range(1, first + 1)]
    return [
        *lines,
        *(line(1, first + n, scores[n - 1], version="arrows turned") for n in range(1, second + 1)),
    ]


SEVEN = [17.5714, 14.7143, 11.8571, 9, 6.1429, 3.2857, 0.4286]


@pytest.mark.parametrize("rules", ["EBU", "ACBL"])
def test_a_fouled_board_of_ten_tables(rules: str) -> None:
    board = fouled(7, 3)
    assert points(board, rules=RULE_SETS[rules]) == [*SEVEN, 12.6, 10.8, 9]
    # Both sides of a small group are compensated: the best of East-West has 70 per cent as well.
    assert points(board, rules=RULE_SETS[rules], side=Side.EW)[7:] == [9, 10.8, 12.6]


def test_a_fouled_board_of_eight_tables() -> None:
    five = [13.4, 10.2, 7, 3.8, 0.6]
    assert points(fouled(5, 3), rules=RULE_SETS["EBU"]) == [*five, 12.3333, 7, 1.6667]
    assert points(fouled(5, 3), rules=RULE_SETS["ACBL"]) == [*five, 9.8, 8.4, 7]


def test_three_of_five_are_the_larger_group() -> None:
    # Of top 8: Neuberg's formula for three, 65 and 55 per cent for two (ACBL); two of five are more than a third (EBU).
    assert points(fouled(3, 2), rules=RULE_SETS["ACBL"]) == [7.3333, 4, 0.6667, 5.2, 4.4]
    assert points(fouled(3, 2), rules=RULE_SETS["EBU"]) == [7.3333, 4, 0.6667, 6.5, 1.5]


def test_a_tie_in_a_small_group() -> None:
    board = [*fouled(8, 0), line(1, 9, 420, version="b"), line(1, 10, 420, version="b")]
    assert points(board, rules=RULE_SETS["EBU"])[8:] == [10.8, 10.8]


def test_one_score_alone_is_an_award_or_60() -> None:
    assert points(fouled(9, 1), rules=RULE_SETS["ACBL"])[9] == 10.8
    assert points(fouled(9, 1), rules=RULE_SETS["EBU"])[9] == 10.8


@pytest.mark.parametrize(("rules", "percentage"), [("EBU", 100), ("ACBL", 80)])
def test_the_award_for_one_score_alone_is_an_average_plus(rules: str, percentage: float) -> None:
    scorer = Scorer(options=Options(RULE_SETS[rules]))
    # Pair 10 has a top on its other board; by the EBU's rules that is what its award is worth.
    for one in [*fouled(9, 1), line(2, 10, 420), *(line(2, n, 170) for n in range(1, 10))]:
        scorer.put(one)
    standing = next(s for s in scorer.rankings()[0].standings if s.contestant.number == 10)
    assert standing.percentage == percentage


def test_imps_of_a_fouled_board_compare_within_a_group() -> None:
    assert points(fouled(2, 2), "cross-imps") == [1, -1, 1, -1]
    assert points(fouled(3, 1), "cross-imps", RULE_SETS["EBU"])[3] == 2
    assert points(fouled(3, 1), "cross-imps-3", RULE_SETS["EBU"])[3] == 3


@pytest.mark.parametrize(
    ("award", "own", "units"),
    [(60, "63", "6.3"), (60, "58", "6"), (55, "63", "5.5"), (40, "37", "3.7"), (40, "45", "4"), (50, "63", "5"),
     (45, "37", "4.5"), (70, "80", "7")],
)  # fmt: skip
def test_award_of_60_or_40_is_compared_with_the_own_session(award: int, own: str, units: str) -> None:
    assert award_units(award, 10 * UNIT, Fraction(own) / 100, ScoringRules()) == Fraction(units) * UNIT


def test_average_plus_of_a_session() -> None:
    others = ["1NTS-1", "1NTS-1", "1NTS-1", "1NTS=", "1NTS="]
    scorer = Scorer(options=Options(expected=6))
    for board in range(1, 26):
        # Worth 6 on 20 boards and 7.5 on 5: 157.5 of 250, 63 per cent.
        own = "Pass" if board <= 20 else "62.5 % of Pass, 37.5 % of 2NTS="
        for table, outcome in enumerate([own, *others], 1):
            scorer.put(line(board, table, outcome))

    def standing() -> Standing:
        return next(s for s in scorer.rankings()[0].standings if s.contestant.number == 1)

    assert (standing().points, standing().percentage) == (157.5, 63)
    scorer.put(line(26, 1, "60-40"))
    award = scorer.traveller(26).lines[0].ns
    assert award
    assert award.points == 6.3
    assert (standing().points, standing().top, standing().boards) == (163.8, 260 * UNIT, 26)


def test_awards_in_imps_are_in_proportion() -> None:
    assert award_units(45, 0, None, ScoringRules(), 3) == Fraction("-1.5") * UNIT
    assert award_units(60, 0, Fraction(4 * UNIT), ScoringRules(), 3) == 4 * UNIT
    assert award_units(60, 0, Fraction(2 * UNIT), ScoringRules(), 3) == 3 * UNIT
    assert award_units(40, 0, Fraction(-4 * UNIT), ScoringRules(), 3) == -4 * UNIT
    assert award_units(55, 0, Fraction(4 * UNIT), ScoringRules(), 3) == Fraction("1.5") * UNIT
    assert (
        award_units(60, 0, None, ScoringRules(average_plus_imps=Decimal("2.5")), 3) == Fraction("2.5") * UNIT
    )
    assert award_units(60, 0, Fraction(9 * UNIT), ScoringRules(better_average=False), 3) == 3 * UNIT


def teams(open_room: str, closed_room: str, open_ew: str | None = None) -> list[Line]:
    one, two = Contestant("", 1), Contestant("", 2)
    return [
        Line(
            1,
            one,
            two,
            Outcome.parse(open_room),
            Outcome.parse(open_ew) if open_ew else None,
            table=1,
            round=1,
        ),
        Line(1, two, one, Outcome.parse(closed_room), table=2, round=1),
    ]


def test_weighted_teams() -> None:
    # 60 per cent of +10 IMPs (420 against -50) and 40 per cent of -6 (-300 against -50).
    lines = teams("60 % of 4SN=, 40 % of 4SN-6", "4SN-1")
    (match,) = score_matches(lines, Method.TEAM_IMPS)
    assert [board.imp_units(3) for board in match.home.boards] == [int(Fraction("3.6") * UNIT)]
    assert (match.home.units, match.away.units) == (36_000, -36_000)
    (match,) = score_matches(lines, Method.VPS_DISCRETE, 8)
    assert match.home.units + match.away.units == 20 * UNIT
    assert match.home.units == 12 * UNIT  # as 4 IMPs; 3 IMPs are 11


def test_two_weighted_tables_of_a_match() -> None:
    (match,) = score_matches(
        teams("50 % of 4SN=, 50 % of 4SN-1", "20 % of 4SN=, 80 % of 4SN-1"), Method.TEAM_IMPS
    )
    assert match.home.units == int(Fraction("0.4") * 10 * UNIT - Fraction("0.1") * 10 * UNIT)


def test_non_balancing_scores_are_averaged_in_a_knock_out() -> None:
    # North-South are left with -50 (no swing), East-West with -420: home has 0, away -10.
    lines = teams("4SN-1", "4SN-1", "4SN=")
    (match,) = score_matches(lines, Method.TEAM_IMPS)
    assert (match.home.units, match.away.units) == (0, -10 * UNIT)
    (match,) = score_matches(lines, Method.TEAM_IMPS, is_knockout=True)
    assert (match.home.units, match.away.units) == (5 * UNIT, -5 * UNIT)
    assert (match.home.own_imps, match.away.their_imps) == (5 * UNIT, 5 * UNIT)
    awards = teams("60-60", "4SN-1")
    (match,) = score_matches(awards, Method.TEAM_IMPS, is_knockout=True)
    assert (match.home.units, match.away.units) == (0, 0)


def test_a_cancelled_board_counts_for_nobody() -> None:
    assert points([line(1, 1, "Cancelled"), line(1, 2, 420), line(1, 3, 170)]) == [None, 3.5, 0.5]


def test_each_board_by_its_own_top() -> None:
    rules = ScoringRules(unequal=Unequal.OWN_TOP)
    lines = [line(1, n, score) for n, score in enumerate([420, 170, 140], 1)]
    lines += [line(2, 1, 420), line(2, 2, 420), line(2, 3, "NP")]
    scorer = Scorer(options=Options(rules))
    for one in lines:
        scorer.put(one)
    first = scorer.rankings()[0].standings[0]
    assert (first.points, first.top, first.percentage) == (5, board_top(3) + board_top(2), 100 * 5 / 6)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("60 % of 4SN=, 30 % of 4SN-1", "they add up to 90"),
        ("100 % of 60-40", "no score"),
        ("50 % of 4SN=, 50 % of 4SN=", "once"),
        ("0 % of 4SN=, 100 % of Pass", "0.01 to 100"),
        ("33.333 % of 4SN=, 66.667 % of Pass", "not a result"),
    ],
)
def test_invalid_weighted_score_is_refused(text: str, words: str) -> None:
    with pytest.raises(BadInput, match=words):
        Outcome.parse(text)


def test_the_text_of_a_weighted_score() -> None:
    parsed = Outcome.parse("62.50% 4SN=,37.5%   of Pass")
    assert str(parsed) == "62.5 % of 4SN=, 37.5 % of Pass"
    assert Outcome.parse(str(parsed)) == parsed


def test_penalties_are_points_or_part_of_a_top() -> None:
    def adjusted(adjustment: Adjustment, method: str = "matchpoints", *, single: bool = False) -> float:
        scorer = Scorer(Method.of(method), Options(single_top=single))
        for one in weighted_board():
            scorer.put(one)
        standings = scorer.rankings(Extras(adjustments=[adjustment]))[0].standings
        return next(s.points for s in standings if s.contestant.number == 1)

    own = pair(1, Side.NS)
    assert adjusted(Adjustment(own, -10, "late", of_top=True)) == pytest.approx(6.9 - 1)
    assert adjusted(Adjustment(own, "12.5", "kind", of_top=True, board=4)) == pytest.approx(6.9 + 1.25)
    assert adjusted(Adjustment(own, -10, "late", of_top=True), single=True) == pytest.approx(3.45 - 0.5)
    assert adjusted(Adjustment(own, -2, "late")) == pytest.approx(4.9)
    with pytest.raises(BadInput, match="there is none"):
        adjusted(Adjustment(own, -10, of_top=True), "cross-imps")


def report() -> Report:
    rulings = [
        line(1, 1, "60 % of 4SN=, 40 % of 4SN-1"),
        line(1, 2, 420),
        line(1, 3, 170),
        line(1, 4, "50 % of 4SN=, 50 % of Pass", "Pass"),
        line(1, 5, "50 % of 4SN=, 50 % of 3SN+1", "50 % of Pass, 50 % of 4SN-1"),
        line(1, 6, "55-45"),
        line(1, 7, "Cancelled"),
        line(1, 8, "Pass", "50 % of Pass, 50 % of 4SN-1"),
    ]
    return Report("Rulings", score(rulings))


def test_a_weighted_score_adds_parts_to_the_frequencies() -> None:
    (traveller,) = report().scored.travellers
    # -50 and 0 are only parts of weighted scores: what they would be worth alone is nothing to publish.
    assert [(one.ns_score, one.times) for one in frequencies(traveller)] == [(420, Fraction(8, 5)), (170, 1)]
    (page,) = (text for name, text in write_pages(report()).items() if "<td>1.6</td>" in text)
    assert "60 % of 4" in page


def test_rulings_are_read_back_from_pbn() -> None:
    before = {line.table: line for traveller in report().scored.travellers for line in _lines(traveller)}
    results = read_results(read_pbn(write_results(report())), 2)
    after = {line.table: line for line in results.lines}
    assert not results.unread
    for table in range(1, 9):
        assert after[table].outcome == before[table].outcome
        assert after[table].ew_outcome == before[table].ew_outcome


def test_split_scores_are_read_back_from_pbn() -> None:
    def counted(lines: Iterable[Line]) -> list[tuple[object, ...]]:
        return [
            tuple(one.award_for(side) or str(one.outcome_for(side)) for side in Side)
            for one in sorted(lines, key=lambda line: line.table)
            if one.table != 5  # a score for one side and none for the other
        ]

    (traveller,) = split_report().scored.travellers
    results = read_results(read_pbn(write_results(split_report())), 1)
    assert counted(results.lines) == counted(_lines(traveller))


def _lines(traveller: ScoredTraveller) -> list[Line]:
    return [scored.line for scored in traveller.lines]


def test_rulings_in_json_and_usebio() -> None:
    document = json.loads(write_json(report()))
    assert document["rules"]["name"] == "WBF"
    (board,) = document["travellers"]
    assert board["lines"][0]["outcome"] == "60 % of 4SN=, 40 % of 4SN-1"
    assert "60 % of 4SN=, 40 % of 4SN-1" in write_usebio(report())
