import json
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from bridgemate_dataconnector import dto as vendor

from overtrick.bridge import Deal, Outcome, Seat, Side, Strain
from overtrick.connector import words
from overtrick.connector.dispatch import Dispatcher, Exchange, read_request
from overtrick.connector.putting import MOST_CALLS
from overtrick.connector.task import Caller, Change, Next
from overtrick.connector.wire.checks import TOLD
from overtrick.connector.wire.envelope import Request, request_bytes
from overtrick.connector.wire.numbers import Command, DataType, ErrorType, Numbering
from overtrick.errors import OvertrickError
from overtrick.event import Order, seating
from overtrick.event.calls import AnswerCall, CallDirector, CallStatus
from overtrick.event.hands import HandRecord, HandSource, PutHandRecords
from overtrick.event.house import Ordered
from overtrick.event.movement import WaitingSet
from overtrick.event.results import CorrectResult, EraseResult, Origin, PutResults, ResultEntry
from overtrick.event.seating import Participation, Player, PutParticipations, PutPlayers, Source, SwapPlayers
from overtrick.event.team_rules import SetTeamEvent
from overtrick.host.writer import Submission
from overtrick.scoring import Method
from overtrick.store import Appended
from tests.connector import samples
from tests.connector.evening import NOW, Evening, told
from tests.connector.test_bad_input import SENT

GUID, OTHER = samples.GUID, samples.OTHER


@pytest.fixture
def evening(tmp_path: Path) -> Iterator[Evening]:
    made = Evening(tmp_path)
    yield made
    made.journal.close()


@pytest.fixture
def open_evening(evening: Evening) -> Evening:
    evening.begin()
    return evening


# The channel ------------------------------------------------------------------------------------------------


def test_ping_gives_back_the_string_that_was_sent(evening: Evening) -> None:
    for sent in ('"638712345678901234"', '"Hello \\u20ac"', "not json", ""):
        response = evening.send(request_bytes(Command.Ping, payload=sent))
        assert (response.data_type, response.payload) == (DataType.OK, sent)


def test_connect_and_disconnect(evening: Evening) -> None:
    for command in (Command.Connect, Command.Disconnect):
        assert evening.ask(command, session="").data_type is DataType.OK


@pytest.mark.parametrize("number", [0, 2, 9, 16, 17, 18, 40, 41, 1000])
def test_what_is_not_served_is_not_implemented(evening: Evening, number: int) -> None:
    response = evening.send(json.dumps({"Command": number}).encode())
    assert (response.error, response.command) == (ErrorType.NotImplemented, number)
    told(response)


def test_what_is_no_request_is_refused(evening: Evening) -> None:
    response = evening.send(b"Hello world!")
    assert (response.error, response.command) == (ErrorType.Validation, 0)
    told(response)


def begun(evening: Evening, line: bytes, *, over_http: bool = False) -> Exchange:
    exchange = evening.take_up(line, over_http=over_http)
    assert isinstance(exchange, Exchange)
    exchange.go_on()
    return exchange


PUT = request_bytes(Command.PutResults, GUID, json.dumps([samples.result()]))


def test_one_request_at_a_time(open_evening: Evening) -> None:
    first = begun(open_evening, PUT)
    assert isinstance(first.wants, Change)
    assert open_evening.ask(Command.Ping).error is ErrorType.Busy
    other = open_evening.ask(Command.Ping, club="C", over_http=True)
    assert not other.is_error, "another client need not wait"
    assert not open_evening.drive(first).is_error
    assert not open_evening.ask(Command.Ping).is_error


SESSION_COMMANDS = [command for command in Command if command.name.startswith(("Poll", "GetAll"))]


@pytest.mark.parametrize("command", [*SENT, *SESSION_COMMANDS, Command.ClearData], ids=lambda each: each.name)
def test_what_is_sent_is_read_and_judged_before_anything_is_looked_at(
    evening: Evening, command: Command
) -> None:
    session, made = SENT.get(command, (GUID, None))
    text = "" if made is None else json.dumps(made)
    line = request_bytes(command, session, text)
    request = read_request(line)
    assert isinstance(request, Request)
    nothing: Any = None
    exchange = Dispatcher(nothing, evening.dispatcher.ground).begin(request, line, Caller())
    assert exchange.wants is Next.LOOK


def test_a_client_that_goes_away_in_the_middle_leaves_room_for_the_next(open_evening: Evening) -> None:
    begun(open_evening, PUT).abandon()
    assert not open_evening.ask(Command.Ping).is_error


def test_what_goes_wrong_behind_is_an_exception_with_a_sentence(open_evening: Evening) -> None:
    for error in (OvertrickError("The disk is full."), ZeroDivisionError()):
        exchange = begun(open_evening, PUT)
        exchange.fail(error)
        assert exchange.response is not None
        assert exchange.response.error is ErrorType.Exception
        told(exchange.response)


# Opening ----------------------------------------------------------------------------------------------------


def test_an_event_is_opened(open_evening: Evening) -> None:
    open_evening.mirror.catch_up()
    session = open_evening.mirror.house.session(GUID)
    assert session is not None
    assert session.opened.name == "Friday evening"
    assert session.setup.groups[1].method is Method.MATCHPOINTS
    assert len(session.seating.players) == 8
    assert len(session.seating.chairs) == 8
    assert len(session.hands.records) == 2


