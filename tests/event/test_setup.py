from datetime import date

from overtrick.event import AddSession, JournalState, OpenEvent, Reason
from overtrick.event.movement import DropSection, SectionPlan, SetMovement, TablePlan
from overtrick.event.results import EnterResult, status_basis
from overtrick.event.setup import (
    ChangeSession,
    Combi,
    GroupDropped,
    GroupPlan,
    GroupSet,
    SectionSet,
    SessionChanged,
    SetGroups,
    SetStatus,
    Status,
    StatusChanged,
)
from overtrick.event.state import ContinueEvent, Order, Ordered
from overtrick.scoring import Method
from tests.event.evenings import SESSION, TABLES, do, entry, minimal, plan, refuse, rounds

OTHER = "0" * 31 + "1"


def test_opening_again_starts_a_new_incarnation_and_keeps_the_old() -> None:
    house = minimal()
    do(house, EnterResult(SESSION, entry(1, 1, 1, "3NTN=")))
    do(house, OpenEvent(SESSION, (plan(),)))
    new = house.session(SESSION)
    assert new is not None
    assert new.opened.incarnation == 2
    assert not new.results.standing
    assert len(house.sessions[f"session/{SESSION}/1"].results.standing) == 1


def test_an_entry_for_an_earlier_incarnation_never_enters_the_new_one() -> None:
    house = minimal()
    do(house, OpenEvent(SESSION, (plan(),)))
    late = EnterResult(SESSION, entry(1, 1, 1, "3NTN="), incarnation=1)
    assert refuse(house, late).reason is Reason.STALE
    do(house, EnterResult(SESSION, entry(1, 1, 1, "3NTN="), incarnation=2))


def test_an_unknown_session_is_said_to_be_unknown() -> None:
    assert (
        refuse(JournalState(), EnterResult(SESSION, entry(1, 1, 1, "Pass"))).reason is Reason.UNKNOWN_SESSION
    )


def test_guids_are_32_capital_hexadecimal_digits() -> None:
    for bad in ("", SESSION.lower(), "6D115AF1-ABEB-4462-A299-B1FE86274949", SESSION[:-1] + "G"):
        assert refuse(JournalState(), OpenEvent(bad, (plan(),))).reason is Reason.NOT_ALLOWED
        assert refuse(JournalState(), OpenEvent(SESSION, (plan(session=bad),))).reason is Reason.NOT_ALLOWED


def test_an_event_has_sessions_each_once() -> None:
    refuse(JournalState(), OpenEvent(SESSION, ()))
    refuse(JournalState(), OpenEvent(SESSION, (plan(), plan())))


def test_letters_and_groups_are_unique_in_the_event() -> None:
    house = minimal()
    assert "section A" in str(refuse(house, AddSession(SESSION, plan(session=OTHER))))
    same_group = plan(session=OTHER, section=SectionPlan("B", 1, 1))
    assert "scoring group 1" in str(refuse(house, AddSession(SESSION, same_group)))
    do(house, AddSession(SESSION, plan(session=OTHER, section=SectionPlan("B", 2, 1))))
    refuse(house, SetMovement(OTHER, SectionPlan("A", 2, 1), TABLES))
    refuse(house, SetGroups(OTHER, (GroupPlan(1, Method.BUTLER),)))
    do(house, DropSection(SESSION, "A"))
    do(house, SetMovement(OTHER, SectionPlan("A", 2, 1), TABLES))


def test_a_session_is_added_once_and_to_an_event_that_is_there() -> None:
    house = minimal()
    assert refuse(house, AddSession(OTHER, plan())).reason is Reason.UNKNOWN_SESSION
    refuse(house, AddSession(SESSION, plan()))


def test_continuing_notes_the_orders() -> None:
    house = minimal()
    assert do(house, ContinueEvent(SESSION, (Order.START, Order.READ))) == [
        Ordered((Order.START, Order.READ))
    ]
    assert refuse(house, ContinueEvent(OTHER)).reason is Reason.UNKNOWN_SESSION


