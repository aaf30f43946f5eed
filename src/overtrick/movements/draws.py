"""Draws of Swiss rounds: made by several methods, written in one line, edited by a director, and checked.

Works on pair numbers and the earlier rounds; independent of events and scoring.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from random import Random

from overtrick.digits import parse_digits
from overtrick.movements.model import MovementError, Station
from overtrick.movements.round_robins import Match, lay_out
from overtrick.movements.swiss import swiss_round

HIGHEST_NUMBER = 9_999


class DrawMethod(Enum):
    """A method of drawing a round."""

    STANDING = "standing"
    """Neighbours in the ranking meet."""
    NUMBERS = "numbers"
    """1 meets 2, 3 meets 4, and so on, unless they have met."""
    HALVES = "halves"
    """The first half meets the second: of eight pairs 1 meets 5, 2 meets 6, and so on, even if they have met."""
    LOT = "lot"
    """Neighbours in a random order meet, unless they have met; the same seed `lot` always gives the same draw."""


@dataclass(frozen=True, slots=True)
class Draw:
    """The matches of a round, N-S first and table by table, and the pair that sits out (0 for none).

    `str` writes it in one line: matches with a hyphen, and the pair that sits out alone.

    >>> str(Draw.parse("1-9 2-10 5")), Draw.parse("1-9 2-10 5").swapped(9, 5)
    ('1-9 2-10 5', Draw(matches=((1, 5), (2, 10)), waiting=9))
    """

    matches: tuple[Match, ...]
    waiting: int = 0

    def __str__(self) -> str:
        waiting = [str(self.waiting)] if self.waiting else []
        return " ".join([*(f"{ns}-{ew}" for ns, ew in self.matches), *waiting])

    @classmethod
    def parse(cls, text: str) -> "Draw":
        """Parse the line that `str` writes; raise MovementError for anything else. The pairs are not checked."""
        matches: list[Match] = []
        waiting: list[int] = []
        for word in text.split():
            numbers = [number for part in word.split("-") if (number := parse_digits(part))]
            if len(numbers) != word.count("-") + 1 or len(numbers) > 2 or max(numbers) > HIGHEST_NUMBER:
                raise MovementError(
                    f"{word[:20]!r} is neither two pairs that meet, like 1-9, nor one that sits out."
                )
            if len(numbers) == 2:
                matches.append((numbers[0], numbers[1]))
            else:
                waiting.append(numbers[0])
        if len(waiting) > 1:
            raise MovementError(f"Only one pair can sit out, not {len(waiting)}.")
        return cls(tuple(matches), waiting[0] if waiting else 0)

    @property
    def numbers(self) -> list[int]:
        """Return every pair number in the draw, as often as it occurs."""
        waiting = [self.waiting] if self.waiting else []
        return [*(number for match in self.matches for number in match), *waiting]

    def is_same(self, other: "Draw") -> bool:
        """Return whether the same pairs meet and sit out, at any tables and in any directions.

        >>> Draw.parse("1-9 2-10 5").is_same(Draw.parse("10-2 1-9 5"))
        True
        """
        met = ({frozenset(match) for match in draw.matches} for draw in (self, other))
        return self.waiting == other.waiting and next(met) == next(met)

    def stations(self, round_number: int, boards: Sequence[int]) -> list[Station]:
        """Return the tables of the round; the pair that sits out is at a last table without boards."""
        return lay_out(self.matches, self.waiting, round_number, tuple(boards), teams=False)

    def swapped(self, one: int, other: int) -> "Draw":
        """Return the draw with two pairs exchanged; two opponents change directions.

        Raise MovementError if one of them is not in the draw.
        """
        for number in (one, other):
            if number not in self.numbers:
                raise MovementError(f"Pair {number} is not in this round.")
        places = {one: other, other: one}
        return Draw(
            tuple((places.get(ns, ns), places.get(ew, ew)) for ns, ew in self.matches),
            places.get(self.waiting, self.waiting),
        )

    def check(self, playing: Iterable[int]) -> None:
        """Raise MovementError unless each of these pairs, and no other, plays or sits out exactly once."""
        expected, counts = set(playing), Counter(self.numbers)
        twice = sorted(number for number, count in counts.items() if count > 1)
        missing, unknown = sorted(expected - set(counts)), sorted(set(counts) - expected)
        for numbers, words in (
            (twice, "would play in two places"),
            (missing, "would not play"),
            (unknown, "does not play in this round"),
        ):
            if numbers:
                raise MovementError(f"Pair {numbers[0]} {words}.")
        if self.waiting and len(expected) % 2 == 0:
            raise MovementError(f"Pair {self.waiting} would sit out though the number of pairs is even.")


@dataclass(frozen=True, slots=True)
class EarlierRounds:
    """The matches of each earlier round, N-S first; an opponent of 0 means a sit-out."""

    matches: tuple[tuple[Match, ...], ...] = ()

    @property
    def met(self) -> dict[frozenset[int], int]:
        """Return, for every two pairs that met, the last round in which they did."""
        return {
            frozenset(match): number
            for number, played in enumerate(self.matches, start=1)
            for match in played
            if all(match)
        }

    @property
    def sat_out(self) -> Counter[int]:
        """Return the number of sit-outs of each pair."""
        return Counter(max(match) for played in self.matches for match in played if not all(match))

    @property
    def north_souths(self) -> Counter[int]:
        """Return the number of matches that each pair played N-S."""
        return Counter(match[0] for played in self.matches for match in played if all(match))

    def without_first(self, count: int) -> "EarlierRounds":
        """Return these rounds without the matches of the first `count`; sit-outs are kept."""
        return EarlierRounds(
            tuple(
                tuple(match for match in played if not all(match)) if number < count else played
                for number, played in enumerate(self.matches)
            )
        )


def draw_round(
    method: DrawMethod,
    standing: Mapping[int, float],
    before: EarlierRounds,
    *,
    lot: int = 0,
    repeats: bool = False,
) -> Draw:
    """Draw the next round of the pairs in `standing` (pair to score); equal scores rank in the order of the mapping.

    No two pairs meet again, and no pair sits out a second time before every pair has once; raise MovementError if that
    is impossible. With `repeats`, pairs may meet again if there is no other draw, first those who met longest
    ago. HALVES looks only at pair numbers, so it may break both rules; `objections` lists that.

    >>> str(draw_round(DrawMethod.HALVES, dict.fromkeys(range(1, 8), 0), EarlierRounds()))
    '1-4 2-5 3-6 7'
    >>> str(draw_round(DrawMethod.STANDING, {1: 60, 2: 55, 3: 45, 4: 40}, EarlierRounds((((1, 2), (3, 4)),))))
    '1-3 2-4'
    """
    number = len(before.matches) + 1
    if method is DrawMethod.HALVES:
        return _halves(sorted(standing))
    if method is DrawMethod.STANDING:
        scores = dict(standing)
    else:
        order = sorted(standing)
        if method is DrawMethod.LOT:
            Random(lot).shuffle(order)
        scores = {pair: -float(place) for place, pair in enumerate(order)}
    for ignored_rounds in range(number - 1 if repeats else 0):
        try:
            return _swiss(scores, before, number, ignored_rounds)
        except MovementError:
            continue
    return _swiss(scores, before, number, number - 1 if repeats else 0)


def objections(draw: Draw, before: EarlierRounds) -> list[str]:
    """Return a sentence for each two pairs that have met before, and for a pair that has sat out more than others.

    >>> objections(Draw.parse("1-2 3-4"), EarlierRounds((((2, 1), (3, 4)), ((1, 3), (4, 2)))))
    ['Pairs 1 and 2 met in round 1.', 'Pairs 3 and 4 met in round 1.']
    """
    met, sat_out = before.met, before.sat_out
    sentences = [
        f"Pairs {min(match)} and {max(match)} met in round {met[frozenset(match)]}."
        for match in draw.matches
        if frozenset(match) in met
    ]
    if draw.waiting and sat_out[draw.waiting] > min(sat_out[number] for number in draw.numbers):
        sentences.append(f"Pair {draw.waiting} has sat out more often than others.")
    return sentences


def most_rounds(pairs: int) -> int:
    """Return the number of rounds that this many pairs can play before two must meet again.

    >>> most_rounds(6), most_rounds(7)
    (5, 7)
    """
    return pairs - 1 + pairs % 2


def _swiss(scores: Mapping[int, float], before: EarlierRounds, number: int, ignored_rounds: int) -> Draw:
    """Draw a round as if the matches of the first `ignored_rounds` had not been played."""
    matches, waiting = swiss_round(
        scores,
        [(min(pairs), max(pairs)) for pairs in before.without_first(ignored_rounds).met],
        before.sat_out.elements(),
        round_number=number,
        north_souths=before.north_souths,
    )
    return Draw(tuple(matches), waiting)


def _halves(order: Sequence[int]) -> Draw:
    half = len(order) // 2
    waiting = order[-1] if len(order) % 2 else 0
    return Draw(tuple(zip(order[:half], order[half : 2 * half], strict=True)), waiting)
