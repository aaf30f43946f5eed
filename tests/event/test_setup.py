from dataclasses import replace
from datetime import date

from overtrick.event import AddSession, JournalState, OpenEvent, Reason, SetUpAgain
from overtrick.event.filing import FileSession, Filing
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
    journal_state = minimal()
    do(journal_state, EnterResult(SESSION, entry(1, 1, 1, "3NTN=")))
    do(journal_state, OpenEvent(SESSION, (plan(),)))
    new = journal_state.session(SESSION)
    assert new is not None
    assert new.opened.incarnation == 2
    assert not new.results.standing
    assert len(journal_state.sessions[f"session/{SESSION}/1"].results.standing) == 1


def test_an_entry_for_an_earlier_incarnation_never_enters_the_new_one() -> None:
    journal_state = minimal()
    do(journal_state, OpenEvent(SESSION, (plan(),)))
    late = EnterResult(SESSION, entry(1, 1, 1, "3NTN="), incarnation=1)
    assert refuse(journal_state, late).reason is Reason.STALE
    do(journal_state, EnterResult(SESSION, entry(1, 1, 1, "3NTN="), incarnation=2))


def test_command_for_an_unknown_session_is_refused() -> None:
    assert (
        refuse(JournalState(), EnterResult(SESSION, entry(1, 1, 1, "Pass"))).reason is Reason.UNKNOWN_SESSION
    )


def test_guids_are_32_capital_hexadecimal_digits() -> None:
    for bad in ("", SESSION.lower(), "6D115AF1-ABEB-4462-A299-B1FE86274949", SESSION[:-1] + "G"):
        assert refuse(JournalState(), OpenEvent(bad, (plan(),))).reason is Reason.NOT_ALLOWED
        assert refuse(JournalState(), OpenEvent(SESSION, (plan(session=bad),))).reason is Reason.NOT_ALLOWED


def test_event_without_sessions_or_with_one_twice_is_refused() -> None:
    refuse(JournalState(), OpenEvent(SESSION, ()))
    refuse(JournalState(), OpenEvent(SESSION, (plan(), plan())))


def test_letters_and_groups_are_unique_in_the_event() -> None:
    journal_state = minimal()
    assert "section A" in str(refuse(journal_state, AddSession(SESSION, plan(session=OTHER))))
    same_group = plan(session=OTHER, section=SectionPlan("B", 1, 1))
    assert "scoring group 1" in str(refuse(journal_state, AddSession(SESSION, same_group)))
    do(journal_state, AddSession(SESSION, plan(session=OTHER, section=SectionPlan("B", 2, 1))))
    refuse(journal_state, SetMovement(OTHER, SectionPlan("A", 2, 1), TABLES))
    refuse(journal_state, SetGroups(OTHER, (GroupPlan(1, Method.BUTLER),)))
    do(journal_state, DropSection(SESSION, "A"))
    do(journal_state, SetMovement(OTHER, SectionPlan("A", 2, 1), TABLES))


def test_a_session_is_added_once_and_to_an_event_that_is_there() -> None:
    journal_state = minimal()
    assert refuse(journal_state, AddSession(OTHER, plan())).reason is Reason.UNKNOWN_SESSION
    refuse(journal_state, AddSession(SESSION, plan()))


def test_continuing_notes_the_orders() -> None:
    journal_state = minimal()
    assert do(journal_state, ContinueEvent(SESSION, (Order.START, Order.READ))) == [
        Ordered((Order.START, Order.READ))
    ]
    assert refuse(journal_state, ContinueEvent(OTHER)).reason is Reason.UNKNOWN_SESSION


def test_the_session_changes_only_where_something_differs() -> None:
    journal_state = minimal()
    assert do(journal_state, ChangeSession(SESSION, name="Minimal Session")) == []
    made = do(journal_state, ChangeSession(SESSION, name="Thursday"))
    assert made == [SessionChanged("Thursday", date(2024, 6, 3), None, False, False, False)]
    session = journal_state.session(SESSION)
    assert session is not None
    started = StatusChanged(Status.STARTED, status_basis(session))
    assert do(journal_state, SetStatus(SESSION, Status.STARTED)) == [started]
    assert do(journal_state, SetStatus(SESSION, Status.STARTED)) == []


def test_a_scoring_group_with_sections_cannot_be_deleted() -> None:
    journal_state = minimal()
    drop = GroupPlan(1, Method.MATCHPOINTS, is_dropped=True)
    refuse(journal_state, SetGroups(SESSION, (drop,)))
    made = do(journal_state, SetGroups(SESSION, (GroupPlan(2, Method.BUTLER, sections=("A",)), drop)))
    assert [type(fact) for fact in made[:3]] == [GroupSet, SectionSet, GroupDropped]
    assert set(journal_state.events[SESSION].groups[SESSION]) == {2}


