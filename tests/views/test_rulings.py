"""Rankings, travellers and reports with the rules and rulings of a session."""

import json
from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from overtrick import movements
from overtrick.bridge import Outcome, Side
from overtrick.errors import BadInput
from overtrick.event import Command, JournalState, Rejection, SessionTransaction, decide
from overtrick.event.movement import Round, SectionPlan, TablePlan, table_plans
from overtrick.event.results import CorrectResult, EnterResult, Origin, PutResults, ResultEntry
from overtrick.event.rulings import (
    AdjustmentUnit,
    AdjustScore,
    Appeal,
    BoardVersion,
    ChooseRules,
    ContestantStatus,
    FoulBoard,
    MoveResult,
    NoteRuling,
    RuleMatch,
    SetContestantStatus,
    SetCorrectionPeriod,
    WithdrawAdjustment,
)
from overtrick.event.setup import GroupPlan, SetGroups
from overtrick.scoring import Contestant, Method, Ranking, Unequal
from overtrick.scoring.pages import write_pages
from overtrick.scoring.pbn import write_results
from overtrick.scoring.plain import write_json
from overtrick.scoring.report import RulingKind
from overtrick.scoring.rules import ACBL, EBU, NZ, WBF
from overtrick.scoring.usebio import write_usebio
from overtrick.views import SessionView
from overtrick.views.report import prepare_report
from overtrick.web import view_models
from tests.event.evenings import NOON, SESSION
from tests.event.test_random_commands import FIRST
from tests.event.test_random_commands import commands as random_commands
from tests.views.test_views import Followed


def field_of(tables: int) -> Followed:
    """Return an evening of one board at a number of tables: North-South n against East-West n + 100."""
    return Followed(
        section=SectionPlan("A", 1, winners=1),
        tables=tuple(
            TablePlan(table, (Round(table, table + 100, (1, 2)),)) for table in range(1, tables + 1)
        ),
    )


def result(table: int, outcome: str, board: int = 2) -> ResultEntry:
    return ResultEntry("A", table, 1, board, Outcome.parse(outcome), NOON)


def scores(evening: Followed, given: Sequence[str], board: int = 2) -> None:
    entries = tuple(result(table, text, board) for table, text in enumerate(given, start=1))
    assert evening.do(PutResults(SESSION, entries))


def north_south(view: SessionView, board: int = 2) -> list[float]:
    """Return the points of North-South, table by table."""
    lines = sorted(view.traveller(1, board).lines, key=lambda scored: scored.line.table)
    return [round(scored.ns.points, 4) for scored in lines if scored.ns]


def ranked(view: SessionView) -> list[tuple[str, str, float]]:
    return [
        (standing.rank_text, str(standing.contestant), round(standing.points, 4))
        for ranking in view.rankings(1)
        for standing in ranking.standings
    ]


def penalty(number: int, amount: str, unit: AdjustmentUnit = AdjustmentUnit.TOP_PERCENT) -> AdjustScore:
    return AdjustScore(SESSION, "A", number, None, Decimal(amount), unit, "Slow play", NOON)


def test_penalty_for_a_board_is_on_the_line_of_that_board_with_its_arithmetic() -> None:
    evening = field_of(6)
    scores(evening, ["+650", "+170", "+140", "-50", "-100", "-500"])
    assert evening.do(replace(penalty(2, "-10"), board=2))
    assert evening.do(replace(penalty(2, "0.5", AdjustmentUnit.MATCHPOINTS), board=2))
    report = prepare_report(evening.view)()
    words = [report.ruling_words(ruling) for ruling in report.rulings]
    assert words[0] == "Board 2, A2: -10 % of a top (8 - 1 + 0.5 = 7.5). Slow play."
    two = Contestant("A", 2)
    (card,) = report.score_cards()[two]
    assert card.score is not None
    assert (card.score.points, card.adjustment, card.running) == (8, -5000, 75)
    lines = json.loads(write_json(report))["travellers"][0]["lines"]
    assert [line["adjustments"] for line in lines if line["ns"]["pair"] == 2] == [
        [
            {"section": "A", "pair": 2, "direction": None, "points": -1},
            {"section": "A", "pair": 2, "direction": None, "points": 0.5},
        ]
    ]
    assert not any(line["adjustments"] for line in lines if line["ns"]["pair"] != 2)
    assert "<!-- A2: 8 - 1 + 0.5 = 7.5 -->" in write_usebio(report)
    pages = write_pages(report)
    assert '<span class="note">-1</span>' in pages["board-1-2.html"]
    assert '<span class="note">-0.5 MP</span>' in pages["card-A2.html"]


