"""Guarantees for everyone who follows a page, of sessions and team events alike."""

import asyncio
import re
import threading
from collections.abc import Awaitable, Callable, Iterator
from contextlib import aclosing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from overtrick.event import Rejection
from overtrick.event.team_rules import PutTeamFacts, SetTeamEvent
from overtrick.event.teams import Division, DivisionSet, Team, TeamFormat, TeamSet
from overtrick.host.runtime import Runtime, open_runtime
from overtrick.host.simulator import open_evening, plan_evening
from overtrick.scoring import Method
from overtrick.store import Journal
from overtrick.store.errors import JournalSetBack
from overtrick.web import live_broadcaster as module
from overtrick.web.live_broadcaster import LiveBroadcaster
from overtrick.web.session_projection import LiveSessions, Regions
from overtrick.web.sse_messages import HELLO, STILL_HERE
from overtrick.web.team_projection import LiveTeamEvents
from tests.event.team_events import EVENT
from tests.waiting import wait_for_async
from tests.web.running import STARTS
from tests.web.test_session_projection import Evening, count, evening, hear

__all__ = ["evening"]


@dataclass(slots=True)
class Shown:
    """Something that grows, and a page that says how far it is."""

    journal: Journal
    guid: str
    open: Callable[[Journal], LiveBroadcaster[Any]]
    page: Callable[[Any], Regions]
    put: Callable[[int], None]
    size: int = 0

    def grow(self) -> None:
        """One more."""
        self.put(self.size)
        self.size += 1

    def run(self, test: Callable[[LiveBroadcaster[Any]], Awaitable[None]]) -> None:
        """Run a test with pages of it."""

        async def main() -> None:
            pages = self.open(self.journal)
            try:
                await test(pages)
            finally:
                await pages.close()

        asyncio.run(main())


def session(evening: Evening) -> Shown:
    """An evening, by its results."""
    return Shown(evening.runtime.journal, evening.guid, LiveSessions, count, evening.score)


def team_event(runtime: Runtime) -> Shown:
    """A team event, by its teams."""

    def put(number: int) -> None:
        team = Team(number + 1, 1, number + 1, f"Team {number}", 0, "SWE", "SWE")
        assert not isinstance(runtime.do(PutTeamFacts(EVENT, (TeamSet(team),))), Rejection)

    runtime.do(SetTeamEvent(EVENT, "European Teams", 5))
    runtime.do(
        PutTeamFacts(EVENT, (DivisionSet(Division(1, "Open", TeamFormat.SWISS, Method.VPS_CONTINUOUS, 16)),))
    )
    return Shown(
        runtime.journal,
        EVENT,
        LiveTeamEvents,
        lambda projection: {"count": str(len(projection.view.event.teams))},
        put,
    )


@pytest.fixture(params=["session", "team event"])
def shown(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Shown]:
    if request.param == "session":
        yield session(request.getfixturevalue("evening"))
    else:
        with open_runtime(tmp_path / "teams.journal") as runtime:
            yield team_event(runtime)


