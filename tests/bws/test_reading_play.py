"""Play read from files: results, players, hands and settings."""

from typing import Any

import pytest

from overtrick.bridge import Card, Outcome, Seat, Strain
from overtrick.bws.event_from_file import EventFromFile
from overtrick.event.results import Origin, Suspicion
from overtrick.event.seating import line_up
from overtrick.scoring import UNIT
from overtrick.views import SessionView
from tests.bws.files import AT, Rows, find, mitchell, result
from tests.bws.readings import DEAL, read, sentences, session_of

# Results ----------------------------------------------------------------------------------------------------


def scored(*results: dict[str, Any]) -> EventFromFile:
    rows = mitchell()
    rows["ReceivedData"] = list(results)
    return read(rows)


def test_result_is_read_with_its_lead_and_time() -> None:
    reading = scored(result(1, 1, 1, 1, 1, 1, Contract="4 S x", Result="+1", LeadCard="C10", direction="S"))
    recorded = session_of(reading).results.standing["A", 1, 1, 1]
    assert (str(recorded.outcome), recorded.lead, recorded.at) == ("4SxS+1", Card.CT, AT)
    assert recorded.origin is Origin.FILE


@pytest.mark.parametrize(
    ("fields", "outcome"),
    [
        ({"Contract": "PASS", "Result": ""}, "Pass"),
        ({"Contract": "", "Result": "", "Remarks": "Not played"}, "NP"),
        ({"Contract": "", "Result": "", "Remarks": "Arbitral score"}, "Arbitral"),
        ({"Contract": "", "Result": "", "Remarks": "60%-40%"}, "60-40"),
        ({"Contract": "3 NT", "Result": "-9", "direction": "EW"}, "3NTE-9"),
    ],
)
def test_results_without_a_contract_are_read(fields: dict[str, Any], outcome: str) -> None:
    reading = scored(result(1, 1, 1, 1, 1, 1, **fields))
    recorded = session_of(reading).results.standing["A", 1, 1, 1]
    assert recorded.outcome == Outcome.parse(outcome)


def test_of_two_rows_that_stand_the_higher_id_counts() -> None:
    reading = scored(
        result(7, 1, 1, 1, 1, 1, Result="+1"),
        result(3, 1, 1, 1, 1, 1, Result="="),
        result(9, 1, 1, 1, 1, 1, Result="-1", Erased=True),
    )
    assert str(session_of(reading).results.standing["A", 1, 1, 1].outcome) == "4SN+1"


def test_a_board_whose_rows_are_all_erased_has_no_result() -> None:
    assert session_of(scored(result(1, 1, 1, 1, 1, 1, Erased=True))).results.standing == {}


def test_remark_wrong_direction_keeps_the_declarers_seat() -> None:
    rows = mitchell(winners=1)
    for row in rows["RoundData"]:
        row["EWPair"] += 10
    rows["ReceivedData"] = [result(1, 1, 1, 1, 1, 11, Declarer=11, Remarks="Wrong direction")]
    reading = read(rows)
    assert sentences(reading) == []
    recorded = session_of(reading).results.standing["A", 1, 1, 1]
    assert recorded.is_wrong_direction
    assert str(recorded.outcome) == "4SN="


@pytest.mark.parametrize(("number", "suspicion"), [(1, Suspicion.SUSPICIOUS), (2, Suspicion.CONFIRMED)])
def test_suspicious_contract_becomes_a_mark(number: int, suspicion: Suspicion) -> None:
    session = session_of(scored(result(1, 1, 1, 1, 1, 1, SuspiciousContract=number)))
    assert session.results.standing["A", 1, 1, 1].suspicion is suspicion


def test_results_that_do_not_fit_are_reported_and_left_out() -> None:
    reading = scored(
        result(1, 1, 1, 5, 1, 1),
        result(2, 9, 1, 1, 1, 1),
        result(3, 1, 1, 1, 1, 3),
        result(4, 2, 1, 3, 2, 2, Contract="8 S"),
        result(5, 2, 1, 4, 2, 2, LeadCard="S11"),
        result(6, 3, 1, 5, 3, 3, Contract="3 NT", Result="-13"),
    )
    assert [sentence.partition(":")[0] for sentence in sentences(reading)] == [
        f"ReceivedData, ID {id}" for id in (1, 2, 3, 4, 5, 6)
    ]
    assert set(session_of(reading).results.standing) == {("A", 2, 1, 4)}


