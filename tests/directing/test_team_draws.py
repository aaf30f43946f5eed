"""Drawing the rounds of a team event: the next one when the last is over."""

from datetime import date

import pytest

from overtrick.bridge import Outcome
from overtrick.directing.team_draws import draw_rounds, sit_out_points
from overtrick.directing.team_tables import plan_team_tables
from overtrick.errors import BadInput
from overtrick.event import JournalState
from overtrick.event.team_rules import PutTeamFacts
from overtrick.event.teams import (
    MatchReported,
    Pairing,
    Room,
    RoundDrawn,
    Segment,
    TeamAdjusted,
    TeamBoardRecorded,
    TeamBoardResult,
    TeamEvent,
    TeamFormat,
)
from overtrick.scoring import UNIT, Method, victory_points
from overtrick.scoring.vps import Scale
from overtrick.views.teams import TeamView
from tests.event import team_events
from tests.event.evenings import refuse


@pytest.mark.parametrize("format", [TeamFormat.SWISS, TeamFormat.KNOCK_OUT])
def test_a_round_is_drawn_when_every_board_of_the_last_one_is_in(format: TeamFormat) -> None:
    journal_state = team_events.teams(4, format, boards=4)
    event = team_events.event(journal_state)
    team_events.put(journal_state, RoundDrawn(1, 1, 2, (Pairing(1, 101, 102), Pairing(2, 103, 104))))

    def play(home: int, part: int, board: int, *rooms: Room) -> None:
        segment = Segment(1, 1, part, home)
        # In the closed room the same contract goes down, so that nobody is level.
        results = {Room.OPEN: Outcome.parse("3NTN="), Room.CLOSED: Outcome.parse("3NTN-1")}
        made = (TeamBoardRecorded(segment, TeamBoardResult(room, board, results[room])) for room in rooms)
        team_events.put(journal_state, *made)

    def drawn() -> list[RoundDrawn]:
        return draw_rounds(TeamView.of(journal_state, event), event.divisions[1], 1)

    def missing() -> str:
        with pytest.raises(BadInput, match=r"Round 1 of Open is not over: (.*)\. Enter NP") as refused:
            drawn()
        return refused.value.sentence.split(": ")[1].split(". ")[0]

    for home in (101, 103):
        for part in (1, 2):
            play(home, part, 2 * part, *Room)
    assert missing() == "; ".join(
        f"{match} (segment {part}) has 1 of 2 boards"
        for part in (1, 2)
        for match in ("Team 1 - Team 2", "Team 3 - Team 4")
    )
    for part in (1, 2):
        play(101, part, 2 * part - 1, *Room)
    play(103, 1, 1, *Room)
    play(103, 2, 3, Room.OPEN)
    assert missing() == "Team 3 - Team 4 (segment 2) has 1 of 2 boards"
    play(103, 2, 3, Room.CLOSED)
    (round_,) = drawn()
    assert (round_.round, len(round_.pairings)) == (2, 2 if format is TeamFormat.SWISS else 1)


def test_a_match_whose_imps_were_reported_has_no_boards_to_come() -> None:
    journal_state = team_events.teams(4, TeamFormat.SWISS, boards=4)
    event = team_events.event(journal_state)
    team_events.put(journal_state, RoundDrawn(1, 1, 1, (Pairing(1, 101, 102), Pairing(2, 103, 104))))
    team_events.put(journal_state, MatchReported(Segment(1, 1, 1, 101), 30, 10))
    with pytest.raises(BadInput, match="not over: Team 3 - Team 4 has no result"):
        draw_rounds(TeamView.of(journal_state, event), event.divisions[1], 1)
    team_events.put(journal_state, MatchReported(Segment(1, 1, 1, 103), 0, 1))
    (round_,) = draw_rounds(TeamView.of(journal_state, event), event.divisions[1], 1)
    assert round_.round == 2


def test_nobody_has_won_a_knock_out_match_before_its_last_board() -> None:
    journal_state = team_events.teams(4, TeamFormat.KNOCK_OUT, Method.TEAM_IMPS, boards=2)
    event = team_events.event(journal_state)
    team_events.put(journal_state, RoundDrawn(1, 1, 1, (Pairing(1, 101, 102), Pairing(2, 103, 104))))
    segment = Segment(1, 1, 1, 103)
    for board, winner, ranks in ((1, None, {1}), (2, 103, {1, 2})):
        for room, outcome in ((Room.OPEN, "3NTN="), (Room.CLOSED, "3NTN-1")):
            result = TeamBoardResult(room, board, Outcome.parse(outcome))
            team_events.put(journal_state, TeamBoardRecorded(segment, result))
        view = TeamView.of(journal_state, event)
        assert view.winner(1, 1, 103) == winner
        assert {standing.rank for standing in view.ranking(1)} == ranks


