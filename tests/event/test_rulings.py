"""Rules and rulings in the journal: what is accepted, what is refused, and what is taken back leaves no trace."""

from dataclasses import replace
from datetime import timedelta
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from overtrick.bridge import Outcome, Seat, Side
from overtrick.event import Command, JournalState, OpenEvent, Reason, Session, SessionTransaction
from overtrick.event.movement import (
    ReplaceRounds,
    Round,
    SectionPlan,
    SetMovement,
    TablePlan,
    contestants,
)
from overtrick.event.recording import RecordCall, RecordCard
from overtrick.event.results import (
    CorrectResult,
    EnterResult,
    EraseResult,
    Origin,
    PutResults,
    ResultErased,
    ResultRecorded,
)
from overtrick.event.rulings import (
    AdjustmentMade,
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
    RulesChosen,
    SetContestantStatus,
    SetCorrectionPeriod,
    WithdrawAdjustment,
    rules_of,
    units_for,
)
from overtrick.event.setup import GroupPlan, SetGroups
from overtrick.scoring import Method, ScoringRules, Unequal
from overtrick.scoring.rules import EBU, RULE_SETS, WBF, Ties
from overtrick.scoring.vps import PERCENTAGES, Scale, ScaleTable, parse_scale
from tests.event.evenings import NOON, SESSION, do, entry, minimal, plan, refuse, rounds


def session_of(state: JournalState) -> Session:
    found = state.session(SESSION)
    assert found is not None
    return found


def penalty(number: int = 1, amount: str = "-10", **changes: object) -> AdjustScore:
    made = AdjustScore(
        SESSION, "A", number, None, Decimal(amount), AdjustmentUnit.TOP_PERCENT, "Slow play", NOON
    )
    return replace(made, **changes)  # type: ignore[arg-type]


def by_method(method: Method) -> JournalState:
    state = minimal()
    do(state, SetGroups(SESSION, (GroupPlan(1, method),)))
    return state


# The rule set -----------------------------------------------------------------------------------------------


def test_a_session_without_a_choice_has_the_rules_of_the_wbf() -> None:
    assert rules_of(session_of(minimal()), 1).rule_set == WBF


def test_a_rule_set_is_chosen_when_a_session_is_opened() -> None:
    state = JournalState()
    do(state, OpenEvent(SESSION, (plan(history=(ChooseRules(SESSION, 1, EBU, single_top=True),)),)))
    chosen = rules_of(session_of(state), 1)
    assert (chosen.rule_set, chosen.single_top) == (EBU, True)


def test_a_fact_carries_the_value_of_every_choice_of_its_rule_set() -> None:
    own = replace(EBU, unequal=Unequal.FACTOR, sit_out_vps=Decimal("11.5"))
    (fact,) = do(minimal(), ChooseRules(SESSION, 1, own))
    assert isinstance(fact, RulesChosen)
    assert fact.rules.splitlines() == [
        'name = "EBU"',
        'unequal = "factor"',
        'small_groups = "ebu"',
        "better_average = true",
        'vp_scale = "discrete"',
        "sit_out_vps = 11.5",
        "decimals = 2",
        "imp_decimals = 1",
        'ties = "exact"',
    ]
    assert fact.rule_set == own


@given(
    st.builds(
        replace,
        st.sampled_from(list(RULE_SETS.values())),
        name=st.text(min_size=1, max_size=20).filter(
            lambda name: name.isprintable() and name == name.strip()
        ),
        method=st.sampled_from([None, Method.MATCHPOINTS]),
        unequal=st.sampled_from(Unequal),
        better_average=st.booleans(),
        average_plus_imps=st.none() | st.decimals(0, 10, places=2),
        vp_scale=st.sampled_from([*Scale, PERCENTAGES]),
        sit_out_vps=st.decimals(0, 20, places=2),
        decimals=st.integers(0, 4),
        ties=st.sampled_from(Ties),
    )
)
def test_any_rule_set_comes_back_from_its_fact_as_it_was_chosen(rules: ScoringRules) -> None:
    state = minimal()
    do(state, ChooseRules(SESSION, 1, rules))
    assert rules_of(session_of(state), 1).rule_set == rules


