"""The pace of a session: slow tables, slow pairs, the expected end, and what to leave out to end on time. Pure.

The time of a round at a table begins when its pairs have finished their previous tables and the table is free, but not
before the round clock starts the round. A table that waits for a slow table has not begun, so it is not slow.

A long round does not tell which of the two pairs is slow. Each pair is therefore compared with its opponents: its
rounds against the rounds that the same opponents play with others. Who has waited for, or met, a slow pair is not slow.
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
class _Timed:
    """A round with its begin, None if that is unknown or the round has to wait, and its end, None before it is over."""

    of: RoundTimes
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

    `bells` are the times at which the round clock starts or has started each round, as far as it is in use.
    """

    def __init__(
        self, rounds: Iterable[RoundTimes], now: datetime, bells: Mapping[int, datetime] | None = None
    ) -> None:
        self.now = now
        self._timed = _timed(sorted(rounds, key=lambda each: each.round), bells or {})

    @cached_property
    def board(self) -> timedelta | None:
        """The usual time for a board, with its share of the move; None while it is too early to tell.

        That is until as many rounds are finished as there are tables: the first ones to finish are fast.
        """
        known = [seconds for each in self._timed if (seconds := each.per_board) is not None]
        tables = {(each.of.section, each.of.table) for each in self._timed}
        return timedelta(seconds=median(known)) if len(known) >= max(2, len(tables)) else None

    def slow_tables(self) -> list[SlowTable]:
        """Return the tables whose next result is late by their own time, the latest first."""
        if self.board is None:
            return []
        slow = []
        for each in self._timed:
            if each.is_over or each.begins is None:
                continue
            boards = each.entered + each.of.missing
            # Some tables enter the first board together with the second.
            due = each.entered + 1 if each.entered else min(2, boards)
            late = self.now - each.begins - due * self.board
            if late >= SLOW_TABLE * self.board:
                of = each.of
                slow.append(SlowTable(of.section, of.table, of.round, of.pairs, each.entered, boards, late))
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
        by_round: dict[tuple[str, int], list[_Timed]] = {}
        for each in self._timed:
            if each.per_board is not None:
                by_round.setdefault((each.of.section, each.of.round), []).append(each)
        played: dict[Contestant, dict[int, float]] = {}  # by the number of the round
        for together in by_round.values():
            if len(together) < 2:
                continue
            usual = median_low([each.per_board or 0.0 for each in together])
            for each in together:
                for pair in each.of.pairs:
                    played.setdefault(pair, {})[each.of.round] = (each.per_board or 0.0) - usual
        found: dict[Contestant, list[float]] = {}
        for each in (each for together in by_round.values() if len(together) > 1 for each in together):
            number = each.of.round
            sums = [
                (sum(played[pair].values()) - played[pair][number], len(played[pair]) - 1)
                for pair in each.of.pairs
            ]
            for place, pair in enumerate(each.of.pairs):
                others = [total / count for at, (total, count) in enumerate(sums) if at != place and count]
                if others:
                    found.setdefault(pair, []).append(played[pair][number] - fmean(others))
        return found

    def ends(self) -> datetime | None:
        """Return the expected end of the session; None while it is too early to tell, or if nothing is left to play."""
        return self._expected(self._timed)

    def drops(self, by: datetime) -> list[Drop]:
        """Return what to leave out so that the session ends by a time, the fewest boards first.

        That is the least number of last rounds with one board fewer, and of last rounds that are not played at all.
        Only rounds that no table has begun can be left out. Empty if nothing must be left out, or nothing helps.
        """
        ends = self.ends()
        if ends is None or ends <= by:
            return []
        begun = max((each.of.round for each in self._timed if self._has_begun(each)), default=0)
        to_come = sorted(
            {each.of.round for each in self._timed if each.of.round > begun and not each.is_over}
        )
        options = []
        for is_whole in (False, True):
            # The more is left out, the earlier the end: search the last round from which it is early enough.
            found: Drop | None = None
            low, high = 0, len(to_come)
            while low < high:
                middle = (low + high) // 2
                # If nothing is left to play, the session is over now.
                without = self._expected(self._without(to_come[middle], is_whole)) or self.now
                if without <= by:
                    found, low = Drop(to_come[middle], to_come[-1], is_whole, without), middle + 1
                else:
                    high = middle
            if found is not None:
                options.append(found)
        return options

    def _has_begun(self, timed: _Timed) -> bool:
        """Return whether a table has a result of a round, or has been at it for half the time of a board."""
        if timed.entered or timed.begins is None or self.board is None:
            return timed.entered > 0
        return self.now - timed.begins >= self.board / 2

    def _without(self, first: int, is_whole: bool) -> Iterator[_Timed]:
        """Yield the rounds without those from `first` on, or with one board fewer in those that have several."""
        for each in self._timed:
            of = each.of
            if of.round < first or each.is_over:
                yield each
            elif not is_whole:
                yield replace(each, of=replace(of, missing=max(1, of.missing - 1)))

    def _expected(self, rounds: Iterable[_Timed]) -> datetime | None:
        """Return the end of the last of these rounds if everyone plays at the usual pace, and slow pairs at theirs."""
        if self.board is None:
            return None
        excess = {line.pair: line.excess for line in self.slow_pairs}
        free: dict[Hashable, datetime] = {}
        last = None
        for each in rounds:
            ends = each.ends
            if not each.is_over:
                board = self.board + sum(
                    (excess.get(pair, timedelta()) for pair in each.of.pairs), timedelta()
                )
                known = [free[who] for who in each.of.occupants if who in free]
                begins = each.begins or max(known, default=self.now)
                since = max(begins, *each.of.results) if each.of.results else begins
                # The board that is played now may be over at any moment.
                ends = max(since + each.of.missing * board, self.now + (each.of.missing - 1) * board)
                last = ends if last is None else max(last, ends)
            if ends is not None:
                free.update((who, max(ends, free.get(who, ends))) for who in each.of.occupants)
        return last


