"""An evening that is over, with leads at every table, and an auction and a play that were recorded at one."""

import random
from datetime import timedelta

from overtrick.bridge import Card, Outcome, Played, Seat
from overtrick.bridge.play import Play
from overtrick.event import Session
from overtrick.event.place import Place
from overtrick.event.recording import RecordCall, RecordCard
from overtrick.event.results import EnterResult, ResultEntry
from tests.web.running import OUTCOMES, STARTS, Running

CALLS = ("1NT", "Pass", "3NT", "Pass", "Pass", "Pass")


def cards_of(session: Session, place: Place, outcome: Played, most: int = 52) -> list[tuple[Seat, Card]]:
    """A play in which everyone plays any legal card."""
    group = session.setup.sections[place[0]].group
    play = Play(session.hands.records[group, place[3]].deal, outcome.contract)
    chance = random.Random(place[3])
    cards: list[tuple[Seat, Card]] = []
    while len(cards) < most and (turn := play.turn) is not None:
        card = chance.choice(sorted(play.legal_cards(), key=str))
        cards.append((turn, card))
        play = play.add(card)
    return cards


def finish(pages: Running, guid: str, boards: int | None = None) -> None:
    """Score every board, or the first ones, at every table, each with the lead."""
    session = pages.session(guid)
    for (section, table), at in sorted(session.movement.tables.items()):
        for number, played in enumerate(at.rounds, start=1):
            for board in played.boards if played.ns and played.ew else ():
                place = section, table, number, board
                if place in session.results.standing or (boards is not None and board > boards):
                    continue
                outcome = Outcome.parse(OUTCOMES[(table * 3 + board) % len(OUTCOMES)])
                is_known = bool(session.hands.records)
                lead = None
                if is_known and isinstance(outcome, Played):
                    lead = cards_of(session, place, outcome, 1)[0][1]
                at_time = STARTS + timedelta(minutes=number)
                pages.do(EnterResult(guid, ResultEntry(*place, outcome, at_time, lead=lead)))


def record(pages: Running, guid: str, place: Place, outcome: Played, most: int = 52) -> list[Card]:
    """Record an auction and a play of a board; the cards."""
    seats = [Seat.SOUTH, Seat.WEST, Seat.NORTH, Seat.EAST, Seat.SOUTH, Seat.WEST]
    for counter, (seat, call) in enumerate(zip(seats, CALLS, strict=True), 1):
        pages.do(RecordCall(guid, *place, counter, seat, call, STARTS))
    cards = cards_of(pages.session(guid), place, outcome, most)
    for counter, (seat, card) in enumerate(cards, 1):
        pages.do(RecordCard(guid, *place, counter, seat, card.value, STARTS))
    return [card for _, card in cards]
