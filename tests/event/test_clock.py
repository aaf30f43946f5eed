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


def test_a_clock_is_timed_started_paused_and_goes_on() -> None:
    house = minimal()
    timed = ClockSet(420, 90, (240, 60))
    assert do(house, SetTiming(SESSION, 420, 90, (60, 240, 60))) == [timed]
    assert do(house, SetTiming(SESSION, 420, 90, (240, 60))) == []
    assert do(house, StartClock(SESSION, NOON, 2)) == [ClockSet(420, 90, (240, 60), NOON, None, 2)]
    do(house, PauseClock(SESSION, NOON + MINUTE))
    assert do(house, PauseClock(SESSION, NOON + 2 * MINUTE)) == []
    resumed = do(house, ResumeClock(SESSION, NOON + 4 * MINUTE))
    assert resumed == [ClockSet(420, 90, (240, 60), NOON + 3 * MINUTE, None, 2)]
    assert do(house, ResumeClock(SESSION, NOON)) == []
    assert do(house, AddTime(SESSION, -60)) == [ClockSet(420, 90, (240, 60), NOON + 2 * MINUTE, None, 2)]
    assert do(house, StopClock(SESSION)) == [timed]
    assert do(house, StopClock(SESSION)) == []


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
def test_what_a_clock_that_stands_cannot_do(command: PauseClock) -> None:
    assert refuse(minimal(), command).reason is Reason.NOT_ALLOWED


def test_a_round_that_nobody_plays_does_not_begin() -> None:
    house = minimal()
    assert refuse(house, StartClock(SESSION, NOON, 4)).reason is Reason.UNKNOWN_PLACE
    do(house, StartClock(SESSION, NOON, 3))
    assert refuse(house, AddTime(SESSION, 10_000)).reason is Reason.NOT_ALLOWED
