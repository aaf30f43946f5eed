"""Opening leads and recorded plays, card by card, with their double dummy figures. Pure: the figures are passed in."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from overtrick.bridge import SEATS, Card, Deal, Play, Played, Seat, Side, Strain
from overtrick.bridge.play import IllegalCard
from overtrick.doubledummy.lines import LineOfPlay, PlayFigures
from overtrick.errors import BadInput
from overtrick.scoring.lines import Line
from overtrick.scoring.report import RecordedPlay, Report
from overtrick.scoring.session import ScoredTraveller

FiguresOf = Callable[[Sequence[LineOfPlay]], Mapping[LineOfPlay, PlayFigures]]
"""A function that returns the figures that are known of some lines of play; those of others may be known later."""


def read_card(text: str) -> Card | None:
    """Return the card that a text names; None if it names none, or only a suit.

    >>> read_card("H10"), read_card("Hx")
    (<Card.HT: 'HT'>, None)
    """
    try:
        return Card.parse(text)
    except BadInput:
        return None


def lead_line(report: Report, line: Line) -> LineOfPlay | None:
    """Return the position before the opening lead of a result; None if the lead or the deal is not known.

    None also for a fouled board, because the cards at its tables may differ from the hand record.
    """
    record, outcome, lead = report.hands.get(line.traveller), line.outcome, read_card(line.lead)
    if record is None or not isinstance(outcome, Played) or line.version:
        return None
    contract = outcome.contract
    if lead is None or lead not in record.deal[contract.declarer.next]:
        return None
    return LineOfPlay(record.deal, contract.strain, contract.declarer)


def recorded_line(report: Report, line: Line) -> LineOfPlay | None:
    """Return the recorded cards of a result up to the first illegal one; None for none, and on a fouled board."""
    record, recorded, outcome = report.hands.get(line.traveller), report.plays.get(line.key), line.outcome
    if record is None or recorded is None or not isinstance(outcome, Played) or line.version:
        return None
    contract = outcome.contract
    play = Play(record.deal, contract)
    for seat, text in recorded.cards:
        card = read_card(text)
        if card is None or seat is not play.turn:
            break
        try:
            play = play.add(card)
        except IllegalCard:
            break
    return LineOfPlay(record.deal, contract.strain, contract.declarer, play.cards) if play.cards else None


def lines_to_solve(report: Report, traveller: ScoredTraveller) -> list[LineOfPlay]:
    """Return the lines of play on a board for which figures are published: each lead's position, and recorded plays."""
    lines_of_play: dict[LineOfPlay, None] = {}
    for scored in traveller.lines:
        for line_of_play in (lead_line(report, scored.line), recorded_line(report, scored.line)):
            if line_of_play is not None:
                lines_of_play[line_of_play] = None
    return list(lines_of_play)


def cost(figures: Mapping[Card, int], card: Card, *, is_declarer: bool) -> int:
    """Return the number of tricks that a card cost the side that played it.

    >>> cost({Card.SA: 9, Card.S2: 10}, Card.S2, is_declarer=False)
    1
    """
    if is_declarer:
        return max(figures.values()) - figures[card]
    return figures[card] - min(figures.values())


@dataclass(frozen=True, slots=True)
class OpeningLead:
    """A lead against a strain and a declarer, with its frequency and its cost; both figures are declarer's tricks."""

    strain: Strain
    declarer: Seat
    lead: Card
    times: int
    tricks: int
    """After this lead."""
    least: int
    """After the best lead."""
    best: tuple[Card, ...]

    @property
    def cost(self) -> int:
        """Return the tricks that the lead cost the defenders."""
        return self.tricks - self.least

    @property
    def best_words(self) -> str:
        """Return the best leads, suit by suit, high cards first.

        >>> OpeningLead(Strain.HEARTS, Seat.SOUTH, Card.S2, 1, 9, 8, (Card.DK, Card.SA, Card.SK)).best_words
        '♠AK ♦K'
        """
        suits: dict[str, str] = {}
        for card in sorted(self.best, key=lambda card: (card.suit, card.rank), reverse=True):
            suits[card.suit.symbol] = suits.get(card.suit.symbol, "") + card.rank.symbol
        return " ".join(f"{suit}{ranks}" for suit, ranks in suits.items())


def opening_leads(
    report: Report, traveller: ScoredTraveller, figures: Mapping[LineOfPlay, PlayFigures]
) -> list[OpeningLead]:
    """Return the leads of a board whose figures are known: by declarer and strain, the cheapest first."""
    times: dict[tuple[LineOfPlay, Card], int] = {}
    for scored in traveller.lines:
        position, lead = lead_line(report, scored.line), read_card(scored.line.lead)
        if position is not None and lead is not None and figures.get(position):
            times[position, lead] = times.get((position, lead), 0) + 1
    leads = []
    for (position, lead), count in times.items():
        tricks_after = figures[position][0]
        least = min(tricks_after.values())
        best = tuple(card for card, tricks in tricks_after.items() if tricks == least)
        leads.append(
            OpeningLead(position.strain, position.declarer, lead, count, tricks_after[lead], least, best)
        )
    leads.sort(key=lambda lead: (-lead.strain, lead.declarer.index, lead.cost, -lead.times, lead.lead.index))
    return leads


