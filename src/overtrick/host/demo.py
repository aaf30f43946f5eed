"""The demonstration: a simulated evening on a real journal, at any speed. After an interruption it continues."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import count
from pathlib import Path

from overtrick.bridge import Tricks
from overtrick.control.orders import StartOptions
from overtrick.doubledummy import SolverBatch
from overtrick.event import Command, ContinueEvent, Order, Rejection
from overtrick.event.hands import EvaluateHand
from overtrick.host.control import ControlSoftware
from overtrick.host.demo_players import DemoFailed, DemoPlayers
from overtrick.host.instance_lock import AlreadyRunning, control_lock
from overtrick.host.lookup import JOURNAL, OLD_JOURNAL
from overtrick.host.runtime import Runtime, open_runtime
from overtrick.host.simulator import Evening, open_evening, plan_evening
from overtrick.store.folder import make_folder
from overtrick.views import SessionView

FOLDER = Path("overtrick-demo")
"""The parent of numbered folders, one for each demonstration that is started without a folder."""
STARTS = datetime(2026, 1, 8, 19, 30, tzinfo=UTC)
"""A Thursday, always the same, so that the same demonstration makes the same journal."""


@dataclass(frozen=True, slots=True)
class DemoMoment:
    """State of the evening after something has happened."""

    minute: float
    words: str
    view: SessionView


def demo_folder(place: Path | str | None) -> Path:
    """Make the folder of a demonstration and return it: the given one, or the next number in `overtrick-demo`.

    A demonstration in a database has a folder for its other files.
    """
    if isinstance(place, Path):
        make_folder(place, is_private=True)
        return place
    make_folder(FOLDER)
    for folder in (FOLDER / str(number) for number in count(1)):
        try:
            folder.mkdir(mode=0o700)  # no check before: two demonstrations may start at the same time
        except FileExistsError:
            continue
        except OSError:
            make_folder(folder)  # raises an error that says why
        return folder
    raise AssertionError


def journal_of(folder: Path) -> Path:
    """Return the path of the journal in a demonstration's folder."""
    return folder / (OLD_JOURNAL if (folder / OLD_JOURNAL).exists() else JOURNAL)


@contextmanager
def open_demo(
    place: Path | str, tables: int, seed: int, boards: int = 24
) -> Iterator[tuple[Evening, Runtime]]:
    """Open an evening on the journal in a folder or at an address, or continue it.

    Raise AlreadyRunning if another demonstration runs there."""
    evening = plan_evening(tables, seed, STARTS, boards)
    journal = journal_of(place) if isinstance(place, Path) else place
    with open_runtime(journal) as runtime, control_lock(runtime.journal) as is_alone:
        if not is_alone():
            where = str(place) if isinstance(place, Path) else runtime.journal.name
            raise AlreadyRunning("A demonstration is already running in this folder.", where=where)
        with runtime.read(evening.session) as session:
            is_known = session is not None
        if not is_known:
            _execute(runtime, open_evening(evening), f"{evening.session} open")
        _execute(runtime, ContinueEvent(evening.session, (Order.START,)), f"{evening.session} start")
        yield evening, runtime


@contextmanager
def demo(
    folder: Path, tables: int, seed: int, boards: int = 24
) -> Iterator[tuple[Evening, Runtime, dict[int, Tricks]]]:
    """Open an evening and analyse its deals."""
    with open_demo(folder, tables, seed, boards) as (evening, runtime):
        yield evening, runtime, analyse_deals(evening, runtime)


def analyse_deals(
    evening: Evening,
    runtime: Runtime,
    progress: Callable[[int, int], None] = lambda done, total: None,
    sleep: Callable[[float], None] = time.sleep,
) -> dict[int, Tricks]:
    """Return the makeable tricks of every board; record those that the journal does not have yet.

    `progress` is called in this thread with the number of analysed deals and of all. An exception that `sleep` raises
    ends the analysis.
    """
    with runtime.read(evening.session) as session:
        records = dict(session.hands.records) if session else {}
    by_board = {board: record.tricks for (_, board), record in records.items() if record.tricks}
    missing = [board for board in evening.deals if board not in by_board]
    if missing:
        with SolverBatch([evening.deals[board] for board in missing]) as batch:
            while not batch.is_over:
                progress(batch.done, batch.total)
                sleep(0.1)
            for board, tricks in zip(missing, batch.result(), strict=True):
                by_board[board] = tricks
                note = EvaluateHand(evening.session, 1, board, evening.deals[board], tricks)
                _execute(runtime, note, f"{evening.session} evaluate {board}")
    return by_board


def play(
    evening: Evening,
    runtime: Runtime,
    tricks: dict[int, Tricks],
    speed: float,
    sleep: Callable[[float], None] = time.sleep,
) -> Iterator[DemoMoment]:
    """Play the evening, `speed` times faster than at a club; yield each moment.

    An interrupted evening continues: the terminals start from what the journal has.
    """
    started_at = time.monotonic()

    def wait(minutes: float) -> None:
        # Wait until a deadline, not for a duration, so that a slow computer catches up.
        deadline = started_at + (players.minute + minutes - first_minute) * 60 / speed
        sleep(max(0.0, deadline - time.monotonic()))

    with ControlSoftware(runtime, StartOptions(), now=lambda: players.now, evaluates=False) as control:
        players = DemoPlayers(
            evening, control, tricks.__getitem__, run=str(runtime.journal.head(_stream(runtime, evening)))
        )
        first_minute = players.minute
        for words in players.play(wait):
            view = runtime.view(evening.session)
            assert view is not None
            yield DemoMoment(players.minute, words, view)


def _stream(runtime: Runtime, evening: Evening) -> str:
    with runtime.writer.reading() as state:
        stream = state.stream(evening.session)
    assert stream is not None
    return stream


def _execute(runtime: Runtime, command: Command, name: str) -> None:
    answer = runtime.do(command, actor="demo", command_id=f"demo: {name}")
    if isinstance(answer, Rejection):
        raise DemoFailed(f"The demonstration had to stop: {answer}")
