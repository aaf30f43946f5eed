"""256 phones that send results as fast as they can, against bare INSERTs of the same rows.

    python -m bench.control memory [RESULTS]   check that memory stays flat; the default is 100,000 results

Memory may grow with the state of a session: results that count, log-ons of tables, calls of the director. It may not
grow with the number of results that were ever entered, as a queue, a cache or a set of command ids would. So the check
repeats a cycle: each phone of a running session sends a result, the control software makes a pass, the phones fetch
the new state, the ranking is read, the director corrects every second result and then erases all. After each cycle the
session is as before, and only the journal is longer. Memory is flat if, after a fifth of the results, neither Python's
objects nor the resident memory of the process grow by more than 2 %.
"""

import gc
import os
import sqlite3
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from datetime import UTC, date, datetime, timedelta
from itertools import count
from pathlib import Path
from uuid import uuid4

from bench.append import INSERT, RESULT
from bench.measure import Benchmark, Pair, register
from overtrick.bridge import Outcome
from overtrick.control.device_location import TablePlace
from overtrick.control.entries import DeviceEntry, parse_entry
from overtrick.control.orders import StartOptions
from overtrick.event import Command, ContinueEvent, OpenEvent, Order, Rejection, SessionPlan
from overtrick.event.movement import Round, SectionPlan, TablePlan
from overtrick.event.results import CorrectResult, EraseResult, Origin, ResultEntry
from overtrick.event.settings import LeadEntry, ScoreRecap, SettingsIII, ShowRanking, ViewResults
from overtrick.event.setup import GroupPlan
from overtrick.host.control import ControlSoftware
from overtrick.host.runtime import open_runtime
from overtrick.host.simulated_phone import SimulatedPhone
from overtrick.host.writer import Submission
from overtrick.scoring import Method
from overtrick.store import Appended, open_journal
from overtrick.store.codec import event_codec
from overtrick.store.journal import time_as_text

GUID = "6D115AF1ABEB4462A299B1FE86274949"
NOW = datetime(2026, 2, 3, 19, 30, tzinfo=UTC)
TABLES, ROUNDS, BOARDS = 128, 10, 3
GROUP = 100
FLAT = 1.02
"""The greatest memory after all results, as a multiple of that after a fifth of them."""
QUIET = SettingsIII(
    lead_entry=LeadEntry.NEVER,
    ranking=ShowRanking.NEVER,
    show_next_seating=False,
    view_results=ViewResults.NONE,
    score_recap=ScoreRecap.NEVER,
)
OUTCOME = Outcome.parse("4SN=")


def plan() -> SessionPlan:
    """Return a session of two sections of 128 tables, the most that the documents allow for one server."""
    tables = tuple(
        TablePlan(
            table,
            tuple(
                Round(
                    table,
                    (table + number) % TABLES + 1,
                    tuple(range(number * BOARDS + 1, number * BOARDS + BOARDS + 1)),
                )
                for number in range(ROUNDS)
            ),
        )
        for table in range(1, TABLES + 1)
    )
    sections = tuple((SectionPlan(letter, 1, winners=2), tables) for letter in "AB")
    settings = tuple((letter, QUIET) for letter in "AB")
    groups = (GroupPlan(1, Method.MATCHPOINTS),)
    return SessionPlan(GUID, "256 tables", date(2026, 2, 3), groups, sections, settings=settings)


def deliver(control: ControlSoftware, phones: list[SimulatedPhone]) -> None:
    """Write the entries in the outboxes of the phones, GROUP of them in one COMMIT."""
    session = control.session(GUID)
    assert session is not None
    waiting = [(phone, content) for phone in phones for content in phone.outbox]
    for start in range(0, len(waiting), GROUP):
        submissions = []
        for phone, content in waiting[start : start + GROUP]:
            entry = parse_entry(content, session, phone.place, ahead=timedelta(0), now=NOW)
            assert isinstance(entry, DeviceEntry), entry
            submissions.append(Submission(entry.command, entry.command_id, "control", entry.actor))
        for answer in control.runtime.writer.write_all(submissions):
            assert isinstance(answer, Appended), answer
    for phone in phones:
        phone.outbox.clear()


@contextmanager
def control_with_phones() -> Iterator[tuple[ControlSoftware, list[SimulatedPhone]]]:
    """Yield the control software with a phone at each of its tables, ready for the first board."""
    with (
        tempfile.TemporaryDirectory() as folder,
        open_runtime(Path(folder) / "room.journal") as runtime,
        ControlSoftware(runtime, StartOptions(), now=lambda: NOW, evaluates=False) as control,
    ):
        assert not isinstance(runtime.do(OpenEvent(GUID, (plan(),))), Rejection)
        phones = [
            SimulatedPhone(
                control,
                GUID,
                TablePlace(section, table),
                device=f"phone-{section}{table}",
                run="1",
                now=lambda: NOW,
            )
            for section in "AB"
            for table in range(1, TABLES + 1)
        ]
        for phone in phones:
            phone.is_online = False  # Entries stay in the outbox until `deliver` writes them.
            phone.log_on()
        deliver(control, phones)
        yield control, phones


