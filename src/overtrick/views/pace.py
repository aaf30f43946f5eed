"""The pace of a session: slow tables, slow pairs, the expected end, and what to leave out to end on time. Pure.

The time of a round at a table begins when its pairs have finished their previous tables and the table is free, but not
before the round clock starts the round. A table that waits for a slow table has not begun, so it is not slow.

A long round does not show which of the two pairs is slow. Each pair is therefore compared with its opponents: its
rounds with the rounds that the same opponents play with others. So a pair that waited for a slow pair, or met one,
is not slow itself.
"""

from bisect import bisect_right
from collections.abc import Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import cached_property
from statistics import fmean, median, median_low

from overtrick.bridge import NotPlayed, Side
from overtrick.event import Session
from overtrick.event.movement import Contestant, Round, contestant, is_played, is_teams
from overtrick.event.setup import GameKind
from overtrick.views.session import SessionView

FEWEST_ROUNDS = 2
"""The number of a pair's rounds that must be compared before the pair is called slow."""
SLOW_PAIR = 1 / 8
"""A pair is slow if its rounds take longer by this share than those of its opponents with others."""
SLOW_TABLE = 1 / 2
"""A table is slow if its next result is late by this share of the time for a board."""


@dataclass(frozen=True, slots=True)
class RoundTimes:
    """A round at a table that two pairs play, with the times at which the table entered its results."""

    section: str
    table: int
    round: int
    pairs: tuple[Contestant, ...]
    """Two pairs, or the four players of an individual."""
    missing: int
    """The number of boards without a result."""
    results: tuple[datetime, ...] = ()
    """The time of each result, in order, without boards that were not played and results that others entered."""

    @property
    def occupants(self) -> tuple[Hashable, ...]:
        """Return what a round needs to begin: its pairs and its table."""
        return *self.pairs, (self.section, self.table)


@dataclass(frozen=True, slots=True)
class SlowTable:
    """A table that is slow now."""

    section: str
    table: int
    round: int
    pairs: tuple[Contestant, ...]
    entered: int
    boards: int
    late: timedelta
    """The time by which its next result is late."""


@dataclass(frozen=True, slots=True)
class SlowPair:
    """A pair that is slow at all its tables."""

    pair: Contestant
    excess: timedelta
    """The time that its rounds take longer, for each board."""
    rounds: int
    """The number of its rounds that were compared."""


@dataclass(frozen=True, slots=True)
class Drop:
    """Boards to leave out: whole rounds from `first` to `last`, or one board in each of them."""

    first: int
    last: int
    is_whole: bool
    ends: datetime
    """The expected end of the session without them."""


@dataclass(frozen=True, slots=True)
class _TimedRound:
    """A round with its begin (None if unknown, or if the round has to wait) and its end (None before it is over)."""

    times: RoundTimes
    begins: datetime | None
    ends: datetime | None
    entered: int
    """The number of results that were entered before a pair went on to its next round."""
    is_over: bool
    is_waiting: bool

    @property
    def per_board(self) -> float | None:
        """Return the seconds for a board of a finished round, with the move before it; None if not known."""
        if self.begins is None or self.ends is None:
            return None
        return (self.ends - self.begins).total_seconds() / self.entered


