"""Several programs at one file: other Overtrick processes, and Access."""

import multiprocessing
import os
import shutil
import threading
import time
from collections import Counter
from pathlib import Path

import pytest

from overtrick import jet
from overtrick.jet import Column, ColumnType, Index
from overtrick.jet.locks import access_users, locked
from tests.jet.peers import assert_indexes_right


@pytest.fixture
def shared(tmp_path: Path) -> Path:
    path = tmp_path / "event.bws"
    with jet.create(path) as db:
        columns = [
            Column("ID", ColumnType.LONG, autonumber=True),
            Column("Writer", ColumnType.INTEGER),
            Column("Remarks", ColumnType.TEXT, size=255),
            Column("Seen", ColumnType.INTEGER, default="0"),
        ]
        db.create_table("T", columns, [Index("PrimaryKey", ("ID",), primary=True)])
    return path


def write_some(path: Path, writer: int, count: int) -> None:
    with jet.open(path, "r+") as db:
        for n in range(count):
            row = db["T"].insert(Writer=writer, Remarks="x" * (n * 7 % 200 + 1))
            if n % 3 == 0:
                db["T"].update(row, Remarks="y" * 250)


def read_until(path: Path, rows: int, failed: "multiprocessing.queues.Queue[str]") -> None:
    try:
        with jet.open(path) as db:
            until = time.monotonic() + 50
            while time.monotonic() < until:
                found = [dict(row) for row in db["T"].rows()]
                numbers = [row["ID"] for row in found]
                assert len(set(numbers)) == len(numbers)
                assert all(
                    set(str(row["Remarks"])) <= {"x"} or set(str(row["Remarks"])) <= {"y"} for row in found
                )
                if len(found) == rows:
                    return
        raise AssertionError(f"{len(found)} of {rows} rows came")
    except BaseException as error:
        failed.put(repr(error))
        raise


