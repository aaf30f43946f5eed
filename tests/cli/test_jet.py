import csv
import io
import json
import os
import subprocess
import sys
from collections.abc import Callable
from datetime import datetime
from decimal import Decimal
from pathlib import Path

import pytest
from typer.testing import CliRunner

from overtrick import jet
from overtrick.cli import app
from overtrick.jet import Column, ColumnType

Run = Callable[..., str]


@pytest.fixture
def made(tmp_path: Path) -> Path:
    path = tmp_path / "new.mdb"
    with jet.create(path) as db:
        columns = [
            Column("ID", ColumnType.LONG, autonumber=True),
            Column("Name", ColumnType.TEXT, size=18, default='"N"'),
            Column("When", ColumnType.DATE),
            Column("Fee", ColumnType.MONEY),
            Column("Paid", ColumnType.YES_NO),
            Column("Photo", ColumnType.OLE),
        ]
        db.create_table("Players", columns).insert(
            Name="Renée, ♠", When=datetime(2026, 1, 2, 19, 30), Fee=Decimal("3.50"), Photo=b"\x01\xff"
        )
        db.create_table("Empty", [Column("A", ColumnType.DOUBLE)])
    return path


def run(*arguments: object) -> str:
    done = CliRunner().invoke(app, ["jet", *map(str, arguments)])
    assert done.exit_code == 0, done.output
    return done.output


def test_tables_are_listed(made: Path) -> None:
    assert json.loads(run("tables", made, "--format", "json")) == ["Players", "Empty"]
    assert run("tables", made, "--format", "csv").split() == ["table,rows", "Players,1", "Empty,0"]
    assert "Players" in run("tables", made)


def test_schema_shows_columns(made: Path) -> None:
    described = json.loads(run("schema", made, "--format", "json", "--table", "players"))
    assert list(described) == ["Players"]
    assert described["Players"]["columns"][1] == {
        "name": "Name",
        "type": "text",
        "size": 18,
        "autonumber": False,
        "required": False,
        "allow_zero_length": False,
        "default": '"N"',
    }
    rows = list(csv.DictReader(io.StringIO(run("schema", made, "--format", "csv"))))
    assert [row["column"] for row in rows] == ["ID", "Name", "When", "Fee", "Paid", "Photo", "A"]
    assert "Photo" in run("schema", made)


def test_table_on_a_pipe_is_not_cut_off(tmp_path: Path) -> None:
    path = tmp_path / "wide.mdb"
    long = "ANameThatIsMuchLongerThanItsColumnWouldBeIfAllHadToFit"
    with jet.create(path) as db:
        db.create_table("T", [Column(f"{long}{number}", ColumnType.LONG) for number in range(4)])
    for told in (run("schema", path), run("dump", path)):
        assert [number for number in range(4) if f"{long}{number}" not in told] == []


def test_dump_writes_rows(made: Path) -> None:
    row = {
        "ID": 1,
        "Name": "Renée, ♠",
        "When": "2026-01-02T19:30:00",
        "Fee": "3.5",
        "Paid": False,
        "Photo": "01ff",
    }
    assert json.loads(run("dump", made, "--table", "Players", "--format", "json")) == row
    assert [json.loads(line) for line in run("dump", made, "-f", "json").splitlines()] == [
        {"table": "Players", "row": row}
    ]
    (exported,) = csv.DictReader(io.StringIO(run("dump", made, "--table", "Players", "--format", "csv")))
    assert exported == {**row, "ID": "1", "Paid": "no"}
    assert "Players" in run("dump", made)


def test_commands_read_a_real_club_evening(club_evening: Path) -> None:
    lines = run("dump", club_evening, "--table", "ReceivedData", "--format", "json").splitlines()
    assert len(lines) == 288
    assert json.loads(lines[0])["TimeLog"] == "1899-12-30T19:58:44"


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (None, "There is no such file."),
        (b"", "This is not an Access database."),
        (b"%PDF-1.4" * 1000, "This is not an Access database."),
    ],
)
def test_file_that_is_not_access_is_an_error_with_a_sentence_and_status(
    tmp_path: Path, content: bytes | None, sentence: str
) -> None:
    path = tmp_path / "some.mdb"
    if content is not None:
        path.write_bytes(content)
    done = subprocess.run(
        [sys.executable, "-m", "overtrick", "jet", "tables", str(path)],
        capture_output=True, text=True, check=False, env={**os.environ, "PYTHONUTF8": "1"},
        timeout=50,
    )  # fmt: skip
    assert done.returncode == 2
    assert sentence in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert "Traceback" not in done.stderr


def test_unknown_table_is_an_error_with_a_sentence(made: Path) -> None:
    done = CliRunner().invoke(app, ["jet", "dump", str(made), "--table", "Nobody"])
    assert isinstance(done.exception, jet.NoSuchTable)
    several = CliRunner().invoke(app, ["jet", "dump", str(made), "--format", "csv"])
    assert "name it with --table" in str(several.exception)
