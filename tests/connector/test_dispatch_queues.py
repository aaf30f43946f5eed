"""Polling and accepting of queue items."""

import json
from copy import deepcopy
from functools import partial
from typing import Any

import pytest
from bridgemate_dataconnector import dto as vendor

from overtrick.bridge import Deal, Outcome, Seat, Side
from overtrick.connector.wire.envelope import request_bytes
from overtrick.connector.wire.numbers import DataType, WireCommand
from overtrick.event import Session
from overtrick.event.calls import AnswerCall, CallDirector, CallStatus
from overtrick.event.hands import HandRecord, HandSource, PutHandRecords
from overtrick.event.movement import SetMovement, TablePlan
from overtrick.event.results import CorrectResult, EnterResult, EraseResult, Origin, PutResults, ResultEntry
from overtrick.event.seating import (
    Participation,
    PutParticipations,
    PutPlayers,
    SessionPlayer,
    Source,
    SwapPlayers,
)
from tests.connector import samples
from tests.connector.evening import NOW, Evening

GUID = samples.GUID


def test_changes_of_the_scoring_program_are_not_queued(open_evening: Evening) -> None:
    open_evening.ask(WireCommand.PutResults, [samples.result()])
    open_evening.ask(WireCommand.PutTdCalls, [samples.td_call()])
    for command in WireCommand:
        if command.name.startswith("Poll"):
            response = open_evening.ask(command)
            assert (response.payload, response.is_error) == ("[]", False), command.name


def test_results_are_new_until_they_are_accepted(open_evening: Evening) -> None:
    for board, outcome in ((1, "3NTN="), (2, "4SxW-2"), (3, "Pass"), (4, "60-40")):
        open_evening.play(board, outcome)
    response = open_evening.ask(WireCommand.PollQueueForNewResults)
    assert response.data_type is DataType.Results
    items = [vendor.ResultDTO.from_dict(item) for item in json.loads(response.payload)]
    assert [item.board_number for item in items] == [1, 2, 3, 4]
    assert [item.level for item in items] == [3, 4, 0, -7]
    assert (items[1].stake, items[1].total_tricks, items[1].declaring_pair) == (1, 8, 2)
    assert len(open_evening.poll()) == 4, "nothing was accepted"
    assert not open_evening.ask(WireCommand.AcceptResultQueueItems, response.last_item).is_error
    assert open_evening.poll() == []
    assert len(open_evening.poll(WireCommand.PollQueueForAllResults)) == 4
    open_evening.restart()
    assert open_evening.poll() == [], "a mark outlives a restart"
    open_evening.ask(WireCommand.AcceptResultQueueItems, 1)
    assert open_evening.poll() == [], "a mark does not go back"


