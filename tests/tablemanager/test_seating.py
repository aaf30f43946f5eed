import pytest

from overtrick.bridge import SEATS, Seat
from overtrick.tablemanager.messages import Connecting
from overtrick.tablemanager.seating import SeatRefused, SeatState, seat_for

N, E, S, W = SEATS


def chairs(**taken: str) -> list[SeatState]:
    return [SeatState(seat, taken.get(seat.value), seat.value in taken) for seat in SEATS]


def test_free_seat_beside_the_partner_is_given() -> None:
    assert seat_for(Connecting("A", "south", 18), chairs(N="a")) is S


@pytest.mark.parametrize(
    ("message", "taken", "words"),
    [
        (Connecting("A", "North", 17), {}, "version 17"),
        (Connecting("A", "", 18), {}, "name a seat"),
        (Connecting("A", "Up", 18), {}, "name a seat"),
        (Connecting("A", "North", 18), {"N": "A"}, "seat North is taken"),
        (Connecting("B", "South", 18), {"N": "A"}, "differs from the partner's"),
        (Connecting("A", "East", 18), {"N": "A"}, "used by the opponents"),
        (Connecting("", "East", 18), {}, "team name must have"),
        (Connecting("x" * 81, "East", 18), {}, "team name must have"),
        (Connecting("C", "ANYPL", 18), {"N": "A", "E": "B"}, "no seat is free"),
        (Connecting("A/B", "North", 18), {}, "valid in a file name"),
        (Connecting("con", "North", 18), {}, "valid in a file name"),
        (Connecting("A.", "North", 18), {}, "valid in a file name"),
    ],
)
def test_irregular_request_is_refused_with_a_reason(
    message: Connecting, taken: dict[str, str], words: str
) -> None:
    with pytest.raises(SeatRefused, match=words):
        seat_for(message, chairs(**taken))


@pytest.mark.parametrize(
    ("team", "taken", "seat"),
    [("A", {}, N), ("A", {"N": "A"}, S), ("B", {"N": "A"}, E), ("B", {"N": "A", "E": "B", "S": "A"}, W)],
)
def test_request_for_any_seat_gets_the_first_fitting_one(
    team: str, taken: dict[str, str], seat: Seat
) -> None:
    assert seat_for(Connecting(team, "anypl", 18), chairs(**taken)) is seat


def test_port_of_one_seat_refuses_the_other_seats() -> None:
    assert seat_for(Connecting("A", "ANYPL", 18), chairs(), only=W) is W
    with pytest.raises(SeatRefused, match="this port is for West"):
        seat_for(Connecting("A", "North", 18), chairs(), only=W)


def test_seat_of_a_lost_player_is_kept_for_its_team() -> None:
    left = [SeatState(N, "A"), *chairs()[1:]]
    assert seat_for(Connecting("A", "North", 18), left) is N
    with pytest.raises(SeatRefused, match="kept for"):
        seat_for(Connecting("B", "North", 18), left)
