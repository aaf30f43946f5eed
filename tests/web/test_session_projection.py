"""Live sessions: projections, pages that many follow, and their streams."""

import asyncio
import json
import threading
import time
import zlib
from collections.abc import AsyncGenerator, Callable, Iterator
from contextlib import aclosing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from overtrick.bridge import Outcome
from overtrick.event import Command, Rejection, session_stream
from overtrick.event.place import Place
from overtrick.event.results import EraseResult, Origin, PutResults, ResultEntry
from overtrick.event.setup import SetStatus, Status
from overtrick.host.runtime import Runtime, open_runtime
from overtrick.host.simulator import open_evening, plan_evening
from overtrick.store import Journal, JournalEntry, projection, subscription
from overtrick.store.errors import JournalUnavailable
from overtrick.store.projection import SessionProjections
from overtrick.web import live_broadcaster as module
from overtrick.web import live_page, view_models
from overtrick.web.api import _fact_events
from overtrick.web.keyed_rows import Cells, KeyedRows
from overtrick.web.live_page import RenderedPage
from overtrick.web.public_pages import live_regions
from overtrick.web.session_projection import LiveSessions, Regions, SessionProjection
from overtrick.web.sse_messages import GZIP_HEADER, HELLO, STILL_HERE, StreamMessage, change_message
from tests.waiting import wait_for_async
from tests.web.patches import patched
from tests.web.running import OUTCOMES, STARTS


@dataclass(slots=True)
class Evening:
    """A runtime with one session, without a server."""

    runtime: Runtime
    guid: str
    places: list[Place]

    def do(self, command: Command) -> None:
        answer = self.runtime.do(command)
        assert not isinstance(answer, Rejection), str(answer)

    def score(self, number: int, outcome: str = "3NTN=") -> None:
        """Enter the result of a place."""
        entry = ResultEntry(*self.places[number % len(self.places)], Outcome.parse(outcome), STARTS)
        self.do(PutResults(self.guid, (entry,), Origin.DESK))

    def erase(self, number: int) -> None:
        """Erase the result of a place, where there is one."""
        place = self.places[number % len(self.places)]
        with self.runtime.read(self.guid) as session:
            assert session is not None
            stands = place in session.results.standing
        if stands:
            self.do(EraseResult(self.guid, *place, Origin.DESK))


@pytest.fixture
def evening(tmp_path: Path) -> Iterator[Evening]:
    with open_runtime(tmp_path / "runtime.journal") as runtime:
        planned = plan_evening(4, 1, STARTS, 24)
        assert not isinstance(runtime.do(open_evening(planned)), Rejection)
        with runtime.read(planned.session) as session:
            assert session is not None
            places = [
                (*table, number, board)
                for table, at in sorted(session.movement.tables.items())
                for number, played in enumerate(at.rounds, start=1)
                if played.ns and played.ew
                for board in played.boards
            ]
            places.sort(key=lambda place: place[3])  # boards that can be compared come one after the other
        yield Evening(runtime, planned.session, places)


def test_ranking_without_comparisons_shows_dashes(evening: Evening) -> None:
    def figures() -> tuple[set[str], set[str]]:
        view = evening.runtime.view(evening.guid)
        assert view is not None
        found = view_models.rankings(view)
        return {ranking.unit for ranking in found}, {line.score for one in found for line in one.lines}

    evening.score(0)
    assert figures() == ({"%"}, {"–"})
    evening.score(1, "3NTN+1")
    units, scores = figures()
    assert units == {"%"}
    assert {"0.00", "100.00"} <= scores


def count(projection: SessionProjection) -> Regions:
    """A page that says how many results there are."""
    return {"count": str(len(projection.view.session.results.standing))}


def sent(piece: StreamMessage) -> dict[str, Any]:
    """Return the data of an event."""
    mark, event, data = piece.plain.decode().strip().split("\n")
    assert mark.startswith("id: ")
    assert event == "event: regions"
    found = json.loads(data.removeprefix("data: "))
    assert isinstance(found, dict)
    return found


async def hear(following: AsyncGenerator[StreamMessage, None]) -> dict[str, Any]:
    """The next event; signs of life are passed over."""
    async with asyncio.timeout(30):
        async for piece in following:
            if piece is not HELLO and piece is not STILL_HERE:
                return sent(piece)
    raise AssertionError("the stream has ended")


