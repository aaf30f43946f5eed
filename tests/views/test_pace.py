"""The pace of simulated evenings: who is named slow, when the session ends, what to leave out."""

from collections.abc import Callable, Hashable
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from overtrick import movements
from overtrick.bridge import Side
from overtrick.event.clock import ClockSet, StartClock
from overtrick.event.movement import Contestant
from overtrick.event.results import CorrectResult, EnterResult, EraseResult, Origin, ResultEntry
from overtrick.views import Drop, RoundTimes, SessionPace, round_times
from tests.event.evenings import SESSION, entry
from tests.views.test_views import Followed

SEVEN = datetime(2024, 6, 3, 19, 0, tzinfo=UTC)
BOARD = 7.0
"""Minutes that everyone takes for a board, with the move."""
BELLS = {1: SEVEN}

Minutes = Callable[[RoundTimes], float]


def minutes(count: float) -> datetime:
    return SEVEN + timedelta(minutes=count)


def evening(
    movement: movements.Movement, per_board: Minutes, *, two_winners: bool = True
) -> list[RoundTimes]:
    """Return the rounds of a whole evening in which every table plays as soon as its pairs and the table are free."""
    free: dict[Hashable, datetime] = {}
    played = []
    for station in sorted(movement.stations, key=lambda each: each.round):
        if not (station.ns and station.ew):
            continue
        sides = (Side.NS, Side.EW) if two_winners else (None, None)
        pairs = (("A", station.ns, sides[0]), ("A", station.ew, sides[1]))
        of = RoundTimes("A", station.table, station.round, pairs, 0)
        at = max((free[who] for who in of.occupants if who in free), default=SEVEN)
        results = []
        for _ in station.boards:
            at += timedelta(minutes=per_board(of))
            results.append(at)
        free.update(dict.fromkeys(of.occupants, at))
        played.append(replace(of, results=tuple(results)))
    return played


def until(rounds: list[RoundTimes], now: datetime) -> list[RoundTimes]:
    """Return the rounds as they are known at a time."""
    known = [replace(of, results=tuple(at for at in of.results if at <= now)) for of in rounds]
    return [
        replace(part, missing=len(of.results) - len(part.results))
        for of, part in zip(rounds, known, strict=True)
    ]


def slow(pair: Contestant, extra: float) -> Minutes:
    return lambda of: BOARD + (extra if pair in of.pairs else 0)


def named(pace: SessionPace) -> list[Contestant]:
    return [line.pair for line in pace.slow_pairs]


MITCHELL = movements.mitchell(5, 3)
NS3: Contestant = ("A", 3, Side.NS)
EW2: Contestant = ("A", 2, Side.EW)


# Worked examples --------------------------------------------------------------------------------------------


def test_nothing_is_known_before_as_many_rounds_are_over_as_there_are_tables() -> None:
    rounds = evening(MITCHELL, lambda of: BOARD)
    early = SessionPace(until(rounds, minutes(20)), minutes(20), BELLS)
    assert (early.board, early.ends(), early.slow_pairs, early.slow_tables(), early.drops(SEVEN)) == (
        None,
        None,
        [],
        [],
        [],
    )
    # Round 1 has no begin without the clock, so only round 2 counts.
    assert SessionPace(until(rounds, minutes(41)), minutes(41)).board is None
    assert SessionPace(until(rounds, minutes(42)), minutes(42)).board == timedelta(minutes=7)
    assert SessionPace([], SEVEN).board is None


def test_pair_that_is_slow_everywhere_is_named_and_its_opponents_are_not() -> None:
    rounds = evening(MITCHELL, slow(EW2, 2.5))
    pace = SessionPace(rounds, minutes(200), BELLS)
    assert named(pace) == [EW2]
    assert pace.slow_pairs[0].rounds == 5
    assert pace.slow_pairs[0].excess > timedelta(minutes=2)


def test_pair_whose_one_long_round_was_with_a_slow_pair_is_not_named_half_way() -> None:
    rounds = evening(MITCHELL, slow(EW2, 4))
    for now in range(60, 180, 5):
        pace = SessionPace(until(rounds, minutes(now)), minutes(now), BELLS)
        assert set(named(pace)) <= {EW2}, now


def test_table_that_waits_for_a_slow_table_is_not_slow() -> None:
    # At table 3 nobody enters anything in round 2; everyone else plays on.
    played = evening(MITCHELL, lambda of: BOARD)
    now = minutes(21 + 3 * 21)
    stuck: set[Hashable] = {("A", 3)}
    rounds = []
    for of in played:
        waits = of.round >= 2 and not stuck.isdisjoint(of.occupants)
        if waits:
            stuck.update(of.occupants)
        rounds.append(replace(of, results=() if waits else of.results))
    rounds = [replace(of, missing=0 if of.results else 3) for of in rounds]
    pace = SessionPace(until_missing(rounds, now), now, BELLS)
    slow_tables = pace.slow_tables()
    assert [(line.table, line.round, line.entered) for line in slow_tables] == [(3, 2, 0)]
    assert slow_tables[0].late == timedelta(minutes=63 - 14)


