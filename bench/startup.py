"""How long `overtrick --help` takes, against a Python that does nothing."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from bench.measure import Benchmark, Pair, register


@contextmanager
def prepare() -> Iterator[Pair]:
    def start(*arguments: str) -> None:
        subprocess.run([sys.executable, *arguments], check=True, stdout=subprocess.DEVNULL)

    yield Pair(lambda: start("-m", "overtrick", "--help"), lambda: start("-c", "pass"), 1)


register(Benchmark("overtrick --help", "runs", "python -c pass", 1 / 20, prepare))
