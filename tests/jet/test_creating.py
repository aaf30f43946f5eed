"""New databases, tables and columns, as we and two readers of others see them."""

import hashlib
import random
import shutil
from collections.abc import Callable
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from overtrick import jet
from overtrick.jet import Column, ColumnType, Index
from overtrick.jet.usage_map import mapped_pages
from tests.jet.peers import assert_indexes_right, assert_read_by_all, mdb_export

Require = Callable[[str], str]
NEW_YEAR = datetime(2026, 1, 1, 12)

EVERY_TYPE = [
    Column("ID", ColumnType.LONG, autonumber=True),
    Column("Flag", ColumnType.YES_NO, default="True"),
    Column("Small", ColumnType.BYTE),
    Column("Number", ColumnType.INTEGER, default="0"),
    Column("Large", ColumnType.LONG, default="-1"),
    Column("Amount", ColumnType.MONEY),
    Column("Half", ColumnType.SINGLE),
    Column("Whole", ColumnType.DOUBLE),
    Column("When", ColumnType.DATE),
    Column("Bytes", ColumnType.BINARY, size=20),
    Column("NS/EW", ColumnType.TEXT, size=2, allow_zero_length=True, default='"N"'),
    Column("Remarks", ColumnType.TEXT, size=255, allow_zero_length=True),
    Column("Story", ColumnType.MEMO, allow_zero_length=True),
    Column("Picture", ColumnType.OLE),
    Column("Guid", ColumnType.GUID),
    Column("Exact", ColumnType.NUMERIC, precision=18, scale=4),
]
ROW: dict[str, Any] = {
    "Small": 255,
    "Large": -(2**31),
    "Amount": Decimal("-12.3456"),
    "Half": 0.5,
    "Whole": 1e300,
    "When": datetime(1850, 2, 3, 4, 5, 6),
    "Bytes": b"\x01\x02\xff",
    "NS/EW": "",
    "Remarks": "Renée 4♠",
    "Story": "♥" * 5000,
    "Picture": bytes(range(256)) * 40,
    "Guid": UUID("12345678-9abc-def0-1234-56789abcdef0"),
    "Exact": Decimal("-12345678901234.5678"),
}


def new_database(folder: Path, name: str = "new.mdb") -> jet.Database:
    return jet.create(folder / name, clock=lambda: NEW_YEAR)


def test_every_type_reads_the_value_it_wrote(
    tmp_path: Path, require_program: Require, mdb_reader: str
) -> None:
    with new_database(tmp_path) as db:
        table = db.create_table("All", EVERY_TYPE, [Index("PrimaryKey", ("ID",), primary=True)])
        row = table.insert(ROW)
        assert dict(row) == {**ROW, "ID": 1, "Flag": True, "Number": 0}
        empty = table.insert(dict.fromkeys(ROW))
        assert [value for value in empty.values() if value is not None] == [2, True, 0]
        table.update(empty, Story="short", Picture=b"x" * 70, When=datetime(2026, 12, 31, 23, 59, 59))
        assert_indexes_right(db, "All")
    # Before its calendar mdbtools knows no dates, and mdb-reader turns the hours of such a day round.
    with jet.open(tmp_path / "new.mdb", "r+") as db:
        row = next(db["All"].rows())
        assert dict(row)["When"] == ROW["When"]
        db["All"].update(row, When=datetime(1899, 12, 30, 19, 58, 44))
    assert_read_by_all(tmp_path / "new.mdb", require_program("mdb-export"), mdb_reader)


@pytest.mark.parametrize(
    ("kind", "default", "value"),
    [
        (ColumnType.TEXT, '"N"', "N"),
        (ColumnType.TEXT, '"say ""x"""', 'say "x"'),
        (ColumnType.TEXT, "'it''s'", "it's"),
        (ColumnType.TEXT, '""', None),
        (ColumnType.TEXT, "abc", "abc"),
        (ColumnType.MEMO, '="memo"', "memo"),
        (ColumnType.TEXT, 'UCase("a")', None),
        (ColumnType.INTEGER, "-1", -1),
        (ColumnType.INTEGER, "True", -1),
        (ColumnType.LONG, "GenUniqueID()", None),
        (ColumnType.MONEY, "2.5", Decimal("2.5")),
        (ColumnType.DOUBLE, "1e3", 1000.0),
        (ColumnType.YES_NO, "Yes", True),
        (ColumnType.YES_NO, "0", False),
        (ColumnType.DATE, "Now()", NEW_YEAR),
        (ColumnType.DATE, "=Date()", datetime(2026, 1, 1)),
        (ColumnType.DATE, "Time()", datetime(1899, 12, 30, 12)),
        (ColumnType.DATE, "0", datetime(1899, 12, 30)),
        (ColumnType.DATE, "#1/1/2000#", None),
        (ColumnType.GUID, "0", None),
    ],
)
def test_default_expressions_become_values(
    tmp_path: Path, kind: ColumnType, default: str, value: object
) -> None:
    with new_database(tmp_path) as db:
        table = db.create_table("T", [Column("A", ColumnType.LONG), Column("D", kind, default=default)])
        assert table.insert(A=1)["D"] == value
        assert table.columns[1].default == default


