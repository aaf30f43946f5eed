from dataclasses import replace
from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from overtrick.control.clock import ClockPhase, RoundClock
from overtrick.event.clock import ClockSet
from overtrick.event.results import EnterResult
from overtrick.views import round_monitor
from tests.control.session_without_journal import SessionWithoutJournal
from tests.event.evenings import SESSION, entry

SEVEN = datetime(2024, 6, 3, 19, 0, tzinfo=UTC)
TIMED = ClockSet(board_seconds=420, move_seconds=180, warnings=(300, 60))
RUNNING = RoundClock((4, 4, 4), replace(TIMED, started=SEVEN))


def minutes(count: float) -> datetime:
    return SEVEN + timedelta(minutes=count)


def test_clock_shows_play_warning_and_move_of_three_rounds() -> None:
    clock = RUNNING
    seen = [
        (at, reading.round, reading.phase)
        for at in (0, 22, 23, 28, 30, 31, 60, 62, 89, 90)
        for reading in [clock.read(minutes(at))]
    ]
    assert seen == [
        (0, 1, ClockPhase.PLAYING),
        (22, 1, ClockPhase.PLAYING),
        (23, 1, ClockPhase.WARNING),
        (28, 1, ClockPhase.MOVING),
        (30, 1, ClockPhase.MOVING),
        (31, 2, ClockPhase.PLAYING),
        (60, 2, ClockPhase.MOVING),
        (62, 3, ClockPhase.PLAYING),
        (89, 3, ClockPhase.WARNING),
        (90, 3, ClockPhase.OVER),
    ]
    assert clock.read(minutes(23)).warning == timedelta(minutes=5)
    assert clock.read(minutes(27)).warning == timedelta(minutes=1)
    assert clock.read(minutes(27)).left == timedelta(minutes=1)
    assert clock.read(minutes(29)).left == timedelta(minutes=2)


def test_clock_without_a_start_is_not_started() -> None:
    clock = RoundClock((4, 4, 4), TIMED)
    assert clock.read(SEVEN).phase is ClockPhase.NOT_STARTED
    assert clock.ends(1) is None


def test_a_clock_that_is_paused_stands_still() -> None:
    clock = RoundClock((4, 4, 4), replace(TIMED, started=SEVEN, paused=minutes(10)))
    assert clock.read(minutes(50)) == replace(RUNNING.read(minutes(10)), phase=ClockPhase.PAUSED)


def test_a_clock_can_be_started_in_a_later_round() -> None:
    clock = RoundClock((4, 4, 4), replace(TIMED, started=SEVEN, first=3))
    assert clock.read(minutes(1)).round == 3
    assert clock.begins(2) is None


def test_the_late_table_is_named() -> None:
    session = SessionWithoutJournal()
    clock = RUNNING
    for board in (1, 2, 3, 4):
        session.do(EnterResult(SESSION, entry(1, 1, board, "NP")))
    tables = round_monitor(session.view)
    assert clock.late(tables, minutes(27)) == []
    assert [(table.section, table.table) for table in clock.late(tables, minutes(28))] == [("A", 2)]
    assert [(table.section, table.table) for table in clock.late(tables, minutes(60))] == [("A", 2), ("A", 1)]


@given(
    st.lists(st.integers(1, 6), min_size=1, max_size=12), st.lists(st.floats(0, 900), min_size=2, max_size=20)
)
def test_clock_never_goes_back(boards: list[int], moments: list[float]) -> None:
    clock = RoundClock(tuple(boards), replace(TIMED, started=SEVEN))
    rounds = [clock.read(minutes(at)).round for at in sorted(moments)]
    assert rounds == sorted(rounds)
    assert all(clock.read(minutes(at)).left >= timedelta() for at in moments)
