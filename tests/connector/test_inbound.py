"""Results that are judged and read in one go are what a closer look makes of them."""

from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from overtrick.connector import inbound
from overtrick.connector.wire import rules
from overtrick.connector.wire.play import ResultDTO
from tests.connector import samples
from tests.connector.evening import NOW

NUMBERS = [name for name, given in samples.result().items() if type(given) is int]


def figures(low: int, high: int) -> st.SearchStrategy[dict[str, int]]:
    return st.dictionaries(st.sampled_from(NUMBERS), st.integers(low, high), max_size=3)


TEXTS = st.fixed_dictionaries(
    {},
    optional={
        "SectionLetters": st.sampled_from(["A", "ZZZ", "AB", "a", "", "A\n", None]),
        "SessionGuid": st.sampled_from([samples.GUID, samples.OTHER, "", None]),
        "IsDeleted": st.booleans(),
    },
)


@given(st.lists(st.builds(lambda *parts: parts[0] | parts[1], figures(-11, 15), TEXTS), max_size=3))
@example([{"Level": 0}])
@example([{"DeclarerDirection": 2}])
@example([{"Level": 0, "DeclarerDirection": 2}])
@example([{"DeclaringPair": 1, "PairNorthSouth": 1, "PairEastWest": 1, "DeclarerDirection": 2}])
@example([{"LeadCardRank": 14, "LeadCardSuit": 1}, {"ScoringDirection": 2}])
def test_plain_results_are_what_a_closer_look_makes_of_them(changes: list[dict[str, Any]]) -> None:
    dtos = [ResultDTO.model_validate(samples.result() | change) for change in changes]
    plain = inbound.plain_results(samples.GUID, dtos, NOW)
    if plain is None:
        return
    assert all(not rules.result_problems(dto) and dto.SessionGuid == samples.GUID for dto in dtos)
    if dtos:
        assert plain == inbound.results(samples.GUID, dtos, NOW)


@pytest.mark.parametrize("name", NUMBERS)
def test_one_wrong_number_asks_for_a_closer_look(name: str) -> None:
    for number in range(-11, 17):
        dto = ResultDTO.model_validate(samples.result() | {name: number})
        if rules.result_problems(dto):
            assert inbound.plain_results(samples.GUID, [dto], NOW) is None


def test_what_is_plain() -> None:
    def is_plain(guid: str = samples.GUID, **changes: Any) -> bool:
        dtos = [ResultDTO.model_validate(samples.result() | changes)]
        return inbound.plain_results(guid, dtos, NOW) is not None

    assert is_plain()
    assert is_plain(Level=0)
    assert is_plain(LeadCardRank=14, LeadCardSuit=4)
    assert not is_plain(Level=-3)
    assert not is_plain(IsDeleted=True)
    assert not is_plain("short", SessionGuid="short")
    assert not is_plain(LeadCardRank=1)