class SessionPace:
    """The pace of a session at a time.

    `bells` has the time at which the round clock starts each round, or has started it, as far as the clock is in use.
    """

    def __init__(
        self, rounds: Iterable[RoundTimes], now: datetime, bells: Mapping[int, datetime] | None = None
    ) -> None:
        self.now = now
        self._timed_rounds = _time_rounds(sorted(rounds, key=lambda times: times.round), bells or {})

    @cached_property
    def board(self) -> timedelta | None:
        """The usual time for a board, with its share of the move; None while it is too early to tell.

        It is too early until as many rounds are finished as there are tables, because the first to finish are fast.
        """
        seconds_a_board = [
            seconds for timed in self._timed_rounds if (seconds := timed.per_board) is not None
        ]
        tables = {(timed.times.section, timed.times.table) for timed in self._timed_rounds}
        return (
            timedelta(seconds=median(seconds_a_board))
            if len(seconds_a_board) >= max(2, len(tables))
            else None
        )

    def slow_tables(self) -> list[SlowTable]:
        """Return the tables whose next result is late, the latest first."""
        if self.board is None:
            return []
        slow = []
        for timed in self._timed_rounds:
            if timed.is_over or timed.begins is None:
                continue
            boards = timed.entered + timed.times.missing
            # Some tables enter the first board together with the second.
            due = timed.entered + 1 if timed.entered else min(2, boards)
            late = self.now - timed.begins - due * self.board
            if late >= SLOW_TABLE * self.board:
                times = timed.times
                slow.append(
                    SlowTable(
                        times.section, times.table, times.round, times.pairs, timed.entered, boards, late
                    )
                )
        return sorted(slow, key=lambda line: line.late, reverse=True)

    @cached_property
    def slow_pairs(self) -> list[SlowPair]:
        """The pairs that are slow against everyone, the slowest first; empty while it is too early to tell."""
        if self.board is None:
            return []
        least = SLOW_PAIR * self.board.total_seconds()
        slow = [
            SlowPair(pair, timedelta(seconds=fmean(excess)), len(excess))
            for pair, excess in self._excess().items()
            if len(excess) >= FEWEST_ROUNDS and fmean(excess) >= least
        ]
        return sorted(slow, key=lambda line: line.excess, reverse=True)

    def _excess(self) -> dict[Contestant, list[float]]:
        """Return for each pair the seconds by which each of its rounds took longer, for each board.

        A round counts as the difference to the other tables of its section, because a break makes one round longer for
        all. It is compared with the other rounds of the opponents.
        """
        by_round: dict[tuple[str, int], list[_TimedRound]] = {}
        for timed in self._timed_rounds:
            if timed.per_board is not None:
                by_round.setdefault((timed.times.section, timed.times.round), []).append(timed)
        delays: dict[Contestant, dict[int, float]] = {}  # by the number of the round
        for same_round in by_round.values():
            if len(same_round) < 2:
                continue
            usual = median_low([timed.per_board or 0.0 for timed in same_round])
            for timed in same_round:
                for pair in timed.times.pairs:
                    delays.setdefault(pair, {})[timed.times.round] = (timed.per_board or 0.0) - usual
        excess: dict[Contestant, list[float]] = {}
        for timed in (
            timed for same_round in by_round.values() if len(same_round) > 1 for timed in same_round
        ):
            number = timed.times.round
            sums = [
                (sum(delays[pair].values()) - delays[pair][number], len(delays[pair]) - 1)
                for pair in timed.times.pairs
            ]
            for place, pair in enumerate(timed.times.pairs):
                others = [
                    total / count
                    for other_place, (total, count) in enumerate(sums)
                    if other_place != place and count
                ]
                if others:
                    excess.setdefault(pair, []).append(delays[pair][number] - fmean(others))
        return excess

    def ends(self) -> datetime | None:
        """Return the expected end of the session; None while it is too early to tell, or if nothing is left to play."""
        return self._expected_end(self._timed_rounds)

    def drops(self, by: datetime) -> list[Drop]:
        """Return what to leave out so that the session ends by a time, the fewest boards first.

        That is the least number of last rounds with one board fewer, and of last rounds that are not played at all.
        Only rounds that no table has begun can be left out. Empty if nothing must be left out, or nothing helps.
        """
        ends = self.ends()
        if ends is None or ends <= by:
            return []
        begun = max((timed.times.round for timed in self._timed_rounds if self._has_begun(timed)), default=0)
        to_come = sorted(
            {
                timed.times.round
                for timed in self._timed_rounds
                if timed.times.round > begun and not timed.is_over
            }
        )
        options = []
        for is_whole in (False, True):
            # The more is left out, the earlier the end: search the last round from which it is early enough.
            drop: Drop | None = None
            low, high = 0, len(to_come)
            while low < high:
                middle = (low + high) // 2
                # If nothing is left to play, the session is over now.
                new_end = self._expected_end(self._without(to_come[middle], is_whole)) or self.now
                if new_end <= by:
                    drop, low = Drop(to_come[middle], to_come[-1], is_whole, new_end), middle + 1
                else:
                    high = middle
            if drop is not None:
                options.append(drop)
        return options

    def _has_begun(self, timed: _TimedRound) -> bool:
        """Return whether a table has a result of a round, or has been at it for half the time of a board."""
        if timed.entered or timed.begins is None or self.board is None:
            return timed.entered > 0
        return self.now - timed.begins >= self.board / 2

    def _without(self, first: int, is_whole: bool) -> Iterator[_TimedRound]:
        """Yield the rounds without those from `first` on, or with one board fewer in those that have several."""
        for timed in self._timed_rounds:
            times = timed.times
            if times.round < first or timed.is_over:
                yield timed
            elif not is_whole:
                yield replace(timed, times=replace(times, missing=max(1, times.missing - 1)))

    def _expected_end(self, rounds: Iterable[_TimedRound]) -> datetime | None:
        """Return the end of the last of these rounds if everyone plays at the usual pace, and slow pairs at theirs."""
        if self.board is None:
            return None
        excess = {line.pair: line.excess for line in self.slow_pairs}
        free: dict[Hashable, datetime] = {}
        last = None
        for timed in rounds:
            ends = timed.ends
            if not timed.is_over:
                board = self.board + sum(
                    (excess.get(pair, timedelta()) for pair in timed.times.pairs), timedelta()
                )
                free_times = [free[occupant] for occupant in timed.times.occupants if occupant in free]
                begins = timed.begins or max(free_times, default=self.now)
                since = max(begins, *timed.times.results) if timed.times.results else begins
                # The board that is played now may be over at any moment.
                ends = max(since + timed.times.missing * board, self.now + (timed.times.missing - 1) * board)
                last = ends if last is None else max(last, ends)
            if ends is not None:
                free.update(
                    (occupant, max(ends, free.get(occupant, ends))) for occupant in timed.times.occupants
                )
        return last