def run(evening: Evening, test: Callable[[LiveSessions], Any]) -> None:
    """Run a test with a live projection of this session."""

    async def main() -> None:
        live = LiveSessions(evening.runtime.journal)
        try:
            await test(live)
        finally:
            await live.close()

    asyncio.run(main())


# Nobody misses a change -----------------------------------------------------------------------------------------------


def test_change_between_page_and_stream_is_sent(evening: Evening) -> None:
    """Somebody has the page of a version, and another result comes while their stream is being opened."""
    hits: list[int] = []

    def moving(projection: SessionProjection) -> Regions:
        hits.append(projection.version)
        if len(hits) in (1, 2):
            evening.score(len(hits))  # after the page was drawn of what was there before
        return count(projection)

    async def test(live: LiveSessions) -> None:
        look = await live.page(evening.guid, "page", moving)
        assert look.regions == {"count": "0"} or look.regions == {"count": "1"}
        async with aclosing(live.follow(evening.guid, "page", moving, look.mark)) as following:
            last = {"count": ""}
            while last != {"count": "2"}:
                last = await hear(following)

    run(evening, test)


def test_follower_with_the_newest_page_gets_nothing_until_it_changes(evening: Evening) -> None:
    async def test(live: LiveSessions) -> None:
        look = await live.page(evening.guid, "page", count)
        async with aclosing(live.follow(evening.guid, "page", count, look.mark)) as following:
            assert await anext(following) is HELLO
            with pytest.raises(TimeoutError):
                async with asyncio.timeout(0.3):
                    await anext(following)

    run(evening, test)


def test_follower_with_a_newer_page_never_gets_the_shared_older_one(evening: Evening) -> None:
    async def test(live: LiveSessions) -> None:
        async with aclosing(live.follow(evening.guid, "page", count)) as first:
            assert await hear(first) == {"count": "0"}
            evening.score(0)
            newer = await live.read(
                evening.guid, lambda projection: f"{projection.incarnation}.{projection.version}"
            )
            async with aclosing(live.follow(evening.guid, "page", count, newer)) as second:
                assert await anext(second) is HELLO
                evening.score(1)
                assert await hear(second) == {"count": "2"}

    run(evening, test)


def test_patches_follow_the_page_that_another_request_rendered(evening: Evening) -> None:
    """Patches must lead from what was sent before to the newest page, whoever made which."""

    def rows(*cells: str) -> Regions:
        return {"rows": KeyedRows(({"A1": cells},), "", str)}

    async def test(live: LiveSessions) -> None:
        loop = asyncio.get_running_loop()

        def page(projection: SessionProjection) -> Regions:
            if not projection.view.session.results.standing:
                return rows("0", "a")
            # Someone who comes at this moment has it made too, and is told first.
            other = RenderedPage("", projection.incarnation, projection.version, rows("0", "b"), 0.0)

            async def come() -> None:
                shared = live._channels[evening.guid].pages["page"]
                shared.update(other, change_message(other.mark, shared.rendering.regions, other.regions))

            asyncio.run_coroutine_threadsafe(come(), loop).result(10)
            return rows("1", "a")

        async with aclosing(live.follow(evening.guid, "page", page)) as following:
            await hear(following)
            evening.score(0)
            shown: list[dict[str, Cells]] = [{"A1": ("0", "a")}]
            while shown != [{"A1": ("1", "a")}]:
                shown = patched(shown, (await hear(following))["rows"])
            shared = live._channels[evening.guid].pages["page"]
            number, look = shared.number, shared.rendering
            shared.update(
                RenderedPage("", look.incarnation, look.version - 1, rows("0", "a"), 0.0), STILL_HERE
            )
            assert (shared.number, shared.rendering) == (number, look), "an older one does not take its place"

    run(evening, test)


# Coming back ----------------------------------------------------------------------------------------------------------


