"""The control software is killed at any moment, and carries on.

A longer run: python -m tests.host.test_killed_control 60
"""

import os
import sys
import tempfile
import time
from pathlib import Path

import pytest

from tests.host.killed_control import evenings

KILLS = 5


@pytest.mark.skipif(os.name == "nt", reason="there is no SIGKILL on this system")
def test_evening_survives_repeated_kills_of_the_control_software(tmp_path: Path) -> None:
    _, kills = evenings(tmp_path, KILLS)
    assert kills >= KILLS


def main(kills: int, seed: int) -> None:
    """Evenings until the control software was killed so often."""
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        played, killed = evenings(Path(folder), kills, seed)
    print(f"{played} evenings, killed {killed} times, {time.monotonic() - began:.0f} s")


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 100)
