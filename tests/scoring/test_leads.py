"""Opening leads and recorded plays: what they cost, and nothing about cards that are not known."""

import random
from dataclasses import replace

import pytest

from overtrick.bridge import Card, Deal, Outcome, Played, Seat, Side, Strain
from overtrick.doubledummy import LineOfPlay
from overtrick.doubledummy.lines import PlayFigures
from overtrick.scoring import Contestant, Line, score
from overtrick.scoring.leads import (
    cost,
    lead_costs,
    lead_line,
    lines_to_solve,
    opening_leads,
    recorded_line,
    table_plays,
)
from overtrick.scoring.report import RecordedPlay, Report, ReportDeal

DEAL = Deal.dealt_by(random.Random(5))
LEADS = sorted(DEAL[Seat.WEST], key=lambda card: card.index)  # against a contract of South


def line(number: int, outcome: str, lead: str = "", version: str = "") -> Line:
    pairs = Contestant("A", number), Contestant("A", number + 10)
    return Line(
        1, *pairs, Outcome.parse(outcome), section="A", table=number, round=1, lead=lead, version=version
    )


def board(*lines: Line, plays: dict[tuple[str, int, int, int], RecordedPlay] | None = None) -> Report:
    return Report("Leads", score(lines), hands={("", 1): ReportDeal(DEAL)}, plays=plays or {})


def figures_of(best: int) -> PlayFigures:
    """Figures in which the first lead is best, and each of the others costs one trick more than the one before."""
    return ({card: best + place for place, card in enumerate(LEADS)},)


def test_a_lead_costs_what_declarer_gains_against_the_best_one() -> None:
    report = board(
        line(1, "3NTS=", LEADS[0].value), line(2, "1NTS+3", LEADS[2].value), line(3, "3NTS+1", LEADS[2].value)
    )
    (traveller,) = report.scored.travellers
    (position,) = lines_to_solve(report, traveller)
    assert position == LineOfPlay(DEAL, Strain.NOTRUMP, Seat.SOUTH)
    figures = {position: figures_of(7)}
    assert [
        (lead.lead, lead.times, lead.tricks, lead.cost) for lead in opening_leads(report, traveller, figures)
    ] == [
        (LEADS[0], 1, 7, 0),
        (LEADS[2], 2, 9, 2),
    ]
    assert list(lead_costs(report, traveller, figures).values()) == [0, 2, 2]
    assert opening_leads(report, traveller, {}) == []
    assert opening_leads(report, traveller, {position: ()}) == [], "the solver failed"


@pytest.mark.parametrize(
    "unknown",
    [
        line(1, "3NTS="),
        line(1, "3NTS=", "Hx"),
        line(1, "3NTS=", next(iter(DEAL[Seat.EAST])).value),
        line(1, "Pass"),
        line(1, "60-40", LEADS[0].value),
        line(1, "3NTS=", LEADS[0].value, version="turned"),
    ],
    ids=["no lead", "a small card", "not in the hand", "passed out", "an award", "a fouled board"],
)
def test_a_lead_that_is_not_known_is_not_solved(unknown: Line) -> None:
    assert lead_line(board(unknown), unknown) is None


def test_without_the_deal_nothing_is_solved() -> None:
    lead = line(1, "3NTS=", LEADS[0].value)
    assert lead_line(replace(board(lead), hands={}), lead) is None


def test_each_side_pays_for_its_own_cards() -> None:
    figures = {Card.SA: 9, Card.SK: 10}
    assert cost(figures, Card.SA, is_declarer=True) == 1
    assert cost(figures, Card.SA, is_declarer=False) == 0


def recording(report: Report, most: int) -> RecordedPlay:
    """The first legal cards, and then one that nobody saw."""
    played = LineOfPlay(DEAL, Strain.NOTRUMP, Seat.SOUTH)
    cards: list[tuple[Seat, str]] = []
    while len(cards) < most:
        turn = played.play.turn
        assert turn is not None
        card = min(played.play.legal_cards(), key=lambda each: each.index)
        cards.append((turn, card.value))
        played = LineOfPlay(DEAL, Strain.NOTRUMP, Seat.SOUTH, (*played.cards, card))
    return RecordedPlay(((Seat.NORTH, "1NT"), (Seat.EAST, "SkipBid")), (*cards, (Seat.EAST, "Hx")))


def test_a_recorded_play_is_solved_up_to_the_first_card_that_is_not_known() -> None:
    one = line(1, "3NTS=", LEADS[0].value)
    report = board(one)
    report = replace(report, plays={one.key: recording(report, 6)})
    legal = recorded_line(report, one)
    assert legal is not None
    assert len(legal.cards) == 6
    (traveller,) = report.scored.travellers
    assert lines_to_solve(report, traveller) == [LineOfPlay(DEAL, Strain.NOTRUMP, Seat.SOUTH), legal]
    # Every card but the lead was the best; the lead gave a trick.
    solved = tuple(
        {card: 8, **({other: 7 for other in LEADS if other is not card} if place == 0 else {})}
        for place, card in enumerate(legal.cards)
    )
    (play,) = table_plays(report, traveller, {legal: solved})
    assert [[card.cost for card in trick.cards] for trick in play.tricks] == [[1, 0, 0, 0], [0, 0, None]]
    assert [card.seat for card in play.tricks[0].cards if card.is_winner] == [legal.play.winners()[0]]
    assert play.auction == (("", "1NT", "SkipBid", ""),)
    assert play.data is not None
    assert play.data["cards"] == [card.value for card in legal.cards]
    assert play.data["figures"][0][LEADS[1].value] == 7
    assert isinstance(one.outcome, Played)
    assert one.outcome.contract.side is Side.NS


def test_a_recorded_play_without_the_deal_is_a_table_without_figures() -> None:
    one = line(1, "3NTS=")
    report = replace(board(one, plays={one.key: recording(board(one), 4)}), hands={})
    (traveller,) = report.scored.travellers
    (play,) = table_plays(report, traveller, {})
    assert play.data is None
    assert [card.cost for card in play.tricks[0].cards] == [None] * 4
    assert lines_to_solve(report, traveller) == []
