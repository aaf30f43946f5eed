"""Replaying a journal of 100,000 facts into the state, against only reading and JSON-decoding its rows."""

import json
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import UTC, date, datetime
from pathlib import Path

from bench.measure import Benchmark, Pair, register
from overtrick.bridge import Outcome
from overtrick.event import Fact, JournalState, Rejection, decide
from overtrick.event.movement import Round, SectionPlan, TablePlan
from overtrick.event.results import Origin, ResultRecorded, Suspicion
from overtrick.event.setup import GroupPlan
from overtrick.event.state import OpenEvent, SessionPlan
from overtrick.scoring import Method
from overtrick.store import Journal, open_journal
from overtrick.store.codec import event_codec

FACTS = 100_000
TABLES, ROUNDS = 41, 25
SESSION = "6D115AF1ABEB4462A299B1FE86274949"
NOW = datetime(2026, 2, 3, 19, 30, tzinfo=UTC)
OUTCOMES = ("4SN=", "3NTE+1", "2HxS-2", "Pass", "6DW-1", "1NTN+3", "5CxxE=", "60-40")


def round_at(table: int, number: int) -> Round:
    """Return a round of a table: after each round East-West move one table up, the boards one down."""
    boards = (table + number) % TABLES
    return Round(table, 101 + (table - number) % TABLES, (2 * boards + 1, 2 * boards + 2))


def fill(journal: Journal) -> str:
    """Fill the journal with a Mitchell of 25 rounds at 41 tables, scored and corrected."""
    rounds = {table: [round_at(table, number) for number in range(ROUNDS)] for table in range(1, TABLES + 1)}
    tables = tuple(TablePlan(table, tuple(round_)) for table, round_ in rounds.items())
    plan = SessionPlan(
        SESSION,
        "Bench",
        date(2026, 2, 3),
        (GroupPlan(1, Method.MATCHPOINTS),),
        ((SectionPlan("A", 1, winners=1), tables),),
    )
    opened = decide(JournalState(), OpenEvent(SESSION, (plan,)))
    if isinstance(opened, Rejection):
        raise SystemExit(f"The session of the benchmark is refused: {opened}")
    stream = f"session/{SESSION}/1"
    facts: list[Fact] = [placed.fact for placed in opened if placed.stream == stream]
    outcomes = [Outcome.parse(text) for text in OUTCOMES]
    number = 0
    while len(facts) < FACTS:
        table, round_index = number % TABLES + 1, number // TABLES % ROUNDS
        round_ = rounds[table][round_index]
        facts.append(
            ResultRecorded(
                section="A",
                table=table,
                round=round_index + 1,
                board=round_.boards[number // (TABLES * ROUNDS) % 2],
                ns=round_.ns,
                ew=round_.ew,
                outcome=outcomes[number % len(outcomes)],
                outcome_ew=None,
                lead=None,
                is_wrong_direction=False,
                suspicion=Suspicion.NONE,
                origin=Origin.TERMINAL,
                at=NOW,
            )
        )
        number += 1
    for first in range(0, FACTS, 1000):
        batch = facts[first : first + 1000]
        journal.append(stream, first, batch, command_id=str(first), at=NOW, side="control", actor="A")
    return stream


@contextmanager
def prepare() -> Iterator[Pair]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "bench.overtrick"
        with open_journal(path, event_codec()) as journal, closing(sqlite3.connect(path)) as connection:
            stream = fill(journal)

            def replay() -> JournalState:
                journal_state = JournalState()
                for entry in journal.read(stream):
                    journal_state.apply(stream, entry.fact)
                return journal_state

            def read_and_decode() -> int:
                decoded = 0
                for row in connection.execute(
                    "SELECT * FROM journal WHERE stream = ? ORDER BY version", (stream,)
                ):
                    json.loads(row[9])
                    decoded += 1
                return decoded

            if read_and_decode() != FACTS or not replay().sessions:
                raise SystemExit("The journal of the benchmark does not have all its facts.")
            yield Pair(replay, read_and_decode, FACTS)


register(Benchmark("replay a journal", "facts", "read and JSON-decode the rows", 1 / 3, prepare, repeats=5))