def test_a_weighted_score_counts_in_travellers_and_totals() -> None:
    evening = field_of(6)
    scores(evening, ["+650", "+650", "+170", "-200", "-200", "-500"])
    weighted = result(1, "30 % of +650, 70 % of -100")
    note = NoteRuling(SESSION, "A", 1, 1, 2, "Misinformation", NOON, Appeal.PENDING, Outcome.parse("+650"))
    assert evening.do(SessionTransaction(SESSION, (CorrectResult(SESSION, weighted, Origin.DESK), note)))
    assert north_south(evening.view) == [6.9, 9.7, 7.4, 3, 3, 0]
    report = prepare_report(evening.view)()
    (ruling,) = report.rulings
    assert report.ruling_words(ruling) == (
        "Board 2, A1 against A101: 30 % of +650, 70 % of -100 (A1 6.9 of 10, A101 3.1 of 10). "
        "At the table: +650. Misinformation. Appeal pending."
    )
    assert report.provisional_words == "An appeal is pending."


@pytest.mark.parametrize(
    ("rules", "small_group"),
    [(EBU, [12.3333, 7, 1.6667]), (ACBL, [9.8, 8.4, 7]), (NZ, [12.3333, 7, 1.6667])],
)
def test_a_fouled_board_is_scored_in_groups_by_the_rules_of_the_session(
    rules: object, small_group: list[float]
) -> None:
    evening = field_of(8)
    scores(evening, ["+650", "+620", "+170", "-200", "-500", "+650", "+100", "-100"])
    tables = tuple(("A", table, 1) for table in (6, 7, 8))
    assert evening.do(ChooseRules(SESSION, 1, rules))  # type: ignore[arg-type]
    assert north_south(evening.view) == [13, 10, 8, 2, 0, 13, 6, 4]
    assert evening.do(FoulBoard(SESSION, 2, (BoardVersion("turned", tables),), "Turned"))
    assert north_south(evening.view) == [13.4, 10.2, 7, 3.8, 0.6, *small_group]
    report = prepare_report(evening.view)()
    assert [report.ruling_words(ruling) for ruling in report.rulings] == [
        "Board 2: results compared in groups, 5 with the usual deal, 3 with turned. Turned."
    ]


def test_unequal_boards_are_scored_as_the_session_has_chosen() -> None:
    evening = field_of(4)
    scores(evening, ["+100", "+100", "-50", "-50"], board=1)
    scores(evening, ["+420", "+170"])
    assert north_south(evening.view) == [5, 1]
    assert evening.do(ChooseRules(SESSION, 1, replace(WBF, unequal=Unequal.FACTOR)))
    assert north_south(evening.view) == [6, 0]
    report = prepare_report(evening.view)()
    assert report.rules_title == "WBF with unequal: factor"
    assert report.scored.rankings == tuple(evening.view.rankings(1))


def test_ranking_of_the_desk_and_of_the_api_has_the_decimals_of_the_rules() -> None:
    evening = field_of(4)
    scores(evening, ["+420", "+420", "+400", "-50"])

    def printed() -> list[str]:
        (table,) = view_models.rankings(evening.view)
        return [line.score for line in table.lines][:3]

    assert printed() == ["100.00", "83.33", "83.33"]
    assert evening.do(ChooseRules(SESSION, 1, replace(WBF, decimals=0)))
    assert printed() == ["100", "83", "83"]
    assert evening.do(ChooseRules(SESSION, 1, replace(WBF, decimals=4)))
    assert printed() == ["100.0000", "83.3333", "83.3333"]


def test_a_top_is_published_as_the_session_has_chosen() -> None:
    evening = field_of(4)
    scores(evening, ["+420", "+170", "+140", "-50"])
    assert evening.do(ChooseRules(SESSION, 1, WBF, single_top=True))
    assert north_south(evening.view) == [3, 2, 1, 0]


