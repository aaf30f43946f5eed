"""The control software's half on real files: instructions and corrections, with an event's state behind them."""

from datetime import datetime

import pytest

from overtrick.bridge import Seat
from overtrick.bws.contents import open_contents
from overtrick.bws.control_side import flags_in, scan
from overtrick.bws.edits import Delete, Insert, Update
from overtrick.bws.id_map import build_id_map
from overtrick.bws.table_ownership import clients_for, ownership_sentences
from overtrick.event.seating import line_up
from overtrick.event.tables import LogOn
from tests.bws.conftest import do
from tests.bws.controls import Control, Make, instruct, instructions, scored
from tests.bws.files import AT, GUID, mitchell
from tests.bws.test_reading_play import swiss_teams

# Taking over ------------------------------------------------------------------------------------------------


def test_starting_adds_our_computer_and_marks_the_tables(make: Make) -> None:
    rows = mitchell()
    rows["Session"][0].update(GUID="", Date=None)
    path = make(rows)
    control = Control.start(path)
    after = open_contents(path)
    assert [row.computer for row in after.clients] == ["CLUB", "DESK"]
    assert [row.status for row in after.tables] == [1, 1, 1]
    assert after.sessions[0].guid.replace("-", "") == control.guid
    assert after.sessions[0].day == datetime(2026, 3, 2)
    assert [row.computer for row in after.tables] == [1, 1, 1]
    assert control.write() == 0


@pytest.mark.parametrize(("computer", "sentences"), [("DESK", 1), ("CLUB", 0)])
def test_tables_of_another_computer_are_reported(make: Make, computer: str, sentences: int) -> None:
    contents = open_contents(make(mitchell()))
    found = ownership_sentences(contents, build_id_map(contents), clients_for(contents, computer), computer)
    assert len(found) == sentences
    assert all("DESK handles them all" in sentence for sentence in found)


# Instructions -----------------------------------------------------------------------------------------------


def standing(control: Control) -> set[tuple[int, int]]:
    return {(table, number) for _, table, number, _ in control.session.results.standing}


def test_changed_row_without_a_flag_changes_nothing(make: Make) -> None:
    control = scored(make)
    do(
        control.path,
        Update("RoundData", {"Table": 1, "Round": 2}, {"EWPair": 9, "LowBoard": 11, "HighBoard": 12}),
    )
    do(control.path, Delete("RoundData", {"Table": 3, "Round": 3}))
    found = scan(open_contents(control.path), control.sessions, at=AT)
    assert found.requests == ()


def test_round_number_replaces_the_rounds_from_there_on_and_erases_their_results(make: Make) -> None:
    control = scored(make)
    do(
        control.path,
        Update("RoundData", {"Table": 1, "Round": 2}, {"EWPair": 8, "LowBoard": 9, "HighBoard": 10}),
    )
    do(control.path, Update("RoundData", {"Table": 1, "Round": 3}, {"EWPair": 7}))
    instruct(control.path, t1=2)
    after = control.look()
    assert control.rejections == []
    assert instructions(after) == {1: 0, 2: 0, 3: 0}
    assert control.session.movement.tables["A", 1].rounds[1].boards == (9, 10)
    assert standing(control) == {(1, 1), (2, 1), (2, 2)}
    assert [row.erased for row in after.results] == [False, True, False, False]


def test_identical_rounds_sent_again_lose_their_results(make: Make) -> None:
    control = scored(make)
    instruct(control.path, t1=1)
    control.look()
    assert standing(control) == {(2, 1), (2, 2)}


def test_two_tables_change_places_at_once(make: Make) -> None:
    control = scored(make)
    for table, other in ((1, 2), (2, 1)):
        do(control.path, Update("RoundData", {"Table": table, "Round": 3}, {"NSPair": other}))
    instruct(control.path, t1=3, t2=3)
    control.look()
    assert control.rejections == []
    assert control.session.movement.tables["A", 1].rounds[2].ns == 2
    assert standing(control) == {(1, 1), (1, 2), (2, 1), (2, 2)}


@pytest.mark.parametrize(
    ("before", "value", "waits"),
    [(False, 259, True), (True, 3, False), (True, -3, True), (False, 256, True), (True, -256, False)],
)
def test_instruction_decides_whether_a_table_waits_for_more_rounds(
    make: Make, before: bool, value: int, waits: bool
) -> None:
    control = scored(make)
    instruct(control.path, t1=256 if before else -256)
    control.look()
    assert control.session.movement.tables["A", 1].is_waiting is before
    instruct(control.path, t1=value)
    assert instructions(control.look())[1] == 0
    assert control.session.movement.tables["A", 1].is_waiting is waits


def test_negative_round_number_removes_the_rounds_from_there_on(make: Make) -> None:
    control = scored(make)
    do(
        control.path,
        Delete("RoundData", {"Table": 2, "Round": 2}),
        Delete("RoundData", {"Table": 2, "Round": 3}),
    )
    instruct(control.path, t2=-2)
    after = control.look()
    assert len(control.session.movement.tables["A", 2].rounds) == 1
    assert [row.erased for row in after.results] == [False, False, False, True]