def lead_costs(
    report: Report, traveller: ScoredTraveller, figures: Mapping[LineOfPlay, PlayFigures]
) -> dict[tuple[str, int, int, int], int]:
    """Return the tricks that each lead of a board cost, by the key of its line, where the figures are known."""
    costs = {}
    for scored in traveller.lines:
        position, lead = lead_line(report, scored.line), read_card(scored.line.lead)
        if position is not None and lead is not None and figures.get(position):
            costs[scored.line.key] = cost(figures[position][0], lead, is_declarer=False)
    return costs


@dataclass(frozen=True, slots=True)
class PlayedCard:
    """A card of a recorded play; `cost` is the tricks that it cost its side, None if the figures are not known."""

    seat: Seat
    text: str
    cost: int | None = None
    is_winner: bool = False


@dataclass(frozen=True, slots=True)
class PlayedTrick:
    """A trick of a recorded play, which may be incomplete, in the order of play."""

    number: int
    cards: tuple[PlayedCard, ...]

    def card(self, seat: Seat) -> PlayedCard | None:
        """Return the card of a seat."""
        return next((card for card in self.cards if card.seat is seat), None)


@dataclass(frozen=True, slots=True)
class TablePlay:
    """The recorded auction and play of a board at one table, for a page."""

    line: Line
    recorded: RecordedPlay
    tricks: tuple[PlayedTrick, ...]
    auction: tuple[tuple[str, ...], ...]
    """The calls in rows from West to South; empty before the dealer's first call."""
    data: dict[str, Any] | None
    """The data of the hand viewer, in JSON's types; None if the deal or the cards are not known."""


def table_plays(
    report: Report, traveller: ScoredTraveller, figures: Mapping[LineOfPlay, PlayFigures]
) -> list[TablePlay]:
    """Return the recorded auctions and plays of a board, in the order of the traveller."""
    plays = []
    for scored in traveller.lines:
        line = scored.line
        recorded = report.plays.get(line.key)
        if recorded is None:
            continue
        legal_line = recorded_line(report, line)
        solved = figures.get(legal_line) if legal_line else None
        plays.append(
            TablePlay(
                line,
                recorded,
                tuple(_tricks(recorded, line, legal_line, solved)),
                tuple(auction_rows(recorded.calls)),
                viewer_data(legal_line, solved) if legal_line is not None else None,
            )
        )
    return plays


def _tricks(
    recorded: RecordedPlay, line: Line, legal_line: LineOfPlay | None, solved: PlayFigures | None
) -> Iterator[PlayedTrick]:
    winners: Sequence[Seat] = legal_line.play.winners() if legal_line else ()
    declaring_side = line.outcome.contract.declarer.side if isinstance(line.outcome, Played) else Side.NS
    for first in range(0, len(recorded.cards), 4):
        number = first // 4
        winner = winners[number] if number < len(winners) else None
        cards = []
        for index, (seat, text) in enumerate(recorded.cards[first : first + 4], first):
            card, tricks_lost = read_card(text), None
            if solved and legal_line and index < len(legal_line.cards) and card is not None:
                tricks_lost = cost(solved[index], card, is_declarer=seat.side is declaring_side)
            cards.append(PlayedCard(seat, text, tricks_lost, seat is winner))
        yield PlayedTrick(number + 1, tuple(cards))


def auction_rows(calls: Sequence[tuple[Seat, str]]) -> Iterator[tuple[str, ...]]:
    """Yield the calls of an auction in rows from West to South.

    >>> list(auction_rows([(Seat.NORTH, "1S"), (Seat.EAST, "Pass"), (Seat.SOUTH, "2S"), (Seat.WEST, "Pass")]))
    [('', '1S', 'Pass', '2S'), ('Pass', '', '', '')]
    """
    columns = (Seat.WEST, Seat.NORTH, Seat.EAST, Seat.SOUTH)
    row: dict[Seat, str] = {}
    last = -1
    for seat, call in calls:
        place = columns.index(seat)
        if place <= last:
            yield tuple(row.get(column, "") for column in columns)
            row = {}
        row[seat], last = call, place
    if row:
        yield tuple(row.get(column, "") for column in columns)


def viewer_data(line: LineOfPlay, solved: PlayFigures | None) -> dict[str, Any]:
    """Return the data of the hand viewer, in JSON's types."""
    return {
        "hands": {seat.value: _cards(line.deal, seat) for seat in SEATS},
        "declarer": line.declarer.value,
        "trump": line.strain.suit.letter if line.strain.suit is not None else "",
        "cards": [card.value for card in line.cards],
        "figures": [{card.value: tricks for card, tricks in position.items()} for position in solved or ()],
    }


def _cards(deal: Deal, seat: Seat) -> list[str]:
    return [card.value for card in sorted(deal[seat], key=lambda card: (card.suit, card.rank), reverse=True)]
