"""The control software on a session file: the scoring program is in the file alone, the players at phones alone."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest
from typer.testing import CliRunner

from overtrick.bridge import Deal, Outcome, Seat
from overtrick.bws.contents import open_contents
from overtrick.bws.event_from_file import read_event
from overtrick.bws.scoring_changes import (
    RemoveTable,
    ResetTerminal,
    SendHandRecords,
    SendRounds,
    SendSettings,
    changes,
    correction,
    names,
)
from overtrick.bws.scoring_news import new_numbers, new_results
from overtrick.bws.scoring_side import create
from overtrick.bws.session_plan import choose_movement, plan_evening
from overtrick.cli import app
from overtrick.control.orders import parse_command_line
from overtrick.event import Reason
from overtrick.event.hands import HandRecord
from overtrick.event.movement import Round
from overtrick.event.results import ResultEntry, Suspicion
from overtrick.event.seating import Participation, PutParticipations, Source
from overtrick.event.settings import SettingsII
from overtrick.event.setup import Generation, Status
from overtrick.host.control import ControlSoftware, run
from overtrick.host.session_file import open_session_file_control
from overtrick.views import SessionView
from tests.bws.conftest import do
from tests.host.players import SEATS, SEVEN, Players
from tests.waiting import wait_for

GUID = "6F9619FF8B86D011B42D00C04FC964FF"
TODAY = date(2026, 3, 2)
QUIET = SettingsII(show_results=False, show_next_seating=False, auto_shutdown=True)


class Evening(Players):
    """One file, the control software on it, and a phone at each table."""

    def __init__(
        self, path: Path, settings: SettingsII = QUIET, tables: int = 3, deals: bool = False
    ) -> None:
        super().__init__(GUID)
        self.path = path
        movement = choose_movement("mitchell", tables, 2)
        dealt = {board: Deal.dealt_by(self.chance) for board in movement.boards} if deals else None
        event = plan_evening(movement, guid=GUID, name="Monday", day=TODAY, deals=dealt)
        (planned,) = event.sessions
        planned = replace(planned, settings=(("A", settings),))
        create(path, replace(event, sessions=(planned,)), computer="CLUB")

    @contextmanager
    def run_control(self, *words: str, evaluates: bool = False) -> Iterator[ControlSoftware]:
        start = parse_command_line([f"/f:[{self.path}]", *words])
        with open_session_file_control(
            start,
            computer="CLUB",
            now=lambda: self.now,
            generation=Generation.II,
            evaluates=evaluates,
        ) as control:
            self.control = control
            yield control

    def standing(self) -> dict[tuple[str, int, int, int], str]:
        """Return the session in the file, as a scoring program reads it."""
        session = read_event(open_contents(self.path), today=TODAY).journal_state().session(GUID)
        assert session is not None
        return {place: str(result.outcome) for place, result in session.results.standing.items()}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "monday.bws"


def test_evening_is_run_by_the_file_alone(path: Path) -> None:
    evening = Evening(path, replace(QUIET, ask_numbers=True, name_source=QUIET.name_source))
    with evening.run_control("/s", "/r") as control:
        control.tick()
        evening.sit_down(1, 2, 3)
        for table in (1, 2, 3):
            who = [Participation("A", table, seat, f"{table}{at}") for at, seat in enumerate(SEATS)]
            seated = PutParticipations(GUID, tuple(who), Source.TERMINAL, must_be_known=False)
            evening.phone(table).send(seated)
        control.tick()
        contents = open_contents(path)
        assert {row.log_on_off for row in contents.tables} == {1}
        assert len(new_numbers(contents).commands) >= 1
        # A name for a number, as the guide's fourth way has it.
        do(path, *names(contents, [Participation("A", 1, Seat.NORTH, "10", "Ely", "Culbertson")]))
        control.tick()
        view = control.view(GUID)
        assert view is not None
        assert view.session.seating.chairs["A", 1, 1, Seat.NORTH].player.name == "Ely Culbertson"
        for table in (1, 2, 3):
            evening.play_round(table)
        control.tick()
        assert evening.standing() == evening.played()
        assert len(evening.played()) == 6
        assert open_contents(path).sessions[0].status == 1

        # The scoring program corrects a result, and the terminals hear of it.
        contents = open_contents(path)
        place = next(iter(evening.played()))
        do(
            path,
            correction(contents, ResultEntry(*place, Outcome.parse("6NTS="), SEVEN.replace(tzinfo=None))),
        )
        control.tick()
        assert evening.played()[place] == "6NTS="
        assert not any(row.external_update for row in open_contents(path).results)
        assert new_results(open_contents(path), today=TODAY).problems == ()

        # A late pair adds a table, other hand records come, a terminal is reset, settings change.
        deal = Deal.dealt_by(evening.chance)
        late = SendRounds("A", 4, 1, (Round(0, 0), Round(4, 5, (7, 8)), Round(4, 5, (9, 10))))
        do(path, *changes(open_contents(path), [late, ResetTerminal("A", 2)]))
        control.tick()
        snapshot = evening.phone(2).snapshot
        assert snapshot is not None
        assert snapshot.resets == 1
        evening.phone(2).log_on(takes_over=False)
        do(path, *changes(open_contents(path), [SendHandRecords("A", (HandRecord(1, 1, deal),))]))
        control.tick()
        assert view.session.hands.records[1, 1].deal == deal
        do(path, *changes(open_contents(path), [SendSettings("A", replace(QUIET, pin="4711"))]))
        control.tick()
        snapshot = evening.phone(1).snapshot
        assert snapshot is not None
        assert snapshot.rules.pin == ""
        evening.sit_down(4)
        for _ in range(2):
            for table in (1, 2, 3, 4):
                evening.play_round(table)
        assert not control.tick()
        # Table 4 is not needed after all, and goes with its results.
        do(path, *changes(open_contents(path), [RemoveTable("A", 4)]))
        assert not control.tick()
        assert evening.phone(4).snapshot is None
        assert evening.standing() == evening.played()
        assert len(evening.played()) == 18
        assert open_contents(path).sessions[0].status == 2
        assert view.session.setup.status is Status.FINISHED
        evening.log_off(1, 2, 3)
        assert control.tick(), "every table has logged off"
        assert {row.log_on_off for row in open_contents(path).tables} == {2}
        _same_ranking(path, control.view(GUID))


def _same_ranking(path: Path, view: SessionView | None) -> None:
    """Check that a scoring program that reads the file gets the same ranking."""
    assert view is not None
    theirs = SessionView()
    state = read_event(open_contents(path), today=TODAY).journal_state()
    session = state.session(GUID)
    assert session is not None
    theirs.session = session
    theirs._is_stale = True
    (group,) = view.session.setup.groups
    assert theirs.rankings(group) == view.rankings(group)


def test_swiss_rounds_come_while_the_tables_wait(path: Path) -> None:
    evening = Evening(path)
    with evening.run_control("/s", "/r") as control:
        first = [
            SendRounds("A", table, 1, (Round(table, table + 3, (1, 2)),), waits=True) for table in (1, 2, 3)
        ]
        do(path, *changes(open_contents(path), first))
        control.tick()
        evening.sit_down(1, 2, 3)
        for number in (1, 2):
            for table in (1, 2, 3):
                evening.play_round(table)
            assert evening.is_waiting((1, 2, 3))
            assert not control.tick()
            more = [
                SendRounds(
                    "A",
                    table,
                    number + 1,
                    (Round(table, (table + number) % 3 + 4, (2 * number + 1, 2 * number + 2)),),
                    waits=number == 1,
                )
                for table in (1, 2, 3)
            ]
            do(path, *changes(open_contents(path), more))
            control.tick()
        for table in (1, 2, 3):
            evening.play_round(table)
        assert evening.is_done((1, 2, 3))
        control.tick()
        assert evening.standing() == evening.played()
        assert len(evening.played()) == 18


def test_entries_that_phones_could_not_send_count_after_a_restart(path: Path) -> None:
    evening = Evening(path)
    with evening.run_control("/s", "/r") as control:
        control.tick()
        evening.sit_down(1, 2, 3)
        evening.play_board(1)
    # The control software dies before it has written anything of this; the phones go on.
    phone = evening.phones[2]
    phone.is_online = False
    phone.enter(1, phone.open_boards(1)[0], Outcome.parse("1CE="))
    with evening.run_control("/r") as control:
        control.tick()
        assert len(evening.standing()) == 1
        evening.play_board(1, "3NTS+1")
        phone.is_online = True
        assert evening.phone(2).refused == []
        control.tick()
        assert evening.standing() == evening.played()
        assert "3NTS+1" in evening.played().values()
        assert "1CE=" in evening.played().values()


def test_reset_starts_a_new_incarnation_and_refuses_entries_for_the_old_one(path: Path) -> None:
    evening = Evening(path)
    with evening.run_control("/s", "/r") as control:
        control.tick()
        evening.sit_down(1)
    phone = evening.phones[1]
    phone.is_online = False
    phone.enter(1, phone.open_boards(1)[0], Outcome.parse("Pass"))
    with evening.run_control("/s", "/r") as control:
        control.tick()
        phone.is_online = True
        (refused,) = evening.phone(1).refused
        assert refused.reason is Reason.STALE
        assert evening.played() == {}


def test_file_with_results_is_continued(path: Path, tmp_path: Path) -> None:
    evening = Evening(path)
    with evening.run_control("/s", "/r") as control:
        control.tick()
        evening.sit_down(1)
        evening.play_board(1)
        control.tick()
        before = evening.standing()
    path.with_suffix(".journal").unlink()
    for leftover in tmp_path.glob("*.journal-*"):
        leftover.unlink()
    with evening.run_control("/r"):
        assert evening.played() == before


def test_deals_are_analysed_and_suspicious_contracts_flagged(path: Path) -> None:
    evening = Evening(path, deals=True)
    with evening.run_control("/s", "/r", "/h:[1]", evaluates=True) as control:
        evening.sit_down(1)
        evening.play_board(1, "7NTN=")
        view = control.view(GUID)
        assert view is not None

        def is_worked_out() -> bool:
            control.tick()
            return all(record.tricks for record in view.session.hands.records.values())

        wait_for(is_worked_out)
        control.tick()
        control.tick()
        assert view.session.results.standing["A", 1, 1, 1].suspicion is Suspicion.SUSPICIOUS
        contents = open_contents(path)
        assert len(contents.evaluations) == 6
        assert [row.suspicious for row in contents.results] == [1]


def test_the_loop_ends_by_itself_and_says_why(path: Path) -> None:
    evening = Evening(path)
    with evening.run_control("/s", "/r") as control:
        evening.sit_down(1, 2, 3)
        for _ in range(3):
            for table in (1, 2, 3):
                evening.play_round(table)
        evening.log_off(1, 2, 3)
        said: list[str] = []
        run(control, said.append, interval=0.01, max_passes=50)
    assert said[-1] == "All tables have finished. The control software ends."


def test_a_file_that_access_has_open_does_not_end_the_evening(path: Path) -> None:
    evening = Evening(path)
    lock_file = path.with_suffix(".ldb")
    said: list[str] = []
    with evening.run_control("/s", "/r") as control:
        run(control, said.append, interval=0, max_passes=1)
        evening.sit_down(1)
        evening.play_board(1)
        lock_file.write_bytes(b"OFFICE".ljust(32, b"\0") + b"Admin".ljust(32, b"\0"))
        run(control, said.append, interval=0, max_passes=3)
        assert [line for line in said if "open in Access" in line] == said[-1:], "it is told once"
        assert not open_contents(path).standing()
        lock_file.unlink()
        run(control, said.append, interval=0, max_passes=2)
    assert len(open_contents(path).standing()) == 1


def test_a_file_that_goes_away_and_comes_back_gets_what_it_missed(path: Path) -> None:
    evening = Evening(path)
    said: list[str] = []
    with evening.run_control("/s", "/r") as control:
        control.tick()
        copy = path.read_bytes()
        evening.sit_down(1)
        evening.play_board(1)
        control.tick()
        assert len(evening.standing()) == 1
        path.rename(path.with_suffix(".gone"))
        evening.play_board(1)
        run(control, said.append, interval=0, max_passes=2)
        assert "The session file is gone" in said[-1]
        path.write_bytes(copy)
        run(control, said.append, interval=0, max_passes=1)
        assert len(evening.standing()) == 2
        assert evening.standing() == evening.played()


def test_command_lines_start_control_and_bcs(path: Path) -> None:
    Evening(path)
    runner = CliRunner()
    done = runner.invoke(app, ["control", f"/f:[{path}]", "/s", "/r", "--looks", "1", "--no-evaluation"])
    assert done.exit_code == 0, done.output
    assert f"ready: {path}" in done.output
    done = runner.invoke(app, ["control", "--file", str(path), "--read", "--looks", "1", "--no-evaluation"])
    assert done.exit_code == 0, done.output
    called = subprocess.run(
        [sys.executable, "-c", "from overtrick.cli.control import bcs; bcs()", "/f:[nowhere.bws]", "/r"],
        capture_output=True,
        text=True,
        check=False,
        cwd=path.parent,
        timeout=50,
    )
    assert called.returncode != 0
    assert called.stderr.startswith("bcs: ")
    assert "Traceback" not in called.stderr
    called = subprocess.run(
        [sys.executable, "-c", "from overtrick.cli.control import bcs; bcs()", "/x"],
        capture_output=True,
        text=True,
        check=False,
        timeout=50,
    )
    assert called.returncode == 2
