"""The live broadcaster: one loop that renders every page that changes while somebody looks at it.

Read-only: writers never wait for viewers. The data is folded once for all viewers. A page is rendered once for all its
followers, at most every tenth of a second, and each change is encoded once, the same bytes for everyone. A follower who
cannot keep up gets the newest version on the next read, not every change between. Has no dependency on bridge: a `Fold`
provides the data.
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
from overtrick.web.live_page import FollowedPage, Look
from overtrick.web.sse_messages import HELLO, STILL_HERE, Piece, Regions, change

log = logging.getLogger(__name__)

SLACK = 0.02
"""Seconds by which a page may be rendered early, together with others."""
SLICE = 0.02
"""Seconds of work after which other tasks of the same thread get a turn."""
LOOK_EVERY = 1.0
"""Seconds after which the journal is read without a wake-up: another process may have written."""
PING_EVERY = 15.0
"""Seconds after which a silent stream sends a keep-alive."""
MOST_STREAMS = 4_000
"""The limit on streams at once."""


class TooMany(OvertrickError):
    """Error for more streams than the limit; existing ones continue."""

    code = "too-many"


class Subject(Protocol):
    """The data of pages at a version; read-only, in the thread that renders them."""

    @property
    def name(self) -> str:
        """Return the name that pages show."""

    @property
    def incarnation(self) -> int:
        """Return the number of this incarnation of the guid, the newest the highest; 0 where there is only one."""

    @property
    def version(self) -> int:
        """Return a number that rises with every fact applied."""

    @property
    def streams(self) -> tuple[str, ...]:
        """Return the journal streams that it is built from."""


S = TypeVar("S", bound=Subject)
T = TypeVar("T")

Rendering = Callable[[S], Regions]
"""Makes a page."""


class Waking(Protocol):
    """A source of wake-ups when a stream grows, such as a journal."""

    def woken(self, stream: str, wake: Callable[[], None]) -> AbstractContextManager[None]:
        """Call `wake`, from any thread, whenever the stream may have grown, until the block ends."""


class Fold(ABC, Generic[S]):
    """The data source of pages, with its own render thread."""

    def __init__(self, waking: Waking, name: str) -> None:
        self.waking = waking
        self._thread = ThreadPoolExecutor(1, thread_name_prefix=f"overtrick-{name}")

    @abstractmethod
    def sight(self, guid: str) -> S:
        """Return the current data for a guid."""

    def apart(self, work: Callable[[], T]) -> Awaitable[T]:
        """Run a function in the render thread."""
        return asyncio.get_running_loop().run_in_executor(self._thread, work)

    def close(self) -> None:
        """Shut down the render thread."""
        self._thread.shutdown(wait=False, cancel_futures=True)


@dataclass(slots=True)
class _Pulse:
    """The shared pages and tasks of all followers of one session or team event."""

    pages: dict[str, FollowedPage] = field(default_factory=dict)
    opening: asyncio.Lock = field(default_factory=asyncio.Lock)
    followers: int = 0
    beats: "dict[Fold[Any], asyncio.Task[None]]" = field(default_factory=dict)


class Following(Generic[S]):
    """The broadcaster of all pages of one kind of data."""

    def __init__(self, quick: Fold[S], slow: Fold[S], most: int = MOST_STREAMS) -> None:
        self._quick = quick
        self._slow = slow
        """The source for slow pages, so that quick ones do not wait; it may be the same one."""
        self._pulses: dict[str, _Pulse] = {}
        self._closing = False
        self._streams = 0
        self._most = most

    async def close(self) -> None:
        """End every stream and shut down the threads."""
        self._closing = True
        for pulse in self._pulses.values():
            for beat in pulse.beats.values():
                beat.cancel()
            for page in pulse.pages.values():
                page.changed.set()
        self._quick.close()
        self._slow.close()

    # Looking --------------------------------------------------------------------------------------------------

    async def look(self, guid: str, question: Callable[[S], T]) -> T:
        """Call a function with the current data for a guid, and return its result."""
        return await self._quick.apart(lambda: question(self._quick.sight(guid)))

    async def page(self, guid: str, name: str, render: Rendering[S]) -> Look:
        """Return a page; the shared one if it is followed, so that its stream continues from it."""
        pulse = self._pulses.get(guid)
        page = pulse.pages.get(name) if pulse is not None else None
        if page is not None and page.problem is None and time.monotonic() - page.looked < LOOK_EVERY:
            return page.look
        return await self._make(guid, render)

    def _make(self, guid: str, render: Rendering[S]) -> Awaitable[Look]:
        return self._quick.apart(lambda: _made(self._quick.sight(guid), render, time.thread_time()))

    def followed(self) -> list[str]:
        """Return the guids of what somebody follows."""
        return list(self._pulses)

    # Following ------------------------------------------------------------------------------------------------

    async def follow(
        self, guid: str, name: str, render: Rendering[S], mark: str = "", *, pause: float | None = None
    ) -> AsyncGenerator[Piece, None]:
        """Yield a page as server-sent events: the whole page first, then changes.

        A follower who has the page of `mark` gets only newer changes. `pause` is the minimum number of seconds between
        two renderings, for a page that need not be rendered so often.
        """
        if self._streams >= self._most or self._closing:
            raise TooMany("Too many open pages. Try again in a minute.")
        pulse = self._pulses.setdefault(guid, _Pulse())
        pulse.followers += 1
        self._streams += 1
        page: FollowedPage | None = None
        try:
            page = await self._page(guid, pulse, name, render, mark)
            page.pause = pause
            page.followers += 1
            seen = page.number_of(mark)
            yield HELLO
            while not self._closing and page.problem is None:
                changed = page.changed
                if seen != page.number:
                    news, seen = page.news_after(seen), page.number
                    for piece in news:
                        yield piece
                    continue  # more may have come while it was written
                await changed.wait()
                if seen == page.number and not self._closing and page.problem is None:
                    yield STILL_HERE
        finally:
            self._streams -= 1
            pulse.followers -= 1
            if page is not None:
                page.followers -= 1
                if not page.followers and pulse.pages.get(name) is page:
                    del pulse.pages[name]
            if not pulse.followers and self._pulses.get(guid) is pulse:
                del self._pulses[guid]
                for beat in pulse.beats.values():
                    beat.cancel()

    async def _page(
        self, guid: str, pulse: _Pulse, name: str, render: Rendering[S], mark: str
    ) -> FollowedPage:
        """Return the shared page; render it for the first follower, and again for one who has a newer version."""
        page = pulse.pages.get(name)
        if page is not None and page.goes_on_from(mark):
            return page
        async with pulse.opening:  # one at a time, as the render thread works anyway
            page = pulse.pages.get(name)
            if page is not None and page.goes_on_from(mark):
                return page
            look = await self._make(guid, render)
            page = pulse.pages.get(name)
            if page is None or page.problem is not None:
                now = time.monotonic()
                page = pulse.pages[name] = FollowedPage(render, look, look.version, spoke=now, looked=now)
            else:
                page.take(look, change(look.mark, page.look.regions, look.regions))
        self._start(guid, pulse, page)
        return page

    def _fold_of(self, page: FollowedPage) -> Fold[S]:
        return self._slow if page.is_heavy else self._quick

    def _start(self, guid: str, pulse: _Pulse, page: FollowedPage) -> None:
        """Start the refresh task for a page's source, if it is not running."""
        fold = self._fold_of(page)
        if fold not in pulse.beats and pulse.followers:
            pulse.beats[fold] = asyncio.create_task(self._beat(guid, pulse, fold), name="overtrick-pulse")

    async def _beat(self, guid: str, pulse: _Pulse, fold: Fold[S]) -> None:
        """Refresh the pages of a guid whenever one of its streams grows."""
        loop = asyncio.get_running_loop()
        woken = asyncio.Event()

        def wake() -> None:
            with suppress(RuntimeError):
                loop.call_soon_threadsafe(woken.set)

        streams: tuple[str, ...] = ()
        while True:
            try:
                with ExitStack() as listening:
                    for stream in streams:
                        listening.enter_context(fold.waking.woken(stream, wake))
                    while (turn := await self._turn(guid, pulse, fold, woken)).streams == streams:
                        if fold is not self._quick and not any(
                            page.is_heavy for page in pulse.pages.values()
                        ):
                            del pulse.beats[fold]
                            return
                        if turn.wait is not None:
                            await asyncio.sleep(turn.wait)
                        else:
                            with suppress(TimeoutError):
                                await asyncio.wait_for(woken.wait(), LOOK_EVERY)
                    streams = turn.streams
            except Exception:
                # Followers keep what they see; the journal may be available again in a moment.
                log.exception("The pages of %s cannot be brought up to date now", guid)
                await asyncio.sleep(LOOK_EVERY)

    async def _turn(self, guid: str, pulse: _Pulse, fold: Fold[S], woken: asyncio.Event) -> "_Turn":
        """Render the pages that are due, within one time slice."""
        woken.clear()
        self._ping(pulse)
        pages = [page for page in pulse.pages.values() if self._fold_of(page) is fold]
        turn = await fold.apart(lambda: _work(fold.sight(guid), pages))
        for page, made in turn.made:
            if isinstance(made, Exception):
                page.fail(made)
                continue
            before, look, news = made
            if page.look is not before:  # a new follower had it rendered in the meantime
                news = change(look.mark, page.look.regions, look.regions)
            page.take(look, news)
            self._start(guid, pulse, page)
        return turn

    def _ping(self, pulse: _Pulse) -> None:
        """Send a keep-alive to followers of silent pages, and drop pages without followers."""
        now = time.monotonic()
        for name, page in list(pulse.pages.items()):
            if now - page.spoke >= PING_EVERY:
                if page.followers:
                    page.speak()
                else:
                    del pulse.pages[name]  # its first follower left before it was rendered


