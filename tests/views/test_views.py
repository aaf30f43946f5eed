"""Views that are fed fact by fact show what a look at everything would show."""

from dataclasses import replace
from datetime import date, timedelta
from decimal import Decimal
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from overtrick import movements
from overtrick.bridge import AWARDS, NotPlayed, Outcome, PassedOut, Seat, Side, Tricks
from overtrick.errors import BadInput
from overtrick.event import Command, Fact, JournalState, OpenEvent, Rejection, Session, decide, session_stream
from overtrick.event.calls import CallDirector
from overtrick.event.further_rankings import PutPlayerDetails, SetFurtherRankings
from overtrick.event.hands import HandRecord, PutHandRecords
from overtrick.event.movement import (
    Mates,
    Round,
    SectionPlan,
    SetMovement,
    SetWaiting,
    TablePlan,
    contestant,
    table_plans,
    without_missing_pair,
)
from overtrick.event.results import CorrectResult, EnterResult, EraseResult, Origin, PutResults, ResultEntry
from overtrick.event.seating import Participation, PutParticipations
from overtrick.event.setup import ChangeSession, GameKind, GroupPlan, SetGroups
from overtrick.event.tables import LogOn
from overtrick.scoring import Contestant, Method
from overtrick.scoring.more_rankings import StrataBy
from overtrick.scoring.player_list import PlayerDetails
from overtrick.views import (
    ContestantSeat,
    SessionView,
    TableStage,
    board_monitor,
    itineraries,
    next_seating,
    round_monitor,
    seating,
)
from overtrick.views.report import prepare_report
from tests.event.evenings import NOON, SESSION, TABLES, entry, minimal, plan, rounds
from tests.event.test_tables_calls_hands_settings import DEAL


class Followed:
    """The state of a journal with a view that follows its session."""

    def __init__(self, **changes: object) -> None:
        self.journal_state = JournalState()
        self.view = SessionView()
        self.facts: list[Fact] = []
        self.do(OpenEvent(SESSION, (plan(**changes),)))  # type: ignore[arg-type]

    def do(self, command: Command) -> bool:
        decided = decide(self.journal_state, command)
        if isinstance(decided, Rejection):
            return False
        for made in decided:
            self.journal_state.apply(made.stream, made.fact)
            if made.stream == session_stream(SESSION, 1):
                self.view.apply(made.fact)
                self.facts.append(made.fact)
        return True


def test_a_traveller_and_a_ranking_grow_with_each_result() -> None:
    evening = Followed()
    assert evening.view.rankings(1) == []
    evening.do(EnterResult(SESSION, entry(1, 1, 1, "3NTN=")))
    evening.do(EnterResult(SESSION, entry(2, 1, 1, "3NTN+1")))
    (ranking,) = evening.view.rankings(1)
    assert [(str(s.contestant), s.percentage) for s in ranking.standings] == [
        ("A2", 100.0),
        ("A3", 100.0),
        ("A1", 0.0),
        ("A4", 0.0),
    ]
    assert [line.line.table for line in evening.view.traveller(1, 1).lines] == [1, 2]
    evening.do(EraseResult(SESSION, "A", 2, 1, 1, Origin.DESK))
    assert [line.line.table for line in evening.view.traveller(1, 1).lines] == [1]


def test_where_pairs_sat_the_wrong_way_they_change_sides_and_the_score_stays() -> None:
    evening = Followed()
    switched = replace(entry(1, 1, 1, "3NTN="), is_wrong_direction=True)
    evening.do(PutResults(SESSION, (switched,)))
    (line,) = evening.view.lines()
    assert (line.ns, line.ew) == (Contestant("A", 2), Contestant("A", 1))


def test_where_two_win_the_same_number_is_two_contestants() -> None:
    evening = Followed(
        section=SectionPlan("A", 1, winners=2),
        tables=(TablePlan(1, rounds((1, 1, 1))), TablePlan(2, rounds((2, 2, 1)))),
    )
    evening.do(EnterResult(SESSION, entry(1, 1, 1, "3NTN=")))
    evening.do(EnterResult(SESSION, entry(2, 1, 1, "3NTN+1")))
    assert [(ranking.side, len(ranking.standings)) for ranking in evening.view.rankings(1)] == [
        (Side.NS, 2),
        (Side.EW, 2),
    ]