def test_opening_again_is_a_new_start_but_the_same_bytes_again_are_not(open_evening: Evening) -> None:
    def incarnation() -> int:
        open_evening.mirror.catch_up()
        return open_evening.mirror.house.incarnations[GUID]

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
        ({"Handrecords": [samples.handrecord(ScoringGroupNumber=2)]}, ErrorType.EntryUnknown),
        ({"Participations": [samples.participation("1", table=9)]}, ErrorType.Movement),
        ({"Bridgemate2Settings": [samples.settings2(VerificationTime=9)]}, ErrorType.Validation),
        ({"Bridgemate2Settings": [samples.settings2("B", VerificationTime=2)]}, ErrorType.Movement),
    ],
)
def test_a_broken_event_is_refused_whole(evening: Evening, changes: Any, error: ErrorType) -> None:
    plain = {"Bridgemate2Settings": None, "Bridgemate3Settings": None}
    response = evening.ask(Command.InitializeEvent, samples.init() | plain | changes, session="")
    assert response.error is error, response.payload
    told(response)
    assert evening.journal.heads() == {}


def test_a_pair_twice_in_a_round_is_refused_by_the_guide(evening: Evening) -> None:
    made = samples.init()
    made["Sessions"][0]["ScoringGroups"][0]["Sections"][0]["Tables"][1]["Rounds"][0]["PairNS"] = 1
    response = evening.ask(Command.InitializeEvent, made | {"Bridgemate2Settings": None}, session="")
    assert response.error is ErrorType.Validation
    assert "sits twice" in told(response)


def test_rounds_over_boards_without_end_are_refused(evening: Evening) -> None:
    made = samples.init(Bridgemate2Settings=None)
    made["Sessions"][0]["ScoringGroups"][0]["Sections"][0]["Tables"][0]["Rounds"][0]["HighBoardNumber"] = (
        2**31 - 1
    )
    assert evening.ask(Command.InitializeEvent, made, session="").error is ErrorType.Validation


def test_a_session_guid_where_none_belongs(open_evening: Evening) -> None:
    assert open_evening.ask(Command.InitializeEvent, samples.init()).error is ErrorType.Validation
    assert open_evening.ask(Command.ContinueEvent, samples.continue_()).error is ErrorType.Validation


def test_no_data_where_there_should_be(open_evening: Evening) -> None:
    for command in Command:
        name = command.name
        if (
            name.startswith(("Put", "Update", "Accept", "Add", "Init", "Continue", "Manage"))
            or name == "GetMovement"
        ):
            session = "" if name.startswith(("Init", "Continue")) else GUID
            assert open_evening.ask(command, session=session).error is ErrorType.NoData, name
    assert open_evening.ask(Command.PutResults, []).error is ErrorType.NoData


def test_the_wrong_shape_of_data(open_evening: Evening) -> None:
    assert open_evening.ask(Command.PutResults, samples.result()).error is ErrorType.WrongDataType
    assert open_evening.ask(Command.UpdateMovement, [samples.section()]).error is ErrorType.WrongDataType
    assert open_evening.ask(Command.AcceptResultQueueItems, "7").error is ErrorType.WrongDataType
    assert open_evening.ask(Command.AcceptResultQueueItems, 7.5).error is ErrorType.WrongDataType


def test_an_unknown_session(open_evening: Evening) -> None:
    for command, data in (
        (Command.PutResults, [samples.result() | {"SessionGuid": samples.OTHER}]),
        (Command.PollQueueForNewResults, None),
        (Command.PollQueueForAllTdCalls, None),
        (Command.AcceptResultQueueItems, 1),
        (Command.GetAllMovements, None),
        (Command.GetMovement, {"Letters": "A"}),
    ):
        response = open_evening.ask(command, data, session=samples.OTHER)
        assert response.error is ErrorType.EntryUnknown, command.name
    assert open_evening.ask(Command.PollQueueForNewResults, session="").error is ErrorType.Validation


def test_data_of_another_session_than_the_request(open_evening: Evening) -> None:
    response = open_evening.ask(Command.PutResults, [samples.result() | {"SessionGuid": samples.OTHER}])
    assert response.error is ErrorType.Validation


def test_orders_are_noted_and_heard(tmp_path: Path) -> None:
    heard: list[tuple[Order, ...]] = []
    evening = Evening(tmp_path, ordered=heard.append)
    evening.begin(Commands=1 + 2 + 64 + 32)
    asked = (Order.START, Order.RESET, Order.SHUT_DOWN_AFTER_LAST_RESULT, Order.LOG_EVERYTHING)
    assert heard == [asked]
    evening.mirror.catch_up()
    assert evening.mirror.house.events[GUID].orders == asked
    refused = samples.init(Commands=64, Sessions=[])
    assert evening.ask(Command.InitializeEvent, refused, session="").is_error
    assert heard == [asked]
    evening.ask(Command.ContinueEvent, samples.continue_(Commands=5), session="")
    assert heard[1:] == [(Order.START, Order.READ)]
    evening.journal.close()


@pytest.mark.parametrize(("flag", "order"), words.ORDERS)
def test_each_order_is_a_fact_of_its_own(evening: Evening, flag: int, order: Order) -> None:
    def noted() -> list[tuple[Order, ...]]:
        entries = evening.journal.read(f"event/{GUID}")
        return [entry.fact.orders for entry in entries if isinstance(entry.fact, Ordered)]

    evening.begin(Commands=flag)
    assert noted() == [(order,)]
    if not evening.ask(Command.ContinueEvent, samples.continue_(Commands=flag), session="").is_error:
        assert noted() == [(order,)] * 2
    evening.ask(Command.ContinueEvent, samples.continue_(Commands=1), session="")
    assert not evening.ask(Command.ManageBCS, {"Command": 1}, session="").is_error
    assert noted()[-2:] == [(Order.START,), (Order.SHUT_DOWN,)]


def test_continuing(open_evening: Evening) -> None:
    def ask(**changes: Any) -> ErrorType:
        return open_evening.ask(Command.ContinueEvent, samples.continue_(**changes), session="").error

    assert ask() is ErrorType.Nothing
    assert ask() is ErrorType.Nothing
    for flag in (2, 8, 64, 256, -1):
        assert ask(Commands=flag) is ErrorType.Validation
    assert ask(EventGuid=samples.OTHER) is ErrorType.EntryUnknown
    assert ask(EventGuid=None) is ErrorType.EntryUnknown
    assert ask(AlternativeDataFolder="/nowhere") is ErrorType.Validation


