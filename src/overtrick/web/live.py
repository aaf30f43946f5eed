"""What the pages look at: sessions folded from the journal in a thread of their own, and a pulse for who follows one.

Nothing here decides anything, and nothing that is written waits for who looks. A session is folded once, whoever looks;
a page of it is made once for all who follow it, at most every tenth of a second, and what has changed on it is written
once, the same bytes for everyone. Who cannot keep up is sent the newest when they read again, and not all that was
between.
"""

import asyncio
import logging
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Hashable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from typing import TypeVar, cast

from overtrick.errors import OvertrickError
from overtrick.event import session_stream
from overtrick.event.calls import DirectorCalled
from overtrick.event.recording import CallRecorded, CardRecorded, ContractRecorded
from overtrick.event.results import ResultErased, ResultJudged, ResultRecorded
from overtrick.event.setup import SessionOpened
from overtrick.event.tables import LoggedOff, LoggedOn, TableReset
from overtrick.store import Journal
from overtrick.views import SessionView, TableProgress, table_progress
from overtrick.web.followed import FollowedPage, Look
from overtrick.web.pieces import HELLO, STILL_HERE, Piece, change
from overtrick.web.pieces import Regions as Regions

log = logging.getLogger(__name__)

SLACK = 0.02
"""Seconds by which a page may be early, to be made together with others."""
SLICE = 0.02
"""Seconds of work after which whoever else wants something of the sessions has a turn."""
LOOK_EVERY = 1.0
"""Seconds after which a follower looks without being woken: another process may have written."""
PING_EVERY = 15.0
"""Seconds after which a silent stream says that it is still there."""
MOST_STREAMS = 4_000
"""Browsers and programs that can follow at once."""

OF_ONE_TABLE = (
    *(ResultRecorded, ResultErased, ResultJudged),
    *(ContractRecorded, CallRecorded, CardRecorded),
    *(LoggedOn, LoggedOff, TableReset, DirectorCalled),
)
"""Facts that change what is shown at their own table, and at no other."""

T = TypeVar("T")


class UnknownSession(OvertrickError):
    """There is no session with this guid."""

    code = "unknown-session"


class TooMany(OvertrickError):
    """More follow than this computer can serve; those who do are served on."""

    code = "too-many"


@dataclass(frozen=True, slots=True)
class Sight:
    """A session as it stands at a version of its stream; for reading, in the thread that shows it."""

    view: SessionView
    stream: str
    version: int
    journal: Journal
    touched: dict[tuple[str, int], int]
    """The version of the last thing that happened at each table alone."""
    reshaped: int
    """The version of the last thing that is about more than one table."""
    _kept: dict[Hashable, tuple[Hashable, object]] = field(default_factory=dict, repr=False)

    @property
    def mark(self) -> str:
        """What a page says of itself, for the stream to go on from it: the incarnation and the version."""
        return f"{self.stream.rpartition('/')[2]}.{self.version}"

    def touched_at(self, section: str, table: int) -> int:
        """The version of the last thing that can have changed what is shown of a table."""
        return max(self.reshaped, self.touched.get((section, table), 0))

    def progress(self) -> list[TableProgress]:
        """How far every table is; only those at which something has happened are looked at again."""
        return [
            self.keep(
                ("progress", *table), self.touched_at(*table), partial(table_progress, self.view, *table)
            )
            for table in sorted(self.view.session.movement.tables)
        ]

    def keep(self, what: Hashable, of: Hashable, make: Callable[[], T]) -> T:
        """What was made of the same before, or else is made now and kept in its place."""
        kept = self._kept.get(what)
        if kept is None or kept[0] != of:
            kept = self._kept[what] = of, make()
        return cast(T, kept[1])


@dataclass(frozen=True, slots=True)
class SessionLine:
    """A session in the list of all."""

    session: str
    incarnation: int
    name: str
    opened: SessionOpened
    changed: datetime


Rendering = Callable[[Sight], Regions]


