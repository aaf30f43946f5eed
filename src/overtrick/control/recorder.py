"""Recording a board as it happens: its auction call by call, its play card by card.

Every call and card is sent at once, and one that is taken back is sent as erased. Only what the laws allow is taken,
and, where the recording is validated, only cards that the player holds.
"""

from dataclasses import replace
from datetime import datetime

from overtrick.bridge import Auction, Card, Deal, PassedOut, Play, Played, dealer, parse_call
from overtrick.control import inputs
from overtrick.control.entry import contract_of, give_result, leader_has, to_lead
from overtrick.control.machine import Machine, Stage
from overtrick.event.recording import RecordCall, RecordCard
from overtrick.event.settings import LeadEntry


def auction_of(machine: Machine) -> Auction:
    """The auction as far as it is recorded."""
    draft = machine.draft
    return Auction(dealer(draft.board), (parse_call(call) for call in draft.calls))


def play_of(machine: Machine) -> Play:
    """The play as far as it is recorded; the hands are known where the recording is validated."""
    draft = machine.draft
    deal = (machine.known.deals or {}).get(draft.board) if machine.rules.validate_recording else None
    hands = Deal.parse(deal) if deal else None
    return Play(hands, contract_of(draft), (Card(card) for card in draft.cards))


def _place(machine: Machine) -> tuple[str, str, int, int, int]:
    known = machine.known
    return known.session, known.section, known.table, machine.round, machine.draft.board


def give_call(machine: Machine, key: inputs.MakeCall, at: datetime) -> None:
    """The next call; the last one makes the contract."""
    auction = auction_of(machine)
    seat = auction.turn
    if seat is None or not auction.is_legal(key.call):
        machine.tell("illegal-call")
        return
    machine.emit(RecordCall(*_place(machine), len(auction) + 1, seat, str(key.call), at))
    auction = auction.add(key.call)
    machine.draft = replace(machine.draft, calls=(*machine.draft.calls, str(key.call)))
    contract = auction.contract
    if not auction.is_over:
        return
    if contract is None:
        machine.draft = replace(machine.draft, outcome=str(PassedOut()))
        machine.go(Stage.VERIFY)
        return
    machine.draft = replace(
        machine.draft,
        level=contract.level,
        strain=int(contract.strain),
        doubling=int(contract.doubling),
        declarer=contract.declarer,
    )
    to_lead(machine, at)


def take_back_call(machine: Machine, key: inputs.Cancel, at: datetime) -> None:
    """The last call was not that; without one, another board."""
    calls = machine.draft.calls
    if not calls:
        machine.drop_draft()
        machine.go(Stage.BOARD)
        return
    seat = auction_of(machine).caller(len(calls) - 1)
    machine.emit(RecordCall(*_place(machine), len(calls), seat, calls[-1], at, is_erased=True))
    machine.draft = replace(machine.draft, calls=calls[:-1])


def give_card(machine: Machine, key: inputs.PlayCard, at: datetime) -> None:
    """The next card; after the last one the tricks are known."""
    play = play_of(machine)
    seat, is_first = play.turn, not machine.draft.cards
    if seat is None or play.fault(key.card) or (is_first and not leader_has(machine, key.card)):
        machine.tell("illegal-card", card=key.card.value)
        return
    machine.emit(RecordCard(*_place(machine), len(machine.draft.cards) + 1, seat, key.card.value, at))
    draft = replace(machine.draft, cards=(*machine.draft.cards, key.card.value))
    if is_first and machine.rules.lead_entry is not LeadEntry.NEVER:
        draft = replace(draft, lead=key.card.value)
    machine.draft = draft
    play = play.add(key.card)
    if play.is_over:
        contract = contract_of(draft)
        outcome = Played(contract, play.tricks_won(contract.side))
        machine.draft = replace(draft, outcome=str(outcome))
        machine.go(Stage.VERIFY)


def take_back_card(machine: Machine, key: inputs.Cancel, at: datetime) -> None:
    """The last card was not that; without one, another contract."""
    cards = machine.draft.cards
    if not cards:
        machine.go(Stage.CONTRACT)
        return
    last = play_of(machine).tricks[-1]
    seat = last.player(Card(cards[-1]))
    machine.emit(RecordCard(*_place(machine), len(cards), seat, cards[-1], at, is_erased=True))
    lead = machine.draft.lead if len(cards) > 1 else ""
    machine.draft = replace(machine.draft, cards=cards[:-1], lead=lead)


def claim(machine: Machine, key: inputs.Result, at: datetime) -> None:
    """The rest is claimed: the result as it is entered, once something has been led where leads are asked for."""
    if machine.rules.lead_entry is not LeadEntry.NEVER and not machine.draft.cards:
        machine.tell("impossible-result")
        return
    give_result(machine, key, at)
