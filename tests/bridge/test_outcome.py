import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from overtrick.bridge import (
    AWARDS,
    SEATS,
    Award,
    Cancelled,
    Contract,
    Doubling,
    NotPlayed,
    Outcome,
    PassedOut,
    Played,
    Strain,
    Undecided,
    Vulnerability,
)
from overtrick.errors import BadInput

ALL = (
    [
        Played(Contract(level, strain, doubling, seat), tricks)
        for level in range(1, 8)
        for strain in Strain
        for doubling in Doubling
        for seat in SEATS
        for tricks in range(14)
    ]
    + [PassedOut(), Undecided(), NotPlayed(), Cancelled()]
    + list(AWARDS)
)


def test_str_and_parse_of_every_outcome_are_inverse() -> None:
    texts = {str(outcome) for outcome in ALL}
    assert len(texts) == len(ALL) == 5893
    assert all(Outcome.parse(str(outcome)) == outcome for outcome in ALL)


def test_text_of_played_results_and_awards() -> None:
    assert str(Played(Contract.parse("4SxN"), 11)) == "4SxN+1"
    assert str(Played(Contract.parse("3NTW"), 9)) == "3NTW="
    assert str(Played(Contract.parse("1HS"), 5)) == "1HS-2"
    assert [str(award) for award in AWARDS] == [
        "40-40", "40-50", "40-60", "50-40", "50-50", "50-60", "60-40", "60-50", "60-60",
    ]  # fmt: skip


@pytest.mark.parametrize(
    "text", ["", "4SN+4", "4SN-11", "4SN+0", "4SN-0", "4SN+01", "7NTN+1", "60-101", "60.123-40", "60%-40%", "np"]
)  # fmt: skip
def test_text_that_is_not_an_outcome_is_refused(text: str) -> None:
    with pytest.raises(BadInput):
        Outcome.parse(text)


@given(
    st.sampled_from([outcome for outcome in ALL if isinstance(outcome, Played)]),
    st.sampled_from(Vulnerability),
)
def test_score_of_north_south_is_declarers_or_its_negative(
    outcome: Played, vulnerability: Vulnerability
) -> None:
    contract = outcome.contract
    ours = contract.score(outcome.tricks, vulnerability.includes(contract.declarer))
    assert outcome.ns_score(vulnerability) == (ours if contract.declarer.value in "NS" else -ours)


def test_outcomes_without_a_contract_have_no_score() -> None:
    assert PassedOut().ns_score(Vulnerability.ALL) == 0
    for outcome in (Undecided(), NotPlayed(), Cancelled(), *AWARDS):
        assert outcome.ns_score(Vulnerability.ALL) is None
    with pytest.raises(BadInput):
        Award(60, 130)
    with pytest.raises(BadInput):
        Played(Contract.parse("1CN"), -1)


def test_parsing_a_known_text_takes_microseconds() -> None:
    texts = [str(outcome) for outcome in ALL]
    for text in texts:
        Outcome.parse(text)
    taken = []
    for _ in range(5):
        start = time.perf_counter()
        for text in texts:
            Outcome.parse(text)
        taken.append(time.perf_counter() - start)
    # a table lookup each; without the cache this is some 40 times slower
    assert min(taken) / len(texts) < 2e-6
