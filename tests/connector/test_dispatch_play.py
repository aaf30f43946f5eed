"""Requests by which a scoring program puts data into a session."""

import json
from datetime import UTC, datetime
from typing import Any

import pytest

from overtrick.bridge import Outcome, Seat, Strain
from overtrick.connector.wire.checks import MOST_LISTED
from overtrick.connector.wire.envelope import MOST_ITEMS
from overtrick.connector.wire.numbers import ErrorType, WireCommand
from overtrick.event import seating
from overtrick.event.results import CorrectResult, Origin, ResultEntry
from overtrick.event.team_rules import SetTeamEvent
from overtrick.host.writer import Submission
from overtrick.store import Appended
from overtrick.views import lost_seats
from tests.connector import samples
from tests.connector.evening import NOW, Evening, told

GUID = samples.GUID


def standing(evening: Evening, board: int = 1, table: int = 1) -> str:
    evening.projection.catch_up()
    session = evening.projection.state.session(GUID)
    assert session is not None
    found = session.results.standing.get(("A", table, 1, board))
    return "" if found is None else str(found.outcome)


def test_put_results_is_atomic_and_keeps_the_order(open_evening: Evening) -> None:
    batch = [samples.result(1), samples.result(2, Level=-3, Denomination=0), samples.result(1, Level=4)]
    assert not open_evening.ask(WireCommand.PutResults, batch).is_error
    assert (standing(open_evening), standing(open_evening, 2)) == ("4NTN-1", "40-60")
    broken = [samples.result(1, Level=7), samples.result(99)]
    response = open_evening.ask(WireCommand.PutResults, broken)
    assert response.error is ErrorType.Movement
    assert "99" in told(response)
    assert standing(open_evening) == "4NTN-1"


@pytest.mark.parametrize("count", [1, MOST_LISTED, MOST_LISTED + 1, 3_000])
def test_answer_lists_the_first_of_very_many_results_without_a_place(
    open_evening: Evening, count: int
) -> None:
    nowhere = [samples.result(board, TableNumber=77) for board in range(1, count + 1)]
    response = open_evening.ask(WireCommand.PutResults, nowhere)
    assert response.error is ErrorType.Movement
    sentence = told(response)
    assert sentence.count("no table 77") == min(count, MOST_LISTED)
    assert sentence.endswith(f"And {count - MOST_LISTED} more.") is (count > MOST_LISTED)


def test_same_results_sent_again_count_only_if_changed_meanwhile(open_evening: Evening) -> None:
    put = [samples.result()]
    assert not open_evening.ask(WireCommand.PutResults, put).is_error
    assert not open_evening.ask(WireCommand.PutResults, put).is_error, "the same bytes, the same answer"
    open_evening.restart()
    assert not open_evening.ask(WireCommand.PutResults, put).is_error, "after a restart too"
    again = [samples.result() | {"ValidationMessages": None}]
    assert open_evening.ask(WireCommand.PutResults, again).error is ErrorType.NoUpdates
    open_evening.control(
        CorrectResult(GUID, ResultEntry("A", 1, 1, 1, Outcome.parse("Pass"), NOW), Origin.TERMINAL)
    )
    assert not open_evening.ask(WireCommand.PutResults, put).is_error
    assert standing(open_evening) == "3NTN=", "what changed meanwhile is changed back"


def test_same_bytes_after_the_clock_went_back_get_the_same_answer(open_evening: Evening) -> None:
    open_evening.ask(WireCommand.PutResults, [samples.result(2)])
    open_evening.writer._clock = lambda: datetime(2001, 1, 1, tzinfo=UTC)
    put = [samples.result()]
    assert not open_evening.ask(WireCommand.PutResults, put).is_error
    assert not open_evening.ask(WireCommand.PutResults, put).is_error, "the same bytes, the same answer"


def test_team_event_in_the_journal_does_not_affect_requests(open_evening: Evening) -> None:
    done = open_evening.writer.write(
        Submission(SetTeamEvent("0" * 32, "Cup", 1), "open the cup", "control", "desk")
    )
    assert isinstance(done, Appended), str(done)
    open_evening.play(1, "3NTN=")
    assert len(open_evening.poll()) == 1


