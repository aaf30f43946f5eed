"""`overtrick start`, as a double click starts it: the first visit, phones, and the end at the desk."""

import re
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import httpx
import pytest
from typer.testing import CliRunner

from overtrick.cli import Commands, app
from overtrick.cli.start import HOME, default_folder, has_display, is_overtrick, write_redirect

PASSWORD = "seven no trump"
PATIENCE = 50


def test_evening_is_started_given_a_password_and_stopped_in_the_browser(tmp_path: Path) -> None:
    program = subprocess.Popen(
        [
            sys.executable,
            "-m",
            "overtrick",
            "start",
            "--data",
            tmp_path / "club",
            "--port",
            "0",
            "--no-browser",
        ],
        stdout=subprocess.PIPE,
        text=True,
    )
    with program, closing(httpx.Client(timeout=PATIENCE, follow_redirects=True)) as browser:
        try:
            assert program.stdout is not None
            address = program.stdout.readline().removeprefix("ready: ").strip()
            first = program.stdout.readline().split()[0]
            key = first.partition("?key=")[2]
            desk = browser.post(
                f"{address}/desk/start", data={"key": key, "new": PASSWORD, "again": PASSWORD}
            )
            assert "Let phones on this network connect?" in desk.text
            assert is_overtrick(address)
            about = browser.get(f"{address}/desk/about").text
            assert str(tmp_path / "club") in about
            assert "Data Connector, pipe" in about
            (token,) = set(re.findall(r'name="token" value="(\w+)"', about))
            closed = browser.post(f"{address}/desk/about/phones", data={"token": token, "phones": "no"})
            assert "Only this computer can open the pages." in closed.text
            assert browser.post(f"{address}/desk/about/stop").status_code == 403
            assert "Stop Overtrick?" in browser.get(f"{address}/desk/about/stop").text
            stopped = browser.post(f"{address}/desk/about/stop", data={"token": token})
            assert "Overtrick has stopped" in stopped.text
            assert program.wait(PATIENCE) == 0
        finally:
            program.kill()


def test_no_arguments_are_those_of_start(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def note(group: Commands, ctx: object, name: str) -> None:
        asked.append(name)

    monkeypatch.setattr(Commands, "get_command", note)
    CliRunner().invoke(app, [])
    assert asked[0] == "start"


def test_data_folder_is_that_of_the_current_folder_or_else_of_the_user(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert default_folder() == str(Path.home() / HOME)
    (tmp_path / "overtrick-data").mkdir()
    assert default_folder() == "overtrick-data"


def test_data_folder_of_a_user_without_a_home_is_in_the_current_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_home() -> Path:
        raise RuntimeError("Could not determine home directory.")  # as in a container

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(Path, "home", no_home)
    assert default_folder() == "overtrick-data"


def test_redirect_to_the_first_visit_is_readable_by_its_owner_only(tmp_path: Path) -> None:
    file = tmp_path / "start.html"
    write_redirect(file, "http://127.0.0.1:8080/desk/start?key=a&b")
    assert 'url=http://127.0.0.1:8080/desk/start?key=a&amp;b"' in file.read_text(encoding="utf-8")
    assert sys.platform == "win32" or file.stat().st_mode & 0o077 == 0


def test_linux_without_a_display_opens_no_browser(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.delenv("DISPLAY", raising=False)
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    assert not has_display()
    monkeypatch.setenv("DISPLAY", ":0")
    assert has_display()
