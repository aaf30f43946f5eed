from collections.abc import Callable
from pathlib import Path

import pytest

from overtrick import jet
from overtrick.bws.contents import open_contents
from overtrick.bws.edits import AddFlag, AddTable, Delete, Edit, Insert, NotTakenYet, Put, Update, carry_out
from tests.bws.conftest import do
from tests.bws.files import Rows, mitchell, result

Make = Callable[[Rows], Path]
ONE = {"Section": 1, "Table": 1}


def test_a_put_changes_or_adds(make: Make) -> None:
    path = make(mitchell())
    key = {"Section": 1, "Board": 4}
    assert len(do(path, Put("HandRecord", key, {"NorthSpades": "A"})).hand_records) == 1
    after = do(path, Put("HandRecord", key, {"NorthSpades": "K"}))
    assert [row.get("NorthSpades") for row in after.hand_records] == ["K"]


def test_edits_are_done_in_order_and_see_each_other(make: Make) -> None:
    path = make(mitchell())
    after = do(
        path,
        Insert("PlayerNames", {"ID": 1, "Name": "One"}),
        Update("PlayerNames", {"ID": 1}, {"ID": 2}),
        Put("PlayerNames", {"ID": 2}, {"Name": "Two"}),
        Put("PlayerNames", {"ID": 1}, {"Name": "Again"}),
        Delete("PlayerNames", {"ID": 2}),
    )
    assert [(row.id, row.name) for row in after.player_names] == [(1, "Again")]


def test_an_update_that_finds_something_else_is_left_out(make: Make) -> None:
    path = make(mitchell())
    edit = Update("Tables", ONE, {"Status": 1}, {"UpdateFromRound": 3})
    with jet.open(path, "r+") as db:
        assert carry_out(db, [edit]) == 0


def test_failed_expectation_with_or_refuse_writes_nothing(make: Make) -> None:
    path = make(mitchell())
    before = path.read_bytes()
    edits: list[Edit] = [
        Insert("PlayerNames", {"ID": 1}),
        Update("Tables", ONE, {"Status": 1}, {"UpdateFromRound": 3}, or_refuse="Not now."),
    ]
    with jet.open(path, "r+") as db, pytest.raises(NotTakenYet, match=r"Not now\."):
        carry_out(db, edits)
    assert path.read_bytes() == before


def test_columns_and_tables_that_are_not_there_are_left_out(tmp_path: Path) -> None:
    path = tmp_path / "old.bws"
    with jet.create(path) as db:
        db.create_table("Section", [jet.Column("ID", jet.ColumnType.INTEGER)])
    after = do(
        path,
        Insert("Section", {"ID": 1, "Winners": 2}),
        Insert("PlayerNames", {"ID": 1}),
        Update("Section", {"ID": 1, "Session": 0}, {"ID": 5}),
    )
    assert [row.id for row in after.sections] == [5]
    assert not after.has("PlayerNames")


def test_a_table_of_the_guide_is_made_where_it_is_missing(tmp_path: Path) -> None:
    path = tmp_path / "old.bws"
    with jet.create(path) as db:
        db.create_table("Section", [jet.Column("ID", jet.ColumnType.INTEGER)])
    after = do(
        path, AddTable("HandEvaluation"), AddTable("HandEvaluation"), Insert("HandEvaluation", {"Board": 3})
    )
    assert [row.board for row in after.evaluations] == [3]


def test_missing_table_is_not_added_to_an_access_97_file(club_evening: Path, tmp_path: Path) -> None:
    path = tmp_path / "evening.bws"
    path.write_bytes(club_evening.read_bytes())
    after = do(path, AddTable("Session"), Insert("Session", {"ID": 1}))
    assert not after.has("Session")


def test_empty_text_is_null_where_zero_length_is_not_allowed(make: Make) -> None:
    path = make(mitchell())
    do(path, Update("PlayerNumbers", {**ONE, "Direction": "N"}, {"Direction": "", "Name": ""}))
    with jet.open(path) as db:
        row = next(iter(db["PlayerNumbers"].rows()))
        assert (row["Direction"], row["Name"]) == (None, "")


def test_columns_of_others_are_never_touched(make: Make) -> None:
    rows = mitchell()
    rows["ReceivedData"] = [result(1, 1, 1, 1, 1, 1)]
    path = make(rows)
    do(path, AddFlag("ReceivedData", "custom_Other"))
    do(path, Update("ReceivedData", {"ID": 1}, {"custom_Other": True, "Remarks": "mine"}))
    after = do(path, Update("ReceivedData", {"ID": 1}, {"Result": "+1"}))
    assert (after.results[0].remarks, dict(after.results[0].custom)) == ("mine", {"custom_Other": True})


def test_put_with_equal_values_writes_nothing(make: Make) -> None:
    path = make(mitchell())
    before = path.read_bytes()
    with jet.open(path, "r+") as db:
        assert (
            carry_out(
                db, [Update("Tables", ONE, {"Status": 0, "LogOnOff": 2}), Delete("Tables", {"Table": 9})]
            )
            == 0
        )
        assert carry_out(db, []) == 0
    assert path.read_bytes() == before
    assert len(open_contents(path).tables) == 3