def test_same_bytes_after_another_change_are_a_new_request(open_evening: Evening) -> None:
    put = [samples.result()]
    open_evening.ask(WireCommand.PutResults, put)
    open_evening.ask(WireCommand.PutResults, [samples.result(2)])
    assert open_evening.ask(WireCommand.PutResults, put).error is ErrorType.NoUpdates


def test_results_are_deleted(open_evening: Evening) -> None:
    open_evening.ask(WireCommand.PutResults, [samples.result(1), samples.result(2)])
    mixed = [samples.result(1, IsDeleted=True), samples.result(2, Level=1), samples.result(2, IsDeleted=True)]
    assert not open_evening.ask(WireCommand.PutResults, mixed).is_error
    assert standing(open_evening, 1) == standing(open_evening, 2) == ""
    unknown = [samples.result(3, IsDeleted=True)]
    assert open_evening.ask(WireCommand.PutResults, unknown).error is ErrorType.EntryUnknown


def test_award_with_scoring_direction_east_west_counts_for_both_sides(open_evening: Evening) -> None:
    award = samples.result(1, Level=-7, Denomination=0, ScoringDirection=2)
    assert not open_evening.ask(WireCommand.PutResults, [award]).is_error
    assert both_sides(open_evening) == ("40-60", "None")
    played = samples.result(1)
    assert not open_evening.ask(WireCommand.PutResults, [played]).is_error
    assert not open_evening.ask(WireCommand.PutResults, [award]).is_error
    assert both_sides(open_evening) == ("40-60", "None"), "and replaces what stood there"


@pytest.mark.parametrize(("direction", "left"), [(1, "40-50"), (2, "60-40"), (3, ""), (0, "")])
def test_deleting_one_direction_of_a_split_score_leaves_the_other(
    open_evening: Evening, direction: int, left: str
) -> None:
    split = [
        samples.result(1, Level=-7, Denomination=0, ScoringDirection=1),
        samples.result(1, Level=-4, Denomination=0, ScoringDirection=2),
    ]
    assert not open_evening.ask(WireCommand.PutResults, split).is_error
    assert both_sides(open_evening) == ("60-40", "40-50")
    gone = samples.result(1, IsDeleted=True, ScoringDirection=direction)
    assert not open_evening.ask(WireCommand.PutResults, [gone]).is_error
    assert standing(open_evening) == left
    again = samples.result(1, IsDeleted=True, ScoringDirection=3)
    assert open_evening.ask(WireCommand.PutResults, [again]).error in (ErrorType.Nothing, ErrorType.NoUpdates)
    assert standing(open_evening) == ""


def both_sides(evening: Evening) -> tuple[str, str]:
    evening.projection.catch_up()
    session = evening.projection.state.session(GUID)
    assert session is not None
    found = session.results.standing["A", 1, 1, 1]
    return str(found.outcome), str(found.outcome_ew)


def test_deletion_with_an_invalid_direction_deletes_nothing(open_evening: Evening) -> None:
    open_evening.play(1, "3NTN=")
    gone = samples.result(IsDeleted=True)
    refused = open_evening.ask(WireCommand.PutResults, [gone | {"ScoringDirection": 7}])
    assert refused.error is ErrorType.Validation
    assert "ScoringDirection is 7, and has to be 1, 2 or 3." in told(refused)
    assert standing(open_evening) != ""
    assert not open_evening.ask(WireCommand.PutResults, [gone | {"ScoringDirection": 0}]).is_error
    assert standing(open_evening) == "", "a direction that nobody set is both"


def test_result_with_a_lead_from_the_wrong_hand_is_accepted(open_evening: Evening) -> None:
    # The two of spades is West's, and North declares: East should have led.
    put = [samples.result(LeadCardRank=2, LeadCardSuit=4)]
    assert not open_evening.ask(WireCommand.PutResults, put).is_error


