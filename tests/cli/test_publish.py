"""`overtrick publish`."""

from pathlib import Path

import pytest

from overtrick.errors import BadInput
from overtrick.event import OpenEvent
from overtrick.event.results import EnterResult
from overtrick.host.runtime import open_runtime
from overtrick.registry.club import ClubStore
from tests.cli.test_score import run
from tests.event.evenings import SESSION, entry, plan


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A journal with a session and its club."""
    folder = tmp_path / "data"
    folder.mkdir()
    with open_runtime(folder / "overtrick.journal") as runtime:
        runtime.do(OpenEvent(SESSION, (plan(),)))
        runtime.do(EnterResult(SESSION, entry(1, 1, 1, "4SN=")))
        ClubStore(runtime.journal.documents).save("Club Aurora", "4711")
    return folder


def test_session_is_published_and_the_mail_printed(data: Path) -> None:
    (data / "publish.toml").write_text('folder = "../site"\naddress = "https://club.example/"\n')
    status, out, err = run("publish", "--data", data)
    assert status == 0
    assert "files written to" in err
    assert b"All results: https://club.example/" in out
    assert "Club Aurora" in (data.parent / "site" / "index.html").read_text(encoding="utf-8")


def test_failed_upload_ends_with_status_1_and_other_settings_may_be_named(data: Path) -> None:
    file = data.parent / "other.toml"
    file.write_text('folder = "elsewhere"\ncommand = ["no-such-program-here"]\n')
    status, out, err = run("publish", "--data", data, "--settings", file)
    assert status == 1
    assert "no-such-program-here cannot be started" in err
    assert out
    assert (data.parent / "elsewhere" / "index.html").exists()


def test_without_settings_nothing_is_written(data: Path) -> None:
    before = sorted(each.name for each in data.iterdir())
    with pytest.raises(BadInput, match='folder = "site"'):
        run("publish", "--data", data)
    assert sorted(each.name for each in data.iterdir()) == before


def test_scored_results_of_the_journal_name_the_club(data: Path) -> None:
    status, out, _ = run("score", data, "--format", "usebio")
    assert status == 0
    assert b"<CLUB_NAME>Club Aurora</CLUB_NAME>" in out
    assert b"<CLUB_ID_NUMBER>4711</CLUB_ID_NUMBER>" in out
