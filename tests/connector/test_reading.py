import copy
import json
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from overtrick.connector.dispatch import Exchange
from overtrick.connector.task import Change, Next
from overtrick.connector.wire import envelope, pieces, reading
from overtrick.connector.wire.checks import ENOUGH, TOLD, tell
from overtrick.connector.wire.envelope import parse_json, parse_request, request_bytes
from overtrick.connector.wire.event import AddSessionDTO, InitDTO
from overtrick.connector.wire.model import Unreadable, Wire
from overtrick.connector.wire.movement import ScoringGroupDTO, SectionUpdateDTO
from overtrick.connector.wire.numbers import Command, ErrorType
from overtrick.connector.wire.play import HandrecordDTO, PlayerDataDTO, ResultDTO
from overtrick.connector.wire.reading import (
    Long,
    Malformed,
    let_go,
    read_batches,
    read_many,
    read_one,
    read_results,
)
from tests.connector import samples
from tests.connector.evening import Evening, told
from tests.connector.test_bad_input import ANYTHING
from tests.connector.test_rules import places

GUID = samples.GUID
PIECE = 1200
"""Bytes of a piece in these tests: the samples have whole tables in it, and no whole section."""


@contextmanager
def small_pieces() -> Iterator[None]:
    with ExitStack() as stack:
        for module, name, size in (
            (pieces, "PIECE", PIECE),
            (envelope, "PIECE", PIECE),
            (envelope, "AT_ONCE", 2 * PIECE),
        ):
            stack.enter_context(patch.object(module, name, size))
        yield


def long(value: object) -> Long:
    return Long(json.dumps(value).encode())


def all_of(kind: type[Wire], payload: object) -> list[Wire]:
    return [dto for batch in read_batches(kind, payload) for dto in batch]


ONE: list[tuple[type[Wire], dict[str, Any]]] = [
    (InitDTO, samples.init()),
    (InitDTO, samples.init(samples.combi_session(), PlayerData=None)),
    (
        AddSessionDTO,
        {"EventGuid": GUID, "Session": samples.session(), "PlayerData": [samples.player("1")] * 20},
    ),
    (SectionUpdateDTO, samples.section_update(AddedPlayers=[samples.player("1")] * 9)),
]
MANY: list[tuple[type[Wire], list[Any]]] = [
    (PlayerDataDTO, [samples.player(str(number)) for number in range(30)]),
    (HandrecordDTO, [samples.handrecord(board) for board in range(1, 9)]),
    (ResultDTO, [samples.result(board) for board in range(1, 20)]),
    (ScoringGroupDTO, [samples.scoring_group(number) for number in range(1, 4)]),
]


@pytest.mark.parametrize(("kind", "value"), ONE)
def test_one_from_long_text(kind: type[Wire], value: dict[str, Any]) -> None:
    with small_pieces():
        assert read_one(kind, long(value)) == read_one(kind, value)


@pytest.mark.parametrize(("kind", "values"), MANY)
def test_many_from_long_text(kind: type[Wire], values: list[Any]) -> None:
    with small_pieces():
        found = all_of(kind, long(values))
    names = [name for name in kind.model_fields if name != "ValidationMessages"]
    expected = read_many(kind, values)
    assert [[getattr(dto, name) for name in names] for dto in found] == [
        [getattr(dto, name) for name in names] for dto in expected
    ]


SHORT = ANYTHING.filter(lambda value: len(json.dumps(value)) < 100)
"""No value that is longer than a piece: that is refused, and has a test of its own."""


