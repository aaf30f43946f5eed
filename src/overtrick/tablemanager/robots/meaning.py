"""The meaning of a call: points and lengths between limits. Has no dependency on a bidding system."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import reduce

from overtrick.bridge import Hand, Suit
from overtrick.bridge.card import SUITS_FROM_SPADES
from overtrick.tablemanager.alerts import Alert, Measure, Range, Statement

Limits = tuple[int, int]

_ANY_LENGTHS: tuple[Limits, Limits, Limits, Limits] = ((0, 13), (0, 13), (0, 13), (0, 13))


@dataclass(frozen=True, slots=True)
class Meaning:
    """Limits for high card points and suit lengths (clubs first) of a hand.

    >>> one_notrump = Meaning(points=(15, 17), is_balanced=True)
    >>> one_notrump.fits(Hand.parse("AK32.QJ5.AT8.K32")), one_notrump.fits(Hand.parse("AK432.QJ54.A.K32"))
    (True, False)
    """

    points: Limits = (0, 40)
    lengths: tuple[Limits, Limits, Limits, Limits] = _ANY_LENGTHS
    is_balanced: bool = False

    @classmethod
    def of(
        cls,
        least: int = 0,
        most: int = 40,
        suits: Mapping[Suit, int | Limits] | None = None,
        *,
        is_balanced: bool = False,
    ) -> "Meaning":
        """Return a meaning from points and suits; a suit has its least length, or a pair of limits."""
        lengths = list(_ANY_LENGTHS)
        for suit, limits in (suits or {}).items():
            lengths[suit] = (limits, 13) if isinstance(limits, int) else limits
        return cls((least, most), (lengths[0], lengths[1], lengths[2], lengths[3]), is_balanced)

    def misfit(self, hand: Hand) -> int:
        """Return how far a hand is from this meaning: 0 if it fits; each point or card outside the limits counts 1."""
        lengths = tuple(len(hand.suit(suit)) for suit in Suit)
        distance = _outside(hand.hcp, self.points)
        distance += sum(_outside(lengths[suit], self.lengths[suit]) for suit in Suit)
        return distance + (self.is_balanced and not is_balanced(hand))

    def fits(self, hand: Hand) -> bool:
        """Return whether a hand is within all limits."""
        return self.misfit(hand) == 0

    def least(self, suit: Suit) -> int:
        """Return the least length in a suit."""
        return self.lengths[suit][0]

    def and_also(self, other: "Meaning") -> "Meaning":
        """Return the conjunction of two meanings; where they contradict, the later one counts."""
        points = _intersection(self.points, other.points)
        lengths = [_intersection(self.lengths[suit], other.lengths[suit]) for suit in Suit]
        return Meaning(
            points, (lengths[0], lengths[1], lengths[2], lengths[3]), self.is_balanced or other.is_balanced
        )

    def or_else(self, other: "Meaning") -> "Meaning":
        """Return the weakest meaning that covers both."""
        lengths = [_span(self.lengths[suit], other.lengths[suit]) for suit in Suit]
        return Meaning(
            _span(self.points, other.points),
            (lengths[0], lengths[1], lengths[2], lengths[3]),
            self.is_balanced and other.is_balanced,
        )

    def statements(self) -> tuple[Statement, ...]:
        """Return the statements of an alert with this meaning, in the document's grammar."""
        statements: list[Statement] = []
        if self.points != (0, 40):
            least, most = self.points
            statements.append(Range(Measure.TOTAL_POINTS, least, 50 if most >= 40 else most))
        for suit in SUITS_FROM_SPADES:
            limits = self.lengths[suit]
            if limits != (0, 13):
                statements.append(Range(Measure.CARDS, *limits, suit))
        return tuple(statements)


def of_alert(alert: Alert) -> Meaning:
    """Return the meaning of an alert, as far as all its alternatives agree.

    >>> from overtrick.tablemanager.alerts import read_alert
    >>> of_alert(read_alert("Alert. 5 cards in spades. Alternatively, at least 4 cards in spades.")).least(Suit.SPADES)
    4
    """
    meanings = []
    for meaning in alert.meanings:
        combined = Meaning()
        for statement in meaning:
            if isinstance(statement, Range) and statement.measure is Measure.TOTAL_POINTS:
                # The points of an alert may include distribution, so high card points may be up to 2 lower.
                limits = (max(0, statement.least - 2), min(40, statement.most))
                combined = replace(combined, points=_intersection(combined.points, limits))
            elif isinstance(statement, Range) and statement.measure is Measure.CARDS:
                assert statement.suit is not None
                lengths = list(combined.lengths)
                lengths[statement.suit] = _intersection(
                    lengths[statement.suit], (statement.least, statement.most)
                )
                combined = replace(combined, lengths=(lengths[0], lengths[1], lengths[2], lengths[3]))
        meanings.append(combined)
    return reduce(Meaning.or_else, meanings) if meanings else Meaning()


def is_balanced(hand: Hand) -> bool:
    """Return whether a hand is 4-3-3-3, 4-4-3-2 or 5-3-3-2."""
    lengths = sorted(len(hand.suit(suit)) for suit in Suit)
    return lengths[0] >= 2 and lengths[1] >= 3 and lengths[3] <= 5


def _outside(number: int, limits: Limits) -> int:
    least, most = limits
    return max(0, least - number, number - most)


def _intersection(one: Limits, other: Limits) -> Limits:
    least, most = max(one[0], other[0]), min(one[1], other[1])
    return (least, most) if least <= most else other


def _span(one: Limits, other: Limits) -> Limits:
    return min(one[0], other[0]), max(one[1], other[1])
