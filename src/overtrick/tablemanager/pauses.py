"""The calls after which the table pauses for a manual alert: the document's list. Pure: no I/O."""

from overtrick.bridge import DOUBLE, PASS, Auction, Bid, Call, Strain

MINORS = (Strain.CLUBS, Strain.DIAMONDS)


def needs_pause(auction: Auction, *, inverted_minors: bool = False, negative_doubles: bool = False) -> bool:
    """Return whether the operator has to be asked after the last call of an auction.

    >>> from overtrick.bridge import Seat, parse_call
    >>> def asked(text: str) -> bool:
    ...     return needs_pause(Auction(Seat.NORTH, map(parse_call, text.split())))
    >>> asked("Pass 1D Pass 1S"), asked("2C"), asked("1S 2C X"), asked("1S 2C Pass")
    (False, True, True, True)
    """
    calls = auction.calls
    if not calls:
        return False
    if calls[-1] is PASS:
        return _is_informative_pass(calls)
    first = next(place for place, call in enumerate(calls) if call is not PASS)
    return not _is_on_list(calls[first:], inverted_minors, negative_doubles)


def _is_informative_pass(calls: tuple[Call, ...]) -> bool:
    """Return whether the last pass is informative: Z - (Z) - pass, or Z - (?) - ? - (Z) - pass."""
    if len(calls) < 3 or calls[-2] is PASS:
        return False
    return calls[-3] is not PASS or (len(calls) >= 5 and calls[-5] is not PASS)


def _suit_bid(call: Call, level: int) -> Strain | None:
    if isinstance(call, Bid) and call.level == level and call.strain is not Strain.NOTRUMP:
        return call.strain
    return None


def _is_notrump(call: Call, level: int) -> bool:
    return isinstance(call, Bid) and call == Bid(level, Strain.NOTRUMP)


def _is_on_list(calls: tuple[Call, ...], inverted_minors: bool, negative_doubles: bool) -> bool:
    """Return whether the document lists this auction as one that needs no alert.

    The comments use the document's notation: X and Y are suits, calls in brackets are the opponents', NB is a pass.
    """
    opening = _suit_bid(calls[0], 1)
    if opening is None:
        return len(calls) == 1 and _is_notrump(calls[0], 1)
    match calls[1:]:
        case ():  # 1X
            return True
        case (overcall,):  # (1Y) - 2X, (1X) - Dbl
            suit = _suit_bid(overcall, 2)
            return overcall is DOUBLE or (suit is not None and suit < opening)
        case (between, answer):
            if _is_answer_on_list(opening, between, answer):
                return True
            raised = _suit_bid(answer, 2) is opening  # 1X - (NB or 1Y or 1N) - 2X
            if raised and not (inverted_minors and opening in MINORS):
                return between is PASS or _suit_bid(between, 1) is not None or _is_notrump(between, 1)
            # The document's 1X - (NB) - (1Y) - Dbl has two opponents in a row: the overcall is meant.
            return answer is DOUBLE and _suit_bid(between, 1) is not None and not negative_doubles
        case (overcall, between, answer):  # (1X) - 1Y - (NB) - 2Y
            suit = _suit_bid(overcall, 1)
            raised = suit is not None and between is PASS and _suit_bid(answer, 2) is suit
            return raised and not (inverted_minors and suit in MINORS)
    return False


def _is_answer_on_list(opening: Strain, between: Call, answer: Call) -> bool:
    at_one, at_two = _suit_bid(answer, 1), _suit_bid(answer, 2)
    if between is PASS:  # 1X - (NB) - 1Y, 1Y - (NB) - 2X
        return at_one is not None or (at_two is not None and at_two < opening)
    if between is DOUBLE or _suit_bid(between, 1) is not None:  # 1B or 1N after (1Y), 1Y or 1N after (Dbl)
        return at_one is not None or _is_notrump(answer, 1)
    return False
