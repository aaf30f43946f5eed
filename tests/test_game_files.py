"""Files of games: `overtrick.pbn` and `overtrick.lin`."""

from pathlib import Path

import pytest

from overtrick import lin, pbn
from overtrick.bridge import BadDeal, Outcome, Played, Seat, dealing, deals
from overtrick.errors import BadInput
from overtrick.pbn import Game


@pytest.mark.parametrize("kind", [pbn, lin])
def test_dumped_games_are_loaded_again(kind: object, tmp_path: Path) -> None:
    module = pbn if kind is pbn else lin
    games = [Game.of_board(number, deal) for number, deal in enumerate(deals(4, seed=1), 1)]
    module.dump(games, tmp_path / "games")
    assert [game.deal for game in module.load(str(tmp_path / "games"))] == [game.deal for game in games]


def test_file_that_cannot_be_read_or_written_is_refused_with_its_name(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"none\.pbn: It cannot be read"):
        pbn.load(tmp_path / "none.pbn")
    with pytest.raises(BadInput, match="It cannot be written"):
        pbn.dump([], tmp_path / "none" / "games.pbn")
    (tmp_path / "bad.pbn").write_text("[Board")
    with pytest.raises(pbn.BadPbn, match=r"bad\.pbn"):
        pbn.load(tmp_path / "bad.pbn")
    with pytest.raises(pbn.CannotWrite):
        pbn.dump([Game({"An event": ""})], tmp_path / "new.pbn")
    assert not (tmp_path / "new.pbn").exists()


def test_deals_of_one_seed_are_the_same_and_pass_the_filter(monkeypatch: pytest.MonkeyPatch) -> None:
    def is_strong(deal: object) -> bool:
        return deal[Seat.NORTH].hcp >= 16  # type: ignore[index, no-any-return]

    first = list(deals(5, seed="club", where=is_strong))
    assert (
        first == list(deals(5, seed="club", where=is_strong)) != list(deals(5, seed="other", where=is_strong))
    )
    assert all(is_strong(deal) for deal in first)
    assert len(set(deals(3))) == 3
    monkeypatch.setattr(dealing, "MOST_TRIES", 10)
    with pytest.raises(BadDeal, match="None of 10 deals"):
        next(deals(1, where=lambda _: False))


def test_outcome_of_a_dumped_game_is_loaded(tmp_path: Path) -> None:
    outcome = Outcome.parse("4SN+1")
    assert isinstance(outcome, Played)
    pbn.dump([Game.of_board(25, outcome=outcome)], tmp_path / "one.pbn")
    assert pbn.load(tmp_path / "one.pbn")[0].outcome == outcome
