from overtrick.bridge import Deal, Tricks
from overtrick.event import Reason
from overtrick.event.calls import AnswerCall, CallAnswered, CallDirector, CallStatus, DirectorCalled
from overtrick.event.hands import EvaluateHand, HandEvaluated, HandRecord, HandRecordSet, PutHandRecords
from overtrick.event.movement import DropTable
from overtrick.event.settings import PutSettings, SettingsII, SettingsIII, SettingsIIISet, SettingsIISet
from overtrick.event.tables import LoggedOff, LoggedOn, LogOff, LogOn, ResetTable, TableReset
from tests.event.evenings import NOON, SESSION, do, minimal, refuse

DEAL = Deal.parse("N:AKQJ.T987.654.32 T987.654.32.AKQJ 654.32.AKQJ.T987 32.AKQJ.T987.654")
OTHER = Deal.parse("E:AKQJ.T987.654.32 T987.654.32.AKQJ 654.32.AKQJ.T987 32.AKQJ.T987.654")


def test_a_table_already_logged_on_asks_first() -> None:
    house = minimal()
    assert do(house, LogOn(SESSION, "A", 1, "phone", NOON)) == [LoggedOn("A", 1, "phone", NOON)]
    assert do(house, LogOn(SESSION, "A", 1, "phone", NOON)) == []
    assert refuse(house, LogOn(SESSION, "A", 1, "other", NOON)).reason is Reason.NOT_ALLOWED
    do(house, LogOn(SESSION, "A", 1, "other", NOON, takes_over=True))
    assert do(house, LogOff(SESSION, "A", 1, NOON)) == [LoggedOff("A", 1, NOON)]
    assert do(house, LogOff(SESSION, "A", 1, NOON)) == []
    assert do(house, ResetTable(SESSION, "A", 1, NOON)) == [TableReset("A", 1, NOON)]
    for command in (
        LogOn(SESSION, "A", 9, "x", NOON),
        LogOff(SESSION, "A", 9, NOON),
        ResetTable(SESSION, "A", 9, NOON),
    ):
        assert refuse(house, command).reason is Reason.UNKNOWN_PLACE


def test_a_call_lives_from_launched_to_resolved() -> None:
    house = minimal()
    assert do(house, CallDirector(SESSION, "c1", "A", 1, NOON, 1, 2)) == [
        DirectorCalled("c1", "A", 1, 1, 2, NOON)
    ]
    assert do(house, CallDirector(SESSION, "c2", "A", 1, NOON)) == []
    assert do(house, AnswerCall(SESSION, "c1", CallStatus.IN_PROGRESS, NOON)) == [
        CallAnswered("c1", CallStatus.IN_PROGRESS, NOON)
    ]
    do(house, AnswerCall(SESSION, "c1", CallStatus.DEFERRED, NOON))
    do(house, AnswerCall(SESSION, "c1", CallStatus.RESOLVED, NOON))
    assert do(house, AnswerCall(SESSION, "c1", CallStatus.RESOLVED, NOON)) == []
    assert refuse(house, AnswerCall(SESSION, "c1", CallStatus.IN_PROGRESS, NOON)).reason is Reason.NOT_ALLOWED
    assert refuse(house, AnswerCall(SESSION, "c9", CallStatus.RESOLVED, NOON)).reason is Reason.UNKNOWN_ENTRY
    assert refuse(house, CallDirector(SESSION, "c3", "A", 9, NOON)).reason is Reason.UNKNOWN_PLACE
    do(house, CallDirector(SESSION, "c4", "A", 1, NOON))


def test_what_was_at_a_table_goes_with_it() -> None:
    house = minimal()
    do(house, LogOn(SESSION, "A", 1, "phone", NOON))
    do(house, CallDirector(SESSION, "c1", "A", 1, NOON))
    do(house, DropTable(SESSION, "A", 1))
    session = house.session(SESSION)
    assert session is not None
    assert not session.tables.logged_on
    assert not session.calls.calls


def test_hand_records_belong_to_scoring_groups() -> None:
    house = minimal()
    record = HandRecord(1, 1, DEAL)
    (made,) = do(house, PutHandRecords(SESSION, (record,)))
    assert isinstance(made, HandRecordSet)
    assert do(house, PutHandRecords(SESSION, (record,))) == []
    assert refuse(house, PutHandRecords(SESSION, (HandRecord(2, 1, DEAL),))).reason is Reason.UNKNOWN_ENTRY
    assert refuse(house, PutHandRecords(SESSION, (HandRecord(1, 0, DEAL),))).reason is Reason.NOT_ALLOWED


def test_makeable_tricks_count_for_their_own_deal() -> None:
    house = minimal()
    tricks = Tricks((7,) * 20)
    assert do(house, EvaluateHand(SESSION, 1, 1, DEAL, tricks)) == []
    do(house, PutHandRecords(SESSION, (HandRecord(1, 1, DEAL),)))
    assert do(house, EvaluateHand(SESSION, 1, 1, OTHER, tricks)) == []
    assert do(house, EvaluateHand(SESSION, 1, 1, DEAL, tricks)) == [HandEvaluated(1, 1, tricks)]
    assert do(house, PutHandRecords(SESSION, (HandRecord(1, 1, DEAL),))) == []


def test_settings_are_by_section_and_generation() -> None:
    house = minimal()
    both = (("A", SettingsII(pin="1234")), ("A", SettingsIII(volume=3)))
    assert do(house, PutSettings(SESSION, both)) == [
        SettingsIISet("A", SettingsII(pin="1234")),
        SettingsIIISet("A", SettingsIII(volume=3)),
    ]
    assert do(house, PutSettings(SESSION, both)) == []
    assert refuse(house, PutSettings(SESSION, (("B", SettingsII()),))).reason is Reason.UNKNOWN_PLACE
    assert (
        len(
            refuse(
                house, PutSettings(SESSION, (("A", SettingsIII(volume=8, brightness=0, pin="")),))
            ).problems
        )
        == 3
    )