@pytest.mark.parametrize(
    ("changes", "error"),
    [
        ({"SectionLetters": "B"}, ErrorType.Movement),
        ({"SectionLetters": "A\n"}, ErrorType.Movement),
        ({"TableNumber": 3}, ErrorType.Movement),
        ({"RoundNumber": 4}, ErrorType.Movement),
        ({"BoardNumber": 5}, ErrorType.Movement),
        ({"PairNorthSouth": 3, "DeclaringPair": 3}, ErrorType.Validation),
        ({"ScoringDirection": 0, "Level": 0}, ErrorType.Validation),
        ({"Level": 8}, ErrorType.Validation),
        ({"Level": "3"}, ErrorType.Validation),
        ({"TotalTricks": None, "Stake": 3}, ErrorType.Validation),
    ],
)
def test_impossible_results_are_refused(open_evening: Evening, changes: Any, error: ErrorType) -> None:
    response = open_evening.ask(WireCommand.PutResults, [samples.result(**changes)])
    assert response.error is error
    told(response)
    assert standing(open_evening) == ""


def test_declaring_pair_of_the_other_direction_means_switched_seats(open_evening: Evening) -> None:
    put = [samples.result(1, DeclaringPair=2), samples.result(2)]
    assert not open_evening.ask(WireCommand.PutResults, put).is_error
    open_evening.projection.catch_up()
    session = open_evening.projection.state.session(GUID)
    assert session is not None
    assert session.results.standing["A", 1, 1, 1].is_wrong_direction
    assert not session.results.standing["A", 1, 1, 2].is_wrong_direction


def test_players_and_participations_are_stored(open_evening: Evening) -> None:
    assert not open_evening.ask(WireCommand.PutPlayerData, [samples.player("1")]).is_error, (
        "known, and no matter"
    )
    known = [samples.participation("1")]
    assert open_evening.ask(WireCommand.PutParticipations, known).error is ErrorType.NoUpdates
    assert not open_evening.ask(WireCommand.PutPlayerData, [samples.player("9", last="Byron")]).is_error
    unknown = [samples.participation("77")]
    assert open_evening.ask(WireCommand.PutParticipations, unknown).error is ErrorType.EntryUnknown
    assert (
        open_evening.ask(WireCommand.PutParticipations, [samples.participation("1", table=9)]).error
        is ErrorType.Movement
    )
    twice = [samples.participation("1"), samples.participation("1", 2)]
    assert open_evening.ask(WireCommand.PutParticipations, twice).error is ErrorType.Validation
    assert not open_evening.ask(WireCommand.PutParticipations, [samples.participation("9")]).is_error
    by_name = [samples.participation(None, LastName="Hopper", FirstName="Grace")]
    assert not open_evening.ask(WireCommand.PutParticipations, by_name).is_error
    removal = [samples.participation(None, IsRemoval=True)]
    assert not open_evening.ask(WireCommand.PutParticipations, removal).is_error


def test_seating_a_seated_player_moves_the_player_and_reports_the_lost_seat(
    open_evening: Evening,
) -> None:
    assert not open_evening.ask(WireCommand.PutParticipations, [samples.participation("8", 1)]).is_error
    open_evening.projection.catch_up()
    session = open_evening.projection.state.session(GUID)
    assert session is not None
    chairs = session.seating.chairs
    assert chairs["A", 1, 1, Seat.NORTH].number == "8"
    assert ("A", 2, 1, Seat.WEST) not in chairs
    assert len(chairs) == 7
    lost = lost_seats(session)
    assert [(each.section, each.table, each.seat, each.player.number, each.by) for each in lost] == [
        ("A", 1, Seat.NORTH, "1", "8"),
        ("A", 2, Seat.WEST, "8", ""),
    ]
    assert not open_evening.ask(WireCommand.PutParticipations, [samples.participation("1", 4, 2)]).is_error
    open_evening.projection.catch_up()
    assert lost_seats(session) == [], "everybody has a seat again"
    removal = [samples.participation(None, IsRemoval=True)]
    assert not open_evening.ask(WireCommand.PutParticipations, removal).is_error
    open_evening.projection.catch_up()
    assert lost_seats(session) == [], "that was asked for"


def explicit_event() -> dict[str, Any]:
    """Every round's seats at table 1, with partners that change."""
    section = samples.section(HasExplicitParticipations=True, GameType=20)
    seats = [
        samples.participation(str((number + seat) % 4 + 1), seat, RoundNumber=number)
        for number in (1, 2, 3)
        for seat in (1, 2, 3, 4)
    ]
    return {"Sessions": [samples.session(samples.scoring_group(1, section))], "Participations": seats}


