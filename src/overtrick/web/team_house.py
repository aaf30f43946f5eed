"""What the pages of team events look at: the events and the sessions that land in them, in a thread of their own.

Nothing here decides anything. What is shown of an event is rendered once for each change, however many look on.
"""

import asyncio
import logging
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from datetime import date
from typing import TypeVar

from overtrick.errors import OvertrickError
from overtrick.event import Command, Fact, House
from overtrick.event.house import event_stream
from overtrick.event.setup import SessionOpened
from overtrick.event.teams import RoundDrawn, Serie, SerieSeated, TeamEvent
from overtrick.store import Journal
from overtrick.views.teams import SegmentFigures, TeamStanding, TeamView
from overtrick.web.followed import PAUSE, SHARE
from overtrick.web.live import LOOK_EVERY, PING_EVERY, TooMany, UnknownSession
from overtrick.web.pieces import HELLO, STILL_HERE, Piece, Regions, change, whole

log = logging.getLogger(__name__)

MOST_STREAMS = 4_000
"""Browsers that can follow team events at once."""
MOST_PAGES = 1_024
"""Different pages that are kept rendered."""

T = TypeVar("T")


@dataclass(slots=True)
class TeamSight:
    """A team event as it stands, for reading in the thread that shows it; what is reckoned is reckoned once."""

    view: TeamView
    house: House
    version: int
    _figures: dict[int, list[SegmentFigures]] = field(default_factory=dict)
    _ranking: dict[int, list[TeamStanding]] = field(default_factory=dict)

    def figures(self, serie: int) -> list[SegmentFigures]:
        """Every segment of a serie with its figures."""
        if serie not in self._figures:
            self._figures[serie] = self.view.figures(serie)
        return self._figures[serie]

    def ranking(self, serie: int) -> list[TeamStanding]:
        """The serie's teams as they stand."""
        if serie not in self._ranking:
            self._ranking[serie] = self.view.ranking(serie)
        return self._ranking[serie]

    def serie(self, id: int) -> Serie:
        """A serie that there is."""
        found = self.view.event.series.get(id)
        if found is None:
            raise UnknownSession(f"There is no serie {id} in {self.view.event.name}.")
        return found


@dataclass(frozen=True, slots=True)
class EventLine:
    """A team event in the list of all."""

    event: str
    name: str
    id: int
    series: tuple[str, ...]
    teams: int


Rendering = Callable[[TeamSight], Regions]


