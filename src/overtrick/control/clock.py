"""The round clock: the time per board and for moving, warnings before the end, and the tables that are late.

Pure: the current time is an argument.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import Enum

from overtrick.event.clock import ClockSet
from overtrick.views import TableProgress, TableStage


class ClockPhase(Enum):
    """The phase of a round that the clock shows."""

    NOT_STARTED = "not started"
    PLAYING = "playing"
    WARNING = "warning"
    MOVING = "moving"
    OVER = "over"
    PAUSED = "paused"


@dataclass(frozen=True, slots=True)
class ClockReading:
    """The display of a clock at a moment."""

    round: int
    phase: ClockPhase
    left: timedelta
    """Time until play ends or, while moving, until the next round begins."""
    warning: timedelta | None = None
    """The last warning that is due."""


@dataclass(frozen=True, slots=True)
class RoundClock:
    """The clock of a session's rounds, as it was last set.

    >>> from datetime import UTC
    >>> seven = datetime(2024, 6, 3, 19, 0, tzinfo=UTC)
    >>> clock = RoundClock((3, 3), ClockSet(started=seven))
    >>> clock.read(seven + timedelta(minutes=19)).phase, clock.read(seven + timedelta(minutes=23)).phase
    (<ClockPhase.WARNING: 'warning'>, <ClockPhase.MOVING: 'moving'>)
    """

    boards: tuple[int, ...]
    """The number of boards of each round."""
    setting: ClockSet

    @property
    def move(self) -> timedelta:
        """Return the time to move."""
        return timedelta(seconds=self.setting.move_seconds)

    @property
    def warnings(self) -> list[timedelta]:
        """Return the time of each warning before the end of play."""
        return [timedelta(seconds=seconds) for seconds in self.setting.warnings]

    def play(self, boards: int) -> timedelta:
        """Return the time to play that many boards."""
        return timedelta(seconds=self.setting.board_seconds) * boards

    def ends(self, number: int) -> datetime | None:
        """Return the end of play of a round; None if the clock does not run or has no such round."""
        begins = self.begins(number)
        return None if begins is None else begins + self.play(self.boards[number - 1])

    def begins(self, number: int) -> datetime | None:
        """Return the start of a round; None if the clock does not run or has no such round."""
        first, started = self.setting.first, self.setting.started
        if started is None or not first <= number <= len(self.boards):
            return None
        earlier_rounds = self.boards[first - 1 : number - 1]
        return started + sum((self.play(count) + self.move for count in earlier_rounds), timedelta())

    def read(self, at: datetime) -> ClockReading:
        """Return the display of the clock at a time."""
        if self.setting.started is None:
            return ClockReading(self.setting.first, ClockPhase.NOT_STARTED, timedelta())
        moment = self.setting.paused or at
        for number in range(self.setting.first, len(self.boards) + 1):
            ends = self.ends(number)
            if ends is None:
                break
            if moment < ends:
                return self._playing(number, ends - moment)
            if number < len(self.boards) and moment < ends + self.move:
                phase = ClockPhase.PAUSED if self.setting.paused else ClockPhase.MOVING
                return ClockReading(number, phase, ends + self.move - moment)
        return ClockReading(len(self.boards), ClockPhase.OVER, timedelta())

    def _playing(self, number: int, time_left: timedelta) -> ClockReading:
        due = [warning for warning in self.warnings if time_left <= warning]
        warning = min(due, default=None)
        if self.setting.paused:
            return ClockReading(number, ClockPhase.PAUSED, time_left, warning)
        return ClockReading(number, ClockPhase.WARNING if due else ClockPhase.PLAYING, time_left, warning)

    def late(self, tables: Iterable[TableProgress], at: datetime) -> list[TableProgress]:
        """Return the tables that still play a round whose time is over, those of the earliest round first."""
        moment = self.setting.paused or at
        late = []
        for table in tables:
            if table.stage not in (TableStage.PLAYING, TableStage.NOT_STARTED) or not table.round:
                continue
            ends = self.ends(table.round)
            if table.round < self.setting.first or (ends is not None and ends <= moment):
                late.append(table)
        return sorted(late, key=lambda table: (table.round, table.section, table.table))
