"""The par score: the result of a board if both sides bid and play perfectly with all cards in sight.

The auction is a game of two sides that bid in turn; its value is computed by backward induction from 7NT. It needs a
table of tricks, which the solver computes first if a deal is given.
"""

from dataclasses import dataclass

from overtrick.bridge import (
    BIDS,
    Bid,
    Contract,
    Deal,
    Doubling,
    PassedOut,
    Played,
    Seat,
    Side,
    Tricks,
    Vulnerability,
)


@dataclass(frozen=True, slots=True)
class Par:
    """The par score in points for North-South, and the outcomes that reach it.

    If several levels of a strain score the same, only the lowest is listed after which the opponents have nothing
    better to bid: 3NT with an overtrick, not 4NT. `str` writes PBN's OptimumScore: NS 420.
    """

    score: int
    outcomes: tuple[Played | PassedOut, ...]

    def __str__(self) -> str:
        return f"EW {-self.score}" if self.score < 0 else f"NS {self.score}"


def par(tricks: Tricks | Deal, dealer: Seat, vulnerability: Vulnerability) -> Par:
    """Return par for a table of tricks, or for a deal, which is solved first.

    >>> result = par(Tricks.parse("65562655627777b7777b"), Seat.NORTH, Vulnerability.NONE)
    >>> str(result), [str(outcome) for outcome in result.outcomes]
    ('EW 400', ['5CE=', '5CW='])
    """
    if isinstance(tricks, Deal):
        from overtrick.doubledummy.solver import double_dummy

        tricks = double_dummy(tricks)
    # final: the score if the auction ends with that bid of a side; value: the score if both then bid on at their best.
    final = {side: [_score(tricks, side, bid, vulnerability) for bid in BIDS] for side in Side}
    value: dict[Side, list[int]] = {side: [0] * len(BIDS) for side in Side}
    for place in reversed(range(len(BIDS))):
        for side in Side:
            overcalls = value[side.opponents][place + 1 :]
            value[side][place] = _best(side.opponents, [final[side][place], *overcalls])
    # From the last seat to call back to the dealer: each may open, or pass and leave the value to the seats after it.
    opening = 0
    for seat in (dealer.previous, dealer.partner, dealer.next, dealer):
        opening = _best(seat.side, [opening, *value[seat.side]])
    if opening == 0:
        return Par(0, (PassedOut(),))
    par_bids: dict[tuple[Side, int], Bid] = {}
    for place, bid in enumerate(BIDS):
        for side in Side:
            # A bid is listed if no higher bid of the opponents scores better for them.
            best_reply = _best(side.opponents, [opening, *final[side.opponents][place + 1 :]])
            if final[side][place] == best_reply == opening:
                par_bids.setdefault((side, bid.strain), bid)
    return Par(
        opening,
        tuple(outcome for (side, _), bid in par_bids.items() for outcome in _outcomes(tricks, side, bid)),
    )


def _best(side: Side, scores: list[int]) -> int:
    return max(scores) if side is Side.NS else min(scores)


def _outcomes(tricks: Tricks, side: Side, bid: Bid) -> list[Played]:
    """Return the outcomes of a side's bid, by the seats that win most tricks; a bid that goes down is doubled."""
    most = max(tricks[seat, bid.strain] for seat in side.seats)
    doubling = Doubling.UNDOUBLED if most >= bid.level + 6 else Doubling.DOUBLED
    return [
        Played(Contract(bid.level, bid.strain, doubling, seat), most)
        for seat in side.seats
        if tricks[seat, bid.strain] == most
    ]


def _score(tricks: Tricks, side: Side, bid: Bid, vulnerability: Vulnerability) -> int:
    return _outcomes(tricks, side, bid)[0].ns_score(vulnerability)
