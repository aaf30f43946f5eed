"""The channel and the clubs: who is answered, when, and with what."""

import json
from pathlib import Path
from typing import Any

import pytest

from overtrick.connector.dispatch import Dispatcher
from overtrick.connector.request_context import Caller, ChangeRequest
from overtrick.connector.request_context import WriteOutcome as Written
from overtrick.connector.wire.envelope import request_bytes
from overtrick.connector.wire.numbers import DataType, ErrorType, Numbering, WireCommand
from overtrick.errors import OvertrickError
from overtrick.event import ContinueEvent, Order
from tests.connector import samples
from tests.connector.evening import Evening, told
from tests.connector.test_bad_input import SENT

GUID, OTHER = samples.GUID, samples.OTHER


# The channel ------------------------------------------------------------------------------------------------


def test_ping_returns_the_string_that_was_sent(evening: Evening) -> None:
    for sent in ('"638712345678901234"', '"Hello \\u20ac"', "not json", ""):
        response = evening.send(request_bytes(WireCommand.Ping, payload=sent))
        assert (response.data_type, response.payload) == (DataType.OK, sent)


def test_connect_and_disconnect_are_answered_ok(evening: Evening) -> None:
    for command in (WireCommand.Connect, WireCommand.Disconnect):
        assert evening.ask(command, session="").data_type is DataType.OK


@pytest.mark.parametrize("number", [0, 2, 9, 16, 17, 18, 40, 41, 1000])
def test_unknown_command_is_answered_not_implemented(evening: Evening, number: int) -> None:
    response = evening.send(json.dumps({"Command": number}).encode())
    assert (response.error, response.command) == (ErrorType.NotImplemented, number)
    told(response)


def test_invalid_request_bytes_are_refused(evening: Evening) -> None:
    response = evening.send(b"Hello world!")
    assert (response.error, response.command) == (ErrorType.Validation, 0)
    told(response)


PUT = request_bytes(WireCommand.PutResults, GUID, json.dumps([samples.result()]))


def test_second_request_of_a_client_is_answered_busy(
    open_evening: Evening, monkeypatch: pytest.MonkeyPatch
) -> None:
    write = open_evening.submit

    def asked_meanwhile(change: ChangeRequest) -> Written:
        assert open_evening.ask(WireCommand.Ping).error is ErrorType.Busy
        other = open_evening.ask(WireCommand.Ping, club="C", over_http=True)
        assert not other.is_error, "another client need not wait"
        return write(change)

    monkeypatch.setattr(open_evening, "submit", asked_meanwhile)
    assert not open_evening.send(PUT).is_error
    assert not open_evening.ask(WireCommand.Ping).is_error


SESSION_COMMANDS = [command for command in WireCommand if command.name.startswith(("Poll", "GetAll"))]


@pytest.mark.parametrize("command", [*SENT, *SESSION_COMMANDS], ids=lambda each: each.name)
def test_request_is_validated_before_the_projection_is_read(evening: Evening, command: WireCommand) -> None:
    class Looked(OvertrickError):
        """Somebody looked."""

    class Unseen:
        def __getattr__(self, name: str) -> Any:
            raise Looked("It was sound.")

    session, made = SENT.get(command, (GUID, None))
    nothing: Any = Unseen()
    dispatcher = Dispatcher(nothing, evening.dispatcher.host)
    sound = request_bytes(command, session, "" if made is None else json.dumps(made))
    assert told(dispatcher.answer(sound, Caller())) == "It was sound."
    if made is not None:
        broken = dispatcher.answer(request_bytes(command, session, '{"Level":'), Caller())
        assert broken.error is ErrorType.Validation


def test_internal_error_is_answered_as_exception_with_a_sentence(
    open_evening: Evening, monkeypatch: pytest.MonkeyPatch
) -> None:
    for error in (OvertrickError("The disk is full."), ZeroDivisionError()):

        def fail(change: ChangeRequest, error: Exception = error) -> Written:
            raise error

        monkeypatch.setattr(open_evening, "submit", fail)
        response = open_evening.send(PUT)
        assert response.error is ErrorType.Exception
        told(response)
        assert not open_evening.ask(WireCommand.Ping).is_error, "the next request is served"


# Clubs ------------------------------------------------------------------------------------------------------


