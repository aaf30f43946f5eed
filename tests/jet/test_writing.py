"""Changes in place, in files that Access made."""

import random
import shutil
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from overtrick import jet
from overtrick.jet.columns import Column, ColumnType
from overtrick.jet.usage_map import mapped_pages
from tests.jet.peers import assert_indexes_right, assert_read_by_all, assert_same_rows, mdb_export

Require = Callable[[str], str]


@pytest.fixture
def evening(club_evening: Path, tmp_path: Path) -> Iterator[jet.Database]:
    path = tmp_path / "evening.bws"
    shutil.copy(club_evening, path)
    with jet.open(path, "r+") as db:
        yield db


def test_results_are_marked_processed_in_place(
    evening: jet.Database, require_program: Require, mdb_reader: str
) -> None:
    before = evening.path.read_bytes()
    results = evening["ReceivedData"]
    with evening.writing():
        for row in results.rows():
            assert results.update(row, Processed=True)["Processed"] is True
    after = evening.path.read_bytes()
    assert len(after) == len(before)
    # One bit of each row's mask, and its count of columns: 21 when it was written, 22 since; nothing else.
    assert sum(a != b for a, b in zip(after, before, strict=True)) == 288 * 2
    assert sum((a ^ b).bit_count() for a, b in zip(after, before, strict=True)) == 288 * (1 + 2)
    with jet.open(evening.path) as again:
        assert [row["Processed"] for row in again["ReceivedData"].rows()] == [True] * 288
    assert_read_by_all(evening.path, require_program("mdb-export"), mdb_reader)


def test_a_result_is_appended_with_the_next_number(evening: jet.Database) -> None:
    results = evening["ReceivedData"]
    row = results.insert(Section=1, Table=3, Round=1, Board=7, Contract="4 S", Result="=", Remarks="é")
    assert row["ID"] == 289
    assert row["Processed"] is False
    assert row["Remarks"] == "é"
    assert row["TimeLog"] is None
    assert len(results) == 289
    results.delete(row)
    assert len(results) == 288
    assert results.insert({"NS/EW": "N"})["ID"] == 290, "a number is never given out twice"


def test_insert_without_values_gets_the_defaults(evening: jet.Database) -> None:
    row = evening["Settings"].insert()
    assert row["ShowResults"] is True
    assert row["RepeatResults"] is False
    assert row["MaximumResults"] == 0


def test_update_of_an_autonumber_is_refused(evening: jet.Database) -> None:
    results = evening["ReceivedData"]
    row = next(results.rows())
    assert results.update(row, {**row, "Board": 9})["Board"] == 9
    for number in (7, None):
        with pytest.raises(jet.ValueRefused, match="An autonumber cannot be changed"):
            results.update(row, ID=number)
    # In a new row a number may be given by hand, and the table goes on behind it.
    assert results.insert(ID=1000)["ID"] == 1000
    assert results.insert()["ID"] == 1001


def test_row_that_outgrows_its_page_keeps_its_id(evening: jet.Database) -> None:
    results = evening["ReceivedData"]
    first = next(results.rows())
    grown = results.update(first, Remarks="x" * 255)
    assert grown.id == first.id
    assert next(results.rows())["Remarks"] == "x" * 255
    shrunk = results.update(grown, Remarks="short")
    assert dict(shrunk) == {**dict(first), "Remarks": "short"}
    results.delete(shrunk)
    assert [row["ID"] for row in results.rows()] == list(range(2, 289))


def test_update_or_delete_of_a_deleted_row_is_refused(evening: jet.Database) -> None:
    results = evening["ReceivedData"]
    row = next(results.rows())
    results.delete(row)
    before = evening.path.read_bytes()
    with pytest.raises(jet.RowGone):
        results.update(row, Processed=True)
    with pytest.raises(jet.RowGone):
        results.delete(row)
    assert evening.path.read_bytes() == before


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ({"Board": 40000}, "table ReceivedData, column Board: 40000 is not between -32768 and 32767."),
        ({"Board": 1.5}, "1.5 is not a whole number"),
        ({"Board": "seven"}, "does not fit a column of type integer"),
        ({"Contract": "4 spades doubled"}, "has 16 characters, more than the 10 of its column"),
        ({"Remarks": "4♠"}, "The letter '♠' is not in the code page"),
        ({"DateLog": "2005-05-09"}, "does not fit a column of type date"),
        ({"Bord": 1}, "Table ReceivedData has no column Bord"),
    ],
)
def test_value_that_does_not_fit_is_refused_and_nothing_written(
    evening: jet.Database, values: dict[str, Any], sentence: str
) -> None:
    before = evening.path.read_bytes()
    with pytest.raises(jet.AccessFileError.__mro__[1], match=sentence.replace("(", r"\(")):
        evening["ReceivedData"].insert(values)
    with pytest.raises(jet.AccessFileError.__mro__[1]):
        evening["ReceivedData"].update(next(evening["ReceivedData"].rows()), values)
    assert evening.path.read_bytes() == before


