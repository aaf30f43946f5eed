"""What the pages of team events look at: the events and the sessions that land in them. Decides nothing."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import TypeVar

from overtrick.event import Command, Fact, House, session_stream
from overtrick.event.house import event_stream
from overtrick.event.setup import SessionOpened
from overtrick.event.teams import RoundDrawn, Serie, SerieSeated, TeamEvent
from overtrick.store import Journal
from overtrick.views.teams import SegmentFigures, TeamStanding, TeamView
from overtrick.web.following import Fold, Following
from overtrick.web.live import UnknownSession, newest_sessions
from overtrick.web.pieces import Regions

T = TypeVar("T")


@dataclass(slots=True)
class TeamSight:
    """A team event as it stands, for reading in the thread that shows it; what is reckoned is reckoned once."""

    view: TeamView
    house: House
    version: int
    streams: tuple[str, ...]
    incarnation: int = 0
    """There is only ever one."""
    _figures: dict[int, list[SegmentFigures]] = field(default_factory=dict)
    _ranking: dict[int, list[TeamStanding]] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """The event's."""
        return self.view.event.name

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


class _TeamEvents(Fold[TeamSight]):
    """Every team event of a journal."""

    def __init__(self, journal: Journal, name: str) -> None:
        super().__init__(journal, name)
        self._house = House()
        self._versions: dict[str, int] = {}
        """How far each stream is folded."""
        self._opened: dict[str, str] = {}
        """The event of each session's stream; empty where it is no session."""
        self._sights: dict[str, TeamSight] = {}

    def sight(self, guid: str) -> TeamSight:
        """A team event as it stands now."""
        found = self.house().team_events.get(guid)
        if found is None:
            raise UnknownSession(f"There is no team event {guid[:40]}.")
        version = sum(self._versions.values())
        sight = self._sights.get(guid)
        if sight is None or sight.version != version:
            view = TeamView.of(self._house, found, sight.view if sight else None)
            sight = self._sights[guid] = TeamSight(view, self._house, version, tuple(self._versions))
        return sight

    def house(self) -> House:
        """All team events as they stand now."""
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
        return self._house

    def _fold(self, stream: str, head: int) -> None:
        if self._versions.get(stream, 0) < head:
            for entry in self.journal.read(stream, self._versions.get(stream, 0)):
                self._house.apply(stream, entry.fact)
                self._versions[stream] = entry.version

    def _landing(self, heads: dict[str, int]) -> list[str]:
        """The newest incarnation of each session whose tables may play in a team event."""
        events = self._house.team_events
        seated = {session for event in events.values() for session, _ in event.seated}
        newest = newest_sessions(heads) if events else {}
        return [
            stream
            for guid, (incarnation, _) in newest.items()
            if self._event_of(stream := session_stream(guid, incarnation)) in events or guid in seated
        ]

    def _event_of(self, stream: str) -> str:
        if stream not in self._opened:
            first: Fact = next(iter(self.journal.read(stream))).fact
            self._opened[stream] = first.event if isinstance(first, SessionOpened) else ""
        return self._opened[stream]


class TeamHouse(Following[TeamSight]):
    """Every team event of a journal, for pages."""

    def __init__(self, journal: Journal) -> None:
        self._events = _TeamEvents(journal, "teams")
        super().__init__(self._events, self._events)

    async def ask(self, question: Callable[[House], T]) -> T:
        """Ask something of all team events."""
        return await self._events.apart(lambda: question(self._events.house()))

    async def events(self) -> list[EventLine]:
        """Every team event, the newest first."""
        return await self.ask(_lines)


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
