"""Commands of a team event, looked up and carried out in a running house."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from uuid import uuid4

from overtrick.errors import BadInput, OvertrickError
from overtrick.event import Command, Fact, House, Rejection
from overtrick.event.team_rules import Put
from overtrick.event.teams import Serie, Team, TeamEvent
from overtrick.host.house import RunningHouse
from overtrick.views.teams import TeamView


class NotDone(OvertrickError):
    """A command that was refused; nothing was changed."""

    code = "not-done"


def find_event(house: House, wanted: str) -> TeamEvent:
    """The team event with that guid, key or name."""
    found = [
        event for guid, event in house.team_events.items() if wanted in (guid, str(event.id), event.name)
    ]
    if len(found) == 1:
        return found[0]
    known = ", ".join(f"{event.name} ({event.id})" for event in house.team_events.values())
    many = f"There are {len(found)} team events {wanted!r}; give a number." if found else ""
    raise BadInput(many or f"There is no team event {wanted!r}. There are: {known or 'none'}.")


def find_serie(event: TeamEvent, wanted: str) -> Serie:
    """The serie with that key or name."""
    for serie in event.series.values():
        if wanted in (serie.name, str(serie.id)):
            return serie
    known = ", ".join(f"{serie.name} ({serie.id})" for serie in event.series.values())
    raise BadInput(f"There is no serie {wanted!r} in {event.name}. There are: {known or 'none'}.")


def find_team(event: TeamEvent, serie: Serie, wanted: str) -> Team:
    """The team of a serie with that number or name."""
    for team in event.of_serie(serie.id):
        if wanted in (team.name, str(team.number)):
            return team
    raise BadInput(f"There is no team {wanted!r} in {serie.name}.")


@contextmanager
def viewing(house: RunningHouse, wanted: str) -> Iterator[TeamView]:
    """A team event as it stands, with what was scored at the tables."""
    with house.writer.reading() as state:
        yield TeamView.of(state, find_event(state, wanted))


def do(house: RunningHouse, command: Command) -> int:
    """Carry out a command; how many facts it made."""
    answer = house.do(command, actor="desk", command_id=f"teams: {uuid4()}")
    if isinstance(answer, Rejection):
        raise NotDone(f"{answer} Nothing was changed.")
    return sum(span.last - span.first + 1 for span in answer.spans)


def put(house: RunningHouse, event: str, facts: Iterable[Fact]) -> int:
    """Have these be so, all or none; how many were news."""
    return do(house, Put(event, tuple(facts)))
