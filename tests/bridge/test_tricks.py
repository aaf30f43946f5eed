import pytest
from hypothesis import given
from hypothesis import strategies as st

from overtrick.bridge import SEATS, Seat, Strain, Tricks
from overtrick.errors import BadInput

tables = st.lists(st.integers(0, 13), min_size=20, max_size=20).map(tuple).map(Tricks)


@given(tables)
def test_str_and_parse_of_a_table_are_inverse(tricks: Tricks) -> None:
    assert Tricks.parse(str(tricks)) == tricks
    assert Tricks.parse(str(tricks).upper()) == tricks
    assert Tricks.of({(seat, strain): tricks[seat, strain] for seat in SEATS for strain in Strain}) == tricks


def test_text_has_seats_n_s_e_w_and_strains_from_notrump_down() -> None:
    tricks = Tricks.parse("0123456789abcd012345")
    assert [tricks[Seat.NORTH, strain] for strain in reversed(Strain)] == [0, 1, 2, 3, 4]
    assert [tricks[Seat.SOUTH, strain] for strain in reversed(Strain)] == [5, 6, 7, 8, 9]
    assert [tricks[Seat.EAST, strain] for strain in reversed(Strain)] == [10, 11, 12, 13, 0]
    assert [tricks[Seat.WEST, strain] for strain in reversed(Strain)] == [1, 2, 3, 4, 5]


@pytest.mark.parametrize("text", ["", "0" * 19, "0" * 21, "e" + "0" * 19, "*" * 20])
def test_text_that_is_not_a_table_is_refused(text: str) -> None:
    with pytest.raises(BadInput, match="not a table of tricks"):
        Tricks.parse(text)


def test_impossible_and_missing_figures_are_refused() -> None:
    with pytest.raises(BadInput):
        Tricks((14,) * 20)
    with pytest.raises(BadInput):
        Tricks((7,) * 19)
    with pytest.raises(BadInput, match="no figure for C by North"):
        Tricks.of({})
