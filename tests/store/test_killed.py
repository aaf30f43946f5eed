"""SIGKILL at random moments: no acknowledged fact is lost, and the file always opens."""

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from overtrick.store import open_journal
from tests.store.tiny import CODEC

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no SIGKILL on this system")

KILLS = int(os.environ.get("OVERTRICK_KILLS", "200"))
HERE = Path(__file__).parents[2]
OPENING = 0.006
"""Seconds that a journal takes to be made, and its first facts to be appended; opening one takes less."""


def kill_often(
    path: Path, kind: str, kills: int, seed: int, *, anew: bool = False
) -> list[tuple[str, int, str]]:
    """Kill a writing process again and again, the file reused or made anew; all that was acknowledged."""
    moments = random.Random(seed)
    acknowledged: list[tuple[str, int, str]] = []
    with subprocess.Popen(
        [sys.executable, "-m", "tests.store.killed", str(path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=HERE,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        for number in range(kills):
            print(kind, number, file=process.stdin, flush=True)
            child = int(process.stdout.readline().split()[1])
            lines = []
            if not anew and number % 4:
                lines.append(
                    process.stdout.readline()
                )  # most die at work, the others while they open the file
            time.sleep(moments.uniform(0, 0.02 if lines else OPENING))
            os.kill(child, signal.SIGKILL)
            while (line := process.stdout.readline()) != "dead\n":
                lines.append(line)
            told = []
            for line in lines:
                _, rest = line.split(" ", 1)
                stream, version, command_id = rest.rsplit(maxsplit=2)
                told.append((stream, int(version), command_id))
            acknowledged += told
            with open_journal(path, CODEC) as journal:
                heads = journal.heads()
                assert all(version <= heads[stream] for stream, version, _ in told), f"after kill {number}"
                if anew:
                    journal.check()
            if anew:
                for file in path.parent.glob("club.overtrick*"):
                    file.unlink()
        process.stdin.close()
    return acknowledged


def check_everything(path: Path, acknowledged: list[tuple[str, int, str]]) -> None:
    with open_journal(path, CODEC) as journal:
        journal.check()
        kept = {
            (stream, entry.version, entry.command_id)
            for stream in journal.heads()
            for entry in journal.read(stream)
        }
    assert len(acknowledged) == len(set(acknowledged))
    assert set(acknowledged) - kept == set()


def test_no_acknowledged_fact_is_lost(tmp_path: Path) -> None:
    path = tmp_path / "club.overtrick"
    acknowledged = kill_often(path, "append", KILLS, seed=1)
    assert len(acknowledged) > KILLS
    check_everything(path, acknowledged)


def test_no_fact_that_the_writer_acknowledged_is_lost(tmp_path: Path) -> None:
    path = tmp_path / "club.overtrick"
    kills = max(KILLS // 4, 1)
    acknowledged = kill_often(path, "write", kills, seed=2)
    assert len(acknowledged) > kills
    check_everything(path, acknowledged)


def test_a_file_whose_making_was_killed_opens(tmp_path: Path) -> None:
    kill_often(tmp_path / "club.overtrick", "append", max(KILLS // 4, 1), seed=3, anew=True)
