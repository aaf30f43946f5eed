"""Outcomes of a board: a contract played, passed out, an award, a weighted score, not yet decided, not played.

The journal stores an outcome as its text, so `Outcome.parse` and `str` are inverse and must stay so. Pure: no I/O.
"""

import re
from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache

from overtrick.bridge.contract import Contract
from overtrick.bridge.seat import Side, Vulnerability
from overtrick.errors import BadInput


class Outcome(ABC):
    """The outcome of a board at one table; scores are in total points, from North-South's side.

    >>> Outcome.parse("4SxN+1").ns_score(Vulnerability.NONE)
    690
    >>> str(Outcome.parse("60-40")), Outcome.parse("60-40").ns_score(Vulnerability.NONE)
    ('60-40', None)
    """

    __slots__ = ()

    @staticmethod
    def parse(text: str) -> "Outcome":
        """Parse the text that `str` writes; raise BadInput for anything else."""
        return _parse_outcome(text)

    @abstractmethod
    def ns_score(self, vulnerability: Vulnerability) -> int | None:
        """Return the points of North-South; None if there is no score or more than one."""

    def ns_scores(self, vulnerability: Vulnerability) -> Iterator[tuple[Fraction, int]]:
        """Yield the weight and the points of North-South for each score; the weights add up to 1.

        Yield nothing if there is no score.
        """
        score = self.ns_score(vulnerability)
        if score is not None:
            yield Fraction(1), score


@dataclass(frozen=True, slots=True)
class Played(Outcome):
    """A contract and the number of tricks, 0 to 13, that declarer won: 4SxN+1, 3NTW=, 1HS-2."""

    contract: Contract
    tricks: int
    _text: str = field(init=False, repr=False, compare=False)
    """Computed once: the journal writes it with every result, and parsed outcomes are cached and shared."""

    def __post_init__(self) -> None:
        if not 0 <= self.tricks <= 13:
            raise BadInput(f"Nobody can win {self.tricks} tricks: there are 13.")
        object.__setattr__(self, "_text", f"{self.contract}{write_overtricks(self.overtricks)}")

    def __str__(self) -> str:
        return self._text

    @property
    def overtricks(self) -> int:
        """Return the tricks above the contract; negative when it went down."""
        return self.tricks - self.contract.target

    def ns_score(self, vulnerability: Vulnerability) -> int:
        """Return the score of North-South."""
        score = self.contract.score(self.tricks, vulnerability.includes(self.contract.side))
        return score if self.contract.side is Side.NS else -score


@dataclass(frozen=True, slots=True)
class PassedOut(Outcome):
    """Four passes: Pass."""

    def __str__(self) -> str:
        return "Pass"

    def ns_score(self, vulnerability: Vulnerability) -> int:
        """Return 0: neither side scores."""
        return 0


@dataclass(frozen=True, slots=True)
class ScoreOnly(Outcome):
    """A score whose contract is unknown, from North-South's side: +420, -50, +0."""

    ns: int

    def __post_init__(self) -> None:
        if self.ns % 10 or abs(self.ns) > HIGHEST_SCORE:
            raise BadInput(f"{self.ns} cannot be the score of a board.")

    def __str__(self) -> str:
        return f"{self.ns:+}"

    def ns_score(self, vulnerability: Vulnerability) -> int:
        """Return the score of North-South."""
        return self.ns


HIGHEST_SCORE = 7600
"""Seven notrumps redoubled and vulnerable, thirteen down."""

Percent = int | Decimal
"""A percentage from 0 to 100: an int, or a Decimal with at most two decimals where it is not whole."""


def parse_percent(text: str) -> Percent | None:
    """Parse a percentage from 0 to 100 with at most two decimals, after a point or comma; return None for other texts.

    >>> parse_percent("55"), parse_percent("62.50"), parse_percent("62,5"), parse_percent("101")
    (55, Decimal('62.5'), Decimal('62.5'), None)
    """
    if _PERCENT.fullmatch(text) is None:
        return None
    return _percent(Decimal(text.replace(",", ".")))


def _percent(number: Percent) -> Percent | None:
    exact = Decimal(number)
    if not (0 <= exact <= 100 and exact == round(exact, 2)):
        return None
    return int(exact) if exact == int(exact) else exact.normalize()


@dataclass(frozen=True, slots=True)
class Award(Outcome):
    """An artificial score, a percentage for each side: 60-40. Exactly 60 is average plus, exactly 40 average minus."""

    ns: Percent
    ew: Percent

    def __post_init__(self) -> None:
        for name in ("ns", "ew"):
            share = _percent(getattr(self, name))
            if share is None:
                raise BadInput(f"{self.ns}-{self.ew} is not an award: each side gets from 0 to 100 per cent.")
            object.__setattr__(self, name, share)

    def __str__(self) -> str:
        return f"{self.ns}-{self.ew}"

    def ns_score(self, vulnerability: Vulnerability) -> None:
        """Return None: an award has no score."""