def test_participations_of_every_round_are_stored(evening: Evening) -> None:
    evening.begin(**explicit_event())
    evening.projection.catch_up()
    session = evening.projection.state.session(GUID)
    assert session is not None
    for number in (1, 2, 3):
        present = seating.line_up(session, "A", number)
        assert present[1, Seat.NORTH].number == str((number + 1) % 4 + 1)
    got = json.loads(evening.ask(WireCommand.GetMovement, {"Letters": "A"}).payload)
    assert got["HasExplicitParticipations"]
    later = [samples.participation("5", RoundNumber=3)]
    assert not evening.ask(WireCommand.PutParticipations, later).is_error
    whole = samples.section_update(
        GameType=20,
        HasExplicitParticipations=True,
        Participations=[samples.participation("6", 2, RoundNumber=2)],
    )
    assert not evening.ask(WireCommand.UpdateMovement, whole).is_error
    evening.projection.catch_up()
    assert list(session.seating.chairs) == [("A", 1, 2, Seat.EAST)], "the new seating is the whole seating"
    plain = samples.section_update(GameType=20)
    assert evening.ask(WireCommand.UpdateMovement, plain).error is ErrorType.Validation


def test_participation_after_round_1_is_refused_without_explicit_participations(
    open_evening: Evening,
) -> None:
    later = [samples.participation("5", RoundNumber=2)]
    assert open_evening.ask(WireCommand.PutParticipations, later).error is ErrorType.Validation


def test_hand_records_and_settings_are_stored(open_evening: Evening) -> None:
    record = samples.handrecord(3, HasHandEvaluationData=True, DoubleDummyNorthNoTrump=9)
    assert not open_evening.ask(WireCommand.PutHandrecords, [record]).is_error
    assert open_evening.ask(WireCommand.PutHandrecords, [record | {"x": 1}]).error is ErrorType.NoUpdates
    wrong = record | {"DoubleDummyWestSpades": 14}
    assert open_evening.ask(WireCommand.PutHandrecords, [wrong]).error is ErrorType.Validation
    second = [samples.settings2(VerificationTime=3)]
    assert not open_evening.ask(WireCommand.PutBridgemate2Settings, second).is_error
    third = [samples.settings3(BM3Language="Dutch")]
    assert not open_evening.ask(WireCommand.PutBridgemate3Settings, third).is_error
    open_evening.projection.catch_up()
    session = open_evening.projection.state.session(GUID)
    assert session is not None
    tricks = session.hands.records[1, 3].tricks
    assert tricks is not None
    assert tricks[Seat.NORTH, Strain.NOTRUMP] == 9
    assert session.settings.second["A"].verification_seconds == 3
    assert session.settings.third["A"].language.value == "nl"


def test_result_without_a_verification_time_gets_ours(open_evening: Evening) -> None:
    unset = [samples.settings2(VerificationTime=0)]
    assert open_evening.ask(WireCommand.PutBridgemate2Settings, unset).error is ErrorType.Nothing
    open_evening.projection.catch_up()
    session = open_evening.projection.state.session(GUID)
    assert session is not None
    assert session.settings.second["A"].verification_seconds == 2


def test_scoring_program_answers_and_closes_director_calls(open_evening: Evening) -> None:
    def put(**changes: Any) -> ErrorType:
        return open_evening.ask(WireCommand.PutTdCalls, [samples.td_call(**changes)]).error

    assert put(Status=2) is ErrorType.EntryUnknown
    assert put() is ErrorType.Nothing
    assert put() is ErrorType.Nothing, "the same bytes, the same answer"
    assert put(Minute=16) is ErrorType.NoUpdates
    assert put(Status=2) is ErrorType.Nothing
    assert put(Status=3) is ErrorType.Nothing
    assert put(Status=3) is ErrorType.Nothing, "the same bytes, the same answer"
    assert put(TableNumber=9) is ErrorType.Movement
    assert put(RoundNumber=9) is ErrorType.Movement
    assert open_evening.poll(WireCommand.PollQueueForNewTdCalls) == []
    most = [samples.td_call(Status=1 + at % 3) for at in range(MOST_ITEMS + 1)]
    assert str(MOST_ITEMS) in told(open_evening.ask(WireCommand.PutTdCalls, most))
