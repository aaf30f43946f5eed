import json
from collections.abc import Callable
from typing import Any

import pytest
from bridgemate_dataconnector import dto as vendor
from hypothesis import given
from hypothesis import strategies as st

from overtrick.connector.wire import event, movement, numbers, play, settings
from overtrick.connector.wire.envelope import (
    Request,
    Response,
    _parse_unusual_request,
    json_text,
    parse_request,
    parse_response,
    refusal,
    request_bytes,
)
from overtrick.connector.wire.model import UnreadableDTO, WireModel
from overtrick.connector.wire.numbers import DataType, ErrorType, Numbering, WireCommand
from overtrick.connector.wire.reading import MalformedRequest, read_many, read_one

OURS: dict[str, type[WireModel]] = {
    name: getattr(module, name)
    for module in (play, movement, event, settings)
    for name in dir(module)
    if name.endswith("DTO") and not name.startswith("_")
}
SHIPPED = sorted(name for name in dir(vendor) if name.endswith("DTO") and name != "BridgemateSettingsDTO")


@pytest.mark.parametrize("name", SHIPPED)
def test_every_property_of_a_shipped_dto_is_read_and_written_back(name: str) -> None:
    shipped = getattr(vendor, name)().to_dict()
    ours = read_one(OURS[name], shipped)
    written = json.loads(json_text(ours))
    assert {key: written[key] for key in shipped} == shipped


def test_commands_have_the_numbers_of_shipped_clients() -> None:
    shipped = {member.value: member.name.rstrip("_") for member in vendor.ScoringProgramDataConnectorCommands}
    for command in WireCommand:
        assert numbers.COMMAND_NAMES[shipped[command].casefold()] is command
    missing = set(shipped) - {int(command) for command in WireCommand}
    assert {shipped[number] for number in missing} == {
        "None",
        "StopBCS",
        "PutTableGraph",
        "UpdateSession",
        "UpdateSection",
        "UpdateTable",
        "TestData",
    }


def test_error_types_have_the_numbers_of_shipped_clients() -> None:
    assert {int(error): error.name for error in ErrorType if error} == {
        member.value: member.name for member in vendor.ErrorType if member
    }


def test_data_types_have_both_numberings() -> None:
    for known in DataType:
        if known is not DataType.Nothing:
            shipped = vendor.DataConnectorResponseData(known.number(Numbering.SHIPPED))
            assert shipped.name == known.name
    # The guide's own list.
    guide = {
        14: "Movement",
        15: "Sessions",
        16: "EventInfo",
        17: "AllSessionsInfo",
        18: "ScoringFileLocation",
    }
    for number, name in guide.items():
        assert DataType.of(number, Numbering.GUIDE).name == name


def test_request_of_the_shipped_client_is_parsed() -> None:
    made = vendor.ScoringProgramRequest()
    made.command = vendor.ScoringProgramDataConnectorCommands.AcceptResultQueueItems
    made.session_guid, made.club_id, made.licence_key, made.serialized_data = "S", "C", "L", "12"
    request = parse_request(json.dumps(made.to_dict()))
    assert (request.command, request.session, request.club, request.licence) == (27, "S", "C", "L")
    assert request.payload == 12
    assert not request.is_empty
    assert (
        json.loads(request_bytes(WireCommand.AcceptResultQueueItems, "S", "12", "C", "L")) == made.to_dict()
    )


def test_nested_data_may_be_a_string_or_an_object() -> None:
    as_text = parse_request('{"Command":34,"SessionGuid":null,"SerializedData":"{\\"Command\\":6}"}')
    as_object = parse_request('{"Command":"ManageBCS","SerializedData":{"Command":6}}')
    assert as_text == as_object


@pytest.mark.parametrize("empty", ["null", '""', '"  "', '"null"'])
def test_request_without_data_is_empty(empty: str) -> None:
    assert parse_request(f'{{"Command":19,"SerializedData":{empty}}}').is_empty


@pytest.mark.parametrize(
    ("line", "error"),
    [
        ("", ErrorType.Validation),
        ("hello", ErrorType.Validation),
        ("[" * 100_000, ErrorType.Validation),
        ('"Hello world!"', ErrorType.Validation),
        ("[]", ErrorType.Validation),
        ("NaN", ErrorType.Validation),
        ('{"Command":[]}', ErrorType.Validation),
        ('{"Command":true}', ErrorType.Validation),
        ('{"Command":1.5}', ErrorType.Validation),
        ("{}", ErrorType.NotImplemented),
        ('{"Command":2}', ErrorType.NotImplemented),
        ('{"Command":40}', ErrorType.NotImplemented),
        ('{"Command":-1}', ErrorType.NotImplemented),
        ('{"Command":99999999999999999999999}', ErrorType.NotImplemented),
        ('{"Command":"Dance"}', ErrorType.NotImplemented),
        ('{"Command":19,"SessionGuid":7}', ErrorType.Validation),
        ('{"Command":10,"SerializedData":"[{"}', ErrorType.Validation),
        ('{"Command":10,"SerializedData":"\\ud800"}', ErrorType.Validation),
        ('{"Command":10,"ClubId":{}}', ErrorType.Validation),
    ],
)
def test_malformed_request_is_answered_with_error_type_and_sentence(line: str, error: ErrorType) -> None:
    with pytest.raises(MalformedRequest) as caught:
        parse_request(line)
    assert caught.value.error is error
    assert caught.value.sentence.endswith(".")


def test_request_that_is_not_utf_8_is_refused() -> None:
    with pytest.raises(MalformedRequest):
        parse_request(b'{"Command":4,"SerializedData":"\xff\xfe"}')


