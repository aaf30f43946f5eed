"""Events that are opened and continued, and sessions that are added."""

import json
from pathlib import Path
from typing import Any

import pytest

from overtrick.connector import wire_codes
from overtrick.connector.wire.numbers import ErrorType, WireCommand
from overtrick.event import Order
from overtrick.event.state import Ordered
from overtrick.scoring import Method
from tests.connector import samples
from tests.connector.evening import Evening, told

GUID = samples.GUID


def test_initialize_event_opens_sessions_with_movement_and_players(open_evening: Evening) -> None:
    open_evening.projection.catch_up()
    session = open_evening.projection.state.session(GUID)
    assert session is not None
    assert session.opened.name == "Friday evening"
    assert session.setup.groups[1].method is Method.MATCHPOINTS
    assert len(session.seating.players) == 8
    assert len(session.seating.chairs) == 8
    assert len(session.hands.records) == 2


def test_changed_initialize_restarts_the_session_and_repeated_bytes_do_not(open_evening: Evening) -> None:
    def incarnation() -> int:
        open_evening.projection.catch_up()
        return open_evening.projection.state.incarnations[GUID]

    open_evening.begin()
    assert incarnation() == 1
    open_evening.restart()
    open_evening.begin()
    assert incarnation() == 1, "after a restart too"
    open_evening.play(1, "3NTN=")
    open_evening.begin()
    assert incarnation() == 2, "someone has played, so it is meant"
    assert open_evening.poll() == []
    open_evening.begin(Commands=7)
    assert incarnation() == 3


@pytest.mark.parametrize(
    ("changes", "error"),
    [
        ({"Sessions": []}, ErrorType.Validation),
        ({"Commands": 256}, ErrorType.Validation),
        ({"AlternativeDataFolder": "/nowhere/at/all"}, ErrorType.Validation),
        ({"PlayerData": [samples.player("1"), samples.player("1")]}, ErrorType.Validation),
        ({"Handrecords": [samples.handrecord() | {"SessionGuid": samples.OTHER}]}, ErrorType.Validation),
        ({"Handrecords": [samples.handrecord(SectionLetters="B")]}, ErrorType.Movement),
        (
            {"Handrecords": [samples.handrecord(), samples.other_handrecord()]},
            ErrorType.Validation,
        ),
        ({"Participations": [samples.participation("1", table=9)]}, ErrorType.Movement),
        ({"Bridgemate2Settings": [samples.settings2(VerificationTime=9)]}, ErrorType.Validation),
        ({"Bridgemate2Settings": [samples.settings2("B", VerificationTime=2)]}, ErrorType.Movement),
    ],
)
def test_invalid_event_is_refused_completely(evening: Evening, changes: Any, error: ErrorType) -> None:
    plain = {"Bridgemate2Settings": None, "Bridgemate3Settings": None}
    response = evening.ask(WireCommand.InitializeEvent, samples.init() | plain | changes, session="")
    assert response.error is error, response.payload
    told(response)
    assert evening.journal.heads() == {}


@pytest.mark.parametrize("pairs", [(1, 0), (0, 1), (0, 0)])
def test_boards_of_a_sit_out_or_empty_round_are_ignored(evening: Evening, pairs: tuple[int, int]) -> None:
    section = samples.section()
    section["Tables"][0]["Rounds"][0] |= {"PairNS": pairs[0], "PairEW": pairs[1]}  # with boards 1 to 4
    evening.begin(Sessions=[samples.session(samples.scoring_group(1, section))])
    evening.projection.catch_up()
    session = evening.projection.state.session(GUID)
    assert session is not None
    assert session.movement.tables["A", 1].rounds[0].boards == ()
    assert evening.ask(WireCommand.PutResults, [samples.result()]).error is ErrorType.Movement


def test_hand_records_belong_to_the_group_of_their_section_whatever_group_they_name(evening: Evening) -> None:
    groups = samples.scoring_group(1), samples.scoring_group(9, samples.section("B", 9))
    records = [samples.handrecord(board, SectionLetters="B") for board in (1, 2)]
    evening.begin(Sessions=[samples.session(*groups)], Handrecords=[*records, records[0]])
    evening.projection.catch_up()
    session = evening.projection.state.session(GUID)
    assert session is not None
    assert sorted(session.hands.records) == [(9, 1), (9, 2)]
    late = samples.handrecord(3, SectionLetters="B", ScoringGroupNumber=77)
    assert not evening.ask(WireCommand.PutHandrecords, [late]).is_error
    evening.projection.catch_up()
    assert (9, 3) in session.hands.records
    other = samples.handrecord(4), samples.other_handrecord(4)
    assert evening.ask(WireCommand.PutHandrecords, other).error is ErrorType.Validation


