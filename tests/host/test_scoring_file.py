"""The file that ManageBCS names: one file that can be copied as a backup."""

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from overtrick.event import OpenEvent, Rejection
from overtrick.event.seating import PutPlayers, SessionPlayer
from overtrick.host.runtime import Runtime, open_runtime
from overtrick.host.scoring_file import scoring_file
from overtrick.store import open_journal
from overtrick.store.codec import event_codec
from tests.event.evenings import SESSION, plan


def fill(runtime: Runtime) -> int:
    """Write something; return the number of facts of the session."""
    assert not isinstance(runtime.do(OpenEvent(SESSION, (plan(),))), Rejection)
    players = tuple(SessionPlayer(str(number), "Ada", "Lovelace") for number in range(500))
    assert not isinstance(runtime.do(PutPlayers(SESSION, players)), Rejection)
    return runtime.journal.heads()[f"session/{SESSION}/1"]


def facts_in_a_copy(file: str, folder: Path) -> int:
    folder.mkdir()
    copy = folder / "copy.journal"
    shutil.copyfile(file, copy)
    with closing(open_journal(copy, event_codec())) as journal:
        return journal.heads()[f"session/{SESSION}/1"]


def test_a_copy_of_the_journal_alone_has_everything(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with open_runtime(Path("evening.journal")) as runtime:
        facts = fill(runtime)
        assert Path("evening.journal-wal").stat().st_size > 0
        file = scoring_file(runtime.journal)
        assert file == str(tmp_path / "evening.journal")
        assert facts_in_a_copy(file, tmp_path / "copied") == facts


def test_while_another_program_reads_the_file_is_a_fresh_copy(tmp_path: Path) -> None:
    with open_runtime(tmp_path / "evening.journal") as runtime:
        with closing(sqlite3.connect(tmp_path / "evening.journal", isolation_level=None)) as reading:
            reading.execute("BEGIN")
            reading.execute("SELECT count(*) FROM sqlite_master").fetchall()
            facts = fill(runtime)
            for number in (1, 2):
                file = scoring_file(runtime.journal)
                assert file == str(tmp_path / "evening.journal.copy")
                assert facts_in_a_copy(file, tmp_path / f"copied{number}") == facts
            reading.execute("COMMIT")
        assert scoring_file(runtime.journal) == str(tmp_path / "evening.journal")
