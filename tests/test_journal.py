"""Following the session of a journal, on SQLite and on PostgreSQL."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import aclosing
from datetime import UTC, date, datetime
from pathlib import Path

import pytest

from overtrick.bridge import Outcome
from overtrick.errors import BadInput
from overtrick.event import OpenEvent, Rejection, SessionPlan
from overtrick.event.fact import Fact
from overtrick.event.movement import SectionPlan, table_plans
from overtrick.event.results import EnterResult, ResultEntry, ResultRecorded
from overtrick.event.setup import GroupPlan
from overtrick.journal import Runtime, follow, follow_entries, open_runtime
from overtrick.movements import mitchell
from overtrick.scoring import Method

GUID = "0123456789ABCDEF0123456789ABCDEF"
NOW = datetime(2026, 1, 8, 20, tzinfo=UTC)


def open_event(runtime: Runtime, name: str = "Thursday", guid: str = GUID) -> None:
    section = (SectionPlan("A", 1, 2), table_plans(mitchell(3, 2), "A"))
    groups = (GroupPlan(1, Method.MATCHPOINTS),)
    plan = SessionPlan(guid, name, date(2026, 1, 8), groups=groups, sections=(section,))
    assert not isinstance(runtime.do(OpenEvent(guid, (plan,))), Rejection)


def enter(runtime: Runtime, board: int) -> None:
    entry = ResultEntry("A", 1, 1, board, Outcome.parse("4SN="), NOW)
    assert not isinstance(runtime.do(EnterResult(GUID, entry)), Rejection)


async def board_of_next(facts: AsyncIterator[Fact]) -> int:
    fact = await asyncio.wait_for(anext(facts), 30)
    assert isinstance(fact, ResultRecorded)
    return fact.board


@pytest.fixture(params=["sqlite", "postgresql"])
def where(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "sqlite":
        return str(tmp_path / "overtrick.journal")
    address: str = request.getfixturevalue("database")
    return address


def test_results_are_yielded_as_another_program_writes_them(
    where: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("overtrick.store.subscription.POLL_INTERVAL", 0.05)
    with open_runtime(where) as runtime:
        open_event(runtime)
        enter(runtime, 1)

        async def evening() -> None:
            async with aclosing(follow(where, kind=ResultRecorded)) as facts:
                assert await board_of_next(facts) == 1
                waiting = asyncio.create_task(board_of_next(facts))
                await asyncio.to_thread(enter, runtime, 2)
                assert await waiting == 2
                # A new start of the session is another stream, which is followed from its first fact.
                await asyncio.to_thread(open_event, runtime)
                await asyncio.to_thread(enter, runtime, 2)
                assert await board_of_next(facts) == 2
                ending = asyncio.create_task(anext(facts))
                ending.cancel()
                with pytest.raises(asyncio.CancelledError):
                    await ending

        asyncio.run(evening())


def test_entries_continue_after_a_version(tmp_path: Path) -> None:
    with open_runtime(tmp_path / "overtrick.journal") as runtime:
        open_event(runtime)
        open_event(runtime, "Friday", "F" * 32)
        enter(runtime, 1)

    async def last(after: int) -> tuple[int, str]:
        async with aclosing(
            follow_entries(tmp_path, ResultRecorded, session="Thursday", after=after)
        ) as entries:
            entry = await anext(entries)
            assert isinstance(entry.fact, ResultRecorded)
            return entry.version, entry.stream

    version, stream = asyncio.run(last(0))
    assert stream == f"session/{GUID}/1"
    assert asyncio.run(last(version - 1)) == (version, stream)


def test_session_that_is_missing_or_not_the_only_one_is_refused(tmp_path: Path) -> None:
    with open_runtime(tmp_path / "overtrick.journal") as runtime:
        open_event(runtime)
        open_event(runtime, "Friday", "F" * 32)

    async def first(session: str | None) -> Fact:
        async with aclosing(follow(tmp_path, session=session)) as facts:
            return await anext(facts)

    for session in (None, "Saturday"):
        with pytest.raises(BadInput, match="Choose a session"):
            asyncio.run(first(session))
