"""Drawing the rounds of a team event: the next one when the last is over."""

import pytest

from overtrick.bridge import Outcome
from overtrick.directing.team_draws import draw_rounds
from overtrick.errors import BadInput
from overtrick.event.teams import (
    MatchReported,
    Pairing,
    Room,
    RoundDrawn,
    Segment,
    TeamBoardRecorded,
    TeamBoardResult,
    TeamFormat,
)
from overtrick.scoring import Method
from overtrick.views.teams import TeamView
from tests.event import team_events


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
        return draw_rounds(TeamView.of(journal_state, event), event.series[1], 1)

    def missing() -> str:
        with pytest.raises(
            BadInput, match=r"Round 1 of Open is not over: (.*)\. A board that nobody"
        ) as refused:
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
        draw_rounds(TeamView.of(journal_state, event), event.series[1], 1)
    team_events.put(journal_state, MatchReported(Segment(1, 1, 1, 103), 0, 1))
    (round_,) = draw_rounds(TeamView.of(journal_state, event), event.series[1], 1)
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
