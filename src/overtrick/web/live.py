"""What the pages of a session look at: sessions folded from the journal, each once, whoever looks. Decides nothing."""

import asyncio
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from typing import TypeVar, cast

from overtrick.errors import OvertrickError
from overtrick.event import session_stream
from overtrick.event.calls import DirectorCalled
from overtrick.event.held import EntryHeld, HeldEntrySettled
from overtrick.event.recording import CallRecorded, CardRecorded, ContractRecorded
from overtrick.event.results import ResultErased, ResultJudged, ResultRecorded
from overtrick.event.setup import SessionOpened
from overtrick.event.tables import LoggedOff, LoggedOn, TableReset
from overtrick.store import Entry, Journal
from overtrick.store.errors import JournalSetBack, JournalUnavailable
from overtrick.store.projection import SessionProjections
from overtrick.views import SessionView, TableProgress, table_progress
from overtrick.web.following import Fold, Following
from overtrick.web.pieces import Regions as Regions

OF_ONE_TABLE = (
    *(ResultRecorded, ResultErased, ResultJudged),
    *(ContractRecorded, CallRecorded, CardRecorded),
    *(LoggedOn, LoggedOff, TableReset, DirectorCalled),
    *(EntryHeld, HeldEntrySettled),
)
"""Facts that change what is shown at their own table, and at no other."""

T = TypeVar("T")


class UnknownSession(OvertrickError):
    """There is no session with this guid."""

    code = "unknown-session"


@dataclass(slots=True, eq=False)
class Sight:
    """A session as it stands at a version of its stream; for reading, in the thread that shows it."""

    stream: str
    journal: Journal
    view: SessionView = field(default_factory=SessionView)
    version: int = 0
    touched: dict[tuple[str, int], int] = field(default_factory=dict)
    """The version of the last thing that happened at each table alone."""
    reshaped: int = 0
    """The version of the last thing that is about more than one table."""
    _kept: dict[Hashable, tuple[Hashable, object]] = field(default_factory=dict, repr=False)

    def apply(self, entry: Entry) -> None:
        """Move on by one fact."""
        self.view.apply(entry.fact)
        self.version = entry.version
        if isinstance(entry.fact, OF_ONE_TABLE):
            self.touched[entry.fact.section, entry.fact.table] = entry.version
        else:
            self.reshaped = entry.version

    @property
    def name(self) -> str:
        """The session's."""
        return self.view.session.opened.name

    @property
    def incarnation(self) -> int:
        """How often the session has been opened."""
        return int(self.stream.rpartition("/")[2])

    @property
    def streams(self) -> tuple[str, ...]:
        """Its own alone."""
        return (self.stream,)

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


class _Sessions(Fold[Sight]):
    """Every session of a journal."""

    def __init__(self, journal: Journal, name: str) -> None:
        super().__init__(journal, name)
        self.journal = journal
        self._sights = SessionProjections(journal, lambda stream: Sight(stream, journal), Sight.apply)
        self._opened: dict[str, SessionOpened] = {}
        self._lines: list[SessionLine] | None = None
        """The list of all as it was last read."""

    def sight(self, guid: str) -> Sight:
        """A session as it stands now, or stood when the journal was last there."""
        try:
            found = self._sights.find(guid)
        except JournalSetBack:
            found = self._sights.find(guid)  # anew, from what the journal has now
        except JournalUnavailable:
            found = self._sights.loaded(guid)
            if found is None:
                raise
        if found is None:
            raise UnknownSession(f"There is no session {guid[:40]}.")
        return found.state

    def versions(self) -> list[tuple[str, int]]:
        """Return the stream of every session that is shown, and how far it is folded."""
        return [(found.stream, found.version) for found in self._sights.all_loaded()]

    def lines(self) -> list[SessionLine]:
        """Every session's newest incarnation, the last that changed first, as when the journal was last there."""
        try:
            self._lines = self._read_lines()
        except JournalSetBack:
            self._opened.clear()
            self._lines = self._read_lines()
        except JournalUnavailable:
            if self._lines is None:
                raise
        return self._lines

    def _read_lines(self) -> list[SessionLine]:
        streams = {line.stream: line for line in self.journal.streams()}
        newest = newest_sessions({line.stream: line.version for line in streams.values()})
        lines = []
        for guid, (incarnation, _) in newest.items():
            stream = session_stream(guid, incarnation)
            opened = self._opened.get(stream)
            if opened is None:
                fact = next(iter(self.journal.read(stream))).fact
                if not isinstance(fact, SessionOpened):
                    continue
                opened = self._opened[stream] = fact
            loaded = self._sights.loaded(guid)
            name = loaded.state.name if loaded else opened.name
            lines.append(SessionLine(guid, incarnation, name, opened, streams[stream].changed))
        return sorted(lines, key=lambda line: line.changed, reverse=True)


class LiveHouse(Following[Sight]):
    """Every session of a journal, for pages."""

    def __init__(self, journal: Journal) -> None:
        self.journal = journal
        self._sessions = _Sessions(journal, "web")
        super().__init__(self._sessions, _Sessions(journal, "web-slow"))

    async def sessions(self) -> list[SessionLine]:
        """Every session's newest incarnation, the last that changed first."""
        return await self._sessions.apart(self._sessions.lines)

    async def behind(self) -> int:
        """Return how many facts the journal has of sessions that pages show, and the pages have not yet."""
        heads = await asyncio.to_thread(self.journal.heads)
        return sum(max(0, heads.get(stream, 0) - version) for stream, version in self._sessions.versions())

    async def current(self) -> SessionLine | None:
        """The session that changed last."""
        lines = await self.sessions()
        return lines[0] if lines else None


def newest_sessions(heads: Mapping[str, int]) -> dict[str, tuple[int, int]]:
    """Incarnation and version of every session's newest stream.

    >>> newest_sessions({"session/A/1": 7, "session/A/2": 3, "event/A": 2})
    {'A': (2, 3)}
    """
    newest: dict[str, tuple[int, int]] = {}
    for stream, version in heads.items():
        kind, _, rest = stream.partition("/")
        guid, _, incarnation = rest.rpartition("/")
        if kind == "session" and int(incarnation) > newest.get(guid, (0, 0))[0]:
            newest[guid] = int(incarnation), version
    return newest
