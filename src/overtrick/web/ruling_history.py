"""The history of a session's rulings: their authors and times, and the moved results. Independent of pages.

The state of a session holds the rulings that are in force; the history adds who made them, fact by fact.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import NamedTuple

from overtrick.bridge import PassedOut, Played
from overtrick.event.place import Place
from overtrick.event.results import Origin, ResultErased, ResultRecorded
from overtrick.event.rulings import AdjustmentMade, BoardFouled, ContestantStatusSet, MatchRuled, RulingNoted
from overtrick.store import JournalEntry

Subject = tuple[str, object]
"""The subject of a ruling: its kind, and its place, number, board, contestant or match."""


class RulingAuthor(NamedTuple):
    """The author and time of a ruling."""

    by: str
    at: datetime


@dataclass(frozen=True, slots=True)
class MovedResult:
    """A result that was moved to another board, exchanged with another, or turned."""

    result: ResultRecorded
    """The result after the move."""
    came_from: Place
    is_exchange: bool
    is_turned: bool
    author: RulingAuthor


@dataclass(slots=True)
class RulingHistory:
    """The author of each ruling, and the moved results in order."""

    authors: dict[Subject, RulingAuthor] = field(default_factory=dict)
    moved: list[MovedResult] = field(default_factory=list)
    _command: str = ""
    _before: dict[Place, ResultRecorded] = field(default_factory=dict)
    """The results that the current command has replaced or erased so far."""

    def apply(self, entry: JournalEntry, standing: Mapping[Place, ResultRecorded]) -> None:
        """Apply one fact; `standing` are the results before it."""
        fact = entry.fact
        match fact:
            case ResultRecorded():
                if fact.origin is Origin.DESK:
                    self._move(entry, standing)
                elif isinstance(fact.outcome, Played | PassedOut) and fact.outcome_ew is None:
                    return
                self._note(entry, ("result", fact.place))
            case ResultErased():
                self._remember(entry, fact.place, standing)
            case RulingNoted():
                self._note(entry, ("result", fact.place))
            case AdjustmentMade():
                self._note(entry, ("adjustment", fact.adjustment))
            case BoardFouled():
                self._note(entry, ("fouled", fact.board))
            case ContestantStatusSet():
                self._note(entry, ("status", fact.contestant))
            case MatchRuled():
                self._note(entry, ("match", fact.match))

    def _note(self, entry: JournalEntry, subject: Subject) -> None:
        self.authors[subject] = _author(entry)

    def _remember(self, entry: JournalEntry, place: Place, standing: Mapping[Place, ResultRecorded]) -> None:
        if entry.command_id != self._command:
            self._command = entry.command_id
            self._before.clear()
        if place in standing:
            self._before.setdefault(place, standing[place])

    def _move(self, entry: JournalEntry, standing: Mapping[Place, ResultRecorded]) -> None:
        """Record a move if the same command removed this result from another board of the table, or turned it."""
        fact: ResultRecorded = entry.fact
        place = fact.place
        self._remember(entry, place, standing)
        replaced = self._before.get(place)
        for other, removed in self._before.items():
            if other == place or other[:2] != place[:2] or not _is_same(removed, fact):
                continue
            is_turned = removed.is_wrong_direction != fact.is_wrong_direction
            self.moved.append(MovedResult(fact, other, replaced is not None, is_turned, _author(entry)))
            return
        if (
            replaced is not None
            and _is_same(replaced, fact)
            and replaced.is_wrong_direction != fact.is_wrong_direction
        ):
            self.moved.append(MovedResult(fact, place, False, True, _author(entry)))


def _author(entry: JournalEntry) -> RulingAuthor:
    return RulingAuthor(entry.actor or entry.side, entry.at)


def _is_same(one: ResultRecorded, other: ResultRecorded) -> bool:
    return (one.outcome, one.outcome_ew) == (other.outcome, other.outcome_ew)