def test_tables_of_one_group_are_a_field_of_their_own() -> None:
    evening = Followed(tables=(replace(TABLES[0], group=3), TABLES[1]))
    evening.do(EnterResult(SESSION, entry(1, 1, 1, "3NTN=")))
    evening.do(EnterResult(SESSION, entry(2, 1, 1, "3NTN=")))
    assert {line.field for line in evening.view.lines()} == {"1", "1.3"}


def test_teams_meet_at_two_tables() -> None:
    tables = (
        TablePlan(1, (Round(1, 2, (1, 2), team_ns=1, team_ew=2),)),
        TablePlan(2, (Round(4, 3, (1, 2), team_ns=2, team_ew=1),)),
    )
    evening = Followed(tables=tables)
    evening.do(SetGroups(SESSION, (GroupPlan(1, Method.TEAM_IMPS),)))
    evening.do(EnterResult(SESSION, entry(1, 1, 1, "3NTN=")))
    evening.do(EnterResult(SESSION, entry(2, 1, 1, "2NTN=")))
    (ranking,) = evening.view.rankings(1)
    assert [(s.contestant.number, s.points) for s in ranking.standings] == [(1, 7.0), (2, -7.0)]


def test_teams_have_strata_by_everyone_who_sat_for_them() -> None:
    tables = (
        TablePlan(1, (Round(1, 2, (1, 2), team_ns=1, team_ew=2),)),
        TablePlan(2, (Round(4, 3, (1, 2), team_ns=2, team_ew=1),)),
    )
    evening = Followed(tables=tables)
    evening.do(SetGroups(SESSION, (GroupPlan(1, Method.TEAM_IMPS),)))
    names = {(1, Seat.NORTH): "Ada", (1, Seat.SOUTH): "Ben", (2, Seat.EAST): "Cy", (2, Seat.WEST): "Di"}
    seats = tuple(Participation("A", table, seat, last_name=name) for (table, seat), name in names.items())
    assert evening.do(PutParticipations(SESSION, seats))
    one = Contestant("", 1)
    assert [player.name for player in evening.view.players()[one]] == ["Ada", "Ben", "Cy", "Di"]
    evening.do(EnterResult(SESSION, entry(1, 1, 1, "3NTN=")))
    evening.do(EnterResult(SESSION, entry(2, 1, 1, "2NTN=")))
    # Together they hold 300, on average 75 each: below 80, though Di alone is not.
    held = zip(names.values(), (60, 60, 60, 120), strict=True)
    details = tuple(PlayerDetails("", name, holding=Decimal(holding)) for name, holding in held)
    assert evening.do(PutPlayerDetails(SESSION, details))
    for by, expected in ((StrataBy.AVERAGE, [one]), (StrataBy.HIGHER, [])):
        assert evening.do(SetFurtherRankings(SESSION, strata="A, B:80", strata_by=by))
        (stratum,) = prepare_report(evening.view)().further
        assert [standing.contestant for standing in stratum.ranking.standings] == expected


def test_teams_without_numbers_follow_from_their_mates_tables() -> None:
    first = Mates("A", 1, 1), Mates("A", 2, 1)
    tables = (
        TablePlan(1, (Round(5, 6, (1, 2), mates=first[1]), Round(8, 6, (3, 4), mates=Mates("A", 2, 2)))),
        TablePlan(2, (Round(7, 8, (1, 2), mates=first[0]), Round(7, 5, (3, 4), mates=Mates("A", 1, 2)))),
    )
    evening = Followed(tables=tables)
    evening.do(SetGroups(SESSION, (GroupPlan(1, Method.TEAM_IMPS),)))
    evening.do(EnterResult(SESSION, entry(1, 1, 1, "3NTN=")))
    evening.do(EnterResult(SESSION, entry(2, 1, 1, "2NTN=")))
    (ranking,) = evening.view.rankings(1)
    assert [(s.contestant.number, s.points) for s in ranking.standings] == [(5, 7.0), (7, -7.0)]
    evening.do(EnterResult(SESSION, entry(1, 2, 3, "3NTN=")))  # by 8, who is of team 5
    evening.do(EnterResult(SESSION, entry(2, 2, 3, "2NTN=")))
    (ranking,) = evening.view.rankings(1)
    assert [s.contestant.number for s in ranking.standings] == [5, 7]
    changed = tuple(
        replace(plan, rounds=tuple(replace(each, mates=None) for each in plan.rounds)) for plan in tables
    )
    evening.do(SetMovement(SESSION, evening.view.session.plan("A"), changed))
    evening.do(SetMovement(SESSION, evening.view.session.plan("A"), tables))
    evening.do(EnterResult(SESSION, entry(1, 1, 1, "3NTN=")))
    evening.do(EnterResult(SESSION, entry(2, 1, 1, "2NTN=")))
    (ranking,) = evening.view.rankings(1)
    assert [s.contestant.number for s in ranking.standings] == [5, 7]


