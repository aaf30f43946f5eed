"""A journal on a disk that nobody may write, and a backup beside the log of the journal that it replaces."""

import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

from overtrick.errors import OvertrickError
from overtrick.event import OpenEvent
from overtrick.event.results import EnterResult
from overtrick.host.runtime import open_runtime
from overtrick.store import open_journal
from overtrick.store.errors import JournalError
from tests.event.evenings import SESSION, entry, plan
from tests.store.tiny import CODEC, boards, put, result

READ_ONLY = 'mount --bind "$0" "$0" && mount -o remount,bind,ro "$0" && exec "$@"'
ISOLATED = ("unshare", "--user", "--map-root-user", "--mount", "sh", "-c", READ_ONLY)


def on_read_only_disk(folder: Path, *command: object) -> subprocess.CompletedProcess[str]:
    """Run a command for which the folder is mounted read-only, for root too."""
    if reason := why_not(folder):
        pytest.skip(reason)
    return subprocess.run(
        [*ISOLATED, str(folder), *map(str, command)], capture_output=True, text=True, check=False, timeout=50
    )


@cache
def why_not(folder: Path) -> str:
    """Return why nothing can be mounted here; empty where it can."""
    if shutil.which("unshare") is None:
        return "unshare is not installed: apt install util-linux"
    tried = subprocess.run(
        [*ISOLATED, str(folder), "true"], capture_output=True, text=True, check=False, timeout=50
    )
    return f"nothing can be mounted here: {tried.stderr.strip()}" if tried.returncode else ""


def overtrick(folder: Path, *words: object) -> subprocess.CompletedProcess[str]:
    return on_read_only_disk(folder, sys.executable, "-m", "overtrick", *words)


SEVERAL = """
import json, sys
from typer.testing import CliRunner
from overtrick.cli import app
made = [CliRunner().invoke(app, words) for words in json.loads(sys.argv[1])]
print(json.dumps([(each.exit_code, each.stdout, each.stderr) for each in made]))
"""


def several(folder: Path, *commands: tuple[object, ...]) -> list[str]:
    """Run commands one after the other in one process; return what each printed."""
    words = json.dumps([[str(word) for word in command] for command in commands])
    done = on_read_only_disk(folder, sys.executable, "-c", SEVERAL, words)
    assert done.returncode == 0, done.stderr
    printed = []
    for code, out, error in json.loads(done.stdout):
        assert code == 0, error
        printed.append(out)
    return printed


KILLED = """
import os, sys
from pathlib import Path
from overtrick.event.results import EnterResult
from overtrick.host.runtime import open_runtime
from tests.event.evenings import SESSION, entry
with open_runtime(Path(sys.argv[1])) as runtime:
    runtime.do(EnterResult(SESSION, entry(1, 1, 2, "3NTW-1")))
    os._exit(9)
"""


@pytest.fixture
def disk(tmp_path: Path) -> Path:
    """A folder with a journal of one result, closed as it should be."""
    folder = tmp_path / "disk"
    folder.mkdir()
    with open_runtime(folder / "club.overtrick") as runtime:
        runtime.do(OpenEvent(SESSION, (plan(),)))
        runtime.do(EnterResult(SESSION, entry(1, 1, 1, "4SxN+1")))
    return folder


def kill_a_writer(journal: Path) -> None:
    """Have a second result acknowledged, and die: it is in the log alone."""
    done = subprocess.run([sys.executable, "-c", KILLED, str(journal)], check=False, timeout=50)
    assert done.returncode == 9
    assert journal.with_name(journal.name + "-wal").stat().st_size


def closed(journal: Path) -> None:
    """Nothing."""


def killed_with_memory(journal: Path) -> None:
    kill_a_writer(journal)


def killed_and_copied(journal: Path) -> None:
    """As on a disk that was copied: the log without the shared memory."""
    kill_a_writer(journal)
    journal.with_name(journal.name + "-shm").unlink()


def content(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.mark.parametrize(("ended", "facts"), [(closed, 0), (killed_with_memory, 1), (killed_and_copied, 1)])
def test_journal_on_a_read_only_disk_is_listed_checked_scored_and_backed_up(
    disk: Path, tmp_path: Path, ended: Callable[[Path], None], facts: int
) -> None:
    journal = disk / "club.overtrick"
    with open_runtime(journal) as runtime:
        expected = runtime.journal.head(f"session/{SESSION}/1") + facts
    ended(journal)
    before = content(disk)
    listed, *_ = several(
        disk,
        ("journal", "list", journal, "--json"),
        ("journal", "check", journal),
        ("score", journal),
        *(("journal", what, journal, tmp_path / what) for what in ("backup", "export")),
    )
    assert json.loads(listed)["facts"] == expected
    assert content(disk) == before
    with open_runtime(tmp_path / "backup", create=False) as runtime:
        assert runtime.journal.head(f"session/{SESSION}/1") == expected


@pytest.mark.parametrize("ended", [closed, killed_and_copied])
def test_writing_on_a_read_only_disk_is_refused_with_a_sentence(
    disk: Path, ended: Callable[[Path], None]
) -> None:
    ended(disk / "club.overtrick")
    before = content(disk)
    done = overtrick(disk, "teams", "open", "Cup", "--journal", disk / "club.overtrick")
    assert done.returncode == 1
    assert "cannot be written" in done.stderr
    assert "Traceback" not in done.stderr
    assert content(disk) == before


def test_older_form_on_a_read_only_disk_is_read(tmp_path: Path) -> None:
    kept = sorted((Path(__file__).parents[1] / "journals").glob("*.overtrick"))
    assert kept
    disk = tmp_path / "disk"
    disk.mkdir()
    for path in kept:
        shutil.copy(path, disk)
    before = content(disk)
    several(disk, *(("journal", "export", disk / path.name, tmp_path / path.stem) for path in kept))
    assert content(disk) == before


# A backup in the place of a journal -----------------------------------------------------------------------------


def test_backup_beside_the_log_of_the_journal_it_replaces_is_not_mixed_with_it(
    disk: Path, tmp_path: Path
) -> None:
    journal = disk / "club.overtrick"
    with open_runtime(journal) as runtime:
        runtime.journal.backup(tmp_path / "backup")
        at_backup = runtime.journal.heads()
    kill_a_writer(journal)
    shutil.copy(tmp_path / "backup", journal)
    before = content(disk)
    with pytest.raises(JournalError, match=r"club\.overtrick-wal"), open_runtime(journal):
        pass
    assert content(disk) == before
    with pytest.raises(OvertrickError):
        open_journal(journal, CODEC, create=False)
    for name in ("club.overtrick-wal", "club.overtrick-shm"):
        (disk / name).unlink(missing_ok=True)
    with open_runtime(journal) as runtime:
        assert runtime.journal.heads() == at_backup
        runtime.do(EnterResult(SESSION, entry(1, 1, 2, "3NTW-1")))
    with open_runtime(journal) as runtime:
        runtime.journal.check()
    assert list(content(disk)) == ["club.overtrick"]


def test_log_of_a_new_journal_that_was_killed_is_its_own(tmp_path: Path) -> None:
    """The header says WAL before there is a log, so a journal is never taken for one that was replaced."""
    path = tmp_path / "club.overtrick"
    journal = open_journal(path, CODEC)
    put(journal, "monday", 0, result(1))
    for suffix in ("", "-wal"):
        shutil.copy(f"{path}{suffix}", tmp_path / f"killed{suffix}")
    journal.close()
    with open_journal(tmp_path / "killed", CODEC) as killed:
        assert boards(killed, "monday") == [1]
