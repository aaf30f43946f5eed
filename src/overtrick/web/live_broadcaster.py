"""The live broadcaster: renders pages again when their data changes, and streams the changes to their followers.

Read-only: writers never wait for viewers. Each followed session or team event has a refresh task for each source. A
page is rendered once for all its followers, at most every tenth of a second, and each change is encoded once, the same
bytes for everyone. A slow follower gets the changes that it missed, or the whole page if they are no longer kept. Has
no dependency on bridge: a `ProjectionSource` provides the data.
"""

import asyncio
import logging
import time
from abc import ABC, abstractmethod
from collections.abc import AsyncGenerator, Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, ExitStack, suppress
from dataclasses import dataclass, field
from typing import Any, Generic, Protocol, TypeVar

from overtrick.errors import OvertrickError
from overtrick.web.live_page import LivePage, RenderedPage
from overtrick.web.sse_messages import HELLO, STILL_HERE, Regions, StreamMessage, change_message

log = logging.getLogger(__name__)

SLACK = 0.02
"""Seconds by which a page may be rendered early, to be rendered together with others."""
SLICE = 0.02
"""Seconds of rendering after which other work of the render thread gets a turn."""
POLL_INTERVAL = 1.0
"""Seconds after which the journal is read without a wake-up: another process may have written."""
PING_EVERY = 15.0
"""Seconds after which a silent stream sends a keep-alive."""
MOST_STREAMS = 4_000
"""The default limit on open streams."""


class TooManyStreams(OvertrickError):
    """Error for more streams than the limit; existing ones continue."""

    code = "too-many"


class Subject(Protocol):
    """The data that pages are rendered from; read only in the render thread."""

    @property
    def name(self) -> str:
        """Return the name that pages show."""

    @property
    def incarnation(self) -> int:
        """Return the number of this incarnation of the guid, higher for a newer one; 0 where there is only one."""

    @property
    def version(self) -> int:
        """Return a number that rises with every fact applied."""

    @property
    def streams(self) -> tuple[str, ...]:
        """Return the journal streams that the data is built from."""


S = TypeVar("S", bound=Subject)
T = TypeVar("T")

Rendering = Callable[[S], Regions]
"""A function that renders the parts of a page from its data."""


class WakeupSource(Protocol):
    """A source of wake-ups when a stream grows, such as a journal."""

    def woken(self, stream: str, wake: Callable[[], None]) -> AbstractContextManager[None]:
        """Call `wake`, from any thread, whenever the stream may have grown, until the block ends."""


class ProjectionSource(ABC, Generic[S]):
    """A source of data for pages, with its own render thread."""

    def __init__(self, waking: WakeupSource, name: str) -> None:
        self.waking = waking
        self._thread = ThreadPoolExecutor(1, thread_name_prefix=f"overtrick-{name}")
        self._is_closed = False

    @property
    def epoch(self) -> str:
        """Return the epoch of the journal. A page has the one from before its data was read, so that it is outdated
        as soon as that changes.
        """
        return ""

    @abstractmethod
    def projection(self, guid: str) -> S:
        """Return the current data for a guid. Called in the render thread."""

    def run(self, work: Callable[[], T]) -> Awaitable[T]:
        """Run a function in the render thread; await the returned future for its result.

        Raises CancelledError after `close`, as for work that was waiting then: the server is being stopped.
        """
        if self._is_closed:
            raise asyncio.CancelledError
        return asyncio.get_running_loop().run_in_executor(self._thread, work)

    def close(self) -> None:
        """Shut down the render thread."""
        self._is_closed = True
        self._thread.shutdown(wait=False, cancel_futures=True)


@dataclass(slots=True)
class _Channel:
    """The shared pages and refresh tasks of one session or team event."""

    pages: dict[str, LivePage] = field(default_factory=dict)
    opening: asyncio.Lock = field(default_factory=asyncio.Lock)
    followers: int = 0
    tasks: "dict[ProjectionSource[Any], asyncio.Task[None]]" = field(default_factory=dict)


