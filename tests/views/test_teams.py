"""Figures of team events, computed by hand from the Magic specification, and matches that land from the tables."""

from dataclasses import replace
from datetime import date

from overtrick.bridge import Outcome, Seat
from overtrick.event import Fact, JournalState, OpenEvent, SessionPlan
from overtrick.event.movement import Mates, Round, SectionPlan, TablePlan
from overtrick.event.results import EnterResult, ResultEntry
from overtrick.event.rulings import BoardVersion, FoulBoard
from overtrick.event.seating import Participation
from overtrick.event.setup import GameKind, GroupPlan
from overtrick.event.teams import (
    CarryOverSet,
    LineUp,
    LineUpSet,
    MatchReported,
    Room,
    Segment,
    TeamAdjusted,
    TeamBoardErased,
    TeamFormat,
)
from overtrick.scoring import UNIT, Method, Scale, victory_points
from overtrick.views.teams import SegmentFigures, TeamView
from tests.event.evenings import NOON, do, entry
from tests.event.team_events import EVENT, board, drawn, event, put, teams


def reported(round_: int, segment: int, home: int, imps_home: int, imps_away: int) -> MatchReported:
    return MatchReported(Segment(1, round_, segment, home), imps_home * UNIT, imps_away * UNIT)


def figures(journal_state: JournalState) -> list[SegmentFigures]:
    return TeamView.of(journal_state, event(journal_state)).figures(1)