def test_an_event_without_session_name_pin_or_players_opens(evening: Evening) -> None:
    evening.begin(
        Sessions=[samples.session(Name=None)],
        PlayerData=None,
        Participations=[samples.participation(None, LastName="Lovelace")],
        Bridgemate2Settings=[samples.settings2(BM2PINcode=None, VerificationTime=2)],
        Bridgemate3Settings=[samples.settings3(BM3PINcode="")],
    )
    evening.projection.catch_up()
    session = evening.projection.state.session(GUID)
    assert session is not None
    assert [seated.last_name for seated in session.seating.chairs.values()] == ["Lovelace"]


def test_a_participation_of_an_added_session_without_players_is_still_checked(evening: Evening) -> None:
    evening.begin()
    text = json.dumps(samples.session(samples.scoring_group(2, samples.section("B", 2))))
    session = json.loads(text.replace(GUID, samples.OTHER)) | {"EventGuid": GUID}
    seat = samples.participation(None, 9, LastName="Lovelace", SessionGuid=samples.OTHER, SectionLetters="B")
    made = {"EventGuid": GUID, "Session": session, "Participations": [seat]}
    assert evening.ask(WireCommand.AddSession, made).error is ErrorType.Validation
    made["Participations"] = [seat | {"Direction": 1}]
    assert not evening.ask(WireCommand.AddSession, made).is_error


def test_a_pair_twice_in_a_round_is_refused_by_the_guide(evening: Evening) -> None:
    made = samples.init()
    made["Sessions"][0]["ScoringGroups"][0]["Sections"][0]["Tables"][1]["Rounds"][0]["PairNS"] = 1
    response = evening.ask(WireCommand.InitializeEvent, made | {"Bridgemate2Settings": None}, session="")
    assert response.error is ErrorType.Validation
    assert "sits twice" in told(response)


def test_round_with_a_huge_range_of_boards_is_refused(evening: Evening) -> None:
    made = samples.init(Bridgemate2Settings=None)
    made["Sessions"][0]["ScoringGroups"][0]["Sections"][0]["Tables"][0]["Rounds"][0]["HighBoardNumber"] = (
        2**31 - 1
    )
    assert evening.ask(WireCommand.InitializeEvent, made, session="").error is ErrorType.Validation


def test_initialize_with_a_session_guid_is_refused(open_evening: Evening) -> None:
    assert open_evening.ask(WireCommand.InitializeEvent, samples.init()).error is ErrorType.Validation
    assert open_evening.ask(WireCommand.ContinueEvent, samples.continue_()).error is ErrorType.Validation


def test_request_without_its_data_is_refused(open_evening: Evening) -> None:
    for command in WireCommand:
        name = command.name
        if (
            name.startswith(("Put", "Update", "Accept", "Add", "Init", "Continue", "Manage"))
            or name == "GetMovement"
        ):
            session = "" if name.startswith(("Init", "Continue")) else GUID
            assert open_evening.ask(command, session=session).error is ErrorType.NoData, name
    assert open_evening.ask(WireCommand.PutResults, []).error is ErrorType.NoData


def test_data_of_the_wrong_shape_is_refused(open_evening: Evening) -> None:
    assert open_evening.ask(WireCommand.PutResults, samples.result()).error is ErrorType.WrongDataType
    assert open_evening.ask(WireCommand.UpdateMovement, [samples.section()]).error is ErrorType.WrongDataType
    assert open_evening.ask(WireCommand.AcceptResultQueueItems, "7").error is ErrorType.WrongDataType
    assert open_evening.ask(WireCommand.AcceptResultQueueItems, 7.5).error is ErrorType.WrongDataType


def test_request_for_an_unknown_session_is_refused(open_evening: Evening) -> None:
    for command, data in (
        (WireCommand.PutResults, [samples.result() | {"SessionGuid": samples.OTHER}]),
        (WireCommand.PollQueueForNewResults, None),
        (WireCommand.PollQueueForAllTdCalls, None),
        (WireCommand.AcceptResultQueueItems, 1),
        (WireCommand.GetAllMovements, None),
        (WireCommand.GetMovement, {"Letters": "A"}),
    ):
        response = open_evening.ask(command, data, session=samples.OTHER)
        assert response.error is ErrorType.EntryUnknown, command.name
    assert open_evening.ask(WireCommand.PollQueueForNewResults, session="").error is ErrorType.Validation


def test_data_of_another_session_than_the_request_is_refused(open_evening: Evening) -> None:
    response = open_evening.ask(WireCommand.PutResults, [samples.result() | {"SessionGuid": samples.OTHER}])
    assert response.error is ErrorType.Validation


def test_orders_are_recorded_and_passed_to_the_host(tmp_path: Path) -> None:
    heard: list[tuple[Order, ...]] = []
    evening = Evening(tmp_path, ordered=heard.append)
    evening.begin(Commands=1 + 2 + 64 + 32)
    asked = (Order.START, Order.RESET, Order.SHUT_DOWN_AFTER_LAST_RESULT, Order.LOG_EVERYTHING)
    assert heard == [asked]
    evening.projection.catch_up()
    assert evening.projection.state.events[GUID].orders == asked
    refused = samples.init(Commands=64, Sessions=[])
    assert evening.ask(WireCommand.InitializeEvent, refused, session="").is_error
    assert heard == [asked]
    evening.ask(WireCommand.ContinueEvent, samples.continue_(Commands=5), session="")
    assert heard[1:] == [(Order.START, Order.READ)]
    evening.journal.close()


