"""Keys against what Access wrote, and trees against a sorted list."""

import random
from datetime import datetime
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from overtrick import jet
from overtrick.jet import Column, ColumnType, Index
from overtrick.jet.columns import Column as AnyColumn
from overtrick.jet.definition import IndexDefinition, Pointer
from overtrick.jet.index_keys import KeyUnknown, key_of
from overtrick.jet.index_page import IndexPage, capacity
from overtrick.jet.index_tree import IndexTree
from overtrick.jet.layout import JET3, JET4, Layout
from overtrick.jet.values import encode_scalar
from tests.jet.peers import assert_indexes_right


def key(value: object, kind: ColumnType, layout: Layout = JET4, *, ascending: bool = True) -> str:
    column = AnyColumn("A", kind, size=255, number=0, sort_order=1033, compressed=True)
    index = IndexDefinition(0, ("I",), ((0, ascending),), 1, Pointer(1, 0), 0, False, False, 0)
    raw = {} if value is None else {0: encode_scalar(column, value, layout)}
    made = key_of(index, {0: column}, raw, layout)
    assert made is not None
    return made.hex()


@pytest.mark.parametrize(
    ("text", "layout", "expected"),
    [
        # Each of these is the key that Access itself wrote for that text.
        ("-1", JET4, "7f38010101018007068200"),
        ("AA", JET3, "7f606000"),
        ("aA", JET3, "7f606000"),
        ("AA AA", JET3, "7f606011606000"),
        ("AA-'AA", JET3, "7f60601e18606000"),
        ("AA9AA", JET3, "7f60605f606000"),
        ("AAzAA", JET3, "7f60607e606000"),
    ],
)
def test_text_keys_that_access_wrote(text: str, layout: Layout, expected: str) -> None:
    assert key(text, ColumnType.TEXT, layout) == expected
    assert key(text + "   ", ColumnType.TEXT, layout) == expected, "spaces at the end do not count"


def test_other_keys() -> None:
    assert key(None, ColumnType.LONG) == "00"
    assert key(None, ColumnType.LONG, ascending=False) == "ff"
    assert key(1, ColumnType.LONG) == "7f80000001"
    assert key(1, ColumnType.LONG, ascending=False) == "807ffffffe"
    assert key(-1, ColumnType.INTEGER) == "7f7fff"
    assert key(7, ColumnType.BYTE) == "7f07"
    for letter in "é♠":
        with pytest.raises(KeyUnknown):
            key(letter, ColumnType.TEXT)


@given(st.lists(st.integers(-(2**31), 2**31 - 1)))
def test_numbers_sort_as_their_keys(numbers: list[int]) -> None:
    assert sorted(numbers) == sorted(numbers, key=lambda n: bytes.fromhex(key(n, ColumnType.LONG)))
    backwards = sorted(numbers, key=lambda n: bytes.fromhex(key(n, ColumnType.LONG, ascending=False)))
    assert backwards == sorted(numbers, reverse=True)


@given(
    st.lists(st.floats(allow_nan=False).map(lambda x: x + 0.0)), st.lists(st.datetimes(datetime(1900, 1, 1)))
)
def test_fractions_and_dates_sort_as_their_keys(fractions: list[float], dates: list[datetime]) -> None:
    assert sorted(fractions) == sorted(fractions, key=lambda x: bytes.fromhex(key(x, ColumnType.DOUBLE)))
    dates = [date.replace(microsecond=0) for date in dates]
    assert sorted(dates) == sorted(dates, key=lambda x: bytes.fromhex(key(x, ColumnType.DATE)))


@given(
    st.sets(st.binary(min_size=6, max_size=40), max_size=60), st.sampled_from([JET3, JET4]), st.integers(0, 3)
)
def test_a_page_of_entries_comes_back(entries: set[bytes], layout: Layout, level: int) -> None:
    page = IndexPage(level, 7, sorted(b"\x7f\x80" + entry + bytes(8) for entry in entries), 3, 4, 5)
    while page.size() > capacity(layout):
        page.entries.pop()
    content = bytearray(layout.page_size)
    page.write(content, layout)
    assert IndexPage.read(bytes(content), layout) == page


@settings(max_examples=20)
@given(st.randoms(use_true_random=False))
def test_a_tree_is_a_sorted_list(tmp_path_factory: pytest.TempPathFactory, rnd: random.Random) -> None:
    path: Path = tmp_path_factory.mktemp("tree") / "new.mdb"
    with jet.create(path) as db:
        columns = [Column("A", ColumnType.LONG), Column("B", ColumnType.TEXT, size=200)]
        table = db.create_table("T", columns, [Index("AI", ("A",)), Index("BI", ("B", "A"))])
        with db.writing():
            table.insert_many({"A": rnd.randrange(50), "B": "x" * rnd.randrange(1, 200)} for _ in range(100))
            for _ in range(60):
                rows = list(table.rows())
                chance = rnd.random()
                if chance < 0.4:
                    table.insert(A=rnd.randrange(50), B="abc"[rnd.randrange(3)] * rnd.randrange(1, 200))
                elif chance < 0.7 and rows:
                    table.update(rnd.choice(rows), A=rnd.randrange(50), B="y" * rnd.randrange(1, 200))
                elif rows:
                    table.delete(rnd.choice(rows))
        assert_indexes_right(db, "T")
        with db.writing():
            for row in list(table.rows()):
                table.delete(row)
        for index in table.definition.indexes:
            assert list(IndexTree(db.file, index, table.page).entries()) == []
        table.insert(A=1, B="again")
        assert_indexes_right(db, "T")


def test_indexes_of_access_hold_the_keys_that_we_make(each_access_file: list[Path]) -> None:
    checked = 0
    for path in each_access_file:
        with jet.open(path) as db:
            for name in [*db.tables, "MSysObjects", "MSysACEs"]:
                try:
                    assert_indexes_right(db, name)
                    checked += len(db[name].definition.indexes)
                except KeyUnknown:
                    continue
    assert checked > 100