class LiveBroadcaster(Generic[S]):
    """The broadcaster of all pages of one kind of data, such as sessions."""

    def __init__(
        self, quick: ProjectionSource[S], slow: ProjectionSource[S], most: int = MOST_STREAMS
    ) -> None:
        self._quick = quick
        self._slow = slow
        """The source for slow pages, so that quick ones do not wait; it may be the same as `_quick`."""
        self._channels: dict[str, _Channel] = {}
        self._closing = False
        self._streams = 0
        self._most = most

    async def close(self) -> None:
        """End every stream and shut down the threads."""
        self._closing = True
        for channel in self._channels.values():
            for task in channel.tasks.values():
                task.cancel()
            for page in channel.pages.values():
                page.changed.set()
        self._quick.close()
        self._slow.close()

    # Looking --------------------------------------------------------------------------------------------------

    async def read(self, guid: str, question: Callable[[S], T]) -> T:
        """Call a function with the current data for a guid, and return its result."""
        return await self._quick.run(lambda: question(self._quick.projection(guid)))

    async def page(self, guid: str, name: str, render: Rendering[S]) -> RenderedPage:
        """Return the shared page if it was current within the last `POLL_INTERVAL` seconds, else a new rendering."""
        channel = self._channels.get(guid)
        page = channel.pages.get(name) if channel is not None else None
        if page is not None and page.problem is None and time.monotonic() - page.last_check < POLL_INTERVAL:
            return page.rendering
        return await self._make(guid, render)

    def _make(self, guid: str, render: Rendering[S]) -> Awaitable[RenderedPage]:
        def render_page() -> RenderedPage:
            epoch = self._quick.epoch
            return _render(self._quick.projection(guid), render, time.thread_time(), epoch)

        return self._quick.run(render_page)

    def followed(self) -> list[str]:
        """Return the guids that have followers."""
        return list(self._channels)

    # Following ------------------------------------------------------------------------------------------------

    async def follow(
        self, guid: str, name: str, render: Rendering[S], mark: str = "", *, pause: float | None = None
    ) -> AsyncGenerator[StreamMessage, None]:
        """Yield a page as server-sent events: the whole page first, then its changes and keep-alives.

        A follower who has the page of `mark` gets only the changes after it, while they are kept. `pause` is the
        minimum number of seconds between two renderings. The stream ends when the page cannot be rendered or the
        broadcaster closes. Raise TooManyStreams at the limit.
        """
        if self._streams >= self._most or self._closing:
            raise TooManyStreams("Too many open pages. Try again in a minute.")
        channel = self._channels.setdefault(guid, _Channel())
        channel.followers += 1
        self._streams += 1
        page: LivePage | None = None
        try:
            page = await self._page(guid, channel, name, render, mark)
            page.pause = pause
            page.followers += 1
            number = page.read_number(mark)
            yield HELLO
            while not self._closing and page.problem is None:
                changed = page.changed
                if number != page.number:
                    change, number = page.changes_after(number), page.number
                    for message in change:
                        yield message
                    continue  # the page may have changed while these were written
                await changed.wait()
                if number == page.number and not self._closing and page.problem is None:
                    yield STILL_HERE
        finally:
            self._streams -= 1
            channel.followers -= 1
            if page is not None:
                page.followers -= 1
                if not page.followers and channel.pages.get(name) is page:
                    del channel.pages[name]
            if not channel.followers and self._channels.get(guid) is channel:
                del self._channels[guid]
                for task in channel.tasks.values():
                    task.cancel()

    async def _page(
        self, guid: str, channel: _Channel, name: str, render: Rendering[S], mark: str
    ) -> LivePage:
        """Return the shared page; render it for the first follower, and again for a follower with a newer version."""
        page = channel.pages.get(name)
        if page is not None and page.can_continue_from(mark):
            return page
        async with channel.opening:  # the render thread renders one page at a time anyway
            page = channel.pages.get(name)
            if page is not None and page.can_continue_from(mark):
                return page
            rendering = await self._make(guid, render)
            page = channel.pages.get(name)
            if page is None or page.problem is not None:
                now = time.monotonic()
                page = channel.pages[name] = LivePage(
                    render, rendering, rendering.version, last_message=now, last_check=now
                )
            else:
                page.update(
                    rendering, change_message(rendering.mark, page.rendering.regions, rendering.regions)
                )
        self._start(guid, channel, page)
        return page

    def _source_of(self, page: LivePage) -> ProjectionSource[S]:
        return self._slow if page.is_heavy else self._quick

    def _start(self, guid: str, channel: _Channel, page: LivePage) -> None:
        """Start the refresh task for a page's source, if it is not running and the channel has followers."""
        source = self._source_of(page)
        if source not in channel.tasks and channel.followers:
            channel.tasks[source] = asyncio.create_task(
                self._refresh_loop(guid, channel, source), name="overtrick-refresh"
            )

    async def _refresh_loop(self, guid: str, channel: _Channel, source: ProjectionSource[S]) -> None:
        """Refresh the pages of a guid when one of its streams grows, and at least every `POLL_INTERVAL` seconds.

        Return when the slow source has no slow page left; otherwise run until cancelled.
        """
        loop = asyncio.get_running_loop()
        woken = asyncio.Event()

        def wake() -> None:
            with suppress(RuntimeError):
                loop.call_soon_threadsafe(woken.set)

        failures = 0

        async def refresh_and_count() -> _Refresh:
            nonlocal failures
            refresh = await self._refresh(guid, channel, source, woken)
            if failures:
                log.warning("The pages of %s are up to date again, after %d failed attempts.", guid, failures)
                failures = 0
            return refresh

        streams: tuple[str, ...] = ()
        while True:
            try:
                with ExitStack() as listening:
                    for stream in streams:
                        listening.enter_context(source.waking.woken(stream, wake))
                    while (refresh := await refresh_and_count()).streams == streams:
                        if source is not self._quick and not any(
                            page.is_heavy for page in channel.pages.values()
                        ):
                            del channel.tasks[source]
                            return
                        if refresh.wait is not None:
                            await asyncio.sleep(refresh.wait)
                        else:
                            with suppress(TimeoutError):
                                await asyncio.wait_for(woken.wait(), POLL_INTERVAL)
                    streams = refresh.streams
            # Pages keep their content; the journal may be available again in a moment.
            except OvertrickError as error:
                if not failures:
                    log.warning("The pages of %s cannot be brought up to date now: %s", guid, error)
                failures += 1
                await asyncio.sleep(POLL_INTERVAL)
            except Exception:
                log.exception("The pages of %s cannot be brought up to date now", guid)
                await asyncio.sleep(POLL_INTERVAL)

    async def _refresh(
        self, guid: str, channel: _Channel, source: ProjectionSource[S], woken: asyncio.Event
    ) -> "_Refresh":
        """Render the pages of a source that are due, for one time slice, and wake their followers."""
        woken.clear()
        self._ping(channel)
        pages = [page for page in channel.pages.values() if self._source_of(page) is source]

        def render_due() -> _Refresh:
            epoch = source.epoch
            return _render_due(source.projection(guid), pages, epoch)

        refresh = await source.run(render_due)
        for page, outcome in refresh.made:
            if isinstance(outcome, Exception):
                page.fail(outcome)
                continue
            previous, rendering, change = outcome
            if page.rendering is not previous:  # a new follower had it rendered in the meantime
                change = change_message(rendering.mark, page.rendering.regions, rendering.regions)
            page.update(rendering, change)
            self._start(guid, channel, page)
        return refresh

    def _ping(self, channel: _Channel) -> None:
        """Send a keep-alive to followers of silent pages; drop silent pages without followers."""
        now = time.monotonic()
        for name, page in list(channel.pages.items()):
            if now - page.last_message >= PING_EVERY:
                if page.followers:
                    page.wake_followers()
                else:
                    del channel.pages[name]  # its first follower left before it was counted