def test_a_refusal_carries_a_json_string() -> None:
    line = refusal(10, ErrorType.Movement, 'No "table" 9.', "S").to_bytes()
    answer = vendor.ScoringProgramResponse.from_dict(json.loads(line))
    assert answer.data_type is vendor.DataConnectorResponseData.Error
    assert answer.error_type is vendor.ErrorType.Movement
    assert json.loads(answer.serialized_data or "") == 'No "table" 9.'
    assert parse_response(line).payload == '"No \\"table\\" 9."'


def test_a_response_round_trips_in_both_numberings() -> None:
    response = Response(34, DataType.ScoringFileLocation, "{}", session="S", last_item=7)
    for numbering in Numbering:
        assert parse_response(response.to_bytes(numbering), numbering) == response
    assert b"\n" not in Response(4, DataType.OK, json_text("a\nb\r\n")).to_bytes()


def test_every_wrong_type_is_reported_with_its_path() -> None:
    broken = {
        "Commands": "1",
        "Sessions": [{"Year": 1.5, "ShowInApp": 0, "ScoringGroups": [3, None]}],
        "PlayerData": {},
        "Participations": [{"Direction": "Up", "TableNumber": True, "PlayerNumber": 12}],
        "Handrecords": [{"BoardNumber": 2**31}],
    }
    with pytest.raises(UnreadableDTO) as caught:
        read_one(event.InitDTO, broken)
    told = "\n".join(caught.value.messages)
    for path in (
        "Commands should be a whole number.",
        "Sessions[0].Year should be a whole number.",
        "Sessions[0].ShowInApp should be true or false.",
        "Sessions[0].ScoringGroups[0] should be an object.",
        "Sessions[0].ScoringGroups[1] should be an object.",
        "PlayerData should be an array.",
        "Participations[0].Direction should be a number or one of None, North, East, South, West.",
        "Participations[0].TableNumber should be a whole number.",
        "Participations[0].PlayerNumber should be text.",
        "Handrecords[0].BoardNumber is a number too large for the Data Connector.",
    ):
        assert path in told


@pytest.mark.parametrize("payload", [3, "x", [], None, True])
def test_single_dto_must_be_an_object(payload: object) -> None:
    with pytest.raises(MalformedRequest) as caught:
        read_one(event.ContinueDTO, payload)
    assert caught.value.error is ErrorType.WrongDataType


@pytest.mark.parametrize("payload", [3, "x", {}, None, True])
def test_several_dtos_must_be_an_array(payload: object) -> None:
    with pytest.raises(MalformedRequest) as caught:
        read_many(play.ResultDTO, payload)
    assert caught.value.error is ErrorType.WrongDataType


def test_null_is_absent_and_unknown_properties_are_ignored() -> None:
    read = read_one(movement.RoundDTO, {"PairNS": None, "Updated": None, "Weather": "fine"})
    assert read == movement.RoundDTO()


def test_enum_is_read_by_number_and_by_name() -> None:
    for sent in (3, "South", "south"):
        assert read_one(play.ParticipationDTO, {"Direction": sent}).Direction is play.TableDirection.South
    with pytest.raises(
        UnreadableDTO, match=r"^Direction is 5, and has to be one of 0 None, 1 North, .* 4 West\.$"
    ):
        read_one(play.ParticipationDTO, {"Direction": 5})
    read = read_one(settings.Bridgemate2SettingsDTO, {"BM2SummaryPoints": -1, "BM2Ranking": "ShowAllRounds"})
    assert (read.BM2SummaryPoints, read.BM2SummaryPoints.name) == (-1, "NoSummary")
    assert (read.BM2Ranking, read.BM2Ranking.name) == (1, "ShowAllRounds")


def test_property_names_spelled_as_in_the_guide_are_read() -> None:
    two = read_one(
        settings.Bridgemate2SettingsDTO,
        {
            "BM2NextSeating": True,
            "MemberNumber": True,
            "BM2EnterHandrecord": True,
            "BM2AutoBoardNumber": 2,
            "BM2ScoreRecap": "AutomaticScoreRecap",
        },
    )
    assert two.BM2NextSeatings
    assert two.MemberNumbers
    assert two.BM2EnterHandRecord
    assert two.BM2AutoBoardNumber
    assert two.BM2FirstBoardManually
    assert two.BM2ScoreRecap
    assert two.BM2AutoShowScoreRecap
    three = read_one(
        settings.Bridgemate3SettingsDTO,
        {"BM3PinCode": "1234", "BM3ScoreColumn": 1, "BM3ViewPercentages": 1, "Bm3ViewResults": 2},
    )
    assert three.BM3PINcode == "1234"
    assert (int(three.BM3ScoreColum), int(three.BMViewPercentages)) == (1, 1)
    assert three.BM3ViewResults == 2


JSON_VALUES: st.SearchStrategy[object] = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text()
    | st.just([])
)


@given(
    st.dictionaries(
        st.sampled_from(["Command", "SessionGuid", "ClubId", "LicenceKey", "SerializedData", "Cat"]),
        JSON_VALUES | st.sampled_from([4, 10, 19, "ping", "PutResults", "[]", '[{"Level":3}]', "{", " ", {}]),
    ),
    st.booleans(),
)
def test_request_in_the_common_layout_gives_the_same_result(envelope: dict[str, Any], is_ascii: bool) -> None:
    def read(reading: Callable[[bytes], Request]) -> object:
        try:
            return reading(json.dumps(envelope, ensure_ascii=is_ascii).encode("utf-8", "surrogatepass"))
        except MalformedRequest as error:
            return error.error, error.sentence, error.number, error.session

    assert read(parse_request) == read(_parse_unusual_request)