def test_reconnecting_follower_gets_only_newer_changes(evening: Evening) -> None:
    """A few changes are sent again as they were; after more of them, all is sent."""
    evening.score(0)
    evening.score(1, "3NTN+1")  # only a board that two have played has a top, and the ranking percentages

    def page(projection: SessionProjection) -> Regions:
        return {**live_regions(projection), **count(projection)}

    async def test(live: LiveSessions) -> None:
        old = await live.page(evening.guid, "live", page)
        async with aclosing(live.follow(evening.guid, "live", page, old.mark)) as following:
            assert await anext(following) is HELLO
            evening.score(2, "3NTN-1")
            first = await hear(following)
            assert isinstance(first["ranking"], list)
            async with aclosing(live.follow(evening.guid, "live", page, old.mark)) as back:
                assert await hear(back) == first
            for number in range(3, 4 + live_page.REMEMBERED):
                evening.score(number)
                await hear(following)
            async with aclosing(live.follow(evening.guid, "live", page, old.mark)) as late:
                assert "<tr" in (await hear(late))["ranking"]

    run(evening, test)


@pytest.mark.parametrize("mark", ["", "7", "1.7", "9.999999", "2.1", "x", "1.x", "-1", "1.-3", "9" * 30])
def test_unknown_event_id_gets_the_whole_page(evening: Evening, mark: str) -> None:
    evening.score(0)

    async def test(live: LiveSessions) -> None:
        async with aclosing(live.follow(evening.guid, "live", live_regions, mark)) as following:
            assert set(await hear(following)) == {"head", "clock", "ranking", "coming"}

    run(evening, test)


def test_reopened_session_sends_the_whole_page(evening: Evening) -> None:
    """The same guid again: versions begin anew, and a mark of the first incarnation is none of the second."""
    for number in range(3):
        evening.score(number)

    async def test(live: LiveSessions) -> None:
        async with aclosing(live.follow(evening.guid, "page", count)) as following:
            assert await hear(following) == {"count": "3"}
            old = await live.read(
                evening.guid, lambda projection: f"{projection.incarnation}.{projection.version}"
            )
            evening.do(open_evening(plan_evening(4, 1, STARTS, 24)))
            assert await hear(following) == {"count": "0"}
            evening.score(0)
            assert await hear(following) == {"count": "1"}
            async with aclosing(live.follow(evening.guid, "page", count, old)) as back:
                assert await hear(back) == {"count": "1"}

    run(evening, test)


# Nobody holds up others -----------------------------------------------------------------------------------------------


def test_slow_reader_gets_the_newest_version_only(evening: Evening, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live_page, "PAUSE", 0.0)
    made = 0

    def page(projection: SessionProjection) -> Regions:
        nonlocal made
        made += 1
        return count(projection)

    async def test(live: LiveSessions) -> None:
        async with (
            aclosing(live.follow(evening.guid, "page", page)) as reader,
            aclosing(live.follow(evening.guid, "page", page)) as sleeper,
        ):
            assert await hear(reader) == {"count": "0"}
            assert await hear(sleeper) == {"count": "0"}
            for number in range(20):
                evening.score(number)
                assert await hear(reader) == {"count": str(number + 1)}
            before = made
            assert await hear(sleeper) == {"count": "20"}
            with pytest.raises(TimeoutError):
                async with asyncio.timeout(0.2):
                    await hear(sleeper)
            assert made == before, "who comes late must not make work"

    run(evening, test)


def test_page_is_rendered_once_for_all_followers(evening: Evening) -> None:
    made = 0

    def page(projection: SessionProjection) -> Regions:
        nonlocal made
        made += 1
        return count(projection)

    async def test(live: LiveSessions) -> None:
        followers = [live.follow(evening.guid, "page", page) for _ in range(50)]
        heard = await asyncio.gather(*(hear(each) for each in followers))
        assert heard == [{"count": "0"}] * 50
        evening.score(0)
        pieces = await asyncio.gather(*(anext(each) for each in followers))
        assert sent(pieces[0]) == {"count": "1"}
        assert len({id(piece) for piece in pieces}) == 1
        assert made == 2
        for each in followers:
            await each.aclose()
        assert not live._channels

    run(evening, test)