def test_the_same_rules_again_are_no_fact() -> None:
    state = minimal()
    assert len(do(state, ChooseRules(SESSION, 1, EBU))) == 1
    assert do(state, ChooseRules(SESSION, 1, EBU)) == []
    assert len(do(state, ChooseRules(SESSION, 1, EBU, pairs_vps=True))) == 1


@pytest.mark.parametrize(
    ("command", "sentence"),
    [
        (ChooseRules(SESSION, 2, EBU), "There is no scoring group 2."),
        (ChooseRules(SESSION, 1, replace(EBU, name=" ")), "A rule set has a name of 1 to 80 letters."),
        (ChooseRules(SESSION, 1, replace(EBU, name="a\nb")), "A rule set has a name of 1 to 80 letters."),
        (ChooseRules(SESSION, 1, EBU, is_knockout=True), "A knock-out is for teams."),
        (
            ChooseRules(SESSION, 1, replace(EBU, method=Method.BUTLER)),
            "This rule set is for butler; the session has matchpoints.",
        ),
        (ChooseRules(SESSION, 1, EBU, boards_per_match=0), "A match has from 1 to 1000 boards."),
    ],
)
def test_impossible_rules_are_refused_with_a_sentence(command: Command, sentence: str) -> None:
    assert sentence in str(refuse(minimal(), command))


def test_butler_has_no_victory_points_for_pairs() -> None:
    state = by_method(Method.BUTLER)
    rejection = refuse(state, ChooseRules(SESSION, 1, EBU, pairs_vps=True))
    assert "butler gives no victory points to pairs" in str(rejection)


THREE_BOARDS = parse_scale('name = "Three"\n[[match]]\nboards = 3\nrows = [[0, 10, 10], [1, 11, 9]]')


@pytest.mark.parametrize(
    ("method", "table", "pairs_vps", "sentence"),
    [
        (Method.CROSS_IMPS, PERCENTAGES, True, "'percentages' is in per cent, but cross-imps gives"),
        (Method.VPS_DISCRETE, PERCENTAGES, False, "'percentages' is in per cent, but vps-discrete gives"),
        (Method.MATCHPOINTS, THREE_BOARDS, True, "'Three' is in IMPs, but matchpoints gives"),
        (Method.MATCHPOINTS, PERCENTAGES, True, ""),
        (Method.CROSS_IMPS, THREE_BOARDS, True, ""),
        (Method.VPS_DISCRETE, THREE_BOARDS, False, ""),
        (Method.CROSS_IMPS, PERCENTAGES, False, ""),
        (Method.TEAM_IMPS, PERCENTAGES, False, ""),
    ],
)
def test_table_of_another_unit_than_the_method_is_refused(
    method: Method, table: ScaleTable, pairs_vps: bool, sentence: str
) -> None:
    command = ChooseRules(SESSION, 1, replace(WBF, vp_scale=table), pairs_vps=pairs_vps)
    state = by_method(method)
    if sentence:
        assert sentence in str(refuse(state, command))
    else:
        assert do(state, command)


def test_the_rules_of_a_group_go_with_it() -> None:
    state = minimal()
    do(state, SetGroups(SESSION, (GroupPlan(2, Method.MATCHPOINTS),)))
    do(state, ChooseRules(SESSION, 2, EBU))
    do(state, SetGroups(SESSION, (GroupPlan(2, Method.MATCHPOINTS, is_dropped=True),)))
    assert session_of(state).rulings.rules == {}


# Penalties and bonuses --------------------------------------------------------------------------------------


