"""Journals of every format and release, kept under tests/journals, open for ever."""

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from overtrick.store import migrations, open_journal
from overtrick.store.errors import JournalError
from overtrick.store.tables import FORMAT
from tests.store.tiny import CODEC, TableMoved, put, result

KEPT = Path(__file__).parents[1] / "journals"


@pytest.fixture
def format1(tmp_path: Path) -> Path:
    return Path(shutil.copy(KEPT / "format1.overtrick", tmp_path / "club.overtrick"))


def dump(path: Path) -> list[str]:
    with closing(sqlite3.connect(path)) as connection:
        (version,) = connection.execute("PRAGMA user_version").fetchone()
        return [f"format {version}", *connection.iterdump()]


def test_there_is_a_step_from_every_older_format() -> None:
    assert set(migrations.STEPS) == set(range(1, FORMAT))
    assert {migrations.tables_of(version) for version in range(1, FORMAT + 1)}


def test_format_1_opens_and_goes_on(format1: Path, tmp_path: Path) -> None:
    as_it_was = dump(format1)
    with open_journal(format1, CODEC) as journal:
        monday = [entry.fact for entry in journal.read("monday")]
        assert monday == [*(result(board) for board in range(1, 25)), TableMoved("A", 7)]
        assert [entry.fact for entry in journal.read("tuesday")] == [
            result(1, contract=None, lead=None),
            TableMoved("A", 3),
            result(2),
        ]
        assert journal.heads() == {"monday": 25, "tuesday": 3}
        assert journal.marks.of("", "monday") == {"results": 17}
        assert journal.marks.of("club 1", "tuesday") == {"players": 2}
        assert journal.find("move table 7") is not None
        put(journal, "monday", 25, TableMoved("B", 1))
        journal.check()
    assert dump(tmp_path / "club.overtrick.format1") == as_it_was
    assert format1.read_bytes()[60:64] == FORMAT.to_bytes(4)
    open_journal(format1, CODEC).close()
    assert sorted(file.name for file in tmp_path.iterdir()) == ["club.overtrick", "club.overtrick.format1"]


def test_an_older_copy_that_was_kept_is_not_replaced(format1: Path, tmp_path: Path) -> None:
    (tmp_path / "club.overtrick.format1").write_text("of last year")
    open_journal(format1, CODEC).close()
    assert (tmp_path / "club.overtrick.format1").read_text() == "of last year"
    assert (tmp_path / "club.overtrick.format1.2").exists()


def test_a_migration_that_fails_changes_nothing(format1: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(engine: object, cursor: sqlite3.Cursor) -> None:
        cursor.execute("DELETE FROM journal")
        cursor.execute("SELECT * FROM no_such_thing")

    as_it_was = format1.read_bytes()
    monkeypatch.setitem(migrations.STEPS, 1, fail)
    with pytest.raises(JournalError, match="no such table"):
        open_journal(format1, CODEC)
    assert format1.read_bytes() == as_it_was
