"""Appending one result durably, against a bare INSERT and COMMIT in the same table with the same settings."""

import sqlite3
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from typing import Any

from bench.measure import Benchmark, Pair, register
from overtrick.bridge import Outcome
from overtrick.event.results import Origin, ResultRecorded, Suspicion
from overtrick.host.writer import Submission, Writer
from overtrick.store import Journal, open_journal
from overtrick.store.codec import event_codec
from overtrick.store.journal import time_as_text

RESULTS = 300
GROUP = 40
PLAYED_AT = datetime(2026, 2, 3, 19, 30, tzinfo=UTC)
RESULT = ResultRecorded(
    section="A",
    table=4,
    round=3,
    board=7,
    ns=4,
    ew=12,
    outcome=Outcome.parse("4SxN+1"),
    outcome_ew=None,
    lead=None,
    is_wrong_direction=False,
    suspicion=Suspicion.NONE,
    origin=Origin.TERMINAL,
    at=PLAYED_AT,
)
INSERT = "INSERT INTO journal VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, NULL)"


@contextmanager
def journals() -> Iterator[tuple[Journal, Callable[[], None]]]:
    """Yield a journal of ours, and a function that inserts a row into another one and commits."""
    with tempfile.TemporaryDirectory() as folder:
        ours, bare = Path(folder) / "ours", Path(folder) / "bare"
        open_journal(bare, event_codec()).close()
        with open_journal(ours, event_codec()) as journal, closing(sqlite3.connect(bare)) as connection:
            connection.isolation_level = None
            for pragma in ("journal_mode = WAL", "synchronous = FULL"):
                connection.execute(f"PRAGMA {pragma}")
            kind, schema, body = journal.codec.encode(RESULT)
            played_at, numbers = time_as_text(PLAYED_AT), count(1)

            def insert() -> None:
                number = next(numbers)
                connection.execute("BEGIN IMMEDIATE")
                row = (
                    "session/1",
                    number,
                    kind,
                    schema,
                    played_at,
                    "control",
                    "A4",
                    f"phone {number}",
                    1,
                    body,
                )
                connection.execute(INSERT, row)
                connection.execute("COMMIT")

            yield journal, insert


@contextmanager
def one_by_one() -> Iterator[Pair]:
    with journals() as (journal, insert):
        numbers = count(1)

        def append() -> None:
            for _ in range(RESULTS):
                number = next(numbers)
                journal.append(
                    "session/1",
                    number - 1,
                    [RESULT],
                    command_id=f"phone {number}",
                    at=PLAYED_AT,
                    side="control",
                    actor="A4",
                )

        def bare() -> None:
            for _ in range(RESULTS):
                insert()

        yield Pair(append, bare, RESULTS)


@contextmanager
def through_the_writer() -> Iterator[Pair]:
    with journals() as (journal, insert):
        numbers = count(1)
        writer: Writer[Any, int, str] = Writer(
            journal,
            start=lambda load: [],
            decide=lambda state, command: (("session/1", RESULT),),
            streams=lambda state, command: {"session/1": True},
            apply=lambda state, stream, fact: None,
        )

        def write() -> None:
            for _ in range(RESULTS // GROUP):
                group = [next(numbers) for _ in range(GROUP)]
                writer.write_all([Submission(number, f"phone {number}", "control", "A4") for number in group])

        def bare() -> None:
            for _ in range(RESULTS // GROUP * GROUP):
                insert()

        yield Pair(write, bare, RESULTS // GROUP * GROUP)


register(Benchmark("append one result durably", "results", "bare INSERT and COMMIT", 0.37, one_by_one))
register(
    Benchmark(
        f"{GROUP} tables score at once, through the writer",
        "results",
        "bare INSERT and COMMIT for each",
        1.0,
        through_the_writer,
    )
)