def test_insert_updates_the_index_or_writes_nothing(evening: jet.Database) -> None:
    names = evening["PlayerNames"]
    for number in (7, 3, 11, 3):
        names.insert(ID=number, Name=f"Player {number}", strID=str(number))
    assert_indexes_right(evening, "PlayerNames")
    before = evening.path.read_bytes()
    with pytest.raises(jet.IndexNotKept, match="strIDIndex cannot be kept correct"):
        names.insert(ID=12, Name="Renée", strID="é12")  # the order is Dutch
    bids = evening["BiddingData"]
    bids.insert(Section=1, Bid="1S")
    after = evening.path.read_bytes()
    assert after != before
    with pytest.raises(jet.DuplicateKey, match="IDIndex already has a row with this key"):
        bids.insert(ID=1, Bid="1S")
    assert evening.path.read_bytes() == after


def test_access_97_file_grows_beyond_its_inline_maps(
    evening: jet.Database, require_program: Require, mdb_reader: str
) -> None:
    records = evening["HandRecord"]
    suits = [column.name for column in records.columns if column.type is ColumnType.TEXT]
    count = 4000
    for board in range(3):
        records.insert_many(
            {"Section": 1, "Board": board, **dict.fromkeys(suits, "AKQJT98765432"[:10])} for _ in range(count)
        )
    assert len(records) == 3 * count
    assert len(mapped_pages(evening.file, records.definition.owned_map)) > 1024
    assert_read_by_all(evening.path, require_program("mdb-export"), mdb_reader)


def test_insert_into_a_database_opened_to_read_is_refused(club_evening: Path) -> None:
    with jet.open(club_evening) as db, pytest.raises(jet.ReadOnlyAccessFile, match="open for reading only"):
        db["Section"].insert(ID=2)


def some_value(rnd: random.Random, column: Column) -> Any:
    kind = ColumnType
    if rnd.random() < 0.1 and column.type is not kind.YES_NO:
        return None
    choices: dict[ColumnType, Callable[[], Any]] = {
        kind.YES_NO: lambda: rnd.random() < 0.5,
        kind.BYTE: lambda: rnd.randrange(256),
        kind.INTEGER: lambda: rnd.randrange(-32768, 32768),
        kind.LONG: lambda: rnd.randrange(-(2**31), 2**31),
        kind.SINGLE: lambda: float(rnd.randrange(-1000, 1000)),
        kind.DOUBLE: rnd.random,
        kind.MONEY: lambda: Decimal(rnd.randrange(-(10**6), 10**6)) / 4,
        kind.DATE: lambda: datetime(2000, 1, 1) + timedelta(seconds=rnd.randrange(10**9)),
        kind.TEXT: lambda: "".join(
            rnd.choice("abc XYZ019-'")
            for _ in range(rnd.randrange(1, min(column.size, rnd.choice([5, 200])) + 1))
        ),
        kind.MEMO: lambda: "memo é " * rnd.choice([1, 5, 100, 800]),
        kind.OLE: lambda: rnd.randbytes(rnd.choice([3, 70, 3000, 9000])),
    }
    return choices[column.type]() if column.type in choices else None


@pytest.mark.parametrize("table", ["ReceivedData", "BiddingData", "HandEvaluation", "HandRecord"])
def test_random_edits_equal_those_of_a_model(
    evening: jet.Database, table: str, require_program: Require
) -> None:
    rnd = random.Random(table)
    edited = evening[table]
    model = {row.id: dict(row) for row in edited.rows()}
    keyed = {number for index in edited.definition.indexes for number, _ in index.columns}
    for _ in range(150):
        chance = rnd.random()
        columns = [column for column in edited.columns if not column.autonumber]
        try:
            if chance < 0.5 or not model:
                values = {c.name: some_value(rnd, c) for c in columns}
                values |= {c.name: rnd.randrange(300) for c in columns if c.number in keyed}
                row = edited.insert(values)
                assert row.id not in model
                model[row.id] = dict(row)
            elif chance < 0.8:
                id = rnd.choice(list(model))
                changed = {
                    c.name: some_value(rnd, c) for c in rnd.sample(columns, 2) if c.number not in keyed
                }
                model[id] = dict(edited.update(id, changed))
                assert all(model[id][name] == value for name, value in changed.items())
            else:
                id = rnd.choice(list(model))
                edited.delete(id)
                del model[id]
        except jet.DuplicateKey:
            continue
    assert {row.id: dict(row) for row in edited.rows()} == model
    assert_indexes_right(evening, table)
    evening.close()
    with jet.open(evening.path) as again:
        assert {row.id: dict(row) for row in again[table].rows()} == model
        assert_same_rows(again[table], mdb_export(require_program("mdb-export"), again.path, table))
