import pytest

from overtrick.control.orders import FrontTab, StartOptions, parse_command_line
from overtrick.errors import BadInput


def test_command_line_of_document_001_is_parsed() -> None:
    assert parse_command_line(
        ["/f:[/tmp/my scores.bws]", "/S", "/r", "/m", "/h:[1,2,3]", "/pi", "/t5"]
    ) == StartOptions("/tmp/my scores.bws", True, True, True, (1, 2, 3), True, FrontTab.PLAYER_NAMES)
    assert parse_command_line(['/f:["a.bws"]']).file == "a.bws"
    assert parse_command_line(["/f:a.bws", "/s", "/h:[]"]).hand_records == ()
    assert parse_command_line([]) == StartOptions()


@pytest.mark.parametrize("tab", range(1, 6))
def test_tab_parameters_choose_the_front_tab(tab: int) -> None:
    assert parse_command_line([f"/t{tab}"]).tab is FrontTab(tab)


@pytest.mark.parametrize(
    "words", [["/t6"], ["/x"], ["/s"], ["/r"], ["/h:[1]", "/f:a"], ["/h:[a]"], ["hello"]]
)
def test_wrong_parameters_are_refused(words: list[str]) -> None:
    with pytest.raises(BadInput):
        parse_command_line(words)