def test_teams_of_two_sections_with_the_same_pair_numbers_are_different_teams() -> None:
    here = TablePlan(1, (Round(1, 2, (1, 2), mates=Mates("B", 2, 1)),))
    there = TablePlan(2, (Round(1, 2, (1, 2), mates=Mates("A", 1, 1)),))
    evening = Followed(tables=(here,))
    evening.do(SetGroups(SESSION, (GroupPlan(1, Method.TEAM_IMPS),)))
    evening.do(SetMovement(SESSION, SectionPlan("B", 1, winners=1), (there,)))
    evening.do(EnterResult(SESSION, entry(1, 1, 1, "3NTN=")))
    evening.do(EnterResult(SESSION, entry(2, 1, 1, "2NTN=", "B")))
    (ranking,) = evening.view.rankings(1)
    assert [(s.contestant.section, s.contestant.number) for s in ranking.standings] == [("", 1), ("B", 1)]


def test_the_seating_names_pairs_boards_and_people() -> None:
    evening = Followed()
    evening.do(
        PutParticipations(SESSION, (Participation("A", 1, Seat.NORTH, last_name="Ann"),), must_be_known=False)
    )
    lines = seating(evening.view.session, "A", 2)
    assert [(line.table, line.ns, line.ew, line.boards[0]) for line in lines] == [(1, 1, 3, 5), (2, 4, 2, 5)]
    assert [(seat, player.name) for seat, player in lines[0].players] == [(Seat.NORTH, "Ann")]


def test_sit_outs_and_empty_tables_are_told_apart() -> None:
    journal_state = minimal(tables=(TablePlan(1, (Round(1, 0), Round(0, 0), Round(1, 2, (1,)))),))
    session = journal_state.session(SESSION)
    assert session is not None
    lines = [seating(session, "A", number)[0] for number in (1, 2, 3)]
    assert [(line.is_sit_out, line.is_empty) for line in lines] == [
        (True, False),
        (False, True),
        (False, False),
    ]


def test_both_pairs_are_told_where_they_go_next() -> None:
    session = minimal().session(SESSION)
    assert session is not None
    assert next_seating(session, "A", 1, 1, itineraries(session)) == {
        Side.NS: ContestantSeat("A", 1, 2, Side.NS),
        Side.EW: ContestantSeat("A", 2, 2, Side.EW),
    }
    assert next_seating(session, "A", 1, 3, itineraries(session)) == {Side.NS: None, Side.EW: None}
    assert next_seating(session, "A", 9, 1, itineraries(session)) == {Side.NS: None, Side.EW: None}


def test_east_west_that_returns_home_is_told_at_home() -> None:
    tables = (TablePlan(1, rounds((1, 2, 1), (1, 3, 5))), TablePlan(2, rounds((2, 1, 1), (2, 1, 9))))
    journal_state = minimal(section=SectionPlan("A", 1, winners=2), tables=tables, ew_return_home=True)
    session = journal_state.session(SESSION)
    assert session is not None
    assert next_seating(session, "A", 1, 1, itineraries(session))[Side.EW] == ContestantSeat(
        "A", 2, 2, Side.EW
    )


def test_pairs_are_found_in_other_sections_where_they_move_across_the_field() -> None:
    evening = Followed(tables=(TablePlan(1, rounds((1, 2, 1))),), across_field=True)
    evening.do(
        SetMovement(SESSION, SectionPlan("B", 1, 1), (TablePlan(7, rounds((3, 4, 1), (2, 4, 5))),)),
    )
    assert next_seating(evening.view.session, "A", 1, 1, itineraries(evening.view.session))[
        Side.EW
    ] == ContestantSeat("B", 7, 2, Side.NS)


def test_table_that_nobody_plays_at_is_not_finished_and_does_not_put_others_behind() -> None:
    evening = Followed(
        tables=(TablePlan(1, rounds((1, 2, 1), (1, 3, 5))), TablePlan(2, rounds((3, 0, 5), (0, 2, 1))))
    )
    lines = round_monitor(evening.view)
    assert [line.stage for line in lines] == [TableStage.NOT_STARTED, TableStage.UNUSED]
    assert [line.is_behind for line in lines] == [False, False]


