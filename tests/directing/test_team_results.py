"""A team match that is reported: it counts, or the boards that are entered do and somebody is told."""

import pytest

from overtrick.directing.previews import StalePreview
from overtrick.directing.team_results import report_segment
from overtrick.event.teams import MatchReported, Room, Segment
from overtrick.scoring import Method
from overtrick.views.teams import TeamView
from tests.event import team_events

SEGMENT = Segment(1, 1, 1, 101)


def match(method: Method | None, is_entered: bool) -> TeamView:
    """Return an event with one match, a board of which may be entered."""
    journal_state = team_events.teams(2, method=method)
    team_events.put(journal_state, team_events.drawn(1, (101, 102)))
    if is_entered:
        boards = (team_events.board(1, 1, 101, room, 7, "4SN=") for room in Room)
        team_events.put(journal_state, *boards)
    return TeamView.of(journal_state, team_events.event(journal_state))


@pytest.mark.parametrize("method", [None, Method.VPS_CONTINUOUS])
def test_a_match_without_boards_is_reported(method: Method | None) -> None:
    assert report_segment(match(method, False), SEGMENT, 30, 10) == MatchReported(SEGMENT, 30, 10)


@pytest.mark.parametrize("method", [None, Method.VPS_CONTINUOUS])
def test_imps_are_not_reported_where_the_boards_count(method: Method | None) -> None:
    with pytest.raises(
        StalePreview, match=r"Team 1 - Team 2 has results on 1 boards \(7 to 7\), which count"
    ):
        report_segment(match(method, True), SEGMENT, 30, 10)


def test_victory_points_are_reported_beside_boards_in_a_serie_scored_as_reported() -> None:
    reported = report_segment(match(None, True), SEGMENT, 30, 10, (1200, 800))
    assert (reported.vps_home, reported.vps_away) == (1200, 800)
    with pytest.raises(StalePreview):
        report_segment(match(Method.VPS_CONTINUOUS, True), SEGMENT, 30, 10, (1200, 800))
