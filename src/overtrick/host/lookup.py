"""Lookup of the journal, session or team event that a command names; errors list the choices."""

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4

from overtrick.errors import BadInput, OvertrickError
from overtrick.event import Command, Fact, JournalState, Rejection
from overtrick.event.team_rules import PutTeamFacts
from overtrick.event.teams import Division, Segment, Team, TeamEvent
from overtrick.host.runtime import Runtime, open_runtime
from overtrick.store import Journal, open_journal
from overtrick.store.address import POSTGRES, is_address, without_password
from overtrick.store.codec import event_codec
from overtrick.store.folder import make_folder
from overtrick.views.teams import TeamView

JOURNAL, OLD_JOURNAL = JOURNALS = "overtrick.journal", "demo.overtrick"
"""The name of the journal in a data folder, and its former name in demonstrations."""


MOST_LISTED = 20
"""Sessions that an error lists at most."""


# Journals and sessions --------------------------------------------------------------------------------------


def journal_in(folder: Path) -> Path:
    """Return the path of the journal in a data folder; raise BadInput if there is none, or more than one."""
    files = [file for name in JOURNALS if (file := folder / name).exists()]
    if len(files) == 1:
        return files[0]
    raise BadInput(
        f"This folder does not contain exactly one journal ({' or '.join(JOURNALS)}).", where=str(folder)
    )


def data_place(text: str) -> Path | str:
    """Return the folder (Path) or database address (str) of a program's journal and keys.

    The path of a journal stands for its folder. Raises BadInput for an address that is not PostgreSQL's.
    """
    if is_address(text):
        if not text.startswith(POSTGRES):
            raise BadInput(
                "A journal is in a folder, or at an address that begins with postgresql:",
                where=without_password(text),
            )
        return text
    path = Path(text)
    return path.parent if path.name in JOURNALS and path.is_file() else path


def open_data(place: Path | str) -> Journal:
    """Open the journal of a program, and create it if it does not exist."""
    if isinstance(place, str):
        return open_journal(place, event_codec())
    make_folder(place, is_private=True)
    return open_journal(place / JOURNAL, event_codec())


def open_named_journal(where: str, *, create: bool = False) -> Journal:
    """Open the journal that a command names: a file, its folder, or a PostgreSQL address."""
    if os.path.isdir(where):  # noqa: PTH112 - unlike a Path's, it takes text of any length
        where = str(journal_in(Path(where)))
    return open_journal(where, event_codec(), create=create)


def choose_session(names: dict[str, str], choice: str | None, where: str) -> str:
    """Return the guid of the session with that guid or name; without one, that of the only session.

    `names` has the names of the sessions by their guids. Raises BadInput if there is not exactly one.
    """
    if choice is None and len(names) == 1:
        return next(iter(names))
    matches = [guid for guid, name in names.items() if choice in (guid, name)]
    if len(matches) == 1:
        return matches[0]
    if not names:
        raise BadInput("There is no session in it yet.", where=where)
    offered = [(guid, names[guid]) for guid in matches or names]
    listed = "; ".join(f"{guid} ({name})" for guid, name in offered[:MOST_LISTED])
    remainder = (
        f"; and {len(offered) - MOST_LISTED} more, which `overtrick journal list` shows"
        if len(offered) > MOST_LISTED
        else ""
    )
    raise BadInput(f"Choose a session with --session. There are: {listed}{remainder}.", where=where)


# Team events ------------------------------------------------------------------------------------------------


class NotDone(OvertrickError):
    """Error: a command was rejected. Nothing was changed."""

    code = "not-done"


def find_event(state: JournalState, choice: str) -> TeamEvent:
    """Return the team event with that guid, key or name; raise BadInput if there is not exactly one."""
    matches = [
        event for guid, event in state.team_events.items() if choice in (guid, str(event.id), event.name)
    ]
    if len(matches) == 1:
        return matches[0]
    listed = ", ".join(f"{event.name} ({event.id})" for event in state.team_events.values())
    several = f"There are {len(matches)} team events {choice!r}; give a number." if matches else ""
    raise BadInput(several or f"There is no team event {choice!r}. There are: {listed or 'none'}.")