def test_another_data_folder_has_to_be_inside_ours(tmp_path: Path) -> None:
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
        assert evening.ask(Command.ContinueEvent, asked, session="").error is error, folder


def added(*tables: Any, **changes: Any) -> dict[str, Any]:
    section = samples.section("B", 2)
    section["Tables"] += tables
    text = json.dumps(samples.session(samples.scoring_group(2, section))).replace(GUID, samples.OTHER)
    return {"EventGuid": GUID, "Session": json.loads(text) | {"EventGuid": GUID}} | changes


def test_adding_a_session(open_evening: Evening) -> None:
    assert not open_evening.ask(Command.AddSession, added()).is_error
    assert not open_evening.ask(Command.AddSession, added()).is_error, "the same bytes, the same answer"
    sections = open_evening.ask(Command.GetAllMovements, session=samples.OTHER)
    assert [section["Letters"] for section in json.loads(sections.payload)] == ["B"]
    open_evening.play(1, "3NTN=")
    open_evening.ask(Command.PutResults, [samples.result(2)])
    again = open_evening.ask(Command.AddSession, added())
    assert again.error is ErrorType.Validation, "by now something else was changed"


@pytest.mark.parametrize("named", [GUID, samples.OTHER])
@pytest.mark.parametrize("most", [2, 40])
def test_a_session_by_itself_is_added_as_older_clients_send_it(
    open_evening: Evening, named: str, most: int
) -> None:
    session = added(*(samples.table(number, [(0, 0)] * 60, "B") for number in range(3, most)))["Session"]
    assert (len(json.dumps(session)) > 512 * 1024) is (most > 2), "longer is read in pieces"
    assert open_evening.ask(Command.AddSession, session, session=named).error is ErrorType.Nothing
    sections = open_evening.ask(Command.GetAllMovements, session=samples.OTHER)
    assert [section["Letters"] for section in json.loads(sections.payload)] == ["B"]


def test_an_added_session_has_letters_and_groups_of_its_own(open_evening: Evening) -> None:
    for group, letters in ((1, "B"), (2, "A")):
        made = json.dumps(samples.session(samples.scoring_group(group, samples.section(letters, group))))
        session = json.loads(made.replace(GUID, samples.OTHER)) | {"EventGuid": GUID}
        response = open_evening.ask(Command.AddSession, {"EventGuid": GUID, "Session": session})
        assert response.error is ErrorType.Validation
    unknown = added(EventGuid=samples.OTHER, Session=added()["Session"] | {"EventGuid": samples.OTHER})
    assert (
        open_evening.ask(Command.AddSession, unknown, session=samples.OTHER).error is ErrorType.EntryUnknown
    )
    assert open_evening.ask(Command.AddSession, added(), session="").error is ErrorType.Validation


# Movement ---------------------------------------------------------------------------------------------------


def test_get_movement_gives_what_was_sent(open_evening: Evening) -> None:
    response = open_evening.ask(Command.GetMovement, {"SessionGuid": GUID, "Letters": "A"})
    assert response.data_type is DataType.Movement
    got = json.loads(response.payload)
    sent = samples.section()
    for name in ("Letters", "Winners", "GameType", "ScoringGroupNumber", "MissingPair"):
        assert got[name] == sent[name]
    for table, wanted in zip(got["Tables"], sent["Tables"], strict=True):
        for at, expected in zip(table["Rounds"], wanted["Rounds"], strict=True):
            assert {name: at[name] for name in expected} == expected
    assert open_evening.ask(Command.GetMovement, {"Letters": "B"}).error is ErrorType.Movement
    everything = open_evening.ask(Command.GetAllMovements)
    assert everything.data_type is DataType.Sessions
    assert json.loads(everything.payload) == [got]


def changed(response: Any) -> dict[int, list[int]]:
    assert response.data_type is DataType.Movement, response.payload
    section = json.loads(response.payload)
    return {
        table["TableNumber"]: [at["RoundNumber"] for at in table["Rounds"] if at["Updated"]]
        for table in section["Tables"]
    }


def test_a_movement_update_answers_the_rounds_that_changed_and_erases_just_their_results(
    open_evening: Evening,
) -> None:
    open_evening.play(1, "3NTN=")
    open_evening.play(5, "4SN=", number=2)
    open_evening.play(9, "Pass", number=3)
    open_evening.play(5, "1HW=", table=2, number=2)
    made = samples.section_update()
    rounds = made["Tables"][0]["Rounds"]
    rounds[1]["LowBoardNumber"], rounds[1]["HighBoardNumber"] = 13, 16
    response = open_evening.ask(Command.UpdateMovement, made)
    assert changed(response) == {1: [2, 3]}
    boards = {
        (item["TableNumber"], item["BoardNumber"])
        for item in open_evening.poll(Command.PollQueueForAllResults)
    }
    assert boards == {(1, 1), (2, 5)}
    same = open_evening.ask(Command.UpdateMovement, made)
    assert same.payload == response.payload, "the same bytes, the same answer"
    assert (
        open_evening.ask(Command.UpdateMovement, made | {"Name": None, "X": 1}).error is ErrorType.NoUpdates
    )


def test_a_movement_update_as_a_section_dto(open_evening: Evening) -> None:
    made = samples.section(Name="Open")
    made["Tables"][0]["Rounds"] = made["Tables"][0]["Rounds"][:2]
    response = open_evening.ask(Command.UpdateMovement, made)
    assert changed(response) == {1: []}
    (table,) = json.loads(response.payload)["Tables"]
    assert [at["RoundNumber"] for at in table["Rounds"]] == [2], "what is above the last round is gone"