def _timed(rounds: list[RoundTimes], bells: Mapping[int, datetime]) -> list[_Timed]:
    """Return rounds, which are in order, with begin and end."""
    gone_on = _gone_on(rounds)
    free: dict[Hashable, datetime] = {}
    busy: set[Hashable] = set()
    timed = []
    for of, left in zip(rounds, gone_on, strict=True):
        # A board that was left out and played at the end of the evening does not make its round longer.
        in_time = of.results if left is None else of.results[: bisect_right(of.results, left)]
        is_over = not of.missing or left is not None
        is_waiting = not busy.isdisjoint(of.occupants)
        begins = None
        if not is_waiting:
            known = [free[who] for who in of.occupants if who in free]
            bell = bells.get(of.round)
            if bell is not None and (not in_time or bell < in_time[0]):
                known.append(bell)
            begins = max(known, default=None)
            if begins is not None and in_time and begins >= in_time[0]:
                begins = None  # entered late or in another order: the times of this round say nothing
        ends = in_time[-1] if is_over and in_time else None
        timed.append(_Timed(of, begins, ends, len(in_time), is_over, is_waiting))
        if not is_over:
            busy.update(of.occupants)
        elif ends is not None:
            free.update((who, max(ends, free.get(who, ends))) for who in of.occupants)
    return timed


def _gone_on(rounds: list[RoundTimes]) -> list[datetime | None]:
    """Return for each round the first result of one of its pairs, or of its table, in a later round."""
    first: dict[Hashable, datetime] = {}
    found: list[datetime | None] = []
    for of in reversed(rounds):
        found.append(min((first[who] for who in of.occupants if who in first), default=None))
        if of.results:
            first.update((who, min(of.results[0], first.get(who, of.results[0]))) for who in of.occupants)
    return found[::-1]


def round_times(view: SessionView) -> list[RoundTimes]:
    """Return every round of the movement that two pairs play, with the times of its results."""
    session = view.session
    standing = session.results.standing
    times = []
    for (section, table), at in session.movement.tables.items():
        for number, played in enumerate(at.rounds, start=1):
            if not is_played(session.setup.sections[section], played):
                continue
            places = [(section, table, number, board) for board in played.boards]
            results = sorted(
                view.entered[place]
                for place in places
                if place in view.entered
                and place in standing
                and not isinstance(standing[place].outcome, NotPlayed)
            )
            missing = sum(place not in standing for place in places)
            pairs = _pairs(session, section, played)
            times.append(RoundTimes(section, table, number, pairs, missing, tuple(results)))
    return times


def _pairs(session: Session, letters: str, played: Round) -> tuple[Contestant, ...]:
    section = session.setup.sections[letters]
    if section.game is GameKind.INDIVIDUAL and played.south and played.west:
        return tuple((letters, number, None) for number in (played.ns, played.south, played.ew, played.west))
    if is_teams(session, section):
        # The two pairs of a team sit at different tables.
        return (letters, played.ns, Side.NS), (letters, played.ew, Side.EW)
    return (
        contestant(session, letters, played.ns, Side.NS),
        contestant(session, letters, played.ew, Side.EW),
    )
