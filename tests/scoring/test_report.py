import csv
import io
import json
from xml.etree import ElementTree

import pytest

from overtrick.bridge import Side
from overtrick.scoring import Method
from overtrick.scoring.plain import write_csv, write_json
from overtrick.scoring.report import Report, frequencies
from overtrick.scoring.usebio import write_usebio

from .reports import NASTY, pair, pairs_report, ruled_report, teams_report

EVERY = [pairs_report(method) for method in Method if not method.is_teams]
EVERY += [teams_report(method) for method in Method if method.is_teams]
EVERY += [pairs_report(two_winners=True)]


def test_a_score_card_runs_in_the_order_of_play() -> None:
    report = pairs_report()
    card = report.score_cards()[pair(1)]
    assert [(one.line.board, one.side) for one in card] == [(1, Side.NS), (2, Side.NS), (3, Side.NS)]
    assert [one.table_score for one in card] == [400, 0, -50]
    # 3NT= beats two of three with Neuberg at 4 scores; then the running percentage is that of all so far.
    assert card[0].score
    assert card[0].running == card[0].score.percentage
    standing = next(s for _, s in report.standings() if s.contestant == pair(1))
    assert card[-1].running == pytest.approx(standing.percentage)
    east_west = report.score_cards()[pair(7)]
    assert {one.side for one in east_west} == {Side.EW}
    assert report.name(pair(1)) == "Ann <b>A</b> – Łucja"
    assert report.name(pair(8)) == ""


def test_a_teams_card_counts_a_board_once() -> None:
    report = teams_report()
    card = next(iter(report.score_cards().values()))
    assert [one.line.board for one in card] == [1, 1, 2, 2, 3, 3]
    assert [one.running for one in card] == [10, 10, 9, 9, 12, 12]


def test_frequencies_leave_out_what_nobody_made() -> None:
    report = pairs_report()
    first, _, third = report.scored.travellers
    assert [(one.ns_score, one.times) for one in frequencies(first)] == [(430, 1), (400, 1), (300, 1)]
    assert [(one.ns_score, one.times) for one in frequencies(third)] == [(-50, 1), (-150, 1)]


def test_frequencies_of_a_fouled_board_are_those_of_each_deal() -> None:
    report = ruled_report()
    (traveller,) = report.scored.travellers
    assert [(one.ns_score, float(one.times), one.version) for one in frequencies(traveller)] == [
        (420, 1.6, ""),
        (50, 1, "turned"),
    ]


def test_json_has_what_is_promised() -> None:
    document = json.loads(write_json(pairs_report()))
    assert document["title"] == NASTY
    assert document["date"] == "2026-03-09"
    assert document["method"] == "matchpoints"
    first = document["ranking"][0]
    assert {"rank", "rank_max", "pair", "direction", "points", "percentage"} <= set(first)
    assert first["rank"] == 1
    assert first["direction"] is None
    assert [row["rank"] for row in document["ranking"]] == sorted(row["rank"] for row in document["ranking"])
    assert [traveller["board"] for traveller in document["travellers"]] == [1, 2, 3]
    award = document["travellers"][0]["lines"][3]
    assert (award["outcome"], award["ns_score"]) == ("60-40", None)
    assert award["ns_percentage"] >= 60
    assert award["ew_percentage"] <= 40
    not_played = document["travellers"][1]["lines"][2]
    assert (not_played["outcome"], not_played["ns_points"]) == ("NP", None)
    assert document["travellers"][2]["lines"][1]["ew_outcome"] == "2CS="
    assert document["rejected"] == ["section A, table 9, round 9, board 4: A1 cannot play against itself."]


def test_json_has_rules_rulings_and_no_rank_for_a_pair_without_standing() -> None:
    document = json.loads(write_json(ruled_report()))
    assert document["rules"]["name"] == "EBU"
    assert document["provisional_until"].startswith("2026-03-09T23:30:00")
    assert [(one["kind"], one["board"], one["appeal"]) for one in document["rulings"]] == [
        ("weighted score", 1, "pending"),
        ("fouled board", 1, ""),
        ("adjustment", None, ""),
        ("standing", None, ""),
    ]
    first = document["rulings"][0]
    assert (first["table"], first["round"], first["at_table"]) == (1, 1, "4♠ N =")
    assert "(A1 2.2 of 6, A5 3.8 of 6)" in first["text"]
    last = document["ranking"][-1]
    assert (last["pair"], last["rank"], last["rank_max"]) == (3, None, None)
    assert [line["version"] for line in document["travellers"][0]["lines"]] == ["", "", "turned", ""]
    assert write_csv(ruled_report()).splitlines()[-1].startswith(",,")


def test_usebio_has_rules_and_rulings_as_comments_and_no_place_without_standing() -> None:
    written = write_usebio(ruled_report())
    ElementTree.fromstring(written.encode())
    assert "<!-- Rules: EBU -->" in written
    assert "<!-- Provisional until 2026-03-09 23:30. An appeal is pending. -->" in written
    assert "At the table: 4♠ N =. Misinformation. Appeal pending. -->" in written
    assert "Turned - - twice- -. -->" in written
    places = {
        pair.findtext("PAIR_NUMBER"): pair.findtext("PLACE")
        for pair in ElementTree.fromstring(written.encode()).iter("PAIR")
    }
    assert places["3"] is None
    assert places["1"] is not None


