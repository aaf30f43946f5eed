from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from overtrick.bridge import (
    AWARDS,
    CARDS,
    SEATS,
    Award,
    Card,
    Contract,
    Doubling,
    NotPlayed,
    Outcome,
    PassedOut,
    Played,
    Side,
    Strain,
    Undecided,
)
from overtrick.connector import wire_codes
from overtrick.connector.wire.play import ResultDTO
from overtrick.connector.wire.reading import read_one
from overtrick.connector.wire.rules import problems
from tests.connector import samples

contracts = st.builds(
    Contract, st.integers(1, 7), st.sampled_from(Strain), st.sampled_from(Doubling), st.sampled_from(SEATS)
)
outcomes = st.builds(Played, contracts, st.integers(0, 13)) | st.sampled_from(
    [PassedOut(), NotPlayed(), *AWARDS]
)

# What the Data Connector guide says of levels -1 to -9, from the scoring direction's side.
MINUS, AVERAGE, PLUS = 40, 50, 60
LEVELS = {
    -1: (MINUS, MINUS), -2: (MINUS, AVERAGE), -3: (MINUS, PLUS),
    -4: (AVERAGE, MINUS), -5: (AVERAGE, AVERAGE), -6: (AVERAGE, PLUS),
    -7: (PLUS, MINUS), -8: (PLUS, AVERAGE), -9: (PLUS, PLUS),
}  # fmt: skip


@pytest.mark.parametrize("level", LEVELS)
def test_an_award_is_seen_from_the_scoring_direction(level: int) -> None:
    ours, theirs = LEVELS[level]
    for direction in (1, 3):
        assert wire_codes.outcome(ResultDTO(Level=level, ScoringDirection=direction)) == Award(ours, theirs)
    assert wire_codes.outcome(ResultDTO(Level=level, ScoringDirection=2)) == Award(theirs, ours)


def test_level_0_is_a_pass_and_minus_10_a_board_not_played() -> None:
    assert wire_codes.outcome(ResultDTO(Level=0)) == PassedOut()
    assert wire_codes.outcome(ResultDTO(Level=-10)) == NotPlayed()


def test_pending_ruling_has_no_contract_level_or_tricks() -> None:
    assert wire_codes.result_figures(Undecided(), None, 3, 7, False) is None


def test_denominations_and_directions_are_numbered_from_clubs_and_north() -> None:
    texts = [
        str(
            wire_codes.outcome(ResultDTO(Level=1, Denomination=strain, DeclarerDirection=seat, TotalTricks=7))
        )
        for strain, seat in product(range(1, 6), range(1, 5))
    ]
    assert texts == [f"1{strain}{seat}=" for strain, seat in product(["C", "D", "H", "S", "NT"], "NESW")]


@pytest.mark.parametrize(
    ("direction", "declaring_pair", "switched"),
    [(1, 3, 0), (3, 3, 0), (1, 7, 1), (3, 7, 1), (2, 7, 0), (4, 7, 0), (2, 3, 1), (4, 3, 1)],
)
def test_declaring_pair_of_the_other_side_switches_the_sides(
    direction: int, declaring_pair: int, switched: int
) -> None:
    dto = ResultDTO(
        Level=1, DeclarerDirection=direction, DeclaringPair=declaring_pair, PairNorthSouth=3, PairEastWest=7
    )
    assert wire_codes.is_wrong_direction(dto) is bool(switched)


def test_same_pair_number_on_both_sides_is_not_switched() -> None:
    dto = ResultDTO(Level=1, DeclarerDirection=2, DeclaringPair=3, PairNorthSouth=3, PairEastWest=3)
    assert not wire_codes.is_wrong_direction(dto)


@given(outcomes, st.sampled_from([None, Side.NS, Side.EW]), st.booleans())
def test_outcome_survives_the_round_trip_through_wire_numbers(
    happened: Outcome, side: Side | None, switched: bool
) -> None:
    figures = wire_codes.result_figures(happened, side, 3, 7, switched)
    assert figures is not None
    dto = ResultDTO(PairNorthSouth=3, PairEastWest=7, **figures)  # type: ignore[arg-type]
    assert wire_codes.outcome(dto) == happened
    assert wire_codes.scored_side(dto) is side
    assert wire_codes.is_wrong_direction(dto) is (switched and isinstance(happened, Played))


@pytest.mark.parametrize(
    "changes",
    [
        {"Level": 8},
        {"Level": -11},
        {"Denomination": 0},
        {"Denomination": 6},
        {"Stake": 3},
        {"TotalTricks": 14},
        {"DeclarerDirection": 0},
        {"DeclarerDirection": 5},
        {"ScoringDirection": 0},
        {"LeadCardRank": 15, "LeadCardSuit": 1},
        {"LeadCardRank": 2, "LeadCardSuit": 0},
    ],
)
def test_contradictory_result_numbers_are_refused(changes: dict[str, int]) -> None:
    sound = samples.result()
    assert problems(read_one(ResultDTO, sound)) == []
    assert problems(read_one(ResultDTO, sound | changes)) != []


@pytest.mark.parametrize("card", CARDS)
def test_lead_is_encoded_by_rank_from_2_and_suit_from_clubs(card: Card) -> None:
    assert wire_codes.lead(ResultDTO(LeadCardRank=int(card.rank), LeadCardSuit=card.suit + 1)) is card


def test_valid_lead_is_read_and_invalid_lead_is_none() -> None:
    assert wire_codes.lead(ResultDTO(LeadCardRank=11, LeadCardSuit=1)) is Card.CJ
    assert wire_codes.lead(ResultDTO()) is None