class _Fold:
    """Every session of a journal, folded in a thread of its own for who shows it there."""

    def __init__(self, journal: Journal, name: str) -> None:
        self._journal = journal
        self._thread = ThreadPoolExecutor(1, thread_name_prefix=f"overtrick-{name}")
        self.folded: dict[str, Sight] = {}

    def apart(self, work: Callable[[], T]) -> Awaitable[T]:
        """Have something done in this thread."""
        return asyncio.get_running_loop().run_in_executor(self._thread, work)

    def close(self) -> None:
        """Let go of the thread."""
        self._thread.shutdown(wait=False, cancel_futures=True)

    def newest(self) -> dict[str, tuple[int, int]]:
        """Incarnation and version of every session's newest stream."""
        newest: dict[str, tuple[int, int]] = {}
        for stream, version in self._journal.heads().items():
            kind, _, rest = stream.partition("/")
            guid, _, incarnation = rest.rpartition("/")
            if kind == "session" and int(incarnation) > newest.get(guid, (0, 0))[0]:
                newest[guid] = int(incarnation), version
        return newest

    def head(self, session: str) -> tuple[str, int]:
        """The newest stream of a session, and its version."""
        found = self.newest().get(session)
        if found is None:
            raise UnknownSession(f"There is no session {session[:40]}.")
        return session_stream(session, found[0]), found[1]

    def sight(self, session: str) -> Sight:
        """A session as it stands now."""
        stream, head = self.head(session)
        before = self.folded.get(session)
        if before is None or before.stream != stream:
            before = Sight(SessionView(), stream, 0, self._journal, {}, 0)
        if before.version >= head:
            return before
        self.folded.pop(session, None)  # a fact may be applied by half if this goes wrong
        view, version, reshaped = before.view, before.version, before.reshaped
        for entry in self._journal.read(stream, version):
            view.apply(entry.fact)
            version = entry.version
            if isinstance(entry.fact, OF_ONE_TABLE):
                before.touched[entry.fact.section, entry.fact.table] = version
            else:
                reshaped = version
        sight = Sight(view, stream, version, self._journal, before.touched, reshaped, before._kept)
        self.folded[session] = sight
        return sight


@dataclass(slots=True)
class _Pulse:
    """What those who follow one session share."""

    pages: dict[str, FollowedPage] = field(default_factory=dict)
    making: dict[str, "asyncio.Task[FollowedPage]"] = field(default_factory=dict)
    followers: int = 0
    beats: dict[_Fold, "asyncio.Task[None]"] = field(default_factory=dict)