def swiss(count: int) -> tuple[JournalState, TeamEvent]:
    journal_state = team_events.teams(count, TeamFormat.SWISS, boards=8)
    return journal_state, team_events.event(journal_state)


def report(journal_state: JournalState, round_: int, home: int, imps: int, away: int = 0) -> None:
    team_events.put(journal_state, MatchReported(Segment(1, round_, 1, home), imps * UNIT, away * UNIT))


def drawn_now(journal_state: JournalState, again: int = 0, **options: bool) -> RoundDrawn:
    event = team_events.event(journal_state)
    (round_,) = draw_rounds(TeamView.of(journal_state, event), event.divisions[1], 1, (), again, **options)
    return round_


def met(round_: RoundDrawn) -> set[frozenset[int]]:
    return {frozenset((one.home, one.away)) for one in round_.pairings}


def test_lagging_round_is_drawn_from_the_ranking_before_the_round_in_play() -> None:
    journal_state, _ = swiss(6)
    first = team_events.drawn(1, (101, 102), (103, 104), (105, 106))
    team_events.put(journal_state, first)
    for home, imps in ((101, 40), (103, 20), (105, 10)):
        report(journal_state, 1, home, imps)
    second = drawn_now(journal_state)
    team_events.put(journal_state, second)
    report(journal_state, 2, second.pairings[0].home, 5)
    with pytest.raises(BadInput, match="Round 2 of Open is not over"):
        drawn_now(journal_state)
    third = drawn_now(journal_state, is_lagging=True)
    assert third.round == 3
    assert not met(third) & (met(first) | met(second))
    # The round in play does not count: another result of it draws the same.
    report(journal_state, 2, second.pairings[0].home, 0, 60)
    assert drawn_now(journal_state, is_lagging=True) == third


def test_last_swiss_round_is_drawn_again_after_a_correction() -> None:
    journal_state, _ = swiss(6)
    team_events.put(journal_state, team_events.drawn(1, (101, 102), (103, 104), (105, 106)))
    for home, imps in ((101, 40), (103, 20), (105, 10)):
        report(journal_state, 1, home, imps)
    second = drawn_now(journal_state)
    team_events.put(journal_state, second)
    assert drawn_now(journal_state, again=2) == second
    report(journal_state, 1, 101, 0, 60)
    again = drawn_now(journal_state, again=2)
    assert (again.round, met(again) != met(second)) == (2, True)
    team_events.put(journal_state, again)
    with pytest.raises(BadInput, match="Only the last round, 2, can be drawn again"):
        drawn_now(journal_state, again=1)


def test_team_that_sits_out_gets_its_points_once_and_never_sits_out_twice() -> None:
    journal_state, event = swiss(5)
    idle: list[int] = []
    for number in range(1, 6):
        view = TeamView.of(journal_state, event)
        rounds = draw_rounds(view, event.divisions[1], 1)
        sit_outs = sit_out_points(view, event.divisions[1], rounds, 12 * UNIT)
        team_events.put(journal_state, *rounds, *sit_outs)
        idle += [one.team for one in sit_outs]
        for match in rounds[0].pairings:
            report(journal_state, number, match.home, match.away % 7)
    assert sorted(idle) == [101, 102, 103, 104, 105]
    first = TeamView.of(journal_state, event).byes(1)[0]
    assert (first.segment.home, first.home.vp_round) == (idle[0], 12 * UNIT)


def test_points_of_a_sit_out_follow_a_draw_by_hand_and_leave_the_directors_alone() -> None:
    journal_state, event = swiss(3)
    division = event.divisions[1]

    def lay(*matches: tuple[int, int]) -> dict[int, int]:
        rounds = [team_events.drawn(1, *matches)]
        found = sit_out_points(TeamView.of(journal_state, event), division, rounds, 12 * UNIT)
        team_events.put(journal_state, *rounds, *found)
        return {team: one.vps for (_, _, _, team), one in event.adjusted.items() if one.vps}

    assert lay((101, 102)) == {103: 12 * UNIT}
    assert lay((101, 103)) == {102: 12 * UNIT}
    team_events.put(journal_state, TeamAdjusted(1, 1, 1, 102, 0, 5 * UNIT, "Ruling"))
    assert lay((101, 103)) == {102: 5 * UNIT}


