"""What happened on a board: a contract played, passed out, an award, not yet decided, not played.

The text of an outcome is what is stored, so `Outcome.parse` and `str` are inverse and stay so.
"""

import re
from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from functools import lru_cache

from overtrick.bridge.contract import Contract
from overtrick.bridge.seat import Side, Vulnerability
from overtrick.errors import BadInput


class Outcome(ABC):
    """What happened on a board.

    >>> Outcome.parse("4SxN+1").ns_score(Vulnerability.NONE)
    690
    >>> str(Outcome.parse("60-40")), Outcome.parse("60-40").ns_score(Vulnerability.NONE)
    ('60-40', None)
    """

    __slots__ = ()

    @staticmethod
    def parse(text: str) -> "Outcome":
        """The outcome whose text this is."""
        return _parse_outcome(text)

    @abstractmethod
    def ns_score(self, vulnerability: Vulnerability) -> int | None:
        """The score of North-South; None when there is none."""


@dataclass(frozen=True, slots=True)
class Played(Outcome):
    """A contract and the tricks that declarer won: 4SxN+1, 3NTW=, 1HS-2."""

    contract: Contract
    tricks: int
    _text: str = field(init=False, repr=False, compare=False)
    """Written once, because a journal asks for it with every result, and most results are of a few outcomes."""

    def __post_init__(self) -> None:
        if not 0 <= self.tricks <= 13:
            raise BadInput(f"Nobody can win {self.tricks} tricks: there are 13.")
        object.__setattr__(self, "_text", f"{self.contract}{write_overtricks(self.overtricks)}")

    def __str__(self) -> str:
        return self._text

    @property
    def overtricks(self) -> int:
        """Tricks above what was needed; negative when the contract went down."""
        return self.tricks - self.contract.target

    def ns_score(self, vulnerability: Vulnerability) -> int:
        """The score of North-South."""
        score = self.contract.score(self.tricks, vulnerability.includes(self.contract.side))
        return score if self.contract.side is Side.NS else -score


@dataclass(frozen=True, slots=True)
class PassedOut(Outcome):
    """Four passes: Pass."""

    def __str__(self) -> str:
        return "Pass"

    def ns_score(self, vulnerability: Vulnerability) -> int:
        """Nothing for anyone."""
        return 0


@dataclass(frozen=True, slots=True)
class Award(Outcome):
    """An artificial score, 40, 50 or 60 per cent for each side: 60-40."""

    ns: int
    ew: int

    def __post_init__(self) -> None:
        if self.ns not in (40, 50, 60) or self.ew not in (40, 50, 60):
            raise BadInput(f"{self.ns}-{self.ew} is not an award: each side gets 40, 50 or 60.")

    def __str__(self) -> str:
        return f"{self.ns}-{self.ew}"

    def ns_score(self, vulnerability: Vulnerability) -> None:
        """There is none."""


@dataclass(frozen=True, slots=True)
class Undecided(Outcome):
    """An adjusted score that the director has still to decide: Arbitral."""

    def __str__(self) -> str:
        return "Arbitral"

    def ns_score(self, vulnerability: Vulnerability) -> None:
        """There is none."""


@dataclass(frozen=True, slots=True)
class NotPlayed(Outcome):
    """The board was not played: NP."""

    def __str__(self) -> str:
        return "NP"

    def ns_score(self, vulnerability: Vulnerability) -> None:
        """There is none."""


AWARDS: tuple[Award, ...] = tuple(Award(ns, ew) for ns in (40, 50, 60) for ew in (40, 50, 60))
"""The nine awards."""

_WORDS: dict[str, Outcome] = {
    str(outcome): outcome for outcome in (PassedOut(), Undecided(), NotPlayed(), *AWARDS)
}
_PLAYED = re.compile(r"([1-7](?:NT|[CDHS])x{0,2}[NESW])(=|[+-][1-9][0-9]?)")


def write_overtricks(overtricks: int) -> str:
    """Tricks against the contract: +1, =, -2.

    >>> write_overtricks(1), write_overtricks(0), write_overtricks(-2)
    ('+1', '=', '-2')
    """
    return f"{overtricks:+}" if overtricks else "="


# One object for each of the 420 contracts, so that comparing outcomes seldom looks into them.
_parse_contract = lru_cache(maxsize=512)(Contract.parse)


# Only texts that are right are kept, and there are 5892 of them.
@lru_cache(maxsize=8192)
def _parse_outcome(text: str) -> Outcome:
    outcome = _WORDS.get(text)
    if outcome is not None:
        return outcome
    found = _PLAYED.fullmatch(text)
    if found is None:
        raise BadInput(
            f"{text!r} is not a result; results are written like 4SxN+1, 3NTW=, Pass, 60-40, Arbitral or NP."
        )
    contract = _parse_contract(found[1])
    return Played(contract, contract.target + (0 if found[2] == "=" else int(found[2])))
