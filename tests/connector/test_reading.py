"""Data that is long or hostile: how much is taken, and what is told of what is wrong."""

import json
from typing import Any
from unittest.mock import patch

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from overtrick.connector.wire import envelope, reading
from overtrick.connector.wire.checks import MOST_LISTED, MOST_PROBLEMS, problems_text
from overtrick.connector.wire.envelope import MOST_ITEMS, MOST_VALUES, parse_request, request_bytes
from overtrick.connector.wire.event import InitDTO, SessionDTO
from overtrick.connector.wire.model import UnreadableDTO
from overtrick.connector.wire.numbers import ErrorType, WireCommand
from overtrick.connector.wire.play import PlayerDataDTO
from overtrick.connector.wire.reading import MalformedRequest, read_many, read_one
from overtrick.connector.wire.settings import Bridgemate2SettingsDTO, Bridgemate3SettingsDTO, SettingsDTO
from tests.connector import samples
from tests.connector.evening import Evening, told
from tests.connector.test_bad_input import ANYTHING
from tests.connector.test_rules import places

GUID = samples.GUID


def put_players(text: str) -> bytes:
    return request_bytes(WireCommand.PutPlayerData, GUID, text)


# What is decoded --------------------------------------------------------------------------------------------

HOSTILE = [
    "[" + "{}," * MOST_ITEMS + "{}]",
    "[" + "0," * MOST_VALUES + "0,0]",
    "[" + "[]," * MOST_VALUES + "0,0]",
    "{" + '"a":1,' * MOST_VALUES + '"a":1,"a":1}',
]


@pytest.mark.parametrize("text", HOSTILE, ids=["objects", "numbers", "arrays", "properties"])
@pytest.mark.parametrize("shape", ["a string", "an object", "an object with a named command"])
def test_request_above_the_item_limit_is_refused_before_decoding(text: str, shape: str) -> None:
    line = {
        "a string": put_players(text),
        "an object": b'{"Command":11,"SerializedData":%s}' % text.encode(),
        "an object with a named command": b'{"Command":"PutPlayerData","SerializedData":%s}' % text.encode(),
    }[shape]
    with (
        patch.object(envelope, "parse_json") as decoding,
        pytest.raises(MalformedRequest, match="at most") as caught,
    ):
        parse_request(line)
    decoding.assert_not_called()
    assert caught.value.error is ErrorType.Validation
    assert caught.value.sentence.startswith("A request has at most ")


def test_items_after_escaped_quotes_are_counted() -> None:
    text = "\\u007b},".join([""] * (MOST_ITEMS + 2))
    line = b'{"Command":11,"SerializedData":"[%s]"}' % text.encode()
    with pytest.raises(MalformedRequest, match=f"at most {MOST_ITEMS} items"):
        parse_request(line)


def test_request_at_the_item_limit_is_read() -> None:
    request = parse_request(put_players("[" + ",".join(["{}"] * MOST_ITEMS) + "]"))
    assert len(request.payload) == MOST_ITEMS


@pytest.mark.parametrize(
    ("line", "error", "sentence"),
    [
        (b"x" * 600_000, ErrorType.Validation, "not JSON"),
        (b"[" * 600_000, ErrorType.Validation, "not JSON"),
        (b'{"Command":11,"SerializedData":"' + b"x" * 600_000, ErrorType.Validation, "not JSON"),
        (b'{"Command":11,"SerializedData":"' + b"x" * 600_000 + b'"]', ErrorType.Validation, "not JSON"),
        (b'{"Command":11,"SerializedData":"' + b"x" * 600_000 + b'"}}', ErrorType.Validation, "not JSON"),
        (b'{"Command":11,"SerializedData":"' + b"[" * 600_000 + b'"}', ErrorType.Validation, "not JSON"),
        (b'{"Command":2,"SerializedData":"' + b"x" * 600_000 + b'"}', ErrorType.NotImplemented, "not served"),
        (b'{"Command":"' + b"x" * 600_000 + b'"}', ErrorType.NotImplemented, "not served"),
        (
            b'{"Command":4,"SerializedData":"' + b"x" * 70_000 + b'"}',
            ErrorType.Validation,
            "Ping has at most",
        ),
        (b'{"Command":19,"SerializedData":[' + b"0," * 70_000 + b"0]}", ErrorType.Validation, "at most"),
        (b"{" + b'"a":1,' * 2_000 + b'"b":1}', ErrorType.NotImplemented, "without a Command"),
    ],
)
def test_long_malformed_requests_are_refused_quickly(line: bytes, error: ErrorType, sentence: str) -> None:
    with pytest.raises(MalformedRequest) as caught:
        parse_request(line)
    assert caught.value.error is error
    assert sentence in caught.value.sentence
    assert len(caught.value.sentence) < 1_000


@pytest.mark.parametrize("data", [b'"' + b" " * 70_000 + b'"', b'"' + b"\\n" * 70_000 + b'"'])
def test_long_whitespace_data_counts_as_empty(data: bytes) -> None:
    assert parse_request(b'{"Command":11,"SerializedData":' + data + b"}").is_empty


def test_long_request_is_read_like_a_short_one() -> None:
    players = [samples.player('é\\"\n😀')] * 5_000
    payload = json.dumps(players)
    outside = {"SessionGuid": GUID, "ClubId": "C", "Cat": 1}
    for ascii_only in (True, False):
        line = json.dumps({"Command": 11, "SerializedData": payload} | outside, ensure_ascii=ascii_only)
        as_object = json.dumps({"Command": "PutPlayerData", "SerializedData": players} | outside)
        for each in (line.encode(), line, as_object.encode(), as_object.encode() + b" \r"):
            request = parse_request(each)
            assert (request.command, request.session, request.club) == (11, GUID, "C")
            assert request.payload == players


