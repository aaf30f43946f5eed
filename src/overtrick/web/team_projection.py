"""Team events and their sessions, folded from the journal for pages. Read-only."""

from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass, field
from itertools import count, takewhile
from typing import TypeVar, cast

from overtrick.event import Fact, JournalState, session_stream
from overtrick.event.state import event_stream
from overtrick.event.teams import Division, TeamEvent
from overtrick.registry.player_privacy import PlayerPrivacyStore
from overtrick.store import Journal, JournalEntry
from overtrick.store.errors import JournalSetBack, JournalUnavailable
from overtrick.store.projection import Projection
from overtrick.views.teams import TeamView
from overtrick.web.live_broadcaster import LiveBroadcaster, ProjectionSource
from overtrick.web.session_projection import NotFound
from overtrick.web.sse_messages import Regions

T = TypeVar("T")


@dataclass(slots=True, eq=False)
class TeamEventProjection:
    """A team event at a version, with cached figures. Read it only in the thread that renders it."""

    journal_state: JournalState
    guid: str
    privacy: PlayerPrivacyStore
    ends: dict[str, int] = field(default_factory=dict)
    """The length of each stream that it is built from."""
    _view: TeamView | None = None
    _is_outdated: bool = False
    _cached: dict[Hashable, tuple[object, object]] = field(default_factory=dict, repr=False)

    @property
    def event(self) -> TeamEvent:
        """Return the team event."""
        return self.journal_state.team_events[self.guid]

    @property
    def name(self) -> str:
        """Return the event's name."""
        return self.event.name

    @property
    def hidden(self) -> frozenset[str]:
        """Return the keys of players whom public pages do not name."""
        return self.privacy.privacy().hidden

    @property
    def incarnation(self) -> int:
        """Return 0: there is only one incarnation."""
        return 0

    @property
    def version(self) -> int:
        """Return the total length of its streams."""
        return sum(self.ends.values())

    @property
    def streams(self) -> tuple[str, ...]:
        """Return its own stream, its event's, and those of the sessions whose tables play here."""
        return tuple(self.ends)

    @property
    def view(self) -> TeamView:
        """Return the view of the event; a new one after a fact that affects more than one match."""
        if self._view is None or self._is_outdated:
            self._view = TeamView.of(self.journal_state, self.event, self._view)
            self._is_outdated = False
        return self._view

    def update(self, fact: Fact, session: str = "") -> None:
        """Update the view for a fact of the event or of a session, or mark it as outdated and clear the cache."""
        if self._view is not None and not self._is_outdated and not self._view.drop_outdated(fact, session):
            self._is_outdated = True
            self._cached.clear()

    def keep(self, key: Hashable, inputs: object, make: Callable[[], T]) -> T:
        """Return the cached value for `key` if it was made from equal `inputs`; else make and cache it.

        The cache is cleared after a fact that affects more than one match, so `inputs` need only hold the others.
        """
        cached = self._cached.get(key)
        if cached is None or cached[0] != inputs:
            cached = self._cached[key] = inputs, make()
        return cast(T, cached[1])

    def once(self, key: Hashable, make: Callable[[], T]) -> T:
        """Return a value that is cached until the next fact."""
        return self.keep(("once", key), self.version, make)

    def division(self, id: int) -> Division:
        """Return a division; raise NotFound if there is none."""
        division = self.event.divisions.get(id)
        if division is None:
            raise NotFound(f"There is no division {id} in {self.event.name}.")
        return division


@dataclass(frozen=True, slots=True)
class TeamEventLine:
    """A team event in the list of all."""

    event: str
    name: str
    id: int
    divisions: tuple[str, ...]
    teams: int


Rendering = Callable[[TeamEventProjection], Regions]


@dataclass(slots=True)
class _TeamState:
    """The state of all team events, with the events that each stream affects."""

    journal_state: JournalState = field(default_factory=JournalState)
    projections: dict[str, TeamEventProjection] = field(default_factory=dict)
    dependants: dict[str, tuple[list[TeamEventProjection], str]] = field(default_factory=dict)
    """By stream: the team events that depend on it, and the guid of its session; empty for other streams."""

    def apply(self, entry: JournalEntry) -> None:
        """Apply one fact."""
        self.journal_state.apply(entry.stream, entry.fact)
        projections, session = self.dependants[entry.stream]
        for projection in projections:
            projection.update(entry.fact, session)


