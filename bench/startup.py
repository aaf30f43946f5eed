"""Start-up time of commands that should answer at once, against a Python process that does nothing."""

import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from bench.measure import Benchmark, Pair, register


def start(*arguments: str) -> None:
    subprocess.run([sys.executable, *arguments], check=True, stdout=subprocess.DEVNULL)


@contextmanager
def help_text() -> Iterator[Pair]:
    yield Pair(lambda: start("-m", "overtrick", "--help"), lambda: start("-c", "pass"), 1)


@contextmanager
def file_summary() -> Iterator[Pair]:
    with tempfile.TemporaryDirectory() as folder:
        file = str(Path(folder) / "evening.bws")
        start("-m", "overtrick", "bws", "create", file, "--tables", "7", "--boards-per-round", "3")
        yield Pair(lambda: start("-m", "overtrick", "bws", "info", file), lambda: start("-c", "pass"), 1)


register(Benchmark("overtrick --help", "runs", "python -c pass", 1 / 12, help_text))
register(Benchmark("overtrick bws info", "runs", "python -c pass", 1 / 20, file_summary))
