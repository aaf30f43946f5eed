"""Sessions folded from the journal for pages, shared by all viewers. Read-only."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Hashable, Iterable
from dataclasses import dataclass, field
from functools import partial
from typing import TypeVar, cast

from overtrick.connector.queue import PROGRAM, SCORING
from overtrick.errors import OvertrickError
from overtrick.event.calls import DirectorCalled
from overtrick.event.filing import CURRENT, NOT_BINNED, Stage
from overtrick.event.held_entries import EntryHeld, HeldEntrySettled
from overtrick.event.recording import CallRecorded, CardRecorded, ContractRecorded
from overtrick.event.results import ResultErased, ResultJudged, ResultRecorded
from overtrick.event.rulings import RulingNoted
from overtrick.event.setup import SessionOpened
from overtrick.event.state import IN_BIN
from overtrick.event.tables import LoggedOff, LoggedOn, TableReset
from overtrick.store import Journal, JournalEntry
from overtrick.store.errors import JournalSetBack, JournalUnavailable
from overtrick.store.projection import SessionProjections
from overtrick.store.sessions import SessionLine, SessionList
from overtrick.store.subscription import ANY_STREAM
from overtrick.views import SessionView, TableProgress, table_progress
from overtrick.web.live_broadcaster import LiveBroadcaster, ProjectionSource
from overtrick.web.live_page import RenderedPage
from overtrick.web.ruling_history import RulingHistory
from overtrick.web.sse_messages import Regions as Regions
from overtrick.web.sse_messages import StreamMessage

ONE_TABLE_FACTS = (
    *(ResultRecorded, ResultErased, ResultJudged),
    *(ContractRecorded, CallRecorded, CardRecorded),
    *(LoggedOn, LoggedOff, TableReset, DirectorCalled),
    *(EntryHeld, HeldEntrySettled, RulingNoted),
)
"""Facts that affect only their own table."""

LISTS_KEPT = 20
"""The limit on cached parts of the list of sessions, which are shown while the journal is unavailable."""

T = TypeVar("T")


class NotFound(OvertrickError):
    """There is no such session, event, table, board or page; the response has status 404."""

    code = "unknown-session"  # stable: from a time when only sessions could be missing
    exit_status = 2


class SessionInBin(NotFound):
    """The session is in the bin; the director can restore it."""

    code = "session-in-bin"


@dataclass(slots=True, eq=False)
class SessionProjection:
    """A session at a version of its stream. Read it only in the thread that renders it."""

    stream: str
    journal: Journal
    view: SessionView = field(default_factory=SessionView)
    version: int = 0
    set_backs: int = 0
    """The number of times that the journal had lost facts before the session was read."""
    table_versions: dict[tuple[str, int], int] = field(default_factory=dict)
    """The version of the last fact of each table."""
    shared_version: int = 0
    """The version of the last fact that affects more than one table."""
    is_from_program: bool = False
    """True if a scoring program opened the session, over the Data Connector or in a session file."""
    is_from_connector: bool = False
    """True if a scoring program opened the session over the Data Connector."""
    rulings: RulingHistory = field(default_factory=RulingHistory)
    """The author and time of each ruling, and the results that were moved."""
    _cached: dict[Hashable, tuple[Hashable, object]] = field(default_factory=dict, repr=False)

    def apply(self, entry: JournalEntry) -> None:
        """Apply one fact."""
        self.rulings.apply(entry, self.view.session.results.standing)
        self.view.apply(entry.fact)
        if isinstance(entry.fact, SessionOpened):
            self.is_from_program = entry.side == SCORING
            self.is_from_connector = self.is_from_program and entry.actor.startswith(PROGRAM)
        self.version = entry.version
        if isinstance(entry.fact, ONE_TABLE_FACTS):
            self.table_versions[entry.fact.section, entry.fact.table] = entry.version
        else:
            self.shared_version = entry.version

    @property
    def name(self) -> str:
        """Return the session's name."""
        return self.view.session.opened.name

    @property
    def incarnation(self) -> int:
        """Return the number of times that the session has been opened."""
        return int(self.stream.rpartition("/")[2])

    @property
    def streams(self) -> tuple[str, ...]:
        """Return the session's own stream."""
        return (self.stream,)

    @property
    def position(self) -> tuple[str, int, int]:
        """Return a value that is the same as long as the facts are."""
        return self.stream, self.version, self.set_backs

    def table_version(self, section: str, table: int) -> int:
        """Return the version of the last fact that can have changed a table."""
        return max(self.shared_version, self.table_versions.get((section, table), 0))

    def progress(self) -> list[TableProgress]:
        """Return the progress of every table; compute only tables with new facts again."""
        return [
            self.keep(
                ("progress", *table), self.table_version(*table), partial(table_progress, self.view, *table)
            )
            for table in sorted(self.view.session.movement.tables)
        ]

    def keep(self, key: Hashable, inputs: Hashable, make: Callable[[], T]) -> T:
        """Return the cached value for `key` if it was made from equal `inputs`; else make and cache it."""
        cached = self._cached.get(key)
        if cached is None or cached[0] != inputs:
            cached = self._cached[key] = inputs, make()
        return cast(T, cached[1])