def test_tables_that_are_not_listed_stay_and_a_table_without_rounds_goes(open_evening: Evening) -> None:
    made = samples.section_update()
    del made["Tables"][0]
    made["Tables"][0]["Rounds"] = []
    assert changed(open_evening.ask(Command.UpdateMovement, made)) == {2: []}
    left = json.loads(open_evening.ask(Command.GetMovement, {"Letters": "A"}).payload)
    assert [table["TableNumber"] for table in left["Tables"]] == [1]


def test_a_section_is_added_with_its_group_and_its_people(open_evening: Evening) -> None:
    made = samples.section_update(
        "B",
        2,
        AddedPlayers=[samples.player("B1")],
        Participations=[samples.participation("B1") | {"SectionLetters": "B"}],
        KeepBridgematesAlive=True,
    )
    assert changed(open_evening.ask(Command.UpdateMovement, made)) == {1: [1, 2, 3], 2: [1, 2, 3]}
    open_evening.mirror.catch_up()
    session = open_evening.mirror.house.session(GUID)
    assert session is not None
    assert session.setup.groups[2].method is Method.MATCHPOINTS
    assert session.seating.chairs["B", 1, 1, Seat.NORTH].number == "B1"
    assert session.movement.tables["B", 2].is_waiting
    got = json.loads(open_evening.ask(Command.GetMovement, {"Letters": "B"}).payload)
    assert got["KeepBridgematesAlive"]


def test_tables_that_wait_are_opened_as_such_in_one_go(evening: Evening) -> None:
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
    response = evening.ask(Command.AddSession, {"EventGuid": GUID, "Session": session})
    assert not response.is_error, response.payload
    evening.mirror.catch_up()
    added = evening.mirror.house.session(samples.OTHER)
    assert added is not None
    assert all(table.is_waiting for table in added.movement.tables.values())


def test_a_new_group_without_a_method_or_another_method_for_a_known_group(open_evening: Evening) -> None:
    assert open_evening.ask(Command.UpdateMovement, samples.section("B", 2)).error is ErrorType.EntryUnknown
    made = samples.section_update("B", 1, ScoringGroupScoringMethod=20)
    assert open_evening.ask(Command.UpdateMovement, made).error is ErrorType.Validation


def test_deleting_a_section(open_evening: Evening) -> None:
    open_evening.play(1, "3NTN=")
    gone = {"SessionGuid": GUID, "Letters": "A", "IsDeleted": True}
    response = open_evening.ask(Command.UpdateMovement, gone)
    assert response.data_type is DataType.Movement
    assert json.loads(response.payload)["Tables"] == []
    assert open_evening.ask(Command.UpdateMovement, gone).payload == response.payload
    assert json.loads(open_evening.ask(Command.GetAllMovements).payload) == []
    assert open_evening.poll(Command.PollQueueForAllResults) == []
    other = gone | {"Letters": "B"}
    assert open_evening.ask(Command.UpdateMovement, other).error is ErrorType.Movement


def test_scoring_groups(open_evening: Evening) -> None:
    def ask(*groups: Any) -> ErrorType:
        return open_evening.ask(Command.UpdateScoringGroups, list(groups)).error

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


def test_a_group_may_come_before_its_section(open_evening: Evening) -> None:
    groups = [samples.scoring_group(1), samples.scoring_group(2, samples.section("B", 2))]
    assert not open_evening.ask(Command.UpdateScoringGroups, groups).is_error
    assert not open_evening.ask(Command.UpdateMovement, samples.section("B", 2)).is_error


# Play -------------------------------------------------------------------------------------------------------


def standing(evening: Evening, board: int = 1, table: int = 1) -> str:
    evening.mirror.catch_up()
    session = evening.mirror.house.session(GUID)
    assert session is not None
    found = session.results.standing.get(("A", table, 1, board))
    return "" if found is None else str(found.outcome)


def test_results_are_taken_in_order_all_or_none(open_evening: Evening) -> None:
    batch = [samples.result(1), samples.result(2, Level=-3, Denomination=0), samples.result(1, Level=4)]
    assert not open_evening.ask(Command.PutResults, batch).is_error
    assert (standing(open_evening), standing(open_evening, 2)) == ("4NTN-1", "40-60")
    broken = [samples.result(1, Level=7), samples.result(99)]
    response = open_evening.ask(Command.PutResults, broken)
    assert response.error is ErrorType.Movement
    assert "99" in told(response)
    assert standing(open_evening) == "4NTN-1"


@pytest.mark.parametrize("count", [1, TOLD, TOLD + 1, 3_000])
def test_of_very_many_results_without_a_place_the_first_are_told(open_evening: Evening, count: int) -> None:
    nowhere = [samples.result(board, TableNumber=77) for board in range(1, count + 1)]
    response = open_evening.ask(Command.PutResults, nowhere)
    assert response.error is ErrorType.Movement
    sentence = told(response)
    assert sentence.count("no table 77") == min(count, TOLD)
    assert sentence.endswith(f"And {count - TOLD} more.") is (count > TOLD)


def test_the_same_results_again(open_evening: Evening) -> None:
    put = [samples.result()]
    assert not open_evening.ask(Command.PutResults, put).is_error
    assert not open_evening.ask(Command.PutResults, put).is_error, "the same bytes, the same answer"
    open_evening.restart()
    assert not open_evening.ask(Command.PutResults, put).is_error, "after a restart too"
    again = [samples.result() | {"ValidationMessages": None}]
    assert open_evening.ask(Command.PutResults, again).error is ErrorType.NoUpdates
    open_evening.control(
        CorrectResult(GUID, ResultEntry("A", 1, 1, 1, Outcome.parse("Pass"), NOW), Origin.TERMINAL)
    )
    assert not open_evening.ask(Command.PutResults, put).is_error
    assert standing(open_evening) == "3NTN=", "what changed meanwhile is changed back"


