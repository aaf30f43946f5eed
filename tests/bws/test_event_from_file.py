"""Events read from files: sessions, sections and movement; and files of other programs."""

import csv
import io
import subprocess
from collections.abc import Callable
from datetime import date, datetime
from pathlib import Path

import pytest

from overtrick.bridge import Seat, Side
from overtrick.bws.contents import NotABwsFile, contents_of, open_contents
from overtrick.bws.event_from_file import UnplayableFile, read_event
from overtrick.errors import OvertrickError
from overtrick.event.movement import contestant
from overtrick.event.results import Suspicion
from overtrick.event.seating import line_up
from overtrick.event.setup import GameKind, Status
from overtrick.scoring import Method
from tests.bws.files import GUID, Rows, find, mitchell, result
from tests.bws.readings import TODAY, read, sentences, session_of

# The real evening -------------------------------------------------------------------------------------------


def exported(program: str, path: Path, table: str) -> list[dict[str, str]]:
    text = subprocess.run(
        [program, "-b", "strip", str(path), table],
        capture_output=True,
        text=True,
        check=True,
        timeout=50,
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
    journal_state = reading.journal_state()
    assert set(journal_state.events[GUID].sessions) == {GUID, "B" * 32}


@pytest.mark.parametrize(
    ("number", "method"),
    [(1, Method.MATCHPOINTS), (2, Method.BUTLER), (3, Method.CROSS_IMPS), (4, Method.TEAM_IMPS)],
)
def test_scoring_type_becomes_the_method_of_the_group(number: int, method: Method) -> None:
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


def test_a_section_with_wrong_letters_is_reported_and_left_out() -> None:
    rows, second = mitchell(), mitchell(section=2, letter="AB")
    for table in ("Section", "Tables", "RoundData"):
        rows[table] += second[table]
    rows["ReceivedData"] = [{**result(1, 1, 1, 1, 1, 1), "Section": 2}]
    reading = read(rows)
    assert "Section, ID 2: 'AB' are not section letters." in sentences(reading)
    assert "ReceivedData, ID 1: There is no such section." in sentences(reading)
    assert set(session_of(reading).setup.sections) == {"A"}


# The movement -----------------------------------------------------------------------------------------------


def test_winners_0_is_two_where_numbers_repeat() -> None:
    assert session_of(read(mitchell(winners=0))).winners("A") == 2


def test_one_winner_with_repeated_numbers_is_read_as_two_and_reported() -> None:
    reading = read(mitchell(winners=1))
    assert session_of(reading).winners("A") == 2
    assert "it was read as 2" in sentences(reading)[0]


def test_custom_boards_take_precedence_over_the_range() -> None:
    rows = mitchell()
    find(rows["RoundData"], Table=1, Round=1).update(CustomBoards="1,2,5,6,7,10", LowBoard=1, HighBoard=10)
    played = session_of(read(rows)).movement.round("A", 1, 1)
    assert played is not None
    assert played.boards == (1, 2, 5, 6, 7, 10)


@pytest.mark.parametrize("custom", ["1,2,2", "5,4", "1;2", "0,1", "1,,2"])
def test_invalid_custom_boards_are_reported_and_the_range_is_used(custom: str) -> None:
    rows = mitchell()
    find(rows["RoundData"], Table=1, Round=1)["CustomBoards"] = custom
    reading = read(rows)
    assert len(reading.problems) == 1
    assert "Boards 1 to 2 are used." in sentences(reading)[0]


def test_sit_out_and_empty_table_are_read_as_such() -> None:
    rows = mitchell()
    find(rows["RoundData"], Table=1, Round=1)["EWPair"] = 0
    find(rows["RoundData"], Table=2, Round=1).update(NSPair=0, EWPair=0, LowBoard=0, HighBoard=0)
    reading = read(rows)
    assert sentences(reading) == []
    movement = session_of(reading).movement
    assert movement.tables["A", 1].rounds[0].ew == 0
    assert movement.tables["A", 2].rounds[0].boards == ()


def test_a_gap_and_a_doubled_round_are_reported() -> None:
    rows = mitchell()
    rows["RoundData"].remove(find(rows["RoundData"], Table=1, Round=2))
    rows["RoundData"].append({**find(rows["RoundData"], Table=2, Round=3), "EWPair": 9})
    reading = read(rows)
    assert sentences(reading) == [
        "RoundData, section 1, table 1: Of 3 rounds 2 is missing; nobody plays then.",
        "RoundData, section 1, table 2, round 3: The round occurs twice; the last counts.",
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


def test_a_table_without_rounds_and_rounds_without_a_table_are_reported() -> None:
    rows = mitchell()
    rows["Tables"].append({**rows["Tables"][0], "Table": 9})
    rows["RoundData"].append({**rows["RoundData"][0], "Table": 8})
    assert sentences(read(rows)) == [
        "Tables, section 1, table 9: The table has no rounds, so it was left out.",
        "RoundData, section 1, table 8: There is no such table; it was left out.",
    ]


def test_individuals_have_four_numbers() -> None:
    rows = mitchell(tables=1, winners=1)
    rows["RoundData"][0].update(NSPair=1, EWPair=2, South=3, West=4)
    session = session_of(read(rows))
    assert session.setup.sections["A"].game is GameKind.INDIVIDUAL
    played = session.movement.tables["A", 1].rounds[0]
    assert [played.number(seat) for seat in (Seat.NORTH, Seat.EAST, Seat.SOUTH, Seat.WEST)] == [1, 2, 3, 4]


def test_team_match_of_the_guide_has_team_numbers() -> None:
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
    assert session.setup.sections["B"].game is GameKind.TEAMS
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


def test_pair_at_two_tables_in_one_round_is_not_playable() -> None:
    rows = mitchell()
    find(rows["RoundData"], Table=1, Round=1)["NSPair"] = 2
    reading = read(rows)
    assert "Pair A2 NS sits twice in round 1, at A1 and A2." in str(reading.rejection)
    with pytest.raises(UnplayableFile, match="sits twice"):
        reading.journal_state()


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


def test_file_with_rounds_alone_is_read() -> None:
    rows = mitchell()
    reading = read({table: rows[table] for table in ("RoundData", "ReceivedData")})
    assert set(session_of(reading).setup.sections) == {"A"}


def test_access_file_without_bridge_tables_is_refused(tmp_path: Path) -> None:
    msaccessdb = pytest.importorskip("msaccessdb")
    path = tmp_path / "empty.bws"
    msaccessdb.create(str(path))
    with pytest.raises(NotABwsFile, match="not a bridge session"):
        open_contents(path)
    path.write_bytes(b"not Access at all" * 1000)
    with pytest.raises(OvertrickError):
        open_contents(path)


def test_file_with_one_bad_section_letter_is_refused_with_the_letter() -> None:
    rows = mitchell()
    rows["Section"][0]["Letter"] = "A1"
    assert str(read(rows).rejection) == "Section, ID 1: 'A1' are not section letters."