def test_a_penalty_of_a_tenth_of_a_top_and_a_bonus_in_matchpoints_change_the_ranking() -> None:
    evening = field_of(2)
    scores(evening, ["+420", "-50"])
    before = evening.view.rankings(1)
    assert evening.do(penalty(1, "-10"))
    assert evening.do(penalty(2, "0.5", AdjustmentUnit.MATCHPOINTS))
    assert ranked(evening.view) == [("1", "A102", 2), ("2", "A1", 1.8), ("3", "A2", 0.5), ("4", "A101", 0)]
    report = prepare_report(evening.view)()
    assert [report.ruling_words(ruling) for ruling in report.rulings] == [
        "A1: -10 % of a top. Slow play.",
        "A2: +0.5 MP. Slow play.",
    ]
    assert report.scored.rankings == tuple(evening.view.rankings(1))
    for number in (2, 1):
        assert evening.do(WithdrawAdjustment(SESSION, number, NOON))
    assert evening.view.rankings(1) == before


def test_a_penalty_of_a_part_of_a_top_counts_nothing_before_there_is_a_second_result() -> None:
    evening = field_of(2)
    assert evening.do(penalty(1, "-10"))
    assert ranked(evening.view) == []
    scores(evening, ["+420"])
    assert ranked(evening.view) == [("1=", "A1", 0), ("1=", "A101", 0)]
    scores(evening, ["+420", "-50"])
    assert ranked(evening.view)[1] == ("2", "A1", 1.8)


def test_an_adjustment_in_a_unit_that_the_ranking_has_no_more_is_listed_and_does_not_count() -> None:
    evening = field_of(2)
    scores(evening, ["+420", "-50"])
    assert evening.do(penalty(1, "-10"))
    assert evening.do(SetGroups(SESSION, (GroupPlan(1, Method.CROSS_IMPS),)))
    assert ranked(evening.view)[0] == ("1=", "A1", 10)
    report = prepare_report(evening.view)()
    (ruling,) = report.rulings
    assert not ruling.is_counted
    assert report.ruling_words(ruling).endswith("It does not count: the ranking has no such unit.")


@pytest.mark.parametrize("status", [ContestantStatus.UNRANKED, ContestantStatus.WITHDRAWN])
def test_a_pair_without_standing_counts_for_its_opponents_and_has_no_rank(status: ContestantStatus) -> None:
    evening = field_of(3)
    scores(evening, ["+420", "+170", "-50"])
    before = north_south(evening.view)
    assert evening.do(SetContestantStatus(SESSION, "A", 1, None, status, "Guests"))
    assert ranked(evening.view) == [
        ("1", "A103", 4),
        ("2=", "A2", 2),
        ("2=", "A102", 2),
        ("4=", "A3", 0),
        ("4=", "A101", 0),
        ("–", "A1", 4),
    ]
    assert north_south(evening.view) == before
    report = prepare_report(evening.view)()
    assert [report.ruling_words(ruling) for ruling in report.rulings] == [f"A1: {status.value}. Guests."]
    assert [ruling.kind for ruling in report.rulings] == [RulingKind.STATUS]


def test_pairs_are_ranked_by_victory_points_where_the_session_has_chosen_so() -> None:
    evening = field_of(2)
    scores(evening, ["+420", "-50"])
    scores(evening, ["+100", "+100"], board=1)
    assert (evening.view.point(1), evening.view.has_top(1)) == ("MP", True)
    assert evening.do(ChooseRules(SESSION, 1, WBF, pairs_vps=True, boards_per_match=7))
    assert (evening.view.point(1), evening.view.has_top(1)) == ("VP", False)
    assert evening.do(penalty(101, "-1.5", AdjustmentUnit.VPS))
    # Three quarters of the top of a match of two boards is 20-0 by the scale for seven.
    assert ranked(evening.view) == [("1=", "A1", 20), ("1=", "A102", 20), ("3", "A2", 0), ("4", "A101", -1.5)]
    assert prepare_report(evening.view)().scored.rankings == tuple(evening.view.rankings(1))
    assert north_south(evening.view) == [2, 0]


