"""Movements, sections and scoring groups, as a scoring program asks for them and changes them."""

import json
from typing import Any

import pytest

from overtrick.bridge import Seat
from overtrick.connector.wire.numbers import DataType, ErrorType, WireCommand
from overtrick.event.movement import WaitingSet
from overtrick.scoring import Method
from tests.connector import samples
from tests.connector.evening import Evening, told

GUID = samples.GUID


def test_get_movement_returns_the_movement_that_was_sent(open_evening: Evening) -> None:
    response = open_evening.ask(WireCommand.GetMovement, {"SessionGuid": GUID, "Letters": "A"})
    assert response.data_type is DataType.Movement
    got = json.loads(response.payload)
    sent = samples.section()
    for name in ("Letters", "Winners", "GameType", "ScoringGroupNumber", "MissingPair"):
        assert got[name] == sent[name]
    for table, wanted in zip(got["Tables"], sent["Tables"], strict=True):
        for at, expected in zip(table["Rounds"], wanted["Rounds"], strict=True):
            assert {name: at[name] for name in expected} == expected
    assert open_evening.ask(WireCommand.GetMovement, {"Letters": "B"}).error is ErrorType.Movement
    everything = open_evening.ask(WireCommand.GetAllMovements)
    assert everything.data_type is DataType.Sessions
    assert json.loads(everything.payload) == [got]


def last_change_facts(response: Any) -> dict[int, list[int]]:
    assert response.data_type is DataType.Movement, response.payload
    section = json.loads(response.payload)
    return {
        table["TableNumber"]: [at["RoundNumber"] for at in table["Rounds"] if at["Updated"]]
        for table in section["Tables"]
    }


def test_movement_update_returns_changed_rounds_and_erases_only_their_results(
    open_evening: Evening,
) -> None:
    open_evening.play(1, "3NTN=")
    open_evening.play(5, "4SN=", number=2)
    open_evening.play(9, "Pass", number=3)
    open_evening.play(5, "1HW=", table=2, number=2)
    made = samples.section_update()
    rounds = made["Tables"][0]["Rounds"]
    rounds[1]["LowBoardNumber"], rounds[1]["HighBoardNumber"] = 13, 16
    response = open_evening.ask(WireCommand.UpdateMovement, made)
    assert last_change_facts(response) == {1: [2, 3]}
    boards = {
        (item["TableNumber"], item["BoardNumber"])
        for item in open_evening.poll(WireCommand.PollQueueForAllResults)
    }
    assert boards == {(1, 1), (2, 5)}
    same = open_evening.ask(WireCommand.UpdateMovement, made)
    assert same.payload == response.payload, "the same bytes, the same answer"
    assert (
        open_evening.ask(WireCommand.UpdateMovement, made | {"Name": None, "X": 1}).error
        is ErrorType.NoUpdates
    )


def test_movement_update_accepts_a_section_dto(open_evening: Evening) -> None:
    made = samples.section(Name="Open")
    made["Tables"][0]["Rounds"] = made["Tables"][0]["Rounds"][:2]
    response = open_evening.ask(WireCommand.UpdateMovement, made)
    assert last_change_facts(response) == {1: []}
    (table,) = json.loads(response.payload)["Tables"]
    assert [at["RoundNumber"] for at in table["Rounds"]] == [2], "what is above the last round is gone"


@pytest.mark.parametrize("is_listed", [True, False])
def test_a_table_without_rounds_or_left_out_of_an_update_is_removed_with_its_results(
    open_evening: Evening, is_listed: bool
) -> None:
    open_evening.play(1, "3NTN=")
    open_evening.play(1, "4SN=", table=2)
    made = samples.section_update()
    made["Tables"][1]["Rounds"] = []
    if not is_listed:
        del made["Tables"][1]
    assert last_change_facts(open_evening.ask(WireCommand.UpdateMovement, made)) == {2: []}
    left = json.loads(open_evening.ask(WireCommand.GetMovement, {"Letters": "A"}).payload)
    assert [table["TableNumber"] for table in left["Tables"]] == [1]
    boards = open_evening.poll(WireCommand.PollQueueForAllResults)
    assert [(item["TableNumber"], item["IsDeleted"]) for item in boards] == [(1, False)]
    same = made | {"Tables": None, "Name": "Open"}
    assert last_change_facts(open_evening.ask(WireCommand.UpdateMovement, same)) == {}, (
        "no movement was sent at all"
    )


def test_an_update_for_fewer_pairs_seats_a_pair_of_a_removed_table_elsewhere(open_evening: Evening) -> None:
    made = samples.section_update()
    del made["Tables"][1]
    for at, ew in zip(made["Tables"][0]["Rounds"], (3, 3, 3), strict=True):
        at["PairEW"] = ew
    assert last_change_facts(open_evening.ask(WireCommand.UpdateMovement, made)) == {1: [1, 2, 3], 2: []}