def test_the_round_monitor_follows_a_table() -> None:
    evening = Followed()
    first = round_monitor(evening.view)[0]
    assert (first.stage, first.round, first.missing, first.is_logged_on) == (
        TableStage.NOT_STARTED,
        1,
        (1, 2, 3, 4),
        False,
    )
    evening.do(LogOn(SESSION, "A", 1, "phone", NOON))
    evening.do(CallDirector(SESSION, "c", "A", 1, NOON))
    for board in (1, 3, 4):
        evening.do(EnterResult(SESSION, entry(1, 1, board, "Pass")))
    first = round_monitor(evening.view)[0]
    assert (first.stage, first.played, first.missing) == (TableStage.PLAYING, 3, (2,))
    assert (first.is_logged_on, first.is_calling, first.last_entry) == (True, True, NOON)
    evening.do(EnterResult(SESSION, entry(1, 2, 5, "Pass")))
    first = round_monitor(evening.view)[0]
    assert (first.round, first.missing, first.skipped) == (2, (6, 7, 8), ((1, 2),))
    for number, low in ((1, 1), (2, 5), (3, 9)):
        for board in range(low, low + 4):
            evening.do(EnterResult(SESSION, entry(1, number, board, "Pass")))
    assert round_monitor(evening.view)[0].stage is TableStage.FINISHED
    assert [line.is_behind for line in round_monitor(evening.view)] == [False, True]
    evening.do(SetWaiting(SESSION, "A", 1, True))
    assert round_monitor(evening.view)[0].stage is TableStage.WAITING


def test_the_board_monitor_counts_a_board_around_the_room() -> None:
    evening = Followed()
    evening.do(EnterResult(SESSION, entry(2, 1, 3, "Pass")))
    progress = {line.board: line for line in board_monitor(evening.view)}
    assert len(progress) == 12
    assert (progress[3].played, progress[3].expected, progress[3].missing) == (1, 2, (("A", 1, 1),))


@settings(max_examples=40)
@given(st.randoms(use_true_random=False), st.sampled_from([3, 4, 5]), st.booleans())
def test_fact_by_fact_is_the_same_as_all_at_once(random: Random, tables: int, two: bool) -> None:
    chosen = movements.mitchell(tables, 2) if two else movements.howell(tables, 2)
    plans = table_plans(chosen, "A")
    evening = Followed(section=SectionPlan("A", 1, winners=random.choice([0, chosen.winners])), tables=plans)
    outcomes: list[Outcome] = [
        *AWARDS,
        NotPlayed(),
        PassedOut(),
        *map(Outcome.parse, ("4SN=", "4SxE-2", "3NTW+1")),
    ]
    places = [
        (table.table, number, board)
        for table in plans
        for number, played in enumerate(table.rounds, start=1)
        for board in played.boards
    ]
    for step in range(60):
        table, number, board = random.choice(places)
        result = ResultEntry(
            "A", table, number, board, random.choice(outcomes), NOON + timedelta(minutes=step)
        )
        command = random.choice(
            [
                EnterResult(SESSION, result),
                EnterResult(SESSION, result),
                CorrectResult(
                    SESSION, replace(result, is_wrong_direction=random.random() < 0.2), Origin.DESK
                ),
                PutResults(SESSION, (replace(result, side=random.choice([None, *Side])),)),
                EraseResult(SESSION, "A", table, number, board, Origin.DESK),
                ChangeSession(SESSION, across_field=random.random() < 0.5),
                SetGroups(SESSION, (GroupPlan(1, random.choice([Method.MATCHPOINTS, Method.BUTLER])),)),
                SetMovement(SESSION, SectionPlan("A", 1, random.choice([0, chosen.winners])), plans[:1]),
            ]
        )
        evening.do(command)
        if random.random() < 0.3:
            evening.view.rankings(1)
    whole = SessionView()
    for fact in evening.facts:
        whole.apply(fact)
    assert sorted(map(str, evening.view.lines())) == sorted(map(str, whole.lines()))
    assert (
        [(r.side, r.standings) for r in evening.view.rankings(1)]
        == [(r.side, r.standings) for r in evening.view.scored(1).rankings]
        == [(r.side, r.standings) for r in whole.rankings(1)]
    )


