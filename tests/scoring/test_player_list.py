from decimal import Decimal

import pytest

from overtrick.errors import BadInput
from overtrick.scoring.player_list import PlayerDetails, PlayerList, read_player_list
from overtrick.scoring.report import ReportPlayer


def test_list_with_semicolons_and_decimal_commas_is_read() -> None:
    (player,) = read_player_list(
        "\ufeffNumber;Name;Handicap;Holding;Club;Born;Sex\r\n7;Ann Berg;-2,5;1200;North;1980-05-17;w\r\n\r\n"
    )
    assert player == PlayerDetails("7", "Ann Berg", Decimal("-2.5"), Decimal(1200), "North", 1980, "W")


def test_list_from_a_spreadsheet_has_tabs() -> None:
    (player,) = read_player_list("number\tname\tclub\r\n7\tBerg, Ann\tNorth\r\n")
    assert player == PlayerDetails("7", "Berg, Ann", club="North")


def test_missing_columns_and_cells_are_not_known() -> None:
    (player,) = read_player_list("name\nAnn Berg\n")
    assert player == PlayerDetails("", "Ann Berg")


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "names its columns"),
        ("handicap\n1\n", "names its columns"),
        ("name,colour\nAnn,red\n", "names its columns"),
        ("name,handicap\nAnn,1\nBob,many\n", "Line 3 .*'many' is not a number"),
        ("name,handicap\nAnn,101\n", "Line 2 .*from -100 to 100"),
        ("name,handicap\nAnn,NaN\n", "not a number"),
        ("name,holding\nAnn,1e-999999999\n", "not a number"),
        ("name,holding\nAnn,1e999999999\n", "not a number"),
        ("name,holding\nAnn,-1\n", "from 0 on"),
        ("name,born\nAnn,80\n", "not a year of birth"),
        ("name,sex\nAnn,X\n", "Sex is M, W or empty"),
        ("name,number\n,,\n ,5 6,7\n", ""),
    ],
)
def test_bad_line_is_refused_with_its_number(text: str, problem: str) -> None:
    if not problem:
        assert [player.number for player in read_player_list(text)] == ["5 6"]
        return
    with pytest.raises(BadInput, match=problem):
        read_player_list(text)


def test_player_without_a_number_is_found_by_name() -> None:
    players = PlayerList([PlayerDetails("7", "Ann Berg"), PlayerDetails("", "Bo Ek", Decimal(1))])
    assert players.find(ReportPlayer("ann  berg")) == PlayerDetails("7", "Ann Berg")
    assert players.find(ReportPlayer("Bo Ek", "9")) == PlayerDetails("", "Bo Ek", Decimal(1))
    assert players.find(ReportPlayer("Ann Berg", "8")) is None
    assert players.find(ReportPlayer("")) is None


def test_name_of_two_players_is_not_found_without_a_number() -> None:
    players = PlayerList([PlayerDetails("7", "Ann Berg"), PlayerDetails("8", "Ann Berg")])
    assert players.find(ReportPlayer("Ann Berg")) is None
    assert players.find(ReportPlayer("Ann Berg", "8")) == PlayerDetails("8", "Ann Berg")


def test_joined_lists_have_the_later_details() -> None:
    first = PlayerList([PlayerDetails("7", "Ann Berg", Decimal(1)), PlayerDetails("8", "Bo Ek")])
    second = PlayerList([PlayerDetails("7", "A. Berg", Decimal(2))])
    joined = first.joined(second)
    assert joined.find(ReportPlayer("", "7")) == PlayerDetails("7", "A. Berg", Decimal(2))
    assert len(list(joined)) == 2
