"""Values that are made quickly are like any other frozen dataclass."""

import copy
import pickle
from dataclasses import FrozenInstanceError, dataclass, field, fields, replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from overtrick.event import FACTS
from overtrick.event.quick import quickly_made


@dataclass(frozen=True, slots=True)
class Slow:
    board: int
    pair: str = "1"
    sets: tuple[int, ...] = ()


@quickly_made
@dataclass(frozen=True, slots=True)
class Quick:
    board: int
    pair: str = "1"
    sets: tuple[int, ...] = ()


values: st.SearchStrategy[dict[str, Any]] = st.builds(
    dict, board=st.integers(), pair=st.text(), sets=st.lists(st.integers()).map(tuple)
)


@given(values, values, st.sets(st.sampled_from(["board", "pair", "sets"])))
def test_a_quick_value_is_like_a_slow_one(
    given: dict[str, Any], others: dict[str, Any], new: set[str]
) -> None:
    quick, slow = Quick(**given), Slow(**given)
    assert type(quick) is Quick
    assert repr(quick) == repr(slow).replace("Slow", "Quick")
    assert hash(quick) == hash(slow)
    assert (quick == Quick(**others)) is (slow == Slow(**others))
    changes = {name: others[name] for name in new}
    assert repr(replace(quick, **changes)) == repr(replace(slow, **changes)).replace("Slow", "Quick")
    assert pickle.loads(pickle.dumps(quick)) == copy.copy(quick) == quick


def test_a_quick_value_is_frozen_and_takes_what_a_slow_one_takes() -> None:
    assert Quick(7) == Quick(board=7, pair="1") == Quick(7, "1", ())
    with pytest.raises(FrozenInstanceError):
        Quick(7).board = 8  # type: ignore[misc]
    with pytest.raises(FrozenInstanceError):
        del Quick(7).board
    with pytest.raises(TypeError, match="board"):
        Quick()  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="north"):
        Quick(7, north=1)  # type: ignore[call-arg]


def test_what_is_more_than_given_values_is_refused() -> None:
    @dataclass(frozen=True, slots=True)
    class Checked:
        board: int

        def __post_init__(self) -> None:
            raise AssertionError

    @dataclass(frozen=True, slots=True)
    class Filled:
        boards: dict[int, int] = field(default_factory=dict)

    for strange in (Checked, Filled):
        with pytest.raises(TypeError, match="more than given values"):
            quickly_made(strange)


def test_every_fact_is_frozen_still() -> None:
    for fact in FACTS.values():
        made = fact(**{each.name: each.name for each in fields(fact)})  # type: ignore[arg-type]
        for each in fields(fact):  # type: ignore[arg-type]
            assert getattr(made, each.name) == each.name
            with pytest.raises(FrozenInstanceError):
                setattr(made, each.name, None)