def swiss_of_five() -> Followed:
    """Return two rounds of five pairs, ranked by victory points: 5 sits out the first round and 2 the second."""
    evening = Followed(
        section=SectionPlan("A", 1, winners=1),
        tables=(
            TablePlan(1, (Round(1, 2, (1, 2)), Round(1, 3, (3, 4)))),
            TablePlan(2, (Round(3, 4, (1, 2)), Round(4, 5, (3, 4)))),
            TablePlan(3, (Round(5, 0, ()), Round(2, 0, ()))),
        ),
    )
    assert evening.do(ChooseRules(SESSION, 1, WBF, pairs_vps=True, boards_per_match=2))
    return evening


def vps_by_pair(view: SessionView) -> dict[str, float]:
    assert prepare_report(view)().scored.rankings == tuple(view.rankings(1))
    return {pair: points for _, pair, points in ranked(view)}


def test_pairs_that_are_still_playing_have_no_victory_points_for_a_sit_out() -> None:
    evening = swiss_of_five()
    assert vps_by_pair(evening.view) == {}
    assert evening.do(PutResults(SESSION, (result(1, "+420", 1),)))
    # Only the pair without opponents gets 12; 3 and 4 have no result yet.
    assert vps_by_pair(evening.view) == {"A1": 10, "A2": 10, "A5": 12}
    assert evening.do(PutResults(SESSION, (result(2, "-50", 1),)))
    assert vps_by_pair(evening.view) == {"A1": 20, "A2": 0, "A3": 0, "A4": 20, "A5": 12}
    assert evening.do(PutResults(SESSION, (replace(result(1, "+420", 3), round=2),)))
    assert vps_by_pair(evening.view) == {"A1": 30, "A2": 12, "A3": 10, "A4": 20, "A5": 12}


def test_pair_that_has_no_results_in_a_round_it_should_play_gets_nothing_for_it() -> None:
    evening = swiss_of_five()
    scores(evening, ["+420", "-50"], board=1)
    before = vps_by_pair(evening.view)
    played = replace(result(1, "+420", 3), round=2)
    assert evening.do(PutResults(SESSION, (played,)))
    assert vps_by_pair(evening.view)["A4"] == before["A4"]


def test_void_match_of_pairs_is_ruled_at_the_desk_where_they_have_victory_points() -> None:
    evening = swiss_of_five()
    scores(evening, ["+420", "-50"], board=1)
    void = RuleMatch(
        SESSION, 1, ("A", 1, None), ("A", 2, None), "Wrong boards", True, (Decimal(12), Decimal(6))
    )
    assert evening.do(void)
    assert vps_by_pair(evening.view) == {"A1": 12, "A2": 6, "A3": 0, "A4": 20, "A5": 12}
    report = prepare_report(evening.view)()
    assert [report.ruling_words(ruling) for ruling in report.rulings] == [
        "A1 against A2: match of round 1 void, 12 to 6. Wrong boards."
    ]
    assert evening.do(replace(void, points=None))
    assert vps_by_pair(evening.view) == {"A1": 0, "A2": 0, "A3": 0, "A4": 20, "A5": 12}


def test_teams_are_scored_as_a_knock_out_where_the_session_has_chosen_so() -> None:
    evening = Followed(
        section=SectionPlan("A", 1, winners=1),
        tables=(
            TablePlan(1, (Round(1, 2, (2,), team_ns=1, team_ew=2),)),
            TablePlan(2, (Round(3, 4, (2,), team_ns=2, team_ew=1),)),
        ),
    )
    assert evening.do(SetGroups(SESSION, (GroupPlan(1, Method.TEAM_IMPS),)))
    scores(evening, ["+420", "+420"])
    split = [replace(result(1, text), side=side) for side, text in ((Side.NS, "+420"), (Side.EW, "-50"))]
    assert evening.do(PutResults(SESSION, tuple(split)))
    assert ranked(evening.view) == [("1", "2", 10), ("2", "1", 0)]
    assert evening.do(ChooseRules(SESSION, 1, WBF, is_knockout=True))
    assert ranked(evening.view) == [("1", "2", 5), ("2", "1", -5)]


