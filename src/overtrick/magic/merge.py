"""Merging of records of two sides: found by either side's key, then by name. Leaves conflicts to people.

A value that is empty on one side is filled from the other. If both have one and they differ, it is a conflict: it is
listed, and ours stays unless someone accepts the line. Facts are applied to a copy of each event, so that a row sees
the rows before it.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from overtrick.errors import BadInput
from overtrick.event import Command, Fact, JournalState
from overtrick.event.team_rules import PutTeamFacts, SetTeamEvent, is_news, problems_with
from overtrick.event.teams import Competitor, CompetitorSet, Serie, SerieSet, Team, TeamEvent, TeamEventSet
from overtrick.registry import Conflict, Decisions, RowProblem

T = TypeVar("T")


class RowRefused(Exception):
    """A row that cannot be imported; it becomes a problem of its line."""

    def __init__(self, column: str, sentence: str) -> None:
        super().__init__(sentence)
        self.column = column


@dataclass(frozen=True, slots=True)
class Members:
    """People who are known elsewhere, such as in a registry."""

    find: Callable[[str], Competitor | None] = lambda member_code: None
    """The look-up by member code."""
    highest_key: int = 0
    """The highest key in use there."""


@dataclass(slots=True)
class FileMerge:
    """The state of merging one file with the stored events."""

    events: dict[str, TeamEvent]
    """Copies of the events that are meant, by guid."""
    taken_ids: frozenset[int]
    """Keys of all stored events."""
    new_guid: Callable[[], str]
    accepted: Decisions = field(default_factory=Decisions)
    members: Members = field(default_factory=Members)
    highest_team: int = 0
    highest_player: int = 0
    """The highest keys of teams and people in other events, or in a registry."""
    conflicts: list[Conflict] = field(default_factory=list)
    problems: list[RowProblem] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    opened: dict[str, SetTeamEvent] = field(default_factory=dict)
    made: dict[str, list[Fact]] = field(default_factory=dict)
    line: int = 0

    def commands(self) -> list[Command]:
        """Return the commands: one for each event, which opens it if it is new."""
        return [
            PutTeamFacts(guid, tuple(self.made.get(guid, ())), self.opened.get(guid))
            for guid in dict.fromkeys((*self.opened, *self.made))
        ]

    def refuse(self, column: str, sentence: str) -> RowRefused:
        """Return the error of the current row."""
        return RowRefused(column, sentence)

    def run(self, rows: "Rows", take: Callable[[Any], None]) -> None:
        """Import each row; errors become problems of their lines."""
        for self.line, row in rows:
            try:
                take(row)
            except RowRefused as refused:
                self.problems.append(RowProblem(self.line, refused.column, str(refused)))

    def put(self, guid: str, fact: Fact, column: str = "") -> None:
        """Apply a change, unless a rule forbids it."""
        event = self.events[guid]
        if not is_news(event, fact):
            return
        if found := problems_with(event, fact):
            raise self.refuse(column, " ".join(str(problem) for problem in found))
        event.apply(fact)
        self.made.setdefault(guid, []).append(fact)

    def merge(self, column: str, ours: T, theirs: T | None) -> T:
        """Return the merged value: theirs if ours is empty, ours if theirs is, and ours while it is a conflict."""
        if theirs in (None, "", 0) or theirs == ours:
            return ours
        assert theirs is not None
        if ours in (None, "", 0) or self.line in self.accepted:
            return theirs
        self.conflicts.append(Conflict(self.line, column, str(ours), str(theirs)))
        return ours

    # Finding ------------------------------------------------------------------------------------------------

    def event(self, id: int | None, name: str, *, create: bool = False) -> str:
        """Return the guid of the event with that key or, if there is none, that name."""
        named = [guid for guid, event in self.events.items() if event.name == name]
        found = [guid for guid, event in self.events.items() if id and event.id == id]
        if not id and len(named) > 1:
            raise self.refuse("csEvent", f"There are {len(named)} events {name!r}; say which with --event.")
        if found or (named and not id):
            guid = (found or named)[0]
            event = self.events[guid]
            merged = self.merge("csEvent", event.name, name)
            if merged != event.name:
                self.opened[guid] = SetTeamEvent(guid, merged, event.id)
                event.apply(TeamEventSet(guid, merged, event.id))
            return guid
        if not create:
            column, which = ("nEventID", str(id)) if id else ("csEvent", repr(name))
            raise self.refuse(column, f"There is no event {which}.")
        if not name:
            raise self.refuse("csEvent", "The event has no name.")
        guid = self.new_guid()
        key = id or max((*self.taken_ids, *(event.id for event in self.events.values())), default=0) + 1
        self.events[guid] = TeamEvent(guid, name, key)
        self.opened[guid] = SetTeamEvent(guid, name, key)
        return guid

    def serie(self, guid: str, id: int | None, name: str, *, create: bool = False) -> Serie:
        """Return the division with that key or, if there is none, that name."""
        event = self.events[guid]
        found = event.series.get(id or 0)
        if found is None and not id:
            found = next((serie for serie in event.series.values() if serie.name == name), None)
        if found is not None:
            merged = replace(found, name=self.merge("csSerie", found.name, name))
            self.put(guid, SerieSet(merged), "csSerie")
            return merged
        if not create:
            column, which = ("nSerieID", str(id)) if id else ("csSerie", repr(name))
            raise self.refuse(column, f"There is no serie {which} in {event.name}.")
        made = Serie(id or max(event.series, default=0) + 1, name)
        self.put(guid, SerieSet(made), "csSerie")
        return made

    def team(
        self,
        guid: str,
        serie: Serie,
        id: int | None,
        foreign_id: int | None,
        name: str,
        columns: tuple[str, str, str],
    ) -> Team | None:
        """Return the team with one of these keys or that name; None if there is none."""
        event = self.events[guid]
        by_id = event.teams.get(id or 0)
        by_foreign_id = next(
            (team for team in event.teams.values() if foreign_id and team.foreign_id == foreign_id), None
        )
        if by_id is not None and by_foreign_id is not None and by_id.id != by_foreign_id.id:
            raise self.refuse(
                columns[1], f"{columns[0]} {id} is {by_id.name}, but {foreign_id} is {by_foreign_id.name}."
            )
        found = by_id or by_foreign_id
        if found is None and not id:
            named = [team for team in event.of_serie(serie.id) if team.name == name]
            # A team that the other side has another key for is another team of the same name.
            found = next((team for team in named if not (foreign_id and team.foreign_id)), None)
        if found is not None and found.serie != serie.id:
            raise self.refuse(columns[2], f"{found.name} is not in the serie {serie.name}.")
        return found

    def player(self, guid: str, id: int | None, member_code: str, column: str) -> Competitor | None:
        """Return the person with one of these keys; None if there is none."""
        event = self.events[guid]
        by_id = event.players.get(id or 0)
        by_code = next(
            (one for one in event.players.values() if member_code and one.member_code == member_code), None
        )
        if by_id is not None and by_code is not None and by_id.id != by_code.id:
            raise self.refuse(column, f"The member code {member_code} is that of {by_code.name}.")
        return by_id or by_code

    def next_team(self) -> int:
        """Return a key that no team has."""
        return max(self.highest_team, *(id for event in self.events.values() for id in event.teams), 0) + 1

    def next_player(self) -> int:
        """Return a key that nobody has."""
        ids = (id for event in self.events.values() for id in event.players)
        return max(self.highest_player, *ids, 0) + 1

    def put_player(self, guid: str, player: Competitor) -> None:
        """Add or update a person."""
        self.put(guid, CompetitorSet(player), "nPlayerID")


def joining(
    journal_state: JournalState,
    only: str | None,
    new_guid: Callable[[], str],
    accepted: Decisions,
    members: Members,
) -> FileMerge:
    """Start merging with all stored events, or with the one of that guid, key or name."""
    chosen = {
        guid: event
        for guid, event in journal_state.team_events.items()
        if only is None or only in (guid, str(event.id), event.name)
    }
    if only is not None and len(chosen) != 1:
        raise BadInput(
            f"There are {len(chosen)} team events {only!r}." if chosen else _none(journal_state, only)
        )
    return FileMerge(
        {guid: event.copy() for guid, event in chosen.items()},
        frozenset(event.id for event in journal_state.team_events.values()),
        new_guid,
        accepted,
        members,
        journal_state.next_team_key() - 1,
        max(
            members.highest_key,
            *(id for event in journal_state.team_events.values() for id in event.players),
            0,
        ),
    )


def _none(journal_state: JournalState, wanted: str) -> str:
    known = ", ".join(f"{event.name} ({event.id})" for event in journal_state.team_events.values())
    return f"There is no team event {wanted!r}. There are: {known or 'none'}."


Rows = Iterable[tuple[int, Any]]