def test_every_polled_result_passes_the_rules(open_evening: Evening) -> None:
    import bridgemate_dataconnector as validators

    outcomes = ["1CE+6", "7NTxxS-13", "Pass", "NP", "40-40", "40-50", "40-60", "50-40", "50-50", "50-60"]
    outcomes += ["60-40", "60-50"]
    for at, outcome in enumerate(outcomes):
        open_evening.play(at + 1, outcome, number=at // 4 + 1)
    items = [vendor.ResultDTO.from_dict(item) for item in open_evening.poll()]
    assert [item.level for item in items] == [1, 7, 0, -10, -1, -2, -3, -4, -5, -6, -7, -8]
    for item in items:
        assert validators.validate_result_dto(item), item.validation_messages


def test_accepting_an_id_of_another_session_accepts_only_offered_items(open_evening: Evening) -> None:
    open_evening.play(1, "3NTN=")
    first = open_evening.ask(WireCommand.PollQueueForNewResults)
    open_evening.play(2, "3NTN=")
    open_evening.restart()
    open_evening.ask(WireCommand.AcceptResultQueueItems, 10**6)
    assert [item["BoardNumber"] for item in open_evening.poll()] == [2]
    assert first.last_item < open_evening.ask(WireCommand.PollQueueForNewResults).last_item


def test_accept_without_a_poll_accepts_nothing(open_evening: Evening) -> None:
    open_evening.play(1, "3NTN=")
    assert not open_evening.ask(WireCommand.AcceptResultQueueItems, 10**6).is_error
    assert len(open_evening.poll()) == 1


def test_clubs_have_marks_of_their_own(open_evening: Evening) -> None:
    open_evening.play(1, "3NTN=")
    last = open_evening.ask(WireCommand.PollQueueForNewResults, club="X").last_item
    open_evening.ask(WireCommand.AcceptResultQueueItems, last, club="X")
    assert open_evening.poll(club="X") == []
    assert len(open_evening.poll(club="Y")) == 1


def test_corrections_and_erasures_are_new_items(open_evening: Evening) -> None:
    open_evening.play(1, "3NTN=")
    open_evening.control(
        CorrectResult(GUID, ResultEntry("A", 1, 1, 1, Outcome.parse("3NTN+1"), NOW), Origin.TERMINAL)
    )
    open_evening.play(2, "Pass")
    open_evening.control(EraseResult(GUID, "A", 1, 1, 2, Origin.DESK))
    new = [(item["BoardNumber"], item["TotalTricks"], item["IsDeleted"]) for item in open_evening.poll()]
    assert new == [(1, 10, False), (2, 0, True)], "what stands"
    everything = open_evening.poll(WireCommand.PollQueueForAllResults)
    assert [(item["BoardNumber"], item["IsDeleted"]) for item in everything] == [(1, False), (2, True)]


def test_poll_for_all_shows_corrections_by_the_scoring_program(
    open_evening: Evening,
) -> None:
    def stands() -> list[tuple[int, int, bool]]:
        items = open_evening.poll(WireCommand.PollQueueForAllResults)
        return [(item["BoardNumber"], item["TotalTricks"], item["IsDeleted"]) for item in items]

    open_evening.play(1, "3NTN=")
    open_evening.play(2, "3NTN=")
    corrected = [samples.result(1, TotalTricks=12), samples.result(3)]
    assert not open_evening.ask(WireCommand.PutResults, corrected).is_error
    assert stands() == [(2, 9, False), (1, 12, False)], "and no board that only the scoring program sent"
    assert [item["BoardNumber"] for item in open_evening.poll()] == [2], "its own correction is no news"
    open_evening.restart()
    assert stands() == [(2, 9, False), (1, 12, False)]
    gone = samples.result(1, IsDeleted=True)
    assert not open_evening.ask(WireCommand.PutResults, [gone]).is_error
    assert stands() == [(2, 9, False)]
    assert not open_evening.ask(WireCommand.PutResults, [samples.result(1, TotalTricks=11)]).is_error
    assert stands() == [(2, 9, False), (1, 11, False)]


def test_results_erased_by_a_movement_update_before_they_were_polled_are_not_delivered(
    open_evening: Evening,
) -> None:
    open_evening.play(1, "3NTN=")
    open_evening.play(5, "4SN=", number=2)
    made = samples.section_update()
    made["Tables"][0]["Rounds"][1] |= {"LowBoardNumber": 13, "HighBoardNumber": 16}
    assert not open_evening.ask(WireCommand.UpdateMovement, made).is_error
    assert [item["BoardNumber"] for item in open_evening.poll()] == [1]


def test_results_erased_by_a_movement_change_at_the_desk_are_delivered_as_deleted(
    open_evening: Evening,
) -> None:
    open_evening.play(1, "3NTN=")
    last = open_evening.ask(WireCommand.PollQueueForNewResults).last_item
    assert not open_evening.ask(WireCommand.AcceptResultQueueItems, last).is_error
    open_evening.projection.catch_up()
    session = open_evening.projection.state.session(GUID)
    assert session is not None
    open_evening.control(SetMovement(GUID, session.plan("A"), (TablePlan(1, ()),)))
    assert [(item["BoardNumber"], item["IsDeleted"]) for item in open_evening.poll()] == [(1, True)]


def test_split_scores_are_two_items_and_undecided_ones_none(open_evening: Evening) -> None:
    for side, outcome in ((Side.NS, "60-40"), (Side.EW, "40-50")):
        entry = ResultEntry("A", 1, 1, 1, Outcome.parse(outcome), NOW, side=side)
        open_evening.control(PutResults(GUID, (entry,), Origin.DESK))
    open_evening.play(2, "Arbitral")
    items = open_evening.poll(WireCommand.PollQueueForAllResults)
    assert [(item["ScoringDirection"], item["Level"]) for item in items] == [(1, -7), (2, -4)]


def test_result_of_the_table_stays_when_the_ruling_cannot_be_sent(open_evening: Evening) -> None:
    open_evening.play(1, "3NTN=")
    open_evening.play(2, "4SN=")
    for board, side, outcome in ((1, Side.EW, "Arbitral"), (2, None, "60 % of 4SN=, 40 % of 4SN-1")):
        ruled = ResultEntry("A", 1, 1, board, Outcome.parse(outcome), NOW, side=side)
        open_evening.control(PutResults(GUID, (ruled,), Origin.DESK))
    for command in (WireCommand.PollQueueForNewResults, WireCommand.PollQueueForAllResults):
        told = [
            (item["BoardNumber"], item["Level"], item["ScoringDirection"])
            for item in open_evening.poll(command)
        ]
        assert told == [(1, 3, 3), (2, 4, 3)]


def test_players_who_enter_their_numbers_are_new_items(open_evening: Evening) -> None:
    typed = Participation("A", 1, Seat.NORTH, "4711", "Grace", "Hopper")
    open_evening.control(PutParticipations(GUID, (typed,), Source.TERMINAL, must_be_known=False))
    known = Participation("A", 1, Seat.SOUTH, "8")
    open_evening.control(
        PutParticipations(GUID, (Participation("A", 2, Seat.WEST, is_removal=True),), Source.TERMINAL)
    )
    open_evening.control(PutParticipations(GUID, (known,), Source.TERMINAL))
    open_evening.control(PutPlayers(GUID, (SessionPlayer("50", "Alan", "Turing"),)))
    open_evening.control(SwapPlayers(GUID, "A", 1, 1, Side.NS))
    players = open_evening.poll(WireCommand.PollQueueForNewPlayerData)
    assert [(item["PlayerNumber"], item["LastName"]) for item in players] == [
        ("4711", "Hopper"),
        ("50", "Turing"),
    ]
    seats = open_evening.poll(WireCommand.PollQueueForNewParticipations)
    assert [
        (item["Direction"], item["PlayerNumber"], item["IsRemoval"], item["IsPlayerSwap"]) for item in seats
    ] == [
        (4, None, True, False),
        (1, "8", False, True),
        (3, "4711", False, True),
    ]
    everything = open_evening.poll(WireCommand.PollQueueForAllParticipations)
    assert [(item["Direction"], item["PlayerNumber"]) for item in everything] == [
        (4, None),
        (1, "8"),
        (3, "4711"),
    ]


def test_hand_records_of_the_tables_are_new_items(open_evening: Evening) -> None:
    deal = Deal.parse("N:86.KT2.K85.Q9742 KJT932.97.942.86 54.8653.AQJT73.3 AQ7.AQJ4.6.AKJT5")
    open_evening.control(PutHandRecords(GUID, (HandRecord(1, 7, deal),), HandSource.TERMINAL))
    (item,) = open_evening.poll(WireCommand.PollQueueForNewHandrecords)
    assert (item["SectionLetters"], item["BoardNumber"], item["NorthClubs"]) == ("A", 7, "Q9742")
    assert not item["HasHandEvaluationData"]
    sent = item | {"BoardNumber": 8}
    assert not open_evening.ask(WireCommand.PutHandrecords, [sent]).is_error


def test_calls_for_the_director_are_new_items(open_evening: Evening) -> None:
    open_evening.control(CallDirector(GUID, "c1", "A", 1, NOW, 2))
    open_evening.control(AnswerCall(GUID, "c1", CallStatus.IN_PROGRESS, NOW))
    items = [
        vendor.TdCallDTO.from_dict(item) for item in open_evening.poll(WireCommand.PollQueueForNewTdCalls)
    ]
    assert [(item.table_number, item.round_number, item.hour, item.status) for item in items] == [
        (1, 2, 20, 2),
    ]
    assert [item["Status"] for item in open_evening.poll(WireCommand.PollQueueForAllTdCalls)] == [2]
    resolved = samples.td_call(RoundNumber=2, Status=3)
    assert not open_evening.ask(WireCommand.PutTdCalls, [resolved]).is_error
    assert [item["Status"] for item in open_evening.poll(WireCommand.PollQueueForAllTdCalls)] == [3]
    assert open_evening.poll(WireCommand.PollQueueForNewTdCalls) == []


def test_cleared_items_are_neither_new_nor_all(open_evening: Evening) -> None:
    open_evening.play(1, "3NTN=")
    last = open_evening.ask(WireCommand.PollQueueForNewResults).last_item
    assert not open_evening.ask(WireCommand.ClearData, session="").is_error
    assert open_evening.poll() == []
    assert open_evening.poll(WireCommand.PollQueueForAllResults) == []
    open_evening.play(2, "3NTN=")
    response = open_evening.ask(WireCommand.PollQueueForNewResults)
    assert response.last_item > last, "ids go on rising"
    cleared = samples.continue_(Commands=133)
    assert not open_evening.ask(WireCommand.ContinueEvent, cleared, session="").is_error
    assert open_evening.poll() == []


def session_of(evening: Evening) -> Session:
    evening.projection.catch_up()
    session = evening.projection.state.session(GUID)
    assert session is not None
    return session


@pytest.mark.parametrize("over_http", [False, True])
@pytest.mark.parametrize(
    ("command", "data"),
    [(WireCommand.ClearData, None), (WireCommand.ContinueEvent, samples.continue_(Commands=133))],
)
def test_clearing_keeps_players_movement_seats_and_results(
    open_evening: Evening, command: WireCommand, data: Any, over_http: bool
) -> None:
    ask = partial(open_evening.ask, club="X", over_http=over_http)
    assert not ask(WireCommand.PutPlayerData, [samples.player("50", "Zoë")]).is_error
    open_evening.play(1, "3NTN=")
    movements = ask(WireCommand.GetAllMovements).payload
    before = deepcopy(session_of(open_evening))
    assert not ask(command, data, session="").is_error
    assert ask(WireCommand.PollQueueForAllResults).payload == "[]", "cleared"
    for _ in range(2):
        assert ask(WireCommand.GetAllMovements).payload == movements
        after = session_of(open_evening)
        assert after.seating.players["50"].first_name == "Zoë"
        assert (after.movement, after.seating, after.results) == (
            before.movement,
            before.seating,
            before.results,
        )
        open_evening.restart()
    assert not ask(WireCommand.PutParticipations, [samples.participation("50")]).is_error, "still known"


def test_a_club_clears_for_itself_alone(open_evening: Evening) -> None:
    open_evening.play(1, "3NTN=")
    assert not open_evening.ask(WireCommand.ClearData, session="", club="X", over_http=True).is_error
    assert open_evening.poll(club="X", over_http=True) == []
    assert len(open_evening.poll(club="Y", over_http=True)) == 1


def second_event(evening: Evening) -> None:
    made = json.loads(json.dumps(samples.init()).replace(GUID, samples.OTHER))
    assert not evening.ask(WireCommand.InitializeEvent, made, session="").is_error


def play_second(evening: Evening, board: int) -> None:
    entry = ResultEntry("A", 1, 1, board, Outcome.parse("Pass"), NOW)
    evening.control(EnterResult(samples.OTHER, entry))


def test_ids_rise_across_sessions_for_clients_that_remember_one(open_evening: Evening) -> None:
    """A shipped client keeps the highest id that it has seen, whichever session it was of, and accepts up to it."""
    second_event(open_evening)
    last = 0
    for board in (1, 2, 3):
        for session in (GUID, samples.OTHER):
            if session == GUID:
                open_evening.play(board, "Pass")
            else:
                play_second(open_evening, board)
            response = open_evening.ask(WireCommand.PollQueueForNewResults, session=session)
            assert len(json.loads(response.payload)) == 1, "what was accepted does not come again"
            assert response.last_item > last
            last = response.last_item
            assert not open_evening.ask(WireCommand.AcceptResultQueueItems, last, session=session).is_error
        if board == 2:
            open_evening.restart()
    assert last < 2**31


def test_clearing_is_one_fact_for_all_sessions(open_evening: Evening) -> None:
    second_event(open_evening)
    open_evening.play(1, "Pass")
    play_second(open_evening, 1)
    before = open_evening.journal.heads()
    assert not open_evening.ask(WireCommand.ClearData, session="").is_error
    assert open_evening.journal.heads() == before | {"clearings": before["clearings"] + 1}
    open_evening.restart()
    for session in (GUID, samples.OTHER):
        assert open_evening.poll(session=session) == []
        assert open_evening.poll(WireCommand.PollQueueForAllResults, session=session) == []
    play_second(open_evening, 2)
    assert len(open_evening.poll(session=samples.OTHER)) == 1


def test_opening_an_event_that_clears_is_written_whole(open_evening: Evening) -> None:
    open_evening.play(1, "Pass")
    made = json.loads(json.dumps(samples.init(Commands=129)).replace(GUID, samples.OTHER))
    line = request_bytes(WireCommand.InitializeEvent, payload=json.dumps(made))
    assert not open_evening.send(line).is_error
    heads = open_evening.journal.heads()
    assert not open_evening.send(line).is_error, "the same bytes, the same answer"
    assert open_evening.journal.heads() == heads
    assert open_evening.poll() == []
    play_second(open_evening, 1)
    assert len(open_evening.poll(session=samples.OTHER)) == 1
