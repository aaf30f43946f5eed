"""Any bad input gets an answer with an error type and a sentence, nothing applied, and the next request is served."""

import copy
import json
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from overtrick.connector.client import Client
from overtrick.connector.pipe_framing import LONGEST
from overtrick.connector.wire.envelope import request_bytes
from overtrick.connector.wire.numbers import ErrorType, WireCommand
from tests.connector import samples
from tests.connector.evening import Evening, told
from tests.connector.running import running
from tests.connector.test_rules import places

GUID = samples.GUID

SENT: dict[WireCommand, tuple[str, Any]] = {
    WireCommand.InitializeEvent: (
        "",
        samples.init(Bridgemate2Settings=[samples.settings2(VerificationTime=2)]),
    ),
    WireCommand.ContinueEvent: ("", samples.continue_()),
    WireCommand.ManageBCS: ("", {"Command": 2}),
    WireCommand.UpdateMovement: (
        GUID,
        samples.section_update("B", 2, AddedPlayers=[samples.player("77")], Participations=[]),
    ),
    WireCommand.AddSession: (GUID, {"EventGuid": GUID, "Session": samples.session()}),
    WireCommand.UpdateScoringGroups: (GUID, [samples.scoring_group(1, ScoringMethod=20)]),
    WireCommand.PutResults: (GUID, [samples.result(), samples.result(2, IsDeleted=True)]),
    WireCommand.PutPlayerData: (GUID, [samples.player("9")]),
    WireCommand.PutParticipations: (GUID, [samples.participation("1"), samples.participation("2", 3)]),
    WireCommand.PutHandrecords: (
        GUID,
        [samples.handrecord(3, HasHandEvaluationData=True, DoubleDummyEastClubs=3)],
    ),
    WireCommand.PutBridgemate2Settings: (GUID, [samples.settings2(VerificationTime=3, MaximumResults=3)]),
    WireCommand.PutBridgemate3Settings: (GUID, [samples.settings3()]),
    WireCommand.PutTdCalls: (GUID, [samples.td_call(), samples.td_call(TableNumber=2)]),
    WireCommand.GetMovement: (GUID, {"SessionGuid": GUID, "Letters": "A"}),
    WireCommand.AcceptResultQueueItems: (GUID, 3),
}

SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**70), 2**70),
    st.integers(-15, 15),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(max_size=6),
    st.sampled_from(["A", "\0", "é" * 300, "../..", "/", GUID, "AKQJT98765432"]),
)
ANYTHING = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=5,
)


@pytest.fixture(scope="module")
def evening(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Evening]:
    made = Evening(tmp_path_factory.mktemp("evening"))
    made.begin()
    yield made
    made.journal.close()