def test_adjustments_are_numbered_and_one_that_is_withdrawn_leaves_its_number() -> None:
    state = minimal()
    do(state, penalty())
    do(state, WithdrawAdjustment(SESSION, 1, NOON))
    (second,) = do(state, penalty(board=5))
    assert isinstance(second, AdjustmentMade)
    assert (second.adjustment, second.board, second.reason) == (2, 5, "Slow play")
    assert list(session_of(state).rulings.adjustments) == [2]
    assert do(state, WithdrawAdjustment(SESSION, 1, NOON)) == []
    assert refuse(state, WithdrawAdjustment(SESSION, 3, NOON)).reason is Reason.UNKNOWN_ENTRY


@pytest.mark.parametrize(
    ("command", "sentence"),
    [
        (penalty(9), "Nobody in this session is A9."),
        (penalty(side=Side.NS), "Nobody in this session is A1 NS. There is A1."),
        (penalty(section="B"), "Nobody in this session is B1. There is A1."),
        (penalty(reason="  "), "Enter a reason"),
        (penalty(reason="x" * 501), "A reason has at most 500 letters."),
        (penalty(amount="0"), "with at most two decimals, and not 0"),
        (penalty(amount="NaN"), "with at most two decimals, and not 0"),
        (penalty(amount="0.001"), "with at most two decimals, and not 0"),
        (penalty(amount="10001"), "with at most two decimals, and not 0"),
        (penalty(unit=AdjustmentUnit.IMPS), "This ranking does not use IMP: enter % of a top or MP."),
        (penalty(board=13), "It does not play board 13."),
    ],
)
def test_impossible_adjustment_is_refused_with_a_sentence(command: Command, sentence: str) -> None:
    assert sentence in str(refuse(minimal(), command))


@pytest.mark.parametrize(
    ("method", "units"),
    [
        (Method.MATCHPOINTS, "% of a top, MP"),
        (Method.BUTLER, "IMP"),
        (Method.CROSS_IMPS, "IMP"),
        (Method.TEAM_IMPS, "IMP"),
        (Method.VPS_CONTINUOUS, "VP, IMP"),
        (Method.BOARD_A_MATCH, "% of a top, MP"),
    ],
)
def test_adjustments_are_in_the_units_of_the_ranking(method: Method, units: str) -> None:
    assert ", ".join(unit.value for unit in units_for(session_of(by_method(method)), 1)) == units


def test_pairs_that_are_ranked_by_victory_points_are_adjusted_in_them() -> None:
    state = minimal()
    do(state, ChooseRules(SESSION, 1, WBF, pairs_vps=True))
    do(state, penalty(unit=AdjustmentUnit.VPS, amount="-0.5"))
    assert "does not use IMP: enter VP or % of a top or MP." in str(
        refuse(state, penalty(unit=AdjustmentUnit.IMPS))
    )


def test_a_penalty_before_the_victory_points_names_its_match() -> None:
    state = minimal()
    do(state, ChooseRules(SESSION, 1, WBF, pairs_vps=True))
    assert "Enter the round" in str(refuse(state, penalty()))
    assert "It does not play in round 9" in str(refuse(state, penalty(round=9)))
    assert "It does not play board 2 in round 2" in str(refuse(state, penalty(board=2, round=2)))
    for made in (penalty(round=2), penalty(board=2)):
        do(state, made)
    assert [(one.board, one.round) for one in session_of(state).rulings.adjustments.values()] == [
        (None, 2),
        (2, 1),
    ]


# Who plays --------------------------------------------------------------------------------------------------


def test_contestants_of_two_winners_have_their_side() -> None:
    tables = (TablePlan(1, rounds((1, 1, 1), (1, 2, 5))), TablePlan(2, rounds((2, 2, 5), (2, 1, 1))))
    session = session_of(minimal(section=SectionPlan("A", 1, winners=2), tables=tables))
    assert list(contestants(session)) == [
        ("A", 1, Side.NS),
        ("A", 1, Side.EW),
        ("A", 2, Side.EW),
        ("A", 2, Side.NS),
    ]
    assert contestants(session)["A", 1, Side.EW] == [("A", 1, 1), ("A", 2, 2)]