def test_columns_read_what_they_were_created_with(tmp_path: Path) -> None:
    with new_database(tmp_path) as db:
        db.create_table("All", EVERY_TYPE)
    with jet.open(tmp_path / "new.mdb") as db:
        for made, read in zip(EVERY_TYPE, db["All"].columns, strict=True):
            for fact in ("name", "type", "autonumber", "default", "required", "allow_zero_length", "scale"):
                assert getattr(read, fact) == getattr(made, fact), (made.name, fact)
            if made.type is ColumnType.TEXT:
                assert read.size == made.size


def test_definition_and_properties_longer_than_a_page_are_read(
    tmp_path: Path, require_program: Require, mdb_reader: str
) -> None:
    kinds = [ColumnType.YES_NO, ColumnType.INTEGER, ColumnType.TEXT]
    columns = [
        Column(f"TheSettingWithALongName{n}", kinds[n % 3], default=["True", "0", '"abc"'][n % 3])
        for n in range(150)
    ]
    with new_database(tmp_path) as db:
        settings_table = db.create_table("Settings", columns)
        assert len(settings_table.definition.pages) > 2
        first = settings_table.insert()
        assert list(first.values())[:3] == [True, 0, "abc"]
        settings_table.add_column(Column("custom_Read", ColumnType.YES_NO))
        settings_table.add_column(Column("custom_Text", ColumnType.TEXT, size=30, default='"q"'))
        settings_table.add_column(Column("custom_Memo", ColumnType.MEMO))
        settings_table.add_column(Column("custom_Number", ColumnType.LONG))
        row = settings_table.insert(custom_Read=True, custom_Memo="m" * 5000, custom_Number=7)
        assert [row[name] for name in list(row)[-4:]] == [True, "q", "m" * 5000, 7]
        old = next(settings_table.rows())
        assert [old[name] for name in list(old)[-4:]] == [False, None, None, None]
        changed = settings_table.update(old, custom_Number=8)
        assert changed["custom_Number"] == 8
        assert [column.default for column in settings_table.columns] == [
            *[column.default for column in columns],
            *[None, '"q"', None, None],
        ]
    assert_read_by_all(tmp_path / "new.mdb", require_program("mdb-export"), mdb_reader)


def test_column_added_to_an_access_97_file_is_read_by_others(
    club_evening: Path, tmp_path: Path, require_program: Require, mdb_reader: str
) -> None:
    path = tmp_path / "evening.bws"
    shutil.copy(club_evening, path)
    with jet.open(path, "r+") as db:
        results = db["ReceivedData"]
        before = [dict(row) for row in results.rows()]
        results.add_column(Column("custom_Read", ColumnType.YES_NO))
        results.add_column(Column("custom_Note", ColumnType.TEXT, size=20, default='"-"'))
        results.add_column(Column("custom_When", ColumnType.DATE))
        assert [dict(row) for row in results.rows()] == [
            {**row, "custom_Read": False, "custom_Note": None, "custom_When": None} for row in before
        ]
        row = next(results.rows())
        results.update(row, custom_Read=True, custom_Note="seen", custom_When=NEW_YEAR)
        assert results.insert(Board=1)["custom_Note"] == "-"
        assert results.columns[-2].default == '"-"'
    assert_read_by_all(path, require_program("mdb-export"), mdb_reader)


