import csv
import io
import subprocess
from collections.abc import Callable
from datetime import date, datetime
from pathlib import Path
from typing import Any

import pytest

from overtrick.bridge import Card, Outcome, Seat, Side, Strain
from overtrick.bws.contents import NotABwsFile, contents_of, open_contents
from overtrick.bws.reading import Reading, UnplayableFile, read_event
from overtrick.errors import OvertrickError
from overtrick.event import Session
from overtrick.event.movement import contestant
from overtrick.event.results import Origin, Suspicion
from overtrick.event.seating import line_up
from overtrick.event.setup import Game, Status
from overtrick.scoring import Method
from tests.bws.files import AT, GUID, Rows, contents, find, mitchell, result

TODAY = date(2026, 11, 15)


def read(rows: Rows, **options: Any) -> Reading:
    return read_event(contents(rows), today=TODAY, **options)


def session_of(reading: Reading) -> Session:
    session = reading.house().session(reading.event.sessions[0].session)
    assert session is not None
    return session


def sentences(reading: Reading) -> list[str]:
    return [str(unread) for unread in reading.unread]


# The real evening -------------------------------------------------------------------------------------------


def exported(program: str, path: Path, table: str) -> list[dict[str, str]]:
    text = subprocess.run(
        [program, "-b", "strip", str(path), table], capture_output=True, text=True, check=True
    )
    return list(csv.DictReader(io.StringIO(text.stdout)))


def test_the_real_evening_is_read_in_full(club_evening: Path) -> None:
    reading = read_event(open_contents(club_evening), today=TODAY)
    session = session_of(reading)
    assert len(session.results.standing) == 288
    assert session.winners("A") == 1
    pairs = {
        contestant(session, "A", number, side)
        for table in session.movement.tables.values()
        for played in table.rounds
        for number, side in ((played.ns, Side.NS), (played.ew, Side.EW))
    }
    assert len(pairs) == 24
    assert session.opened.day == date(2005, 5, 9)
    # One row names the North-South pair as declarer from East: it is scored by the seat, and told.
    assert sentences(reading) == [
        "ReceivedData, ID 213: Pair 7 is said to declare from East, where pair 22 sits. The result counts."
    ]
    assert session.results.standing["A", 7, 9, 6].suspicion is Suspicion.SUSPICIOUS


def test_the_real_evening_agrees_with_mdbtools(
    club_evening: Path, require_program: Callable[[str], str]
) -> None:
    program = require_program("mdb-export")
    session = session_of(read_event(open_contents(club_evening), today=TODAY))
    rows = exported(program, club_evening, "ReceivedData")
    assert len(rows) == 288
    for row in rows:
        place = "A", int(row["Table"]), int(row["Round"]), int(row["Board"])
        recorded = session.results.standing[place]
        assert (recorded.ns, recorded.ew) == (int(row["PairNS"]), int(row["PairEW"]))
        if row["Contract"] == "PASS":
            expected = "Pass"
        elif row["Contract"]:
            bid = row["Contract"].replace(" ", "")
            expected = bid + row["NS/EW"] + row["Result"]
        else:
            expected = row["Remarks"].replace("%", "")
        assert str(recorded.outcome) == expected
        assert recorded.at == datetime.combine(
            datetime.strptime(row["DateLog"], "%m/%d/%y %H:%M:%S").date(),
            datetime.strptime(row["TimeLog"], "%m/%d/%y %H:%M:%S").time(),
        )
    for row in exported(program, club_evening, "RoundData"):
        played = session.movement.round("A", int(row["Table"]), int(row["Round"]))
        assert played is not None
        boards = tuple(range(int(row["LowBoard"]), int(row["HighBoard"]) + 1))
        assert (played.ns, played.ew, played.boards) == (int(row["NSPair"]), int(row["EWPair"]), boards)


# The frame --------------------------------------------------------------------------------------------------


def test_a_session_keeps_its_guid_name_day_and_time() -> None:
    rows = mitchell()
    rows["Session"][0]["Status"] = 1
    session = session_of(read(rows))
    opened = session.opened
    assert (opened.session, opened.event) == (GUID, GUID)
    assert (opened.name, opened.day, opened.shown_in_app) == ("Monday", date(2026, 3, 2), True)
    assert opened.starts is not None
    assert opened.starts.isoformat() == "19:30:00"
    assert session.setup.status is Status.STARTED


def test_a_file_without_sessions_is_one_session() -> None:
    rows = mitchell()
    del rows["Session"]
    for section in rows["Section"]:
        for name in ("Session", "ScoringType", "Winners"):
            del section[name]
    reading = read(rows)
    assert [plan.name for plan in reading.event.sessions] == ["monday"]
    assert reading.event.sessions[0].day == TODAY
    assert session_of(reading).winners("A") == 2
    assert sentences(reading) == []
    assert read(rows).event.event == reading.event.event
    assert read(rows, guids={1: "A" * 32}).event.event == "A" * 32


