"""Benchmarks, and paired timing whose results can be compared on a busy machine."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from statistics import median
from time import perf_counter


@dataclass(frozen=True, slots=True)
class Pair:
    """The two things to time, ours and the plain one, each doing the same `count` of something."""

    ours: Callable[[], object]
    peer: Callable[[], object]
    count: int


@dataclass(frozen=True, slots=True)
class Benchmark:
    """One line of the table: `bar` is the least share of the peer's speed that we must reach."""

    name: str
    unit: str
    peer: str
    bar: float
    prepare: Callable[[], AbstractContextManager[Pair]]
    repeats: int = 7
    clock: Callable[[], float] = perf_counter
    """The clock: processor time where the work waits on purpose."""


@dataclass(frozen=True, slots=True)
class Finding:
    """The measured rates, in units a second."""

    benchmark: Benchmark
    ours: float
    peer: float

    @property
    def ratio(self) -> float:
        """Return our share of the peer's speed."""
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
    """Time both in turn, so that other load on the machine affects both; return the medians."""
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
