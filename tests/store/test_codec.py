import json
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time, timedelta, timezone
from enum import Enum, IntEnum
from typing import Any, ClassVar, Self

import pytest
from hypothesis import given
from hypothesis import strategies as st

from overtrick.errors import BadInput
from overtrick.store.codec import Codec
from overtrick.store.errors import BadFact, DamagedJournal, UnknownFact
from tests.store.tiny import (
    CODEC,
    EVENING,
    FACTS,
    UPGRADES,
    Contract,
    Doubling,
    Lead,
    ResultEntered,
    Seat,
    TableMoved,
    result,
)

texts = st.text(st.characters(exclude_categories=["Cs"]))
numbers = st.integers(-(2**63), 2**63 - 1)
leads = st.builds(Lead, st.sampled_from(Seat), texts)
results = st.builds(
    ResultEntered,
    section=texts,
    table=numbers,
    board=numbers,
    contract=st.none() | st.builds(Contract, st.integers(1, 7), st.sampled_from(["C", "S", "NT"])),
    doubling=st.sampled_from(Doubling),
    declarer=st.sampled_from(Seat),
    checked=st.booleans(),
    lead=st.none() | leads,
    entered=st.datetimes(timezones=st.just(UTC)) | st.datetimes(),
    pairs=st.lists(numbers).map(tuple),
    remarks=st.frozensets(texts),
)


@given(results)
def test_every_fact_is_read_back_unchanged(fact: ResultEntered) -> None:
    assert CODEC.decode(*CODEC.encode(fact)) == fact


def test_the_text_of_a_fact_is_fixed_and_whole() -> None:
    kind, schema, body = CODEC.encode(result(7, contract=None, lead=None))
    assert (kind, schema) == ("result entered", 1)
    assert body == (
        '{"section":"A","table":4,"board":7,"contract":null,"doubling":1,"declarer":"S","checked":true,'
        '"lead":null,"entered":"2026-02-03T19:37:00Z","pairs":[4,12],"remarks":["late","slow"]}'
    )
    assert json.loads(CODEC.encode(result(7)).body)["contract"] == "4S"
    assert json.loads(CODEC.encode(result(7)).body)["lead"] == {"seat": "N", "card": "HK"}


def test_an_older_schema_is_upgraded() -> None:
    assert CODEC.decode("table moved", 1, '{"table":4}') == TableMoved("A", 4)
    assert CODEC.decode("table moved", 2, '{"section":"B","table":4}') == TableMoved("B", 4)


@pytest.mark.parametrize(
    ("kind", "schema", "words"),
    [
        ("cat fed", 1, "'cat fed', which this Overtrick does not know"),
        ("table moved", 3, "'table moved' of schema 3; this Overtrick knows 2"),
        ("table moved", 0, "'table moved' of schema 0"),
    ],
)
def test_unknown_fact_is_refused(kind: str, schema: int, words: str) -> None:
    with pytest.raises(UnknownFact, match=words):
        CODEC.decode(kind, schema, "{}")


@pytest.mark.parametrize(
    ("kind", "schema", "body"),
    [
        ("table moved", 2, '{"section":"A"}'),
        ("table moved", 2, '{"section":"A","table":"4"}'),
        ("table moved", 2, '{"section":"A","table":4'),
        ("table moved", 2, ""),
        ("table moved", 1, "[1]"),
        ("table moved", 1, "not json"),
        ("result entered", 1, CODEC.encode(result(1)).body.replace('"4S"', '"what"')),
        ("result entered", 1, CODEC.encode(result(1)).body.replace('"4S"', "4")),
    ],
)
def test_unreadable_body_raises_damaged_journal(kind: str, schema: int, body: str) -> None:
    with pytest.raises(DamagedJournal, match=kind):
        CODEC.decode(kind, schema, body)


def test_verify_refuses_unknown_fields() -> None:
    kind, schema, body = CODEC.encode(TableMoved("A", 4))
    CODEC.verify(kind, schema, body)
    with pytest.raises(DamagedJournal, match="other fields"):
        CODEC.verify(kind, schema, body.replace("{", '{"cat":1,'))


@pytest.mark.parametrize(
    "fact",
    [
        result(1, table="one"),
        result(1, contract=["4S"]),
        result(1, section="\ud800"),
        result(1, pairs=(1.5,)),
        result(1, pairs=[4, 12]),
        result(1, entered=EVENING.isoformat()),
    ],
)
def test_a_fact_that_would_not_come_back_is_not_written(fact: ResultEntered) -> None:
    with pytest.raises(BadFact, match="not written"):
        CODEC.encode(fact)


def test_a_fact_that_is_not_registered_is_not_written() -> None:
    codec = Codec({"table moved": TableMoved}, upgrades=UPGRADES)
    with pytest.raises(BadFact, match="not registered"):
        codec.encode(result(1))


