"""Recorded play: the contract and lead of a board before its result, and its calls and cards."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import TYPE_CHECKING

from overtrick.bridge import Card, Seat, parse_call
from overtrick.errors import BadInput
from overtrick.event.fact import Fact, fact
from overtrick.event.movement import RoundsSet, TableDropped
from overtrick.event.place import CommandAtBoard, FactAtBoard, Place
from overtrick.event.rejection import Problem, Reason, Rejection, reject
from overtrick.event.results import ResultRecorded, find_round, place_in_words
from overtrick.event.setup import SectionDropped

if TYPE_CHECKING:
    from overtrick.event.session import Session

SKIPPED = "SkipBid"
"""The text that is recorded for a call that nobody saw."""


def call_text(text: str) -> str:
    """Return a recorded call as `bridge` prints it, or `SKIPPED`; raise BadInput if it is not a call.

    >>> call_text("3NT"), call_text("PASS"), call_text("SkipBid")
    ('3NT', 'Pass', 'SkipBid')
    """
    return SKIPPED if text.casefold() == SKIPPED.casefold() else str(parse_call(text))


def card_text(text: str) -> str:
    """Return a recorded card as `bridge` prints it, or `Hx` for a small heart; raise BadInput if it is not a card.

    >>> card_text("ST"), card_text("Hx")
    ('ST', 'Hx')
    """
    if len(text) == 2 and text[0].upper() in "CDHS" and text[1] in "xX":
        return f"{text[0].upper()}x"
    return str(Card.parse(text).value)


# Facts ------------------------------------------------------------------------------------------------------


@fact("contract-recorded")
class ContractRecorded(FactAtBoard):
    """The contract and the lead of a board that is still being played."""

    ns: int
    ew: int
    contract: str
    """As `bridge.Contract` prints it, or `Pass`."""
    lead: Card | None
    at: datetime


@fact("call-recorded")
class CallRecorded(FactAtBoard):
    """A call of a recorded auction, or its removal (`is_erased`); `counter` is its number in the auction."""

    counter: int
    seat: Seat
    call: str
    is_erased: bool
    at: datetime


@fact("card-recorded")
class CardRecorded(FactAtBoard):
    """A card of a recorded play, or its removal (`is_erased`); `Sx` is a small spade."""

    counter: int
    seat: Seat
    card: str
    is_erased: bool
    at: datetime


@dataclass(frozen=True, slots=True)
class EnterContract(CommandAtBoard):
    """Record the contract of a board before its result."""

    contract: str
    at: datetime
    lead: Card | None = None
    incarnation: int | None = None


@dataclass(frozen=True, slots=True)
class RecordCall(CommandAtBoard):
    """Record a call of an auction, or remove it."""

    counter: int
    seat: Seat
    call: str
    at: datetime
    is_erased: bool = False


@dataclass(frozen=True, slots=True)
class RecordCard(CommandAtBoard):
    """Record a card of the play, or remove it."""

    counter: int
    seat: Seat
    card: str
    at: datetime
    is_erased: bool = False


# State ------------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class Recording:
    """The contracts, calls and cards recorded for boards, by place."""

    contracts: dict[Place, ContractRecorded] = field(default_factory=dict)
    """Of boards without a result."""
    calls: dict[tuple[Place, int], CallRecorded] = field(default_factory=dict)
    """By place and counter, like the cards."""
    cards: dict[tuple[Place, int], CardRecorded] = field(default_factory=dict)

    def copy(self) -> Recording:
        """Return a copy that can be changed independently."""
        return Recording(dict(self.contracts), dict(self.calls), dict(self.cards))


def apply(recording: Recording, fact: Fact) -> None:
    """Apply one fact to the recorded play, in place."""
    match fact:
        case ResultRecorded():
            recording.contracts.pop(fact.place, None)
        case ContractRecorded():
            recording.contracts[fact.place] = fact
        case CallRecorded():
            call = fact.place, fact.counter
            if fact.is_erased:
                recording.calls.pop(call, None)
            else:
                recording.calls[call] = fact
        case CardRecorded():
            card = fact.place, fact.counter
            if fact.is_erased:
                recording.cards.pop(card, None)
            else:
                recording.cards[card] = fact
        case RoundsSet():
            _forget(
                recording, lambda place: place[:2] == (fact.section, fact.table) and place[2] >= fact.first
            )
        case TableDropped():
            _forget(recording, lambda place: place[:2] == (fact.section, fact.table))
        case SectionDropped():
            _forget(recording, lambda place: place[0] == fact.section)


def _forget(recording: Recording, is_removed: Callable[[Place], bool]) -> None:
    for place in [place for place in recording.contracts if is_removed(place)]:
        del recording.contracts[place]
    for recorded in (recording.calls, recording.cards):
        for key in [key for key in recorded if is_removed(key[0])]:
            del recorded[key]


# Rules ------------------------------------------------------------------------------------------------------


def enter_contract(session: Session, command: EnterContract) -> tuple[Fact, ...] | Rejection:
    """Decide about a contract; rejected if the board has a result."""
    place = command.place
    round_ = find_round(session, place)
    if isinstance(round_, Problem):
        return Rejection((round_,))
    if place in session.results.standing:
        return reject(Reason.STALE, "The board has a result already.", place_in_words(*place))
    recorded = ContractRecorded(*place, round_.ns, round_.ew, command.contract, command.lead, command.at)
    stored = session.recording.contracts.get(place)
    if stored is not None and replace(stored, at=command.at) == recorded:
        return ()
    return (recorded,)


def record_call(session: Session, command: RecordCall) -> tuple[Fact, ...] | Rejection:
    """Decide about a recorded call."""
    place = command.place
    round_ = find_round(session, place)
    if isinstance(round_, Problem):
        return Rejection((round_,))
    try:
        call = call_text(command.call)
    except BadInput as error:
        return reject(Reason.NOT_ALLOWED, str(error), place_in_words(*place))
    return (CallRecorded(*place, command.counter, command.seat, call, command.is_erased, command.at),)


def record_card(session: Session, command: RecordCard) -> tuple[Fact, ...] | Rejection:
    """Decide about a recorded card."""
    place = command.place
    round_ = find_round(session, place)
    if isinstance(round_, Problem):
        return Rejection((round_,))
    try:
        card = card_text(command.card)
    except BadInput as error:
        return reject(Reason.NOT_ALLOWED, str(error), place_in_words(*place))
    return (CardRecorded(*place, command.counter, command.seat, card, command.is_erased, command.at),)