def test_an_unknown_group_has_no_ranking() -> None:
    with pytest.raises(KeyError):
        Followed().view.rankings(9)


def test_a_report_has_what_is_published() -> None:
    evening = Followed()
    evening.do(
        PutParticipations(SESSION, (Participation("A", 1, Seat.NORTH, last_name="Ann"),), must_be_known=False)
    )
    evening.do(PutHandRecords(SESSION, (HandRecord(1, 1, DEAL, Tricks((7,) * 20)),)))
    evening.do(EnterResult(SESSION, entry(1, 1, 1, "3NTN=")))
    report = prepare_report(evening.view)()
    assert (report.title, report.played_on) == ("Minimal Session", date(2024, 6, 3))
    assert report.name(Contestant("A", 1)) == "Ann"
    assert report.hands["1", 1].par == "NS 90"
    assert len(report.scored.travellers) == 1
    assert prepare_report(SessionView.of(evening.view.session))().scored == report.scored
    with pytest.raises(BadInput, match="no scoring group 9"):
        prepare_report(evening.view, group=9)()
    evening.do(SetGroups(SESSION, (GroupPlan(2, Method.BUTLER),)))
    with pytest.raises(BadInput, match="different methods"):
        prepare_report(evening.view)()
    assert prepare_report(evening.view, group=1)().scored.method is Method.MATCHPOINTS
    assert prepare_report(evening.view, method=Method.CROSS_IMPS)().scored.method is Method.CROSS_IMPS


def test_in_an_individual_everyone_scores_alone() -> None:
    chosen = movements.individual(2, 1)
    evening = Followed(
        section=SectionPlan("A", 1, winners=1, game=GameKind.INDIVIDUAL), tables=table_plans(chosen, "A")
    )
    first = [station for station in chosen.stations if station.round == 1]
    board = first[0].boards[0]
    for station, outcome in zip(first, ("3NTN=", "3NTN+1"), strict=True):
        assert evening.do(EnterResult(SESSION, entry(station.table, 1, board, outcome)))
    (ranking,) = evening.view.rankings(1)
    best = {first[1].ns, first[1].south, first[0].ew, first[0].west}
    assert {s.contestant.number: s.percentage for s in ranking.standings} == {
        number: 100.0 if number in best else 0.0 for number in range(1, 9)
    }
    report = prepare_report(evening.view)()
    assert len(report.score_cards()) == 8
    assert len(report.contestants()) == 8


def looked_for(session: Session, who: object, number: int) -> ContestantSeat | None:
    """Return where a contestant sits in a round, or in the first later one that has it, looking table by table."""
    for later in range(number, 9):
        sit_out = None
        for (section, table), at in session.movement.tables.items():
            if later > len(at.rounds):
                continue
            played = without_missing_pair(session.setup.sections[section], at.rounds[later - 1])
            for side, pair in ((Side.NS, played.ns), (Side.EW, played.ew)):
                if pair and contestant(session, section, pair, side) == who:
                    place = ContestantSeat(section, table, later, side, not (played.ns and played.ew))
                    if not place.is_sit_out:
                        return place
                    sit_out = place
        if sit_out is not None:
            return sit_out
    return None


@pytest.mark.parametrize("missing", [0, 1, 2])
def test_everyones_places_worked_out_at_once_are_those_of_each(missing: int) -> None:
    section = SectionPlan("A", 1, winners=2, missing_pair=missing)
    tables = (
        TablePlan(1, (Round(1, 0, (1, 2)), Round(1, 1, (1, 2)), Round(0, 0), Round(1, 3, (5, 6)))),
        TablePlan(2, rounds((2, 2, 1), (2, 3, 3), (2, 1, 5), boards=2)),
        TablePlan(3, (Round(3, 0), Round(3, 0))),
    )
    for journal_state in (minimal(section=section, tables=tables), minimal()):
        session = journal_state.session(SESSION)
        assert session is not None
        known = itineraries(session)
        for _, table in session.movement.tables:
            for number in range(1, 5):
                played = session.movement.round("A", table, number)
                pairs = {Side.NS: played.ns, Side.EW: played.ew} if played else {}
                expected = {
                    side: looked_for(session, contestant(session, "A", pairs[side], side), number + 1)
                    if pairs.get(side)
                    else None
                    for side in Side
                }
                assert next_seating(session, "A", table, number, known) == expected