class _TeamEvents(ProjectionSource[TeamEventProjection]):
    """The source of all team events of a journal."""

    def __init__(self, journal: Journal, name: str) -> None:
        super().__init__(journal, name)
        self.journal = journal
        self._privacy = PlayerPrivacyStore(journal.documents)
        self._projection = Projection(journal, _TeamState, _TeamState.apply)
        self._heads: dict[str, int] = {}
        """The length of every stream at the last read."""
        self._epoch = ""
        """The epoch of the journal at the last read."""
        self._was_read = False
        """True once all team events have been folded."""

    @property
    def epoch(self) -> str:
        """Return the epoch of the journal."""
        return self.journal.epoch

    def projection(self, guid: str) -> TeamEventProjection:
        """Return the current team event; raise NotFound if there is none with this guid."""
        self.journal_state()
        projection = self._projection.state.projections.get(guid)
        if projection is None:
            raise NotFound(f"There is no team event {guid[:40]}.")
        return projection

    def journal_state(self) -> JournalState:
        """Return the state of all team events; the last known one while the journal is unavailable."""
        try:
            return self._read()
        except JournalSetBack:
            self._heads = {}
            return self._read()
        except JournalUnavailable:
            if not self._was_read:
                raise
            return self._projection.state.journal_state

    def _read(self) -> JournalState:
        epoch = self.journal.epoch
        heads = self.journal.heads()
        if heads != self._heads or epoch != self._epoch:
            self._heads = {}  # if this fails, the next call catches up
            self._projection.catch_up(self._streams(heads))
            self._heads, self._epoch = heads, epoch
        self._was_read = True
        return self._projection.state.journal_state

    def _streams(self, heads: dict[str, int]) -> Iterator[str]:
        """Yield the streams that team events depend on and that have grown, those of sessions last."""
        state = self._projection.state
        for stream in heads:
            if stream.startswith("teams/"):
                guid = stream.removeprefix("teams/")
                projection = state.projections.setdefault(
                    guid, TeamEventProjection(state.journal_state, guid, self._privacy)
                )
                yield from self._grown(stream, heads, [projection])
        events_by_session: dict[str, set[str]] = {}
        for guid, projection in state.projections.items():
            yield from self._grown(event_stream(guid), heads, [projection])
            event = state.journal_state.event(guid)
            for session in (
                *(event.sessions if event is not None else ()),
                *(session for session, _ in projection.event.seated),
            ):
                events_by_session.setdefault(session, set()).add(guid)
        for session, events in events_by_session.items():
            projections = [state.projections[guid] for guid in events]
            streams = (session_stream(session, incarnation) for incarnation in count(1))
            incarnations = list(takewhile(heads.__contains__, streams))
            # Count earlier incarnations too, so that the version also rises when a session is reopened.
            for projection in projections:
                projection.ends |= {stream: heads[stream] for stream in incarnations}
            for newest in incarnations[-1:]:
                yield from self._grown(newest, heads, projections, session)

    def _grown(
        self, stream: str, heads: dict[str, int], projections: list[TeamEventProjection], session: str = ""
    ) -> Iterator[str]:
        """Record the projections that depend on a stream, and yield the stream if it has grown."""
        self._projection.state.dependants[stream] = projections, session
        for projection in projections:
            projection.ends[stream] = heads.get(stream, 0)
        if heads.get(stream, 0) > self._projection.version(stream):
            yield stream


class LiveTeamEvents(LiveBroadcaster[TeamEventProjection]):
    """The live pages of all team events of a journal."""

    def __init__(self, journal: Journal) -> None:
        self._events = _TeamEvents(journal, "teams")
        super().__init__(self._events, self._events)

    async def read_state(self, question: Callable[[JournalState], T]) -> T:
        """Call a function with the state of all team events, and return its result."""
        return await self._events.run(lambda: question(self._events.journal_state()))

    async def events(self) -> list[TeamEventLine]:
        """Return all team events, newest first."""
        return await self.read_state(_lines)


def _lines(journal_state: JournalState) -> list[TeamEventLine]:
    return [
        TeamEventLine(
            guid,
            event.name,
            event.id,
            tuple(division.name for division in event.divisions.values()),
            len(event.teams),
        )
        for guid, event in sorted(journal_state.team_events.items(), key=lambda item: -item[1].id)
    ]
