import json
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from overtrick.connector.wire import pieces
from overtrick.connector.wire.pieces import Cursor, NotJson, items_end, skip_space, unquoted, value_end

TEXTS = st.text(
    st.sampled_from('a"\\/é€😀\n\x01ud8\u2028') | st.characters(exclude_categories=["Cs"]), max_size=80
)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4),
    max_leaves=12,
)
PIECES = st.integers(13, 40)


@given(TEXTS, st.booleans(), PIECES)
def test_a_string_cut_anywhere_says_the_same(text: str, is_ascii: bool, piece: int) -> None:
    written = json.dumps(text, ensure_ascii=is_ascii).encode()
    with patch.object(pieces, "PIECE", piece):
        assert unquoted(b" " + written + b"}", 1) == (text.encode(), len(written) + 1)


@pytest.mark.parametrize(
    "broken",
    [
        b'"',
        b'"a',
        b'"\\',
        b'"\\x"',
        b'"\\u12"',
        b'"\\ud800"',
        b'"\\ud800\\u0041"',
        b'"\xff"',
        b'"a\nb"',
        b'"\xe2\x82"',
    ],
)
@pytest.mark.parametrize("before", [0, 11, 12, 13, 14, 15, 16, 100])
def test_a_string_that_is_none(broken: bytes, before: int) -> None:
    with patch.object(pieces, "PIECE", 16), pytest.raises(NotJson):
        unquoted(b'"' + b"x" * before + broken[1:], 0)


@given(VALUES, st.sampled_from([None, 1, " "]))
def test_a_value_ends_where_it_ends(value: object, indent: int | str | None) -> None:
    written = json.dumps(value, indent=indent).encode()
    assert value_end(b"[" + written + b", 0]", 1) == len(written) + 1


@given(st.lists(VALUES, min_size=1), st.sampled_from([None, 1]), PIECES)
def test_items_are_cut_at_their_commas(values: list[object], indent: int | None, piece: int) -> None:
    written = json.dumps(values, indent=indent).encode()
    found: list[object] = []
    at = 1
    with patch.object(pieces, "PIECE", piece):
        while (end := items_end(written, at)) > at:
            assert end - at <= piece
            found += json.loads(b"[" + written[at : end - 1] + b"]")
            at = end
    assert found == values[: len(found)]


def test_what_is_longer_than_a_piece_is_not_walked_through() -> None:
    with patch.object(pieces, "PIECE", 10):
        for value in (
            b'"' + b"x" * 100 + b'"',
            b"[" + b"1," * 50 + b"1]",
            b'{"a":"' + b"x" * 50 + b'"}',
            b"1" * 50,
        ):
            assert value_end(value, 0) is None


@pytest.mark.parametrize("text", [b"", b"]", b",", b"[", b"[1", b'{"a":', b'"a', b"[" * 100 + b"]" * 100])
def test_what_has_no_end(text: bytes) -> None:
    with pytest.raises(NotJson):
        value_end(text, 0)


def test_white_space_is_skipped_piece_by_piece() -> None:
    with patch.object(pieces, "PIECE", 10):
        for count in (0, 1, 9, 10, 11, 20, 35):
            assert skip_space(b" " * count + b"1", 0) == count
            assert skip_space(b" " * count, 0) == count


@given(st.dictionaries(TEXTS, VALUES, max_size=5), st.sampled_from([None, 1]))
def test_the_properties_of_an_object(value: dict[str, object], indent: int | None) -> None:
    cursor = Cursor(json.dumps(value, indent=indent).encode())
    found = {}
    for name in cursor.names():
        end = cursor.end_of_value()
        assert end is not None
        found[name] = cursor.value(end)
    cursor.finish()
    assert found == value


@pytest.mark.parametrize(
    "text", [b"{", b"{,}", b"{1:2}", b'{"a"}', b'{"a":1,}', b'{"a":1]', b'{"a":1}}', b'{"a":[}]}']
)
def test_what_is_no_object(text: bytes) -> None:
    cursor = Cursor(text)
    with pytest.raises(NotJson):  # noqa: PT012
        for _ in cursor.names():
            end = cursor.end_of_value()
            assert end is not None
            cursor.value(end)
        cursor.finish()


def test_the_place_of_what_is_wrong_is_the_place_in_the_whole_text() -> None:
    text = b"[1, 2, 3, xyz, 5]"
    with pytest.raises(NotJson, match=r"\(byte 10\)"):
        pieces.decoded(text, 10, 13)
