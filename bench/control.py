"""256 phones that send results as fast as they can, against bare INSERTs of the same rows.

    python -m bench.control memory [RESULTS]   whether memory stays flat, over 100,000 results unless told

What may grow is what stands in a session: a result that counts, a table's log-on, a call of the director. What may
not is anything for each result that was ever entered: a queue, a cache, the ids of commands, what a view once showed.
So the phones of a running session send a result each, the control software looks, the phones are given what the others
have scored, somebody reads the ranking; the director corrects every second result and then takes all of them away, and
the phones send them anew. After each such turn the same stands as before
it, and the journal is longer. Flat means that from a fifth of the way on neither the objects that Python has nor
the memory that the process has grows by more than a fiftieth of what it is then.
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
AT = datetime(2026, 2, 3, 19, 30, tzinfo=UTC)
TABLES, ROUNDS, BOARDS = 128, 10, 3
GROUP = 100
FLAT = 1.02
"""Limit of the memory after all results, as a multiple of that after a fifth of them."""
QUIET = SettingsIII(
    lead_entry=LeadEntry.NEVER,
    ranking=ShowRanking.NEVER,
    show_next_seating=False,
    view_results=ViewResults.NONE,
    score_recap=ScoreRecap.NEVER,
)
OUTCOME = Outcome.parse("4SN=")


def plan() -> SessionPlan:
    """Return a session of two sections of 128 tables: the documents' most for one server."""
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
    """Send the entries of the phones, GROUP of them in one COMMIT."""
    session = control.session(GUID)
    assert session is not None
    waiting = [(phone, content) for phone in phones for content in phone.outbox]
    for start in range(0, len(waiting), GROUP):
        submissions = []
        for phone, content in waiting[start : start + GROUP]:
            entry = parse_entry(content, session, phone.place, ahead=timedelta(0), now=AT)
            assert isinstance(entry, DeviceEntry), entry
            submissions.append(Submission(entry.command, entry.command_id, "control", entry.actor))
        for answer in control.runtime.writer.write_all(submissions):
            assert isinstance(answer, Appended), answer
    for phone in phones:
        phone.outbox.clear()


@contextmanager
def room() -> Iterator[tuple[ControlSoftware, list[SimulatedPhone]]]:
    """Yield the control software with a phone at each of its tables, ready for the first board."""
    with (
        tempfile.TemporaryDirectory() as folder,
        open_runtime(Path(folder) / "room.journal") as runtime,
        ControlSoftware(runtime, StartOptions(), now=lambda: AT, evaluates=False) as control,
    ):
        assert not isinstance(runtime.do(OpenEvent(GUID, (plan(),))), Rejection)
        phones = [
            SimulatedPhone(
                control,
                GUID,
                TablePlace(section, table),
                device=f"phone-{section}{table}",
                run="1",
                now=lambda: AT,
            )
            for section in "AB"
            for table in range(1, TABLES + 1)
        ]
        for phone in phones:
            phone.is_online = False  # what they send is sent together
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
        at, numbers = time_as_text(AT), count(1)
        with closing(sqlite3.connect(path)) as plain:
            plain.isolation_level = None
            for pragma in ("journal_mode = WAL", "synchronous = FULL"):
                plain.execute(f"PRAGMA {pragma}")

            def insert(rows: int, group: int) -> None:
                for start in range(0, rows, group):
                    plain.execute("BEGIN IMMEDIATE")
                    for _ in range(min(group, rows - start)):
                        number = next(numbers)
                        row = ("session/1", number, kind, schema, at, "control", "A4", f"p {number}", 1, body)
                        plain.execute(INSERT, row)
                    plain.execute("COMMIT")

            yield insert


@contextmanager
def all_at_once() -> Iterator[Pair]:
    """Measure every table sending one result."""
    with room() as (control, phones), bare_rows() as insert:
        playing = boards()

        def ours() -> None:
            place = next(playing)
            for phone in phones:
                phone.enter(*place, OUTCOME)
            deliver(control, phones)

        yield Pair(ours, lambda: insert(len(phones), GROUP), len(phones))


@contextmanager
def one_alone() -> Iterator[Pair]:
    """Measure one table sending a result while no other does."""
    with room() as (control, phones), bare_rows() as insert:
        playing = iter([(phone, place) for place in boards() for phone in phones])
        times = 20

        def ours() -> None:
            for _ in range(times):
                phone, place = next(playing)
                phone.enter(*place, OUTCOME)
                deliver(control, [phone])

        yield Pair(ours, lambda: insert(times, 1), times)


def turn(control: ControlSoftware, phones: list[SimulatedPhone]) -> None:
    """Let every table send a result, and erase all results at the end."""
    for phone in phones:
        due = phone.next_board()
        assert due is not None
        phone.enter(*due, OUTCOME)
    deliver(control, phones)
    hear(control, phones)
    view = control.view(GUID)
    assert view is not None
    standing = list(view.session.results.standing.values())
    assert len(standing) == len(phones)
    assert view.rankings(1)
    better: list[Command] = [
        CorrectResult(GUID, ResultEntry(*result.place, Outcome.parse("3NTN-1"), AT), Origin.DESK)
        for result in standing[::2]
    ]
    gone: list[Command] = [EraseResult(GUID, *result.place, Origin.DESK) for result in standing]
    for commands in (better, gone):
        answers = control.runtime.writer.write_all(
            [Submission(command, str(uuid4()), "control", "director") for command in commands]
        )
        assert all(isinstance(answer, Appended) for answer in answers)
        hear(control, phones)


def hear(control: ControlSoftware, phones: list[SimulatedPhone]) -> None:
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
    marks: list[tuple[float, int]] = []
    began = time.perf_counter()
    with room() as (control, phones):
        runtime = control.runtime
        assert not isinstance(runtime.do(ContinueEvent(GUID, (Order.START,))), Rejection)
        entered = 0
        print(f"{'results':>9} {'facts':>9} {'MB':>8} {'objects':>10} {'seconds':>8}")
        while len(marks) < 10:
            turn(control, phones)
            entered += len(phones)
            if entered >= results * (len(marks) + 1) / 10:
                gc.collect()
                marks.append((resident(), sys.getallocatedblocks()))
                size, objects = marks[-1]
                spent = time.perf_counter() - began
                print(
                    f"{entered:9,} {runtime.viewed_version(GUID):9,} {size:8.1f} {objects:10,} {spent:8.0f}",
                    flush=True,
                )
    growth = [last / early for early, last in zip(marks[1], marks[-1], strict=True)]
    print(
        f"from a fifth of the way on: memory times {growth[0]:.3f}, objects times {growth[1]:.3f} (at most {FLAT})"
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
