"""Doubts about results: far from double dummy, a slam that cannot be, a declarer of the wrong pair.

A suspicion is a question to the director, never a refusal: the result stands until someone changes it.
"""

from enum import Enum

from overtrick.bridge import Contract, Deal, Outcome, Played, Tricks
from overtrick.event import Session
from overtrick.event.place import Place
from overtrick.event.results import ResultRecorded, Suspicion

FAR = 5
"""Tricks from double dummy at which a result is looked at."""

SLAM_SHORT = 3
"""Tricks that a bid slam may lack double dummy and still be somebody's idea of a slam."""


class ResultDoubt(Enum):
    """Why a result looks wrong."""

    FAR_FROM_DOUBLE_DUMMY = "far from double dummy"
    IMPOSSIBLE_SLAM = "a slam that cannot be"
    WRONG_PAIR = "a declarer of the wrong pair"
    NO_TRUMPS = "hardly any trumps"
    LEAD_NOT_HELD = "the leader did not have the lead"


def doubts(
    outcome: Outcome, tricks: Tricks | None = None, deal: Deal | None = None, lead: str = ""
) -> tuple[ResultDoubt, ...]:
    """Return every doubt about an outcome, as far as the deal and its double dummy tricks are known.

    >>> made = Tricks.parse("65562655627777b7777b")
    >>> doubts(Outcome.parse("5CW="), made)
    ()
    >>> [doubt.name for doubt in doubts(Outcome.parse("6SN="), made)]
    ['FAR_FROM_DOUBLE_DUMMY', 'IMPOSSIBLE_SLAM']
    """
    if not isinstance(outcome, Played):
        return ()
    contract = outcome.contract
    found: list[ResultDoubt] = []
    if tricks is not None:
        best = tricks[contract.declarer, contract.strain]
        if abs(outcome.tricks - best) >= FAR:
            found.append(ResultDoubt.FAR_FROM_DOUBLE_DUMMY)
        if contract.level >= 6 and contract.target - best >= SLAM_SHORT:
            found.append(ResultDoubt.IMPOSSIBLE_SLAM)
        if _is_other_pairs(contract, outcome.tricks, tricks):
            found.append(ResultDoubt.WRONG_PAIR)
    if deal is not None:
        if _trumps(contract, deal) <= 3:
            found.append(ResultDoubt.NO_TRUMPS)
        if lead and all(card.value != lead for card in deal[contract.declarer.next]):
            found.append(ResultDoubt.LEAD_NOT_HELD)
    return tuple(found)


def _is_other_pairs(contract: Contract, won: int, tricks: Tricks) -> bool:
    """Return whether the result fits the opponents in the same strain and not the recorded side."""
    own = tricks[contract.declarer, contract.strain]
    other = max(tricks[seat, contract.strain] for seat in contract.side.opponents.seats)
    return won - own >= 3 and abs(won - other) <= 1


def _trumps(contract: Contract, deal: Deal) -> int:
    suit = contract.strain.suit
    if suit is None:
        return 13
    return sum(len(deal[seat].suit(suit)) for seat in contract.side.seats)


def doubts_about(session: Session, result: ResultRecorded) -> tuple[ResultDoubt, ...]:
    """Return everything that speaks against a standing result, as far as its deal and its tricks are known."""
    record = session.hands.of(session, result)
    if record is None or result.outcome is None:
        return ()
    return doubts(result.outcome, record.tricks, record.deal, result.lead.value if result.lead else "")


def reason_of(session: Session, place: Place) -> str:
    """Return why a result is marked as suspicious, in words; empty where only a person has doubts about it."""
    result = session.results.standing[place]
    if result.suspicion is not Suspicion.SUSPICIOUS:
        return ""
    return ", ".join(doubt.value for doubt in doubts_about(session, result))
