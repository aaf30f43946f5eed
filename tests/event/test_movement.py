import pytest

from overtrick.bridge import Side
from overtrick.event import Reason, SessionTransaction
from overtrick.event.movement import (
    DropSection,
    DropTable,
    Mates,
    ReplaceRounds,
    Round,
    RoundsSet,
    SectionPlan,
    SetMovement,
    SetWaiting,
    TableAdded,
    TableDropped,
    TableGrouped,
    TablePlan,
    WaitingSet,
    contestant,
)
from overtrick.event.results import EnterResult, ResultErased
from overtrick.event.session import Session
from overtrick.event.setup import ChangeSession, Combi, SectionSet, SetStatus, Status
from tests.event.evenings import SESSION, TABLES, do, entry, minimal, refuse, rounds

A = SectionPlan("A", 1, winners=1)


def kinds(facts: list[object]) -> list[type]:
    return [type(fact) for fact in facts]


def played() -> "object":
    journal_state = minimal()
    for number, low in ((1, 1), (2, 5), (3, 9)):
        for table in (1, 2):
            do(journal_state, EnterResult(SESSION, entry(table, number, low, "3NTN=")))
    return journal_state


def test_a_movement_sent_again_changes_nothing() -> None:
    assert do(minimal(), SetMovement(SESSION, A, TABLES)) == []


def test_the_revision_of_a_movement_counts_its_changes_and_nothing_else() -> None:
    journal_state = minimal()
    session = journal_state.session(SESSION)
    assert session is not None
    before = session.movement.revision
    do(journal_state, EnterResult(SESSION, entry(1, 1, 1, "3NTN=")))
    do(journal_state, SetStatus(SESSION, Status.STARTED))
    assert session.movement.revision == before
    do(journal_state, SetWaiting(SESSION, "A", 1, True))
    assert session.movement.revision == session.after(()).movement.revision == before + 1


def test_results_from_the_first_changed_round_of_a_table_are_erased() -> None:
    journal_state = played()
    changed = TablePlan(1, rounds((1, 2, 1), (1, 3, 13), (1, 4, 9)))
    made = do(journal_state, SetMovement(SESSION, A, (changed, TABLES[1])))  # type: ignore[arg-type]
    assert kinds(made) == [ResultErased, ResultErased, RoundsSet]
    assert [(f.table, f.round) for f in made if isinstance(f, ResultErased)] == [(1, 2), (1, 3)]
    assert made[-1] == RoundsSet("A", 1, 2, rounds((1, 3, 13), (1, 4, 9)))


def test_rounds_above_the_last_given_are_removed() -> None:
    journal_state = played()
    made = do(journal_state, SetMovement(SESSION, A, (TablePlan(1, TABLES[0].rounds[:2]),)))  # type: ignore[arg-type]
    assert made[-1] == RoundsSet("A", 1, 3, ())
    assert kinds(made) == [ResultErased, RoundsSet]


def test_rounds_from_a_number_on_replace_the_later_ones() -> None:
    journal_state = minimal()
    made = do(journal_state, SetMovement(SESSION, A, (TablePlan(1, rounds((1, 4, 13)), first=3),)))
    assert made == [RoundsSet("A", 1, 3, rounds((1, 4, 13)))]
    gap = TablePlan(1, rounds((1, 4, 13)), first=5)
    assert "without gaps" in str(refuse(journal_state, SetMovement(SESSION, A, (gap,))))


def test_table_without_rounds_is_removed_and_unlisted_tables_stay() -> None:
    journal_state = played()
    made = do(journal_state, SetMovement(SESSION, A, (TablePlan(2, ()),)))  # type: ignore[arg-type]
    assert kinds(made) == [ResultErased] * 3 + [TableDropped]
    session = journal_state.session(SESSION)  # type: ignore[attr-defined]
    assert list(session.movement.section("A")) == [1]
    assert len(session.results.standing) == 3


def test_a_table_is_added_with_its_group() -> None:
    journal_state = minimal()
    made = do(journal_state, SetMovement(SESSION, A, (TablePlan(3, rounds((5, 6, 1)), group=4),)))
    assert made == [TableAdded("A", 3, 4), RoundsSet("A", 3, 1, rounds((5, 6, 1)))]
    assert do(journal_state, SetMovement(SESSION, A, (TablePlan(3, rounds((5, 6, 1)), group=5),))) == [
        TableGrouped("A", 3, 5)
    ]


