"""Doubts about results: far from double dummy, an impossible slam, a declarer of the wrong pair.

A doubt is a question to the director, never a refusal: the result stands until someone changes it. Pure.
"""

from enum import Enum

from overtrick.bridge import Contract, Deal, Outcome, Played, Tricks
from overtrick.event import Session
from overtrick.event.place import Place
from overtrick.event.results import ResultRecorded, Suspicion

FAR_TRICKS = 5
"""The smallest suspicious difference from double dummy, in tricks."""

SLAM_SHORT_TRICKS = 3
"""The smallest suspicious number of tricks by which a slam fails double dummy."""


class ResultDoubt(Enum):
    """A reason why a result looks wrong; the value is its text for the director."""

    FAR_FROM_DOUBLE_DUMMY = "far from double dummy"
    IMPOSSIBLE_SLAM = "impossible slam"
    WRONG_PAIR = "declarer of the wrong pair"
    NO_TRUMPS = "hardly any trumps"
    LEAD_NOT_HELD = "the leader did not hold the lead"


def doubts(
    outcome: Outcome, tricks: Tricks | None = None, deal: Deal | None = None, lead: str = ""
) -> tuple[ResultDoubt, ...]:
    """Return every doubt about an outcome, as far as the deal and its double dummy tricks are known.

    `lead` is the value of a card (`SA`), or empty.

    >>> tricks = Tricks.parse("65562655627777b7777b")
    >>> doubts(Outcome.parse("5CW="), tricks)
    ()
    >>> [doubt.name for doubt in doubts(Outcome.parse("6SN="), tricks)]
    ['FAR_FROM_DOUBLE_DUMMY', 'IMPOSSIBLE_SLAM']
    """
    if not isinstance(outcome, Played):
        return ()
    contract = outcome.contract
    reasons: list[ResultDoubt] = []
    if tricks is not None:
        best = tricks[contract.declarer, contract.strain]
        if abs(outcome.tricks - best) >= FAR_TRICKS:
            reasons.append(ResultDoubt.FAR_FROM_DOUBLE_DUMMY)
        if contract.level >= 6 and contract.target - best >= SLAM_SHORT_TRICKS:
            reasons.append(ResultDoubt.IMPOSSIBLE_SLAM)
        if _fits_opponents(contract, outcome.tricks, tricks):
            reasons.append(ResultDoubt.WRONG_PAIR)
    if deal is not None:
        if _trumps(contract, deal) <= 3:
            reasons.append(ResultDoubt.NO_TRUMPS)
        if lead and all(card.value != lead for card in deal[contract.declarer.next]):
            reasons.append(ResultDoubt.LEAD_NOT_HELD)
    return tuple(reasons)


def _fits_opponents(contract: Contract, won: int, tricks: Tricks) -> bool:
    """Return whether the tricks fit the opponents as declarers in the same strain, and not the recorded side."""
    own = tricks[contract.declarer, contract.strain]
    other = max(tricks[seat, contract.strain] for seat in contract.side.opponents.seats)
    return won - own >= 3 and abs(won - other) <= 1


def _trumps(contract: Contract, deal: Deal) -> int:
    suit = contract.strain.suit
    if suit is None:
        return 13
    return sum(len(deal[seat].suit(suit)) for seat in contract.side.seats)


def doubts_about(session: Session, result: ResultRecorded) -> tuple[ResultDoubt, ...]:
    """Return every doubt about a result of a session, by its hand record; none without a hand record."""
    record = session.hands.of(session, result)
    if record is None or result.outcome is None:
        return ()
    return doubts(result.outcome, record.tricks, record.deal, result.lead.value if result.lead else "")


def reason_of(session: Session, place: Place) -> str:
    """Return why a result is marked as suspicious, as text; empty if it is not, or if only a person marked it."""
    result = session.results.standing[place]
    if result.suspicion is not Suspicion.SUSPICIOUS:
        return ""
    return ", ".join(doubt.value for doubt in doubts_about(session, result))
