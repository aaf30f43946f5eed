"""The commands of `overtrick bmpftp`, and a whole evening with a scoring program that reads only text files."""

import os
import re
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console
from typer.testing import CliRunner, Result

from overtrick.bmpftp.folder import Folder
from overtrick.bmpftp.transfer import Transfer
from overtrick.bws.contents import open_contents
from overtrick.cli import app
from overtrick.cli.bmpftp import screen
from overtrick.errors import BadInput
from overtrick.host.bmpftp import ControlProgram, TransferProgram
from tests.bmpftp.conftest import DOCUMENT, example
from tests.bmpftp.folders import evening, read_and_delete
from tests.waiting import wait_for

ROOT = Path(__file__).parents[2]


def invoke(*words: object) -> Result:
    result = CliRunner().invoke(app, ["bmpftp", *map(str, words)], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result


def test_read_all_and_read_numbers_write_their_files(tmp_path: Path) -> None:
    folder = evening(tmp_path)
    assert "BMRData.txt was written with 36 results." in invoke("read-all", tmp_path).output
    assert folder.results.read_bytes() == example("BMRData.txt")
    assert "BMPNums.txt was written with 12 numbers." in invoke("read-numbers", tmp_path).output
    assert folder.numbers.read_bytes().count(b"\r\n") == 12


def test_encoding_and_line_ends_are_remembered(tmp_path: Path) -> None:
    folder = evening(tmp_path, 1)
    invoke("read-all", tmp_path, "--ids", "--line-ends", "lf", "--encoding", "850")
    invoke("read-all", tmp_path)
    assert folder.results.read_bytes().startswith(b"1,1,1,1,1,1,1,1,")
    assert folder.results.read_bytes().endswith(b"#FALSE#\n")
    invoke("read-all", tmp_path, "--no-ids", "--line-ends", "crlf")
    assert folder.results.read_bytes().endswith(b"#FALSE#\r\n")
    with pytest.raises(BadInput, match="There is no encoding"):
        invoke("read-all", tmp_path, "--encoding", "klingon")


def test_update_movement_writes_the_instruction(tmp_path: Path) -> None:
    folder = evening(tmp_path, 0)
    folder.setup.write_bytes(example("BMInput.txt").replace(b"1,3,0,0,2,0,0,0", b"1,3,0,0,2,259,0,0"))
    result = invoke("update-movement", tmp_path, "--interval", 0.3)
    assert "The movement was updated, with an instruction for 1 table." in result.output
    assert [row.instruction for row in open_contents(folder.session).tables] == [0, 0, 259]


def test_convert_works_in_both_directions(tmp_path: Path) -> None:
    result = invoke("convert", DOCUMENT, tmp_path / "x.bws")
    assert result.output.endswith("x.bws: 3 tables, 36 results, 12 numbers.\n")
    invoke("convert", tmp_path / "x.bws", tmp_path / "texts", "--line-ends", "lf")
    written = (tmp_path / "texts" / "BMRData.txt").read_bytes()
    assert written == example("BMRData.txt").replace(b"\r\n", b"\n")


def test_real_club_evening_is_converted_to_text_and_back(club_evening: Path, tmp_path: Path) -> None:
    invoke("convert", club_evening, tmp_path / "texts", "--ids")
    rows = (tmp_path / "texts" / "BMRData.txt").read_text(encoding="cp1252").splitlines()
    before = open_contents(club_evening)
    assert len(rows) == len(before.results) == 288
    invoke("convert", tmp_path / "texts", tmp_path / "back.bws")
    after = open_contents(tmp_path / "back.bws")

    def rows_of(contents: object) -> list[tuple[object, ...]]:
        return [
            (
                row.id,
                row.place,
                row.ns,
                row.ew,
                row.declarer,
                row.direction,
                row.contract,
                row.result,
                row.lead,
            )
            for row in contents.results  # type: ignore[attr-defined]
        ]

    assert rows_of(after) == rows_of(before)
    assert len(after.rounds) == len(before.rounds)


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["nowhere"], "nowhere: There is no such folder."),
        (["run", "nowhere"], "nowhere: There is no such folder."),
        (["read-all", "."], "BMInput.bws: There is no such file."),
        ([".", "--recover"], "BMInput.bws: There is no session to continue."),
        (["convert", "nowhere.bws", "."], "nowhere.bws: There is no such file."),
        (["convert", ".", "x.bws"], "BMInput.txt: There is no such file."),
    ],
)
def test_invalid_arguments_are_rejected_with_a_message(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: list[str], sentence: str
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(BadInput, match=re.escape(sentence)):
        invoke(*words)
    assert {path.name for path in tmp_path.iterdir()} <= {"BMPFTP.lock"}


def test_run_with_a_running_control_program_needs_recover(tmp_path: Path) -> None:
    evening(tmp_path, 0)
    (tmp_path / "BMInput.ldb").write_bytes(b"CLUBPC".ljust(64, b"\0"))
    with pytest.raises(BadInput, match=r"The control program is already running\. Use --recover"):
        invoke(tmp_path)


def test_screen_shows_tables_results_last_write_and_waiting(tmp_path: Path) -> None:
    folder = evening(tmp_path, 5)
    program = TransferProgram(Transfer(folder, quiet=0), ControlProgram(folder), recover=True)
    program._has_control = True
    program.run_pass()
    console = Console(width=100, height=24, record=True, file=StringIO())
    console.print(screen(program, 24))
    text = console.export_text()
    assert "Results in:   5 of 36" in text
    assert "Undelivered:  0" in text
    assert "BMRData.txt with 5 results" in text
    assert "Waiting for:  the scoring program to delete BMRData.txt" in text
    assert "A1 ○ round 2    5/12" in text
    assert "r Read All Results   n Read Player Numbers   u Update Movement   q quit" in text


# A whole evening


class ScoringProgram:
    """A scoring program that reads and writes only text files, as in the document."""

    def __init__(self, path: Path) -> None:
        self.folder = Folder(path)
        self.lines: list[str] = []

    def write(self, text: str) -> None:
        """Write the setup in two parts with a pause between them."""
        half = len(text) // 2
        with self.folder.setup.open("w", newline="") as file:
            file.write(text[:half])
            file.flush()
            time.sleep(0.3)
            file.write(text[half:])

    def read(self) -> None:
        self.lines += read_and_delete(self.folder)

    def standing(self) -> dict[tuple[str, ...], str]:
        """Return the latest result of each board; an erased one has none."""
        latest: dict[tuple[str, ...], str] = {}
        for line in self.lines:
            fields = line.split(",")
            if fields[-1] == "#TRUE#":
                latest.pop(tuple(fields[:4]), None)
            else:
                latest[tuple(fields[:4])] = ",".join(fields[4:12])
        return latest


@pytest.fixture
def started() -> Iterator[list[subprocess.Popen[str]]]:
    """Yield a list of started programs; those in it are killed at the end."""
    processes: list[subprocess.Popen[str]] = []
    yield processes
    for process in processes:
        if process.poll() is None:
            process.kill()
            process.communicate(timeout=30)


def start(folder: Path, started: list[subprocess.Popen[str]], *words: str) -> subprocess.Popen[str]:
    process = subprocess.Popen(
        [sys.executable, "-m", "overtrick", "bmpftp", str(folder), "--interval", "0.1", *words],
        cwd=ROOT,
        env={**os.environ, "STANDIN_PACE": "0.02"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    started.append(process)
    return process


@pytest.mark.timeout(240)  # five starts of a program and 48 boards, each read and written by two programs
@pytest.mark.skipif(os.name == "nt", reason="there is no SIGKILL on this system")
def test_evening_with_a_scoring_program_that_reads_only_text(
    tmp_path: Path, started: list[subprocess.Popen[str]]
) -> None:
    scoring = ScoringProgram(tmp_path)
    text = example("BMInput.txt").decode().replace('"A",3,6', '"A",3,0')
    first = start(tmp_path, started, "--start", f"{sys.executable} -m tests.bmpftp.standin")
    try:
        wait_for((tmp_path / "BMPFTP.lock").exists)
        scoring.write(text)
        running, kills, has_round_four = first, 0, False

        def is_over() -> bool:
            nonlocal running, kills, has_round_four
            scoring.read()
            if kills < 3 and len(scoring.lines) > 6 * (kills + 1):
                # Kill BMPFTP; the control program goes on.
                running.send_signal(signal.SIGKILL)
                running.communicate(timeout=30)
                running = start(tmp_path, started, "--recover")
                kills += 1
            if len(scoring.standing()) == 36 and not has_round_four:
                more = "".join(f"1,{table},4,{table},{table},13,16\r\n" for table in (1, 2, 3))
                fourth = text.replace('"RoundData",9\r\n', '"RoundData",12\r\n' + more)
                scoring.write(re.sub(r"(?m)^(1,\d),0,0,2,0,0,0", r"\1,0,0,2,4,0,0", fourth))
                done = subprocess.run(
                    [sys.executable, "-m", "overtrick", "bmpftp", "update-movement", str(tmp_path)],
                    cwd=ROOT,
                    capture_output=True,
                    text=True,
                    check=True,
                    timeout=60,
                )
                assert "an instruction for 3 tables" in done.stdout
                has_round_four = True
            return has_round_four and len(scoring.standing()) == 48

        wait_for(is_over, 150, told=lambda: (scoring.lines, first.poll()))
        assert kills == 3
        invoke("read-numbers", tmp_path)
        running.send_signal(signal.SIGTERM)
        output, _ = running.communicate(timeout=30)
        assert "The control program is still running" in output
        assert "Traceback" not in output
    finally:
        (tmp_path / "stop").touch()
    assert running.returncode == 0
    numbers = (tmp_path / "BMPNums.txt").read_text().splitlines()
    assert numbers[:4] == ['1,1,"N ","11"', '1,1,"E ","12"', '1,1,"S ","13"', '1,1,"W ","14"']
    # Each row was delivered once; only changed rows came again.
    invoke("read-all", tmp_path)
    everything = read_and_delete(scoring.folder)
    bare = [re.sub("#TRUE#|#FALSE#", "", line, count=1) for line in scoring.lines]
    twice = [line for line, count in Counter(bare).items() if count > 1]
    assert twice == []
    assert len(everything) == 49  # 48 boards, and one that was erased
    assert len(scoring.lines) - 49 <= 2
    again = ScoringProgram(tmp_path)
    again.lines = everything
    assert scoring.standing() == again.standing()


@pytest.mark.skipif(os.name == "nt", reason="ends programs by signals")
@pytest.mark.parametrize("journal", ["BMInput.journal", "desk.journal"])
def test_own_control_program_is_started_and_carries_out_a_new_movement(
    tmp_path: Path, started: list[subprocess.Popen[str]], journal: str
) -> None:
    folder = Folder(tmp_path)
    folder.setup.write_bytes(example("BMInput.txt"))
    words = ("--journal", str(tmp_path / journal)) if journal == "desk.journal" else ()
    running = start(tmp_path, started, *words)

    log = tmp_path / "BMPFTP-control.log"
    try:
        wait_for(lambda: log.exists() and "ready" in log.read_text())
        folder.setup.write_bytes(example("BMInput.txt").replace(b"1,3,0,0,2,0,0,0", b"1,3,0,0,2,2,0,0"))
        invoke("update-movement", tmp_path)
        wait_for(lambda: [row.instruction for row in open_contents(folder.session).tables] == [0, 0, 0])
        assert ControlProgram(folder).is_running()
        assert [path.name for path in tmp_path.glob("*.journal")] == [journal]
        with pytest.raises(BadInput, match="The control program is already running"):
            invoke(tmp_path)
        running.send_signal(signal.SIGTERM)
        output, _ = running.communicate(timeout=30)
        assert "The control program has ended too" in output
        assert not ControlProgram(folder).is_running()
    finally:
        ControlProgram(folder).stop()
