"""After a power failure at any moment the file opens with every earlier row in it."""

import os
import random
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from overtrick import jet
from overtrick.jet import Column, ColumnType, Index

Rows = dict[int, dict[str, Any]]
Written = list[tuple[int, bytes]]


def recorded(db: jet.Database) -> Written:
    writes: Written = []
    db.file.on_write = lambda number, page: writes.append((number, page))
    return writes


class Crashes:
    """A copy of the file that is one page write behind the other, and is opened after each."""

    def __init__(self, source: Path, copy: Path, page_size: int) -> None:
        shutil.copy(source, copy)
        self.copy = copy
        self.page_size = page_size
        self.opened = 0
        self._fd = os.open(copy, os.O_RDWR)

    def after_each(self, writes: Written, table: str) -> Iterator[Rows]:
        for number, page in writes:
            os.pwrite(self._fd, page, number * self.page_size)
            with jet.open(self.copy) as db:
                self.opened += 1
                rows = {row.id: dict(row) for row in db[table].rows()}
                numbers: list[Any] = [row["ID"] for row in rows.values()]
                assert len(set(numbers)) == len(numbers)
                assert db[table].definition.autonumber >= max(numbers, default=0), "a number would come twice"
                yield rows

    def close(self) -> None:
        os.close(self._fd)


def check_every_moment(
    db: jet.Database,
    table: str,
    crashes: Crashes,
    edits: int,
    seed: int,
    edit: Callable[[random.Random, Rows], None],
) -> None:
    rnd = random.Random(seed)
    writes = recorded(db)
    before: Rows = {row.id: dict(row) for row in db[table].rows()}
    for _ in range(edits):
        writes.clear()
        edit(rnd, before)
        after: Rows = {row.id: dict(row) for row in db[table].rows()}
        for found in crashes.after_each(list(writes), table):
            for id, row in before.items():
                if after.get(id) == row:
                    assert found[id] == row, "an earlier row was lost or changed"
                elif id in found:
                    now = {name: value for name, value in found[id].items() if name in row}
                    later = after.get(id, row)
                    assert now in (row, {name: later[name] for name in row}), "a row is half old and half new"
            assert all(id in before or found[id] == after[id] for id in found)
        before = after


# A file is opened and read after each of some thousand writes, about 15 seconds of a core.
@pytest.mark.timeout(180)
def test_every_prefix_of_a_thousand_edits_opens(tmp_path: Path) -> None:
    path = tmp_path / "new.mdb"
    columns = [
        Column("ID", ColumnType.LONG, autonumber=True),
        Column("Name", ColumnType.TEXT, size=200, allow_zero_length=True),
        Column("Number", ColumnType.INTEGER),
        Column("Story", ColumnType.MEMO),
    ]
    with jet.create(path) as db:
        table = db.create_table(
            "T", columns, [Index("PrimaryKey", ("ID",), primary=True), Index("Names", ("Name", "Number"))]
        )
        table.insert_many({"Name": f"name {n}", "Number": n} for n in range(12))
        crashes = Crashes(path, tmp_path / "crashed.mdb", db.file.page_size)

        def edit(rnd: random.Random, rows: Rows) -> None:
            chance = rnd.random()
            name = "".join(rnd.choice("abc -'") for _ in range(rnd.choice([3, 20, 200])))
            story = "word " * rnd.choice([1, 20, 20, 300, 1700])
            if chance < 0.02:
                table.insert_many(
                    {"Name": f"{name[:190]}{n}", "Story": story} for n in range(rnd.choice([2, 12]))
                )
            elif (chance < 0.45 and len(rows) < 18) or len(rows) < 5:
                table.insert(Name=name, Number=rnd.randrange(100), Story=rnd.choice([None, story]))
            elif chance < 0.75:
                change: dict[str, Any] = rnd.choice(
                    [{"Name": name}, {"Story": story}, {"Number": 7, "Story": None}]
                )
                table.update(rnd.choice(list(rows)), change)
            else:
                table.delete(rnd.choice(list(rows)))

        check_every_moment(db, "T", crashes, 1000, 1, edit)
        assert crashes.opened > 2500
        crashes.close()


def test_every_prefix_of_edits_to_an_access_97_file_opens(club_evening: Path, tmp_path: Path) -> None:
    path = tmp_path / "evening.bws"
    shutil.copy(club_evening, path)
    with jet.open(path, "r+") as db:
        results = db["ReceivedData"]
        crashes = Crashes(path, tmp_path / "crashed.bws", db.file.page_size)

        def edit(rnd: random.Random, rows: Rows) -> None:
            chance = rnd.random()
            remarks = "x" * rnd.choice([0, 5, 250])
            if chance < 0.4:
                results.insert(Board=1, Remarks=remarks, Contract="4 S")
            elif chance < 0.8:
                results.update(rnd.choice(list(rows)), {"Remarks": remarks, "Processed": True})
            else:
                results.delete(rnd.choice(list(rows)))

        check_every_moment(db, "ReceivedData", crashes, 60, 2, edit)
        crashes.close()


def test_every_prefix_of_new_tables_and_columns_opens(tmp_path: Path) -> None:
    path = tmp_path / "new.mdb"
    with jet.create(path) as db:
        columns = [Column("ID", ColumnType.LONG, autonumber=True)]
        columns += [Column(f"Long name of column {n}", ColumnType.TEXT, default='"d"') for n in range(60)]
        table = db.create_table("T", columns)
        table.insert_many({} for _ in range(20))
        crashes = Crashes(path, tmp_path / "crashed.mdb", db.file.page_size)
        made = iter(range(1000))

        def edit(rnd: random.Random, rows: Rows) -> None:
            number = next(made)
            if number % 2:
                db.create_table(f"Table {number}", columns, [Index("PK", ("ID",), primary=True)])
                db[f"Table {number}"].insert()
            else:
                table.add_column(Column(f"custom_{number}", rnd.choice([ColumnType.MEMO, ColumnType.LONG])))

        check_every_moment(db, "T", crashes, 12, 3, edit)
        crashes.close()


def test_full_disk_is_a_sentence_and_keeps_every_row(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "new.mdb"
    with jet.create(path) as db:
        table = db.create_table("T", [Column("ID", ColumnType.LONG), Column("Name", ColumnType.TEXT)])
        table.insert_many({"ID": n, "Name": "x" * 200} for n in range(50))
        size = path.stat().st_size
        real = os.pwrite

        def full(fd: int, content: bytes, at: int) -> int:
            if at >= size:
                raise OSError(28, "No space left on device")
            return real(fd, content, at)

        monkeypatch.setattr(os, "pwrite", full)
        with pytest.raises(jet.NotWritten, match="the disk is full; every earlier row is still there"):
            table.insert_many({"ID": n, "Name": "y" * 200} for n in range(500))
        assert [row["ID"] for row in table.rows()][:50] == list(range(50))
        monkeypatch.setattr(os, "pwrite", real)
        table.insert(ID=50)
    with jet.open(path) as db:
        assert [row["ID"] for row in db["T"].rows()] == list(range(51))
