"""Results against par, by the role of each player."""

import random

from overtrick.bridge import Deal, Outcome, Side, Tricks
from overtrick.scoring import Contestant, Line, score
from overtrick.scoring.card_summary import role_results
from overtrick.scoring.pages import card_rounds
from overtrick.scoring.report import Report, ReportDeal, ReportPlayer

NINE = Tricks((9,) * 10 + (4,) * 10)
"""North and East win nine tricks in everything, South and West four."""
ONE, TWO, THREE, FOUR = (Contestant("A", number) for number in (1, 2, 3, 4))


def report(*outcomes: str, has_deals: bool = True, names: tuple[str, ...] = ("Ann", "Bo")) -> Report:
    lines = [
        Line(board, ONE, TWO, Outcome.parse(text), section="A", table=1, round=(board + 1) // 2)
        for board, text in enumerate(outcomes, 1)
    ]
    hands = {
        ("", board): ReportDeal(Deal.dealt_by(random.Random(board)), NINE, "NS 400", "3NT North =")
        for board in range(1, len(outcomes) + 1)
        if has_deals
    }
    players = {ONE: tuple(ReportPlayer(name) for name in names)}
    return Report("Roles", score(lines), hands=hands, players=players)


def results(report: Report, who: Contestant) -> list[tuple[str, int, int, int, float | None]]:
    found = role_results(report, who, report.score_cards()[who])
    return [(each.role, each.boards, each.compared, each.tricks, each.average_imps) for each in found]


def test_each_player_of_a_pair_declares_and_is_dummy_and_both_defend() -> None:
    # Par is 400. Board 2: -100 (vulnerable) is 11 IMPs below it. Board 4: 200 instead of 400 is 5 IMPs below it.
    played = report("3NTN=", "3NTN-1", "3NTS=", "3NTW-2", "Pass", "60-40")
    assert results(played, ONE) == [
        ("Ann declarer, Bo dummy", 2, 2, -1, -5.5),
        ("Bo declarer, Ann dummy", 1, 1, 5, 0.0),
        ("Defending", 1, 1, -3, -5.0),
    ]


def test_declarer_and_defenders_have_opposite_figures() -> None:
    played = report("3NTN-1", "3NTE+1")
    own, theirs = results(played, ONE), results(played, TWO)
    assert [(role[3], role[4]) for role in own] == [(-role[3], -(role[4] or 0)) for role in reversed(theirs)]


def test_without_names_the_seats_are_named_and_without_deals_nothing_is_compared() -> None:
    played = report("3NTN=", "3NTE=", has_deals=False, names=())
    assert results(played, ONE) == [
        ("North or East declarer, partner dummy", 1, 0, 0, None),
        ("Defending", 1, 0, 0, None),
    ]


def test_a_player_of_an_individual_is_declarer_dummy_or_defender() -> None:
    lines = [
        Line(board, ONE, TWO, Outcome.parse(text), section="A", table=1, round=1, south=THREE, west=FOUR)
        for board, text in enumerate(("3NTN=", "3NTS=", "3NTE="), 1)
    ]
    played = Report("Individual", score(lines))
    assert [role[0] for role in results(played, ONE)] == ["Declarer", "Dummy", "Defending"]
    assert sorted(role[:2] for role in results(played, FOUR)) == [("Defending", 2), ("Dummy", 1)]


def test_a_card_is_grouped_by_round_with_the_percentage_of_each() -> None:
    lines = [
        Line(board, *pairs, Outcome.parse(text), section="A", table=table, round=(board + 1) // 2)
        for board, texts in enumerate((("3NTN=", "3NTN-1"), ("3NTN-1", "3NTN="), ("3NTN=", "Pass")), 1)
        for table, (pairs, text) in enumerate(zip(((ONE, TWO), (THREE, FOUR)), texts, strict=True), 1)
    ]
    played = Report("Rounds", score(lines))
    first, second = card_rounds(played.score_cards()[ONE])
    assert (first.round, len(first.lines), first.opponents, first.percentage) == (1, 2, (TWO,), 50.0)
    assert (second.round, second.percentage, second.points) == (2, 100.0, 2.0)
    assert second.lines[0].side is Side.NS
