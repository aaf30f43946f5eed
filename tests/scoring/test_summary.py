"""Small evenings whose summaries are known."""

import random
from collections.abc import Sequence
from dataclasses import replace

from overtrick.bridge import Deal, Outcome, Side, Strain, Tricks
from overtrick.scoring import Adjustment, Contestant, Extras, Line, Method, score
from overtrick.scoring.report import Report, ReportDeal
from overtrick.scoring.summary import SideOfBoard, summarise

from .reports import pair, ruled_report, teams_report

ONLY_SPADES = Tricks.parse("4c4444c44494949" + "49494")
"""Twelve tricks in spades for North-South, and nine in spades and diamonds for East-West."""


def evening(
    boards: Sequence[Sequence[str]],
    method: Method = Method.MATCHPOINTS,
    tricks: Tricks | None = None,
    extras: Extras | None = None,
) -> Report:
    """Return a report of two-winner pairs, a board in each round; the pairs keep their tables."""
    lines = [
        Line(
            *(board, pair(table, Side.NS), pair(table, Side.EW), Outcome.parse(outcome)),
            section="A",
            table=table,
            round=board,
        )
        for board, outcomes in enumerate(boards, 1)
        for table, outcome in enumerate(outcomes, 1)
    ]
    deal = Deal.dealt_by(random.Random(1))
    hands = {("", board): ReportDeal(deal, tricks) for board in range(1, len(boards) + 1)} if tricks else {}
    return Report("Evening", score(lines, method, extras=extras), hands=hands)


def told(one: SideOfBoard) -> tuple[int, str, int]:
    return one.line.board, str(one.contestants[0]), one.table_score


def test_empty_evening_has_an_empty_summary() -> None:
    summary = summarise(evening([]))
    assert (summary.winners, summary.best, summary.swings, summary.slams, summary.leads) == ((),) * 5


def test_winners_are_those_of_each_ranking_with_ties() -> None:
    summary = summarise(evening([["1NTN=", "1NTN=", "1NTN-1"]]))
    assert [[str(each.contestant) for each in winners] for _, winners in summary.winners] == [
        ["A1 NS", "A2 NS"],
        ["A3 EW"],
    ]


def test_best_score_of_equal_tops_is_the_furthest_above_the_field() -> None:
    summary = summarise(evening([["1NTN=", "1NTN-1", "1NTN-1"], ["7NTN=", "1NTN-1", "1NTN-1"]]))
    assert [told(one) for one in summary.best] == [(2, "A1 NS", 2220), (1, "A1 NS", 90), (2, "A2 EW", 100)]


def test_awards_and_boards_of_one_table_are_not_best_scores() -> None:
    assert summarise(evening([["7NTN="]])).best == ()
    assert [told(one) for one in summarise(evening([["60-40", "1NTN=", "1NTN-1"]])).best] == [
        (1, "A2 NS", 90),
        (1, "A3 EW", 50),
    ]


def test_largest_swing_is_counted_in_imps_between_the_best_results_of_both_sides() -> None:
    summary = summarise(evening([["1NTN=", "1NTN=", "1NTN="], ["4SxE-3", "4SxE=", "Pass"]]))
    (swing,) = summary.swings
    assert (told(swing.ns), told(swing.ew), swing.imps) == ((2, "A1 NS", 500), (2, "A2 EW", 590), 14)


def test_slam_counts_tables_that_bid_made_and_missed_it() -> None:
    report = evening([["6SN=", "6SN-1", "4SS+2", "Pass", "NP"]], tricks=ONLY_SPADES)
    (slam,) = summarise(report).slams
    assert (slam.side, slam.bid, slam.made, slam.makeable, slam.missed) == (
        Side.NS,
        2,
        1,
        (Strain.SPADES,),
        2,
    )
    (known,) = summarise(replace(report, hands={})).slams
    assert (known.bid, known.made, known.makeable, known.missed) == (2, 1, (), 0)
    assert summarise(evening([["4SN=", "Pass"]])).slams == ()


def test_best_defence_beats_a_contract_that_double_dummy_makes() -> None:
    report = evening([["6SN-1", "4SN-2", "6SN=", "6HN-8"]], tricks=ONLY_SPADES)
    assert [(told(one.defenders), one.gained) for one in summarise(report).defence] == [
        ((1, "A2 EW", 100), 4),
        ((1, "A1 EW", 50), 1),
    ]


def test_lead_changes_hands_when_another_pair_is_ahead_after_a_round() -> None:
    boards = [["1NTN=", "1NTN-1"], ["1NTN-1", "1NTN="], ["1NTN-1", "1NTN="]]
    ns, ew = summarise(evening(boards)).leads
    assert ns.rounds == (1, 2, 3)
    assert [[str(who) for who in leaders] for leaders in ns.leaders] == [
        ["A1 NS"],
        ["A2 NS", "A1 NS"],
        ["A2 NS"],
    ]
    assert [[str(who) for who in holders] for holders in ns.holders] == [["A1 NS"], ["A2 NS"]]
    assert [round(value or 0) for value in ns.values[Contestant("A", 2, Side.NS)]] == [0, 50, 67]
    assert len(ew.holders) == 2
    (first, _) = summarise(evening([["1NTN=", "1NTN-1"], ["1NTN-1", "4NTN="]], Method.CROSS_IMPS)).leads
    assert len(first.holders) == 2


def test_lead_is_not_reported_while_boards_are_not_published() -> None:
    report = evening([["1NTN=", "1NTN-1"], ["1NTN-1", "1NTN="], ["1NTN-1", "1NTN="]])
    partly = replace(report, scored=replace(report.scored, travellers=report.scored.travellers[:2]))
    assert len(summarise(report).leads) == 2
    assert summarise(partly).leads == ()


def test_pair_that_sits_out_keeps_its_value() -> None:
    report = evening([["1NTN=", "1NTN-1", "1NTN="], ["1NTN-1", "1NTN=", "NP"], ["1NTN-1", "1NTN=", "1NTN="]])
    (ns, _) = summarise(report).leads
    values = ns.values[Contestant("A", 3, Side.NS)]
    assert values[0] == values[1] is not None


def test_adjusted_and_ruled_evenings_and_teams_have_summaries() -> None:
    summarise(evening([["1NTN=", "NP"]], extras=Extras(adjustments=[Adjustment(pair(1, Side.NS), -1)])))
    for report in (ruled_report(), teams_report(), teams_report(Method.PATTON)):
        assert summarise(report).winners