@dataclass(slots=True)
class _Refresh:
    """The result of a refresh: streams read, pages rendered, seconds until the next page is due (None if none is)."""

    streams: tuple[str, ...]
    made: list[tuple[LivePage, tuple[RenderedPage, RenderedPage, StreamMessage | None] | Exception]] = field(
        default_factory=list
    )
    wait: float | None = None


def _render_due(projection: Subject, pages: list[LivePage], epoch: str) -> _Refresh:
    """Render the pages that are due, cheapest per follower first, until the time slice is over.

    Runs in the render thread. An error in one page does not affect the others.
    """
    now = time.monotonic()
    stale = set()
    current = epoch, projection.incarnation, projection.version
    for page in pages:
        if (page.rendering.epoch, page.rendering.incarnation, page.rendering.version) == current:
            page.last_check = now
        elif page.problem is None:
            stale.add(page)
    due = sorted((page for page in stale if page.due <= now + SLACK), key=lambda page: page.cost_per_follower)
    refresh = _Refresh(projection.streams)
    start = since = time.thread_time()
    for page in due:
        stale.remove(page)
        previous = page.rendering
        try:
            rendering = _render(projection, page.render, since, epoch)
            refresh.made.append(
                (
                    page,
                    (
                        previous,
                        rendering,
                        change_message(rendering.mark, previous.regions, rendering.regions),
                    ),
                )
            )
        except Exception as error:
            refresh.made.append((page, error))
        since = time.thread_time()
        if since - start > SLICE:
            break
    if stale:
        refresh.wait = max(0.0, min(page.due for page in stale) - time.monotonic())
    return refresh


def _render(projection: S, render: Rendering[S], since: float, epoch: str) -> RenderedPage:
    """Render a page; `since` is the thread time in seconds at which its work began."""
    regions = render(projection)
    return RenderedPage(
        projection.name,
        projection.incarnation,
        projection.version,
        regions,
        time.thread_time() - since,
        epoch,
    )