def test_error_in_one_page_does_not_affect_the_others(evening: Evening) -> None:
    def breaking(projection: SessionProjection) -> Regions:
        if projection.view.session.results.standing:
            raise ValueError("no such table any more")
        return count(projection)

    async def test(live: LiveSessions) -> None:
        async with (
            aclosing(live.follow(evening.guid, "good", count)) as good,
            aclosing(live.follow(evening.guid, "bad", breaking)) as bad,
        ):
            assert await hear(good) == await hear(bad) == {"count": "0"}
            evening.score(0)
            assert await hear(good) == {"count": "1"}
            with pytest.raises(AssertionError, match="ended"):
                await hear(bad)
            with pytest.raises(ValueError, match="no such table"):
                await anext(live.follow(evening.guid, "bad", breaking))

    run(evening, test)


def test_slow_page_is_not_rendered_again_at_once(evening: Evening) -> None:
    """Results come all the time; the quick page shows them at once, the slow one has a rest between two makings."""
    made: dict[str, int] = {"quick": 0, "slow": 0}

    def quick(projection: SessionProjection) -> Regions:
        made["quick"] += 1
        return count(projection)

    def slow(projection: SessionProjection) -> Regions:
        made["slow"] += 1
        for _ in range(4_000_000):
            pass
        return count(projection)

    async def test(live: LiveSessions) -> None:
        async with (
            aclosing(live.follow(evening.guid, "quick", quick)) as following,
            aclosing(live.follow(evening.guid, "slow", slow)) as patient,
        ):
            await hear(following)
            await hear(patient)
            for number in range(8):
                evening.score(number)
                assert await hear(following) == {"count": str(number + 1)}
            while (await hear(patient))["count"] != "8":
                pass
        assert made["slow"] < made["quick"]

    run(evening, test)


def test_slow_page_does_not_delay_the_others(evening: Evening) -> None:
    """The heavy page is still being made when the other one shows the result."""
    heard = threading.Event()
    made = 0

    def heavy(projection: SessionProjection) -> Regions:
        nonlocal made
        made += 1
        until = time.thread_time() + 2 * live_page.HEAVY
        while time.thread_time() < until:
            pass
        assert made < 3 or heard.wait(10), "the other page was not made"
        return count(projection)

    async def test(live: LiveSessions) -> None:
        async with (
            aclosing(live.follow(evening.guid, "heavy", heavy)) as patient,
            aclosing(live.follow(evening.guid, "light", count)) as following,
        ):
            assert await hear(patient) == await hear(following) == {"count": "0"}
            for number in range(2):  # once may be chance; twice, and it is known to be heavy
                evening.score(number)
                await wait_for_async(lambda number=number: made >= number + 2)  # type: ignore[misc]
            evening.score(2)
            while await hear(following) != {"count": "3"}:
                pass
            heard.set()
            while await hear(patient) != {"count": "3"}:
                pass

    run(evening, test)


def test_silent_stream_sends_keep_alives(evening: Evening, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "PING_EVERY", 0.0)
    monkeypatch.setattr(module, "POLL_INTERVAL", 0.01)

    async def test(live: LiveSessions) -> None:
        async with aclosing(live.follow(evening.guid, "page", count)) as following:
            await hear(following)
            async with asyncio.timeout(30):
                assert await anext(following) is STILL_HERE

    run(evening, test)


# What is sent ---------------------------------------------------------------------------------------------------------

STEPS = st.lists(
    st.tuples(
        st.sampled_from(["score", "score", "score", "erase", "status"]),
        st.integers(0, 40),
        st.sampled_from(OUTCOMES),
    ),
    min_size=1,
    max_size=12,
)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(STEPS, st.integers(1, 3))
def test_all_patches_together_equal_the_freshly_rendered_page(
    evening: Evening, steps: list[tuple[str, int, str]], together: int
) -> None:
    """Any changes, and any number of them between two looks: the rows, and their appearance."""
    before = sight_of(evening)
    rows: list[dict[str, Cells]] = _tables(before)
    html = {name: str(part) for name, part in before.items() if isinstance(part, str)}
    for number, (kind, place, outcome) in enumerate(steps, start=1):
        if kind == "score":
            evening.score(place, outcome)
        elif kind == "erase":
            evening.erase(place)
        else:
            evening.do(SetStatus(evening.guid, Status.FINISHED if place % 2 else Status.STARTED))
        if number % together and number < len(steps):
            continue
        after = sight_of(evening)
        piece = change_message("1.1", before, after)
        for name, part in sent(piece).items() if piece else ():
            if isinstance(part, str) and name != "ranking":
                html[name] = part
            elif isinstance(part, str):
                assert part == _ranking(after).draw()
                rows = _tables(after)
            else:
                rows = patched(rows, part)
        assert [list(table.items()) for table in rows] == [list(each.items()) for each in _tables(after)]
        assert html == {name: part for name, part in after.items() if isinstance(part, str)}
        before = after


