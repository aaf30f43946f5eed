"""BMPFTP as a running program, driven pass by pass."""

import os
import re
import signal
import subprocess
import sys
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from overtrick import jet
from overtrick.bmpftp.folder import Folder
from overtrick.bmpftp.movement import InstructedTables
from overtrick.bmpftp.remembered_options import RememberedOptions, read_options, write_options
from overtrick.bmpftp.result_file import result_line
from overtrick.bmpftp.transfer import Transfer
from overtrick.bws.contents import open_contents
from overtrick.bws.edits import NotTakenYet, Update, carry_out
from overtrick.bws.id_map import build_id_map
from overtrick.bws.scoring_changes import SendSettings, changes
from overtrick.control.orders import parse_command_line
from overtrick.errors import BadInput
from overtrick.event.settings import SettingsII
from overtrick.event.setup import Generation
from overtrick.host.bmpftp import (
    ControlProgram,
    ProgramRequest,
    TransferProgram,
    control_command,
    run,
    update_movement,
)
from overtrick.host.session_file import open_session_file_control
from tests.bmpftp.conftest import example
from tests.bmpftp.folders import evening, read_and_delete
from tests.bws.conftest import do
from tests.host.players import Players

AT = datetime(2026, 3, 2, 20, 15)
QUIET = SettingsII(show_results=False, show_next_seating=False)


class Control(ControlProgram):
    """A fake control program."""

    def __init__(self, folder: Folder, *, runs: bool = False) -> None:
        super().__init__(folder)
        self.runs = runs
        self.started: list[bool] = []
        self.refuses = False
        self.ending = ""

    def is_running(self) -> bool:
        return self.runs

    def start(self, *, reset: bool) -> None:
        if self.refuses:
            raise BadInput("The control program cannot be started.")
        self.started.append(reset)
        self.runs = True

    def end_report(self) -> str:
        return self.ending


def program(folder: Folder, *, runs: bool = False, **options: Any) -> tuple[TransferProgram, Control]:
    control = Control(folder, runs=runs)
    return TransferProgram(Transfer(folder, quiet=0), control, clock=lambda: AT, **options), control


def news(running: TransferProgram) -> list[str]:
    lines = [line.removeprefix("20:15:00  ") for line in running.news]
    running.news.clear()
    return lines