def test_a_void_match_has_the_points_that_the_teams_were_given() -> None:
    evening = Followed(
        section=SectionPlan("A", 1, winners=1),
        tables=(
            TablePlan(1, (Round(1, 2, (2,), team_ns=1, team_ew=2),)),
            TablePlan(2, (Round(3, 4, (2,), team_ns=2, team_ew=1),)),
        ),
    )
    assert evening.do(SetGroups(SESSION, (GroupPlan(1, Method.VPS_DISCRETE),)))
    scores(evening, ["+420", "-50"])
    assert ranked(evening.view) == [("1", "1", 18), ("2", "2", 2)]
    void = RuleMatch(
        SESSION, 1, ("", 1, None), ("", 2, None), "Seated wrongly", True, (Decimal(12), Decimal(6))
    )
    assert evening.do(void)
    assert ranked(evening.view) == [("1", "1", 12), ("2", "2", 6)]
    report = prepare_report(evening.view)()
    assert [report.ruling_words(ruling) for ruling in report.rulings] == [
        "1 against 2: match of round 1 void, 12 to 6. Seated wrongly."
    ]
    assert report.scored.rankings == tuple(evening.view.rankings(1))
    assert evening.do(replace(void, is_void=False, points=None))
    assert ranked(evening.view) == [("1", "1", 18), ("2", "2", 2)]


def test_not_played_cancelled_and_an_award_are_three_things() -> None:
    evening = field_of(5)
    scores(evening, ["+420", "-50", "NP", "Cancelled", "60-40"])
    report = prepare_report(evening.view)()
    assert [(ruling.kind.value, ruling.words) for ruling in report.rulings] == [
        ("not played", "Not played"),
        ("cancelled", "Cancelled"),
        ("award", "60-40"),
    ]
    boards = {str(s.contestant): s.boards for r in evening.view.rankings(1) for s in r.standings}
    assert boards == {"A1": 1, "A2": 1, "A101": 1, "A102": 1, "A5": 1, "A105": 1}


def test_a_report_says_until_when_it_is_provisional() -> None:
    evening = field_of(2)
    until = NOON + timedelta(hours=1)
    assert evening.do(SetCorrectionPeriod(SESSION, until))
    report = prepare_report(evening.view)()
    assert report.provisional_words == f"Provisional until {until.astimezone():%Y-%m-%d %H:%M}."


def test_groups_with_different_rules_are_not_in_one_report() -> None:
    evening = field_of(2)
    evening.do(SetGroups(SESSION, (GroupPlan(2, Method.MATCHPOINTS),)))
    evening.do(ChooseRules(SESSION, 2, EBU))
    with pytest.raises(BadInput, match="different rules"):
        prepare_report(evening.view)
    assert prepare_report(evening.view, group=2)().rules_title == "EBU"


def test_the_list_of_one_group_has_the_rulings_of_its_contestants() -> None:
    evening = field_of(2)
    evening.do(SetGroups(SESSION, (GroupPlan(2, Method.MATCHPOINTS),)))
    evening.do(penalty(1, "-10"))
    assert [str(*ruling.contestants) for ruling in prepare_report(evening.view, group=1)().rulings] == ["A1"]
    assert prepare_report(evening.view, group=2)().rulings == ()


# Properties -------------------------------------------------------------------------------------------------

OUTCOMES = [
    "4SN=",
    "4SN-1",
    "3NTE+1",
    "Pass",
    "60-40",
    "NP",
    "Cancelled",
    "60 % of 4SN=, 40 % of 4SN-1",
    "Arbitral",
]


def everything() -> Followed:
    return Followed(section=SectionPlan("A", 1, winners=1), tables=table_plans(movements.howell(3, 2), "A"))


entries = st.lists(st.sampled_from(OUTCOMES), min_size=12, max_size=12)
rulings_of_one_evening: st.SearchStrategy[list[Command]] = st.lists(
    st.one_of(
        st.builds(
            penalty,
            st.integers(1, 6),
            st.sampled_from(["-10", "5", "2.25"]),
            st.sampled_from([AdjustmentUnit.TOP_PERCENT, AdjustmentUnit.MATCHPOINTS]),
        ),
    ),
    max_size=6,
)