def test_a_new_table_is_added(make: Make) -> None:
    control = scored(make)
    rounds = [
        Insert(
            "RoundData",
            {"Section": 1, "Table": 4, "Round": n, "NSPair": 4, "EWPair": 4, "LowBoard": 7, "HighBoard": 8},
        )
        for n in (1, 2, 3)
    ]
    do(control.path, *rounds, Insert("Tables", {"Section": 1, "Table": 4, "UpdateFromRound": 1, "Group": 5}))
    after = control.look()
    assert control.rejections == []
    assert len(control.session.movement.tables["A", 4].rounds) == 3
    assert control.session.movement.tables["A", 4].group == 5
    assert [(row.instruction, row.status) for row in after.tables if row.table == 4] == [(0, 1)]


def test_a_whole_section_is_added(make: Make) -> None:
    control = scored(make)
    more = mitchell(section=2, letter="B")
    do(
        control.path,
        Insert("Section", more["Section"][0]),
        *(Insert("RoundData", row) for row in more["RoundData"]),
        *(Insert("Tables", {**row, "UpdateFromRound": 1}) for row in more["Tables"]),
    )
    control.look()
    assert control.rejections == []
    assert control.session.setup.sections["B"].group == 2
    assert len(control.session.movement.section("B")) == 3


def test_a_removed_table_loses_its_record_and_its_results_are_erased(make: Make) -> None:
    control = scored(make)
    do(control.path, *(Delete("RoundData", {"Table": 2, "Round": number}) for number in (1, 2, 3)))
    instruct(control.path, t2=999)
    after = control.look()
    assert [row.table for row in after.tables] == [1, 3]
    assert ("A", 2) not in control.session.movement.tables
    assert [row.erased for row in after.results] == [False, False, True, True]


def test_a_reset_loses_nothing(make: Make) -> None:
    control = scored(make)
    instruct(control.path, t1=998)
    assert instructions(control.look())[1] == 0
    assert control.session.tables.resets == {("A", 1): 1}
    assert len(control.session.results.standing) == 4


def test_settings_and_hand_records_are_loaded_by_their_instructions(make: Make) -> None:
    control = scored(make)
    deal = {"NorthSpades": "AKQJT98765432", "EastHearts": "AKQJT98765432"}
    deal |= {"SouthDiamonds": "AKQJT98765432", "WestClubs": "AKQJT98765432"}
    do(
        control.path,
        Insert("Settings", {"Section": 1, "LeadCard": True, "BM3AudioVolume": 5}),
        Insert("HandRecord", {"Section": 1, "Board": 3, **deal}),
    )
    control.look()
    assert control.session.hands.records == {}
    assert control.session.settings.second == {}
    instruct(control.path, t1=997, t2=996)
    after = control.look()
    assert set(instructions(after).values()) == {0}
    assert control.session.settings.second["A"].ask_lead
    assert control.session.settings.third["A"].volume == 5
    assert control.session.hands.records[1, 3].deal[Seat.NORTH].hcp == 10


def test_instruction_without_meaning_is_reported_and_stays(make: Make) -> None:
    control = scored(make)
    instruct(control.path, t1=700)
    found = scan(open_contents(control.path), control.sessions, at=AT)
    assert [problem.sentence for problem in found.problems] == ["The instruction 700 has no meaning."]
    assert instructions(control.look())[1] == 700


def test_an_instruction_that_cannot_be_done_stays_and_nothing_changes(make: Make) -> None:
    control = scored(make)
    do(control.path, Update("RoundData", {"Table": 1, "Round": 3}, {"NSPair": 2}))
    instruct(control.path, t1=3)
    after = control.look()
    assert "sits twice" in control.rejections[0]
    assert instructions(after)[1] == 3
    assert len(control.session.results.standing) == 4


def test_an_instruction_that_changed_meanwhile_is_not_taken_back(make: Make) -> None:
    control = scored(make)
    instruct(control.path, t1=998)
    [asked] = scan(open_contents(control.path), control.sessions, at=AT).requests
    control.facts_of(asked.command, from_file=True)
    instruct(control.path, t1=2)
    control.clear()
    assert instructions(open_contents(control.path))[1] == 2
    assert [
        flag.description for flag in flags_in(open_contents(control.path), control.sessions).values()
    ] == ["A1: load the rounds from this one on"]


def test_taken_instruction_is_cleared_although_a_table_was_added_to_its_section(make: Make) -> None:
    control = scored(make)
    instruct(control.path, t1=3)
    [asked] = scan(open_contents(control.path), control.sessions, at=AT).requests
    control.facts_of(asked.command, from_file=True)
    do(control.path, Update("Section", {"ID": 1}, {"Tables": 4}))
    control.clear()
    assert instructions(open_contents(control.path))[1] == 0


