from dataclasses import FrozenInstanceError, fields

import pytest

from overtrick.event import FACTS, Reason
from overtrick.event.results import EnterResult
from tests.event.evenings import SESSION, do, entry, minimal, refuse


def test_result_for_a_board_of_another_round_is_refused() -> None:
    journal_state = minimal()
    assert len(do(journal_state, EnterResult(SESSION, entry(1, 1, 2, "4SxN+1")))) == 1
    assert (
        refuse(journal_state, EnterResult(SESSION, entry(1, 1, 5, "4SxN+1"))).reason is Reason.UNKNOWN_PLACE
    )


def test_every_fact_is_frozen() -> None:
    for fact in FACTS.values():
        made = fact(**{each.name: each.name for each in fields(fact)})  # type: ignore[arg-type]
        for each in fields(fact):  # type: ignore[arg-type]
            assert getattr(made, each.name) == each.name
            with pytest.raises(FrozenInstanceError):
                setattr(made, each.name, None)