def test_several_teams_without_a_match_are_left_to_the_director() -> None:
    journal_state, event = swiss(5)
    rounds = [team_events.drawn(1, (101, 102))]
    assert sit_out_points(TeamView.of(journal_state, event), event.divisions[1], rounds, 12 * UNIT) == []


def test_triangle_of_an_odd_field_counts_two_halves() -> None:
    journal_state, event = swiss(5)
    round_ = drawn_now(journal_state, has_triangle=True)
    assert len(round_.pairings) == 4
    assert round_.triangle == {103, 104, 105}
    team_events.put(journal_state, round_)
    view = TeamView.of(journal_state, event)
    assert sit_out_points(view, event.divisions[1], [round_], 12 * UNIT) == []
    for match in round_.pairings:
        report(journal_state, 1, match.home, 10)
    view = TeamView.of(journal_state, event)
    # The usual match is of 8 boards, the halves are of 4, and each of these counts half.
    whole, half = (victory_points(Scale.CONTINUOUS, 10, boards) for boards in (8, 4))
    lines = {line.segment.home: line for line in view.figures(1)}
    assert lines[101].home.vps == whole.own
    assert (lines[103].home.vps, lines[103].away.vps) == (half.own // 2, half.theirs // 2)
    assert (lines[101].length, lines[103].length) == (8, 4)
    points = {one.team: one.points for one in view.ranking(1)}
    # Each of the three wins one half and loses the other.
    assert [points[team] for team in (103, 104, 105)] == [10 * UNIT] * 3
    assert sum(points.values()) == 50 * UNIT


def test_adjustment_in_a_triangle_counts_once() -> None:
    journal_state, event = swiss(3)
    round_ = drawn_now(journal_state, has_triangle=True)
    team_events.put(journal_state, round_, TeamAdjusted(1, 1, 1, 101, 0, -2 * UNIT, "Late"))
    for match in round_.pairings:
        report(journal_state, 1, match.home, 10)
    points = {one.team: one.points for one in TeamView.of(journal_state, event).ranking(1)}
    assert points == {101: 8 * UNIT, 102: 10 * UNIT, 103: 10 * UNIT}


def test_next_draw_knows_who_met_in_a_triangle_and_takes_others_for_the_next() -> None:
    journal_state, _ = swiss(7)
    seen: set[frozenset[int]] = set()
    triangles: list[frozenset[int]] = []
    for number in (1, 2):
        round_ = drawn_now(journal_state, has_triangle=True)
        assert not met(round_) & seen
        seen |= met(round_)
        triangles.append(round_.triangle)
        team_events.put(journal_state, round_)
        for match in round_.pairings:
            report(journal_state, number, match.home, 5)
    assert len(triangles[0] & triangles[1]) <= 1


@pytest.mark.parametrize(
    "matches",
    [
        [(101, 102), (101, 103)],
        [(101, 102), (103, 102), (101, 103)],
        [(101, 102), (102, 103), (103, 101), (101, 104)],
        [(101, 102), (102, 101)],
    ],
)
def test_two_matches_of_a_team_that_make_no_triangle_are_refused(matches: list[tuple[int, int]]) -> None:
    journal_state, _ = swiss(5)
    rejection = refuse(journal_state, PutTeamFacts(team_events.EVENT, (team_events.drawn(1, *matches),)))
    assert "has two matches" in str(rejection)


def test_round_robin_has_neither_lag_nor_triangle() -> None:
    journal_state = team_events.teams(5)
    for options in ({"is_lagging": True}, {"has_triangle": True}):
        with pytest.raises(BadInput, match="Open is not a Swiss event"):
            drawn_now(journal_state, **options)


def test_round_with_a_triangle_is_not_laid_on_tables() -> None:
    journal_state, event = swiss(3)
    team_events.put(journal_state, drawn_now(journal_state, has_triangle=True))
    with pytest.raises(BadInput, match="cannot be assigned to tables"):
        plan_team_tables(
            journal_state,
            event,
            event.divisions[1],
            1,
            1,
            range(1, 5),
            session="A" * 32,
            day=date(2026, 3, 9),
        )
