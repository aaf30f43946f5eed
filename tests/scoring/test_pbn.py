from dataclasses import replace

import pytest

from overtrick.bridge import Outcome, PassedOut, Played, Seat, Side
from overtrick.bridge.deal_files import read_deal_file
from overtrick.bridge.pbn import Game, read_pbn, write_pbn
from overtrick.errors import BadInput
from overtrick.scoring import Contestant, Method, score
from overtrick.scoring.pbn import is_team_match, read_results, write_results

from .reports import individual_report, pair, pairs_report, ruled_report, teams_report

# Written in the columns of a scoring program that federations use.
OTHERS = rb"""% PBN 2.1
[Event "Simultaneous"]
[Site "Somewhere"]
[Date "2022.02.06"]
[Board "28"]
[Dealer "W"]
[Vulnerable "NS"]
[Deal "W:J86.KJ75.A65.852 K7432.A6.42.QJ64 AT95.94.KT73.K97 Q.QT832.QJ98.AT3"]
[Scoring "MatchPoints;MP1"]
[Competition "Pairs"]
[ScoreTable "COLUMNS"]
19 14  4 11 2HX  S  8 S6   "670"      -  8.0  0.0 100   0
16 14 14  1 2S   E  5 DQ   "150"      -  6.0  2.0  75  25
10 14 20 38 2H   S  9 DA   "140"      -  4.0  4.0  50  50
15 14 15 43 2H   S  8 S6   "110"      -  1.0  7.0  12  88
 7 14 23 35 2H   S  8 C5   "110"      -  1.0  7.0  12  88
""".replace(
    b"COLUMNS",
    rb"Table\2R;Round\2R;PairId_NS\2R;PairId_EW\2R;Contract\4L;Declarer\1R;Result\2R;Lead\3L;"
    rb"Score_NS\6R;Score_EW\6R;MP_NS\4R;MP_EW\4R;Percentage_NS\3R;Percentage_EW\3R",
)


@pytest.mark.parametrize("two_winners", [False, True])
def test_what_is_written_is_read_back(two_winners: bool) -> None:
    report = pairs_report(two_winners=two_winners)
    raw = write_results(report)
    results = read_results(read_pbn(raw), winners=None if two_winners else 1)
    assert results.unread == ()
    assert results.club == "Club & Co"
    assert results.played_on == report.played_on
    written = {
        (one.line.key, one.line.ns, one.line.ew, str(one.line.outcome), one.line.lead)
        for traveller in report.scored.travellers
        for one in traveller.lines
    }
    assert {(one.key, one.ns, one.ew, str(one.outcome), one.lead) for one in results.lines} == written
    assert [player.name for player in results.players[pair(1, Side.NS if two_winners else None)]] == [
        "Ann <b>A</b>",
        "Łucja",
    ]
    assert results.hands["", 1].deal == report.hands["", 1].deal
    assert str(results.hands["", 1].tricks) == "65562655627777b7777b"


def test_individual_is_read_back_with_its_four_players() -> None:
    report = individual_report("A", "B")
    games = read_pbn(write_results(report))
    assert games[0].value("Competition") == "Individuals"
    results = read_results(games)
    assert not results.unread
    assert {replace(line, field="") for line in results.lines} == {
        replace(scored.line, field="") for traveller in report.scored.travellers for scored in traveller.lines
    }
    assert [player.name for player in results.players[Contestant("A", 1)]] == ["Ann"]


def test_the_ranking_is_in_the_first_record() -> None:
    first, *others = read_pbn(write_results(pairs_report()))
    rows = first.tables["TotalScoreTable"].rows_by_name
    assert [row["Rank"] for row in rows] == sorted(row["Rank"] for row in rows)
    assert len(rows) == 8
    assert all("TotalScoreTable" not in game.tables for game in others)
    points = [float(row["MP_NS"]) + float(row["MP_EW"]) for row in first.tables["ScoreTable"].rows_by_name]
    assert points[:3] == pytest.approx([6] * 3, abs=0.02)


def test_rules_and_rulings_are_comments_of_the_tables_that_they_are_about() -> None:
    (game,) = read_pbn(write_results(ruled_report()))
    assert [text.partition(":")[0] for text in game.comments["ScoreTable"]] == ["Board 1, A1 against A5"]
    assert (
        "40 % of 4S N -1 (A1 2.2 of 6, A5 3.8 of 6). At the table: 4S N =." in game.comments["ScoreTable"][0]
    )
    said = game.comments["TotalScoreTable"]
    assert said[:2] == ("Rules: EBU.", "Provisional until 2026-03-09 23:30. An appeal is pending.")
    assert len(said) == 5
    assert game.tables["TotalScoreTable"].rows_by_name[-1]["Rank"] == "-"


@pytest.mark.parametrize("method", [Method.TEAM_IMPS, Method.VPS_CONTINUOUS, Method.BOARD_A_MATCH])
def test_teams_are_written(method: Method) -> None:
    first, *_ = read_pbn(write_results(teams_report(method)))
    assert first.tags["Competition"] == "Teams"
    assert [row["PairId"] for row in first.tables["TotalScoreTable"].rows_by_name] == ["1", "2"]


def test_the_score_tables_of_others() -> None:
    results = read_results(read_pbn(OTHERS))
    assert results.title == "Simultaneous"
    assert [one.ns.side for one in results.lines] == [Side.NS] * 5
    session = score(results.lines)
    shares = {str(s.contestant): s.percentage for ranking in session.rankings for s in ranking.standings}
    # The percentages that the other program printed: 100, 75, 50, 12 and 12.
    assert [shares[f"{number} NS"] for number in (4, 14, 20, 15, 23)] == [100, 75, 50, 12.5, 12.5]