def test_program_waits_for_the_setup_creates_the_session_and_starts_control(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    running, control = program(folder)
    for _ in range(2):
        running.run_pass()
    assert news(running) == [f"{folder.setup}: The scoring program has not written this file yet."]
    assert "not written this file yet" in running.waiting
    running.carry_out(ProgramRequest.READ_ALL)
    assert "There is no session yet" in news(running)[0]
    folder.setup.write_bytes(example("BMInput.txt")[:300])
    running.run_pass()
    running.run_pass()
    [trouble] = news(running)
    assert trouble.startswith("BMInput.txt, line ")
    folder.setup.write_bytes(example("BMInput.txt"))
    running.run_pass()
    assert news(running) == ["BMInput.bws was created with 3 tables.", "The control program was started."]
    assert control.started == [True]
    assert running.waiting == "results"
    assert [table.name for table in running.progress.tables] == ["A1", "A2", "A3"]


def test_results_are_delivered_when_the_result_file_is_gone(tmp_path: Path) -> None:
    folder = evening(tmp_path, 2)
    running, control = program(folder, runs=True, recover=True)
    running.run_pass()
    assert control.started == []
    assert news(running) == [
        "Recovery run: continuing with the existing BMInput.bws.",
        "The control program is already running.",
        "BMRData.txt was written with 2 results.",
    ]
    assert running.waiting == "the scoring program to delete BMRData.txt"
    assert running.last_write == "20:15:00, BMRData.txt with 2 results"
    assert len(read_and_delete(folder)) == 2
    running.run_pass()
    assert not folder.results.exists()
    running.carry_out(ProgramRequest.READ_ALL)
    assert len(read_and_delete(folder)) == 2
    running.carry_out(ProgramRequest.READ_NUMBERS)
    assert folder.numbers.read_bytes().startswith(b'1,1,"N ","0"\r\n')
    running.carry_out(ProgramRequest.QUIT)
    assert running.is_over


@pytest.mark.parametrize(
    ("options", "reset"), [({}, True), ({"reset": False}, False), ({"recover": True}, False)]
)
def test_recovery_run_starts_control_without_reset(
    tmp_path: Path, options: dict[str, bool], reset: bool
) -> None:
    running, control = program(evening(tmp_path), **options)
    running.run_pass()
    assert control.started == [reset]


def test_movement_is_updated_after_earlier_instructions_were_carried_out(tmp_path: Path) -> None:
    folder = evening(tmp_path, 0)
    running, _ = program(folder, runs=True, recover=True)
    running.run_pass()
    folder.setup.write_bytes(example("BMInput.txt").replace(b"1,1,0,0,2,0,0,0", b"1,1,0,0,2,2,0,0"))
    running.carry_out(ProgramRequest.UPDATE_MOVEMENT)
    running.carry_out(ProgramRequest.UPDATE_MOVEMENT)
    running.run_pass()
    assert "Table A1 has an earlier instruction" in running.waiting
    with jet.open(folder.session, "r+") as db:
        carry_out(db, [Update("Tables", {"Section": 1, "Table": 1}, {"UpdateFromRound": 0})])
    folder.setup.write_bytes(b"rubbish")
    running.run_pass()
    assert running.waiting.startswith("BMInput.txt, line 1")
    folder.setup.write_bytes(example("BMInput.txt").replace(b"1,2,0,0,2,0,0,0", b"1,2,0,0,2,3,0,0"))
    running.run_pass()
    running.run_pass()
    assert running.waiting == "results"
    assert [row.instruction for row in open_contents(folder.session).tables] == [0, 3, 0]
    lines = [line for line in news(running) if "movement" in line]
    assert lines == ["The movement was updated, with an instruction for 1 table."] * 2


def test_pending_movement_update_is_done_by_the_next_run(tmp_path: Path) -> None:
    folder = evening(tmp_path, 0)
    with jet.open(folder.session, "r+") as db:
        carry_out(db, [Update("Tables", {"Section": 1, "Table": 1}, {"UpdateFromRound": 2})])
    folder.setup.write_bytes(example("BMInput.txt").replace(b"1,2,0,0,2,0,0,0", b"1,2,0,0,2,3,0,0"))
    first, _ = program(folder, runs=True, recover=True)
    first.run_pass()
    first.carry_out(ProgramRequest.UPDATE_MOVEMENT)
    assert "Table A1 has an earlier instruction" in news(first)[-1]
    with jet.open(folder.session, "r+") as db:
        carry_out(db, [Update("Tables", {"Section": 1, "Table": 1}, {"UpdateFromRound": 0})])
    second, _ = program(folder, runs=True, recover=True)  # the first was killed
    second.run_pass()
    assert [row.instruction for row in open_contents(folder.session).tables] == [0, 3, 0]
    assert "The movement was updated, with an instruction for 1 table." in news(second)
    third, _ = program(folder, runs=True, recover=True)
    third.run_pass()
    assert not any("movement" in line for line in news(third))


def test_new_session_drops_a_pending_movement_update(tmp_path: Path) -> None:
    folder = evening(tmp_path, 0)
    Transfer(folder, quiet=0).request_movement()
    running, _ = program(folder)
    running.run_pass()
    assert not any("movement" in line for line in news(running))
    assert not folder.movement.exists()


def test_problem_is_reported_once_and_tried_again(tmp_path: Path) -> None:
    folder = evening(tmp_path, 1)
    running, control = program(folder, recover=True)
    control.refuses = True
    lock = tmp_path / "BMInput.ldb"
    lock.write_bytes(b"CLUBPC".ljust(64, b"\0"))
    running.run_pass()
    running.run_pass()
    lines = news(running)
    assert lines.count("The control program cannot be started.") == 1
    assert sum("open in Access" in line for line in lines) == 1
    assert "open in Access" in running.waiting
    control.refuses = False
    lock.unlink()
    running.run_pass()
    assert news(running) == ["The control program was started.", "BMRData.txt was written with 1 result."]
    control.ending = "The control program has ended with status 2: No such command."
    running.run_pass()
    running.run_pass()
    assert news(running) == [control.ending]


def test_unfinished_delivery_and_previous_session_are_reported(tmp_path: Path) -> None:
    folder = evening(tmp_path, 3)
    folder.batch.write_bytes(b'{"stage": "chosen", "marks": []}')
    running, _ = program(folder)
    running.run_pass()
    lines = news(running)
    assert (
        lines[0]
        == "The last delivery was interrupted before it was complete. Its results will be delivered again."
    )
    assert lines[1].startswith("The previous session is kept in BMInput-")
    assert lines[1].endswith("with 3 results that were never delivered.")


def test_keys_act_at_once_and_passes_follow_the_interval(tmp_path: Path) -> None:
    folder = evening(tmp_path, 1)
    running, _ = program(folder, runs=True, recover=True)
    now = 0.0
    pressed = iter(["", "x", "N", "", "", "q"])

    def key(seconds: float) -> str:
        nonlocal now
        now += 1.0
        return next(pressed)

    drawn: list[float] = []
    run(running, 2.0, key=key, redraw=lambda: drawn.append(now), clock=lambda: now)
    assert drawn == [0.0, 2.0, 3.0, 4.0, 6.0]
    assert folder.numbers.exists()


def test_update_command_waits_and_reports_the_reason_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    transfer = Transfer(evening(tmp_path, 0), quiet=0)
    answers: list[Exception | InstructedTables] = [
        NotTakenYet("Table A1."),
        NotTakenYet("Table A1."),
        InstructedTables(4),
    ]

    def answer(_: Transfer) -> InstructedTables:
        result = answers.pop(0)
        if isinstance(result, Exception):
            raise result
        return result

    monkeypatch.setattr(Transfer, "update_movement", answer)
    lines: list[str] = []
    assert update_movement(transfer, 0.0, lines.append) == InstructedTables(4)
    assert lines == ["Table A1."]


# The control program


def test_control_command_has_bcs_parameters(tmp_path: Path) -> None:
    session = tmp_path / "BMInput.bws"
    tail = [f"/f:{session}", "/s", "/r"]
    assert control_command("", session, reset=True) == [sys.executable, "-m", "overtrick", "control", *tail]
    assert control_command("bm pro 'a b'", session, reset=True) == ["bm", "pro", "a b", *tail]
    shared = control_command("", session, reset=True, journal="/desk/overtrick.journal")
    assert shared[4:] == ["--journal", "/desk/overtrick.journal", *tail]
    assert control_command("", session, reset=False)[4:] == [f"/f:{session}", "/r"]
    with_blank = tmp_path / "bridgemate pro.exe"
    with_blank.touch()
    assert control_command(str(with_blank), session, reset=True) == [str(with_blank), *tail]
    with pytest.raises(BadInput, match="The closing quote is missing"):
        control_command("bm 'pro", session, reset=True)


@pytest.mark.skipif(os.name == "nt", reason="uses sleep")
def test_running_control_program_is_recognised_by_the_next_run(tmp_path: Path) -> None:
    folder = evening(tmp_path, 0)
    script = tmp_path / "control.py"
    script.write_text("import sys, time\nprint(sys.argv[1:], flush=True)\ntime.sleep(30)\n")
    write_options(folder, RememberedOptions(start=f"{sys.executable} {script}"))
    control = ControlProgram(folder)
    assert not control.is_running()
    control.start(reset=True)
    try:
        assert control.is_running()
        assert control.end_report() == ""
        assert ControlProgram(folder).is_running()
        # A process with the same ID and another start time is a different one.
        memory = read_options(folder)
        write_options(folder, RememberedOptions(control=memory.control, born="1"))
        assert ControlProgram(folder).is_running() is not Path("/proc/self/stat").exists()
        write_options(folder, memory)
        another = ControlProgram(folder)
        assert another.end_report() == ""
        assert another.is_running()
    finally:
        assert control._process is not None
        control._process.kill()
        control._process.wait(30)
    assert not control.is_running()
    assert not ControlProgram(folder).is_running()
    assert "ended with status -9" in control.end_report()
    assert another.end_report() == "The control program has ended."


KILLED_STARTER = """
import os, signal, subprocess, sys
from pathlib import Path
from overtrick.bmpftp.folder import Folder
from overtrick.host import bmpftp

real = subprocess.Popen

def start_and_die(*arguments, **more):
    real(*arguments, **more)
    os.kill(os.getpid(), signal.SIGKILL)

bmpftp.subprocess.Popen = start_and_die
bmpftp.ControlProgram(Folder(Path(sys.argv[1]))).start(reset=True)
"""


@pytest.mark.skipif(os.name == "nt", reason="there is no SIGKILL on this system")
def test_control_program_is_recognised_after_its_starter_was_killed(tmp_path: Path) -> None:
    folder = evening(tmp_path, 0)
    script = tmp_path / "control.py"
    script.write_text("import time\ntime.sleep(60)\n")
    write_options(folder, RememberedOptions(start=f"{sys.executable} {script}"))
    done = subprocess.run([sys.executable, "-c", KILLED_STARTER, str(tmp_path)], check=False, timeout=50)
    assert done.returncode == -signal.SIGKILL
    pid = read_options(folder).control
    try:
        assert pid
        assert ControlProgram(folder).is_running()
    finally:
        if pid:
            os.kill(pid, signal.SIGKILL)


def test_failed_control_program_is_reported_with_its_last_line(tmp_path: Path) -> None:
    folder = evening(tmp_path, 0)
    script = tmp_path / "control.py"
    script.write_text(encoding="utf-8", data="import sys\nsys.exit('│ No such file. │\\n╰────╯')\n")
    write_options(folder, RememberedOptions(start=f'"{sys.executable}" "{script}"'))
    control = ControlProgram(folder)
    control.start(reset=True)
    assert isinstance(control._process, subprocess.Popen)
    control._process.wait(30)
    assert control.end_report() == "The control program has ended with status 1: No such file."
    write_options(folder, RememberedOptions(start=str(tmp_path / "nowhere")))
    with pytest.raises(Exception, match=r"nowhere: The control program cannot be started"):
        ControlProgram(folder).start(reset=True)


def test_session_open_in_access_counts_as_running_control_program(tmp_path: Path) -> None:
    folder = evening(tmp_path, 0)
    (tmp_path / "BMInput.ldb").write_bytes(b"CLUBPC".ljust(64, b"\0"))
    assert ControlProgram(folder).is_running()


@pytest.mark.parametrize("content", [b"", b"[]", b'{"control": "x"}', b'{"line_ends": "cr"}', b"\xff\xfe"])
def test_damaged_options_file_gives_the_defaults(tmp_path: Path, content: bytes) -> None:
    folder = Folder(tmp_path)
    folder.memory.write_bytes(content)
    assert read_options(folder) == RememberedOptions()


# With our own control software


def test_results_entered_at_terminals_are_delivered_as_text(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    text = example("BMInput.txt").decode().replace('"A",3,6', '"A",3,0')
    folder.setup.write_text(text, newline="")
    transfer = Transfer(folder, quiet=0)
    transfer.create()
    do(folder.session, *changes(open_contents(folder.session), [SendSettings("A", QUIET)]))
    (guid,) = build_id_map(open_contents(folder.session)).guids.values()
    players = Players(guid, seed=11)
    got: list[str] = []
    orders = parse_command_line([f"/f:{folder.session}", "/s", "/r"])
    with open_session_file_control(
        orders, computer="CLUB", now=lambda: players.now, generation=Generation.II, evaluates=False
    ) as control:
        players.control = control
        control.tick()
        players.sit_down(1, 2, 3)
        for round in (1, 2, 3, 4):
            if round == 4:
                more = "".join(f"1,{table},4,{table},{table},13,14\r\n" for table in (1, 2, 3))
                fourth = text.replace('"RoundData",9\r\n', '"RoundData",12\r\n' + more)
                folder.setup.write_text(re.sub(r"(?m)^(1,\d),0,0,2,0", r"\1,0,0,2,4", fourth), newline="")
                assert transfer.update_movement() == InstructedTables(3)
                with pytest.raises(NotTakenYet, match="Tables A1, A2, A3 have an earlier instruction"):
                    transfer.update_movement()
                control.tick()
                assert [row.instruction for row in open_contents(folder.session).tables] == [0, 0, 0]
            for table in (1, 2, 3):
                players.play_round(table)
                control.tick()
                transfer.poll()
                got += read_and_delete(folder)
        assert len(players.played()) == 42
    assert len(got) == 42
    lines = {("A", *(int(field) for field in line.split(",")[1:4])): line for line in got}
    rows = {
        ("A", row.table, row.round, row.board): result_line(row)
        for row in open_contents(folder.session).results
    }
    assert {place: line[: line.index("#20")] for place, line in lines.items()} == {
        place: line[: line.index("#20")] for place, line in rows.items()
    }
    assert set(lines) == set(players.played())