def test_replacing_from_a_round_on_erases_results_of_equal_rounds_too() -> None:
    journal_state = played()
    made = do(journal_state, ReplaceRounds(SESSION, "A", 1, 2, TABLES[0].rounds[1:], is_waiting=True))  # type: ignore[arg-type]
    assert kinds(made) == [ResultErased, ResultErased, RoundsSet, WaitingSet]
    assert kinds(do(journal_state, ReplaceRounds(SESSION, "A", 1, 3, (), is_waiting=None))) == [RoundsSet]  # type: ignore[arg-type]
    assert refuse(journal_state, ReplaceRounds(SESSION, "Z", 1, 1, ())).reason is Reason.UNKNOWN_PLACE  # type: ignore[arg-type]


def test_replacing_rounds_seats_nobody_twice() -> None:
    journal_state = minimal()
    assert "sits twice" in str(refuse(journal_state, ReplaceRounds(SESSION, "A", 1, 1, rounds((1, 3, 1)))))


def test_removing_a_table_erases_its_results() -> None:
    journal_state = played()
    assert kinds(do(journal_state, DropTable(SESSION, "A", 1))) == [ResultErased] * 3 + [TableDropped]  # type: ignore[arg-type]
    assert refuse(journal_state, DropTable(SESSION, "A", 1)).reason is Reason.UNKNOWN_PLACE  # type: ignore[arg-type]


def test_removing_a_section_erases_its_results_and_tables() -> None:
    journal_state = played()
    made = do(journal_state, DropSection(SESSION, "A"))  # type: ignore[arg-type]
    assert len([fact for fact in made if isinstance(fact, ResultErased)]) == 6
    session = journal_state.session(SESSION)  # type: ignore[attr-defined]
    assert not session.movement.tables
    assert not session.setup.sections


def test_waiting_is_switched_on_and_off() -> None:
    journal_state = minimal()
    assert do(journal_state, SetWaiting(SESSION, "A", 1, True)) == [WaitingSet("A", 1, True)]
    assert do(journal_state, SetWaiting(SESSION, "A", 1, True)) == []
    assert refuse(journal_state, SetWaiting(SESSION, "A", 9, True)).reason is Reason.UNKNOWN_PLACE


@pytest.mark.parametrize(
    ("tables", "sentence"),
    [
        ((TablePlan(1, rounds((1, 2, 1))), TablePlan(2, rounds((2, 3, 1)))), "Pair A2 sits twice in round 1"),
        ((TablePlan(1, rounds((1, 1, 1))),), "Pair A1 sits twice"),
        ((TablePlan(1, (Round(1, 2, (3, 2)),)),), "ascending"),
        ((TablePlan(1, (Round(1, 2, (2, 2)),)),), "ascending"),
        ((TablePlan(1, (Round(1, 2, (0, 1)),)),), "above zero"),
        ((TablePlan(1, (Round(-1, 2, (1,)),)),), "cannot be negative"),
        ((TablePlan(1, (Round(1, 2),)),), "the round has no boards"),
        ((TablePlan(0, rounds((1, 2, 1))),), "above zero"),
        ((TablePlan(1, rounds((1, 2, 1))), TablePlan(1, rounds((3, 4, 1)))), "listed twice"),
        ((TablePlan(1, rounds((1, 2, 1)), group=128),), "0 to 127"),
    ],
)
def test_impossible_movement_is_refused_with_the_reason(tables: tuple[TablePlan, ...], sentence: str) -> None:
    journal_state = minimal()
    do(journal_state, DropSection(SESSION, "A"))
    assert sentence in str(refuse(journal_state, SetMovement(SESSION, A, tables)))


def test_rejection_names_every_problem() -> None:
    bad = (TablePlan(0, (Round(-1, 2, (3, 2)),)),)
    assert len(refuse(minimal(), SetMovement(SESSION, A, bad)).problems) == 3


def test_same_number_in_both_directions_is_two_pairs_with_two_winners() -> None:
    two = SectionPlan("B", 1, winners=2)
    same = (TablePlan(1, rounds((1, 1, 1))), TablePlan(2, rounds((2, 2, 1))))
    journal_state = minimal()
    do(journal_state, SetMovement(SESSION, two, same))
    refuse(journal_state, SetMovement(SESSION, two, (TablePlan(3, rounds((1, 3, 1))),)))


