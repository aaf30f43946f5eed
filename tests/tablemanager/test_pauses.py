import pytest

from overtrick.bridge import Auction, Seat, parse_call
from overtrick.tablemanager.pauses import needs_pause


def asked(text: str, **systems: bool) -> bool:
    return needs_pause(Auction(Seat.EAST, map(parse_call, text.split())), **systems)


@pytest.mark.parametrize(
    "text",
    [
        "Pass",
        "1C",
        "Pass Pass 1S",
        "1NT",
        "1C Pass 1D",
        "1S Pass 2H",
        "1S 2C",
        "1H X",
        "1C 1D 1S",
        "1C 1D 1NT",
        "1C X 1H",
        "1C X 1NT",
        "1C Pass 2C",
        "1C 1S 2C",
        "1C 1NT 2C",
        "1C 1D Pass 2D",
        "1C 1D X",
        "1C Pass Pass",
        "1C 1D 1H Pass Pass",
        "1C Pass 1D Pass",
    ],
)
def test_no_pause(text: str) -> None:
    assert not asked(text)


@pytest.mark.parametrize(
    "text",
    [
        "2C",
        "2NT",
        "1C Pass 2D",
        "1C Pass 1NT",
        "1C 1S",
        "1C 2C",
        "1C 1NT Pass 2D",
        "1C Pass 3C",
        "1NT Pass 2C",
        "1C 1D Pass",
        "1C Pass Pass 1D Pass",
        "1C Pass 1D X Pass",
        "1C X XX",
        "1C 1D 1H 1S",
    ],
)
def test_pause(text: str) -> None:
    assert asked(text)


@pytest.mark.parametrize("text", ["1C Pass 2C", "1C 1S 2C", "1C 1NT 2C", "1C 1D Pass 2D"])
def test_raises_where_inverted_minors_are_played(text: str) -> None:
    assert asked(text, inverted_minors=True)


@pytest.mark.parametrize("text", ["1H Pass 2H", "1S 1NT 2S", "1H 1S 2H", "1C 1H Pass 2H"])
def test_raises_of_a_major_are_not_asked_about_where_inverted_minors_are_played(text: str) -> None:
    assert not asked(text, inverted_minors=True)


def test_doubles_where_they_are_negative() -> None:
    assert asked("1C 1S X", negative_doubles=True)