def test_the_session_changes_only_where_something_differs() -> None:
    house = minimal()
    assert do(house, ChangeSession(SESSION, name="Minimal Session")) == []
    made = do(house, ChangeSession(SESSION, name="Thursday"))
    assert made == [SessionChanged("Thursday", date(2024, 6, 3), None, False, False, False)]
    session = house.session(SESSION)
    assert session is not None
    started = StatusChanged(Status.STARTED, status_basis(session))
    assert do(house, SetStatus(SESSION, Status.STARTED)) == [started]
    assert do(house, SetStatus(SESSION, Status.STARTED)) == []


def test_a_scoring_group_with_sections_cannot_be_deleted() -> None:
    house = minimal()
    drop = GroupPlan(1, Method.MATCHPOINTS, is_dropped=True)
    refuse(house, SetGroups(SESSION, (drop,)))
    made = do(house, SetGroups(SESSION, (GroupPlan(2, Method.BUTLER, sections=("A",)), drop)))
    assert [type(fact) for fact in made[:3]] == [GroupSet, SectionSet, GroupDropped]
    assert set(house.events[SESSION].groups[SESSION]) == {2}


def test_sections_are_regrouped_only_among_known_ones_and_once() -> None:
    house = minimal()
    unknown = SetGroups(SESSION, (GroupPlan(1, Method.MATCHPOINTS, sections=("B",)),))
    assert refuse(house, unknown).reason is Reason.UNKNOWN_PLACE
    twice = (
        GroupPlan(1, Method.MATCHPOINTS, sections=("A",)),
        GroupPlan(2, Method.MATCHPOINTS, sections=("A",)),
    )
    refuse(house, SetGroups(SESSION, twice))
    refuse(house, SetGroups(SESSION, (GroupPlan(0, Method.MATCHPOINTS),)))


def test_a_section_needs_its_scoring_group() -> None:
    house = minimal()
    assert refuse(house, SetMovement(SESSION, SectionPlan("B", 7), TABLES)).reason is Reason.UNKNOWN_ENTRY


def test_ids_are_natural_unless_taken() -> None:
    house = minimal(section=SectionPlan("A", 1, 1, id=2))
    (made, *_) = do(house, SetMovement(SESSION, SectionPlan("B", 1, 1), (TablePlan(1, rounds((1, 2, 1))),)))
    assert isinstance(made, SectionSet)
    assert made.id == 1
    refuse(house, SetMovement(SESSION, SectionPlan("C", 1, 1, id=2)))
    refuse(house, SetMovement(SESSION, SectionPlan("C", 1, 1, id=79)))


def test_a_combi_section_takes_pairs_from_sections_that_are_there_and_keeps_them() -> None:
    house = minimal()
    do(house, SetMovement(SESSION, SectionPlan("B", 1, 1), (TablePlan(1, rounds((0, 5, 1))),)))
    refuse(house, SetMovement(SESSION, SectionPlan("C", 1, 1, combi=Combi("A", "Z"))))
    refuse(house, SetMovement(SESSION, SectionPlan("C", 1, 1, combi=Combi("A", "C"))))
    do(house, SetMovement(SESSION, SectionPlan("C", 1, 1, combi=Combi("A", "B"))))
    refuse(house, DropSection(SESSION, "B"))
    do(house, DropSection(SESSION, "C"))
    do(house, DropSection(SESSION, "B"))


def test_a_session_that_its_event_was_opened_without_takes_nothing_more() -> None:
    house = minimal()
    do(house, AddSession(SESSION, plan(session=OTHER, section=SectionPlan("B", 2, 1))))
    do(house, EnterResult(OTHER, entry(1, 1, 1, "Pass", section="B")))
    do(house, OpenEvent(SESSION, (plan(),)))
    assert (
        refuse(house, EnterResult(OTHER, entry(1, 1, 2, "Pass", section="B"))).reason
        is Reason.UNKNOWN_SESSION
    )
    do(house, EnterResult(SESSION, entry(1, 1, 1, "Pass")))
