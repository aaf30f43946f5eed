"""Results that are judged and read in one go are what a closer look makes of them."""

from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from overtrick.connector import inbound
from overtrick.connector.wire import rules
from overtrick.connector.wire.play import ResultDTO
from overtrick.event import Together
from overtrick.event.results import EraseResult, Origin, PutResults
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
    entries, odd = inbound.plain_entries(samples.GUID, dtos, NOW)
    assert odd == [at for at, entry in enumerate(entries) if entry is None]
    for dto, entry in zip(dtos, entries, strict=True):
        if entry is not None:
            assert not rules.result_problems(dto)
            assert dto.SessionGuid == samples.GUID
            assert not dto.IsDeleted
            assert entry == inbound.result_entry(dto, NOW)


def is_plain(**changes: Any) -> bool:
    dto = ResultDTO.model_validate(samples.result() | changes)
    return inbound.plain_entries(changes.get("SessionGuid", samples.GUID), [dto], NOW)[1] == []


@pytest.mark.parametrize("name", NUMBERS)
def test_one_wrong_number_asks_for_a_closer_look(name: str) -> None:
    for number in range(-11, 17):
        if rules.result_problems(ResultDTO.model_validate(samples.result() | {name: number})):
            assert not is_plain(**{name: number})


def test_what_is_plain() -> None:
    assert is_plain()
    assert is_plain(Level=0)
    assert is_plain(LeadCardRank=14, LeadCardSuit=4)
    assert not is_plain(Level=-3)
    assert not is_plain(IsDeleted=True)
    assert not is_plain(SessionGuid="short")
    assert not is_plain(LeadCardRank=1)


def test_results_and_deletions_keep_their_order() -> None:
    changes: list[dict[str, Any]] = [{}, {"Level": -3}, {"IsDeleted": True}, {"BoardNumber": 2}]
    dtos = [ResultDTO.model_validate(samples.result() | change) for change in changes]
    entries, odd = inbound.plain_entries(samples.GUID, dtos, NOW)
    assert odd == [1, 2]
    first, second, _, last = (inbound.result_entry(dto, NOW) for dto in dtos)
    assert inbound.results(samples.GUID, dtos, entries, NOW) == Together(
        samples.GUID,
        (
            PutResults(samples.GUID, (first, second)),
            EraseResult(samples.GUID, "A", 1, 1, 1, Origin.SCORING_PROGRAM),
            PutResults(samples.GUID, (last,)),
        ),
    )
