"""Merging of the rows of a file with our events. Leaves conflicts to people.

A record is looked up by the key of either side, then by name. A value that is empty on one side is filled from the
other. If both sides have different values, that is a conflict: it is listed, and ours is kept unless a person accepts
the line. Facts are applied to a copy of each event, so that a row sees the rows before it.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from overtrick.errors import BadInput
from overtrick.event import Command, Fact, JournalState
from overtrick.event.team_rules import PutTeamFacts, SetTeamEvent, is_change, problems_with
from overtrick.event.teams import (
    Competitor,
    CompetitorSet,
    Division,
    DivisionSet,
    Team,
    TeamEvent,
    TeamEventSet,
)
from overtrick.registry import Conflict, Decisions, RowProblem

T = TypeVar("T")


class RowRefused(Exception):
    """The refusal of a row; it becomes a problem of its line."""

    def __init__(self, column: str, sentence: str) -> None:
        super().__init__(sentence)
        self.column = column


@dataclass(frozen=True, slots=True)
class Members:
    """A look-up of people outside the events, in a registry."""

    find: Callable[[str], Competitor | None] = lambda member_code: None
    """The look-up by member code; returns None if there is no such person."""
    highest_key: int = 0
    """The highest player key in the registry."""


@dataclass(slots=True)
class FileMerge:
    """The state of merging one file with the stored events."""

    events: dict[str, TeamEvent]
    """Copies of the events that rows may be about, by guid."""
    used_ids: frozenset[int]
    """The keys of all stored events."""
    new_guid: Callable[[], str]
    accepted: Decisions = field(default_factory=Decisions)
    members: Members = field(default_factory=Members)
    highest_team: int = 0
    highest_player: int = 0
    """The highest keys of teams and people in all stored events, and of people in the registry."""
    conflicts: list[Conflict] = field(default_factory=list)
    problems: list[RowProblem] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    opened: dict[str, SetTeamEvent] = field(default_factory=dict)
    """The commands that open or rename events, by guid."""
    facts: dict[str, list[Fact]] = field(default_factory=dict)
    """The changes, by the guid of their event."""
    line: int = 0
    """The number of the current line."""

    def commands(self) -> list[Command]:
        """Return the commands: one for each changed event, which opens it if it is new."""
        return [
            PutTeamFacts(guid, tuple(self.facts.get(guid, ())), self.opened.get(guid))
            for guid in dict.fromkeys((*self.opened, *self.facts))
        ]

    def refuse(self, column: str, sentence: str) -> RowRefused:
        """Return the error to raise for the current row."""
        return RowRefused(column, sentence)

    def run(self, rows: "Rows", import_row: Callable[[Any], None]) -> None:
        """Call `import_row` with each row; refusals become problems of their lines."""
        for self.line, row in rows:
            try:
                import_row(row)
            except RowRefused as refusal:
                self.problems.append(RowProblem(self.line, refusal.column, str(refusal)))

    def put(self, guid: str, fact: Fact, column: str = "") -> None:
        """Apply a change; refuse the row if a rule forbids it. A change that changes nothing is dropped."""
        event = self.events[guid]
        if not is_change(event, fact):
            return
        if problems := problems_with(event, fact):
            raise self.refuse(column, " ".join(str(problem) for problem in problems))
        event.apply(fact)
        self.facts.setdefault(guid, []).append(fact)

    def resolve(self, column: str, ours: T, theirs: T | None) -> T:
        """Return theirs if ours is empty or the line is accepted, else ours; record a conflict if both differ."""
        if theirs in (None, "", 0) or theirs == ours:
            return ours
        assert theirs is not None
        if ours in (None, "", 0) or self.line in self.accepted:
            return theirs
        self.conflicts.append(Conflict(self.line, column, str(ours), str(theirs)))
        return ours

    # Looking up records

    def event(self, id: int | None, name: str, *, create: bool = False) -> str:
        """Return the guid of the event with this key, or with this name if the key is missing."""
        events_by_name = [guid for guid, event in self.events.items() if event.name == name]
        events_by_id = [guid for guid, event in self.events.items() if id and event.id == id]
        if not id and len(events_by_name) > 1:
            raise self.refuse(
                "csEvent", f"There are {len(events_by_name)} events {name!r}; say which with --event."
            )
        if events_by_id or (events_by_name and not id):
            guid = (events_by_id or events_by_name)[0]
            event = self.events[guid]
            merged = self.resolve("csEvent", event.name, name)
            if merged != event.name:
                self.opened[guid] = SetTeamEvent(guid, merged, event.id)
                event.apply(TeamEventSet(guid, merged, event.id))
            return guid
        if not create:
            column, label = ("nEventID", str(id)) if id else ("csEvent", repr(name))
            raise self.refuse(column, f"There is no event {label}.")
        if not name:
            raise self.refuse("csEvent", "The event has no name.")
        guid = self.new_guid()
        key = id or max((*self.used_ids, *(event.id for event in self.events.values())), default=0) + 1
        self.events[guid] = TeamEvent(guid, name, key)
        self.opened[guid] = SetTeamEvent(guid, name, key)
        return guid

    def division(self, guid: str, id: int | None, name: str, *, create: bool = False) -> Division:
        """Return the division with this key, or with this name if the key is missing."""
        event = self.events[guid]
        existing = event.divisions.get(id or 0)
        if existing is None and not id:
            existing = next(
                (division for division in event.divisions.values() if division.name == name), None
            )
        if existing is not None:
            merged = replace(existing, name=self.resolve("csSerie", existing.name, name))
            self.put(guid, DivisionSet(merged), "csSerie")
            return merged
        if not create:
            column, label = ("nSerieID", str(id)) if id else ("csSerie", repr(name))
            raise self.refuse(column, f"There is no division {label} in {event.name}.")
        new = Division(id or max(event.divisions, default=0) + 1, name)
        self.put(guid, DivisionSet(new), "csSerie")
        return new

    def team(
        self,
        guid: str,
        division: Division,
        id: int | None,
        foreign_id: int | None,
        name: str,
        columns: tuple[str, str, str],
    ) -> Team | None:
        """Return the team with one of these keys, or with this name if the keys are missing; None if there is none."""
        event = self.events[guid]
        by_id = event.teams.get(id or 0)
        by_foreign_id = next(
            (team for team in event.teams.values() if foreign_id and team.foreign_id == foreign_id), None
        )
        if by_id is not None and by_foreign_id is not None and by_id.id != by_foreign_id.id:
            raise self.refuse(
                columns[1], f"{columns[0]} {id} is {by_id.name}, but {foreign_id} is {by_foreign_id.name}."
            )
        match = by_id or by_foreign_id
        if match is None and not id:
            named = [team for team in event.teams_of(division.id) if team.name == name]
            # If both sides have an office key and they differ, it is another team of the same name.
            match = next((team for team in named if not (foreign_id and team.foreign_id)), None)
        if match is not None and match.serie != division.id:
            raise self.refuse(columns[2], f"{match.name} is not in the division {division.name}.")
        return match

    def player(self, guid: str, id: int | None, member_code: str, column: str) -> Competitor | None:
        """Return the person with one of these keys; None if there is none."""
        event = self.events[guid]
        by_id = event.players.get(id or 0)
        by_code = next(
            (
                player
                for player in event.players.values()
                if member_code and player.member_code == member_code
            ),
            None,
        )
        if by_id is not None and by_code is not None and by_id.id != by_code.id:
            raise self.refuse(column, f"The member code {member_code} belongs to {by_code.name}.")
        return by_id or by_code

    def next_team(self) -> int:
        """Return an unused team key."""
        return max(self.highest_team, *(id for event in self.events.values() for id in event.teams), 0) + 1

    def next_player(self) -> int:
        """Return an unused player key."""
        ids = (id for event in self.events.values() for id in event.players)
        return max(self.highest_player, *ids, 0) + 1

    def put_player(self, guid: str, player: Competitor) -> None:
        """Add or update a person."""
        self.put(guid, CompetitorSet(player), "nPlayerID")


def start_merge(
    journal_state: JournalState,
    only: str | None,
    new_guid: Callable[[], str],
    accepted: Decisions,
    members: Members,
) -> FileMerge:
    """Return a new merge with all stored events, or with the one with this guid, key or name."""
    chosen = {
        guid: event
        for guid, event in journal_state.team_events.items()
        if only is None or only in (guid, str(event.id), event.name)
    }
    if only is not None and len(chosen) != 1:
        raise BadInput(
            f"There are {len(chosen)} team events {only!r}."
            if chosen
            else _no_such_event(journal_state, only)
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


def _no_such_event(journal_state: JournalState, name: str) -> str:
    names = ", ".join(f"{event.name} ({event.id})" for event in journal_state.team_events.values())
    return f"There is no team event {name!r}. There are: {names or 'none'}."


Rows = Iterable[tuple[int, Any]]
"""The rows of a file with their line numbers."""