@pytest.mark.timeout(150)  # thousands of rows are written and sorted
def test_index_of_several_levels_is_right_after_deletes(tmp_path: Path, require_program: Require) -> None:
    rnd = random.Random(4)
    with new_database(tmp_path) as db:
        columns = [Column("Key", ColumnType.LONG), Column("Name", ColumnType.TEXT, size=50)]
        table = db.create_table("Many", columns, [Index("K", ("Key",)), Index("N", ("Name", "Key"))])
        numbers = [rnd.randrange(10**9) for _ in range(12_000)]
        assert table.insert_many({"Key": n, "Name": f"name {n % 977:05}" * 3} for n in numbers) == 12_000
        assert len(table) == 12_000
        assert_indexes_right(db, "Many")
        rows = list(table.rows())
        assert sorted(row["Key"] for row in rows) == sorted(numbers)  # type: ignore[type-var]
        with db.writing():
            for row in rnd.sample(rows, 200):
                table.delete(row)
            for row in rnd.sample(list(table.rows()), 100):
                table.update(row, Key=-1, Name="z")
        assert_indexes_right(db, "Many")
        assert len(table) == len(list(table.rows())) == 11_800
        exported = mdb_export(require_program("mdb-export"), db.path, "Many")
        ours = sorted((str(row["Key"]), str(row["Name"])) for row in table.rows())
        assert ours == sorted((str(row["Key"]), str(row["Name"])) for row in exported)


def test_usage_map_that_outgrows_its_row_moves_to_pages(
    tmp_path: Path, require_program: Require, mdb_reader: str
) -> None:
    with new_database(tmp_path) as db:
        table = db.create_table("Wide", [Column(f"T{n}", ColumnType.TEXT) for n in range(7)])
        table.insert_many({f"T{n}": f"{row:05}" + "x" * 250 for n in range(7)} for row in range(1500))
        assert len(mapped_pages(db.file, table.definition.owned_map)) > 512
        assert [row["T6"] for row in table.rows()] == [f"{row:05}" + "x" * 250 for row in range(1500)]
    assert_read_by_all(tmp_path / "new.mdb", require_program("mdb-export"), mdb_reader)


def test_new_file_has_the_same_bytes_every_time(tmp_path: Path) -> None:
    for name in ("one.mdb", "two.mdb"):
        with new_database(tmp_path, name) as db:
            table = db.create_table("Clients", EVERY_TYPE, [Index("PrimaryKey", ("ID",), primary=True)])
            table.insert(ROW)
    one, two = ((tmp_path / name).read_bytes() for name in ("one.mdb", "two.mdb"))
    assert one == two
    assert hashlib.sha256(one).hexdigest() == GOLDEN, "what is written has changed: was that meant?"


GOLDEN = "1493785a80af2eeaeab373afbb2c97b8509994e9f410193bdf6167bb7b26f793"


@pytest.mark.parametrize(
    ("columns", "sentence"),
    [
        ([], "needs a column"),
        ([Column("A.B", ColumnType.LONG)], "cannot be the name of a column"),
        ([Column("A", ColumnType.LONG), Column("a", ColumnType.LONG)], "already a column a"),
        ([Column("A", ColumnType.TEXT, autonumber=True)], "cannot be an autonumber"),
        ([Column("A", ColumnType.TEXT, size=256)], "more than 255 characters"),
        ([Column(f"A{n}", ColumnType.LONG) for n in range(256)], "cannot have 256 columns"),
    ],
)
def test_invalid_columns_are_refused_and_nothing_written(
    tmp_path: Path, columns: list[Column], sentence: str
) -> None:
    with new_database(tmp_path) as db:
        before = db.path.read_bytes()
        with pytest.raises(jet.ValueRefused, match=sentence):
            db.create_table("T", columns)
        assert db.path.read_bytes() == before


def test_table_name_without_a_sort_key_is_refused_and_nothing_written(tmp_path: Path) -> None:
    with new_database(tmp_path) as db:
        before = db.path.read_bytes()
        with pytest.raises(jet.IndexNotKept, match="ParentIdName cannot be kept correct"):
            db.create_table("4♠", [Column("A", ColumnType.LONG)])
        assert db.path.read_bytes() == before


