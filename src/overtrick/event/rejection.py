"""Rejections: what `decide` returns for a command that it refuses. A rejected command changes nothing."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum


class Reason(Enum):
    """The kinds of rejection that adapters distinguish."""

    UNKNOWN_SESSION = "unknown-session"
    UNKNOWN_PLACE = "unknown-place"
    """No such section, table, round or board in the movement."""
    UNKNOWN_ENTRY = "unknown-entry"
    """No such result, player, scoring group, adjustment or call."""
    NOT_ALLOWED = "not-allowed"
    """A rule forbids it."""
    OVER_LIMIT = "over-limit"
    """More than the chosen terminals can hold."""
    STALE = "stale"
    """Meant for an earlier incarnation of the session, or overtaken by a later entry."""


@dataclass(frozen=True, slots=True)
class Problem:
    """One problem of a command, as a sentence, with the place that it is about."""

    reason: Reason
    sentence: str
    where: str = ""

    def __str__(self) -> str:
        return f"{self.where}: {self.sentence}" if self.where else self.sentence


@dataclass(frozen=True, slots=True)
class Rejection:
    """The problems of a command, at least one.

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
    """Return a rejection with one problem."""
    return Rejection((Problem(reason, sentence, where),))


def rejected(problems: Iterable[Problem]) -> Rejection | None:
    """Return a rejection with these problems, or None if there are none."""
    all_problems = tuple(problems)
    return Rejection(all_problems) if all_problems else None