def by_place(evening: Followed, outcomes: Sequence[str]) -> list[Command]:
    places = [
        (table, number, board)
        for (_, table), at in sorted(evening.view.session.movement.tables.items())
        for number, played in enumerate(at.rounds, start=1)
        if played.ns and played.ew
        for board in played.boards
    ]
    return [
        EnterResult(SESSION, ResultEntry("A", table, number, board, Outcome.parse(text), NOON))
        for (table, number, board), text in zip(places, outcomes, strict=False)
    ]


def summed(rankings: Sequence[Ranking]) -> list[tuple[str, Contestant, int, int]]:
    return [(s.rank_text, s.contestant, s.units, s.top) for ranking in rankings for s in ranking.standings]


@settings(max_examples=40)
@given(st.data())
def test_a_ranking_does_not_depend_on_the_order_of_results_and_rulings(data: st.DataObject) -> None:
    first, second = everything(), everything()
    commands: list[Command] = [
        *by_place(first, data.draw(entries)),
        *data.draw(rulings_of_one_evening),
        FoulBoard(SESSION, 1, (BoardVersion("turned", (("A", 1, 1),)),)),
        SetContestantStatus(SESSION, "A", data.draw(st.integers(1, 6)), None, ContestantStatus.UNRANKED),
        ChooseRules(SESSION, 1, data.draw(st.sampled_from([WBF, EBU, ACBL]))),
    ]
    for command in commands:
        first.do(command)
        if data.draw(st.booleans()):
            first.view.rankings(1)
    for command in data.draw(st.permutations(commands)):
        second.do(command)
        second.view.rankings(1)
    assert summed(first.view.rankings(1)) == summed(second.view.rankings(1))
    assert summed(first.view.rankings(1)) == summed(first.view.scored(1).rankings)


@settings(max_examples=40)
@given(st.data())
def test_what_is_taken_back_leaves_rankings_and_travellers_as_they_were(data: st.DataObject) -> None:
    evening = everything()
    for command in by_place(evening, data.draw(entries)):
        evening.do(command)
    before = evening.view.scored(1), evening.view.rankings(1), prepare_report(evening.view)()
    number = data.draw(st.integers(1, 6))
    guest = SetContestantStatus(SESSION, "A", number, None, ContestantStatus.UNRANKED)
    place = ("A", 1, 1)
    move = MoveResult(SESSION, "A", 1, 1, 1, Origin.DESK, NOON, 2, is_exchange=True)
    there_and_back: list[tuple[Command, Command]] = [
        (penalty(number, "-10"), WithdrawAdjustment(SESSION, 1, NOON)),
        (guest, replace(guest, status=ContestantStatus.RANKED)),
        (
            FoulBoard(SESSION, 1, (BoardVersion("turned", (place,)),)),
            FoulBoard(SESSION, 1, (BoardVersion("", (place,)),)),
        ),
        (ChooseRules(SESSION, 1, EBU), ChooseRules(SESSION, 1, WBF)),
        (
            NoteRuling(SESSION, *place, 1, "Misinformation", NOON, Appeal.PENDING),
            NoteRuling(SESSION, *place, 1, "", NOON),
        ),
        (SetCorrectionPeriod(SESSION, NOON), SetCorrectionPeriod(SESSION, None)),
        (move, replace(move, board=2, to_board=1)),
    ]
    chosen = data.draw(st.permutations(there_and_back))
    for there, _ in chosen:
        evening.do(there)
    evening.view.rankings(1)
    for _, back in reversed(chosen):
        evening.do(back)
    assert (evening.view.scored(1), evening.view.rankings(1), prepare_report(evening.view)()) == before


@settings(max_examples=40)
@given(st.lists(random_commands, min_size=20, max_size=40))
def test_whatever_happens_every_group_can_be_ranked_and_published(asked: list[Command]) -> None:
    state = JournalState()
    for command in [FIRST, *asked]:
        decided = decide(state, command)
        for made in () if isinstance(decided, Rejection) else decided:
            state.apply(made.stream, made.fact)
    for session in state.sessions.values():
        view = SessionView.of(session)
        for group in session.setup.groups:
            report = prepare_report(view, group=group)()
            assert summed(report.scored.rankings) == summed(view.rankings(group))
            for write in (write_json, write_usebio, write_results, write_pages):
                assert write(report)
