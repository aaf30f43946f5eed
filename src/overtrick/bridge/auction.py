"""Auctions by the laws: legal calls, the turn to call, the end and the final contract. Pure: independent of hands."""

from collections.abc import Iterable

from overtrick.bridge.call import BIDS, DOUBLE, PASS, REDOUBLE, Bid, Call
from overtrick.bridge.contract import Contract, Doubling
from overtrick.bridge.seat import SEATS, Seat
from overtrick.errors import BadInput


class IllegalCall(BadInput):
    """A call that the laws do not allow at that point."""

    code = "illegal-call"


class Auction:
    """The calls of an auction so far, immutable; `add` returns a longer one. Raises IllegalCall for an illegal call.

    >>> from overtrick.bridge.call import parse_call
    >>> auction = Auction(Seat.NORTH)
    >>> for text in ("1S", "X", "4S", "Pass", "Pass", "X", "Pass", "Pass", "Pass"):
    ...     auction = auction.add(parse_call(text))
    >>> auction.is_over, str(auction.contract)
    (True, '4SxN')
    """

    __slots__ = ("_bid_at", "_doubled_at", "_doubling", "_passes", "calls", "dealer")

    dealer: Seat
    calls: tuple[Call, ...]

    def __init__(self, dealer: Seat, calls: Iterable[Call] = ()) -> None:
        self._fill(dealer, (), -1, -1, Doubling.UNDOUBLED, 0)
        # Each call is checked by `add`; this object then becomes the last auction of the chain.
        auction = self
        for call in calls:
            auction = auction.add(call)
        if auction is not self:
            for slot in Auction.__slots__:
                object.__setattr__(self, slot, getattr(auction, slot))

    def _fill(
        self,
        dealer: Seat,
        calls: tuple[Call, ...],
        bid_at: int,
        doubled_at: int,
        doubling: Doubling,
        passes: int,
    ) -> None:
        # __setattr__ of this class refuses, so the slots are set through object's.
        object.__setattr__(self, "dealer", dealer)
        object.__setattr__(self, "calls", calls)
        object.__setattr__(self, "_bid_at", bid_at)  # index of the last bid in `calls`, -1 for none
        # index of the last double or redouble of that bid, -1 for none
        object.__setattr__(self, "_doubled_at", doubled_at)
        object.__setattr__(self, "_doubling", doubling)
        object.__setattr__(self, "_passes", passes)  # consecutive passes at the end

    _bid_at: int
    _doubled_at: int
    _doubling: Doubling
    _passes: int

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError("an auction is immutable; add returns a new one")

    def __reduce__(self) -> tuple[object, ...]:
        return Auction, (self.dealer, self.calls)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Auction) and (self.dealer, self.calls) == (other.dealer, other.calls)

    def __hash__(self) -> int:
        return hash((self.dealer, self.calls))

    def __repr__(self) -> str:
        return f"<Auction {self}>"

    def __str__(self) -> str:
        return f"{self.dealer.value}:" + "".join(f" {call}" for call in self.calls)

    def __len__(self) -> int:
        return len(self.calls)

    def caller(self, place: int) -> Seat:
        """Return the seat that makes the call with index `place`."""
        return SEATS[(self.dealer.index + place) % 4]

    @property
    def turn(self) -> Seat | None:
        """Return the seat whose turn it is to call; None when the auction is over."""
        return None if self.is_over else self.caller(len(self.calls))

    @property
    def last_bid(self) -> Bid | None:
        """Return the highest bid so far; None before the first."""
        call = self.calls[self._bid_at] if self._bid_at >= 0 else None
        return call if isinstance(call, Bid) else None

    @property
    def is_over(self) -> bool:
        """Return whether three passes followed a bid, or four passes opened the auction."""
        return self._passes >= (3 if self._bid_at >= 0 else 4)

    @property
    def is_passed_out(self) -> bool:
        """Return whether the auction is over without a bid."""
        return self.is_over and self._bid_at < 0

    def fault(self, call: Call) -> str | None:
        """Return why a call is illegal now, as a clause ("there is no bid to double"); None if it is legal."""
        if self.is_over:
            return "the auction is over"
        place = len(self.calls)
        if isinstance(call, Bid):
            last = self.last_bid
            return None if last is None or call > last else f"it is not higher than {last}"
        if call is DOUBLE:
            if self._bid_at < 0:
                return "there is no bid to double"
            if (place - self._bid_at) % 2 == 0:
                return "the last bid was made by the same side"
            return None if self._doubling is Doubling.UNDOUBLED else "the bid is doubled already"
        if call is REDOUBLE:
            if self._doubling is not Doubling.DOUBLED:
                return "there is no double to redouble"
            return None if (place - self._doubled_at) % 2 else "the double was made by the same side"
        return None

    def is_legal(self, call: Call) -> bool:
        """Return whether a call is legal now."""
        return self.fault(call) is None

    def legal_calls(self) -> tuple[Call, ...]:
        """Return every call that is legal now: Pass, X, XX, then the bids from low to high."""
        if self.is_over:
            return ()
        last = self.last_bid
        plain = tuple(call for call in (PASS, DOUBLE, REDOUBLE) if self.fault(call) is None)
        return plain + (BIDS if last is None else BIDS[BIDS.index(last) + 1 :])

    def add(self, call: Call) -> "Auction":
        """Return a new auction with one more call; raise IllegalCall if it is not legal."""
        fault = self.fault(call)
        if fault is not None:
            seat = self.caller(len(self.calls)).title
            raise IllegalCall(
                f"{call} by {seat}, call {len(self.calls) + 1} of the auction, is not legal: {fault}."
            )
        place = len(self.calls)
        bid_at, doubled_at, doubling, passes = self._bid_at, self._doubled_at, self._doubling, 0
        if isinstance(call, Bid):
            bid_at, doubled_at, doubling = place, -1, Doubling.UNDOUBLED
        elif call is PASS:
            passes = self._passes + 1
        else:
            doubled_at = place
            doubling = Doubling.DOUBLED if call is DOUBLE else Doubling.REDOUBLED
        longer = Auction.__new__(Auction)
        longer._fill(self.dealer, (*self.calls, call), bid_at, doubled_at, doubling, passes)
        return longer

    @property
    def contract(self) -> Contract | None:
        """Return the final contract; None before the auction is over, and if it was passed out.

        The declarer is the player who was first to name its strain, of the side that made the last bid.
        """
        bid = self.last_bid
        if bid is None or not self.is_over:
            return None
        first = next(
            place
            for place in range(self._bid_at % 2, self._bid_at + 1, 2)
            if isinstance(named := self.calls[place], Bid) and named.strain is bid.strain
        )
        return Contract(bid.level, bid.strain, self._doubling, self.caller(first))