def boards() -> Iterator[tuple[int, int]]:
    """Yield the rounds and boards of a table, in order."""
    for number in range(1, ROUNDS + 1):
        for board in range((number - 1) * BOARDS + 1, number * BOARDS + 1):
            yield number, board


@contextmanager
def bare_rows() -> Iterator[Callable[[int, int], None]]:
    """Yield a function that inserts rows into a bare journal, with one COMMIT for each group."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "bare"
        with open_journal(path, event_codec()) as journal:
            kind, schema, body = journal.codec.encode(RESULT)
        time_text, numbers = time_as_text(NOW), count(1)
        with closing(sqlite3.connect(path)) as connection:
            connection.isolation_level = None
            for pragma in ("journal_mode = WAL", "synchronous = FULL"):
                connection.execute(f"PRAGMA {pragma}")

            def insert(rows: int, group: int) -> None:
                for start in range(0, rows, group):
                    connection.execute("BEGIN IMMEDIATE")
                    for _ in range(min(group, rows - start)):
                        number = next(numbers)
                        row = (
                            "session/1",
                            number,
                            kind,
                            schema,
                            time_text,
                            "control",
                            "A4",
                            f"p {number}",
                            1,
                            body,
                        )
                        connection.execute(INSERT, row)
                    connection.execute("COMMIT")

            yield insert


@contextmanager
def all_at_once() -> Iterator[Pair]:
    """Measure every table sending one result."""
    with control_with_phones() as (control, phones), bare_rows() as insert:
        boards_left = boards()

        def ours() -> None:
            board = next(boards_left)
            for phone in phones:
                phone.enter(*board, OUTCOME)
            deliver(control, phones)

        yield Pair(ours, lambda: insert(len(phones), GROUP), len(phones))


@contextmanager
def one_alone() -> Iterator[Pair]:
    """Measure one table sending a result while no other does."""
    with control_with_phones() as (control, phones), bare_rows() as insert:
        entries_left = iter([(phone, board) for board in boards() for phone in phones])
        results = 20

        def ours() -> None:
            for _ in range(results):
                phone, board = next(entries_left)
                phone.enter(*board, OUTCOME)
                deliver(control, [phone])

        yield Pair(ours, lambda: insert(results, 1), results)


def enter_and_erase(control: ControlSoftware, phones: list[SimulatedPhone]) -> None:
    """Let every table send a result, correct every second one, and erase all."""
    for phone in phones:
        board = phone.next_board()
        assert board is not None
        phone.enter(*board, OUTCOME)
    deliver(control, phones)
    update_phones(control, phones)
    view = control.view(GUID)
    assert view is not None
    results = list(view.session.results.standing.values())
    assert len(results) == len(phones)
    assert view.rankings(1)
    corrections: list[Command] = [
        CorrectResult(GUID, ResultEntry(*result.place, Outcome.parse("3NTN-1"), NOW), Origin.DESK)
        for result in results[::2]
    ]
    erasures: list[Command] = [EraseResult(GUID, *result.place, Origin.DESK) for result in results]
    for commands in (corrections, erasures):
        answers = control.runtime.writer.write_all(
            [Submission(command, str(uuid4()), "control", "director") for command in commands]
        )
        assert all(isinstance(answer, Appended) for answer in answers)
        update_phones(control, phones)


def update_phones(control: ControlSoftware, phones: list[SimulatedPhone]) -> None:
    """Let the control software make a pass, and every phone fetch its snapshot."""
    control.tick()
    for phone in phones:
        phone.fetch()


def resident() -> float:
    """Return the resident memory of this process in megabytes."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def memory(results: int) -> bool:
    """Print the memory after each tenth of the results; return whether it stays flat."""
    samples: list[tuple[float, int]] = []
    started = time.perf_counter()
    with control_with_phones() as (control, phones):
        runtime = control.runtime
        assert not isinstance(runtime.do(ContinueEvent(GUID, (Order.START,))), Rejection)
        entered = 0
        print(f"{'results':>9} {'facts':>9} {'MB':>8} {'objects':>10} {'seconds':>8}")
        while len(samples) < 10:
            enter_and_erase(control, phones)
            entered += len(phones)
            if entered >= results * (len(samples) + 1) / 10:
                gc.collect()
                samples.append((resident(), sys.getallocatedblocks()))
                megabytes, objects = samples[-1]
                seconds = time.perf_counter() - started
                print(
                    f"{entered:9,} {runtime.viewed_version(GUID):9,} {megabytes:8.1f} {objects:10,} {seconds:8.0f}",
                    flush=True,
                )
    growth = [last / first for first, last in zip(samples[1], samples[-1], strict=True)]
    print(
        f"after a fifth of the results: memory × {growth[0]:.3f}, objects × {growth[1]:.3f} (at most {FLAT})"
    )
    return max(growth) <= FLAT


register(
    Benchmark(
        f"{2 * TABLES} phones send a result",
        "results",
        f"bare INSERT, one COMMIT for {GROUP}",
        1 / 10,
        all_at_once,
    )
)
register(Benchmark("one phone sends a result", "results", "bare INSERT and COMMIT", 1 / 5, one_alone))

if __name__ == "__main__":
    match sys.argv[1:]:
        case ["memory", *rest]:
            sys.exit(not memory(int(rest[0]) if rest else 100_000))
        case _:
            sys.exit(__doc__)