@dataclass(slots=True)
class _Turn:
    """The result of a refresh: streams read, pages rendered, seconds until the next page is due (None if none is)."""

    streams: tuple[str, ...]
    made: list[tuple[FollowedPage, tuple[Look, Look, Piece | None] | Exception]] = field(default_factory=list)
    wait: float | None = None


def _work(sight: Subject, pages: list[FollowedPage]) -> _Turn:
    """Render the pages that are due, in the render thread; an error in one page does not affect the others."""
    now = time.monotonic()
    stale = set()
    for page in pages:
        if (page.look.incarnation, page.look.version) == (sight.incarnation, sight.version):
            page.looked = now
        elif page.problem is None:
            stale.add(page)
    due = sorted((page for page in stale if page.due <= now + SLACK), key=lambda page: page.work_for_one)
    turn = _Turn(sight.streams)
    began = since = time.thread_time()
    for page in due:
        stale.remove(page)
        before = page.look
        try:
            look = _made(sight, page.render, since)
            turn.made.append((page, (before, look, change(look.mark, before.regions, look.regions))))
        except Exception as error:
            turn.made.append((page, error))
        since = time.thread_time()
        if since - began > SLICE:
            break
    if stale:
        turn.wait = max(0.0, min(page.due for page in stale) - time.monotonic())
    return turn


def _made(sight: S, render: Rendering[S], since: float) -> Look:
    """Render a page; `since` is the thread time at which its work began."""
    regions = render(sight)
    return Look(sight.name, sight.incarnation, sight.version, regions, time.thread_time() - since)