def test_contestants_of_teams_are_teams_and_nobody_is_pair_0() -> None:
    state = minimal(tables=(TablePlan(1, (Round(1, 2, (1,), team_ns=7, team_ew=8), Round(1, 0, team_ns=7))),))
    do(state, SetGroups(SESSION, (GroupPlan(1, Method.TEAM_IMPS),)))
    assert contestants(session_of(state)) == {
        ("", 7, None): [("A", 1, 1), ("A", 1, 2)],
        ("", 8, None): [("A", 1, 1)],
    }


def test_standing_is_taken_and_given_back() -> None:
    state = minimal()
    before = session_of(state).rulings.copy()
    guest = SetContestantStatus(SESSION, "A", 4, None, ContestantStatus.UNRANKED, "Guests")
    assert len(do(state, guest)) == 1
    assert do(state, guest) == []
    do(state, replace(guest, status=ContestantStatus.WITHDRAWN))
    assert session_of(state).rulings.statuses["A", 4, None].status is ContestantStatus.WITHDRAWN
    do(state, replace(guest, status=ContestantStatus.RANKED))
    assert session_of(state).rulings == before
    assert do(state, replace(guest, status=ContestantStatus.RANKED)) == []
    assert refuse(state, replace(guest, number=5)).reason is Reason.UNKNOWN_ENTRY


# Matches of teams -------------------------------------------------------------------------------------------


def match(**changes: object) -> RuleMatch:
    made = RuleMatch(SESSION, 1, ("", 1, None), ("", 2, None), "Did not come", is_void=True)
    return replace(made, **changes)  # type: ignore[arg-type]


def teams() -> JournalState:
    """Return a state in which teams 1 and 2 meet in the first round, and 1 and 3 in the second."""
    state = minimal(
        tables=(
            TablePlan(1, (Round(1, 2, (1,), team_ns=1, team_ew=2), Round(1, 5, (2,), team_ns=1, team_ew=3))),
            TablePlan(2, (Round(3, 4, (1,), team_ns=2, team_ew=1), Round(6, 4, (2,), team_ns=3, team_ew=1))),
        )
    )
    do(state, SetGroups(SESSION, (GroupPlan(1, Method.VPS_CONTINUOUS),)))
    return state


def test_a_match_is_void_or_shortened_and_counts_again() -> None:
    state = teams()
    before = session_of(state).rulings.copy()
    assert len(do(state, match(points=(Decimal(12), Decimal(0))))) == 1
    assert do(state, match(points=(Decimal(12), Decimal(0)))) == []
    do(state, match(one=("", 2, None), other=("", 1, None), is_void=False, boards=6))
    (ruled,) = session_of(state).rulings.matches.values()
    assert (ruled.is_void, ruled.boards, ruled.points_one) == (False, 6, None)
    do(state, match(is_void=False))
    assert session_of(state).rulings == before
    assert do(state, match(is_void=False)) == []


@pytest.mark.parametrize(
    ("command", "sentence"),
    [
        (match(round=2), "They do not meet in this round."),
        (match(other=("", 1, None)), "They do not meet in this round."),
        (match(reason=""), "Enter a reason"),
        (match(boards=6), "A void match cannot be shortened."),
        (match(is_void=False, boards=0), "A match has from 1 to 1000 boards."),
        (match(is_void=False, points=(Decimal(1), Decimal(2))), "Only a void match can be given points"),
        (match(points=(Decimal("NaN"), Decimal(2))), "Points are a number up to 10000"),
    ],
)
def test_impossible_ruling_on_a_match_is_refused(command: Command, sentence: str) -> None:
    assert sentence in str(refuse(teams(), command))


