"""Another movement for a section that plays already, for a late pair say: what was played is kept where it can be."""

import pytest

from overtrick.directing.late_pairs import can_keep, likeliest_change, movement_command, open_round
from overtrick.directing.previews import preview_of
from overtrick.errors import BadInput
from overtrick.event.results import EnterResult, ResultErased
from overtrick.movements import choose
from tests.directing.mitchells import SESSION, mitchell_of_seven
from tests.directing.swiss_sections import session_of
from tests.event.evenings import do, entry


def test_late_pair_in_a_mitchell_erases_no_result() -> None:
    journal_state = mitchell_of_seven()
    before = session_of(journal_state)
    choices = choose(15, 21)
    place, first = likeliest_change(before, "A", choices)
    assert first == open_round(before, "A") == 3
    command = movement_command(before, "A", choices[place], first)
    assert preview_of(before, command).erased == ()
    kept = {table: at.rounds[:2] for table, at in before.movement.section("A").items()}
    standing = dict(before.results.standing)
    do(journal_state, command)
    after = session_of(journal_state)
    assert after.results.standing == standing
    assert {
        table: at.rounds[:2] for table, at in after.movement.section("A").items() if table in kept
    } == kept
    rover = {played.ns for at in after.movement.section("A").values() for played in at.rounds} - set(range(8))
    assert rover == {8}
    assert ("A", 8) in after.movement.tables


def test_another_movement_shows_the_results_that_it_would_erase_and_erases_no_others() -> None:
    journal_state = mitchell_of_seven()
    session = session_of(journal_state)
    before = len(session.results.standing)
    command = movement_command(session, "A", choose(16, 24)[0])
    preview = preview_of(session, command)
    assert 0 < len(preview.erased) <= before
    assert (preview.refusal, preview.changes > 0) == ("", True)
    assert len(session_of(journal_state).results.standing) == before
    facts = do(journal_state, command)
    assert [fact for fact in facts if isinstance(fact, ResultErased)] == list(preview.erased)
    assert len(session_of(journal_state).movement.section("A")) == 8


def test_a_movement_in_which_someone_would_play_a_board_twice_cannot_go_on() -> None:
    session = session_of(mitchell_of_seven())
    other = choose(16, 24)[0]
    assert not can_keep(session, "A", other, 3)
    with pytest.raises(BadInput, match=r"cannot continue from round 3: someone would play a board twice"):
        movement_command(session, "A", other, 3)


def test_a_section_in_which_nothing_is_played_changes_from_its_first_round() -> None:
    session = session_of(mitchell_of_seven(rounds=0))
    choices = choose(14, 21)
    assert likeliest_change(session, "A", choices) == (0, 1)
    with pytest.raises(BadInput, match="There is no section Z"):
        movement_command(session, "Z", choices[0])


def test_a_change_that_the_rules_refuse_says_so_and_erases_nothing() -> None:
    session = session_of(mitchell_of_seven())
    preview = preview_of(session, EnterResult(SESSION, entry(1, 99, 1, "Pass")))
    assert (preview.erased, preview.changes) == ((), 0)
    assert preview.refusal