def until_missing(rounds: list[RoundTimes], now: datetime) -> list[RoundTimes]:
    """Return rounds of three boards as they are known at a time."""
    known = [replace(of, results=tuple(at for at in of.results if at <= now)) for of in rounds]
    return [replace(of, missing=3 - len(of.results)) for of in known]


def test_late_next_board_makes_a_table_slow_after_half_a_board() -> None:
    rounds = until(evening(MITCHELL, lambda of: BOARD), minutes(28))
    # All have played the first board of round 2; the second is due at 35 minutes.
    assert SessionPace(rounds, minutes(38), BELLS).slow_tables() == []
    late = SessionPace(rounds, minutes(39), BELLS).slow_tables()
    assert [line.table for line in late] == [1, 2, 3, 4, 5]
    assert {(line.entered, line.boards, line.late) for line in late} == {(1, 3, timedelta(minutes=4))}


def test_tables_that_wait_for_the_bell_of_the_clock_are_not_slow() -> None:
    """Fast pairs wait for the bell; the time until then is not theirs."""
    bells = {number: minutes(30 * (number - 1)) for number in range(1, 6)}
    rounds = []
    for of in evening(MITCHELL, lambda of: BOARD):
        took = 8.5 if EW2 in of.pairs else 7.0
        rounds.append(
            replace(
                of,
                results=tuple(bells[of.round] + timedelta(minutes=took * n) for n in (1, 2, 3)),
            )
        )
    assert named(SessionPace(rounds, minutes(150), bells)) == [EW2]
    assert SessionPace(rounds, minutes(150), bells).board == timedelta(minutes=7)


def test_expected_end_and_what_to_leave_out() -> None:
    rounds = evening(MITCHELL, lambda of: 8.0)
    pace = SessionPace(until(rounds, minutes(53)), minutes(53), BELLS)
    assert pace.ends() == minutes(120)
    assert pace.drops(minutes(120)) == []
    assert pace.drops(minutes(112)) == [
        Drop(5, 5, False, minutes(112)),
        Drop(5, 5, True, minutes(96)),
    ]
    assert pace.drops(minutes(105)) == [
        Drop(4, 5, False, minutes(104)),
        Drop(5, 5, True, minutes(96)),
    ]
    # Round 3 has begun, though it has no result, so it cannot be left out.
    assert pace.drops(minutes(75)) == [Drop(4, 5, True, minutes(72))]
    assert pace.drops(minutes(71)) == []
    between = SessionPace(until(rounds, minutes(96)), minutes(96), BELLS)
    assert between.drops(minutes(100)) == [Drop(5, 5, True, minutes(96))]


def test_board_played_at_the_end_of_the_evening_does_not_make_its_round_long() -> None:
    rounds = evening(MITCHELL, lambda of: BOARD)
    late = [
        replace(of, results=(*of.results[:2], minutes(110))) if (of.table, of.round) == (2, 2) else of
        for of in rounds
    ]
    pace = SessionPace(late, minutes(120), BELLS)
    assert named(pace) == []
    assert pace.board == timedelta(minutes=7)
    # While it is missing, its pairs have gone on.
    without = [
        replace(of, results=of.results[:2], missing=1) if (of.table, of.round) == (2, 2) else of
        for of in rounds
    ]
    assert SessionPace(until(without, minutes(60)), minutes(60), BELLS).slow_tables() == []


# Properties -------------------------------------------------------------------------------------------------

tables = st.sampled_from([3, 5, 7, 9])
boards = st.integers(2, 4)


@given(tables, boards, st.data())
@settings(max_examples=60, deadline=None)
def test_only_the_slow_pair_of_an_evening_is_named_at_any_time(
    count: int, each: int, data: st.DataObject
) -> None:
    if data.draw(st.booleans()):
        movement, two = movements.mitchell(count, each), True
    else:
        movement, two = movements.howell(max(4, count - 1), each), False
    sides = [Side.NS, Side.EW] if two else [None]
    pair = ("A", data.draw(st.integers(1, count)), data.draw(st.sampled_from(sides)))
    rounds = evening(movement, slow(pair, data.draw(st.floats(1.6, 6))), two_winners=two)
    end = max(of.results[-1] for of in rounds)
    assert named(SessionPace(rounds, end, BELLS)) == [pair]
    now = SEVEN + (end - SEVEN) * data.draw(st.floats(0, 1))
    pace = SessionPace(until(rounds, now), now, BELLS)
    assert set(named(pace)) <= {pair}
    assert all(pair in line.pairs for line in pace.slow_tables())