class TeamHouse:
    """Every team event of a journal, for pages."""

    def __init__(self, journal: Journal) -> None:
        self.journal = journal
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="overtrick-teams")
        self._house = House()
        self._versions: dict[str, int] = {}
        """How far each stream is folded."""
        self._opened: dict[str, str] = {}
        """The event of each session's stream; empty where it is no session."""
        self._sights: dict[str, TeamSight] = {}
        self._at = 0
        self._spent = 0.0
        """Seconds of work that pages have taken since everyone last heard of a change."""
        self._changed = asyncio.Event()
        self._closing = False
        self._followers = 0
        self._beating: asyncio.Task[None] | None = None
        self._pages: dict[str, tuple[int, asyncio.Future[tuple[int, Regions]]]] = {}
        self._pieces: dict[tuple[int, int], Piece | None] = {}

    async def close(self) -> None:
        """End every stream, and let go of the thread."""
        self._closing = True
        self._changed.set()
        if self._beating is not None:
            self._beating.cancel()
        self._thread.shutdown(wait=False, cancel_futures=True)

    # Looking ------------------------------------------------------------------------------------------------

    async def look(self, event: str, question: Callable[[TeamSight], T]) -> T:
        """Ask something of a team event as it stands now."""
        return await self._apart(lambda: question(self._sight(event)))

    async def ask(self, question: Callable[[House], T]) -> T:
        """Ask something of all team events."""

        def asked() -> T:
            self._catch_up()
            return question(self._house)

        return await self._apart(asked)

    async def events(self) -> list[EventLine]:
        """Every team event, the newest first."""
        return await self.ask(_lines)

    def _apart(self, work: Callable[[], T]) -> Awaitable[T]:
        return asyncio.get_running_loop().run_in_executor(self._thread, work)

    def _sight(self, event: str) -> TeamSight:
        version = self._catch_up()
        found = self._house.team_events.get(event)
        if found is None:
            raise UnknownSession(f"There is no team event {event[:40]}.")
        sight = self._sights.get(event)
        if sight is None or sight.version != version:
            view = TeamView.of(self._house, found, sight.view if sight else None)
            sight = self._sights[event] = TeamSight(view, self._house, version)
        return sight

    def _catch_up(self) -> int:
        """Fold what has come; a number that rises with every fact."""
        heads = self.journal.heads()
        try:
            for stream in heads:
                if stream.startswith("teams/"):
                    self._fold(stream, heads[stream])
            for event in self._house.team_events:
                if (stream := event_stream(event)) in heads:
                    self._fold(stream, heads[stream])
            for stream in self._landing(heads):
                self._fold(stream, heads[stream])
        except BaseException:
            # A fact may have been applied by half.
            self._house, self._versions, self._sights = House(), {}, {}
            raise
        return sum(self._versions.values())

    def _fold(self, stream: str, head: int) -> None:
        if self._versions.get(stream, 0) < head:
            for entry in self.journal.read(stream, self._versions.get(stream, 0)):
                self._house.apply(stream, entry.fact)
                self._versions[stream] = entry.version

    def _landing(self, heads: dict[str, int]) -> list[str]:
        """The newest incarnation of each session whose tables may play in a team event."""
        events = self._house.team_events
        seated = {session for event in events.values() for session, _ in event.seated}
        newest: dict[str, tuple[int, str]] = {}
        for stream in heads:
            kind, _, rest = stream.partition("/")
            guid, _, incarnation = rest.rpartition("/")
            if events and kind == "session" and int(incarnation) > newest.get(guid, (0, ""))[0]:
                newest[guid] = int(incarnation), stream
        return [
            stream
            for guid, (_, stream) in newest.items()
            if self._event_of(stream) in events or guid in seated
        ]

    def _event_of(self, stream: str) -> str:
        if stream not in self._opened:
            first: Fact = next(iter(self.journal.read(stream))).fact
            self._opened[stream] = first.event if isinstance(first, SessionOpened) else ""
        return self._opened[stream]

    # Following ----------------------------------------------------------------------------------------------

    async def follow(
        self, event: str, page: str, render: Rendering, mark: str = ""
    ) -> AsyncGenerator[Piece, None]:
        """A page as server-sent events: all of it first, then what changes.

        Whoever has the page of this mark already gets what is newer, and nothing while nothing is.
        """
        if self._followers >= MOST_STREAMS or self._closing:
            raise TooMany("Too many follow already; try again in a while.")
        self._followers += 1
        if self._beating is None:
            self._beating = asyncio.create_task(self._beat(), name="overtrick-teams-pulse")
        try:
            changed = self._changed
            version, regions = await self._regions(event, page, render)
            seen = regions if str(version) == mark else None
            yield HELLO
            while not self._closing:
                if regions is not seen and (piece := self._piece(seen, regions, version)):
                    yield piece
                seen = regions
                try:
                    await asyncio.wait_for(changed.wait(), PING_EVERY)
                except TimeoutError:
                    yield STILL_HERE
                changed = self._changed
                try:
                    version, regions = await self._regions(event, page, render)
                except OvertrickError as problem:
                    log.info("A page that was followed is no more: %s", problem)
                    return
        finally:
            self._followers -= 1
            if not self._followers and self._beating is not None:
                self._beating.cancel()
                self._beating = None
                self._pages.clear()

    async def _regions(self, event: str, page: str, render: Rendering) -> tuple[int, Regions]:
        """A page as it is now, made once for everyone who looks at it."""
        key = f"{event}/{page}"
        found = self._pages.get(key)
        if found is None or found[0] != self._at:
            if len(self._pages) >= MOST_PAGES and key not in self._pages:
                self._pages.pop(next(iter(self._pages)))
            making = asyncio.ensure_future(self._apart(lambda: self._make(event, render)))
            found = self._pages[key] = self._at, making
            self._pieces.clear()
        return await asyncio.shield(found[1])

    def _make(self, event: str, render: Rendering) -> tuple[int, Regions]:
        began = time.thread_time()
        sight = self._sight(event)
        regions = render(sight)
        self._spent += time.thread_time() - began
        return sight.version, regions

    def _piece(self, seen: Regions | None, regions: Regions, version: int) -> Piece | None:
        """What has changed, the same for all who saw the same before; None where nothing has."""
        key = id(seen), id(regions)
        if key not in self._pieces:
            mark = str(version)
            self._pieces[key] = whole(mark, regions) if seen is None else change(mark, seen, regions)
        return self._pieces[key]

    async def _beat(self) -> None:
        """See to it that everyone hears when a team event, or a session in it, has changed."""
        loop = asyncio.get_running_loop()
        woken = asyncio.Event()

        def wake() -> None:
            with suppress(RuntimeError):
                loop.call_soon_threadsafe(woken.set)

        def look() -> tuple[int, frozenset[str]]:
            return self._catch_up(), frozenset(self._versions)

        streams: frozenset[str] = frozenset()
        while True:
            with ExitStack() as listening:
                for stream in streams:
                    listening.enter_context(self.journal.woken(stream, wake))
                while True:
                    woken.clear()
                    try:
                        at, now = await self._apart(look)
                    except Exception:
                        # Whoever follows keeps what they see; the journal may be there again in a moment.
                        log.exception("The pages of team events cannot be brought up to date now")
                        await asyncio.sleep(LOOK_EVERY)
                        continue
                    if at != self._at:
                        self._at = at
                        self._changed.set()
                        self._changed = asyncio.Event()
                        # What took long to make is left alone for longer, so that others have their turn.
                        spent, self._spent = self._spent, 0.0
                        await asyncio.sleep(max(PAUSE, SHARE * spent))
                    else:
                        with suppress(TimeoutError):
                            await asyncio.wait_for(woken.wait(), LOOK_EVERY)
                    if now != streams:
                        streams = now
                        break


def _lines(house: House) -> list[EventLine]:
    return [
        EventLine(
            guid,
            event.name,
            event.id,
            tuple(serie.name for serie in event.series.values()),
            len(event.teams),
        )
        for guid, event in sorted(house.team_events.items(), key=lambda item: -item[1].id)
    ]


Draw = Callable[[TeamView, Serie, int, Sequence[tuple[int, int]]], list[RoundDrawn]]
Qualify = Callable[[TeamView, Serie, int, int, Serie], list[Fact]]

Lay = Callable[[House, TeamEvent, Serie, int, int, Sequence[int], str, date], tuple[SerieSeated, Command]]
"""A segment of a round as a session of this guid and day with these boards: who plays there, and what opens it."""


@dataclass(frozen=True, slots=True)
class Teams:
    """What the pages have at hand: the events, and how rounds are drawn and laid on tables, and finals filled."""

    house: TeamHouse
    draw: Draw
    qualify: Qualify
    lay: Lay
