"""What the pages look at: sessions folded from the journal in a thread of their own, and a pulse for who follows one.

Nothing here decides anything. A session is folded once, whoever looks; what is shown of it is rendered once for each
version, however many look on.
"""

import asyncio
import json
from collections.abc import AsyncGenerator, Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from typing import TypeVar

from overtrick.errors import OvertrickError
from overtrick.event import session_stream
from overtrick.event.calls import DirectorCalled
from overtrick.event.recording import CallRecorded, CardRecorded, ContractRecorded
from overtrick.event.results import ResultErased, ResultJudged, ResultRecorded
from overtrick.event.setup import SessionOpened
from overtrick.event.tables import LoggedOff, LoggedOn, TableReset
from overtrick.store import Journal
from overtrick.views import SessionView

PAUSE = 0.15
"""Seconds between two looks at a session that changes all the time: each look shows all that has come."""
LOOK_EVERY = 1.0
"""Seconds after which a follower looks without being woken: another process may have written."""
PING_EVERY = 15.0
"""Seconds after which a silent stream says that it is still there."""
STILL_HERE = b": still here\n\n"
MOST_STREAMS = 4_000
"""Browsers and programs that can follow at once."""
MOST_PAGES = 1_024
"""Different pages of one session that are kept rendered."""

OF_ONE_TABLE = (
    *(ResultRecorded, ResultErased, ResultJudged),
    *(ContractRecorded, CallRecorded, CardRecorded),
    *(LoggedOn, LoggedOff, TableReset, DirectorCalled),
)
"""Facts that change what is shown at their own table, and at no other."""

T = TypeVar("T")
Regions = dict[str, str]
"""The parts of a page that change, by their name, as HTML."""


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


@dataclass(frozen=True, slots=True)
class SessionLine:
    """A session in the list of all."""

    session: str
    incarnation: int
    name: str
    opened: SessionOpened
    changed: datetime


Rendering = Callable[[Sight], Regions]


@dataclass(slots=True)
class _Pulse:
    """What those who follow one session share."""

    at: tuple[str, int] = ("", 0)
    changed: asyncio.Event = field(default_factory=asyncio.Event)
    followers: int = 0
    task: "asyncio.Task[None] | None" = None
    pages: dict[str, tuple[tuple[str, int], "asyncio.Future[Regions]"]] = field(default_factory=dict)
    messages: dict[tuple[int, int], bytes] = field(default_factory=dict)