def test_contracts_calls_and_cards_are_read_before_the_result() -> None:
    rows = mitchell()
    rows["ReceivedData"] = [result(1, 1, 1, 2, 1, 1)]
    rows["IntermediateData"] = [
        result(1, 1, 1, 1, 1, 1, Contract="3 NT x", Result="", direction="W", LeadCard="H4"),
        result(2, 1, 1, 2, 1, 1, Contract="4 S", Result=""),
    ]
    where = {"Section": 1, "Table": 1, "Round": 1, "Board": 1}
    rows["BiddingData"] = [
        {"ID": 2, **where, "Counter": 2, "Direction": "E", "Bid": "PASS", "Erased": False},
        {"ID": 1, **where, "Counter": 1, "Direction": "N", "Bid": "1C", "Erased": False},
        {"ID": 3, **where, "Counter": 2, "Direction": "E", "Bid": "PASS", "Erased": True},
        {"ID": 4, **where, "Counter": 2, "Direction": "E", "Bid": "XX", "Erased": False},
        {"ID": 5, **where, "Counter": 3, "Direction": "S", "Bid": "SkipBid", "Erased": False},
        {"ID": 6, **where, "Counter": 4, "Direction": "W", "Bid": "9C", "Erased": False},
    ]
    rows["PlayData"] = [
        {"ID": 1, **where, "Counter": 1, "Direction": "N", "Card": "ST", "Erased": False},
        {"ID": 2, **where, "Counter": 2, "Direction": "E", "Card": "Sx", "Erased": False},
    ]
    reading = read(rows)
    recording = session_of(reading).recording
    place = "A", 1, 1, 1
    assert {key: fact.contract for key, fact in recording.contracts.items()} == {place: "3NTxW"}
    assert recording.contracts[place].lead is Card.H4
    assert [recording.calls[place, counter].call for counter in (1, 2, 3)] == ["1C", "XX", "SkipBid"]
    assert [recording.cards[place, counter].card for counter in (1, 2)] == ["ST", "Sx"]
    assert [sentence.partition(":")[0] for sentence in sentences(reading)] == ["BiddingData, ID 6"]


# People -----------------------------------------------------------------------------------------------------


def seated(rows: Rows, table: int, direction: str, **fields: Any) -> None:
    find(rows["PlayerNumbers"], Table=table, Direction=direction).update(fields)


def test_players_are_read_by_number_by_name_or_by_both() -> None:
    rows = mitchell()
    rows["PlayerNames"] = [
        {"ID": 12, "Name": "Ely C", "strID": None},
        {"ID": 0, "Name": "Jo", "strID": "007"},
    ]
    seated(rows, 1, "N", Number="0012")
    seated(rows, 1, "S", Name="Visitor", Number="0")
    seated(rows, 1, "E", Number="99", Name="Own name")
    seated(rows, 1, "W", Number="55")
    reading = read(rows)
    present = line_up(session_of(reading), "A", 1)
    assert {seat.value: present[1, seat].name for seat in Seat} == {
        "N": "Ely C",
        "S": "Visitor",
        "E": "Own name",
        "W": "",
    }
    assert present[1, Seat.SOUTH].number == ""
    assert sentences(reading) == []


def test_numbers_compared_as_text_keep_their_zeros() -> None:
    rows = mitchell()
    rows["PlayerNames"] = [{"ID": 12, "Name": "Ely", "strID": "12"}, {"ID": 0, "Name": "Jo", "strID": "012"}]
    rows["Settings"] = [{"Section": 1, "BM2TextBasedNumber": True}]
    seated(rows, 1, "N", Number="012")
    assert line_up(session_of(read(rows)), "A", 1)[1, Seat.NORTH].name == "Jo"


def test_a_number_in_two_chairs_sits_once() -> None:
    rows = mitchell()
    seated(rows, 1, "N", Number="7")
    seated(rows, 2, "N", Number="7", Name="Other")
    seated(rows, 3, "N", Number="7")
    reading = read(rows)
    present = line_up(session_of(reading), "A", 1)
    assert present[1, Seat.NORTH].number == "7"
    assert (present[2, Seat.NORTH].number, present[2, Seat.NORTH].name) == ("", "Other")
    assert (3, Seat.NORTH) not in present
    assert len(reading.problems) == 2


def test_before_play_and_the_first_round_are_the_same_chairs() -> None:
    rows = mitchell()
    seated(rows, 1, "N", Number="7")
    rows["PlayerNumbers"].append({"Section": 1, "Table": 2, "Direction": "N", "Number": "7", "Round": 1})
    reading = read(rows)
    assert reading.rejection is None
    assert len(reading.problems) == 1


def test_east_west_that_moves_before_play_entered_its_names_elsewhere() -> None:
    rows = mitchell()
    rows["Section"][0]["EWMoveBeforePlay"] = 1
    seated(rows, 3, "E", Name="Home at three")
    seated(rows, 3, "N", Name="Stays")
    present = line_up(session_of(read(rows)), "A", 1)
    assert present[1, Seat.EAST].name == "Home at three"
    assert present[3, Seat.NORTH].name == "Stays"


def test_names_of_a_later_round_count_from_then_on() -> None:
    rows = mitchell()
    seated(rows, 1, "N", Name="First")
    rows["PlayerNumbers"].append({"Section": 1, "Table": 1, "Direction": "N", "Name": "Second", "Round": 2})
    rows["PlayerNumbers"].append({"Section": 1, "Table": 1, "Direction": "N", "Name": "Never", "Round": 9})
    reading = read(rows)
    session = session_of(reading)
    assert line_up(session, "A", 1)[1, Seat.NORTH].name == "First"
    assert line_up(session, "A", 3)[1, Seat.NORTH].name == "Second"
    assert "round 9" in sentences(reading)[0]


