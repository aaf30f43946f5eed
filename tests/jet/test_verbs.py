"""Looking rows up, indexes made later, tables dropped, relationships, and compact copies."""

import os
import shutil
from collections.abc import Callable, Iterator
from datetime import datetime
from decimal import Decimal
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest

from overtrick import jet
from overtrick.jet import Column, ColumnType, Index, Relation
from overtrick.jet.index_tree import IndexTree
from tests.jet.peers import assert_indexes_right, assert_read_by_all, mdb_schema
from tests.jet.test_crash import recorded

Require = Callable[[str], str]
NOON = datetime(2026, 1, 1, 12)
COLUMNS = [
    Column("ID", ColumnType.LONG, autonumber=True),
    Column("City", ColumnType.TEXT, size=50),
    Column("Points", ColumnType.MONEY),
    Column("Member", ColumnType.YES_NO),
    Column("Guid", ColumnType.GUID),
    Column("Story", ColumnType.MEMO),
]
CITIES = ["Bonn", "Köln", "bonn", "Genève", "Bonn", None]


@pytest.fixture
def clubs(tmp_path: Path) -> Iterator[jet.Table]:
    with jet.create(tmp_path / "clubs.mdb", clock=lambda: NOON) as db:
        table = db.create_table("Clubs", COLUMNS, [Index("PrimaryKey", ("ID",), primary=True)])
        table.insert_many(
            {
                "City": city,
                "Points": Decimal(number) / 2,
                "Member": number % 2 == 0,
                "Guid": UUID(int=number),
                "Story": "long " * 500 if number == 3 else None,
            }
            for number, city in enumerate(CITIES)
        )
        yield table


def ids(rows: Iterator[jet.Row]) -> list[object]:
    return [row["ID"] for row in rows]


@pytest.mark.parametrize("indexed", [False, True])
@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ({"City": "Bonn"}, [1, 5]),
        ({"city": "Köln"}, [2]),
        ({"City": None}, [6]),
        ({"City": "Berlin"}, []),
        ({"City": "♠"}, []),
        ({"City": "Bonn", "Member": False}, []),
        ({"Points": 0.5}, [2]),
        ({"Points": 1}, [3]),
        ({"Guid": "00000000-0000-0000-0000-000000000004"}, [5]),
        ({"Member": True}, [1, 3, 5]),
        ({"Story": "long " * 500}, [4]),
        ({"Story": None, "City": "bonn"}, [3]),
    ],
)
def test_find_returns_the_same_rows_with_and_without_an_index(
    clubs: jet.Table, values: dict[str, Any], expected: list[int], indexed: bool
) -> None:
    if indexed:
        clubs.create_index(Index("Cities", ("City", "Member"), descending=("City",)))
        clubs.create_index(Index("Points", ("Points",)))
        clubs.create_index(Index("Guids", ("Guid",), unique=True, ignore_nulls=True))
    assert sorted(map(int, map(str, ids(clubs.find(values))))) == expected


def test_get_returns_the_row_with_a_key(clubs: jet.Table) -> None:
    assert clubs.get(ID=3)["City"] == "bonn"
    assert clubs.get({"City": "Köln"}, Member=False).id == clubs.get(ID=2).id


@pytest.mark.parametrize(
    ("values", "error", "sentence"),
    [
        ({"ID": 99}, jet.NoSuchRow, "table Clubs: There is no row with ID=99."),
        ({"City": "Bonn"}, jet.ValueRefused, "2 rows have City='Bonn'; use find"),
        ({"Town": "Bonn"}, jet.NoSuchColumn, "Table Clubs has no column Town"),
        ({"ID": "three"}, jet.ValueRefused, "'three' does not fit a column of type long"),
        ({}, jet.ValueRefused, "Name a column and a value"),
    ],
)
def test_get_of_no_or_several_rows_is_a_sentence(
    clubs: jet.Table, values: dict[str, Any], error: type[Exception], sentence: str
) -> None:
    with pytest.raises(error, match=sentence):
        clubs.get(values)