def test_two_sessions_are_two_sessions_of_one_event() -> None:
    rows, second = mitchell(), mitchell(section=2, letter="B")
    for table in ("Section", "Tables", "RoundData", "PlayerNumbers"):
        rows[table] += second[table]
    rows["Session"].append({**rows["Session"][0], "ID": 2, "Name": "Tuesday", "GUID": "B" * 32})
    rows["Section"][1]["Session"] = 2
    reading = read(rows)
    assert [(plan.name, plan.sections[0][0].section) for plan in reading.event.sessions] == [
        ("Monday", "A"),
        ("Tuesday", "B"),
    ]
    house = reading.house()
    assert set(house.events[GUID].sessions) == {GUID, "B" * 32}


@pytest.mark.parametrize(
    ("number", "method"),
    [(1, Method.MATCHPOINTS), (2, Method.BUTLER), (3, Method.CROSS_IMPS), (4, Method.TEAM_IMPS)],
)
def test_scoring_types(number: int, method: Method) -> None:
    rows = mitchell()
    rows["Section"][0]["ScoringType"] = number
    assert session_of(read(rows)).setup.groups[1].method is method


@pytest.mark.parametrize(("together", "groups"), [(True, {"A": 1, "B": 1}), (False, {"A": 1, "B": 2})])
def test_sections_score_together_when_the_settings_say_so(together: bool, groups: dict[str, int]) -> None:
    rows, second = mitchell(), mitchell(section=2, letter="B")
    for table in ("Section", "Tables", "RoundData"):
        rows[table] += second[table]
    rows["Settings"] = [
        {"Section": 1, "GroupSections": together},
        {"Section": 2, "GroupSections": not together},
    ]
    sections = session_of(read(rows)).setup.sections
    assert {letters: section.group for letters, section in sections.items()} == groups


def test_groups_of_tables_bind_sections_and_the_setting_is_ignored() -> None:
    rows = mitchell()
    for id, letter in ((2, "B"), (3, "C"), (4, "D")):
        more = mitchell(section=id, letter=letter)
        for table in ("Section", "Tables", "RoundData"):
            rows[table] += more[table]
    for row in rows["Tables"]:
        row["Group"] = 1 if row["Section"] <= 2 else 2
    rows["Settings"] = [{"Section": 1, "GroupSections": True}]
    sections = session_of(read(rows)).setup.sections
    assert {letters: section.group for letters, section in sections.items()} == {
        "A": 1,
        "B": 1,
        "C": 3,
        "D": 3,
    }


def test_section_letters_of_two_and_strange_ids() -> None:
    rows = mitchell(section=55, letter="AA")
    sections = session_of(read(rows)).setup.sections
    assert sections["AA"].id == 55


def test_a_section_with_wrong_letters_is_told_and_left_out() -> None:
    rows, second = mitchell(), mitchell(section=2, letter="AB")
    for table in ("Section", "Tables", "RoundData"):
        rows[table] += second[table]
    rows["ReceivedData"] = [{**result(1, 1, 1, 1, 1, 1), "Section": 2}]
    reading = read(rows)
    assert "Section, ID 2: 'AB' are no letters of a section." in sentences(reading)
    assert "ReceivedData, ID 1: There is no such section." in sentences(reading)
    assert set(session_of(reading).setup.sections) == {"A"}


# The movement -----------------------------------------------------------------------------------------------


def test_winners_without_a_word_are_two_where_numbers_repeat() -> None:
    assert session_of(read(mitchell(winners=0))).winners("A") == 2


def test_one_winner_that_cannot_be_is_two_and_told() -> None:
    reading = read(mitchell(winners=1))
    assert session_of(reading).winners("A") == 2
    assert "two win" in sentences(reading)[0]


def test_custom_boards_count_and_the_run_does_not() -> None:
    rows = mitchell()
    find(rows["RoundData"], Table=1, Round=1).update(CustomBoards="1,2,5,6,7,10", LowBoard=1, HighBoard=10)
    played = session_of(read(rows)).movement.round("A", 1, 1)
    assert played is not None
    assert played.boards == (1, 2, 5, 6, 7, 10)


@pytest.mark.parametrize("custom", ["1,2,2", "5,4", "1;2", "0,1", "1,,2"])
def test_custom_boards_that_are_none_are_told_and_the_run_counts(custom: str) -> None:
    rows = mitchell()
    find(rows["RoundData"], Table=1, Round=1)["CustomBoards"] = custom
    reading = read(rows)
    assert len(reading.unread) == 1
    assert "The run from 1 to 2 was taken." in sentences(reading)[0]