class LiveHouse:
    """Every session of a journal, for pages."""

    def __init__(self, journal: Journal) -> None:
        self.journal = journal
        self._quick = _Fold(journal, "web")
        self._slow = _Fold(journal, "web-slow")
        """What takes long is made here, so that nothing else waits for it."""
        self._opened: dict[str, SessionOpened] = {}
        self._pulses: dict[str, _Pulse] = {}
        self._closing = False
        self._streams = 0

    async def close(self) -> None:
        """End every stream, and let go of the threads."""
        self._closing = True
        for pulse in self._pulses.values():
            for beat in pulse.beats.values():
                beat.cancel()
            for page in pulse.pages.values():
                page.changed.set()
        self._quick.close()
        self._slow.close()

    # Looking --------------------------------------------------------------------------------------------------

    async def look(self, session: str, question: Callable[[Sight], T]) -> T:
        """Ask something of a session as it stands now."""
        return await self._quick.apart(lambda: question(self._quick.sight(session)))

    async def page(self, session: str, name: str, render: Rendering) -> Look:
        """A page of a session; the one that others follow, where they do: its stream goes on from it."""
        pulse = self._pulses.get(session)
        page = pulse.pages.get(name) if pulse is not None else None
        if page is not None and page.problem is None and time.monotonic() - page.looked < LOOK_EVERY:
            return page.look
        return await self._quick.apart(lambda: _made(self._quick.sight(session), render, time.thread_time()))

    async def sessions(self) -> list[SessionLine]:
        """Every session's newest incarnation, the last that changed first."""
        return await self._quick.apart(self._lines)

    async def current(self) -> SessionLine | None:
        """The session that changed last."""
        lines = await self.sessions()
        return lines[0] if lines else None

    def _lines(self) -> list[SessionLine]:
        newest = self._quick.newest()
        changed = {line.stream: line.changed for line in self.journal.streams()}
        lines = []
        for guid, (incarnation, _) in newest.items():
            stream = session_stream(guid, incarnation)
            opened = self._opened.get(stream)
            if opened is None:
                fact = next(iter(self.journal.read(stream))).fact
                if not isinstance(fact, SessionOpened):
                    continue
                opened = self._opened[stream] = fact
            folded = self._quick.folded.get(guid)
            name = folded.view.session.opened.name if folded else opened.name
            lines.append(SessionLine(guid, incarnation, name, opened, changed[stream]))
        return sorted(lines, key=lambda line: line.changed, reverse=True)

    # Following ------------------------------------------------------------------------------------------------

    async def follow(
        self, session: str, name: str, render: Rendering, mark: str = "", *, pause: float | None = None
    ) -> AsyncGenerator[Piece, None]:
        """A page as server-sent events: all of it first, then what changes.

        Whoever has the page of this mark already gets what is newer, and nothing while nothing is. `pause` is for a
        page that need not be made so often.
        """
        if self._streams >= MOST_STREAMS or self._closing:
            raise TooMany("Too many follow already; try again in a while.")
        pulse = self._pulses.setdefault(session, _Pulse())
        pulse.followers += 1
        self._streams += 1
        page: FollowedPage | None = None
        try:
            page = await self._page(session, pulse, name, render, mark)
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
            if not pulse.followers and self._pulses.get(session) is pulse:
                del self._pulses[session]
                for beat in pulse.beats.values():
                    beat.cancel()

    async def _page(
        self, session: str, pulse: _Pulse, name: str, render: Rendering, mark: str
    ) -> FollowedPage:
        """The page that everyone follows: made for who comes first, and again for who has a newer one."""
        page = pulse.pages.get(name)
        if page is not None and page.problem is None and not page.is_older(mark):
            return page
        making = pulse.making.get(name)
        if making is None:
            making = pulse.making[name] = asyncio.create_task(self._open(session, pulse, name, render))
            making.add_done_callback(lambda _: pulse.making.pop(name, None))
        return await asyncio.shield(making)

    async def _open(self, session: str, pulse: _Pulse, name: str, render: Rendering) -> FollowedPage:
        """A page as the session stands now, followed from then on."""
        look = await self._quick.apart(lambda: _made(self._quick.sight(session), render, time.thread_time()))
        page = pulse.pages.get(name)
        if page is None or page.problem is not None:
            now = time.monotonic()
            page = pulse.pages[name] = FollowedPage(render, look, look.version, spoke=now, looked=now)
        else:
            page.take(look, change(look.mark, page.look.regions, look.regions))
        self._start(session, pulse, self._slow if page.is_heavy else self._quick)
        return page

    def _start(self, session: str, pulse: _Pulse, fold: _Fold) -> None:
        """See to it that the pages that are made in a thread are made there from now on."""
        if fold not in pulse.beats and pulse.followers:
            pulse.beats[fold] = asyncio.create_task(self._beat(session, pulse, fold), name="overtrick-pulse")

    async def _beat(self, session: str, pulse: _Pulse, fold: _Fold) -> None:
        """See to it that everyone hears when a page of theirs has changed."""
        loop = asyncio.get_running_loop()
        woken = asyncio.Event()

        def wake() -> None:
            with suppress(RuntimeError):
                loop.call_soon_threadsafe(woken.set)

        while True:
            try:
                stream, _ = await fold.apart(lambda: fold.head(session))
                with self.journal.woken(stream, wake):
                    while (turn := await self._turn(session, pulse, fold, woken)).stream == stream:
                        if fold is self._slow and not any(page.is_heavy for page in pulse.pages.values()):
                            del pulse.beats[fold]
                            return
                        if turn.wait is not None:
                            await asyncio.sleep(turn.wait)
                        else:
                            with suppress(TimeoutError):
                                await asyncio.wait_for(woken.wait(), LOOK_EVERY)
            except Exception:
                # Whoever follows keeps what they see; the journal may be there again in a moment.
                log.exception("The pages of session %s cannot be brought up to date now", session)
                await asyncio.sleep(LOOK_EVERY)

    async def _turn(self, session: str, pulse: _Pulse, fold: _Fold, woken: asyncio.Event) -> "_Turn":
        """Make pages that are older than the session and whose time has come, for as long as one may work at a time."""
        woken.clear()
        pages = [page for page in pulse.pages.values() if page.is_heavy == (fold is self._slow)]
        turn = await fold.apart(lambda: _work(fold.sight(session), pages))
        for page, made in turn.made:
            if isinstance(made, Exception):
                page.fail(made)
                continue
            before, look, news = made
            if page.look is not before:  # someone who came had it made meanwhile
                news = change(look.mark, page.look.regions, look.regions)
            page.take(look, news)
            self._start(session, pulse, self._slow if page.is_heavy else self._quick)
        now = time.monotonic()
        for name, page in list(pulse.pages.items()):
            if now - page.spoke >= PING_EVERY:
                if page.followers:
                    page.speak()
                else:
                    del pulse.pages[name]  # who had it made left before it was there
        return turn


@dataclass(slots=True)
class _Turn:
    """Which stream was looked at, which pages were made, and how long others can wait; None where none has to."""

    stream: str
    made: list[tuple[FollowedPage, tuple[Look, Look, Piece | None] | Exception]] = field(default_factory=list)
    wait: float | None = None


def _work(sight: Sight, pages: list[FollowedPage]) -> _Turn:
    """The work of a turn, in the thread that shows pages. What goes wrong with one page is that one's alone."""
    now = time.monotonic()
    stale = set()
    for page in pages:
        if (page.look.stream, page.look.version) == (sight.stream, sight.version):
            page.looked = now
        elif page.problem is None:
            stale.add(page)
    due = sorted((page for page in stale if page.due <= now + SLACK), key=lambda page: page.work_for_one)
    turn = _Turn(sight.stream)
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


def _made(sight: Sight, render: Rendering, since: float) -> Look:
    """A page, made in the time of this thread since a moment of it."""
    regions = render(sight)
    name = sight.view.session.opened.name
    return Look(name, sight.stream, sight.version, regions, time.thread_time() - since)
