"""The harness of the stories about a `.bws` file: its kill points and its interleaving."""

from pathlib import Path

import pytest

from tests.host.file_checks import Ownership, check_rest
from tests.host.file_story import KINDS, evening


def test_pass_that_writes_a_result_has_points_around_file_and_journal(tmp_path: Path) -> None:
    with evening(tmp_path) as club:
        club.run()
        club.enter(1, 1, 1, "4SN=")
        club.run()
        names = set(club.steps.names)
    for step in ("reading the file", "writing to the file", "an append to the journal"):
        assert {f"before {step}", f"after {step}"} <= names
    assert any(name.startswith("before page") for name in names)


@pytest.mark.parametrize("kind", KINDS)
def test_first_start_killed_at_any_point_can_be_repeated(tmp_path: Path, kind: str) -> None:
    with evening(tmp_path, kind) as club:
        ownership = Ownership(club)
        for points in range(0, 3000, 3):
            killed = club.kills
            club.run(kill_at=points)
            if points >= len(club.steps.names):
                break
            assert club.kills == killed + 1
        club.settle()
        assert club.kills > 5
        assert ownership.broken == []
        check_rest(club)


def test_scoring_program_writes_between_any_two_steps_of_a_pass(tmp_path: Path) -> None:
    with evening(tmp_path, "scored") as club:
        club.settle()
        club.enter(1, 1, 2, "4SN=")
        times = 12
        writes = [(at, lambda at=at: club.scoring.do("remark", 0, at)) for at in range(times)]
        club.run(*writes)
        assert len(club.steps.names) > times
        assert club.rows("ReceivedData")[0]["Remarks"] == f"Seen {times - 1}"
        assert len(club.live_rows()) == 4


def test_write_to_a_cell_of_the_scoring_program_is_noticed(tmp_path: Path) -> None:
    with evening(tmp_path, "scored") as club:
        ownership = Ownership(club)
        club.settle()
        club.run(work=lambda: club.scoring.do("read_results"))
        assert len(ownership.broken) == 3
        assert "were changed, but not the result" in ownership.broken[0]
