"""The thin evening through every layer: opened, scored, killed, gone on with, ranked."""

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from overtrick.event.results import Origin
from overtrick.event.setup import Status
from overtrick.host.demo import STARTS, demo, play
from overtrick.host.simulator import plan_evening
from overtrick.views import SessionView

TABLES, SEED, BOARDS = 2, 3, 6
COMMAND = [
    *(sys.executable, "-m", "overtrick", "demo", "--speed", "1e9"),
    *("--tables", str(TABLES), "--seed", str(SEED), "--boards", str(BOARDS)),
]


def finished(folder: Path) -> SessionView:
    """Play what is left of the evening, in this process, and look at it."""
    with demo(folder, TABLES, SEED, BOARDS) as (evening, house, tricks):
        for _ in play(evening, house, tricks, speed=1e9, sleep=lambda seconds: None):
            pass
        house.journal.check()
        view = house.view(evening.session)
    assert view is not None
    return view


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> SessionView:
    return finished(tmp_path_factory.mktemp("undisturbed"))


def test_an_evening_plays_itself(undisturbed: SessionView) -> None:
    session = undisturbed.session
    expected = sum(
        len(played.boards)
        for table in session.movement.tables.values()
        for played in table.rounds
        if played.ew
    )
    assert len(session.results.standing) == expected
    assert session.setup.status is Status.FINISHED
    assert undisturbed.rankings(1)[0].standings[0].rank == 1
    assert all(record.tricks for record in session.hands.records.values())


def test_an_evening_that_is_killed_again_and_again_ends_the_same(
    undisturbed: SessionView, tmp_path: Path
) -> None:
    chance = random.Random(7)
    kills = 0
    for _ in range(7):
        child = subprocess.Popen([*COMMAND, "--data", str(tmp_path)], stdout=subprocess.DEVNULL)
        time.sleep(chance.uniform(0.3, 1.8))
        if child.poll() is None:
            kills += 1
            os.kill(child.pid, signal.SIGKILL)
        child.wait()
    assert kills >= 2
    view = finished(tmp_path)
    assert view.rankings(1)[0].standings == undisturbed.rankings(1)[0].standings
    assert {place: r.outcome for place, r in view.session.results.standing.items()} == {
        place: r.outcome for place, r in undisturbed.session.results.standing.items()
    }


def test_players_err_and_call_the_director_now_and_then() -> None:
    evening = plan_evening(8, 1, STARTS)
    assert evening == plan_evening(8, 1, STARTS)
    assert evening.deals != plan_evening(8, 2, STARTS).deals


def test_corrections_come_from_the_desk(tmp_path: Path) -> None:
    with demo(tmp_path, 6, 1, 12) as (evening, house, tricks):
        words = [
            moment.words for moment in play(evening, house, tricks, speed=1e9, sleep=lambda seconds: None)
        ]
        view = house.view(evening.session)
    assert view is not None
    assert any("calls the director" in line for line in words)
    assert any("corrects" in line for line in words)
    assert any(result.origin is Origin.DESK for result in view.session.results.standing.values())
    assert not any(call.is_open for call in view.session.calls.calls.values())