def test_pairs_have_no_match_to_rule_on() -> None:
    command = match(one=("A", 1, None), other=("A", 2, None))
    assert "Only matches of teams, or of pairs ranked by victory points, can be ruled as a whole." in str(
        refuse(minimal(), command)
    )


# Fouled boards ----------------------------------------------------------------------------------------------


def test_putting_back_a_table_that_is_not_fouled_writes_nothing() -> None:
    state = minimal()
    assert do(state, FoulBoard(SESSION, 1, (BoardVersion("", (("A", 2, 1),)),), "Turned")) == []


def test_a_fouled_board_has_versions_by_table_and_is_put_back() -> None:
    state = minimal()
    before = session_of(state).rulings.copy()
    fouled = FoulBoard(SESSION, 1, (BoardVersion("turned", (("A", 2, 1),)),), "Turned by 90 degrees")
    assert len(do(state, fouled)) == 1
    assert do(state, fouled) == []
    rulings = session_of(state).rulings
    assert (rulings.versions, rulings.foul_reasons) == (
        {("A", 2, 1, 1): "turned"},
        {1: "Turned by 90 degrees"},
    )
    do(state, FoulBoard(SESSION, 1, (BoardVersion("", (("A", 2, 1),)),)))
    assert session_of(state).rulings == before


@pytest.mark.parametrize(
    ("versions", "sentence"),
    [
        ((BoardVersion("x", (("A", 2, 2),)),), "Board 1 is not played in round 2 at table A2."),
        ((BoardVersion("x", (("B", 2, 1),)),), "There is no section B."),
        (
            (BoardVersion("x", (("A", 2, 1),)), BoardVersion("y", (("A", 2, 1),))),
            "The table is listed twice.",
        ),
        ((BoardVersion("x" * 81, (("A", 2, 1),)),), "A deal has a name of at most 80 letters."),
    ],
)
def test_a_table_that_does_not_play_the_board_has_no_version_of_it(
    versions: tuple[BoardVersion, ...], sentence: str
) -> None:
    assert sentence in str(refuse(minimal(), FoulBoard(SESSION, 1, versions)))


def test_versions_go_with_the_rounds_of_their_table() -> None:
    state = minimal()
    both = tuple((("A", table, 1)) for table in (1, 2))
    do(state, FoulBoard(SESSION, 1, (BoardVersion("turned", both),), "Turned"))
    do(state, ReplaceRounds(SESSION, "A", 2, 1, rounds((3, 4, 1))))
    assert session_of(state).rulings.versions == {("A", 1, 1, 1): "turned"}
    do(state, SetMovement(SESSION, SectionPlan("A", 1, 1), (TablePlan(1, ()),)))
    assert (session_of(state).rulings.versions, session_of(state).rulings.foul_reasons) == ({}, {})


# Notes, appeals, the correction period ----------------------------------------------------------------------


def test_a_ruling_and_its_note_are_one_transaction() -> None:
    state = minimal()
    do(state, EnterResult(SESSION, entry(1, 1, 1, "4SN=")))
    weighted = entry(1, 1, 1, "60 % of 4SN=, 40 % of 4SN-1")
    note = NoteRuling(SESSION, "A", 1, 1, 1, "Misinformation", NOON, Appeal.PENDING, Outcome.parse("4SN="))
    do(state, SessionTransaction(SESSION, (CorrectResult(SESSION, weighted, Origin.DESK), note)))
    session = session_of(state)
    assert str(session.results.standing["A", 1, 1, 1].outcome) == "60 % of 4SN=, 40 % of 4SN-1"
    assert session.rulings.is_appeal_pending
    assert do(state, replace(note, at=NOON + timedelta(hours=1), table_result=None)) == []
    do(state, replace(note, appeal=Appeal.DECIDED, table_result=None))
    noted = session_of(state).rulings.notes["A", 1, 1, 1]
    assert (noted.appeal, str(noted.table_result)) == (Appeal.DECIDED, "4SN=")
    assert not session_of(state).rulings.is_appeal_pending
    do(state, replace(note, reason="", appeal=Appeal.NONE))
    assert session_of(state).rulings.notes == {}


