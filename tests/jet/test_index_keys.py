"""Keys against what Access wrote, and trees against a sorted list."""

import random
from datetime import datetime
from decimal import Decimal
from pathlib import Path
from uuid import UUID

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from overtrick import jet
from overtrick.jet import Column, ColumnType, Index
from overtrick.jet.collation import KeyUnknown
from overtrick.jet.columns import Column as AnyColumn
from overtrick.jet.definition import IndexDefinition, Pointer
from overtrick.jet.index_keys import key_of
from overtrick.jet.index_page import IndexPage, capacity
from overtrick.jet.index_tree import IndexTree
from overtrick.jet.layout import JET3, JET4, Layout
from overtrick.jet.values import encode_scalar
from tests.jet.peers import assert_indexes_right


def key(value: object, kind: ColumnType, layout: Layout = JET4, *, ascending: bool = True) -> str:
    column = AnyColumn("A", kind, size=255, number=0, sort_order=1033, compressed=True)
    index = IndexDefinition(0, ("I",), ((0, ascending),), 1, Pointer(1, 0), 0, False, False, 0)
    raw: dict[int, bytes | bool] = {} if value is None else {0: encode_scalar(column, value, layout)}
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
        ("Luleå", JET3, "7f6d786d6660022800"),
        ("São Paulo", JET3, "7f766072117360786d720270"),
        ("México D.F.", JET3, "7f6f667c6a627211641f671f0400"),
        (
            "Plutzer Lebensmittelgroßmärkte AG",  # ß is two letters without an accent
            JET3,
            "7f736d78777e6675116d66616670766f6a7777666d68757276766f60756c776611606802222222222260",
        ),
        ("Lock\0", JET3, "7f6d72626c1000"),
        ("ääkkösiä", JET4, "7f4a4a5c5c646b594a01131302021302021300"),
        (
            "3L9\x1d52\x02_AB(¥\x05!!V",
            JET4,
            "7f3c5e48403a2b034a4c1434a9090971010101018013061a801b0604802f060700",
        ),
    ],
)
def test_text_keys_equal_those_of_access(text: str, layout: Layout, expected: str) -> None:
    assert key(text, ColumnType.TEXT, layout) == expected
    assert key(text + "   ", ColumnType.TEXT, layout) == expected, "spaces at the end do not count"


def test_keys_of_numbers_and_null_in_both_directions() -> None:
    assert key(None, ColumnType.LONG) == "00"
    assert key(None, ColumnType.LONG, ascending=False) == "ff"
    assert key(1, ColumnType.LONG) == "7f80000001"
    assert key(1, ColumnType.LONG, ascending=False) == "807ffffffe"
    assert key(-1, ColumnType.INTEGER) == "7f7fff"
    assert key(7, ColumnType.BYTE) == "7f07"


def test_keys_of_guids_equal_those_of_access_in_both_directions() -> None:
    guid = "8e39276a-bca8-4ac4-891e-49911d8438dd"
    assert key(guid, ColumnType.GUID) == "7f8e39276abca84ac409891e49911d8438dd08"
    assert key(guid, ColumnType.GUID, ascending=False) == "8071c6d8954357b53b0976e1b66ee27bc722f7"


def test_key_of_binary_equals_that_of_access() -> None:
    assert key(b"\0\0\0\1", ColumnType.BINARY) == "7f000000010000000004"
    assert key("aéa", ColumnType.TEXT, JET3, ascending=False) == "809f999ffdbf"


@pytest.mark.parametrize(
    ("text", "layout"), [("4♠", JET4), ("Мир", JET4), ("Weiß-Müller", JET4), ("Œuvré", JET3), ("a\0", JET4)]
)
def test_text_whose_key_is_not_known_is_refused(text: str, layout: Layout) -> None:
    column = AnyColumn("A", ColumnType.TEXT, size=255, number=0, sort_order=1033)
    with pytest.raises(KeyUnknown):
        _key_of_column(column, encode_scalar(column, text, layout), layout)


def test_accents_in_another_sort_order_or_code_page_are_refused() -> None:
    for order, version in ((1043, 0), (1053, 0), (1033, 1)):
        column = AnyColumn("A", ColumnType.TEXT, size=255, number=0, sort_order=order, sort_version=version)
        with pytest.raises(KeyUnknown, match="sort order"):
            _key_of_column(column, encode_scalar(column, "é", JET4), JET4)
    greek = AnyColumn("A", ColumnType.TEXT, size=255, number=0, sort_order=1033, code_page=1253)
    with pytest.raises(KeyUnknown, match="code page 1253"):
        _key_of_column(greek, encode_scalar(greek, "Ω", JET3), JET3)


def _key_of_column(column: Column, raw: bytes, layout: Layout) -> bytes | None:
    index = IndexDefinition(0, ("I",), ((0, True),), 1, Pointer(1, 0), 0, False, False, 0)
    return key_of(index, {0: column}, {0: raw}, layout)


@given(st.lists(st.decimals(-(10**12), 10**12, places=4), max_size=20), st.lists(st.uuids()))
def test_decimals_and_guids_sort_as_their_keys(decimals: list[Decimal], guids: list[UUID]) -> None:
    column = AnyColumn("A", ColumnType.NUMERIC, number=0, precision=18, scale=4)

    def decimal_key(number: Decimal) -> bytes:
        return _key_of_column(column, encode_scalar(column, number, JET4), JET4) or b""

    assert sorted(map(decimal_key, decimals)) == list(map(decimal_key, sorted(decimals)))
    assert sorted(guids) == sorted(guids, key=lambda guid: bytes.fromhex(key(guid, ColumnType.GUID)))


def test_descending_decimal_key_is_refused() -> None:
    with pytest.raises(KeyUnknown, match="descending column of type numeric"):
        key(1, ColumnType.NUMERIC, ascending=False)


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
def test_index_page_reads_the_entries_it_wrote(entries: set[bytes], layout: Layout, level: int) -> None:
    page = IndexPage(level, 7, sorted(b"\x7f\x80" + entry + bytes(8) for entry in entries), 3, 4, 5)
    while page.size() > capacity(layout):
        page.entries.pop()
    content = bytearray(layout.page_size)
    page.write(content, layout)
    assert IndexPage.read(bytes(content), layout) == page


@settings(max_examples=20)
@given(st.randoms(use_true_random=False))
def test_index_tree_holds_sorted_entries_after_random_changes(
    tmp_path_factory: pytest.TempPathFactory, rnd: random.Random
) -> None:
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


def test_indexes_of_access_hold_the_computed_keys(each_access_file: list[Path]) -> None:
    checked = 0
    for path in each_access_file:
        with jet.open(path) as db:
            for name in [str(row["Name"]) for row in db.catalog_rows() if row["Type"] == 1]:
                try:
                    assert_indexes_right(db, name)
                    checked += len(db[name].definition.indexes)
                except KeyUnknown:
                    continue
                except jet.DamagedAccessFile:  # a linked table has a row in the catalog and no definition
                    continue
    assert checked > 500