@pytest.fixture
def only_woken(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody looks by themselves: what is not told by a wake-up is not seen."""
    monkeypatch.setattr(module, "POLL_INTERVAL", 3600.0)


class Gate:
    """A page that is drawn, and then held back before it is handed over."""

    def __init__(self, page: Callable[[Any], Regions]) -> None:
        self._page = page
        self._held = threading.Event()
        self._go = threading.Event()

    def __call__(self, projection: object) -> Regions:
        made = self._page(projection)
        self._held.set()
        assert self._go.wait(10), "nobody lets it go"
        return made

    async def held(self) -> None:
        """Wait until one is held back."""
        assert await asyncio.to_thread(self._held.wait, 10)

    def open(self) -> None:
        """Let go, and hold nothing back."""
        self._go.set()

    def shut(self) -> None:
        """Hold back the next."""
        self._held.clear()
        self._go.clear()


@pytest.mark.usefixtures("only_woken")
def test_fact_that_comes_while_the_page_is_rendered_is_sent(shown: Shown) -> None:
    """While it is made for the first who comes, and while it is made again."""
    gate = Gate(shown.page)

    async def test(pages: LiveBroadcaster[Any]) -> None:
        async with aclosing(pages.follow(shown.guid, "page", gate)) as following:
            first = asyncio.create_task(hear(following))
            await gate.held()
            shown.grow()
            gate.open()
            assert await first == {"count": "0"}
            assert await hear(following) == {"count": "1"}
            for _ in range(3):
                gate.shut()
                shown.grow()
                before = str(shown.size)
                await gate.held()
                shown.grow()
                gate.open()
                assert await hear(following) == {"count": before}
                assert await hear(following) == {"count": str(shown.size)}

    shown.run(test)


@pytest.mark.usefixtures("only_woken")
def test_follower_with_a_newer_page_never_gets_the_one_being_rendered(shown: Shown) -> None:
    """Their page is of another computer with the same journal, or of the time before their stream was lost."""
    gate = Gate(shown.page)

    async def test(pages: LiveBroadcaster[Any]) -> None:
        elsewhere = shown.open(shown.journal)
        async with aclosing(pages.follow(shown.guid, "page", gate)) as first:
            one = asyncio.create_task(hear(first))
            await gate.held()
            shown.grow()
            newer = await elsewhere.page(shown.guid, "page", shown.page)
            assert newer.regions == {"count": "1"}
            async with aclosing(pages.follow(shown.guid, "page", gate, newer.mark)) as second:
                two = asyncio.create_task(anext(second))
                await asyncio.sleep(0)
                gate.open()
                assert await two is HELLO
                assert await one == {"count": "0"}
                shown.grow()
                assert await hear(second) == {"count": "2"}
        await elsewhere.close()

    shown.run(test)


@pytest.mark.usefixtures("only_woken")
def test_follower_who_joins_as_the_last_one_leaves_gets_changes(shown: Shown) -> None:
    gate = Gate(shown.page)

    async def test(pages: LiveBroadcaster[Any]) -> None:
        gate.open()
        first = pages.follow(shown.guid, "page", gate)
        assert await hear(first) == {"count": "0"}
        gate.shut()
        async with aclosing(pages.follow(shown.guid, "page", gate, "999999")) as second:
            told = asyncio.create_task(hear(second))
            await gate.held()
            await first.aclose()
            gate.open()
            assert await told == {"count": "0"}
            shown.grow()
            assert await hear(second) == {"count": "1"}
        assert not pages._channels

    shown.run(test)


def test_page_is_rendered_once_for_simultaneous_requests_even_if_the_first_leaves(shown: Shown) -> None:
    gate = Gate(shown.page)
    made = 0

    def page(projection: object) -> Regions:
        nonlocal made
        made += 1
        return gate(projection)

    async def test(pages: LiveBroadcaster[Any]) -> None:
        streams = [pages.follow(shown.guid, "page", page) for _ in range(5)]
        first, *others = [asyncio.create_task(hear(stream)) for stream in streams]
        await gate.held()
        first.cancel()
        gate.open()
        assert await asyncio.gather(*others) == [{"count": "0"}] * 4
        assert made <= 2, "once more for who came second"
        for stream in streams:
            await stream.aclose()
        assert not pages._channels

    shown.run(test)


def test_pages_keep_their_content_while_the_journal_is_unavailable(
    shown: Shown, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Signs of life go on, so that whoever may not follow any more is let go; then what has come is told."""
    monkeypatch.setattr(module, "PING_EVERY", 0.0)
    monkeypatch.setattr(module, "POLL_INTERVAL", 0.01)

    def broken(*given: object) -> dict[str, int]:
        raise OSError("the disk is gone")

    async def test(pages: LiveBroadcaster[Any]) -> None:
        async with aclosing(pages.follow(shown.guid, "page", shown.page)) as following:
            assert await hear(following) == {"count": "0"}
            with monkeypatch.context() as fault:
                for reading in ("head", "heads", "read"):
                    fault.setattr(shown.journal, reading, broken)
                shown.grow()
                async with asyncio.timeout(30):
                    assert [await anext(following) for _ in range(5)] == [STILL_HERE] * 5
            assert await hear(following) == {"count": "1"}

    shown.run(test)


def test_journal_outage_writes_two_log_lines_with_a_count(
    shown: Shown, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(module, "POLL_INTERVAL", 0.01)
    failures = 0

    def lost(*given: object) -> dict[str, int]:
        nonlocal failures
        failures += 1
        raise JournalSetBack("The journal was set back to an earlier moment.")

    async def test(pages: LiveBroadcaster[Any]) -> None:
        async with aclosing(pages.follow(shown.guid, "page", shown.page)) as following:
            assert await hear(following) == {"count": "0"}
            with monkeypatch.context() as outage:
                for reading in ("head", "heads", "read"):
                    outage.setattr(shown.journal, reading, lost)
                await wait_for_async(lambda: failures >= 10)
            shown.grow()
            assert await hear(following) == {"count": "1"}

    shown.run(test)
    lines = [record for record in caplog.records if record.name == module.__name__]
    assert [record.exc_info for record in lines] == [None, None]
    first, last = (record.getMessage() for record in lines)
    assert first.startswith(
        f"The pages of {shown.guid} cannot be brought up to date now: The journal was set back"
    )
    assert re.fullmatch(r"The pages of \w+ are up to date again, after \d+ failed attempts\.", last)


def test_closing_ends_every_stream(shown: Shown) -> None:
    async def test(pages: LiveBroadcaster[Any]) -> None:
        following = pages.follow(shown.guid, "page", shown.page)
        assert await hear(following) == {"count": "0"}
        ending = asyncio.create_task(hear(following))
        await asyncio.sleep(0)
        await pages.close()
        with pytest.raises(AssertionError, match="ended"):
            await ending
        with pytest.raises(module.TooManyStreams):
            await anext(pages.follow(shown.guid, "page", shown.page))

    shown.run(test)


def test_request_after_closing_is_cancelled_and_not_an_error(shown: Shown) -> None:
    """The server answers a cancelled request with 503: it comes while the server stops."""

    async def test(pages: LiveBroadcaster[Any]) -> None:
        await pages.close()
        with pytest.raises(asyncio.CancelledError):
            await pages.read(shown.guid, lambda projection: None)

    shown.run(test)


def test_follower_of_a_reopened_session_never_gets_the_previous_incarnation(
    evening: Evening, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing wakes who follows the old one, and they look before long."""
    monkeypatch.setattr(module, "POLL_INTERVAL", 0.3)
    shown = session(evening)
    for _ in range(3):
        shown.grow()

    async def test(pages: LiveBroadcaster[Any]) -> None:
        async with aclosing(pages.follow(shown.guid, "page", shown.page)) as first:
            assert await hear(first) == {"count": "3"}
            evening.do(open_evening(plan_evening(4, 1, STARTS, 24)))
            mark = await pages.read(
                shown.guid, lambda projection: f"{projection.incarnation}.{projection.version}"
            )
            async with aclosing(pages.follow(shown.guid, "page", shown.page, mark)) as second:
                assert await anext(second) is HELLO
                assert await hear(first) == {"count": "0"}, "and who has the old one is told"
                evening.score(0)
                assert await hear(second) == {"count": "1"}

    shown.run(test)
