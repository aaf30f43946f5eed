"""The demonstration: a simulated evening on a real journal, at whatever speed, which can be killed and goes on."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory

from overtrick.bridge import Tricks
from overtrick.doubledummy import Batch
from overtrick.errors import OvertrickError
from overtrick.event import Command, Rejection
from overtrick.event.hands import EvaluateHand
from overtrick.host.house import RunningHouse, open_house
from overtrick.host.simulator import Evening, Happening, happenings, open_evening, plan_evening
from overtrick.views import SessionView

JOURNAL = "demo.overtrick"
STARTS = datetime(2026, 1, 8, 19, 30, tzinfo=UTC)
"""A Thursday, always the same, so that the same demonstration makes the same journal."""


class DemoFailed(OvertrickError):
    """The demonstration could not go on."""

    code = "demo-failed"


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
        given.mkdir(parents=True, exist_ok=True)
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
    with open_house(folder / JOURNAL) as house:
        with house.read(evening.session) as session:
            is_known = session is not None
        if not is_known:
            _must(house, open_evening(evening), f"{evening.session} open")
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

    Every command has an id of its own that follows from the evening, so that one that was written before a
    crash and not acknowledged counts once.
    """
    with house.read(evening.session) as session:
        if session is None:
            raise DemoFailed("The demonstration's session is not in its journal.")
        coming = list(happenings(evening, session, tricks.__getitem__))
    now = coming[0].minute if coming else 0.0
    for happening in coming:
        if happening.minute > now:
            sleep((happening.minute - now) * 60 / speed)
            now = happening.minute
        _must(house, happening.command, f"{evening.session} {_name(happening)}")
        view = house.view(evening.session)
        assert view is not None
        yield Moment(happening.minute, happening.words, view)


def _name(happening: Happening) -> str:
    return f"{type(happening.command).__name__} {happening.minute:.4f} {happening.words}"


def _must(house: RunningHouse, command: Command, name: str) -> None:
    answer = house.do(command, actor="demo", command_id=f"demo: {name}")
    if isinstance(answer, Rejection):
        raise DemoFailed(f"The demonstration could not go on: {answer}")
