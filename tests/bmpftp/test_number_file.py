"""Reading and writing of `BMPNums.txt`."""

import pytest

from overtrick.bmpftp.number_file import number_lines, parse_numbers
from overtrick.bmpftp.text_fields import BadText, encode_lines
from overtrick.bws.rows import PlayerNumberRow
from tests.bmpftp.conftest import example

EXAMPLE = example("BMPNums.txt")


def test_documents_numbers_are_read_and_written_byte_for_byte() -> None:
    rows = parse_numbers(EXAMPLE)
    assert rows[2] == PlayerNumberRow(1, 1, "S", "165")
    assert encode_lines(number_lines(rows)) == EXAMPLE
    assert encode_lines(number_lines(reversed(rows))) == EXAMPLE


def test_each_chair_is_written_once_with_its_first_player() -> None:
    rows = [
        PlayerNumberRow(1, 1, "N", "7", round=2),
        PlayerNumberRow(1, 1, "N", "5", round=1),
        PlayerNumberRow(1, 1, "N", "4", round=0),
        PlayerNumberRow(1, 1, "E", "6", round=1),
        PlayerNumberRow(1, 1, "?", "9"),
    ]
    assert list(number_lines(rows)) == ['1,1,"N ","4"', '1,1,"E ","6"']


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ('1,1,"N "', "line 1: The row is too short"),
        ('1,x,"N ","5"', r"line 1, field 2 \(Table\)"),
        ('1,1,"NS","5"', r"line 1, field 3 \(Direction\)"),
        ('1,1,"N","5"\n1,1,"N","6"', r"line 2, field 3 \(Direction\): This table has N twice"),
    ],
)
def test_invalid_row_is_rejected_with_line_and_field(line: str, sentence: str) -> None:
    with pytest.raises(BadText, match=f"^BMPNums.txt, {sentence}"):
        parse_numbers(line.encode())