def sight_of(evening: Evening) -> Regions:
    """The projector's page, folded and made anew from the whole journal."""
    live = LiveSessions(evening.runtime.journal)
    return live_regions(live._quick.projection(evening.guid))


def _ranking(regions: Regions) -> KeyedRows:
    part = regions["ranking"]
    assert isinstance(part, KeyedRows)
    return part


def _tables(regions: Regions) -> list[dict[str, Cells]]:
    return [dict(table) for table in _ranking(regions).tables]


@pytest.mark.timeout(150)  # 25 stories of an evening, after every step of which all is made twice
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(STEPS)
def test_cached_parts_equal_freshly_rendered_ones(
    evening: Evening, steps: list[tuple[str, int, str]]
) -> None:
    live = LiveSessions(evening.runtime.journal)
    for kind, place, outcome in steps:
        if kind == "score":
            evening.score(place, outcome)
        elif kind == "erase":
            evening.erase(place)
        else:
            evening.do(SetStatus(evening.guid, Status.FINISHED if place % 2 else Status.STARTED))
        assert live_regions(live._quick.projection(evening.guid)) == sight_of(evening)


@given(st.lists(st.binary(max_size=2000), min_size=1, max_size=8))
def test_gzipped_messages_fit_into_any_stream(texts: list[bytes]) -> None:
    """The same piece at the beginning of one stream and in the middle of another."""
    pieces = [StreamMessage(text) for text in texts]
    for first in range(len(pieces)):
        unzip = zlib.decompressobj(16 + zlib.MAX_WBITS)
        read = unzip.decompress(GZIP_HEADER)
        for number, piece in enumerate(pieces[first:], start=first):
            read = unzip.decompress(piece.gzipped)
            assert read == texts[number], "each is there as soon as its last byte is"


def test_only_followed_pages_count_as_behind(evening: Evening, monkeypatch: pytest.MonkeyPatch) -> None:
    """A load balancer reads it: what nobody looks at would seem behind until somebody does."""

    async def test(live: LiveSessions) -> None:
        await live.page(evening.guid, "count", count)
        evening.score(0)
        assert await live.behind() == 0, "nobody follows it"
        async with aclosing(live.follow(evening.guid, "count", count)) as following:
            await hear(following)
            evening.score(1)
            await hear(following)
            assert await live.behind() == 0
            monkeypatch.setattr(SessionProjections, "find", SessionProjections.loaded)
            evening.score(2)
            assert await live.behind() == 1
            monkeypatch.undo()
            await hear(following)
            assert await live.behind() == 0

    run(evening, test)


def test_a_followed_session_stays_in_memory_however_long_the_journal_does_not_answer(
    evening: Evening, monkeypatch: pytest.MonkeyPatch
) -> None:
    now, looks = 0.0, 0
    monkeypatch.setattr(projection, "monotonic", lambda: now)
    monkeypatch.setattr(module, "POLL_INTERVAL", 0.01)
    other = plan_evening(2, 1, STARTS, 6)
    evening.do(open_evening(other))
    journal = evening.runtime.journal

    def unavailable(stream: str) -> int:
        nonlocal looks
        looks += 1
        raise JournalUnavailable("The journal does not answer.")

    async def test(live: LiveSessions) -> None:
        nonlocal now
        async with aclosing(live.follow(evening.guid, "count", count)) as following:
            await hear(following)
            folded = await live.read(evening.guid, lambda projection: projection)
            outage = pytest.MonkeyPatch()
            outage.setattr(journal, "head", unavailable)
            now += 2 * projection.UNUSED
            before = looks  # those until now may have been made before the clock moved
            await wait_for_async(lambda: looks >= before + 3)

            def ask_for_the_other(_: SessionProjection) -> SessionProjection | None:
                outage.undo()
                live._sessions.projection(other.session)
                found = live._sessions._projections.loaded(evening.guid)
                return found and found.state

            assert await live.read(evening.guid, ask_for_the_other) is folded

    run(evening, test)


