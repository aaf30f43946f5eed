"""Claims, as the document proposes them: the players who see a claim, and those who must answer. Pure: no I/O."""

from dataclasses import dataclass, replace

from overtrick.bridge import Seat


@dataclass(frozen=True, slots=True)
class Claim:
    """An undecided claim of all remaining tricks."""

    claimant: Seat
    shown_to: tuple[Seat, ...]
    """The seats that are shown the claim and the claimant's cards."""
    unanswered: frozenset[Seat]
    """The seats that must accept it and have not answered yet."""
    since: float

    @classmethod
    def of(cls, claimant: Seat, declarer: Seat, now: float) -> "Claim":
        """Return a new claim: declarer asks both defenders, a defender asks declarer; dummy only sees it.

        >>> sorted(seat.title for seat in Claim.of(Seat.NORTH, Seat.NORTH, 0.0).unanswered)
        ['East', 'West']
        >>> [seat.title for seat in Claim.of(Seat.EAST, Seat.NORTH, 0.0).shown_to]
        ['North', 'South']
        """
        must_answer = (claimant.next, claimant.previous) if claimant is declarer else (declarer,)
        return cls(claimant, (*must_answer, declarer.partner), frozenset(must_answer), now)

    def without(self, seat: Seat) -> "Claim":
        """Return the claim after that seat accepted it."""
        return replace(self, unanswered=self.unanswered - {seat})