def test_across_the_field_a_number_is_one_pair_in_all_sections() -> None:
    journal_state = minimal(across_field=True)
    clash = SetMovement(SESSION, SectionPlan("B", 1, winners=1), (TablePlan(1, rounds((1, 9, 1))),))
    assert "sits twice" in str(refuse(journal_state, clash))
    do(
        journal_state,
        SetMovement(SESSION, SectionPlan("B", 1, winners=1), (TablePlan(1, rounds((8, 9, 1))),)),
    )
    session = journal_state.session(SESSION)
    assert session is not None
    assert contestant(session, "B", 8, Side.NS) == ("", 8, None)


def test_a_pair_that_sits_out_at_home_plays_in_the_combi_section() -> None:
    journal_state = minimal(tables=(TablePlan(1, rounds((5, 0, 1), (1, 2, 1))),))
    do(
        journal_state,
        SetMovement(SESSION, SectionPlan("B", 1, 1), (TablePlan(1, rounds((0, 7, 1), (7, 8, 1))),)),
    )
    combi = SectionPlan("C", 1, 1, combi=Combi("A", "B"))
    do(journal_state, SetMovement(SESSION, combi, (TablePlan(1, rounds((5, 7, 1))),)))
    session = journal_state.session(SESSION)
    assert session is not None
    assert contestant(session, "C", 5, Side.NS) == ("A", 5, None)
    assert contestant(session, "C", 7, Side.EW) == ("B", 7, None)
    busy = (TablePlan(1, rounds((5, 7, 1), (1, 9, 1))),)
    assert "sits twice in round 2" in str(refuse(journal_state, SetMovement(SESSION, combi, busy)))


def winners_of(*tables: TablePlan) -> int:
    journal_state = minimal()
    do(journal_state, SetMovement(SESSION, SectionPlan("B", 1, winners=0), tables))
    session = journal_state.session(SESSION)
    assert session is not None
    return session.winners("B")


def test_number_of_winners_follows_from_the_movement_unless_set() -> None:
    assert winners_of(TablePlan(1, rounds((1, 1, 1)))) == 2
    assert winners_of(TablePlan(1, rounds((1, 2, 1), (1, 4, 3)))) == 2
    assert winners_of(TablePlan(1, rounds((1, 2, 1), (2, 3, 3)))) == 1


def test_missing_pair_is_recognised_by_number_and_side() -> None:
    section = SectionSet("A", 1, 1, 1, A.game, missing_pair=5)
    assert section.is_missing(5, Side.NS)
    assert section.is_missing(5, Side.EW)
    assert not section.is_missing(4, Side.NS)
    two = SectionSet("A", 1, 1, 2, A.game, missing_pair=-5)
    assert two.is_missing(5, Side.EW)
    assert not two.is_missing(5, Side.NS)


def test_result_against_a_missing_pair_is_refused() -> None:
    journal_state = minimal(section=SectionPlan("A", 1, 1, missing_pair=2))
    assert refuse(journal_state, EnterResult(SESSION, entry(1, 1, 1, "Pass"))).reason is Reason.UNKNOWN_PLACE
    do(journal_state, EnterResult(SESSION, entry(1, 2, 5, "Pass")))


def test_mates_and_teams_are_kept_with_the_round() -> None:
    planned = Round(7, 8, (1, 2), team_ns=1, team_ew=2, mates=Mates("B", 101, 1))
    journal_state = minimal()
    do(journal_state, SetMovement(SESSION, A, (TablePlan(3, (planned,)),)))
    session = journal_state.session(SESSION)
    assert session is not None
    assert session.movement.round("A", 3, 1) == planned


def test_several_commands_are_done_together_or_not_at_all() -> None:
    journal_state = minimal()
    good = SetMovement(SESSION, A, (TablePlan(3, rounds((5, 6, 1))),))
    refuse(journal_state, SessionTransaction(SESSION, (good, DropTable(SESSION, "A", 9))))
    assert do(journal_state, SessionTransaction(SESSION, (good, ChangeSession(SESSION, name="Late"))))
    session = journal_state.session(SESSION)
    assert isinstance(session, Session)
    assert (session.opened.name, len(session.movement.tables)) == ("Late", 3)
