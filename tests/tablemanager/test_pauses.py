import pytest

from overtrick.bridge import Auction, Seat, parse_call
from overtrick.tablemanager.pauses import needs_pause


def needs_pause_after(text: str, **systems: bool) -> bool:
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
def test_auction_on_the_documents_list_needs_no_pause(text: str) -> None:
    assert not needs_pause_after(text)


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
def test_auction_that_is_not_on_the_documents_list_needs_a_pause(text: str) -> None:
    assert needs_pause_after(text)


@pytest.mark.parametrize("text", ["1C Pass 2C", "1C 1S 2C", "1C 1NT 2C", "1C 1D Pass 2D"])
def test_raise_of_a_minor_needs_a_pause_with_inverted_minors(text: str) -> None:
    assert needs_pause_after(text, inverted_minors=True)


@pytest.mark.parametrize("text", ["1H Pass 2H", "1S 1NT 2S", "1H 1S 2H", "1C 1H Pass 2H"])
def test_raise_of_a_major_needs_no_pause_with_inverted_minors(text: str) -> None:
    assert not needs_pause_after(text, inverted_minors=True)


def test_double_of_an_overcall_needs_a_pause_with_negative_doubles() -> None:
    assert needs_pause_after("1C 1S X", negative_doubles=True)