def test_the_same_bytes_again_though_the_clock_went_back(open_evening: Evening) -> None:
    open_evening.ask(Command.PutResults, [samples.result(2)])
    open_evening.writer._clock = lambda: datetime(2001, 1, 1, tzinfo=UTC)
    put = [samples.result()]
    assert not open_evening.ask(Command.PutResults, put).is_error
    assert not open_evening.ask(Command.PutResults, put).is_error, "the same bytes, the same answer"


def test_a_team_event_in_the_journal_is_nobody_else_s_business(open_evening: Evening) -> None:
    done = open_evening.writer.write(
        Submission(SetTeamEvent("0" * 32, "Cup", 1), "open the cup", "control", "desk")
    )
    assert isinstance(done, Appended), str(done)
    open_evening.play(1, "3NTN=")
    assert len(open_evening.poll()) == 1


def test_the_same_bytes_later_are_no_resending(open_evening: Evening) -> None:
    put = [samples.result()]
    open_evening.ask(Command.PutResults, put)
    open_evening.ask(Command.PutResults, [samples.result(2)])
    assert open_evening.ask(Command.PutResults, put).error is ErrorType.NoUpdates


def test_deleting_results(open_evening: Evening) -> None:
    open_evening.ask(Command.PutResults, [samples.result(1), samples.result(2)])
    mixed = [samples.result(1, IsDeleted=True), samples.result(2, Level=1), samples.result(2, IsDeleted=True)]
    assert not open_evening.ask(Command.PutResults, mixed).is_error
    assert standing(open_evening, 1) == standing(open_evening, 2) == ""
    unknown = [samples.result(3, IsDeleted=True)]
    assert open_evening.ask(Command.PutResults, unknown).error is ErrorType.EntryUnknown


def test_a_lead_never_refuses_a_result(open_evening: Evening) -> None:
    # The two of spades is West's, and North declares: East should have led.
    put = [samples.result(LeadCardRank=2, LeadCardSuit=4)]
    assert not open_evening.ask(Command.PutResults, put).is_error


@pytest.mark.parametrize(
    ("changes", "error"),
    [
        ({"SectionLetters": "B"}, ErrorType.Movement),
        ({"SectionLetters": "A\n"}, ErrorType.Movement),
        ({"TableNumber": 3}, ErrorType.Movement),
        ({"RoundNumber": 4}, ErrorType.Movement),
        ({"BoardNumber": 5}, ErrorType.Movement),
        ({"PairNorthSouth": 3, "DeclaringPair": 3}, ErrorType.Validation),
        ({"ScoringDirection": 0, "Level": 0}, ErrorType.Validation),
        ({"Level": 8}, ErrorType.Validation),
        ({"Level": "3"}, ErrorType.Validation),
        ({"TotalTricks": None, "Stake": 3}, ErrorType.Validation),
    ],
)
def test_results_that_cannot_be(open_evening: Evening, changes: Any, error: ErrorType) -> None:
    response = open_evening.ask(Command.PutResults, [samples.result(**changes)])
    assert response.error is error
    told(response)
    assert standing(open_evening) == ""


def test_switched_seats(open_evening: Evening) -> None:
    put = [samples.result(1, DeclaringPair=2), samples.result(2)]
    assert not open_evening.ask(Command.PutResults, put).is_error
    open_evening.mirror.catch_up()
    session = open_evening.mirror.house.session(GUID)
    assert session is not None
    assert session.results.standing["A", 1, 1, 1].is_wrong_direction
    assert not session.results.standing["A", 1, 1, 2].is_wrong_direction


def test_players_and_participations(open_evening: Evening) -> None:
    assert not open_evening.ask(Command.PutPlayerData, [samples.player("1")]).is_error, "known, and no matter"
    known = [samples.participation("1")]
    assert open_evening.ask(Command.PutParticipations, known).error is ErrorType.NoUpdates
    assert not open_evening.ask(Command.PutPlayerData, [samples.player("9", last="Byron")]).is_error
    unknown = [samples.participation("77")]
    assert open_evening.ask(Command.PutParticipations, unknown).error is ErrorType.EntryUnknown
    assert (
        open_evening.ask(Command.PutParticipations, [samples.participation("1", table=9)]).error
        is ErrorType.Movement
    )
    twice = [samples.participation("1", 2)]
    assert open_evening.ask(Command.PutParticipations, twice).error is ErrorType.Validation
    assert not open_evening.ask(Command.PutParticipations, [samples.participation("9")]).is_error
    by_name = [samples.participation(None, LastName="Hopper", FirstName="Grace")]
    assert not open_evening.ask(Command.PutParticipations, by_name).is_error
    removal = [samples.participation(None, IsRemoval=True)]
    assert not open_evening.ask(Command.PutParticipations, removal).is_error


def explicit_event() -> dict[str, Any]:
    """Every round's seats at table 1, with partners that change."""
    section = samples.section(HasExplicitParticipations=True, GameType=20)
    seats = [
        samples.participation(str((number + seat) % 4 + 1), seat, RoundNumber=number)
        for number in (1, 2, 3)
        for seat in (1, 2, 3, 4)
    ]
    return {"Sessions": [samples.session(samples.scoring_group(1, section))], "Participations": seats}