def test_a_note_needs_a_result_and_goes_with_it() -> None:
    state = minimal()
    note = NoteRuling(SESSION, "A", 1, 1, 1, "Misinformation", NOON)
    assert "There is no result to rule on." in str(refuse(state, note))
    assert refuse(state, replace(note, board=5)).reason is Reason.UNKNOWN_PLACE
    do(state, EnterResult(SESSION, entry(1, 1, 1, "4SN=")))
    do(state, note)
    do(state, EraseResult(SESSION, "A", 1, 1, 1, Origin.DESK))
    assert session_of(state).rulings.notes == {}


def test_results_are_provisional_until_the_correction_period_ends() -> None:
    state = minimal()
    until = NOON + timedelta(minutes=30)
    do(state, SetCorrectionPeriod(SESSION, until))
    assert do(state, SetCorrectionPeriod(SESSION, until)) == []
    assert session_of(state).rulings.provisional_until == until
    do(state, SetCorrectionPeriod(SESSION, None))
    assert session_of(state).rulings.provisional_until is None
    assert "time zone" in str(refuse(state, SetCorrectionPeriod(SESSION, until.replace(tzinfo=None))))


# A result where it belongs ----------------------------------------------------------------------------------


def move(board: int, to_board: int | None, **changes: object) -> MoveResult:
    made = MoveResult(SESSION, "A", 1, 1, board, Origin.DESK, NOON, to_board)
    return replace(made, **changes)  # type: ignore[arg-type]


def outcomes(state: JournalState) -> dict[tuple[int, int], str]:
    standing = session_of(state).results.standing
    return {(place[2], place[3]): str(result.outcome) for place, result in sorted(standing.items())}


def test_a_result_under_the_wrong_board_is_moved_with_its_note() -> None:
    state = minimal()
    do(state, EnterResult(SESSION, replace(entry(1, 1, 1, "4SN="), is_wrong_direction=True)))
    do(state, NoteRuling(SESSION, "A", 1, 1, 1, "Misinformation", NOON))
    facts = do(state, move(1, 2))
    assert [type(fact).__name__ for fact in facts] == ["ResultErased", "ResultRecorded", "RulingNoted"]
    assert isinstance(facts[0], ResultErased)
    assert facts[0].cause == "it belongs to board 2"
    assert outcomes(state) == {(1, 2): "4SN="}
    assert session_of(state).results.standing["A", 1, 1, 2].is_wrong_direction
    assert list(session_of(state).rulings.notes) == [("A", 1, 1, 2)]


def test_two_results_that_were_exchanged_are_put_right_in_one_step() -> None:
    state = minimal()
    do(state, PutResults(SESSION, (entry(1, 1, 1, "4SN="), entry(1, 1, 2, "3NTE-1"))))
    do(state, NoteRuling(SESSION, "A", 1, 1, 1, "Misinformation", NOON))
    assert "It has the result 3NTE-1 already. Exchange the two" in str(refuse(state, move(1, 2)))
    facts = do(state, move(1, 2, is_exchange=True, was=Outcome.parse("4SN=")))
    assert not any(isinstance(fact, ResultErased) for fact in facts)
    assert outcomes(state) == {(1, 1): "3NTE-1", (1, 2): "4SN="}
    assert list(session_of(state).rulings.notes) == [("A", 1, 1, 2)]
    do(state, move(2, 1, is_exchange=True))
    assert outcomes(state) == {(1, 1): "4SN=", (1, 2): "3NTE-1"}
    assert list(session_of(state).rulings.notes) == [("A", 1, 1, 1)]


def calls(state: JournalState) -> dict[tuple[int, int], str]:
    """Return the recorded calls of table 1 by board and counter."""
    recorded = session_of(state).recording.calls
    return {(place[3], counter): fact.call for (place, counter), fact in sorted(recorded.items())}


