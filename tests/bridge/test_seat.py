import pytest
from hypothesis import given
from hypothesis import strategies as st

from overtrick.bridge import SEATS, Seat, Side, Vulnerability, dealer, vulnerability
from overtrick.errors import BadInput

# Law 2, written out: dealer and vulnerability of boards 1 to 16.
LAW_2 = {
    1: "N None", 2: "E NS", 3: "S EW", 4: "W All",
    5: "N NS", 6: "E EW", 7: "S All", 8: "W None",
    9: "N EW", 10: "E All", 11: "S None", 12: "W NS",
    13: "N All", 14: "E None", 15: "S NS", 16: "W EW",
}  # fmt: skip


@pytest.mark.parametrize("board", range(1, 129))
def test_dealer_and_vulnerability_of_any_board_follow_law_2(board: int) -> None:
    said = LAW_2[(board - 1) % 16 + 1]
    assert f"{dealer(board).value} {vulnerability(board).value}" == said


@pytest.mark.parametrize("board", [0, -1])
def test_board_numbers_below_one_are_refused(board: int) -> None:
    with pytest.raises(BadInput, match="numbered from 1"):
        dealer(board)
    with pytest.raises(BadInput):
        vulnerability(board)


@given(st.sampled_from(SEATS))
def test_next_previous_and_partner_are_consistent(seat: Seat) -> None:
    assert seat.next.previous is seat
    assert seat.next.next is seat.partner
    assert seat.partner.partner is seat
    assert seat.partner.side is seat.side
    assert seat.next.side is seat.side.opponents
    assert seat in seat.side.seats
    assert Seat(seat.value) is seat
    assert Seat.parse(seat.title.lower()) is seat


def test_seats_are_clockwise_from_north() -> None:
    assert [seat.value for seat in Seat] == ["N", "E", "S", "W"]
    assert Seat("W").next is Seat("N")


def test_vulnerability_includes_its_sides_and_seats() -> None:
    assert Vulnerability.ALL.includes(Side.EW)
    assert Vulnerability.EW.includes(Seat.WEST)
    assert not Vulnerability.EW.includes(Seat.NORTH)
    assert not Vulnerability.NONE.includes(Side.NS)


def test_vulnerability_in_every_spelling_is_parsed() -> None:
    assert [Vulnerability.parse(text).value for text in ("Love", "-", "both", "E-W", "ns")] == [
        "None", "None", "All", "EW", "NS",
    ]  # fmt: skip
    with pytest.raises(BadInput):
        Vulnerability.parse("North")
    with pytest.raises(BadInput):
        Seat.parse("NS")


def test_seat_prints_as_its_name() -> None:
    assert [f"{seat}" for seat in SEATS] == ["North", "East", "South", "West"]
    assert [Seat.parse(str(seat)) for seat in SEATS] == list(SEATS)