def test_seats_that_are_told_for_every_round(evening: Evening) -> None:
    evening.begin(**explicit_event())
    evening.mirror.catch_up()
    session = evening.mirror.house.session(GUID)
    assert session is not None
    for number in (1, 2, 3):
        present = seating.line_up(session, "A", number)
        assert present[1, Seat.NORTH].number == str((number + 1) % 4 + 1)
    got = json.loads(evening.ask(Command.GetMovement, {"Letters": "A"}).payload)
    assert got["HasExplicitParticipations"]
    later = [samples.participation("5", RoundNumber=3)]
    assert not evening.ask(Command.PutParticipations, later).is_error
    whole = samples.section_update(
        GameType=20,
        HasExplicitParticipations=True,
        Participations=[samples.participation("6", 2, RoundNumber=2)],
    )
    assert not evening.ask(Command.UpdateMovement, whole).is_error
    evening.mirror.catch_up()
    assert list(session.seating.chairs) == [("A", 1, 2, Seat.EAST)], "the new seating is the whole seating"
    plain = samples.section_update(GameType=20)
    assert evening.ask(Command.UpdateMovement, plain).error is ErrorType.Validation


def test_seats_after_the_first_round_where_they_follow_from_the_movement(open_evening: Evening) -> None:
    later = [samples.participation("5", RoundNumber=2)]
    assert open_evening.ask(Command.PutParticipations, later).error is ErrorType.Validation


def test_hand_records_and_settings(open_evening: Evening) -> None:
    record = samples.handrecord(3, HasHandEvaluationData=True, DoubleDummyNorthNoTrump=9)
    assert not open_evening.ask(Command.PutHandrecords, [record]).is_error
    assert open_evening.ask(Command.PutHandrecords, [record | {"x": 1}]).error is ErrorType.NoUpdates
    wrong = record | {"DoubleDummyWestSpades": 14}
    assert open_evening.ask(Command.PutHandrecords, [wrong]).error is ErrorType.Validation
    second = [samples.settings2(VerificationTime=3)]
    assert not open_evening.ask(Command.PutBridgemate2Settings, second).is_error
    third = [samples.settings3(BM3Language="Dutch")]
    assert not open_evening.ask(Command.PutBridgemate3Settings, third).is_error
    open_evening.mirror.catch_up()
    session = open_evening.mirror.house.session(GUID)
    assert session is not None
    tricks = session.hands.records[1, 3].tricks
    assert tricks is not None
    assert tricks[Seat.NORTH, Strain.NOTRUMP] == 9
    assert session.settings.second["A"].verification_seconds == 3
    assert session.settings.third["A"].language.value == "nl"


def test_a_verification_time_that_nobody_set_is_ours(open_evening: Evening) -> None:
    unset = [samples.settings2(VerificationTime=0)]
    assert open_evening.ask(Command.PutBridgemate2Settings, unset).error is ErrorType.Nothing
    open_evening.mirror.catch_up()
    session = open_evening.mirror.house.session(GUID)
    assert session is not None
    assert session.settings.second["A"].verification_seconds == 2


def test_td_calls_of_the_scoring_program(open_evening: Evening) -> None:
    def put(**changes: Any) -> ErrorType:
        return open_evening.ask(Command.PutTdCalls, [samples.td_call(**changes)]).error

    assert put(Status=2) is ErrorType.EntryUnknown
    assert put() is ErrorType.Nothing
    assert put() is ErrorType.Nothing, "the same bytes, the same answer"
    assert put(Minute=16) is ErrorType.NoUpdates
    assert put(Status=2) is ErrorType.Nothing
    assert put(Status=3) is ErrorType.Nothing
    assert put(Status=3) is ErrorType.Nothing, "the same bytes, the same answer"
    assert put(TableNumber=9) is ErrorType.Movement
    assert put(RoundNumber=9) is ErrorType.Movement
    assert open_evening.poll(Command.PollQueueForNewTdCalls) == []
    most = [samples.td_call(Status=1 + at % 3) for at in range(MOST_CALLS + 1)]
    assert str(MOST_CALLS) in told(open_evening.ask(Command.PutTdCalls, most))


# Queues -----------------------------------------------------------------------------------------------------


def test_what_the_scoring_program_sends_does_not_come_back(open_evening: Evening) -> None:
    open_evening.ask(Command.PutResults, [samples.result()])
    open_evening.ask(Command.PutTdCalls, [samples.td_call()])
    for command in Command:
        if command.name.startswith("Poll"):
            response = open_evening.ask(command)
            assert (response.payload, response.is_error) == ("[]", False), command.name


def test_results_are_new_until_they_are_accepted(open_evening: Evening) -> None:
    for board, outcome in ((1, "3NTN="), (2, "4SxW-2"), (3, "Pass"), (4, "60-40")):
        open_evening.play(board, outcome)
    response = open_evening.ask(Command.PollQueueForNewResults)
    assert response.data_type is DataType.Results
    items = [vendor.ResultDTO.from_dict(item) for item in json.loads(response.payload)]
    assert [item.board_number for item in items] == [1, 2, 3, 4]
    assert [item.level for item in items] == [3, 4, 0, -7]
    assert (items[1].stake, items[1].total_tricks, items[1].declaring_pair) == (1, 8, 2)
    assert len(open_evening.poll()) == 4, "nothing was accepted"
    assert not open_evening.ask(Command.AcceptResultQueueItems, response.last_item).is_error
    assert open_evening.poll() == []
    assert len(open_evening.poll(Command.PollQueueForAllResults)) == 4
    open_evening.restart()
    assert open_evening.poll() == [], "a mark outlives a restart"
    open_evening.ask(Command.AcceptResultQueueItems, 1)
    assert open_evening.poll() == [], "a mark does not go back"


