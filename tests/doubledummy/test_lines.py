"""Lines of play: every card that could be played has a figure, and playing the best card never changes it."""

import random

import pytest

from overtrick.bridge import SEATS, Card, Deal, Play, Seat, Strain
from overtrick.bridge.play import IllegalCard
from overtrick.doubledummy import LineOfPlay, PlayBatch, SolverFailed, solver, tables
from overtrick.doubledummy.lines import PlayFigures, solve_line
from overtrick.errors import BadInput

DEAL = Deal.dealt_by(random.Random(7))


def played(deal: Deal, strain: Strain, declarer: Seat, seed: int, most: int = 52) -> LineOfPlay:
    """A line of play in which everyone plays any legal card."""
    chance = random.Random(seed)
    line = LineOfPlay(deal, strain, declarer)
    while not line.play.is_over and len(line.cards) < most:
        card = chance.choice(sorted(line.play.legal_cards(), key=str))
        line = LineOfPlay(deal, strain, declarer, (*line.cards, card))
    return line


def check_line(line: LineOfPlay, figures: PlayFigures) -> None:
    """Hold a line against the rules of the game: legal cards, and no card that is better than the best before it."""
    play = Play(line.deal, line.play.contract)
    for place, position in enumerate(figures):
        turn = play.turn
        assert turn is not None
        assert set(position) == set(play.legal_cards())
        is_declarer = turn.side is line.declarer.side
        if place:
            best = max(position.values()) if is_declarer else min(position.values())
            assert best == figures[place - 1][line.cards[place - 1]]
        if place < len(line.cards):
            play = play.add(line.cards[place])


@pytest.mark.parametrize("strain", [Strain.HEARTS, Strain.NOTRUMP])
def test_the_best_card_keeps_the_figure_of_the_card_before(strain: Strain) -> None:
    line = played(DEAL, strain, Seat.EAST, 3)
    figures = tuple(solve_line(line))
    assert len(figures) == 52
    check_line(line, figures)
    assert figures[-1][line.cards[-1]] == line.play.tricks_won(line.declarer.side)


def test_workers_solve_lines_and_the_best_lead_agrees_with_the_table() -> None:
    leads = [LineOfPlay(DEAL, strain, seat) for strain in (Strain.CLUBS, Strain.NOTRUMP) for seat in SEATS]
    with PlayBatch([*leads, leads[0]], workers=1) as batch:
        figures = batch.result(30)
        assert batch.total == len(leads)
    (tricks,) = tables([DEAL])
    for line, (first,) in zip(leads, figures, strict=False):
        assert set(first) == set(DEAL[line.declarer.next])
        assert min(first.values()) == tricks[line.declarer, line.strain]


def test_a_card_that_nobody_could_play_is_refused_before_anything_is_solved() -> None:
    wrong = next(iter(DEAL[Seat.NORTH]))
    with pytest.raises(IllegalCard):
        LineOfPlay(DEAL, Strain.SPADES, Seat.NORTH, (wrong,))
    with pytest.raises(BadInput, match="not a line of play"):
        PlayBatch([DEAL])  # type: ignore[list-item]


def test_a_line_that_the_solver_refuses_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(solver, "WORKER_CODE", "import sys")
    line = LineOfPlay(DEAL, Strain.SPADES, Seat.NORTH, (Card.parse(str(next(iter(DEAL[Seat.EAST])))),))
    with PlayBatch([line], workers=1) as batch, pytest.raises(SolverFailed, match="The line of play"):
        batch.result(30)