def test_sections_are_regrouped_only_among_known_ones_and_once() -> None:
    journal_state = minimal()
    unknown = SetGroups(SESSION, (GroupPlan(1, Method.MATCHPOINTS, sections=("B",)),))
    assert refuse(journal_state, unknown).reason is Reason.UNKNOWN_PLACE
    twice = (
        GroupPlan(1, Method.MATCHPOINTS, sections=("A",)),
        GroupPlan(2, Method.MATCHPOINTS, sections=("A",)),
    )
    refuse(journal_state, SetGroups(SESSION, twice))
    refuse(journal_state, SetGroups(SESSION, (GroupPlan(0, Method.MATCHPOINTS),)))


def test_a_section_needs_its_scoring_group() -> None:
    journal_state = minimal()
    assert (
        refuse(journal_state, SetMovement(SESSION, SectionPlan("B", 7), TABLES)).reason
        is Reason.UNKNOWN_ENTRY
    )


def test_section_id_follows_its_letter_unless_taken() -> None:
    journal_state = minimal(section=SectionPlan("A", 1, 1, id=2))
    (made, *_) = do(
        journal_state, SetMovement(SESSION, SectionPlan("B", 1, 1), (TablePlan(1, rounds((1, 2, 1))),))
    )
    assert isinstance(made, SectionSet)
    assert made.id == 1
    refuse(journal_state, SetMovement(SESSION, SectionPlan("C", 1, 1, id=2)))
    refuse(journal_state, SetMovement(SESSION, SectionPlan("C", 1, 1, id=79)))


def test_a_combi_section_takes_pairs_from_sections_that_are_there_and_keeps_them() -> None:
    journal_state = minimal()
    do(journal_state, SetMovement(SESSION, SectionPlan("B", 1, 1), (TablePlan(1, rounds((0, 5, 1))),)))
    refuse(journal_state, SetMovement(SESSION, SectionPlan("C", 1, 1, combi=Combi("A", "Z"))))
    refuse(journal_state, SetMovement(SESSION, SectionPlan("C", 1, 1, combi=Combi("A", "C"))))
    do(journal_state, SetMovement(SESSION, SectionPlan("C", 1, 1, combi=Combi("A", "B"))))
    refuse(journal_state, DropSection(SESSION, "B"))
    do(journal_state, DropSection(SESSION, "C"))
    do(journal_state, DropSection(SESSION, "B"))


def test_command_for_a_session_that_left_its_event_is_refused() -> None:
    journal_state = minimal()
    do(journal_state, AddSession(SESSION, plan(session=OTHER, section=SectionPlan("B", 2, 1))))
    do(journal_state, EnterResult(OTHER, entry(1, 1, 1, "Pass", section="B")))
    do(journal_state, OpenEvent(SESSION, (plan(),)))
    assert (
        refuse(journal_state, EnterResult(OTHER, entry(1, 1, 2, "Pass", section="B"))).reason
        is Reason.UNKNOWN_SESSION
    )
    do(journal_state, EnterResult(SESSION, entry(1, 1, 1, "Pass")))


def test_session_is_set_up_again_in_its_event_until_the_first_result() -> None:
    journal_state = minimal()
    other = plan(OTHER, SectionPlan("B", 2, winners=1))
    do(journal_state, AddSession(SESSION, other))
    again = replace(plan(), name="Corrected", sections=((SectionPlan("C", 1, winners=1), TABLES),))
    do(journal_state, SetUpAgain(SESSION, again))
    session = journal_state.session(SESSION)
    assert session is not None
    assert (session.opened.incarnation, session.opened.name, list(session.setup.sections)) == (
        2,
        "Corrected",
        ["C"],
    )
    assert journal_state.events[SESSION].sessions == {SESSION: 2, OTHER: 1}
    # The letters of the other session are not free.
    clash = replace(plan(), sections=((SectionPlan("B", 1, winners=1), TABLES),))
    assert "Another session of the event has a section B" in str(
        refuse(journal_state, SetUpAgain(SESSION, clash))
    )
    do(journal_state, EnterResult(SESSION, entry(1, 1, 1, "3NTN=", "C")))
    assert "has results" in str(refuse(journal_state, SetUpAgain(SESSION, plan())))
    unknown = replace(plan(), session="F" * 32)
    assert refuse(journal_state, SetUpAgain(SESSION, unknown)).reason is Reason.UNKNOWN_SESSION


def test_session_in_the_bin_is_not_set_up_again() -> None:
    journal_state = minimal()
    do(journal_state, FileSession(SESSION, Filing.BINNED))
    assert "moved this session to the bin" in str(refuse(journal_state, SetUpAgain(SESSION, plan())))