Rendering = Callable[[SessionProjection], Regions]


class _Sessions(ProjectionSource[SessionProjection]):
    """The source of all sessions of a journal."""

    def __init__(self, journal: Journal, name: str) -> None:
        super().__init__(journal, name)
        self.journal = journal
        self._projections = SessionProjections(
            journal,
            lambda stream: SessionProjection(stream, journal, set_backs=journal.set_backs),
            SessionProjection.apply,
        )
        self._list = SessionList(journal)
        self._lines: dict[tuple[str, int, int | None, frozenset[Stage]], list[SessionLine]] = {}
        """The cached parts of the list, by search text, first line, number of lines and stages; the oldest first."""

    @property
    def epoch(self) -> str:
        """Return the epoch of the journal."""
        return self.journal.epoch

    def projection(self, guid: str) -> SessionProjection:
        """Return the current session, or the last known one while the journal is unavailable.

        Raise NotFound if there is none with this guid.
        """
        try:
            loaded = self._projections.find(guid)
        except JournalSetBack:
            loaded = self._projections.find(guid)  # the state was dropped: fold it again
        except JournalUnavailable:
            loaded = self._projections.loaded(guid)
            if loaded is None:
                raise
        if loaded is None:
            raise NotFound(f"There is no session {guid[:40]}.")
        return loaded.state

    def versions(self, guids: Iterable[str]) -> dict[str, int]:
        """Return the stream and the applied version of each of these sessions that is loaded."""
        loaded = [self._projections.loaded(guid) for guid in guids]
        return {session.stream: session.version for session in loaded if session is not None}

    def lines(self, text: str, first: int, most: int | None, stages: frozenset[Stage]) -> list[SessionLine]:
        """Return matching sessions, last changed first; cached ones while the journal is unavailable."""
        query = text, first, most, stages
        try:
            lines = self._list.lines(text, first=first, most=most, stages=stages)
        except JournalUnavailable:
            if query not in self._lines:
                raise
            return self._lines[query]
        self._lines.pop(query, None)
        self._lines[query] = lines
        if len(self._lines) > LISTS_KEPT:
            del self._lines[next(iter(self._lines))]
        return lines


class LiveSessions(LiveBroadcaster[SessionProjection]):
    """The live pages of all sessions of a journal."""

    def __init__(self, journal: Journal) -> None:
        self.journal = journal
        self._sessions = _Sessions(journal, "web")
        super().__init__(self._sessions, _Sessions(journal, "web-slow"))

    async def sessions(
        self,
        text: str = "",
        *,
        first: int = 0,
        most: int | None = None,
        stages: frozenset[Stage] = NOT_BINNED,
    ) -> list[SessionLine]:
        """Return the sessions whose names or dates contain a text, last changed first; see `SessionList.lines`."""
        return await self._sessions.run(lambda: self._sessions.lines(text, first, most, stages))

    async def read(self, guid: str, question: Callable[[SessionProjection], T]) -> T:
        """Call a function with a session and return its result; raise SessionInBin if it is in the bin."""
        return await super().read(guid, partial(_unless_binned, question))

    async def page(self, guid: str, name: str, render: Rendering) -> RenderedPage:
        """Return a page of a session; raise SessionInBin if it is in the bin."""
        return await super().page(guid, name, partial(_unless_binned, render))

    def follow(
        self, guid: str, name: str, render: Rendering, mark: str = "", *, pause: float | None = None
    ) -> AsyncGenerator[StreamMessage, None]:
        """Yield a page of a session as server-sent events; the stream ends when the session is moved to the bin."""
        return super().follow(guid, name, partial(_unless_binned, render), mark, pause=pause)

    async def behind(self) -> int:
        """Return the number of facts that the followed pages have not applied yet.

        A session without followers is read when a page asks for it, and does not count.
        """
        versions = self._sessions.versions(self.followed())
        # ANY_STREAM makes the journal run a query even without followers, so that an outage is noticed.
        heads = await asyncio.to_thread(self.journal.heads, [*versions, ANY_STREAM])
        return sum(max(0, heads.get(stream, 0) - version) for stream, version in versions.items())

    async def current(self) -> SessionLine | None:
        """Return the session of the director's list that changed last; None if there are none."""
        return next(iter(await self.sessions(most=1, stages=CURRENT)), None)


def _unless_binned(question: Callable[[SessionProjection], T], projection: SessionProjection) -> T:
    if projection.view.session.filing.is_binned:
        raise SessionInBin(IN_BIN)
    return question(projection)