def test_the_documents_sample_of_carry_over() -> None:
    journal_state = teams(2, TeamFormat.KNOCK_OUT, Method.TEAM_IMPS)
    put(
        journal_state,
        drawn(1, (101, 102), segments=4),
        CarryOverSet(1, 1, 101, 12 * UNIT, 0),
        reported(1, 1, 101, 34, 0),
        reported(1, 2, 101, 14, 0),
    )
    home = [line.home for line in figures(journal_state)]
    assert [side.imp_carry_over // UNIT for side in home] == [12, 46, 60, 60]
    assert [side.imp_total // UNIT for side in home[:2]] == [46, 60]
    assert TeamView.of(journal_state, event(journal_state)).winner(1, 1, 101) is None
    put(journal_state, reported(1, 3, 101, 0, 61), reported(1, 4, 101, 0, 0))
    assert TeamView.of(journal_state, event(journal_state)).winner(1, 1, 101) == 102


def test_adjustment_changes_the_victory_points_of_one_side() -> None:
    journal_state = teams(2)
    put(
        journal_state,
        drawn(1, (101, 102)),
        reported(1, 1, 101, 27, 30),
        TeamAdjusted(1, 1, 1, 101, 13 * UNIT, 0),
        TeamAdjusted(1, 1, 1, 102, 10 * UNIT, 0),
    )
    (line,) = figures(journal_state)
    assert (line.home.imp_total // UNIT, line.away.imp_total // UNIT) == (40, 40)
    # Sixteen boards: 10 IMPs up is 12.80 on the WBF's continuous scale, 13 up is 13.52
    # (1 - R^(10/60) is 0.21385, 1 - R^(13/60) is 0.26859, and 1 - R is 0.76393).
    assert line.home.vps == victory_points(Scale.CONTINUOUS, 10, 16).own == 128_000
    assert line.away.vps == victory_points(Scale.CONTINUOUS, 13, 16).own == 135_200
    assert (line.home.rank, line.away.rank) == (2, 1)


def test_in_knock_out_both_totals_count_as_they_are() -> None:
    journal_state = teams(2, TeamFormat.KNOCK_OUT)
    put(
        journal_state,
        drawn(1, (101, 102)),
        reported(1, 1, 101, 30, 30),
        TeamAdjusted(1, 1, 1, 101, -3 * UNIT, 0),
    )
    (line,) = figures(journal_state)
    assert (line.home.vps or 0) + (line.away.vps or 0) == 20 * UNIT
    assert TeamView.of(journal_state, event(journal_state)).winner(1, 1, 101) == 102


def test_tie_of_three_has_ranks_5_to_7() -> None:
    journal_state = teams(8, boards=0, method=None)
    vps = [16, 15, 14, 13, 9, 9, 9, 3]
    facts: list[Fact] = [drawn(1, (101, 105), (102, 106), (103, 107), (104, 108))]
    for home in (101, 102, 103, 104):
        segment = Segment(1, 1, 1, home)
        facts.append(MatchReported(segment, 0, 0, vps[home - 101] * UNIT, vps[home - 97] * UNIT))
    put(journal_state, *facts)
    found = {
        side.team: (side.rank, side.rank_max)
        for line in figures(journal_state)
        for side in (line.home, line.away)
    }
    assert found == {
        101: (1, 1),
        102: (2, 2),
        103: (3, 3),
        104: (4, 4),
        **dict.fromkeys((105, 106, 107), (5, 7)),
        108: (8, 8),
    }


def test_boards_of_both_rooms_come_to_imps_and_victory_points() -> None:
    journal_state = teams(4, boards=2)
    put(
        journal_state,
        drawn(1, (101, 102), (103, 104)),
        CarryOverSet(1, 1, 101, 0, 2 * UNIT),
        board(1, 1, 101, Room.OPEN, 1, "4SN="),  # 420 at one table and -50 at the other: 470, 10 IMPs home
        board(1, 1, 101, Room.CLOSED, 1, "4SN-1"),
        board(1, 1, 101, Room.OPEN, 2, "3NTE="),  # NS vulnerable, EW not: 400 to EW
        board(1, 1, 101, Room.CLOSED, 2, "3NTE+1"),  # 430 to home, who sit East-West there: 1 IMP
        TeamAdjusted(1, 1, 1, 102, 0, -UNIT // 2),
    )
    view = TeamView.of(journal_state, event(journal_state))
    line, other = view.figures(1)
    assert (line.home.imps, line.away.imps) == (11 * UNIT, 0)
    # Two boards: X = 15√2 = 21.2; 11 IMPs up by the WBF's formula, to two decimals.
    r = 5**0.5 - 2
    by_formula = round(10 + 10 * (1 - r ** (11 / (15 * 2**0.5))) / (1 - r), 2)
    assert line.home.vps == round(by_formula * UNIT)
    assert line.home.vps is not None
    assert line.home.vp_total == line.home.vps + 2 * UNIT
    assert line.away.vp_round == 20 * UNIT - line.home.vps - UNIT // 2
    assert not other.is_played
    assert (other.home.rank, other.home.vp_total) == (None, None)
    assert [(b.board, b.imps_home, b.imps_away) for b in view.board_figures(line.segment, line.pairing)] == [
        (1, 10 * UNIT, 0),
        (2, UNIT, 0),
    ]
    assert [(s.rank, s.team) for s in view.ranking(1)][:2] == [(1, 101), (2, 102)]


def test_an_award_for_both_is_seen_by_each() -> None:
    journal_state = teams(2, boards=16)
    put(
        journal_state,
        drawn(1, (101, 102)),
        board(1, 1, 101, Room.OPEN, 1, "60-60"),
        board(1, 1, 101, Room.CLOSED, 1, "60-60"),
    )
    (line,) = figures(journal_state)
    assert (line.home.imp_total, line.away.imp_total) == (3 * UNIT, 3 * UNIT)
    assert line.home.vps == line.away.vps == victory_points(Scale.CONTINUOUS, 3, 16).own


def test_a_board_that_was_fouled_at_one_table_waits_for_a_ruling() -> None:
    journal_state = teams(2, boards=2)
    session = "A" * 32
    tables = table(1, 2, 1, 2), table(2, 1, 2, 1)
    plan = SessionPlan(
        session,
        "Evening",
        date(2026, 2, 3),
        (GroupPlan(1, Method.VPS_CONTINUOUS),),
        ((SectionPlan("A", 1, game=GameKind.TEAMS), tables),),
    )
    do(journal_state, OpenEvent(EVENT, (plan,)))
    for at, outcome in ((1, "4SN="), (2, "4SN-1")):
        do(journal_state, EnterResult(session, ResultEntry("A", at, 1, 1, Outcome.parse(outcome), NOON)))
    do(journal_state, FoulBoard(session, 1, (BoardVersion("turned", (("A", 1, 1),)),)))
    (line,) = figures(journal_state)
    assert line.home.imps in (None, 0)
    do(journal_state, FoulBoard(session, 1, (BoardVersion("", (("A", 1, 1),)),)))
    (line,) = figures(journal_state)
    assert line.home.imps == 10 * UNIT


def test_view_made_from_an_earlier_one_equals_a_new_one() -> None:
    journal_state = teams(2)
    put(journal_state, drawn(1, (101, 102)))
    view = TeamView.of(journal_state, event(journal_state))
    for facts in (
        (board(1, 1, 101, Room.OPEN, 1, "4SN="), board(1, 1, 101, Room.CLOSED, 1, "4SN-1")),
        (board(1, 1, 101, Room.OPEN, 1, "4SN-2"),),
        (TeamBoardErased(Segment(1, 1, 1, 101), Room.OPEN, 1),),
        (TeamBoardErased(Segment(1, 1, 1, 101), Room.CLOSED, 1), reported(1, 1, 101, 4, 3)),
    ):
        put(journal_state, *facts)
        view = TeamView.of(journal_state, event(journal_state), view)
        assert view.figures(1) == figures(journal_state)
        assert view.ranking(1) == TeamView.of(journal_state, event(journal_state)).ranking(1)


def table(ns: int, ew: int, own: int, mates: int) -> TablePlan:
    return TablePlan(own, (Round(ns, ew, (1, 2), team_ns=ns, team_ew=ew, mates=Mates("A", mates, 1)),))


def test_match_scored_at_tables_counts_in_its_team_event() -> None:
    journal_state = teams(2, boards=2)
    session = "A" * 32
    plan = SessionPlan(
        session,
        "Evening",
        date(2026, 2, 3),
        (GroupPlan(1, Method.VPS_CONTINUOUS),),
        ((SectionPlan("A", 1, game=GameKind.TEAMS), (table(1, 2, 1, 2), table(2, 1, 2, 1))),),
    )
    do(journal_state, OpenEvent(EVENT, (plan,)))
    for at, outcome in ((1, "4SN="), (2, "4SN-1")):
        do(journal_state, EnterResult(session, ResultEntry("A", at, 1, 1, Outcome.parse(outcome), NOON)))
    (line,) = figures(journal_state)
    assert (line.segment, line.pairing.away) == (Segment(1, 1, 1, 101), 102)
    assert (line.home.imps, line.away.imps) == (10 * UNIT, 0)
    for at, outcome in ((1, "4SN="), (2, "4SN-1")):
        switched = replace(entry(at, 1, 2, outcome), is_wrong_direction=True)
        do(journal_state, EnterResult(session, switched))
    (line,) = figures(journal_state)
    assert (line.home.imps, line.away.imps) == (10 * UNIT, 12 * UNIT), "720 to who sat in the other room"
    put(journal_state, drawn(1, (102, 101)))
    (line,) = figures(journal_state)
    assert (line.home.team, line.home.imps, line.away.imps) == (102, 12 * UNIT, 10 * UNIT)


def test_line_up_that_is_cleared_shows_the_players_at_the_table_again() -> None:
    journal_state = teams(2, boards=2)
    session = "A" * 32
    seat = Participation("A", 1, Seat.NORTH, first_name="First1011", last_name="Last1011", round=1)
    plan = SessionPlan(
        session,
        "Evening",
        date(2026, 2, 3),
        (GroupPlan(1, Method.VPS_CONTINUOUS),),
        ((SectionPlan("A", 1, game=GameKind.TEAMS), (table(1, 2, 1, 2), table(2, 1, 2, 1))),),
        participations=(seat,),
    )
    put(journal_state, drawn(1, (101, 102)))
    do(journal_state, OpenEvent(EVENT, (plan,)))
    segment = Segment(1, 1, 1, 101)

    def line_up() -> LineUp | None:
        return TeamView.of(journal_state, event(journal_state)).line_up(segment, Room.OPEN)

    assert line_up() == LineUp(north=1011)
    put(journal_state, LineUpSet(segment, Room.OPEN, LineUp(north=1012)))
    assert line_up() == LineUp(north=1012)
    put(journal_state, LineUpSet(segment, Room.OPEN, LineUp()))
    assert line_up() == LineUp(north=1011)


def test_a_knock_out_ranks_by_how_far_a_team_came() -> None:
    journal_state = teams(4, TeamFormat.KNOCK_OUT, Method.TEAM_IMPS)
    put(
        journal_state,
        drawn(1, (101, 104), (102, 103)),
        CarryOverSet(1, 1, 101, 12 * UNIT, 0),
        reported(1, 1, 101, 20, 30),
        reported(1, 1, 102, 0, 90),
    )
    view = TeamView.of(journal_state, event(journal_state))
    assert [(line.rank, line.rank_max, line.team) for line in view.ranking(1)] == [
        (1, 2, 101),
        (1, 2, 103),
        (3, 4, 102),
        (3, 4, 104),
    ]
    put(journal_state, drawn(2, (101, 103), segments=2), reported(2, 1, 101, 50, 0))
    assert [line.rank_max for line in TeamView.of(journal_state, event(journal_state)).ranking(1)][:2] == [
        2,
        2,
    ], "not over"
    put(journal_state, reported(2, 2, 101, 0, 49))
    standing = TeamView.of(journal_state, event(journal_state)).ranking(1)
    assert [(line.rank, line.team, line.points // UNIT) for line in standing] == [
        (1, 101, 1),
        (2, 103, -1),
        (3, 102, -90),
        (3, 104, -2),
    ]
