import json
import sys
import threading
import time
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from overtrick.errors import BadInput
from overtrick.host import publishing
from overtrick.host.instance_lock import locked_alone
from overtrick.host.publishing import (
    LOCK,
    LONGEST_OUTPUT,
    PublishSettings,
    publish,
    read_settings,
    run_command,
)
from overtrick.registry.club import Club
from overtrick.scoring.publication import session_files
from overtrick.scoring.report import Report
from tests.registry.test_club import PNG
from tests.scoring.reports import pairs_report


def settings_file(folder: Path, text: str) -> Path:
    file = folder / "publish.toml"
    file.write_text(text, encoding="utf-8")
    return file


def test_relative_folder_is_beside_the_file(tmp_path: Path) -> None:
    read = read_settings(settings_file(tmp_path, 'folder = "site"\naddress = "https://club.example/bridge"'))
    assert read == PublishSettings(tmp_path / "site", "https://club.example/bridge/")


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "folder must name"),
        ("folder = 3", "folder must name"),
        ("folder = ", "cannot be read"),
        ('folder = "site"\nshell = true', "no setting 'shell'"),
        ('folder = "site"\naddress = "javascript:alert(1)"', "address must look like"),
        ('folder = "site"\ncommand = "rm -rf /"', "command must be a list of words"),
        ('folder = "site"\ntimeout = 0', "timeout must be 1 to 600"),
        ('folder = "."', "must not contain the journal"),
        ('folder = ".."', "must not contain the journal"),
        ('folder = "data"', "must not contain the journal"),
    ],
)
def test_settings_that_are_wrong_are_refused_with_a_sentence(
    tmp_path: Path, text: str, sentence: str
) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "keys.json").write_text("{}")
    with pytest.raises(BadInput, match=sentence):
        read_settings(settings_file(tmp_path, text))


def test_missing_settings_say_what_to_write(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match='folder = "site"'):
        read_settings(tmp_path / "publish.toml")


def test_publishing_twice_replaces_pages_and_removes_those_that_are_gone(tmp_path: Path) -> None:
    settings = PublishSettings(tmp_path / "site", "https://club.example/")
    report = replace(pairs_report(), title="Club night")
    outcome = publish([("one", report)], Club("Club", "1", PNG), settings)
    own = tmp_path / "site" / "2026-03-09-club-night"
    assert outcome.addresses == ("https://club.example/2026-03-09-club-night/",)
    assert len(list(own.iterdir())) == outcome.files
    assert (tmp_path / "site" / "logo.png").read_bytes() == PNG
    assert (own / "board-3.html").exists()
    (own / "notes.txt").write_text("somebody's own")
    fewer = replace(report, scored=replace(report.scored, travellers=report.scored.travellers[:2]))
    publish([("one", fewer), ("two", replace(report, title="Other"))], Club(), settings)
    assert not (own / "board-3.html").exists()
    assert (own / "notes.txt").exists()
    index = (tmp_path / "site" / "index.html").read_text(encoding="utf-8")
    assert "2026-03-09-club-night/index.html" in index
    assert "2026-03-09-other/index.html" in index


def test_damaged_manifest_publishes_nothing(tmp_path: Path) -> None:
    site = tmp_path / "site"
    site.mkdir()
    (site / "published.json").write_text('{"sessions": {"one": {"folder": "../x", "title": "", "day": ""}}}')
    with pytest.raises(BadInput, match="Nothing was published"):
        publish([("one", pairs_report())], Club(), PublishSettings(site))
    assert [each.name for each in site.iterdir()] == ["published.json"]


def command(tmp_path: Path, code: str, *words: str, timeout: int = 30) -> tuple[int, str]:
    return run_command(PublishSettings(tmp_path, "", (sys.executable, "-c", code, *words), timeout))


def test_command_gets_the_folder_and_no_shell_reads_its_words(tmp_path: Path) -> None:
    status, output = command(
        tmp_path, "import sys; print(sys.argv[1:])", "{folder}/", "; echo hacked", "$HOME"
    )
    assert (status, output) == (0, str([f"{tmp_path}/", "; echo hacked", "$HOME"]))


def test_failing_command_shows_its_status_and_the_end_of_its_output(tmp_path: Path) -> None:
    code = "import sys; print('x' * 50_000); print('the end', file=sys.stderr); sys.exit(3)"
    status, output = command(tmp_path, code)
    assert status == 3
    assert output.endswith("the end")
    assert len(output) <= LONGEST_OUTPUT


def test_command_that_does_not_end_is_stopped_with_those_that_it_started(tmp_path: Path) -> None:
    code = "import subprocess, sys; subprocess.run([sys.executable, '-c', 'input()'])"
    slow = "import subprocess, sys; subprocess.run([sys.executable, '-c', 'while True: pass'])"
    assert command(tmp_path, code)[0] == 0, "it has no input to wait for"
    began = time.monotonic()
    status, output = command(tmp_path, slow, timeout=1)
    assert (status, output) == (-1, "It was stopped after 1 seconds.")
    assert time.monotonic() - began < 30


def test_command_that_does_not_exist_is_reported(tmp_path: Path) -> None:
    status, output = run_command(PublishSettings(tmp_path, "", ("no-such-program-here",)))
    assert status == -1
    assert "cannot be started" in output


def test_sessions_with_one_long_name_are_published_again_under_the_same_addresses(tmp_path: Path) -> None:
    settings = PublishSettings(tmp_path / "site", "https://club.example/")
    report = replace(pairs_report(), title="The long evening of the spring festival of the whole county")
    both = [("one", report), ("two", report)]
    first = publish(both, Club(), settings).addresses
    assert len(set(first)) == 2
    assert publish(both, Club(), settings).addresses == first


def test_home_page_of_others_is_not_replaced(tmp_path: Path) -> None:
    page = tmp_path / "index.html"
    page.write_text("The club's own page")
    with pytest.raises(BadInput, match="Overtrick did not write"):
        publish([("one", pairs_report())], Club(), PublishSettings(tmp_path))
    assert [each.name for each in tmp_path.iterdir()] == ["index.html"]
    assert page.read_text() == "The club's own page"


def test_two_programs_that_publish_at_once_lose_no_session(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = PublishSettings(tmp_path / "site")
    other = threading.Thread(target=publish, args=([("two", pairs_report())], Club(), settings))
    write = session_files

    def start_the_other(report: Report, logo: str) -> Mapping[str, bytes]:
        monkeypatch.setattr(publishing, "session_files", write)
        other.start()
        other.join(0.5)  # without the lock it ends here, and its session is lost
        return write(report, logo)

    monkeypatch.setattr(publishing, "session_files", start_the_other)
    publish([("one", pairs_report())], Club(), settings)
    other.join(30)
    manifest = json.loads((tmp_path / "site" / "published.json").read_text(encoding="utf-8"))
    assert set(manifest["sessions"]) == {"one", "two"}
    assert not (tmp_path / "site" / LOCK).exists()


def test_folder_that_another_program_keeps_locked_is_not_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(publishing, "LOCK_WAIT", 0.0)
    with locked_alone(tmp_path / LOCK, 0.0), pytest.raises(BadInput, match="Another Overtrick is publishing"):
        publish([("one", pairs_report())], Club(), PublishSettings(tmp_path))
    assert list(tmp_path.iterdir()) == []