def test_a_sit_out_and_an_empty_table() -> None:
    rows = mitchell()
    find(rows["RoundData"], Table=1, Round=1)["EWPair"] = 0
    find(rows["RoundData"], Table=2, Round=1).update(NSPair=0, EWPair=0, LowBoard=0, HighBoard=0)
    reading = read(rows)
    assert sentences(reading) == []
    movement = session_of(reading).movement
    assert movement.tables["A", 1].rounds[0].ew == 0
    assert movement.tables["A", 2].rounds[0].boards == ()


def test_a_gap_and_a_doubled_round_are_told() -> None:
    rows = mitchell()
    rows["RoundData"].remove(find(rows["RoundData"], Table=1, Round=2))
    rows["RoundData"].append({**find(rows["RoundData"], Table=2, Round=3), "EWPair": 9})
    reading = read(rows)
    assert sentences(reading) == [
        "RoundData, section 1, table 1: Of 3 rounds 2 is missing; nobody plays then.",
        "RoundData, section 1, table 2, round 3: The round is there twice; the last counts.",
    ]
    assert session_of(reading).movement.tables["A", 2].rounds[2].ew == 9


def test_a_missing_pair_skips_its_rounds() -> None:
    rows = mitchell(winners=1)
    for row in rows["RoundData"]:
        row["EWPair"] += 10
    rows["Section"][0]["MissingPair"] = 12
    rows["ReceivedData"] = [result(1, 2, 1, 3, 2, 12)]
    reading = read(rows)
    assert "Nobody plays in round 1 at table A2." in sentences(reading)[0]


def test_a_rover_table_takes_the_pair_that_waits() -> None:
    rows = mitchell(winners=1)
    for row in rows["RoundData"]:
        row["EWPair"] += 10
    rows["Tables"].append({**rows["Tables"][0], "Table": 4})
    rows["RoundData"] += [
        {"Section": 1, "Table": 4, "Round": n, "NSPair": 20, "EWPair": 0, "LowBoard": 0, "HighBoard": 0}
        for n in (1, 2, 3)
    ]
    rows["PlayerNumbers"].append({"Section": 1, "Table": 4, "Direction": "N", "Name": "Rover"})
    reading = read(rows)
    assert sentences(reading) == []
    assert line_up(session_of(reading), "A", 1)[4, Seat.NORTH].name == "Rover"


def test_a_table_without_rounds_and_rounds_without_a_table_are_told() -> None:
    rows = mitchell()
    rows["Tables"].append({**rows["Tables"][0], "Table": 9})
    rows["RoundData"].append({**rows["RoundData"][0], "Table": 8})
    assert sentences(read(rows)) == [
        "Tables, section 1, table 9: The table has no rounds, so it was left out.",
        "RoundData, section 1, table 8: There is no such table; left out.",
    ]


def test_individuals_have_four_numbers() -> None:
    rows = mitchell(tables=1, winners=1)
    rows["RoundData"][0].update(NSPair=1, EWPair=2, South=3, West=4)
    session = session_of(read(rows))
    assert session.setup.sections["A"].game is Game.INDIVIDUAL
    played = session.movement.tables["A", 1].rounds[0]
    assert [played.number(seat) for seat in (Seat.NORTH, Seat.EAST, Seat.SOUTH, Seat.WEST)] == [1, 2, 3, 4]


def test_the_guides_team_match_grouping() -> None:
    rows = mitchell(tables=1)
    rows["Tables"], rows["RoundData"] = [], []
    rows["Section"][0].update(ScoringType=4, Tables=4)
    rows["Section"].append({**rows["Section"][0], "ID": 2, "Letter": "B"})
    for match in range(1, 5):
        home, away = 2 * match - 1, 2 * match
        for section, table, ns, ew in ((1, match, home, away), (2, 100 + match, away, home)):
            rows["Tables"].append({"Section": section, "Table": table, "Group": match, "LogOnOff": 2})
            rows["RoundData"].append(
                {
                    "Section": section,
                    "Table": table,
                    "Round": 1,
                    "NSPair": ns,
                    "EWPair": ew,
                    "LowBoard": 1,
                    "HighBoard": 8,
                }
            )
    session = session_of(read(rows))
    assert session.setup.sections["B"].group == 1
    assert session.setup.sections["B"].game is Game.TEAMS
    half = session.movement.tables["B", 103].rounds[0]
    assert half.mates is not None
    assert (half.mates.section, half.mates.table, half.mates.round) == ("A", 3, 1)
    assert (half.team_ns, half.team_ew) == (6, 5)


