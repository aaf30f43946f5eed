"""The short way writes what the long way writes, and nothing that the long way would refuse."""

from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, timezone
from enum import Enum, IntEnum
from typing import Any, ClassVar, Self

import pytest
from hypothesis import given
from hypothesis import strategies as st

from overtrick.errors import BadInput
from overtrick.store import straight
from overtrick.store.codec import Codec, Written, event_codec
from overtrick.store.errors import BadFact
from overtrick.store.straight import Texts
from tests.store.tiny import CODEC, ResultEntered, TableMoved


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


class Other(Word):
    """Another text type."""


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
    "text": st.text(),
    "number": st.integers(),
    "flag": st.booleans(),
    "maybe": st.none() | st.integers() | st.text(),
    "word": st.none() | st.sampled_from(["Ace", "king", "ten"]).map(Word.parse) | st.just(Word("deuce")),
    "colour": st.sampled_from(Colour),
    "moment": st.datetimes(timezones=st.just(UTC)),
    "day": st.dates(),
    "hour": st.none() | st.times(),
}
anything = st.one_of(
    *good.values(),
    st.datetimes(timezones=zones),
    st.times(timezones=zones),
    st.floats(),
    st.sampled_from([Level.ONE, MoreText("x"), Word("Ace"), Word("no word"), b"x", ("x",), "\ud800", Word]),
)


def outcome(write: Any, fact: Any) -> Written | None:
    try:
        written: Written = write(fact)
    except BadFact:
        return None
    return written


def both_ways(fact: Simple) -> Written | None:
    written = outcome(SIMPLE.encode, fact)
    assert written == outcome(SIMPLE.encode_and_read_back, fact)
    return written


@given(st.builds(Simple, **good))
def test_a_simple_fact_is_written_as_the_long_way_writes_it(fact: Simple) -> None:
    written = both_ways(fact)
    if written is not None:  # a lone surrogate has no place in JSON
        assert SIMPLE.decode(*written) == fact


@given(st.builds(Simple, **good), st.sampled_from(sorted(good)), anything)
def test_what_does_not_belong_in_a_field_is_refused_as_the_long_way_refuses_it(
    fact: Simple, field: str, value: Any
) -> None:
    both_ways(Simple(*(value if name == field else getattr(fact, name) for name in Simple.__slots__)))


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


def test_simple_facts_take_the_short_way(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Codec, "encode_and_read_back", None)
    assert SIMPLE.encode(FACT).body == (
        '{"text":"a","number":1,"flag":true,"maybe":null,"word":"ace","colour":"red",'
        '"moment":"2026-02-03T00:00:00Z","day":"2026-02-03","hour":null}'
    )


def test_only_types_whose_fields_are_all_simple_have_a_short_way() -> None:
    assert set(CODEC._straight) == {TableMoved}
    assert ResultEntered in CODEC._ways
    assert {"result-recorded", "logged-on", "contract-recorded"} <= {
        kind for kind, _, _ in event_codec()._straight.values()
    }


def test_a_value_that_everybody_shares_is_looked_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = Texts(Word)
    shared, own = Word.parse("four"), Word("ace")
    assert texts.find(shared) == "four"
    assert texts.known(id(shared)) == "four"
    assert texts.find(own) == "ace"
    assert texts.known(id(own)) is None, "another value may have its id tomorrow"
    assert texts.find(Word("Ace")) is None, "it would be read as another one"
    assert Texts(Other).find(own) is None
    monkeypatch.setattr(straight, "KNOWN_TEXTS", 1)
    more = Word.parse("five")
    assert texts.find(more) == "five"
    assert texts.known(id(more)) is None
