import pytest

from overtrick.control.orders import Start, Tab, parse_command_line, start_of
from overtrick.errors import BadInput
from overtrick.event import Order


def test_the_command_line_of_document_001() -> None:
    assert parse_command_line(
        ["/f:[/tmp/my scores.bws]", "/S", "/r", "/m", "/h:[1,2,3]", "/pi", "/t5"]
    ) == Start("/tmp/my scores.bws", True, True, True, (1, 2, 3), True, Tab.PLAYER_NAMES)
    assert parse_command_line(['/f:["a.bws"]']).file == "a.bws"
    assert parse_command_line(["/f:a.bws", "/s", "/h:[]"]).hand_records == ()
    assert parse_command_line([]) == Start()


@pytest.mark.parametrize("tab", range(1, 6))
def test_tabs(tab: int) -> None:
    assert parse_command_line([f"/t{tab}"]).tab is Tab(tab)


@pytest.mark.parametrize(
    "words", [["/t6"], ["/x"], ["/s"], ["/r"], ["/h:[1]", "/f:a"], ["/h:[a]"], ["hello"]]
)
def test_what_cannot_be_is_said(words: list[str]) -> None:
    with pytest.raises(BadInput):
        parse_command_line(words)


def test_orders_mean_the_same() -> None:
    assert start_of((Order.START,)) == Start()
    everything = start_of(tuple(Order))
    assert everything == Start(
        resets=True,
        reads=True,
        is_minimised=True,
        is_shown_in_app=True,
        ends_after_last_result=True,
        ends_now=True,
        logs_everything=True,
    )
