"""`overtrick deals`."""

import random
from pathlib import Path

import pytest
from typer.testing import CliRunner

from overtrick.bridge import Deal
from overtrick.bridge.deal_files import deals_by_board, read_deal_file
from overtrick.bridge.pbn import Game, write_pbn
from overtrick.cli import app
from overtrick.errors import BadInput

DEALS = {board: Deal.dealt_by(random.Random(board)) for board in (1, 2, 3)}


def test_deals_are_converted(tmp_path: Path) -> None:
    pbn, lin = tmp_path / "deals.pbn", tmp_path / "deals.lin"
    pbn.write_bytes(write_pbn(Game.of_board(board, deal) for board, deal in DEALS.items()))
    result = CliRunner().invoke(app, ["deals", str(pbn), "--format", "lin", "--output", str(lin)])
    assert result.exit_code == 0
    assert "3 boards in" in result.stderr
    assert deals_by_board(read_deal_file(lin.read_bytes())) == DEALS
    result = CliRunner().invoke(app, ["deals", str(lin)])
    assert deals_by_board(read_deal_file(result.stdout_bytes)) == DEALS


def test_two_deals_of_one_board_are_refused() -> None:
    games = [Game.of_board(1, DEALS[1]), Game.of_board(1, DEALS[1]), Game.of_board(1, DEALS[2])]
    assert deals_by_board(games[:2]) == {1: DEALS[1]}
    with pytest.raises(BadInput, match="Board 1 has two different deals"):
        deals_by_board(games)


def test_missing_file_is_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="It cannot be read"):
        CliRunner().invoke(app, ["deals", str(tmp_path / "none.dup")], catch_exceptions=False)
