"""A pair that does not come, that comes after all, or that goes home: what it has played stays."""

import pytest

from overtrick.directing.missing_pairs import missing_command
from overtrick.errors import BadInput
from overtrick.event import Reason
from overtrick.event.results import EnterResult
from tests.directing.mitchells import SESSION, mitchell_of_seven
from tests.directing.swiss_sections import session_of
from tests.event.evenings import do, entry, refuse


def test_a_pair_that_has_not_played_is_missing_and_may_come_after_all() -> None:
    journal_state = mitchell_of_seven(rounds=0)
    do(journal_state, missing_command(session_of(journal_state), "A", -3))
    assert session_of(journal_state).setup.sections["A"].missing_pair == -3
    do(journal_state, missing_command(session_of(journal_state), "A", 0))
    assert session_of(journal_state).setup.sections["A"].missing_pair == 0


@pytest.mark.parametrize(("number", "side", "other"), [(-3, "ew", "ns"), (3, "ns", "ew")])
def test_a_pair_that_goes_home_leaves_what_it_has_played(number: int, side: str, other: str) -> None:
    journal_state = mitchell_of_seven()
    standing = dict(session_of(journal_state).results.standing)
    command = missing_command(session_of(journal_state), "A", number)
    assert command.plan.missing_pair == 0
    do(journal_state, command)
    session = session_of(journal_state)
    assert session.results.standing == standing
    rounds = [at.rounds for at in session.movement.section("A").values()]
    assert any(getattr(played, side) == 3 for at in rounds for played in at[:2])
    assert not any(getattr(played, side) == 3 for at in rounds for played in at[2:])
    assert any(getattr(played, other) == 3 for at in rounds for played in at[2:])


def test_a_section_that_is_not_there_has_no_missing_pair() -> None:
    with pytest.raises(BadInput, match="There is no section Z; nothing was changed"):
        missing_command(session_of(mitchell_of_seven()), "Z", 3)


@pytest.mark.parametrize("rounds", [0, 2])
def test_a_result_that_comes_in_meanwhile_is_kept_and_the_pair_stays(rounds: int) -> None:
    journal_state = mitchell_of_seven(rounds)
    command = missing_command(session_of(journal_state), "A", 3)
    played = session_of(journal_state).movement.tables["A", 3].rounds[rounds]
    assert played.ns == 3
    do(journal_state, EnterResult(SESSION, entry(3, rounds + 1, played.boards[0], "4SN=")))
    assert refuse(journal_state, command).reason is Reason.STALE
    do(journal_state, missing_command(session_of(journal_state), "A", 3))
    assert ("A", 3, rounds + 1, played.boards[0]) in session_of(journal_state).results.standing
