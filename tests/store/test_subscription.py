import asyncio
from collections.abc import AsyncIterator, Callable

import pytest

from overtrick.store import Journal, JournalEntry, follow
from tests.store.tiny import put, result
from tests.waiting import wait_for_async


async def take(following: AsyncIterator[JournalEntry], count: int) -> list[int]:
    found: list[int] = []
    async for entry in following:
        found.append(entry.version)
        if len(found) == count:
            break
    return found


def test_follower_gets_old_and_new_facts(journal: Journal, looks: list[int]) -> None:
    async def evening() -> None:
        put(journal, "monday", 0, result(1), result(2))
        following = follow(journal, "monday")
        assert await take(following, 1) == [1]
        following = follow(journal, "monday", after=1)
        waiting = asyncio.create_task(take(following, 3))
        await wait_for_async(lambda: looks[-1:] == [0])
        put(journal, "tuesday", 0, result(1))
        put(journal, "monday", 2, result(3))
        put(journal, "monday", 3, result(4))
        assert await asyncio.wait_for(waiting, 30) == [2, 3, 4]

    asyncio.run(evening())


def test_a_follower_in_this_process_is_woken(
    journal: Journal, looks: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("overtrick.store.subscription.POLL_INTERVAL", 60.0)

    async def evening() -> None:
        waiting = asyncio.create_task(take(follow(journal, "monday"), 1))
        await wait_for_async(lambda: looks == [0])
        await asyncio.to_thread(put, journal, "monday", 0, result(1))
        assert await asyncio.wait_for(waiting, 30) == [1]

    asyncio.run(evening())


def test_follower_reads_without_a_wake_up(
    open_again: Callable[[], Journal], looks: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another process wrote, and no wake-up came through."""
    monkeypatch.setattr("overtrick.store.subscription.POLL_INTERVAL", 0.1)
    ours, theirs = open_again(), open_again()
    monkeypatch.setattr(ours.engine, "listen", lambda wake: None)

    async def evening() -> None:
        waiting = asyncio.create_task(take(follow(ours, "monday"), 1))
        await wait_for_async(lambda: looks)
        await asyncio.to_thread(put, theirs, "monday", 0, result(1))
        assert await asyncio.wait_for(waiting, 30) == [1]

    asyncio.run(evening())


def test_follower_begins_again_when_the_journal_has_lost_facts(journal: Journal, looks: list[int]) -> None:
    async def evening() -> None:
        put(journal, "monday", 0, result(1), result(2))
        waiting = asyncio.create_task(take(follow(journal, "monday", after=4), 3))
        await wait_for_async(lambda: looks[:1] == [0])
        journal.set_backs += 1
        put(journal, "monday", 2, result(3))
        assert await asyncio.wait_for(waiting, 30) == [1, 2, 3]

    asyncio.run(evening())


def test_closed_follower_is_not_woken(journal: Journal) -> None:
    async def evening() -> None:
        following = follow(journal, "monday")
        waiting = asyncio.create_task(take(following, 1))
        await wait_for_async(lambda: journal._wakeups._callbacks)
        waiting.cancel()
        await asyncio.gather(waiting, return_exceptions=True)
        await following.aclose()

    asyncio.run(evening())
    assert not journal._wakeups._callbacks
    put(journal, "monday", 0, result(1))
