"""The round clock as the director has set it: time for a board and a move, start, and pause.

Pure: the state has no time of its own; callers that need the time left pass the current time.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from overtrick.event.command import Command
from overtrick.event.fact import Fact, fact
from overtrick.event.rejection import Problem, Reason, Rejection, reject, rejected

if TYPE_CHECKING:
    from overtrick.event.session import Session

LONGEST_BOARD = 3600
"""The most seconds for a board."""
LONGEST_MOVE = 3600
"""The most seconds for a move."""
MOST_WARNINGS = 5
MOST_ADDED = 7200
"""The most seconds that can be added or removed at once."""


@fact("clock-set")
class ClockSet(Fact):
    """The clock has this timing, and was started and paused at these times."""

    board_seconds: int = 450
    move_seconds: int = 120
    warnings: tuple[int, ...] = (300, 120)
    """Seconds before the end of play in a round."""
    started: datetime | None = None
    """The start of round `first`, shifted by the pauses and time added since; None: not running."""
    paused: datetime | None = None
    first: int = 1


@dataclass(frozen=True, slots=True)
class SetTiming(Command):
    """Set the seconds for a board and a move, and the warnings; a running clock keeps its start."""

    session: str
    board_seconds: int
    move_seconds: int
    warnings: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class StartClock(Command):
    """Start a round at a time."""

    session: str
    at: datetime
    round: int = 1


@dataclass(frozen=True, slots=True)
class PauseClock(Command):
    """Pause the clock."""

    session: str
    at: datetime


@dataclass(frozen=True, slots=True)
class ResumeClock(Command):
    """Resume the clock after a pause."""

    session: str
    at: datetime


@dataclass(frozen=True, slots=True)
class AddTime(Command):
    """Add time for everyone, or remove it with a negative number."""

    session: str
    seconds: int


@dataclass(frozen=True, slots=True)
class StopClock(Command):
    """Stop the clock and reset it to before the first round."""

    session: str


@dataclass(slots=True)
class SessionClock:
    """The session's clock."""

    setting: ClockSet = field(default_factory=ClockSet)

    def copy(self) -> SessionClock:
        """Return a copy that can be changed independently."""
        return SessionClock(self.setting)


def apply(clock: SessionClock, fact: Fact) -> None:
    """Apply one fact to the clock, in place."""
    if isinstance(fact, ClockSet):
        clock.setting = fact


def _fact_if_changed(session: Session, setting: ClockSet) -> tuple[Fact, ...]:
    return () if session.clock.setting == setting else (setting,)


def _reject_not_running() -> Rejection:
    return reject(Reason.NOT_ALLOWED, "The clock is not running.")


def set_timing(session: Session, command: SetTiming) -> tuple[Fact, ...] | Rejection:
    """Decide about the timing; rejected if a value is outside the limits of this module."""
    problems: list[Problem] = []
    if not 1 <= command.board_seconds <= LONGEST_BOARD:
        problems.append(
            Problem(Reason.NOT_ALLOWED, f"A board takes from 1 to {LONGEST_BOARD} seconds on the clock.")
        )
    if not 0 <= command.move_seconds <= LONGEST_MOVE:
        problems.append(
            Problem(Reason.NOT_ALLOWED, f"A move takes at most {LONGEST_MOVE} seconds on the clock.")
        )
    if len(command.warnings) > MOST_WARNINGS or not all(0 < warning <= 7200 for warning in command.warnings):
        problems.append(
            Problem(
                Reason.NOT_ALLOWED,
                f"There are at most {MOST_WARNINGS} warnings, each up to two hours before the end.",
            )
        )
    setting = replace(
        session.clock.setting,
        board_seconds=command.board_seconds,
        move_seconds=command.move_seconds,
        warnings=tuple(sorted(set(command.warnings), reverse=True)),
    )
    return rejected(problems) or _fact_if_changed(session, setting)


def start_clock(session: Session, command: StartClock) -> tuple[Fact, ...] | Rejection:
    """Decide to start a round; rejected if no section has that round."""
    last = max((session.movement.rounds(section) for section in session.setup.sections), default=0)
    if not 1 <= command.round <= last:
        return reject(Reason.UNKNOWN_PLACE, f"There is no round {command.round}: the last is round {last}.")
    return _fact_if_changed(
        session, replace(session.clock.setting, started=command.at, paused=None, first=command.round)
    )


def pause_clock(session: Session, command: PauseClock) -> tuple[Fact, ...] | Rejection:
    """Decide to pause the clock; pausing it again changes nothing."""
    clock = session.clock.setting
    if clock.started is None:
        return _reject_not_running()
    return () if clock.paused else _fact_if_changed(session, replace(clock, paused=command.at))


def resume_clock(session: Session, command: ResumeClock) -> tuple[Fact, ...] | Rejection:
    """Decide to resume the clock; the start is shifted by the length of the pause."""
    clock = session.clock.setting
    if clock.started is None:
        return _reject_not_running()
    if clock.paused is None:
        return ()
    return _fact_if_changed(
        session, replace(clock, started=clock.started + (command.at - clock.paused), paused=None)
    )


def add_time(session: Session, command: AddTime) -> tuple[Fact, ...] | Rejection:
    """Decide to add or remove time; rejected if the clock is not running."""
    clock = session.clock.setting
    if clock.started is None:
        return _reject_not_running()
    if abs(command.seconds) > MOST_ADDED:
        return reject(Reason.NOT_ALLOWED, "You can add or remove at most two hours at once.")
    return _fact_if_changed(
        session, replace(clock, started=clock.started + timedelta(seconds=command.seconds))
    )


def stop_clock(session: Session, command: StopClock) -> tuple[Fact, ...] | Rejection:
    """Decide to stop the clock."""
    return _fact_if_changed(session, replace(session.clock.setting, started=None, paused=None, first=1))