def find_division(event: TeamEvent, choice: str) -> Division:
    """Return the division with that key or name; raise BadInput if there is none."""
    for division in event.divisions.values():
        if choice in (division.name, str(division.id)):
            return division
    listed = ", ".join(f"{division.name} ({division.id})" for division in event.divisions.values())
    raise BadInput(f"There is no division {choice!r} in {event.name}. There are: {listed or 'none'}.")


def find_team(event: TeamEvent, division: Division, choice: str) -> Team:
    """Return the team of a division with that number or name; raise BadInput if there is none."""
    for team in event.teams_of(division.id):
        if choice in (team.name, str(team.number)):
            return team
    raise BadInput(f"There is no team {choice!r} in {division.name}.")


def find_player(event: TeamEvent, teams: Iterable[int], choice: str) -> int:
    """Return the id of the player of these teams with that id, name or last name; 0 for "0", which means nobody.

    Raises BadInput if there is not exactly one.
    """
    if choice == "0":
        return 0
    everyone = [event.players[member.player] for team in teams for member in event.rosters.get(team, ())]
    players = {player.id: player for player in everyone}
    for matches in (
        [id for id in players if str(id) == choice],
        [id for id, player in players.items() if player.name.casefold() == choice.casefold()],
        [id for id, player in players.items() if player.last_name.casefold() == choice.casefold()],
    ):
        if len(matches) == 1:
            return matches[0]
    listed = ", ".join(f"{player.name} ({id})" for id, player in players.items()) or "nobody"
    raise BadInput(f"{choice!r} is not one player of the two teams. There are: {listed}.")


@dataclass(frozen=True, slots=True)
class OpenTeamEvent:
    """Team event in an open journal, for a command that reads it and then changes it once."""

    runtime: Runtime
    state: JournalState
    view: TeamView
    """The event as it stood when it was opened."""

    @property
    def event(self) -> TeamEvent:
        """Return the team event."""
        return self.view.event

    def division(self, choice: str) -> Division:
        """Return the division with that key or name."""
        return find_division(self.event, choice)

    def team(self, division: str, choice: str) -> Team:
        """Return the team of a division with that number or name."""
        return find_team(self.event, self.division(division), choice)

    def segment(self, division_name: str, team: str, round_: int, number: int) -> Segment:
        """Return the segment of a team's match, home or away; of two matches, the one at home."""
        division, own_team = self.division(division_name), self.team(division_name, team)
        draw = self.view.draws.get((division.id, round_))
        matches = draw.pairings if draw else ()
        for match in sorted(matches, key=lambda match: match.home != own_team.id):
            if own_team.id in (match.home, match.away):
                return Segment(division.id, round_, number, match.home)
        raise BadInput(f"{own_team.name} has no match in round {round_} of {division.name}.")

    def put(self, *facts: Fact) -> int:
        """Record these facts, all or none; return how many were new."""
        return put(self.runtime, self.event.event, facts)


@contextmanager
def open_team_event(journal: str, choice: str) -> Iterator[OpenTeamEvent]:
    """Open an existing journal and the team event in it with that guid, key or name."""
    with open_runtime(journal, create=False) as runtime:
        # Only this thread writes, so the state does not change until the command is executed.
        with runtime.writer.reading() as state:
            view = TeamView.of(state, find_event(state, choice))
        yield OpenTeamEvent(runtime, state, view)


@contextmanager
def open_team_view(runtime: Runtime, choice: str) -> Iterator[TeamView]:
    """Yield the view of a team event as it stands, with the results of the tables."""
    with runtime.writer.reading() as state:
        yield TeamView.of(state, find_event(state, choice))


def do(runtime: Runtime, command: Command) -> int:
    """Execute a command; return how many facts it made. Raise NotDone if it is rejected."""
    answer = runtime.do(command, actor="desk", command_id=f"teams: {uuid4()}")
    if isinstance(answer, Rejection):
        raise NotDone(f"{answer} Nothing was changed.")
    return sum(span.last - span.first + 1 for span in answer.spans)


def put(runtime: Runtime, event: str, facts: Iterable[Fact]) -> int:
    """Record these facts, all or none; return how many were new."""
    return do(runtime, PutTeamFacts(event, tuple(facts)))