def test_row_with_an_unknown_key_can_be_changed_elsewhere_and_deleted(tmp_path: Path) -> None:
    columns = [Column("ID", ColumnType.LONG, autonumber=True), Column("Name", ColumnType.TEXT, size=20)]
    with new_database(tmp_path) as db:
        table = db.create_table(
            "T", [*columns, Column("Flag", ColumnType.YES_NO)], [Index("Names", ("Name",))]
        )
        table.insert_many({"Name": name} for name in ("Anna", "Bert", "Cees"))
        # Only Access can make a key of this text, so the row gets it behind the index's back.
        content = db.path.read_bytes()
        db.path.write_bytes(content.replace(b"\xff\xfeBert", b"\xff\xfe\xdf\xe9rt"))
        bert = list(table.rows())[1]
        assert bert["Name"] == "ßért"
        assert table.update(bert, Flag=True)["Flag"], "the index has nothing to do with it"
        with pytest.raises(jet.IndexNotKept):
            table.update(bert, Name="ßèrt")
        assert table.update(bert, Name="Zeno")["Name"] == "Zeno"
        assert_indexes_right(db, "T")
        table.delete(bert)
        assert_indexes_right(db, "T")


def test_rows_with_accents_guids_and_decimals_in_indexes(tmp_path: Path, require_program: Require) -> None:
    columns = [
        Column("Name", ColumnType.TEXT, size=50),
        Column("Guid", ColumnType.GUID),
        Column("Exact", ColumnType.NUMERIC, precision=10, scale=2),
        Column("Raw", ColumnType.BINARY, size=20),
    ]
    indexes = [Index(column.name, (column.name,)) for column in columns]
    with new_database(tmp_path) as db:
        table = db.create_table("Städte", columns, [*indexes, Index("All", tuple(c.name for c in columns))])
        for number, name in enumerate(
            ["Köln", "Bonn", "Müller", "Muller", "Łódź", "Malmö", None, "O'Née-Šimić"]
        ):
            guid = UUID(int=number * 7919 << 90)
            table.insert(Name=name, Guid=guid, Exact=Decimal(number - 4) / 4, Raw=bytes(range(number + 1)))
        assert_indexes_right(db, "Städte")
        for row in list(table.rows())[::2]:
            table.update(row, Name="Ünal", Guid=None, Exact=Decimal("-9.5"))
        assert_indexes_right(db, "Städte")
        assert [row["Name"] for row in mdb_export(require_program("mdb-export"), db.path, "Städte")] == [
            row["Name"] for row in table.rows()
        ]


@pytest.mark.parametrize("kind", [ColumnType.MEMO, ColumnType.OLE])
def test_index_on_a_column_without_keys_is_refused_when_the_table_is_made(
    tmp_path: Path, kind: ColumnType
) -> None:
    with new_database(tmp_path) as db:
        before = db.path.read_bytes()
        with pytest.raises(jet.IndexNotKept, match=f"Index I could not be kept correct .*{kind.word}"):
            db.create_table("T", [Column("A", kind)], [Index("I", ("A",))])
        assert db.path.read_bytes() == before


column: Any = Column
index: Any = Index


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: column("A", "text"), "'text' is not the type of a column; use a ColumnType: YES_NO, BYTE"),
        (lambda: column("A", 10), "10 is not the type of a column"),
        (lambda: column(1, ColumnType.LONG), "The name of a column is text, not 1"),
        (lambda: column("A", ColumnType.LONG, default=0), "its default is text, for example '0'"),
        (lambda: column("A", ColumnType.TEXT, size="20"), "The size of a column is a whole number"),
        (lambda: index("I", "ID"), "The columns of an index are a tuple of names, not 'ID'"),
        (lambda: index(None, ("ID",)), "The name of an index is text, not None"),
    ],
)
def test_column_or_index_of_wrong_types_is_refused_with_a_sentence(
    make: Callable[[], object], sentence: str
) -> None:
    with pytest.raises(jet.ValueRefused, match=sentence):
        make()


def test_flag_of_autonumbers_on_a_text_column_is_not_an_autonumber(tmp_path: Path) -> None:
    """Access 97 sets the bits of autonumbers in columns of other types, for instance in its Northwind."""
    columns = [Column("ID", ColumnType.LONG, autonumber=True), Column("City", ColumnType.TEXT, size=20)]
    with new_database(tmp_path) as db:
        table = db.create_table("T", columns)
        definition = bytearray(db.path.read_bytes())
        entries = table.page * db.file.page_size + db.file.layout.index_counts
        flags = entries + db.file.layout.column_size + db.file.layout.column_flags
        assert definition[flags] == 0x02
        definition[flags] |= 0x44
        db.path.write_bytes(definition)
        assert [column.autonumber for column in table.columns] == [True, False]
        row = table.insert(City="Bonn")
        assert table.insert()["City"] is None
        assert table.update(row, City="Köln")["City"] == "Köln"


