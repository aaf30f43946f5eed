from collections.abc import Callable
from datetime import datetime
from pathlib import Path

import pytest

from overtrick import jet
from overtrick.jet.columns import ColumnType
from tests.jet import peers

Require = Callable[[str], str]


def test_club_evening_has_all_tables_and_rows(club_evening: Path) -> None:
    with jet.open(club_evening) as db:
        assert db.version == "Access 97"
        assert db.tables[:5] == ["Clients", "Section", "Tables", "RoundData", "ReceivedData"]
        assert len(db.tables) == 13
        results = list(db["ReceivedData"].rows())
        assert len(results) == len(db["ReceivedData"]) == 288
        first = results[0]
        assert first["Contract"] == first["contract"] == "3 H"
        assert first["NS/EW"] == "S"
        assert first["LeadCard"] is None
        assert first["DateLog"] == datetime(2005, 5, 9)
        assert first["TimeLog"] == datetime(1899, 12, 30, 19, 58, 44)
        assert first["Processed"] is False
        assert [row["ID"] for row in results] == list(range(1, 289))


def test_columns_have_types_sizes_and_defaults_of_the_file(club_evening: Path) -> None:
    with jet.open(club_evening) as db:
        columns = {column.name: column for column in db["ReceivedData"].columns}
        assert columns["ID"].type is ColumnType.LONG
        assert columns["ID"].autonumber
        assert columns["Remarks"].size == 255
        settings = {column.name: column for column in db["Settings"].columns}
        assert settings["ShowResults"].default == "True"
        assert settings["MaximumResults"].default == "0"
        assert not db["Section"].columns[1].allow_zero_length


def test_club_evening_equals_what_mdbtools_reads(club_evening: Path, require_program: Require) -> None:
    program = require_program("mdb-export")
    with jet.open(club_evening) as db:
        assert db.tables == peers.mdb_tables(program, club_evening)
        for name in [*db.tables, "MSysACEs", "MSysRelationships"]:
            peers.assert_same_rows(db[name], peers.mdb_export(program, club_evening, name))


def test_files_that_access_made_equal_what_mdbtools_reads(
    each_access_file: list[Path], require_program: Require
) -> None:
    program = require_program("mdb-export")
    for path in each_access_file:
        with jet.open(path) as db:
            assert sorted(db.tables) == sorted(peers.mdb_tables(program, path))
            for name in db.tables:
                peers.assert_same_rows(db[name], peers.mdb_export(program, path, name))


def test_unknown_table_or_column_is_a_key_error_with_a_sentence(club_evening: Path) -> None:
    with jet.open(club_evening) as db:
        assert "receiveddata" in db
        assert "Nothing" not in db
        with pytest.raises(jet.NoSuchTable, match="There is no table Nothing"):
            db["Nothing"]
        row = next(db["Section"].rows())
        with pytest.raises(KeyError):
            row["Nothing"]