def test_a_table_with_explicit_seats_is_removed(evening: Evening) -> None:
    seats = [
        samples.participation(str(4 * (at - 1) + seat), seat, at) for at in (1, 2) for seat in (1, 2, 3, 4)
    ]
    section = samples.section(HasExplicitParticipations=True)
    evening.begin(Sessions=[samples.session(samples.scoring_group(1, section))], Participations=seats)
    made = samples.section_update(HasExplicitParticipations=True, Participations=seats[:4])
    del made["Tables"][1]
    assert last_change_facts(evening.ask(WireCommand.UpdateMovement, made)) == {2: []}


def test_movement_update_adds_a_section_with_group_and_players(open_evening: Evening) -> None:
    made = samples.section_update(
        "B",
        2,
        AddedPlayers=[samples.player("B1")],
        Participations=[samples.participation("B1") | {"SectionLetters": "B"}],
        KeepBridgematesAlive=True,
    )
    assert last_change_facts(open_evening.ask(WireCommand.UpdateMovement, made)) == {
        1: [1, 2, 3],
        2: [1, 2, 3],
    }
    open_evening.projection.catch_up()
    session = open_evening.projection.state.session(GUID)
    assert session is not None
    assert session.setup.groups[2].method is Method.MATCHPOINTS
    assert session.seating.chairs["B", 1, 1, Seat.NORTH].number == "B1"
    assert session.movement.tables["B", 2].is_waiting
    got = json.loads(open_evening.ask(WireCommand.GetMovement, {"Letters": "B"}).payload)
    assert got["KeepBridgematesAlive"]


def test_update_without_scoring_method_stores_players_and_participations(
    open_evening: Evening,
) -> None:
    made = samples.section("B") | {
        "AddedPlayers": [samples.player("B1")],
        "Participations": [samples.participation("B1") | {"SectionLetters": "B"}],
    }
    bad = made | {"Participations": [samples.participation("B1")]}
    assert "SectionLetters" in told(open_evening.ask(WireCommand.UpdateMovement, bad))
    assert last_change_facts(open_evening.ask(WireCommand.UpdateMovement, made)) == {
        1: [1, 2, 3],
        2: [1, 2, 3],
    }
    open_evening.projection.catch_up()
    session = open_evening.projection.state.session(GUID)
    assert session is not None
    assert session.seating.players["B1"].last_name == "Lovelace"
    assert session.seating.chairs["B", 1, 1, Seat.NORTH].number == "B1"


def test_opening_a_session_with_waiting_tables_is_one_command(evening: Evening) -> None:
    section = samples.section()
    section["Tables"][1]["KeepBridgematesAlive"] = True
    evening.begin(Sessions=[samples.session(samples.scoring_group(1, section))])
    entries = list(evening.journal.read(f"session/{GUID}/1"))
    assert [entry.fact for entry in entries if isinstance(entry.fact, WaitingSet)] == [
        WaitingSet("A", 2, True)
    ]
    assert len({entry.command_id for entry in entries}) == 1
    text = json.dumps(samples.session()).replace(GUID, samples.OTHER).replace('"A"', '"B"')
    session = json.loads(text) | {"EventGuid": GUID}
    (group,) = session["ScoringGroups"]
    group["ScoringGroupNumber"] = group["Sections"][0]["ScoringGroupNumber"] = 2
    group["Sections"][0]["KeepBridgematesAlive"] = True
    response = evening.ask(WireCommand.AddSession, {"EventGuid": GUID, "Session": session})
    assert not response.is_error, response.payload
    evening.projection.catch_up()
    added = evening.projection.state.session(samples.OTHER)
    assert added is not None
    assert all(table.is_waiting for table in added.movement.tables.values())


def test_new_group_without_method_or_changed_method_of_a_group_is_refused(open_evening: Evening) -> None:
    assert (
        open_evening.ask(WireCommand.UpdateMovement, samples.section("B", 2)).error is ErrorType.EntryUnknown
    )
    made = samples.section_update("B", 1, ScoringGroupScoringMethod=20)
    assert open_evening.ask(WireCommand.UpdateMovement, made).error is ErrorType.Validation


def test_update_with_missing_or_zero_method_keeps_the_method_of_the_group(open_evening: Evening) -> None:
    made = samples.section_update("B", 1, ScoringGroupScoringMethod=0, AddedPlayers=[samples.player("99")])
    response = open_evening.ask(WireCommand.UpdateMovement, made)
    assert not response.is_error, response.payload
    new = samples.section_update("C", 2, ScoringGroupScoringMethod=0)
    assert open_evening.ask(WireCommand.UpdateMovement, new).error is ErrorType.EntryUnknown
    open_evening.projection.catch_up()
    session = open_evening.projection.state.session(GUID)
    assert session is not None
    assert "99" in session.seating.players


def test_deleted_section_has_no_movement(open_evening: Evening) -> None:
    open_evening.play(1, "3NTN=")
    gone = {"SessionGuid": GUID, "Letters": "A", "IsDeleted": True}
    response = open_evening.ask(WireCommand.UpdateMovement, gone)
    assert response.data_type is DataType.Movement
    assert json.loads(response.payload)["Tables"] == []
    assert open_evening.ask(WireCommand.UpdateMovement, gone).payload == response.payload
    assert json.loads(open_evening.ask(WireCommand.GetAllMovements).payload) == []
    assert open_evening.poll(WireCommand.PollQueueForAllResults) == []
    other = gone | {"Letters": "B"}
    assert open_evening.ask(WireCommand.UpdateMovement, other).error is ErrorType.Movement


