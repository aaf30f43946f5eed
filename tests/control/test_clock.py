from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from overtrick.control.clock import Phase, RoundClock, Timing
from overtrick.event.results import EnterResult
from overtrick.views import round_monitor
from tests.control.room import Room
from tests.event.evenings import SESSION, entry

SEVEN = datetime(2024, 6, 3, 19, 0, tzinfo=UTC)
TIMING = Timing(timedelta(minutes=7), timedelta(minutes=3), (timedelta(minutes=5), timedelta(minutes=1)))
CLOCK = RoundClock((4, 4, 4), TIMING)


def minutes(count: float) -> datetime:
    return SEVEN + timedelta(minutes=count)


def test_an_evening_of_three_rounds() -> None:
    clock = CLOCK.start(SEVEN)
    seen = [
        (at, reading.round, reading.phase)
        for at in (0, 22, 23, 28, 30, 31, 60, 62, 89, 90)
        for reading in [clock.read(minutes(at))]
    ]
    assert seen == [
        (0, 1, Phase.PLAYING),
        (22, 1, Phase.PLAYING),
        (23, 1, Phase.WARNING),
        (28, 1, Phase.MOVING),
        (30, 1, Phase.MOVING),
        (31, 2, Phase.PLAYING),
        (60, 2, Phase.MOVING),
        (62, 3, Phase.PLAYING),
        (89, 3, Phase.WARNING),
        (90, 3, Phase.OVER),
    ]
    assert clock.read(minutes(23)).warning == timedelta(minutes=5)
    assert clock.read(minutes(27)).warning == timedelta(minutes=1)
    assert clock.read(minutes(27)).left == timedelta(minutes=1)
    assert clock.read(minutes(29)).left == timedelta(minutes=2)


def test_a_clock_that_was_not_started_says_so() -> None:
    assert CLOCK.read(SEVEN).phase is Phase.NOT_STARTED
    assert CLOCK.pause(SEVEN) == CLOCK.resume(SEVEN) == CLOCK.add(TIMING.move) == CLOCK
    assert CLOCK.ends(1) is None


def test_a_pause_does_not_count_and_more_time_does() -> None:
    clock = CLOCK.start(SEVEN).pause(minutes(10))
    assert clock.read(minutes(50)) == clock.read(minutes(10))
    assert clock.read(minutes(50)).phase is Phase.PAUSED
    clock = clock.pause(minutes(11)).resume(minutes(50))
    assert clock.ends(1) == minutes(68)
    assert clock.add(timedelta(minutes=5)).ends(1) == minutes(73)


def test_a_clock_can_be_started_in_a_later_round() -> None:
    clock = CLOCK.start(SEVEN, 3)
    assert clock.read(minutes(1)).round == 3
    assert clock.begins(2) is None


def test_the_late_table_is_named() -> None:
    room = Room()
    clock = CLOCK.start(SEVEN)
    for board in (1, 2, 3, 4):
        room.do(EnterResult(SESSION, entry(1, 1, board, "NP")))
    tables = round_monitor(room.view)
    assert clock.late(tables, minutes(27)) == []
    assert [(table.section, table.table) for table in clock.late(tables, minutes(28))] == [("A", 2)]
    assert [(table.section, table.table) for table in clock.late(tables, minutes(60))] == [("A", 2), ("A", 1)]


@given(
    st.lists(st.integers(1, 6), min_size=1, max_size=12), st.lists(st.floats(0, 900), min_size=2, max_size=20)
)
def test_time_never_goes_back(boards: list[int], moments: list[float]) -> None:
    clock = RoundClock(tuple(boards), TIMING).start(SEVEN)
    rounds = [clock.read(minutes(at)).round for at in sorted(moments)]
    assert rounds == sorted(rounds)
    assert all(clock.read(minutes(at)).left >= timedelta() for at in moments)
