from overtrick.bridge import Deal, Tricks
from overtrick.event import Reason
from overtrick.event.calls import (
    AnswerCall,
    CallAnswered,
    CallDirector,
    CallStatus,
    DirectorCalled,
    WithdrawCall,
)
from overtrick.event.hands import EvaluateHand, HandEvaluated, HandRecord, HandRecordSet, PutHandRecords
from overtrick.event.movement import DropTable
from overtrick.event.settings import PutSettings, SettingsII, SettingsIII, SettingsIIISet, SettingsIISet
from overtrick.event.tables import LoggedOff, LoggedOn, LogOff, LogOn, ResetTable, TableReset
from tests.event.evenings import NOON, SESSION, do, minimal, refuse

DEAL = Deal.parse("N:AKQJ.T987.654.32 T987.654.32.AKQJ 654.32.AKQJ.T987 32.AKQJ.T987.654")
OTHER = Deal.parse("E:AKQJ.T987.654.32 T987.654.32.AKQJ 654.32.AKQJ.T987 32.AKQJ.T987.654")


def test_second_log_on_needs_a_take_over() -> None:
    journal_state = minimal()
    assert do(journal_state, LogOn(SESSION, "A", 1, "phone", NOON)) == [LoggedOn("A", 1, "phone", NOON)]
    assert do(journal_state, LogOn(SESSION, "A", 1, "phone", NOON)) == []
    assert refuse(journal_state, LogOn(SESSION, "A", 1, "other", NOON)).reason is Reason.NOT_ALLOWED
    do(journal_state, LogOn(SESSION, "A", 1, "other", NOON, takes_over=True))
    assert do(journal_state, LogOff(SESSION, "A", 1, NOON)) == [LoggedOff("A", 1, NOON)]
    assert do(journal_state, LogOff(SESSION, "A", 1, NOON)) == []
    assert do(journal_state, ResetTable(SESSION, "A", 1, NOON)) == [TableReset("A", 1, NOON)]
    for command in (
        LogOn(SESSION, "A", 9, "x", NOON),
        LogOff(SESSION, "A", 9, NOON),
        ResetTable(SESSION, "A", 9, NOON),
    ):
        assert refuse(journal_state, command).reason is Reason.UNKNOWN_PLACE


def test_call_goes_from_launched_to_resolved() -> None:
    journal_state = minimal()
    assert do(journal_state, CallDirector(SESSION, "c1", "A", 1, NOON, 1, 2)) == [
        DirectorCalled("c1", "A", 1, 1, 2, NOON)
    ]
    assert do(journal_state, CallDirector(SESSION, "c2", "A", 1, NOON)) == []
    assert do(journal_state, AnswerCall(SESSION, "c1", CallStatus.IN_PROGRESS, NOON)) == [
        CallAnswered("c1", CallStatus.IN_PROGRESS, NOON)
    ]
    do(journal_state, AnswerCall(SESSION, "c1", CallStatus.DEFERRED, NOON))
    do(journal_state, AnswerCall(SESSION, "c1", CallStatus.RESOLVED, NOON))
    assert do(journal_state, AnswerCall(SESSION, "c1", CallStatus.RESOLVED, NOON)) == []
    assert (
        refuse(journal_state, AnswerCall(SESSION, "c1", CallStatus.IN_PROGRESS, NOON)).reason
        is Reason.NOT_ALLOWED
    )
    assert (
        refuse(journal_state, AnswerCall(SESSION, "c9", CallStatus.RESOLVED, NOON)).reason
        is Reason.UNKNOWN_ENTRY
    )
    assert refuse(journal_state, CallDirector(SESSION, "c3", "A", 9, NOON)).reason is Reason.UNKNOWN_PLACE
    do(journal_state, CallDirector(SESSION, "c4", "A", 1, NOON))


def test_table_takes_back_its_own_open_call_only() -> None:
    journal_state = minimal()
    do(journal_state, CallDirector(SESSION, "c1", "A", 1, NOON))
    assert refuse(journal_state, WithdrawCall(SESSION, "c1", "A", 2, NOON)).reason is Reason.NOT_ALLOWED
    assert do(journal_state, WithdrawCall(SESSION, "c9", "A", 1, NOON)) == []
    assert do(journal_state, WithdrawCall(SESSION, "c1", "A", 1, NOON)) == [
        CallAnswered("c1", CallStatus.WITHDRAWN, NOON)
    ]
    assert do(journal_state, WithdrawCall(SESSION, "c1", "A", 1, NOON)) == []
    do(journal_state, CallDirector(SESSION, "c2", "A", 1, NOON))
    do(journal_state, AnswerCall(SESSION, "c2", CallStatus.RESOLVED, NOON))
    assert do(journal_state, WithdrawCall(SESSION, "c2", "A", 1, NOON)) == []


def test_removing_a_table_removes_its_logins_and_calls() -> None:
    journal_state = minimal()
    do(journal_state, LogOn(SESSION, "A", 1, "phone", NOON))
    do(journal_state, CallDirector(SESSION, "c1", "A", 1, NOON))
    do(journal_state, DropTable(SESSION, "A", 1))
    session = journal_state.session(SESSION)
    assert session is not None
    assert not session.tables.logged_on
    assert not session.calls.calls


def test_hand_records_belong_to_scoring_groups() -> None:
    journal_state = minimal()
    record = HandRecord(1, 1, DEAL)
    (made,) = do(journal_state, PutHandRecords(SESSION, (record,)))
    assert isinstance(made, HandRecordSet)
    assert do(journal_state, PutHandRecords(SESSION, (record,))) == []
    assert (
        refuse(journal_state, PutHandRecords(SESSION, (HandRecord(2, 1, DEAL),))).reason
        is Reason.UNKNOWN_ENTRY
    )
    assert (
        refuse(journal_state, PutHandRecords(SESSION, (HandRecord(1, 0, DEAL),))).reason is Reason.NOT_ALLOWED
    )


def test_makeable_tricks_count_for_their_own_deal() -> None:
    journal_state = minimal()
    tricks = Tricks((7,) * 20)
    assert do(journal_state, EvaluateHand(SESSION, 1, 1, DEAL, tricks)) == []
    do(journal_state, PutHandRecords(SESSION, (HandRecord(1, 1, DEAL),)))
    assert do(journal_state, EvaluateHand(SESSION, 1, 1, OTHER, tricks)) == []
    assert do(journal_state, EvaluateHand(SESSION, 1, 1, DEAL, tricks)) == [HandEvaluated(1, 1, tricks)]
    assert do(journal_state, PutHandRecords(SESSION, (HandRecord(1, 1, DEAL),))) == []


def test_settings_are_by_section_and_generation() -> None:
    journal_state = minimal()
    both = (("A", SettingsII(pin="1234")), ("A", SettingsIII(volume=3)))
    assert do(journal_state, PutSettings(SESSION, both)) == [
        SettingsIISet("A", SettingsII(pin="1234")),
        SettingsIIISet("A", SettingsIII(volume=3)),
    ]
    assert do(journal_state, PutSettings(SESSION, both)) == []
    assert refuse(journal_state, PutSettings(SESSION, (("B", SettingsII()),))).reason is Reason.UNKNOWN_PLACE
    assert (
        len(
            refuse(
                journal_state, PutSettings(SESSION, (("A", SettingsIII(volume=8, brightness=0, pin="")),))
            ).problems
        )
        == 3
    )