def test_guid_autonumber_gets_a_guid_and_the_default_of_access(tmp_path: Path) -> None:
    with new_database(tmp_path) as db:
        table = db.create_table("T", [Column("G", ColumnType.GUID, autonumber=True)], [Index("I", ("G",))])
        assert table.columns[0].default == "GenGUID()"
        guids = {table.insert()["G"] for _ in range(5)}
        assert len(guids) == 5
        assert all(isinstance(guid, UUID) for guid in guids)
        assert_indexes_right(db, "T")


def test_datetime_with_a_time_zone_is_refused_and_nothing_written(tmp_path: Path) -> None:
    with new_database(tmp_path) as db:
        table = db.create_table("T", [Column("When", ColumnType.DATE)])
        before = db.path.read_bytes()
        with pytest.raises(
            jet.ValueRefused, match=r"column When: 2026-01-01T12:00:00\+00:00 has a time zone"
        ):
            table.insert(When=NEW_YEAR.replace(tzinfo=UTC))
        assert db.path.read_bytes() == before


def test_fixed_length_text_is_padded_with_spaces(each_access_file: list[Path], tmp_path: Path) -> None:
    source = next(path for path in each_access_file if path.name == "fixedTextTestV2000.mdb")
    shutil.copy(source, tmp_path / "fixed.mdb")
    with jet.open(tmp_path / "fixed.mdb", "r+") as db:
        row = next(db["users"].rows())
        before = dict(row)
        assert dict(db["users"].update(row, c_flag_="Y")) == {**before, "c_flag_": "Y"}
        assert dict(db["users"].update(row, c_flag_="")) == {**before, "c_flag_": " "}


def test_create_over_an_existing_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "new.mdb").write_text("mine")
    with pytest.raises(jet.AccessFileError, match="exists already"):
        new_database(tmp_path)
    assert (tmp_path / "new.mdb").read_text() == "mine"
    with pytest.raises(jet.AccessFileError, match="97 cannot be created"):
        jet.create(tmp_path / "old.mdb", version="97")
    with pytest.raises(jet.AccessFileError, match="cannot be created: No such file"):
        jet.create(tmp_path / "nowhere" / "new.mdb")


texts = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\ufeff"), max_size=255).filter(
    lambda text: len(text.encode("utf-16-le")) <= 510
)
rows = st.fixed_dictionaries(
    {
        "Flag": st.booleans(),
        "Small": st.none() | st.integers(0, 255),
        "Large": st.none() | st.integers(-(2**31), 2**31 - 1),
        "Amount": st.none() | st.integers(-(2**63), 2**63 - 1).map(lambda n: Decimal(n).scaleb(-4)),
        "Half": st.none() | st.floats(width=32, allow_nan=False),
        "Whole": st.none() | st.floats(allow_nan=False),
        "When": st.none()
        | st.datetimes(datetime(100, 1, 1), datetime(9999, 12, 31)).map(lambda d: d.replace(microsecond=0)),
        "Bytes": st.none() | st.binary(max_size=20),
        "Remarks": st.none() | texts,
        "Story": st.none() | texts.map(lambda text: text * 30),
        "Picture": st.none() | st.binary(max_size=200),
        "Guid": st.none() | st.uuids(),
        "Exact": st.none() | st.integers(-(10**18) + 1, 10**18 - 1).map(lambda n: Decimal(n).scaleb(-4)),
    }
)


@settings(max_examples=60)
@given(st.lists(rows, min_size=1, max_size=5), rows)
def test_any_row_reads_what_was_inserted(
    tmp_path_factory: pytest.TempPathFactory, several: list[dict[str, Any]], other: dict[str, Any]
) -> None:
    with new_database(tmp_path_factory.mktemp("any")) as db:
        table = db.create_table("All", EVERY_TYPE)
        assert table.insert_many(several) == len(several)
        read = list(table.rows())
        for given_row, row in zip(several, read, strict=True):
            assert {name: row[name] for name in given_row} == given_row
        changed = table.update(read[0], other)
        assert {name: changed[name] for name in other} == other
        for given_row, row in zip(several[1:], list(table.rows())[1:], strict=True):
            assert {name: row[name] for name in given_row} == given_row