def test_page_is_not_shown_from_facts_that_the_journal_lost(
    evening: Evening, monkeypatch: pytest.MonkeyPatch
) -> None:
    journal = evening.runtime.journal

    def unavailable(stream: str, after: int) -> Iterator[JournalEntry]:
        raise JournalUnavailable("The journal does not answer.")

    async def test(live: LiveSessions) -> None:
        await live.page(evening.guid, "count", count)
        journal.set_backs += 1
        with monkeypatch.context() as outage:
            outage.setattr(journal, "read", unavailable)
            with pytest.raises(JournalUnavailable):
                await live.page(evening.guid, "count", count)
        assert (await live.page(evening.guid, "count", count)).regions == {"count": "0"}

    run(evening, test)


def lose_last_fact(journal: Journal, session: str) -> None:
    """Take the last fact from a session's stream, as a failover to a replica that lacks it does."""
    stream = session_stream(session, 1)
    last = journal.head(stream)
    with journal.writing() as cursor:
        cursor.execute("DELETE FROM journal WHERE stream = ? AND version = ?", (stream, last))
        cursor.execute("UPDATE streams SET version = ? WHERE stream = ?", (last - 1, stream))
    journal.set_backs += 1


def test_followed_page_drops_a_result_that_the_journal_has_lost(
    evening: Evening, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "POLL_INTERVAL", 0.01)
    evening.score(0)

    async def test(live: LiveSessions) -> None:
        async with aclosing(live.follow(evening.guid, "count", count)) as following:
            assert await hear(following) == {"count": "1"}
            lose_last_fact(evening.runtime.journal, evening.guid)
            assert await hear(following) == {"count": "0"}

    run(evening, test)


def test_lost_result_replaced_by_another_of_the_same_version_is_not_shown(evening: Evening) -> None:
    """A version number says nothing about content from before a set-back, here and for pages that come back."""

    def outcome(projection: SessionProjection) -> Regions:
        standing = projection.view.session.results.standing.values()
        return {"outcome": " ".join(str(result.outcome) for result in standing)}

    async def test(live: LiveSessions) -> None:
        async with aclosing(live.follow(evening.guid, "outcome", outcome)) as following:
            evening.score(0, "3NTN=")
            while (await hear(following))["outcome"] != "3NTN=":
                pass
            before = await live.page(evening.guid, "outcome", outcome)
            position = await live.read(evening.guid, lambda projection: projection.position)

            def replace_last_fact(_: SessionProjection) -> None:
                lose_last_fact(evening.runtime.journal, evening.guid)
                evening.score(0, "4SN=")

            await live.read(
                evening.guid, replace_last_fact
            )  # in the render thread, so that no page looks meanwhile
            assert await hear(following) == {"outcome": "4SN="}
            after = await live.read(evening.guid, lambda projection: projection.position)
            assert after[:2] == position[:2]
            assert after != position, "results pages that were made before are made again"
            async with aclosing(live.follow(evening.guid, "outcome", outcome, before.mark)) as again:
                assert await hear(again) == {"outcome": "4SN="}

    run(evening, test)


def test_stream_of_facts_begins_again_when_the_journal_has_lost_a_fact(
    evening: Evening, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(subscription, "POLL_INTERVAL", 0.01)
    journal, stream = evening.runtime.journal, session_stream(evening.guid, 1)
    evening.score(0)
    before = journal.head(stream)

    async def test() -> None:
        events = _fact_events(journal, stream, before - 1)
        async with asyncio.timeout(30):
            assert [(await anext(events)).splitlines()[0] for _ in range(2)] == [
                "retry: 2000",
                f"id: {before}",
            ]
            lose_last_fact(journal, evening.guid)
            again = [(await anext(events)).splitlines()[0] for _ in range(before - 1)]
            assert again == [f"id: {version}" for version in range(1, before)]

    asyncio.run(test())