class LiveHouse:
    """Every session of a journal, for pages."""

    def __init__(self, journal: Journal) -> None:
        self.journal = journal
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="overtrick-web")
        self._folded: dict[str, Sight] = {}
        self._opened: dict[str, SessionOpened] = {}
        self._pulses: dict[str, _Pulse] = {}
        self._closing = asyncio.Event()
        self._streams = 0

    async def close(self) -> None:
        """End every stream, and let go of the thread."""
        self._closing.set()
        for pulse in self._pulses.values():
            pulse.changed.set()
            if pulse.task is not None:
                pulse.task.cancel()
        self._thread.shutdown(wait=False, cancel_futures=True)

    # Looking --------------------------------------------------------------------------------------------------

    async def look(self, session: str, question: Callable[[Sight], T]) -> T:
        """Ask something of a session as it stands now."""
        return await self._apart(lambda: question(self._sight(session)))

    async def sessions(self) -> list[SessionLine]:
        """Every session's newest incarnation, the last that changed first."""
        return await self._apart(self._lines)

    async def current(self) -> SessionLine | None:
        """The session that changed last."""
        lines = await self.sessions()
        return lines[0] if lines else None

    def _apart(self, work: Callable[[], T]) -> Awaitable[T]:
        return asyncio.get_running_loop().run_in_executor(self._thread, work)

    def _newest(self) -> dict[str, tuple[int, int]]:
        """Incarnation and version of every session's newest stream."""
        newest: dict[str, tuple[int, int]] = {}
        for stream, version in self.journal.heads().items():
            kind, _, rest = stream.partition("/")
            guid, _, incarnation = rest.rpartition("/")
            if kind == "session" and int(incarnation) > newest.get(guid, (0, 0))[0]:
                newest[guid] = int(incarnation), version
        return newest

    def _head(self, session: str) -> tuple[str, int]:
        found = self._newest().get(session)
        if found is None:
            raise UnknownSession(f"There is no session {session[:40]}.")
        return session_stream(session, found[0]), found[1]

    def _sight(self, session: str) -> Sight:
        stream, head = self._head(session)
        before = self._folded.get(session)
        if before is None or before.stream != stream:
            before = Sight(SessionView(), stream, 0, self.journal, {}, 0)
        if before.version >= head:
            return before
        self._folded.pop(session, None)  # a fact may be applied by half if this goes wrong
        view, version, reshaped = before.view, before.version, before.reshaped
        for entry in self.journal.read(stream, version):
            view.apply(entry.fact)
            version = entry.version
            if isinstance(entry.fact, OF_ONE_TABLE):
                before.touched[entry.fact.section, entry.fact.table] = version
            else:
                reshaped = version
        sight = Sight(view, stream, version, self.journal, before.touched, reshaped)
        self._folded[session] = sight
        return sight

    def _lines(self) -> list[SessionLine]:
        newest = self._newest()
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
            folded = self._folded.get(guid)
            name = folded.view.session.opened.name if folded else opened.name
            lines.append(SessionLine(guid, incarnation, name, opened, changed[stream]))
        return sorted(lines, key=lambda line: line.changed, reverse=True)

    # Following ------------------------------------------------------------------------------------------------

    async def follow(
        self, session: str, page: str, render: Rendering, after: int = 0
    ) -> AsyncGenerator[bytes, None]:
        """The parts of a page as server-sent events: all of them first, then those that change.

        Whoever has version `after` already gets what is newer.
        """
        if self._streams >= MOST_STREAMS:
            raise TooMany("Too many follow already; try again in a while.")
        stream, version = await self._apart(lambda: self._head(session))
        pulse = self._pulses.setdefault(session, _Pulse())
        if not pulse.followers:
            pulse.at = stream, version
            pulse.task = asyncio.create_task(self._beat(session, pulse), name="overtrick-pulse")
        pulse.followers += 1
        self._streams += 1
        last: Regions = {}
        try:
            if after == pulse.at[1]:
                last = await self._regions(session, pulse, page, render)
                _, head = await self._apart(lambda: self._head(session))
                if head != after:
                    # It moved on while the page was made, which may show more than they have seen.
                    last = {}
            while not self._closing.is_set():
                changed, version = pulse.changed, pulse.at[1]
                regions = await self._regions(session, pulse, page, render)
                if regions is not last:
                    if message := _message(pulse, last, regions, version):
                        yield message
                    last = regions
                if changed.is_set():
                    continue
                try:
                    await asyncio.wait_for(changed.wait(), PING_EVERY)
                except TimeoutError:
                    yield STILL_HERE
        finally:
            self._streams -= 1
            pulse.followers -= 1
            if not pulse.followers:
                if pulse.task is not None:
                    pulse.task.cancel()
                self._pulses.pop(session, None)

    async def _regions(self, session: str, pulse: _Pulse, page: str, render: Rendering) -> Regions:
        """A page as it is now, rendered once for everyone who looks at it."""
        found = pulse.pages.get(page)
        if found is None or found[0] != pulse.at:
            if len(pulse.pages) >= MOST_PAGES and page not in pulse.pages:
                pulse.pages.pop(next(iter(pulse.pages)))
            rendering = asyncio.ensure_future(self.look(session, render))
            found = pulse.pages[page] = pulse.at, rendering
            pulse.messages.clear()
        return await asyncio.shield(found[1])

    async def _beat(self, session: str, pulse: _Pulse) -> None:
        """See to it that everyone hears when the session has changed."""
        loop = asyncio.get_running_loop()
        woken = asyncio.Event()

        def wake() -> None:
            with suppress(RuntimeError):
                loop.call_soon_threadsafe(woken.set)

        while True:
            stream = pulse.at[0]
            with self.journal.woken(stream, wake):
                while pulse.at[0] == stream:
                    woken.clear()
                    at = await self._apart(lambda: self._head(session))
                    if at != pulse.at:
                        pulse.at = at
                        pulse.changed.set()
                        pulse.changed = asyncio.Event()
                        await asyncio.sleep(PAUSE)
                    else:
                        with suppress(TimeoutError):
                            await asyncio.wait_for(woken.wait(), LOOK_EVERY)


def _message(pulse: _Pulse, last: Regions, regions: Regions, version: int) -> bytes:
    """What has changed, as an event; those who saw the same before share it. Empty where nothing has."""
    key = id(last) if last else 0, id(regions)
    message = pulse.messages.get(key)
    if message is None:
        changed = {name: html for name, html in regions.items() if last.get(name) != html}
        text = json.dumps(changed, ensure_ascii=False)
        message = f"id: {version}\nevent: regions\ndata: {text}\n\n".encode() if changed else b""
        pulse.messages[key] = message
    return message
