import json
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner

from overtrick.cli import app
from overtrick.errors import OvertrickError
from overtrick.event import OpenEvent
from overtrick.event.results import EnterResult
from overtrick.host.runtime import open_runtime
from overtrick.store import postgres
from tests.event.evenings import SESSION, entry, plan


@pytest.fixture
def journal(tmp_path: Path) -> Path:
    path = tmp_path / "club.overtrick"
    with open_runtime(path) as runtime:
        runtime.do(OpenEvent(SESSION, (plan(),)))
        runtime.do(EnterResult(SESSION, entry(1, 1, 2, "4SxN+1")))
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


def test_a_list_is_cut_and_searched(journal: Path) -> None:
    with open_runtime(journal) as runtime:
        for number in range(1, 53):
            guid = f"{number:032X}"
            runtime.do(OpenEvent(guid, (replace(plan(), session=guid, name=f"Evening {number}"),)))
    assert len(run("list", journal, "--json").splitlines()) == 53
    assert json.loads(run("list", journal, "--json").splitlines()[0])["name"] == "Evening 52"
    assert "3 more. Use --most to see them, or --find to search." in run("list", journal)
    assert [
        json.loads(line)["name"]
        for line in run("list", journal, "--json", "--find", "evening 7").splitlines()
    ] == ["Evening 7"]
    assert len(run("list", journal, "--json", "--most", 2).splitlines()) == 2
    assert run("list", journal, "--format", "json") == run("list", journal, "--json")
    table = run("list", journal, "--format", "csv").splitlines()
    assert (table[0], len(table)) == ("session,incarnation,name,date,status,facts,changed", 54)


def test_folder_with_one_journal_is_accepted(journal: Path, tmp_path: Path) -> None:
    journal.rename(tmp_path / "overtrick.journal")
    assert SESSION in run("list", tmp_path)
    (tmp_path / "empty").mkdir()
    with pytest.raises(OvertrickError, match="does not contain exactly one journal"):
        run("check", tmp_path / "empty")


def test_a_copy_is_restored_and_whole(journal: Path, tmp_path: Path) -> None:
    run("backup", journal, tmp_path / "copy")
    run("restore", tmp_path / "copy", tmp_path / "again.overtrick")
    assert "is intact" in run("check", tmp_path / "again.overtrick")
    assert run("list", tmp_path / "again.overtrick", "--json") == run("list", journal, "--json")


def test_json_lines_are_exported_and_imported(journal: Path, tmp_path: Path) -> None:
    run("export", journal, tmp_path / "lines.json")
    run("import", tmp_path / "lines.json", tmp_path / "other.overtrick")
    assert run("list", tmp_path / "other.overtrick", "--json") == run("list", journal, "--json")


def test_existing_files_are_kept_and_missing_journals_are_not_created(journal: Path, tmp_path: Path) -> None:
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
        [sys.executable, "-c", killed, "journal", "export", str(journal), str(lines)], check=False, timeout=50
    )
    assert done.returncode == -signal.SIGKILL
    assert not lines.exists()
    run("export", journal, lines)
    run("import", lines, tmp_path / "other.overtrick")


ADDRESSES = (
    "postgresql://u:secret@h:notaport/x",
    "postgresql://u:secret@[::1/x",
    "postgresql://u:secret@127.0.0.1:1/x",
    "postgresql://u:secret@127.0.0.1:99999/x",
    "postgresql://127.0.0.1:1/x?user=u&password=secret",
    "postgresql://u:secret@no-such-host.invalid/x",
    "postgresql://u:se/cr@secret@127.0.0.1:1/x",
    "postgresql://u:secret",
    "postgresql:secret",
    "postgresql://u:secret\udcff@127.0.0.1:1/x",
    "postgresql://u:secret@127.0.0.1:1/x?bogus=1",
    "postgres://u:secret@127.0.0.1:1/x",
    "mysql://u:secret@127.0.0.1/x",
)
COMMANDS = (
    ("journal", "list", "ADDRESS"),
    ("journal", "check", "ADDRESS"),
    ("journal", "backup", "ADDRESS", "FOLDER/copy"),
    ("journal", "restore", "ADDRESS", "FOLDER/new"),
    ("journal", "restore", "FOLDER/club.overtrick", "ADDRESS"),
    ("journal", "export", "ADDRESS", "FOLDER/lines"),
    ("journal", "import", "FOLDER/some.json", "ADDRESS"),
    ("teams", "list", "--journal", "ADDRESS"),
    ("teams", "open", "Cup", "--journal", "ADDRESS"),
    ("magic", "map", "1", "--journal", "ADDRESS"),
    ("control", "--journal", "ADDRESS", "--looks", "1"),
    ("control", "/f:FOLDER/none.bws", "--journal", "ADDRESS", "--looks", "1"),
    ("score", "ADDRESS"),
    ("score", SESSION, "--data", "ADDRESS"),
    ("bmpftp", "run", "FOLDER", "--journal", "ADDRESS"),
    ("tm", "host", "--session", SESSION, "--journal", "ADDRESS"),
)


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_bad_address_is_refused_with_a_sentence_without_its_password(
    command: tuple[str, ...], journal: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = journal.parent
    run("export", journal, folder / "some.json")
    before = sorted(folder.iterdir())
    monkeypatch.setitem(postgres.CONNECTION, "connect_timeout", "1")
    for address in ADDRESSES if command[:2] == ("journal", "list") else ADDRESSES[::3]:
        words = [word.replace("ADDRESS", address).replace("FOLDER", str(folder)) for word in command]
        done = CliRunner().invoke(app, words)
        assert done.exit_code != 0
        said = done.output + (str(done.exception) if isinstance(done.exception, OvertrickError) else "")
        assert done.exception is None or isinstance(done.exception, OvertrickError | SystemExit), (
            words,
            done.exception,
        )
        assert said
        assert "secret" not in said
    assert sorted(folder.iterdir()) == before


def test_very_long_name_is_refused_with_a_sentence() -> None:
    with pytest.raises(OvertrickError):
        CliRunner().invoke(app, ["journal", "list", "x" * 5000], catch_exceptions=False)


def test_missing_driver_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(OvertrickError, match="pip install"):
        CliRunner().invoke(app, ["journal", "list", "postgresql://u:secret@h/x"], catch_exceptions=False)