def test_tables_that_vanish_and_return_get_their_state_back(make: Make) -> None:
    control = scored(make)
    control.happen(LogOn(GUID, "A", 1, "phone", AT))
    before = open_contents(control.path).tables
    do(control.path, *(Delete("Tables", {"Section": 1, "Table": row.table}) for row in before))
    assert scan(open_contents(control.path), control.sessions, at=AT).requests == ()
    assert len(control.session.movement.tables) == 3
    for row in mitchell()["Tables"]:
        do(control.path, Insert("Tables", row))
    control.write()
    assert open_contents(control.path).tables == before


# Names and corrections --------------------------------------------------------------------------------------


def test_flagged_names_are_taken_and_others_are_not(make: Make) -> None:
    control = scored(make)
    key = {"Section": 1, "Table": 1}
    do(
        control.path,
        Update("PlayerNumbers", {**key, "Direction": "N"}, {"Name": "Ely", "Number": "12", "Updated": True}),
        Update("PlayerNumbers", {**key, "Direction": "S"}, {"Name": "Unflagged"}),
    )
    after = control.look()
    present = line_up(control.session, "A", 1)
    assert (present[1, Seat.NORTH].name, present[1, Seat.NORTH].number) == ("Ely", "12")
    assert (1, Seat.SOUTH) not in present
    assert [row.updated for row in after.player_numbers if row.table == 1] == [False] * 4
    do(
        control.path,
        Update("PlayerNumbers", {**key, "Direction": "N"}, {"Name": "", "Number": "", "Updated": True}),
    )
    control.look()
    assert (1, Seat.NORTH) not in line_up(control.session, "A", 1)


def test_a_correction_is_taken_and_the_row_stays_as_it_was_written(make: Make) -> None:
    control = scored(make)
    do(
        control.path,
        Update("ReceivedData", {"ID": 1}, {"Result": "-3", "ExternalUpdate": True, "Processed": True}),
        Update("ReceivedData", {"ID": 2}, {"Result": "-2"}),
    )
    after = control.look()
    assert str(control.session.results.standing["A", 1, 1, 1].outcome) == "4SN-3"
    assert str(control.session.results.standing["A", 1, 2, 3].outcome) == "4SN="
    assert (after.results[0].external_update, after.results[0].processed) == (False, True)
    assert after.results[0].result == "-3"


def test_result_erased_by_the_scoring_program_is_erased(make: Make) -> None:
    control = scored(make)
    do(control.path, Update("ReceivedData", {"ID": 1}, {"Erased": True, "ExternalUpdate": True}))
    after = control.look()
    assert ("A", 1, 1, 1) not in control.session.results.standing
    assert not after.results[0].external_update


def test_unreadable_correction_is_reported_and_stays(make: Make) -> None:
    control = scored(make)
    do(
        control.path,
        Update("ReceivedData", {"ID": 1}, {"Contract": "7 NT", "Result": "+1", "ExternalUpdate": True}),
    )
    found = scan(open_contents(control.path), control.sessions, at=AT)
    assert found.requests == ()
    assert found.problems[0].row == "ID 1"


def test_rounds_of_teams_that_are_sent_later_know_the_other_table_of_the_match(make: Make) -> None:
    rows = swiss_teams()
    rows["ReceivedData"] = []
    later = [row for row in rows["RoundData"] if row["Round"] == 2]
    rows["RoundData"] = [row for row in rows["RoundData"] if row["Round"] == 1]
    control = Control.start(make(rows))
    do(
        control.path,
        *(Insert("RoundData", row) for row in later),
        *(Update("Tables", {"Section": id, "Table": 1}, {"UpdateFromRound": 2}) for id in (1, 2, 3, 4)),
    )
    control.look()
    assert not control.rejections
    half = control.session.movement.tables["D", 1].rounds[1]
    assert half.mates is not None
    assert (half.mates.section, half.mates.table, half.team_ns, half.team_ew) == ("C", 1, 4, 2)


def test_rounds_with_custom_boards_out_of_order_are_not_taken(make: Make) -> None:
    control = Control.start(make(mitchell()))
    before = control.session.movement.tables["A", 1].rounds
    key = {"Section": 1, "Table": 1, "Round": 2}
    do(
        control.path,
        Update("RoundData", key, {"CustomBoards": "4,3"}),
        Update("Tables", {"Section": 1, "Table": 1}, {"UpdateFromRound": 2}),
        Update("Tables", {"Section": 1, "Table": 2}, {"UpdateFromRound": 998}),
    )
    found = scan(open_contents(control.path), control.sessions, at=AT)
    assert [str(problem) for problem in found.problems if problem.is_error]
    after = control.look()
    assert [row.instruction for row in after.tables] == [2, 0, 0], "another table is not held up"
    assert control.session.movement.tables["A", 1].rounds == before