def test_update_scoring_groups_changes_the_groups(open_evening: Evening) -> None:
    def ask(*groups: Any) -> ErrorType:
        return open_evening.ask(WireCommand.UpdateScoringGroups, list(groups)).error

    assert ask(samples.scoring_group(1)) is ErrorType.NoUpdates
    assert ask(samples.scoring_group(1, ScoringMethod=20)) is ErrorType.Nothing
    assert ask(samples.scoring_group(1, IsDeleted=True, Sections=None)) is ErrorType.Validation
    moved = samples.scoring_group(2, samples.section("A", 2))
    assert ask(moved) is ErrorType.Nothing
    dropped = samples.scoring_group(1, IsDeleted=True, Sections=None)
    assert ask(dropped) is ErrorType.Nothing
    assert ask(dropped) is ErrorType.Nothing, "the same bytes, the same answer"
    assert ask(dropped | {"Name": "gone"}) is ErrorType.EntryUnknown
    assert ask(samples.scoring_group(2, samples.section("B", 2))) is ErrorType.Movement


@pytest.mark.parametrize("command", [WireCommand.UpdateScoringGroups, WireCommand.UpdateMovement])
def test_hand_records_follow_their_section_to_another_group(
    open_evening: Evening, command: WireCommand
) -> None:
    made: Any = samples.section_update("A", 2)
    if command is WireCommand.UpdateScoringGroups:
        made = [samples.scoring_group(2, samples.section("A", 2))]
    response = open_evening.ask(command, made)
    assert not response.is_error, response.payload
    open_evening.projection.catch_up()
    session = open_evening.projection.state.session(GUID)
    assert session is not None
    assert session.setup.sections["A"].group == 2
    assert {(2, 1), (2, 2)} <= set(session.hands.records)
    assert session.hands.records[2, 1].deal == session.hands.records[1, 1].deal


def test_hand_records_of_the_group_that_a_section_joins_stay(evening: Evening) -> None:
    groups = samples.scoring_group(1), samples.scoring_group(2, samples.section("B", 2))
    own = samples.other_handrecord(1, SectionLetters="B")
    evening.begin(Sessions=[samples.session(*groups)], Handrecords=[samples.handrecord(1), own])
    moved = samples.scoring_group(2, samples.section("A", 2), samples.section("B", 2))
    assert not evening.ask(WireCommand.UpdateScoringGroups, [moved]).is_error
    evening.projection.catch_up()
    session = evening.projection.state.session(GUID)
    assert session is not None
    assert session.hands.records[2, 1].deal != session.hands.records[1, 1].deal


def test_group_update_with_a_new_section_is_accepted(open_evening: Evening) -> None:
    groups = [samples.scoring_group(1), samples.scoring_group(2, samples.section("B", 2))]
    assert not open_evening.ask(WireCommand.UpdateScoringGroups, groups).is_error
    assert not open_evening.ask(WireCommand.UpdateMovement, samples.section("B", 2)).is_error


def groups_of(first: str, second: str) -> list[Any]:
    return [
        samples.scoring_group(1, samples.section(first)),
        samples.scoring_group(2, samples.section(second, 2)),
    ]


def cards(evening: Evening, group: int, board: int = 1) -> str:
    session = evening.projection.state.session(GUID)
    assert session is not None
    return str(session.hands.records[group, board].deal)


def test_sections_that_swap_groups_keep_their_hand_records(evening: Evening) -> None:
    records = [samples.handrecord(1), samples.other_handrecord(1, SectionLetters="B")]
    evening.begin(Sessions=[samples.session(*groups_of("A", "B"))], Handrecords=records, Participations=None)
    evening.projection.catch_up()
    of_a, of_b = cards(evening, 1), cards(evening, 2)
    assert of_a != of_b
    assert not evening.ask(WireCommand.UpdateScoringGroups, groups_of("B", "A")).is_error
    evening.projection.catch_up()
    assert (cards(evening, 1), cards(evening, 2)) == (of_b, of_a)


def test_hand_records_that_were_corrected_elsewhere_come_back_with_their_section(evening: Evening) -> None:
    evening.begin(Sessions=[samples.session(*groups_of("A", "B"))], Handrecords=None, Participations=None)
    assert not evening.ask(WireCommand.PutHandrecords, [samples.handrecord(1, SectionLetters="B")]).is_error
    away = [samples.scoring_group(3, samples.section("B", 3))]
    assert not evening.ask(WireCommand.UpdateScoringGroups, away).is_error
    corrected = [samples.other_handrecord(1, SectionLetters="B")]
    assert not evening.ask(WireCommand.PutHandrecords, corrected).is_error
    assert not evening.ask(WireCommand.UpdateScoringGroups, groups_of("A", "B")).is_error
    evening.projection.catch_up()
    assert cards(evening, 2) == cards(evening, 3)