def test_processes_writing_and_reading_at_once_lose_no_row(
    shared: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Another process finds this module on the path that it inherits.
    monkeypatch.syspath_prepend(str(Path(__file__).parents[2]))
    context = multiprocessing.get_context("spawn")
    failed: multiprocessing.queues.Queue[str] = context.Queue()
    readers = [context.Process(target=read_until, args=(shared, 120, failed)) for _ in range(2)]
    writers = [context.Process(target=write_some, args=(shared, writer, 40)) for writer in range(3)]
    for process in [*readers, *writers]:
        process.start()
    for process in [*readers, *writers]:
        process.join(50)
        assert process.exitcode == 0, failed.get(timeout=1) if not failed.empty() else "a process failed"
    with jet.open(shared) as db:
        rows = list(db["T"].rows())
        assert sorted(row["ID"] for row in rows) == list(range(1, 121))  # type: ignore[type-var]
        assert Counter(row["Writer"] for row in rows) == {0: 40, 1: 40, 2: 40}
        assert len(db["T"]) == 120
        assert_indexes_right(db, "T")


def test_rows_written_by_another_program_are_read(shared: Path) -> None:
    with jet.open(shared, "r+") as one, jet.open(shared, "r+") as two:
        assert not two.changed()
        row = one["T"].insert(Writer=1)
        assert two.changed()
        assert [row["Writer"] for row in two["T"].rows()] == [1]
        assert not two.changed()
        two["T"].update(row, Writer=2)
        assert one["T"].row(row.id)["Writer"] == 2
        two["T"].delete(row)
        assert one.changed()
        with pytest.raises(jet.RowGone):
            one["T"].update(row, Writer=3)
        two.create_table("Later", [Column("A", ColumnType.LONG)])
        assert one.tables == ["T", "Later"]
        two["T"].add_column(Column("custom_A", ColumnType.LONG))
        assert one["T"].insert(custom_A=5)["custom_A"] == 5


def test_changes_within_one_tick_of_the_clock_are_seen(shared: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(time, "time_ns", lambda: 1)
    with jet.open(shared, "r+") as one, jet.open(shared) as two:
        row = one["T"].insert(Writer=0)
        list(two["T"].rows())
        for n in range(1, 20):
            one["T"].update(row, Writer=n)
            assert two.changed()
            assert [row["Writer"] for row in two["T"].rows()] == [n]


def test_file_replaced_by_another_is_read_anew(shared: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.bws"
    shutil.copy(shared, other)
    with jet.open(other, "r+") as db:
        db["T"].insert(Writer=9)
    with jet.open(shared) as db:
        assert list(db["T"].rows()) == []
        other.replace(shared)
        assert db.changed()
        assert [row["Writer"] for row in db["T"].rows()] == [9]


def test_changed_takes_less_than_a_millisecond(shared: Path) -> None:
    with jet.open(shared) as db:
        began = time.perf_counter()
        for _ in range(200):
            db.changed()
        assert (time.perf_counter() - began) / 200 < 1e-3


def test_rows_can_be_changed_while_they_are_read(shared: Path) -> None:
    with jet.open(shared, "r+") as db:
        db["T"].insert_many({"Writer": n, "Remarks": "x" * 100} for n in range(200))
        for row in db["T"].rows():
            db["T"].update(row, Seen=1, Remarks="y" * 200)
        assert {row["Seen"] for row in db["T"].rows()} == {1}
        assert len(list(db["T"].rows())) == 200


def test_lock_not_free_in_time_is_a_sentence(shared: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("overtrick.jet.locks._LOCK_TIMEOUT", 0.05)
    holder = os.open(shared, os.O_RDWR)
    try:
        with jet.open(shared, "r+") as db, locked(holder, "event.bws", alone=True):
            for work in (db.catalog_rows, lambda: db["T"].insert(Writer=1), lambda: jet.open(shared)):
                with pytest.raises(
                    jet.ReadOnlyAccessFile, match="Another Overtrick process has been writing"
                ):
                    work()
    finally:
        os.close(holder)


def test_writer_waits_for_the_lock(shared: Path) -> None:
    with jet.open(shared, "r+") as db:
        turn = threading.Event()

        def other() -> None:
            turn.set()
            with jet.open(shared, "r+") as second:
                second["T"].insert(Writer=2)

        with db.writing():
            thread = threading.Thread(target=other)
            db["T"].insert(Writer=1)
            thread.start()
            turn.wait(5)
            db["T"].insert(Writer=1)
        thread.join(10)
        assert [row["Writer"] for row in db["T"].rows()] == [1, 1, 2]


def lock_record(computer: str, user: str) -> bytes:
    return computer.encode().ljust(32, b"\0") + user.encode().ljust(32, b"\0")


def test_lock_file_of_access_makes_the_database_read_only(shared: Path) -> None:
    lock = shared.with_suffix(".ldb")
    lock.write_bytes(lock_record("CLUB-PC", "Admin") + lock_record("LAPTOP", "Admin"))
    before = shared.read_bytes()
    assert [str(user) for user in access_users(shared)] == ["Admin on CLUB-PC", "Admin on LAPTOP"]
    with jet.open(shared, "r+") as db:
        assert list(db["T"].rows()) == []
        with pytest.raises(jet.InUseByAccess) as refused:
            db["T"].insert(Writer=1)
        assert "Admin on CLUB-PC and Admin on LAPTOP" in str(refused.value)
        assert "event.ldb" in str(refused.value)
        assert shared.read_bytes() == before
        lock.unlink()
        db["T"].insert(Writer=1)
    lock.write_bytes(b"")
    assert access_users(shared) == []
    assert jet.open(shared, "r+")["T"].insert(Writer=2)["ID"] == 2


def test_each_change_is_flushed_and_a_group_once(shared: Path, quick_disk: list[int]) -> None:
    with jet.open(shared, "r+") as db:
        quick_disk.clear()
        db["T"].insert(Writer=1)
        assert len(quick_disk) == 1
        with db.writing():
            for _ in range(5):
                db["T"].insert(Writer=1)
        assert len(quick_disk) == 2


def test_file_in_a_read_only_folder_is_read(shared: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(path: object, flags: int, *more: int) -> int:
        if flags & os.O_RDWR:
            raise PermissionError(13, "Permission denied")
        return opened(path, flags, *more)  # type: ignore[arg-type]

    opened = os.open
    monkeypatch.setattr(os, "open", refuse)
    with pytest.raises(jet.AccessFileError, match="may not be written by this user"):
        jet.open(shared, "r+")
    with jet.open(shared) as db:
        assert list(db["T"].rows()) == []