def test_json_of_two_winners_and_of_teams() -> None:
    two = json.loads(write_json(pairs_report(two_winners=True)))
    assert {row["direction"] for row in two["ranking"]} == {"NS", "EW"}
    teams = json.loads(write_json(teams_report()))
    (match,) = teams["matches"]
    assert match["home"]["imps"] == 13
    assert match["home"]["imps_against"] == 1
    assert match["home"]["points"] + match["away"]["points"] == 20
    assert teams["ranking"][0]["percentage"] is None
    assert teams["ranking"][0]["name"] == "The <Ones>"


def test_csv_is_read_back_and_no_formula_survives() -> None:
    rows = list(csv.DictReader(io.StringIO(write_csv(pairs_report()))))
    assert len(rows) == 8
    names = {row["pair"]: row["name"] for row in rows}
    assert names["2"] == "'=cmd() – Bo"
    assert {row["pair"]: row["adjustment"] for row in rows}["2"] == "-1.0"
    assert sum(row["direction"] == "EW" for row in csv.DictReader(io.StringIO(write_csv(EVERY[-1])))) == 4


@pytest.mark.parametrize("report", EVERY, ids=lambda report: report.scored.method.value)
def test_every_method_is_written(report: Report) -> None:
    assert json.loads(write_json(report))["method"] == report.scored.method.value
    assert len(write_csv(report).splitlines()) == 1 + sum(1 for _ in report.standings())
    root = ElementTree.fromstring(write_usebio(report))
    assert root.tag == "USEBIO"


def test_usebio_of_pairs() -> None:
    text = write_usebio(pairs_report())
    assert '<!DOCTYPE USEBIO SYSTEM "usebio_v1_2.dtd">' in text
    root = ElementTree.fromstring(text)
    assert root.get("Version") == "1.2"
    assert root.findtext("CLUB/CLUB_NAME") == "Club & Co"
    event = root.find("EVENT")
    assert event is not None
    assert event.get("EVENT_TYPE") == "PAIRS"
    assert event.findtext("EVENT_DESCRIPTION") == NASTY
    assert event.findtext("DATE") == "09/03/2026"
    assert event.findtext("WINNER_TYPE") == "1"
    assert event.findtext("BOARD_SCORING_METHOD") == "MATCH_POINTS"
    entrants = event.findall("SESSION/SECTION/PARTICIPANTS/PAIR")
    assert [entrant.findtext("PAIR_NUMBER") for entrant in entrants] == list("12345678")
    assert entrants[0].findtext("PLAYER/NATIONAL_ID_NUMBER") == "100"
    assert entrants[1].findtext("ADJUSTMENT") == "-1"
    boards = event.findall("SESSION/SECTION/BOARD")
    assert [board.findtext("BOARD_NUMBER") for board in boards] == ["1", "2", "3"]
    assert [hand.findtext("DIRECTION") for hand in boards[0].findall("HAND")] == list("NESW")
    cards = "".join(
        hand.findtext(suit) or ""
        for hand in boards[0].findall("HAND")
        for suit in ("SPADES", "HEARTS", "DIAMONDS", "CLUBS")
    )
    assert len(cards) == 52
    said = [
        tuple(line.findtext(tag) for tag in ("CONTRACT", "PLAYED_BY", "TRICKS", "SCORE", "LEAD"))
        for line in boards[0].findall("TRAVELLER_LINE")
    ]
    assert said == [
        ("3NT", "N", "9", "400", "H10"),
        ("3NT", "N", "10", "430", ""),
        ("4SX", "E", "8", "300", ""),
        (None, None, None, "A6040", None),
    ]
    passed, *_, doubled = boards[1].findall("TRAVELLER_LINE")
    assert passed.findtext("CONTRACT") == "PASS"
    assert doubled.findtext("CONTRACT") == "6HXX"
    points = [
        float(line.findtext("NS_MATCH_POINTS") or 0) + float(line.findtext("EW_MATCH_POINTS") or 0)
        for line in boards[0].findall("TRAVELLER_LINE")
    ]
    assert points[:3] == pytest.approx([6, 6, 6])


def test_usebio_of_two_winners_and_of_teams() -> None:
    root = ElementTree.fromstring(write_usebio(pairs_report(two_winners=True)))
    assert root.findtext("EVENT/WINNER_TYPE") == "2"
    directions = [one.findtext("DIRECTION") for one in root.iter("PAIR")]
    assert directions == ["NS"] * 4 + ["EW"] * 4
    root = ElementTree.fromstring(write_usebio(teams_report()))
    assert [team.get("TEAM_NAME") for team in root.iter("TEAM") if team.get("TEAM_ID")] == [
        "The <Ones>",
        "Twos",
    ]
    match = root.find("EVENT/SESSION/SECTION/MATCH")
    assert match is not None
    assert (match.findtext("TEAM_SCORE"), match.findtext("OPPOSING_TEAM_SCORE")) == ("13", "1")
    assert len(match.findall("BOARD/TRAVELLER_LINE")) == 6


def test_letters_that_xml_cannot_say_are_left_out() -> None:
    report = pairs_report()
    text = write_usebio(Report("a\x00b\x1fc\ud800", report.scored))
    assert ElementTree.fromstring(text).findtext("EVENT/EVENT_DESCRIPTION") == "abc"