def record(state: JournalState, board: int, *given: str) -> None:
    for counter, call in enumerate(given, start=1):
        do(state, RecordCall(SESSION, "A", 1, 1, board, counter, Seat.NORTH, call, NOON))


def test_recorded_calls_and_cards_go_with_their_result() -> None:
    state = minimal()
    record(state, 1, "1C", "Pass")
    do(state, RecordCard(SESSION, "A", 1, 1, 1, 1, Seat.EAST, "SK", NOON))
    do(state, PutResults(SESSION, (entry(1, 1, 1, "1CN="), entry(1, 1, 3, "Pass"))))
    do(state, move(1, 2))
    assert calls(state) == {(2, 1): "1C", (2, 2): "Pass"}
    assert [place for place, _ in session_of(state).recording.cards] == [("A", 1, 1, 2)]
    record(state, 3, "Pass")
    do(state, move(2, 3, is_exchange=True))
    assert calls(state) == {(2, 1): "Pass", (3, 1): "1C", (3, 2): "Pass"}


def test_a_board_whose_play_is_being_recorded_keeps_it() -> None:
    state = minimal()
    record(state, 1, "1C")
    record(state, 2, "2H")
    do(state, EnterResult(SESSION, entry(1, 1, 1, "1CN=")))
    do(state, move(1, 2))
    assert calls(state) == {(1, 1): "1C", (2, 1): "2H"}


def test_a_result_of_another_round_gets_the_pairs_of_that_round() -> None:
    state = minimal()
    do(state, EnterResult(SESSION, entry(1, 1, 1, "4SN=")))
    do(state, move(1, 5, to_round=2))
    moved = session_of(state).results.standing["A", 1, 2, 5]
    assert (moved.ns, moved.ew) == (1, 3)


def test_pairs_that_sat_the_other_way_round_are_turned_in_place_or_on_the_way() -> None:
    state = minimal()
    do(state, EnterResult(SESSION, entry(1, 1, 1, "4SN=")))
    (turned,) = do(state, move(1, None, is_wrong_direction=True))
    assert isinstance(turned, ResultRecorded)
    assert turned.is_wrong_direction
    assert do(state, move(1, None, is_wrong_direction=True)) == []
    assert do(state, move(1, 1)) == []
    do(state, move(1, 2, is_wrong_direction=False))
    assert not session_of(state).results.standing["A", 1, 1, 2].is_wrong_direction


@pytest.mark.parametrize(
    ("command", "sentence"),
    [
        (move(2, 3), "There is no result to move."),
        (move(9, 3), "Board 9 is not played in round 1 at table A1."),
        (move(1, 5), "Board 5 is not played in round 1 at table A1."),
        (move(1, 5, to_round=9), "Table A1 has no round 9."),
        (move(1, 2, was=Outcome.parse("4SN-1")), "The result is now 4SN=, not 4SN-1; it was not moved."),
    ],
)
def test_impossible_move_of_a_result_changes_nothing(command: Command, sentence: str) -> None:
    state = minimal()
    do(state, EnterResult(SESSION, entry(1, 1, 1, "4SN=")))
    assert sentence in str(refuse(state, command))


@given(st.lists(st.tuples(st.integers(1, 4), st.integers(1, 4)), max_size=12))
def test_no_result_is_lost_however_they_are_exchanged(moves: list[tuple[int, int]]) -> None:
    state = minimal()
    given_ = ["4SN=", "3NTE-1", "60-40", "50 % of 1NTN=, 50 % of 1NTN-1"]
    do(state, PutResults(SESSION, tuple(entry(1, 1, board + 1, text) for board, text in enumerate(given_))))
    for board, to_board in moves:
        do(state, move(board, to_board, is_exchange=True))
    assert sorted(outcomes(state).values()) == sorted(given_)