@settings(max_examples=200, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_long_text_is_judged_as_if_it_were_short(data: st.DataObject) -> None:
    kind, sound = data.draw(st.sampled_from(ONE + MANY))
    made: Any = {"payload": copy.deepcopy(sound)}
    for _ in range(data.draw(st.integers(1, 3))):
        path = data.draw(st.sampled_from(places(made["payload"])))
        holder: Any = made["payload"]
        for step in path[:-1]:
            holder = holder[step]
        if not isinstance(holder, list | dict) or (isinstance(holder, dict) and path[-1] not in holder):
            continue
        holder[path[-1]] = data.draw(SHORT)

    def read(payload: Any) -> object:
        try:
            if isinstance(sound, dict):
                return read_one(kind, payload).model_dump()
            dtos = all_of(kind, payload)
        except Unreadable as error:
            return sorted(error.messages)
        return [{name: getattr(dto, name) for name in kind.model_fields if name[0] != "V"} for dto in dtos]

    with small_pieces():
        text = long(made["payload"])
        assert read(text) == read(parse_json(text.text))


SECTIONS = [
    {name: value for name, value in (samples.section_update() | more).items() if value != "absent"}
    for more in (
        {},
        {"ScoringGroupScoringMethod": None},
        {"ScoringGroupScoringMethod": "absent"},
        {"ScoringGroupScoringMethod": "absent", "AddedPlayers": [samples.player("77")] * 9},
        {"ScoringGroupScoringMethod": "absent", "IsDeleted": True, "Tables": None},
        {"IsDeleted": None, "Participations": [samples.participation("1")]},
    )
]


@pytest.fixture(scope="module")
def plain_evening(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Evening]:
    made = Evening(tmp_path_factory.mktemp("evening"))
    made.begin()
    yield made
    made.journal.close()


@settings(max_examples=200, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_a_long_section_is_judged_as_if_it_were_short(plain_evening: Evening, data: st.DataObject) -> None:
    """Which of two DTOs it is shows in what it has."""
    made: Any = {"payload": copy.deepcopy(data.draw(st.sampled_from(SECTIONS)))}
    for _ in range(data.draw(st.integers(0, 2))):
        path = data.draw(st.sampled_from(places(made["payload"])))
        holder: Any = made["payload"]
        for step in path[:-1]:
            holder = holder[step]
        holder[path[-1]] = data.draw(SHORT)
    line = request_bytes(Command.UpdateMovement, GUID, json.dumps(made["payload"]))

    def judged() -> object:
        exchange = plain_evening.take_up(line)
        assert isinstance(exchange, Exchange)
        while isinstance(exchange.wants, Next):
            exchange.go_on()
        if isinstance(exchange.wants, Change):
            exchange.abandon()
            return exchange.wants.command
        assert exchange.response is not None
        return exchange.response.error, sorted(told(exchange.response).split())

    at_once = judged()
    with small_pieces():
        assert judged() == at_once


def test_no_call_reads_more_than_a_piece_and_nothing_after_enough_is_wrong() -> None:
    counts = []
    real = reading._read_batch

    def counting(kind: Any, items: list[Any], *more: Any) -> Any:
        counts.append(len(items))
        return real(kind, items, *more)

    with patch.object(reading, "_read_batch", counting):
        with pytest.raises(Unreadable) as caught:
            all_of(PlayerDataDTO, Long(b"[" + b"null," * 1_000_000 + b"null]"))
        assert len(counts) == 1
        assert counts[0] <= pieces.PIECE // 5
        assert "[99] should be an object. And at least" in str(caught.value)
        assert str(caught.value).endswith("the rest was not looked at.")
        counts.clear()
        with pytest.raises(Unreadable):
            read_many(PlayerDataDTO, [None] * 100_000)
        assert counts == [reading.BATCH]
        counts.clear()
        assert len(all_of(PlayerDataDTO, long([samples.player("1")] * 5_000))) == 5_000
        assert max(counts) < 1_000


def test_the_message_of_a_late_item_has_its_number() -> None:
    values: list[Any] = [samples.player(str(number)) for number in range(5_000)]
    values[4321]["LastName"] = 7
    for payload in (values, long(values)):
        with pytest.raises(Unreadable) as caught:
            all_of(PlayerDataDTO, payload)
        assert caught.value.messages == ["[4321].LastName should be text."]
    event = samples.init(PlayerData=values)
    with pytest.raises(Unreadable) as caught:
        read_one(InitDTO, long(event))
    assert caught.value.messages == ["PlayerData[4321].LastName should be text."]


@pytest.mark.parametrize(
    "text",
    [
        '[{"LastName":"%s"}]' % ("x" * 100_000),
        '[{"Cat":[%s0]}]' % ("0," * 50_000),
        "[%s]" % ("1" * 100_000),
        "[" * 50 + "0," * 50_000 + "0" + "]" * 50,
    ],
)
def test_one_item_that_is_longer_than_any(text: str) -> None:
    with pytest.raises(Malformed, match="longer than anything"):
        all_of(PlayerDataDTO, Long(text.encode()))


def test_a_property_that_is_longer_than_any() -> None:
    for name in ("EventGuid", "Cat"):
        with pytest.raises(Malformed, match=f"{name} is longer than anything"):
            read_one(InitDTO, long(samples.init() | {name: "x" * 100_000}))
    with pytest.raises(Malformed, match="more than 1000 properties"):
        read_one(InitDTO, long({f"Cat{number}": "x" * 100 for number in range(2_000)}))


def test_the_last_of_two_properties_with_one_name_counts() -> None:
    players = json.dumps([samples.player("1")] * 1_000)
    for first, second, count in ((players, "[]", 0), ("[]", players, 1_000)):
        text = f'{{"PlayerData":{first},"PlayerData":{second}}}'
        assert len(read_one(InitDTO, Long(text.encode())).PlayerData or []) == count


def test_too_many_are_not_kept() -> None:
    with patch.object(reading, "MOST_DTOS", 3_000), pytest.raises(Malformed, match="more than 3000"):
        read_one(InitDTO, long(samples.init(PlayerData=[{}] * 50_000)))


@pytest.mark.parametrize(
    "broken", ["[1,2", "[1 2]", "[1]]", "[,1]", "[1,]", "[nil]", "[1}", "[" * 5_000, '["a]']
)
def test_long_text_that_is_not_json(broken: str) -> None:
    sound = json.dumps([samples.player(str(number)) for number in range(100)])
    with small_pieces():
        for text in (broken, sound[:-1] + "," + broken):
            with pytest.raises((Malformed, Unreadable)) as caught:
                all_of(PlayerDataDTO, Long(text.encode()))
            if isinstance(caught.value, Malformed):
                assert caught.value.error is ErrorType.Validation
                assert caught.value.sentence.startswith("SerializedData is not JSON: ")


def test_arrays_are_emptied_when_they_are_not_needed_any_more() -> None:
    dto = read_one(InitDTO, samples.init())
    sections = [
        section
        for session in dto.Sessions or []
        for group in session.ScoringGroups or []
        for section in group.Sections or []
    ]
    tables = [table for section in sections for table in section.Tables or []]
    let_go(dto)
    assert (dto.PlayerData, dto.Participations, dto.Sessions) == ([], [], [])
    assert all(table.Rounds == [] for table in tables)
    assert dto.Commands == 135


def test_what_was_read_is_let_go_a_batch_at_a_time_when_it_is_refused() -> None:
    emptied = []
    real = reading._empty

    def noting(dtos: list[Any]) -> None:
        emptied.append(len(dtos))
        real(dtos)

    with patch.object(reading, "_empty", noting), pytest.raises(Malformed):
        read_one(
            InitDTO, Long(json.dumps(samples.init(PlayerData=[samples.player("1")] * 3_000))[:-9].encode())
        )
    assert 3_000 in emptied


def test_of_very_many_problems_the_first_are_told() -> None:
    problems = [f"Problem {number}." for number in range(ENOUGH + 5)]
    assert tell(problems[:TOLD]) == " ".join(problems[:TOLD])
    assert tell(problems[: TOLD + 2]).endswith(f"Problem {TOLD - 1}. And 2 more.")
    assert tell(problems).endswith(f"And at least {ENOUGH + 5 - TOLD} more; the rest was not looked at.")


# Whole requests ---------------------------------------------------------------------------------------------


@pytest.fixture
def evening(tmp_path: Path) -> Iterator[Evening]:
    made = Evening(tmp_path)
    with small_pieces():
        made.begin()
        yield made
    made.journal.close()


def test_a_long_request_is_read_as_any_other() -> None:
    payload = json.dumps([samples.player('é\\"\n😀')] * 100)
    for ascii_only in (True, False):
        line = json.dumps(
            {"Command": 11, "SessionGuid": GUID, "ClubId": "C", "SerializedData": payload, "Cat": 1},
            ensure_ascii=ascii_only,
        )
        as_object = json.dumps(
            {
                "Command": "PutPlayerData",
                "SessionGuid": GUID,
                "ClubId": "C",
                "SerializedData": json.loads(payload),
            }
        )
        with small_pieces():
            for each in (line.encode(), line, as_object.encode(), as_object.encode() + b" \r"):
                request = parse_request(each)
                assert (request.command, request.session, request.club) == (11, GUID, "C")
                assert isinstance(request.payload, Long)
                assert all_of(PlayerDataDTO, request.payload) == read_many(PlayerDataDTO, json.loads(payload))


@pytest.mark.parametrize(
    ("line", "error", "told"),
    [
        (b"x" * 5_000, ErrorType.Validation, "JSON object"),
        (b"[" * 5_000, ErrorType.Validation, "JSON object"),
        (b'{"Command":11,"Cat":"' + b"x" * 5_000 + b'"}', ErrorType.Validation, "Only SerializedData"),
        (b'{"Command":11,"SerializedData":"' + b"x" * 5_000, ErrorType.Validation, "not JSON"),
        (b'{"Command":11,"SerializedData":"' + b"x" * 5_000 + b'"]', ErrorType.Validation, "not JSON"),
        (b'{"Command":11,"SerializedData":"' + b"x" * 5_000 + b'"}}', ErrorType.Validation, "not JSON"),
        (b'{"Command":2,"SerializedData":"' + b"x" * 5_000 + b'"}', ErrorType.NotImplemented, "not served"),
        (b'{"Command":4,"SerializedData":"' + b"x" * 5_000 + b'"}', ErrorType.Validation, "Ping has at most"),
        (b'{"Command":19,"SerializedData":[' + b"0," * 5_000 + b"0]}", ErrorType.Validation, "at most"),
        (b"{" + b'"a":1,' * 2_000 + b'"b":1}', ErrorType.NotImplemented, "without a Command"),
        (b"{" + b",".join(b'"%d":1' % n for n in range(2_000)) + b"}", ErrorType.Validation, "at most 1000"),
    ],
)
def test_long_requests_that_cannot_be_understood(line: bytes, error: ErrorType, told: str) -> None:
    with small_pieces(), pytest.raises(Malformed) as caught:
        parse_request(line)
    assert caught.value.error is error
    assert told in caught.value.sentence


@pytest.mark.parametrize("data", [b'"' + b" " * 5_000 + b'"', b'"' + b"\\n" * 5_000 + b'"'])
def test_long_nothing_is_nothing(data: bytes) -> None:
    with small_pieces():
        assert parse_request(b'{"Command":11,"SerializedData":' + data + b"}").is_empty


def test_long_lists_count_like_short_ones(evening: Evening, tmp_path: Path) -> None:
    results = [
        samples.result(board, TableNumber=table, PairNorthSouth=ns, PairEastWest=ew, DeclaringPair=ns)
        for board in (1, 2, 3, 4)
        for table, ns, ew in ((1, 1, 2), (2, 3, 4))
    ]
    results[3] |= {"Level": None}
    sent = [
        (Command.PutResults, results),
        (Command.PutPlayerData, [samples.player(str(number)) for number in range(10, 60)]),
        (Command.PutParticipations, [samples.participation(str(5 - at), at, 1) for at in (1, 2, 3, 4)] * 5),
        (Command.PutHandrecords, [samples.handrecord(board) for board in range(3, 12)]),
        (Command.UpdateMovement, samples.section_update("B", 2, AddedPlayers=[samples.player("77")])),
        (Command.UpdateMovement, samples.section("B", 2, MissingPair=4)),
        (Command.UpdateScoringGroups, [samples.scoring_group(1, ScoringMethod=20)]),
        (Command.PutTdCalls, [samples.td_call(), samples.td_call(TableNumber=2)] * 8),
    ]
    (tmp_path / "other").mkdir()
    at_once = Evening(tmp_path / "other")
    at_once.begin()
    for command, value in sent:
        with patch.object(envelope, "AT_ONCE", 100_000), patch.object(envelope, "PIECE", 100_000):
            expected = at_once.ask(command, value)
        assert isinstance(parse_request(request_bytes(command, GUID, json.dumps(value))).payload, Long)
        assert evening.ask(command, value) == expected
        assert not expected.is_error, (command, expected.payload)

    def facts(made: Evening) -> list[object]:
        found = [entry.fact for stream in sorted(made.journal.heads()) for entry in made.journal.read(stream)]
        return [
            type(fact) if hasattr(fact, "call") else fact for fact in found
        ]  # a call has an id of its own

    assert facts(evening) == facts(at_once)
    at_once.journal.close()


@pytest.mark.parametrize("end", ["]", "", "}", ",null]", ',{"LastName":7}]', ',{"LastName":"x"}]'])
def test_of_a_long_list_nothing_is_applied_when_its_end_is_wrong(evening: Evening, end: str) -> None:
    text = json.dumps([samples.player(str(number)) for number in range(10, 60)])[:-1] + end
    before = evening.journal.heads()
    response = evening.send(request_bytes(Command.PutPlayerData, GUID, text))
    if end == "]":
        assert not response.is_error
        return
    assert response.error is ErrorType.Validation
    assert told(response)
    assert evening.journal.heads() == before


def test_very_many_wrong_ones_are_not_all_told(evening: Evening) -> None:
    for count in (50, 5_000):
        for command, item in (
            (Command.PutPlayerData, samples.player("", "A", "")),
            (Command.PutResults, samples.result(0, Level=9)),
        ):
            sentence = told(evening.ask(command, [item] * count))
            assert sentence.startswith("[0] ")
            assert ("the rest was not looked at" in sentence) is (count == 5_000)
            assert "[49] " in sentence
    event = samples.init(PlayerData=[{}] * 5_000)
    assert "the rest was not looked at" in told(evening.ask(Command.InitializeEvent, event, session=""))
    assert list(read_results([])) == [[]]
