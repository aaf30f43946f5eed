"""Benchmarks, and paired timing whose results can be compared on a busy machine."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from statistics import median
from time import perf_counter


@dataclass(frozen=True, slots=True)
class Pair:
    """The two functions to time, ours and the peer's; each does the same `count` units of work."""

    ours: Callable[[], object]
    peer: Callable[[], object]
    count: int


@dataclass(frozen=True, slots=True)
class Benchmark:
    """A line of the table; `bar` is the share of the peer's speed that Overtrick must reach."""

    name: str
    unit: str
    peer: str
    bar: float
    prepare: Callable[[], AbstractContextManager[Pair]]
    repeats: int = 7
    clock: Callable[[], float] = perf_counter
    """The clock, in seconds; `process_time` leaves out the time in which the work waits."""


@dataclass(frozen=True, slots=True)
class Finding:
    """The measured rates, in units of work a second."""

    benchmark: Benchmark
    ours: float
    peer: float

    @property
    def ratio(self) -> float:
        """Return Overtrick's speed as a share of the peer's."""
        return self.ours / self.peer

    @property
    def passes(self) -> bool:
        """Return whether the bar is reached."""
        return self.ratio >= self.benchmark.bar


BENCHMARKS: list[Benchmark] = []


def register(benchmark: Benchmark) -> None:
    """Add a line to the table."""
    BENCHMARKS.append(benchmark)


def run(benchmark: Benchmark) -> Finding:
    """Time both functions in turn, so that other load on the machine affects both; return the median rates."""
    ours, peer = [], []
    with benchmark.prepare() as pair:
        for _ in range(benchmark.repeats):
            peer.append(_time(pair.peer, benchmark.clock))
            ours.append(_time(pair.ours, benchmark.clock))
    return Finding(benchmark, pair.count / median(ours), pair.count / median(peer))


def _time(work: Callable[[], object], clock: Callable[[], float]) -> float:
    began = clock()
    work()
    return clock() - began


def run_all(words: tuple[str, ...]) -> Iterator[Finding]:
    """Run every benchmark whose name contains one of the words, or all."""
    for benchmark in BENCHMARKS:
        if not words or any(word in benchmark.name for word in words):
            yield run(benchmark)
