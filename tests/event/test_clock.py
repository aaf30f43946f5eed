from datetime import timedelta

import pytest

from overtrick.event import Reason
from overtrick.event.clock import (
    AddTime,
    ClockSet,
    PauseClock,
    ResumeClock,
    SetTiming,
    StartClock,
    StopClock,
)
from tests.event.evenings import NOON, SESSION, do, minimal, refuse

MINUTE = timedelta(minutes=1)


def test_clock_is_set_started_paused_and_resumed() -> None:
    journal_state = minimal()
    timed = ClockSet(420, 90, (240, 60))
    assert do(journal_state, SetTiming(SESSION, 420, 90, (60, 240, 60))) == [timed]
    assert do(journal_state, SetTiming(SESSION, 420, 90, (240, 60))) == []
    assert do(journal_state, StartClock(SESSION, NOON, 2)) == [ClockSet(420, 90, (240, 60), NOON, None, 2)]
    do(journal_state, PauseClock(SESSION, NOON + MINUTE))
    assert do(journal_state, PauseClock(SESSION, NOON + 2 * MINUTE)) == []
    resumed = do(journal_state, ResumeClock(SESSION, NOON + 4 * MINUTE))
    assert resumed == [ClockSet(420, 90, (240, 60), NOON + 3 * MINUTE, None, 2)]
    assert do(journal_state, ResumeClock(SESSION, NOON)) == []
    assert do(journal_state, AddTime(SESSION, -60)) == [
        ClockSet(420, 90, (240, 60), NOON + 2 * MINUTE, None, 2)
    ]
    assert do(journal_state, StopClock(SESSION)) == [timed]
    assert do(journal_state, StopClock(SESSION)) == []


@pytest.mark.parametrize(
    "command",
    [
        PauseClock(SESSION, NOON),
        ResumeClock(SESSION, NOON),
        AddTime(SESSION, 60),
        SetTiming(SESSION, 0, 90, ()),
        SetTiming(SESSION, 420, -1, ()),
        SetTiming(SESSION, 420, 90, (0,)),
        SetTiming(SESSION, 420, 90, (1, 2, 3, 4, 5, 6)),
    ],
)
def test_command_that_a_stopped_clock_cannot_follow_is_refused(command: PauseClock) -> None:
    assert refuse(minimal(), command).reason is Reason.NOT_ALLOWED


def test_round_beyond_the_movement_cannot_be_started() -> None:
    journal_state = minimal()
    assert refuse(journal_state, StartClock(SESSION, NOON, 4)).reason is Reason.UNKNOWN_PLACE
    do(journal_state, StartClock(SESSION, NOON, 3))
    assert refuse(journal_state, AddTime(SESSION, 10_000)).reason is Reason.NOT_ALLOWED
