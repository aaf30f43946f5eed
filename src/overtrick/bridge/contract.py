"""Contracts and their scores by Law 77. Pure: independent of auctions and events."""

import re
from dataclasses import dataclass
from enum import IntEnum

from overtrick.bridge.card import Strain
from overtrick.bridge.seat import Seat, Side
from overtrick.errors import BadInput


class Doubling(IntEnum):
    """The doubling of a contract; its sign is written after the strain.

    >>> Doubling.REDOUBLED.sign
    'xx'
    """

    UNDOUBLED = 0
    DOUBLED = 1
    REDOUBLED = 2

    @property
    def sign(self) -> str:
        """Return nothing, x or xx."""
        return "x" * self


_SPELLING = re.compile(r"([1-7])(NT|[CDHS])(x{0,2})([NESW])")


@dataclass(frozen=True, slots=True)
class Contract:
    """A final contract: level, strain, doubling and declarer.

    >>> contract = Contract.parse("4SxN")
    >>> contract.target, contract.side, str(contract)
    (10, <Side.NS: 'NS'>, '4SxN')
    """

    level: int
    strain: Strain
    doubling: Doubling
    declarer: Seat

    def __post_init__(self) -> None:
        if not 1 <= self.level <= 7:
            raise BadInput(f"There is no contract at level {self.level}: levels are 1 to 7.")

    def __str__(self) -> str:
        return f"{self.level}{self.strain.letter}{self.doubling.sign}{self.declarer.value}"

    @classmethod
    def parse(cls, text: str) -> "Contract":
        """Parse the text that `str` writes; raise BadInput for anything else."""
        spelling = _SPELLING.fullmatch(text)
        if spelling is None:
            raise BadInput(f"{text!r} is not a contract with its declarer. Write one like 3NTW or 4SxN.")
        level, strain, doubling, declarer = spelling.groups()
        return cls(int(level), Strain.parse(strain), Doubling(len(doubling)), Seat(declarer))

    @property
    def target(self) -> int:
        """Return the number of tricks that make the contract."""
        return self.level + 6

    @property
    def side(self) -> Side:
        """Return declarer's side."""
        return self.declarer.side

    def score(self, tricks: int, vulnerable: bool) -> int:
        """Return the points of declarer's side when declarer wins that many tricks; negative if the contract goes down.
        Raise BadInput unless there are 0 to 13 tricks.

        >>> Contract.parse("3NTS").score(9, vulnerable=True)
        600
        >>> Contract.parse("1DxN").score(3, vulnerable=False)
        -800
        """
        if not 0 <= tricks <= 13:
            raise BadInput(f"Nobody can win {tricks} tricks: there are 13.")
        over = tricks - self.target
        if over < 0:
            return -self._undertricks(-over, vulnerable)
        return self._made(over, vulnerable)

    def _made(self, over: int, vulnerable: bool) -> int:
        # Trick points are doubled and redoubled; 100 of them make a game. Notrump scores 40 for the first trick.
        minor = self.strain <= Strain.DIAMONDS
        per_trick = 20 if minor else 30
        first = 40 if self.strain is Strain.NOTRUMP else per_trick
        trick_score = (first + per_trick * (self.level - 1)) << self.doubling
        bonus = (500 if vulnerable else 300) if trick_score >= 100 else 50
        if self.level == 6:
            bonus += 750 if vulnerable else 500
        elif self.level == 7:
            bonus += 1500 if vulnerable else 1000
        # 50 for making a doubled contract, 100 for a redoubled one
        bonus += 50 * self.doubling
        if self.doubling:
            per_trick = (100 if vulnerable else 50) << self.doubling
        return trick_score + bonus + over * per_trick

    def _undertricks(self, down: int, vulnerable: bool) -> int:
        if not self.doubling:
            return (100 if vulnerable else 50) * down
        if vulnerable:
            # 200, and 300 for each further one
            doubled = 300 * down - 100
        else:
            # 100, 200 for the second and the third, and 300 for each further one
            doubled = 200 * down - 100 + 100 * max(0, down - 3)
        return doubled * self.doubling
