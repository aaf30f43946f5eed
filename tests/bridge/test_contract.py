"""The score against a table of Law 77 that was written from the law, figure by figure, not from the code."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from overtrick.bridge import SEATS, Contract, Doubling, Seat, Side, Strain
from overtrick.errors import BadInput

contracts = st.builds(
    Contract, st.integers(1, 7), st.sampled_from(Strain), st.sampled_from(Doubling), st.sampled_from(SEATS)
)

TRICK_SCORE = {
    # contract tricks 1 to 7, undoubled
    Strain.CLUBS: (20, 40, 60, 80, 100, 120, 140),
    Strain.DIAMONDS: (20, 40, 60, 80, 100, 120, 140),
    Strain.HEARTS: (30, 60, 90, 120, 150, 180, 210),
    Strain.SPADES: (30, 60, 90, 120, 150, 180, 210),
    Strain.NOTRUMP: (40, 70, 100, 130, 160, 190, 220),
}
OVERTRICK = {Strain.CLUBS: 20, Strain.DIAMONDS: 20, Strain.HEARTS: 30, Strain.SPADES: 30, Strain.NOTRUMP: 30}
OVERTRICK_DOUBLED = {False: 100, True: 200}
OVERTRICK_REDOUBLED = {False: 200, True: 400}
DOWN = {
    (0, False): (50, 100, 150, 200, 250, 300, 350, 400, 450, 500, 550, 600, 650),
    (0, True): (100, 200, 300, 400, 500, 600, 700, 800, 900, 1000, 1100, 1200, 1300),
    (1, False): (100, 300, 500, 800, 1100, 1400, 1700, 2000, 2300, 2600, 2900, 3200, 3500),
    (1, True): (200, 500, 800, 1100, 1400, 1700, 2000, 2300, 2600, 2900, 3200, 3500, 3800),
    (2, False): (200, 600, 1000, 1600, 2200, 2800, 3400, 4000, 4600, 5200, 5800, 6400, 7000),
    (2, True): (400, 1000, 1600, 2200, 2800, 3400, 4000, 4600, 5200, 5800, 6400, 7000, 7600),
}


def by_the_law(level: int, strain: Strain, doubling: Doubling, tricks: int, vulnerable: bool) -> int:
    if tricks < level + 6:
        return -DOWN[(int(doubling), vulnerable)][level + 6 - tricks - 1]
    score = TRICK_SCORE[strain][level - 1]
    if doubling is Doubling.DOUBLED:
        score = score + score
    if doubling is Doubling.REDOUBLED:
        score = score + score + score + score
    game = score >= 100
    over = tricks - level - 6
    if doubling is Doubling.UNDOUBLED:
        score += over * OVERTRICK[strain]
    elif doubling is Doubling.DOUBLED:
        score += over * OVERTRICK_DOUBLED[vulnerable] + 50
    else:
        score += over * OVERTRICK_REDOUBLED[vulnerable] + 100
    if level == 7:
        score += 1500 if vulnerable else 1000
    if level == 6:
        score += 750 if vulnerable else 500
    if game and vulnerable:
        return score + 500
    if game:
        return score + 300
    return score + 50


@pytest.mark.parametrize("vulnerable", [False, True])
@pytest.mark.parametrize("doubling", Doubling)
@pytest.mark.parametrize("strain", Strain)
def test_score_of_every_contract_and_trick_count_follows_law_77(
    strain: Strain, doubling: Doubling, vulnerable: bool
) -> None:
    for level in range(1, 8):
        contract = Contract(level, strain, doubling, Seat.WEST)
        for tricks in range(14):
            assert contract.score(tricks, vulnerable) == by_the_law(
                level, strain, doubling, tricks, vulnerable
            )


@pytest.mark.parametrize(
    ("text", "tricks", "vulnerable", "score"),
    [
        ("7NTxxN", 13, True, 2980),
        ("7NTN", 13, False, 1520),
        ("1CxxS", 13, True, 2630),
        ("4SE", 10, False, 420),
        ("5DxW", 11, True, 750),
        ("2HxxE", 9, False, 840),
        ("3NTS", 5, True, -400),
        ("7SxxS", 0, True, -7600),
    ],
)
def test_well_known_scores(text: str, tricks: int, vulnerable: bool, score: int) -> None:
    assert Contract.parse(text).score(tricks, vulnerable) == score


@given(contracts)
def test_str_and_parse_of_every_contract_are_inverse(contract: Contract) -> None:
    assert Contract.parse(str(contract)) == contract
    assert contract.side is (Side.NS if str(contract)[-1] in "NS" else Side.EW)


@pytest.mark.parametrize("text", ["", "4S", "8SN", "4sN", "4SXN", "4SxxxN", "3NN", "4S N", "PASS", "4SxN "])
def test_contract_in_another_spelling_is_refused(text: str) -> None:
    with pytest.raises(BadInput):
        Contract.parse(text)


def test_level_0_and_14_tricks_are_refused() -> None:
    with pytest.raises(BadInput):
        Contract(0, Strain.CLUBS, Doubling.UNDOUBLED, Seat.NORTH)
    with pytest.raises(BadInput, match="14 tricks"):
        Contract.parse("4SN").score(14, False)
