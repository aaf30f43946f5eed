import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from overtrick.cli import app
from overtrick.errors import OvertrickError
from overtrick.event import OpenEvent
from overtrick.event.results import EnterResult
from overtrick.host.house import open_house
from tests.event.evenings import SESSION, entry, plan


@pytest.fixture
def journal(tmp_path: Path) -> Path:
    path = tmp_path / "club.overtrick"
    with open_house(path) as house:
        house.do(OpenEvent(SESSION, (plan(),)))
        house.do(EnterResult(SESSION, entry(1, 1, 2, "4SxN+1")))
    return path


def run(*arguments: object) -> str:
    done = CliRunner().invoke(app, ["journal", *map(str, arguments)], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.output


def test_sessions_are_listed(journal: Path) -> None:
    (line,) = run("list", journal, "--json").splitlines()
    listed = json.loads(line)
    assert (listed["session"], listed["incarnation"], listed["name"]) == (SESSION, 1, "Minimal Session")
    assert SESSION in run("list", journal)


def test_a_folder_with_one_journal_will_do(journal: Path, tmp_path: Path) -> None:
    journal.rename(tmp_path / "overtrick.journal")
    assert SESSION in run("list", tmp_path)
    (tmp_path / "empty").mkdir()
    with pytest.raises(OvertrickError, match="a folder without one journal"):
        run("check", tmp_path / "empty")


def test_a_copy_is_restored_and_whole(journal: Path, tmp_path: Path) -> None:
    run("backup", journal, tmp_path / "copy")
    run("restore", tmp_path / "copy", tmp_path / "again.overtrick")
    assert "is whole" in run("check", tmp_path / "again.overtrick")
    assert run("list", tmp_path / "again.overtrick", "--json") == run("list", journal, "--json")


def test_lines_of_json_go_out_and_in(journal: Path, tmp_path: Path) -> None:
    run("export", journal, tmp_path / "lines.json")
    run("import", tmp_path / "lines.json", tmp_path / "other.overtrick")
    assert run("list", tmp_path / "other.overtrick", "--json") == run("list", journal, "--json")


def test_nothing_is_overwritten_and_nothing_made_up(journal: Path, tmp_path: Path) -> None:
    (tmp_path / "there").write_text("mine")
    for arguments in (
        ("export", journal, tmp_path / "there"),
        ("backup", journal, tmp_path / "there"),
        ("list", tmp_path / "nothing"),
        ("check", tmp_path / "there"),
        ("import", tmp_path / "nothing", tmp_path / "new.overtrick"),
        ("import", tmp_path / "there", tmp_path / "new.overtrick"),
        ("export", journal, tmp_path / "no" / "folder"),
    ):
        with pytest.raises(OvertrickError):
            CliRunner().invoke(app, ["journal", *map(str, arguments)], catch_exceptions=False)
    assert (tmp_path / "there").read_text() == "mine"
    assert not (tmp_path / "nothing").exists()


def test_killed_export_leaves_no_file_and_can_be_repeated(journal: Path, tmp_path: Path) -> None:
    lines = tmp_path / "lines.json"
    killed = (
        "import os, signal, sys\n"
        "from overtrick.store import portable\n"
        "def die(*_): os.kill(os.getpid(), signal.SIGKILL)\n"
        "portable.select = die\n"
        "from overtrick.cli import main\n"
        "main()\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", killed, "journal", "export", str(journal), str(lines)], check=False
    )
    assert done.returncode == -signal.SIGKILL
    assert not lines.exists()
    run("export", journal, lines)
    run("import", lines, tmp_path / "other.overtrick")
