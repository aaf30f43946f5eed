"""The thin evening through every layer: opened, scored, killed, gone on with, ranked."""

import os
import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from overtrick.control.device_location import TablePlace
from overtrick.control.entries import write_entry
from overtrick.control.orders import StartOptions
from overtrick.errors import BadInput
from overtrick.event import Rejection
from overtrick.event.results import Origin, ResultRecorded
from overtrick.event.setup import Status
from overtrick.event.tables import LogOff, LogOn
from overtrick.host.control import ControlSoftware
from overtrick.host.demo import STARTS, demo, play
from overtrick.host.runtime import open_runtime
from overtrick.host.simulator import open_evening, plan_evening
from overtrick.views import SessionView

TABLES, SEED, BOARDS = 2, 3, 6
COMMAND = [
    *(sys.executable, "-m", "overtrick", "demo", "--speed", "1e9"),
    *("--tables", str(TABLES), "--seed", str(SEED), "--boards", str(BOARDS)),
]


def finished(folder: Path) -> SessionView:
    """Play what is left of the evening, in this process, and look at it."""
    with demo(folder, TABLES, SEED, BOARDS) as (evening, runtime, tricks):
        for _ in play(evening, runtime, tricks, speed=1e9, sleep=lambda seconds: None):
            pass
        runtime.journal.check()
        view = runtime.view(evening.session)
    assert view is not None
    return view


@pytest.fixture(scope="module")
def worked_out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with an open evening and its analysed deals, before the first result."""
    folder = tmp_path_factory.mktemp("worked_out")
    with demo(folder, TABLES, SEED, BOARDS) as (_, _, tricks):
        assert len(tricks) == BOARDS
    return folder


@pytest.fixture(scope="module")
def undisturbed(worked_out: Path, tmp_path_factory: pytest.TempPathFactory) -> SessionView:
    folder = tmp_path_factory.mktemp("undisturbed")
    shutil.copytree(worked_out, folder, dirs_exist_ok=True)
    return finished(folder)


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
        child.wait(30)
    assert kills >= 2
    view = finished(tmp_path)
    assert view.rankings(1)[0].standings == undisturbed.rankings(1)[0].standings
    assert {place: r.outcome for place, r in view.session.results.standing.items()} == {
        place: r.outcome for place, r in undisturbed.session.results.standing.items()
    }


def test_same_seed_plans_the_same_evening_and_another_seed_other_deals() -> None:
    evening = plan_evening(8, 1, STARTS)
    assert evening == plan_evening(8, 1, STARTS)
    assert evening.deals != plan_evening(8, 2, STARTS).deals


def test_demonstration_has_slips_calls_and_lost_networks(tmp_path: Path) -> None:
    with demo(tmp_path, 6, 1, 12) as (evening, runtime, tricks):
        words = [
            moment.words for moment in play(evening, runtime, tricks, speed=1e9, sleep=lambda seconds: None)
        ]
        view = runtime.view(evening.session)
        stream = f"session/{evening.session}/1"
        actors = {
            entry.actor for entry in runtime.journal.read(stream) if isinstance(entry.fact, ResultRecorded)
        }
    assert view is not None
    assert any("calls the director" in line for line in words)
    assert any("corrects" in line for line in words)
    assert any("has lost the network" in line for line in words)
    assert any("has the network again" in line for line in words)
    assert any(result.origin is Origin.DESK for result in view.session.results.standing.values())
    assert not any(call.is_open for call in view.session.calls.calls.values())
    assert actors == {"demo", *(f"terminal A{table}" for table in range(1, 7))}


def test_41_tables_get_three_sections_that_play_the_same_boards() -> None:
    evening = plan_evening(41, 1, STARTS, 6)
    assert [movement.tables for movement in evening.movements.values()] == [14, 14, 13]
    plan = open_evening(evening).sessions[0]
    assert [section.section for section, _ in plan.sections] == ["A", "B", "C"]
    assert {board for movement in evening.movements.values() for board in movement.boards} == set(
        evening.deals
    )


def test_visitor_who_takes_over_a_table_is_not_disturbed(worked_out: Path, tmp_path: Path) -> None:
    """A visitor with a phone of their own sits down at a table of the demonstration, and goes away again."""
    shutil.copytree(worked_out, tmp_path, dirs_exist_ok=True)
    with demo(tmp_path, TABLES, SEED, BOARDS) as (evening, runtime, tricks):
        for number, _ in enumerate(play(evening, runtime, tricks, speed=1e9, sleep=lambda seconds: None)):
            if number == 3:
                taken = runtime.do(LogOn(evening.session, "A", 1, "a visitor", STARTS, takes_over=True))
                assert not isinstance(taken, Rejection)
        view = runtime.view(evening.session)
    assert view is not None
    assert view.session.setup.status is Status.FINISHED


def test_terminals_of_two_sessions_that_number_their_entries_alike_are_both_heard(tmp_path: Path) -> None:
    with (
        open_runtime(tmp_path / "journal") as runtime,
        ControlSoftware(runtime, StartOptions(), evaluates=False) as control,
    ):
        for seed in (1, 2):
            evening = plan_evening(TABLES, seed, STARTS, BOARDS)
            runtime.do(open_evening(evening))
            given = write_entry("demo-A1.5.1", 1, LogOn(evening.session, "A", 1, "demo A1", STARTS))
            version = control.submit(evening.session, TablePlace("A", 1), STARTS, given)
            assert isinstance(version, int)
            # Sent twice it counts once.
            assert control.submit(evening.session, TablePlace("A", 1), STARTS, given) == version
            session = control.session(evening.session)
            assert session is not None
            assert session.tables.logged_on["A", 1].terminal == "demo A1"


def test_an_entry_taken_under_an_id_without_its_session_counts_as_taken(tmp_path: Path) -> None:
    with (
        open_runtime(tmp_path / "journal") as runtime,
        ControlSoftware(runtime, StartOptions(), evaluates=False) as control,
    ):
        evening = plan_evening(TABLES, 1, STARTS, BOARDS)
        runtime.do(open_evening(evening))
        command = LogOn(evening.session, "A", 1, "demo A1", STARTS)
        runtime.do(command, command_id="terminal-A1-demo-A1.5.1")
        runtime.do(LogOff(evening.session, "A", 1, STARTS))
        given = write_entry("demo-A1.5.1", 1, command)
        answer = control.submit(evening.session, TablePlace("A", 1), STARTS, given)
        assert answer == control.version(evening.session)
        session = control.session(evening.session)
        assert session is not None
        assert ("A", 1) not in session.tables.logged_on


def test_a_field_that_no_movement_suits_is_refused_in_words() -> None:
    with pytest.raises(BadInput, match="no movement for 4 pairs in which everyone plays about 4 boards"):
        plan_evening(2, 1, STARTS, 4)
