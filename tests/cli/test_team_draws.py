"""`overtrick teams draw` in a Swiss."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

from overtrick.cli import app
from overtrick.errors import BadInput


def test_swiss_round_lags_is_drawn_again_and_has_a_triangle(tmp_path: Path) -> None:
    journal = str(tmp_path / "cup.overtrick")

    def run(command: str, *words: str) -> list[str]:
        arguments = ["teams", command, *words, "--journal", journal]
        result = CliRunner().invoke(app, arguments, catch_exceptions=False)
        assert result.exit_code == 0, result.output
        return result.stdout.splitlines()

    run("open", "Cup")
    run("serie", "Cup", "Open", "--format", "swiss", "--boards", "8")
    for name in "ABCDE":
        run("team", "Cup", "Open", name)
    assert len(run("draw", "Cup", "Open", "--sit-out", "11")) == 2
    assert run("ranking", "Cup", "Open")[0] == "1\tE\t11"
    run("report", "Cup", "Open", "1", "A", "30", "10")
    with pytest.raises(BadInput, match="Round 1 of Open is not over"):
        run("draw", "Cup", "Open")
    # Round 1 is in play, and nobody waits for it.
    assert run("draw", "Cup", "Open", "--lagging")[0].startswith("round 2")
    run("report", "Cup", "Open", "1", "C", "5", "5")
    assert len(run("draw", "Cup", "Open", "--again", "2", "--triangle")) == 4
    # D has had 12 points for its sit-out in round 2, and has a match now.
    assert run("ranking", "Cup", "Open")[0].startswith("1\tA\t")