def test_text_above_the_longest_is_refused() -> None:
    with pytest.raises(UnreadableDTO, match=r"\[0\].LastName has more than"):
        read_many(PlayerDataDTO, [{"LastName": "x" * 100_000}])
    with pytest.raises(UnreadableDTO, match="EventGuid has more than"):
        read_one(InitDTO, samples.init() | {"EventGuid": "x" * 100_000})


def test_the_last_of_two_properties_with_one_name_counts() -> None:
    players = json.dumps([samples.player("1")] * 1_000)
    for first, second, count in ((players, "[]", 0), ("[]", players, 1_000)):
        text = f'{{"PlayerData":{first},"PlayerData":{second}}}'
        request = parse_request(request_bytes(WireCommand.InitializeEvent, "", text))
        assert len(read_one(InitDTO, request.payload).PlayerData or []) == count


# What is told -----------------------------------------------------------------------------------------------


def test_checking_stops_after_enough_problems() -> None:
    with patch.object(reading, "sentence", wraps=reading.sentence) as telling:
        with pytest.raises(UnreadableDTO) as caught:
            read_many(PlayerDataDTO, [None] * MOST_ITEMS)
        assert telling.call_count == MOST_PROBLEMS
        assert "[99] should be an object. And at least" in str(caught.value)
        assert str(caught.value).endswith("the rest was not checked.")
        telling.reset_mock()
        with pytest.raises(UnreadableDTO) as caught:
            read_one(InitDTO, samples.init(PlayerData=[{"LastName": 7}] * MOST_ITEMS))
        assert telling.call_count == MOST_PROBLEMS
        assert "PlayerData[99].LastName should be text. And at least" in str(caught.value)


def test_problem_of_a_late_item_names_its_index() -> None:
    values: list[Any] = [samples.player(str(number)) for number in range(5_000)]
    values[4321]["LastName"] = 7
    with pytest.raises(UnreadableDTO) as caught:
        read_many(PlayerDataDTO, values)
    assert caught.value.messages == ["[4321].LastName should be text."]
    with pytest.raises(UnreadableDTO) as caught:
        read_one(InitDTO, samples.init(PlayerData=values))
    assert caught.value.messages == ["PlayerData[4321].LastName should be text."]


@settings(max_examples=100, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_properties_read_one_by_one_equal_those_converted_at_once(data: st.DataObject) -> None:
    made: Any = json.loads(json.dumps(samples.combi_session()))
    for _ in range(data.draw(st.integers(0, 3))):
        path = data.draw(st.sampled_from(places(made)))
        holder: Any = made
        for step in path[:-1]:
            holder = holder[step] if isinstance(holder, list | dict) else {}
        if isinstance(holder, list | dict) and (isinstance(holder, list) or path[-1] in holder):
            holder[path[-1]] = data.draw(ANYTHING)
    at_once = reading._convert(SessionDTO, made, SessionDTO)
    fixed: dict[str, Any] = {}
    problems = list(reading._read(SessionDTO, made, "", fixed))
    if at_once is not None:
        assert not problems
        assert msgspec.convert(fixed, SessionDTO) == at_once
    elif not problems:
        assert read_one(SessionDTO, made) == msgspec.convert(fixed, SessionDTO)
    else:
        with pytest.raises(UnreadableDTO) as caught:
            read_one(SessionDTO, made)
        assert caught.value.messages == problems[:MOST_PROBLEMS]


@pytest.mark.parametrize("kind", [Bridgemate2SettingsDTO, Bridgemate3SettingsDTO])
def test_properties_in_the_spelling_of_the_guide_are_read(kind: type[SettingsDTO]) -> None:
    assert kind.GUIDE_NAMES
    for name, guide in kind.GUIDE_NAMES.items():
        value: Any = "1234" if getattr(kind(), name) is None else type(getattr(kind(), name))(1)
        assert read_one(kind, {name: value}) == read_one(kind, {guide: value}) != kind()
        (inner,) = getattr(read_one(InitDTO, {kind.__name__[:-3]: [{guide: value}]}), kind.__name__[:-3])
        assert getattr(inner, name) == value


def test_sentence_lists_the_first_of_very_many_problems() -> None:
    problems = [f"Problem {number}." for number in range(MOST_PROBLEMS + 5)]
    assert problems_text(problems[:MOST_LISTED]) == " ".join(problems[:MOST_LISTED])
    assert problems_text(problems[: MOST_LISTED + 2]).endswith(f"Problem {MOST_LISTED - 1}. And 2 more.")
    assert problems_text(problems).endswith(
        f"And at least {MOST_PROBLEMS + 5 - MOST_LISTED} more; the rest was not checked."
    )


@pytest.mark.parametrize("end", ["]", "", "}", ",null]", ',{"LastName":7}]', ',{"LastName":"x"}]'])
def test_list_with_an_invalid_last_item_changes_nothing(open_evening: Evening, end: str) -> None:
    text = json.dumps([samples.player(str(number)) for number in range(10, 60)])[:-1] + end
    before = open_evening.journal.heads()
    response = open_evening.send(put_players(text))
    if end == "]":
        assert not response.is_error
        return
    assert response.error is ErrorType.Validation
    assert told(response)
    assert open_evening.journal.heads() == before