@given(tables, boards, st.floats(0, 1), st.floats(-2, 8))
@settings(max_examples=60, deadline=None)
def test_end_of_an_even_evening_is_known_as_soon_as_the_pace_is(
    count: int, each: int, part: float, more: float
) -> None:
    rounds = evening(movements.mitchell(count, each), lambda of: BOARD + more)
    end = max(of.results[-1] for of in rounds)
    now = SEVEN + (end - SEVEN) * part
    pace = SessionPace(until(rounds, now), now, BELLS)
    assume(pace.board is not None and now < end)
    expected = pace.ends()
    assert expected is not None
    assert abs(expected - end) < timedelta(seconds=1)
    assert (pace.slow_pairs, pace.slow_tables()) == ([], [])


random_minutes = st.lists(st.floats(2, 15), min_size=25, max_size=25)


@given(random_minutes, st.integers(0, 240), st.integers(0, 240), st.integers(-500, 500))
@settings(max_examples=100, deadline=None)
def test_random_evening_never_ends_before_now_and_leaving_out_helps(
    each: list[float], at: int, by: int, shift: int
) -> None:
    rounds = evening(MITCHELL, lambda of: each[5 * (of.table - 1) + of.round - 1])
    now = minutes(at)
    known = until(rounds, now)
    pace = SessionPace(known, now, BELLS)
    ends = pace.ends()
    if pace.board is not None and any(of.missing for of in known):
        assert ends is not None
        assert ends >= now
    for drop in pace.drops(minutes(by)):
        assert ends is not None
        assert drop.ends <= minutes(by) < ends
        assert all(not of.results for of in known if of.round >= drop.first)
    # Only differences of times count.
    moved = timedelta(minutes=shift)
    later = SessionPace(
        [replace(of, results=tuple(at + moved for at in of.results)) for of in known],
        now + moved,
        {1: SEVEN + moved},
    )
    assert named(later) == named(pace)
    assert (None if ends is None else ends + moved) == later.ends()


@given(random_minutes, st.integers(2, 5), st.integers(5, 60))
@settings(max_examples=60, deadline=None)
def test_break_for_everyone_makes_no_pair_slow(each: list[float], number: int, length: int) -> None:
    """The clock rings each round; in one of them everybody has a break before the last board."""
    bells = {count: minutes(100 * (count - 1)) for count in range(1, 6)}
    rounds, with_break = [], []
    for of in evening(MITCHELL, lambda of: BOARD):
        took = each[5 * (of.table - 1) + of.round - 1]
        results = tuple(bells[of.round] + timedelta(minutes=took * n) for n in (1, 2, 3))
        rounds.append(replace(of, results=results))
        late = (*results[:2], results[2] + timedelta(minutes=length)) if of.round == number else results
        with_break.append(replace(of, results=late))
    shifted = {count: at + timedelta(minutes=length) * (count > number) for count, at in bells.items()}
    moved = [
        replace(of, results=tuple(at + timedelta(minutes=length) for at in of.results))
        if of.round > number
        else of
        for of in with_break
    ]
    one, other = SessionPace(rounds, minutes(900), bells), SessionPace(moved, minutes(900), shifted)
    for pair, excess in one._excess().items():
        for mine, theirs in zip(excess, other._excess()[pair], strict=True):
            assert abs(mine - theirs) < 0.01


# From a session's facts ------------------------------------------------------------------------------------


def test_times_of_a_session_are_those_of_the_first_entries_at_the_table() -> None:
    followed = Followed()
    followed.do(StartClock(SESSION, SEVEN))
    played = followed.view.session.movement.tables["A", 1].rounds[0]
    one, two = played.boards[:2]

    def times() -> RoundTimes:
        return next(of for of in round_times(followed.view) if (of.table, of.round) == (1, 1))

    def at(board: int, minute: float, outcome: str = "4SN=") -> ResultEntry:
        return replace(entry(1, 1, board, outcome), at=minutes(minute))

    assert times().missing == len(played.boards)
    followed.do(EnterResult(SESSION, at(one, 8)))
    followed.do(CorrectResult(SESSION, at(one, 90, "Pass"), Origin.DESK))
    assert times().results == (minutes(8),)
    followed.do(EnterResult(SESSION, at(two, 9), Origin.DESK))
    assert (times().results, times().missing) == ((minutes(8),), len(played.boards) - 2)
    followed.do(EraseResult(SESSION, "A", 1, 1, one, Origin.DESK))
    assert (times().results, times().missing) == ((), len(played.boards) - 1)
    followed.do(EnterResult(SESSION, at(one, 20, "NP")))
    assert times().results == ()
    assert followed.view.clocks == {1: ClockSet(started=SEVEN)}
