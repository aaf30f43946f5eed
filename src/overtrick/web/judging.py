"""Results that look wrong, marked for the director as they come in: far from double dummy, or a wrong declarer.

A mark is a question; the result stands until someone changes it, and what the director confirmed stays confirmed.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Collection

from overtrick.control.suspicion import doubts, judge
from overtrick.event import Command, Session
from overtrick.event.hands import EvaluateHand, PutHandRecords
from overtrick.event.results import (
    CorrectResult,
    EnterResult,
    JudgeResult,
    Place,
    PutResults,
    ResultEntry,
    Suspicion,
)
from overtrick.web.live import LiveHouse, Sight

log = logging.getLogger(__name__)

Do = Callable[[Command], Awaitable[object]]


class Judge:
    """Looks at what was done, beside everything else."""

    def __init__(self, live: LiveHouse, do: Do) -> None:
        self._live = live
        self._do = do
        self._working: set[asyncio.Task[None]] = set()

    def after(self, command: Command) -> None:
        """Look at the results that a command has entered, or given a deal to."""
        places: set[Place] = set()
        boards: set[tuple[int, int]] = set()
        match command:
            case EnterResult() | CorrectResult():
                places.add(_place(command.entry))
            case PutResults():
                places.update(map(_place, command.entries))
            case EvaluateHand():
                boards.add((command.group, command.board))
            case PutHandRecords():
                boards.update((record.group, record.board) for record in command.records)
            case _:
                return
        task = asyncio.create_task(self._look(command.session, places, boards), name="overtrick-judge")
        self._working.add(task)
        task.add_done_callback(self._working.discard)

    async def _look(self, guid: str, places: set[Place], boards: set[tuple[int, int]]) -> None:
        def wanted(sight: Sight) -> list[JudgeResult]:
            return judgements(sight.view.session, places, boards)

        try:
            for command in await self._live.look(guid, wanted):
                await self._do(command)
        except Exception:
            log.exception("suspicious results")


def judgements(
    session: Session, places: Collection[Place], boards: Collection[tuple[int, int]]
) -> list[JudgeResult]:
    """What is to be said about these results, and about all results of these boards of scoring groups."""
    if not session.hands.records:
        return []
    standing = session.results.standing
    also = [place for place in standing if (session.setup.sections[place[0]].group, place[3]) in boards]
    found = (judge(session, standing[place]) for place in {*places, *also} if place in standing)
    return [command for command in found if command is not None]


def reason_of(session: Session, place: Place) -> str:
    """Why a result looks wrong, in words; empty where somebody marked it and nothing speaks against it."""
    result = session.results.standing[place]
    if result.suspicion is not Suspicion.SUSPICIOUS or result.outcome is None:
        return ""
    record = session.hands.records.get((session.setup.sections[place[0]].group, place[3]))
    if record is None:
        return ""
    lead = result.lead.value if result.lead else ""
    return ", ".join(doubt.value for doubt in doubts(result.outcome, record.tricks, record.deal, lead))


def _place(entry: ResultEntry) -> Place:
    return entry.section, entry.table, entry.round, entry.board
