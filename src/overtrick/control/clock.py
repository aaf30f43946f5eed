"""The clock of a round: so many minutes a board and for moving, warnings before the end, and who is late.

Knows no time of its own: every question comes with the time that it is.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import Enum

from overtrick.views import Stage, TableProgress


class Phase(Enum):
    """What the clock shows."""

    NOT_STARTED = "not started"
    PLAYING = "playing"
    WARNING = "warning"
    MOVING = "moving"
    OVER = "over"
    PAUSED = "paused"


@dataclass(frozen=True, slots=True)
class Timing:
    """How long a round takes."""

    board: timedelta = timedelta(minutes=7, seconds=30)
    move: timedelta = timedelta(minutes=2)
    warnings: tuple[timedelta, ...] = (timedelta(minutes=5), timedelta(minutes=2))
    """How long before the end of play each warning is given."""

    def play(self, boards: int) -> timedelta:
        """The time to play that many boards."""
        return self.board * boards


@dataclass(frozen=True, slots=True)
class Reading:
    """What a clock says at a moment."""

    round: int
    phase: Phase
    left: timedelta
    """Until play ends, or, while moving, until the next round begins."""
    warning: timedelta | None = None
    """The last warning that is due."""


@dataclass(frozen=True, slots=True)
class RoundClock:
    """A clock that runs through the rounds of a section; all its changes are new clocks.

    >>> from datetime import UTC
    >>> seven = datetime(2024, 6, 3, 19, 0, tzinfo=UTC)
    >>> clock = RoundClock((3, 3), Timing()).start(seven)
    >>> clock.read(seven + timedelta(minutes=19)).phase, clock.read(seven + timedelta(minutes=23)).phase
    (<Phase.WARNING: 'warning'>, <Phase.MOVING: 'moving'>)
    """

    boards: tuple[int, ...]
    """How many boards each round has."""
    timing: Timing
    started: datetime | None = None
    paused: datetime | None = None
    first: int = 1
    """The round that began when the clock was started."""

    def start(self, at: datetime, number: int = 1) -> "RoundClock":
        """Round `number` begins now."""
        return replace(self, started=at, paused=None, first=number)

    def pause(self, at: datetime) -> "RoundClock":
        """Stop; once stopped it stays stopped."""
        return self if self.paused or self.started is None else replace(self, paused=at)

    def resume(self, at: datetime) -> "RoundClock":
        """Go on: the pause does not count."""
        if self.paused is None or self.started is None:
            return self
        return replace(self, started=self.started + (at - self.paused), paused=None)

    def add(self, time: timedelta) -> "RoundClock":
        """Give everyone more time, or with a negative one less."""
        return self if self.started is None else replace(self, started=self.started + time)

    def ends(self, number: int) -> datetime | None:
        """When play of a round ends; None where the clock does not run or has no such round."""
        begins = self.begins(number)
        return None if begins is None else begins + self.timing.play(self.boards[number - 1])

    def begins(self, number: int) -> datetime | None:
        """When a round begins."""
        if self.started is None or not self.first <= number <= len(self.boards):
            return None
        before = self.boards[self.first - 1 : number - 1]
        return self.started + sum(
            (self.timing.play(count) + self.timing.move for count in before), timedelta()
        )

    def read(self, at: datetime) -> Reading:
        """What the clock says at a time."""
        if self.started is None:
            return Reading(self.first, Phase.NOT_STARTED, timedelta())
        moment = self.paused or at
        for number in range(self.first, len(self.boards) + 1):
            ends = self.ends(number)
            if ends is None:
                break
            if moment < ends:
                return self._playing(number, ends - moment)
            if number < len(self.boards) and moment < ends + self.timing.move:
                phase = Phase.PAUSED if self.paused else Phase.MOVING
                return Reading(number, phase, ends + self.timing.move - moment)
        return Reading(len(self.boards), Phase.OVER, timedelta())

    def _playing(self, number: int, left: timedelta) -> Reading:
        due = [warning for warning in self.timing.warnings if left <= warning]
        warning = min(due, default=None)
        if self.paused:
            return Reading(number, Phase.PAUSED, left, warning)
        return Reading(number, Phase.WARNING if due else Phase.PLAYING, left, warning)

    def late(self, tables: Iterable[TableProgress], at: datetime) -> list[TableProgress]:
        """The tables that still play a round whose time is over, the latest first."""
        moment = self.paused or at
        found = []
        for table in tables:
            if table.stage not in (Stage.PLAYING, Stage.NOT_STARTED) or not table.round:
                continue
            ends = self.ends(table.round)
            if table.round < self.first or (ends is not None and ends <= moment):
                found.append(table)
        return sorted(found, key=lambda table: (table.round, table.section, table.table))
