"""Claims, as the document proposes them: the players who are told, and those who are asked. Pure: no I/O."""

from dataclasses import dataclass, replace

from overtrick.bridge import Seat


@dataclass(frozen=True, slots=True)
class Claim:
    """A claim of all remaining tricks that has not been decided."""

    claimant: Seat
    told: tuple[Seat, ...]
    asked: frozenset[Seat]
    """The seats that have not accepted it yet."""
    since: float

    @classmethod
    def of(cls, claimant: Seat, declarer: Seat, now: float) -> "Claim":
        """Return a new claim: declarer asks both defenders, a defender asks declarer; dummy is only told.

        >>> sorted(seat.title for seat in Claim.of(Seat.NORTH, Seat.NORTH, 0.0).asked)
        ['East', 'West']
        >>> [seat.title for seat in Claim.of(Seat.EAST, Seat.NORTH, 0.0).told]
        ['North', 'South']
        """
        asked = (claimant.next, claimant.previous) if claimant is declarer else (declarer,)
        return cls(claimant, (*asked, declarer.partner), frozenset(asked), now)

    def without(self, seat: Seat) -> "Claim":
        """Return the claim after that seat accepted it."""
        return replace(self, asked=self.asked - {seat})