def test_a_registry_that_could_not_be_read_back_is_refused() -> None:
    @dataclass(frozen=True, slots=True)
    class Strange:
        kind: ClassVar[str] = "strange"
        schema: ClassVar[int] = 1
        what: tuple[frozenset[Codec], ...]

    with pytest.raises(TypeError, match="field of Codec, which has no text"):
        Codec({"strange": Strange})
    with pytest.raises(TypeError, match="not a dataclass of kind 'other'"):
        Codec({"other": TableMoved})
    with pytest.raises(TypeError, match="Nothing upgrades schema 1 of 'table moved'"):
        Codec(FACTS, texts=(Contract,), upgrades={})


def test_times_keep_their_zone() -> None:
    for entered in (datetime(2026, 2, 3, 19, 30), EVENING):
        assert CODEC.decode(*CODEC.encode(result(1, entered=entered))).entered == entered


class Word:
    """A text type of which equal ones are the same object, as long as they come from `parse`."""

    def __init__(self, word: str) -> None:
        self.word = word

    @classmethod
    def parse(cls, text: str) -> Self:
        if not text.isalpha():
            raise BadInput(f"{text!r} is no word.")
        word = WORDS.setdefault(text.lower(), cls(text.lower()))
        assert isinstance(word, cls)
        return word

    def __str__(self) -> str:
        return self.word

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Word) and self.word == other.word

    def __hash__(self) -> int:
        return hash(self.word)


WORDS: dict[str, Word] = {}


class Colour(Enum):
    RED = "red"
    BLACK = "black"


class Level(IntEnum):
    ONE = 1


@dataclass(frozen=True, slots=True)
class Simple:
    kind: ClassVar[str] = "simple"
    schema: ClassVar[int] = 1
    text: str
    number: int
    flag: bool
    maybe: int | str | None
    word: Word | None
    colour: Colour
    moment: datetime
    day: date
    hour: time | None


SIMPLE = Codec({"simple": Simple}, texts=(Word,))


class MoreText(str):
    """A text that is more than one."""


zones = st.sampled_from([None, UTC, timezone(timedelta(hours=1)), timezone(timedelta(seconds=61))])
good: dict[str, st.SearchStrategy[Any]] = {
    "text": texts,
    "number": numbers,
    "flag": st.booleans(),
    "maybe": st.none() | numbers | texts,
    "word": st.none() | st.sampled_from(["Ace", "king", "ten"]).map(Word.parse) | st.just(Word("deuce")),
    "colour": st.sampled_from(Colour),
    "moment": st.datetimes(timezones=st.just(UTC)),
    "day": st.dates(),
    "hour": st.none() | st.times(),
}
anything = st.one_of(
    *good.values(),
    st.integers(),
    st.datetimes(timezones=zones),
    st.times(timezones=zones),
    st.floats(),
    st.sampled_from([Level.ONE, MoreText("x"), Word("Ace"), Word("no word"), b"x", ("x",), "\ud800", Word]),
)
FACT = Simple(
    "a",
    1,
    True,
    None,
    Word.parse("ace"),
    Colour.RED,
    datetime(2026, 2, 3, tzinfo=UTC),
    date(2026, 2, 3),
    None,
)


@given(st.builds(Simple, **good))
def test_every_simple_fact_is_read_back_unchanged(fact: Simple) -> None:
    assert SIMPLE.decode(*SIMPLE.encode(fact)) == fact


@given(st.builds(Simple, **good), st.sampled_from(sorted(good)), anything)
def test_any_field_value_is_read_back_or_refused(fact: Simple, field: str, value: Any) -> None:
    fact = replace(fact, **{field: value})
    try:
        written = SIMPLE.encode(fact)
    except BadFact:
        return
    assert SIMPLE.decode(*written) == fact


def test_each_simple_field_has_its_text() -> None:
    assert SIMPLE.encode(FACT).body == (
        '{"text":"a","number":1,"flag":true,"maybe":null,"word":"ace","colour":"red",'
        '"moment":"2026-02-03T00:00:00Z","day":"2026-02-03","hour":null}'
    )


@pytest.mark.parametrize(
    "changes",
    [
        {"word": Word("Ace")},  # its text is read as another word
        {"word": Word("no word")},
        {"word": "ace"},
        {"colour": "red"},
        {"flag": 2},
        {"number": 1.5},
        {"moment": datetime(2026, 2, 3, tzinfo=timezone(timedelta(seconds=61)))},
        {"day": None},
        {"text": b"x"},
    ],
)
def test_a_value_that_reads_back_as_another_is_refused(changes: dict[str, Any]) -> None:
    with pytest.raises(BadFact, match="not written"):
        SIMPLE.encode(replace(FACT, **changes))
