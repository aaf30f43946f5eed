"""`overtrick connector`: what it sends from files; `follow` shows every item once, before it is accepted."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from overtrick.bridge import Outcome
from overtrick.cli import app
from overtrick.event import Rejection
from overtrick.event.results import EnterResult, ResultEntry
from overtrick.host.demo import open_demo
from overtrick.host.scoring_client import serve_connector_beside
from overtrick.host.serve import ServeSettings
from tests.connector import samples
from tests.connector.running import running

PATIENCE = 50


def follow(address: str, session: str) -> subprocess.CompletedProcess[str]:
    """Follow the results of a session with an input that is closed already."""
    command = [sys.executable, "-m", "overtrick", "connector", "follow", session, "results"]
    return subprocess.run(
        [*command, "--http", address, "--while-input"],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )


def test_results_are_followed_once_and_a_closed_input_ends_it(tmp_path: Path) -> None:
    with (
        open_demo(tmp_path, 2, 1, 6) as (evening, runtime),
        serve_connector_beside(runtime, tmp_path) as address,
    ):
        boards = evening.movements["A"].boards[:2]
        for board in boards:
            entry = ResultEntry("A", 1, 1, board, Outcome.parse("3NTN="), evening.starts)
            assert not isinstance(runtime.do(EnterResult(evening.session, entry)), Rejection)
        first, again = follow(address, evening.session), follow(address, evening.session)
    assert first.returncode == again.returncode == 0, first.stderr + again.stderr
    assert [json.loads(line)["BoardNumber"] for line in first.stdout.splitlines()] == list(boards)
    assert first.stderr.startswith("2 accepted, the last is ")
    assert (again.stdout, again.stderr) == ("", "")


def test_a_data_connector_that_does_not_answer_is_reported_in_a_sentence(tmp_path: Path) -> None:
    with (
        open_demo(tmp_path, 2, 1, 6) as (evening, runtime),
        serve_connector_beside(runtime, tmp_path) as address,
    ):
        pass
    done = follow(address, evening.session)
    assert done.returncode == 1
    assert done.stderr.startswith(f"overtrick: {address} does not answer")
    assert "Traceback" not in done.stderr


def test_the_longest_request_of_serve_is_given_in_mib(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    served: list[ServeSettings] = []

    async def note(serving: ServeSettings, ready: object) -> None:
        served.append(serving)

    monkeypatch.setattr("overtrick.host.serve.serve", note)
    for given in ([], ["--longest-request", "2"]):
        done = CliRunner().invoke(app, ["serve", "--data", str(tmp_path), "--no-pipe", *given])
        assert done.exit_code == 0, done.output
    assert [serving.longest for serving in served] == [16 * 2**20, 2 * 2**20]
    assert CliRunner().invoke(app, ["serve", "--longest-request", "0"]).exit_code == 2


def test_an_event_is_opened_continued_filled_and_updated_from_files(tmp_path: Path) -> None:
    def run(*words: str) -> str:
        done = CliRunner().invoke(app, ["connector", *words, "--http", connector.http])
        assert done.exit_code == 0, done.output + str(done.exception)
        return done.output.strip()

    def file(name: str, made: object) -> str:
        (tmp_path / name).write_text(json.dumps(made))
        return str(tmp_path / name)

    with running() as connector:
        event = samples.init(Bridgemate2Settings=None, Bridgemate3Settings=None)
        assert run("init", file("init", event)) == "opened"
        assert run("continue", samples.GUID) == "continued"
        assert run("put", samples.GUID, "results", file("results", [samples.result()])) == "1 put"
        settings = file("settings", [samples.settings3()])
        assert run("put", samples.GUID, "settings-3", settings) == "1 put"
        section = file("section", samples.section_update("B", 2))
        assert json.loads(run("update", samples.GUID, "movement", section))["Letters"] == "B"
        groups = file("groups", [samples.scoring_group(1, ScoringMethod=20)])
        assert run("update", samples.GUID, "groups", groups) == "1 updated"
        bare = file("bare", samples.section("C", 1))
        assert json.loads(run("update", samples.GUID, "movement", bare))["Letters"] == "C"
        asked = ["connector", "update", samples.OTHER, "movement", bare, "--http", connector.http]
        assert "Its SessionGuid is" in str(CliRunner().invoke(app, asked).exception)
        wrong = file("wrong", [samples.result() | {"Levle": 3}])
        done = CliRunner().invoke(
            app, ["connector", "put", samples.GUID, "results", wrong, "--http", connector.http]
        )
        assert "[0].Levle is not a property of ResultDTO." in str(done.exception)
