"""The demonstration: a simulated evening on a real journal, at whatever speed, which can be killed and goes on."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory

from overtrick.bridge import Tricks
from overtrick.control.orders import Start
from overtrick.doubledummy import Batch
from overtrick.event import Command, ContinueEvent, Order, Rejection
from overtrick.event.hands import EvaluateHand
from overtrick.host.control import ControlRoom
from overtrick.host.hall import DemoFailed, Hall
from overtrick.host.house import RunningHouse, open_house
from overtrick.host.simulator import Evening, open_evening, plan_evening
from overtrick.store.folder import make_folder
from overtrick.views import SessionView

JOURNAL, OLD_JOURNAL = "overtrick.journal", "demo.overtrick"
"""The name of the journal in a data folder, and what it was called in the demonstration before."""
STARTS = datetime(2026, 1, 8, 19, 30, tzinfo=UTC)
"""A Thursday, always the same, so that the same demonstration makes the same journal."""


@dataclass(frozen=True, slots=True)
class Moment:
    """The evening after something has happened."""

    minute: float
    words: str
    view: SessionView


@contextmanager
def journal_folder(given: Path | None) -> Iterator[Path]:
    """The folder of the demonstration's journal: the given one, or one that goes with it."""
    if given is not None:
        make_folder(given)
        yield given
        return
    with TemporaryDirectory(prefix="overtrick-demo-") as folder:
        yield Path(folder)


@contextmanager
def demo(
    folder: Path,
    tables: int,
    seed: int,
    boards: int = 24,
    *,
    progress: Callable[[int, int], None] | None = None,
) -> Iterator[tuple[Evening, RunningHouse, dict[int, Tricks]]]:
    """A house with the evening opened in it, and the makeable tricks of its deals."""
    evening = plan_evening(tables, seed, STARTS, boards)
    with open_house(folder / (OLD_JOURNAL if (folder / OLD_JOURNAL).exists() else JOURNAL)) as house:
        with house.read(evening.session) as session:
            is_known = session is not None
        if not is_known:
            _must(house, open_evening(evening), f"{evening.session} open")
        _must(house, ContinueEvent(evening.session, (Order.START,)), f"{evening.session} start")
        tricks = _evaluated(house, evening, progress)
        yield evening, house, tricks


def _evaluated(
    house: RunningHouse, evening: Evening, progress: Callable[[int, int], None] | None
) -> dict[int, Tricks]:
    """The makeable tricks of every board; what the journal does not have yet is worked out and noted."""
    with house.read(evening.session) as session:
        records = dict(session.hands.records) if session else {}
    known = {board: record.tricks for (_, board), record in records.items() if record.tricks}
    missing = [board for board in evening.deals if board not in known]
    if missing:
        with Batch([evening.deals[board] for board in missing], progress=progress) as batch:
            for board, found in zip(missing, batch.result(), strict=True):
                known[board] = found
                note = EvaluateHand(evening.session, 1, board, evening.deals[board], found)
                _must(house, note, f"{evening.session} evaluate {board}")
    return known


def play(
    evening: Evening,
    house: RunningHouse,
    tricks: dict[int, Tricks],
    speed: float,
    sleep: Callable[[float], None] = time.sleep,
) -> Iterator[Moment]:
    """Let the evening happen, so many times faster than at a club, and show each moment of it.

    An evening that was interrupted goes on: the terminals begin anew with what the journal has.
    """
    with ControlRoom(house, Start(), now=lambda: hall.now, evaluates=False) as room:
        hall = Hall(evening, room, tricks.__getitem__, run=str(house.journal.head(_stream(house, evening))))
        for words in hall.happen(lambda minutes: sleep(minutes * 60 / speed)):
            view = house.view(evening.session)
            assert view is not None
            yield Moment(hall.minute, words, view)


def _stream(house: RunningHouse, evening: Evening) -> str:
    with house.writer.reading() as known:
        stream = known.stream(evening.session)
    assert stream is not None
    return stream


def _must(house: RunningHouse, command: Command, name: str) -> None:
    answer = house.do(command, actor="demo", command_id=f"demo: {name}")
    if isinstance(answer, Rejection):
        raise DemoFailed(f"The demonstration could not go on: {answer}")
