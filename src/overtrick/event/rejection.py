"""Rejections: the answer of `decide` to a command that cannot be done. Nothing has changed then."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum


class Reason(Enum):
    """The kinds of refusal that an adapter tells apart."""

    UNKNOWN_SESSION = "unknown-session"
    UNKNOWN_PLACE = "unknown-place"
    """No such section, table, round or board in the movement."""
    UNKNOWN_ENTRY = "unknown-entry"
    """No such player, scoring group, hand record or call."""
    NOT_ALLOWED = "not-allowed"
    """It is known what is meant, and a rule forbids it."""
    OVER_LIMIT = "over-limit"
    """More than the chosen terminals can hold."""
    STALE = "stale"
    """Meant for an earlier incarnation of the session, or overtaken by a later entry."""


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong, as a sentence, with the place it is about."""

    reason: Reason
    sentence: str
    where: str = ""

    def __str__(self) -> str:
        return f"{self.where}: {self.sentence}" if self.where else self.sentence


@dataclass(frozen=True, slots=True)
class Rejection:
    """Everything that is wrong with a command, at once.

    >>> print(reject(Reason.UNKNOWN_PLACE, "Section A has no table 9."))
    Section A has no table 9.
    """

    problems: tuple[Problem, ...]

    @property
    def reason(self) -> Reason:
        """Return the first problem's reason."""
        return self.problems[0].reason

    def __str__(self) -> str:
        return " ".join(str(problem) for problem in self.problems)


def reject(reason: Reason, sentence: str, where: str = "") -> Rejection:
    """Return a rejection for one reason."""
    return Rejection((Problem(reason, sentence, where),))


def rejected(problems: Iterable[Problem]) -> Rejection | None:
    """Return a rejection for these problems, or None when there are none."""
    found = tuple(problems)
    return Rejection(found) if found else None