@pytest.mark.parametrize(("flag", "order"), wire_codes.ORDERS)
def test_each_order_is_a_fact_of_its_own(evening: Evening, flag: int, order: Order) -> None:
    def noted() -> list[tuple[Order, ...]]:
        entries = evening.journal.read(f"event/{GUID}")
        return [entry.fact.orders for entry in entries if isinstance(entry.fact, Ordered)]

    evening.begin(Commands=flag)
    assert noted() == [(order,)]
    if not evening.ask(WireCommand.ContinueEvent, samples.continue_(Commands=flag), session="").is_error:
        assert noted() == [(order,)] * 2
    evening.ask(WireCommand.ContinueEvent, samples.continue_(Commands=1), session="")
    assert not evening.ask(WireCommand.ManageBCS, {"Command": 1}, session="").is_error
    assert noted()[-2:] == [(Order.START,), (Order.SHUT_DOWN,)]


def test_event_is_continued_and_bad_requests_are_refused(open_evening: Evening) -> None:
    def ask(**changes: Any) -> ErrorType:
        return open_evening.ask(WireCommand.ContinueEvent, samples.continue_(**changes), session="").error

    assert ask() is ErrorType.Nothing
    assert ask() is ErrorType.Nothing
    for flag in (2, 8, 64, 256, -1):
        assert ask(Commands=flag) is ErrorType.Validation
    assert ask(EventGuid=samples.OTHER) is ErrorType.EntryUnknown
    assert ask(EventGuid=None) is ErrorType.EntryUnknown
    assert ask(AlternativeDataFolder="/nowhere") is ErrorType.Validation


def test_data_folder_inside_ours_is_accepted_and_others_are_refused(tmp_path: Path) -> None:
    inside = tmp_path / "data"
    inside.mkdir()
    evening = Evening(tmp_path, data_folder=inside)
    evening.begin()
    for folder, error in (
        (inside, ErrorType.Nothing),
        (inside / "..", ErrorType.Validation),
        (tmp_path, ErrorType.Validation),
        (Path("/"), ErrorType.Validation),
    ):
        asked = samples.continue_(AlternativeDataFolder=str(folder))
        assert evening.ask(WireCommand.ContinueEvent, asked, session="").error is error, folder


def added(*tables: Any, **changes: Any) -> dict[str, Any]:
    section = samples.section("B", 2)
    section["Tables"] += tables
    text = json.dumps(samples.session(samples.scoring_group(2, section))).replace(GUID, samples.OTHER)
    return {"EventGuid": GUID, "Session": json.loads(text) | {"EventGuid": GUID}} | changes


def test_session_is_added_to_an_event(open_evening: Evening) -> None:
    assert not open_evening.ask(WireCommand.AddSession, added()).is_error
    assert not open_evening.ask(WireCommand.AddSession, added()).is_error, "the same bytes, the same answer"
    sections = open_evening.ask(WireCommand.GetAllMovements, session=samples.OTHER)
    assert [section["Letters"] for section in json.loads(sections.payload)] == ["B"]
    open_evening.play(1, "3NTN=")
    open_evening.ask(WireCommand.PutResults, [samples.result(2)])
    again = open_evening.ask(WireCommand.AddSession, added())
    assert again.error is ErrorType.Validation, "by now something else was changed"


@pytest.mark.parametrize("named", [GUID, samples.OTHER])
@pytest.mark.parametrize("most", [2, 40])
def test_a_session_by_itself_is_added_as_older_clients_send_it(
    open_evening: Evening, named: str, most: int
) -> None:
    session = added(*(samples.table(number, [(0, 0)] * 60, "B") for number in range(3, most)))["Session"]
    assert open_evening.ask(WireCommand.AddSession, session, session=named).error is ErrorType.Nothing
    sections = open_evening.ask(WireCommand.GetAllMovements, session=samples.OTHER)
    assert [section["Letters"] for section in json.loads(sections.payload)] == ["B"]


def test_added_session_with_letters_or_groups_of_another_session_is_refused(open_evening: Evening) -> None:
    for group, letters in ((1, "B"), (2, "A")):
        made = json.dumps(samples.session(samples.scoring_group(group, samples.section(letters, group))))
        session = json.loads(made.replace(GUID, samples.OTHER)) | {"EventGuid": GUID}
        response = open_evening.ask(WireCommand.AddSession, {"EventGuid": GUID, "Session": session})
        assert response.error is ErrorType.Validation
    unknown = added(EventGuid=samples.OTHER, Session=added()["Session"] | {"EventGuid": samples.OTHER})
    assert (
        open_evening.ask(WireCommand.AddSession, unknown, session=samples.OTHER).error
        is ErrorType.EntryUnknown
    )
    assert open_evening.ask(WireCommand.AddSession, added(), session="").error is ErrorType.Validation