# Hands and settings -----------------------------------------------------------------------------------------


def test_a_hand_record_is_one_for_the_sections_that_score_together() -> None:
    rows, second = mitchell(), mitchell(section=2, letter="B")
    for table in ("Section", "Tables", "RoundData"):
        rows[table] += second[table]
    rows["Settings"] = [{"Section": 1, "GroupSections": True}]
    rows["HandRecord"] = [{"Section": id, "Board": 1, **DEAL} for id in (1, 2)]
    rows["HandRecord"].append({"Section": 1, "Board": 2, **DEAL, "WestHearts": "T987"})
    other = {**DEAL, "NorthSpades": "KT2", "EastSpades": "AQJ"}
    rows["HandRecord"] += [{"Section": 1, "Board": 3, **DEAL}, {"Section": 2, "Board": 3, **other}]
    figures = {
        f"{seat}{strain}": 7
        for seat in ("North", "East", "South", "West")
        for strain in ("Spades", "Hearts", "Diamonds", "Clubs", "Notrump")
    }
    rows["HandEvaluation"] = [{"Section": 1, "Board": 1, **figures, "SouthClubs": 13}]
    reading = read(rows)
    records = session_of(reading).hands.records
    assert set(records) == {(1, 1), (1, 3)}
    assert str(records[1, 1].deal).startswith("N:AT2.KQ3.A432.K43 KQJ.")
    tricks = records[1, 1].tricks
    assert tricks is not None
    assert (tricks[Seat.SOUTH, Strain.CLUBS], sum(tricks.figures)) == (13, 19 * 7 + 13)
    assert len(reading.problems) == 2
    assert "missing" in sentences(reading)[0]
    assert "another deal" in sentences(reading)[1]


def test_settings_of_one_record_serve_every_section() -> None:
    rows, second = mitchell(), mitchell(section=2, letter="B")
    for table in ("Section", "Tables", "RoundData"):
        rows[table] += second[table]
    rows["Settings"] = [
        {"Section": 1, "LeadCard": True, "BM2PINcode": "1234", "BM2Ranking": 9, "BM3Language": 2}
    ]
    reading = read(rows)
    settings = session_of(reading).settings
    for letters in ("A", "B"):
        assert (settings.second[letters].ask_lead, settings.second[letters].pin) == (True, "1234")
        assert settings.third[letters].language.value == "fr"
    assert "BM2Ranking is from 0 to 2, not 9." in sentences(reading)[0]


def test_a_file_without_settings_sets_nothing() -> None:
    settings = session_of(read(mitchell())).settings
    assert (settings.second, settings.third) == ({}, {})


def swiss_teams() -> Rows:
    """Two rounds of four teams; a match is played at one table each of two sections, which are a group."""
    rows = mitchell(tables=1)
    section = rows["Section"][0]
    rows["Tables"], rows["RoundData"], rows["Section"], rows["PlayerNumbers"] = [], [], [], []
    matches = {1: ((1, 2), (1, 3)), 2: ((3, 4), (2, 4))}
    count = 0
    for id, (group, turned) in enumerate(((1, False), (1, True), (2, False), (2, True)), start=1):
        rows["Section"].append({**section, "ID": id, "Letter": "ABCD"[id - 1], "ScoringType": 4, "Tables": 1})
        rows["Tables"].append({"Section": id, "Table": 1, "Group": group, "LogOnOff": 2})
        for number, teams in enumerate(matches[group], start=1):
            ns, ew = reversed(teams) if turned else teams
            played = {"Section": id, "Table": 1, "Round": number, "NSPair": ns, "EWPair": ew}
            rows["RoundData"].append({**played, "LowBoard": 1, "HighBoard": 1})
            count += 1
            made = "=" if ns < ew else "-1"
            bid = {"Contract": "4 S", "Result": made, "NS/EW": "N", "Declarer": ns}
            rows["ReceivedData"].append({**result(count, 1, number, 1, ns, ew, **bid), "Section": id})
    return rows


def test_swiss_teams_in_several_groups_have_one_ranking() -> None:
    session = session_of(read(swiss_teams()))
    assert list(session.setup.groups) == [1]
    view = SessionView.of(session)
    (ranking,) = view.rankings(1)
    assert [(each.contestant.number, each.units // UNIT) for each in ranking.standings] == [
        (1, 20),
        (2, 0),
        (3, 0),
        (4, -20),
    ]
    assert len(view.traveller(1, 1, view.field_of("C", 1)).lines) == 4, "a table sees its own matches"
    assert len(view.traveller(1, 1).lines) == 8


def test_team_events_of_one_file_with_the_same_numbers_are_ranked_apart() -> None:
    rows = swiss_teams()
    for table in ("RoundData", "ReceivedData"):
        for row in rows[table]:
            if row["Section"] > 2:
                both = {"NSPair": 1, "EWPair": 2} if table == "RoundData" else {"PairNS": 1, "PairEW": 2}
                turned = row["Section"] == 4
                names = list(both)
                row.update({names[0]: 2 if turned else 1, names[1]: 1 if turned else 2})
    assert list(session_of(read(rows)).setup.groups) == [1, 3]
