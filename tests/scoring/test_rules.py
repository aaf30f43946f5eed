import json
import re
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction

import pytest

from overtrick.bridge import Outcome, Side
from overtrick.errors import BadInput
from overtrick.scoring import (
    RULE_SETS,
    UNIT,
    Contestant,
    Datum,
    Line,
    Method,
    Options,
    Scale,
    ScaleTable,
    Scorer,
    ScoringRules,
    SmallGroups,
    Ties,
    Unequal,
    parse_rules,
    parse_scale,
    rule_set,
    score,
    victory_points,
)
from overtrick.scoring.master_points import parse_scheme
from overtrick.scoring.pages import write_pages
from overtrick.scoring.pbn import write_results
from overtrick.scoring.plain import write_json
from overtrick.scoring.publication import announcement
from overtrick.scoring.ranking import Tally, rank
from overtrick.scoring.report import Report, ReportRuling, RulingKind
from overtrick.scoring.rules import describe
from overtrick.scoring.series import parse_series
from overtrick.scoring.toml_values import parse_toml, quoted
from overtrick.scoring.usebio import write_usebio
from overtrick.scoring.vps import PERCENTAGES


def test_a_rule_set_of_ones_own_names_what_is_different() -> None:
    rules = parse_rules(
        """
        name = "Tuesday"
        based_on = "ACBL"
        method = "butler-mean"
        unequal = "own-top"
        better_average = false
        average_plus_imps = 2.5
        datum = "extremes"
        sit_out_vps = 11
        decimals = 1
        ties = "published"

        [vp_scale]
        name = "Three boards"
        [[vp_scale.match]]
        boards = 3
        rows = [[0, 10, 10], [1, 11, 9]]
        """
    )
    assert rules.small_groups is SmallGroups.ACBL
    assert rules.method is Method.BUTLER_MEAN
    assert (describe(rules)["method"], describe(RULE_SETS["WBF"])["method"]) == ("butler-mean", "any")
    assert (rules.unequal, rules.datum, rules.ties) == (Unequal.OWN_TOP, Datum.EXTREMES, Ties.PUBLISHED)
    assert (rules.better_average, rules.average_plus_imps, rules.sit_out_vps) == (
        False,
        Decimal("2.5"),
        Decimal(11),
    )
    assert isinstance(rules.vp_scale, ScaleTable)
    assert describe(rules)["vp_scale"] == "Three boards"
    assert describe(rules)["better_average"] == "no"


def test_every_choice_can_be_said_in_a_file() -> None:
    for name, rules in RULE_SETS.items():
        assert rule_set(name.lower()) is rules
        said = describe(rules)
        words = [
            f"{key} = {value if key in ('sit_out_vps', 'decimals', 'imp_decimals') else repr(value)}"
            for key, value in said.items()
            if value not in ("as the method says", "any", "yes", "no") and key != "name"
        ]
        again = parse_rules("\n".join(["name = 'x'", *words]))
        assert {**describe(again), "name": name} == said


NOT_READ = [f"a = {'9' * 5000}", "a = 1e99999999999999999999", f"a = {'[' * 5000}"]
"""Texts in TOML with a number of too many digits, a too large exponent and too many brackets."""


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("unequal = 'neuberg'", "has a name"),
        ("name = 'EBU'", "built in"),
        ("name = 'a'\nbased_on = 'XYZ'", "no rule set 'XYZ'"),
        ("name = 'a'\nbased_on = 3", "no rule set"),
        ("name = 'a'\nunequal = 'half'", "neuberg, factor, own-top"),
        ("name = 'a'\nbetter_average = 1", "true or false"),
        ("name = 'a'\nsit_out_vps = 'twelve'", "a number"),
        ("name = 'a'\nsit_out_vps = nan", "a number"),
        ("name = 'a'\ndecimals = 9", "0 to 4"),
        ("name = 'a'\nmethod = 'total points'", "no method of scoring 'total points'"),
        ("name = 'a'\nmethod = true", "the name or the number of a scoring method"),
        ("name = 'a'\nvp_scale = 'steep'", "continuous"),
        ("name = 'a'\nrounding = 2", "has no 'rounding'"),
        ("name = ", "cannot be read"),
        ("name = 'a'\ndecimals = 2.0", "whole number"),
        ("name = 'a'\nsit_out_vps = 1e-99999", "a number from 0 to 100"),
        *((text, "cannot be read") for text in NOT_READ),
    ],
)
def test_invalid_rule_set_is_refused(text: str, words: str) -> None:
    with pytest.raises(BadInput, match=words):
        parse_rules(text)


@pytest.mark.parametrize("parse", [parse_scale, parse_series, parse_scheme])
@pytest.mark.parametrize("text", NOT_READ)
def test_no_description_in_toml_raises_another_error(parse: Callable[[str], object], text: str) -> None:
    with pytest.raises(BadInput, match="cannot be read"):
        parse(text)


@pytest.mark.parametrize("name", ['"A" \\ B', "Élite", "tab\t", "delete\x7f"])
def test_every_name_is_read_back(name: str) -> None:
    assert parse_toml(f"name = {quoted(name)}", "It") == {"name": name}