def test_clubs_do_not_see_each_other(tmp_path: Path) -> None:
    evening = Evening(tmp_path, licences={"X": "secret"})
    made = samples.init(Bridgemate2Settings=None, Bridgemate3Settings=None)

    def ask(command: WireCommand, data: Any = None, **more: Any) -> ErrorType:
        return evening.ask(command, data, over_http=True, **more).error

    mine = {"club": "X", "licence": "secret"}
    assert (
        ask(WireCommand.InitializeEvent, made, session="", club="X", licence="wrong") is ErrorType.Validation
    )
    assert ask(WireCommand.InitializeEvent, made, session="", **mine) is ErrorType.Nothing
    assert ask(WireCommand.PollQueueForNewResults, **mine) is ErrorType.Nothing
    assert ask(WireCommand.PollQueueForNewResults, club="Y") is ErrorType.EntryUnknown
    assert ask(WireCommand.PollQueueForNewResults) is ErrorType.EntryUnknown
    assert ask(WireCommand.InitializeEvent, made, session="", club="Y") is ErrorType.Validation
    assert ask(WireCommand.ContinueEvent, samples.continue_(), session="", club="Y") is ErrorType.EntryUnknown
    assert (
        ask(WireCommand.InitializeEvent, made | {"ClubId": "Y"}, session="", **mine) is ErrorType.Validation
    )
    assert ask(WireCommand.Ping, club="X" * 65) is ErrorType.Validation
    assert evening.poll() == [], "over the pipe everything is seen"
    assert json.loads(evening.ask(WireCommand.ManageBCS, {"Command": 8}).payload)["SessionInformation"]
    other = evening.ask(WireCommand.ManageBCS, {"Command": 8}, club="Y", over_http=True)
    assert json.loads(other.payload)["SessionInformation"] == []


def test_club_that_opens_an_event_again_owns_it(open_evening: Evening) -> None:
    put: dict[str, Any] = {"club": "Y", "over_http": True}
    assert not open_evening.ask(WireCommand.PutResults, [samples.result(1)], **put).is_error, (
        "it is nobody's yet"
    )
    made = samples.init(Bridgemate2Settings=None, Bridgemate3Settings=None, EventGuid=OTHER, Commands=0)
    made["Sessions"][0]["EventGuid"] = OTHER
    opened = open_evening.ask(WireCommand.InitializeEvent, made, session="", club="X", over_http=True)
    assert not opened.is_error, opened.payload
    response = open_evening.ask(WireCommand.PutResults, [samples.result(2)], **put)
    assert response.error is ErrorType.EntryUnknown


# The control side -------------------------------------------------------------------------------------------


def test_manage_bcs_lists_sessions_and_shuts_down(evening: Evening) -> None:
    def ask(command: int) -> tuple[DataType, Any]:
        response = evening.ask(WireCommand.ManageBCS, {"Command": command}, session="")
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
    assert evening.ask(WireCommand.ManageBCS, {"Command": 3}).error is ErrorType.Validation
    evening.ask(WireCommand.ContinueEvent, samples.continue_(), session="")
    assert ask(2)[1]["IsRunning"]


def test_starting_an_event_ends_only_the_previous_event_of_its_club(evening: Evening) -> None:
    other = json.loads(json.dumps(samples.init(Bridgemate3Settings=None)).replace(GUID, OTHER))

    def running(club: str) -> list[str]:
        response = evening.ask(WireCommand.ManageBCS, {"Command": 2}, session="", club=club, over_http=True)
        answer = json.loads(response.payload)
        assert answer["IsRunning"] is bool(answer["EventGuid"])
        return [each["SessionGuid"] for each in answer["SessionInformation"]]

    def start(made: Any, club: str) -> None:
        response = evening.ask(WireCommand.InitializeEvent, made, session="", club=club, over_http=True)
        assert not response.is_error, response.payload

    start(samples.init(), "one")
    start(other, "two")
    assert (running("one"), running("two")) == ([GUID], [OTHER])
    third = json.loads(json.dumps(other).replace(OTHER, "3" * 32))
    start(third, "one")
    assert (running("one"), running("two")) == (["3" * 32], [OTHER])
    assert evening.control(ContinueEvent("3" * 32, (Order.SHUT_DOWN,)))  # as after the last result
    assert running("one") == [], "the older one does not run instead"
    again = evening.ask(
        WireCommand.ContinueEvent, samples.continue_(), session="", club="one", over_http=True
    )
    assert not again.is_error, again.payload
    assert running("one") == [GUID]


def test_data_types_can_use_the_guides_numbering(evening: Evening) -> None:
    response = evening.ask(WireCommand.ManageBCS, {"Command": 8}, session="")
    assert json.loads(response.to_bytes(Numbering.GUIDE))["DataType"] == 17
    assert json.loads(response.to_bytes(Numbering.SHIPPED))["DataType"] == 18