def test_every_polled_result_is_sound(open_evening: Evening) -> None:
    import bridgemate_dataconnector as validators

    outcomes = ["1CE+6", "7NTxxS-13", "Pass", "NP", "40-40", "40-50", "40-60", "50-40", "50-50", "50-60"]
    outcomes += ["60-40", "60-50"]
    for at, outcome in enumerate(outcomes):
        open_evening.play(at + 1, outcome, number=at // 4 + 1)
    items = [vendor.ResultDTO.from_dict(item) for item in open_evening.poll()]
    assert [item.level for item in items] == [1, 7, 0, -10, -1, -2, -3, -4, -5, -6, -7, -8]
    for item in items:
        assert validators.validate_result_dto(item), item.validation_messages


def test_an_id_of_elsewhere_swallows_nothing_that_was_not_offered(open_evening: Evening) -> None:
    open_evening.play(1, "3NTN=")
    first = open_evening.ask(Command.PollQueueForNewResults)
    open_evening.play(2, "3NTN=")
    open_evening.restart()
    open_evening.ask(Command.AcceptResultQueueItems, 10**6)
    assert [item["BoardNumber"] for item in open_evening.poll()] == [2]
    assert first.last_item < open_evening.ask(Command.PollQueueForNewResults).last_item


def test_nothing_offered_nothing_accepted(open_evening: Evening) -> None:
    open_evening.play(1, "3NTN=")
    assert not open_evening.ask(Command.AcceptResultQueueItems, 10**6).is_error
    assert len(open_evening.poll()) == 1


def test_clubs_have_marks_of_their_own(open_evening: Evening) -> None:
    open_evening.play(1, "3NTN=")
    last = open_evening.ask(Command.PollQueueForNewResults, club="X").last_item
    open_evening.ask(Command.AcceptResultQueueItems, last, club="X")
    assert open_evening.poll(club="X") == []
    assert len(open_evening.poll(club="Y")) == 1


def test_corrections_and_erasures(open_evening: Evening) -> None:
    open_evening.play(1, "3NTN=")
    open_evening.control(
        CorrectResult(GUID, ResultEntry("A", 1, 1, 1, Outcome.parse("3NTN+1"), NOW), Origin.TERMINAL)
    )
    open_evening.play(2, "Pass")
    open_evening.control(EraseResult(GUID, "A", 1, 1, 2, Origin.DESK))
    new = [(item["BoardNumber"], item["TotalTricks"], item["IsDeleted"]) for item in open_evening.poll()]
    assert new == [(1, 9, False), (1, 10, False), (2, 0, False), (2, 0, True)]
    everything = open_evening.poll(Command.PollQueueForAllResults)
    assert [(item["BoardNumber"], item["IsDeleted"]) for item in everything] == [(1, False), (2, True)]
    open_evening.ask(Command.PutResults, [samples.result(1)])
    everything = open_evening.poll(Command.PollQueueForAllResults)
    assert [item["BoardNumber"] for item in everything] == [2], "ours was overtaken"


def test_split_scores_are_two_items_and_undecided_ones_none(open_evening: Evening) -> None:
    for side, outcome in ((Side.NS, "60-40"), (Side.EW, "40-50")):
        entry = ResultEntry("A", 1, 1, 1, Outcome.parse(outcome), NOW, side=side)
        open_evening.control(PutResults(GUID, (entry,), Origin.DESK))
    open_evening.play(2, "Arbitral")
    items = open_evening.poll(Command.PollQueueForAllResults)
    assert [(item["ScoringDirection"], item["Level"]) for item in items] == [(1, -7), (2, -4)]


def test_players_who_make_themselves_known(open_evening: Evening) -> None:
    typed = Participation("A", 1, Seat.NORTH, "4711", "Grace", "Hopper")
    open_evening.control(PutParticipations(GUID, (typed,), Source.TERMINAL, must_be_known=False))
    known = Participation("A", 1, Seat.SOUTH, "8")
    open_evening.control(
        PutParticipations(GUID, (Participation("A", 2, Seat.WEST, is_removal=True),), Source.TERMINAL)
    )
    open_evening.control(PutParticipations(GUID, (known,), Source.TERMINAL))
    open_evening.control(PutPlayers(GUID, (Player("50", "Alan", "Turing"),)))
    open_evening.control(SwapPlayers(GUID, "A", 1, 1, Side.NS))
    players = open_evening.poll(Command.PollQueueForNewPlayerData)
    assert [(item["PlayerNumber"], item["LastName"]) for item in players] == [
        ("4711", "Hopper"),
        ("50", "Turing"),
    ]
    seats = open_evening.poll(Command.PollQueueForNewParticipations)
    assert [
        (item["Direction"], item["PlayerNumber"], item["IsRemoval"], item["IsPlayerSwap"]) for item in seats
    ] == [
        (1, "4711", False, False),
        (4, None, True, False),
        (3, "8", False, False),
        (1, "8", False, True),
        (3, "4711", False, True),
    ]
    everything = open_evening.poll(Command.PollQueueForAllParticipations)
    assert [(item["Direction"], item["PlayerNumber"]) for item in everything] == [
        (4, None),
        (1, "8"),
        (3, "4711"),
    ]


def test_hand_records_of_the_tables(open_evening: Evening) -> None:
    deal = Deal.parse("N:86.KT2.K85.Q9742 KJT932.97.942.86 54.8653.AQJT73.3 AQ7.AQJ4.6.AKJT5")
    open_evening.control(PutHandRecords(GUID, (HandRecord(1, 7, deal),), HandSource.TERMINAL))
    (item,) = open_evening.poll(Command.PollQueueForNewHandrecords)
    assert (item["SectionLetters"], item["BoardNumber"], item["NorthClubs"]) == ("A", 7, "Q9742")
    assert not item["HasHandEvaluationData"]
    sent = item | {"BoardNumber": 8}
    assert not open_evening.ask(Command.PutHandrecords, [sent]).is_error


def test_calls_for_the_director(open_evening: Evening) -> None:
    open_evening.control(CallDirector(GUID, "c1", "A", 1, NOW, 2))
    open_evening.control(AnswerCall(GUID, "c1", CallStatus.IN_PROGRESS, NOW))
    items = [vendor.TdCallDTO.from_dict(item) for item in open_evening.poll(Command.PollQueueForNewTdCalls)]
    assert [(item.table_number, item.round_number, item.hour, item.status) for item in items] == [
        (1, 2, 20, 1),
        (1, 2, 20, 2),
    ]
    assert [item["Status"] for item in open_evening.poll(Command.PollQueueForAllTdCalls)] == [2]
    resolved = samples.td_call(RoundNumber=2, Status=3)
    assert not open_evening.ask(Command.PutTdCalls, [resolved]).is_error
    assert open_evening.poll(Command.PollQueueForAllTdCalls) == []


def test_clearing(open_evening: Evening) -> None:
    open_evening.play(1, "3NTN=")
    last = open_evening.ask(Command.PollQueueForNewResults).last_item
    assert not open_evening.ask(Command.ClearData, session="").is_error
    assert open_evening.poll() == []
    assert open_evening.poll(Command.PollQueueForAllResults) == []
    open_evening.play(2, "3NTN=")
    response = open_evening.ask(Command.PollQueueForNewResults)
    assert response.last_item > last, "ids go on rising"
    cleared = samples.continue_(Commands=133)
    assert not open_evening.ask(Command.ContinueEvent, cleared, session="").is_error
    assert open_evening.poll() == []


def test_a_club_clears_for_itself_alone(open_evening: Evening) -> None:
    open_evening.play(1, "3NTN=")
    assert not open_evening.ask(Command.ClearData, session="", club="X", over_http=True).is_error
    assert open_evening.poll(club="X", over_http=True) == []
    assert len(open_evening.poll(club="Y", over_http=True)) == 1


# Clubs ------------------------------------------------------------------------------------------------------


def test_clubs_do_not_see_each_other(tmp_path: Path) -> None:
    evening = Evening(tmp_path, licences={"X": "secret"})
    made = samples.init(Bridgemate2Settings=None, Bridgemate3Settings=None)

    def ask(command: Command, data: Any = None, **more: Any) -> ErrorType:
        return evening.ask(command, data, over_http=True, **more).error

    mine = {"club": "X", "licence": "secret"}
    assert ask(Command.InitializeEvent, made, session="", club="X", licence="wrong") is ErrorType.Validation
    assert ask(Command.InitializeEvent, made, session="", **mine) is ErrorType.Nothing
    assert ask(Command.PollQueueForNewResults, **mine) is ErrorType.Nothing
    assert ask(Command.PollQueueForNewResults, club="Y") is ErrorType.EntryUnknown
    assert ask(Command.PollQueueForNewResults) is ErrorType.EntryUnknown
    assert ask(Command.InitializeEvent, made, session="", club="Y") is ErrorType.Validation
    assert ask(Command.ContinueEvent, samples.continue_(), session="", club="Y") is ErrorType.EntryUnknown
    assert ask(Command.InitializeEvent, made | {"ClubId": "Y"}, session="", **mine) is ErrorType.Validation
    assert ask(Command.Ping, club="X" * 65) is ErrorType.Validation
    assert evening.poll() == [], "over the pipe everything is seen"
    assert json.loads(evening.ask(Command.ManageBCS, {"Command": 8}).payload)["SessionInformation"]
    other = evening.ask(Command.ManageBCS, {"Command": 8}, club="Y", over_http=True)
    assert json.loads(other.payload)["SessionInformation"] == []


def test_a_club_that_opens_an_event_anew_has_it_from_then_on(open_evening: Evening) -> None:
    put: dict[str, Any] = {"club": "Y", "over_http": True}
    assert not open_evening.ask(Command.PutResults, [samples.result(1)], **put).is_error, "it is nobody's yet"
    made = samples.init(Bridgemate2Settings=None, Bridgemate3Settings=None, EventGuid=OTHER, Commands=0)
    made["Sessions"][0]["EventGuid"] = OTHER
    opened = open_evening.ask(Command.InitializeEvent, made, session="", club="X", over_http=True)
    assert not opened.is_error, opened.payload
    response = open_evening.ask(Command.PutResults, [samples.result(2)], **put)
    assert response.error is ErrorType.EntryUnknown


# The control side -------------------------------------------------------------------------------------------


def test_managing(evening: Evening) -> None:
    def ask(command: int) -> tuple[DataType, Any]:
        response = evening.ask(Command.ManageBCS, {"Command": command}, session="")
        return response.data_type, json.loads(response.payload)

    kind, answer = ask(2)
    assert (kind, answer["IsRunning"], answer["SessionInformation"]) == (DataType.EventInfo, False, [])
    evening.begin()
    kind, answer = ask(6)
    assert kind is DataType.EventInfo
    assert (answer["EventGuid"], answer["IsRunning"]) == (GUID, True)
    assert answer["ScoringFilePath"] == str(evening.folder / "evening.journal")
    (listed,) = answer["SessionInformation"]
    assert (listed["SessionName"], listed["SessionDateTime"]) == ("Friday evening", "2024-06-03T19:30:00")
    kind, answer = ask(8)
    assert (kind, answer["EventGuid"], answer["ScoringFilePath"]) == (DataType.AllSessionsInfo, "", "")
    assert len(answer["SessionInformation"]) == 1
    kind, answer = ask(4)
    assert (kind, answer["SessionInformation"]) == (DataType.ScoringFileLocation, [])
    assert Path(answer["ScoringFilePath"]).is_file()
    assert ask(1)[0] is DataType.OK
    assert not ask(2)[1]["IsRunning"]
    assert evening.ask(Command.ManageBCS, {"Command": 3}).error is ErrorType.Validation
    evening.ask(Command.ContinueEvent, samples.continue_(), session="")
    assert ask(2)[1]["IsRunning"]


def test_data_types_by_the_guide(evening: Evening) -> None:
    response = evening.ask(Command.ManageBCS, {"Command": 8}, session="")
    assert json.loads(response.to_bytes(Numbering.GUIDE))["DataType"] == 17
    assert json.loads(response.to_bytes(Numbering.SHIPPED))["DataType"] == 18