def test_ties_are_exact_or_as_published() -> None:
    one, two = Contestant("", 1), Contestant("", 2)
    tallies = [Tally(one, Fraction(500_001, 10), 100_000), Tally(two, 50_000, 100_000)]
    assert [standing.rank for standing in rank(tallies)] == [1, 2]
    assert [standing.rank for standing in rank(tallies, rules=ScoringRules(ties=Ties.PUBLISHED))] == [1, 1]
    imps = [Tally(one, 12_341), Tally(two, 12_350)]
    assert [standing.rank_text for standing in rank(imps)] == ["1", "2"]
    assert [
        standing.rank_text for standing in rank(imps, rules=ScoringRules(ties=Ties.PUBLISHED, decimals=1))
    ] == ["1=", "1="]


def test_report_says_that_the_scale_of_its_rules_is_not_used() -> None:
    # A scoring program can change the method after the rules were chosen.
    rules = ScoringRules("Club", vp_scale=PERCENTAGES)
    one, two = Contestant("", 1), Contestant("", 2)
    lines = [
        Line(1, one, two, Outcome.parse("4SN="), table=1),
        Line(1, two, one, Outcome.parse("Pass"), table=2),
    ]
    report = Report("Teams", score(lines, Method.VPS_DISCRETE, options=Options(rules)))
    assert report.rules_title == (
        "Club. The table 'percentages' is in per cent, but vps-discrete gives victory points for IMPs. It is not used"
    )
    assert "It is not used" in write_pages(report)["index.html"]


def cells(page: str) -> set[str]:
    return set(re.findall(r">\s*([^<>]*?)\s*<", page))


@pytest.mark.parametrize(
    ("decimals", "share", "total", "on_board"),
    [(0, "89", "11", "6"), (1, "88.9", "10.7", "5.7"), (4, "88.8889", "10.6667", "5.6667")],
)
def test_every_format_prints_the_decimals_of_the_rule_set(
    decimals: int, share: str, total: str, on_board: str
) -> None:
    results = {1: ("4SN=", "4SN=", "3NTN=", "4SN-1"), 2: ("4SN=", "4SN-1", "3NTN=", "NP")}
    lines = [
        Line(
            *(board, Contestant("A", table, Side.NS), Contestant("A", table, Side.EW), Outcome.parse(text)),
            section="A",
            table=table,
        )
        for board, texts in results.items()
        for table, text in enumerate(texts, 1)
    ]
    winners = Contestant("A", 1, Side.NS)
    rulings = (ReportRuling(RulingKind.RESULT, "4♠ N =", "", 2, (winners,), lines[4]),)
    report = Report("Monday", score(lines, options=Options(ScoringRules(decimals=decimals))), rulings=rulings)
    pages = write_pages(report)
    assert {share, total} <= cells(pages["index.html"])
    assert f"Rank 1 with {total} MP ({share}%)" in " ".join(pages["card-A1-ns.html"].split())
    assert f"{share} %" in pages["summary.html"]
    assert on_board in cells(pages["board-2.html"])
    assert f"1. A1 NS, {share} %" in announcement([(report, "")], "")
    assert f"<PERCENTAGE>{share}</PERCENTAGE>" in write_usebio(report)
    pbn = write_results(report).decode().split()
    assert {share, total, on_board} <= set(pbn)
    assert f"(A1 NS {on_board} of 6" in json.loads(write_json(report))["rulings"][0]["text"]


def test_thirds_tie_exactly() -> None:
    # Three boards worth a third each are as much as one whole matchpoint: rounding each board would break the tie.
    one, two = Contestant("", 1), Contestant("", 2)
    thirds = sum((Fraction(10_000, 3) for _ in range(3)), Fraction(0))
    assert [standing.rank for standing in rank([Tally(one, thirds), Tally(two, 10_000)])] == [1, 1]


def test_a_scorer_ranks_by_its_rule_set() -> None:
    lines = [
        Line(1, Contestant("", n), Contestant("", 10 + n), Outcome.parse(outcome), table=n)
        for n, outcome in enumerate(("4SN=", "4SN=", "4SN-1"), 1)
    ]
    scorer = Scorer(options=Options(ScoringRules(ties=Ties.PUBLISHED, vp_scale=Scale.DISCRETE)))
    for line in lines:
        scorer.put(line)
    assert scorer.rankings()[0].standings[0].percentage == 100


BOARD = ("+650", "+620", "+170", "-200", "-500", "+650", "+100", "-100")
"""The board that `docs/explanation/scoring.md` works for each rule set."""


@pytest.mark.parametrize(
    ("rules", "three", "single", "vps"),
    [
        ("WBF", [12.3333, 7, 1.6667], 7, 13.78),
        ("ACBL", [9.8, 8.4, 7], 8.4, 13.78),
        ("EBU", [12.3333, 7, 1.6667], 8.4, 14),
        ("NZ", [12.3333, 7, 1.6667], 8.4, 13.78),
    ],
)
def test_the_worked_board_of_each_rule_set(rules: str, three: list[float], single: float, vps: float) -> None:
    def points(usual: int) -> list[tuple[float, float]]:
        lines = [
            Line(
                *(2, Contestant("A", table), Contestant("A", table + 100), Outcome.parse(text)),
                table=table,
                version="" if table <= usual else "other",
            )
            for table, text in enumerate(BOARD, 1)
        ]
        (traveller,) = score(lines, options=Options(rule_set(rules))).travellers
        found = sorted(traveller.lines, key=lambda scored: scored.line.table)
        return [(round(one.ns.points, 4), round(one.ew.points, 4)) for one in found if one.ns and one.ew]

    assert [ns for ns, _ in points(5)] == [13.4, 10.2, 7, 3.8, 0.6, *three]
    assert points(7)[-1] == (single, single)
    assert victory_points(rule_set(rules).vp_scale, 10, 8).own == vps * UNIT
