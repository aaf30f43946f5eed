"""A few seconds of the fuzzer; `fuzz.py` itself is for hours."""

import math
from pathlib import Path

import pytest

from tests.jet.fuzz import fuzz, make_sample


@pytest.mark.timeout(150)  # 150 damaged files, each read whole
def test_damaged_files_are_read_or_refused(tmp_path: Path) -> None:
    make_sample(tmp_path / "sample.mdb")
    outcomes = fuzz([(tmp_path / "sample.mdb").read_bytes()], 0, 150, math.inf)
    assert outcomes["files"] == 150
    assert outcomes["failed"] == 0
    assert outcomes["read"] > 20
    assert outcomes["read: DamagedAccessFile"] > 20


@pytest.mark.timeout(150)  # a damaged club evening, read whole again and again
def test_damaged_access_97_files_are_read_or_refused(club_evening: Path) -> None:
    outcomes = fuzz([club_evening.read_bytes()], 1000, 250, math.inf)
    assert outcomes["files"] == 250
    assert outcomes["failed"] == 0
    assert outcomes["read"] > 20
    assert outcomes["read: DamagedAccessFile"] > 20