def test_pairs_of_a_match_that_do_not_cross_are_no_team_numbers() -> None:
    rows = mitchell(tables=2, winners=1)
    rows["Section"][0]["ScoringType"] = 4
    for row in rows["Tables"]:
        row["Group"] = 1
    for row in rows["RoundData"]:
        row.update(LowBoard=1, HighBoard=8, EWPair=row["NSPair"] + 10)
    half = session_of(read(rows)).movement.tables["A", 2].rounds[0]
    assert half.mates is not None
    assert (half.mates.table, half.team_ns, half.team_ew) == (1, 0, 0)


def test_somebody_in_two_places_is_no_event() -> None:
    rows = mitchell()
    find(rows["RoundData"], Table=1, Round=1)["NSPair"] = 2
    reading = read(rows)
    assert "Pair A2 NS sits twice in round 1, at A1 and A2." in str(reading.rejection)
    with pytest.raises(UnplayableFile, match="sits twice"):
        reading.house()


# Results ----------------------------------------------------------------------------------------------------


def scored(*results: dict[str, Any]) -> Reading:
    rows = mitchell()
    rows["ReceivedData"] = list(results)
    return read(rows)


def test_a_result_with_its_lead_and_time() -> None:
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
def test_special_results(fields: dict[str, Any], outcome: str) -> None:
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


def test_wrong_direction_keeps_the_compass() -> None:
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
def test_suspicious_contracts(number: int, suspicion: Suspicion) -> None:
    session = session_of(scored(result(1, 1, 1, 1, 1, 1, SuspiciousContract=number)))
    assert session.results.standing["A", 1, 1, 1].suspicion is suspicion


def test_results_that_fit_nowhere_are_told_and_left_out() -> None:
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


def test_contracts_calls_and_cards_before_the_result() -> None:
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


def test_numbers_names_and_both() -> None:
    rows = mitchell()
    rows["PlayerNames"] = [
        {"ID": 12, "Name": "Ely C", "strID": None},
        {"ID": 0, "Name": "Jo", "strID": "007"},
    ]
    seated(rows, 1, "N", Number="0012")
    seated(rows, 1, "S", Name="Visitor", Number="0")
    seated(rows, 1, "E", Number="99", Name="Own name")
    seated(rows, 1, "W", Number="55")
    reading = read(rows, names={"55": "From elsewhere"})
    present = line_up(session_of(reading), "A", 1)
    assert {seat.value: present[1, seat].name for seat in Seat} == {
        "N": "Ely C",
        "S": "Visitor",
        "E": "Own name",
        "W": "From elsewhere",
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
    assert len(reading.unread) == 2


def test_before_play_and_the_first_round_are_the_same_chairs() -> None:
    rows = mitchell()
    seated(rows, 1, "N", Number="7")
    rows["PlayerNumbers"].append({"Section": 1, "Table": 2, "Direction": "N", "Number": "7", "Round": 1})
    reading = read(rows)
    assert reading.rejection is None
    assert len(reading.unread) == 1


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

DEAL = {
    "NorthSpades": "AT2",
    "NorthHearts": "KQ3",
    "NorthDiamonds": "A432",
    "NorthClubs": "K43",
    "EastSpades": "KQJ",
    "EastHearts": "A42",
    "EastDiamonds": "K765",
    "EastClubs": "A52",
    "SouthSpades": "9876543",
    "SouthHearts": "J5",
    "SouthDiamonds": "Q8",
    "SouthClubs": "Q6",
    "WestHearts": "T9876",
    "WestDiamonds": "JT9",
    "WestClubs": "JT987",
}


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
    assert len(reading.unread) == 2
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


# Strange files ----------------------------------------------------------------------------------------------


def test_other_orders_cases_and_extra_columns_are_read() -> None:
    rows = mitchell()
    rows["ReceivedData"] = [result(1, 1, 1, 1, 1, 1)]
    strange: Rows = {
        table: [{"custom_x": True, **{name.upper(): row[name] for name in reversed(row)}} for row in each]
        for table, each in rows.items()
    }
    plain, odd = (
        read_event(contents_of(rows, name="a"), today=TODAY),
        read_event(contents_of(strange, name="a"), today=TODAY),
    )
    assert odd.event == plain.event
    assert odd.afterwards == plain.afterwards


def test_the_fewest_tables() -> None:
    rows = mitchell()
    reading = read({table: rows[table] for table in ("RoundData", "ReceivedData")})
    assert set(session_of(reading).setup.sections) == {"A"}


def test_an_access_file_without_a_session_is_told(tmp_path: Path) -> None:
    msaccessdb = pytest.importorskip("msaccessdb")
    path = tmp_path / "empty.bws"
    msaccessdb.create(str(path))
    with pytest.raises(NotABwsFile, match="no bridge session"):
        open_contents(path)
    path.write_bytes(b"not Access at all" * 1000)
    with pytest.raises(OvertrickError):
        open_contents(path)
