"""256 tables that enter results at their terminals as fast as they can, against bare INSERTs of the same rows."""

import sqlite3
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from datetime import UTC, date, datetime
from itertools import count
from pathlib import Path

from bench.append import INSERT, RESULT
from bench.measure import Benchmark, Pair, register
from overtrick.bridge import Seat, Strain
from overtrick.control import Terminal, inputs, lobby, take_snapshot
from overtrick.event import OpenEvent, Rejection, SessionPlan
from overtrick.event.movement import Round, SectionPlan, TablePlan
from overtrick.event.settings import LeadEntry, ScoreRecap, SettingsIII, ShowRanking, ViewResults
from overtrick.event.setup import GroupPlan
from overtrick.host.house import RunningHouse, open_house
from overtrick.host.writer import Submission
from overtrick.scoring import Method
from overtrick.store import open_journal
from overtrick.store.codec import event_codec
from overtrick.store.journal import written_time

GUID = "6D115AF1ABEB4462A299B1FE86274949"
AT = datetime(2026, 2, 3, 19, 30, tzinfo=UTC)
TABLES, ROUNDS, BOARDS = 128, 10, 3
GROUP = 100
QUIET = SettingsIII(
    lead_entry=LeadEntry.NEVER,
    ranking=ShowRanking.NEVER,
    show_next_seating=False,
    view_results=ViewResults.NONE,
    score_recap=ScoreRecap.NEVER,
)
OK = inputs.Confirm()
BOARD = (inputs.Bid(4, Strain.SPADES), inputs.Declarer(Seat.NORTH), inputs.Result(0), OK)


def plan() -> SessionPlan:
    """Two sections of 128 tables: the documents' most for one server."""
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


def deliver(house: RunningHouse, terminals: list[Terminal]) -> None:
    """Send what the terminals have, so many in one COMMIT, and answer."""
    waiting = [(terminal, entry) for terminal in terminals for entry in terminal.unsent()]
    for start in range(0, len(waiting), GROUP):
        group = waiting[start : start + GROUP]
        answers = house.writer.write_all(
            [
                Submission(entry.command, entry.id, "control", terminal.machine.device)
                for terminal, entry in group
            ]
        )
        for (terminal, entry), answer in zip(group, answers, strict=True):
            assert not isinstance(answer, Rejection | Exception), answer
            terminal.acknowledge(entry.id, answer.spans[0].last)


def to_next_board(terminal: Terminal) -> None:
    while inputs.Bid not in terminal.display.keys:
        assert terminal.press(OK, AT)


@contextmanager
def room() -> Iterator[tuple[RunningHouse, list[Terminal]]]:
    """A house with a terminal at each of its tables, ready for the first board."""
    with tempfile.TemporaryDirectory() as folder, open_house(Path(folder) / "room.journal") as house:
        assert not isinstance(house.do(OpenEvent(GUID, (plan(),))), Rejection)
        view = house.view(GUID)
        assert view is not None
        terminals = []
        for table in lobby(view.session):
            terminal = Terminal(f"{table.section}{table.table}", GUID, lobby(view.session), run="1")
            terminal.press(inputs.Choose(table.section, table.table), AT)
            terminals.append(terminal)
        deliver(house, terminals)
        view = house.view(GUID)
        assert view is not None
        for terminal in terminals:
            assert terminal.machine.choice is not None
            terminal.update(take_snapshot(view, *terminal.machine.choice, house.seen(GUID)))
            to_next_board(terminal)
        yield house, terminals


@contextmanager
def bare_rows() -> Iterator[Callable[[int, int], None]]:
    """A function that inserts so many rows into a bare journal, with one COMMIT for each group of so many."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "bare"
        with open_journal(path, event_codec()) as journal:
            kind, schema, body = journal.codec.encode(RESULT)
        at, numbers = written_time(AT), count(1)
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
    """Every table plays one board from its contract to the opponents' yes."""
    with room() as (house, terminals), bare_rows() as insert:

        def ours() -> None:
            for terminal in terminals:
                for key in BOARD:
                    terminal.press(key, AT)
            deliver(house, terminals)
            for terminal in terminals:
                to_next_board(terminal)

        yield Pair(ours, lambda: insert(len(terminals), GROUP), len(terminals))


@contextmanager
def one_alone() -> Iterator[Pair]:
    """One table enters a result while nobody else does."""
    with room() as (house, terminals), bare_rows() as insert:
        playing = iter(terminals * 3)
        times = 20

        def ours() -> None:
            for _ in range(times):
                terminal = next(playing)
                for key in BOARD:
                    terminal.press(key, AT)
                deliver(house, [terminal])
                to_next_board(terminal)

        yield Pair(ours, lambda: insert(times, 1), times)


register(
    Benchmark(
        f"{2 * TABLES} tables enter a board at their terminals",
        "results",
        f"bare INSERT, one COMMIT for {GROUP}",
        1 / 10,
        all_at_once,
    )
)
register(Benchmark("one terminal enters a board", "results", "bare INSERT and COMMIT", 1 / 5, one_alone))