def _time_rounds(rounds: list[RoundTimes], bells: Mapping[int, datetime]) -> list[_TimedRound]:
    """Return the rounds, which are in order, each with its begin and end."""
    next_starts = _next_starts(rounds)
    free: dict[Hashable, datetime] = {}
    busy: set[Hashable] = set()
    timed = []
    for times, left_at in zip(rounds, next_starts, strict=True):
        # A board that was left out and played at the end of the evening does not make its round longer.
        in_time = times.results if left_at is None else times.results[: bisect_right(times.results, left_at)]
        is_over = not times.missing or left_at is not None
        is_waiting = not busy.isdisjoint(times.occupants)
        begins = None
        if not is_waiting:
            earliest = [free[occupant] for occupant in times.occupants if occupant in free]
            bell = bells.get(times.round)
            if bell is not None and (not in_time or bell < in_time[0]):
                earliest.append(bell)
            begins = max(earliest, default=None)
            if begins is not None and in_time and begins >= in_time[0]:
                begins = None  # entered late or in another order: the times of this round say nothing
        ends = in_time[-1] if is_over and in_time else None
        timed.append(_TimedRound(times, begins, ends, len(in_time), is_over, is_waiting))
        if not is_over:
            busy.update(times.occupants)
        elif ends is not None:
            free.update((occupant, max(ends, free.get(occupant, ends))) for occupant in times.occupants)
    return timed


def _next_starts(rounds: list[RoundTimes]) -> list[datetime | None]:
    """Return for each round the first result of one of its pairs, or of its table, in a later round."""
    first: dict[Hashable, datetime] = {}
    starts: list[datetime | None] = []
    for times in reversed(rounds):
        starts.append(
            min((first[occupant] for occupant in times.occupants if occupant in first), default=None)
        )
        if times.results:
            first.update(
                (occupant, min(times.results[0], first.get(occupant, times.results[0])))
                for occupant in times.occupants
            )
    return starts[::-1]


def round_times(view: SessionView) -> list[RoundTimes]:
    """Return every round of the movement that two pairs play, with the times of its results."""
    session = view.session
    standing = session.results.standing
    times = []
    for (section, table), table_rounds in session.movement.tables.items():
        for number, round_ in enumerate(table_rounds.rounds, start=1):
            if not is_played(session.setup.sections[section], round_):
                continue
            places = [(section, table, number, board) for board in round_.boards]
            results = sorted(
                view.entered[place]
                for place in places
                if place in view.entered
                and place in standing
                and not isinstance(standing[place].outcome, NotPlayed)
            )
            missing = sum(place not in standing for place in places)
            pairs = _pairs(session, section, round_)
            times.append(RoundTimes(section, table, number, pairs, missing, tuple(results)))
    return times


def _pairs(session: Session, letters: str, round_: Round) -> tuple[Contestant, ...]:
    section = session.setup.sections[letters]
    if section.game is GameKind.INDIVIDUAL and round_.south and round_.west:
        return tuple((letters, number, None) for number in (round_.ns, round_.south, round_.ew, round_.west))
    if is_teams(session, section):
        # The two pairs of a team sit at different tables.
        return (letters, round_.ns, Side.NS), (letters, round_.ew, Side.EW)
    return (
        contestant(session, letters, round_.ns, Side.NS),
        contestant(session, letters, round_.ew, Side.EW),
    )
