"""The teams of one serie that go on in another."""

import pytest

from overtrick.directing.qualification import qualify
from overtrick.errors import BadInput
from overtrick.event import JournalState
from overtrick.event.team_rules import PutTeamFacts, SetTeamEvent
from overtrick.event.teams import (
    Division,
    DivisionSet,
    MatchReported,
    RosterSet,
    Segment,
    Team,
    TeamFormat,
    TeamSet,
)
from overtrick.scoring import UNIT
from overtrick.views.teams import TeamView
from tests.event import team_events
from tests.event.evenings import do


def league(imps: tuple[int, int]) -> tuple[JournalState, TeamView]:
    """Return an event whose four teams have played a round, with a final that is still empty."""
    journal_state = team_events.teams(4, boards=4)
    team_events.put(
        journal_state,
        DivisionSet(Division(2, "Final", TeamFormat.KNOCK_OUT, None, 4)),
        team_events.drawn(1, (101, 102), (103, 104)),
        MatchReported(Segment(1, 1, 1, 101), imps[0] * UNIT, 0),
        MatchReported(Segment(1, 1, 1, 103), imps[1] * UNIT, 0),
    )
    return journal_state, TeamView.of(journal_state, team_events.event(journal_state))


def test_best_teams_qualify_in_order_with_rosters_and_new_numbers() -> None:
    journal_state, view = league((20, 10))
    facts = qualify(journal_state, view, view.event.divisions[1], 1, 2, view.event.divisions[2])
    entered = [fact.team for fact in facts if isinstance(fact, TeamSet)]
    assert [(team.number, team.name, team.serie) for team in entered] == [(1, "Team 1", 2), (2, "Team 3", 2)]
    rosters = [fact.members for fact in facts if isinstance(fact, RosterSet)]
    assert rosters == [view.event.rosters[101], view.event.rosters[103]]
    team_events.put(journal_state, *facts)
    assert [team.name for team in team_events.event(journal_state).teams_of(2)] == ["Team 1", "Team 3"]


def test_a_team_that_goes_on_gets_a_key_that_no_team_of_another_event_has() -> None:
    journal_state, view = league((20, 10))
    other = "F" * 32
    facts = (DivisionSet(Division(1, "Open", TeamFormat.SWISS, None)), TeamSet(Team(105, 1, 1, "Elsewhere")))
    do(journal_state, PutTeamFacts(other, facts, SetTeamEvent(other, "Another event", 6)))
    entered = qualify(journal_state, view, view.event.divisions[1], 1, 1, view.event.divisions[2])
    assert [fact.team.id for fact in entered if isinstance(fact, TeamSet)] == [106]


def test_a_tie_for_the_last_place_that_goes_on_has_to_be_broken() -> None:
    journal_state, view = league((10, 10))
    with pytest.raises(BadInput, match=r"Team [13] and Team [13] tie for place 1 of Open"):
        qualify(journal_state, view, view.event.divisions[1], 1, 1, view.event.divisions[2])
    assert qualify(journal_state, view, view.event.divisions[1], 1, 2, view.event.divisions[2])


@pytest.mark.parametrize(("first", "last"), [(0, 2), (2, 1), (3, 5)])
def test_places_beyond_the_ranking_are_refused(first: int, last: int) -> None:
    journal_state, view = league((20, 10))
    with pytest.raises(BadInput, match="Open has places 1 to 4, not"):
        qualify(journal_state, view, view.event.divisions[1], first, last, view.event.divisions[2])