@settings(max_examples=600, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_wrong_value_in_any_property_is_answered_with_an_error(evening: Evening, data: st.DataObject) -> None:
    command = data.draw(st.sampled_from(list(SENT)))
    session, sound = SENT[command]
    made = {"payload": copy.deepcopy(sound)}
    for _ in range(data.draw(st.integers(1, 2))):
        path = data.draw(st.sampled_from(places(made)))
        holder: Any = made
        for step in path[:-1]:
            holder = holder[step]
        holder[path[-1]] = data.draw(ANYTHING)
    before = evening.journal.heads()
    response = evening.ask(command, made["payload"], session=session)
    assert response.command == command
    if response.is_error:
        told(response)
        assert response.error is not ErrorType.Exception, response.payload
        assert evening.journal.heads() == before
    assert not evening.ask(WireCommand.Ping).is_error


@settings(max_examples=300, deadline=None, suppress_health_check=list(HealthCheck))
@given(line=st.one_of(st.binary(max_size=60), ANYTHING.map(lambda value: json.dumps(value).encode())))
def test_any_bytes_are_answered_with_an_error(evening: Evening, line: bytes) -> None:
    response = evening.send(line)
    assert response.is_error
    told(response)
    assert response.error in (ErrorType.Validation, ErrorType.NotImplemented)


@settings(max_examples=200, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    envelope=st.fixed_dictionaries(
        {"Command": st.sampled_from([int(command) for command in WireCommand])},
        optional=dict.fromkeys(("SessionGuid", "ClubId", "LicenceKey", "SerializedData"), ANYTHING),
    ),
    over_http=st.booleans(),
)
def test_any_envelope_is_answered(evening: Evening, envelope: dict[str, Any], over_http: bool) -> None:
    response = evening.send(json.dumps(envelope).encode(), over_http=over_http)
    if response.is_error:
        told(response)
        assert response.error is not ErrorType.Exception, response.payload


def test_line_above_the_limit_is_cut_off_and_the_next_client_is_served() -> None:
    with running() as connector:
        greedy = socket.socket(socket.AF_UNIX)
        greedy.connect(connector.pipe)
        with greedy, pytest.raises((BrokenPipeError, ConnectionResetError)):
            greedy.sendall(b"x" * (2 * LONGEST))
        with Client.over_pipe(connector.pipe) as client:
            assert client.ping()


def test_request_above_the_servers_limit_is_refused_over_pipe_and_http() -> None:
    with running(longest=100_000) as connector:
        for length, status, error in ((100_000, 200, 0), (100_001, 413, ErrorType.Validation)):
            line = request_bytes(WireCommand.Ping, payload='"hello"')
            line += b" " * (length - len(line))
            answer = httpx.post(f"{connector.http}/dc-scoringprogram", content=line)
            assert (answer.status_code, answer.json()["ErrorType"]) == (status, error)
            with socket.socket(socket.AF_UNIX) as client, client.makefile("rb") as answers:
                client.settimeout(20)
                client.connect(connector.pipe)
                client.sendall(line + b"\n")
                assert json.loads(answers.readline())["ErrorType"] == error


def test_server_stops_while_half_a_request_has_come_over_http(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("overtrick.host.http_server.SHUTDOWN_TIMEOUT", 0.2)
    with running() as connector:  # which sees to it that serving has come to its end
        address = connector.http.removeprefix("http://").partition(":")
        slow = socket.create_connection((address[0], int(address[2])))
        slow.settimeout(10)
        head = b"POST /dc-scoringprogram HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\nExpect: 100-continue"
        slow.sendall(head + b"\r\n\r\n")
        assert slow.recv(100).startswith(b"HTTP/1.1 100 "), "it waits for the rest"
        slow.sendall(b"{")
        with Client.over_pipe(connector.pipe) as client:
            assert client.ping()
    slow.close()


@pytest.mark.parametrize("folder", ["a/" * 5000, "x" * 300, "a\0b"])
def test_impossible_data_folder_is_refused(evening: Evening, folder: str) -> None:
    made = samples.continue_(AlternativeDataFolder=folder)
    response = evening.ask(WireCommand.ContinueEvent, made, session="")
    assert response.error is ErrorType.Validation
    assert "does not exist" in told(response)


def test_data_folder_outside_ours_is_refused(tmp_path: Path) -> None:
    inside = tmp_path / "data"
    (inside / "club").mkdir(parents=True)
    (inside / "way out").symlink_to("/")
    (inside / "circle").symlink_to(inside / "circle")
    evening = Evening(tmp_path, data_folder=inside)
    evening.begin()

    def answer(folder: object) -> str:
        made = samples.continue_(AlternativeDataFolder=str(folder))
        response = evening.ask(WireCommand.ContinueEvent, made, session="")
        if not response.is_error:
            return ""
        assert response.error is ErrorType.Validation
        return told(response).replace(str(folder), "…")

    outside = [
        "/",
        "/no/such/folder",
        tmp_path,
        tmp_path / "no such folder",
        inside / "way out",
        inside / "way out" / "no such folder",
        f"{inside}/../..",
        f"{inside}/club/../../data2",
        "somewhere",
        "a\0b",
        "x" * 5000,
    ]
    assert {answer(folder) for folder in outside} == {"AlternativeDataFolder '…' is not in the data folder."}
    assert "does not exist" in answer(inside / "no such folder")
    assert answer(inside / "circle")
    assert answer(inside / "club") == ""
    assert answer("") == ""


@pytest.mark.parametrize(
    ("command", "data", "sentence"),
    [
        (WireCommand.AddSession, None, "AddSession needs an AddSessionDTO."),
        (WireCommand.AddSession, [], "The data should be one AddSessionDTO."),
        (
            WireCommand.PutBridgemate2Settings,
            [samples.settings2(VerificationTime=9)],
            "[0] VerificationTime is 9, and has to be from 1 to 7.",
        ),
        (
            WireCommand.PutParticipations,
            [samples.participation("1", 5)],
            "[0].Direction is 5, and has to be one of 0 None, 1 North, 2 East, 3 South, 4 West.",
        ),
    ],
)
def test_messages_name_the_properties_of_the_wire(
    open_evening: Evening, command: WireCommand, data: Any, sentence: str
) -> None:
    assert told(open_evening.ask(command, data)) == sentence


def test_settings_of_a_new_event_are_named_by_their_property(evening: Evening) -> None:
    made = samples.init(Bridgemate2Settings=[samples.settings2(VerificationTime=9)])
    response = evening.ask(WireCommand.InitializeEvent, made, session="")
    assert told(response) == "Bridgemate2Settings A: VerificationTime is 9, and has to be from 1 to 7."


def test_request_over_several_lines_gets_the_error_that_a_request_is_one_line(evening: Evening) -> None:
    first = json.dumps({"Command": 4}, indent=1).encode().splitlines()[0]
    assert "one request per line" in told(evening.send(first))