def test_get_by_the_key_of_a_large_table_reads_few_pages(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with jet.create(tmp_path / "large.mdb") as db:
        table = db.create_table("T", COLUMNS, [Index("PrimaryKey", ("ID",), primary=True)])
        table.insert_many({"City": f"city {n}"} for n in range(5000))
        read: list[int] = []
        page = db.file.page

        def counted(number: int) -> bytes:
            read.append(number)
            return page(number)

        monkeypatch.setattr(db.file, "page", counted)
        assert table.get(ID=4321)["City"] == "city 4320"
        assert len(read) < 10


def test_find_skips_an_index_entry_whose_row_is_gone(clubs: jet.Table) -> None:
    """A crash between a deleted row and its index leaves such an entry."""
    row = clubs.get(ID=2)
    tree = IndexTree(clubs._file, clubs.definition.indexes[0], clubs.page)
    assert row.id in set(tree.pointers(b""))
    content = bytearray(clubs._file.path.read_bytes())
    page, number = row.id >> 8, row.id & 0xFF
    slot = page * 4096 + 14 + 2 * number + 1
    content[slot] |= 0xC0
    clubs._file.path.write_bytes(content)
    assert list(clubs.find(ID=2)) == []


def test_index_made_over_rows_is_kept_and_read_by_others(
    clubs: jet.Table, require_program: Require, mdb_reader: str
) -> None:
    clubs.insert_many({"City": f"city {n % 97}", "Points": n} for n in range(2000))
    clubs.create_index(Index("Cities", ("City", "Points"), descending=("Points",)))
    clubs.create_index(Index("Guids", ("Guid",), ignore_nulls=True))
    assert [index.name for index in clubs.indexes] == ["PrimaryKey", "Cities", "Guids"]
    assert clubs.indexes[1] == Index("Cities", ("City", "Points"), descending=("Points",))
    clubs.insert(City="Łódź", Points=Decimal("1.5"))
    clubs.delete(clubs.get(ID=1))
    assert_indexes_right(clubs._database, "Clubs")
    path = clubs._database.path
    clubs._database.close()
    assert_read_by_all(path, require_program("mdb-export"), mdb_reader)
    assert 'INDEX "clubs_cities_idx" ON "clubs" ("city", "points" DESC);' in mdb_schema(
        require_program("mdb-schema"), path
    )
    with jet.open(path) as db:
        assert_indexes_right(db, "Clubs")
        assert_indexes_right(db, "MSysObjects")


@pytest.mark.parametrize(
    ("index", "error", "sentence"),
    [
        (Index("I", ("City",), unique=True), jet.DuplicateKey, "Two rows have the same key in index I"),
        (Index("I", ("City",), required=True), jet.IndexNotKept, "needs a value in every column"),
        (Index("I", ("Town",)), jet.ValueRefused, "names a column Town that does not exist"),
        (Index("primarykey", ("City",)), jet.ValueRefused, "already an index primarykey"),
        (Index("I", ("ID",), primary=True), jet.ValueRefused, "already a primary index"),
        (Index("I", ("Story",)), jet.IndexNotKept, "a column of type memo"),
    ],
)
def test_impossible_index_is_refused_and_nothing_written(
    clubs: jet.Table, index: Index, error: type[Exception], sentence: str
) -> None:
    before = clubs._database.path.read_bytes()
    with pytest.raises(error, match=sentence):
        clubs.create_index(index)
    assert clubs._database.path.read_bytes() == before


def test_dropped_table_is_gone_and_its_name_is_free(
    clubs: jet.Table, require_program: Require, mdb_reader: str
) -> None:
    db = clubs._database
    db.create_table("Other", COLUMNS).insert(City="Bonn")
    permissions = len(db["MSysACEs"])
    clubs.drop()
    assert db.tables == ["Other"]
    assert len(db["MSysACEs"]) < permissions
    with pytest.raises(jet.NoSuchTable):
        db["Clubs"]
    for name in ("MSysObjects", "MSysACEs"):
        assert_indexes_right(db, name)
    db.create_table("Clubs", COLUMNS[:2]).insert(City="again")
    db.close()
    assert_read_by_all(db.path, require_program("mdb-export"), mdb_reader)


def test_table_of_access_itself_is_not_dropped(clubs: jet.Table) -> None:
    with pytest.raises(jet.ValueRefused, match="is a table of Access itself"):
        clubs._database["MSysObjects"].drop()


def test_every_prefix_of_a_new_index_and_a_dropped_table_opens(clubs: jet.Table, tmp_path: Path) -> None:
    db = clubs._database
    other = db.create_table("Other", COLUMNS)
    copy = tmp_path / "crashed.mdb"
    shutil.copy(db.path, copy)
    before = [dict(row) for row in clubs.rows()]
    writes = recorded(db)
    clubs.create_index(Index("Cities", ("City",)))
    other.drop()
    fd = os.open(copy, os.O_RDWR)
    try:
        for number, page in writes:
            os.pwrite(fd, page, number * db.file.page_size)
            with jet.open(copy) as crashed:
                assert [dict(row) for row in crashed["Clubs"].rows()] == before
                assert_indexes_right(crashed, "Clubs")
                assert "Other" not in crashed or len(crashed["Other"]) == 0
    finally:
        os.close(fd)
    assert len(writes) > 5


def test_relations_of_a_new_database_are_none(clubs: jet.Table) -> None:
    assert clubs._database.relations == []


def test_relations_of_files_that_access_made(each_access_file: list[Path], tmp_path: Path) -> None:
    source = next(path for path in each_access_file if path.name == "indexTestV2000.mdb")
    shutil.copy(source, tmp_path / "related.mdb")
    with jet.open(tmp_path / "related.mdb", "r+") as db:
        relations = [relation for relation in db.relations if not relation.table.startswith("MSys")]
        assert relations == [
            Relation("Table2Table1", "Table1", ("otherfk1",), "Table2", ("id",), cascade_deletes=True),
            Relation("Table3Table1", "Table1", ("otherfk2",), "Table3", ("id",), cascade_updates=True),
        ]
        with pytest.raises(jet.ValueRefused, match="Table2 has a relationship"):
            db["Table2"].drop()
    with pytest.raises(
        jet.AccessFileError, match=r"has a relationship \(Table2Table1\), which a copy would lose"
    ):
        jet.compact(tmp_path / "related.mdb", tmp_path / "copy.mdb")


def test_compact_copy_has_the_same_tables_and_no_unused_pages(
    clubs: jet.Table, tmp_path: Path, require_program: Require, mdb_reader: str
) -> None:
    db = clubs._database
    clubs.create_index(Index("Cities", ("City", "Points"), descending=("Points",), ignore_nulls=True))
    clubs.insert_many({"City": "x" * 50, "Story": "y" * 3000} for _ in range(200))
    for row in list(clubs.find(City="x" * 50)):
        clubs.delete(row)
    clubs.add_column(Column("Required", ColumnType.TEXT, size=5, required=True, default='"q"'))
    db.create_table("Dropped", COLUMNS).drop()
    columns, indexes = clubs.columns, clubs.indexes
    rows = [dict(row) for row in clubs.rows()]
    before = db.path.read_bytes()
    db.close()
    jet.compact(db.path, tmp_path / "small.mdb")
    assert db.path.read_bytes() == before
    assert not list(tmp_path.glob("*.part"))
    assert (tmp_path / "small.mdb").stat().st_size < len(before) / 2
    with jet.open(tmp_path / "small.mdb", "r+") as small:
        assert small.tables == ["Clubs"]
        copy = small["Clubs"]
        assert [dict(row) for row in copy.rows()] == rows
        assert copy.indexes == indexes
        assert [(c.name, c.type, c.size, c.default, c.required) for c in copy.columns] == [
            (c.name, c.type, c.size, c.default, c.required) for c in columns
        ]
        assert_indexes_right(small, "Clubs")
        assert copy.insert(Required="a")["ID"] == 207, "a number is never given out twice"
    assert_read_by_all(tmp_path / "small.mdb", require_program("mdb-export"), mdb_reader)
    jet.compact(db.path, tmp_path / "again.mdb")
    jet.compact(db.path, tmp_path / "twice.mdb")
    assert (tmp_path / "again.mdb").read_bytes() == (tmp_path / "twice.mdb").read_bytes()


def test_compact_refuses_a_target_that_is_there_and_an_access_97_file(
    clubs: jet.Table, club_evening: Path, tmp_path: Path
) -> None:
    (tmp_path / "mine.mdb").write_text("mine")
    with pytest.raises(jet.AccessFileError, match="exists already"):
        jet.compact(clubs._database.path, tmp_path / "mine.mdb")
    assert (tmp_path / "mine.mdb").read_text() == "mine"
    with pytest.raises(jet.AccessFileError, match="Access 97 file cannot be compacted"):
        jet.compact(club_evening, tmp_path / "evening.bws")
    with pytest.raises(jet.AccessFileError, match="no such file"):
        jet.compact(tmp_path / "nowhere.mdb", tmp_path / "new.mdb")
    assert {path.name for path in tmp_path.iterdir()} == {"clubs.mdb", "mine.mdb"}


def test_compact_that_fails_leaves_no_file(
    clubs: jet.Table, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(fd: int, content: bytes, at: int) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "pwrite", full)
    with pytest.raises(jet.NotWritten, match="the disk is full"):
        jet.compact(clubs._database.path, tmp_path / "small.mdb")
    assert [path.name for path in tmp_path.iterdir()] == ["clubs.mdb"]


def test_compact_copies_of_files_that_access_made(each_access_file: list[Path], tmp_path: Path) -> None:
    copied = 0
    for path in each_access_file:
        target = tmp_path / path.name
        try:
            jet.compact(path, target)
        except (jet.AccessFileError, jet.IndexNotKept, jet.ValueRefused):
            continue
        copied += 1
        with jet.open(path) as old, jet.open(target) as new:
            assert new.tables == old.tables
            for name in old.tables:
                assert [dict(row) for row in new[name].rows()] == [dict(row) for row in old[name].rows()]
                assert new[name].indexes == old[name].indexes
                assert_indexes_right(new, name)
    assert copied > 10