@dataclass(frozen=True, slots=True)
class Weighted(Outcome):
    """Several results of one board, each with its percentage (Law 12C1c): 60 % of 4SN=, 40 % of 4SN-1.

    >>> str(Weighted.of((60, "4SN="), (40, "4SN-1")))
    '60 % of 4SN=, 40 % of 4SN-1'
    >>> list(Outcome.parse("60% 4SN=, 40% 4SN-1").ns_scores(Vulnerability.NONE))
    [(Fraction(3, 5), 420), (Fraction(2, 5), -50)]
    """

    parts: tuple[tuple[Percent, Outcome], ...]

    def __post_init__(self) -> None:
        total: Percent = 0
        for percent, outcome in self.parts:
            if _percent(percent) != percent or percent == 0:
                raise BadInput(
                    f"{percent} per cent of {outcome} is not possible: each part has 0.01 to 100 per cent."
                )
            if not isinstance(outcome, Played | PassedOut | ScoreOnly):
                raise BadInput(f"{outcome} has no score, so it cannot be part of a weighted score.")
            total += percent
        if total != 100:
            raise BadInput(f"The percentages of a weighted score must add up to 100; they add up to {total}.")
        if len({outcome for _, outcome in self.parts}) < len(self.parts):
            raise BadInput("A weighted score can name each result only once.")

    @classmethod
    def of(cls, *parts: tuple[Percent, str]) -> "Weighted":
        """Return the weighted score of pairs of percentage and result, as `Outcome.parse` reads it; raise BadInput."""
        return cls(tuple((percent, Outcome.parse(text)) for percent, text in parts))

    def __str__(self) -> str:
        return ", ".join(f"{percent} % of {outcome}" for percent, outcome in self.parts)

    def ns_score(self, vulnerability: Vulnerability) -> None:
        """Return None: there are several scores, see `ns_scores`."""

    def ns_scores(self, vulnerability: Vulnerability) -> Iterator[tuple[Fraction, int]]:
        """Yield the weight and North-South's score of each part."""
        for percent, outcome in self.parts:
            score = outcome.ns_score(vulnerability)
            assert score is not None
            yield Fraction(percent) / 100, score


@dataclass(frozen=True, slots=True)
class Undecided(Outcome):
    """An adjusted score that the director has still to decide: Arbitral."""

    def __str__(self) -> str:
        return "Arbitral"

    def ns_score(self, vulnerability: Vulnerability) -> None:
        """Return None: there is no score yet."""


@dataclass(frozen=True, slots=True)
class NotPlayed(Outcome):
    """A board that was not played and scores nothing for either side: NP."""

    def __str__(self) -> str:
        return "NP"

    def ns_score(self, vulnerability: Vulnerability) -> None:
        """Return None: the board was not played."""


@dataclass(frozen=True, slots=True)
class Cancelled(Outcome):
    """A board whose result the director cancelled without an award: Cancelled."""

    def __str__(self) -> str:
        return "Cancelled"

    def ns_score(self, vulnerability: Vulnerability) -> None:
        """Return None: the result does not count."""


AWARDS: tuple[Award, ...] = tuple(Award(ns, ew) for ns in (40, 50, 60) for ew in (40, 50, 60))
"""The nine awards that terminals and scoring programs can express."""

_WORDS: dict[str, Outcome] = {
    str(outcome): outcome for outcome in (PassedOut(), Undecided(), NotPlayed(), Cancelled(), *AWARDS)
}
_SCORE = re.compile(r"[+]0|[+-][1-9][0-9]{1,3}")
_PERCENT = re.compile(r"[0-9]{1,3}(?:[.,][0-9]{1,2})?")
_AWARD = re.compile(r"([0-9.]+)-([0-9.]+)")
_PART = re.compile(r"\s*([0-9]{1,3}(?:\.[0-9]{1,2})?)\s*%\s*(?:of\s+)?(\S+)\s*")
_PLAYED = re.compile(r"([1-7](?:NT|[CDHS])x{0,2}[NESW])(=|[+-][1-9][0-9]?)")


def write_overtricks(overtricks: int) -> str:
    """Return the number of overtricks as people write it: +1, =, -2.

    >>> write_overtricks(1), write_overtricks(0), write_overtricks(-2)
    ('+1', '=', '-2')
    """
    return f"{overtricks:+}" if overtricks else "="


# Cached: one object for each of the 420 contracts, so that comparing outcomes is mostly a test of identity.
_parse_contract = lru_cache(maxsize=512)(Contract.parse)


# Only valid texts are cached: 420 contracts with 14 results each, the 13 fixed words, and the rulings of an evening.
@lru_cache(maxsize=8192)
def _parse_outcome(text: str) -> Outcome:
    outcome = _WORDS.get(text)
    if outcome is not None:
        return outcome
    played = _PLAYED.fullmatch(text)
    if played is None:
        return _parse_ruling(text)
    contract = _parse_contract(played[1])
    return Played(contract, contract.target + (0 if played[2] == "=" else int(played[2])))


def _parse_ruling(text: str) -> Outcome:
    """Parse an award, a score without a contract, or a weighted score; raise BadInput for anything else."""
    if award := _AWARD.fullmatch(text):
        ns, ew = (parse_percent(share) for share in award.groups())
        if ns is not None and ew is not None:
            return Award(ns, ew)
    if _SCORE.fullmatch(text):
        return ScoreOnly(int(text))
    if "%" in text and len(text) <= _MAX_WEIGHTED_LENGTH:
        parts = [_PART.fullmatch(part) for part in text.split(",")]
        if all(parts):
            return Weighted(tuple(_part(*part.groups()) for part in parts if part))
    raise BadInput(
        f"{text!r} is not a result. Write one like 4SxN+1, 3NTW=, Pass, 60-40, Arbitral, NP, Cancelled, "
        "+420 or 60 % of 4SN=, 40 % of 4SN-1."
    )


_MAX_WEIGHTED_LENGTH = 400
"""The most characters of a weighted score: enough for more parts than any ruling has."""


def _part(percent: str, outcome: str) -> tuple[Percent, Outcome]:
    share = parse_percent(percent)
    if share is None:
        raise BadInput(f"{percent} is not a percentage.")
    return share, Outcome.parse(outcome)