def test_one_winner_where_pairs_change_direction() -> None:
    swapped = OTHERS.replace(b"[Date", b"[Date", 1)
    second = (
        swapped.replace(b'"28"', b'"29"')
        .replace(b"19 14  4 11", b"19 15 11  4")
        .replace(
            b'[Dealer "W"]\n[Vulnerable "NS"]\n[Deal "W:', b'[Dealer "N"]\n[Vulnerable "All"]\n[Deal "W:'
        )
    )
    results = read_results(read_pbn(swapped + b"\n" + second))
    assert {one.ns.side for one in results.lines} == {None}
    assert {one.ns.side for one in read_results(read_pbn(swapped + b"\n" + second), winners=2).lines} == {
        Side.NS
    }


def test_impossible_row_is_listed_and_the_rest_is_read() -> None:
    wrong = (
        OTHERS.replace(b"2S   E  5", b"9S   E  5")
        .replace(b"2H   S  9", b"2H   S 99")
        .replace(b"15 14 15 43", b"15 14  ? 43")
    )
    results = read_results(read_pbn(wrong))
    assert len(results.lines) == 2
    assert [one.split(":")[0] for one in results.unread] == [f"board 28, row {row}" for row in (2, 3, 4)]


def test_file_without_results_is_refused() -> None:
    with pytest.raises(BadInput, match="neither a ScoreTable"):
        read_results(read_pbn(b'[Board "1"]\n[Dealer "N"]\n[Vulnerable "None"]\n'))
    with pytest.raises(BadInput, match="neither a ScoreTable"):
        read_results(())


def record(board: int, names: str, outcome: str, **tags: str) -> Game:
    """Return the record of a board at one table; `names` are those of North, East, South and West."""
    made = Outcome.parse(outcome)
    assert isinstance(made, Played | PassedOut)
    seats = dict(zip((seat.title for seat in Seat), names.split(), strict=True))
    return Game.of_board(board, outcome=made, tags=seats | tags)


def test_records_of_tables_are_scored_by_the_names_of_the_pairs() -> None:
    games = read_pbn(
        write_pbn(
            [
                record(1, "Ann Eve Sam Will", "4SN="),
                record(1, "Bob Fay Tom Xu", "4SN-1"),
                record(2, "Eve Ann Will Sam", "3NTN="),
                record(2, "Bob Fay Tom Xu", "3NTN+1", Table="7"),
                Game.of_board(3),
            ]
        )
    )
    results = read_results(games)
    assert results.unread == ()
    ranking = score(results.lines, Method.MATCHPOINTS).rankings[0]
    named = [
        ("-".join(player.name for player in results.players[each.contestant]), each.points)
        for each in ranking.standings
    ]
    assert sorted(named) == [("Ann-Sam", 4), ("Bob-Tom", 2), ("Eve-Will", 0), ("Fay-Xu", 2)]


def test_records_of_tables_with_numbers_of_pairs_keep_them() -> None:
    games = [
        record(1, "Ann Eve Sam Will", "4SN=", PairNS="A3", PairEW="A4", Table="2", Round="5"),
        record(1, "? ? ? ?", "4SN-1"),
        Game({"Board": "1", "Contract": "4S", "Declarer": "N", "Result": ""}),
    ]
    results = read_results(games)
    (line,) = results.lines
    assert (str(line.ns), str(line.ew), line.table, line.round) == ("A3 NS", "A4 EW", 2, 5)
    assert results.unread == (
        "board 1, record 2: The record does not name NS.",
        "board 1, record 3: The record has a contract and no result.",
    )


def test_rooms_of_a_table_manager_are_scored_as_a_match() -> None:
    # The programs of a match have the name of their team, and HomeTeam is the pair North-South in either room.
    games = [
        record(1, "A B A B", "4SN=", Room="Open", HomeTeam="A", VisitTeam="B", Table="1"),
        record(1, "B A B A", "4SN-1", Room="Closed", HomeTeam="B", VisitTeam="A", Table="1"),
        record(2, "A B A B", "Pass", Room="Open", Adjusted="A60/40"),
    ]
    assert is_team_match(games)
    results = read_results(games, 1, is_teams=True)
    (match,) = score(results.lines, Method.TEAM_IMPS).matches
    assert (results.team_names[match.home.team], match.home.imps, match.away.imps) == ("A", 10, 0)


def test_vugraph_file_is_scored_as_a_match_of_the_named_teams() -> None:
    lin = (
        "vg|Cup,Final,I,1,1,Norway,0,Italy,0|pn|So,Wo,No,Eo,Sc,Wc,Nc,Ec|pg||"
        "qx|o1|md|3SAKQ2HAKQ2DAK2CK2,SJ43HJ43DQJ3CQJ43,S765H765D654C8765|sv|o|mb|1S|mb|p|mb|p|mb|p|mc|7|pg||"
        "qx|c1|md|3SAKQ2HAKQ2DAK2CK2,SJ43HJ43DQJ3CQJ43,S765H765D654C8765|sv|o|mb|p|mb|p|mb|p|mb|p|pg||"
    )
    games = read_deal_file(lin.encode())
    assert is_team_match(games)
    results = read_results(games, 1, is_teams=True)
    (match,) = score(results.lines, Method.TEAM_IMPS).matches
    assert results.unread == ()
    assert (results.team_names[match.home.team], results.team_names[match.away.team]) == ("Norway", "Italy")
    assert (match.home.imps, match.away.imps) == (2, 0)
