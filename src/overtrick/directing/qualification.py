"""Qualification: teams of one division enter another. Pure."""

from dataclasses import replace

from overtrick.errors import BadInput
from overtrick.event import Fact, JournalState
from overtrick.event.teams import Division, RosterSet, TeamSet
from overtrick.views.teams import TeamView


def qualify(
    state: JournalState, view: TeamView, origin: Division, first: int, last: int, final: Division
) -> list[Fact]:
    """Return the facts that enter the teams ranked `first` to `last` in `origin` into `final`, with their rosters.

    Raise BadInput for places that do not exist, and for a tie between the last to qualify and the next.
    """
    event = view.event
    ranking = view.ranking(origin.id)
    qualifiers = ranking[first - 1 : last]
    if not 1 <= first <= last <= len(ranking):
        raise BadInput(f"{origin.name} has places 1 to {len(ranking)}, not {first} to {last}.")
    if last < len(ranking) and ranking[last].rank == ranking[last - 1].rank:
        raise BadInput(
            f"{event.teams[ranking[last - 1].team].name} and {event.teams[ranking[last].team].name} tie for "
            f"place {last} of {origin.name}; adjust the victory points of one."
        )
    key = state.next_team_key()
    number = max((team.number for team in event.teams_of(final.id)), default=0) + 1
    facts: list[Fact] = []
    for step, line in enumerate(qualifiers):
        team = event.teams[line.team]
        qualified = replace(team, id=key + step, serie=final.id, number=number + step, foreign_id=0)
        facts += [TeamSet(qualified), RosterSet(qualified.id, event.rosters.get(team.id, ()))]
    return facts
